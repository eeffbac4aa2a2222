"""Lesson 19: thirty questions of the reader's own, one at a time, checked while they are typed and kept in a file.

Whoever writes questions after seeing what a search finds writes the questions that it finds. So they come first. Each
has the quote that answers it, and not the id of a chunk, so that they can measure every way of cutting the documents.
The file is that of lesson 02, which shows its first five.
"""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import ipywidgets

from firstprinciples.corpus import Collection
from firstprinciples.explore import draw
from firstprinciples.explore.guard import Run
from firstprinciples.explore.overlap import percent, shared_words
from firstprinciples.explore.own_questions import (
    EXAMPLE,
    asked_by_reader,
    check,
    document_id,
    file_of,
    line,
    listed,
    rows_of,
    usual_overlap,
)
from firstprinciples.explore.stage import Stage

MANY = 30  # how many are asked for
KEYS = ("question", "document", "quote")


@dataclass(frozen=True)
class State:
    """What is typed, (question, id of the document or what else was typed there, quote), and what is in the file."""

    typed: tuple = ("", "", "")
    rows: tuple = ()

    def __post_init__(self):
        object.__setattr__(self, "typed", tuple(str(each or "").strip() for each in self.typed))


def frame(state: State, collection: Collection, usual: float = 0.0) -> dict:
    """Return what the picture shows: what is typed and what there is to say about it, and the questions in the file.

    `usual` is the mean word overlap of the course's own questions, to compare with.
    """
    ready, said = check(state.typed, collection)
    if ready and state.typed in state.rows:
        ready, said = False, "that one is in the file"
    rows = [{"number": number, "text": text, "document": document, "ok": check((text, document, quote), collection)[0],
             "shared": list(shared_words(text, [quote]))} for number, (text, document, quote) in
            enumerate(state.rows, 1)]
    often = Counter(row["document"] for row in rows)
    shares = [row["shared"][0] / row["shared"][1] for row in rows if row["shared"][1]]
    return {"typed": list(state.typed), "ready": ready, "said": said, "rows": rows, "documents": len(often),
            "most": max(often.values(), default=0), "overlap": sum(shares) / len(shares) if shares else 0.0,
            "usual": usual, "there": len(collection.documents)}


# ---- words

def describe(frame: dict) -> str:
    """Say how many questions there are, and what there is to say about the one that is typed."""
    kept = "; ".join(f"{row['number']}: {row['text']}" for row in frame["rows"])
    return f"{len(frame['rows'])} of {MANY} questions of your own. Typed: {frame['said']}. {kept or 'None yet.'}"


def caption(frame: dict, before: dict | None = None) -> str:
    """Say what is missing from the set: questions, documents, other words."""
    rows = frame["rows"]
    if not rows:
        return ("Write a question as you would ask it on the phone, choose the document that answers it, paste the "
                "sentence that does, and press “Add”. Without any, the lesson goes on with those of the course.")
    said = [f"{len(rows)} of {MANY}, about {frame['documents']} of {frame['there']} documents."]
    if 2 * frame["most"] > len(rows) > 3:
        said.append("More than half are about one document: a search that knows that one would look good.")
    said.append(f"{percent(frame['overlap'])} of a question's content words stand in its quote, on average"
                + (f"; in the questions of the course it is {percent(frame['usual'])}." if frame["usual"] else "."))
    if lost := sum(not row["ok"] for row in rows):
        said.append(f"{lost} marked ✗ can't be scored: the quote is not in the document.")
    return " ".join(said)


# ---- the picture

STYLE = """<style>
.fp-thirty { height: 250px; overflow-y: auto; padding: 2px 10px; margin-top: 6px; }
.fp-thirty-row { display: grid; grid-template-columns: 30px minmax(0, 1fr) 230px 62px 20px; column-gap: 10px;
  line-height: 27px; font-size: 14px; }
</style>"""


def picture(frame: dict, before: dict | None = None, expected: dict | None = None) -> str:
    """Draw what is typed with its check, how many there are, and those in the file, the newest first."""
    sign = "" if frame["said"] == "empty" else "✓ " if frame["ready"] else "✗ "
    color = draw.GREEN if frame["ready"] else draw.NOW if sign else draw.OTHER
    done = min(len(frame["rows"]), MANY) / MANY
    bar = draw.svg(12, draw.box(0, 0, "100%", 10, fill=draw.tint(draw.OTHER)),
                   draw.box(0, 0, f"{100 * done:.1f}%", 10, fill=draw.BLUE))
    body = "".join(_row(row) for row in reversed(frame["rows"])) or '<div class="fp-note">The file is empty.</div>'
    return (f'<div class="fp-title fp-line">Thirty questions of your own: {len(frame["rows"])}</div>'
            f'<div class="fp-line" style="margin:2px 0 6px"><b style="border:1.5px solid {color};border-radius:4px;'
            f'padding:0 6px">{sign}{draw.escape(frame["said"])}</b></div>{bar}'
            f'<div class="fp-card fp-thirty" tabindex="0">{body}</div>')


def _row(row: dict) -> str:
    shared, of = row["shared"]
    return (f'<div class="fp-thirty-row"><b>{row["number"]}</b><span class="fp-line">{draw.escape(row["text"])}</span>'
            f'<span class="fp-line fp-note" style="line-height:27px">{draw.escape(row["document"])}</span>'
            f'<span class="fp-note" style="line-height:27px">{shared} of {of}</span>'
            f'<b>{"✓" if row["ok"] else "✗"}</b></div>')


# ---- the file

def add(row: tuple, rows: tuple, collection: Collection, path: Path) -> tuple[tuple, str]:
    """Write a complete row behind the lines of the file, and return (all rows, what happened)."""
    ready, said = check(row, collection)
    if not ready or row in rows:
        return rows, f"Not added: {said if not ready else 'that one is in the file'}."
    lines = _lines(path)
    used = [int(found[1]) for each in lines if (found := re.search(r'"id": *"mine-(\d+)"', each))]
    lines.append(line(row, 1 + max(used, default=0)).rstrip("\n"))
    return _write(lines, (*rows, row), rows, path, "Added")


def take_out(rows: tuple, path: Path) -> tuple[tuple, str]:
    """Take the last line out of the file, and return (the other rows, what happened)."""
    return _write(_lines(path)[:-1], rows[:-1], rows, path, "Taken out; it stands above") if rows else (rows, "")


def _lines(path: Path) -> list[str]:
    """Return the lines of the file that are not blank."""
    return [each for each in path.read_text(encoding="utf-8-sig").splitlines() if each.strip()] if path.exists() else []


def _write(lines: list[str], rows: tuple, before: tuple, path: Path, said: str) -> tuple[tuple, str]:
    """Write the lines in one step; where that fails the rows from before stand, and the sentence says why."""
    half = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        half.write_text("".join(f"{each}\n" for each in lines), encoding="utf-8", newline="\n")
        half.replace(path)
    except OSError as error:
        return before, f"{path.name} could not be written ({error.strerror})."
    return rows, f"{said}. {len(rows)} in {path.parent.name}/{path.name}."


# ---- the explorer

def thirty_questions(collection: Collection | None = None, path: Path | None = None) -> Stage:
    """Let the reader write thirty questions, one at a time, each with its document and quote, into a file.

    `collection` is Larkspur unless another is given; `path` the file, work/my_questions.jsonl unless another is given.
    """
    collection = collection or Collection.load("larkspur")
    path, names = file_of(collection, path), listed(collection)
    titles = {id: title for title, id in names.items()}
    usual, kept = usual_overlap(collection), {}
    try:
        kept["rows"], words = rows_of(asked_by_reader(collection, path).queries), ""
    except (ValueError, OSError) as error:
        kept["rows"], words = None, f"{error} Mend or move that file; until then nothing is added."
    start = EXAMPLE if check(EXAMPLE, collection)[0] and not kept["rows"] else ("", "", "")
    width = {"width": "860px"}
    fields = {"question": ipywidgets.Text(start[0], placeholder="a question, as you would ask it", layout=width),
              # a field to type in, because JupyterLab takes the arrow keys from a Dropdown
              "document": ipywidgets.Combobox(value=titles.get(start[1], ""), options=list(names), layout=width,
                                              placeholder="title of the document that answers it"),
              "quote": ipywidgets.Text(start[2], placeholder="the sentence that answers it, copied", layout=width)}
    for name, field in fields.items():
        field.description, field.tooltip, field.style.description_width = name, name, "70px"
    buttons = [ipywidgets.Button(description=name, layout={"width": "auto"}) for name in ("Add", "Take out the last")]
    message = ipywidgets.HTML(layout={"width": "auto", "flex": "1"})
    row = ipywidgets.HBox([*buttons, message], layout={"min_height": "40px"})
    row.add_class("fp-row")

    def typed(values) -> tuple:
        return State((values["question"], document_id(values["document"], names), values["quote"])).typed

    def run(values) -> Run:
        return Run(frame(State(typed(values), kept["rows"] or ()), collection, usual))

    def say(words):
        message.value = f'<div class="fp fp-note" aria-live="polite" style="padding:0 8px">{draw.escape(words)}</div>'

    def added(_):
        if kept["rows"] is None:
            return
        before = kept["rows"]
        kept["rows"], words = add(typed(stage.values), before, collection, path)
        say(words)
        if kept["rows"] is not before:
            stage.fill(dict.fromkeys(("question", "quote"), ""))

    def taken(_):
        if not kept["rows"]:
            return
        last = kept["rows"][-1]
        kept["rows"], words = take_out(kept["rows"], path)
        say(words)
        stage.fill({"question": last[0], "document": titles.get(last[1], last[1]), "quote": last[2]})

    stage = Stage("thirty_questions", run, picture, describe, {}, fields, caption, style=STYLE,
                  above=[*fields.values(), row])
    buttons[0].on_click(added)
    buttons[1].on_click(taken)
    say(words)
    return stage
