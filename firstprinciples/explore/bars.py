"""Lesson 10: four bars, twice. What is missing from the first twenty, as it was published and on our questions.

Nothing is measured while you press: our numbers come from notebooks/contextual.json, which says when and how they were
measured, on the half of the questions that nobody looked at. The published ones are Anthropic's, on its own documents.
"""

from dataclasses import dataclass

import ipywidgets

from firstprinciples.explore import draw
from firstprinciples.explore.guard import guard
from firstprinciples.explore.measured import measured
from firstprinciples.explore.stage import Stage
from firstprinciples.ingest import contextual

TASKS = ("contextual.reduction",)
BARS = ("embeddings", "contextual embeddings", "+ contextual BM25", "+ reranking")
CONTROL = "embeddings + BM25"  # both, without context
GROUPS = {"all questions": "all", "needs context": "needs_context", "all others": "others"}
SCALES = ("a scale each", "one scale")
COLORS = (draw.BLUE, draw.ORANGE, draw.GREEN, draw.PURPLE)


def figures() -> dict:
    """Return what was measured. Raises FileNotFoundError with a sentence where the file is missing."""
    return measured("contextual")


@dataclass(frozen=True)
class State:
    """Which questions, and whether both panels have one scale."""

    group: str = "all questions"
    scale: str = SCALES[0]

    def __post_init__(self):
        object.__setattr__(self, "group", self.group if self.group in GROUPS else "all questions")
        object.__setattr__(self, "scale", self.scale if self.scale in SCALES else SCALES[0])


def frame(state: State) -> dict:
    """Return the bars of both panels in percent, with our intervals, and how much of the first bar each takes away."""
    half, key = figures()["bars"]["held_out"], GROUPS[state.group]
    published = list(contextual.PUBLISHED.values())
    rows = [half["rows"][name][key] for name in BARS]
    ours = [100 * row["misses"] for row in rows]
    apart = [half["differences"][name][key] for name in BARS[1:]]
    return {"group": state.group, "scale": state.scale, "queries": rows[0]["queries"], "published": published,
            "ours": ours, "low": [100 * row["low"] for row in rows], "high": [100 * row["high"] for row in rows],
            "control": 100 * half["rows"][CONTROL][key]["misses"],
            "gone": {"published": [float(contextual.reduction(published[0], each)) for each in published],
                     "ours": [float(contextual.reduction(ours[0], each)) for each in ours]},
            "apart": [_points(row) for row in apart], "context": _points(half["differences"]["context alone"][key]),
            "depth": figures()["bars"]["depth"]}


def _points(row: dict) -> dict:
    """Return a difference and its interval in points of percent."""
    return {name: 100 * row[name] for name in ("difference", "low", "high")}


def sure(row: dict) -> bool:
    """Say whether 0 lies outside the interval of a difference."""
    return row["low"] > 1e-9 or row["high"] < -1e-9


# ---- words

def gone(share: float) -> str:
    """Return which share of the misses is gone, with its sign.

    >>> gone(0.35), gone(-0.1), gone(0.0)
    ('−35 %', '+10 %', '±0 %')
    """
    percent = round(100 * share)
    return "±0 %" if percent == 0 else f"{'−' if percent > 0 else '+'}{abs(percent)} %"


def describe(frame: dict) -> str:
    """Say all eight bars."""
    published = ", ".join(f"{name} {value:.1f}" for name, value in zip(BARS, frame["published"], strict=True))
    ours = ", ".join(f"{name} {value:.1f} ({low:.1f} to {high:.1f})" for name, value, low, high in
                     zip(BARS, frame["ours"], frame["low"], frame["high"], strict=True))
    return (f"Percent of the answers missing from the first twenty. Published by Anthropic: {published}. Ours, "
            f"{frame['group']}, {frame['queries']} held-out questions, with 95% intervals: {ours}; {CONTROL}, no "
            f"context, {frame['control']:.1f}. Drawn with {frame['scale']}.")


def caption(frame: dict, before: dict | None) -> str:
    """Say which of our bars can be told from the first."""
    said = [f"{name} {_signed(row)}" + ("" if sure(row) else ", unsure")
            for name, row in zip(BARS[1:], frame["apart"], strict=True)]
    told = [*frame["apart"], frame["context"]]
    return (f"Ours, {frame['group']}, in points against embeddings alone: {'; '.join(said)}. The third bar against the "
            f"dotted line, the same without context: {_signed(frame['context'])}"
            + ("." if sure(frame["context"]) else ", unsure.")
            + ("" if all(map(sure, told)) else " (Unsure: the interval holds 0.)"))


def _signed(row: dict) -> str:
    """Return a difference with its interval, in points."""
    return f"{row['difference']:+.1f} ({row['low']:+.1f} to {row['high']:+.1f})".replace("-", "−")


# ---- the picture

WIDE, TALL, BASE, HEAD = 880, 376, 290, 66  # pixels: all, all, where bars stand, and the top of the highest
SECTION, BAR, GAP = 420, 62, 34  # of a panel, a bar, and between bars
TITLES = {"published": "published by Anthropic, 2024", "ours": "measured here, held out"}


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw the two panels side by side."""
    notes = [f"percent of the answers missing; {frame['group']}, {frame['queries']} of ours", "lines: 95% intervals",
             "each panel has its own scale" if frame["scale"] == SCALES[0] else "both panels have one scale"]
    notes += ["dashed: the course's own function"] * bool(expected)
    most = {"published": max(frame["published"]), "ours": max([*frame["high"], frame["control"]])}
    if frame["scale"] == SCALES[1]:
        most = dict.fromkeys(most, max(most.values()))
    shapes = []
    for panel, left in (("published", 6), ("ours", 6 + SECTION + 34)):
        shapes += _panel(frame, expected, panel, left, most[panel])
    return (f'<div class="fp-title fp-line">How much is missing from the first twenty?</div>'
            f'<div class="fp-line fp-note">{draw.escape("; ".join(notes))}</div><div class="fp-scroll">'
            f'<div style="width:{WIDE}px">{draw.svg(TALL, *shapes, width=WIDE)}</div></div>')


def _panel(frame, expected, panel, left, most) -> list[str]:
    """Return the shapes of one panel."""
    shapes = [draw.text(left, 22, TITLES[panel], 14, bold=True),
              draw.line(left, BASE, left + SECTION, BASE, draw.GREY)]
    for place, (name, value) in enumerate(zip(BARS, frame[panel], strict=True)):
        x, top = left + 18 + place * (BAR + GAP), BASE - (BASE - HEAD) * value / most
        middle = x + BAR / 2
        shapes.append(draw.box(x, round(top, 1), BAR, round(BASE - top, 1), fill=COLORS[place]))
        label = top
        if panel == "ours":
            low, high = (BASE - (BASE - HEAD) * frame[end][place] / most for end in ("low", "high"))
            shapes += [draw.line(middle, round(low, 1), middle, round(high, 1), draw.INK, 1.5),
                       *(draw.line(middle - 6, round(y, 1), middle + 6, round(y, 1), draw.INK, 1.5)
                         for y in (low, high))]
            label = high
            if place == 2:
                y = BASE - (BASE - HEAD) * frame["control"] / most
                shapes += [draw.line(x - 6, round(y, 1), x + BAR + 6, round(y, 1), draw.INK, 2.5, "2 3")]
                label = min(label, y)
        shapes.append(draw.text(middle, round(label - 7, 1), f"{value:.1f}", 15, bold=True, anchor="middle"))
        for row, words in enumerate(_wrapped(name)):
            shapes.append(draw.text(middle, BASE + 18 + 16 * row, words, 13, anchor="middle"))
        if place:
            share, other = frame["gone"][panel][place], expected and expected["gone"][panel][place]
            words = gone(share) + ("" if panel == "published" or sure(frame["apart"][place - 1]) else ", unsure")
            if expected and abs(other - share) > 1e-6:
                words += f", not {gone(other)}"
            shapes.append(draw.text(middle, BASE + 56, words, 13, draw.GREY, bold=True, anchor="middle"))
    if panel == "ours":
        shapes += [draw.line(left + 6, BASE + 76, left + 30, BASE + 76, draw.INK, 2.5, "2 3"),
                   draw.text(left + 38, BASE + 80, f"embeddings and BM25 without context: {frame['control']:.1f}", 13)]
    return shapes


def _wrapped(name: str) -> list[str]:
    """Return the name of a bar on one line or two.

    >>> _wrapped("+ contextual BM25")
    ['+ contextual', 'BM25']
    """
    first, _, last = name.rpartition(" ")
    return [first, last] if len(name) > 12 else [name]


# ---- the explorer

def four_bars(group: str = "all questions", scale: str = SCALES[0]) -> Stage:
    """Show the misses in the first twenty, the published bars beside ours, for all questions or some of them."""
    start = State(group, scale)
    dials = {name: ipywidgets.ToggleButtons(options=list(options), value=getattr(start, name), tooltips=list(options),
                                            style={"button_width": "120px"}, layout={"width": "auto"})
             for name, options in (("group", GROUPS), ("scale", SCALES))}

    def run(values):
        state = State(**values)
        return guard(TASKS, lambda: frame(state), lambda drawn: picture(drawn, None, None))

    return Stage("four_bars", run, picture, describe, dials, caption=caption)
