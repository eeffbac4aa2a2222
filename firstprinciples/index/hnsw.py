"""HNSW: find the nearest of a million vectors by asking the way, instead of looking at all.

The problem. `Exact` compares the query with every vector: a million of them, a million comparisons a question. In a
town you don't read every house number. You take the motorway to the right district, a street to the right block, and
then look at doors. A hierarchical navigable small world is such a map of vectors:

- every vector is a node on layer 0, linked to some neighbors: the doors;
- about one node in M is on layer 1 as well, one in M^2 on layer 2: the streets, the motorway;
- a search enters at the top, goes to whichever neighbor is nearer to the query until none is, goes down a layer and on
  from there; on layer 0 it keeps not one best node but the ef best seen so far, and stops when the nearest node it has
  not looked behind is further than the worst of these.

How high a node reaches is drawn when it is added, and nothing else is left to chance:

    level = floor(-ln(u) / ln(M))       u evenly from 0 to 1, so level 1 or more has the chance 1/M, level 2 1/M^2

The distance is 1 - cosine. M is how many neighbors a new node is linked to, and at most it has M on an upper layer, 2M
on layer 0; ef_construction is how many candidates these are chosen from; ef is how many a search keeps. The answer is
not exact: what no link leads to is not found, and the larger the three, the less is missed.

Source: Yu. A. Malkov and D. A. Yashunin, "Efficient and robust approximate nearest neighbor search using Hierarchical
Navigable Small World graphs", arXiv 1603.09320; its Algorithms 1 INSERT, 2 SEARCH-LAYER, 3 SELECT-NEIGHBORS-SIMPLE,
4 SELECT-NEIGHBORS-HEURISTIC and 5 K-NN-SEARCH are named below with their lines. The functions come first, in plain
form; `hnsw_fast` has the same two in arrays, `hnsw_bulk` adds many at once, `hnsw_trace` tells each step, `hnsw_files`
saves and loads.
"""

import heapq
import math
from pathlib import Path

import numpy as np

from firstprinciples.blas import one_blas_thread
from firstprinciples.index import as_k, as_matrix, as_vector, hnsw_files, hnsw_trace, named, new_ids, shown
from firstprinciples.index.cosine import BLOCK, dots, unit
from firstprinciples.index.hnsw_bulk import bulk_lists
from firstprinciples.index.hnsw_fast import Links, choose, filled_up, walk
from firstprinciples.index.hnsw_learners import Watched, checked_choice, checked_level, checked_pairs
from firstprinciples.index.hnsw_trace import Step

SMALLEST = math.ulp(0.0)  # the smallest float above 0
DRAWS = 1024  # levels are drawn from random numbers in blocks of this many


def random_level(u: float, M: int = 16) -> int:
    """Return the highest layer of a new node: floor(-ln(u) / ln(M)). Algorithm 1, line 4, with mL = 1 / ln(M).

    `u` is a number from 0 to 1, drawn evenly; 0 has no logarithm and counts as the smallest float above 0. `M` is a
    whole number from 2: with 1 all nodes would be on all layers. Raises ValueError otherwise.
    Lesson 11, "Levels".

    >>> [random_level(u, M=16) for u in (1.0, 0.5, 0.06, 0.003)]
    [0, 0, 1, 2]
    """
    if M < 2:
        raise ValueError(f"M is {M}; it is the number of neighbors of a new node, 2 or more.")
    if not 0 <= u <= 1:
        raise ValueError(f"u is {u}; it is a random number from 0 to 1.")
    return math.floor(-math.log(max(u, SMALLEST)) / math.log(M))


def distance(a, b) -> float:
    """Return 1 - the dot product of two vectors of length 1: 0 for the same direction, 2 for the opposite.

    Rounding never makes it less than 0.

    >>> distance(np.array([0.6, 0.8]), np.array([0.0, 1.0]))
    0.19999999999999996
    """
    return max(0.0, 1.0 - float(dots(np.asarray(a)[None, :], np.asarray(b))[0]))


def search_layer(query, entry_points, ef, vectors, layer):
    """Return the ef nodes of one layer that are nearest to the query, as far as links lead. Algorithm 2.

    `query` is a vector of length 1, (dim,); `vectors` is (n, dim), each row of length 1; `layer` is
    {position: [positions of its neighbors]}; `entry_points` is a list of positions: the walk starts at all of them, and
    each is a candidate and a result. `ef`, 1 or more, is how many results are kept: the nearest so far. Again and again
    the nearest candidate is taken. If it is further than the furthest result, the walk ends; otherwise each neighbor of
    it that was not seen before becomes a candidate and a result, if it is nearer than the furthest result or there are
    fewer than ef; and where there are more, the furthest goes. Returns [(distance, position), ...], the nearest first,
    equal distances by position; the distance is 1 - the dot product, and 0 where rounding makes it less.
    Lesson 11, "Search a layer".

    >>> vectors = np.array([[1.0, 0.0], [0.8, 0.6], [0.6, 0.8], [0.0, 1.0]])
    >>> found = search_layer([0.0, 1.0], [0], 2, vectors, {0: [1], 1: [0, 2], 2: [1, 3], 3: [2]})
    >>> [(round(distance, 4), position) for distance, position in found]
    [(0.0, 3), (0.2, 2)]
    """
    visited = set(entry_points)  # line 1
    candidates = sorted((distance(query, vectors[p]), p) for p in visited)  # a heap, the nearest on top
    results = [(-d, -p) for d, p in candidates[:ef]]  # a heap, the furthest on top
    heapq.heapify(results)
    while candidates:
        nearest, position = heapq.heappop(candidates)  # line 5
        if nearest > -results[0][0]:  # line 7: all that is left is further than the worst result
            break
        for neighbor in layer[position]:
            if neighbor in visited:
                continue
            visited.add(neighbor)
            d = distance(query, vectors[neighbor])
            if d < -results[0][0] or len(results) < ef:  # line 13
                heapq.heappush(candidates, (d, neighbor))
                heapq.heappush(results, (-d, -neighbor))
                if len(results) > ef:
                    heapq.heappop(results)  # line 17
    return sorted((-d, -p) for d, p in results)


def select_neighbors_simple(candidates, M):
    """Return the M nearest candidates, the nearest first, equal distances by position. Algorithm 3.

    `candidates` is [(distance, position), ...] in any order. Returns a list of positions, all if there are fewer than
    M. Where vectors stand in clusters, all links stay inside the cluster, and no way leads from one to the next.
    Lesson 11, "Choose neighbors".

    >>> select_neighbors_simple([(0.3, 7), (0.1, 4), (0.2, 9)], M=2)
    [4, 9]
    """
    return [position for _, position in sorted(candidates)[:M]]


def select_neighbors(candidates, M, vectors):
    """Return at most M candidates that lie in different directions, the nearest first. Algorithm 4.

    `candidates` is [(distance to the new node, position), ...] in any order; `vectors` is (n, dim), each row of length
    1. In the order of distance, equal ones by position, a candidate is kept if it is nearer to the new node than to
    every candidate kept so far, strictly; so a copy of a kept one is not. The distance between two of them is 1 - the
    dot product. It ends with M kept, and fewer is right where the others were refused. The paper's two options are left
    out, as the usual libraries do: extendCandidates only helps where all is one tight cluster, and
    keepPrunedConnections would fill the list with what was just refused.
    Lesson 11, "Choose neighbors".

    >>> vectors = np.array([[1.0, 0.0], [0.96, 0.28], [0.8, -0.6]])
    >>> select_neighbors([(0.02, 1), (0.1, 0), (0.25, 2)], M=2, vectors=vectors)
    [1, 2]
    """
    kept = []
    for to_new, position in sorted(candidates):
        if len(kept) == M:
            break
        if all(to_new < distance(vectors[position], vectors[other]) for other in kept):
            kept.append(position)
    return kept


OWN = {function.__name__: function for function in (search_layer, select_neighbors_simple, select_neighbors)}
SETTINGS = ("dim", "M", "ef_construction", "seed", "select", "entry_point", "built_distances")
SELECT = {"heuristic": "select_neighbors", "simple": "select_neighbors_simple"}


class HNSW:
    """The graph of all vectors, grown one by one or in bulk, and searched from the top.

    `dim` is the width of a vector; `M`, 2 to 1,000, and `ef_construction`, 1 or more, are told of above; `seed` decides
    the levels; `select` is "heuristic" or "simple". A vector has a position, 0, 1, 2, ... in the order they came, and
    an id. The functions above are looked up at each call: while one of them is replaced, the class runs on it, vector
    by vector and neighbor by neighbor; else on `hnsw_fast`, which gives the same. `distances` says how many vectors the
    last search compared, layer by layer, `built_distances` how many all of the building did.

    >>> index = HNSW(dim=2)
    >>> index.add([[3, 4], [0, 5], [6, 8]], ids=["b", "c", "a"])
    >>> [id for id, _ in index.search([1, 1], k=2)]
    ['a', 'b']
    """

    def __init__(self, dim: int, M: int = 16, ef_construction: int = 200, seed: int = 0, select: str = "heuristic"):
        self.dim = whole("dim", dim, 1, "it is the width of a vector")
        self.M = whole("M", M, 2, "it is the number of neighbors of a new node", 1000)
        self.ef_construction = whole("ef_construction", ef_construction, 1, "it is the number of candidates")
        self.seed = whole("seed", seed, 0, "it decides the levels that are drawn")
        if not isinstance(select, str) or select not in SELECT:
            raise ValueError(f"There is no choice of neighbors {select!r}; take one of {', '.join(SELECT)}.")
        self.select = select
        self.levels, self.position, self.entry_point = [], {}, None
        self.distances, self.built_distances, self._compared = 0, 0, 0
        self._ids, self._links, self._live = [], [], np.zeros(0, dtype=bool)
        self._space = np.zeros((0, self.dim), dtype=np.float32)
        self._drawn = (-1, None)

    def __len__(self) -> int:
        return len(self.position)

    @property
    def ids(self) -> list[str]:
        """The ids of the vectors that are not deleted, in the order they came."""
        return list(self.position)

    @property
    def vectors(self) -> np.ndarray:
        """The stored vectors, (n, dim), float32, of length 1 or all zeros, also the deleted ones; read only."""
        return locked(self._space[: len(self.levels)])

    @property
    def nbytes(self) -> int:
        """The bytes that a search needs: the vectors and the neighbor lists."""
        return self.vectors.nbytes + sum(links.nbytes for links in self._links)

    def id_at(self, position: int) -> str:
        """Return the id of a position, also of a deleted one. Raises IndexError for a position that there is not."""
        if not 0 <= position < len(self._ids):
            raise IndexError(f"There is no position {position}; there are {len(self._ids)} vectors.")
        return self._ids[position]

    def vector(self, id: str) -> np.ndarray:
        """Return the stored vector of an id, (dim,), float32. Raises KeyError for an id that is not in the index."""
        if id not in self.position:
            raise KeyError(f"There is no vector {id!r} in this index.")
        return self.vectors[self.position[id]]

    def layers(self) -> list[dict[int, list[int]]]:
        """Return the graph: for each layer, from 0 up, {position: [positions of its neighbors]}."""
        return [dict(links) for links in self._links]

    def add(self, vectors, ids: list[str] | None = None, progress=None, bulk: bool | None = None) -> None:
        """Add vectors, (n, dim), under ids; without ids they are numbered on: "0", "1", and so forth.

        Several at once are added in bulk (see `hnsw_bulk`), unless `bulk` is False or a function above is replaced;
        then one by one, as Algorithm 1 has it. `progress(done, n)` is called now and then. Raises what `Exact.add`
        raises; then nothing is added, nor where adding in bulk is broken off. One by one, what came before stays.
        """
        vectors = as_matrix(vectors, self.dim)
        ids = new_ids(self.position, len(self.levels), len(vectors), ids)
        progress, n = progress or (lambda done, n: None), len(self.levels)
        self._make_room(n + len(vectors))
        for start in range(0, len(vectors), BLOCK):
            block = vectors[start : start + BLOCK]
            self._space[n + start : n + start + len(block)] = unit(block)
        del vectors
        progress(0, len(ids))
        with one_blas_thread():  # thousands of small products: a second thread would cost far more than it gives
            if bulk is not False and len(ids) > 1 and not any(self.replaced(name) for name in OWN):
                self._add_in_bulk(ids, progress)
            else:
                for done, id in enumerate(ids, start=1):
                    self.insert(self._space[n + done - 1], id)
                    progress(done, len(ids))

    def _add_in_bulk(self, ids: list[str], progress) -> None:
        """Add what stands in the array from row n; nothing counts before all of it is linked."""
        n, total = len(self.levels), len(self.levels) + len(ids)
        levels = [self.level_of(position) for position in range(n, total)]
        lists, compared = bulk_lists(self._space[:total], self.levels + levels, n, self._links, self.M,
                                     self.ef_construction, self.select == "simple", progress)
        self._write(ids, levels, lists)
        self.built_distances += compared
        progress(len(ids), len(ids))

    def delete(self, ids) -> None:
        """Mark ids as deleted: searches walk through their nodes and don't return them; each can be added again.

        `ids` is a list of ids, or one. Raises KeyError for an id that is not in the index; then none is deleted.
        """
        try:
            ids = [ids] if isinstance(ids, str) else list(ids)
        except TypeError:
            raise TypeError(f"{shown(ids)} is neither an id nor a list of ids; nothing was deleted.") from None
        for id in ids:
            if not isinstance(id, str) or id not in self.position:
                raise KeyError(f"There is no vector {shown(id)} in this index; nothing was deleted.")
        for id in dict.fromkeys(ids):
            self._live[self.position.pop(id)] = False

    def rebuilt(self, progress=None) -> "HNSW":
        """Return a new index of what is not deleted, with the same ids and the same settings."""
        new = HNSW(self.dim, self.M, self.ef_construction, self.seed, self.select)
        new.add(self.vectors[list(self.position.values())], self.ids, progress)
        return new

    def unreachable(self) -> list[str]:
        """Return the ids to which no way along the links of layer 0 leads from the entry point; deleted ones left out.

        A search finds these only where all that is reachable is fewer than was asked for.
        """
        if self.entry_point is None:
            return []
        links, seen = self._links[0], np.zeros(len(self.levels) + 1, dtype=bool)
        seen[-1] = True
        border = np.array([self.entry_point])
        while len(border):
            seen[border] = True
            following = np.unique(links.table[links.place[border]])
            border = following[~seen[following]]
        return [id for id, position in self.position.items() if not seen[position]]

    def save(self, path) -> None:
        """Write the index into an .npz file, in one step. Raises ValueError for a name that does not end in .npz."""
        about = {name: getattr(self, name) for name in SETTINGS}
        live = self._live[: len(self.levels)]
        hnsw_files.write(path, about, self._ids, hnsw_files.arrays_of(self.vectors, self.levels, live, self._links))

    @classmethod
    def load(cls, path) -> "HNSW":
        """Return the index that `save` wrote. Raises ValueError, which names it, for a damaged or a foreign file."""
        about, ids, arrays = hnsw_files.read(path)
        try:
            index = cls(*(about[name] for name in ("dim", "M", "ef_construction", "seed", "select")))
            index.built_distances = whole("built_distances", about["built_distances"], 0, "it is a count")
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{Path(path).name} can't be used, its settings are wrong: {error}") from None
        index.entry_point, index.levels, index._ids = about["entry_point"], arrays["levels"].tolist(), ids
        index._space, index._live = arrays["vectors"], arrays["live"]
        index.position = {id: position for position, id in enumerate(ids) if index._live[position]}
        index._links = [Links(index.width(layer)) for layer in range(max(index.levels, default=-1) + 1)]
        hnsw_files.fill(index._links, arrays)
        return index

    def trace(self, q, k: int = 10, ef: int = 64) -> list[Step]:
        """Return every step of a search; the last one's results are what `search` returns, nearest first."""
        return hnsw_trace.search_steps(self, q, k, ef)

    def trace_add(self, vector, id: str | None = None) -> list[Step]:
        """Add one vector, as `add` adds one, and return every step of that."""
        vector = as_matrix([as_vector(vector)], self.dim)
        (id,) = new_ids(self.position, len(self.levels), 1, None if id is None else [id])
        with one_blas_thread():
            return hnsw_trace.add_steps(self, locked(unit(vector).astype(np.float32)[0]), id)

    def drawn(self, position: int) -> float:
        """Return the random number u that belongs to a position: the seed and the position alone decide it."""
        block, place = divmod(position, DRAWS)
        if self._drawn[0] != block:
            self._drawn = (block, np.random.default_rng([self.seed, block]).random(DRAWS).tolist())
        return self._drawn[1][place]

    def level_of(self, position: int) -> int:
        """Return the level that is drawn for a position."""
        with named("hnsw.random_level"):
            level = random_level(self.drawn(position), self.M)
        return checked_level(level)

    def insert(self, vector: np.ndarray, id: str) -> None:
        """Add one vector of length 1, float32, under a new id. Algorithm 1."""
        vector, before = locked(vector), self._compared
        level, chosen, lists = self.level_of(len(self.levels)), {}, {}
        if self.entry_point is not None:
            top = self.levels[self.entry_point]
            start = self.descend(vector, top, level)  # lines 5 to 7
            for layer in range(min(top, level), -1, -1):
                found = self.nearest(vector, start, self.ef_construction, layer)  # line 9
                chosen[layer] = self.choose(found, self.M)  # line 10
                lists[layer] = self.shrunk(vector, chosen[layer], layer)  # lines 11 to 16
                start = [position for _, position in found]  # line 17
        self.commit(vector, id, level, chosen, lists)
        self.built_distances += self._compared - before

    def shrunk(self, vector: np.ndarray, chosen: list[int], layer: int) -> dict[int, list[int]]:
        """Return the new list of each chosen neighbor: with the new node in it, cut back where that is too many."""
        new, links, lists = len(self.levels), self._links[layer], {}
        self._make_room(new + 1)
        self._space[new] = vector  # beyond the n rows that count, until `commit`
        for neighbor in chosen:
            linked = links[neighbor] + [new]
            if len(linked) > links.width:
                linked = self.choose(self.distances_from(neighbor, linked), links.width)
            lists[neighbor] = linked
        return lists

    def commit(self, vector: np.ndarray, id: str, level: int, chosen: dict, lists: dict) -> None:
        """Write down what was decided for a new vector: until here, nothing has changed."""
        new, changes = len(self.levels), []
        self._make_room(new + 1)
        self._space[new] = vector
        for layer in range(level + 1):
            changed = {new: chosen.get(layer, []), **lists.get(layer, {})}
            changes.append((np.array(list(changed)), filled_up(list(changed.values()), self.width(layer))))
        self._write([id], [level], changes)

    def _write(self, ids: list[str], levels: list[int], changes: list) -> None:
        """Take in vectors that stand in the array from row n; `changes` are, for each layer, what `put_all` takes.

        Broken off anywhere, as by Ctrl-C, it leaves what was there before.
        """
        n, height, entry_point = len(self.levels), len(self._links), self.entry_point
        kept = [links.kept(positions[positions < n])
                for links, (positions, _) in zip(self._links, changes, strict=False)]
        try:
            for layer, (positions, neighbors) in enumerate(changes):
                if layer == len(self._links):
                    self._links.append(Links(self.width(layer)))
                self._links[layer].put_all(positions, neighbors)
            if entry_point is None or max(levels) > self.levels[entry_point]:  # Algorithm 1, lines 18 and 19
                self.entry_point = n + levels.index(max(levels))
            self.levels += levels
            self._ids += ids
            self._live[n : len(self.levels)] = True
            self.position.update(zip(ids, range(n, len(self.levels)), strict=True))
        except BaseException:
            for links, rows in zip(self._links, kept, strict=False):
                links.put_back(n, *rows)
            del self._links[height:], self.levels[n:], self._ids[n:]
            self._live[n:], self.entry_point = False, entry_point
            for id in ids:
                self.position.pop(id, None)
            raise

    def _make_room(self, n: int) -> None:
        """Let the arrays hold at least n vectors; they grow by doubling."""
        if n > len(self._space):
            longer = max(n, 2 * len(self._space))
            space, live = np.zeros((longer, self.dim), dtype=np.float32), np.zeros(longer, dtype=bool)
            space[: len(self._space)], live[: len(self._live)] = self._space, self._live
            self._space, self._live = space, live

    def descend(self, query: np.ndarray, top: int, bottom: int) -> list[int]:
        """Return where the walk goes on below: the nearest node of each layer from top to bottom + 1. Algorithm 5, 4-6.
        """
        start = [self.entry_point]
        for layer in range(top, bottom, -1):
            start = [self.nearest(query, start, 1, layer)[0][1]]
        return start

    def neighbors(self, position: int, layer: int) -> list[int]:
        """Return the neighbors of a position on a layer."""
        return self._links[layer][position]

    def width(self, layer: int) -> int:
        """Return how many neighbors a node may have on a layer: 2M on layer 0, M above (Mmax0 and Mmax)."""
        return self.M if layer else 2 * self.M

    def replaced(self, name: str) -> bool:
        """Say whether a function of this module is not the course's own now."""
        return globals()[name] is not OWN[name]

    def nearest(self, query, start: list[int], ef: int, layer: int, allowed=None, opened: list | None = None):
        """Return what `search_layer` finds on a layer; only allowed ones, if `allowed` is a bool array by position.

        To `opened` is added whose neighbors a replaced function asked for.
        """
        links = self._links[layer]
        if not self.replaced("search_layer"):
            found, compared = walk(query, start, ef, self.vectors, links, allowed)
            self._compared += compared
            return found
        wanted = ef
        while True:  # a learner's function knows nothing of what is allowed: it is asked for more until these are ef
            watched = Watched(links, start)
            with named("hnsw.search_layer"):
                found = search_layer(query, list(start), wanted, self.vectors, watched)
            found = checked_pairs(found, links)
            self._compared += len(watched.seen)
            if opened is not None:
                opened[:] = watched.opened
            kept = [pair for pair in found if allowed is None or allowed[pair[1]]]
            if allowed is None or len(kept) >= ef or len(found) < wanted:
                return kept[:ef]
            wanted *= 2

    def choose(self, candidates: list[tuple[float, int]], M: int) -> list[int]:
        """Return the neighbors that this index's way of choosing takes from [(distance, position), ...]."""
        name = SELECT[self.select]
        if self.select == "heuristic" and not self.replaced(name):
            return choose(candidates, M, self._space)
        with named(f"hnsw.{name}"):
            if self.select == "simple":
                chosen = select_neighbors_simple(list(candidates), M)
            else:
                chosen = select_neighbors(list(candidates), M, locked(self._space))
        return checked_choice(chosen, candidates, M, name)

    def distances_from(self, position: int, others: list[int]) -> list[tuple[float, int]]:
        """Return [(distance, other), ...] of one position to others."""
        near = np.maximum(1.0 - dots(self._space[others], self._space[position]).astype(np.float64), 0.0)
        return list(zip(near.tolist(), others, strict=True))

    def search(self, q, k: int = 10, ef: int = 64, allowed=None) -> list[tuple[str, float]]:
        """Return the k most similar vectors that are found, [(id, cosine), ...], the most similar first. Algorithm 5.

        `ef`, how many nodes the walk on layer 0 keeps, counts as k where it is less. `allowed` is None or a bool array
        by position: all others are walked through and not returned, as are deleted ones. Where the links lead to fewer
        than k, the rest is compared one by one; so k beyond n gives n. A query of zeros is 0 similar to all. Equal
        similarities are ordered by id. Raises ValueError for a query that is not dim finite numbers, and unless k and
        ef are whole numbers from 1.
        """
        query, k, ef, allowed = self.asked(q, k, ef, allowed)
        before, self.distances = self._compared, 0
        possible = len(self) if allowed is None else int(np.count_nonzero(allowed))
        if not possible:
            return []
        if not query.any():
            found = [(1.0, p) for p in self.position.values() if allowed is None or allowed[p]]
            return self.answer(found, k)
        start = self.descend(query, self.levels[self.entry_point], 0)
        found = self.nearest(query, start, ef, 0, allowed)
        if len(found) < min(k, possible):
            found = self.with_islands(query, found, allowed)
        self.distances = self._compared - before
        return self.answer(found, k)

    def asked(self, q, k, ef, allowed=None):
        """Return the query at length 1, float32, and k, ef >= k, and who may be found; ValueError for what is wrong."""
        k, ef, q = as_k(k), whole("ef", ef, 1, "it is how many nodes a search keeps"), as_vector(q)
        if len(q) != self.dim:
            raise ValueError(f"The query is {len(q)} numbers wide and this index {self.dim}; use one encoder for both.")
        n = len(self.levels)
        if allowed is not None:
            try:
                allowed = np.asarray(allowed)
            except ValueError:  # lists of unequal length
                allowed = np.empty(0)
            if allowed.dtype != bool or allowed.shape != (n,):
                raise ValueError(f"allowed is a bool array with one value for each position, ({n},); this is "
                                 f"{allowed.dtype} {allowed.shape}.")
        if len(self) < n:
            allowed = self._live[:n] if allowed is None else allowed & self._live[:n]
        return locked(unit(q).astype(np.float32)), k, max(k, ef), allowed

    def with_islands(self, query, found: list[tuple[float, int]], allowed) -> list[tuple[float, int]]:
        """Return what was found and, compared one by one, all else that may be: no link led there."""
        rest = np.setdiff1d(np.arange(len(self.levels)) if allowed is None else np.flatnonzero(allowed),
                            [position for _, position in found])
        self._compared += len(rest)
        near = np.maximum(1.0 - dots(self.vectors[rest], query).astype(np.float64), 0.0)
        return sorted(found + list(zip(near.tolist(), rest.tolist(), strict=True)))

    def answer(self, found: list[tuple[float, int]], k: int) -> list[tuple[str, float]]:
        """Return the k best of [(distance, position), ...] as [(id, cosine), ...]."""
        last = sorted(distance for distance, _ in found)[:k][-1:]  # ids are looked up for those that may be among them
        best = sorted((distance, self._ids[position]) for distance, position in found if distance <= last[0])[:k]
        return [(id, max(-1.0, 1.0 - distance)) for distance, id in best]


def locked(array: np.ndarray) -> np.ndarray:
    """Return a view of an array that can't be written to: a learner's function is handed nothing it could spoil."""
    view = array[:]
    view.flags.writeable = False
    return view


def whole(name: str, value, least: int, what: str, most: int | None = None) -> int:
    """Return a whole number within bounds; ValueError with its name otherwise."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not least <= value <= (most or value):
        bounds = f"{least} to {most:,}" if most else f"{least} or more"
        raise ValueError(f"{name} is {value!r}; {what}, a whole number, {bounds}.")
    return int(value)
