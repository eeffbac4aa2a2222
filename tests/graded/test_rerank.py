"""Graded tests of the tasks rerank.*; the expected numbers were worked out by hand."""

from math import exp, log

import numpy as np

from firstprinciples.grading.compare import expect

# two words of a question, five of a chunk: beside width 0.05 the three cosines 1, 0.2 and -0.4 are far from each other
APART = [[1.0, 0.2, 0.2, 0.2, 1.0], [0.2, -0.4, 1.0, -0.4, 0.2]]


def test_soft_counts__cosines_at_the_centers(task):
    soft_counts = task("rerank.soft_counts")
    expect(soft_counts([[0.9, 0.9, 0.1]], centers=[0.9, 0.1], width=0.05), [log(3), log(2)])
    expect(soft_counts(APART, [1.0, 0.2, -0.4], 0.05), [log(3) + log(2), log(4) + log(3), log(3)])


def test_soft_counts__one_and_two_widths_off(task):
    expect(task("rerank.soft_counts")([[0.5, 0.875]], [0.75], 0.125), [log(1 + exp(-2) + exp(-0.5))])


def test_soft_counts__between_two_centers(task):
    expect(task("rerank.soft_counts")([[0.5, 0.75, -0.25], [0.0, 0.25, 0.5]], centers=[0.5, 0.0], width=0.25),
           [log(2 + exp(-0.5) + exp(-4.5)) + log(2 + exp(-2) + exp(-0.5)),
            log(1 + exp(-2) + exp(-4.5) + exp(-0.5)) + log(2 + exp(-0.5) + exp(-2))])


def test_soft_counts__what_is_near_nothing_adds_nothing(task):
    expect(task("rerank.soft_counts")(np.array([[-0.7, -0.8], [1.0, -0.9], [-0.75, -0.7]]), [1.0, 0.5, 0.0, 0.2], 0.05),
           [log(2), 0.0, 0.0, 0.0])


def test_soft_counts__a_cosine_below_zero(task):
    expect(task("rerank.soft_counts")(np.array([[-0.4, 0.4, -0.4]]), np.array([-0.4, 0.4]), 0.05), [log(3), log(2)])


def test_soft_counts__a_narrow_kernel_and_a_wide_one(task):
    soft_counts, row = task("rerank.soft_counts"), np.array([[1.0], [0.9375], [0.0], [0.875]])
    expect(soft_counts(row, [1.0, 0.0], 0.0625), [log(2) + log(1 + exp(-0.5)) + log(1 + exp(-2)), log(2)])
    expect(soft_counts(row[:3], [1.0], width=2.0), [log(2) + log(1 + exp(-1 / 2048)) + log(1 + exp(-1 / 8))])


def test_soft_counts__no_words(task):
    soft_counts = task("rerank.soft_counts")
    expect(soft_counts(np.zeros((0, 4)), [1.0, 0.5, 0.0], 0.1), [0.0, 0.0, 0.0])
    expect(soft_counts(np.zeros((3, 0)), [1.0, 0.5], 0.1), [0.0, 0.0])


def test_sigmoid__by_hand(task):
    sigmoid = task("rerank.sigmoid")
    expect(sigmoid(log(3)), 0.75)
    expect(sigmoid(-log(4)), 0.2)
    expect(sigmoid(0.0), 0.5)


def test_sigmoid__an_array(task):
    expect(task("rerank.sigmoid")(np.array([log(9), -log(9), 0.0, 1.0, -log(3)])),
           [0.9, 0.1, 0.5, 1 / (1 + exp(-1)), 0.25])


def test_sigmoid__the_shape_stays(task):
    expect(task("rerank.sigmoid")(np.array([[log(3), 0.0, -log(3)], [log(4), -log(9), log(7)]])),
           [[0.75, 0.5, 0.25], [0.8, 0.1, 0.875]])


def test_sigmoid__far_above_zero(task):
    sigmoid = task("rerank.sigmoid")
    expect(sigmoid(8.1), 1 / (1 + exp(-8.1)))
    expect(sigmoid(np.array([40.0, 750.0, 1000.0])), [1.0, 1.0, 1.0])


def test_sigmoid__far_below_zero(task):
    sigmoid = task("rerank.sigmoid")
    expect(sigmoid(np.array([-1000.0, -8.1])), [0.0, 1 / (1 + exp(8.1))])
    expect(sigmoid(-40.0), exp(-40), least=0.0)  # small, and not 0
    expect(sigmoid(-710.0), exp(-710), least=0.0)  # exp(710) is beyond a float, exp(-710) is not


def test_logistic_loss__right_pairs_and_wrong_ones(task):
    loss = task("rerank.logistic_loss")
    expect(loss([log(3), -log(4)], [1, 0]), (log(4 / 3) + log(5 / 4)) / 2)  # 0.2554
    expect(loss([log(3), -log(4), 0.0], [0, 1, 1]), (log(4) + log(5) + log(2)) / 3)


def test_logistic_loss__one_pair(task):
    loss = task("rerank.logistic_loss")
    expect(loss([2.0], [1]), log(1 + exp(-2)))
    expect(loss([2.0], [0]), log(1 + exp(2)))


def test_logistic_loss__all_of_one_kind(task):
    loss = task("rerank.logistic_loss")
    expect(loss(np.array([log(3), log(3), log(7)]), np.array([0, 0, 0])), (log(4) + log(4) + log(8)) / 3)
    expect(loss(np.array([-log(3), 0.0, log(2), -log(7)]), np.array([1, 1, 1, 1])),
           (log(4) + log(2) + log(1.5) + log(8)) / 4)


def test_logistic_loss__sure_and_right(task):
    loss = task("rerank.logistic_loss")
    expect(loss([1000.0, -1000.0], [1, 0]), 0.0)
    expect(loss([-900.0, 40.0, log(3)], [0, 1, 1]), log(4 / 3) / 3)


def test_logistic_loss__sure_and_wrong(task):
    loss = task("rerank.logistic_loss")
    expect(loss([40.0], [0]), 40.0)
    expect(loss([1000.0], [0]), 1000.0)
    expect(loss([-800.0, 30.0, 1000.0, 100.0], [1, 0, 1, 0]), 232.5)


def test_logistic_gradient__each_pair_has_its_own(task):
    gradient = task("rerank.logistic_gradient")
    expect(gradient([log(3), -log(4)], [1, 0]), [-0.125, 0.1])
    expect(gradient([log(3), -log(4), 0.0, log(9)], [0, 1, 1, 0]), [0.1875, -0.2, -0.125, 0.225])


def test_logistic_gradient__one_pair(task):
    gradient = task("rerank.logistic_gradient")
    expect(gradient([log(4)], [1]), [-0.2])
    expect(gradient([log(4)], [0]), [0.8])


def test_logistic_gradient__all_of_one_kind(task):
    gradient = task("rerank.logistic_gradient")
    expect(gradient(np.array([0.0, log(4), -log(4), log(7), log(3)]), np.array([0, 0, 0, 0, 0])),
           [0.1, 0.16, 0.04, 0.175, 0.15])
    expect(gradient(np.array([0.0, log(3), -log(3)]), np.array([1, 1, 1])), [-0.5 / 3, -0.25 / 3, -0.25])


def test_logistic_gradient__far_from_zero(task):
    gradient = task("rerank.logistic_gradient")
    expect(gradient([1000.0, -1000.0], [1, 0]), [0.0, 0.0])
    expect(gradient([1000.0, -1000.0, 800.0, -log(3)], [0, 1, 1, 1]), [0.25, -0.25, 0.0, -0.1875])


# old scores of one scale, new ones of another
RANKED = [("m", 9.0), ("b", 8.5), ("z", 8.0), ("a", 7.0), ("k", 6.5), ("c", 1.0)]
NEW = {"m": 0.3, "b": -4.0, "z": 2.5, "a": 0.75, "k": 9.0, "c": 7.5}


def test_rerank__only_candidates(task):
    rerank = task("rerank.rerank")
    expect(rerank([("p", 5.0), ("q", 4.0), ("r", 3.0)], {"p": 1.5, "q": 2.0, "r": 8.0}, depth=2),
           [("q", 2.0), ("p", 1.5)])
    expect(rerank(RANKED, NEW, depth=4), [("z", 2.5), ("a", 0.75), ("m", 0.3), ("b", -4.0)])
    expect(rerank(RANKED, {"x": 99.0, **NEW}, 2), [("m", 0.3), ("b", -4.0)])


def test_rerank__all_below_zero(task):
    expect(task("rerank.rerank")(RANKED, {"m": -3.5, "b": -0.5, "z": -8.0, "a": -2.0, "k": -0.25}, depth=5),
           [("k", -0.25), ("b", -0.5), ("a", -2.0), ("m", -3.5), ("z", -8.0)])


def test_rerank__ties_by_id(task):
    expect(task("rerank.rerank")(RANKED, {"m": 1.5, "b": 0.5, "z": 1.5, "a": 1.5, "k": 0.5}, depth=5),
           [("a", 1.5), ("m", 1.5), ("z", 1.5), ("b", 0.5), ("k", 0.5)])
    expect(task("rerank.rerank")([("f", 3.0), ("u", 2.0)], {"f": 1.251, "u": 1.254}, depth=9),
           [("u", 1.254), ("f", 1.251)])


def test_rerank__ids_are_strings(task):
    ranked = [("9", 3.0), ("2", 3.0), ("10", 2.5), ("1", 2.0)]
    expect(task("rerank.rerank")(ranked, {"9": 1.0, "10": 1.0, "2": 1.0}, depth=3),
           [("10", 1.0), ("2", 1.0), ("9", 1.0)])


def test_rerank__deeper_than_the_list(task):
    rerank = task("rerank.rerank")
    expect(rerank(RANKED[:3], NEW, depth=50), [("z", 2.5), ("m", 0.3), ("b", -4.0)])
    expect(rerank([], NEW, depth=10), [])


def test_rerank__one_candidate(task):
    expect(task("rerank.rerank")(RANKED, NEW, depth=1), [("m", 0.3)])


def test_rerank__what_is_no_candidate_needs_no_score(task):
    expect(task("rerank.rerank")(RANKED, {"z": 0.25, "b": 0.75, "m": 0.5}, 3), [("b", 0.75), ("m", 0.5), ("z", 0.25)])


def test_rerank__a_candidate_without_a_score(task):
    rerank = task("rerank.rerank")
    rerank.refuses(RANKED, {"m": 1.0, "z": 2.0, "a": -1.0, "k": 3.0}, depth=3)
    rerank.refuses(RANKED, {"m": -1.0, "b": -2.0}, depth=6)


def test_rerank__nan(task):
    rerank = task("rerank.rerank")
    rerank.refuses(RANKED, {**NEW, "b": float("nan")}, depth=4)


def test_rerank__no_depth(task):
    rerank = task("rerank.rerank")
    rerank.refuses(RANKED, NEW, depth=0)
    rerank.refuses(RANKED, NEW, depth=-2)


IDS = ["a", "x", "b", "y", "z", "c", "w"]


def test_ceiling__by_hand(task):
    ceiling = task("rerank.ceiling")
    expect(ceiling(["a", "x", "b", "c"], ["a", "b", "c", "d", "e"], depth=3), 0.4)
    expect(ceiling(IDS, ["c", "b", "a", "lost"], depth=5), 0.5)
    expect(ceiling(IDS, ["c", "b", "a"], depth=6), 1.0)


def test_ceiling__at_the_edge(task):
    ceiling = task("rerank.ceiling")
    expect(ceiling(IDS, ["c", "lost", "w"], depth=5), 0.0)
    expect(ceiling(IDS, ["c", "lost", "w"], depth=6), 1 / 3)
    expect(ceiling(IDS, ["w", "c", "lost"], depth=1), 0.0)


def test_ceiling__more_relevant_than_the_depth_can_hold(task):
    expect(task("rerank.ceiling")(IDS, ["a", "b", "x", "y", "z", "c", "w", "p"], depth=2), 0.25)


def test_ceiling__deeper_than_the_list(task):
    expect(task("rerank.ceiling")(IDS[:4], ["a", "b", "lost", "y", "gone"], depth=100), 0.6)


def test_ceiling__an_id_that_stands_twice(task):
    ceiling = task("rerank.ceiling")
    expect(ceiling(["a", "a", "a", "x", "b"], ["a", "b", "c", "d", "e"], depth=4), 0.2)
    expect(ceiling(["a", "x", "b", "y", "c"], ["a", "d", "d", "c", "d"], depth=4), 1 / 3)


def test_ceiling__nothing_relevant_and_nothing_found(task):
    ceiling = task("rerank.ceiling")
    expect(ceiling(IDS, [], depth=3), 0.0)
    expect(ceiling([], ["a", "b"], depth=5), 0.0)


def test_tokens_read__the_question_with_each(task):
    tokens_read = task("rerank.tokens_read")
    expect(tokens_read([30, 50, 7], question_length=10, limit=64), 117)
    expect(tokens_read([40], 9, 512), 49)


def test_tokens_read__what_is_longer_is_cut(task):
    tokens_read = task("rerank.tokens_read")
    expect(tokens_read([30, 70, 200, 5], question_length=10, limit=64), 183)
    expect(tokens_read([54, 55, 53], question_length=10, limit=64), 191)


def test_tokens_read__fifty_long_ones(task):
    expect(task("rerank.tokens_read")([900] * 50, question_length=12, limit=512), 25600)


def test_tokens_read__a_question_beyond_the_limit(task):
    expect(task("rerank.tokens_read")([5, 9], question_length=80, limit=64), 128)


def test_tokens_read__no_candidates(task):
    expect(task("rerank.tokens_read")([], question_length=12, limit=512), 0)
