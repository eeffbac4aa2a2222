"""Exercise 11 in a real browser: it runs untouched, and the pictures and the counts run on a learner's files."""

import re

import pytest

pytest.importorskip("playwright", reason="needs playwright: python3 -m firstprinciples test --peers")
from lesson_page import cell, errors, printed, run_cells  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

pytestmark = pytest.mark.browser


def label(text):
    return ("aria-label", re.compile(text))


def write(path, task, body):
    """Write one function into a learner's file: a line in the place of the one that raises."""
    text = path.read_text(encoding="utf-8")
    stub = f'raise NotImplementedError("{path.stem}.{task}: not written yet")'
    assert text.count(stub) == 1
    path.write_text(text.replace(stub, body), encoding="utf-8")


def test_the_exercise_runs_untouched_and_with_a_learners_files(open_notebook, run_all, jupyter):
    work = jupyter["root"] / "work"
    page = open_notebook("notebooks/exercises/11_neighbors.ipynb")
    run_all(page)
    assert errors(page) == []
    assert printed(page, "one-check").count("not attempted") == 5
    assert printed(page, "four-try").count("not attempted") == 4
    untouched = printed(page, "three-try")

    write(work / "ivf.py", "nearest_cells", "return list(range(nprobe))")  # the first cells, not the nearest
    run_cells(page, "one-check", "two-picture", "three-try")
    said = "That takes the first cells, whatever the query is; compare it with the centroids."
    assert said in printed(page, "one-check")
    expect(cell(page, "two-picture").locator("[role=img]")).to_have_attribute(*label("running on your nearest_cells"))
    found = [float(text) for text in re.findall(r"(\S+) of 10 found", printed(page, "three-try"))]
    right = [float(text) for text in re.findall(r"(\S+) of 10 found", untouched)]
    assert len(found) == len(right) == 5 and found[0] < right[0] - 1 and found[-1] == right[-1] == 10

    write(work / "hnsw.py", "select_neighbors_simple", "return [p for _, p in sorted(candidates)[:M]]")
    write(work / "hnsw.py", "search_layer",  # the entry points, and nothing behind them
          "return sorted((float(1 - np.dot(query, vectors[p])), p) for p in entry_points)[:ef]")
    run_cells(page, "five-picture")
    said = printed(page, "five-picture")
    assert re.search(r"hnsw.select_neighbors_simple +(\d+) of \1 points", said)
    assert "That gives back the entry points; look at their neighbors, too, and go on from there." in said
    expect(cell(page, "five-picture").locator("[role=img]")).to_have_attribute(*label("running on your search_layer"))
    run_cells(page, "six-picture", "back")
    assert printed(page, "back").count("the course's own function") == 9
    assert errors(page) == []
