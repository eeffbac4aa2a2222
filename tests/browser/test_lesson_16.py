"""Lesson 16 in a real browser: the talk, the phrasings and the made-up answer by keyboard, and the learner's function.

Cells are found by their ids. No request may leave this machine; the fixture `open_notebook` sees to that.
"""

import re

import pytest

pytest.importorskip("playwright", reason="needs playwright: python3 -m firstprinciples test --peers")
from lesson_page import cell, choose, dial, errors, press, printed, run_cells, says, set_cell  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

pytestmark = pytest.mark.browser

LESSON = "notebooks/16_queries.ipynb"
RIGHT = """def condensed(question, words):
    has = {word.lower() for word in rewrite.words_of(question)}
    kept = {}
    for word in words:
        if word.lower() not in has:
            kept.setdefault(word.lower(), word)
    return " ".join([question, *kept.values()])"""
WRONG = """def condensed(question, words):
    return " ".join([*words, question])"""


def test_the_lesson_runs_and_every_picture_moves_by_keyboard(lesson):
    page = lesson
    assert errors(page) == []

    shown = cell(page, "watch-thread")
    picture = shown.locator("[role=img]")
    says(picture, "^Step 1 of 15, the talk “for food”.*by words, BM25: place 29")
    press(shown, "Next")
    dial(shown, "step").press("ArrowRight")
    says(picture, r"^Step 3 of 15.*“and for food\? 145”.*by words, BM25: place 1;")
    press(shown, "Back")
    says(picture, "^Step 2 of 15")
    dial(shown, "step").press("End")
    says(picture, "^Step 15 of 15")
    choose(shown, "another topic")
    says(picture, "^Step 1 of 8, the talk “another topic”")
    box = shown.locator("input[type=text]")
    expect(box).to_have_value("and which version of Python do I need?")
    box.fill("Which version of Python does the help desk install on laptops?")
    box.press("Enter")
    says(picture, "^Step 1 of 2.*help desk")
    press(shown, "Reset")
    says(picture, "^Step 1 of 15, the talk “for food”")

    shown = cell(page, "phrasings-picture")
    picture = shown.locator("[role=img]")
    says(picture, r"^Step 1 of 5\. “refund\?\?”; ")
    press(shown, "Next")
    says(picture, r"“refund\?\?”: answer not found; ")
    dial(shown, "step").press("End")
    says(picture, "Fused: answer place 5")
    choose(shown, "speeding")
    says(picture, "^Step 1 of 5. “I got a speeding ticket")
    choose(shown, "a code")
    dial(shown, "step").press("End")
    says(picture, "scanner says E_4432.*answer place 63.*Fused: answer place 4")

    shown = cell(page, "hyde-picture")
    picture = shown.locator("[role=img]")
    says(picture, "^Step 1 of 4.*answer at place 45")
    dial(shown, "step").press("End")
    says(picture, "a made-up answer, by hand.*place 14.*mean of.*place 18")
    choose(shown, "who decides")
    press(shown, "Next")
    says(picture, "^Step 2 of 4.*go-live")
    choose(shown, "which plug")
    dial(shown, "step").press("End")
    says(picture, "place 80")

    page.set_viewport_size({"width": 700, "height": 1000})
    picture = cell(page, "phrasings-picture").locator("[role=img]")
    fused = picture.get_by_text("all lists fused")  # the outcome is in view in a narrow window, too
    expect(fused).to_be_visible()
    assert fused.bounding_box()["x"] + fused.bounding_box()["width"] < 700
    picture = cell(page, "hyde-picture").locator("[role=img]")
    tall = []
    for key in ("Home", "ArrowRight", "ArrowRight", "ArrowRight"):
        dial(cell(page, "hyde-picture"), "step").press(key)
        says(picture, f"^Step {len(tall) + 1} of 4")
        tall.append(round(picture.bounding_box()["height"]))
    assert len(set(tall)) == 1, tall


def test_the_guess_is_kept_and_the_learners_function_drives_the_slip(lesson):
    page = lesson
    shown = cell(page, "guess")
    press(shown, "5, as before")
    expect(shown).to_contain_text("it is 12")

    assert printed(page, "your-check").strip() == "rewrite.condensed  not attempted"
    set_cell(page, "your-condensed", WRONG)
    run_cells(page, "your-condensed", "your-check", "your-function", "your-picture")
    assert "points" in printed(page, "your-check")
    picture = cell(page, "your-picture").locator("[role=img]")
    says(picture, "running on your condensed: yours")

    set_cell(page, "your-condensed", RIGHT)
    run_cells(page, "your-condensed", "your-check", "your-function", "your-picture")
    assert re.fullmatch(r"rewrite\.condensed  (\d+) of \1 points", printed(page, "your-check").strip())
    says(cell(page, "your-picture").locator("[role=img]"), "running on your condensed$")
    assert errors(page) == []
