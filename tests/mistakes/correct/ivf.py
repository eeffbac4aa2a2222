"""Other right ways to write the tasks ivf.*: the graded tests must pass them all."""

import heapq
import math

import numpy as np


def _near(a, b):
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


def assign__loops(vectors, centroids):
    if not len(centroids):
        raise ValueError("no centroid")
    labels = []
    for v in vectors:
        best = 0
        for cell in range(1, len(centroids)):
            if _near(v, centroids[cell]) > _near(v, centroids[best]):
                best = cell
        labels.append(best)
    return labels


def assign__straight_lines(vectors, centroids):
    if len(centroids) == 0:
        raise ValueError("no centroid")
    if len(vectors) == 0:
        return np.zeros(0, dtype=int)
    vectors, centroids = np.array(vectors, float), np.array(centroids, float)
    squares = np.sum((vectors[:, None] - centroids[None]) ** 2, axis=2)  # smallest where the dot product is largest
    return np.argmin(squares.round(9), axis=1)


def assign__float32(vectors, centroids):
    if len(centroids) == 0:
        raise ValueError("no centroid")
    vectors = np.array(vectors, np.float32).reshape(-1, len(centroids[0]))
    return np.argmax(vectors @ np.array(centroids, np.float32).T, axis=1).astype(np.int32)


def update__one_by_one(vectors, labels, centroids):
    if len(vectors) != len(labels):
        raise ValueError("labels")
    sums = [[0.0] * len(c) for c in centroids]
    for v, cell in zip(vectors, labels, strict=True):
        sums[cell] = [s + x for s, x in zip(sums[cell], v, strict=True)]
    return [[s / math.hypot(*total) for s in total] if math.hypot(*total) > 1e-9 else list(old)
            for total, old in zip(sums, centroids, strict=True)]


def update__means(vectors, labels, centroids):
    vectors, labels, moved = np.asarray(vectors), np.asarray(labels), np.array(centroids, dtype=float)
    if len(vectors) != len(labels):
        raise ValueError("labels")
    for cell in set(labels.tolist()):
        mean = vectors[labels == cell].mean(axis=0)
        if np.linalg.norm(mean) > 1e-9:
            moved[cell] = mean / np.linalg.norm(mean)
    return moved


def update__a_matrix_of_marks(vectors, labels, centroids):
    if len(vectors) != len(labels):
        raise ValueError("labels")
    marks = np.arange(len(centroids))[:, None] == np.asarray(labels)
    sums = marks.astype(float) @ np.asarray(vectors, float)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.where(lengths > 1e-9, sums / np.maximum(lengths, 1e-9), np.asarray(centroids, float)).astype(np.float32)


def kmeans__all_rounds(vectors, centroids, rounds=20):
    labels = assign__loops(vectors, centroids)
    for _ in range(rounds):
        centroids = update__means(vectors, labels, centroids)
        labels = assign__loops(vectors, centroids)
    return centroids, labels


def kmeans__until_the_centroids_rest(vectors, centroids, rounds=20):
    for _ in range(rounds):
        moved = update__one_by_one(vectors, assign__straight_lines(vectors, centroids), centroids)
        if np.allclose(moved, centroids, rtol=0, atol=1e-12):
            break
        centroids = moved
    return [centroids, assign__straight_lines(vectors, centroids)]


def kmeans__again(vectors, centroids, rounds=20):
    labels = assign__float32(vectors, centroids)
    moved = update__a_matrix_of_marks(vectors, labels, centroids)
    return kmeans__again(vectors, moved, rounds - 1) if rounds > 0 else (np.array(centroids), labels)


def nearest_cells__sorted(query, centroids, nprobe):
    if nprobe < 1:
        raise ValueError("nprobe")
    return sorted(range(len(centroids)), key=lambda cell: -_near(query, centroids[cell]))[:nprobe]


def nearest_cells__arrays(query, centroids, nprobe):
    if nprobe < 1:
        raise ValueError("nprobe")
    near = np.asarray(centroids, float) @ np.asarray(query, float)
    return np.argsort(-near, kind="stable")[:nprobe]


def nearest_cells__heap(query, centroids, nprobe):
    if nprobe < 1:
        raise ValueError("nprobe")
    pairs = [(-_near(query, c), cell) for cell, c in enumerate(centroids)]
    heapq.heapify(pairs)
    return tuple(heapq.heappop(pairs)[1] for _ in range(min(nprobe, len(centroids))))


def search_cells__sorted(query, vectors, lists, centroids, nprobe, k):
    if k < 1:
        raise ValueError("k")
    found = []
    for cell in nearest_cells__sorted(query, centroids, nprobe):
        found += [(position, _near(query, vectors[position])) for position in lists[cell]]
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:k]


def search_cells__marks(query, vectors, lists, centroids, nprobe, k):
    if k < 1:
        raise ValueError("k")
    near = np.asarray(vectors, float) @ np.asarray(query, float)
    inside = np.zeros(len(near), dtype=bool)
    for cell in nearest_cells__arrays(query, centroids, nprobe):
        inside[lists[cell]] = True
    order = [position for position in np.argsort(-near, kind="stable") if inside[position]]
    return [[position, near[position]] for position in order[:k]]


def search_cells__merged(query, vectors, lists, centroids, nprobe, k):
    if k < 1:
        raise ValueError("k")
    cells = [sorted((-np.float32(_near(query, vectors[p])), p) for p in lists[cell])
             for cell in nearest_cells__heap(query, centroids, nprobe)]
    return [(p, -near) for near, p in list(heapq.merge(*cells))[:k]]
