"""The lab of lesson 07: one of five places is broken, the reader names it, and the score is kept in the kernel."""

import re
from collections import Counter

import pytest
from picture_text import words_of

from firstprinciples import swap
from firstprinciples.explore import break_it
from firstprinciples.explore import break_it as named_like_its_file
from firstprinciples.explore.break_it import (
    PLACES,
    RECORD,
    TASKS,
    VIEWS,
    State,
    broken,
    caption,
    describe,
    frame,
    picture,
    place_of,
)
from firstprinciples.explore.failure_evidence import Walk, gathered
from firstprinciples.explore.failure_tree import looks
from firstprinciples.grading.mistakes import mistakes

FAULTS = range(10)


@pytest.fixture(autouse=True)
def no_record():
    """Begin with nothing named, and leave nothing behind."""
    RECORD.clear()
    yield
    RECORD.clear()


def button(stage, name: str):
    """Return a button of an explorer by what stands on it."""
    rows = [stage.row, *stage.view.children]
    return next(child for row in rows for child in getattr(row, "children", ())
                if getattr(child, "description", "") == name)


def test_each_place_is_broken_in_its_turn_and_always_the_same():
    places = [place_of(n) for n in range(40)]
    assert set(Counter(places)) == set(PLACES) and places == [place_of(n) for n in range(40)]
    assert len({broken(n).query.id for n in FAULTS}) > 3


@pytest.mark.parametrize("number", FAULTS)
def test_a_fault_can_be_named_from_its_evidence_and_is_not_given_away(number):
    fault = broken(number)
    assert fault.query.split == "dev" and fault.broken.endswith(".")
    for view in VIEWS:
        drawn = frame(State(number, view, 1))
        html, label = picture(drawn, None, None), describe(drawn)
        assert drawn["shown"]["verdict"] != "right" and f"Looking at the {view}: " in label
        for words in (label, words_of(html)):
            assert fault.broken not in words and "stands whole in" not in words
        assert "border-bottom:2px" not in html and not re.search(r"\bnan\b", html)
        assert min(map(int, re.findall(r"font-size:(\d+)px", html))) >= 12
    said = frame(State(number, named=place_of(number)))
    assert said["place"] == place_of(number) and said["facts"]
    assert caption(said).startswith(f"Yes, {place_of(number)}. {fault.broken}") and fault.broken in describe(said)
    other = next(place for place in PLACES if place != place_of(number))
    assert caption(frame(State(number, named=other))).startswith(f"You said {other}; it was {place_of(number)}.")


@pytest.mark.parametrize("number", range(24))
def test_the_evidence_of_a_fault_shows_what_is_so_and_the_tree_names_its_place(number):
    fault = broken(number)
    one = Walk(fault.query, fault.trip, fault.documents, fault.chunks)
    shown, looked = gathered(one), looks(one)
    assert looked["place"] == place_of(number)
    for piece, holders, reached in zip(shown["pieces"], looked["holders"], looked["reached"], strict=True):
        assert (piece["quote"] in " ".join(piece["excerpt"].split())) == reached[0]
        assert any(piece["quote"] in " ".join(chunk["text"].split()) for chunk in piece["chunks"]) == reached[1]
        assert any(row["id"] in holders for row in piece["rows"]) == reached[2]
        assert any(piece["quote"] in " ".join(row["text"].split()) and row["document"] == piece["document"]
                   for row in shown["desk"]) == reached[3]


def test_the_score_and_the_confusions_are_kept_over_a_new_run():
    stage = break_it()
    assert "Score: nothing named yet" in stage.label and sum(map(sum, stage.frame["table"])) == 0
    right = place_of(0)
    button(stage, right).click()
    assert "Score: 1 of 1 named rightly" in stage.label and f"Yes, {right}." in stage.label
    button(stage, PLACES[0]).click()  # named once, a place stays
    assert [each[2] for each in RECORD] == [right]
    button(stage, "Break another").click()
    wrong = next(place for place in PLACES if place != place_of(1))
    button(stage, wrong).click()
    assert RECORD == [(0, right, right), (1, place_of(1), wrong)] and "1 of 2 named rightly" in words_of(stage.drawing)
    table = stage.frame["table"]
    assert table[PLACES.index(place_of(1))][PLACES.index(wrong)] == 1 and sum(map(sum, table)) == 2
    stage.close()
    again = break_it()
    assert again.label.startswith("Fault 3. ") and "Score: 1 of 2 named rightly" in again.label
    again.close()
    assert named_like_its_file is break_it


def test_reset_counts_nothing_twice():
    stage = break_it()
    button(stage, "chunking").click()
    button(stage, "Reset").click()
    assert stage.frame["named"] == "" and len(RECORD) == 1
    button(stage, "ranking").click()
    assert len(RECORD) == 1 and stage.frame["named"] == "ranking"
    stage.close()


def test_the_desk_has_buttons_to_read_and_the_other_views_have_none():
    stage = break_it()
    shown = [button(stage, f"Read {n}").layout.display for n in (1, 2)]
    assert shown == ["none", "none"]
    stage.controls["view"].value = "desk"
    assert button(stage, "Read 1").layout.display == ""
    button(stage, "Read 1").click()
    first = " ".join(stage.frame["shown"]["desk"][0]["text"].split())
    assert stage.frame["opened"] == 1 and first in stage.label
    stage.close()
    assert State(-1, "roof", 99, "luck") == State(0, "documents", 10, "")


@pytest.mark.parametrize("task", TASKS)
def test_every_mistake_is_drawn_or_replaced(task):
    RECORD[:] = [(0, "ranking", "retrieval"), (1, "chunking", "chunking")]
    for name, wrong in mistakes(task).items():
        with swap.use(task, wrong):
            stage = break_it()
            button(stage, "ranking").click()
            assert "running on your" in words_of(stage.words.value) and not re.search(r"\bnan\b", stage.drawing), name
            stage.close()
        RECORD[2:] = []


def test_a_table_that_is_none():
    with swap.use("failure.confusions", lambda true, named: {}):
        stage = break_it()
        assert "course's own function instead" in stage.label
        stage.close()
