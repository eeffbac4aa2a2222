"""What comes into the cutting of documents, checked once: sizes, numbers, and what learners' functions give."""

import operator

import numpy as np

from firstprinciples.index import shown, way_back
from firstprinciples.swap import in_use

FORGOTTEN = (TypeError, IndexError, KeyError, AttributeError)  # what a function raises that works on a missing result


def whole(number, name: str, least: int = 1) -> int:
    """Return a whole number, `least` or more, as a Python int; raises ValueError for anything else, also for True.

    >>> whole(3, "size"), whole(np.int64(0), "overlap", least=0)
    (3, 0)
    """
    try:
        number = operator.index(None if isinstance(number, (bool, np.bool_)) else number)
    except TypeError:
        raise ValueError(f"{name} is {number!r}; it must be a whole number.") from None
    if number < least:
        raise ValueError(f"{name} is {number}; it must be {least} or more.")
    return number


def sizes(size, overlap) -> tuple[int, int]:
    """Return size and overlap of windows as Python ints; raises ValueError unless 0 <= overlap < size.

    >>> sizes(200, 40)
    (200, 40)
    """
    size, overlap = whole(size, "size"), whole(overlap, "overlap", 0)
    if overlap >= size:
        raise ValueError(f"overlap is {overlap} and size {size}; the overlap must be smaller than the size, or the "
                         "windows never move on.")
    return size, overlap


def numbers_in(values, name: str) -> np.ndarray:
    """Return a list of finite numbers as an array, (n,), float64; raises ValueError for anything else.

    >>> numbers_in([1, 2.5], "distances")
    array([1. , 2.5])
    """
    try:
        found = np.asarray(values)
    except ValueError:  # lists of unequal length
        found = np.array("")
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iuf") or not np.isfinite(
            found.astype(float) if found.size else 0).all():
        raise ValueError(f"{name} must be finite numbers; there is a nan, an infinity, or what is no list of numbers.")
    return found.astype(float)


def spans_from(task: str, make, limit: int, path: bool = False) -> list[tuple]:
    """Return what the function of a task gives, `make()`, as spans (first, last + 1) that lie in 0 ... `limit`.

    With `path` a third thing belongs to each, a list of strings. Raises ValueError, which names the task's function,
    for anything else.

    >>> spans_from("chunking.windows", lambda: [(0, 4), (3, 6)], 6)
    [(0, 4), (3, 6)]
    """
    found = called(task, make)
    try:
        found = list(found)
        spans = [(operator.index(start), operator.index(end), *map(list, rest)) for start, end, *rest in found]
        right = all(0 <= span[0] <= span[1] <= limit and len(span) == 2 + path
                    and all(isinstance(title, str) for rest in span[2:] for title in rest) for span in spans)
    except (*FORGOTTEN, ValueError):
        right = False
    if not right:
        row = "(start, end, path)" if path else "(start, end)"
        raise ValueError(f"{task.partition('.')[2]} gave {shown(found)}, which is no list of spans {row} from 0 to "
                         f"{limit}. Is a return missing? {back_from(task)}")
    return spans


def back_from(task: str) -> str:
    """Return the way back from what a task's function gives wrongly: it, or one that it calls, may be a learner's.

    >>> print(back_from("chunking.fixed"))
    use("chunking.fixed") puts the course's own back.
    """
    own = [name for name in in_use() if name.partition(".")[0] == task.partition(".")[0]]
    return " ".join(map(way_back, [task] if task in own or not own else own))


def called(task: str, make):
    """Return what `make()` gives; whatever it raises names the task's function and the way back.

    >>> called("chunking.breaks", lambda: [2])
    [2]
    """
    name = task.partition(".")[2]
    try:
        return make()
    except FORGOTTEN as error:
        raise ValueError(f"{name}, or a function that it calls, gave no usable result ({type(error).__name__}: "
                         f"{error}). {back_from(task)}") from error
    except Exception as error:
        error.add_note(f"This was raised by {name}, or by what it calls. {back_from(task)}")
        raise
