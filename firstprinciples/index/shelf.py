"""Shelf: rows of codes under ids, and what the small indexes share when they add and search.

An index of codes keeps, for each vector, a short row of small numbers in place of the vector. How the row is made and
how it is scored differs from index to index, see `short_vectors` and `product`. What does not differ stands here: ids,
arrays that grow, ties by id, vectors of zeros, and the full vectors where a search wants to look at them again.
"""

import operator

import numpy as np

from firstprinciples.index import as_k, as_matrix, as_vector, cosine, named, new_ids, shown, way_back

BLOCK = 1024  # vectors that are turned into codes at a time: their copies in float64 stay small
NUMBERS = 2**19  # of codes that are scored at a time: their copies in float32 stay in the processor's cache


class Shelf:
    """Codes in an array (n, width) of one dtype, ids, and with `full` also the vectors, (n, dim) float32.

    `dim` is the width of a vector, a whole number from 1; `depth` is how many candidates a search compares once more
    unless it is told otherwise, a whole number from 0. Raises ValueError for others.

    >>> shelf = Shelf(dim=2, width=1, dtype=np.uint8, depth=0, full=False)
    >>> shelf.add(np.array([[7], [9]]), shelf.unit([[3, 4], [0, 0]]), ["b", "a"])
    >>> shelf.codes.tolist(), shelf.zeros, shelf.best(np.array([0.5, 0.5]), k=1).tolist()
    ([[7], [9]], [1], [1])
    """

    def __init__(self, dim: int, width: int, dtype, depth: int, full: bool):
        self.dim, self.depth = whole("dim", dim, 1), whole("rescore", depth, 0)
        self.ids, self.position, self.zeros = [], {}, []
        self._codes = np.zeros((0, width), dtype)
        self._vectors = np.zeros((0, self.dim), np.float32) if full else None
        self._rank = None  # the place of each row in the order of ids, made when first needed

    @property
    def codes(self) -> np.ndarray:
        """The codes, (n, width), in the order they came; read only."""
        return _view(self._codes, len(self.ids))

    @property
    def vectors(self) -> np.ndarray | None:
        """The full vectors, (n, dim) float32 of length 1, read only; None where they are not kept."""
        return None if self._vectors is None else _view(self._vectors, len(self.ids))

    @property
    def full_nbytes(self) -> int:
        """Bytes of the full vectors that are kept for comparing candidates once more; 0 where there are none."""
        return 0 if self._vectors is None else self.vectors.nbytes

    def unit(self, vectors) -> np.ndarray:
        """Return vectors at length 1, (n, dim) float32; ValueError for another width, nan or infinity."""
        vectors = as_matrix(vectors, self.dim)
        out = np.zeros(vectors.shape, np.float32)
        for start in range(0, len(vectors), BLOCK):
            block = vectors[start : start + BLOCK]
            out[start : start + BLOCK] = cosine.unit(block)
        return out

    def query(self, q) -> np.ndarray:
        """Return a query at length 1, (dim,) float64; zeros stay. Raises ValueError for another width."""
        q = as_vector(q)
        if len(q) != self.dim:
            raise ValueError(f"The query is {len(q)} numbers wide and this index {self.dim}; use one encoder for both.")
        return cosine.unit(q)

    def check_ids(self, new: int, ids) -> list[str]:
        """Return the ids for so many new rows; ValueError and TypeError as in `Exact.add`."""
        return new_ids(self.position, len(self.ids), new, ids)

    def add(self, codes: np.ndarray, unit: np.ndarray, ids: list[str]) -> None:
        """Add rows of codes, with the vectors they stand for, under ids that `check_ids` has seen."""
        n = len(self.ids)
        self._codes = _grown(self._codes, n, codes)
        if self._vectors is not None:
            self._vectors = _grown(self._vectors, n, unit)
        self.zeros += (n + np.flatnonzero(~unit.any(axis=1))).tolist()
        self.position.update(zip(ids, range(n, n + len(ids)), strict=True))
        self.ids += ids
        self._rank = None

    @property
    def rank(self) -> np.ndarray:
        """The place of each row in the order of ids, (n,) ints."""
        if self._rank is None:
            self._rank = np.argsort(sorted(range(len(self.ids)), key=self.ids.__getitem__))
        return self._rank

    def best(self, scores: np.ndarray, k: int) -> np.ndarray:
        """Return the positions of the k highest scores, (n,), the highest first, ties by id; all if fewer."""
        floor = np.partition(scores, -k)[-k] if k < len(scores) else -np.inf
        near = np.flatnonzero(scores >= floor)
        return near[np.lexsort((self.rank[near], -scores[near]))][:k]

    def search(self, index, q, k: int, candidates: int | None, again, by_codes=None) -> list[tuple[str, float]]:
        """Return the k most similar rows, [(id, cosine), ...], best first: all by their codes, some once more.

        `index.scores(q, codes)` scores codes. `candidates` is how many of the best are compared once more: None as the
        index was made, 0 none, and otherwise never fewer than k; with `again(q, vectors, k)` by their full vectors, or
        with `by_codes(q, codes)`, where that is given, by their codes. Sets `index.codes_read` and `index.distances`,
        how many full vectors were compared. A query of zeros is 0 similar to all, a row of zeros to every query. Raises
        ValueError for a query of another width, nan, infinity, a k below 1, and where full vectors are needed that are
        not kept.
        """
        k, q = as_k(k), self.query(q)
        depth = self.depth if candidates is None else whole("rescore", candidates, 0)
        if depth and by_codes is None and self._vectors is None:
            kind = type(index).__name__
            raise ValueError(f"This {kind} keeps no full vectors to compare with; make it {kind}({self.dim}, "
                             f"rescore={depth}).")
        index.codes_read, index.distances = len(self.ids), 0
        if not self.ids:
            return []
        scores = self._scores(index.scores, q, self.codes)
        scores[self.zeros] = 0.0
        near = self.best(scores, max(k, depth) if depth else k)
        if depth and by_codes:
            index.codes_read += len(near)
            rescored = np.full(len(scores), -np.inf)
            rescored[near] = self._scores(by_codes, q, self.codes[near])
            rescored[np.intersect1d(near, np.array(self.zeros, dtype=int))] = 0.0
            near, scores = self.best(rescored, min(k, len(near))), rescored
        elif depth:
            near = near[np.argsort(self.rank[near])]  # in the order of ids, so that ties by place are ties by id
            index.distances = len(near)
            return [(self.ids[near[place]], cosine) for place, cosine in again(q, self.vectors[near], k)]
        return [(self.ids[place], float(scores[place])) for place in near]

    def score_of(self, index, q, id: str, again, by_codes=None) -> float:
        """Return the similarity that a search gives to one id, for an index as it was made; arguments as in `search`.

        Without `rescore` it is what the codes say. With it a search gives only what it has compared once more, however
        large k is; so it is what that comparison says, also for an id that was no candidate. Raises KeyError for an
        unknown id.
        """
        if not isinstance(id, str) or id not in self.position:
            raise KeyError(f"There is no vector {id!r} in this index.")
        place, q = self.position[id], self.query(q)
        if self.depth and by_codes is None:
            for _, cosine in again(q, self.vectors[[place]], 1):
                return cosine
        if place in self.zeros:
            return 0.0
        function = by_codes if self.depth and by_codes else index.scores
        return float(self._scores(function, q, self.codes[place : place + 1])[0])

    @staticmethod
    def _scores(function, q: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Return function(q, codes), (n,) float64, block by block, from -1 to 1; 0 for a query of zeros."""
        scores, step = np.zeros(len(codes)), max(1, NUMBERS // codes.shape[1])
        for start in range(0, len(codes) if q.any() else 0, step):
            scores[start : start + step] = function(q, codes[start : start + step])
        return np.clip(scores, -1.0, 1.0)


def called(task: str, function, shape: tuple, *values, fits=None) -> np.ndarray:
    """Return what a task's function makes of values, as an array; ValueError unless it has that shape, all finite.

    With `fits`, a dtype, it is turned into that; ValueError where a number can't be kept so.
    """
    with named(task):
        found = function(*values)
    try:
        found = np.asarray(found)
    except ValueError:  # lists of unequal length
        found = np.empty(0)
    name = task.partition(".")[2]
    if found.shape != shape or found.dtype.kind not in "iuf" or not np.isfinite(found).all():
        raise ValueError(f"{name} gave something other than finite numbers of the shape {shape}. Is a return missing? "
                         f"{way_back(task)}")
    if fits is None or found.dtype == fits:
        return found
    with np.errstate(invalid="ignore"):
        kept = found.astype(fits)
    if not (kept == found).all():
        raise ValueError(f"{name} gave {found[kept != found][0]}, which is no {np.dtype(fits).name}. {way_back(task)}")
    return kept


def whole(name: str, value, least: int) -> int:
    """Return a setting as a Python int. Raises ValueError unless it is a whole number and not below `least`.

    >>> whole("dim", 384, least=1)
    384
    """
    try:
        number = operator.index(None if isinstance(value, bool) else value)
    except TypeError:
        number = least - 1
    if number < least:
        raise ValueError(f"{name} is {shown(value)}; it is a whole number from {least}.")
    return number


def _view(space: np.ndarray, n: int) -> np.ndarray:
    """Return the first n rows, read only."""
    rows = space[:n]
    rows.flags.writeable = False
    return rows


def _grown(space: np.ndarray, n: int, rows: np.ndarray) -> np.ndarray:
    """Return the array with rows written behind its first n, a new and longer one where they don't fit."""
    if n + len(rows) > len(space):
        wider = np.zeros((max(n + len(rows), 2 * n), space.shape[1]), space.dtype)
        wider[:n] = space[:n]
        space = wider
    space[n : n + len(rows)] = rows
    return space
