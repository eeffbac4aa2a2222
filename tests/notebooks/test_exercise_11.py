"""Exercise 11: what it says about its functions is so, and its answers are what the functions give."""

import ast
import inspect
import math
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest

from firstprinciples.corpus import Collection
from firstprinciples.grading.hints import answer, hints
from firstprinciples.grading.tasks import tasks
from firstprinciples.index.hnsw import random_level, search_layer, select_neighbors, select_neighbors_simple
from firstprinciples.index.ivf import IVF, assign, kmeans, search_cells, update

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def cells():
    """Return {cell id: source on one line}."""
    notebook = nbformat.read(ROOT / "notebooks" / "exercises" / "11_neighbors.ipynb", as_version=4)
    return {cell.id: " ".join(cell.source.split()) for cell in notebook.cells}


def test_it_names_every_function_and_no_other(cells):
    names = {name.partition(".")[2] for stem in ("ivf", "hnsw") for name in tasks(stem)}
    assert "two files, nine functions, eight of them under ten lines" in cells["title"] and len(names) == 9
    said = [re.split(r"\*Before| Write the three names", cells[id])[0] for id in ("one", "two", "four", "five", "six")]
    headed = {name for text in said for name in re.findall(r"`(\w+)`", text)}
    assert headed == names
    assert set(re.findall(r'"(\w+)"', cells["back"])) == names
    assert hints("ivf.assign")
    lengths = [sum(len(line) > 0 for line in answer(name).splitlines()[2:])
               for stem in ("ivf", "hnsw") for name in tasks(stem)]
    assert sum(length < 10 for length in lengths) == 8


def test_no_held_out_question_stands_in_it_and_none_is_asked(cells):
    queries = Collection.load("larkspur").queries
    assert not [q for q in queries if q.split == "held_out" and any(q.text in source for source in cells.values())]
    assert 'query.split == "dev"][:30]' in cells["setup"] and "Thirty questions" in cells["three"]
    assert "chunks[:200]" in cells["setup"] and "among 200" in cells["three"]


def test_the_answers_about_cells(cells):
    said = cells["answers"]
    assert assign([[1, 0], [0, 1]], [[0.6, 0.8], [0.6, 0.8]]) == [0, 0]
    rounds = [kmeans([[1, 0], [0, 1]], [[0.6, 0.8], [0.6, 0.8]], n) for n in (1, 2)]
    assert rounds[0][0][1].tolist() == [0.6, 0.8] and "The other is empty and stays where it is" in said
    assert 1 in rounds[1][1] and "once the first has moved away, it may get some" in said
    assert f"{math.hypot(0.5, 0.5):.4f}: unless" in said
    assert np.linalg.norm(update([[1, 0], [0, 1]], [0, 0], [[1, 0]])) == pytest.approx(1)
    assert "900 vectors stand in 30 cells" in cells["two"]
    assert f"30 + 30 = {30 + 900 // 30}, and 30 + 900 = {30 + 900}" in said
    three = search_cells([1, 0], [[1, 0], [0.8, 0.6], [0, 1], [-1, 0]], [[0, 1, 2], [3]], [[0.8, 0.6], [-1, 0]], 1, 5)
    assert len(three) == 3 and "The 3: a short list is right here" in said
    index = IVF(2, cells=2, seed=1)
    index.add([[1, 0], [0.8, 0.6], [-1, 0.1], [-1, 0]])
    assert len(index.search([1, 0], k=4, nprobe=1)) == 4 and index.distances == 6


def test_the_answers_about_the_graph(cells):
    said = cells["answers"]
    assert "About 625 and 39" in said and (10_000 // 16, round(10_000 / 16**2)) == (625, 39)
    levels = [random_level(u) for u in np.random.default_rng(0).random(10_000)]
    assert abs(sum(level >= 1 for level in levels) - 625) < 60 and abs(sum(level >= 2 for level in levels) - 39) < 20
    assert f"layer {random_level(0.0)}." in said
    vectors = np.array([[0.6, 0.8], [0.8, 0.6], [1.0, 0.0]])  # from 1 the way to 2 leads through 0, which is further
    links = {1: [0], 0: [1, 2], 2: [0]}
    assert "the search does not go there; with a larger ef it would" in said
    assert [search_layer([1, 0], [1], ef, vectors, links)[0][1] for ef in (1, 2)] == [1, 2]
    copies = np.array([[1.0, 0.0]] * 4 + [[0.0, 1.0]])
    five = [(1 - float(row @ np.array([0.8, 0.6])), place) for place, row in enumerate(copies)]
    assert select_neighbors_simple(five, 4) == [0, 1, 2, 3] and select_neighbors(five, 4, copies) == [0, 4]
    assert "select_neighbors` one copy" in said


def test_the_cells_are_code_that_can_be_read(cells):
    notebook = nbformat.read(ROOT / "notebooks" / "exercises" / "11_neighbors.ipynb", as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            ast.parse(cell.source)
            assert max(map(len, cell.source.splitlines())) <= 120
    assert "chunk after the other" in cells["seven"] and "bulk=False" in cells["seven-try"]
    assert "bulk" in inspect.signature(__import__("firstprinciples.index.hnsw", fromlist=["HNSW"]).HNSW.add).parameters
