"""The pictures of lesson 18: pages laid into a prompt, how many of them, and how sure a reader must be."""

import re
import struct

import pytest
from picture_text import words_of

from firstprinciples import swap
from firstprinciples.corpus import Collection
from firstprinciples.explore import answers, both_ends, strong_or_many
from firstprinciples.explore.answers import ASKED, BUDGETS, FOUND, ORDERS, State, caption, describe, frame, picture
from firstprinciples.explore.silence import LANES, asked, silence, silent
from firstprinciples.explore.silence import State as Sure
from firstprinciples.explore.silence import caption as said_of_silence
from firstprinciples.explore.silence import describe as describe_silence
from firstprinciples.explore.silence import figures as measured_answers
from firstprinciples.explore.silence import frame as silence_at
from firstprinciples.explore.strong import SEARCHES, measured_k
from firstprinciples.explore.strong import State as Many
from firstprinciples.explore.strong import caption as said_of_many
from firstprinciples.explore.strong import describe as describe_many
from firstprinciples.explore.strong import frame as many
from firstprinciples.generate import answer, context
from firstprinciples.grading.mistakes import mistakes
from firstprinciples.retrieve.bm25 import BM25


@pytest.fixture(scope="module")
def larkspur():
    return Collection.load("larkspur")


def png_size(data: bytes) -> tuple[int, int]:
    return struct.unpack(">II", data[16:24])


def inside(drawn) -> list[dict]:
    """Return the pages of the prompt, from top to bottom."""
    return sorted((page for page in drawn["pages"] if page["place"]), key=lambda page: page["place"])


# The prompt


@pytest.mark.parametrize("number", range(len(ASKED)))
@pytest.mark.parametrize("order", ORDERS)
def test_the_prompt_in_the_picture_is_the_courses_own(number, order, larkspur):
    query = next(query for query in larkspur.queries if query.id == ASKED[number])
    assert query.split == "dev"
    hits = BM25(larkspur.chunks).search(query.text, FOUND)
    for budget in (BUDGETS[0], 600, BUDGETS[1]):
        drawn = frame(State(number, order, budget))
        laid = context.lay_out(hits, larkspur.chunks, budget, ORDERS[order], FOUND, question=query.text)
        assert [page["id"] for page in inside(drawn)] == [source["id"] for source in laid.sources]
        assert [page["id"] for page in drawn["pages"]] == [hit.id for hit in hits]
        assert sum(page["tokens"] for page in inside(drawn)) <= budget and drawn["used"] == laid.tokens
        held = {id for _, ids in larkspur.evidence[query.id] for id in ids}
        assert [page["holds"] for page in drawn["pages"]] == [hit.id in held for hit in hits]
        html = picture(drawn, frame(State(number)), None)
        assert not re.search(r"\bnan\b", html) and describe(drawn) and caption(drawn, None)
        assert min(map(int, re.findall(r"font-size:(\d+)px", html))) >= 12


def test_the_orders_and_the_published_curve():
    first, last, ends = (frame(State(0, order)) for order in ORDERS)
    ranks = [[page["rank"] for page in inside(drawn)] for drawn in (first, last, ends)]
    assert ranks == [list(range(1, 11)), list(range(10, 0, -1)), [1, 3, 5, 7, 9, 10, 8, 6, 4, 2]]
    assert [round(page["theirs"], 1) for page in inside(first)][::9] == [76.8, 62.4]
    assert "theirs" in words_of(picture(first, None, None))
    assert [page["place"] for page in inside(first) if page["tried"]] == [1, 5, 10]  # the others are read off a line
    assert words_of(picture(first, None, None)).count("≈") == 1 + 7 and "≈ 69 of 100" in caption(ends, first)
    assert not any(page["tried"] for page in frame(State(0, budget=750))["pages"])  # eight pages: stretched
    said = caption(last, first)
    assert said.startswith("From best first to best last: the same pages") and "found 5th, place 6 of 10" in said


def test_what_falls_out_is_named_and_dashed():
    before, now = frame(State(1, budget=900)), frame(State(1, budget=550))
    said = caption(now, before)
    assert "left out now: the 5th, the 6th, the 7th and the 8th" in said and "found 6th, left out" in said
    html = picture(now, before, None)
    assert html.count("fp-desk-out") == 6 and html.count("fp-desk-now") == 4
    assert "new in it" in caption(before, now)
    nothing = frame(State(1, budget=150))
    assert not any(page["place"] and page["holds"] for page in nothing["pages"])
    assert "No order can bring back" in caption(nothing, None)


def test_a_state_is_held_to_what_the_dials_offer():
    assert State(4).asked == 1 and State(order="sideways").order == "best first" and State(budget=9).budget == 150
    assert Sure(7).threshold == silent() and Sure(-1).threshold == 0.0
    assert Many(4, "nothing") == Many(3, "by words and meaning")


def test_the_dials_keep_the_prompt_before():
    stage = both_ends()
    stage.controls["budget"].value = 500
    assert stage.before["budget"] == 1200 and stage.frame["budget"] == 500
    stage.controls["order"].value = "both ends"
    assert stage.before["order"] == "best first" and "both ends, budget 500" in stage.label
    stage.controls["asked"].value = 1
    assert stage.before is None and stage.frame["asked"] == 1
    stage.reset()
    assert stage.frame == frame(State())
    stage.close()


@pytest.mark.parametrize("task", answers.TASKS)
def test_every_mistake_is_drawn_or_replaced(task):
    for name, wrong in mistakes(task).items():
        with swap.use(task, wrong):
            stage = both_ends(1, "both ends", 600)
            stage.controls["order"].value = "best last"
            assert not re.search(r"\bnan\b", stage.drawing) and "running on your" in stage.label, name
            stage.close()


@pytest.mark.parametrize("task, wrong", [
    ("context.both_ends", lambda ids: None), ("context.fit", lambda lengths, budget: [99]),
    ("context.tokens", lambda text: "many"), ("context.prompt", lambda question, sources, note: None),
    ("context.label", lambda number, document, page: 1 / 0)])
def test_what_can_not_be_drawn_gives_the_courses_own_and_a_sentence(task, wrong):
    right = frame(State(0, "both ends"))
    with swap.use(task, wrong):
        stage = both_ends(order="both ends")
        assert stage.frame == right and "course's own function instead" in stage.label
        stage.close()


# Twenty weak or three strong


def test_the_lines_are_the_measured_ones():
    figures = measured_answers()["k"]
    for search, name in SEARCHES.items():
        for k in measured_k():
            drawn = many(Many(k, search))
            row = figures[name]["dev"][str(k)]
            shares = {key: row[key] if key in ("evidence", "tokens") else row[key] / 135 for key in drawn["lines"]}
            assert {key: line[drawn["at"]] for key, line in drawn["lines"].items()} == shares
            assert drawn["answered"][drawn["at"]] == row["unanswerable_answered"] and drawn["unanswerable"] == 15
            assert describe_many(drawn) and said_of_many(drawn, None)
            total = sum(line[drawn["at"]] for key, line in drawn["lines"].items()
                        if key in ("right", "wrong", "declined"))
            assert total == pytest.approx(1, abs=2e-3)


def test_the_chart_of_many_moves():
    stage = strong_or_many(3)
    assert png_size(stage.drawing) == (1290, 600) and stage.label.startswith("3 chunks found by words and meaning")
    first = stage.drawing
    stage.controls["k"].value = 20
    assert stage.drawing != first and stage.words.value.count("From 3 chunks to 20")
    stage.controls["search"].value = "by words"
    assert "in place of by words and meaning" in stage.words.value
    stage.reset()
    assert stage.frame["k"] == 3
    stage.close()


# From reckless to silent


def test_the_dots_are_the_dev_questions(larkspur):
    dev = {query.text: query for query in larkspur.queries if query.split == "dev"}
    assert len(asked()) == 150 and {row[2] for row in asked()} == set(dev)
    for _, lane, question, _ in asked():
        assert (lane == "nothing") == (dev[question].kind == "unanswerable")


@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.2, 0.3])
def test_the_counts_at_a_threshold(threshold):
    drawn = silence_at(Sure(threshold))
    spoken = [row for row in asked() if row[0] >= threshold]
    assert drawn["answered"] == len(spoken) and drawn["wrong"] == sum(row[1] != "right" for row in spoken)
    assert [drawn["counts"][lane][0] for lane in LANES] == [sum(row[1] == lane for row in spoken) for lane in LANES]
    assert describe_silence(drawn) and (not spoken or f"({spoken[-1][0]:.3f})" in said_of_silence(drawn, None))
    assert drawn["curve"] == [list(row) for row in answer.risk_coverage([row[0] for row in asked()],
                                                                        [row[1] == "right" for row in asked()])]


def test_both_ends_of_the_dial():
    reckless, nothing = silence_at(Sure(0.0)), silence_at(Sure(silent()))
    assert reckless["answered"] == 150 and reckless["below"] is None and reckless["answers"] == 1.0
    assert nothing["answered"] == 0 and nothing["declines"] == 1.0
    said = said_of_silence(nothing, reckless)
    assert said.startswith(f"From 0.000 to {silent():.3f}: right answers −") and "Just declined" in said
    for threshold in (0.0, 0.1, 0.163, 0.25):  # a long quote is cut, its receipt never
        said = said_of_silence(silence_at(Sure(threshold)), None)
        whole = re.findall(r"” \[[^\]]+, page \d+\]: it (?:is|would be) (?:right|wrong)", said)
        assert len(whole) == said.count("Just ") >= 1


def test_the_chart_of_silence_moves():
    stage = silence()
    assert stage.frame["threshold"] == measured_answers()["threshold"] and png_size(stage.drawing) == (1290, 705)
    first = stage.drawing
    stage.controls["threshold"].value = 0.3
    assert stage.drawing != first and "Threshold 0.300" in stage.label
    stage.reset()
    assert stage.drawing == first
    stage.close()


@pytest.mark.parametrize("task", ["answer.risk_coverage", "answer.declining"])
def test_every_mistake_in_the_curve_is_drawn_or_replaced(task):
    stage = silence(0.2)  # drawn again at each `use`
    for name, wrong in mistakes(task).items():
        with swap.use(task, wrong):
            assert "running on your" in stage.label, name
    stage.close()


@pytest.mark.parametrize("task, wrong", [
    ("answer.risk_coverage", lambda confidence, right: None), ("answer.risk_coverage", lambda confidence, right: []),
    ("answer.risk_coverage", lambda confidence, right: [(1, 2)]), ("answer.declining", lambda answered, able: 1.0),
    ("answer.declining", lambda answered, able: 1 / 0)])
def test_a_curve_that_is_none(task, wrong):
    with swap.use(task, wrong):
        stage = silence()
        assert "course's own function instead" in stage.label
        stage.close()
