"""Compare the speed of our metrics with pytrec_eval (trec_eval in C) and ranx (compiled by numba), in one run.

    python tests/benchmarks/bench_metrics.py [--queries 93] [--results 1000] [--repeats 7]

All three begin with the same dicts, a run {query: {id: score}} and judgments {query: {id: grade}}, and give six metrics
of every query: nDCG@10, recall@10, recall@100, precision@10, reciprocal rank, average precision. The second table
leaves out the getting ready: ours begins with ranked lists, the others with objects of their own that are made. ranx is
called once before, so that its compiling does not count. They take turns, the best of the repeats counts, on one
thread. It checks that all three agree, prints figures and asserts no time.
"""

import argparse
import os
import platform
import random
import sys
import time
import warnings
from importlib.metadata import version
from pathlib import Path

for library in ("OMP", "OPENBLAS", "MKL", "NUMBA"):  # before NumPy is imported
    os.environ[f"{library}_NUM_THREADS"] = "1"
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
warnings.filterwarnings("ignore")  # ranx's compiler remarks on ranx

import pytrec_eval  # noqa: E402
import ranx  # noqa: E402

from firstprinciples.evaluate import metrics  # noqa: E402

THEIRS = ("ndcg_cut_10", "recall_10", "recall_100", "P_10", "recip_rank", "map")
MEASURES = {"ndcg_cut.10", "recall.10,100", "P.10", "recip_rank", "map"}
RANX = ["ndcg@10", "recall@10", "recall@100", "precision@10", "mrr", "map"]


def made_up(queries, results, seed=0):
    """Return (run, qrels): scores that differ, about 40 judged ids for each query, half of them retrieved."""
    draw, run, qrels = random.Random(seed), {}, {}
    for number in range(queries):
        ids = [f"doc-{i:06}" for i in draw.sample(range(20 * results), results + 20)]
        scores = sorted((draw.random() for _ in range(results)), reverse=True)
        found = dict(zip(ids[:results], scores, strict=True))
        mixed = draw.sample(list(found), results)  # in no order, as an index gives them
        run[f"q{number:04}"] = {id: found[id] for id in mixed}
        judged = [*draw.sample(ids[:results], min(20, results)), *ids[results:]]
        qrels[f"q{number:04}"] = {id: draw.choice([0, 1, 1, 2, 3]) for id in judged} | {ids[0]: 1}
    return run, qrels


def measure(lists, qrels):
    """Return [six metrics] for each query from ranked lists."""
    return [[metrics.ndcg_at_k(ranked, qrels[q], 10), metrics.recall_at_k(ranked, qrels[q], 10),
             metrics.recall_at_k(ranked, qrels[q], 100), metrics.precision_at_k(ranked, qrels[q], 10),
             metrics.reciprocal_rank(ranked, qrels[q], len(ranked)), metrics.average_precision(ranked, qrels[q])]
            for q, ranked in lists.items()]


def rank(run):
    return {query: metrics.rank_by_score(scores) for query, scores in run.items()}


def trec_values(evaluator, run):
    """Return the same from trec_eval."""
    found = evaluator.evaluate(run)
    return [[found[query][name] for name in THEIRS] for query in run]


def ranx_values(judged, scored):
    """Return the same from ranx."""
    found = ranx.evaluate(judged, scored, RANX, return_mean=False)
    return [list(row) for row in zip(*(found[name] for name in RANX), strict=True)]


def seconds(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--queries", type=int, default=93)
    parser.add_argument("--results", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    run, qrels = made_up(options.queries, options.results)
    lists, evaluator = rank(run), pytrec_eval.RelevanceEvaluator(qrels, MEASURES)
    judged, scored = ranx.Qrels(qrels), ranx.Run(run)
    names = ["ours", f"pytrec_eval {version('pytrec_eval-terrier')}", f"ranx {version('ranx')}"]
    whole = dict(zip(names, [
        lambda: measure(rank(run), qrels),
        lambda: trec_values(pytrec_eval.RelevanceEvaluator(qrels, MEASURES), run),
        lambda: ranx_values(ranx.Qrels(qrels), ranx.Run(run))], strict=True))
    ready = dict(zip(names, [
        lambda: measure(lists, qrels),
        lambda: trec_values(evaluator, run),
        lambda: ranx_values(judged, scored)], strict=True))
    values = [function() for function in whole.values()]  # ranx compiles here
    apart = max(abs(a - b) for other in values[1:] for row, theirs in zip(values[0], other, strict=True)
                for a, b in zip(row, theirs, strict=True))
    print(f"Python {platform.python_version()}, NumPy {version('numpy')}, numba {version('numba')}, "
          f"{platform.machine()}, one thread")
    print(f"{options.queries} queries x {options.results:,} results, six metrics, best of {options.repeats}; "
          f"the largest difference of a value is {apart:.0e}")
    for title, sides in [("from dicts", whole), ("made ready", ready)]:
        best = dict.fromkeys(sides, float("inf"))
        for _ in range(options.repeats):
            for name, function in sides.items():
                best[name] = min(best[name], seconds(function))
        print(f"\n{title:20}       ms   ours is faster")
        for name, spent in best.items():
            print(f"{name:20} {1000 * spent:8.1f}   {spent / best['ours']:6.1f} x")


if __name__ == "__main__":
    main()
