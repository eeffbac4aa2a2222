"""The pictures of lesson 10: a chunk that nobody finds, four bars twice, and what contexts cost."""

import math
import re

import pytest
from picture_text import words_of

from firstprinciples import swap
from firstprinciples.encode.stored import ModelFilesMissing, minilm
from firstprinciples.explore import bars as of_bars
from firstprinciples.explore import contextual as of_orphan
from firstprinciples.explore import four_bars, orphan, paid_once
from firstprinciples.explore import ingestion as of_cost
from firstprinciples.explore.contextual import ORPHANS, QUESTIONS, STEPS, caption, describe, known, picture, trace
from firstprinciples.explore.ingestion import PIECES, WAYS, dollars
from firstprinciples.ingest import contextual


def sizes_of_text(html: str) -> set[int]:
    return {int(size) for size in re.findall(r"font-size:(\d+)px", html)}


def walked(name="acme", question=None):
    return trace(name, question or QUESTIONS[name][0])


# The orphan


@pytest.mark.parametrize("name", ORPHANS)
def test_the_places_are_those_of_real_searches(name):
    chunks, documents = of_orphan.collection(name)
    situated = contextual.contextualize(chunks, documents)
    for question in QUESTIONS[name]:
        frame = walked(name, question)[-1]
        for when, each in (("before", chunks), ("after", situated)):
            found = of_orphan.indexes(name, tuple(chunk.text for chunk in each))
            for kind, index in found.items():
                ids = [hit.id for hit in index.search(question, k=len(chunks))]
                place = ids.index(ORPHANS[name]) + 1 if ORPHANS[name] in ids else 0
                one = frame["lists"][kind][when]
                assert one["place"] == place and [row["id"] for row in one["rows"]] == [
                    ids[row["place"] - 1] for row in one["rows"]]


def test_the_tiny_orphan_is_found_by_neither_and_then_first_by_both():
    lists = walked()[-1]["lists"]
    assert [lists[kind]["before"]["place"] for kind in of_orphan.INDEXES] == [0, 4]
    assert [lists[kind]["after"]["place"] for kind in of_orphan.INDEXES] == [1, 1]


def test_the_same_id_and_the_same_text_go_into_the_prompt():
    chunks, documents = of_orphan.collection("larkspur")
    for chunk, situated in zip(chunks, contextual.contextualize(chunks, documents), strict=True):
        assert situated.id == chunk.id and situated.text.endswith(f"\n{chunk.text}")


def test_each_list_is_a_step_and_nothing_is_given_away():
    frames = walked()
    assert len(frames) == STEPS + 1
    seen = [sum(known(frame, kind, when) for kind in of_orphan.INDEXES for when in ("before", "after"))
            for frame in frames]
    assert seen == [0, 1, 2, 2, 3, 4, 4]
    first = words_of(picture(frames[0], None))
    assert first.count("?") == 2 + 4 and "town-news" not in first and frames[0]["context"] not in first
    assert "fused" not in describe(frames[4]) and "fused: 4 alone, 1 with it" in describe(frames[5])
    assert frames[3]["context"] in words_of(picture(frames[3], None))
    last = words_of(picture(frames[6], None))
    assert frames[6]["context"] not in last and "what the prompt gets" in last


def test_every_step_says_what_it_shows():
    for name in ORPHANS:
        for question in QUESTIONS[name]:
            for frame in walked(name, question):
                assert caption(frame, None).endswith(".") and describe(frame).endswith(".")
                drawn = picture(frame, None)
                assert min(sizes_of_text(drawn)) >= 12 and "nan" not in drawn
    assert "no word of the question" in caption(walked()[1], None)
    assert "place 8 of 704" in caption(walked("larkspur")[1], None)


def test_the_chunk_is_marked_in_its_lists():
    drawn = picture(walked()[-1], None)
    assert drawn.count("fp-mine") == 3  # by words, alone, it is not there
    assert "not among the 3 that were found" in words_of(drawn) and "was not found" in words_of(drawn)


@pytest.mark.parametrize("name", ORPHANS)
def test_a_list_has_no_more_rows_than_it_has_room_for(name):
    for question in QUESTIONS[name]:
        for lists in walked(name, question)[-1]["lists"].values():
            for one in lists.values():  # where it is not found a note takes the last row's place
                assert len(one["rows"]) + (not one["place"]) <= of_orphan.SHOWN
    one = walked("acme", QUESTIONS["acme"][1])[-1]["lists"]["words"]["before"]
    assert (one["found"], one["place"], len(one["rows"])) == (4, 0, 3)


def test_what_is_not_found_has_no_place():
    frames = walked()
    assert caption(frames[4], None).startswith("by words (BM25): not found alone, place 1 with its context.")
    assert all("place not found" not in caption(frame, None) for frame in frames)
    lists = frames[4]["lists"]
    empty = {"place": 0, "found": 0, "rows": []}
    drawn = words_of(picture({**frames[4], "lists": {**lists, "words": {"before": empty, "after": empty}}}, None))
    assert "nothing was found" in drawn and "among the 0" not in drawn


def test_the_chunk_is_not_cut_off_in_a_small_window():
    drawn = picture(walked("larkspur")[3], None)
    assert drawn.index("fp-scroll") < drawn.index("fp-card") and "min-width: 760px" in of_orphan.STYLE


def test_the_explorer_steps_and_asks_another_question():
    stage = orphan("acme")
    row = stage.row.children
    forward = next(button for button in row if getattr(button, "description", "") == "Next")
    forward.click()
    assert stage.frame["step"] == 1 and "not found" in stage.label
    stage.view.children[1].children[1].click()
    assert stage.frame["step"] == 0 and stage.frame["question"] == QUESTIONS["acme"][1]
    stage.view.children[1].children[1].click()
    assert stage.frame["question"] == QUESTIONS["acme"][0]
    stage.controls["question"].value = "   "
    assert stage.frame["question"] == QUESTIONS["acme"][0]
    stage.close()


def test_a_name_that_is_not_there():
    with pytest.raises(ValueError, match="There is no collection 'cranfield' here; there are acme and larkspur"):
        orphan("cranfield")


def test_a_question_without_a_vector_says_so(monkeypatch):
    def missing(texts):
        raise ModelFilesMissing("no files")

    monkeypatch.setattr(minilm(), "encode_queries", lambda texts: missing(texts) if texts == ["new"] else real(texts))
    real = type(minilm()).encode_queries.__get__(minilm())
    frame = trace("acme", "new")[0]
    assert frame["question"] == QUESTIONS["acme"][0] and "“new” is not stored" in caption(frame, None)


def test_a_line_of_the_learners_own_is_named_and_not_drawn():
    swap.use("contextual.blurb", lambda title, path, date, names, kind="": title.upper())
    stage = orphan("acme")
    assert "running on your blurb" in stage.label and "Its vector is not stored" in stage.label
    assert stage.frame["context"] == "Acme, 2024, unemployment"
    swap.use("contextual.blurb")
    assert "running on" not in stage.label
    stage.close()


def test_a_right_line_of_the_learners_drives_the_picture():
    own = contextual.blurb
    swap.use("contextual.blurb", lambda title, path, date, names, kind="": own(title, path, date, names, kind))
    stage = orphan("acme")
    assert stage.label.endswith("running on your blurb") and not stage.result.trouble
    stage.close()


# What it costs


def test_the_published_dollar():
    frame = of_cost.frame(of_cost.State())
    assert [dollars(frame["million"][way]) for way in WAYS] == ["$1.02", "$2.92"]
    assert frame["bills"][WAYS[0]]["total"] == pytest.approx(0.008175) and frame["documents"] == 125
    assert math.ceil(frame["even"]) == 511


@pytest.mark.parametrize("state", [of_cost.State(), of_cost.State(1_000, 300, 25, 0), of_cost.State(7_777, 800, 0, 9),
                                   of_cost.State(128_000, 200, 200, 100_000, WAYS[1]), of_cost.State(1, 1, 0, 0)])
def test_the_lines_of_a_bill_add_up(state):
    frame = of_cost.frame(state)
    for way, one in frame["bills"].items():
        assert one["total"] == pytest.approx(sum(one[piece] for piece in PIECES)), way
    lines = of_cost.lines(frame)
    assert sum(line[3] for line in lines) == pytest.approx(frame["bills"][state.way]["total"])
    assert all(tokens * price / 1e6 == pytest.approx(amount) for _, tokens, price, amount in lines)
    drawn = of_cost.picture(frame, None, None)
    assert "≠" not in drawn and min(sizes_of_text(drawn)) >= 12 and of_cost.caption(frame, None)


@pytest.mark.parametrize("size", of_cost.DOCUMENTS)
def test_the_documents_times_a_bill_are_the_million(size):
    frame = of_cost.frame(of_cost.State(document=size))
    drawn = words_of(of_cost.picture(frame, None, None))
    count, million = re.search(r"× ([\d,.]+) documents: \$([\d,.]+)", drawn).groups()
    bill = float(drawn.rsplit(maxsplit=1)[1])
    assert float(count.replace(",", "")) * bill == pytest.approx(float(million.replace(",", "")), abs=0.0051)


def test_longer_documents_are_read_more_often():
    short, long = (of_cost.frame(of_cost.State(document=size)) for size in (8_000, 16_000))
    assert long["chunks"] == 2 * short["chunks"]
    assert long["million"][WAYS[1]] / short["million"][WAYS[1]] > 1.8


def test_the_setting_from_before_stays_pale():
    stage = paid_once()
    stage.controls["questions"].value = 5_000
    assert "was $2.00" in words_of(stage.drawing) and "From 1,000 to 5,000 questions" in stage.words.value
    stage.controls["way"].value = WAYS[1]
    assert stage.label.endswith("The bill below: without.") and "2.9 times as much" in stage.words.value
    stage.controls["document"].value = 16_000
    assert "The document is read 20 times" in stage.words.value
    stage.close()


@pytest.mark.parametrize("bad", [{"document": 0}, {"chunk": 0}, {"context": -1}, {"questions": 1.5}])
def test_numbers_that_are_none_are_refused(bad):
    with pytest.raises(ValueError, match="it is a whole number from"):
        of_cost.State(**bad)


def test_a_wrong_cost_is_drawn_beside_the_right_one():
    def without(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
        chunks = math.ceil(document_tokens / chunk_tokens)
        return (chunks * document_tokens * prices["input"] + chunks * (chunk_tokens + instruction_tokens)
                * prices["input"] + chunks * context_tokens * prices["output"]) / 1e6

    swap.use("contextual.ingestion_cost", without)
    stage = paid_once()
    assert "yours" in stage.label and "expected $1.02" in words_of(stage.drawing)
    stage.close()


# Four bars


@pytest.mark.parametrize("group", of_bars.GROUPS)
@pytest.mark.parametrize("scale", of_bars.SCALES)
def test_the_bars_are_the_stored_ones(group, scale):
    frame = of_bars.frame(of_bars.State(group, scale))
    rows = of_bars.figures()["bars"]["held_out"]["rows"]
    assert frame["ours"] == [100 * rows[name][of_bars.GROUPS[group]]["misses"] for name in of_bars.BARS]
    assert all(low <= value <= high for low, value, high in
               zip(frame["low"], frame["ours"], frame["high"], strict=True))
    assert frame["published"] == [5.7, 3.7, 2.9, 1.9]
    assert [of_bars.gone(share) for share in frame["gone"]["published"][1:]] == ["−35 %", "−49 %", "−67 %"]
    drawn = of_bars.picture(frame, None, None)
    assert min(sizes_of_text(drawn)) >= 12 and "published by Anthropic" in drawn
    assert all(f"{value:.1f}" in words_of(drawn) for value in (*frame["ours"], *frame["published"]))
    for y in re.findall(r'y="(-?[\d.]+)"', drawn):
        assert 0 <= float(y) <= of_bars.TALL


def test_a_difference_that_these_questions_cannot_tell_is_named_so():
    frame = of_bars.frame(of_bars.State())
    assert "the same without context: −2.3" in of_bars.caption(frame, None)
    for group in of_bars.GROUPS:
        frame = of_bars.frame(of_bars.State(group))
        first, _, third = of_bars.caption(frame, None).partition(". The third bar")
        for name, row, said in zip(of_bars.BARS[1:], frame["apart"], first.split("; "), strict=True):
            assert name in said and (", unsure" in said) == (not of_bars.sure(row))
        assert (", unsure." in third) == (not of_bars.sure(frame["context"]))
        assert third.endswith("(Unsure: the interval holds 0.)") == (
            not all(map(of_bars.sure, [*frame["apart"], frame["context"]])))
        unsure = sum(not of_bars.sure(row) for row in frame["apart"])
        assert of_bars.picture(frame, None, None).count("unsure") == unsure


def test_the_groups_and_the_scale_turn_by_buttons():
    stage = four_bars()
    stage.controls["group"].value = "needs context"
    assert "needs context, 15 held-out questions" in stage.label
    stage.controls["scale"].value = "one scale"
    assert stage.label.endswith("Drawn with one scale.")
    stage.close()


def test_a_wrong_reduction_is_named():
    swap.use("contextual.reduction", lambda before, after: before - after)
    stage = four_bars()
    assert "yours" in stage.label and "not −35 %" in words_of(stage.drawing)
    stage.close()


def test_the_longest_bill_has_room_for_what_it_was():
    stage = paid_once()
    stage.controls["questions"].value = 100_000
    stage.controls["document"].value = 128_000
    label = re.search(r"\$3,200 · was \$[\d.]+", words_of(stage.drawing)).group()
    assert (of_cost.LEFT + of_cost.WIDE) / 100 * 860 + 8 + 8.5 * len(label) < 860  # 14 pixels high and bold
    stage.close()
