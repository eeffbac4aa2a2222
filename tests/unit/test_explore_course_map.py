"""The map of lesson 00: the twenty-one lessons of the course, and which of them exist."""

import importlib

import nbformat

from firstprinciples.explore import course_map

module = importlib.import_module("firstprinciples.explore.course_map")


def test_every_lesson_stands_once_in_its_order():
    numbers = [number for _, lessons in module.ROWS for number in lessons]
    assert numbers == list(range(21))


def test_a_lesson_is_there_when_its_notebook_is(tmp_path):
    for name in ("00_start_here.ipynb", "11_nearest_neighbors.ipynb", "03_notes.txt", "measuring.ipynb"):
        (tmp_path / name).touch()
    rows = module.frame(tmp_path)
    there = [lesson["number"] for row in rows for lesson in row["lessons"] if lesson["there"]]
    assert there == [0, 11]
    said = module.describe(rows)
    assert "00 start here." in said and "03 BM25 (to come)." in said
    assert "11 nearest neighbors and 12 memory (to come)." in said
    drawn = module.picture(rows)
    assert drawn.count("<span") == 21 and drawn.count("fp-map-later") == 19 and "2 so far" in drawn


def test_a_whole_course_promises_nothing_more(tmp_path):
    for number in range(21):
        (tmp_path / f"{number:02}_lesson.ipynb").touch()
    drawn = module.picture(module.frame(tmp_path))
    assert "fp-map-later" not in drawn and "all 21 lessons are there" in drawn and "to come" not in drawn


def test_the_map_of_this_course_agrees_with_its_notebooks():
    there = {int(path.name[:2]) for path in module.NOTEBOOKS.glob("[0-9][0-9]_*.ipynb")}
    label = course_map().label
    for _, lessons in module.ROWS:
        for number, name in lessons.items():
            assert (f"{number:02} {name} (to come)" in label) == (number not in there)
    assert "text/html" in course_map()._repr_mimebundle_()


def test_the_picture_that_is_stored_promises_no_lesson_that_is_there():
    """After a new lesson: python tests/notebooks/store.py 00_start_here."""
    cells = nbformat.read(module.NOTEBOOKS / "00_start_here.ipynb", as_version=4).cells
    [output] = next(cell for cell in cells if cell.id == "map").outputs
    assert output.data["text/plain"] == course_map().label
