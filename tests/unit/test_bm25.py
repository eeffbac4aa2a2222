"""The class BM25: by hand, against the plain functions `score` and `rank`, and with every odd input we know of."""

import math
import traceback
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from firstprinciples.corpus import Chunk
from firstprinciples.retrieve import Explanation, Hit, Part, bm25
from firstprinciples.retrieve.bm25 import BM25, idf, rank, score
from firstprinciples.swap import use
from firstprinciples.text import tokenize

LONDON = ["hello there good man", "it is quite windy in london", "how is the weather today"]


def random_corpus(draw):
    """Return up to 30 documents of 0 to 12 words out of 15 words, as lists of words; some are empty."""
    n = int(draw.integers(1, 31))
    return [[f"w{i}" for i in draw.integers(0, 15, size=draw.integers(0, 13))] for _ in range(n)]


def random_query(draw):
    """Return 1 to 6 words; some stand twice, some are in no document."""
    return [f"w{i}" for i in draw.integers(0, 18, size=draw.integers(1, 7))]


def settings(number):
    """Return the k1, b and k1_plus_1 of one of 200 corpora: the edges as often as the usual."""
    return (0, 0.5, 1.2, 1.5, 3.0)[number % 5], (0, 0.3, 0.75, 1)[number % 4], number % 3 == 0


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-12)


# By hand


def test_windy_london():
    # N 3, df 1: idf ln(1 + 2.5/1.5) = 0.9808293; 4 + 6 + 5 words, average 5, |d| 6: K = 0.25 + 0.75 * 6/5 = 1.15
    # weight 1 / (1 + 1.5 * 1.15) = 0.3669725; two such words: 2 * 0.9808293 * 0.3669725 = 0.7198747
    hits = BM25(LONDON, k1=1.5, b=0.75).search("windy london")
    assert hits == [("1", pytest.approx(0.7198747, abs=5e-8))]
    assert isinstance(hits[0], Hit) and type(hits[0].id) is str and type(hits[0].score) is float


def test_windy_london_with_k1_plus_1():
    # 0.71987468 * (1.5 + 1) = 1.7996867
    assert BM25(LONDON, k1=1.5, b=0.75, k1_plus_1=True).search("windy london") == [
        ("1", pytest.approx(1.7996867, abs=5e-8))]


def test_windy_london_explained():
    explanation = BM25(LONDON, k1=1.5, b=0.75).explain("windy london is never", "1")
    # "is" is in two of three: idf ln(1 + 1.5/2.5) = ln 1.6 = 0.4700036, times 0.3669725
    assert [(part.name, part.value) for part in explanation.parts] == [
        ("windy", pytest.approx(0.3599373, abs=5e-8)), ("london", pytest.approx(0.3599373, abs=5e-8)),
        ("is", pytest.approx(0.1724784, abs=5e-8)), ("never", 0.0)]
    assert explanation.total == pytest.approx(0.8923531, abs=1e-7)
    assert [part.note for part in explanation.parts] == [
        "idf 0.9808 (in 1 of 3) x weight 0.3670 (1 in 6 words; average 5.0)",
        "idf 0.9808 (in 1 of 3) x weight 0.3670 (1 in 6 words; average 5.0)",
        "idf 0.4700 (in 2 of 3) x weight 0.3670 (1 in 6 words; average 5.0)",
        "in no chunk"]
    assert isinstance(explanation, Explanation) and all(isinstance(part, Part) for part in explanation.parts)


def test_an_explanation_where_nothing_matches_and_one_with_a_repeated_word():
    index = BM25(LONDON, k1=1.5, b=0.75)
    assert index.explain("windy", "0") == (0, (("windy", 0.0, "not in this chunk; in 1 of 3"),))
    (part,) = index.explain("windy windy windy", "1").parts
    assert part.value == pytest.approx(3 * 0.35993734, abs=1e-7)
    assert part.note == "idf 0.9808 (in 1 of 3) x weight 0.3670 (1 in 6 words; average 5.0) x 3 times in the query"


def test_an_explanation_as_text():
    assert str(BM25(LONDON, k1=1.5, b=0.75).explain("windy is unheard", "1")) == (
        "   0.3599  windy    idf 0.9808 (in 1 of 3) x weight 0.3670 (1 in 6 words; average 5.0)\n"
        "   0.1725  is       idf 0.4700 (in 2 of 3) x weight 0.3670 (1 in 6 words; average 5.0)\n"
        "   0.0000  unheard  in no chunk\n"
        "   0.5324  = total")
    assert str(Explanation(0, ())) == "   0.0000  = total"


def test_the_usual_settings():
    # k1 1.2: weight 1 / (1 + 1.2 * 1.15) = 0.4201681; 2 * 0.9808293 * 0.4201681 = 0.8242263
    assert BM25(LONDON).search("windy london") == [("1", pytest.approx(0.8242263, abs=5e-8))]


# Against the plain functions


@pytest.mark.parametrize("number", range(200))
def test_the_class_gives_what_rank_and_score_give(number):
    draw = np.random.default_rng(number)
    documents, query = random_corpus(draw), random_query(draw)
    k1, b, plus = settings(number)
    scale = 1 if plus else k1 + 1  # the plain functions have the factor k1 + 1, the class only when asked
    ids = [f"{i:02}" for i in range(len(documents))]  # so that the order of ids is that of positions
    index = BM25([Chunk(i, " ".join(words)) for i, words in zip(ids, documents, strict=True)], k1, b, k1_plus_1=plus)
    found = index.search(" ".join(query), k=len(documents))
    plain = rank(query, documents, k=len(documents), k1=k1, b=b)
    assert dict(found) == {ids[i]: close(total / scale) for i, total in plain}
    assert dict(found) == {i: close(total / scale) for i, words in zip(ids, documents, strict=True)
                           if (total := score(query, words, documents, k1, b))}
    assert found == sorted(found, key=lambda hit: (-hit.score, hit.id))


@pytest.mark.parametrize("number", range(200))
def test_explanations_add_up_for_every_chunk(number):
    draw = np.random.default_rng(1000 + number)
    documents, query = random_corpus(draw), " ".join(random_query(draw))
    k1, b, plus = settings(number)
    index = BM25([" ".join(words) for words in documents], k1, b, k1_plus_1=plus)
    found = dict(index.search(query, k=len(documents)))
    for i, words in enumerate(documents):
        explanation = index.explain(query, str(i))
        assert explanation.total == close(found.get(str(i), 0.0))
        assert explanation.total == close(math.fsum(part.value for part in explanation.parts))
        assert [part.name for part in explanation.parts] == list(dict.fromkeys(query.split()))
        assert [part.name for part in explanation.parts if part.value] == [
            word for word in dict.fromkeys(query.split()) if word in words]


@pytest.mark.parametrize("number", range(100))
def test_a_short_list_is_the_beginning_of_the_long_one(number):
    draw = np.random.default_rng(2000 + number)
    # few words and short documents, so that many scores are equal
    documents = [" ".join(f"w{i}" for i in draw.integers(0, 3, size=draw.integers(1, 3))) for _ in range(60)]
    index = BM25(documents)
    everything = index.search("w0 w1", k=60)
    assert len({hit.score for hit in everything}) < len(everything) - 20
    for k in (1, 2, 3, 7, 20, 59):
        assert index.search("w0 w1", k=k) == everything[:k]


# Order


def test_ties_go_by_id_as_strings():
    index = BM25(["red tent"] * 12)
    assert [hit.id for hit in index.search("tent", k=20)] == [
        "0", "1", "10", "11", "2", "3", "4", "5", "6", "7", "8", "9"]
    assert [hit.id for hit in index.search("tent", k=4)] == ["0", "1", "10", "11"]


def test_ties_go_by_id_whatever_the_order_of_the_chunks():
    chunks = [Chunk(id, "red tent") for id in ["b", "2", "a", "10", "B"]] + [Chunk("0", "a tent with a long text")]
    assert [hit.id for hit in BM25(chunks).search("tent")] == ["10", "2", "B", "a", "b", "0"]


def test_two_documents_that_differ_only_in_a_word_not_asked_for_are_equal():
    chunks = [Chunk("b", "red tent pole"), Chunk("a", "red tent peg"), Chunk("c", "cup")]
    first, second = BM25(chunks).search("red tent")
    assert (first.id, second.id) == ("a", "b")
    assert first.score == second.score


def test_the_order_of_the_querys_words_changes_no_score():
    draw = np.random.default_rng(7)
    words = [f"w{i}" for i in range(12)]
    index = BM25([" ".join(draw.choice(words, size=draw.integers(3, 30))) for _ in range(200)])
    hits = index.search(" ".join(words), k=200)
    for _ in range(20):
        query = " ".join(draw.permutation(words))
        assert index.search(query, k=200) == hits  # to the last digit
        assert {id: index.explain(query, id).total for id, _ in hits} == dict(hits)


@pytest.mark.parametrize("held_by", [5, 10])
def test_a_word_in_half_or_all_of_the_documents_scores_above_zero(held_by):
    documents = ["tent pole"] * held_by + ["cup pan"] * (10 - held_by)
    # all lengths 2: K = 1, weight 1 / 2.2; idf ln(1 + 5.5/5.5) = 0.6931472 or ln(1 + 0.5/10.5) = 0.0465200
    wanted = {5: 0.6931472, 10: 0.0465200}[held_by] / 2.2
    hits = BM25(documents).search("tent", k=20)
    assert [hit.id for hit in hits] == [str(i) for i in range(held_by)]
    assert [hit.score for hit in hits] == [pytest.approx(wanted, abs=5e-8)] * held_by


# Little or nothing to find


def test_k_larger_than_the_collection_returns_all_that_match():
    assert [hit.id for hit in BM25(LONDON).search("is", k=1000)] == ["2", "1"]
    assert [hit.id for hit in BM25(LONDON).search("is", k=2)] == ["2", "1"]


@pytest.mark.parametrize("query", ["", "   ", "?!", "never seen", "xyz_99"])
def test_a_query_that_matches_nothing(query):
    assert BM25(LONDON).search(query) == []


def test_a_query_of_stop_words_only():
    def without(text):
        return tokenize(text, stop_words=True)

    index = BM25(LONDON, tokenizer=without)
    assert index.search("is it in the") == []
    assert index.explain("is it in the", "1") == (0, ())
    assert [hit.id for hit in BM25(LONDON).search("is it in the")] == ["1", "2"]


def test_words_never_seen_add_nothing():
    index = BM25(LONDON)
    assert index.search("windy never london seen") == index.search("windy london")


def test_three_empty_documents():
    index = BM25(["", "", ""])
    assert index.search("tent") == []
    assert index.explain("tent", "2") == (0, (("tent", 0.0, "in no chunk"),))


def test_every_third_document_empty():
    documents = ["red tent", "", "tent", "red tent", "", "tent", "cup", "", "pan pan pan"]
    # N 9 with the empty ones; 2+1+2+1+1+3 = 10 words, average 10/9; tent df 4: idf ln(1 + 5.5/4.5) = 0.7985077
    # |d| 2: K = 0.25 + 0.75 * 1.8 = 1.6, weight 1 / 2.92; |d| 1: K = 0.25 + 0.75 * 0.9 = 0.925, weight 1 / 2.11
    assert BM25(documents).search("tent") == [
        ("2", pytest.approx(0.7985077 / 2.11, abs=5e-8)), ("5", pytest.approx(0.7985077 / 2.11, abs=5e-8)),
        ("0", pytest.approx(0.7985077 / 2.92, abs=5e-8)), ("3", pytest.approx(0.7985077 / 2.92, abs=5e-8))]


def test_one_document():
    # idf ln(1 + 0.5/1.5) = 0.2876821, K = 1, weight 2 / 3.2
    assert BM25(["tent tent"]).search("tent") == [("0", pytest.approx(0.2876821 * 2 / 3.2, abs=5e-8))]


# Settings


def test_k1_zero_counts_only_whether_a_word_is_there():
    hits = BM25(["tent tent tent pole", "tent", "cup"], k1=0).search("tent")
    assert hits == [("0", pytest.approx(math.log(1.6))), ("1", pytest.approx(math.log(1.6)))]


def test_b_zero_switches_length_off_and_b_one_fully_on():
    documents = ["tent", "tent " + "pole " * 8, "cup cup"]  # 1, 9 and 2 words: average 4
    assert [hit.score for hit in BM25(documents, b=0).search("tent")] == [pytest.approx(math.log(1.6) / 2.2)] * 2
    # b 1: K = 1/4 and 9/4; weights 1 / (1 + 0.3) and 1 / (1 + 2.7)
    assert [hit.score for hit in BM25(documents, b=1).search("tent")] == [
        pytest.approx(math.log(1.6) / 1.3), pytest.approx(math.log(1.6) / 3.7)]


def test_the_tokenizer_is_used_for_chunks_and_queries():
    def words(text):
        return tokenize(text, codes=False, stem=True)

    index = BM25(["Two invoices", "one tent"], tokenizer=words)
    assert [hit.id for hit in index.search("INVOICE")] == ["0"]
    assert BM25(["Two invoices", "one tent"]).search("INVOICE") == []


@pytest.mark.parametrize("made", [tuple, iter, lambda words: (word for word in words), np.array, dict.fromkeys])
@pytest.mark.parametrize("repeats", [True, False])
def test_a_tokenizer_may_give_whatever_can_be_made_a_list(made, repeats):
    index = BM25(LONDON, tokenizer=lambda text: made(tokenize(text)), repeats=repeats)
    assert index.search("windy london") == BM25(LONDON).search("windy london")
    assert index.explain("windy london", "1").total == pytest.approx(0.8242263, abs=5e-8)


@pytest.mark.parametrize("given, said", [(None, "None"), (7, "7"), ("red tent", "'red tent'"), (b"red", "b'red'")])
def test_a_tokenizer_that_gives_no_words(given, said):
    sentence = f"The tokenizer gave {said}, which is not a list of words."
    with pytest.raises(ValueError) as caught:
        BM25(LONDON, tokenizer=lambda text: given)
    assert str(caught.value) == sentence
    index = BM25(LONDON, tokenizer=lambda text: given if text == "windy" else text.split())
    for search in (index.search, lambda query: index.explain(query, "1")):
        with pytest.raises(ValueError) as caught:
            search("windy")
        assert str(caught.value) == sentence


def test_a_query_text_equal_to_an_id_drops_nothing():
    chunks = [Chunk("tent", "red tent"), Chunk("pole", "tent pole")]
    assert [hit.id for hit in BM25(chunks).search("tent")] == ["pole", "tent"]


def test_chunks_and_strings_give_the_same_scores():
    strings = BM25(LONDON).search("is the weather windy")
    chunks = BM25([Chunk(str(i), text) for i, text in enumerate(LONDON)]).search("is the weather windy")
    assert strings == chunks
    assert BM25(text for text in LONDON).search("is the weather windy") == strings  # a generator does too


# Refused


@pytest.mark.parametrize("arguments, sentence", [
    ({"chunks": []}, "There is nothing to index: the list of chunks is empty."),
    ({"k1": -0.1}, "k1 is -0.1; it must be from 0 to 1,000,000 (1.2 is usual)."),
    ({"k1": math.nan}, "k1 is nan; it must be from 0 to 1,000,000 (1.2 is usual)."),
    ({"k1": math.inf}, "k1 is inf; it must be from 0 to 1,000,000 (1.2 is usual)."),
    ({"b": -0.01}, "b is -0.01; it must be between 0 and 1 (0.75 is usual)."),
    ({"b": 1.01}, "b is 1.01; it must be between 0 and 1 (0.75 is usual)."),
    ({"b": math.nan}, "b is nan; it must be between 0 and 1 (0.75 is usual)."),
    ({"variant": "okapi"},
     "There is no BM25 variant 'okapi'; choose one of lucene, robertson, atire, bm25l, bm25+."),
    ({"chunks": [Chunk("b", "x"), Chunk("a", "y"), Chunk("b", "z")]},
     "The id 'b' is there twice; give every chunk an id of its own."),
])
def test_bad_settings(arguments, sentence):
    with pytest.raises(ValueError) as caught:
        BM25(**{"chunks": LONDON, **arguments})
    assert str(caught.value) == sentence


@pytest.mark.parametrize("chunks, sentence", [
    ("abc", "Give a list of chunks, also for one: BM25([text])."),
    (5, "Give a list of chunks, also for one: BM25([text])."),
    (["abc", 5], "5 is no chunk: a chunk is a text, or has an id and a text."),
    ([Chunk("4", "x"), Chunk(4, "y")], "An id is a string, and 4 is none; write '4'."),
])
def test_what_are_no_chunks(chunks, sentence):
    with pytest.raises(TypeError) as caught:
        BM25(chunks)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("k", [0, -1])
def test_k_below_one(k):
    with pytest.raises(ValueError) as caught:
        BM25(LONDON).search("windy", k=k)
    assert str(caught.value) == f"k is {k}; ask for at least 1 result."


@pytest.mark.parametrize("k", [2.0, "2", None, np.float64(2), [2]])
def test_k_that_is_no_whole_number(k):
    with pytest.raises(ValueError) as caught:
        BM25(LONDON).search("windy", k=k)
    assert str(caught.value) == f"k is {k!r}; ask for a whole number of results."


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.uint64, np.array])
def test_k_of_a_small_type(kind):
    # 20 * 20 does not fit into 8 bits
    index = BM25(["red tent"] * 500)
    assert index.search("tent", k=kind(20)) == index.search("tent", k=20)
    assert len(index.search("tent", k=kind(100))) == 100


@pytest.mark.parametrize("id", ["3", "", 1])
def test_an_unknown_id(id):
    with pytest.raises(KeyError) as caught:
        BM25(LONDON).explain("windy", id)
    assert caught.value.args == (f"There is no chunk {id!r} in this index.",)


def test_a_query_that_is_not_text():
    with pytest.raises(TypeError, match="^tokenize needs a string, not NoneType.$"):
        BM25(LONDON).search(None)


# A learner's function in the place of the course's own


def test_use_drives_a_new_index_and_its_explanations():
    with use("bm25.idf", lambda n, df: 2.0):
        # weight as above, 0.3669725; idf 2 each
        index = BM25(LONDON, k1=1.5)
        assert index.search("windy london") == [("1", pytest.approx(4 * 0.36697248))]
        assert [part.value for part in index.explain("windy london", "1").parts] == [pytest.approx(2 * 0.36697248)] * 2
        assert bm25.score(["windy"], LONDON[1].split(), [t.split() for t in LONDON], k1=1.5) == (
            pytest.approx(2 * 2.5 * 0.36697248))
    assert BM25(LONDON, k1=1.5).search("windy london") == [("1", pytest.approx(0.7198747, abs=5e-8))]


def test_use_of_a_part_reaches_the_class_through_the_others():
    with use("bm25.length_norm", lambda length, average, b: 2.0):
        # weight 1 / (1 + 1.5 * 2) = 0.25
        assert BM25(LONDON, k1=1.5).search("windy") == [("1", pytest.approx(0.25 * 0.9808293, abs=5e-8))]


@pytest.mark.parametrize("name, function", [
    ("bm25.idf", lambda n, df: 0.0), ("bm25.idf", lambda n, df: 2.0),
    ("bm25.term_weight", lambda tf, k1, b, length, average: 0.5), ("bm25.length_norm", lambda length, average, b: 3.0)])
def test_an_index_keeps_the_functions_it_was_built_with(name, function):
    old = BM25(LONDON, k1=1.5)
    hits, explanation = old.search("windy london is"), old.explain("windy london is", "1")
    with use(name, function):
        assert old.search("windy london is") == hits
        assert old.explain("windy london is", "1") == explanation
        new = BM25(LONDON, k1=1.5)
        found = dict(new.search("windy london is"))
    # built on the learner's function, asked after the course's own is back
    assert new.explain("windy london is", "1").total == close(found.get("1", 0.0))
    assert found.get("1", 0.0) != pytest.approx(hits[0].score)


def test_idf_is_the_formula():
    assert idf(3, 1) == pytest.approx(0.9808293, abs=5e-8)


def test_a_function_is_called_once_for_each_value_that_occurs():
    calls = []

    def weight(tf, k1, b, length, average):
        calls.append((tf, length))
        return 1.0

    with use("bm25.idf", lambda n, df: calls.append(df) or 1.0), use("bm25.term_weight", weight):
        BM25(["red tent", "red cup", "red red", "pan pan tent"])
    # df: red 3, tent 2, cup and pan 1; red 1 in 2, twice; tent 1 in 2 and 1 in 3
    assert sorted(calls, key=str) == [(1, 2), (1, 3), (2, 2), (2, 3), 1, 2, 3]
    assert all(type(number) is int for call in calls for number in (call if isinstance(call, tuple) else [call]))


@pytest.mark.parametrize("given, said", [(None, "None"), (math.nan, "nan"), ("1", "'1'")])
def test_a_function_in_use_that_gives_no_number_is_named(given, said):
    with use("bm25.idf", lambda n, df: given), pytest.raises(ValueError) as caught:
        BM25(["a red tent"])
    assert str(caught.value) == (f"idf gave {said}, which is not a finite number. Is a return missing? "
                                 "use(\"bm25.idf\") puts the course's own back.")
    with use("bm25.term_weight", lambda tf, k1, b, length, average: given), pytest.raises(ValueError) as caught:
        BM25(["a red tent"])
    assert str(caught.value).startswith(f"term_weight gave {said}, ")


BACK = 'use("bm25.{}") puts the course\'s own back.'
NO_NUMBERS = [(None, "None"), ("1", "'1'"), (math.nan, "nan"), (math.inf, "inf"), (-math.inf, "-inf"),
              (1 + 2j, "(1+2j)"), ([2.0], "[2.0]"), (np.zeros((2, 2)), "array([[0., 0... [0., 0.]])"),
              (np.complex128(2), repr(np.complex128(2))), (np.array([2.0]), repr(np.array([2.0]))),
              (Decimal(2), repr(Decimal(2)))]


@pytest.mark.parametrize("given, said", NO_NUMBERS)
@pytest.mark.parametrize("name", ["idf", "term_weight", "length_norm"])
def test_what_is_no_number_is_laid_to_the_function_that_gave_it(name, given, said):
    with use(f"bm25.{name}", lambda *_: given), pytest.raises(ValueError) as caught:
        BM25(LONDON)
    assert str(caught.value) == (f"{name} gave {said}, which is not a finite number. Is a return missing? "
                                 f"{BACK.format(name)}")


@pytest.mark.parametrize("given", [2, 2.0, Fraction(2), np.float32(2), np.uint8(2), np.longdouble(2), np.array(2.0),
                                   np.where(True, 2, 0)])
def test_every_real_number_is_a_number(given):
    # idf 2 and weight 1 / (1 + 1.5 * 1.15); idf 0.9808293 and weight 2 / 2.5; weight 1 / (1 + 1.5 * 2)
    for name, wanted in (("idf", 2 * 0.3669725), ("term_weight", 0.9808293 * 0.8), ("length_norm", 0.9808293 / 4)):
        with use(f"bm25.{name}", lambda *_: given):
            hits = BM25(LONDON, k1=1.5).search("windy")
        assert hits == [("1", pytest.approx(wanted, abs=5e-8))] and type(hits[0].score) is float


@pytest.mark.parametrize("given", [True, np.True_, np.array(True)])
def test_true_counts_as_1(given):
    with use("bm25.idf", lambda n, df: given):
        assert BM25(LONDON, k1=1.5).search("windy") == [("1", pytest.approx(0.3669725, abs=5e-8))]


@pytest.mark.parametrize("given", [1e101, -1e308, 10**400, -(10**5000), Fraction(10**400), np.array(1e200)],
                         ids=lambda given: type(given).__name__)  # some have too many digits to be shown
@pytest.mark.parametrize("name", ["idf", "term_weight", "length_norm"])
def test_a_number_that_would_make_scores_infinite_is_laid_to_the_function_that_gave_it(name, given):
    with use(f"bm25.{name}", lambda *_: given), pytest.raises(ValueError) as caught:
        BM25(LONDON)
    assert str(caught.value) == f"{name} gave a number beyond 1e+100, which is too large to be added up. " \
                                f"{BACK.format(name)}"


def test_the_largest_numbers_that_are_taken_give_finite_scores():
    with use("bm25.idf", lambda n, df: 1e100), use("bm25.term_weight", lambda tf, k1, b, length, average: 1e100):
        (hit,) = BM25(LONDON, k1=1.5).search("windy " * 1000)
    assert hit.score == pytest.approx(1000 * 1e200 / 2.5, rel=1e-9)


@pytest.mark.parametrize("name", ["idf", "term_weight", "length_norm"])
def test_an_error_in_a_function_keeps_its_trace_and_gets_a_note_that_names_it(name):
    def broken(*_):
        return {}["tf"]

    with use(f"bm25.{name}", broken), pytest.raises(KeyError) as caught:
        BM25(LONDON)
    assert caught.value.__notes__[-1] == f"This was raised by {name}. {BACK.format(name)}"
    assert len(caught.value.__notes__) == 1
    assert traceback.extract_tb(caught.value.__traceback__)[-1].line == 'return {}["tf"]'


def test_a_term_weight_that_is_at_fault_itself_is_named_whatever_length_norm_gives():
    with use("bm25.term_weight", lambda tf, k1, b, length, average: None), use("bm25.length_norm", lambda *_: 1.0), \
            pytest.raises(ValueError, match="^term_weight gave None, "):
        BM25(LONDON)


def test_a_norm_below_zero_that_makes_the_term_weight_divide_by_zero():
    # tf + k1 * K = 1 - 1
    with use("bm25.length_norm", lambda length, average, b: -0.5), pytest.raises(ValueError) as caught:
        BM25(LONDON, k1=2)
    assert str(caught.value) == ("length_norm gave -0.5 for a document of 4 words; it must be clearly above 0, since "
                                 f"the term weight divides by it. {BACK.format('length_norm')}")
