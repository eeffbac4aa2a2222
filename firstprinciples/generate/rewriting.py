"""Rewriting as a retriever: what was typed is made into what is looked for, and then searched.

The problem. A search takes a question as it stands. `Rewriting` stands before any retriever and hands it what one of
the ways of `firstprinciples.generate.ways` makes of the question: one text is searched as it is, the lists of several
are fused. `Hyde` stands before a search by vectors and looks for the mean of the question's vector and those of made-up
answers. Both take what was said before as `search(query, k, history)`. REWRITES has the four ways by name.
"""

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from firstprinciples.generate import rewrite
from firstprinciples.generate.checks import as_text, as_turns, from_task, is_texts
from firstprinciples.generate.ways import Rewritten, condense, known_short_forms, rephrase, spell_out, suppose
from firstprinciples.index import shown
from firstprinciples.index.cosine import length_1
from firstprinciples.rank import fusion
from firstprinciples.rank.checks import number_of, voting, whole
from firstprinciples.retrieve import Explanation, Hit, Part
from firstprinciples.retrieve.dense import by_codes

DEPTH, K = 1000, 60  # how far down the list of each phrasing is read, and the k of the fusion
KEPT = 1000  # questions whose texts a retriever remembers


class Rewriting:
    """A retriever that looks for what `how` makes of a question: `how(question, history)` gives a `Rewritten`.

    One text is searched as it is; the lists of several are fused by reciprocal rank. `last` is the `Rewritten` of the
    last search. What a model wrote is kept, so that `explain` takes apart what `search` found. Raises TypeError for
    what is no retriever and no function.

    >>> from firstprinciples.retrieve.bm25 import BM25
    >>> pages = Rewriting(BM25(["the March invoice, paid on May 2", "how they pay the people in the shop"]))
    >>> before = [{"role": "user", "text": "How much was the March invoice?"}]
    >>> [[hit.id for hit in pages.search("and when did they pay?", 2, history)] for history in ((), before)]
    [['1'], ['0', '1']]
    """

    def __init__(self, retriever, how: Callable = condense):
        self.retriever, self.writer, self.last = _searching(retriever), Writer(how), None

    def rewrite(self, query: str, history=()) -> Rewritten:
        """Return what will be searched for; raises TypeError where `how` gives no `Rewritten`, or one without texts."""
        return self.writer.new(query, history)

    def asks(self, query: str, history=()) -> tuple[str, ...]:
        """Return the texts that a search will hand to the retriever."""
        return self.rewrite(query, history).texts

    def search(self, query: str, k: int = 10, history=()) -> list[Hit]:
        """Return the k best chunks, best first. Raises ValueError for k < 1 and a history that is no list of turns."""
        k, self.last = whole(k, "k"), (found := self.rewrite(query, history))
        if len(found.texts) == 1:
            return self.retriever.search(found.texts[0], k)
        return fusion.rag_fusion(self.retriever, list(found.texts), k, K, DEPTH)

    def explain(self, query: str, id: str, history=()) -> Explanation:
        """Take the score of one chunk apart: as the retriever does, or into one part a phrasing.

        Raises KeyError for an id that the retriever does not know.
        """
        if not isinstance(id, str):
            raise KeyError(f"There is no chunk {id!r} in this index.")
        texts = self.writer.last(query, history).texts
        own = self.retriever.explain(texts[0], id)
        if len(texts) == 1:
            return own
        parts, name = [], type(self.retriever).__name__
        for number, text in enumerate(texts, 1):
            hits = voting(self.retriever.search(text, DEPTH), name, DEPTH)
            rank = next((rank for rank, hit in enumerate(hits, 1) if hit.id == id), None)
            value = 0.0 if rank is None else number_of(partial(fusion.reciprocal_rank, rank, K), "reciprocal_rank")
            where = f"not among the {len(hits)} found" if rank is None else f"rank {rank}: 1 / ({K} + {rank})"
            parts.append(Part(f"phrasing {number}", value, f"{where}, for {shown(text)}"))
        return Explanation(math.fsum(part.value for part in parts), tuple(parts))


class Hyde:
    """A search by vectors that starts from made-up answers: the mean of their vectors and the question's.

    `dense` is a `Dense`; `how(question, history)` gives a `Rewritten` whose texts are the answers. `last` is that of
    the last search. Source: Gao and others 2023, equation 8, which takes eight answers of a model.

    >>> from firstprinciples.encode.stored import minilm
    >>> from firstprinciples.retrieve.dense import Dense
    >>> pages = Hyde(Dense(["annual leave", "amount owing"], minilm()), lambda question, history: "amount due")
    >>> [hit.id for hit in pages.search("how much do we owe", k=1)]
    ['1']
    """

    def __init__(self, dense, how: Callable = suppose):
        if isinstance(dense, type) or not all(hasattr(dense, name) for name in ("vector", "index", "encoder")):
            raise TypeError(f"{shown(dense)} is no search by vectors: Hyde needs a Dense(chunks, encoder).")
        self.retriever, self.writer, self.last = dense, Writer(how), None

    def rewrite(self, query: str, history=()) -> Rewritten:
        """Return the made-up answers; raises TypeError where `how` gives no `Rewritten`, or one without texts."""
        return self.writer.new(query, history)

    def asks(self, query: str, history=()) -> tuple[str, ...]:
        """Return the texts that a search will have encoded: the question, then the answers."""
        return (query, *self.rewrite(query, history).texts)

    def search(self, query: str, k: int = 10, history=()) -> list[Hit]:
        """Return the k chunks whose vectors are most like the mean vector, best first; all of them if fewer."""
        self.last = found = self.rewrite(query, history)
        vector = self._mean(*self._vectors(query, found.texts))
        return [Hit(id, float(score)) for id, score in self.retriever.index.search(vector, whole(k, "k"))]

    def explain(self, query: str, id: str, history=()) -> Explanation:
        """Take the cosine with one chunk apart: what the question gives, and what each answer gives.

        An index of short codes scores otherwise: one more part says by how much. Raises KeyError for an id that is
        not in the index.
        """
        if not isinstance(id, str) or id not in self.retriever.position:
            raise KeyError(f"There is no chunk {id!r} in this index.")
        texts = self.writer.last(query, history).texts
        question, answers = self._vectors(query, texts)
        chunk = length_1(self.retriever.vectors[self.retriever.position[id]])
        rows = np.vstack([question, answers])
        length = float(np.linalg.norm(rows.sum(axis=0))) or 1.0
        shares = [float(row @ chunk) / length for row in rows]
        parts = [Part("question", shares[0], shown(query))]
        parts += [Part(f"answer {n}", share, shown(text)) for n, (text, share) in
                  enumerate(zip(texts, shares[1:], strict=True), 1)]
        mean = self._mean(question, answers)
        cosine = float(length_1(mean) @ chunk)
        rest = cosine - math.fsum(shares)
        if abs(rest) > 1e-7:
            parts.append(Part("the rest", rest, "mean_vector is not the mean of these vectors"))
        parts += by_codes(self.retriever.index, mean, id, cosine)
        return Explanation(math.fsum(part.value for part in parts), tuple(parts))

    def _vectors(self, query: str, texts) -> tuple[np.ndarray, np.ndarray]:
        """Return the question's vector, (d,), and those of the answers, (m, d), float64."""
        answers = self.retriever.encoder.encode_passages(list(texts))
        return np.asarray(self.retriever.vector(query), float), np.asarray(answers, float)

    def _mean(self, question: np.ndarray, answers: np.ndarray) -> np.ndarray:
        """Return what `rewrite.mean_vector` gives for copies of the vectors, (d,)."""
        def right(value):
            numbers = np.asarray(value)
            return numbers.shape == question.shape and numbers.dtype.kind in "fiu" and np.isfinite(numbers).all()

        return np.asarray(from_task("rewrite.mean_vector", lambda: rewrite.mean_vector(question.copy(), answers.copy()),
                                    right, f"{len(question)} finite numbers"), float)


# name -> function (retriever, chunks, llm=None) that puts this rewriting before a retriever
REWRITES = {
    "condense": lambda retriever, chunks=(), llm=None: Rewriting(retriever, partial(condense, llm=llm)),
    "acronyms": lambda retriever, chunks=(), llm=None: Rewriting(
        retriever, partial(spell_out, llm=llm, known=known_short_forms(chunks))),
    "phrasings": lambda retriever, chunks=(), llm=None: Rewriting(retriever, partial(rephrase, llm=llm)),
    "hyde": lambda retriever, chunks=(), llm=None: Hyde(retriever, partial(suppose, llm=llm)),
}
NEEDS_VECTORS = ("hyde",)  # these stand before a Dense and before nothing else


class Writer:
    """A way (question, history) -> Rewritten, and what came of it: asked again, a model might write something else."""

    def __init__(self, how: Callable):
        if not callable(how):
            raise TypeError(f"how is a function (question, history) -> Rewritten; {shown(how)} can't be called.")
        self.how, self._kept = how, {}

    def new(self, query: str, history=()) -> Rewritten:
        """Return what is made of a question; what a model wrote before is taken again, one that failed is asked anew.

        Where the way gives a plain text, that is searched. Raises TypeError where it gives neither.
        """
        turns = as_turns(history)
        key = _key(query, turns)
        before = self._kept.get(key)
        if before is not None and before.by == "llm":
            return before
        found = self.how(query, turns)
        found = Rewritten((found,), "given", "") if isinstance(found, str) else found
        if not isinstance(found, Rewritten) or not is_texts(found.texts) or not found.texts:
            name = getattr(self.how, "__name__", type(self.how).__name__)
            raise TypeError(f"{name} gave {shown(found)}; it should give a Rewritten with one text or more.")
        if found.by == "llm" or found.problem:  # the rules alone are quick, and may be a learner's by the next time
            if len(self._kept) >= KEPT:
                self._kept.clear()
            self._kept[key] = found
        return found

    def last(self, query: str, history=()) -> Rewritten:
        """Return what the last search made of a question, also where a model failed at it."""
        return self._kept.get(_key(query, as_turns(history))) or self.new(query, history)


def _key(query: str, turns: list[dict]) -> tuple:
    """Return what a question is known by, together with its history."""
    return (as_text(query), *((turn["role"], turn["text"]) for turn in turns))


def _searching(retriever):
    """Return a retriever as it is. Raises TypeError for what is none."""
    if isinstance(retriever, type) or not hasattr(retriever, "search"):
        raise TypeError(f"{shown(retriever)} is no retriever: it needs search(query, k), as BM25(chunks) has it.")
    return retriever
