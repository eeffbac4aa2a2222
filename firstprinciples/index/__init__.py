"""Vectors -> nearest vectors. Each file is one way to find them: `cosine` looks at all.

What comes into this room is checked here, once, for all of its files: numbers that are finite, in vectors of one width.
"""

import operator
import reprlib
from contextlib import contextmanager

import numpy as np


def as_vector(values) -> np.ndarray:
    """Return one vector as a new array, 1-D, float64; `values` is a list of numbers or a 1-D array of a number type.

    Raises ValueError for anything else: no numbers, none at all, not one list, nan, infinity.

    >>> as_vector([3, 4])
    array([3., 4.])
    """
    found = as_numbers(values)
    if found.ndim != 1:
        raise ValueError(f"One vector is a list of numbers; this has {found.ndim} dimensions.")
    if not len(found):
        raise ValueError("The vector has no number in it; it needs at least one.")
    return found


def as_matrix(values, width: int) -> np.ndarray:
    """Return vectors as a new array, (n, width), float64; `values` is a list of equally long lists or a 2-D array.

    No vectors at all are (0, width). Raises ValueError for anything else: rows of another width, what is no number,
    nan, infinity; one vector alone wants a list around it.

    >>> as_matrix([[3, 4], [1, 0]], width=2).shape
    (2, 2)
    """
    found = as_numbers(values)
    if found.size == 0 and found.ndim == 1:
        return found.reshape(0, width)
    if found.ndim != 2:
        hint = "put one vector into a list: [vector]" if found.ndim == 1 else "it takes two, (vectors, numbers)"
        raise ValueError(f"A table of vectors is expected, and this has {found.ndim} dimension"
                         f"{'s' if found.ndim != 1 else ''}; {hint}.")
    if found.shape[1] != width:
        raise ValueError(f"These vectors are {found.shape[1]} numbers wide and {width} are expected; "
                         "vectors of two widths can't be compared.")
    return found


def as_numbers(values) -> np.ndarray:
    """Return a new array, float64, of the shape of `values`. Raises ValueError for what is not all finite numbers."""
    try:
        found = np.asarray(values)
    except ValueError:  # lists of unequal length
        raise ValueError("These vectors are not all of one width; each needs as many numbers as the others.") from None
    if found.dtype.kind not in "biuf" and found.size:
        hint = "; np.array(values, dtype=float) makes floats of them, if it can" if found.dtype.kind == "O" else ""
        raise ValueError(f"A vector holds numbers only; this holds something else (dtype {found.dtype}){hint}.")
    with np.errstate(over="ignore"):  # a wider float may be beyond float64: infinity, which the next line refuses
        found = found.astype(np.float64)
    if not np.isfinite(found).all():
        raise ValueError("A vector holds nan or infinity; nothing can be compared with it; find where it comes from.")
    return found


def as_k(k) -> int:
    """Return k as a Python int. Raises ValueError unless it is a whole number, 1 or more; True is none."""
    try:
        k = operator.index(None if isinstance(k, bool) else k)
    except TypeError:
        raise ValueError(f"k is {k!r}; ask for a whole number of results.") from None
    if k < 1:
        raise ValueError(f"k is {k}; ask for at least 1 result.")
    return k


def new_ids(known, n: int, new: int, ids: list[str] | None) -> list[str]:
    """Return the ids under which `new` vectors are added to an index that has had n so far.

    `known` are the ids that are there already, a dict or a set. Without ids they are numbered on: "n", "n + 1", and so
    forth. Raises ValueError for another number of ids than of vectors and for an id that is there already or twice;
    TypeError for an id that is no string, and for one string in the place of a list.

    >>> new_ids({"a"}, n=1, new=2, ids=None), new_ids({"a"}, n=1, new=1, ids=["b"])
    (['1', '2'], ['b'])
    """
    if isinstance(ids, str):
        raise TypeError(f"{ids!r} is one string where a list of ids is needed: [{ids!r}].")
    if ids is None:
        ids = [str(i) for i in range(n, n + new)]
        if taken := next((id for id in ids if id in known), None):
            raise ValueError(f"Numbered on from {n}, a new id would be {taken!r}, which is there already; hand in ids.")
        return ids
    try:
        ids = list(ids)
    except TypeError:
        raise TypeError(f"{shown(ids)} is no list of ids.") from None
    if len(ids) != new:
        raise ValueError(f"There are {new} vectors and {len(ids)} ids; give each vector one.")
    seen = set()
    for id in ids:
        if not isinstance(id, str):
            raise TypeError(f"An id is a string, and {id!r} is none; write {str(id)!r}.")
        if id in seen or id in known:
            raise ValueError(f"The id {id!r} is there twice; give every vector an id of its own.")
        seen.add(id)
    return [str(id) for id in ids]  # NumPy's texts are strings, too, and look odd in a result


@contextmanager
def named(task: str):
    """Add to whatever is raised in a `with` block a note that names the task's function and says how to put it back.

    `use` can put any function into a module, also one that raises.
    """
    try:
        yield
    except Exception as error:
        error.add_note(f"This was raised by {task.partition('.')[2]}. {way_back(task)}")
        raise


def way_back(task: str) -> str:
    """Return what to do about a learner's function that does not work."""
    return f'use("{task}") puts the course\'s own back.'


def shown(value) -> str:
    """Return a value in a few characters, on one line, whatever it is."""
    return " ".join(reprlib.repr(value).split())


def counted(n: int, what: str) -> str:
    """Return a number of things in words.

    >>> counted(1, "chunk"), counted(1_200, "chunk")
    ('1 chunk', '1,200 chunks')
    """
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"
