"""Lesson 12: how many bytes a collection of vectors takes, for any number of vectors and any width, in five kinds."""

from dataclasses import dataclass

from firstprinciples.explore import draw
from firstprinciples.explore.guard import guard
from firstprinciples.explore.quantize import choice
from firstprinciples.explore.stage import Stage
from firstprinciples.index import quantize

TASKS = ("quantize.memory",)
KINDS = {"float32": "4 bytes a number", "float16": "2 bytes a number", "int8": "1 byte a number",
         "binary": "1 bit a number", "pq": "1 byte a part"}
COUNTS = tuple(lead * 10**power for power in range(3, 9) for lead in (1, 2, 5))  # to 500 million vectors
WIDTHS = (64, 128, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096)
PARTS = (8, 16, 32, 64, 128)
START = (1_000_000, 1024, 64)


@dataclass(frozen=True)
class State:
    """How many vectors, how wide, and into how many parts product quantization cuts each."""

    n: int = START[0]
    d: int = START[1]
    m: int = START[2]

    def __post_init__(self):
        for name, most in (("n", 10**12), ("d", 10**6), ("m", 10**6)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
                raise ValueError(f"{name} is {value!r}; it is a whole number from 1 to {most:,}.")


def frame(state: State) -> dict:
    """Return the bytes of each kind."""
    sizes = {kind: int(quantize.memory(state.n, state.d, kind, state.m if kind == "pq" else None)) for kind in KINDS}
    return {"n": state.n, "d": state.d, "m": state.m, "bytes": sizes}


# ---- words

def sized(count: int) -> str:
    """Return a number of bytes in decimal units: 1 kB is 1,000 bytes, 1 MB a million, 1 GB a thousand million.

    >>> sized(4_096_000_000), sized(128_000_000), sized(640), sized(999_999)
    ('4.1 GB', '128 MB', '640 bytes', '1.0 MB')
    """
    if count < 1000:
        return f"{count} bytes"
    power = 1
    while power < len(PREFIXES) and float(f"{count / 1000**power:.3g}") >= 1000:
        power += 1
    value, unit = count / 1000**power, PREFIXES[power - 1] + "B"
    return f"{value:.1f} {unit}" if value < 9.95 else f"{value:.3g} {unit}"


def describe(frame: dict) -> str:
    """Say the bytes of each kind."""
    said = ", ".join(f"{kind} {sized(size)}" for kind, size in frame["bytes"].items())
    return (f"{frame['n']:,} vectors of {frame['d']:,} numbers, decimal units (1 GB is 1,000,000,000 bytes): {said}, "
            f"with {frame['m']} parts.")


def caption(frame: dict, before: dict | None) -> str:
    """Say how the largest and the smallest are related, or what a dial changed."""
    sizes, full = frame["bytes"], frame["bytes"]["float32"]
    if before is None:
        return (f"{frame['n']:,} × {frame['d']:,} × 4 bytes is {full:,} bytes, {sized(full)} in decimal units and "
                f"{full / 2**30:.2f} GiB in binary ones (1 GiB is 2^30 bytes)."
                + (f" Binary is {full / sizes['binary']:.0f} times smaller." if sizes["binary"] > 0 else ""))
    name, words = next((pair for pair in (("n", "vectors"), ("d", "numbers in each"), ("m", "parts"))
                        if frame[pair[0]] != before[pair[0]]), ("n", "vectors"))
    kind = "pq" if name == "m" else "float32"
    return (f"From {before[name]:,} to {frame[name]:,} {words}: {kind} goes from {sized(before['bytes'][kind])} to "
            f"{sized(sizes[kind])}" + ("; no other kind has parts." if name == "m" else ", binary from "
                                       f"{sized(before['bytes']['binary'])} to {sized(sizes['binary'])}."))


# ---- the picture

LEFT, WIDE = 21.0, 60.0  # where the bars begin, and how long the longest is, in percent of the picture
ROW = 52
PREFIXES = "kMGTPE"
UNITS = "decimal units: 1 GB is 1,000,000,000 bytes"


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw one bar for each kind, on one scale; the setting from before pale below it."""
    notes = ["pale: before the dial moved"] * bool(before) + ["dashed: the course's own function"] * bool(expected)
    frames = [each for each in (frame, before, expected) if each]
    most = max(1, *(size for each in frames for size in each["bytes"].values()))
    shapes = []
    for place, (kind, note) in enumerate(KINDS.items()):
        y, size = ROW * place, frame["bytes"][kind]

        def end(value):
            return WIDE * max(value, 0) / most

        name = f"PQ, {frame['m']} parts" if kind == "pq" else kind
        shapes += [draw.text(0, y + 17, name, 14, bold=True), draw.text(0, y + 35, note, 12, draw.GREY),
                   draw.box(f"{LEFT}%", y + 4, f"{max(end(size), 0.15):.3f}%", 20, fill=draw.BLUE)]
        words, times = sized(size), frame["bytes"]["float32"] / size if size > 0 else 1
        if kind != "float32" and times != 1:
            words += f" · 1/{f'{times:.3g}' if times < 1000 else f'{times:,.0f}'} of float32"
        if before:
            shapes.append(draw.box(f"{LEFT}%", y + 27, f"{max(end(before['bytes'][kind]), 0.15):.3f}%", 7,
                                   fill=draw.tint(draw.BLUE, 0.35)))
            words += f" · was {sized(before['bytes'][kind])}" if before["bytes"][kind] != size else ""
        if expected and expected["bytes"][kind] != size:
            shapes.append(draw.box(f"{LEFT}%", y + 1, f"{max(end(expected['bytes'][kind]), 0.3):.3f}%", 26,
                                   stroke=draw.INK, dash="4 3"))
            words += f" · expected {sized(expected['bytes'][kind])}"
        shapes.append(draw.text(f"{LEFT + end(size):.3f}%", y + 19, words, 14, shift=8))
    shapes.append(draw.line(f"{LEFT}%", 0, f"{LEFT}%", ROW * len(KINDS) - 12))
    return (f'<div class="fp-title fp-line">How much memory do {frame["n"]:,} vectors of {frame["d"]:,} numbers take?'
            f'</div><div class="fp-line fp-note">{draw.escape("; ".join([UNITS, *notes]))}</div>'
            f'<div class="fp-scroll"><div style="min-width:720px;margin-top:10px">'
            f'{draw.svg(ROW * len(KINDS), *shapes)}</div></div>')


# ---- the explorer

def memory_table(n: int = START[0], d: int = START[1], m: int = START[2]) -> Stage:
    """Show the bytes of n vectors of d numbers as float32, float16, int8, binary and PQ with m parts, as bars.

    Any whole numbers may be handed in; the dials go through round ones and these.
    """
    start = State(n, d, m)
    dials = {name: choice(words, getattr(start, name), sorted({*known, getattr(start, name)}), width)
             for name, words, known, width in (("n", "vectors", COUNTS, 70), ("d", "numbers", WIDTHS, 64),
                                               ("m", "PQ parts", PARTS, 64))}

    def run(values):
        state = State(**values)
        return guard(TASKS, lambda: frame(state), lambda drawn: (picture(drawn, None, None), caption(drawn, None)))

    return Stage("memory_table", run, picture, describe, dials, caption=caption)
