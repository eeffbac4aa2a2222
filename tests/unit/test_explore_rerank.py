"""The pictures of lesson 08: two orders and a ceiling, a pair read together, and the curve over the depth."""

import re
import struct

import pytest
from picture_text import words_of

from firstprinciples import swap
from firstprinciples.explore import depth_curve, reading_together, reranking
from firstprinciples.explore.depth import LOOK, figures
from firstprinciples.explore.depth import State as Depth
from firstprinciples.explore.depth import caption as said_of_depth
from firstprinciples.explore.depth import describe as describe_depth
from firstprinciples.explore.depth import frame as depth_of
from firstprinciples.explore.depth import values as values_of
from firstprinciples.explore.reading import CHUNK, QUESTION, trace
from firstprinciples.explore.reading import describe as describe_reading
from firstprinciples.explore.reading import picture as draw_reading
from firstprinciples.explore.rerank import (
    DEPTHS,
    KEPT,
    QUESTIONS,
    SEARCHES,
    State,
    caption,
    describe,
    frame,
    larkspur,
    picture,
    searches,
)
from firstprinciples.rank.cross_encoder import cross
from firstprinciples.rank.rerank import Reranked, sigmoid

# Two orders


@pytest.mark.parametrize("question", range(len(QUESTIONS)))
@pytest.mark.parametrize("search", SEARCHES)
def test_both_orders_are_those_of_the_retrievers(question, search):
    for depth in (5, 40, 100):
        drawn = frame(State(question, search, depth))
        two = Reranked(searches()[search], cross(), depth)
        hits = two.search(drawn["question"], 100)
        assert drawn["second"] == [hit.id for hit in hits] and drawn["logits"] == [hit.score for hit in hits]
        assert drawn["first"] == [hit.id for hit in searches()[search].search(drawn["question"], 100)]
        assert sorted(drawn["second"]) == sorted(drawn["first"][:depth])
        assert drawn["tokens"] == two.last.tokens and two.last.cut == 0
        assert drawn["after"] <= round(drawn["ceiling"] * len(drawn["relevant"])) <= len(drawn["relevant"])
        html = picture(drawn, None, None)
        assert "nan" not in html and min(map(int, re.findall(r"font-size:(\d+)px", html))) >= 12
        assert caption(drawn, None) and describe(drawn)


def test_only_dev_questions_are_asked():
    asked = {query.text: query.split for query in larkspur().queries}
    assert [asked[text] for text in QUESTIONS] == ["dev"] * len(QUESTIONS)


def test_what_the_four_questions_are_there_for():
    gain, moving, loss, nothing = (frame(State(i)) for i in range(4))
    assert (gain["before"], gain["after"], gain["ceiling"]) == (0, 1, 1.0)
    assert moving["ceiling"] == 0.75 and frame(State(1, depth=70))["ceiling"] == 0.5
    assert loss["after"] < loss["before"] and loss["ceiling"] == 1.0
    assert nothing["ceiling"] == 0.0 < frame(State(3, "hybrid"))["ceiling"]


def test_the_words_say_what_the_dial_did():
    before, after = frame(State(1)), frame(State(1, depth=70))
    said = caption(after, before)
    assert "From 100 candidates to 70:" in said and "the ceiling goes from 3 of 4 to 2 of 4" in said
    assert f"{after['tokens']:,} tokens instead of {before['tokens']:,}" in said
    assert "can't hold one" in caption(frame(State(3)), None)
    assert "of 4; the ceiling" not in describe(after) and "the ceiling is 2 of 4" in describe(after)
    text = words_of(picture(after, before, None))
    assert "ceiling: 2 of 4" in text and "read to here: 70" in text and f"was {before['tokens']:,}" in text


def test_a_depth_is_the_nearest_of_those_offered():
    assert State(depth=1).depth == DEPTHS[0] and State(depth=1000).depth == 100 and State(4).question == 0
    assert State(search="none").search == "BM25"


def test_the_dial_keeps_the_question_and_the_one_before():
    stage = reranking()
    stage.controls["depth"].value = 20
    assert stage.before["depth"] == 100 and stage.before["question"] == stage.frame["question"] == QUESTIONS[0]
    stage.controls["search"].value = "hybrid"
    assert stage.before is None and "hybrid" in stage.label
    stage.reset()
    assert stage.frame == frame(State())
    stage.close()


def test_a_learners_rerank_drives_the_picture_and_is_named_where_it_is_wrong():
    stage = reranking(question=1)
    right = stage.frame
    swap.use("rerank.rerank", lambda ranked, new, depth: sorted(
        ((id, new[id]) for id, _ in ranked[:depth]), key=lambda pair: (pair[1], pair[0])))
    assert stage.frame["second"] == right["second"][::-1] and "running on your rerank: yours" in stage.label
    assert "expected" in words_of(stage.screen.value)
    swap.use("rerank.rerank", lambda ranked, new, depth: [("nobody", 1.0)])
    assert stage.frame == right and "nobody" in stage.label and "course's own function instead" in stage.label
    swap.use("rerank.rerank", lambda ranked, new, depth: None)
    assert stage.frame == right and "list of pairs" in stage.label
    swap.use("rerank.rerank", lambda ranked, new, depth: [(ranked[0][0], 1.0)] * 2)
    assert stage.frame == right and "twice" in stage.label
    swap.use("rerank.rerank")
    swap.use("rerank.ceiling", lambda ids, relevant, depth: 1.0)
    assert stage.frame["ceiling"] == 1.0 and "expected 3 of 4" in words_of(stage.screen.value)
    stage.close()


# A pair, read together


def test_the_steps_add_up_to_the_logit_of_the_model():
    frames, model = trace(QUESTION, CHUNK), cross()
    pair = model.pairs(QUESTION, [CHUNK])[0]
    assert len(frames) == 1 + 2 * len(pair.question) + 9 + 1 == 19
    assert frames[-1]["logit"] == pytest.approx(float(model.score(QUESTION, [CHUNK])[0]))
    assert frames[-1]["counts"] == pytest.approx(pair.features[2:].tolist())
    parts = {name: value for name, value, _ in model.explain(QUESTION, CHUNK).parts}
    assert {name: value for name, _, _, value in frames[-1]["parts"]} == pytest.approx(parts)
    for before, after in zip(frames, frames[1:], strict=False):
        assert after["rows"] >= before["rows"] and after["done"] >= before["done"]
        assert after["logit"] == pytest.approx(sum(part[3] for part in after["parts"][: after["done"]]))
    assert f"{float(sigmoid(frames[-1]['logit'])):.2f}" in frames[-1]["why"]


def test_every_step_is_drawn_and_said():
    frames = trace(QUESTION, CHUNK)
    assert "Left out: are, and, no, is." in frames[0]["why"]
    for drawn in frames:
        html = draw_reading(drawn)
        assert "nan" not in html and min(map(int, re.findall(r"font-size:(\d+)px", html))) >= 12
        assert describe_reading(drawn).startswith(f"Step {drawn['step']} of 19: ")
    assert "?" in words_of(draw_reading(frames[0])).removeprefix(QUESTION)
    said = " ".join(each["why"] for each in frames)
    assert "sick 3.12, days 1.77" in said and "sick days 2.50, days paid 2.50" in said and "dai" not in said
    assert "the same word, so 1" in said and "the same but for its ending, so 1" in " ".join(
        each["why"] for each in trace("when do cranes fly", "A crane fell."))
    assert "holiday" in words_of(draw_reading(frames[0]).split("</svg>")[0]) and "…" not in draw_reading(frames[0])
    assert "Nearest is “holiday”, 0.67" in next(f["why"] for f in frames if f["title"].startswith("“leave” meets"))


def test_a_text_that_is_too_long_is_refused():
    with pytest.raises(ValueError, match="of 1 to 4 words"):
        reading_together("red blue green yellow black", "a tent")
    with pytest.raises(ValueError, match="of 1 to 4 words and a chunk of 1 to 8"):
        reading_together("red", "")


def test_a_learners_soft_counts_drive_the_steps():
    stage = reading_together()
    own = trace(QUESTION, CHUNK)[-1]["logit"]
    swap.use("rerank.soft_counts", lambda similarities, centers, width: [1.0] * len(centers))
    stage.controls["step"].value = 18
    assert stage.frame["counts"] == [1.0] * 6 and stage.frame["logit"] != own
    assert "running on your soft_counts: yours" in stage.label and "exp." in words_of(stage.screen.value)
    swap.use("rerank.soft_counts", lambda similarities, centers, width: [1.0])
    assert stage.frame["logit"] == pytest.approx(own) and "course's own function instead" in stage.label
    stage.close()


# The curve


@pytest.mark.parametrize("search", SEARCHES)
def test_every_depth_was_measured_and_nothing_passes_the_perfect_order(search):
    for depth in figures()["depths"]:
        drawn = depth_of(Depth(search, depth))
        assert drawn["depths"][drawn["at"]] == depth
        assert f"at depth {depth} over {search}" in describe_depth(drawn)
        shown = values_of(drawn)
        assert shown["a perfect order"] == f"{drawn['perfect'][drawn['at']]:.3f}"
        for name, line in drawn["lines"].items():
            at = figures()["depths"].index(depth)
            assert shown[name] == f"{line['ndcg'][at]:.3f} in {line['milliseconds'][at]:.1f} ms"
            assert f"{name} {shown[name]}" in describe_depth(drawn)
    assert drawn["perfect"] == sorted(drawn["perfect"]) and drawn["recall"] == sorted(drawn["recall"])
    for name, line in drawn["lines"].items():
        assert name in LOOK and all(value <= best + 1e-9 for value, best in
                                    zip(line["ndcg"], drawn["perfect"], strict=True))
        assert line["milliseconds"][-1] > line["milliseconds"][0] > drawn["wait"]


def test_the_curve_is_drawn_and_follows_the_dials():
    stage = depth_curve()
    first = stage.screen.value
    assert struct.unpack(">II", first[16:24]) == (1290, 600)
    stage.controls["depth"].value = 20
    assert stage.screen.value != first and stage.before["depth"] == 100
    assert "From 100 candidates to 20:" in said_of_depth(stage.frame, stage.before)
    stage.controls["search"].value = "hybrid"
    assert stage.before["search"] == "BM25" and "over hybrid" in stage.label
    stage.reset()
    assert stage.screen.value == first
    stage.close()


def test_a_depth_is_the_nearest_that_was_measured():
    assert Depth("BM25", 1).depth == 10 and Depth("none", 60).search == "BM25" and KEPT == 5
