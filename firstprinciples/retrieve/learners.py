"""What a learner's function gives, checked where the course takes it in: a finite number, or one clear sentence.

`use` can put any function into a module, also one that forgets its return. Whatever it gives or raises, the sentence
names the function that is at fault and says how to put the course's own back.
"""

import math
import numbers
import reprlib
import sys
from contextlib import contextmanager

import numpy as np

LARGEST = 1e100  # what a function may give: a score adds up products of two, which are then far from infinity
SMALLEST_NORM = 1e-100  # and what length_norm must give at least, because the variants divide by it


@contextmanager
def named(name: str):
    """Add to whatever is raised in a `with` block a note that names the function it came from."""
    try:
        yield
    except Exception as error:
        error.add_note(f"This was raised by {name}. {_way_back(name)}")
        raise


def numbers_of(values: list, name: str) -> np.ndarray:
    """Return what a function gave for each of several inputs as an array, float64, of the same length.

    A number is what Python counts as real, or an array without a dimension, such as `np.where` gives. Raises
    ValueError, which names the function, for anything else, for nan and infinity, and beyond 1e100 either way.

    >>> numbers_of([1, np.array(0.5)], "idf")
    array([1. , 0.5])
    """
    found = np.array([value if type(value) is float else _float(value) for value in values], dtype=float)
    wrong = np.flatnonzero(~(np.abs(found) <= LARGEST))  # nan is in no order
    if len(wrong) and np.isfinite(found[wrong[0]]):
        raise ValueError(f"{name} gave a number beyond {LARGEST:g}, which is too large to be added up. "
                         f"{_way_back(name)}")
    if len(wrong):
        given = " ".join(reprlib.repr(values[wrong[0]]).split())  # on one line, also an array
        raise ValueError(f"{name} gave {given}, which is not a finite number. Is a return missing? {_way_back(name)}")
    return found


def assert_above_0(norms: dict[int, float]) -> None:
    """Raise ValueError where {length: norm} has a norm that the term weight can't divide by."""
    for length, norm in norms.items():
        if norm < SMALLEST_NORM:
            raise ValueError(f"length_norm gave {norm} for a document of {length} words; it must be clearly above 0, "
                             f"since the term weight divides by it. {_way_back('length_norm')}")


def _float(value) -> float:
    """Return a value as a float: nan if it is not a number, the largest float if it is larger than that."""
    if isinstance(value, (np.ndarray, np.generic)) and value.ndim == 0:
        value = value.item()
    if not isinstance(value, numbers.Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:  # a whole number of more than 308 digits
        return sys.float_info.max


def _way_back(name: str) -> str:
    """Return what to do about a function that does not work."""
    return f'use("bm25.{name}") puts the course\'s own back.'
