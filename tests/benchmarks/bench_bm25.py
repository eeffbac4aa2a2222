"""Compare the speed of our BM25 with bm25s (NumPy backend) and rank_bm25, in one run: every BM25 row of the targets.

    python tests/benchmarks/bench_bm25.py [FOLDER ...] [--repeats 5] [--k 10]

FOLDER is a BEIR folder, such as cranfield: titles and texts, stop words left out, stems. To these come collections made
up here, of 1,400 to 100,000 documents, with words as frequent as Zipf's law has them; each of their questions is ten
words of one document, so that a common word is asked for as often as it is written.

All sides get the same words and index them from there. Then they look for the k best of every query, ours and rank_bm25
one query after the other, bm25s all in one call, which suits it best. They take turns on one thread, and the best of
the repeats counts, in processor time, which other programs disturb less. rank_bm25, which reads every document for
every word, answers 20 queries of each collection once, and is left out of the largest. It prints figures, with the
targets, and asserts nothing.
"""

import argparse
import os
import platform
import sys
import time
from importlib.metadata import version
from pathlib import Path
from statistics import median

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

SIZES = (1_400, 2_800, 5_600, 11_000, 100_000)
LARGE = 100_000  # from so many documents on, the targets are others


def words(text):
    return tokenize(text, codes=False, stop_words=True, stem=True)


def real(folder):
    """Return (name, documents, queries) of a BEIR folder, as lists of words."""
    collection = Collection.load(folder)
    return collection.name, [words(c.text) for c in collection.chunks], [words(q.text) for q in collection.queries]


def generated(n, seed=0):
    """Return (name, documents, queries): `n` documents of about 110 words, and 200 queries of ten.

    The word of rank r is written in proportion to 1 / (r + 20), and there are the more words the more documents there
    are (Heaps' law): near to what stop words and stems leave of English.
    """
    draw = np.random.default_rng(seed)
    vocabulary = [f"w{i}" for i in range(3000 + int(60 * n**0.6))]
    chance = np.cumsum(1 / (np.arange(len(vocabulary)) + 20))
    lengths = np.maximum(draw.lognormal(np.log(100), 0.5, n).astype(int), 10)
    numbers = np.searchsorted(chance, draw.random(lengths.sum()) * chance[-1]).tolist()
    documents, start = [], 0
    for length in lengths.tolist():
        documents.append([vocabulary[i] for i in numbers[start:start + length]])
        start += length
    queries = [draw.choice(documents[i], 10).tolist() for i in draw.integers(0, n, 200)]
    return "made up", documents, queries


def ours(documents):
    """Return (our index, its function from queries and k to results); the words are handed in as they are."""
    index = BM25([Chunk(str(i), document) for i, document in enumerate(documents)], tokenizer=lambda given: given)
    return index, lambda queries, k: [index.search(query, k=k) for query in queries]


def theirs(documents):
    """The same for bm25s."""
    index = bm25s.BM25(method="lucene", k1=1.2, b=0.75, backend="numpy")
    index.index(documents, show_progress=False)
    return index, lambda queries, k: index.retrieve(queries, k=min(k, len(documents)), show_progress=False)


def plain(documents):
    """The same for rank_bm25."""
    index = rank_bm25.BM25Okapi(documents, k1=1.2, b=0.75)
    return index, lambda queries, k: [np.argsort(-index.get_scores(query))[:k] for query in queries]


def seconds(function, *arguments):
    """Return (seconds of processor time, what the function gave)."""
    start = time.process_time()
    result = function(*arguments)
    return time.process_time() - start, result


def difference(index, other, queries, k):
    """Return the largest relative difference between the scores of our hits and what bm25s gives those documents."""
    worst = 0.0
    for query in queries:
        scores = other.get_scores(query)
        for id, score in index.search(query, k=k):
            worst = max(worst, abs(score - scores[int(id)]) / score)
    return worst


def measure(name, documents, queries, k, repeats):
    """Return a row: the figures of one collection."""
    known = {word for document in documents for word in document}
    queries = [[word for word in query if word in known] for query in queries]
    queries = [query for query in queries if query]  # bm25s takes no query without a known word
    build, search = {ours: [], theirs: []}, {ours: [], theirs: []}
    for _ in range(repeats):
        made = {}
        for side in build:
            spent, made[side] = seconds(side, documents)
            build[side].append(spent)
        for _ in range(3):
            for side in search:
                search[side].append(seconds(made[side][1], queries, k)[0])
    index, other = made[ours][0], made[theirs][0]
    row = {"name": name, "documents": len(documents), "difference": difference(index, other, queries[:50], k)}
    arrays = [value for value in vars(index).values() if isinstance(value, np.ndarray)]
    row["bytes"], row["postings"] = sum(a.nbytes for a in arrays), index.holders.nbytes + index.weights.nbytes
    row["touched"] = np.mean([sum(index.drawer(word).stop - index.drawer(word).start for word in query)
                              for query in queries]) / len(documents)
    row["index"] = {side.__name__: len(documents) / min(build[side]) for side in build}
    row["search"] = {side.__name__: len(queries) / min(search[side]) for side in search}
    if len(documents) < LARGE:
        spent, (_, answer) = seconds(plain, documents)
        row["index"]["plain"] = len(documents) / spent
        row["search"]["plain"] = len(queries[:20]) / seconds(answer, queries[:20], k)[0]
    return row


def verdict(value, target):
    return f"target {target:.1f}: {'reached' if value >= target else 'MISSED'}"


def show(rows, work, title, unit, targets):
    """Print one table: a line for each collection, with how many times faster ours is and whether that is enough."""
    print(f"\n{title}\n{'':12} {'documents':>9} {'ours':>9} {'bm25s':>9} {'rank_bm25':>9}  {unit}; ours / theirs")
    ratios = []
    for row, target in zip(rows, targets, strict=True):
        speed = row[work]
        ratio = speed["ours"] / speed["theirs"]
        ratios.append(ratio)
        third = f"{speed['plain']:9,.0f}" if "plain" in speed else f"{'-':>9}"
        more = f", {speed['ours'] / speed['plain']:.1f} x" if "plain" in speed else ""
        print(f"{row['name']:12} {row['documents']:9,} {speed['ours']:9,.0f} {speed['theirs']:9,.0f} {third}  "
              f"{ratio:.2f} x ({verdict(ratio, target)}){more}")
    return ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help="a BEIR folder, such as cranfield")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--k", type=int, default=10)
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, bm25s {version('bm25s')} (NumPy backend), "
          f"rank_bm25 {version('rank_bm25')}, {platform.machine()}, one thread, best of {options.repeats}")
    rows = [measure(*real(folder), options.k, options.repeats) for folder in options.folders]
    rows += [measure(*generated(n), options.k, options.repeats) for n in SIZES]
    small = [row for row in rows if row["documents"] < LARGE]
    large = [row for row in rows if row["documents"] >= LARGE]

    ratios = show(rows, "index", "Index, from tokens", "documents/s", [3.0] * len(rows))
    print(f"{'median':52}  {median(ratios):.2f} x ({verdict(median(ratios), 3.0)})")
    ratios = show(small, "search", f"Search, top {options.k}", "queries/s", [1.0] * len(small))
    print(f"{'median':52}  {median(ratios):.2f} x ({verdict(median(ratios), 1.2)})")
    show(large, "search", f"Search, top {options.k}, large collections", "queries/s", [3.0] * len(large))

    print("\nIndex arrays, against the postings: int32 document and float64 weight, 12 bytes each")
    for row in rows:
        ratio = row["bytes"] / row["postings"]
        print(f"{row['name']:12} {row['documents']:9,} {row['bytes'] / 1e6:9,.1f} MB {row['postings'] / 1e6:9,.1f} MB  "
              f"{ratio:.3f} x (target 1.2: {'reached' if ratio <= 1.2 else 'MISSED'}); a query touches "
              f"{row['touched']:.2f} postings a document")
    worst = max(row["difference"] for row in rows)
    print(f"\nLargest relative difference of a score from bm25s: {worst:.1e} "
          f"(target 1e-5: {'reached' if worst <= 1e-5 else 'MISSED'})")


if __name__ == "__main__":
    main()
