"""Lesson 01: one sentence written twice, from memory alone and with a page in front: closed book and open book.

The writer is the language model of `firstprinciples.generate.next_word`, which counts words. It has read the running
text of all of Larkspur's documents but one, invoice 1042. Large models are better at both sides of this picture; what
the sides are is the same.
"""

import heapq
import random
from functools import cache, lru_cache

import ipywidgets

from firstprinciples.corpus import Collection
from firstprinciples.explore import draw
from firstprinciples.explore.stage import Stage, toggles
from firstprinciples.explore.stepper import stepper
from firstprinciples.generate.next_word import NextWord, drawn, from_page, mixed, words, written

START = "On the March invoice to Hollow Creek Guides the total due is"
TRUTH = "$1,284.50"
LEFT_OUT = "invoice-1042"
PAGES = {"the page that says it": "invoice-1042#6", "another page of it": "invoice-1042#7",
         "another invoice": "invoice-1044#6"}  # button -> chunk
TRUST = 0.8  # how much the page counts, and memory the rest
MOST = 16  # words that are written at most
ROWS = 7  # bars
DRAWS = 6


larkspur = cache(lambda: Collection.load("larkspur"))


@cache
def memory() -> NextWord:
    """Return the model, which has read Larkspur's paragraphs, without headings, tables and invoice 1042."""
    documents = [document for document in larkspur().documents if document.id != LEFT_OUT]
    return NextWord([block for document in documents for block in document.text.split("\n\n")
                     if not block.startswith(("#", "|"))])


@cache
def page(name: str):
    """Return the chunk that a button lays before the model."""
    return next(chunk for chunk in larkspur().chunks if chunk.id == PAGES[name])


@lru_cache(maxsize=32)
def write(text: str, seed: int) -> list[dict]:
    """Return the words that are written after START, each with what it was drawn from; `text` is the page or ""."""
    chance, so_far, out = random.Random(seed), words(START), []
    while len(out) < MOST and (not out or out[-1]["word"] != "."):
        known, read = memory().chances(so_far), from_page(words(text), so_far) if text else {}
        both = mixed(known, read, TRUST)
        word = drawn(both, chance.random())
        best = [each for _, each in heapq.nsmallest(ROWS, ((-round(share, 12), each) for each, share in both.items()))]
        shown = best if word in best else [*best[: ROWS - 1], word]
        share = 1 - TRUST if read else 1.0
        out.append({"word": word, "after": " ".join(so_far[-3:]), "truth": both.get(TRUTH, 0.0), "words": len(both),
                    "rows": [{"word": each, "memory": share * known.get(each, 0.0),
                              "page": (1 - share) * read.get(each, 0.0)} for each in shown]})
        so_far.append(word)
    return out


def trace(name: str, seed: int) -> list[dict]:
    """Return the frames: nothing written, and then one word more on either side."""
    sides = {"closed": write("", seed), "open": write(page(name).text, seed)}
    steps = max(map(len, sides.values()))
    shared = {"name": name, "draw": seed, "steps": steps, "document": page(name).document, "page": page(name).page,
              "text": page(name).text, "sides": sides}
    return [{**shared, "step": step} for step in range(steps + 1)]


# ---- words

def sentence(frame: dict, side: str) -> str:
    """Return what stands on one side so far."""
    return written([*words(START), *(each["word"] for each in frame["sides"][side][: frame["step"]])])


def chance(row: dict) -> str:
    """Return the chance of a word, from memory and page together.

    >>> chance({"memory": 0.2, "page": 0.55})
    '0.75'
    """
    return draw.number(row["memory"] + row["page"])


def _now(frame: dict, side: str) -> dict | None:
    """Return the word that was written last on a side; None at the start."""
    return frame["sides"][side][: frame["step"]][-1] if frame["step"] else None


def _row(one: dict) -> dict:
    """Return the row of the word that was drawn."""
    return next(row for row in one["rows"] if row["word"] == one["word"])


def describe(frame: dict) -> str:
    """Say both sentences, and the chances of the words that were written last."""
    said = [f"Step {frame['step']} of {frame['steps']}, draw {frame['draw']}, {frame['name']}"]
    for side, words_ in (("closed", "closed book"), ("open", "open book")):
        said.append(f"{words_}: “{sentence(frame, side)}”")
        if one := _now(frame, side):
            said[-1] += f", chance of “{one['word']}” {chance(_row(one))}"
    return "; ".join(said) + "."


def caption(frame: dict) -> str:
    """Say what this step shows."""
    if frame["step"] == 0:
        return ("Both writers have read Larkspur's papers, and neither has read invoice 1042. The right one has a page "
                "before it. Which word comes next? Press Next.")
    closed, opened = _now(frame, "closed"), _now(frame, "open")
    if frame["step"] == 1:
        sums = [row for row in closed["rows"] if row["word"].startswith("$")]
        said = (f"From memory {len(sums)} of the {ROWS} likeliest words are sums of other invoices; “{closed['word']}” "
                f"is drawn, with {chance(_row(closed))}. “{TRUTH}” has {draw.number(closed['truth'])}: it was never "
                "read. ")
        also = "" if opened["word"] == TRUTH else f", and “{TRUTH}” {draw.number(opened['truth'])}"
        return said + f"With the page “{opened['word']}” has {chance(_row(opened))}{also}."
    if frame["step"] < frame["steps"]:
        return (f"Word by word. Blue is what memory gives, orange what the page gives: left “{closed['word']}”, "
                f"{chance(_row(closed))}; right “{opened['word']}”, {chance(_row(opened))}.")
    receipt = f"[{frame['document']}, page {frame['page']}]"
    ends = ("Closed book: a sentence that sounds right, no word of it marked as made up, and nowhere to look. "
            if closed["word"] == "." else
            "Closed book: a sum that sounds right, not marked as made up, and nowhere to look; then so small a model "
            "loses its thread. ")
    if TRUTH in [each["word"] for each in frame["sides"]["open"]]:
        return ends + f"Open book: the sum that the page says, and the page to look it up: {receipt}."
    what = "as sure as before" if any(each["word"].startswith("$") for each in frame["sides"]["open"]) else "no sum"
    return ends + (f"Open book: {what}, with a receipt, {receipt}, and not what was asked. The page decides what is "
                   "written, and fetching the page is the search's work.")


# ---- the picture

STYLE = f"""<style>
.fp-books {{ display: grid; grid-template-columns: 1fr 1fr; column-gap: 20px; min-width: 760px; }}
.fp-sheet {{ height: 132px; padding: 8px 12px; overflow: hidden; font-size: 13px; line-height: 19px; }}
.fp-none {{ border-style: dashed; color: {draw.GREY}; }}
.fp-said {{ height: 74px; margin: 8px 0 6px; font-size: 15px; line-height: 23px; }}
</style>"""
HIGH, LEFT, WIDE = 24, 27.0, 58.0  # pixels of a row; percent where bars begin, and percent of a chance of 1


def picture(frame: dict, expected: dict | None) -> str:
    """Draw both sides: what lies before the writer, the sentence, and the chances that its last word came from."""
    notes = f"step {frame['step']} of {frame['steps']}; page: {frame['name']}; draw {frame['draw']}"
    outline = f'<span style="border:1.5px solid {draw.NOW};border-radius:2px;padding:0 4px">outlined</span>'
    key = (f"{draw.swatch(draw.BLUE)}from memory &ensp; {draw.swatch(draw.ORANGE)}from the page &ensp; {outline} the "
           "word drawn")
    return (f'<div class="fp-title fp-line">Who knows what the invoice came to?</div>'
            f'<div class="fp-line fp-note">{draw.escape(notes)}</div><div class="fp-line fp-note">{key}</div>'
            f'<div class="fp-scroll"><div class="fp-books" style="margin-top:6px">{_side(frame, "closed")}'
            f'{_side(frame, "open")}</div></div>')


def _side(frame: dict, side: str) -> str:
    """Return one side of the picture."""
    closed = side == "closed"
    head = "Closed book: memory alone (parametric)" if closed else "Open book: memory and a page (non-parametric)"
    sheet = ('<div class="fp-card fp-sheet fp-none">No page. What was read is gone; what is left are counts of which '
             "word followed which.</div>" if closed else
             f'<div class="fp-card fp-sheet"><b>{draw.escape(frame["document"])}, page {frame["page"]}</b><br>'
             f'{draw.escape(" ".join(frame["text"].lstrip("# ").split()))}</div>')
    new = frame["sides"][side][: frame["step"]]
    told = sentence(frame, side)[len(written(words(START))):]
    said = (f'<div class="fp-said">{draw.escape(START)}'
            + (draw.mark(told.strip(), draw.BLUE if closed else draw.ORANGE).join([" ", ""]) if told else " ...")
            + "</div>")
    return (f'<div><div class="fp-line" style="font-weight:700">{head}</div>{sheet}{said}'
            f'{_bars(new[-1] if new else None)}</div>')


def _bars(one: dict | None) -> str:
    """Return the chances that a word was drawn from: the likeliest words, best first."""
    high = HIGH * ROWS + 26
    if one is None:
        return draw.svg(high, draw.text(0, 16, "the next word: ?", 13, draw.GREY))
    shapes = [draw.text(0, 16, f"the next word after “{one['after']}”", 13, draw.GREY)]
    for place, row in enumerate(one["rows"]):
        y, x = 24 + HIGH * place, LEFT
        mine = row["word"] == one["word"]
        shapes.append(draw.text(f"{LEFT}%", y + 15, row["word"], 13, anchor="end", shift=-8, bold=mine))
        for part, color in (("memory", draw.BLUE), ("page", draw.ORANGE)):
            wide = WIDE * row[part]
            if wide:
                shapes.append(draw.box(f"{x:.3f}%", y + 2, f"{max(wide, 0.3):.3f}%", 16, fill=color))
            x += wide
        if mine:
            shapes.append(draw.box(f"{LEFT}%", y, f"{max(x - LEFT, 1.0):.3f}%", 20, stroke=draw.NOW, thick=2))
        shapes.append(draw.text(f"{max(x, LEFT + 1):.3f}%", y + 15, chance(row), 13, shift=8, bold=mine))
    return draw.svg(high, *shapes)


# ---- the explorer

def closed_book(name: str = "the page that says it", draw: int = 1) -> Stage:
    """Write one sentence word by word, from memory and with a page, side by side.

    `name` is one of PAGES; `draw`, from 1 to 6, is which words chance takes. Raises ValueError for any other.
    """
    if name not in PAGES:
        raise ValueError(f"There is no page {name!r} here; there are {', '.join(PAGES)}.")
    if draw not in range(1, DRAWS + 1):
        raise ValueError(f"draw is {draw!r}; it is a whole number from 1 to {DRAWS}.")
    which = toggles(list(PAGES), name, "which page lies before the writer on the right", 170)
    seed = ipywidgets.IntSlider(draw, 1, DRAWS, description="draw", tooltip="draw", continuous_update=False,
                                style={"description_width": "40px"}, layout={"width": "220px"})
    row = ipywidgets.HBox([which, seed])
    row.add_class("fp-row")
    return stepper("closed_book", trace, picture, describe, (), lambda frame, _: caption(frame), STYLE,
                   texts={"name": which, "seed": seed}, above=[row], whole=("name", "seed"))
