"""The steps of lesson 03's index: every decision, the same postings as `invert`, the same totals as `rank`."""

import inspect
import math
import re
from html import unescape

import pytest

from firstprinciples import swap
from firstprinciples.explore import index_steps
from firstprinciples.explore.inverted_index import DOCUMENTS, INVERT, QUERY, RANK, build, describe, picture, trace
from firstprinciples.grading.mistakes import mistakes
from firstprinciples.retrieve import bm25
from firstprinciples.text import tokenize

OURS = [tokenize(each) for each in DOCUMENTS]
CASES = [(OURS, tokenize(QUERY)), ([["a", "a", "a"], [], ["b", "a"]], ["a", "zelt", "b"]), ([["x"]], []), ([[]], ["x"])]


@pytest.mark.parametrize("documents, query", CASES)
def test_the_last_steps_equal_invert_and_rank(documents, query):
    steps = trace(documents, query)
    assert build(documents)[-1]["index"] == bm25.invert(documents)
    totals = {position: sum(part for _, part in pairs) for position, pairs in steps[-1]["parts"].items()}
    ranked = bm25.rank(query, documents)
    assert [position for position, _ in steps[-1]["ranking"]] == [position for position, _ in ranked]
    for position, total in ranked:
        assert totals[position] == pytest.approx(total, abs=1e-12)


def test_every_word_is_a_decision_and_says_which():
    titles = [step["title"] for step in trace(OURS, tokenize(QUERY))]
    assert len(titles) == 29
    assert titles[1] == "“red” is new: open a drawer"
    assert titles[4] == "“red” stands in A a second time: count 2"
    assert titles[8] == "“tent” is there already: add document B"
    assert titles[-1].startswith("Ranking: A 2.35, then B 0.69")


def test_the_last_step_says_what_was_never_opened():
    assert trace(OURS, ["red", "tent"])[-1]["why"] == "2 of 4 documents were never opened: C and D."
    assert trace(OURS, ["yeti"])[-1]["title"] == "No document matches"


def test_the_sum_of_a_document_is_said_with_its_parts():
    whys = [step["why"] for step in trace(OURS, ["red", "tent"])]
    assert whys[-3].endswith("A has 1.66 + 0.69 = 2.35 now.") and whys[-2].endswith("B has 0.69 now.")
    sums = [re.search(r"has ([\d. +]+) ([=≈]) ([\d.]+) now", step["why"]) for documents, query in CASES
            for step in trace(documents, query) if " + " in step["why"]]
    for parts, sign, total in (found.groups() for found in sums):
        assert (round(sum(map(float, parts.split(" + "))), 2) == float(total)) == (sign == "=")


def test_words_have_the_whole_room_until_there_are_scores():
    first, last = trace(OURS, ["red", "tent"])[0], trace(OURS, ["red", "tent"])[-1]
    assert picture(first).count("fp-line fp-index-wide") == 4 and "fp-index-wide" not in picture(last)


def test_a_step_is_a_snapshot():
    first, last = trace(OURS, tokenize(QUERY))[1], trace(OURS, tokenize(QUERY))[-1]
    assert first["index"] == {"red": {0: 1}} and last["index"]["red"] == {0: 2}


def test_the_code_beside_the_picture_is_that_of_the_module():
    own = [line.strip() for line in inspect.getsource(swap.reference("bm25.invert")).splitlines()]
    assert [line.strip() for line in INVERT if line.strip() not in own] == []
    source = inspect.getsource(swap.reference("bm25.rank"))
    for line in RANK[1:]:
        assert line.strip().split("…")[0] in source


@pytest.mark.parametrize("documents, query", CASES)
def test_every_step_can_be_drawn_and_described(documents, query):
    for step in trace(documents, query):
        drawn = picture(step)
        assert drawn.count("fp-index-line") == len(step["lines"])
        assert drawn.count('class="fp-index-doc"') == len(documents)
        assert describe(step).startswith(f"Step {step['step']} of {step['steps']}: {step['title']}. ")


def test_the_picture_keeps_its_size():
    sizes = {(len(re.findall("<code", drawn)), len(re.findall("fp-drawer ", drawn)), drawn.count("fp-index-doc"))
             for drawn in map(picture, trace(OURS, tokenize(QUERY)))}
    assert sizes == {(7, 16, 4)}


def test_the_explorer_starts_on_the_first_step_and_names_a_wrong_idf():
    s = index_steps()
    assert s.label.startswith("Step 1 of 29: The index is an empty chest of drawers.")
    s.controls["step"].value = 28
    swap.use("bm25.idf", lambda n, df: math.log(n / df))
    assert s.frame["title"] == "Ranking: A 2.60, then B 0.69" and "expected 2.35" in s.screen.value
    assert "yours 1.3863, expected 1.204 for idf(n=4, df=1)" in s.label


def test_a_learners_invert_answers_the_question_or_is_said_to_fail():
    s = index_steps()
    swap.use("bm25.invert", lambda documents: {word: {i: 1 for i, d in enumerate(documents) if word in d}
                                               for words in documents for word in words})
    s.controls["step"].value = s.controls["step"].max
    assert "running on your invert: yours" in s.label and s.frame["index"]["red"] == {0: 1}
    swap.use("bm25.invert", lambda documents: None)
    assert "Drawn with the course's own function instead." in s.label and s.frame["index"]["red"] == {0: 2}


def test_documents_that_do_not_fit_are_refused():
    assert index_steps(["<b>tent</b> a", "tent"], "tent").frame["documents"][0] == ["b", "tent", "b", "a"]
    for documents in ([], ["a"] * 5, ["a b c d e f g h"]):
        with pytest.raises(ValueError, match="one to four documents of at most seven words"):
            index_steps(documents)


def test_an_index_that_cannot_be_drawn_is_a_sentence():
    with swap.use("bm25.invert", mistakes("bm25.invert")["positions_from_one"]):
        s = index_steps()
        s.controls["step"].value = s.controls["step"].max
        assert "Drawn with the course's own function instead." in s.label
    assert s.frame["ranking"] is not None


def test_a_documents_bar_is_as_long_as_its_parts():
    last = trace(OURS, ["red", "tent"])[-1]
    html = picture(last)
    widths = [float(width) for width in re.findall(r'<rect x="[\d.]+%" y="2" width="([\d.]+)%"', html)]
    values = [part for position in sorted(last["parts"]) for _, part in last["parts"][position]]
    assert widths == [pytest.approx(60 * value / 3.0, abs=1e-2) for value in values] and len(values) == 3


def test_the_document_and_the_line_of_the_step_are_marked():
    first = trace(OURS, ["red", "tent"])[1]
    html = picture(first)
    assert re.findall(r'fp-index-name fp-index-now">(.)<', html) == ["A"] and first["document"] == 0
    marked = re.findall(r'class="fp-index-line"[^>]*>([^<]*)<', html)
    assert marked and all(line in INVERT for line in map(unescape, marked))
