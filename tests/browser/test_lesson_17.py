"""Lesson 17 in a real browser: the two fields, the second reader and the dials by keyboard; a learner's function.

Cells are found by their ids. No request may leave this machine; the fixture `lesson` sees to that.
"""

import re

import pytest

pytest.importorskip("playwright", reason="needs playwright: python3 -m firstprinciples test --peers")
from lesson_page import cell, choose, dial, errors, press, printed, run_cells, says, set_cell  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

pytestmark = pytest.mark.browser

LESSON = "notebooks/17_corrective_rag.ipynb"
RIGHT = """def next_action(trusted, minimum, tried, actions):
    for number in (trusted, minimum):
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            raise ValueError("A whole number, 0 or more.")
    if trusted >= minimum:
        return ""
    return next((action for action in actions if action not in tried), "")"""
WRONG = """def next_action(trusted, minimum, tried, actions):
    return ""  # a filter alone"""


def test_the_lesson_runs_and_every_picture_moves_by_keyboard(lesson):
    page = lesson
    assert errors(page) == []

    shown = cell(page, "watch-fields")
    picture = shown.locator("[role=img]")
    says(picture, "^“A ship does half the speed of light.*true 12.61, false 12.61.*Of the 3 best, 1 true and 2 false")
    dial(shown, "keep the best").press("ArrowRight")
    says(picture, "Of the 4 best, ")
    expect(shown.locator("svg line[style*='stroke-dasharray:3 4']")).to_have_count(1)  # the cut before
    choose(shown, "by meaning")
    says(picture, "by meaning, cosine.*The pair: true 0.69, false 0.68")
    choose(shown, "fused")
    says(picture, "The pair: true 0.0325, false 0.0325")
    choose(shown, "light clock")
    choose(shown, "by meaning")
    says(picture, "^“what is a light clock”.*Told apart: 0.00")
    press(shown, "Reset")
    says(picture, "^“A ship does half the speed of light.*Of the 3 best")

    shown = cell(page, "label-reader")
    picture = shown.locator("[role=img]")
    says(picture, "^Step 1 of [0-9]+, read by the rules. “lightning strikes")
    press(shown, "Next")
    says(picture, "^Step 2 of .* Graded: s1-a contradicts")
    dial(shown, "step").press("ArrowRight")
    says(picture, "^Step 3 of ")
    press(shown, "Back")
    says(picture, "^Step 2 of ")
    dial(shown, "step").press("End")
    says(picture, "Handed on: ")
    choose(shown, "black hole")
    choose(shown, "the labels")
    says(picture, "^Step 1 of [0-9]+, read by the labels.*black hole")
    dial(shown, "step").press("End")
    says(picture, "Handed on: .*true, off the point")
    tall = []
    for key in ("Home", "ArrowRight", "End"):
        dial(shown, "step").press(key)
        says(picture, "^Step " + ("1 of " if key == "Home" else "2 of " if key == "ArrowRight" else r"(\d+) of \1,"))
        tall.append(round(picture.bounding_box()["height"]))
    assert len(set(tall)) == 1, tall

    shown = cell(page, "good-dial")
    picture = shown.locator("[role=img]")
    says(picture, "^dev half, threshold .*of a careful reader")
    dial(shown, "minimum").press("Home")
    says(picture, "minimum 0. ")
    dial(shown, "threshold").press("Home")
    says(picture, "^dev half, threshold 0, minimum 0")
    choose(shown, "held-out half")
    says(picture, "^held-out half, threshold 0, minimum 0. Of 88 passages")
    choose(shown, "reckless")
    says(picture, "of a reckless reader")

    page.set_viewport_size({"width": 700, "height": 1000})
    picture = cell(page, "label-reader").locator("[role=img]")
    expect(picture).to_be_visible()
    assert picture.bounding_box()["x"] + picture.bounding_box()["width"] < 700


def test_the_guess_is_kept_and_the_learners_function_acts(lesson):
    page = lesson
    shown = cell(page, "guess")
    press(shown, "about 10")
    expect(shown).to_contain_text("it is about 6")

    assert printed(page, "your-check").strip() == "corrective.next_action  not attempted"
    set_cell(page, "your-next", WRONG)
    run_cells(page, "your-next", "your-check", "your-function", "your-picture")
    assert "points" in printed(page, "your-check")
    picture = cell(page, "your-picture").locator("[role=img]")
    says(picture, "running on your next_action: yours")

    set_cell(page, "your-next", RIGHT)
    run_cells(page, "your-next", "your-check", "your-function", "your-picture")
    assert re.fullmatch(r"corrective\.next_action  (\d+) of \1 points", printed(page, "your-check").strip())
    says(cell(page, "your-picture").locator("[role=img]"), "running on your next_action$")
    assert errors(page) == []
