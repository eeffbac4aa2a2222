"""Lesson 14 in a real browser: tokens stepped by keyboard, the penalty turned, the learner's function.

Cells are found by their ids. No request may leave this machine; the fixture `open_notebook` sees to that.
"""

import re

import pytest

pytest.importorskip("playwright", reason="needs playwright: python3 -m firstprinciples test --peers")
from lesson_page import cell, dial, errors, press, printed, run_cells, says, set_cell  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

pytestmark = pytest.mark.browser

LESSON = "notebooks/14_learned_sparse.ipynb"
RIGHT = """def term_weights(logits, mask):
    rows = [row for row, real in zip(np.asarray(logits, dtype=float), mask) if real]
    best = np.zeros(np.asarray(logits).shape[1])
    for row in rows:
        best = np.maximum(best, np.log(1 + np.maximum(row, 0)))
    return best"""
WRONG = RIGHT.replace("np.maximum(best, np.log", "(best + np.log")


def test_the_tokens_are_stepped_and_the_penalty_turned_by_keyboard(lesson):
    page = lesson
    assert errors(page) == []

    shown = cell(page, "watch-filed")
    picture = shown.locator("[role=img]")
    says(picture, "^Step 1 of 7, “the car is insured”: No word has")
    for _ in range(2):
        press(shown, "Next")
    says(picture, "^Step 3 of 7.*automobile 1.44")
    press(shown, "Back")
    says(picture, "^Step 2 of 7")
    dial(shown, "step").press("End")
    says(picture, "^Step 7 of 7.*The drawer “automobile”, read backwards")
    press(shown, "Another passage")
    says(picture, "^Step 1 of 10, “our automobile is insured”")
    press(shown, "Next")
    says(picture, "^Step 2 of 10")
    dial(shown, "step").press("End")  # of this passage, not of the one before, which had 7 steps
    says(picture, "^Step 10 of 10")
    says(picture, "The drawer “car”.*contract-greywether-poles#8 1.25")
    press(shown, "Reset")
    says(picture, "^Step 1 of 7, “the car is insured”")
    dial(shown, "step").press("End")
    says(picture, "^Step 7 of 7")

    shown = cell(page, "penalty-picture")
    picture = shown.locator("[role=img]")
    first = picture.get_attribute("aria-label")
    assert re.match("FLOPS weight 0\\. ", first)
    dial(shown, "FLOPS weight").press("ArrowRight")
    expect(picture).not_to_have_attribute("aria-label", first)
    expect(shown.locator(".fp-caption")).to_contain_text("From 0 to ")
    dial(shown, "FLOPS weight").press("End")
    expect(shown.locator(".fp-caption")).to_contain_text("recall@10 goes from")
    press(shown, "Another passage")
    expect(picture).not_to_have_attribute("aria-label", re.compile(re.escape(first[17:60])))
    press(shown, "Reset")
    expect(picture).to_have_attribute("aria-label", first)


def test_the_guess_is_kept_and_the_learners_function_drives_the_picture(lesson):
    page = lesson
    shown = cell(page, "guess")
    press(shown, "about 50")
    expect(shown).to_contain_text("it is about 150")

    assert printed(page, "your-check").strip() == "splade.term_weights  not attempted"
    set_cell(page, "your-weights", WRONG)
    run_cells(page, "your-weights", "your-check", "your-function", "your-picture")
    assert "points" in printed(page, "your-check")
    shown = cell(page, "your-picture")
    picture = shown.locator("[role=img]")
    dial(shown, "step").press("End")
    says(picture, "running on your term_weights: yours")

    set_cell(page, "your-weights", RIGHT)
    run_cells(page, "your-weights", "your-check", "your-function", "your-picture")
    assert re.fullmatch(r"splade\.term_weights  (\d+) of \1 points", printed(page, "your-check").strip())
    says(cell(page, "your-picture").locator("[role=img]"), "running on your term_weights$")
    assert errors(page) == []
