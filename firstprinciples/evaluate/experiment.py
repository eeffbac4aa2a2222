"""Run a retriever over a whole question set: how much it finds, how long it takes, and how sure that is.

Relevance is by evidence. Before a ranked list is scored, each chunk in it is replaced by the pieces of evidence that it
is the first to show (best grade first), or by one place that earns nothing. So overlapping chunks that hold the same
quote count once, and a quote that no chunk holds whole can never be found. In a BEIR folder a document is one piece of
evidence for the queries it is judged relevant for, which gives the usual numbers.

A question without evidence (unanswerable) has nothing to find: it is left out of the means, and counted.

How sure. Other questions of the same sort would have given other means. The bootstrap draws, with replacement, as many
questions as there are from those we have, many times: the means of these draws spread about as far as the means of
other questions would. Two retrievers are compared question by question, so that a hard question is hard for both.
Source: B. Efron and R. Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13 (the percentile interval); for
search: T. Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006; M. Smucker, J. Allan and
B. Carterette, "A comparison of statistical significance tests for information retrieval evaluation", CIKM 2007.

What a step is worth. A part that is added to a pipeline gets one line: on how many questions it took which number from
where to where, how sure that is, and how many milliseconds it added. How many chunks are handed over is a dial of its
own: the more, the more evidence is among them, and the more there is to read (`k_sweep`, `knee`). Of several pipelines
one can be dropped unseen if another finds as much in less time (`pareto`). A ladder of them is in `evaluate.ladder`.
"""

import math
import time

import numpy as np

from firstprinciples.corpus import Collection
from firstprinciples.evaluate import metrics
from firstprinciples.evaluate.table import METRICS, on_one_line, table  # noqa: F401 - looked for here, too


def pieces_shown(ranked: list[str], evidence: list[tuple[int, tuple[str, ...]]]) -> tuple[list[str], dict[str, int]]:
    """Turn ranked chunk ids into ranked evidence: returns (ids of pieces, {id of piece: grade}).

    `evidence` is a list of (grade, ids of the chunks that hold the piece, perhaps none). Each chunk is replaced by the
    pieces that it is the first to show, best grade first and equal grades in the order given; one that shows none is
    replaced by "nothing" and its place, from 0. The grades are those of all pieces, shown or not.
    Lesson 02, "Evidence".

    >>> pieces_shown(["c1", "c2", "c3"], [(2, ("c2", "c3")), (3, ("c2",))])
    (['nothing 0', 'piece 1', 'piece 0', 'nothing 2'], {'piece 0': 2, 'piece 1': 3})
    """
    holds = {}  # chunk id -> the pieces it holds, best grade first
    for number in sorted(range(len(evidence)), key=lambda i: -evidence[i][0]):
        for id in evidence[number][1]:
            holds.setdefault(id, []).append(f"piece {number}")
    out, seen = [], set()
    for place, id in enumerate(ranked):
        new = [piece for piece in holds.get(id, []) if piece not in seen]
        seen.update(new)
        out += new or [f"nothing {place}"]
    return out, {f"piece {number}": grade for number, (grade, _) in enumerate(evidence)}


def measure(ranked: list[str], evidence: list[tuple[int, tuple[str, ...]]]) -> dict[str, float]:
    """Return the five metrics of one ranked list of chunk ids."""
    shown, grades = pieces_shown(ranked, evidence)
    return {
        "nDCG@10": metrics.ndcg_at_k(shown, grades, 10),
        "Recall@10": metrics.recall_at_k(shown, grades, 10),
        "Recall@100": metrics.recall_at_k(shown, grades, 100),
        "Precision@10": metrics.precision_at_k(shown, grades, 10),
        "MRR@10": metrics.reciprocal_rank(shown, grades, 10),
    }


def means_by_kind(each: dict[str, dict[str, float]], kinds: dict[str, str]) -> dict[str, dict[str, float]]:
    """Return, for each kind of question, the mean of each metric over the measured questions of that kind.

    `each` is {query id: {metric: value}}, what was measured; `kinds` is {query id: kind}. A question that is not in
    `each` was not measured and does not count; one without a kind, or whose kind is "", belongs to none. A kind
    without a measured question is not in the result.
    Lesson 02, "What we would measure".

    >>> each = {"q1": {"RR": 1.0}, "q2": {"RR": 0.0}, "q3": {"RR": 0.25}}
    >>> means_by_kind(each, {"q1": "codes", "q2": "codes", "q3": "names"})
    {'codes': {'RR': 0.5}, 'names': {'RR': 0.25}}
    """
    groups = {}
    for id, row in each.items():
        if kinds.get(id):
            groups.setdefault(kinds[id], []).append(row)
    return {kind: _means(rows) for kind, rows in groups.items()}


def percentile(values: list[float], p: float) -> float:
    """Return the smallest value that at least p percent of the values do not exceed (nearest rank).

    `p` is from 0 to 100; 0 gives the smallest of all. The result is always one of the values. An error of rounding does
    not count: 2.5000000000000022 is taken for 2.5. Raises ValueError for any other p and where there are no values.
    Lesson 02, "How sure".

    >>> percentile([4, 1, 3, 2], 50)
    2
    """
    if not 0 <= p <= 100:
        raise ValueError(f"p is {p}; it is a percentage, from 0 to 100.")
    if not len(values):
        raise ValueError("There are no values, so there is no percentile of them.")
    rank = math.ceil(round(len(values) * p / 100, 9))  # 100 * (1 - 0.95) / 2 is 2.5000000000000022
    return sorted(values)[max(rank - 1, 0)]


def paired_differences(before: dict[str, float], after: dict[str, float]) -> list[float]:
    """Return `after` minus `before` for each question, in the order of `before`.

    Both are {query id: value of one metric}, from two retrievers on the same questions, in any order. Raises ValueError
    where the questions are not the same: a difference needs both.
    Lesson 02, "How sure".

    >>> paired_differences({"q1": 0.5, "q2": 1.0}, {"q2": 0.25, "q1": 0.75})
    [0.25, -0.75]
    """
    if before.keys() != after.keys():
        lonely = sorted(before.keys() ^ after.keys(), key=repr)  # also where some ids are texts and some numbers
        raise ValueError(f"Both must have measured the same questions; only one has {lonely[0]!r}.")
    return [after[id] - before[id] for id in before]


def draw_resamples(n: int, times: int = 10_000, seed: int = 0) -> np.ndarray:
    """Draw n of n questions with replacement, `times` times: an array (times, n) of positions, from 0 to n - 1.

    The same seed gives the same array on every machine. It holds small whole numbers (uint16 up to 65,536 questions),
    so that 10,000 draws of 300 questions take 6 MB. Raises ValueError for n < 1.

    >>> draw_resamples(5, times=2).tolist()
    [[2, 4, 4, 3, 4], [2, 3, 1, 4, 1]]
    """
    if n < 1:
        raise ValueError(f"n is {n}; draw from 1 question or more.")
    kind = np.uint16 if n <= 65_536 else np.int64
    return np.random.Generator(np.random.PCG64(seed)).integers(0, n, size=(times, n), dtype=kind)


def bootstrap_interval(differences: list[float], resamples: list[list[int]],
                       level: float = 0.95) -> tuple[float, float]:
    """Return (low, high): between them lies the middle `level` of the means of the resamples.

    `differences` are n numbers, one for each question: differences of two retrievers, or one retriever's values.
    `resamples` is an array (B, n) of positions in them, drawn with replacement, a row for each resample. `level` is
    from 0 to 1. The ends are percentiles by `percentile`, at 0.95 the 2.5th and the 97.5th: of ten thousand means in
    order the 250th and the 9,750th. Raises ValueError for any other level, and for resamples that are not such an
    array, have no row, or hold anything but 0 to n - 1.
    Lesson 02, "How sure".

    >>> bootstrap_interval([0.0, 0.5, 0.25], [[0, 0, 1], [2, 2, 0], [1, 1, 2], [0, 2, 1]], level=0.5)
    (0.16666666666666666, 0.25)
    """
    values, rows = np.asarray(differences, dtype=float), np.asarray(resamples)
    if not 0 <= level <= 1:
        raise ValueError(f"level is {level}; it is a share, from 0 to 1 (0.95 is usual).")
    if rows.ndim != 2 or not rows.size or rows.dtype.kind not in "iu":
        raise ValueError("resamples must be an array of whole numbers, (resamples, questions), with a row or more.")
    if rows.min() < 0 or rows.max() >= len(values):
        raise ValueError(f"resamples has positions from {rows.min()} to {rows.max()}; with {len(values)} differences "
                         f"they are from 0 to {len(values) - 1}.")
    blocks = range(0, len(rows), 1000)  # a thousand resamples at a time: the drawn values need little memory
    means = np.concatenate([values[rows[start : start + 1000]].mean(axis=1) for start in blocks])
    return float(percentile(means, 50 - 50 * level)), float(percentile(means, 50 + 50 * level))


def k_sweep(ranked: list[str], evidence: list[tuple[int, tuple[str, ...]]], ks: list[int]) -> dict[int, float]:
    """Return {k: share of the pieces that the first k chunks hold}, the k in the order given.

    `evidence` is a list of (grade, ids of the chunks that hold the piece, perhaps none). Pieces of grade 1 and more
    count, each once, and all alike. k counts the chunks that are handed over: a chunk that holds two pieces is one of
    k, where Recall@k of `measure` gives it two places. A k beyond the end of the list looks at all of it. Each share is
    from 0 to 1; 0.0 where no piece counts. Raises ValueError for a k below 1.
    Lesson 19, "The k sweep".

    >>> k_sweep(["c1", "c2", "c3", "c4"], [(3, ("c4",)), (2, ("c1",)), (1, ("c1", "c2")), (2, ())], [1, 3, 5])
    {1: 0.5, 3: 0.5, 5: 0.75}
    """
    if wrong := [k for k in ks if k < 1]:
        raise ValueError(f"k is {wrong[0]}; hand over 1 chunk or more.")
    holders = [set(ids) for grade, ids in evidence if grade > 0]
    out = {}
    for k in ks:
        found = sum(not ids.isdisjoint(ranked[:k]) for ids in holders)
        out[k] = found / len(holders) if holders else 0.0
    return out


def knee(values: dict[int, float], tolerance: float) -> int:
    """Return the smallest k whose value is at most `tolerance` below the best value.

    `values` is {k: value, higher is better}, in any order; the best may be at any k. A value that lies exactly
    `tolerance` below the best is near enough, and an error of rounding does not count: distances are compared to nine
    decimals. Raises ValueError without a value and for a tolerance below 0.
    Lesson 19, "The k sweep".

    >>> knee({1: 0.5, 5: 0.7, 10: 0.8, 20: 0.75}, tolerance=0.1)
    5
    """
    if not values:
        raise ValueError("There are no values, so there is no k to choose.")
    if not tolerance >= 0:
        raise ValueError(f"tolerance is {tolerance}; it is how far below the best is near enough, 0 or more.")
    best = max(values.values())
    return min(k for k, value in values.items() if round(best - value, 9) <= tolerance)


def added(before_ms: list[float], after_ms: list[float], p: float = 95) -> float:
    """Return by how much the p-th percentile of the times grew: that of `after_ms` minus that of `before_ms`.

    Both are lists of milliseconds, one for each question, in any order, and perhaps not equally many: percentiles by
    `percentile`, p from 0 to 100. It is not the percentile of the differences. Below 0 where it became quicker. Raises
    ValueError for any other p and where one of the lists is empty.
    Lesson 19, "A line a step".

    >>> added([1.0, 2.0, 9.0], [4.0, 3.0, 9.5], p=50)
    2.0
    """
    return percentile(after_ms, p) - percentile(before_ms, p)


def report_line(n: int, name: str, before: float, after: float, low: float, high: float,
                added_ms: float | None = None, measure: str = "Recall@10") -> str:
    """Return what one step did, as one line: on how many questions, from where to where, how sure, and what it cost.

    `before` and `after` are means of `measure` over the n questions, `low` and `high` the ends of the interval of
    their difference. These have three decimals, the difference and its ends always a sign; `added_ms` has one, and
    below 0 it reads "took 3.1 ms off p95". What is rounded to zero is "+0.000", and "added 0.0 ms to p95". Without
    `added_ms` the line ends behind the bracket. Where 0 is inside the interval, its ends included, the bracket says
    ": not told apart". Raises ValueError for n below 1 and for low above high.
    Lesson 19, "A line a step".

    >>> report_line(135, "RRF", 0.55, 0.643, 0.04, 0.15)
    'on 135 questions, RRF took Recall@10 from 0.550 to 0.643 (+0.093, 95 % interval +0.040 to +0.150)'
    >>> report_line(135, "RRF", 0.55, 0.643, 0.04, 0.15, 3.14).partition(") ")[2]
    'and added 3.1 ms to p95'
    >>> report_line(135, "X", 0.643, 0.64, -0.02, 0.01, -3.14).partition("0.640 ")[2]
    '(-0.003, 95 % interval -0.020 to +0.010: not told apart) and took 3.1 ms off p95'
    """
    if n < 1:
        raise ValueError(f"n is {n}; report on 1 question or more.")
    if low > high:
        raise ValueError(f"The interval goes from {low} to {high}; its low end is the first of the two.")
    difference, low_end, high_end = (f"{round(value, 3) + 0.0:+.3f}" for value in (after - before, low, high))
    doubt = ": not told apart" if low <= 0 <= high else ""
    line = (f"on {n} questions, {name} took {measure} from {before:.3f} to {after:.3f} ({difference}, 95 % interval "
            f"{low_end} to {high_end}{doubt})")
    if added_ms is None:
        return line
    ms = round(added_ms, 1)
    return line + (f" and took {-ms:.1f} ms off p95" if ms < 0 else f" and added {abs(ms):.1f} ms to p95")


def pareto(points: dict[str, tuple[float, float]]) -> list[str]:
    """Return the names that no other beats, in alphabetical order.

    `points` is {name: (quality, cost)}, higher quality and lower cost being better. One beats another where it is at
    least as good in both, and better in one: of two equal points none beats the other. Returns [] for {}.
    Lesson 19, "Who is beaten".

    >>> pareto({"words": (0.6, 1.0), "vectors": (0.6, 4.0), "both": (0.7, 5.0), "both, slowly": (0.7, 9.0)})
    ['both', 'words']
    """
    def beats(one, other):
        return one != other and one[0] >= other[0] and one[1] <= other[1]

    return sorted(name for name, point in points.items()
                  if not any(beats(tuple(other), tuple(point)) for other in points.values()))


def place_of_answer(retriever, question: str, evidence: list[tuple[int, tuple[str, ...]]]) -> int | None:
    """Return the place, from 1, of the first chunk that holds a piece of the evidence; None if none was found."""
    holders = {id for _, ids in evidence for id in ids}
    ranked = retriever.search(question, k=1_000_000)
    return next((place for place, hit in enumerate(ranked, 1) if hit.id in holders), None)


def evaluate(retriever, collection: Collection, split: str = "all", depth: int = 100, history: bool = False) -> dict:
    """Search for every judged question and return what came out.

    `split` is "dev", "held_out" or "all". With `history` the retriever is handed the turns before the question as well:
    search(question, k=depth, history=turns). Returns {"queries": how many counted, "left_out": how many had nothing to
    find, "metrics": means, "milliseconds": {"p50", "p95"} of one search, "by_kind": {kind: means}, "each": {query id:
    metrics}, "kinds": {query id: kind}}. Raises ValueError when there is no question to measure.
    """
    judged = [q for q in collection.queries if split == "all" or q.split == split]
    queries = [q for q in judged if collection.evidence.get(q.id)]
    if not queries:
        if not collection.queries:
            raise ValueError(f"{collection.name} has documents but no questions to measure (see data/SOURCES.md for "
                             "what questions.jsonl holds).")
        raise ValueError(f"None of the questions of {collection.name} has evidence." if split == "all" else
                         f"{collection.name} has no judged question in the split {split!r}; use --split all.")
    each, seconds = {}, []
    for query in queries:
        more = {"history": query.history} if history else {}
        start = time.perf_counter()
        hits = retriever.search(query.text, k=depth, **more)
        seconds.append(time.perf_counter() - start)
        each[query.id] = measure([hit.id for hit in hits], collection.evidence[query.id])
    kinds = {query.id: query.kind for query in queries}
    return {
        "queries": len(queries),
        "left_out": len(judged) - len(queries),
        "metrics": _means(list(each.values())),
        "milliseconds": {"p50": 1000 * percentile(seconds, 50), "p95": 1000 * percentile(seconds, 95)},
        "by_kind": means_by_kind(each, kinds),
        "each": each,
        "kinds": kinds,
    }


def _means(rows: list[dict[str, float]]) -> dict[str, float]:
    """Return the mean of each metric over the rows."""
    return {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}
