"""BM25 against the package bm25s: the same scores, document by document, on the same words, for all five variants.

bm25s keeps float32, so values are compared to a relative 1e-5; asked for float64, it agrees to 1e-9. Its lucene and
robertson leave out the factor k1 + 1, as ours do.

Its bm25l and bm25+ credit a document with idf * (the weight at tf = 0) for every word of the query that it does not
hold; ours, as Lv and Zhai's, with nothing. So that credit is taken away from its scores, document by document, before
they are compared, and the last tests show what it does to the order.
"""

from collections import Counter

import numpy as np
import pytest

from firstprinciples.corpus import Chunk, Collection
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.bm25_variants import VARIANTS, bm25_plus_idf, bm25l_idf
from firstprinciples.text import tokenize

bm25s = pytest.importorskip("bm25s", reason="needs bm25s: python3 -m firstprinciples test --peers")
pytestmark = pytest.mark.peers


def theirs(documents, queries, k1, b, variant="lucene", dtype="float32", delta=None):
    """Return the scores of bm25s, [queries, documents], for lists of words."""
    delta = {"bm25l": 0.5}.get(variant, 1) if delta is None else delta
    index = bm25s.BM25(method=variant, k1=k1, b=b, delta=delta, dtype=dtype)
    index.index(documents, show_progress=False)
    known = {word for words in documents for word in words}
    rows = []
    for query in queries:
        words = [word for word in query if word in known]  # a word never seen adds nothing
        rows.append(index.get_scores(words) if words else np.zeros(len(documents)))
    return np.array(rows)


def credit(documents, queries, k1, variant):
    """Return what bm25s adds to each document for words that it does not hold, [queries, documents]."""
    if variant not in ("bm25l", "bm25+"):
        return np.zeros((len(queries), len(documents)))
    df = Counter(word for words in documents for word in set(words))
    absent = {"bm25l": lambda n, df: bm25l_idf(n, df) * (k1 + 1) * 0.5 / (k1 + 0.5), "bm25+": bm25_plus_idf}[variant]
    value = {word: absent(len(documents), count) for word, count in df.items()}
    return np.array([[sum(value.get(word, 0.0) for word in query if word not in words) for words in map(set, documents)]
                     for query in queries])


def ours(documents, queries, k1, b, variant="lucene"):
    """Return our scores, [queries, documents], for lists of words."""
    index = BM25([" ".join(words) for words in documents], k1, b, variant, tokenizer=str.split)
    rows = np.zeros((len(queries), len(documents)))
    for row, query in zip(rows, queries, strict=True):
        for id, score in index.search(" ".join(query), k=len(documents)):
            row[int(id)] = score
    return rows


@pytest.mark.parametrize("k1", [1.2, 1.5])
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("seed", range(4))
def test_random_corpora(seed, variant, k1):
    draw = np.random.default_rng(seed)
    documents = [[f"w{i}" for i in draw.zipf(1.3, size=draw.integers(1, 60)) % 200] for _ in range(150)]
    queries = [[f"w{i}" for i in draw.integers(0, 220, size=draw.integers(1, 9))] for _ in range(40)]
    queries.append(["w1", "w2", "w1"])  # a word that stands twice
    mine, extra = ours(documents, queries, k1, 0.75, variant), credit(documents, queries, k1, variant)
    # the credit on our side: taken away from float32 it would leave their rounding alone
    np.testing.assert_allclose(mine + extra, theirs(documents, queries, k1, 0.75, variant), rtol=1e-5)
    exact = theirs(documents, queries, k1, 0.75, variant, "float64")
    np.testing.assert_allclose(mine, exact - extra, rtol=1e-9, atol=1e-9)
    assert (extra.max() > 1) == (variant in ("bm25l", "bm25+"))


def test_the_scores_are_not_all_alike():
    # what is compared above must differ between documents and settings
    documents = [["a", "b", "a"], ["a", "c"], ["d"] * 5]
    scores = ours(documents, [["a"]], 1.2, 0.75)
    assert scores[0, 0] > scores[0, 1] > scores[0, 2] == 0
    assert abs(ours(documents, [["a"]], 1.5, 0.75) - scores).max() > 1e-3


# What credit for absent words does to the order

# the first holds one of the two words twice, the second, which is long, both of them once
SHORT_AND_LONG = [["a", "a"], ["b", "a", *"yyyyyyyy"], ["z"], ["z"], ["a"]]


def test_with_credit_the_delta_of_bm25_plus_cannot_change_an_order():
    draw = np.random.default_rng(4)
    documents = [[f"w{i}" for i in draw.zipf(1.3, size=draw.integers(1, 60)) % 200] for _ in range(150)]
    queries = [[f"w{i}" for i in draw.integers(0, 150, size=draw.integers(2, 9))] for _ in range(40)]
    without = theirs(documents, queries, 1.5, 0.75, "bm25+", "float64", delta=0)
    for delta in (1, 5):
        shift = theirs(documents, queries, 1.5, 0.75, "bm25+", "float64", delta=delta) - without
        # the same for every document, whether it holds the words or not
        np.testing.assert_allclose(shift, np.broadcast_to(shift[:, :1], shift.shape), rtol=1e-9)
        assert shift.min() > 0.5
    # ours is another order than that without delta for some of them: here delta does something
    moved = sum((np.argsort(-row, kind="stable")[:10] != np.argsort(-other, kind="stable")[:10]).any()
                for row, other in zip(ours(documents, queries, 1.5, 0.75, "bm25+"), without, strict=True))
    assert moved > 10


def test_the_delta_of_bm25_plus_lifts_a_long_page_with_both_words_above_a_short_one_with_one():
    documents = [*SHORT_AND_LONG, ["z"]]
    without = theirs(documents, [["a", "b"]], 1.5, 0.75, "bm25+", "float64", delta=0)[0]
    with_credit = theirs(documents, [["a", "b"]], 1.5, 0.75, "bm25+", "float64")[0]
    mine = ours(documents, [["a", "b"]], 1.5, 0.75, "bm25+")[0]
    assert without[0] > without[1] and with_credit[0] > with_credit[1] and mine[0] < mine[1]
    # a in 3 of 6, b in 1 of 6: idf ln(7/3) = 0.8472979 and ln 7 = 1.9459101
    assert with_credit[2] == pytest.approx(0.8472979 + 1.9459101, abs=1e-6)  # a page that holds neither
    assert mine[2] == 0
    assert with_credit[0] - mine[0] == pytest.approx(1.9459101, abs=1e-6)  # b is absent there
    assert with_credit[1] == pytest.approx(mine[1], rel=1e-9)  # nothing is absent there


def test_in_bm25l_the_orders_differ():
    with_credit = theirs(SHORT_AND_LONG, [["a", "b"]], 1.5, 0.75, "bm25l", "float64")[0]
    mine = ours(SHORT_AND_LONG, [["a", "b"]], 1.5, 0.75, "bm25l")[0]
    assert with_credit[0] > with_credit[1] and mine[0] < mine[1]
    # N 5, b in 1: idf ln(6/1.5) = 1.3862944, times 2.5 * 0.5 / 2 = 0.625
    assert with_credit[0] - mine[0] == pytest.approx(1.3862944 * 0.625, abs=1e-6)
    assert with_credit[1] == pytest.approx(mine[1], rel=1e-9)


@pytest.mark.collections
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name, k1", [("cranfield", 1.5)])
def test_each_variant_on_a_real_collection(collections_folder, name, k1, variant):
    collection = Collection.load(collections_folder / name)
    documents = [tokenize(chunk.text, codes=False, stop_words=True, stem=True) for chunk in collection.chunks]
    queries = [tokenize(query.text, codes=False, stop_words=True, stem=True) for query in collection.queries[:40]]
    mine, extra = ours(documents, queries, k1, 0.75, variant), credit(documents, queries, k1, variant)
    np.testing.assert_allclose(mine + extra, theirs(documents, queries, k1, 0.75, variant), rtol=1e-5)


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
