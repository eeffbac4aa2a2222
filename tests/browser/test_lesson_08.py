"""Lesson 08 in a real browser: the depth, the pair read step by step, the curve, and the learner's function.

Cells are found by their ids. No request may leave this machine; the fixture `open_notebook` sees to that.
"""

import re

import pytest

pytest.importorskip("playwright", reason="needs playwright: python3 -m firstprinciples test --peers")
from lesson_page import cell, dial, errors, press, printed, run_cells, says, set_cell  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

pytestmark = pytest.mark.browser

LESSON = "notebooks/08_reranking.ipynb"
RIGHT = """def rerank(ranked, new_scores, depth):
    ids = [id for id, score in ranked[:depth]]
    if depth < 1 or not all(np.isfinite(new_scores.get(id, np.nan)) for id in ids):
        raise ValueError("every candidate needs a new score, a finite number")
    return sorted([(id, new_scores[id]) for id in ids], key=lambda pair: (-pair[1], pair[0]))"""
WRONG = RIGHT.replace("(-pair[1], pair[0])", "(pair[1], pair[0])")  # the worst first
RAISES = "def rerank(ranked, new_scores, depth):\n    return ranked['first']"


def test_both_orders_the_pair_and_the_curve_by_keyboard(lesson):
    page = lesson
    assert errors(page) == []

    shown = cell(page, "watch-reranking")
    picture = shown.locator("[role=img]")
    says(picture, r"^“I got a speeding .*first 100 are .*at 26 first and "
                                                               r"at 1 then.*0 of 1 before, 1 after")
    depth = dial(shown, "candidates read")
    for _ in range(8):
        depth.press("ArrowLeft")
    says(picture, r"^“I got a speeding .*first 20 are .*nowhere then.*the "
                                                               r"ceiling is 0 of 1")
    expect(picture).to_contain_text("ceiling: 0 of 1")
    expect(shown.locator(".fp-caption")).to_contain_text("the ceiling goes from 1 of 1")
    press(shown, "Reset")
    press(shown, "Another question")
    says(picture, "^“How many paid sick days .*the ceiling is 3 of 4")
    press(shown, "Another question")
    press(shown, "Another question")
    says(picture, "^“how do I throw out .*the ceiling is 0 of 2")
    press(shown, "hybrid")
    says(picture, "candidates of hybrid .*the ceiling is 2 of 2")

    shown = cell(page, "watch-reading")
    picture = shown.locator("[role=img]")
    says(picture, "^Step 1 of 19: Two texts")
    press(shown, "Next")
    says(picture, "^Step 2 of 19: “sick” meets every word")
    press(shown, "Back")
    says(picture, "^Step 1 of 19")
    dial(shown, "step").press("End")
    says(picture, "^Step 19 of 19: The logit is")
    press(shown, "Reset")
    says(picture, "^Step 1 of 19")

    shown = cell(page, "depth")
    picture = shown.locator("[role=img]")
    says(picture, "^nDCG@10 and p95 at depth 100 over BM25")
    dial(shown, "depth").press("ArrowLeft")
    says(picture, "at depth 75 over BM25")
    expect(shown.locator(".fp-caption")).to_contain_text("From 100 candidates to 75")
    press(shown, "hybrid")
    says(picture, "at depth 75 over hybrid")


def test_the_guess_is_kept_and_the_learners_function_drives_the_picture(lesson):
    page = lesson
    shown = cell(page, "guess")
    press(shown, "53 %")
    expect(shown).to_contain_text("it is up to 82 %")

    assert printed(page, "your-check").strip() == "rerank.rerank  not attempted"
    set_cell(page, "your-rerank", WRONG)
    run_cells(page, "your-rerank", "your-check", "your-function", "your-picture")
    assert "points" in printed(page, "your-check")
    picture = cell(page, "your-picture").locator("[role=img]")
    says(picture, "running on your rerank: yours")

    set_cell(page, "your-rerank", RAISES)
    run_cells(page, "your-rerank", "your-function")
    says(cell(page, "watch-reranking").locator("[role=img]"), "TypeError.*course's own function")

    set_cell(page, "your-rerank", RIGHT)
    run_cells(page, "your-rerank", "your-check", "your-function", "your-picture", "stages-code")
    assert re.fullmatch(r"rerank\.rerank  (\d+) of \1 points", printed(page, "your-check").strip())
    assert "candidates=100" in printed(page, "stages-code")
    says(cell(page, "your-picture").locator("[role=img]"), "running on your rerank$")
    assert errors(page) == []
