"""The chart of cost against size: measured numbers on two axes that grow by factors."""

import itertools
import struct

import pytest

from firstprinciples.explore import growth
from firstprinciples.explore.growth import COUNTED, ENDS, LOOK, State, amount, caption, describe, efs, frame
from firstprinciples.explore.recall_curve import figures

GROWTH = figures()["growth"]


@pytest.mark.parametrize("counted, ef", list(itertools.product(COUNTED, efs())))
def test_every_number_is_measured_and_inside_the_chart(counted, ef):
    f, (low, high) = frame(State(counted, ef)), ENDS[counted]
    assert f["sizes"] == [1_000, 3_000, 10_000, 30_000, 100_000]
    for costs in (f["exact"], *(line["cost"] for line in f["lines"].values())):
        assert len(costs) == 5 and all(low < cost < high for cost in costs)
    for kind in LOOK:
        measured = [next(point for point in GROWTH[kind][str(n)]["curve"] if point[0] == ef) for n in f["sizes"]]
        assert f["lines"][kind]["recall"] == [point[1] for point in measured]


def test_exact_search_needs_every_distance_and_hnsw_few():
    f = frame(State())
    assert f["exact"] == f["sizes"]
    clustered, uniform = (f["lines"][kind] for kind in ("clustered", "uniform"))
    assert clustered["cost"][-1] < f["sizes"][-1] / 20
    assert clustered["recall"][-1] > uniform["recall"][-1]  # what the lesson says of points without clusters
    assert "where points have no clusters it falls" in caption(f, None)


def test_the_words():
    f = frame(State())
    line = f["lines"]["clustered"]
    assert describe(f).startswith("Distances computed in one search, at 1,000 and at 100,000 vectors of 64 numbers. "
                                  "Exact: 1,000 and 100,000. HNSW with ef = 64, clustered points: ")
    assert f"{line['cost'][-1]:,.0f} (recall@10 {line['recall'][-1]:.3f})" in describe(f)
    said = caption(frame(State(ef=16)), f)
    assert said.startswith("ef goes from 64 to 16: in 100,000 clustered vectors a search costs ")
    assert "Measured on 2026" in caption(frame(State("milliseconds")), None)
    assert [amount(0.456, "milliseconds"), amount(12345.6, "distances")] == ["0.46 ms", "12,346"]


def test_state_takes_what_was_measured():
    assert State("pounds", 100) == State("distances", 128) and State(ef=0).ef == 10


def test_the_picture_follows_and_another_count_is_no_comparison():
    stage = growth()
    first = stage.screen.value
    assert first[:4] == b"\x89PNG" and struct.unpack(">II", first[16:24]) == (1290, 600)
    stage.controls["ef"].value = 16
    assert "ef goes from 64 to 16" in stage.words.value
    stage.controls["counted"].value = "milliseconds"
    assert "Milliseconds of one search" in stage.label and "goes from" not in stage.words.value
    stage.reset()
    assert stage.screen.value == first
