"""Measure the times that the lessons quote, and write them to notebooks/times.json with the date.

    python tests/benchmarks/bench_lesson_times.py             all of them
    python tests/benchmarks/bench_lesson_times.py counts      only some (bm25, counts, dense); the rest stays

Run it alone on a quiet machine. `dense` needs the model files: there each question is encoded anew, as one
that is typed, and not looked up among the stored vectors.
"""

import contextlib
import datetime
import io
import json
import os
import platform
import sys
import time
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

import nbformat  # noqa: E402
import numpy as np  # noqa: E402

from firstprinciples import models  # noqa: E402
from firstprinciples.corpus import Collection  # noqa: E402
from firstprinciples.encode.bert import MiniLM  # noqa: E402
from firstprinciples.encode.biencoder import toy  # noqa: E402
from firstprinciples.encode.stored import minilm  # noqa: E402
from firstprinciples.evaluate.experiment import percentile  # noqa: E402
from firstprinciples.retrieve.bm25 import BM25  # noqa: E402
from firstprinciples.retrieve.dense import Dense  # noqa: E402

FILE = ROOT / "notebooks" / "times.json"
larkspur = cache(lambda: Collection.load("larkspur"))


class Typed:
    """MiniLM for questions that nobody stored: passages are looked up, each question goes through the whole model."""

    name, dim, encode_passages = "minilm", minilm().dim, staticmethod(minilm().encode_passages)

    def __init__(self):
        folder = models.files("minilm")
        if folder is None:
            sys.exit("The model files are needed: python -m firstprinciples models fetches them.")
        self.encode_queries = MiniLM(folder).encode_queries


typed = cache(Typed)


def bm25_times(repeats: int = 20) -> dict:
    """Return milliseconds for building the index of Larkspur (median) and for one search (p50, p95)."""
    builds, searches = [], []
    for _ in range(repeats):
        start = time.perf_counter()
        retriever = BM25(larkspur().chunks)
        builds.append(time.perf_counter() - start)
        for query in larkspur().queries:
            start = time.perf_counter()
            retriever.search(query.text, k=100)
            searches.append(time.perf_counter() - start)
    return {"chunks": len(larkspur().chunks), "build": round(1000 * percentile(builds, 50), 1),
            "p50": round(1000 * percentile(searches, 50), 3), "p95": round(1000 * percentile(searches, 95), 3)}


def one_search(call, asked, rounds: int = 5) -> dict:
    """Return milliseconds, p50 and p95 over many questions; of each question the fastest of several rounds counts.

    So what else the machine had to do meanwhile stays out, and what a long question costs stays in.
    """
    best = [float("inf")] * len(asked)
    for _ in range(rounds):
        for place, each in enumerate(asked):
            start = time.perf_counter()
            call(each)
            best[place] = min(best[place], time.perf_counter() - start)
    return summary(best)


def summary(seconds) -> dict:
    """Return p50 and p95 of many times in milliseconds, and how many chunks were searched."""
    return {"chunks": len(larkspur().chunks), "p50": round(1000 * percentile(seconds, 50), 3),
            "p95": round(1000 * percentile(seconds, 95), 3)}


def texts() -> list[str]:
    """Return Larkspur's questions."""
    return [query.text for query in larkspur().queries]


def counts_times() -> dict:
    """Return the times of lesson 04's search by the cosine of word counts, each question counted anew."""
    cells = {cell.id: cell.source for cell in nbformat.read(ROOT / "notebooks" / "04_cosine.ipynb", 4).cells}
    made = {}
    for id in ("setup", "encoder"):
        with contextlib.redirect_stdout(io.StringIO()):
            exec(cells[id].replace("Path.cwd()", f"Path({str(ROOT)!r})"), made)
    search = Dense(made["chunks"], made["counting"]).search
    return {"date": datetime.date.today().isoformat(), "dim": made["counting"].dim,
            **one_search(lambda text: search(text, k=100), texts())}


def dense_times(rounds: int = 3) -> dict:
    """Return the times of searches by vectors: the question's encoding alone, search alone, and both together.

    MiniLM's three come from the same runs, so they fit together whatever else the machine does.
    """
    small, real = Dense(larkspur().chunks, toy()), Dense(larkspur().chunks, typed())
    encode, search, both = ([float("inf")] * len(texts()) for _ in range(3))
    for _ in range(rounds):
        for place, text in enumerate(texts()):
            start = time.perf_counter()
            vector = typed().encode_queries([text])[0]
            middle = time.perf_counter()
            real.index.search(vector, k=100)
            end = time.perf_counter()
            for best, took in ((encode, middle - start), (search, end - middle), (both, end - start)):
                best[place] = min(best[place], took)
    return {"date": datetime.date.today().isoformat(),
            "toy": one_search(lambda text: small.search(text, k=100), texts()),
            **{name: summary(best) for name, best in (("minilm", both), ("encode", encode), ("search", search))}}


PARTS = {"bm25": bm25_times, "counts": counts_times, "dense": dense_times}


def main(names: list[str]) -> None:
    """Measure the parts named, or all; print and write the file."""
    if unknown := [name for name in names if name not in PARTS]:
        sys.exit(f"There is no part {unknown[0]!r}; choose from {', '.join(PARTS)}.\n{__doc__}")
    times = json.loads(FILE.read_text(encoding="utf-8")) if names else {}
    if not names:
        times = {"date": datetime.date.today().isoformat(), "cores": os.cpu_count(),
                 "python": platform.python_version(), "numpy": np.__version__}
    for name in names or PARTS:
        times[name] = PARTS[name]()
        print(name, times[name], flush=True)
    FILE.write_text(json.dumps(times, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(times, indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
