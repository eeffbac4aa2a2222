"""Chunking: worked cases, what must hold on random text of several scripts, bad input, and learners' functions."""

import random
import re

import numpy as np
import pytest

from firstprinciples.corpus import Chunk, Collection, Document, find_evidence, paragraphs
from firstprinciples.encode.biencoder import toy
from firstprinciples.ingest import chunkers, chunking, marks
from firstprinciples.ingest.chunkers import (
    CHUNKERS,
    FAMILIES,
    by_functions,
    by_meaning,
    by_sections,
    by_sentences,
    by_words,
    gather,
    in_documents,
    parent_child,
    sentence_windows,
)
from firstprinciples.ingest.chunking import (
    breaks,
    distances,
    fixed,
    headings,
    packed,
    quote_survives,
    sections,
    sentences,
    to_parents,
    windows,
    words_at,
)
from firstprinciples.ingest.source_code import functions
from firstprinciples.swap import use

# Words of several scripts, with combining marks, and what stands between them. No emoji.
SCRIPTS = {
    "Latin": ["cafe\u0301", "nai\u0308ve", "tents", "Mr.", "p.m.", "LK-204.B", "1,284.50", "e.g.", "don't"],
    "Cyrillic": ["палатка", "счёт.", "оплачен", "и\u0306од", "№"],
    "Arabic": ["الفاتورة", "مَدْفُوعَة", "؟", "اليوم."],
    "Hindi": ["भुगतान", "किताबें", "है।", "नहीं"],
    "Korean": ["초과근무", "수당을", "지급한다.", "\u1112\u1161\u11ab\u1100\u1173\u11af"],
    "Chinese": ["合約", "到期。", "請付款！", "他說：「好。」"],
    "Japanese": ["請求書", "は", "まだです。", "テント", "か\u3099"],
    "Markdown": ["# A", "##", "```", "~~~", "| a | b |", "- item", "1. item", "****", "---"],
}
BETWEEN = [" ", "  ", "\n", "\n\n", "\r\n", "\r\n\r\n", "\r", "\t", "\u00a0", "\u3000", "\u2028", "\x0b", "\x0c",
           "\x1c"]


def random_text(seed, words=60):
    """Return a text of words of one or all scripts, with all sorts of white space between them and at the ends."""
    draw = random.Random(seed)
    scripts = list(SCRIPTS.values()) if draw.random() < 0.4 else [draw.choice(list(SCRIPTS.values()))]
    pool = [word for script in scripts for word in script] + [".", "!", "…"]
    text = draw.choice(["", *BETWEEN])
    for _ in range(draw.randint(0, words)):
        text += draw.choice(pool) + draw.choice([" ", " ", *BETWEEN, ""])
    return text


TEXTS = [random_text(seed) for seed in range(250)]


def document(text, **more):
    return Document("d", "D", text, {"type": "note"}, **more)


def ink(text):
    """Return the places of all characters that are no white space."""
    return {match.start() for match in re.finditer(r"\S", text)}


def covered(spans):
    return {place for start, end, *_ in spans for place in range(start, end)}


class Letters:
    """An encoder of three numbers: how often three letters occur."""

    dim = 3

    def encode_passages(self, texts):
        return np.array([[text.count(letter) for letter in "ae "] for text in texts], dtype=float)


ALL = {
    "words": by_words(5, 2), "words, no overlap": by_words(3, 0), "words, all but one": by_words(4, 3),
    "sentences": by_sentences(6), "sections": by_sections, "functions": by_functions,
    "meaning": by_meaning(Letters(), percent=60), "single sentences": lambda d: sentence_windows(1)(d)[0],
    "sentence windows": lambda d: sentence_windows(1)(d)[1], "parents": lambda d: parent_child()(d)[1],
}

# Random text of several scripts


@pytest.mark.parametrize("name", ALL)
def test_every_chunk_is_a_piece_of_its_document_and_nothing_is_lost(name):
    for text in TEXTS:
        chunks = ALL[name](document(text, pages=((0, 3), (40, 4), (90, 7))))
        for number, chunk in enumerate(chunks, 1):
            assert isinstance(chunk, Chunk) and chunk.document == "d"
            assert re.fullmatch(rf"d#([a-z]+-)?{number}", chunk.id)
            assert chunk.text == text[chunk.start : chunk.end]
            assert chunk.text == chunk.text.strip() != ""
            assert chunk.page == (3 if chunk.start < 40 else 4 if chunk.start < 90 else 7)
            assert chunk.metadata["type"] == "note"
        assert ink(text) <= covered([(chunk.start, chunk.end) for chunk in chunks])


def test_windows_over_random_sizes():
    draw = random.Random(1)
    for _ in range(400):
        n, size = draw.randint(0, 80), draw.randint(1, 30)
        overlap = draw.randint(0, size - 1)
        found = windows(n, size, overlap)
        assert covered(found) == set(range(n))
        assert len(found) == (max(-(-(n - overlap) // (size - overlap)), 1) if n else 0)
        for (first, end), (following, last) in zip(found, found[1:], strict=False):
            assert end - first == size and following == first + size - overlap  # it moves on
            assert end - following == overlap and last > end  # and shows something new
        if found:
            assert found[0][0] == 0 and found[-1][1] == n


def test_fixed_shares_whole_words_in_any_script():
    for text in TEXTS:
        words = words_at(text)
        assert [text[start:end] for start, end in words] == re.findall(r"\S+", text) or re.search(
            f"[{chunking.NO_SPACES}]", text)
        found = fixed(text, size=5, overlap=2)
        held = [[word for word in words if start <= word[0] and word[1] <= end] for start, end in found]
        assert [len(each) for each in held[:-1]] == [5] * len(held[:-1])
        assert all(one[-2:] == other[:2] for one, other in zip(held, held[1:], strict=False))
        for start, end in found:  # it begins and ends with a word
            assert start in {word[0] for word in words} and end in {word[1] for word in words}


def test_words_sentences_and_sections_lie_in_order_and_do_not_overlap():
    for text in TEXTS:
        for spans in (words_at(text), sentences(text)):
            assert covered(spans) >= ink(text)
            assert all(a < b <= c for (a, b), (c, _) in zip(spans, spans[1:], strict=False))
        for cut in (sections(text), functions(text)):
            assert "".join(text[start:end] for start, end, _ in cut) == text
            assert all(start < end for start, end, _ in cut)


def test_lines_are_those_of_the_text():
    for text in TEXTS:
        found = marks.lines(text)
        assert "".join(text[start:end] for start, end, _ in found) == text
        plain = text.replace("\r\n", "\n").replace("\r", "\n")
        assert [kind for _, _, kind in found] == [kind for _, _, kind in marks.lines(plain)]


def test_each_kind_of_line_break_cuts_alike():
    text = "# A\n\nOne. Two\nthree.\n\n- four\n  five\n\n```\n# six\n```\n\n## B\n\ndef f():\n    pass\n"
    for line_break in ("\r\n", "\r"):
        other = text.replace("\n", line_break)
        for name, chunker in ALL.items():
            if name == "parents":  # its children are those of corpus.paragraphs, which reads no lone \r
                continue
            plain = [chunk.text.split() for chunk in chunker(document(text))]
            assert [chunk.text.split() for chunk in chunker(document(other))] == plain, name


def test_packs_hold_the_limit_and_are_as_full_as_they_can_be():
    draw = random.Random(2)
    for _ in range(300):
        lengths = [draw.randint(0, 12) for _ in range(draw.randint(0, 30))]
        limit = draw.randint(1, 20)
        found = packed(lengths, limit)
        assert [place for first, last in found for place in range(first, last)] == list(range(len(lengths)))
        for number, (first, last) in enumerate(found):
            assert sum(lengths[first:last]) <= limit or last == first + 1
            if number + 1 < len(found):
                assert sum(lengths[first : last + 1]) > limit


# Worked cases


def test_the_reported_cases():
    # fifty words of three letters, windows of 50 with 49 in common: one window of words, and it ends
    text = "abc\n" * 50
    assert fixed(text, 50, 49) == [(0, 199)]
    # and in characters, which is the case that others never came out of
    found = windows(len(text), 50, 49)
    assert found[0] == (0, 50) and found[-1] == (150, 200) and len(found) == 151
    with pytest.raises(ValueError, match="overlap is 50 and size 50; the overlap must be smaller"):
        windows(len(text), 50, 50)
    with pytest.raises(ValueError, match="smaller than the size"):
        by_words(size=50, overlap=50)


@pytest.mark.parametrize(("n", "size", "overlap", "right"), [
    (0, 3, 1, []), (1, 3, 1, [(0, 1)]), (3, 3, 2, [(0, 3)]), (4, 3, 2, [(0, 3), (1, 4)]), (5, 1, 0, [
        (0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]), (7, 3, 1, [(0, 3), (2, 5), (4, 7)]), (8, 3, 1, [
            (0, 3), (2, 5), (4, 7), (6, 8)]), (6, 10**30, 5, [(0, 6)]), (6, 3, 0, [(0, 3), (3, 6)])])
def test_windows_by_value(n, size, overlap, right):
    assert windows(n, size, overlap) == right


@pytest.mark.parametrize("bad", [True, 2.0, "3", None, 0, -1, np.bool_(True), np.float64(2), [2]])
def test_a_size_is_a_whole_number_from_1(bad):
    for call in (lambda: windows(9, bad, 0), lambda: fixed("a b", bad, 0), lambda: packed([1], bad),
                 lambda: by_words(bad, 0), lambda: by_sentences(bad)):
        with pytest.raises(ValueError, match=r"must be (a whole number|1 or more)\.$"):
            call()


@pytest.mark.parametrize("bad", [True, 1.0, "1", None, -1])
def test_an_overlap_is_a_whole_number_from_0(bad):
    for call in (lambda: windows(9, 5, bad), lambda: fixed("a b", 5, bad), lambda: by_words(5, bad),
                 lambda: windows(bad, 5, 1), lambda: packed([2, bad], 5), lambda: sentence_windows(bad)):
        with pytest.raises(ValueError, match=r"must be (a whole number|0 or more)\.$"):
            call()


def test_numpy_numbers_are_numbers():
    assert windows(np.int64(5), np.uint8(4), np.int8(1)) == [(0, 4), (3, 5)]
    assert all(type(end) is int for span in windows(np.int64(5), np.uint8(4), np.int8(1)) for end in span)
    assert packed(np.array([3, 3, 3]), 6) == [(0, 2), (2, 3)]


@pytest.mark.parametrize(("text", "right"), [
    ("Mr. Rourke owes $1,284.50. He was told.", ["Mr. Rourke owes $1,284.50.", "He was told."]),
    ("Dr. J. Pemberlain came at 5 p.m. and left.", ["Dr. J. Pemberlain came at 5 p.m. and left."]),
    ("We close at 5 p.m. The dock opens at 6 a.m. on Monday.",
     ["We close at 5 p.m.", "The dock opens at 6 a.m. on Monday."]),
    ("See No. 3 and LK-204.B. Or not. No. Never.", ["See No. 3 and LK-204.B.", "Or not.", "No.", "Never."]),
    ("Tents, etc. are sold. Pegs etc. Not stoves.", ["Tents, etc. are sold.", "Pegs etc.", "Not stoves."]),
    ("Use small parts, e.g. Pegs. I.e. Those in red.", ["Use small parts, e.g. Pegs.", "I.e. Those in red."]),
    ('"Stop!" he said. "Why?" "Because."', ['"Stop!" he said.', '"Why?"', '"Because."']),
    ("Wait... what? Yes… no. Well… Then go!", ["Wait... what?", "Yes… no.", "Well…", "Then go!"]),
    ("It was late (very late.) Then it came.", ["It was late (very late.)", "Then it came."]),
    ("It is mine. So am I. You know.", ["It is mine.", "So am I.", "You know."]),
    ("hello there. how are you.", ["hello there.", "how are you."]),
    ("**Bold.** Plain.", ["**Bold.**", "Plain."]),
    ("合約到期。請付款！「好。」他說。", ["合約到期。", "請付款！", "「好。」", "他說。"]),
    ("भुगतान हुआ। धन्यवाद।", ["भुगतान हुआ।", "धन्यवाद।"]),
    ("هل دُفعت؟ نعم.", ["هل دُفعت؟", "نعم."]),
    ("Оплачен счёт. Да!", ["Оплачен счёт.", "Да!"]),
    ("초과근무는 없다. 끝.", ["초과근무는 없다.", "끝."]),
    ("One line\nand the next. Two\n\nparagraphs", ["One line\nand the next.", "Two", "paragraphs"]),
    ("# 1. A title. Or two\nText. More.", ["# 1. A title. Or two", "Text.", "More."]),
    ("Rates:\n| a. B | c |\n|---|---|\n| 1. | 2 |\nend.",
     ["Rates:", "| a. B | c |", "|---|---|", "| 1. | 2 |", "end."]),
    ("1. Lift it. Slowly.\n2. Put it\n   down.\n- a\n- b",
     ["1. Lift it.", "Slowly.", "2. Put it\n   down.", "- a", "- b"]),
    ("Run:\n```\na. B\n\n# c. D\n```\nDone. Yes.", ["Run:", "```\na. B\n\n# c. D\n```", "Done.", "Yes."]),
    ("", []), (" \n\t", []), ("...", ["..."]), (".", ["."]), ("no end", ["no end"]),
])
def test_sentences_by_value(text, right):
    assert [text[start:end] for start, end in sentences(text)] == right


def test_headings_by_value():
    text = ("intro\n# One\n#tag\n####### seven\n ## Two words ##\n   ### C#\n    # code\n# \n#\n###### Six \t\n"
            "```python\n# comment\n~~~\n```\n~~~\n## hidden\n```\n~~~~\n# Last #\r\n```\n# never closed\n")
    assert [(level, title) for _, level, title in headings(text)] == [
        (1, "One"), (2, "Two words"), (3, "C#"), (6, "Six"), (1, "Last")]
    assert all(text[start] == "#" and (start == 0 or text[start - 1] in " \n") for start, _, _ in headings(text))
    assert headings("") == headings("no heading") == headings("```\n# a") == []
    assert headings("```a``` b\n# A") == [(10, 1, "A")]  # code within a line opens no fence


def test_sections_by_value():
    text = "memo\n# A\na\n### deep\nb\n## B\nc\n# Z\n"
    assert sections(text) == [(0, 5, []), (5, 11, ["A"]), (11, 22, ["A", "deep"]), (22, 29, ["A", "B"]),
                              (29, 33, ["Z"])]
    assert sections("") == []
    assert sections("no heading") == [(0, 10, [])]
    assert sections("\n## B\n# A\n")[1:] == [(1, 6, ["B"]), (6, 10, ["A"])]


def test_sections_chunks_have_a_path_and_leave_the_document_alone():
    text = "Front.\n\n# Leave\n\n## Annual\n\n18 days.\n\n## Unpaid\n\n# Illness\n\n8 days.\n\n# End\n"
    source = document(text)
    chunks = by_sections(source)
    assert [(chunk.metadata["path"], chunk.text.split("\n")[0]) for chunk in chunks] == [
        ([], "Front."), (["Leave", "Annual"], "# Leave"), (["Illness"], "## Unpaid"), (["End"], "# End")]
    assert source.metadata == {"type": "note"}
    assert chunks[0].metadata["path"] is not chunks[1].metadata["path"]
    assert [chunk.text for chunk in by_sections(document("# A\n\n## B\n"))] == ["# A\n\n## B"]  # only headings


def test_a_quote_survives_whole_or_not_at_all():
    text = "The rate  rose\nto 4 percent.\r\n\r\nSales fell."
    assert quote_survives(text, [(0, len(text))], "rate rose to 4\tpercent. Sales")
    assert not quote_survives(text, [(0, 15), (15, 50)], "rose to 4")
    assert not quote_survives(text, [], "rose")
    assert not quote_survives(text, [(0, 50)], "Rose")
    for quote in ("", " \n"):
        with pytest.raises(ValueError, match="The quote is empty"):
            quote_survives(text, [(0, 5)], quote)


def test_a_quote_survives_where_evidence_says_so():
    larkspur = Collection.load("larkspur")
    by_id = {each.id: each for each in larkspur.documents}
    for size, overlap in ((60, 0), (60, 30)):
        chunks = [chunk for each in larkspur.documents for chunk in by_words(size, overlap)(each)]
        spans = {}
        for chunk in chunks:
            spans.setdefault(chunk.document, []).append((chunk.start, chunk.end))
        seen = set()
        for query in [q for q in larkspur.queries if q.split == "dev"][:40]:
            for piece, (_, held) in zip(query.evidence, find_evidence(query, chunks), strict=True):
                if piece["document"] in by_id:
                    found = quote_survives(by_id[piece["document"]].text, spans[piece["document"]], piece["quote"])
                    assert found == bool(held)
                    seen.add(found)
        assert seen == {True, False}


def test_distances_by_value():
    assert distances([[1, 0], [1, 1], [-1, -1], [0, 0], [5, 5]]).round(6).tolist() == [0.292893, 2.0, 1.0, 1.0]
    assert distances([]).shape == distances([[1.0, 2.0]]).shape == distances(np.zeros((0, 4))).shape == (0,)
    rows = np.random.default_rng(0).normal(size=(30, 7))
    plain = [1 - float(a @ b) / float(np.sqrt((a @ a) * (b @ b))) for a, b in zip(rows, rows[1:], strict=False)]
    assert np.allclose(distances(rows), plain, atol=1e-12)
    assert np.allclose(distances(rows * 1000), plain, atol=1e-12)
    with pytest.raises(ValueError, match="nan or infinity"):
        distances([[1.0, np.nan], [1.0, 2.0]])


@pytest.mark.parametrize(("values", "percent", "right"), [
    ([0.1, 0.5, 0.3, 0.9], 50, [1, 3]), ([0.1, 0.5, 0.3, 0.9], 100, []), ([0.1, 0.5, 0.3, 0.9], 0, [1, 2, 3]),
    ([0.3, 0.3, 0.3], 0, []), ([0.3, 0.3, 0.3], 95, []), ([0.7], 50, []), ([], 95, []), ([0, 0, 0, 1], 95, [3]),
    ([0.1, 0.9, 0.9, 0.9], 75, []), ([1, 2, 3, 4, 5], 60, [3, 4]),
    ([0.3, 0.1 + 0.2, 0.3], 50, [])])  # an error of rounding is no new topic
def test_breaks_by_value(values, percent, right):
    assert breaks(values, percent) == right == breaks(np.array(values), percent)


@pytest.mark.parametrize("percent", [-1, 100.5, np.nan, np.inf, "95", None, True, [95]])
def test_a_percentile_goes_from_0_to_100(percent):
    with pytest.raises(ValueError, match="percent"):
        breaks([0.1, 0.2], percent)
    with pytest.raises(ValueError, match="percent"):
        by_meaning(toy(), percent)


@pytest.mark.parametrize("bad", [[0.1, np.nan], [np.inf], ["a"], [[1], [2, 3]], [[0.1]], 3, None])
def test_distances_are_finite_numbers(bad):
    with pytest.raises(ValueError, match="distances must be finite numbers"):
        breaks(bad, 95)


def test_to_parents_by_value():
    parent_of = {"c1": "A", "c2": "A", "c3": "B", "c4": "C", "c5": "B"}
    assert to_parents([("c3", 2.0), ("c1", 2.0), ("c2", 9.0), ("c4", -1.0), ("c5", 1.0)], parent_of) == [
        ("A", 9.0), ("B", 2.0), ("C", -1.0)]
    assert to_parents([("c3", 2.0), ("c1", 2.0)], parent_of) == [("A", 2.0), ("B", 2.0)]  # a tie goes by id
    assert to_parents([], parent_of) == []
    with pytest.raises(ValueError, match="'c9' has no parent"):
        to_parents([("c1", 1.0), ("c9", 0.5)], parent_of)


# Source code

TILL = '''"""A till."""

import os
RATE = 2


# What one pays.
# In dollars.
@cache
def fee(n):  # no chunk begins here: def other(): pass
    """# not a comment"""
    def inner():
        return n

    return inner() * RATE
total = fee(3)

class Till(object):
    """Money."""

    money = 0

    @property
    def empty(self):
        return not self.money
    limit = 5

    # one coin
    async def add(self):

        self.money += 1

    class Key:
        def turn(self): pass


print(total)
'''


def test_python_is_cut_between_functions_and_methods():
    chunks = by_functions(document(TILL))
    assert [chunk.metadata["path"] for chunk in chunks] == [
        [], ["fee"], [], ["Till"], ["Till", "empty"], ["Till"], ["Till", "add"], ["Till", "Key"],
        ["Till", "Key", "turn"], []]
    by_path = {"/".join(chunk.metadata["path"]): chunk.text for chunk in chunks}
    assert by_path["fee"].startswith("# What one pays.\n# In dollars.\n@cache\ndef fee(n):")
    assert by_path["fee"].endswith("return inner() * RATE")
    assert by_path["Till/empty"].startswith("@property") and by_path["Till/add"].startswith("# one coin\n    async def")
    assert [chunk.text for chunk in chunks if chunk.metadata["path"] == ["Till"]] == [
        'class Till(object):\n    """Money."""\n\n    money = 0', "limit = 5"]
    assert [chunk.text for chunk in chunks if not chunk.metadata["path"]] == [
        '"""A till."""\n\nimport os\nRATE = 2', "total = fee(3)", "print(total)"]


def test_the_course_cut_by_itself():
    for module in (chunking, chunkers, marks):
        text = open(module.__file__, encoding="utf-8").read()
        chunks = by_functions(document(text))
        names = [chunk.metadata["path"] for chunk in chunks if chunk.metadata["path"]]
        assert names == [[name] for name in re.findall(r"^def (\w+)", text, re.MULTILINE)]
        assert ink(text) == {place for place in covered((c.start, c.end) for c in chunks) if not text[place].isspace()}


@pytest.mark.parametrize("text", ["function add(a) {\n  return a\n}\n\nfunction sub(a) {\n\n  return -a\n}\n",
                                  "def broken(:\n  pass\n\ndef other():\n\n  pass\n"])
def test_other_languages_are_cut_at_lines_that_are_not_indented(text):
    chunks = by_functions(document(text))
    assert [chunk.text for chunk in chunks] == [piece.strip() for piece in re.split(r"\n\n(?=\S)", text)]
    assert all(chunk.metadata["path"] == [] for chunk in chunks)


@pytest.mark.parametrize("text", ["a\0b\n\ndef f(): pass", "\ud800\n\ndef f(): pass", "(" * 3000, "-" * 3000 + "1",
                                  "x = 1", "\ufeffdef f(): pass", 'def f(): "\\d"\n'])
def test_odd_code_is_cut_somehow(text, recwarn):
    assert ink(text) <= covered((chunk.start, chunk.end) for chunk in by_functions(document(text)))
    assert not recwarn.list


# Chunkers


def test_the_default_chunker_is_that_of_the_first_lessons():
    larkspur = Collection.load("larkspur")
    assert CHUNKERS["paragraphs"]() is paragraphs
    assert larkspur.chunks == Collection.load("larkspur", chunker=CHUNKERS["paragraphs"]()).chunks
    assert len(larkspur.chunks) == 704


def test_larkspur_in_every_way():
    made = {"paragraphs": 704, "words": 286, "sentences": 411, "sections": 487, "functions": 1260}
    for name, count in made.items():
        larkspur = Collection.load("larkspur", chunker=CHUNKERS[name]())
        assert len(larkspur.chunks) == count
        by_id = {each.id: each for each in larkspur.documents}
        for chunk in larkspur.chunks:
            source = by_id[chunk.document]
            assert chunk.text == source.text[chunk.start : chunk.end]
            assert chunk.metadata.items() >= source.metadata.items()
            assert chunk.page == [number for offset, number in source.pages if offset <= chunk.start][-1]
        # the same front matter is not written into: only these chunkers give a path
        assert ("path" in larkspur.chunks[0].metadata) == (name in ("sections", "functions"))
    assert list(CHUNKERS) == [*made, "meaning"] and list(FAMILIES) == ["parent-child", "sentence-windows"]


def test_by_meaning_splits_where_the_vectors_part():
    text = "aaa. aaaa. eee. eeee. aa. aaa."
    chunks = by_meaning(Letters(), percent=50)(document(text))
    assert [chunk.text for chunk in chunks] == ["aaa. aaaa.", "eee. eeee.", "aa. aaa."]
    assert [chunk.text for chunk in by_meaning(Letters(), percent=100)(document(text))] == [text]
    assert [chunk.text for chunk in by_meaning(Letters())(document("aaa. aaa. aaa."))] == ["aaa. aaa. aaa."]
    assert [chunk.text for chunk in by_meaning(Letters())(document("One."))] == ["One."]
    with pytest.raises(TypeError, match="is no encoder"):
        by_meaning("minilm")


def test_an_encoder_that_loses_a_sentence():
    class Lazy(Letters):
        def encode_passages(self, texts):
            return super().encode_passages(texts[1:])

    with pytest.raises(ValueError, match="2 vectors for 3 sentences"):
        by_meaning(Lazy())(document("One. Two. Three."))


def test_windows_around_sentences():
    children, parents, parent_of = sentence_windows(around=2)(document("# T\n\n1! 2! 3! 4! 5!"))
    assert [child.text for child in children] == ["# T", "1!", "2!", "3!", "4!", "5!"]
    assert [parent.text for parent in parents][2:4] == ["# T\n\n1! 2! 3! 4!", "1! 2! 3! 4! 5!"]
    assert parent_of["d#3"] == "d#window-3" and len(parent_of) == 6
    alone = sentence_windows(around=0)(document("1! 2!"))
    assert [child.text for child in alone[0]] == [parent.text for parent in alone[1]] == ["1!", "2!"]


def test_every_child_stands_in_its_parent():
    larkspur = Collection.load("larkspur")
    for texts in (larkspur.documents, [document(text) for text in TEXTS]):
        for each in texts:
            for family in (parent_child(), sentence_windows(2)):
                children, parents, parent_of = family(each)
                by_id = {parent.id: parent for parent in parents}
                assert list(parent_of) == [child.id for child in children]
                assert not by_id.keys() & parent_of.keys()
                assert set(parent_of.values()) == set(by_id)
                for child in children:
                    parent = by_id[parent_of[child.id]]
                    assert parent.start <= child.start <= child.end <= parent.end
    assert [child for each in larkspur.documents for child in parent_child()(each)[0]] == larkspur.chunks


def test_a_paragraph_that_reaches_over_two_sections_joins_them():
    children, parents, parent_of = parent_child()(document("# A\na\n## B\nb\n\nmore\n\n## C\n\nc"))
    assert [parent.text for parent in parents] == ["# A\na\n## B\nb\n\nmore", "## C\n\nc"]
    assert [parent.metadata["path"] for parent in parents] == [["A"], ["A", "C"]]
    assert list(parent_of.values()) == ["d#section-1", "d#section-1", "d#section-2"]


def test_whole_collections():
    documents = [Document("a", "A", "one two three"), Document("b", "B", ""), Document("c", "C", "four")]
    children, parents, parent_of = in_documents(documents, by_words(2, 0))
    assert parents == documents and parent_of == {"a#1": "a", "a#2": "a", "c#1": "c"}
    children, parents, parent_of = gather(documents, FAMILIES["parent-child"]())
    assert [child.id for child in children] == ["a#1", "c#1"]
    assert parent_of == {"a#1": "a#section-1", "c#1": "c#section-1"}


@pytest.mark.parametrize("name", ALL)
def test_edges(name):
    for text in ("", " ", "\n\n\n", "\u00a0\u3000"):
        assert ALL[name](document(text)) == []
    for text in ("x" * 5000, "合" * 3000, "# Only\n\n## Headings\n\n### Here", "```\nnever closed", "\ud800 lone.",
                 "#", "|", "-", "1.", "\ufeff", "a\u0301\u0301\u0301"):
        chunks = ALL[name](document(text))
        assert ink(text) <= covered((chunk.start, chunk.end) for chunk in chunks)
        assert all(chunk.text == text[chunk.start : chunk.end] for chunk in chunks)


def test_a_size_larger_than_the_text_gives_one_chunk():
    for chunker in (by_words(10**9, 10**8), by_sentences(10**9)):
        assert [chunk.text for chunk in chunker(document(" One. Two.\n"))] == ["One. Two."]


def test_chinese_is_cut_though_it_has_no_spaces():
    chunks = by_words(100, 20)(document("合約到期，請付款。" * 50))
    assert len(chunks) == 5
    assert [chunk.text[0] for chunk in chunks if chunk.text[0] in "，。"] == []


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("bad", ["a text", None, 3])
def test_what_is_no_document(name, bad):
    with pytest.raises(TypeError, match="A chunker takes a Document"):
        ALL[name](bad)


# Learners' functions


@pytest.mark.parametrize("given", [None, 3, [(0, 4, 9)], [(0,)], [(0, 10**6)], [(3, 1)], [(-1, 3)], ["ab"],
                                   [(0.0, 1.0)], ["a", "b"], {"a": 1}])
def test_what_a_cutting_function_gives_wrongly(given):
    for task, chunker in [("fixed", by_words(3, 1)), ("packed", by_sentences(3)), ("sentences", by_sentences(3)),
                          ("sections", by_sections), ("sentences", by_meaning(Letters()))]:
        with use(f"chunking.{task}", lambda *_: given), pytest.raises(ValueError) as raised:  # noqa: B023
            chunker(document("One two. Three four. Five six."))
        assert re.match(rf"{task} gave .*, which is no list of spans \(start, end(, path)?\) from 0 to \d+\. Is a "
                        rf"return missing\? use\(\"chunking\.{task}\"\) puts", str(raised.value))


def test_a_function_in_its_place_is_used_and_put_back():
    text = "One two. Three four."
    with use("chunking.windows", lambda n, size, overlap: [(0, 1), (1, n)]):
        assert [chunk.text for chunk in by_words(3, 1)(document(text))] == ["One", "two. Three four."]
    with use("chunking.windows", lambda n, size, overlap: None), pytest.raises(
            ValueError, match=r"fixed, or a function that it calls, gave no usable result .*use\(.chunking\.windows"):
        by_words(3, 1)(document(text))
    with use("chunking.headings", lambda text: [(4, 1, "Mine")]):
        assert [chunk.metadata["path"] for chunk in by_sections(document(text))] == [[], ["Mine"]]
    assert [chunk.text for chunk in by_words(9, 1)(document(text))] == [text]


def test_a_function_that_raises_is_named():
    def broken(text, size, overlap):
        raise RuntimeError("not today")

    with use("chunking.fixed", broken), pytest.raises(RuntimeError, match="not today") as raised:
        by_words(3, 1)(document("One two."))
    assert raised.value.__notes__ == [
        'This was raised by fixed, or by what it calls. use("chunking.fixed") puts the course\'s own back.']


@pytest.mark.parametrize(("task", "given"), [("breaks", None), ("breaks", [5]), ("breaks", [-1]), ("breaks", [0.5]),
                                             ("distances", None), ("distances", [np.nan])])
def test_what_splits_by_meaning_wrongly(task, given):
    with use(f"chunking.{task}", lambda *_: given), pytest.raises(ValueError, match=f"{task} (should|must)"):
        by_meaning(Letters())(document("One. Two. Three."))


@pytest.mark.parametrize("given", [[], [(0, 2, ["A"])], [(6, 19, ["A"])], [(0, 9, ["A"]), (3, 9, ["B"])]])
def test_sections_that_leave_a_paragraph_out_are_named(given):
    with use("chunking.sections", lambda text: given), pytest.raises(
            ValueError, match=r"^sections gave no section that holds .*use\(.chunking\.sections"):
        parent_child()(document("# One\n\nTwo.\n\nThree."))


def test_sentences_out_of_order_are_named():
    with use("chunking.sentences", lambda text: [(5, 9), (0, 4)]), pytest.raises(
            ValueError, match="^sentences should give spans in order"):
        sentence_windows(1)(document("One. Two."))
