"""Lesson 02: how many of a question's words stand in the quote that answers it, and whether a search by words finds it.

Questions that were written with the pages at hand lean toward the pages' words, and a search by words looks better on
them than it is. This figure says how far, for each kind of question.
"""

from firstprinciples.corpus import Collection, Query
from firstprinciples.evaluate import experiment
from firstprinciples.explore import draw
from firstprinciples.explore.guard import Run
from firstprinciples.explore.stage import Stage
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.swap import untouched
from firstprinciples.text import tokenize


def shared_words(question: str, quotes: list[str]) -> tuple[int, int]:
    """Return (how many of the question's different content words stand in a quote, how many it has).

    Words are compared by their stems; the 33 stop words are left out.

    >>> shared_words("Is the tents' fabric washable?", ["Wash the fabric of a tent by hand."])
    (2, 3)
    """
    asked, held = ({word for text in texts for word in tokenize(text, stop_words=True, stem=True)}
                   for texts in ([question], quotes))
    return len(asked & held), len(asked)


def word_overlap(query: Query) -> float:
    """Return the share, from 0 to 1, of a question's content words that stand in the quotes of its evidence.

    0.0 for a question without a content word.

    >>> word_overlap(Query("q", "Is it washable?", evidence=({"document": "d", "quote": "Wash it.", "grade": 3},)))
    0.0
    """
    shared, of = shared_words(query.text, [piece["quote"] for piece in query.evidence])
    return shared / of if of else 0.0


def frame(collection: Collection, retriever, split: str = "all") -> dict:
    """Return, for each kind of question, the mean overlap and the mean Recall@10; and the overlap of found and lost.

    A question counts as found when something of its evidence is in ten places.
    """
    each = experiment.evaluate(retriever, collection, split)["each"]
    overlap = {query.id: word_overlap(query) for query in collection.queries if query.id in each}
    kinds = {query.id: query.kind or "questions" for query in collection.queries if query.id in each}
    rows = []
    for kind in dict.fromkeys(kinds.values()):
        ids = [id for id in each if kinds[id] == kind]
        rows.append({"kind": kind, "n": len(ids), "overlap": _mean([overlap[id] for id in ids]),
                     "recall": _mean([each[id]["Recall@10"] for id in ids])})
    groups = {"found": [id for id in each if each[id]["Recall@10"] > 0],
              "lost": [id for id in each if each[id]["Recall@10"] == 0]}
    return {"kinds": sorted(rows, key=lambda row: (-row["overlap"], row["kind"])), "n": len(each),
            **{name: {"n": len(ids), "overlap": _mean([overlap[id] for id in ids])} for name, ids in groups.items()}}


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


# ---- words

def percent(share: float) -> str:
    """Return a share as whole percent.

    >>> percent(0.256)
    '26 %'
    """
    return f"{100 * share:.0f} %"


def describe(frame: dict) -> str:
    """Say both numbers of each kind."""
    kinds = "; ".join(f"{row['kind']} {percent(row['overlap'])} and {draw.number(row['recall'])}"
                      for row in frame["kinds"])
    return (f"Share of a question's words that stand in the quotes that answer it, and Recall@10 of BM25, by kind of "
            f"question: {kinds}.")


def caption(frame: dict, before: dict | None = None) -> str:
    """Say how found and lost questions differ."""
    found, lost = frame["found"], frame["lost"]
    if not (found["n"] and lost["n"]):
        return f"{frame['n']} questions, of which BM25 finds {found['n']} in ten places."
    return (f"BM25 finds evidence of {found['n']} questions in ten places: {percent(found['overlap'])} of their words "
            f"stand in their quotes. Of the {lost['n']} questions that it loses it is {percent(lost['overlap'])}.")


# ---- the picture

STYLE = """<style>
.fp-overlap { display: grid; grid-template-columns: 150px 1fr; column-gap: 14px; row-gap: 10px; margin-top: 8px; }
.fp-overlap > div { height: 34px; }
</style>"""


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw two bars for each kind of question: how many words it shares, and how much of its evidence is found."""
    rows = []
    for row in frame["kinds"]:
        shapes = [draw.line(0, 0, 0, 34)]
        for y, share, color, words in ((1, row["overlap"], draw.BLUE, percent(row["overlap"])),
                                       (18, row["recall"], draw.ORANGE, draw.number(row["recall"]))):
            wide, second = f"{100 * share:.3f}%", color == draw.ORANGE
            edge = {"stroke": draw.INK, "dash": "4 3", "thick": 1} if second and share else {}  # not by color alone
            shapes.append(draw.box("0", y, wide, 14, fill=color, **edge))
            shapes.append(draw.text(wide, y + 12, words, 13, bold=True, shift=7))
        rows.append(f'<div style="text-align:right;line-height:17px"><b>{draw.escape(row["kind"])}</b><br>'
                    f'<span class="fp-note">{row["n"]} question{"" if row["n"] == 1 else "s"}</span></div>'
                    f'<div style="padding-right:60px">{draw.svg(34, *shapes)}</div>')
    edge = f"outline:1px dashed {draw.INK};outline-offset:-1px"
    second = draw.swatch(draw.ORANGE).replace('style="', f'style="{edge};')
    return (f'<div class="fp-title fp-line">Do the questions lean on the pages’ words?</div>'
            f'<div><span style="margin-right:26px">{draw.swatch(draw.BLUE)}content words of the '
            f'question that stand in its quotes</span><span>{second}Recall@10 of BM25, dashed</span></div>'
            f'<div class="fp-overlap">{"".join(rows)}</div>')


def overlap(collection: Collection | None = None, retriever=None, split: str = "all") -> Stage:
    """Show, for each kind of question, the words it shares with the quotes that answer it, and Recall@10.

    By default of Larkspur and of BM25. The figure is computed once, on the course's own functions.
    """
    collection = collection or Collection.load("larkspur")
    with untouched():
        shown = frame(collection, retriever or BM25(collection.chunks), split)
    return Stage("overlap", lambda values: Run(shown), picture, describe, {}, caption=caption, style=STYLE)
