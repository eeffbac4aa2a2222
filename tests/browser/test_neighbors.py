"""Lesson 11's graph in a real browser: stepped by keyboard, the query dragged, dials that keep the question, dark."""

import re
import time

import pytest

pytest.importorskip("playwright", reason="needs playwright: python3 -m firstprinciples test --peers")
from lesson_page import dial  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

pytestmark = pytest.mark.browser

WALK = "from firstprinciples.explore import hnsw_walk\nw = hnsw_walk()\nw"
BUILD = "from firstprinciples.explore import hnsw_build\nb = hnsw_build()\nb"
LAZY = """import numpy as np
from firstprinciples.swap import use


def search_layer(query, entry_points, ef, vectors, layer):
    near = set(entry_points) | {p for start in entry_points for p in layer[start]}
    return sorted((max(0.0, 1 - float(np.dot(vectors[p], query))), p) for p in near)[:ef]


use("hnsw.search_layer", search_layer)"""


def says(page, pattern):
    """Expect the picture's label to match a pattern."""
    expect(page.locator(".fp[role=img]").first).to_have_attribute("aria-label", re.compile(pattern), timeout=20_000)


def query(page):
    """Return the handle of the query."""
    return page.get_by_role("slider", name="the query")


def height(page) -> float:
    return page.locator(".widget-vbox").first.bounding_box()["height"]


def test_the_walk_goes_forwards_and_backwards_by_keyboard(notebook, kernel_value):
    page = notebook(WALK)
    says(page, r"^Step 1 of 48, ef = 1: Enter the graph at 3")
    expect(page.locator(".fp-still")).to_be_hidden()  # the live map stands in its place
    tall = height(page)
    page.get_by_role("button", name="Next").press("Enter")
    says(page, r"^Step 2 of 48")
    dial(page, "step").press("ArrowRight")
    says(page, r"^Step 3 of 48, ef = 1: Layer 2: take 3")
    expect(page.locator("code.fp-hnsw-line")).to_contain_text("c = the node of C nearest to q")
    page.get_by_role("button", name="Back").press("Enter")
    says(page, r"^Step 2 of 48")
    dial(page, "step").press("End")
    says(page, r"^Step 48 of 48.*Found 19, missed 25.*17 distances; exact search computes 32")
    expect(page.locator(".fp-hnsw")).to_contain_text("missed 25")
    assert kernel_value(page, "w.values['step']") == 47 and height(page) == tall
    page.get_by_role("button", name="Play").press("Enter")  # at the end it starts again
    says(page, r"^Step 2 of 48")
    page.get_by_role("button", name="Pause").press("Enter")


def test_the_query_is_dragged_by_mouse_and_the_walk_follows(notebook, kernel_value):
    page = notebook(WALK)
    says(page, r"^Step 1 of 48")
    before = page.locator(".fp-plane").inner_html()
    box = query(page).locator(".fp-dot").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 240, y - 120, steps=12)  # 30 pixels a unit: from (-3.5, -3) to (4.5, 1)
    page.mouse.up()
    expect(query(page)).to_have_attribute("aria-valuetext", "q: 4.5, 1")
    says(page, r"Found: \d+ \(0\.\d+\)\. Truly nearest")
    expect(page.locator(".fp-caption").first).to_contain_text("Pale: with the query at (-3.5, -3) it found 19 with 17.")
    until = time.monotonic() + 20  # the walks of places on the way may still be drawn: the last of all is waited for
    while (found := kernel_value(page, "(w.frame['query'], w.frame['step'] == w.frame['steps'])")) != ([4.5, 1], True):
        assert time.monotonic() < until, found
    assert page.locator(".fp-plane").inner_html() != before
    assert kernel_value(page, "w.controls['query'].ground[0] == __import__('firstprinciples.explore.neighbors_picture',"
                              " fromlist=['x']).ground(w.frame)")


def test_the_query_moves_by_arrow_keys_and_by_sliders(notebook, kernel_value):
    page = notebook(WALK, "'another cell'")
    active = "() => window.jupyterapp.shell.currentWidget.content.activeCellIndex"
    query(page).focus()
    before = page.evaluate(active)
    for key in ("ArrowRight", "ArrowUp", "Shift+ArrowRight"):
        page.keyboard.press(key)
    expect(query(page)).to_have_attribute("aria-valuetext", "q: -2.25, -2.75")
    says(page, r"Found: ")
    expect(dial(page, "q up")).to_have_attribute("aria-valuenow", re.compile(r"^-2\.[78]"))  # it follows by the kernel
    dial(page, "q up").press("ArrowDown")
    expect(query(page)).to_have_attribute("aria-valuetext", "q: -2.25, -3")
    assert page.evaluate(active) == before
    assert kernel_value(page, "w.values['query']") == ((-2.25, -3.0),)


def test_ef_keeps_the_question_and_leaves_the_walk_before_pale(notebook, kernel_value):
    page = notebook(WALK)
    tall = height(page)
    dial(page, "ef").press("ArrowRight")
    says(page, r"^Step 59 of 59, ef = 2: Found 25\. .*20 distances")
    expect(page.locator(".fp-caption").first).to_contain_text("Pale: with ef = 1 it found 19 with 17.")
    assert kernel_value(page, "(w.values['query'], w.frame['was']['ef'])") == (((-3.5, -3.0),), 1)
    dial(page, "k").press("ArrowRight")
    says(page, r"ef = 2: Found 25 and")
    assert kernel_value(page, "w.values['query']") == ((-3.5, -3.0),) and height(page) == tall
    page.get_by_role("button", name="Reset").press("Enter")
    says(page, r"^Step 1 of 48, ef = 1")


def test_a_learners_search_layer_drives_the_walk(notebook):
    page = notebook(WALK, LAZY)
    says(page, r"running on your search_layer: yours \[.*expected \[")
    dial(page, "step").press("End")
    says(page, r"^Step 13 of 13")
    dial(page, "step").press("ArrowLeft")
    says(page, r"Your search_layer returns 1: 19")


def test_the_graph_is_built_node_by_node(notebook, kernel_value):
    page = notebook(BUILD)
    says(page, r"^Node 0 of 0 to 13, step 1 of 2, heuristic: Node 0 comes: level 1")
    tall = height(page)
    page.get_by_role("button", name="Next node").press("Enter")
    says(page, r"^Node 1 of 0 to 13, step 1")
    dial(page, "node").press("End")
    says(page, r"^Node 13 of 0 to 13, step 1")
    page.get_by_role("button", name="Next", exact=True).press("Enter")
    says(page, r"^Node 13 of 0 to 13, step 2")
    page.get_by_role("button", name="Back").press("Enter")
    says(page, r"^Node 13 of 0 to 13, step 1 ")
    page.get_by_role("button", name=re.compile("simple")).press("Enter")
    says(page, r"^Node 13 of 0 to 13, step 15 of 15, simple: Node 13 is in.*Pale: \d+ that the heuristic")
    assert kernel_value(page, "(b.values['node'], b.frame['other'])") == (13, "heuristic") and height(page) == tall


def test_words_are_readable_in_the_dark_and_in_a_narrow_window(notebook):
    page = notebook(WALK, BUILD)
    page.evaluate("""async () => {
        await window.jupyterapp.commands.execute('apputils:change-theme', { theme: 'JupyterLab Dark' });
    }""")
    page.wait_for_function("document.body.dataset.jpThemeLight === 'false'")
    for width in (1280, 900):
        page.set_viewport_size({"width": width, "height": 1000})
        expect(page.locator(".fp-plane")).to_be_visible()
        small, cut = page.evaluate("""() => [
            [...document.querySelectorAll('.fp *, .fp-plane text')].filter(each => each.textContent.trim()
                && each.tagName !== 'STYLE' && parseFloat(getComputedStyle(each).fontSize) < 12).length,
            [...document.querySelectorAll('.fp-hnsw .fp-line, .fp-hnsw-code')].filter(each =>
                each.scrollWidth > each.clientWidth + 1 && each.clientWidth).map(each => each.textContent.slice(0, 60))]
        """)
        assert small == 0 and cut == []
        dim = page.evaluate("""() => {
            const light = color => {
                const [r, g, b] = color.match(/[\\d.]+/g).map(Number);
                const part = value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
                return 0.2126 * part(r / 255) + 0.7152 * part(g / 255) + 0.0722 * part(b / 255);
            };
            const paper = light('rgb(33, 33, 33)') + 0.05;
            return [...document.querySelectorAll('.fp-plane text, .fp-hnsw code, .fp-hnsw-chip, .fp-hnsw .fp-note')]
                .map(each => [each instanceof SVGElement, getComputedStyle(each)])
                .map(([drawn, style]) => drawn ? style.fill : style.color)
                .filter(color => color.startsWith('rgb(') && (light(color) + 0.05) / paper < 4.5);
        }""")
        assert dim == []
