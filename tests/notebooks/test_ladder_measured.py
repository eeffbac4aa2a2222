"""notebooks/ladder.json, worked out again: every mean from what is stored of each question, and some trips anew."""

import importlib.util
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from firstprinciples.evaluate.compare import apart, differences
from firstprinciples.evaluate.failure import PLACES, tally
from firstprinciples.evaluate.ladder import COMPARED, MEASURES, climb, judge, line_of

ROOT = Path(__file__).resolve().parent.parent.parent
HALVES = ("dev", "held_out")
EVERY = 14  # of the trips with a reranker; a whole half takes half a minute


@pytest.fixture(scope="module")
def bench():
    spec = importlib.util.spec_from_file_location("bench_ladder", ROOT / "tests" / "benchmarks" / "bench_ladder.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def report():
    return json.loads((ROOT / "notebooks" / "ladder.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def ladder(bench, larkspur):
    return bench.rungs(larkspur)


def same(one, other) -> bool:
    """Say whether two nests of lists and dicts hold the same, numbers to six digits."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    return abs(one - other) < 2e-6 if isinstance(one, float) else one == other


def of_half(larkspur, split):
    """Return the questions of a half that have an answer, in their order."""
    return [query for query in larkspur.queries if query.split == split and query.evidence]


def read(report, larkspur, split, name):
    """Return {id: {measure: value, "right", "verdict", "place"}} from the stored lines of a rung."""
    out = {}
    for query, line in zip(of_half(larkspur, split), report[split]["each"][name], strict=True):
        *values, said, place = (line + " ").split(" ")[:5]
        out[query.id] = {**dict(zip(MEASURES, map(float, values), strict=True)), "right": float(said == "right"),
                         "verdict": said, "place": place}
    return out


@pytest.mark.parametrize("split", HALVES)
def test_every_mean_follows_from_the_questions(report, larkspur, split):
    half, kinds = report[split], {query.id: query.kind for query in of_half(larkspur, split)}
    assert half["queries"] == len(kinds) == 135
    for name in report["rungs"]:
        each, row = read(report, larkspur, split, name), half["rows"][name]
        for measure in MEASURES:
            assert abs(sum(values[measure] for values in each.values()) / 135 - row[measure]) < 2e-6
        said = [values["verdict"] for values in each.values()]
        assert {one: said.count(one) for one in ("right", "wrong", "declined")} == row["answers"]
        assert tally([values["place"] for values in each.values() if values["place"]]) == row["failures"]
        assert all((values["verdict"] == "right") == (values["place"] == "") for values in each.values())
        assert sum(row["unanswerable"].values()) == 15
        assert sum(row["failures"].values()) == 135 - row["answers"]["right"]
        for kind, stored in half["by_kind"][name].items():
            rows = [values for id, values in each.items() if kinds[id] == kind]
            assert stored["queries"] == len(rows) == 15
            assert (stored["right"], stored["wrong"]) == tuple(sum(values["verdict"] == one for values in rows)
                                                               for one in ("right", "wrong"))
            for measure in ("Recall@10", "nDCG@10"):
                assert abs(sum(values[measure] for values in rows) / 15 - stored[measure]) < 2e-6


@pytest.mark.parametrize("split", HALVES)
def test_every_interval_follows_from_the_questions(report, larkspur, split):
    names, half = report["rungs"], report[split]
    steps = [(before, after, half["differences"][after]) for before, after in zip(names, names[1:], strict=False)]
    for before, after, stored in (*steps, (names[0], names[-1], half["whole"])):
        again = differences(*({"each": read(report, larkspur, split, name)} for name in (before, after)), COMPARED)
        for measure in COMPARED:  # the stored values have six digits, so that a mean may differ in the last
            assert all(abs(again[measure][part] - stored[measure][part]) < 5e-6 for part in stored[measure]), after


@pytest.mark.parametrize("split", HALVES)
def test_the_lines_say_what_was_measured(report, split):
    for before, after in zip(report["rungs"], report["rungs"][1:], strict=False):
        assert report[split]["lines"][after] == line_of(report[split], before, after, report["times"]["added"][after])


@pytest.mark.parametrize("split", HALVES)
def test_the_rungs_without_a_reranker_anew(ladder, report, larkspur, split):
    again = climb(ladder[:2], larkspur, split)
    for name in report["rungs"][:2]:
        assert same(again["rows"][name], report[split]["rows"][name])
        assert same(again["by_kind"][name], report[split]["by_kind"][name])


@pytest.mark.parametrize("split", HALVES)
def test_some_questions_of_the_others_anew(bench, ladder, report, larkspur, split):
    asked = of_half(larkspur, split)
    some = replace(larkspur, queries=asked[::EVERY])
    places = range(0, len(asked), EVERY)
    for rung in ladder[2:]:
        judged = judge(rung, bench.trips_of(rung, some, split), some)
        assert [bench.said_of(row) for row in judged["each"].values()] == [
            report[split]["each"][rung.name][place] for place in places], rung.name


@pytest.mark.parametrize("split", HALVES)
def test_the_top_without_its_reranker_anew(bench, ladder, report, larkspur, split):
    rung = bench.tops(ladder)[1]
    assert rung.name == "+ reranker" and rung.pipeline.rerank is None
    trips = bench.trips_of(rung, larkspur, split)
    again = bench.row_of(judge(rung, trips, larkspur))
    assert same(bench.rounded(again), report[split]["left_out"]["+ reranker"]["row"])


def test_what_the_top_lacks(report):
    for split in HALVES:
        half = report[split]
        assert list(half["left_out"]) == report["rungs"][1:]
        for part in half["left_out"].values():
            for measure in MEASURES:
                away = half["rows"]["+ filters"][measure] - part["row"][measure]
                assert abs(away - part["differences"][measure]["difference"]) < 2e-6
        last, before = half["left_out"]["+ filters"], half["rows"]["+ rewriting"]
        assert last["row"] == before and last["differences"] == half["differences"]["+ filters"]


@pytest.mark.parametrize("split", HALVES)
def test_the_sweep_of_the_hybrid_anew(bench, ladder, report, larkspur, split, monkeypatch):
    monkeypatch.setattr(bench, "KS", (1, 10))
    monkeypatch.setattr(bench, "WAYS", {"hybrid": "+ vectors, RRF"})
    again = bench.rounded(bench.sweep(ladder, larkspur, split))["hybrid"]
    assert all(same(again[k], report["k"]["hybrid"][split][k]) for k in ("1", "10"))


def test_the_sweep_begins_where_the_ladder_stands(report):
    """Five chunks are what the ladder hands over, but for questions that ask for several things."""
    for split in HALVES:
        for way, name in (("hybrid", "+ vectors, RRF"), ("hybrid + reranker", "+ reranker")):
            row, answers = report["k"][way][split]["5"], report[split]["rows"][name]["answers"]
            assert sum(row[said] for said in answers) == 135
            assert abs(row["right"] - answers["right"]) <= 1
            recall = [report["k"][way][split][k]["recall"] for k in ("1", "3", "5", "10", "20", "50")]
            tokens = [report["k"][way][split][k]["tokens"] for k in ("1", "3", "5", "10", "20", "50")]
            assert recall == sorted(recall) and tokens == sorted(tokens)


def test_the_two_dials_anew(bench, report, larkspur, monkeypatch):
    monkeypatch.setattr(bench, "SIZES", (200,))
    monkeypatch.setattr(bench, "HANDED", (1, 5))
    again = bench.rounded(bench.dials(larkspur))["grid"]["200"]
    assert all(same(again[k], report["dials"]["grid"]["200"][k]) for k in again)


def test_the_best_of_one_dial_depends_on_the_other(report):
    grid = report["dials"]["grid"]
    best_k = {size: max(row, key=lambda k: row[k]["recall"]) for size, row in grid.items()}
    assert best_k == {"25": "20", "50": "20", "100": "10", "200": "5", "400": "2"}  # the first of equal ones
    best_size = {k: max(grid, key=lambda size: grid[size][k]["recall"]) for k in ("1", "2", "3", "5", "10", "20")}
    assert best_size == {"1": "400", "2": "400", "3": "200", "5": "200", "10": "200", "20": "200"}


def test_the_choice_is_what_its_rule_gives(report, bench, ladder, larkspur):
    rows = report["choices"]["rows"]
    assert report["choices"]["chosen"] == max(rows, key=lambda name: rows[name]["evidence in 500 words"])
    assert report["choices"]["chosen"] == "paragraphs, a line for search and reranker"
    dev = report["dev"]["rows"]
    for name, rung in (("paragraphs", "+ reranker"), (report["choices"]["chosen"], "+ chunking, context")):
        assert abs(rows[name]["Recall@10"] - dev[rung]["Recall@10"]) < 2e-6
        assert {said: rows[name][said] for said in dev[rung]["answers"]} == dev[rung]["answers"]
    again = bench.rounded(bench.chosen_by(ladder[1].pipeline, larkspur))
    assert same(again, report["choices"]["without reranker"]["paragraphs"])


def test_no_held_out_question_is_in_the_file(report, larkspur):
    text = json.dumps(report, ensure_ascii=False)
    held_out = [query for query in larkspur.queries if query.split == "held_out"]
    assert not [query.id for query in held_out if query.text in text or f'"{query.id}"' in text]


def test_times_have_a_date_and_a_number_for_each_rung(report):
    times = report["times"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", times["date"])
    assert list(times["rungs"]) == report["rungs"] and list(times["added"]) == report["rungs"][1:]
    for parts in times["rungs"].values():
        assert all(0 < part["p50"] <= part["p95"] for part in parts.values())
        assert parts["search"]["p50"] < parts["trip"]["p50"]


def test_what_the_sources_say_of_it(report):
    text = (ROOT / "data" / "SOURCES.md").read_text(encoding="utf-8").partition("\n## Ladder\n")[2].split("\n## ")[0]

    def signed(row):
        return f"{row['difference']:+.3f} ({row['low']:+.3f} to {row['high']:+.3f})".replace("-0.000", "+0.000")

    for way, row in report["choices"]["rows"].items():
        cells = (f"{row['evidence in 500 words']:.3f} | {row['Recall@10']:.3f} | {row['right']} | "
                 f"{row['words on the desk']:.0f} |")
        assert re.search(rf"\| \**{re.escape(way)}\**(, the third rung)? \| {re.escape(cells)}", text), way
    names = report["rungs"]
    for name in names:
        cells = []
        for split in HALVES:
            row, step = report[split]["rows"][name], report[split]["differences"].get(name)
            cells += [f"{row['Recall@10']:.3f}", signed(step["Recall@10"]) if step else "",
                      f"{row['answers']['right']}, {row['answers']['wrong']}"]
        assert f"| {name} | {' | '.join(cells)} |".replace("|  |", "| |") in text.replace("|  |", "| |"), name
    for name in names[1:]:
        cells = [f"{signed(report[split]['left_out'][name]['differences']['Recall@10'])}" for split in HALVES]
        assert f"| {name} | {' | '.join(cells)} |" in text, name
    for split in HALVES:
        lost = [" ".join(str(report[split]["rows"][name]["failures"][place]) for place in PLACES)
                for name in (names[0], names[-1])]
        assert f"{lost[0].replace(' ', ', ')} on the first rung and {lost[1].replace(' ', ', ')} on the last" in text


def test_what_did_not_help(report):
    """The words of SOURCES.md: which steps can be told apart from nothing, on Recall@10 and on answers."""
    told = {split: [name for name, row in report[split]["differences"].items() if apart(row["Recall@10"])]
            for split in HALVES}
    assert told["dev"] == ["+ vectors, RRF", "+ chunking, context", "+ rewriting"]
    assert told["held_out"] == ["+ vectors, RRF", "+ chunking, context", "+ rewriting", "+ filters"]
    for split in HALVES:
        right = [name for name, row in report[split]["differences"].items() if apart(row["right"])]
        assert right == ["+ rewriting"]
    out = {split: report[split]["left_out"]["+ reranker"]["differences"] for split in HALVES}
    assert not any(apart(out[split]["Recall@10"]) for split in HALVES)
    assert apart(out["held_out"]["right"]) and not apart(out["dev"]["right"])
    for split in HALVES:
        assert not apart(report[split]["left_out"]["+ vectors, RRF"]["differences"]["Recall@10"])


def test_what_the_sources_say_of_the_vectors(report):
    dev, held_out = (report[split]["left_out"]["+ vectors, RRF"]["row"]["failures"] for split in HALVES)
    whole = [report[split]["rows"]["+ filters"]["failures"] for split in HALVES]
    assert (dev["retrieval"], held_out["retrieval"]) == (10, 15) and [row["retrieval"] for row in whole] == [1, 1]
    assert (dev["ranking"], held_out["ranking"]) == (21, 21) and [row["ranking"] for row in whole] == [28, 35]
    kinds = report["held_out"]["by_kind"]["+ vectors, RRF"]
    assert sum(kinds[kind]["right"] for kind in ("paraphrase", "negation_or_date", "filter")) == 3
    words = report["held_out"]["by_kind"]["BM25"]
    gains = {kind: kinds[kind]["Recall@10"] - words[kind]["Recall@10"] for kind in kinds}
    most = sum(gains[kind] for kind in ("paraphrase", "negation_or_date", "filter"))
    assert most > sum(gain for kind, gain in gains.items() if gain > 0) / 2
