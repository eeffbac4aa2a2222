"""Exercise 15: what it says about its functions is so, and its answers are what the functions give."""

import ast
import math
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest

from firstprinciples.corpus import Collection
from firstprinciples.encode.token_vectors import ToyTokens
from firstprinciples.grading.hints import answer, hints
from firstprinciples.grading.tasks import tasks
from firstprinciples.retrieve.maxsim import (
    best_matches,
    maxsim,
    maxsim_ragged,
    mean_similarity,
    nearest_tokens,
    storage,
    without_punctuation,
)

PATH = Path(__file__).resolve().parent.parent.parent / "notebooks" / "exercises" / "15_maxsim.ipynb"


@pytest.fixture(scope="module")
def cells():
    """Return {cell id: source on one line}."""
    return {cell.id: " ".join(cell.source.split()) for cell in nbformat.read(PATH, as_version=4).cells}


def test_it_names_every_function_and_no_other(cells):
    names = [name.partition(".")[2] for name in tasks("maxsim")]
    numbers = ["one", "two", "three", "four", "five", "six", "seven", "eight"]
    assert [re.search(r"## \d\. [^`]+`(\w+)`", cells[id])[1] for id in numbers] == names
    used = {name for source in cells.values() for said in re.findall(r"for name in \[([^]]+)\]", source)
            for name in re.findall(r'"(\w+)"', said)}
    assert set(re.findall(r'"(\w+)"', cells["back"])) == used <= set(names)
    lines = sum(len(line) > 0 for name in tasks("maxsim") for line in answer(name).splitlines()[2:])
    assert "eight functions, twenty-seven lines" in cells["title"] and (len(names), lines) == (8, 27)
    assert hints("maxsim.best_matches") and 'hint("maxsim.best_matches")' in cells["title"]


def test_its_questions_are_there_to_practice_on(cells):
    queries = Collection.load("larkspur").queries
    assert not [q for q in queries if q.split == "held_out" and any(q.text in source for source in cells.values())]
    assert len([q for q in queries if q.split == "dev" and q.text in cells["search-try"]]) == 2


def test_the_answers(cells):
    said = cells["answers"]
    rng = np.random.default_rng(4)
    question, document = (rows / np.linalg.norm(rows, axis=1, keepdims=True)
                          for rows in (rng.standard_normal((3, 6)), rng.standard_normal((4, 6))))
    assert f"3 × 4 = {3 * 4}; three positions and three similarities" in said
    assert [len(found) for found in best_matches(question, document)] == [3, 3]
    four = np.array([[1.0, 0.0]] * 4)
    assert (maxsim(four, -four), maxsim(four, four)) == (-4, 4) and "Between −4 and 4" in said
    assert maxsim(question, np.concatenate([document, document])) == pytest.approx(maxsim(question, document))
    assert "Rows 0 to 3, row 4, and rows 5 to 8" in said
    rows = np.eye(9)
    assert maxsim_ragged(rows, rows, [0, 4, 5]).tolist() == [4, 1, 4]
    with pytest.raises(ValueError):
        maxsim_ragged(rows, rows, [0, 4, 4])
    assert np.maximum.reduceat(np.arange(9), [0, 4, 4]).tolist()[1] == 4  # row 4
    assert f"5. {math.hypot(0.5, 0.5):.4f}. No" in said
    assert mean_similarity(question * 3, document) == pytest.approx(mean_similarity(question, document))
    assert without_punctuation(["...", "3.5", "[CLS]"], np.zeros((3, 2)))[0] == ["3.5", "[CLS]"]
    assert f"Only `...`. {storage(1, 384, 2)} bytes" in said
    assert f"8. {storage(100, 384, 2) // storage(1, 384, 4)} times" in said


def test_the_mean_of_all_cells_is_what_the_exercise_says(cells):
    rows = [ToyTokens().token_vectors(chunk.text, "passage")[1] for chunk in Collection.load("larkspur").chunks[:2]]
    both = re.findall(r"`([^`]*mean[^`]*)`", cells["five"].partition("dot product of the two means")[2])
    assert len(both) == 2
    assert eval(both[0], {"rows": rows}) == pytest.approx(eval(both[1], {"rows": rows}))


def test_twelve_documents_at_most_and_one_at_least(cells):
    question, rows = np.eye(3), np.repeat(np.eye(3), 4, axis=0)
    assert len(nearest_tokens(question, rows, range(12), 4)) == 12
    assert len(nearest_tokens(question, rows, [7] * 12, 4)) == 1
    assert "7. Twelve, and one" in cells["answers"]


def test_the_toy_finds_the_first_question_and_loses_the_second(cells):
    larkspur, toy = Collection.load("larkspur"), ToyTokens()
    chunks = larkspur.chunks[:200]
    rows = [toy.token_vectors(chunk.text, "passage")[1] for chunk in chunks]
    starts = np.cumsum([0, *(len(own) for own in rows[:-1])])
    places = []
    for query in larkspur.queries:
        if query.text in cells["search-try"]:
            scores = maxsim_ragged(toy.token_vectors(query.text, "query")[1], np.concatenate(rows), starts)
            order = sorted(range(len(chunks)), key=lambda position, scores=scores: (-scores[position], position))
            [(_, ids)] = larkspur.evidence[query.id]
            places.append(1 + [chunks[position].id in ids for position in order].index(True))
    assert sorted(places)[0] == 1 and sorted(places)[1] > 50
    assert "the second says it in other words, and the toy has never learned them" in cells["search"]
    words = " ".join(toy.encoder.words).split()
    assert "watchman" not in words


def test_the_cells_are_code_that_can_be_read():
    for cell in nbformat.read(PATH, as_version=4).cells:
        if cell.cell_type == "code":
            ast.parse(cell.source)
            assert max(map(len, cell.source.splitlines())) <= 120
