"""Measuring a retriever over a question set: every number worked out by hand on lists of two or three."""

from dataclasses import replace
from fractions import Fraction
from itertools import count
from math import ceil, log2, nan
from types import SimpleNamespace

import numpy as np
import pytest

from firstprinciples.corpus import Chunk, Collection, Query
from firstprinciples.evaluate import experiment
from firstprinciples.evaluate.experiment import (
    added,
    bootstrap_interval,
    draw_resamples,
    evaluate,
    k_sweep,
    knee,
    means_by_kind,
    measure,
    on_one_line,
    paired_differences,
    pareto,
    percentile,
    pieces_shown,
    place_of_answer,
    report_line,
    table,
)
from firstprinciples.retrieve import Hit
from firstprinciples.swap import use

NOTHING = {"nDCG@10": 0.0, "Recall@10": 0.0, "Recall@100": 0.0, "Precision@10": 0.0, "MRR@10": 0.0}


class Fixed:
    """A retriever that gives the lists it was told to give, and remembers what it was asked."""

    def __init__(self, lists):
        self.lists, self.asked = lists, []

    def search(self, query, k=10):
        self.asked.append((query, k))
        return [Hit(id, 1.0 - place / 1000) for place, id in enumerate(self.lists.get(query, []))][:k]


@pytest.fixture
def collection():
    """Five questions: two direct, one by a rare name, one without evidence, one whose quote no chunk holds."""
    queries = [Query("q1", "one", "direct", "dev"), Query("q2", "two", "direct", "held_out"),
               Query("q3", "three", "rare_name", "dev"), Query("q4", "four", "unanswerable", "dev"),
               Query("q5", "five", "rare_name", "held_out")]
    evidence = {"q1": [(3, ("a",)), (1, ("b",))], "q2": [(3, ("a",))], "q3": [(2, ("c", "d"))], "q4": [],
                "q5": [(3, ())]}
    return Collection("five", [], [Chunk(id, id) for id in "abcdx"], queries, {}, evidence)


LISTS = {"one": ["x", "a", "b"], "three": ["c", "d", "x"], "four": ["a"], "five": ["a", "b"]}
# q1: nothing, grade 3, grade 1 of an ideal 3, 1
Q1 = {"nDCG@10": (3 / log2(3) + 1 / 2) / (3 + 1 / log2(3)), "Recall@10": 1.0, "Recall@100": 1.0, "Precision@10": 0.2,
      "MRR@10": 0.5}
# q3: the first chunk shows the piece, the second shows nothing new
Q3 = {"nDCG@10": 1.0, "Recall@10": 1.0, "Recall@100": 1.0, "Precision@10": 0.1, "MRR@10": 1.0}


@pytest.fixture
def clock(monkeypatch):
    """Let the searches take 1, 2, 3, ... seconds."""
    ticks = (second for n in count(1) for second in (100.0 * n, 100.0 * n + n))
    monkeypatch.setattr(experiment, "time", SimpleNamespace(perf_counter=lambda: next(ticks)))


# Pieces of evidence in the place of chunks


@pytest.mark.parametrize("ranked, evidence, shown", [
    ([], [(3, ("a",))], []),
    (["x", "a"], [(3, ("a",))], ["nothing 0", "piece 0"]),
    (["a", "b"], [(3, ("a", "b"))], ["piece 0", "nothing 1"]),  # both hold the same quote: the second shows nothing new
    (["a"], [(1, ("a",)), (3, ("a",)), (2, ("a",))], ["piece 1", "piece 2", "piece 0"]),  # best grade first
    (["a", "b"], [(1, ("a", "b")), (3, ("b",))], ["piece 0", "piece 1"]),
    (["b", "a"], [(1, ("a", "b")), (3, ("b",))], ["piece 1", "piece 0", "nothing 1"]),
    (["a", "a", "b"], [(2, ("a",)), (2, ("b",))], ["piece 0", "nothing 1", "piece 1"]),  # a chunk that comes twice
    (["a"], [(3, ())], ["nothing 0"]),
    (["a"], [], ["nothing 0"]),
])
def test_pieces_shown(ranked, evidence, shown):
    assert pieces_shown(ranked, evidence) == (shown, {f"piece {i}": grade for i, (grade, _) in enumerate(evidence)})


def test_measure_by_value():
    assert measure(["x", "a", "b"], [(3, ("a",)), (1, ("b",))]) == pytest.approx(Q1)
    # by hand: (1.8927893 + 0.5) / (3 + 0.6309298)
    assert Q1["nDCG@10"] == pytest.approx(0.6590018, abs=5e-8)


def test_the_eleventh_place_counts_for_recall_at_100_only():
    ranked = [f"x{i}" for i in range(10)] + ["a"]
    assert measure(ranked, [(3, ("a",))]) == {**NOTHING, "Recall@100": 1.0}
    assert measure([f"x{i}" for i in range(100)] + ["a"], [(3, ("a",))]) == NOTHING


def test_a_chunk_that_comes_twice_counts_once():
    # pieces: grade 3 in a, grade 3 in b; ranked a a: the second place earns nothing
    twice = measure(["a", "a"], [(3, ("a",)), (3, ("b",))])
    assert twice == pytest.approx({"nDCG@10": 3 / (3 + 3 / log2(3)), "Recall@10": 0.5, "Recall@100": 0.5,
                                   "Precision@10": 0.1, "MRR@10": 1.0})


# A whole question set


def test_evaluate_by_value(collection, clock):
    result = evaluate(Fixed(LISTS), collection)
    assert list(result) == ["queries", "left_out", "metrics", "milliseconds", "by_kind", "each", "kinds"]
    assert (result["queries"], result["left_out"]) == (4, 1)
    assert list(result["each"]) == ["q1", "q2", "q3", "q5"]
    assert result["kinds"] == {"q1": "direct", "q2": "direct", "q3": "rare_name", "q5": "rare_name"}
    assert result["each"]["q1"] == pytest.approx(Q1)
    assert result["each"]["q2"] == NOTHING  # nothing came back
    assert result["each"]["q3"] == Q3
    assert result["each"]["q5"] == NOTHING  # evidence that chunking lost
    assert result["metrics"] == pytest.approx({"nDCG@10": (Q1["nDCG@10"] + 1) / 4, "Recall@10": 0.5, "Recall@100": 0.5,
                                               "Precision@10": 0.075, "MRR@10": 0.375})
    assert list(result["by_kind"]) == ["direct", "rare_name"]
    assert result["by_kind"]["direct"] == pytest.approx({name: value / 2 for name, value in Q1.items()})
    assert result["by_kind"]["rare_name"] == pytest.approx({name: value / 2 for name, value in Q3.items()})
    # four searches of 1, 2, 3, 4 seconds
    assert result["milliseconds"] == pytest.approx({"p50": 2000, "p95": 4000})


def test_evaluate_asks_for_a_hundred_chunks_unless_told(collection):
    retriever = Fixed(LISTS)
    evaluate(retriever, collection)
    assert retriever.asked == [("one", 100), ("two", 100), ("three", 100), ("five", 100)]
    retriever = Fixed(LISTS)
    assert evaluate(retriever, collection, depth=1)["metrics"]["Recall@100"] == 0.25  # only q3 has it on top
    assert {k for _, k in retriever.asked} == {1}


def test_evaluate_one_split(collection):
    dev, held_out = evaluate(Fixed(LISTS), collection, "dev"), evaluate(Fixed(LISTS), collection, "held_out")
    assert (dev["queries"], dev["left_out"], list(dev["each"])) == (2, 1, ["q1", "q3"])
    assert dev["metrics"]["MRR@10"] == 0.75
    assert (held_out["queries"], held_out["left_out"], list(held_out["each"])) == (2, 0, ["q2", "q5"])
    assert held_out["metrics"] == NOTHING


def test_nothing_to_measure(collection):
    with pytest.raises(ValueError) as caught:
        evaluate(Fixed({}), collection, "test")
    assert str(caught.value) == "five has no judged question in the split 'test'; use --split all."
    with pytest.raises(ValueError) as caught:
        evaluate(Fixed({}), Collection("bare", [], [Chunk("a", "a")]))
    assert str(caught.value) == ("bare has documents but no questions to measure (see data/SOURCES.md for what "
                                 "questions.jsonl holds).")
    with pytest.raises(ValueError) as caught:
        evaluate(Fixed({}), Collection("mute", [], [Chunk("a", "a")], [Query("q", "why?")], {}, {"q": []}))
    assert str(caught.value) == "None of the questions of mute has evidence."


def test_the_place_of_the_answer(collection):
    evidence = [(2, ("c", "d")), (3, ("e",))]
    lists = {"q": [Hit("a", 3.0), Hit("d", 2.0), Hit("e", 1.0)], "none": [Hit("a", 1.0)]}

    class Ranked:
        def search(self, query, k):
            return lists[query][:k]

    assert place_of_answer(Ranked(), "q", evidence) == 2
    assert place_of_answer(Ranked(), "none", evidence) is None


def test_kinds_are_left_out_where_questions_have_none(collection):
    collection.queries = [Query("q1", "one"), Query("q3", "three")]
    assert evaluate(Fixed(LISTS), collection)["by_kind"] == {}


def test_a_question_with_the_id_of_a_document_drops_nothing():
    named = Collection("named", [], [Chunk("a", "a"), Chunk("b", "b")], [Query("a", "one")], {}, {"a": [(1, ("a",))]})
    assert evaluate(Fixed({"one": ["b", "a"]}), named)["metrics"]["MRR@10"] == 0.5


def test_evidence_in_a_document_that_the_index_never_got_scores_0():
    quote = {"document": "never synced", "quote": "the code is 4471", "grade": 3}
    asked = [Query("q", "one", evidence=(quote,)), Query("r", "two", evidence=(quote, quote))]
    lost = Collection("lost", [], [Chunk("a", "a")], asked, {}, {"q": [(3, ())], "r": [(3, ()), (3, ("a",))]})
    result = evaluate(Fixed({"one": ["a"], "two": ["a"]}), lost)
    assert result["left_out"] == 0
    assert result["each"]["q"] == NOTHING
    assert result["each"]["r"]["Recall@10"] == 0.5


def test_a_retriever_is_handed_the_history_where_it_is_asked_for(collection):
    class Listening(Fixed):
        def search(self, query, k=10, history=None):
            self.asked.append((query, k, history))
            return Fixed(LISTS).search(query, k)

    turns = ({"role": "user", "text": "one?"},)
    collection.queries[0] = replace(collection.queries[0], history=turns)
    for history, told in [(True, [turns, ()]), (False, [None, None])]:
        retriever = Listening(LISTS)
        result = evaluate(retriever, collection, "dev", history=history)
        assert retriever.asked == [("one", 100, told[0]), ("three", 100, told[1])]
        assert result["each"] == evaluate(Fixed(LISTS), collection, "dev")["each"]


def test_a_learners_functions_drive_the_measuring(collection):
    with use("metrics.recall_at_k", lambda ranked, grades, k: 0.25), use("experiment.pieces_shown", pieces_shown):
        assert evaluate(Fixed(LISTS), collection)["metrics"]["Recall@10"] == 0.25
    with use("experiment.means_by_kind", lambda each, kinds: {"mine": len(each)}):
        assert evaluate(Fixed(LISTS), collection)["by_kind"] == {"mine": 4}


@pytest.mark.parametrize("values, p, wanted", [
    ([4, 1, 3, 2], 50, 2), ([4, 1, 3, 2], 51, 3), ([4, 1, 3, 2], 75, 3), ([4, 1, 3, 2], 76, 4), ([4, 1, 3, 2], 100, 4),
    ([4, 1, 3, 2], 0, 1), (list(range(40)), 2.5000000000000022, 0), (list(range(40)), 97.5, 38), ([7], 95, 7),
    (list(range(1, 101)), 95, 95), (list(range(20)), 95, 18)])
def test_percentile(values, p, wanted):
    given = list(values)
    assert percentile(values, p) == wanted
    assert values == given


@pytest.mark.parametrize("values, p, sentence", [
    ([1, 2], -5, "p is -5; it is a percentage, from 0 to 100."),
    ([1, 2], 150, "p is 150; it is a percentage, from 0 to 100."),
    ([1, 2], nan, "p is nan; it is a percentage, from 0 to 100."),
    ([], 50, "There are no values, so there is no percentile of them."),
    (np.array([]), 0, "There are no values, so there is no percentile of them.")])
def test_percentiles_that_are_not_there(values, p, sentence):
    with pytest.raises(ValueError) as caught:
        percentile(values, p)
    assert str(caught.value) == sentence


def test_percentile_of_an_array():
    assert percentile(np.array([4.0, 1.0, 3.0]), 50) == 3.0


def test_means_by_kind():
    each = {"q1": {"RR": 1.0}, "q2": {"RR": 0.5}, "q3": {"RR": 0.0}, "q4": {"RR": 0.25}}
    kinds = {"q4": "b", "q3": "", "q2": "a", "q1": "b", "q9": "c"}
    assert means_by_kind(each, kinds) == {"b": {"RR": 0.625}, "a": {"RR": 0.5}}
    assert list(means_by_kind(each, kinds)) == ["b", "a"]  # in the order of the questions that were measured


def test_paired_differences_need_the_same_questions():
    with pytest.raises(ValueError) as caught:
        paired_differences({"q1": 1.0, "q2": 0.5}, {"q2": 0.5})
    assert str(caught.value) == "Both must have measured the same questions; only one has 'q1'."


@pytest.mark.parametrize("before, after, lonely", [
    ({"q1": 1.0, 2: 0.5, 3: 0.5}, {"q1": 1.0}, "2"), ({"4": 1.0}, {4: 1.0}, "'4'"), ({None: 1.0}, {"q1": 1.0}, "'q1'")])
def test_ids_of_different_kinds(before, after, lonely):
    with pytest.raises(ValueError) as caught:
        paired_differences(before, after)
    assert str(caught.value) == f"Both must have measured the same questions; only one has {lonely}."


# The bootstrap


def test_the_draws_are_the_same_everywhere():
    drawn = draw_resamples(102, 10_000, seed=0)
    assert (drawn.shape, drawn.dtype) == ((10_000, 102), np.uint16)
    assert drawn[0, :8].tolist() == [51, 86, 93, 64, 85, 52, 75, 27]
    assert int(drawn.sum()) == 51_495_466
    assert drawn.min() == 0 and drawn.max() == 101
    assert (draw_resamples(102, 10_000) == drawn).all()  # ten thousand and seed 0 unless told
    assert (draw_resamples(102, seed=1) != drawn).any()


def test_every_question_is_drawn_about_equally_often():
    # each of 20 is expected 5,000 times, with a standard deviation of 69
    times = np.bincount(draw_resamples(20, 5_000, seed=3).ravel(), minlength=20)
    assert abs(times - 5_000).max() < 4 * 69


def test_more_questions_than_uint16_can_count():
    assert draw_resamples(65_536, 1).dtype == np.uint16
    assert draw_resamples(65_537, 1).dtype == np.int64


def test_no_question_to_draw():
    with pytest.raises(ValueError, match="^n is 0; draw from 1 question or more.$"):
        draw_resamples(0)


def test_the_ends_are_two_of_the_means_in_order():
    # a resample that draws one question n times has its value as its mean: the means are 0, 1, ..., 39
    resamples = np.arange(40)[:, None].repeat(40, axis=1)
    values = list(range(40))
    assert bootstrap_interval(values, resamples) == (0, 38)  # 2.5 percent of 40 is one
    assert bootstrap_interval(values, resamples, level=0.9) == (1, 37)
    assert bootstrap_interval(values, resamples.tolist(), level=0.5) == (9, 29)


def test_the_250th_and_the_9750th_of_ten_thousand():
    # each resample draws one question, so that the means are 1, 2, ..., 10,000
    values, resamples = np.arange(1, 10_001), np.arange(10_000)[:, None]
    assert bootstrap_interval(values, resamples) == (250, 9_750)
    assert bootstrap_interval(values, resamples, level=0.9) == (500, 9_500)
    assert bootstrap_interval(values, resamples, level=0) == (5_000, 5_000)
    assert bootstrap_interval(values, resamples, level=1) == (1, 10_000)


@pytest.mark.parametrize("times", [8, 40, 200, 1_000, 2_000, 10_000])
def test_the_ends_are_those_of_exact_arithmetic(times):
    values, resamples = np.arange(1, times + 1), np.arange(times)[:, None]
    for hundredths in range(1, 100):
        level = Fraction(hundredths, 100)
        ranks = max(ceil(times * (1 - level) / 2), 1), ceil(times * (1 + level) / 2)
        assert bootstrap_interval(values, resamples, hundredths / 100) == ranks


@pytest.mark.parametrize("resamples, level, sentence", [
    ([[0, 1]], 1.5, "level is 1.5; it is a share, from 0 to 1 (0.95 is usual)."),
    ([[0, 1]], 95, "level is 95; it is a share, from 0 to 1 (0.95 is usual)."),
    ([[0, 1]], -0.1, "level is -0.1; it is a share, from 0 to 1 (0.95 is usual)."),
    ([[0, 1]], nan, "level is nan; it is a share, from 0 to 1 (0.95 is usual)."),
    ([[0, -1]], 0.95, "resamples has positions from -1 to 0; with 2 differences they are from 0 to 1."),
    ([[0, 1], [2, 0]], 0.95, "resamples has positions from 0 to 2; with 2 differences they are from 0 to 1."),
    *((wrong, 0.95, "resamples must be an array of whole numbers, (resamples, questions), with a row or more.")
      for wrong in ([], [[]], [0, 1], [[0.0, 1.0]], [[True, False]], 3))])
def test_resamples_and_levels_that_are_refused(resamples, level, sentence):
    with pytest.raises(ValueError) as caught:
        bootstrap_interval([0.5, 0.25], resamples, level)
    assert str(caught.value) == sentence


def test_the_interval_is_the_same_in_blocks_and_at_once():
    values = np.linspace(-1, 2, 30) ** 3
    resamples = draw_resamples(30, 2_500, seed=5)
    means = sorted(values[resamples].mean(axis=1))
    assert bootstrap_interval(values, resamples) == pytest.approx((means[62], means[2_437]))  # the 63rd, the 2,438th


def test_the_interval_is_about_as_wide_as_theory_says():
    # 400 values of standard deviation 1: 1.96 / sqrt(400) = 0.098 to both sides
    values = np.random.default_rng(7).standard_normal(400)
    values = (values - values.mean()) / values.std()
    low, high = bootstrap_interval(values, draw_resamples(400))
    assert (low, high) == pytest.approx((-0.098, 0.098), abs=0.004)


def test_table():
    rows = {"all questions": {"MRR@10": 0.5, "nDCG@10": 0.65901}, "direct": {"MRR@10": 1, "nDCG@10": 0.0}}
    assert table(rows, ("nDCG@10", "MRR@10"), "kind") == ("kind           nDCG@10  MRR@10\n"
                                                          "all questions    0.659   0.500\n"
                                                          "direct           0.000   1.000")


def test_a_table_makes_room_for_texts():
    rows = {"a": {"n": "6", "interval": "0.100 to 0.300"}, "all of them": {"n": "54", "interval": ""}}
    assert table(rows, ("n", "interval"), "kind") == ("kind          n        interval\n"
                                                      "a             6  0.100 to 0.300\n"
                                                      "all of them  54                ")


def test_a_name_stays_on_its_line_and_may_come_twice():
    rows = [("all", {"n": "3"}), ("all", {"n": "1"}), ("a\nb", {"n": "1"}), (" ", {"n": "1"})]
    assert table(rows, ("n",), "kind") == ("kind    n\n"
                                           "all     3\n"
                                           "all     1\n"
                                           "'a\\nb'  1\n"
                                           "' '     1")


@pytest.mark.parametrize("name, shown", [
    ("rare name", "rare name"), ("größe", "größe"), ("a\tb", r"'a\tb'"), ("a\u2028b", r"'a\u2028b'"), ("a ", "'a '"),
    ("\ud800", r"'\ud800'"), ("a\x1b[1m", r"'a\x1b[1m'")])
def test_on_one_line(name, shown):
    assert on_one_line(name) == shown


# A step, written down: how many chunks, what it cost, and who is beaten


def by_hand(ranked, evidence, k):
    """The share of the pieces that the first k chunks hold, written the long way."""
    held, all_of_them = 0, 0
    for grade, ids in evidence:
        if grade >= 1:
            all_of_them += 1
            held += any(id in ids for id in ranked[:k])
    return held / all_of_them if all_of_them else 0.0


@pytest.mark.parametrize("ranked, evidence, ks, wanted", [
    (["x", "a", "b"], [(3, ("a",)), (2, ("b",))], [1, 2, 3], {1: 0.0, 2: 0.5, 3: 1.0}),
    (["a"], [(3, ("a",)), (1, ("a",)), (2, ("a", "z"))], [1], {1: 1.0}),  # one chunk holds all three
    (["a", "b"], [(3, ("a", "b"))], [1, 2], {1: 1.0, 2: 1.0}),  # the second shows nothing new
    (["b", "b", "a"], [(2, ("a",)), (2, ("b",))], [2, 3], {2: 0.5, 3: 1.0}),  # one that comes twice is two of k
    (["a"], [(3, ()), (2, ("a",))], [50, 1], {50: 0.5, 1: 0.5}),  # no chunk holds it; k beyond the end
    (["a"], [(0, ("a",)), (1, ("b",))], [1], {1: 0.0}), ([], [(3, ("a",))], [5], {5: 0.0}),
    (["a"], [], [1], {1: 0.0}), (["a"], [(3, ("a",))], [], {})])
def test_k_sweep(ranked, evidence, ks, wanted):
    assert k_sweep(ranked, evidence, ks) == wanted
    assert list(k_sweep(ranked, evidence, ks)) == ks


def test_k_counts_chunks_and_recall_of_measure_counts_places():
    # ten chunks of which the first holds two pieces: in `measure` they take two places, and the tenth chunk is eleventh
    ranked = ["both", *"bcdefghi", "last"]
    evidence = [(3, ("both",)), (2, ("both",)), (2, ("last",))]
    assert k_sweep(ranked, evidence, [10]) == {10: 1.0}
    assert measure(ranked, evidence)["Recall@10"] == pytest.approx(2 / 3)


def test_k_sweep_on_random_lists():
    drawn = np.random.Generator(np.random.PCG64(0))
    for _ in range(300):
        ranked = [f"c{i}" for i in drawn.permutation(12)[: drawn.integers(0, 13)]]
        evidence = [(int(drawn.integers(0, 4)), tuple(f"c{i}" for i in drawn.permutation(15)[: drawn.integers(0, 4)]))
                    for _ in range(drawn.integers(0, 5))]
        shares = k_sweep(ranked, evidence, [1, 3, 5, 10, 20])
        assert shares == {k: by_hand(ranked, evidence, k) for k in (1, 3, 5, 10, 20)}
        assert list(shares.values()) == sorted(shares.values())  # more chunks never hold less


def test_no_chunk_is_handed_over():
    with pytest.raises(ValueError, match="^k is 0; hand over 1 chunk or more.$"):
        k_sweep(["a"], [(3, ("a",))], [5, 0])


@pytest.mark.parametrize("values, tolerance, wanted", [
    ({1: 0.5, 5: 0.7, 10: 0.8, 20: 0.75}, 0.1, 5), ({20: 0.75, 10: 0.8, 5: 0.7}, 0, 10), ({1: 0.2, 3: 0.2}, 0, 1),
    ({10: 0.2, 5: 0.2, 50: 0.1}, 0.0, 5), ({1: 0.3, 2: 0.4}, 0.1, 1),  # 0.4 - 0.3 is 0.10000000000000003
    ({1: 0.29, 2: 0.4}, 0.1, 2), ({7: -1.0}, 0, 7), ({1: 0.0, 50: 1.0}, 5, 1), ({3: 1, 9: 2}, 1, 3)])
def test_knee(values, tolerance, wanted):
    assert knee(values, tolerance) == wanted


@pytest.mark.parametrize("values, tolerance, sentence", [
    ({}, 0.1, "There are no values, so there is no k to choose."),
    ({1: 0.5}, -0.1, "tolerance is -0.1; it is how far below the best is near enough, 0 or more."),
    ({1: 0.5}, nan, "tolerance is nan; it is how far below the best is near enough, 0 or more.")])
def test_knees_that_are_refused(values, tolerance, sentence):
    with pytest.raises(ValueError) as caught:
        knee(values, tolerance)
    assert str(caught.value) == sentence


def test_added():
    before, after = [1.0, 2.0, 3.0, 10.0], [12.0, 4.0, 2.5]
    assert added(before, after) == 2.0  # the largest of each; question by question there is nothing to subtract
    assert added(before, after, p=50) == 2.0 and added(after, before, 50) == -2.0
    assert added(before, before, 0) == 0.0 and before == [1.0, 2.0, 3.0, 10.0]
    for wrong in (([], after), (before, []), (before, after, 101)):
        with pytest.raises(ValueError):
            added(*wrong)


@pytest.mark.parametrize("arguments, line", [
    ((135, "RRF", 0.55, 0.643, 0.04, 0.15, 3.14), "on 135 questions, RRF took Recall@10 from 0.550 to 0.643 (+0.093, "
     "95 % interval +0.040 to +0.150) and added 3.1 ms to p95"),
    ((12, "a reranker", 0.6449, 0.6, -0.09, -0.0004, -12.06), "on 12 questions, a reranker took Recall@10 from 0.645 "
     "to 0.600 (-0.045, 95 % interval -0.090 to +0.000) and took 12.1 ms off p95"),
    ((1, "nothing", 0.5, 0.5, 0, 0, 0), "on 1 questions, nothing took Recall@10 from 0.500 to 0.500 (+0.000, 95 % "
     "interval +0.000 to +0.000: not told apart) and added 0.0 ms to p95"),
    ((9, "X", 0.5, 0.625, 0.0, 0.25, -0.04), "on 9 questions, X took Recall@10 from 0.500 to 0.625 (+0.125, 95 % "
     "interval +0.000 to +0.250: not told apart) and added 0.0 ms to p95"),
    ((9, "X", 0.5, 0.25, -0.5, 0.0, None, "nDCG@10"), "on 9 questions, X took nDCG@10 from 0.500 to 0.250 (-0.250, 95 "
     "% interval -0.500 to +0.000: not told apart)")])
def test_report_line(arguments, line):
    assert report_line(*arguments) == line


@pytest.mark.parametrize("n, low, high, sentence", [
    (0, 0.1, 0.2, "n is 0; report on 1 question or more."),
    (5, 0.2, 0.1, "The interval goes from 0.2 to 0.1; its low end is the first of the two.")])
def test_lines_that_are_refused(n, low, high, sentence):
    with pytest.raises(ValueError) as caught:
        report_line(n, "X", 0.1, 0.2, low, high)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("points, wanted", [
    ({"words": (0.6, 1.0), "vectors": (0.6, 4.0), "both": (0.7, 5.0), "slow": (0.7, 9.0)}, ["both", "words"]),
    ({"b": (0.5, 2), "a": (0.5, 2)}, ["a", "b"]), ({"only": (0.0, 9.0)}, ["only"]), ({}, []),
    ({"c": (0.9, 9), "a": (0.5, 1), "b": [0.7, 3]}, ["a", "b", "c"]), ({"x": (0.2, 5), "y": (0.9, 1)}, ["y"]),
    ({"same cost": (0.4, 3), "better": (0.5, 3)}, ["better"])])
def test_pareto(points, wanted):
    assert pareto(points) == wanted


def test_pareto_on_random_points():
    drawn = np.random.Generator(np.random.PCG64(1))
    for _ in range(200):
        points = {f"p{i}": (int(drawn.integers(0, 5)), int(drawn.integers(0, 5))) for i in range(drawn.integers(1, 9))}
        kept = pareto(points)
        for name, (quality, cost) in points.items():
            better = [q >= quality and c <= cost and (q, c) != (quality, cost) for q, c in points.values()]
            assert (name in kept) == (not any(better))
        assert kept == sorted(kept) and kept
