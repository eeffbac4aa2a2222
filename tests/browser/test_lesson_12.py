"""Lesson 12 and its exercise in a real browser: dials by keyboard, the same question kept, the learner's function.

Cells are found by their ids. No request may leave this machine; the fixture `open_notebook` sees to that.
"""

import re

import pytest

pytest.importorskip("playwright", reason="needs playwright: python3 -m firstprinciples test --peers")
from lesson_page import cell, dial, errors, press, printed, run_cells, says, set_cell  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

pytestmark = pytest.mark.browser

LESSON = "notebooks/12_memory.ipynb"
RIGHT = """def to_int8(vectors, low, high):
    vectors, low, high = (np.asarray(each, dtype=float) for each in (vectors, low, high))
    if not vectors.shape[-1] == len(low) == len(high) or (high < low).any():
        raise ValueError("these do not fit")
    width = np.where(high > low, high - low, 1)
    steps = np.where(high > low, 255 * (vectors - low) / width, 0)
    return np.clip(np.rint(steps) - 128, -128, 127).astype(np.int8)"""
WRONG = RIGHT.replace("np.clip(np.rint(steps) - 128, -128, 127)", "(steps - 128).astype(int)")


def test_the_lesson_runs_and_every_dial_moves_by_keyboard(lesson):
    page = lesson
    assert errors(page) == []

    shown = cell(page, "watch-bits")
    picture = shown.locator("[role=img]")
    says(picture, r"^Dimension 19 .* is 0\.064908")
    dial(shown, "move it by").press("Home")
    says(picture, r"^Dimension 19 .* is −0\.135092.*Binary keeps 0")
    expect(shown.locator(".fp-caption")).to_contain_text("It crossed 0, and that is all that binary sees.")
    press(shown, "Reset")
    dial(shown, "chunks measured").press("Home")
    expect(shown.locator(".fp-caption")).to_contain_text("cut off at its end")
    dial(shown, "dimension").press("ArrowRight")
    says(picture, r"^Dimension 20 ")
    press(shown, "Another phrase")
    says(picture, r"^Dimension 20 of “annual leave”")

    shown = cell(page, "bytes-picture")
    picture = shown.locator("[role=img]")
    says(picture, "float32 4.1 GB, float16 2.0 GB, int8 1.0 GB, binary")
    dial(shown, "numbers").press("ArrowLeft")
    says(picture, "^1,000,000 vectors of 768 numbers")
    expect(picture).to_contain_text("was 4.1 GB")

    shown = cell(page, "twice-picture")
    picture = shown.locator("[role=img]")
    says(picture, "By bits alone, 2 of them are found")
    for _ in range(4):
        dial(shown, "rescored").press("ArrowRight")
    says(picture, "^“can I shut Mussel .*With 50 rescored, 9 of them")
    expect(picture).to_contain_text("was 0.575 with 0")
    press(shown, "Another question")
    says(picture, "^“if Hesper Voss .*With 50 rescored, 8 of them")

    shown = cell(page, "books-picture")
    picture = shown.locator("[role=img]")
    says(picture, r"16 codes each.*Sum 0\.9249")
    dial(shown, "codes in each part").press("ArrowLeft")
    says(picture, r"8 codes each.*Sum 0\.6837")
    expect(picture).to_contain_text("was 0.9249")


def test_the_guess_is_kept_and_the_learners_function_drives_the_pictures(lesson):
    page = lesson
    shown = cell(page, "guess")
    press(shown, "about one")
    expect(shown).to_contain_text("it is nearly six")

    assert printed(page, "your-check").strip() == "quantize.to_int8  not attempted"
    set_cell(page, "your-int8", WRONG)
    run_cells(page, "your-int8", "your-check", "your-function", "your-picture")
    assert "wraps" in printed(page, "your-check") or "points" in printed(page, "your-check")
    picture = cell(page, "your-picture").locator("[role=img]")
    says(picture, "running on your to_int8: yours")
    expect(picture).to_contain_text("expected 0.175463")

    set_cell(page, "your-int8", RIGHT)
    run_cells(page, "your-int8", "your-check", "your-function", "your-picture", "fails-range", "fails-wrap")
    assert re.fullmatch(r"quantize\.to_int8  (\d+) of \1 points", printed(page, "your-check").strip())
    assert "9.95" in printed(page, "fails-range") and "7.15" in printed(page, "fails-wrap")
    says(cell(page, "your-picture").locator("[role=img]"), "running on your to_int8$")
    assert errors(page) == []


def test_the_exercise_runs_untouched_and_with_a_learners_file(open_notebook, run_all, jupyter):
    work = jupyter["root"] / "work"
    page = open_notebook("notebooks/exercises/12_quantize.ipynb")
    run_all(page)
    assert errors(page) == []
    assert printed(page, "one-check").count("not attempted") == 11
    stub = (work / "quantize.py").read_text(encoding="utf-8")
    (work / "quantize.py").write_text(stub.replace(
        'raise NotImplementedError("quantize.to_bits: not written yet")',
        "import numpy\n    return numpy.packbits(numpy.asarray(vectors) < 0, axis=-1)"), encoding="utf-8")
    run_cells(page, "five-picture")
    says(cell(page, "five-picture").locator("[role=img]"), "running on your to_bits: yours")
