"""The loop without an index: each rule on a few lines, and the same on Larkspur as by hand."""

import subprocess
import sys

import numpy as np
import pytest

from firstprinciples.corpus import Collection, Document
from firstprinciples.generate.context import tokens
from firstprinciples.retrieve.grep_loop import (
    grep,
    lines_of,
    pieces_read,
    price,
    read_of,
    walk,
    walk_lines,
    words_of,
)
from firstprinciples.text import tokenize

NOTES = [Document("b", "B", "# Tents\n\nThe red tent is aired.\nThe blue tent is sold."),
         Document("a", "A", "Stoves burn gas.\nA red stove is sold.\nGas is dear."),
         Document("c", "C", "The tent of red canvas is lent out.")]


def did(steps):
    return [(step["did"], step["pattern"]) for step in steps]


def opened(steps):
    return [(step["opened"]["document"], step["opened"]["lines"]) for step in steps if step["opened"]]


def test_rarest_word_first_and_those_that_are_nowhere_fall_away():
    steps = walk("Which of the blue tents has the sold zeppelin?", NOTES, around=0)
    assert steps[0]["pattern"] == ["blue", "tents", "sold", "zeppelin"]
    assert steps[1]["pattern"] == ["blue", "tents", "sold"] and "In no line: zeppelin" in steps[1]["why"]
    assert opened(steps) == [("b", [4]), ("b", [1]), ("a", [2])]


def test_too_many_lines_are_narrowed_and_a_word_too_many_is_dropped():
    # tent 3 lines, red 3, lent 1, gas 2: with most_lines 1 "gas" meets neither, and "red" narrows "tent"
    steps = walk("gas tent red", NOTES, most_lines=1, around=0)
    assert did(steps)[2:5] == [("look", ["gas"]), ("drop", ["gas", "tent"]), ("drop", ["gas", "red"])]
    assert steps[3]["lines"] == 0 and "leave it out" in steps[3]["why"]
    after = [step for step in steps if step["pattern"][:1] == ["tent"] and step["did"] != "open"]
    assert did(after) == [("look", ["tent"]), ("narrow", ["tent", "red"])]
    assert [step["lines"] for step in after] == [3, 2] and after[1]["files"] == 2


def test_what_matches_is_opened_in_the_order_of_paths_and_once():
    steps = walk("red", NOTES, most_lines=5, around=1, budget=50)
    assert opened(steps) == [("a", [1, 2, 3]), ("b", [1, 3, 4]), ("c", [1])]
    steps = walk("red tent", NOTES, most_lines=5, around=1, budget=50)
    assert sum(len(numbers) for _, numbers in opened(steps)) == steps[-1]["read"] == 7
    assert read_of(steps, "b").split("\n") == ["# Tents", "The red tent is aired.", "The blue tent is sold."]
    assert read_of(steps, "nowhere") == ""


def test_the_budget_ends_it():
    for budget in range(1, 8):
        steps = walk("red tent gas", NOTES, most_lines=5, around=1, budget=budget)
        assert steps[-1]["did"] == "stop" and steps[-1]["read"] == budget
        assert f"{budget} line" in steps[-1]["why"]


def test_tokens_are_those_of_the_lines_that_were_read():
    steps = walk("red tent", NOTES, most_lines=5, around=1, budget=50)
    read = [line for document in NOTES for line in document.text.split("\n") if line.strip()]
    assert steps[-1]["tokens"] == sum(map(tokens, read)) == sum(map(price, read))
    for before, after in zip(steps, steps[1:], strict=False):
        assert before["tokens"] <= after["tokens"] and before["read"] <= after["read"]
        assert after["step"] == before["step"] + 1


@pytest.mark.parametrize("question", ["", "?!", "what is the", "who has it"])
def test_a_question_that_says_nothing(question):
    steps = walk(question, NOTES)
    assert did(steps) == [("words", []), ("stop", [])] and steps[-1]["read"] == 0


def test_a_word_that_is_nowhere():
    steps = walk("zeppelin", NOTES)
    assert did(steps) == [("words", ["zeppelin"]), ("count", []), ("stop", [])]
    assert "nothing to look for is left" in steps[1]["why"]


@pytest.mark.parametrize("given", [{"most_lines": 0}, {"budget": 0}, {"around": -1}, {"budget": 1.5},
                                   {"around": "2"}, {"most_lines": True}])
def test_dials_that_are_none(given):
    with pytest.raises(ValueError, match=next(iter(given))):
        walk("red", NOTES, **given)


def test_a_quote_over_two_lines_is_read_when_both_are():
    piece = {"document": "b", "quote": "aired.  The blue"}
    assert pieces_read(walk("aired", NOTES, around=1), [piece]) == [True]
    assert pieces_read(walk("aired", NOTES, around=0), [piece, {"document": "b", "quote": "red\ttent"},
                                                        {"document": "c", "quote": "red tent"}]) == [False, True, False]


@pytest.fixture(scope="module")
def larkspur():
    return Collection.load("larkspur")


def test_on_larkspur_it_counts_as_grep_does(larkspur):
    lines = lines_of(larkspur.documents)
    found = words_of(lines)
    assert sum(len(places) for places in found.values()) == sum(len(set(tokenize(text))) for *_, text in lines)
    rng = np.random.default_rng(2)
    for word in rng.choice(sorted(found), 20).tolist():
        assert grep([word], lines) == found[word]
    rare = min(found, key=lambda word: (len(found[word]), word))
    assert grep([rare, "nowhere"], lines) == [] and grep(["the", rare], lines, found[rare]) == [
        place for place in found[rare] if "the" in tokenize(lines[place][2])]


def test_on_larkspur_each_question_ends(larkspur):
    lines = lines_of(larkspur.documents)
    found = words_of(lines)
    for query in larkspur.queries[::5]:
        for dials in ({}, {"most_lines": 1, "budget": 5}, {"most_lines": 40, "around": 3, "budget": 90}):
            steps = walk_lines(query.text, lines, found, **dials)
            assert steps[-1]["did"] == "stop" and steps[-1]["read"] <= dials.get("budget", 12)
            numbers = [(document, number) for document, some in opened(steps) for number in some]
            assert len(numbers) == len(set(numbers)) == steps[-1]["read"]
            for step in steps:
                if step["did"] == "open":
                    assert set(step["pattern"]) <= set(tokenize(read_of([step], step["opened"]["document"])))


def test_the_same_in_another_process(larkspur):
    """Nothing depends on the order of a set."""
    question = next(query.text for query in larkspur.queries if query.split == "dev")
    code = ("from firstprinciples.corpus import Collection\nfrom firstprinciples.retrieve.grep_loop import walk\n"
            f"print(repr(walk({question!r}, Collection.load('larkspur').documents, budget=40, around=1)))")
    said = {subprocess.run([sys.executable, "-X", "utf8", "-c", code], env=None, check=True, capture_output=True,
                           text=True, encoding="utf-8").stdout.strip()}
    assert said == {repr(walk(question, larkspur.documents, budget=40, around=1))}
