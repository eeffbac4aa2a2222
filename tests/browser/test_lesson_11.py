"""Lesson 11 in a browser: nprobe and M by keyboard, the question dragged, the walk stepped, the learner's function.

Cells are found by their ids. No request may leave this machine; the fixture `open_notebook` sees to that.
"""

import re

import pytest

pytest.importorskip("playwright", reason="needs playwright: python3 -m firstprinciples test --peers")
from lesson_page import cell, dial, errors, press, printed, run_cells, says, set_cell  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

pytestmark = pytest.mark.browser

LESSON = "notebooks/11_nearest_neighbors.ipynb"
RIGHT = """def search_layer(query, entry_points, ef, vectors, layer):
    def far(position):
        return max(0.0, 1.0 - float(np.dot(vectors[position], query)))

    visited = set(entry_points)
    candidates = sorted((far(p), p) for p in visited)
    results = candidates[:ef]
    while candidates:
        distance, position = candidates.pop(0)
        if distance > results[-1][0]:
            break
        for e in layer[position]:
            if e not in visited:
                visited.add(e)
                if far(e) < results[-1][0] or len(results) < ef:
                    candidates = sorted([*candidates, (far(e), e)])
                    results = sorted([*results, (far(e), e)])[:ef]
    return results"""
WRONG = RIGHT.replace("    return results", "    return results[::-1]")


def test_cells_by_keyboard_and_by_mouse(lesson):
    page = lesson
    assert errors(page) == []
    shown = cell(page, "watch-cells")
    picture = shown.locator("[role=img]")
    says(picture, r"nprobe = 1: .* It finds 6 of the 10 nearest")
    dial(shown, "nprobe").press("ArrowRight")
    says(picture, r"at \(1, 1\)\. nprobe = 2: .* It finds 7 of the 10")
    expect(shown.locator(".fp-caption")).to_contain_text("for the same question: 7 instead of 6")
    tip = shown.locator(".fp-tip")
    tip.focus()
    tip.press("ArrowLeft")
    says(picture, r"at \(0\.875, 1\)\. nprobe = 2")
    box = tip.locator(".fp-dot").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 112, y + 56, steps=5)  # two units to the left, one down
    page.mouse.up()
    says(picture, r"at \(\u22121\.125, 0\)\. nprobe = 2")
    expect(shown.locator(".fp-plane polygon")).to_have_count(12)  # drawn below the tip, by Python
    press(shown, "Reset")
    says(picture, r"at \(1, 1\)\. nprobe = 1")


def test_the_walk_the_graphs_and_the_charts(lesson):
    page = lesson
    shown = cell(page, "watch-walk")
    picture = shown.locator("[role=img]")
    first = picture.get_attribute("aria-label")
    press(shown, "Next")
    expect(picture).not_to_have_attribute("aria-label", first)
    press(shown, "Back")
    expect(picture).to_have_attribute("aria-label", first)

    shown = cell(page, "fails-clusters")
    picture = shown.locator("[role=img]")
    says(picture, "^Five clusters, M = 4. simple: recall@5 0.56, 72 of")
    dial(shown, "M").press("ArrowRight")
    says(picture, "^Five clusters, M = 6", timeout=20_000)
    expect(shown.locator(".fp-caption")).to_contain_text("M goes from 4 to 6, for the same points")
    press(shown, "Copies of one point")
    says(picture, "^Copies of one point, M = 6", timeout=20_000)

    shown = cell(page, "fails-curve")
    picture = shown.locator("[role=img]")
    says(picture, "^HNSW with M = 16, ef_construction = 200, ef = 64")
    dial(shown, "ef").last.press("Home")
    says(picture, "ef_construction = 200, ef = 10 on 6,583 texts")
    expect(shown.locator(".fp-caption")).to_contain_text("ef goes from 64 to 10, for the same questions")

    shown = cell(page, "measure-growth-picture")
    picture = shown.locator("[role=img]")
    says(picture, "^Distances computed in one search, at 1,000 and at")
    press(shown, "milliseconds")
    says(picture, "^Milliseconds of one search")


def test_the_learners_function_drives_the_walk_and_a_wrong_one_is_named(lesson):
    page = lesson
    assert printed(page, "your-check").strip() == "hnsw.search_layer  not attempted"
    set_cell(page, "your-layer", WRONG)
    run_cells(page, "your-layer", "your-check", "your-function", "your-picture")
    assert "hnsw.search_layer  " in printed(page, "your-check")
    says(cell(page, "your-picture").locator("[role=img]"), "running on your search_layer")
    set_cell(page, "your-layer", RIGHT)
    run_cells(page, "your-layer", "your-check", "your-function", "your-picture")
    assert re.match(r"hnsw.search_layer  (\d+) of \1 points", printed(page, "your-check"))
    says(cell(page, "your-picture").locator("[role=img]"), "running on your search_layer$")
    assert errors(page) == []
