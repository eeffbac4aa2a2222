"""Lesson 17: the two dials of a corrective search: how sure the grader must be, and how much has to be left.

Above, each passage that the grader calls aligned, at its confidence; the rows are what the passage truly is. Right of
the line is kept. Below, what the answers to the questions of this half are made of, without the grader and with it. The
grades and the answers were measured beforehand; the counting is done here, by `corrective.keep` and `per_label`.
"""

from dataclasses import dataclass
from functools import cache

import ipywidgets

from firstprinciples.explore import draw
from firstprinciples.explore.guard import Trouble, guard
from firstprinciples.explore.measured import measured
from firstprinciples.explore.stage import Stage, toggles
from firstprinciples.explore.two_fields import NAMES, sign
from firstprinciples.generate import corrective
from firstprinciples.generate.corrective import LABELS

TASKS = ("corrective.keep", "corrective.per_label", "corrective.chance")
HALVES = {"dev half": "dev", "held-out half": "held_out"}
READERS = {"careful": "answers", "reckless": "reckless"}  # who reads the desk, and where that is measured
ANSWERS = {"true": draw.GREEN, "false": draw.ORANGE, "off": draw.OTHER, "declined": None}
MARKS = {"true": "● true", "false": "◆ false", "off": "■ off the point", "declined": "□ declined"}


@cache
def grades(half: str) -> list[tuple[str, str, float]]:
    """Return what was measured for each passage of a half: (true label, the grader's label, its confidence)."""
    return [(str(true), str(given), float(confidence))
            for true, given, confidence in measured("corrective")[half]["passages"]]


def thresholds() -> list[float]:
    """Return the thresholds at which the answers were measured, ascending."""
    return sorted(float(key) for key in measured("corrective")["dev"]["sweep"])


def plain(half: str, reader: str) -> dict:
    """Return what the answers to the questions of a half are without a grader: {"true", "false", "off", "declined"}."""
    part = measured("corrective")[half]
    return (part if reader == "careful" else part["reckless"])["pipelines"]["plain"]["answers"]


def swept(half: str, threshold: float, minimum: int) -> dict:
    """Return what was measured on the questions of a half with these dials: {"answers", "reckless", "actions"}."""
    sweep = measured("corrective")[half]["sweep"]
    return next(row for key, row in sweep.items() if abs(float(key) - threshold) < 1e-9)[str(minimum)]


@dataclass(frozen=True)
class State:
    """Which half, from what confidence on a passage is kept, how many have to be left, and who reads the desk."""

    half: str = "dev half"
    threshold: float = 0.5
    minimum: int = 2
    reader: str = "careful"

    def __post_init__(self):
        there = thresholds()
        object.__setattr__(self, "threshold", min(there, key=lambda each: abs(each - self.threshold)))
        object.__setattr__(self, "minimum", min(max(int(self.minimum), 0), 3))


def frame(state: State) -> dict:
    """Return the graded passages, which of them are kept, the grader's figures for each label, and the answers."""
    rows = grades(HALVES[state.half])
    graded = [(str(number), given, confidence) for number, (_, given, confidence) in enumerate(rows)]
    kept = corrective.keep([tuple(each) for each in graded], state.threshold)
    if not isinstance(kept, (list, tuple)) or not set(kept) <= {id for id, _, _ in graded}:
        raise Trouble("Your keep has to give a list of ids, each one that it was handed.")
    true, given = [row[0] for row in rows], [row[1] for row in rows]
    counts = {label: sum(rows[int(id)][0] == label for id in kept) for label in LABELS}
    dots = {label: [[row[2], str(number) in kept] for number, row in enumerate(rows)
                    if row[0] == label and row[1] == "aligned"] for label in LABELS}
    elsewhere = {label: {other: sum(row[0] == label and row[1] == other for row in rows)
                         for other in LABELS if other != "aligned"} for label in LABELS}
    figures = {label: [float(value) for value in pair]
               for label, pair in corrective.per_label(list(true), list(given), list(LABELS)).items()}
    if set(figures) != set(LABELS) or any(len(pair) != 2 for pair in figures.values()):
        raise Trouble("Your per_label has to give (precision, recall) for each of the labels.")
    here = swept(HALVES[state.half], state.threshold, state.minimum)
    return {"half": state.half, "threshold": state.threshold, "minimum": state.minimum, "counts": counts,
            "dots": dots, "elsewhere": elsewhere, "figures": figures, "passages": len(rows),
            "there": {label: true.count(label) for label in LABELS},
            "right": sum(one == other for one, other in zip(true, given, strict=True)) / len(rows),
            "chance": float(corrective.chance(list(true))),
            "reader": state.reader, "plain": plain(HALVES[state.half], state.reader),
            "answers": here[READERS[state.reader]], "actions": here["actions"]}


# ---- words

def kept_said(frame: dict) -> str:
    """Say what is kept: "12 kept: 8 true, 3 false, 1 uncertain"."""
    counts = frame["counts"]
    return (f"{sum(counts.values())} kept: {counts['aligned']} true, {counts['contradicts']} false, "
            f"{counts['uncertain']} uncertain")


def answers_said(row: dict) -> str:
    """Say what the answers are: "9 true, 6 false, 1 off the point, 6 declined"."""
    return ", ".join(f"{row[name]} {MARKS[name][2:]}" for name in ANSWERS)


def describe(frame: dict) -> str:
    """Say what is kept, how good the grader is, and what the answers are, without it and with it."""
    figures = "; ".join(f"{label} precision {draw.number(precision)}, recall {draw.number(recall)}"
                        for label, (precision, recall) in frame["figures"].items())
    return (f"{frame['half']}, threshold {frame['threshold']:g}, minimum {frame['minimum']}. Of {frame['passages']} "
            f"passages {kept_said(frame)}. The grader is right on {draw.number(frame['right'])} (chance "
            f"{draw.number(frame['chance'])}): {figures}. Answers of a {frame['reader']} reader, plain: "
            f"{answers_said(frame['plain'])}; corrective: "
            f"{answers_said(frame['answers'])}.")


def caption(frame: dict, before: dict | None) -> str:
    """Say what the move did to what is kept and to the answers."""
    total = sum(frame["counts"].values())
    true, there = frame["counts"]["aligned"], frame["there"]["aligned"]
    share = (f"{total} kept, {true} of them true, {draw.number(true / total)}; of the {there} true ones "
             f"{draw.number(true / there)} are kept." if total else "Nothing is kept.")
    acted = ", ".join(f"{name} {times} {'time' if times == 1 else 'times'}" for name, times in
                      frame["actions"].items() if times)
    acts = f" Actions: {acted}." if acted else " No action is taken." if frame["minimum"] else \
        " A minimum of 0 asks for nothing: this is filtering alone."
    if before and (before["half"], before["reader"]) == (frame["half"], frame["reader"]):
        moved = [f"{MARKS[name][2:]}: from {before['answers'][name]} to {frame['answers'][name]} answers"
                 for name in ANSWERS if before["answers"][name] != frame["answers"][name]]
        return f"{share}{acts} {'; '.join(moved).capitalize() or 'As many answers of each kind as before'}."
    return f"{share}{acts}"


# ---- the picture

STYLE = """<style>
.fp-trust { min-width: 600px; }
.fp-trust-figures { display: grid; grid-template-columns: 150px repeat(3, 1fr); column-gap: 10px; font-size: 13px;
  line-height: 22px; margin: 6px 0 8px; }
</style>"""
LEFT, WIDE = 42.0, 55.0  # where the axis of confidence begins and how wide it is, in percent
ROWS = {"aligned": 58, "contradicts": 100, "uncertain": 138}
AXIS = 164


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw the graded passages with the line, the grader's figures, and the answers."""
    notes = ["columns: what the grader calls it", "filled: kept"]
    notes += ["pale line: before"] * bool(before and before["threshold"] != frame["threshold"])
    notes += ["expected: the course's own function"] * bool(expected)
    return (f'<div class="fp-title fp-line">How sure must the grader be, and how much has to be left?</div>'
            f'<div class="fp-line fp-note"><code>threshold = {frame["threshold"]:.2f}  minimum = {frame["minimum"]}'
            f'</code><span style="margin-left:20px">{draw.escape("; ".join(notes))}</span></div>'
            f'<div class="fp-scroll"><div class="fp-trust">{_dots(frame, before)}{_figures(frame, expected)}'
            f'{_answers(frame, before)}</div></div>')


def _x(confidence: float) -> str:
    """Return where a confidence from 0.3 to 1 stands; below a third nothing can be the highest of three chances."""
    return f"{LEFT + WIDE * (min(max(confidence, 0.3), 1.0) - 0.3) / 0.7:.3f}%"


def _dots(frame, before) -> str:
    """Return the rows: what the passages truly are; on the axis those called aligned, by their confidence."""
    shapes = [draw.text("17.5%", 16, "contradicts", 12, draw.GREY),
              draw.text("29.5%", 16, "uncertain", 12, draw.GREY),
              draw.text(f"{LEFT}%", 16, "aligned, at its confidence", 12, draw.GREY)]
    for label, y in ROWS.items():
        elsewhere = frame["elsewhere"][label]
        shapes += [draw.text(0, y + 5, NAMES[label], 14, bold=True),
                   draw.text("17.5%", y + 5, elsewhere["contradicts"], 14),
                   draw.text("29.5%", y + 5, elsewhere["uncertain"], 14),
                   draw.line(f"{LEFT}%", y, f"{LEFT + WIDE}%", y),
                   draw.text("100%", y + 5, frame["counts"][label], 15, bold=True, anchor="end")]
    for value in (0.4, 0.6, 0.8, 1.0):
        shapes.append(draw.text(_x(value), AXIS + 8, f"{value:g}", 12, draw.GREY, anchor="middle"))
    shapes.append(draw.text("100%", 16, "kept", 12, draw.GREY, anchor="end"))
    if before and before["threshold"] != frame["threshold"]:
        x = _x(before["threshold"])
        shapes.append(draw.line(x, 24, x, AXIS - 8, draw.OTHER, 2, "3 4"))
    shapes.append(draw.line(_x(frame["threshold"]), 24, _x(frame["threshold"]), AXIS - 8, draw.NOW, 2.5, "7 4"))
    for label, row in frame["dots"].items():
        lift = {}  # passages of nearly one confidence stand above each other
        for confidence, full in sorted(row):
            place = round(confidence / 0.02)
            lift[place] = lift.get(place, -1) + 1
            shapes.append(sign(label, _x(confidence), ROWS[label] - 5 * lift[place], full))
    return draw.svg(AXIS + 14, *shapes)


def _figures(frame, expected) -> str:
    """Return the grader's precision and recall for each label, and its accuracy beside chance."""
    cells = [f"<span><b>the grader</b></span>{''.join(f'<span>{label}</span>' for label in LABELS)}"]
    for number, name in enumerate(("precision", "recall")):
        row = []
        for label in LABELS:
            value = draw.number(frame["figures"][label][number])
            should = draw.number(expected["figures"][label][number]) if expected else value
            also = f' <span class="fp-note">expected {should}</span>' if should != value else ""
            row.append(f"<span><b>{value}</b>{also}</span>")
        cells.append(f"<span>{name}</span>{''.join(row)}")
    return (f'<div class="fp-trust-figures">{"".join(cells)}</div><div class="fp-note">right on '
            f'{draw.number(frame["right"])} of {frame["passages"]} passages; always saying the most frequent label: '
            f'{draw.number(frame["chance"])}</div>')


def _answers(frame, before) -> str:
    """Return two bars, the answers without the grader and with it, and a pale one for the dials before."""
    total = sum(frame["plain"].values())
    bars = [("plain", frame["plain"], 22, 1.0), ("corrective", frame["answers"], 22, 1.0)]
    same = before and (before["half"], before["reader"]) == (frame["half"], frame["reader"])
    if same and before["answers"] != frame["answers"]:
        bars.append(("before", before["answers"], 8, 0.45))
    shapes, y = [draw.text(0, 14, f"answers of a {frame['reader']} reader to {total} questions", 13, draw.GREY)], 22
    shapes.append(draw.text("100%", 14, "   ".join(MARKS.values()), 13, draw.GREY, anchor="end"))
    for name, row, height, strength in bars:
        shapes.append(draw.text(0, y + height / 2 + 5, name, 14 if height > 10 else 12, draw.INK if height > 10 else
                                draw.GREY, bold=name == "corrective"))
        start = 16.0
        for answer, color in ANSWERS.items():
            share = 84.0 * row[answer] / total
            if not share:
                continue
            fill = "none" if color is None else color if strength == 1.0 else draw.tint(color, strength)
            shapes.append(draw.box(f"{start:.3f}%", y, f"{share:.3f}%", height, fill=fill,
                                   stroke=draw.GREY if color is None else draw.PAPER))
            if height > 10:
                ink = draw.INK if color is None else draw.DARK
                shapes.append(draw.text(f"{start + share / 2:.3f}%", y + height / 2 + 5,
                                        f"{MARKS[answer][0]} {row[answer]}", 13, ink, bold=True, anchor="middle"))
            start += share
        y += height + 6
    return f'<div style="margin-top:8px">{draw.svg(88, *shapes)}</div>'


# ---- the explorer

def trust_dial(half: str = "dev half", threshold: float | None = None, minimum: int | None = None) -> Stage:
    """Show what is kept, and what the answers are, at each threshold and minimum; it begins at those that were chosen.

    `half` is one of HALVES. Raises ValueError for another name.
    """
    if half not in HALVES:
        raise ValueError(f"There is no half {half!r}; there are {', '.join(HALVES)}.")
    chosen = measured("corrective")
    start = State(half, chosen["threshold"] if threshold is None else threshold,
                  chosen["minimum"] if minimum is None else minimum)
    first = toggles(HALVES, start.half, "which half", 124)
    values = [(f"{value:.2f}", value) for value in thresholds()]
    sure = ipywidgets.SelectionSlider(options=values, value=start.threshold, description="threshold",
                                      tooltip="threshold", style={"description_width": "66px"},
                                      layout={"width": "300px"})
    left = ipywidgets.IntSlider(start.minimum, 0, 3, description="minimum", tooltip="minimum",
                                style={"description_width": "66px"}, layout={"width": "220px"})

    def run(values):
        state = State(**values)
        return guard(TASKS, lambda: frame(state), lambda drawn: picture(drawn, None, None))

    reader = toggles(READERS, start.reader, "who reads the desk", 92)
    row = ipywidgets.HBox([first, ipywidgets.Label("reader"), reader])
    row.add_class("fp-row")
    return Stage("trust_dial", run, picture, describe, {"threshold": sure, "minimum": left},
                 {"half": first, "reader": reader}, caption, style=STYLE, above=[row])
