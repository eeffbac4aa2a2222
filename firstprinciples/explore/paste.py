"""Lesson 01: what a question costs that gets all of a folder's pages with it, and one that gets the best few.

The folder is Larkspur, or as many of its documents as the dial says, or many times it. Its tokens are counted by
`context.tokens`; what the best k chunks come to is the mean over the questions of the half dev, found by BM25.
"""

import math
from dataclasses import dataclass
from functools import cache

from firstprinciples.corpus import Collection
from firstprinciples.explore import draw
from firstprinciples.explore.guard import guard
from firstprinciples.explore.quantize import choice
from firstprinciples.explore.stage import Stage, toggles
from firstprinciples.generate import context
from firstprinciples.ingest.contextual import PRICES
from firstprinciples.retrieve.bm25 import BM25

TASKS = ("context.bill",)
DOCUMENTS = (1, 2, 5, 10, 20, 40, 70, 140, 350, 700, 7_000)
QUESTIONS = (10, 100, 1_000, 10_000, 100_000)
CHUNKS = (1, 2, 3, 5, 10, 15, 20)
WINDOW = 200_000  # tokens that the model of these prices reads at most
DAYS = 30
HOW = {"read anew each time": PRICES["input"], "read from a cache": PRICES["cache_read"]}


@dataclass(frozen=True)
class State:
    """Documents in the folder, questions a day, chunks that a search hands over, and what a pasted token costs."""

    documents: int = 70
    questions: int = 1_000
    k: int = 5
    how: str = "read anew each time"

    def __post_init__(self):
        for name, most in (("documents", 10**6), ("questions", 10**9), ("k", max(CHUNKS))):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
                raise ValueError(f"{name} is {value!r}; it is a whole number from 1 to {most:,}.")
        object.__setattr__(self, "how", self.how if self.how in HOW else next(iter(HOW)))


@cache
def counted() -> dict:
    """Return the tokens of Larkspur: of its documents, of note and question, and of the best 1 ... 20 chunks."""
    larkspur = Collection.load("larkspur")
    search, known = BM25(larkspur.chunks), {chunk.id: chunk for chunk in larkspur.chunks}
    asked = [query.text for query in larkspur.queries if query.split == "dev"]
    desks = [[context.lay_out(hits, known, 10**9, most=k, question=text).tokens for k in CHUNKS]
             for text in asked for hits in [search.search(text, max(CHUNKS) + 10)]]
    around = [context.tokens(context.prompt(text, [], context.NOTE)) for text in asked]
    return {"folder": sum(context.tokens(document.text) for document in larkspur.documents),
            "documents": len(larkspur.documents), "questions": len(asked), "around": sum(around) / len(asked),
            "best": dict(zip(CHUNKS, (sum(column) / len(asked) for column in zip(*desks, strict=True)), strict=True))}


def frame(state: State) -> dict:
    """Return tokens and dollars of both ways, for one question and for a month."""
    known = counted()
    best = min(CHUNKS, key=lambda k: (abs(k - state.k), k))
    folder = state.documents * known["folder"] / known["documents"]
    tokens = {"pasted": round(folder + known["around"]), "searched": round(known["best"][best])}
    if tokens["searched"] > tokens["pasted"]:  # there is not more to find than there is
        tokens["searched"] = tokens["pasted"]
    prices = {"pasted": HOW[state.how], "searched": PRICES["input"]}
    month = state.questions * DAYS
    return {"documents": state.documents, "questions": state.questions, "k": best, "how": state.how, "tokens": tokens,
            "prices": prices, "month": month, "fits": tokens["pasted"] <= WINDOW,
            "one": {way: float(context.bill(tokens[way], 1, prices[way])) for way in tokens},
            "all": {way: float(context.bill(tokens[way], month, prices[way])) for way in tokens}}


# ---- words

def dollars(value: float) -> str:
    """Return an amount as it is shown: cents, or two digits where it is less.

    >>> dollars(419.895), dollars(0.0139965), dollars(0.0001315), dollars(12345.6)
    ('$419.89', '$0.014', '$0.00013', '$12,346')
    """
    if abs(value) >= 1_000:
        return f"${value:,.0f}"
    if abs(value) >= 0.1 or value == 0:
        return f"${value:.2f}"
    return f"${value:.{1 - math.floor(math.log10(abs(value)))}f}"


WAYS = {"pasted": "all of it pasted", "searched": "the best chunks"}


def named(frame: dict, way: str) -> str:
    """Return what a way hands over, in words."""
    if way == "searched":
        return f"the best {frame['k']} chunks" if frame["k"] > 1 else "the best chunk"
    return f"all {frame['documents']:,} documents" if frame["documents"] > 1 else "the one document"


def describe(frame: dict) -> str:
    """Say tokens and dollars of both ways."""
    said = [f"{named(frame, way)}: {frame['tokens'][way]:,} tokens a question, {dollars(frame['one'][way])}, "
            f"{dollars(frame['all'][way])} a month" for way in WAYS]
    over = "" if frame["fits"] else f" More than the {WINDOW:,} tokens that the model reads: it can't be pasted at all."
    return (f"{frame['questions']:,} questions a day; pasted pages {frame['how']}, {frame['prices']['pasted']:.2f} "
            f"dollars a million tokens. {'; '.join(said)}.{over}")


def caption(frame: dict, before: dict | None) -> str:
    """Say how the two stand to each other, or what a dial did to both."""
    pasted, searched = frame["all"]["pasted"], frame["all"]["searched"]
    if not frame["fits"]:
        return (f"{frame['tokens']['pasted']:,} tokens are more than the {WINDOW:,} that this model reads: the folder "
                f"can't be pasted. {named(frame, 'searched').capitalize()}: {dollars(searched)} a month, however large "
                "the folder.")
    if before and before["documents"] != frame["documents"]:
        return (f"From {before['documents']:,} to {frame['documents']:,} documents: pasting goes from "
                f"{dollars(before['all']['pasted'])} to {dollars(pasted)} a month, and {named(frame, 'searched')} from "
                f"{dollars(before['all']['searched'])} to {dollars(searched)}.")
    if before and before["how"] != frame["how"]:
        said = (f"{frame['how'].capitalize()}, the pasted pages are {dollars(pasted)} a month, before "
                f"{dollars(before['all']['pasted'])}.")
        return said if frame["how"] == next(iter(HOW)) else (
            f"{said} A cache holds for minutes: it helps where questions come close together, and writing it, "
            f"{PRICES['cache_write']:.2f} dollars a million, comes on top.")
    times = frame["one"]["pasted"] / frame["one"]["searched"] if frame["one"]["searched"] > 0 else 0.0
    if times < 2:
        return ("The folder is so small that there is hardly a difference. Paste it: a search can only lose what is "
                "needed.")
    return (f"Pasting costs {times:,.0f} times as much as {named(frame, 'searched')}: {dollars(pasted)} a month and "
            f"{dollars(searched)}, at {frame['questions']:,} questions a day.")


# ---- the picture

STYLE = f"""<style>
.fp-paste {{ border-collapse: collapse; margin-top: 4px; font-size: 14px; min-width: 700px; }}
.fp-paste td, .fp-paste th {{ padding: 2px 26px 2px 0; text-align: right; font-weight: 400; height: 24px;
  background: none; color: {draw.INK}; }}
.fp-paste td:first-child, .fp-paste th:first-child {{ text-align: left; }}
.fp-paste th {{ font-size: 13px; color: {draw.GREY}; }}
</style>"""
LEFT, WIDE, ROW = 20.0, 48.0, 46  # percent where bars begin, percent of the longest, pixels of a row
LOOK = {"pasted": draw.ORANGE, "searched": draw.BLUE}


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw the tokens of one question both ways, with the model's limit, and the bill below."""
    notes = [f"tokens of one prompt; Larkspur has {counted()['documents']} documents",
             f"the line: {WINDOW:,} tokens, all that the model reads"]
    notes += ["pale: before the dial moved"] * bool(before) + ["dashed: the course's own"] * bool(expected)
    most = max(WINDOW * 1.06, *frame["tokens"].values(), *((before or frame)["tokens"].values()))
    limit = LEFT + WIDE * WINDOW / most
    shapes = [draw.line(f"{LEFT}%", -2, f"{LEFT}%", ROW * 2 - 8),
              draw.line(f"{limit:.3f}%", -6, f"{limit:.3f}%", ROW * 2 - 8, draw.INK, 1.5, "5 4")]
    for place, way in enumerate(WAYS):
        y, value = ROW * place, frame["tokens"][way]
        end = LEFT + max(WIDE * value / most, 0.15)
        shapes += [draw.text(f"{LEFT}%", y + 19, named(frame, way), 14, anchor="end", shift=-10),
                   draw.box(f"{LEFT}%", y + 2, f"{end - LEFT:.3f}%", 24, fill=LOOK[way])]
        said = f"{value:,}" + (" · too many" if way == "pasted" and not frame["fits"] else "")
        if before and before["tokens"][way] != value:
            said += f" · was {before['tokens'][way]:,}"
            shapes.append(draw.box(f"{LEFT}%", y + 29, f"{max(WIDE * before['tokens'][way] / most, 0.15):.3f}%", 6,
                                   fill=draw.tint(LOOK[way], 0.4)))
        inside = limit - 16 < end < limit + 1 or end + 16 > limit > end
        place_of = max(limit, end) if inside else end  # clear of the line
        shapes.append(draw.text(f"{place_of:.3f}%", y + 19, said, 14, bold=True, shift=8))
    head = "".join(f"<th>{words}</th>" for words in ("", "$ a million tokens", "$ a question", "$ a month",
                                                     *(["expected a month"] * bool(expected))))
    rows = "".join(f"<tr><td>{draw.swatch(LOOK[way])}{named(frame, way)}</td><td>{frame['prices'][way]:.2f}</td>"
                   f"<td>{frame['one'][way]:.6f}</td><td>{frame['all'][way]:,.2f}</td>"
                   + (f"<td>{expected['all'][way]:,.2f}</td>" if expected else "") + "</tr>" for way in WAYS)
    return (f'<div class="fp-title fp-line">What does one question cost?</div>'
            f'<div class="fp-line fp-note">{draw.escape("; ".join(notes))}</div><div class="fp-scroll">'
            f'<div style="min-width:860px;margin-top:14px">{draw.svg(ROW * 2 + 4, *shapes)}</div>'
            f'<table class="fp-paste"><tr>{head}</tr>{rows}</table></div>')


def paste_everything(documents: int = 70, questions: int = 1_000, k: int = 5) -> Stage:
    """Show tokens and dollars of a question with the whole folder pasted, and with the best k chunks.

    Any whole numbers of documents and questions may be handed in; the dials go through round ones and these.
    """
    start = State(documents, questions, k)
    dials = {name: choice(words, getattr(start, name), sorted({*known, getattr(start, name)}), width)
             for name, words, known, width in (("documents", "documents", DOCUMENTS, 76),
                                               ("questions", "questions a day", QUESTIONS, 110),
                                               ("k", "chunks", CHUNKS, 54))}
    for name in ("documents", "questions"):
        dials[name].layout.margin = "2px 24px 2px 2px"  # so that its number does not run into the next name
    dials["how"] = toggles(list(HOW), start.how, "what a pasted token costs", 170)

    def run(values):
        state = State(**values)
        return guard(TASKS, lambda: frame(state), lambda drawn: (picture(drawn, None, None), caption(drawn, None)))

    return Stage("paste_everything", run, picture, describe, dials, caption=caption, style=STYLE)
