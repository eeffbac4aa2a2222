"""Graded tests of the tasks ivf.*; the vectors have length 1, and the expected numbers were worked out by hand."""

from math import cos, radians, sin

import numpy as np

from firstprinciples.grading.compare import expect

# nine directions on the circle
EAST, NORTHEAST, NORTH, NORTHWEST, WEST = [1, 0], [0.8, 0.6], [0, 1], [-0.6, 0.8], [-1, 0]
SOUTHWEST, SOUTH, SOUTHEAST, STEEP = [-0.8, -0.6], [0, -1], [0.6, -0.8], [0.6, 0.8]


def test_assign__by_hand(task):
    assign = task("ivf.assign")
    expect(assign([NORTHEAST, WEST, STEEP, SOUTHEAST], [NORTH, EAST, NORTHWEST]), [1, 2, 0, 1])
    expect(assign([NORTH], [SOUTHWEST, WEST]), [1])


def test_assign__arrays(task):
    vectors, centroids = np.array([[2, 1, 2], [2, -3, 6], [6, 2, -3], [-2, 6, 3], [-1, 2, -2]], float), np.eye(3)
    vectors /= np.array([[3.0], [7.0], [7.0], [7.0], [3.0]])
    expect(task("ivf.assign")(vectors[1:], centroids[::-1]), [0, 2, 1, 1])
    expect(task("ivf.assign")(vectors, np.array([[0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])), [1, 1, 1, 1, 0])


def test_assign__equally_near(task):
    assign = task("ivf.assign")
    expect(assign([WEST, NORTH, SOUTH], [SOUTH, EAST, SOUTH, NORTH, NORTH]), [0, 3, 0])
    expect(assign([NORTH, EAST, SOUTH, SOUTHWEST], [WEST, EAST, WEST]), [0, 1, 0, 0])


def test_assign__a_row_of_zeros(task):
    expect(task("ivf.assign")([SOUTH, [0, 0], EAST], [WEST, EAST, SOUTH, NORTH]), [2, 0, 1])


def test_assign__no_vectors(task):
    expect(task("ivf.assign")([], [EAST, NORTH]), [])


def test_assign__no_centroid(task):
    task("ivf.assign").refuses([EAST, NORTH, WEST], [])


HALF = 0.5**0.5


def test_update__by_hand(task):
    update = task("ivf.update")
    expect(update([EAST, NORTH, WEST, SOUTH, WEST], [1, 1, 0, 0, 2], [NORTHEAST, SOUTHEAST, SOUTH]),
           [[-HALF, -HALF], [HALF, HALF], WEST])
    expect(update([EAST, WEST, STEEP, STEEP, SOUTH], [1, 2, 1, 1, 0], [NORTH, WEST, EAST]),  # three sum to (2.2, 1.6)
           [SOUTH, [2.2 / 7.4**0.5, 1.6 / 7.4**0.5], WEST])


def test_update__arrays(task):
    vectors = np.array([[1, 2, 2], [2, 1, -2], [-2, 2, 1], [2, -2, 1], [2, 2, -1]]) / 3
    wanted = [[5 / 27**0.5, 1 / 27**0.5, 1 / 27**0.5], [-2 / 3, 2 / 3, 1 / 3]]  # the first sums to (5, 1, 1) / 3
    expect(task("ivf.update")(vectors[:4], np.array([0, 0, 1, 0]), np.eye(3)[:2]), wanted)


def test_update__a_cell_without_a_vector(task):
    update = task("ivf.update")
    expect(update([WEST, EAST, NORTH], [0, 2, 2], [NORTH, STEEP, SOUTH, EAST]), [WEST, STEEP, [HALF, HALF], EAST])
    expect(update([SOUTH, EAST, SOUTH, EAST], [2, 2, 1, 2], [NORTHWEST, EAST, NORTH]),
           [NORTHWEST, SOUTH, [2 / 5**0.5, -1 / 5**0.5]])


def test_update__vectors_that_cancel_out(task):
    update = task("ivf.update")
    expect(update([EAST, WEST, NORTH, WEST], [1, 1, 0, 2], [WEST, STEEP, SOUTH]), [NORTH, STEEP, WEST])
    expect(update([[0, 0], SOUTH, EAST, [0, 0]], [0, 1, 2, 0], [NORTHEAST, NORTH, WEST]), [NORTHEAST, SOUTH, EAST])


def test_update__labels_that_do_not_fit(task):
    update = task("ivf.update")
    update.refuses([EAST, NORTH, WEST], [0, 1], [SOUTH, WEST])
    update.refuses([EAST, NORTH], [1, 0, 1], [SOUTH, WEST])


CIRCLE = np.array([[cos(radians(d)), sin(radians(d))] for d in range(360)])  # CIRCLE[-30] stands at -30 degrees, too
MIDDLE = {degrees: CIRCLE[list(degrees)].sum(axis=0) / np.linalg.norm(CIRCLE[list(degrees)].sum(axis=0)) for degrees in
          [(60, 100, 110), (0, 11, 20), (34, 42, 50, 75), (11, 20, 34, 42, 50, 75), (44, 55, 74), (146, 173, 174)]}


def test_kmeans__one_round(task):
    # 0 and 20 are nearer to 10, the others to 80
    expect(task("ivf.kmeans")(CIRCLE[[0, 20, 60, 100, 110]], CIRCLE[[10, 80]], rounds=1),
           [[CIRCLE[10], MIDDLE[60, 100, 110]], [0, 0, 1, 1, 1]])


def test_kmeans__the_labels_are_those_of_the_centroids_that_are_returned(task):
    # the border lies at 25 degrees first; the cells move to 2 and 45, it lies at 23.5, and 24 is on its other side
    expect(task("ivf.kmeans")(CIRCLE[[-20, 24, 30, 40, 50, 60]], CIRCLE[[10, 40]], rounds=1),
           [CIRCLE[[2, 45]], [0, 1, 1, 1, 1, 1]])


def test_kmeans__no_rounds(task):
    expect(task("ivf.kmeans")(CIRCLE[[0, 20, 60]].tolist(), CIRCLE[[35, 90]].tolist(), rounds=0),
           [CIRCLE[[35, 90]], [0, 0, 0]])


# Seven vectors, and centroids that come to rest in the fourth round: first none is in the first cell, then 1, 2, 3.
SLOW, SLOW_START = CIRCLE[[0, 11, 20, 34, 42, 50, 75]], CIRCLE[[-30, -1]]


def test_kmeans__until_nothing_changes(task):
    kmeans = task("ivf.kmeans")
    settled = [[MIDDLE[0, 11, 20], MIDDLE[34, 42, 50, 75]], [0, 0, 0, 1, 1, 1, 1]]
    expect(kmeans(SLOW, SLOW_START, rounds=30), settled)
    expect(kmeans(SLOW, SLOW_START), settled)


def test_kmeans__so_many_rounds_and_no_more(task):
    expect(task("ivf.kmeans")(SLOW, SLOW_START, rounds=2),
           [[CIRCLE[0], MIDDLE[11, 20, 34, 42, 50, 75]], [0, 0, 1, 1, 1, 1, 1]])


def test_kmeans__a_cell_that_is_left_empty_stays_where_it_was(task):
    # the second cell moves to 110 degrees in the first round, and then its two vectors are nearer to the others
    expect(task("ivf.kmeans")(CIRCLE[[44, 55, 74, 146, 173, 174]], CIRCLE[[8, 116, 199]], rounds=9),
           [[MIDDLE[44, 55, 74], CIRCLE[110], MIDDLE[146, 173, 174]], [0, 0, 0, 2, 2, 2]])


def test_nearest_cells__by_hand(task):
    nearest_cells = task("ivf.nearest_cells")
    expect(nearest_cells(STEEP, [EAST, SOUTHWEST, NORTH, SOUTHEAST], nprobe=2), [2, 0])
    expect(nearest_cells(WEST, [NORTHEAST, NORTH, SOUTH, NORTHWEST, SOUTHWEST], 1), [4])


def test_nearest_cells__arrays(task):
    centroids = np.array([[6, 2, -3], [-2, -6, -3], [2, -3, 6], [-3, 6, 2]]) / 7
    expect(task("ivf.nearest_cells")(np.array([2.0, 1.0, 2.0]) / 3, centroids, nprobe=3), [2, 0, 3])
    expect(task("ivf.nearest_cells")(np.array([0.0, 0.0, 1.0]), centroids, nprobe=2), [2, 3])


def test_nearest_cells__all_and_more_than_all(task):
    nearest_cells = task("ivf.nearest_cells")
    expect(nearest_cells(SOUTH, [EAST, NORTHEAST, SOUTHWEST, SOUTHEAST], nprobe=4), [3, 2, 0, 1])
    expect(nearest_cells(SOUTH, [NORTHEAST, SOUTHWEST, SOUTHEAST], nprobe=8), [2, 1, 0])


def test_nearest_cells__equally_near(task):
    nearest_cells = task("ivf.nearest_cells")
    expect(nearest_cells(EAST, [WEST, SOUTHEAST, EAST, STEEP, SOUTHEAST], nprobe=3), [2, 1, 3])
    expect(nearest_cells([0, 0], [WEST, NORTH, EAST], nprobe=2), [0, 1])


def test_nearest_cells__nprobe_below_one(task):
    nearest_cells = task("ivf.nearest_cells")
    nearest_cells.refuses(EAST, [NORTH, EAST, WEST], -1)
    nearest_cells.refuses(EAST, [NORTH, EAST, WEST], 0)


# Three cells of eight vectors; the positions in a list are not those of its vectors in the collection.
VECTORS = [WEST, NORTHEAST, SOUTH, STEEP, EAST, NORTHWEST, SOUTHEAST, NORTH]
CENTROIDS = [[0.28, 0.96], [0.96, -0.28], SOUTHWEST]
LISTS = [[3, 5, 7], [1, 4, 6], [0, 2]]


def test_search_cells__one_cell(task):
    search_cells = task("ivf.search_cells")
    expect(search_cells(STEEP, [NORTHEAST, NORTH, WEST], [[2, 1], [0]], [NORTHWEST, [0.96, -0.28]], nprobe=1, k=2),
           [[0, 0.96]])
    expect(search_cells(STEEP, VECTORS, LISTS, CENTROIDS, nprobe=1, k=2), [[3, 1.0], [7, 0.8]])
    expect(search_cells([0.28, -0.96], VECTORS, LISTS, CENTROIDS, nprobe=1, k=3), [[6, 0.936], [4, 0.28], [1, -0.352]])


def test_search_cells__two_cells(task):
    search_cells = task("ivf.search_cells")
    expect(search_cells(STEEP, VECTORS, LISTS, CENTROIDS, nprobe=2, k=3), [[3, 1.0], [1, 0.96], [7, 0.8]])
    expect(search_cells([0.28, -0.96], np.array(VECTORS, float), LISTS, np.array(CENTROIDS), nprobe=2, k=4),
           [[2, 0.96], [6, 0.936], [4, 0.28], [0, -0.28]])


def test_search_cells__all_cells(task):
    search_cells = task("ivf.search_cells")
    expect(search_cells([-0.96, 0.28], VECTORS, LISTS, CENTROIDS, nprobe=3, k=5),
           [[0, 0.96], [5, 0.8], [7, 0.28], [2, -0.28], [3, -0.352]])


def test_search_cells__fewer_than_k(task):
    search_cells = task("ivf.search_cells")
    expect(search_cells(SOUTHWEST, VECTORS, LISTS, CENTROIDS, nprobe=1, k=5), [[0, 0.8], [2, 0.6]])
    expect(search_cells(SOUTH, VECTORS[:5], [[3], [1, 4], [2, 0]], CENTROIDS, nprobe=7, k=9),
           [[2, 1.0], [0, 0], [4, 0], [1, -0.6], [3, -0.8]])


def test_search_cells__a_cell_without_a_vector(task):
    search_cells = task("ivf.search_cells")
    expect(search_cells(EAST, VECTORS, [LISTS[0], LISTS[1] + [0, 2], []], [NORTH, WEST, [0.96, -0.28]], 1, k=2), [])
    expect(search_cells(EAST, VECTORS, [[], [0, 2, 4], [7, 6]], [[0.96, 0.28], WEST, NORTHEAST], 2, k=3),
           [[6, 0.6], [7, 0.0]])


def test_search_cells__equal_ones_by_position(task):
    search_cells = task("ivf.search_cells")
    vectors = [SOUTHEAST, STEEP, EAST, STEEP, STEEP, SOUTHEAST, STEEP]
    expect(search_cells(EAST, vectors, [[1, 3, 4, 6], [2], [0, 5]], [STEEP, NORTHEAST, SOUTHEAST], nprobe=3, k=4),
           [[2, 1.0], [0, 0.6], [1, 0.6], [3, 0.6]])


def test_search_cells__below_one(task):
    search_cells = task("ivf.search_cells")
    search_cells.refuses(EAST, VECTORS, LISTS, CENTROIDS, nprobe=1, k=0)
    search_cells.refuses(EAST, VECTORS, LISTS, CENTROIDS, nprobe=0, k=2)
