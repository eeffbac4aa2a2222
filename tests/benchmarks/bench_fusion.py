"""Measure BM25, MiniLM and both ways to fuse them on real collections, and write notebooks/fusion.json with the date.

    python tests/benchmarks/bench_fusion.py FOLDER         all figures
    python tests/benchmarks/bench_fusion.py --times        only the times of a search in Larkspur, the rest stays

FOLDER holds the BEIR folders cranfield and scifact. Lesson 06 quotes the figures. Needs the model files; encoding the
passages takes a quarter of an hour on one core the first time, and then they are kept (see encode.cache). Run it alone
on a quiet machine, for the sake of the times.
"""

import datetime
import json
import platform
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from firstprinciples.corpus import Collection  # noqa: E402
from firstprinciples.encode.cache import Cached  # noqa: E402
from firstprinciples.encode.stored import minilm  # noqa: E402
from firstprinciples.evaluate.compare import differences  # noqa: E402
from firstprinciples.evaluate.experiment import evaluate  # noqa: E402
from firstprinciples.rank.fusion import Hybrid  # noqa: E402
from firstprinciples.retrieve.bm25 import BM25  # noqa: E402
from firstprinciples.retrieve.dense import Dense  # noqa: E402
from firstprinciples.text import tokenize  # noqa: E402

NAMES = ("cranfield", "scifact")
SHOWN = ("nDCG@10", "Recall@100")
PAIRS = (("BM25", "RRF"), ("MiniLM", "RRF"), ("RRF", "min-max"))


def words(text: str) -> list[str]:
    """Return the words of a text as BM25 has them here: no codes, Lucene's stop words left out, Porter's stems."""
    return tokenize(text, codes=False, stop_words=True, stem=True)


def figures(collection: Collection) -> dict:
    """Return the metrics of the four retrievers, and how far apart they are in nDCG@10."""
    both = [BM25(collection.chunks, tokenizer=words), Dense(collection.chunks, Cached(minilm()))]
    retrievers = {"BM25": both[0], "MiniLM": both[1], "RRF": Hybrid(both), "min-max": Hybrid(both, fusion="minmax")}
    results = {name: evaluate(retriever, collection) for name, retriever in retrievers.items()}
    apart = {}
    for before, after in PAIRS:
        row = differences(results[before], results[after], ("nDCG@10",))["nDCG@10"]
        apart[f"{after} - {before}"] = {key: round(value, 6) for key, value in row.items()}
    return {"queries": results["BM25"]["queries"], "documents": len(collection.chunks),
            "rows": {name: {metric: round(result["metrics"][metric], 6) for metric in SHOWN}
                     for name, result in results.items()}, "differences": apart}


def times(repeats: int = 5) -> dict:
    """Return milliseconds of one search in Larkspur: the best p50 and p95 of several rounds over all questions.

    The vectors of these questions are looked up, not encoded.
    """
    larkspur = Collection.load("larkspur")
    both = [BM25(larkspur.chunks), Dense(larkspur.chunks, minilm())]
    retrievers = {"BM25": both[0], "MiniLM": both[1], "RRF": Hybrid(both), "min-max": Hybrid(both, fusion="minmax")}
    out = {"date": datetime.date.today().isoformat(), "chunks": len(larkspur.chunks)}
    for name, retriever in retrievers.items():
        rounds = [evaluate(retriever, larkspur)["milliseconds"] for _ in range(repeats)]
        out[name] = {key: round(min(each[key] for each in rounds), 3) for key in ("p50", "p95")}
    return out


def main(argument: str) -> None:
    """Measure, print, and write the file."""
    target = ROOT / "notebooks" / "fusion.json"
    if argument == "--times":
        report = json.loads(target.read_text(encoding="utf-8")) | {"larkspur": times()}
    else:
        report = {"date": datetime.date.today().isoformat(), "python": platform.python_version(),
                  "numpy": np.__version__, "command": "python tests/benchmarks/bench_fusion.py FOLDER",
                  "larkspur": times(),
                  **{name: figures(Collection.load(str(Path(argument) / name))) for name in NAMES}}
    print(json.dumps(report, indent=1))
    target.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    main(sys.argv[1])
