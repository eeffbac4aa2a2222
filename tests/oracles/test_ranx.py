"""The metrics against ranx, another library for evaluating search, which has both gains of nDCG.

ranx orders by score alone; so it is given scores that fall strictly. tests/conftest.py lets its functions run as the
plain Python they are written in.
"""

import random

import pytest

from firstprinciples.evaluate.metrics import (
    average_precision,
    mean_reciprocal_rank,
    ndcg_at_k,
    precision_at_k,
    recall_at_k,
    reciprocal_rank,
)

ranx = pytest.importorskip("ranx", reason="needs ranx: python3 -m firstprinciples test --peers")
pytestmark = pytest.mark.peers

KS = (1, 3, 10, 50)
OURS = {
    "recall": recall_at_k,
    "precision": precision_at_k,
    "mrr": reciprocal_rank,
    "map": average_precision,
    "ndcg": ndcg_at_k,
    "ndcg_burges": lambda ranked, grades, k: ndcg_at_k(ranked, grades, k, exponential=True),
}


def falling(ranked):
    """Return {id: score} with scores that fall strictly."""
    return {id: float(len(ranked) - place) for place, id in enumerate(ranked)}


def judged(qrels, run, names, mean=False):
    """Return ranx's {metric: one value for each query}, or {metric: mean}."""
    scored = ranx.Run({query: falling(ranked) for query, ranked in run.items()})
    found = ranx.evaluate(ranx.Qrels(qrels), scored, names, return_mean=mean)
    return found if isinstance(found, dict) else {names[0]: found}


def random_run(draw):
    """Return (qrels, run): 12 queries, grades 0 to 4 and one above 0 at least, lists of 1 to 80 ids."""
    qrels, run = {}, {}
    for number in range(12):
        ids = [f"d{i}" for i in draw.sample(range(120), draw.randint(2, 40))]
        qrels[f"q{number:02}"] = {id: draw.choice([0, 0, 1, 1, 2, 3, 4]) for id in ids[:-1]} | {ids[-1]: 2}
        run[f"q{number:02}"] = [f"d{i}" for i in draw.sample(range(150), draw.randint(1, 80))]
    return qrels, run


@pytest.mark.parametrize("seed", range(10))
def test_random_runs(seed):
    qrels, run = random_run(random.Random(seed))
    names = [f"{name}@{k}" for name in OURS for k in KS]
    found = judged(qrels, run, names)
    for name, metric in OURS.items():
        for k in KS:
            for query, theirs in zip(run, found[f"{name}@{k}"], strict=True):
                ours = metric(run[query], qrels[query], k)
                assert ours == pytest.approx(theirs, abs=1e-9), (name, k, query)


@pytest.mark.parametrize("seed", range(5))
def test_the_mean_over_the_queries(seed):
    qrels, run = random_run(random.Random(100 + seed))
    assert mean_reciprocal_rank(run, qrels, 10) == pytest.approx(judged(qrels, run, ["mrr@10"], mean=True)["mrr@10"])


def test_the_published_gains_under_both():
    qrels, run = {"q": {"a": 3, "b": 2, "c": 3, "e": 1, "f": 2}}, {"q": list("abcdef")}
    found = judged(qrels, run, ["ndcg@6", "ndcg_burges@6", "ndcg@5"])
    assert [values[0] for values in found.values()] == pytest.approx([0.960808, 0.948811, 0.861044], abs=5e-7)
