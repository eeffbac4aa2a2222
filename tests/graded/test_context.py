"""Graded tests of the tasks context.*; the expected texts and numbers were worked out by hand."""

import math

from firstprinciples.grading.compare import expect


def test_tokens__four_characters_each(task):
    tokens = task("context.tokens")
    expect(tokens("The tent leaks. "), 4)  # 16 characters
    expect(tokens("Four tarps and seven stoves!"), 7)


def test_tokens__what_is_left_over_is_one_more(task):
    tokens = task("context.tokens")
    expect(tokens("Pay the bill"), 3)
    expect(tokens("Pay the bill."), 4)
    expect(tokens("Pay the bills."), 4)
    expect(tokens("I"), 1)


def test_tokens__spaces_and_line_breaks_count(task):
    tokens = task("context.tokens")
    expect(tokens("a b c d e"), 3)
    expect(tokens("tent\n\n\n\n\nrope  "), 4)
    expect(tokens("  \n  "), 2)


def test_tokens__characters_and_not_bytes(task):
    expect(task("context.tokens")("Zeltplätze für Öfen"), 5)  # 19 characters, 22 bytes


def test_tokens__none_in_an_empty_text(task):
    tokens = task("context.tokens")
    expect(tokens(""), 0)
    expect(tokens("rope"), 1)


def test_tokens__a_list_of_words_is_no_text(task):
    tokens = task("context.tokens")
    tokens.refuses(["The", "tent", "leaks"])
    expect(tokens("The tent"), 2)


def test_bill__tokens_times_questions_times_price(task):
    bill = task("context.bill")
    expect(bill(2_000, 300, 5.0), 3.0)  # 600,000 tokens at 5 dollars a million
    expect(bill(70_000, 90, 0.5), 3.15)


def test_bill__a_small_one_is_not_rounded_away(task):
    bill = task("context.bill")
    expect(bill(700, 3, 0.25), 0.000525)
    expect(bill(1_234, 7, 3.0), 0.025914)


def test_bill__means_are_no_whole_numbers(task):
    bill = task("context.bill")
    expect(bill(812.5, 400, 2.0), 0.65)
    expect(bill(3_000, 2.5, 4.0), 0.03)


def test_bill__nothing_costs_nothing(task):
    bill = task("context.bill")
    expect(bill(0, 500, 3.0), 0.0)
    expect(bill(900, 0, 3.0), 0.0)
    expect(bill(900, 500, 0), 0.0)
    expect(bill(900, 500, 3.0), 1.35)


def test_bill__none_is_negative(task):
    bill = task("context.bill")
    bill.refuses(-900, 500, 3.0)
    bill.refuses(900, -500, 3.0)
    bill.refuses(900, 500, -3.0)
    bill.refuses(-900, -500, 3.0)


def test_bill__each_is_a_number(task):
    bill = task("context.bill")
    bill.refuses(math.nan, 500, 3.0)
    bill.refuses(900, math.nan, 3.0)
    bill.refuses(900, 500, math.nan)


def test_bill__none_is_infinite(task):
    bill = task("context.bill")
    bill.refuses(math.inf, 500, 3.0)
    bill.refuses(900, math.inf, 3.0)
    bill.refuses(900, 500, math.inf)


def test_bill__one_is_a_number_like_any_other(task):
    bill = task("context.bill")  # and 1 == True, so a refusal of True must not take 1 with it
    expect(bill(812.5, 1, 2.0), 0.001625)
    expect(bill(900, 500, 1), 0.45)
    expect(bill(1, 70_000, 3.0), 0.21)


BENT = {0.0: 80.0, 0.25: 60.0, 0.5: 50.0, 1.0: 70.0}


def test_along__a_point_of_the_curve(task):
    along = task("context.along")
    expect(along(BENT, 1, 9), 80.0)
    expect(along(BENT, 3, 9), 60.0)
    expect(along(BENT, 5, 9), 50.0)
    expect(along(BENT, 9, 9), 70.0)


def test_along__a_straight_line_between_two(task):
    along = task("context.along")
    expect(along(BENT, 2, 9), 70.0)
    expect(along(BENT, 4, 6), 54.0)  # 0.6: a fifth of the way from 50 to 70
    expect(along(BENT, 2, 11), 72.0)  # 0.1: two fifths of the way from 80 to 60
    expect(along(BENT, 8, 11), 58.0)


def test_along__among_few_or_many(task):
    along = task("context.along")
    expect(along(BENT, 2, 2), 70.0)
    expect(along(BENT, 2, 3), 50.0)
    expect(along(BENT, 41, 201), 64.0)


def test_along__before_the_first_point_and_after_the_last(task):
    along = task("context.along")
    part = {0.4: 10.0, 0.8: 30.0}
    expect(along(part, 1, 6), 10.0)
    expect(along(part, 2, 6), 10.0)
    expect(along(part, 4, 6), 20.0)
    expect(along(part, 6, 6), 30.0)
    expect(along({0.3: 44.0}, 5, 7), 44.0)


def test_along__the_only_place(task):
    along = task("context.along")
    expect(along(BENT, 1, 1), 80.0)
    expect(along({0.5: 12.0, 1.0: 90.0}, 1, 1), 12.0)


def test_along__points_in_any_order(task):
    along = task("context.along")
    expect(along({1.0: 70.0, 0.0: 80.0, 0.5: 50.0}, 2, 5), 65.0)
    expect(along({0.6: 30.0, 0.2: 50.0}, 5, 11), 40.0)
    expect(along({0.6: 30.0, 0.2: 50.0}, 1, 11), 50.0)


def test_along__positions_from_1(task):
    along = task("context.along")
    along.refuses(BENT, 0, 9)
    along.refuses(BENT, -2, 9)
    along.refuses(BENT, 0, 1)
    expect(along(BENT, 1, 2), 80.0)


def test_along__no_position_beyond_n(task):
    along = task("context.along")
    along.refuses(BENT, 10, 9)
    along.refuses(BENT, 2, 1)
    along.refuses(BENT, 1, 0)
    expect(along(BENT, 5, 5), 70.0)


def test_along__a_curve_without_points(task):
    along = task("context.along")
    along.refuses({}, 2, 7)
    along.refuses({}, 1, 1)
    expect(along({0.0: 7.0}, 1, 3), 7.0)


def test_along__points_are_numbers(task):
    along = task("context.along")
    along.refuses({0.0: 80.0, 0.5: math.nan, 1.0: 70.0}, 2, 9)
    along.refuses({0.0: 80.0, 0.5: 50.0, 1.0: math.inf}, 8, 9)
    along.refuses({0.0: 80.0, 0.5: 50.0, math.inf: 70.0}, 2, 9)


def test_best_last__turned_round(task):
    best_last = task("context.best_last")
    expect(best_last(["memo#3", "bill#1", "memo#1", "list#2"]), ["list#2", "memo#1", "bill#1", "memo#3"])
    expect(best_last(["b", "d", "a", "e", "c"]), ["c", "e", "a", "d", "b"])


def test_best_last__two(task):
    expect(task("context.best_last")(["rope#2", "tent#1"]), ["tent#1", "rope#2"])


def test_best_last__three_the_middle_one_stays(task):
    expect(task("context.best_last")(["m", "t", "r"]), ["r", "t", "m"])


def test_best_last__one_or_none(task):
    best_last = task("context.best_last")
    expect(best_last(["tent#1"]), ["tent#1"])
    expect(best_last([]), [])


def test_both_ends__the_weakest_in_the_middle(task):
    both_ends = task("context.both_ends")
    expect(both_ends(["e", "b", "d", "a", "c"]), ["e", "d", "c", "a", "b"])
    expect(both_ends(["p1", "p2", "p3", "p4", "p5", "p6", "p7"]), ["p1", "p3", "p5", "p7", "p6", "p4", "p2"])


def test_both_ends__an_even_number(task):
    both_ends = task("context.both_ends")
    expect(both_ends(["d", "c", "a", "b"]), ["d", "a", "b", "c"])
    expect(both_ends(["p1", "p2", "p3", "p4", "p5", "p6"]), ["p1", "p3", "p5", "p6", "p4", "p2"])


def test_both_ends__three(task):
    expect(task("context.both_ends")(["memo#1", "tent#4", "rope#2"]), ["memo#1", "rope#2", "tent#4"])


def test_both_ends__two_one_or_none(task):
    both_ends = task("context.both_ends")
    expect(both_ends(["tent#4", "memo#1"]), ["tent#4", "memo#1"])
    expect(both_ends(["tent#4"]), ["tent#4"])
    expect(both_ends([]), [])


def test_fit__as_long_as_they_fit(task):
    fit = task("context.fit")
    expect(fit([120, 200, 70, 90], 430), [0, 1, 2])
    expect(fit([120, 200, 70, 90], 1000), [0, 1, 2, 3])


def test_fit__a_shorter_one_behind_may_still_go_in(task):
    fit = task("context.fit")
    expect(fit([300, 500, 90, 260, 40], 450), [0, 2, 4])
    expect(fit([700, 80], 100), [1])
    expect(fit([50, 60, 45, 30], 130), [0, 1])


def test_fit__best_first_whatever_else_there_would_be_room_for(task):
    fit = task("context.fit")
    expect(fit([400, 150, 160, 170], 500), [0])  # the three others would make 480
    expect(fit([90, 20, 30], 100), [0])


def test_fit__just_full(task):
    fit = task("context.fit")
    expect(fit([300, 150, 50], 500), [0, 1, 2])
    expect(fit([300, 151, 50], 500), [0, 1])
    expect(fit([120], 120), [0])


def test_fit__no_room(task):
    fit = task("context.fit")
    expect(fit([300, 150, 50], 0), [])
    expect(fit([300, 150, 50], 49), [])
    expect(fit([], 70), [])


def test_fit__nothing_takes_no_room(task):
    fit = task("context.fit")
    expect(fit([0, 60, 40], 70), [0, 1])
    expect(fit([80, 0, 40, 0], 80), [0, 1, 3])
    expect(fit([7, 0], 0), [1])


def test_fit__none_is_negative(task):
    fit = task("context.fit")
    fit.refuses([300, -150, 40], 400)
    fit.refuses([300, 900, -1], 400)
    fit.refuses([300, 150], -1)
    fit.refuses([], -1)


def test_fit__whole_numbers(task):
    fit = task("context.fit")
    fit.refuses([300, 150], 400.5)
    fit.refuses([300, 99.5], 400)
    fit.refuses([300, 950.5], 400)


def test_label__number_document_page(task):
    label = task("context.label")
    expect(label(3, "handbook", 7), "[3] handbook, page 7")
    expect(label(12, "invoice-1063", 1), "[12] invoice-1063, page 1")


def test_label__the_document_as_it_is(task):
    label = task("context.label")
    expect(label(2, "Spring Price List.txt", 4), "[2] Spring Price List.txt, page 4")
    expect(label(5, "memo_2024, draft", 10), "[5] memo_2024, draft, page 10")


def test_label__numbers_from_1(task):
    label = task("context.label")
    label.refuses(0, "handbook", 7)
    label.refuses(-3, "handbook", 7)
    expect(label(1, "handbook", 7), "[1] handbook, page 7")


def test_label__pages_from_1(task):
    label = task("context.label")
    label.refuses(3, "handbook", 0)
    label.refuses(3, "handbook", -7)


def test_label__whole_numbers(task):
    label = task("context.label")
    label.refuses(1.5, "handbook", 7)
    label.refuses(3, "handbook", 2.5)


RENT = {"id": "list#4", "document": "price-list", "page": 3, "text": "A canoe is $45 a day."}
LOAN = {"id": "memo#1", "document": "memo-12", "page": 1, "text": "Loans: two weeks.\nLate ones pay $5."}
ROPE = {"id": "list#2", "document": "price-list", "page": 2, "text": "Rope: $9."}


def test_prompt__note_pages_question(task):
    expect(task("context.prompt")("How much is a canoe?", [RENT, LOAN], "Use the pages."),
           "Use the pages.\n\n[1] price-list, page 3\nA canoe is $45 a day.\n\n[2] memo-12, page 1\n"
           "Loans: two weeks.\nLate ones pay $5.\n\nQuestion: How much is a canoe?")


def test_prompt__numbered_by_their_place(task):
    expect(task("context.prompt")("How much is rope?", [ROPE, LOAN, RENT], "Cite as [2]."),
           "Cite as [2].\n\n[1] price-list, page 2\nRope: $9.\n\n[2] memo-12, page 1\nLoans: two weeks.\n"
           "Late ones pay $5.\n\n[3] price-list, page 3\nA canoe is $45 a day.\n\nQuestion: How much is rope?")


def test_prompt__without_a_note(task):
    expect(task("context.prompt")("Which rope?", [ROPE], ""),
           "[1] price-list, page 2\nRope: $9.\n\nQuestion: Which rope?")


def test_prompt__without_a_page(task):
    prompt = task("context.prompt")
    expect(prompt("Which rope?", [], "Say so, if not."), "Say so, if not.\n\nQuestion: Which rope?")
    expect(prompt("Which rope?", [], ""), "Question: Which rope?")


def test_prompt__texts_as_they_are(task):
    tents = {"id": "t#1", "document": "tents", "page": 5, "text": " Two  poles,\n\n  one\tpeg. \n"}
    expect(task("context.prompt")("And  then? ", [tents], " Be\nbrief. "),
           " Be\nbrief. \n\n[1] tents, page 5\n Two  poles,\n\n  one\tpeg. \n\n\nQuestion: And  then? ")


def test_prompt__the_same_page_twice_has_two_numbers(task):
    expect(task("context.prompt")("Rope?", [ROPE, {**ROPE, "id": "list#3", "text": "Pegs: $1."}], "Cite."),
           "Cite.\n\n[1] price-list, page 2\nRope: $9.\n\n[2] price-list, page 2\nPegs: $1.\n\nQuestion: Rope?")


def test_prompt__what_is_no_source(task):
    prompt = task("context.prompt")
    prompt.refuses("Which rope?", [ROPE, {"id": "list#4", "document": "price-list", "page": 3}], "Cite.")
    prompt.refuses("Which rope?", [{"id": "list#4", "page": 3, "text": "A canoe is $45."}], "Cite.")
    prompt.refuses("Which rope?", [{"id": "list#4", "document": "price-list", "text": "A canoe is $45."}], "Cite.")
    prompt.refuses("Which rope?", [ROPE, {**RENT, "page": 0}], "Cite.")
