"""Other right ways to write the tasks quantize.*: the graded tests must pass them all."""

import math

import numpy as np

from firstprinciples.index.quantize import hamming, sign_dot, split


def memory__table(n, dim, kind, m=None):
    if n < 0 or dim < 1 or kind == "pq" and (m is None or not 1 <= m <= dim):
        raise ValueError("no such size")
    row = {"float32": dim * 4, "float16": dim * 2, "int8": dim, "binary": (dim + 7) // 8, "pq": m}
    if kind not in row:
        raise ValueError("no such kind")
    return n * row[kind]


def memory__float(n, dim, kind, m=None):
    bits = {"float32": 32, "float16": 16, "int8": 8, "binary": 1, "pq": 8}.get(kind)
    if bits is None or n < 0 or dim < 1 or kind == "pq" and (m is None or not 0 < m <= dim):
        raise ValueError("no such size")
    return float(n * math.ceil((m if kind == "pq" else dim) * bits / 8))


def memory__nbytes(n, dim, kind, m=None):
    if n < 0 or dim < 1:
        raise ValueError("no such size")
    if kind == "binary":
        return n * np.packbits(np.zeros(dim, dtype=bool)).nbytes
    if kind == "pq":
        if not m or m > dim:
            raise ValueError("no such m")
        return n * np.zeros(m, dtype=np.uint8).nbytes
    if kind not in ("float32", "float16", "int8"):
        raise ValueError("no such kind")
    return n * dim * np.dtype(kind).itemsize


def calibrate__loop(vectors):
    rows = np.asarray(vectors).tolist()
    if len(rows) < 2 or not isinstance(rows[0], list):
        raise ValueError("two vectors at least")
    columns = list(zip(*rows, strict=True))
    return [min(column) for column in columns], [max(column) for column in columns]


def calibrate__sorted(vectors):
    vectors = np.array(vectors, dtype=np.float32)
    if vectors.ndim < 2 or len(vectors) < 2:
        raise ValueError("two vectors at least")
    ordered = np.sort(vectors, axis=0)
    return ordered[0], ordered[-1]


def calibrate__one_array(vectors):
    vectors = np.array(vectors, dtype=float)
    if vectors.ndim < 2 or len(vectors) < 2:
        raise ValueError("two vectors at least")
    return np.stack([np.amin(vectors, axis=0), np.amax(vectors, axis=0)])


def _refuse(numbers, low, high):
    if np.shape(numbers)[-1] != len(low) or len(low) != len(high) or any(np.asarray(high) < np.asarray(low)):
        raise ValueError("these do not fit")


def to_int8__loop(vectors, low, high):
    _refuse(vectors, low, high)
    if np.ndim(vectors) == 1:
        return to_int8__loop([vectors], low, high)[0]
    out = []
    for row in vectors:
        codes = []
        for x, a, b in zip(row, low, high, strict=True):
            step = round((x - a) / (b - a) * 255) if b > a else 0
            codes.append(min(127, max(-128, step - 128)))
        out.append(codes)
    return out


def to_int8__clip_first(vectors, low, high):
    _refuse(vectors, low, high)
    low, high = np.array(low, dtype=float), np.array(high, dtype=float)
    step = np.where(high > low, (high - low) / 255, 1.0)
    return (np.round((np.clip(vectors, low, high) - low) / step) - 128).astype(np.int8)


def to_int8__floor_of_a_half_more(vectors, low, high):
    _refuse(vectors, low, high)
    low, high = np.array(low, dtype=float), np.array(high, dtype=float)
    with np.errstate(all="ignore"):
        steps = np.floor((np.array(vectors, dtype=float) - low) * 255 / (high - low) + 0.5)
    steps = np.where(high > low, steps, 0)
    return np.minimum(np.maximum(steps, 0), 255) - 128


def from_int8__loop(codes, low, high):
    _refuse(codes, low, high)
    if np.ndim(codes) == 1:
        return [a + (int(code) + 128) * (b - a) / 255 for code, a, b in zip(codes, low, high, strict=True)]
    return [from_int8__loop(row, low, high) for row in codes]


def from_int8__shares(codes, low, high):
    _refuse(codes, low, high)
    share = (np.array(codes, dtype=float) + 128) / 255
    return (1 - share) * np.array(low) + share * np.array(high)


def from_int8__table(codes, low, high):
    _refuse(codes, low, high)
    table = np.linspace(low, high, 256)
    return table[np.array(codes, dtype=int) + 128, np.arange(len(low))]


def to_bits__loop(vectors):
    if np.ndim(vectors) == 1:
        out = []
        for start in range(0, len(vectors), 8):
            out.append(sum(2 ** (7 - place) for place, x in enumerate(vectors[start : start + 8]) if x > 0))
        return out
    return [to_bits__loop(row) for row in vectors]


def to_bits__powers(vectors):
    vectors = np.array(vectors, dtype=float)
    missing = -vectors.shape[-1] % 8
    bits = np.concatenate([vectors > 0, np.zeros((*vectors.shape[:-1], missing), dtype=bool)], axis=-1)
    return bits.reshape(*vectors.shape[:-1], -1, 8) @ (1 << np.arange(7, -1, -1))


def to_bits__sign(vectors):
    return np.packbits(np.sign(vectors).clip(0, 1).astype(np.uint8), axis=-1, bitorder="big")


def _one_width(bits, many_bits):
    if len(many_bits) and len(bits) != len(many_bits[0]):
        raise ValueError("two widths")


def hamming__loop(bits, many_bits):
    _one_width(bits, many_bits)
    return [sum(bin(int(a) ^ int(b)).count("1") for a, b in zip(bits, row, strict=True)) for row in many_bits]


def hamming__unpacked(bits, many_bits):
    _one_width(bits, many_bits)
    one, many = (np.unpackbits(np.array(value, dtype=np.uint8), axis=-1) for value in (bits, many_bits))
    return np.count_nonzero(one != many, axis=1)


def hamming__table(bits, many_bits):
    _one_width(bits, many_bits)
    counts = [bin(byte).count("1") for byte in range(256)]
    return np.array(counts)[np.array(bits, dtype=np.uint8) ^ np.array(many_bits, dtype=np.uint8)].sum(axis=1)


def sign_dot__loop(bits, many_bits, dim):
    if (dim + 7) // 8 != len(bits):
        raise ValueError("these do not fit")
    signs = [[1 if int(row[i // 8]) >> (7 - i % 8) & 1 else -1 for i in range(dim)] for row in [bits, *many_bits]]
    return [sum(a * b for a, b in zip(signs[0], row, strict=True)) for row in signs[1:]]


def sign_dot__unpacked(bits, many_bits, dim):
    if math.ceil(dim / 8) != len(bits):
        raise ValueError("these do not fit")
    one, many = (np.unpackbits(np.array(value, dtype=np.uint8), axis=-1)[..., :dim] for value in (bits, many_bits))
    return (2.0 * many - 1) @ (2.0 * one - 1)


def sign_dot__alike_less_different(bits, many_bits, dim):
    if -(-dim // 8) != len(bits):
        raise ValueError("these do not fit")
    different = np.asarray(hamming(bits, many_bits), dtype=np.int64)
    return (dim - different) - different


def _refuse_positions(positions, vectors, k):
    if k < 1 or any(position not in range(len(vectors)) for position in positions):
        raise ValueError("k is below 1, or a position is none")


def rescore__loop(query, positions, vectors, k):
    _refuse_positions(positions, vectors, k)
    pairs = [(-sum(a * b for a, b in zip(query, vectors[position], strict=True)), position) for position in positions]
    return [(position, -minus) for minus, position in sorted(pairs)[:k]]


def rescore__sorted_first(query, positions, vectors, k):
    _refuse_positions(positions, vectors, k)
    positions = np.sort(positions)
    found = np.array([np.dot(np.asarray(vectors[place]), query) for place in positions])
    best = np.argsort(-found, kind="stable")[:k]
    return [[int(positions[place]), found[place]] for place in best]


def rescore__lexsort(query, positions, vectors, k):
    _refuse_positions(positions, vectors, k)
    positions = np.array(positions)
    found = (np.asarray(vectors, dtype=np.float32)[positions] * np.asarray(query, dtype=np.float32)).sum(axis=1)
    best = np.lexsort((positions, -found))[:k]
    return [(positions[place], found[place]) for place in best]


def split__slices(vector, m):
    if m < 1 or len(vector) % m:
        raise ValueError("not even")
    width = len(vector) // m
    return [list(vector[start : start + width]) for start in range(0, len(vector), width)]


def split__reshape(vector, m):
    if m < 1 or len(vector) % m:
        raise ValueError("not even")
    return np.array(vector, dtype=np.float32).reshape(m, -1)


def split__numpy(vector, m):
    if m < 1:
        raise ValueError("no parts")
    return np.split(np.asarray(vector), m)  # which refuses what does not come out even


def pq_encode__loop(vectors, codebooks):
    out = []
    for vector in vectors:
        if len(vector) != len(codebooks) * len(codebooks[0][0]):
            raise ValueError("two widths")
        row = []
        for part, book in zip(split(vector, len(codebooks)), codebooks, strict=True):
            apart = [sum((a - b) ** 2 for a, b in zip(part, entry, strict=True)) for entry in book]
            row.append(apart.index(min(apart)))
        out.append(row)
    return out


def pq_encode__norms(vectors, codebooks):
    books = np.asarray(codebooks, dtype=float)
    m, _, width = books.shape
    vectors = np.asarray(vectors, dtype=float)
    if vectors.shape[1] != m * width:
        raise ValueError("two widths")
    parts = vectors.reshape(len(vectors), m, 1, width)
    return np.linalg.norm(parts - books, axis=3).round(12).argmin(axis=2)


def pq_encode__columns(vectors, codebooks):
    books, vectors = np.array(codebooks, dtype=np.float32), np.array(vectors, dtype=np.float32)
    width = books.shape[2]
    if vectors.shape[1] != len(books) * width:
        raise ValueError("two widths")
    columns = [np.argmin(((vectors[:, None, j * width : (j + 1) * width] - book) ** 2).sum(axis=2), axis=1)
               for j, book in enumerate(books)]
    return np.array(columns, dtype=np.uint8).T


def _refuse_codes(query, codes, codebooks):
    m, entries, width = np.shape(codebooks)
    if len(query) != m * width or np.shape(codes)[1] != m or np.max(codes) >= entries:
        raise ValueError("these do not fit")


def pq_scores__turned_back(query, codes, codebooks):
    _refuse_codes(query, codes, codebooks)
    out = []
    for row in codes:
        vector = np.concatenate([book[code] for book, code in zip(np.asarray(codebooks), row, strict=True)])
        out.append(float(np.dot(vector, query)))
    return out


def pq_scores__table(query, codes, codebooks):
    _refuse_codes(query, codes, codebooks)
    parts = split(query, len(codebooks))
    table = [[sum(a * b for a, b in zip(part, entry, strict=True)) for entry in book]
             for part, book in zip(parts, codebooks, strict=True)]
    return [sum(table[j][code] for j, code in enumerate(row)) for row in codes]


def pq_scores__gathered(query, codes, codebooks):
    _refuse_codes(query, codes, codebooks)
    books = np.asarray(codebooks, dtype=np.float32)
    table = (books * np.asarray(split(query, len(books)), dtype=np.float32)[:, None, :]).sum(axis=2)
    return table[np.arange(len(books)), np.asarray(codes, dtype=int)].sum(axis=1)


def sign_dot__agrees(bits, many_bits, dim):
    return np.asarray(sign_dot(bits, many_bits, dim), dtype=np.float32)
