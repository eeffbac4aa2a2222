"""Lesson 05: the map of meaning. Eleven phrases as an encoder places them, flattened to two dimensions.

An encoder's space has 64 dimensions or 384, a page has two. The plane drawn is the one on which the phrases lie most
spread out (principal components: the two directions of largest variance). The rest is lost, so two phrases may touch on
the map and be far apart; the true cosines stand beside it.
"""

from dataclasses import dataclass

import ipywidgets
import numpy as np

from firstprinciples.encode.stored import ModelFilesMissing
from firstprinciples.explore import draw
from firstprinciples.explore.biencoder import ENCODERS, TASKS, encoder
from firstprinciples.explore.guard import guard
from firstprinciples.explore.stage import Stage, toggles

GROUPS = {
    "money": ("invoice", "bill", "amount owing", "receipt", "payment"),
    "days off": ("annual leave", "holiday", "sick day"),
    "machines": ("server outage", "password reset"),
    "the board": ("board minutes",),
}
PHRASES = tuple(phrase for group in GROUPS.values() for phrase in group)
GROUP = {phrase: group for group, phrases in GROUPS.items() for phrase in phrases}
LOOK = {"money": (draw.BLUE, "o"), "days off": (draw.ORANGE, "s"), "machines": (draw.GREEN, "^"),
        "the board": (draw.PURPLE, "D")}  # a color and a shape
TEXT = "how much do we owe"


@dataclass(frozen=True)
class State:
    """Which encoder draws the map, and the text that is dropped into it."""

    encoder: str = "minilm"
    text: str = TEXT

    def __post_init__(self):
        if not isinstance(self.text, str):
            raise TypeError(f"A text must be a string, not {type(self.text).__name__}.")
        object.__setattr__(self, "text", " ".join(self.text.split())[:200])
        if self.encoder not in ENCODERS:
            object.__setattr__(self, "encoder", "minilm")


def plane(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Return (center, two directions (2, d), share of the spread they keep) of the plane that spreads the rows most.

    Of each direction the largest number is positive, so that a map is not mirrored on another machine.

    >>> center, directions, share = plane(np.array([[0.0, 1.0, 5.0], [4.0, 1.0, 5.0], [2.0, 4.0, 5.0]]))
    >>> center.tolist(), directions.round(6).tolist(), round(share, 6)
    ([2.0, 2.0, 5.0], [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], 1.0)
    """
    center = vectors.mean(axis=0)
    _, sizes, rows = np.linalg.svd(vectors - center, full_matrices=False)
    rows = rows[:2] * np.sign(rows[:2][np.arange(2), np.abs(rows[:2]).argmax(axis=1)])[:, None]
    return center, rows, float(np.sum(sizes[:2] ** 2) / max(np.sum(sizes**2), 1e-12))


def frame(state: State) -> dict:
    """Return the phrases' places on the map and their true cosines with the text."""
    model = encoder(state.encoder)
    vectors = model.encode_passages(list(PHRASES)).astype(float)
    center, directions, share = plane(vectors)
    trouble, own = "", np.zeros(vectors.shape[1])
    try:
        own = model.encode_queries([state.text])[0].astype(float)
        if not np.any(own):
            trouble = f"This encoder knows no word of “{state.text}”." if state.text else "Type a text."
    except ModelFilesMissing as error:
        trouble = str(error)
    places, cosines = (vectors - center) @ directions.T, vectors @ own
    return {"encoder": state.encoder, "text": state.text, "share": share, "trouble": trouble,
            "own": None if trouble else [float(value) for value in (own - center) @ directions.T],
            "phrases": [{"text": phrase, "group": GROUP[phrase], "x": float(x), "y": float(y), "cosine": float(cosine)}
                        for phrase, (x, y), cosine in zip(PHRASES, places, cosines, strict=True)]}


def _ranked(frame) -> list[dict]:
    """Return the phrases by their cosine with the text, the largest first; ties by name."""
    return sorted(frame["phrases"], key=lambda each: (-each["cosine"], each["text"]))


def describe(frame: dict) -> str:
    """Say every cosine, or why there is none."""
    about = (f"Map of eleven phrases in {ENCODERS[frame['encoder']]}; the plane keeps {frame['share']:.0%} of the "
             "spread.")
    if frame["trouble"]:
        return f"{about} {frame['trouble']}"
    said = ", ".join(f"{each['text']} {draw.number(each['cosine'])}" for each in _ranked(frame))
    return f"{about} Cosines with “{frame['text']}”: {said}."


def caption(frame: dict, before: dict | None) -> str:
    """Say what stands nearest, and what the map hides."""
    flat = (f"The map is flat: it keeps {frame['share']:.0%} of how the phrases differ, so trust the cosines on the "
            "right where the two disagree.")
    if frame["trouble"]:
        return f"{frame['trouble']} {flat}"
    first, second = _ranked(frame)[:2]
    return (f"Nearest to “{frame['text']}”: {first['text']}, {draw.number(first['cosine'])}, then {second['text']}, "
            f"{draw.number(second['cosine'])}. {flat}")


# ---- the picture

STYLE = """<style>
.fp-meaning { display: grid; grid-template-columns: 520px minmax(0, 1fr); column-gap: 24px; margin-top: 8px;
  height: 384px; }
.fp-meaning > .fp-card { max-width: 522px; }
@container (max-width: 759px) { .fp-meaning { grid-template-columns: minmax(0, 1fr); height: auto; row-gap: 12px; } }
</style>"""
WIDTH, HEIGHT, SIDE = 520, 380, 120  # of the map, and of the strip of names on either side of it

ZERO, UNIT = 54, 33  # where the bars begin, and how long a cosine of 1 is, in percent of the width


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw the map on the left and the true cosines on the right."""
    note = f"{ENCODERS[frame['encoder']]}; the star is the text" + ("; dashed: the course's own" if expected else "")
    return (f'<div class="fp-title fp-line">Which phrases lie near “{draw.escape(frame["text"])}”?</div>'
            f'<div class="fp-line fp-note">{note}</div><div class="fp-meaning"><div class="fp-card">'
            f'{draw.svg(HEIGHT, *_map(frame), width=WIDTH)}</div><div>{_bars(frame, expected)}</div></div>')


def _map(frame) -> list[str]:
    """Return the shapes of the map: a mark for each phrase, its name in the strip on its side, a line between."""
    phrases = [(each["x"], each["y"], each["text"], each["group"]) for each in frame["phrases"]]
    low, high = (np.array([pick(dot[axis] for dot in phrases) for axis in (0, 1)]) for pick in (min, max))
    low, high = low - 0.08 * (high - low), high + 0.08 * (high - low)
    room = np.array([WIDTH - 2 * SIDE - 24, HEIGHT - 36])
    scale = float(np.min(room / np.maximum(high - low, 1e-9)))  # one scale for both, and by the phrases alone: a text
    dots = list(phrases)  # that is dropped in moves nothing else
    if frame["own"]:
        own = np.clip(frame["own"], low, high)
        dots.append((float(own[0]), float(own[1]), "your text", None))

    def at(x, y):
        return WIDTH / 2 + (x - (low[0] + high[0]) / 2) * scale, HEIGHT / 2 - (y - (low[1] + high[1]) / 2) * scale

    spots = [(*at(x, y), name, group) for x, y, name, group in dots]
    shapes, half = [], sorted(spot[0] for spot in spots[: len(phrases)])[len(phrases) // 2]
    for left in (True, False):
        side = [spot for spot in spots if (spot[0] < half) == left]
        for (x, y, name, group), place in zip(side, draw.spread([spot[1] for spot in side], 21), strict=True):
            edge = SIDE - 6 if left else WIDTH - SIDE + 6
            place = min(max(place, 14), HEIGHT - 10)
            shapes.append(draw.line(f"{x:.1f}", f"{y:.1f}", edge, f"{place:.1f}", thick=1))
            shapes.append(draw.text(edge + (-3 if left else 3), f"{place + 4.5:.1f}", name, 13,
                                    anchor="end" if left else "start", bold=group is None))
    return shapes + [mark(x, y, group) for x, y, _, group in spots]


def mark(x: float, y: float, group: str | None) -> str:
    """Return the mark of a group at a place: a disc, a square, a triangle, a diamond, or for the text a star."""
    if group is None:
        turns = np.pi * np.arange(10) / 5
        size = np.where(np.arange(10) % 2, 4.2, 10)
        corners = [(x + r * np.sin(t), y - r * np.cos(t)) for r, t in zip(size, turns, strict=True)]
        color = draw.NOW
    else:
        color, shape = LOOK[group]
        if shape == "o":
            return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6.5" style="fill:{color};stroke:{draw.PAPER}"/>'
        corners = {"s": [(x - 6, y - 6), (x + 6, y - 6), (x + 6, y + 6), (x - 6, y + 6)],
                   "^": [(x, y - 8), (x + 7.5, y + 6), (x - 7.5, y + 6)],
                   "D": [(x, y - 8), (x + 8, y), (x, y + 8), (x - 8, y)]}[shape]
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in corners)
    return f'<polygon points="{points}" style="fill:{color};stroke:{draw.PAPER}"/>'


def _bars(frame, expected) -> str:
    """Return the true cosines as bars from 0, the largest on top."""
    head = '<div class="fp-note" style="height:22px">true cosine with the text</div>'
    if frame["trouble"]:
        return f'{head}<div style="overflow-wrap:anywhere">{draw.escape(frame["trouble"])}</div>'
    should = {each["text"]: each["cosine"] for each in (expected or {}).get("phrases", ())}
    shapes = []
    for row, each in enumerate(_ranked(frame)):
        y, value = 4 + 32 * row, each["cosine"]
        shapes += [mark(10, y + 10, each["group"]), draw.text(24, y + 15, each["text"], 13), _bar(value, y + 2, 16,
                   fill=LOOK[each["group"]][0]), draw.text("100%", y + 15, draw.number(value), 13, bold=True,
                                                           anchor="end")]
        if each["text"] in should and abs(should[each["text"]] - value) > 1e-6:
            shapes.append(_bar(should[each["text"]], y, 20, stroke=draw.INK, dash="4 3"))
    shapes.append(draw.line(f"{ZERO}%", 0, f"{ZERO}%", 352, thick=1))
    return head + draw.svg(356, *shapes)


def _bar(value: float, y: float, height: float, **look) -> str:
    """Return the bar of a cosine, to the right of 0 or to the left of it, as far as there is room."""
    left, right = sorted((0.0, min(max(value, -0.45), 1.0)))
    return draw.box(f"{ZERO + left * UNIT:.2f}%", y, f"{(right - left) * UNIT:.2f}%", height, **look)


# ---- the explorer

def meaning_map(text: str = TEXT, encoder: str = "minilm") -> Stage:
    """Show eleven phrases on a map, and where a text of your own falls; `encoder` is before, after or minilm."""
    start = State(encoder, text)
    box = ipywidgets.Text(start.text, description="text", tooltip="text", continuous_update=False,
                          style={"description_width": "40px"}, layout={"width": "340px"})
    which = toggles([(name, key) for key, name in ENCODERS.items()], start.encoder, "which encoder", 160)
    row = ipywidgets.HBox([box, which])
    row.add_class("fp-row")

    def run(values):
        state = State(**values)
        return guard(TASKS, lambda: frame(state), lambda drawn: picture(drawn, None, None))

    return Stage("meaning_map", run, picture, describe, {}, {"encoder": which, "text": box}, caption=caption,
                 style=STYLE, above=[row])
