"""Cosine: two vectors are alike if they point the same way, however long they are.

The problem. A vector is a row of numbers that stands for a text. A question has four words, a page four hundred: the
page's numbers are larger, and so the two lie far apart, even where both speak of the same thing. The angle between
them does not know about length. Its cosine is 1 for the same direction, 0 for a right angle, -1 for the opposite:

    cos(a, b) = a . b / (|a| |b|)       a . b = sum of a_i b_i       |a| = square root of the sum of a_i^2

Divide each vector by its length once, when it is stored, and a search is nothing but dot products. For such vectors

    a . b = cos(a, b)      and      |a - b|^2 = 2 - 2 cos(a, b)

so the largest dot product, the smallest distance and the smallest angle give the same order. Source: C. Manning,
P. Raghavan and H. Schuetze, "Introduction to Information Retrieval", 2008, section 6.3.

A vector of zeros points nowhere: its similarity with everything is 0, and it stays as it is. (So the order by distance
is the same only among the others: zeros lie at distance 1, nearer than every cosine below 0.5.) No small constant is
added to a length to avoid dividing by 0, since that would make the cosine of short vectors wrong. What is not all
finite numbers, in vectors of one width, is refused with a sentence that says so (`firstprinciples.index`).
"""

import math

import numpy as np

from firstprinciples.index import as_k, as_matrix, as_numbers, as_vector, named, new_ids, shown, way_back

BLOCK = 1024  # rows that are handled at a time: their copies in float64 stay small


def norm(a) -> float:
    """Return the length of a vector: the square root of the sum of its squared numbers.

    `a` is a list of finite numbers, at least one, or a 1-D array. The square of 1e200 is beyond what a float holds,
    that of 1e-200 is 0: so the numbers are first divided by one near the largest, and such lengths are right, too.
    Lesson 04, "Length".

    >>> norm([3, 4]), norm([0, 0]), round(norm([3e200, 4e200]) / 1e200, 6)
    (5.0, 0.0, 5.0)
    """
    a = as_vector(a)
    size = np.frexp(np.max(np.abs(a)))[1]  # the largest is below 2**size; with a power of 2 no digit is lost
    return float(np.ldexp(math.sqrt(np.sum(np.ldexp(a, -size) ** 2)), size))


def in_range(vectors: np.ndarray) -> np.ndarray:
    """Return each vector times a power of 2 that brings its largest number near 1: no direction changes, no digit.

    `vectors` is 1-D or 2-D, float64; rows of zeros stay. After this, squares and their sums fit a float.

    >>> in_range(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.375, 0.5  ],
           [0.   , 0.   ]])
    """
    largest = np.max(np.abs(vectors), axis=-1, keepdims=True, initial=0.0)
    return np.ldexp(vectors, -np.frexp(largest)[1])


def similarity(a, b) -> float:
    """Return the cosine of the angle between two vectors: their dot product over the product of their lengths.

    `a` and `b` are lists of finite numbers, or 1-D arrays, as short as 1e-200 or as long as 1e200. Returns a number
    from -1 to 1, never a rounding error beyond; 0.0 where one of them is all zeros. Neither is changed. Raises
    ValueError where one has more numbers than the other.
    Lesson 04, "The angle".

    >>> round(similarity([3, 4], [8, 6]), 4), similarity([3, 4], [0, 0])
    (0.96, 0.0)
    """
    a, b = in_range(as_vector(a)), in_range(as_vector(b))
    if len(a) != len(b):
        raise ValueError(f"The vectors are {len(a)} and {len(b)} numbers wide; only equally wide ones can be compared.")
    lengths = norm(a) * norm(b)
    if lengths == 0:
        return 0.0
    return float(min(1.0, max(-1.0, np.sum(a * b) / lengths)))


def angle(a, b) -> float:
    """Return the angle between two vectors in degrees, from 0 (one way) through 90 (nothing in common) to 180.

    `a` and `b` are as in `similarity`, whose inverse cosine this is; so a vector of zeros stands at 90 degrees to
    everything. Near 0 and 180 degrees the last digits of the cosine decide: expect about 0.000002 degrees of error.
    Lesson 04, "The angle".

    >>> round(angle([3, 0], [2, 2]), 4)
    45.0
    """
    return math.degrees(math.acos(min(1.0, max(-1.0, similarity(a, b)))))


def normalize(vectors):
    """Divide each vector by its length, so that it gets length 1 and keeps its direction.

    `vectors` is one vector, 1-D, or a table of them, 2-D, one a row: finite numbers, of lengths from 1e-200 to 1e200.
    Returns a new float64 array of the same shape; a row of zeros stays a row of zeros. What was handed in is not
    changed.
    Lesson 04, "Normalize once".

    >>> normalize([[3, 4], [0, 0]])
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    vectors = as_numbers(vectors)
    vectors = in_range(as_vector(vectors) if vectors.ndim < 2 else as_matrix(vectors, vectors.shape[-1]))
    lengths = np.sqrt(np.sum(vectors**2, axis=-1, keepdims=True))
    return vectors / np.where(lengths > 0, lengths, 1.0)


def similarities(query, vectors):
    """Return the cosine of one vector with each row of a table: dot products of normalized vectors.

    `query` has `width` numbers, `vectors` has the shape (n, width); lengths go from 1e-200 to 1e200. Returns an array
    (n,), float64, from -1 to 1; 0 for a row of zeros, and everywhere for a query of zeros. Raises ValueError where the
    query and the rows are not equally wide.
    Lesson 04, "Normalize once".

    >>> similarities([2, 0], [[3, 4], [0, 5], [0, 0], [-1, 0]])
    array([ 0.6,  0. ,  0. , -1. ])
    """
    query = as_vector(query)
    rows, query = normalize(as_matrix(vectors, len(query))), normalize(query)
    return np.clip(dots(rows, query), -1.0, 1.0)


def dots(rows: np.ndarray, query: np.ndarray) -> np.ndarray:
    """Return the dot product of each row with the query, (n,); equal rows get equal numbers to the last digit.

    `rows @ query` is the same sum, and does not keep that promise: a fast matrix product takes the rows in blocks and
    adds up the ones left over in another order, so a tie would be broken by where a row happens to stand.

    >>> dots(np.array([[1.0, 2.0], [0.0, 3.0]]), np.array([1.0, 1.0]))
    array([3., 3.])
    """
    return np.einsum("ij,j->i", rows, query)


def top_k(similarities, k: int) -> list[tuple[int, float]]:
    """Return the k largest numbers with their positions: [(position, similarity), ...], the largest first.

    `similarities` is a list of numbers or a 1-D array. Equal ones are ordered by position, ascending, also where k cuts
    through them; the list is shorter than k where there are fewer. Raises ValueError for what is not one list of finite
    numbers, and unless k is a whole number, 1 or more.
    Lesson 04, "The nearest".

    >>> top_k([0.5, 0.9, 0.5, 0.9, 0.5], k=3)
    [(1, 0.9), (3, 0.9), (0, 0.5)]
    """
    values, k = as_numbers(similarities), as_k(k)
    if values.ndim != 1:
        raise ValueError(f"top_k takes one list of numbers, and this has {values.ndim} dimensions.")
    # Sorting all takes n log n steps. Partition finds the k-th largest in n; whatever ties with it has to stay until
    # the positions have been compared, and so the k places of argpartition would not do.
    floor = np.partition(values, -k)[-k] if k < len(values) else -np.inf
    found = np.flatnonzero(values >= floor)
    best = found[np.argsort(-values[found], kind="stable")[:k]]
    return list(zip(best.tolist(), values[best].tolist(), strict=True))


def unit(vectors: np.ndarray) -> np.ndarray:
    """Return what `normalize` makes of vectors, float64; ValueError where a learner's is of no use."""
    with named("cosine.normalize"):
        rows = normalize(vectors)
    try:
        rows = np.asarray(rows)
    except ValueError:  # lists of unequal length
        rows = np.empty(0)
    if rows.shape != vectors.shape or rows.dtype.kind not in "iuf" or not np.isfinite(rows).all():
        raise ValueError("normalize gave something other than finite numbers in the shape it was handed. Is a "
                         f"return missing? {way_back('cosine.normalize')}")
    return rows.astype(np.float64)


def length_1(vector: np.ndarray) -> np.ndarray:
    """Return one vector at length 1, (d,) float64, however long or short it is; zeros stay. No learner's function runs.

    >>> length_1([3e-300, 4e-300]).round(3).tolist()
    [0.6, 0.8]
    """
    vector = in_range(np.asarray(vector, dtype=np.float64))
    return vector / (np.linalg.norm(vector) or 1.0)


class Exact:
    """All vectors of a collection, compared with a query one by one: slow for a million, and never wrong.

    `dim` is how many numbers a vector has. Rows are normalized when they are added and kept as float32 in one array
    that grows by doubling. A search compares all rows in float32, which is quick, and those that may be among the best
    once more in float64: what decides then is the vectors, not in which order a processor adds up. The functions above
    are looked up at each call.

    >>> index = Exact(dim=2)
    >>> index.add([[3, 4], [0, 5], [6, 8]], ids=["b", "c", "a"])
    >>> [id for id, _ in index.search([1, 1], k=2)]  # a and b point the same way: a tie, by id
    ['a', 'b']
    """

    def __init__(self, dim: int):
        if isinstance(dim, bool) or not isinstance(dim, (int, np.integer)) or dim < 1:
            raise ValueError(f"dim is {dim!r}; it is the width of a vector, a whole number from 1.")
        self.dim, self.ids, self.position = int(dim), [], {}
        self.distances = 0  # how many vectors the last search compared
        self._space = np.zeros((0, self.dim), dtype=np.float32)
        self._rank = None  # the place of each row in the order of ids, made when first needed

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def rows(self) -> np.ndarray:
        """The stored vectors, (n, dim), float32, of length 1 or all zeros, in the order they came; read only."""
        rows = self._space[: len(self.ids)]
        rows.flags.writeable = False
        return rows

    def add(self, vectors, ids: list[str] | None = None) -> None:
        """Add vectors, (n, dim), under ids; without ids they are numbered on: "0", "1", and so forth.

        Raises ValueError for another width, nan, infinity, an id that is there already, and another number of ids than
        of vectors; TypeError for an id that is no string. Then nothing is added.
        """
        vectors = as_matrix(vectors, self.dim)
        n, new = len(self.ids), len(vectors)
        ids = new_ids(self.position, n, new, ids)
        if n + new > len(self._space):
            space = np.zeros((max(n + new, 2 * len(self._space)), self.dim), dtype=np.float32)
            space[:n] = self.rows
            self._space = space
        for start in range(0, new, BLOCK):  # what is written beyond the n rows counts from where the ids are added
            block = vectors[start : start + BLOCK]
            self._space[n + start : n + start + len(block)] = unit(block)
        self.position.update(zip(ids, range(n, n + new), strict=True))
        self.ids += ids
        self._rank = None

    def vector(self, id: str) -> np.ndarray:
        """Return the stored vector of an id, (dim,), float32. Raises KeyError for an id that is not in the index."""
        if id not in self.position:
            raise KeyError(f"There is no vector {id!r} in this index.")
        return self.rows[self.position[id]]

    def search(self, q, k: int = 10) -> list[tuple[str, float]]:
        """Return the k most similar vectors, [(id, cosine), ...], the most similar first; all of them if fewer.

        `q` has dim numbers; one of zeros is 0 similar to all. Equal similarities are ordered by id, ascending, as
        strings. Raises ValueError for another width, nan, infinity, and unless k is a whole number from 1.
        """
        k, q = as_k(k), as_vector(q)
        if len(q) != self.dim:
            raise ValueError(f"The query is {len(q)} numbers wide and this index {self.dim}; use one encoder for both.")
        self.distances = len(self.ids)
        if not self.ids:
            return []
        if self._rank is None:
            self._rank = np.argsort(sorted(range(len(self.ids)), key=self.ids.__getitem__))
        q = unit(q)
        near = self._near(q, k)
        near = near[np.argsort(self._rank[near])]  # in the order of ids, so that ties by position are ties by id
        blocks = np.array_split(near, len(near) // BLOCK + 1)
        found = np.concatenate([dots(self.rows[block].astype(np.float64), q) for block in blocks])
        rounded = np.abs(found) < 1.000001  # further beyond 1 is no rounding but a learner's normalize, and shows
        found[rounded] = np.clip(found[rounded], -1.0, 1.0)
        with named("cosine.top_k"):
            best = top_k(found, k)
        try:
            return [(self.ids[near[place]], float(cosine)) for place, cosine in best]
        except (TypeError, ValueError, IndexError):
            raise ValueError(f"top_k gave {shown(best)}, which is no list of (position, similarity) in a list of "
                             f"{len(found)}. {way_back('cosine.top_k')}") from None

    def _near(self, q: np.ndarray, k: int) -> np.ndarray:
        """Return the positions of the rows that may be among the k best: float32 sums of dim numbers are not exact."""
        if k >= len(self.ids):
            return np.arange(len(self.ids))
        rough = dots(self.rows, q.astype(np.float32))
        reach = (self.dim + 2) * float(np.finfo(np.float32).eps)  # how far a sum can be off, and the other, too
        return np.flatnonzero(rough >= np.partition(rough, -k)[-k] - 2 * reach)
