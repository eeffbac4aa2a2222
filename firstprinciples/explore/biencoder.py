"""Lesson 05: two texts that share no word, and the angle between them before training, after it, and in a real encoder.

Two arrows always lie in one plane, so the angles drawn here are the true ones: nothing is flattened.
"""

import math
from dataclasses import dataclass
from functools import cache

import ipywidgets
import numpy as np

from firstprinciples.encode.biencoder import toy, untrained
from firstprinciples.encode.stored import ModelFilesMissing, minilm
from firstprinciples.explore import draw
from firstprinciples.explore.guard import guard
from firstprinciples.explore.stage import Stage

TASKS = ("biencoder.mean_pool", "cosine.normalize")
ENCODERS = {"before": "toy, before training", "after": "toy, trained", "minilm": "MiniLM"}
A, B = "reset my password", "steps for credential recovery"
OTHER = "board minutes"  # a text about something else, to compare with


@dataclass(frozen=True)
class State:
    """The two texts: a question and a passage."""

    question: str = A
    passage: str = B

    def __post_init__(self):
        for name in ("question", "passage"):
            if not isinstance(getattr(self, name), str):
                raise TypeError(f"A {name} must be a string, not {type(getattr(self, name)).__name__}.")
            object.__setattr__(self, name, " ".join(getattr(self, name).split())[:200])


@cache
def encoder(name: str):
    """Return one of the three encoders, "before", "after" or "minilm"; each is made once."""
    if name not in ENCODERS:
        raise ValueError(f"There is no encoder {name!r}; there are {', '.join(ENCODERS)}.")
    return minilm() if name == "minilm" else toy() if name == "after" else untrained()[0]


def frame(state: State) -> dict:
    """Return for each encoder the cosine of the two texts, and of the question with a text about something else."""
    return {"question": state.question, "passage": state.passage,
            "encoders": [{"name": name, **_cosines(encoder(name), state)} for name in ENCODERS]}


def _cosines(model, state) -> dict:
    """Return {"cosine", "angle", "other"}, or {"trouble": a sentence} where one of the texts has no vector."""
    try:
        question = model.encode_queries([state.question])[0].astype(float)
        passage, other = model.encode_passages([state.passage, OTHER]).astype(float)
    except ModelFilesMissing as error:
        return {"trouble": str(error)}
    for text, vector in ((state.question, question), (state.passage, passage)):
        if not np.any(vector):
            return {"trouble": f"It knows no word of “{text}”: there is no vector to draw."}
    cosine = min(max(float(question @ passage), -1.0), 1.0)
    return {"cosine": cosine, "angle": math.degrees(math.acos(cosine)), "other": float(question @ other)}


# ---- words

def describe(frame: dict) -> str:
    """Say the cosine and the angle in each encoder."""
    said = [f"{ENCODERS[each['name']]}: " + (each["trouble"] if "trouble" in each else
            f"cosine {draw.number(each['cosine'])}, {each['angle']:.0f} degrees") for each in frame["encoders"]]
    whole = "; ".join(said).replace(".; ", ". ").rstrip(".")
    return f"“{frame['question']}” and “{frame['passage']}”. {whole}."


def caption(frame: dict, before: dict | None) -> str:
    """Say which encoder brings the two together, and which does not."""
    seen = [each for each in frame["encoders"] if "cosine" in each]
    if not seen:
        return "Type a question and a passage."
    best = max(seen, key=lambda each: each["cosine"])
    near = (f"Nearest in {ENCODERS[best['name']]}: {draw.number(best['cosine'])}, where a text about something else, "
            f"“{OTHER}”, is at {draw.number(best['other'])}.")
    return f"{near} A small angle means near; at 90 degrees the cosine is 0: the two have nothing in common."


# ---- the picture

STYLE = """<style>
.fp-together { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 14px; }
.fp-together > div { height: 250px; padding: 8px 12px; }
@container (max-width: 689px) { .fp-together { grid-template-columns: minmax(0, 1fr); } }
</style>"""
LENGTH, ORIGIN = 74, (96, 132)  # of an arrow, and where both begin, in pixels


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw a card for each encoder with both arrows; what the course's own function gives is dashed."""
    should = {each["name"]: each for each in (expected or {}).get("encoders", ())}
    cards = "".join(_card(each, should.get(each["name"])) for each in frame["encoders"])
    note = "dashed: the course's own function" if expected else "the angles are true; every arrow has length 1"
    return (f'<div class="fp-title fp-line">How far apart are these two?</div>'
            f'<div class="fp-line fp-note" style="margin-bottom:8px">{note}</div>'
            f'<div class="fp-line">{draw.swatch(draw.BLUE)}<b>question</b> {draw.escape(frame["question"])}</div>'
            f'<div class="fp-line" style="margin-bottom:8px">{draw.swatch(draw.ORANGE)}<b>passage</b> '
            f'{draw.escape(frame["passage"])}</div><div class="fp-together">{cards}</div>')


def _card(each: dict, should: dict | None) -> str:
    """Return one encoder's card."""
    title = f'<div style="font-weight:700;height:24px">{ENCODERS[each["name"]]}</div>'
    if "trouble" in each:
        return f'<div class="fp-card">{title}<div class="fp-note">{draw.escape(each["trouble"])}</div></div>'
    shapes = [draw.line(ORIGIN[0] - LENGTH - 10, ORIGIN[1], ORIGIN[0] + LENGTH + 10, ORIGIN[1]),
              _arc(each["angle"]), arrow(*ORIGIN, *_tip(0), draw.BLUE),
              arrow(*ORIGIN, *_tip(each["angle"]), draw.ORANGE)]
    if should and "angle" in should and abs(should["angle"] - each["angle"]) > 0.05:
        shapes.append(arrow(*ORIGIN, *_tip(should["angle"]), draw.INK, dash="4 3"))
    x, y = _tip(each["angle"], LENGTH + 16)
    shapes += [draw.text(ORIGIN[0] + LENGTH + 4, ORIGIN[1] + 18, "question", 13, anchor="end"),
               draw.text(min(max(x, 28), 170), y + 2, "passage", 13, anchor="middle")]
    return (f'<div class="fp-card">{title}{draw.svg(158, *shapes, width=198)}'
            f'<div><b style="font-size:17px">cosine {draw.number(each["cosine"])}</b>'
            f'<span style="margin-left:10px">{each["angle"]:.0f}°</span></div>'
            f'<div class="fp-note fp-line">with “{OTHER}”: {draw.number(each["other"])}</div></div>')


def _tip(angle: float, length: float = LENGTH) -> tuple[float, float]:
    """Return the end of an arrow at this angle, in degrees from the right, upward."""
    turn = math.radians(angle)
    return round(ORIGIN[0] + length * math.cos(turn), 2), round(ORIGIN[1] - length * math.sin(turn), 2)


def _arc(angle: float) -> str:
    """Return the sector between the two arrows."""
    (x1, y1), (x2, y2) = _tip(0, 30), _tip(angle, 30)
    return (f'<path d="M {ORIGIN[0]} {ORIGIN[1]} L {x1} {y1} A 30 30 0 0 0 {x2} {y2} Z" '
            f'style="fill:{draw.tint(draw.GREEN, 0.3)};stroke:{draw.GREEN};stroke-width:1"/>')


def arrow(x1, y1, x2, y2, color, thick=3.0, dash="") -> str:
    """Return an SVG arrow from one place to another."""
    turn, size = math.atan2(y2 - y1, x2 - x1), 10
    corners = [(x2, y2)] + [(x2 - size * math.cos(turn + side), y2 - size * math.sin(turn + side))
                            for side in (-0.42, 0.42)]
    points = " ".join(f"{x:.2f},{y:.2f}" for x, y in corners)
    stop = (x2 - 6 * math.cos(turn), y2 - 6 * math.sin(turn))
    return (draw.line(x1, y1, f"{stop[0]:.2f}", f"{stop[1]:.2f}", color, thick, dash)
            + f'<polygon points="{points}" style="fill:{color}"/>')


# ---- the explorer

def together(question: str = A, passage: str = B) -> Stage:
    """Show a question and a passage as two arrows, in the toy before and after training and in MiniLM."""
    start = State(question, passage)
    texts = {key: ipywidgets.Text(getattr(start, key), description=key, tooltip=key, continuous_update=False,
                                  style={"description_width": "70px"}, layout={"width": "420px"})
             for key in ("question", "passage")}
    row = ipywidgets.HBox(list(texts.values()))
    row.add_class("fp-row")

    def run(values):
        state = State(**values)
        return guard(TASKS, lambda: frame(state), lambda drawn: picture(drawn, None, None))

    return Stage("together", run, picture, describe, {}, texts, caption=caption, style=STYLE, above=[row])
