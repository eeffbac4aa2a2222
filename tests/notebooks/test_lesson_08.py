"""The numbers that lesson 08 states in its sentences, worked out again."""

import importlib.util
import json
import math
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest

from firstprinciples.corpus import Collection
from firstprinciples.evaluate.compare import apart, differences, differences_by_kind
from firstprinciples.evaluate.experiment import evaluate, pieces_shown
from firstprinciples.evaluate.metrics import recall_at_k
from firstprinciples.explore.guess import QUESTIONS
from firstprinciples.explore.rerank import State, frame
from firstprinciples.grading import check
from firstprinciples.rank import rerank as module
from firstprinciples.rank.cross_encoder import CENTERS, WIDTH, cross
from firstprinciples.rank.rerank import (
    Reranked,
    ceiling,
    logistic_gradient,
    logistic_loss,
    sigmoid,
    soft_counts,
    tokens_read,
)
from firstprinciples.text import tokenize

ROOT = Path(__file__).resolve().parent.parent.parent
LESSON = ROOT / "notebooks" / "08_reranking.ipynb"
SICK = "Are sick days paid leave?"
SPEEDING = "I got a speeding ticket on a work trip, does the company cover it?"
SMALL = ("BM25 + cross-encoder", "hybrid + cross-encoder")


def bench():
    """Return the module tests/benchmarks/bench_rerank.py."""
    spec = importlib.util.spec_from_file_location("bench_rerank", ROOT / "tests" / "benchmarks" / "bench_rerank.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


tools = bench()


@pytest.fixture(scope="module")
def cells():
    """Return {cell id: source} of lesson 08, as it stands."""
    return {cell.id: cell.source for cell in nbformat.read(LESSON, as_version=4).cells}


@pytest.fixture(scope="module")
def lesson(cells):
    """Return the same with all white space as single blanks."""
    return {id: " ".join(source.split()) for id, source in cells.items()}


class Kept:
    """A first stage that searches once for each question: its shorter lists are the beginnings of its longest."""

    def __init__(self, retriever):
        self.retriever, self.texts, self.found = retriever, Reranked(retriever, cross()).texts, {}

    def search(self, query, k):
        if query not in self.found:
            self.found[query] = self.retriever.search(query, 200)
        return self.found[query][:k]


@pytest.fixture(scope="module")
def firsts(larkspur):
    return {name: Kept(each) for name, each in tools.searches(larkspur).items()}


@pytest.fixture(scope="module")
def reader():
    """Return the cross-encoder, which reads a pair once for all tests."""
    return tools.Once(cross())


@pytest.fixture(scope="module")
def figures():
    return json.loads((ROOT / "notebooks" / "rerank.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def held(larkspur, firsts, reader):
    """Return what the first stages and the cross-encoder over them find on the held-out half."""
    found = {name: evaluate(first, larkspur, "held_out") for name, first in firsts.items()}
    return found | {f"{name} + cross-encoder": evaluate(Reranked(first, reader, 100), larkspur, "held_out")
                    for name, first in firsts.items()}


# The pictures


def test_the_guess(larkspur, firsts):
    asked, shares = QUESTIONS["rerank.ceiling"], []
    for depth in (5, 100):
        found = []
        for query in larkspur.queries:
            if evidence := larkspur.evidence.get(query.id):
                shown, grades = pieces_shown([hit.id for hit in firsts["hybrid"].search(query.text, depth)], evidence)
                found.append(recall_at_k(shown, grades, max(len(shown), 1)))
        shares.append(round(100 * sum(found) / len(found)))
    assert f"{shares[0]} % among its first five chunks and {shares[1]} % among its first hundred" in asked["question"]
    assert asked["answer"] == f"up to {shares[1]} %" and f"{shares[0]} %" in asked["options"]


def test_what_the_picture_shows(lesson):
    said = lesson["watch-said"]
    gain, moving, loss, nothing = (frame(State(i)) for i in range(4))
    assert gain["places"] == [[26, 1]]
    assert "BM25 had the travel policy at place 26; the cross-encoder puts it first" in said
    assert gain["relevant"][0].startswith("travel") and frame(State(0, depth=20))["ceiling"] == 0
    assert "With 20 candidates it is not read, and then no order can help: the ceiling falls to 0" in said
    assert (len(moving["relevant"]), moving["ceiling"], frame(State(1, depth=70))["ceiling"]) == (4, 0.75, 0.5)
    assert "the ceiling is 3 of 4. Read 70 instead of 100, and it is 2 of 4" in said
    assert loss["places"] == [[1, 9]] and "BM25 had the answer at place 1, and it is at 9 now" in said
    both = frame(State(3, "hybrid"))
    assert nothing["ceiling"] == 0 and both["ceiling"] == 1 and both["after"] == 0 and len(both["relevant"]) == 2
    (one, last), (two, then) = sorted(both["places"])
    assert f"Hybrid search finds both, at {one} and {two}, and the ceiling is 2 of 2. Still neither is kept: they " \
        f"end at {last} and {then}" in said
    texts = {chunk.id: chunk.text.lower() for chunk in Collection.load("larkspur").chunks}
    assert all("adhesive" in texts[id] for id in nothing["relevant"]) and 'say "adhesive"' in said
    assert not any("glue" in texts[id] for id in nothing["relevant"])


def test_the_pair_that_is_read(lesson, printed):
    pair, = cross().pairs(SICK, ["All sick days are paid, and no holiday is lost."])
    logit = cross().score(SICK, ["All sick days are paid, and no holiday is lost."])[0]
    said = lesson["watch-reading-said"]
    assert (pair.similarities == 1).sum() == 3 and "Three words match exactly" in said
    row = pair.similarities[pair.question.index("leave")]
    assert pair.chunk[int(row.argmax())] == "holiday" and f"with a cosine of {row.max():.2f}" in said
    assert f"a logit of {logit:.2f}" in said and "nine numbers add up" in said
    rest = pair.similarities[pair.similarities < row.max()]
    assert f"The other cosines, from −{-rest.min():.2f} to {rest.max():.2f}, say little" in said
    exact = soft_counts(pair.similarities, CENTERS, WIDTH)[0]
    assert exact == pytest.approx(3 * math.log(2), abs=0.005)
    assert f"there are three, and each adds ln 2, which makes {exact:.2f}" in said
    assert f"Here there are {pair.similarities.size} for a short chunk" in lesson["how-words"]
    near = {center: math.exp(-(float(row.max()) - center) ** 2 / (2 * WIDTH**2)) for center in CENTERS}
    assert f'The {row.max():.2f} of "holiday" counts {near[0.6]:.2f} in the bin about 0.6, and {near[0.8]:.2f} in ' \
        "the one about 0.8" in lesson["how-kernels"]
    assert f"{logit:.4f}  = total" in printed["kernels-code"]
    assert cross().weights["features"][2] < 0 and "The weight of *about 1.0* is below 0" in lesson["kernels-said"]
    assert len(cross().explain(SICK, "paid").parts) == 9 and "has nine parts" in lesson["kernels-said"]
    assert "sick 3.12, days 1.77" in printed["kernels-code"]  # the words of the question, with their endings


def test_why_the_logarithm(lesson):
    one, four = (float(soft_counts(rows, [1.0], 0.01)[0]) for rows in ([[1.0] * 10], [[1.0]] * 4))
    assert f"One word that matches ten times should not beat four words that match once: ln 11 = {one:.2f}, and 4 ln " \
        f"2 = {four:.2f}" in lesson["how-kernels"] and one < four


def test_the_table_has_no_cosine_for_a_word_that_it_does_not_know(lesson):
    pair, = cross().pairs("Zyxwort", ["Order zyxwort by mail"])
    assert set(pair.similarities.ravel()) == {0.0, 1.0}
    assert "has a cosine of 1 with itself and 0 with all others" in lesson["how-words"]


# The short code


def test_the_short_code_is_right(cells, larkspur):
    code = {id: re.search(r"```python\n(.*?)```", cells[id], re.DOTALL).group(1)
            for id in ("how-words", "how-kernels", "loss-said")}
    draw = np.random.default_rng(0)
    asked, said = draw.normal(size=(3, 5)), draw.normal(size=(4, 5))
    space = {"np": np, "question": asked, "chunk": said}
    exec(code["how-words"], space)
    assert np.allclose(space["similarities"], module.word_similarities(asked, said))
    assert space["similarity"](asked[1], said[2]) == pytest.approx(space["similarities"][1, 2])
    s = module.word_similarities(asked, said)
    space = {"np": np, "math": math, "s": s, "centers": np.array(CENTERS), "width": WIDTH}
    exec(code["how-kernels"], space)
    assert np.allclose(space["counts"], soft_counts(s, CENTERS, WIDTH))
    assert space["count"](s.tolist(), CENTERS[3], WIDTH) == pytest.approx(space["counts"][3])
    space = {}
    exec(code["loss-said"], space)
    ranked, new = [("a", 3.0), ("b", 2.0), ("c", 1.0)], {"a": 0.5, "b": 0.5, "c": 9.0}
    assert space["second"](ranked, new, 2) == module.rerank(ranked, new, 2) == [("a", 0.5), ("b", 0.5)]


def test_the_words_of_the_task_earn_all_points(cells):
    code = re.search(r"```python\n(.*?)```", cells["loss-said"], re.DOTALL).group(1)
    space = {}
    exec(code, space)

    def rerank(ranked, new_scores, depth):
        if depth < 1 or not all(math.isfinite(new_scores.get(id, math.nan)) for id, _ in ranked[:depth]):
            raise ValueError("a candidate has no new score, or one that is no finite number")
        return space["second"](ranked, new_scores, depth)

    said = " ".join(cells["turn"].split())
    assert "A candidate without a new score, or with nan or an infinity, is a ValueError" in said
    result = check("rerank.rerank", rerank)
    assert result.points == result.possible


# A logit, the loss, the bill


def test_a_logit_is_not_a_probability(lesson, printed, larkspur, firsts, reader, figures):
    said = lesson["kernels-said"]
    assert f"a logit of 0.5 is a sigmoid of {float(sigmoid(0.5)):.2f}" in said and "8.1 is a logit" in said
    assert f"{float(sigmoid(8.1)):.4f}" in printed["logit-code"]
    found = tools.calibration(larkspur, firsts["BM25"], reader)
    assert [row["pairs"] for row in found] == [row["pairs"] for row in figures["calibration"]]
    assert [row["relevant"] for row in found] == [row["relevant"] for row in figures["calibration"]]
    row, said = found[2], lesson["logit-said"]
    assert f"Of the {row['pairs']} candidates with a sigmoid from 0.5 to 0.9, the model says {row['mean']:.2f} on " \
        f"average, and {row['relevant'] / row['pairs']:.2f} of them are relevant" in said
    best = [max(reader.score(query.text, [found for found in larkspur.chunks if found.id in ids]), default=-1)
            for query in tools.asked(larkspur, "dev")
            for ids in [{hit.id for hit in firsts["BM25"].search(query.text, 100)}]]
    below = sum(value < 0 for value in best)
    assert f"For {below} of {len(best)} questions even the best candidate is below 0.5" in said


def test_the_loss(lesson):
    right, wrong = logistic_loss([8.1], [1]), logistic_loss([8.1], [0])
    said = lesson["logit-said"]
    assert f"A logit of 8.1 costs {right:.4f} where it is right and {wrong:.4f} where it is wrong" in said
    assert logistic_gradient([2.0], [1])[0] == pytest.approx(float(sigmoid(2.0)) - 1)


def test_the_bill(lesson, printed, larkspur, firsts, figures):
    assert tokens_read([900] * 50, 12, 512) == 50 * 512 == 25_600
    assert "25,600 tokens for one question" in printed["bill-code"]
    assert "50 × 512 = 25,600 tokens" in lesson["bill-said"]
    found, said = tools.read(larkspur, firsts), lesson["bill-said"]
    assert tools.rounded(found) == figures["read"] and all(row["cut"] == 0 for row in found.values())
    lengths = {chunk.id: len(tokenize(chunk.text)) for chunk in larkspur.chunks}
    read = np.mean([np.mean([lengths[hit.id] for hit in firsts["BM25"].search(query.text, 100)])
                    for query in larkspur.queries])
    asked = np.mean([len(tokenize(query.text)) for query in larkspur.queries])
    assert f"have {read:.0f} words on average and its questions {asked:.0f}, so a hundred pairs" in said
    assert f"about {round(found['BM25']['tokens'], -2):,.0f} tokens" in said


def test_the_ceiling(lesson, printed, larkspur, firsts):
    query = next(query for query in larkspur.queries if query.text.startswith("How many paid sick days do I"))
    assert query.split == "dev"
    holders = {id for _, ids in larkspur.evidence[query.id] for id in ids}
    ids = [hit.id for hit in firsts["BM25"].search(query.text, 100)]
    for depth in (1, 5, 70, 100):
        assert f"depth {depth:3}: ceiling {ceiling(ids, holders, depth):.2f}" in printed["ceiling-code"]


# Where it fails


def test_what_is_not_found(lesson, larkspur, firsts):
    queries = tools.asked(larkspur, "dev")
    none = {name: sum(not any(hit.id in {id for _, ids in larkspur.evidence[query.id] for id in ids}
                              for hit in first.search(query.text, 100)) for query in queries)
            for name, first in firsts.items()}
    assert f"For {none['BM25']} of the {len(queries)} dev questions BM25 has no piece of the answer among its " \
        f"hundred; for hybrid search it is {none['hybrid']}" in lesson["fails"]


def test_never_is_not_seen(lesson):
    scores = [f"{value:.2f}".replace("-", "−") for value in cross().score(SICK, [
        "All sick days are paid, and no holiday is lost.", "Paid holiday: no days are lost if all are sick.",
        "Sick days are never paid, and a holiday is lost."])]
    said = lesson["fails-not-said"]
    assert f"the same words in another order get {scores[1]}" in said
    assert f"{scores[2]} against {scores[0]}" in said


def test_what_is_cut(lesson, printed):
    assert re.search(r"limit 512: .*cut=0\)", printed["fails-cut"])
    assert re.search(r"limit  40: .*cut=100\)", printed["fails-cut"])
    assert SPEEDING in lesson["stages-code"]


# What was measured


def test_the_held_out_figures_are_made_by_this_code(figures, held):
    stored = figures["held_out"]
    assert figures["depth"] == 100 and stored["queries"] == held["BM25"]["queries"] == 135
    for name, result in held.items():
        for metric, value in stored["rows"][name].items():
            assert result["metrics"][metric] == pytest.approx(value, abs=1e-6), (name, metric)
    for name in SMALL:
        before = name.partition(" + ")[0]
        row = differences(held[before], held[name], tools.METRICS)
        assert tools.rounded(row) == stored["differences"][name]
        assert tools.rounded(differences_by_kind(held[before], held[name])) == stored["by_kind"][name]


def test_a_reranker_never_raises_recall_at_its_depth(figures, held):
    for name in SMALL:
        before = held[name.partition(" + ")[0]]
        assert held[name]["metrics"]["Recall@100"] == pytest.approx(before["metrics"]["Recall@100"])
    for split in ("dev", "held_out"):
        rows = figures[split]["rows"]
        for name, row in rows.items():
            assert row["Recall@100"] <= rows[name.partition(" + ")[0]]["Recall@100"] + 1e-9


def test_a_claim_is_only_made_where_the_interval_leaves_0_out(figures):
    for name, metrics in figures["held_out"]["differences"].items():
        for metric, row in metrics.items():
            assert row["low"] <= row["difference"] <= row["high"], (name, metric)
            assert apart(row) == (row["low"] > 1e-9 or row["high"] < -1e-9)


@pytest.mark.models
def test_maxsim_gives_the_stored_figures(figures, larkspur, firsts):
    maxsim = tools.maxsim_of(larkspur)
    for name, first in firsts.items():
        result = evaluate(Reranked(first, maxsim, 100), larkspur, "held_out")
        for metric, value in figures["held_out"]["rows"][f"{name} + MaxSim"].items():
            assert result["metrics"][metric] == pytest.approx(value, abs=2e-3), (name, metric)


def signed(value):
    return f"{value:+.3f}".replace("-", "−")


def test_what_is_said_of_the_held_out_half(lesson, figures):
    said, rows = lesson["measure-said"], figures["held_out"]["differences"]
    over_words, over_both = (rows[name] for name in SMALL)
    maxsim = [rows[f"{name} + MaxSim"] for name in ("BM25", "hybrid")]
    recall, order = over_words["Recall@10"], over_words["nDCG@10"]
    assert f"It has {recall['difference']:.3f} more of the evidence among the first ten ({signed(recall['low'])} to " \
        f"{signed(recall['high'])}), {recall['wins']} wins and {recall['losses']} losses" in said
    assert f"In nDCG@10 it is {order['difference']:.3f} ahead, and 0 is just inside the interval, " \
        f"{signed(order['low'])} to {signed(order['high'])}" in said
    assert apart(recall) and recall["low"] < 0.01 and not apart(order) and order["low"] > -0.01
    assert f"the one that begins at {signed(recall['low'])} is not to be leaned on" in said
    recall, order = over_both["Recall@10"], over_both["nDCG@10"]
    assert not apart(recall) and not apart(order) and "and both intervals hold 0" in said
    assert f"{signed(order['difference'])} in nDCG@10, {signed(recall['difference'])} in Recall@10, {recall['wins']} " \
        f"wins and {recall['losses']} losses there" in said
    (words_order, words_recall), (both_order, both_recall) = ((row["nDCG@10"], row["Recall@10"]) for row in maxsim)
    assert f"Over BM25 it gains {words_order['difference']:.3f} and {words_recall['difference']:.3f}, and over " \
        f"hybrid search {both_order['difference']:.3f} of nDCG@10; these three intervals lie above 0" in said
    assert min(words_order["low"], words_recall["low"], both_order["low"]) > 0 and not apart(both_recall)
    assert "eight intervals stand here" in said and sum(map(len, rows.values())) == 8


def test_what_is_said_of_the_kinds(lesson, printed, figures):
    said, held = lesson["measure-kinds-said"], figures["held_out"]
    kinds = {name: {kind: row["nDCG@10"] for kind, row in each.items()} for name, each in held["by_kind"].items()}
    assert all(row["queries"] == 15 for each in held["by_kind"].values() for row in each.values())
    assert sum(map(len, kinds.values())) == 36 and "thirty-six intervals were made" in said
    words, both = (kinds[name] for name in SMALL)
    dates, follow = words["negation_or_date"], words["follow_up"]
    assert f"gains {dates['difference']:.3f} on negations and dates, {dates['wins']} wins and no loss, and " \
        f"{follow['difference']:.3f} on follow-ups" in said
    assert dates["losses"] == 0 and [kind for kind, row in words.items() if apart(row)] == [
        "negation_or_date", "follow_up"]
    senses, context = both["polysemy"], both["needs_context"]
    assert f"{-senses['difference']:.3f} on polysemy, with {senses['losses']} losses and {senses['wins']} wins, and " \
        f"{-context['difference']:.3f} on questions that need their context, {context['losses']} losses and " \
        f"{context['wins']} win" in said
    assert [kind for kind, row in both.items() if apart(row)] == ["polysemy", "needs_context"]
    none, many = (kinds[f"{name} + MaxSim"]["paraphrase"] for name in ("BM25", "hybrid"))
    assert none["wins"] == none["losses"] == 0 and "changes not one of the paraphrases: 0.000" in said
    assert f"The hundred of BM25 hold {held['ceilings']['BM25']['paraphrase']:.2f} of what these questions need, " \
        f"those of hybrid search {held['ceilings']['hybrid']['paraphrase']:.2f}, and there it gains " \
        f"{many['difference']:.3f}" in said and many["low"] > 0
    codes = kinds["BM25 + MaxSim"]["exact"]
    assert f"loses {-codes['difference']:.3f} on codes over BM25, {codes['losses']} losses and {codes['wins']} wins" \
        in said
    rows = re.findall(r"^  (\w+) +[+-]", printed["measure-kinds"], re.MULTILINE)
    assert rows == [kind for each in kinds.values() for kind, row in each.items() if apart(row)]
    assert codes["high"] < 0


def test_the_ceilings_of_the_kinds(figures, held):
    for name in ("BM25", "hybrid"):
        found = {kind: round(row["Recall@100"], 6) for kind, row in held[name]["by_kind"].items()}
        assert found == figures["held_out"]["ceilings"][name]


def test_what_is_said_of_the_depth(lesson, figures):
    said, curves = lesson["depth-said"], figures["curves"]["dev"]
    words, both = curves["BM25"], curves["hybrid"]
    line = {name: {depth: row["nDCG@10"] for depth, row in each["cross-encoder"].items()}
            for name, each in curves.items()}
    assert f"from {words['first']['nDCG@10']:.3f} to {line['BM25']['10']:.3f} with ten candidates and to " \
        f"{line['BM25']['100']:.3f} with a hundred. A perfect order of the hundred would reach " \
        f"{words['limits']['100']['nDCG@10']:.3f}" in said
    best = max(line["hybrid"], key=line["hybrid"].get)
    assert f"best with {best} candidates, {line['hybrid'][best]:.3f}, and with a hundred it is back where it began, " \
        f"{line['hybrid']['100']:.3f} against {both['first']['nDCG@10']:.3f} without it" in said
    assert best == "20" and "None of these differences is clear of 0" in said
    assert not any(apart(row["difference"]) for row in both["cross-encoder"].values())


def test_one_point_of_the_curve_is_made_by_this_code(larkspur, firsts, reader, figures):
    found = tools.curves(larkspur, firsts["BM25"], "dev", {})
    stored = figures["curves"]["dev"]["BM25"]
    assert {key: tools.rounded(found[key]) for key in found} == {key: stored[key] for key in found}
    texts, values = {chunk.id: chunk for chunk in larkspur.chunks}, []
    for query in tools.asked(larkspur, "dev"):
        ranked = [tuple(hit) for hit in firsts["BM25"].search(query.text, 20)]
        scores = reader.score(query.text, [texts[id] for id, _ in ranked])
        new = module.rerank(ranked, dict(zip((id for id, _ in ranked), scores, strict=True)), 20)
        values.append(tools.kept([id for id, _ in new], larkspur.evidence[query.id])["nDCG@10"])
    assert sum(values) / len(values) == pytest.approx(stored["cross-encoder"]["20"]["nDCG@10"], abs=1e-6)


def test_what_is_pushed_out(lesson, printed):
    said, out = lesson["fails-lost-said"], printed["fails-lost"]
    counts = re.findall(r"(\w+): (\d+) came in, (\d+) were pushed out", out)
    (words, won, lost), (both, gained, gone) = counts
    assert (words, both) == ("BM25", "hybrid") and int(won) > int(lost) and int(gained) < int(gone)
    assert f"Over BM25 {won} answers come in and {lost} are pushed out; over hybrid search {gained} come in and " \
        f"{gone} are pushed out" in said
    rows = [(int(one), int(two)) for one, two in re.findall(r"^ +(\d+) +(\d+)   ", out, re.MULTILINE)]
    assert len(rows) == 8 and min(int(lost), int(gone)) >= 4  # the four that fall farthest, of each first stage
    assert all(one <= 5 < two for one, two in rows)
    assert "the answer is at 1;" in printed["fails-cut"] and "the answer is at 25;" in printed["fails-cut"]
    assert "All hundred are cut, and the answer falls from place 1 to 25" in lesson["fails-cut-said"]
    assert printed["fails-cut"].rstrip().endswith("fines never are.") and "cut=100)" in printed["fails-cut"]


def test_what_is_published_by_others_is_quoted_as_theirs(lesson):
    said = lesson["measure-published"]
    assert "Databricks" in said and "a gain of about 15 % (percentage points, on average)" in said
    assert "That is their figure, on benchmarks of their own" in said and "waiting time" in said


def test_no_question_of_the_other_half_stands_in_the_lesson(larkspur, cells, printed):
    everything = " ".join([*cells.values(), *printed.values()])
    assert not [query.id for query in larkspur.queries if query.split == "held_out" and query.text in everything]
