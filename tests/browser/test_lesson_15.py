"""Lesson 15 in a real browser: the grid stepped by keyboard, the dials, the guess, the learner's function.

Cells are found by their ids. No request may leave this machine; the fixture `open_notebook` sees to that.
"""

import re

import pytest

pytest.importorskip("playwright", reason="needs playwright: python3 -m firstprinciples test --peers")
from lesson_page import cell, choose, dial, errors, press, printed, run_cells, says, set_cell  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

pytestmark = pytest.mark.browser

LESSON = "notebooks/15_late_interaction.ipynb"
RIGHT = """def maxsim(question, document):
    if len(document) == 0:
        raise ValueError("a document without words")
    return float((np.asarray(question) @ np.asarray(document).T).max(axis=1).sum())"""
WRONG = RIGHT.replace(".sum()", ".mean()")


def test_the_lesson_runs_and_every_picture_moves_by_keyboard(lesson):
    page = lesson
    assert errors(page) == []

    shown = cell(page, "watch-grid")
    picture = shown.locator("[role=img]")
    says(picture, "3 words of the question.*nothing yet")
    press(shown, "Next")
    says(picture, r"step 1 of 4: python finds python 0\.90")
    dial(shown, "step").press("ArrowRight")
    says(picture, r"step 2 of 4.*bite finds bite")
    press(shown, "Back")
    says(picture, "step 1 of 4")
    for _ in range(3):
        press(shown, "Next")
    says(picture, "MaxSim and one averaged vector")
    choose(shown, "the language")
    says(picture, "across the language.*MaxSim and one averaged vector")
    press(shown, "Another question")
    says(picture, "^“python error help” across the language.*nothing yet")
    press(shown, "Reset")
    says(picture, "^“python bite treatment” across the snake")

    shown = cell(page, "average-picture")
    picture = shown.locator("[role=img]")
    says(picture, "^The page with 0 more sentences")
    dial(shown, "more sentences").press("End")
    says(picture, "^The page with 7 more sentences")
    expect(shown.locator(".fp-caption")).to_contain_text("number 2 by the averaged vector")

    shown = cell(page, "padded-picture")
    picture = shown.locator("[role=img]")
    says(picture, "All as they score alone")
    choose(shown, "with a longer one")
    says(picture, "the mask off: trail map.*Not what they score alone")
    choose(shown, "mask on")
    says(picture, "the mask on: warm wool socks.*All as they score alone")

    shown = cell(page, "storage-picture")
    picture = shown.locator("[role=img]")
    says(picture, "^704 chunks")
    dial(shown, "chunks").press("End")
    says(picture, "^10,000,000 chunks")
    dial(shown, "numbers").press("ArrowLeft")
    says(picture, "128 numbers a vector")

    shown = cell(page, "fails-picture")
    picture = shown.locator("[role=img]")
    says(picture, "across burns")
    dial(shown, "step").press("End")
    says(picture, "MaxSim and one averaged vector")
    choose(shown, "heat stroke")
    says(picture, "across heat stroke")


def test_the_guess_is_kept_and_the_learners_function_drives_the_pictures(lesson):
    page = lesson
    shown = cell(page, "guess")
    press(shown, "about 0.1")
    expect(shown).to_contain_text("it is about 0.8")

    assert printed(page, "your-check").strip() == "maxsim.maxsim  not attempted"
    set_cell(page, "your-maxsim", WRONG)
    run_cells(page, "your-maxsim", "your-check", "your-function", "your-picture")
    assert "points" in printed(page, "your-check")
    shown = cell(page, "your-picture")
    picture = shown.locator("[role=img]")
    says(picture, "running on your maxsim: yours")
    dial(shown, "step").press("End")
    expect(picture).to_contain_text("expected")

    set_cell(page, "your-maxsim", RIGHT)
    run_cells(page, "your-maxsim", "your-check", "your-function", "your-picture")
    assert re.fullmatch(r"maxsim\.maxsim  (\d+) of \1 points", printed(page, "your-check").strip())
    says(cell(page, "your-picture").locator("[role=img]"), "running on your maxsim$")
    assert errors(page) == []
