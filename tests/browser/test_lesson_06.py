"""Lesson 06 and its exercise in a real browser: cases, k and sliders by keyboard, the stepper, the learner's function.

Cells are found by their ids. No request may leave this machine; the fixture `open_notebook` sees to that.
"""

import re

import pytest

pytest.importorskip("playwright", reason="needs playwright: python3 -m firstprinciples test --peers")
from lesson_page import cell, dial, errors, printed, run_cells, set_cell  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

pytestmark = pytest.mark.browser

LESSON = "notebooks/06_hybrid.ipynb"
RIGHT = """def reciprocal_rank_fusion(lists, k=60):
    if k < 0:
        raise ValueError("k is 0 or more")
    totals = {}
    for ids in lists:
        if not all(isinstance(id, str) for id in ids):
            raise ValueError("ids are strings")
        for id in set(ids):
            totals[id] = totals.get(id, 0) + 1 / (k + 1 + ids.index(id))
    return sorted(totals.items(), key=lambda pair: (-pair[1], pair[0]))"""
WRONG = RIGHT.replace("k + 1 + ids", "k + ids")
RAISES = """def reciprocal_rank_fusion(lists, k=60):
    return sorted(lists[0], key=lambda pair: pair[7])"""


def press(element, name: str):
    """Press a button by keyboard."""
    button = element.get_by_role("button", name=name, exact=True)
    button.focus()
    button.press("Enter")


def test_the_lesson_runs_and_k_by_keyboard_turns_the_order_around(lesson):
    page = lesson
    assert errors(page) == []
    shown = cell(page, "watch-fused")
    picture = shown.locator("[role=img]")
    expect(picture).to_have_attribute("aria-label", re.compile(r"k = 60: A 0\.0325 .*; C 0\.0323"))
    press(shown, "Second and fifth")
    expect(picture).to_have_attribute("aria-label", re.compile(r"k = 60: A 0\.0315 .*; B 0\.0264"))
    dial(shown, "k").press("Home")
    expect(picture).to_have_attribute("aria-label", re.compile(r"k = 1: B 0\.5244 .*; A 0\.5000"))
    expect(shown.locator(".fp-caption")).to_contain_text("k goes from 60 to 1.")
    expect(picture).to_contain_text("pale: with k = 60")
    expect(picture).to_contain_text("was 2")
    press(shown, "Third in both")
    press(shown, "Reset")
    expect(picture).to_have_attribute("aria-label", re.compile(r"k = 60: A 0\.0325"))


def test_the_steps_the_scales_and_the_real_question(lesson):
    page = lesson
    shown = cell(page, "watch-steps")
    picture = shown.locator("[role=img]")
    expect(picture).to_have_attribute("aria-label", re.compile("^Step 1 of 10: No page has a vote yet"))
    press(shown, "Next")
    expect(picture).to_have_attribute("aria-label", re.compile(r"^Step 2 of 10: A gets 0\.0164"))
    dial(shown, "step").press("End")
    expect(picture).to_have_attribute("aria-label", re.compile("D and F have the same total"))

    shown = cell(page, "scales")
    picture = shown.locator("[role=img]")
    expect(picture).to_have_attribute("aria-label", re.compile(r"BM25 gives A 12\.40"))
    dial(shown, "best BM25 score").press("End")
    expect(picture).to_have_attribute("aria-label", re.compile(r"BM25 gives A 60\.00"))
    expect(shown.locator(".fp-caption")).to_contain_text("B goes from 0.75 to 0.13")
    press(shown, "12.4 again")
    expect(picture).to_have_attribute("aria-label", re.compile(r"BM25 gives A 12\.40"))

    shown = cell(page, "fails-glue")
    picture = shown.locator("[role=img]")
    expect(picture).to_have_attribute("aria-label", re.compile("place 31: the answer"))
    dial(shown, "k").press("Home")
    expect(shown.locator(".fp-caption")).to_contain_text("The answer goes from place 31 to 6")


def test_the_guess_is_kept_and_shown_beside_the_truth(lesson):
    page = lesson
    shown = cell(page, "guess")
    button = shown.get_by_role("button", name="X, first in one list")
    button.focus()
    page.keyboard.press("Enter")
    expect(shown).to_contain_text("it is Y, third in both")
    expect(shown).to_contain_text("1/63 + 1/63 = 0.0317")
    expect(button).to_be_focused()


def test_the_learners_function_drives_the_pictures_and_a_wrong_one_is_named(lesson):
    page = lesson
    assert printed(page, "your-check").strip() == "fusion.reciprocal_rank_fusion  not attempted"

    set_cell(page, "your-fusion", WRONG)
    run_cells(page, "your-fusion", "your-check", "your-function", "your-picture")
    assert printed(page, "your-check").startswith("fusion.reciprocal_rank_fusion  ")
    assert "counts ranks from 0" in printed(page, "your-check")
    picture = cell(page, "your-picture").locator("[role=img]")
    expect(picture).to_have_attribute("aria-label", re.compile("running on your reciprocal_rank_fusion: yours"))
    expect(picture).to_contain_text("expected 1: 0.0325")

    set_cell(page, "your-fusion", RAISES)
    run_cells(page, "your-fusion", "your-function")
    expect(cell(page, "watch-fused").locator("[role=img]")).to_have_attribute(
        "aria-label", re.compile("IndexError.*course's own function"))

    set_cell(page, "your-fusion", RIGHT)
    run_cells(page, "your-fusion", "your-check", "your-function", "your-picture", "class-code")
    assert printed(page, "your-check").strip() == "fusion.reciprocal_rank_fusion  8 of 8 points"
    assert "stock-scripts-guide#3: 0.0301" in printed(page, "class-code")  # the search itself runs on it
    picture = cell(page, "your-picture").locator("[role=img]")
    expect(picture).to_have_attribute("aria-label", re.compile("running on your reciprocal_rank_fusion$"))
    assert errors(page) == []


def test_the_exercise_runs_untouched_and_with_a_learners_file(open_notebook, run_all, jupyter):
    work = jupyter["root"] / "work"
    page = open_notebook("notebooks/exercises/06_fusion.ipynb")
    run_all(page)
    assert errors(page) == []
    assert printed(page, "one-check").count("not attempted") == 5
    stub = (work / "fusion.py").read_text(encoding="utf-8")
    (work / "fusion.py").write_text(stub.replace('raise NotImplementedError("fusion.min_max: not written yet")',
                                                 "return [score / max(scores) for score in scores]"), encoding="utf-8")
    run_cells(page, "five-picture")
    expect(cell(page, "five-picture").locator("[role=img]")).to_have_attribute(
        "aria-label", re.compile("running on your min_max: yours"))


def test_a_folder_of_ones_own_is_searched_by_what_is_typed(lesson, tmp_path):
    page = lesson
    (tmp_path / "ropes.md").write_text("# Ropes\n\nA rope older than ten years is cut up.\n", encoding="utf-8")
    (tmp_path / "stoves.txt").write_text("A stove is lit outdoors.", encoding="utf-8")
    shown = cell(page, "folder-picture")
    expect(shown.locator("[role=img]")).to_have_attribute("aria-label", re.compile("^Lesson 6 on larkspur, 704 chunks"))
    set_cell(page, "folder-picture", f"on_your_folder(6, {tmp_path.as_posix()!r})")
    run_cells(page, "folder-picture")
    shown = cell(page, "folder-picture")
    picture = shown.locator("[role=img]")
    expect(picture).to_have_attribute("aria-label", re.compile("2 chunks. Type a question and press Enter"))
    field = shown.locator("input[type=text]")
    field.focus()
    field.press_sequentially("how old may a rope get")
    field.press("Enter")
    expect(picture).to_have_attribute("aria-label", re.compile(r"BM25: 1\. ropes\.md, page 1.*hybrid: 1\. ropes\.md"))
    expect(shown.locator(".fp-caption")).to_contain_text("the small encoder of lesson 05")
    assert errors(page) == []
