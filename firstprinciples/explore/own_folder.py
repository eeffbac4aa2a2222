"""The last cell of a lesson: its technique on a folder of the reader's own, beside the search without it."""

import contextlib
from functools import lru_cache

import ipywidgets

from firstprinciples import swap
from firstprinciples.explore import draw
from firstprinciples.explore.excerpt import excerpt
from firstprinciples.explore.guard import Run
from firstprinciples.explore.own_searches import Folder, beside, open_folder
from firstprinciples.explore.stage import Stage
from firstprinciples.text import tokenize

ROWS = 5
SICK, GLUE = "How many paid sick days do I have in a calendar year?", "how do I throw out old glue?"
# what stands in the field at first, for the course's own folders; a reader's own folder begins with an empty field
FIRST = {5: GLUE, 6: GLUE, 11: GLUE, 14: GLUE, 15: GLUE, 12: SICK,
         10: "How much does Cedarline want for March 2024?", 16: "and for food?",
         13: "replacement for the lost seal, how much was it? has to be somewhere in the board's minutes"}
BEFORE = "What can I spend on a hotel when I travel for work?"
MINUTES = {"type": "minutes"}
CLOCK = "Does a moving clock run slow?"


@lru_cache(maxsize=4)
def _opened(folder: str) -> Folder:
    return open_folder(folder)


# ---- the frame

def frame(lesson: int, folder, question: str, **more) -> dict:
    """Return both lists: at most five rows each, with the place that a row has in the other list, 0 for none."""
    question = " ".join(str(question).split())[:300]
    empty = {"lesson": lesson, "question": question, "names": ["", ""], "lists": [[], []], "said": "", "problem": ""}
    try:
        opened = _opened(str(folder))
        told = {**empty, "folder": opened.name, "documents": len(opened.documents), "chunks": len(opened.chunks),
                "left": list(opened.said)}
        if not any(sign.isalnum() for sign in question):
            return told | {"problem": "Type a question and press Enter."}
        if more.get("trusted"):
            more["trusted"] = _opened(str(more["trusted"]))
        left, right, said = beside(lesson, opened, question, **more)
        lists = [_rows(search, question) for search in (left, right)]
    except (ValueError, OSError) as error:
        return {**empty, "folder": str(folder), "documents": 0, "chunks": 0, "left": [], "problem": str(error)}
    for mine, other in (lists, lists[::-1]):
        places = {row["key"]: row["place"] for row in other}
        for row in mine:
            row["other"] = places.get(row["key"], 0)
    return told | {"names": [left.name, right.name], "lists": lists, "said": said}


def _rows(search, question: str) -> list[dict]:
    """Return what one search finds, as rows; `key` tells a chunk in both lists."""
    rows = []
    slots = tuple((word, 0) for word in dict.fromkeys(tokenize(question)) if len(word) > 3 or not word.isalpha())
    for place, (id, score) in enumerate(search.find(question)[:ROWS], 1):
        chunk = search.chunks[id]
        rows.append({"place": place, "key": id, "document": chunk.document, "page": chunk.page, "score": float(score),
                     "text": [[piece, slot is not None] for piece, slot in excerpt(chunk.text[:2000], slots)]})
    return rows


# ---- words

def describe(frame: dict) -> str:
    """Say what both lists hold, first place first."""
    where = f"{frame['folder']}, {frame['chunks']:,} chunks"
    if frame["problem"]:
        return f"Lesson {frame['lesson']} on a folder of yours: {where}. {frame['problem']}"
    said = "; ".join(f"{name}: {', '.join(_spoken(row) for row in rows) or 'nothing found'}"
                     for name, rows in zip(frame["names"], frame["lists"], strict=True))
    return f"Lesson {frame['lesson']} on {where}. “{frame['question']}” {said}."


def _spoken(row: dict) -> str:
    return f"{row['place']}. {row['document']}, page {row['page']}"


def caption(frame: dict, before: dict | None = None) -> str:
    """Say what differs between the two, and what was left out of the folder."""
    left = " ".join(frame["left"])
    if frame["problem"]:
        return f"{frame['problem']} {left}".strip()
    new = sum(not row["other"] for row in frame["lists"][1])
    same = [row["key"] for row in frame["lists"][0]] == [row["key"] for row in frame["lists"][1]]
    change = f"{new} of the right {'one is' if new == 1 else 'ones are'} not on the left." if new else \
        "Both lists are the same." if same else "The right list has nothing that the left one lacks."
    return f"{frame['said']} {change} Nobody has marked the answer here: read them, and judge. {left}".strip()


# ---- the picture

STYLE = f"""<style>
.fp-mine {{ display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); column-gap: 18px; margin-top: 8px;
  min-width: 640px; }}
.fp-mine-list {{ height: 474px; overflow: hidden; }}
.fp-mine-row {{ border: 1px solid {draw.LINE}; border-radius: 6px; padding: 3px 8px; margin-bottom: 6px; height: 88px;
  overflow: hidden; font-size: 13px; line-height: 19px; }}
.fp-mine-new {{ border: 2px solid {draw.NOW}; }}
</style>"""


def picture(frame: dict, before: dict | None = None, expected: dict | None = None) -> str:
    """Draw the two lists side by side; a row that the other list lacks has a thick edge and the word "new"."""
    note = f"{frame['folder']}: {frame['documents']:,} documents, {frame['chunks']:,} chunks"
    body = "".join(f'<div class="fp-mine-list"><div><b>{draw.escape(name or "?")}</b></div>{_column(rows, side)}</div>'
                   for side, (name, rows) in enumerate(zip(frame["names"], frame["lists"], strict=True)))
    return (f'<div class="fp-title fp-line">The same question, without and with lesson {frame["lesson"]:02}</div>'
            f'<div class="fp-note fp-line">{draw.escape(note)}</div>'
            f'<div class="fp-scroll"><div class="fp-mine">{body}</div></div>')


def _column(rows: list[dict], side: int) -> str:
    if not rows:
        return '<div class="fp-note" style="padding:6px 2px">nothing</div>'
    return "".join(_row(row, side) for row in rows)


def _row(row: dict, side: int) -> str:
    other, place = row["other"], row["place"]
    if side == 0:
        moved = "" if other else "not on the right"
    else:
        moved = "new" if not other else "" if other == place else f"{'▲' if place < other else '▼'} was {other}"
    words = "".join(draw.mark(text, draw.BLUE) if marked else draw.escape(text) for text, marked in row["text"])
    return (f'<div class="fp-mine-row {"fp-mine-new" if moved == "new" else ""}"><div style="display:flex;gap:8px">'
            f'<b>{place}</b><span class="fp-line" style="flex:1">{draw.escape(row["document"])}, page {row["page"]}'
            f'</span><span class="fp-note">{moved}</span></div><div style="height:58px;overflow:hidden">{words}</div>'
            f'</div>')


# ---- the explorer

def on_your_folder(lesson: int, folder="larkspur", question: str | None = None, **more) -> Stage:
    """Search any folder of .md and .txt files without a lesson's technique and with it, two lists side by side.

    `lesson` is its number; `folder` a path, or a collection of the course by its name; `question` what is asked first.
    Lesson 13 needs where={"key": "value"}, a condition on the front matter of the files; lesson 16 said="...", what
    was asked before; lesson 17 trusted="folder", the pages that are believed. Functions of the reader's own that are
    in use are run, too. What can't be read or searched is said in the picture.
    """
    usual = {13: {"where": MINUTES}, 16: {"said": BEFORE}}.get(lesson, {}) if str(folder) == "larkspur" else {}
    more = usual | more
    asked = question
    if asked is None:
        asked = {"larkspur": FIRST.get(lesson, SICK), "clocks": CLOCK}.get(str(folder), "")
    typed = ipywidgets.Text(asked, description="question", placeholder="a question about this folder",
                            tooltip="question", continuous_update=False, layout={"width": "640px"})
    row = ipywidgets.HBox([typed])
    row.add_class("fp-row")

    def run(values) -> Run:
        using = tuple(swap.in_use())
        try:
            return Run(frame(lesson, folder, values["question"], **more), None, using)
        except Exception as error:  # what a function of theirs raised
            if not using:
                raise
            with swap.untouched():
                own = frame(lesson, folder, values["question"], **more)
            first = (str(error).splitlines() or [""])[0]
            return Run(own, None, using, f"{first or type(error).__name__} Drawn with the course's own function.")

    with contextlib.suppress(ValueError, OSError):
        _opened(str(folder))
    return Stage("on_your_folder", run, picture, describe, {}, {"question": typed}, caption, style=STYLE, above=[row])
