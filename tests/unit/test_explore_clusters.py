"""Two graphs of the same points: who is cut off with simple neighbors, and with the heuristic's."""

import pytest

from firstprinciples import swap
from firstprinciples.explore import clusters
from firstprinciples.explore.clusters import (
    CASES,
    CHOICES,
    COPIES,
    FAR,
    HEIGHT,
    WAYS,
    WIDTH,
    State,
    caption,
    describe,
    frame,
    picture,
    places,
    spots,
)


@pytest.fixture(scope="module")
def frames():
    """Return {case: frame} at M = 4."""
    return {case: frame(State(case)) for case in CASES}


@pytest.mark.parametrize("case", CASES)
def test_a_line_leads_to_who_is_reached_and_none_to_who_is_not(frames, case):
    """Walk the lines that are drawn: what they reach from the square is what is drawn blue."""
    for one in frames[case]["ways"].values():
        known = {}
        for a, b, both in one["lines"]:
            known.setdefault(a, set()).add(b)
            if both:
                known.setdefault(b, set()).add(a)
        reached, border = {one["entry"]}, [one["entry"]]
        while border:
            new = known.get(border.pop(), set()) - reached
            reached |= new
            border += new
        assert set(range(frames[case]["n"])) - reached == set(one["unreachable"])


def test_the_numbers_of_the_lesson(frames):
    told = {case: [(round(one["recall"], 2), len(one["unreachable"])) for one in f["ways"].values()]
            for case, f in frames.items()}
    assert told == {"Five clusters": [(0.56, 72), (1.0, 0)], "Copies of one point": [(0.82, 71), (0.85, 67)],
                    "One far away": [(0.99, 1), (1.0, 1)]}
    assert all(one["unreachable"] == [FAR] for one in frames["One far away"]["ways"].values())


def test_the_words(frames):
    five = frames["Five clusters"]
    assert describe(five) == ("Five clusters, M = 4. simple: recall@5 0.56, 72 of 120 points can't be reached on layer "
                              "0; heuristic: recall@5 1.00, 0 of 120 points can't be reached on layer 0.")
    assert "Simple neighbors join a cluster to itself: 72 points are cut off." in caption(five, None)
    said = caption(frame(State("Five clusters", 8)), five)
    assert said.startswith("M goes from 4 to 8, for the same points: with simple neighbors recall goes from 0.56 to ")
    assert f"{COPIES} copies lie on one place" in caption(frames["Copies of one point"], None)
    assert "it is cut off with simple neighbors, it is cut off with" in caption(frames["One far away"], None)


@pytest.mark.parametrize("case", CASES)
def test_every_point_has_a_place_of_its_own_within_the_frame(frames, case):
    at = spots(case)
    assert len(set(at)) == len(places(case)) == frames[case]["n"]
    assert all(5 <= x <= WIDTH - 5 and 5 <= y <= HEIGHT - 5 for x, y in at)
    html = picture(frames[case])
    assert "nan" not in html and all(words in html for words in WAYS.values())


def test_the_dial_keeps_the_points_and_another_case_forgets_it():
    stage = clusters()
    stage.controls["M"].value = 8
    assert "was 72" in stage.drawing and "pale: before" in stage.drawing
    stage.controls["case"].value = "One far away"
    assert "was" not in stage.drawing and stage.frame["M"] == 8
    stage.reset()
    assert stage.frame["M"] == 4 and stage.frame["case"] == "Five clusters"


def test_state_takes_the_nearest_choice():
    assert [State(M=M).M for M in (-1, 5, 7, 99)] == [2, 4, 6, 8] and set(CHOICES) == {2, 3, 4, 6, 8}
    assert State("no such case").case == "Five clusters"


def test_a_learners_choice_of_neighbors_drives_the_right_graph():
    stage = clusters("One far away", M=2)
    swap.use("hnsw.select_neighbors", lambda candidates, M, vectors: [place for _, place in sorted(candidates)[:M]])
    assert "running on your select_neighbors: yours" in stage.label and "expected" in stage.drawing
    simple, heuristic = stage.frame["ways"].values()
    assert simple == heuristic  # the learner's chooses the nearest, and so both graphs are one
    swap.use("hnsw.select_neighbors", lambda candidates, M, vectors: 1 / 0)
    assert "ZeroDivisionError" in stage.label and "course's own function instead" in stage.label
