"""The guard around a learner's functions: they drive the picture, and nothing they do can break it.

A wrong result is drawn as it is, with the right one beside it and the first difference in words. Where a function
raises, gives something that cannot be drawn, or takes too long, the course's own stands in, and the picture says so.
"""

import copy
import inspect
import linecache
import math
import numbers
import reprlib
import time
import traceback
from collections import Counter
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

import numpy as np

from firstprinciples import swap


@dataclass(frozen=True)
class Run:
    """What one picture is drawn from, and what there is to say about the learner's functions in it."""

    frame: object
    expected: object = None  # the course's own frame, where the learner's functions gave something else
    using: tuple[str, ...] = ()  # the explorer's tasks that run on the learner's function
    trouble: str = ""  # a sentence: the first difference, or why the course's own function stands in


class Trouble(Exception):
    """A learner's function raised, or gave something that cannot be drawn; the message is for the learner."""


class _Brief(reprlib.Repr):
    """What shortens values; a fraction inside a list keeps four decimals there, too."""

    def repr_float(self, value, level):
        return repr(round(value, 4)) if 0.001 <= abs(value) < 1e6 else repr(value)


LONG = 10  # seconds that a learner's functions may take for one picture; the page stands still meanwhile
_brief = _Brief()
_brief.maxlevel, _brief.maxlist, _brief.maxtuple, _brief.maxdict = 3, 3, 3, 3
_own = cache(swap.reference)
_place = cache(swap.split_name)


@contextmanager
def standing(functions: dict):
    """For the time of a `with` block, let these functions stand in their modules: {"bm25.idf": function}."""
    before = {name: getattr(*_place(name)) for name in functions}
    try:
        for name, function in functions.items():
            setattr(*_place(name), function)
        yield
    finally:
        for name, function in before.items():
            setattr(*_place(name), function)


def guard(tasks: tuple[str, ...], compute, drawn=lambda frame: None) -> Run:
    """Call `compute()` on the learner's functions where they are in use, beside the course's own.

    `drawn(frame)` draws what came out, to see whether it can be drawn.

    A wrong result is kept and named; an exception, or a result that is not finite, gives the course's own frame and the
    reason. Nothing a learner's function does reaches the picture as an error.
    """
    using = tuple(name for name in tasks if name in swap.in_use())
    if not using:
        return Run(compute())
    with swap.untouched():
        expected = compute()
    differences, spent = [], Counter()
    try:
        with standing({name: _watched(name, tasks, differences, spent) for name in using}):
            frame = compute()
            _assert_finite(frame)
            drawn(frame)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # also SystemExit
        what = str(error)
        if not isinstance(error, Trouble):  # raised by what goes on from their result
            names = " and ".join(name.partition(".")[2] for name in using)
            what = f"With your {names} it can't go on: {_first_line(error)}".removesuffix(".") + "."
        return Run(expected, None, using, f"{what} Drawn with the course's own function instead.")
    return Run(frame, expected, using, differences[0]) if differences else Run(frame, None, using)


def _watched(name: str, tasks, differences: list, spent: Counter):
    """Return the learner's function wrapped: each result is checked and compared with the course's own.

    `spent` adds up what the calls for one picture took, in seconds.
    """
    theirs, short = getattr(*_place(name)), name.split(".")[1]

    def call(*args, **kwargs):
        said = _call_text(name, args, kwargs)
        with swap.untouched():
            expected = _own(name)(*copy.deepcopy(args), **copy.deepcopy(kwargs))
        if spent["seconds"] > LONG:
            raise Trouble(f"Your {short} is too slow for this picture: after {LONG} seconds it was called "
                          f"{spent['calls']:,} times, and more calls were to come.")
        begun = time.monotonic()
        try:
            value = theirs(*map(_given, args), **{key: _given(each) for key, each in kwargs.items()})
        except (Trouble, KeyboardInterrupt):  # Trouble: from another of the learner's functions, called by this one
            raise
        except BaseException as error:
            where, what = _line_of(error, theirs), _first_line(error)
            raise Trouble(f"Your {short} stopped{where}: {what}, for {said}.") from error
        finally:
            spent.update(seconds=time.monotonic() - begun, calls=1)
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value.item()
        if isinstance(expected, bool):
            if not isinstance(value, (bool, np.bool_)):
                raise Trouble(f"Your {short} returned {_short(value)}, which is neither True nor False, for {said}.")
        elif isinstance(expected, numbers.Real):
            if not isinstance(value, numbers.Real) or isinstance(value, bool):
                raise Trouble(f"Your {short} returned {_short(value)}, which is not a number, for {said}.")
            if not math.isfinite(value):
                raise Trouble(f"Your {short} returned {value}, which is not a finite number, for {said}.")
        if not _same(value, expected):
            pair = (_short(value), _short(expected))
            yours, should = pair if pair[0] != pair[1] else (repr(value), repr(expected))
            differences.append(f"yours {yours}, expected {should} for {said}")
        return value

    return call


def _given(value):
    """Return a copy of an argument, which they may change; what only can be read, and may note who reads, as it is."""
    return value if isinstance(value, Mapping) and not isinstance(value, dict) else copy.deepcopy(value)


def _same(value, expected) -> bool:
    """Say whether two results agree as the grader sees it: numbers to six digits, lists and dicts piece by piece."""
    value, expected = (each.tolist() if isinstance(each, np.ndarray) else each for each in (value, expected))
    if isinstance(expected, bool):
        return isinstance(value, (bool, np.bool_)) and bool(value) == expected
    if isinstance(expected, numbers.Real):
        return isinstance(value, numbers.Real) and math.isclose(value, expected, rel_tol=1e-6, abs_tol=1e-9)
    if isinstance(expected, dict):
        return (isinstance(value, dict) and value.keys() == expected.keys()
                and all(_same(value[key], expected[key]) for key in expected))
    if isinstance(expected, (list, tuple)):
        return (isinstance(value, (list, tuple)) and len(value) == len(expected)
                and all(map(_same, value, expected)))
    return type(value) is type(expected) and bool(value == expected)


def _call_text(name, args, kwargs) -> str:
    """Return a call as the learner would type it: idf(n=3, df=1)."""
    bound = inspect.signature(_own(name)).bind(*args, **kwargs).arguments
    return f"{name.split('.')[1]}({', '.join(f'{key}={_short(value)}' for key, value in bound.items())})"


def _short(value) -> str:
    """Return a value in a few characters: fractions with four decimals at most."""
    if isinstance(value, numbers.Real) and not isinstance(value, (bool, int)):
        value = float(value)
        return f"{value:.4f}".rstrip("0").rstrip(".") if 0.001 <= abs(value) < 1e6 or value == 0 else f"{value:.4g}"
    if isinstance(value, Mapping) and not isinstance(value, dict):
        return f"{{... {len(value)} keys}}"
    if isinstance(value, np.ndarray) and value.dtype.kind in "iufb":
        value = value.tolist() if value.dtype.kind == "b" else np.round(value.astype(float), 4).tolist()
    return _brief.repr(value)


def _first_line(error: BaseException) -> str:
    """Return the type of an error and the first line of its message."""
    message = (str(error).strip().splitlines() or [""])[0]
    message = message if len(message) <= 240 else f"{message[:240].rsplit(' ', 1)[0]} ..."
    return type(error).__name__ + (f": {message}" if message else "")


def _line_of(error, function) -> str:
    """Return where in the learner's own text the error was raised: its line number and the line."""
    filename = getattr(getattr(function, "__code__", None), "co_filename", None)
    lines = [step for step in traceback.extract_tb(error.__traceback__) if step.filename == filename]
    if not lines:
        return ""
    source = linecache.getline(filename, lines[-1].lineno).strip()
    return f" in line {lines[-1].lineno}" + (f" ({source[:80]})" if source else "")


def _assert_finite(value, seen: set | None = None):
    """Raise Trouble when a number somewhere in a frame is not finite.

    Many frames of one walk share their parts: what is in `seen`, by its identity, is not gone through again.
    """
    seen = set() if seen is None else seen
    if isinstance(value, (dict, list, tuple)):
        if id(value) in seen:
            return
        seen.add(id(value))
        for piece in value.values() if isinstance(value, dict) else value:
            if type(piece) not in (int, str, bool):
                _assert_finite(piece, seen)
    elif isinstance(value, numbers.Real) and not math.isfinite(value):
        raise Trouble(f"The sum came out as {value}, which cannot be drawn.")
