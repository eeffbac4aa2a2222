"""The whole trip: what each stage takes and gives, what the chat remembers, and what becomes of every fault."""

import json
import threading
import time
from dataclasses import dataclass

import pytest

from firstprinciples.corpus import Chunk, Collection, Document
from firstprinciples.encode.biencoder import toy
from firstprinciples.generate import llm as model
from firstprinciples.generate import ways
from firstprinciples.generate.correcting import Corrective
from firstprinciples.generate.grader import Grade
from firstprinciples.generate.ways import Rewritten
from firstprinciples.pipeline import Chat, Pipeline, on_one_line
from firstprinciples.rank.fusion import Hybrid, reciprocal_rank_fusion
from firstprinciples.retrieve import Hit
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.dense import Dense
from firstprinciples.swap import use

PAGES = [Chunk("shed#1", "Ropes hang in the shed.", "shed.txt", 0, 23, 1),
         Chunk("shed#2", "Tents are aired on Monday, says Ada.", "shed.txt", 25, 61, 2),
         Chunk("bill#1", "Invoice 7 for two tents is due on May 2.", "in/bill.txt", 0, 40, 1),
         Chunk("bill#2", "The total due on invoice 8 is $40.50 for stoves.", "in/bill.txt", 42, 90, 3)]
NONE = "Answer: I couldn't find that."


def names(trip):
    return [stage.name for stage in trip.stages]


# The stages


def test_each_stage_takes_what_the_one_before_gave():
    trip = Pipeline(PAGES, [BM25(PAGES), Dense(PAGES, toy())], most=2).run("When are the tents aired?")
    assert names(trip) == ["sharpen", "search: BM25", "search: Dense toy", "merge", "desk", "answer"]
    sharpen, words, vectors, merge, desk, answer = trip.stages
    assert (sharpen.took, sharpen.gave) == (["When are the tents aired?"], ["When are the tents aired?"])
    assert words.took == vectors.took == sharpen.gave
    hits = BM25(PAGES).search("When are the tents aired?", 100)
    assert [(row["id"], row["score"]) for row in words.gave] == [tuple(hit) for hit in hits]
    assert words.gave[0] == {"id": "shed#2", "document": "shed.txt", "page": 2, "score": hits[0].score,
                             "text": "Tents are aired on Monday, says Ada."}
    lists = [[row["id"] for row in stage.gave] for stage in (words, vectors)]
    assert merge.took == ["BM25", "Dense toy"]
    assert [(row["id"], row["score"]) for row in merge.gave] == reciprocal_rank_fusion(lists)
    assert merge.gave[0]["ranks"] == {"BM25": 1, "Dense toy": lists[1].index("shed#2") + 1}
    assert desk.took == [row["id"] for row in merge.gave]
    assert [source["id"] for source in desk.gave] == desk.took[:2]
    assert set(desk.gave[0]) == {"id", "document", "page", "text"}
    assert answer.took == ["When are the tents aired?"]
    assert answer.gave == [{"text": "Tents are aired on Monday, says Ada.", "chunk": "shed#2", "document": "shed.txt",
                            "page": 2, "start": 25, "end": 61}]
    assert trip.line() == "Answer: Tents are aired on Monday, says Ada. [shed.txt, page 2]"
    assert all(stage.seconds >= 0 and stage.note for stage in trip.stages)


def test_the_merge_is_that_of_hybrid():
    both = [BM25(PAGES), Dense(PAGES, toy())]
    trip = Pipeline(PAGES, both).run("the tents of invoice 7")
    assert [Hit(row["id"], row["score"]) for row in trip.stage("merge").gave] == \
        Hybrid(both, depth=100).search("the tents of invoice 7", 100)


def test_a_chunk_that_a_list_does_not_hold_has_no_rank_there():
    trip = Pipeline(PAGES, [BM25(PAGES), Dense(PAGES, toy())]).run("tents")
    assert [row["id"] for row in trip.stage("search: BM25").gave] == ["shed#2", "bill#1"]
    ranks = {row["id"]: row["ranks"]["BM25"] for row in trip.stage("merge").gave}
    assert ranks == {"shed#2": 1, "bill#1": 2, "shed#1": None, "bill#2": None}
    assert "(BM25 -, Dense toy " in trip.show(most=9)


def test_one_list_is_passed_on_as_it_is():
    trip = Pipeline(PAGES).run("tents")
    (search, merge) = trip.stage("search: BM25"), trip.stage("merge")
    assert [(row["id"], row["score"]) for row in merge.gave] == [(row["id"], row["score"]) for row in search.gave]
    assert merge.note == "One list: nothing to merge."
    with pytest.raises(KeyError, match="no stage 'rerank'; it has sharpen, search: BM25"):
        trip.stage("rerank")


def test_a_follow_up_is_sharpened_by_what_was_said():
    before = [{"role": "user", "text": "What about invoice 8?"}, {"role": "assistant", "text": "It is for stoves."}]
    trip = Pipeline(PAGES).run("how much is it?", before)
    assert trip.stage("sharpen").took == ["user: What about invoice 8?", "assistant: It is for stoves.",
                                          "how much is it?"]
    assert trip.stage("sharpen").gave == list(ways.condense("how much is it?", before).texts)
    assert "8" in trip.stage("search: BM25").took[0]
    assert trip.line() == "Answer: The total due on invoice 8 is $40.50 for stoves. [in/bill.txt, page 3]"
    assert trip.question == "how much is it?"


def test_several_phrasings_are_searched_and_fused():
    def phrased(question, history):
        return Rewritten(("tents", "stoves"), "given", "Two.")

    trip = Pipeline(PAGES, rewrite=phrased).run("What is there?")
    assert trip.stage("sharpen").gave == ["tents", "stoves"]
    lists = [[hit.id for hit in BM25(PAGES).search(text, 100)] for text in ("tents", "stoves")]
    assert [(row["id"], row["score"]) for row in trip.stage("merge").gave] == reciprocal_rank_fusion(lists)
    assert Pipeline(PAGES, rewrite=lambda question, history: "stoves").run("Tents?").stage("sharpen").gave == ["stoves"]


def test_order_budget_and_number_are_those_of_the_desk():
    question = "the tents of the invoice are due"
    ids = [row["id"] for row in Pipeline(PAGES).run(question).stage("merge").gave]

    def desk(**settings):
        return [source["id"] for source in Pipeline(PAGES, **settings).run(question).stage("desk").gave]

    assert len(ids) >= 3 and desk(most=3) == ids[:3]
    assert desk(most=3, order="best_last") == ids[2::-1]
    assert desk(most=3, order="both_ends") == [ids[0], ids[2], ids[1]]
    assert desk(budget=1) == []
    assert Pipeline(PAGES, budget=1).run(question).line() == NONE


def test_a_question_for_several_things_gets_more_pages():
    pages = [f"Invoice {n} is open since May." for n in range(20)]
    pipeline = Pipeline(pages, most=2, several=7)
    assert len(pipeline.run("Which invoices are open?").stage("desk").gave) == 7
    assert len(pipeline.run("Is invoice 3 open?").stage("desk").gave) == 2


def test_what_a_reference_contradicts_does_not_reach_the_desk():
    pages = ["The tent is not waterproof.", "The tent is waterproof up to 3 meters of water."]
    truth = ["The tent is waterproof: a water column of 3 meters, says the test."]
    search = BM25(pages)

    def grader(chunk, reference):
        return Grade("contradicts" if "not" in chunk.text else "aligned", 0.9, "It is so.")

    correct = Corrective(search, truth, pages, threshold=0.5, minimum=1, grader=grader)
    trip = Pipeline(pages, [search], correct=correct).run("Is the tent waterproof?")
    assert names(trip) == ["sharpen", "search: BM25", "merge", "correct", "desk", "answer"]
    correct = trip.stage("correct")
    assert (correct.took, [row["id"] for row in correct.gave]) == (["0", "1"], ["1"])
    assert correct.gave[0]["label"] == "aligned" and correct.gave[0]["rationale"] == "It is so."
    assert correct.note.startswith("1 of 2 candidates kept; dropped: 0 (contradicts).")
    assert [source["id"] for source in trip.stage("desk").gave] == ["1"]
    assert "   [1, page 1] (aligned 0.90: It is so.)  The tent is waterproof up" in trip.show()
    json.dumps(trip.as_dict())
    nothing = Corrective(search, truth, pages, minimum=1, threshold=1.0, actions=["the verified reference"],
                         grader=grader)
    trip = Pipeline(pages, [search], correct=nothing).run("Is the tent waterproof?")
    assert [row["label"] for row in trip.stage("correct").gave] == ["reference"]
    assert "the verified reference (0 trusted sources of the 1 that are wanted): " in trip.stage("correct").note
    assert [source["text"] for source in trip.stage("desk").gave] == truth


def test_what_a_learner_puts_in_is_what_the_pipeline_runs_on():
    pipeline = Pipeline(PAGES, [BM25(PAGES), BM25(PAGES, b=0)])
    with use("fusion.reciprocal_rank_fusion", lambda lists, k=60: [("bill#2", 1.0)]):
        assert [row["id"] for row in pipeline.run("tents").stage("merge").gave] == ["bill#2"]
    with use("context.both_ends", lambda ids: None), pytest.raises(ValueError, match="both_ends should give"):
        Pipeline(PAGES, order="both_ends").run("tents")
    with use("fusion.reciprocal_rank_fusion", lambda lists, k=60: None), pytest.raises(ValueError, match="gave None"):
        pipeline.run("tents")


# The record


def test_the_record_is_plain_and_printed_stage_by_stage():
    trip = Pipeline(PAGES).run("When are the tents aired?", [{"role": "user", "text": "Hello."}])
    again = json.loads(json.dumps(trip.as_dict()))
    assert list(again) == ["question", "stages", "answer"]
    assert [stage["name"] for stage in again["stages"]] == names(trip)
    assert list(again["stages"][0]) == ["name", "took", "gave", "note", "seconds"]
    assert again["answer"]["text"] == trip.line()
    lines = trip.show().splitlines()
    assert lines[0] == "Question: When are the tents aired?"
    assert [line.split(" (")[0] for line in lines if line[:1].isdigit()] == [
        "1. sharpen", "2. search: BM25", "3. merge", "4. desk", "5. answer"]
    assert lines[-1] == "Answer: Tents are aired on Monday, says Ada. [shed.txt, page 2]"
    assert any(line.endswith("[shed.txt, page 2]  Tents are aired on Monday, says Ada.") for line in lines)


def test_long_lists_and_texts_are_shown_in_part_and_recorded_whole():
    pages = [f"tent {n} " + "word " * 100 for n in range(30)]
    trip = Pipeline(pages).run("tent " + "very " * 10_000)
    assert len(trip.stage("search: BM25").gave) == 30 and len(trip.stage("sharpen").gave[0]) > 50_000
    lines = trip.show(most=3).splitlines()
    assert "   ... and 27 more" in lines
    assert max(map(len, lines[:-1])) < 320
    assert len(lines) < 30


def test_nothing_of_a_document_can_drive_the_terminal():
    trip = Pipeline(["The tent\x1b[2J is\r\nred\u202e and wet."]).run("Is the tent red?")
    assert trip.line() == "Answer: The tent[2J is red and wet. [0, page 1]"
    assert all(sign.isprintable() or sign == "\n" for sign in trip.show())
    assert on_one_line("a\n\n b\x00c") == "a bc"


# The chat


def test_a_chat_remembers_and_forgets():
    chat = Chat(Pipeline(PAGES))
    assert chat.ask("What is due on invoice 8?").line().startswith("Answer: The total due on invoice 8")
    assert chat.history == [{"role": "user", "text": "What is due on invoice 8?"},
                            {"role": "assistant", "text": "The total due on invoice 8 is $40.50 for stoves."}]
    trip = chat.ask("how much is it?")
    assert trip.stage("sharpen").took == ["user: What is due on invoice 8?", "how much is it?"]
    assert trip.stage("search: BM25").gave[0]["id"] == "bill#2"
    assert len(chat.history) == 4
    chat.forget()
    assert chat.history == [] and chat.ask("How much is it?").stage("sharpen").gave == ["How much is it?"]


def test_what_is_remembered_of_an_answer_has_its_brackets_and_not_its_receipt():
    pages = [Chunk("m#1", "The tent [see annex, page 3] costs $40.", "memo [final].txt", 0, 38, 2), *PAGES[:1]]
    chat = Chat(Pipeline(pages))
    assert chat.ask("What does the tent cost?").line().endswith(" $40. [memo [final].txt, page 2]")
    assert chat.history[1]["text"] == "The tent [see annex, page 3] costs $40."


def test_a_model_is_handed_the_answers_too():
    asked = []
    chat = Chat(Pipeline(PAGES, llm=lambda prompt: asked.append(prompt)))
    chat.ask("What is due on invoice 8?")
    chat.ask("what is it for?")
    assert "assistant: The total due on invoice 8 is $40.50 for stoves.\n" in asked[1]


def test_a_question_that_is_refused_leaves_no_turn():
    chat = Chat(Pipeline(PAGES))
    with pytest.raises(ValueError, match="The question is empty"):
        chat.ask(" ?!")
    assert chat.history == []


@pytest.fixture(scope="module")
def larkspur():
    """A pipeline over Larkspur, by words and by the stored vectors."""
    from firstprinciples.encode.stored import minilm
    from firstprinciples.generate.reader import Reader

    collection = Collection.load("larkspur")
    both = [BM25(collection.chunks), Dense(collection.chunks, minilm())]
    return Pipeline(collection.chunks, both, reader=Reader(collection.chunks, documents=collection.documents))


def test_which_of_them_still_owe_us(larkspur):
    from firstprinciples.explore.conversation import QUESTIONS  # of which every text's vector is stored

    chat = Chat(larkspur)
    for question in QUESTIONS:
        trip = chat.ask(question)
    assert QUESTIONS[-1].lower() == "which of them still owe us?"
    rows = [quote.text.split(" | ")[0] for quote in trip.answer.quotes
            if (quote.document, quote.page) == ("statement-receivables-2024-08", 1)]
    assert {"1044", "1046", "1063", "1069"} <= set(rows)


# A model that fails


def boom(prompt):
    raise ConnectionError("the server is gone")


@pytest.mark.parametrize("llm, words", [
    (boom, "The function raised ConnectionError: the server is gone."),
    (lambda prompt: None, "The function returned NoneType where a text was needed."),
    (lambda prompt: "", "The function returned a text with nothing in it."),
    (lambda prompt: b"bytes", "The function returned bytes where a text was needed."),
    (lambda prompt: "word " * 5000, "The function returned 5,000 words"),
], ids=["raises", "nothing", "empty", "bytes", "a novel"])
def test_a_model_that_fails_is_named_and_the_rules_answer(llm, words):
    trip = Pipeline(PAGES, llm=llm).run("When are they aired?", [{"role": "user", "text": "What of the tents?"}])
    assert words in trip.stage("sharpen").note and words in trip.stage("answer").note
    assert trip.answer.by == "rules" and words in trip.answer.problem
    assert trip.line() == "Answer: Tents are aired on Monday, says Ada. [shed.txt, page 2]"
    assert words.split(":")[0] in trip.show()


def test_a_model_that_takes_too_long_is_left_behind(monkeypatch):
    monkeypatch.setattr(model.ask, "__defaults__", (0.05, model.LONGEST))
    free = threading.Event()
    start = time.monotonic()
    trip = Pipeline(PAGES, llm=lambda prompt: free.wait(60) and "late").run("When are the tents aired?")
    free.set()
    assert time.monotonic() - start < 30  # not the minute that it would take
    assert "had not answered after 0.05 seconds" in trip.stage("answer").note
    assert trip.line() == "Answer: Tents are aired on Monday, says Ada. [shed.txt, page 2]"


def test_a_model_that_is_right_is_quoted_with_the_file():
    trip = Pipeline(PAGES, llm=lambda prompt: "On Monday [1].").run("When are the tents aired?")
    assert trip.answer.by == "llm"
    assert trip.line() == "Answer: On Monday [shed.txt, page 2]."
    made_up = Pipeline(PAGES, llm=lambda prompt: "On May 17 [1].").run("When are the tents aired?")
    assert made_up.answer.by == "rules" and made_up.line().endswith("says Ada. [shed.txt, page 2]")
    with pytest.raises(KeyboardInterrupt):
        Pipeline(PAGES, llm=interrupted).run("When are the tents aired?")


def interrupted(prompt):
    raise KeyboardInterrupt


# What can't be used


@pytest.mark.parametrize("question", ["", "   ", "?!", "\n"])
def test_an_empty_question_is_refused(question):
    with pytest.raises(ValueError, match="The question is empty; type one, such as"):
        Pipeline(PAGES).run(question)


def test_a_question_that_nothing_matches_is_answered_honestly():
    trip = Pipeline(PAGES).run("Who repaired the lighthouse?")
    assert trip.stage("answer").gave == []
    trip = Pipeline(PAGES).run("zzz qqq")
    assert (trip.stage("search: BM25").gave, trip.stage("search: BM25").note) == ([], "Nothing found.")
    assert trip.stage("desk").gave == [] and trip.line() == NONE
    assert Pipeline(PAGES).run("which of the zzz are qqq?").line() == NONE
    both = Pipeline(PAGES, [BM25(PAGES), Dense(PAGES, toy())]).run("zzz qqq")  # all similarities are 0: no vote
    assert both.stage("merge").note == "0 of 2 lists have a vote: 1 / (60 + rank) each."
    assert both.line() == NONE


@pytest.mark.parametrize("question", ["tent " * 10_000, "क्षि 초과근무 中文合約 café", "\ud800 tent", "t" * 100_000,
                                      "\x00tent\x1b[0m", "a.b-c'd/" * 3000, "[1] [99] {} %s \\",
                                      "the score of id, page, text and label"],
                         ids=["10,000 words", "scripts", "half a character", "one long word", "signs", "codes",
                              "brackets", "names of ours"])
def test_any_question_is_walked_through(question):
    trip = Pipeline(PAGES, [BM25(PAGES), Dense(PAGES, toy())]).run(question, [{"role": "user", "text": question}])
    assert trip.show().splitlines()[-1].startswith("Answer: ")
    json.dumps(trip.as_dict())


@dataclass
class Wrong:
    """A retriever that gives whatever it is told to."""

    found: object

    def search(self, query, k=10):
        return self.found


@pytest.mark.parametrize("found, words", [
    ([Hit("nowhere#1", 1.0)], "Wrong found the chunk 'nowhere#1', which is not among those of the pipeline"),
    (None, "Wrong found None, which is no list of hits"),
    ([("shed#1", float("nan"))], "which is no list of hits"),
])
def test_a_retriever_that_finds_something_else_is_named(found, words):
    with pytest.raises(ValueError, match=words):
        Pipeline(PAGES, [Wrong(found)]).run("tents")


@pytest.mark.parametrize("settings, error, words", [
    ({"retrievers": []}, ValueError, "Give a list of retrievers, one or more"),
    ({"retrievers": ["bm25"]}, ValueError, "'bm25' is no retriever"),
    ({"rewrite": "condense"}, TypeError, "'condense' can't be called"),
    ({"correct": True}, TypeError, "correct is a Corrective"),
    ({"reader": len}, TypeError, "reader is a Reader"),
    ({"llm": "a model"}, TypeError, "llm is a function from a text to a text; 'a model' can't be called"),
    ({"order": "worst"}, ValueError, "There is no order 'worst'"),
    ({"budget": -1}, ValueError, "budget is -1"),
    ({"most": 0}, ValueError, "most is 0"),
    ({"several": 1.5}, ValueError, "several is 1.5"),
])
def test_settings_that_fit_nothing_are_refused_at_once(settings, error, words):
    with pytest.raises(error, match=words):
        Pipeline(PAGES, **settings)


def test_what_is_no_collection_and_no_history():
    with pytest.raises(ValueError, match="There is nothing to index"):
        Pipeline([])
    with pytest.raises(TypeError, match="Give a list of chunks"):
        Pipeline("a text")
    with pytest.raises(ValueError, match="is there twice"):
        Pipeline([PAGES[0], PAGES[0]])
    with pytest.raises(ValueError, match="Turn 1 of the history"):
        Pipeline(PAGES).run("tents", ["hello"])
    with pytest.raises(TypeError, match="a string"):
        Pipeline(PAGES).run(7)


def test_plain_strings_and_chunks_without_a_file_are_documents_of_their_own():
    assert Pipeline(["A red tent."]).run("red tent").line() == "Answer: A red tent. [0, page 1]"
    assert Pipeline([Chunk("c7", "A red tent.")]).run("red tent").line() == "Answer: A red tent. [c7, page 1]"




def test_another_reader_may_stand_in_its_place():
    class Reader:
        def read(self, question, desk, asked=""):
            return type("Said", (), {"text": f"{asked} {len(desk.sources)}", "quotes": ["word\nword", {"own": 1}]})()

    trip = Pipeline(PAGES, reader=Reader(), most=1).run("Are tents aired?")
    assert trip.line() == "Answer: Are tents aired? 1"
    assert "   word word\n   {'own': 1}\n" in trip.show()
    assert trip.as_dict()["answer"] == {"text": "Are tents aired? 1"}


def test_with_the_documents_a_receipt_has_the_page_of_its_line():
    text = "Ropes hang in the shed. Tents are aired on Monday."
    shed = Document("shed", "Shed", text, {}, ((0, 1), (text.index("Tents"), 2)))
    chunks = [Chunk("shed#1", text, "shed", 0, len(text), 1), *PAGES[2:]]
    for documents, page in (((), 1), ([shed], 2)):
        answer = Pipeline(chunks, documents=documents).run("When are the tents aired?").answer
        assert answer.text == f"Answer: Tents are aired on Monday. [shed, page {page}]"
