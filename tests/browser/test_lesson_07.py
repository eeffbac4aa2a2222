"""Lesson 07 in a real browser: a case walked to its place, a fault named, the funnel; a learner's function.

Cells are found by their ids. No request may leave this machine; the fixture `lesson` sees to that.
"""

import re

import pytest

pytest.importorskip("playwright", reason="needs playwright: python3 -m firstprinciples test --peers")
from lesson_page import cell, choose, dial, errors, press, printed, run_cells, says, set_cell  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

pytestmark = pytest.mark.browser

LESSON = "notebooks/07_failure_tree.ipynb"
RIGHT = """def first_loss(reached):
    if not isinstance(reached, (list, tuple)) or len(reached) != 4 or not all(isinstance(one, bool) for one in reached):
        raise ValueError("Four values, True or False.")
    for place, there in zip(("ingestion", "chunking", "retrieval", "ranking"), reached):
        if not there:
            return place
    return "generation\""""
WRONG = """def first_loss(reached):
    return "generation"  # the reader is always to blame"""


def test_the_lesson_runs_and_every_picture_answers_the_keyboard(lesson, tmp_path):
    page = lesson
    assert errors(page) == []

    shown = cell(page, "watch-tree")
    picture = shown.locator("[role=img]")
    says(picture, "^Case 1 of 16. “if Hesper Voss.*Station 1 of 4: Do the documents")
    tall = [round(picture.bounding_box()["height"])]
    press(shown, "No")
    says(picture, "The evidence disagrees. lease-quarry-street is there")
    expect(shown.locator("span[style*='border-bottom']")).to_have_count(1)  # the line is marked now
    for station in (2, 3, 4):
        press(shown, "Yes")
        says(picture, f"Station {station} of 4")
        tall.append(round(picture.bounding_box()["height"]))
    press(shown, "Read 1")
    says(picture, "Hesper Voss signed in person")
    press(shown, "No")
    says(picture, "Lost in ranking. .*Repairs: ")
    tall.append(round(picture.bounding_box()["height"]))
    press(shown, "Another case")
    says(picture, "^Case 2 of 16.*Station 1 of 4")
    press(shown, "Yes")
    says(picture, "Station 2 of 4")
    press(shown, "No")
    says(picture, "Lost in chunking")
    tall.append(round(picture.bounding_box()["height"]))
    assert len(set(tall)) == 1, tall
    press(shown, "Reset")
    says(picture, "^Case 1 of 16.*Station 1 of 4")

    shown = cell(page, "break-picture")
    picture = shown.locator("[role=img]")
    says(picture, "^Fault 1. .*Looking at the documents: .*Score: nothing named yet")
    for view in ("chunks", "candidates", "desk"):
        choose(shown, view)
        says(picture, f"Looking at the {view}: ")
    press(shown, "ingestion")
    says(picture, "Score: [01] of 1 named rightly")
    press(shown, "Break another")
    says(picture, "^Fault 2. .*Looking at the documents: .*Score: [01] of 1 named rightly")
    run_cells(page, "break-picture")  # the score outlives the cell
    says(cell(page, "break-picture").locator("[role=img]"), "^Fault 2. .*Score: [01] of 1 named rightly")

    shown = cell(page, "funnel-picture")
    picture = shown.locator("[role=img]")
    says(picture, "^dev half, ")
    choose(shown, "held-out half")
    says(picture, "^held-out half, ")
    dial(shown, "kind").press("ArrowRight")
    says(picture, "^held-out half, .*direct")
    press(shown, "Reset")
    says(picture, "^dev half, .*all kinds")

    picture = cell(page, "folder-picture").locator("[role=img]")
    says(picture, "^The tree on larkspur, 5 chunks. .*Lost in retrieval")
    (tmp_path / "ropes.md").write_text("# Ropes\n\nA rope older than ten years is cut up.\n", encoding="utf-8")
    set_cell(page, "folder-picture", f"your_tree({tmp_path.as_posix()!r})")
    run_cells(page, "folder-picture")
    shown = cell(page, "folder-picture")
    boxes = shown.locator("input[type=text]")
    for number, text in enumerate(("How old is a rope that is cut up?", "A rope older than ten years is cut up.")):
        boxes.nth(number).fill(text)
        boxes.nth(number).press("Enter")
    says(shown.locator("[role=img]"), "3 yes; 4 yes; 5 yes. Right, and its line lay on the desk")

    page.set_viewport_size({"width": 700, "height": 1000})
    picture = cell(page, "watch-tree").locator("[role=img]")
    expect(picture).to_be_visible()
    assert picture.bounding_box()["x"] + picture.bounding_box()["width"] < 700


def test_the_guess_is_kept_and_the_learners_function_names_the_place(lesson):
    page = lesson
    shown = cell(page, "guess")
    press(shown, "about 60")
    expect(shown).to_contain_text("it is about 6")

    assert printed(page, "your-check").strip() == "failure.first_loss  not attempted"
    set_cell(page, "your-loss", WRONG)
    run_cells(page, "your-loss", "your-check", "your-function", "your-picture")
    assert "points" in printed(page, "your-check")
    shown = cell(page, "your-picture")
    press(shown, "Yes")
    press(shown, "No")
    says(shown.locator("[role=img]"), "Lost in generation.*running on your first_loss: yours 'generation'")

    set_cell(page, "your-loss", RIGHT)
    run_cells(page, "your-loss", "your-check", "your-function", "your-picture")
    assert re.fullmatch(r"failure\.first_loss  (\d+) of \1 points", printed(page, "your-check").strip())
    shown = cell(page, "your-picture")
    press(shown, "Yes")
    press(shown, "No")
    says(shown.locator("[role=img]"), "Lost in chunking.*running on your first_loss$")
    assert errors(page) == []
