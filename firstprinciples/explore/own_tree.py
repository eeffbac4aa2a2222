"""Lesson 07: the failure tree over a folder of the reader's own: a question, the line that answers, and where it got.

Nobody has marked the answers there, so the reader pastes the line. The pipeline is the plain one, BM25 and the reader
of words; what the stations say is what `evaluate.failure` finds in the record of the trip.
"""

from functools import lru_cache

import ipywidgets

from firstprinciples.corpus import Query
from firstprinciples.evaluate import failure
from firstprinciples.explore import draw
from firstprinciples.explore.guard import guard
from firstprinciples.explore.own_searches import Folder, open_folder
from firstprinciples.explore.stage import Stage, dial
from firstprinciples.pipeline import Pipeline

TASKS = ("failure.holds", "failure.holders", "failure.reached", "failure.first_loss", "failure.judge")
QUESTION, LINE = "how do I throw out old glue?", "Cap every adhesive, wipe the necks"
NOWHERE = ("No document of this folder holds that line. Copy it from the file, letter by letter; if it is there, it "
           "was lost on the way in.")
SIGNS = {True: ("✓ yes", draw.GREEN), False: ("✗ no", draw.NOW)}


@lru_cache(maxsize=2)
def _opened(folder: str) -> tuple[Folder, Pipeline]:
    opened = open_folder(folder)
    return opened, Pipeline(list(opened.chunks), documents=opened.documents)


# ---- the frame

def frame(folder, question: str, line: str, k: int = 5) -> dict:
    """Return the answer, the five stations with what was looked at and found, and the repairs that fit.

    `line` is the line that answers; the first document that holds it is taken for its place.
    """
    question, line = (" ".join(str(each).split())[:400] for each in (question, line))
    out = {"folder": str(folder), "question": question, "line": line, "k": int(k), "problem": "", "answer": "",
           "document": "", "place": "", "sentence": "", "stations": [], "repairs": [], "left": []}
    try:
        opened, pipeline = _opened(str(folder))
    except (ValueError, OSError) as error:
        return out | {"problem": str(error)}
    out |= {"folder": opened.name, "left": list(opened.said)}
    if not any(sign.isalnum() for sign in question) or not any(sign.isalnum() for sign in line):
        return out | {"problem": "Type a question, paste the line of a file that answers it, and press Enter."}
    documents = {document.id: document.text for document in opened.documents}
    document = next((id for id, text in documents.items() if line in " ".join(text.split())), "")
    query = Query("mine", question, evidence=({"document": document, "quote": line, "grade": 3},))
    trip = pipeline.but(most=int(k), several=int(k)).run(question)
    found = failure.diagnose(trip, query, documents, list(opened.chunks))
    stations = [{"number": looked.number, "place": looked.place, "asked": looked.question, "yes": bool(looked.yes),
                 "found": looked.found if document or looked.number > 1 else NOWHERE} for looked in found.stations]
    sentence = "Right, and its line lay on the desk." if not found.place else \
        f"{'Luck: right, and yet lost in' if found.luck else 'Lost in'} {found.place}."
    return out | {"answer": trip.line(), "document": document, "place": found.place, "sentence": sentence,
                  "stations": stations, "repairs": list(found.repairs) if document else []}


# ---- words

def describe(frame: dict) -> str:
    """Say what came back, what each station has, and the place."""
    if frame["problem"]:
        return f"The tree on {frame['folder']}. {frame['problem']}"
    said = "; ".join(f"{row['number']} {'yes' if row['yes'] else 'no'}" for row in frame["stations"])
    return (f"The tree on {frame['folder']}, {frame['k']} chunks. {frame['answer']} Stations: {said}. "
            f"{frame['sentence']}")


def caption(frame: dict, before: dict | None = None) -> str:
    """Say the place, and what may help."""
    if frame["problem"]:
        return " ".join([frame["problem"], *frame["left"]])
    moved = f" With {before['k']} chunks it was: {before['sentence']}" if before and not before["problem"] and \
        before["sentence"] != frame["sentence"] and before["k"] != frame["k"] else ""
    help_ = f" What may help: {frame['repairs'][0]}" if frame["repairs"] else ""
    return " ".join([f"{frame['sentence']}{moved}{help_}", *frame["left"]])


# ---- the picture

STYLE = f"""<style>
.fp-tree-row {{ display: grid; grid-template-columns: 24px 292px 66px minmax(0, 1fr); column-gap: 10px; height: 66px;
  border-top: 1px solid {draw.LINE}; padding: 6px 0; min-width: 680px; font-size: 13px; line-height: 18px; }}
.fp-tree-row > div {{ overflow: hidden; }}
</style>"""


def picture(frame: dict, before: dict | None = None, expected: dict | None = None) -> str:
    """Draw a row for each station: what is asked, yes or no, and what was found there."""
    head = (f'<div class="fp-title fp-line">Where does your line get lost?</div><div class="fp-line" '
            f'title="{draw.escape(frame["answer"])}">{draw.escape(frame["answer"] or "No question yet")}</div>')
    if expected and expected["sentence"] != frame["sentence"]:
        head += f'<div class="fp-note">expected: {draw.escape(expected["sentence"])}</div>'
    rows = frame["stations"] or [{"number": n, "asked": asked, "place": place, "yes": None, "found": ""}
                                 for n, (asked, place) in enumerate(zip(failure.ASKED, failure.PLACES, strict=True), 1)]
    body = "".join(_row(row, row["place"] == frame["place"]) for row in rows)
    return f'{head}<div class="fp-scroll" style="margin-top:8px;min-height:334px">{body}</div>'


def _row(row: dict, lost: bool) -> str:
    sign, color = SIGNS.get(row["yes"], ("?", draw.OTHER))
    edge = f"border-left:5px solid {draw.NOW};padding-left:6px" if lost else "padding-left:11px"
    name = f"<b>lost in {row['place']}</b>" if lost else f"no means {row['place']}"
    return (f'<div class="fp-tree-row" style="{edge}"><div><b>{row["number"]}</b></div><div>{draw.escape(row["asked"])}'
            f'<br><span class="fp-note">{name}</span></div><div><b style="border-bottom:3px solid {color}">{sign}'
            f'</b></div><div title="{draw.escape(row["found"])}">{draw.escape(row["found"])}</div></div>')


# ---- the explorer

def your_tree(folder="larkspur", question: str | None = None, line: str | None = None) -> Stage:
    """Ask a folder of one's own, paste the line that answers, and see at which of the five places it got lost.

    `folder` is a path, or a collection of the course by its name. What can't be read is said in the picture.
    """
    ours = str(folder) == "larkspur"
    fields = {}
    for name, value, usual in (("question", question, QUESTION), ("line", line, LINE)):
        fields[name] = ipywidgets.Text((usual if ours else "") if value is None else value, description=name,
                                       tooltip=name, continuous_update=False, layout={"width": "640px"},
                                       placeholder="a question" if name == "question" else "the line that answers it")
    k = dial("chunks", 5, 1, 20, 1)
    k.continuous_update = False
    rows = [ipywidgets.HBox([field]) for field in fields.values()]
    for row in rows:
        row.add_class("fp-row")

    def run(values):
        return guard(TASKS, lambda: frame(folder, values["question"], values["line"], values["chunks"]))

    return Stage("your_tree", run, picture, describe, {"chunks": k}, fields, caption, style=STYLE, above=rows)
