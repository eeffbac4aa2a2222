"""Reranking: read a few candidates again, slowly, and put them into a better order.

The problem. A bi-encoder reads question and chunk apart: each becomes one vector before the two ever meet. A
cross-encoder reads them together, and sees which word of the question stands beside which word of the chunk. It is
better informed, and it must read every pair anew when the question comes: over a whole collection nobody can wait for
that. So there are two stages. A cheap retriever finds candidates, a hundred perhaps; a cross-encoder orders these anew.

    candidates = the first `depth` of the retriever           order = by cross-encoder(question, candidate)

What the first stage did not find the second never sees: recall at `depth` is its ceiling.

The small cross-encoder of this course reads as K-NRM does. Every word of the question is compared with every word of
the chunk, which gives a table of cosines s. Soft bins, called kernels, count how many of them are about 1, about 0.8,
and so on, and a weighted sum of these counts (and of a few others, `firstprinciples.rank.cross_encoder`) is the logit:

    count(c) = sum over words i of the question of  ln(1 + sum over words j of the chunk of exp(-(s_ij - c)^2 / 2w^2))
    logit    = bias + sum over features of  weight * feature

A logit is any number, and only its order counts. sigmoid(logit) lies between 0 and 1, which makes it no probability.

Sources: C. Xiong, Z. Dai, J. Callan, Z. Liu and R. Power, "End-to-End Neural Ad-hoc Ranking with Kernel Pooling", SIGIR
2017, for the kernels; R. Nogueira and K. Cho, "Passage Re-ranking with BERT", 2019 (arXiv:1901.04085), for the two
stages, the single logit and its cross-entropy.
"""

import math
import reprlib
import sys
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from firstprinciples.index import cosine, named, shown, way_back
from firstprinciples.rank.checks import at_least, best_scores, ids_of, scores_of, whole
from firstprinciples.retrieve import Explanation, Hit, Part, listed


def word_similarities(question_vectors, chunk_vectors):
    """Return the cosine of every word of the question with every word of the chunk, a table (m, n).

    `question_vectors` is (m, d), `chunk_vectors` (n, d), one row for each word, of any length. Row i, column j of the
    table belongs to word i of the question and word j of the chunk. A row of zeros has the cosine 0 with everything.
    Lesson 08, "Word by word".

    >>> word_similarities([[3.0, 4.0], [0.0, 0.0]], [[6.0, 8.0], [0.0, 2.0], [5.0, 0.0]]).round(2).tolist()
    [[1.0, 0.8, 0.6], [0.0, 0.0, 0.0]]
    """
    return cosine.normalize(question_vectors) @ cosine.normalize(chunk_vectors).T


def soft_counts(similarities, centers, width: float):
    """Count the cosines near each center: sum over question words of ln(1 + sum over chunk words of closeness).

    `similarities` is (m, n), rows: words of the question; `centers` are K numbers and `width` is above 0. The closeness
    of a cosine s to a center c is exp(-(s - c)^2 / (2 width^2)): 1 at the center, less around it. Returns (K,), each
    0 or more; zeros where there are no words. The paper takes ln(sum), and a sum near 0 as 1e-10: a word that matches
    nothing costs -23 there. Here it adds 0.
    Lesson 08, "Kernels".

    >>> soft_counts([[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]], centers=[1.0, 0.0], width=0.1).round(4).tolist()
    [1.0986, 2.0794]
    """
    similarities, centers = np.asarray(similarities, dtype=float), np.asarray(centers, dtype=float)
    closeness = np.exp(-((similarities[:, :, None] - centers) ** 2) / (2 * width**2))  # (m, n, K)
    return np.log1p(closeness.sum(axis=1)).sum(axis=0)


def sigmoid(z):
    """Bring logits to 0..1: 1 / (1 + exp(-z)), for one number or an array; the result has the same shape.

    exp(1000) is beyond what a float holds: where z is below 0 take exp(z) / (1 + exp(z)), which is the same number. Far
    below 0 it is small and not 0: sigmoid(-40) is about 4e-18.
    A logit is no probability, and its sigmoid is one only if the model was calibrated: if of the pairs with 0.8 about
    80 in 100 are right. A threshold belongs to one of the two scales: the logit 8.1 is not "more than 0.5, so sure".
    Lesson 08, "A logit is not a probability".

    >>> sigmoid(np.array([0.0, 8.1, -1000.0])).round(4).tolist()
    [0.5, 0.9997, 0.0]
    """
    z = np.asarray(z, dtype=float)
    small = np.exp(-np.abs(z))  # never above 1
    return np.where(z >= 0, 1.0, small) / (1 + small)


def logistic_loss(logits, labels) -> float:
    """Return the mean cross-entropy: -ln sigmoid(z) for a pair that is right, -ln(1 - sigmoid(z)) for a wrong one.

    `logits` are n numbers, at least one; `labels` n times 1 (the chunk answers the question) or 0. Both cases are
    max(z, 0) - z * label + ln(1 + exp(-|z|)), in which nothing becomes too large, and no logarithm sees 0.
    Lesson 08, "The loss".

    >>> round(logistic_loss([2.0, -1.0], [1, 0]), 4), logistic_loss([1000.0], [0])
    (0.2201, 1000.0)
    """
    z, labels = np.asarray(logits, dtype=float), np.asarray(labels, dtype=float)
    return float(np.mean(np.maximum(z, 0) - z * labels + np.log1p(np.exp(-np.abs(z)))))


def logistic_gradient(logits, labels):
    """Say how the mean loss changes with each logit: (sigmoid(z) - label) / n.

    `logits` and `labels` are as for `logistic_loss`, n of each. Returns (n,): below 0 for a right pair, whose logit
    should rise, above 0 for a wrong one; near 0 where the model is right already.
    Lesson 08, "The loss".

    >>> logistic_gradient([0.0, 0.0], [1, 0]).tolist()
    [-0.25, 0.25]
    """
    return (sigmoid(logits) - np.asarray(labels, dtype=float)) / len(logits)


def rerank(ranked: list[tuple[str, float]], new_scores: dict[str, float], depth: int) -> list[tuple[str, float]]:
    """Order the first `depth` of a ranked list by new scores: [(id, new score), ...], best first.

    `ranked` is [(id, score), ...], best first; what stands beyond `depth` (1 or more) is no candidate, also if it has a
    new score, and is not in the result. Equal new scores are ordered by id, ascending. `ranked` is not changed. Raises
    ValueError for a candidate without a new score, or with nan or an infinity.
    Lesson 08, "Two stages".

    >>> rerank([("a", 9.0), ("b", 8.0), ("c", 7.0), ("d", 6.0)], {"a": -1.5, "b": 2.0, "c": 2.5, "d": 9.9}, depth=3)
    [('c', 2.5), ('b', 2.0), ('a', -1.5)]
    """
    candidates = list(best_scores(ranked[: whole(depth, "depth")]))
    for id in candidates:
        if id not in new_scores:
            raise ValueError(f"The candidate {id!r} has no new score; score all of the first {depth}.")
    scores = scores_of([new_scores[id] for id in candidates])
    return sorted(zip(candidates, scores, strict=True), key=lambda pair: (-pair[1], pair[0]))


def ceiling(ranked_ids: list[str], relevant, depth: int) -> float:
    """Return the share of the relevant ids that the first `depth` hold: no reranker of these can find more.

    `ranked_ids` is a list of ids, best first; `relevant` a list or set of ids. An id that stands twice counts once.
    Returns a number from 0 to 1; 0.0 when nothing is relevant, as recall does.
    Lesson 08, "The ceiling".

    >>> ceiling(["a", "x", "b", "c"], {"a", "b", "c", "d"}, depth=3)
    0.5
    """
    relevant = set(ids_of(sorted(relevant)))
    return len(relevant & set(ids_of(ranked_ids)[: whole(depth, "depth")])) / len(relevant) if relevant else 0.0


def tokens_read(candidate_lengths: list[int], question_length: int, limit: int) -> int:
    """Return how many tokens a cross-encoder reads for one question: the question again with every candidate.

    `candidate_lengths` are the candidates' numbers of tokens; a pair is read up to `limit` tokens, question and
    candidate together, and what is longer is cut. No candidates are 0 tokens. Fifty long ones at 512 are 25,600.
    Lesson 08, "The bill".

    >>> tokens_read([100, 300, 900], question_length=12, limit=512), tokens_read([900] * 50, 12, 512)
    (936, 25600)
    """
    return sum(min(limit, question_length + length) for length in candidate_lengths)


class Candidate(NamedTuple):
    """What a reranker is handed: the id of a chunk and its text."""

    id: str
    text: str


@dataclass(frozen=True)
class Reading:
    """What the reranker read in the last search; None where it does not count."""

    candidates: int
    tokens: int | None = None  # words of question and chunk, over all candidates
    cut: int | None = None  # candidates whose end was cut off


class Reranked:
    """Two stages as one retriever: the first finds `depth` candidates, a reranker puts them into a new order.

    `retriever` has search(query, k). `reranker` has score(question, chunks), which gives a number for each chunk, more
    is better; a chunk has an `id` and a `text`. Texts are those that the retriever keeps, or that the parts of a
    `Hybrid` keep; `chunks` hands them over where it keeps none. Scores are the reranker's: logits are no probabilities
    and can't be compared with those of the first stage. What is not among the candidates can't be found, so a search
    gives at most `depth` chunks. `last` says what the last search read. Raises ValueError for a depth below 1 and where
    there are no texts; TypeError for what is no retriever or no reranker.

    >>> from firstprinciples.retrieve.bm25 import BM25
    >>> from firstprinciples.rank.cross_encoder import cross
    >>> pages = ["paid days, or sick", "paid sick days are eight a year", "one day off"]
    >>> first, second = BM25(pages), Reranked(BM25(pages), cross(), depth=2)
    >>> [[hit.id for hit in pages.search("paid sick days")] for pages in (first, second)], second.last
    ([['0', '1'], ['1', '0']], Reading(candidates=2, tokens=17, cut=0))
    """

    def __init__(self, retriever, reranker, depth=100, chunks=None):
        if isinstance(retriever, type) or not hasattr(retriever, "search"):
            raise TypeError(f"{reprlib.repr(retriever)} is no retriever: it needs search(query, k), as BM25(chunks) "
                            "has it.")
        if isinstance(reranker, type) or not hasattr(reranker, "score"):
            raise TypeError(f"{reprlib.repr(reranker)} is no reranker: it needs score(question, chunks), as cross() "
                            "has it.")
        self.retriever, self.reranker, self.depth = retriever, reranker, whole(depth, "depth")
        self.name = getattr(reranker, "name", type(reranker).__name__)
        self.texts = _texts(retriever) if chunks is None else _of_chunks(chunks)
        if not self.texts:
            raise ValueError(f"{type(retriever).__name__} does not keep the texts of its chunks, and a reranker reads "
                             "them: hand them over as chunks=.")
        self.last = None

    def candidates(self, query: str) -> list[Hit]:
        """Return what the first stage finds: at most `depth` hits, best first, with its own scores."""
        name, hits = type(self.retriever).__name__, self.retriever.search(query, self.depth)
        try:
            hits = [Hit(*hit) for hit in hits][: self.depth]
            right = all(isinstance(id, str) and at_least(-sys.float_info.max, score) for id, score in hits)
        except (TypeError, ValueError):
            right = False
        if not right:
            raise ValueError(f"{name} found {shown(hits)}, which is no list of hits: an id, a string, and a finite "
                             "score each.")
        return hits

    def search(self, query: str, k: int = 10) -> list[Hit]:
        """Return the k candidates that the reranker scores highest, best first; at most `depth`.

        Equal scores are ordered by id. Raises ValueError for k < 1 and for what a reranker or a retriever gives
        wrongly.
        """
        k, hits = whole(k, "k"), self.candidates(query)
        ids = list(dict.fromkeys(hit.id for hit in hits))
        scores = self._scores(query, ids)
        read, cut = (getattr(self.reranker, name, None) if ids else 0 for name in ("read", "cut"))
        self.last = Reading(len(ids), *(count if type(count) is int else None for count in (read, cut)))
        with named("rerank.rerank"):
            ordered = rerank([tuple(hit) for hit in hits], dict(zip(ids, scores, strict=True)), self.depth)
        return _hits(ordered, ids)[:k]

    def _scores(self, query: str, ids: list[str]) -> list[float]:
        """Return the reranker's score of each id; raises ValueError, which names it, unless all are finite numbers."""
        for id in ids:
            if id not in self.texts:
                raise ValueError(f"There is no text of the candidate {id!r}; hand all chunks over as chunks=.")
        if not ids:
            return []
        scores = self.reranker.score(query, [Candidate(id, self.texts[id]) for id in ids])
        try:
            scores = list(scores)
        except TypeError:
            scores = [scores]
        if len(scores) != len(ids) or not all(at_least(-sys.float_info.max, score) for score in scores):
            raise ValueError(f"The reranker {self.name} gave {shown(scores)} for {len(ids)} "
                             f"chunk{'' if len(ids) == 1 else 's'}; it should be one finite number for each.")
        return [float(score) for score in scores]

    def explain(self, query: str, id: str) -> Explanation:
        """Take the reranker's score of one chunk apart, and say whether the chunk was a candidate.

        One that was none has a score all the same, but no search gives it. Raises KeyError for an unknown id.
        """
        if not isinstance(id, str) or id not in self.texts:
            raise KeyError(f"There is no chunk {id!r} in this index.")
        ids = list(dict.fromkeys(hit.id for hit in self.candidates(query)))
        note = f"rank {ids.index(id) + 1} of {len(ids)} candidates" if id in ids else (
            f"not among the {len(ids)} candidates: it has this score, and no search gives it")
        if hasattr(self.reranker, "explain"):  # a retriever that also reranks, such as MaxSim, takes ids
            chunk = id if hasattr(self.reranker, "search") else Candidate(id, self.texts[id])
            parts = tuple(self.reranker.explain(query, chunk).parts)
        else:
            parts = (Part(self.name, self._scores(query, [id])[0], "as the reranker gave it"),)
        parts += (Part("first stage", 0.0, note),)
        return Explanation(math.fsum(part.value for part in parts), parts)


def _texts(retriever) -> dict[str, str]:
    """Return {id: text} of all chunks that a retriever keeps, or else that the retrievers it is made of keep.

    One that keeps texts of its own finds these alone: `Parents` find parents, whatever stands in their children.
    """
    texts, ids = getattr(retriever, "texts", None), getattr(retriever, "ids", None)
    if isinstance(texts, dict):
        return dict(texts)
    if texts is not None and ids is not None:
        return dict(zip(ids, texts, strict=True))
    parts = getattr(retriever, "retrievers", None)
    if parts is None:
        parts = [retriever.retriever] if hasattr(retriever, "retriever") else []
    out = {}
    for part in parts:
        out |= _texts(part)
    return out


def _of_chunks(chunks) -> dict[str, str]:
    """Return {id: text} of chunks; raises ValueError for an id that is there twice."""
    out = {}
    for place, chunk in enumerate(listed(chunks, "Reranked(retriever, reranker, chunks=[text])")):
        id, text = (str(place), chunk) if isinstance(chunk, str) else (chunk.id, chunk.text)
        if id in out:
            raise ValueError(f"The id {id!r} is there twice; give every chunk an id of its own.")
        out[id] = text
    return out


def _hits(ordered, ids: list[str]) -> list[Hit]:
    """Return what `rerank` gave as hits; raises ValueError, which names it, unless these are candidates, each once."""
    try:
        hits = [Hit(id, float(score)) for id, score in ordered]
        if {hit.id for hit in hits} <= set(ids) and len({hit.id for hit in hits}) == len(hits) and all(
                math.isfinite(hit.score) for hit in hits):
            return hits
    except (TypeError, ValueError):
        pass
    raise ValueError(f"rerank gave {shown(ordered)}, which is no list of (id, score) of the candidates, each once. "
                     f"{way_back('rerank.rerank')}")
