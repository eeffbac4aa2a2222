"""Lesson 12: product quantization drawn. A vector is cut into parts; of each part only the number of a code is kept.

Real vectors are too wide to draw. So MiniLM's vectors of Larkspur's chunks are turned until most of their spread stands
in the first numbers (principal components), the first eight are kept and brought to length 1, and these are cut into
four parts of two numbers: four maps.
"""

from dataclasses import dataclass
from functools import cache

import ipywidgets
import numpy as np

from firstprinciples.corpus import Collection
from firstprinciples.encode.stored import minilm
from firstprinciples.explore import draw
from firstprinciples.explore.guard import Trouble, guard
from firstprinciples.explore.quantize import choice, four
from firstprinciples.explore.stage import Stage
from firstprinciples.index import product, quantize
from firstprinciples.swap import untouched

TASKS = ("quantize.split", "quantize.pq_encode", "quantize.pq_scores")
QUESTION = "how much do we owe"
M, DIM = 4, 8
CODES = (2, 4, 8, 16, 32)  # in each codebook
PAGES = ("cedarline-freight-bill-march-2024#3", "filing-larkspur-q4-2024#8", "leave-policy#1")
SHOWN = 240  # chunks drawn as dots


@dataclass(frozen=True)
class State:
    """Which chunk is encoded, and how many codes each codebook has."""

    page: int = 0
    k: int = 16

    def __post_init__(self):
        object.__setattr__(self, "page", int(self.page) % len(PAGES))
        object.__setattr__(self, "k", min(CODES, key=lambda each: abs(each - self.k)))


@cache
def eight() -> tuple[list[str], np.ndarray, np.ndarray]:
    """Return (ids, the chunks' eight numbers (704, 8), the question's (8,)), each of length 1."""
    chunks = sorted(Collection.load("larkspur").chunks, key=lambda chunk: chunk.id)
    vectors = minilm().encode_passages([chunk.text for chunk in chunks]).astype(np.float64)
    center = vectors.mean(axis=0)
    _, _, rows = np.linalg.svd(vectors - center, full_matrices=False)
    rows = rows[:DIM] * np.sign(rows[:DIM][np.arange(DIM), np.abs(rows[:DIM]).argmax(axis=1)])[:, None]
    points = (np.vstack([vectors, minilm().encode_queries([QUESTION])]) - center) @ rows.T
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return [chunk.id for chunk in chunks], points[:-1], points[-1]


@cache
def trained(k: int) -> np.ndarray:
    """Return the codebooks of the four parts, (4, k, 2), trained on all chunks."""
    with untouched():
        return np.asarray(product.train_codebooks(eight()[1], M, k, seed=0), dtype=np.float64)


@cache
def typical_error(k: int) -> float:
    """Return how far the look-up is off, on average over all chunks."""
    _, points, query = eight()
    with untouched():
        scores = quantize.pq_scores(query, quantize.pq_encode(points, trained(k)), trained(k))
    return float(np.mean(np.abs(np.asarray(scores) - points @ query)))


def frame(state: State) -> dict:
    """Return the parts, the code of each, what the table says for it, and the sum beside the true dot product."""
    ids, points, query = eight()
    point, books = points[ids.index(PAGES[state.page])], trained(state.k)
    parts, asked = (np.asarray(quantize.split(each, M), dtype=float) for each in (point, query))
    if parts.shape != (M, DIM // M):
        raise Trouble(f"Your split has to give {M} parts of {DIM // M} numbers; it gave the shape {parts.shape}.")
    codes = np.asarray(quantize.pq_encode(point[None], books))
    if codes.shape != (1, M) or codes.min() < 0 or codes.max() >= state.k:
        raise Trouble(f"Your pq_encode has to give {M} numbers from 0 to {state.k - 1} for a vector; it gave "
                      f"{codes.tolist()}.")
    codes = [int(code) for code in codes[0]]
    found = [[float(value) for value in books[part][code]] for part, code in enumerate(codes)]
    looked = [float(asked[part] @ books[part][code]) for part, code in enumerate(codes)]
    score = float(np.asarray(quantize.pq_scores(query, np.array([codes], dtype=np.uint8), books)).ravel()[0])
    return {"page": PAGES[state.page], "k": state.k, "parts": parts.tolist(), "asked": asked.tolist(), "codes": codes,
            "found": found, "looked": looked, "score": score, "true": float(point @ query),
            "typical": typical_error(state.k), "codebooks": books.astype(float).tolist()}


# ---- words

def describe(frame: dict) -> str:
    """Say each part's code and what the table gives for it, and the sum."""
    parts = "; ".join(f"part {i}: {_pair(part)} is nearest to code {code}, {_pair(found)}, table {four(looked)}"
                      for i, (part, code, found, looked) in enumerate(
                          zip(frame["parts"], frame["codes"], frame["found"], frame["looked"], strict=True), 1))
    return (f"{frame['page']} in four parts, {frame['k']} codes each. {parts}. Sum {four(frame['score'])}; the true "
            f"dot product is {four(frame['true'])}.")


def _pair(pair) -> str:
    return f"({draw.number(pair[0])}, {draw.number(pair[1])})"


def caption(frame: dict, before: dict | None) -> str:
    """Say what is kept of the vector, or what more codes changed."""
    bits = M * (frame["k"].bit_length() - 1)
    if before is None or before["page"] != frame["page"]:
        codes = f"{', '.join(map(str, frame['codes'][:-1]))} and {frame['codes'][-1]}"
        return (f"Eight numbers of 32 bits become four code numbers, {codes}: {bits} bits in place of 256. The "
                f"question stays whole. Four look-ups and a sum say {four(frame['score'])}; the true dot product is "
                f"{four(frame['true'])}. Over all chunks it is off by {frame['typical']:.3f} on average.")
    return (f"From {before['k']} to {frame['k']} codes a part: the sum goes from {four(before['score'])} to "
            f"{four(frame['score'])}, and the true dot product is {four(frame['true'])}. Over all chunks the average "
            f"error goes from {before['typical']:.3f} to {frame['typical']:.3f}; a vector takes {bits} bits.")


# ---- the picture

STYLE = """<style>
.fp-books { display: grid; grid-template-columns: repeat(4, 172px); justify-content: space-between; min-width: 712px;
  margin-top: 8px; }
</style>"""
SIDE, REACH = 172, 1.0  # of a map, and the largest number on it


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw four maps, one for each part, and below them what the table says and the sum."""
    notes = ["pale ring: the code before"] * bool(before) + ["dashed ring: the course's own"] * bool(expected)
    note = "; ".join(notes) or "dots: chunks; squares: codes; disc: this chunk; cross: question"
    maps = "".join(f"<div>{_map(i, frame, before, expected)}{_said(i, frame)}</div>" for i in range(M))
    return (f'<div class="fp-title fp-line">What is kept of a vector that is cut into four?</div>'
            f'<div class="fp-line fp-note"><code>{draw.escape(frame["page"])}</code>'
            f'<span style="margin-left:20px">{draw.escape(note)}</span></div><div class="fp-scroll">'
            f'<div class="fp-books">{maps}</div>{_sum(frame, before, expected)}</div>')


def _at(pair) -> tuple[float, float]:
    """Return where on a map two numbers stand."""
    x, y = (min(max(value, -REACH), REACH) for value in pair)
    return round(SIDE / 2 * (1 + x / REACH * 0.94), 1), round(SIDE / 2 * (1 - y / REACH * 0.94), 1)


@cache
def _dots(part: int) -> str:
    """Return every third chunk or so as a pale dot."""
    points = eight()[1][:: max(1, len(eight()[1]) // SHOWN), 2 * part : 2 * part + 2].tolist()
    path = "".join("M{} {}h0".format(*_at(point)) for point in points)
    look = f"fill:none;stroke:{draw.OTHER};stroke-width:3.2;stroke-linecap:round;opacity:0.55"
    return f'<path d="{path}" style="{look}"/>'


def _ring(pair, color, dash="", size=11) -> str:
    x, y = _at(pair)
    return (f'<circle cx="{x}" cy="{y}" r="{size}" style="fill:none;stroke:{color};stroke-width:2.5'
            f'{";stroke-dasharray:" + dash if dash else ""}"/>')


def _map(i, frame, before, expected) -> str:
    """Return the map of one part: the chunks, the codes, this chunk with its nearest code, and the question."""
    middle = SIDE / 2
    shapes = [draw.box(0, 0, SIDE, SIDE, fill=draw.PAPER, stroke=draw.LINE, radius=6),
              draw.line(0, middle, SIDE, middle, thick=1), draw.line(middle, 0, middle, SIDE, thick=1), _dots(i)]
    for code in frame["codebooks"][i]:
        x, y = _at(code)
        shapes.append(draw.box(x - 4, y - 4, 8, 8, fill=draw.GREEN, stroke=draw.PAPER, radius=1, thick=1))
    if before and before["found"][i] != frame["found"][i]:
        shapes.append(_ring(before["found"][i], draw.tint(draw.NOW, 0.4)))
    if expected and expected["codes"][i] != frame["codes"][i]:
        shapes.append(_ring(expected["found"][i], draw.INK, "4 3"))
    (x, y), (to_x, to_y), (q_x, q_y) = (_at(each[i]) for each in (frame["parts"], frame["found"], frame["asked"]))
    shapes += [draw.line(x, y, to_x, to_y, draw.NOW, 2), _ring(frame["found"][i], draw.NOW),
               f'<circle cx="{x}" cy="{y}" r="5.5" style="fill:{draw.BLUE};stroke:{draw.PAPER};stroke-width:1.5"/>',
               draw.line(q_x - 7, q_y, q_x + 7, q_y, draw.ORANGE, 3.5),
               draw.line(q_x, q_y - 7, q_x, q_y + 7, draw.ORANGE, 3.5)]
    return draw.svg(SIDE, *shapes, width=SIDE)


def _said(i, frame) -> str:
    """Return the numbers below a map."""
    return (f'<div style="line-height:21px;margin-top:4px"><b>part {i + 1}</b> {_pair(frame["parts"][i])}'
            f'<div>code <b>{frame["codes"][i]}</b> {_pair(frame["found"][i])}</div>'
            f'<div class="fp-note">question {_pair(frame["asked"][i])}</div>'
            f'<div>table says <b>{four(frame["looked"][i])}</b></div></div>')


def _sum(frame, before, expected) -> str:
    """Return the look-ups added up, and the true dot product beside it."""
    terms = four(frame["looked"][0]) + "".join(f" {'−' if value < 0 else '+'} {four(abs(value))}"
                                               for value in frame["looked"][1:])
    rounded = abs(sum(round(value, 4) for value in frame["looked"]) - round(frame["score"], 4)) < 1e-9
    sign = "≠" if abs(sum(frame["looked"]) - frame["score"]) > 1e-5 else "=" if rounded else "≈"
    also = [f"{word} {four(each['score'])}" for word, each in (("was", before), ("expected", expected)) if each]
    return (f'<div class="fp-card" style="padding:8px 14px;margin-top:10px;min-width:712px">{terms} {sign} '
            f'<b>{four(frame["score"])}</b><span class="fp-note"> {" ".join(also)}</span>'
            f'<span style="margin-left:18px">true dot product <b>{four(frame["true"])}</b></span>'
            f'<span class="fp-note" style="margin-left:18px">off by {four(abs(frame["score"] - frame["true"]))}</span>'
            '</div>')


# ---- the explorer

def codebooks(k: int = 16) -> Stage:
    """Show a chunk cut into four parts, each on a map with the codes of its codebook, and the look-ups adding up.

    `k` is how many codes each codebook has: 2, 4, 8, 16 or 32.
    """
    start = State(0, k)
    which = ipywidgets.IntText(start.page)  # never shown: the button turns it
    another = ipywidgets.Button(description="Another chunk", layout={"width": "130px"})

    def turn(_):
        which.value = (which.value + 1) % len(PAGES)

    another.on_click(turn)
    dials = {"k": choice("codes in each part", start.k, CODES, 124)}

    def run(values):
        state = State(**values)
        return guard(TASKS, lambda: frame(state), lambda drawn: picture(drawn, None, None))

    return Stage("codebooks", run, picture, describe, dials, {"page": which}, caption=caption, style=STYLE,
                 buttons=[another])
