"""Lesson 05: inside a real encoder. The pieces it cuts a sentence into, and what each piece looks at.

MiniLM has six layers of twelve heads. In each head every piece hands out one whole attention, in shares that add up
to 1, among all pieces. The shares of two sentences are stored, so that the picture is the same on every machine;
another sentence needs the files of the encoder. They were made by

    python data/vectors/make_attention.py
"""

import math
from dataclasses import dataclass
from functools import cache

import ipywidgets
import numpy as np

from firstprinciples import swap
from firstprinciples.corpus import DATA
from firstprinciples.encode import bert
from firstprinciples.encode.stored import ModelFilesMissing, minilm
from firstprinciples.explore import draw
from firstprinciples.explore.guard import guard, standing
from firstprinciples.explore.stage import Stage

TASKS = ("bert.softmax", "bert.layer_norm", "bert.gelu", "bert.attention")
FILE = DATA / "vectors" / "attention.npz"
TEXTS = ("the invoice was not paid because it was lost", "the scanner shows E_4432 again")
LAYERS, HEADS, LONGEST = 6, 12, 16  # pieces, with the marks at both ends, that fit into the picture
LINES = 0.04  # a share below this is not drawn


@dataclass(frozen=True)
class State:
    """The sentence, one head of one layer, counted from 1, and the piece whose looks are followed, from 1."""

    text: str = TEXTS[0]
    layer: int = 4
    head: int = 2
    piece: int = 10

    def __post_init__(self):
        if not isinstance(self.text, str):
            raise TypeError(f"A sentence must be a string, not {type(self.text).__name__}.")
        object.__setattr__(self, "text", " ".join(self.text.split())[:200])
        for name, high in (("layer", LAYERS), ("head", HEADS), ("piece", LONGEST)):
            object.__setattr__(self, name, min(max(int(getattr(self, name)), 1), high))


def attention_shares(text: str, model=None) -> tuple[list[str], np.ndarray]:
    """Run MiniLM on a text and note what each piece looked at: (pieces, shares (layers, heads, pieces, pieces)).

    Raises ModelFilesMissing while the files of the encoder are not there.
    """
    model, seen, attention = model or minilm().model(text), [], bert.attention

    def watched(q, k, v, mask):
        fit = np.where(np.asarray(mask, dtype=bool), q @ k.T / math.sqrt(q.shape[1]), -1e30)
        seen.append(np.asarray(bert.softmax(fit), dtype=float))
        return attention(q, k, v, mask)

    with standing({"bert.attention": watched}):  # with another function in its place, the encoder takes the plain way
        pieces, _ = model.token_vectors(text)
    return pieces, np.array(seen).reshape(LAYERS, HEADS, len(pieces), len(pieces))


@cache
def stored_shares() -> dict:
    """Return {text: (pieces, shares)} of the stored sentences."""
    with np.load(FILE) as file:
        kept = {text: (file[f"pieces_{i}"].tolist(), file[f"shares_{i}"].astype(float))
                for i, text in enumerate(file["texts"].tolist())}
    return {text: (pieces, shares / shares.sum(axis=-1, keepdims=True)) for text, (pieces, shares) in kept.items()}


@cache
def _own_shares(text: str, functions: tuple):
    """The same for any text, computed once for the four functions that stand now."""
    return attention_shares(text)


def frame(state: State) -> dict:
    """Return the pieces and the shares of one head, or why there are none."""
    functions = tuple(getattr(bert, task.split(".")[1]) for task in TASKS)
    yours = any(swap.reference(task) is not function for task, function in zip(TASKS, functions, strict=True))
    trouble = ""
    try:
        if state.text in stored_shares() and not yours:
            pieces, shares = stored_shares()[state.text]
        else:
            pieces, shares = _own_shares(state.text, functions)
    except ModelFilesMissing:
        pieces, shares = stored_shares()[TEXTS[0]]
        trouble = (f"The files of the encoder are not here, so it can't read “{state.text}” on your functions: run "
                   "`python3 -m firstprinciples models` once. Drawn: what it saw in the stored sentence."
                   if state.text in stored_shares() else
                   f"Only {len(TEXTS)} sentences are stored. For another, run `python3 -m firstprinciples models` "
                   "once, which fetches the encoder's files. Drawn: the first of the two.")
    if len(pieces) > LONGEST:
        trouble = f"“{state.text}” has {len(pieces)} pieces; drawn are the first {LONGEST}."
        pieces, shares = pieces[:LONGEST], shares[:, :, :LONGEST, :LONGEST]
    piece = min(state.piece, len(pieces))
    return {"text": state.text, "pieces": pieces, "layer": state.layer, "head": state.head, "piece": piece,
            "shares": shares[state.layer - 1, state.head - 1].tolist(), "trouble": trouble}


# ---- words

def _looks(frame) -> list[tuple[float, str]]:
    """Return (share, piece) of what the followed piece looks at, the largest first."""
    shares = zip(frame["shares"][frame["piece"] - 1], frame["pieces"], strict=True)
    return sorted(shares, key=lambda each: (-each[0], each[1]))


def describe(frame: dict) -> str:
    """Say the pieces, and what the followed one looks at."""
    looks = ", ".join(f"{piece} {share:.2f}" for share, piece in _looks(frame)[:3])
    said = (f"Pieces: {' '.join(frame['pieces'])}. In layer {frame['layer']}, head {frame['head']}, "
            f"piece {frame['piece']}, “{frame['pieces'][frame['piece'] - 1]}”, looks at {looks}.")
    return f"{frame['trouble']} {said}".strip()


def caption(frame: dict, before: dict | None) -> str:
    """Say where most of the attention goes."""
    (share, most), piece = _looks(frame)[0], frame["pieces"][frame["piece"] - 1]
    said = (f"“{piece}” gives “{most}” {share:.0%} of its attention in this head. Its new vector is the mean of all "
            "pieces' values, weighted by these shares.")
    return f"{frame['trouble']} {said}".strip()


# ---- the picture

ROW, LEFT, RIGHT, HEIGHT = 26, 140, 410, 26 * LONGEST + 30  # pixels


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw the pieces twice, and a line from each to what it looks at; the followed one's are thick, with numbers."""
    pieces, shares, chosen = frame["pieces"], frame["shares"], frame["piece"] - 1
    gap = min(34, (HEIGHT - 30) / len(pieces))

    def y(i):
        return round(34 + gap * i, 1)

    shapes = [draw.text(LEFT - 12, 14, "this piece", 13, draw.GREY, anchor="end"),
              draw.text(RIGHT + 12, 14, "looks at", 13, draw.GREY)]
    for i, row in enumerate(shares):
        for j, share in enumerate(row):
            if share >= LINES and i != chosen:
                shapes.append(_look(y(i), y(j), draw.tint(draw.OTHER, min(0.15 + share / 2, 0.6)), 1 + 3 * share))
    for j, share in enumerate(shares[chosen]):
        if share >= LINES:
            shapes.append(_look(y(chosen), y(j), draw.BLUE, 1.5 + 7 * share))
    for i, piece in enumerate(pieces):
        share, now = shares[chosen][i], i == chosen
        if now:
            width = 9 * len(piece) + 14
            shapes.append(draw.box(LEFT - 12 - width + 5, y(i) - 12, width, 24, fill=draw.tint(draw.NOW, 0.25),
                                   stroke=draw.NOW))
        shapes += [draw.text(LEFT - 14, y(i) + 5, piece, 14, bold=now, anchor="end", mono=True),
                   draw.text(RIGHT + 12, y(i) + 5, piece, 14, bold=share >= 0.2, mono=True),
                   draw.box(RIGHT + 120, y(i) - 7, f"{120 * share:.1f}", 14, fill=draw.BLUE),
                   draw.text(RIGHT + 290, y(i) + 5, draw.number(share), 13, bold=share >= 0.2, anchor="end")]
        if expected and i < len(expected["pieces"]) and abs(expected["shares"][chosen][i] - share) > 1e-6:
            shapes.append(draw.box(RIGHT + 120, y(i) - 9, f"{120 * expected['shares'][chosen][i]:.1f}", 18,
                                   stroke=draw.INK, dash="4 3"))
    note = (f"layer {frame['layer']} of {LAYERS}, head {frame['head']} of {HEADS}; blue: the chosen piece"
            + ("; dashed: the course's own functions" if expected else ""))
    return (f'<div class="fp-title fp-line">What does “{draw.escape(pieces[chosen])}” look at?</div>'
            f'<div class="fp-line fp-note">{note}</div>{draw.svg(HEIGHT + 20, *shapes)}')


def _look(y1, y2, color, thick) -> str:
    """Return a line from a piece on the left to one on the right, curved so that its two ends lie level."""
    return (f'<path d="M {LEFT} {y1} C {LEFT + 110} {y1} {RIGHT - 110} {y2} {RIGHT} {y2}" '
            f'style="fill:none;stroke:{color};stroke-width:{thick:.1f}"/>')


# ---- the explorer

def inside_encoder(text: str = TEXTS[0], layer: int = 4, head: int = 2, piece: int = 10) -> Stage:
    """Show the pieces of a sentence in MiniLM and what each looks at, in a head of your choice."""
    start = State(text, layer, head, piece)
    box = ipywidgets.Combobox(value=start.text, options=TEXTS, description="sentence", tooltip="sentence",
                              continuous_update=False, style={"description_width": "70px"}, layout={"width": "480px"})
    other = ipywidgets.Button(description="Another sentence", layout={"width": "150px"})
    row = ipywidgets.HBox([box, other])
    row.add_class("fp-row")
    dials = {name: ipywidgets.IntSlider(getattr(start, name), 1, high, description=name, tooltip=name,
                                        style={"description_width": "50px"}, layout={"width": "230px"})
             for name, high in (("layer", LAYERS), ("head", HEADS), ("piece", LONGEST))}

    def turn(_):
        place = TEXTS.index(box.value) + 1 if box.value in TEXTS else 0
        box.value = TEXTS[place % len(TEXTS)]

    def run(values):
        state = State(**values)
        ran = guard(TASKS, lambda: frame(state), lambda drawn: picture(drawn, None, None))
        if made:  # while the stage is being made, a slider must not move
            dials["piece"].max = len(ran.frame["pieces"])
        return ran

    other.on_click(turn)
    made = []
    stage = Stage("inside_encoder", run, picture, describe, dials, {"text": box}, caption=caption, above=[row])
    made.append(stage)
    dials["piece"].max = len(stage.frame["pieces"])
    stage.stop = lambda: setattr(dials["piece"], "max", LONGEST)  # so that Reset finds room for every start
    return stage
