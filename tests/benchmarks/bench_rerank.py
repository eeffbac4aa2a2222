"""Measure rerankers on Larkspur: what each depth brings and takes; write notebooks/rerank.json with the date.

    python tests/benchmarks/bench_rerank.py            all figures
    python tests/benchmarks/bench_rerank.py --times    only the times of a search, the rest stays

Lesson 08 quotes the figures. The small cross-encoder needs no files. MaxSim reads a vector for each token of MiniLM,
so it needs the model files; without them its figures stay as they are. The depth of 100 was fixed beforehand. The
curves over the depth are drawn for the half dev, which may be looked at; of the other half they are stored as well, and
nothing is chosen by them. Run it alone on a quiet machine, for the sake of the times.
"""

import datetime
import json
import platform
import sys
import time
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
from figures import rounded  # noqa: E402

from firstprinciples.corpus import Collection  # noqa: E402
from firstprinciples.encode.stored import ModelFilesMissing, minilm  # noqa: E402
from firstprinciples.encode.token_files import cached_minilm_tokens  # noqa: E402
from firstprinciples.evaluate.compare import differences, differences_by_kind  # noqa: E402
from firstprinciples.evaluate.experiment import evaluate, measure, percentile, pieces_shown  # noqa: E402
from firstprinciples.evaluate.metrics import ndcg_at_k, recall_at_k  # noqa: E402
from firstprinciples.progress import Bar  # noqa: E402
from firstprinciples.rank.cross_encoder import cross  # noqa: E402
from firstprinciples.rank.fusion import Hybrid  # noqa: E402
from firstprinciples.rank.rerank import Reranked, rerank, sigmoid, tokens_read  # noqa: E402
from firstprinciples.retrieve.bm25 import BM25  # noqa: E402
from firstprinciples.retrieve.dense import Dense  # noqa: E402
from firstprinciples.retrieve.maxsim import MaxSim  # noqa: E402
from firstprinciples.text import tokenize  # noqa: E402

TARGET = ROOT / "notebooks" / "rerank.json"
DEPTH = 100
DEPTHS = (10, 20, 30, 50, 75, 100, 200)
KEPT = 5
BINS = (0.0, 0.1, 0.5, 0.9, 1.01)  # of the sigmoid
SPLITS = ("dev", "held_out")
SHOWN = ("nDCG@10", "Recall@10", "MRR@10", "Recall@100")
METRICS = ("nDCG@10", "Recall@10")


def searches(larkspur: Collection) -> dict:
    """Return the two first stages by name."""
    words = BM25(larkspur.chunks)
    return {"BM25": words, "hybrid": Hybrid([words, Dense(larkspur.chunks, minilm())])}


def rerankers(larkspur: Collection) -> dict:
    """Return the rerankers by name: the cross-encoder, and MaxSim where the model files are there."""
    found = {"cross-encoder": cross()}
    maxsim = maxsim_of(larkspur)
    return found | ({"MaxSim": maxsim} if maxsim else {})


class Once:
    """A reranker that reads each pair once, however often it is asked: a score does not depend on the others."""

    def __init__(self, reranker):
        self.reranker, self.kept = reranker, {}

    def score(self, question, chunks):
        new = [chunk for chunk in chunks if (question, chunk.id) not in self.kept]
        if new:
            scores = map(float, self.reranker.score(question, new))
            self.kept.update(zip(((question, chunk.id) for chunk in new), scores, strict=True))
        return [self.kept[question, chunk.id] for chunk in chunks]


def maxsim_of(larkspur: Collection):
    """Return MaxSim over MiniLM's token vectors of all chunks, or None where there are no model files."""
    try:
        maxsim = MaxSim(larkspur.chunks, cached_minilm_tokens(progress=Bar("Encoding passages")))
    except ModelFilesMissing as error:
        print(f"MaxSim stays as it is: {error}", file=sys.stderr)
        return None
    maxsim.question = cache(maxsim.question)  # encoded once: the times of all searches are without encoding a question
    return maxsim


def asked(larkspur: Collection, split: str) -> list:
    """Return the questions of a half that have an answer."""
    return [query for query in larkspur.queries if query.split == split and larkspur.evidence.get(query.id)]


def kept(ranked: list[str], evidence) -> dict:
    """Return the metrics of one list, and recall among the five that are kept."""
    shown, grades = pieces_shown(ranked, evidence)
    return measure(ranked, evidence) | {f"Recall@{KEPT}": recall_at_k(shown, grades, KEPT)}


def limits(ranked: list[str], evidence) -> dict:
    """Return what no order of these candidates passes: recall of all of them, and nDCG@10 of the perfect order."""
    shown, grades = pieces_shown(ranked, evidence)
    best = sorted((piece for piece in shown if piece in grades), key=lambda piece: -grades[piece])
    return {"Recall": recall_at_k(shown, grades, max(len(shown), 1)), "nDCG@10": ndcg_at_k(best, grades, 10)}


def mean(rows: list[dict]) -> dict:
    """Return the mean of each metric."""
    return {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}


def curves(larkspur: Collection, first, split: str, readers: dict) -> dict:
    """Return for one first stage its metrics, the limits of each depth, and what each reranker makes of each depth."""
    texts = {chunk.id: chunk for chunk in larkspur.chunks}
    queries = asked(larkspur, split)
    lists = {query.id: [tuple(hit) for hit in first.search(query.text, max(DEPTHS))] for query in queries}
    out = {"queries": len(queries)}
    before = {query.id: kept([id for id, _ in lists[query.id]], larkspur.evidence[query.id]) for query in queries}
    out["first"] = mean(list(before.values()))
    out["limits"] = {str(depth): mean([limits([id for id, _ in lists[query.id][:depth]], larkspur.evidence[query.id])
                                       for query in queries]) for depth in DEPTHS}
    for name, reader in readers.items():
        scores = {query.id: dict(zip((id for id, _ in lists[query.id]), map(float, reader.score(
            query.text, [texts[id] for id, _ in lists[query.id]])), strict=True)) if lists[query.id] else {}
                  for query in queries}
        out[name] = {}
        for depth in DEPTHS:
            after = {query.id: kept([id for id, _ in rerank(lists[query.id], scores[query.id], depth)],
                                    larkspur.evidence[query.id]) for query in queries}
            row = differences({"each": before}, {"each": after}, ("nDCG@10",))["nDCG@10"]
            out[name][str(depth)] = mean(list(after.values())) | {"difference": row}
    return out


def halves(larkspur: Collection, firsts: dict, readers: dict) -> dict:
    """Return both halves at the depth of 100: metrics, and how far each reranker is from its first stage."""
    out = {}
    for split in SPLITS:
        results = {name: evaluate(first, larkspur, split) for name, first in firsts.items()}
        pairs = {}
        for reader, model in readers.items():
            for name, first in firsts.items():
                results[f"{name} + {reader}"] = evaluate(Reranked(first, model, DEPTH), larkspur, split)
                pairs[f"{name} + {reader}"] = name
        out[split] = {
            "queries": results["BM25"]["queries"],
            "rows": {name: {metric: result["metrics"][metric] for metric in SHOWN} for name, result in results.items()},
            "ceilings": {name: {kind: row["Recall@100"] for kind, row in results[name]["by_kind"].items()}
                         for name in firsts},
            "differences": {name: differences(results[before], results[name], METRICS)
                            for name, before in pairs.items()},
            "by_kind": {name: differences_by_kind(results[before], results[name]) for name, before in pairs.items()}}
    return out


def calibration(larkspur: Collection, first, reader) -> list[dict]:
    """Return for bins of the sigmoid how many candidates of dev questions are there, and how many are relevant."""
    chunks, pairs = {chunk.id: chunk for chunk in larkspur.chunks}, []
    for query in asked(larkspur, "dev"):
        ids = [hit.id for hit in first.search(query.text, DEPTH)]
        holders = {id for _, held in larkspur.evidence[query.id] for id in held}
        squeezed = sigmoid(reader.score(query.text, [chunks[id] for id in ids]))
        pairs += zip(squeezed.tolist(), (id in holders for id in ids), strict=True)
    out = []
    for low, high in zip(BINS, BINS[1:], strict=False):
        here = [(value, right) for value, right in pairs if low <= value < high]
        out.append({"low": low, "high": high, "pairs": len(here), "relevant": sum(right for _, right in here),
                    "mean": sum(value for value, _ in here) / len(here) if here else 0.0})
    return out


def read(larkspur: Collection, firsts: dict) -> dict:
    """Return how many candidates and tokens the cross-encoder reads for a question, on average, and what it cuts."""
    lengths, out = {chunk.id: len(tokenize(chunk.text)) for chunk in larkspur.chunks}, {}
    for name, first in firsts.items():
        rows = []
        for query in larkspur.queries:
            question = len(tokenize(query.text))
            found = [lengths[hit.id] for hit in first.search(query.text, DEPTH)]
            rows.append({"candidates": len(found), "tokens": tokens_read(found, question, cross().limit),
                         "cut": sum(question + length > cross().limit for length in found)})
        out[name] = mean(rows) | {"most tokens": max(row["tokens"] for row in rows)}
    return out


def times(larkspur: Collection, firsts: dict, readers: dict, repeats: int = 2) -> dict:
    """Return milliseconds of one search for five, at each depth and without: p50 and p95 over the dev questions.

    Of each question the quickest of several searches counts, so that what else the machine does leaves no mark. The
    vectors of these questions are looked up, not encoded.
    """
    out = {"date": datetime.date.today().isoformat(), "chunks": len(larkspur.chunks)}
    texts = [query.text for query in asked(larkspur, "dev")]

    def of(search) -> dict:
        quickest = [float("inf")] * len(texts)
        for _ in range(repeats):
            for place, text in enumerate(texts):
                start = time.perf_counter()
                search(text, KEPT)
                quickest[place] = min(quickest[place], time.perf_counter() - start)
        return {f"p{p}": round(1000 * percentile(quickest, p), 3) for p in (50, 95)}

    for name, first in firsts.items():
        out[name] = {"first": of(first.search)}
        for reader, model in readers.items():
            out[name][reader] = {str(depth): of(Reranked(first, model, depth).search) for depth in DEPTHS}
    return out


def merged(old, new):
    """Return the new figures, with those of the old that a machine without the model files could not make."""
    if isinstance(old, dict) and isinstance(new, dict):
        return {key: merged(old.get(key), value) for key, value in new.items()} | {
            key: value for key, value in old.items() if key not in new and "MaxSim" in key}
    return new


def main(argument: str) -> None:
    """Measure, print, and write the file."""
    old = json.loads(TARGET.read_text(encoding="utf-8")) if TARGET.exists() else {}
    larkspur = Collection.load("larkspur")
    firsts, readers = searches(larkspur), rerankers(larkspur)
    once = {name: Once(reader) for name, reader in readers.items()}
    if argument == "--times":
        report = old | {"times": merged(old.get("times"), times(larkspur, firsts, readers))}
    else:
        report = {"date": datetime.date.today().isoformat(), "python": platform.python_version(),
                  "numpy": np.__version__, "command": "python tests/benchmarks/bench_rerank.py", "depth": DEPTH,
                  "depths": list(DEPTHS), "read": read(larkspur, firsts),
                  "calibration": calibration(larkspur, firsts["BM25"], once["cross-encoder"]),
                  **halves(larkspur, firsts, once),
                  "curves": {split: {name: curves(larkspur, first, split, once) for name, first in firsts.items()}
                             for split in SPLITS},
                  "times": times(larkspur, firsts, readers)}
        report = merged(old, rounded(report))
    print(json.dumps(report, indent=1))
    TARGET.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 2 or sys.argv[1:] not in ([], ["--times"]):
        sys.exit(__doc__)
    main(sys.argv[1] if len(sys.argv) == 2 else "")
