"""Common mistakes in the tasks ivf.*, each with the sentence that a learner reads."""

import numpy as np

from firstprinciples.index.ivf import assign, kmeans, nearest_cells, search_cells, update


def _dots(vectors, centroids):
    """Return the dot products, (n, cells); ValueError where there is no centroid."""
    if not len(centroids):
        raise ValueError("no centroid")
    return np.asarray(vectors, dtype=float).reshape(-1, len(centroids[0])) @ np.asarray(centroids, dtype=float).T


def assign__farthest(vectors, centroids):
    """That takes the centroid with the smallest dot product, the farthest; the largest is the nearest."""
    return np.argmin(_dots(vectors, centroids), axis=1).tolist()


def assign__last_of_equals(vectors, centroids):
    """That takes the last of equally near centroids; the one with the lower number counts."""
    return (len(centroids) - 1 - np.argmax(_dots(vectors, centroids)[:, ::-1], axis=1)).tolist()


def assign__without_the_sign(vectors, centroids):
    """That compares the sizes of the dot products without their signs; -1 is the opposite direction, not a near one."""
    return np.argmax(np.abs(_dots(vectors, centroids)), axis=1).tolist()


def assign__the_other_axis(vectors, centroids):
    """That finds the nearest vector of each centroid; the nearest centroid of each vector is asked for: the other
    axis."""
    near = _dots(vectors, centroids)
    return np.argmax(near, axis=0).tolist() if len(near) else []


def assign__dot_products(vectors, centroids):
    """That gives the largest dot products; the numbers of the centroids are asked for: `argmax`, not `max`."""
    return np.max(_dots(vectors, centroids), axis=1).tolist()


def assign__all_dot_products(vectors, centroids):
    """That gives the dot products with all centroids; the number of the nearest one is asked for."""
    return _dots(vectors, centroids).tolist()


def assign__from_one(vectors, centroids):
    """That counts cells from 1; they count from 0."""
    return [cell + 1 for cell in assign(vectors, centroids)]


def assign__lists(vectors, centroids):
    """That gives a list of positions for each cell; the number of the cell for each vector is asked for."""
    labels = assign(vectors, centroids)
    return [[p for p, label in enumerate(labels) if label == cell] for cell in range(len(centroids))]


def assign__sizes(vectors, centroids):
    """That counts how many vectors each cell has; the number of the cell for each vector is asked for."""
    labels = assign(vectors, centroids)
    return [labels.count(cell) for cell in range(len(centroids))]


def assign__marks(vectors, centroids):
    """That marks the nearest with a 1 among zeros; its number is asked for."""
    return [[int(cell == label) for cell in range(len(centroids))] for label in assign(vectors, centroids)]


def assign__zeros_in_none(vectors, centroids):
    """That gives a row of zeros the cell -1; it is as near to all, so it is in cell 0: every vector stands in one."""
    return [label if np.any(v) else -1 for v, label in zip(vectors, assign(vectors, centroids), strict=True)]


def assign__zeros_left_out(vectors, centroids):
    """That leaves a row of zeros out; it is in cell 0, and every vector has a label."""
    return [label for v, label in zip(vectors, assign(vectors, centroids), strict=True) if np.any(v)]


def assign__only_differing(vectors, centroids):
    """That starts its search for the largest at 0, so where all dot products are below, none is found; start at the
    first."""
    best = [(0, 0.0)] * len(vectors)
    for cell, column in enumerate(_dots(vectors, centroids).T):
        best = [(cell, d) if d > b[1] else b for b, d in zip(best, column, strict=True)]
    return [cell for cell, _ in best]


def assign__largest_numbers(vectors, centroids):
    """That looks for the largest number in each vector; compare the vector with the centroids."""
    _dots(vectors, centroids)
    return [int(np.argmax(v)) for v in vectors]


def assign__no_vectors_raise(vectors, centroids):
    """That stumbles over an empty list of vectors; return [] for it."""
    if not len(vectors):
        raise ValueError("matmul: mismatch in its core dimension")
    return assign(vectors, centroids)


def assign__no_centroid(vectors, centroids):
    """That gives cells where there are no centroids; refuse that with ValueError."""
    return assign(vectors, centroids) if len(centroids) else [0] * len(vectors)


def _moved(vectors, labels, centroids, middle, empty=lambda old: old):
    """Return for each cell what `middle` makes of its vectors, or `empty` of its old centroid where it has none."""
    if len(vectors) != len(labels):
        raise ValueError("one label for each vector")
    vectors, centroids, labels = np.asarray(vectors, float), np.asarray(centroids, float), np.asarray(labels)
    cells = [vectors[labels == cell] for cell in range(len(centroids))]
    return np.array([middle(own, old) if len(own) else empty(old)
                     for own, old in zip(cells, centroids, strict=True)])


def _unit(total, old):
    """Return a sum of vectors at length 1; the old centroid where it is 0."""
    length = np.sqrt(np.sum(total**2))
    return total / length if length > 1e-9 else old


def _middle(own, old):
    return _unit(np.sum(own, axis=0), old)


def _normalized_even_if_zero(own, _):
    total = np.sum(own, axis=0)
    with np.errstate(all="ignore"):
        return total / np.linalg.norm(total)


def update__mean(vectors, labels, centroids):
    """That is the mean as it is; bring it to length 1, since dot products compare vectors of length 1 only."""
    return _moved(vectors, labels, centroids, lambda own, _: np.mean(own, axis=0))


def update__mean_unless_zero(vectors, labels, centroids):
    """That is the mean as it is, except where that is 0; bring it to length 1."""
    return _moved(vectors, labels, centroids,
                  lambda own, old: np.mean(own, axis=0) if np.abs(np.sum(own, axis=0)).max() > 1e-9 else old)


def update__sum(vectors, labels, centroids):
    """That is the sum as it is; bring it to length 1."""
    return _moved(vectors, labels, centroids, lambda own, _: np.sum(own, axis=0))


def update__sum_of_sizes(vectors, labels, centroids):
    """That divides by the sum of the numbers' sizes; the length is the root of the sum of their squares."""
    def middle(own, old):
        total = np.sum(own, axis=0)
        return total / np.sum(np.abs(total)) if np.abs(total).max() > 1e-9 else old

    return _moved(vectors, labels, centroids, middle)


def update__squared_length(vectors, labels, centroids):
    """That divides by the squared length; take the root of the sum of squares."""
    def middle(own, old):
        total = np.mean(own, axis=0)
        return total / np.sum(total**2) if np.abs(total).max() > 1e-9 else old

    return _moved(vectors, labels, centroids, middle)


def update__whole_numbers(vectors, labels, centroids):
    """That puts the new centroids into an array of whole numbers, which cuts off what is behind the point; make floats
    of the centroids first."""
    return update(vectors, labels, centroids).astype(np.asarray(centroids).dtype)


def update__empty_is_zero(vectors, labels, centroids):
    """That makes zeros of the centroid of an empty cell; it keeps the one it had, or nothing would find it again."""
    return _moved(vectors, labels, centroids, _middle, empty=np.zeros_like)


def update__empty_is_nan(vectors, labels, centroids):
    """That divides by 0 for an empty cell, and its centroid becomes nan; it keeps the one it had."""
    return _moved(vectors, labels, centroids, _normalized_even_if_zero, empty=lambda old: np.full_like(old, np.nan))


def update__empty_is_dropped(vectors, labels, centroids):
    """That leaves an empty cell out, and so gives the cells behind it other numbers; it keeps its place and its
    centroid."""
    found = _moved(vectors, labels, centroids, _middle)
    return np.array([row for cell, row in enumerate(found) if cell in np.asarray(labels)])


def update__last_cells_dropped(vectors, labels, centroids):
    """That counts the cells by the highest label; as many as there are centroids come back, empty ones too."""
    return _moved(vectors, labels, centroids, _middle)[: max(np.asarray(labels).tolist(), default=-1) + 1]


def update__empty_takes_a_vector(vectors, labels, centroids):
    """That moves the centroid of an empty cell to the first vector; it stays where it was."""
    return _moved(vectors, labels, centroids, _middle, empty=lambda _: np.asarray(vectors[0], float))


def update__empty_refused(vectors, labels, centroids):
    """That stops at an empty cell; it keeps the centroid it had."""
    if set(range(len(centroids))) - set(np.asarray(labels).tolist()):
        raise ZeroDivisionError("division by zero")
    return update(vectors, labels, centroids)


def update__cancelled_is_zero(vectors, labels, centroids):
    """That makes zeros of a centroid whose vectors cancel out; it has no direction, so keep the centroid."""
    return _moved(vectors, labels, centroids, lambda own, _: _unit(np.sum(own, axis=0), np.zeros(own.shape[1])))


def update__cancelled_is_nan(vectors, labels, centroids):
    """That divides a sum of 0 by its length, 0; where the vectors of a cell cancel out, keep its centroid."""
    return _moved(vectors, labels, centroids, _normalized_even_if_zero)


def update__with_the_old(vectors, labels, centroids):
    """That takes the old centroid into the mean; only the vectors of the cell count."""
    return _moved(vectors, labels, centroids, lambda own, old: _unit(np.sum(own, axis=0) + old, old))


def update__half_way(vectors, labels, centroids):
    """That moves each centroid half of the way; it goes to the mean at once."""
    return _moved(vectors, labels, centroids, lambda own, old: _unit(_middle(own, old) + old, old))


def update__one_for_all(vectors, labels, centroids):
    """That takes the mean of all vectors for every cell; each cell has the mean of its own."""
    whole = np.sum(np.asarray(vectors, float), axis=0)
    return _moved(vectors, labels, centroids, lambda _, old: _unit(whole, old))


def update__first_vector(vectors, labels, centroids):
    """That moves each centroid to the first vector of its cell; it goes to the mean of all of them."""
    return _moved(vectors, labels, centroids, lambda own, old: own[0] if own[0].any() else old)


def update__median(vectors, labels, centroids):
    """That takes the median of each number; the mean is asked for."""
    return _moved(vectors, labels, centroids, lambda own, old: _unit(np.median(own, axis=0), old))


def update__not_at_all(vectors, labels, centroids):
    """That gives the centroids back as they were; each moves to the mean of its cell."""
    _moved(vectors, labels, centroids, _middle)
    return np.array(centroids, dtype=float)


def update__labels_from_one(vectors, labels, centroids):
    """That takes the labels to count from 1; they count from 0."""
    return _moved(vectors, np.asarray(labels) - 1, centroids, _middle)


def update__columns(vectors, labels, centroids):
    """That brings the columns to length 1; each centroid, a row, has to have it."""
    found = _moved(vectors, labels, centroids, lambda own, _: np.mean(own, axis=0))
    lengths = np.sqrt(np.sum(found**2, axis=0))
    return found / np.where(lengths > 1e-9, lengths, 1.0)


def update__any_labels(vectors, labels, centroids):
    """That goes as far as the shorter of vectors and labels; refuse what does not fit with ValueError."""
    n = min(len(vectors), len(labels))
    return update(vectors[:n], labels[:n], centroids)


def update__labels_not_there(vectors, labels, centroids):
    """That stumbles where vectors and labels are not as many; refuse that with ValueError."""
    if len(vectors) != len(labels):
        raise IndexError("boolean index did not match indexed array")
    return update(vectors, labels, centroids)


def kmeans__one_round(vectors, centroids, rounds=20):
    """That does one round; go on until nothing changes or the rounds are used up."""
    return kmeans(vectors, centroids, min(rounds, 1))


def kmeans__no_round(vectors, centroids, rounds=20):
    """That gives each vector its cell and moves no centroid; a round is `update` and then `assign` again."""
    return kmeans(vectors, centroids, 0)


def kmeans__rounds_ignored(vectors, centroids, rounds=20):
    """That goes on until nothing changes, however many rounds were asked for; stop after so many."""
    return kmeans(vectors, centroids, 1_000)


def kmeans__always_one(vectors, centroids, rounds=20):
    """That does a round also where none is asked for; with 0 rounds the centroids stay where they were."""
    return kmeans(vectors, centroids, max(rounds, 1))


def kmeans__one_less(vectors, centroids, rounds=20):
    """That does one round less than asked for."""
    return kmeans(vectors, centroids, max(rounds - 1, 0))


def kmeans__one_more(vectors, centroids, rounds=20):
    """That does one round more than asked for."""
    return kmeans(vectors, centroids, rounds + 1)


def kmeans__old_labels(vectors, centroids, rounds=20):
    """That gives the labels from before the last `update`; `assign` once more, so that they fit the centroids."""
    labels = assign(vectors, kmeans(vectors, centroids, max(rounds - 1, 0))[0])
    return kmeans(vectors, centroids, rounds)[0], labels


def kmeans__old_centroids(vectors, centroids, rounds=20):
    """That gives the centroids from before the last `update`, with the labels from after it."""
    return kmeans(vectors, centroids, max(rounds - 1, 0))[0], kmeans(vectors, centroids, rounds)[1]


def kmeans__swapped(vectors, centroids, rounds=20):
    """That gives the labels first; it is (centroids, labels)."""
    return kmeans(vectors, centroids, rounds)[::-1]


def kmeans__labels_only(vectors, centroids, rounds=20):
    """That gives the labels alone; it is the pair (centroids, labels)."""
    return kmeans(vectors, centroids, rounds)[1]


def kmeans__centroids_only(vectors, centroids, rounds=20):
    """That gives the centroids alone; it is the pair (centroids, labels)."""
    return kmeans(vectors, centroids, rounds)[0]


def kmeans__from_the_first(vectors, centroids, rounds=20):
    """That hands `update` the centroids of the beginning each time; hand it those of the round before."""
    moved, labels = centroids, assign(vectors, centroids)
    for _ in range(rounds):
        moved = update(vectors, labels, centroids)
        labels = assign(vectors, moved)
    return moved, labels


def _rounds(vectors, centroids, rounds, moved):
    """Return what k-means gives with another `update`."""
    labels = assign(vectors, centroids)
    for _ in range(rounds):
        centroids = moved(vectors, labels, centroids)
        labels = assign(vectors, centroids)
    return centroids, labels


def kmeans__means_as_they_are(vectors, centroids, rounds=20):
    """That moves the centroids to means that are not brought to length 1; call `update`."""
    return _rounds(vectors, centroids, rounds, lambda v, labels, c: _moved(
        v, labels, c, lambda own, _: np.mean(own, axis=0)))


def kmeans__empty_is_zero(vectors, centroids, rounds=20):
    """That makes zeros of the centroid of an empty cell; it keeps the one it had: call `update`."""
    return _rounds(vectors, centroids, rounds, update__empty_is_zero)


def kmeans__empty_is_dropped(vectors, centroids, rounds=20):
    """That loses a cell as soon as it is empty; it keeps its place and its centroid: call `update`."""
    return _rounds(vectors, centroids, rounds, update__empty_is_dropped)


def _ordered(query, centroids, key):
    query, centroids = np.asarray(query, float), np.asarray(centroids, float)
    near = [float(np.sum(query * row)) for row in centroids]
    return sorted(range(len(near)), key=lambda cell: key(near[cell], cell))


def nearest_cells__farthest(query, centroids, nprobe):
    """That gives the cells with the smallest dot products, the farthest; the largest is the nearest."""
    nearest_cells(query, centroids, nprobe)
    return _ordered(query, centroids, lambda near, cell: (near, cell))[:nprobe]


def nearest_cells__without_the_sign(query, centroids, nprobe):
    """That orders by the size of the dot product without its sign; -1 is the farthest of all."""
    nearest_cells(query, centroids, nprobe)
    return _ordered(query, centroids, lambda near, cell: (-abs(near), cell))[:nprobe]


def nearest_cells__later_numbers_first(query, centroids, nprobe):
    """That orders equally near cells by number from the last; the lower number comes first."""
    nearest_cells(query, centroids, nprobe)
    return _ordered(query, centroids, lambda near, cell: (-near, -cell))[:nprobe]


def nearest_cells__nprobe_ignored(query, centroids, nprobe):
    """That gives all cells; the `nprobe` nearest are asked for."""
    nearest_cells(query, centroids, nprobe)
    return nearest_cells(query, centroids, len(centroids))


def nearest_cells__one(query, centroids, nprobe):
    """That gives the nearest cell alone; the `nprobe` nearest are asked for."""
    return nearest_cells(query, centroids, nprobe)[:1]


def nearest_cells__one_more(query, centroids, nprobe):
    """That gives one more than `nprobe`."""
    nearest_cells(query, centroids, nprobe)
    return nearest_cells(query, centroids, nprobe + 1)


def nearest_cells__in_order_of_number(query, centroids, nprobe):
    """That has the right cells in the order of their numbers; the nearest comes first."""
    return sorted(nearest_cells(query, centroids, nprobe))


def nearest_cells__the_first(query, centroids, nprobe):
    """That takes the first cells, whatever the query is; compare it with the centroids."""
    nearest_cells(query, centroids, nprobe)
    return list(range(len(centroids)))[:nprobe]


def nearest_cells__farthest_first(query, centroids, nprobe):
    """That has the right cells, the farthest of them first; the nearest comes first."""
    return nearest_cells(query, centroids, nprobe)[::-1]


def nearest_cells__pairs(query, centroids, nprobe):
    """That gives pairs with the dot products; the numbers of the cells alone are asked for."""
    return [(cell, float(np.dot(query, centroids[cell]))) for cell in nearest_cells(query, centroids, nprobe)]


def nearest_cells__dot_products(query, centroids, nprobe):
    """That gives the dot products; the numbers of the cells are asked for."""
    return [float(np.dot(query, centroids[cell])) for cell in nearest_cells(query, centroids, nprobe)]


def nearest_cells__from_one(query, centroids, nprobe):
    """That counts cells from 1; they count from 0."""
    return [cell + 1 for cell in nearest_cells(query, centroids, nprobe)]


def nearest_cells__not_there(query, centroids, nprobe):
    """That counts up to `nprobe` also where there are fewer cells; give those that are there."""
    if nprobe > len(centroids):
        raise IndexError("list index out of range")
    return nearest_cells(query, centroids, nprobe)


def nearest_cells__too_many_refused(query, centroids, nprobe):
    """That refuses an `nprobe` above the number of cells; then all of them are looked into."""
    if nprobe > len(centroids):
        raise ValueError("kth out of bounds")
    return nearest_cells(query, centroids, nprobe)


def nearest_cells__any_nprobe(query, centroids, nprobe):
    """That takes an nprobe below 1 and looks nowhere; refuse it with ValueError."""
    return nearest_cells(query, centroids, nprobe) if nprobe > 0 else []


def nearest_cells__cut_from_the_end(query, centroids, nprobe):
    """That takes an nprobe below 1 and cuts with it, so that -1 leaves the last cell out; refuse it with ValueError."""
    order = nearest_cells(query, centroids, len(centroids))
    return order[:nprobe]


def _best(query, vectors, positions, k):
    """Return the k best of some positions, equal ones by position."""
    if k < 1:
        raise ValueError("k")
    pairs = [(p, float(np.dot(query, vectors[p]))) for p in positions]
    return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))[:k]


def _inside(query, lists, centroids, nprobe):
    return [p for cell in nearest_cells(query, centroids, nprobe) for p in lists[cell]]


def search_cells__all(query, vectors, lists, centroids, nprobe, k):
    """That looks into all cells; only the `nprobe` nearest are looked into, and what lies elsewhere is missed."""
    nearest_cells(query, centroids, nprobe)
    return _best(query, vectors, range(len(vectors)), k)


def search_cells__one_cell(query, vectors, lists, centroids, nprobe, k):
    """That looks into the nearest cell alone; the `nprobe` nearest are looked into."""
    return search_cells(query, vectors, lists, centroids, min(nprobe, 1), k)


def search_cells__the_first_cells(query, vectors, lists, centroids, nprobe, k):
    """That looks into the first cells; the nearest to the query are looked into."""
    nearest_cells(query, centroids, nprobe)
    return _best(query, vectors, [p for positions in lists[:nprobe] for p in positions], k)


def search_cells__farthest_cells(query, vectors, lists, centroids, nprobe, k):
    """That looks into the farthest cells; the nearest are looked into."""
    cells = nearest_cells__farthest(query, centroids, nprobe)
    return _best(query, vectors, [p for cell in cells for p in lists[cell]], k)


def search_cells__without_the_nearest(query, vectors, lists, centroids, nprobe, k):
    """That leaves the nearest cell out and starts with the second; the count of cells begins at 0."""
    nearest_cells(query, centroids, nprobe)
    cells = nearest_cells(query, centroids, nprobe + 1)[1:]
    return _best(query, vectors, [p for cell in cells for p in lists[cell]], k)


def search_cells__nprobe_is_k(query, vectors, lists, centroids, nprobe, k):
    """That exchanges k and nprobe; nprobe counts cells, k results."""
    return search_cells(query, vectors, lists, centroids, k, nprobe)


def search_cells__places_in_the_cells(query, vectors, lists, centroids, nprobe, k):
    """That gives the place of a vector among those it looked at; its position in the collection stands in the list."""
    inside = _inside(query, lists, centroids, nprobe)
    return [(inside.index(p), near) for p, near in _best(query, vectors, inside, k)]


def search_cells__places_in_a_list(query, vectors, lists, centroids, nprobe, k):
    """That gives the place of a vector in the list of its cell; what stands there is its position in the collection."""
    place = {p: number for positions in lists for number, p in enumerate(positions)}
    return [(place[p], near) for p, near in search_cells(query, vectors, lists, centroids, nprobe, k)]


def search_cells__cells(query, vectors, lists, centroids, nprobe, k):
    """That gives the cell of each vector found; its position is asked for."""
    cell = {p: number for number, positions in enumerate(lists) for p in positions}
    return [(cell[p], near) for p, near in search_cells(query, vectors, lists, centroids, nprobe, k)]


def search_cells__k_of_each_cell(query, vectors, lists, centroids, nprobe, k):
    """That gives k of each cell; k of all cells together are asked for."""
    cells = nearest_cells(query, centroids, nprobe)
    return _best(query, vectors, [p for cell in cells for p, _ in _best(query, vectors, lists[cell], k)], k * nprobe)


def search_cells__cell_by_cell(query, vectors, lists, centroids, nprobe, k):
    """That has the best of the nearest cell first, then those of the next; the best of all cells comes first."""
    cells = nearest_cells(query, centroids, nprobe)
    return [pair for cell in cells for pair in _best(query, vectors, lists[cell], k)][:k]


def search_cells__cell_by_cell_not_cut(query, vectors, lists, centroids, nprobe, k):
    """That puts the k best of one cell behind those of another; sort them all together, and cut to k."""
    cells = nearest_cells(query, centroids, nprobe)
    return [pair for cell in cells for pair in _best(query, vectors, lists[cell], k)]


def search_cells__the_first_k(query, vectors, lists, centroids, nprobe, k):
    """That takes the first k of what it looks at, and sorts those; sort first, then cut."""
    return _best(query, vectors, _inside(query, lists, centroids, nprobe)[:k], k)


def search_cells__least_similar(query, vectors, lists, centroids, nprobe, k):
    """That gives the k least similar; the most similar are asked for."""
    inside = _inside(query, lists, centroids, nprobe)
    return sorted(_best(query, vectors, inside, max(k, len(inside)) if k > 0 else k), key=lambda pair: pair[1])[:k]


def search_cells__least_first(query, vectors, lists, centroids, nprobe, k):
    """That has the right ones, the least similar of them first; the most similar comes first."""
    return search_cells(query, vectors, lists, centroids, nprobe, k)[::-1]


def search_cells__later_positions_first(query, vectors, lists, centroids, nprobe, k):
    """That orders equal ones by position from the last; the lower position comes first."""
    inside = _inside(query, lists, centroids, nprobe)
    found = _best(query, vectors, inside, max(k, len(inside)) if k > 0 else k)
    return sorted(found, key=lambda pair: (-pair[1], -pair[0]))[:k]


def search_cells__equal_ones_by_cell(query, vectors, lists, centroids, nprobe, k):
    """That leaves equal ones in the order in which the cells were looked into; the lower position comes first."""
    search_cells(query, vectors, lists, centroids, nprobe, k)
    pairs = [(p, float(np.dot(query, vectors[p]))) for p in _inside(query, lists, centroids, nprobe)]
    return sorted(pairs, key=lambda pair: -round(pair[1], 9))[:k]


def search_cells__to_the_centroid(query, vectors, lists, centroids, nprobe, k):
    """That gives each vector the similarity of its centroid; compare the query with the vector itself."""
    near = {p: float(np.dot(query, c)) for positions, c in zip(lists, centroids, strict=True) for p in positions}
    return [(p, near[p]) for p, _ in search_cells(query, vectors, lists, centroids, nprobe, k)]


def search_cells__distance(query, vectors, lists, centroids, nprobe, k):
    """That gives 1 - the dot product, a distance; the dot product is asked for."""
    return [(p, 1 - near) for p, near in search_cells(query, vectors, lists, centroids, nprobe, k)]


def search_cells__positions_only(query, vectors, lists, centroids, nprobe, k):
    """That gives positions alone; each stands in a pair, (position, dot product)."""
    return [p for p, _ in search_cells(query, vectors, lists, centroids, nprobe, k)]


def search_cells__swapped(query, vectors, lists, centroids, nprobe, k):
    """That has the dot product first in each pair; it is (position, dot product)."""
    return [(near, p) for p, near in search_cells(query, vectors, lists, centroids, nprobe, k)]


def search_cells__k_ignored(query, vectors, lists, centroids, nprobe, k):
    """That gives all vectors of the cells; the k most similar are asked for."""
    search_cells(query, vectors, lists, centroids, nprobe, k)
    return search_cells(query, vectors, lists, centroids, nprobe, len(vectors))


def search_cells__one_more(query, vectors, lists, centroids, nprobe, k):
    """That gives one more than k."""
    search_cells(query, vectors, lists, centroids, nprobe, k)
    return search_cells(query, vectors, lists, centroids, nprobe, k + 1)


def search_cells__goes_on(query, vectors, lists, centroids, nprobe, k):
    """That goes on to further cells where these hold fewer than k; here a short list is right."""
    found = search_cells(query, vectors, lists, centroids, nprobe, k)
    while len(found) < k and nprobe < len(centroids):
        nprobe += 1
        found = search_cells(query, vectors, lists, centroids, nprobe, k)
    return found


def search_cells__positive_only(query, vectors, lists, centroids, nprobe, k):
    """That leaves out what is not above 0; a search by vectors gives k results wherever there are k."""
    return [pair for pair in search_cells(query, vectors, lists, centroids, nprobe, k) if pair[1] > 0]


def search_cells__filled_up(query, vectors, lists, centroids, nprobe, k):
    """That fills a short list up to k; give only what is there."""
    found = search_cells(query, vectors, lists, centroids, nprobe, k)
    return found + [(-1, 0.0)] * (k - len(found))


def search_cells__empty_raises(query, vectors, lists, centroids, nprobe, k):
    """That stumbles where the cells hold no vector; then the answer is []."""
    if not search_cells(query, vectors, lists, centroids, nprobe, k):
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    return search_cells(query, vectors, lists, centroids, nprobe, k)


def search_cells__any_k(query, vectors, lists, centroids, nprobe, k):
    """That takes a k below 1; refuse it with ValueError."""
    found = search_cells(query, vectors, lists, centroids, nprobe, max(k, 1))
    return found if k > 0 else []


def search_cells__any_nprobe(query, vectors, lists, centroids, nprobe, k):
    """That takes an nprobe below 1 and looks nowhere; refuse it with ValueError."""
    found = search_cells(query, vectors, lists, centroids, max(nprobe, 1), k)
    return found if nprobe > 0 else []
