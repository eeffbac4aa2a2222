"""Graded tests of the tasks splade.*; the expected numbers were worked out by hand."""

import math

import numpy as np

from firstprinciples.grading.compare import expect

LN2, LN3, LN4, LN5 = math.log(2), math.log(3), math.log(4), math.log(5)


def test_term_weights__the_best_of_the_tokens(task):
    term_weights = task("splade.term_weights")
    expect(term_weights([[1.0, 0.0, 4.0], [3.0, 0.0, 2.0]], [1, 1]), [LN4, 0.0, LN5])
    expect(term_weights(np.array([[0.5, 2.0], [0.25, 1.0], [1.0, 0.0], [0.0, 3.0]]), np.array([1, 1, 1, 1])),
           [LN2, LN4])


def test_term_weights__below_zero_is_nothing(task):
    # -0.5 has a logarithm of 1 + x, below 0; -3 has none
    expect(task("splade.term_weights")([[-0.5, 1.0, -3.0, 2.0], [-0.75, -2.0, -4.0, 0.5], [-0.9, 0.0, -1.5, -1.0]],
                                       [1, 1, 1]), [0.0, LN2, 0.0, LN3])


def test_term_weights__what_is_filled_up_does_not_count(task):
    term_weights, logits = task("splade.term_weights"), [[2.0, -1.0, 0.0, 0.5], [1.0, -2.0, 1.0, 0.0], [7, 8, 9, 6]]
    expect(term_weights(logits, [1, 1, 0]), [LN3, 0.0, LN2, math.log(1.5)])
    expect(term_weights(logits, [False, True, False]), [LN2, 0.0, LN2, 0.0])
    expect(term_weights(np.array(logits), np.array([True, False, False])), [LN3, 0.0, 0.0, math.log(1.5)])


def test_term_weights__one_token(task):
    expect(task("splade.term_weights")([[3.0, -1.0, 0.0, 1.0, 0.5]], [1]), [LN4, 0.0, 0.0, LN2, math.log(1.5)])


def test_term_weights__no_token_at_all(task):
    expect(task("splade.term_weights")([[3.0, 1.0, -2.0], [0.5, 2.0, 1.0]], [0, 0]), [0.0, 0.0, 0.0])


# four texts, three words
TEXTS = [[1.0, 0.0, 2.0], [3.0, 0.0, 0.5], [0.0, 0.0, 1.0], [2.0, 4.0, 0.5]]


def test_flops__two_texts(task):
    flops = task("splade.flops")
    expect(flops([[1.0, 0.0, 2.0], [3.0, 0.0, 0.0]]), 5.0)  # means 2, 0, 1
    expect(flops(np.array([[0.5, 1.0, 0.0, 2.0], [1.5, 0.0, 0.0, 3.0]])), 7.5)  # 1, 0.5, 0, 2.5


def test_flops__four_texts(task):
    expect(task("splade.flops")(TEXTS), 4.25)  # 1.5, 1, 1


def test_flops__a_word_that_all_have_costs_more(task):
    flops = task("splade.flops")
    expect(flops([[2.0, 0.0, 0.0], [2.0, 0.0, 0.0]]), 4.0)
    expect(flops([[2.0, 0.0, 0.0], [0.0, 2.0, 0.0]]), 2.0)


def test_flops__signs_do_not_cancel(task):
    expect(task("splade.flops")([[-1.0, 2.0, 0.0], [1.0, -4.0, 0.5]]), 10.0625)  # 1, 3, 0.25


def test_flops__one_text_and_nothing(task):
    flops = task("splade.flops")
    expect(flops([[0.5, 2.0, 0.0, 1.0]]), 5.25)
    expect(flops([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]), 0.0)


def test_flops_gradient__by_hand(task):
    flops_gradient = task("splade.flops_gradient")
    # means 2, 0.5, 1 of two texts: 2 x mean / 2 for each that is not 0
    expect(flops_gradient([[1.0, 1.0, 2.0], [3.0, 0.0, 0.0]]), [[2.0, 0.5, 1.0], [2.0, 0.0, 0.0]])
    expect(flops_gradient(np.array(TEXTS)), [[0.75, 0, 0.5], [0.75, 0, 0.5], [0, 0, 0.5], [0.75, 0.5, 0.5]])


def test_flops_gradient__below_zero_the_other_way(task):
    expect(task("splade.flops_gradient")([[-1.0, 2.0], [4.0, -0.5], [1.0, 0.5]]),
           [[-4 / 3, 2 / 3], [4 / 3, -2 / 3], [4 / 3, 2 / 3]])


def test_flops_gradient__one_text(task):
    expect(task("splade.flops_gradient")([[0.5, 0.0, 3.0, 0.25]]), [[1.0, 0.0, 6.0, 0.5]])


def test_flops_gradient__nothing_falls_no_further(task):
    expect(task("splade.flops_gradient")([[0.0, 0.0, 1.5], [0.0, 0.0, 0.5], [0.0, 3.0, 0.0], [0.0, 0.0, 0.0],
                                          [0.0, 0.0, 0.0]]),
           [[0.0, 0.0, 0.16], [0.0, 0.0, 0.16], [0.0, 0.24, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])


def test_ramp__with_the_square_of_the_step(task):
    ramp = task("splade.ramp")
    expect(ramp(3, 12, 0.8), 0.05)
    expect(ramp(5, 10, top=0.4), 0.1)
    expect(ramp(9, 12, 0.8), 0.45)


def test_ramp__both_ends(task):
    ramp = task("splade.ramp")
    expect(ramp(0, 40, 0.3), 0.0)
    expect(ramp(40, 40, 0.3), 0.3)


def test_ramp__after_the_end(task):
    ramp = task("splade.ramp")
    expect(ramp(41, 40, 0.3), 0.3)
    expect(ramp(300, 40, 0.003), 0.003)


def test_ramp__a_rise_of_one_step(task):
    ramp = task("splade.ramp")
    expect(ramp(0, 1, 2.5), 0.0)
    expect(ramp(1, 1, 2.5), 2.5)
    expect(ramp(2, 1, 2.5), 2.5)


QUESTION = {"car": 2.0, "price": 1.0, "automobile": 0.5}
DOCUMENT = {"automobile": 3.0, "rope": 4.0, "car": 0.25, "the": 0.125}


def test_sparse_dot__the_terms_that_both_have(task):
    sparse_dot = task("splade.sparse_dot")
    expect(sparse_dot({"car": 2.0, "price": 1.0}, {"car": 1.5, "rope": 3.0}), 3.0)
    expect(sparse_dot(QUESTION, DOCUMENT), 2.0)


def test_sparse_dot__either_side_may_be_the_longer(task):
    sparse_dot = task("splade.sparse_dot")
    expect(sparse_dot(DOCUMENT, {"rope": 0.25, "the": 4.0}), 1.5)
    expect(sparse_dot({"rope": 0.25, "the": 4.0}, DOCUMENT), 1.5)


def test_sparse_dot__twice_the_weights_four_times_the_score(task):
    sparse_dot = task("splade.sparse_dot")
    expect(sparse_dot({"car": 4.0, "price": 2.0, "automobile": 1.0}, {"automobile": 6.0, "rope": 8.0, "car": 0.5}), 8.0)
    expect(sparse_dot({"a": 3.0, "b": 4.0}, {"b": 4.0, "a": 3.0}), 25.0)


def test_sparse_dot__nothing_in_common(task):
    sparse_dot = task("splade.sparse_dot")
    expect(sparse_dot({"boat": 2.0}, {"car": 1.0, "rope": 0.5}), 0.0)
    expect(sparse_dot({"car": 2.0}, {"cart": 1.0, "scar": 0.5, "cars": 0.25}), 0.0)
    expect(sparse_dot({}, {"car": 1.0}), 0.0)
    expect(sparse_dot({"car": 1.0, "rope": 2.0}, {}), 0.0)


MANY = {"the": 0.1, "car": 2.0, "lorry": 0.75, "drive": 1.25, "auto": 0.75, "wheel": 0.5, "motor": 0.75}


def test_strongest__the_heaviest(task):
    strongest = task("splade.strongest")
    expect(strongest({"the": 0.1, "car": 2.0, "drive": 0.5}, 2), {"car": 2.0, "drive": 0.5})
    expect(strongest(MANY, n=1), {"car": 2.0})
    expect(strongest(MANY, 2), {"car": 2.0, "drive": 1.25})


def test_strongest__equal_weights_by_term(task):
    strongest = task("splade.strongest")
    expect(strongest(MANY, 3), {"car": 2.0, "drive": 1.25, "auto": 0.75})
    expect(strongest(MANY, 4), {"car": 2.0, "drive": 1.25, "auto": 0.75, "lorry": 0.75})
    expect(strongest({"b": 1.0, "c": 1.0, "a": 1.0}, 2), {"a": 1.0, "b": 1.0})
    expect(strongest({"b": 1.0, "aaa": 1.0, "c": 0.5}, 1), {"aaa": 1.0})


def test_strongest__no_more_than_there_are(task):
    strongest = task("splade.strongest")
    expect(strongest({"rope": 0.5, "boat": 0.25}, 9), {"rope": 0.5, "boat": 0.25})
    expect(strongest(MANY, 7), MANY)
    expect(strongest({}, 3), {})


def test_strongest__none(task):
    expect(task("splade.strongest")(MANY, 0), {})


FILED = [{"car": 2.0, "the": 0.5}, {"rope": 1.0, "the": 0.25, "boat": 1.5}, {}, {"the": 0.75, "car": 0.5}]
INDEX = {"car": [(0, 2.0), (3, 0.5)], "the": [(0, 0.5), (1, 0.25), (3, 0.75)], "rope": [(1, 1.0)], "boat": [(1, 1.5)]}


def test_impact_index__who_has_a_term_and_how_much(task):
    impact_index = task("splade.impact_index")
    expect(impact_index([{"car": 2.0}, {"car": 0.5, "rope": 1.0}]), {"car": [(0, 2.0), (1, 0.5)], "rope": [(1, 1.0)]})
    expect(impact_index(FILED), INDEX)


def test_impact_index__weights_above_zero_only(task):
    expect(task("splade.impact_index")([{"car": 0.0, "the": 0.5}, {"the": 0.0, "rope": 1.0, "sea": 0.0},
                                        {"car": -1.0, "the": 0.75, "ice": -0.5}, {"rope": 0.25}, {"the": 1.25}]),
           {"the": [(0, 0.5), (2, 0.75), (4, 1.25)], "rope": [(1, 1.0), (3, 0.25)]})


def test_impact_index__by_position(task):
    expect(task("splade.impact_index")([{"sea": 1.0}, {"sea": 3.0}, {"sea": 2.0}, {"sea": 0.5}]),
           {"sea": [(0, 1.0), (1, 3.0), (2, 2.0), (3, 0.5)]})


def test_impact_index__nothing(task):
    impact_index = task("splade.impact_index")
    expect(impact_index([]), {})
    expect(impact_index([{}, {"car": 0.0}]), {})


def test_score_all__one_term(task):
    score_all = task("splade.score_all")
    expect(score_all({"car": 2.0}, {"car": [(0, 1.5), (2, 0.5)], "rope": [(1, 1.0)]}, 3), [3.0, 0.0, 1.0])
    expect(score_all({"rope": 0.5}, INDEX, n=4), [0.0, 0.5, 0.0, 0.0])


def test_score_all__terms_add_up(task):
    score_all = task("splade.score_all")
    expect(score_all({"car": 2.0, "the": 4.0}, INDEX, 4), [6.0, 1.0, 0.0, 4.0])
    expect(score_all({"the": 0.5, "boat": 2.0, "rope": 3.0}, INDEX, 4), [0.25, 6.125, 0.0, 0.375])


def test_score_all__a_term_that_nobody_has(task):
    score_all = task("splade.score_all")
    expect(score_all({"ice": 5.0, "car": 3.0}, INDEX, 4), [6.0, 0.0, 0.0, 1.5])
    expect(score_all({"ice": 5.0}, INDEX, 4), [0.0, 0.0, 0.0, 0.0])
    expect(score_all({}, INDEX, 5), [0.0, 0.0, 0.0, 0.0, 0.0])


def test_score_all__documents_that_stand_in_no_list(task):
    score_all = task("splade.score_all")
    expect(score_all({"car": 2.0, "the": 1.0}, INDEX, 6), [4.5, 0.25, 0.0, 1.75, 0.0, 0.0])
    expect(score_all({"car": 2.0}, {}, 2), [0.0, 0.0])


def test_score_all__as_the_dot_product_of_full_rows(task):
    draw = np.random.default_rng(5)
    rows = np.where(draw.random((7, 9)) < 0.4, draw.integers(1, 16, (7, 9)) / 8, 0.0)
    question = np.where(draw.random(9) < 0.6, draw.integers(1, 16, 9) / 4, 0.0)
    index = {f"w{j}": [(i, float(rows[i, j])) for i in range(7) if rows[i, j]] for j in range(9) if rows[:, j].any()}
    expect(task("splade.score_all")({f"w{j}": float(w) for j, w in enumerate(question) if w}, index, 7),
           rows @ question)


WEIGHTS = {"automobile": 0.75, "car": 2.0, "the": 0.25, "drive": 1.25, "ride": 0.5}


def test_literal_and_added__two_heaps(task):
    literal_and_added = task("splade.literal_and_added")
    expect(literal_and_added(["car", "sale"], {"car": 2.0, "automobile": 0.75}),
           {"literal": {"car": 2.0}, "added": {"automobile": 0.75}})
    expect(literal_and_added(["the", "ride", "in", "a", "car"], WEIGHTS),
           {"literal": {"car": 2.0, "the": 0.25, "ride": 0.5}, "added": {"automobile": 0.75, "drive": 1.25}})


def test_literal_and_added__a_term_may_stand_twice(task):
    expect(task("splade.literal_and_added")(["car", "the", "car", "the", "car"], WEIGHTS),
           {"literal": {"car": 2.0, "the": 0.25}, "added": {"automobile": 0.75, "drive": 1.25, "ride": 0.5}})


def test_literal_and_added__whole_terms(task):
    expect(task("splade.literal_and_added")(["carpet", "bride"], {"car": 1.0, "ride": 0.5, "bride": 2.0}),
           {"literal": {"bride": 2.0}, "added": {"car": 1.0, "ride": 0.5}})


def test_literal_and_added__nothing_on_one_side(task):
    literal_and_added = task("splade.literal_and_added")
    expect(literal_and_added([], {"car": 2.0, "rope": 1.0}), {"literal": {}, "added": {"car": 2.0, "rope": 1.0}})
    expect(literal_and_added(["rope", "car"], {"car": 2.0, "rope": 1.0}),
           {"literal": {"car": 2.0, "rope": 1.0}, "added": {}})
    expect(literal_and_added(["of", "the"], {}), {"literal": {}, "added": {}})
