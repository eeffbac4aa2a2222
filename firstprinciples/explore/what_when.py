"""Lesson 19: what to use when. A chart whose arrows each carry a number, and the file that it is read from.

On the left is the place where answers are lost, by the tree of lesson 07; then what one sees there; then what to try.
An arrow is worth the number on it and no more: it was measured on this course's questions, on the half that nobody
looked at. No number stands in this file. Each is looked up in the measured files beside the lessons, by its path.
"""

from collections import Counter
from dataclasses import dataclass

import ipywidgets

from firstprinciples.explore import draw
from firstprinciples.explore.guard import Run
from firstprinciples.explore.measured import measured
from firstprinciples.explore.stage import Stage

HALF = "held_out"


@dataclass(frozen=True)
class Arrow:
    """What one sees at a place, what to use, and where the number for it is: `path` in notebooks/`file`.json.

    At the end of `path` is a difference with its interval or, where `against` names a second path, a number to compare
    with that one. `n` is the path to how many questions were asked, or nothing.
    """

    place: str
    when: str
    use: str
    lesson: int
    file: str
    path: tuple
    measure: str
    than: str = ""
    against: tuple = ()
    n: tuple = ()
    less: bool = False  # a smaller number is the better one
    cost: str = ""  # what the number does not say
    unit: str = ""  # a word behind the number, where it is no share of what was found


ARROWS = (
    Arrow("ingestion", "a page came in damaged", "mend it before any search", 7, "ladder",
          (HALF, "rows", "BM25", "failures", "ingestion"), "answers lost there", "the top of the ladder",
          against=(HALF, "rows", "+ filters", "failures", "ingestion"), n=(HALF, "queries"), unit="lost",
          cost="No step brings back what is not in the files."),
    Arrow("chunking", "quotes are cut in two", "cut at the paragraphs", 9, "chunking",
          ("larkspur", HALF, "differences", "paragraphs - 60 words, overlap 12", "hybrid", "all", "Recall@10"),
          "Recall@10", "every 60 words with an overlap of 12", n=("larkspur", HALF, "queries")),
    Arrow("chunking", "a paragraph says too little", "hand over whole sections", 9, "chunking",
          ("larkspur", HALF, "differences", "sections - paragraphs", "hybrid", "all", "Recall in 1000 words"),
          "recall in 1,000 words", "paragraphs", n=("larkspur", HALF, "queries"),
          cost="With ten of each they find more, in more words; at equal words it is this."),
    Arrow("chunking", "it does not say whose it is", "a line of context before it", 10, "contextual",
          (HALF, "differences", "contextual hybrid - hybrid", "all", "Recall@10"), "Recall@10", "without the line",
          n=(HALF, "queries"), cost="Every chunk has to be indexed anew."),
    Arrow("retrieval", "codes, names, sums", "words: BM25", 3, "contextual",
          (HALF, "by_kind", "BM25", "exact", "Recall@10"), "Recall@10", "MiniLM, by meaning",
          against=(HALF, "by_kind", "MiniLM", "exact", "Recall@10"),
          n=(HALF, "differences", "contextual BM25 - BM25", "by_kind", "exact", "queries")),
    Arrow("retrieval", "other words than the page's", "meaning: vectors", 5, "contextual",
          (HALF, "by_kind", "MiniLM", "paraphrase", "Recall@10"), "Recall@10", "BM25, by words",
          against=(HALF, "by_kind", "BM25", "paraphrase", "Recall@10"),
          n=(HALF, "differences", "contextual BM25 - BM25", "by_kind", "paraphrase", "queries")),
    Arrow("retrieval", "you don't know which will come", "both, fused by RRF", 6, "ladder",
          (HALF, "differences", "+ vectors, RRF", "Recall@10"), "Recall@10", "BM25 alone", n=(HALF, "queries")),
    Arrow("retrieval", "a follow-up: “and for food?”", "words of the talk", 16, "queries",
          (HALF, "follow_up", "differences", "hybrid", "condensed - as typed", "Recall@10"), "Recall@10", "as typed",
          n=(HALF, "follow_up", "queries")),
    Arrow("retrieval", "a type, a client, a span of time", "a filter", 13, "queries",
          (HALF, "filter", "differences", "MiniLM", "Recall@10"), "Recall@10", "the words alone",
          n=(HALF, "filter", "queries"), cost="Somebody has to write the condition: here it came with the question."),
    Arrow("retrieval", "one hopes for luckier words", "several phrasings, by rule", 16, "queries",
          (HALF, "all", "rewrites", "phrasings, hybrid", "all", "nDCG@10"), "nDCG@10", "as typed",
          n=(HALF, "all", "queries"), cost="A model may write better ones; it was not measured."),
    Arrow("retrieval", "other words, but no vectors", "learned words: SPLADE", 14, "splade",
          ("collections", "scifact", "SPLADE - BM25"), "nDCG@10", "BM25, on the claims of SciFact",
          n=("collections", "scifact", "queries"), cost="This is the small one of the lesson; large ones do better."),
    Arrow("retrieval", "too many vectors to compare all", "a graph: HNSW", 11, "neighbors",
          ("growth", "clustered", "100000", "curve", 3, 2), "distances a question", "100,000 vectors, all compared",
          against=("growth", "sizes", -1), n=("growth", "questions"), less=True, unit="seen",
          cost="It finds 0.997 of the ten nearest, and its graph has to be built."),
    Arrow("retrieval", "memory is short", "bits, 100 rescored", 12, "memory",
          ("larkspur", "differences", "binary, 100 rescored", "Recall@10"), "Recall@10", "32 times the memory",
          n=("larkspur", "queries"), cost="The full vectors lie on the disk, to rescore with."),
    Arrow("ranking", "it is found, and not in front", "a small cross-encoder", 8, "rerank",
          (HALF, "differences", "hybrid + cross-encoder", "Recall@10"), "Recall@10", "hybrid", n=(HALF, "queries"),
          cost="At the top of the ladder right answers rise all the same. A large one may do better."),
    Arrow("ranking", "it is found, and not in front", "late interaction: MaxSim", 15, "late",
          (HALF, "differences", "hybrid, MaxSim reranks - hybrid", "all", "nDCG@10"), "nDCG@10", "hybrid",
          n=(HALF, "queries"), cost="A vector for each word has to be kept."),
    Arrow("ranking", "it is just behind the fifth", "hand over twenty", 18, "answers",
          ("k", "hybrid", HALF, "20", "right"), "right answers", "five",
          against=("k", "hybrid", HALF, "5", "right"), n=(HALF, "counts", "answerable", "n"), unit="right",
          cost="Wrong answers grow too, and the prompt is four times as long."),
    Arrow("generation", "pages contradict each other", "a reader beside what is trusted", 17, "corrective",
          (HALF, "reckless", "differences", "corrective", "false"), "false answers, a share",
          "the same search, nobody grading", n=("times", "questions"), less=True, unit="false",
          cost="Somebody has to keep the references."),
    Arrow("generation", "no page has the answer", "a threshold: say nothing", 18, "answers",
          (HALF, "counts", "unanswerable", "declined"), "declined", "asked",
          against=(HALF, "counts", "unanswerable", "answered"), n=(), unit="silent : not",
          cost="It declines nearly the same share of the questions that can be answered."),
)


def look_up(file: str, path: tuple):
    """Return what stands at a path in a measured file. Raises KeyError, with the path, where there is nothing."""
    found = measured(file)
    for step in path:
        try:
            found = found[step]
        except (KeyError, IndexError, TypeError):
            raise KeyError(f"notebooks/{file}.json has nothing at {spelled(path)}.") from None
    return found


def spelled(path: tuple) -> str:
    """Return a path as one reads it.

    >>> spelled(("held_out", "rows", 3))
    'held_out > rows > 3'
    """
    return " > ".join(map(str, path))


def read(arrow: Arrow) -> dict:
    """Return an arrow as plain values: its number, the interval where there is one, and how it ended.

    `sign` is "gain", "loss", "unsure" (0 lies in the interval), or "count" where two numbers stand side by side without
    an interval.
    """
    found = look_up(arrow.file, arrow.path)
    row = {"place": arrow.place, "when": arrow.when, "use": arrow.use, "lesson": arrow.lesson, "than": arrow.than,
           "measure": arrow.measure, "cost": arrow.cost, "unit": arrow.unit, "file": f"{arrow.file}.json",
           "path": spelled(arrow.path),
           "n": int(look_up(arrow.file, arrow.n)) if arrow.n else 0, "against": None, "low": None, "high": None,
           "date": str(measured(arrow.file)["date"])}
    if arrow.against:
        return row | {"value": float(found), "against": float(look_up(arrow.file, arrow.against)), "sign": "count"}
    low, high = float(found["low"]), float(found["high"])
    up, down = (high < -1e-9, low > 1e-9) if arrow.less else (low > 1e-9, high < -1e-9)
    return row | {"value": float(found["difference"]), "low": low, "high": high,
                  "sign": "gain" if up else "loss" if down else "unsure"}


@dataclass(frozen=True)
class State:
    """Which arrow is read out, from 1."""

    arrow: int = 1

    def __post_init__(self):
        object.__setattr__(self, "arrow", min(max(int(self.arrow), 1), len(ARROWS)))


def frame(state: State) -> dict:
    """Return all arrows, which one is read out, and how many ended how."""
    rows = [read(arrow) for arrow in ARROWS]
    return {"arrow": state.arrow, "rows": rows, "signs": dict(Counter(row["sign"] for row in rows))}


# ---- words

SAID = {"gain": "a gain", "loss": "a loss", "unsure": "not told apart: the interval holds 0",
        "count": "two numbers side by side, no interval"}


def number(row: dict) -> str:
    """Return the number of an arrow: "+0.162", or two numbers side by side."""
    if row["against"] is None:
        return f"{row['value']:+.3f}".replace("-", "−")
    return f"{plain(row['value'])} : {plain(row['against'])}"


def plain(value: float) -> str:
    """Return a number as it is: a share with three decimals, a count, from 1 up, whole.

    >>> plain(0.9), plain(100000.0), plain(0.0)
    ('0.900', '100,000', '0.000')
    """
    return f"{value:,.0f}" if value >= 1 else f"{value:.3f}"


def whole(row: dict) -> str:
    """Say an arrow in full: what, on how many, against what, from which file."""
    n = f", {row['n']} questions" if row["n"] else ""
    value = number(row) if row["against"] is None else f"{plain(row['value'])}, against {plain(row['against'])}"
    if row["low"] is not None:
        value += f" ({row['low']:+.3f} to {row['high']:+.3f})".replace("-", "−")
    return (f"{row['when']}: {row['use']}. Measured: {row['measure']}{n}: {value}, {SAID[row['sign']]}. Compared with: "
            f"{row['than']}. {f'''{row['cost']} ''' if row['cost'] else ''}Lesson {row['lesson']:02}; read from "
            f"{row['file']}: {row['path']}.")


def describe(frame: dict) -> str:
    """Say the arrow that is read out, and all others briefly."""
    rest = "; ".join(f"{row['place']}: {row['when']} → {row['use']} {number(row)}" for row in frame["rows"])
    return f"Arrow {frame['arrow']} of {len(frame['rows'])}. {whole(frame['rows'][frame['arrow'] - 1])} All: {rest}."


def caption(frame: dict, before: dict | None = None) -> str:
    """Say the arrow that is read out in full."""
    said = whole(frame["rows"][frame["arrow"] - 1])
    return said[0].upper() + said[1:]


# ---- the picture

LOOK = {"gain": (draw.GREEN, "", "✓"), "loss": (draw.NOW, "2 3", "✗"), "unsure": (draw.OTHER, "6 4", "?"),
        "count": (draw.BLUE, "", "•")}
WIDE, ROW, TOP = 880, 29, 30  # pixels
PLACE, WHEN, FROM, TO, USE, FILE = 0, 100, 330, 520, 530, 770
KEY = ("✓ gain   ✗ loss   ? not told apart   • two numbers side by side; the share of what was found, or what the word "
       "behind it says")


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw the arrows from what one sees to what to use, each with its number, grouped by place."""
    shapes = [draw.text(x, 14, words, 12, draw.GREY) for x, words in
              ((PLACE, "lost in"), (WHEN, "what you see"), (FROM, "the number"), (USE, "what to use"), (FILE, "from"))]
    last = None
    for place, row in enumerate(frame["rows"]):
        y = TOP + ROW * place + 12
        color, dash, sign = LOOK[row["sign"]]
        if row["place"] != last:
            shapes += [draw.line(0, y - 17, WIDE, y - 17), draw.text(PLACE, y + 5, row["place"], 14, bold=True)]
            last = row["place"]
        chosen = place == frame["arrow"] - 1
        if chosen:
            shapes.append(draw.box(WHEN - 6, y - 14, WIDE - WHEN + 6, ROW - 2, stroke=draw.NOW, thick=2))
        shapes += [draw.text(WHEN, y + 5, row["when"], 13.5, bold=chosen),
                   draw.line(FROM, y + 8, TO - 6, y + 8, color, 2.5, dash),
                   f'<path d="M {TO - 10} {y + 3} L {TO - 2} {y + 8} L {TO - 10} {y + 13}" style="fill:none;'
                   f'stroke:{color};stroke-width:2.5"/>',
                   draw.text((FROM + TO) / 2 - 4, y + 3, f"{sign} {number(row)} {row['unit']}".strip(), 13, bold=True,
                             anchor="middle"),
                   draw.text(USE, y + 5, row["use"], 13.5, bold=chosen),
                   draw.text(FILE, y + 5, row["file"], 12, draw.GREY)]
    height = TOP + ROW * len(frame["rows"]) + 4
    return (f'<div class="fp-title fp-line">What to use when</div><div class="fp-line fp-note">{KEY}</div>'
            f'<div class="fp-scroll"><div style="width:{WIDE}px">{draw.svg(height, *shapes, width=WIDE)}</div></div>')


# ---- the explorer

def what_to_use_when(arrow: int = 1) -> Stage:
    """Show what to use when: each arrow with its number, and in full the one that the slider points at."""
    start = State(arrow)
    number = ipywidgets.IntSlider(start.arrow, 1, len(ARROWS), description="arrow", tooltip="arrow",
                                  style={"description_width": "48px"}, layout={"width": "360px"})
    return Stage("what_to_use_when", lambda values: Run(frame(State(**values))), picture, describe, {"arrow": number},
                 caption=caption)
