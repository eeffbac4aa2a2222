"""What comes into fusion, checked once: ids, scores, weights, what retrievers found, and what learners' functions give.

`use` can put any function into a module, also one that forgets its return; a retriever may be a reader's own. Whatever
they give or raise, one sentence names what is at fault.
"""

import math
import numbers
import operator
import reprlib
import sys

from firstprinciples.retrieve import Hit

LARGEST = 1e100  # of weights: sums of them stay far from infinity


def at_least(low: float, number) -> bool:
    """Say whether this is a finite number, `low` or more.

    >>> at_least(0, 60), at_least(0, -1), at_least(0, math.nan), at_least(0, "60")
    (True, False, False, False)
    """
    if type(number) in (float, int):  # as nearly always; the way below takes ten times as long
        return low <= number <= sys.float_info.max
    try:
        return isinstance(number, numbers.Real) and math.isfinite(number) and low <= float(number)
    except OverflowError:  # a whole number of more than 308 digits
        return False


def ids_of(ids) -> list[str]:
    """Return a list of ids as a list. Raises ValueError unless all are strings, in an order."""
    if isinstance(ids, str):
        raise ValueError(f"{reprlib.repr(ids)} is one string where a list of ids is needed.")
    if isinstance(ids, (set, frozenset)) or not hasattr(ids, "__iter__"):
        raise ValueError(f"{reprlib.repr(ids)} is no list of ids, best first.")
    ids = list(ids)
    for id in ids:
        if not isinstance(id, str):
            raise ValueError(f"The id {id!r} is no string, and {id!r} and {str(id)!r} would be two documents: "
                             "turn ids into strings first.")
    return ids


def scores_of(scores) -> list[float]:
    """Return scores as floats. Raises ValueError unless all are finite numbers."""
    scores = list(scores) if hasattr(scores, "__iter__") else [None]
    if not all(at_least(-sys.float_info.max, score) for score in scores):
        raise ValueError("Scores must be finite numbers to be brought to 0..1; there is a nan, an infinity, or what is "
                         "no number.")
    return [float(score) for score in scores]


def best_scores(pairs) -> dict[str, float]:
    """Return {id: its highest score} of a list of (id, score). Raises ValueError where it is none."""
    try:
        ids, scores = zip(*((id, score) for id, score in pairs), strict=True) if (pairs := list(pairs)) else ((), ())
    except (TypeError, ValueError):
        raise ValueError(f"{reprlib.repr(pairs)} is no list of pairs (id, score).") from None
    best = {}
    for id, score in zip(ids_of(ids), scores_of(scores), strict=True):
        best[id] = max(score, best.get(id, score))
    return best


def weights_of(weights) -> list[float]:
    """Return the weights as a list. Raises ValueError unless they are numbers, 0 or more."""
    given = list(weights) if hasattr(weights, "__iter__") else [weights]
    if not all(at_least(0, weight) and weight <= LARGEST for weight in given):
        raise ValueError(f"The weights are {reprlib.repr(given)}; each must be a number, 0 or more.")
    return given


def voting(hits, name: str, depth: int) -> list[Hit]:
    """Return what a retriever found, at most `depth`; [] when all its scores are 0: nothing is alike, and the order is
    that of the ids. Raises ValueError, which names it, for what is no list of an id and a finite score each.
    """
    try:
        hits = [hit if type(hit) is Hit else Hit(*hit) for hit in hits][:depth]
        right = all(isinstance(id, str) and at_least(-sys.float_info.max, score) for id, score in hits)
    except (TypeError, ValueError):
        right = False
    if not right:
        raise ValueError(f"{name} found {reprlib.repr(hits)}, which is no list of hits: an id, a string, and a finite "
                         "score each.")
    return hits if any(hit.score != 0 for hit in hits) else []


def whole(number, name: str) -> int:
    """Return a whole number, 1 or more, as a Python int; raises ValueError for anything else, also for True."""
    try:
        number = operator.index(None if isinstance(number, bool) else number)
    except TypeError:
        raise ValueError(f"{name} is {number!r}; it must be a whole number.") from None
    if number < 1:
        raise ValueError(f"{name} is {number}; it must be 1 or more.")
    return number


def called(function, name: str):
    """Return what a function of the course, or the learner's in its place, gives; name it in whatever it raises."""
    try:
        return function()
    except Exception as error:
        error.add_note(f"This was raised by {name}, or by what it calls. {way_back(name)}")
        raise


def number_of(function, name: str) -> float:
    """Return the finite number that a function gives; raises ValueError, which names it, for anything else."""
    try:
        value = called(function, name)
    except (IndexError, TypeError):
        value = None
    if not at_least(-sys.float_info.max, value):
        raise ValueError(f"{name} gave something that is not a finite number. Is a return missing? {way_back(name)}")
    return float(value)


def taken(function, k: int, name: str) -> list[Hit]:
    """Return the first k of what a fusing function gives as hits; raises ValueError, which names it, if none."""
    fused = called(function, name)
    try:
        hits = [Hit(id, float(score)) for id, score in fused[:k]]
        if all(isinstance(hit.id, str) and math.isfinite(hit.score) for hit in hits):
            return hits
    except (TypeError, ValueError, IndexError, KeyError):
        pass
    raise ValueError(f"{name} gave {reprlib.repr(fused)}, which is no list of (id, score). Is a return missing? "
                     f"{way_back(name)}")


def way_back(name: str) -> str:
    """Return what to do about a learner's function that does not work."""
    return f"use(\"fusion.{name}\") puts the course's own back."
