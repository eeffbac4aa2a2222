"""Exercise 07: what it says about its functions is so, and its answers are what the functions give."""

import ast
import re
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest

from firstprinciples.evaluate import failure
from firstprinciples.evaluate.answering import verdict
from firstprinciples.grading.hints import answer, hints
from firstprinciples.grading.tasks import tasks
from firstprinciples.pipeline import Pipeline
from firstprinciples.retrieve.bm25 import BM25

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def notebook():
    return nbformat.read(ROOT / "notebooks" / "exercises" / "07_failure.ipynb", as_version=4)


@pytest.fixture(scope="module")
def cells(notebook):
    """Return {cell id: source on one line}."""
    return {cell.id: " ".join(cell.source.split()) for cell in notebook.cells}


def test_it_names_every_function_in_its_order_and_says_how_long_they_are(cells):
    names = [name.partition(".")[2] for name in tasks("failure")]
    headings = [re.search(r"## \d+\. .*?`(\w+)`", cells[id]).group(1)
                for id in ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")]
    assert headings == names
    lines = 0
    for name in tasks("failure"):
        function = ast.parse(answer(name)).body[0]
        body = function.body[1:] if ast.get_docstring(function) else function.body
        lines += body[-1].end_lineno - body[0].lineno + 1
    assert "nine functions, under fifty lines" in cells["title"] and len(names) == 9 and 40 <= lines < 50
    assert hints("failure.holds")


def test_the_answers_about_one_question(cells):
    said = cells["answers"]
    texts = ["In winter ropes hang", "the ropes hang\ninside, dry", "Ropes hang inside", "ropes mostly hang inside"]
    assert [failure.holds(text, "ropes hang inside") for text in texts] == [False, True, False, False]
    assert "1. The second alone." in said and '"the ropes hang", a line break and "inside, dry"' in cells["one"]
    chunks = [{"id": id, "document": "d", "text": text} for id, text in
              [("A", "due on May 2"), ("B", "on May 2 by check"), ("C", "late")]]
    assert failure.holders("on May 2", "d", chunks) == ["A", "B"] and "2. Two: both hold it whole. None, []" in said
    assert failure.holders("check late", "d", chunks) == []
    there = failure.reached("on May 2", "d", {"d": "due on May 2 by check late"}, chunks, ["B", "C"], ["A", "C"])
    assert there == [True] * 4 and "3. Yes, yes, yes, yes" in said
    assert failure.first_loss([True, True, False, True]) == "retrieval" and "4. Retrieval:" in said
    assert failure.first_loss([True] * 4) == "generation" and "Generation: the reader" in said
    assert failure.earliest(["ranking", "chunking", "generation"]) == "chunking" and "5. Chunking." in said
    assert failure.judge(True, ["generation", "retrieval"]) == {"place": "retrieval", "luck": True}
    assert '6. {"place": "retrieval", "luck": True}' in said and "Generation, and no luck." in said
    assert failure.judge(False, []) == {"place": "generation", "luck": False}


def test_the_answers_about_many(cells):
    said = cells["answers"]
    assert list(failure.tally(["ranking", "", "ranking"]).values()) == [0, 0, 0, 2, 0] and "7. 0, 0, 0, 2, 0." in said
    shares = failure.surviving(["ingestion", "ranking", "", ""])
    assert f"8. {', '.join(f'{share:g}' for share in shares)}." in said
    row = failure.confusions(["ranking"] * 4, ["retrieval", "ranking", "retrieval", "generation"])["ranking"]
    assert row == {"ingestion": 0, "chunking": 0, "retrieval": 2, "ranking": 1, "generation": 1}
    assert "9. Retrieval 2, ranking 1, generation 1, and 0 for the other two." in said


def test_it_shows_no_held_out_question(cells, larkspur):
    assert not [q for q in larkspur.queries if q.split == "held_out" and any(q.text in text for text in cells.values())]


@pytest.fixture(scope="module")
def words(larkspur):
    return Pipeline(larkspur.chunks, [BM25(larkspur.chunks)], documents=larkspur.documents)


@pytest.mark.parametrize("name, wrong", [
    (None, None), ("reached", lambda *_: None), ("first_loss", lambda reached: "nowhere"),
    ("judge", lambda *_: "right"), ("tally", lambda places: None), ("surviving", lambda places: None)])
def test_the_tree_does_what_it_says_and_a_wrong_function_ends_it_with_a_sentence(notebook, larkspur, words, capsys,
                                                                                 name, wrong):
    cells = {cell.id: cell.source for cell in notebook.cells}
    functions = SimpleNamespace(**{task.partition(".")[2]: getattr(failure, task.partition(".")[2])
                                   for task in tasks("failure")})
    if name:
        setattr(functions, name, wrong)
    asked = [query for query in larkspur.queries if query.split == "dev" and query.evidence]
    exec(cells["all-try"], {
        "asked": asked[:4] if name else asked, "words": words, "mine": "", "load": lambda _: functions,
        "documents": {document.id: document.text for document in larkspur.documents}, "verdict": verdict,
        "chunks": [{"id": c.id, "document": c.document, "text": c.text} for c in larkspur.chunks]})
    out, said = capsys.readouterr().out, " ".join(cells["all"].split())
    if name:
        assert "check(mine) says which function is not right yet." in out
        return
    rows = dict(line.split() for line in out.splitlines()[:5])
    assert list(rows) == list(failure.PLACES) and f"Each of the {len(asked)} questions" in said
    right, luck = re.search(r"right (\d+), by luck (\d+)", out).groups()
    assert f"{len(asked) - int(right)} are not answered rightly: {rows['ingestion']} are lost in ingestion, " \
        f"{rows['chunking']} in chunking, {rows['retrieval']} in retrieval, {rows['ranking']} in ranking and " \
        f"{rows['generation']} in generation. Of the {right} right answers {luck} are luck." in said
    assert f"retrieval loses {rows['retrieval']}, generation {rows['generation']}" in cells["think"]
