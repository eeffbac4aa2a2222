"""Break it on purpose: one fault, at a place that is known, in a pipeline that answered rightly a moment ago.

The problem. Nobody learns to find faults from systems that work, and nobody can trust a diagnosis whose truth is not
known. So questions of Larkspur that were answered rightly, with all of their evidence on the desk, are asked again
after one thing was broken, in one of the ways of `firstprinciples.evaluate.breaking`.

Whether a fault struck is checked by what was broken alone (`corpus.find_evidence`, `answering.verdict`), never by the
tree that is to find it. Only questions of the half dev are asked.
"""

import random
from dataclasses import dataclass, field
from functools import cache
from itertools import islice

from firstprinciples.corpus import Chunk, Query, find_evidence
from firstprinciples.encode.stored import minilm
from firstprinciples.evaluate.answering import NEEDED, verdict
from firstprinciples.evaluate.breaking import BOTH, KINDS, larkspur
from firstprinciples.index import shown
from firstprinciples.ingest.checks import whole
from firstprinciples.pipeline import Pipeline
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.dense import Dense
from firstprinciples.trip import Trip

WAYS = {"words": "One search, by words; paragraphs; five chunks to the reader.",
        "both": "Two searches, by words and by meaning, fused; paragraphs; five chunks to the reader."}


@dataclass(frozen=True)
class Case:
    """A question before and after something was broken, and all that `failure.diagnose` needs of it.

    `place` and `kind` say where and how, and `broken` says it in a sentence; they are not in the repr, so that nobody
    reads them by accident. `before` is the trip that was right, `way` the pipeline in words.
    """

    query: Query
    before: Trip
    trip: Trip
    documents: dict[str, str]
    chunks: list[dict]
    way: str
    place: str = field(repr=False)
    kind: str = field(repr=False)
    broken: str = field(repr=False)


def inject(place: str, seed: int = 0) -> Case:
    """Return a case with one fault at a place, which made a right answer wrong; the same seed gives the same case.

    `seed` is a whole number from 0: neighbors differ in kind and question, and after the last case the first comes
    again. Raises ValueError for an unknown place and for a seed that is none.

    >>> case = inject("ranking", seed=2)
    >>> verdict(case.query, case.before.answer.quotes), verdict(case.query, case.trip.answer.quotes) == "right"
    ('right', False)
    """
    if place not in KINDS:
        raise ValueError(f"There is no place {shown(place)}; choose one of {', '.join(KINDS)}.")
    seed = whole(seed, "The seed", 0)
    kinds = list(KINDS[place])
    kind, number = kinds[seed % len(kinds)], seed // len(kinds)
    known, more = _cases(place, kind)
    known.extend(islice(more, max(number + 1 - len(known), 0)))
    return known[number % len(known)]


@cache
def _cases(place: str, kind: str):
    """Return the cases of a kind so far, a list, and what makes the next ones."""
    asked = list(_queries())
    random.Random(f"{place} {kind}").shuffle(asked)
    cases = filter(None, (attempt(place, kind, id) for id in asked))
    return [], (case for case in cases if verdict(case.query, case.trip.answer.quotes) != "right")


def attempt(place: str, kind: str, id: str) -> Case | None:
    """Break a pipeline for one question in one way; None where that can't be, or leaves the evidence where it was.

    `id` is that of a dev question; one that was not right before gives None, too. The answer may be right still: by
    luck, from what is left.
    """
    query, way = _queries()[id], _way(id) if kind in BOTH else "words"  # vectors of new texts are not stored
    if way is None or not _is_whole(way, id):
        return None
    before = _asked(way, id)
    piece = next(piece for piece in query.evidence if piece["grade"] >= NEEDED)
    number = list(query.evidence).index(piece)
    base, dice = _base(way), random.Random(f"{place} {kind} {id}")
    broken = KINDS[place][kind](base, query, piece, before, dice)
    if broken is None:
        return None
    trip = broken.pipeline.run(query.text, query.history, broken.where)
    chunks = list(broken.pipeline.chunks.values())
    text = [Chunk(document.id, document.text, document.id) for document in broken.documents]
    holding = set(find_evidence(query, chunks)[number][1])
    struck = {"ingestion": not find_evidence(query, text)[number][1], "chunking": not holding,
              "retrieval": holding.isdisjoint(trip.candidates),
              "ranking": holding.isdisjoint(row["id"] for row in trip.context),
              "generation": verdict(query, trip.answer.quotes) != "right"}
    if not struck[place]:
        return None
    plain = [{"id": chunk.id, "document": chunk.document, "text": chunk.text} for chunk in chunks]
    return Case(query, before, trip, {document.id: document.text for document in broken.documents}, plain, WAYS[way],
                place, kind, broken.sentence)


def right_before() -> dict[str, str]:
    """Return the dev questions that are answered rightly with all needed evidence on the desk: {id: the way it is}."""
    return {id: WAYS[_way(id)] for id in _queries() if _way(id)}


def _way(id: str) -> str | None:
    """Return a way in which a question comes out right: of two the one or the other in turns; else None."""
    turn = list(_queries()).index(id) % 2
    return next((way for way in sorted(WAYS, reverse=bool(turn)) if _is_whole(way, id)), None)


@cache
def _queries() -> dict[str, Query]:
    """Return the questions of the half dev that have an answer."""
    return {query.id: query for query in larkspur().queries if query.split == "dev" and query.evidence}


@cache
def _base(way: str) -> Pipeline:
    """Return the pipeline that is broken."""
    chunks = larkspur().chunks
    return Pipeline(chunks, [BM25(chunks), Dense(chunks, minilm())] if way == "both" else [BM25(chunks)])


@cache
def _asked(way: str, id: str) -> Trip:
    """Return the trip of a question before anything is broken."""
    query = _queries()[id]
    return _base(way).run(query.text, query.history)


@cache
def _is_whole(way: str, id: str) -> bool:
    """Say whether an answer is right, and every needed piece lay on the desk."""
    query, trip = _queries()[id], _asked(way, id)
    on = {row["id"] for row in trip.context}
    return verdict(query, trip.answer.quotes) == "right" and all(
        not on.isdisjoint(ids) for grade, ids in larkspur().evidence[id] if grade >= NEEDED)
