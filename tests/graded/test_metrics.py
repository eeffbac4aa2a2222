"""Graded tests of the tasks metrics.*; the expected numbers were worked out by hand."""

from math import log2

from firstprinciples.grading.compare import expect

# Ranked list of six; a, c and f are relevant with different grades, z is relevant and was not found.
RANKED = ["x", "c", "a", "y", "w", "f"]
GRADES = {"a": 3, "c": 1, "f": 2, "z": 2, "y": 0}


def test_gains__grades_in_ranked_order(task):
    expect(task("metrics.gains")(RANKED, GRADES, k=6), [0, 1, 3, 0, 0, 2])
    expect(task("metrics.gains")(["n", "a"], {"n": -1, "a": 3}, k=2), [0, 3])  # judged harmful: not relevant


def test_gains__cut_at_k(task):
    expect(task("metrics.gains")(RANKED, GRADES, k=2), [0, 1])


def test_gains__an_id_that_stands_twice_counts_once(task):
    expect(task("metrics.gains")(["a", "x", "a", "c"], GRADES, k=4), [3, 0, 0, 1])


def test_gains__places_are_counted_from_1(task):
    gains = task("metrics.gains")
    gains.refuses(["a"], {"a": 1}, k=0)
    gains.refuses(["a"], {"a": 1}, k=-1)


def test_gains__a_short_list(task):
    expect(task("metrics.gains")(["f"], GRADES, k=5), [2])


def test_recall_at_k__one_of_four(task):
    expect(task("metrics.recall_at_k")(["a", "x", "b"], {"a": 1, "b": 1, "c": 2, "d": 1}, k=1), 0.25)


def test_recall_at_k__three_of_four_in_six(task):
    recall = task("metrics.recall_at_k")
    expect(recall(RANKED, GRADES, k=6), 0.75)
    expect(recall(RANKED, GRADES, k=3), 0.5)


def test_recall_at_k__a_double_is_one(task):
    expect(task("metrics.recall_at_k")(["a", "a", "a", "c"], GRADES, k=3), 0.25)


def test_recall_at_k__nothing_relevant(task):
    expect(task("metrics.recall_at_k")(["a", "b"], {"a": 0}, k=2), 0.0)


def test_precision_at_k__one_hit_for_ten(task):
    expect(task("metrics.precision_at_k")(["a"], {"a": 1}, k=10), 0.1)


def test_precision_at_k__three_of_six_then_two_of_three(task):
    precision = task("metrics.precision_at_k")
    expect(precision(RANKED, GRADES, k=3), 2 / 3)
    expect(precision(RANKED, GRADES, k=6), 0.5)
    expect(precision(["a", "x", "c"], GRADES, k=20), 0.1)


def test_precision_at_k__a_double_is_one(task):
    expect(task("metrics.precision_at_k")(["a", "a", "x", "c", "f"], GRADES, k=4), 0.5)


def test_reciprocal_rank__second(task):
    expect(task("metrics.reciprocal_rank")(["x", "a"], {"a": 1}), 0.5)


def test_reciprocal_rank__first_and_sixth(task):
    rr = task("metrics.reciprocal_rank")
    expect(rr(["a", "c"], GRADES), 1.0)
    expect(rr(["x", "x", "a"], GRADES), 1 / 3)
    expect(rr(["v", "w", "x", "y", "u", "f", "a", "c"], {"c": 1, "a": 3, "y": 0, "f": 2}), 1 / 6)


def test_reciprocal_rank__below_k_is_nothing(task):
    rr = task("metrics.reciprocal_rank")
    expect(rr(["v", "w", "x", "y", "u", "a"], GRADES, k=3), 0.0)
    expect(rr(["v", "w", "x", "a"], GRADES, k=3), 0.0)
    expect(rr(list("1234567890") + ["a"], GRADES), 0.0)  # k is 10 unless given
    expect(rr([], GRADES), 0.0)
    expect(rr(["v", "w", "a"], GRADES, k=3), 1 / 3)
    expect(rr(list("123456789") + ["a"], GRADES), 0.1)


def test_mean_reciprocal_rank__a_miss_stays_in_the_mean(task):
    expect(task("metrics.mean_reciprocal_rank")({"q1": ["x", "a"]}, {"q1": {"a": 1}, "q2": {"b": 1}}), 0.25)


def test_mean_reciprocal_rank__three_queries(task):
    run = {"q1": ["x", "y", "a"], "q2": ["b"], "q3": ["y", "z"]}
    qrels = {"q1": {"a": 2}, "q2": {"b": 1}, "q3": {"c": 1}}
    expect(task("metrics.mean_reciprocal_rank")(run, qrels), 4 / 9)  # (1/3 + 1 + 0) / 3


def test_mean_reciprocal_rank__a_query_with_nothing_to_find_is_left_out(task):
    mrr = task("metrics.mean_reciprocal_rank")
    expect(mrr({"q1": ["a"], "q2": ["b"], "q9": ["c"]}, {"q1": {"a": 1}, "q2": {"b": 0}}), 1.0)
    expect(mrr({"q2": ["b"]}, {"q2": {"b": 0}}), 0.0)
    expect(mrr({"q1": ["n", "n", "a"]}, {"q1": {"n": 0, "a": 1}}), 1 / 3)  # n was judged not relevant


def test_mean_reciprocal_rank__only_the_first_k_places(task):
    run, qrels = {"q1": ["x", "y", "a"], "q2": ["b"]}, {"q1": {"a": 1}, "q2": {"b": 1}}
    mrr = task("metrics.mean_reciprocal_rank")
    expect(mrr({"q1": ["x", "y", "w", "v", "a"]}, {"q1": {"a": 1}}, k=2), 0.0)
    expect(mrr(run, qrels, k=2), 0.5)
    expect(mrr(run, qrels, k=3), (1 / 3 + 1) / 2)
    expect(mrr({"q1": list("123456789") + ["a"], "q2": ["b"]}, qrels), 0.55)
    expect(mrr({"q1": list("1234567890") + ["a"], "q2": ["b"]}, qrels), 0.5)  # k is 10 unless given


def test_mean_reciprocal_rank__a_query_with_the_name_of_a_document(task):
    # nothing is dropped because it is called like the query
    mrr = task("metrics.mean_reciprocal_rank")
    expect(mrr({"d1": ["d1", "d2"], "d2": ["d3", "d2"]}, {"d1": {"d1": 1}, "d2": {"d2": 1}}), 0.75)


def test_mean_reciprocal_rank__nothing_that_was_judged_was_run(task):
    expect(task("metrics.mean_reciprocal_rank")({"q9": ["a"]}, {"q1": {"a": 1}, "q2": {"b": 2}}), 0.0)


def test_dcg__by_hand(task):
    # 3 / log2(2) + 2 / log2(3) + 3 / log2(4) + 0 + 1 / log2(6) + 2 / log2(7)
    expect(task("metrics.dcg")([3, 2, 3, 0, 1, 2]), 3 + 2 / log2(3) + 1.5 + 1 / log2(6) + 2 / log2(7))  # 6.8611


def test_dcg__the_second_place_counts_less_than_the_first(task):
    expect(task("metrics.dcg")([0, 5]), 5 / log2(3))  # 3.1546


def test_dcg__nothing(task):
    expect(task("metrics.dcg")([]), 0.0)


def test_ndcg_at_k__the_published_gains(task):
    ndcg = task("metrics.ndcg_at_k")
    grades = {"a": 3, "b": 2, "c": 3, "e": 1, "f": 2}
    expect(ndcg(list("abcdef"), grades, k=6), 0.960808)
    expect(ndcg(list("abcdef"), grades, k=5), 0.861044)


def test_ndcg_at_k__exponential_gain(task):
    grades = {"a": 3, "b": 2, "c": 3, "e": 1, "f": 2}
    expect(task("metrics.ndcg_at_k")(list("abcdef"), grades, k=6, exponential=True), 0.948811, rel=2e-6)
    ndcg = task("metrics.ndcg_at_k")
    expect(ndcg(["a", "f", "x"], GRADES, k=2, exponential=True), 1.0)
    expect(ndcg(["a", "a", "b"], {"a": 2, "b": 1}, exponential=True), (3 + 1 / 2) / (3 + 1 / log2(3)))
    expect(ndcg(["x"], {"a": 0}, exponential=True), 0.0)


def test_ndcg_at_k__the_ideal_holds_what_was_not_found(task):
    # found: 1 at rank 2, 3 at rank 3, 2 at rank 6; ideal 3, 2, 2, 1
    found = 1 / log2(3) + 3 / 2 + 2 / log2(7)
    ideal = 3 + 2 / log2(3) + 2 / 2 + 1 / log2(5)
    ndcg = task("metrics.ndcg_at_k")
    expect(ndcg(RANKED, GRADES, k=6), found / ideal)
    expect(ndcg(["a"], {"a": 1, "b": 1}, k=6), 1 / (1 + 1 / log2(3)))  # also where the list is short


def test_ndcg_at_k__the_ideal_is_cut_at_k_too(task):
    expect(task("metrics.ndcg_at_k")(["a", "f", "x"], GRADES, k=2), 1.0)


def test_ndcg_at_k__ten_places_when_none_are_given_and_doubles_count_once(task):
    ndcg = task("metrics.ndcg_at_k")
    expect(ndcg(["a", "a", "b"], {"a": 2, "b": 1}), (2 + 1 / 2) / (2 + 1 / log2(3)))
    expect(ndcg(["x"] * 10 + ["a"], {"a": 2}), 0.0)
    expect(ndcg(["x"] * 9 + ["a"], {"a": 2}), 1 / log2(11))
    expect(ndcg(["x"], {"a": 0}), 0.0)


def test_dcg_with_base__by_hand(task):
    # 3 + 2 / log2(2) + 3 / log2(3) + 0 + 1 / log2(5) + 2 / log2(6)
    expected = 3 + 2 + 3 / log2(3) + 1 / log2(5) + 2 / log2(6)  # 8.0972
    expect(task("metrics.dcg_with_base")([3, 2, 3, 0, 1, 2], base=2), expected)
    expect(task("metrics.dcg_with_base")([3, 2, 3, 0, 1, 2]), expected)  # base 2 unless given


def test_dcg_with_base__a_patient_reader(task):
    # below rank 4 all count in full; then 5 / 1, 6 / log4(5)
    dcg = task("metrics.dcg_with_base")
    expect(dcg([1, 2, 3, 5, 6], base=4), 1 + 2 + 3 + 5 + 6 / (log2(5) / 2))
    expect(dcg([1, 2, 3], base=10), 6)
    expect(dcg([4, 2], base=1.5), 4 + 2 / (1 / log2(1.5)))  # log to the base 1.5 of 2 is 1 / log2(1.5)


def test_dcg_with_base__nothing_and_no_logarithm(task):
    dcg = task("metrics.dcg_with_base")
    expect(dcg([]), 0.0)
    dcg.refuses([1, 2], base=0.5)
    dcg.refuses([1, 2], base=1)


def test_average_precision__by_hand(task):
    # relevant a, c, f, z: c at 2, a at 3, f at 6, z not found: (1/2 + 2/3 + 3/6 + 0) / 4
    expect(task("metrics.average_precision")(RANKED, GRADES), (1 / 2 + 2 / 3 + 1 / 2) / 4)  # 0.4167


def test_average_precision__all_on_top_and_none_at_all(task):
    ap = task("metrics.average_precision")
    expect(ap(["b", "a", "x"], {"a": 1, "b": 3}), 1.0)
    expect(ap(["x", "y"], {"a": 1}), 0.0)
    expect(ap([], {"a": 1}), 0.0)


def test_average_precision__only_the_first_k_places(task):
    ap = task("metrics.average_precision")
    expect(ap(RANKED, GRADES, k=3), (1 / 2 + 2 / 3) / 4)
    expect(ap(["x"] * 1000 + ["a"], {"a": 1}), 0.0)  # k is 1000 unless given
    expect(ap(["x"] * 999 + ["a"], {"a": 1}), 0.001)


def test_average_precision__a_double_counts_once_and_keeps_its_place(task):
    expect(task("metrics.average_precision")(["a", "a", "c"], {"a": 1, "c": 2}), (1 + 2 / 3) / 2)


def test_average_precision__nothing_relevant(task):
    expect(task("metrics.average_precision")(["a", "b"], {"a": 0}), 0.0)


def test_rank_by_score__best_first(task):
    expect(task("metrics.rank_by_score")({"b": -0.5, "c": 2.25, "a": 1.0}), ["c", "a", "b"])
    expect(task("metrics.rank_by_score")({"b": -4.0, "c": 2.25, "a": -0.5}), ["c", "a", "b"])


def test_rank_by_score__equal_scores_by_id(task):
    expect(task("metrics.rank_by_score")({"d": 1.5, "b": 1.5, "e": 3.0, "a": 0.5, "c": 1.5}), ["e", "b", "c", "d", "a"])


def test_rank_by_score__ids_are_compared_as_strings(task):
    scores = {"9": 1.0, "10": 1.0, "2": 1.0, "B": 1.0, "a": 1.0}
    expect(task("metrics.rank_by_score")(scores), ["10", "2", "9", "B", "a"])


def test_rank_by_score__a_small_difference_is_no_tie(task):
    expect(task("metrics.rank_by_score")({"a": 0.30000000001, "b": 0.30000000002}), ["b", "a"])


def test_rank_by_score__nothing(task):
    expect(task("metrics.rank_by_score")({}), [])
