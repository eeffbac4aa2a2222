"""Lesson 01 in a real browser: the two books, the bill and the curve by keyboard, and the learner's function.

Cells are found by their ids. No request may leave this machine; the fixture `lesson` sees to that.
"""

import re

import pytest

pytest.importorskip("playwright", reason="needs playwright: python3 -m firstprinciples test --peers")
from lesson_page import cell, choose, dial, errors, press, printed, run_cells, says, set_cell  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

pytestmark = pytest.mark.browser

LESSON = "notebooks/01_open_book.ipynb"
RIGHT = """def bill(tokens_a_question, questions, price):
    for value in (tokens_a_question, questions, price):
        if isinstance(value, bool) or not math.isfinite(value) or value < 0:
            raise ValueError("a number that is finite, and 0 or more")
    return tokens_a_question * questions * price / 1_000_000"""
WRONG = """def bill(tokens_a_question, questions, price):
    return tokens_a_question * questions * price / 1_000"""


def test_the_lesson_runs_moves_by_keyboard_and_takes_the_learners_function(lesson):
    page = lesson
    assert errors(page) == []

    shown = cell(page, "guess")
    press(shown, "about 76 %")
    expect(shown).to_contain_text("it is about 54 %")

    shown = cell(page, "watch-books")
    picture = shown.locator("[role=img]")
    says(picture, "^Step 0 of 16, draw 1, the page that says it")
    press(shown, "Next")
    says(picture, r"^Step 1 of 16.*is \$7,420\.00”, chance of “\$7,420\.00” 0\.10; .*“\$1,284\.50” 0\.65")
    dial(shown, "step").press("ArrowRight")
    says(picture, r"^Step 2 of 16.*\$7,420\.00 within”")
    press(shown, "Back")
    says(picture, "^Step 1 of 16")
    tall = picture.bounding_box()["height"]
    dial(shown, "step").press("End")
    says(picture, r"^Step 16 of 16.*\$1,284\.50, payable within 30 days, that is, by April 13, 2024\.”")
    assert abs(picture.bounding_box()["height"] - tall) < 1
    dial(shown, "draw").press("ArrowRight")
    says(picture, r"draw 2.*is \$2,431\.10.*open book: .*\$1,284\.50")
    choose(shown, "another page of it")
    says(picture, r"^Step 16 of 16, draw 2, another page of it.*matched by hand")
    choose(shown, "another invoice")
    dial(shown, "step").press("Home")
    says(picture, "^Step 0 of 14")
    press(shown, "Reset")
    says(picture, "^Step 0 of 16, draw 1, the page that says it")

    shown = cell(page, "cost-picture")
    picture = shown.locator("[role=img]")
    says(picture, r"all 70 documents: 55,986 tokens a question.*\$419\.89 a month; the best 5 chunks: 526 tokens")
    dial(shown, "documents").press("ArrowRight")
    says(picture, "all 140 documents")
    dial(shown, "documents").press("End")
    says(picture, "all 7,000 documents.*it can't be pasted at all")
    press(shown, "Reset")
    dial(shown, "chunks").press("ArrowRight")
    says(picture, "the best 10 chunks: 984 tokens")
    dial(shown, "questions a day").press("ArrowLeft")
    says(picture, "^100 questions a day")
    choose(shown, "read from a cache")
    says(picture, "read from a cache, 0.03 dollars a million tokens")

    shown = cell(page, "lost-picture")
    picture = shown.locator("[role=img]")
    says(picture, "^Liu and others, GPT-3.5-Turbo, 20 pages: with the answer on page 1 75.8 %")
    dial(shown, "page at place").press("ArrowRight")
    says(picture, "page 2 71.2 % answered rightly .between two published points")
    dial(shown, "page at place").press("End")
    says(picture, "page 20 63.2 %")
    choose(shown, "30 pages")
    says(picture, r"GPT-3.5-Turbo \(16K\), 30 pages: with the answer on page 20 51.8 %")
    dial(shown, "page at place").press("End")
    says(picture, "page 30 63.7 %")
    choose(shown, "10 pages")
    says(picture, "10 pages: with the answer on page 10 62.4 %")
    press(shown, "Reset")
    says(picture, "20 pages: with the answer on page 1 75.8 %")

    assert printed(page, "your-check").strip() == "context.bill  not attempted"
    set_cell(page, "your-bill", WRONG)
    run_cells(page, "your-bill", "your-check", "your-function", "your-picture")
    assert "points" in printed(page, "your-check")
    says(cell(page, "your-picture").locator("[role=img]"), "running on your bill: yours 13")
    set_cell(page, "your-bill", f"import math\n\n\n{RIGHT}")
    run_cells(page, "your-bill", "your-check", "your-function", "your-picture")
    assert re.fullmatch(r"context\.bill  (\d+) of \1 points", printed(page, "your-check").strip())
    says(cell(page, "your-picture").locator("[role=img]"), "running on your bill$")
    assert errors(page) == []
