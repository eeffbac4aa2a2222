"""Fusion: the worked numbers, the rules for ids and ties, `Hybrid` and `rag_fusion` on small collections."""

import itertools
import math
import random
from itertools import permutations

import numpy as np
import pytest

from firstprinciples.rank import fusion
from firstprinciples.rank.fusion import (
    Hybrid,
    min_max,
    rag_fusion,
    reciprocal_rank,
    reciprocal_rank_fusion,
    votes,
    weighted_fusion,
)
from firstprinciples.retrieve import Explanation, Hit, Part
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.swap import use

TEXTS = ["a red tent for two", "the red stove", "a tent", "two pairs of shoes", "a stove for the tent, red", "a lamp"]


class Fixed:
    """A retriever that gives the same list to every question, and knows some ids more."""

    def __init__(self, pairs, others=()):
        self.pairs, self.known = [Hit(*pair) for pair in pairs], {id for id, _ in pairs} | set(others)

    def search(self, query, k=10):
        return self.pairs[:k]

    def explain(self, query, id):
        if id not in self.known:
            raise KeyError(id)
        value = dict(self.pairs).get(id, 0.0)
        return Explanation(value, (Part("fixed", value, ""),))


def rounded(fused):
    return [(id, round(score, 4)) for id, score in fused]


def random_lists(seed, count=3):
    draw = random.Random(seed)
    return [draw.sample([f"d{i}" for i in range(60)], draw.randint(0, 40)) for _ in range(count)]


# The worked numbers of the lesson


def test_second_and_fifth_beats_first_and_fortieth():
    a, b = reciprocal_rank(2) + reciprocal_rank(5), reciprocal_rank(1) + reciprocal_rank(40)
    assert [round(x, 4) for x in (reciprocal_rank(2), reciprocal_rank(5), a)] == [0.0161, 0.0154, 0.0315]
    assert [round(x, 4) for x in (reciprocal_rank(1), reciprocal_rank(40), b)] == [0.0164, 0.0100, 0.0264]


def test_two_lists():
    assert rounded(reciprocal_rank_fusion([list("ABCD"), list("CAEF")])) == [
        ("A", 0.0325), ("C", 0.0323), ("B", 0.0161), ("E", 0.0159), ("D", 0.0156), ("F", 0.0156)]


def test_a_false_passage_that_both_find():
    both = Hybrid([Fixed([("false", 9.1), ("x", 2.0)]), Fixed([("y", 0.7), ("false", 0.6)])])
    top = both.search("q", 1)[0]
    assert (top.id, round(top.score, 4)) == ("false", 0.0325)


def test_what_both_have_third_comes_before_what_one_has_first():
    assert [id for id, _ in reciprocal_rank_fusion([["X", "a", "Y"], ["b", "c", "Y"]])] == ["Y", "X", "b", "a", "c"]


def test_one_engine_counts_from_0():
    # its k = 61 with ranks from 0 is the paper's 60 with ranks from 1
    assert [1 / (61 + place) for place in range(9)] == [reciprocal_rank(place + 1) for place in range(9)]


# The parts


def test_k_may_be_0_but_not_less():
    assert reciprocal_rank(3, k=0) == 1 / 3
    for k in (-1, -0.5, math.nan):
        with pytest.raises(ValueError, match="0 or more"):
            reciprocal_rank(1, k)
    with pytest.raises(ValueError, match="counted from 1"):
        reciprocal_rank(0)


@pytest.mark.parametrize("seed", range(20))
def test_the_votes_of_an_id_add_up_to_its_score(seed):
    lists = random_lists(seed, 2 + seed % 4)
    for k in (0, 1, 60):
        for id, score in reciprocal_rank_fusion(lists, k):
            assert math.fsum(votes(lists, id, k)) == score


def test_the_same_ranks_in_another_order_tie_exactly():
    # a plain sum would depend on the order of the lists, here in the last digit, and a tie would not go by id
    for ranks in itertools.combinations(range(1, 12), 3):
        scores = {math.fsum(map(reciprocal_rank, order)) for order in permutations(ranks)}
        assert len(scores) == 1
    lists = [["c", "b", "a"], ["a", "c", "b"], ["b", "a", "c"]]
    assert [id for id, _ in reciprocal_rank_fusion(lists)] == ["a", "b", "c"]


@pytest.mark.parametrize("seed", range(10))
def test_the_order_of_the_lists_does_not_matter(seed):
    lists = random_lists(100 + seed, 4)
    assert len({tuple(reciprocal_rank_fusion(order)) for order in permutations(lists)}) == 1


def test_an_id_twice_counts_once_and_those_below_keep_their_places():
    assert reciprocal_rank_fusion([["A", "A", "B"]]) == [("A", 1 / 61), ("B", 1 / 63)]
    assert weighted_fusion([[("A", 1.0), ("A", 9.0), ("B", 5.0), ("C", 1.0)]], [1]) == [
        ("A", 1.0), ("B", 0.5), ("C", 0.0)]


@pytest.mark.parametrize("lists", [[["4", 4]], [[4, 2]], [["a"], [None]], ["abc", "ab"], [["a"], [("a", 1.0)]]])
def test_ids_are_strings(lists):
    with pytest.raises(ValueError, match="string"):
        reciprocal_rank_fusion(lists)


def test_the_sentence_about_a_number_says_what_to_do():
    with pytest.raises(ValueError, match=r"^The id 4 is no string, and 4 and '4' would be two documents: turn ids"):
        reciprocal_rank_fusion([["4"], [4]])


@pytest.mark.parametrize("scores", [[math.nan, 1], [1, math.inf], [-math.inf, 0], [1e308, -1e308]])
def test_scores_that_have_no_range(scores):
    with pytest.raises(ValueError, match="finite"):
        min_max(scores)


def test_min_max_touches_both_ends():
    for scores in ([0.81, 0.79, 0.72], [1e-300, 3e-300, 2e-300], [-5.0, -4.0], [1e200, 3e200]):
        found = min_max(scores)
        assert (min(found), max(found)) == (0.0, 1.0)
        assert min_max([7.5 * score for score in scores]) == pytest.approx(found)


def test_an_outlier_presses_the_others_together():
    assert min_max([12.4, 9.8, 4.1, 2.1])[1] == pytest.approx(0.7476, abs=5e-5)
    assert min_max([124.0, 9.8, 4.1, 2.1])[1] == pytest.approx(0.0632, abs=5e-5)


@pytest.mark.parametrize("scores", [["1", "2"], [None], 5, [[1, 2], [3, 4]], np.ones((2, 2)), [1j], [10**400, 1]])
def test_scores_that_are_no_numbers(scores):
    with pytest.raises(ValueError, match=r"^Scores must be finite numbers .*\.$"):
        min_max(scores)


def test_small_types_do_not_overflow():
    assert reciprocal_rank(np.int8(100), np.int8(100)) == 1 / 200
    assert reciprocal_rank_fusion([["a"]], np.uint8(255)) == [("a", 1 / 256)]
    assert min_max(np.array([100, -100, 0], dtype=np.int8)) == [1.0, 0.0, 0.5]
    assert min_max(np.array([6e4, -6e4], dtype=np.float16)) == [1.0, 0.0]
    assert all(type(share) is float for share in min_max(np.array([1.0, 2.0])))


@pytest.mark.parametrize("rank, k", [("1", 60), (None, 60), (math.inf, 60), (1, "60"), (1, None), (1, math.inf),
                                     (np.array([1, 2]), 60)])
def test_what_is_no_rank_or_no_k(rank, k):
    with pytest.raises(ValueError, match=r"^(The rank|k) is .*\.$"):
        reciprocal_rank(rank, k)


def test_k_is_checked_where_there_is_nothing_to_fuse():
    with pytest.raises(ValueError, match="k is -1"):
        reciprocal_rank_fusion([], k=-1)


def test_what_can_be_gone_through_only_once_counts_as_a_list():
    assert reciprocal_rank_fusion([iter(["a", "b"])], 0) == [("a", 1.0), ("b", 0.5)]
    assert votes([iter(["a", "b"]), np.array(["b"])], "b", 0) == [0.5, 1.0]
    assert weighted_fusion([zip(["a", "b"], [3, 1], strict=True)], [1]) == [("a", 1.0), ("b", 0.0)]


@pytest.mark.parametrize("ids", [{"a", "b"}, None, 5, "ab"], ids=["set", "None", "5", "text"])
def test_what_has_no_order_is_no_list(ids):
    for call in (lambda: reciprocal_rank_fusion([ids]), lambda: votes([ids], "a")):
        with pytest.raises(ValueError, match="list of ids"):
            call()


@pytest.mark.parametrize("pairs", [["A"], [("A",)], [("A", 1, 2)], {"A": 1}, None], ids=repr)
def test_what_is_no_list_of_pairs(pairs):
    with pytest.raises(ValueError, match=r"is no list of pairs \(id, score\)\.$"):
        weighted_fusion([pairs], [1])


def test_a_nan_is_not_hidden_by_a_second_score():
    for pairs in ([("a", math.nan), ("a", 5.0), ("b", 3.0)], [("a", 5.0), ("a", math.nan), ("b", 3.0)]):
        with pytest.raises(ValueError, match="finite"):
            weighted_fusion([pairs], [1])


@pytest.mark.parametrize("weights", [[1], [1, 2, 3], [1, -1], [1, math.nan], [math.inf, 1], [1, "1"], [None, 1], 1,
                                     None, [1e308, 1e308], [10**400, 1]])
def test_weights_that_do_not_fit(weights):
    with pytest.raises(ValueError, match="weight"):
        weighted_fusion([[("a", 1.0)], [("b", 1.0)]], weights)


def test_the_inputs_are_left_as_they_were():
    lists, pairs = [["b", "a", "b"], ["a"]], [[("b", 1.0), ("a", 3.0)], [("a", 2.0)]]
    reciprocal_rank_fusion(lists)
    weighted_fusion(pairs, [1, 2])
    assert (lists, pairs) == ([["b", "a", "b"], ["a"]], [[("b", 1.0), ("a", 3.0)], [("a", 2.0)]])


# Hybrid


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("settings", [{"k": 60}, {"k": 1}, {"fusion": "minmax"},
                                      {"fusion": "minmax", "weights": [0.7, 0.2, 0.1]}, {"depth": 5}], ids=str)
def test_parts_add_up_to_the_score(seed, settings):
    draw = random.Random(seed)
    lists = [sorted(((id, draw.choice([0.0, -0.3, draw.random(), 5.0])) for id in ids), key=lambda p: (-p[1], p[0]))
             for ids in random_lists(seed)]
    hybrid = Hybrid([Fixed(pairs, [f"d{i}" for i in range(60)]) for pairs in lists], **settings)
    found = dict(hybrid.search("q", 100))
    for number in range(60):
        explained = hybrid.explain("q", f"d{number}")
        assert explained.total == pytest.approx(found.get(f"d{number}", 0.0), abs=1e-12)
        assert explained.total == pytest.approx(sum(part.value for part in explained.parts))
        assert [part.name for part in explained.parts] == ["Fixed", "Fixed (2)", "Fixed (3)"]


def test_on_a_real_retriever_the_parts_add_up():
    for settings in ({}, {"fusion": "minmax"}):
        hybrid = Hybrid([BM25(TEXTS), BM25(TEXTS, k1=0), BM25(TEXTS, b=0)], **settings)
        found = dict(hybrid.search("a red tent or stove"))
        for id in map(str, range(len(TEXTS))):
            assert hybrid.explain("a red tent or stove", id).total == pytest.approx(found.get(id, 0.0), abs=1e-12)


def test_the_notes_can_be_recomputed():
    hybrid = Hybrid([Fixed([("a", 12.4), ("b", 9.8)], ["c", "d"]), Fixed([("c", 0.9), ("a", 0.8)]), Fixed([], "a")])
    parts = hybrid.explain("q", "a").parts
    assert [part.note for part in parts] == ["rank 1 in Fixed: 1 / (60 + 1)", "rank 2 in Fixed (2): 1 / (60 + 2)",
                                             "Fixed (3) found nothing"]
    assert [round(part.value, 4) for part in parts] == [0.0164, 0.0161, 0.0]
    assert [part.note for part in hybrid.explain("q", "d").parts] == [
        "not among the 2 that Fixed found", "not in the index of Fixed (2)", "not in the index of Fixed (3)"]
    assert hybrid.explain("q", "d").total == 0
    scaled = Hybrid([Fixed([("a", 12.0), ("b", 9.0), ("c", 8.0)]), Fixed([("c", 0.9)])], fusion="minmax")
    assert [part.note for part in scaled.explain("q", "b").parts] == [
        "rank 2 in Fixed: 9 on the way from 8 to 12 is 0.2500, times 0.5", "not in the index of Fixed (2)"]


def test_an_id_that_nobody_knows():
    with pytest.raises(KeyError, match="no chunk 'zz'"):
        Hybrid([BM25(TEXTS), Fixed([("a", 1.0)])]).explain("red", "zz")


def test_retrievers_over_different_chunks():
    # "x" is in one index only: its vote counts, and the explanation says why the other gives nothing
    hybrid = Hybrid([Fixed([("x", 3.0), ("y", 1.0)]), Fixed([("y", 0.4)])])
    assert rounded(hybrid.search("q")) == [("y", 0.0325), ("x", 0.0164)]
    assert hybrid.explain("q", "x").parts[1].note == "not in the index of Fixed (2)"


def test_a_list_of_zeros_has_no_vote():
    # what a vector search gives for a question without a known word: every id, in order, each with cosine 0
    ids = [str(i) for i in range(len(TEXTS))]
    blind, words = Fixed([(id, 0.0) for id in ids]), BM25(TEXTS)
    for settings in ({}, {"fusion": "minmax", "weights": [1, 1]}):
        hybrid = Hybrid([words, blind], **settings)
        alone = Hybrid([words], **(settings and {"fusion": "minmax"}))
        assert hybrid.search("red stove") == alone.search("red stove")
        assert hybrid.search("xylophone") == []
        assert hybrid.explain("red stove", "5").parts[1] == Part("Fixed", 0.0, "Fixed found nothing")
    voted = reciprocal_rank_fusion([[hit.id for hit in words.search("red stove")], ids])
    assert [id for id, _ in voted] != [hit.id for hit in Hybrid([words, blind]).search("red stove")]  # had it voted


def test_negative_similarities_do_vote():
    hybrid = Hybrid([Fixed([("a", 0.0), ("b", -0.2)])])
    assert [hit.id for hit in hybrid.search("q")] == ["a", "b"]


def test_depth_cuts_each_list():
    pairs = [(f"d{i}", 10.0 - i) for i in range(10)]
    assert len(Hybrid([Fixed(pairs), Fixed(pairs[::-1])], depth=3).search("q", 100)) == 6
    assert [hit.id for hit in Hybrid([Fixed(pairs)], depth=3).search("q", 100)] == ["d0", "d1", "d2"]


def test_hybrids_can_be_nested():
    inner = Hybrid([BM25(TEXTS), BM25(TEXTS, b=0)])
    found = Hybrid([inner, BM25(TEXTS, k1=0)]).search("red tent")
    assert {hit.id for hit in found} == {hit.id for hit in BM25(TEXTS).search("red tent")}


@pytest.mark.parametrize(("given", "said"), [
    ({"retrievers": []}, "one or more"), ({"retrievers": BM25(TEXTS)}, "one or more"),
    ({"fusion": "sum"}, "rrf, minmax"), ({"k": -1}, "0 or more"), ({"k": math.nan}, "0 or more"),
    ({"depth": 0}, "depth is 0"), ({"depth": 2.5}, "whole number"), ({"weights": [1, 1]}, "no weights"),
    ({"fusion": "minmax", "weights": [1]}, "2 retrievers and 1 weights"), ({"k": "60"}, "0 or more"),
    ({"k": math.inf}, "0 or more"), ({"depth": True}, "whole number"), ({"retrievers": ["bm25"]}, "no retriever"),
    ({"retrievers": [None]}, "no retriever"), ({"retrievers": [BM25]}, "no retriever"),
    ({"fusion": "minmax", "weights": "12"}, "0 or more"),
    ({"fusion": "minmax", "weights": [1, -2]}, "0 or more")])
def test_settings_that_do_not_fit(given, said):
    with pytest.raises(ValueError, match=said):
        Hybrid(**{"retrievers": [BM25(TEXTS), BM25(TEXTS)], **given})


@pytest.mark.parametrize("k", [0, -1, 2.5, "3", True])
def test_search_for_no_results(k):
    with pytest.raises(ValueError, match="k is"):
        Hybrid([BM25(TEXTS)]).search("red", k)


def test_it_runs_on_the_functions_of_a_learner():
    hybrid = Hybrid([BM25(TEXTS), BM25(TEXTS, b=0)])
    with use("fusion.reciprocal_rank", lambda rank, k=60: 1.0):
        assert hybrid.search("red tent")[0].score == 2.0
    with use("fusion.weighted_fusion", lambda lists, weights: [("9", 1)]):
        assert Hybrid([BM25(TEXTS)], fusion="minmax").search("red") == [Hit("9", 1.0)]


@pytest.mark.parametrize("gives", [None, 3, ["a"], [("a", None)], [(1, 2.0)], [("a", math.nan)]], ids=repr)
def test_a_function_that_gives_no_list_is_named(gives):
    with use("fusion.reciprocal_rank_fusion", lambda lists, k=60: gives):
        with pytest.raises(ValueError, match="reciprocal_rank_fusion gave .*puts the course's own back"):
            Hybrid([BM25(TEXTS)]).search("red")


@pytest.mark.parametrize("task, kind", [("reciprocal_rank", "rrf"), ("min_max", "minmax")])
@pytest.mark.parametrize("gives", [None, "x", [], math.nan, math.inf, 1j], ids=repr)
def test_explain_names_a_function_that_gives_no_number(task, kind, gives):
    with use(f"fusion.{task}", lambda *_: gives):
        with pytest.raises(ValueError, match=f"^{task} gave something that is not a finite number.*own back.$"):
            Hybrid([BM25(TEXTS)], fusion=kind).explain("red", "0")


@pytest.mark.parametrize("task, kind", [("reciprocal_rank_fusion", "rrf"), ("weighted_fusion", "minmax")])
def test_a_function_that_raises_is_named(task, kind):
    def broken(*_):
        raise RuntimeError("oops")

    with use(f"fusion.{task}", broken), pytest.raises(RuntimeError, match="oops") as caught:
        Hybrid([BM25(TEXTS)], fusion=kind).search("red")
    assert caught.value.__notes__ == [f"This was raised by {task}, or by what it calls. "
                                      f'use("fusion.{task}") puts the course\'s own back.']


class Gives(Fixed):
    """A retriever that gives whatever it is told."""

    def __init__(self, found):
        self.found, self.known = found, {"a", "b"}

    def search(self, query, k=10):
        return self.found


@pytest.mark.parametrize("found", [None, "ab", [None], ["a"], [(1, 1.0)], [("a", None)], [("a", "1")],
                                   [("a", math.nan)], [("a", math.inf)], [("a", 1.0, 2)]], ids=repr)
def test_a_retriever_that_finds_no_hits_is_named(found):
    for ask in (lambda: Hybrid([Gives(found)]).search("red"), lambda: Hybrid([Gives(found)]).explain("red", "a"),
                lambda: rag_fusion(Gives(found), ["red"])):
        with pytest.raises(ValueError, match="^Gives found .*, which is no list of hits"):
            ask()


def test_plain_pairs_are_hits_and_depth_holds_for_everyone():
    found = [("b", 3.0), ("a", 2.0), ("c", 1.0)]
    assert [hit.id for hit in Hybrid([Gives(found)]).search("red")] == ["b", "a", "c"]
    assert [hit.id for hit in Hybrid([Gives(found)], depth=2).search("red")] == ["b", "a"]


@pytest.mark.parametrize("kind", ["rrf", "minmax"])
def test_an_id_that_a_retriever_gives_twice_is_explained_as_it_is_scored(kind):
    hybrid = Hybrid([Gives([("a", 1.0), ("b", 1.5), ("a", 2.0)]), Fixed([("b", 4.0), ("c", 1.0)])], fusion=kind)
    for hit in hybrid.search("red"):
        if hit.id in "ab":
            assert hybrid.explain("red", hit.id).total == pytest.approx(hit.score, abs=1e-12)


# Several phrasings


def test_rag_fusion_over_three_phrasings():
    pages = BM25(["pay the bill by Friday", "the invoice is open", "an open bill", "a tent"])
    phrasings = ["open invoice", "unpaid bill", "amount owing"]
    lists = [[hit.id for hit in pages.search(phrasing, 1000)] for phrasing in phrasings]
    assert lists == [["1", "2"], ["2", "0"], []]
    assert rounded(rag_fusion(pages, phrasings)) == [("2", 0.0325), ("1", 0.0164), ("0", 0.0161)]
    assert rag_fusion(pages, phrasings, n=1)[0].id == "2"
    assert rag_fusion(pages, phrasings[:1]) == [Hit(id, 1 / (61 + i)) for i, id in enumerate(lists[0])]


def test_rag_fusion_leaves_out_lists_of_zeros():
    assert rag_fusion(Fixed([("a", 0.0), ("b", 0.0)]), ["one", "other"]) == []


@pytest.mark.parametrize("given", [{"queries": []}, {"queries": "one question"}, {"n": 0}, {"depth": 0}, {"k": -1},
                                   {"queries": None}, {"queries": 5}, {"k": "60"}])
def test_rag_fusion_with_bad_input(given):
    with pytest.raises(ValueError, match=r"phrasings|more"):
        rag_fusion(**{"retriever": BM25(TEXTS), "queries": ["red", "tent"], **given})


def test_the_module_says_which_numbers_the_paper_has():
    assert "k = 60" in fusion.__doc__ and "SIGIR" in fusion.__doc__
