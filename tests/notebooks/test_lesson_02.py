"""What lesson 02 and its exercise say in their sentences, worked out again.

The last part holds for every notebook: none shows a question that is held out.
"""

import contextlib
import importlib
import inspect
import io
import itertools
import json
import math
import random
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest

from firstprinciples import __main__ as cli
from firstprinciples.corpus import Chunk, Query, find_evidence
from firstprinciples.evaluate.compare import recall_intervals
from firstprinciples.evaluate.experiment import (
    bootstrap_interval,
    draw_resamples,
    evaluate,
    measure,
    paired_differences,
    percentile,
    pieces_shown,
)
from firstprinciples.evaluate.metrics import (
    average_precision,
    dcg,
    dcg_with_base,
    mean_reciprocal_rank,
    ndcg_at_k,
    ndcg_conventions,
    order_ties,
    precision_at_k,
    rank_by_score,
    recall_at_k,
    reciprocal_rank,
)
from firstprinciples.explore.guess import QUESTIONS
from firstprinciples.grading import commands
from firstprinciples.grading.check import grade_task
from firstprinciples.grading.hints import hint
from firstprinciples.grading.tasks import expand, where_to_read
from firstprinciples.retrieve import Hit
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.bm25_variants import VARIANTS
from firstprinciples.text import STOP_WORDS, tokenize

ROOT = Path(__file__).resolve().parent.parent.parent
NOTEBOOKS = sorted(path for path in (ROOT / "notebooks").rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts)
# the modules: in the package, the functions have their names
measuring = importlib.import_module("firstprinciples.explore.measuring")
conventions = importlib.import_module("firstprinciples.explore.conventions")
overlap = importlib.import_module("firstprinciples.explore.overlap")
trip = importlib.import_module("firstprinciples.explore.trip")


def read(name):
    """Return {cell id: source} of a notebook."""
    return {cell.id: cell.source for cell in nbformat.read(ROOT / "notebooks" / name, as_version=4).cells}


@pytest.fixture(scope="module")
def cells():
    return read("02_measuring.ipynb")


@pytest.fixture(scope="module")
def lesson(cells):
    """Return {cell id: source on one line} of lesson 02."""
    return {id: " ".join(source.split()) for id, source in cells.items()}


@pytest.fixture(scope="module")
def search(larkspur):
    return BM25(larkspur.chunks)


@pytest.fixture(scope="module")
def whole(larkspur, search):
    """BM25 on all questions."""
    return evaluate(search, larkspur)


@pytest.fixture(scope="module")
def both(larkspur, search):
    """Return {split: (nDCG@10 of each question by whole words, by stems)}."""
    stems = BM25(larkspur.chunks, tokenizer=lambda text: tokenize(text, stem=True))

    def values(retriever, split):
        return {id: row["nDCG@10"] for id, row in evaluate(retriever, larkspur, split)["each"].items()}

    return {split: (values(search, split), values(stems, split)) for split in ("dev", "held_out", "all")}


@pytest.fixture(scope="module")
def gains(both):
    """Return {split: what stems add to nDCG@10 of each question of it}."""
    return {split: paired_differences(*values) for split, values in both.items()}


def interval(values):
    """Return the interval as the lesson's cells compute it."""
    return bootstrap_interval(values, draw_resamples(len(values), 10_000, seed=0))


def unpaired(one, other, seeds=(0, 1)):
    """Return the interval of the mean of `other` less that of `one`, each from bags of its own, as the cells do."""
    bags, other_bags = draw_resamples(len(one), 10_000, seeds[0]), draw_resamples(len(other), 10_000, seeds[1])
    apart = np.sort(np.array(other)[other_bags].mean(axis=1) - np.array(one)[bags].mean(axis=1))
    return apart[249], apart[9749]  # the 250th and the 9,750th


def printed(source, names):
    """Run a cell with these names and return what it prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(source, names)
    return out.getvalue()


# ---- the picture: who notices what

def values(places, k=5):
    return measuring.frame(measuring.State(places, k))["values"]


def noticed(before, after, k=5, k_now=None):
    """Return the numbers that differ between two rankings."""
    was, now = values(before, k), values(after, k_now or k)
    return {name for name in was if now[name] != pytest.approx(was[name], abs=1e-12)}


def test_the_guess(lesson):
    guess, grades = QUESTIONS["measuring.order"], measuring.GRADES
    worst, top = [*"uvwxyzDCBA"], [*"AuvwxyzDCB"]
    assert "places 7 to 10, the best of them last" in guess["question"] and guess["answer"] == "recall and precision"
    for ranked in (worst, top):
        assert (recall_at_k(ranked, grades, 10), precision_at_k(ranked, grades, 10)) == (1.0, 0.4)
    assert "1.00 and 0.40, before and after" in guess["because"]
    rr = [f"{reciprocal_rank(ranked, grades):.2f}" for ranked in (worst, top)]
    ndcg = [f"{ndcg_at_k(ranked, grades):.2f}" for ranked in (worst, top)]
    assert f"from {rr[0]} to {rr[1]}, and nDCG from {ndcg[0]} to {ndcg[1]}" in guess["because"]
    assert 'guess("measuring.order")' in lesson["guess"]


def test_the_moves_to_try_end_as_asked(lesson):
    asked, start = lesson["watch"], measuring.START
    assert "Ten places, four relevant pages, and four numbers" in asked
    assert (measuring.TEN, len(measuring.GRADES), len(measuring.NAMES)) == (10, 4, 4)
    assert "3 fully, 2 in part, 1 as a support" in asked and list(measuring.GRADES.values()) == [3, 2, 1, 1]

    assert "Move B up by one place" in asked
    assert noticed(start, measuring.move(start, 1, "Up")) == {"ndcg"}

    first, last = (measuring.PRESETS[name] for name in ("Best first", "Best last"))
    assert "*Best last*, then *Best first*" in asked and "Which three numbers cannot tell?" in asked
    assert noticed(last, first) == {"ndcg"}

    one = values(measuring.PRESETS["One hit on top"])
    assert "One number says 1.00, all is well" in asked
    assert [name for name, value in one.items() if value == 1] == ["rr"] and one["recall"] == 1 / 4
    assert "with one hit on top it says 1.00, while three of four pages are missing" in lesson["watch-said"]
    assert list(measuring.PRESETS["One hit on top"]).count(0) == 3

    assert "Press *Reset*, then move k from 5 to 10" in asked and "which one mostly falls" in asked
    few, many = values(start, 5), values(start, 10)
    assert many["recall"] > few["recall"] and many["precision"] < few["precision"] and many["rr"] == few["rr"]


def test_which_numbers_can_only_rise_with_k(lesson):
    """In every state of the picture: where each page stands, or that it was not found, and k."""
    assert "With a larger k recall and RR can only rise; precision mostly falls" in lesson["watch-said"]
    states = [places for places in itertools.product(range(11), repeat=4)
              if all(places.count(place) == 1 for place in places if place)]
    assert len(states) == 8501
    fell, rose = dict.fromkeys(measuring.NAMES, 0), dict.fromkeys(measuring.NAMES, 0)
    for places in states:
        by_k = [values(places, k) for k in range(1, 11)]
        for few, many in itertools.pairwise(by_k):
            for name in few:
                fell[name] += many[name] < few[name] - 1e-12
                rose[name] += many[name] > few[name] + 1e-12
    assert fell["recall"] == fell["rr"] == 0 < min(rose["recall"], rose["rr"])
    assert fell["precision"] > 9 * len(states) / 2 and rose["precision"] > 0  # mostly: it can rise
    assert fell["ndcg"] > 0


def test_who_notices_what(lesson):
    said = lesson["watch-said"]
    assert "Recall and precision count what is in the first k places and do not care about the order there" in said
    assert "RR, the reciprocal rank, looks at the first relevant page and is blind to all others" in said
    assert "Only nDCG sees the grades and each of the first k places" in said
    seen = {frozenset(noticed((1, 2, 3, 4), places)) for places in itertools.permutations((1, 2, 3, 4))}
    assert seen == {frozenset(), frozenset({"ndcg"})}  # any order of the four: recall, precision and RR sleep
    assert noticed((2, 4, 5, 0), (2, 5, 4, 0)) == {"ndcg"}  # grades 2 and 1 trade places
    assert noticed((1, 4, 0, 0), (4, 1, 0, 0)) == {"ndcg"}  # RR does not see that the first is worth less
    for place in range(2, 5):  # behind the first one, each place counts, and for nDCG alone
        assert noticed((1, place, 0, 0), (1, place + 1, 0, 0)) == {"ndcg"}
    assert "rr" in noticed((2, 0, 0, 0), (1, 0, 0, 0))
    assert noticed((1, 6, 7, 8), (1, 6, 0, 0)) == set()  # behind the first k nobody looks


# ---- the formulas

def test_recall_precision_and_the_first_one(lesson):
    assert "One hit and nothing else is 0.1 at k = 10, not 1.0" in lesson["recall"]
    assert precision_at_k(["a"], {"a": 1}, 10) == 0.1
    assert "1 at the top, 0.5 at place 2, 0.1 at place 10, 0 if there is none" in lesson["recall"]
    lists = (["a"], ["x", "a"], [*"bcdefghijk"][:9] + ["a"], ["x"])
    assert [reciprocal_rank(ranked, {"a": 1}) for ranked in lists] == [1, 0.5, 0.1, 0]
    judged = {"found": {"a": 1}, "missed": {"a": 1}}
    assert "stays in the mean, as a 0" in lesson["recall"]
    assert mean_reciprocal_rank({"found": ["a"], "missed": ["x"]}, judged) == 0.5
    assert mean_reciprocal_rank({"found": ["a"]}, {"found": {"a": 1}}) == 1  # "the oldest way to a good number"


def test_recall_at_10_is_what_ten_chunks_can_still_give(lesson, larkspur, search):
    """A chunk that shows two pieces takes two places; in no list does that push a piece out of the first ten."""
    assert "If the search hands on ten chunks, Recall@10 is the most that anything behind it can still use" \
        in lesson["recall"]
    for query in larkspur.queries:
        if pieces := larkspur.evidence[query.id]:
            ids = [hit.id for hit in search.search(query.text, k=10)]
            held = sum(bool(set(ids) & set(holders)) for _, holders in pieces) / len(pieces)
            assert measure(ids, pieces)["Recall@10"] == pytest.approx(held), query.id


def test_average_precision_sees_order_and_knows_no_grades(lesson):
    assert "the precision down to there, and averages over all relevant pages; one that was not found counts 0" \
        in lesson["order"]
    assert average_precision([*"axby"], {"a": 1, "b": 1, "c": 1}) == pytest.approx((1 / 1 + 2 / 3 + 0) / 3)
    assert "It sees order and knows no grades" in lesson["order"]
    assert average_precision([*"xab"], {"a": 1, "b": 1}) < average_precision([*"axb"], {"a": 1, "b": 1})
    assert average_precision([*"axb"], {"a": 3, "b": 1}) == average_precision([*"axb"], {"a": 1, "b": 3})


def test_at_10_both_sums_stop_at_place_10(lesson):
    assert "With @10, both sums stop at place 10" in lesson["order"]
    twelve = {f"p{n:02}": 1 for n in range(12)}
    assert ndcg_at_k(sorted(twelve), twelve, 10) == 1  # the best order stops there too
    assert ndcg_at_k([f"x{n}" for n in range(10)] + ["p00"], twelve, 10) == 0


def test_the_counts_are_those_of_the_module(cells):
    made = {}
    shown = printed(cells["count"], made)
    ranked, grades = made["ranked"], made["grades"]
    expected = (recall_at_k(ranked, grades, 5), precision_at_k(ranked, grades, 5), reciprocal_rank(ranked, grades))
    assert tuple(map(float, re.findall(r" (0\.\d+)", shown))) == expected == (0.5, 0.4, 0.5)


def test_the_three_lines_are_the_modules_ndcg(cells):
    made = {"ndcg_conventions": ndcg_conventions}
    shown = printed(cells["three-lines"], made)
    assert re.findall(r"\d\.\d+", shown)[:2] == ["0.960808", "0.960808"]
    body = re.search(r'"""nDCG in three lines\."""\n(.+?)\n\n', cells["three-lines"], re.DOTALL).group(1)
    assert len(body.splitlines()) == 3
    for gained in ([3, 2, 3, 0, 1, 2], [0, 0, 1], [2], [1, 2, 3]):
        ids = dict(zip("abcdef", gained, strict=False))
        assert made["plain"](gained, gained) == pytest.approx(ndcg_at_k(list(ids), ids, len(ids)))
    one_of_four = {"a": 3, "b": 2, "c": 1, "d": 1}
    assert made["plain"]([3], [3]) == 1  # "would be perfect", with the best order of those found
    assert made["plain"]([3], one_of_four.values()) == pytest.approx(ndcg_at_k(["a"], one_of_four, 10)) != 1


def test_three_conventions_and_five_formulas(lesson):
    said = lesson["conventions"]
    assert "so that a grade of 3 is worth 7 and not 3" in said
    assert ndcg_at_k(["b", "a"], {"a": 3, "b": 1}, 2, exponential=True) == pytest.approx(dcg([1, 7]) / dcg([7, 1]))
    assert "it divides by a logarithm to some base, here 2, and leaves the places up to that base as they are, " \
        "so places 1 and 2 count in full" in said
    assert [dcg_with_base([0] * place + [1]) == 1 for place in range(3)] == [True, True, False]
    assert [dcg_with_base([0] * place + [1], 4) == 1 for place in range(5)] == [True] * 4 + [False]
    assert dcg_with_base([0, 0, 1]) == pytest.approx(1 / math.log2(3))
    made = ndcg_conventions([*"abcdef"], dict(zip("abcdef", [3, 2, 3, 0, 1, 2], strict=True)), 6)
    assert "The same list, and three numbers" in said and len({round(value, 6) for value in made.values()}) == 3
    assert "ours is *linear*" in said and made["linear"] == ndcg_at_k([*"abcdef"], {"a": 3, "b": 2, "c": 3, "e": 1,
                                                                                   "f": 2}, 6)
    assert "at least five formulas share" in said and len(VARIANTS) == 5
    grades = {"a": 3, "b": 2, "c": 1}  # the discount: much at first, little later
    assert 1 - 1 / math.log2(3) > 100 * (1 / math.log2(50) - 1 / math.log2(51))
    assert ndcg_at_k([*"abc"], grades) == 1 and "so that 1 means perfect" in lesson["order"]


def test_the_question_shown_first_is_the_one_that_the_variants_move_most(lesson, larkspur):
    said = lesson["conventions"]
    assert "Of its six questions, the one shown first is the one that the variants move most" in said
    lists = conventions.Lists(larkspur)

    def moved(number):
        shown = conventions.frame(conventions.State(number, "BM25 variants"), lists)["values"].values()
        return max(shown) - min(shown)

    spread = [moved(number) for number in range(len(lists.queries))]
    assert len(spread) == 6 and spread[0] > 2 * max(spread[1:])
    assert "Most questions they hardly move" in said
    each = [evaluate(BM25(larkspur.chunks, variant=variant), larkspur)["each"] for variant in VARIANTS]
    wide = [max(values) - min(values) for values in ([rows[id]["nDCG@10"] for rows in each] for id in each[0])]
    assert sum(each < 0.01 for each in wide) > len(wide) / 2
    assert "Under *nDCG conventions* and *tie rules* nothing about the search changes, only how it is counted" in said
    for number in range(6):
        counted, searched = (conventions.frame(conventions.State(number, vary), lists)["values"]
                             for vary in ("nDCG conventions", "BM25 variants"))
        assert counted["linear"] == searched["lucene"]


def test_equal_scores(lesson, larkspur):
    said = lesson["conventions"]
    assert "We put the smaller id first; TREC's program puts the larger one first" in said
    scores = {"b": 1.0, "c": 1.0, "a": 1.0}
    assert rank_by_score(scores) == order_ties(scores, "id ascending") == ["a", "b", "c"]
    assert order_ties(scores, "id descending") == ["c", "b", "a"]
    assert order_ties(scores, "as given") == ["b", "c", "a"]  # "leaves them as they came"
    assert "the choice of the rule moves the number" in said
    lists = conventions.Lists(larkspur)
    tied = [conventions.frame(conventions.State(number, "tie rules"), lists) for number in range(len(lists.queries))]
    assert any(max(frame["values"].values()) > min(frame["values"].values()) + 0.01 for frame in tied)
    assert all(max(frame["tied"].values()) > 10 for frame in tied)  # "where many scores are equal"


# ---- evidence

def test_what_is_said_of_evidence(lesson):
    said, quote = lesson["evidence"], "The red drum is full."
    query = Query("q", "?", evidence=({"document": "d", "quote": quote, "grade": 3},))

    def held(*texts):
        return find_evidence(query, [Chunk(f"d#{n}", text, "d") for n, text in enumerate(texts, 1)])

    assert "two overlapping chunks with the same quote count once" in said
    assert 'Write down each quote that a chunk shows for the first time; where a chunk shows no new one, write ' \
        '"nothing". A chunk that shows two takes two places.' in said
    assert pieces_shown(["c1", "c2", "c3"], [(3, ("c2",)), (2, ("c2", "c3"))])[0] \
        == ["nothing 0", "piece 0", "piece 1", "nothing 2"]
    twice = held(f"One. {quote}", f"{quote} Two.")
    shown, grades = pieces_shown(["d#1", "d#2"], twice)
    assert shown == ["piece 0", "nothing 1"] and recall_at_k(shown, grades, 10) == 1
    assert precision_at_k(shown, grades, 2) == 0.5
    assert "cut in half by bad chunking cannot be found at all" in said
    assert held("The red drum", "is full.") == [(3, ())]
    shown, grades = pieces_shown(["d#1", "d#2"], held("The red drum", "is full."))
    assert recall_at_k(shown, grades, 10) == 0


def test_the_question_of_the_evidence_is_one_to_look_at(cells, larkspur):
    id = re.search(r'q\.id == "(.+?)"', cells["evidence-code"]).group(1)
    query = next(query for query in larkspur.queries if query.id == id)
    assert query.split == "dev" and len(query.evidence) == len(larkspur.evidence[id]) > 1
    assert all(holders for _, holders in larkspur.evidence[id])


# ---- how sure

def test_stems_on_dev_cannot_be_told_apart(lesson, gains):
    assert 'so that "invoices" meets "invoice"' in lesson["sure"]
    assert tokenize("invoices", stem=True) == tokenize("invoice", stem=True)
    dev = gains["dev"]
    low, high = interval(dev)
    assert "The mean hardly moved" in lesson["sure-why"] and abs(sum(dev) / len(dev)) < 0.002
    assert "The paired interval holds 0" in lesson["sure-read"] and low < 0 < high
    assert f"a gain of {high:.3f} and a loss of {-low:.3f} are both possible" in lesson["sure-read"]
    assert any(gain > 0 for gain in dev) and any(gain < 0 for gain in dev)


def test_the_bootstrap_by_hand_is_the_modules(cells, lesson, larkspur, search, gains):
    assert "the middle 95 % of the means" in lesson["sure-why"] and "ten thousand times" in lesson["sure-why"]
    assert inspect.signature(bootstrap_interval).parameters["level"].default == 0.95
    assert inspect.signature(draw_resamples).parameters["times"].default == 10_000
    stems = BM25(larkspur.chunks, tokenizer=lambda text: tokenize(text, stem=True))
    made = {"gain": gains["dev"], "bootstrap_interval": bootstrap_interval, "draw_resamples": draw_resamples, "np": np,
            "before": evaluate(search, larkspur, "dev"), "after": evaluate(stems, larkspur, "dev")}
    shown = printed(cells["bootstrap"], made)
    assert len(made["means"]) == 10_000 == len(made["apart"])
    assert "from the 250th to the 9,750th of ten thousand in order" in lesson["sure-why"]
    in_order = list(range(1, 10_001))
    assert (percentile(in_order, 2.5), percentile(in_order, 97.5)) == (250, 9750)  # the module's ends
    assert "means[249]" in cells["bootstrap"] and "means[9749]" in cells["bootstrap"]  # the three lines', from 0
    assert (made["means"][249], made["means"][9749]) == pytest.approx((made["low"], made["high"]), abs=0.002)
    assert "The first two differ in the last digit because they drew other bags" in lesson["sure-read"]
    ends = [tuple(map(float, re.findall(r"[+-]\d\.\d{3}", line)[:2])) for line in shown.splitlines()]
    assert ends[0] != ends[1] and ends[0] == pytest.approx(ends[1], abs=0.0011)
    assert not np.array_equal(draw_resamples(135, seed=0), draw_resamples(135, seed=1))
    assert "Some questions come twice, some not at all" in lesson["sure-why"]
    drawn = draw_resamples(135)[0].tolist()
    assert len(drawn) == 135 > len(set(drawn))


def test_unpaired_is_three_times_as_wide(lesson, both, gains):
    assert "The third draws a bag for each search by itself, and is three times as wide" in lesson["sure-read"]
    one, other = (list(values.values()) for values in both["dev"])
    low, high = interval(gains["dev"])
    for seeds in ((0, 1), (2, 3)):
        ends = unpaired(one, other, seeds)
        assert round((ends[1] - ends[0]) / (high - low)) == 3
    assert "it also holds the difference between an easy bag and a hard one" in lesson["sure-read"]
    bags = np.array(one)[draw_resamples(135, 1_000)].mean(axis=1)
    assert bags.max() - bags.min() > 0.1 > high - low  # one search, and only the bag differs


def test_the_two_halves_and_the_whole(lesson, gains):
    assert {split: len(values) for split, values in gains.items()} == {"dev": 135, "held_out": 135, "all": 270}
    said = lesson["halves-said"]
    assert "On the other half the same change looks like a clear gain: its interval lies above 0" in said
    assert interval(gains["held_out"])[0] > 0
    assert f"reported {sum(gains['held_out']) / 135:+.3f} with its interval" in said
    assert "With both halves we cannot tell again" in said
    for split in ("dev", "all"):
        low, high = interval(gains[split])
        assert low < 0 < high, split
    assert "No: the last line says that their gains may well be the same" in said  # held_out less dev
    low, high = unpaired(gains["dev"], gains["held_out"])
    assert (round(low, 3), round(high, 3)) == (-0.014, 0.077) and low < 0 < high
    assert "use all the questions there are: that gives the narrowest interval" in said
    wide = {split: high - low for split, (low, high) in ((split, interval(gains[split])) for split in gains)}
    assert wide["all"] < min(wide["dev"], wide["held_out"])
    assert "BM25 in these lessons, whose k1 and b are everybody's" in said
    assert [inspect.signature(BM25).parameters[name].default for name in ("k1", "b")] == [1.2, 0.75]
    assert "about one interval in twenty misses the truth" in said and round(1 / (1 - 0.95)) == 20


def test_an_interval_misses_about_once_in_twenty():
    """Of a truth that is known: 200 samples of 135 from the numbers 0 to 1, whose mean is a half."""
    draws, resamples = random.Random(0), draw_resamples(135, 1_000, seed=1)
    missed = 0
    for _ in range(200):
        low, high = bootstrap_interval([draws.random() for _ in range(135)], resamples)
        missed += not low <= 0.5 <= high
    assert 2 <= missed <= 22


# ---- your turn

def test_your_turn(cells, lesson):
    made = {}
    exec(cells["your-recall"], made)
    assert str(grade_task("metrics.recall_at_k", made["recall_at_k"])) == "metrics.recall_at_k  not attempted"
    assert "an id that stands twice in the list counts once" in lesson["turn"]
    assert recall_at_k(["a", "a"], {"a": 1, "b": 1}, 2) == 0.5
    assert "where nothing is relevant the answer is 0.0" in lesson["turn"]
    assert recall_at_k(["a"], {"a": 0}, 1) == recall_at_k(["a"], {}, 1) == 0.0


# ---- where it fails

def test_how_far_the_questions_lean(lesson, larkspur, search):
    assert "Lucene's 33 stop words left out" in lesson["fails"] and len(STOP_WORDS) == 33
    frame = overlap.frame(larkspur, search)
    share = {row["kind"]: row["overlap"] for row in frame["kinds"]}
    said = lesson["fails-more"]
    assert "A question with a code shares two of five such words" in said and round(5 * share["exact"], 1) == 2.0
    assert "a paraphrase, by our definition, shares none" in said and share["paraphrase"] == 0
    assert f"where BM25 finds something, the share is {overlap.percent(frame['found']['overlap'])}" in said
    assert f"where it finds nothing, {overlap.percent(frame['lost']['overlap'])}" in said
    for query in larkspur.queries:  # a paraphrase: none of them, not only on average
        assert query.kind != "paraphrase" or overlap.word_overlap(query) == 0, query.id
    recall = {row["kind"]: row["recall"] for row in frame["kinds"]}
    assert "*needs_context* shares less than *follow_up* and is found more than twice as often" in said
    assert share["needs_context"] < share["follow_up"] and recall["needs_context"] > 2 * recall["follow_up"]


def test_how_what_and_do_keep_the_shares_low(lesson, larkspur):
    small = {"how", "what", "do"}
    assert '"how", "what" and "do" are not among those, which keeps the shares low' in lesson["fails"]
    assert not small & STOP_WORDS
    usual, without = {}, {}
    for query in larkspur.queries:
        if query.evidence:
            asked, held = ({word for text in texts for word in tokenize(text, stop_words=True, stem=True)}
                           for texts in ([query.text], [piece["quote"] for piece in query.evidence]))
            for shares, left_out in ((usual, set()), (without, small)):
                left = asked - left_out
                shares.setdefault(query.kind, []).append(len(left & held) / len(left))
    for kind in usual:
        assert sum(without[kind]) > sum(usual[kind]) or kind == "paraphrase", kind  # a paraphrase shares none


def test_the_kinds_are_what_they_are_said_to_be(lesson, larkspur):
    said, sources = lesson["fails"], (ROOT / "data" / "SOURCES.md").read_text(encoding="utf-8")
    assert "data/SOURCES.md) defines all ten" in said
    for kind in {query.kind for query in larkspur.queries}:
        assert f"\n- `{kind}`: " in sources
    assert "*exact* names a code or an amount" in said
    assert "- `exact`: contains a code or amount" in sources
    assert all(re.search(r"\d", query.text) for query in larkspur.queries if query.kind == "exact")
    assert "the quote for *needs_context* does not say whom or when it is about" in said
    assert "- `needs_context`: its quote does not say which company, period or party it is about" in sources
    assert "*filter* names a client, a date or a type" in said
    lines = (ROOT / "data" / "larkspur" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    conditions = [record["filter"] for record in map(json.loads, lines) if record["kind"] == "filter"]
    assert len(conditions) == 30 and {key for each in conditions for key in each} == {"client", "date", "type"}


def test_thirty_of_each_kind_half_of_them_held_out(lesson, larkspur):
    assert "Ours has thirty of each" in lesson["fails-more"] and "half of ours are held out" in lesson["fails-peek"]
    kinds = [query.kind for query in larkspur.queries]
    assert {kinds.count(kind) for kind in kinds} == {30} and len(set(kinds)) == 10
    for kind in set(kinds):
        assert [q.split for q in larkspur.queries if q.kind == kind].count("held_out") == 15, kind


def test_fewer_questions_say_less_and_all_kinds_stay_in(cells, lesson, whole):
    counts = tuple(map(int, re.search(r"for n in \((.+?)\):", cells["fails-few"]).group(1).split(", ")))
    ids, wide = list(whole["each"]), []
    for n in counts:
        some = ids[:: len(ids) // n]
        assert len(some) == n and {whole["kinds"][id] for id in some} == set(whole["kinds"].values())
        low, high = interval([whole["each"][id]["nDCG@10"] for id in some])
        wide.append(high - low)
    assert "use fewer questions, and the interval widens" in lesson["fails-more"]
    assert wide == sorted(wide) and wide[-1] > 4 * wide[0]


# ---- what we would measure

def test_the_line_to_beat(lesson, whole):
    sure, said = recall_intervals(whole), lesson["measure-said"]
    rows = {"all questions": sure["all"], **sure["by_kind"]}
    assert "paraphrases and follow-ups are hard for BM25 and codes are easy, thirty questions can say: their " \
        "intervals are far apart" in said
    for kind in ("paraphrase", "follow_up"):
        assert rows[kind]["high"] + 0.4 < rows["exact"]["low"] and rows[kind]["queries"] == 30
        assert rows[kind]["high"] < rows["all questions"]["low"] < rows["exact"]["low"]
    assert "Where two rows overlap, as *exact* and *direct* do" in said
    assert rows["direct"]["low"] < rows["exact"]["low"] < rows["direct"]["high"] < rows["exact"]["high"]
    assert (whole["queries"], whole["left_out"]) == (270, 30)


def test_two_kinds_have_an_interval_of_their_difference(lesson, whole):
    recall = {kind: [row["Recall@10"] for id, row in whole["each"].items() if whole["kinds"][id] == kind]
              for kind in ("exact", "direct", "rare_name")}
    low, high = unpaired(recall["direct"], recall["exact"])  # seeds 0 and 1, as in the cell on dev and held_out
    assert f"here from {low:+.2f} to {high:+.2f}, above 0" in lesson["measure-said"]
    assert "For *exact* and *rare_name* it holds 0" in lesson["measure-said"]
    for seeds in ((0, 1), (1, 0), (2, 3)):
        assert unpaired(recall["direct"], recall["exact"], seeds)[0] > 0
        low, high = unpaired(recall["rare_name"], recall["exact"], seeds)
        assert low < -0.04 and high > 0.2


def test_what_was_lost_before_any_search(cells, lesson, larkspur):
    assert "Three things went wrong" in lesson["measure-said"] and "a folder was never copied" in lesson["measure-said"]
    got = {document.id for document in larkspur.documents}
    damaged = {document.id for document in larkspur.sources if document.id in got}
    missing = {document.id for document in larkspur.sources} - got
    assert damaged == {"first-aid-medicines-sheet", "repair-price-list-2024"}
    assert {id.partition("/")[0] for id in missing} == {"recalls"}

    class All:  # finds every chunk that holds something
        def search(self, text, k):
            query = next(query for query in larkspur.queries if query.text == text)
            return [Hit(id, 1.0) for id in dict.fromkeys(id for _, ids in larkspur.evidence[query.id] for id in ids)]

    best = evaluate(All(), larkspur)
    nothing = sum(row["Recall@100"] == 0 for row in best["each"].values())
    shown = printed(cells["measure-lost"], {"larkspur": larkspur})
    assert shown.startswith(f"{nothing} of {best['queries']} questions have no evidence left")
    assert shown.endswith(f"no search on these chunks can pass a recall of {best['metrics']['Recall@100']:.3f}\n")
    torn = set()  # lost neither there nor on the way: the quote runs over a blank line, where chunks are cut
    texts = {document.id: document.text for document in larkspur.documents}
    for query in larkspur.queries:
        for piece, (_, holders) in zip(query.evidence, larkspur.evidence[query.id], strict=True):
            if not holders and piece["document"] not in damaged | missing:
                assert "\n\n" in piece["quote"] and piece["quote"] in texts[piece["document"]], query.id
                torn.add(query.id)
    assert "in two questions the quote runs over a blank line, where our chunks are cut" in lesson["measure-said"]
    assert (nothing, len(torn)) == (17, 2)
    assert torn == {query.id for query in larkspur.queries if any("\n\n" in piece["quote"] for piece in query.evidence)}
    assert all(best["each"][id]["Recall@100"] == 0 for id in torn)  # both are among the 17


def test_what_p50_and_p95_say(lesson):
    assert "Half of the searches take less time than p50, and 95 of 100 less than p95" in lesson["measure-times"]
    times = list(range(1, 1001))
    for p in (50, 95):
        assert sum(each < percentile(times, p) for each in times) == pytest.approx(10 * p, abs=1)


def test_every_command_that_is_named_exists(cells):
    text = " ".join(cells.values())
    named = set(re.findall(r"python3 -m firstprinciples (\w+)", text))
    assert named == {"evaluate", "start"}
    for name in named:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            assert cli.main([name, "--help"]) == 0
        if name == "evaluate":
            assert all(split in out.getvalue() for split in ("--split", "dev", "held_out"))
    assert commands.meant("measuring", "start") == ["metrics", "experiment"] and "start measuring" in text


# ---- the exercise

@pytest.fixture(scope="module")
def exercise():
    """Return {cell id: source on one line} of the exercise."""
    return {id: " ".join(source.split()) for id, source in read("exercises/02_measuring.ipynb").items()}


def test_the_exercise_names_every_function_and_no_other(exercise):
    tasks = [name for name in expand(None) if where_to_read(name).startswith("Lesson 02,")]
    later = [name for name in expand("experiment") if name not in tasks]
    assert "The last five functions of `work/experiment.py` belong to lesson 19" in exercise["title"]
    assert later == expand("experiment")[-5:]
    assert {name.partition(".")[0] for name in tasks} == {"metrics", "experiment"}
    assert "two files, fifteen functions" in exercise["title"] and len(tasks) == 15
    headed = [name for number in ("one", "two", "three", "four", "five", "six", "seven")
              for name in re.findall(r"`(\w+)`", re.match(r"## \d\. .+?(?=\*Before|$)", exercise[number]).group())]
    assert set(headed) >= {name.partition(".")[2] for name in tasks}
    assert 'hint("metrics.gains")' in exercise["title"] and str(hint("metrics.gains"))


def test_most_functions_of_the_exercise_are_three_lines_or_less(exercise):
    assert "most of them three lines" in exercise["title"]
    short, tasks = 0, [name for name in expand(None) if where_to_read(name).startswith("Lesson 02,")]
    for name in tasks:
        stem, _, function = name.partition(".")
        source = inspect.getsource(getattr(importlib.import_module(f"firstprinciples.evaluate.{stem}"), function))
        body = source.split('"""')[2].strip().splitlines()
        short += len(body) <= 4
    assert short > len(tasks) / 2


def test_the_answers_of_the_exercise(exercise, gains):
    said = exercise["answers"]
    assert said.startswith("<details>") and said.endswith("</details>")
    four = {"a": 1, "b": 1, "c": 1, "d": 1}
    assert "1. Recall 0.25, precision 1.0." in said
    assert (recall_at_k(["a"], four, 1), precision_at_k(["a"], four, 1)) == (0.25, 1.0)
    assert "with k = 2, if the same id stands at both places" in exercise["one"]
    assert "The id counts at its first place only; the second place holds nothing new" in said
    assert recall_at_k(["a", "a"], four, 2) == 0.25 and precision_at_k(["a", "a"], four, 2) == 0.5
    assert "2. By three." in said
    judged = {name: {"a": 1} for name in ("q1", "q2", "q3")}
    assert mean_reciprocal_rank({"q1": ["a"], "q2": ["a"], "q3": []}, judged) == pytest.approx(2 / 3)
    assert "3. log2(2), which is 1. Yes" in said
    assert math.log2(2) == 1 == dcg([1]) and ndcg_at_k(["b"], {"a": 3, "b": 1}) == pytest.approx(1 / dcg([3, 1]))
    assert "`average_precision`: what does a relevant page add that was not found?" in exercise["three"]
    assert "It adds 0, and still counts below the line" in said
    assert average_precision(["a"], {"a": 1, "b": 1}) == 0.5 and average_precision(["a"], {"a": 1}) == 1
    assert '"10" and "9" have the same score' in exercise["four"]
    assert '4. "10"' in said and rank_by_score({"9": 1.0, "10": 1.0}) == ["10", "9"]
    assert "5. Nothing: the quote was shown already" in said
    assert pieces_shown(["c2", "c3", "c4"], [(3, ("c2", "c3")), (1, ("c4",))])[0] == ["piece 0", "nothing 1", "piece 1"]
    assert "the first that at least p percent of them do not exceed" in exercise["six"]
    for p in range(1, 101):
        assert percentile([40, 10, 30, 20], p) == next(v for v in (10, 20, 30, 40) if 10 * p <= 25 * v)
    assert "6. The second smallest" in said and percentile([40, 10, 30, 20], 50) == 20
    assert all(percentile([40, 10, 30, 20], p) in (10, 20, 30, 40) for p in range(101))
    assert "7. Because" in said and "From that number to that number" in said
    assert bootstrap_interval([0.25] * 9, draw_resamples(9, 200)) == (0.25, 0.25)
    assert "on the questions of the half `dev`" in exercise["seven"] and '"dev"' in exercise["seven-try"]
    assert "on `dev` the interval holds 0, so these questions cannot tell" in said
    low, high = bootstrap_interval(gains["dev"], draw_resamples(135, 2_000))
    assert "2_000" in exercise["seven-try"] and low < 0 < high


def test_to_think_about(exercise):
    """The four questions ask what is so."""
    grades = {"a": 1, "b": 1, "c": 1, "d": 1}
    hundred = [f"x{n}" for n in range(96)] + [*"abcd"]
    assert "a hundred pages for k = 100 and all four relevant ones" in exercise["think"]
    assert recall_at_k(hundred, grades, 100) == 1 and precision_at_k(hundred, grades, 100) == 0.04
    assert "leaves out the questions for which the search found nothing" in exercise["think"]
    judged = {"q1": {"a": 1}, "q2": {"a": 1}}
    run = {"q1": ["x", "a"], "q2": ["x"]}
    assert mean_reciprocal_rank(run, {"q1": judged["q1"]}) > mean_reciprocal_rank(run, judged)
    said = exercise["answers"].partition("To think about:")[2]
    assert "1. A hundred pages are too many to read" in said
    assert "2. Another convention of nDCG" in said
    made = ndcg_conventions([*"xa"], {"a": 3, "b": 1}, 10)
    assert len({round(value, 2) for value in made.values()}) == 3  # more than 0.52 and 0.49 lie apart
    assert max(made.values()) - min(made.values()) > 0.52 - 0.49
    assert "4. It rises, since only questions with a hit are left" in said
    assert "of two searches the one that finds less can win" in said
    more, less = {"q1": ["a"], "q2": ["x", "x2", "a"]}, {"q1": ["a"], "q2": ["x"]}
    assert mean_reciprocal_rank(more, judged) > mean_reciprocal_rank(less, judged)
    assert mean_reciprocal_rank(more, judged) < mean_reciprocal_rank({"q1": less["q1"]}, {"q1": judged["q1"]})


def test_of_forty_settings_that_change_nothing_about_one_lies_above_0(exercise, gains):
    """The stems' differences on dev, each with a sign by chance: a change whose true mean is 0."""
    assert "With forty tries about one interval lies above 0 by luck alone" in exercise["answers"]
    assert round(40 * (1 - 0.95) / 2) == 1
    draws, resamples = np.random.default_rng(0), draw_resamples(135, 1_000, seed=1)
    above = sum(bootstrap_interval(draws.choice([-1, 1], 135) * gains["dev"], resamples)[0] > 0 for _ in range(400))
    assert 0.5 <= 40 * above / 400 <= 2


# ---- the questions nobody looks at

def one_line(text):
    return " ".join(text.split()).casefold()


def held_out(collection):
    """Return (ids, texts on one line) of the held-out questions, without those texts that a dev question has too."""
    dev = {one_line(query.text) for query in collection.queries if query.split == "dev"}
    held = [query for query in collection.queries if query.split == "held_out"]
    return [query.id for query in held], [text for query in held if (text := one_line(query.text)) not in dev]


def shown_by(path):
    """Return all that a notebook shows as text, by cell: {id: source, outputs}; pictures have their sentences."""
    shown = {}
    for cell in nbformat.read(path, as_version=4).cells:
        outputs = [text for output in cell.get("outputs", []) for text in (
            output.get("text", ""), *(value for kind, value in output.get("data", {}).items() if "image" not in kind),
            output.get("evalue", ""))]
        shown[cell.id] = one_line(" ".join([cell.source, *map(str, outputs)]))
    return shown


def leaks(text, ids, texts):
    """Return the ids and texts of questions that stand in a text, as words of their own."""
    return [each for each in (*ids, *texts) if re.search(rf"(?<!\w){re.escape(each)}(?!\w)", text)]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.relative_to(ROOT / "notebooks").as_posix())
def test_no_notebook_shows_a_held_out_question(path, larkspur):
    ids, texts = held_out(larkspur)
    assert len(ids) == 150 and len(texts) >= 140
    found = {id: leak for id, text in shown_by(path).items() if (leak := leaks(text, ids, texts))}
    assert found == {}


def test_no_explorer_offers_a_held_out_question(larkspur):
    ids, texts = held_out(larkspur)
    offered = [query.text for query in conventions.Lists(larkspur).queries] + list(trip.questions())
    assert leaks(" ".join(map(one_line, offered)), ids, texts) == []


def test_a_held_out_question_would_be_found(larkspur):
    ids, texts = held_out(larkspur)
    query = next(query for query in larkspur.queries if query.split == "held_out")
    assert leaks(one_line(f"We ask:\n  {query.text.upper()} and see {query.id}."), ids, texts) \
        == [query.id, one_line(query.text)]
    assert leaks(f"{query.id}9", ids, texts) == []


@pytest.fixture(scope="module")
def unseen_clocks():
    """Return (ids, sentences) of the held-out questions, passages and references of the collection on moving clocks.

    A sentence that a text of the dev half has too is left out: the twins of a pair share most of theirs.
    """
    lines = {name: [json.loads(line) for line in (ROOT / "data" / "clocks" / f"{name}.jsonl").read_text(
        encoding="utf-8").splitlines()] for name in ("corpus", "queries", "references")}
    records = [each for some in lines.values() for each in some]
    half = {split: [each for each in records if {**each, **each.get("metadata", {})}["split"] == split]
            for split in ("dev", "held_out")}
    cut = {split: {one_line(part) for each in some for part in re.split(r"(?<=[.?!:]) ", each["text"])}
           for split, some in half.items()}
    ids = [each.get("_id", each.get("id")) for each in half["held_out"]]
    return [id for id in ids if "-" in id], [part for part in cut["held_out"] - cut["dev"] if len(part.split()) > 4]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.relative_to(ROOT / "notebooks").as_posix())
def test_no_notebook_shows_what_is_held_out_of_the_clocks(path, unseen_clocks):
    ids, sentences = unseen_clocks
    assert len(ids) == 88 + 22 and len(sentences) > 200
    found = {id: leak for id, text in shown_by(path).items()
             if (leak := [*leaks(text, ids, []), *(part for part in sentences if part in text)])}
    assert found == {}


def test_what_is_held_out_of_the_clocks_would_be_found(unseen_clocks):
    ids, sentences = unseen_clocks
    text = one_line(f"As {ids[0]} says, {sentences[0].upper()}")
    assert leaks(text, ids, []) == [ids[0]] and sentences[0] in text
