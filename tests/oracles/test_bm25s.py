"""BM25 against the package bm25s: the same scores, document by document, on the same words.

bm25s keeps float32, so values are compared to a relative 1e-5. Its lucene variant leaves out the factor k1 + 1, as ours
does.
"""

import numpy as np
import pytest

from firstprinciples.corpus import Chunk, Collection
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.text import tokenize

bm25s = pytest.importorskip("bm25s", reason="needs bm25s: python3 -m firstprinciples test --peers")
pytestmark = pytest.mark.peers


def theirs(documents, queries, k1, b):
    """Return the scores of bm25s, [queries, documents], for lists of words."""
    index = bm25s.BM25(method="lucene", k1=k1, b=b)
    index.index(documents, show_progress=False)
    known = {word for words in documents for word in words}
    rows = []
    for query in queries:
        words = [word for word in query if word in known]  # a word never seen adds nothing
        rows.append(index.get_scores(words) if words else np.zeros(len(documents)))
    return np.array(rows)


def ours(documents, queries, k1, b):
    """Return our scores, [queries, documents], for lists of words."""
    index = BM25([" ".join(words) for words in documents], k1, b, tokenizer=str.split)
    rows = np.zeros((len(queries), len(documents)))
    for row, query in zip(rows, queries, strict=True):
        for id, score in index.search(" ".join(query), k=len(documents)):
            row[int(id)] = score
    return rows


@pytest.mark.parametrize("k1", [1.2, 1.5])
@pytest.mark.parametrize("seed", range(10))
def test_random_corpora(seed, k1):
    draw = np.random.default_rng(seed)
    documents = [[f"w{i}" for i in draw.zipf(1.3, size=draw.integers(1, 60)) % 200] for _ in range(150)]
    queries = [[f"w{i}" for i in draw.integers(0, 220, size=draw.integers(1, 9))] for _ in range(40)]
    queries.append(["w1", "w2", "w1"])  # a word that stands twice
    np.testing.assert_allclose(ours(documents, queries, k1, 0.75), theirs(documents, queries, k1, 0.75), rtol=1e-5)


def test_the_scores_are_not_all_alike():
    # what is compared above must differ between documents and settings
    documents = [["a", "b", "a"], ["a", "c"], ["d"] * 5]
    scores = ours(documents, [["a"]], 1.2, 0.75)
    assert scores[0, 0] > scores[0, 1] > scores[0, 2] == 0
    assert abs(ours(documents, [["a"]], 1.5, 0.75) - scores).max() > 1e-3


@pytest.mark.collections
@pytest.mark.parametrize("name, k1", [("cranfield", 1.2), ("cranfield", 1.5)])
def test_a_real_collection(collections_folder, name, k1):
    collection = Collection.load(collections_folder / name)

    def words(text):
        return tokenize(text, codes=False, stop_words=True, stem=True)

    documents = [words(chunk.text) for chunk in collection.chunks]
    queries = [words(query.text) for query in collection.queries]
    expected = theirs(documents, queries, k1, 0.75)
    np.testing.assert_allclose(ours(documents, queries, k1, 0.75), expected, rtol=1e-5)
    # and the class used as readers use it, on the texts themselves
    index = BM25([Chunk(str(i), chunk.text) for i, chunk in enumerate(collection.chunks)], k1, 0.75, tokenizer=words)
    for row, query in zip(expected[:50], collection.queries[:50], strict=True):
        hits = index.search(query.text, k=10)
        np.testing.assert_allclose([hit.score for hit in hits], np.sort(row)[::-1][:10], rtol=1e-5)
        np.testing.assert_allclose([hit.score for hit in hits], [row[int(hit.id)] for hit in hits], rtol=1e-5)
