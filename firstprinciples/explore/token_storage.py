"""Lesson 15: what one vector a word stores, beside one vector a chunk, and beside the text itself."""

from dataclasses import dataclass

from firstprinciples.explore import draw
from firstprinciples.explore.guard import guard
from firstprinciples.explore.memory_table import sized
from firstprinciples.explore.quantize import choice
from firstprinciples.explore.stage import Stage
from firstprinciples.retrieve import maxsim

TASKS = ("maxsim.storage",)
LARKSPUR = 704  # chunks
COUNTS = (LARKSPUR, 10_000, 100_000, 1_000_000, 10_000_000)
TOKENS = 82  # in a chunk of Larkspur, on average, with punctuation and the marks at both ends
LENGTHS = (16, 32, TOKENS, 128, 256)
WIDTHS = (64, 96, 128, 384, 768, 1024)
LETTERS = 3.86  # bytes of text for each token, Larkspur's mean
ROWS = {"chunk": "one vector a chunk, float32", "float32": "one a token, float32", "float16": "one a token, float16",
        "int8": "one a token, int8", "text": "the text itself"}
EACH = {"float32": 4, "float16": 2, "int8": 1}


@dataclass(frozen=True)
class State:
    """How many chunks, how many tokens in each, and how many numbers a vector has."""

    chunks: int = LARKSPUR
    tokens: int = TOKENS
    dim: int = 384

    def __post_init__(self):
        for name, most in (("chunks", 10**10), ("tokens", 10**5), ("dim", 10**5)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
                raise ValueError(f"{name} is {value!r}; it is a whole number from 1 to {most:,}.")


def frame(state: State) -> dict:
    """Return the bytes of each row."""
    many = state.chunks * state.tokens
    sizes = {"chunk": int(maxsim.storage(state.chunks, state.dim, 4)),
             **{kind: int(maxsim.storage(many, state.dim, each)) for kind, each in EACH.items()},
             "text": round(many * LETTERS)}
    return {"chunks": state.chunks, "tokens": state.tokens, "dim": state.dim, "bytes": sizes}


# ---- words

def describe(frame: dict) -> str:
    """Say the bytes of each row."""
    said = "; ".join(f"{words} {sized(frame['bytes'][kind])}" for kind, words in ROWS.items())
    return f"{frame['chunks']:,} chunks of {frame['tokens']} tokens, {frame['dim']:,} numbers a vector: {said}."


def caption(frame: dict, before: dict | None) -> str:
    """Say how the bytes come about, or what a dial changed."""
    sizes = frame["bytes"]
    if before is None:
        times = sizes["float32"] / sizes["chunk"] if sizes["chunk"] > 0 else 0
        return (f"{frame['chunks']:,} × {frame['tokens']} × {frame['dim']:,} × 4 bytes is {sized(sizes['float32'])}: "
                f"{times:.3g} times what one vector a chunk takes, as many as a chunk has tokens. "
                f"int8 takes {sized(sizes['int8'])}.")
    name, words = next((pair for pair in (("chunks", "chunks"), ("tokens", "tokens a chunk"),
                                          ("dim", "numbers a vector")) if frame[pair[0]] != before[pair[0]]),
                       ("chunks", "chunks"))
    was = before["bytes"]
    return (f"From {before[name]:,} to {frame[name]:,} {words}: one vector a token, in float32, goes from "
            f"{sized(was['float32'])} to {sized(sizes['float32'])}; one a chunk "
            + ("stays at " if was["chunk"] == sizes["chunk"] else f"from {sized(was['chunk'])} to ")
            + f"{sized(sizes['chunk'])}.")


# ---- the picture

LEFT, WIDE, ROW = 30.0, 31.0, 50  # percent where bars begin, percent of the longest, pixels of a row


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw a bar for each row, on one scale; the setting from before pale below it."""
    notes = [f"{frame['chunks']:,} chunks; decimal units: 1 GB is 1,000,000,000 bytes"]
    notes += ["pale: before the dial moved"] * bool(before)
    notes += ["dashed: the course's own function"] * bool(expected)
    most = max(1, *(size for each in (frame, before, expected) if each for size in each["bytes"].values()))
    shapes = []
    for place, (kind, words) in enumerate(ROWS.items()):
        y, size = ROW * place, frame["bytes"][kind]
        color = {"chunk": draw.ORANGE, "text": draw.GREEN}.get(kind, draw.BLUE)

        def end(each, kind=kind):
            return WIDE * max(each["bytes"][kind], 0) / most

        said, one = sized(size) if size >= 0 else f"{size:,}", frame["bytes"]["chunk"]
        if kind != "chunk" and one > 0:
            said += f" · {f'{size / one:.2g}' if size / one < 10 else f'{size / one:,.0f}'} × one a chunk"
        if before and before["bytes"][kind] != size:
            said += f" · was {sized(before['bytes'][kind])}"
            shapes.append(draw.box(f"{LEFT}%", y + 25, f"{max(end(before), 0.15):.3f}%", 7,
                                   fill=draw.tint(color, 0.4)))
        if expected and expected["bytes"][kind] != size:
            said += f" · expected {sized(expected['bytes'][kind])}"
            shapes.append(draw.box(f"{LEFT}%", y - 1, f"{max(end(expected), 0.3):.3f}%", 26, stroke=draw.INK,
                                   dash="4 3"))
        shapes += [draw.text(0, y + 17, words, 14, bold=kind == "chunk"),
                   draw.box(f"{LEFT}%", y + 2, f"{max(end(frame), 0.15):.3f}%", 20, fill=color),
                   draw.text(f"{LEFT + end(frame):.3f}%", y + 17, said, 14, shift=8)]
    shapes.append(draw.line(f"{LEFT}%", -4, f"{LEFT}%", ROW * len(ROWS) - 14))
    return (f'<div class="fp-title fp-line">What does a vector for each token take?</div>'
            f'<div class="fp-line fp-note">{draw.escape("; ".join(notes))}</div><div class="fp-scroll">'
            f'<div style="min-width:780px;margin-top:14px">{draw.svg(ROW * len(ROWS), *shapes)}</div></div>')


# ---- the explorer

def token_storage(chunks: int = LARKSPUR, tokens: int = TOKENS, dim: int = 384) -> Stage:
    """Show the bytes of one vector a chunk and of one a token, as float32, float16 and int8, beside the text's own.

    Any whole numbers may be handed in; the dials go through round ones and these.
    """
    start = State(chunks, tokens, dim)
    dials = {name: choice(words, getattr(start, name), sorted({*known, getattr(start, name)}), width)
             for name, words, known, width in (("chunks", "chunks", COUNTS, 50),
                                               ("tokens", "tokens a chunk", LENGTHS, 100),
                                               ("dim", "numbers", WIDTHS, 60))}

    def run(values):
        state = State(**values)
        return guard(TASKS, lambda: frame(state), lambda drawn: (picture(drawn, None, None), caption(drawn, None)))

    return Stage("token_storage", run, picture, describe, dials, caption=caption)
