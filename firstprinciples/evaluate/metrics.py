"""Numbers that say how good a ranked list is.

The problem. A search gave ten chunks. Are the right ones there, how much else is there, and do they stand on top?
`ranked` is a list of ids, best first; `grades` is {id: grade}, what people judged: 0 not relevant, 1 and more relevant,
higher is better. An id that is not in `grades` counts as not relevant. An id that stands twice in `ranked` keeps both
places, and counts at the first only.

    recall@k      found in the top k / all that are relevant                      was it found at all?
    precision@k   found in the top k / k                                          how much else must I read?
    RR@k          1 / rank of the first relevant one, 0 if there is none          how soon does the first come?
    nDCG@k        DCG / the best possible DCG, DCG = sum of gain / log2(1 + rank)  do the best ones stand on top?
    AP            mean, over all that are relevant, of the precision at its rank  are all of them far up?

Source: K. Järvelin and J. Kekäläinen, "Cumulated gain-based evaluation of IR techniques", ACM TOIS 20(4), 2002, for
nDCG; E. Voorhees, "The TREC-8 question answering track report", 1999, for the reciprocal rank; C. Buckley and
E. Voorhees, "Evaluating evaluation measure stability", SIGIR 2000, for average precision. nDCG is written in three
ways that give different numbers; `ndcg_conventions` sets them side by side.
"""

import math

TIE_RULES = ("id ascending", "id descending", "as given")


def gains(ranked: list[str], grades: dict[str, int], k: int) -> list[int]:
    """Return the grade at each of the first k places: 0 for what is not relevant and for an id seen before.

    Raises ValueError for k < 1.
    Lesson 02, "Recall and precision".

    >>> gains(["a", "x", "a", "b"], {"a": 3, "b": 1}, k=4)
    [3, 0, 0, 1]
    """
    if k < 1:
        raise ValueError(f"k is {k}; look at 1 place or more.")
    left = {id: grade for id, grade in grades.items() if grade > 0}
    return [left.pop(id, 0) for id in ranked[:k]]  # pop: an id earns its grade once


def recall_at_k(ranked: list[str], grades: dict[str, int], k: int) -> float:
    """Say which share of all relevant ids stands in the first k places.

    `ranked` is a list of ids, best first; `grades` is {id: grade}, relevant above 0. An id that stands twice counts
    once. Returns a number from 0 to 1; 0.0 when nothing is relevant.
    Lesson 02, "Recall and precision".

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
    Lesson 02, "Recall and precision".

    >>> precision_at_k(["a"], {"a": 1}, k=10)
    0.1
    """
    return sum(gain > 0 for gain in gains(ranked, grades, k)) / k


def reciprocal_rank(ranked: list[str], grades: dict[str, int], k: int = 10) -> float:
    """Return 1 / rank of the first relevant id, ranks from 1; 0.0 if none stands in the first k places.

    `ranked` is a list of ids, best first; `grades` is {id: grade}, relevant above 0.
    Lesson 02, "The first one".

    >>> reciprocal_rank(["x", "a"], {"a": 1})
    0.5
    """
    for rank, gain in enumerate(gains(ranked, grades, k), 1):
        if gain > 0:
            return 1 / rank
    return 0.0


def mean_reciprocal_rank(run: dict[str, list[str]], qrels: dict[str, dict[str, int]], k: int = 10) -> float:
    """Return the mean of the reciprocal rank over all judged queries.

    `run` is {query id: ranked ids}, `qrels` is {query id: {id: grade}}. A judged query that is missing from `run`, or
    whose list holds nothing relevant, scores 0 and stays in the mean; a query for which nothing is relevant is left
    out, and so is one that nobody judged. Returns 0.0 when no query is left.
    Lesson 02, "The first one".

    >>> mean_reciprocal_rank({"q1": ["x", "a"]}, {"q1": {"a": 1}, "q2": {"b": 1}})
    0.25
    """
    values = [reciprocal_rank(run.get(query, []), grades, k) for query, grades in qrels.items()
              if any(grade > 0 for grade in grades.values())]
    return sum(values) / len(values) if values else 0.0


def dcg(values: list[float]) -> float:
    """Add up gains, each divided by log2(1 + rank), ranks from 1: what stands lower counts less.

    `values` are the gains in ranked order. Returns 0.0 for an empty list.
    Lesson 02, "Order".

    >>> round(dcg([3, 2, 3, 0, 1, 2]), 4)
    6.8611
    """
    return sum((value / math.log2(1 + rank) for rank, value in enumerate(values, 1)), 0.0)


def ndcg_at_k(ranked: list[str], grades: dict[str, int], k: int = 10, exponential: bool = False) -> float:
    """Return DCG of the first k places over the DCG of the best possible first k places.

    The best possible order comes from all judged ids, found or not. `ranked` is a list of ids, best first; `grades` is
    {id: grade}. The gain is the grade itself, or 2**grade - 1 with `exponential`. Returns a number from 0 to 1; 0.0
    when nothing is relevant.
    Lesson 02, "Order".

    >>> round(ndcg_at_k(list("abcdef"), {"a": 3, "b": 2, "c": 3, "e": 1, "f": 2}, k=6), 6)
    0.960808
    """
    here = gains(ranked, grades, k)
    ideal = sorted((grade for grade in grades.values() if grade > 0), reverse=True)[:k]
    if exponential:
        here, ideal = [2**g - 1 for g in here], [2**g - 1 for g in ideal]
    return dcg(here) / dcg(ideal) if ideal else 0.0


def dcg_with_base(values: list[float], base: float = 2) -> float:
    """Add up gains as first published: below rank `base` undivided, from there on divided by log(rank) to that base.

    `values` are the gains in ranked order, ranks from 1. A larger base stands for a more patient reader. With base 2
    the first two ranks count in full. Returns 0.0 for an empty list. Raises ValueError unless `base` is above 1.
    Lesson 02, "Order".

    >>> round(dcg_with_base([3, 2, 3, 0, 1, 2]), 4)
    8.0972
    """
    if not base > 1:  # nan is not above 1 either
        raise ValueError(f"base is {base}; a logarithm that grows needs one above 1.")
    return sum((value if rank < base else value / math.log(rank, base) for rank, value in enumerate(values, 1)), 0.0)


def ndcg_conventions(ranked: list[str], grades: dict[str, int], k: int = 10, base: float = 2) -> dict[str, float]:
    """Return nDCG@k under its three conventions: {"linear": ..., "exponential": ..., "original": ...}.

    Linear and exponential differ in the gain, the grade or 2**grade - 1; the original has the grade as its gain and the
    discount of `dcg_with_base`. A number without its convention can't be compared with another.

    >>> ways = ndcg_conventions(list("abcdef"), {"a": 3, "b": 2, "c": 3, "e": 1, "f": 2}, k=6)
    >>> {name: round(value, 4) for name, value in ways.items()}
    {'linear': 0.9608, 'exponential': 0.9488, 'original': 0.9315}
    """
    ideal = sorted((grade for grade in grades.values() if grade > 0), reverse=True)[:k]
    here = dcg_with_base(gains(ranked, grades, k), base)
    return {
        "linear": ndcg_at_k(ranked, grades, k),
        "exponential": ndcg_at_k(ranked, grades, k, exponential=True),
        "original": here / dcg_with_base(ideal, base) if ideal else 0.0,
    }


def average_precision(ranked: list[str], grades: dict[str, int], k: int = 1000) -> float:
    """Average, over all relevant ids, the precision at the rank of each; one that is not in the first k places adds 0.

    `ranked` is a list of ids, best first; `grades` is {id: grade}, relevant above 0: how far above does not matter.
    Returns a number from 0 to 1; 0.0 when nothing is relevant.
    Lesson 02, "Order".

    >>> average_precision(["a", "x", "b", "y"], {"a": 1, "b": 2, "c": 1})  # (1/1 + 2/3 + 0) / 3
    0.5555555555555555
    """
    found, total = 0, 0.0
    for rank, gain in enumerate(gains(ranked, grades, k), 1):
        if gain > 0:
            found += 1
            total += found / rank
    relevant = sum(grade > 0 for grade in grades.values())
    return total / relevant if relevant else 0.0


def rank_by_score(scores: dict[str, float]) -> list[str]:
    """Return the ids, best score first; ids with equal scores in the order of the ids, ascending.

    `scores` is {id: score}, higher is better. Ids are strings and are compared as strings, so "10" comes before "9".
    Lesson 02, "Ties".

    >>> rank_by_score({"b": 1.5, "c": 2.0, "a": 1.5})
    ['c', 'a', 'b']
    """
    if len(set(scores.values())) == len(scores):  # no ties: comparing numbers alone is twice as fast
        return sorted(scores, key=scores.get, reverse=True)
    return sorted(scores, key=lambda id: (-scores[id], id))


def order_ties(scores: dict[str, float], rule: str) -> list[str]:
    """Return the ids, best score first; a rule says in which order equal scores stand.

    "id ascending" is the rule of this course, "id descending" that of trec_eval, "as given" keeps the order of the
    dict, such as that of the collection: what sorting does when nobody thinks of ties. Raises ValueError for any other.

    >>> [order_ties({"b": 1.0, "c": 1.0, "a": 1.0}, rule) for rule in TIE_RULES]
    [['a', 'b', 'c'], ['c', 'b', 'a'], ['b', 'c', 'a']]
    """
    if rule not in TIE_RULES:
        raise ValueError(f"There is no rule {rule!r} for ties; choose {', '.join(TIE_RULES)}.")
    ids = list(scores) if rule == "as given" else sorted(scores, reverse=rule == "id descending")
    return sorted(ids, key=lambda id: -scores[id])  # sorting leaves equals in the order in which they came
