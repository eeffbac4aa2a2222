"""notebooks/corrective.json: what it says is computed anew here, on both halves, but for most of the sweep."""

import importlib.util
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
REPORT = json.loads((ROOT / "notebooks" / "corrective.json").read_text(encoding="utf-8"))
DIALS = (0.6,), (0, 2)  # of the sweep; beside the dials that were settled


def bench():
    """Return the module tests/benchmarks/bench_corrective.py."""
    spec = importlib.util.spec_from_file_location("bench_corrective", ROOT / "tests/benchmarks/bench_corrective.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BENCH = bench()


@pytest.fixture(scope="module", params=["dev", "held_out"])
def both(request):
    """A half of the report, and the same computed anew."""
    return REPORT[request.param], BENCH.rounded(BENCH.measured(BENCH.Half(request.param), *DIALS))


def nearly(value):
    """Return a value to compare with: every number in it may be off by rounding."""
    if isinstance(value, dict):
        return {key: nearly(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [nearly(each) for each in value]
    return pytest.approx(value, abs=2e-6) if isinstance(value, float) else value


def test_every_figure_comes_out_again(both):
    said, found = both
    sweep = found.pop("sweep")
    assert {key: value for key, value in said.items() if key != "sweep"} == nearly(found)
    for threshold, row in sweep.items():
        for minimum, cell in row.items():
            assert said["sweep"][threshold][minimum] == cell


def test_the_dials_are_those_that_the_rule_settles_on_the_dev_half():
    cells = [((cell["answers"]["false"], -cell["answers"]["true"]), float(threshold), int(minimum))
             for threshold, row in REPORT["dev"]["sweep"].items() for minimum, cell in row.items()]
    assert min(cells)[1:] == (REPORT["threshold"], REPORT["minimum"]) == (BENCH.THRESHOLD, BENCH.MINIMUM)


def test_the_settled_dials_give_in_the_sweep_what_the_pipeline_gives():
    for half in (REPORT["dev"], REPORT["held_out"]):
        assert set(half["sweep"]) == {str(threshold) for threshold in BENCH.THRESHOLDS}
        cell = half["sweep"][str(REPORT["threshold"])][str(REPORT["minimum"])]
        assert cell["answers"] == half["pipelines"]["corrective"]["answers"]
        assert cell["reckless"] == half["reckless"]["pipelines"]["corrective"]["answers"]
        assert all(sum(cell["answers"].values()) == 22 for row in half["sweep"].values() for cell in row.values())


def test_what_the_sources_say_of_the_held_out_half_is_what_was_measured():
    sources = " ".join((ROOT / "data" / "SOURCES.md").read_text(encoding="utf-8").split())
    half = REPORT["held_out"]
    labels, pairs = half["grader"]["right reference"], half["pairs"]
    low, high = labels["interval"]
    right = sum(true == given for true, given, _ in half["passages"])
    assert f"{right} of 88 labels are right, {labels['accuracy']:.2f} ({low:.2f} to {high:.2f})" in sources
    said = "; ".join(f"{label} {one:.2f} and {two:.2f}" for label, (one, two) in labels["per_label"].items())
    assert f"Precision and recall: {said.replace(';', ',')}." in sources
    low, high = labels["told_apart_interval"]
    assert f"in {labels['told_apart']:.2f} of the pairs ({low:.2f} to {high:.2f})" in sources
    assert (pairs["n"], pairs["true higher"], pairs["false higher"], pairs["equal"], pairs["both right"]) \
        == (18, 8, 0, 10, 5)
    low, high = half["more_than"]["relevance alone"]["low"], half["more_than"]["relevance alone"]["high"]
    assert f"the latter, 0.11, may be chance ({low:.2f} to {high:.2f})" in sources
    found = {name: tuple(row["answers"].values()) for name, row in half["pipelines"].items()}
    assert (found["plain"], found["corrective"], found["references alone"]) == ((2, 3, 1, 16), (7, 0, 0, 15),
                                                                               (7, 0, 0, 15))
    assert found["without any reference"] == (0, 0, 0, 22)
    assert all(half["pipelines"][name]["unanswerable"] == {"declined": 2, "answered": 0}
               for name in ("plain", "corrective"))
    found = {name: tuple(row["answers"].values()) for name, row in half["reckless"]["pipelines"].items()}
    assert found["plain"] == (6, 10, 6, 0) and found["corrective"] == (16, 0, 6, 0)
    assert found["perfect grader without any reference"] == (14, 0, 8, 0)
    moved = {what: tuple(round(abs(value), 2) for value in row.values())
             for what, row in half["differences"]["corrective"].items()}
    assert moved["false"] == (0.14, 0.27, 0.0) and moved["true"] == (0.23, 0.0, 0.45)
    assert moved["declined"] == (0.05, 0.27, 0.18)


def test_the_file_names_no_passage_and_no_question():
    text = (ROOT / "notebooks" / "corrective.json").read_text(encoding="utf-8")
    half = BENCH.Half("held_out")
    assert not any(chunk.text[:30] in text or chunk.id in text for chunk in half.chunks)
    assert not any(query.text in text or f'"{query.id}"' in text for query in half.queries)
