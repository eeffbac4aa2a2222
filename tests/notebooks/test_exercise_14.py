"""Exercise 14: what it says about its functions is so, and its answers are what the functions give."""

import ast
import re
from pathlib import Path
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest

from firstprinciples.encode.splade_tiny import splade_tiny
from firstprinciples.evaluate.experiment import measure
from firstprinciples.grading.hints import answer, hints
from firstprinciples.grading.tasks import tasks
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.splade import (
    flops,
    flops_gradient,
    impact_index,
    literal_and_added,
    ramp,
    score_all,
    sparse_dot,
    strongest,
    term_weights,
)

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def notebook():
    return nbformat.read(ROOT / "notebooks" / "exercises" / "14_splade.ipynb", as_version=4)


@pytest.fixture(scope="module")
def cells(notebook):
    """Return {cell id: source on one line}."""
    return {cell.id: " ".join(cell.source.split()) for cell in notebook.cells}


@pytest.fixture(scope="module")
def rows(larkspur):
    return splade_tiny().encode_passages([chunk.text for chunk in larkspur.chunks])


def test_it_names_every_function_in_its_order_and_says_how_long_they_are(cells):
    names = [name.partition(".")[2] for name in tasks("splade")]
    headings = [re.search(r"## \d\. .*?`(\w+)`", cells[id]).group(1)
                for id in ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")]
    assert headings == names
    lines = 0
    for name in tasks("splade"):
        function = ast.parse(answer(name)).body[0]
        body = function.body[1:] if ast.get_docstring(function) else function.body
        lines += body[-1].end_lineno - body[0].lineno + 1
    assert "nine functions, twenty-four lines" in cells["title"] and (len(names), lines) == (9, 24)
    assert hints("splade.term_weights")


def test_the_answers(cells):
    said = cells["answers"]
    assert len(term_weights(np.ones((5, 9)), [1, 1, 1, 0, 0])) == 9 and "1. Nine" in said
    assert term_weights([[-3.0]], [1]).tolist() == [0] and "1 − 3 is below 0" in said
    assert flops([[1.0]] * 4) == 1 and flops(np.eye(4)) == 0.25
    assert "The one word costs 1" in said and "4 × (1/4)² = 0.25" in said
    assert flops_gradient([[3.0, 0.0], [1.0, 0.0]]).tolist() == [[2, 0], [2, 0]]
    assert "both get 2 × 2 × 1 / 2 = 2. A weight of 0 gets 0" in said
    assert ramp(50, 100, 1.0) == 0.25 and ramp(300, 100, 0.7) == 0.7 and "4. A quarter. `top`" in said
    one, two = {"a": 1.0, "b": 0.5}, {"a": 2.0}
    assert sparse_dot({"a": 2.0, "b": 1.0}, two) == 2 * sparse_dot(one, two) and "5. All scores double" in said
    assert list(strongest({"c": 1, "b": 1, "a": 1}, 2)) == ["a", "b"] and strongest(one, 0) == {}
    assert "first in the alphabet. None, an empty dict" in said
    assert impact_index([{"a": 0.5, "b": 0.0}, {"a": 2.0}]) == {"a": [(0, 0.5), (1, 2.0)]}
    assert "No, the one with the lowest position" in said
    assert score_all({"b": 1.0}, {"a": [(0, 1.0)]}, 2) == [0, 0] and "8. Twenty at most. 0." in said
    assert literal_and_added(["x", "a", "a"], {"a": 2.0}) == {"literal": {"a": 2.0}, "added": {}}
    assert "9. Into neither part. Into literal, once" in said


def test_no_held_out_question_stands_in_it(cells, larkspur):
    assert not [q for q in larkspur.queries if q.split == "held_out" and any(q.text in text for text in cells.values())]


def test_the_two_questions_come_out_as_it_says(cells, larkspur, rows):
    index, words, found = impact_index(rows), BM25(larkspur.chunks), []
    for text in ("Frozen toes: how warm a bath, and how long?", "Why the surcharge on the brochures?"):
        assert text in cells["search-try"]
        query = next(query for query in larkspur.queries if query.text == text)
        assert query.split == "dev"
        scores = score_all(splade_tiny().encode_queries([text])[0], index, len(rows))
        ranked = [larkspur.chunks[i].id for i in sorted(range(len(rows)), key=lambda i: -scores[i])]
        evidence = larkspur.evidence[query.id]
        found.append([measure(ids, evidence)["Recall@10"] for ids in
                      (ranked[:3], ranked[:10], [hit.id for hit in words.search(text, 10)])])
        assert len(evidence) == [1, 4][len(found) - 1]
    assert found == [[1, 1, 0], [0, 0, 0.75]]
    assert "What answers the first is among the three, and BM25 has it nowhere among its ten." in cells["search"]
    assert "BM25 finds three of four pieces of what was asked for, and this index none." in cells["search"]
    pieces = splade_tiny().terms_of("Why the surcharge on the brochures?")
    assert {"##cha", "##rge", "bro", "##chu"} <= set(pieces) and "look what the model makes" in cells["search"].lower()


@pytest.mark.parametrize("name, wrong", [
    ("strongest", lambda weights, n: sorted(weights.items(), key=lambda pair: -pair[1])[:n]),
    ("score_all", lambda question, index, n: {}), ("impact_index", lambda documents: None),
])
def test_a_function_that_is_not_right_yet_ends_the_last_cell_with_a_sentence(notebook, larkspur, rows, capsys, name,
                                                                             wrong):
    source = next(cell.source for cell in notebook.cells if cell.id == "search-try")
    functions = SimpleNamespace(strongest=strongest, literal_and_added=literal_and_added, impact_index=impact_index,
                                score_all=score_all)
    space = {"splade_tiny": splade_tiny, "rows": rows, "chunks": larkspur.chunks, "mine": "",
             "load": lambda _: functions}
    exec(source, space)
    assert "heat-and-cold-sheet#10" in capsys.readouterr().out
    setattr(functions, name, wrong)
    exec(source, space)
    assert "check(mine) says which function is not right yet." in capsys.readouterr().out
