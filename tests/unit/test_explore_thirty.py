"""Thirty questions of the reader's own: one at a time, into a file that lesson 02 reads too, and back out of it."""

import importlib
import json

import pytest

from firstprinciples.corpus import Chunk, Collection, Document, Query, find_evidence, paragraphs
from firstprinciples.explore import thirty_questions
from firstprinciples.explore.own_questions import asked_by_reader, file_of, read, save
from firstprinciples.explore.thirty import State, add, caption, describe, frame, picture, take_out

TEXTS = {"tents": "Red tents are washed by hand.\n\nGreen tents are not washed.", "ropes": "Ropes are <b>dry</b>."}
RED = ("How do I wash red tents?", "tents", "Red tents are washed by hand.")
DRY = ("Are ropes wet?", "ropes", "Ropes are <b>dry</b>.")


@pytest.fixture
def shop():
    documents = [Document(id, id.title(), text) for id, text in TEXTS.items()]
    chunks = [chunk for document in documents for chunk in paragraphs(document)]
    queries = [Query("q1", "who washes red tents?", "direct", "dev",
                     evidence=({"document": "tents", "quote": "Red tents are washed by hand.", "grade": 3},))]
    return Collection("shop", documents, chunks, queries, {}, {q.id: find_evidence(q, chunks) for q in queries})


def typed(stage, row):
    stage.fill(dict(zip(("question", "document", "quote"), row, strict=True)))


def press(stage, word):
    def found(widget):
        yield widget
        for child in getattr(widget, "children", ()):
            yield from found(child)
    next(each for each in found(stage.view) if getattr(each, "description", "") == word).click()


def message(stage):
    return stage.view.children[4].children[2].value


def test_questions_come_into_the_file_one_by_one_and_the_last_comes_out_again(shop, tmp_path):
    path = tmp_path / "work" / "mine.jsonl"
    stage = thirty_questions(shop, path)
    assert stage.label.startswith("0 of 30 questions of your own. Typed: empty.") and not path.exists()
    typed(stage, RED)
    assert "✓ that quote stands in this document" in stage.drawing
    press(stage, "Add")
    assert "Added. 1 in work/mine.jsonl." in message(stage) and stage.values["question"] == ""
    typed(stage, DRY)
    press(stage, "Add")
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line["id"] for line in lines] == ["mine-001", "mine-002"] and lines[1]["evidence"][0]["quote"] == DRY[2]
    assert "&lt;b&gt;" not in stage.drawing and "Are ropes wet?" in stage.drawing
    typed(stage, DRY)
    assert "that one is in the file" in stage.drawing
    press(stage, "Add")
    assert "Not added: that one is in the file." in message(stage) and len(stage.frame["rows"]) == 2
    typed(stage, ("q", "Ropes", "dry as dust"))
    press(stage, "Add")
    assert "Not added: not found: copy it from the page." in message(stage)
    press(stage, "Take out the last")
    assert (stage.values["question"], stage.values["document"]) == (DRY[0], "Ropes") and len(stage.frame["rows"]) == 1
    again = thirty_questions(shop, path)
    assert [row["text"] for row in again.frame["rows"]] == [RED[0]]
    stage.close(), again.close()


def test_a_line_keeps_what_somebody_wrote_into_it_by_hand(shop, tmp_path):
    path = tmp_path / "mine.jsonl"
    whole = {"id": "mine-007", "text": "Which?", "kind": "pairs", "answers": ["hand"], "evidence": [
        {"document": "tents", "quote": "Red tents", "grade": 2}, {"document": "tents", "quote": "Green", "grade": 2}]}
    path.write_text("\n" + json.dumps(whole), encoding="utf-8")
    rows, said = add(RED, (("Which?", "tents", "Red tents"),), shop, path)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert lines[0] == whole and lines[1]["id"] == "mine-008" and len(rows) == 2 and said.startswith("Added")
    assert take_out(rows, path)[0] == rows[:1] and json.loads(path.read_text(encoding="utf-8")) == whole


def test_a_file_that_holds_something_else_is_left_alone(shop, tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text("no json\n", encoding="utf-8")
    stage = thirty_questions(shop, path)
    assert "line 1: this is not JSON" in message(stage) and "nothing is added" in message(stage)
    typed(stage, RED)
    press(stage, "Add")
    press(stage, "Take out the last")
    assert path.read_text(encoding="utf-8") == "no json\n"


def test_what_cannot_be_written_is_said(shop, tmp_path):
    (tmp_path / "there").write_text("a file", encoding="utf-8")
    rows, said = add(RED, (), shop, tmp_path / "there" / "mine.jsonl")
    assert rows == () and "could not be written" in said


def test_what_the_set_lacks_is_said(shop):
    rows = tuple((f"red tents {n}?", "tents", "Red tents are washed by hand.") for n in range(4))
    f = frame(State(RED, (*rows, ("Gone?", "ropes", "not there"))), shop, usual=0.25)
    assert f["documents"] == 2 and f["most"] == 4
    assert caption(f) == ("5 of 30, about 2 of 2 documents. More than half are about one document: a search that knows "
                          "that one would look good. 53 % of a question's content words stand in its quote, on "
                          "average; in the questions of the course it is 25 %. 1 marked ✗ can't be scored: the quote "
                          "is not in the document.")
    assert describe(f).startswith("5 of 30 questions of your own. Typed: that quote stands in this document. 1: red")
    assert picture(f).count("✗") == 1


def test_the_readers_questions_stand_in_place_of_the_courses(shop, tmp_path):
    path = tmp_path / "mine.jsonl"
    assert asked_by_reader(shop, path).queries == []
    add(RED, (), shop, path)
    mine = asked_by_reader(shop, path)
    assert [query.text for query in mine.queries] == [RED[0]] and mine.evidence == {"mine-001": [(3, ("tents#1",))]}
    assert mine.chunks is shop.chunks and [query.id for query in shop.queries] == ["q1"]


def test_each_folder_has_a_file_of_its_own(shop):
    home = importlib.import_module("firstprinciples.explore.own_questions").FILE
    larkspur = Collection("larkspur", [], [Chunk("a", "b")])
    assert file_of(larkspur) == home and file_of(shop).name == f"{home.stem}_shop.jsonl"


def test_lesson_02_shows_the_first_five_and_saves_without_losing_the_others(shop, tmp_path):
    path, rows = tmp_path / "mine.jsonl", ()
    for n in range(7):
        rows, _ = add((f"red tents {n}?", *RED[1:]), rows, shop, path)
    shown, said = read(shop, path)
    assert len(shown) == 5 and said.endswith("Only the first 5 fit here.")
    said = save((("red or green?", *RED[1:]), *shown[1:]), shop, path)
    assert "5 saved in" in said and " 2 more in it stay as they were." in said
    after = [query.text for query in asked_by_reader(shop, path).queries]
    assert after == ["red or green?", *(f"red tents {n}?" for n in range(1, 7))]
