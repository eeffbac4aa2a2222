"""Other right ways to write the tasks biencoder.*: the graded tests must pass them all."""

import math

import numpy as np

from firstprinciples.encode.biencoder import adam_step, in_batch_softmax, similarity_matrix


def mean_pool__loop(table, ids):
    total = [0.0] * len(table[0])
    for row in ids:
        for place, value in enumerate(table[row]):
            total[place] += value
    return [value / len(ids) for value in total] if ids else total


def mean_pool__counts(table, ids):
    counts = np.zeros(len(table))
    for row in ids:
        counts[row] += 1
    return counts @ np.asarray(table) / max(len(ids), 1)


def mean_pool__float32(table, ids):
    rows = np.asarray(table, dtype=np.float32)[np.asarray(ids, dtype=int)]
    return rows.sum(axis=0) / np.float32(max(len(ids), 1))


def similarity_matrix__loop(questions, passages, temperature):
    return [[sum(a * b for a, b in zip(question, passage, strict=True)) / temperature for passage in passages]
            for question in questions]


def similarity_matrix__einsum(questions, passages, temperature):
    return np.einsum("id,jd->ij", questions, passages) / temperature


def similarity_matrix__scaled_first(questions, passages, temperature):
    return np.dot(np.asarray(questions) * (1 / temperature), np.transpose(passages))


def repeated_positives__loop(passages):
    n = len(passages)
    marked = [[False] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            if i != j and passages[i] == passages[j]:
                marked[i][j] = True
    return marked


def repeated_positives__broadcast(passages):
    texts = np.array(passages, dtype=object)
    return (texts[:, None] == texts[None, :]).astype(bool) & ~np.eye(len(texts), dtype=bool)


def repeated_positives__numbers(passages):
    first = np.array([passages.index(passage) for passage in passages])
    same = np.equal.outer(first, first)
    np.fill_diagonal(same, False)
    return same


def in_batch_softmax__loop(scores, masked=None):
    out = []
    for i, row in enumerate(np.asarray(scores).tolist()):
        kept = [masked is None or not masked[i][j] for j in range(len(row))]
        largest = max(score for score, keep in zip(row, kept, strict=True) if keep)
        powers = [math.exp(score - largest) if keep else 0.0 for score, keep in zip(row, kept, strict=True)]
        out.append([power / sum(powers) for power in powers])
    return out


def in_batch_softmax__log_sum(scores, masked=None):
    scores = np.array(scores, dtype=float)
    if masked is not None:
        scores[np.asarray(masked)] = -1e9
    sums = np.logaddexp.reduce(scores, axis=1, keepdims=True)
    return np.exp(scores - sums)


def in_batch_softmax__copy(scores, masked=None):
    shares = in_batch_softmax(np.array(scores, dtype=np.longdouble), masked)
    return shares.astype(np.float64)


def in_batch_loss__loop(scores, masked=None):
    total = 0.0
    for i, row in enumerate(np.asarray(scores).tolist()):
        kept = [score for j, score in enumerate(row) if masked is None or not masked[i][j]]
        largest = max(kept)
        total += largest + math.log(sum(math.exp(score - largest) for score in kept)) - row[i]
    return total / len(scores)


def in_batch_loss__logaddexp(scores, masked=None):
    kept = np.array(scores, dtype=float)
    if masked is not None:
        kept[np.asarray(masked)] = -np.inf
    return np.mean(np.logaddexp.reduce(kept, axis=1) - np.diag(kept))


def in_batch_loss__differences(scores, masked=None):
    losses = []
    for i, row in enumerate(np.asarray(scores, dtype=float)):
        further = row - row[i] if masked is None else (row - row[i])[~np.asarray(masked)[i]]
        losses.append(np.logaddexp.reduce(further))
    return np.float32(np.mean(losses)) + np.float32(0)


def scores_gradient__identity(scores, masked=None):
    shares = in_batch_softmax(scores, masked)
    return (shares - np.eye(*shares.shape)) / shares.shape[0]


def scores_gradient__loop(scores, masked=None):
    shares, n = in_batch_softmax(scores, masked).tolist(), len(scores)
    return [[(share - (i == j)) / n for j, share in enumerate(row)] for i, row in enumerate(shares)]


def scores_gradient__float32(scores, masked=None):
    shares = np.asarray(in_batch_softmax(scores, masked), dtype=np.float32)
    right = np.zeros_like(shares)
    right[range(len(shares)), range(len(shares))] = 1
    return (shares - right) / np.float32(len(shares))


def vectors_gradient__loop(gradient, questions, passages, temperature):
    of_questions, of_passages = np.zeros(np.shape(questions)), np.zeros(np.shape(passages))
    for i, question in enumerate(questions):
        for j, passage in enumerate(passages):
            of_questions[i] += gradient[i][j] * passage / temperature
            of_passages[j] += gradient[i][j] * question / temperature
    return of_questions, of_passages


def vectors_gradient__einsum(gradient, questions, passages, temperature):
    return [np.einsum("ij,jd->id", gradient, passages) / temperature,
            np.einsum("ij,id->jd", gradient, questions) / temperature]


def vectors_gradient__similarity(gradient, questions, passages, temperature):
    gradient = np.asarray(gradient)
    return (similarity_matrix(gradient, np.transpose(passages), temperature),
            similarity_matrix(gradient.T, np.transpose(questions), temperature))


def adam_step__written_out(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    m = m * beta1 + gradient * (1 - beta1)
    v = v * beta2 + gradient * gradient * (1 - beta2)
    corrected, square = m / (1 - beta1**step), v / (1 - beta2**step)
    return values - rate * corrected / (square**0.5 + epsilon), m, v


def adam_step__toward_the_gradient(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    m = m + (1 - beta1) * (gradient - m)
    v = v + (1 - beta2) * (np.square(gradient) - v)
    stretch = math.sqrt(1 - beta2**step)
    return values - rate * stretch / (1 - beta1**step) * m / (np.sqrt(v) + epsilon * stretch), m, v


def adam_step__lists(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    return [part.tolist() for part in adam_step(values, gradient, m, v, step, rate, beta1, beta2, epsilon)]
