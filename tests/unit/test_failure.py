"""The failure tree: the cases that need care, each on a trip of a few chunks, and functions of a learner's in it."""

import random
from types import SimpleNamespace

import pytest

from firstprinciples.corpus import Chunk, Collection, Document, Query, paragraphs
from firstprinciples.evaluate import answering
from firstprinciples.evaluate.evidence import scene
from firstprinciples.evaluate.failure import (
    PLACES,
    confusions,
    diagnose,
    earliest,
    first_loss,
    holders,
    holds,
    judge,
    reached,
    surviving,
    tally,
)
from firstprinciples.ingest.chunkers import by_sections, by_words, parent_child
from firstprinciples.pipeline import Pipeline, load_trip
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.parents import Parents
from firstprinciples.swap import use
from firstprinciples.trip import Trip

TENTS = Document("tents", "Tents", "# Tents\n\nTents are aired on Monday.\n\nPegs are counted in May.")
STOVES = Document("stoves", "Stoves", "# Stoves\n\nStoves are lit outdoors. A stove is checked in June.")
DOCUMENTS = [TENTS, STOVES]
MONDAY = {"document": "tents", "quote": "Tents are aired on Monday.", "grade": 3}


def cut(documents, chunker=paragraphs):
    return [chunk for document in documents for chunk in chunker(document)]


def asks(text="When are the tents aired?", *pieces, answers=("Monday",)):
    return Query("q", text, evidence=pieces or (MONDAY,), answers=answers)


def diagnosed(query, pipeline, documents=DOCUMENTS, chunks=None, **run):
    trip = pipeline.run(query.text, **run)
    return diagnose(trip, query, documents, list(pipeline.chunks.values()) if chunks is None else chunks)


class Finds:
    """A retriever that finds these ids, whatever is asked."""

    def __init__(self, *ids):
        self.found = ids

    def search(self, query, k):
        return [(id, float(len(self.found) - place)) for place, id in enumerate(self.found)][:k]


class Says:
    """A reader that quotes the line with these words in it, or nothing."""

    def __init__(self, words=""):
        self.words = words

    def read(self, question, desk, asked=""):
        quotes = [SimpleNamespace(text=line, document=source["document"], page=1, chunk=source["id"], start=0, end=0)
                  for source in desk.sources for line in source["text"].split("\n") if self.words in line]
        return SimpleNamespace(text="Answer: so.", quotes=tuple(quotes[:1]) if self.words else (), note="")


# ---- the small functions against slow ones


def test_random_texts_are_searched_like_their_words():
    dice = random.Random(7)
    for _ in range(300):
        words = dice.choices(["a", "b", "c", "."], k=dice.randrange(1, 30))
        text = "".join(word + dice.choice([" ", "\n", "\n\n", "\t "]) for word in words)
        quote = dice.choices(["a", "b", "c", "."], k=dice.randrange(1, 4))
        there = any(words[at : at + len(quote)] == quote for at in range(len(words)))
        assert holds(text, dice.choice(["\n", "  "]).join(quote)) is there


def test_an_empty_quote_is_refused():
    for call in (lambda: holds("a", " \n"), lambda: holders("", "d", []), lambda: reached("", "d", {}, [], [], [])):
        with pytest.raises(ValueError, match="quote is empty"):
            call()


def test_random_places():
    dice = random.Random(8)
    for _ in range(200):
        yes = [dice.random() < 0.5 for _ in range(4)]
        place = first_loss(yes)
        assert all(yes[: PLACES.index(place)]) and (place == "generation" or not yes[PLACES.index(place)])
        places = dice.choices([*PLACES, ""], k=dice.randrange(1, 20))
        counts, shares = tally(places), surviving(places)
        assert sum(counts.values()) == sum(map(bool, places))
        assert shares[-1] == pytest.approx(places.count("") / len(places)) and sorted(shares, reverse=True) == shares
        named = dice.choices(PLACES, k=9)
        true = dice.choices(PLACES, k=9)
        table = confusions(true, named)
        assert list(table) == list(PLACES) and all(list(row) == list(PLACES) for row in table.values())
        assert {place: sum(row.values()) for place, row in table.items()} == tally(true)
        assert {place: sum(row[place] for row in table.values()) for place in PLACES} == tally(named)


def test_what_the_small_functions_refuse():
    for call, says in ((lambda: first_loss([True] * 3), "3 values"), (lambda: earliest([]), "no place"),
                       (lambda: earliest(["desk"]), "'desk'"), (lambda: judge(True, ["desk"]), "'desk'"),
                       (lambda: tally(["desk"]), "'desk'"), (lambda: surviving([]), "no question"),
                       (lambda: confusions(["ranking"], []), "1 true"), (lambda: confusions([""], [""]), "''")):
        with pytest.raises(ValueError, match=says):
            call()


def test_luck():
    assert judge(True, ["generation", "generation"]) == {"place": "", "luck": False}
    assert judge(True, ["generation", "chunking"]) == {"place": "chunking", "luck": True}
    assert judge(False, ["generation", "chunking"]) == {"place": "chunking", "luck": False}
    assert judge(True, []) == {"place": "", "luck": False} and judge(False, [])["place"] == "generation"


# ---- a place each, on a trip of five chunks


def test_right_and_all_there():
    found = diagnosed(asks(), Pipeline(cut(DOCUMENTS)))
    assert (found.place, found.luck, found.right, found.repairs) == ("", False, True, ())
    assert [looked.yes for looked in found.stations] == [True] * 5
    assert found.pieces[0].place == "generation" and "Right, and all" in found.show()


def test_a_document_that_never_came():
    found = diagnosed(asks(), Pipeline(cut([STOVES])), [STOVES])
    assert found.place == "ingestion" and "no document tents" in found.sentence and "sync" in found.repairs[0]


@pytest.mark.parametrize(("text", "repair"), [
    ("Pegs and ropes are counted.", "newest text"), ("Tents are aired by hand on Monday", "another order"),
    ("Tents are aired on Munday.", "misread")])
def test_a_document_that_came_in_otherwise(text, repair):
    documents = [Document("tents", "", text), STOVES]
    found = diagnosed(asks(), Pipeline(cut(documents)), documents)
    assert found.place == "ingestion" and repair in found.repairs[0]
    assert "does not hold it" in found.stations[0].found


def test_a_table_of_bare_numbers():
    row = {"document": "prices", "quote": "| R-19 | Floor replaced | 180 | $128.00 |", "grade": 3}
    documents = [Document("prices", "", "19 180 128.00\n\n20 95 61.00"), TENTS]
    found = diagnosed(asks("What is the price of a new floor?", row), Pipeline(cut(documents)), documents)
    assert found.place == "ingestion" and "headings" in found.repairs[0]


def test_a_quote_over_a_blank_line_is_in_no_paragraph():
    both = {"document": "tents", "quote": "aired on Monday. Pegs are counted", "grade": 3}
    found = diagnosed(asks("Tents and pegs?", both), Pipeline(cut(DOCUMENTS), reader=Says()))
    assert found.place == "chunking" and "blank line" in found.repairs[0]
    assert "tents#1 has words 1 to 3; tents#2 has words 4 to 6" in found.sentence
    whole = Pipeline(cut(DOCUMENTS, by_sections), reader=Says())
    assert diagnosed(asks("Tents and pegs?", both), whole).place == "generation"


def test_not_found():
    found = diagnosed(asks(), Pipeline(cut(DOCUMENTS), [Finds("stoves#1")], reader=Says()))
    assert found.place == "retrieval" and "not among the 1 of Finds" in found.sentence
    assert any("tokenizer" in repair for repair in found.repairs)  # it has all the words that were looked for
    assert "“When are the tents aired?”" in found.stations[2].looked_at


def test_a_condition_is_retrieval():
    chunks = [Chunk(c.id, c.text, c.document, c.start, c.end, metadata={"type": c.document}) for c in cut(DOCUMENTS)]
    found = diagnosed(asks(), Pipeline(chunks), where={"type": "stoves"})
    assert found.place == "retrieval" and "fulfill" in found.sentence and "condition" in found.repairs[0]


def test_one_search_alone_found_it_and_the_merge_cut_it_off():
    chunks = cut(DOCUMENTS)
    others = [chunk.id for chunk in chunks if chunk.id != "tents#1"]
    searches = [Finds(*others), Finds(*others, "tents#1")]
    found = diagnosed(asks(), Pipeline(chunks, searches, most=2, reader=Says()))
    assert found.place == "ranking" and "after merge at place 3" in found.sentence
    assert "not among the 2 of Finds" in found.stations[2].found and "place 3 in Finds" in found.stations[2].found
    cut_off = diagnosed(asks(), Pipeline(chunks, [Finds(*others[:1]), Finds("tents#1")], depth=1, reader=Says(),
                                         fuse=lambda lists: [(lists[0][0], 2.0), (lists[1][0], 1.0)]))
    assert cut_off.place == "ranking" and "merge" in cut_off.sentence and "cut off" in cut_off.sentence


def test_too_few_chunks_and_too_small_a_budget():
    chunks = cut(DOCUMENTS)
    order = Finds("stoves#1", "tents#2", "tents#1")
    few = diagnosed(asks(), Pipeline(chunks, [order], most=2, reader=Says()))
    assert few.place == "ranking" and "place 3" in few.sentence and "Hand over 3 chunks" in few.repairs[0]
    long = Document("tents", "", TENTS.text.replace("Tents are", "Tents, " * 60 + "\nTents are"))
    tight = diagnosed(asks(), Pipeline(cut([long, STOVES]), [Finds("tents#1", "stoves#1")], budget=60, reader=Says()),
                      [long, STOVES])
    assert tight.place == "ranking" and "budget" in tight.sentence and "larger budget" in tight.repairs[0]


def test_a_reranker_that_puts_it_down():
    class Last:
        def score(self, question, chunks):
            return [-float("Monday" in chunk.text) for chunk in chunks]

    found = diagnosed(asks(), Pipeline(cut(DOCUMENTS), [Finds("tents#1", "stoves#1", "tents#2")], rerank=Last(), most=2,
                                       reader=Says()))
    assert found.place == "ranking" and "after merge at place 1; after rerank at place 3" in found.sentence
    assert "reranker put it down" in found.repairs[0]


def corrected(*rows):
    """Return a corrective that hands on these rows, (id, document, text, label)."""
    sources = [{"id": id, "document": document, "page": 1, "text": text} for id, document, text, _ in rows]
    grades = {id: SimpleNamespace(label=label, confidence=0.9, rationale="so") for id, _, _, label in rows
              if label != "reference"}

    def correct(question, hits, most):
        ids = [hit.id for hit in hits][:most]
        dropped = [id for id in ids if id not in grades]
        given = {**grades, **{id: SimpleNamespace(label="contradicts", confidence=0.9, rationale="") for id in dropped}}
        return SimpleNamespace(trusted=sources, grades=given, kept=sources, candidates=ids, dropped=dropped, steps=[])

    return SimpleNamespace(correct=correct)


def test_a_source_that_the_correction_replaced():
    """The reference has the very words, and is another document: it never holds the quote."""
    chunks, order = cut(DOCUMENTS), Finds("tents#1", "stoves#1")
    reference = corrected(("t1", "t1", MONDAY["quote"], "reference"))
    found = diagnosed(asks(), Pipeline(chunks, [order], correct=reference, reader=Says("Monday")))
    assert found.place == "ranking" and not found.right and "correction dropped it" in found.repairs[0]


def test_what_a_correction_searched_for_is_a_candidate():
    kept = corrected(("tents#1", "tents", "# Tents\n\nTents are aired on Monday.", "aligned"))
    found = diagnosed(asks(), Pipeline(cut(DOCUMENTS), [Finds("stoves#1")], correct=kept, reader=Says()))
    assert found.place == "generation"


def test_a_desk_with_another_text_of_the_chunk():
    """The correction cut the chunk: what lies on the desk no longer holds the quote, though the id is the same."""
    short = corrected(("tents#1", "tents", "Tents are aired.", "aligned"))
    found = diagnosed(asks(), Pipeline(cut(DOCUMENTS), [Finds("tents#1")], correct=short, reader=Says()))
    assert found.place == "ranking"


def test_a_wrong_line_is_generation_and_the_desk_is_named():
    found = diagnosed(asks(), Pipeline(cut(DOCUMENTS), reader=Says("Pegs are counted")))
    assert found.place == "generation" and "Pegs are counted in May." in found.sentence
    assert "The evidence lay at place 1 of " in found.sentence and found.repairs[0].startswith("Hand over fewer chunks")
    silent = diagnosed(asks(), Pipeline(cut(DOCUMENTS), reader=Says()))
    assert silent.place == "generation" and any("threshold" in repair for repair in silent.repairs)


def test_overlapping_chunks_one_is_enough():
    text = "Rope is cut. Tents are aired on Monday. Pegs are counted. Stoves are lit."
    document = Document("tents", "", text)
    chunks = cut([document], by_words(8, 5))
    assert len(holders(MONDAY["quote"], "tents", [vars(chunk) for chunk in chunks])) > 1
    last = [chunk.id for chunk in chunks if MONDAY["quote"] in chunk.text][-1]
    assert diagnosed(asks(), Pipeline(chunks, [Finds(last)], reader=Says("Monday")), [document]).place == ""


def test_random_trips_against_a_count_of_words():
    """Forty words, cut at random, found and handed over at random: whether the quote survived is known by counting."""
    dice, seen = random.Random(11), set()
    words = [f"w{n:02}" for n in range(40)]
    for _ in range(150):
        kept = range(dice.choice([0, 0, 5]), dice.choice([40, 40, 35]))  # of the document, the rest never came in
        first = dice.randrange(36)
        wanted = range(first, first + dice.randrange(1, 5))
        cuts = sorted({kept.start, kept.stop, *dice.sample(kept, dice.randrange(1, 9))})
        parts = [range(start, end) for start, end in zip(cuts, cuts[1:], strict=False)]
        chunks = [Chunk(f"tents#{n}", " ".join(words[part.start : part.stop]), "tents") for n, part in enumerate(parts)]
        found = dice.sample(range(len(parts)), dice.randrange(1, len(parts) + 1))
        most = dice.randrange(1, len(parts) + 1)
        query = asks("w00?", {"document": "tents", "quote": "\n".join(words[n] for n in wanted), "grade": 3})
        pipeline = Pipeline(chunks, [Finds(*(f"tents#{n}" for n in found))], most=most, reader=Says())
        document = Document("tents", "", " ".join(words[n] for n in kept))
        within = [n for n, part in enumerate(parts) if set(wanted) <= set(part)]
        expected = ("ingestion" if not set(wanted) <= set(kept) else "chunking" if not within else "retrieval"
                    if within[0] not in found else "ranking" if within[0] not in found[:most] else "generation")
        assert diagnosed(query, pipeline, [document]).place == expected
        seen.add(expected)
    assert seen == set(PLACES)


# ---- pieces, luck, no answer


def test_of_several_pieces_the_earliest_counts():
    pegs = {"document": "tents", "quote": "Pegs are counted in May.", "grade": 2}
    gone = {"document": "ropes", "quote": "Ropes are cut.", "grade": 2}
    help_only = {"document": "nowhere", "quote": "Nothing.", "grade": 1}
    query = asks("Tents, pegs, ropes?", {**MONDAY, "grade": 2}, pegs, gone, help_only)
    found = diagnosed(query, Pipeline(cut(DOCUMENTS), [Finds("tents#1")], reader=Says()))
    assert [piece.place for piece in found.pieces] == ["generation", "retrieval", "ingestion"]
    assert found.place == "ingestion" and "Of 3 pieces that are needed 2 did not come" in found.sentence
    lucky = diagnosed(query, Pipeline(cut(DOCUMENTS), [Finds("tents#1")], reader=Says("Monday")))
    assert lucky.luck and lucky.right and lucky.place == "ingestion" and "one piece was enough" in lucky.sentence


def test_right_from_a_part_of_the_quote_is_luck():
    halves = [Chunk("tents#1", "Tents are", "tents"), Chunk("tents#2", "aired on Monday.", "tents")]
    found = diagnosed(asks(), Pipeline(halves, reader=Says("Monday")))
    assert found.right and found.luck and found.place == "chunking" and "without its evidence" in found.sentence


def test_a_question_without_an_answer():
    query = Query("q", "When are the tents aired?")
    wrong = diagnosed(query, Pipeline(cut(DOCUMENTS)))
    assert (wrong.place, wrong.right, wrong.pieces) == ("generation", False, ()) and len(wrong.stations) == 1
    assert "documents have no answer" in wrong.sentence and "threshold" in wrong.show()
    silent = diagnosed(query, Pipeline(cut(DOCUMENTS), reader=Says()))
    assert (silent.place, silent.right) == ("", True) and "Rightly silent" in silent.show()


def test_a_follow_up_names_what_was_looked_for():
    query, turns = asks("And when are they aired?"), [{"role": "user", "text": "Who looks after the tents?"}]
    found = diagnosed(query, Pipeline(cut(DOCUMENTS)), history=turns)
    assert "tents" in found.stations[2].looked_at and found.place == ""


def test_a_reader_with_a_model():
    """The lines behind its receipts are judged; what the model said in other words is for `right` to say."""
    pipeline = Pipeline(cut(DOCUMENTS), llm=lambda prompt: "The tents are aired on Monday [1].")
    trip, query, chunks = pipeline.run("When are the tents aired?"), asks(), list(pipeline.chunks.values())
    assert diagnose(trip, query, DOCUMENTS, chunks).place == ""
    assert diagnose(trip, query, DOCUMENTS, chunks, right=False).place == "generation"


# ---- what is handed over


def test_parents_in_place_of_their_children():
    both = {"document": "tents", "quote": "aired on Monday. Pegs are counted", "grade": 3}
    query, families = asks("Tents and pegs?", both), [parent_child()(document) for document in DOCUMENTS]
    children, parents = ([c for family in families for c in family[n]] for n in (0, 1))
    parent_of = {child: parent for family in families for child, parent in family[2].items()}
    pipeline = Pipeline(parents, [Parents(BM25(children), parents, parent_of)], reader=Says())
    for chunks in (parents, children):  # of children alone: the parents that were found count all the same
        assert diagnosed(query, pipeline, chunks=chunks).place == "generation"
    missed = pipeline.but(retrievers=[Finds("stoves#section-1")])
    assert diagnosed(query, missed, chunks=parents).place == "retrieval"
    assert diagnosed(query, missed, chunks=children).place == "chunking"


def test_what_only_an_index_holds_does_not_count():
    """A line of context before a chunk is searched, and not handed over: a quote that needs it is in no chunk."""
    plain = cut(DOCUMENTS)
    told = [Chunk(chunk.id, f"About Monday's tents. {chunk.text}", chunk.document) for chunk in plain]
    query = asks("Tents?", {"document": "tents", "quote": "About Monday's tents. Pegs", "grade": 3})
    documents = [Document("tents", "", "About Monday's tents. Pegs are counted in May."), STOVES]
    found = diagnosed(query, Pipeline(plain, [BM25(told)], reader=Says()), documents, told)
    assert found.place == "chunking"


def test_documents_and_chunks_in_either_form(tmp_path):
    pipeline, query = Pipeline(cut(DOCUMENTS), [Finds("stoves#1")], reader=Says()), asks()
    trip, chunks = pipeline.run(query.text), list(pipeline.chunks.values())
    plain = [{"id": c.id, "document": c.document, "text": c.text} for c in chunks]
    texts = {document.id: document.text for document in DOCUMENTS}
    assert diagnose(trip, query, texts, plain) == diagnose(trip, query, DOCUMENTS, chunks)
    full = Pipeline(cut(DOCUMENTS)).run(query.text)
    full.save(tmp_path / "trip.json")
    assert diagnose(load_trip(tmp_path / "trip.json"), query, texts, plain) == diagnose(full, query, texts, plain)


def test_what_is_no_question_document_or_chunk():
    pipeline = Pipeline(cut(DOCUMENTS))
    trip, chunks = pipeline.run("When are the tents aired?"), cut(DOCUMENTS)
    with pytest.raises(TypeError, match="A question with its evidence is a Query; None is none"):
        diagnose(trip, None, DOCUMENTS, chunks)
    for documents in (None, "tents", ["tents"]):
        with pytest.raises(TypeError, match="documents are {id: text} or Documents; .* is neither"):
            diagnose(trip, asks(), documents, chunks)
    for wrong in (None, "tents", ["tents"], [{"id": "tents#1"}]):
        with pytest.raises(TypeError, match="chunks are Chunks, or dicts with \"id\".*; .* are neither"):
            diagnose(trip, asks(), DOCUMENTS, wrong)
    one_by_one = diagnose(trip, asks(), iter(DOCUMENTS), iter(chunks))
    assert one_by_one == diagnose(trip, asks(), DOCUMENTS, chunks)


def test_what_diagnose_refuses():
    trip = Pipeline(cut(DOCUMENTS)).run("tents")
    with pytest.raises(TypeError, match="A trip"):
        diagnose("trip", asks(), DOCUMENTS, [])
    with pytest.raises(ValueError, match="never came to a desk"):
        diagnose(Trip("tents", trip.stages[:2], trip.answer), asks(), DOCUMENTS, [])
    with pytest.raises(ValueError, match="grade 1"):
        diagnose(trip, asks("tents", {**MONDAY, "grade": 1}), DOCUMENTS, [])
    assert scene(trip, DOCUMENTS, []).context  # the rows of the trip are chunks, too


@pytest.mark.parametrize(("task", "wrong", "says"), [
    ("failure.reached", lambda *all: None, "reached should give four"), ("failure.first_loss", lambda yes: "desk",
                                                                          "first_loss should give one of"),
    ("failure.holders", lambda *all: None, "holders should give"),
    ("failure.holders", lambda *all: ["nowhere"], "holders should give"), ("failure.judge", lambda *all: "ranking",
                                                                           "judge should give")])
def test_a_learners_function_that_gives_something_else(task, wrong, says):
    trip, chunks = Pipeline(cut(DOCUMENTS)).run("When are the tents aired?"), cut(DOCUMENTS)
    with use(task, wrong), pytest.raises(ValueError, match=says):
        diagnose(trip, asks(), DOCUMENTS, chunks)
    with use("failure.first_loss", lambda yes: "chunking"):  # it is looked up when it is called
        assert diagnose(trip, asks(), DOCUMENTS, chunks).place == "chunking"


# ---- untouched pipelines: every failure gets exactly one place


@pytest.fixture(scope="module")
def larkspur():
    return Collection.load("larkspur")


def wrong_ones(larkspur, pipeline, queries):
    """Return (query, trip, diagnosis) of each question, and check that each agrees with itself."""
    documents, chunks = {d.id: d.text for d in larkspur.documents}, list(pipeline.chunks.values())
    out = []
    for query in queries:
        trip = pipeline.run(query.text, query.history)
        found = diagnose(trip, query, documents, chunks)
        right = answering.verdict(query, trip.answer.quotes) == "right" if query.evidence else not trip.answer.quotes
        assert found.right is right and (found.place in PLACES or (right and found.place == ""))
        assert found.luck is (right and found.place != "") and found.show() and found.sentence
        assert right or found.repairs, query.id
        for piece in found.pieces:
            assert piece.place == first_loss([looked.yes for looked in piece.stations[:4]])
        out.append((query, trip, found))
    return out


@pytest.mark.parametrize("way", ["paragraphs", "sections", "windows", "overlapping"])
def test_each_failure_has_one_place(larkspur, way):
    chunkers = {"paragraphs": paragraphs, "sections": by_sections, "windows": by_words(40, 0),
                "overlapping": by_words(60, 30)}
    chunks = cut(larkspur.documents, chunkers[way])
    queries = [query for query in larkspur.queries if query.split == "dev"]
    walked = wrong_ones(larkspur, Pipeline(chunks), queries[:: 1 if way == "paragraphs" else 3])
    lost = [found.place for query, _, found in walked if not found.right]
    assert len(lost) == sum(tally(lost).values()) > 0
    if way == "paragraphs":  # beside the evidence that the collection itself has found
        for query, trip, found in walked:
            held = [set(ids) for grade, ids in larkspur.evidence[query.id] if grade >= 2]
            on = {row["id"] for row in trip.context}
            assert [piece.place in ("generation",) for piece in found.pieces] == [bool(ids & on) for ids in held]
            assert all((piece.place in ("ingestion", "chunking")) is (not ids)
                       for piece, ids in zip(found.pieces, held, strict=True))


def test_damaged_and_missing_documents_are_ingestion(larkspur):
    """The truth is known: whatever has its evidence in a source that never came in whole."""
    texts = {document.id: " ".join(document.text.split()) for document in larkspur.documents}
    queries = [query for query in larkspur.queries if query.split == "dev" and query.evidence]
    lost = [query for query in queries if any(
        piece["grade"] >= 2 and " ".join(piece["quote"].split()) not in texts.get(piece["document"], "")
        for piece in query.evidence)]
    places = {query.id: found.place for query, _, found in wrong_ones(larkspur, Pipeline(larkspur.chunks), queries)}
    assert lost and {query.id for query in lost} == {id for id, place in places.items() if place == "ingestion"}
