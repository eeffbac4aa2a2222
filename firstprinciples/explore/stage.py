"""The stage every explorer stands on: dials, a picture, one sentence, and a guard around the learner's functions.

An explorer is five small things: a frozen `State`; `frame(state)`, which returns a dict of plain finite numbers and
words; `picture(frame, before, expected)`, which draws it; `describe(frame)`, which says it in one sentence; and a
function that hands the dials to a `Stage`. The stage draws again at each move and after each `swap.use`. `before` is
the frame from before the dial moved (or None), drawn pale; `expected` is the frame of the course's own functions, there
only when the learner's gave something else, drawn as an outline.
"""

import asyncio
import base64
import builtins
import inspect
import linecache
import math
import numbers
import reprlib
import threading
import traceback
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial

import ipywidgets

from firstprinciples import swap
from firstprinciples.explore import draw

_live = {}  # (explorer, cell) -> [(run of the cell, explorer), ...]: re-running a cell closes what it showed before
WIDE = {"width": "calc(100% - 4px)"}  # an HTML widget has 2 pixels around it
_one_at_a_time = threading.RLock()  # dials may be heard in another thread than the cell that calls `use`


# ---- the guard

@dataclass(frozen=True)
class Run:
    """What one picture is drawn from, and what there is to say about the learner's functions in it."""

    frame: object
    expected: object = None  # the course's own frame, where the learner's functions gave something else
    using: tuple[str, ...] = ()  # the explorer's tasks that run on the learner's function
    trouble: str = ""  # a sentence: the first difference, or why the course's own function stands in


class Trouble(Exception):
    """A learner's function raised, or gave something that cannot be drawn; the message is for the learner."""


_brief = reprlib.Repr()
_brief.maxlevel, _brief.maxlist, _brief.maxtuple, _brief.maxdict = 3, 3, 3, 3
_own = cache(swap.reference)
_place = cache(swap.split_name)


@contextmanager
def standing(functions: dict):
    """For the time of a `with` block, let these functions stand in their modules: {"bm25.idf": function}."""
    before = {name: getattr(*_place(name)) for name in functions}
    try:
        for name, function in functions.items():
            setattr(*_place(name), function)
        yield
    finally:
        for name, function in before.items():
            setattr(*_place(name), function)


def course_own(tasks):
    """For the time of a `with` block, let the course's own functions stand, whatever is in use."""
    return standing({name: _own(name) for name in tasks})


def guard(tasks: tuple[str, ...], compute) -> Run:
    """Call `compute()` on the learner's functions where they are in use, beside the course's own.

    A wrong result is kept and named; an exception, or a result that is not finite, gives the course's own frame and the
    reason. Nothing a learner's function does reaches the picture as an error.
    """
    using = tuple(name for name in tasks if name in swap.in_use())
    if not using:
        return Run(compute())
    with course_own(tasks):
        expected = compute()
    differences = []
    try:
        with standing({name: _watched(name, tasks, differences) for name in using}):
            frame = compute()
            _assert_finite(frame)
    except Exception as error:
        what = str(error) if isinstance(error, Trouble) else _first_line(error)
        return Run(expected, None, using, f"{what} Drawn with the course's own function instead.")
    return Run(frame, expected, using, differences[0]) if differences else Run(frame, None, using)


def _watched(name: str, tasks, differences: list):
    """Return the learner's function wrapped: each result is checked and compared with the course's own."""
    theirs, short = getattr(*_place(name)), name.split(".")[1]

    def call(*args, **kwargs):
        with course_own(tasks):
            expected = _own(name)(*args, **kwargs)
        said = _call_text(name, args, kwargs)
        try:
            value = theirs(*args, **kwargs)
        except Trouble:  # from another of the learner's functions, called by this one
            raise
        except Exception as error:
            where, what = _line_of(error, theirs), _first_line(error)
            raise Trouble(f"Your {short} stopped{where}: {what}, for {said}.") from error
        if isinstance(expected, numbers.Real):
            if not isinstance(value, numbers.Real) or isinstance(value, bool):
                raise Trouble(f"Your {short} returned {_short(value)}, which is not a number, for {said}.")
            if not math.isfinite(value):
                raise Trouble(f"Your {short} returned {value}, which is not a finite number, for {said}.")
        if not _same(value, expected):
            pair = (_short(value), _short(expected))
            yours, should = pair if pair[0] != pair[1] else (repr(value), repr(expected))
            differences.append(f"yours {yours}, expected {should} for {said}")
        return value

    return call


def _same(value, expected) -> bool:
    """Say whether two results agree: numbers within 1e-9, lists and dicts piece by piece, everything else by ==."""
    if isinstance(expected, numbers.Real):
        return isinstance(value, numbers.Real) and math.isclose(value, expected, rel_tol=1e-9, abs_tol=1e-12)
    if type(value) is not type(expected):
        return False
    if isinstance(expected, dict):
        return value.keys() == expected.keys() and all(_same(value[key], expected[key]) for key in expected)
    if isinstance(expected, (list, tuple)):
        return len(value) == len(expected) and all(map(_same, value, expected))
    return bool(value == expected)


def _call_text(name, args, kwargs) -> str:
    """Return a call as the learner would type it: idf(n=3, df=1)."""
    bound = inspect.signature(_own(name)).bind(*args, **kwargs).arguments
    return f"{name.split('.')[1]}({', '.join(f'{key}={_short(value)}' for key, value in bound.items())})"


def _short(value) -> str:
    """Return a value in a few characters: fractions with four decimals at most."""
    if isinstance(value, numbers.Real) and not isinstance(value, (bool, int)):
        value = float(value)
        return f"{value:.4f}".rstrip("0").rstrip(".") if 0.001 <= abs(value) < 1e6 or value == 0 else f"{value:.4g}"
    return _brief.repr(value)


def _first_line(error: BaseException) -> str:
    """Return the type of an error and the first line of its message."""
    message = (str(error).strip().splitlines() or [""])[0]
    return type(error).__name__ + (f": {message[:160]}" if message else "")


def _line_of(error, function) -> str:
    """Return where in the learner's own text the error was raised: its line number and the line."""
    filename = getattr(getattr(function, "__code__", None), "co_filename", None)
    lines = [step for step in traceback.extract_tb(error.__traceback__) if step.filename == filename]
    if not lines:
        return ""
    source = linecache.getline(filename, lines[-1].lineno).strip()
    return f" in line {lines[-1].lineno}" + (f" ({source[:80]})" if source else "")


def _assert_finite(value):
    """Raise Trouble when a number somewhere in a frame is not finite."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    for piece in inside:
        _assert_finite(piece)
    if isinstance(value, numbers.Real) and not math.isfinite(value):
        raise Trouble(f"The sum came out as {value}, which cannot be drawn.")


# ---- the stage

class Stage:
    """Controls, a picture and a sentence that stay together.

    `run(values)` returns the Run for the controls' values, {name: value}. `picture` returns HTML, or PNG bytes where
    `chart` is (width, height). `caption(frame, before)` is the sentence below the picture, `describe(frame)` the one
    that stands for it: its label for screen readers and its text where no picture can be shown. Moving one of `dials`
    keeps the setting from before; `texts` change the question, so they do not. `above` and `buttons` are widgets
    shown above the dials and beside them; `style` is the picture's own style sheet.
    """

    def __init__(self, name, run, picture, describe, dials, texts=None, caption=None, chart=None, style="",
                 above=(), buttons=()):
        self.name, self.run, self.picture, self.describe, self.chart = name, run, picture, describe, chart
        self.caption = caption or (lambda frame, before: describe(frame))
        self.dials, self.controls = tuple(dials), {**dials, **(texts or {})}
        self.start = {key: control.value for key, control in self.controls.items()}
        self.before, self._moving, self._quiet, self.result = None, None, False, None
        reset = ipywidgets.Button(description="Reset", tooltip="Back to the start", layout={"width": "80px"})
        reset.on_click(lambda _: self.reset())
        self.screen = (ipywidgets.Image(format="png", width=chart[0], height=chart[1], layout={"min_width": "800px"})
                       if chart else ipywidgets.HTML(layout=dict(WIDE)))
        shown = ipywidgets.Box([self.screen])  # a chart in a narrow window scrolls, so that its words stay readable
        shown.add_class("fp-scroll")
        self.words = ipywidgets.HTML(layout=dict(WIDE))
        row = ipywidgets.HBox([*dials.values(), *buttons, reset])
        row.add_class("fp-row")
        self.style = draw.STYLE + style
        hidden = ipywidgets.HTML(self.style, layout={"display": "none"})
        self.view = ipywidgets.VBox([hidden, *above, row, shown if chart else self.screen, self.words],
                                    layout={"max_width": "900px"})
        for key, control in self.controls.items():
            control.observe(partial(self._moved, key), "value")
        self.stop = lambda: None  # what runs by itself, and ends when the reader resets or the explorer closes
        self._stop_listening = swap.on_change(self._swapped)
        take_place(self, name)
        self.draw()

    @property
    def values(self) -> dict:
        """The controls' values now."""
        return {key: control.value for key, control in self.controls.items()}

    @property
    def frame(self) -> dict:
        """What the picture shows now."""
        return self.result.frame

    def _moved(self, key, _change):
        """Draw again; the first move of a dial keeps the frame it started from as `before`."""
        if self._quiet:
            return
        if key not in self.dials:
            self.before, self._moving = None, None
        elif key != self._moving:
            self.before, self._moving = self.frame, key
        self.draw()

    def _swapped(self):
        """Draw again on the functions that stand now; frames made by others are no comparison."""
        self.before, self._moving = None, None
        self.draw()

    def reset(self):
        """Put every control back to where it started."""
        self.stop()
        self._quiet = True
        try:
            for key, control in self.controls.items():
                control.value = self.start[key]
        finally:
            self._quiet = False
        self._swapped()

    def draw(self):
        """Compute the frame and show it."""
        with _one_at_a_time:
            self.result = result = self.run(self.values)
            before = self.before if self.before != result.frame else None
            self.drawing = self.picture(result.frame, before, result.expected)
            self.label = self.describe(result.frame) + (f" {trouble}" if (trouble := _trouble_text(result)) else "")
            hidden = ""
            if self.chart:
                self.screen.value = self.drawing
                hidden = f'<div role="img" aria-label="{draw.escape(self.label)}"></div>'
            else:
                self.screen.value = self._still()
            sentence = draw.escape(self.caption(result.frame, before))
            self.words.value = f'<div class="fp fp-caption">{hidden}<div>{sentence}</div>{_trouble_html(result)}</div>'

    def _still(self) -> str:
        """Return the picture as HTML that needs no kernel."""
        if self.chart:
            data = base64.b64encode(self.drawing).decode()
            return (f'<img alt="{draw.escape(self.label)}" width="{self.chart[0]}" height="{self.chart[1]}" '
                    f'src="data:image/png;base64,{data}">')
        return f'<div class="fp" role="img" aria-label="{draw.escape(self.label)}">{self.drawing}</div>'

    def close(self):
        """Take the explorer from the page and stop listening."""
        self.stop()
        self._stop_listening()
        close_all(self.view)

    def _repr_mimebundle_(self, **_):
        data = dict(self.view._repr_mimebundle_() or {})
        data["text/plain"] = self.label
        data["text/html"] = self.style + self._still() + self.words.value
        if self.chart:
            data["image/png"] = base64.b64encode(self.drawing).decode()
        return data


def dial(name: str, value: float, low: float, high: float, step: float):
    """Return a slider that says its value, with as many decimals as its step."""
    decimals = len(f"{step:g}".partition(".")[2])
    return ipywidgets.FloatSlider(value, min=low, max=high, step=step, description=name, readout_format=f".{decimals}f",
                                  style={"description_width": "56px"}, layout={"width": "256px"})


def fold(name: str, widgets):
    """Return a button that shows and hides the widgets below it, by keyboard too (an Accordion opens only by mouse)."""
    button, box = ipywidgets.ToggleButton(description=name), ipywidgets.VBox(widgets, layout={"display": "none"})
    button.add_class("fp-fold")
    button.observe(lambda change: setattr(box.layout, "display", "" if change.new else "none"), "value")
    return ipywidgets.VBox([button, box])


def _names(result: Run) -> str:
    """Return the learner's functions in use, in words: "idf and term_weight"."""
    return " and ".join(name.split(".")[1] for name in result.using)


def _trouble_text(result: Run) -> str:
    """Return what there is to say about the learner's functions, in words: "" when none is in use."""
    if not result.using:
        return ""
    return f"running on your {_names(result)}" + (f": {result.trouble}" if result.trouble else "")


def _trouble_html(result: Run) -> str:
    """Return the same as a badge and, if there is any trouble, the sentence that says which."""
    if not result.using:
        return ""
    badge = f'<span class="fp-badge">running on your {draw.escape(_names(result))}</span>'
    return f'<div class="{"fp-trouble" if result.trouble else ""}">{badge} {draw.escape(result.trouble)}</div>'


def take_place(explorer, name: str):
    """Remember what a notebook's cell shows; when the cell runs again, close what it showed before."""
    shell = getattr(builtins, "get_ipython", lambda: None)()
    turn = getattr(shell, "execution_count", None)
    kernel = getattr(shell, "kernel", None)
    parent = kernel.get_parent() if hasattr(kernel, "get_parent") else {}
    place = (name, parent.get("metadata", {}).get("cellId") or turn)
    for earlier, old in _live.get(place, []):
        if earlier != turn:
            old.close()
    _live[place] = [(before, old) for before, old in _live.get(place, []) if before == turn] + [(turn, explorer)]


def close_all(widget):
    """Close a widget and everything inside it."""
    for child in getattr(widget, "children", ()):
        close_all(child)
    widget.close()


# ---- step by step

def stepper(name, trace, picture, describe, tasks=(), caption=None, style="", pause: float = 1.5) -> Stage:
    """Return a Stage that walks through `trace()`, a list of frames, one decision each, starting still on the first.

    `picture(frame, expected)`, `describe(frame)` and `caption(frame, None)` get one frame; `expected` is the same step
    on the course's own functions, where the learner's took as many steps to something else. The trace is computed once,
    and again after each `swap.use`.
    """
    slider = ipywidgets.IntSlider(0, 0, 0, description="step", readout=False, layout={"width": "320px"})
    back, forward, play = (ipywidgets.Button(description=word, layout={"width": "80px"})
                           for word in ("Back", "Next", "Play"))
    kept, playing = {}, []

    def run(values):
        functions = tuple(getattr(*_place(task)) for task in tasks)
        if kept.get("functions") != functions:
            kept.update(functions=functions, run=guard(tasks, trace))
            slider.max = len(kept["run"].frame) - 1
        whole, at = kept["run"], min(values["step"], slider.max)
        comparable = whole.expected and len(whole.expected) == len(whole.frame)
        return replace(whole, frame=whole.frame[at], expected=whole.expected[at] if comparable else None)

    def stop():
        while playing:
            playing.pop().cancel()
        play.description = "Play"

    def go(step):
        stop()
        slider.value = step

    async def walk():
        if slider.value == slider.max:
            slider.value = 0
        while slider.value < slider.max:
            here = slider.value
            await asyncio.sleep(pause)
            if slider.value != here:  # the reader moved
                break
            slider.value = here + 1
        playing.clear()
        play.description = "Play"

    def toggle(_):
        if playing:
            return stop()
        play.description = "Pause"
        playing.append(asyncio.ensure_future(walk()))

    back.on_click(lambda _: go(max(slider.value - 1, 0)))
    forward.on_click(lambda _: go(min(slider.value + 1, slider.max)))
    play.on_click(toggle)
    stage = Stage(name, run, lambda frame, _, expected: picture(frame, expected), describe, {"step": slider},
                  caption=caption, style=style, buttons=(back, forward, play))
    stage.start = {"step": 0}
    stage.stop = stop
    return stage


# ---- guess first

class Guess:
    """A question the reader answers once, before the answer is shown. `choice` is the option chosen, or None."""

    def __init__(self, question, options, answer, because):
        if answer not in options:
            raise ValueError(f"The answer {answer!r} is not one of the options: {', '.join(options)}.")
        self.question, self.options, self.answer, self.because, self.choice = question, options, answer, because, None
        self.buttons = [ipywidgets.Button(description=option) for option in options]
        for button in self.buttons:
            button.add_class("fp-option")
            button.on_click(self._chosen)
        row = ipywidgets.HBox(self.buttons)
        row.add_class("fp-row")
        self.reveal = ipywidgets.HTML(self._reveal(), layout=dict(WIDE))
        self.view = ipywidgets.VBox([ipywidgets.HTML(draw.STYLE, layout={"display": "none"}),
                                     ipywidgets.HTML(self._asked()), row, self.reveal], layout={"max_width": "880px"})
        self.view.add_class("fp-guess")
        take_place(self, f"guess: {question}")

    def _chosen(self, button):
        """Keep the first choice, and show it beside the answer."""
        if self.choice is not None:
            return
        self.choice = button.description
        button.add_class("fp-chosen")
        for each in self.buttons:
            each.disabled = True
        self.reveal.value = self._reveal()

    def _asked(self) -> str:
        return (f'<div class="fp"><div class="fp-note">Guess first</div><div style="font-size:16px;font-weight:700;'
                f'line-height:24px">{draw.escape(self.question)}</div></div>')

    def _reveal(self) -> str:
        """Return the card below the buttons: empty lines until the reader has chosen."""
        said = ""
        if self.choice is not None:
            truth = ", and so it is" if self.choice == self.answer else f"; it is <b>{draw.escape(self.answer)}</b>"
            said = f"You said <b>{draw.escape(self.choice)}</b>{truth}. {draw.escape(self.because)}"
        return f'<div class="fp" aria-live="polite" style="min-height:48px">{said}</div>'

    def close(self):
        """Take the question from the page."""
        close_all(self.view)

    def _repr_mimebundle_(self, **_):
        data = dict(self.view._repr_mimebundle_() or {})
        options = "".join(f"<li>{draw.escape(option)}</li>" for option in self.options)
        data["text/plain"] = f"Guess first: {self.question} ({' / '.join(self.options)})"
        data["text/html"] = f"{draw.STYLE}{self._asked()}<ul>{options}</ul>"
        return data


def guess(question: str, options: list[str], answer: str, because: str) -> Guess:
    """Ask the reader to commit to one of `options`; then show it beside `answer`, with `because`, a whole sentence."""
    return Guess(question, options, answer, because)
