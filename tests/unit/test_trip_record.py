"""The record of a trip: saved and read again, walked on from any stage; stages left out and replaced; conditions."""

import json
import os
import re
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from firstprinciples.corpus import Chunk, Collection, Document
from firstprinciples.encode.biencoder import toy
from firstprinciples.generate.correcting import Corrective
from firstprinciples.generate.grader import Grade
from firstprinciples.generate.reader import Answer, Reader
from firstprinciples.generate.ways import Rewritten
from firstprinciples.pipeline import Pipeline, Trip, load_trip
from firstprinciples.rank import fusion
from firstprinciples.rank.cross_encoder import cross
from firstprinciples.rank.rerank import Reranked
from firstprinciples.retrieve import Hit
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.dense import Dense
from firstprinciples.retrieve.maxsim import MaxSim
from firstprinciples.stages import fused
from firstprinciples.swap import use
from firstprinciples.trip import trip_of

ROOT = Path(__file__).resolve().parent.parent.parent
TEXTS = ["Ropes hang in the shed, the tents too.", "Tents are aired on Monday, says Ada.", "Stoves need gas.",
         "Invoice 7 for two tents is due on May 2.", "The total due on invoice 8 is $40.50 for stoves.",
         "The tents of invoice 7 came on Friday."]
KINDS = ["note", "note", "note", "invoice", "invoice", "letter"]
PAGES = [Chunk(f"p{n}", text, f"{kind}-{n}", 0, len(text), n + 1, {"type": kind, "year": 2020 + n})
         for n, (text, kind) in enumerate(zip(TEXTS, KINDS, strict=True))]
QUESTION = "When are the tents of invoice 7 due?"


@pytest.fixture(scope="module")
def both():
    return Pipeline(PAGES, [BM25(PAGES), Dense(PAGES, toy())], most=2)


@pytest.fixture(scope="module")
def whole(both):
    """A pipeline with all of its stages."""
    correct = Corrective(BM25(PAGES), TEXTS, PAGES, minimum=1, threshold=0.5,
                         grader=lambda chunk, reference: Grade("aligned", 0.9, "So."))
    return both.but(rerank=cross(), correct=correct)


class Backwards:
    """A reranker by the id: the last one first."""

    def score(self, question, chunks):
        return [float(chunk.id[1:]) for chunk in chunks]


def plain(trip):
    """Return a trip without its seconds."""
    return {**trip.as_dict(), "stages": [{**stage, "seconds": 0} for stage in trip.as_dict()["stages"]]}


def names(trip):
    return [stage.name for stage in trip.stages]


# What a record is asked for


def test_the_lists_of_a_trip(both, whole):
    trip = whole.run(QUESTION)
    assert names(trip) == ["sharpen", "search: BM25", "search: Dense toy", "merge", "rerank", "correct", "desk",
                           "answer"]
    assert list(trip.lists) == ["BM25", "Dense toy"]
    assert trip.lists["BM25"] == [hit.id for hit in BM25(PAGES).search(QUESTION, 100)]
    assert trip.ranked == [row["id"] for row in trip.stage("rerank").gave]
    assert trip.context == trip.stage("desk").gave and len(trip.context) == 2
    plain_trip = both.run(QUESTION)
    assert plain_trip.ranked == plain_trip.candidates == [row["id"] for row in plain_trip.stage("merge").gave]
    short = both.but(depth=2).run(QUESTION)  # the merge keeps two, and both lists found two
    assert len(short.ranked) == 2 and short.candidates[:2] == short.ranked
    assert set(short.candidates) == {id for ids in short.lists.values() for id in ids} and len(short.candidates) > 2
    empty = Trip("?", (), Answer("Answer: none", (), 0.0, "rules", ""))
    assert (empty.lists, empty.ranked, empty.candidates) == ({}, [], [])


def test_the_reranker_orders_what_the_merge_kept(both):
    trip = both.but(rerank=Backwards(), depth=4).run(QUESTION)
    merged, second = trip.stage("merge"), trip.stage("rerank")
    assert second.took == [row["id"] for row in merged.gave] and len(second.took) == 4
    assert trip.ranked == sorted(second.took, reverse=True)
    assert [row["was"] for row in second.gave] == [second.took.index(id) + 1 for id in trip.ranked]
    assert trip.stage("desk").took == trip.ranked and [row["id"] for row in trip.context] == trip.ranked[:2]
    assert second.note == f"Backwards read 4 candidates; the first one was {second.gave[0]['was']} before."
    assert f"(was {second.gave[0]['was']})" in trip.show()


@pytest.mark.parametrize("second", [cross, lambda: MaxSim(PAGES, _tokens())], ids=["cross", "maxsim"])
def test_the_reranker_is_that_of_two_stages_as_one(both, second):
    pipeline, plain_two = both.but(rerank=second()), Reranked(fusion.Hybrid([BM25(PAGES), Dense(PAGES, toy())]),
                                                              second())
    assert pipeline.search(QUESTION, 4) == plain_two.search(QUESTION, 4)
    one, other = (each.explain(QUESTION, "p3") for each in (pipeline, plain_two))
    assert one == other and one.total == pytest.approx(dict(pipeline.search(QUESTION, 9))["p3"])
    assert "tokens; the first" in pipeline.run(QUESTION).stage("rerank").note or second is not cross


def _tokens():
    from firstprinciples.encode.token_vectors import ToyTokens

    return ToyTokens()


def test_where_nothing_is_found_nothing_is_reranked():
    trip = Pipeline(PAGES, rerank=Backwards()).run("zzz qqq")
    assert (trip.stage("rerank").gave, trip.stage("rerank").note) == ([], "Nothing to rerank.")
    assert trip.line() == "Answer: I couldn't find that."


@pytest.mark.parametrize("given, said", [
    (None, r"gave \[None\] for"), ([1.0], r"gave \[1.0\] for"), ([float("nan")] * 9, "it should be one finite number"),
    (["high"] * 6, "one finite number for each"), (3.5, "gave \\[3.5\\]")])
def test_a_reranker_that_gives_something_else_is_named(given, said):
    class Odd:
        def score(self, question, chunks):
            return given

    with pytest.raises(ValueError, match=f"The reranker Odd {said}|{said}"):
        Pipeline(PAGES, rerank=Odd()).run("tents")


def test_a_reranker_may_leave_candidates_out_through_a_learners_function(both):
    with use("rerank.rerank", lambda hits, scores, depth: []):
        trip = both.but(rerank=cross()).run(QUESTION)
    assert trip.ranked == [] and trip.stage("rerank").note.endswith("; none is left.")
    assert trip.line() == "Answer: I couldn't find that."


# Stages left out and replaced


def test_the_question_as_it_was_typed(both):
    before = [{"role": "user", "text": "What about invoice 8?"}]
    trip = both.but(rewrite=False).run("how much is it?", before)
    assert names(trip)[0] == "search: BM25" and trip.stage("search: BM25").took == ["how much is it?"]
    assert both.run("how much is it?", before).stage("search: BM25").took != ["how much is it?"]


def test_but_changes_what_it_names_and_nothing_else(both, monkeypatch):
    def built(*_, **__):
        raise AssertionError("an index was built anew")

    monkeypatch.setattr("firstprinciples.pipeline.BM25", built)
    monkeypatch.setattr("firstprinciples.pipeline.Reader", built)
    other = both.but(most=4, rerank=Backwards())
    assert (other.most, both.most) == (4, 2) and both.rerank is None
    assert other.retrievers == both.retrievers and other.reader is both.reader and other.chunks == both.chunks
    assert plain(other.but(most=2, rerank=None).run(QUESTION)) == plain(both.run(QUESTION))
    alone = both.but(retrievers=[both.retrievers["Dense toy"]])
    assert names(alone.run(QUESTION)) == ["sharpen", "search: Dense toy", "merge", "desk", "answer"]
    reckless = Reader(PAGES, threshold=0.0)
    assert both.but(reader=reckless).but(llm=len).reader is reckless  # one's own is kept
    monkeypatch.undo()
    assert both.but(llm=len).reader is not both.reader
    with pytest.raises(TypeError, match="A pipeline has no setting 'reranker'; it has budget, chunks, correct, depth"):
        both.but(reranker=None)
    with pytest.raises(TypeError, match="Other chunks need retrievers that search in them"):
        both.but(chunks=["a"])
    assert both.but(chunks=["A red tent."], retrievers=None).run("red tent").line() == \
        "Answer: A red tent. [0, page 1]"


def test_another_fusion(both):
    def first_list(lists):
        return [(id, -place) for place, id in enumerate(lists[0])]

    trip = both.but(fuse=first_list).run(QUESTION)
    assert trip.ranked == trip.lists["BM25"]
    assert trip.stage("merge").note == "2 of 2 lists have a vote: fused by first_list."
    parts = both.but(fuse=first_list).explain(QUESTION, trip.ranked[1])
    assert parts.total == -1.0 and parts.parts[0].note.startswith("rank 2 in BM25; rank ")
    assert both.but(fuse=first_list, depth=1).run(QUESTION).ranked == trip.ranked[:1]


@pytest.mark.parametrize("given", [None, [("nowhere", 1.0)], [("p0", 1.0), ("p0", 0.5)], [("p0", float("nan"))],
                                   [("p0", "high")], ["p0"], 7, [("p0", float("inf"))]])
def test_a_fusion_that_gives_something_else_is_named(both, given):
    with pytest.raises(ValueError, match="mine should give .*ids of the lists that it got, each once"):
        fused(given, {"p0", "p1"}, "mine")
    with pytest.raises(ValueError, match="should give"):
        both.but(fuse=lambda lists: given).run(QUESTION)
    assert fused([], {"p0"}, "mine") == [] and fused([("p0", 0)], {"p0"}, "mine") == [Hit("p0", 0.0)]


@pytest.mark.parametrize("settings, error, words", [
    ({"rerank": True}, TypeError, "rerank is a reranker, with score"),
    ({"rerank": Backwards}, TypeError, "rerank is a reranker"),
    ({"fuse": "rrf"}, TypeError, "fuse is a function from lists of ids"),
    ({"depth": 0}, ValueError, "depth is 0"),
    ({"rewrite": True}, TypeError, "True can't be called"),
])
def test_new_settings_that_fit_nothing_are_refused_at_once(settings, error, words):
    with pytest.raises(error, match=words):
        Pipeline(PAGES, **settings)


# A pipeline as a retriever


def test_search_is_what_the_desk_gets(both, whole):
    for pipeline in (both, both.but(rerank=cross()), whole):
        trip = pipeline.run(QUESTION)
        hits = pipeline.search(QUESTION, 2)
        assert [hit.id for hit in hits] == trip.stage("desk").took[:2] and isinstance(hits[0], Hit)
    assert both.search(QUESTION, 3) == fusion.Hybrid([BM25(PAGES), Dense(PAGES, toy())]).search(QUESTION, 3)
    before = [{"role": "user", "text": "What about invoice 8?"}]
    assert both.search("how much is it?", 1, before)[0].id == "p4"
    with pytest.raises(ValueError, match="k is 0"):
        both.search(QUESTION, 0)
    with pytest.raises(ValueError, match="The question is empty"):
        both.search("?")


def test_explain_takes_the_votes_apart(both):
    same = fusion.Hybrid([BM25(PAGES), Dense(PAGES, toy())], depth=100)
    for id, score in both.search(QUESTION, 9):
        found = both.explain(QUESTION, id)
        assert found.total == pytest.approx(score)
        assert [(part.name, part.value) for part in found.parts] == [
            (part.name, part.value) for part in same.explain(QUESTION, id).parts]
    assert both.explain("Monday", "p3").parts[0].note == "not among the 1 that BM25 found"
    assert Pipeline(PAGES).explain(QUESTION, "p3") == BM25(PAGES).explain(QUESTION, "p3")
    several = Pipeline(PAGES, rewrite=lambda question, history: Rewritten(("tents", "stoves"), "given", ""))
    assert several.explain("Things?", "p1").total == pytest.approx(dict(several.search("Things?", 9))["p1"])
    for id in ("nowhere", 7, None):
        with pytest.raises(KeyError, match="There is no chunk"):
            both.explain(QUESTION, id)


# Conditions


def test_a_condition_holds_for_every_search_and_all_are_found(both):
    trip = both.run(QUESTION, where={"type": "invoice"})
    assert {id for ids in trip.lists.values() for id in ids} == {"p3", "p4"}
    assert sorted(trip.ranked) == ["p3", "p4"]
    note = "2 of 6 chunks fulfill {'type': 'invoice'}; only these were looked at."
    assert trip.stage("search: BM25").note == f"2 chunks found. {note}"
    # as many as are wanted, where without the condition others would have come before
    short = both.but(depth=2)
    assert sorted(short.run("tents", where={"year": {"from": 2023}}).ranked) == ["p3", "p5"]
    assert {id for ids in both.run("tents").lists.values() for id in ids} > {"p0", "p1"}
    assert [hit.id for hit in both.search(QUESTION, where={"type": "letter"})] == ["p5"]
    assert both.explain(QUESTION, "p1", where={"type": "letter"}).total == 0.0
    assert plain(both.run(QUESTION, where={})) != plain(both.run(QUESTION))  # the note says that all fulfill it
    assert both.run(QUESTION, where={}).ranked == both.run(QUESTION).ranked
    assert both.allowed({"type": "letter"}) == {"p5"} and both.allowed(None) is None


def test_a_condition_and_several_phrasings():
    pipeline = Pipeline(PAGES, [BM25(PAGES), Dense(PAGES, toy())],
                        rewrite=lambda question, history: Rewritten(("tents", "stoves"), "given", ""))
    assert set(pipeline.run("Things?", where={"type": "note"}).candidates) == {"p0", "p1", "p2"}


def test_a_condition_that_nothing_fulfills(both):
    trip = both.but(rerank=cross()).run(QUESTION, where={"type": "map"})
    assert trip.candidates == trip.ranked == trip.context == []
    assert trip.stage("search: Dense toy").note == \
        "Nothing found. 0 of 6 chunks fulfill {'type': 'map'}; only these were looked at."
    assert trip.line() == "Answer: I couldn't find that."


@pytest.mark.parametrize("where, error, words", [
    ({"kind": "note"}, KeyError, "No record has the field 'kind'; the fields are type, year"),
    ({"year": {}}, ValueError, "range"), ("invoice", TypeError, "condition"), ({"type": []}, ValueError, "empty")])
def test_a_condition_that_is_none_is_refused(both, where, error, words):
    with pytest.raises(error, match=words):
        both.run(QUESTION, where=where)


def test_what_a_correction_brings_in_is_held_to_the_condition():
    class Wide:  # finds whatever there is, as "more candidates" may
        def correct(self, question, hits, most):
            same = Corrective(BM25(PAGES), TEXTS, PAGES, minimum=4, threshold=0.5,
                              grader=lambda chunk, reference: Grade("aligned", 0.9, "So."))
            return same.correct(question, hits, most)

    pipeline = Pipeline(PAGES, correct=Wide())
    assert len(pipeline.run("tents", where={"type": "note"}).context) == 2
    note = pipeline.run("tents", where={"type": "note"}).stage("correct").note
    assert "Left out, since the condition does not hold: p" in note
    assert {row["document"].split("-")[0] for row in pipeline.run("tents", where={"type": "note"}).context} == {"note"}


# Saved, and read again


def test_what_was_saved_is_read_again(whole, tmp_path):
    trip = whole.run("When are tents aired, caf\u00e9 \ud800?", [{"role": "user", "text": "Hello."}])
    path = tmp_path / "trip.json"
    trip.save(path)
    again = load_trip(str(path))
    assert again == trip and again.show() == trip.show()
    assert (again.lists, again.ranked, again.candidates) == (trip.lists, trip.ranked, trip.candidates)
    assert again.answer.quotes and again.answer.quotes[0].text == trip.answer.quotes[0].text
    whole.run(QUESTION).save(path)  # over the old one
    assert load_trip(path).question == QUESTION and os.listdir(tmp_path) == ["trip.json"]
    path.write_text("\ufeff" + path.read_text(encoding="utf-8"), encoding="utf-8")  # as some editors save it
    assert load_trip(path).question == QUESTION


def test_of_an_answer_of_ones_own_the_text_is_kept(both, tmp_path):
    class Own:
        def read(self, question, desk, asked=""):
            return type("Said", (), {"text": "It is so."})()

    both.but(reader=Own()).run(QUESTION).save(tmp_path / "own.json")
    assert load_trip(tmp_path / "own.json").line() == "Answer: It is so."


def test_where_a_trip_can_not_be_saved(both, tmp_path, monkeypatch):
    trip = both.run(QUESTION)
    with pytest.raises(ValueError, match="is a folder; give the name of a file"):
        trip.save(tmp_path)
    with pytest.raises(ValueError, match=r"notes.md' does not end in .json"):
        trip.save(tmp_path / "notes.md")
    with pytest.raises(ValueError, match="is not there; make it first"):
        trip.save(tmp_path / "no" / "trip.json")

    class Odd:
        def read(self, question, desk, asked=""):
            return type("Said", (), {"text": "so", "quotes": [{1, 2}]})()

    with pytest.raises(ValueError, match="can't be kept as JSON .*set is not JSON serializable"):
        both.but(reader=Odd()).run(QUESTION).save(tmp_path / "odd.json")
    trip.save(tmp_path / "trip.json")
    before = (tmp_path / "trip.json").read_bytes()

    def full(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(ValueError, match=r"can't be written \(No space left on device\)"):
        both.run("Another one?").save(tmp_path / "trip.json")
    assert (tmp_path / "trip.json").read_bytes() == before and os.listdir(tmp_path) == ["trip.json"]


def test_a_trip_that_is_cut_in_half(both, tmp_path):
    path = tmp_path / "trip.json"
    both.run(QUESTION).save(path)
    text = path.read_text(encoding="utf-8")
    for part in (0.0, 0.1, 0.5, 0.9, 0.999):
        path.write_text(text[: int(part * len(text))], encoding="utf-8")
        with pytest.raises(ValueError, match="is no trip, or one that is cut off: its JSON breaks in line"):
            load_trip(path)


@pytest.mark.parametrize("content, words", [
    (b"\xff\xfe", "not UTF-8 text"), (b"[1, 2]", "a trip is an object"), (b"{}", "a trip has 'question'"),
    (b'{"question": "q", "stages": {}, "answer": {}}', "'stages' of a trip can't be"),
    (b'{"question": "q", "stages": [3], "answer": {"text": ""}}', "a stage is an object, and 3 is none"),
    (b'{"question": "q", "stages": [{"name": "merge"}], "answer": {"text": ""}}', "a stage has 'took'"),
    (b'{"question": "q", "stages": [], "answer": {}}', "an answer has 'text'"),
    (b'{"question": "q", "stages": [], "answer": {"text": "a", "quotes": [7]}}', "not the parts of an Answer"),
    (b'{"question": "q", "stages": [], "answer": {"text": "a", "quotes": [], "more": 1}}', "the parts of an Answer"),
    (b"[" * 100_000, "is no trip"), (b"1" * 5000, "is no trip"),
], ids=["bytes", "list", "empty", "stages", "stage", "half a stage", "answer", "quote", "more", "deep", "digits"])
def test_a_file_that_is_no_trip(tmp_path, content, words):
    path = tmp_path / "other.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=f"other.json' is no trip.*{words}|other.json' {words}"):
        load_trip(path)


@pytest.mark.parametrize("key, value", [("id", 7), ("text", None), ("page", "2"), ("page", True), ("score", "high"),
                                        ("score", float("nan")), ("score", float("inf"))])
def test_a_row_that_is_none(both, key, value):
    record = json.loads(json.dumps(both.run(QUESTION).as_dict()))
    record["stages"][3]["gave"][0][key] = value
    with pytest.raises(ValueError, match=f"{key!r} of a row of 'merge' can't be"):
        trip_of(record)
    del record["stages"][3]["gave"][0][key]
    with pytest.raises(ValueError, match=f"a row of 'merge' has {key!r}, and it is missing"):
        trip_of(record)


@pytest.mark.parametrize("gave", [[], [7], [None, "tents"]])
def test_a_question_that_was_sharpened_to_nothing(both, gave):
    record = json.loads(json.dumps(both.run(QUESTION).as_dict()))
    record["stages"][0]["gave"] = gave
    with pytest.raises(ValueError, match="what 'sharpen' gave are texts"):
        trip_of(record)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ValueError, match="There is no file .*nowhere.json"):
        load_trip(tmp_path / "nowhere.json")
    with pytest.raises(ValueError, match="can't be read"):
        load_trip(tmp_path)


@pytest.mark.parametrize("where, value", [
    (("stages", 3, "gave", 0, "ranks"), ["BM25"]), (("stages", 3, "gave", 0, "ranks"), None),
    (("stages", 1, "gave", 0, "score"), 10**400), (("stages", 0, "seconds"), 10**400),
    (("stages", 5, "gave", 0, "label"), 3), (("stages", 5, "gave", 0, "confidence"), "sure"),
    (("stages", 4, "gave", 0, "was"), "first"), (("stages", 6, "gave", 0, "page"), 10**400),
    (("answer", "quotes", 0, "text"), None), (("answer", "quotes", 0, "page"), "two"), (("answer", "note"), 5),
], ids=lambda value: str(value)[:40])
def test_a_file_that_somebody_wrote_into(both, whole, tmp_path, where, value):
    trip = (both if where[0] == "answer" else whole).run("What is the total due on invoice 8?")
    assert trip.answer.quotes or where[0] != "answer"
    trip.save(tmp_path / "trip.json")
    record = json.loads((tmp_path / "trip.json").read_text(encoding="utf-8"))
    inside = record
    for key in where[:-1]:
        inside = inside[key]
    assert where[-1] in inside
    inside[where[-1]] = value
    (tmp_path / "trip.json").write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(ValueError, match=f"trip.json' is no trip: '{where[-1]}' of .* can't be "):
        load_trip(tmp_path / "trip.json")


def test_names_that_no_file_has(both, tmp_path):
    trip = both.run(QUESTION)
    with pytest.raises(ValueError, match="can't be written"):
        trip.save(tmp_path / ("a" * 300 + ".json"))
    for ask in (trip.save, load_trip):
        with pytest.raises(TypeError, match="give its name, such as \"trip.json\"; None is none"):
            ask(None)
        with pytest.raises(ValueError, match="can't have the sign"):
            ask("a\0.json")
    assert list(tmp_path.iterdir()) == []


class Given:
    """A retriever that finds what it was given."""

    def __init__(self, *hits):
        self.hits = list(hits)

    def search(self, query, k=10):
        return self.hits[:k]


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64, Fraction, int])
def test_scores_of_other_kinds_are_kept_too(tmp_path, kind):
    pipeline = Pipeline(PAGES, [Given(Hit("p3", kind(3)), Hit("p1", kind(2)))])
    trip = pipeline.run(QUESTION)
    assert [row["score"] for row in trip.stage("merge").gave] == [3.0, 2.0]
    trip.save(tmp_path / "trip.json")
    assert load_trip(tmp_path / "trip.json") == trip
    assert pipeline.explain(QUESTION, "p1").total == 2.0  # a retriever that can't explain: its score


def test_a_chunk_that_is_found_twice_counts_once():
    twice = Given(Hit("p3", 3.0), Hit("p1", 2.0), Hit("p3", 1.0), Hit("p1", 0.5), Hit("p0", 0.25))
    assert Pipeline(PAGES, [twice]).search(QUESTION) == [Hit("p3", 3.0), Hit("p1", 2.0), Hit("p0", 0.25)]
    both = Pipeline(PAGES, [twice, Given(Hit("p0", 1.0))])
    assert both.run(QUESTION).stage("merge").gave[0]["ranks"] == {"Given": 3, "Given (2)": 1}
    for hit in both.search(QUESTION):
        assert both.explain(QUESTION, hit.id).total == pytest.approx(hit.score)


@pytest.mark.parametrize("answer", [None, "due on May 2", {"text": "due"}, 5, SimpleNamespace(text=3),
                                    SimpleNamespace(text="due", quotes=None)])
def test_a_reader_that_gives_no_answer(both, answer):
    reader = SimpleNamespace(read=lambda question, desk, asked="": answer)
    with pytest.raises(ValueError, match="The reader SimpleNamespace gave .*; read should give an Answer"):
        both.but(reader=reader).run(QUESTION)


def test_a_class_in_the_place_of_an_object_and_a_correction_that_is_none(both):
    with pytest.raises(TypeError, match="reader is a Reader.chunks.; <class .* is none"):
        both.but(reader=Reader)
    with pytest.raises(TypeError, match="correct is a Corrective.*; <class .* is none"):
        both.but(correct=Corrective)
    with pytest.raises(ValueError, match="The SimpleNamespace gave None; correct should give a Correction"):
        both.but(correct=SimpleNamespace(correct=lambda *given: None)).run(QUESTION)


def test_documents_can_be_handed_over_one_by_one():
    documents = [Document("note-0", "Note", TEXTS[0] + "\f" + TEXTS[1])]
    pipeline = Pipeline(PAGES, documents=(document for document in documents))
    again = pipeline.but(llm=lambda prompt: "Answer: [1]")
    assert again.reader is not pipeline.reader and again.reader.pages == pipeline.reader.pages != {}
    for wrong in (5, "note-0", None):
        with pytest.raises(TypeError, match="documents are those that the chunks were cut from, a list; .* is none"):
            Pipeline(PAGES, documents=wrong)


# Walked on


@pytest.mark.parametrize("after", ["sharpen", "search", "merge", "rerank", "correct", "desk"])
def test_a_trip_walked_on_with_its_own_pipeline_is_the_same_trip(whole, tmp_path, after):
    trip = whole.run("When are they aired?", [{"role": "user", "text": "What of the tents?"}])
    trip.save(tmp_path / "trip.json")
    again = whole.replay(load_trip(tmp_path / "trip.json"), after)
    assert plain(again) == plain(trip)
    place = next(n for n, stage in enumerate(trip.stages) if stage.name.split(":")[0] == after)
    assert again.stages[: place + 1] == trip.stages[: place + 1]  # seconds, too: they were not walked again


def test_the_same_candidates_and_another_reranker(both):
    class Deaf:  # a retriever that is not asked again
        def search(self, query, k=10):
            raise AssertionError("it was asked")

    trip = both.run(QUESTION)
    other = Pipeline(PAGES, [Deaf()], rerank=Backwards(), most=3)
    again = other.replay(trip)
    assert names(again) == ["sharpen", "search: BM25", "search: Dense toy", "merge", "rerank", "desk", "answer"]
    assert again.candidates == trip.candidates and again.ranked == sorted(trip.ranked, reverse=True)
    assert len(again.context) == 3
    assert names(other.replay(trip, after="rerank")) == names(trip)  # the trip had none: it is left out
    assert other.replay(trip, after="rerank").ranked == trip.ranked
    merged = both.but(fuse=lambda lists: [(lists[0][0], 1.0)]).replay(trip, after="search")
    assert merged.ranked == trip.lists["BM25"][:1]
    with pytest.raises(AssertionError, match="it was asked"):
        other.replay(trip, after="sharpen")
    kept = both.but(rewrite=False).replay(both.run("how much is it?", [{"role": "user", "text": "Invoice 8?"}]),
                                          "sharpen")
    assert "8" in kept.stage("search: BM25").took[0]


def test_a_condition_for_what_is_walked_anew(both):
    trip = both.run(QUESTION)
    assert both.replay(trip, "sharpen", where={"type": "letter"}).ranked == ["p5"]
    assert both.replay(trip, "search", where={"type": "letter"}).ranked == trip.ranked


def test_a_trip_over_other_chunks_is_refused(both):
    trip = both.run(QUESTION)
    with pytest.raises(ValueError, match="In this trip 'search: BM25' gave the chunk 'p5', which this pipeline does"):
        Pipeline(["a tent"]).replay(trip)
    edited = [Chunk(page.id, page.text.replace("May 2", "May 3"), page.document) for page in PAGES]
    with pytest.raises(ValueError, match="The chunk 'p3' has another text in this pipeline than in the trip"):
        Pipeline(edited).replay(trip, "desk")
    assert Pipeline(edited).replay(trip, "sharpen").context  # no chunk of the record is needed


def test_what_can_not_be_walked_on(both):
    trip = both.run(QUESTION)
    with pytest.raises(TypeError, match="A trip is what run or load_trip gave; {} is none"):
        both.replay({})
    for after in ("answer", "search: BM25", None, ["merge"]):
        with pytest.raises(ValueError, match="There is no replay after .*; choose one of sharpen, search, merge"):
            both.replay(trip, after)
    half = Trip(trip.question, trip.stages[:3], trip.answer)
    with pytest.raises(ValueError, match="can't be walked on after 'merge': it has no stage 'merge'"):
        both.replay(half)
    assert both.replay(half, "search").ranked == trip.ranked
    with pytest.raises(ValueError, match="no stage 'search'"):
        both.replay(Trip(trip.question, trip.stages[:1], trip.answer), "search")
    with pytest.raises(ValueError, match="no stage 'desk'"):
        both.replay(Trip(trip.question, trip.stages[:4], trip.answer), "desk")


def test_trips_over_larkspur_are_kept_and_walked_on(tmp_path):
    from firstprinciples.encode.stored import minilm

    larkspur = Collection.load("larkspur")
    both = Pipeline(larkspur.chunks, [BM25(larkspur.chunks), Dense(larkspur.chunks, minilm())],
                    documents=larkspur.documents)
    second = both.but(rerank=cross(), depth=30, most=7, budget=900, order="both_ends")
    asked = [query for query in larkspur.queries if query.split == "dev"]
    for place, query in enumerate(asked[::15]):
        where = query.filter if place % 2 else None
        first, other = (pipeline.run(query.text, query.history, where) for pipeline in (both, second))
        first.save(tmp_path / "trip.json")
        first = load_trip(tmp_path / "trip.json")
        for after in ("sharpen", "search", "merge", "desk"):
            assert plain(both.replay(first, after, where)) == plain(both.run(query.text, query.history, where))
        again = second.but(depth=100).replay(first)  # the same candidates, another reranker
        assert again.candidates == first.candidates and set(again.ranked) == set(first.ranked)
        assert [hit.id for hit in second.search(query.text, 7, query.history, where)] == other.ranked[:7]
        if where:
            assert set(other.candidates) <= second.allowed(where)


def test_the_readme_keeps_a_trip_and_walks_on(tmp_path, monkeypatch, capsys):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    (block,) = [block for block in blocks if "load_trip" in block]
    monkeypatch.chdir(tmp_path)
    exec(block, {})
    said = capsys.readouterr().out
    assert said.startswith("Question: Who ordered on PO-7731?") and "4. rerank" in said
    assert said.splitlines()[-1].startswith("Answer: Tobias Renwick placed the order")
