"""Lesson 20 in a real browser: the lists, the sum on paper, the loop and the notes by keyboard; a learner's function.

Cells are found by their ids. No request may leave this machine; the fixture `lesson` sees to that.
"""

import re

import pytest

pytest.importorskip("playwright", reason="needs playwright: python3 -m firstprinciples test --peers")
from lesson_page import cell, choose, dial, errors, press, printed, run_cells, says, set_cell  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

pytestmark = pytest.mark.browser

LESSON = "notebooks/20_graduate.ipynb"
RIGHT = """def reciprocal_rank_fusion(lists, k=60):
    if isinstance(k, bool) or not k >= 0:
        raise ValueError("k is 0 or more")
    votes = {}
    for ids in lists:
        best = {}
        for rank, id in enumerate(ids, 1):
            if not isinstance(id, str):
                raise ValueError("ids are strings")
            best.setdefault(id, rank)
        for id, rank in best.items():
            votes.setdefault(id, []).append(1 / (k + rank))
    import math
    return sorted(((id, math.fsum(parts)) for id, parts in votes.items()), key=lambda pair: (-pair[1], pair[0]))"""
WRONG = """def reciprocal_rank_fusion(lists, k=60):
    return [(id, 1 / (k + rank)) for rank, id in enumerate(lists[0], 1)]  # the first list alone"""


def test_the_lesson_runs_and_every_picture_moves_by_keyboard(lesson):
    page = lesson
    assert errors(page) == []

    shown = cell(page, "watch-picture")
    picture = shown.locator("[role=img]")
    says(picture, "^BM25 · FTS5. “.* of 10 in both lists")
    first = picture.get_attribute("aria-label")
    press(shown, "Another question")
    expect(picture).not_to_have_attribute("aria-label", first)
    choose(shown, "Qdrant: dense")
    says(picture, "^dense · Qdrant. “")
    choose(shown, "Qdrant: k = 1")
    says(picture, "^hybrid, k = 1 · Qdrant. “")
    choose(shown, "SQLite")
    press(shown, "Ask it now")
    expect(shown).to_contain_text(re.compile("Asked just now: the same ten as on|can't do full-text search"))
    press(shown, "Reset")
    says(picture, "^BM25 · FTS5. “")

    shown = cell(page, "paper-picture")
    picture = shown.locator("[role=img]")
    says(picture, "^1,000,000 chunks, vectors of 1,024 numbers as float32: 4.61 GB in memory")
    for _ in range(3):
        dial(shown, "chunks").press("ArrowRight")
    says(picture, "^1,000,000,000 chunks.*96 shards × 2 replicas = 192 machines")
    choose(shown, "binary")
    says(picture, "14 shards × 2 replicas = 28 machines")
    dial(shown, "replicas").press("ArrowRight")
    says(picture, "14 shards × 3 replicas = 42 machines")
    press(shown, "Reset")
    says(picture, "^1,000,000 chunks")

    shown = cell(page, "loop-picture")
    picture = shown.locator("[role=img]")
    says(picture, "^Step 1 of [0-9]+: “Frozen toes")
    tall = [round(picture.bounding_box()["height"])]
    press(shown, "Next")
    says(picture, "^Step 2 of ")
    dial(shown, "step").press("End")
    says(picture, r"^Step (\d+) of \1: “Frozen toes")
    tall.append(round(picture.bounding_box()["height"]))
    assert len(set(tall)) == 1, tall
    choose(shown, "brochures")
    says(picture, "^Step 1 of [0-9]+: “Why the surcharge")
    box = shown.get_by_role("textbox", name="asked")
    box.fill("where is the stove")
    box.press("Enter")
    says(picture, "“where is the stove”")

    shown = cell(page, "dated-picture")
    picture = shown.locator("[role=img]")
    says(picture, "^“what is the code for the back gate.” similarity alone.*4417.*has place 2")
    choose(shown, "with freshness")
    says(picture, "half-life 365 days.*9052.*the right one.$")
    for _ in range(3):
        dial(shown, "half-life").press("ArrowRight")
    says(picture, "half-life 1,825 days.*4417")
    choose(shown, "a maker")
    says(picture, "^“who made the back gate.*the right one.$")

    shown = cell(page, "folder-picture")
    expect(shown).to_contain_text("SQLite's FTS5")
    box = shown.get_by_role("textbox", name="question")
    box.fill("where is the stove")
    box.press("Enter")
    says(shown.locator("[role=img]"), "where is the stove")

    page.set_viewport_size({"width": 700, "height": 1000})
    for id in ("loop-picture", "dated-picture"):
        picture = cell(page, id).locator("[role=img]")
        expect(picture).to_be_visible()
        assert picture.bounding_box()["x"] + picture.bounding_box()["width"] < 700


def test_the_guess_is_kept_and_the_learners_function_fuses(lesson):
    page = lesson
    shown = cell(page, "guess")
    press(shown, "about 20")
    expect(shown).to_contain_text("it is one")

    assert printed(page, "your-check").strip() == "fusion.reciprocal_rank_fusion  not attempted"
    set_cell(page, "your-fuse", WRONG)
    run_cells(page, "your-fuse", "your-check", "your-function", "your-picture")
    assert "points" in printed(page, "your-check")
    picture = cell(page, "your-picture").locator("[role=img]")
    says(picture, "running on your reciprocal_rank_fusion: yours")

    set_cell(page, "your-fuse", RIGHT)
    run_cells(page, "your-fuse", "your-check", "your-function", "your-picture")
    assert re.fullmatch(r"fusion\.reciprocal_rank_fusion  (\d+) of \1 points", printed(page, "your-check").strip())
    says(cell(page, "your-picture").locator("[role=img]"), "^hybrid, k = 1 · Qdrant.*running on your "
         "reciprocal_rank_fusion$")
    assert errors(page) == []
