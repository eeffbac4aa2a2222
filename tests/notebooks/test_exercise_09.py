"""Exercise 09: what it says about its functions is so, and its answers are what the functions give."""

import ast
import re
from pathlib import Path
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest

from firstprinciples.grading.hints import answer, hints
from firstprinciples.grading.tasks import tasks
from firstprinciples.ingest.chunkers import gather, parent_child
from firstprinciples.ingest.chunking import (
    breaks,
    distances,
    fixed,
    headings,
    packed,
    quote_survives,
    sections,
    to_parents,
    windows,
)
from firstprinciples.retrieve.bm25 import BM25

PATH = Path(__file__).resolve().parent.parent.parent / "notebooks" / "exercises" / "09_chunking.ipynb"
NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


@pytest.fixture(scope="module")
def cells():
    """Return {cell id: source on one line}."""
    return {cell.id: " ".join(cell.source.split()) for cell in nbformat.read(PATH, as_version=4).cells}


def test_it_names_every_function_and_no_other(cells):
    names = [name.partition(".")[2] for name in tasks("chunking")]
    assert [re.search(r"## \d\. [^`]+`(\w+)`", cells[id])[1] for id in NUMBERS] == names
    used = {name for source in cells.values() for said in re.findall(r"for name in \[([^]]+)\]", source)
            for name in re.findall(r'"(\w+)"', said)}
    assert set(re.findall(r'"(\w+)"', cells["back"])) == used <= set(names)
    lines = sum(len(line) > 0 for name in tasks("chunking") for line in answer(name).splitlines()[2:])
    assert "nine functions, fifty-four lines" in cells["title"] and (len(names), lines) == (9, 54)
    assert hints("chunking.windows") and 'hint("chunking.windows")' in cells["title"]


def test_its_questions_are_there_to_practice_on(cells, larkspur):
    assert not [q for q in larkspur.queries if q.split == "held_out"
                and any(q.text in source for source in cells.values())]
    assert len([q for q in larkspur.queries if q.split == "dev" and q.text in cells["search-parents"]]) == 1


def test_the_answers(cells):
    said = cells["answers"]
    text = " ".join(f"w{i}" for i in range(300))
    at = fixed(text, 1, 0)

    def cut(size, overlap):
        """Return at how many of `size` places a quote of 18 words is cut."""
        return sum(not quote_survives(text, fixed(text, size, overlap), text[at[i][0]:at[i + 17][1]])
                   for i in range(100, 100 + size - overlap))

    assert f"1. At {cut(50, 0)}: a cut may fall into any of its 17 gaps" in said
    assert cut(50, 17) == 0 < cut(50, 16) and "17 words: one less than it has" in said
    found = windows(100, 30, 10)
    assert len(found) == 5 and [start for start, _ in found] == [0, 20, 40, 60, 80]
    assert f"from 0, 20, 40, 60 and 80. {sum(b - a for a, b in found)}." in said
    many = windows(100, 30, 29)
    assert f"{len(many)} windows with {sum(b - a for a, b in many):,} units" in said
    assert fixed("late  rent", 1, 0) == [(0, 4), (6, 10)] and "From 0 to 4, and from 6 to 10" in said
    assert len(packed([60] * 5, 100)) == 5 and "4. Five, of 60 words each" in said
    assert headings("#!/bin/sh\n# install first\n") == [(10, 1, "install first")]
    assert headings("```\n#!/bin/sh\n# install first\n```\n") == [] and "5. The second" in said

    def deep(*levels):
        return [len(path) for _, _, path in sections("".join(f"{'#' * level} t\n" for level in levels))]

    assert f"6. {', '.join(map(str, deep(1, 2, 3, 2, 1)))}. And {', '.join(map(str, deep(1, 3, 2)))}:" in said
    right, same = distances([[1.0, 0.0], [0.0, 1.0], [0.0, 2.0]])
    assert f"7. {right:g}. {abs(same):g}: the length" in said
    draw = np.random.default_rng(2)
    for spread in (1.0, 1e-3):  # all over the place, and nearly alike
        assert len(breaks((0.5 + spread * draw.random(40) / 2).tolist(), 95)) == 2
    assert "8. Two of 40. Two as well" in said
    parent_of = {"a1": "A", "a2": "A", "a3": "A", "b1": "B"}
    assert to_parents([("b1", 7.0), ("a1", 6.0), ("a2", 5.0), ("a3", 5.0)], parent_of) == [("B", 7.0), ("A", 6.0)]
    assert f"B, with 7 against 6. A, with {6 + 5 + 5}. B, with 7 against {16 / 3:.2f}" in said


def test_no_other_packing_of_neighbors_needs_fewer():
    draw = np.random.default_rng(3)
    for _ in range(200):
        lengths = draw.integers(1, 9, draw.integers(1, 9)).tolist()
        fewest = min(bin(cuts).count("1") + 1 for cuts in range(2 ** (len(lengths) - 1)) if all(
            sum(part) <= 10 for part in _parts(lengths, cuts)))
        assert len(packed(lengths, 10)) == fewest


def _parts(lengths, cuts):
    """Return the lengths cut behind each place whose bit is 1."""
    parts = [[lengths[0]]]
    for place, length in enumerate(lengths[1:]):
        if cuts >> place & 1:
            parts.append([])
        parts[-1].append(length)
    return parts


def test_the_section_holds_what_the_paragraph_lacks(cells, larkspur):
    [query] = [query for query in larkspur.queries if query.text in cells["search-parents"]]
    children, _, parent_of = gather(larkspur.documents, parent_child())
    found = [tuple(hit) for hit in BM25(children).search(query.text, 8)]
    [answered] = {id for _, ids in larkspur.evidence[query.id] for id in ids}
    assert answered not in [id for id, _ in found[:3]]
    assert parent_of[answered] in [id for id, _ in to_parents(found, parent_of)[:3]]
    texts = {child.id: child.text.lower() for child in children}
    document, _, number = answered.partition("#")
    assert "snake" not in texts[answered] and "snake" in texts[f"{document}#{int(number) - 1}"]


@pytest.mark.parametrize("cell, name, wrong", [
    ("search-cut", "fixed", lambda text, size, overlap: None), ("search-cut", "quote_survives", lambda *_: None),
    ("search-parents", "to_parents", lambda ranked, parent_of: [parent_of[score] for _, score in ranked]),
    ("search-parents", "to_parents", lambda ranked, parent_of: None)])
def test_a_function_that_is_not_right_yet_ends_the_cell_with_a_sentence(larkspur, capsys, cell, name, wrong):
    source = next(each.source for each in nbformat.read(PATH, as_version=4).cells if each.id == cell)
    functions = SimpleNamespace(fixed=fixed, quote_survives=quote_survives, to_parents=to_parents)
    few = {document.id: document.text for document in larkspur.documents[:2]}
    space = {"texts": few, "quotes": [(id, text[:20]) for id, text in few.items()], "larkspur": larkspur, "mine": "",
             "load": lambda _: functions, "gather": gather, "parent_child": parent_child, "BM25": BM25}
    exec(source, space)
    assert "check(mine)" not in capsys.readouterr().out
    setattr(functions, name, wrong)
    exec(source, space)
    assert "check(mine) says which function is not right yet." in capsys.readouterr().out


def test_some_quotes_are_longer_than_twenty_five_words(larkspur):
    lengths = [len(piece["quote"].split()) for query in larkspur.queries if query.split == "dev"
               for piece in query.evidence]
    assert 25 < max(lengths)


def test_the_cells_are_code_that_can_be_read():
    for cell in nbformat.read(PATH, as_version=4).cells:
        if cell.cell_type == "code":
            ast.parse(cell.source)
            assert max(map(len, cell.source.splitlines())) <= 120
