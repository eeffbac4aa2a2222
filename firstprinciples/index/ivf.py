"""IVF: sort the vectors into cells, and look only into the cells that lie near the query.

The problem. To compare a query with a million vectors takes a million comparisons, and nearly all are for nothing. A
library does not read every book to find one on gardening: it walks to the shelf. Here the shelves are cells. Each has
a centroid, a vector of length 1 in its middle, and a list of the vectors that lie nearer to it than to any other:

    cell of v = the c for which v . centroid[c] is largest          every vector stands in exactly one list

A search compares the query with all centroids, takes the `nprobe` nearest cells, and compares with the vectors in
their lists alone. With n vectors in c cells that is about c + nprobe n / c comparisons, least where c is near the root
of n. What it costs: a near vector just beyond the border of a cell that was not looked into is missed. With all cells
looked into, nothing is missed, and nothing is saved.

The centroids come from k-means: give each vector to its nearest centroid, move each centroid to the mean of what it
got, and again, until nothing changes. All is done on vectors of length 1, where the largest dot product is the nearest;
so a mean is brought back to length 1 (spherical k-means). A cell that got nothing keeps its centroid.

"IVF" is for inverted file: as an index of words lists the pages of each word, this lists the vectors of each cell.
Sources: S. Lloyd, "Least squares quantization in PCM", 1982, for k-means; I. Dhillon and D. Modha, "Concept
decompositions for large sparse text data using clustering", 2001, for the mean of length 1; J. Sivic and A. Zisserman,
"Video Google", ICCV 2003, for the inverted file of vectors.
"""

import math

import numpy as np

from firstprinciples.index import as_k, as_matrix, as_vector, named, new_ids, shown, way_back
from firstprinciples.index.cosine import Exact, dots, top_k, unit
from firstprinciples.index.shelf import whole

BLOCK = 4096  # vectors that are compared with the centroids at a time
ROUNDING = 1e-12  # dot products of vectors of length 1 that differ by less are a tie: sums of floats are not exact


def assign(vectors, centroids) -> list[int]:
    """Return the cell of each vector: the number of the centroid with which its dot product is largest.

    `vectors` has the shape (n, width) and `centroids` (cells, width), rows of length 1 or all zeros. Returns n whole
    numbers from 0. Of equally near centroids the one with the lower number counts, so a row of zeros is in cell 0. No
    vectors give []. Raises ValueError where there is no centroid.
    Lesson 11, "Cells".

    >>> assign([[1, 0], [0.6, 0.8], [0, -1]], centroids=[[0, 1], [1, 0]])
    [1, 0, 1]
    """
    centroids = _centroids(centroids)
    labels = []
    for start in range(0, len(vectors), BLOCK):
        near = as_matrix(vectors[start : start + BLOCK], centroids.shape[1]) @ centroids.T
        best = near.max(axis=1, keepdims=True)
        labels += np.argmax(near >= best - ROUNDING, axis=1).tolist()  # the first that is as near as the nearest
    return labels


def update(vectors, labels, centroids):
    """Return the centroids moved to the middle of their cells: the mean of a cell's vectors, brought to length 1.

    `vectors` is (n, width), `labels` the cell of each, n whole numbers, and `centroids` (cells, width). A cell without
    a vector keeps its centroid, and so does one whose vectors cancel out (their sum is 0 to 9 digits). Returns a new
    array, (cells, width), float64. Raises ValueError unless there is one label for each vector.
    Lesson 11, "Cells".

    >>> update([[1, 0], [0, 1], [0, -1]], labels=[0, 0, 2], centroids=[[1, 0], [0.6, 0.8], [-1, 0]]).round(4)
    array([[ 0.7071,  0.7071],
           [ 0.6   ,  0.8   ],
           [ 0.    , -1.    ]])
    """
    moved, vectors, labels = _centroids(centroids), np.asarray(vectors), np.asarray(labels)
    if labels.shape != (len(vectors),):
        raise ValueError(f"There are {len(vectors)} vectors and {np.size(labels)} labels; each vector has one cell.")
    for cell in range(len(moved)):
        total = np.sum(vectors[labels == cell], axis=0, dtype=np.float64)
        length = math.sqrt(np.sum(total**2))  # that of the mean is the same up to a factor, which goes
        if length > 1e-9:
            moved[cell] = total / length
    return moved


def kmeans(vectors, centroids, rounds: int = 20):
    """Return the centroids and the cells of the vectors after at most so many rounds of k-means.

    `vectors` is (n, width), `centroids` (cells, width): where to begin. The vectors get their cells by `assign`; then a
    round is `update` of the centroids and `assign` again, and where that changes no cell, it was the last. Returns
    (centroids, labels): the labels are always those that `assign` gives with these centroids; with 0 rounds the
    centroids are those handed in.
    Lesson 11, "Cells".

    >>> centroids, labels = kmeans([[1, 0], [0.8, 0.6], [-0.6, 0.8], [-1, 0]], [[1, 0], [0.8, 0.6]])
    >>> labels, centroids.round(4).tolist()
    ([0, 0, 1, 1], [[0.9487, 0.3162], [-0.8944, 0.4472]])
    """
    centroids = _centroids(centroids)
    labels = assign(vectors, centroids)
    for _ in range(rounds):
        centroids = update(vectors, labels, centroids)
        before, labels = labels, assign(vectors, centroids)
        if np.array_equal(before, labels):
            break
    return centroids, labels


def nearest_cells(query, centroids, nprobe: int) -> list[int]:
    """Return the numbers of the `nprobe` cells whose centroids are nearest to the query, the nearest first.

    `query` has `width` numbers, `centroids` is (cells, width); nearest is the largest dot product. Equally near cells
    are ordered by number, ascending. All cells, where there are fewer than `nprobe`. Raises ValueError unless nprobe is
    a whole number from 1.
    Lesson 11, "Look into a few".

    >>> nearest_cells([0.6, 0.8], centroids=[[1, 0], [0, 1], [-1, 0], [0, -1]], nprobe=2)
    [1, 0]
    """
    nprobe, query, centroids = whole("nprobe", nprobe, 1), as_vector(query), _centroids(centroids)
    return [cell for cell, _ in top_k(dots(as_matrix(centroids, len(query)), query), nprobe)]


def search_cells(query, vectors, lists, centroids, nprobe: int, k: int) -> list[tuple[int, float]]:
    """Return the k vectors most similar to the query among those in the `nprobe` nearest cells.

    `query` has `width` numbers, `vectors` is (n, width), `centroids` (cells, width); `lists` has for each cell the
    positions of its vectors, rows of `vectors`. Returns [(position, dot product), ...], the most similar first, equal
    ones by position, ascending; fewer than k where these cells hold fewer. Raises ValueError unless nprobe and k are
    whole numbers from 1.
    Lesson 11, "Look into a few".

    >>> vectors = [[0.8, 0.6], [0, 1], [1, 0], [-1, 0]]
    >>> search_cells([1, 0], vectors, lists=[[1, 3], [0, 2]], centroids=[[-0.6, 0.8], [0.96, 0.28]], nprobe=1, k=2)
    [(2, 1.0), (0, 0.8)]
    """
    k, query = as_k(k), as_vector(query)
    positions = np.array(sorted(p for cell in nearest_cells(query, centroids, nprobe) for p in lists[cell]), dtype=int)
    if not len(positions):
        return []
    rows = as_matrix(np.asarray(vectors)[positions], len(query))
    return [(int(positions[place]), similarity) for place, similarity in top_k(dots(rows, query), k)]


def first_centroids(vectors: np.ndarray, cells: int, seed: int) -> np.ndarray:
    """Return the centroids with which k-means begins: so many of the vectors, drawn at random, no two of them equal.

    Of two equal centroids one would get nothing, and zeros lie in no direction. Where fewer than `cells`
    vectors are different, there are fewer centroids; where all are zeros, these are the one.

    >>> first_centroids(np.array([[1.0, 0.0], [0.0, 0.0], [1.0, 0.0]]), cells=3, seed=0)
    array([[1., 0.]])
    """
    drawn = vectors[np.random.default_rng(seed).permutation(len(vectors))]
    drawn = drawn[drawn.any(axis=1)] if drawn.any() else drawn[:1]
    found = np.sort(np.unique(drawn, axis=0, return_index=True)[1])  # where each stands first, in the order drawn
    return drawn[found[:cells]].astype(np.float64)


def _centroids(centroids) -> np.ndarray:
    """Return centroids as a new array, (cells, width); ValueError where there is none."""
    if not len(centroids):
        raise ValueError("There is no centroid; k-means needs at least one to begin with.")
    return as_matrix(centroids, np.shape(centroids[0])[0] if np.ndim(centroids[0]) else 1)


class IVF:
    """Vectors in cells: a search looks into the `nprobe` cells nearest to the query, and counts what it looked at.

    `dim` is the width of a vector; `cells` how many there are, None for about the root of the number of vectors. The
    first vectors that are added train the cells, by k-means from centroids drawn with `seed`; what comes later is only
    given a cell (`note` says so), so hand in all you have at once. Where the cells to be looked into hold fewer than k
    vectors, the search goes on to the next nearest until there are k. `distances` is how many comparisons the last
    search made, centroids and vectors, and `probed` the cells it looked into.

    >>> index = IVF(dim=2, cells=2)
    >>> index.add([[3, 4], [0, 5], [-6, 8], [-1, 0]], ids=["a", "b", "c", "d"])
    >>> [id for id, _ in index.search([1, 1], k=2, nprobe=1)], index.distances
    (['a', 'b'], 4)
    """

    def __init__(self, dim: int, cells: int | None = None, nprobe: int = 8, seed: int = 0, rounds: int = 20):
        self.dim, self.nprobe = whole("dim", dim, 1), whole("nprobe", nprobe, 1)
        self.cells = None if cells is None else whole("cells", cells, 1)
        self.seed, self.rounds = whole("seed", seed, 0), whole("rounds", rounds, 0)
        self.kept = Exact(self.dim)  # the vectors under their ids; the cells are what comes on top
        self.labels, self.lists = [], []
        self.centroids = np.zeros((0, self.dim))
        self.trained_on, self.distances, self.probed = 0, 0, []

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def ids(self) -> list[str]:
        """The ids, in the order they came."""
        return self.kept.ids

    @property
    def vectors(self) -> np.ndarray:
        """The stored vectors, (n, dim), float32, of length 1 or all zeros, in the order they came; read only."""
        return self.kept.rows

    @property
    def nbytes(self) -> int:
        """The bytes of what a search needs: the vectors, the centroids, and 8 for each position in a list."""
        return self.vectors.nbytes + self.centroids.nbytes + 8 * len(self.ids)

    @property
    def note(self) -> str:
        """What the cells were made from, in a sentence."""
        later = len(self.ids) - self.trained_on
        if not self.ids:
            return "Nothing is in the index yet; the first vectors that are added make the cells."
        more = f" The {later} that came later were only given a cell; build anew if they are many." if later else ""
        return f"{len(self.centroids)} cells, made from the first {self.trained_on} vectors.{more}"

    def add(self, vectors, ids: list[str] | None = None) -> None:
        """Add vectors, (n, dim), under ids; without ids they are numbered on: "0", "1", and so forth.

        Raises ValueError for another width, nan, infinity, an id that is there already, and another number of ids than
        of vectors; TypeError for an id that is no string. Then nothing is added.
        """
        vectors = as_matrix(vectors, self.dim)
        n, new = len(self.ids), len(vectors)
        ids = new_ids(self.kept.position, n, new, ids)
        if not new:
            return
        rows = unit(vectors).astype(np.float32)
        if self.ids:
            centroids, lists = self.centroids, [list(positions) for positions in self.lists]
            with named("ivf.assign"):
                labels = assign(rows, centroids)
        else:
            begin = first_centroids(rows, self.cells or max(1, round(math.sqrt(new))), self.seed)
            with named("ivf.kmeans"):
                made = kmeans(rows, begin, self.rounds)
            centroids, labels = _pair(made, begin.shape)
            lists = [[] for _ in centroids]
        labels = _labels(labels, new, len(centroids), "ivf.assign" if self.ids else "ivf.kmeans")
        for position, cell in enumerate(labels, n):
            lists[cell].append(position)
        self.kept.add(vectors, ids)
        self.trained_on, self.labels = self.trained_on or new, self.labels + labels
        self.centroids, self.lists = centroids, lists

    def vector(self, id: str) -> np.ndarray:
        """Return the stored vector of an id, (dim,), float32. Raises KeyError for an id that is not in the index."""
        return self.kept.vector(id)

    def search(self, q, k: int = 10, nprobe: int | None = None) -> list[tuple[str, float]]:
        """Return the k most similar vectors in the cells looked into, [(id, cosine), ...], the most similar first.

        `nprobe` None means the index's own. All vectors, if there are fewer than k; equal similarities are ordered by
        id, ascending, as strings. A query of zeros is 0 similar to all and compared with none. Raises ValueError for
        another width, nan, infinity, and unless k and nprobe are whole numbers from 1.
        """
        k, q = as_k(k), as_vector(q)
        nprobe = self.nprobe if nprobe is None else whole("nprobe", nprobe, 1)
        if len(q) != self.dim:
            raise ValueError(f"The query is {len(q)} numbers wide and this index {self.dim}; use one encoder for both.")
        self.distances, self.probed = 0, []
        if not self.ids or not q.any():
            return [(id, 0.0) for id in sorted(self.ids)[:k]]
        q = unit(q)
        with named("ivf.nearest_cells"):
            order = nearest_cells(q, self.centroids, len(self.centroids))
        order = _labels(order, None, len(self.centroids), "ivf.nearest_cells")
        held = np.cumsum([len(self.lists[cell]) for cell in order])
        enough = int(np.searchsorted(held, min(k, len(self.ids)))) + 1  # so many cells hold k vectors together
        self.probed = order[: max(nprobe, enough)]
        # search_cells finds the nearest cells once more, since it can be handed to others; that counts once
        self.distances = len(self.centroids) + sum(len(self.lists[cell]) for cell in self.probed)
        return self._nearest(q, k, max(1, len(self.probed)))

    def _nearest(self, q: np.ndarray, k: int, nprobe: int) -> list[tuple[str, float]]:
        """Return what `search_cells` finds, ties by id: it has them by position, so ask on until those at k are in."""
        want = k
        while True:
            with named("ivf.search_cells"):
                found = search_cells(q, self.vectors, self.lists, self.centroids, nprobe, want + 1)
            pairs = self._pairs(found)
            if len(pairs) <= want or pairs[k - 1][1] > pairs[want][1] or want >= len(self.ids):
                return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))[:k]
            want *= 2

    def _pairs(self, found) -> list[tuple[str, float]]:
        """Return (position, dot product) as (id, cosine); ValueError where they are no such pairs."""
        try:
            # further beyond 1 is no rounding but a learner's function, and shows
            return [(self.ids[whole("position", position, 0)],
                     min(1.0, max(-1.0, float(dot))) if abs(dot) < 1.000001 else float(dot)) for position, dot in found]
        except (TypeError, ValueError, IndexError):
            raise ValueError(f"search_cells gave {shown(found)}, which is no list of (position, similarity). "
                             f"{way_back('ivf.search_cells')}") from None


def _pair(made, shape: tuple[int, int]) -> tuple[np.ndarray, list]:
    """Return what `kmeans` gave as (centroids, labels); ValueError where it is nothing of the kind."""
    try:
        centroids, labels = made
        centroids = np.asarray(centroids, dtype=np.float64)
        if centroids.shape == shape and np.isfinite(centroids).all():
            return centroids, labels
    except (TypeError, ValueError):
        pass
    raise ValueError(f"kmeans gave {shown(made)}, which is no pair of centroids, {shape}, and labels. "
                     f"{way_back('ivf.kmeans')}")


def _labels(labels, n: int | None, cells: int, task: str) -> list[int]:
    """Return numbers of cells as a list of ints; ValueError unless there are n (any number, if None) from 0."""
    try:
        numbers = [whole("cell", label, 0) for label in labels]
    except (TypeError, ValueError):
        numbers = [cells]
    if max(numbers, default=0) >= cells or n is not None and len(numbers) != n:
        wanted = f"{'' if n is None else f'{n} '}numbers of cells from 0 to {cells - 1}"
        raise ValueError(f"{task.partition('.')[2]} gave {shown(labels)}; {wanted} are expected. {way_back(task)}")
    return numbers
