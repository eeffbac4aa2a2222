"""Graded tests of the tasks chunking.*; the expected values were worked out by hand."""

from math import cos, radians, sin

import numpy as np

from firstprinciples.grading.compare import expect

NOTICE = "Either party may end the lease with\nthree months' notice. Notice is given in writing, at the end of a month."


def test_quote_survives__whole_or_cut(task):
    survives = task("chunking.quote_survives")
    expect(survives("Paid late. Paid twice.", [(0, 10), (11, 22)], "Paid twice"), True)
    expect(survives("Paid late. Paid twice.", [(0, 10), (11, 22)], "late. Paid"), False)


def test_quote_survives__a_line_break_in_the_text(task):
    survives = task("chunking.quote_survives")
    expect(survives(NOTICE, [(0, 57), (58, 108)], "the lease with three months' notice."), True)
    expect(survives(NOTICE, [(0, 57), (58, 108)], "three  months'\n notice"), True)


def test_quote_survives__blanks_and_line_breaks(task):
    survives = task("chunking.quote_survives")
    expect(survives(NOTICE, [(0, 57), (58, 108)], "the lease with\nthree"), True)
    expect(survives("Paid  late, or not.", [(0, 10), (11, 19)], "Paid late"), True)
    expect(survives("Paid   late.\n\n\nNot twice.", [(0, 12), (15, 25)], "Not twice."), True)


def test_quote_survives__an_overlap_saves_it(task):
    survives = task("chunking.quote_survives")
    expect(survives(NOTICE, [(0, 35), (36, 67), (68, 108)], "notice. Notice is given in writing"), False)
    expect(survives(NOTICE, [(0, 57), (42, 85), (77, 108)], "notice. Notice is given in writing"), True)


def test_quote_survives__up_to_the_end_of_a_span(task):
    survives = task("chunking.quote_survives")
    expect(survives("late fee: 1,284.50 euros", [(0, 17), (19, 24)], "1,284.50"), False)
    expect(survives("late fee: 1,284.50 euros", [(0, 18), (19, 24)], "1,284.50"), True)


def test_quote_survives__pieces_of_words(task):
    survives = task("chunking.quote_survives")
    expect(survives("the rapist", [(0, 10)], "therapist"), False)
    expect(survives("no rent is due", [(0, 7), (8, 14)], "No rent"), False)


def test_quote_survives__signs_that_mean_something_in_a_pattern(task):
    survives = task("chunking.quote_survives")
    expect(survives("40 euros (net) a month, 12x50 in all", [(0, 23), (24, 36)], "euros (net)"), True)
    expect(survives("40 euros (net) a month, 12x50 in all", [(0, 23), (24, 36)], "12.50"), False)


def test_quote_survives__cut_at_its_first_place_only(task):
    survives = task("chunking.quote_survives")
    expect(survives("Paid late in May, and paid late in June.", [(0, 9), (10, 31), (32, 40)], "late in"), False)
    expect(survives("Paid late in May, and paid late in June.", [(0, 9), (10, 35), (36, 40)], "late in"), True)


def test_quote_survives__not_in_the_text_or_in_no_span(task):
    survives = task("chunking.quote_survives")
    expect(survives(NOTICE, [(0, 57), (58, 108)], "two months' notice"), False)
    expect(survives(NOTICE, [(36, 57), (58, 108)], "Either party"), False)
    expect(survives(NOTICE, [], "lease"), False)


def test_quote_survives__an_empty_quote(task):
    survives = task("chunking.quote_survives")
    survives.refuses(NOTICE, [(0, 57), (58, 108)], "")
    survives.refuses(NOTICE, [(0, 57), (58, 108)], " \n")


def test_windows__side_by_side(task):
    windows = task("chunking.windows")
    expect(windows(7, 3, 0), [(0, 3), (3, 6), (6, 7)])
    expect(windows(n=6, size=2, overlap=0), [(0, 2), (2, 4), (4, 6)])


def test_windows__with_an_overlap(task):
    expect(task("chunking.windows")(12, 5, 2), [(0, 5), (3, 8), (6, 11), (9, 12)])


def test_windows__of_two_hundred(task):
    expect(task("chunking.windows")(500, 200, 40), [(0, 200), (160, 360), (320, 500)])


def test_windows__no_last_one_that_is_only_overlap(task):
    windows = task("chunking.windows")
    expect(windows(10, 4, 1), [(0, 4), (3, 7), (6, 10)])  # a window from 9 would hold only what the third one has
    expect(windows(7, 5, 3), [(0, 5), (2, 7)])
    expect(windows(6, 5, 4), [(0, 5), (1, 6)])


def test_windows__a_short_text_is_one(task):
    windows = task("chunking.windows")
    expect(windows(2, 6, 3), [(0, 2)])
    expect(windows(6, 6, 5), [(0, 6)])
    expect(windows(1, 3, 1), [(0, 1)])


def test_windows__one_new_unit_at_the_end(task):
    expect(task("chunking.windows")(8, 4, 1), [(0, 4), (3, 7), (6, 8)])
    expect(task("chunking.windows")(9, 6, 4), [(0, 6), (2, 8), (4, 9)])


def test_windows__nothing_to_cut(task):
    expect(task("chunking.windows")(0, 4, 2), [])


def test_windows__what_never_moves_on(task):
    windows = task("chunking.windows")
    windows.refuses(10, 4, 4)
    windows.refuses(10, 4, 6)
    windows.refuses(10, 4, -1)
    windows.refuses(10, 0, 0)


RENT = "The rent is due on the 3rd, and  late\nrent costs 40 euros more."


def test_fixed__side_by_side(task):
    fixed = task("chunking.fixed")
    expect(fixed("Rent is due now.", 3, 0), [(0, 11), (12, 16)])
    expect(fixed(RENT, 5, 0), [(0, 18), (19, 42), (43, 63)])


def test_fixed__with_an_overlap(task):
    expect(task("chunking.fixed")(RENT, 6, 2), [(0, 22), (16, 42), (33, 63)])


def test_fixed__no_last_one_that_is_only_overlap(task):
    expect(task("chunking.fixed")("one three five seven nine", 3, 1), [(0, 14), (10, 25)])


def test_fixed__begins_and_ends_with_a_word(task):
    expect(task("chunking.fixed")("\n  Paid in full.  \n", 2, 0), [(3, 10), (11, 16)])
    expect(task("chunking.fixed")("\n  Paid in full.  \n", 50, 7), [(3, 16)])


def test_fixed__any_white_space(task):
    expect(task("chunking.fixed")("one\ttwo \u00a0three\r\nfour", 2, 1), [(0, 7), (4, 14), (9, 20)])


def test_fixed__no_words(task):
    expect(task("chunking.fixed")(" \n", 4, 1), [])


def test_fixed__what_never_moves_on(task):
    fixed = task("chunking.fixed")
    fixed.refuses("abc\n" * 50, 50, 50)
    fixed.refuses("one two three", 2, 3)
    fixed.refuses("one two three", 2, -1)


def test_packed__neighbors_up_to_the_limit(task):
    packed = task("chunking.packed")
    expect(packed([4, 5, 3, 6, 2], 10), [(0, 2), (2, 4), (4, 5)])


def test_packed__exactly_full(task):
    packed = task("chunking.packed")
    expect(packed([8, 5, 1, 4], 10), [(0, 1), (1, 4)])
    expect(packed(lengths=[4, 6, 3, 7, 1], limit=10), [(0, 2), (2, 4), (4, 5)])
    expect(packed([3, 8, 2], 10), [(0, 1), (1, 3)])  # one too much
    expect(packed([0, 4, 0, 7], 4), [(0, 3), (3, 4)])


def test_packed__one_that_is_too_long_stands_alone(task):
    packed = task("chunking.packed")
    expect(packed([3, 25, 2, 4], 10), [(0, 1), (1, 2), (2, 4)])
    expect(packed([12, 31, 5], 10), [(0, 1), (1, 2), (2, 3)])


def test_packed__only_neighbors(task):
    # 2 would have room beside 7, but 9 stands between them
    expect(task("chunking.packed")([7, 9, 2, 1, 6, 8], 10), [(0, 1), (1, 2), (2, 5), (5, 6)])


def test_packed__all_in_one(task):
    expect(task("chunking.packed")([1, 3, 2, 5], 50), [(0, 4)])
    expect(task("chunking.packed")([8], 3), [(0, 1)])


def test_packed__nothing(task):
    expect(task("chunking.packed")([], 10), [])


def test_packed__no_room(task):
    packed = task("chunking.packed")
    packed.refuses([3, 5], 0)
    packed.refuses([3, 5], -10)


LEASE = """# Lease

Between two parties.

## Rent

Due on the 3rd.

### Late rent

40 euros more.

## Notice

Three months.

# Signed
"""


def test_headings__by_hand(task):
    headings = task("chunking.headings")
    expect(headings("# Lease\n\n## Rent\n\nDue on the 3rd.\n"), [(0, 1, "Lease"), (9, 2, "Rent")])
    expect(headings(LEASE), [(0, 1, "Lease"), (31, 2, "Rent"), (57, 3, "Late rent"), (88, 2, "Notice"),
                             (114, 1, "Signed")])


def test_headings__a_sign_that_makes_none(task):
    headings = task("chunking.headings")
    expect(headings("#rent is a tag\n\nLot # 5 is sold.\n\n####### seven\n\n###### six\n"), [(49, 6, "six")])


def test_headings__not_in_code(task):
    headings = task("chunking.headings")
    expect(headings("# Setup\n```\n# a comment\n```\n## Use it\n"), [(0, 1, "Setup"), (28, 2, "Use it")])
    expect(headings("```python\n# one\n```\ntext\n```\n# two\n```\n\n# Three\n"), [(40, 1, "Three")])


def test_headings__a_title_that_stands_twice(task):
    expect(task("chunking.headings")("# A\n\n## Costs\n\n5\n\n# B\n\n## Costs\n\n7"),
           [(0, 1, "A"), (5, 2, "Costs"), (18, 1, "B"), (23, 2, "Costs")])


def test_headings__signs_in_a_title(task):
    expect(task("chunking.headings")("Memo\n## Lot #5, in C#5\n"), [(5, 2, "Lot #5, in C#5")])


def test_headings__none(task):
    headings = task("chunking.headings")
    expect(headings("No title.\n\nAnd no more.\n"), [])
    expect(headings(""), [])


def test_sections__one_below_the_other(task):
    sections = task("chunking.sections")
    expect(sections("# Lease\n## Rent\nDue.\n"), [(0, 8, ["Lease"]), (8, 21, ["Lease", "Rent"])])


def test_sections__down_and_up_again(task):
    expect(task("chunking.sections")(LEASE), [(0, 31, ["Lease"]), (31, 57, ["Lease", "Rent"]),
                                              (57, 88, ["Lease", "Rent", "Late rent"]), (88, 114, ["Lease", "Notice"]),
                                              (114, 123, ["Signed"])])


def test_sections__before_the_first_heading(task):
    sections = task("chunking.sections")
    expect(sections("A memo.\n\n# Rent\n\nDue.\n"), [(0, 9, []), (9, 22, ["Rent"])])
    expect(sections("A memo without headings."), [(0, 24, [])])


def test_sections__a_level_left_out(task):
    expect(task("chunking.sections")("# A\n### B\nbb\n### C\n## D\nddd\n### E\n"),
           [(0, 4, ["A"]), (4, 13, ["A", "B"]), (13, 19, ["A", "C"]), (19, 28, ["A", "D"]),
            (28, 34, ["A", "D", "E"])])


def test_sections__a_deep_one_first(task):
    expect(task("chunking.sections")("### A\n\n# B\n\n## C\n"), [(0, 7, ["A"]), (7, 12, ["B"]), (12, 17, ["B", "C"])])


def test_sections__two_of_one_name(task):
    expect(task("chunking.sections")("# Costs\n## May\n5\n# Costs\n7\n## May\n"),
           [(0, 8, ["Costs"]), (8, 17, ["Costs", "May"]), (17, 27, ["Costs"]), (27, 34, ["Costs", "May"])])


def test_sections__code_is_no_heading(task):
    expect(task("chunking.sections")("# Setup\n```\n# a comment\n```\nDone.\n"), [(0, 34, ["Setup"])])


def test_sections__nothing(task):
    expect(task("chunking.sections")(""), [])


# how they lie in the plane, in degrees: 60 apart, 120 apart, the same way, and opposite
AROUND = [[cos(radians(degree)), sin(radians(degree))] for degree in (0, 60, 180, 180, 0)]


def test_distances__by_hand(task):
    distances = task("chunking.distances")
    expect(distances([[1.0, 0.0], [0.6, 0.8], [-0.8, 0.6]]), [0.4, 1.0])
    expect(distances(AROUND), [0.5, 1.5, 0.0, 2.0])


def test_distances__length_does_not_count(task):
    expect(task("chunking.distances")(np.array([[3.0, 4.0, 0.0], [0.0, 2.0, 0.0], [0.5, 0.5, 0.5], [-9.0, 0.0, 12.0]])),
           [0.2, 1 - 1 / 3**0.5, 1 - 0.2 / 3**0.5])


def test_distances__as_many_as_there_are_pairs(task):
    distances = task("chunking.distances")
    expect(distances([[0.0, 1.0, 0.0], [0.8, 0.6, 0.0]]), [0.4])
    expect(distances([[0.0, 1.0], [0.8, 0.6], [0.8, -0.6], [0.0, 1.0]]), [0.4, 0.72, 1.6])


def test_distances__a_row_of_zeros(task):
    expect(task("chunking.distances")([[0.6, 0.8], [0.0, 0.0], [0.0, 3.0], [3.0, 4.0]]), [1.0, 1.0, 0.2])


def test_distances__no_neighbors(task):
    expect(task("chunking.distances")(np.array([[0.6, 0.8]])), [])
    expect(task("chunking.distances")(np.zeros((0, 3))), [])


def test_breaks__above_the_percentile(task):
    breaks = task("chunking.breaks")
    # sorted 0.1 0.2 0.3 0.5 0.9: the 75th percentile is 0.5, and 0.9 is above it; the 70th is 0.46
    expect(breaks([0.1, 0.9, 0.3, 0.2, 0.5], 75), [1])
    expect(breaks([0.1, 0.9, 0.3, 0.2, 0.5], percent=70), [1, 4])


def test_breaks__the_percentile_lies_between_two(task):
    breaks = task("chunking.breaks")
    # sorted 0.1 0.2 0.4 0.7: the 40th lies at 0.2 + 0.2 * 0.2, the 50th at 0.3, the 90th at 0.4 + 0.7 * 0.3
    expect(breaks([0.7, 0.2, 0.4, 0.1], 40), [0, 2])
    expect(breaks([0.7, 0.2, 0.4, 0.1], 50), [0, 2])
    expect(breaks([0.7, 0.2, 0.4, 0.1], 90), [0])


def test_breaks__two_far_above_the_others(task):
    # sorted 0.1 0.1 0.12 0.14 0.16 0.2 0.8 0.9: the 70th lies at 0.16 + 0.9 * 0.04 = 0.196
    expect(task("chunking.breaks")([0.9, 0.1, 0.2, 0.1, 0.8, 0.14, 0.16, 0.12], 70), [0, 2, 4])


def test_breaks__equal_distances_give_none(task):
    breaks = task("chunking.breaks")
    expect(breaks([0.3, 0.3, 0.3, 0.3, 0.3], 50), [])
    expect(breaks([0.2, 0.6, 0.1, 0.6, 0.6, 0.3], 80), [])  # the highest stands there three times


def test_breaks__none_above_the_largest(task):
    expect(task("chunking.breaks")([0.4, 0.2, 0.9], 100), [])


def test_breaks__all_but_the_smallest(task):
    expect(task("chunking.breaks")(np.array([0.8, 0.2, 0.9, 0.5]), 0), [0, 2, 3])


def test_breaks__one_or_none(task):
    breaks = task("chunking.breaks")
    expect(breaks([0.7], 95), [])
    expect(breaks([], 95), [])


def test_breaks__no_percentage(task):
    breaks = task("chunking.breaks")
    breaks.refuses([0.1, 0.9, 0.3], 101)
    breaks.refuses([0.1, 0.9, 0.3], -5)


PARENT_OF = {"rent#1": "rent", "rent#2": "rent", "rent#3": "rent", "deposit#1": "deposit", "deposit#2": "deposit",
             "heating#1": "heating", "attic#1": "attic"}


def test_to_parents__its_best_child(task):
    to_parents = task("chunking.to_parents")
    expect(to_parents([("b1", 0.9), ("a1", 0.5), ("b2", 0.1)], {"a1": "a", "b1": "b", "b2": "b"}),
           [("b", 0.9), ("a", 0.5)])
    expect(to_parents([("deposit#2", 7.5), ("rent#3", 6.0), ("rent#1", 5.5), ("heating#1", 2.0), ("rent#2", 1.0),
                       ("deposit#1", 0.5)], PARENT_OF), [("deposit", 7.5), ("rent", 6.0), ("heating", 2.0)])


def test_to_parents__scores_below_zero(task):
    expect(task("chunking.to_parents")([("rent#1", -0.5), ("heating#1", -2.0), ("rent#2", -4.0)], PARENT_OF),
           [("rent", -0.5), ("heating", -2.0)])


def test_to_parents__equal_scores_by_id(task):
    expect(task("chunking.to_parents")([("rent#2", 3.0), ("attic#1", 1.5), ("deposit#1", 1.5), ("heating#1", 3.0),
                                        ("deposit#2", 1.0)], PARENT_OF),
           [("heating", 3.0), ("rent", 3.0), ("attic", 1.5), ("deposit", 1.5)])


def test_to_parents__children_in_any_order(task):
    expect(task("chunking.to_parents")([("heating#1", 1.0), ("rent#2", 2.0), ("attic#1", 4.0), ("rent#1", 3.5)],
                                       PARENT_OF), [("attic", 4.0), ("rent", 3.5), ("heating", 1.0)])


def test_to_parents__a_small_difference_is_no_tie(task):
    expect(task("chunking.to_parents")([("rent#2", 3.0002), ("deposit#1", 3.0001), ("attic#1", 3.0)], PARENT_OF),
           [("rent", 3.0002), ("deposit", 3.0001), ("attic", 3.0)])


def test_to_parents__nothing_found(task):
    expect(task("chunking.to_parents")([], PARENT_OF), [])


def test_to_parents__a_child_without_a_parent(task):
    task("chunking.to_parents").refuses([("rent#1", 2.0), ("lost#1", 1.0)], PARENT_OF)
