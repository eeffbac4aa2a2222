"""Lesson 00 in a real browser: the trip walked by keyboard, another question, folded output, links to the glossary."""

import json
import re

import pytest

pytest.importorskip("playwright", reason="needs playwright: python3 -m firstprinciples test --peers")
from lesson_page import cell, errors  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

pytestmark = pytest.mark.browser

LESSON = "notebooks/00_start_here.ipynb"


def test_the_trip_is_walked_by_keyboard_and_takes_another_question(lesson):
    page = lesson
    assert errors(page) == []
    shown = cell(page, "trip")
    picture = shown.locator("[role=img]")
    expect(picture).to_have_attribute("aria-label", re.compile(r"^Stop 1 of 6, the question: .*March invoice"))
    following = shown.get_by_role("button", name="Next")
    for stop, name in enumerate(("words", "candidates", "score", "page", "answer"), 2):
        following.press("Enter")
        expect(picture).to_have_attribute("aria-label", re.compile(f"^Stop {stop} of 6, the {name}: "))
    receipt = re.compile(r"The answer: \$1,284\.50\..*Receipt: Invoice 1042, page 2")
    expect(picture).to_have_attribute("aria-label", receipt)
    tall = shown.locator(".widget-vbox").first.bounding_box()["height"]
    shown.get_by_role("button", name="Another question").press("Enter")
    expect(picture).to_have_attribute("aria-label", re.compile(r"^Stop 1 of 6, .*How much was"))  # guess first
    expect(picture).not_to_contain_text("1,284.50")
    shown.get_by_role("slider").press("End")
    expect(picture).to_have_attribute("aria-label", re.compile(r"The page you opened does not say it\."))
    expect(shown.get_by_role("textbox", name="question")).to_have_value(re.compile("^How much was the March invoice"))
    assert shown.locator(".widget-vbox").first.bounding_box()["height"] == tall
    typed = shown.get_by_role("textbox", name="question")
    typed.fill("red <b>tent</b>")
    typed.press("Enter")
    expect(picture).to_have_attribute("aria-label", re.compile("^Stop 1 of 6, .*red <b>tent</b>"))
    shown.get_by_role("slider").press("End")
    expect(picture).to_have_attribute("aria-label", re.compile("Now you judge"))
    assert picture.locator("b", has_text=re.compile("^tent$")).count() == 0  # what is typed is text, not markup


def test_the_five_stations_are_opened_by_keyboard(lesson):
    page = lesson
    shown = cell(page, "whole")
    picture = shown.locator("[role=img]")
    expect(picture).to_have_attribute("aria-label", re.compile("^Question 1 of 6: .*Open: ingestion"))
    tall = shown.locator(".widget-vbox").first.bounding_box()["height"]
    for name in ("chunking", "retrieval", "ranking", "generation"):
        shown.get_by_role("button", name=name, exact=True).press("Enter")
        expect(picture).to_have_attribute("aria-label", re.compile(f"Open: {name}"))
    expect(picture).to_contain_text("✓ right")
    for lost in ("ingestion", "chunking", "retrieval", "ranking", "generation"):
        shown.get_by_role("button", name="Another question").press("Enter")
        expect(picture).to_have_attribute("aria-label", re.compile(f"Lost at: {lost}. Open: ingestion"))
        shown.get_by_role("button", name=lost, exact=True).press("Enter")
        expect(picture).to_have_attribute("aria-label", re.compile(f"Open: {lost}"))
        assert shown.locator(".widget-vbox").first.bounding_box()["height"] == tall
        inside = picture.locator(".fp-whole-in .fp-card")
        for number in range(2):  # nothing is cut off at the lower edge
            assert inside.nth(number).evaluate("one => one.scrollHeight <= one.clientHeight + 1")
    shown.get_by_role("button", name="Reset").press("Enter")
    expect(picture).to_have_attribute("aria-label", re.compile("^Question 1 of 6: .*Open: ingestion"))


def test_the_warm_up_is_folded_until_it_is_run(open_notebook, run_all):
    page = open_notebook(LESSON)
    warm = cell(page, "warm-argsort")
    expect(warm.locator(".jp-OutputArea-output")).to_have_count(0)
    run_all(page)
    expect(cell(page, "warm-argsort").locator(".jp-OutputArea-output")).to_contain_text("[1 3 0 2]")


def test_the_learners_order_drives_the_trip(lesson):
    page = lesson
    page.evaluate("""async () => {
        const notebook = window.jupyterapp.shell.currentWidget.content;
        const at = id => notebook.widgets.findIndex(cell => cell.model.id === id);
        notebook.widgets[at('your-rank')].model.sharedModel.setSource(
            'def rank_by_score(scores):\\n    return sorted(scores, key=lambda id: (scores[id], id))');
        for (const id of ['your-rank', 'your-check', 'your-function', 'your-trip']) {
            notebook.activeCellIndex = at(id);
            await window.jupyterapp.commands.execute('notebook:run-cell');
        }
    }""")
    expect(cell(page, "your-check")).to_contain_text("That puts the lowest score first")
    expect(cell(page, "your-trip").locator("[role=img]")).to_have_attribute(
        "aria-label", re.compile("running on your rank_by_score"))
    assert errors(page) == []


def test_a_link_to_the_glossary_arrives(lesson):
    page = lesson
    top = cell(page, "title")
    page.wait_for_timeout(1500)  # JupyterLab finds the headings of a notebook only when it has laid it out
    top.get_by_role("link", name="RAG").click()
    expect(page.get_by_role("heading", name=re.compile("^rag(?!-)"))).to_be_in_viewport(timeout=30_000)


def test_a_link_from_another_notebook_opens_the_lesson(open_notebook, jupyter):
    """JupyterLab shows the top of a notebook that a link opens; in one that is open it goes to the heading."""
    link = {"cell_type": "markdown", "id": "a", "metadata": {}, "source": "[what](00_start_here.ipynb#recall)"}
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    book = {"cells": [link], "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    (jupyter["root"] / "notebooks" / "link.ipynb").write_text(json.dumps(book), encoding="utf-8")
    page = open_notebook("notebooks/link.ipynb")
    page.get_by_role("link", name="what").click()
    expect(page.get_by_role("heading", name="Start here")).to_be_in_viewport(timeout=30_000)
