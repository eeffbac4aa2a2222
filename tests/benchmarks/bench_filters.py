"""Measure a condition before, during and after a search, and write notebooks/filters.json with the date.

    python tests/benchmarks/bench_filters.py FOLDER        all figures
    python tests/benchmarks/bench_filters.py --times       only the times of a search in Larkspur, the rest stays

FOLDER holds the BEIR folder scifact. Lesson 13 quotes the figures. Its passages have no labels, so two are made up: one
by lot, and one that goes with the meaning (the rank by cosine to one of the passages). Needs the model files; encoding
takes some minutes the first time, and then the vectors are kept (see encode.cache).
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
from firstprinciples.evaluate.experiment import percentile  # noqa: E402
from firstprinciples.index.cosine import normalize  # noqa: E402
from firstprinciples.index.filters import Filtered, how_many_to_fetch, post_filter, pre_filter  # noqa: E402
from firstprinciples.index.hnsw import HNSW  # noqa: E402
from firstprinciples.retrieve.dense import Dense  # noqa: E402

SHARES = {"a half": 0.5, "a tenth": 0.1, "a hundredth": 0.01}
K, EF, FETCH = 10, 64, 100
TARGET = ROOT / "notebooks" / "filters.json"


def figures(collection: Collection) -> dict:
    """Return, for each way to label and each share, what the three ways compare and how much of the answer they find.

    The answer is exact search over what matches. "after" fetches 100; "after, k / share" as many as the formula says.
    """
    encoder = Cached(minilm())
    vectors = normalize(encoder.encode_passages([chunk.text for chunk in collection.chunks])).astype(np.float32)
    questions = normalize(encoder.encode_queries([query.text for query in collection.queries]))
    index = HNSW(vectors.shape[1], M=16, ef_construction=200, seed=0)
    index.add(vectors)
    n, draws = len(vectors), np.random.Generator(np.random.PCG64(0))
    ranks = {"by lot": draws.permutation(n),
             "with the meaning": np.argsort(np.argsort(-(vectors @ vectors[0]), kind="stable"))}
    out = {"documents": n, "queries": len(questions), "k": K, "ef": EF, "fetch": FETCH, "rows": []}
    for labels, rank in ranks.items():
        for name, share in SHARES.items():
            allowed = rank < round(share * n)
            rows = {"before": [], "during": [], "after": [], "after, k / share": []}
            for question in questions:
                truth = {position for position, _ in pre_filter(question, vectors, allowed, K)}
                rows["before"].append((int(allowed.sum()), 1.0, 0))
                hits = index.search(question, K, ef=EF, allowed=allowed)
                rows["during"].append((index.distances, _held(hits, truth), K - len(hits)))
                for way, fetch in (("after", FETCH), ("after, k / share", how_many_to_fetch(K, share))):
                    ranked = [(int(id), similarity) for id, similarity in index.search(question, min(fetch, n), ef=EF)]
                    kept = post_filter(ranked, allowed, K)
                    rows[way].append((index.distances, _held(kept["found"], truth), kept["missing"]))
            for way, values in rows.items():
                compared, found, missing = np.mean(values, axis=0)
                out["rows"].append({"labels": labels, "share": name, "way": way, "compared": round(float(compared)),
                                    "found": round(float(found), 4), "missing": round(float(missing), 4)})
            print(labels, name, out["rows"][-4:], flush=True)
    return out


def _held(hits, truth: set) -> float:
    """Return the share of the right answer that was found."""
    return len({int(id) for id, _ in hits} & truth) / len(truth)


def times(repeats: int = 5) -> dict:
    """Return milliseconds of one search in Larkspur with a condition, over its filter questions: best of some rounds.

    The questions' vectors are at hand, the index is exact.
    """
    larkspur = Collection.load("larkspur")
    meaning = Dense(larkspur.chunks, minilm())
    filtered = Filtered(meaning.index, meaning.metadata)
    asked = [(meaning.vector(query.text), query.filter) for query in larkspur.queries if query.filter]
    ways = {"no condition": lambda vector, where: meaning.index.search(vector, K),
            "reading the labels": lambda vector, where: filtered.allowed(where),
            "before": lambda vector, where: filtered.search(vector, K, where),
            "after": lambda vector, where: filtered.search(vector, K, where, "post")}
    out = {"date": datetime.date.today().isoformat(), "chunks": len(larkspur.chunks), "questions": len(asked)}
    for name, way in ways.items():
        rounds = []
        for _ in range(repeats):
            seconds = []
            for vector, where in asked:
                start = time.perf_counter()
                way(vector, where)
                seconds.append(time.perf_counter() - start)
            rounds.append(seconds)
        out[name] = {f"p{p}": round(min(1000 * percentile(each, p) for each in rounds), 3) for p in (50, 95)}
    return out


def main(argument: str) -> None:
    """Measure, print, and write the file."""
    if argument == "--times":
        report = json.loads(TARGET.read_text(encoding="utf-8")) | {"larkspur": times()}
    else:
        report = {"date": datetime.date.today().isoformat(), "python": platform.python_version(),
                  "numpy": np.__version__, "command": "python tests/benchmarks/bench_filters.py FOLDER",
                  "larkspur": times(), "scifact": figures(Collection.load(str(Path(argument) / "scifact")))}
    TARGET.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(report["larkspur"], indent=1))


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    main(sys.argv[1])
