"""What there is to look at, station by station, when an answer is wrong: plain values, nothing decided yet.

A trip's record says what was found and handed on. Beside it stand the documents as the index has them, and the chunks
that were cut from them. For each needed line of a question this gathers what a reader needs in order to decide by
himself: the text around its place, the chunks there, what the searches brought of its document, and the desk.
"""

import re
from functools import cache
from typing import NamedTuple

from firstprinciples.corpus import Collection
from firstprinciples.encode.stored import minilm
from firstprinciples.evaluate.answering import NEEDED, verdict
from firstprinciples.ingest.chunkers import by_words
from firstprinciples.ingest.chunking import sentences
from firstprinciples.pipeline import Pipeline, Trip
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.dense import Dense
from firstprinciples.text import tokenize

WAYS = {"words": "one search, by words; documents cut at their paragraphs; five chunks to the reader",
        "both": "two searches, by words and by meaning, fused; documents cut at their paragraphs; five chunks to the "
                "reader",
        "windows": "one search, by words; documents cut every fifty words; five chunks to the reader"}
AROUND = 330  # characters of a document that are shown before and after the place of a line
LINES, WIDE = 16, 92  # lines that the page has room for without scrolling, and characters in one of them
INSTEAD = 220  # characters of what stands there in its place; more is another text
LONG, EDGE = 620, 150  # characters of a chunk that are shown, and of the chunks before and behind the place


class Walk(NamedTuple):
    """A question, the record of its trip, and what the index was made of: {id: text}, and the chunks as dicts."""

    query: object
    trip: Trip
    documents: dict
    chunks: list


@cache
def larkspur(way: str) -> Collection:
    """Return Larkspur, cut as this pipeline cuts it."""
    return Collection.load("larkspur", chunker=by_words(50, 0) if way == "windows" else None)


@cache
def pipeline(way: str) -> Pipeline:
    """Return one of the three pipelines, built the first time that it is asked for."""
    chunks = larkspur(way).chunks
    searches = [BM25(chunks), Dense(chunks, minilm())] if way == "both" else [BM25(chunks)]
    return Pipeline(chunks, searches)


@cache
def walk(id: str, way: str) -> Walk:
    """Return a question of Larkspur's half dev with its trip. Raises KeyError for an id that is none of these."""
    known = {query.id: query for query in larkspur(way).queries if query.split == "dev"}
    query = known[id]
    return Walk(query, pipeline(way).run(query.text, query.history), *plain(larkspur(way)))


def plain(collection: Collection) -> tuple[dict, list]:
    """Return a collection's documents as {id: text}, and its chunks as [{"id", "document", "text"}]."""
    return ({document.id: document.text for document in collection.documents},
            [{"id": chunk.id, "document": chunk.document, "text": chunk.text} for chunk in collection.chunks])


def needed(query) -> list[dict]:
    """Return the pieces of evidence without which there is no answer."""
    return [piece for piece in query.evidence if piece["grade"] >= NEEDED]


# ---- what is looked at

def gathered(one: Walk) -> dict:
    """Return what a walk has to show at its stations, in plain values."""
    query, trip = one.query, one.trip
    merged = {row["id"]: row for row in trip.stage("merge").gave}
    on = [{"number": number, "id": row["id"], "document": row["document"], "page": row["page"],
           "score": float(merged[row["id"]]["score"]) if row["id"] in merged else 0.0, "text": row["text"]}
          for number, row in enumerate(trip.context, 1)]
    return {"question": query.text, "talk": [turn["text"] for turn in query.history], "answer": trip.line(),
            "verdict": verdict(query, trip.answer.quotes), "wanted": query.answers[0] if query.answers else "",
            "pieces": [_piece(piece, one) for piece in needed(query)], "desk": on,
            "found": {name: len(ids) for name, ids in searched(trip).items()},
            "quoted": [quote["text"] for quote in trip.stage("answer").gave]}


def _piece(piece: dict, one: Walk) -> dict:
    """Return what there is to see of one needed line: its document, the chunks there, its candidates."""
    name, quote = piece["document"], " ".join(piece["quote"].split())
    text = one.documents.get(name)
    start, end = place_of(text or "", quote)
    own = [chunk for chunk in one.chunks if chunk["document"] == name]
    spans, at = {}, 0
    for chunk in own:  # the chunks of one document follow one another
        found = (text or "").find(chunk["text"], at)
        spans[chunk["id"]] = (found, found + len(chunk["text"]))
        at = found + 1 if found >= 0 else at
    touched = [place for place, (left, right) in enumerate(spans.values()) if left < end and start < right]
    behind = sum(left < start for left, _ in spans.values())  # where no chunk touches it: the two around the gap
    first, last = (touched[0] - 1, touched[-1] + 2) if touched else (behind - 1, behind + 1)
    near = list(enumerate(own))[max(first, 0): last]
    instead = " ".join((text or "")[start:end].split())
    return {"document": name, "quote": quote, "there": text is not None,
            "excerpt": around(text, start, end) if text is not None else "",
            "instead": instead if len(instead) <= INSTEAD else "",
            "names": neighbors(name, list(one.documents)) if text is None else [],
            "chunks": [{"id": chunk["id"], "text": window(chunk["text"], quote) if place in touched else
                        edge(chunk["text"], place < (touched[0] if touched else behind))} for place, chunk in near],
            "rows": _rows(name, own, one.trip)}


def place_of(text: str, quote: str) -> tuple[int, int]:
    """Return where a line stands in a text, in characters; where it does not, the lines that share most words with it.

    >>> place_of("Ropes are cut. Tents are\\naired.", "Tents are aired.")
    (15, 31)
    """
    found = re.search(r"\s+".join(map(re.escape, quote.split())), text) if quote else None
    if found:
        return found.span()
    wanted = set(tokenize(quote)) - {"the", "a", "of", "is", "it", "to", "and"}
    lines = [match.span() for match in re.finditer(r"[^\n]+", text)]
    best = (-1, 0, 0)
    for first in range(len(lines)):
        for last in range(first, min(first + 3, len(lines))):
            start, end = lines[first][0], lines[last][1]
            share = len(wanted & set(tokenize(text[start:end]))) - 0.4 * (last - first)
            best = max(best, (share, -start, -end))
    return (-best[1], -best[2]) if lines else (0, 0)


def around(text: str, start: int, end: int) -> str:
    """Return a text around a place, cut at a space, with " ..." where something is left out."""
    left, right = max(start - AROUND, 0), min(end + AROUND, len(text))
    if left:
        left = text.find(" ", left, start) + 1 or start
    if right < len(text):
        right = text.rfind(" ", end, right) if " " in text[end:right] else end
    while tall(text[left:right]) > LINES and (left < start or right > end):  # a list needs a line for few words
        if tall(text[end:right]) >= tall(text[left:start]):
            right = max(text.rfind("\n", end, right), end)
        else:
            left = text.find("\n", left, start) + 1 or start
    inside = re.sub(r"\n\s*\n\s*\n", "\n\n", text[left:right].strip())
    return f"{'... ' if left else ''}{inside}{' ...' if right < len(text.rstrip()) else ''}"


def tall(text: str) -> int:
    """Return about how many lines a text takes on the page.

    >>> tall("One line.\\n\\n" + "Two lines. " * 10)
    4
    """
    return sum(max(-(-len(line) // WIDE), 1) for line in text.strip().split("\n"))


def window(text: str, quote: str) -> str:
    """Return a chunk's text, or of a long one what stands around the line; no empty lines in a row."""
    text = re.sub(r"\n\s*\n\s*\n", "\n\n", text)
    if len(text) <= LONG:
        return text
    start, end = place_of(text, quote)
    left, right = max(start - LONG // 3, 0), min(end + LONG // 3, len(text))
    return f"{'... ' if left else ''}{text[left:right].strip()}{' ...' if right < len(text) else ''}"


def edge(text: str, end: bool) -> str:
    """Return the end of a chunk, or its beginning: what borders on the place."""
    if len(text) <= EDGE:
        return text
    cut = text.find(" ", len(text) - EDGE) if end else text.rfind(" ", 0, EDGE)
    return f"... {text[cut:].strip()}" if end else f"{text[:cut].strip()} ..."


def neighbors(name: str, names: list[str]) -> list[str]:
    """Return the names that the index has where this one would stand: eight of them, in their order."""
    names = sorted(names)
    at = sum(other < name for other in names)
    return names[max(at - 4, 0): at + 4]


def _rows(name: str, own: list[dict], trip: Trip) -> list[dict]:
    """Return the candidates from one document, best place first: {"id", "place", "ranks"}."""
    mine, lists = {chunk["id"] for chunk in own}, searched(trip)
    return [{"id": id, "place": place, "ranks": {search: ids.index(id) + 1 if id in ids else 0
                                                 for search, ids in lists.items()}}
            for place, id in enumerate(trip.candidates, 1) if id in mine]


def searched(trip: Trip) -> dict[str, list[str]]:
    """Return what each search found, {"by words": [ids]}, best first."""
    def said(name):
        return "by words" if name.startswith("BM25") else "by meaning" if name.startswith("Dense") else name

    return {said(name): list(ids) for name, ids in trip.lists.items()}


# ---- saying where something stands

def ordinal(n: int) -> str:
    """Return a place in words: "first", "second", ... and from the eleventh on in figures."""
    words = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
    return words[n - 1] if 1 <= n <= len(words) else f"{n}th"


def sentence_of(text: str, quote: str) -> str:
    """Say which sentence of a text a line stands in: "second sentence", or "third line" in a table."""
    start, _ = place_of(text, quote)
    if quote.startswith("|"):
        return f"{ordinal(1 + text[:start].count(chr(10)))} line"
    body = re.match(r"(?:#+ [^\n]*\s*)*", text).end()
    number = sum(body <= begin and end <= start for begin, end in sentences(text)) + 1
    return f"{ordinal(number)} sentence" + (" under the heading" if body and start >= body else "")


def cut_where(quote: str, chunks: list[dict]) -> list[tuple[str, int]]:
    """Return [(chunk id, how many of the line's words stand there in a row)], for the chunks that have some of them.

    A part is the line's beginning at a chunk's end, its end at a chunk's beginning, or what a short chunk has of it.
    """
    parts = [(chunk["id"], len(part_of(quote, chunk["text"]).split())) for chunk in chunks]
    return [(id, n) for id, n in parts if n]


def part_of(quote: str, text: str) -> str:
    """Return what a text has of a line: all of it, its beginning at the text's end, its end at its beginning, or "".

    >>> part_of("Tents are aired on Monday.", "Ropes are cut. Tents are"), part_of("Ropes are cut.", "Stoves need gas.")
    ('Tents are', '')
    """
    words, held = quote.split(), text.split()
    if " ".join(words) in " ".join(held):
        return " ".join(words)
    for n in range(min(len(words), len(held)), 0, -1):
        if words[:n] == held[-n:]:
            return " ".join(words[:n])
        if words[-n:] == held[:n]:
            return " ".join(words[-n:])
    inside = " ".join(held)
    return inside if inside and inside in " ".join(words) else ""
