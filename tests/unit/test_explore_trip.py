"""The trip of lesson 00: six stops, the numbers of the search itself, an honest last stop."""

import importlib
import math
import re
from html import unescape

import pytest

from firstprinciples import swap
from firstprinciples.corpus import Chunk, Collection, Document, Query
from firstprinciples.explore import trip
from firstprinciples.explore.trip_picture import ROWS, SHOWN, STOPS, place_of
from firstprinciples.grading.mistakes import mistakes
from firstprinciples.retrieve.bm25 import BM25, idf, score
from firstprinciples.text import tokenize

module = importlib.import_module("firstprinciples.explore.trip")  # the package's own `trip` is the function
CACHES = ("folder", "questions", "_own_index", "_df", "_chunks")
PAGES = (("bill", "Bill 7", ["red tent, 40 dollars", "The total is 55 dollars."], (1, 2)),
         ("rules", "Rules", ["A tent is red or blue.", "Nobody camps on Sunday."], (1, 1)))
ASKED = (
    Query("t-1", "total of the bill", answers=("55 dollars",), evidence=(
        {"document": "bill", "quote": "The total is 55 dollars.", "grade": 3},)),
    Query("t-2", "red tent", answers=("red or blue",), evidence=(
        {"document": "rules", "quote": "A tent is red or blue.", "grade": 3},
        {"document": "bill", "quote": "red tent", "grade": 1})),
    Query("t-3", "yeti", answers=("55 dollars",), evidence=(
        {"document": "bill", "quote": "The total is 55 dollars.", "grade": 3},)),
    Query("t-4", "Who camps on Monday?"),
)


@pytest.fixture
def tiny(monkeypatch):
    """Let the trips go through four chunks of two documents, with four marked questions."""
    documents = [Document(id, title, "\n\n".join(texts), {}, tuple((0, page) for page in sorted(set(pages))))
                 for id, title, texts, pages in PAGES]
    chunks = [Chunk(f"{id}#{i}", text, id, page=page) for id, _, texts, pages in PAGES
              for i, (text, page) in enumerate(zip(texts, pages, strict=True), 1)]
    for name in CACHES:
        getattr(module, name).cache_clear()
    monkeypatch.setattr(module, "folder", lambda: Collection("tiny", documents, chunks))
    monkeypatch.setattr(module, "questions", lambda: {query.text: query for query in ASKED})
    yield chunks
    monkeypatch.undo()
    for name in CACHES:
        getattr(module, name).cache_clear()


def test_the_words_and_what_they_are_worth(tiny):
    words = module.trace("The red red tent, yeti")[1]["words"]
    assert [(row["word"], row["df"]) for row in words] == [("the", 1), ("red", 2), ("tent", 2), ("yeti", 0)]
    assert [row["idf"] for row in words] == [pytest.approx(idf(4, 1)), pytest.approx(idf(4, 2)),
                                             pytest.approx(idf(4, 2)), 0.0]


def test_candidates_have_the_scores_of_the_formula_and_parts_that_add_up(tiny):
    frame = module.trace("red tent")[2]
    documents = [tokenize(chunk.text) for chunk in tiny]
    expected = {chunk.id: score(["red", "tent"], words, documents)
                for chunk, words in zip(tiny, documents, strict=True)}
    assert [hit["id"] for hit in frame["hits"]] == ["bill#1", "rules#1"] and frame["matching"] == 2
    for hit in frame["hits"]:
        assert hit["score"] == pytest.approx(expected[hit["id"]])
        assert sum(value for value, _ in hit["parts"]) == pytest.approx(hit["score"])


def test_the_page_is_that_of_the_best_chunk(tiny):
    assert module.trace("total")[4]["page"] == {"file": "bill", "title": "Bill 7", "page": 2, "pages": 2, "before": [],
                                                "chunk": "The total is 55 dollars.", "after": []}
    assert module.trace("camps Sunday")[4]["page"]["before"] == ["A tent is red or blue."]


def test_found_elsewhere_never_nowhere_unmarked_nothing(tiny):
    last = {question: module.trace(question)[5] for question in
            ("total of the bill", "red tent", "yeti", "Who camps on Monday?", "blue", "unicorn", "")}
    said = {question: (frame["verdict"]["kind"], frame["title"]) for question, frame in last.items()}
    assert said["total of the bill"] == ("found", "The answer: 55 dollars")
    assert last["total of the bill"]["why"] == "It stands on the page you opened. Receipt: Bill 7, page 2."
    assert said["red tent"] == ("elsewhere", "The page you opened does not say it")
    assert last["red tent"]["verdict"]["place"] == 2 and "in place 2 of 2" in last["red tent"]["why"]
    assert last["yeti"]["verdict"]["place"] is None and "not retrieved at all" in last["yeti"]["why"]
    assert said["Who camps on Monday?"] == ("nowhere", "No paper answers this, and BM25 returned one all the same")
    assert said["blue"] == ("unmarked", "Now you judge")
    assert said["unicorn"] == ("nothing", "I couldn't find that")
    assert said[""] == ("empty", "The question is empty")


def test_a_function_that_returns_no_id_is_told_from_a_question_that_matches_nothing(tiny):
    with swap.use("metrics.rank_by_score", lambda scores: []):
        told = module.trace("total")[2]["why"]
    assert told.endswith("share a word with the question, but rank_by_score returned no id.")
    assert module.trace("unicorn")[2]["why"] == "A chunk that shares no word with the question is never looked at."


def test_an_empty_question_is_called_empty_at_every_stop(tiny):
    for frame in module.trace("  "):
        assert (frame["title"], frame["why"]) == ("The question is empty", "Type one to see which page it finds.")
        drawn = module.picture(frame)
        assert "“”" not in drawn and "find that" not in drawn and "no question, stop" in drawn
    assert module.trace("?!")[1]["title"] == "The question holds no word"


def test_the_note_of_the_last_stop_does_not_speak_of_a_score_that_is_not_there(tiny):
    drawn = {question: module.picture(module.trace(question)[5]) for question in
             ("unicorn", "Who camps on Monday?", "red tent", "yeti")}
    assert "so there is no score and no page" in drawn["unicorn"] and "A score says" not in drawn["unicorn"]
    assert "A score says how well words match." in drawn["Who camps on Monday?"]
    assert "A reader who is handed ten chunks can still find it." in drawn["red tent"]
    assert "It is not in the list at all" in drawn["yeti"] and "not in the folder" not in drawn["yeti"]
    far = module.trace("red tent")[5]
    far["verdict"] |= {"place": 37}
    assert "place 37 of 2:" in module.picture(far) and "never sees it." in module.picture(far)


def test_the_parts_of_the_score_are_said_with_the_sign_that_holds():
    for question in module.questions():
        sums = re.match(r"(.*) ([=≈]) ([\d.]+)\.", module.trace(question)[3]["why"])
        shown = round(sum(float(part.split()[-1]) for part in sums[1].split(" + ")), 2)
        assert (shown == float(sums[3])) == (sums[2] == "=")


def test_what_is_not_known_yet_is_a_question_mark(tiny):
    for frame in module.trace("total of the bill"):
        values = re.findall(r'fp-trip-stop[^>]*>.*?<div class="fp-line"[^>]*>(.*?)</div>', module.picture(frame))
        assert len(values) == 6 and values.count("?") == 6 - frame["step"]
        assert ("55 dollars" in values) == (frame["step"] == 6)


def test_a_long_question_shows_its_rarest_words_and_one_row_for_the_others():
    question = " ".join(["invoice", "the", "a", "of", "to", "and", "in", "is", "on", "for", "tent", "hollow", "zebra"])
    frame = module.trace(question)[3]
    assert len(frame["words"]) == ROWS and frame["words"][-1]["word"] == "2 other words"
    assert "zebra" in frame["words"][-1]["others"] and "hollow" not in frame["words"][-1]["others"]
    assert sum(value for value, _ in frame["hits"][0]["parts"]) == pytest.approx(frame["hits"][0]["score"])


def test_the_trip_shows_what_the_search_returns():
    larkspur = Collection.load("larkspur")
    search = BM25(larkspur.chunks, k1_plus_1=True)
    for question in module.questions():
        frame, hits = module.trace(question)[2], search.search(question, k=SHOWN)
        assert [(hit["id"], round(hit["score"], 6)) for hit in frame["hits"]] == [
            (hit.id, round(hit.score, 6)) for hit in hits]


def test_the_listed_questions_are_of_dev_and_end_in_three_ways():
    by_text = {query.text: query for query in Collection.load("larkspur").queries}
    of_the_set = [by_text[text] for text in module.questions() if text in by_text]
    assert len(of_the_set) == 5 and {query.split for query in of_the_set} == {"dev"}
    ends = [module.trace(text)[5]["verdict"]["kind"] for text in module.questions()]
    assert ends[0] == "found" and ends[-1] == "nowhere" and "elsewhere" in ends
    assert {"paraphrase", "unanswerable"} <= {query.kind for query in of_the_set}


@pytest.mark.parametrize("question", ["", "unicorn yeti", "<b>red</b> & tent", "the", "x" * 500, "March?"])
def test_every_stop_can_be_drawn_and_described(question):
    frames = module.trace(question)
    assert [frame["stop"] for frame in frames] == list(STOPS)
    for frame in frames:
        drawn = module.picture(frame)
        assert "<b>red</b>" not in drawn and drawn.count("fp-trip-now") == 1
        assert module.describe(frame).startswith(f"Stop {frame['step']} of 6, the {frame['stop']}: {frame['title']}. ")
        assert not re.search(r'"-?(nan|inf)%?"', drawn)


def test_the_explorer_starts_still_steps_and_takes_another_question():
    s = trip()
    assert s.label.startswith("Stop 1 of 6, the question: A question comes in. “What is the total due on the March")
    s.controls["step"].value = 5
    assert s.frame["title"] == "The answer: $1,284.50" and "Receipt: Invoice 1042, page 2." in s.label
    another, listed = s.view.children[1].children[1], list(module.questions())
    for number, question in enumerate(listed[1:], 2):
        another.click()
        assert s.frame["question"] == question and f"question {number} of 7, stop 1 of 6" in s.screen.value
        s.controls["step"].value = 5
    assert s.frame["verdict"]["kind"] == "nowhere"
    s.controls["question"].value = "red tent"
    assert s.frame["title"] == "A question comes in" and "your own question, stop 1 of 6" in s.screen.value
    s.controls["step"].value = 5
    assert s.frame["title"] == "Now you judge"
    another.click()
    assert s.frame["question"] == listed[0]
    another.click()
    s.reset()
    assert s.frame["step"] == 1 and s.frame["question"] == module.QUESTION


def test_a_learners_idf_drives_it_and_is_named():
    s = trip()
    s.controls["step"].value = 1
    swap.use("bm25.idf", lambda n, df: 1.0)
    assert {row["idf"] for row in s.frame["words"]} == {1.0} and "running on your idf: yours 1, expected" in s.label
    assert "expected" in s.screen.value and "stroke-dasharray" in s.screen.value
    swap.use("bm25.idf")
    assert "running on" not in s.label and len({row["idf"] for row in s.frame["words"]}) > 3


def test_a_learners_order_opens_another_page_and_says_so():
    s = trip()
    s.controls["step"].value = 4
    best = place_of(s.frame["page"])
    swap.use("metrics.rank_by_score", lambda scores: sorted(scores, key=lambda id: (scores[id], id)))
    assert s.frame["hits"][0]["score"] < 1 and place_of(s.frame["page"]) != best
    assert f"with the course's own functions the best is {best}" in unescape(s.screen.value)
    assert "running on your rank_by_score" in s.label
    swap.use("metrics.rank_by_score", mistakes("metrics.rank_by_score")[min(mistakes("metrics.rank_by_score"))])
    assert "running on your rank_by_score" in s.label


@pytest.mark.parametrize("wrong", [lambda scores: None, lambda scores: list(scores.items()), lambda scores: [1, 2],
                                   lambda scores: ["no such chunk"], lambda scores: 1 / 0])
def test_an_order_that_is_none_leaves_the_courses_own(wrong):
    swap.use("metrics.rank_by_score", wrong)
    s = trip("March invoice")
    assert "Drawn with the course's own function instead." in s.label and len(s.frame["hits"]) == SHOWN


def test_an_idf_that_is_no_number_leaves_the_courses_own():
    s = trip()
    swap.use("bm25.idf", lambda n, df: math.inf)
    assert "not a finite number" in s.label and all(math.isfinite(row["idf"]) for row in s.frame["words"])
