"""The whole trip of lesson 00 in one picture: what each station has, its sign, and the learner's functions in it."""

import importlib
import re
from html import unescape

import pytest

from firstprinciples.evaluate import failure
from firstprinciples.evaluate.answering import verdict
from firstprinciples.explore import whole_trip
from firstprinciples.explore.whole_trip_picture import STATIONS, picture
from firstprinciples.swap import use

module = importlib.import_module("firstprinciples.explore.whole_trip")
EVERY = range(len(module.QUESTIONS))


def frames():
    return [module.frame(module.State(number, station)) for number in EVERY for station in STATIONS]


def test_one_question_is_answered_and_five_are_lost_each_at_another_station():
    found = [module.frame(module.State(number)) for number in EVERY]
    assert [frame["lost"] for frame in found] == ["", *failure.PLACES] and STATIONS == failure.PLACES
    assert [frame["right"] for frame in found] == [True] + 5 * [False]
    for number, frame in enumerate(found):
        query, trip = module.question(number), module.trip_of(number)
        assert (query.split, query.history, len(query.evidence)) == ("dev", (), 1)
        assert frame["right"] == (verdict(query, trip.answer.quotes) == "right")
        assert frame["there"][-1] == frame["right"]


def test_what_is_shown_is_what_the_trip_has():
    for number in EVERY:
        trip, stations = module.trip_of(number), module.frame(module.State(number))["stations"]
        lists = stations["retrieval"]["lists"]
        assert [each["way"] for each in lists] == ["by words", "by meaning"]
        chunks = [{"id": c.id, "document": c.document, "text": c.text} for c in module.folder().chunks]
        piece = module.question(number).evidence[0]
        holding = failure.holders(piece["quote"], piece["document"], chunks)
        for each, ids in zip(lists, trip.lists.values(), strict=True):
            assert each["rank"] == next((rank for rank, id in enumerate(ids, 1) if id in holding), 0)
        assert [row["number"] for row in stations["ranking"]["rows"]] == [1, 2, 3, 4, 5]
        assert any(row["holds"] for row in stations["ranking"]["rows"]) == any(
            row["id"] in holding for row in trip.context)
        assert len(stations["generation"]["quotes"]) == len(trip.answer.quotes)
        assert stations["retrieval"]["counts"] == f"704 → {len(trip.candidates)}"


def test_the_passages_hold_the_line_or_what_is_left_of_it():
    came, went = (module.frame(module.State(1))["stations"]["ingestion"][side] for side in ("came", "went"))
    assert came["quote"] == "| R-19 | Floor replaced, Tarnside 2 | 180 | $128.00 |" and not came["near"]
    assert went["near"] == "19 2 180 128.00" and not went["quote"]
    shown = module.frame(module.State(1))["stations"]["chunking"]["shown"]  # a chunk without a word of it is left out
    assert [chunk["parts"]["near"] for chunk in shown] == ["19 2 180 128.00"]
    assert module.frame(module.State(1))["stations"]["ingestion"]["gone"] == ["floor", "tarnside", "replaced"]
    parts = [chunk["parts"]["near"] for chunk in module.frame(module.State(2))["stations"]["chunking"]["shown"]]
    assert parts[0] == "Warehousing was the only line to grow." and parts[1].startswith("| Line, in millions")
    assert module.frame(module.State(5))["stations"]["generation"]["line"].startswith("Between $40 and $150")


@pytest.mark.parametrize("text, quote, found", [
    ("a b c d e f", "c d", {"before": "a b ", "quote": "c d", "near": "", "after": " e f"}),
    ("one two three four five", "two three four five six",
     {"before": "one ", "quote": "", "near": "two three four five", "after": ""}),
    ("first line\nsecond 10 20\nthird", "row 10 20",
     {"before": "first line\n", "quote": "", "near": "second 10 20", "after": "\nthird"}),
    ("", "anything", {"before": "", "quote": "", "near": "", "after": ""}),
])
def test_what_stands_around_a_line(text, quote, found):
    assert module._around(text, quote) == found


def test_a_long_text_is_cut_around_the_line():
    text = "\n".join(f"line {n} of many words that go on and on" for n in range(50))
    found = module._around(text, "line 25 of many words", room=120)
    assert found["before"].startswith("… ") and found["after"].endswith(" …")
    assert len(found["before"]) + len(found["after"]) < 200 and found["quote"] == "line 25 of many words"


def test_the_label_says_what_the_picture_shows():
    for frame in frames():
        label, drawn = module.describe(frame), picture(frame, None, None)
        text = unescape(re.sub("<[^>]+>", " ", drawn))
        assert label.startswith(f"Question {frame['number']} of 6: “{frame['question']}”")
        assert f"Open: {frame['station']}." in label and frame["question"] in text
        assert drawn.count("fp-whole-now") == 1 and drawn.count("lost here") == bool(frame["lost"])
        assert drawn.count("gone before") == (5 - 1 - STATIONS.index(frame["lost"]) if frame["lost"] else 0)
        assert module.sentence(frame) and len(module.sentence(frame)) < 240
        for size in re.findall(r"font-size:\s*(\d+)px", drawn):
            assert int(size) >= 12


def test_nothing_that_is_shown_is_read_as_markup(monkeypatch):
    frame = module.frame(module.State(5, "generation"))
    frame["question"] = frame["wanted"] = frame["title"] = "<i>x"
    frame["stations"]["generation"]["quotes"][0]["text"] = "<i>x"
    frame["stations"]["generation"]["line"] = "<i>x"
    assert "<i>" not in picture(frame, None, None)


def test_the_learners_functions_drive_it():
    shown = whole_trip(5)
    try:
        assert shown.frame["lost"] == "ranking"
        with use("failure.first_loss", lambda reached: "generation"):
            assert shown.frame["lost"] == "generation" and "running on your first_loss" in shown.label
            assert "expected: ranking" in shown.drawing
        with use("failure.reached", lambda *given: None):
            assert shown.frame["lost"] == "ranking"  # it can't be drawn: the course's own stands in
        assert "running on" not in shown.label
        shown.controls["station"].value = "ranking"
        assert "Open: ranking." in shown.label
        shown.reset()
        assert (shown.frame["number"], shown.frame["station"]) == (5, "ingestion")
    finally:
        shown.close()


def test_another_question_begins_at_the_first_station():
    shown = whole_trip()
    try:
        shown.controls["station"].value = "generation"
        button = next(each for each in shown.row.children if getattr(each, "description", "") == "Another question")
        for number in (2, 3, 4, 5, 6, 1):
            button.click()
            assert (shown.frame["number"], shown.frame["station"]) == (number, "ingestion")
        data = shown._repr_mimebundle_()
        assert data["text/plain"] == shown.label and "fp-whole" in data["text/html"]
    finally:
        shown.close()
    assert whole_trip(99).frame["number"] == 6
