"""What lesson 00 says in its sentences, worked out again."""

import contextlib
import importlib
import io
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest

from firstprinciples import __main__ as cli
from firstprinciples.evaluate.experiment import place_of_answer
from firstprinciples.evaluate.failure import PLACES
from firstprinciples.explore.guess import QUESTIONS
from firstprinciples.explore.trip_picture import STOPS
from firstprinciples.explore.whole_trip_picture import STATIONS
from firstprinciples.grading.check import grade_task
from firstprinciples.grading.tasks import expand
from firstprinciples.retrieve.bm25 import BM25, idf
from firstprinciples.swap import use
from firstprinciples.text import tokenize

ROOT = Path(__file__).resolve().parent.parent.parent
LESSON = ROOT / "notebooks" / "00_start_here.ipynb"
trip, whole = (importlib.import_module(f"firstprinciples.explore.{name}") for name in ("trip", "whole_trip"))


@pytest.fixture(scope="module")
def cells():
    """Return {cell id: source} of lesson 00."""
    return {cell.id: cell.source for cell in nbformat.read(LESSON, as_version=4).cells}


@pytest.fixture(scope="module")
def lesson(cells):
    """Return {cell id: source on one line} of lesson 00."""
    return {id: " ".join(source.split()) for id, source in cells.items()}


def last_stop(number: int) -> dict:
    """Return the last stop of the trip of the question with this number, from 1, in the list."""
    return trip.trace(list(trip.questions())[number - 1])[-1]


def test_the_stops_are_those_of_the_list(cells, lesson):
    assert re.findall(r"^\d\. \*\*(\w+)\*\*", cells["trip-intro"], re.MULTILINE) == list(STOPS)
    assert "in six stops" in lesson["trip-intro"] and "the third station" in lesson["trip-intro"] and len(STOPS) == 6
    assert "there are seven" in lesson["trip-said"]
    assert "seven do not either" in lesson["fails-why"] and len(trip.questions()) == 7


def test_the_guess(lesson):
    guess = QUESTIONS["trip.unanswerable"]
    assert guess["answer"] == "the piece whose words match best" and "six times" in guess["because"]
    frame = last_stop(1 + 6)
    assert frame["verdict"]["kind"] == "nowhere" and frame["hits"][0]["score"] > 0
    assert "in words that the papers use" in guess["question"] and all(word["df"] for word in frame["words"])
    assert "The **last** is answered nowhere, as in your guess" in lesson["trip-said"]


def test_the_fewer_chunks_hold_a_word_the_higher_its_value(lesson):
    assert "The fewer chunks hold a word, the higher its value" in lesson["trip-intro"]
    values = [idf(704, df) for df in range(1, 705)]
    assert values == sorted(values, reverse=True)
    assert "a word that is everywhere points nowhere" in lesson["trip-intro"] and values[-1] < 0.001


def test_the_whole_trip(cells, lesson):
    said = cells["whole-intro"]
    assert re.findall(r"^\d\. \*\*(\w+)\*\*", said, re.MULTILINE) == list(STATIONS) == list(PLACES)
    frames = [whole.frame(whole.State(number)) for number in range(len(whole.QUESTIONS))]
    assert "The first question is answered" in lesson["whole-said"] and frames[0]["lost"] == ""
    assert "each of the other five loses its line at a different station" in lesson["whole-said"]
    assert [frame["lost"] for frame in frames[1:]] == list(PLACES)
    for frame in frames:  # "no later station brings a lost line back"
        first = (frame["there"] + [False]).index(False)
        assert not any(frame["there"][first:])
    assert "two searches bring a hundred chunks each" in said and "its first five chunks" in said
    for frame in frames:
        assert [each["n"] for each in frame["stations"]["retrieval"]["lists"]] == [100, 100]
        assert len(frame["stations"]["ranking"]["rows"]) == 5
    assert "lays five sheets on the clerk's desk" in lesson["title"]
    several = [frame for number, frame in enumerate(frames) if "\n" in whole.question(number).evidence[0]["quote"]]
    assert "(once a line and its table)" in lesson["whole-intro"] and several == [frames[2]]


def test_the_second_price_list_was_damaged(lesson, larkspur):
    assert "The price list of the second question was damaged on purpose" in lesson["whole-said"]
    name = whole.question(1).evidence[0]["document"]
    clean, got = ({each.id: each.text for each in those}[name] for those in (larkspur.sources, larkspur.documents))
    assert "Floor replaced" in clean and "Floor replaced" not in got
    damaged = {each.id for each in larkspur.sources}
    assert [number for number in range(6) if whole.question(number).evidence[0]["document"] in damaged] == [1]


def test_the_first_question_finds_the_sum_and_its_receipt(lesson):
    frame = last_stop(1)
    assert frame["verdict"]["kind"] == "found" and "Receipt: Invoice 1042, page 2." in frame["why"]
    assert f'question = "{frame["question"]}"' in lesson["trip-code"]


def test_the_second_question_finds_the_invoice_and_not_the_sum(lesson):
    frame = last_stop(2)
    assert "The right invoice still comes first, and yet the page you open does not say it" in lesson["trip-said"]
    assert frame["page"]["file"] == "invoice-1042" and frame["verdict"]["kind"] == "elsewhere"
    assert frame["verdict"]["title"] == "Invoice 1042" and "$1,284.50" not in frame["page"]["chunk"]


def test_the_others_end_as_said(lesson):
    assert "The **third** and **fourth** find their answer at once" in lesson["trip-said"]
    assert [last_stop(number)["verdict"]["kind"] for number in (3, 4)] == ["found", "found"]
    assert "The **fifth** and **sixth** are answered in the folder, and the answer does not come first" \
        in lesson["trip-said"]
    assert [last_stop(number)["verdict"]["kind"] for number in (5, 6)] == ["elsewhere", "elsewhere"]


def test_the_best_words_of_the_third_and_fourth_are_rare():
    for number in (3, 4):
        frame = last_stop(number)
        values = [value for value, _ in frame["hits"][0]["parts"]]
        best = frame["words"][values.index(max(values))]
        assert best["df"] < 0.02 * frame["chunks"]


def test_the_speeding_ticket(lesson, larkspur):
    frame, search = last_stop(6), BM25(larkspur.chunks, k1_plus_1=True)
    assert f'question = "{frame["question"]}"' in lesson["fails-words"]
    query = next(query for query in larkspur.queries if query.text == frame["question"])
    answer = next(c for c in larkspur.chunks if c.id == larkspur.evidence[query.id][0][1][0])
    said = tokenize(answer.text)
    assert "fines" in said and "ticket" not in said and "speeding" not in said
    assert place_of_answer(search, query.text, larkspur.evidence[query.id]) > 10
    assert 'so the others decide: "got", which is rare in these papers, "company", "does".' in lesson["fails-why"]
    parts = search.explain(query.text, frame["hits"][0]["id"]).parts
    best = sorted(parts, key=lambda part: -part.value)[:3]
    assert [(part.name, round(part.value, 2)) for part in best] == [("got", 5.58), ("company", 3.25), ("does", 2.76)]
    assert sum(part.value for part in best) > 0.9 * sum(part.value for part in parts)
    words = [set(tokenize(chunk.text)) for chunk in larkspur.chunks]
    assert [sum(part.name in each for each in words) for part in best] == [2, 26, 43]


def test_the_places_are_counted_as_said(cells, lesson, larkspur):
    said = lesson["fails-why"]
    assert "questions of one half of the set, called `dev`, that have an answer in the folder" in said
    assert "The place is that of the first chunk which holds a piece of the answer" in said
    holds = [(2, ("0",)), (3, ("2", "1"))]
    assert place_of_answer(BM25(["a stove", "a tent", "red tent"]), "red tent", holds) == 1
    made = {"larkspur": larkspur, "search": BM25(larkspur.chunks), "place_of_answer": place_of_answer}
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(cells["measure-count"], made)
    counts = [tuple(map(int, found)) for found in re.findall(r"(\d+) of (\d+)$", out.getvalue(), re.MULTILINE)]
    assert len(counts) == 3 and {of for _, of in counts} == {135} and sum(count for count, _ in counts) == 135


def test_the_warm_up(cells):
    made = {"np": np}
    ids = [id for id in cells if id.startswith("warm-") and cells[id].startswith("# ")]
    assert [cells[id][2] for id in ids] == list("12345678") and "eight cells" in cells["warm"]
    printed = {}
    for id in ids:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(cells[id], made)
        printed[id] = " ".join(out.getvalue().split())
        assert "# Predict: " in cells[id]
    assert made["counts"].shape == (4, 3) and "four chunks, three words" in cells["warm"]
    assert printed == {
        "warm-array": "(4, 3) 3", "warm-axis": "[4 2 2] [3 1 4 0]",
        "warm-broadcast": "[[1. 0. 6.] [0. 2. 0.] [3. 2. 0.] [0. 0. 0.]]", "warm-mask": "['a' 'c'] [2 2 1]",
        "warm-argsort": "[1 3 0 2]", "warm-fancy": "['b' 'd'] [2. 1.]", "warm-matmul": "[1. 2. 5. 0.]",
        "warm-bincount": "[1. 2. 5. 0.]"}  # "The last two cells print the same scores"
    totals = np.zeros(4)
    totals[made["holders"]] += made["parts"]
    assert totals.tolist() == [1, 2, 2, 0]  # "would keep only one of the two"


def test_your_turn(cells, lesson):
    made = {}
    exec(cells["your-rank"], made)
    assert str(grade_task("metrics.rank_by_score", made["rank_by_score"])) == "metrics.rank_by_score  not attempted"
    example = re.search(r'`(\{"b".+?\})`, and the result a list, `(\[.+?\])`', lesson["turn"])
    asked, answer = eval(example.group(1)), eval(example.group(2))
    assert sorted(asked, key=lambda id: (-asked[id], id)) == answer
    assert "metrics.rank_by_score" in expand(None)


def test_a_wrong_order_opens_another_page_and_the_class_does_not_ask(lesson, larkspur):
    said, search, question = lesson["your-use"], BM25(larkspur.chunks), list(trip.questions())[0]
    assert "The class `BM25` sorts in a way of its own and does not ask your function" in said
    assert "let the lowest score come first, and look at the page you would have opened" in said
    usual, page = [hit.id for hit in search.search(question)], last_stop(1)["page"]["file"]
    with use("metrics.rank_by_score", lambda scores: sorted(scores, key=lambda id: (scores[id], id))):
        assert [hit.id for hit in search.search(question)] == usual
        assert last_stop(1)["page"]["file"] != page


def test_every_command_that_is_named_exists(cells):
    named = set(re.findall(r"python3 -m firstprinciples (\w+)", " ".join(cells.values())))
    assert named == {"lab", "start", "check", "status", "doctor"}
    for name in named:
        with contextlib.redirect_stdout(io.StringIO()):
            assert cli.main([name, "--help"]) == 0


def test_the_glossary(cells):
    entries = re.findall(r"^#### (.+)\n\n(.+)$", cells["glossary"], re.MULTILINE)
    names = [name for name, _ in entries]
    assert len(names) == cells["glossary"].count("####") >= 35
    assert names == sorted(set(names))
    for name, said in entries:
        assert re.fullmatch(r"[a-z0-9-]+", name), "JupyterLab and GitHub make the same anchor of it only then"
        assert said.endswith((".", "?")) and len(said) < 220, name
