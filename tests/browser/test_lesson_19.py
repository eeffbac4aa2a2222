"""Lesson 19 in a real browser: the ladder, the dials and the chart by keyboard; a question into the file; a function.

Cells are found by their ids. No request may leave this machine; the fixture `lesson` sees to that.
"""

import json
import re

import pytest

pytest.importorskip("playwright", reason="needs playwright: python3 -m firstprinciples test --peers")
from lesson_page import cell, choose, dial, errors, press, printed, run_cells, says, set_cell  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

pytestmark = pytest.mark.browser

LESSON = "notebooks/19_build_it.ipynb"
RIGHT = """def pareto(points):
    def beaten(name):
        quality, cost = points[name]
        return any(q >= quality and c <= cost and (q, c) != (quality, cost) for q, c in points.values())

    return sorted(name for name in points if not beaten(name))"""
WRONG = """def pareto(points):
    return sorted(points)"""


@pytest.fixture(autouse=True)
def nobody_has_asked_yet(jupyter):
    """Take the questions away that the test of another lesson saved, before this one is run."""
    (jupyter["root"] / "work" / "my_questions.jsonl").unlink(missing_ok=True)


def test_every_picture_moves_by_keyboard_and_a_learners_function_marks_the_rungs(lesson, jupyter):
    page = lesson
    assert errors(page) == []

    shown = cell(page, "watch-ladder")
    picture = shown.locator("[role=img]")
    says(picture, r"^Recall@10 of 135 dev questions, from the lowest rung up: BM25 0\.550")
    expect(shown).to_contain_text("took Recall@10 from 0.550")
    dial(shown, "rung").press("ArrowRight")
    expect(shown).to_contain_text("reranker took Recall@10 from")
    choose(shown, "right answers")
    says(picture, "^right answers of 135 dev questions")
    choose(shown, "follow-up")
    says(picture, "^right answers of 15 dev questions, follow-up")
    choose(shown, "held-out half")
    says(picture, "15 held-out questions, follow-up")
    press(shown, "Reset")
    says(picture, "^Recall@10 of 135 dev questions")

    shown = cell(page, "thirty")
    expect(shown).to_contain_text("Thirty questions of your own: 0")
    press(shown, "Add")
    expect(shown).to_contain_text("Added. 1 in work/my_questions.jsonl.")
    file = jupyter["root"] / "work" / "my_questions.jsonl"
    assert json.loads(file.read_text(encoding="utf-8"))["kind"] == "mine"
    press(shown, "Take out the last")
    expect(shown).to_contain_text("Thirty questions of your own: 0")
    assert file.read_text(encoding="utf-8") == ""

    shown = cell(page, "sweep-picture")
    picture = shown.locator("[role=img]")
    says(picture, "^5 chunks, ")
    dial(shown, "k").press("End")
    says(picture, "^50 chunks, ")
    dial(shown, "tolerance").press("Home")
    says(picture, r"Knee at tolerance 0\.00")
    choose(shown, "held-out half")
    says(picture, "held-out half, 135 questions")

    shown = cell(page, "dials-picture")
    picture = shown.locator("[role=img]")
    says(picture, "^evidence found, 135 dev questions")
    choose(shown, "answered rightly")
    says(picture, "^answered rightly, 135 dev questions")
    before = picture.get_attribute("aria-label")
    shown.get_by_role("slider").first.press("End")
    expect(picture).not_to_have_attribute("aria-label", before)

    shown = cell(page, "when-picture")
    picture = shown.locator("[role=img]")
    says(picture, "^Arrow 1 of")
    dial(shown, "arrow").press("ArrowRight")
    says(picture, "^Arrow 2 of")
    expect(shown).to_contain_text("read from chunking.json: larkspur > held_out")

    shown = cell(page, "guess")
    press(shown, "after one")
    expect(shown).to_contain_text("it is after three")

    assert printed(page, "your-check").strip() == "experiment.pareto  not attempted"
    set_cell(page, "your-pareto", WRONG)
    run_cells(page, "your-pareto", "your-check", "your-function", "your-picture")
    assert "points" in printed(page, "your-check")
    says(cell(page, "your-picture").locator("[role=img]"), "running on your pareto: yours")
    set_cell(page, "your-pareto", RIGHT)
    run_cells(page, "your-pareto", "your-check", "your-function", "your-picture")
    assert re.fullmatch(r"experiment\.pareto  (\d+) of \1 points", printed(page, "your-check").strip())
    says(cell(page, "your-picture").locator("[role=img]"), "running on your pareto$")
    assert errors(page) == []
