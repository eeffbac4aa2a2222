"""Graded tests of the tasks filters.*; the expected values were worked out by hand."""

from math import cos, sin

import numpy as np

from firstprinciples.grading.compare import expect


def test_within__both_ends_belong_to_it(task):
    within = task("filters.within")
    expect([within(value, {"from": 10, "to": 20}) for value in (9.5, 10, 14, 20, 20.5)],
           [False, True, True, True, False])


def test_within__one_end(task):
    within = task("filters.within")
    expect([within(value, {"from": 3}) for value in (2, 3, 400)], [False, True, True])
    expect([within(value, {"to": 3}) for value in (-400, 3, 3.5)], [True, True, False])


def test_within__an_end_at_zero(task):
    within = task("filters.within")
    expect([within(value, {"from": 0}) for value in (-1, 0, 1)], [False, True, True])
    expect([within(value, {"from": -5, "to": 0}) for value in (-6, -1, 0.5)], [False, True, False])


def test_within__numbers_are_no_text(task):
    within = task("filters.within")  # as text "9" stands behind "10", and "100" before "20"
    expect([within(value, {"from": 10, "to": 30}) for value in (9, 100, 11)], [False, False, True])
    expect([within(value, {"to": 10}) for value in (9, 100)], [True, False])


def test_within__days(task):
    within, spring = task("filters.within"), {"from": "2024-03-01", "to": "2024-05-31"}
    days = ["2024-02-29", "2024-03-01", "2024-04-15", "2024-05-31", "2024-06-01", "2023-04-15"]
    expect([within(day, spring) for day in days], [False, True, True, True, False, False])


def test_within__an_end_that_is_a_month_or_a_year(task):
    within = task("filters.within")
    days = ["2024-02-29", "2024-03-01", "2024-03-31", "2024-04-01"]
    expect([within(day, {"from": "2024-03", "to": "2024-03"}) for day in days], [False, True, True, False])
    expect([within(day, {"to": "2023"}) for day in ("2022-05-02", "2023-12-31", "2024-01-01")], [True, True, False])


def test_within__the_rest_of_a_month(task):
    within, rest = task("filters.within"), {"from": "2024-03-15", "to": "2024-03"}  # shorter, and no less far
    expect([within(day, rest) for day in ("2024-03-14", "2024-03-15", "2024-03-31", "2024-04-15")],
           [False, True, True, False])


def test_within__a_whole_month_or_none_of_it(task):
    within = task("filters.within")
    limits = [{"from": "2024-03-15"}, {"to": "2024-03-30"}, {"from": "2024-03"}, {"from": "2024-03-01", "to": "2024"}]
    expect([within("2024-03", each) for each in limits], [False, False, True, True])
    expect([within("2024", each) for each in ({"from": "2024-01", "to": "2024-11"}, {"from": "2023"})], [False, True])


def test_within__months_are_not_equally_long(task):
    within = task("filters.within")
    expect(within("2024-04", {"from": "2024-04-01", "to": "2024-04-30"}), True)
    expect([within("2023-02", {"to": day}) for day in ("2023-02-27", "2023-02-28", "2023-03-30")], [False, True, True])
    expect([within("2024-02", {"to": day}) for day in ("2024-02-28", "2024-02-29")], [False, True])


def test_within__what_cannot_be_compared_is_outside(task):
    within = task("filters.within")
    expect([within("2024-03-05", {"from": 3}), within(2024, {"from": "2023", "to": "2025"})], [False, False])
    expect([within(value, {"from": "2023"}) for value in ("later", "zz", None)], [False, False, False])
    expect([within(value, {"to": 10}) for value in ("5", None)], [False, False])


def test_within__true_is_no_number(task):
    expect([task("filters.within")(value, {"from": 0, "to": 1}) for value in (True, 1)], [False, True])


def test_within__no_range(task):
    within = task("filters.within")
    within.refuses(3, {})
    within.refuses(3, {"from": 1, "until": 5})
    within.refuses("2024-03-05", {"from": "May"})


def test_within__a_range_of_two_kinds(task):
    task("filters.within").refuses(3, {"from": 1, "to": "2024"})


def test_within__a_range_that_ends_before_it_begins(task):
    within = task("filters.within")
    within.refuses(14, {"from": 20, "to": 10})
    within.refuses("2024-04-01", {"from": "2024-05-01", "to": "2024-03-31"})


BILL = {"type": "bill", "client": "Cedarline Freight", "date": "2024-03-12", "pages": 3, "paid": True}
MEMO = {"type": "memo", "client": ["Tollgate Sporting", "Cedarline Freight"], "date": ["2023-12-30", "2024-06-02"]}


def test_matches__an_equal_value(task):
    matches = task("filters.matches")
    expect([matches(BILL, {"type": kind}) for kind in ("bill", "memo")], [True, False])
    expect([matches(BILL, {"pages": pages}) for pages in (3, 30)], [True, False])
    expect([matches({"pages": 0, "paid": False}, where) for where in ({"pages": 0}, {"paid": False})], [True, True])


def test_matches__all_fields_must_hold(task):
    matches = task("filters.matches")
    expect(matches(BILL, {"type": "bill", "pages": 3, "client": "Cedarline Freight"}), True)
    expect([matches(BILL, {"type": "bill", "pages": 7}), matches(BILL, {"pages": 7, "type": "bill"})], [False, False])


def test_matches__one_of_several(task):
    matches = task("filters.matches")
    expect([matches(BILL, {"type": kinds}) for kinds in (["invoice", "bill"], ["memo", "plan", "map"], ["bill"])],
           [True, False, True])


def test_matches__a_record_with_several_values(task):
    matches = task("filters.matches")
    expect(matches(MEMO, {"client": ["Cedarline Freight", "Lantern Systems", "Tollgate Sporting"]}), True)
    clients = ["Cedarline Freight", "Tollgate Sporting", "Lantern Systems"]
    expect([matches(MEMO, {"client": client}) for client in clients], [True, True, False])
    expect([matches(MEMO, {"client": ["Lantern Systems", client]}) for client in clients], [True, True, False])


def test_matches__a_field_that_is_not_there(task):
    matches = task("filters.matches")
    expect([matches(MEMO, {"pages": 3}), matches({}, {"pages": 3}), matches({"pages": None}, {"pages": 3})],
           [False, False, False])
    expect(matches(MEMO, {"type": "memo", "pages": {"from": 1}}), False)


def test_matches__nothing_is_asked_for(task):
    matches = task("filters.matches")
    expect([matches(BILL, {}), matches({}, {})], [True, True])


def test_matches__a_range(task):
    matches = task("filters.matches")
    spring = {"date": {"from": "2024-03-12", "to": "2024-05-31"}}
    expect([matches(BILL, spring), matches(BILL, {"date": {"from": "2024-04"}}), matches(BILL, {"pages": {"to": 3}})],
           [True, False, True])
    expect([matches(BILL, {"type": "bill", **spring}), matches(BILL, {"type": "memo", **spring})], [True, False])


def test_matches__a_range_and_several_dates(task):
    matches = task("filters.matches")
    expect([matches(MEMO, {"date": limits}) for limits in ({"from": "2024-05"}, {"to": "2023"}, {"from": "2024-07"})],
           [True, True, False])
    # one value has to lie within both ends; that one is after the first and another before the second is not enough
    expect(matches(MEMO, {"date": {"from": "2024-01-01", "to": "2024-05-31"}}), False)


def test_matches__equal_is_equal(task):
    matches = task("filters.matches")
    expect([matches(BILL, {"client": text}) for text in ("Cedarline", "cedarline freight", "Cedarline Freight, Inc.")],
           [False, False, False])
    expect([matches(BILL, {"date": text}) for text in ("2024-03-12", "2024-03")], [True, False])


def test_matches__a_number_is_no_text_and_no_truth(task):
    matches = task("filters.matches")
    expect([matches(BILL, {"pages": "3"}), matches({"pages": "3"}, {"pages": 3})], [False, False])
    expect([matches(BILL, {"paid": True}), matches(BILL, {"paid": 1}), matches({"paid": 0}, {"paid": False})],
           [True, False, False])


def test_matches__no_condition(task):
    matches = task("filters.matches")
    matches.refuses(BILL, {"type": []})
    matches.refuses(BILL, {"type": "bill", "date": {"from": "2024-05", "to": "2024-03"}})


# seven vectors of length 1, in three dimensions
ROWS = [[0.6, 0.8, 0.0], [1.0, 0.0, 0.0], [2 / 3, 1 / 3, 2 / 3], [-0.6, 0.0, 0.8], [0.8, 0.0, -0.6], [-1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0]]
QUERY = [1.0, 0.0, 0.0]


def test_pre_filter__only_what_is_allowed(task):
    pre_filter = task("filters.pre_filter")
    expect(pre_filter([1, 0], [[0.6, 0.8], [1, 0], [0.8, 0.6], [0, 1]], [True, False, True, True], k=2),
           [[2, 0.8], [0, 0.6]])
    expect(pre_filter(QUERY, ROWS, [True, False, True, True, False, False, True], k=2), [[2, 2 / 3], [0, 0.6]])
    expect(pre_filter(QUERY, np.array(ROWS), np.array([False, False, False, True, True, True, False]), k=2),
           [[4, 0.8], [3, -0.6]])


def test_pre_filter__the_query_is_any_direction(task):
    expect(task("filters.pre_filter")([0.0, 0.6, 0.8], ROWS, [True, True, True, True, False, True, False], k=3),
           [[2, 11 / 15], [3, 0.64], [0, 0.48]])


def test_pre_filter__below_zero_counts_too(task):
    pre_filter = task("filters.pre_filter")
    expect(pre_filter(QUERY, ROWS, [False, False, False, True, False, True, False], k=2), [[3, -0.6], [5, -1.0]])


def test_pre_filter__fewer_match_than_asked_for(task):
    pre_filter = task("filters.pre_filter")
    expect(pre_filter(QUERY, ROWS, [False, False, False, False, True, False, True], k=4), [[4, 0.8], [6, 0.0]])
    expect(pre_filter(QUERY, ROWS, [False] * 6 + [True], k=3), [[6, 0.0]])
    expect(pre_filter(QUERY, ROWS, [False] * 7, k=3), [])


def test_pre_filter__all_match(task):
    expect(task("filters.pre_filter")(QUERY, ROWS, [True] * 7, k=3), [[1, 1.0], [4, 0.8], [2, 2 / 3]])


def test_pre_filter__equal_ones_by_position(task):
    rows = [[0.6, -0.8], [0.8, 0.6], [0.6, 0.8], [0.0, 1.0], [0.6, 0.8]]
    expect(task("filters.pre_filter")([1.0, 0.0], rows, [True, False, True, True, True], k=3),
           [[0, 0.6], [2, 0.6], [4, 0.6]])
    expect(task("filters.pre_filter")([1.0, 0.0], rows, [True, False, True, True, True], k=2), [[0, 0.6], [2, 0.6]])


def test_pre_filter__many(task):
    # 1,009 vectors at as many angles, in no order; every third is not allowed
    angles = [place * 400 % 1009 / 400 for place in range(1009)]
    allowed = [place % 3 > 0 for place in range(1009)]
    best = sorted((angle, place) for place, angle in enumerate(angles) if allowed[place])
    expect(task("filters.pre_filter")([1.0, 0.0], [[cos(angle), sin(angle)] for angle in angles], allowed, k=606),
           [[place, cos(angle)] for angle, place in best[:606]])


def test_pre_filter__what_does_not_fit(task):
    pre_filter = task("filters.pre_filter")
    pre_filter.refuses(QUERY, ROWS, [True, False, True], k=2)
    pre_filter.refuses(QUERY, ROWS, [True] * 7, k=0)


def test_how_many_to_fetch__by_hand(task):
    how_many = task("filters.how_many_to_fetch")
    expect([how_many(10, 0.5), how_many(3, 0.25), how_many(6, 1.0)], [20, 12, 6])


def test_how_many_to_fetch__rounded_up(task):
    how_many = task("filters.how_many_to_fetch")
    expect([how_many(10, 0.03), how_many(1, 0.4), how_many(10, 0.96), how_many(10, 0.15)], [334, 3, 11, 67])


def test_how_many_to_fetch__no_share(task):
    how_many = task("filters.how_many_to_fetch")
    how_many.refuses(10, 0.0)
    how_many.refuses(10, -0.5)


def test_how_many_to_fetch__percent_is_no_share(task):
    task("filters.how_many_to_fetch").refuses(10, 50)


def test_how_many_to_fetch__k_below_one(task):
    task("filters.how_many_to_fetch").refuses(0, 0.5)


RANKED = [(4, 0.9), (7, 0.85), (0, 0.7), (2, 0.65), (6, 0.3), (1, -0.1)]
ALLOWED = [True, True, False, True, False, True, True, True]  # by position; 3 and 5 match and were not fetched


def test_post_filter__the_first_k_that_are_allowed(task):
    expect(task("filters.post_filter")(RANKED, ALLOWED, k=2), {"found": [[7, 0.85], [0, 0.7]], "missing": 0})
    expect(task("filters.post_filter")(RANKED, [False] * 6 + [True, False], k=1), {"found": [[6, 0.3]], "missing": 0})
    expect(task("filters.post_filter")(RANKED, np.array(ALLOWED), k=3),
           {"found": [[7, 0.85], [0, 0.7], [6, 0.3]], "missing": 0})


def test_post_filter__says_how_many_are_missing(task):
    post_filter = task("filters.post_filter")
    whole = [[7, 0.85], [0, 0.7], [6, 0.3], [1, -0.1]]
    expect(post_filter(RANKED, ALLOWED, k=5), {"found": whole, "missing": 1})
    expect(post_filter(RANKED, ALLOWED, k=9), {"found": whole, "missing": 5})


def test_post_filter__nothing_matches_or_nothing_was_fetched(task):
    post_filter = task("filters.post_filter")
    expect(post_filter(RANKED, [False] * 8, k=3), {"found": [], "missing": 3})
    expect(post_filter([], [True, False], k=4), {"found": [], "missing": 4})


def test_post_filter__a_position_beyond(task):
    post_filter = task("filters.post_filter")
    post_filter.refuses([(1, 0.5), (3, 0.4)], [True, True, False], k=2)
    post_filter.refuses([(0, 0.5), (-1, 0.4)], [True, True, False], k=2)


def test_post_filter__k_below_one(task):
    task("filters.post_filter").refuses(RANKED, ALLOWED, k=0)


# From small graphs to larger ones: the first that fails is shown
def test_search_layer_filtered__where_the_walk_ends(task):
    # the way to position 2, the nearest, goes over position 1: further off than the one result that is asked for
    vectors, layer = [[0.8, 0.6], [-0.28, 0.96], [0.96, 0.28], [0.0, 1.0]], {0: [1], 1: [0, 2, 3], 2: [1], 3: [1]}
    walk = task("filters.search_layer_filtered")
    expect(walk([1.0, 0.0], [0], 1, vectors, layer, [True, False, True, False]), [[0.2, 0]])
    expect(walk([1.0, 0.0], [0], 2, vectors, layer, [True, False, True, False]), [[0.04, 2], [0.2, 0]])


def test_search_layer_filtered__goes_on_while_it_can_get_better(task):
    # two results stand, at 0.04 and 1; position 2 lies between, and behind it the second best
    vectors, layer = [[0.96, 0.28], [0.0, -1.0], [0.6, 0.8], [0.8, 0.6]], {0: [1, 2], 1: [0], 2: [0, 3], 3: [2]}
    expect(task("filters.search_layer_filtered")([1.0, 0.0], [0], 2, vectors, layer, [True, True, False, True]),
           [[0.04, 0], [0.2, 3]])


def test_search_layer_filtered__equal_ones_by_position(task):
    vectors, layer = [[0.6, 0.8], [0.8, 0.6], [0.6, -0.8], [0.0, 1.0]], {0: [1], 1: [2, 0, 3], 2: [1], 3: [1]}
    expect(task("filters.search_layer_filtered")([1.0, 0.0], [2], 3, vectors, layer, [True, False, True, True]),
           [[0.4, 0], [0.4, 2], [1.0, 3]])


# Four points and the links between them
SMALL, SMALL_LAYER = [[0, 1], [0.6, 0.8], [0.96, 0.28], [0.8, 0.6]], {0: [1, 2], 1: [0, 3], 2: [0], 3: [1]}
# Nine points on a circle, and a graph over them; the query is at (1, 0), so the distances are 1 - the first number:
# 1.8, 1.28, 0.72, 0.4, 0.2, 0.04, 1/13, 8/13, 1
CIRCLE = [[-0.8, 0.6], [-0.28, 0.96], [0.28, 0.96], [0.6, 0.8], [0.8, 0.6], [0.96, 0.28], [12 / 13, -5 / 13],
          [5 / 13, -12 / 13], [0.0, -1.0]]
LAYER = {0: [1], 1: [0, 2, 8], 2: [1, 3], 3: [2, 4, 7], 4: [3, 5], 5: [4, 6], 6: [5], 7: [3, 8], 8: [1, 7]}


def test_search_layer_filtered__all_are_allowed(task):
    walk = task("filters.search_layer_filtered")
    expect(walk([1, 0], [0], 2, SMALL, SMALL_LAYER, [True] * 4), [[0.04, 2], [0.2, 3]])
    expect(walk([1.0, 0.0], [0], 3, CIRCLE, LAYER, [True] * 9), [[0.04, 5], [1 / 13, 6], [0.2, 4]])
    expect(walk(np.array([0.0, 1.0]), [6], 2, np.array(CIRCLE), LAYER, np.array([True] * 9)), [[0.04, 1], [0.04, 2]])


def test_search_layer_filtered__walks_through_what_is_not_allowed(task):
    walk = task("filters.search_layer_filtered")
    expect(walk([1, 0], [0], 1, SMALL, SMALL_LAYER, [False, False, False, True]), [[0.2, 3]])  # 2 leads nowhere
    expect(walk([1.0, 0.0], [0], 2, CIRCLE, LAYER, [node in (5, 6) for node in LAYER]), [[0.04, 5], [1 / 13, 6]])
    expect(walk([1.0, 0.0], [0], 1, CIRCLE, LAYER, [node in (0, 4) for node in LAYER]), [[0.2, 4]])


def test_search_layer_filtered__ef_counts_the_allowed(task):
    walk = task("filters.search_layer_filtered")
    expect(walk([1.0, 0.0], [0], 2, CIRCLE, LAYER, [node in (0, 3, 7) for node in LAYER]), [[0.4, 3], [8 / 13, 7]])
    expect(walk([1.0, 0.0], [4], 3, CIRCLE, LAYER, [node in (1, 2, 7, 8) for node in LAYER]),
           [[8 / 13, 7], [0.72, 2], [1.0, 8]])


def test_search_layer_filtered__fewer_than_ef(task):
    walk = task("filters.search_layer_filtered")
    expect(walk([1.0, 0.0], [3], 5, CIRCLE, LAYER, [node in (0, 6) for node in LAYER]), [[1 / 13, 6], [1.8, 0]])
    expect(walk([1.0, 0.0], [3], 5, CIRCLE, LAYER, [False] * 9), [])


def test_search_layer_filtered__the_entry_points(task):
    walk = task("filters.search_layer_filtered")
    expect(walk([1.0, 0.0], [5], 2, CIRCLE, LAYER, [node in (4, 5, 8) for node in LAYER]), [[0.04, 5], [0.2, 4]])
    islands = {0: [1], 1: [0], 2: [3], 3: [2, 4], 4: [3]}
    expect(walk([1.0, 0.0], [1, 2], 3, CIRCLE[:5], islands, [True, False, False, True, True]),
           [[0.2, 4], [0.4, 3], [1.8, 0]])
    expect(walk([1.0, 0.0], [3], 4, CIRCLE[:5], islands, [True, False, False, True, True]), [[0.2, 4], [0.4, 3]])
    expect(walk([1.0, 0.0], [1, 3], 4, CIRCLE[:5], islands, [True, False, False, True, True]),
           [[0.2, 4], [0.4, 3], [1.8, 0]])


def test_search_layer_filtered__what_does_not_fit(task):
    walk = task("filters.search_layer_filtered")
    walk.refuses([1.0, 0.0], [0], 0, CIRCLE, LAYER, [True] * 9)
    walk.refuses([1.0, 0.0], [0], 2, CIRCLE, LAYER, [True] * 4)
