"""Lesson 10: what a line of context costs, once when documents are read in, beside the same at every question.

The bars are dollars for a million tokens of documents. Below them stands the bill of one document, line by line.
"""

import math
from dataclasses import dataclass

from firstprinciples.explore import draw
from firstprinciples.explore.guard import guard
from firstprinciples.explore.quantize import choice
from firstprinciples.explore.stage import Stage, toggles
from firstprinciples.ingest import contextual

TASKS = ("contextual.ingestion_cost", "contextual.query_cost")
DOCUMENTS = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000)
CHUNKS = (200, 400, 800, 1_600)
CONTEXTS = (25, 50, 100, 200)
QUESTIONS = (0, 100, 500, 1_000, 5_000, 10_000, 100_000)
INSTRUCTION = 50
WAYS = ("with the cache", "without")
PIECES = {"written": ("document, written to the cache", draw.SKY), "read": ("document, read", draw.BLUE),
          "own": ("chunk and instruction", draw.GREEN), "context": ("context, written by the model", draw.ORANGE)}


@dataclass(frozen=True)
class State:
    """Tokens in a document, in a chunk and in a context; questions asked; whether the bill is that with the cache."""

    document: int = 8_000
    chunk: int = 800
    context: int = 100
    questions: int = 1_000
    way: str = WAYS[0]

    def __post_init__(self):
        for name, least in (("document", 1), ("chunk", 1), ("context", 0), ("questions", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= 10**9:
                raise ValueError(f"{name} is {value!r}; it is a whole number from {least} to a thousand million.")
        object.__setattr__(self, "way", self.way if self.way in WAYS else WAYS[0])


def bill(state: State, cached: bool) -> dict:
    """Return the dollars of one document: the total, and its pieces, each with all other prices at 0."""
    sizes = (state.document, state.chunk, state.context, INSTRUCTION)
    zero = dict.fromkeys(contextual.PRICES, 0.0)

    def cost(sizes=sizes, **prices):
        return float(contextual.ingestion_cost(*sizes, {**zero, **prices}, cached))

    price = contextual.PRICES
    pieces = {"written": cost(cache_write=price["cache_write"]) if cached else 0.0,
              "context": cost(output=price["output"])}
    chunks = math.ceil(state.document / state.chunk)
    pieces["own"] = contextual.query_cost(state.chunk + INSTRUCTION, chunks, price["input"])
    pieces["read"] = (cost(cache_read=price["cache_read"]) if cached else
                      cost(input=price["input"]) - pieces["own"])
    return {"total": cost(**price), **pieces}


def frame(state: State) -> dict:
    """Return both bills, what they come to for a million tokens, and what the same costs at every question."""
    bills = {way: bill(state, way == WAYS[0]) for way in WAYS}
    documents = 1_000_000 / state.document
    asked = float(contextual.query_cost(state.document, state.questions, contextual.PRICES["input"]))
    one = float(contextual.query_cost(state.document, 1, contextual.PRICES["input"]))
    return {"document": state.document, "chunk": state.chunk, "context": state.context, "questions": state.questions,
            "way": state.way, "chunks": math.ceil(state.document / state.chunk), "documents": documents,
            "bills": bills, "million": {way: bills[way]["total"] * documents for way in WAYS}, "asked": asked,
            "even": bills[WAYS[0]]["total"] * documents / one if one > 0 else 0.0}


# ---- words

def dollars(value: float) -> str:
    """Return an amount as it is shown: cents, or four digits where it is less.

    >>> dollars(1.0219), dollars(0.0024), dollars(12345.6)
    ('$1.02', '$0.0024', '$12,346')
    """
    if abs(value) >= 1_000:
        return f"${value:,.0f}"
    return f"${value:.2f}" if abs(value) >= 0.1 or value == 0 else f"${value:.4f}"


def _count(documents: float) -> str:
    """Return how many documents; a part of one is shown to four digits, so that the bill can be worked out again.

    >>> _count(125), _count(7.8125)
    ('125', '7.8125')
    """
    return f"{documents:,.4f}".rstrip("0").removesuffix(".")


def describe(frame: dict) -> str:
    """Say the three amounts."""
    million = frame["million"]
    return (f"Documents of {frame['document']:,} tokens, chunks of {frame['chunk']:,}, contexts of {frame['context']}. "
            f"For a million tokens of documents: once, with the cache, {dollars(million[WAYS[0]])}; without it "
            f"{dollars(million[WAYS[1]])}; the document read at each of {frame['questions']:,} questions "
            f"{dollars(frame['asked'])}. The bill below: {frame['way']}.")


def caption(frame: dict, before: dict | None) -> str:
    """Say where the two sides meet, or what a dial changed."""
    million = frame["million"]
    meet = (f"Reading the document at a question costs {dollars(frame['document'] * contextual.PRICES['input'] / 1e6)} "
            f"each time; after {math.ceil(frame['even'] - 1e-9):,} questions the contexts are the cheaper way.")
    if before is None:
        return meet
    moved = next((words for key, words in (("document", "tokens a document"), ("chunk", "tokens a chunk"),
                                           ("context", "tokens a context"), ("questions", "questions"))
                  if frame[key] != before[key]), "")
    if moved == "questions":
        return (f"From {before['questions']:,} to {frame['questions']:,} questions: {dollars(before['asked'])} becomes "
                f"{dollars(frame['asked'])}; what was paid once stays {dollars(million[WAYS[0]])}.")
    if moved:
        was = before["million"]
        key = {"tokens a document": "document", "tokens a chunk": "chunk"}.get(moved, "context")
        moved = f"From {before[key]:,} to {frame[key]:,} {moved}"
        return (f"{moved}: with the cache from {dollars(was[WAYS[0]])} to {dollars(million[WAYS[0]])}, without "
                f"from {dollars(was[WAYS[1]])} to {dollars(million[WAYS[1]])}. The document is read "
                f"{frame['chunks']:,} times, once for each of its chunks.")
    times = million[WAYS[1]] / million[WAYS[0]] if million[WAYS[0]] else 0.0
    return f"Without the cache it costs {times:.1f} times as much. {meet}"


# ---- the picture

STYLE = f"""<style>
.fp-bill {{ border-collapse: collapse; margin-top: 4px; font-size: 14px; min-width: 700px; }}
.fp-bill td, .fp-bill th {{ padding: 2px 18px 2px 0; text-align: right; font-weight: 400; height: 24px;
  background: none; color: {draw.INK}; }}
.fp-bill td:first-child, .fp-bill th:first-child {{ text-align: left; }}
.fp-bill th {{ font-size: 13px; color: {draw.GREY}; }}
.fp-bill tr:last-child td {{ border-top: 1.5px solid {draw.INK}; font-weight: 700; }}
</style>"""
LEFT, WIDE, ROW = 23.5, 43.0, 46  # percent where bars begin, percent of the longest, pixels of a row


def lines(frame: dict) -> list[tuple]:
    """Return the bill's lines: (piece, tokens, dollars a million, dollars)."""
    price, chunks, one = contextual.PRICES, frame["chunks"], frame["bills"][frame["way"]]
    cached = frame["way"] == WAYS[0]
    return [("written", frame["document"] if cached else 0, price["cache_write"], one["written"]),
            ("read", chunks * frame["document"], price["cache_read" if cached else "input"], one["read"]),
            ("own", chunks * (frame["chunk"] + INSTRUCTION), price["input"], one["own"]),
            ("context", chunks * frame["context"], price["output"], one["context"])]


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw three bars on one scale, and the bill of one document below them."""
    notes = [f"for a million tokens of documents, {_count(frame['documents'])} of {frame['document']:,} tokens"]
    notes += ["pale: before the dial moved"] * bool(before) + ["dashed: the course's own"] * bool(expected)
    names = (*WAYS, "at every question")

    def of(each, name):
        return each["asked"] if name == names[2] else each["million"][name]

    most = max([of(each, name) for each in (frame, before, expected) if each for name in names] + [1e-9])
    shapes = [draw.line(f"{LEFT}%", -2, f"{LEFT}%", ROW * 3 - 8)]
    for place, (name, words) in enumerate(zip(names, ("once, with the cache", "once, without it",
                                                      f"read at {frame['questions']:,} questions"), strict=True)):
        y, value = ROW * place, of(frame, name)
        shapes.append(draw.text(f"{LEFT}%", y + 19, words, 14, anchor="end", shift=-10,
                                bold=name == frame["way"]))
        if name == names[2]:
            shapes.append(draw.box(f"{LEFT}%", y + 2, f"{max(WIDE * value / most, 0.15):.3f}%", 24, fill=draw.PURPLE))
        else:
            x = LEFT
            if WIDE * value / most < 0.6:  # too short for its pieces to be seen
                shapes.append(draw.box(f"{x}%", y + 2, "0.3%", 24, fill=draw.BLUE))
            for piece, (_, color) in PIECES.items() if WIDE * value / most >= 0.6 else ():
                wide = WIDE * max(frame["bills"][name][piece], 0) * frame["documents"] / most
                shapes.append(draw.box(f"{x:.3f}%", y + 2, f"{wide:.3f}%", 24, fill=color, stroke=draw.PAPER, thick=1))
                x += wide
        said = dollars(value)
        if before and abs(of(before, name) - value) > 1e-9:
            said += f" · was {dollars(of(before, name))}"
            shapes.append(draw.box(f"{LEFT}%", y + 29, f"{max(WIDE * of(before, name) / most, 0.15):.3f}%", 6,
                                   fill=draw.tint(draw.BLUE if name != names[2] else draw.PURPLE, 0.4)))
        if expected and abs(of(expected, name) - value) > 1e-9:
            said += f" · expected {dollars(of(expected, name))}"
            shapes.append(draw.box(f"{LEFT}%", y, f"{max(WIDE * of(expected, name) / most, 0.3):.3f}%", 28,
                                   stroke=draw.INK, dash="4 3"))
        shapes.append(draw.text(f"{LEFT + WIDE * max(value, 0) / most:.3f}%", y + 19, said, 14, bold=True, shift=8))
    head = "".join(f"<th>{words}</th>" for words in (f"one document, {frame['way']}", "tokens", "$ a million", "$"))
    rows = "".join(f"<tr><td>{draw.swatch(PIECES[piece][1])}{PIECES[piece][0]}"
                   + (f", {frame['chunks']:,} times" if piece != "written" else "")
                   + f"</td><td>{tokens:,}</td><td>{price:.2f}</td><td>{amount:.6f}</td></tr>"
                   for piece, tokens, price, amount in lines(frame))
    total = frame["bills"][frame["way"]]["total"]
    sign = draw.equals([line[3] for line in lines(frame)], total) if abs(total) < 1e4 else "="
    rows += (f"<tr><td>× {_count(frame['documents'])} documents: {dollars(frame['million'][frame['way']])}</td>"
             f"<td></td><td></td><td>{'≠ ' if sign == '≠' else ''}{total:.6f}</td></tr>")
    return (f'<div class="fp-title fp-line">Pay once, or at every question?</div>'
            f'<div class="fp-line fp-note">{draw.escape("; ".join(notes))}</div><div class="fp-scroll">'
            f'<div style="min-width:860px;margin-top:14px">{draw.svg(ROW * 3 + 6, *shapes)}</div>'
            f'<table class="fp-bill"><tr>{head}</tr>{rows}</table></div>')


# ---- the explorer

def paid_once(document: int = 8_000, chunk: int = 800, context: int = 100, questions: int = 1_000) -> Stage:
    """Show what contexts cost, paid once with prompt caching and without, and the same at every question.

    Any whole numbers may be handed in; the dials go through round ones and these.
    """
    start = State(document, chunk, context, questions)
    dials = {name: choice(words, getattr(start, name), sorted({*known, getattr(start, name)}), width)
             for name, words, known, width in (("document", "tokens a document", DOCUMENTS, 130),
                                               ("chunk", "a chunk", CHUNKS, 55), ("context", "a context", CONTEXTS, 65),
                                               ("questions", "questions", QUESTIONS, 68))}
    for name in ("document", "questions"):
        dials[name].layout.margin = "2px 34px 2px 2px"  # its largest number is longer than the place for it
    dials["way"] = toggles(WAYS, start.way, "which bill stands below", 120)

    def run(values):
        state = State(**values)
        return guard(TASKS, lambda: frame(state), lambda drawn: (picture(drawn, None, None), caption(drawn, None)))

    return Stage("paid_once", run, picture, describe, dials, caption=caption, style=STYLE)
