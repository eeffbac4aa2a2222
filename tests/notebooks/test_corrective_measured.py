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


def test_the_file_names_no_passage_and_no_question():
    text = (ROOT / "notebooks" / "corrective.json").read_text(encoding="utf-8")
    half = BENCH.Half("held_out")
    assert not any(chunk.text[:30] in text or chunk.id in text for chunk in half.chunks)
    assert not any(query.text in text or f'"{query.id}"' in text for query in half.queries)
