"""The picture of lesson 20 that steps through a search without an index, beside BM25's ten chunks."""

import re

import pytest
from picture_text import words_of

from firstprinciples import swap
from firstprinciples.explore import grep_loop
from firstprinciples.explore.grep import CASES, ROOM, STYLE, TEN, caption, describe, flat, larkspur, picture, ten, trace
from firstprinciples.generate.context import tokens
from firstprinciples.retrieve.grep_loop import BUDGET, pieces_read, walk


@pytest.fixture(scope="module")
def asked():
    """Return {case: query}."""
    queries = {query.id: query for query in larkspur()[0].queries}
    return {name: queries[id] for name, id in CASES.items()}


def test_the_questions_are_of_the_half_that_may_be_looked_at(asked):
    assert all(query.split == "dev" for query in asked.values())


@pytest.mark.parametrize("case", CASES)
def test_a_frame_is_a_step_of_the_loop(case, asked):
    frames, steps = trace(case, ""), walk(asked[case].text, list(larkspur()[0].documents))
    assert [frame["did"] for frame in frames] == [step["did"] for step in steps]
    assert [frame["why"] for frame in frames] == [step["why"] for step in steps]
    assert [frame["step"] for frame in frames] == [*range(frames[0]["steps"])]
    evidence = [piece for piece in asked[case].evidence if piece["grade"] >= 2]
    last = frames[-1]
    assert last["held"] == sum(pieces_read(steps, evidence)) and last["pieces"] == len(evidence)
    assert last["tokens"] == steps[-1]["tokens"] and last["read"] <= BUDGET
    assert last["searches"] == sum(step["did"] in ("look", "narrow", "drop") for step in steps)
    assert caption(last).startswith(last["why"]) and f"{last['tokens']:,} tokens" in caption(last)


@pytest.mark.parametrize("case", CASES)
def test_bm25_hands_over_its_ten(case, asked):
    shown = trace(case, "")[0]["bm25"]
    hits = larkspur()[3].search(asked[case].text, TEN)
    assert [row["id"] for row in shown["rows"]] == [hit.id for hit in hits]
    chunks = {chunk.id: chunk for chunk in larkspur()[0].chunks}
    assert shown["tokens"] == sum(tokens(chunks[hit.id].text) for hit in hits)
    holders = {id for grade, ids in larkspur()[0].evidence[CASES[case]] if grade >= 2 for id in ids}
    assert {row["id"] for row in shown["rows"] if row["star"]} == holders & {hit.id for hit in hits}


def test_each_of_the_two_finds_what_the_other_does_not():
    found = {case: (trace(case, "")[-1]["held"], trace(case, "")[-1]["bm25"]["held"]) for case in CASES}
    assert found == {"frozen toes": (1, 0), "brochures": (0, 1), "a scanner": (1, 1)}


def test_the_explorer_steps_and_takes_a_question():
    stage = grep_loop()
    assert stage.label.startswith("Step 1 of ") and "“Frozen toes" in stage.label
    stage.controls["step"].value = next(frame["step"] for frame in trace("frozen toes", "") if frame["new"])
    assert "framed: read in this step" in words_of(stage.drawing) and stage.drawing.count("fp-grep-new") == 1
    stage.controls["step"].value = stage.controls["step"].max
    assert stage.frame["did"] == "stop" and "BM25 with one search" in stage.words.value
    stage.controls["case"].value = "brochures"
    assert stage.frame["step"] == 0 and stage.controls["question"].value.startswith("Why the surcharge")
    stage.controls["question"].value = "the <b>stove</b>"
    assert stage.frame["asked"] == "the <b>stove</b>" and "<b>stove" not in stage.drawing
    assert stage.frame["pieces"] == 0 and "needed lines" not in stage.drawing
    stage.controls["question"].value = " "
    assert stage.frame["asked"].startswith("Why the surcharge")
    stage.reset()
    assert stage.frame["case"] == "frozen toes" and stage.frame["step"] == 0
    stage.close()


def test_a_question_of_no_known_word():
    frames = trace("a scanner", "zzz yyy")
    assert frames[-1]["did"] == "stop" and not frames[-1]["opened"]
    assert "nothing read so far" in words_of(picture(frames[-1], None)) and frames[-1]["bm25"]["rows"] == []
    assert "0 searches, 0 lines, 0 tokens" in describe(frames[-1])


def test_text_is_large_enough_and_the_last_passages_are_shown():
    frames = trace("frozen toes", "")
    drawn = picture(frames[-1], None)
    opened = len(frames[-1]["opened"])
    assert drawn.count(", line ") == min(opened, ROOM) and ("read before these" in drawn) == (opened > ROOM)
    assert frames[-1]["held"] == 1 and "read before these, ★ among them" in drawn  # the answer went out at the top
    assert min(int(size) for size in re.findall(r"font-size:\s?(\d+)px", drawn + STYLE)) >= 12
    assert flat(" a \n b ") == "a b"


def test_a_learners_weights_do_not_change_the_ten(asked):
    with swap.use("bm25.idf", lambda n, df: 1.0):
        assert ten(asked["a scanner"].text, [])["rows"][0]["id"] == "outage-report-e4432#2"


def test_a_case_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="There is no case 'nothing'; there are frozen toes, brochures, a scanner."):
        grep_loop("nothing")
