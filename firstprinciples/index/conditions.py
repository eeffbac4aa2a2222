"""What a filter is given: conditions and labels, told apart and checked in one place.

`filters` holds the ideas; here is what they rest on: what counts as a number, as a date and as a range, how a condition
is read, and one clear sentence for what is none of these.
"""

import calendar
import math
import numbers
import re
from datetime import date

import numpy as np

from firstprinciples.index import shown, way_back

DATE = re.compile(r"[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?")


def ends(limits: dict) -> tuple:
    """Return the two ends of a range, None for one that is left out. Raises ValueError where it is no range.

    >>> ends({"from": "2024"})
    ('2024', None)
    """
    if not isinstance(limits, dict) or not limits or set(limits) - {"from", "to"}:
        raise ValueError(f'A range is written {{"from": ..., "to": ...}}, one of the two may be left out; this is '
                         f"{shown(limits)}.")
    for end in limits.values():
        if not is_number(end) and not is_date(end):
            raise ValueError(f'A range goes from one number or date to another; {shown(end)} is none. Write a date as '
                             '"2024-03-15", "2024-03" or "2024".')
    low, high = limits.get("from"), limits.get("to")
    if low is not None and high is not None:
        if is_date(low) != is_date(high):
            raise ValueError(f"A range from {shown(low)} to {shown(high)} mixes a number and a date; use two numbers "
                             "or two dates.")
        if (first_day(low) > last_day(high)) if is_date(low) else low > high:
            raise ValueError(f"The range from {shown(low)} to {shown(high)} ends before it begins; exchange the two.")
    return low, high


def is_number(value) -> bool:
    """Say whether this is a finite number; True and False are none."""
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_)) and math.isfinite(value)


def is_date(value) -> bool:
    """Say whether this is a string such as "2024-02-29", "2024-02" or "2024", and such a day is in the calendar."""
    if not isinstance(value, str) or not DATE.fullmatch(value):
        return False
    try:
        return bool(date.fromisoformat(first_day(value)))
    except ValueError:
        return False


def first_day(text: str) -> str:
    """Return the first day of a date: "2024" -> "2024-01-01". Written so, earlier days are smaller strings."""
    return text + "-01-01"[len(text) - 4 :]


def last_day(text: str) -> str:
    """Return the last day of a date: "2024-02" -> "2024-02-29"."""
    if len(text) == 7:
        return f"{text}-{calendar.monthrange(int(text[:4]), int(text[5:]))[1]}"
    return text + "-12-31"[len(text) - 4 :]


def checked(where: dict) -> dict:
    """Return a condition with a list or a range for each field. Raises ValueError or TypeError for what is none.

    >>> checked({"type": "bill", "date": {"from": "2024"}})
    {'type': ['bill'], 'date': {'from': '2024'}}
    """
    if not isinstance(where, dict):
        raise TypeError(f'A condition is a dict such as {{"type": "invoice"}}; this is {shown(where)}.')
    found = {}
    for field, condition in where.items():
        if not isinstance(field, str):
            raise TypeError(f"A condition names fields, which are strings; {shown(field)} is none.")
        if isinstance(condition, dict):
            ends(condition)
            found[field] = condition
            continue
        found[field] = several(condition)
        if condition is not None and not found[field]:
            raise ValueError(f"Nothing is one of an empty list; name a value for {field!r}, or leave {field!r} out.")
        for value in found[field] or [None]:
            if not isinstance(value, (str, numbers.Real, np.bool_)):
                raise TypeError(f"{field!r} can be compared with a string, a number, True, False, a list of those or a "
                                f"range, not with {shown(value)}.")
    return found


def several(value) -> list:
    """Return the values of a field as a list: of a list its items, of None nothing, of anything else that one."""
    if isinstance(value, (list, tuple, set, frozenset)):
        return list(value)
    return [] if value is None else [value]


def equal(value, other) -> bool:
    """Say whether two labels are equal. In Python 1 == True; here a number is no truth value."""
    return value == other and isinstance(value, (bool, np.bool_)) == isinstance(other, (bool, np.bool_))


def as_allowed(allowed, n: int) -> np.ndarray:
    """Return what is allowed as an array of n truth values. Raises ValueError for anything else."""
    found = np.asarray(allowed)
    if found.size == 0 and n == 0:
        return np.zeros(0, dtype=bool)
    if found.shape != (n,) or found.dtype != bool:
        raise ValueError(f"allowed has True or False for each of the {n} vectors; this is {shown(allowed)}.")
    return found


def pairs(found, n: int, task: str) -> list[tuple[int, float]]:
    """Return [(position, similarity), ...] as plain numbers; ValueError where a function gave no such list."""
    try:
        plain = [(int(position), float(similarity)) for position, similarity in found]
    except (TypeError, ValueError):
        plain = [(-1, 0.0)]
    if any(not 0 <= position < n for position, _ in plain):
        raise ValueError(f"{task.partition('.')[2]} gave {shown(found)}, which is no list of (position, similarity) in "
                         f"a list of {n}. {way_back(task)}")
    return plain
