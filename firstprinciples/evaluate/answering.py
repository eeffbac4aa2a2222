"""Was it answered rightly? Answers judged by the evidence of their question, in lines that were quoted.

The problem. A list of chunks is judged by the quotes that it holds. An answer is held to more: of all that lies on the
desk it must have picked the line. Three outcomes: right, wrong, declined. An answer is right where a line that it
quotes holds a whole piece of evidence that is needed (grade 2 or 3), or is a part of such a piece and holds one of the
wordings in `answers`; white space does not matter, nor the | at the ends of a row. Where several pieces are needed, one
makes it right, and `whole` says whether all are there. A line that is marked as a help only (grade 1) does not make it
right, even where it names the answer, nor does one that is not marked. An answer to a question that has none is always
wrong.
"""

import re

from firstprinciples.corpus import Query
from firstprinciples.generate.context import lay_out

NEEDED = 2  # the lowest grade of a piece without which there is no answer


def shown(query: Query, quotes) -> list[tuple[int, bool]]:
    """Return, for each needed piece of a query's evidence, its grade and whether one of the quotes shows it.

    >>> from types import SimpleNamespace
    >>> asked = Query("q", "How long?", answers=("3 years",),
    ...               evidence=({"document": "ropes", "quote": "Once a week | 3 years", "grade": 3},))
    >>> shown(asked, [SimpleNamespace(document="ropes", text="| Once a week | 3 years |")])
    [(3, True)]
    """
    out = []
    for piece in query.evidence:
        if piece["grade"] >= NEEDED:
            here = [quote.text for quote in quotes if quote.document == piece["document"]]
            out.append((piece["grade"], any(_shows(text, piece["quote"], query.answers) for text in here)))
    return out


def verdict(query: Query, quotes) -> str:
    """Return "declined" without a quote, "right" where a needed piece is shown, else "wrong"."""
    if not quotes:
        return "declined"
    return "right" if any(is_shown for _, is_shown in shown(query, quotes)) else "wrong"


def whole(query: Query, quotes) -> bool:
    """Say whether the quotes show all that is needed: a piece that answers fully, or every piece that is a part."""
    pieces = shown(query, quotes)
    full = [is_shown for grade, is_shown in pieces if grade > NEEDED]
    return any(full) or (bool(pieces) and not full and all(is_shown for _, is_shown in pieces))


def answer_all(reader, queries, texts: dict, found: dict, chunks: dict, most: int = 5, budget: int = 1500,
               order: str = "best_first") -> list[tuple]:
    """Return (query, context, answer) for each query: found chunks on the desk, and what the reader says.

    `texts` is {query id: what was looked for}, `found` {query id: chunk ids, best first}, `chunks` {id: chunk}.
    """
    out = []
    for query in queries:
        text = texts[query.id]
        desk = lay_out(found[query.id], chunks, budget, order, most, question=text)
        out.append((query, desk, reader.read(text, desk, query.text)))
    return out


def counts(trips: list[tuple]) -> dict:
    """Return how often a reader was right, wrong or declined, for questions that have an answer and for those without.

    {"answerable": {"n", "right", "wrong", "declined", "whole", "on_desk"}, "unanswerable": {"n", "declined",
    "answered"}}; "on_desk" counts the questions with a whole needed piece in a chunk on the desk: more can't be right,
    but where a chunk cut a piece in two and the answer stands in what is left.
    """
    has, has_not = ([trip for trip in trips if bool(trip[0].evidence) is kind] for kind in (True, False))
    verdicts = [verdict(query, answer.quotes) for query, _, answer in has]
    silent = sum(not answer.quotes for _, _, answer in has_not)
    return {"answerable": {"n": len(has), **{name: verdicts.count(name) for name in ("right", "wrong", "declined")},
                           "whole": sum(whole(query, answer.quotes) for query, _, answer in has),
                           "on_desk": sum(bool(holders(query, desk)) for query, desk, _ in has)},
            "unanswerable": {"n": len(has_not), "declined": silent, "answered": len(has_not) - silent}}


def holders(query: Query, desk) -> list[int]:
    """Return the numbers, from 1, of the sources on a desk that hold a needed piece of the query's evidence."""
    pieces = [piece for piece in query.evidence if piece["grade"] >= NEEDED]
    return [number for number, source in enumerate(desk.sources, 1) if any(
        piece["document"] == source["document"] and _plain(piece["quote"]) in _plain(source["text"])
        for piece in pieces)]


def _shows(text: str, piece: str, answers) -> bool:
    """Say whether a line holds a whole piece, or is a part of it that holds one of the answers."""
    text, piece = _plain(text), _plain(piece)
    if piece in text:
        return True
    return text in piece and any(re.search(rf"(?<!\w){re.escape(_plain(answer).lower())}(?!\w)", text.lower())
                                 for answer in answers)


def _plain(text: str) -> str:
    """Return a text with every run of white space as one space, without the | and spaces at its ends."""
    return " ".join(text.split()).strip("| ")
