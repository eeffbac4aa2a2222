"""Other right ways to write the tasks cosine.*: the graded tests must pass them all."""

import heapq
import math

import numpy as np

from firstprinciples.index.cosine import norm, normalize, similarity


def norm__hypot(a):
    return math.hypot(*a)


def norm__largest_first(a):
    largest = max(abs(float(number)) for number in a)
    if largest == 0:
        return 0
    return largest * math.sqrt(sum((number / largest) ** 2 for number in a))


def norm__numpy(a):
    a = np.array(a, dtype=float)
    largest = np.abs(a).max()
    return largest * np.linalg.norm(a / largest) if largest > 0 else np.float64(0)


def similarity__divide_first(a, b):
    a, b = np.array(a, dtype=float), np.array(b, dtype=float)
    if len(a) != len(b):
        raise ValueError("two widths")
    if norm(a) == 0 or norm(b) == 0:
        return 0.0
    return float(np.clip((a / norm(a)) @ (b / norm(b)), -1, 1))


def similarity__loop(a, b):
    lengths = math.hypot(*a), math.hypot(*b)
    if 0 in lengths:
        return 0
    total = sum(x / lengths[0] * (y / lengths[1]) for x, y in zip(a, b, strict=True))
    return max(-1, min(1, total))


def similarity__float32(a, b):
    if len(a) != len(b):
        raise ValueError("two widths")
    return np.float32(np.dot(normalize(a), normalize(b)))


def angle__numpy(a, b):
    return np.degrees(np.arccos(similarity(a, b)))


def angle__two_arguments(a, b):
    if norm(a) == 0 or norm(b) == 0:
        return 90
    a, b = normalize(a), normalize(b)
    return 2 * math.degrees(math.atan2(norm(a - b), norm(a + b)))


def angle__pi(a, b):
    return math.acos(min(1, max(-1, similarity(a, b)))) * 180 / math.pi


def normalize__rows_in_a_loop(vectors):
    if np.ndim(vectors) == 1:
        length = norm(vectors)
        return [number / length if length else 0.0 for number in vectors]
    return [normalize__rows_in_a_loop(row) for row in vectors]


def normalize__where(vectors):
    vectors = np.array(vectors, dtype=float)
    largest = np.abs(vectors).max(axis=-1, keepdims=True)
    vectors = np.divide(vectors, largest, out=np.zeros_like(vectors), where=largest > 0)
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


def normalize__float32(vectors):
    return normalize__where(vectors).astype(np.float32)


def similarities__one_by_one(query, vectors):
    return [similarity(query, row) for row in vectors]


def similarities__product(query, vectors):
    return np.clip(normalize(vectors) @ normalize(query), -1, 1)


def similarities__float32(query, vectors):
    return (normalize(query).astype(np.float32) @ normalize(vectors).T.astype(np.float32)).tolist()


def top_k__sorted(similarities, k):
    if k < 1:
        raise ValueError("k")
    return sorted(enumerate(similarities), key=lambda pair: (-pair[1], pair[0]))[:k]


def top_k__stable_sort(similarities, k):
    if k < 1:
        raise ValueError("k")
    values = np.asarray(similarities)
    return [(position, values[position]) for position in np.argsort(-values, kind="stable")[:k]]


def top_k__heap(similarities, k):
    if k < 1:
        raise ValueError("k")
    return [[i, similarities[i]] for i in heapq.nsmallest(k, range(len(similarities)), lambda i: -similarities[i])]
