"""The five BM25s: each formula by hand, the class on each of them, and users' odd inputs for each of them by value."""

import math

import numpy as np
import pytest

from firstprinciples.corpus import Chunk
from firstprinciples.retrieve.bm25 import BM25, idf, length_norm, term_weight
from firstprinciples.retrieve.bm25_variants import (
    PARTS,
    VARIANTS,
    atire_idf,
    atire_weight,
    bm25_plus_idf,
    bm25_plus_weight,
    bm25l_idf,
    bm25l_weight,
    robertson_idf,
    robertson_weight,
)
from firstprinciples.swap import use

LONDON = ["hello there good man", "it is quite windy in london", "how is the weather today"]
each_variant = pytest.mark.parametrize("variant", VARIANTS)


def by_hand(variant, n, df, tf, k1, norm):
    """Return idf x weight as the table of the module's docstring has it, in one expression each."""
    c = tf / norm
    return {"lucene": math.log(1 + (n - df + 0.5) / (df + 0.5)) * tf / (tf + k1 * norm),
            "robertson": max(0, math.log((n - df + 0.5) / (df + 0.5))) * tf / (tf + k1 * norm),
            "atire": math.log(n / df) * (k1 + 1) * tf / (tf + k1 * norm),
            "bm25l": math.log((n + 1) / (df + 0.5)) * (k1 + 1) * (c + 0.5) / (k1 + c + 0.5),
            "bm25+": math.log((n + 1) / df) * ((k1 + 1) * tf / (tf + k1 * norm) + 1)}[variant]


def plain(variant, query, documents, k1, b):
    """Return {id: score} of the documents that score above 0, added up word by word from `by_hand`."""
    n, average = len(documents), sum(map(len, documents)) / len(documents)
    totals = {}
    for i, words in enumerate(documents):
        for word in query:
            if tf := words.count(word):
                df = sum(word in other for other in documents)
                part = by_hand(variant, n, df, tf, k1, 1 - b + b * len(words) / average)
                totals[str(i)] = totals.get(str(i), 0.0) + part
    return {id: total for id, total in totals.items() if total > 0}


def near(value):
    return pytest.approx(value, abs=1e-7)


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-12)


# The parts, by hand


def test_rarities():
    # N 10: df 1, ln(9.5/1.5); df 5, ln(5.5/5.5) = 0; df 9, ln(1.5/9.5) < 0
    assert [robertson_idf(10, df) for df in (1, 5, 9, 10)] == [near(1.8458267), 0.0, 0.0, 0.0]
    # ln 10, ln 2, ln(10/9), ln 1
    assert [atire_idf(10, df) for df in (1, 5, 9, 10)] == [near(2.3025851), near(0.6931472), near(0.1053605), 0.0]
    # ln(11/1.5), ln 2, ln(11/9.5), ln(11/10.5)
    assert [bm25l_idf(10, df) for df in (1, 5, 9, 10)] == [
        near(1.9924302), near(0.6931472), near(0.1466035), near(0.0465200)]
    # ln 11, ln 2.2, ln(11/9), ln 1.1
    assert [bm25_plus_idf(10, df) for df in (1, 5, 9, 10)] == [
        near(2.3978953), near(0.7884574), near(0.2006707), near(0.0953102)]


def test_weights():
    # tf 3, k1 1.5, K 2: 3 / (3 + 3); 2.5 times that; c 1.5, 2.5 * 2 / 3.5; 1.25 + 1
    assert robertson_weight(3, 1.5, 2.0) == 0.5
    assert atire_weight(3, 1.5, 2.0) == 1.25
    assert bm25l_weight(3, 1.5, 2.0) == near(1.4285714)
    assert bm25_plus_weight(3, 1.5, 2.0) == 2.25
    # with a delta of 0 both are atire's
    assert bm25l_weight(3, 1.5, 2.0, delta=0) == near(1.25)
    assert bm25_plus_weight(3, 1.5, 2.0, delta=0) == 1.25


@pytest.mark.parametrize("k1", [0, 1.5])
def test_a_word_that_is_not_there_weighs_nothing(k1):
    for function in (robertson_weight, atire_weight, bm25l_weight, bm25_plus_weight):
        assert function(0, k1, 2.0) == 0.0


def test_bm25l_has_the_rarity_of_lucene():
    # 1 + (N - df + 0.5) / (df + 0.5) = (N + 1) / (df + 0.5)
    for n in (1, 3, 10, 1000):
        for df in range(1, n + 1, 7):
            assert bm25l_idf(n, df) == close(idf(n, df))


def test_atire_has_the_term_weight_of_the_lesson():
    for tf in (1, 2, 7):
        assert atire_weight(tf, 1.2, length_norm(4, 6, 0.75)) == close(term_weight(tf, 1.2, 0.75, 4, 6))


def test_on_a_very_long_page_two_of_them_do_not_let_the_weight_fall_to_nothing():
    # one mention, a thousand times the usual length: the others come down to 0.0009 and 0.0022
    assert robertson_weight(1, 1.2, 1000) < atire_weight(1, 1.2, 1000) < 0.002
    assert bm25l_weight(1, 1.2, 1000) == pytest.approx(2.2 * 0.5 / 1.7, abs=0.002)  # (k1 + 1) delta / (k1 + delta)
    assert bm25_plus_weight(1, 1.2, 1000) == pytest.approx(1, abs=0.002)


def test_the_variants():
    assert VARIANTS == ("lucene", "robertson", "atire", "bm25l", "bm25+")
    assert VARIANTS[1:] == tuple(PARTS)


# The class


@pytest.mark.parametrize("variant, score", [
    # N 3, df 1, tf 1, K 1.15, two such words: 2 * idf * weight
    ("lucene", 0.7198747),  # 2 * 0.9808293 * 0.3669725
    ("robertson", 0.3749179),  # 2 * 0.5108256 * 0.3669725
    ("atire", 2.0158024),  # 2 * 1.0986123 * 0.9174312
    ("bm25l", 2.3406153),  # c 0.8695652; 2 * 0.9808293 * 2.5 * 1.3695652 / 2.8695652
    ("bm25+", 5.3162481),  # 2 * 1.3862944 * 1.9174312
])
def test_windy_london(variant, score):
    index = BM25(LONDON, k1=1.5, b=0.75, variant=variant)
    assert index.search("windy london") == [("1", pytest.approx(score, abs=5e-8))]
    assert index.explain("windy london", "1").total == pytest.approx(score, abs=5e-8)


@pytest.mark.parametrize("variant, factor", [
    ("lucene", 2.5), ("robertson", 2.5), ("atire", 1), ("bm25l", 1), ("bm25+", 1)])
def test_k1_plus_1_multiplies_those_that_lack_it(variant, factor):
    without, plus = BM25(LONDON, 1.5, variant=variant), BM25(LONDON, 1.5, variant=variant, k1_plus_1=True)
    for query in ("windy london", "is the weather windy"):
        assert plus.search(query) == [(id, close(score * factor)) for id, score in without.search(query)]
        for id in "012":
            assert plus.explain(query, id).total == close(without.explain(query, id).total * factor)
    assert f"x weight {without.weight[1, 6] * factor:.4f} (1 in 6 words" in plus.explain("windy", "1").parts[0].note


@pytest.mark.parametrize("variant, note", [
    ("robertson", "idf 0.0000 (in 2 of 3) x weight 0.3670 (1 in 6 words; average 5.0)"),
    ("atire", "idf 0.4055 (in 2 of 3) x weight 0.9174 (1 in 6 words; average 5.0)"),
    ("bm25l", "idf 0.4700 (in 2 of 3) x weight 1.1932 (1 in 6 words; average 5.0)"),
    ("bm25+", "idf 0.6931 (in 2 of 3) x weight 1.9174 (1 in 6 words; average 5.0)")])
def test_a_note_has_the_variants_numbers(variant, note):
    part, unseen, absent = BM25(LONDON, k1=1.5, variant=variant).explain("is never today", "1").parts
    assert part.note == note
    assert (unseen, absent) == (("never", 0.0, "in no chunk"), ("today", 0.0, "not in this chunk; in 1 of 3"))


@each_variant
@pytest.mark.parametrize("number", range(60))
def test_random_corpora(variant, number):
    draw = np.random.default_rng(number)
    sizes = draw.integers(0, 13, size=draw.integers(1, 31))
    documents = [[f"w{i}" for i in draw.integers(0, 15, size=size)] for size in sizes]
    query = [f"w{i}" for i in draw.integers(0, 18, size=draw.integers(1, 7))]
    k1, b = (0, 0.5, 1.2, 1.5, 3.0)[number % 5], (0, 0.3, 0.75, 1)[number % 4]
    index = BM25([" ".join(words) for words in documents], k1, b, variant, tokenizer=str.split)
    hits = index.search(" ".join(query), k=40)
    assert dict(hits) == {id: close(score) for id, score in plain(variant, query, documents, k1, b).items()}
    assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.id))
    for i in range(len(documents)):
        explanation = index.explain(" ".join(query), str(i))
        assert explanation.total == pytest.approx(dict(hits).get(str(i), 0.0), abs=1e-6)
        assert explanation.total == pytest.approx(math.fsum(part.value for part in explanation.parts), abs=1e-6)
        assert [part.name for part in explanation.parts] == list(dict.fromkeys(query))


@each_variant
def test_a_repeated_word_counts_each_time_or_once(variant):
    (once,) = BM25(LONDON, variant=variant).search("london")
    assert BM25(LONDON, variant=variant).search("london london london") == [("1", close(3 * once.score))]
    index = BM25(LONDON, variant=variant, repeats=False)
    assert index.search("london london london") == [once]
    assert index.explain("london london london", "1") == BM25(LONDON, variant=variant).explain("london", "1")


@pytest.mark.parametrize("variant, weight", [
    ("lucene", 0.25), ("robertson", 0.25), ("atire", 0.625), ("bm25l", 1.0), ("bm25+", 1.625)])
def test_a_learners_length_norm_drives_every_variant(variant, weight):
    with use("bm25.length_norm", lambda length, average, b: 2.0):
        # K 2, tf 1, k1 1.5: 1/4; 2.5/4; c 0.5, 2.5 * 1 / 2.5; 2.5/4 + 1
        index = BM25(LONDON, k1=1.5, variant=variant)
    assert index.weight[1, 6] == close(weight)
    rarity = idf(3, 1) if variant == "lucene" else PARTS[variant][0](3, 1)
    assert index.search("windy") == [("1", close(rarity * weight))]


@each_variant
def test_a_learners_idf_and_term_weight_drive_lucene_alone(variant):
    own = BM25(LONDON, variant=variant).search("windy")
    for task, function in (("bm25.idf", lambda n, df: 7.0), ("bm25.term_weight", lambda tf, *_: 9.0)):
        with use(task, function):
            assert (BM25(LONDON, variant=variant).search("windy") == own) == (variant != "lucene")


@pytest.mark.parametrize("variant", VARIANTS[1:])
def test_a_length_norm_that_gives_no_number_is_named(variant):
    with use("bm25.length_norm", lambda length, average, b: math.nan), pytest.raises(ValueError) as caught:
        BM25(LONDON, variant=variant)
    assert str(caught.value).startswith("length_norm gave nan, which is not a finite number.")


@pytest.mark.parametrize("variant", VARIANTS[1:])
@pytest.mark.parametrize("given, said", [(None, "None, which is not a finite number."), ("1", "'1', which is not"),
                                         (1j, "1j, which is not"), (10**400, "a number beyond 1e+100, which is too"),
                                         (0, "0.0 for a document of 4 words; it must be clearly above 0"),
                                         (-1.5, "-1.5 for a document"), (1e-320, "1e-320 for a document")])
def test_a_length_norm_that_no_variant_can_use_is_named(variant, given, said):
    with use("bm25.length_norm", lambda length, average, b: given), pytest.raises(ValueError) as caught:
        BM25(LONDON, variant=variant)
    assert str(caught.value).startswith(f"length_norm gave {said}")


@pytest.mark.parametrize("variant", VARIANTS[1:])
def test_an_error_in_length_norm_is_noted(variant):
    with use("bm25.length_norm", lambda length, average, b: 1 / 0), pytest.raises(ZeroDivisionError) as caught:
        BM25(LONDON, variant=variant)
    assert caught.value.__notes__ == ['This was raised by length_norm. use("bm25.length_norm") puts the course\'s own '
                                      "back."]


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_length_norm_without_a_dimension_is_a_number(variant):
    with use("bm25.length_norm", lambda length, average, b: np.where(average == 0, 1.0, 1 - b + b * length / average)):
        hits = BM25(LONDON, variant=variant).search("windy london is")
    assert hits == [(hit.id, near(hit.score)) for hit in BM25(LONDON, variant=variant).search("windy london is")]


# Reports from users: each variant, by value


@pytest.mark.parametrize("variant, half, all", [
    # ten documents of two words: K 1; k1 1.2: weight 1/2.2, 1/2.2, 1, 2.2 * 1.5 / 2.7 = 1.2222222, 2
    ("lucene", 0.6931472 / 2.2, 0.0465200 / 2.2), ("robertson", 0, 0), ("atire", 0.6931472, 0),
    ("bm25l", 0.6931472 * 1.2222222, 0.0465200 * 1.2222222), ("bm25+", 0.7884574 * 2, 0.0953102 * 2)])
def test_a_word_in_exactly_half_or_in_all_of_the_documents(variant, half, all):
    documents = ["tent pole"] * 5 + ["cup pan"] * 5
    hits = BM25(documents, variant=variant).search("tent", k=20)
    assert hits == ([(id, near(half)) for id in "01234"] if half else [])  # worth 0: not returned
    hits = BM25(["tent pole"] * 10, variant=variant).search("tent", k=20)
    assert hits == ([(id, near(all)) for id in "0123456789"] if all else [])
    assert BM25(["tent pole"] * 10, variant=variant).explain("tent", "3").total == near(all)


@pytest.mark.parametrize("variant", ["lucene", "bm25l", "bm25+"])
def test_a_match_outranks_a_page_without_one_however_common_the_word(variant):
    documents = ["tent pole"] * 9 + ["cup pan"]
    assert [hit.id for hit in BM25(documents, variant=variant).search("tent", k=20)] == list("012345678")


@each_variant
def test_nothing_to_index_and_nothing_but_empty_documents(variant):
    with pytest.raises(ValueError, match="^There is nothing to index: the list of chunks is empty.$"):
        BM25([], variant=variant)
    index = BM25(["", "", ""], variant=variant)
    assert index.search("tent") == []
    assert index.explain("tent", "2") == (0, (("tent", 0.0, "in no chunk"),))


@pytest.mark.parametrize("variant, rarity, short, long", [
    # N 9, df 4, average 10/9; one word: K 0.925, two words: K 1.6; k1 1.2
    ("lucene", 0.7985077, 0.4739336, 0.3424658), ("robertson", 0.2006707, 0.4739336, 0.3424658),
    ("atire", 0.8109302, 1.0426540, 0.7534247), ("bm25l", 0.7985077, 1.2507289, 1.0645161),
    ("bm25+", 0.9162907, 2.0426540, 1.7534247)])
def test_every_third_document_empty(variant, rarity, short, long):
    documents = ["red tent", "", "tent", "red tent", "", "tent", "cup", "", "pan pan pan"]
    hits = BM25(documents, variant=variant).search("tent")
    assert [hit.id for hit in hits] == ["2", "5", "0", "3"]
    assert [hit.score for hit in hits] == [near(rarity * short)] * 2 + [near(rarity * long)] * 2


@each_variant
def test_a_word_never_seen_adds_nothing_and_k_may_be_larger_than_the_collection(variant):
    index = BM25(LONDON, variant=variant)
    assert index.search("never") == []
    assert index.search("windy never", k=1000) == index.search("windy", k=1)
    assert len(index.search("windy today hello", k=1000)) == 3


@each_variant
def test_two_documents_that_differ_only_in_a_word_not_asked_for(variant):
    chunks = [Chunk("b", "red tent pole"), Chunk("a", "red tent peg"), *(Chunk(f"c{i}", "cup") for i in range(4))]
    first, second = BM25(chunks, variant=variant).search("red tent")
    assert (first.id, second.id) == ("a", "b")
    assert first.score == second.score > 0


@each_variant
def test_equal_parts_in_another_order_are_a_tie(variant):
    # three words of equal rarity, one, two and three times in some order: the same three parts, added up in six orders
    orders = ["abbccc", "abbbcc", "aabccc", "aaabcc", "aabbbc", "aaabbc"]
    chunks = [Chunk(f"{9 - i}", " ".join(letters)) for i, letters in enumerate(orders)]
    chunks += [Chunk(f"x{i}", "d e f g") for i in range(20)]
    for query in ("a b c", "c a b", "b b a a c c"):
        hits = BM25(chunks, variant=variant).search(query)
        assert [hit.id for hit in hits] == ["4", "5", "6", "7", "8", "9"]
        assert len({hit.score for hit in hits}) == 1
    search = BM25(chunks, variant=variant).search
    assert search("a b c") == search("c a b") == search("b c a")
