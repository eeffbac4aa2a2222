"""Every notebook runs from top to bottom on a fresh kernel and prints what is stored in it."""

import ast
import importlib.util
import re
from collections import defaultdict
from pathlib import Path
from unittest import mock

import nbformat
import pytest

from firstprinciples import explore
from firstprinciples.grading.tasks import expand, where_to_read

ROOT = Path(__file__).resolve().parent.parent.parent


def tools():
    """Return the module tests/notebooks/store.py."""
    spec = importlib.util.spec_from_file_location("store", Path(__file__).parent / "store.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


store = tools()
NOTEBOOKS = store.notebooks()


# every notebook, and how many pictures of explorers it shows
PICTURES = {
    "00_start_here.ipynb": 6,
    "01_open_book.ipynb": 7,
    "02_measuring.ipynb": 6,
    "03_bm25.ipynb": 7,
    "04_cosine.ipynb": 6,
    "05_bi_encoder.ipynb": 8,
    "06_hybrid.ipynb": 7,
    "07_failure_tree.ipynb": 6,
    "08_reranking.ipynb": 6,
    "09_chunking.ipynb": 7,
    "10_contextual_retrieval.ipynb": 7,
    "11_nearest_neighbors.ipynb": 9,
    "12_memory.ipynb": 8,
    "13_filters.ipynb": 5,
    "14_learned_sparse.ipynb": 5,
    "15_late_interaction.ipynb": 9,
    "16_queries.ipynb": 6,
    "17_corrective_rag.ipynb": 6,
    "18_answers.ipynb": 8,
    "19_build_it.ipynb": 8,
    "20_graduate.ipynb": 7,
    "exercises/01_context.ipynb": 3,
    "exercises/02_measuring.ipynb": 1,
    "exercises/03_bm25.ipynb": 1,
    "exercises/04_cosine.ipynb": 1,
    "exercises/05_biencoder.ipynb": 3,
    "exercises/06_fusion.ipynb": 2,
    "exercises/07_failure.ipynb": 3,
    "exercises/08_rerank.ipynb": 3,
    "exercises/09_chunking.ipynb": 3,
    "exercises/10_contextual.ipynb": 3,
    "exercises/11_neighbors.ipynb": 3,
    "exercises/12_quantize.ipynb": 5,
    "exercises/13_filters.ipynb": 1,
    "exercises/14_splade.ipynb": 3,
    "exercises/15_maxsim.ipynb": 4,
    "exercises/16_rewrite.ipynb": 3,
    "exercises/17_corrective.ipynb": 3,
    "exercises/18_answer.ipynb": 2,
    "exercises/19_build_it.ipynb": 2,
}


def name_of(path):
    return path.relative_to(ROOT / "notebooks").as_posix()


def test_there_are_notebooks():
    assert [name_of(path) for path in NOTEBOOKS] == list(PICTURES)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.relative_to(ROOT / "notebooks").as_posix())
def test_a_notebook_prints_what_is_stored_in_it(path):
    stored = nbformat.read(path, as_version=4)
    run = store.execute(path)
    for before, now in zip(stored.cells, run.cells, strict=True):
        if before.cell_type == "code":
            assert store.texts(now) == store.texts(before), f"cell {before.id}; run tests/notebooks/store.py"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.relative_to(ROOT / "notebooks").as_posix())
def test_a_notebook_is_stored_executed_with_a_picture_of_each_explorer_and_no_widget_state(path):
    notebook = nbformat.read(path, as_version=4)
    assert "widgets" not in notebook.metadata
    counts = [cell.execution_count for cell in notebook.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))
    shown = 0
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert not store.has_widget(cell), f"cell {cell.id} holds widget state; run tests/notebooks/store.py"
            called = re.findall(rf"^(?:{'|'.join(explore.__all__)})\(", cell.source, re.MULTILINE)
            images = [o for o in cell.outputs if "image/png" in o.get("data", {})]
            assert len(images) == len(called), f"cell {cell.id}: {len(called)} explorers, {len(images)} pictures"
            shown += len(images)
    assert shown == PICTURES[name_of(path)]


EXERCISES = [path for path in NOTEBOOKS if path.parent.name == "exercises"
             and any(cell.id == "back" for cell in nbformat.read(path, as_version=4).cells)]


@pytest.mark.parametrize("path", EXERCISES, ids=name_of)
def test_what_an_exercise_puts_in_it_puts_back(path):
    given, taken = set(), set()
    place = defaultdict(mock.MagicMock)  # whatever else a cell calls does nothing
    place["use"] = lambda name, *own: (given if own else taken).add(name)
    for cell in nbformat.read(path, as_version=4).cells:
        for node in ast.parse(cell.source).body if cell.cell_type == "code" else []:
            lists = isinstance(node, ast.Assign) and isinstance(node.value, ast.List)
            if lists or isinstance(node, (ast.For, ast.Expr)) and "use(" in ast.unparse(node):
                exec(compile(ast.Module([node], []), name_of(path), "exec"), {}, place)
    assert given == taken != set()


def test_every_task_points_to_a_heading_that_its_lesson_has():
    headings = {}
    for path in NOTEBOOKS:
        if path.parent.name == "notebooks":
            notebook = nbformat.read(path, as_version=4)
            text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
            headings[path.name[:2]] = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    for name in expand(None):
        lesson, heading = re.fullmatch(r'Lesson (\d\d), "(.+)"', where_to_read(name)).groups()
        assert heading in headings[lesson], f"{name} points to {heading!r}"


def prose(path):
    """Return the text of a notebook, its code left out."""
    return "\n\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown")


def anchors(path):
    """Return the anchors of a notebook's headings, as JupyterLab and GitHub make them: spaces become hyphens."""
    return {heading.strip().replace(" ", "-") for heading in re.findall(r"^#+ (.+)$", prose(path), re.MULTILINE)}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name_of)
def test_no_sum_of_money_is_read_as_a_formula(path):
    """Two dollar signs in a paragraph are the two ends of a formula, whatever stands between them."""
    text = re.sub(r"```.*?```|`[^`\n]*`|\$\$.*?\$\$", "", prose(path), flags=re.DOTALL)
    for paragraph in re.split(r"\n\s*\n", text):
        for formula in re.findall(r"\$([^$]+)\$", paragraph):
            plain = re.sub(r"\\\w+(\{[^}]*\})?", "", formula)
            assert not re.search(r"[a-z]{2,},? [a-z]{2,}", plain), f"set as a formula: {formula}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name_of)
def test_every_link_leads_to_a_file_and_to_a_heading_that_are_there(path):
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(path)):
        if "://" in link:
            continue
        file, _, anchor = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        assert target.exists(), f"{link}: there is no such file"
        assert not anchor or anchor in anchors(target), f"{link}: there is no such heading"
