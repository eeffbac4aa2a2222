"""Lesson 00: one question's whole trip, stop by stop: words, candidates, a score taken apart, a page, an answer.

The search is the course's BM25 over the papers of Larkspur; nothing here is made up for the picture. Reading is still
the reader's: for the questions in `QUESTIONS` somebody marked beforehand which sentence answers, for others nobody did.
"""

import re
from collections import Counter
from functools import lru_cache

import ipywidgets

from firstprinciples.corpus import Chunk, Collection, Query, find_evidence
from firstprinciples.evaluate import metrics
from firstprinciples.explore import draw
from firstprinciples.explore.excerpt import excerpt
from firstprinciples.explore.stage import Stage, another_question
from firstprinciples.explore.stepper import stepper
from firstprinciples.explore.trip_picture import ROWS, SHOWN, STOPS, STYLE, picture, place_of
from firstprinciples.retrieve import bm25
from firstprinciples.swap import reference
from firstprinciples.text import tokenize

EMPTY = ("The question is empty", "Type one to see which page it finds.")  # at every stop
BUILDING = ("bm25.idf", "bm25.length_norm", "bm25.term_weight")
TASKS = (*BUILDING, "metrics.rank_by_score")
TOTAL_DUE = {"document": "invoice-1042", "grade": 3, "quote": "The total due on this invoice is $1,284.50, payable "
             "within 30 days, that is, by April 13, 2024."}
QUESTION = "What is the total due on the March invoice to Hollow Creek Guides?"
OWN = tuple(Query(f"trip-{i}", question, answers=("$1,284.50",), evidence=(TOTAL_DUE,)) for i, question in enumerate(
    (QUESTION, "How much was the March invoice to Hollow Creek Guides?"), 1))
FROM_THE_SET = ("exact-001", "direct-001", "polysemy-003", "paraphrase-001", "unanswerable-001")  # all from dev


@lru_cache(maxsize=1)
def folder() -> Collection:
    """Return the collection in which every trip searches."""
    return Collection.load("larkspur")


@lru_cache(maxsize=1)
def questions() -> dict[str, Query]:
    """Return the questions whose answer somebody marked, {text: Query}: two about one invoice, five of the set."""
    of_the_set = {query.id: query for query in folder().queries}
    return {query.text: query for query in (*OWN, *(of_the_set[id] for id in FROM_THE_SET))}


@lru_cache(maxsize=1)
def _own_index() -> bm25.BM25:
    return bm25.BM25(folder().chunks, k1_plus_1=True)


def _index() -> bm25.BM25:
    """Return the index built with the functions that stand in the module now; that of the course's own is kept."""
    own = all(getattr(bm25, name.split(".")[1]) is reference(name) for name in BUILDING)
    return _own_index() if own else bm25.BM25(folder().chunks, k1_plus_1=True)


@lru_cache(maxsize=1)
def _df() -> Counter:
    """Return how many chunks hold each word."""
    return Counter(word for chunk in folder().chunks for word in set(tokenize(chunk.text)))


@lru_cache(maxsize=1)
def _chunks() -> dict[str, Chunk]:
    return {chunk.id: chunk for chunk in folder().chunks}


# ---- the frames

def trace(question: str) -> list[dict]:
    """Return one frame for each stop of the trip; all hold the whole trip, and each says what its stop decides."""
    question = " ".join(question.split())[:300]
    search, collection = _index(), folder()
    words = _words(question)
    found = {hit.id: hit.score for hit in search.search(question, k=len(collection.chunks))}
    scores = {chunk.id: found[chunk.id] for chunk in collection.chunks if chunk.id in found}  # in no order yet
    order = _ordered(scores)
    hits = [_hit(place, id, question, search, words) for place, id in enumerate(order[:SHOWN], 1)]
    listed = list(questions())
    number = f"question {listed.index(question) + 1} of {len(listed)}" if question in listed else \
        "your own question" if question else "no question"
    trip = {"question": question, "number": number, "words": words, "chunks": len(collection.chunks), "hits": hits,
            "documents": len(collection.documents), "matching": len(scores), "page": _page(hits[0]) if hits else None,
            "verdict": _verdict(question, order, hits)}
    said = (_said_question, _said_words, _said_candidates, _said_score, _said_page, _said_answer)
    stops = []
    for place, (stop, say) in enumerate(zip(STOPS, said, strict=True), 1):
        title, why = say(trip) if question else EMPTY
        stops.append(trip | {"step": place, "steps": len(STOPS), "stop": stop, "title": title, "why": why})
    return stops


def _ordered(scores: dict[str, float]) -> list[str]:
    """Return the ids in the order in which `rank_by_score` puts them; raises ValueError for what is no list of ids."""
    order = metrics.rank_by_score(scores) if scores else []
    if not isinstance(order, (list, tuple)) or not all(isinstance(id, str) and id in scores for id in order):
        raise ValueError("rank_by_score did not return a list of the ids it was given.")
    return list(order)


def _words(question: str) -> list[dict]:
    """Return the different words of the question: in how many chunks, what one is worth, and which color it has.

    A long question shows its eleven rarest words, and the others as one row.
    """
    n, rows = len(folder().chunks), []
    for word in dict.fromkeys(tokenize(question)):
        df = _df()[word]
        rows.append({"word": word, "df": df, "idf": float(bm25.idf(n, df)) if df else 0.0, "others": []})
    rarest = sorted((row for row in rows if row["df"]), key=lambda row: row["df"])
    if len(rows) > ROWS:
        kept = [row for row in rows if row in rarest[: ROWS - 1]]
        rest = [row["word"] for row in rows if row not in kept]
        rows = [*kept, {"word": f"{len(rest)} other words", "df": 0, "idf": 0.0, "others": rest}]
    colored = [row for row in rows if row in rarest[: len(draw.PALETTE)]]
    return [row | {"slot": colored.index(row) if row in colored else len(draw.PALETTE)} for row in rows]


def _hit(place: int, id: str, question: str, search: bm25.BM25, words: list[dict]) -> dict:
    """Return what the picture needs of one candidate: where it stands, its score, and the parts of its score."""
    chunk, explained = _chunks()[id], search.explain(question, id)
    values = {part.name: (float(part.value), part.note) for part in explained.parts}
    parts = []
    for row in words:
        if row["others"]:
            parts.append([sum(values[word][0] for word in row["others"]), ""])
        else:
            parts.append(list(values[row["word"]]))
    slots = tuple((row["word"], row["slot"]) for row in words if row["df"] and row["slot"] < len(draw.PALETTE))
    return {"place": place, "id": id, "title": _title(chunk.document), "page": chunk.page, "parts": parts,
            "score": float(explained.total), "excerpt": excerpt(_plain(chunk.text), slots)}


def _title(document: str) -> str:
    return next(each.title for each in folder().documents if each.id == document)


def _page(hit: dict) -> dict:
    """Return the page on which the best chunk stands: its neighbors, and the chunk itself in full."""
    chunk = _chunks()[hit["id"]]
    document = next(each for each in folder().documents if each.id == chunk.document)
    there = [c for c in folder().chunks if c.document == chunk.document and c.page == chunk.page]
    at = there.index(chunk)
    return {"file": document.id, "title": document.title, "page": chunk.page, "pages": len(document.pages),
            "before": [_plain(c.text) for c in there[max(at - 2, 0) : at]], "chunk": chunk.text,
            "after": [_plain(c.text) for c in there[at + 1 : at + 4]]}


def _plain(text: str) -> str:
    """Return a text without the signs of its headings, on one line."""
    return " ".join(re.sub(r"^#+ ", "", text, flags=re.MULTILINE).split())


def _verdict(question: str, order: list[str], hits: list[dict]) -> dict:
    """Say whether the best chunk holds the answer, and if not, where it stands.

    `kind` is "found", "elsewhere" (in a chunk further down: `place`, or never retrieved: None), "nowhere" (no paper
    holds it), "unmarked" (nobody marked an answer), "nothing" (no chunk shares a word) or "empty" (nothing was asked).
    """
    query = questions().get(question)
    if query is None or not query.evidence:
        kind = "unmarked" if query is None else "nowhere"
        return {"kind": kind if hits else "nothing" if question else "empty"}
    pieces = find_evidence(query, folder().chunks)
    best = max(grade for grade, _ in pieces)
    quotes = {id: piece["quote"] for piece, (grade, ids) in zip(query.evidence, pieces, strict=True)
              for id in ids if grade == best}
    place = next((place for place, id in enumerate(order, 1) if id in quotes), None)
    id = order[place - 1] if place else next(iter(quotes))
    return {"kind": "found" if place == 1 else "elsewhere", "place": place, "quote": quotes[id],
            "answer": query.answers[0], "title": _title(_chunks()[id].document), "page": _chunks()[id].page}


# ---- words

def _said_question(trip) -> tuple[str, str]:
    return "A question comes in", (
        f"“{trip['question']}” The folder behind the desk holds {trip['documents']} documents, cut into "
        f"{trip['chunks']} chunks. Nobody has told the machine what any of them is about.")


def _said_words(trip) -> tuple[str, str]:
    known = [row for row in trip["words"] if row["df"]]
    if not trip["words"]:
        return "The question holds no word", "There is nothing to look up."
    if not known:
        return "The question becomes words, and no chunk holds any of them", "What nobody wrote cannot be matched."
    count = sum(len(row["others"]) or 1 for row in trip["words"])
    rare, common = min(known, key=lambda row: row["df"]), max(known, key=lambda row: row["df"])
    why = (f"The rarest, “{rare['word']}”, is in {rare['df']} of {trip['chunks']} chunks and worth "
           f"{draw.number(rare['idf'])}")
    if common is not rare and not any(row["others"] for row in trip["words"]):
        why += f"; the most common, “{common['word']}”, is in {common['df']} and worth {draw.number(common['idf'])}"
    different = f"{count} different words" if count > 1 else "one word"
    return f"The question becomes {different}", f"{why}. Their order and their sense are gone."


def _said_candidates(trip) -> tuple[str, str]:
    hits = trip["hits"]
    if not hits:
        if trip["matching"]:
            return "There is no candidate", (f"{trip['matching']} chunks share a word with the question, but "
                                             "rank_by_score returned no id.")
        return "There is no candidate", "A chunk that shares no word with the question is never looked at."
    share = "shares" if trip["matching"] == 1 else "share"
    title = f"{trip['matching']} of {trip['chunks']} chunks {share} a word with it"
    listed = ", ".join(f"{hit['place']}. {place_of(hit)}: {draw.number(hit['score'])}" for hit in hits)
    return f"{title}; these come first" if len(hits) > 1 else title, f"{listed}."


def _said_score(trip) -> tuple[str, str]:
    if not trip["hits"]:
        return "There is no score to take apart", "No word matched, so nothing was added."
    hit = trip["hits"][0]
    named = [(value, row["word"]) for row, (value, _) in zip(trip["words"], hit["parts"], strict=True) if value]
    sums = " + ".join(f"{word} {draw.number(value)}" for value, word in sorted(named, key=lambda pair: -pair[0]))
    silent = len(trip["words"]) - len(named)
    rest = "" if not silent else f" {'One word adds' if silent == 1 else f'{silent} words add'} nothing."
    sign = draw.equals([value for value, _ in named], hit["score"])
    return f"Why {place_of(hit)} has {draw.number(hit['score'])}", f"{sums} {sign} {draw.number(hit['score'])}.{rest}"


def _said_page(trip) -> tuple[str, str]:
    page = trip["page"]
    if page is None:
        return "There is no page to open", "Nothing was found, so there is nothing to read."
    return f"You open {place_of(page)}", (
        f"The file is {page['file']}, page {page['page']} of {page['pages']}. "
        f"Document and page stay with whatever you read there: they are its receipt.")


def _said_answer(trip) -> tuple[str, str]:
    verdict = trip["verdict"]
    if verdict["kind"] == "nothing":
        return "I couldn't find that", "The folder was searched, and no chunk shares a word with the question."
    if verdict["kind"] == "unmarked":
        return "Now you judge", ("Nobody has marked an answer to this question. Go back one step and read: "
                                 "does the page say it? A high score is no promise.")
    opened = f"{place_of(trip['page'])}, with {draw.number(trip['hits'][0]['score'])}" if trip["page"] else "no page"
    if verdict["kind"] == "nowhere":
        return "No paper answers this, and BM25 returned one all the same", (
            f"It put {opened}, on top, because words match. The honest answer is: I couldn't find that. "
            "BM25 has no way to say so.")
    where = place_of(verdict)
    if verdict["kind"] == "found":
        return f"The answer: {verdict['answer']}", f"It stands on the page you opened. Receipt: {where}."
    if verdict["place"] is None:
        return "The page you opened does not say it", (
            f"It was {opened}. The answer, “{verdict['answer']}”, stands in {where}, which was not retrieved at all.")
    return "The page you opened does not say it", (
        f"It was {opened}. The answer, “{verdict['answer']}”, stands in {where}, and that chunk came in place "
        f"{verdict['place']} of {trip['matching']}.")


def describe(frame: dict) -> str:
    """Say which stop of the trip this is and what happens there, with the numbers."""
    return f"Stop {frame['step']} of {frame['steps']}, the {frame['stop']}: {frame['title']}. {frame['why']}"


# ---- the explorer

def trip(question: str | None = None) -> Stage:
    """Follow one question through the search, stop by stop; a button brings the next of the list, or type your own."""
    typed = ipywidgets.Text(QUESTION if question is None else question, description="question",
                            tooltip="question", continuous_update=False, layout={"width": "640px"})

    def turn():
        listed = list(questions())
        here = listed.index(typed.value) if typed.value in listed else -1
        typed.value = listed[(here + 1) % len(listed)]

    row = ipywidgets.HBox([typed, another_question(turn)])
    row.add_class("fp-row")
    return stepper("trip", trace, picture, describe, TASKS, caption=lambda frame, before: frame["why"], style=STYLE,
                   pause=3.0, texts={"question": typed}, above=[row])
