"""Other right ways to write the tasks fusion.*: the graded tests must pass them all."""

from collections import Counter, defaultdict

import numpy as np


def _strings(ids):
    if any(not isinstance(id, str) for id in ids):
        raise ValueError("ids are strings")


def _not_negative(k):
    if k < 0:
        raise ValueError("k from 0")


def reciprocal_rank__power(rank, k=60):
    if rank < 1 or k < 0:
        raise ValueError("ranks from 1, k from 0")
    return (k + rank) ** -1


def reciprocal_rank__float32(rank, k=60):
    if rank < 1 or k < 0:
        raise ValueError("ranks from 1, k from 0")
    return np.float32(1) / np.float32(k + rank)


def reciprocal_rank__scaled(rank, k=60):
    if not (rank > 0 <= k):
        raise ValueError("ranks from 1, k from 0")
    return 1 / rank if k == 0 else (1 / k) / (1 + rank / k)


def votes__loops(lists, id, k=60):
    out = []
    for ids in lists:
        vote = 0
        for rank, other in enumerate(ids, 1):
            if other == id:
                vote = 1 / (k + rank)
                break
        out.append(vote)
    return out


def votes__array(lists, id, k=60):
    out = np.zeros(len(lists), dtype=np.float32)
    for i, ids in enumerate(lists):
        places = [place for place, other in enumerate(ids) if other == id]
        if places:
            out[i] = 1 / (k + places[0] + 1)
    return out


def votes__backwards(lists, id, k=60):
    found = [0.0] * len(lists)
    for number, ids in enumerate(lists):
        for rank in range(len(ids), 0, -1):
            if ids[rank - 1] == id:
                found[number] = 1 / (k + rank)
    return tuple(found)


def reciprocal_rank_fusion__counter(lists, k=60):
    totals = Counter()
    _not_negative(k)
    for ids in lists:
        _strings(ids)
        seen = set()
        for place, id in enumerate(ids):
            if id not in seen:
                totals[id] += 1 / (k + place + 1)
            seen.add(id)
    return sorted(totals.items(), key=lambda pair: (-pair[1], pair[0]))


def reciprocal_rank_fusion__two_sorts(lists, k=60):
    _not_negative(k)
    for ids in lists:
        _strings(ids)
    everything = sorted({id for ids in lists for id in ids})
    scores = [sum(1 / (k + ids.index(id) + 1) for ids in lists if id in ids) for id in everything]
    order = sorted(range(len(everything)), key=lambda i: scores[i], reverse=True)  # keeps the order of equal scores
    return [[everything[i], scores[i]] for i in order]


def reciprocal_rank_fusion__float32(lists, k=60):
    _not_negative(k)
    totals = defaultdict(float)
    for ids in lists:
        _strings(ids)
        for id in set(ids):
            totals[id] += 1 / (k + 1 + ids.index(id))
    return [(np.str_(id), np.float32(score)) for id, score in sorted(totals.items(), key=lambda p: (-p[1], p[0]))]


def min_max__array(scores):
    values = np.asarray(scores, dtype=float)
    if not np.isfinite(values).all():
        raise ValueError("finite scores only")
    if not len(values):
        return []
    span = np.ptp(values)
    return (values - values.min()) / span if span else np.full(len(values), 0.5)


def min_max__sorted(scores):
    if any(score != score or abs(score) == float("inf") for score in scores):
        raise ValueError("finite scores only")
    if len(set(scores)) < 2:
        return [0.5 for _ in scores]
    ordered = sorted(scores)
    return [(score - ordered[0]) / (ordered[-1] - ordered[0]) for score in scores]


def min_max__from_the_top(scores):
    if not np.isfinite(np.array(scores, dtype=float)).all():
        raise ValueError("finite scores only")
    low, high = min(scores, default=0), max(scores, default=0)
    return tuple(1 - (high - score) / (high - low) if high > low else 0.5 for score in scores)


def _checked(lists, weights):
    if len(lists) != len(weights) or any(weight < 0 for weight in weights):
        raise ValueError("one weight for each list, 0 or more")
    for pairs in lists:
        _strings([id for id, _ in pairs])


def weighted_fusion__dicts(lists, weights):
    _checked(lists, weights)
    totals = defaultdict(float)
    for pairs, weight in zip(lists, weights, strict=True):
        best = dict(sorted(pairs, key=lambda pair: pair[1]))  # the highest of two comes last and stays
        for id, share in zip(best, min_max__array(list(best.values())), strict=True):
            totals[id] += weight * float(share)
    return sorted(totals.items(), key=lambda pair: (-pair[1], pair[0]))


def weighted_fusion__id_by_id(lists, weights):
    _checked(lists, weights)
    out = []
    for id in sorted({id for pairs in lists for id, _ in pairs}):
        total = 0
        for pairs, weight in zip(lists, weights, strict=True):
            mine = [score for other, score in pairs if other == id]
            if mine:
                best = {other: max(s for o, s in pairs if o == other) for other, _ in pairs}
                low, high = min(best.values()), max(best.values())
                total += weight * ((max(mine) - low) / (high - low) if high > low else 0.5)
        out.append([id, total])
    return sorted(out, key=lambda pair: -pair[1])


def weighted_fusion__matrix(lists, weights):
    _checked(lists, weights)
    ids = sorted({id for pairs in lists for id, _ in pairs})
    if not ids:
        return []
    shares = np.zeros((len(lists), len(ids)))
    for row, pairs in enumerate(lists):
        best = {}
        for id, score in pairs:
            best[id] = max(score, best.get(id, score))
        for id, share in zip(best, min_max__sorted(list(best.values())), strict=True):
            shares[row, ids.index(id)] = share
    totals = np.array(weights, dtype=float) @ shares
    return [(ids[i], totals[i]) for i in np.argsort(-totals, kind="stable")]
