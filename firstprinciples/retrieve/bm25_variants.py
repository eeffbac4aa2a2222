"""Five functions called BM25: what else the name stands for, and how the others weigh rarity and repeats.

The formula of `bm25` is one of a family. Programs that all say "BM25" give other scores, sometimes another order,
because each takes its rarity and its term weight from another paper. With N documents, df of them with the word, tf
times in this one, and K = 1 - b + b * |d| / average length:

    variant      rarity (idf)                           term weight
    lucene       ln(1 + (N - df + 0.5) / (df + 0.5))    tf / (tf + k1 K)
    robertson    ln((N - df + 0.5) / (df + 0.5)), >= 0  tf / (tf + k1 K)
    atire        ln(N / df)                             (k1 + 1) tf / (tf + k1 K)
    bm25l        ln((N + 1) / (df + 0.5))               (k1 + 1) (c + 0.5) / (k1 + c + 0.5),  c = tf / K
    bm25+        ln((N + 1) / df)                       (k1 + 1) tf / (tf + k1 K) + 1

The last two answer one fault: on a very long page the weight of a word falls to almost nothing, so that a page which
mentions it ranks hardly better than one that does not. Both add a constant where a word is there; a word that is not
there adds nothing. The table follows C. Kamphuis, A. de Vries, L. Boytsov and J. Lin, "Which BM25 do you mean?", ECIR
2020, who found hardly any difference between them in quality.

The functions take K as `norm`, so that a learner's `bm25.length_norm` drives every variant. lucene is `bm25.idf` and
`bm25.term_weight` themselves.
"""

import math

VARIANTS = ("lucene", "robertson", "atire", "bm25l", "bm25+")


def robertson_idf(n: int, df: int) -> float:
    """Return ln((n - df + 0.5) / (df + 0.5)), or 0.0 where that is below 0.

    `n` documents, `df` of them hold the word, 0 <= df <= n. From half of the documents on a word is worth 0, and finds
    nothing by itself.
    S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3; the floor
    is that of Kamphuis et al., 2020.

    >>> round(robertson_idf(n=3, df=1), 4), robertson_idf(n=4, df=2), robertson_idf(n=4, df=4)
    (0.5108, 0.0, 0.0)
    """
    return max(0.0, math.log((n - df + 0.5) / (df + 0.5)))


def robertson_weight(tf: int, k1: float, norm: float) -> float:
    """Return tf / (tf + k1 * norm), and 0.0 when `tf` is 0: between 0 and 1.

    `norm` is K, above 0. Robertson and Zaragoza, 2009, section 3; `bm25.term_weight` without the factor (k1 + 1).

    >>> robertson_weight(tf=3, k1=1.5, norm=2.0)
    0.5
    """
    return tf / (tf + k1 * norm) if tf else 0.0


def atire_idf(n: int, df: int) -> float:
    """Return ln(n / df), which is 0 for a word that every document holds; 1 <= df <= n.

    A. Trotman, X. Jia and M. Crane, "Towards an Efficient and Effective Search Engine", SIGIR workshop on open source
    information retrieval, 2012.

    >>> round(atire_idf(n=3, df=1), 4), atire_idf(n=3, df=3)
    (1.0986, 0.0)
    """
    return math.log(n / df)


def atire_weight(tf: int, k1: float, norm: float) -> float:
    """Return (k1 + 1) * tf / (tf + k1 * norm), and 0.0 when `tf` is 0: 1 for a single mention where K is 1.

    `norm` is K, above 0. Trotman, Jia and Crane, 2012; the same as `bm25.term_weight`.

    >>> atire_weight(tf=3, k1=1.5, norm=2.0)
    1.25
    """
    return (k1 + 1) * robertson_weight(tf, k1, norm)


def bm25l_idf(n: int, df: int) -> float:
    """Return ln((n + 1) / (df + 0.5)), which is above 0 also for a word that every document holds.

    Y. Lv and C. Zhai, "When Documents Are Very Long, BM25 Fails!", SIGIR 2011.

    >>> round(bm25l_idf(n=3, df=1), 4), round(bm25l_idf(n=3, df=3), 4)
    (0.9808, 0.1335)
    """
    return math.log((n + 1) / (df + 0.5))


def bm25l_weight(tf: int, k1: float, norm: float, delta: float = 0.5) -> float:
    """Return (k1 + 1) * (c + delta) / (k1 + c + delta) with c = tf / norm, and 0.0 when `tf` is 0.

    `norm` is K, above 0. c is the count held against the length; `delta` is added before saturation, so that on a long
    page the weight never falls below (k1 + 1) * delta / (k1 + delta). Lv and Zhai, SIGIR 2011, with their delta 0.5.

    >>> bm25l_weight(tf=2, k1=1.5, norm=2.0)  # c is 1: 2.5 * 1.5 / 3
    1.25
    """
    if tf == 0:
        return 0.0
    c = tf / norm
    return (k1 + 1) * (c + delta) / (k1 + c + delta)


def bm25_plus_idf(n: int, df: int) -> float:
    """Return ln((n + 1) / df), which is above 0 also for a word that every document holds; 1 <= df <= n.

    Y. Lv and C. Zhai, "Lower-Bounding Term Frequency Normalization", CIKM 2011.

    >>> round(bm25_plus_idf(n=3, df=1), 4), round(bm25_plus_idf(n=3, df=3), 4)
    (1.3863, 0.2877)
    """
    return math.log((n + 1) / df)


def bm25_plus_weight(tf: int, k1: float, norm: float, delta: float = 1.0) -> float:
    """Return (k1 + 1) * tf / (tf + k1 * norm) + delta, and 0.0 when `tf` is 0.

    `norm` is K, above 0. `delta` is added after saturation: however long a page is, the word is worth
    at least delta * idf there. Lv and Zhai, CIKM 2011, with their delta 1.

    >>> bm25_plus_weight(tf=3, k1=1.5, norm=2.0)
    2.25
    """
    return atire_weight(tf, k1, norm) + delta if tf else 0.0


# variant -> (rarity, term weight); lucene is not here: its two are the tasks `bm25.idf` and `bm25.term_weight`
PARTS = {
    "robertson": (robertson_idf, robertson_weight),
    "atire": (atire_idf, atire_weight),
    "bm25l": (bm25l_idf, bm25l_weight),
    "bm25+": (bm25_plus_idf, bm25_plus_weight),
}
