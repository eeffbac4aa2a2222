"""The explorers in a real page: moved by keyboard, running on a learner's function, stepping, guessing, dark."""

import re

import pytest

pytest.importorskip("playwright", reason="needs playwright: python3 -m firstprinciples test --peers")
from playwright.sync_api import expect  # noqa: E402

pytestmark = pytest.mark.browser

WRONG = "import math\nfrom firstprinciples.swap import use\nuse('bm25.idf', lambda n, df: math.log(n / df))"
FAILS = "from firstprinciples.swap import use\ndef idf(n, df):\n    return n / (df - df)\nuse('bm25.idf', idf)"


def scores_cell(arguments: str = "") -> str:
    return f"from firstprinciples.explore import scores\ns = scores({arguments})\ns"


def dial(page, name: str):
    """Return the handle of a slider by its label."""
    return page.locator(".widget-slider").filter(has_text=re.compile(rf"^\s*{name}")).get_by_role("slider")


def picture(page):
    """Return the explorer's picture."""
    return page.get_by_role("img", name=re.compile("BM25 scores|Term weight|Step "))


def run_cell(page, number: int):
    """Run one cell again."""
    page.evaluate("""async (number) => {
        window.jupyterapp.shell.currentWidget.content.activeCellIndex = number;
        await window.jupyterapp.commands.execute('notebook:run-cell');
    }""", number)


def height(page) -> float:
    return page.locator(".widget-vbox").first.bounding_box()["height"]


def test_a_slider_moved_by_keyboard_changes_the_picture_the_sentence_and_the_kernel(notebook, kernel_value):
    page = notebook(scores_cell())
    expect(picture(page)).to_have_attribute("aria-label", re.compile(r"k1 = 1\.2 and b = 0\.75: A 3\.80 .* C 0\.00\.$"))
    before, tall = picture(page).inner_html(), height(page)
    dial(page, "k1").press("ArrowRight")
    expect(picture(page)).to_have_attribute("aria-label", re.compile(r"k1 = 1\.3 and b = 0\.75: A 3\.88"))
    expect(page.locator(".fp-caption")).to_contain_text("Raising k1 from 1.2 to 1.3 lets repeats count for more")
    expect(picture(page)).to_contain_text("was 3.80")
    assert picture(page).inner_html() != before and height(page) == tall
    assert kernel_value(page, "(s.frame['k1'], round(s.frame['documents'][0]['total'], 2))") == (1.3, 3.88)
    page.get_by_role("button", name="Reset").press("Enter")
    expect(picture(page)).to_have_attribute("aria-label", re.compile(r"k1 = 1\.2"))
    expect(picture(page)).not_to_contain_text("was 3.80")


def test_the_question_and_the_documents_can_be_edited(notebook, kernel_value):
    page = notebook(scores_cell())
    page.get_by_role("textbox", name="question").fill("bill")
    expect(picture(page)).to_have_attribute("aria-label", re.compile(r"C 1\.\d\d \(bill 1\.\d\d\)"))
    page.get_by_role("button", name="Use your own documents").press("Enter")
    page.get_by_role("textbox", name="A", exact=True).fill("<img src=x onerror=alert(1)> a bill & a bill")
    expect(picture(page)).to_contain_text("<img src=x onerror=alert(1)> a bill & a bill")
    assert picture(page).locator("img").count() == 0
    assert kernel_value(page, "s.frame['documents'][0]['length']") == 10


def test_a_wrong_function_is_drawn_and_named_an_exception_is_shown_and_both_can_be_put_back(notebook, kernel_value):
    page = notebook(scores_cell(), WRONG)
    named = r"A 4\.05 .*running on your idf: yours 1\.0986, expected 0\.9808 for idf\(n=3, df=1\)$"
    expect(picture(page)).to_have_attribute("aria-label", re.compile(named))
    expect(picture(page)).to_contain_text("expected 3.80")
    expect(page.locator(".fp-badge")).to_have_text("running on your idf")
    assert kernel_value(page, "round(s.frame['documents'][0]['total'], 2)") == 4.05
    tall = height(page)
    page.evaluate("""(code) => {
        window.jupyterapp.shell.currentWidget.content.widgets[1].model.sharedModel.setSource(code);
    }""", FAILS)
    run_cell(page, 1)
    expect(page.locator(".fp-trouble")).to_contain_text("ZeroDivisionError: division by zero")
    expect(page.locator(".fp-trouble")).to_contain_text("in line 3 (return n / (df - df))")
    expect(picture(page)).to_have_attribute("aria-label", re.compile(r"A 3\.80"))
    assert height(page) == tall
    page.evaluate("""() => {
        window.jupyterapp.shell.currentWidget.content.widgets[1].model.sharedModel.setSource("use('bm25.idf')");
    }""")
    run_cell(page, 1)
    expect(page.locator(".fp-trouble, .fp-badge")).to_have_count(0)


def test_running_the_cell_again_leaves_one_explorer(notebook, kernel_value):
    page = notebook(scores_cell())
    first = kernel_value(page, "s.view.model_id")
    run_cell(page, 0)
    expect(picture(page)).to_have_count(1)
    assert kernel_value(page, "s.view.model_id") != first
    assert kernel_value(page, "len(__import__('firstprinciples.swap').swap._listeners)") == 1


def test_the_chart_follows_its_sliders(notebook, kernel_value):
    page = notebook("from firstprinciples.explore import saturation\ns = saturation()\ns")
    image = page.locator("img.widget-image")
    expect(image).to_be_visible()
    before, tall = image.get_attribute("src"), height(page)
    dial(page, "length").press("ArrowRight")
    expect(picture(page)).to_have_attribute("aria-label", re.compile(r"in a page 1\.25 times the average length"))
    expect(page.locator(".fp-caption")).to_contain_text("Raising the length from 1 to 1.25")
    expect(image).not_to_have_attribute("src", before)
    assert kernel_value(page, "s.frame['times']") == 1.25 and height(page) == tall


@pytest.mark.parametrize("name", ["scores", "saturation"])
def test_the_last_picture_always_comes(name, notebook, kernel_value):
    page = notebook(f"from firstprinciples.explore import {name}\ns = {name}(k1=0)\ns")
    dial(page, "k1").focus()
    for key, last in (("ArrowRight", "3"), ("ArrowLeft", "0")):
        for _ in range(30):
            page.keyboard.press(key)
        expect(picture(page)).to_have_attribute("aria-label", re.compile(f"k1 = {last} and"), timeout=20_000)
        assert kernel_value(page, "s.frame['k1']") == float(last)
    if name == "saturation":  # the picture itself, not only its label
        shown = page.locator("img.widget-image").evaluate("""async (image) => {
            const bytes = new Uint8Array(await (await fetch(image.src)).arrayBuffer());
            return [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))]
                .map(each => each.toString(16).padStart(2, '0')).join('');
        }""")
        assert shown == kernel_value(page, "__import__('hashlib').sha256(s.screen.value).hexdigest()")


def test_a_guess_is_made_by_keyboard_once(notebook, kernel_value):
    page = notebook("from firstprinciples.explore.guess import Guess\n"
                    "g = Guess('How much?', ['ten times', 'twice'], 'twice', 'The curve bends.')\ng")
    expect(page.get_by_text("You said")).to_have_count(0)
    page.get_by_role("button", name="ten times").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("You said ten times; it is twice. The curve bends.")).to_be_visible()
    expect(page.get_by_role("button", name="twice")).to_be_disabled()
    expect(page.get_by_role("button", name="ten times")).to_be_focused()
    page.keyboard.press("Enter")
    assert kernel_value(page, "g.choice") == "ten times"


def test_the_stepper_goes_by_buttons_by_its_slider_and_by_itself(notebook, kernel_value):
    page = notebook("from firstprinciples.explore import index_steps\ns = index_steps()\ns")
    expect(picture(page)).to_have_attribute("aria-label", re.compile("^Step 1 of 29: "))
    tall = height(page)
    page.get_by_role("button", name="Next").press("Enter")
    expect(picture(page)).to_have_attribute("aria-label", re.compile("^Step 2 of 29: “red” is new: open a drawer"))
    page.get_by_role("slider").press("ArrowRight")
    expect(picture(page)).to_have_attribute("aria-label", re.compile("^Step 3 of 29"))
    page.get_by_role("button", name="Back").press("Enter")
    expect(picture(page)).to_have_attribute("aria-label", re.compile("^Step 2 of 29"))
    page.get_by_role("button", name="Play").press("Enter")
    expect(picture(page)).to_have_attribute("aria-label", re.compile("^Step 4 of 29"), timeout=10_000)
    page.get_by_role("button", name="Pause").press("Enter")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.get_by_role("slider").press("End")
    expect(picture(page)).to_have_attribute("aria-label", re.compile(r"^Step 29 of 29: Ranking: A 2\.35, then B 0\.69"))
    assert kernel_value(page, "s.values") == {"step": 28} and height(page) == tall


def test_words_can_be_read_in_the_dark_theme(notebook, tmp_path):
    page = notebook(scores_cell(), WRONG)
    page.evaluate("""async () => {
        await window.jupyterapp.commands.execute('apputils:change-theme', { theme: 'JupyterLab Dark' });
    }""")
    page.wait_for_function("document.body.dataset.jpThemeLight === 'false'")
    picture(page).screenshot(path=tmp_path / "dark.png")
    dim = page.evaluate("""() => {
        const light = color => {
            const [r, g, b, a] = [...color.match(/[\\d.]+/g).map(Number), 1];
            const part = value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
            const seen = [r, g, b].map(each => a * each + (1 - a) * 33);  // over a card of the dark theme
            const weights = [0.2126, 0.7152, 0.0722];
            return seen.reduce((sum, each, i) => sum + weights[i] * part(each / 255), 0);
        };
        const card = light('rgb(33, 33, 33)');
        return [...document.querySelectorAll('.fp-title, .fp-note, .fp-card b, .fp-caption, .fp-badge')]
            .map(each => [each.className, (light(getComputedStyle(each).color) + 0.05) / (card + 0.05)])
            .filter(([, contrast]) => contrast < 4.5);
    }""")
    assert dim == [] and (tmp_path / "dark.png").stat().st_size > 10_000


def cut(page, selector: str) -> list[str]:
    """Return the texts that do not fit into their place."""
    return page.locator(selector).evaluate_all(
        "all => all.filter(each => each.scrollWidth > each.clientWidth).map(each => each.textContent)")


def test_the_words_of_the_documents_are_not_cut(notebook):
    page = notebook("from firstprinciples.explore import index_steps\ns = index_steps()\ns")
    for width in (1280, 1200, 1000, 720):
        page.set_viewport_size({"width": width, "height": 1000})
        for key, step in (("Home", "Step 1 of"), ("End", "Step 29 of")):
            page.get_by_role("slider").press(key)
            expect(picture(page)).to_have_attribute("aria-label", re.compile(step))
            assert cut(page, ".fp-index-doc .fp-line") == []


def test_the_stops_of_the_trip_are_not_cut_in_a_narrow_window(notebook):
    page = notebook("from firstprinciples.explore import trip\nt = trip()\nt")
    shown = page.get_by_role("img", name=re.compile("^Stop "))
    page.get_by_role("slider").press("End")
    expect(shown).to_have_attribute("aria-label", re.compile("^Stop 6 of 6"))
    for width in (1280, 720, 600):
        page.set_viewport_size({"width": width, "height": 1000})
        assert cut(page, ".fp-trip-stop, .fp-trip-stop .fp-line") in ([], [
            "“What is the total due on the March invoice to Hollow Creek Guides?”"])


def test_a_slider_keeps_its_track_in_a_narrow_window(notebook):
    page = notebook("from firstprinciples.explore import saturation\ns = saturation()\ns")
    for width in (720, 600, 330):
        page.set_viewport_size({"width": width, "height": 1000})
        tracks = page.locator(".slider-container").evaluate_all("all => all.map(each => each.clientWidth)")
        assert len(tracks) == 3 and min(tracks) >= 76


def test_what_is_said_of_a_row_is_not_cut(notebook, tmp_path):
    page = notebook("from firstprinciples.explore import own_questions\nfrom firstprinciples.swap import use\n"
                    "from firstprinciples.corpus import Collection\nfolder = Collection.load('larkspur')\n"
                    f"o = own_questions(collection=folder, path={str(tmp_path / 'mine.jsonl')!r})\n"
                    "page = next(d for d in folder.documents if d.id == 'travel-expenses-policy')\n"
                    "last = [chunk for chunk in folder.chunks if chunk.document == page.id][-1]\n"
                    "row = [o.controls[f'{name} 1'].value for name in ('text', 'document', 'quote')]\n"
                    "o.fill({'text 2': row[0], 'document 2': 'Invoice 1042', 'quote 2': row[2], 'quote 3': row[2],\n"
                    "        'document 3': row[1], 'text 4': 'x', 'document 4': row[1],\n"
                    "        'quote 4': page.text[last.start - 20 : last.start + 20]})\no",
                    "o.view.children[6].children[0].click()\n"
                    "use('metrics.recall_at_k', lambda ranked, grades, k: 0.1)")
    shown = page.get_by_role("img", name=re.compile("^Your questions"))
    expect(shown).to_contain_text("not found here, but in “Travel and expenses policy”")
    expect(shown).to_contain_text("0.10 expected 1.00")
    expect(shown).to_contain_text("there, but no chunk holds all of it")
    assert cut(page, ".fp-own > div:not(:has(> span[title]))") == []  # the questions themselves stand above in full


def test_a_function_that_raises_moves_nothing_below_the_longest_sentence(notebook):
    page = notebook("from firstprinciples.explore import measuring\nfrom firstprinciples.swap import use\n"
                    "m = measuring()\nm",
                    "m.fill({'places': '3 4 0 1', 'k': 9})\nm.controls['places'].value = '1 2 10 0'",
                    "def recall_at_k(ranked, grades, k):\n    return k / (k - k)\n"
                    "use('metrics.recall_at_k', recall_at_k)")
    expect(page.locator(".fp-trouble")).to_contain_text("ZeroDivisionError")
    tall = height(page)
    page.evaluate("""() => {
        const cells = window.jupyterapp.shell.currentWidget.content.widgets;
        cells[2].model.sharedModel.setSource("use('metrics.recall_at_k')");
    }""")
    run_cell(page, 2)
    expect(page.locator(".fp-trouble, .fp-badge")).to_have_count(0)
    assert height(page) == tall


def test_a_narrow_window_stacks_the_picture_and_clips_nothing(notebook):
    page = notebook(scores_cell())
    page.set_viewport_size({"width": 700, "height": 1000})
    expect(page.locator(".fp-chart").first).to_be_visible()
    card, bars = (page.locator(name).first.bounding_box() for name in (".fp-card", ".fp-chart"))
    assert bars["y"] >= card["y"] + card["height"] - 1 and card["x"] + card["width"] <= 700
    small = page.evaluate("""() => [...document.querySelectorAll('.fp *')]
        .filter(each => each.textContent.trim() && parseFloat(getComputedStyle(each).fontSize) < 12).length""")
    assert small == 0
