"""Lesson 02 and its exercise in a real browser: pages moved by keyboard, conventions, own questions, own recall_at_k.

Cells are found by their ids. No request may leave this machine; the fixture `open_notebook` sees to that.
"""

import json
import re

import pytest

pytest.importorskip("playwright", reason="needs playwright: python3 -m firstprinciples test --peers")
from lesson_page import cell, errors, printed, run_cells, set_cell  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

pytestmark = pytest.mark.browser

LESSON = "notebooks/02_measuring.ipynb"
RIGHT = """def recall_at_k(ranked, grades, k):
    relevant = {id for id, grade in grades.items() if grade > 0}
    return len(relevant & set(ranked[:k])) / len(relevant) if relevant else 0.0"""
WRONG = """def recall_at_k(ranked, grades, k):
    return len({id for id in ranked[:k] if grades.get(id, 0) > 0}) / k"""
RAISES = """def recall_at_k(ranked, grades, k):
    return k / (k - k)"""


def says(picture, words: str):
    """Wait until the sentence that stands for a picture holds these words."""
    expect(picture).to_have_attribute("aria-label", re.compile(re.escape(words)))


def count(page) -> int:
    """Return how many cells the notebook has."""
    return page.evaluate("() => window.jupyterapp.shell.currentWidget.content.widgets.length")


def height(shown) -> float:
    return shown.locator(".widget-vbox").first.bounding_box()["height"]


def test_pages_are_moved_by_keyboard_and_the_sentence_says_who_noticed(lesson):
    page = lesson
    assert errors(page) == []
    shown = cell(page, "watch-measuring")
    picture, caption = shown.locator("[role=img]"), shown.locator(".fp-caption")
    says(picture, "B (grade 2) at place 4, C (grade 1) at place 7, D (grade 1) not found. recall@5 0.50")
    before, tall = picture.inner_html(), height(shown)

    shown.get_by_role("button", name="B (grade 2)").press("Enter")
    shown.get_by_role("button", name="Up", exact=True).press("Enter")
    says(picture, "B (grade 2) at place 3")
    expect(caption).to_contain_text("Noticed by nDCG (+0.03); not by recall, precision and RR.")
    expect(picture).to_contain_text("was 4")
    assert picture.inner_html() != before and height(shown) == tall

    shown.get_by_role("button", name="Best last").press("Enter")
    says(picture, "A (grade 3) at place 4, B (grade 2) at place 3, C (grade 1) at place 2, D (grade 1) at place 1")
    shown.get_by_role("button", name="Best first").press("Enter")
    says(picture, "recall@5 1.00, precision@5 0.80, RR@5 1.00, nDCG@5 1.00")
    expect(caption).to_contain_text("not by recall, precision and RR.")  # three cannot tell
    shown.get_by_role("button", name="One hit on top").press("Enter")
    says(picture, "recall@5 0.25, precision@5 0.20, RR@5 1.00, nDCG@5 0.58")
    assert height(shown) == tall


def test_k_by_keyboard_and_the_button_that_puts_all_back(lesson):
    page = lesson
    shown = cell(page, "watch-measuring")
    picture, caption = shown.locator("[role=img]"), shown.locator(".fp-caption")
    handle = shown.get_by_role("slider")
    for k in range(6, 11):
        handle.press("ArrowRight")
        says(picture, f"recall@{k} ")
    says(picture, "recall@10 0.75, precision@10 0.30, RR@10 0.50")
    expect(caption).to_contain_text("k goes from 5 to 10. Noticed by recall (+0.25), precision (−0.10)")
    shown.get_by_role("button", name="A (grade 3)").press("Enter")
    shown.get_by_role("button", name="Out", exact=True).press("Enter")
    says(picture, "A (grade 3) not found")
    shown.get_by_role("button", name="Down", exact=True).press("Enter")
    says(picture, "A (grade 3) not found")
    shown.get_by_role("button", name="D (grade 1)").press("Enter")
    shown.get_by_role("button", name="Reset").press("Enter")
    expect(shown.get_by_role("button", name="A (grade 3)")).to_have_class(re.compile("mod-active"))
    says(picture, "A (grade 3) at place 2, B (grade 2) at place 4, C (grade 1) at place 7, D (grade 1) not found. "
                  "recall@5 0.50")
    expect(picture).not_to_contain_text("was ")


def test_the_guess_is_kept_and_shown_beside_the_truth(lesson):
    page = lesson
    shown = cell(page, "guess")
    button = shown.get_by_role("button", name="recall and nDCG")
    button.focus()
    page.keyboard.press("Enter")
    expect(shown).to_contain_text("You said recall and nDCG; it is recall and precision.")
    expect(shown).to_contain_text("nDCG from 0.41 to 0.81")
    expect(button).to_be_focused()  # the reader goes on from here with Tab


def test_conventions_by_keyboard(lesson):
    page = lesson
    shown = cell(page, "conventions-picture")
    picture, caption = shown.locator("[role=img]"), shown.locator(".fp-caption")
    says(picture, "under 5 BM25 variants; nDCG@10: lucene ")
    tall, first = height(shown), picture.get_attribute("aria-label")
    shown.get_by_role("button", name="nDCG conventions").press("Enter")
    says(picture, "under 3 nDCG conventions; nDCG@10: linear ")
    expect(caption).to_contain_text("One list, one set of grades, three formulas")
    shown.get_by_role("button", name="tie rules").press("Enter")
    says(picture, "under 3 tie rules; nDCG@10: id ascending ")
    expect(caption).to_contain_text("the scores are the same in all three columns, the order is not")
    assert height(shown) == tall
    question = re.compile(re.escape(first.partition("”")[0]))
    shown.get_by_role("button", name="Another question").press("Enter")
    expect(picture).not_to_have_attribute("aria-label", question)
    says(picture, "under 3 tie rules")
    assert height(shown) == tall
    shown.get_by_role("button", name="Reset").press("Enter")
    expect(picture).to_have_attribute("aria-label", first)
    assert height(shown) == tall


def test_the_figure_of_shared_words_has_its_sentence(lesson):
    page = lesson
    shown = cell(page, "fails-overlap")
    says(shown.locator("[role=img]"), "exact 41 % and 0.92; direct 40 % and 0.74")
    expect(shown.locator("[role=img]")).to_contain_text("paraphrase")
    expect(shown.locator(".fp-caption")).to_contain_text("33 % of their words stand in their quotes")
    expect(shown.get_by_role("button", name="Reset")).to_have_count(0)


def test_own_questions_are_written_scored_saved_and_read(lesson, jupyter, kernel_value):
    file = jupyter["root"] / "work" / "my_questions.jsonl"
    page = lesson
    shown = cell(page, "own-questions")
    picture = shown.locator("[role=img]")
    says(picture, "Your questions, 1 of 5 complete. 1: that quote stands in this document.")
    tall = height(shown)

    shown.get_by_role("textbox", name="2", exact=True).fill("who may cut <b>ropes</b>?")
    says(picture, "2: paste the sentence that answers it")
    expect(picture).to_contain_text("who may cut <b>ropes</b>?")
    shown.get_by_title("quote 2").fill(
        "Your own car is paid at $0.62 a mile, which covers fuel, wear and insurance.")
    says(picture, "2: choose the document")
    document = kernel_value(page, "next(d.title for d in larkspur.documents if d.id == 'travel-expenses-policy')")
    choose, cells = shown.get_by_title("document 2"), count(page)
    choose.focus()
    page.keyboard.type(document)  # the letters arrive in the field: some of them would be commands to the notebook
    expect(choose).to_have_value(document)
    page.keyboard.press("Tab")
    says(picture, "2 of 5 complete")
    assert count(page) == cells

    shown.get_by_role("button", name="Score them").press("Enter")
    expect(picture).to_have_attribute("aria-label", re.compile(
        r"1: that quote stands in this document, place \d+, recall@10 .*; 2: .* of \d words in the quote"))
    expect(shown.locator(".fp-caption")).to_contain_text(re.compile(r"BM25 has the answer to \d of 2 within ten"))
    assert height(shown) == tall

    shown.get_by_role("button", name="Save").press("Enter")
    expect(shown).to_contain_text("2 saved in work/my_questions.jsonl.")
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [line["text"] for line in lines][1] == "who may cut <b>ropes</b>?"
    assert [line["split"] for line in lines] == ["dev", "dev"]
    shown.get_by_role("textbox", name="2", exact=True).fill("")
    says(picture, "write a question")
    shown.get_by_role("button", name="Read").press("Enter")
    expect(shown).to_contain_text("2 read from work/my_questions.jsonl.")
    expect(shown.get_by_role("textbox", name="2", exact=True)).to_have_value("who may cut <b>ropes</b>?")
    expect(shown).to_contain_text("Below: 1 row that is not in the file.")  # the one whose question was taken away
    expect(shown.get_by_title("document 3")).to_have_value(document)
    says(picture, "2 of 5 complete")
    assert errors(page) == []


def test_the_learners_own_recall_drives_the_picture_and_a_wrong_one_is_named(lesson):
    page = lesson
    assert printed(page, "your-check").strip() == "metrics.recall_at_k  not attempted"

    set_cell(page, "your-recall", WRONG)
    run_cells(page, "your-recall", "your-check", "your-function", "your-picture")
    assert re.match(r"metrics\.recall_at_k  [0-3] of 4 points", printed(page, "your-check"))
    assert "That divides by k, which is precision" in printed(page, "your-check")
    picture = cell(page, "your-picture").locator("[role=img]")
    expect(picture).to_have_attribute("aria-label", re.compile(
        r"recall@5 0\.40.*running on your recall_at_k: yours 0\.4, expected 0\.5 for recall_at_k\("))
    expect(picture).to_contain_text("expected 0.50")
    expect(cell(page, "your-picture").locator(".fp-badge")).to_have_text("running on your recall_at_k")

    set_cell(page, "your-recall", RAISES)
    run_cells(page, "your-recall", "your-check", "your-function")
    picture = cell(page, "your-picture").locator("[role=img]")
    expect(picture).to_have_attribute("aria-label", re.compile(
        r"recall@5 0\.50.*ZeroDivisionError.*course's own function"))

    set_cell(page, "your-recall", RIGHT)
    run_cells(page, "your-recall", "your-check", "your-function", "your-picture")
    assert printed(page, "your-check").strip() == "metrics.recall_at_k  4 of 4 points"
    picture = cell(page, "your-picture").locator("[role=img]")
    expect(picture).to_have_attribute("aria-label", re.compile(r"recall@5 0\.50.*running on your recall_at_k$"))
    assert errors(page) == []


def test_the_picture_above_and_the_measurements_below_follow_it_too(lesson, kernel_value):
    page = lesson
    course = printed(page, "measure-kinds")
    set_cell(page, "your-recall", "def recall_at_k(ranked, grades, k):\n    return 0.125")
    run_cells(page, "your-recall", "your-function")
    says(cell(page, "watch-measuring").locator("[role=img]"), "recall@5 0.12")
    expect(cell(page, "watch-measuring").locator(".fp-badge")).to_have_text("running on your recall_at_k")
    run_cells(page, "fails-few", "measure-kinds")
    rows = [line.split() for line in printed(page, "measure-kinds").splitlines() if "0.125" in line]
    assert len(rows) == 10 and course.count("0.125") == 0
    assert kernel_value(page, "str(use('metrics.recall_at_k'))").endswith("now runs on the course's own function.")
    says(cell(page, "watch-measuring").locator("[role=img]"), "recall@5 0.50")
    expect(cell(page, "watch-measuring").locator(".fp-badge")).to_have_count(0)


def test_the_exercise_runs_untouched_and_with_a_learners_file(open_notebook, run_all, jupyter):
    work = jupyter["root"] / "work"
    page = open_notebook("notebooks/exercises/02_measuring.ipynb")
    run_all(page)
    assert errors(page) == []
    assert printed(page, "one-check").count("not attempted") == 10
    assert printed(page, "five-check").count("not attempted") == 10
    stub = (work / "metrics.py").read_text(encoding="utf-8")
    written = stub.replace('raise NotImplementedError("metrics.reciprocal_rank: not written yet")', "return 0.25")
    (work / "metrics.py").write_text(written, encoding="utf-8")
    assert written != stub
    run_cells(page, "two-check", "three-picture")
    assert "metrics.reciprocal_rank  0 of" in printed(page, "two-check")
    picture = cell(page, "three-picture").locator("[role=img]")
    expect(picture).to_have_attribute("aria-label", re.compile("RR@5 0.25.*running on your reciprocal_rank"))
    run_cells(page, "back")
    says(picture, "RR@5 0.50")
    assert errors(page) == []
