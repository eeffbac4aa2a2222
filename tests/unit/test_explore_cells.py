"""The cells of lesson 11: what is compared, what is found and missed, and that a dial keeps the question."""

import itertools

import numpy as np
import pytest

from firstprinciples import swap
from firstprinciples.explore import cells
from firstprinciples.explore.cells import (
    CELLS,
    HIGH,
    LOW,
    NAME,
    PLACES,
    POINTS,
    SETTINGS,
    START,
    VECTORS,
    K,
    State,
    border,
    caption,
    describe,
    frame,
    lifted,
    nearest,
    picture,
)
from firstprinciples.explore.neighbors_picture import STAR
from firstprinciples.index import ivf


@pytest.mark.parametrize("question, nprobe", list(itertools.product([LOW, (0, 0), (1, 1), HIGH], [1, 2, 5, CELLS])))
def test_what_is_counted_is_what_was_compared(question, nprobe):
    f = frame(State(question, nprobe))
    assert len(f["cells"]) == nprobe == len(set(f["cells"]))
    assert f["compared"] == [p for p in range(POINTS) if f["labels"][p] in f["cells"]]
    assert f["distances"] == CELLS + len(f["compared"])
    assert sorted(f["hit"] + f["missed"]) == sorted(f["right"]) and len(f["right"]) == K
    assert all(place in f["compared"] for place in f["hit"])
    html = picture(f, frame(State(question, 3)))
    assert "nan" not in html and "inf" not in html


def test_all_cells_miss_nothing_and_one_cell_misses_at_a_border():
    assert frame(State((1, 1), CELLS))["missed"] == [] and frame(State((1, 1), CELLS))["recall"] == 1.0
    recalls = [frame(State((1, 1), nprobe))["recall"] for nprobe in range(1, CELLS + 1)]
    assert recalls == sorted(recalls) and recalls[0] < 0.9


def test_the_numbers_of_the_lesson():
    seen = [frame(State(nprobe=nprobe)) for nprobe in (1, 2, 3, 4)]
    assert [(f["distances"], len(f["hit"])) for f in seen] == [(44, 6), (61, 7), (84, 9), (102, 10)]
    assert [round(f["recall"], 2) for f in seen] == [0.76, 0.96, 0.99, 1.0]


def test_the_plane_is_seen_from_far_away():
    """The order by angle is the order by distance in the plane, nearly: that is what the picture shows."""
    assert np.allclose(np.linalg.norm(VECTORS, axis=1), 1, atol=1e-6) and VECTORS.dtype == np.float32
    points = np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 1.0], [-4.0, 2.0]])
    order = np.argsort(-(lifted(points) @ lifted((0.4, 0.1))[0]))
    assert order.tolist() == np.argsort(np.linalg.norm(points - (0.4, 0.1), axis=1)).tolist()
    assert nearest(VECTORS[17])[0] == 17


def test_borders_are_where_the_nearest_middle_changes():
    f = frame(State())
    middles = np.array(f["centroids"])
    areas = 0.0
    for cell in range(CELLS):
        corners = np.array(border(cell, f["centroids"]))
        inside = corners.mean(axis=0)
        assert int(np.argmax(middles @ lifted(inside)[0])) == cell
        x, y = corners.T
        areas += abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / 2
    assert areas == pytest.approx((HIGH[0] - LOW[0]) * (HIGH[1] - LOW[1]))  # they cover the plane, once


def test_the_words():
    f = frame(State(nprobe=2))
    assert describe(f) == ("The question is at (1, 1). nprobe = 2: the search looks into 2 cells of 12 and computes 61 "
                           "distances, 12 to the middles and 49 to points; exact search needs 240. It finds 7 of the "
                           "10 nearest. Over 200 other questions: recall@10 0.96 with 57 distances.")
    assert caption(f, frame(State())) == ("nprobe goes from 1 to 2, for the same question: 7 instead of 6 of the 10 "
                                          "nearest, 61 distances instead of 44.")
    assert "4 of the 10 nearest are missing: they lie in 3 cells that stayed closed" in caption(frame(State()), None)
    assert "All 10 nearest lie in the cells that were opened" in caption(frame(State(nprobe=4)), None)


def test_a_dial_keeps_the_question_and_a_dragged_question_forgets_the_dial():
    stage = cells()
    stage.controls["nprobe"].value = 3
    assert "was 44" in stage.drawing and "pale: before" in stage.drawing and stage.frame["question"] == [1.0, 1.0]
    plane = stage.controls["question"]
    assert len(plane.ground) == 1 and plane.ground[0] in stage.drawing
    plane.value = ((-2.0, 0.5),)
    assert "was " not in stage.drawing and stage.frame["nprobe"] == 3 and stage.frame["question"] == [-2.0, 0.5]
    assert "The question is at (\u22122, 0.5)" in stage.label
    stage.reset()
    assert stage.frame["nprobe"] == 1 and stage.frame["question"] == [1.0, 1.0]


def test_state_is_clamped():
    assert State((99, -99), 99) == State((HIGH[0], LOW[1]), CELLS) and State((0, 0), 0).nprobe == 1


def test_a_wrong_function_is_drawn_and_named_and_one_that_raises_stands_aside():
    stage = cells()
    swap.use("ivf.nearest_cells", lambda query, centroids, nprobe: list(range(nprobe)))
    assert "running on your nearest_cells: yours" in stage.label and "dashed: the cells" in stage.drawing
    swap.use("ivf.nearest_cells", lambda query, centroids, nprobe: [CELLS + 5])
    assert "Drawn with the course's own function instead" in stage.label
    swap.use("ivf.nearest_cells")
    swap.use("ivf.kmeans", lambda vectors, centroids, rounds: (centroids[:2], []))
    assert "Your kmeans should give 12 centroids" in stage.label and "7 of" not in stage.label
    swap.use("ivf.kmeans", ivf.kmeans)


@pytest.mark.parametrize("name, wrong, said", [
    ("nearest_cells", lambda query, centroids, nprobe: [CELLS + 5], "Your nearest_cells should give a list of cells"),
    ("nearest_cells", lambda query, centroids, nprobe: None, "Your nearest_cells should give a list of cells"),
    ("search_cells", lambda *_: None, "Your search_cells should give a list of (position, similarity)"),
    ("search_cells", lambda *_: [240], "Your search_cells should give a list of (position, similarity)"),
    ("kmeans", lambda vectors, centroids, rounds: centroids, "Your kmeans should give 12 centroids")])
def test_what_cannot_be_drawn_is_said_of_the_function_that_gave_it(name, wrong, said):
    stage = cells()
    swap.use(f"ivf.{name}", wrong)
    assert said in stage.label and "Drawn with the course's own function instead" in stage.label
    swap.use(f"ivf.{name}")
    stage.close()


def test_the_question_is_a_star_so_that_a_point_below_it_is_seen():
    assert STAR == dict(SETTINGS)["mark"] and STAR in picture(frame(State()))
    missed = [np.subtract(PLACES[place], START) * (56, -56) for place in frame(State())["missed"]]  # from the star
    assert min(np.hypot(*(spot - NAME)) for spot in missed) > 16  # a ring is 8 wide, the letter as well
    beyond = dict(SETTINGS)["beyond"] / np.hypot(*START)
    assert np.hypot(beyond * START[0] - NAME[0], 5 - beyond * START[1] - NAME[1]) < 1  # the widget puts it there, too
