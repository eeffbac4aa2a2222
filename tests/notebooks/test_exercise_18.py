"""Exercise 18: what it says about its functions is so, and its answers are what the functions give."""

import ast
import re
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest

from firstprinciples.generate.answer import (
    answer_line,
    best_of_each,
    best_quotes,
    citations,
    declining,
    numbers_in,
    receipt,
    risk_coverage,
    support,
    unsupported,
)
from firstprinciples.generate.context import label
from firstprinciples.grading.hints import answer, hints
from firstprinciples.grading.tasks import tasks
from firstprinciples.ingest.chunking import sentences
from firstprinciples.retrieve.bm25 import BM25, idf
from firstprinciples.text import tokenize

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def notebook():
    return nbformat.read(ROOT / "notebooks" / "exercises" / "18_answer.ipynb", as_version=4)


@pytest.fixture(scope="module")
def cells(notebook):
    """Return {cell id: source on one line}."""
    return {cell.id: " ".join(cell.source.split()) for cell in notebook.cells}


def test_it_names_every_function_in_its_order_and_says_how_long_they_are(cells):
    names = [name.partition(".")[2] for name in tasks("answer")]
    headings = [re.search(r"## \d+\. .*?`(\w+)`", cells[id]).group(1)
                for id in ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")]
    assert headings == names
    lines = 0
    for name in tasks("answer"):
        function = ast.parse(answer(name)).body[0]
        lines += function.body[-1].end_lineno - function.body[0].lineno + 1
    # the course's own leave some checks to helpers, and a learner writes them
    assert "ten functions, under a hundred lines" in cells["title"] and len(names) == 10 and 50 <= lines < 90
    assert hints("answer.support")


def test_the_answers_about_quotes(cells):
    said, rarity = cells["answers"], {"total": 1, "invoice": 0.5, "1042": 3}
    question = list(rarity)
    assert "the rarity of total is 1, of invoice 0.5, of 1042 it is 3" in cells["one"]
    shares = [support(question, ["invoice", "1042"], rarity), support(question, ["total", "invoice"], rarity),
              support(question, ["total", "invoice"], {"total": 1, "invoice": 0.5})]
    assert [round(share, 2) for share in shares] == [0.78, 0.33, 0.6]
    assert "3.5 of 4.5, 0.78, and 1.5 of 4.5, 0.33" in said and "1.5 of 2.5, 0.6." in said
    scores = [0.2, 0.7, 0.5, 0.7]
    assert ", ".join(map(str, scores)) in cells["two"]
    assert best_quotes(scores, 0.5, 2) == [1, 3] and best_quotes(scores, 0.71, 2) == []
    scores, pages = [0.9, 0.8, 0.7, 0.6, 0.65], ["A"] * 4 + ["B"]
    assert "0.9, 0.8, 0.7 and 0.6, page B one with 0.65" in cells["three"]
    assert best_quotes(scores, 0.5, 3) == [0, 1, 2] and best_of_each(scores, pages, 0.5) == [0, 4]
    assert "3. [0, 1, 2], three lines of page A, and [0, 4]." in said
    assert label(1, "invoice-1042", 2) in cells["four"] and f'4. "{receipt("invoice-1042", 2)}"' in said
    assert r'("Paid.", "ledger", 6) and ("Thank\nyou.", "bill-7", 1)' in cells["five"]
    assert f'5. "{answer_line([("Paid.", "ledger", 6), ("Thank" + chr(10) + "you.", "bill-7", 1)])}"' in said
    assert f'"{answer_line([])}"' in said


def test_the_answers_about_a_models_answer_and_about_silence(cells):
    said = cells["answers"]
    text = "Paid [3], late [1, 3]; see [invoice 7], [2-4] and (5)."
    assert f'"{text}"' in cells["six"] and citations(text) == [1, 3] and "6. 1 and 3." in said
    text = "Invoice 1042: $1,284.50, part LK-204-B, 3."
    listed = ", ".join(f'"{number}"' for number in numbers_in(text))
    assert f'"{text}"' in cells["seven"] and f"7. {listed}." in said
    pages = ["The total due is $1,284.50.", "Paid on April 9."]
    sentences = ["It is 284.50 [1].", "Paid on April 9 [1].", "All is well [2].", "All is well."]
    assert all(f'"{each}"' in cells["eight"] for each in [*pages, *sentences])
    assert unsupported(sentences, pages) == [sentences[0], sentences[1], sentences[3]]
    confidence, right = [0.9, 0.4, 0.9, 0.6, 0.2], [True, False, False, True, False]
    assert ", ".join(map(str, confidence)) in cells["nine"] and "right, wrong, wrong, right, wrong" in cells["nine"]
    rows = risk_coverage(confidence, right)
    best = min(rows, key=lambda row: row[2])
    assert len(rows) == 4 and best[0] == 0.6 and best[2] == pytest.approx(1 / 3) and rows[0][2] == 0.5
    assert "9. Four, since two are equally sure. 0.6, with one wrong answer of three" in said
    assert declining([False] * 3, [True, True, False]) == (1.0, 0.0)
    assert declining([True] * 3, [True, True, False]) == (0.0, 1.0) and "10. (1.0, 0.0) and (0.0, 1.0)." in said


def test_it_shows_no_held_out_question(cells, larkspur):
    assert not [q for q in larkspur.queries if q.split == "held_out" and any(q.text in text for text in cells.values())]


@pytest.mark.parametrize("name, wrong", [
    (None, None), ("support", lambda question, sentence, rarity: None), ("best_quotes", lambda scores, least, most: []),
    ("risk_coverage", lambda confidence, right: []), ("declining", lambda answered, answerable: None)])
def test_the_reader_does_what_it_says_and_a_wrong_function_ends_it_with_a_sentence(notebook, larkspur, capsys, name,
                                                                                   wrong):
    cells = {cell.id: cell.source for cell in notebook.cells}
    functions = SimpleNamespace(support=support, best_quotes=best_quotes, answer_line=answer_line,
                                risk_coverage=risk_coverage, declining=declining)
    if name:
        setattr(functions, name, wrong)
    asked = [query for query in larkspur.queries if query.split == "dev"]
    chunks = larkspur.chunks[:40] if name else larkspur.chunks  # a few are enough to go wrong with
    exec(cells["reader-try"], {
        "asked": asked[:4] + asked[-4:] if name else asked, "search": BM25(chunks), "mine": "", "idf": idf,
        "chunks": {chunk.id: chunk for chunk in chunks}, "load": lambda _: functions, "sentences": sentences,
        "tokenize": tokenize})
    out, said = capsys.readouterr().out, " ".join(cells["reader"].split())
    if name:
        assert "check(mine) says which function is not right yet." in out
        return
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines()[-5:]}
    without = sum(not query.evidence for query in asked)
    assert f"The {len(asked)} questions" in said and rows["0.0"][0] == str(len(asked))
    assert f"right for {rows['0.0'][1]} of the {len(asked) - without} questions that have an answer" in said
    assert rows["0.0"][3] == "0.00" and f"each of the {without} that have none" in said
    silent = round(float(rows["0.3"][3]) * without)
    assert f"silent at {silent} of the {without}, and at two thirds of the others" in said
    assert rows["0.3"][4] == "0.33" and f"share of 9 of {without}" in cells["think"]
