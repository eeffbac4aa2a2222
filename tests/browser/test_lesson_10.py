"""Lesson 10 in a real browser: the orphan stepped by keyboard, the bills, the bars, the guess, the learner's function.

Cells are found by their ids. No request may leave this machine; the fixture `open_notebook` sees to that.
"""

import re

import pytest

pytest.importorskip("playwright", reason="needs playwright: python3 -m firstprinciples test --peers")
from lesson_page import cell, choose, dial, errors, press, printed, run_cells, says, set_cell  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

pytestmark = pytest.mark.browser

LESSON = "notebooks/10_contextual_retrieval.ipynb"
RIGHT = '''def ingestion_cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
    needed = ["input", "output"] + (["cache_write", "cache_read"] if cached else [])
    if any(name not in prices for name in needed):
        raise ValueError("a price is missing")
    counts = [document_tokens, chunk_tokens, context_tokens, instruction_tokens] + [prices[name] for name in needed]
    if min(counts) < 0 or chunk_tokens < 1:
        raise ValueError("a negative number")
    chunks = -(-document_tokens // chunk_tokens)
    read = prices["cache_read" if cached else "input"]
    once = document_tokens * prices["cache_write"] if cached else 0
    each = document_tokens * read + (chunk_tokens + instruction_tokens) * prices["input"]
    return (once + chunks * (each + context_tokens * prices["output"])) / 1e6'''
WRONG = RIGHT.replace('prices["cache_read" if cached else "input"]', 'prices["input"]')


def test_the_lesson_runs_and_every_picture_moves_by_keyboard(lesson):
    page = lesson
    assert errors(page) == []

    shown = cell(page, "guess")
    press(shown, "where it was: all the others have lines as well")
    expect(shown).to_contain_text("it is first in both")

    shown = cell(page, "watch-tiny")
    picture = shown.locator("[role=img]")
    says(picture, r"step 0 of 6\.$")
    press(shown, "Next")
    says(picture, r"by words \(BM25\) not found\.$")
    dial(shown, "step").press("ArrowRight")
    says(picture, r"by meaning \(MiniLM\) 4\.$")
    press(shown, "Back")
    says(picture, "step 1 of 6")
    dial(shown, "step").press("End")
    says(picture, r"with its context: by words \(BM25\) 1, by meaning \(MiniLM\) 1.*the prompt gets the chunk alone")
    press(shown, "Another question")
    says(picture, "^“How many people in Acme.*step 0 of 6")
    press(shown, "Reset")
    says(picture, "^“What was unemployment.*step 0 of 6")

    shown = cell(page, "watch-larkspur")
    picture = shown.locator("[role=img]")
    dial(shown, "step").press("End")
    says(picture, r"alone: by words \(BM25\) 8, by meaning \(MiniLM\) 279")
    press(shown, "Another question")
    says(picture, "^“Do we get more stuff")

    shown = cell(page, "cost-picture")
    picture = shown.locator("[role=img]")
    says(picture, r"with the cache, \$1\.02; without it \$2\.92")
    dial(shown, "questions").press("End")
    says(picture, "each of 100,000 questions")
    choose(shown, "without")
    says(picture, r"The bill below: without\.$")
    dial(shown, "tokens a document").press("Home")
    says(picture, "^Documents of 1,000 tokens")
    press(shown, "Reset")
    says(picture, "each of 1,000 questions")

    shown = cell(page, "measure-bars")
    picture = shown.locator("[role=img]")
    says(picture, "embeddings 5.7, contextual embeddings 3.7")
    choose(shown, "needs context")
    says(picture, "Ours, needs context, 15 held-out questions")
    choose(shown, "one scale")
    says(picture, r"Drawn with one scale\.$")

    page.set_viewport_size({"width": 700, "height": 1000})  # what does not fit is scrolled to, and never cut off
    shown = cell(page, "watch-larkspur")
    says(shown.locator("[role=img]"), "^“Do we get more stuff")
    for _ in range(2):
        press(shown, "Next")
    for part in (".fp-body", ".fp-list"):
        for each in shown.locator(part).all():
            assert each.evaluate("each => each.scrollHeight <= each.clientHeight"), part
    shown = cell(page, "cost-picture")
    dial(shown, "questions").press("End")
    says(shown.locator("[role=img]"), "each of 100,000 questions")
    left = shown.locator("[role=img] svg").evaluate("""svg => Math.min(...[...svg.querySelectorAll('text')]
        .map(text => text.getBoundingClientRect().left)) - svg.getBoundingClientRect().left""")
    assert left >= 0


def test_the_learners_function_drives_the_bars(lesson):
    page = lesson
    assert printed(page, "your-check").strip() == "contextual.ingestion_cost  not attempted"
    set_cell(page, "your-cost", WRONG)
    run_cells(page, "your-cost", "your-check", "your-function", "your-picture")
    assert "points" in printed(page, "your-check")
    shown = cell(page, "your-picture")
    picture = shown.locator("[role=img]")
    says(picture, "running on your ingestion_cost: yours")
    expect(picture).to_contain_text("expected $")

    set_cell(page, "your-cost", RIGHT)
    run_cells(page, "your-cost", "your-check", "your-function", "your-picture")
    assert re.fullmatch(r"contextual\.ingestion_cost  (\d+) of \1 points", printed(page, "your-check").strip())
    says(cell(page, "your-picture").locator("[role=img]"), "running on your ingestion_cost$")
    assert errors(page) == []
