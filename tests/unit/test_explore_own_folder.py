"""The last picture of a lesson: its technique on a folder of the reader's own, beside the search without it."""

import math

import numpy as np
import pytest

from firstprinciples import models, swap
from firstprinciples.corpus import Collection
from firstprinciples.explore import on_your_folder
from firstprinciples.explore.own_folder import caption, describe, frame, passage, picture
from firstprinciples.explore.own_searches import MOST, beside, open_folder
from firstprinciples.text import tokenize

LESSONS = (0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 19, 20)
PAGES = {"tents.md": "---\ntype: guide\n---\n# Tents\n\nAir the tent on Monday. The tent dries in the sun.\n",
         "stoves.txt": "The stove needs gas, and a stove is lit outdoors.",
         "ropes/old.md": "---\ntype: policy\n---\nA rope older than ten years is cut up. Ropes hang inside.",
         "ropes/new.txt": "A new rope is soaked once before the first climb."}


@pytest.fixture()
def folder(tmp_path):
    for name, text in PAGES.items():
        path = tmp_path / "my notes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "my notes"


def shown(found):
    return [[row["document"] for row in rows] for rows in found["lists"]]


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_lesson_searches_a_folder_of_ones_own(folder, lesson):
    more = {13: {"where": {"type": "policy"}}, 16: {"said": "How old may a rope get?"}}.get(lesson, {})
    found = frame(lesson, folder, "when is a rope too old, ten years?", **more)
    assert found["problem"] == "" and (found["documents"], found["chunks"]) == (4, 4)
    assert all(found["names"]) and found["said"]
    assert "ropes/old.md" in [row["document"] for row in found["lists"][1]]
    assert caption(found) and describe(found).startswith(f"Lesson {lesson} on ")
    assert "undefined" not in picture(found) and "None" not in picture(found)


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_lesson_searches_larkspur_with_what_everyone_has(lesson, monkeypatch):
    monkeypatch.setattr(models, "files", lambda *_: None)
    stage = on_your_folder(lesson)
    try:
        assert stage.frame["problem"] == "" and stage.frame["chunks"] == 704
        assert len(stage.frame["lists"][1]) == (1 if lesson == 18 else 5)
        assert stage.result.trouble == ""
    finally:
        stage.close()


def test_places_in_the_other_list_by_hand(folder):
    found = frame(13, folder, "rope tent", where={"type": ["policy", "guide"]})
    left, right = found["lists"]
    assert shown(found) == [["tents.md", "ropes/new.txt", "ropes/old.md"], ["tents.md", "ropes/old.md"]]
    assert [row["other"] for row in left] == [1, 0, 2] and [row["other"] for row in right] == [1, 3]
    drawn = picture(found)
    assert "▲ was 3" in drawn and "not on the right" in drawn and ">new<" not in drawn
    assert found["said"] == "2 of 4 chunks fulfill {'type': ['policy', 'guide']}."


def test_words_are_counted_on_the_left_of_lesson_03(folder):
    found = frame(3, folder, "the stove and the gas")
    assert [(row["document"], row["score"]) for row in found["lists"][0]] == [
        ("stoves.txt", 5.0), ("tents.md", 3.0), ("ropes/new.txt", 1.0)]


def test_the_angle_of_lesson_04_is_that_of_all_words(folder):
    question = "the tent in the sun"
    found = frame(4, folder, question)
    bags = {c.document: tokenize(c.text) for c in open_folder(folder).chunks}
    vocabulary = sorted({word for bag in bags.values() for word in bag} | set(tokenize(question)))
    vector = {name: np.array([float(bag.count(word)) for word in vocabulary]) for name, bag in
              {**bags, "asked": tokenize(question)}.items()}
    for row in found["lists"][1]:
        mine, asked = vector[row["document"]], vector["asked"]
        assert row["score"] == pytest.approx(mine @ asked / math.sqrt((mine @ mine) * (asked @ asked)), abs=1e-9)


@pytest.mark.parametrize("folder_, words", [("/not/there", "There is no folder"), (".gitignore", "is a file")])
def test_what_is_no_folder_is_said_in_the_picture(folder_, words):
    stage = on_your_folder(3, folder_)
    try:
        assert words in stage.label and words in stage.words.value
    finally:
        stage.close()


def test_a_folder_without_text_and_an_empty_question(tmp_path, folder):
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "holds no .md or .txt file with text in it" in frame(3, empty, "rope")["problem"]
    for question in ("", "  ", "?!"):
        assert frame(3, folder, question)["problem"] == "Type a question and press Enter."
    stage = on_your_folder(3, folder)
    try:
        assert stage.frame["question"] == "" and "Type a question" in stage.label
        stage.controls["question"].value = "gas"
        assert stage.frame["lists"][1][0]["document"] == "stoves.txt"
    finally:
        stage.close()


def test_a_question_that_nothing_answers(folder):
    found = frame(3, folder, "zeppelin")
    assert found["lists"] == [[], []] and "nothing found" in describe(found) and "Both lists are the same" in \
        caption(found)


def test_markup_in_a_file_or_a_question_stays_text(tmp_path):
    (tmp_path / "a.txt").write_text("A <script>alert(1)</script> rope & more", encoding="utf-8")
    found = frame(3, tmp_path, "rope <b>")
    assert "<script>" not in picture(found) and "&lt;script&gt;" in picture(found)


def test_lesson_13_says_what_can_be_asked_for(folder):
    assert "documents know type" in frame(13, folder, "rope")["problem"]
    assert "No chunk fulfills {'type': 'poem'}; the documents know type" in frame(
        13, folder, "rope", where={"type": "poem"})["problem"]


def test_lesson_17_needs_pages_that_are_trusted(folder, tmp_path):
    assert 'trusted="folder"' in frame(17, folder, "rope")["problem"]
    trusted = tmp_path / "trusted"
    trusted.mkdir()
    (trusted / "rule.txt").write_text("A rope older than ten years is cut up.", encoding="utf-8")
    found = frame(17, folder, "how old may a rope get", trusted=trusted)
    assert found["problem"] == "" and "rule.txt" in [row["document"] for row in found["lists"][1]]


def test_the_held_out_half_of_the_clocks_is_not_shown():
    kept = open_folder("clocks")
    assert len(kept.chunks) == 80 and {chunk.metadata["split"] for chunk in kept.chunks} == {"dev"}
    found = frame(17, "clocks", "Does a moving clock run slow?")
    assert found["problem"] == "" and found["said"].startswith("Right, what 10 trusted pages")


def test_no_question_that_a_picture_begins_with_is_held_out():
    from firstprinciples.explore import own_folder

    held_out = {q.text for name in ("larkspur", "clocks") for q in Collection.load(name).queries
                if q.split == "held_out"}
    assert not held_out & {*own_folder.FIRST.values(), own_folder.SICK, own_folder.BEFORE, own_folder.CLOCK}


def test_a_large_folder_is_cut_and_says_so(tmp_path):
    text = "\n\n".join(f"Paragraph {n} {'of some length ' * 90}" for n in range(MOST + 7))
    (tmp_path / "large.txt").write_text(text, encoding="utf-8")
    opened = open_folder(tmp_path)
    assert len(opened.chunks) == MOST and opened.said[-1].startswith(f"The first {MOST:,} of ")


def test_a_lesson_without_a_pair_is_refused_in_words(folder):
    with pytest.raises(ValueError, match="Lesson 7 has no pair of searches; there are 0, 1, 2"):
        beside(7, open_folder(folder), "rope")


def test_a_function_of_theirs_is_run_and_one_that_raises_does_no_harm(folder):
    def broken(n, df):
        raise RuntimeError("my own mistake")

    for function, words in ((lambda n, df: 1.0, ""), (broken, "my own mistake")):
        with swap.use("bm25.idf", function):
            stage = on_your_folder(3, folder, "rope of ten years")
            try:
                assert "running on your idf" in stage.label and words in stage.label
                assert stage.frame["lists"][1]
            finally:
                stage.close()


@pytest.mark.parametrize("text, asked, room, expected", [
    ("A rope hangs inside.", {"rope"}, 40, [["A ", False], ["rope", True], [" hangs inside.", False]]),
    ("One two.\n\nThree four five.", {"five"}, 16, [["… Three four ", False], ["five.", True]]),
    ("rope rope, old rope", {"rope", "old"}, 9, [["… ", False], ["rope,", True], [" ", False], ["old", True],
                                                 [" …", False]]),
    ("", {"rope"}, 40, []),
    ("中" * 130, set(), 70, [["中" * 60, False], [" …", False]]),
])
def test_the_part_of_a_chunk_that_is_shown(text, asked, room, expected):
    assert passage(text, frozenset(asked), room) == expected
