"""Lesson 04 in a real browser: tips dragged by mouse and moved by keyboard, also while a learner's function is slow.

The browser moves the arrows, the kernel follows with the numbers. Nothing here measures a time; `bench_drag.py` does.
"""

import json
import re

import pytest

pytest.importorskip("playwright", reason="needs playwright: python3 -m firstprinciples test --peers")
from playwright.sync_api import expect  # noqa: E402

pytestmark = pytest.mark.browser

SETUP = """from firstprinciples.explore import onto_circle, three_measures, two_vectors
from firstprinciples.swap import use
"""
SLOW = """import time

calls = 0


def slow(a, b):
    global calls
    calls += 1
    time.sleep(0.2)
    return sum(x * y for x, y in zip(a, b)) / (sum(x * x for x in a) * sum(y * y for y in b)) ** 0.5 / 2
"""


def tip(page, name):
    """Return the handle of a tip."""
    return page.get_by_role("slider", name=f"tip of {name}")


def picture(page):
    """Return the element that stands for the numbers, whose label says them."""
    return page.locator(".fp[role=img]").first


def says(page, pattern, seconds=5):
    """Expect the numbers' label to match a pattern."""
    expect(picture(page)).to_have_attribute("aria-label", re.compile(pattern), timeout=1000 * seconds)


def middle(handle):
    """Return where the dot of a tip lies on the page."""
    box = handle.locator(".fp-dot").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def at(handle, x, y):
    """Expect the tip to stand at a point of the plane, as it says itself."""
    name = handle.get_attribute("aria-label").removeprefix("tip of ")
    expect(handle).to_have_attribute("aria-valuetext", f"{name}: {x:g}, {y:g}")


def shown(page, id):
    """Return the cell with this id, in view."""
    page.evaluate("""async (id) => {
        const notebook = window.jupyterapp.shell.currentWidget.content;
        const index = notebook.widgets.findIndex(cell => cell.model.id === id);
        await notebook.scrollToItem(index, 'start');
        notebook.widgets[index].node.dataset.id = id;
    }""", id)
    return page.locator(f".jp-Cell[data-id='{id}']")


def outputs(page):
    """Return {cell id: what the cell printed or the name of the error it ended with}."""
    found = page.evaluate("""() => JSON.stringify(window.jupyterapp.shell.currentWidget.content.widgets
        .filter(cell => cell.model.type === 'code').map(cell => [cell.model.id, cell.model.outputs.toJSON()
        .map(output => output.text ?? output.evalue ?? '').join('')]))""")
    return dict(json.loads(found))


def test_a_tip_is_dragged_by_mouse(notebook, kernel_value):
    page = notebook(SETUP, "shown = two_vectors()\nshown")
    says(page, r"^a = \(4, 1\).*cosine 0\.65")
    expect(page.locator(".fp-still")).to_be_hidden()  # Python's drawing gives way to the live one
    x, y = middle(tip(page, "a"))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 76, y + 19, steps=12)  # 38 pixels a unit: to (2, 0.5)
    page.mouse.up()
    at(tip(page, "a"), 2, 0.5)
    says(page, r"^a = \(2, 0\.5\).*cosine 0\.65; dot product 3\.00")
    expect(page.locator(".fp-caption").first).to_contain_text("The cosine stays at 0.65, though a is shorter")
    assert kernel_value(page, "shown.frame['a']") == [2, 0.5]
    page.mouse.move(x, y)  # let go: the tip stays
    at(tip(page, "a"), 2, 0.5)


def test_a_tip_cannot_leave_the_plane(notebook, kernel_value):
    page = notebook(SETUP, "shown = two_vectors()\nshown")
    x, y = middle(tip(page, "b"))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 900, y - 60, steps=6)
    page.mouse.up()
    at(tip(page, "b"), 5, 3.5)
    says(page, r"b = \(5, 3\.5\)")
    assert kernel_value(page, "shown.frame['b']") == [5, 3.5]


def test_a_tip_is_moved_by_keyboard_and_jupyterlab_does_not_take_the_keys(notebook, kernel_value):
    page = notebook(SETUP, "shown = two_vectors()\nshown", "'another cell'")
    active = "() => window.jupyterapp.shell.currentWidget.content.activeCellIndex"
    tip(page, "a").focus()
    before = page.evaluate(active)
    for key in ["ArrowLeft", "ArrowLeft", "ArrowDown", "Shift+ArrowLeft"]:
        page.keyboard.press(key)
    at(tip(page, "a"), 2.5, 0.75)
    says(page, r"^a = \(2\.5, 0\.75\)")
    page.keyboard.press("Tab")
    expect(tip(page, "b")).to_be_focused()
    page.keyboard.press("ArrowUp")
    says(page, r"b = \(1, 2\.25\)")
    assert page.evaluate(active) == before
    assert kernel_value(page, "shown.frame['a']") == [2.5, 0.75]


def test_sliders_and_tips_are_one_state(notebook):
    page = notebook(SETUP, "two_vectors()")
    across = page.locator(".widget-slider").filter(has_text=re.compile(r"^\s*a across")).get_by_role("slider")
    across.press("ArrowLeft")
    at(tip(page, "a"), 3.75, 1)
    tip(page, "a").press("ArrowUp")
    expect(page.locator(".widget-slider").filter(has_text=re.compile(r"^\s*a up"))).to_contain_text("1.25")
    page.get_by_role("button", name="Reset").click()
    at(tip(page, "a"), 4, 1)
    says(page, r"^a = \(4, 1\)")


def test_a_slow_function_does_not_slow_the_drag(notebook, kernel_value):
    """200 ms a call: the arrow is where the mouse is at once, the numbers follow, and the last ones come."""
    page = notebook(SETUP, SLOW, "use('cosine.similarity', slow)\nshown = two_vectors()\ncalls = 0\nshown")
    says(page, "running on your similarity: yours 0.3254, expected")
    x, y = middle(tip(page, "a"))
    page.mouse.move(x, y)
    page.mouse.down()
    moves = 40
    for step in range(1, moves + 1):
        page.mouse.move(x - 4.75 * step, y - 1.9 * step)
        # the geometry is there in the same turn: nothing waits for the kernel
        wanted = [round((4 - 0.125 * step) * 4) / 4, 1 + 0.05 * step]
        now = [float(number) for number in tip(page, "a").get_attribute("aria-valuetext")[3:].split(",")]
        assert abs(now[0] - wanted[0]) <= 0.25 and abs(now[1] - wanted[1]) <= 0.25
    page.mouse.up()
    at(tip(page, "a"), -1, 3)
    label = picture(page).get_attribute("aria-label")
    assert not label.startswith("a = (−1, 3)"), "the kernel can't be that fast: is the function in use?"
    says(page, r"^a = \(−1, 3\)", seconds=30)
    at(tip(page, "a"), -1, 3)  # and nothing older has put it back
    page.wait_for_timeout(1500)
    at(tip(page, "a"), -1, 3)
    assert kernel_value(page, "shown.frame['a']") == [-1, 3]
    assert kernel_value(page, "calls") <= 2 * moves  # places were skipped, or each was drawn once at most
    for key in ["ArrowRight"] * 8:
        page.keyboard.press(key)
    at(tip(page, "a"), 1, 3)
    says(page, r"^a = \(1, 3\)", seconds=30)
    assert kernel_value(page, "shown.frame['a']") == [1, 3]


def test_a_function_that_raises_is_named_and_the_tips_still_move(notebook):
    page = notebook(SETUP, "use('cosine.similarity', lambda a, b: 1 / (a[0] - 3))\ntwo_vectors()")
    tip(page, "a").focus()
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
    at(tip(page, "a"), 3, 1)
    says(page, "ZeroDivisionError.*course's own function instead")
    page.keyboard.press("ArrowLeft")
    says(page, r"^a = \(2\.75, 1\).*yours")


def test_dials_and_steps_by_keyboard(notebook):
    page = notebook(SETUP, "three_measures()", "onto_circle()")
    measures, circle = (page.locator(".fp[role=img]").nth(i) for i in (0, 1))
    dial = page.locator(".widget-slider").filter(has_text="page A, times").get_by_role("slider")
    dial.press("ArrowRight")
    expect(measures).to_have_attribute("aria-label", re.compile(r"A \(4, 4\).*by dot product A 8\.00"))
    page.get_by_role("button", name="Next").press("Enter")
    expect(circle).to_have_attribute("aria-label", re.compile("^Step 2 of 8: Put the question onto the circle"))


def test_the_lesson_runs_and_the_learners_function_drives_its_arrows(open_notebook, run_all):
    page = open_notebook("notebooks/04_cosine.ipynb")
    run_all(page)
    found = outputs(page)
    assert found["your-check"].strip() == "cosine.similarity  not attempted"
    assert "BM25" in found["measure-code"] and "Error" not in " ".join(found.values())
    page.evaluate("""() => {
        const cells = window.jupyterapp.shell.currentWidget.content.widgets;
        cells.find(cell => cell.model.id === 'your-similarity').model.sharedModel.setSource(
            'def similarity(a, b):\\n    return sum(x * y for x, y in zip(a, b))');
    }""")
    for id in ["your-similarity", "your-check", "your-function"]:
        page.evaluate("""async (id) => {
            const notebook = window.jupyterapp.shell.currentWidget.content;
            notebook.activeCellIndex = notebook.widgets.findIndex(cell => cell.model.id === id);
            await window.jupyterapp.commands.execute('notebook:run-cell');
        }""", id)
    assert "That is the dot product, of as many numbers as both have" in outputs(page)["your-check"]
    above = shown(page, "watch-vectors").locator(".fp[role=img]")
    expect(above).to_have_attribute("aria-label", re.compile("running on your similarity: yours 6, expected 0.6508"))
