"""Lesson 18: how sure must a reader be before it speaks? Each dot is a question, and the line is the threshold.

A dot stands at the confidence of the best quote that the reader found. What is left of the line is declined. The curve
below shows the same for every threshold: how many questions are answered, and how many of those answers are wrong.
The questions are those of Larkspur's half dev, on which the course's own threshold was chosen; their confidences were
stored by the benchmark (notebooks/answers.json), so nothing is read again while the dial turns.
"""

import math
from dataclasses import dataclass
from functools import cache
from textwrap import shorten

from firstprinciples.corpus import Collection
from firstprinciples.explore import draw
from firstprinciples.explore.guard import Trouble, guard
from firstprinciples.explore.measured import measured
from firstprinciples.explore.recall_curve import nearest_of, steps
from firstprinciples.explore.stage import Stage
from firstprinciples.generate import answer

TASKS = ("answer.risk_coverage", "answer.declining")
LANES = {"right": (draw.GREEN, "o", "it would quote what answers"),
         "wrong": (draw.ORANGE, "s", "it would quote something else"),
         "nothing": (draw.PURPLE, "X", "there is no answer")}
BIN = 0.01  # confidences nearer than that are drawn above one another
SIZE = (860, 470)


def figures() -> dict:
    """Return what was measured. Raises FileNotFoundError with a sentence where the file is missing."""
    return measured("answers")


@cache
def asked() -> tuple:
    """Return (confidence, lane, question, quote with its receipt) for each dev question, the surest first."""
    texts = {query.id: query.text for query in Collection.load("larkspur").queries if query.split == "dev"}
    rows = [(sure, "nothing" if not answerable else "right" if right else "wrong", texts[id],
             line.removeprefix("Answer: ")) for id, _, sure, right, answerable, line in figures()["dev"]["rows"]]
    return tuple(sorted(rows, key=lambda row: (-row[0], row[2])))


def silent() -> float:
    """Return where the dial ends: the first twentieth that no dev question's confidence reaches."""
    return round((math.floor(asked()[0][0] / 0.05) + 1) * 0.05, 2)


@cache
def stops() -> tuple[float, ...]:
    """Return where the dial stops: at each hundredth from 0 to the end, and at the course's own threshold."""
    return tuple(sorted({*(round(n / 100, 2) for n in range(round(100 * silent()) + 1)), figures()["threshold"]}))


@dataclass(frozen=True)
class State:
    """The threshold, from 0, reckless, to where nothing is answered any more, silent."""

    threshold: float = 0.16

    def __post_init__(self):
        object.__setattr__(self, "threshold", nearest_of(self.threshold, stops()))


def frame(state: State) -> dict:
    """Return what is answered and declined at a threshold, the whole curve, and the questions nearest to the line."""
    rows, t = asked(), state.threshold
    sure, good = [row[0] for row in rows], [row[1] == "right" for row in rows]
    curve = _checked(answer.risk_coverage(sure, good))
    spoken = [row for row in rows if row[0] >= t]
    counts = {lane: [sum(row[1] == lane for row in spoken), sum(row[1] == lane for row in rows)] for lane in LANES}
    declined, answered = _pair(answer.declining([row[0] >= t for row in rows], [row[1] != "nothing" for row in rows]))
    above = list(spoken[-1]) if spoken else None
    below = next((list(row) for row in rows if row[0] < t), None)
    wrong = sum(row[1] != "right" for row in spoken)
    return {"threshold": t, "questions": len(rows), "answered": len(spoken), "wrong": wrong, "counts": counts,
            "curve": curve, "declines": declined, "answers": answered, "above": above, "below": below,
            "date": figures()["date"]}


def _checked(curve) -> list[list[float]]:
    """Return the curve as lists of three numbers; Trouble where a learner's function gave something else."""
    try:
        out = [[float(value) for value in row] for row in curve]
    except (TypeError, ValueError) as error:
        raise Trouble("Your risk_coverage should give a list of (threshold, coverage, risk).") from error
    if not out or any(len(row) != 3 for row in out):
        raise Trouble("Your risk_coverage should give rows of three, (threshold, coverage, risk), one or more.")
    return out


def _pair(shares) -> tuple[float, float]:
    try:
        declined, answered = map(float, shares)
    except (TypeError, ValueError) as error:
        raise Trouble("Your declining should give two numbers.") from error
    return declined, answered


# ---- words

def describe(frame: dict) -> str:
    """Say what is answered at this threshold, how much of it is wrong, and what is declined."""
    counts = frame["counts"]
    return (f"Threshold {frame['threshold']:.3f}: {frame['answered']} of {frame['questions']} dev questions answered, "
            f"{frame['wrong']} of them wrong. Of {counts['nothing'][1]} questions without an answer "
            f"{counts['nothing'][1] - counts['nothing'][0]} are declined; of "
            f"{counts['right'][1] + counts['wrong'][1]} with one, {counts['right'][0] + counts['wrong'][0]} are "
            f"answered, {counts['right'][0]} rightly.")


def caption(frame: dict, before: dict | None) -> str:
    """Say what the dial cost and saved, and show a real question on either side of the line."""
    said = ""
    if before and before["threshold"] != frame["threshold"]:
        right = frame["counts"]["right"][0] - before["counts"]["right"][0]
        wrong = frame["wrong"] - before["wrong"]
        said = (f"From {before['threshold']:.3f} to {frame['threshold']:.3f}: right answers {_signed(right)}, wrong "
                f"ones {_signed(wrong)}. ")
    if frame["above"]:
        said += f"Just answered: {_example(frame['above'], 'it is')} "
    if frame["below"]:
        said += f"Just declined: {_example(frame['below'], 'it would be')}"
    return said.strip()


def _signed(n: int) -> str:
    return f"{n:+d}".replace("-", "−") if n else "as before"


def _example(row, verb: str) -> str:
    """Return a question with the quote it gets, the receipt whole, and what is wrong with that."""
    sure, lane, question, quote = row
    verdict = {"right": "right", "wrong": "wrong", "nothing": "wrong, no page answers it"}[lane]
    line, _, receipt = quote.rpartition(" [")
    asked, quoted = (shorten(text, most, placeholder=" …") for text, most in ((question, 90), (line, 80)))
    return f"“{asked}” ({sure:.3f}), with “{quoted}” [{receipt}: {verb} {verdict}."


# ---- the picture

def chart():
    """Return the function that draws a frame as PNG."""
    figure, lanes = draw.figure(*SIZE)
    lanes.set_position((0.025, 0.50, 0.955, 0.32))
    risk = draw.figure_style(figure.add_axes((0.065, 0.105, 0.50, 0.27)))
    grey = {"color": "#5B6470", "fontsize": 9.5}
    figure.text(0.012, 0.955, "How sure must the reader be?", fontsize=13, fontweight="bold", color=draw.DARK,
                va="center")
    figure.text(0.012, 0.908, f"{len(asked())} dev questions of Larkspur; left of the line the reader says: I couldn't "
                "find that.", va="center", **grey)
    dots, height = _stacked(asked())
    end = silent()
    lanes.set(xlim=(-0.01, end + 0.01), ylim=(-0.6, height), yticks=[])
    lanes.grid(False)
    lanes.set_xlabel("confidence of the best quote", labelpad=1, **grey)
    for lane, (color, shape, _) in LANES.items():
        mine = [(x, y) for x, y, kind in dots if kind == lane]
        lanes.scatter([x for x, _ in mine], [y for _, y in mine], s=26, color=color, marker=shape, zorder=3,
                      edgecolors="white" if shape != "X" else draw.DARK, linewidths=0.5)
    for place, (color, shape, words) in enumerate(LANES.values()):
        x = 0.025 + 0.29 * place
        figure.add_artist(_mark(x, 0.855, color, shape))
        figure.text(x + 0.013, 0.855, words, va="center", fontsize=9.5, color=draw.DARK)
    risk.set(xlim=(0, 1.02), ylim=(0, 1.0))
    risk.set_xlabel("questions answered, as a share of all", labelpad=1, **grey)
    figure.text(0.012, 0.405, "wrong among the answers", **grey)
    veil = lanes.add_patch(_veil(height))
    upright = lanes.axvline(0.5, color=draw.NOW, linewidth=2, zorder=5)
    sides = [lanes.text(0, height, "", ha=ha, va="top", fontsize=10, fontweight="bold", color=draw.DARK, zorder=6)
             for ha in ("right", "left")]
    line = risk.plot([], [], color=draw.BLUE, linewidth=2.2)[0]
    wanted = risk.plot([], [], color=draw.DARK, linewidth=1.4, linestyle=(0, (4, 3)))[0]
    old = risk.plot([], [], color=draw.NOW, marker="o", markersize=11, alpha=0.35, linestyle="none")[0]
    ring = risk.plot([], [], color=draw.NOW, marker="o", markersize=11, fillstyle="none", markeredgewidth=2,
                     linestyle="none", zorder=6, clip_on=False)[0]
    facts = []  # their names stand still: the fewer letters change, the quicker the picture
    for row, name in enumerate(("answered", "of these wrong", "no page has it: declined", "a page has it: answered",
                                "a page has it: right")):
        place = {"y": 0.365 - 0.062 * row, "va": "center", "fontsize": 10.5, "color": draw.DARK}
        figure.text(0.615, s=name, **place)
        facts.append(figure.text(0.985, s="", ha="right", fontweight="bold", **place))
    earlier = figure.text(0.615, 0.045, "pale ring: before", va="center", **grey)
    take = draw.camera(figure, [veil, upright, *sides, line, wanted, old, ring, *facts, earlier])

    def picture(frame, before, expected) -> bytes:
        t, counts, curve = frame["threshold"], frame["counts"], frame["curve"]
        earlier.set_visible(bool(before))
        veil.set_width(t + 0.01)
        upright.set_xdata([t, t])
        for side, words, shift, room in zip(sides, ("declined", "answered"), (-0.004, 0.004), (t, end - t),
                                            strict=True):
            side.set(x=t + shift, text=words if room > 0.09 * end else "")
        line.set_data([row[1] for row in curve], [row[2] for row in curve])
        wanted.set_visible(bool(expected))
        if expected:
            wanted.set_data([row[1] for row in expected["curve"]], [row[2] for row in expected["curve"]])
        for mark, each in ((ring, frame), (old, before)):
            there = bool(each) and each["answered"] > 0
            mark.set_data([each["answered"] / each["questions"]] if there else [],
                          [each["wrong"] / each["answered"]] if there else [])
        n, right, rest = counts["nothing"], counts["right"], counts["right"][1] + counts["wrong"][1]
        share = f" ({frame['wrong'] / frame['answered']:.0%})" if frame["answered"] else ""
        for fact, words in zip(facts, (
                f"{frame['answered']} of {frame['questions']}", f"{frame['wrong']}{share}",
                f"{n[1] - n[0]} of {n[1]} ({frame['declines']:.0%})",
                f"{right[0] + counts['wrong'][0]} of {rest} ({frame['answers']:.0%})", f"{right[0]} of {rest}"),
                               strict=True):
            fact.set_text(words)
        return take()

    return picture


def _stacked(rows) -> tuple[list, float]:
    """Return ((x, y, lane) of each dot, height): the three lanes above one another, equal confidences stacked."""
    out, base = [], 0.0
    for lane in reversed(LANES):
        full = {}
        for sure, kind, *_ in rows:
            if kind == lane:
                place = math.floor(round(sure / BIN, 6))
                full[place] = full.get(place, 0) + 1
                out.append((sure, base + full[place] - 1, lane))
        base += max(full.values(), default=0) + 1.2
    return out, base + 1.5


def _veil(height):
    """Return the pale sheet over what is declined; its width is set at each move."""
    from matplotlib.patches import Rectangle

    return Rectangle((-0.01, -0.6), 0, height + 0.6, color="#FFFFFF", alpha=0.72, zorder=4, linewidth=0)


def _mark(x, y, color, shape):
    """Return a mark in the figure's own coordinates, for the words that say what it is."""
    from matplotlib.lines import Line2D

    return Line2D([x], [y], color=color, marker=shape, linestyle="none", markersize=7,
                  markeredgecolor=draw.DARK if shape == "X" else "white", markeredgewidth=0.5)


# ---- the explorer

def silence(threshold: float | None = None) -> Stage:
    """Turn the threshold from reckless to silent, and see which questions are answered and which answers are wrong.

    It begins at the course's own threshold unless another is given.
    """
    start = State(figures()["threshold"] if threshold is None else threshold)

    def run(values):
        state = State(**values)
        return guard(TASKS, lambda: frame(state))

    slider = steps("threshold", start.threshold, [(f"{stop:.3f}", stop) for stop in stops()], 440)
    return Stage("silence", run, chart(), describe, {"threshold": slider}, caption=caption, chart=SIZE)
