"""BM25 against the package rank_bm25: by value where it computes the same, and what differs where it does not.

    BM25Okapi   robertson with the factor k1 + 1, except for words in more than half of the documents: their idf, which
                would be below 0, is a quarter of the average idf of all words (ours is 0)
    BM25L       multiplies each part by tf once more, which Lv and Zhai do not: so it is tf times ours
    BM25Plus    credits words that are not in the document with idf * delta
"""

import math

import numpy as np
import pytest

from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.bm25_variants import atire_weight, bm25_plus_idf

rank_bm25 = pytest.importorskip("rank_bm25", reason="needs rank_bm25: python3 -m firstprinciples test --peers")
pytestmark = pytest.mark.peers

DRAW = np.random.default_rng(11)
# 80 documents of 5 to 40 words out of 40: w1 and w2 are in more than half of them
DOCUMENTS = [[f"w{i}" for i in DRAW.geometric(0.12, size=DRAW.integers(5, 41)) if i < 40] or ["w3"] for _ in range(80)]
DF = {word: sum(word in words for words in DOCUMENTS) for word in sorted({w for words in DOCUMENTS for w in words})}
RARE = [word for word, df in DF.items() if df <= 40]
QUERIES = [list(DRAW.choice(list(DF), size=DRAW.integers(1, 6))) for _ in range(60)]
EACH_ONCE = [sorted(set(words)) for words in DOCUMENTS]  # documents in which no word stands twice


def ours(variant, query, documents=DOCUMENTS, k1_plus_1=False):
    """Return our scores, [documents]."""
    index = BM25([" ".join(words) for words in documents], 1.5, 0.75, variant, k1_plus_1, str.split)
    scores = np.zeros(len(documents))
    for id, score in index.search(" ".join(query), k=len(documents)):
        scores[int(id)] = score
    return scores


def test_the_documents_hold_rare_and_common_words():
    assert sum(df > 40 for df in DF.values()) >= 3 and len(RARE) >= 20 and min(DF.values()) <= 3


def test_okapi_is_robertson_for_words_in_at_most_half_of_the_documents():
    index = rank_bm25.BM25Okapi(DOCUMENTS, k1=1.5, b=0.75)
    for query in QUERIES:
        query = [word for word in query if word in RARE]
        np.testing.assert_allclose(ours("robertson", query, k1_plus_1=True), index.get_scores(query), rtol=1e-9)


def test_okapi_gives_a_common_word_a_quarter_of_the_average_rarity_and_we_give_it_none():
    index = rank_bm25.BM25Okapi(DOCUMENTS, k1=1.5, b=0.75)
    floor = 0.25 * np.mean([math.log((80 - df + 0.5) / (df + 0.5)) for df in DF.values()])
    average = np.mean([len(words) for words in DOCUMENTS])
    common = max(DF, key=DF.get)
    expected = [floor * atire_weight(words.count(common), 1.5, 0.25 + 0.75 * len(words) / average)
                for words in DOCUMENTS]
    np.testing.assert_allclose(index.get_scores([common]), expected, rtol=1e-9)
    assert floor > 0.1 and not ours("robertson", [common]).any()


def test_bm25l_is_ours_where_no_word_stands_twice_in_a_document():
    index = rank_bm25.BM25L(EACH_ONCE, k1=1.5, b=0.75, delta=0.5)
    for query in QUERIES:
        np.testing.assert_allclose(ours("bm25l", query, EACH_ONCE), index.get_scores(query), rtol=1e-9)


def test_bm25l_multiplies_by_tf_once_more():
    index = rank_bm25.BM25L(DOCUMENTS, k1=1.5, b=0.75, delta=0.5)
    for word in DF:
        tf = np.array([words.count(word) for words in DOCUMENTS])
        np.testing.assert_allclose(tf * ours("bm25l", [word]), index.get_scores([word]), rtol=1e-9)


def test_bm25_plus_is_ours_without_the_credit_for_absent_words():
    index = rank_bm25.BM25Plus(DOCUMENTS, k1=1.5, b=0.75, delta=1)
    for query in QUERIES:
        credit = [sum(bm25_plus_idf(80, DF[word]) for word in query if word not in words) for words in DOCUMENTS]
        theirs = index.get_scores(query)
        assert theirs.min() > 0  # also where nothing matches
        np.testing.assert_allclose(ours("bm25+", query), theirs - credit, rtol=1e-9, atol=1e-9)
