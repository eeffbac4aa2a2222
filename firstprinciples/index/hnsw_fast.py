"""What `hnsw` runs on: the neighbor lists in arrays, and its two functions again, a hop or a list at a time.

The plain forms in `hnsw` take one neighbor after another. Python needs longer to turn to the next one than NumPy to
compare it. So `walk` compares all neighbors of a node that it has not seen in one product, and `choose` compares all
candidates with one another in one. Both give what the plain forms give, to the last digit: `dots` gives equal rows
equal numbers, and where a matrix product, which does not, is too close to call, the pair is compared again with `dots`.
"""

from collections.abc import Mapping
from heapq import heapify, heappop, heappush, heapreplace

import numpy as np

from firstprinciples.index.cosine import dots

CHUNK = 32  # candidates that are compared with one another at a time


class Links(Mapping):
    """The neighbor lists of one layer, {position: [position, ...]}, in one array of whole numbers, filled up with -1.

    `width` is the most neighbors a node may have here. `place` says which row of `table` belongs to a position; -1
    where a position is not on this layer.

    >>> links = Links(width=3)
    >>> links.put(4, [7, 2])
    >>> links[4], list(links), 7 in links, links.row(4).tolist()
    ([7, 2], [4], False, [7, 2, -1])
    """

    def __init__(self, width: int):
        self.width, self.used = width, 0
        self.table = np.full((0, width), -1, dtype=np.int32)
        self.place = np.full(0, -1, dtype=np.int32)

    def __getitem__(self, position: int) -> list[int]:
        if position not in self:
            raise KeyError(position)
        row = self.row(position)
        return row[row >= 0].tolist()

    def __contains__(self, position) -> bool:
        return isinstance(position, (int, np.integer)) and 0 <= position < len(self.place) and self.place[position] >= 0

    def __iter__(self):
        return iter(self.members().tolist())

    def __len__(self) -> int:
        return self.used

    def members(self) -> np.ndarray:
        """Return the positions that are on this layer, ascending."""
        return np.flatnonzero(self.place >= 0)

    def row(self, position: int) -> np.ndarray:
        """Return the neighbors of a position with the -1 that fill them up, (width,)."""
        return self.table[self.place[position]]

    def rows(self) -> np.ndarray:
        """Return the neighbors of all members, (members, width), in the order of `members`."""
        return self.table[self.place[self.members()]]

    def make_room(self, positions) -> None:
        """Give each position a row, if it has none yet; the arrays grow by doubling."""
        positions = np.asarray(positions)
        if not len(positions):
            return
        if positions.max() >= len(self.place):
            self.place = _longer(self.place, int(positions.max()) + 1)
        new = positions[self.place[positions] < 0]
        if self.used + len(new) > len(self.table):
            self.table = _longer(self.table, self.used + len(new))
        self.place[new] = np.arange(self.used, self.used + len(new))
        self.used += len(new)

    def put(self, position: int, neighbors: list[int]) -> None:
        """Set the neighbors of a position, which need not have been here."""
        if position not in self:
            self.make_room([position])
        self.row(position)[:] = filled_up([neighbors], self.width)[0]

    def put_all(self, positions: np.ndarray, neighbors: np.ndarray) -> None:
        """Set the neighbors of many positions, (m, width), filled up with -1."""
        self.make_room(positions)
        self.table[self.place[positions]] = neighbors

    def kept(self, positions: np.ndarray) -> tuple:
        """Return what `put_back` needs, before the neighbors of these positions, which are here, are set."""
        return self.used, positions, self.table[self.place[positions]]

    def put_back(self, n: int, used: int, positions: np.ndarray, neighbors: np.ndarray) -> None:
        """Set all back to what it was at `kept`, when no position from n on was here."""
        self.place[n:], self.used = -1, used
        self.table[self.place[positions]] = neighbors

    @property
    def nbytes(self) -> int:
        """The bytes of what is in use."""
        return self.table[: self.used].nbytes + self.place.nbytes


def filled_up(lists: list[list[int]], width: int) -> np.ndarray:
    """Return lists of neighbors as one array, (m, width), filled up with -1.

    >>> filled_up([[7, 2], []], width=3).tolist()
    [[7, 2, -1], [-1, -1, -1]]
    """
    table = np.full((len(lists), width), -1, dtype=np.int32)
    for row, neighbors in zip(table, lists, strict=True):
        row[: len(neighbors)] = neighbors
    return table


def _longer(array: np.ndarray, least: int) -> np.ndarray:
    """Return an array with room for at least so many rows, the new ones -1."""
    longer = np.full((max(least, 2 * len(array)), *array.shape[1:]), -1, dtype=array.dtype)
    longer[: len(array)] = array
    return longer


def reach(dim: int) -> float:
    """Return how far two float32 sums over the same `dim` products can be apart, for vectors of length 1."""
    return 2 * (dim + 2) * float(np.finfo(np.float32).eps)


def walk(query, entry_points, ef: int, vectors, links: Links, allowed=None):
    """Return (what `hnsw.search_layer` returns, how many vectors were compared); Algorithm 2, a hop at a time.

    With `allowed`, a bool array by position, the walk leads through all nodes and finds only allowed ones: a node that
    is not allowed becomes a candidate and never a result, so the walk goes on until ef allowed ones are found, or all.
    """
    start = np.array(sorted(set(entry_points)), dtype=np.intp)
    unseen = np.ones(len(vectors) + 1, dtype=bool)
    unseen[-1] = False  # this is where the -1 that fill up a row point to
    unseen[start] = False
    similar = dots(vectors[start], query).tolist()
    candidates = sorted(zip([1.0 - s if s < 1.0 else 0.0 for s in similar], start.tolist(), strict=True))  # a heap
    results = [(-d, -p) for d, p in candidates if allowed is None or allowed[p]][:ef]  # a heap, the furthest on top
    heapify(results)
    full = len(results) == ef
    furthest = -results[0][0] if full else np.inf
    compared, margin = len(start), reach(vectors.shape[1])
    table, row_of, rows_of = links.table, links.place.item, vectors.take
    while candidates:
        distance, position = heappop(candidates)
        if distance > furthest:
            break
        row = table[row_of(position)].astype(np.intp)
        fresh = row[unseen[row]]
        if not len(fresh):
            continue
        unseen[fresh] = False
        compared += len(fresh)
        rows = rows_of(fresh, 0)
        # a matrix product sees whether all are clearly too far, as most are; its last digits are not to be had
        if full and max(rows.dot(query).tolist()) <= 1.0 - furthest - margin:
            continue
        for s, p in zip(dots(rows, query).tolist(), fresh.tolist(), strict=True):
            distance = 1.0 - s if s < 1.0 else 0.0
            if distance < furthest:
                heappush(candidates, (distance, p))
                if allowed is not None and not allowed[p]:
                    continue
                if full:
                    heapreplace(results, (-distance, -p))
                else:
                    heappush(results, (-distance, -p))
                    full = len(results) == ef
                if full:
                    furthest = -results[0][0]
    return sorted((-d, -p) for d, p in results), compared


def choose(candidates, M: int, vectors) -> list[int]:
    """Return what `hnsw.select_neighbors` returns; Algorithm 4, a few candidates compared with one another at a time.

    One matrix product tells which kept candidate would refuse which other; the answers for one candidate are the bits
    of one number, so that "refused by any kept so far" is an "or" of numbers.
    """
    candidates, kept = sorted(candidates), []
    margin = reach(vectors.shape[1])
    for start in range(0, len(candidates), CHUNK):
        chunk = candidates[start : start + CHUNK]
        limits, positions = np.array([d for d, _ in chunk]), [p for _, p in chunk]
        rows = vectors[positions]
        judges = np.concatenate([vectors[kept], rows]) if kept else rows
        gaps = (1.0 - limits) - judges @ rows.T  # [i, j]: how much nearer j is to the new point than to i; or not: <= 0
        refuses, unsure = bits(gaps <= 0), bits(np.abs(gaps) <= margin)
        out, before = 0, len(kept)
        for i in range(len(judges)):
            j = i - before
            if j >= 0:
                if out >> j & 1:
                    continue
                kept.append(positions[j])
                if len(kept) == M:
                    return kept
            verdict, again = refuses[i], unsure[i] & ~out & ~((2 << j) - 1 if j >= 0 else 0)
            while again:
                other = again.bit_length() - 1
                again ^= 1 << other
                apart = 1.0 - float(dots(rows[other : other + 1], judges[i])[0])
                verdict = verdict & ~(1 << other) | (max(0.0, apart) <= chunk[other][0]) << other
            out |= verdict
    return kept


def bits(table: np.ndarray) -> list[int]:
    """Return each row of a bool table as one number: its bit j is the row's element j.

    >>> bits(np.array([[True, False, True], [False, False, False]]))
    [5, 0]
    """
    packed = np.packbits(table, axis=1, bitorder="little")
    width, joined = packed.shape[1], packed.tobytes()
    return [int.from_bytes(joined[i * width : (i + 1) * width], "little") for i in range(len(table))]
