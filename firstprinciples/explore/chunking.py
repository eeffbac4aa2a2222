"""Lesson 09: a document under the scissors. Where the cuts fall, and whether a quote that answers stays whole.

The documents are Larkspur's, each with a question of the half dev and the quote that answers it. The text shows the
place around the quote; the strip below shows all chunks of the document, to scale, one in the upper row and the next in
the lower, so that overlaps can be seen.
"""

import re
from dataclasses import dataclass
from functools import cache

import ipywidgets

from firstprinciples.corpus import Collection, paragraphs
from firstprinciples.explore import draw
from firstprinciples.explore.guard import Trouble, guard
from firstprinciples.explore.stage import Stage, another_question, toggles
from firstprinciples.ingest import chunking
from firstprinciples.ingest.chunkers import by_sections, by_sentences

TASKS = ("chunking.windows", "chunking.fixed", "chunking.packed", "chunking.headings", "chunking.sections",
         "chunking.quote_survives")
# a document, a question of the half dev, and which piece of its evidence
CASES = (("invoice-1042", "When was the $1,284.50 supposed to be paid by?", 0),
         ("repair-bench-closing", "how do I throw out old glue?", 0),
         ("filing-cedarline-freight-q1-2024", "In the filings we got up to the end of April 2024, which part of the "
          "carrier's business did better than the quarter before, and what was it before and after?", 0))
WAYS = ("words", "sentences", "paragraphs", "sections")
SIZES, OVERLAPS, STEP = (10, 200), (0, 60), 5
AROUND = 70  # words that are shown on either side of the quote
COLORS = (draw.BLUE, draw.ORANGE)  # of one chunk and the next


@cache
def larkspur() -> Collection:
    """Return the collection of the course."""
    return Collection.load("larkspur")


@cache
def case(number: int) -> dict:
    """Return a document with a question, the quote that answers it, and where the quote stands, in characters."""
    name, asked, piece = CASES[number]
    document = next(each for each in larkspur().documents if each.id == name)
    query = next(each for each in larkspur().queries if each.text == asked)
    quote = [each["quote"] for each in query.evidence if each["document"] == name][piece]
    place = re.search(r"\s+".join(map(re.escape, quote.split())), document.text)
    return {"document": document, "question": asked, "quote": quote, "place": place.span()}


@dataclass(frozen=True)
class State:
    """Which document and question, how it is cut, and the size and the overlap in words.

    The overlap is at most half of the size, so that no word is in three chunks and the picture stays readable.
    """

    case: int = 0
    way: str = "words"
    size: int = 50
    overlap: int = 0

    def __post_init__(self):
        object.__setattr__(self, "case", int(self.case) % len(CASES))
        object.__setattr__(self, "way", self.way if self.way in WAYS else WAYS[0])
        object.__setattr__(self, "size", min(max(int(self.size), SIZES[0]), SIZES[1]))
        object.__setattr__(self, "overlap", min(max(int(self.overlap), 0), OVERLAPS[1], self.size // 2))


def cuts(state: State, document) -> list[tuple[int, int]]:
    """Return the spans of the chunks, in characters, in the way that was chosen."""
    if state.way == "words":
        return chunking.fixed(document.text, state.size, state.overlap)
    chunker = {"paragraphs": paragraphs, "sections": by_sections, "sentences": by_sentences(state.size)}[state.way]
    return [(chunk.start, chunk.end) for chunk in chunker(document)]


def frame(state: State) -> dict:
    """Return the chunks as positions of words, and what became of the quote."""
    one = case(state.case)
    text, (left, right) = one["document"].text, one["place"]
    words = [match.span() for match in re.finditer(r"\S+", text)]
    spans = _checked(cuts(state, one["document"]), len(text))
    whole = bool(chunking.quote_survives(text, [tuple(span) for span in spans], one["quote"]))
    chunks = [_words_in(span, words) for span in spans]
    first, last = _words_in((left, right), words)
    holders = [i for i, (start, end) in enumerate(spans) if start <= left and right <= end]
    parts = [[i, min(end, last) - max(start, first)] for i, (start, end) in enumerate(chunks)
             if min(end, last) > max(start, first)]
    return {"case": state.case, "document": one["document"].id, "question": one["question"], "way": state.way,
            "size": state.size, "overlap": state.overlap if state.way == "words" else 0, "words": len(words),
            "chunks": chunks, "quote": [first, last], "whole": whole, "holders": holders, "parts": parts,
            "filed": sum(end - start for start, end in chunks)}


def _words_in(span, words) -> list[int]:
    """Return (first, last + 1) of the words that lie in a span of characters, cut ones too."""
    inside = [i for i, (start, end) in enumerate(words) if start < span[1] and end > span[0]]
    return [inside[0], inside[-1] + 1] if inside else [0, 0]


def _checked(spans, length: int) -> list[list[int]]:
    """Return the spans as lists of whole numbers; Trouble where a learner's function gave something else."""
    try:
        out = [[int(start), int(end)] for start, end in spans]
    except (TypeError, ValueError) as error:
        raise Trouble(f"The chunks should be a list of (start, end), whole numbers: {error}.") from error
    if not out or not all(0 <= start < end <= length for start, end in out):
        raise Trouble(f"The chunks should be (start, end) with 0 <= start < end <= {length}, one or more; there are "
                      f"{out[:3]}.")
    if len(out) > 400:
        raise Trouble(f"There are {len(out):,} chunks; the picture has room for 400.")
    return out


# ---- words

def how(frame: dict) -> str:
    """Return how it was cut, in words."""
    if frame["way"] == "words":
        return f"windows of {frame['size']} words, overlap {frame['overlap']}"
    if frame["way"] == "sentences":
        return f"whole sentences, packed up to {frame['size']} words"
    return frame["way"]


def idle(frame: dict) -> str:
    """Return which dial has no effect, in words, or where the overlap is at its most."""
    if frame["way"] == "words":
        most = frame["overlap"] == frame["size"] // 2 < OVERLAPS[1]
        return ", half of the size, the most there is" if most else ""
    return " (overlap does nothing here)" if frame["way"] == "sentences" else " (the dials do nothing here)"


def fate(frame: dict) -> str:
    """Return what became of the quote."""
    long = frame["quote"][1] - frame["quote"][0]
    if frame["whole"]:
        held = [str(i + 1) for i in frame["holders"]] or ["?"]
        return f"whole in chunk{'s' * (len(held) > 1)} {' and '.join(held)}"
    if len(frame["parts"]) < 2:
        return "in no chunk whole"
    if len(frame["parts"]) > 3:
        most = max(count for _, count in frame["parts"])
        return (f"cut: it lies in chunks {frame['parts'][0][0] + 1} to {frame['parts'][-1][0] + 1}, and none has more "
                f"than {most} of its {long} words")
    first, *rest = [f"{count} of its {long} words in chunk {i + 1}" if n == 0 else f"{count} in chunk {i + 1}"
                    for n, (i, count) in enumerate(frame["parts"])]
    return f"cut: {', '.join([first, *rest])}"


def describe(frame: dict) -> str:
    """Say how the document was cut and what became of the quote."""
    return (f"“{frame['question']}” {frame['document']}, {frame['words']} words, cut by {how(frame)}: "
            f"{len(frame['chunks'])} chunks, {frame['filed']} words in them; the quote is {fate(frame)}.")


def caption(frame: dict, before: dict | None) -> str:
    """Say what the cuts do to the quote, and what the dial changed."""
    long = frame["quote"][1] - frame["quote"][0]
    chunk = frame["holders"][0] if frame["holders"] else None
    if frame["whole"] and chunk is not None:
        start, end = frame["chunks"][chunk]
        which = "that chunk" if len(frame["holders"]) == 1 else "the first of them"
        said = (f"The quote, {long} words, is {fate(frame)}. Whoever is handed {which} reads {end - start} words for "
                "it.")
    else:
        said = (f"The quote is {fate(frame)}. No chunk holds the fact, so no search can hand it on, whatever the "
                "ranking.")
    if frame["way"] == "words" and frame["overlap"]:
        more = frame["filed"] / frame["words"] - 1
        said += f" The overlap files {more:.0%} more words."
    if before is None or before["case"] != frame["case"]:
        return said
    change = f"{len(before['chunks'])} chunks before, {len(frame['chunks'])} now"
    if before["whole"] != frame["whole"]:
        return f"{change}; the quote was {fate(before)}. {said}"
    return f"{change}. {said}"


# ---- the picture

STYLE = f"""<style>
.fp-cut {{ padding: 8px 14px; height: 238px; margin-top: 6px; line-height: 24px; overflow-y: auto; }}
.fp-asked {{ height: 66px; line-height: 22px; overflow: hidden; }}
.fp-cut b {{ font-weight: 700; }}
.fp-cut i {{ font: 12px/16px {draw.MONO}; font-style: normal; border: 1.5px solid {draw.GREY}; border-radius: 4px;
  padding: 0 3px; margin: 0 2px; background: {draw.PAPER}; white-space: nowrap; }}
.fp-cut i.fp-inside {{ border: 2px solid {draw.NOW}; font-weight: 700; }}
.fp-facts {{ display: flex; gap: 36px; margin-top: 8px; height: 50px; }}
.fp-facts b {{ font-size: 16px; }}
@container (max-width: 759px) {{ .fp-asked {{ height: 90px; }} }}
</style>"""
WIDE, TALL = 860, 22  # of the strip, and of a row in it, in pixels
STRIPES = (f"repeating-linear-gradient(135deg,{draw.tint(COLORS[0], 0.3)} 0 7px,{draw.tint(COLORS[1], 0.36)} 7px 14px)")


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw the text around the quote with the cuts in it, and below it all chunks to scale."""
    if before and before["case"] != frame["case"]:
        before = None
    notes = [f"{frame['document']}, {frame['words']} words", how(frame) + idle(frame)]
    notes += ["pale: before"] * bool(before) + ["dashed: the course's own"] * bool(expected)
    return (f'<div class="fp-title fp-line">Where do the cuts fall?</div>'
            f'<div class="fp-asked"><div>{draw.escape(frame["question"])}</div>'
            f'<div class="fp-note">{draw.escape("; ".join(notes))}</div></div>'
            f'<div class="fp-card fp-cut">{_text(frame)}</div><div class="fp-scroll"><div style="width:{WIDE + 4}px">'
            f'{_strip(frame, before, expected)}</div></div>{_facts(frame, before)}')


def _text(frame) -> str:
    """Return the words around the quote: tinted by chunk, the quote bold and underlined, a mark at each cut."""
    text = case(frame["case"])["document"].text
    spans = [match.span() for match in re.finditer(r"\S+", text)]
    first, last = frame["quote"]
    low, high = max(first - AROUND, 0), min(last + AROUND, len(spans))
    line = f"3px {'solid ' + draw.GREEN if frame['whole'] else 'dashed ' + draw.NOW}"
    out = ["… "] if low else []
    for i in range(low, high):
        mine = [c for c, (start, end) in enumerate(frame["chunks"]) if start <= i < end]
        ends = [c for c, (_, end) in enumerate(frame["chunks"]) if end == i and i > low]
        starts = [c for c, (start, _) in enumerate(frame["chunks"]) if start == i]
        inside = ' class="fp-inside"' if first < i < last else ""
        out += [f"<i{inside}>{c + 1}]</i>" for c in ends] + [f"<i{inside}>[{c + 1}</i>" for c in starts]
        if i > low and "\n\n" in text[spans[i - 1][1] : spans[i][0]]:
            out.append('<span class="fp-note">¶ </span>')
        back = STRIPES if len(mine) > 1 else draw.tint(COLORS[mine[0] % 2], 0.22) if mine else "none"
        word = draw.escape(text[slice(*spans[i])]) + " "
        if first <= i < last:
            word = f'<b style="border-bottom:{line}">{word}</b>'
        out.append(f'<span style="background:{back}">{word}</span>')
    return "".join(out) + ("…" if high < len(spans) else "")


def _strip(frame, before, expected) -> str:
    """Return all chunks of the document as bars on a scale of words, with the place of the quote."""
    scale, top = WIDE / frame["words"], 24
    first, last = frame["quote"]
    held = dict(frame["parts"])
    shapes = [draw.text(0, 16, "all chunks of the document, to scale", 12, draw.GREY)]
    x = first * scale
    anchor = "start" if x < WIDE * 0.6 else "end"
    shapes.append(draw.text(round(x if anchor == "start" else last * scale, 1), 16,
                            f"the quote, {last - first} words", 12, bold=True, anchor=anchor)
                  if x > 250 else draw.text(max(round(x, 1), 250), 16, f"the quote, {last - first} words", 12,
                                            bold=True))
    bottom = top + 2 * (TALL + 4)
    labels = []
    for i, (start, end) in enumerate(frame["chunks"]):
        y, left, wide = top + (TALL + 4) * (i % 2), start * scale, (end - start) * scale
        whole, color = i in frame["holders"], COLORS[i % 2]
        shapes.append(draw.box(round(left + 0.75, 1), y, round(max(wide - 1.5, 1), 1), TALL, radius=3,
                               fill=color if whole else draw.tint(color, 0.3), stroke=draw.INK if whole else draw.NOW
                               if i in held else "none", dash="" if whole else "4 3", thick=2))
        if wide > 18:
            ink = draw.INK if not whole else "#FFFFFF" if color == draw.BLUE else draw.DARK
            labels.append(draw.text(round(left + 8, 1) if whole else round(left + wide / 2, 1), y + 15.5,
                                    f"{i + 1} ✓" if whole and wide > 34 else str(i + 1), 12, ink, bold=whole,
                                    anchor="start" if whole else "middle"))
    shapes.append(draw.box(round(x, 1), top - 3, round((last - first) * scale, 1), bottom - top + 2, fill="none",
                           stroke=draw.GREEN if frame["whole"] else draw.NOW, thick=2.5, radius=3))
    shapes += labels
    for row, (other, dash) in enumerate(((before, ""), (expected, "4 3"))):
        if other and other["chunks"] != frame["chunks"]:
            for i, (start, end) in enumerate(other["chunks"]):
                shapes.append(draw.box(round(start * scale + 0.75, 1), bottom + 4 + 9 * (i % 2) + 22 * row,
                                       round(max((end - start) * scale - 1.5, 1), 1), 6, radius=2,
                                       fill="none" if dash else draw.tint(COLORS[i % 2], 0.3),
                                       stroke=draw.INK if dash else "none", dash=dash, thick=1.2))
    return draw.svg(bottom + 46, *shapes, width=WIDE)


def _facts(frame, before) -> str:
    """Return the numbers: chunks, words in them, and the quote."""
    def cell(name, value, old):
        was = f' <span class="fp-note">was {old}</span>' if before and old != value else ""
        return f'<div><div class="fp-note">{name}</div><div class="fp-line"><b>{value}</b>{was}</div></div>'

    def mean(each):
        return f"{each['filed'] / len(each['chunks']):.0f}"

    old = before or frame
    return ('<div class="fp-facts">' + cell("chunks", str(len(frame["chunks"])), str(len(old["chunks"])))
            + cell("words in a chunk, on average", mean(frame), mean(old))
            + cell("words filed", str(frame["filed"]), str(old["filed"]))
            + cell("the quote", "whole" if frame["whole"] else "cut", "whole" if old["whole"] else "cut") + "</div>")


# ---- the explorer

def cut_it(case: int = 0, way: str = "words", size: int = 50, overlap: int = 0) -> Stage:
    """Show a document of Larkspur being cut: dials for size and overlap in words, buttons for the way of cutting.

    `way` is "words" (windows), "sentences", "paragraphs" or "sections"; the last two take no size.
    """
    start = State(case, way, size, overlap)

    def slider(name, value, low, high):
        return ipywidgets.IntSlider(value, low, high, step=STEP, description=name, tooltip=name,
                                    style={"description_width": "56px"}, layout={"width": "290px"})

    dials = {"size": slider("size", start.size, *SIZES), "overlap": slider("overlap", start.overlap, *OVERLAPS)}
    ways = toggles(WAYS, start.way, "where to cut", 104)
    number = ipywidgets.IntText(start.case)  # not shown: which document, turned by the button
    turn = another_question(lambda: setattr(number, "value", (number.value + 1) % len(CASES)))

    def run(values):
        state = State(**values)
        return guard(TASKS, lambda: frame(state), lambda drawn: picture(drawn, None, None))

    return Stage("cut_it", run, picture, describe, {**dials, "way": ways}, {"case": number}, caption=caption,
                 style=STYLE, buttons=[turn])
