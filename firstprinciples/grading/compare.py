"""Compare a learner's value with the right one, and say where they part.

A value is first turned into plain numbers, strings, lists and dicts, by its exact type: nothing of the value's own code
runs, so an object that calls itself equal to everything earns nothing. Then type, length, and numbers are compared.
"""

import math

import numpy as np

REL = 1e-6  # relative tolerance: float32 passes, a wrong formula does not
LEAST = 1e-9  # absolute tolerance: where 0 is right, so is what rounding leaves of it
DEEPEST = 20  # how many lists and dicts may stand inside each other: no answer needs more, and none may hold itself


class Mismatch(AssertionError):
    """A value that differs from the right one: `expected` and `yours` are plain values, `why` says where they part."""

    def __init__(self, expected, yours, why):
        super().__init__(why)
        self.expected, self.yours, self.why = expected, yours, why


def expect(yours, expected, rel: float = REL, least: float = LEAST) -> None:
    """Raise Mismatch unless `yours` equals `expected`: the same shape, and numbers equal to the relative tolerance.

    Numbers that lie no further apart than `least` are equal, too.
    """
    try:
        value = plain(yours)
    except TypeError as error:
        raise Mismatch(plain(expected), type(yours).__name__, str(error)) from None
    why = difference(value, plain(expected), rel, least=least, full=True)
    if why:
        raise Mismatch(plain(expected), value, why)


def plain(value, depth: int = 0):
    """Return the value as plain Python: arrays and tuples become lists, NumPy numbers Python numbers.

    Raises TypeError for anything that is not a number, string, list, tuple, dict, array or None, for a whole number
    that is too large to compare, and for lists and dicts more than DEEPEST deep.
    """
    kind = type(value)
    if depth > DEEPEST:
        raise TypeError(f"lists or dicts more than {DEEPEST} deep came back; does one hold itself?")
    if kind is int and abs(value) > 1e308:
        raise TypeError("a whole number of more than 308 digits came back")
    if value is None or kind in (bool, int, float, str):
        return value
    if kind is np.ndarray:
        if value.dtype.kind == "U":
            raise TypeError("an array of strings came back; return a list of them")
        if value.dtype.kind not in "biuf":
            raise TypeError(f"an array of {value.dtype} came back; it should hold numbers")
        return (value.astype(float) if value.dtype.kind == "f" else value).tolist()  # long doubles have no other way
    if kind.__module__ == "numpy" and isinstance(value, (np.bool_, np.integer, np.str_)):
        return value.item()
    if kind.__module__ == "numpy" and isinstance(value, np.floating):
        return float(value)
    if kind in (list, tuple):
        return [plain(item, depth + 1) for item in value]
    if isinstance(value, dict):  # also Counter and defaultdict, read past anything they override
        if any(type(key) is tuple for key in dict.keys(value)):
            raise TypeError("a dict with a tuple as a key came back")
        return {plain(key, depth + 1): plain(item, depth + 1) for key, item in dict.items(value)}
    raise TypeError(f"a value of type {kind.__name__} came back")


def difference(yours, expected, rel: float = REL, at: str = "", least: float = LEAST, full: bool = False) -> str:
    """Say in words where two plain values first part; an empty string when they are equal.

    With `full` two numbers that are shown as equal, such as 1.0 and 1.0000, are written with all their digits.
    """
    place = f" at {at}" if at else ""
    if _number(expected):
        if not _number(yours):
            return f"expected a number{place}, not {_kind(yours)}"
        if not math.isfinite(yours):
            return f"{yours} is not a finite number{place}"
        close = math.isclose(yours, expected, rel_tol=rel, abs_tol=least)
        wanted, got = show(expected), show(yours)
        if wanted == got or full and len(wanted + got) < 60 and float(wanted) == float(got):  # too near to be seen
            wanted, got = repr(expected), repr(yours)
        return "" if close else f"expected {wanted}{place}, not {got}"
    if type(yours) is not type(expected):
        return f"expected {_kind(expected)}{place}, not {_kind(yours)}"
    if isinstance(expected, list):
        if len(yours) != len(expected):
            return f"expected {len(expected)} items{place}, not {len(yours)}"
        pairs = enumerate(zip(yours, expected, strict=True))
        return next(filter(None, (difference(y, e, rel, f"{at}[{i}]", least, full) for i, (y, e) in pairs)), "")
    if isinstance(expected, dict):
        missing = [key for key in expected if key not in yours]
        extra = [key for key in yours if key not in expected]
        if missing or extra:
            return f"{missing[0]!r} is missing{place}" if missing else f"{extra[0]!r} should not be there{place}"
        return next(filter(None, (difference(yours[k], expected[k], rel, f"{at}[{k!r}]", least, full)
                                  for k in expected)), "")
    return "" if yours == expected else f"expected {expected!r}{place}, not {yours!r}"


def same(one, other) -> bool:
    """Say whether two plain values are equal; unlike for `difference`, nan equals nan and infinity infinity."""
    return repr(one) == repr(other) or not difference(one, other)


def show(value, width: int = 90) -> str:
    """Return a value as short text, numbers to four decimals."""
    text = _show(value)
    return text if len(text) <= width else text[: width - 4] + " ..."


def _show(value) -> str:
    if isinstance(value, float):
        if not abs(value) < 1e16:  # also nan
            return f"{value:.6g}"
        text = f"{value:.4f}"
        if round(value, 4) == value and abs(value) < 1e12:
            return repr(value)
        return text if float(text) and abs(float(text) / value - 1) < 1e-3 else f"{value:.6g}"
    if isinstance(value, (list, tuple)):
        left, right = "[]" if isinstance(value, list) else "()"
        return left + ", ".join(map(_show, value)) + right
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r}: {_show(v)}" for k, v in value.items()) + "}"
    return repr(value)


def _number(value) -> bool:
    return type(value) in (int, float)


def _kind(value) -> str:
    names = {bool: "True or False", int: "a number", float: "a number", str: "a string", list: "a list", dict: "a dict",
             type(None): "None (is a return missing?)"}
    return names[type(value)]
