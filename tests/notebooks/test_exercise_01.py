"""Exercise 01: what it says about its functions is so, and its answers are what the functions give."""

import ast
import re
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest

from firstprinciples.generate import context
from firstprinciples.generate.context import along, best_last, bill, both_ends, fit, label, prompt, tokens
from firstprinciples.grading.hints import answer, hints
from firstprinciples.grading.tasks import tasks
from firstprinciples.retrieve.bm25 import BM25

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def notebook():
    return nbformat.read(ROOT / "notebooks" / "exercises" / "01_context.ipynb", as_version=4)


@pytest.fixture(scope="module")
def cells(notebook):
    """Return {cell id: source on one line}."""
    return {cell.id: " ".join(cell.source.split()) for cell in notebook.cells}


def test_it_names_every_function_in_its_order_and_says_how_long_they_are(cells):
    names = [name.partition(".")[2] for name in tasks("context")]
    headings = [re.search(r"## \d+\. .*?`(\w+)`", cells[id]).group(1)
                for id in ("one", "two", "three", "four", "five", "six", "seven", "eight")]
    assert headings == names
    lines = 0
    for name in tasks("context"):
        function = ast.parse(answer(name)).body[0]
        lines += function.body[-1].end_lineno - function.body[0].lineno + 1
    # the course's own leave the checks to helpers, and a learner writes them
    assert "eight functions, under fifty lines" in cells["title"] and len(names) == 8 and 25 <= lines < 40
    assert hints("context.tokens")


def test_the_answers(cells):
    said = cells["answers"]
    assert '"Pay the bill."' in cells["one"] and "1. 4: three are full" in said
    assert tokens("Pay the bill.") == 4 and len("Pay the bill.") == 13 and tokens("") == 0
    assert "2,000 tokens, a million tokens cost 5 dollars. What do 300 questions cost?" in cells["two"]
    assert bill(2_000, 300, 5) == 3 and "600,000 tokens, so 3 dollars" in said
    assert bill(0, 300, 5) == bill(2_000, 0, 5) == bill(2_000, 300, 0) == 0
    curve = {0: 80, 0.25: 60, 0.5: 50, 1: 70}
    assert f"{curve}" in cells["three"]
    assert [round(along(curve, *place), 6) for place in ((2, 9), (4, 6), (1, 1))] == [70, 54, 80]
    assert "3. 70, half way from 80 to 60; 54, a fifth of the way from 50 to 70; 80, since" in said
    assert best_last(["a", "b", "c", "d"]) == ["d", "c", "b", "a"]
    order = both_ends(list("abcdef"))
    assert f"5. {', '.join(order)}." in said and order.index("f") + 1 == 4 and "The weakest, f, stands fourth" in said
    lengths = [300, 900, 250, 60]
    assert "300, 900, 250 and 60 tokens" in cells["six"] and "600, and which with 610" in cells["six"]
    assert fit(lengths, 600) == [0, 2] and fit(lengths, 610) == [0, 2, 3]
    assert "550 tokens, and the 60 of the fourth are ten too many" in said and 300 + 250 + 60 == 610
    assert f'7. "{label(2, "price-list.txt", 3)}"' in said
    sources = [{"id": str(page), "document": "d", "page": page, "text": "one line"} for page in (1, 2, 3)]
    assert prompt("why?", sources, "note").split("\n").count("") == 4 and "\n\n" not in prompt("why?", [], "")
    assert "8. Four, one between each two of five parts. None." in said


def test_it_shows_no_held_out_question(cells, larkspur):
    assert not [q for q in larkspur.queries if q.split == "held_out" and any(q.text in text for text in cells.values())]


@pytest.mark.parametrize("name, wrong", [
    (None, None), ("tokens", lambda text: None), ("fit", lambda lengths, budget: [99]),
    ("prompt", lambda question, sources, note: None)])
def test_the_desks_come_out_as_it_says_and_a_wrong_function_ends_them_with_a_sentence(notebook, larkspur, capsys, name,
                                                                                      wrong):
    cells = {cell.id: cell.source for cell in notebook.cells}
    functions = SimpleNamespace(tokens=tokens, bill=bill, fit=fit, prompt=prompt)
    if name:
        setattr(functions, name, wrong)
    asked = [query for query in larkspur.queries if query.split == "dev" and larkspur.evidence[query.id]]
    chunks = larkspur.chunks[:40] if name else larkspur.chunks  # a few are enough to go wrong with
    exec(cells["desks-try"], {"asked": asked, "larkspur": larkspur, "search": BM25(chunks), "mine": "",
                              "chunks": {chunk.id: chunk for chunk in chunks}, "load": lambda _: functions,
                              "NOTE": context.NOTE, "PRICE": context.PRICE})
    out, said = capsys.readouterr().out, cells["desks"]
    if name:
        assert "check(mine) says which function is not right yet." in out
        return
    rows = {line.split()[0]: line.split() for line in out.splitlines()[1:7]}
    assert all(row[3] == str(len(asked)) for row in rows.values()) and f"The {len(asked)} questions" in said
    assert f"a budget of 100 tokens does it for {rows['100'][1]} questions, 1,600 for {rows['1600'][1]}:" in said
    assert f"has {int(rows['all'][4]):,} tokens and does it for {rows['all'][1]}," in said
    assert len(asked) - int(rows["all"][1]) == 6 and "The answers to the other six" in said
    assert f"cost {rows['all'][5]} dollars instead of {rows['1600'][5]}." in said
    assert context.NOTE in out and f"Question: {asked[0].text}" in out
