"""Quantize: the same vectors in a quarter of the memory, or a thirty-second, and what that costs.

The problem. A vector of 1,024 numbers in float32 takes 4,096 bytes, and a million of them 4.096 GB, all of which a
search reads. But a search only has to know which vectors are near, and for that fewer digits do:

    float16     half the bytes: three digits and a half of each number
    int8        a quarter: each number is rounded to the nearest of 256 values from the lowest to the highest
                that a calibration set had in this dimension
    binary      a thirty-second: one bit, whether the number is above 0
    pq          m bytes a vector: each of its m parts is named by the nearest of 256 typical parts, its codebook

For two rows of signs, +1 where the bit is set and -1 where it is not, each bit that differs takes the dot product from
+1 to -1, so with the Hamming distance h, how many bits differ, and d dimensions

    sign dot = d - 2 h

What was lost can be had back: take more candidates than are asked for by the short codes, and compare only those once
more with the full vectors, which may lie on a disk. Sources: H. Jegou, M. Douze, C. Schmid, "Product Quantization for
Nearest Neighbor Search", IEEE PAMI 33 (2011), for the codebooks and for a query that is not coded itself; M. Charikar,
"Similarity Estimation Techniques from Rounding Algorithms", STOC 2002, for angles from signs.

The functions stand here. The indexes that run on them are `firstprinciples.index.short_vectors` and, for codebooks and
how they are learned, `firstprinciples.index.product`.
"""

import numpy as np

from firstprinciples.index import as_k, as_matrix, as_numbers, as_vector, named, shown, way_back
from firstprinciples.index.cosine import dots
from firstprinciples.index.shelf import BLOCK, called, whole

BYTES = {"float32": 4, "float16": 2, "int8": 1}  # of one number
STEPS = 255  # 256 values have 255 steps between them
COUNTS = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint8)  # how many bits of a byte are set


def memory(n: int, dim: int, kind: str, m: int | None = None) -> int:
    """Return how many bytes the codes of n vectors take; `kind` is float32, float16, int8, binary or pq.

    `dim` is the width of a vector; `m`, for pq only, is how many bytes stand for one. Bits come in whole bytes: a
    binary row of 12 dimensions takes 2. What does not grow with n, int8's ranges and pq's codebooks, is not counted.
    Raises ValueError for another kind, n below 0, dim below 1, and for pq unless m is a whole number from 1 to dim.
    A gigabyte has 10^9 bytes here.
    Lesson 12, "Counting the bytes".

    >>> [memory(1_000_000, 1024, kind) / 1e9 for kind in ("float32", "float16", "int8", "binary")]
    [4.096, 2.048, 1.024, 0.128]
    """
    n, dim = whole("n", n, 0), whole("dim", dim, 1)
    if kind == "pq":
        m = whole("m", m, 1)
        if m > dim:
            raise ValueError(f"m is {m}, and a vector of {dim} numbers has no more than {dim} parts.")
        return n * m
    if kind == "binary":
        return n * -(-dim // 8)
    if kind not in tuple(BYTES):
        raise ValueError(f"There is no kind {shown(kind)}; there are float32, float16, int8, binary and pq.")
    return n * dim * BYTES[kind]


def calibrate(vectors):
    """Return the lowest and the highest value of each dimension of a calibration set: (low, high), each (dim,).

    `vectors` has the shape (n, dim). Raises ValueError for fewer than two: in one vector every dimension has a single
    value, and nothing is known of the others.
    Lesson 12, "One byte".

    >>> low, high = calibrate([[0.5, -1.0], [-0.5, 0.0], [0.0, 1.0]])
    >>> low.tolist(), high.tolist()
    ([-0.5, -1.0], [0.5, 1.0])
    """
    vectors = as_numbers(vectors)
    if vectors.ndim != 2 or len(vectors) < 2:
        raise ValueError("Ranges are found from a table of at least two vectors; one says nothing of how the others "
                         "lie. Calibrate with a few hundred that are like those to come.")
    return vectors.min(axis=0), vectors.max(axis=0)


def to_int8(vectors, low, high):
    """Round each number to the nearest of 256 values from low (code -128) to high (code 127) of its dimension.

    `vectors` is (n, dim) or one vector, `low` and `high` are those of `calibrate`. What lies outside gets the nearest
    end, -128 or 127. A dimension whose low equals its high gets -128 throughout. Returns int8 of the shape of
    `vectors`. Raises ValueError for two widths, and for a high below its low.
    Lesson 12, "One byte".

    >>> to_int8([[-1.0, 0.0, 1.2]], low=[-1, -1, -1], high=[1, 1, 1]).tolist()
    [[-128, 0, 127]]
    """
    vectors = as_numbers(vectors)
    low, width = _ranges(low, high, vectors.shape)
    inside = np.clip(vectors, low, low + width)
    steps = np.divide(inside - low, width, out=np.zeros_like(inside), where=width > 0) * STEPS
    return np.clip(np.rint(steps) - 128, -128, 127).astype(np.int8)


def from_int8(codes, low, high):
    """Return the numbers that codes stand for: low for -128, high for 127, and evenly between; float32.

    `codes` is (n, dim) or one row, of whole numbers from -128 to 127; `low` and `high` are those they were made with.
    Within the ranges, no number is further from what it was than half a step, (high - low) / 510. Raises ValueError for
    two widths, and for a high below its low.
    Lesson 12, "One byte".

    >>> from_int8([[-128, 72, 127]], low=[-1, -1, -1], high=[1, 1.55, 1]).tolist()
    [[-1.0, 1.0, 1.0]]
    """
    codes = as_numbers(codes)
    low, width = _ranges(low, high, codes.shape)
    return (codes.astype(np.float32) + 128) * (width / STEPS).astype(np.float32) + low.astype(np.float32)


def _ranges(low, high, shape: tuple) -> tuple[np.ndarray, np.ndarray]:
    """Return (low, high - low), float64, for numbers of a shape; ValueError where they don't fit."""
    low, high = as_vector(low), as_vector(high)
    if not len(low) == len(high) == (shape or (0,))[-1]:
        raise ValueError(f"There are {len(low)} low and {len(high)} high ends for numbers of the shape {shape}; each "
                         "dimension has one of both.")
    if (high < low).any():
        raise ValueError(f"In dimension {np.argmax(high < low)} the high end is below the low one; calibrate gives "
                         "low first.")
    return low, high - low


_own_from_int8 = from_int8


def int8_scores(query: np.ndarray, codes: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the dot product of a query with each row that codes stand for, (n,): from_int8(codes) . query.

    Nothing has to be turned back for it: with s the steps' sizes, the sum of q (low + (code + 128) s) is a sum of
    (q s) code and of what is the same for all rows. The plain form runs where `from_int8` is not the course's own.

    >>> int8_scores(np.array([2.0, 1.0]), np.array([[-128, 127], [127, 127]], np.int8), np.zeros(2), np.ones(2))
    array([1., 3.], dtype=float32)
    """
    if from_int8 is not _own_from_int8:
        return dots(called("quantize.from_int8", from_int8, codes.shape, codes, low, high), query)
    step = (high.astype(np.float64) - low) / STEPS
    same_for_all = np.float32(np.sum(query * (low + 128 * step)))
    return dots(codes.astype(np.float32), (query * step).astype(np.float32)) + same_for_all


def to_bits(vectors):
    """Return a bit for each number, 1 where it is above 0, eight to a byte; the first is the byte's highest.

    `vectors` is (n, dim) or one vector. Returns uint8, (n, bytes) or (bytes,), where bytes is dim / 8 rounded up; the
    places left over in the last byte are 0.
    Lesson 12, "One bit".

    >>> to_bits([[0.3, -0.1, 0.0, 0.2, -0.7, 0.1, 0.4, -0.2, 0.9]]).tolist()  # 1001 0110, 1000 0000
    [[150, 128]]
    """
    vectors = as_numbers(vectors)
    if not vectors.ndim:
        raise ValueError("Bits are made of a vector or a table of vectors; this is a single number.")
    return np.packbits(vectors > 0, axis=-1)


def hamming(bits, many_bits):
    """Return in how many bits one row of bytes differs from each of many: (n,), whole numbers.

    `bits` is (bytes,), `many_bits` is (n, bytes), both uint8 from `to_bits`. Rows of 128 bytes may differ in 1,024
    bits, which is more than a byte can count. Raises ValueError for two widths.
    Lesson 12, "One bit".

    >>> hamming([150, 128], [[150, 128], [151, 0], [105, 0]]).tolist()
    [0, 2, 9]
    """
    bits, many_bits = _bytes(bits), _bytes(many_bits)
    if bits.ndim != 1 or many_bits.shape[1:] != bits.shape:
        raise ValueError(f"One row of bytes is compared with many of its width, not {bits.shape} with "
                         f"{many_bits.shape}.")
    return np.einsum("ij->i", ones(bits ^ many_bits), dtype=np.int32).astype(np.int64)


def ones(bytes_: np.ndarray) -> np.ndarray:
    """Return how many bits are set in each byte, uint8, from 0 to 8.

    NumPy counts bits itself from 2.0 on; before, a table has the answer for each of 256 bytes.

    >>> ones(np.array([0, 3, 255], dtype=np.uint8)).tolist()
    [0, 2, 8]
    """
    return np.bitwise_count(bytes_) if hasattr(np, "bitwise_count") else COUNTS[bytes_]


def _bytes(values) -> np.ndarray:
    """Return an array of bytes, uint8; ValueError for other numbers."""
    found = np.asarray(values)
    if found.dtype != np.uint8:
        found = as_numbers(values)
        if not ((found >= 0) & (found <= 255) & (found == np.rint(found))).all():
            raise ValueError("Packed bits are bytes, whole numbers from 0 to 255; to_bits makes them.")
        found = found.astype(np.uint8)
    return found


def sign_dot(bits, many_bits, dim: int):
    """Return the dot product of one row of signs with each of many, d - 2 hamming: (n,), whole numbers.

    A set bit is +1, another is -1. `bits` and `many_bits` are as in `hamming`, `dim` is how many numbers each row was
    made of; the places beyond it are no signs. The result is from -dim to dim. Raises ValueError for a dim that does
    not fill these bytes.
    Lesson 12, "One bit".

    >>> sign_dot([150, 128], [[150, 128], [151, 0], [105, 0]], dim=9).tolist()
    [9, 5, -9]
    """
    dim, bits = whole("dim", dim, 1), _bytes(bits)
    if -(-dim // 8) != bits.size:
        raise ValueError(f"{dim} signs fill {-(-dim // 8)} bytes, and these rows have {bits.size}.")
    return dim - 2 * called("quantize.hamming", hamming, (len(many_bits),), bits, many_bits).astype(np.int64)


def rescore(query, positions, vectors, k: int):
    """Compare candidates with the full vectors and return the best k: [(position, similarity), ...], best first.

    `query` is (dim,), `vectors` is (n, dim), all of length 1; `positions` are rows of it, in any order. Only these are
    looked at, and all of these, however small k is. Similarity is the dot product; equal ones are ordered by position.
    Fewer than k candidates give a shorter list. Raises ValueError unless k is a whole number from 1, and for a position
    that is none.
    Lesson 12, "Look twice".

    >>> rescore([0.6, 0.8], [3, 0, 2], [[1, 0], [0.6, 0.8], [0, 1], [-1, 0]], k=2)
    [(2, 0.8), (0, 0.6)]
    """
    query, k, vectors = as_vector(query), as_k(k), np.asarray(vectors)
    positions = [whole("A position", position, 0) for position in positions]
    if max(positions, default=0) >= max(1, len(vectors)):
        raise ValueError(f"There is no vector at position {max(positions)}; the last of {len(vectors)} stands at "
                         f"{len(vectors) - 1}.")
    found = np.clip(dots(as_matrix(vectors[positions], len(query)), query), -1.0, 1.0).tolist()
    return sorted(zip(positions, found, strict=True), key=lambda pair: (-pair[1], pair[0]))[:k]


def bit_scores(query: np.ndarray, many_bits: np.ndarray) -> np.ndarray:
    """Return the cosine of a query, its numbers as they are, with rows of signs: (n,), float64.

    `query` is (dim,), of length 1; `many_bits` is (n, bytes). A row of dim signs is sqrt(dim) long. Here only the
    stored side has lost its digits, so candidates can be told apart better than by Hamming, without any full vector.

    >>> bit_scores(np.array([0.6, -0.8]), np.array([[128], [64]], dtype=np.uint8)).round(4).tolist()
    [0.9899, -0.9899]
    """
    signs = np.unpackbits(many_bits, axis=1, count=len(query)).astype(np.float64) * 2 - 1
    return dots(signs, query) / np.sqrt(len(query))


def split(vector, m: int):
    """Cut a vector into m parts of equal width, in order: (m, dim / m).

    `vector` is a list of numbers or a 1-D array. Raises ValueError unless m is a whole number from 1 that divides dim.
    Lesson 12, "A codebook for each part".

    >>> split([1, 2, 3, 4, 5, 6], m=3).tolist()
    [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    """
    vector, m = as_vector(vector), whole("m", m, 1)
    if len(vector) % m:
        raise ValueError(f"A vector of {len(vector)} numbers can't be cut into {m} parts of one width; m divides dim.")
    return vector.reshape(m, -1)


def pq_encode(vectors, codebooks):
    """Name each part of each vector by the nearest entry of that part's codebook: (n, m), uint8.

    `vectors` is (n, dim), `codebooks` is (m, entries, dim / m), at most 256 entries. The nearest has the smallest
    distance, the sum of squared differences; equal ones go to the lower number. Raises ValueError for two widths.
    Lesson 12, "A codebook for each part".

    >>> books = [[[0, 0], [1, 1]], [[0, 1], [1, 0]]]  # two parts of two numbers, two entries each
    >>> pq_encode([[0.9, 0.8, 0.7, 0.1], [0.2, 0.1, 0.5, 0.5]], books).tolist()
    [[1, 1], [0, 0]]
    """
    books = _books(codebooks)
    m, _, width = books.shape
    vectors = as_matrix(vectors, m * width)
    codes = np.zeros((len(vectors), m), np.uint8)
    for j, book in enumerate(books):  # part j of all vectors at once
        codes[:, j] = nearest(vectors[:, j * width : (j + 1) * width], book)
    return codes


def nearest(points: np.ndarray, entries: np.ndarray) -> np.ndarray:
    """Return the number of the nearest entry for each point, (n,), ties to the lower.

    Since |p - e|^2 = |p|^2 - 2 p.e + |e|^2, and |p|^2 is the same for all entries, the rest decides. `points` is
    (n, width), `entries` is (count, width). The products are added up one dimension after the other, not by `@`, so
    that equal points go to equal entries, see `cosine.dots`.

    >>> nearest(np.array([[0.9, 0.8], [0.2, 0.1]]), np.array([[0.0, 0.0], [1.0, 1.0]])).tolist()
    [1, 0]
    """
    columns, half, found = np.ascontiguousarray(entries.T), 0.5 * np.sum(entries**2, axis=1), []
    for start in range(0, len(points), BLOCK // 4):
        block = np.ascontiguousarray(points[start : start + BLOCK // 4])
        found.append(np.argmin(half - np.einsum("nw,we->ne", block, columns), axis=1))
    return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)


def pq_scores(query, codes, codebooks):
    """Return the dot product of a query with each vector that codes stand for, by look-up: (n,), floats.

    `query` is (dim,) and is not coded itself: its parts are multiplied with all entries of their codebooks once, which
    makes a table (m, entries); each row of `codes`, (n, m), then adds up m numbers of it. Raises ValueError for two
    widths and for a code without an entry.
    Lesson 12, "A codebook for each part".

    >>> books = [[[0, 0], [1, 1]], [[0, 1], [1, 0]]]
    >>> pq_scores([1.0, 2.0, 3.0, 4.0], [[1, 1], [0, 0]], books).tolist()  # 1 + 2 + 3, and 4
    [6.0, 4.0]
    """
    books, codes = _books(codebooks), np.asarray(codes)
    m, entries, width = books.shape
    codes = codes if codes.size else codes.astype(np.uint8)
    if codes.ndim != 2 or codes.shape[1] != m or codes.dtype.kind not in "iu" or (
            codes.size and not 0 <= codes.min() <= codes.max() < entries):
        raise ValueError(f"Codes are a table of {m} columns, one for each codebook, of whole numbers from 0 to "
                         f"{entries - 1}; these have the shape {codes.shape}.")
    parts = called("quantize.split", split, (m, width), as_matrix([query], m * width)[0], m)
    table, scores = np.einsum("jew,jw->je", books, parts), np.zeros(len(codes))
    for j in range(m):
        scores += np.take(table[j], codes[:, j])
    return scores


def _books(codebooks) -> np.ndarray:
    """Return codebooks as an array (m, entries, width), float64; ValueError for what is none."""
    books = as_numbers(codebooks)
    if books.ndim != 3 or not books.size or books.shape[1] > 256:
        raise ValueError(f"Codebooks are (parts, entries, width), with 1 to 256 entries; this has the shape "
                         f"{books.shape}.")
    return books


def again(q: np.ndarray, vectors: np.ndarray, k: int) -> list[tuple[int, float]]:
    """Return the best k of all these candidates by `rescore`, whichever function that is now."""
    with named("quantize.rescore"):
        found = rescore(q, list(range(len(vectors))), vectors, k)
    try:
        return [(range(len(vectors))[place], float(cosine)) for place, cosine in found]
    except (TypeError, ValueError, IndexError):
        raise ValueError(f"rescore gave {shown(found)}, which is no list of (position, similarity) among "
                         f"{len(vectors)} candidates. {way_back('quantize.rescore')}") from None
