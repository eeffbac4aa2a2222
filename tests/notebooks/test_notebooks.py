"""Every notebook runs from top to bottom on a fresh kernel and prints what is stored in it."""

import importlib.util
import re
from pathlib import Path

import nbformat
import pytest

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


def test_there_are_notebooks():
    assert [path.name for path in NOTEBOOKS] == ["03_bm25.ipynb", "03_bm25.ipynb"]  # the lesson and its exercise


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
            called = re.findall(r"^(?:guess|scores|saturation|index_steps)\(", cell.source, re.MULTILINE)
            images = [o for o in cell.outputs if "image/png" in o.get("data", {})]
            assert len(images) == len(called), f"cell {cell.id}: {len(called)} explorers, {len(images)} pictures"
            shown += len(images)
    assert shown == {"03_bm25.ipynb": 6 if path.parent.name == "notebooks" else 1}[path.name]


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
