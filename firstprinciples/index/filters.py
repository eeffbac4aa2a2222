"""Filters: search only among the records that fit a condition, and know what the condition did to the search.

The problem. "What did we invoice in March 2024?" A vector says what a page is about. It does not know the year, hardly
the client, and nothing of who may read the page. Such facts are kept beside the vector as labels (metadata), and a
condition, `where`, is a plain dict over them. All of its fields must hold:

    {"type": "invoice"}                                      equal
    {"type": ["invoice", "bill"]}                            one of these
    {"date": {"from": "2024-03-01", "to": "2024-05-31"}}     in a range, with both its ends; one may be left out

There are three moments at which a condition can be looked at, and each has a price:

    before   keep the records that match, compare the query with each of them: exact, whatever the condition. It costs
             one distance for each match, so it is dear where half of a million match.
    during   walk an HNSW graph as ever, step on all records, keep only those that match. Exact search's answer nearly
             always; but the rarer the matches, the further the walk goes before it has enough of them.
    after    search as ever, then drop what does not match. Cheap; but of the 50 nearest perhaps two match, and then the
             list is short. That has to be said, since a short list looks like an answer.

If a share s of all records matches, and the condition has nothing to do with the question, k / s results have to be
fetched before k of them match. Source: Y. Malkov and D. Yashunin, arXiv 1603.09320, Algorithm 2, for the walk, to which
a condition adds one line; S. Gollapudi and others, "Filtered-DiskANN", WWW 2023, section 1, for the three moments.
"""

import heapq
import math
from dataclasses import dataclass

import numpy as np

from firstprinciples.index import as_k, as_matrix, as_vector, named, shown
from firstprinciples.index.conditions import (
    as_allowed,
    checked,
    ends,
    equal,
    first_day,
    is_date,
    is_number,
    last_day,
    pairs,
    several,
)
from firstprinciples.index.cosine import dots, unit
from firstprinciples.index.hnsw import Watched, whole

HOW = ("pre", "in", "post")
FEW = 0.1  # the share of matches below which how="in" compares with all matches instead; see Filtered
WIDTH = 64  # the ef of a walk unless `fetch` says otherwise


def within(value, limits: dict) -> bool:
    """Say whether a number or a date lies in a range, both ends included: {"from": 10, "to": 20}.

    One of the two ends may be left out. Dates are strings, "2024-03-15", and may lack the day or the month: "2024-03"
    and "2024" stand for all of their days. So a range from "2024-03" begins on March 1, and one to "2024-03" ends on
    March 31; a `value` "2024-03" lies in a range only if the whole month does. What can't be compared with the ends (a
    number with dates, a text that is no date, True and False, which are no numbers) does not lie in it. Raises
    ValueError for limits that are no range: no end, another key, ends of two kinds or of none, `from` after `to`.
    Lesson 13, "Labels and conditions".

    >>> march = {"from": "2024-03", "to": "2024-03"}
    >>> within("2024-03-31", march), within("2024-04-01", march), within("2024", march), within(20, {"to": 20})
    (True, False, False, True)
    """
    low, high = ends(limits)
    known = low if low is not None else high
    if is_date(value) and is_date(known):
        return ((low is None or first_day(low) <= first_day(value))  # written so, earlier days are smaller strings
                and (high is None or last_day(value) <= last_day(high)))
    if is_number(value) and is_number(known):
        return (low is None or low <= value) and (high is None or value <= high)
    return False


def matches(metadata: dict, where: dict) -> bool:
    """Say whether the labels of one record fulfill a condition: every field of `where` must hold.

    A value in `where` asks for an equal one; a list, for one that equals one of its values; a dict, for one within that
    range (see `within`). A field that the record lacks does not match, nor does None. A record that has a list of
    values in a field matches if one of them does. Equal means equal: 5 is not "5", 1 is not True, and "2024-03" asks
    for just that text, not for the days of March. An empty `where` asks for nothing, and every record matches. Raises
    ValueError for an empty list, which nothing could match, and what is no range; TypeError for other conditions.
    Lesson 13, "Labels and conditions".

    >>> bill = {"type": "bill", "client": ["Ridgeback", "Cedarline"], "date": "2024-03-12"}
    >>> matches(bill, {"type": ["invoice", "bill"], "client": "Cedarline", "date": {"from": "2024-03"}})
    True
    """
    wanted = checked(where)
    return all(any(within(value, condition) if isinstance(condition, dict) else any(equal(value, c) for c in condition)
                   for value in several(metadata.get(field))) for field, condition in wanted.items())


def pre_filter(query, vectors, allowed, k: int) -> list[tuple[int, float]]:
    """Compare the query with the allowed vectors only: the k most similar, [(position, similarity), ...].

    `query` (dim,) and `vectors` (n, dim) have length 1; the similarity is their dot product. `allowed` has True or
    False for each vector. Positions count in `vectors`, not among the allowed. The most similar come first, equal ones
    by position; fewer than k where fewer are allowed. Raises ValueError where `allowed` does not fit, and for k < 1.
    Lesson 13, "Before the search".

    >>> pre_filter([1, 0], [[1, 0], [0.6, 0.8], [0.8, 0.6], [0, 1]], [False, True, True, True], k=2)
    [(2, 0.8), (1, 0.6)]
    """
    query, k = as_vector(query), as_k(k)
    vectors = as_matrix(vectors, len(query))
    allowed = as_allowed(allowed, len(vectors))
    positions = np.flatnonzero(allowed)
    found = np.clip(dots(vectors[positions], query), -1.0, 1.0)
    best = np.argsort(-found, kind="stable")[:k]
    return list(zip(positions[best].tolist(), found[best].tolist(), strict=True))


def how_many_to_fetch(k: int, share: float) -> int:
    """Say how many results to fetch so that k of them match, if a `share` of all records does: k / share, rounded up.

    `share` is above 0 and at most 1. The number is right on average, if the condition has nothing to do with the
    question: then about every other search still comes up short. Raises ValueError for k < 1 and for another share.
    Lesson 13, "After the search".

    >>> how_many_to_fetch(10, 0.5), how_many_to_fetch(10, 0.03)
    (20, 334)
    """
    k = as_k(k)
    if not is_number(share) or not 0 < share <= 1 or math.isinf(k / share):
        raise ValueError(f"The share is {shown(share)}; it is the part of all records that matches, above 0 and at "
                         "most 1. Where nothing matches, nothing needs to be fetched.")
    return math.ceil(round(k / share, 6))  # 7 / 0.07 is 100.00000000000001, and that is no reason for 101


def post_filter(ranked: list[tuple[int, float]], allowed, k: int) -> dict:
    """Drop from a ranked list what is not allowed, cut it to k, and say how many of the k are missing.

    `ranked` is [(position, similarity), ...], best first, as a search without a condition gave it: it is all that was
    fetched. `allowed` has True or False for each position. Returns {"found": the first k that are allowed, as they
    stood, "missing": k minus how many those are}. Raises ValueError for k < 1 and for a position that `allowed` has
    no value for: too large, or below 0.
    Lesson 13, "After the search".

    >>> post_filter([(3, 0.9), (0, 0.8), (2, 0.5)], [True, False, True, False], k=3)
    {'found': [(0, 0.8), (2, 0.5)], 'missing': 1}
    """
    k, allowed = as_k(k), as_allowed(allowed, len(allowed))
    beyond = [position for position, _ in ranked if not 0 <= position < len(allowed)]
    if beyond:
        raise ValueError(f"Position {beyond[0]} is ranked, and allowed has {len(allowed)} values: none for it.")
    found = [(position, similarity) for position, similarity in ranked if allowed[position]][:k]
    return {"found": found, "missing": k - len(found)}


def search_layer_filtered(query, entry_points, ef: int, vectors, layer: dict, allowed) -> list[tuple[float, int]]:
    """Walk a layer of an HNSW graph as Algorithm 2 does, over all nodes, and keep only those that are allowed.

    `query` (dim,) and `vectors` (n, dim) have length 1; the distance is 1 - their dot product, not below 0.
    `entry_points` are positions; `layer` is {position: [positions of its neighbors]}; `allowed` has True or False for
    each position. A node that is not allowed is walked through: its neighbors are looked at, and it is left out of the
    results. The walk ends when ef results are found and the nearest node left to visit is further off than the worst of
    them, or when no node is left. Returns the results, at most ef, [(distance, position), ...], the nearest first,
    equal ones by position. Raises ValueError for ef < 1 and where `allowed` does not fit.
    Lesson 13, "During the search".

    >>> search_layer_filtered([1, 0], [0], 1, [[0, 1], [0.6, 0.8], [1, 0]], {0: [1], 1: [0, 2], 2: [1]},
    ...                       [False, False, True])
    [(0.0, 2)]
    """
    ef, query = as_k(ef), as_vector(query)
    vectors = as_matrix(vectors, len(query))
    allowed = as_allowed(allowed, len(vectors))
    seen, candidates, results = set(), [], []  # two heaps: the nearest candidate, the furthest result on top

    def meet(position):
        if position in seen:
            return
        seen.add(position)
        distance = max(0.0, 1.0 - float(dots(vectors[position : position + 1], query)[0]))
        if len(results) == ef and (distance, position) > (-results[0][0], -results[0][1]):
            return
        heapq.heappush(candidates, (distance, position))
        if allowed[position]:
            heapq.heappush(results, (-distance, -position))
            if len(results) > ef:
                heapq.heappop(results)

    for position in entry_points:
        meet(int(position))
    while candidates:
        distance, position = heapq.heappop(candidates)
        if len(results) == ef and distance > -results[0][0]:
            break
        for neighbor in layer[position]:
            meet(neighbor)
    return sorted((-distance, -position) for distance, position in results)


@dataclass(frozen=True)
class Found:
    """What a filtered search found, and what that took.

    `hits` [(id, similarity), ...], best first; `asked` is k; `matching` counts the records that fulfill the condition,
    `missing` is asked - len(hits); `distances` counts the full vectors that were compared with the query, `fetched` the
    results that the index handed over; `note` says it in a sentence.
    """

    hits: list
    asked: int
    matching: int
    missing: int
    distances: int
    fetched: int
    note: str


class Filtered:
    """An index with the labels of its records: a search takes a condition, and looks at it before, during or after.

    `index` holds the vectors; `metadata` is {id: {field: value}}. An id without an entry has no labels. `vectors` are
    the full ones, in the order of the index's positions, for an index that keeps none. The functions above are looked
    up at each call.

    With how="in" all matches are compared one by one, as "pre" does, where their share is below `few`; with few=0 the
    walk is always walked. Rare matches make a walk long: it passes what is not allowed and goes on, in the end through
    the whole graph. Of scifact's 5,183 passages (labels by lot; M = 16, ef = 64) it compared 1,330 where a half
    matched, 3,292 at a tenth, 5,225 at a hundredth, upper layers counted; "pre" compared 2,592, 518 and 52. So here the
    two cost the same at a share between a tenth and a half. What "pre" compares grows as the records do, and what a
    walk compares hardly does: the more there are, the lower that share. A tenth is meant for more than these; and "pre"
    misses nothing. Measured by tests/benchmarks/bench_filters.py, see notebooks/filters.json.

    >>> from firstprinciples.index.cosine import Exact
    >>> index = Exact(dim=2)
    >>> index.add([[1, 0], [4, 3], [3, 4]], ids=["a", "b", "c"])
    >>> labels = {"a": {"year": 2023}, "b": {"year": 2024}, "c": {"year": 2024}}
    >>> found = Filtered(index, labels).search([1, 0], k=2, where={"year": 2024})
    >>> [id for id, _ in found.hits], found.matching, found.distances
    (['b', 'c'], 2, 2)
    """

    def __init__(self, index, metadata: dict, vectors=None, few: float = FEW):
        if not isinstance(metadata, dict) or not all(isinstance(labels, dict) for labels in metadata.values()):
            raise TypeError('The metadata are a dict of dicts, such as {"a": {"type": "invoice"}}.')
        self.index, self.metadata, self.few, self._vectors = index, metadata, few, None
        if vectors is not None:
            vectors = as_matrix(vectors, index.dim)
            if len(vectors) != len(index.ids):
                raise ValueError(f"There are {len(vectors)} vectors and {len(index.ids)} ids in the index.")
            self._vectors = unit(vectors).astype(np.float32)

    def allowed(self, where: dict | None) -> np.ndarray:
        """Return for each position of the index whether its record matches, bool. None is the empty condition.

        Raises KeyError for a field that no record has, since that is a slip of the pen more often than a question;
        ValueError for a range that no record's value in that field can be compared with.
        """
        where = {} if where is None else where
        places, wanted, alike = self._places(), checked(where), {}
        for id, place in places.items():  # records with the same labels in these fields are judged once, together
            record = self.metadata.get(id, {})
            alike.setdefault(repr([record.get(field) for field in wanted]), (record, []))[1].append(place)
        for field, condition in wanted.items():
            values = [value for record, _ in alike.values() for value in several(record.get(field))]
            if places and not values:
                fields = sorted({field for id in places for field in self.metadata.get(id, {})})
                raise KeyError(f"No record has the field {field!r}; the fields are {', '.join(fields) or 'none'}.")
            if places and isinstance(condition, dict):
                comparable = is_date if is_date(next(iter(condition.values()))) else is_number
                if not any(map(comparable, values)):
                    kind = "date" if comparable is is_date else "number"
                    raise ValueError(f"No record has a {kind} in {field!r}, so none can be in that range; "
                                     f"{shown(values[0])} stands there, for instance.")
        rows = self._rows()
        found = np.zeros(len(places) if rows is None else len(rows), dtype=bool)  # where one is deleted, False stays
        with named("filters.matches"):
            for record, positions in alike.values():
                found[positions] = bool(matches(record, where))
        return found

    def search(self, q, k: int = 10, where: dict | None = None, how: str = "pre", fetch: int | None = None) -> Found:
        """Return the k most similar records that match, as a Found.

        `how` is "pre", "in" (the index is an HNSW) or "post". `fetch` is how many results the index is asked for
        with "post" (by default `how_many_to_fetch`), and the width ef of the walk with "in". Raises ValueError for
        another `how`, and as `allowed` does.
        """
        k, q = as_k(k), as_vector(q)
        if fetch is not None:
            fetch = whole("fetch", fetch, 1, "it is how many results the index is asked for")
        if how not in HOW:
            raise ValueError(f"how is {shown(how)}; a condition is looked at {', '.join(map(repr, HOW))}.")
        if len(q) != self.index.dim:
            raise ValueError(f"The query is {len(q)} numbers wide and this index {self.index.dim}; use one encoder for "
                             "both.")
        allowed = self.allowed(where)
        matching = int(allowed.sum())
        if not matching:
            return Found([], k, 0, k, 0, 0, f"None of {counted(len(self._places()))} matches.")
        return {"pre": self._pre, "in": self._in, "post": self._post}[how](unit(q), k, allowed, matching, fetch)

    def _pre(self, q, k, allowed, matching, fetch=None, note="") -> Found:
        """Compare the query with all that match."""
        rows, ids = self._rows(), {place: id for id, place in self._places().items()}
        if rows is None:
            raise ValueError(f'{type(self.index).__name__} keeps no full vectors, which how="pre" compares; hand them '
                             'in as vectors=..., or use how="post".')
        # In the order of ids, so that ties by position are ties by id. The course's own function gets only what
        # matches, and so copies no more than that; another one gets all, so that what it does with `allowed` shows.
        order = [place for place in sorted(ids, key=ids.__getitem__) if allowed[place] or pre_filter is not OWN[0]]
        with named("filters.pre_filter"):
            best = pairs(pre_filter(q, rows[order], allowed[order], k), len(order), "filters.pre_filter")
        hits = [(ids[order[place]], similarity) for place, similarity in best]
        note = note or f"The query was compared with {counted(matching)} of {len(ids)}, all that match."
        return Found(hits, k, matching, k - len(hits), matching, matching, note + scarce(hits, k, matching))

    def _in(self, q, k, allowed, matching, fetch) -> Found:
        """Walk the graph over all records, keep those that match; compare all that match where they are few."""
        if not hasattr(self.index, "layers"):
            raise ValueError(f"A condition can be looked at during the search of an HNSW; {type(self.index).__name__} "
                             'has no graph to walk. Use how="pre" or how="post".')
        n, ef = len(self._places()), max(k, fetch or WIDTH)
        if matching < self.few * n:
            note = f"Of {counted(n)} {matching} match, less than {self.few:.0%}: each was compared, without a walk."
            return self._pre(q, k, allowed, matching, note=note)
        if search_layer_filtered is OWN[1]:
            hits, compared = self.index.search(q, k, ef=ef, allowed=allowed), self.index.distances
        else:
            hits, compared = self._walk(q, k, ef, allowed)
        note = f"The walk compared the query with {compared} of {counted(n)}, of which {matching} match."
        return Found(hits, k, matching, k - len(hits), compared, len(hits), note + scarce(hits, k, matching))

    def _walk(self, q, k, ef, allowed) -> tuple[list, int]:
        """Return what a replaced search_layer_filtered finds on layer 0, and how many nodes there it came by."""
        index, task = self.index, "filters.search_layer_filtered"
        start = index.descend(q, index.levels[index.entry_point], 0)
        layer = Watched(index.layers()[0], start)
        with named(task):
            found = search_layer_filtered(q, start, ef, index.vectors, layer, allowed)
        try:
            turned = [(position, distance) for distance, position in found]
        except (TypeError, ValueError):
            turned = found
        best = [(distance, index.id_at(position)) for position, distance in pairs(turned, len(allowed), task)]
        return [(id, max(-1.0, 1.0 - distance)) for distance, id in sorted(best)[:k]], len(layer.seen)

    def _post(self, q, k, allowed, matching, fetch) -> Found:
        """Search without the condition, drop what does not match."""
        places = self._places()
        ids, n = {place: id for id, place in places.items()}, len(places)
        with named("filters.how_many_to_fetch"):
            fetch = min(n, fetch or as_k(how_many_to_fetch(k, matching / n)))
        ranked = [(places[id], similarity) for id, similarity in self.index.search(q, fetch)]
        with named("filters.post_filter"):
            kept = post_filter(ranked, allowed, k)
            best = pairs(kept["found"], len(allowed), "filters.post_filter")
            missing = int(kept["missing"])
        hits = [(ids[place], similarity) for place, similarity in best]
        note = f"Of the {len(ranked)} nearest {sum(bool(allowed[place]) for place, _ in ranked)} match."
        compared = int(getattr(self.index, "distances", n))
        return Found(hits, k, matching, missing, compared, len(ranked), note + scarce(hits, k, matching))

    def _places(self) -> dict:
        """Return {id: position} of what the index holds; where it keeps no such dict, positions are the order of ids.
        """
        places = getattr(self.index, "position", None)
        return {id: place for place, id in enumerate(self.index.ids)} if places is None else places

    def _rows(self) -> np.ndarray | None:
        """Return the full vectors, (n, dim), normalized, by position; None where none are kept."""
        rows = self._vectors
        for name in ("vectors", "rows"):
            rows = getattr(self.index, name, None) if rows is None else rows
        return rows


def counted(n: int) -> str:
    """Return "1 record", "2 records"."""
    return f"{n} record{'' if n == 1 else 's'}"


def scarce(hits: list, k: int, matching: int) -> str:
    """Return what a note adds where fewer than k were found; empty where they were."""
    if len(hits) >= k:
        return ""
    if len(hits) >= matching:
        return f" No more than {matching} match; {k} were asked for."
    return (f" {k - len(hits)} of the {k} asked for {'is' if k - len(hits) == 1 else 'are'} missing, and "
            f"{matching - len(hits)} more match: fetch more, or look at the condition before the search.")


OWN = (pre_filter, search_layer_filtered)
