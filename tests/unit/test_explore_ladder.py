"""The pictures of lesson 19 drawn from measured files: the ladder, two dials, the k sweep, what to use when."""

import json
import re
import struct
from pathlib import Path

import pytest

from firstprinciples.evaluate import experiment
from firstprinciples.explore import draw, k_sweep, ladder, two_dials, what_to_use_when
from firstprinciples.explore.k_sweep import State as Sweep
from firstprinciples.explore.k_sweep import caption as said_of_k
from firstprinciples.explore.k_sweep import describe as describe_k
from firstprinciples.explore.k_sweep import frame as swept
from firstprinciples.explore.k_sweep import measured_k, ways
from firstprinciples.explore.ladder import HALVES, KINDS, MEASURES, State, caption, describe, frame, picture
from firstprinciples.explore.two_dials import State as Dials
from firstprinciples.explore.two_dials import best, walk
from firstprinciples.explore.two_dials import caption as said_of_dials
from firstprinciples.explore.two_dials import describe as describe_dials
from firstprinciples.explore.two_dials import frame as turned
from firstprinciples.explore.what_when import ARROWS, SAID, look_up, number, read, whole
from firstprinciples.explore.what_when import State as Chart
from firstprinciples.explore.what_when import describe as describe_chart
from firstprinciples.explore.what_when import frame as charted
from firstprinciples.swap import use

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"


@pytest.fixture(scope="module")
def measured():
    return json.loads((NOTEBOOKS / "ladder.json").read_text(encoding="utf-8"))


def png_size(data: bytes) -> tuple[int, int]:
    return struct.unpack(">II", data[16:24])


# The ladder


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("measure", MEASURES)
def test_every_rung_is_the_measured_one(measured, half, measure):
    drawn, part, key = frame(State(half, measure)), measured[HALVES[half]], MEASURES[measure]
    assert drawn["names"] == measured["rungs"] and drawn["n"] == part["queries"]
    for name in measured["rungs"]:
        row = part["rows"][name]
        assert drawn["values"][name] == (row["answers"]["right"] / part["queries"] if key == "right" else row[key])
        assert drawn["ms"][name] == measured["times"]["rungs"][name]["trip"]["p95"]
    for name, step in drawn["steps"].items():
        assert {key: step[key] for key in ("difference", "low", "high")} == \
            {end: part["differences"][name][key][end] for end in ("difference", "low", "high")}
        assert step["apart"] == (step["low"] > 0 or step["high"] < 0)
    assert describe(drawn) and caption(drawn) and picture(drawn, None, None)


@pytest.mark.parametrize("kind", [name for name in KINDS if KINDS[name]])
def test_one_kind_has_no_interval_and_says_so(measured, kind):
    drawn = frame(State("held-out half", "Recall@10", kind, 3))
    assert drawn["n"] == 15 and not any("low" in step for step in drawn["steps"].values())
    name = measured["rungs"][2]
    assert drawn["values"][name] == measured["held_out"]["by_kind"][name][KINDS[kind]]["Recall@10"]
    assert "so few questions tell little" in caption(drawn) and f"15 held-out questions, {kind}" in describe(drawn)


def test_the_sentence_below_is_the_report_line(measured):
    drawn = frame(State(rung=2))
    names, rows = measured["rungs"], measured["dev"]["rows"]
    step = measured["dev"]["differences"][names[1]]["Recall@10"]
    line = experiment.report_line(135, names[1].removeprefix("+ "), rows[names[0]]["Recall@10"],
                                  rows[names[1]]["Recall@10"], step["low"], step["high"],
                                  measured["times"]["added"][names[1]], "Recall@10")
    assert line == measured["dev"]["lines"][names[1]]
    assert drawn["line"] == line and caption(drawn).lower().startswith(line.lower())
    use("experiment.report_line", lambda *given: "mine")
    assert caption(frame(State(rung=2))).startswith("Mine. Its answers:")
    use("experiment.report_line")
    assert frame(State(rung=1))["line"] == "" and "the first rung" in caption(frame(State(rung=1)))
    assert "took nDCG@10 from" in frame(State(rung=2, measure="nDCG@10"))["line"]


def test_who_is_not_beaten_is_said_by_pareto():
    stage = ladder()
    assert stage.frame["kept"] == experiment.pareto({name: (stage.frame["values"][name], stage.frame["ms"][name])
                                                     for name in stage.frame["names"]})
    use("experiment.pareto", lambda points: sorted(points)[:1])
    assert "running on your pareto" in stage.words.value and "expected: " in stage.drawing
    use("experiment.pareto", lambda points: ["nobody"])
    assert "each one that it was handed" in stage.words.value
    use("experiment.pareto", lambda points: 1 / 0)
    assert "ZeroDivisionError" in stage.words.value
    use("experiment.pareto")
    assert "running on" not in stage.words.value
    stage.close()


def test_the_readers_rungs_stand_beside(measured):
    name = measured["rungs"][2]
    stage = ladder({name: {"Recall@10": 0.5, "p95": 9.0}, "my own": {"Recall@10": 0.25, "p95": 1.5}})
    assert f"yours, {name} 0.500, p95 9.0 ms; yours, my own 0.250, p95 1.5 ms" in stage.label
    assert stage.drawing.count("◆ 0.500") == 1 and ">my own<" in stage.drawing
    assert ">Recall@10; ◆ yours<" in stage.drawing and "compare them with each other alone" in stage.words.value
    stage.controls["measure"].value = "nDCG@10"
    assert "yours" not in stage.label + stage.words.value  # they have no such number
    stage.close()
    for wrong in ({"mine": 3}, {"mine": {"Recall@10": 0.5}}, {"mine": {"Recall@10": float("nan"), "p95": 1.0}}):
        with pytest.raises(ValueError, match=r"The rung 'mine' needs numbers"):
            ladder(wrong)


def test_the_height_does_not_move():
    drawings = [picture(frame(State(half, measure, kind)), None, None) for half in HALVES
                for measure in ("Recall@10", "nDCG@10") for kind in ("all", "exact")]
    assert len({re.search(r'<svg width="100%" height="(\d+)"', each)[1] for each in drawings}) == 1


# Two dials


def test_the_grid_is_the_measured_one(measured):
    dials = measured["dials"]
    for outer in dials["outer"]:
        for inner in dials["inner"]:
            drawn, row = turned(Dials(outer, inner)), dials["grid"][str(outer)][str(inner)]
            assert (drawn["value"], drawn["tokens"], drawn["right"], drawn["wrong"]) == \
                (row["recall"], row["tokens"], row["right"], row["wrong"])
    assert describe_dials(drawn) and said_of_dials(drawn)


def test_the_best_of_one_dial_depends_on_the_other(measured):
    found = [len(set(drawn["best_inner"])) + len(set(drawn["best_outer"])) for drawn in
             (turned(Dials(measure=name)) for name in ("evidence found", "answered rightly"))]
    assert max(found) > 2


def test_a_walk_turns_one_dial_and_then_the_other():
    cells = {(1, 1): 5, (1, 2): 4, (2, 1): 3, (2, 2): 9}
    dials = {"outer": [1, 2], "inner": [1, 2]}
    assert walk(Dials(1, 1), dials, {(o, i): cells[o, i] for o in (1, 2) for i in (1, 2)} | {
        (Dials(1, 1).outer, 1): 5, (Dials(1, 1).outer, 2): 4})[1] == 1
    assert best({"a": 1, "b": 1}) == "a"


def test_the_dials_move(measured):
    stage, dials = two_dials(), measured["dials"]
    assert f"{dials['names'][0]} {dials['outer'][0]}" in stage.label
    stage.controls["outer"].value = dials["outer"][-1]
    stage.controls["inner"].value = dials["inner"][-1]
    assert (stage.frame["outer"], stage.frame["inner"]) == (dials["outer"][-1], dials["inner"][-1])
    stage.controls["measure"].value = "answered rightly"
    assert stage.label.startswith("answered rightly")
    stage.reset()
    assert stage.frame["outer"] == dials["outer"][0]
    stage.close()


# The k sweep


def test_the_curves_are_the_measured_ones(measured):
    for way in ways():
        for half in HALVES:
            drawn, rows = swept(Sweep(5, 0.05, half, way)), measured["k"][way][HALVES[half]]
            assert drawn["lines"]["recall"] == [rows[str(k)]["recall"] for k in measured_k()]
            assert drawn["lines"]["right"] == [rows[str(k)]["right"] / drawn["queries"] for k in measured_k()]
            assert drawn["knee"] == experiment.knee({k: rows[str(k)]["recall"] for k in measured_k()}, 0.05)
            assert describe_k(drawn) and said_of_k(drawn)
    assert measured_k() == [1, 3, 5, 10, 20, 50] and len(ways()) == 2


def test_only_the_buttons_change_the_words_behind_the_curves():
    stage = k_sweep(5)
    start = stage.drawing
    for name, value in (("way", "hybrid"), ("half", "held-out half"), ("k", 20), ("tolerance", 0.2)):
        stage.controls[name].value = value
    fresh = k_sweep(20, 0.2, "hybrid")
    fresh.controls["half"].value = "held-out half"
    assert stage.drawing == fresh.drawing != start  # whichever way one came here
    stage.reset()
    assert stage.drawing == start
    stage.close()
    fresh.close()


def test_the_sweep_moves_and_runs_on_the_readers_knee():
    stage = k_sweep(5)
    assert png_size(stage.drawing) == (1290, 600) and stage.label.startswith("5 chunks, ")
    first = stage.drawing
    stage.controls["k"].value = 50
    assert stage.drawing != first and "From 5 chunks to 50" in stage.words.value
    use("experiment.knee", lambda values, tolerance: 1)
    assert stage.frame["knee"] == 1 and "running on your knee" in stage.words.value
    use("experiment.knee", lambda values, tolerance: 4)
    assert "one of the k that it was handed" in stage.words.value
    use("experiment.knee")
    stage.reset()
    assert stage.frame["k"] == 5
    stage.close()


# What to use when


@pytest.mark.parametrize("arrow", ARROWS, ids=lambda arrow: arrow.use)
def test_every_arrow_has_its_number_from_its_file(arrow):
    found = json.loads((NOTEBOOKS / f"{arrow.file}.json").read_text(encoding="utf-8"))
    for step in arrow.path:
        found = found[step]
    row = read(arrow)
    if isinstance(found, dict):
        assert (row["value"], row["low"], row["high"]) == (found["difference"], found["low"], found["high"])
        zero = found["low"] <= 0 <= found["high"]
        better = found["high"] < 0 if arrow.less else found["low"] > 0
        assert row["sign"] == ("unsure" if zero else "gain" if better else "loss")
        assert arrow.than and not arrow.against
    else:
        assert row["value"] == found and row["against"] is not None and row["sign"] == "count"
    assert row["path"] in whole(row) and row["file"] in whole(row) and SAID[row["sign"]] in whole(row)
    assert list(NOTEBOOKS.glob(f"{arrow.lesson:02}_*.ipynb"))


def test_no_number_stands_in_the_chart_itself():
    source = (NOTEBOOKS.parent / "firstprinciples" / "explore" / "what_when.py").read_text(encoding="utf-8")
    told = source[source.index("ARROWS = ("):source.index("def look_up")]
    assert not re.search(r"\d\.\d{2}", re.sub(r'cost="[^"]*"', "", told))


def test_a_path_that_leads_nowhere_is_said():
    with pytest.raises(KeyError, match="rerank.json has nothing at held_out > rows > nobody"):
        look_up("rerank", ("held_out", "rows", "nobody"))


def test_the_chart_reads_each_arrow_out():
    stage = what_to_use_when()
    assert stage.label.startswith(f"Arrow 1 of {len(ARROWS)}. a page came in damaged: mend it before any search.")
    for place, row in enumerate(charted(Chart())["rows"], 1):
        stage.controls["arrow"].value = place
        assert draw.escape(row["path"]) in stage.words.value
        assert draw.escape(f"{number(row)} {row['unit']}".strip()) in stage.drawing
    assert sum(charted(Chart())["signs"].values()) == len(ARROWS)
    assert describe_chart(charted(Chart(99))).startswith(f"Arrow {len(ARROWS)} of")
    stage.close()
