"""What the tests of lessons share: the cells of the notebook that the module calls LESSON, and the collection."""

import nbformat
import pytest

from firstprinciples.corpus import Collection


@pytest.fixture(scope="module")
def larkspur():
    """Return the course's own collection."""
    return Collection.load("larkspur")


@pytest.fixture(scope="module")
def lesson(request):
    """Return {cell id: source}, on one line each."""
    cells = nbformat.read(request.module.LESSON, as_version=4).cells
    return {cell.id: " ".join(cell.source.split()) for cell in cells}


@pytest.fixture(scope="module")
def printed(request):
    """Return {cell id: what it printed}."""
    cells = nbformat.read(request.module.LESSON, as_version=4).cells
    return {cell.id: "".join(out.get("text", "") for out in cell.get("outputs", [])) for cell in cells}
