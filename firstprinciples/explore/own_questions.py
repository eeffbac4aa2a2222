"""Lesson 02: five questions of the reader's own, with the quotes that answer them, and what BM25 makes of them."""

import json
from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path

import ipywidgets

from firstprinciples.corpus import DATA, Collection, Query, find_evidence, read_questions
from firstprinciples.evaluate import experiment, metrics
from firstprinciples.explore import draw
from firstprinciples.explore.guard import guard
from firstprinciples.explore.overlap import percent, shared_words, word_overlap
from firstprinciples.explore.stage import Stage
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.swap import untouched

TASKS = ("metrics.gains", "metrics.recall_at_k", "metrics.dcg", "metrics.ndcg_at_k", "experiment.pieces_shown")
ROWS, K = 5, 10
EXAMPLE = ("How much a mile is paid if I take my own car?", "travel-expenses-policy",
           "Your own car is paid at $0.62 a mile, which covers fuel, wear and insurance.")
FILE = DATA.parent / "work" / "my_questions.jsonl"  # git ignores work/, which belongs to the learner


@dataclass(frozen=True)
class State:
    """Five rows of (question, id of the document or what else was typed there, quote), stripped; extra rows are cut."""

    rows: tuple = (EXAMPLE,)

    def __post_init__(self):
        kept = [tuple(str(each or "").strip() for each in row) for row in self.rows[:ROWS]]
        object.__setattr__(self, "rows", tuple(kept + [("", "", "")] * (ROWS - len(kept))))


def listed(collection: Collection) -> dict[str, str]:
    """Return {title: id} of the documents, by title; where several have one title, the id stands behind it."""
    often = Counter(each.title.casefold() for each in collection.documents)
    names = {each.title if often[each.title.casefold()] == 1 else f"{each.title} ({each.id})": each.id
             for each in collection.documents}
    return dict(sorted(names.items()))


def document_id(typed: str, names: dict[str, str]) -> str:
    """Return the id of the document with this title or id, in capitals or not; what was typed where there is none.

    >>> document_id("expense  policy ", {"Expense policy": "expenses"}), document_id("expens", {"Expense policy": "e"})
    ('expenses', 'expens')
    """
    known = {name.casefold(): id for name, id in names.items()} | {id: id for id in names.values()}
    typed = " ".join(typed.split())
    return known.get(typed, known.get(typed.casefold(), typed))


def check(row: tuple, collection: Collection) -> tuple[bool, str]:
    """Return (whether a row can be scored, what there is to say about it). White space in quotes does not matter."""
    text, document, quote = row
    if not any(row):
        return False, "empty"
    if document and document not in {each.id for each in collection.documents}:
        return False, "no document has that title or id"
    if not quote:
        return False, "paste the sentence that answers it"
    if not document:
        return False, "choose the document"
    times = {each.id: _one_line(each.text).count(_one_line(quote)) for each in collection.documents}
    if not times[document]:
        other = next((each.title for each in collection.documents if times[each.id]), "")
        return False, f"not found here, but in “{other}”" if other else "not found: copy it from the page"
    if times[document] > 1:
        return False, "stands twice: add a few words" if times[document] == 2 else "stands there often: add a few words"
    if not text:
        return False, "that quote stands in this document; write a question"
    if not find_evidence(as_query(row, "mine"), collection.chunks)[0][1]:
        return True, "there, but no chunk holds all of it"
    return True, "that quote stands in this document"


def as_query(row: tuple, id: str) -> Query:
    """Return a row as a question of the set: its quote is one piece of evidence, which answers it fully (grade 3)."""
    text, document, quote = row
    return Query(id, text, "mine", "dev", evidence=({"document": document, "quote": _one_line(quote), "grade": 3},))


@lru_cache(maxsize=4096)
def _one_line(text: str) -> str:
    """Return the text with every run of white space as one space, as `find_evidence` compares it."""
    return " ".join(text.split())


def frame(state: State, collection: Collection, asked=frozenset(), search=None, usual: float = 0.0) -> dict:
    """Return what the picture shows: for each row what there is to say, and its numbers where it was asked.

    `asked` holds the rows to score; `search` is the retriever; `usual` is the mean word overlap to compare with.
    """
    rows = []
    for number, row in enumerate(state.rows, 1):
        ready, said = check(row, collection)
        shown = {"number": number, "text": row[0], "ready": ready, "said": said}
        if ready and row in asked:
            query = as_query(row, f"mine-{number:03}")
            evidence = find_evidence(query, collection.chunks)
            ranked, grades = experiment.pieces_shown([hit.id for hit in search.search(query.text, K)], evidence)
            shared, of = shared_words(query.text, [row[2]])
            shown["scores"] = {"place": experiment.place_of_answer(search, query.text, evidence) or 0,
                               "recall": float(metrics.recall_at_k(ranked, grades, K)),
                               "ndcg": float(metrics.ndcg_at_k(ranked, grades, K)),
                               "shared": shared, "of": of, "overlap": shared / of if of else 0.0}
        rows.append(shown)
    scored = [row["scores"] for row in rows if "scores" in row]
    means = {name: sum(each[name] for each in scored) / len(scored) for name in ("recall", "ndcg", "overlap")}\
        if scored else {}
    return {"rows": rows, "ready": sum(row["ready"] for row in rows), "scored": len(scored), "means": means,
            "usual": usual}


def usual_overlap(collection: Collection) -> float:
    """Return the mean word overlap of a collection's own questions; 0.0 where none has evidence."""
    shares = [word_overlap(query) for query in collection.queries if query.evidence]
    return sum(shares) / len(shares) if shares else 0.0


# ---- words

def describe(frame: dict) -> str:
    """Say what each row holds and what came out."""
    said = [f"{row['number']}: {row['said']}{_spoken(row.get('scores'))}" for row in frame["rows"]
            if row["said"] != "empty"]
    return f"Your questions, {frame['ready']} of {ROWS} complete. {'; '.join(said) or 'All rows are empty'}."


def _spoken(scores) -> str:
    if not scores:
        return ""
    return (f", {_place(scores['place'])}, recall@10 {draw.number(scores['recall'])}, nDCG@10 "
            f"{draw.number(scores['ndcg'])}, {scores['shared']} of {scores['of']} words in the quote")


def _place(place: int) -> str:
    return f"place {place}" if place else "never"


def caption(frame: dict, before: dict | None = None) -> str:
    """Say what to do next, or what the numbers say."""
    if not frame["scored"]:
        begun = sum(not row["ready"] and row["said"] != "empty" for row in frame["rows"])
        rows = "The row marked ✗ is" if begun == 1 else f"The {begun} rows marked ✗ are"
        more = f" {rows} left out until nothing is missing." if begun else ""
        return f"Press “Score them” to see at which place BM25 has the chunk with your quote.{more}" if frame["ready"] \
            else "Write a question, choose the document that answers it, and paste the sentence that does."
    found = sum(row["scores"]["place"] in range(1, K + 1) for row in frame["rows"] if "scores" in row)
    said = (f"BM25 has the answer to {found} of {frame['scored']} within ten places. On average "
            f"{percent(frame['means']['overlap'])} of a question's content words stand in its quote")
    return f"{said}; in the questions of the course it is {percent(frame['usual'])}." if frame["usual"] else f"{said}."


# ---- the picture

STYLE = """<style>
.fp-own { display: grid; grid-template-columns: 24px minmax(0, 1fr) 290px 54px 134px 134px 104px; margin-top: 8px;
  height: 232px; align-content: start; min-width: 840px; }
.fp-own .fp-whole { grid-column: 3 / -1; padding-right: 0; }
.fp-own > div { height: 32px; line-height: 31px; padding-right: 10px; }
.fp-own .fp-sum { border-top: 2px solid; }
</style>"""


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw a line for each row: the check of its quote, and its numbers, or question marks until they are known."""
    heads = ["", "question", "quote", "place", "recall@10", "nDCG@10", "shared words"]
    out = [f'<div class="fp-note" style="line-height:31px">{each}</div>' for each in heads]
    edge = f"border-top:1px solid {draw.LINE}"
    for number, row in enumerate(frame["rows"]):
        should = expected["rows"][number].get("scores") if expected else None
        numbers = _cells(row.get("scores"), should, row)
        question = f'<span title="{draw.escape(row["text"])}">{draw.escape(row["text"])}</span>'
        cells = [f"<b>{row['number']}</b>", question, _verdict(row), *numbers]
        looks = ["fp-line", "fp-line", "fp-line" if numbers else "fp-line fp-whole", *["fp-line"] * len(numbers)]
        out += [f'<div class="{look}" style="{edge}">{cell}</div>' for look, cell in zip(looks, cells, strict=True)]
    means = frame["means"]
    sums = [draw.number(means["recall"]), draw.number(means["ndcg"]), percent(means["overlap"])] if means else "???"
    last = ["", "", f"mean of {frame['scored']}" if means else "mean", "", *sums]
    out += [f'<div class="fp-sum" style="border-color:{draw.INK}"><b>{cell}</b></div>' for cell in last]
    note = f"{frame['ready']} of {ROWS} complete" + ("; “expected”: the course's own function" if expected else "")
    return (f'<div class="fp-title fp-line">Does BM25 find your answers?</div><div class="fp-note fp-line">{note}</div>'
            f'<div class="fp-scroll"><div class="fp-own">{"".join(out)}</div></div>')


def _verdict(row) -> str:
    """Return what there is to say about a row, with a sign for it."""
    if row["said"] == "empty":
        return '<span class="fp-note">empty</span>'
    sign = "✓" if row["ready"] else "✗"
    look = f"border:1.5px solid {draw.GREEN if row['ready'] else draw.NOW};border-radius:4px;padding:0 5px"
    return f'<b style="{look}">{sign}</b> <span style="font-size:13px">{draw.escape(row["said"])}</span>'


def _cells(scores, should, row) -> list[str]:
    """Return the four numbers of a row; none where it is not complete: what there is to say takes their place."""
    if not scores:
        return ["?"] * 4 if row["ready"] else []
    out = [str(scores["place"] or "never")]
    for name in ("recall", "ndcg"):
        differs = should and draw.number(should[name]) != draw.number(scores[name])
        out.append(draw.number(scores[name])
                   + (f' <span style="font-size:12px">expected {draw.number(should[name])}</span>' if differs else ""))
    return [*out, f"{scores['shared']} of {scores['of']}"]


# ---- the file

def save(rows: tuple, collection: Collection, path: Path | None = None) -> str:
    """Write the complete rows as lines of questions.jsonl and say what happened; what stood there is kept in kept/.

    Of a file with more questions than fit here, those that can't be shown stay behind the rows.
    """
    path = path or FILE
    complete = [row for row in rows if check(row, collection)[0]]
    if not complete:
        return "Nothing is saved: no row is complete yet."
    more = tuple(row for row in _rows_in(path, collection)[ROWS:] if row not in complete)
    new, kept = "".join(line(row, number) for number, row in enumerate((*complete, *more), 1)), ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and (old := path.read_bytes()) != new.encode():
            copy = path.parent / "kept" / f"{path.stem}-{datetime.now():%Y-%m-%d-%H%M%S-%f}{path.suffix}"
            copy.parent.mkdir(exist_ok=True)
            copy.write_bytes(old)
            kept = f" What stood there is kept as {_shown(copy)}."
        path.write_text(new, encoding="utf-8", newline="\n")
    except OSError as error:
        return f"{_shown(path)} could not be written ({error.strerror})."
    filled = sum(any(row) for row in rows)
    left = f" {filled - len(complete)} that are not complete are not in it." if filled > len(complete) else ""
    left += f" {len(more)} more in it stay as they were." if more else ""
    return f"{len(complete)} saved in {_shown(path)}.{left}{kept}"


def line(row: tuple, number: int) -> str:
    """Return a row as a line of questions.jsonl, with its end."""
    query = as_query(row, f"mine-{number:03}")
    return json.dumps({"id": query.id, "text": query.text, "kind": query.kind, "split": query.split, "history": [],
                       "answers": [], "evidence": list(query.evidence), "filter": None}, ensure_ascii=False) + "\n"


def file_of(collection: Collection, path: Path | None = None) -> Path:
    """Return the file of a reader's questions about a collection: one for Larkspur, one for each folder by its name."""
    if path:
        return Path(path)
    return FILE if collection.name == "larkspur" else FILE.with_name(f"{FILE.stem}_{collection.name}{FILE.suffix}")


def _rows_in(path: Path, collection: Collection) -> tuple:
    """Return all questions of a file as rows; () where it can't be read."""
    try:
        return rows_of(read_questions(path, {document.id for document in collection.documents}))
    except (ValueError, OSError):
        return ()


def rows_of(questions) -> tuple:
    """Return questions as rows (question, id of the document, quote), by their first piece of evidence."""
    first = [query.evidence[0] if query.evidence else {"document": "", "quote": ""} for query in questions]
    return tuple((query.text, piece["document"], piece["quote"]) for query, piece in zip(questions, first, strict=True))


def asked_by_reader(collection: Collection, path: Path | None = None) -> Collection:
    """Return a collection with the questions of the reader's file in place of its own; without any, with none.

    Raises ValueError, with the line, for a file that holds something else.
    """
    path = file_of(collection, path)
    documents = {document.id for document in collection.documents}
    queries = read_questions(path, documents) if path.is_file() else []
    evidence = {query.id: find_evidence(query, collection.chunks) for query in queries}
    return replace(collection, queries=queries, evidence=evidence, qrels={})


def read(collection: Collection, path: Path | None = None) -> tuple[tuple, str]:
    """Return (rows, what happened): the first five questions of a file; () and the reason where it cannot be read."""
    path = path or FILE
    if not path.is_file():
        return (), f"There is no {_shown(path)} yet: Save makes it."
    try:
        questions = read_questions(path, {document.id for document in collection.documents})
    except ValueError as error:  # a sentence that says which line
        return (), f"{error} Nothing was changed."
    except OSError as error:
        return (), f"{_shown(path)} could not be read ({error.strerror})."
    rows = rows_of(questions)
    more = f" Only the first {ROWS} fit here." if len(rows) > ROWS else ""
    return rows[:ROWS], f"{min(len(rows), ROWS)} read from {_shown(path)}.{more}"


def below(found: tuple, typed: tuple) -> tuple[tuple, str]:
    """Return (rows, what to say): the rows of a file, and below them what is typed and not in it, complete or not.

    The example is not kept. Where not all of it fits, rows is () and the sentence says what to do: nothing that was
    typed is lost.

    >>> below((("q", "d", "s"),), (("q", "d", "s"), ("half", "", "")))
    ((('q', 'd', 's'), ('half', '', '')), ' Below: 1 row that is not in the file.')
    """
    rest = tuple(row for row in typed if any(row) and row not in found and row != EXAMPLE)
    room = ROWS - len(found)
    if len(rest) > room:
        rows = "1 of your rows is" if len(rest) == 1 else f"{len(rest)} of your rows are"
        return (), f"Nothing was read: {rows} not in the file, and only {room} would fit below it. Save or empty first."
    if not rest:
        return found, ""
    return found + rest, f" Below: {len(rest)} row{' that is' if len(rest) == 1 else 's that are'} not in the file."


def _shown(path: Path) -> str:
    """Return a path as short as it can be read."""
    root = FILE.parent.parent
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


# ---- the explorer

def own_questions(search_factory=BM25, collection: Collection | None = None, path: Path | None = None) -> Stage:
    """Let the reader write five questions with the quotes that answer them, score them, save them and read them back.

    `search_factory(chunks)` returns the retriever, by default BM25; it is called once, when the first is scored.
    """
    collection, path = collection or Collection.load("larkspur"), Path(path or FILE)
    start = State((EXAMPLE,) if check(EXAMPLE, collection)[0] else ())
    names = listed(collection)
    titles = {id: title for title, id in names.items()}
    fields, rows = {}, []
    for number, (text, document, quote) in enumerate(start.rows, 1):
        row = [ipywidgets.Text(text, description=f"{number}", placeholder="a question", layout={"width": "300px"},
                               style={"description_width": "18px"}),
               # a field to type in, because JupyterLab takes the arrow keys from a Dropdown
               ipywidgets.Combobox(value=titles.get(document, ""), options=list(names), layout={"width": "230px"},
                                   placeholder="title of the document"),
               ipywidgets.Text(quote, placeholder="the sentence that answers it", layout={"width": "330px"})]
        fields |= {f"{name} {number}": each for name, each in zip(("text", "document", "quote"), row, strict=True)}
        for name, each in zip(("question", "document", "quote"), row, strict=True):
            each.tooltip = f"{name} {number}"
        rows.append(ipywidgets.HBox(row))
    buttons = [ipywidgets.Button(description=name, tooltip=tip, layout={"width": "auto"}) for name, tip in
               (("Score them", ""), ("Save", f"into {_shown(path)}"), ("Read", f"from {_shown(path)}"))]
    message = ipywidgets.HTML(layout={"width": "auto", "flex": "1"})
    rows.append(ipywidgets.HBox([*buttons, message], layout={"min_height": "46px"}))  # two lines fit, nothing jumps
    for row in rows:
        row.add_class("fp-row")
    asked, kept = set(), {}

    def typed(values) -> State:
        return State(tuple((values[f"text {number}"], document_id(values[f"document {number}"], names),
                            values[f"quote {number}"]) for number in range(1, ROWS + 1)))

    def run(values):
        state = typed(values)
        return guard(TASKS, lambda: frame(state, collection, asked, **kept))

    stage = Stage("own_questions", run, picture, describe, {}, fields, caption, style=STYLE, above=rows)

    def say(words):
        message.value = f'<div class="fp fp-note" aria-live="polite" style="padding:0 8px">{draw.escape(words)}</div>'

    def score(_):
        if "search" not in kept:
            with untouched():
                kept.update(search=search_factory(collection.chunks), usual=usual_overlap(collection))
        asked.update(row for row in typed(stage.values).rows if check(row, collection)[0])
        stage.draw()

    def fetch(_):
        found, words = read(collection, path)
        rows, more = below(State(found).rows[: len(found)], typed(stage.values).rows) if found else ((), "")
        say(words + more if rows or not more else more)
        if rows:
            stage.fill({f"{name} {number}": each for number, (text, id, quote) in enumerate(State(rows).rows, 1)
                        for name, each in (("text", text), ("document", titles.get(id, id)), ("quote", quote))})

    buttons[0].on_click(score)
    buttons[1].on_click(lambda _: say(save(typed(stage.values).rows, collection, path)))
    buttons[2].on_click(fetch)
    return stage
