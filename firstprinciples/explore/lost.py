"""Lesson 01: the page with the answer at each place of a long prompt, and how often a model then answered rightly.

Nothing here was measured by this course. The points are those of N. Liu and others, "Lost in the middle", TACL 2024,
tables 5 to 7, with GPT-3.5-Turbo on questions about Wikipedia; between its points the line is straight.
"""

from dataclasses import dataclass

import ipywidgets

from firstprinciples.explore import draw
from firstprinciples.explore.guard import guard
from firstprinciples.explore.stage import Stage, toggles
from firstprinciples.generate import context

TASKS = ("context.along",)
SIZES = tuple(context.PUBLISHED)
# without any page, with the one that holds the answer; the model for 30 pages is the one that reads 16,000 tokens
WITHOUT = {10: (context.CLOSED_BOOK, context.ORACLE), 20: (context.CLOSED_BOOK, context.ORACLE), 30: (56.0, 88.6)}
MODELS = {10: "GPT-3.5-Turbo", 20: "GPT-3.5-Turbo", 30: "GPT-3.5-Turbo (16K)"}


@dataclass(frozen=True)
class State:
    """How many pages there are, 10, 20 or 30, and at which place stands the one with the answer."""

    pages: int = 20
    place: int = 1

    def __post_init__(self):
        object.__setattr__(self, "pages", min(SIZES, key=lambda size: abs(size - self.pages)))
        object.__setattr__(self, "place", min(max(int(self.place), 1), self.pages))


def frame(state: State) -> dict:
    """Return the percentage at each place, at the chosen one, and without pages."""
    curve = context.LOST[state.pages]
    closed, oracle = WITHOUT[state.pages]
    values = [float(context.along(curve, place, state.pages)) for place in range(1, state.pages + 1)]
    return {"pages": state.pages, "place": state.place, "values": values, "value": values[state.place - 1],
            "published": list(context.PUBLISHED[state.pages]), "closed": closed, "oracle": oracle,
            "model": MODELS[state.pages]}


# ---- words

def percent(value: float) -> str:
    """Return a percentage as the paper prints it.

    >>> percent(53.8), percent(-100.04)
    ('53.8 %', '−100.0 %')
    """
    return f"{value:.1f} %".replace("-", "\u2212")


def describe(frame: dict) -> str:
    """Say the place, what was published for it or lies between, and the two numbers without a middle."""
    how = "published" if frame["place"] in frame["published"] else "between two published points"
    return (f"Liu and others, {frame['model']}, {frame['pages']} pages: with the answer on page {frame['place']} "
            f"{percent(frame['value'])} answered rightly ({how}); without any page {percent(frame['closed'])}, with "
            f"that page alone {percent(frame['oracle'])}.")


def caption(frame: dict, before: dict | None) -> str:
    """Say what moving the page does, and how it stands to the closed book."""
    apart = round(frame["value"], 1) - frame["closed"]
    beside = ("just as often as" if abs(apart) < 0.05 else
              f"{abs(apart):.1f} points {'more often' if apart > 0 else 'less often'} than")
    said = f"{beside} with no page at all ({percent(frame['closed'])})"
    if before and before["pages"] == frame["pages"] and before["place"] != frame["place"]:
        return (f"From place {before['place']} to {frame['place']}: {percent(before['value'])} becomes "
                f"{percent(frame['value'])}, {said}. The page is the same, and so are the others.")
    return f"At place {frame['place']} of {frame['pages']}: answered rightly {said}."


# ---- the picture

STYLE = "<style>.fp-lost { min-width: 700px; }</style>"
LEFT, RIGHT, TOP, LOW, HIGH = 5.0, 98.0, 8, 45.0, 95.0  # percent of the width; pixels; percent of the questions
TALL = 230  # pixels of the curve


def x_of(place: int, pages: int) -> float:
    """Return where a place stands, in percent of the width.

    >>> x_of(1, 20), x_of(20, 20)
    (6.5, 96.5)
    """
    return LEFT + 1.5 + (RIGHT - LEFT - 3) * (place - 1) / (pages - 1)


def y_of(value: float) -> float:
    """Return the height of a percentage, in pixels from the top; what is beyond an axis stands at its end."""
    return TOP + TALL * (HIGH - min(max(value, LOW), HIGH)) / (HIGH - LOW)


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw the curve over a row of pages, one of which is marked."""
    notes = [f"not ours: N. Liu and others; {frame['model']}, {frame['pages']} pages of up to {context.LONGEST} tokens",
             "dots: published"]
    notes += ["pale: before"] * bool(before) + ["dashed: the course's own"] * bool(expected)
    shapes = []
    for value in (int(LOW), *range(50, 100, 10)):  # the lowest line says that the axis does not begin at 0
        shapes += [draw.line(f"{LEFT}%", y_of(value), f"{RIGHT}%", y_of(value)),
                   draw.text(f"{LEFT}%", y_of(value) + 4, f"{value} %", 12, draw.GREY, anchor="end", shift=-6)]
    for value, words, dash, color in ((frame["oracle"], "that page alone", "2 4", draw.GREEN),
                                      (frame["closed"], "no page", "7 5", draw.ORANGE)):
        shapes += [draw.line(f"{LEFT}%", y_of(value), f"{RIGHT}%", y_of(value), color, 2.5, dash),
                   draw.text("95.5%", y_of(value) + 17, f"{words}, {percent(value)}", 13, anchor="end")]
    if before and before["pages"] != frame["pages"]:
        shapes += _curve(before, draw.tint(draw.BLUE, 0.3), 5)
    if expected:
        shapes += _curve(expected, draw.INK, 1.5, "4 3")
    shapes += _curve(frame, draw.BLUE, 3)
    for place in frame["published"]:
        shapes.append(_dot(x_of(place, frame["pages"]), y_of(frame["values"][place - 1]), 5, draw.BLUE))
    ground = TOP + TALL + 14
    wide = min((RIGHT - LEFT - 3) / (frame["pages"] - 1) * 0.7, 2.6)
    for place in range(1, frame["pages"] + 1):
        mine = place == frame["place"]
        shapes.append(draw.box(f"{x_of(place, frame['pages']) - wide / 2:.3f}%", ground, f"{wide:.3f}%", 26,
                               fill=draw.NOW if mine else draw.tint(draw.OTHER, 0.35),
                               stroke=draw.INK if mine else "none"))
        if mine or place in frame["published"]:
            shapes.append(draw.text(f"{x_of(place, frame['pages']):.3f}%", ground + 44, place, 14 if mine else 12,
                                    draw.INK if mine else draw.GREY, bold=mine, anchor="middle"))
    shapes.append(draw.text(f"{LEFT}%", ground + 64, "start of the prompt", 13, draw.GREY))
    shapes.append(draw.text(f"{RIGHT}%", ground + 64, "end, next to the question", 13, draw.GREY, anchor="end"))
    shapes.append(draw.text("51%", ground + 64, "pages; the filled one holds the answer", 13, draw.GREY,
                            anchor="middle"))
    x, y = x_of(frame["place"], frame["pages"]), y_of(frame["value"])
    shapes.append(draw.line(f"{x:.3f}%", y, f"{x:.3f}%", ground, draw.NOW, 1.5, "4 3"))
    if before and before["pages"] == frame["pages"] and before["place"] != frame["place"]:
        shapes.append(_dot(x_of(before["place"], frame["pages"]), y_of(before["value"]), 8, draw.tint(draw.NOW, 0.3)))
    shapes.append(_dot(x, y, 8, draw.NOW))
    end = "start" if frame["place"] == 1 else "end" if frame["place"] == frame["pages"] else "middle"
    halo = f"paint-order:stroke;stroke:{draw.PAPER};stroke-width:5px;stroke-linejoin:round"  # clear of the lines
    value = draw.text(f"{x:.3f}%", round(y - 14, 1), percent(frame["value"]), 15, bold=True, anchor=end)
    shapes.append(f'<g style="{halo}">{value}</g>')
    return (f'<div class="fp-title fp-line">Where in the prompt does the answer stand?</div>'
            f'<div class="fp-line fp-note">{draw.escape("; ".join(notes))}</div><div class="fp-scroll">'
            f'<div class="fp-lost">{draw.svg(ground + 72, *shapes)}</div></div>')


def _curve(frame: dict, color: str, thick: float, dash: str = "") -> list[str]:
    """Return the line through the values of all places, piece by piece: their places are percentages."""
    ends = [(x_of(place, frame["pages"]), y_of(value)) for place, value in enumerate(frame["values"], 1)]
    return [draw.line(f"{x:.3f}%", round(y, 1), f"{u:.3f}%", round(v, 1), color, thick, dash)
            for (x, y), (u, v) in zip(ends, ends[1:], strict=False)]


def _dot(x: float, y: float, radius: int, fill: str) -> str:
    """Return a dot at x percent and y pixels."""
    return (f'<circle cx="{x:.3f}%" cy="{y:.1f}" r="{radius}" style="fill:{fill};stroke:{draw.PAPER};'
            'stroke-width:1.5"/>')


def lost_in_the_middle(place: int = 1, pages: int = 20) -> Stage:
    """Show the published curve of Liu and others; move the page that holds the answer through the prompt."""
    start = State(pages, place)
    which = toggles([(f"{size} pages", size) for size in SIZES], start.pages, "how many pages stand in the prompt", 90)
    slider = ipywidgets.IntSlider(start.place, 1, start.pages, description="page at place",
                                  tooltip="page at place", style={"description_width": "92px"},
                                  layout={"width": "420px"})

    room = ipywidgets.Box([slider], layout={"overflow": "visible"})

    def fit(change):
        slider.max = change.new
        room.children = ()  # in the browser a slider goes on to the end it was made with when End is pressed: made anew
        room.children = (slider,)

    which.observe(fit, "value")

    def run(values):
        state = State(**values)
        return guard(TASKS, lambda: frame(state), lambda drawn: (picture(drawn, None, None), caption(drawn, None)))

    stage = Stage("lost_in_the_middle", run, picture, describe, {"place": slider, "pages": which}, caption=caption,
                  style=STYLE)
    stage.row.children = (room, *stage.row.children[1:])
    return stage
