"""The chart of recall against distances: every number in it is one that was measured."""

import itertools
import struct

import pytest

from firstprinciples.explore import recall_curve
from firstprinciples.explore.measured import measured
from firstprinciples.explore.recall_curve import LOOK, LOWEST, State, caption, describe, figures, frame

GRID = figures()["grid"]
SETTINGS = list(itertools.product(GRID["settings"]["M"], GRID["settings"]["ef_construction"]))


@pytest.mark.parametrize("M, wide", SETTINGS)
def test_every_setting_was_measured_and_more_work_finds_more(M, wide):
    for ef in GRID["settings"]["ef"]:
        f = frame(State(M, wide, ef))
        assert all(f["chosen"][dim][0] == ef for dim in LOOK)
    for dim in LOOK:
        efs, recalls, distances = zip(*f["curves"][dim], strict=True)
        assert list(efs) == GRID["settings"]["ef"] and list(distances) == sorted(distances)
        assert all(LOWEST <= recall <= 1 for recall in recalls) and 20 < min(distances) and max(distances) < GRID["n"]
        assert all(later >= sooner - 0.003 for sooner, later in itertools.pairwise(recalls))


def test_two_dimensions_flatter():
    f = frame(State(ef=10))
    assert f["chosen"]["2"][1] > f["chosen"]["64"][1] > f["chosen"]["384"][1]
    assert f["chosen"]["2"][2] < f["chosen"]["64"][2]


def test_dials_take_the_nearest_that_was_measured():
    assert State(5, 1000, 1) == State(4, 200, 10) and State(15, 60, 100) == State(16, 50, 128)


def test_the_words():
    f, row = frame(State()), measured("neighbors")["grid"]["hnsw"]["384"]
    recall, distances = next((r, d) for ef, r, d in row["16 200"] if ef == 64)
    assert f"384 numbers: recall@10 {recall:.3f} with {distances:.0f} distances" in describe(f)
    assert "A map flatters the method." in caption(f, None) and "on 2026" in caption(f, None)
    low = frame(State(ef=10))
    less, fewer = next((r, d) for ef, r, d in row["16 200"] if ef == 10)
    assert caption(low, f) == (f"ef goes from 64 to 10, for the same questions: at 384 numbers recall goes from "
                               f"{recall:.3f} to {less:.3f}, and a search computes {fewer:.0f} distances instead of "
                               f"{distances:.0f}, of 6,583.")


def test_the_picture_follows_the_dials_and_comes_back():
    stage = recall_curve()
    first = stage.screen.value
    assert first[:4] == b"\x89PNG" and struct.unpack(">II", first[16:24]) == (1290, 600)
    stage.controls["M"].value = 4
    assert stage.screen.value != first and "M = 4" in stage.label and "M goes from 16 to 4" in stage.words.value
    stage.reset()
    assert stage.screen.value == first
