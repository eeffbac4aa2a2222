"""Graded tests of the tasks maxsim.*; the expected numbers were worked out by hand."""

from math import sqrt

import numpy as np

from firstprinciples.grading.compare import expect

# three tokens of a question, four of a document; all of length 1. Row by row the dot products are
# 0.8 -0.6 0.6 0.28, 0.6 0.8 -0.8 0.96 and 0 1 -1 0.6
QUESTION = [[1.0, 0.0], [0.0, 1.0], [-0.6, 0.8]]
DOCUMENT = [[0.8, 0.6], [-0.6, 0.8], [0.6, -0.8], [0.28, 0.96]]
# four and three: 1 -0.8 -0.96, 0.8 -1 -0.6, 0.936 -0.96 -0.8 and -0.6 0 0.8
ASKED = np.array([[0.6, 0.8], [0.0, 1.0], [0.28, 0.96], [-1.0, 0.0]])
SHORT = np.array([[0.6, 0.8], [0.0, -1.0], [-0.8, -0.6]])
# two and four, of three numbers: -3/5 -1/9 -6/7 -2/3 and -1 -19/45 -2/7 -2/3
TURNED = [[1.0, 0.0, 0.0], [0.6, 0.8, 0.0]]
AWAY = [[-0.6, -0.8, 0.0], [-1 / 9, -4 / 9, 8 / 9], [-6 / 7, 2 / 7, 3 / 7], [-2 / 3, -1 / 3, -2 / 3]]


def test_best_matches__by_hand(task):
    best_matches = task("maxsim.best_matches")
    expect(best_matches([[0.6, 0.8]], [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]), ([1], [0.8]))
    expect(best_matches(QUESTION, DOCUMENT), ([0, 3, 1], [0.8, 0.96, 1.0]))


def test_best_matches__one_token_may_be_the_best_for_several(task):
    expect(task("maxsim.best_matches")(ASKED, SHORT), ([0, 0, 0, 2], [1.0, 0.8, 0.936, 0.8]))


def test_best_matches__all_negative(task):
    expect(task("maxsim.best_matches")(TURNED, AWAY), ([1, 2], [-1 / 9, -2 / 7]))


def test_best_matches__of_equal_ones_the_first(task):
    document = np.array([[0.0, -1.0], [0.6, 0.8], [0.6, -0.8], [0.6, 0.8]])
    expect(task("maxsim.best_matches")(np.array(QUESTION), document), ([1, 1, 1], [0.6, 0.8, 0.28]))


def test_best_matches__no_tokens(task):
    best_matches = task("maxsim.best_matches")
    best_matches.refuses(np.array(QUESTION), np.zeros((0, 2)))
    best_matches.refuses(QUESTION, [])


def test_maxsim__by_hand(task):
    maxsim = task("maxsim.maxsim")
    expect(maxsim([[0.6, 0.8]], [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]), 0.8)
    expect(maxsim(QUESTION, DOCUMENT), 2.76)  # 0.8 + 0.96 + 1


def test_maxsim__one_token_may_be_the_best_for_several(task):
    expect(task("maxsim.maxsim")(ASKED, SHORT), 3.536)  # 1 + 0.8 + 0.936 + 0.8


def test_maxsim__all_negative(task):
    expect(task("maxsim.maxsim")(TURNED, AWAY), -1 / 9 - 2 / 7)


def test_maxsim__a_longer_document_loses_nothing(task):
    expect(task("maxsim.maxsim")(np.array(QUESTION), np.array([*DOCUMENT, [0.0, -1.0], [0.28, -0.96], [0.6, 0.8]])),
           2.76)


def test_maxsim__a_token_of_the_question_that_stands_twice(task):
    expect(task("maxsim.maxsim")([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]], DOCUMENT), 2.56)


def test_maxsim__one_token_against_one(task):
    expect(task("maxsim.maxsim")([[2 / 3, 1 / 3, 2 / 3]], [[2 / 7, -6 / 7, 3 / 7]]), 4 / 21)


def test_maxsim__no_tokens(task):
    maxsim = task("maxsim.maxsim")
    maxsim.refuses(np.array(QUESTION), np.zeros((0, 2)))
    maxsim.refuses(QUESTION, [])


# what QUESTION gives: 2.76 for DOCUMENT, 0.8 - 0.6 - 0.96 for LONE, -0.28 - 0.8 - 0.28 for UNLIKE, 1 + 1 + 0.8 for
# CROSS
LONE = [[0.8, -0.6]]
UNLIKE = [[-0.6, -0.8], [-0.28, -0.96]]
CROSS = [[0.0, 1.0], [1.0, 0.0]]
EMPTY = [0.0, 0.0]
FULL = [[1, 1, 1, 1], [1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 1]]
PADDED = [DOCUMENT, [*LONE, EMPTY, EMPTY, EMPTY], [*UNLIKE, EMPTY, EMPTY], [*CROSS, EMPTY, EMPTY], DOCUMENT[::-1]]
# filled up with what the question looks for
BAIT = [[*LONE, QUESTION[1], QUESTION[2], QUESTION[0]], [QUESTION[2], *UNLIKE, QUESTION[1]]]


def test_maxsim_padded__filled_up_with_zeros(task):
    maxsim_padded = task("maxsim.maxsim_padded")
    expect(maxsim_padded([[1.0, 0.0]], [[[-0.6, 0.8], [0.28, 0.96], EMPTY]], [[1, 1, 0]]), [0.28])
    expect(maxsim_padded(QUESTION, PADDED, FULL), [2.76, -0.76, -1.36, 2.8, 2.76])


def test_maxsim_padded__all_negative(task):
    maxsim_padded = task("maxsim.maxsim_padded")
    expect(maxsim_padded([[1.0, 0.0]], [[[-0.6, 0.8], [-0.8, 0.6], EMPTY]], [[1, 1, 0]]), [-0.6])
    expect(maxsim_padded(TURNED, np.array([[*AWAY, [0.0, 0.0, 0.0]]]), np.array([[True, True, True, True, False]])),
           [-1 / 9 - 2 / 7])


def test_maxsim_padded__filled_up_with_what_fits(task):
    expect(task("maxsim.maxsim_padded")(np.array(QUESTION), np.array(BAIT), np.array([[1, 0, 0, 0], [0, 1, 1, 0]])),
           [-0.76, -1.36])


def test_maxsim_padded__gaps_in_the_middle(task):
    # as when punctuation is left out: 0.8 or 0.28, 0.6 or 0.96, 0 or 0.6; and 0.6, -0.8, -1
    mask = np.array([[True, False, False, True], [False, False, True, False], [False, True, True, False]])
    expect(task("maxsim.maxsim_padded")(np.array(QUESTION), np.array([DOCUMENT] * 3), mask), [2.36, -1.2, 2.4])


def test_maxsim_padded__alone_and_among_others(task):
    maxsim_padded = task("maxsim.maxsim_padded")
    expect(maxsim_padded(QUESTION, [UNLIKE], [[1, 1]]), [-1.36])
    expect(maxsim_padded(QUESTION, PADDED[1:4], FULL[1:4]), [-0.76, -1.36, 2.8])


def test_maxsim_padded__no_tokens(task):
    maxsim_padded = task("maxsim.maxsim_padded")
    maxsim_padded.refuses(QUESTION, PADDED[:3], [[1, 1, 1, 1], [0, 0, 0, 0], [1, 1, 0, 0]])


ROWS = [*DOCUMENT, *LONE, *UNLIKE, *CROSS]
STARTS = [0, 4, 5, 7]


def test_maxsim_ragged__documents_of_all_lengths(task):
    maxsim_ragged = task("maxsim.maxsim_ragged")
    expect(maxsim_ragged([[1.0, 0.0]], [[0.6, 0.8], [0.8, -0.6], [0.28, 0.96]], [0, 2]), [0.8, 0.28])
    expect(maxsim_ragged(QUESTION, ROWS, STARTS), [2.76, -0.76, -1.36, 2.8])


def test_maxsim_ragged__one_document(task):
    maxsim_ragged = task("maxsim.maxsim_ragged")
    expect(maxsim_ragged(ASKED, SHORT, starts=[0]), [3.536])
    expect(maxsim_ragged(np.array(TURNED), np.array(AWAY), np.array([0])), [-1 / 9 - 2 / 7])


def test_maxsim_ragged__documents_of_one_token(task):
    expect(task("maxsim.maxsim_ragged")(np.array(QUESTION), np.array([*LONE, *UNLIKE, [0.0, 1.0]]),
                                        np.array([0, 1, 2, 3])), [-0.76, -1.68, -1.84, 1.8])


def test_maxsim_ragged__a_long_one_last(task):
    expect(task("maxsim.maxsim_ragged")(np.array(QUESTION), np.array([*UNLIKE, *LONE, *DOCUMENT]), np.array([0, 2, 3])),
           [-1.36, -0.76, 2.76])


def test_maxsim_ragged__a_document_without_tokens(task):
    maxsim_ragged = task("maxsim.maxsim_ragged")
    maxsim_ragged.refuses(QUESTION, ROWS, [0, 4, 4, 7])
    maxsim_ragged.refuses(QUESTION, ROWS, [0, 4, 9])


def test_maxsim_ragged__rows_before_the_first_document(task):
    maxsim_ragged = task("maxsim.maxsim_ragged")
    maxsim_ragged.refuses(QUESTION, ROWS, [4, 5, 7])


# the sums are 2.6 times (0.8, 0.6), and 3.2 times (1, 0)
LEFT = [[1.0, 0.0], [0.28, 0.96], [0.8, 0.6]]
RIGHT = [[0.6, 0.8], [0.6, -0.8], [1.0, 0.0], [1.0, 0.0]]


def test_mean_similarity__by_hand(task):
    mean_similarity = task("maxsim.mean_similarity")
    expect(mean_similarity([[1.0, 0.0], [0.28, 0.96], [0.8, 0.6]], [[1.0, 0.0]]), 0.8)
    expect(mean_similarity(LEFT, RIGHT), 0.8)
    expect(mean_similarity([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]], RIGHT), 1 / sqrt(5))


def test_mean_similarity__below_zero(task):
    expect(task("maxsim.mean_similarity")(np.array(LEFT), -np.array(RIGHT)), -0.8)


def test_mean_similarity__one_token_each(task):
    expect(task("maxsim.mean_similarity")([[2 / 3, 1 / 3, 2 / 3]], [[2 / 7, -6 / 7, 3 / 7]]), 4 / 21)


def test_mean_similarity__what_cancels_out(task):
    mean_similarity = task("maxsim.mean_similarity")
    expect(mean_similarity(LEFT, [[0.6, 0.8], [-0.6, -0.8]]), 0.0)
    expect(mean_similarity([[1.0, 0.0], [-1.0, 0.0]], RIGHT), 0.0)


def test_mean_similarity__no_tokens(task):
    mean_similarity = task("maxsim.mean_similarity")
    expect(mean_similarity(np.array(LEFT), np.zeros((0, 2))), 0.0)
    expect(mean_similarity(np.zeros((0, 2)), np.array(RIGHT)), 0.0)


WORDS = ["the", "pump", ",", "a", "7", "-", "inch", "one", ",", "leaks", "!"]
WORD_ROWS = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6], [0.7, 0.8], [0.9, 1.0], [1.1, 1.2], [1.3, 1.4], [1.5, 1.6],
                      [1.7, 1.8], [1.9, 2.0], [2.1, 2.2]])


def test_without_punctuation__by_hand(task):
    without = task("maxsim.without_punctuation")
    expect(without(["red", ",", "hot"], [[1, 2], [3, 4], [5, 6]]), (["red", "hot"], [[1, 2], [5, 6]]))
    expect(without(WORDS, WORD_ROWS), (["the", "pump", "a", "7", "inch", "one", "leaks"],
                                       [[0.1, 0.2], [0.3, 0.4], [0.7, 0.8], [0.9, 1.0], [1.3, 1.4], [1.5, 1.6],
                                        [1.9, 2.0]]))


def test_without_punctuation__signs_inside_a_token(task):
    tokens = ["e_4432", "don't", "3.5", "##s", "[CLS]", "C++"]
    expect(task("maxsim.without_punctuation")(tokens, np.arange(18.0).reshape(6, 3)),
           (tokens, np.arange(18.0).reshape(6, 3)))


def test_without_punctuation__several_signs_in_one_token(task):
    expect(task("maxsim.without_punctuation")(["wait", "...", "--", "what", "?!", "()", "_", "%", "$"],
                                              np.arange(27.0).reshape(9, 3)),
           (["wait", "what"], [[0.0, 1.0, 2.0], [9.0, 10.0, 11.0]]))


def test_without_punctuation__a_word_that_stands_twice(task):
    expect(task("maxsim.without_punctuation")(["row", ";", "by", "row", "."], [[1, 0], [2, 0], [3, 0], [4, 0], [5, 0]]),
           (["row", "by", "row"], [[1, 0], [3, 0], [4, 0]]))


def test_without_punctuation__nothing_is_left(task):
    expect(task("maxsim.without_punctuation")([".", "!", "..."], np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])),
           ([], []))


# with (1, 0): 0.6 0 1 0.8 -1 0.28 -0.6; with (0, 1): 0.8 1 0 0.6 0 0.96 0.8; with (-0.6, 0.8): best the last, then 1
ALL_ROWS = [[0.6, 0.8], [0.0, 1.0], [1.0, 0.0], [0.8, 0.6], [-1.0, 0.0], [0.28, 0.96], [-0.6, 0.8]]
OWNERS = [4, 4, 2, 10, 9, 0, 3]


def test_nearest_tokens__of_one_question_token(task):
    nearest = task("maxsim.nearest_tokens")
    expect(nearest([[1.0, 0.0]], ALL_ROWS, OWNERS, n=1), [2])
    expect(nearest([[1.0, 0.0]], ALL_ROWS, OWNERS, n=3), [2, 4, 10])


def test_nearest_tokens__each_question_token_has_its_own(task):
    nearest = task("maxsim.nearest_tokens")
    expect(nearest(QUESTION, ALL_ROWS, OWNERS, n=1), [2, 3, 4])
    expect(nearest(np.array(QUESTION), np.array(ALL_ROWS), np.array(OWNERS), 2), [0, 2, 3, 4, 10])


def test_nearest_tokens__a_document_that_owns_several(task):
    nearest = task("maxsim.nearest_tokens")
    expect(nearest([[1.0, 0.0]], ALL_ROWS, OWNERS, n=5), [0, 2, 4, 10])  # five tokens, four documents
    expect(nearest([[0.6, 0.8]], [[0.6, 0.8], [0.0, 1.0], [0.8, 0.6], [1.0, 0.0]], [6, 5, 6, 1], n=2), [6])


def test_nearest_tokens__ties_go_to_the_first(task):
    nearest = task("maxsim.nearest_tokens")
    expect(nearest([[0.0, 1.0]], [[0.6, 0.8], [1.0, 0.0], [-0.6, 0.8], [0.6, 0.8], [0.0, -1.0]], [8, 7, 6, 5, 4], n=2),
           [6, 8])


def test_nearest_tokens__all_negative(task):
    expect(task("maxsim.nearest_tokens")(np.array(TURNED), np.array(AWAY), np.array([3, 12, 5, 7]), 1), [5, 12])


def test_nearest_tokens__more_than_there_are(task):
    expect(task("maxsim.nearest_tokens")(QUESTION, ALL_ROWS, OWNERS, n=50), [0, 2, 3, 4, 9, 10])


def test_storage__by_hand(task):
    storage = task("maxsim.storage")
    expect(storage(7, 12, 4), 336)
    expect(storage(tokens=100, dim=12, bytes_each=2), 2400)


def test_storage__a_folder_of_chunks(task):
    storage = task("maxsim.storage")
    expect(storage(70_400, 384, 2), 54_067_200)
    expect(storage(704, 384, 4), 1_081_344)


def test_storage__a_byte_each(task):
    expect(task("maxsim.storage")(1_300_000, 128, 1), 166_400_000)


def test_storage__nothing_takes_nothing(task):
    expect(task("maxsim.storage")(0, 384, 4), 0)
