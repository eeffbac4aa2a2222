"""BM25: rank documents by the words they share with the question.

The problem. A question has a few words, a company has thousands of pages. Which page is about it? Counting shared words
almost works, and BM25 is three corrections to counting:

1. rarity: a word that few documents hold says more than one that all hold ("defibrillator" against "the");
2. saturation: the tenth "invoice" on a page says less than the second; k1 sets how fast repeats stop counting;
3. length: a long page mentions everything once, so its counts are held against its length; b sets how strongly.

    score(q, d) = sum over the words w of q of  idf(w) * tf * (k1 + 1) / (tf + k1 * K)
    idf(w) = ln(1 + (N - df + 0.5) / (df + 0.5))         K = 1 - b + b * |d| / average length

N documents, df of them hold w, tf times in d. Source: S. Robertson and H. Zaragoza, "The Probabilistic Relevance
Framework: BM25 and Beyond", Foundations and Trends in Information Retrieval 3(4), 2009; the idf with 1 + inside the
logarithm, which is never negative, is that of the Lucene search library. Lucene also leaves out the constant (k1 + 1),
which changes no order; so does the class at the bottom, unless it is told `k1_plus_1=True`.

The parts come first, in the order of lesson 03; `rank` puts them together in the plainest way; the class `BM25` does
the same sum over the arrays of `postings`. Four other functions that are called BM25 stand in `bm25_variants`.
"""

import math
import operator
import reprlib
from collections import Counter

import numpy as np

from firstprinciples.retrieve import Explanation, Hit, Part, ids_of, listed
from firstprinciples.retrieve.bm25_variants import PARTS, VARIANTS
from firstprinciples.retrieve.learners import assert_above_0, named, numbers_of
from firstprinciples.retrieve.postings import add_up, flatten, pairs_of, places, round_off, top
from firstprinciples.text import tokenize


def invert(documents: list[list[str]]) -> dict[str, dict[int, int]]:
    """Build the inverted index: for each word, which documents hold it and how often.

    `documents` is a list of documents, each a list of words. Returns {word: {position of the document: count}}, with
    positions from 0; a document that lacks the word is not in the word's dict.
    Lesson 03, "The index".

    >>> invert([["red", "tent", "red"], ["tent"]])
    {'red': {0: 2}, 'tent': {0: 1, 1: 1}}
    """
    index = {}
    for position, words in enumerate(documents):
        for word in words:
            postings = index.setdefault(word, {})
            postings[position] = postings.get(position, 0) + 1
    return index


def idf(n: int, df: int) -> float:
    """Say how much a word is worth because it is rare: ln(1 + (n - df + 0.5) / (df + 0.5)).

    `n` is the number of documents, `df` the number of documents that hold the word at least once, 0 <= df <= n.
    Returns a number above 0, also for a word that is in every document.
    Lesson 03, "Rarity".

    >>> round(idf(n=3, df=1), 4)
    0.9808
    """
    return math.log(1 + (n - df + 0.5) / (df + 0.5))


def length_norm(length: int, average: float, b: float) -> float:
    """Say how long a document is against the average, softened by b: 1 - b + b * length / average.

    `length` and `average` count words, repeats included. `b` is between 0 (length does not matter: always 1) and 1 (it
    matters fully). Returns 1 for a document of average length, more for a longer one. Where every document is empty
    the average is 0; then it returns 1.
    Lesson 03, "Length".

    >>> length_norm(length=4, average=6, b=0.75)
    0.75
    """
    if average == 0:
        return 1.0
    return 1 - b + b * length / average


def term_weight(tf: int, k1: float, b: float, length: int, average: float) -> float:
    """Say how much `tf` occurrences of a word count in one document: tf * (k1 + 1) / (tf + k1 * K).

    K is `length_norm(length, average, b)`. `k1` is 0 or more: at 0 the first occurrence is all that counts; the result
    never passes k1 + 1. Returns 0.0 when `tf` is 0, also when k1 is 0.
    Lesson 03, "Saturation".

    >>> round(term_weight(tf=3, k1=1.2, b=0.75, length=4, average=6), 4)
    1.6923
    """
    if tf == 0:
        return 0.0
    return tf * (k1 + 1) / (tf + k1 * length_norm(length, average, b))


def score(query: list[str], document: list[str], documents: list[list[str]], k1: float = 1.2, b: float = 0.75) -> float:
    """Add up, over the words of the query, rarity times term weight: the BM25 score of one document.

    All texts are lists of words; `documents` is the whole collection, which gives df and the average length. A query
    word that is not in the document adds nothing; a word that stands twice in the query counts twice. Returns 0.0 when
    nothing matches.
    Lesson 03, "The sum".

    >>> texts = ["hello there good man", "it is quite windy in london", "how is the weather today"]
    >>> documents = [text.split() for text in texts]
    >>> round(score(["windy", "london"], documents[1], documents, k1=1.5, b=0.75), 4)
    1.7997
    """
    n, average = len(documents), sum(len(words) for words in documents) / len(documents)
    total = 0.0
    for word in query:
        df = sum(word in words for words in documents)
        if word in document:
            total += idf(n, df) * term_weight(document.count(word), k1, b, len(document), average)
    return total


def rank(query: list[str], documents: list[list[str]], k: int = 10, k1: float = 1.2,
         b: float = 0.75) -> list[tuple[int, float]]:
    """Return the k best documents for the query: [(position, score), ...], the best first.

    The whole of BM25, from its parts, through an inverted index: only documents that hold a word of the query are
    touched. `query` is a list of words, `documents` a list of lists of words. Documents that hold none are left out, so
    the list may be shorter than k; equal scores are ordered by position, ascending. An empty collection gives [].
    Lesson 03, "The sum".

    >>> [position for position, _ in rank(["red", "tent"], [["blue", "tent"], ["red", "tent"], ["stove"]])]
    [1, 0]
    """
    if not documents:
        return []
    index = invert(documents)
    n, average = len(documents), sum(len(words) for words in documents) / len(documents)
    totals = {}
    for word in query:
        postings = index.get(word, {})
        for position, tf in postings.items():
            part = idf(n, len(postings)) * term_weight(tf, k1, b, len(documents[position]), average)
            totals[position] = totals.get(position, 0.0) + part
    return sorted(totals.items(), key=lambda pair: (-pair[1], pair[0]))[:k]


class BM25:
    """The same sum over arrays: what a word adds to a document is computed when the index is built.

    `chunks` are Chunk objects or plain strings (ids are then "0", "1", ...); `variant` is one of VARIANTS; `tokenizer`
    turns a text into words, a list or what can be made one. `k1_plus_1` gives scores and explanations of lucene and
    robertson the factor (k1 + 1) above, which the others have anyway. With `repeats=False` a word that stands twice in
    the query counts once. Raises ValueError for an empty collection, ids that repeat, k1 < 0, b outside 0..1, an
    unknown variant, and a function that gives what no score can be made of, which it names; TypeError for what are no
    chunks.

    >>> BM25(["a red tent", "a stove"]).search("red tent", k=1)[0].id
    '0'
    """

    def __init__(self, chunks, k1=1.2, b=0.75, variant="lucene", k1_plus_1=False, tokenizer=tokenize, repeats=True):
        chunks = listed(chunks, "BM25([text])")
        if not 0 <= k1 <= 1_000_000:
            raise ValueError(f"k1 is {k1}; it must be from 0 to 1,000,000 (1.2 is usual).")
        if not 0 <= b <= 1:
            raise ValueError(f"b is {b}; it must be between 0 and 1 (0.75 is usual).")
        if variant not in VARIANTS:
            raise ValueError(f"There is no BM25 variant {variant!r}; choose one of {', '.join(VARIANTS)}.")
        ids = ids_of(chunks)
        order = sorted(range(len(ids)), key=ids.__getitem__)  # so that equal scores come out in the order of ids
        self.ids = [ids[i] for i in order]
        self.position = {id: i for i, id in enumerate(self.ids)}
        self.k1, self.b, self.variant, self.tokenizer, self.repeats = k1, b, variant, tokenizer, repeats
        factor = k1 + 1 if k1_plus_1 else 1.0
        self.scale = {"lucene": factor / (k1 + 1), "robertson": factor}.get(variant, 1.0)

        # One posting for each (word, document) pair, in flat arrays sorted by word: word number i owns the slice
        # starts[i]:starts[i + 1]; there, `holders` are the positions of documents and `weights` what the word adds to
        # their scores.
        self.texts = [c if isinstance(c, str) else c.text for c in map(chunks.__getitem__, order)]  # as `ids`
        documents = [self._words(text) for text in self.texts]
        self.lengths = np.array([len(words) for words in documents])
        self.average = float(self.lengths.mean())
        self.words, starts, self.holders, self.tf = flatten(documents)
        self.starts = starts.tolist()
        self.weights = round_off(self._rarities(np.diff(starts)) * self._term_weights())

    def drawer(self, word: str) -> slice:
        """Return the slice of the postings that belong to a word of the index."""
        number = self.words[word]
        return slice(self.starts[number], self.starts[number + 1])

    def _words(self, text: str) -> list[str]:
        """Return the words of a text; raises ValueError where the tokenizer gave something else."""
        words = self.tokenizer(text)
        if type(words) is list:
            return words
        if isinstance(words, (str, bytes)) or not hasattr(words, "__iter__"):
            raise ValueError(f"The tokenizer gave {reprlib.repr(words)}, which is not a list of words.")
        return list(words)

    def _rarities(self, df: np.ndarray) -> np.ndarray:
        """Return the idf of each posting's word: the function is called once for each df, and `explain` needs them."""
        function = idf if self.variant == "lucene" else PARTS[self.variant][0]
        values, place = places(df)
        with named("idf"):
            rarities = [function(len(self.ids), n) for n in values.tolist()]
        rarities = numbers_of(rarities, "idf")
        self.rarity = dict(zip(values.tolist(), rarities.tolist(), strict=True))
        return np.repeat(rarities[place], df)

    def _term_weights(self) -> np.ndarray:
        """Return the term weight of each posting: the function is called once for each (tf, length) that occurs."""
        pairs, place = pairs_of(self.tf, self.lengths, self.holders)
        weights = self._weights_of(pairs) * self.scale
        self.weight = dict(zip(pairs, weights.tolist(), strict=True))
        return weights[place]

    def _weights_of(self, pairs: list[tuple[int, int]]) -> np.ndarray:
        """Return the term weight of each (tf, length); raises ValueError where `length_norm` is no norm."""
        lengths = sorted({n for _, n in pairs})
        with named("length_norm"):
            norms = [length_norm(n, self.average, self.b) for n in lengths]
        norms = dict(zip(lengths, numbers_of(norms, "length_norm").tolist(), strict=True))
        if self.variant != "lucene":
            assert_above_0(norms)
            function = PARTS[self.variant][1]
            return np.array([function(tf, self.k1, norms[n]) for tf, n in pairs], dtype=float)
        try:
            with named("term_weight"):  # which calls length_norm itself
                weights = [term_weight(tf, self.k1, self.b, n, self.average) for tf, n in pairs]
            return numbers_of(weights, "term_weight")
        except Exception as error:
            wrong = error
        assert_above_0(norms)  # or else it was the norm that the term weight could not be made of
        raise wrong

    def _query(self, query: str) -> list[str]:
        """Return the words of a query, each as often as it counts."""
        words = self._words(query)
        return words if self.repeats else list(dict.fromkeys(words))

    def search(self, query: str, k: int = 10) -> list[Hit]:
        """Return the k chunks that score highest, best first; only those that score above 0.

        A word that stands twice in the query counts twice; words never seen add nothing. Raises ValueError unless k
        is a whole number, 1 or more.
        """
        try:
            k = operator.index(k)  # a Python int, also from a small NumPy type, in which 20 * k would not fit
        except TypeError:
            raise ValueError(f"k is {k!r}; ask for a whole number of results.") from None
        if k < 1:
            raise ValueError(f"k is {k}; ask for at least 1 result.")
        drawers = [self.drawer(word) for word in self._query(query) if word in self.words]
        totals = add_up([(self.holders[drawer], self.weights[drawer]) for drawer in drawers], len(self.ids))
        best = top(totals, k)
        return [Hit(self.ids[i], score) for i, score in zip(best.tolist(), totals[best].tolist(), strict=True)]

    def explain(self, query: str, id: str) -> Explanation:
        """Take the score of one chunk apart: one part for each different word of the query, 0 where it does not match.

        Raises KeyError for an id that is not in the index.
        """
        if not isinstance(id, str) or id not in self.position:
            raise KeyError(f"There is no chunk {id!r} in this index.")
        here, parts = self.position[id], []
        for word, times in Counter(self._query(query)).items():
            if word not in self.words:
                parts.append(Part(word, 0.0, "in no chunk"))
                continue
            drawer = self.drawer(word)
            start, end = drawer.start, drawer.stop
            at, df = start + np.searchsorted(self.holders[start:end], here), end - start
            if at == end or self.holders[at] != here:
                parts.append(Part(word, 0.0, f"not in this chunk; in {df} of {len(self.ids)}"))
                continue
            tf, length = int(self.tf[at]), int(self.lengths[here])
            note = (f"idf {self.rarity[df]:.4f} (in {df} of {len(self.ids)}) x weight {self.weight[tf, length]:.4f} "
                    f"({tf} in {length} words; average {self.average:.1f})")
            if times > 1:
                note += f" x {times} times in the query"
            parts.append(Part(word, times * float(self.weights[at]), note))
        return Explanation(sum(part.value for part in parts), tuple(parts))
