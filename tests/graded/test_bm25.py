"""Graded tests of the tasks bm25.*; the expected numbers were worked out by hand from the formula of lesson 03."""

from math import log

import pytest

from firstprinciples.grading.compare import expect

# Three documents of 4, 6 and 5 words: average 5. "is" and "the" are in two of them and twice in one.
LONDON = [
    ["hello", "there", "good", "man"],
    ["it", "is", "quite", "windy", "in", "london"],
    ["how", "is", "the", "weather", "today"],
]
# Four documents of 5, 3, 8 and 2 words: average 4.5. "tent" stands 3 times in the first.
CAMP = [
    ["tent", "pole", "tent", "peg", "tent"],
    ["red", "tent", "bag"],
    ["stove", "fuel", "stove", "red", "pot", "lid", "pan", "cup"],
    ["rope", "peg"],
]


def test_invert__two_documents(task):
    expect(task("bm25.invert")([["red", "tent", "red"], ["tent"]]), {"red": {0: 2}, "tent": {0: 1, 1: 1}})


def test_invert__counts_within_each_document(task):
    index = task("bm25.invert")(CAMP)
    expect(index, {"tent": {0: 3, 1: 1}, "pole": {0: 1}, "peg": {0: 1, 3: 1}, "red": {1: 1, 2: 1}, "bag": {1: 1},
                   "stove": {2: 2}, "fuel": {2: 1}, "pot": {2: 1}, "lid": {2: 1}, "pan": {2: 1}, "cup": {2: 1},
                   "rope": {3: 1}})


def test_invert__an_empty_document_keeps_its_place(task):
    expect(task("bm25.invert")([[], ["rope"], []]), {"rope": {1: 1}})


def test_invert__equal_documents_are_two(task):
    expect(task("bm25.invert")([["red", "cup"], ["red", "cup"], ["cup"]]),
           {"red": {0: 1, 1: 1}, "cup": {0: 1, 1: 1, 2: 1}})


def test_invert__words_are_whole_and_as_they_are(task):
    expect(task("bm25.invert")([["tents", "Tent"], ["tent", "tent"]]),
           {"tents": {0: 1}, "Tent": {0: 1}, "tent": {1: 2}})


def test_idf__a_rare_word(task):
    expect(task("bm25.idf")(n=3, df=1), log(1 + 2.5 / 1.5))  # 0.9808


def test_idf__a_word_in_half_of_the_documents_is_still_above_zero(task):
    expect(task("bm25.idf")(n=10, df=5), log(2))  # 0.6931


def test_idf__and_so_is_a_word_in_all(task):
    expect(task("bm25.idf")(n=4, df=4), log(1 + 0.5 / 4.5))  # 0.1054


def test_idf__a_word_in_none(task):
    expect(task("bm25.idf")(n=7, df=0), log(16))  # 1 + 7.5 / 0.5 = 16; 2.7726


def test_length_norm__a_short_document(task):
    expect(task("bm25.length_norm")(length=4, average=6, b=0.75), 0.75)


def test_length_norm__a_long_document_at_three_settings(task):
    norm = task("bm25.length_norm")
    expect(norm(length=30, average=12, b=0.4), 1.6)  # 0.6 + 0.4 * 2.5
    expect(norm(length=30, average=12, b=0), 1.0)
    expect(norm(length=30, average=12, b=1), 2.5)


def test_length_norm__an_empty_document_among_others(task):
    expect(task("bm25.length_norm")(length=0, average=5, b=0.75), 0.25)


def test_length_norm__no_words_anywhere(task):
    expect(task("bm25.length_norm")(length=0, average=0, b=0.75), 1.0)


def test_term_weight__three_times_in_a_short_document(task):
    expect(task("bm25.term_weight")(tf=3, k1=1.2, b=0.75, length=4, average=6), 6.6 / 3.9)  # K is 0.75; 1.6923


def test_term_weight__other_settings_than_the_usual(task):
    expect(task("bm25.term_weight")(tf=2, k1=2.0, b=0.3, length=9, average=5), 6 / (2 + 2 * 1.24))  # K is 1.24; 1.3393


@pytest.mark.parametrize("tf, value", [(1, 2.2 / 2.2), (10, 22 / 11.2), (50, 110 / 51.2)])
def test_term_weight__saturates_below_k1_plus_1(task, tf, value):
    expect(task("bm25.term_weight")(tf=tf, k1=1.2, b=0.75, length=8, average=8), value)  # 1, 1.9643, 2.1484


def test_term_weight__k1_zero_counts_only_whether_it_is_there(task):
    weight = task("bm25.term_weight")
    expect(weight(tf=5, k1=0, b=0.75, length=7, average=4), 1.0)
    expect(weight(tf=0, k1=0, b=0.75, length=7, average=4), 0.0)


def test_score__two_rare_words(task):
    # idf 0.980829 each; K = 0.25 + 0.75 * 6 / 5 = 1.15; weight 2.5 / (1 + 1.5 * 1.15) = 0.917431
    expect(task("bm25.score")(["windy", "london"], LONDON[1], LONDON, k1=1.5, b=0.75), 1.7996868)


def test_score__the_usual_settings_when_none_are_given(task):
    # tent: 2 of 4 hold it, idf ln 2; K = 0.25 + 0.75 * 5 / 4.5; weight 6.6 / (3 + 1.2 K)
    k = 0.25 + 0.75 * 5 / 4.5
    expect(task("bm25.score")(["tent"], CAMP[0], CAMP), log(2) * 6.6 / (3 + 1.2 * k))


def test_score__a_word_said_twice_in_the_query_counts_twice(task):
    k = 0.25 + 0.75 * 3 / 4.5
    one = log(2) * 2.2 / (1 + 1.2 * k)
    expect(task("bm25.score")(["red", "tent", "red"], CAMP[1], CAMP), 3 * one)


def test_score__a_word_that_is_missing_adds_nothing(task):
    # as above, "windy" alone: half of 1.7996868
    score = task("bm25.score")
    expect(score(["windy", "hello"], LONDON[1], LONDON, k1=1.5, b=0.75), 0.8998434)
    expect(score(["yeti", "windy", "hello"], LONDON[1], LONDON, k1=1.5, b=0.75), 0.8998434)
    expect(score(["windy", "yeti", "london"], LONDON[1], LONDON, k1=0, b=0.75), 2 * log(1 + 2.5 / 1.5))


def test_score__part_of_a_word_is_no_match(task):
    documents = [["tents", "pole"], ["tent"], ["stove", "fuel", "pot"]]
    expect(task("bm25.score")(["tent"], documents[0], documents), 0.0)
    expect(task("bm25.score")(["tent"], documents[1], documents), log(1 + 2.5 / 1.5) * 2.2 / (1 + 1.2 * 0.625))


def test_score__equal_documents_are_two(task):
    # N = 3, df = 2; lengths 1, 1, 4, average 2: K = 0.25 + 0.75 / 2
    documents = [["red"], ["red"], ["blue", "cup", "lid", "pan"]]
    expect(task("bm25.score")(["red"], documents[0], documents), log(1 + 1.5 / 2.5) * 2.2 / (1 + 1.2 * 0.625))


def test_score__nothing_matches(task):
    score = task("bm25.score")
    expect(score(["bill", "owing"], CAMP[0], CAMP), 0.0)
    expect(score(["bill"], [], [[], []]), 0.0)


def test_rank__the_better_match_first(task):
    # lengths 2, 2, 1, average 5/3: K = 1.15; red: idf ln(1 + 2.5/1.5); tent: idf ln(1 + 1.5/2.5)
    red, tent, weight = log(1 + 2.5 / 1.5), log(1.6), 2.2 / (1 + 1.2 * 1.15)
    expect(task("bm25.rank")(["red", "tent"], [["blue", "tent"], ["red", "tent"], ["stove"]]),
           [(1, (red + tent) * weight), (0, tent * weight)])


def test_rank__all_four_documents_with_other_settings(task):
    k = [0.5 + 0.5 * length / 4.5 for length in (5, 3, 8, 2)]
    idf, peg = log(2), log(2)
    tent0, peg0 = idf * 6 / (3 + 1 * k[0]), peg * 2 / (1 + 1 * k[0])
    tent1, peg3 = idf * 2 / (1 + 1 * k[1]), peg * 2 / (1 + 1 * k[3])
    expect(task("bm25.rank")(["tent", "peg"], CAMP, k=5, k1=1.0, b=0.5), [(0, tent0 + peg0), (3, peg3), (1, tent1)])


def test_rank__repeats_count_and_unknown_words_do_not(task):
    k = 0.25 + 0.75 * 2 / 4.5
    expect(task("bm25.rank")(["rope", "never", "rope"], CAMP), [(3, 2 * log(1 + 3.5 / 1.5) * 2.2 / (1 + 1.2 * k))])


def test_rank__equal_scores_in_order_of_position(task):
    documents = [["stove"], ["red", "cup"], ["red", "lid"], ["red", "pan"]]
    k = 0.25 + 0.75 * 2 / 1.75
    one = log(1 + 1.5 / 3.5) * 2.2 / (1 + 1.2 * k)
    expect(task("bm25.rank")(["red"], documents, k=2), [(1, one), (2, one)])


def test_rank__the_best_is_not_the_first_that_was_touched(task):
    # N = 2, df = 2; lengths 4, 2, average 3: K of the second is 0.25 + 0.75 * 2 / 3 = 0.75
    documents = [["red", "cup", "lid", "pan"], ["red", "red"]]
    expect(task("bm25.rank")(["red"], documents, k=1), [(1, log(1.2) * 4.4 / (2 + 1.2 * 0.75))])


def test_rank__equal_scores_whichever_word_comes_first(task):
    one = log(2) * 2.2 / (1 + 1.2)
    expect(task("bm25.rank")(["b", "a"], [["a", "x"], ["b", "x"]]), [(0, one), (1, one)])


def test_rank__two_of_five_that_match(task):
    # N = 6, df = 5; lengths 1 to 5 and 3, average 3
    documents = [["red"] * n for n in (1, 2, 3, 4, 5)] + [["cup", "lid", "pan"]]
    idf = log(1 + 1.5 / 5.5)
    both = [(i, idf * 2.2 * tf / (tf + 1.2 * (0.25 + 0.25 * tf))) for i, tf in ((4, 5), (3, 4))]
    rank = task("bm25.rank")
    expect(rank(["red"], [["red"]] * 12), [(i, log(1 + 0.5 / 12.5)) for i in range(10)])  # k is 10 unless given
    expect(rank(["red"], documents, k=2), both)


def test_rank__equal_documents_are_two(task):
    one = log(1 + 1.5 / 2.5) * 2.2 / (1 + 1.2 * 0.625)  # N = 3, df = 2; K = 0.25 + 0.75 / 2
    expect(task("bm25.rank")(["red"], [["red"], ["red"], ["blue", "cup", "lid", "pan"]]), [(0, one), (1, one)])


def test_rank__nothing_to_find_and_nothing_to_search(task):
    rank = task("bm25.rank")
    expect(rank(["bill"], CAMP), [])
    expect(rank(["tent"], []), [])
    expect(rank(["tent"], [[], []]), [])
