"""Other right ways to write the tasks bert.*: the graded tests must pass them all."""

import math

import numpy as np

from firstprinciples.encode.bert import attention, gelu, layer_norm, softmax


def softmax__loop(x):
    x = np.asarray(x)
    if x.ndim > 1:
        return np.array([softmax__loop(row) for row in x])
    weights = [math.exp(value - max(x)) for value in x]
    return [weight / sum(weights) for weight in weights]


def softmax__float32(x):
    return softmax(x).astype(np.float32)


def softmax__logarithm(x):
    x = np.asarray(x, dtype=float)
    return np.exp(x - np.logaddexp.reduce(x, axis=-1, keepdims=True))


def softmax__last_axis_first(x):
    x = np.moveaxis(np.asarray(x), -1, 0)
    e = np.exp(x - x.max(axis=0))
    return np.moveaxis(e / e.sum(axis=0), 0, -1)


def layer_norm__var(x, weight, bias, eps=1e-12):
    x = np.asarray(x)
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) * weight + bias


def layer_norm__loop(x, weight, bias, eps=1e-12):
    if np.ndim(x) > 1:
        return [layer_norm__loop(row, weight, bias, eps) for row in x]
    mean = sum(x) / len(x)
    root = math.sqrt(sum((value - mean) ** 2 for value in x) / len(x) + eps)
    return [(value - mean) / root * w + b for value, w, b in zip(x, weight, bias, strict=True)]


def layer_norm__float32(x, weight, bias, eps=1e-12):
    x = np.asarray(x, dtype=np.float32)
    return layer_norm(x, np.float32(weight), np.float32(bias), np.float32(eps))


def gelu__vectorize(x):
    return np.vectorize(lambda value: value * 0.5 * (1 + math.erf(value / 2**0.5)), otypes=[float])(x)


def gelu__erfc(x):
    x = np.asarray(x, dtype=float)
    return x * np.array([math.erfc(-value / math.sqrt(2)) / 2 for value in x.flat]).reshape(x.shape)


def gelu__float32(x):
    return gelu(x).astype(np.float32)


def attention__loop(q, k, v, mask):
    out = []
    for query in q:
        fits = [float(np.dot(query, key)) / len(query) ** 0.5 for key in k]
        best = max(fit for fit, real in zip(fits, mask, strict=True) if real)
        weights = [math.exp(fit - best) if real else 0.0 for fit, real in zip(fits, mask, strict=True)]
        out.append(sum(weight * np.asarray(value) for weight, value in zip(weights, v, strict=True)) / sum(weights))
    return np.array(out)


def attention__minus_infinity(q, k, v, mask):
    return softmax(np.where(mask, q @ k.T / np.sqrt(q.shape[-1]), -np.inf)) @ v


def attention__rows_left_out(q, k, v, mask):
    real = np.asarray(mask, dtype=bool)
    return softmax(q @ k[real].T / np.sqrt(k.shape[1])) @ v[real]


def attention__float32(q, k, v, mask):
    return attention(q, k, v, mask).astype(np.float32)
