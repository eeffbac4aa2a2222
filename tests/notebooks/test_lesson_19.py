"""The numbers that lesson 19 states in its sentences, worked out again from what was measured and what it printed."""

import inspect
import json
import re
from pathlib import Path

import pytest

from firstprinciples.corpus import Collection
from firstprinciples.evaluate import experiment
from firstprinciples.explore.guess import QUESTIONS
from firstprinciples.explore.k_sweep import measured_k, ways
from firstprinciples.explore.two_dials import State, frame
from firstprinciples.explore.what_when import ARROWS, read
from firstprinciples.grading import check
from firstprinciples.pipeline import DEPTH
from firstprinciples.rank.fusion import Hybrid

ROOT = Path(__file__).resolve().parent.parent.parent
LESSON = ROOT / "notebooks" / "19_build_it.ipynb"
STEPS = {"BM25": "words-code", "+ vectors, RRF": "meaning-code", "+ reranker": "reranker-code",
         "+ chunking, context": "context-code", "+ rewriting": "seven-code", "+ filters": "seven-code"}


@pytest.fixture(scope="module")
def figures():
    return json.loads((ROOT / "notebooks" / "ladder.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def dev(figures):
    return figures["dev"]


def three(value: float) -> str:
    return f"{value:.3f}"


def signed(row) -> str:
    return f"{row['difference']:+.3f} ({row['low']:+.3f} to {row['high']:+.3f})".replace("-", "−")


def apart(row) -> bool:
    return row["low"] > 1e-9 or row["high"] < -1e-9


# The steps


def test_the_guess_is_not_given_away(lesson):
    """Whoever reads how many lines can't be told apart has the answer to the guess."""
    assert not re.search(r"\b(one|two|three|four|five) of the (five )?lines", lesson["title"].casefold())


def test_every_step_prints_what_was_measured(printed, figures, dev):
    """What the lesson works out when it runs is what the benchmark stored; only the milliseconds are read."""
    assert list(STEPS) == figures["rungs"]
    for name, id in STEPS.items():
        row, answers = dev["rows"][name], dev["rows"][name]["answers"]
        assert f"answers: {answers['right']} right, {answers['wrong']} wrong, {answers['declined']} declined" in \
            printed[id]
        if name == "BM25":
            assert f"on 135 questions, BM25 has Recall@10 {three(row['Recall@10'])}\n" in printed[id]
        else:
            assert dev["lines"][name] in printed[id]


def test_which_steps_can_be_told_apart(lesson, dev):
    told = [name for name, row in dev["differences"].items() if apart(row["Recall@10"])]
    assert told == ["+ vectors, RRF", "+ chunking, context", "+ rewriting"]
    assert QUESTIONS["ladder.five"]["answer"] == "after three"
    assert "Vectors, context and rewriting" in QUESTIONS["ladder.five"]["because"]
    assert "Two of five are hollow: the reranker and the filters" in lesson["watch-said"]


def test_what_is_said_of_the_whole(lesson, dev):
    first, last = dev["rows"]["BM25"], dev["rows"]["+ filters"]
    assert f"finds {last['Recall@10'] - first['Recall@10']:.2f} more" in lesson["watch-said"]
    assert last["answers"]["right"] - first["answers"]["right"] == 8 and "eight more of 135" in lesson["watch-said"]
    assert f"{three(last['Recall@10'])} in place of {three(first['Recall@10'])}, and " in lesson["seven-said"]
    assert f"{last['answers']['right']} right answers in place of {first['answers']['right']}" in lesson["seven-said"]


def test_the_rerankers_rung_is_beaten_by_the_one_below(figures, dev):
    points = {name: (dev["rows"][name]["Recall@10"], figures["times"]["rungs"][name]["trip"]["p95"]) for name in STEPS}
    assert "+ reranker" not in experiment.pareto(points)
    low, high = points["+ vectors, RRF"], points["+ reranker"]
    assert low[0] >= high[0] and low[1] < high[1] / 2


def test_where_the_answers_are_lost(lesson, printed, dev):
    said, words, both = lesson["failures-said"], *(dev["rows"][name]["failures"] for name in ("BM25", "+ vectors, RRF"))
    for name, row in (("BM25", words), ("+ vectors, RRF", both)):
        listed = ", ".join(f"{place} {count}" for place, count in row.items())
        assert f"{name}: {sum(row.values())} not answered rightly; lost in {listed}" in printed["failures-code"]
    back = words["retrieval"] - both["retrieval"]
    assert f"lost in retrieval, {words['retrieval']}, vectors bring back {back}" in said
    assert f"in ranking, {both['ranking']}," in said and f"in generation, {both['generation']}," in said
    assert both["retrieval"] == 10 and "of the ten that are still lost in retrieval six are follow-ups" in said
    assert "retrieval, by kind: follow_up 6, " in printed["failures-code"]
    assert both["ingestion"] == 6 and said.count("Six were lost before") == 1
    assert {row["failures"]["ingestion"] for row in dev["rows"].values()} == {6}


def test_what_is_said_of_the_reranker(lesson, dev):
    said = lesson["reranker-said"]
    below, here = (dev["by_kind"][name] for name in ("+ vectors, RRF", "+ reranker"))
    for kind in ("paraphrase", "direct"):
        assert f"{here[kind]['Recall@10']:.2f} in place of {below[kind]['Recall@10']:.2f}" in said


def test_what_is_said_of_context(lesson, printed, dev):
    said, value = lesson["context-said"], three(dev["rows"]["+ chunking, context"]["Recall@10"])
    alone = re.match(r"context in the indexes: Recall@10 (\d\.\d{3})", printed["context-code"])[1]
    assert f"stayed where it was, {alone}" in said and f"Now it is {value}, told apart" in said
    assert abs(float(alone) - dev["rows"]["+ reranker"]["Recall@10"]) < 0.005


def test_what_is_said_of_rewriting_and_filters(lesson, figures, dev):
    said = lesson["seven-said"]
    before, after, last = (dev["by_kind"][name] for name in ("+ chunking, context", "+ rewriting", "+ filters"))
    assert f"from {before['follow_up']['Recall@10']:.2f} to {after['follow_up']['Recall@10']:.2f}" in said
    assert {kind: row for kind, row in before.items() if kind != "follow_up"} == \
        {kind: row for kind, row in after.items() if kind != "follow_up"}
    step = dev["differences"]["+ filters"]["Recall@10"]
    assert f"{step['difference']:+.3f}, and the interval begins at 0" in said and abs(step["low"]) < 1e-9
    kinds = {name: dev["by_kind"][name]["filter"]["Recall@10"] for name in STEPS}
    assert f"at {kinds['BM25']:.2f} by words, and at {kinds['+ vectors, RRF']:.2f} when vectors came" in said
    assert f"{before['filter']['Recall@10']:.2f} to {last['filter']['Recall@10']:.2f}" in said
    queries = json.loads((ROOT / "notebooks" / "queries.json").read_text(encoding="utf-8"))
    alone = queries["held_out"]["filter"]["differences"]["MiniLM"]["Recall@10"]["difference"]
    assert f"worth {three(alone)} on the held-out questions of its kind" in said


# A function of the reader's own


def test_the_search_in_three_lines_is_no_match_for_bm25(lesson, printed, dev):
    mean = float(re.search(r"Recall@10 (\d\.\d{3})", printed["own-rung-code"])[1])
    assert mean < dev["rows"]["+ vectors, RRF"]["Recall@10"]


RIGHT = """def pareto(points):
    def beaten(name):
        quality, cost = points[name]
        return any(q >= quality and c <= cost and (q, c) != (quality, cost) for q, c in points.values())

    return sorted(name for name in points if not beaten(name))"""


def test_the_task_can_be_solved_as_it_is_put(lesson, capsys):
    space = {}
    exec(RIGHT, space)
    check("experiment.pareto", space["pareto"])
    assert re.search(r"(\d+) of \1 points", capsys.readouterr().out)
    assert "in alphabetical order" in lesson["turn"] and "give `[]`" in lesson["turn"]


# Where it fails


def test_what_is_said_of_parts_that_are_left_out(lesson, printed, dev):
    said, lines, left = lesson["order-said"], printed["order-code"].splitlines(), dev["left_out"]
    top = dev["rows"]["+ filters"]
    names = {"vectors": "+ vectors, RRF", "the reranker": "+ reranker", "context": "+ chunking, context",
             "rewriting": "+ rewriting"}
    for place, (name, rung) in enumerate(names.items()):
        row, step = left[rung]["row"], left[rung]["differences"]["Recall@10"]
        line = f"{name} took Recall@10 from {three(row['Recall@10'])} to {three(top['Recall@10'])}"
        assert line in lines[2 * place] and ("not told apart" in lines[2 * place]) == (not apart(step))
        assert f"from {row['answers']['right']} to {top['answers']['right']}" in lines[2 * place + 1]
    assert [apart(left[rung]["differences"]["Recall@10"]) for rung in names.values()] == [False, False, True, True]
    assert f"adds {three(left['+ vectors, RRF']['differences']['Recall@10']['difference'])} at the top" in said
    both = re.search(r"vectors and reranker took .*\(\+(\d\.\d{3}), 95", lines[8])[1]
    right = [int(n) for n in re.findall(r"\d+", lines[9])]
    assert f"Without either, {both} is gone, told apart" in said and "not told apart" not in lines[8]
    assert right[1] - right[0] == 4 and "and four right answers with it" in said


def test_what_is_said_of_thirty(lesson, printed):
    line, said = printed["few-code"], lesson["few-said"]
    told, low, high = re.search(r"told apart in (\d+) of 200; the gain is from (\S+) to (\S+)", line).groups()
    assert line.startswith("30 at a time") and f"told apart in {told} of 200" in said
    assert f"{low} to {high}".replace("-", "−") in said


# The charts


def test_what_is_said_of_the_dials(lesson, figures):
    said, dials = lesson["dials-said"], figures["dials"]
    assert dials["tokens"] == 1000 and "1,000 tokens" in said
    short, long = frame(State(25, 1)), frame(State(400, 1))
    assert (short["best_inner"][0], short["best_inner"][-1]) == (20, 2)
    assert short["walk"] == [200, 20] and long["walk"] == [400, 2]
    ends = [dials["grid"][str(outer)][str(inner)]["recall"] for outer, inner in (short["walk"], long["walk"])]
    assert ends[0] == short["highest"] > ends[1]
    assert f"you go to {short['walk'][1]} chunks, and then to {short['walk'][0]} words: {three(ends[0])}, " in said
    assert f"go to {long['walk'][1]} chunks, and stay at {long['walk'][0]} words, with {three(ends[1])}" in said
    cells = {(outer, inner): dials["grid"][str(outer)][str(inner)]["recall"]
             for outer in dials["outer"] for inner in dials["inner"]}
    moves = [value for (outer, inner), value in cells.items() if (outer == 400) != (inner == 2)]
    assert max(moves) <= ends[1] and "no move of one dial finds more" in said
    assert cells[400, 3] == cells[400, 5] == ends[1] and f"Three and five chunks have the same {three(ends[1])}" in said
    assert min(cells[200, 3], cells[200, 5]) > ends[1] and "from these 200 words are better" in said
    right = frame(State(25, 20, "answered rightly"))
    assert right["best"] == [25, 20]
    assert f"{right['right']} right, where the evidence is only {three(right['recall'])}" in said


def test_what_is_said_of_the_sweep(lesson, figures):
    said, plain, ranked = lesson["sweep-said"], *(figures["k"][way]["dev"] for way in ways())
    assert ways() == ["hybrid", "hybrid + reranker"] and measured_k() == [1, 3, 5, 10, 20, 50]
    first, last = ranked["1"], ranked["50"]
    assert f"goes from {three(first['recall'])} to {three(last['recall'])}, and right answers from " in said
    assert f"answers from {first['right']} to {last['right']} of 135" in said
    assert f"Wrong ones go from {first['wrong']} to {last['wrong']}, for twenty-eight times the tokens" in said
    assert round(last["tokens"] / first["tokens"]) == 28
    recall = {k: ranked[str(k)]["recall"] for k in measured_k()}
    assert (experiment.knee(recall, 0.05), experiment.knee(recall, 0.2)) == (50, 10)
    assert max(ranked[str(k)]["right"] for k in (20, 50)) <= ranked["10"]["right"]
    assert f"{first['right']} are answered rightly in place of {plain['1']['right']}" in said
    assert f"With five it is {ranked['5']['right']} in place of {plain['5']['right']}" in said


def test_what_is_said_of_the_chart(lesson):
    signs = [read(arrow)["sign"] for arrow in ARROWS]
    counts = [len(signs), *(signs.count(sign) for sign in ("gain", "loss", "unsure", "count"))]
    assert counts == [18, 7, 1, 4, 6]
    assert "Of eighteen arrows seven are gains whose interval is clear of 0, one is a loss, four can't be told " \
        "apart, and six set two numbers side by side" in lesson["when-said"]


def test_why_the_cross_encoder_has_two_numbers(lesson, figures):
    """Lesson 08 fused lists of 1,000, which is all of Larkspur; the ladder's are of 100."""
    alone = next(read(arrow) for arrow in ARROWS if arrow.use == "a small cross-encoder")
    here = figures["held_out"]["differences"]["+ reranker"]["Recall@10"]["difference"]
    assert f"has {alone['value']:+.3f} here and {here:+.3f} on the ladder".replace("-", "−") in lesson["when-said"]
    depth = inspect.signature(Hybrid).parameters["depth"].default
    assert depth >= len(Collection.load("larkspur").chunks) and "fused whole lists" in lesson["when-said"]
    assert DEPTH == 100 and "the first hundred of each" in lesson["when-said"]


# The held-out half


def test_what_is_said_of_the_held_out_half(lesson, printed, figures):
    said, half = lesson["measure-said"], figures["held_out"]
    for line in half["lines"].values():
        assert line in printed["measure-code"]
    rows, steps, left = half["rows"], half["differences"], half["left_out"]
    first, last, right = rows["BM25"], rows["+ filters"], half["whole"]["right"]
    gain = signed(half["whole"]["Recall@10"])
    assert f"from {three(first['Recall@10'])} to {three(last['Recall@10'])}, {gain}" in said
    assert f"right answers from {first['answers']['right']} to {last['answers']['right']} of 135" in said
    assert (right["wins"], right["losses"]) == (10, 0) and "Ten questions are won and none is lost" in said
    told = [name for name, row in steps.items() if apart(row["Recall@10"])]
    assert len(told) == 4 and "four of five are told apart" in lesson["watch-said"] and "+ reranker" not in told

    filters, on_dev = steps["+ filters"]["Recall@10"], figures["dev"]["differences"]["+ filters"]["Recall@10"]
    assert f"told apart here, {signed(filters)}, and on dev they were not" in said and not apart(on_dev)
    assert (filters["wins"], on_dev["wins"], filters["losses"], on_dev["losses"]) == (4, 2, 0, 0)
    assert "four became better here and two there, and none worse" in said

    assert f"half either: {signed(steps['+ reranker']['Recall@10'])}" in said
    before, after = (rows[name]["answers"]["right"] for name in ("+ vectors, RRF", "+ reranker"))
    assert f"With it {after} are right in place of {before}" in said
    out = left["+ reranker"]
    assert f"it leaves {out['row']['answers']['right']} in place of {last['answers']['right']}" in said
    row = out["differences"]["right"]
    assert f"five lost, none won, {signed(row)}" in said and (row["wins"], row["losses"]) == (5, 0) and apart(row)
    plain, ranked = (figures["k"][way]["held_out"]["1"]["right"] for way in ways())
    assert f"{ranked} are answered rightly with the reranker, and {plain} without" in said

    step = steps["+ vectors, RRF"]
    assert f"{three(step['Recall@10']['difference'])} more is found" in said and not apart(step["right"])
    assert f"right answers go from {first['answers']['right']} to {before}, which can't be told apart" in said
    assert f"nothing here: {signed(left['+ vectors, RRF']['differences']['Recall@10'])}" in said

    lost = last["failures"]
    assert f"{lost['ranking']} in ranking, {lost['generation']} with the page on the desk" in said
    assert lost["retrieval"] == 1 and {row["failures"]["ingestion"] for row in rows.values()} == {11}


def test_what_is_to_be_remembered(lesson, dev):
    lost = dev["rows"]["+ filters"]["failures"]
    assert f"Of the {sum(lost.values())} dev questions that are not right at the top of this ladder, one is " \
        f"lost in retrieval, {lost['ranking']} in ranking, and {lost['generation']} with the page on the desk" in \
        lesson["remember"]
    assert lost["retrieval"] == 1
