"""Lesson 18 in a real browser: five pictures by keyboard, and the learner's function.

Cells are found by their ids. No request may leave this machine; the fixture `lesson` sees to that.
"""

import re

import pytest

pytest.importorskip("playwright", reason="needs playwright: python3 -m firstprinciples test --peers")
from lesson_page import cell, choose, dial, errors, press, printed, run_cells, says, set_cell  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

pytestmark = pytest.mark.browser

LESSON = "notebooks/18_answers.ipynb"
RIGHT = """import math


def risk_coverage(confidence, right):
    if len(confidence) != len(right) or not all(map(math.isfinite, confidence)):
        raise ValueError("Give each question a confidence, a finite number, and a verdict.")
    rows = []
    for threshold in sorted(set(confidence), reverse=True):
        given = [bool(good) for sure, good in zip(confidence, right) if sure >= threshold]
        rows.append((threshold, len(given) / len(right), given.count(False) / len(given)))
    return rows"""
WRONG = RIGHT.replace("/ len(given)))", "/ len(right)))")


def test_every_picture_moves_by_keyboard_and_the_learners_function_draws_the_curve(lesson):
    page = lesson
    assert errors(page) == []

    shown = cell(page, "chat-picture")
    picture = shown.locator("[role=img]")
    says(picture, "^Turn 1 of 5, step 1 of 4: the slip")
    press(shown, "Next")
    says(picture, "^Turn 1 of 5, step 2 of 4: the candidates.*by meaning")
    for step in ("3 of 4: the desk", r"4 of 4: the answer.*\[invoice-1042, page 2\]"):
        dial(shown, "step").press("ArrowRight")
        says(picture, f"^Turn 1 of 5, step {step}")
    press(shown, "Back")
    says(picture, "step 3 of 4")
    dial(shown, "step").press("End")
    says(picture, r"^Turn 5 of 5, step 4 of 4.*which of them still owe us\?.*1044 \|.*1046 \|.*1063 \|.*1069 \|"
                  r".*\[statement-receivables-2024-08, page 1\]")
    box = shown.locator("input[type=text]")
    box.fill("And how much of invoice 1046 is still open?")
    box.press("Enter")
    dial(shown, "step").press("End")
    says(picture, "^Turn 6 of 6, step 4 of 4.*invoice 1046")

    shown = cell(page, "order-picture")
    picture = shown.locator("[role=img]")
    says(picture, "best first, budget 1,200 tokens: 10 of 10 pages.*found 5th, place 5 of 10")
    choose(shown, "both ends")
    says(picture, "both ends.*By place in the search: 1, 3, 5, 7, 9, 10, 8, 6, 4, 2.*found 5th, place 3 of 10")
    handle = dial(shown, "budget")
    handle.press("Home")
    says(picture, "budget 150 tokens.*left out")
    press(shown, "Another question")
    says(picture, "^“We billed the scouts")
    press(shown, "Reset")
    says(picture, "best first, budget 1,200 tokens: 10 of 10 pages")

    shown = cell(page, "many-picture")
    picture = shown.locator("[role=img]")
    says(picture, "^3 chunks found by words and meaning")
    dial(shown, "k").press("End")
    says(picture, "^20 chunks found by words and meaning")
    choose(shown, "by words")
    says(picture, "^20 chunks found by words")
    dial(shown, "k").press("Home")
    says(picture, "^1 chunk found by words")

    shown = cell(page, "silence-picture")
    picture = shown.locator("[role=img]")
    says(picture, r"^Threshold 0\.163: 91 of 150")
    dial(shown, "threshold").press("Home")
    says(picture, r"^Threshold 0\.000: 150 of 150 dev questions answered")
    dial(shown, "threshold").press("ArrowRight")
    says(picture, r"^Threshold 0\.010")
    dial(shown, "threshold").press("End")
    says(picture, ": 0 of 150 dev questions answered.*15 are declined")

    shown = cell(page, "edited-picture")
    picture = shown.locator("[role=img]")
    says(picture, r"^Step 1 of 5, the file as it is: travel-expenses-policy.*\$145 a night")
    press(shown, "Next")
    dial(shown, "step").press("End")
    says(picture, r"^Step 5 of 5, asked again.*\$165 a night.*Before: .*\$145")
    choose(shown, "a rule is added")
    says(picture, "^Step 1 of 5.*I couldn't find that")
    dial(shown, "step").press("End")
    says(picture, "^Step 5 of 5.*Dogs may come to work.*Before: I couldn't find that")
    box = shown.locator("input[type=text]")
    box.fill("May the cat come to work?")
    box.press("Enter")
    says(picture, "^Step . of 5.*May the cat come to work")

    shown = cell(page, "guess")
    press(shown, "about 55: more than half of the new ones")
    expect(shown).to_contain_text("it is about 45")

    assert printed(page, "your-check").strip() == "answer.risk_coverage  not attempted"
    set_cell(page, "your-curve", WRONG)
    run_cells(page, "your-curve", "your-check", "your-function", "your-picture")
    assert "points" in printed(page, "your-check")
    picture = cell(page, "your-picture").locator("[role=img]")
    says(picture, "running on your risk_coverage: yours")
    set_cell(page, "your-curve", RIGHT)
    run_cells(page, "your-curve", "your-check", "your-function", "your-picture")
    assert re.fullmatch(r"answer\.risk_coverage  (\d+) of \1 points", printed(page, "your-check").strip())
    says(cell(page, "your-picture").locator("[role=img]"), "running on your risk_coverage$")
    assert errors(page) == []
