"""Graded tests of the tasks corrective.*; the expected numbers were worked out by hand."""

from firstprinciples.grading.compare import expect

NAN, INFINITE = float("nan"), float("inf")


def test_told_apart__all_pairs_and_ties_count_half(task):
    told_apart = task("corrective.told_apart")
    expect(told_apart([3.0, 1.0, 2.0], [0.5, 2.0]), 0.75)  # 3 wins twice, 1 once, 2 once and a half: 4.5 of 6
    expect(told_apart([2.0], [2.0, 3.0, 2.0, 5.0]), 0.25)
    expect(told_apart([0.4, 0.4, 0.4], [0.4, 0.4]), 0.5)


def test_told_apart__only_which_is_higher_counts(task):
    told_apart = task("corrective.told_apart")
    expect(told_apart([100.0, -5.0], [99.0, 0.001, -7.0]), 4 / 6)
    expect(told_apart([-9.0, 1.0], [-2.0, -3.0, 0.5]), 3 / 6)
    expect(told_apart([0.1, 0.1, 0.1, 9.0], [0.2, 0.3]), 0.25)


def test_told_apart__wholly_and_the_wrong_way_round(task):
    told_apart = task("corrective.told_apart")
    expect(told_apart([5.0, 4.0, 6.0], [1.0, 2.0]), 1.0)
    expect(told_apart([1.0], [2.0, 3.0, 4.0]), 0.0)
    expect(told_apart([0.9, 0.2, 0.5, 0.6], [0.7, 0.8, 0.1]), 6 / 12)


def test_told_apart__nothing_to_compare(task):
    told_apart = task("corrective.told_apart")
    told_apart.refuses([], [0.5])
    told_apart.refuses([0.5, 0.6], [])
    told_apart.refuses([0.5, NAN], [0.2])
    told_apart.refuses([0.5], [0.2, INFINITE])


SPELLED = {"two": 2.0, "ten": 10.0, "half": 0.5}


def test_numbers__with_points_and_commas(task):
    numbers = task("corrective.numbers")
    expect(numbers("At 0.6 c it is 1.25, and 12,500.5 ticks later 3.", {}), [0.6, 1.25, 3.0, 12500.5])
    expect(numbers("1,000,000 steps; of 12,34 the first", {}), [12.0, 1000000.0])


def test_numbers__each_once_and_ascending(task):
    numbers = task("corrective.numbers")
    expect(numbers("7 clocks, 2.5 hours, then 7 again, 10 more and 2.50", {}), [2.5, 7.0, 10.0])
    expect(numbers("ten clocks, 10.0 ticks and 4", SPELLED), [4.0, 10.0])


def test_numbers__a_fraction_is_one_value(task):
    numbers = task("corrective.numbers")
    expect(numbers("gamma is 5/4, not 3/8, or 7 / 9", {}), [0.375, 1.25, 7.0, 9.0])
    expect(numbers("1,500/2.5 ticks", {}), [600.0])
    expect(numbers("so 6/0 is none", {}), [0.0, 6.0])


def test_numbers__what_is_too_large_is_left_out(task):
    expect(task("corrective.numbers")(f"3 of 1{'0' * 400} clocks", {}), [3.0])


def test_numbers__what_begins_none(task):
    numbers = task("corrective.numbers")
    expect(numbers("E = mc^2, part E4432, x2 and y_3, .5", {}), [])
    expect(numbers("version 1.2.7, (4) or #5 to -6", {}), [1.2, 4.0, 5.0, 6.0])


def test_numbers__what_follows_does_not_matter(task):
    expect(task("corrective.numbers")("0.6c and 50 %, 30% of it, the 4th, 99.", {}), [0.6, 4.0, 30.0, 50.0, 99.0])


def test_numbers__spelled_out(task):
    numbers = task("corrective.numbers")
    expect(numbers("Two clocks, ten-fold: TWO of them", SPELLED), [2.0, 10.0])
    expect(numbers("half-way, a tenth of the network", SPELLED), [0.5])
    expect(numbers("two or ten or three", {"three": 3.0}), [3.0])


def test_numbers__none_and_no_text(task):
    numbers = task("corrective.numbers")
    expect(numbers("no clock at all", SPELLED), [])
    expect(numbers("", SPELLED), [])
    numbers.refuses(None, SPELLED)
    numbers.refuses(35, SPELLED)


def test_unmatched__what_nothing_trusted_is_near(task):
    unmatched = task("corrective.unmatched")
    expect(unmatched([5.0, 0.75, 2.0, 0.06], [2.0, 4.0, 0.8, 0.02], 0.05), [5.0, 0.75, 0.06])
    expect(unmatched([4.1, 2.0], [2.0, 4.0, 0.8], 0.05), [])
    expect(unmatched([9.0], [7.0, 12.0], 0.25), [])  # not the nearer one is near, but the larger: 3 of 12


def test_unmatched__a_share_of_the_trusted_number(task):
    unmatched = task("corrective.unmatched")
    expect(unmatched([90.0, 112.0, 89.0], [99.5], 0.1), [112.0, 89.0])
    expect(unmatched([110.0, 111.0, 90.5], [100.5], 0.1), [111.0])
    expect(unmatched([0.02, 0.0101], [0.01], 0.05), [0.02])


def test_unmatched__the_limit_included(task):
    unmatched = task("corrective.unmatched")
    expect(unmatched([3.0, 1.0, 3.5, 0.75], [2.0], 0.5), [3.5, 0.75])
    expect(unmatched([3.0, 4.0], [3.0], 0), [4.0])
    expect(unmatched([5.0, 9.0], [3.0], 1.5), [9.0])


def test_unmatched__below_0_and_at_0(task):
    unmatched = task("corrective.unmatched")
    expect(unmatched([-5.0, 4.0, -3.5, -6.0], [-4.0], 0.25), [4.0, -6.0])
    expect(unmatched([0.0, 0.001], [0.0], 0.5), [0.001])


def test_unmatched__in_their_order_and_as_often(task):
    expect(task("corrective.unmatched")([9.0, 3.0, 9.0, 7.0], [3.0, 8.0], 0.01), [9.0, 9.0, 7.0])


def test_unmatched__nothing_to_compare(task):
    unmatched = task("corrective.unmatched")
    expect(unmatched([2.0, 1.0], [], 0.1), [2.0, 1.0])
    expect(unmatched([], [2.0, 1.0, 3.0], 0.1), [])
    unmatched.refuses([2.0], [1.0, 3.0], -0.01)
    unmatched.refuses([2.0], [1.0, 3.0], NAN)
    unmatched.refuses([2.0, NAN], [1.0], 0.1)
    unmatched.refuses([2.0], [INFINITE, 1.0], 0.1)


DENIES, TURNS = ["not", "never", "no"], ["but", ",", "."]


def test_marked__as_far_as_a_denial_reaches(task):
    marked = task("corrective.marked")
    expect(marked("the clock is not faster than those at rest".split(), DENIES, TURNS, 3),
           ["the", "clock", "is", "not_faster", "not_than", "not_those", "at", "rest"])
    expect(marked("no delay at all".split(), DENIES, TURNS, 1), ["not_delay", "at", "all"])
    expect(marked("it is never late".split(), DENIES, TURNS, 5), ["it", "is", "not_late"])


def test_marked__a_turn_ends_it(task):
    marked = task("corrective.marked")
    expect(marked("it is not slower but much faster".split(), DENIES, TURNS, 4),
           ["it", "is", "not_slower", "but", "much", "faster"])
    expect(marked("but never , he said . not so".split(), DENIES, TURNS, 2),
           ["but", ",", "he", "said", ".", "not_so"])


def test_marked__another_denial_takes_it_back(task):
    marked = task("corrective.marked")
    expect(marked("it never is not late at all here to me now".split(), DENIES, TURNS, 3),
           ["it", "not_is", "late", "at", "all", "here", "to", "me", "now"])
    expect(marked("no clock never was not off here".split(), DENIES, TURNS, 5),
           ["not_clock", "was", "not_off", "not_here"])
    expect(marked("no clock never was not off here so late today now".split(), DENIES, TURNS, 4),
           ["not_clock", "was", "not_off", "not_here", "not_so", "not_late", "today", "now"])


def test_marked__behind_its_reach_another_begins_anew(task):
    expect(task("corrective.marked")("not here today not there now".split(), DENIES, TURNS, 1),
           ["not_here", "today", "not_there", "now"])
    expect(task("corrective.marked")("never in time it is no longer so late".split(), DENIES, TURNS, 2),
           ["not_in", "not_time", "it", "is", "not_longer", "not_so", "late"])


def test_marked__by_the_lists_that_are_handed_over(task):
    marked = task("corrective.marked")
    expect(marked("it is hardly late and not here".split(), ["hardly"], ["and"], 3),
           ["it", "is", "not_late", "and", "not", "here"])
    expect(marked("nothing but notable".split(), DENIES, [], 2), ["nothing", "but", "notable"])
    expect(marked("was it ever never , but late".split(), ["never"], [], 3),
           ["was", "it", "ever", "not_,", "not_but", "not_late"])


def test_marked__nothing_to_mark(task):
    marked = task("corrective.marked")
    expect(marked([], DENIES, TURNS, 3), [])
    expect(marked("it ran slow , but it ran".split(), DENIES, TURNS, 3), ["it", "ran", "slow", ",", "but", "it", "ran"])
    expect(marked(["clock", "never"], DENIES, TURNS, 3), ["clock"])
    marked.refuses(["not", "late"], DENIES, TURNS, 0)
    marked.refuses(["not", "late"], DENIES, TURNS, 1.5)


OPPOSITES = {"slower": ["faster", "quicker"], "more": ["less", "fewer"], "late": ["early"]}


def test_opposed__the_list_is_looked_up_both_ways(task):
    opposed = task("corrective.opposed")
    expect(opposed(["clock", "runs", "faster"], ["clock", "slower"], OPPOSITES), [["faster", "slower"]])
    expect(opposed(["slower", "clock"], ["runs", "clock", "faster"], OPPOSITES), [["slower", "faster"]])


def test_opposed__a_word_that_is_denied(task):
    opposed = task("corrective.opposed")
    expect(opposed(["not_seen", "here"], ["seen", "there", "now"], OPPOSITES), [["not_seen", "seen"]])
    expect(opposed(["not_seen", "not_here"], ["not_seen"], {}), [])


def test_opposed__a_trusted_word_that_is_denied(task):
    expect(task("corrective.opposed")(["seen"], ["not_seen", "not_here"], {}), [["seen", "not_seen"]])


def test_opposed__both_words_in_the_trusted_text_do_not_count(task):
    expect(task("corrective.opposed")(["faster", "more"], ["slower", "faster", "less"], OPPOSITES),
           [["more", "less"]])


def test_opposed__both_words_in_the_passage_do_not_count(task):
    opposed = task("corrective.opposed")
    expect(opposed(["faster", "slower", "early"], ["slower", "late"], OPPOSITES), [["early", "late"]])
    expect(opposed(["seen", "not_seen"], ["seen"], OPPOSITES), [])


def test_opposed__each_pair_once_in_alphabetical_order(task):
    opposed = task("corrective.opposed")
    expect(opposed(["quicker", "more", "faster", "faster", "more"], ["slower", "less", "slower"], OPPOSITES),
           [["faster", "slower"], ["more", "less"], ["quicker", "slower"]])
    expect(opposed(["slower", "less"], ["quicker", "faster", "more"], OPPOSITES),
           [["less", "more"], ["slower", "faster"], ["slower", "quicker"]])
    expect(opposed(["warm"], ["icy", "cool", "frosty", "cold", "chilly"], {"warm": ["cold", "cool", "icy", "chilly"]}),
           [["warm", "chilly"], ["warm", "cold"], ["warm", "cool"], ["warm", "icy"]])


def test_opposed__what_is_no_opposite(task):
    opposed = task("corrective.opposed")
    expect(opposed(["faster", "less", "slow"], ["quicker", "fewer", "fast"], OPPOSITES), [])
    expect(opposed(["not_slower", "not_late"], ["faster", "lately"], OPPOSITES), [])
    expect(opposed(["clock", "runs"], ["clock", "runs", "here"], OPPOSITES), [])
    expect(opposed(["fast"], ["quick"], {"fast": ["slow"], "quick": ["slow", "late"]}), [])
    expect(opposed(["not_unseen", "late"], ["seen", "early"], {"early": ["lately"]}), [])


def test_opposed__nothing_to_compare(task):
    opposed = task("corrective.opposed")
    expect(opposed([], ["slower", "late"], OPPOSITES), [])
    expect(opposed(["slower", "late", "more"], [], OPPOSITES), [])


def test_verdict__the_label_with_the_highest_chance(task):
    verdict = task("corrective.verdict")
    expect(verdict({"aligned": 0.7, "contradicts": 0.1, "uncertain": 0.2}), ("aligned", 0.7))
    expect(verdict({"uncertain": 0.25, "contradicts": 0.45, "aligned": 0.3}), ("contradicts", 0.45))
    expect(verdict({"contradicts": 0.05, "aligned": 0.35, "uncertain": 0.6}), ("uncertain", 0.6))
    expect(verdict({"contradicts": 0.41, "aligned": 0.44, "uncertain": 0.15}), ("aligned", 0.44))


def test_verdict__the_chance_as_it_is(task):
    verdict = task("corrective.verdict")
    expect(verdict({"aligned": 0.2, "contradicts": 0.1, "uncertain": 0.1}), ("aligned", 0.2))
    expect(verdict({"aligned": 1.0, "contradicts": 0.9, "uncertain": 0.6}), ("aligned", 1.0))
    expect(verdict({"aligned": 0.33334, "contradicts": 0.33335, "uncertain": 0.33331}), ("contradicts", 0.33335))


def test_verdict__of_equal_chances_the_more_careful_label(task):
    verdict = task("corrective.verdict")
    expect(verdict({"contradicts": 0.45, "aligned": 0.45, "uncertain": 0.1}), ("contradicts", 0.45))
    expect(verdict({"uncertain": 0.38, "aligned": 0.38, "contradicts": 0.24}), ("uncertain", 0.38))
    expect(verdict({"aligned": 0.1, "uncertain": 0.45, "contradicts": 0.45}), ("contradicts", 0.45))


def test_verdict__in_whatever_order_they_come(task):
    verdict = task("corrective.verdict")
    expect(verdict({"aligned": 0.45, "contradicts": 0.45, "uncertain": 0.1}), ("contradicts", 0.45))
    expect(verdict({"uncertain": 0.0, "aligned": 0.0, "contradicts": 0.0}), ("contradicts", 0.0))


def test_verdict__what_are_no_chances(task):
    verdict = task("corrective.verdict")
    verdict.refuses({"aligned": 0.6, "contradicts": 0.4})
    verdict.refuses({"aligned": 0.5, "contradicts": 0.2, "uncertain": 0.2, "unknown": 0.1})
    verdict.refuses({"aligned": 1.2, "contradicts": 0.1, "uncertain": 0.1})
    verdict.refuses({"aligned": 0.7, "contradicts": -0.1, "uncertain": 0.4})
    verdict.refuses({"aligned": NAN, "contradicts": 0.1, "uncertain": 0.4})


GRADED = [("t7", "aligned", 0.55), ("a2", "contradicts", 0.95), ("k4", "aligned", 0.9), ("b1", "uncertain", 0.8),
          ("c3", "aligned", 0.7), ("d5", "aligned", 0.3)]


def test_keep__aligned_and_sure_enough_in_their_order(task):
    keep = task("corrective.keep")
    expect(keep(GRADED, 0.6), ["k4", "c3"])
    expect(keep(GRADED, 0.5), ["t7", "k4", "c3"])


def test_keep__just_the_threshold_is_enough(task):
    keep = task("corrective.keep")
    expect(keep(GRADED, 0.7), ["k4", "c3"])
    expect(keep([("a", "aligned", 1.0), ("b", "aligned", 0.99)], 1), ["a"])


def test_keep__from_all_that_is_aligned_to_nothing(task):
    keep = task("corrective.keep")
    expect(keep(GRADED, 0), ["t7", "k4", "c3", "d5"])
    expect(keep(GRADED, 0.91), [])
    expect(keep([], 0.5), [])


def test_keep__an_id_as_often_as_it_is_trusted(task):
    expect(task("corrective.keep")([("b", "aligned", 0.8), ("a", "aligned", 0.6), ("b", "aligned", 0.7),
                                    ("b", "uncertain", 0.9), ("a", "contradicts", 0.95)], 0.6), ["b", "a", "b"])


def test_keep__what_is_no_threshold(task):
    keep = task("corrective.keep")
    keep.refuses(GRADED, 1.5)
    keep.refuses(GRADED, -0.1)
    keep.refuses(GRADED, NAN)


ACTIONS = ["more candidates", "other words", "a trusted source", "the reference"]


def test_next_action__the_first_that_is_not_tried(task):
    next_action = task("corrective.next_action")
    expect(next_action(0, 2, [], ACTIONS), "more candidates")
    expect(next_action(1, 3, ["more candidates"], ACTIONS), "other words")
    expect(next_action(1, 2, ["more candidates", "other words", "a trusted source"], ACTIONS), "the reference")


def test_next_action__in_whatever_order_they_were_tried(task):
    next_action = task("corrective.next_action")
    expect(next_action(0, 1, ["other words", "the reference", "more candidates"], ACTIONS), "a trusted source")
    expect(next_action(2, 5, ["a trusted source"], ACTIONS), "more candidates")
    expect(next_action(0, 1, ["a wider scope", "more candidates", "a wider scope"], ACTIONS), "other words")
    expect(next_action(0, 1, ["other words, again", "c", "d"], ["other words", "b"]), "other words")


def test_next_action__enough_is_enough(task):
    next_action = task("corrective.next_action")
    expect(next_action(5, 2, ["more candidates"], ACTIONS), "")
    expect(next_action(2, 2, [], ACTIONS), "")
    expect(next_action(0, 0, [], ACTIONS), "")


def test_next_action__each_once_and_then_none(task):
    next_action = task("corrective.next_action")
    expect(next_action(1, 2, ACTIONS, ACTIONS), "")
    expect(next_action(0, 3, ["b", "a", "b"], ["a", "b"]), "")
    expect(next_action(0, 3, [], []), "")


def test_next_action__what_are_no_counts(task):
    next_action = task("corrective.next_action")
    next_action.refuses(-1, 2, [], ACTIONS)
    next_action.refuses(1, -2, [], ACTIONS)
    next_action.refuses(0.5, 2, [], ACTIONS)
    next_action.refuses(1, 2.5, [], ACTIONS)


# aligned: 4 there, 3 given, 2 right; contradicts: 2 there, 4 given, 1 right; uncertain: 2 there, 1 given, 1 right
TRUE = ["aligned", "contradicts", "aligned", "uncertain", "aligned", "contradicts", "aligned", "uncertain"]
GIVEN = ["aligned", "contradicts", "contradicts", "uncertain", "aligned", "aligned", "contradicts", "contradicts"]


def test_per_label__precision_then_recall(task):
    expect(task("corrective.per_label")(TRUE, GIVEN, ["aligned", "contradicts", "uncertain"]),
           {"aligned": (2 / 3, 2 / 4), "contradicts": (1 / 4, 1 / 2), "uncertain": (1.0, 1 / 2)})


def test_per_label__for_the_labels_that_are_asked_for(task):
    per_label = task("corrective.per_label")
    expect(per_label(TRUE, GIVEN, ["contradicts"]), {"contradicts": (1 / 4, 1 / 2)})
    expect(per_label(["yes", "no", "no"], ["no", "no", "yes"], ["no"]), {"no": (0.5, 0.5)})
    expect(per_label(TRUE, GIVEN, []), {})


def test_per_label__never_given_or_never_there(task):
    per_label = task("corrective.per_label")
    expect(per_label(["yes", "yes", "no"], ["no", "no", "no"], ["yes", "no", "open"]),
           {"yes": (0.0, 0.0), "no": (1 / 3, 1.0), "open": (0.0, 0.0)})
    expect(per_label(["no", "no", "no", "no"], ["yes", "no", "no", "no"], ["yes", "no"]),
           {"yes": (0.0, 0.0), "no": (1.0, 3 / 4)})
    expect(per_label([], [], ["yes", "no"]), {"yes": (0.0, 0.0), "no": (0.0, 0.0)})


def test_per_label__a_label_for_each(task):
    per_label = task("corrective.per_label")
    per_label.refuses(["yes", "no", "no"], ["yes", "no"], ["yes", "no"])
    per_label.refuses(["yes"], ["yes", "no"], ["yes"])


def test_chance__the_share_of_the_most_frequent_label(task):
    chance = task("corrective.chance")
    expect(chance(["uncertain", "aligned", "contradicts", "aligned", "uncertain", "aligned", "aligned"]), 4 / 7)
    expect(chance(["no", "yes", "no", "no", "no", "open", "open", "open"]), 0.5)


def test_chance__one_label_and_labels_equally_frequent(task):
    chance = task("corrective.chance")
    expect(chance(["aligned", "aligned", "aligned"]), 1.0)
    expect(chance(["a", "b", "b", "a", "c"]), 0.4)
    expect(chance(["no", "yes", "yes", "open", "yes"]), 0.6)
    expect(chance(["open"]), 1.0)


def test_chance__no_labels(task):
    task("corrective.chance").refuses([])
