"""Exercise 19: what it says about its functions is so, and its answers are what the functions give."""

import ast
import re
import time
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest

from firstprinciples.evaluate import experiment
from firstprinciples.grading.hints import answer, hints
from firstprinciples.grading.tasks import stub, tasks, where_to_read
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.text import tokenize

ROOT = Path(__file__).resolve().parent.parent.parent
OWN = [name for name in tasks("experiment") if where_to_read(name).startswith("Lesson 19,")]


@pytest.fixture(scope="module")
def notebook():
    return nbformat.read(ROOT / "notebooks" / "exercises" / "19_build_it.ipynb", as_version=4)


@pytest.fixture(scope="module")
def cells(notebook):
    """Return {cell id: source on one line}."""
    return {cell.id: " ".join(cell.source.split()) for cell in notebook.cells}


def test_it_names_every_function_in_its_order_and_says_how_long_they_are(cells):
    headings = [re.search(r"## \d+\. .*?`(\w+)`", cells[id]).group(1)
                for id in ("one", "two", "three", "four", "five")]
    assert [f"experiment.{name}" for name in headings] == OWN == tasks("experiment")[-5:]
    assert "its last five functions belong here" in cells["title"] and "k_sweep" in stub(OWN[0])
    lines = 0
    for name in OWN:
        function = ast.parse(answer(name)).body[0]
        body = function.body[1:] if ast.get_docstring(function) else function.body
        lines += body[-1].end_lineno - body[0].lineno + 1
    assert "five functions, under forty lines" in cells["title"] and 25 <= lines < 40
    assert hints("experiment.k_sweep")


def test_the_answers(cells):
    said = cells["answers"]
    pieces = [(2, ("a",)), (2, ("a",)), (3, ("c",)), (1, ())]
    assert experiment.k_sweep(["a", "b", "c"], pieces, [1, 3]) == {1: 0.5, 3: 0.75} and "1. 0.5 and 0.75:" in said
    values = {1: 0.50, 3: 0.70, 5: 0.74, 10: 0.72}
    assert "0.50 at k = 1, 0.70 at 3, 0.74 at 5 and 0.72 at 10" in cells["two"]
    assert [experiment.knee(values, tolerance) for tolerance in (0.05, 0.02, 0)] == [3, 5, 5]
    assert "2. 3, since 0.70 is 0.04 below the best. 5 at 0.02: 10 is as near, but larger. 5 at 0." in said
    before, after = [1, 2, 9], [4, 3, 9.5]
    assert experiment.added(before, after, 50) == 2 and "3. 2.0: the middle one was 2 and is 4." in said
    assert experiment.percentile([b - a for a, b in zip(before, after, strict=True)], 50) == 1
    assert "differences are 3, 1 and 0.5, and their middle one is 1" in said
    line = experiment.report_line(135, "X", 0.643, 0.640, -0.020, 0.010)
    assert "not told apart" in line and "the two are not told apart" in said
    points = {"A": (0.6, 3), "B": (0.6, 5), "C": (0.7, 9), "D": (0.6, 3)}
    assert experiment.pareto(points) == ["A", "C", "D"] and "5. A, C and D." in said


def test_it_shows_no_held_out_question(cells, larkspur):
    assert not [q for q in larkspur.queries if q.split == "held_out" and any(q.text in text for text in cells.values())]


@pytest.mark.parametrize("name, wrong", [
    (None, None), ("k_sweep", lambda *_: None), ("k_sweep", lambda *_: {1: 0.5}), ("added", lambda *_: "much")])
def test_the_step_does_what_it_says_and_a_wrong_function_ends_it_with_a_sentence(notebook, larkspur, capsys, name,
                                                                                 wrong):
    cells = {cell.id: cell.source for cell in notebook.cells}
    functions = SimpleNamespace(**{task.partition(".")[2]: getattr(experiment, task.partition(".")[2])
                                   for task in tasks("experiment")})
    if name:
        setattr(functions, name, wrong)
    asked = [query for query in larkspur.queries if query.split == "dev" and query.evidence]
    exec(cells["all-try"], {
        "asked": asked[:4] if name else asked, "larkspur": larkspur, "mine": "", "load": lambda _: functions,
        "BM25": BM25, "tokenize": tokenize, "time": time, "draw_resamples": experiment.draw_resamples,
        "paired_differences": experiment.paired_differences, "bootstrap_interval": experiment.bootstrap_interval})
    out, said = capsys.readouterr().out, " ".join(cells["all"].split())
    if name:
        assert "check(mine) says which function is not right yet." in out
        return
    one, other = re.search(r"from (0\.\d+) to (0\.\d+) \(", out).groups()
    assert f"on the {len(asked)} questions" in said and f"go from {one} to {other} of the pieces" in said
    assert "not told apart" in out and "the two are not told apart" in said
