"""Compare HNSW with hnswlib, faiss and datasketch: speed, recall and distance computations, in one run.

    python tests/benchmarks/bench_hnsw.py [--points 10000] [--dim 384] [--queries 200] [--quick]

Needs hnswlib, faiss-cpu and datasketch (the `peers` extra). The points stand in clusters: 100 centers, and around each
a cloud as wide as the centers lie apart. All sides get the same points, M = 16, ef_construction = 200 and one thread.
datasketch and our one-by-one build are pure Python: both need a minute or two, which --quick leaves out.

Times are seconds of processor time, which a busy machine blurs less than the clock's. The ratio is theirs divided by
ours, so that above 1 ours is faster. It asserts nothing.
"""

import argparse
import os
import platform
import sys
import time
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):  # before NumPy is imported
    os.environ[name] = "1"

try:
    import datasketch
    import faiss
    import hnswlib
except ImportError as error:
    sys.exit(f"This needs hnswlib, faiss-cpu and datasketch ({error}): python3 -m firstprinciples test --peers")
import numpy as np  # noqa: E402

from firstprinciples.index.hnsw import HNSW  # noqa: E402

M, EF_CONSTRUCTION, EFS = 16, 200, (16, 32, 64, 128, 256)
TURNS = 7  # of searching in turn with datasketch; the middle ratio counts


def clustered(points, queries, dim, seed=0):
    """Return points and queries, float32, of length 1, around the same 100 centers."""
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(100, dim))
    both = centers[rng.integers(0, 100, points + queries)] + rng.normal(size=(points + queries, dim))
    both = (both / np.linalg.norm(both, axis=1, keepdims=True)).astype(np.float32)
    return both[:points], both[points:]


def timed(work):
    """Return (what work() gives, the seconds of processor time it took)."""
    start = time.process_time()
    found = work()
    return found, time.process_time() - start


def ours(points, bulk):
    """Return our index."""
    index = HNSW(points.shape[1], M, EF_CONSTRUCTION)
    index.add(points, bulk=bulk)
    return index


def theirs_hnswlib(points):
    """Return hnswlib's index."""
    index = hnswlib.Index("cosine", points.shape[1])
    index.init_index(len(points), M=M, ef_construction=EF_CONSTRUCTION, random_seed=1)
    index.set_num_threads(1)
    index.add_items(points)
    return index


def theirs_faiss(points):
    """Return faiss's index."""
    faiss.omp_set_num_threads(1)
    index = faiss.IndexHNSWFlat(points.shape[1], M, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = EF_CONSTRUCTION
    index.add(points)
    return index


def theirs_datasketch(points):
    """Return datasketch's index."""
    index = datasketch.HNSW(distance_func=lambda a, b: 1.0 - np.dot(a, b), m=M, ef_construction=EF_CONSTRUCTION, seed=1)
    for position, point in enumerate(points):
        index.insert(position, point)
    return index


def search_ours(index, queries, ef):
    """Return (lists of positions, distances computed a query)."""
    found, compared = [], 0
    for query in queries:
        found.append([int(id) for id, _ in index.search(query, 10, ef)])
        compared += index.distances
    return found, compared / len(queries)


def search_faiss(index, queries, ef):
    """Return (lists of positions, distances computed a query)."""
    index.hnsw.efSearch = ef
    faiss.cvar.hnsw_stats.reset()
    found = [index.search(query[None], 10)[1][0].tolist() for query in queries]
    return found, faiss.cvar.hnsw_stats.ndis / len(queries)


def search_hnswlib(index, queries, ef):
    """Return (lists of positions, nan: it does not count)."""
    index.set_ef(ef)
    return [index.knn_query(query, 10)[0][0].tolist() for query in queries], float("nan")


def search_datasketch(index, queries, ef):
    """Return (lists of positions, nan: it does not count)."""
    return [[key for key, _ in index.query(query, 10, ef)] for query in queries], float("nan")


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=10_000)
    parser.add_argument("--dim", type=int, default=384)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--quick", action="store_true", help="leave out what is built one by one in pure Python")
    options = parser.parse_args()
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "hnswlib", "faiss-cpu", "datasketch"))
    print(f"Python {platform.python_version()}, {packages}, one thread a side")
    points, queries = clustered(options.points, options.queries, options.dim)
    print(f"{options.points:,} points of {options.dim} numbers, {options.queries} queries, M {M}, "
          f"ef_construction {EF_CONSTRUCTION}\n")
    truth = [set(np.argsort(-(points @ query), kind="stable")[:10].tolist()) for query in queries]
    sides = {"ours, bulk": (lambda: ours(points, True), search_ours, EFS),
             "hnswlib": (lambda: theirs_hnswlib(points), search_hnswlib, EFS),
             "faiss": (lambda: theirs_faiss(points), search_faiss, EFS)}
    if not options.quick:
        sides |= {"ours, one by one": (lambda: ours(points, False), search_ours, EFS),
                  "datasketch": (lambda: theirs_datasketch(points), search_datasketch, (64,))}
    builds, kept = {}, {}
    for name, (build, search, efs) in sides.items():
        index, builds[name] = timed(build)
        if name in ("ours, bulk", "hnswlib"):  # short enough for a second turn: the better one counts
            builds[name] = min(builds[name], timed(build)[1])
        print(f"{name:18} build {builds[name]:8.2f} s", flush=True)
        kept[name] = (index, search)
        for ef in efs:
            (found, compared), seconds = timed(lambda: search(index, queries, ef))  # noqa: B023
            recall = np.mean([len(a & set(b)) / 10 for a, b in zip(truth, found, strict=True)])
            print(f"    ef {ef:3}   recall@10 {recall:.4f}   distances {compared:7.1f}   "
                  f"{1000 * seconds / len(queries):7.3f} ms a query", flush=True)
    print(f"\nbuild in bulk: hnswlib / ours          {builds['hnswlib'] / builds['ours, bulk']:.2f}   (target 1)")
    if not options.quick:
        print(f"build one by one: datasketch / ours    {builds['datasketch'] / builds['ours, one by one']:.2f}   "
              "(target 2.5)")
        turns = [[timed(lambda: search(index, queries, 64))[1]  # noqa: B023
                  for index, search in (kept["ours, one by one"], kept["datasketch"])] for _ in range(TURNS)]
        ratios = sorted(theirs / ours for ours, theirs in turns)
        print(f"search, ef 64: datasketch / ours       {ratios[TURNS // 2]:.2f}   (target 3; {TURNS} turns each, from "
              f"{ratios[0]:.2f} to {ratios[-1]:.2f})")


if __name__ == "__main__":
    main()
