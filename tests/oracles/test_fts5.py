"""BM25 against SQLite's full-text search, which comes with Python.

FTS5's bm25() has k1 1.2, b 0.75 and the factor k1 + 1, and returns minus the score. It is the robertson variant, but
for a word in half of the documents or more, which is worth 0.000001 there and nothing here:

    FTS5        ln((N - df + 0.5) / (df + 0.5)), and 0.000001 where that is not above 0
    robertson   ln((N - df + 0.5) / (df + 0.5)), and 0 where that is not above 0
    lucene      ln(1 + (N - df + 0.5) / (df + 0.5))

So robertson gives FTS5's score for any query of rarer words. And for one such word FTS5's score times (lucene's rarity
/ theirs) is lucene's score, and an index built with their rarity in the place of `bm25.idf` gives their score for any
query.
"""

import math
import sqlite3
from functools import cache

import numpy as np
import pytest

from firstprinciples.retrieve.bm25 import BM25, idf
from firstprinciples.swap import use


@cache
def has_fts5():
    try:
        sqlite3.connect(":memory:").execute("CREATE VIRTUAL TABLE t USING fts5(words)")
    except sqlite3.OperationalError:
        return False
    return True


@pytest.fixture(autouse=True)
def needs_fts5():
    if not has_fts5():
        pytest.skip("needs SQLite with FTS5: another build of Python has it")


DRAW = np.random.default_rng(5)
# 200 documents of 1 to 40 words out of 60; low numbers are in almost all of them, high ones in a few
DOCUMENTS = [[f"w{i}" for i in DRAW.geometric(0.08, size=DRAW.integers(1, 41)) if i < 60] or ["w1"] for _ in range(200)]
DF = {word: sum(word in words for words in DOCUMENTS) for word in sorted({w for words in DOCUMENTS for w in words})}


@cache
def table():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE chunks USING fts5(words, tokenize = 'unicode61')")
    connection.executemany("INSERT INTO chunks(rowid, words) VALUES (?, ?)",
                           [(i, " ".join(words)) for i, words in enumerate(DOCUMENTS)])
    return connection


def theirs(words):
    """Return {id: score} of FTS5 for documents that hold any of the words, the sign turned."""
    query = " OR ".join(f'"{word}"' for word in words)
    found = table().execute("SELECT rowid, bm25(chunks) FROM chunks WHERE chunks MATCH ?", (query,))
    return {str(id): -score for id, score in found}


def fts5_idf(n, df):
    rarity = math.log((n - df + 0.5) / (df + 0.5))
    return rarity if rarity > 0 else 1e-6


def index(variant="lucene"):
    return BM25([" ".join(words) for words in DOCUMENTS], 1.2, 0.75, variant, k1_plus_1=True, tokenizer=str.split)


def test_the_documents_hold_rare_and_common_words():
    assert min(DF.values()) <= 3 and max(DF.values()) >= 120
    assert sum(df < 100 for df in DF.values()) >= 30


def test_robertson_gives_their_score_for_words_in_fewer_than_half_of_the_documents():
    built, words = index("robertson"), [word for word, df in DF.items() if df < 100]
    for _ in range(100):
        query = list(DRAW.choice(words, size=DRAW.integers(1, 6)))
        expected = {id: pytest.approx(score, rel=1e-9) for id, score in theirs(query).items()}
        assert dict(built.search(" ".join(query), k=200)) == expected


def test_for_a_more_common_word_robertson_gives_nothing_and_they_give_next_to_nothing():
    built, words = index("robertson"), [word for word, df in DF.items() if df >= 100]
    assert len(words) >= 2
    for word in words:
        assert built.search(word) == []
        found = theirs([word])
        assert len(found) == DF[word] and 0 < max(found.values()) < 2.2e-6  # 0.000001 times at most k1 + 1


def test_one_word_scores_after_rescaling():
    built = index()
    for word, df in DF.items():
        if df < 100:  # fewer than half of the 200
            scale = idf(200, df) / fts5_idf(200, df)
            expected = {id: pytest.approx(score * scale, rel=1e-9) for id, score in theirs([word]).items()}
            assert dict(built.search(word, k=200)) == expected
            assert len(expected) == df


def test_any_query_with_their_rarity_in_the_place_of_ours():
    with use("bm25.idf", fts5_idf):
        built = index()
    words = list(DF)
    for _ in range(100):
        query = list(DRAW.choice(words, size=DRAW.integers(1, 6)))  # words of all documents and repeats among them
        expected = {id: pytest.approx(score, rel=1e-9) for id, score in theirs(query).items()}
        assert dict(built.search(" ".join(query), k=200)) == expected


def test_a_word_in_more_than_half_counts_almost_nothing_there_and_something_here():
    word = max(DF, key=DF.get)
    assert max(theirs([word]).values()) < 1e-5
    assert index().search(word, k=1)[0].score > 0.1
