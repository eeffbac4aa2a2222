"""Compare the speed of our BM25 with bm25s (NumPy backend) and rank_bm25 on a collection, in one run.

    python tests/benchmarks/bench_bm25.py FOLDER [--repeats 5] [--k 10]

FOLDER is a BEIR folder, such as cranfield. All three get the same words (no codes, stop words left out, stems), index
them and look for the k best of every query; ours and rank_bm25 one query after the other, bm25s all in one call, which
suits it best. They take turns, the best of the repeats counts, on one thread. It prints figures and asserts nothing.
"""

import argparse
import os
import platform
import sys
import time
from importlib.metadata import version
from pathlib import Path

for library in ("OMP", "OPENBLAS", "MKL", "NUMBA"):  # before NumPy is imported
    os.environ[f"{library}_NUM_THREADS"] = "1"
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import bm25s  # noqa: E402
import numpy as np  # noqa: E402
import rank_bm25  # noqa: E402

from firstprinciples.corpus import Chunk, Collection  # noqa: E402
from firstprinciples.retrieve.bm25 import BM25  # noqa: E402
from firstprinciples.text import tokenize  # noqa: E402


def words(text):
    return tokenize(text, codes=False, stop_words=True, stem=True)


def ours(documents, queries, k):
    """Return (seconds to index, seconds to search); the words are handed in as they are."""
    chunks = [Chunk(str(i), document) for i, document in enumerate(documents)]
    start = time.perf_counter()
    index = BM25(chunks, tokenizer=lambda given: given)
    built = time.perf_counter()
    for query in queries:
        index.search(query, k=k)
    return built - start, time.perf_counter() - built


def theirs(documents, queries, k):
    """The same for bm25s."""
    start = time.perf_counter()
    index = bm25s.BM25(method="lucene", k1=1.2, b=0.75, backend="numpy")
    index.index(documents, show_progress=False)
    built = time.perf_counter()
    index.retrieve(queries, k=min(k, len(documents)), show_progress=False)
    return built - start, time.perf_counter() - built


def plain(documents, queries, k):
    """The same for rank_bm25."""
    start = time.perf_counter()
    index = rank_bm25.BM25Okapi(documents, k1=1.2, b=0.75)
    built = time.perf_counter()
    for query in queries:
        scores = index.get_scores(query)
        np.argsort(-scores)[:k]
    return built - start, time.perf_counter() - built


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", help="a BEIR folder: corpus.jsonl, queries.jsonl, qrels/")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--k", type=int, default=10)
    options = parser.parse_args()
    collection = Collection.load(options.folder)
    documents = [words(chunk.text) for chunk in collection.chunks]
    known = {word for document in documents for word in document}
    queries = [[word for word in words(query.text) if word in known] for query in collection.queries]
    queries = [query for query in queries if query]  # bm25s takes no query without a known word
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}, one thread")
    print(f"{collection.name}: {len(documents):,} documents, {len(queries):,} queries, top {options.k}, "
          f"best of {options.repeats}\n")
    sides = {"ours": ours, f"bm25s {version('bm25s')}": theirs, f"rank_bm25 {version('rank_bm25')}": plain}
    best = {name: [float("inf"), float("inf")] for name in sides}
    for _ in range(options.repeats):
        for name, function in sides.items():
            seconds = function(documents, queries, options.k)
            best[name] = [min(pair) for pair in zip(best[name], seconds, strict=True)]
    print(f"{'':18}  documents/s   queries/s   ours is faster: index  search")
    for name, (index, search) in best.items():
        print(f"{name:18}  {len(documents) / index:11,.0f}  {len(queries) / search:10,.0f}"
              f"  {index / best['ours'][0]:19.1f} x  {search / best['ours'][1]:4.1f} x")


if __name__ == "__main__":
    main()
