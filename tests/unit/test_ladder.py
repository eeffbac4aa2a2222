"""The ladder: rungs that can be worked out by hand, and Larkspur's own on a handful of questions."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from firstprinciples.corpus import Chunk, Collection, Document, Query, find_evidence, paragraphs
from firstprinciples.encode.biencoder import toy
from firstprinciples.encode.stored import minilm
from firstprinciples.evaluate.ladder import Rung, Told, by_kind, climb, judge, line_of, milliseconds, row_of, rungs
from firstprinciples.generate.ways import condense
from firstprinciples.ingest.contextual import contextualize
from firstprinciples.pipeline import Pipeline
from firstprinciples.rank.cross_encoder import cross
from firstprinciples.swap import use

NAMES = ["BM25", "+ vectors, RRF", "+ reranker", "+ chunking, context", "+ rewriting", "+ filters"]
PAGES = {"stoves": "# Stoves\n\nThe stove needs gas in May.\n\nThe lantern is lit with a match.",
         "ropes": "# Ropes\n\nRopes are aired on Monday.\n\nA rope is kept for 3 years.",
         "tents": "# Tents\n\nTents are aired on Tuesday.\n\nA tent is kept for 9 years."}


def asked(id, text, document="", quote="", **more):
    evidence = ({"document": document, "quote": quote, "grade": 3},) if quote else ()
    return Query(id, text, **{"kind": "direct", "split": "dev", **more, "evidence": evidence})


def turns(text):
    return ({"role": "user", "text": text}, {"role": "assistant", "text": "Yes."})


def sheds(*queries):
    documents = [Document(name, text[2:].split("\n")[0], text, {"type": name[:-1]}) for name, text in PAGES.items()]
    chunks = [chunk for document in documents for chunk in paragraphs(document)]
    return Collection("sheds", documents, chunks, list(queries),
                      evidence={query.id: find_evidence(query, chunks) for query in queries})


QUERIES = (asked("q1", "When are ropes aired?", "ropes", "Ropes are aired on Monday."),
           asked("q2", "What does the stove need in May?", "stoves", "The stove needs gas in May.", kind="names"),
           asked("q3", "And for how many years is it kept?", "tents", "A tent is kept for 9 years.",
                 history=turns("How is a tent looked after?"), kind="follow_up"),
           asked("q4", "How long are they kept, in years?", "ropes", "A rope is kept for 3 years.", kind="filter",
                 filter={"type": "rope"}),
           asked("q5", "Who was the first on the moon?", kind="unanswerable"),
           asked("q6", "What is lit with a match?", "stoves", "The lantern is lit with a match.", split="held_out"))


@pytest.fixture(scope="module")
def collection():
    return sheds(*QUERIES)


@pytest.fixture(scope="module")
def ours(collection):
    return rungs(collection, toy())


@pytest.fixture(scope="module")
def climbed(ours, collection):
    return climb(ours, collection)


# the rungs

def test_each_rung_adds_one_thing(ours):
    assert [rung.name for rung in ours] == NAMES
    stages = [[stage.name for stage in rung.pipeline.run("How long is it kept?").stages] for rung in ours]
    two = ["search: BM25", "search: Dense toy", "merge"]
    assert stages == [["search: BM25", "merge", "desk", "answer"], [*two, "desk", "answer"],
                      [*two, "rerank", "desk", "answer"], [*two, "rerank", "desk", "answer"],
                      ["sharpen", *two, "rerank", "desk", "answer"], ["sharpen", *two, "rerank", "desk", "answer"]]
    assert [rung.filtered for rung in ours] == [False] * 5 + [True]
    assert all((rung.pipeline.depth, rung.pipeline.most) == (100, 5) for rung in ours)


def test_the_line_is_searched_and_reranked_and_not_handed_over(ours, collection):
    situated = ours[3].pipeline
    (words, meaning), plain = situated.retrievers.values(), {chunk.id: chunk.text for chunk in collection.chunks}
    for retriever in (words, meaning):
        texts = retriever.texts if isinstance(retriever.texts, dict) else dict(zip(retriever.ids, retriever.texts,
                                                                                   strict=True))
        assert texts["ropes#2"].endswith(plain["ropes#2"]) and texts["ropes#2"].startswith("Ropes")
    trip = situated.run("For how many years is a rope kept?")
    assert [row["text"] for row in trip.context] == [plain[row["id"]] for row in trip.context]
    read = []
    listening = SimpleNamespace(score=lambda question, chunks: [read.append(chunk.text) or 0.0 for chunk in chunks])
    rungs(collection, toy(), listening)[3].pipeline.run("a rope")
    assert "Ropes (rope)\nA rope is kept for 3 years." in read


def test_told_reads_other_texts():
    pages = [Chunk("1", "It is 16 percent."), Chunk("2", "A tent.")]
    told = Told(cross(), [Chunk("1", "Ridgeback: It is 16 percent.")])
    alone, both = cross().score("Ridgeback", pages), told.score("Ridgeback", pages)
    assert both[0] > alone[0] and both[1] == alone[1]
    assert told.name == "cross" and told.read == 6 + 3  # what it read: five words, two, and the question twice
    with pytest.raises(AttributeError):
        _ = told.nothing_of_the_kind
    with pytest.raises(AttributeError):
        _ = Told.__new__(Told).told


def test_what_the_line_brought_is_explained(ours):
    question = "For how many years is a rope kept?"
    for hit in ours[3].pipeline.search(question, 3):
        told = ours[3].pipeline.explain(question, hit.id)
        assert told.total == pytest.approx(hit.score) and len(told.parts) > 5
    first = ours[3].pipeline.search(question, 1)[0]
    assert ours[2].pipeline.explain(question, first.id).total != pytest.approx(first.score)


# what comes of them

def test_what_climb_returns(climbed):
    assert list(climbed) == ["queries", "rows", "differences", "by_kind", "times", "lines", "each"]
    assert climbed["queries"] == 4
    assert list(climbed["rows"]) == list(climbed["times"]) == list(climbed["each"]) == NAMES
    assert list(climbed["differences"]) == list(climbed["lines"]) == NAMES[1:]
    for name in NAMES:
        row = climbed["rows"][name]
        assert list(climbed["each"][name]) == ["q1", "q2", "q3", "q4"]
        assert sum(row["answers"].values()) == 4 and sum(row["unanswerable"].values()) == 1
        assert sum(row["failures"].values()) == row["answers"]["wrong"] + row["answers"]["declined"]
        assert list(climbed["by_kind"][name]) == ["direct", "names", "follow_up", "filter"]
        for part in climbed["times"][name].values():
            assert 0 < part["p50"] <= part["p95"]
        assert climbed["times"][name]["search"]["p95"] < climbed["times"][name]["trip"]["p95"]


def test_the_means_by_hand(climbed):
    for name in NAMES:
        each, row = climbed["each"][name], climbed["rows"][name]
        for measure in ("Recall@5", "Recall@10", "nDCG@10"):
            assert row[measure] == pytest.approx(sum(values[measure] for values in each.values()) / 4)
        assert row["answers"]["right"] == sum(values["right"] for values in each.values())
        assert all((values["verdict"] == "right") == (values["right"] == 1.0) == (values["place"] == "")
                   for values in each.values())


def test_a_follow_up_and_a_condition_change_what_is_found(ours, collection):
    third, fourth = collection.queries[2], collection.queries[3]
    before, after = (rung.pipeline.run(third.text, third.history).ranked for rung in ours[3:5])
    assert after.index("tents#2") <= before.index("tents#2")
    trip = ours[5].pipeline.run(fourth.text, fourth.history, fourth.filter)
    assert {row["document"] for row in trip.context} == {"ropes"}
    judged = judge(ours[5], [(fourth, trip)], collection)
    assert judged["each"]["q4"]["Recall@10"] == 1.0


def test_every_question_is_asked_once_a_rung_with_what_it_has(collection):
    seen = []

    class Listening:
        chunks = {chunk.id: chunk for chunk in collection.chunks}

        def run(self, *arguments):
            seen.append(arguments)
            return Pipeline(collection.chunks).run(arguments[0])

    climb([Rung("plain", Listening()), Rung("filtered", Listening(), filtered=True)], collection)
    dev = [query for query in QUERIES if query.split == "dev"]
    assert seen == [(q.text, q.history, None) for q in dev] + [(q.text, q.history, q.filter) for q in dev]


def test_a_rung_with_other_chunks_has_its_own_evidence(collection):
    whole = [Chunk(document.id, document.text, document.id) for document in collection.documents]
    measured = climb([Rung("whole", Pipeline(whole))], collection)
    assert measured["rows"]["whole"]["Recall@5"] == 1.0 and not measured["lines"]
    halves = [Chunk("h1", "The stove needs gas", "stoves"), Chunk("h2", "in May.", "stoves")]
    row = climb([Rung("cut", Pipeline(halves))], collection)["rows"]["cut"]
    assert row["Recall@10"] == 0.0 and row["failures"]["chunking"] >= 3


def test_a_document_that_never_came_in_is_ingestion(collection):
    without = replace(collection, documents=[d for d in collection.documents if d.id != "tents"],
                      chunks=[c for c in collection.chunks if c.document != "tents"])
    without.evidence = {query.id: find_evidence(query, without.chunks) for query in QUERIES}
    assert climb([Rung("lost", Pipeline(without.chunks))], without)["each"]["lost"]["q3"]["place"] == "ingestion"


def test_progress_is_told(collection):
    told = []
    climb([Rung("one", Pipeline(collection.chunks)), Rung("two", Pipeline(collection.chunks))], collection, "held_out",
          lambda done, n: told.append((done, n)))
    assert told == [(1, 2), (2, 2)]


def test_both_halves_at_once(collection):
    assert climb([Rung("one", Pipeline(collection.chunks))], collection, "all")["queries"] == 5


@pytest.mark.parametrize("names, split, sentence", [
    ((), "dev", "There is no rung to climb; give one or more, as rungs(collection) does."),
    (("a", "b", "a"), "dev", "Two rungs have the name 'a'; give each its own."),
    (("a",), "test", "No question of sheds in 'test' has evidence, so there is nothing to measure.")])
def test_what_is_refused(collection, names, split, sentence):
    pipeline = Pipeline(collection.chunks)
    with pytest.raises(ValueError) as caught:
        climb([Rung(name, pipeline) for name in names], collection, split)
    assert str(caught.value) == sentence


# lines and times

STEP = {"queries": 7, "rows": {"a": {"Recall@10": 0.5}, "+ b": {"Recall@10": 0.75}},
        "differences": {"+ b": {"Recall@10": {"difference": 0.25, "low": -1e-17, "high": 0.5}}}}


def test_line_of_a_step():
    line = ("on 7 questions, b took Recall@10 from 0.500 to 0.750 (+0.250, 95 % interval +0.000 to +0.500: not told "
            "apart)")
    assert line_of(STEP, "a", "+ b") == line
    assert line_of(STEP, "a", "+ b", 2.5) == line + " and added 2.5 ms to p95"


def test_an_error_of_rounding_tells_nothing_apart():
    step = {**STEP, "differences": {"+ b": {"Recall@10": {"low": 1e-17, "high": 0.5}}}}
    assert "not told apart" in line_of(step, "a", "+ b")


def test_milliseconds_of_the_search_and_of_the_trip(ours):
    trip = ours[4].pipeline.run("How long is a rope kept?")
    stages = {stage.name: number for number, stage in enumerate(trip.stages)}
    timed = replace(trip, stages=tuple(replace(stage, seconds=2.0**number)
                                       for number, stage in enumerate(trip.stages)))
    found = milliseconds([timed])
    assert found["trip"] == [1000 * (2 ** len(stages) - 1)]
    assert found["search"] == [1000 * sum(2**number for name, number in stages.items()
                                          if name not in ("desk", "answer"))]


# a learner's functions

def test_a_learners_functions_stand_in_the_ladder(collection):
    two = [Rung("a", Pipeline(collection.chunks)), Rung("+ b", Pipeline(collection.chunks, most=1))]
    with use("experiment.report_line", lambda *arguments: f"mine on {arguments[0]}"):
        assert climb(two, collection)["lines"] == {"+ b": "mine on 4"}
    for task, wanted in (("experiment.report_line", "a text"), ("experiment.added", "a finite number"),
                         ("failure.tally", "a dict with a count for each of the five places")):
        own = task.partition(".")[2]
        with use(task, lambda *arguments: None), pytest.raises(ValueError) as caught:
            climb(two, collection)
        assert str(caught.value).startswith(f"{own} should give {wanted}; it gave None. Is a return missing?")


def test_a_learners_fusion_or_reranker_is_a_rung(ours, collection):
    def backwards(lists):
        return [(id, -float(place)) for place, id in enumerate(reversed(lists[0]))]

    mine = Rung("mine", ours[1].pipeline.but(fuse=backwards))
    assert list(climb([ours[0], mine], collection)["rows"]) == ["BM25", "mine"]
    same = SimpleNamespace(score=lambda question, chunks: [0.0] * len(chunks))
    assert len(rungs(collection, toy(), same)[2].pipeline.run("a rope").ranked) == len(collection.chunks)


# Larkspur

@pytest.fixture(scope="module")
def larkspur():
    return Collection.load("larkspur")


def test_larkspurs_rungs_need_no_model_files(larkspur, monkeypatch):
    monkeypatch.setattr("firstprinciples.encode.stored.Stored.model", lambda *a: pytest.fail("a text was encoded"))
    some = replace(larkspur, queries=[query for query in larkspur.queries if query.split == "dev"][::29])
    measured = climb(rungs(some), some)
    assert measured["queries"] >= 4
    for name, row in measured["rows"].items():
        assert 0 < row["Recall@10"] <= 1, name


def test_all_texts_that_are_searched_are_stored(larkspur):
    texts = [text for query in larkspur.queries for text in (query.text, *condense(query.text, query.history).texts)]
    texts += [chunk.text for chunk in (*larkspur.chunks, *contextualize(larkspur.chunks, larkspur.documents))]
    assert all(minilm().has(text) for text in texts)


def test_the_first_rung_answers_as_lesson_18_measured(larkspur):
    """Questions without a history are asked alike there; its BM25 and reader are those of the first rung."""
    stored = json.loads((Path(__file__).resolve().parents[2] / "notebooks" / "answers.json").read_text("utf-8"))
    plain = [q for q in larkspur.queries if q.split == "dev" and not q.history]
    rung = rungs(larkspur)[0]
    judged = judge(rung, [(q, rung.pipeline.run(q.text)) for q in plain if q.kind == "direct"], larkspur)
    kind = stored["BM25"]["dev"]["by_kind"]["direct"]
    assert by_kind(judged)["direct"]["right"] == kind["right"] and row_of(judged)["answers"]["wrong"] == kind["wrong"]
