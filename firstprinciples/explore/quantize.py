"""Lesson 12: one number of a vector, written in 32 bits, in 16, in 8 and in 1, and what comes back from each.

The number is a real one: a dimension of MiniLM's vector of a phrase. The range of the int8 row is measured on that
dimension of Larkspur's chunks, or on a few of them, or on all and one that somebody forgot to normalize. (The vectors
that come with the course are kept as int8 with one scale for each row; what is drawn begins with what is read there.)
"""

from dataclasses import dataclass
from functools import cache

import ipywidgets
import numpy as np

from firstprinciples.corpus import Collection
from firstprinciples.encode.stored import minilm
from firstprinciples.explore import draw
from firstprinciples.explore.guard import Trouble, guard
from firstprinciples.explore.stage import Stage, dial
from firstprinciples.index import quantize

TASKS = ("quantize.calibrate", "quantize.to_int8", "quantize.from_int8", "quantize.to_bits")
TEXTS = ("how much do we owe", "annual leave", "server outage")
SETS = (2, 5, 20, 100, 704)  # how many chunks the range is measured on
LENGTHS = (1, 10, 100, 1000)  # of one vector among them that should have length 1
FURTHEST = 0.2  # how far the reader can move the number
PARTS = {"float32": (1, 8, 23), "float16": (1, 5, 10)}  # sign, exponent, fraction
NAMES, COLORS = ("sign", "exponent", "fraction"), (draw.ORANGE, draw.GREEN, draw.SKY)
BIAS = {"float32": 127, "float16": 15}


@dataclass(frozen=True)
class State:
    """Which number it is (text, dimension), how far it is moved, and what its range is measured on."""

    text: int = 0
    dimension: int = 19
    move: float = 0.0
    calibrated: int = SETS[-1]
    outlier: int = 1

    def __post_init__(self):
        object.__setattr__(self, "text", int(self.text) % len(TEXTS))
        object.__setattr__(self, "dimension", min(max(int(self.dimension), 0), minilm().dim - 1))
        object.__setattr__(self, "move", min(max(round(self.move, 6), -FURTHEST), FURTHEST))
        for name, known in (("calibrated", SETS), ("outlier", LENGTHS)):
            object.__setattr__(self, name, min(known, key=lambda each: abs(each - getattr(self, name))))


@cache
def chunks() -> np.ndarray:
    """Return MiniLM's vectors of Larkspur's chunks, (704, 384) float32, in an order drawn once, for good."""
    vectors = minilm().encode_passages([chunk.text for chunk in Collection.load("larkspur").chunks])
    return vectors[np.random.Generator(np.random.PCG64(0)).permutation(len(vectors))]


@cache
def vector(text: int) -> np.ndarray:
    """Return the vector of a phrase, (384,) float32."""
    return minilm().encode_queries([TEXTS[text]])[0]


def bits_of(value: float, kind: str) -> str:
    """Return the bits of a number as float32 or float16, the sign first.

    >>> bits_of(0.15625, "float16")
    '0011000100000000'
    """
    width = sum(PARTS[kind])
    return f"{int(np.array(value, dtype=kind).view(f'uint{width}')):0{width}b}"


def read_bits(bits: str, kind: str) -> tuple[int, float]:
    """Return (the power of two, the factor in front of it) that the bits of a float stand for.

    A normal number is factor * 2**power with a factor from 1 to 2; near 0 the factor is below 1.

    >>> read_bits("0011000100000000", "float16")
    (-3, 1.25)
    """
    _, wide, rest = PARTS[kind]
    exponent, fraction = int(bits[1 : 1 + wide], 2), int(bits[1 + wide :], 2) / 2**rest
    return (exponent - BIAS[kind], 1 + fraction) if exponent else (1 - BIAS[kind], fraction)


def frame(state: State) -> dict:
    """Return the number, and for each way of writing it the bits, what comes back, and by how much it is off."""
    value = float(np.float32(vector(state.text)[state.dimension]) + np.float32(state.move))
    value = float(np.float32(value))
    column = chunks()[: state.calibrated, state.dimension : state.dimension + 1].astype(np.float64)
    if state.outlier > 1:
        column = np.vstack([column, column[:1] * state.outlier])
    low, high = (np.asarray(end, dtype=np.float64).reshape(1) for end in quantize.calibrate(column))
    table = np.array([[value]])
    codes = np.asarray(quantize.to_int8(table, low, high))
    if codes.shape != (1, 1) or codes.dtype.kind not in "iu" or not -128 <= int(codes[0, 0]) <= 127:
        raise Trouble(f"Your to_int8 has to give a whole number from -128 to 127 for each number; it gave "
                      f"{codes.tolist()} ({codes.dtype}).")
    code, back = int(codes[0, 0]), float(np.asarray(quantize.from_int8(codes.astype(np.int8), low, high))[0, 0])
    packed = np.asarray(quantize.to_bits(table), dtype=np.uint8)
    half = float(np.float16(value))
    rows = {"float32": {"bits": bits_of(value, "float32"), "back": value},
            "float16": {"bits": bits_of(value, "float16"), "back": half},
            "int8": {"bits": f"{code & 0xFF:08b}", "back": back},
            "binary": {"bits": f"{int(packed.ravel()[0]):08b}"[0], "back": None}}
    return {"text": TEXTS[state.text], "number": state.text, "dimension": state.dimension, "value": value,
            "move": state.move, "calibrated": state.calibrated, "outlier": state.outlier, "low": float(low[0]),
            "high": float(high[0]), "step": float(high[0] - low[0]) / 255, "code": code, "rows": rows,
            "clipped": bool(value > high[0] or value < low[0])}


# ---- words

def six(value: float) -> str:
    """Return a number with six decimals."""
    return f"{value + 0.0:.6f}".replace("-", "\u2212")


def four(value: float) -> str:
    """Return a number with four decimals."""
    return f"{value + 0.0:.4f}".replace("-", "\u2212")


def describe(frame: dict) -> str:
    """Say the number, its range, and what comes back from each way of writing it."""
    rows, value = frame["rows"], frame["value"]
    clipped = ", which the number lies beyond" if frame["clipped"] else ""
    return (f"Dimension {frame['dimension']} of “{frame['text']}” is {six(value)}. float16 gives back "
            f"{six(rows['float16']['back'])}, off by {six(abs(rows['float16']['back'] - value))}. int8 has 255 steps "
            f"of {six(frame['step'])} from {four(frame['low'])} to {four(frame['high'])}{clipped}: code "
            f"{whole(frame['code'])} gives back {six(rows['int8']['back'])}, off by "
            f"{six(abs(rows['int8']['back'] - value))}. Binary keeps {rows['binary']['bits']}.")


def whole(value: int) -> str:
    """Return a whole number with a true minus sign."""
    return f"{value}".replace("-", "\u2212")


def caption(frame: dict, before: dict | None) -> str:
    """Say how the number is written, or what changed with the dial."""
    rows, value = frame["rows"], frame["value"]
    off = abs(rows["int8"]["back"] - value)
    if before is None or before["dimension"] != frame["dimension"]:
        power, factor = read_bits(rows["float32"]["bits"], "float32")
        said = (f"As a float it is {'−' if value < 0 else ''}{factor:.4f} × 2 to the power of {whole(power)}; float16 "
                "keeps 10 digits of that factor in place of 23. " if value else "As a float it is 0: no bit is set. ")
        if not frame["step"]:
            said += ("As int8 nothing can be told apart: this dimension has the same number in all chunks, a range "
                     "without width.")
        elif not frame["clipped"]:
            said += (f"As int8 it is step {frame['code'] + 128} of 255 in the range of this dimension, and at most "
                     f"half a step is lost: {six(frame['step'] / 2)}.")
    elif before["move"] != frame["move"]:
        flips = {kind: sum(a != b for a, b in zip(rows[kind]["bits"], before["rows"][kind]["bits"], strict=True))
                 for kind in rows}
        said = (f"The number goes from {four(before['value'])} to {four(value)}: {flips['float32']} of 32 bits change, "
                f"{flips['float16']} of 16, {flips['int8']} of 8, and {flips['binary'] or 'none'} of 1.")
        if flips["binary"]:
            said += " It crossed 0, and that is all that binary sees."
    else:
        said = (f"The range goes from {four(before['low'])} … {four(before['high'])} to {four(frame['low'])} … "
                f"{four(frame['high'])}, and a step from {six(before['step'])} to {six(frame['step'])}. int8 is off by "
                f"{six(off)}; it was {six(abs(before['rows']['int8']['back'] - before['value']))}.")
    if frame["clipped"]:
        said += " The number lies outside the range and is cut off at its end"
        said += "." if "int8 is off by" in said else f": off by {six(off)}."
    return " ".join(said.split())


# ---- the picture

STYLE = """<style>
.fp-bits { min-width: 712px; }
.fp-bits-row { display: grid; grid-template-columns: 120px 450px minmax(0, 1fr); column-gap: 12px; height: 52px;
  align-items: center; border-bottom: 1px solid var(--jp-border-color2, #D5DAE1); }
</style>"""
CELL, BAR = 14, 1.84  # pixels of a bit, and of a number of the whole vector
RULER = (10.0, 80.0)  # where the ruler begins, and how long it is, in percent of the picture


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw the whole vector, the number's bits in four rows, and its place on the ruler of 255 steps."""
    notes = ["framed bits: changed by the last move; pale: before"] * bool(before)
    notes += ["“expected”: the course's own function"] * bool(expected)
    note = "; ".join(notes) or "MiniLM’s 384 numbers of the phrase; one is taken out"
    rows = "".join(_row(kind, frame, before, expected) for kind in frame["rows"])
    return (f'<div class="fp-title fp-line">What is left of a number in 32, 16, 8 and 1 bits?</div>'
            f'<div class="fp-line fp-note"><code>“{draw.escape(frame["text"])}”  dimension {frame["dimension"]}  '
            f'{six(frame["value"])}</code><span style="margin-left:20px">{draw.escape(note)}</span></div>'
            f'<div class="fp-scroll"><div class="fp-bits">{_strip(frame)}{rows}{_ruler(frame, before)}</div></div>')


@cache
def _bars(text: int) -> str:
    """Return the 384 numbers of a phrase as thin bars, in a picture 707 wide and 56 high."""
    path = "".join(f"M{BAR * (i + 0.5):.2f} 28v{-120 * float(number):.1f}" for i, number in enumerate(vector(text)))
    return f'<path d="{path}" style="fill:none;stroke:{draw.OTHER};stroke-width:1.2"/>'


def _strip(frame) -> str:
    """Return the whole vector, with a mark at the number that is taken out."""
    x = round(BAR * (frame["dimension"] + 0.5), 2)
    mark = (draw.line(x, 28, x, f"{28 - 120 * frame['value']:.1f}", draw.NOW, 3)
            + f'<polygon points="{x - 6},66 {x + 6},66 {x},57" style="fill:{draw.NOW}"/>')
    whole_vector = draw.svg(68, draw.line(0, 28, BAR * minilm().dim, 28), _bars(frame["number"]), mark)
    return f'<div style="margin:8px 0 4px">{whole_vector}</div>'


def _row(kind, frame, before, expected) -> str:
    """Return one way of writing the number: its bits, what comes back and by how much it is off."""
    row, dim = frame["rows"][kind], minilm().dim
    size = {"float32": 4 * dim, "float16": 2 * dim, "int8": dim, "binary": dim // 8}[kind]
    was = before["rows"][kind]["bits"] if before else row["bits"]
    colors = ([color for color, n in zip(COLORS, PARTS[kind], strict=True) for _ in range(n)] if kind in PARTS
              else [draw.BLUE] * len(row["bits"]))
    cells = []
    for i, (bit, old, color) in enumerate(zip(row["bits"], was, colors, strict=True)):
        changed = draw.box(i * CELL + 1, 9, CELL - 2, 22, stroke=draw.NOW, thick=2) if bit != old else ""
        cells.append(draw.box(i * CELL + 1, 9, CELL - 2, 22, fill=draw.tint(color, 0.55 if bit == "1" else 0.16))
                     + changed + draw.text(i * CELL + CELL / 2, 25, bit, 13, anchor="middle", mono=True))
    if kind in PARTS:
        start = 0
        for name, n in zip(NAMES, PARTS[kind], strict=True):
            cells.append(draw.text(0, 45, name, 12, draw.GREY) if name == "sign" else draw.text(
                max((start + n / 2) * CELL, 60), 45, name, 12, draw.GREY, anchor="middle"))  # 60: beside "sign"
            start += n
    elif kind == "int8":
        cells.append(draw.text(9 * CELL, 25, f"code {whole(frame['code'])}, of −128 to 127", 13))
    else:
        cells.append(draw.text(2 * CELL, 25, "above 0" if row["bits"] == "1" else "0 or below", 13))
    if row["back"] is None:
        back = f'<b>{"+" if row["bits"] == "1" else "−"}</b><div class="fp-note">only the side of 0</div>'
    else:
        off = abs(row["back"] - frame["value"])
        right = expected and expected["rows"][kind]["back"]
        said = (f"expected {six(right)}" if expected and six(right) != six(row["back"]) else f"off by {six(off)}"
                if kind != "float32" else "the number itself")
        back = f'<b>{six(row["back"])}</b><div class="fp-note">{said}</div>'
    return (f'<div class="fp-bits-row"><div style="line-height:19px"><b>{kind}</b><div class="fp-note">'
            f'{size:,} bytes for all</div></div>{draw.svg(50, *cells)}<div style="line-height:19px">{back}</div></div>')


def _ruler(frame, before) -> str:
    """Return the range of the dimension with its 255 steps, the number, and the step it is put on."""
    low, high = frame["low"], frame["high"]
    start, width = RULER

    def x(value: float) -> str:
        return f"{start + width * min(max((value - low) / max(high - low, 1e-12), -0.09), 1.09):.3f}%"

    measured = f"{frame['calibrated']} chunks" + (f", one of length {frame['outlier']}" if frame["outlier"] > 1 else "")
    shapes = [draw.text(0, 14, f"int8: the range of dimension {frame['dimension']}, measured on {measured}", 13),
              draw.line(x(low), 48, x(high), 48, thick=2)]
    shapes += [draw.line(x(low + i * (high - low) / 15), 43, x(low + i * (high - low) / 15), 53) for i in range(16)]
    shapes.append(draw.text(x(low), 72, f"{four(low)}: code −128", 12, draw.GREY, anchor="middle"))
    shapes += [draw.text(x(high), 72, f"{four(high)}: code 127", 12, draw.GREY, anchor="middle"),
               draw.text("50%", 72, f"17 steps of {six(frame['step'])} from mark to mark", 12, draw.GREY,
                         anchor="middle")] if high > low else [
               draw.text("50%", 72, "a range without width: no steps", 12, draw.GREY, anchor="middle")]
    if before and (before["low"], before["high"]) == (low, high):
        shapes.append(f'<circle cx="{x(before["value"])}" cy="48" r="7" style="fill:none;'
                      f'stroke:{draw.tint(draw.NOW, 0.5)};stroke-width:2"/>')
    back = frame["rows"]["int8"]["back"]
    shapes += [draw.line(x(back), 32, x(back), 60, draw.BLUE, 3),
               f'<circle cx="{x(frame["value"])}" cy="48" r="6" style="fill:{draw.NOW};stroke:{draw.PAPER};'
               'stroke-width:1.5"/>', draw.text(x(back), 29, f"code {whole(frame['code'])}", 13, bold=True,
                                                anchor="middle")]
    return f'<div style="margin-top:12px">{draw.svg(80, *shapes)}</div>'


# ---- the explorer

def choice(name: str, value, options, width: int):
    """Return a slider over a list of values, which its readout says; one of eight signs or more has room for it."""
    said = [f"{each:,}" for each in options]
    long = max(map(len, said)) > 7
    slider = ipywidgets.SelectionSlider(options=list(zip(said, options, strict=True)), value=value, description=name,
                                        tooltip=name, style={"description_width": f"{width}px"},
                                        layout={"width": f"{width + (220 if long else 158)}px"})
    if long:
        slider.add_class("fp-long")
    return slider


def bits(dimension: int = 19, move: float = 0.0, calibrated: int = SETS[-1], outlier: int = 1) -> Stage:
    """Show one number of a real vector as float32, float16, int8 and binary; choose it, move it, change its range.

    `dimension` is from 0 to 383, `move` from -0.2 to 0.2 is added to the number. `calibrated` is how many chunks the
    range of int8 is measured on: 2, 5, 20, 100 or 704; `outlier` is the length of one vector among them.
    """
    start = State(0, dimension, move, calibrated, outlier)
    which = ipywidgets.IntSlider(start.dimension, 0, minilm().dim - 1, description="dimension", tooltip="dimension",
                                 style={"description_width": "70px"}, layout={"width": "330px"})
    text = ipywidgets.IntText(start.text)  # never shown: the button turns it
    another = ipywidgets.Button(description="Another phrase", layout={"width": "130px"})
    dials = {"move": dial("move it by", start.move, -FURTHEST, FURTHEST, 0.005),
             "calibrated": choice("chunks measured", start.calibrated, SETS, 118),
             "outlier": choice("length of one", start.outlier, LENGTHS, 92)}
    row = ipywidgets.HBox([another, which])
    row.add_class("fp-row")

    def turn(_):
        text.value = (text.value + 1) % len(TEXTS)

    another.on_click(turn)

    def run(values):
        state = State(**values)
        return guard(TASKS, lambda: frame(state), lambda drawn: (picture(drawn, None, None), describe(drawn)))

    return Stage("bits", run, picture, describe, dials, {"text": text, "dimension": which}, caption=caption,
                 style=STYLE, above=[row])
