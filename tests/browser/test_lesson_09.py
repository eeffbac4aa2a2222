"""Lesson 09 in a real browser: the document cut by keyboard, a page filed twice, the curve, the learner's function.

Cells are found by their ids. No request may leave this machine; the fixture `open_notebook` sees to that.
"""

import re

import pytest

pytest.importorskip("playwright", reason="needs playwright: python3 -m firstprinciples test --peers")
from lesson_page import cell, choose, dial, errors, press, printed, run_cells, says, set_cell  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

pytestmark = pytest.mark.browser

LESSON = "notebooks/09_chunking.ipynb"
RIGHT = """def windows(n, size, overlap):
    if not 0 <= overlap < size:
        raise ValueError("the overlap must be smaller than the size")
    firsts = range(0, max(n - overlap, min(n, 1)), size - overlap)
    return [(first, min(first + size, n)) for first in firsts]"""
WRONG = RIGHT.replace("size - overlap)", "size)")


def test_the_lesson_runs_and_every_picture_moves_by_keyboard(lesson):
    page = lesson
    assert errors(page) == []

    shown = cell(page, "watch-cut")
    picture = shown.locator("[role=img]")
    says(picture, "windows of 50 words, overlap 0: 9 chunks.*12 of its 18 words in chunk 6, 6 in chunk 7")
    dial(shown, "size").press("ArrowRight")
    says(picture, "windows of 55 words.*the quote is whole")
    dial(shown, "size").press("ArrowRight")
    says(picture, "windows of 60 words.*the quote is cut")
    press(shown, "Reset")
    says(picture, "windows of 50 words, overlap 0")
    dial(shown, "overlap").press("ArrowRight")
    says(picture, "overlap 5.*whole in chunk 7")
    expect(shown.locator(".fp-caption")).to_contain_text("the quote was cut")
    choose(shown, "sections")
    says(picture, "cut by sections: 6 chunks.*whole in chunk 4")
    expect(picture).to_contain_text("the dials do nothing here")
    choose(shown, "words")
    dial(shown, "overlap").press("End")  # the dial says 60, and half of the size is the most
    says(picture, "windows of 50 words, overlap 25")
    expect(picture).to_contain_text("half of the size, the most there is")
    press(shown, "Another question")
    says(picture, "^“how do I throw out old glue")

    shown = cell(page, "twice-picture")
    picture = shown.locator("[role=img]")
    says(picture, "nothing filed yet")
    press(shown, "Next")
    says(picture, "step 1 of 14: chunk 1")
    dial(shown, "step").press("End")
    says(picture, "LK-119-J2.*the answer is number 1; by meaning.*the answer is number 2")
    press(shown, "Back")
    says(picture, "gas cartridges.*the answer is number 9")

    shown = cell(page, "measure-sizes")
    picture = shown.locator("[role=img]")
    says(picture, "^chunks of 100 words, no overlap")
    dial(shown, "size").press("ArrowRight")
    says(picture, "^chunks of 200 words")
    dial(shown, "budget").press("ArrowRight")
    says(picture, "in 2,000 words")
    choose(shown, "a fifth overlaps")
    says(picture, "a fifth overlaps")

    shown = cell(page, "fails-picture")
    picture = shown.locator("[role=img]")
    says(picture, "cut by paragraphs.*7 of its 50 words in chunk 2, 43 in chunk 3")
    choose(shown, "sections")
    says(picture, "cut by sections: 8 chunks.*whole in chunk 2")


def test_the_guess_is_kept_and_the_learners_function_drives_the_picture(lesson):
    page = lesson
    shown = cell(page, "guess")
    press(shown, "about 1 in 10")
    expect(shown).to_contain_text("it is about 1 in 3")

    assert printed(page, "your-check").strip() == "chunking.windows  not attempted"
    set_cell(page, "your-windows", WRONG)
    run_cells(page, "your-windows", "your-check", "your-function", "your-picture")
    assert "points" in printed(page, "your-check")
    shown = cell(page, "your-picture")
    picture = shown.locator("[role=img]")
    dial(shown, "overlap").press("End")
    says(picture, "running on your windows: yours")

    set_cell(page, "your-windows", RIGHT)
    run_cells(page, "your-windows", "your-check", "your-function", "your-picture")
    assert re.fullmatch(r"chunking\.windows  (\d+) of \1 points", printed(page, "your-check").strip())
    says(cell(page, "your-picture").locator("[role=img]"), "running on your windows$")
    assert errors(page) == []
