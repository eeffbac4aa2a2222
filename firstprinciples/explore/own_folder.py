"""The last cell of a lesson: its technique on a folder of the reader's own, beside the search without it."""

import contextlib
import re
from functools import lru_cache

import ipywidgets

from firstprinciples import swap
from firstprinciples.explore import draw
from firstprinciples.explore.guard import Run
from firstprinciples.explore.own_searches import Folder, beside, open_folder
from firstprinciples.explore.stage import Stage
from firstprinciples.text import tokenize

ROWS, ROOM = 5, 186  # rows of a list, and characters of a chunk on the screen
SICK, GLUE = "How many paid sick days do I have in a calendar year?", "how do I throw out old glue?"
# what stands in the field at first, for the course's own folders; a reader's own folder begins with an empty field
FIRST = {5: GLUE, 6: GLUE, 11: GLUE, 14: GLUE, 15: GLUE, 20: "What price do we pay a yard for the tent fabric?",
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
    rows, asked = [], tellers(question)
    for place, (id, score) in enumerate(search.find(question)[:ROWS], 1):
        chunk = search.chunks[id]
        rows.append({"place": place, "key": id, "document": chunk.document, "page": chunk.page, "score": float(score),
                     "text": passage(chunk.text, asked), "whole": " ".join(chunk.text.split())[:1200]})
    return rows


def tellers(question: str) -> frozenset:
    """Return the words of a question that are marked where they stand: those of four letters or more, and codes."""
    return frozenset(word for word in tokenize(question) if len(word) > 3 or not word.isalpha())


def passage(text: str, asked: frozenset, room: int = ROOM) -> list[list]:
    """Return the part of a text with the most different words that were asked for, as [words, whether marked] pieces.

    It has at most `room` characters, begins at the beginning of a word, and is the first of several such parts.

    >>> passage("A rope hangs inside. Ten years are enough.", frozenset(["years", "enough"]), room=24)
    [['… Ten ', False], ['years', True], [' are ', False], ['enough.', True]]
    """
    line = " ".join(text.split())
    spans = [(match.start(), match.end(), frozenset(tokenize(match.group())) & asked)
             for match in re.finditer(r"\S{1,60}", line)]  # in Chinese a line is one word
    best = (-1, 0, 0)
    for first, (start, _, _) in enumerate(spans):
        last, found = first, set()
        while last < len(spans) and spans[last][1] - start <= room:
            found |= spans[last][2]
            last += 1
        if len(found) > best[0]:
            best = (len(found), first, last)
        if last == len(spans):
            break
    _, first, last = best
    pieces = [["… ", False]] if first else []
    for number in range(first, last):
        start, end, found = spans[number]
        gap = " " if line[end:end + 1] == " " and number + 1 < last else ""
        if found:
            pieces += [[line[start:end], True], [gap, False]]
        elif pieces and not pieces[-1][1]:
            pieces[-1][0] += line[start:end] + gap
        else:
            pieces.append([line[start:end] + gap, False])
    if last < len(spans):
        pieces.append([" …", False])
    return [piece for piece in pieces if piece[0]]


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
.fp-pile {{ display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); column-gap: 18px; margin-top: 8px;
  min-width: 640px; }}
.fp-pile-list {{ height: 500px; overflow: hidden; }}
.fp-pile-row {{ border: 1px solid {draw.LINE}; border-radius: 6px; padding: 3px 8px; margin-bottom: 6px; height: 88px;
  overflow: hidden; font-size: 13px; line-height: 19px; }}
.fp-pile-new {{ border: 2px solid {draw.NOW}; }}
</style>"""


def picture(frame: dict, before: dict | None = None, expected: dict | None = None) -> str:
    """Draw the two lists side by side; a row that the other list lacks has a thick edge and the word "new"."""
    note = f"{frame['folder']}: {frame['documents']:,} documents, {frame['chunks']:,} chunks"
    body = "".join(f'<div class="fp-pile-list"><div><b>{draw.escape(name or "?")}</b></div>{_column(rows, side)}</div>'
                   for side, (name, rows) in enumerate(zip(frame["names"], frame["lists"], strict=True)))
    return (f'<div class="fp-title fp-line">The same question, without and with lesson {frame["lesson"]:02}</div>'
            f'<div class="fp-note fp-line">{draw.escape(note)}</div>'
            f'<div class="fp-scroll"><div class="fp-pile">{body}</div></div>')


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
    return (f'<div class="fp-pile-row {"fp-pile-new" if moved == "new" else ""}" '
            f'title="{draw.escape(row["whole"])}"><div style="display:flex;gap:8px">'
            f'<b>{place}</b><span class="fp-line" style="flex:1">{draw.escape(row["document"])}, page {row["page"]}'
            f'</span><span class="fp-note">{moved}</span></div><div style="height:58px;overflow:hidden">{words}</div>'
            f'</div>')


# ---- the explorer

def on_your_folder(lesson: int = 3, folder="larkspur", question: str | None = None, **more) -> Stage:
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
