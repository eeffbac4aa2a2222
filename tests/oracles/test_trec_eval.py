"""The metrics against trec_eval, the program of the TREC evaluations, as packaged in pytrec_eval-terrier.

trec_eval orders by score and breaks ties by id, descending; so it is given scores that fall strictly.
"""

import random

import pytest

from firstprinciples.corpus import Collection
from firstprinciples.evaluate.experiment import evaluate
from firstprinciples.evaluate.metrics import (
    average_precision,
    ndcg_at_k,
    order_ties,
    precision_at_k,
    recall_at_k,
    reciprocal_rank,
)
from firstprinciples.retrieve.bm25 import BM25

pytrec_eval = pytest.importorskip(
    "pytrec_eval", reason="needs pytrec_eval-terrier: python3 -m firstprinciples test --peers")
pytestmark = pytest.mark.peers

KS = (1, 3, 5, 10, 20, 100)
MEASURES = {f"recall.{','.join(map(str, KS))}", f"P.{','.join(map(str, KS))}", f"ndcg_cut.{','.join(map(str, KS))}",
            "recip_rank", "map", f"map_cut.{','.join(map(str, KS))}"}


def falling(ranked):
    """Return {id: score} with scores that fall strictly."""
    return {id: float(len(ranked) - place) for place, id in enumerate(ranked)}


def judged(qrels, run):
    """Return trec_eval's measures for each query of a run."""
    return pytrec_eval.RelevanceEvaluator(qrels, MEASURES).evaluate({q: falling(ids) for q, ids in run.items()})


def random_run(draw):
    """Return (qrels, run): 30 queries, grades 0 to 4, lists of 1 to 150 ids, some of them not judged."""
    qrels, run = {}, {}
    for number in range(30):
        ids = [f"d{i}" for i in draw.sample(range(200), draw.randint(1, 60))]
        qrels[f"q{number}"] = {id: draw.choice([0, 0, 1, 1, 2, 3, 4]) for id in ids}
        run[f"q{number}"] = [f"d{i}" for i in draw.sample(range(250), draw.randint(1, 150))]
    return qrels, run


@pytest.mark.parametrize("seed", range(20))
def test_random_runs(seed):
    qrels, run = random_run(random.Random(seed))
    for query, expected in judged(qrels, run).items():
        ranked, grades = run[query], qrels[query]
        for k in KS:
            assert recall_at_k(ranked, grades, k) == pytest.approx(expected[f"recall_{k}"], abs=1e-9)
            assert precision_at_k(ranked, grades, k) == pytest.approx(expected[f"P_{k}"], abs=1e-9)
            assert ndcg_at_k(ranked, grades, k) == pytest.approx(expected[f"ndcg_cut_{k}"], abs=1e-9)
            assert average_precision(ranked, grades, k) == pytest.approx(expected[f"map_cut_{k}"], abs=1e-9)
        assert average_precision(ranked, grades) == pytest.approx(expected["map"], abs=1e-9)
        assert reciprocal_rank(ranked, grades, len(ranked)) == pytest.approx(expected["recip_rank"], abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_ties_are_broken_by_id_from_the_last_to_the_first(seed):
    # trec_eval's rule, not ours: with few different scores it gives the metrics of the list so ordered
    draw = random.Random(seed)
    scores = {f"d{i}": draw.choice([0.5, 1.0, 1.5]) for i in draw.sample(range(200), 60)}
    grades = {id: draw.choice([0, 1, 2]) for id in scores}
    expected = pytrec_eval.RelevanceEvaluator({"q": grades}, MEASURES).evaluate({"q": scores})["q"]
    ranked, ours = order_ties(scores, "id descending"), order_ties(scores, "id ascending")
    assert ndcg_at_k(ranked, grades, 10) == pytest.approx(expected["ndcg_cut_10"], abs=1e-9)
    assert average_precision(ranked, grades) == pytest.approx(expected["map"], abs=1e-9)
    assert average_precision(ours, grades) != pytest.approx(expected["map"], abs=1e-9)


def test_a_query_for_which_nothing_is_relevant():
    expected = judged({"q": {"a": 0, "b": 0}}, {"q": ["a", "b"]})["q"]
    assert [expected[name] for name in ("recall_10", "P_10", "ndcg_cut_10", "recip_rank", "map")] == [0] * 5
    for metric in (recall_at_k, ndcg_at_k, average_precision):
        assert metric(["a", "b"], {"a": 0}, 10) == 0


@pytest.mark.collections
@pytest.mark.parametrize("name", ["cranfield", "scifact"])
def test_a_whole_collection(collections_folder, name):
    collection = Collection.load(collections_folder / name)
    index = BM25(collection.chunks)
    result = evaluate(index, collection)
    run = {query.id: [hit.id for hit in index.search(query.text, k=100)] for query in collection.queries}
    expected = judged({q: collection.qrels[q] for q in run}, run)
    names = {"nDCG@10": "ndcg_cut_10", "Recall@10": "recall_10", "Recall@100": "recall_100", "Precision@10": "P_10"}
    for query, ours in result["each"].items():
        for own, theirs in names.items():
            assert ours[own] == pytest.approx(expected[query][theirs], abs=1e-9), (query, own)
        first = expected[query]["recip_rank"]
        assert ours["MRR@10"] == pytest.approx(first if first >= 0.1 else 0.0, abs=1e-9)  # ours looks at ten places
    assert result["queries"] == len(expected) == {"cranfield": 225, "scifact": 300}[name]
