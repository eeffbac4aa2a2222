"""Graded tests of the tasks cosine.*; the expected numbers were worked out by hand."""

from math import acos, degrees

import numpy as np

from firstprinciples.grading.compare import expect


def test_norm__by_hand(task):
    norm = task("cosine.norm")
    expect(norm([3, 4]), 5.0)
    expect(norm([2, -3, 6]), 7.0)


def test_norm__one_number_and_five(task):
    norm = task("cosine.norm")
    expect(norm([-2.5]), 2.5)
    expect(norm(np.array([1.0, 1.0, 1.0, 2.0, 3.0])), 4.0)


def test_norm__zeros(task):
    expect(task("cosine.norm")([0, 0, 0]), 0.0)


def test_norm__very_large_numbers(task):
    norm = task("cosine.norm")
    expect(norm([3e200, -4e200]), 5e200)
    expect(norm([5e200, 2.0, -12e200]), 13e200)


def test_norm__very_small_numbers(task):
    expect(task("cosine.norm")([3e-200, 4e-200]), 5e-200, least=0.0)


def test_similarity__by_hand(task):
    similarity = task("cosine.similarity")
    expect(similarity([3, 4], [8, 6]), 0.96)  # 48 / (5 * 10)
    expect(similarity([1, 2, 2], [2, -1, 2]), 4 / 9)


def test_similarity__from_one_way_to_the_opposite(task):
    similarity = task("cosine.similarity")
    expect(similarity([1, 2, 3], [2, 4, 6]), 1.0)
    expect(similarity([2, 0], [0, 7]), 0.0)
    expect(similarity(np.array([2.0, 1.0]), np.array([-6.0, -3.0])), -1.0)


def test_similarity__a_vector_of_zeros(task):
    similarity = task("cosine.similarity")
    expect(similarity([0, 0, 0], [2, 5, 1]), 0.0)
    expect(similarity([1, 3], [0, 0]), 0.0)
    expect(similarity([0, 0], [0, 0]), 0.0)


def test_similarity__short_vectors(task):
    expect(task("cosine.similarity")([3e-30, 4e-30], [8e-30, 6e-30]), 0.96)


def test_similarity__long_vectors(task):
    similarity = task("cosine.similarity")
    expect(similarity([3e200, 4e200], [8e200, 6e200]), 0.96)
    expect(similarity([3e-200, 4e-200], [8e-200, 6e-200]), 0.96)


def test_similarity__two_widths(task):
    similarity = task("cosine.similarity")
    similarity.refuses([1, 2, 3], [1, 2])
    similarity.refuses([2], [1, 2, 4])


def test_angle__by_hand(task):
    angle = task("cosine.angle")
    expect(angle([3, 0], [2, 2]), 45.0)
    expect(angle([1, 2, 2], [2, -1, 2]), degrees(acos(4 / 9)))


def test_angle__right_and_opposite(task):
    angle = task("cosine.angle")
    expect(angle([0, 2], [7, 0]), 90.0)
    expect(angle([2, 1], [-6, -3]), 180.0)


def test_angle__one_way(task):
    angle = task("cosine.angle")
    for vector in ([0.1, 0.2, 0.3, 0.7], [0.3, 0.6, 0.2], [5, 6, 7]):  # rounding takes some of these cosines past 1
        for other in (vector, [3 * number for number in vector]):
            found = angle(vector, other)  # near a cosine of 1 its last digit moves the angle by 0.000001 degrees
            close = isinstance(found, (int, float, np.floating)) and abs(found) < 1e-4
            expect(0.0 if close else found, 0.0)


def test_angle__a_vector_of_zeros(task):
    expect(task("cosine.angle")([0, 0], [3, 4]), 90.0)


def test_normalize__one_vector(task):
    normalize = task("cosine.normalize")
    expect(normalize([3, 4]), [0.6, 0.8])
    expect(normalize(np.array([2.0, -3.0, 6.0])), [2 / 7, -3 / 7, 6 / 7])


def test_normalize__each_row_by_its_own_length(task):
    normalize = task("cosine.normalize")
    expect(normalize(np.array([[3.0, 4.0], [-5.0, 12.0], [8.0, 6.0]])), [[0.6, 0.8], [-5 / 13, 12 / 13], [0.8, 0.6]])
    expect(normalize([[2, -3, 6], [1, 2, 2]]), [[2 / 7, -3 / 7, 6 / 7], [1 / 3, 2 / 3, 2 / 3]])


def test_normalize__zeros_stay(task):
    normalize = task("cosine.normalize")
    expect(normalize([[3, 4], [0, 0], [0, -2]]), [[0.6, 0.8], [0, 0], [0, -1]])
    expect(normalize([0, 0, 0]), [0, 0, 0])


def test_normalize__short_vectors(task):
    expect(task("cosine.normalize")([[3e-30, 4e-30], [0, 7], [5e-30, -12e-30]]),
           [[0.6, 0.8], [0, 1], [5 / 13, -12 / 13]])


def test_normalize__long_vectors(task):
    expect(task("cosine.normalize")([[3e200, 4e200], [0, 7], [8, 6]]), [[0.6, 0.8], [0, 1], [0.8, 0.6]])


def test_normalize__an_array_of_whole_numbers(task):
    expect(task("cosine.normalize")(np.array([[3, 4], [0, 7], [8, 6]])), [[0.6, 0.8], [0, 1], [0.8, 0.6]])


# four vectors of three numbers; their lengths are 3, 7, 5 and 10
TABLE = [[1, 2, 2], [2, -3, 6], [3, 0, -4], [-6, 8, 0]]


def test_similarities__by_hand(task):
    similarities = task("cosine.similarities")
    expect(similarities([2, -1, 2], TABLE), [4 / 9, 19 / 21, -2 / 15, -20 / 30])
    expect(similarities([0, 4], [[3, 4]]), [0.8])


def test_similarities__arrays(task):
    given = np.array([1.0, 0.0, 0.0]), np.array(TABLE, dtype=float)
    expect(task("cosine.similarities")(*given), [1 / 3, 2 / 7, 3 / 5, -6 / 10])


def test_similarities__a_row_of_zeros(task):
    expect(task("cosine.similarities")([3, 4], [[0, 0], [8, 6], [6, 8]]), [0, 0.96, 1])


def test_similarities__a_query_of_zeros(task):
    expect(task("cosine.similarities")([0, 0, 0], TABLE), [0, 0, 0, 0])


def test_similarities__short_vectors(task):
    expect(task("cosine.similarities")([3e-30, 4e-30], [[8e-30, 6e-30], [6, 8], [4, -3]]), [0.96, 1, 0])


def test_similarities__long_vectors(task):
    expect(task("cosine.similarities")([3e200, 4e200], [[8e200, 6e200], [6, 8], [4, -3]]), [0.96, 1, 0])


def test_similarities__two_widths(task):
    similarities = task("cosine.similarities")
    similarities.refuses([1, 2], TABLE)
    similarities.refuses([2], [[1, 2], [3, 4], [0, 1]])


SCORES = [0.25, -0.5, 0.875, 0.125, 0.625, -0.75]


def test_top_k__the_two_and_the_four_largest(task):
    top_k = task("cosine.top_k")
    expect(top_k(SCORES, k=2), [[2, 0.875], [4, 0.625]])
    expect(top_k(np.array(SCORES), k=4), [[2, 0.875], [4, 0.625], [0, 0.25], [3, 0.125]])


def test_top_k__below_zero_counts_too(task):
    expect(task("cosine.top_k")([-0.5, 0.0, -0.25], k=3), [[1, 0.0], [2, -0.25], [0, -0.5]])


def test_top_k__equal_ones_by_position(task):
    expect(task("cosine.top_k")([0.5, 0.75, 0.25, 0.75, 0.75, 0.5], k=5),
           [[1, 0.75], [3, 0.75], [4, 0.75], [0, 0.5], [5, 0.5]])


def test_top_k__k_cuts_through_equal_ones(task):
    top_k = task("cosine.top_k")
    expect(top_k([0.5, 0.75] + [0.5] * 40, k=4), [[1, 0.75], [0, 0.5], [2, 0.5], [3, 0.5]])
    expect(top_k([0.0] * 30, k=3), [[0, 0.0], [1, 0.0], [2, 0.0]])


def test_top_k__many_equal_ones(task):
    # 70 numbers on 5 levels, 14 on each; a sort that is not stable, and argpartition, leave equal ones in any order
    values = [place * 7 % 5 / 8 for place in range(70)]
    best = [place for level in (4, 3, 2) for place in range(70) if values[place] == level / 8]
    expect(task("cosine.top_k")(values, k=33), [[place, values[place]] for place in best[:33]])


def test_top_k__fewer_than_k(task):
    expect(task("cosine.top_k")([0.5, 0.75], k=7), [[1, 0.75], [0, 0.5]])


def test_top_k__k_below_one(task):
    top_k = task("cosine.top_k")
    top_k.refuses([0.5, 0.75], k=0)
    top_k.refuses([0.5, 0.75], k=-1)
