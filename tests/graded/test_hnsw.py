"""Graded tests of the tasks hnsw.*; the small graphs and their distances were worked out by hand."""

from math import cos, radians, sin

import numpy as np

from firstprinciples.grading.compare import expect


def test_random_level__by_hand(task):
    random_level = task("hnsw.random_level")
    expect(random_level(0.05, M=16), 1)  # ln(20) / ln(16) = 1.08
    expect(random_level(0.3, M=4), 0)  # 1.20 / 1.39 = 0.87
    expect(random_level(0.0021, M=5), 3)  # 6.17 / 1.61 = 3.83


def test_random_level__one(task):
    random_level = task("hnsw.random_level")
    expect(random_level(1.0, M=16), 0)
    expect(random_level(1, M=2), 0)


def test_random_level__M_is_16_unless_given(task):
    random_level = task("hnsw.random_level")
    expect(random_level(0.7), 0)
    expect(random_level(0.0001), 3)  # 9.21 / 2.77 = 3.32


def test_random_level__zero(task):
    random_level = task("hnsw.random_level")
    for M, lowest, highest in ((16, 255, 268), (2, 1022, 1074)):  # from either of the numbers called the smallest float
        found = random_level(0.0, M=M)
        good = isinstance(found, (int, float, np.number)) and lowest <= found <= highest
        expect(highest if good else found, highest)


def test_random_level__what_makes_no_sense(task):
    random_level = task("hnsw.random_level")
    random_level.refuses(0.5, M=1)
    random_level.refuses(0.5, M=0)
    random_level.refuses(1.5, M=8)
    random_level.refuses(-0.25, M=8)


CIRCLE = np.array([[cos(radians(d)), sin(radians(d))] for d in range(360)]).round(15)  # CIRCLE[-30] is at -30 degrees
D = 1 - CIRCLE[:181, 0]  # the distance of two vectors that are so many degrees apart
ROUNDED = 1e-6  # a distance that was taken in float32 is right as well
QUERY = [1, 0]  # at 0 degrees: a vector's angle is its angle to the query
# A street of six, each linked to the next; position 2 lies at its far end.
STREET = CIRCLE[[-50, 35, 110, 75, 90, 20]]
STREET_LINKS = {2: [4], 4: [3, 2], 3: [1, 4], 1: [5, 3], 5: [0, 1], 0: [5]}


def test_search_layer__one_after_the_other(task):
    search_layer = task("hnsw.search_layer")
    vectors = np.array([[0.0, 1.0], [0.8, 0.6], [0.6, 0.8]])  # a small one first: its input is read in a moment
    expect(search_layer(QUERY, [0], 2, vectors, {0: [2], 2: [0, 1], 1: [2]}), [[0.2, 1], [0.4, 2]], least=ROUNDED)
    expect(search_layer(QUERY, [2], 1, STREET, STREET_LINKS), [[D[20], 5]], least=ROUNDED)
    expect(search_layer(QUERY, [0], 1, STREET, STREET_LINKS), [[D[20], 5]], least=ROUNDED)


def test_search_layer__the_best_so_far(task):
    search_layer = task("hnsw.search_layer")
    expect(search_layer(QUERY, [4], 3, STREET, STREET_LINKS), [[D[20], 5], [D[35], 1], [D[50], 0]], least=ROUNDED)
    expect(search_layer(QUERY, [0], 4, STREET, STREET_LINKS),
           [[D[20], 5], [D[35], 1], [D[50], 0], [D[75], 3]], least=ROUNDED)


def test_search_layer__more_than_there_are(task):
    expect(task("hnsw.search_layer")(QUERY, [3], 9, STREET, STREET_LINKS),
           [[D[20], 5], [D[35], 1], [D[50], 0], [D[75], 3], [D[90], 4], [D[110], 2]], least=ROUNDED)


def test_search_layer__where_it_stops(task):
    search_layer = task("hnsw.search_layer")
    vectors, links = CIRCLE[[50, 40, 5]], {1: [0], 0: [2, 1], 2: [0]}  # to the nearest leads only a worse one
    expect(search_layer(QUERY, [1], 1, vectors, links), [[D[40], 1]], least=ROUNDED)
    expect(search_layer(QUERY, [1], 2, vectors, links), [[D[5], 2], [D[40], 1]], least=ROUNDED)
    # from 40 to 60, 50 and 45; only 60 leads to 10, and 60 is one too far for ef = 3
    vectors, links = CIRCLE[[60, 10, 45, 50, 40]], {4: [2, 3, 0], 0: [1, 4], 1: [0], 2: [4], 3: [4]}
    expect(search_layer(QUERY, [4], 3, vectors, links), [[D[40], 4], [D[45], 2], [D[50], 3]], least=ROUNDED)
    expect(search_layer(QUERY, [4], 4, vectors, links), [[D[10], 1], [D[40], 4], [D[45], 2], [D[50], 3]], least=ROUNDED)


def test_search_layer__on_past_the_nearest(task):
    # none of the neighbors of 40 is nearer than it, and behind one of them lies 10
    vectors, links = CIRCLE[[70, 60, 40, 10, 50]], {2: [1, 4], 4: [2, 0], 1: [2, 3], 3: [1], 0: [4]}
    expect(task("hnsw.search_layer")(QUERY, [2], 3, vectors, links),
           [[D[10], 3], [D[40], 2], [D[50], 4]], least=ROUNDED)


def test_search_layer__the_nearest_candidate_first(task):
    vectors = CIRCLE[[90, 70, 80, 30, 20]]  # 80 leads to 90 and to 70, and on from 70 to 30 and 20
    links = {2: [0, 1], 0: [2], 1: [2, 3], 3: [1, 4], 4: [3]}
    expect(task("hnsw.search_layer")(QUERY, [2], 2, vectors, links), [[D[20], 4], [D[30], 3]], least=ROUNDED)


def test_search_layer__a_candidate_that_was_met_earlier(task):
    vectors = CIRCLE[[50, 80, 40, 70, 10]]  # 80 leads to 50, 70 and 40, in this order, and 50 to 10
    links = {1: [0, 3, 2], 0: [1, 4], 3: [1], 2: [1], 4: [0]}
    expect(task("hnsw.search_layer")(QUERY, [1], 2, vectors, links), [[D[10], 4], [D[40], 2]], least=ROUNDED)


def test_search_layer__each_node_once(task):
    vectors = CIRCLE[[25, 65, 45, 80]]  # everything is linked to everything
    links = {0: [1, 2, 3], 1: [0, 2, 3], 2: [0, 1, 3], 3: [0, 1, 2]}
    expect(task("hnsw.search_layer")(QUERY, [1], 7, vectors, links),
           [[D[25], 0], [D[45], 2], [D[65], 1], [D[80], 3]], least=ROUNDED)


def test_search_layer__several_entry_points(task):
    search_layer = task("hnsw.search_layer")
    # two parts without a link between them, and a node, 6, to which nothing leads
    vectors = CIRCLE[[100, 30, 15, 85, 55, 70, 5]]
    links = {0: [3], 3: [0, 4], 4: [3], 5: [2], 2: [5, 1], 1: [2], 6: [1]}
    expect(search_layer(QUERY, [0, 5], 3, vectors, links), [[D[15], 2], [D[30], 1], [D[70], 5]], least=ROUNDED)
    expect(search_layer(QUERY, [5, 0], 5, vectors, links),
           [[D[15], 2], [D[30], 1], [D[55], 4], [D[70], 5], [D[85], 3]], least=ROUNDED)
    expect(search_layer(QUERY, [3, 5, 0], 1, vectors, links), [[D[15], 2]], least=ROUNDED)


def test_search_layer__a_layer_with_some_of_the_nodes(task):
    search_layer = task("hnsw.search_layer")
    vectors = CIRCLE[[8, 100, 60, 12, 30, 45]]  # 0 and 3, the nearest, are on the layer below only
    expect(search_layer(QUERY, [1], 2, vectors, {1: [5, 2], 5: [1, 2, 4], 4: [5], 2: [1, 5]}),
           [[D[30], 4], [D[45], 5]], least=ROUNDED)
    expect(search_layer(QUERY, [2, 5, 1], 2, vectors, {1: [], 2: [], 5: []}), [[D[45], 5], [D[60], 2]], least=ROUNDED)


def test_search_layer__equal_distances_by_position(task):
    vectors = CIRCLE[[60, 20, 60, 20, 20]] * [[1, 1], [1, -1], [1, -1], [1, 1], [1, 1]]  # two are turned over
    expect(task("hnsw.search_layer")(QUERY, [2], 6, vectors, {2: [4, 0], 4: [3, 2], 3: [4, 1], 1: [3], 0: [2]}),
           [[D[20], 1], [D[20], 3], [D[20], 4], [D[60], 0], [D[60], 2]], least=ROUNDED)


def test_search_layer__a_distance_is_never_below_zero(task):
    # rows that rounding has left a little longer than 1
    vectors = np.array([[0.0, 1.0], [0.60001, 0.80001], [0.60002, 0.80002]])
    expect(task("hnsw.search_layer")([0.60001, 0.80001], [0], 4, vectors, {0: [2], 2: [1], 1: [0]}),
           [[0, 1], [0, 2], [0.19999, 0]], least=ROUNDED)


def test_search_layer__three_numbers(task):
    vectors = np.array([[2, -3, 6], [6, 2, -3], [-3, 6, 2], [-2, -6, -3], [3, 2, 6]]) / 7
    links = {0: [3, 4], 3: [0, 1], 1: [3, 2], 2: [1], 4: [0]}
    query = np.array([2.0, 1.0, 2.0]) / 3
    expect(task("hnsw.search_layer")(query, [3], 2, vectors, links), [[1 / 21, 4], [8 / 21, 0]], least=ROUNDED)
    expect(task("hnsw.search_layer")(query, [1, 2], 4, vectors, links),
           [[1 / 21, 4], [8 / 21, 0], [13 / 21, 1], [17 / 21, 2]], least=ROUNDED)


NEW = [(0.3125, 7), (0.125, 4), (0.25, 9), (0.75, 1), (0.5, 0)]


def test_select_neighbors_simple__the_nearest(task):
    simple = task("hnsw.select_neighbors_simple")
    expect(simple(NEW, M=2), [4, 9])
    expect(simple(NEW, M=4), [4, 9, 7, 0])
    expect(simple(sorted(NEW, reverse=True), M=1), [4])


def test_select_neighbors_simple__fewer_than_M(task):
    simple = task("hnsw.select_neighbors_simple")
    expect(simple(NEW[:3], M=16), [4, 9, 7])
    expect(simple([], M=2), [])


def test_select_neighbors_simple__equal_distances_by_position(task):
    expect(task("hnsw.select_neighbors_simple")([(0.5, 8), (0.25, 11), (0.5, 3), (0.5, 6), (0.25, 10)], M=4),
           [10, 11, 3, 6])


def test_select_neighbors__by_hand(task):
    select_neighbors = task("hnsw.select_neighbors")
    # the new one is at (1, 0); 1 lies behind 0
    expect(select_neighbors([(0.4, 1), (0.2, 0), (0.4, 2)], 2, np.array([[0.8, 0.6], [0.6, 0.8], [0.6, -0.8]])), [0, 2])
    vectors = CIRCLE[[20, 100, 35, 10, -30]]  # the new one is at 0: 20 and 35 lie behind 10, 100 is nearer to 10, too
    expect(select_neighbors([(D[30], 4), (D[10], 3), (D[35], 2), (D[100], 1), (D[20], 0)], 3, vectors), [3, 4])
    vectors = CIRCLE[[-70, -45, 40, 60]]  # 60 lies behind 40, and -70 behind -45
    expect(select_neighbors([(D[60], 3), (D[40], 2), (D[45], 1), (D[70], 0)], 2, vectors), [2, 1])


# Four directions, none of which hides another from the one in their middle.
AXES, MIDDLE = np.eye(4)[[2, 0, 3, 1, 0]][:, [1, 0, 2, 3]], [0.5, 0.5, 0.5, 0.5]


def test_select_neighbors__at_most_M(task):
    select_neighbors = task("hnsw.select_neighbors")
    pairs = [(0.25, 1), (0.375, 3), (0.4375, 0), (0.5, 2)]
    expect(select_neighbors(pairs[::-1], 2, AXES), [1, 3])
    expect(select_neighbors(pairs, 3, AXES), [1, 3, 0])
    expect(select_neighbors(pairs[::-1], 9, AXES), [1, 3, 0, 2])


def test_select_neighbors__equal_distances_by_position(task):
    expect(task("hnsw.select_neighbors")([(0.5, 2), (0.5, 0), (0.25, 3), (0.5, 1)], 3, AXES), [3, 0, 1])


def test_select_neighbors__just_as_near_is_not_nearer(task):
    select_neighbors = task("hnsw.select_neighbors")
    vectors = np.array([[0.5, 0.5, 0.5, -0.5], [0.5, 0.5, 0.5, 0.5], [0.5, -0.5, -0.5, -0.5]])
    # from (1, 0, 0, 0) all three are 0.5 away, 0 and 1 are 0.5 from each other, and 2 lies further from both
    expect(select_neighbors([(0.5, 1), (0.5, 0), (0.5, 2)], 5, vectors), [0, 2])
    expect(select_neighbors([(0.5, 1), (0.5, 2)], 5, vectors), [1, 2])


def test_select_neighbors__copies(task):
    vectors = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0], [0.0, -1.0], [1.0, 0.0]])
    expect(task("hnsw.select_neighbors")([(0.0, 4), (0.0, 1), (1.0, 0), (0.0, 2)], 3, vectors), [1])
    expect(task("hnsw.select_neighbors")([(0.5, 2), (0.75, 0), (0.875, 3), (0.5, 1)], 7, vectors), [1, 0, 3])


def test_select_neighbors__only_those_that_are_kept_refuse(task):
    # Seen from (0, 0, 1): b is refused because of a; c is nearer to b than to the new one, but b is not there.
    a, b, c = [1, 0, 3], [0.6, 1, 3], [-0.2, 1.25, 3]
    vectors = np.array([row / np.linalg.norm(row) for row in np.array([c, [0, 0, -1], a, b])])
    pairs = [(1 - vectors[place][2], place) for place in (3, 2, 0)]
    expect(task("hnsw.select_neighbors")(pairs, 3, vectors), [2, 0])


def test_select_neighbors__the_first_of_those_kept_refuses(task):
    vectors = CIRCLE[[-50, 30, 150, -20]]  # -20 and 30 are kept, and -50 lies behind -20
    expect(task("hnsw.select_neighbors")([(D[20], 3), (D[150], 2), (D[30], 1), (D[50], 0)], 4, vectors), [3, 1])
    vectors = np.array([[0.8, -0.6, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])  # 0 lies behind 1
    expect(task("hnsw.select_neighbors")([(0.5, 1), (0.9, 0), (0.5, 2), (0.5, 3)], 5, vectors), [1, 2, 3])


def test_select_neighbors__the_last_of_those_kept_refuses(task):
    vectors = CIRCLE[[65, 30, 175, -20, 140]]  # -20 and 30 are kept, and 65 lies behind 30
    expect(task("hnsw.select_neighbors")([(D[140], 4), (D[20], 3), (D[175], 2), (D[30], 1), (D[65], 0)], 4, vectors),
           [3, 1])


def test_select_neighbors__each_of_those_kept_refuses(task):
    vectors = CIRCLE[[170, -55, 50]]  # 170 is nearer to either than to the new one, though not than to both together
    expect(task("hnsw.select_neighbors")([(D[50], 2), (D[55], 1), (D[170], 0)], 4, vectors), [2, 1])


def test_select_neighbors__on_past_those_refused(task):
    vectors = CIRCLE[[25, 100, 15, 20, -40]]  # 20 and 25 lie behind 15
    expect(task("hnsw.select_neighbors")([(D[40], 4), (D[20], 3), (D[15], 2), (D[100], 1), (D[25], 0)], 2, vectors),
           [2, 4])


def test_select_neighbors__none(task):
    expect(task("hnsw.select_neighbors")([], 4, CIRCLE[[10, 20, 30]]), [])
