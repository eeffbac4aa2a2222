"""Graded tests of the tasks experiment.*; the expected numbers were worked out by hand."""

import numpy as np

from firstprinciples.grading.compare import expect

# Eight resamples of five questions. The means of VALUES in each: 0.0, 0.1, 0.5, 0.2, -0.2, 0.3, 0.4, -0.3;
# in order: -0.3, -0.2, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5
VALUES = [0.5, -0.5, 0.0, 1.0, -0.25]
RESAMPLES = np.array([[0, 1, 2, 2, 2], [0, 2, 2, 2, 2], [3, 3, 0, 2, 2], [3, 2, 2, 2, 2], [1, 1, 2, 2, 2],
                      [3, 0, 2, 2, 2], [3, 3, 2, 2, 2], [1, 1, 1, 2, 2]])


def test_pieces_shown__the_first_chunk_that_holds_it(task):
    # c2 and c3 hold piece 0: c3 shows nothing new
    ranked, evidence = ["c1", "c2", "c3"], [(2, ("c2", "c3"))]
    expect(task("experiment.pieces_shown")(ranked, evidence), (["nothing 0", "piece 0", "nothing 2"], {"piece 0": 2}))


def test_pieces_shown__several_pieces_in_a_chunk_best_grade_first(task):
    evidence = [(1, ("a",)), (3, ("b", "a")), (2, ("a",)), (2, ("a", "c"))]
    expect(task("experiment.pieces_shown")(["x", "a", "c"], evidence),
           (["nothing 0", "piece 1", "piece 2", "piece 3", "piece 0", "nothing 2"],
            {"piece 0": 1, "piece 1": 3, "piece 2": 2, "piece 3": 2}))


def test_pieces_shown__a_piece_that_no_chunk_holds(task):
    pieces = task("experiment.pieces_shown")
    expect(pieces(["a", "b"], [(3, ()), (1, ("b",))]), (["nothing 0", "piece 1"], {"piece 0": 3, "piece 1": 1}))
    expect(pieces(["a"], []), (["nothing 0"], {}))


def test_pieces_shown__a_piece_that_was_not_found(task):
    evidence = [(3, ("c",)), (1, ("b",)), (2, ())]
    expect(task("experiment.pieces_shown")(["b"], evidence), (["piece 1"], {"piece 0": 3, "piece 1": 1, "piece 2": 2}))


def test_pieces_shown__a_chunk_that_comes_twice(task):
    expect(task("experiment.pieces_shown")(["b", "b", "a"], [(2, ("a",)), (1, ("b",))]),
           (["piece 1", "nothing 1", "piece 0"], {"piece 0": 2, "piece 1": 1}))


def test_pieces_shown__only_a_part_of_them_is_new(task):
    expect(task("experiment.pieces_shown")(["a", "b"], [(1, ("a", "b")), (3, ("b",))]),
           (["piece 0", "piece 1"], {"piece 0": 1, "piece 1": 3}))


EACH = {"q1": {"RR": 1.0, "recall": 0.5}, "q2": {"RR": 0.25, "recall": 1.0}, "q3": {"RR": 0.0, "recall": 0.0},
        "q4": {"RR": 0.5, "recall": 0.25}, "q5": {"RR": 0.1, "recall": 0.4}}


def test_means_by_kind__two_kinds(task):
    kinds = {"q1": "codes", "q2": "names", "q3": "codes", "q4": "codes", "q5": "names"}
    expect(task("experiment.means_by_kind")(EACH, kinds), {"codes": {"RR": 0.5, "recall": 0.25},
                                                           "names": {"RR": 0.175, "recall": 0.7}})


def test_means_by_kind__a_question_that_was_not_measured_does_not_count(task):
    kinds = {"q1": "codes", "q9": "codes", "q2": "names", "q8": "dates", "q3": "codes", "q4": "names", "q5": "names"}
    expect(task("experiment.means_by_kind")(EACH, kinds), {"codes": {"RR": 0.5, "recall": 0.25},
                                                           "names": {"RR": 0.85 / 3, "recall": 0.55}})


def test_means_by_kind__no_kind(task):
    expect(task("experiment.means_by_kind")(EACH, {"q1": "codes", "q2": "", "q3": "codes"}),
           {"codes": {"RR": 0.5, "recall": 0.25}})


def test_means_by_kind__nothing_measured(task):
    expect(task("experiment.means_by_kind")({}, {"q1": "codes"}), {})


def test_percentile__half_and_more(task):
    percentile = task("experiment.percentile")
    expect(percentile([40, 10, 30, 20], 51), 30)
    expect(percentile([40, 10, 30, 20], 50), 20)


def test_percentile__of_a_hundred_and_of_one(task):
    percentile = task("experiment.percentile")
    expect(percentile(list(range(100, 0, -1)), 95), 95)
    expect(percentile([7.5], 20), 7.5)


def test_percentile__the_ends(task):
    percentile = task("experiment.percentile")
    expect(percentile([0.4, 0.1, 0.3], 100), 0.4)
    expect(percentile([0.4, 0.1, 0.3], 0), 0.1)


def test_percentile__values_that_repeat(task):
    percentile = task("experiment.percentile")
    expect(percentile([40, 10, 30, 20], 40), 20)  # 1.6 of four values: the second
    expect(percentile([2, 9, 2, 2, 5], 60), 2)  # three of five, 60 percent, are 2 or less


def test_paired_differences__after_minus_before(task):
    before, after = {"q1": 0.5, "q2": 1.0, "q3": 0.25}, {"q1": 0.75, "q2": 0.0, "q3": 0.25}
    expect(task("experiment.paired_differences")(before, after), [0.25, -1.0, 0.0])
    expect(task("experiment.paired_differences")({"q1": 0.5}, {"q1": 0.50025}), [0.00025])


def test_paired_differences__the_same_questions_in_another_order(task):
    before, after = {"q3": 0.5, "q1": 1.0, "q2": 0.125}, {"q2": 1.0, "q3": 0.75, "q1": 0.5}
    expect(task("experiment.paired_differences")(before, after), [0.25, -0.5, 0.875])


def test_paired_differences__other_questions_are_refused(task):
    paired = task("experiment.paired_differences")
    paired.refuses({"q1": 0.5, "q2": 1.0}, {"q1": 0.5})
    paired.refuses({"q1": 0.5}, {"q1": 0.5, "q2": 1.0})
    paired.refuses({"q1": 0.5}, {"q2": 0.5})


def test_paired_differences__no_questions(task):
    expect(task("experiment.paired_differences")({}, {}), [])


def test_bootstrap_interval__the_middle_half(task):
    # a quarter of eight means is two of them: the second from below, and the sixth, which 75 percent do not exceed
    expect(task("experiment.bootstrap_interval")(VALUES, RESAMPLES, level=0.5), (-0.2, 0.3))


def test_bootstrap_interval__ninety_five_percent_unless_told(task):
    expect(task("experiment.bootstrap_interval")(VALUES, RESAMPLES), (-0.3, 0.5))
    # 41 resamples, each of one question alone: the means are 0 to 40, and 2.5 percent of them is 1.025
    alone = np.repeat(np.arange(41)[:, None], 41, axis=1)
    expect(task("experiment.bootstrap_interval")([float(i) for i in range(41)], alone), (1.0, 39.0))
    expect(task("experiment.bootstrap_interval")(VALUES, RESAMPLES, level=0.25), (0.0, 0.2))  # 37.5 percent outside
    twice = np.array([[0, 0], [0, 0], [1, 1]])  # a resample that comes twice counts twice
    expect(task("experiment.bootstrap_interval")([0.25, 1.0], twice, level=0.2), (0.25, 0.25))


def test_bootstrap_interval__one_resample_and_equal_values(task):
    interval = task("experiment.bootstrap_interval")
    expect(interval([0.5, 0.5, 0.5], np.array([[0, 0, 2], [1, 2, 2]])), (0.5, 0.5))
    expect(interval([0.25, 1.0], np.array([[1, 0]])), (0.625, 0.625))


def test_bootstrap_interval__as_many_resamples_as_questions(task):
    # the means of the rows are 0.5, 1, 2; those of the columns 1.5, 1, 1
    resamples = np.array([[1, 0, 0], [1, 0, 1], [1, 2, 1]])
    expect(task("experiment.bootstrap_interval")([0.0, 1.5, 3.0], resamples, level=0.9), (0.5, 2.0))


# Of six pieces five count; c2 holds two of them, x holds one that does not count, and no chunk holds the last
PIECES = [(3, ("c4",)), (2, ("c2", "c7")), (0, ("x",)), (1, ("c2",)), (2, ("c9", "c7")), (3, ())]
RANKED = ["x", "c2", "c3", "c7", "c4", "c8"]


def test_k_sweep__pieces_within_the_first_k_chunks(task):
    k_sweep = task("experiment.k_sweep")
    expect(k_sweep(RANKED, PIECES, [1, 2, 5]), {1: 0.0, 2: 0.4, 5: 0.8})
    expect(k_sweep(["a", "b", "c"], [(3, ("c",)), (3, ("a",))], [3, 2]), {3: 1.0, 2: 0.5})


def test_k_sweep__a_chunk_with_two_pieces_is_one_of_k(task):
    k_sweep = task("experiment.k_sweep")
    expect(k_sweep(["a", "b", "c"], [(2, ("a",)), (2, ("a",)), (3, ("b",))], [1, 2]), {1: 2 / 3, 2: 1.0})


def test_k_sweep__a_piece_that_comes_again_counts_once(task):
    k_sweep = task("experiment.k_sweep")
    expect(k_sweep(["a", "b", "c", "d"], [(2, ("a", "b", "d")), (1, ("c",))], [2, 4]), {2: 0.5, 4: 1.0})


def test_k_sweep__of_all_pieces_that_count(task):
    k_sweep = task("experiment.k_sweep")
    expect(k_sweep(["a", "b"], [(3, ("b",)), (2, ()), (1, ("z",)), (1, ("a",))], [1, 2]), {1: 0.25, 2: 0.5})
    expect(k_sweep(["a", "b", "c"], [(0, ("a",)), (1, ("c",))], [1, 3]), {1: 0.0, 3: 1.0})


def test_k_sweep__beyond_the_end_of_the_list(task):
    k_sweep = task("experiment.k_sweep")
    expect(k_sweep(["b", "a"], [(2, ("a",)), (2, ("c",)), (1, ("d",))], [1, 10, 50]), {1: 0.0, 10: 1 / 3, 50: 1 / 3})
    expect(k_sweep([], [(2, ("a",))], [1, 3]), {1: 0.0, 3: 0.0})


def test_k_sweep__no_piece_counts(task):
    k_sweep = task("experiment.k_sweep")
    expect(k_sweep(["a", "b"], [(0, ("a",))], [1, 5]), {1: 0.0, 5: 0.0})
    expect(k_sweep(["a", "b"], [], [2]), {2: 0.0})


def test_k_sweep__no_chunk_is_handed_over(task):
    k_sweep = task("experiment.k_sweep")
    k_sweep.refuses(RANKED, PIECES, [1, 0])
    k_sweep.refuses(RANKED, PIECES, [-1])


def test_knee__the_smallest_that_is_near_enough(task):
    knee = task("experiment.knee")
    expect(knee({1: 0.5, 3: 0.62, 5: 0.7, 10: 0.78, 20: 0.8}, 0.05), 10)
    expect(knee({1: 0.5, 3: 0.62, 5: 0.7, 10: 0.78, 20: 0.8}, 0.11), 5)


def test_knee__the_best_need_not_be_the_last(task):
    knee = task("experiment.knee")
    expect(knee({1: 0.3, 3: 0.6, 5: 0.7, 10: 0.64, 20: 0.5}, 0.06), 5)
    expect(knee({1: 0.79, 2: 0.2, 3: 0.8}, 0.02), 1)


def test_knee__in_any_order(task):
    knee = task("experiment.knee")
    expect(knee({20: 0.8, 5: 0.75, 10: 0.79, 1: 0.1}, 0.06), 5)
    expect(knee({10: 0.6, 3: 0.6, 50: 0.6}, 0.0), 3)


def test_knee__just_the_tolerance_is_near_enough(task):
    knee = task("experiment.knee")
    expect(knee({1: 0.5, 5: 0.75, 10: 1.0}, 0.25), 5)
    expect(knee({1: 0.5, 5: 0.7, 10: 0.8}, 0.1), 5)  # 0.8 - 0.7 is a little more than 0.1 in the machine


def test_knee__a_difference_and_no_share(task):
    knee = task("experiment.knee")
    expect(knee({1: 1.0, 5: 3.7, 10: 4.0}, 0.25), 10)
    expect(knee({1: -3.0, 5: -2.5, 10: -2.0}, 0.5), 5)


def test_knee__nothing_to_choose_from(task):
    knee = task("experiment.knee")
    knee.refuses({}, 0.1)
    knee.refuses({1: 0.5, 3: 0.6}, -0.01)


def test_added__the_percentile_of_each(task):
    added = task("experiment.added")
    expect(added([1.0, 2.0, 9.0], [4.0, 3.0, 9.5], p=50), 2.0)
    expect(added([3.0, 1.0, 7.0, 2.0], [8.0, 4.5, 6.0, 20.0], p=75), 5.0)


def test_added__not_of_the_differences(task):
    expect(task("experiment.added")([5.0, 1.0, 3.0], [6.0, 8.0, 4.0], p=100), 3.0)


def test_added__ninety_five_unless_told(task):
    before, after = [float(i) for i in range(1, 41)], [i + i * i / 10 for i in range(40, 0, -1)]
    expect(task("experiment.added")(before, after), 144.4)  # of 40 the 38th, whose square is 1444


def test_added__not_equally_many(task):
    added = task("experiment.added")
    expect(added([2.0, 1.0], [4.0, 3.0, 6.0, 5.0, 9.0], p=60), 3.0)
    expect(added([4.0], [4.0, 4.5], p=50), 0.0)


def test_added__quicker_than_before(task):
    expect(task("experiment.added")([9.0, 4.0, 6.5], [2.0, 3.0, 1.5], p=50), -4.5)


def test_added__nothing_was_timed(task):
    added = task("experiment.added")
    added.refuses([], [1.0, 2.0])
    added.refuses([1.0, 2.0], [])
    added.refuses([1.0], [2.0], p=101)


def test_report_line__a_gain_that_is_sure(task):
    report_line = task("experiment.report_line")
    expect(report_line(135, "RRF", 0.55, 0.643, 0.04, 0.15),
           "on 135 questions, RRF took Recall@10 from 0.550 to 0.643 (+0.093, 95 % interval +0.040 to +0.150)")
    expect(report_line(24, "context", 0.5, 0.7504, 0.12345, 0.37, measure="nDCG@10"),
           "on 24 questions, context took nDCG@10 from 0.500 to 0.750 (+0.250, 95 % interval +0.123 to +0.370)")


def test_report_line__a_loss_that_is_sure(task):
    expect(task("experiment.report_line")(80, "X", 0.643, 0.5, -0.2, -0.08),
           "on 80 questions, X took Recall@10 from 0.643 to 0.500 (-0.143, 95 % interval -0.200 to -0.080)")


def test_report_line__what_it_cost(task):
    report_line = task("experiment.report_line")
    gain = "on 40 questions, RRF took RR from 0.250 to 0.375 (+0.125, 95 % interval +0.050 to +0.200)"
    expect(report_line(40, "RRF", 0.25, 0.375, 0.05, 0.2, 3.14, "RR"), gain + " and added 3.1 ms to p95")
    expect(report_line(40, "RRF", 0.25, 0.375, 0.05, 0.2, 1250, "RR"), gain + " and added 1250.0 ms to p95")


def test_report_line__it_became_quicker(task):
    gain = "on 40 questions, RRF took RR from 0.250 to 0.375 (+0.125, 95 % interval +0.050 to +0.200)"
    expect(task("experiment.report_line")(40, "RRF", 0.25, 0.375, 0.05, 0.2, -12.66, "RR"),
           gain + " and took 12.7 ms off p95")


def test_report_line__not_told_apart(task):
    report_line = task("experiment.report_line")
    expect(report_line(135, "X", 0.643, 0.64, -0.02, 0.01), "on 135 questions, X took Recall@10 from 0.643 to 0.640 "
           "(-0.003, 95 % interval -0.020 to +0.010: not told apart)")
    expect(report_line(9, "X", 0.5, 0.625, -0.1, 0.35, 2.0), "on 9 questions, X took Recall@10 from 0.500 to 0.625 "
           "(+0.125, 95 % interval -0.100 to +0.350: not told apart) and added 2.0 ms to p95")


def test_report_line__an_end_at_zero(task):
    report_line = task("experiment.report_line")
    expect(report_line(30, "X", 0.5, 0.6, 0.0, 0.2), "on 30 questions, X took Recall@10 from 0.500 to 0.600 "
           "(+0.100, 95 % interval +0.000 to +0.200: not told apart)")
    expect(report_line(30, "X", 0.5, 0.4, -0.2, 0.0), "on 30 questions, X took Recall@10 from 0.500 to 0.400 "
           "(-0.100, 95 % interval -0.200 to +0.000: not told apart)")


def test_report_line__what_is_rounded_to_zero(task):
    report_line = task("experiment.report_line")
    expect(report_line(30, "X", 0.5, 0.4999, -0.0004, -0.0001, -0.04), "on 30 questions, X took Recall@10 from 0.500 "
           "to 0.500 (+0.000, 95 % interval +0.000 to +0.000) and added 0.0 ms to p95")
    expect(report_line(30, "X", 0.5, 0.5, 0.0, 0.0, 0), "on 30 questions, X took Recall@10 from 0.500 to 0.500 "
           "(+0.000, 95 % interval +0.000 to +0.000: not told apart) and added 0.0 ms to p95")


def test_report_line__no_question_and_ends_exchanged(task):
    report_line = task("experiment.report_line")
    report_line.refuses(0, "X", 0.5, 0.6, 0.05, 0.15)
    report_line.refuses(30, "X", 0.5, 0.6, 0.15, 0.05)


def test_pareto__not_beaten(task):
    pareto = task("experiment.pareto")
    expect(pareto({"words": (0.55, 1.0), "vectors": (0.5, 4.0), "both": (0.64, 5.0)}), ["both", "words"])
    expect(pareto({"c": (0.9, 9.0), "a": (0.5, 2.0), "d": (0.7, 4.0), "b": (0.6, 7.0), "e": (0.4, 3.0)}),
           ["a", "c", "d"])


def test_pareto__one_is_the_same_and_the_other_better(task):
    pareto = task("experiment.pareto")
    expect(pareto({"slow": (0.7, 9.0), "quick": (0.7, 5.0), "cheap": (0.3, 1.0)}), ["cheap", "quick"])
    expect(pareto({"poor": (0.5, 3.0), "good": (0.6, 3.0), "best": (0.9, 8.0)}), ["best", "good"])


def test_pareto__of_equal_points_none_beats_the_other(task):
    expect(task("experiment.pareto")({"b": (0.6, 3.0), "z": (0.5, 3.5), "a": (0.6, 3.0)}), ["a", "b"])


def test_pareto__one_beats_all(task):
    expect(task("experiment.pareto")({"x": (0.5, 3.0), "y": (0.9, 1.0), "z": (0.8, 2.0)}), ["y"])


def test_pareto__each_on_its_own_and_below_zero(task):
    pareto = task("experiment.pareto")
    expect(pareto({"m": (0.5, -2.0), "b": (0.7, 0.0), "k": (-0.1, -3.0)}), ["b", "k", "m"])
    expect(pareto({"B": (0.5, 2.0), "a": (0.25, 1.0)}), ["B", "a"])


def test_pareto__one_and_none(task):
    pareto = task("experiment.pareto")
    expect(pareto({"only": (0.0, 100.0)}), ["only"])
    expect(pareto({}), [])
