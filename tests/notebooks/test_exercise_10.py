"""Exercise 10: what it says about its functions is so, and its answers are what the functions give."""

import ast
import re
from pathlib import Path

import nbformat
import pytest

from firstprinciples.corpus import Collection
from firstprinciples.grading.hints import answer, hints
from firstprinciples.grading.tasks import tasks
from firstprinciples.ingest.contextual import PRICES, blurb, ingestion_cost, misses, query_cost, reduction

PATH = Path(__file__).resolve().parent.parent.parent / "notebooks" / "exercises" / "10_contextual.ipynb"
NUMBERS = ["one", "two", "three", "four", "five", "six"]


@pytest.fixture(scope="module")
def cells():
    """Return {cell id: source on one line}."""
    return {cell.id: " ".join(cell.source.split()) for cell in nbformat.read(PATH, as_version=4).cells}


def test_it_names_every_function_and_no_other(cells):
    names = [name.partition(".")[2] for name in tasks("contextual")]
    assert [re.search(r"## \d\. [^`]+`(\w+)`", cells[id])[1] for id in NUMBERS] == names
    used = {name for source in cells.values() for said in re.findall(r"for name in \[(\"[^]]+)\]", source)
            for name in re.findall(r'"(\w+)"', said)}
    assert set(re.findall(r'"(\w+)"', cells["back"])) == used == set(names)
    lines = sum(len(line) > 0 for name in tasks("contextual") for line in answer(name).splitlines()[2:])
    assert "six functions, thirty-nine lines" in cells["title"] and (len(names), lines) == (6, 39)
    assert hints("contextual.blurb") and 'hint("contextual.blurb")' in cells["title"]


def test_no_held_out_question_is_in_it(cells):
    queries = Collection.load("larkspur").queries
    assert not [q for q in queries if q.split == "held_out" and any(q.text in source for source in cells.values())]
    assert 'query.split == "dev"' in cells["setup"]


def test_the_answers(cells):
    said = cells["answers"]
    asked = re.search(r'the title is "([^"]+)", there are no headings, the kind is "([^"]+)", the date "([^"]+)", '
                      r'and a frequent name is "([^"]+)"', cells["one"])
    title, kind, date, name = asked.groups()
    assert f'1. "{blurb(title, [], date, [name], kind)}".' in said
    assert "3. One half" in said and misses(["a", "b"], ["a", "b", "c", "d"], 2) == 0.5
    large, small = reduction(10, 8), reduction(1, 0.8)
    assert f"4. {large:.0%}".replace("%", " percent in each") in said and large == pytest.approx(small)
    assert f"{1000 * 0.02:.0f} of a thousand, and {1000 * 0.002:.0f}" in said
    assert f"5. {10 * (8000 + 800 + 50):,}: ten times {8000 + 800 + 50:,}" in said
    price = PRICES
    for chunks, cached, plain in [(1, 0.33, 0.25), (2, 0.36, 0.50)]:
        assert price["cache_write"] + chunks * price["cache_read"] == pytest.approx(cached)
        assert chunks * price["input"] == pytest.approx(plain)
        assert f"{cached:.2f} is {'more' if cached > plain else 'less'} than {plain:.2f}" in said
    whole = 125 * ingestion_cost(8000, 800, 100, 50, price, True)
    assert f"costs {whole:.2f} dollars" in cells["six"]
    each = query_cost(8000, 1, price["input"])
    assert f"6. {whole / each:.0f}: one of them costs {each:.3f} dollars" in said


def test_the_prices_are_those_of_the_course(cells):
    assert "input at 0.25 dollars a million, writing to the cache at 0.30 and reading from it at 0.03" in cells["five"]
    assert PRICES == {"input": 0.25, "cache_write": 0.30, "cache_read": 0.03, "output": 1.25}


def test_the_cells_are_code_that_can_be_read():
    for cell in nbformat.read(PATH, as_version=4).cells:
        if cell.cell_type == "code":
            ast.parse(cell.source)
            assert max(map(len, cell.source.splitlines())) <= 120


def test_a_function_that_is_not_right_yet_ends_the_last_cell_with_a_sentence():
    [source] = [cell.source for cell in nbformat.read(PATH, as_version=4).cells if cell.id == "search-try"]
    assert "\ntry:\n    situated = " in source and source.count("except Exception as error:") == 1
    assert source.endswith("check(mine) says which function is not right yet.\")")
