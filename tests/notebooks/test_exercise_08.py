"""Exercise 08: what it says about its functions is so, and its answers are what the functions give."""

import ast
import math
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest

from firstprinciples.corpus import Collection
from firstprinciples.encode.pairs import read_pairs
from firstprinciples.explore.rerank import State, frame, reranking
from firstprinciples.grading.hints import answer, hints
from firstprinciples.grading.tasks import tasks
from firstprinciples.rank.rerank import (
    ceiling,
    logistic_gradient,
    logistic_loss,
    rerank,
    sigmoid,
    soft_counts,
    tokens_read,
)
from firstprinciples.swap import use

PATH = Path(__file__).resolve().parent.parent.parent / "notebooks" / "exercises" / "08_rerank.ipynb"


@pytest.fixture(scope="module")
def cells():
    """Return {cell id: source on one line}."""
    return {cell.id: " ".join(cell.source.split()) for cell in nbformat.read(PATH, as_version=4).cells}


@pytest.fixture(scope="module")
def printed():
    """Return {cell id: what is stored as printed}."""
    return {cell.id: "".join(output.get("text", "") for output in cell.outputs)
            for cell in nbformat.read(PATH, as_version=4).cells if cell.cell_type == "code"}


def test_it_names_every_function_and_no_other(cells):
    names = [name.partition(".")[2] for name in tasks("rerank")]
    numbers = ["one", "two", "three", "four", "five", "six", "seven"]
    assert [re.search(r"## \d\. [^`]+`(\w+)`", cells[id])[1] for id in numbers] == names
    assert re.findall(r'"(\w+)"', cells["back"]) == names
    lines = sum(len(line) > 0 for name in tasks("rerank") for line in answer(name).splitlines()[2:])
    assert "seven functions, about twenty lines" in cells["title"] and len(names) == 7 and abs(lines - 20) <= 3
    assert hints("rerank.soft_counts") and 'hint("rerank.soft_counts")' in cells["title"]
    assert "The table of cosines itself is no task" in cells["title"] and "word_similarities" not in names


def test_no_held_out_question_stands_in_it_and_none_is_asked(cells):
    queries = Collection.load("larkspur").queries
    assert not [q for q in queries if q.split == "held_out" and any(q.text in source for source in cells.values())]
    assert 'query.split == "dev" and relevant' in cells["depth-try"]
    assert "over the questions that are there to practice on" in cells["depth"]


def test_the_answers(cells):
    said = cells["answers"]
    one, ten, none = (float(soft_counts([row], [1.0], 0.01)[0]) for row in ([1, 1, 0.2], [1] * 10 + [0.2], [0.2, 0.1]))
    assert f"ln 3 = {one:.2f}, and ln 11 = {ten:.2f}: five times the matches, about twice the count" in said
    assert ten / one == pytest.approx(2, abs=0.2) and none == 0 and "Nothing: ln 1 = 0" in said
    assert f"2. {float(sigmoid(0)):.1f}. Nobody knows" in said
    assert f"ln 2 = {logistic_loss([0.0], [1]):.2f}. {logistic_loss([1000.0], [0]):,.0f}:" in said
    unsure, wrong = (abs(float(logistic_gradient([z, 9.0, 9.0, 9.0], [1, 1, 1, 1])[0])) for z in (0.0, -50.0))
    assert f"(0.5 − 1) / 4 = −{unsure:.3f}" in said and wrong == pytest.approx(1 / 4) and wrong == 2 * unsure
    listed = [(f"{place:03}", -float(place)) for place in range(1, 102)]
    assert "101" not in dict(rerank(listed, {id: float(id) for id, _ in listed}, 100))
    assert rerank(listed, {id: -float(id) for id, _ in listed}, 3)[0] == ("001", -1.0)
    ids, relevant = [id for id, _ in listed], ["007", "019", "044", "lost", "019"]
    shares = [ceiling(ids, relevant, depth) for depth in range(1, 102)]
    assert shares == sorted(shares) and "what the first 20 hold, the first 50 hold as well" in said
    assert f"50 × 512 = {tokens_read([600] * 50, 12, 512):,}. Twelve" in said


def test_the_picture_of_rerank_shows_a_function_that_forgets_the_depth(cells):
    assert cells["five-picture"].endswith("reranking(depth=20)") and "the answer at place 26 is read" in cells["five"]
    right = [frame(State(depth=depth)) for depth in (20, 30)]
    assert [each["ceiling"] for each in right] == [0.0, 1.0] and right[0]["places"] == [[26, 0]]
    stage = reranking(depth=20)
    with use("rerank.rerank", lambda ranked, new, depth: sorted(new.items(), key=lambda pair: -pair[1])[:depth]):
        assert "yours" in stage.label and "at 26 first and at 1 then" in stage.label
    stage.close()


def test_what_it_trains_shows_what_the_text_says(cells, printed):
    training, held_out = read_pairs()
    assert f"To learn from: {len(training)} pairs; to test on: {len(held_out)}, of other topics" in printed["setup"]
    assert f"ln 2 = {math.log(2):.2f}$" in cells["train"]
    rows = re.findall(r"loss (\S+) on topics seen, (\S+) on others; .* in (\d+)%", printed["train-try"])
    seen, new, above = np.array(rows, dtype=float).T
    # "one column falls, the other rises above 0.69, and still the right passage is above ... more often than not"
    assert len(rows) == 4 and (np.diff(seen) < 0).all() and (np.diff(new) >= 0).all() and new[-1] > 0.69
    assert (above > 50).all() and "one column falls, the other rises above 0.69" in cells["think"]


def test_the_cells_are_code_that_can_be_read():
    for cell in nbformat.read(PATH, as_version=4).cells:
        if cell.cell_type == "code":
            ast.parse(cell.source)
            assert max(map(len, cell.source.splitlines())) <= 120
