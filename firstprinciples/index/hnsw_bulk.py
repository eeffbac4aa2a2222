"""Many vectors added to an HNSW graph at once: the same graph in kind, made by large matrix products.

Algorithm 1 walks the graph for each new node to find ef_construction candidates. When thousands come together, there
is a quicker way: one product compares a block of new vectors with all that came before them, and its largest numbers
are the very candidates that the walk is looking for. So, on each layer,

1. `nearest_earlier`: the ef_construction nearest of each new node among the nodes before it;
2. `choose_many`: M of these by Algorithm 4, for many new nodes together (or the nearest M, by Algorithm 3);
3. `joined`: both ways; whoever has more neighbors than it may have chooses anew among all it ever got.

In step 3 a node chooses once, where Algorithm 1 lets it choose after each new neighbor that is too many. There a list
fills up again after each choice; here the nearest of those it refused stay until it is three quarters full, without
which such a graph is thinner and finds a little less. Products grow with the square of n, and walks do not: for the
tenth million this would be the wrong way.
"""

import numpy as np

from firstprinciples.index.hnsw_fast import reach

CELLS = 4_000_000  # similarities that are computed at a time: 16 MB
CHUNK = 24  # candidates of a node that are compared with one another at a time
TOGETHER = 256  # nodes that choose at a time
FILLED = 0.75  # of the room for neighbors, after a list was cut back
PAIRS = 4096  # pairs that are compared once more at a time


def bulk_lists(vectors, levels: list[int], first: int, links: list, M: int, ef: int, simple: bool, progress):
    """Return (for each layer {position: its new neighbors} as two arrays, how many pairs were compared).

    `vectors` are all, (n, dim), the new ones from position `first`; `levels` theirs, by position; `links` the layers
    there are. The two arrays are positions, (m,), and their neighbors, (m, width), filled up with -1.
    """
    levels, lists, compared = np.asarray(levels), [], 0
    for layer in range(int(levels.max()), -1, -1):
        members = np.flatnonzero(levels >= layer)
        width = M if layer else 2 * M
        old = links[layer] if layer < len(links) else None
        edges = [(np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp), np.zeros(0))]
        for new, positions, distances in nearest_earlier(vectors, members, first, ef):
            if simple:
                kept = np.isfinite(distances)
                kept[:, M:] = False
            else:
                kept = choose_many(vectors, new, positions, distances, M)
            compared += len(new) * int(np.searchsorted(members, new[-1]))
            row, column = np.nonzero(kept)
            edges.append((new[row], positions[row, column], distances[row, column]))
            if layer == 0:
                progress(int(new[-1]) - first, len(levels) - first)
        lists.append(joined(vectors, members[members >= first], edges, old, width, simple))
    return lists[::-1], compared


def nearest_earlier(vectors, members: np.ndarray, first: int, ef: int):
    """Yield (new nodes, (b, w) positions, (b, w) distances): the ef nearest of each among the members before it.

    `members` are positions, ascending; those from `first` are new. Rows are the nearest first and filled up with -1 and
    infinity.
    """
    n, start = len(members), int(np.searchsorted(members, first))
    every = n == len(vectors)
    while start < n:
        end = min(n, start + max(1, min(512, CELLS // n)))
        before = vectors[:end] if every else vectors[members[:end]]
        similar = before[start:end] @ before.T
        for place in range(start, end):
            similar[place - start, place:] = -np.inf
        floor = lower_bounds(similar, ef)
        positions = np.full((end - start, min(ef, end)), -1, dtype=np.intp)
        distances = np.full(positions.shape, np.inf)
        for i, row in enumerate(similar):
            found = np.flatnonzero(row >= floor[i])
            values = row.take(found)
            order = np.argsort(-values, kind="stable")[:ef]
            positions[i, : len(order)] = found[order]
            distances[i, : len(order)] = np.maximum(1.0 - values[order].astype(np.float64), 0.0)
        there = positions >= 0
        positions[there] = members[positions[there]]
        yield members[start:end], positions, distances
        start = end


def lower_bounds(similar: np.ndarray, ef: int) -> np.ndarray:
    """Return for each row a number that its ef largest are not below, and few others are above; -1e9 for short rows.

    The columns are dealt out to about 4 ef groups. The ef-th largest of the groups' largest numbers will do: ef numbers
    are at least that large, one from each of ef groups.

    >>> lower_bounds(np.array([[0.1, 0.9, 0.2, 0.4, 0.8, 0.3, 0.7, 0.5]], dtype=np.float32), ef=1)
    array([0.9], dtype=float32)
    """
    rows, columns = similar.shape
    size = columns // (4 * ef)
    if size < 2:
        return np.full(rows, -1e9)
    groups = columns // size
    largest = similar[:, : groups * size].reshape(rows, size, groups).max(axis=1)
    return np.maximum(np.partition(largest, groups - ef, axis=1)[:, groups - ef], -1e9)


def choose_many(vectors, new, positions: np.ndarray, distances: np.ndarray, M: int) -> np.ndarray:
    """Return which candidates each new node keeps, (b, w) bool; Algorithm 4 for many nodes together.

    `new` are b positions; their candidates' positions and distances are (b, w), the nearest first, filled up with -1
    and infinity. Where a matrix product is too close to call, the pair is compared again.
    """
    kept = np.zeros(positions.shape, dtype=bool)
    for start in range(0, len(new), TOGETHER):
        part = slice(start, start + TOGETHER)
        _choose(vectors, new[part], positions[part], distances[part], M, kept[part])
    return kept


def _choose(vectors, new, positions, distances, M: int, kept) -> None:
    """Fill in `kept` for one lot of nodes, a chunk of candidates after the other, until each has M."""
    count, judges = np.zeros(len(new), dtype=int), np.full((len(new), M), -1, dtype=np.intp)
    margin = 2 * reach(vectors.shape[1])
    for start in range(0, positions.shape[1], CHUNK):
        going = np.flatnonzero((count < M) & (positions[:, start] >= 0))
        if not len(going):
            return
        others, limits = positions[going, start : start + CHUNK], distances[going, start : start + CHUNK]
        # Those kept from earlier chunks judge first, then the chunk's own, in the order of distance; -1 is no judge. A
        # gap is 0 or less where a candidate is no nearer to the new node than to the judge.
        judge, out = judges[going, : max(1, int(count[going].max()))], others < 0
        rows = vectors.take(np.concatenate([judge, others], axis=1), axis=0, mode="wrap")
        before = judge.shape[1]
        gaps = (1.0 - limits).astype(np.float32)[:, None, :] - rows @ rows[:, before:].transpose(0, 2, 1)
        earlier, gaps = gaps[:, :before], gaps[:, before:]
        earlier[judge < 0] = 9.0
        refused = earlier <= 0
        i, j, c = np.nonzero((np.abs(earlier) <= margin) & ~out[:, None, :])
        refused[i, j, c] = no_nearer(vectors, new[going[i]], judge[i, j], others[i, c])
        out |= refused.any(axis=1)
        for c in range(others.shape[1]):
            who = np.flatnonzero(~out[:, c] & (count[going] < M))
            if not len(who):
                continue
            nodes = going[who]
            kept[nodes, start + c] = True
            judges[nodes, count[nodes]] = others[who, c]
            count[nodes] += 1
            if c + 1 == others.shape[1]:
                break
            gap = gaps[who, c, c + 1 :]
            refused, unsure = gap <= 0, np.abs(gap) <= margin
            if unsure.any():
                i, j = np.nonzero(unsure & ~out[who, c + 1 :])
                refused[i, j] = no_nearer(vectors, new[going[who[i]]], others[who[i], c], others[who[i], j + c + 1])
            out[who, c + 1 :] |= refused


def no_nearer(vectors, new, judge, other) -> np.ndarray:
    """Say for each three positions whether `other` is no nearer to `new` than to `judge`, as `dots` would."""
    answer = np.zeros(len(new), dtype=bool)
    for start in range(0, len(new), PAIRS):
        part = slice(start, start + PAIRS)
        rows = vectors[other[part]]
        to_new = np.einsum("ij,ij->i", rows, vectors[new[part]])
        answer[part] = np.minimum(to_new, 1) <= np.minimum(np.einsum("ij,ij->i", rows, vectors[judge[part]]), 1)
    return answer


def joined(vectors, new: np.ndarray, edges: list, old, width: int, simple: bool):
    """Return (positions, (m, width) neighbors): the lists of the new nodes and of all they are linked to."""
    source, target, distance = (np.concatenate(column) for column in zip(*edges, strict=True))
    owner, other = np.concatenate([source, target]), np.concatenate([target, source])
    distance = np.concatenate([distance, distance])
    touched = np.setdiff1d(target, new)
    if len(touched):
        row, column = np.nonzero(old.table[old.place[touched]] >= 0)
        had = old.table[old.place[touched[row]], column].astype(np.intp)
        far = [np.einsum("ij,ij->i", vectors[touched[row[i : i + PAIRS]]], vectors[had[i : i + PAIRS]])
               for i in range(0, len(row), PAIRS)]
        far = np.maximum(1.0 - np.concatenate([*far, np.zeros(0)]).astype(np.float64), 0.0)
        owner, other = np.concatenate([owner, touched[row]]), np.concatenate([other, had])
        distance = np.concatenate([distance, far])
    order = np.lexsort([other, distance, owner])
    owner, other, distance = owner[order], other[order], distance[order]
    owners = np.union1d(new, touched)
    begin, end = np.searchsorted(owner, owners), np.searchsorted(owner, owners, side="right")
    lists = np.full((len(owners), width), -1, dtype=np.int32)
    by_length = np.argsort(end - begin, kind="stable")
    for start in range(0, len(owners), TOGETHER):  # lists of about one length together: little is filled up
        part = by_length[start : start + TOGETHER]
        longest = int((end[part] - begin[part]).max())
        place = begin[part][:, None] + np.arange(longest)
        there = place < end[part][:, None]
        place[~there] = 0
        positions = np.where(there, other[place], -1) if longest else np.zeros((len(part), 0), dtype=np.intp)
        if longest > width:
            distances = np.where(there, distance[place], np.inf)
            if not simple:
                kept = choose_many(vectors, owners[part], positions, distances, width)
                kept |= there & (end[part] - begin[part] <= width)[:, None]  # who has no more than it may have
                order = np.argsort(~kept, axis=1, kind="stable")  # those kept, then the refused, the nearest first
                positions = np.take_along_axis(positions, order, axis=1)
                stay = np.maximum(kept.sum(axis=1), int(FILLED * width))
                positions[np.arange(longest) >= stay[:, None]] = -1
        lists[part, : min(width, longest)] = positions[:, :width]
    return owners, lists
