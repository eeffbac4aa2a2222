"""IVF: every vector in one cell, all cells looked into is exact search, and what a search looks at is counted."""

import numpy as np
import pytest

from firstprinciples.corpus import Collection
from firstprinciples.encode.stored import minilm
from firstprinciples.index.cosine import Exact, normalize
from firstprinciples.index.ivf import IVF, assign, first_centroids, kmeans, nearest_cells, search_cells, update
from firstprinciples.retrieve.dense import Dense
from firstprinciples.swap import use


def plain_assign(vectors, centroids):
    """The three lines of the lesson."""
    near = [[sum(x * y for x, y in zip(v, c, strict=True)) for c in centroids] for v in vectors]
    return [row.index(max(row)) for row in near]


def clustered(n, dim, clusters=12, seed=0, spread=0.3):
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(clusters, dim))
    return centers[rng.integers(0, clusters, n)] + spread * rng.normal(size=(n, dim))


def filled(vectors, ids=None, **settings):
    index = IVF(np.shape(vectors)[1], **settings)
    index.add(vectors, ids)
    return index


def exact(vectors, ids=None):
    index = Exact(np.shape(vectors)[1])
    index.add(vectors, ids)
    return index


def check_invariants(index):
    """Every vector stands in exactly one list, that of its label, and the labels are what `assign` gives."""
    assert sorted(position for positions in index.lists for position in positions) == list(range(len(index)))
    assert all(index.labels[p] == cell for cell, positions in enumerate(index.lists) for p in positions)
    assert index.labels == assign(index.vectors, index.centroids)
    assert all(positions == sorted(positions) for positions in index.lists)
    assert len(index.lists) == len(index.centroids)
    lengths = np.linalg.norm(index.centroids, axis=1)
    assert np.isfinite(index.centroids).all() and ((abs(lengths - 1) < 1e-6) | (lengths == 0)).all()


def alike(found, wanted):
    assert [id for id, _ in found] == [id for id, _ in wanted]
    assert [s for _, s in found] == pytest.approx([s for _, s in wanted], abs=1e-12)


# ---- the functions

def test_the_plain_form_and_the_fast_one_agree():
    rng = np.random.default_rng(1)
    for n, cells, width in [(1, 1, 1), (30, 4, 3), (57, 9, 24)]:
        vectors, centroids = normalize(rng.normal(size=(n, width))), normalize(rng.normal(size=(cells, width)))
        assert assign(vectors, centroids) == assign(vectors.tolist(), centroids.tolist())
        assert assign(vectors, centroids) == plain_assign(vectors.tolist(), centroids.tolist())


def test_more_vectors_than_one_block_holds():
    vectors, centroids = normalize(clustered(9_000, 5)), normalize(clustered(7, 5, seed=3))
    whole = assign(vectors, centroids)
    assert len(whole) == 9_000 and whole == [label for row in vectors for label in assign([row], centroids)]


def test_equal_centroids_give_the_lower_number_wherever_they_stand():
    rng = np.random.default_rng(2)
    for width in (3, 64, 384):
        centroids = normalize(rng.normal(size=(5, width)))[[0, 1, 2, 1, 0, 3, 4, 2, 0]]
        assert set(assign(normalize(rng.normal(size=(500, width))), centroids)) <= {0, 1, 2, 5, 6}


def test_each_round_of_k_means_brings_the_vectors_nearer_to_their_centroids():
    vectors = normalize(clustered(400, 8))
    begin, before = first_centroids(vectors, 12, seed=4), -1.0
    for rounds in range(8):
        centroids, labels = kmeans(vectors, begin, rounds)
        assert labels == assign(vectors, centroids)
        now = float(np.mean(np.sum(vectors * centroids[labels], axis=1)))
        assert now >= before - 1e-12
        before = now
    settled, labels = kmeans(vectors, begin, rounds=100)
    assert kmeans(vectors, settled, rounds=1)[1] == labels  # nothing changes any more
    assert kmeans(vectors, settled, rounds=1)[0] == pytest.approx(settled)
    assert np.array_equal(kmeans(vectors, begin, rounds=0)[0], begin)


def test_an_empty_cell_keeps_its_centroid_and_so_does_one_whose_vectors_cancel_out():
    moved = update([[1, 0], [-1, 0], [0, 1]], [0, 0, 2], [[0.6, 0.8], [0.8, 0.6], [1, 0]])
    assert moved.tolist() == [[0.6, 0.8], [0.8, 0.6], [0, 1]]
    assert update(np.zeros((2, 3)), [0, 0], [[0, 0, 1]]).tolist() == [[0, 0, 1]]
    assert update(np.zeros((0, 2)), [], [[0, 1]]).tolist() == [[0, 1]]


def test_what_is_handed_in_stays_as_it_is():
    vectors, centroids = normalize(clustered(50, 4)), normalize(clustered(3, 4, seed=1))
    given = vectors.copy(), centroids.copy()
    centroids_made, labels = kmeans(vectors, centroids, 5)
    update(vectors, labels, centroids)
    search_cells(vectors[0], vectors, [[0], [1], [2]], centroids, 2, 3)
    assert np.array_equal(vectors, given[0]) and np.array_equal(centroids, given[1])
    centroids_made[:] = 0
    assert np.array_equal(kmeans(vectors, centroids, 0)[0], given[1])


def test_the_first_centroids_are_different_vectors_drawn_by_the_seed():
    vectors = normalize(np.repeat(clustered(20, 3), 10, axis=0))
    drawn = [first_centroids(vectors, 8, seed) for seed in (0, 0, 1)]
    assert np.array_equal(drawn[0], drawn[1]) and not np.array_equal(drawn[0], drawn[2])
    assert len(np.unique(drawn[0], axis=0)) == 8 and (drawn[0][:, None] == vectors).all(axis=2).any(axis=1).all()
    assert len(first_centroids(vectors, 100, 0)) == 20
    assert first_centroids(np.zeros((4, 2)), 3, 0).tolist() == [[0, 0]]


@pytest.mark.parametrize("call, said", [
    (lambda: assign([[1, 0]], []), "no centroid"),
    (lambda: assign([[1, 0, 0]], [[1, 0]]), "3 numbers wide"),
    (lambda: assign([[np.nan, 0]], [[1, 0]]), "nan or infinity"),
    (lambda: update([[1, 0], [0, 1]], [0], [[1, 0]]), "2 vectors and 1 labels"),
    (lambda: nearest_cells([1, 0], [[1, 0]], 0), "nprobe is 0; it is a whole number from 1."),
    (lambda: nearest_cells([1, 0], [[1, 0]], 1.5), "nprobe is 1.5"),
    (lambda: nearest_cells([1, 0, 0], [[1, 0]], 1), "2 numbers wide and 3"),
    (lambda: search_cells([1, 0], [[1, 0]], [[0]], [[1, 0]], 1, 0), "k is 0"),
    (lambda: search_cells([1, 0], [[1, 0]], [[0]], [[1, 0]], True, 1), "nprobe is True"),
    (lambda: IVF(0), "dim is 0"), (lambda: IVF(2, cells=0), "cells is 0"), (lambda: IVF(2, nprobe=-1), "nprobe is -1"),
    (lambda: IVF(2, rounds="many"), "rounds is 'many'"), (lambda: IVF(2, seed=-1), "seed is -1"),
])
def test_what_is_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call()


# ---- the index

@pytest.mark.parametrize("n, dim, cells", [(1, 3, None), (2, 3, None), (30, 2, None), (400, 16, None), (300, 8, 40),
                                           (50, 4, 200), (200, 5, 1)])
def test_all_cells_looked_into_is_exact_search(n, dim, cells):
    vectors = clustered(n, dim, seed=n)
    ids = [f"p{i * 7919 % 1009}" for i in range(n)]  # not in the order of their strings
    index, other = filled(vectors, ids, cells=cells), exact(vectors, ids)
    check_invariants(index)
    assert len(index.centroids) == min(n, cells or round(n**0.5))
    for query in np.random.default_rng(n).normal(size=(12, dim)):
        for k in (1, 3, 10, n, n + 5):
            alike(index.search(query, k, nprobe=len(index.centroids)), other.search(query, k))
            assert index.distances == len(index.centroids) + n


def test_ties_go_by_id_also_where_k_cuts_through_them():
    vectors = [[3, 4], [4, 3], [6, 8], [0.6, 0.8]] * 25 + [[-1, 0.5]]
    ids = [str(i * 37 % 101) for i in range(101)]
    index, other = filled(vectors, ids, cells=3), exact(vectors, ids)
    for query in ([1, 1], [0.6, 0.8], [-1, 0]):
        for k in (1, 2, 30, 74, 75, 76, 100, 101, 300):
            alike(index.search(query, k, nprobe=3), other.search(query, k))


def test_recall_rises_with_nprobe_and_so_do_the_distances():
    vectors, queries = clustered(3_000, 16, clusters=200, spread=0.6), clustered(60, 16, clusters=200, seed=9)
    index, other = filled(vectors), exact(vectors)
    right = [{id for id, _ in other.search(query)} for query in queries]
    recalls, looked = [], []
    for nprobe in (1, 2, 4, 8, 16, 55):
        found = [{id for id, _ in index.search(query, nprobe=nprobe)} for query in queries]
        recalls.append(np.mean([len(a & b) / 10 for a, b in zip(found, right, strict=True)]))
        looked.append(index.distances)
    assert recalls == sorted(recalls) and recalls[0] < 0.9 and recalls[-1] == 1.0
    assert looked == sorted(looked) and looked[0] < 300 and looked[-1] == 55 + 3_000


def test_what_is_found_is_the_best_of_the_cells_looked_into():
    vectors = clustered(500, 6)
    index = filled(vectors, nprobe=3)
    rows = index.vectors.astype(float)
    for query in normalize(clustered(20, 6, seed=5)):
        found = index.search(query, k=7)
        assert index.probed == nearest_cells(query, index.centroids, 3)
        inside = [p for cell in index.probed for p in index.lists[cell]]
        assert index.distances == len(index.centroids) + len(inside)
        assert [s for _, s in found] == pytest.approx(sorted(rows[inside] @ query, reverse=True)[:7], abs=1e-9)
        by_function = search_cells(query, rows, index.lists, index.centroids, nprobe=3, k=7)
        assert [id for id, _ in found] == [str(position) for position, _ in by_function]


def test_fewer_than_k_in_the_cells_goes_on_to_the_next():
    vectors = normalize(clustered(60, 4))
    index = filled(vectors, cells=20)
    for k in (1, 5, 30, 59, 60, 100):
        found = index.search(vectors[3], k, nprobe=1)
        assert len(found) == min(k, 60) == len({id for id, _ in found})
        held = [len(index.lists[cell]) for cell in index.probed]
        assert sum(held) >= min(k, 60) and (len(held) == 1 or sum(held[:-1]) < min(k, 60))  # and not one cell further
        assert index.distances == 20 + sum(held)


def test_duplicates_equal_vectors_zeros_and_fewer_vectors_than_cells():
    same = filled([[2.0, 1.0]] * 50, cells=10)
    check_invariants(same)
    assert len(same.centroids) == 1 and [id for id, _ in same.search([1, 0], k=3)] == ["0", "1", "10"]
    copies = filled([[2.0, 1.0, 0.0]] * 200 + clustered(20, 3).tolist(), cells=15)
    check_invariants(copies)
    for i in range(200, 220):
        assert copies.search(copies.vectors[i], k=1, nprobe=1)[0][0] == str(i)
    zeros = filled(np.zeros((5, 3)), cells=4)
    check_invariants(zeros)
    assert zeros.search([1, 2, 3], k=2) == [("0", 0.0), ("1", 0.0)]
    some = filled([[0, 0], [1, 0], [0, 0], [0, -2], [-1, 1]], cells=3)
    check_invariants(some)
    assert [id for id, _ in some.search([1, 0], k=5)] == ["1", "0", "2", "3", "4"]
    assert filled([[1, 2], [2, 1]], cells=50).centroids.shape == (2, 2)


def test_an_outlier_is_found():
    vectors = np.vstack([clustered(100, 8, clusters=2), -100 * np.ones((1, 8))])
    assert filled(vectors, nprobe=1).search(-np.ones(8), k=1)[0][0] == "100"


def test_empty_cells_do_no_harm():
    index = filled([[1, 0], [0.9, 0.1], [0, 1]], cells=3)
    index.centroids = np.vstack([index.centroids, [[-1.0, 0.0]]])
    index.lists = [*index.lists, []]
    assert len(index.search([-1, 0.01], k=2, nprobe=1)) == 2 and len(index.probed) > 1
    for k in (1, 3):
        assert len(index.search([-1, 0], k, nprobe=4)) == k


def test_a_query_of_zeros_is_like_nothing():
    index = filled(clustered(30, 4), ids=[f"x{i}" for i in range(30)])
    assert index.search([0, 0, 0, 0], k=3) == [("x0", 0.0), ("x1", 0.0), ("x10", 0.0)]
    assert index.distances == 0 and index.probed == []


def test_very_short_vectors_and_numbers_beyond_one():
    vectors = clustered(80, 6)
    found = filled(vectors * 1e-20).search(vectors[5] * 1e30, k=80, nprobe=9)
    assert [id for id, _ in found] == [id for id, _ in exact(vectors).search(vectors[5], k=80)]
    assert all(-1 <= cosine <= 1 for _, cosine in found)


def test_the_same_seed_makes_the_same_cells_and_another_seed_others():
    vectors = clustered(300, 8)
    one, two, other = filled(vectors, seed=3), filled(vectors, seed=3), filled(vectors, seed=4)
    assert np.array_equal(one.centroids, two.centroids) and one.lists == two.lists
    assert not np.array_equal(one.centroids, other.centroids)


def test_later_vectors_are_given_a_cell_and_move_no_centroid():
    vectors = clustered(200, 5)
    index = filled(vectors[:150])
    assert index.note == "12 cells, made from the first 150 vectors."
    before = index.centroids.copy()
    for row in vectors[150:]:
        index.add([row])
    check_invariants(index)
    assert np.array_equal(index.centroids, before) and index.ids == [str(i) for i in range(200)]
    assert "The 50 that came later were only given a cell" in index.note
    alike(index.search(vectors[0], 20, nprobe=12), exact(vectors).search(vectors[0], 20))


def test_an_empty_index_and_no_vectors():
    index = IVF(3)
    assert (index.search([1, 2, 3]), len(index), index.distances) == ([], 0, 0)
    index.add([])
    assert len(index.centroids) == 0 and "Nothing is in the index yet" in index.note
    index.add([[1, 2, 3]], ["a"])
    assert [id for id, _ in index.search([1, 2, 3])] == ["a"]


def test_bad_input_adds_nothing():
    index = filled(clustered(20, 3))
    state = index.ids, index.labels, index.centroids, index.lists, index.vectors.tolist()
    for vectors, ids, kind in [([[1, 2]], None, ValueError), ([[1, 2, np.nan]], None, ValueError),
                               ([[1, 2, 3]], ["3"], ValueError), ([[1, 2, 3]] * 2, ["a", "a"], ValueError),
                               ([[1, 2, 3]], ["a", "b"], ValueError), ([[1, 2, 3]], [4], TypeError),
                               ([[1, 2, 3]], "a", TypeError)]:
        with pytest.raises(kind):
            index.add(vectors, ids)
        assert (index.ids, index.labels, index.centroids, index.lists, index.vectors.tolist()) == state
    for query, k, nprobe in [([1, 2], 1, 1), ([1, 2, np.inf], 1, 1), ([1, 2, 3], 0, 1), ([1, 2, 3], 1, 0)]:
        with pytest.raises(ValueError):
            index.search(query, k, nprobe)
    with pytest.raises(KeyError, match="no vector 'z'"):
        index.vector("z")


def test_what_a_search_needs_is_counted_in_bytes():
    index = filled(clustered(400, 8), cells=20)
    assert index.nbytes == 400 * 8 * 4 + 20 * 8 * 8 + 400 * 8
    with pytest.raises(ValueError):
        index.vectors[0, 0] = 3


# ---- with functions of a learner's own

def test_the_index_runs_on_the_functions_in_use():
    vectors = clustered(100, 4)
    with use("ivf.nearest_cells", lambda query, centroids, nprobe: list(range(len(centroids)))[:nprobe]):
        index = filled(vectors)
        index.search(vectors[0], k=3, nprobe=2)
        assert index.probed == [0, 1]
    with use("ivf.update", lambda vectors, labels, centroids: centroids):
        assert not np.array_equal(filled(vectors).centroids, index.centroids)
    with use("ivf.search_cells", lambda *_: [(7, 0.5)]):
        assert index.search(vectors[0], k=3) == [("7", 0.5)]
    with use("ivf.assign", lambda vectors, centroids: np.zeros(len(vectors), dtype=int)):
        assert filled(vectors).labels == [0] * 100


@pytest.mark.parametrize("task, wrong", [
    ("assign", lambda *_: None), ("assign", lambda vectors, centroids: [99] * len(vectors)), ("assign", lambda *_: [0]),
    ("kmeans", lambda *_: None), ("kmeans", lambda vectors, centroids, rounds: (centroids[:1], [0] * len(vectors))),
    ("nearest_cells", lambda *_: None), ("nearest_cells", lambda *_: [1.5]), ("nearest_cells", lambda *_: [-1]),
    ("search_cells", lambda *_: None), ("search_cells", lambda *_: [3]), ("search_cells", lambda *_: [(1_000, 0.5)])])
def test_a_function_that_gives_something_else_is_named(task, wrong):
    vectors = clustered(40, 3)
    with use(f"ivf.{task}", wrong), pytest.raises(ValueError, match=rf'use\("ivf.({task}|kmeans)"\)'):
        filled(vectors).search(vectors[0])


def test_a_function_that_raises_is_named():
    vectors = clustered(40, 3)

    def broken(*_):
        raise ZeroDivisionError("oh")

    with use("ivf.nearest_cells", broken), pytest.raises(ZeroDivisionError) as caught:
        filled(vectors).search(vectors[0])
    assert any("nearest_cells" in note for note in caught.value.__notes__)


def test_dense_search_runs_on_it():
    chunks = Collection.load("larkspur").chunks[:200]
    encoder = minilm()
    by_cells, by_all = Dense(chunks, encoder, IVF(encoder.dim, nprobe=14)), Dense(chunks, encoder)
    question = "how much do we owe"
    assert [hit.id for hit in by_cells.search(question)] == [hit.id for hit in by_all.search(question)]
    by_cells.index.nprobe = 2
    assert by_cells.search(question)[0].id == by_all.search(question)[0].id and by_cells.index.distances < 100
