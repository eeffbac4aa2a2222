"""Graded tests of the tasks answer.*; the expected texts and numbers were worked out by hand."""

import math

from firstprinciples.grading.compare import expect

RARITY = {"canoe": 4.0, "rent": 2.0, "price": 1.0, "day": 0.5, "the": 0.0}


def test_support__share_of_the_rarity(task):
    support = task("answer.support")
    expect(support(["price", "canoe", "day"], ["canoe", "price", "list"], RARITY), 5 / 5.5)
    expect(support(["rent", "canoe", "price", "day"], ["rent", "the", "day"], RARITY), 2.5 / 7.5)


def test_support__from_none_to_all(task):
    support = task("answer.support")
    expect(support(["rent", "day"], ["price", "canoe"], RARITY), 0.0)
    expect(support(["day", "rent"], ["rent", "a", "canoe", "by", "the", "day"], RARITY), 1.0)
    expect(support(["day", "rent"], [], RARITY), 0.0)


def test_support__each_word_once(task):
    support = task("answer.support")
    expect(support(["rent", "canoe", "rent", "rent"], ["rent"], RARITY), 2 / 6)
    expect(support(["price", "canoe"], ["price", "price", "price"], RARITY), 1 / 5)


def test_support__a_word_without_rarity_is_as_rare_as_the_rarest(task):
    support = task("answer.support")
    expect(support(["rent", "tarp"], ["tarp", "canoe"], RARITY), 4 / 6)
    expect(support(["rent", "tarp", "peg"], ["rent", "peg"], {"rent": 2.5, "day": 7.0}), 9.5 / 16.5)


def test_support__without_any_rarity_all_count_alike(task):
    support = task("answer.support")
    expect(support(["rent", "a", "canoe"], ["a", "canoe"], {}), 2 / 3)


def test_support__nothing_to_hold(task):
    support = task("answer.support")
    expect(support([], ["canoe"], RARITY), 0.0)
    expect(support(["the"], ["the", "canoe"], RARITY), 0.0)
    expect(support([], [], {}), 0.0)
    expect(support(["the", "price"], ["price"], RARITY), 1.0)
    expect(support(["tarp", "the"], ["tarp"], {"the": 0.0, "a": 0.0}), 0.0)  # the rarest that is known weighs 0


def test_support__words_as_they_are_handed_in(task):
    expect(task("answer.support")(["rent", "canoe"], ["Rent", "canoe"], RARITY), 4 / 6)


def test_support__no_rarity_below_0(task):
    support = task("answer.support")
    support.refuses(["rent", "canoe"], ["canoe"], {"canoe": 3.0, "rent": -1.0})
    support.refuses(["canoe"], ["canoe"], {"canoe": 3.0, "rent": -1.0})  # of a word that is not asked for, too


def test_support__each_rarity_is_a_number(task):
    support = task("answer.support")
    support.refuses(["rent", "canoe"], ["canoe"], {"canoe": 3.0, "rent": math.nan})
    support.refuses(["rent", "canoe"], ["canoe"], {"canoe": math.inf, "rent": 2.0})


def test_best_quotes__at_or_above_the_threshold(task):
    best_quotes = task("answer.best_quotes")
    expect(best_quotes([0.2, 0.9, 0.4, 0.7, 0.3], 0.45, 4), [1, 3])
    expect(best_quotes([0.6, 0.5, 0.4], 0.5, 3), [0, 1])
    expect(best_quotes([-3.0, 2.5, -1.0], -1.0, 3), [1, 2])


def test_best_quotes__the_highest_first(task):
    best_quotes = task("answer.best_quotes")
    expect(best_quotes([0.5, 0.8, 0.6, 0.1, 0.9], 0.5, 6), [4, 1, 2, 0])
    expect(best_quotes([0.4012, 0.4016, 0.3989, 0.4015], 0.4, 4), [1, 3, 0])


def test_best_quotes__at_most_so_many(task):
    best_quotes = task("answer.best_quotes")
    expect(best_quotes([0.55, 0.8, 0.6, 0.1, 0.9], 0.5, 2), [4, 1])
    expect(best_quotes([0.1, 0.55, 0.6, 0.8], 0.5, 1), [3])


def test_best_quotes__equal_ones_stay_in_order(task):
    best_quotes = task("answer.best_quotes")
    expect(best_quotes([0.4, 0.7, 0.9, 0.7, 0.7], 0.3, 3), [2, 1, 3])
    expect(best_quotes([0.6, 0.6], 0.6, 1), [0])


def test_best_quotes__silence(task):
    best_quotes = task("answer.best_quotes")
    expect(best_quotes([0.4, 0.7, 0.2], 0.71, 2), [])
    expect(best_quotes([], 0.5, 3), [])
    expect(best_quotes([0.0, 0.3], 0.0, 2), [1, 0])


def test_best_quotes__at_least_one_is_asked_for(task):
    best_quotes = task("answer.best_quotes")
    best_quotes.refuses([0.4, 0.7], 0.3, 0)
    best_quotes.refuses([0.4, 0.7], 0.3, -1)
    expect(best_quotes([0.4, 0.7, 0.9], 0.3, 2), [2, 1])


def test_best_quotes__scores_are_numbers(task):
    best_quotes = task("answer.best_quotes")
    best_quotes.refuses([0.4, math.nan, 0.9], 0.3, 2)
    best_quotes.refuses([0.4, 0.7, math.inf], 0.3, 2)
    best_quotes.refuses([0.4, -math.inf, 0.7], 0.3, 2)


def test_best_quotes__the_threshold_is_a_number(task):
    best_quotes = task("answer.best_quotes")
    best_quotes.refuses([0.4, 0.7], math.nan, 2)
    best_quotes.refuses([0.4, 0.7], math.inf, 2)
    best_quotes.refuses([0.4, 0.7], -math.inf, 2)


def test_best_of_each__one_from_each_page(task):
    best_of_each = task("answer.best_of_each")
    expect(best_of_each([0.4, 0.6, 0.9, 0.8, 0.7], ["bill", "bill", "memo", "memo", "list"], 0.5), [2, 4, 1])
    expect(best_of_each([0.9, 0.8, 0.7], ["memo", "memo", "memo"], 0.5), [0])


def test_best_of_each__wherever_its_lines_stand(task):
    best_of_each = task("answer.best_of_each")
    expect(best_of_each([0.6, 0.7, 0.8, 0.55, 0.9, 0.5], ["m", "b", "m", "b", "t", "m"], 0.2), [4, 2, 1])
    expect(best_of_each([0.4012, 0.4014, 0.4016, 0.3989], ["m", "b", "m", "t"], 0.4), [2, 1])


def test_best_of_each__at_or_above_the_threshold(task):
    best_of_each = task("answer.best_of_each")
    expect(best_of_each([0.45, 0.5, 0.3, 0.8], ["bill", "memo", "list", "rope"], 0.5), [3, 1])
    expect(best_of_each([0.45, 0.3, 0.49], ["bill", "memo", "bill"], 0.5), [])
    expect(best_of_each([0.0, -0.5, 0.2], ["bill", "memo", "rope"], -0.5), [2, 0, 1])


def test_best_of_each__the_first_of_equal_ones(task):
    best_of_each = task("answer.best_of_each")
    expect(best_of_each([0.6, 0.7, 0.7, 0.2], ["memo", "memo", "memo", "bill"], 0.5), [1])
    expect(best_of_each([0.3, 0.8, 0.6, 0.8, 0.8], ["t", "m", "t", "b", "m"], 0.5), [1, 3, 2])


def test_best_of_each__equal_pages_in_the_order_of_their_positions(task):
    # the page "t" comes first, its best line does not
    expect(task("answer.best_of_each")([0.2, 0.7, 0.7, 0.7], ["t", "m", "a", "t"], 0.5), [1, 2, 3])


def test_best_of_each__nothing(task):
    best_of_each = task("answer.best_of_each")
    expect(best_of_each([], [], 0.5), [])
    expect(best_of_each([0.7], ["memo"], 0.5), [0])


def test_best_of_each__a_page_for_each_score(task):
    best_of_each = task("answer.best_of_each")
    best_of_each.refuses([0.6, 0.7, 0.8], ["memo", "bill"], 0.5)
    best_of_each.refuses([0.6, 0.7], ["memo", "bill", "list"], 0.5)


def test_best_of_each__scores_are_numbers(task):
    best_of_each = task("answer.best_of_each")
    best_of_each.refuses([0.6, math.nan, 0.8], ["memo", "memo", "bill"], 0.5)
    best_of_each.refuses([0.6, math.inf, 0.8], ["memo", "memo", "bill"], 0.5)
    best_of_each.refuses([0.6, -math.inf, 0.8], ["memo", "memo", "bill"], 0.5)


def test_best_of_each__the_threshold_is_a_number(task):
    best_of_each = task("answer.best_of_each")
    best_of_each.refuses([0.6, 0.7], ["memo", "bill"], math.nan)
    best_of_each.refuses([0.6, 0.7], ["memo", "bill"], math.inf)


def test_receipt__document_and_page(task):
    receipt = task("answer.receipt")
    expect(receipt("handbook", 7), "[handbook, page 7]")
    expect(receipt("invoice-1063", 1), "[invoice-1063, page 1]")


def test_receipt__the_document_as_it_is(task):
    receipt = task("answer.receipt")
    expect(receipt("Spring Price List.txt", 12), "[Spring Price List.txt, page 12]")
    expect(receipt("memo, draft", 3), "[memo, draft, page 3]")


def test_receipt__a_document_without_a_name(task):
    receipt = task("answer.receipt")
    receipt.refuses("", 2)
    receipt.refuses("   ", 2)


def test_receipt__pages_from_1(task):
    receipt = task("answer.receipt")
    receipt.refuses("handbook", 0)
    receipt.refuses("handbook", -7)
    receipt.refuses("handbook", 2.5)


def test_answer_line__a_quote_with_its_receipt(task):
    answer_line = task("answer.answer_line")
    expect(answer_line([("A canoe is $45 a day.", "price-list", 3)]),
           "Answer: A canoe is $45 a day. [price-list, page 3]")


def test_answer_line__several_each_with_its_own(task):
    answer_line = task("answer.answer_line")
    expect(answer_line([("Rope is $9.", "price-list", 2), ("Loans end after two weeks.", "memo-12", 1),
                        ("A peg is $1.", "price-list", 2)]),
           "Answer: Rope is $9. [price-list, page 2] Loans end after two weeks. [memo-12, page 1] "
           "A peg is $1. [price-list, page 2]")


def test_answer_line__on_one_line(task):
    answer_line = task("answer.answer_line")
    expect(answer_line([("  Rope\n  is\t$9 \n", "price-list", 2)]), "Answer: Rope is $9 [price-list, page 2]")
    expect(answer_line([("Two\n\npoles,   one peg. ", "tents", 5)]), "Answer: Two poles, one peg. [tents, page 5]")
    expect(answer_line([("Paid\r\nin full.\r\n", "ledger", 6)]), "Answer: Paid in full. [ledger, page 6]")


def test_answer_line__as_it_is_quoted(task):
    answer_line = task("answer.answer_line")
    expect(answer_line([("Item | Price | canoe | 45", "price-list", 3), ("who pays?", "memo-12", 4)]),
           "Answer: Item | Price | canoe | 45 [price-list, page 3] who pays? [memo-12, page 4]")


def test_answer_line__the_same_quote_from_two_pages(task):
    answer_line = task("answer.answer_line")
    expect(answer_line([("Paid.", "ledger", 6), ("Paid.", "bill-7", 1), ("Paid.", "ledger", 6)]),
           "Answer: Paid. [ledger, page 6] Paid. [bill-7, page 1] Paid. [ledger, page 6]")


def test_answer_line__without_a_quote(task):
    expect(task("answer.answer_line")([]), "Answer: I couldn't find that.")


def test_answer_line__an_empty_quote(task):
    answer_line = task("answer.answer_line")
    answer_line.refuses([("Paid.", "ledger", 6), ("", "bill-7", 1)])
    answer_line.refuses([(" \n ", "bill-7", 1)])


def test_answer_line__a_receipt_that_is_none(task):
    answer_line = task("answer.answer_line")
    answer_line.refuses([("Paid.", "ledger", 0)])
    answer_line.refuses([("Paid.", "", 6)])


def test_citations__numbers_in_brackets(task):
    citations = task("answer.citations")
    expect(citations("Rope is $9 [2]. A peg is $1 [5]."), [2, 5])
    expect(citations("[3]Loans end after 14 days (see 4)."), [3])


def test_citations__several_in_one_pair_of_brackets(task):
    citations = task("answer.citations")
    expect(citations("Paid late [2,5] and in full [3]."), [2, 3, 5])
    expect(citations("Paid late [1, 4]."), [1, 4])
    expect(citations("All paid late [4, 5, 8, 9]."), [4, 5, 8, 9])


def test_citations__each_once_ascending(task):
    citations = task("answer.citations")
    expect(citations("Paid [7], by transfer [2][7], at last [4, 2]."), [2, 4, 7])
    expect(citations("Both [3][1]."), [1, 3])


def test_citations__more_than_one_digit(task):
    expect(task("answer.citations")("Rope [10], pegs [9], tarps [12, 11]."), [9, 10, 11, 12])


def test_citations__spaces_beside_the_brackets(task):
    citations = task("answer.citations")
    expect(citations("Rope [ 2 ] and pegs [4 ]."), [2, 4])
    expect(citations("Tarps [  6, 7  ]."), [6, 7])


def test_citations__spaces_at_the_commas(task):
    citations = task("answer.citations")
    expect(citations("Rope [2,  5]."), [2, 5])
    expect(citations("Tarps [6 ,1  , 3]."), [1, 3, 6])


def test_citations__other_brackets_cite_nothing(task):
    citations = task("answer.citations")
    expect(citations("See [invoice 7], [8b], [p. 3], [2; 5] and [6]."), [6])
    expect(citations("Between [1-3], below [-4], [] and [$5]."), [])
    expect(citations("See [2, memo], [bin 4, 5] and [3]."), [3])


def test_citations__a_comma_between_two_numbers(task):
    citations = task("answer.citations")
    expect(citations("Rope [2 5], pegs [6]."), [6])
    expect(citations("Rope [2,], pegs [,5], tarps [4,,7] and [3]."), [3])


def test_citations__no_page_0(task):
    citations = task("answer.citations")
    expect(citations("Rope [0], pegs [2]."), [2])
    expect(citations("Rope [0, 3]."), [3])


def test_citations__nothing(task):
    citations = task("answer.citations")
    expect(citations(""), [])
    expect(citations("Rope is $9, and 3 pegs are $3."), [])
    expect(citations("Rope [2]"), [2])


def test_numbers_in__as_they_stand(task):
    numbers_in = task("answer.numbers_in")
    expect(numbers_in("On April 13 we sold 42 pegs in 3 bags."), ["13", "42", "3"])
    expect(numbers_in("7"), ["7"])


def test_numbers_in__points_inside(task):
    numbers_in = task("answer.numbers_in")
    expect(numbers_in("A tarp is $12.50, a rope 9.75 long."), ["12.50", "9.75"])
    expect(numbers_in("Version 2.10.3 of 04.05."), ["2.10.3", "04.05"])


def test_numbers_in__commas_inside(task):
    numbers_in = task("answer.numbers_in")
    expect(numbers_in("The total is $1,284.50 and the tax 36."), ["1284.50", "36"])
    expect(numbers_in("We sold 1,250,000 pegs."), ["1250000"])
    expect(numbers_in("Bags 12,5 and 1.284,50 heavy."), ["125", "1.28450"])  # as others write 12.5 and 1,284.50


def test_numbers_in__not_at_the_ends(task):
    numbers_in = task("answer.numbers_in")
    expect(numbers_in("Rope is 9, a peg 1. Both make 10."), ["9", "1", "10"])
    expect(numbers_in("It was .5 or 8..6, or 2, 3."), ["5", "8", "6", "2", "3"])


def test_numbers_in__whatever_stands_around(task):
    numbers_in = task("answer.numbers_in")
    expect(numbers_in("Part LK-204-B, $40, -15 and 30% for tent5."), ["204", "40", "15", "30", "5"])
    expect(numbers_in("Bins 6 17 are full."), ["6", "17"])
    expect(numbers_in("Pages 7-8 at 12:30, 4/5 full."), ["7", "8", "12", "30", "4", "5"])


def test_numbers_in__as_often_as_they_come(task):
    expect(task("answer.numbers_in")("12 pegs, 3 bags, 12 poles."), ["12", "3", "12"])


def test_numbers_in__none(task):
    numbers_in = task("answer.numbers_in")
    expect(numbers_in("Two poles, one peg."), [])
    expect(numbers_in(""), [])
    expect(numbers_in("6 pegs"), ["6"])


PAGES = ["A canoe is $45 a day, a tarp $12.50.", "Loans end after 14 days. Fines: $1,250 in 2024.",
         "Rope number 90 is short."]


def test_unsupported__what_cites_nothing(task):
    unsupported = task("answer.unsupported")
    expect(unsupported(["A canoe is $45.", "Rope 90 is short [see 3]."], PAGES),
           ["A canoe is $45.", "Rope 90 is short [see 3]."])
    expect(unsupported(["Loans end [2].", "All is well.", "Rope is short [3]."], PAGES), ["All is well."])


def test_unsupported__what_cites_a_page_that_is_not_there(task):
    unsupported = task("answer.unsupported")
    expect(unsupported(["Loans end [7].", "Loans end [2]."], PAGES), ["Loans end [7]."])
    expect(unsupported(["Rope is short [3].", "Loans end [4]."], PAGES), ["Loans end [4]."])
    expect(unsupported(["Rope is short [3, 5].", "Rope is short [3]."], PAGES), ["Rope is short [3, 5]."])


def test_unsupported__a_number_that_no_cited_page_holds(task):
    unsupported = task("answer.unsupported")
    expect(unsupported(["A canoe is $54 a day [1].", "A tarp is $12.50 [1]."], PAGES), ["A canoe is $54 a day [1]."])
    # page 2 holds it, and is not cited
    expect(unsupported(["Loans end after 14 days [1].", "Rope 90 is short [3]."], PAGES),
           ["Loans end after 14 days [1]."])


def test_unsupported__one_of_the_cited_pages_is_enough(task):
    unsupported = task("answer.unsupported")
    expect(unsupported(["A canoe is $45 [1, 2].", "A canoe is $46 [1, 2]."], PAGES), ["A canoe is $46 [1, 2]."])
    expect(unsupported(["A canoe is $45 for 14 days [1, 2].", "For 14 days $54 [1][2]."], PAGES),
           ["For 14 days $54 [1][2]."])


def test_unsupported__every_number_counts(task):
    unsupported = task("answer.unsupported")
    expect(unsupported(["A canoe is $45 and a tarp $13 [1].", "A canoe is $44 and a tarp $12.50 [1]."], PAGES),
           ["A canoe is $45 and a tarp $13 [1].", "A canoe is $44 and a tarp $12.50 [1]."])
    expect(unsupported(["The fines of 2024 are $1,250 [2]."], PAGES), [])


def test_unsupported__whole_numbers(task):
    unsupported = task("answer.unsupported")
    expect(unsupported(["Fines are $25 [2].", "Fines are $1250 [2].", "A tarp is $12 [1]."], PAGES),
           ["Fines are $25 [2].", "A tarp is $12 [1]."])
    expect(unsupported(["A tarp is $12.5 [1].", "Rope is 90.0 [3]."], PAGES),
           ["A tarp is $12.5 [1].", "Rope is 90.0 [3]."])


def test_unsupported__the_numbers_of_a_citation_do_not_count(task):
    unsupported = task("answer.unsupported")
    expect(unsupported(["Rope [ 3 ] is short [3].", "Loans end [1 ,2]."], PAGES), [])
    expect(unsupported(["Rope is short [12].", "Loans end [10, 11]."], PAGES * 4), [])
    expect(unsupported(["There are 3 ropes [3]."], PAGES), ["There are 3 ropes [3]."])


def test_unsupported__other_brackets_belong_to_the_sentence(task):
    expect(task("answer.unsupported")(["Rope is short [bin 4] [3].", "Rope is short [bin 90] [3]."], PAGES),
           ["Rope is short [bin 4] [3]."])


def test_unsupported__a_number_does_not_go_on_on_the_next_page(task):
    pages = ["Pegs are in bin 4", "5 ropes, 2", "7 tarps"]
    expect(task("answer.unsupported")(["There are 45 ropes [1, 2].", "There are 5 ropes [1, 2]."], pages),
           ["There are 45 ropes [1, 2]."])


def test_unsupported__in_their_order_as_often_as_they_come(task):
    unsupported = task("answer.unsupported")
    expect(unsupported(["Well.", "Rope 91 [3].", "Loans end [2].", "Well.", "Amen."], PAGES),
           ["Well.", "Rope 91 [3].", "Well.", "Amen."])


def test_unsupported__nothing_to_look_at(task):
    unsupported = task("answer.unsupported")
    expect(unsupported([], PAGES), [])
    expect(unsupported(["Loans end [1].", "Well."], []), ["Loans end [1].", "Well."])


def test_risk_coverage__from_the_highest_down(task):
    risk_coverage = task("answer.risk_coverage")
    expect(risk_coverage([0.6, 0.9, 0.2, 0.75], [False, True, False, True]),
           [(0.9, 0.25, 0.0), (0.75, 0.5, 0.0), (0.6, 0.75, 1 / 3), (0.2, 1.0, 0.5)])
    expect(risk_coverage([0.1, 0.7, 0.4], [True, False, True]),
           [(0.7, 1 / 3, 1.0), (0.4, 2 / 3, 0.5), (0.1, 1.0, 1 / 3)])


def test_risk_coverage__one_row_for_each_confidence(task):
    risk_coverage = task("answer.risk_coverage")
    right = [True, True, False, False, True, False, True, False]
    expect(risk_coverage([0.5, 0.8, 0.5, 0.8, 0.5, 0.3, 0.8, 0.3], right),
           [(0.8, 3 / 8, 1 / 3), (0.5, 6 / 8, 2 / 6), (0.3, 1.0, 4 / 8)])
    expect(risk_coverage([0.4, 0.4, 0.4], [True, False, True]), [(0.4, 1.0, 1 / 3)])


def test_risk_coverage__any_finite_confidence(task):
    expect(task("answer.risk_coverage")([0.0, 12.5, -3.0], [True, True, False]),
           [(12.5, 1 / 3, 0.0), (0.0, 2 / 3, 0.0), (-3.0, 1.0, 1 / 3)])


def test_risk_coverage__no_question(task):
    risk_coverage = task("answer.risk_coverage")
    expect(risk_coverage([], []), [])
    expect(risk_coverage([0.7], [True]), [(0.7, 1.0, 0.0)])


def test_risk_coverage__both_for_each_question(task):
    risk_coverage = task("answer.risk_coverage")
    risk_coverage.refuses([0.6, 0.9, 0.2], [True, False])
    risk_coverage.refuses([0.6, 0.9], [True, False, True])
    risk_coverage.refuses([], [True])


def test_risk_coverage__confidences_are_numbers(task):
    risk_coverage = task("answer.risk_coverage")
    risk_coverage.refuses([0.6, math.nan, 0.2], [True, False, True])
    risk_coverage.refuses([0.6, math.inf, 0.2], [True, False, True])
    risk_coverage.refuses([0.6, -math.inf, 0.2], [True, False, True])


ASKED = [True, True, False, True, True, False, True]  # five have an answer, two have none


def test_declining__two_shares(task):
    declining = task("answer.declining")
    expect(declining([True, False, False, True, True, True, True], ASKED), (0.5, 0.8))
    expect(declining([False, True, False, False, True, False, False], ASKED), (1.0, 0.4))


def test_declining__reckless_and_silent(task):
    declining = task("answer.declining")
    expect(declining([True] * 7, ASKED), (0.0, 1.0))
    expect(declining([False] * 7, ASKED), (1.0, 0.0))
    expect(declining(ASKED, ASKED), (1.0, 1.0))


def test_declining__as_wrong_as_can_be(task):
    expect(task("answer.declining")([not has for has in ASKED], ASKED), (0.0, 0.0))


def test_declining__one_of_each_kind_at_least(task):
    declining = task("answer.declining")
    declining.refuses([True, False, True], [True, True, True])
    declining.refuses([True, False], [False, False])
    declining.refuses([], [])


def test_declining__both_for_each_question(task):
    declining = task("answer.declining")
    declining.refuses([True, False, True], [True, False])
    declining.refuses([True, False], [True, False, True])
