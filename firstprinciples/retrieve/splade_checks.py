"""What comes into `splade`, checked once: an encoder, the rows that it gives, and what learners' functions give.

`use` can put any function into `splade`, and an encoder may be a reader's own. Whatever they give, one sentence names
what is at fault.
"""

import operator
import reprlib
from collections.abc import Mapping
from itertools import chain

import numpy as np

ENCODER = ("encode_queries", "encode_passages", "terms_of")
LARGEST = 1e30  # of a weight: float32 holds it, and sums of products of two are far from infinity


def checked_encoder(encoder):
    """Return the encoder; raises TypeError for what is none, such as one that gives plain vectors."""
    if isinstance(encoder, type) or not all(hasattr(encoder, name) for name in ENCODER):
        raise TypeError(f"{reprlib.repr(encoder)} is no encoder for Splade: it needs {', '.join(ENCODER)}, as "
                        "splade_tiny() and expander() have them.")
    return encoder


def checked_rows(rows, n: int, encoder) -> list[dict[str, float]]:
    """Return what an encoder gave for n texts: {term: weight} for each, weights from 0 and finite; else ValueError.

    >>> checked_rows([{"car": 2}], 1, None)
    [{'car': 2}]
    """
    name = getattr(encoder, "name", type(encoder).__name__)
    rows = list(rows) if hasattr(rows, "__iter__") else [rows]
    if len(rows) != n:
        raise ValueError(f"The encoder {name} gave {len(rows)} rows for {n} {'text' if n == 1 else 'texts'}.")
    for row in rows:
        if not isinstance(row, Mapping) or not all(isinstance(term, str) for term in row):
            raise ValueError(f"The encoder {name} gave {reprlib.repr(row)}, which is no dict of terms and weights.")
        try:
            weights = np.array(list(row.values()) or [0.0])
        except (TypeError, ValueError):
            weights = np.array([np.nan])
        numbers = weights.shape == (max(len(row), 1),) and weights.dtype.kind in "biuf"
        if not numbers or not ((weights >= 0) & (weights <= LARGEST)).all():  # nan is neither
            raise ValueError(f"The encoder {name} gave a weight that is no finite number from 0: {reprlib.repr(row)}.")
    return rows


def checked_terms(terms, encoder) -> list[str]:
    """Return the terms that an encoder says a text holds; raises ValueError for what is no list of strings."""
    if isinstance(terms, (list, tuple)) and all(isinstance(term, str) for term in terms):
        return list(terms)
    name = getattr(encoder, "name", type(encoder).__name__)
    raise ValueError(f"terms_of of the encoder {name} gave {reprlib.repr(terms)}, which is no list of terms.")


def flat(index, n: int) -> tuple[dict[str, int], np.ndarray, np.ndarray, np.ndarray]:
    """Lay the lists of an impact index end to end: (words, starts, holders, weights), as `postings` draws them.

    `words` numbers the terms; `starts` is int64 with one entry more than there are terms; `holders` int32 and `weights`
    float32 have one for each (document, weight), so that a posting takes 8 bytes. Raises ValueError, which names
    impact_index, for what is no index of n documents.

    >>> words, starts, holders, weights = flat({"car": [(0, 2.0), (1, 0.5)], "rope": [(1, 1.0)]}, n=2)
    >>> words, starts.tolist(), holders.tolist(), weights.tolist()
    ({'car': 0, 'rope': 1}, [0, 2, 3], [0, 1, 1], [2.0, 0.5, 1.0])
    """
    try:
        lengths = [len(pairs) for pairs in index.values()]
        size = sum(lengths)
        numbers = np.fromiter(chain.from_iterable(chain.from_iterable(index.values())), float, 2 * size)
        holders, weights = numbers[::2], numbers[1::2]
        right = (all(isinstance(term, str) for term in index) and all(len(pairs[0]) == 2 for pairs in index.values() if
                 len(pairs)) and ((0 <= holders) & (holders < n) & (holders == np.floor(holders))
                                  & (weights > 0) & (weights <= LARGEST)).all())
    except (AttributeError, TypeError, ValueError, KeyError, IndexError):
        right = False
    if right:  # in a list the positions rise, and so each stands in it once
        owners = np.repeat(np.arange(len(lengths)), lengths)
        right = bool((np.diff(owners * n + holders) > 0).all())
    if not right:
        raise ValueError("impact_index gave what is no index: it should be a dict, and for each term a list of pairs "
                         f"(position, weight above 0), by position, from 0 to {n - 1}. {way_back('impact_index')}")
    starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)
    words = {term: number for number, term in enumerate(index)}
    weights = np.maximum(weights.astype(np.float32), np.finfo(np.float32).tiny)  # what is above 0 stays above it
    return words, starts, holders.astype(np.int32), weights


def checked_parts(parts) -> dict:
    """Return what literal_and_added gave; raises ValueError unless it has both dicts."""
    if not isinstance(parts, Mapping) or not all(isinstance(parts.get(name), Mapping) for name in ("literal", "added")):
        raise ValueError(f"literal_and_added gave {reprlib.repr(parts)}; it should be a dict with two dicts, literal "
                         f"and added. {way_back('literal_and_added')}")
    return parts


def checked_strongest(kept, row: dict) -> dict[str, float]:
    """Return what strongest gave; raises ValueError unless it is a dict of terms that the text has."""
    if not isinstance(kept, Mapping) or not all(term in row for term in kept):
        raise ValueError(f"strongest gave {reprlib.repr(kept)}; it should be a dict of some of the text's terms. "
                         f"{way_back('strongest')}")
    return kept


def whole(number, name: str, low: int = 1) -> int:
    """Return a whole number, `low` or more, as a Python int; raises ValueError for anything else.

    >>> whole(np.int8(3), "k")
    3
    """
    try:
        number = operator.index(None if isinstance(number, bool) else number)
    except TypeError:
        raise ValueError(f"{name} is {number!r}; it must be a whole number.") from None
    if number < low:
        raise ValueError(f"{name} is {number}; it must be {low} or more.")
    return number


def way_back(name: str) -> str:
    """Return what to do about a function that does not work."""
    return f'use("splade.{name}") puts the course\'s own back.'
