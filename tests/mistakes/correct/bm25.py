"""Other right ways to write the tasks bm25.*: the graded tests must pass them all."""

import math
from collections import Counter, defaultdict

import numpy as np

from firstprinciples.retrieve.bm25 import idf, rank, score, term_weight


def invert__counter(documents):
    index = defaultdict(dict)
    for position, words in enumerate(documents):
        for word, tf in Counter(words).items():
            index[word][position] = tf
    return index


def invert__comprehension(documents):
    return {word: {i: words.count(word) for i, words in enumerate(documents) if word in words}
            for word in sorted({word for words in documents for word in words})}


def invert__numpy_numbers(documents):
    index = {}
    for (word, i), tf in Counter((word, i) for i, words in enumerate(documents) for word in words).items():
        index.setdefault(word, {})[np.int64(i)] = np.int32(tf)
    return index


def idf__log1p(n, df):
    return math.log1p((n - df + 0.5) / (df + 0.5))


def idf__one_fraction(n, df):
    return np.log((n + 1) / (df + 0.5))


def idf__float32(n, df):
    return np.float32(math.log(n + 1) - math.log(df + 0.5))


def length_norm__one_plus(length, average, b):
    return 1 + b * (length / average - 1) if average else 1


def length_norm__float32(length, average, b):
    return np.float32(1 - b + b * length / average) if average else np.float32(1)


def length_norm__array_0d(length, average, b):
    return np.array(1.0) if average == 0 else np.array((1 - b) + b * length / average)


def term_weight__written_out(tf, k1, b, length, average):
    if tf == 0:
        return 0
    return tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average))


def term_weight__divided(tf, k1, b, length, average):
    if not tf:
        return 0.0
    relative = tf / (1 - b + b * length / average)
    return (k1 + 1) * relative / (k1 + relative)


def term_weight__float32(tf, k1, b, length, average):
    tf = np.float32(tf)
    return tf * np.float32(k1 + 1) / (tf + np.float32(k1 * (1 - b + b * length / average))) if tf else np.float32(0)


def score__counter(query, document, documents, k1=1.2, b=0.75):
    tf, average = Counter(document), np.mean([len(words) for words in documents])
    return float(sum(times * idf(len(documents), sum(word in words for words in documents))
                     * term_weight(tf[word], k1, b, len(document), average) for word, times in Counter(query).items()))


def score__vectorized(query, document, documents, k1=1.2, b=0.75):
    query = [word for word in query if word in document]
    if not query:
        return 0.0
    tf = np.array([document.count(word) for word in query])
    df = np.array([sum(word in words for words in documents) for word in query])
    average = sum(map(len, documents)) / len(documents)
    k = 1 - b + b * len(document) / average
    return (np.log((len(documents) + 1) / (df + 0.5)) * tf * (k1 + 1) / (tf + k1 * k)).sum()


def score__float32(query, document, documents, k1=1.2, b=0.75):
    return np.float32(score(query, document, documents, k1, b))


def rank__every_document(query, documents, k=10, k1=1.2, b=0.75):
    found = [(i, score(query, words, documents, k1, b)) for i, words in enumerate(documents)]
    return sorted([p for p in found if p[1] > 0], key=lambda p: p[1], reverse=True)[:k]


def rank__numpy(query, documents, k=10, k1=1.2, b=0.75):
    if not documents:
        return []
    totals = np.array([score(query, words, documents, k1, b) for words in documents])
    order = np.argsort(-totals, kind="stable")
    return [(i, totals[i]) for i in order[:k] if totals[i] > 0]


def rank__lists_for_tuples(query, documents, k=10, k1=1.2, b=0.75):
    return [[i, np.float32(total)] for i, total in rank(query, documents, k, k1, b)]
