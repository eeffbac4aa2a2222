"""Where did it go wrong? From a wrong answer backwards, through the five places at which its evidence can be lost.

The problem. An answer is wrong, and everything that touched the question is suspect. Turning dials until it is right
mends one question and breaks another. But the words that answer it, the evidence, are known, and they can be looked
for at each station of the trip. Where they were last seen, the trouble begins:

    1 does the indexed document hold the quote?    no -> ingestion     missing, scrambled, a table of bare numbers
    2 does some chunk hold it whole?               no -> chunking      a border runs through it
    3 was such a chunk among the candidates?       no -> retrieval     no search found it
    4 did such a chunk lie on the desk?            no -> ranking       fusion, reranker, correction, budget, k
    5 yes, and the answer is wrong                    -> generation    the reader took another line, or none

Each station is asked by itself, and the first no counts, also where a later one says yes. A right answer whose evidence
got lost on the way is luck. Of several pieces that are needed the earliest loss counts. The sources of this course show
this tree as a picture only: its wording here is ours, the five places are theirs. First come the decisions, one small
function each; `diagnose` takes them to the record of a trip, and what there was to see comes from `evaluate.evidence`.
"""

from firstprinciples.evaluate import answering, evidence
from firstprinciples.evaluate.diagnosis import ASKED, Diagnosis, Looked, Piece, in_words
from firstprinciples.generate.checks import from_task, is_texts
from firstprinciples.index import shown

PLACES = ("ingestion", "chunking", "retrieval", "ranking", "generation")


def holds(text: str, quote: str) -> bool:
    r"""Say whether a text holds a quote, the whole of it.

    Every run of white space counts as one space, in both, so that line breaks and blank lines do not matter; white
    space at the ends of the quote does not count. Nothing else is forgiven: not a capital, not a comma, not a word that
    is left out. Raises ValueError for a quote with nothing in it but white space.
    Lesson 07, "What to look for".

    >>> holds("Ropes hang\n\ninside, in the dry.", "hang inside"), holds("Ropes hang inside.", "ropes hang")
    (True, False)
    """
    if not quote.strip():
        raise ValueError("The quote is empty; give the words to look for.")
    return " ".join(quote.split()) in " ".join(text.split())


def holders(quote: str, document: str, chunks: list[dict]) -> list[str]:
    """Return the ids of the chunks of a document that hold a quote whole, in the order of `chunks`.

    A chunk is a dict {"id", "document", "text"}. The same words in a chunk of another document do not count. White
    space is as in `holds`. Overlapping chunks can hold it twice: then all of their ids are returned. [] where none
    does: then a border runs through the quote, or the document never had it. Raises ValueError for an empty quote.
    Lesson 07, "What to look for".

    >>> chunks = [{"id": "a#1", "document": "a", "text": "Due on May 2."},
    ...           {"id": "b#1", "document": "b", "text": "Gas came on May 2."},
    ...           {"id": "a#2", "document": "a", "text": "on May 2. By check."}]
    >>> holders("on May 2", "a", chunks)
    ['a#1', 'a#2']
    """
    if not quote.strip():
        raise ValueError("The quote is empty; give the words to look for.")
    return [chunk["id"] for chunk in chunks if chunk["document"] == document and holds(chunk["text"], quote)]


def reached(quote: str, document: str, documents: dict[str, str], chunks: list[dict], candidates: list[str],
            context: list[str]) -> list[bool]:
    """Say for each of the first four stations whether a quote was still there: [document, chunk, candidate, desk].

    1, whether the text of its document holds it; `documents` is {id: text}, and one that is not in it holds nothing.
    2, whether one of the chunks of that document holds it whole; a chunk is a dict {"id", "document", "text"}.
    3, whether one of the chunks of station 2, any one, is among the `candidates`, ids.
    4, whether one of the chunks of station 2, perhaps another one, is in the `context`, ids of what lay on the desk.
    Each station is asked by itself: a no does not make the next one a no. Ids that no chunk has do not matter. Raises
    ValueError for an empty quote.
    Lesson 07, "Station by station".

    >>> chunks = [{"id": "a#1", "document": "a", "text": "Due on May 2."},
    ...           {"id": "a#2", "document": "a", "text": "Pay."}]
    >>> reached("May 2", "a", {"a": "Due on May 2. Pay."}, chunks, candidates=["a#2", "a#1"], context=["a#2"])
    [True, True, True, False]
    """
    holding = set(holders(quote, document, chunks))
    return [document in documents and holds(documents[document], quote), bool(holding),
            not holding.isdisjoint(candidates), not holding.isdisjoint(context)]


def first_loss(reached: list[bool]) -> str:
    """Return the place at which a piece of evidence was lost, from what `reached` says: four times yes or no.

    The places are "ingestion", "chunking", "retrieval", "ranking", "generation", one for each station in their order.
    The first no names the place, also where a later station says yes. Four times yes is "generation": the piece lay on
    the desk. Raises ValueError unless there are four values.
    Lesson 07, "The first loss counts".

    >>> first_loss([True, True, False, False]), first_loss([True, True, True, True])
    ('retrieval', 'generation')
    """
    if len(reached) != 4:
        raise ValueError(f"There are {len(reached)} values; four stations are asked, from the document to the desk.")
    for place, there in zip(PLACES, reached, strict=False):
        if not there:
            return place
    return "generation"


def earliest(places: list[str]) -> str:
    """Return which of several places comes first on the trip.

    The order is that of the trip: "ingestion", "chunking", "retrieval", "ranking", "generation". A place may be there
    more than once. Raises ValueError for an empty list and for what is none of the five.
    Lesson 07, "The first loss counts".

    >>> earliest(["generation", "retrieval", "ranking"])
    'retrieval'
    """
    if not places:
        raise ValueError("There is no place; give that of each piece of evidence.")
    if unknown := [place for place in places if place not in PLACES]:
        raise ValueError(f"There is no place {unknown[0]!r}; choose one of {', '.join(PLACES)}.")
    return min(places, key=PLACES.index)


def judge(right: bool, places: list[str]) -> dict:
    """Return {"place": where it went wrong, or "", "luck": True or False} for one answer.

    `places` holds what `first_loss` says of each needed piece of evidence: "generation" is one that lay on the desk. A
    right answer with all of its pieces on the desk has the place "" and is no luck. A right answer of which a piece was
    lost before is luck, and its place, the earliest, is named all the same. A wrong answer has the earliest place and
    is never luck. A question that has no answer has no pieces, []: right there is to have said nothing, with the place
    "", and an answer is wrong, with the place "generation". Raises ValueError for what is none of the five places.
    Lesson 07, "Luck".

    >>> judge(False, ["generation", "ranking"]), judge(True, ["retrieval"])
    ({'place': 'ranking', 'luck': False}, {'place': 'retrieval', 'luck': True})
    """
    place = earliest(places) if len(places) else "generation"
    if right and place == "generation":
        return {"place": "", "luck": False}
    return {"place": place, "luck": bool(right)}


def tally(places: list[str]) -> dict[str, int]:
    """Count the places: {place: how often}, all five, in the order of the trip, also those with 0.

    The order is "ingestion", "chunking", "retrieval", "ranking", "generation". A place "" (nothing went wrong) is not
    counted. Raises ValueError for what is neither "" nor one of the five.
    Lesson 07, "Count the places".

    >>> tally(["ranking", "", "ranking", "ingestion"])
    {'ingestion': 1, 'chunking': 0, 'retrieval': 0, 'ranking': 2, 'generation': 0}
    """
    if unknown := [place for place in places if place and place not in PLACES]:
        raise ValueError(f"There is no place {unknown[0]!r}; choose one of {', '.join(PLACES)}.")
    return {place: list(places).count(place) for place in PLACES}


def surviving(places: list[str]) -> list[float]:
    """Return which share of the questions is still alive behind each of the five places: five numbers from 0 to 1.

    `places` holds one place for each question, or "" where nothing went wrong: such a question is alive to the end, and
    counts. One that was lost at a place is dead behind it and behind all that follow, so that the shares never grow.
    Raises ValueError for an empty list and for what is neither "" nor one of the five places.
    Lesson 07, "Count the places".

    >>> surviving(["ingestion", "", "ranking", ""])
    [0.75, 0.75, 0.75, 0.5, 0.5]
    """
    if not len(places):
        raise ValueError("There is no question, so there is no share of them.")
    alive, shares = len(places), []
    for lost in tally(places).values():
        alive -= lost
        shares.append(alive / len(places))
    return shares


def confusions(true: list[str], named: list[str]) -> dict[str, dict[str, int]]:
    """Count how often each true place was taken for each place: {true: {named: count}}, five by five, zeros too.

    `true[i]` and `named[i]` belong to the same answer. The rows, and what is in each, stand in the order of the trip:
    "ingestion", "chunking", "retrieval", "ranking", "generation". Raises ValueError for lists of different lengths and
    for what is none of the five places.
    Lesson 07, "Break it".

    >>> confusions(["ranking", "ranking", "chunking"], ["ranking", "retrieval", "chunking"])["ranking"]
    {'ingestion': 0, 'chunking': 0, 'retrieval': 1, 'ranking': 1, 'generation': 0}
    """
    if len(true) != len(named):
        raise ValueError(f"There are {len(true)} true places and {len(named)} named ones; each answer has both.")
    if unknown := [place for place in (*true, *named) if place not in PLACES]:
        raise ValueError(f"There is no place {unknown[0]!r}; choose one of {', '.join(PLACES)}.")
    table = {place: dict.fromkeys(PLACES, 0) for place in PLACES}
    for was, said in zip(true, named, strict=True):
        table[was][said] += 1
    return table


def diagnose(trip, query, documents, chunks, right: bool | None = None) -> Diagnosis:
    """Walk backwards from the answer of a trip, and say where the evidence of its question was lost.

    `documents` are what the index was made of, {id: text} or Documents, and `chunks` what can be handed to a reader,
    dicts {"id", "document", "text"} or Chunks. `right` is by default what `answering.verdict` says; of a question that
    has no answer, that nothing was quoted. The cases that need care:

    - A quote that runs over a blank line is in its document and in no paragraph: chunking.
    - Chunks that overlap: one that holds the quote is enough at each station, and it need not be the same one.
    - A chunk that one search alone found, last of its hundred, is a candidate: what then pushes it out is ranking.
    - Parents that are handed over in place of their children count with their own text. Hand in the parents as
      `chunks`; of children alone it can't be known that a parent which nobody found holds the quote whole.
    - A line of context that only an index has is not handed over, and does not count as text of the chunk.
    - What a correction searched for by itself counts as candidates; what it dropped was lost in ranking; a reference
      in the place of a chunk is another document, and never holds the quote, even in the same words.
    - A condition that leaves the chunk out is part of the search: retrieval.
    - A right answer that was read from a part of a quote is luck: the whole of it did not lie on the desk.
    - Of several pieces that are needed one makes an answer right (`answering`); if another was lost it is luck.
    - An answer to a question that has none: generation. A question without evidence counts as one that has no answer;
      a BEIR folder, which judges whole documents, has no quotes to look for. Grade 1 is a help, and is not looked for.
    - A follow-up is searched for with other words than it was typed with; the stations name those that were used.
    - Of an answer that a language model wrote the lines behind its receipts are judged. `right` may say otherwise.

    Raises TypeError for what is no trip, question, document or chunk, ValueError for a trip that never came to a desk,
    for a question with evidence of grade 1 alone, and where a learner's function gives what can't be used.
    """
    scene = evidence.scene(trip, documents, chunks)
    if not hasattr(query, "evidence"):
        raise TypeError(f"A question with its evidence is a Query; {shown(query)} is none.")
    quotes = getattr(trip.answer, "quotes", ())
    if right is None:
        right = answering.verdict(query, quotes) == "right" if query.evidence else not quotes
    needed = [piece for piece in query.evidence if piece["grade"] >= answering.NEEDED]
    if query.evidence and not needed:
        raise ValueError("All evidence of this question has grade 1, a help; a needed piece has 2 or 3.")
    pieces = tuple(_piece(piece, scene, right) for piece in needed)
    found = from_task("failure.judge", lambda: judge(right, [piece.place for piece in pieces]), _is_judged,
                      '{"place": one of the five or "", "luck": True or False}')
    place, luck = found["place"], bool(found["luck"])
    first = next((piece for piece in pieces if piece.place == place), pieces[0] if pieces else None)
    if first is None:
        looked, said, repairs = evidence.in_answer(right, [], False, scene)
        stations, repairs = (Looked(5, PLACES[4], ASKED[4], looked, said, right),), tuple(repairs)
    else:
        stations, repairs = first.stations, first.repairs if place else ()
    return Diagnosis(place, luck, right, stations, pieces, repairs, in_words(place, luck, stations, pieces))


def _piece(piece: dict, scene, right: bool) -> Piece:
    """Look for one piece at all stations."""
    quote, document = piece["quote"], piece["document"]
    known = {chunk["id"] for chunk in scene.chunks}
    holding = from_task("failure.holders", lambda: holders(quote, document, list(scene.chunks)),
                        lambda value: is_texts(value) and known.issuperset(value), "a list of ids of the chunks")
    there = from_task("failure.reached", lambda: reached(quote, document, dict(scene.documents), list(scene.chunks),
                                                         list(scene.candidates), list(scene.context)),
                      lambda value: hasattr(value, "__len__") and len(value) == 4, "four times yes or no")
    there = [bool(yes) for yes in there]
    place = from_task("failure.first_loss", lambda: first_loss(list(there)), lambda value: value in PLACES,
                      f"one of {', '.join(PLACES)}")
    places = [number for number, id in enumerate(scene.context, 1) if id in holding]
    seen = (evidence.in_document(quote, document, there[0], scene),
            evidence.in_chunks(quote, document, holding, there[0], scene),
            evidence.in_candidates(holding, there[2], scene),
            evidence.on_desk(holding, there[3], scene),
            evidence.in_answer(right, places, True, scene))
    stations = tuple(Looked(number, PLACES[number - 1], ASKED[number - 1], looked, found, yes)
                     for number, ((looked, found, _), yes) in enumerate(zip(seen, [*there, right], strict=True), 1))
    return Piece(document, quote, piece["grade"], place, stations, tuple(seen[PLACES.index(place)][2]))


def _is_judged(value) -> bool:
    """Say whether this is what `judge` gives."""
    return isinstance(value, dict) and value.get("place") in (*PLACES, "") and "luck" in value
