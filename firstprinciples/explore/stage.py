"""The stage every explorer stands on: dials, a picture, one sentence, and a guard around the learner's functions.

An explorer is five small things: a frozen `State`; `frame(state)`, which returns a dict of plain finite numbers and
words; `picture(frame, before, expected)`, which draws it; `describe(frame)`, which says it in one sentence; and a
function that hands the dials to a `Stage`. The stage draws again at each move and after each `swap.use`. `before` is
the frame from before the dial moved (or None), drawn pale; `expected` is the frame of the course's own functions, there
only when the learner's gave something else, drawn as an outline.
"""

import base64
import builtins
import threading
from functools import partial

import ipywidgets

from firstprinciples import swap
from firstprinciples.explore import draw
from firstprinciples.explore.guard import Run

_live = {}  # (explorer, cell) -> [(run of the cell, explorer), ...]: re-running a cell closes what it showed before
WIDE = {"width": "calc(100% - 4px)"}  # an HTML widget has 2 pixels around it
_one_at_a_time = threading.RLock()  # dials may be heard in another thread than the cell that calls `use`


class Stage:
    """Controls, a picture and a sentence that stay together.

    `run(values)` returns the Run for the controls' values, {name: value}. `picture` returns HTML, or PNG bytes where
    `chart` is (width, height). `caption(frame, before)` is the sentence below the picture, `describe(frame)` the one
    that stands for it: its label for screen readers and its text where no picture can be shown. Moving one of `dials`
    keeps the setting from before; `texts` change the question, so they do not. `above` and `buttons` are widgets
    shown above the dials and beside them; `also` are those that change no picture but go back with the rest at Reset;
    `style` is the picture's own style sheet.
    """

    def __init__(self, name, run, picture, describe, dials, texts=None, caption=None, chart=None, style="",
                 above=(), buttons=(), also=()):
        self.name, self.run, self.picture, self.describe, self.chart = name, run, picture, describe, chart
        self.caption = caption or (lambda frame, before: describe(frame))
        self.dials, self.controls = tuple(dials), {**dials, **(texts or {})}
        self.start = {key: control.value for key, control in self.controls.items()}
        self.also = [(each, each.value) for each in also]
        self.before, self._moving, self._quiet, self.result = None, None, False, None
        reset = ipywidgets.Button(description="Reset", tooltip="Back to the start", layout={"width": "80px"})
        reset.on_click(lambda _: self.reset())
        self.screen = (ipywidgets.Image(format="png", width=chart[0], height=chart[1], layout={"min_width": "800px"})
                       if chart else ipywidgets.HTML(layout=dict(WIDE)))
        shown = ipywidgets.Box([self.screen])  # a chart in a narrow window scrolls, so that its words stay readable
        shown.add_class("fp-scroll")
        self.words = ipywidgets.HTML(layout=dict(WIDE))
        row = self.row = ipywidgets.HBox([*dials.values(), *buttons, reset])
        row.add_class("fp-row")
        self.style = draw.STYLE + style
        hidden = ipywidgets.HTML(self.style, layout={"display": "none"})
        rows = [row] if dials or buttons else []  # without a dial there is nothing to reset
        self.view = ipywidgets.VBox([hidden, *above, *rows, shown if chart else self.screen, self.words],
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
        elif key != self._moving or not hasattr(self.controls[key], "continuous_update"):  # a drag is one long move
            self.before, self._moving = self.frame, key
        self.draw()

    def _swapped(self):
        """Draw again on the functions that stand now; frames made by others are no comparison."""
        self.before, self._moving = None, None
        self.draw()

    def reset(self):
        """Put every control back to where it started."""
        self.stop()
        for each, value in self.also:
            each.value = value
        self.fill(self.start)

    def fill(self, values: dict):
        """Set several controls, {name: value}, and draw once."""
        self._quiet = True
        try:
            for key, value in values.items():
                self.controls[key].value = value
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
    room = max(56, 7 * len(name))  # for the name, in pixels
    return ipywidgets.FloatSlider(value, min=low, max=high, step=step, description=name, tooltip=name,
                                  readout_format=f".{decimals}f", style={"description_width": f"{room}px"},
                                  layout={"width": f"{176 + room}px"})


def toggles(options, value, about: str, width: int):
    """Return a row of buttons, one of which is down: options as ipywidgets takes them, `width` pixels each.

    `about` says what is chosen, to whoever stops at one with the mouse.
    """
    options = list(options)
    return ipywidgets.ToggleButtons(options=options, value=value, tooltips=[about] * len(options),
                                    style={"button_width": f"{width}px"}, layout={"width": "auto"})


def fold(name: str, widgets):
    """Return a button that shows and hides the widgets below it, by keyboard too (an Accordion opens only by mouse)."""
    button, box = ipywidgets.ToggleButton(description=name), ipywidgets.VBox(widgets, layout={"display": "none"})
    button.add_class("fp-fold")
    button.observe(lambda change: setattr(box.layout, "display", "" if change.new else "none"), "value")
    return ipywidgets.VBox([button, box])


def another_question(turn):
    """Return a button that calls `turn()`, which brings the next question of a list, after the last the first again.

    Nothing to choose from, because JupyterLab takes the arrow keys from a `Dropdown`, a `Select` and `RadioButtons`.
    """
    button = ipywidgets.Button(description="Another question", layout={"width": "150px"})
    button.on_click(lambda _: turn())
    return button


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
