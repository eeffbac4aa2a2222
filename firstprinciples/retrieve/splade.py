"""SPLADE: search by words, after a model has filed each text under words that it does not hold.

The problem. BM25 finds a chunk under the words that stand in it: one about a "car" is not in the drawer "automobile".
A vector finds it, but nobody can say why, and every chunk has to be compared. SPLADE lets a model fill in the card: it
gives each text a weight for every word of a vocabulary, of which nearly all are 0. Some words with a weight stand in
the text (literal), others the model added. What comes out is an inverted index as before, with learned weights:

    weight of word j   w_j = max over the tokens i of the text of  log(1 + relu(logit_ij))
    score(q, d)            = sum over the words j of  w_j(q) * w_j(d)
    loss                   = in-batch softmax loss + lambda * (FLOPS of the questions + FLOPS of the passages)
    FLOPS                  = sum over the words j of  (mean over the texts of the batch of |w_j|)^2

logit_ij says how well word j would fit at the place of token i, or beside it; relu keeps what is above 0. The logarithm
flattens what is large, as k1 does in BM25. FLOPS is a penalty for words that many texts carry: such a word makes a long
drawer, all of which a question has to read, so its mean is squared. It is named after the floating-point operations
that a question costs, to which it is near. At first it would keep the model from learning anything, so its lambda is
raised slowly, with the square of the step. The paper has one lambda for questions and another for passages.

The index can still be read backwards. A dimension of a vector of 384 numbers has no name; here each dimension is a word
of the vocabulary, and the texts that carry it lie in its drawer with their weights. So one can open "automobile" and
read which chunks are filed there, how firmly, and whether they wrote the word or had it added: `Splade.backwards`. And
each score is a sum over words that have names: `Splade.explain`.

Sources: T. Formal, B. Piwowarski and S. Clinchant, "SPLADE: Sparse Lexical and Expansion Model for First Stage
Ranking", SIGIR 2021 (the weights there are sums over the tokens); T. Formal and others, "SPLADE v2", 2021
(arXiv:2109.10086), for the maximum; B. Paria and others, "Minimizing FLOPs to Learn Efficient Sparse Representations",
ICLR 2020, for the penalty.

The functions stand in the order of lesson 14, and the class at the end does the same over the arrays of `postings`. Two
encoders fit it: `encode.expansion`, a toy trained here, and `encode.splade_tiny`, a real one.
"""

import math

import numpy as np

from firstprinciples.encode.learners import given
from firstprinciples.index import named
from firstprinciples.retrieve import Explanation, Hit, Part, ids_of, listed
from firstprinciples.retrieve.postings import add_up, top
from firstprinciples.retrieve.splade_checks import (
    checked_encoder,
    checked_parts,
    checked_rows,
    checked_strongest,
    checked_terms,
    flat,
    whole,
)


def term_weights(logits, mask):
    """Pool the logits of a text's tokens: for each word the maximum over the real tokens of log(1 + relu(logit)).

    `logits` is (tokens, words); `mask` (tokens,) is True or 1 for a token and False or 0 for a place that is only
    filled up, which counts nothing, whatever stands there. relu(x) is x above 0, else 0. Returns (words,), none below
    0; zeros where no token is real. The first version of SPLADE took the sum over the tokens, so that a long text
    weighed more.
    Lesson 14, "The weights".

    >>> term_weights([[0.0, 1.0, -3.0], [0.0, 3.0, -1.0], [9.0, 9.0, 9.0]], mask=[1, 1, 0]).round(4).tolist()
    [0.0, 1.3863, 0.0]
    """
    logits, real = np.asarray(logits, dtype=float), np.asarray(mask, dtype=bool)
    return np.log1p(np.maximum(logits[real], 0)).max(axis=0, initial=0.0)


def flops(weights) -> float:
    """Return the FLOPS penalty: the sum over the words of the square of the mean weight, (mean of |w|)^2.

    `weights` is (texts, words), with at least one text. The mean is taken over the texts of the batch first, and then
    squared: a word that all texts carry costs more than as many words that one text each carries.
    Lesson 14, "The penalty".

    >>> flops([[1.0, 0.0], [1.0, 0.0]]), flops([[1.0, 0.0], [0.0, 1.0]])
    (1.0, 0.5)
    """
    return float((np.abs(weights).mean(axis=0) ** 2).sum())


def flops_gradient(weights):
    """Say how the FLOPS penalty changes with each weight: 2 * (mean of |w| of its word) * (sign of w) / texts.

    `weights` is (texts, words), with at least one text. Returns (texts, words). A weight of 0 gets 0: it can't fall
    further.
    Lesson 14, "The penalty".

    >>> flops_gradient([[3.0, 0.0], [1.0, 2.0]]).tolist()
    [[2.0, 0.0], [2.0, 1.0]]
    """
    weights = np.asarray(weights, dtype=float)
    return 2 * np.abs(weights).mean(axis=0) * np.sign(weights) / len(weights)


def ramp(step: int, steps: int, top: float) -> float:
    """Return the lambda of a step: top * (step / steps)^2 up to `steps`, and `top` from then on.

    `step` is 0 or more, `steps` 1 or more: how long the rise takes. A model that is punished for each word before it
    has learned what words are good for gives none at all.
    Lesson 14, "The penalty".

    >>> ramp(5, 10, top=0.4), ramp(30, 10, top=0.4)
    (0.1, 0.4)
    """
    return top * min(step / steps, 1.0) ** 2


def sparse_dot(question: dict[str, float], document: dict[str, float]) -> float:
    """Return the score of a document: the sum over the terms that both have of weight times weight.

    Both are {term: weight}; a term that is not there weighs 0. Returns 0.0 where they have no term in common.
    Lesson 14, "The score".

    >>> sparse_dot({"car": 2.0, "price": 1.0}, {"car": 0.5, "automobile": 3.0})
    1.0
    """
    return float(sum(weight * document[term] for term, weight in question.items() if term in document))


def strongest(weights: dict[str, float], n: int) -> dict[str, float]:
    """Keep the n heaviest terms of a text, the heaviest first; equal weights are ordered by term, ascending.

    `weights` is {term: weight}, `n` 0 or more. Returns a new dict, with all terms where there are no more than n.
    Lesson 14, "Fewer terms".

    >>> strongest({"the": 0.1, "car": 2.0, "automobile": 0.8, "auto": 0.8}, n=2)
    {'car': 2.0, 'auto': 0.8}
    """
    return dict(sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))[:n])


def impact_index(documents: list[dict[str, float]]) -> dict[str, list[tuple[int, float]]]:
    """File each document under its terms: {term: [(position of the document, weight), ...]}, by position, ascending.

    `documents` is a list of {term: weight}; their positions count from 0. Only weights above 0 are filed, and a term
    without any is not in the index.
    Lesson 14, "The index".

    >>> impact_index([{"car": 2.0, "the": 0.0}, {"car": 0.5, "rope": 1.0}])
    {'car': [(0, 2.0), (1, 0.5)], 'rope': [(1, 1.0)]}
    """
    index = {}
    for position, document in enumerate(documents):
        for term, weight in document.items():
            if weight > 0:
                index.setdefault(term, []).append((position, weight))
    return index


def score_all(question: dict[str, float], index: dict[str, list[tuple[int, float]]], n: int) -> list[float]:
    """Score all n documents through the index, and read only the lists of the question's terms.

    `question` is {term: weight}, `index` as `impact_index` gives it. Returns n floats: for each document the same as
    its `sparse_dot` with the question, and 0.0 for one that no list names. A term that is not in the index adds
    nothing.
    Lesson 14, "The index".

    >>> score_all({"car": 2.0, "boat": 1.0}, {"car": [(0, 2.0), (2, 0.5)], "rope": [(1, 1.0)]}, n=3)
    [4.0, 0.0, 1.0]
    """
    totals = [0.0] * n
    for term, weight in question.items():
        for position, impact in index.get(term, []):
            totals[position] += weight * impact
    return totals


def literal_and_added(text_terms: list[str], weights: dict[str, float]) -> dict[str, dict[str, float]]:
    """Part the terms of a text into those that stand in it and those that the model added.

    `text_terms` are the terms of the text, in which one may stand twice; `weights` is {term: weight}. Returns
    {"literal": {term: weight}, "added": {term: weight}}, each in the order of `weights`; a term of the text without a
    weight is in neither.
    Lesson 14, "Literal and added".

    >>> literal_and_added(["the", "car"], {"automobile": 0.8, "car": 2.0})
    {'literal': {'car': 2.0}, 'added': {'automobile': 0.8}}
    """
    written = set(text_terms)
    parts = {"literal": {}, "added": {}}
    for term, weight in weights.items():
        parts["literal" if term in written else "added"][term] = weight
    return parts


OWN_SCORES = score_all


class Splade:
    """The index of a collection, filed under what an encoder says, and the search through it.

    `chunks` are Chunk objects or plain strings (ids are then "0", "1", ...). `encoder` has `encode_queries` and
    `encode_passages`, each list of texts -> list of {term: weight}, and `terms_of(text)`, the terms that a text holds.
    `most`, if given, keeps only so many terms of each chunk, the `strongest`. Raises ValueError for an empty
    collection, ids that repeat, and rows that are no weights, negative ones included; TypeError for what are no chunks
    and no encoder.

    >>> from firstprinciples.encode.expansion import expander
    >>> pages = Splade(["Annual leave is granted in May.", "The stove burns gas."], expander())
    >>> [hit.id for hit in pages.search("holiday", k=1)], pages.backwards("leave")[0].id
    (['0'], '0')
    """

    def __init__(self, chunks, encoder, most: int | None = None):
        chunks = listed(chunks, "Splade([text], encoder)")
        self.encoder = checked_encoder(encoder)
        ids = ids_of(chunks)
        order = sorted(range(len(ids)), key=ids.__getitem__)  # so that equal scores come out in the order of ids
        self.ids = [ids[i] for i in order]
        self.position = {id: i for i, id in enumerate(self.ids)}
        # encoded in the order in which they came: what is kept on disk is found again by that order
        texts = [c if isinstance(c, str) else c.text for c in chunks]
        rows = checked_rows(encoder.encode_passages(texts), len(texts), encoder)
        self.texts, rows = [texts[i] for i in order], [rows[i] for i in order]
        if most is not None:
            most = whole(most, "most")
            with named("splade.strongest"):
                kept = [strongest(row, most) for row in rows]
            rows = [checked_strongest(strong, row) for strong, row in zip(kept, rows, strict=True)]
        with named("splade.impact_index"):
            index = impact_index(rows)
        self.words, starts, self.holders, self.weights = flat(index, len(rows))
        self.starts, self._lists = starts.tolist(), None
        self.read = 0  # postings, in the last search

    @property
    def postings(self) -> int:
        """How many (chunk, weight) are filed in all."""
        return len(self.holders)

    @property
    def nbytes(self) -> int:
        """How many bytes the postings take: a position of 4 bytes and a weight of 4 for each."""
        return self.holders.nbytes + self.weights.nbytes

    def drawer(self, term: str) -> slice:
        """Return the slice of the postings that are filed under a term; an empty one for a term that nobody has."""
        number = self.words.get(term)
        return slice(0, 0) if number is None else slice(self.starts[number], self.starts[number + 1])

    def backwards(self, term: str) -> list[Hit]:
        """Return the chunks that are filed under a term, with the weight each has there, the heaviest first."""
        drawer = self.drawer(term)
        holders, weights = self.holders[drawer], self.weights[drawer]
        order = np.argsort(-weights, kind="stable")
        return [Hit(self.ids[i], w) for i, w in zip(holders[order].tolist(), weights[order].tolist(), strict=True)]

    def terms(self, id: str) -> dict[str, float]:
        """Return what a chunk is filed under, {term: weight}, the heaviest first; KeyError for an unknown id."""
        here = np.flatnonzero(self.holders == self._place(id))
        drawers = np.searchsorted(self.starts, here, side="right") - 1
        names = list(self.words)
        pairs = zip((names[i] for i in drawers.tolist()), self.weights[here].tolist(), strict=True)
        return dict(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))

    def question(self, query: str) -> dict[str, float]:
        """Return the weights of a question, {term: weight}; those of 0 are left out."""
        row = checked_rows(self.encoder.encode_queries([query]), 1, self.encoder)[0]
        return {term: float(weight) for term, weight in row.items() if weight > 0}

    def search(self, query: str, k: int = 10) -> list[Hit]:
        """Return the k chunks that score highest, best first; only those that score above 0.

        It reads the drawers of the question's terms and nothing else. Raises ValueError unless k is a whole number, 1
        or more.
        """
        k, totals = whole(k, "k"), self.scores(query)
        best = top(totals, k)
        return [Hit(self.ids[i], score) for i, score in zip(best.tolist(), totals[best].tolist(), strict=True)]

    def scores(self, query: str) -> np.ndarray:
        """Return the score of every chunk, (chunks,) float64, in the order of `ids`."""
        question, n = self.question(query), len(self.ids)
        self.read = sum(drawer.stop - drawer.start for drawer in map(self.drawer, question))
        if score_all is not OWN_SCORES:
            with named("splade.score_all"):
                totals = score_all(question, self.lists(), n)
            return given("splade.score_all", totals, (n,))
        drawers = [(self.drawer(term), weight) for term, weight in question.items() if term in self.words]
        return add_up([(self.holders[drawer], weight * self.weights[drawer].astype(float))
                       for drawer, weight in drawers], n)

    def lists(self) -> dict[str, list[tuple[int, float]]]:
        """Return the index as `impact_index` has it, by the positions of `ids`: what a `score_all` of yours reads."""
        if self._lists is None:
            pairs = list(zip(self.holders.tolist(), self.weights.tolist(), strict=True))
            self._lists = {term: pairs[self.drawer(term)] for term in self.words}
        return self._lists

    def explain(self, query: str, id: str) -> Explanation:
        """Take the score of one chunk apart: one part for each term of the question, the largest first.

        A part is "(literal)" where both texts hold the term, and "(added)" where the model had to add it to one or
        both; the note says to which. A term that the chunk is not filed under adds 0. Raises KeyError for an id that is
        not in the index.
        """
        place, n = self._place(id), len(self.ids)
        question = self.question(query)
        own = {term: self._weight(term, place) for term in question}
        asked, filed = self._literal(query, question), self._literal(self.texts[place], own)
        parts = []
        for term, weight in question.items():
            drawer = self.drawer(term)
            note = f"{weight:.4f} in the question, {_who(term in asked)}"
            if own[term]:
                note += f" x {own[term]:.4f} in the chunk, {_who(term in filed)}"
            else:
                note += f"; not in this chunk; in {drawer.stop - drawer.start} of {n}"
            literal = term in asked and (term in filed or not own[term])
            parts.append(Part(f"{term} ({'literal' if literal else 'added'})", weight * own[term], note))
        parts.sort(key=lambda part: (-part.value, part.name))
        return Explanation(math.fsum(part.value for part in parts), tuple(parts))

    def _literal(self, text: str, weights: dict[str, float]) -> dict[str, float]:
        """Return the terms of a text, {term: weight}, that stand in it."""
        terms = checked_terms(self.encoder.terms_of(text), self.encoder)
        with named("splade.literal_and_added"):
            parts = literal_and_added(terms, weights)
        return checked_parts(parts)["literal"]

    def _place(self, id: str) -> int:
        """Return the position of a chunk; raises KeyError for an id that is not in the index."""
        if not isinstance(id, str) or id not in self.position:
            raise KeyError(f"There is no chunk {id!r} in this index.")
        return self.position[id]

    def _weight(self, term: str, place: int) -> float:
        """Return the weight that a chunk has for a term, 0.0 where it is not filed there."""
        drawer = self.drawer(term)
        at = drawer.start + int(np.searchsorted(self.holders[drawer], place))
        return float(self.weights[at]) if at < drawer.stop and self.holders[at] == place else 0.0


def _who(written: bool) -> str:
    """Say where a term of a text comes from."""
    return "which wrote it" if written else "to which it was added"
