"""Measure the times that the lessons quote, and write them to notebooks/times.json with the date.

Run it alone on a quiet machine: python tests/benchmarks/bench_lesson_times.py
"""

import datetime
import json
import os
import platform
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from firstprinciples.corpus import Collection  # noqa: E402
from firstprinciples.evaluate.experiment import percentile  # noqa: E402
from firstprinciples.retrieve.bm25 import BM25  # noqa: E402


def bm25_times(repeats: int = 20) -> dict:
    """Return milliseconds for building the index of Larkspur (median) and for one search (p50, p95)."""
    larkspur = Collection.load("larkspur")
    builds, searches = [], []
    for _ in range(repeats):
        start = time.perf_counter()
        retriever = BM25(larkspur.chunks)
        builds.append(time.perf_counter() - start)
        for query in larkspur.queries:
            start = time.perf_counter()
            retriever.search(query.text, k=100)
            searches.append(time.perf_counter() - start)
    return {"chunks": len(larkspur.chunks), "build": round(1000 * percentile(builds, 50), 1),
            "p50": round(1000 * percentile(searches, 50), 3), "p95": round(1000 * percentile(searches, 95), 3)}


if __name__ == "__main__":
    times = {"date": datetime.date.today().isoformat(), "cores": os.cpu_count(), "python": platform.python_version(),
             "numpy": np.__version__, "bm25": bm25_times()}
    (ROOT / "notebooks" / "times.json").write_text(json.dumps(times, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(times, indent=1))
