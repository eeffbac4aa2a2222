"""Graded tests of the tasks bert.*; the expected numbers were worked out by hand from the formulas of lesson 05."""

from math import exp, log, sqrt

import numpy as np

from firstprinciples.grading.compare import expect

NEAR = 1e-5  # float32 passes


def test_softmax__three_scores(task):
    expect(task("bert.softmax")(np.array([0.0, log(2), log(5)])), [1 / 8, 2 / 8, 5 / 8], NEAR)


def test_softmax__each_row_adds_up_to_one(task):
    scores = np.array([[0.0, log(3), log(4)], [log(7), log(2), 0.0]])
    expect(task("bert.softmax")(scores), [[1 / 8, 3 / 8, 4 / 8], [7 / 10, 2 / 10, 1 / 10]], NEAR)


def test_softmax__along_the_last_axis_of_three(task):
    scores = np.log(np.array([[[1.0, 4.0, 5.0], [2.0, 2.0, 4.0]]]))
    expect(task("bert.softmax")(scores), [[[0.1, 0.4, 0.5], [0.25, 0.25, 0.5]]], NEAR)


def test_softmax__scores_too_large_for_exp(task):
    rest = 1 + exp(-1) + exp(-3)
    softmax = task("bert.softmax")
    expect(softmax(np.array([1000.0, 999.0, 997.0])), [1 / rest, exp(-1) / rest, exp(-3) / rest], NEAR)
    expect(softmax(np.array([-1000.0, -1001.0, -1003.0])), [1 / rest, exp(-1) / rest, exp(-3) / rest], NEAR)
    expect(softmax(np.array([-3000.0, log(3), 0.0, -2000.0])), [0.0, 0.75, 0.25, 0.0], NEAR)


def test_softmax__the_largest_of_each_row_and_not_of_all(task):
    expect(task("bert.softmax")(np.array([[2000.0, 2001.0], [-5.0, -5.0], [log(4), 0.0]])),
           [[1 / (1 + exp(1)), 1 / (1 + exp(-1))], [0.5, 0.5], [0.8, 0.2]], NEAR)


def test_layer_norm__two_rows(task):
    # row 1: mean 4, variance (9 + 1 + 16) / 3 = 26 / 3; row 2: mean 1, variance (1 + 1 + 0) / 3 = 2 / 3
    one, two = sqrt(26 / 3), sqrt(2 / 3)
    expect(task("bert.layer_norm")(np.array([[1.0, 3.0, 8.0], [0.0, 2.0, 1.0]]), np.ones(3), np.zeros(3)),
           [[-3 / one, -1 / one, 4 / one], [-1 / two, 1 / two, 0.0]], NEAR)


def test_layer_norm__stretched_and_shifted(task):
    # mean 5, variance (16 + 0 + 4 + 4) / 4 = 6
    s = sqrt(6)
    expect(task("bert.layer_norm")(np.array([[1.0, 5.0, 7.0, 7.0]]), np.array([2.0, 3.0, 0.5, -1.0]),
                                   np.array([0.25, -1.0, 0.0, 4.0])), [[-8 / s + 0.25, -1.0, 1 / s, -2 / s + 4]], NEAR)


def test_layer_norm__a_row_of_equal_numbers_gives_the_bias(task):
    expect(task("bert.layer_norm")(np.full((2, 3), 6.0), np.array([2.0, 3.0, 4.0]), np.array([0.5, -1.0, 2.5])),
           [[0.5, -1.0, 2.5], [0.5, -1.0, 2.5]], NEAR)


def test_layer_norm__eps_is_added_to_the_variance(task):
    # mean 2, variance 1; with eps 3 the root is 2
    layer_norm = task("bert.layer_norm")
    expect(layer_norm(np.array([[1.0, 3.0]]), np.array([1.0, 10.0]), np.array([0.0, 5.0]), eps=3.0), [[-0.5, 10.0]],
           NEAR)
    # 1e-12 unless given: variance 4e-12, so the root is of 5e-12
    expect(layer_norm(np.array([[-2e-6, 2e-6]]), np.ones(2), np.zeros(2)), [[-2 / sqrt(5), 2 / sqrt(5)]], NEAR)


def test_layer_norm__one_row_alone(task):
    # mean 2, variance (4 + 0 + 1 + 9) / 4 = 3.5
    s = sqrt(3.5)
    expect(task("bert.layer_norm")(np.array([0.0, 2.0, 1.0, 5.0]), np.array([1.0, 2.0, 3.0, 4.0]), np.ones(4)),
           [-2 / s + 1, 1.0, -3 / s + 1, 12 / s + 1], NEAR)


def test_gelu__above_and_below_zero(task):
    # of a normal distribution 0.8413447 lies below 1, 0.9772499 below 2, 0.3085375 below -0.5
    expect(task("bert.gelu")(np.array([1.0, 2.0, -0.5, -1.0])),
           [0.84134475, 1.95449974, -0.15426877, -0.15865525], NEAR)


def test_gelu__zero_stays_zero(task):
    expect(task("bert.gelu")(np.array([0.0, 0.5])), [0.0, 0.34573123], NEAR)


def test_gelu__far_out_all_or_nothing(task):
    gelu = task("bert.gelu")
    expect(gelu(np.array([30.0, -30.0, 12.5])), [30.0, 0.0, 12.5], NEAR)
    # not before: 0.0005770 lie below -3.25; 1 + erf leaves float32 few digits there
    expect(gelu(np.array([3.25, -3.25])), [3.24812467, -0.00187533], 1e-3)


def test_gelu__exact_and_not_nearly(task):
    # where the usual approximation by tanh is far off: it gives -0.0192768, 2.2227987 and 0.5799606
    expect(task("bert.gelu")(np.array([[-2.4, 2.25, 0.75]])), [[-0.01967409, 2.22249494, 0.58002949]], NEAR)


def test_gelu__the_shape_is_kept(task):
    expect(task("bert.gelu")(np.array([[1.0, 0.0], [-1.0, 2.0], [0.5, -0.5]])),
           [[0.84134475, 0.0], [-0.15865525, 1.95449974], [0.34573123, -0.15426877]], NEAR)


def test_attention__no_preference_gives_the_mean(task):
    expect(task("bert.attention")(np.zeros((1, 2)), np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
                                  np.array([[3.0], [6.0], [0.0]]), np.array([True, True, True])), [[3.0]], NEAR)


def test_attention__by_how_well_query_and_key_fit(task):
    # width 4, so the dot products are halved: fit 0, ln 2 and ln 5 for query 1, and twice that for query 2
    q = np.array([[2.0, 0.0, 0.0, 0.0], [4.0, 0.0, 0.0, 0.0]])
    k = np.array([[0.0, 1.0, 0.0, 2.0], [log(2), 0.0, 3.0, 0.0], [log(5), 1.0, 1.0, 1.0]])
    v = np.array([[1.0, 0.0, 8.0, -2.0, 4.0], [0.0, 1.0, 16.0, 3.0, -4.0], [0.0, 0.0, -4.0, 1.0, 2.0]])
    one, two = np.array([1, 2, 5]) / 8, np.array([1, 4, 25]) / 30
    expect(task("bert.attention")(q, k, v, np.array([True, True, True])), [one @ v, two @ v], NEAR)


def test_attention__the_filled_up_place_gets_nothing(task):
    # width 1: fit ln 3, 0 and, filled up, 9
    attention = task("bert.attention")
    q, k = np.array([[1.0], [2.0]]), np.array([[log(3)], [0.0], [9.0]])
    v = np.array([[4.0, 1.0], [8.0, 5.0], [100.0, 7.0]])
    expect(attention(q, k, v, np.array([True, True, False])), [[5.0, 2.0], [4.4, 1.4]], NEAR)
    expect(attention(q, k, v, np.array([1, 1, 0])), [[5.0, 2.0], [4.4, 1.4]], NEAR)


def test_attention__a_text_alone_and_filled_up(task):
    # fit -2000 and -2001: a filled-up place that counted as 0, or -1000, would take it all
    q, k = np.array([[1.0]]), np.array([[-2000.0], [-2001.0], [0.0], [0.0]])
    v, mean = np.array([[5.0], [10.0], [0.0], [0.0]]), (5 + 10 * exp(-1)) / (1 + exp(-1))
    attention = task("bert.attention")
    expect(attention(q, k[:2], v[:2], np.array([True, True])), [[mean]], NEAR)
    expect(attention(q, k, v, np.array([True, True, False, False])), [[mean]], NEAR)


def test_attention__scores_too_large_for_exp(task):
    # width 9, so the dot products are divided by 3: 2880, and 0.03125 * 96 / 3 = 1 more
    q, share = np.full((1, 9), 96.0), 1 / (1 + exp(-1))
    k = np.array([[10.0] * 9, [10.0] * 8 + [10.03125]])
    expect(task("bert.attention")(q, k, np.array([[0.0, 8.0, 1.0], [4.0, 0.0, 1.0]]), np.array([True, True])),
           [[4 * share, 8 * (1 - share), 1.0]], NEAR)
