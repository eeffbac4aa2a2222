"""Other right ways to write the tasks filters.*: the graded tests must pass them all."""

import heapq
import math
import re
from calendar import monthrange
from datetime import date

import numpy as np


def _days(text):
    """Return the first and the last day of "2024-03-15", "2024-03" or "2024"; ValueError for anything else."""
    if not isinstance(text, str) or not re.fullmatch(r"\d{4}(-\d\d){0,2}", text):
        raise ValueError("no date")
    year, month, day = (list(map(int, text.split("-"))) + [0, 0])[:3]
    last = date(year, month or 12, day or monthrange(year, month or 12)[1])
    return date(year, month or 1, day or 1), last


def _number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def within__calendar(value, limits):
    if not limits or not set(limits) <= {"from", "to"}:
        raise ValueError("no range")
    ends = list(limits.values())
    if all(map(_number, ends)):
        low, high = limits.get("from", -math.inf), limits.get("to", math.inf)
        first = last = value if _number(value) else None
    else:
        days = {key: _days(end) for key, end in limits.items()}
        low = days["from"][0] if "from" in days else date.min
        high = days["to"][1] if "to" in days else date.max
        try:
            first, last = _days(value)
        except ValueError:
            first = None
    if low > high:
        raise ValueError("reversed")
    return first is not None and low <= first and last <= high


def within__whole_numbers(value, limits):
    def as_number(value, last):
        if _number(value):
            return value
        return 1e9 + 1e4 * _days(value)[last].year + 100 * _days(value)[last].month + _days(value)[last].day

    if set(limits) not in ({"from"}, {"to"}, {"from", "to"}):
        raise ValueError("no range")
    if len({_number(end) for end in limits.values()}) == 2:
        raise ValueError("two kinds")
    low, high = as_number(limits.get("from", -1e300), 0), as_number(limits.get("to", 1e300), 1)
    if low > high:
        raise ValueError("reversed")
    if _number(value) != _number(next(iter(limits.values()))):
        return False
    try:
        return not (as_number(value, 0) < low or as_number(value, 1) > high)
    except ValueError:
        return False


def within__texts(value, limits):
    if not limits or set(limits) - {"from", "to"}:
        raise ValueError("no range")
    if all(_number(end) for end in limits.values()):
        low, high = limits.get("from", -math.inf), limits.get("to", math.inf)
        if low > high:
            raise ValueError("reversed")
        return np.bool_(_number(value) and low <= value <= high)
    low = str(_days(limits["from"])[0]) if "from" in limits else ""
    high = str(_days(limits["to"])[1]) if "to" in limits else "9999-99"
    if low > high:
        raise ValueError("reversed")
    if not isinstance(value, str) or not value[:4].isdigit():
        return False
    return low <= str(_days(value)[0]) and str(_days(value)[1]) <= high


def matches__loop(metadata, where):
    good = True
    for field, condition in where.items():
        if isinstance(condition, list) and len(condition) == 0:
            raise ValueError("empty list")
        value = metadata.get(field)
        values = value if isinstance(value, list) else [value]
        hit = False
        for each in values:
            if isinstance(condition, dict):
                hit = hit or within__calendar(each, condition)
            else:
                for wanted in condition if isinstance(condition, list) else [condition]:
                    hit = hit or (each == wanted and (type(each) is bool) == (type(wanted) is bool))
        if not values and isinstance(condition, dict):
            within__calendar(0, condition)
        good = good and hit
    return good


def matches__sets(metadata, where):
    def labels(value):
        return {(type(each) is bool, each) for each in (value if isinstance(value, list) else [value])}

    if any(condition == [] for condition in where.values()):
        raise ValueError("empty list")
    return all(any([within__whole_numbers(each, condition) for _, each in labels(metadata.get(field))])
               if isinstance(condition, dict) else bool(labels(metadata.get(field)) & labels(condition))
               for field, condition in where.items())


def matches__numpy_truth(metadata, where):
    return np.bool_(matches__loop(metadata, where))


def pre_filter__sorted(query, vectors, allowed, k):
    if k < 1:
        raise ValueError("k")
    scored = [(float(np.dot(vector, query)), i) for i, (vector, good) in enumerate(zip(vectors, allowed, strict=True))
              if good]
    return [(i, score) for score, i in sorted(scored, key=lambda pair: (-pair[0], pair[1]))[:k]]


def pre_filter__others_at_the_end(query, vectors, allowed, k):
    allowed, vectors = np.asarray(allowed), np.asarray(vectors)
    if k < 1 or len(allowed) != len(vectors):
        raise ValueError("k, allowed")
    similarities = np.where(allowed, vectors @ np.asarray(query), -np.inf)
    order = np.argsort(-similarities, kind="stable")[: min(k, allowed.sum())]
    return [[i, similarities[i]] for i in order]


def pre_filter__float32(query, vectors, allowed, k):
    if k < 1 or len(allowed) != len(vectors):
        raise ValueError("k, allowed")
    rows = {i: np.float32(np.float32(query) @ np.float32(vectors[i])) for i in range(len(vectors)) if allowed[i]}
    return heapq.nsmallest(k, rows.items(), key=lambda pair: (-pair[1], pair[0]))


def how_many_to_fetch__ceil(k, share):
    if k < 1 or not 0 < share <= 1:
        raise ValueError("k, share")
    return math.ceil(k / share)


def how_many_to_fetch__counted(k, share):
    if k < 1 or share <= 0 or share > 1:
        raise ValueError("k, share")
    n = k
    while n * share < k - 1e-9:
        n += 1
    return n


def how_many_to_fetch__numpy(k, share):
    if k < 1 or not 0 < share <= 1:
        raise ValueError("k, share")
    return np.ceil(k / share)


def post_filter__loop(ranked, allowed, k):
    if k < 1:
        raise ValueError("k")
    found = []
    for position, similarity in ranked:
        if position < 0 or position >= len(allowed):
            raise ValueError("position")
        if allowed[position] and len(found) < k:
            found.append([position, similarity])
    return {"missing": k - len(found), "found": found}


def post_filter__mask(ranked, allowed, k):
    if k < 1 or any(not 0 <= position < len(allowed) for position, _ in ranked):
        raise ValueError("k, position")
    good = [bool(allowed[position]) for position, _ in ranked]
    found = [pair for pair, keep in zip(ranked, good, strict=True) if keep][:k]
    return {"found": found, "missing": max(0, k - sum(good))}


def post_filter__filter(ranked, allowed, k):
    if k < 1 or not all(0 <= pair[0] < len(allowed) for pair in ranked):
        raise ValueError("k, position")
    found = list(filter(lambda pair: allowed[pair[0]], ranked))
    return dict(found=found[:k], missing=np.int64(k - min(k, len(found))))


def search_layer_filtered__lists(query, entry_points, ef, vectors, layer, allowed):
    if ef < 1 or len(allowed) != len(vectors):
        raise ValueError("ef, allowed")
    distance = {i: max(0.0, 1 - float(np.dot(vectors[i], query))) for i in range(len(vectors))}
    visited, waiting = set(entry_points), sorted((distance[i], i) for i in entry_points)
    results = [pair for pair in waiting if allowed[pair[1]]][:ef]
    while waiting:
        nearest = waiting.pop(0)
        if len(results) == ef and nearest[0] > results[-1][0]:
            break
        for i in layer[nearest[1]]:
            if i not in visited:
                visited.add(i)
                if len(results) < ef or distance[i] < results[-1][0]:
                    waiting = sorted([*waiting, (distance[i], i)])
                    if allowed[i]:
                        results = sorted([*results, (distance[i], i)])[:ef]
    return results


def search_layer_filtered__every_candidate(query, entry_points, ef, vectors, layer, allowed):
    if ef < 1 or len(allowed) != len(vectors):
        raise ValueError("ef, allowed")
    distances = np.clip(1 - np.asarray(vectors) @ np.asarray(query), 0, None)
    visited, heap, kept = set(entry_points), [], []
    for i in entry_points:
        heapq.heappush(heap, (distances[i], i))
        kept += [[distances[i], i]] if allowed[i] else []
    while heap:
        nearest, i = heapq.heappop(heap)
        kept = sorted(kept)[:ef]
        if len(kept) == ef and nearest > kept[-1][0]:
            return kept
        for j in set(layer[i]) - visited:
            visited.add(j)
            heapq.heappush(heap, (distances[j], j))
            kept += [[distances[j], j]] if allowed[j] else []
    return sorted(kept)[:ef]


def search_layer_filtered__float32(query, entry_points, ef, vectors, layer, allowed):
    query, vectors = np.float32(query), np.float32(vectors)
    if ef < 1 or len(allowed) != len(vectors):
        raise ValueError("ef, allowed")

    def far(i):
        return max(np.float32(0), 1 - vectors[i] @ query)

    seen, open_nodes = list(entry_points), {i: far(i) for i in entry_points}
    while open_nodes:
        i = min(open_nodes, key=open_nodes.get)
        good = sorted((far(j), j) for j in seen if allowed[j])[:ef]
        if len(good) == ef and open_nodes.pop(i) > good[-1][0]:
            break
        open_nodes.pop(i, None)
        for j in layer[i]:
            if j not in seen:
                seen.append(j)
                open_nodes[j] = far(j)
    return sorted((far(j), j) for j in seen if allowed[j])[:ef]
