"""Lesson 05 and its exercise in a real browser: training by keyboard, the map, and a learner's wrong gradient."""

import re

import pytest

pytest.importorskip("playwright", reason="needs playwright: python3 -m firstprinciples test --peers")
from lesson_page import cell, errors, printed, run_cells, set_cell  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

pytestmark = pytest.mark.browser

LESSON = "notebooks/05_bi_encoder.ipynb"
HEAD = "from firstprinciples.encode.biencoder import in_batch_softmax\ndef scores_gradient(scores, masked=None):\n"
RIGHT = HEAD + ("    shares = in_batch_softmax(scores, masked)\n    n = len(shares)\n"
                "    return (shares - np.eye(*shares.shape)) / n")
WRONG = HEAD + ("    shares = in_batch_softmax(scores, masked)\n    n = len(shares)\n"
                "    return (np.eye(*shares.shape) - shares) / n")


def label(text):
    return ("aria-label", re.compile(text))


def test_training_starts_still_steps_plays_pauses_and_resets(lesson):
    page = lesson
    assert errors(page) == []
    shown = cell(page, "training")
    picture = shown.locator("[role=img]")
    expect(picture).to_have_attribute(*label(r"step 0 of 208: not trained yet"))
    shown.get_by_role("button", name="Step").focus()
    page.keyboard.press("Enter")
    expect(picture).to_have_attribute(*label(r"step 1 of 208: loss 5\.41"))
    shown.get_by_role("button", name="Play").press("Enter")
    expect(picture).to_have_attribute(*label(r"step [2-9]\d of 208"), timeout=20_000)
    shown.get_by_role("button", name="Pause").press("Enter")
    expect(shown.get_by_role("button", name="Play")).to_be_visible()
    page.wait_for_timeout(500)
    here = picture.get_attribute("aria-label")
    page.wait_for_timeout(700)
    assert picture.get_attribute("aria-label") == here
    shown.get_by_role("button", name="Play").press("Enter")
    expect(picture).to_have_attribute(*label(r"step 208 of 208: loss 0\.00.*1\.00 on pairs"), timeout=30_000)
    shown.get_by_role("button", name="Reset").press("Enter")
    expect(picture).to_have_attribute(*label(r"step 0 of 208"))


def test_the_map_takes_a_text_and_another_encoder(lesson):
    page = lesson
    shown = cell(page, "map")
    picture = shown.locator("[role=img]")
    expect(picture).to_have_attribute(*label(r"in MiniLM.*“how much do we owe”: amount owing 0\.59"))
    box = shown.get_by_role("textbox", name="text")
    box.fill("reset my password")
    box.press("Enter")
    expect(picture).to_have_attribute(*label(r"“reset my password”: password reset 0\.\d\d"))
    shown.get_by_role("button", name="toy, trained").press("Enter")
    expect(picture).to_have_attribute(*label(r"in toy, trained"))
    matrix = cell(page, "matrix")
    matrix.get_by_role("button", name="after training").press("Enter")
    expect(matrix.locator("[role=img]")).to_have_attribute(*label(r"toy, trained, temperature 0\.2.*loss 0\.13"))
    matrix.get_by_role("button", name="one pair").press("Enter")
    expect(matrix.locator("[role=img]")).to_have_attribute(*label(r"Batch of 1.*A 100%; loss 0\.00"))
    inside = cell(page, "inside")
    inside.get_by_role("button", name="Another sentence").press("Enter")
    expect(inside.locator("[role=img]")).to_have_attribute(*label(r"e _ 44 ##32"))
    assert errors(page) == []


CUT = """(id) => {
    const notebook = window.jupyterapp.shell.currentWidget.content;
    const area = notebook.widgets.find(cell => cell.model.id === id).node.querySelector('.jp-OutputArea');
    const edge = node => node.getBoundingClientRect().right;
    return [...area.querySelectorAll('svg text')]
        .filter(text => edge(text) > Math.min(edge(area), edge(text.closest('.fp-card') ?? area)) + 1)
        .concat([...area.querySelectorAll('.fp-line')].filter(line => line.scrollWidth > line.clientWidth + 1))
        .map(node => node.textContent);
}"""


def test_nothing_is_cut_in_a_narrow_window(lesson):
    page, ids = lesson, ("together", "map", "matrix", "inside")
    page.set_viewport_size({"width": 900, "height": 1000})
    run_cells(page, *ids)  # drawn in it from the start
    for id in ids:
        expect(cell(page, id).locator("[role=img]")).to_be_visible()
        assert page.evaluate(CUT, id) == [], id


def test_two_copies_play_at_once_and_begin_anew_when_another_function_comes(lesson):
    page = lesson
    for id in ("training", "your-picture"):
        cell(page, id).get_by_role("button", name="Play").press("Enter")
    for id in ("training", "your-picture"):
        expect(cell(page, id).locator("[role=img]")).to_have_attribute(*label(r"step [1-9]\d* of"), timeout=30_000)
    set_cell(page, "your-gradient", WRONG)
    run_cells(page, "your-gradient", "your-function")
    for id in ("training", "your-picture"):
        shown = cell(page, id)
        begun = r"step [3-9] of .*running on your scores_gradient: yours|step \d\d+ of .*your scores_gradient: yours"
        expect(shown.locator("[role=img]")).to_have_attribute(*label(begun), timeout=30_000)
        shown.get_by_role("button", name="Reset").press("Enter")
        expect(shown.locator("[role=img]")).to_have_attribute(*label(r"step 0 of"))
        expect(shown.get_by_role("button", name="Play")).to_be_visible()
    assert errors(page) == []


def test_a_wrong_sign_is_seen_to_go_wrong_and_the_right_one_learns(lesson):
    page = lesson
    assert printed(page, "your-check").strip() == "biencoder.scores_gradient  not attempted"
    set_cell(page, "your-gradient", WRONG)
    run_cells(page, "your-gradient", "your-check", "your-function", "your-picture")
    assert re.match(r"biencoder\.scores_gradient +0 of \d+ points", printed(page, "your-check"))
    shown = cell(page, "your-picture")
    picture = shown.locator("[role=img]")
    expect(picture).to_have_attribute(*label(r"running on your scores_gradient: yours .*expected"))
    for _ in range(6):
        shown.get_by_role("button", name="Step").press("Enter")
    expect(picture).to_have_attribute(*label(r"step 6 of 208: loss (\d\d|[6-9])"))
    set_cell(page, "your-gradient", RIGHT)
    run_cells(page, "your-gradient", "your-check", "your-function", "your-picture")
    assert re.match(r"biencoder\.scores_gradient +(\d+) of \1 points", printed(page, "your-check"))
    picture = cell(page, "your-picture").locator("[role=img]")
    expect(picture).to_have_attribute(*label(r"step 0 of 208.*running on your scores_gradient$"))
    assert errors(page) == []


def test_the_exercise_runs_untouched_and_with_a_learners_file(open_notebook, run_all, jupyter):
    work = jupyter["root"] / "work"
    page = open_notebook("notebooks/exercises/05_biencoder.ipynb")
    run_all(page)
    assert errors(page) == []
    assert printed(page, "one-check").count("not attempted") == 8
    assert printed(page, "bert-check").count("not attempted") == 4
    stub = (work / "biencoder.py").read_text(encoding="utf-8")
    (work / "biencoder.py").write_text(
        stub.replace('raise NotImplementedError("biencoder.similarity_matrix: not written yet")',
                     "return questions @ passages.T * temperature"), encoding="utf-8")
    run_cells(page, "two-check", "three-picture")
    picture = cell(page, "three-picture").locator("[role=img]")
    expect(picture).to_have_attribute(*label("running on your similarity_matrix: yours"))
    assert errors(page) == []
