"""Exercise 16: what it says about its functions is so, and its answers are what the functions give."""

import ast
import re
from pathlib import Path
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest

from firstprinciples.generate.rewrite import (
    acronyms,
    condensed,
    is_follow_up,
    last_turns,
    long_form,
    mean_vector,
    phrasings,
    spelled_out,
    topic_words,
    words_of,
)
from firstprinciples.generate.words import COMMON, POINTING
from firstprinciples.grading.hints import answer, hints
from firstprinciples.grading.tasks import tasks
from firstprinciples.retrieve.bm25 import BM25

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def notebook():
    return nbformat.read(ROOT / "notebooks" / "exercises" / "16_rewrite.ipynb", as_version=4)


@pytest.fixture(scope="module")
def cells(notebook):
    """Return {cell id: source on one line}."""
    return {cell.id: " ".join(cell.source.split()) for cell in notebook.cells}


def turns(*texts):
    return [{"role": "user" if i % 2 == 0 else "assistant", "text": text} for i, text in enumerate(texts)]


def test_it_names_every_function_in_its_order_and_says_how_long_they_are(cells):
    names = [name.partition(".")[2] for name in tasks("rewrite")]
    headings = [re.search(r"## \d+\. .*?`(\w+)`", cells[id]).group(1)
                for id in ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")]
    assert headings == names
    lines = 0
    for name in tasks("rewrite"):
        function = ast.parse(answer(name)).body[0]
        body = function.body[1:] if ast.get_docstring(function) else function.body
        lines += body[-1].end_lineno - body[0].lineno + 1
    assert "ten functions, under a hundred lines" in cells["title"] and len(names) == 10 and 90 <= lines < 100
    assert hints("rewrite.words_of")


def test_the_answers(cells):
    said = cells["answers"]
    assert words_of("Part LK-204-B: $1,284.50 (new!) - yes.") == ["Part", "LK-204-B", "1,284.50", "new", "yes"]
    assert "Part, LK-204-B, 1,284.50, new, yes: five" in said
    asked = ["When did they pay for the canoes, tents and stoves?", "When did Hollow Creek Guides pay for it?",
             "When is the deadline?"]
    assert all(f'"{question}"' in cells["two"] for question in asked)
    lists = (["it", "they"], ["when", "did", "the", "is", "for"])
    assert [is_follow_up(question, turns("Who owes us?"), *lists) for question in asked] == [True, False, True]
    assert not any(is_follow_up(question, [], *lists) for question in asked)
    talk = turns("Who rents canoes?", "Brightwater rents canoes and Tarn tents.", "And stoves?")
    assert all(f'"{turn["text"]}"' in cells["three"] for turn in talk)
    assert topic_words(talk, 4, ["who", "and"]) == ["stoves", "Tarn", "rents", "canoes"]
    assert topic_words(talk, 5, ["who", "and"])[4] == "Brightwater"
    assert "canoes 1/2 + 1/3 = 0.83, Brightwater 1/2" in said and round(1 / 2 + 1 / 3, 2) == 0.83
    assert condensed("when did they pay?", ["March", "pay", "invoice", "march"]) == "when did they pay? March invoice"
    assert '"when did they pay? March invoice"' in said
    sizes = turns("a a a a", "b b b b b b", "c c", "d d d d", "e e e e")
    assert last_turns(sizes, 15) == sizes[2:] and "The last three, 10 words." in said
    assert long_form("CA", "the city in which an account") == "city in which an account"
    assert long_form("OK", "a smoke") == ""
    for short, most in (("PM", 4), ("SCIBL", 10)):
        first, *others = [f"{letter.lower()}x" for letter in short]
        for more in (0, 1):  # so many words are looked back over, and no further
            text = " ".join([first, *["z"] * (most - len(short) + more), *others, f"({short})"])
            assert (short in acronyms([text])) == (more == 0), (short, more)
    assert "4 (twice 2 is less than 2 + 5), and 10." in said
    pages = ["the claims office (CO)", "a chief officer (CO)", "the CHIEF OFFICER (CO)"]
    assert acronyms(pages) == {"CO": "chief officer"}
    question = "Does the US tax us on an HSA, and is an HSA a Health Savings Account?"
    out = spelled_out(question, {"HSA": "health savings account", "US": "United States"})
    assert f'"{question}"' in cells["eight"] and f'"{out}"' in said
    found = phrasings("pay bill", {"pay": ["p1", "p2", "p3"], "bill": ["b1", "b2", "b3"]}, 4)
    assert [text[0] for text in found] == ["p", "p", "p", "p"] and sum(" bill" in text for text in found) == 3
    assert found == ["pay bill", "p1 bill", "pay b1", "p2 bill"] and "two from the first word and one from" in said
    mean = mean_vector([1.0, 0.0], [[0.0, 1.0]] * 3)
    assert np.round(mean, 2).tolist() == [0.32, 0.95] and "(0.25, 0.75), which at length 1 is (0.32, 0.95)" in said


def test_it_shows_no_held_out_question(cells, larkspur):
    assert not [q for q in larkspur.queries if q.split == "held_out" and any(q.text in text for text in cells.values())]


@pytest.mark.parametrize("name, wrong", [
    (None, None), ("topic_words", lambda history, most, common: None), ("last_turns", lambda history, most: {}),
    ("condensed", lambda question, words: words)])
def test_the_talks_come_out_as_it_says_and_a_wrong_function_ends_them_with_a_sentence(notebook, larkspur, capsys, name,
                                                                                      wrong):
    cells = {cell.id: cell.source for cell in notebook.cells}
    functions = SimpleNamespace(last_turns=last_turns, is_follow_up=is_follow_up, topic_words=topic_words,
                                condensed=condensed)
    if name:
        setattr(functions, name, wrong)
    asked = [query for query in larkspur.queries if query.kind == "follow_up" and query.split == "dev"]
    exec(cells["talks-try"], {"follow_ups": asked, "larkspur": larkspur, "BM25": BM25, "POINTING": POINTING,
                              "COMMON": COMMON, "mine": "", "load": lambda _: functions})
    said = capsys.readouterr().out
    if name:
        assert "check(mine) says which function is not right yet." in said or "slip 12" not in said
    else:
        assert "among the first ten: typed 5, slip 12, of 15" in said
        assert "typed brings 5 of 15 among the first ten, and the slip 12" in cells["talks"]
