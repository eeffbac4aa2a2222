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
