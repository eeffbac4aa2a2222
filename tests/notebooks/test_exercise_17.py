"""Exercise 17: what it says about its functions is so, and its answers are what the functions give."""

import ast
import re
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest

from firstprinciples.corpus import Collection, references
from firstprinciples.generate import corrective
from firstprinciples.generate.corrective import (
    chance,
    keep,
    marked,
    next_action,
    numbers,
    opposed,
    per_label,
    told_apart,
    unmatched,
    verdict,
)
from firstprinciples.generate.opposites import NEGATING, OPPOSITES, TURNS
from firstprinciples.grading.hints import answer, hints
from firstprinciples.grading.tasks import tasks

ROOT = Path(__file__).resolve().parent.parent.parent
NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@pytest.fixture(scope="module")
def notebook():
    return nbformat.read(ROOT / "notebooks" / "exercises" / "17_corrective.ipynb", as_version=4)


@pytest.fixture(scope="module")
def cells(notebook):
    """Return {cell id: source on one line}."""
    return {cell.id: " ".join(cell.source.split()) for cell in notebook.cells}


def test_it_names_every_function_in_its_order_and_says_how_long_they_are(cells):
    names = [name.partition(".")[2] for name in tasks("corrective")]
    assert [re.search(r"## \d+\. .*?`(\w+)`", cells[id]).group(1) for id in NUMBERS] == names
    lines = 0
    for name in tasks("corrective"):
        function = ast.parse(answer(name)).body[0]
        body = function.body[1:] if ast.get_docstring(function) else function.body
        lines += body[-1].end_lineno - body[0].lineno + 1
    assert "ten functions, under seventy lines" in cells["title"] and len(names) == 10 and 60 <= lines < 70
    assert hints("corrective.told_apart")


def test_the_answers(cells):
    said = cells["answers"]
    assert told_apart([0.8, 0.5, 0.5], [0.5, 0.2]) == 5 / 6 and "5 of 6, which is 0.83" in said
    text = "E = mc^2 at 0.6c: 5/4, 1,250 of them, fifty-two, 12,34"
    assert f'"{text}"' in cells["two"] and "0.6, 1.25, 2, 12, 50 and 1250." in said
    assert numbers(text, {"fifty": 50.0, "two": 2.0}) == [0.6, 1.25, 2, 12, 50, 1250]
    assert unmatched([90.0], [100.0], 0.1) == [] and unmatched([100.0], [90.0], 0.1) == [100.0]
    text = "it is not here but it never is not late today"
    out = " ".join(marked(text.split(), ["not", "never"], ["but"], 3))
    assert f'"{text}"' in cells["four"] and f'"{out}"' in said
    opposites = {"slower": ["faster"]}
    assert opposed(["not_faster", "slower"], ["faster"], opposites) == [["not_faster", "faster"], ["slower", "faster"]]
    assert opposed(["faster", "slower"], ["slower"], opposites) == []
    assert verdict({"aligned": 0.4, "contradicts": 0.2, "uncertain": 0.4}) == ("uncertain", 0.4)
    assert keep([("a", "aligned", 0.7), ("b", "contradicts", 0.95), ("c", "uncertain", 0.9)], 0.7) == ["a"]
    for trusted, said_next in ((1, "B"), (2, "")):
        assert next_action(trusted, 2, ["C", "A"], ["A", "B", "C"]) == said_next
    true = ["contradicts", "aligned", "uncertain", "contradicts", "aligned"]
    found = per_label(true, ["contradicts"] * 5, ["contradicts", "aligned"])
    assert found == {"contradicts": (0.4, 1.0), "aligned": (0.0, 0.0)} and "precision 2/5, recall 1" in said
    assert chance(true) == 0.4 and "Two of five, 0.4" in said


def test_it_shows_nothing_that_is_held_out(cells):
    clocks = Collection.load("clocks")
    kept_back = [chunk.text for chunk in clocks.chunks if chunk.metadata["split"] == "held_out"]
    kept_back += [query.text for query in clocks.queries if query.split == "held_out"]
    assert len(kept_back) > 100 and not [text for text in kept_back if any(text in cell for cell in cells.values())]


@pytest.mark.parametrize("name, wrong", [
    (None, None), ("numbers", lambda text, words: None), ("marked", lambda words, negating, turns, reach: 3),
    ("per_label", lambda true, given, labels: [])])
def test_the_passages_come_out_as_it_says_and_a_wrong_function_ends_them_with_a_sentence(notebook, capsys, name, wrong):
    cells = {cell.id: cell.source for cell in notebook.cells}
    functions = SimpleNamespace(**{task.partition(".")[2]: getattr(corrective, task.partition(".")[2])
                                   for task in tasks("corrective")})
    if name:
        setattr(functions, name, wrong)
    passages = [chunk for chunk in Collection.load("clocks").chunks if chunk.metadata["split"] == "dev"]
    exec(cells["signs-try"], {"passages": passages, "trusted": {each.id: each.text for each in references()}, "re": re,
                              "NEGATING": NEGATING, "OPPOSITES": OPPOSITES, "TURNS": TURNS, "mine": "",
                              "load": lambda _: functions})
    said = capsys.readouterr().out
    if name:
        assert "check(mine) says which function is not right yet." in said and "right for" not in said
    else:
        assert "right for 30 of 80; who reads nothing, for 31" in said
        assert "right for 30 of 80 passages" in cells["signs"] and "is right for 31" in cells["signs"]
        assert max(per_label([chunk.metadata["label"] for chunk in passages], ["aligned"] * 80, ["aligned"]).values()
                   )[0] == chance([chunk.metadata["label"] for chunk in passages])
