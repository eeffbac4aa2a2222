"""The stage: dials that keep what was before, the guard, steps, guesses, still pictures, closing."""

import asyncio
import builtins
import math
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import ipywidgets
import numpy as np
import pytest

from firstprinciples import explore, swap
from firstprinciples.explore import guard as guard_module
from firstprinciples.explore import guess, scores
from firstprinciples.explore.guard import Run, guard
from firstprinciples.explore.guess import QUESTIONS, Guess
from firstprinciples.explore.stage import Stage, another_question, dial
from firstprinciples.explore.stepper import stepper
from firstprinciples.retrieve import bm25


def compute():
    return {"value": bm25.idf(n=3, df=1) + bm25.idf(3, 2)}


def make(start=1.0, **more):
    """Return a small stage whose frame is its dials' values."""
    dials = {"k1": dial("k1", start, 0, 3, 0.1), "b": dial("b", 0.5, 0, 1, 0.05)}
    return Stage("small", lambda values: Run(dict(values)), lambda *frames: f"<b>{frames}</b>",
                 lambda frame: f"k1 {frame['k1']}", dials, **more)


def test_guard_without_a_learners_function_is_the_frame_alone():
    run = guard(("bm25.idf",), compute)
    assert run.frame["value"] == pytest.approx(0.980829 + 0.470004, abs=1e-6)
    assert (run.expected, run.using, run.trouble) == (None, (), "")


def test_guard_says_so_when_the_learners_function_agrees():
    swap.use("bm25.idf", lambda n, df: math.log1p((n - df + 0.5) / (df + 0.5)))
    run = guard(("bm25.idf",), compute)
    assert run.using == ("bm25.idf",) and run.expected is None and run.trouble == ""


def test_guard_finds_what_is_not_finite_also_where_frames_share_their_parts():
    shared, bad = [1.0, [2.0]], {"deep": (0.5, [float("nan")])}
    guard_module._assert_finite([{"a": shared, "b": "nan"}, {"a": shared, "b": None}])
    for frames in ([{"a": shared}, {"a": shared, "b": bad}], [bad, bad], {"x": np.float32("inf")}):
        with pytest.raises(guard_module.Trouble, match="cannot be drawn"):
            guard_module._assert_finite(frames)


def test_guard_cuts_a_long_message_between_words_and_says_so():
    said = guard_module._first_line(ValueError("word " * 100))
    assert said.endswith(" word ...") and len(said) < 260
    assert guard_module._first_line(ValueError("short")) == "ValueError: short"


def test_guard_keeps_a_wrong_result_and_names_the_first_difference():
    swap.use("bm25.idf", lambda n, df: math.log(n / df))
    run = guard(("bm25.idf",), compute)
    assert run.frame["value"] == pytest.approx(math.log(3) + math.log(1.5))
    assert run.expected["value"] == pytest.approx(1.450833, abs=1e-6)
    assert run.trouble == "yours 1.0986, expected 0.9808 for idf(n=3, df=1)"


def test_guard_shows_a_mask_of_true_and_false_in_words():
    mask = np.array([[False, True], [False, False]])
    assert guard_module._short(mask) == "[[False, True], [False, False]]"
    assert guard_module._short(np.array([0.123456, 2.0])) == "[0.1235, 2.0]"


def test_guard_shows_more_digits_where_four_would_look_equal():
    swap.use("bm25.idf", lambda n, df: math.log1p((n - df + 0.5) / (df + 0.5)) + 5e-6)
    yours, expected = guard(("bm25.idf",), compute).trouble.split(" for ")[0].split(", ")
    assert yours.removeprefix("yours ") != expected.removeprefix("expected ")


def test_guard_ends_its_sentence_where_what_goes_on_from_a_result_stops():
    def compute():
        return {"words": len(bm25.invert([["red", "tent"]]))}

    with swap.use("bm25.invert", lambda documents: None):
        run = guard(("bm25.invert",), compute)
    assert run.trouble == ("With your invert it can't go on: TypeError: object of type 'NoneType' has no len(). Drawn "
                           "with the course's own function instead.")


def test_guard_gives_up_on_a_function_that_takes_too_long_for_one_picture(monkeypatch):
    now = iter(range(0, 1000, 4))  # each look at the clock is four seconds later: a call takes four
    monkeypatch.setattr(guard_module, "time", SimpleNamespace(monotonic=lambda: next(now)))
    with swap.use("bm25.idf", lambda n, df: math.log(1 + (n - df + 0.5) / (df + 0.5))):
        run = guard(("bm25.idf",), lambda: {"sum": sum(bm25.idf(9, df) for df in range(1, 9))})
    assert run.trouble == ("Your idf is too slow for this picture: after 10 seconds it was called 3 times, and more "
                           "calls were to come. Drawn with the course's own function instead.")
    with swap.use("bm25.idf", lambda n, df: math.log(1 + (n - df + 0.5) / (df + 0.5))):
        assert guard(("bm25.idf",), lambda: {"sum": sum(bm25.idf(9, df) for df in range(1, 4))}).trouble == ""


def test_guard_shows_an_exception_with_its_line_and_falls_back():
    def idf(n, df):
        below = df - df
        return n / below

    swap.use("bm25.idf", idf)
    run = guard(("bm25.idf",), compute)
    assert run.frame["value"] == pytest.approx(1.450833, abs=1e-6) and run.expected is None
    line = idf.__code__.co_firstlineno + 2
    assert f"Your idf stopped in line {line} (return n / below): ZeroDivisionError: " in run.trouble
    assert "for idf(n=3, df=1)" in run.trouble and "Drawn with the course's own function instead." in run.trouble


@pytest.mark.parametrize("value, said", [
    (float("nan"), "returned nan, which is not a finite number"), (float("inf"), "returned inf"),
    (None, "returned None, which is not a number"), ("0.98", "returned '0.98'"), (True, "returned True"),
])
def test_guard_refuses_what_cannot_be_drawn(value, said):
    swap.use("bm25.idf", lambda n, df: value)
    run = guard(("bm25.idf",), compute)
    assert f"Your idf {said}" in run.trouble and run.frame["value"] == pytest.approx(1.450833, abs=1e-6)


def test_guard_stands_a_function_that_calls_itself_through_the_module_and_one_with_a_wrong_signature():
    swap.use("bm25.idf", lambda n, df: bm25.idf(n, df))
    assert "RecursionError" in guard(("bm25.idf",), compute).trouble
    swap.use("bm25.idf", lambda n: 1.0)
    assert "TypeError" in guard(("bm25.idf",), compute).trouble


def test_guard_refuses_a_sum_that_overflows():
    swap.use("bm25.idf", lambda n, df: 1.5e308)
    run = guard(("bm25.idf",), compute)
    assert "The sum came out as inf" in run.trouble and run.frame["value"] == pytest.approx(1.450833, abs=1e-6)


def test_guard_compares_with_the_courses_own_function_whatever_else_is_in_use():
    swap.use("bm25.length_norm", lambda length, average, b: 2.0)
    tasks = ("bm25.length_norm", "bm25.term_weight")
    run = guard(tasks, lambda: {"value": bm25.term_weight(1, 1.2, 0.75, 10, 10)})
    assert run.frame["value"] == pytest.approx(2.2 / 3.4) and run.expected["value"] == pytest.approx(1.0)
    assert run.trouble == "yours 2, expected 1 for length_norm(length=10, average=10, b=0.75)"


def test_guard_puts_every_function_back_where_it_stood():
    mine = lambda n, df: 1 / 0  # noqa: E731
    swap.use("bm25.idf", mine)
    guard(("bm25.idf",), compute)
    assert bm25.idf is mine
    swap.use("bm25.idf")
    assert bm25.idf is swap.reference("bm25.idf")


def test_guard_compares_lists_and_dicts_piece_by_piece():
    swap.use("bm25.invert", lambda documents: {"a": {0: 1}})
    run = guard(("bm25.invert",), lambda: {"index": bm25.invert([["a", "a"]])})
    assert run.trouble == "yours {'a': {0: 1}}, expected {'a': {0: 2}} for invert(documents=[['a', 'a']])"


def test_a_dial_keeps_the_frame_it_moved_from_until_another_moves():
    s = make()
    assert s.before is None
    s.controls["k1"].value = 1.1
    s.controls["k1"].value = 1.5
    assert s.before == {"k1": 1.0, "b": 0.5} and s.frame == {"k1": 1.5, "b": 0.5}
    s.controls["b"].value = 0.6
    assert s.before == {"k1": 1.5, "b": 0.5}


def test_reset_puts_the_dials_back_and_drops_what_was_before():
    s = make()
    s.controls["k1"].value = 2.0
    s.reset()
    assert s.frame == {"k1": 1.0, "b": 0.5} and s.before is None and s.label == "k1 1.0"


def test_reset_puts_back_what_changes_no_picture_too():
    choice = ipywidgets.ToggleButtons(options=["A", "D"])
    s = make(above=[choice], also=[choice])
    choice.value = "D"
    assert s.before is None
    s.reset()
    assert choice.value == "A"


def test_a_moved_dial_that_comes_back_shows_no_before():
    drawn = []
    s = Stage("small", lambda values: Run(dict(values)), lambda *frames: drawn.append(frames) or "", lambda f: "d",
              {"k1": dial("k1", 1.0, 0, 3, 0.1)})
    s.controls["k1"].value = 2.0
    s.controls["k1"].value = 1.0
    assert [before for _, before, _ in drawn] == [None, {"k1": 1.0}, None]


def test_the_picture_has_a_role_and_a_label_and_the_label_is_escaped():
    s = make()
    s.describe = lambda frame: 'a "quoted" <word>'
    s.draw()
    assert 'role="img" aria-label="a &quot;quoted&quot; &lt;word&gt;"' in s.screen.value


def test_use_redraws_every_live_explorer_and_a_closed_one_no_more():
    one, other = scores(), scores(query="invoice")
    label = other.label
    other.close()
    swap.use("bm25.idf", lambda n, df: 1.0)
    assert "running on your idf: yours 1, expected 0.9808" in one.label and other.label == label
    swap.use("bm25.idf")
    assert "running" not in one.label and one.words.value.count("fp-badge") == 0
    one.close()


def test_the_badge_stands_in_the_explorer():
    s = scores()
    with swap.use("bm25.idf", lambda n, df: 1.0):
        assert "running on your idf</span> yours 1, expected 0.9808 for idf(n=3, df=1)" in s.words.value
    assert "running on your" not in s.words.value


def test_the_mime_bundle_holds_the_still_picture_and_the_sentence():
    s = scores()
    bundle = s._repr_mimebundle_()
    assert bundle["text/plain"].startswith("BM25 scores for “March invoice total” with k1 = 1.2 and b = 0.75: A 3.80")
    assert "<svg" in bundle["text/html"] and "3.80" in bundle["text/html"] and 'role="img"' in bundle["text/html"]
    assert bundle["application/vnd.jupyter.widget-view+json"]["model_id"] == s.view.model_id


def test_running_a_cell_again_closes_what_it_showed_before(monkeypatch):
    shell = SimpleNamespace(execution_count=1, kernel=SimpleNamespace(get_parent=lambda: {"metadata": {"cellId": "x"}}))
    monkeypatch.setattr(builtins, "get_ipython", lambda: shell, raising=False)
    first, beside = make(), make()
    listening = len(swap._listeners)
    shell.execution_count = 2
    again = make()
    assert first.view.comm is None and beside.view.comm is None and len(swap._listeners) == listening - 1
    assert again.screen in (child for child in again.view.children)
    shell.kernel.get_parent = lambda: {"metadata": {"cellId": "another cell"}}
    shell.execution_count = 3
    make()
    assert again.view.children  # another cell closes nothing here


def steps():
    return stepper("walk", lambda: [{"at": i} for i in range(4)], lambda frame, expected: f"<i>{frame['at']}</i>",
                   lambda frame: f"step {frame['at']}", pause=0.001)


def press(walk, word):
    """Click the button that says `word`."""
    row = next(child for child in walk.view.children if "fp-row" in child._dom_classes)
    next(child for child in row.children if getattr(child, "description", "") == word).click()


def test_a_stepper_starts_still_on_the_first_step_and_stays_within_its_bounds():
    walk = steps()
    assert walk.label == "step 0" and walk.controls["step"].max == 3
    press(walk, "Back")
    assert walk.label == "step 0"
    for _ in range(9):
        press(walk, "Next")
    assert walk.label == "step 3" and walk.values == {"step": 3}
    press(walk, "Back")
    assert walk.label == "step 2"
    press(walk, "Reset")
    assert walk.label == "step 0"


def test_another_question_starts_from_the_first_step_and_never_shows_its_end():
    drawn, word = [], ipywidgets.Text("a")

    def picture(frame, expected):
        drawn.append(frame)
        return ""

    walk = stepper("walk", lambda word: [{"word": word, "at": i} for i in range(4)], picture, str,
                   texts={"word": word})
    walk.controls["step"].value = 3
    drawn.clear()
    word.value = "b"
    assert walk.frame == {"word": "b", "at": 0} and {"word": "b", "at": 3} not in drawn
    walk.controls["step"].value = 2
    walk.reset()
    assert walk.frame == {"word": "a", "at": 0}


def test_the_slider_is_shown_anew_when_there_are_more_steps_and_only_then():
    word, shown = ipywidgets.Text("a"), []
    walk = stepper("walk", lambda word: [{"word": word, "at": i} for i in range(3 + len(word))],
                   lambda frame, expected: "", str, texts={"word": word})
    slider = walk.controls["step"]
    room = walk.row.children[0]
    assert room.children == (slider,)
    room.observe(lambda change: shown.append((change.new, slider.max)), "children")
    slider.value = 2
    word.value = "b"
    assert shown == []
    word.value = "long"
    assert shown == [((), 6), ((slider,), 6)], "the browser's End key goes to the end that a slider was made with"
    walk.reset()
    assert shown[2:] == [((), 3), ((slider,), 3)] and walk.row.children[0] is room
    walk.close()
    assert slider.comm is None


def in_a_loop(coroutine):
    """Run a coroutine in an event loop of its own, in a thread: browser tests leave one running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def test_play_walks_to_the_end_and_stops():
    async def watch():
        walk = steps()
        press(walk, "Play")
        assert any(getattr(c, "description", "") == "Pause" for c in walk.view.children[1].children)
        await asyncio.sleep(0.1)
        return walk

    walk = in_a_loop(watch())
    assert walk.label == "step 3"
    assert not any(getattr(c, "description", "") == "Pause" for c in walk.view.children[1].children)


def test_play_stops_at_any_other_action():
    async def watch(action):
        walk = steps()
        press(walk, "Play")
        action(walk)
        await asyncio.sleep(0.05)
        return walk.label

    assert in_a_loop(watch(lambda walk: press(walk, "Next"))) == "step 1"
    assert in_a_loop(watch(lambda walk: press(walk, "Pause"))) == "step 0"
    assert in_a_loop(watch(lambda walk: press(walk, "Reset"))) == "step 0"


def test_a_guess_is_taken_once_and_shown_beside_the_answer():
    g = Guess("How much?", ["ten times", "twice"], "twice", "The curve bends.")
    assert g.choice is None and "You said" not in g.reveal.value
    g.buttons[0].click()
    g.buttons[1].click()
    assert g.choice == "ten times"
    assert [button.disabled for button in g.buttons] == [False, True]  # the chosen one would lose the focus
    g.buttons[0].click()
    assert g.choice == "ten times"
    assert "You said <b>ten times</b>; it is <b>twice</b>. The curve bends." in g.reveal.value


def test_a_right_guess_is_told_so():
    g = Guess("How much?", ["ten times", "twice"], "twice", "The curve bends.")
    g.buttons[1].click()
    assert "You said <b>twice</b>, and so it is. The curve bends." in g.reveal.value


def test_the_still_guess_shows_the_question_and_the_options_but_not_the_answer():
    g = Guess("How <b>much</b>?", ["ten times", "twice"], "twice", "The curve bends.")
    g.buttons[0].click()
    bundle = g._repr_mimebundle_()
    assert "How &lt;b&gt;much&lt;/b&gt;?" in bundle["text/html"] and "<li>twice</li>" in bundle["text/html"]
    assert "bends" not in bundle["text/html"] and "You said" not in bundle["text/html"]
    assert bundle["text/plain"] == "Guess first: How <b>much</b>? (ten times / twice)"


def test_every_question_of_the_lessons_can_be_asked_by_name():
    for name in QUESTIONS:
        asked = guess(name)
        assert asked.answer in asked.options and len(asked.options) >= 3 and asked.because.endswith(".")
    with pytest.raises(ValueError, match="There is no question 'bm25.nothing' to guess at; there are .*bm25.repeats"):
        guess("bm25.nothing")


def test_a_guess_without_its_answer_among_the_options_is_refused():
    with pytest.raises(ValueError, match="'thrice' is not one of the options: ten times, twice"):
        Guess("How much?", ["ten times", "twice"], "thrice", "")


def widgets(view):
    """Yield a widget and everything inside it."""
    yield view
    for child in getattr(view, "children", ()):
        yield from widgets(child)


@pytest.mark.parametrize("name", [name for name in explore.__all__ if name != "word_overlap"])  # that one is a number
def test_no_explorer_holds_a_widget_that_loses_its_arrow_keys(name):
    """JupyterLab takes the arrow keys from a list to choose from and goes to the next cell: no choice by keyboard."""
    lists = (ipywidgets.Dropdown, ipywidgets.Select, ipywidgets.SelectMultiple, ipywidgets.RadioButtons)
    for arguments in [(question,) for question in QUESTIONS] if name == "guess" else [()]:
        explorer = getattr(explore, name)(*arguments)
        assert not [each for each in widgets(explorer.view) if isinstance(each, lists)]
        explorer.close()


def test_another_question_is_a_button_that_takes_a_turn():
    turns = []
    button = another_question(lambda: turns.append("turn"))
    button.click()
    button.click()
    assert turns == ["turn", "turn"] and button.description == "Another question"


def test_slow_imports_wait_for_the_first_chart():
    import subprocess
    import sys

    code = "import sys, firstprinciples.explore; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_a_function_that_changes_its_arguments_spoils_no_picture():
    s = scores()
    before = s.frame

    def greedy(query, document, documents, k1=1.2, b=0.75):
        while query:
            query.pop()
        return 0.0

    def idf(n, df):
        return math.log(1 + (n - df + 0.5) / (df + 0.5))

    with swap.use("bm25.score", greedy), swap.use("bm25.idf", idf):
        s.reset()
    assert s.frame == before


def test_a_function_that_leaves_python_is_a_sentence():
    with swap.use("bm25.idf", lambda n, df: sys.exit()):
        s = scores()
        assert "SystemExit" in s.label and "Drawn with the course's own function instead." in s.label
    assert swap.in_use() == []


@pytest.mark.parametrize("form", [np.float32, np.array, lambda value: value])
def test_what_the_grader_takes_for_right_the_pictures_do_too(form):
    with swap.use("bm25.idf", lambda n, df: form(math.log(1 + (n - df + 0.5) / (df + 0.5)))):
        assert scores().label.endswith("running on your idf")
