"""Other right ways to write the tasks hnsw.*: the graded tests must pass them all."""

import heapq
import math
import sys

import numpy as np


def _refuse(u, M):
    if M < 2 or u < 0 or u > 1:
        raise ValueError("M from 2, u from 0 to 1")


def random_level__one_logarithm(u, M=16):
    _refuse(u, M)
    return int(-math.log(u or 5e-324, M))


def random_level__multiplied_by_mL(u, M=16):
    _refuse(u, M)
    mL = 1 / np.log(M)
    return int(np.floor(-np.log(np.maximum(u, sys.float_info.min)) * mL))


def random_level__counted(u, M=16):
    _refuse(u, M)
    level, u = 0, u if u > 0 else sys.float_info.min
    while u * M <= 1:
        level, u = level + 1, u * M
    return level


def _apart(a, b):
    return max(0, 1 - sum(x * y for x, y in zip(a, b, strict=True)))


def search_layer__two_sorted_lists(query, entry_points, ef, vectors, layer):
    seen = list(entry_points)
    candidates = sorted([_apart(query, vectors[p]), p] for p in seen)
    results = candidates[:ef]
    while candidates and candidates[0][0] <= results[-1][0]:
        _, here = candidates.pop(0)
        for other in layer[here]:
            if other not in seen:
                seen.append(other)
                pair = [_apart(query, vectors[other]), other]
                if len(results) < ef or pair[0] < results[-1][0]:
                    candidates = sorted([*candidates, pair])
                    results = sorted([*results, pair])[:ef]
    return results


def search_layer__all_neighbors_are_candidates(query, entry_points, ef, vectors, layer):
    query, vectors = np.asarray(query), np.asarray(vectors)
    distances = np.maximum(0.0, 1 - vectors @ query)
    candidates = [(distances[p], p) for p in entry_points]
    heapq.heapify(candidates)
    visited, results = set(entry_points), sorted(candidates)[:ef]
    while candidates:
        d, here = heapq.heappop(candidates)
        if len(results) == ef and d > results[-1][0]:
            break
        fresh = [p for p in layer[here] if p not in visited]
        visited.update(fresh)
        for p in fresh:  # one that is too far is never gone on from: the walk stops before it
            heapq.heappush(candidates, (distances[p], p))
            results = sorted([*results, (distances[p], p)])[:ef]
    return results


def search_layer__float32(query, entry_points, ef, vectors, layer):
    query, vectors = np.asarray(query, np.float32), np.asarray(vectors, np.float32)

    def distance(position):
        return np.clip(1 - vectors[position] @ query, 0, None)

    visited = dict.fromkeys(entry_points, True)
    candidates = {p: distance(p) for p in visited}
    results = dict(sorted(candidates.items(), key=lambda item: (item[1], item[0]))[:ef])
    while candidates:
        here = min(candidates, key=candidates.get)
        if candidates.pop(here) > max(results.values()):
            break
        for p in layer[here]:
            if p in visited:
                continue
            visited[p] = True
            if len(results) < ef or distance(p) < max(results.values()):
                candidates[p] = results[p] = distance(p)
            if len(results) > ef:
                del results[max(results, key=lambda p: (results[p], p))]
    return [[results[p], p] for p in sorted(results, key=lambda p: (results[p], p))]


def select_neighbors_simple__heap(candidates, M):
    return [position for _, position in heapq.nsmallest(M, candidates)]


def select_neighbors_simple__arrays(candidates, M):
    distances = np.array([d for d, _ in candidates])
    positions = np.array([p for _, p in candidates], dtype=int)
    return positions[np.lexsort((positions, distances))][:M]


def select_neighbors_simple__one_by_one(candidates, M):
    left, kept = list(candidates), []
    while left and len(kept) < M:
        nearest = min(left)
        left.remove(nearest)
        kept.append(nearest[1])
    return kept


def select_neighbors__a_queue(candidates, M, vectors):
    queue, kept = list(candidates), []
    heapq.heapify(queue)
    while queue and len(kept) < M:
        d, p = heapq.heappop(queue)
        if not any(_apart(vectors[p], vectors[r]) <= d for r in kept):
            kept.append(p)
    return kept


def select_neighbors__arrays(candidates, M, vectors):
    vectors, kept = np.asarray(vectors, float), []
    for d, p in sorted(candidates):
        if len(kept) < M and (np.maximum(1 - vectors[kept] @ vectors[p], 0) > d).all():
            kept += [p]
    return np.array(kept, dtype=int)


def select_neighbors__strike_out(candidates, M, vectors):
    left, kept = sorted(candidates), []
    while left and len(kept) < M:
        _, new = left.pop(0)
        kept.append(new)
        left = [(d, p) for d, p in left if d < _apart(vectors[p], vectors[new])]
    return kept
