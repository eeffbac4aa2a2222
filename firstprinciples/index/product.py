"""Product quantization: a few typical parts, learned from the vectors, stand for all.

The problem. One bit a number is little, and the same for every dimension, whether it tells much or nothing. Product
quantization cuts a vector into m parts and learns, for each part, up to 256 typical ones, its codebook. A vector is
then m bytes, the numbers of the nearest entries, and there are 256^m such rows, enough to tell any vectors apart.

The entries are found by k-means (Lloyd's rounds): each part goes to its nearest entry, and each entry becomes the mean
of the parts that came to it, again and again. Source: H. Jegou, M. Douze, C. Schmid, "Product Quantization for Nearest
Neighbor Search", IEEE PAMI 33 (2011), sections II and III; S. Lloyd, "Least Squares Quantization in PCM", IEEE
Transactions on Information Theory 28 (1982). How a vector is coded and scored: `firstprinciples.index.quantize`.
"""

import numpy as np

from firstprinciples.index import as_numbers, quantize
from firstprinciples.index.shelf import BLOCK, Shelf, called, whole

ENTRIES = 256  # as many as one byte can name
AT_MOST = 16 * ENTRIES  # vectors to learn from: more change the entries little
ROUNDS = 10


def train_codebooks(vectors, m: int, k: int = ENTRIES, seed: int = 0, rounds: int = ROUNDS) -> np.ndarray:
    """Return a codebook for each of m parts, learned from vectors by k-means: (m, entries, dim / m), float32.

    `vectors` is (n, dim), of which at most AT_MOST are used, drawn at random, as are the first entries; the same seed
    gives the same codebooks. `k` is how many entries a codebook has, from 1 to 256, or n where there are fewer vectors.
    An entry to which nothing came stays where it is. Raises ValueError unless m divides dim, and for fewer than two
    vectors.
    Lesson 12, "A codebook for each part".

    >>> train_codebooks([[0, 0, 5], [0, 0, 7], [9, 9, 5], [9, 9, 7]], m=3, k=2).shape
    (3, 2, 1)
    """
    k, seed, rounds = whole("k", k, 1), whole("seed", seed, 0), whole("rounds", rounds, 0)
    if k > ENTRIES:
        raise ValueError(f"k is {k}, and a byte can name no more than {ENTRIES} entries.")
    vectors, m = as_numbers(vectors), whole("m", m, 1)
    if vectors.ndim != 2 or len(vectors) < 2:
        raise ValueError("Codebooks are learned from a table of at least two vectors; better from some thousands.")
    check_parts(vectors.shape[1], m)
    rng = np.random.default_rng(seed)
    sample = vectors[np.sort(rng.permutation(len(vectors))[:AT_MOST])].astype(np.float32)
    parts = sample.reshape(len(sample), m, -1)
    first = rng.permutation(len(parts))[:k]
    return np.stack([_lloyd(parts[:, j], parts[first, j], rounds) for j in range(m)])


def _lloyd(points: np.ndarray, entries: np.ndarray, rounds: int) -> np.ndarray:
    """Return entries after so many rounds of k-means over points, (n, width), or when nothing changes any more."""
    points = np.ascontiguousarray(points)
    for _ in range(rounds):
        nearest = quantize.nearest(points, entries)
        sums = np.stack([np.bincount(nearest, column, len(entries)) for column in points.T], axis=1)
        counts = np.bincount(nearest, minlength=len(entries))[:, None]
        moved = np.where(counts > 0, sums / np.maximum(counts, 1), entries).astype(np.float32)
        if np.array_equal(moved, entries):
            break
        entries = moved
    return entries


def parts_for(dim: int) -> int:
    """Return how many bytes PQ takes for a vector unless told otherwise: about as many as binary, a divisor of dim.

    >>> parts_for(384), parts_for(100), parts_for(7)
    (48, 10, 1)
    """
    return next(m for m in range(max(1, dim // 8), 0, -1) if dim % m == 0)


def check_parts(dim: int, m: int) -> None:
    """Raise ValueError unless m divides dim.

    >>> check_parts(384, 48)
    """
    if dim % m:
        raise ValueError(f"A vector of {dim} numbers can't be cut into {m} parts of one width; m divides dim.")


class PQ:
    """Vectors as m bytes, each the number of an entry in a codebook.

    The codebooks are learned from `training`, a table of vectors like those to come, or else from the first that are
    added: then they have to be two at least. m divides dim; None is about dim / 8, as many bytes as `Binary` takes.
    `rescore` is how many candidates are compared again with the full vectors, which are kept if it is above 0.

    >>> index = PQ(dim=4, m=2)
    >>> index.add([[3, 4, 0, 0], [0, 0, 4, 3], [0, 1, 0, 0]])
    >>> [id for id, _ in index.search([1, 1, 0, 0], k=2)], index.shelf.codes.nbytes
    (['0', '2'], 6)
    """

    keeps = "pq codes"

    def __init__(self, dim: int, m: int | None = None, rescore: int = 0, seed: int = 0, training=None):
        dim = whole("dim", dim, 1)
        self.m, self.seed = parts_for(dim) if m is None else whole("m", m, 1), whole("seed", seed, 0)
        check_parts(dim, self.m)
        self.shelf = Shelf(dim, self.m, np.uint8, rescore, full=rescore != 0)
        self.dim, self.ids, self.codes_read, self.distances = dim, self.shelf.ids, 0, 0
        self.codebooks = None
        if training is not None:
            self.codebooks = train_codebooks(self.shelf.unit(training), self.m, seed=self.seed)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def nbytes(self) -> int:
        """Bytes that a search by codes reads: the codes and the codebooks."""
        return self.shelf.codes.nbytes + (0 if self.codebooks is None else self.codebooks.nbytes)

    @property
    def full_nbytes(self) -> int:
        """Bytes of the full vectors kept for comparing candidates again; 0 without `rescore`."""
        return self.shelf.full_nbytes

    def add(self, vectors, ids: list[str] | None = None) -> None:
        """Add vectors, (n, dim), under ids; raises what `Exact.add` raises, and then adds nothing.

        Raises ValueError, too, for a single vector while there are no codebooks.
        """
        unit = self.shelf.unit(vectors)
        ids, books = self.shelf.check_ids(len(unit), ids), self.codebooks
        if books is None:
            if not len(unit):
                return
            if len(unit) == 1:
                raise ValueError("One vector alone makes no codebooks; add at least two at first, or give "
                                 "PQ(dim, training=vectors).")
            books = train_codebooks(unit, self.m, seed=self.seed)
        codes = np.zeros((len(unit), self.m), np.uint8)
        for start in range(0, len(unit), BLOCK):
            block = unit[start : start + BLOCK]
            codes[start : start + BLOCK] = called("quantize.pq_encode", quantize.pq_encode, (len(block), self.m),
                                                  block, books, fits=np.uint8)
        self.codebooks = books
        self.shelf.add(codes, unit, ids)

    def search(self, q, k: int = 10, rescore: int | None = None) -> list[tuple[str, float]]:
        """Return the k most similar, [(id, cosine), ...], best first, ties by id; see `Shelf.search`."""
        return self.shelf.search(self, q, k, rescore, quantize.again)

    def score_of(self, q, id: str) -> float:
        """Return the similarity that a search gives to one id; see `Shelf.score_of`."""
        return self.shelf.score_of(self, q, id, quantize.again)

    def scores(self, q: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Return the similarity of a query of length 1 with each row of codes, (n,)."""
        return called("quantize.pq_scores", quantize.pq_scores, (len(codes),), q, codes, self.codebooks)
