"""Graded tests of the tasks biencoder.*; the expected numbers were worked out by hand.

Scores are mostly logarithms of small numbers, so that exp gives these numbers back and shares are simple fractions.
"""

from math import exp, log, sqrt

import numpy as np
import pytest

from firstprinciples.grading.compare import expect

TABLE = np.array([[0.0, 2.0, -1.0], [4.0, 6.0, 3.0], [9.0, 1.0, 5.0], [-3.0, 7.0, 8.0], [2.5, -8.0, 0.5]])


def test_mean_pool__two_words_and_three(task):
    mean_pool = task("biencoder.mean_pool")
    expect(mean_pool(TABLE, [0, 1]), [2.0, 4.0, 1.0])
    expect(mean_pool(TABLE, [4, 1, 0]), [6.5 / 3, 0.0, 2.5 / 3])


def test_mean_pool__a_word_that_stands_twice_counts_twice(task):
    expect(task("biencoder.mean_pool")(TABLE, [2, 3, 2]), [5.0, 3.0, 6.0])  # (9 - 3 + 9) / 3 and so on


def test_mean_pool__one_word_is_its_row(task):
    expect(task("biencoder.mean_pool")(TABLE, [4]), [2.5, -8.0, 0.5])


def test_mean_pool__no_words(task):
    expect(task("biencoder.mean_pool")(TABLE, []), [0.0, 0.0, 0.0])


# Rows of length 1; four passages for two questions
QUESTIONS = np.array([[0.6, 0.8, 0.0], [0.0, 0.6, 0.8]])
PASSAGES = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-0.8, 0.0, 0.6], [0.6, 0.0, -0.8]])


def test_similarity_matrix__two_questions_four_passages(task):
    # row 0: 0.6, 0.8, 0.6 * -0.8 = -0.48, 0.6 * 0.6 = 0.36; row 1: 0, 0.6, 0.8 * 0.6 = 0.48, 0.8 * -0.8 = -0.64; / 0.5
    expect(task("biencoder.similarity_matrix")(QUESTIONS, PASSAGES, 0.5),
           [[1.2, 1.6, -0.96, 0.72], [0.0, 1.2, 0.96, -1.28]])


def test_similarity_matrix__a_low_temperature_stretches(task):
    expect(task("biencoder.similarity_matrix")(QUESTIONS, PASSAGES[:1], 0.04), [[15.0], [0.0]])


def test_similarity_matrix__more_questions_than_passages(task):
    expect(task("biencoder.similarity_matrix")(PASSAGES, QUESTIONS, 2.0),
           [[0.3, 0.0], [0.4, 0.3], [-0.24, 0.24], [0.18, -0.32]])


def test_repeated_positives__one_that_comes_twice(task):
    # put together letter by letter, it is another object, as a text read from a file is
    expect(task("biencoder.repeated_positives")(["Pay by May.", "Call the desk.", "".join("Pay by May.")]),
           [[False, False, True], [False, False, False], [True, False, False]])


def test_repeated_positives__all_differ(task):
    passages = ["Pay by May.", "pay by may.", "Pay", "Pay by May. "]
    expect(task("biencoder.repeated_positives")(passages), [[False] * 4] * 4)


def test_repeated_positives__three_times_and_twice(task):
    passages = ["".join(text) for text in ("Pay", "Call", "Pay", "Call", "Call")]
    found = task("biencoder.repeated_positives")(passages)
    expect(found, [[False, False, True, False, False], [False, False, False, True, True],
                   [True, False, False, False, False], [False, True, False, False, True],
                   [False, True, False, True, False]])


def test_repeated_positives__a_batch_of_one(task):
    expect(task("biencoder.repeated_positives")(["a"]), [[False]])


# exp gives 1, 2, 5 (sum 8) and 6, 3, 1 (sum 10)
SCORES = np.array([[0.0, log(2), log(5)], [log(6), log(3), 0.0]])
# Large ones are whole numbers, which float32 holds exactly
LARGE, POWERS = np.array([[1000.0, 1001.0, 1003.0], [1002.0, 999.0, 1000.0]]), np.exp([[-3, -2, 0], [0, -3, -2]])
LARGE_SHARES = POWERS / (1 + exp(-2) + exp(-3))


def test_in_batch_softmax__each_row_adds_up_to_one(task):
    expect(task("biencoder.in_batch_softmax")(SCORES), [[1 / 8, 2 / 8, 5 / 8], [0.6, 0.3, 0.1]])


def test_in_batch_softmax__large_scores_do_not_overflow(task):
    expect(task("biencoder.in_batch_softmax")(LARGE), LARGE_SHARES)


def test_in_batch_softmax__rows_of_very_different_size(task):
    expect(task("biencoder.in_batch_softmax")(LARGE + np.array([[-2500.0], [-100.0]])), LARGE_SHARES)


def test_in_batch_softmax__a_row_of_very_different_scores(task):
    expect(task("biencoder.in_batch_softmax")(np.array([[-3000.0, 0.0, log(3), -2000.0]])), [[0.0, 0.25, 0.75, 0.0]])


def test_in_batch_softmax__what_is_masked_has_no_share(task):
    masked = np.array([[False, True, False], [False, False, False]])
    expect(task("biencoder.in_batch_softmax")(SCORES, masked), [[1 / 6, 0.0, 5 / 6], [0.6, 0.3, 0.1]])


def test_in_batch_softmax__the_smallest_is_masked_and_all_are_low(task):
    scores, share = np.array([[-1900.0, -1901.0, -1950.0]]), 1 / (1 + exp(-1))
    expect(task("biencoder.in_batch_softmax")(scores, np.array([[False, False, True]])), [[share, 1 - share, 0.0]])


def test_in_batch_softmax__the_largest_is_masked(task):
    scores = np.array([[log(3), 2000.0, 0.0], [0.0, log(4), log(5)]])
    masked = np.array([[False, True, False], [False, False, True]])
    expect(task("biencoder.in_batch_softmax")(scores, masked), [[0.75, 0.0, 0.25], [0.2, 0.8, 0.0]])


# The right shares: 2 of 2 + 1 + 1, and 6 of 1 + 6 + 2
LOSS = np.array([[log(2), 0.0, 0.0], [0.0, log(6), log(2)]])


def test_in_batch_loss__two_questions_three_passages(task):
    expect(task("biencoder.in_batch_loss")(LOSS), (log(2) + log(1.5)) / 2)  # 0.5493


def test_in_batch_loss__a_batch_of_one(task):
    expect(task("biencoder.in_batch_loss")(np.array([[0.7]])), 0.0)


def test_in_batch_loss__equal_scores_give_ln_n(task):
    expect(task("biencoder.in_batch_loss")(np.full((4, 4), 0.7)), log(4))  # 1.3863


def test_in_batch_loss__large_scores(task):
    loss, near = task("biencoder.in_batch_loss"), 1e-4  # a small difference of large numbers: float32 has few digits
    expect(loss(LARGE), log(1 + exp(-2) + exp(-3)) + 3, near)  # both right ones are 3 too low
    expect(loss(np.array([[-1000.0, -1001.0], [1001.0, 1000.0]])), log(1 + exp(-1)) + 0.5, near)


def test_in_batch_loss__far_from_right_is_large_and_not_infinite(task):
    # the first is wrong by 1200, the second right, the third wrong by 600
    scores = np.array([[0.0, 1200.0, 3.0], [-40.0, 900.0, 11.0], [900.0, 25.0, 300.0]])
    expect(task("biencoder.in_batch_loss")(scores), 600.0)


def test_in_batch_loss__a_repeated_positive_is_left_out(task):
    # shares 1 of 1 + 4, 2 of 3 + 2 + 5, 1 of 1 + 2
    scores = np.array([[0.0, log(4), log(7)], [log(3), log(2), log(5)], [log(9), log(2), 0.0]])
    masked = np.array([[False, False, True], [False, False, False], [True, False, False]])
    expect(task("biencoder.in_batch_loss")(scores, masked), (log(5) + log(5) + log(3)) / 3)  # 1.4392


def test_scores_gradient__two_questions_three_passages(task):
    # shares 1/8 2/8 5/8 and 0.6 0.3 0.1; the right ones are 1/8 and 0.3
    expect(task("biencoder.scores_gradient")(SCORES), [[-7 / 16, 2 / 16, 5 / 16], [0.3, -0.35, 0.05]])


def test_scores_gradient__a_batch_of_one_has_nothing_to_learn(task):
    gradient = task("biencoder.scores_gradient")
    expect(gradient(np.array([[0.7]])), [[0.0]])
    expect(gradient(np.array([[log(2), log(3), log(5), log(10)]])), [[-0.9, 0.15, 0.25, 0.5]])


def test_scores_gradient__large_scores(task):
    expect(task("biencoder.scores_gradient")(LARGE), (LARGE_SHARES - [[1, 0, 0], [0, 1, 0]]) / 2)


def test_scores_gradient__what_is_masked_is_not_moved(task):
    # shares 1/5 4/5 -, 3/10 2/10 5/10, - 2/3 1/3
    scores = np.array([[0.0, log(4), log(7)], [log(3), log(2), log(5)], [log(9), log(2), 0.0]])
    masked = np.array([[False, False, True], [False, False, False], [True, False, False]])
    expect(task("biencoder.scores_gradient")(scores, masked),
           [[-0.8 / 3, 0.8 / 3, 0.0], [0.1, -0.8 / 3, 0.5 / 3], [0.0, 2 / 9, -2 / 9]])


GRADIENT = np.array([[-0.5, 0.2, 0.3], [0.1, -0.4, 0.25]])
ROWS = np.array([[1.0, 2.0, 0.0, -1.0], [0.0, 3.0, 4.0, 2.0]])
COLUMNS = np.array([[2.0, 0.0, 1.0, 5.0], [-1.0, 4.0, 0.0, 2.0], [3.0, 1.0, -2.0, 6.0]])


def test_vectors_gradient__two_questions_three_passages(task):
    # question 0: -0.5 * (2 0 1 5) + 0.2 * (-1 4 0 2) + 0.3 * (3 1 -2 6) = (-0.3 1.1 -1.1 -0.3); all divided by 0.5
    expect(task("biencoder.vectors_gradient")(GRADIENT, ROWS, COLUMNS, 0.5),
           ([[-0.6, 2.2, -2.2, -0.6], [2.7, -2.7, -0.8, 2.4]],
            [[-1.0, -1.4, 0.8, 1.4], [0.4, -1.6, -3.2, -2.0], [0.6, 2.7, 2.0, 0.4]]))


def test_vectors_gradient__a_high_temperature_moves_less(task):
    expect(task("biencoder.vectors_gradient")(GRADIENT[:1], ROWS[:1], COLUMNS, 2.0),
           ([[-0.15, 0.55, -0.55, -0.15]],
            [[-0.25, -0.5, 0.0, 0.25], [0.1, 0.2, 0.0, -0.1], [0.15, 0.3, 0.0, -0.15]]))


def test_vectors_gradient__one_passage_and_two_questions(task):
    expect(task("biencoder.vectors_gradient")(GRADIENT[:, 1:2], ROWS, COLUMNS[1:2], 0.25),
           ([[-0.8, 3.2, 0.0, 1.6], [1.6, -6.4, 0.0, -3.2]], [[0.8, -3.2, -6.4, -4.0]]))


def test_adam_step__the_first_step_is_as_long_as_the_rate(task):
    # m 0.4, v 0.016; corrected 4 and 16: a step of 0.1 * 4 / 4 against the gradient
    expect(task("biencoder.adam_step")(np.array([1.0, -2.0]), np.array([4.0, -0.5]), np.zeros(2), np.zeros(2), 1, 0.1),
           ([0.9, -1.9], [0.4, -0.05], [0.016, 0.00025]))


def test_adam_step__a_later_step_of_a_table(task):
    # beta 0.5 and 0.75, step 2: m is divided by 0.75, v by 0.4375; epsilon 0.25 stands outside the root
    values = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    gradient = np.array([[2.0, 0.0, -4.0], [1.0, 3.0, -1.0]])
    m = np.array([[1.0, 3.0, 0.0], [-3.0, 5.0, 2.0]])
    v = np.array([[0.5, 1.0, 2.0], [0.25, 4.0, 1.5]])
    new_m = np.array([[1.5, 1.5, -2.0], [-1.0, 4.0, 0.5]])
    new_v = np.array([[1.375, 0.75, 5.5], [0.4375, 5.25, 1.375]])
    moved = values - 0.6 * (new_m / 0.75) / (np.sqrt(new_v / 0.4375) + 0.25)
    expect(task("biencoder.adam_step")(values, gradient, m, v, 2, 0.6, beta1=0.5, beta2=0.75, epsilon=0.25),
           (moved, new_m, new_v))


def test_adam_step__no_gradient_and_still_it_moves(task):
    # m 0.9 * 0.5, divided by 1 - 0.9^3 = 0.271; v 0.999 * 0.04, divided by 1 - 0.999^3 = 0.002997001
    moved = 3 - 0.01 * (0.45 / 0.271) / sqrt(0.03996 / 0.002997001)
    expect(task("biencoder.adam_step")(np.array([3.0]), np.array([0.0]), np.array([0.5]), np.array([0.04]), 3, 0.01),
           ([moved], [0.45], [0.03996]))


@pytest.mark.parametrize("size", [0.01, 1.0, 1000.0])
def test_adam_step__the_size_of_the_gradient_hardly_counts(task, size):
    expect(task("biencoder.adam_step")(np.array([0.0]), np.array([size]), np.zeros(1), np.zeros(1), 1, 0.05),
           ([-0.05 * size / (size + 1e-8)], [0.1 * size], [0.001 * size**2]))
