"""Lesson 03 and its exercise in a real browser: run from top to bottom, dials by keyboard, the learner's own function.

Cells are found by their ids. No request may leave this machine; the fixture `open_notebook` sees to that.
"""

import re

import pytest

pytest.importorskip("playwright", reason="needs playwright: python3 -m firstprinciples test --peers")
from lesson_page import cell, dial, errors, printed, run_cells, set_cell  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

pytestmark = pytest.mark.browser

LESSON = "notebooks/03_bm25.ipynb"
RIGHT = "import math\ndef idf(n, df):\n    return math.log(1 + (n - df + 0.5) / (df + 0.5))"
WRONG = "import math\ndef idf(n, df):\n    return math.log((n - df + 0.5) / (df + 0.5))"
RAISES = "def idf(n, df):\n    return n / (df - df)"


def test_the_lesson_runs_and_k1_by_keyboard_changes_picture_and_sentence(lesson):
    page = lesson
    assert errors(page) == []
    shown = cell(page, "watch-scores")
    picture = shown.locator("[role=img]")
    expect(picture).to_have_attribute("aria-label", re.compile(r"k1 = 1\.2 and b = 0\.75: A 3\.80"))
    before = picture.inner_html()
    dial(shown, "k1").press("ArrowLeft")
    expect(picture).to_have_attribute("aria-label", re.compile(r"k1 = 1\.1 and b = 0\.75: A 3\.7"))
    expect(shown.locator(".fp-caption")).to_contain_text("Lowering k1 from 1.2 to 1.1")
    assert picture.inner_html() != before
    expect(picture).to_contain_text("was 3.80")


def test_the_guess_is_kept_and_shown_beside_the_truth(lesson):
    page = lesson
    shown = cell(page, "guess")
    button = shown.get_by_role("button", name="about 17 times as much")
    button.focus()
    page.keyboard.press("Enter")
    expect(shown).to_contain_text("about a third more")
    expect(shown).to_contain_text("3 mentions count 1.57")
    expect(button).to_be_focused()  # the reader goes on from here with Tab


def test_the_learners_own_idf_drives_the_picture_and_a_wrong_one_is_named(lesson):
    page = lesson
    assert printed(page, "your-check").strip() == "bm25.idf  not attempted"

    set_cell(page, "your-idf", WRONG)
    run_cells(page, "your-idf", "your-check", "your-function", "your-picture")
    assert printed(page, "your-check").startswith("bm25.idf  0 of 4 points")
    assert "without the 1 + inside the logarithm" in printed(page, "your-check")
    picture = cell(page, "your-picture").locator("[role=img]")
    expect(picture).to_have_attribute("aria-label", re.compile(r"running on your idf: yours 0\.5108, expected 0\.9808"))
    expect(cell(page, "your-picture")).to_contain_text("running on your idf")

    set_cell(page, "your-idf", RAISES)
    run_cells(page, "your-idf", "your-check", "your-function")
    expect(cell(page, "your-picture").locator("[role=img]")).to_have_attribute(
        "aria-label", re.compile("ZeroDivisionError.*course's own function"))

    set_cell(page, "your-idf", RIGHT)
    run_cells(page, "your-idf", "your-check", "your-function", "your-picture")
    assert printed(page, "your-check").strip() == "bm25.idf  4 of 4 points"
    picture = cell(page, "your-picture").locator("[role=img]")
    expect(picture).to_have_attribute("aria-label", re.compile(r"A 3\.80.*running on your idf$"))
    assert errors(page) == []


def test_the_pictures_above_follow_the_learners_function_too(lesson, kernel_value):
    page = lesson
    set_cell(page, "your-idf", "def idf(n, df):\n    return 1.0")
    run_cells(page, "your-idf", "your-function", "the-class")
    above = cell(page, "watch-scores").locator("[role=img]")
    expect(above).to_have_attribute("aria-label", re.compile("running on your idf"))
    assert "idf 1.0000" in printed(page, "the-class")  # the search itself runs on it
    assert kernel_value(page, "idf(5, 2)") == 1.0


def test_the_exercise_runs_untouched_and_with_a_learners_file(open_notebook, run_all, jupyter):
    work = jupyter["root"] / "work"
    page = open_notebook("notebooks/exercises/03_bm25.ipynb")
    run_all(page)
    assert errors(page) == []
    assert printed(page, "one-check").count("not attempted") == 6
    stub = (work / "bm25.py").read_text(encoding="utf-8")
    (work / "bm25.py").write_text(stub.replace('raise NotImplementedError("bm25.idf: not written yet")',
                                              "return math.log(n / df)"), encoding="utf-8")
    run_cells(page, "one-check", "four-picture")
    assert "That is ln(n / df)" in printed(page, "one-check")
    picture = cell(page, "four-picture").locator("[role=img]")
    expect(picture).to_have_attribute("aria-label", re.compile("running on your idf"))
    assert errors(page) == []
