"""Lesson 07's tree on a folder of the reader's own: a question, the line that answers it, and where it got lost."""

import pytest

from firstprinciples import swap
from firstprinciples.corpus import Collection
from firstprinciples.evaluate import failure
from firstprinciples.explore import own_tree, your_tree
from firstprinciples.explore.own_tree import caption, describe, frame, picture

GUARD, ROUND = "How often does the night guard walk the building?", "Walk the building every two hours"
LONG = "The stove is lit outdoors, and nobody leaves it alone"


@pytest.fixture()
def folder(tmp_path):
    (tmp_path / "ropes.md").write_text("# Ropes\n\nA rope older than ten years is cut up.\n", encoding="utf-8")
    # more than a chunk may hold: cut at a blank line, and no other line is as long
    text = "\n\n".join([f"Stoves burn gas, number {n}. " + "Gas is cold. " * 40 for n in range(4)] + [f"{LONG}."])
    (tmp_path / "stoves.txt").write_text(text, encoding="utf-8")
    return tmp_path


def answers(found):
    return [row["yes"] for row in found["stations"]]


@pytest.mark.parametrize("question, line, place, expected", [
    ("How old is a rope that is cut up?", "A rope older than ten years is cut up.", "", [True] * 5),
    ("Where does the zeppelin land?", "a line that nobody wrote", "ingestion", [False] * 5),
    ("zeppelin?", "A rope older than ten years is cut up.", "retrieval", [True, True, False, False, False]),
    ("How cold is gas?", "number 0. Gas is cold.", "generation", [True] * 4 + [False]),
])
def test_the_place_is_named_for_a_line_of_ones_own(folder, question, line, place, expected):
    found = frame(folder, question, line)
    assert (found["place"], answers(found)) == (place, expected)
    assert describe(found) and caption(found) and ">None<" not in picture(found)


def test_a_line_over_a_blank_line_is_cut(folder):
    found = frame(folder, "What about ropes?", "# Ropes A rope older")  # a heading stays with its paragraph
    assert answers(found)[:2] == [True, True]
    (folder / "b.md").write_text("One end" + " is dry" * 200 + ".\n\nThe other end is wet.\n", encoding="utf-8")
    own_tree._opened.cache_clear()
    found = frame(folder, "Which end is dry?", "is dry. The other end")
    assert found["place"] == "chunking" and answers(found)[:2] == [True, False]


def test_a_smaller_k_pushes_the_line_off_the_desk():
    assert {k: frame("larkspur", GUARD, ROUND, k)["place"] for k in (1, 20)} == {1: "ranking", 20: ""}


def test_what_is_missing_is_said(folder, tmp_path):
    for question, line in (("", "x y"), ("x y", ""), ("?", "!")):
        assert frame(folder, question, line)["problem"].startswith("Type a question, paste the line")
    assert "There is no folder" in frame(tmp_path / "nowhere", "a", "b")["problem"]


def test_the_first_question_and_line_are_of_the_half_dev():
    query = next(q for q in Collection.load("larkspur").queries if q.text == own_tree.QUESTION)
    assert query.split == "dev" and any(own_tree.LINE in piece["quote"] for piece in query.evidence)


def test_a_function_of_theirs_names_the_place_and_the_course_s_own_is_shown_beside_it():
    with swap.use("failure.first_loss", lambda reached: "chunking"):
        stage = your_tree()
        try:
            assert "Lost in chunking." in stage.label and "running on your first_loss" in stage.label
            assert "expected: Lost in retrieval." in stage.drawing
        finally:
            stage.close()
    assert failure.first_loss is swap.reference("failure.first_loss")


def test_the_dial_says_what_it_changed():
    stage = your_tree(question=GUARD, line=ROUND)
    try:
        stage.controls["chunks"].value = 1
        assert stage.frame["place"] == "ranking" and "With 5 chunks it was: Right" in stage.words.value
    finally:
        stage.close()


def test_markup_stays_text(tmp_path):
    (tmp_path / "a.txt").write_text("A <b>rope</b> & more", encoding="utf-8")
    assert "<b>rope" not in picture(frame(tmp_path, "rope", "A <b>rope</b>"))
