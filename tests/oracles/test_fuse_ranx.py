"""Fusion against ranx's `fuse`: reciprocal rank fusion, and a weighted sum of min-max normalized scores.

ranx orders by score alone, in no stated order where scores are equal; so scores are compared, id by id, and orders only
where they are set by the scores. tests/conftest.py lets its functions run as the plain Python they are written in.
"""

import random

import pytest

from firstprinciples.rank.fusion import Hybrid, reciprocal_rank_fusion, weighted_fusion
from firstprinciples.retrieve import Hit

ranx = pytest.importorskip("ranx", reason="needs ranx: python3 -m firstprinciples test --peers")
pytestmark = pytest.mark.peers


def random_runs(seed, count):
    """Return `count` lists of (id, score), scores falling strictly, that hold some of 60 ids each."""
    draw = random.Random(seed)
    runs = []
    for number in range(count):
        ids = draw.sample([f"d{i}" for i in range(60)], draw.randint(2, 40))
        scale = 10.0 ** draw.randint(-2, 2)
        scores = sorted({round(draw.uniform(-1 if number else 0, 1), 6) for _ in ids}, reverse=True)
        runs.append([(id, scale * score) for id, score in zip(ids, scores, strict=False)])
    return runs


def theirs(runs, **settings):
    """Return ranx's {id: score} of the fused list."""
    return dict(ranx.fuse([ranx.Run({"q": dict(run)}) for run in runs], **settings).run["q"])


def agree(ours, other):
    assert dict(ours) == pytest.approx(other, abs=1e-9)
    assert len(ours) == len(dict(ours))
    scores = [other[id] for id, _ in ours]
    assert all(one >= following - 1e-9 for one, following in zip(scores, scores[1:], strict=False))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("k", [1, 60, 100])
def test_reciprocal_rank_fusion(seed, k):
    runs = random_runs(seed, 2 + seed % 4)
    ours = reciprocal_rank_fusion([[id for id, _ in run] for run in runs], k)
    agree(ours, theirs(runs, method="rrf", norm=None, params={"k": k}))


@pytest.mark.parametrize("seed", range(12))
def test_weighted_sum_of_min_max(seed):
    draw = random.Random(200 + seed)
    runs = random_runs(100 + seed, 2 + seed % 3)
    weights = [round(draw.uniform(0, 1), 3) for _ in runs]
    agree(weighted_fusion(runs, weights),
          theirs(runs, method="wsum", norm="min-max", params={"weights": weights}))


def test_lists_that_share_no_id():
    runs = [[("a", 3.0), ("b", 1.0)], [("c", 0.9), ("d", 0.4), ("e", 0.2)]]
    agree(reciprocal_rank_fusion([[id for id, _ in run] for run in runs]),
          theirs(runs, method="rrf", norm=None, params={"k": 60}))
    agree(weighted_fusion(runs, [0.5, 0.5]),
          theirs(runs, method="wsum", norm="min-max", params={"weights": [0.5, 0.5]}))


def test_hybrid():
    class Fixed:
        def __init__(self, run):
            self.run = [Hit(*pair) for pair in run]

        def search(self, query, k=10):
            return self.run[:k]

    runs = random_runs(7, 3)
    agree(Hybrid(list(map(Fixed, runs))).search("q", 100), theirs(runs, method="rrf", norm=None, params={"k": 60}))
    agree(Hybrid(list(map(Fixed, runs)), fusion="minmax", weights=[1, 2, 3]).search("q", 100),
          theirs(runs, method="wsum", norm="min-max", params={"weights": [1, 2, 3]}))


def test_where_the_two_differ():
    # all scores equal: ours says 0.5, "can't be told apart"; the other divides by a tiny number and says 0
    runs = [[("a", 2.0), ("b", 2.0)], [("c", 0.9), ("a", 0.5)]]
    assert weighted_fusion(runs, [1, 1]) == [("c", 1.0), ("a", 0.5), ("b", 0.5)]
    assert theirs(runs, method="wsum", norm="min-max", params={"weights": [1, 1]}) == {"a": 0.0, "b": 0.0, "c": 1.0}
