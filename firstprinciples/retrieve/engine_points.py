"""What an engine is handed: chunks as points, and conditions as its filters.

A vector database keeps points. A point has an id, one or several vectors, each under a name, and a payload: labels
that a filter can ask for. Three things have to be translated on the way there:

    ids          the engine takes whole numbers and UUIDs; a chunk's id is any text. A UUID of version 5 is made of a
                 text alone, so the same chunk is the same point on every machine, and is not there twice.
    labels       a chunk's metadata goes into drawers by kind, words, numbers, truths and days, so that 5 is not "5"
                 and 1 is not True. A day is counted from January 1 of the year 1; "2024-03" has a first day and a last.
    conditions   `where`, as `firstprinciples.index.filters` reads it, becomes a filter over these drawers.

Nothing here asks the engine anything; `models` is the module of its client that holds the kinds of requests. Source:
the engine's own documentation on points, payload and filtering; RFC 4122, section 4.3, for the UUIDs.
"""

import re
import uuid
from datetime import date
from numbers import Real

import numpy as np

from firstprinciples.index import shown
from firstprinciples.index.conditions import checked, ends, first_day, is_date, is_number, last_day, several

SPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "firstprinciples")  # the ids of this course lie apart from all others
KINDS = ("words", "numbers", "truths", "days")
PLAIN = re.compile(r"[A-Za-z0-9_-]+")


def point_id(id: str) -> str:
    """Return the id of the point that stands for a chunk: a UUID made of the chunk's id.

    >>> point_id("leave#1") == point_id("leave#1"), point_id("leave#1") == point_id("leave#2")
    (True, False)
    """
    return str(uuid.uuid5(SPACE, id))


def labels(metadata: dict) -> dict[str, dict[str, list]]:
    """Return a chunk's metadata by kind: {"words": {field: [values]}, "numbers": ..., "truths": ..., "days": ...}.

    A day is {"first": number, "last": number}; a text that is a date is among the words as well. What is none of these
    kinds can't be asked for, and is left out. Raises ValueError for a field whose name can't stand in a filter.

    >>> labels({"type": "bill", "date": "2024-03", "pages": 2})["days"]
    {'date': [{'first': 738946, 'last': 738976}]}
    """
    found = {kind: {} for kind in KINDS}
    for field, value in metadata.items():
        path("words", field)
        for one in several(value):
            if isinstance(one, (bool, np.bool_)):
                found["truths"].setdefault(field, []).append(bool(one))
            elif isinstance(one, str):
                found["words"].setdefault(field, []).append(str(one))
            elif is_number(one):
                found["numbers"].setdefault(field, []).append(float(one))
            if is_date(one):
                found["days"].setdefault(field, []).append({"first": day(first_day(one)), "last": day(last_day(one))})
    return found


def kinds_of(payloads: list[dict]) -> dict[str, set[str]]:
    """Return {field: the kinds of values that it has} over all chunks.

    >>> sorted(kinds_of([labels({"date": "2024-03"}), labels({"date": 7})])["date"])
    ['days', 'numbers', 'words']
    """
    found = {}
    for payload in payloads:
        for kind in KINDS:
            for field in payload[kind]:
                found.setdefault(field, set()).add(kind)
    return found


def as_filter(where: dict | None, models, fields: dict[str, set[str]]):
    """Return a condition as a filter of the engine: all fields must hold. None and {} ask for nothing: None.

    `fields` is {field: kinds of its values}. Raises KeyError for a field that no chunk has, ValueError for a range that
    no chunk's value in that field can be compared with, and what `conditions.checked` raises for what is no condition.
    """
    must = []
    for field, condition in checked({} if where is None else where).items():
        if field not in fields:
            names = ", ".join(sorted(fields)) or "none"
            raise KeyError(f"No record has the field {field!r}; the fields are {names}.")
        if isinstance(condition, dict):
            must += _range(field, condition, models, fields[field])
        else:
            must.append(_one_of(field, condition, models))
    return models.Filter(must=must) if must else None


def _range(field: str, limits: dict, models, kinds: set[str]) -> list:
    """Return what holds for a value within a range, both ends included."""
    low, high = ends(limits)
    dates = is_date(low if low is not None else high)
    if ("days" if dates else "numbers") not in kinds:
        raise ValueError(f"No record has a {'date' if dates else 'number'} in {field!r}, so none can be in that range.")
    if not dates:
        low, high = (None if end is None else float(end) for end in (low, high))
        return [models.FieldCondition(key=path("numbers", field), range=models.Range(gte=low, lte=high))]
    # Both ends must hold for the same day of a chunk that has several: the engine calls this a nested condition.
    inside = []
    if low is not None:
        inside.append(models.FieldCondition(key="first", range=models.Range(gte=day(first_day(low)))))
    if high is not None:
        inside.append(models.FieldCondition(key="last", range=models.Range(lte=day(last_day(high)))))
    return [models.NestedCondition(nested=models.Nested(key=path("days", field), filter=models.Filter(must=inside)))]


def _one_of(field: str, values: list, models):
    """Return what holds for a value that equals one of some."""
    truths = {bool(v) for v in values if isinstance(v, (bool, np.bool_))}
    words = [str(v) for v in values if isinstance(v, str)]
    numbers = [float(v) for v in values if isinstance(v, Real) and not isinstance(v, (bool, np.bool_))]
    any_of = [models.FieldCondition(key=path("truths", field), match=models.MatchValue(value=v)) for v in truths]
    # An engine's match for equal numbers takes whole ones only; a range from a number to itself takes any.
    any_of += [models.FieldCondition(key=path("numbers", field), range=models.Range(gte=v, lte=v)) for v in numbers]
    if words:
        any_of.append(models.FieldCondition(key=path("words", field), match=models.MatchAny(any=words)))
    return any_of[0] if len(any_of) == 1 else models.Filter(should=any_of)


def path(kind: str, field: str) -> str:
    """Return where the values of a field lie in a payload; a name with other signs than letters is put in quotes.

    >>> path("words", "type"), path("words", "billed to")
    ('words.type', 'words."billed to"')
    """
    if not isinstance(field, str) or not field or '"' in field or "\\" in field:
        raise ValueError(f"A field of the metadata is called {shown(field)}; an engine needs a name that is a text, "
                         "not empty, without quotation marks and backslashes.")
    return f"{kind}.{field}" if PLAIN.fullmatch(field) else f'{kind}."{field}"'


def day(text: str) -> int:
    """Return the number of a day, written as "2024-03-01"; January 1 of the year 1 is 1."""
    return date.fromisoformat(text).toordinal()


def sparse_rows(index) -> dict[str, tuple[list[int], list[float]]]:
    """Return the postings of a BM25 or Splade index by chunk: {id: (numbers of the terms, weights)}, by number.

    An engine numbers the terms, and keeps for each chunk which of them it has: the index, read by rows. A chunk without
    terms has two empty lists.

    >>> from firstprinciples.retrieve.bm25 import BM25
    >>> sparse_rows(BM25(["a red tent", "a stove"]))["1"][0]
    [0, 3]
    """
    term = np.repeat(np.arange(len(index.starts) - 1), np.diff(index.starts))
    order = np.argsort(index.holders, kind="stable")  # the terms of a chunk stay in their order
    borders = np.searchsorted(index.holders[order], np.arange(len(index.ids) + 1)).tolist()
    terms, weights = term[order].tolist(), np.asarray(index.weights)[order].tolist()
    return {id: (terms[start:end], weights[start:end])
            for id, start, end in zip(index.ids, borders[:-1], borders[1:], strict=True)}
