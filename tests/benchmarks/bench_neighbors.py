"""Measure exact search, IVF and HNSW on real and generated vectors, and write notebooks/neighbors.json with the date.

    python tests/benchmarks/bench_neighbors.py FOLDER                  all parts
    python tests/benchmarks/bench_neighbors.py FOLDER growth large     only some (PARTS); the rest stays

FOLDER holds the BEIR folders cranfield and scifact. Lesson 11 and its charts quote the figures. Recall and the number
of distances are exact: they come out the same on every machine, up to rounding. Milliseconds are of one machine, with
one thread. Needs the model files; the passages are encoded once and kept (see encode.cache). Some ten minutes.

The real vectors are MiniLM's, 384 wide, of all passages of cranfield and scifact; the questions are those of both. "64"
are the same vectors, rotated so that the directions of the largest variance come first (principal components), and only
the first 64 kept. "2" are the first two of these, as a map: a point (x, y) becomes the vector (x, y, 1), so that the
plane's neighbors are the neighbors by cosine.
"""

import datetime
import json
import os
import platform
import re
import sys
import tempfile
import time
from functools import cache, lru_cache
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from firstprinciples.corpus import Collection  # noqa: E402
from firstprinciples.encode.cache import Cached  # noqa: E402
from firstprinciples.encode.stored import minilm  # noqa: E402
from firstprinciples.index.cosine import Exact  # noqa: E402
from firstprinciples.index.hnsw import HNSW  # noqa: E402
from firstprinciples.index.ivf import IVF  # noqa: E402

FILE = ROOT / "notebooks" / "neighbors.json"
NAMES = ("cranfield", "scifact")
K = 10
ASKED = 200  # questions of each measurement
GRID = {"M": (4, 8, 16, 32), "ef_construction": (20, 50, 200), "ef": (10, 16, 32, 64, 128, 256)}
NPROBE = (1, 2, 4, 8, 16, 32)
SIZES = (1_000, 3_000, 10_000, 30_000, 100_000)
CLUSTERS = 100


def unit(vectors: np.ndarray) -> np.ndarray:
    """Return vectors at length 1, float32."""
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@cache
def real(folder: str) -> dict:
    """Return {"2", "64", "384": (vectors of the passages, vectors of ASKED questions)}."""
    passages, questions = [], []
    for name in NAMES:
        collection = Collection.load(str(Path(folder) / name))
        passages.append(Cached(minilm()).encode_passages([chunk.text for chunk in collection.chunks]))
        asked = collection.queries[: ASKED // len(NAMES)]
        questions.append(minilm().encode_queries([query.text for query in asked]))
    rows, asked = np.concatenate(passages).astype(np.float64), np.concatenate(questions).astype(np.float64)
    directions = np.linalg.eigh(rows.T @ rows)[1][:, ::-1]  # the largest first; through the origin, as cosine has it
    out = {"384": (unit(rows), unit(asked)), "64": (unit(rows @ directions[:, :64]), unit(asked @ directions[:, :64]))}
    flat = directions[:, 1:3]  # the first direction is the mean of all texts; the next two spread them out
    center, scale = (rows @ flat).mean(axis=0), (rows @ flat).std()
    plane = [np.column_stack([(each @ flat - center) / scale, np.ones(len(each))]) for each in (rows, asked)]
    return out | {"2": tuple(map(unit, plane))}


def generated(kind: str, n: int, dim: int = 64, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return n vectors and ASKED questions: "uniform" in all directions, or "clustered" around CLUSTERS of them."""
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((n + ASKED, dim))
    if kind == "clustered":
        centers = unit(rng.standard_normal((CLUSTERS, dim)))
        points = centers[rng.integers(CLUSTERS, size=n + ASKED)] + 0.4 * points / np.sqrt(dim)
    rows = unit(points)
    return rows[:n], rows[n:]


@lru_cache(maxsize=1)
def grown(kind: str, n: int) -> tuple[HNSW, float]:
    """Return the index of generated vectors, and how many seconds of one core it took to build.

    Time of the processor, not of the clock: what else the machine had to do stays out.
    """
    rows = generated(kind, n)[0]
    start = time.process_time()
    index = HNSW(64)
    index.add(rows)
    return index, time.process_time() - start


def truth(rows: np.ndarray, asked: np.ndarray) -> list[set[str]]:
    """Return for each question the ids of the K nearest rows, by every distance there is."""
    near = np.argpartition(-(asked @ rows.T), K - 1, axis=1)[:, :K]
    return [{str(position) for position in places} for places in near.tolist()]


def measured(index, asked, nearest, rounds: int = 1, **settings) -> dict:
    """Return recall@10, the mean number of distances, and the median milliseconds of searches.

    Of each question the fastest of several rounds counts: what else the machine had to do stays out.
    """
    found, distances, best = 0, 0, [float("inf")] * len(asked)
    for turn in range(rounds):
        for place, (question, right) in enumerate(zip(asked, nearest, strict=True)):
            start = time.perf_counter()
            hits = index.search(question, K, **settings)
            best[place] = min(best[place], time.perf_counter() - start)
            if not turn:
                found += len(right & {id for id, _ in hits})
                distances += index.distances
    return {"recall": round(found / (K * len(asked)), 4), "distances": round(distances / len(asked), 1),
            "milliseconds": round(1000 * float(np.median(best)), 3)}


def curve(index, asked, nearest, efs, keys=("recall", "distances"), rounds: int = 1) -> list[list[float]]:
    """Return [ef, recall@10, distances] for each ef, or what else is asked for."""
    return [[ef, *map(measured(index, asked, nearest, rounds, ef=ef).get, keys)] for ef in efs]


def fastest(call, rounds: int) -> float:
    """Return the milliseconds of the fastest of several calls."""
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return 1000 * best


def grid(folder: str) -> dict:
    """Return recall and distances on real vectors for every M, ef_construction and ef, and for IVF."""
    out = {"n": 0, "questions": ASKED, "k": K, "settings": {key: list(values) for key, values in GRID.items()},
           "hnsw": {}, "ivf": {}}
    for dim, (rows, asked) in real(folder).items():
        out["n"], nearest = len(rows), truth(rows, asked)
        out["hnsw"][dim] = {}
        for M in GRID["M"]:
            for wide in GRID["ef_construction"]:
                index = HNSW(rows.shape[1], M=M, ef_construction=wide)
                index.add(rows)
                out["hnsw"][dim][f"{M} {wide}"] = curve(index, asked, nearest, GRID["ef"])
                print(dim, M, wide, out["hnsw"][dim][f"{M} {wide}"], flush=True)
        index = IVF(rows.shape[1])
        index.add(rows)
        out["ivf"][dim] = {"cells": len(index.centroids), "curve": []}
        for nprobe in NPROBE:
            one = measured(index, asked, nearest, nprobe=nprobe)
            out["ivf"][dim]["curve"].append([nprobe, one["recall"], one["distances"]])
        print(dim, out["ivf"][dim], flush=True)
    return out


def growth(_folder: str) -> dict:
    """Return what a search costs in 1,000 to 100,000 vectors of 64 numbers, clustered and uniform."""
    out = {"dim": 64, "M": 16, "ef_construction": 200, "clusters": CLUSTERS, "questions": ASKED, "sizes": list(SIZES)}
    for kind in ("uniform", "clustered"):
        out[kind] = {str(n): one_size(kind, n) for n in SIZES}
    return out


def one_size(kind: str, n: int) -> dict:
    """Return the cost of exact search and, for every ef, of HNSW in n vectors.

    Exact two ways: one matrix product a question and the ten largest, and the same for 50 questions in one product.
    """
    (rows, asked), (index, built) = generated(kind, n), grown(kind, n)
    alone = fastest(lambda: np.argpartition(-(rows @ asked[0]), K), 50)
    together = fastest(lambda: np.argpartition(-(asked[:50] @ rows.T), K, axis=1), 5)
    row = {"build seconds": round(built, 1), "product milliseconds": round(alone, 4),
           "together milliseconds": round(together / 50, 4),
           "curve": curve(index, asked, truth(rows, asked), GRID["ef"], ("recall", "distances", "milliseconds"), 5)}
    print(kind, n, row, flush=True)
    return row


def clusters(_folder: str) -> dict:
    """Return the recall of simple and of heuristic neighbors on 5,000 vectors, clustered and uniform, for three M."""
    out = {"n": 5_000, "dim": 64, "clusters": CLUSTERS, "ef_construction": 100, "ef": 64, "M": [4, 8, 16]}
    for kind in ("clustered", "uniform"):
        rows, asked = generated(kind, out["n"])
        nearest = truth(rows, asked)
        for M in out["M"]:
            for select in ("heuristic", "simple"):
                index = HNSW(64, M=M, ef_construction=out["ef_construction"], select=select)
                index.add(rows)
                row = measured(index, asked, nearest, ef=out["ef"])
                out[f"{kind} {M} {select}"] = {"recall": row["recall"], "distances": row["distances"],
                                               "unreachable": len(index.unreachable())}
                print(kind, M, select, out[f"{kind} {M} {select}"], flush=True)
    return out


def larkspur(_folder: str) -> dict:
    """Return milliseconds of one search in Larkspur's 704 vectors, without the question's encoding."""
    collection = Collection.load("larkspur")
    rows = minilm().encode_passages([chunk.text for chunk in collection.chunks])
    asked = minilm().encode_queries([query.text for query in collection.queries])
    out = {"chunks": len(rows)}
    for name, index in (("exact", Exact(384)), ("IVF", IVF(384)), ("HNSW", HNSW(384))):
        index.add(rows)
        best = [float("inf")] * len(asked)
        for _ in range(5):
            for place, question in enumerate(asked):
                start = time.perf_counter()
                index.search(question, K)
                best[place] = min(best[place], time.perf_counter() - start)
        out[name] = {f"p{p}": round(1000 * float(np.percentile(best, p)), 3) for p in (50, 95)}
        print(name, out[name], flush=True)
    return out


def large(_folder: str) -> dict:
    """Return what an index of 100,000 vectors of 64 numbers needs: bytes, seconds to build, to save and to load."""
    rows, asked = generated("clustered", SIZES[-1])
    index, built = grown("clustered", SIZES[-1])
    out = {"n": len(rows), "dim": 64, "M": 16, "build seconds": round(built, 1),
           "vectors bytes": int(index.vectors.nbytes), "bytes": int(index.nbytes)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index.npz"
        start = time.perf_counter()
        index.save(path)
        out["save seconds"], out["file bytes"] = round(time.perf_counter() - start, 2), path.stat().st_size
        start = time.perf_counter()
        again = HNSW.load(path)
        out["load seconds"] = round(time.perf_counter() - start, 2)
        assert again.search(asked[0]) == index.search(asked[0])
    return out


PARTS = {"clusters": clusters, "larkspur": larkspur, "growth": growth, "large": large, "grid": grid}


def main(folder: str, names: list[str]) -> None:
    """Measure the parts named, or all; write the file after each, so that nothing measured is lost."""
    if unknown := [name for name in names if name not in PARTS]:
        sys.exit(f"There is no part {unknown[0]!r}; choose from {', '.join(PARTS)}.\n{__doc__}")
    report = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    report |= {"date": datetime.date.today().isoformat(), "python": platform.python_version(), "numpy": np.__version__,
               "cores": os.cpu_count(), "threads": 1, "command": "python tests/benchmarks/bench_neighbors.py FOLDER"}
    for name in names or PARTS:
        report[name] = {"date": datetime.date.today().isoformat(), **PARTS[name](folder)}
        FILE.write_text(one_line_a_curve(report) + "\n", encoding="utf-8")


def one_line_a_curve(report: dict) -> str:
    """Return the report as JSON with each list on one line, so that the file stays small and readable."""
    text = json.dumps(report, indent=1)
    return re.sub(r"\[(?:[^\[\]{}]|\[[^\[\]{}]*\])*\]", lambda found: json.dumps(json.loads(found[0])), text)


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
