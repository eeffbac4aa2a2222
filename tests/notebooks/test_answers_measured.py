"""notebooks/answers.json, worked out again: from the stored vectors, without a model's files."""

import importlib.util
import json
from pathlib import Path

import pytest

from firstprinciples.evaluate.answering import counts
from firstprinciples.generate import reader as reading
from firstprinciples.generate.answer import declining, risk_coverage

ROOT = Path(__file__).resolve().parent.parent.parent
HALVES = ("dev", "held_out")


@pytest.fixture(scope="module")
def bench():
    spec = importlib.util.spec_from_file_location("bench_answers", ROOT / "tests" / "benchmarks" / "bench_answers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def report():
    return json.loads((ROOT / "notebooks" / "answers.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def setting(bench, larkspur):
    return bench.Setting(larkspur)


@pytest.fixture(scope="module")
def halves(bench, setting):
    """Return {half: all figures of the default pipeline}."""
    return {split: bench.rounded(bench.half(setting, "hybrid", split)) for split in HALVES}


def same(one, other) -> bool:
    """Say whether two nests of lists and dicts hold the same, numbers to six digits."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    return abs(one - other) < 2e-6 if isinstance(one, float) else one == other


@pytest.mark.parametrize("split", HALVES)
def test_right_wrong_declined(halves, report, split):
    again, stored = halves[split], report[split]
    for name in ("counts", "by_kind", "intervals", "curve"):
        assert same(again[name], stored[name]), name
    assert same(again["rows"], stored["rows"] if split == "held_out" else [row[1:5] for row in stored["rows"]])


def test_the_figures_agree_with_each_other(report):
    for split in HALVES:
        half = report[split]
        rows = half["rows"] if split == "held_out" else [row[1:5] for row in half["rows"]]
        answerable, not_so = half["counts"]["answerable"], half["counts"]["unanswerable"]
        assert answerable["right"] + answerable["wrong"] + answerable["declined"] == answerable["n"] == 135
        assert not_so["declined"] + not_so["answered"] == not_so["n"] == 15
        assert answerable["right"] <= answerable["on_desk"]
        given = [row for row in rows if row[1] >= report["threshold"]]
        assert sum(row[2] is True for row in given) == answerable["right"]
        silent, answered = declining([row in given for row in rows], [row[3] for row in rows])
        assert silent == not_so["declined"] / 15 and answered == 1 - answerable["declined"] / 135
        curve = risk_coverage([row[1] for row in rows], [row[2] is True for row in rows])
        assert same([list(row) for row in curve], [row[:3] for row in half["curve"]])


def test_the_threshold_is_what_its_rule_gives(report):
    assert (report["threshold"], report["doubt"]) == (reading.THRESHOLD, reading.DOUBT)
    lowest = min(row[0] for row in report["dev"]["curve"] if row[2] <= 0.5)
    assert report["threshold"] == -(-lowest * 1000 // 1) / 1000, "rounded up to three digits"


def test_no_held_out_question_is_in_the_file(report, larkspur):
    text = json.dumps(report, ensure_ascii=False)
    held_out = [query for query in larkspur.queries if query.split == "held_out"]
    assert not [query.id for query in held_out if query.text in text or f'"{query.id}"' in text]


@pytest.mark.parametrize(("search", "k"), [("BM25", 5), ("hybrid", 1), ("hybrid", 20)])
def test_few_and_many_chunks(bench, setting, report, search, k):
    trips = setting.trips(search, "held_out", reading.Reader(setting.larkspur.chunks), most=k, budget=bench.ROOMY)
    stored, again = report["k"][search]["held_out"][str(k)], counts(trips)
    answerable = again["answerable"]
    assert [stored[name] for name in ("right", "wrong", "declined")] == [
        answerable[name] for name in ("right", "wrong", "declined")]
    assert stored["unanswerable_answered"] == again["unanswerable"]["answered"]
    assert same(stored["evidence"], answerable["on_desk"] / answerable["n"])
    assert same(stored["tokens"], sum(desk.tokens for _, desk, _ in trips) / len(trips))
    if k == 5:
        assert report["BM25"]["held_out"]["counts"] == again


def test_orders_under_a_budget(bench, setting, report, monkeypatch):
    monkeypatch.setattr(bench, "BUDGETS", (500,))
    monkeypatch.setattr(bench, "ROOMY", 500)  # one budget is enough here
    monkeypatch.setattr(bench, "HALVES", ("held_out",))
    (again,) = bench.rounded(bench.orders(setting))["held_out"].values()
    stored = report["order"]["held_out"]["500"]
    assert same(again, stored)


def test_what_the_sources_say_of_it(report):
    text = (ROOT / "data" / "SOURCES.md").read_text(encoding="utf-8").partition("\n## Answers\n")[2]
    dev, held_out = (report[split] for split in HALVES)

    def cell(half, name, n, of=None):
        mean, low, high = (f"{100 * part:.0f}" for part in half["intervals"][name])
        return f"{n}{f' of {of}' if of else ''}, {mean} % ({low} to {high})"

    rows = {"right": "answerable questions answered rightly", "wrong": "wrongly", "declined": "declined"}
    for name, said in rows.items():
        cells = [cell(half, name, half["counts"]["answerable"][name], 135 if name == "right" else None)
                 for half in (dev, held_out)]
        assert f"| {said} | {cells[0]} | {cells[1]} |" in text
    cells = [cell(half, "unanswerable declined", half["counts"]["unanswerable"]["declined"], 15)
             for half in (dev, held_out)]
    assert f"| unanswerable questions declined | {cells[0]} | {cells[1]} |" in text
    given = [half["counts"]["answerable"]["right"] + half["counts"]["answerable"]["wrong"]
             + half["counts"]["unanswerable"]["answered"] for half in (dev, held_out)]
    cells = [cell(half, "right of those given", half["counts"]["answerable"]["right"], n)
             for half, n in zip((dev, held_out), given, strict=True)]
    assert f"| right, of all answers given | {cells[0]} | {cells[1]} |" in text
    desks = [f"{half['counts']['answerable']['on_desk']}, {100 * half['counts']['answerable']['on_desk'] / 135:.0f} %"
             for half in (dev, held_out)]
    assert f"| a needed piece was on the desk | {desks[0]} | {desks[1]} |" in text
    few, many = (report["k"]["hybrid"]["held_out"][k] for k in ("3", "20"))
    assert (f"{few['right']} right and {few['wrong']} wrong answers with 3, {many['right']} and {many['wrong']} "
            f"with 20, at {many['tokens'] / few['tokens']:.1f} times the tokens") in text
    one, two = (report["lines"][n]["dev"] for n in "12")
    assert two["right"] - one["right"] == 5 and (
        f"{two['lines'] - two['right_lines']} of the {two['lines']} lines are then beside the point, against "
        f"{one['lines'] - one['right_lines']} of {one['lines']}") in text
    paraphrases = [half["by_kind"]["paraphrase"] for half in (dev, held_out)]
    assert [sum(row[name] for row in paraphrases) for name in ("n", "right", "declined")] == [30, 0, 29]
    assert report["rule"].split(";")[0].lower().rstrip(".")[:60] in text.lower()
