"""notebooks/failures.json, worked out again: from the stored vectors, without a model's files."""

import importlib.util
import json
from pathlib import Path

import pytest

from firstprinciples.evaluate.failure import PLACES, surviving, tally

ROOT = Path(__file__).resolve().parent.parent.parent
HALVES = ("dev", "held_out")
EVERY = 9  # of the questions that a reranker reads for, which is slow


@pytest.fixture(scope="module")
def bench():
    spec = importlib.util.spec_from_file_location("bench_failures", ROOT / "tests" / "benchmarks" / "bench_failures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def report():
    return json.loads((ROOT / "notebooks" / "failures.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def ways(bench, larkspur):
    return bench.pipelines(larkspur)


def same(one, other) -> bool:
    """Say whether two nests of lists and dicts hold the same, numbers to six digits."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    return abs(one - other) < 2e-6 if isinstance(one, float) else one == other


@pytest.mark.parametrize("split", HALVES)
def test_where_it_was_lost(bench, report, larkspur, ways, split):
    quick = {name: way for name, way in ways.items() if "reranker" not in name}
    again = bench.rounded(bench.half(larkspur, quick, split, progress=lambda line: None))
    stored = report[split]
    assert again["queries"] == stored["queries"] == 135
    for name in quick:
        assert same(again["pipelines"][name], stored["pipelines"][name]), name
        assert again["unanswerable"][name] == stored["unanswerable"][name]
        assert name == "BM25" or same(again["differences"][name], stored["differences"][name])


@pytest.mark.parametrize("split", HALVES)
def test_behind_the_reranker(bench, report, larkspur, ways, split):
    name = "hybrid + reranker"
    queries = [query for query in larkspur.queries if query.split == split and query.evidence][::EVERY]
    walked = bench.asked(ways[name], queries, {document.id: document.text for document in larkspur.documents})
    assert bench.each_of(walked) == report[split]["pipelines"][name]["each"][::EVERY]


@pytest.mark.parametrize("split", HALVES)
def test_every_failure_has_exactly_one_place(report, split):
    assert report["pipelines"] == list(report[split]["pipelines"])
    for row in report[split]["pipelines"].values():
        lost = [each.removeprefix("luck, ") for each in row["each"]]
        assert set(lost) <= {*PLACES, ""} and len(lost) == row["queries"] == 135
        assert row["wrong"] + row["declined"] == sum(row["failures"].values()) == 135 - row["right"]
        assert tally(lost) == {place: row["failures"][place] + row["luck"][place] for place in PLACES}
        assert row["alive"] == pytest.approx(surviving(lost), abs=1e-6)
        assert sum(row["luck"].values()) == sum(each.startswith("luck") for each in row["each"])
        assert row["luck"]["generation"] == 0  # what lay on the desk needs no luck
        for name in ("failures", "luck"):
            assert row[name] == {place: sum(kind[name][place] for kind in row["kinds"].values()) for place in PLACES}
        for name, (share, low, high) in row["intervals"].items():
            assert low <= share <= high, name


def test_the_answers_are_those_of_lesson_18(report):
    """The same reader over the same searches was measured there, with five chunks on every desk; a pipeline lays out
    ten where several things are asked for, which are a few questions."""
    answers = json.loads((ROOT / "notebooks" / "answers.json").read_text(encoding="utf-8"))
    for split in HALVES:
        for name, half in (("hybrid", answers[split]), ("BM25", answers["BM25"][split])):
            row, there = report[split]["pipelines"][name], half["counts"]["answerable"]
            assert all(abs(row[each] - there[each]) <= 1 for each in ("right", "wrong", "declined")), (split, name)
            assert report[split]["unanswerable"][name]["declined"] == half["counts"]["unanswerable"]["declined"]


def test_injected_faults(bench, report):
    assert {place: list(kinds) for place, kinds in report["faults"].items()} == \
        {place: list(kinds) for place, kinds in bench.faults.KINDS.items()}
    for place, kinds in report["faults"].items():
        assert all(row["struck"] == row["named"] and row["questions"] == 45 for row in kinds.values()), place
        assert max(row["struck"] for row in kinds.values()) >= 20
    again = bench.injected(most=3)
    assert all(row["struck"] == row["named"] for kinds in again.values() for row in kinds.values())


def test_what_the_course_says_of_it(report):
    """data/SOURCES.md, section Failures: its numbers are those of the file."""
    text = " ".join((ROOT / "data" / "SOURCES.md").read_text(encoding="utf-8").split())
    section = text.partition("## Failures")[2].partition(" ## ")[0]
    rows = {(split, name): row for split in HALVES for name, row in report[split]["pipelines"].items()}
    for (split, name), row in rows.items():
        lost = " | ".join(str(row["failures"][place]) for place in PLACES)
        said = f"| {name}, {split.replace('_', '-')} | {lost} | {row['right']} | {sum(row['luck'].values())} |"
        assert said in section, said
    struck = sum(row["struck"] for kinds in report["faults"].values() for row in kinds.values())
    right = sum(row["right all the same"] for kinds in report["faults"].values() for row in kinds.values())
    assert f"{struck} faults struck" in section and f"{right} of them left the answer right" in section
    for split, name, measure in (("dev", "hybrid", "right"), ("held_out", "hybrid", "right"),
                                 ("dev", "hybrid", "on the desk"), ("held_out", "hybrid", "on the desk")):
        row = report[split]["differences"][name][measure]
        assert f"{row['difference']:+.3f} ({row['low']:+.3f} to {row['high']:+.3f})" in section
    for split in HALVES:
        was, now = (rows[split, name]["failures"]["retrieval"] for name in ("BM25", "hybrid"))
        assert f"from {was} to {now}" in section
