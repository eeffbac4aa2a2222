"""Graded tests of the tasks fusion.*; the expected numbers were worked out by hand."""

from firstprinciples.grading.compare import expect

# Two lists with two documents in common, and a third that shares one with the second only.
WORDS = ["A", "B", "C", "D"]
MEANING = ["C", "A", "E", "F"]
TITLES = ["G", "E"]
SCORED = [("A", 12.0), ("B", 9.0), ("C", 6.0), ("D", 0.0)]


def test_reciprocal_rank__the_first_place_is_rank_1(task):
    rr = task("fusion.reciprocal_rank")
    expect(rr(1, k=60), 1 / 61)  # 0.0164
    expect(rr(5, k=60), 1 / 65)


def test_reciprocal_rank__another_k(task):
    rr = task("fusion.reciprocal_rank")
    expect(rr(rank=4, k=1), 0.2)
    expect(rr(rank=2, k=0), 0.5)
    expect(rr(rank=3, k=100), 1 / 103)


def test_reciprocal_rank__k_is_60_unless_given(task):
    expect(task("fusion.reciprocal_rank")(40), 0.01)


def test_reciprocal_rank__no_rank_and_no_k(task):
    rr = task("fusion.reciprocal_rank")
    rr.refuses(0)
    rr.refuses(-3, k=60)
    rr.refuses(2, k=-1)


def test_votes__one_number_for_each_list(task):
    votes = task("fusion.votes")
    expect(votes([WORDS, MEANING, TITLES], "A", k=60), [1 / 61, 1 / 62, 0.0])
    expect(votes([TITLES, WORDS, MEANING], "E", k=60), [1 / 62, 0.0, 1 / 63])


def test_votes__k(task):
    votes = task("fusion.votes")
    expect(votes([MEANING, TITLES], "F", k=1), [0.2, 0.0])
    expect(votes([WORDS, MEANING, ["x", "A"]], "A"), [1 / 61, 1 / 62, 1 / 62])
    expect(votes([["AB", "a", "A"], ["BA", "a"]], "A", k=10), [1 / 13, 0.0])  # the whole id, to the letter


def test_votes__an_id_that_stands_twice_votes_once(task):
    votes = task("fusion.votes")
    expect(votes([["A", "A", "B"], ["B", "x", "A", "y", "A"]], "A", k=10), [1 / 11, 1 / 13])
    expect(votes([["A", "A", "B"], ["B", "x", "A"]], "B", k=10), [1 / 13, 1 / 11])  # and those below keep their places


def test_votes__in_no_list(task):
    votes = task("fusion.votes")
    expect(votes([WORDS, [], TITLES], "Z", k=60), [0.0, 0.0, 0.0])
    expect(votes([], "A", k=60), [])


def test_reciprocal_rank_fusion__two_lists_by_hand(task):
    # to four decimals: A 0.0325, C 0.0323, B 0.0161, E 0.0159, and D and F tie at 0.0156
    expect(task("fusion.reciprocal_rank_fusion")([WORDS, MEANING], k=60),
           [("A", 1 / 61 + 1 / 62), ("C", 1 / 63 + 1 / 61), ("B", 1 / 62), ("E", 1 / 63), ("D", 1 / 64), ("F", 1 / 64)])


def test_reciprocal_rank_fusion__what_both_hold_comes_first(task):
    expect(task("fusion.reciprocal_rank_fusion")([["X", "a", "Y"], ["b", "c", "Y"]], k=60),
           [("Y", 2 / 63), ("X", 1 / 61), ("b", 1 / 61), ("a", 1 / 62), ("c", 1 / 62)])


def test_reciprocal_rank_fusion__a_small_k_lets_the_first_place_win(task):
    fuse = task("fusion.reciprocal_rank_fusion")
    expect(fuse([["X", "a", "Y"], ["b", "c", "Y"]], k=0),
           [("X", 1.0), ("b", 1.0), ("Y", 2 / 3), ("a", 0.5), ("c", 0.5)])
    expect(fuse([["q", "p"], ["p"], ["r", "q"]]), [("p", 1 / 61 + 1 / 62), ("q", 1 / 61 + 1 / 62), ("r", 1 / 61)])


def test_reciprocal_rank_fusion__an_id_that_stands_twice_counts_once(task):
    fuse = task("fusion.reciprocal_rank_fusion")
    expect(fuse([["A", "A", "B"]], k=60), [("A", 1 / 61), ("B", 1 / 63)])
    expect(fuse([["B", "x", "A", "B"], ["A"]], k=1), [("A", 1 / 4 + 1 / 2), ("B", 1 / 2), ("x", 1 / 3)])


def test_reciprocal_rank_fusion__ties_by_id_as_strings(task):
    expect(task("fusion.reciprocal_rank_fusion")([["9"], ["10"], ["2", "7"]], k=60),
           [("10", 1 / 61), ("2", 1 / 61), ("9", 1 / 61), ("7", 1 / 62)])


def test_reciprocal_rank_fusion__nothing_to_fuse(task):
    fuse = task("fusion.reciprocal_rank_fusion")
    expect(fuse([], k=60), [])
    expect(fuse([[], ["A", "B"], []], k=60), [("A", 1 / 61), ("B", 1 / 62)])


def test_reciprocal_rank_fusion__ids_are_strings(task):
    fuse = task("fusion.reciprocal_rank_fusion")
    fuse.refuses([["4", "7"], [4, 2, 9]], k=60)
    fuse.refuses([[4, 2, 9]], k=60)
    fuse.refuses([["4", "7"], ["2", 4, "9"]], k=60)


def test_reciprocal_rank_fusion__k_below_0(task):
    task("fusion.reciprocal_rank_fusion").refuses([["A", "B"], ["B"]], k=-0.5)


def test_min_max__lowest_0_and_highest_1(task):
    scale = task("fusion.min_max")
    expect(scale([12.0, 9.0, 6.0, 0.0]), [1.0, 0.75, 0.5, 0.0])
    expect(scale([12.0, 7.5, 3.0]), [1.0, 0.5, 0.0])


def test_min_max__the_order_given_stays(task):
    expect(task("fusion.min_max")([2.0, 10.0, 4.0, 6.0, 4.0]), [0.0, 1.0, 0.25, 0.5, 0.25])


def test_min_max__below_0(task):
    expect(task("fusion.min_max")([0.5, -0.5, 0.25]), [1.0, 0.0, 0.75])


def test_min_max__close_together(task):
    expect(task("fusion.min_max")([5e-30, 1e-30, 2e-30]), [1.0, 0.0, 0.25])


def test_min_max__all_equal(task):
    scale = task("fusion.min_max")
    expect(scale([3.0, 3.0, 3.0]), [0.5, 0.5, 0.5])
    expect(scale([0.0, 0.0]), [0.5, 0.5])
    expect(scale([7.0]), [0.5])


def test_min_max__no_scores(task):
    expect(task("fusion.min_max")([]), [])


def test_min_max__no_number(task):
    scale = task("fusion.min_max")
    scale.refuses([1.0, float("nan"), 3.0])
    scale.refuses([1.0, 2.0, float("inf"), 0.5])


def test_weighted_fusion__by_hand(task):
    # words: A 1, B 0.75, C 0.5, D 0; meaning: C 1, A 0.75, E 0; halved and added
    expect(task("fusion.weighted_fusion")([SCORED, [("C", 0.9), ("A", 0.8), ("E", 0.5)]], [0.5, 0.5]),
           [("A", 0.875), ("C", 0.75), ("B", 0.375), ("D", 0.0), ("E", 0.0)])


def test_weighted_fusion__weights_are_taken_as_they_are(task):
    fuse = task("fusion.weighted_fusion")
    lists = [SCORED, [("C", 0.9), ("A", 0.8), ("E", 0.5)]]
    expect(fuse(lists, [0, 2]), [("C", 2.0), ("A", 1.5), ("B", 0.0), ("D", 0.0), ("E", 0.0)])
    expect(fuse(lists, [3, 1]), [("A", 3.75), ("C", 2.5), ("B", 2.25), ("D", 0.0), ("E", 0.0)])


def test_weighted_fusion__a_list_that_can_not_tell(task):
    # all scores equal: 0.5 each
    expect(task("fusion.weighted_fusion")([SCORED, [("D", 4.0), ("E", 4.0)], [("B", 8.0)]], [1, 1, 1]),
           [("B", 1.25), ("A", 1.0), ("C", 0.5), ("D", 0.5), ("E", 0.5)])


def test_weighted_fusion__an_id_that_stands_twice_counts_once(task):
    fuse = task("fusion.weighted_fusion")
    expect(fuse([[("A", 8.0), ("B", 5.0), ("A", 2.0), ("C", 0.0)], [("C", 0.7)]], [1, 0.4]),
           [("A", 1.0), ("B", 0.625), ("C", 0.2)])


def test_weighted_fusion__the_lower_of_two_scores_does_not_count(task):
    # A has 8 and the list goes from 4 to 8: the 0 of A takes no part
    expect(task("fusion.weighted_fusion")([[("A", 0.0), ("B", 5.0), ("A", 8.0), ("C", 4.0)]], [2]),
           [("A", 2.0), ("B", 0.5), ("C", 0.0)])


def test_weighted_fusion__negative_scores(task):
    expect(task("fusion.weighted_fusion")([[("A", 0.5), ("B", 0.25), ("C", -0.5)], [("C", 2.0), ("D", 1.0)]], [2, 1]),
           [("A", 2.0), ("B", 1.5), ("C", 1.0), ("D", 0.0)])


def test_weighted_fusion__ties_by_id_as_strings(task):
    expect(task("fusion.weighted_fusion")([[("9", 8.0), ("2", 5.0), ("30", 4.0)], [("10", 0.7), ("7", 0.1)]], [1, 1]),
           [("10", 1.0), ("9", 1.0), ("2", 0.25), ("30", 0.0), ("7", 0.0)])


def test_weighted_fusion__nothing_to_fuse(task):
    fuse = task("fusion.weighted_fusion")
    expect(fuse([], []), [])
    expect(fuse([[], [("A", 4.0), ("B", 2.0), ("C", 1.0)]], [0.5, 1.5]), [("A", 1.5), ("B", 0.5), ("C", 0.0)])


def test_weighted_fusion__weights_that_do_not_fit(task):
    fuse = task("fusion.weighted_fusion")
    fuse.refuses([SCORED, [("C", 0.9), ("E", 0.5)]], [0.5])
    fuse.refuses([SCORED, [("C", 0.9), ("E", 0.5)]], [1.5, -0.5])


def test_weighted_fusion__ids_are_strings(task):
    task("fusion.weighted_fusion").refuses([[("4", 2.0), ("7", 1.0)], [(4, 0.9), (2, 0.5), (9, 0.1)]], [0.5, 0.5])
