"""Fusion: make one ranked list out of several.

The problem. Two searches answered the same question. One looked for its words, the other for its meaning; each is right
where the other is blind. Their scores can't be added: one says 12.4 and the other 0.81, on scales that have nothing in
common. Two ways out:

1. Reciprocal rank fusion (RRF) looks at places only. Every list gives each of its documents 1 / (k + rank):

       score(d) = sum over the lists that hold d of  1 / (k + rank of d in the list)        ranks from 1, k = 60

   So the second place is worth nearly as much as the first, and a document that two lists have far up beats one that a
   single list puts on top. A document that is missing from a list gets nothing from it.
2. Weighted min-max fusion brings the scores of each list to 0..1, from the lowest to the highest, and adds those. It
   keeps how far apart the scores were, which RRF forgets; and one outlier on top presses all others together.

Fusion goes by id, never by position in a list. Equal scores are ordered by id, ascending. Source: G. Cormack,
C. Clarke and S. Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual rank learning methods", SIGIR
2009; for min-max: J. Lee, "Analyses of multiple evidence combination", SIGIR 1997; several phrasings of one question,
fused: Z. Rackauckas, "RAG-Fusion: a new take on retrieval-augmented generation", 2024. Another engine counts ranks
from 0 with k = 2 as its default; its k = 61 is the paper's 60.
"""

import math
import reprlib

from firstprinciples.rank.checks import (
    at_least,
    best_scores,
    ids_of,
    number_of,
    scores_of,
    taken,
    voting,
    weights_of,
    whole,
)
from firstprinciples.retrieve import Explanation, Hit, Part

FUSIONS = ("rrf", "minmax")


def reciprocal_rank(rank: int, k: float = 60) -> float:
    """Say what a list gives to the document at one of its places: 1 / (k + rank).

    `rank` is counted from 1. `k` is 0 or more: at 0 the first place is worth twice the second, at 60 hardly more than
    it. Raises ValueError for a rank below 1 and for k below 0.
    Lesson 06, "Places, not scores".

    >>> round(reciprocal_rank(2), 4)
    0.0161
    """
    if not at_least(1, rank):
        raise ValueError(f"The rank is {rank!r}; ranks are counted from 1.")
    if not at_least(0, k):
        raise ValueError(f"k is {k!r}; it must be 0 or more (60 is usual).")
    return 1 / (float(k) + float(rank))  # floats: in a small type of NumPy, such as int8, 100 + 60 does not fit


def votes(lists: list[list[str]], id: str, k: float = 60) -> list[float]:
    """Return what each list gives to one document: 1 / (k + its rank), or 0.0 where the list does not hold it.

    `lists` are lists of ids, best first. An id that stands twice in a list counts once, at its best rank. The result
    has as many numbers as there are lists; their sum is the score of the document.
    Lesson 06, "Places, not scores".

    >>> [round(vote, 4) for vote in votes([["A", "B", "C"], ["C", "A"], ["B"]], "A")]
    [0.0164, 0.0161, 0.0]
    """
    lists = [ids_of(ids) for ids in lists]
    return [reciprocal_rank(ids.index(id) + 1, k) if id in ids else 0.0 for ids in lists]


def reciprocal_rank_fusion(lists: list[list[str]], k: float = 60) -> list[tuple[str, float]]:
    """Fuse ranked lists of ids into one: [(id, score), ...], best first; a score is the sum of 1 / (k + rank).

    A document counts in each list that holds it, and gets nothing from the others. An id that stands twice in one list
    counts once, at its best rank; those below keep their places. Equal scores are ordered by id, ascending. No lists,
    or empty ones, give []. Raises ValueError for an id that is no string (4 and "4" would be two documents) and k < 0.
    Lesson 06, "Places, not scores".

    >>> [(id, round(score, 4)) for id, score in reciprocal_rank_fusion([["X", "a", "Y"], ["b", "c", "Y"]])]
    [('Y', 0.0317), ('X', 0.0164), ('b', 0.0164), ('a', 0.0161), ('c', 0.0161)]
    """
    if not at_least(0, k):
        raise ValueError(f"k is {k!r}; it must be 0 or more (60 is usual).")
    given = {}
    for ids in lists:
        ranks = {}
        for rank, id in enumerate(ids_of(ids), 1):
            ranks.setdefault(id, rank)  # the first time is the best rank
        for id, rank in ranks.items():
            given.setdefault(id, []).append(reciprocal_rank(rank, k))
    # fsum rounds once: ranks 1, 2, 3 and ranks 3, 1, 2 give the same score, and the tie goes by id
    return _best_first({id: math.fsum(parts) for id, parts in given.items()})


def min_max(scores: list[float]) -> list[float]:
    """Bring scores to 0..1, the lowest to 0 and the highest to 1, in the order given: (score - low) / (high - low).

    Where all scores are equal nothing can be told apart: each becomes 0.5. [] gives []. Raises ValueError for nan and
    infinity, and for scores so far apart that their difference is no number.
    Lesson 06, "When scores may be added".

    >>> min_max([12.0, 9.0, 6.0, 0.0])
    [1.0, 0.75, 0.5, 0.0]
    """
    scores = scores_of(scores)
    if not scores:
        return []
    low, high = min(scores), max(scores)
    if not math.isfinite(high - low):
        raise ValueError(f"Scores from {low} to {high} are too far apart: their difference is no finite number.")
    if high == low:
        return [0.5] * len(scores)
    return [(score - low) / (high - low) for score in scores]


def weighted_fusion(lists: list[list[tuple[str, float]]], weights: list[float]) -> list[tuple[str, float]]:
    """Fuse lists of (id, score) into one: each list brought to 0..1 by `min_max`, times its weight, added up by id.

    A document that is missing from a list gets 0 from it. An id that stands twice in one list counts once, with its
    highest score. `weights` are as many as the lists, 0 or more, and taken as they are. Returns [(id, score), ...],
    best first, equal scores by id, ascending. Raises ValueError where the weights do not fit or one is negative, and
    for an id that is no string.
    Lesson 06, "When scores may be added".

    >>> weighted_fusion([[("A", 12.0), ("B", 3.0), ("C", 0.0)], [("B", 0.9), ("D", 0.5)]], [0.5, 0.5])
    [('B', 0.625), ('A', 0.5), ('C', 0.0), ('D', 0.0)]
    """
    lists, weights = list(lists), weights_of(weights)
    if len(weights) != len(lists):
        raise ValueError(f"There are {len(lists)} lists and {len(weights)} weights; give each list one weight.")
    given = {}
    for pairs, weight in zip(lists, weights, strict=True):
        best = best_scores(pairs)
        for id, share in zip(best, min_max(list(best.values())), strict=True):
            given.setdefault(id, []).append(weight * share)
    return _best_first({id: math.fsum(parts) for id, parts in given.items()})


class Hybrid:
    """Several retrievers as one: each is asked for `depth` chunks, and their lists are fused.

    `fusion` is "rrf", with `k`, or "minmax", with one weight for each retriever (equal ones unless given, together 1).
    Fusion goes by id: one id must mean one chunk in all retrievers. They may index different chunks; one that does not
    have a chunk gives it nothing. A list in which every score is 0 is no answer but all ids in order, as a vector
    search gives for a question without a known word: it has no vote. Raises ValueError for settings that do not fit.

    >>> from firstprinciples.retrieve.bm25 import BM25
    >>> texts = ["a red tent", "red shoes", "a stove"]
    >>> both = Hybrid([BM25(texts), BM25(texts, b=0)])
    >>> [hit.id for hit in both.search("red tent", k=2)]
    ['0', '1']
    """

    def __init__(self, retrievers, k=60, depth=1000, fusion="rrf", weights=None):
        if not isinstance(retrievers, (list, tuple)) or not retrievers:
            raise ValueError("Give a list of retrievers, one or more: Hybrid([one, other]).")
        for each in retrievers:
            if isinstance(each, type) or not hasattr(each, "search"):
                raise ValueError(f"{reprlib.repr(each)} is no retriever: it needs search(query, k), as BM25(chunks) "
                                 "has it.")
        if fusion not in FUSIONS:
            raise ValueError(f"There is no fusion {fusion!r}; choose one of {', '.join(FUSIONS)}.")
        if not at_least(0, k):
            raise ValueError(f"k is {k!r}; it must be 0 or more (60 is usual).")
        if weights is not None and fusion == "rrf":
            raise ValueError("Reciprocal rank fusion has no weights; give them with fusion=\"minmax\".")
        weights = [1 / len(retrievers)] * len(retrievers) if weights is None else weights_of(weights)
        if len(weights) != len(retrievers):
            raise ValueError(f"There are {len(retrievers)} retrievers and {len(weights)} weights; give each one.")
        self.retrievers, self.k, self.fusion = list(retrievers), k, fusion
        self.depth = whole(depth, "depth")
        self.weights, self.names = weights, _names(self.retrievers)

    def lists(self, query: str) -> list[list[Hit]]:
        """Return the list of each retriever, at most `depth` long; [] for one whose scores are all 0."""
        return [voting(retriever.search(query, self.depth), name, self.depth)
                for retriever, name in zip(self.retrievers, self.names, strict=True)]

    def search(self, query: str, k: int = 10) -> list[Hit]:
        """Return the k chunks with the highest fused score, best first. Raises ValueError for k < 1."""
        k = whole(k, "k")
        lists = self.lists(query)
        if self.fusion == "rrf":
            ids = [[hit.id for hit in hits] for hits in lists]
            return taken(lambda: reciprocal_rank_fusion(ids, self.k), k, "reciprocal_rank_fusion")
        pairs = [list(map(tuple, hits)) for hits in lists]
        return taken(lambda: weighted_fusion(pairs, self.weights), k, "weighted_fusion")

    def explain(self, query: str, id: str) -> Explanation:
        """Take the fused score of one chunk apart: one part for each retriever, 0 where its list does not hold it.

        Raises KeyError for an id that no retriever knows.
        """
        if not isinstance(id, str):
            raise KeyError(f"There is no chunk {id!r} in any of these indexes.")
        parts, known = [], False
        for name, retriever, hits, weight in zip(self.names, self.retrievers, self.lists(query), self.weights,
                                                 strict=True):
            rank = next((rank for rank, hit in enumerate(hits, 1) if hit.id == id), None)
            if rank is None:
                here = _knows(retriever, query, id)
                where = f"not among the {len(hits)} that {name} found" if here else f"not in the index of {name}"
                if here and not hits:
                    where = f"{name} found nothing"
                parts.append(Part(name, 0.0, where))
                known = known or here
                continue
            known = True
            parts.append(self._part(name, rank, hits, weight))
        if not known:
            raise KeyError(f"There is no chunk {id!r} in any of these indexes.")
        return Explanation(math.fsum(part.value for part in parts), tuple(parts))

    def _part(self, name: str, rank: int, hits: list[Hit], weight: float) -> Part:
        """Return what one list gives to the chunk at a rank, and how that came about."""
        if self.fusion == "rrf":
            value = number_of(lambda: reciprocal_rank(rank, self.k), "reciprocal_rank")
            return Part(name, value, f"rank {rank} in {name}: 1 / ({self.k} + {rank})")
        best = best_scores(hits)  # as in `weighted_fusion`
        place, scores = list(best).index(hits[rank - 1].id), list(best.values())
        share = number_of(lambda: min_max(scores)[place], "min_max")
        note = (f"rank {rank} in {name}: {scores[place]:.4g} on the way from {min(scores):.4g} to "
                f"{max(scores):.4g} is {share:.4f}, times {weight:.4g}")
        return Part(name, weight * share, note)


def rag_fusion(retriever, queries: list[str], n: int = 10, k: float = 60, depth: int = 1000) -> list[Hit]:
    """Ask one retriever the same question in several phrasings, and fuse the lists by reciprocal rank: the n best.

    Each phrasing finds what is written in its words; what several find comes to the top. As in `Hybrid` a list whose
    scores are all 0 has no vote. Raises ValueError for no phrasing, n < 1 and depth < 1.

    >>> from firstprinciples.retrieve.bm25 import BM25
    >>> pages = BM25(["pay the bill by Friday", "the invoice is open", "an open bill"])
    >>> [hit.id for hit in rag_fusion(pages, ["open invoice", "unpaid bill"])]
    ['2', '1', '0']
    """
    if not isinstance(queries, (list, tuple)) or not queries:
        raise ValueError("Give a list of phrasings of the question, one or more.")
    n, depth, name = whole(n, "n"), whole(depth, "depth"), type(retriever).__name__
    if not at_least(0, k):
        raise ValueError(f"k is {k!r}; it must be 0 or more (60 is usual).")
    lists = [[hit.id for hit in voting(retriever.search(query, depth), name, depth)] for query in queries]
    return taken(lambda: reciprocal_rank_fusion(lists, k), n, "reciprocal_rank_fusion")


def _best_first(totals: dict[str, float]) -> list[tuple[str, float]]:
    """Return (id, score) with the highest score first, and equal scores by id."""
    return sorted(totals.items(), key=lambda pair: (-pair[1], pair[0]))


def _knows(retriever, query: str, id: str) -> bool:
    """Say whether a retriever has a chunk of this id."""
    try:
        retriever.explain(query, id)
    except KeyError:
        return False
    return True


def _names(retrievers: list) -> list[str]:
    """Return a name for each retriever: its class, and its encoder where it has one; numbered where two are alike.

    >>> from firstprinciples.retrieve.bm25 import BM25
    >>> _names([BM25(["a"]), BM25(["a"], b=0)])
    ['BM25', 'BM25 (2)']
    """
    names = []
    for retriever in retrievers:
        encoder = getattr(getattr(retriever, "encoder", None), "name", None)
        plain = type(retriever).__name__ + (f" {encoder}" if encoder else "")
        taken = sum(name == plain or name.startswith(f"{plain} (") for name in names)
        names.append(plain if not taken else f"{plain} ({taken + 1})")
    return names
