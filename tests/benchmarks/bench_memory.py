"""Measure every way of storing MiniLM's vectors on three collections; write notebooks/memory.json with the date.

    python tests/benchmarks/bench_memory.py FOLDER         all figures
    python tests/benchmarks/bench_memory.py --times        only the times of a search in Larkspur, the rest stays

FOLDER holds the BEIR folders cranfield and scifact. Lesson 12 quotes the figures. The vectors are the encoder's own, in
float32, also Larkspur's, which come with the course as int8: so it needs the model files. Encoding the passages takes
a quarter of an hour on one core the first time, and then they are kept (see encode.cache). Run it alone on a quiet
machine, for the sake of the times.
"""

import datetime
import json
import platform
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from firstprinciples.corpus import Collection  # noqa: E402
from firstprinciples.encode.cache import Cached  # noqa: E402
from firstprinciples.encode.stored import minilm  # noqa: E402
from firstprinciples.evaluate.compare import differences  # noqa: E402
from firstprinciples.evaluate.experiment import evaluate, percentile  # noqa: E402
from firstprinciples.index.cosine import Exact  # noqa: E402
from firstprinciples.index.product import PQ  # noqa: E402
from firstprinciples.index.short_vectors import Binary, Float16, Int8  # noqa: E402
from firstprinciples.retrieve.dense import Dense  # noqa: E402

NAMES = ("cranfield", "scifact")
SHOWN = ("nDCG@10", "Recall@10", "Recall@100")
K = 10
DEPTHS = (10, 20, 50, 100, 200, 500)  # how many are rescored
KINDS = {"float32": Exact, "float16": Float16, "int8": Int8, "binary": Binary,
         "binary, 100 rescored": lambda dim: Binary(dim, rescore=100),
         "binary, query whole": lambda dim: Binary(dim, rescore=10_000, rescore_with="bits"),
         "PQ": PQ, "PQ, 100 rescored": lambda dim: PQ(dim, rescore=100)}


class Known:
    """An encoder that looks texts up among vectors that were made before: {text: vector}."""

    name = "known"

    def __init__(self, vectors: dict, dim: int):
        self.vectors, self.dim = vectors, dim

    def encode_passages(self, texts):
        return np.array([self.vectors[text] for text in texts], dtype=np.float32)

    encode_queries = encode_passages


def known(collection: Collection, encoder) -> Known:
    """Return the encoder's own vectors of all chunks and questions."""
    chunks, queries = [chunk.text for chunk in collection.chunks], [query.text for query in collection.queries]
    passages, asked = encoder.encode_passages(chunks), encoder.encode_queries(queries)
    return Known(dict(zip([*chunks, *queries], [*passages, *asked], strict=True)), encoder.dim)


def found(index, encoder: Known, collection: Collection) -> list[set[str]]:
    """Return the ids of the first ten for each question."""
    return [{id for id, _ in index.search(encoder.vectors[query.text], K)} for query in collection.queries]


def share(lists, exact) -> float:
    """Return the mean share of exact search's ten that are found."""
    return round(sum(len(a & b) / len(b) for a, b in zip(lists, exact, strict=True)) / len(exact), 6)


def figures(collection: Collection, encoder: Known) -> dict:
    """Return for each kind the metrics, recall of exact search, bytes; and how far each is from float32."""
    dense = {name: Dense(collection.chunks, encoder, make(encoder.dim)) for name, make in KINDS.items()}
    results = {name: evaluate(each, collection) for name, each in dense.items()}
    exact = found(dense["float32"].index, encoder, collection)
    rows = {}
    for name, each in dense.items():
        index = each.index
        rows[name] = {metric: round(results[name]["metrics"][metric], 6) for metric in SHOWN}
        rows[name]["of exact"] = share(found(index, encoder, collection), exact)
        rows[name]["bytes"] = int(index.rows.nbytes if name == "float32" else index.nbytes)
        rows[name]["full bytes"] = int(getattr(index, "full_nbytes", 0))
    apart = {}
    for name in [*KINDS][1:]:
        row = differences(results["float32"], results[name], ("nDCG@10", "Recall@10"))
        apart[name] = {metric: {key: round(value, 6) for key, value in each.items()} for metric, each in row.items()}
    row = differences(results["binary"], results["binary, 100 rescored"], ("nDCG@10",))["nDCG@10"]
    curves = {}
    for kind in ("binary", "PQ"):
        index = dense[f"{kind}, 100 rescored"].index
        curves[kind] = {depth: share([{id for id, _ in index.search(encoder.vectors[query.text], K, rescore=depth)}
                                      for query in collection.queries], exact) for depth in DEPTHS}
    return {"queries": results["float32"]["queries"], "documents": len(collection.chunks), "rows": rows,
            "differences": apart, "rescored - binary": {key: round(value, 6) for key, value in row.items()},
            "curves": curves}


def stored(collection: Collection, encoder: Known) -> dict:
    """Return what the vectors that come with the course lose: int8, one scale for each row."""
    mine = minilm()
    both = {"original": Dense(collection.chunks, encoder), "stored": Dense(collection.chunks, mine)}
    results = {name: evaluate(each, collection) for name, each in both.items()}
    lists = {name: [{hit.id for hit in each.search(query.text, K)} for query in collection.queries]
             for name, each in both.items()}
    row = differences(results["original"], results["stored"], ("nDCG@10",))["nDCG@10"]
    return {"of exact": share(lists["stored"], lists["original"]),
            "nDCG@10": {name: round(result["metrics"]["nDCG@10"], 6) for name, result in results.items()},
            "difference": {key: round(value, 6) for key, value in row.items()}}


def times(repeats: int = 15) -> dict:
    """Return milliseconds of one search of an index for ten, the vectors at hand: p50 and p95 over the questions.

    Of each question the quickest of several searches counts, so that what else the machine does leaves no mark.
    """
    larkspur, encoder = Collection.load("larkspur"), minilm()
    asked = encoder.encode_queries([query.text for query in larkspur.queries])
    out = {"date": datetime.date.today().isoformat(), "chunks": len(larkspur.chunks)}
    for name, make in KINDS.items():
        index = Dense(larkspur.chunks, encoder, make(encoder.dim)).index
        quickest = [float("inf")] * len(asked)
        for _ in range(repeats):
            for place, query in enumerate(asked):
                start = time.perf_counter()
                index.search(query, K)
                quickest[place] = min(quickest[place], time.perf_counter() - start)
        out[name] = {f"p{p}": round(1000 * percentile(quickest, p), 3) for p in (50, 95)}
    return out


def main(argument: str) -> None:
    """Measure, print, and write the file."""
    target = ROOT / "notebooks" / "memory.json"
    if argument == "--times":
        report = json.loads(target.read_text(encoding="utf-8")) | {"times": times()}
    else:
        larkspur, model = Collection.load("larkspur"), minilm().model()
        vectors = known(larkspur, model)
        report = {"date": datetime.date.today().isoformat(), "python": platform.python_version(),
                  "numpy": np.__version__, "command": "python tests/benchmarks/bench_memory.py FOLDER",
                  "times": times(), "stored": stored(larkspur, vectors), "larkspur": figures(larkspur, vectors)}
        for name in NAMES:
            collection = Collection.load(str(Path(argument) / name))
            report[name] = figures(collection, known(collection, Cached(minilm())))
    print(json.dumps(report, indent=1))
    target.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    main(sys.argv[1])
