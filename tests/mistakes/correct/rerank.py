"""Other right ways to write the tasks rerank.*: the graded tests must pass them all."""

import math

import numpy as np


def soft_counts__loop(similarities, centers, width):
    out = []
    for center in centers:
        total = 0.0
        for row in similarities:
            total += math.log(1 + sum(math.exp(-((s - center) ** 2) / (2 * width**2)) for s in row))
        out.append(total)
    return out


def soft_counts__center_by_center(similarities, centers, width):
    table = np.array(similarities, dtype=np.float32)
    return np.array([np.log1p(np.exp(-0.5 * ((table - center) / width) ** 2).sum(axis=1)).sum() for center in centers])


def soft_counts__words_in_the_middle(similarities, centers, width):
    table = np.asarray(similarities, dtype=float)
    near = np.exp(-np.square(np.asarray(centers, dtype=float)[:, None, None] - table) / (2.0 * width * width))
    return np.sum(np.log(1 + np.sum(near, axis=2)), axis=1)


def sigmoid__two_cases(z):
    z = np.asarray(z, dtype=float)
    out = np.empty(z.shape)
    above = z >= 0
    out[above] = 1 / (1 + np.exp(-z[above]))
    power = np.exp(z[~above])
    out[~above] = power / (1 + power)
    return out


def sigmoid__loop(z):
    def one(value):
        return 1 / (1 + math.exp(-value)) if value >= 0 else math.exp(value) / (1 + math.exp(value))

    if np.ndim(z) == 0:
        return one(float(z))
    return [one(float(value)) if np.ndim(value) == 0 else sigmoid__loop(value) for value in z]


def sigmoid__logarithms(z):
    return np.exp(-np.logaddexp(0, -np.asarray(z, dtype=float)))


def sigmoid__both_sides(z):
    z = np.asarray(z, dtype=float)
    with np.errstate(all="ignore"):  # the side that is not taken may be too large
        return np.where(z >= 0, 1 / (1 + np.exp(-z)), np.exp(z) / (1 + np.exp(z)))


def logistic_loss__loop(logits, labels):
    total = 0.0
    for z, label in zip(logits, labels, strict=True):
        wrong = -z if label else z
        total += max(wrong, 0) + math.log1p(math.exp(-abs(z)))
    return total / len(logits)


def logistic_loss__logaddexp(logits, labels):
    z, right = np.asarray(logits, dtype=float), np.asarray(labels) == 1
    return np.mean(np.logaddexp(0, np.where(right, -z, z)))


def logistic_loss__float32(logits, labels):
    z, labels = np.array(logits, dtype=np.float32), np.array(labels, dtype=np.float32)
    sign = 1 - 2 * labels
    return (np.maximum(sign * z, 0) + np.log1p(np.exp(-np.abs(z)))).mean()


def logistic_gradient__loop(logits, labels):
    out = []
    for z, label in zip(logits, labels, strict=True):
        small = math.exp(-abs(z))
        out.append(((1 if z >= 0 else small) / (1 + small) - label) / len(logits))
    return out


def logistic_gradient__tanh(logits, labels):
    half = np.tanh(np.asarray(logits, dtype=float) / 2) / 2
    return (half + 0.5 - np.asarray(labels)) / len(labels)


def logistic_gradient__by_sides(logits, labels):
    z, labels = np.array(logits, dtype=np.float32), np.array(labels, dtype=np.float32)
    away = np.exp(-np.logaddexp(np.float32(0), np.where(labels == 1, z, -z)))  # how far from right
    return np.where(labels == 1, -away, away) / np.float32(len(z))


def _refuse(ranked, new_scores, depth):
    if depth < 1:
        raise ValueError("depth from 1")
    if any(id not in new_scores or not math.isfinite(new_scores[id]) for id, _ in ranked[:depth]):
        raise ValueError("a score is missing")


def rerank__two_sorts(ranked, new_scores, depth):
    _refuse(ranked, new_scores, depth)
    ids = sorted(id for id, _ in ranked[:depth])
    ids.sort(key=new_scores.get, reverse=True)
    return [[id, new_scores[id]] for id in ids]


def rerank__lexsort(ranked, new_scores, depth):
    _refuse(ranked, new_scores, depth)
    ids = [id for id, _ in ranked][:depth]
    scores = np.array([new_scores[id] for id in ids])
    order = np.lexsort((ids, -scores)) if ids else []
    return [(ids[place], scores[place]) for place in order]


def rerank__pick_the_best(ranked, new_scores, depth):
    _refuse(ranked, new_scores, depth)
    left, out = {id: new_scores[id] for id, _ in ranked[:depth]}, []
    while left:
        best = min(id for id in left if left[id] == max(left.values()))
        out.append((best, left.pop(best)))
    return out


def ceiling__loop(ranked_ids, relevant, depth):
    wanted = set(relevant)
    if not wanted:
        return 0.0
    left = set(wanted)
    for rank, id in enumerate(ranked_ids):
        if rank < depth:
            left.discard(id)
    return (len(wanted) - len(left)) / len(wanted)


def ceiling__mean(ranked_ids, relevant, depth):
    there = [id in ranked_ids[:depth] for id in dict.fromkeys(relevant)]
    return np.mean(there) if there else 0.0


def ceiling__sets(ranked_ids, relevant, depth):
    relevant, seen = frozenset(relevant), frozenset(ranked_ids[:depth])
    return np.float32(len(relevant & seen)) / np.float32(max(len(relevant), 1))


def tokens_read__loop(candidate_lengths, question_length, limit):
    total = 0
    for length in candidate_lengths:
        pair = question_length + length
        total += limit if pair > limit else pair
    return total


def tokens_read__array(candidate_lengths, question_length, limit):
    return np.minimum(np.array(candidate_lengths, dtype=int) + question_length, limit).sum()


def tokens_read__less_what_is_cut(candidate_lengths, question_length, limit):
    pairs = [question_length + length for length in candidate_lengths]
    return sum(pairs) - sum(max(pair - limit, 0) for pair in pairs)
