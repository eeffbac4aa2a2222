"""What there was to see at each station of a trip: the words that decide a diagnosis, for people to check.

The problem. "It was lost in chunking" is a claim. Whoever is to mend it wants to see the border: which chunk ends
where, and which begins there. So for each station of `firstprinciples.evaluate.failure` there is one function here. It
says what was looked at, what was found there, and which repairs fit to that. Nothing here decides on the place.

`scene` gathers once what all of them look at. What can be handed to a reader counts as a chunk, with the text that it
has there: an index may hold more of it (a line of context before each), and that does not count.
"""

import re
from dataclasses import dataclass

from firstprinciples.evaluate.remains import bare_numbers, blank_line_in, nearest, shared_out
from firstprinciples.index import counted, shown
from firstprinciples.text import tokenize
from firstprinciples.trip import Trip, on_one_line

LONGEST = 160  # characters of a passage that are shown
DEEPER = 20  # from the desk's last place to here a larger k is worth a try


@dataclass(frozen=True)
class Scene:
    """A trip, and what it went through: `documents` {id: text}, `chunks` [{"id", "document", "text"}], ids of the rest.

    `candidates` are the ids that any search brought, a correction's own searches among them; `context` are those of the
    desk, in its order.
    """

    trip: Trip
    documents: dict[str, str]
    chunks: list[dict]
    candidates: list[str]
    context: list[str]

    def text(self, id: str) -> str:
        """Return the text of a chunk."""
        return next(chunk["text"] for chunk in self.chunks if chunk["id"] == id)


def scene(trip: Trip, documents, chunks) -> Scene:
    """Gather what is looked at. `documents` are {id: text} or Documents, `chunks` are dicts or Chunks.

    The trip's own rows come first: where one has another text than the chunk of its id, it is the row that counts,
    since that is what was handed over. A row that is none of `chunks` (a parent in place of its children) is one more
    chunk. What lay on the desk with yet another text is a chunk of its own, and was only there. Raises TypeError for
    what is no trip, ValueError for one that never came to a desk.
    """
    if not isinstance(trip, Trip):
        raise TypeError("A trip is what Pipeline.run or load_trip gave.")
    if "desk" not in [stage.name for stage in trip.stages]:
        raise ValueError("This trip never came to a desk; hand in one that was walked to its end.")
    try:
        texts = documents if isinstance(documents, dict) else {document.id: document.text for document in documents}
    except (TypeError, AttributeError):
        raise TypeError(f"documents are {{id: text}} or Documents; {shown(documents)} is neither.") from None
    try:
        chunks = [_plain(chunk) for chunk in chunks]
    except (TypeError, AttributeError, KeyError):
        raise TypeError("chunks are Chunks, or dicts with \"id\", \"document\" and \"text\"; "
                        f"{shown(chunks)} are neither.") from None
    known = {chunk["id"]: chunk for chunk in chunks}
    later = []
    for stage in trip.stages:
        if stage.name.startswith("search: ") or stage.name in ("merge", "rerank"):
            known.update((row["id"], _plain(row)) for row in stage.gave)
        elif stage.name in ("correct", "desk"):
            later.append((stage.name, [_named(_plain(row), known) for row in stage.gave]))
    found = [id for name, ids in later if name == "correct" for id in ids]
    return Scene(trip, texts, list(known.values()), list(dict.fromkeys([*trip.candidates, *found])),
                 next(ids for name, ids in later if name == "desk"))


def _named(row: dict, known: dict) -> str:
    """Return the id of a row among the chunks that are known; a new one where its text is another."""
    id = row["id"]
    while id in known and known[id] != {**row, "id": id}:
        id += " (as handed over)"
    known[id] = {**row, "id": id}
    return id


def _plain(chunk) -> dict:
    """Return a chunk as a dict of its id, its document and its text."""
    if isinstance(chunk, dict):
        return {name: chunk[name] for name in ("id", "document", "text")}
    return {"id": chunk.id, "document": chunk.document or chunk.id, "text": chunk.text}


# One function for each station: (what was looked at, what was found, repairs)


def in_document(quote: str, document: str, yes: bool, scene: Scene) -> tuple[str, str, list[str]]:
    """Look at the text of the document that should hold the quote; where it does not, at what stands there instead."""
    if document not in scene.documents:
        return (f"the {counted(len(scene.documents), 'document')} of the index",
                f"There is no document {document} among them.",
                [f"Bring {document} into the index, and find out why it never came: a sync that stopped, a format that "
                 "is not read."])
    text = scene.documents[document]
    looked = f"the text of {document}, {counted(len(text), 'character')}"
    if yes:
        found = re.search(r"\s+".join(map(re.escape, quote.split())), text)
        where = f" from character {found.start():,} to {found.end():,}" if found else ""
        return looked, f"It stands in {document}{where}: “{_short(quote)}”", []
    passage, near, there, n = nearest(text, quote)
    said = (f"{document} does not hold it. {there} of its {n} words are there, {near} of them together; nearest: "
            f"“{_short(passage)}”")
    if there == n:
        repair = "The words are there and in another order: read columns one after the other, and rows whole."
    elif bare_numbers(text, quote):
        repair = "The numbers came through and the words did not: take the table out of the page with its headings."
    elif there <= n // 3:
        repair = f"Bring the newest text of {document} into the index: this one does not have the passage."
    else:
        repair = "Compare the text with the page: signs or words were misread or left out."
    return looked, said, [repair]


def in_chunks(quote: str, document: str, holding: list[str], whole: bool, scene: Scene) -> tuple[str, str, list[str]]:
    """Look at the chunks of the document: which hold the quote whole, or else where the borders run through it.

    `whole` says whether the document holds it.
    """
    own = [chunk for chunk in scene.chunks if chunk["document"] == document]
    looked = f"the {counted(len(own), 'chunk')} of {document}"
    if holding:
        hold = "holds" if len(holding) == 1 else "hold"
        return looked, f"{counted(len(holding), 'chunk')} {hold} it whole: {_listed(holding)}.", []
    if not whole:
        return looked, "None of them can hold what the document does not.", []
    parts = shared_out(quote, own)
    n = len(quote.split())
    if len(parts) < 2:
        return looked, f"None of them holds it; {counted(n, 'word')} were looked for.", [
            "Cut the document anew, all of it, and no border within a word."]
    cut = "; ".join(f"{id} has words {first} to {last}" for id, first, last in parts[:4])
    more = f"; and {len(parts) - 4} more" if len(parts) > 4 else ""
    repairs = [f"Cut so that it stays together: larger chunks, or an overlap of {n} words or more.",
               "Search in the small chunks, and hand over the section that they stand in."]
    if blank_line_in(scene.documents[document], quote):
        repairs = ["A blank line runs through it, and is a border for this chunker: cut by sections or by a number of "
                   "words.", *repairs[1:]]
    return looked, f"A border runs through it. Of its {n} words {cut}{more}.", repairs


def in_candidates(holding: list[str], yes: bool, scene: Scene) -> tuple[str, str, list[str]]:
    """Look at the lists of the searches: where in each of them a chunk stands that holds the quote."""
    lists = scene.trip.lists
    texts = list(dict.fromkeys(on_one_line(text) for stage in scene.trip.stages
                               if stage.name.startswith("search: ") for text in stage.took))
    looked = f"what {' and '.join(lists)} found for {_listed([f'“{_short(text)}”' for text in texts])}"
    ranks = [f"{id}: " + ", ".join(f"place {ids.index(id) + 1} in {name}" if id in ids else
                                   f"not among the {len(ids)} of {name}" for name, ids in lists.items())
             for id in holding[:3]]
    if yes:
        return looked, "; ".join(ranks) + ".", []
    if not holding:
        return looked, "No chunk holds it, so none could be found.", []
    wanted = dict.fromkeys(word for text in texts for word in tokenize(text, stop_words=True))
    shared = [word for word in wanted if word in set(tokenize(scene.text(holding[0])))]
    words = (f"{holding[0]} has {len(shared)} of the {len(wanted)} words that were looked for"
             f"{': ' + ', '.join(shared[:6]) if shared else ''}.")
    outside = next((note for stage in scene.trip.stages if stage.name.startswith("search: ")
                    for note in re.findall(r"[\d,]+ of [\d,]+ chunks? fulfill.*", stage.note)), "")
    repairs = []
    if outside:
        repairs.append("Look at the condition: it may leave this chunk out. Labels may be missing.")
    if len(lists) == 1:
        repairs.append("Let a second search find it: by meaning where words differ, by words where names and codes "
                       "count.")
    if 2 * len(shared) >= len(wanted):
        repairs.append("It has the words and was not found: build the index anew, and compare the tokenizer of "
                       "questions with that of chunks.")
    else:
        repairs.append("Say in the chunk what it is about (a line of context), or in the question (rewriting).")
    return looked, " ".join(filter(None, [f"{'; '.join(ranks)}.", words, outside])), repairs


def on_desk(holding: list[str], yes: bool, scene: Scene) -> tuple[str, str, list[str]]:
    """Look at the desk, and at the way to it: where the chunk stood after each stage, and why it did not go in."""
    trip, desk = scene.trip, scene.context
    looked = f"the {counted(len(desk), 'chunk')} on the desk"
    on = [id for id in holding if id in desk]
    if yes and on:
        return looked, f"{on[0]} lay there, at place {desk.index(on[0]) + 1} of {len(desk)}.", []
    found = [id for id in holding if id in scene.candidates]
    if not found:
        return looked, "It could not lie there: no search brought it.", []
    places = {stage.name: [row["id"] for row in stage.gave] for stage in trip.stages
              if stage.name in ("merge", "rerank", "correct")}
    handed = trip.stage("desk").took
    best = min(found, key=lambda id: next((ids.index(id) for ids in [handed, *reversed(places.values())] if id in ids),
                                          len(scene.candidates)))
    way = "; ".join(f"after {name} at place {ids.index(best) + 1}" if best in ids else f"not in what {name} gave"
                    for name, ids in places.items())
    said, repairs = f"{best} was found: {way}.", []
    merged, sorted_anew = (places.get(name, []) for name in ("merge", "rerank"))
    if best not in merged and best not in places.get("correct", []):
        return looked, f"{said} It was cut off there: the list was full.", ["Let the merge keep more (depth)."]
    if best in sorted_anew and best in merged and sorted_anew.index(best) > merged.index(best):
        repairs.append("The reranker put it down: try the order of the merge, or another reranker.")
    if "rerank" in places and best in merged and best not in sorted_anew:
        return looked, said, ["The reranker dropped it: let it keep all that it reads."]
    if "correct" in places and best not in handed:
        stage = trip.stage("correct")
        if best in stage.took:
            return looked, f"{said} {on_one_line(stage.note)}", ["The correction dropped it: look at what it was held "
                                                                 "against, and at the threshold."]
        return (looked, f"{said} The correction was handed {counted(len(stage.took), 'chunk')}, and it was none of "
                "them.", [*repairs, "Let the correction look at more chunks (k)."])
    last = max((handed.index(id) for id in desk if id in handed), default=-1)
    place = handed.index(best) + 1
    if place <= last + 1:
        return (looked, f"{said} A chunk behind it went in, and it did not: too long for what was left of the budget.",
                [*repairs, "Give a larger budget, or cut smaller chunks."])
    end = f"{said} The last one that went in had place {last + 1}: there k, or the budget, was used up."
    if place <= DEEPER:
        repairs.append(f"Hand over {place} chunks: k or the budget was too small.")
    if "rerank" not in places:
        repairs.append("Put a reranker behind the search.")
    else:  # it read all that the merge gave: other weights there would not move it
        repairs.append("Say in the chunk what it is about (a line of context), so that it comes higher.")
    return looked, end, repairs


def in_answer(right: bool, places: list[int], answerable: bool, scene: Scene) -> tuple[str, str, list[str]]:
    """Look at what was quoted, beside the places of the desk, from 1, at which the evidence lay."""
    answer, n = scene.trip.answer, len(scene.context)
    quotes = getattr(answer, "quotes", ())
    looked = f"the answer, and the {counted(n, 'chunk')} it was read from"
    said = ("It quotes " + "; ".join(f"“{_short(quote.text)}” [{quote.document}]" for quote in quotes[:3]) + "."
            if quotes else "It quotes nothing.")
    if right:
        return looked, said, []
    if not answerable:
        return (looked, f"The documents have no answer, and one was given. {said}",
                ["Let the reader be surer before it quotes: a higher threshold."])
    where = f" The evidence lay at place {' and '.join(map(str, places))} of {n}." if places else ""
    ends = {1, n}.intersection(places)
    repairs = [f"{'Hand' if ends else 'Lay it first or last, or hand'} over fewer chunks: what else lies there draws "
               "the reader off. The lever is in retrieval."] if n > 1 and quotes else []
    if not quotes:
        repairs.append("Nothing was quoted: the reader was not sure enough. A lower threshold would say more, and more "
                       "that is wrong.")
    else:
        repairs.append("Try a reader that understands more than words: a language model in place of the rules.")
    return looked, f"{said}{where}", repairs


def _listed(names: list[str]) -> str:
    """Return at most three names, and how many more there are.

    >>> _listed(["a", "b", "c", "d", "e"])
    'a, b, c, and 2 more'
    """
    return ", ".join(names[:3]) + (f", and {len(names) - 3} more" if len(names) > 3 else "")


def _short(text: str) -> str:
    """Return a text on one line, cut where it is long."""
    text = on_one_line(text)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
