"""Four numbers that say how good a ranked list is.

The problem. A search gave ten chunks. Are the right ones there, how much else is there, and do they stand on top?
`ranked` is a list of ids, best first; `grades` is {id: grade}, what people judged: 0 not relevant, 1 and more relevant,
higher is better. An id that is not in `grades` counts as not relevant. An id that stands twice in `ranked` keeps both
places, and counts at the first only.

    recall@k      found in the top k / all that are relevant                      was it found at all?
    precision@k   found in the top k / k                                          how much else must I read?
    RR@k          1 / rank of the first relevant one, 0 if there is none          how soon does the first come?
    nDCG@k        DCG / the best possible DCG, DCG = sum of gain / log2(1 + rank)  do the best ones stand on top?

Source: K. Järvelin and J. Kekäläinen, "Cumulated gain-based evaluation of IR techniques", ACM TOIS 20(4), 2002, for
nDCG; E. Voorhees, "The TREC-8 question answering track report", 1999, for the reciprocal rank.
"""

import math


def gains(ranked: list[str], grades: dict[str, int], k: int) -> list[int]:
    """Return the grade at each of the first k places: 0 for what is not relevant and for an id seen before.

    Raises ValueError for k < 1.
    Lesson 03, "What we would measure".

    >>> gains(["a", "x", "a", "b"], {"a": 3, "b": 1}, k=4)
    [3, 0, 0, 1]
    """
    if k < 1:
        raise ValueError(f"k is {k}; look at 1 place or more.")
    out, seen = [], set()
    for id in ranked[:k]:
        out.append(0 if id in seen else max(grades.get(id, 0), 0))
        seen.add(id)
    return out


def recall_at_k(ranked: list[str], grades: dict[str, int], k: int) -> float:
    """Say which share of all relevant ids stands in the first k places.

    `ranked` is a list of ids, best first; `grades` is {id: grade}, relevant above 0. An id that stands twice counts
    once. Returns a number from 0 to 1; 0.0 when nothing is relevant.
    Lesson 03, "What we would measure".

    >>> recall_at_k(["a", "x", "b"], {"a": 1, "b": 1, "c": 2, "d": 1}, k=1)
    0.25
    """
    relevant = sum(grade > 0 for grade in grades.values())
    found = sum(gain > 0 for gain in gains(ranked, grades, k))
    return found / relevant if relevant else 0.0


def precision_at_k(ranked: list[str], grades: dict[str, int], k: int) -> float:
    """Say which share of the first k places holds a relevant id; divides by k also when fewer came back.

    `ranked` is a list of ids, best first; `grades` is {id: grade}, relevant above 0. An id that stands twice counts
    once. Returns a number from 0 to 1.
    Lesson 03, "What we would measure".

    >>> precision_at_k(["a"], {"a": 1}, k=10)
    0.1
    """
    return sum(gain > 0 for gain in gains(ranked, grades, k)) / k


def reciprocal_rank(ranked: list[str], grades: dict[str, int], k: int = 10) -> float:
    """Return 1 / rank of the first relevant id, ranks from 1; 0.0 if none stands in the first k places.

    `ranked` is a list of ids, best first; `grades` is {id: grade}, relevant above 0.
    Lesson 03, "What we would measure".

    >>> reciprocal_rank(["x", "a"], {"a": 1})
    0.5
    """
    for rank, gain in enumerate(gains(ranked, grades, k), 1):
        if gain > 0:
            return 1 / rank
    return 0.0


def dcg(values: list[float]) -> float:
    """Add up gains, each divided by log2(1 + rank), ranks from 1: what stands lower counts less.

    `values` are the gains in ranked order. Returns 0.0 for an empty list.
    Lesson 03, "What we would measure".

    >>> round(dcg([3, 2, 3, 0, 1, 2]), 4)
    6.8611
    """
    return sum((value / math.log2(1 + rank) for rank, value in enumerate(values, 1)), 0.0)


def ndcg_at_k(ranked: list[str], grades: dict[str, int], k: int = 10, exponential: bool = False) -> float:
    """Return DCG of the first k places over the DCG of the best possible first k places.

    The best possible order comes from all judged ids, found or not. `ranked` is a list of ids, best first; `grades` is
    {id: grade}. The gain is the grade itself, or 2**grade - 1 with `exponential`. Returns a number from 0 to 1; 0.0
    when nothing is relevant.
    Lesson 03, "What we would measure".

    >>> round(ndcg_at_k(list("abcdef"), {"a": 3, "b": 2, "c": 3, "e": 1, "f": 2}, k=6), 6)
    0.960808
    """
    here = gains(ranked, grades, k)
    ideal = sorted((grade for grade in grades.values() if grade > 0), reverse=True)[:k]
    if exponential:
        here, ideal = [2**g - 1 for g in here], [2**g - 1 for g in ideal]
    return dcg(here) / dcg(ideal) if ideal else 0.0


def mean_reciprocal_rank(run: dict[str, list[str]], qrels: dict[str, dict[str, int]], k: int = 10) -> float:
    """Return the mean of the reciprocal rank over all judged queries.

    `run` is {query id: ranked ids}, `qrels` is {query id: {id: grade}}. A judged query that is missing from `run`, or
    whose list holds nothing relevant, scores 0 and stays in the mean; a query for which nothing is relevant is left
    out, and so is one that nobody judged. Returns 0.0 when no query is left.
    Lesson 03, "What we would measure".

    >>> mean_reciprocal_rank({"q1": ["x", "a"]}, {"q1": {"a": 1}, "q2": {"b": 1}})
    0.25
    """
    values = [reciprocal_rank(run.get(query, []), grades, k) for query, grades in qrels.items()
              if any(grade > 0 for grade in grades.values())]
    return sum(values) / len(values) if values else 0.0
