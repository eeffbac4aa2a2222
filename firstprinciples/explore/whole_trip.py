"""Lesson 00: the whole trip in one picture. Five stations, and at each whether the line that answers is still there.

A file becomes text, the text chunks, two searches bring candidates, a few of them go on the desk, a reader quotes. The
trips are those of the course's own pipeline over Larkspur; the questions are of its half dev, and somebody marked for
each of them which line answers. Whether a station still has that line is asked as lesson 07 asks it.
"""

import re
from dataclasses import dataclass
from functools import cache

import ipywidgets

from firstprinciples.corpus import Query
from firstprinciples.evaluate import failure
from firstprinciples.evaluate.answering import verdict
from firstprinciples.explore.conversation import both
from firstprinciples.explore.guard import guard
from firstprinciples.explore.stage import Stage, another_question, toggles
from firstprinciples.explore.trip import folder
from firstprinciples.explore.whole_trip_picture import STATIONS, STYLE, picture
from firstprinciples.index import counted
from firstprinciples.pipeline import Trip
from firstprinciples.text import tokenize

TASKS = ("failure.holds", "failure.holders", "failure.reached", "failure.first_loss", "failure.judge")
# the first is answered; each of the others is lost at another station, in their order
QUESTIONS = ("direct-005", "direct-017", "filter-023", "paraphrase-025", "paraphrase-001", "direct-007")
WAYS = {"BM25": "by words", "Dense minilm": "by meaning"}
ROWS = 4  # of each search, and the one that holds the line
WORD = re.compile(r"\w[\w.,-]*\w")


@dataclass(frozen=True)
class State:
    """Which question, from 0, and which of the five stations is open."""

    question: int = 0
    station: str = STATIONS[0]


@cache
def question(number: int) -> Query:
    """Return a question of the picture."""
    return next(query for query in folder().queries if query.id == QUESTIONS[number])


@cache
def trip_of(number: int) -> Trip:
    """Return the trip of a question."""
    return both().run(question(number).text)


# ---- the frames

def frame(state: State) -> dict:
    """Return the whole trip of a question: what came into each station and out of it, and whether the line is there."""
    query, trip, collection = question(state.question), trip_of(state.question), folder()
    piece, texts = query.evidence[0], {document.id: document.text for document in collection.documents}
    name, quote = piece["document"], piece["quote"]
    own = [{"id": chunk.id, "document": chunk.document, "text": chunk.text, "page": chunk.page}
           for chunk in collection.chunks if chunk.document == name]
    right = verdict(query, trip.answer.quotes) == "right"
    there = failure.reached(quote, name, texts, own, trip.candidates, [row["id"] for row in trip.context])
    lost = failure.judge(right, [failure.first_loss(there)])["place"]
    holding = failure.holders(quote, name, own)
    clean = {document.id: document.text for document in collection.sources}.get(name, texts.get(name, ""))
    stations = (_ingestion(name, query.text, quote, clean, texts.get(name)), _chunking(quote, own, holding),
                _retrieval(trip, holding), _ranking(trip, holding), _generation(trip, holding, quote))
    return {"question": query.text, "number": state.question + 1, "of": len(QUESTIONS), "station": state.station,
            "wanted": query.answers[0], "title": _title(name), "there": [bool(yes) for yes in there] + [right],
            "lost": lost, "right": right, "stations": dict(zip(STATIONS, stations, strict=True))}


def _ingestion(name: str, asked: str, quote: str, clean: str, text: str | None) -> dict:
    """Return the line in the file, what the index has of it, and the question's words that are lost."""
    went = _around(text or "", quote)
    return {"counts": "a file → text", "came": _around(clean, quote), "went": went, "name": name,
            "read": text is not None, "gone": _gone(asked, quote, went["near"]) if went["near"] else []}


def _chunking(quote: str, own: list[dict], holding: list[str]) -> dict:
    """Return the chunks of the document that hold the line, or the parts of it."""
    collection = folder()
    shown = [chunk for chunk in own if chunk["id"] in holding][:1]
    if not shown:  # those that hold most of its words, in the order of the document
        best = sorted(own, key=lambda chunk: -_shared(chunk["text"], quote))[:2]
        shown = [chunk for chunk in own if chunk in best and _shared(chunk["text"], quote)]
    return {"counts": f"{len(collection.documents)} → {len(collection.chunks)} chunks", "chunks": len(own),
            "shown": [{"id": chunk["id"], "parts": _around(chunk["text"], quote, 330 // len(shown), 3)}
                      for chunk in shown],
            "whole": len(holding)}


def _retrieval(trip: Trip, holding: list[str]) -> dict:
    """Return the first rows of each search, and where a chunk with the line came in."""
    lists = []
    for name, way in WAYS.items():
        rows = trip.stage(f"search: {name}").gave
        ranks = [rank for rank, row in enumerate(rows, 1) if row["id"] in holding]
        shown = [*range(1, min(ROWS, len(rows)) + 1), *(ranks[:1] if ranks and ranks[0] > ROWS else [])]
        lists.append({"way": way, "n": len(rows), "rank": ranks[0] if ranks else 0,
                      "rows": [_row(rows[rank - 1], rank, holding) for rank in shown]})
    return {"counts": f"{len(both().chunks)} → {len(trip.candidates)}", "lists": lists, "holding": len(holding),
            "candidates": len(trip.candidates)}


def _ranking(trip: Trip, holding: list[str]) -> dict:
    """Return what went on the desk, and at which place a chunk with the line stood."""
    place = next((place for place, id in enumerate(trip.ranked, 1) if id in holding), 0)
    rows = [_row(row, number, holding) for number, row in enumerate(trip.context, 1)]
    merged = trip.stage("merge").gave
    behind = [] if not place or any(row["holds"] for row in rows) else [_row(merged[place - 1], place, holding)]
    return {"counts": f"{len(trip.candidates)} → {len(rows)}", "rows": rows, "place": place, "behind": behind,
            "ranked": len(trip.ranked), "candidates": len(trip.candidates)}


def _generation(trip: Trip, holding: list[str], line: str) -> dict:
    """Return what lay on the desk, in short, and what the reader quoted."""
    rows = [_row(row, number, holding) for number, row in enumerate(trip.context, 1)]
    quotes = [{"text": " ".join(quote.text.split()), "receipt": _receipt(quote.document, quote.page)}
              for quote in trip.answer.quotes]
    return {"counts": f"{len(rows)} → {counted(len(quotes), 'line') if quotes else 'nothing'}", "rows": rows,
            "quotes": quotes, "line": " ".join(line.split())}


def _row(row: dict, number: int, holding: list[str]) -> dict:
    """Return a chunk of a list in short."""
    return {"number": number, "receipt": _receipt(row["document"], row["page"]), "text": _plain(row["text"])[:200],
            "holds": row["id"] in holding}


def _title(document: str) -> str:
    return next((each.title for each in folder().documents if each.id == document), document)


def _receipt(document: str, page: int) -> str:
    return f"{_title(document)}, page {page}"


def _plain(text: str) -> str:
    """Return a text on one line, without the signs of its headings."""
    return " ".join(re.sub(r"^#+ ", "", text, flags=re.MULTILINE).split())


def _shared(text: str, quote: str) -> int:
    """Return how many of the different words of a quote a text holds."""
    return len(set(WORD.findall(text)) & set(WORD.findall(quote)))


def _gone(asked: str, quote: str, near: str) -> list[str]:
    """Return the words that a question and its line have in common, and that what is left of the line lacks."""
    return [word for word in dict.fromkeys(tokenize(asked)) if word in tokenize(quote) and word not in tokenize(near)]


def _around(text: str, quote: str, room: int = 330, lines: int = 4) -> dict:
    """Return what stands where a quote does: {"before", "quote", "after", "near"}, in few lines and characters.

    Where the text does not hold the quote, "near" is the longest part of it that it has, or else the line of the text
    that shares most words with it.
    """
    found = _find(text, quote.split())
    start, end = found or _nearest(text, quote)
    spare = max(room - (end - start), 120) // 2
    before, after = text[max(start - spare, 0) : start], text[end : end + spare]
    before = before if start <= spare else before.split(" ", 1)[-1]
    after = after if end + spare >= len(text) else after.rsplit(" ", 1)[0]
    before, after = "\n".join(before.split("\n")[-lines:]), "\n".join(after.split("\n")[:lines])
    before = before if start <= len(before) else f"… {before.lstrip()}"
    after = after if end + len(after) >= len(text) else f"{after.rstrip()} …"
    middle = text[start:end]
    return {"before": before, "quote": middle if found else "", "near": "" if found else middle, "after": after}


def _find(text: str, words: list[str]) -> tuple[int, int] | None:
    """Return where these words stand one after the other, whatever white space is between them; None if nowhere."""
    found = re.search(r"\s+".join(map(re.escape, words)), text)
    return found.span() if found else None


def _nearest(text: str, quote: str) -> tuple[int, int]:
    """Return where the longest part of a quote stands that a text has, or the line that shares most words with it."""
    words = quote.split()
    for length in range(len(words) - 1, 3, -1):
        for first in range(len(words) - length + 1):
            if found := _find(text, words[first : first + length]):
                return found
    near = max((line for line in text.split("\n") if line.strip()), key=lambda line: _shared(line, quote), default="")
    at = text.find(near)
    return at, at + len(near)


# ---- words

def sentence(frame: dict) -> str:
    """Say what happened at the open station."""
    station = frame["stations"][frame["station"]]
    there = frame["there"][STATIONS.index(frame["station"])]
    return (_said_ingestion, _said_chunking, _said_retrieval, _said_ranking,
            _said_generation)[STATIONS.index(frame["station"])](frame, station, there)


def _said_ingestion(frame, station, there) -> str:
    if there:
        return "A file came in, and its text went into the folder. The line that answers is in it, letter by letter."
    if not station["read"]:
        return "This file was never read into the folder. Whatever stands in it cannot be found."
    gone = ", ".join(f"“{word}”" for word in station["gone"])
    return ("A file came in, and its text went into the folder. The line that answers did not come through whole. "
            + (f"Of the question's words it lost {gone}, and no search finds a word that is not there." if gone else
               "On the right is what became of it."))


def _said_chunking(frame, station, there) -> str:
    cut = f"The text was cut into {counted(station['chunks'], 'chunk')}."
    if there:
        return f"{cut} One of them holds the whole line. From here on, chunks are all there is."
    if frame["there"][0]:
        return f"{cut} A cut went through the line: no chunk holds all of it."
    return f"{cut} None holds the line, since the text did not."


def _said_retrieval(frame, station, there) -> str:
    if not station["holding"]:
        return "Two searches each brought a hundred chunks. None can hold the line, because no chunk does."
    found = ", ".join(each["way"] + (f" at place {each['rank']}" if each["rank"] else " not among the first "
                                     f"{each['n']}") for each in station["lists"])
    brought = f"Two searches each brought a hundred chunks, together {station['candidates']} different ones."
    return (f"{brought} The one that holds the line is there: {found}." if there else
            f"{brought} The one that holds the line is not among them.")


def _said_ranking(frame, station, there) -> str:
    merged = f"The two lists became one, and its first {len(station['rows'])} chunks went on the desk."
    if there:
        return f"{merged} The one that holds the line stands at place {station['place']}."
    if station["place"]:
        return f"{merged} The one that holds the line stands at place {station['place']}, and nobody reads it."
    return f"{merged} What was not brought cannot be among them."


def _said_generation(frame, station, there) -> str:
    if frame["right"]:
        return "The reader saw these chunks and nothing else, and quoted the line that answers. Right."
    said = "quoted another one" if station["quotes"] else "said that it couldn't find it"
    if all(frame["there"][:4]):
        return f"The line that answers lay on the desk, and the reader {said}. Wrong, and the search is not to blame."
    return f"The line that answers never lay on the desk, and the reader {said}."


def ending(frame: dict) -> str:
    """Say in a few words how the trip ended."""
    return "Right: the line is there from end to end." if not frame["lost"] else f"Lost at: {frame['lost']}."


def describe(frame: dict) -> str:
    """Say the question, the five signs, and what happened at the open station."""
    signs = ", ".join(f"{name} {'yes' if yes else 'no'}" for name, yes in zip(STATIONS, frame["there"], strict=True))
    return (f"Question {frame['number']} of {frame['of']}: “{frame['question']}” The line that answers is still there: "
            f"{signs}. {ending(frame)} Open: {frame['station']}. {sentence(frame)}")


# ---- the explorer

def whole_trip(first: int = 1) -> Stage:
    """Look into the five stations of a question's whole trip; a button brings the next of six questions.

    `first` is the number of the question it begins with, from 1.
    """
    number = ipywidgets.IntText(min(max(first, 1), len(QUESTIONS)) - 1)  # not shown
    station = toggles(STATIONS, STATIONS[0], "open this station", 172)

    def run(values):
        return guard(TASKS, lambda: frame(State(values["question"], values["station"])),
                     lambda drawn: picture(drawn, None, None))

    turn = another_question(lambda: stage.fill({"question": (number.value + 1) % len(QUESTIONS),
                                                "station": STATIONS[0]}))
    row = ipywidgets.HBox([station])
    row.add_class("fp-row")
    stage = Stage("whole_trip", run, picture, describe, {}, {"question": number, "station": station},
                  caption=lambda frame, before: sentence(frame), style=STYLE, above=[row], buttons=[turn])
    return stage
