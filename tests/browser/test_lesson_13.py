"""Lesson 13 in a real browser: shares, labels and the walk by keyboard, the question dragged, the record, a learner.

Cells are found by their ids. No request may leave this machine; the fixture `open_notebook` sees to that.
"""

import re

import pytest

pytest.importorskip("playwright", reason="needs playwright: python3 -m firstprinciples test --peers")
from lesson_page import cell, dial, errors, press, printed, run_cells, says, set_cell  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

pytestmark = pytest.mark.browser

LESSON = "notebooks/13_filters.ipynb"
RIGHT = """def post_filter(ranked, allowed, k):
    if k < 1 or any(not 0 <= position < len(allowed) for position, _ in ranked):
        raise ValueError("k is 1 or more, and allowed has a value for every position")
    found = [pair for pair in ranked if allowed[pair[0]]][:k]
    return {"found": found, "missing": k - len(found)}"""
WRONG = RIGHT.replace("[pair for pair in ranked if allowed[pair[0]]][:k]", "[p for p in ranked[:k] if allowed[p[0]]]")
RAISES = "def post_filter(ranked, allowed, k):\n    return ranked['found']"


def test_shares_labels_and_the_walk_by_keyboard_keep_the_question(lesson):
    page = lesson
    assert errors(page) == []
    shown = cell(page, "watch-ways")
    picture, at = shown.locator("[role=img]"), r"question at \(4\.5, 3\.5\).*"
    says(picture, f"^50 of 500.*{at}after: 2 found, 3 missing")
    press(shown, "a hundredth")
    says(picture, f"^5 of 500.*{at}5 compared.*after: 0 found")
    expect(picture).to_contain_text("5 compared, was 50")
    expect(shown.locator(".fp-caption")).to_contain_text("50 matched, now 5 do.")
    press(shown, "lying together")
    says(picture, f"lying together.*{at}")
    press(shown, "matching points only")
    says(picture, f"{at}the walk goes through matching points only")
    press(shown, "Reset")
    says(picture, f"^50 of 500 points match, scattered.*{at}")
    fetched = dial(shown, "fetched")
    for _ in range(9):
        fetched.press("ArrowRight")
    says(picture, "65 are fetched.*after: 5 found, 119 compared")
    expect(picture).to_contain_text("pale: before")


def test_the_question_is_dragged_and_moved_by_keys_and_by_sliders(notebook):
    page = notebook("from firstprinciples.explore import three_ways", "three_ways()")
    shown = cell(page, "cell-1")
    picture = shown.locator("[role=img]")
    tip = shown.get_by_role("slider", name="the question", exact=True)
    tip.focus()
    tip.press("ArrowLeft")
    tip.press("ArrowUp")
    says(picture, r"question at \(4\.25, 3\.75\)")
    box = tip.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 56, y - 28, steps=6)  # 28 pixels are a unit
    page.mouse.up()
    says(picture, r"question at \(2\.25, 4\.75\)")
    dial(shown, "question across").press("End")
    says(picture, r"question at \(8, 4\.75\)")
    expect(tip).to_have_attribute("aria-valuetext", ": 8, 4.75")


def test_the_record_and_a_condition_that_is_typed(notebook):
    page = notebook("from firstprinciples.explore import store_record", "store_record()")
    shown = cell(page, "cell-1")
    picture = shown.locator("[role=img]")
    says(picture, "So the record matches; 36 of 704 records do")
    press(shown, "policies of 2023")
    says(picture, "type is policy: does not hold.* match; 20 of 704")
    kind = shown.locator(".widget-text input").first
    kind.fill("invoice, bill")
    kind.press("Enter")
    says(picture, "type is invoice or bill: holds")
    press(shown, "Another page")
    says(picture, "^Record cedarline-freight-bill-march-2024")


def test_the_learners_function_drives_the_pictures_and_a_wrong_one_is_named(lesson):
    page = lesson
    assert printed(page, "your-check").strip() == "filters.post_filter  not attempted"

    set_cell(page, "your-filter", WRONG)
    run_cells(page, "your-filter", "your-check", "your-function", "your-picture")
    assert "cut" in printed(page, "your-check")
    picture = cell(page, "your-picture").locator("[role=img]")
    says(picture, "running on your post_filter: yours")
    expect(picture).to_contain_text("expected 2")

    set_cell(page, "your-filter", RAISES)
    run_cells(page, "your-filter", "your-function")
    says(cell(page, "watch-ways").locator("[role=img]"), "TypeError.*course's own function")

    set_cell(page, "your-filter", RIGHT)
    run_cells(page, "your-filter", "your-check", "your-function", "your-picture", "fails-short")
    assert re.fullmatch(r"filters\.post_filter  (\d+) of \1 points", printed(page, "your-check").strip())
    assert "0 of 10, 10 missing" in printed(page, "fails-short")  # the search itself runs on it
    picture = cell(page, "your-picture").locator("[role=img]")
    says(picture, "running on your post_filter$")
    assert errors(page) == []
