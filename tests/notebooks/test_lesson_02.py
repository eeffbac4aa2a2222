"""What lesson 02 and its exercise say in their sentences, worked out again.

The last part holds for every notebook: none shows a question that is held out.
"""

import contextlib
import importlib
import inspect
import io
import itertools
import math
import random
import re
from pathlib import Path

import nbformat
import pytest

from firstprinciples import __main__ as cli
from firstprinciples.corpus import Chunk, Collection, Query, find_evidence
from firstprinciples.evaluate.compare import recall_intervals
from firstprinciples.evaluate.experiment import (
    bootstrap_interval,
    draw_resamples,
    evaluate,
    paired_differences,
    percentile,
    pieces_shown,
)
from firstprinciples.evaluate.metrics import (
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
from firstprinciples.grading.check import grade_task
from firstprinciples.grading.hints import hint
from firstprinciples.grading.tasks import expand
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
def larkspur():
    return Collection.load("larkspur")


@pytest.fixture(scope="module")
def search(larkspur):
    return BM25(larkspur.chunks)


@pytest.fixture(scope="module")
def whole(larkspur, search):
    """BM25 on all questions."""
    return evaluate(search, larkspur)


@pytest.fixture(scope="module")
def gains(larkspur, search):
    """Return {split: what stems add to nDCG@10 of each question of it}."""
    stems = BM25(larkspur.chunks, tokenizer=lambda text: tokenize(text, stem=True))

    def values(retriever, split):
        return {id: row["nDCG@10"] for id, row in evaluate(retriever, larkspur, split)["each"].items()}

    return {split: paired_differences(values(search, split), values(stems, split))
            for split in ("dev", "held_out", "all")}


def interval(values):
    """Return the interval as the lesson's cells compute it."""
    return bootstrap_interval(values, draw_resamples(len(values), 10_000, seed=0))


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

    assert "Move k from 5 to 10" in asked and "which mostly falls" in asked
    few, many = values(start, 5), values(start, 10)
    assert many["recall"] > few["recall"] and many["precision"] < few["precision"]


def test_which_number_can_only_rise_with_k():
    fell, rose = set(), set()
    for places in itertools.islice(itertools.permutations(range(11), 4), 0, None, 37):
        for k in range(1, 10):
            few, many = values(places, k), values(places, k + 1)
            fell |= {name for name in few if many[name] < few[name] - 1e-12}
            rose |= {name for name in few if many[name] > few[name] + 1e-12}
    assert "recall" in rose and "recall" not in fell
    assert "precision" in fell and "precision" in rose  # it "mostly falls": it can rise


def test_who_notices_what(lesson):
    said = lesson["watch-said"]
    assert "Recall and precision count what is in the first k places and do not care about the order there" in said
    assert "RR looks at the first relevant page and is blind to all others" in said
    assert "Only nDCG sees grades and every place" in said
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
    assert "divides nothing at places 1 and 2" in said
    assert [dcg_with_base([0] * place + [1]) == 1 for place in range(3)] == [True, True, False]
    made = ndcg_conventions([*"abcdef"], dict(zip("abcdef", [3, 2, 3, 0, 1, 2], strict=True)), 6)
    assert "The same list, and three numbers" in said and len({round(value, 6) for value in made.values()}) == 3
    assert "ours is *linear*" in said and made["linear"] == ndcg_at_k([*"abcdef"], {"a": 3, "b": 2, "c": 3, "e": 1,
                                                                                   "f": 2}, 6)
    assert "at least five formulas share" in said and len(VARIANTS) == 5
    grades = {"a": 3, "b": 2, "c": 1}  # the discount: much at first, little later
    assert 1 - 1 / math.log2(3) > 100 * (1 / math.log2(50) - 1 / math.log2(51))
    assert ndcg_at_k([*"abc"], grades) == 1 and "so that 1 means perfect" in lesson["order"]


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
    assert "The mean hardly moved, and the interval holds 0" in lesson["sure-read"]
    assert abs(sum(dev) / len(dev)) < 0.002 and low < 0 < high
    assert f"a gain of {high:.3f} and a loss of {-low:.3f} are both possible" in lesson["sure-read"]
    assert any(gain > 0 for gain in dev) and any(gain < 0 for gain in dev)


def test_the_bootstrap_by_hand_is_the_modules(cells, lesson, gains):
    assert "the middle 95 % of the means" in lesson["sure-why"] and "ten thousand times" in lesson["sure-why"]
    assert inspect.signature(bootstrap_interval).parameters["level"].default == 0.95
    assert inspect.signature(draw_resamples).parameters["times"].default == 10_000
    made = {"gain": gains["dev"], "bootstrap_interval": bootstrap_interval, "draw_resamples": draw_resamples}
    printed(cells["bootstrap"], made)
    assert len(made["means"]) == 10_000
    assert (made["means"][250], made["means"][9750]) == pytest.approx((made["low"], made["high"]), abs=0.002)
    assert "Some questions come twice, some not at all" in lesson["sure-why"]
    drawn = draw_resamples(135)[0].tolist()
    assert len(drawn) == 135 > len(set(drawn))


def test_the_two_halves_and_the_whole(lesson, gains):
    assert {split: len(values) for split, values in gains.items()} == {"dev": 135, "held_out": 135, "all": 270}
    said = lesson["halves-said"]
    assert "on another 135 questions" in said and "its interval lies above 0" in said
    assert interval(gains["held_out"])[0] > 0
    assert "Both halves together cannot tell again" in said
    for split in ("dev", "all"):
        low, high = interval(gains[split])
        assert low < 0 < high, split
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
    assert "the 33 commonest words left out" in lesson["fails"] and len(STOP_WORDS) == 33
    frame = overlap.frame(larkspur, search)
    share = {row["kind"]: row["overlap"] for row in frame["kinds"]}
    said = lesson["fails-more"]
    assert "A question with a code shares two of five content words" in said and round(5 * share["exact"], 1) == 2.0
    assert "a paraphrase, by our definition, shares none" in said and share["paraphrase"] == 0
    assert f"where BM25 finds something, the share is {overlap.percent(frame['found']['overlap'])}" in said
    assert f"where it finds nothing, {overlap.percent(frame['lost']['overlap'])}" in said
    for query in larkspur.queries:  # a paraphrase: none of them, not only on average
        assert query.kind != "paraphrase" or overlap.word_overlap(query) == 0, query.id


def test_thirty_of_each_kind_half_of_them_held_out(lesson, larkspur):
    assert "Ours has thirty of each" in lesson["fails-more"] and "half of ours are **held out**" in lesson["fails-peek"]
    kinds = [query.kind for query in larkspur.queries]
    assert {kinds.count(kind) for kind in kinds} == {30} and len(set(kinds)) == 10
    for kind in set(kinds):
        assert [q.split for q in larkspur.queries if q.kind == kind].count("held_out") == 15, kind


def test_fewer_questions_say_less_and_all_kinds_stay_in(cells, whole):
    counts = tuple(map(int, re.search(r"for n in \((.+?)\):", cells["fails-few"]).group(1).split(", ")))
    ids, wide = list(whole["each"]), []
    for n in counts:
        some = ids[:: len(ids) // n]
        assert len(some) == n and {whole["kinds"][id] for id in some} == set(whole["kinds"].values())
        low, high = interval([whole["each"][id]["nDCG@10"] for id in some])
        wide.append(high - low)
    assert wide == sorted(wide) and wide[-1] > 4 * wide[0]


# ---- what we would measure

def test_the_line_to_beat(lesson, whole):
    rows, said = recall_intervals(whole), lesson["measure-said"]
    assert "*exact* and *rare_name* overlap" in said
    exact, rare = rows["exact"], rows["rare_name"]
    assert rare["low"] < exact["low"] < rare["high"] < exact["high"]
    assert "thirty questions cannot say which is easier" in said and exact["queries"] == rare["queries"] == 30
    assert "paraphrases and follow-ups are hard for BM25" in said
    for kind in ("paraphrase", "follow_up"):
        assert rows[kind]["high"] < rows["all questions"]["low"]
    assert (whole["queries"], whole["left_out"]) == (270, 30)


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
    assert shown.endswith(f"no search can pass a recall of {best['metrics']['Recall@100']:.3f}\n")
    torn = set()  # lost neither there nor on the way: the quote runs over a blank line, where chunks are cut
    texts = {document.id: document.text for document in larkspur.documents}
    for query in larkspur.queries:
        for piece, (_, holders) in zip(query.evidence, larkspur.evidence[query.id], strict=True):
            if not holders and piece["document"] not in damaged | missing:
                assert "\n\n" in piece["quote"] and piece["quote"] in texts[piece["document"]], query.id
                torn.add(query.id)
    assert (nothing, len(torn)) == (17, 2)


def test_every_command_that_is_named_exists(cells):
    text = " ".join(cells.values())
    named = set(re.findall(r"python3 -m firstprinciples (\w+)", text))
    assert named == {"evaluate", "start"}
    for name in named:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            assert cli.main([name, "--help"]) == 0
        if name == "evaluate":
            assert all(split in out.getvalue() for split in ("--split", "dev", "held_out"))
    assert "metrics" in {name.partition(".")[0] for name in expand(None)} and "start metrics" in text


# ---- the exercise

@pytest.fixture(scope="module")
def exercise():
    """Return {cell id: source on one line} of the exercise."""
    return {id: " ".join(source.split()) for id, source in read("exercises/02_measuring.ipynb").items()}


def test_the_exercise_names_every_function_and_no_other(exercise):
    tasks = [name for name in expand(None) if name.partition(".")[0] in ("metrics", "experiment")]
    assert "two files, fifteen functions" in exercise["title"] and len(tasks) == 15
    headed = [name for number in ("one", "two", "three", "four", "five", "six", "seven")
              for name in re.findall(r"`(\w+)`", re.match(r"## \d\. .+?(?=\*Before|$)", exercise[number]).group())]
    assert set(headed) >= {name.partition(".")[2] for name in tasks}
    assert 'hint("metrics.gains")' in exercise["title"] and str(hint("metrics.gains"))


def test_most_functions_of_the_exercise_are_three_lines_or_less(exercise):
    assert "most of them three lines" in exercise["title"]
    short, tasks = 0, [name for name in expand(None) if name.partition(".")[0] in ("metrics", "experiment")]
    for name in tasks:
        stem, _, function = name.partition(".")
        source = inspect.getsource(getattr(importlib.import_module(f"firstprinciples.evaluate.{stem}"), function))
        body = source.split('"""')[2].strip().splitlines()
        short += len(body) <= 4
    assert short > len(tasks) / 2


def test_the_answers_of_the_exercise(exercise, larkspur):
    said = exercise["answers"]
    assert said.startswith("<details>") and said.endswith("</details>")
    four = {"a": 1, "b": 1, "c": 1, "d": 1}
    assert "1. Recall 0.25, precision 1.0." in said
    assert (recall_at_k(["a"], four, 1), precision_at_k(["a"], four, 1)) == (0.25, 1.0)
    assert recall_at_k(["a", "a"], four, 2) == 0.25 and precision_at_k(["a", "a"], four, 2) == 0.5
    assert "2. By three." in said
    judged = {name: {"a": 1} for name in ("q1", "q2", "q3")}
    assert mean_reciprocal_rank({"q1": ["a"], "q2": ["a"], "q3": []}, judged) == pytest.approx(2 / 3)
    assert "3. log2(2), which is 1. Yes" in said
    assert math.log2(2) == 1 == dcg([1]) and ndcg_at_k(["b"], {"a": 3, "b": 1}) == pytest.approx(1 / dcg([3, 1]))
    assert '4. "10"' in said and rank_by_score({"9": 1.0, "10": 1.0}) == ["10", "9"]
    assert "5. Nothing: the quote was shown already" in said
    assert pieces_shown(["c2", "c3", "c4"], [(3, ("c2", "c3")), (1, ("c4",))])[0] == ["piece 0", "nothing 1", "piece 1"]
    assert "6. The second smallest" in said and percentile([40, 10, 30, 20], 50) == 20
    assert all(percentile([40, 10, 30, 20], p) in (10, 20, 30, 40) for p in range(101))
    assert "7. Because" in said and "From that number to that number" in said
    assert bootstrap_interval([0.25] * 9, draw_resamples(9, 200)) == (0.25, 0.25)
    assert "on the questions of the half `dev`" in exercise["seven"] and '"dev"' in exercise["seven-try"]


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
