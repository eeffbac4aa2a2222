"""Contextual retrieval: the rule's line, what a reader's function may do wrong, what is kept, and what it costs."""

import random
import re
import warnings
from dataclasses import replace

import pytest

from firstprinciples.corpus import DATA, Chunk, Collection, Document, paragraphs
from firstprinciples.encode.stored import minilm
from firstprinciples.evaluate.experiment import bootstrap_interval, draw_resamples, evaluate, paired_differences
from firstprinciples.ingest import contexts
from firstprinciples.ingest.chunkers import by_sections
from firstprinciples.ingest.contexts import Contexts, context_hash
from firstprinciples.ingest.contextual import (
    PRICES,
    PUBLISHED,
    blurb,
    by_rule,
    contextualize,
    ingestion_cost,
    misses,
    names_in,
    query_cost,
    reduction,
    situate,
)
from firstprinciples.rank.fusion import Hybrid
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.dense import Dense
from firstprinciples.swap import use

MEMO = Document("memo", "Acme, 2024",
                "# Acme, 2024\n\nA short year.\n\n## Jobs\n\nMany.\n\nThe rate rose to 4 percent.\n",
                {"type": "memo", "client": "Acme", "date": "2024-12-30"})
BILL = Document("bill", "Bill 7", "# Bill 7\n\n## Total\n\nThe total is $12.\n", {"client": "none"})
CHUNKS = [chunk for document in (MEMO, BILL) for chunk in paragraphs(document)]


@pytest.fixture(scope="module")
def larkspur():
    return Collection.load("larkspur")


class Writer:
    """A function that writes contexts, as a language model would; it counts, and may fail at some of its calls."""

    def __init__(self, fails=(), gives="about {}"):
        self.asked, self.fails, self.gives = [], dict(fails), gives

    def __call__(self, document, chunk):
        self.asked.append(chunk.id)
        if len(self.asked) in self.fails:
            raise self.fails[len(self.asked)]
        return self.gives.format(chunk.id) if isinstance(self.gives, str) else self.gives


# Names


@pytest.mark.parametrize("text, names", [
    ("Lena Ort met Ann Ode, and then Lena Ort left.", ["Lena Ort", "Ann Ode"]),
    ("Lena Ort. Ann Ode.", ["Lena Ort", "Ann Ode"]),  # equal counts: the first comes first
    ("Our day. The day the shop shut: The Harrow Mills shop.", ["Harrow Mills"]),
    ("In May the Day Shift goes", ["In May", "Day Shift"]),  # "in" stands nowhere in small letters: the rule is simple
    ("Lena Ort's tent, the Mills' dog, Lena Ort’s dog", ["Lena Ort"]),
    ("Quarryman's Steps lead up to Quarryman's Steps", ["Quarryman's Steps"]),
    ("Part LK-204 Blue Tent and E_4432 Jam, Room 12 Day", ["Blue Tent"]),
    ("Lena\nOrt | Ann  Ode | Ruben Okonjo-Hale", ["Ruben Okonjo-Hale"]),
    ("Élan Vital, E\u0301lan Vital and Ann Ode", ["Élan Vital", "Ann Ode"]),
    ("Лена Орт и Анна", ["Лена Орт"]),
    ("中文合約 초과근무 नमस्ते दुनिया", []), ("", []), ("all small", []), ("Alone", []),
])
def test_names(text, names):
    assert names_in(text, 9) == names
    assert names_in(text, 1) == names[:1] and names_in(text, 0) == []


def test_names_are_asked_for_in_whole_numbers():
    for most in (-1, 1.5, None):
        with pytest.raises(ValueError, match="^most is "):
            names_in("Lena Ort", most)


# The line


@pytest.mark.parametrize("arguments, line", [
    (("T", ["H", "I"], "2024", ["A B", "C D"], "memo"), "T > H > I (memo, 2024): A B, C D"),
    (("T", ["T", "H", "H"], "", []), "T > H"),
    (("T", [], "2024", []), "T (2024)"), (("T", [], "", ["A B"]), "T: A B"), (("T", [], "", []), "T"),
    (("", ["H"], "", [], "memo"), "H (memo)"), (("", [], "2024", ["A B"]), "(2024): A B"),
    (("", [], "", ["A B"]), "A B"),
    (("", [], "", []), ""), (("  ", ["\n"], "\t", [" "], " "), ""),
    (("Invoice 7", ["Goods"], "2024", [], "invoice"), "Invoice 7 > Goods (2024)"),  # in capital or small letters
    (("Invoices 7", [], "", [], "invoice"), "Invoices 7 (invoice)"),  # whole words
    (("Bill of Acme", ["Owed to Lena Ort"], "", ["ACME", "Lena Ort", "Ann Ode", "Ann  Ode"]),
     "Bill of Acme > Owed to Lena Ort: Ann Ode"),
    (("T (1.5", ["(2", "*"], "", ["[x]"]), "T (1.5 > (2 > *: [x]"),  # nothing in them is a pattern
    (("Two\nlines", ["a  b"], "", []), "Two lines > a b"),
    (("a b", ["c d"], "", ["b c"]), "a b > c d: b c"),  # said by no single part
    (("Straße", ["STRASSE"], "", []), "Straße"),
])
def test_the_line(arguments, line):
    assert blurb(*arguments) == line


def test_the_issue_example():
    title = "Larkspur Outdoor, quarterly summary, first quarter 2024"
    assert blurb(title, [title, "Returned goods"], "2024-04-30", ["Larkspur Outdoor"], "filing") == (
        "Larkspur Outdoor, quarterly summary, first quarter 2024 > Returned goods (filing, 2024-04-30)")


def test_situate():
    assert situate(" a line \n", " text ") == "a line\n text "
    assert situate("", "text") == situate(" \n", "text") == "text"
    assert situate("a line", "") == "a line\n"


# What is counted


def test_misses_and_reduction():
    assert misses(["a", "x", "b"], ["a", "b"], 3) == 0 and misses([], ["a"], 20) == 1
    assert misses(["a", "a", "b"], ["a", "b", "b"], 2) == 0.5  # a place stays a place, an id counts once
    assert misses(["a"], {"a": 3, "b": 1}, 1) == 0.5
    for k in (0, -1, 1.5):
        with pytest.raises(ValueError, match="^k is "):
            misses(["a"], ["a"], k)
    with pytest.raises(ValueError, match="nothing can be missed"):
        misses(["a"], [], 20)
    assert reduction(0.4, 0.1) == pytest.approx(0.75) and reduction(2, 3) == -0.5 and reduction(2, 0) == 1
    for before, after in ((0, 0), (-1, 0), (1, -1), (float("nan"), 1), (1, float("nan"))):
        with pytest.raises(ValueError, match="^before is "):
            reduction(before, after)


def test_the_published_bars():
    first, *others = PUBLISHED.values()
    assert [round(100 * reduction(first, other)) for other in others] == [35, 49, 67]


# What it costs


def test_a_dollar_a_million():
    """8,000 tokens in ten chunks, term by term; 125 such documents are a million tokens."""
    cached, plain = (ingestion_cost(8_000, 800, 100, 50, PRICES, way) for way in (True, False))
    written, read, own, output = 8_000 * 0.30, 10 * 8_000 * 0.03, 10 * 850 * 0.25, 10 * 100 * 1.25
    assert (written, read, own, output) == pytest.approx((2_400, 2_400, 2_125, 1_250))
    assert cached == pytest.approx((written + read + own + output) / 1e6) == pytest.approx(0.008175)
    assert plain == pytest.approx(0.023375) and 10 * 8_000 * 0.25 == 20_000
    assert f"{125 * cached:.2f} {125 * plain:.2f}" == "1.02 2.92"


def test_costs_in_corners():
    assert ingestion_cost(0, 800, 100, 50, PRICES, True) == 0
    assert ingestion_cost(801, 800, 0, 0, {"input": 1e6, "output": 0}, False) == 3_202  # two, the last counts whole
    assert ingestion_cost(100, 800, 0, 0, PRICES, True) > ingestion_cost(100, 800, 0, 0, PRICES, False)  # one chunk
    assert query_cost(8_000, 10_000, 0.25) == 20 and query_cost(0, 5, 1) == 0
    with pytest.raises(ValueError, match="^The price 'cache_read' is missing"):
        ingestion_cost(8, 8, 1, 1, {"input": 1, "output": 1, "cache_write": 1}, True)
    for wrong in ((8, 0, 1, 1), (-8, 8, 1, 1), (8, 8, -1, 1), (8, 8, 1, float("nan"))):
        with pytest.raises(ValueError, match="^The numbers of tokens"):
            ingestion_cost(*wrong, PRICES, True)
    with pytest.raises(ValueError, match="^The numbers of tokens"):
        ingestion_cost(8, 8, 1, 1, {**PRICES, "input": -1}, True)
    for wrong in ((-1, 1, 1), (1, -1, 1), (1, 1, -1)):
        with pytest.raises(ValueError, match="each must be 0 or more"):
            query_cost(*wrong)


# By rule


def test_the_copies_differ_in_their_text_alone():
    copies = contextualize(CHUNKS, [MEMO, BILL])
    assert [replace(copy, text=chunk.text) for copy, chunk in zip(copies, CHUNKS, strict=True)] == CHUNKS
    assert all(copy.text.endswith("\n" + chunk.text) for copy, chunk in zip(copies, CHUNKS, strict=True))
    assert all(MEMO.text[c.start : c.end] == c.text for c in CHUNKS if c.document == "memo")  # as they were
    assert copies[0].metadata is CHUNKS[0].metadata


def test_a_chunk_in_the_middle_of_a_section_gets_its_heading(larkspur):
    lines = {c.id: by_rule({"memo": MEMO, "bill": BILL}[c.document], c) for c in CHUNKS}
    assert "Jobs" in lines["memo#3"] and "Jobs" not in lines["memo#1"]
    assert [copy.text.partition("\n")[0] for copy in contextualize(CHUNKS, [MEMO, BILL])] == list(lines.values())
    rate = next(c for c in larkspur.chunks if "The rate rose to 4 percent, from 3.2" in c.text)
    document = next(d for d in larkspur.documents if d.id == rate.document)
    assert "Returned goods" in by_rule(document, rate) and "Larkspur Outdoor" in by_rule(document, rate)


def test_a_chunker_that_says_the_path_is_believed():
    for chunk in by_sections(MEMO):
        path = chunk.metadata["path"]
        assert by_rule(MEMO, chunk) == by_rule(MEMO, replace(chunk, metadata=MEMO.metadata))
        assert by_rule(MEMO, replace(chunk, metadata={"path": [*path, "Below"]})).split(" (")[0].endswith("> Below")
    assert by_rule(BILL, replace(CHUNKS[-1], metadata={"path": "from/front/matter"})) == "Bill 7 > Total"


def test_documents_without_anything_to_say():
    bare = Document("d", "", "no heading")
    assert contextualize([Chunk("d#1", "no heading", "d", 0, 10)], [bare])[0].text == "no heading"
    assert contextualize([Chunk("d#1", "", "d", 0, 0)], [bare])[0].text == ""
    assert contextualize([], []) == []
    only = Document("d", "T", "# T\n## H\n")
    assert by_rule(only, Chunk("d#1", "# T\n## H\n", "d", 0, 9)).startswith("T")
    odd = Document("d", "T", "x", {"date": 2024, "type": None, "client": "None"})
    assert by_rule(odd, Chunk("d#1", "x", "d", 0, 1)) == "T (2024)"


def test_names_stand_in_where_no_client_is_named():
    text = "Lena Ort and Ann Ode met Bo Eck, then Lena Ort met Ann Ode."
    chunk = Chunk("d#1", text, "d", 0, len(text))
    lines = [by_rule(Document("d", "T", text, data), chunk) for data in ({}, {"client": ""}, {"client": "Acme"},
                                                                         {"client": "none"})]
    assert lines == ["T: Lena Ort, Ann Ode", "T: Lena Ort, Ann Ode", "T: Acme", "T"]


def test_both_indexes_find_the_orphan_afterwards():
    question = "acme rate"
    chunks = [c for c in CHUNKS if "acme" not in c.text.lower()]
    before, after = BM25(chunks), BM25(contextualize(chunks, [MEMO, BILL]))
    assert {hit.id for hit in before.search(question)} == {"memo#3"}
    assert after.search(question)[0].id == "memo#3"
    assert after.search(question)[0].score > before.search(question)[0].score


def test_what_is_no_chunk_and_no_document():
    with pytest.raises(TypeError, match="must be a Chunk"):
        contextualize(["text"], [MEMO])
    with pytest.raises(TypeError, match="^write must be a function"):
        contextualize(CHUNKS, [MEMO, BILL], "a model")
    with pytest.raises(TypeError, match="^contexts must be Contexts"):
        contextualize(CHUNKS, [MEMO, BILL], Writer(), "contexts.json")
    with pytest.raises(ValueError, match="^The chunk 'bill#1' is of the document 'bill', which is not among"):
        contextualize(CHUNKS, [MEMO])


# With a function of the reader


def test_each_context_is_written_once():
    writer, kept = Writer(), Contexts()
    first = contextualize(CHUNKS, [MEMO, BILL], writer, kept)
    assert [c.text.partition("\n")[0] for c in first] == [f"about {c.id}" for c in CHUNKS]
    assert kept.calls == len(kept) == len(CHUNKS) and kept.notes == {} and kept.said() == ""
    assert contextualize(CHUNKS, [MEMO, BILL], writer, kept) == first
    assert kept.calls == 0 and len(writer.asked) == len(CHUNKS)


def test_a_changed_document_is_written_anew_and_a_renamed_one_is_not():
    writer, kept = Writer(), Contexts()
    contextualize(CHUNKS, [MEMO, BILL], writer, kept)
    for changed in (replace(MEMO, text=MEMO.text + "\nMore.\n"), replace(MEMO, title="Acme"),
                    replace(MEMO, metadata={**MEMO.metadata, "date": "2025"})):
        contextualize(CHUNKS, [changed, BILL], writer, kept)
        assert kept.calls == 3
    renamed = replace(MEMO, id="new")
    contextualize([replace(c, id=f"new{i}", document="new") for i, c in enumerate(CHUNKS[:3])], [renamed], writer, kept)
    assert kept.calls == 0
    contextualize([replace(CHUNKS[0], text=CHUNKS[0].text[:5])], [MEMO], writer, kept)
    assert kept.calls == 1
    other = Contexts(writer="another")
    other.kept = kept.kept
    contextualize(CHUNKS[:3], [MEMO], writer, other)
    assert other.calls == 3


def test_it_goes_on_after_ctrl_c(tmp_path):
    path, stopped = tmp_path / "contexts.json", Writer({3: KeyboardInterrupt()})
    with pytest.raises(KeyboardInterrupt):
        contextualize(CHUNKS, [MEMO, BILL], stopped, Contexts(path))
    writer, kept = Writer(), Contexts(path)
    assert len(kept) == 2
    contextualize(CHUNKS, [MEMO, BILL], writer, kept)
    assert writer.asked == [c.id for c in CHUNKS[2:]] and len(Contexts(path)) == len(CHUNKS)


def test_what_was_written_is_saved_on_the_way(tmp_path, monkeypatch):
    monkeypatch.setattr(contexts, "SAVED_EVERY", 2)
    path, there = tmp_path / "contexts.json", []

    def write(document, chunk):
        there.append(len(Contexts(path)))
        return "a line"

    contextualize(CHUNKS, [MEMO, BILL], write, Contexts(path))
    assert there == [0, 0, 2, 2][: len(CHUNKS)]


@pytest.mark.parametrize("fails, gives, note", [
    ({2: ValueError("no\nnetwork")}, "about {}", "raised ValueError: no network"),
    ({2: TimeoutError()}, "about {}", "raised TimeoutError"),
    ({2: RuntimeError("x" * 500)}, "about {}", "raised RuntimeError: " + "x" * 79),
])
def test_a_function_that_raises(fails, gives, note):
    kept = Contexts()
    with pytest.warns(UserWarning, match=r"^The function that writes contexts raised .* \(1 x, first for memo#2\)\. "):
        copies = contextualize(CHUNKS, [MEMO, BILL], Writer(fails, gives), kept)
    assert kept.notes == {note: ["memo#2"]} and len(kept) == len(CHUNKS) - 1
    assert copies[1].text == situate(by_rule(MEMO, CHUNKS[1]), CHUNKS[1].text)
    contextualize(CHUNKS, [MEMO, BILL], Writer(), kept)
    assert kept.calls == 1 and kept.notes == {}  # it is asked again, and the note was of the last run


@pytest.mark.parametrize("gives, what", [
    (None, "NoneType"), (7, "int"), (b"a line", "bytes"), ("", "an empty text"), (" \n", "an empty text")])
def test_a_function_that_gives_no_text(gives, what):
    kept = Contexts()
    with pytest.warns(UserWarning, match="the rule's line of title, headings and date stands in.$"):
        copies = contextualize(CHUNKS, [MEMO, BILL], Writer(gives=gives), kept)
    assert copies == contextualize(CHUNKS, [MEMO, BILL])
    assert len(kept) == 0 and kept.notes == {f"gave {what} where a text is needed": [c.id for c in CHUNKS]}


def test_a_function_that_gives_a_novel():
    kept = Contexts()
    with pytest.warns(UserWarning, match="gave more than 100 words, which were cut"):
        copies = contextualize(CHUNKS[:1], [MEMO], Writer(gives="one \n two  " * 500), kept)
    assert copies[0].text.partition("\n")[0] == " ".join(["one two"] * 50)
    with pytest.warns(UserWarning):  # without spaces between its words, too
        copies = contextualize(CHUNKS[:1], [MEMO], Writer(gives="合約" * 500), Contexts())
    assert len(copies[0].text.partition("\n")[0]) == 100


def test_several_lines_become_one_and_nothing_is_said_where_all_went_well():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        copies = contextualize(CHUNKS[:1], [MEMO], lambda document, chunk: " two\n\nlines ")
    assert copies[0].text == "two lines\n" + CHUNKS[0].text


def test_how_far_it_is():
    told = []
    contextualize(CHUNKS, [MEMO, BILL], progress=lambda done, n: told.append((done, n)))
    assert told == [(i, len(CHUNKS)) for i in range(1, len(CHUNKS) + 1)]


# The file


def test_the_file_keeps_any_text(tmp_path):
    path = tmp_path / "contexts.json"
    for text in ("Größe 中文 “quoted” \\ \"", "\ud800 a lone half"):
        kept = Contexts(path)
        contextualize(CHUNKS[:1], [MEMO], lambda document, chunk, text=text: text, Contexts(path, writer=text[:2]))
        kept = Contexts(path, writer=text[:2])
        assert len(kept) and contextualize(CHUNKS[:1], [MEMO], lambda d, c: pytest.fail("asked"), kept)
    kept.save(tmp_path / "other.json")
    other = Contexts()
    other.load(tmp_path / "other.json")
    assert other.kept == kept.kept and sorted(p.name for p in tmp_path.iterdir()) == ["contexts.json", "other.json"]


@pytest.mark.parametrize("text", [
    "", "{", "[]", "null", '{"contexts": {}}', '{"version": 2, "contexts": {}}', '{"version": 1, "contexts": []}',
    '{"version": 1, "contexts": {"a": 3}}', '{"version": 1, "contexts": {"a": ""}}', "[" * 100_000])
def test_a_damaged_file(tmp_path, text):
    path = tmp_path / "contexts.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="contexts.json holds no contexts. Delete it, or give another file"):
        Contexts(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match="holds no contexts"):
        Contexts(path)


def test_a_place_that_cannot_be_written_is_said_before_anything_is_asked(tmp_path):
    writer = Writer()
    with pytest.raises(OSError):
        contextualize(CHUNKS, [MEMO, BILL], writer, Contexts(tmp_path / "no folder" / "contexts.json"))
    assert writer.asked == []


def test_hashes_know_what_was_read():
    assert context_hash(MEMO, CHUNKS[0]) == context_hash(replace(MEMO, id="x"), replace(CHUNKS[0], id="y"))
    assert len({context_hash(MEMO, c, w) for c in CHUNKS for w in ("", "a")}) == 2 * len(CHUNKS)
    context_hash(replace(MEMO, text="\ud800", metadata={"date": object}), CHUNKS[0])  # whatever front matter holds


# Functions of learners


def test_a_learners_function_is_used():
    with use("contextual.blurb", lambda title, path, date, names, kind="": title.upper()):
        assert by_rule(MEMO, CHUNKS[0]) == "ACME, 2024"
    with use("contextual.situate", lambda context, text: text):
        assert contextualize(CHUNKS, [MEMO, BILL]) == CHUNKS


def test_a_learners_names_must_be_texts():
    with use("contextual.names_in", lambda text, most: None), pytest.raises(ValueError, match="^names_in should give"):
        by_rule(Document("d", "T", "x"), Chunk("d#1", "x", "d", 0, 1))


@pytest.mark.parametrize("name", ["blurb", "situate"])
def test_a_learners_function_without_a_return(name):
    with use(f"contextual.{name}", lambda *_, **__: None), pytest.raises(ValueError) as caught:
        contextualize(CHUNKS, [MEMO, BILL])
    assert str(caught.value) == (f"{name} gave NoneType where a text is needed. Is a return missing? "
                                 f"use(\"contextual.{name}\") puts the course's own back.")


# Random texts


def test_random_texts_are_never_lost():
    """Any script, any cut: the chunk's own text stays as it is, and the line is one line."""
    rng = random.Random(7)
    alphabet = "ab AB #\n\t.|-’'éЖя합中नि\u0301ع\u00a0\r12"
    for _ in range(300):
        text = "".join(rng.choices(alphabet, k=rng.randrange(1, 60)))
        document = Document("d", "".join(rng.choices(alphabet, k=5)), text, {"date": rng.choice(["", "2024", "\n"])})
        start = rng.randrange(len(text))
        chunk = Chunk("d#1", text[start : start + 20], "d", start, min(start + 20, len(text)))
        line, copy = by_rule(document, chunk), contextualize([chunk], [document])[0]
        assert len(line.splitlines()) <= 1 and line == line.strip()
        assert copy.text == (f"{line}\n{chunk.text}" if line else chunk.text)
        names = names_in(text, 50)
        assert len(names) == len(set(names)) and all(len(name.split(" ")) > 1 for name in names)


def test_the_course_has_a_line_for_each_of_its_chunks(larkspur):
    copies = contextualize(larkspur.chunks, larkspur.documents)
    lines = [copy.text.removesuffix(chunk.text) for copy, chunk in zip(copies, larkspur.chunks, strict=True)]
    assert all(line.endswith("\n") and line.strip() for line in lines)
    assert max(len(line.split()) for line in lines) < 40


# What data/SOURCES.md says


@pytest.fixture(scope="module")
def rows(larkspur):
    """{line of the table: {retriever: what evaluate gives on dev}}, with stored vectors."""
    out = {}
    for name, chunks in (("none", larkspur.chunks), ("line", contextualize(larkspur.chunks, larkspur.documents))):
        words, vectors = BM25(chunks), Dense(chunks, minilm())
        out[name] = {which: evaluate(retriever, larkspur, "dev") for which, retriever in
                     (("BM25", words), ("MiniLM", vectors), ("hybrid", Hybrid([words, vectors])))}
    return out


def test_the_table_of_settings(rows, larkspur):
    said = (DATA / "SOURCES.md").read_text(encoding="utf-8")
    for name, begins in (("none", "| none | 0 |"), ("line", "| **title > headings (kind, date): client** | 9.7 |")):
        cells = [f"{found['metrics'][metric]:.3f}, {found['by_kind']['needs_context'][metric]:.3f}" for found, metric in
                 (*((rows[name][which], "Recall@10") for which in ("BM25", "MiniLM", "hybrid")),
                  (rows[name]["hybrid"], "nDCG@10"))]
        assert f"{begins} {' | '.join(cells)} |" in said
    assert rows["line"]["BM25"]["queries"] == 135
    assert sum(query.kind == "needs_context" and query.split == "dev" for query in larkspur.queries) == 15


def test_intervals_and_losses(rows):
    said = (DATA / "SOURCES.md").read_text(encoding="utf-8")
    for which in ("BM25", "MiniLM", "hybrid"):
        before, after = ({id: row["Recall@10"] for id, row in rows[name][which]["each"].items()} for name in rows)
        steps = paired_differences(before, after)
        low, high = bootstrap_interval(steps, draw_resamples(len(steps)))
        assert re.search(rf"{sum(steps) / len(steps):.3f} with (the )?{which} "
                         rf"\((interval )?{low:.3f} to {high:.3f}\)", said)
    for kind in ("paraphrase", "rare_name"):
        before, after = (rows[name]["MiniLM"]["by_kind"][kind]["Recall@10"] for name in rows)
        assert f"`{kind}` {'falls ' * (kind == 'paraphrase')}from {before:.3f} to {after:.3f}" in said


def test_how_long_the_lines_are(larkspur):
    copies = contextualize(larkspur.chunks, larkspur.documents)
    words = [len(copy.text.partition("\n")[0].split()) for copy in copies]
    assert f"{sum(words) / len(words):.1f}" == "9.7"


@pytest.mark.models
def test_what_the_encoder_does_not_read(larkspur, model_files):
    from firstprinciples.encode.bert import MiniLM

    ids = MiniLM(model_files("minilm")).bert.tokenizer.ids
    copies = contextualize(larkspur.chunks, larkspur.documents)
    before, after = ([len(ids(chunk.text, 10_000)[0]) for chunk in chunks] for chunks in (larkspur.chunks, copies))
    line = [b - a for a, b in zip(before, after, strict=True)]
    assert (round(sum(line) / len(line)), max(line)) == (20, 28)
    assert sum(n > 256 for n in before) == 6 and sum(n > 256 for n in after) == 7
    assert [c.id for c, a, b in zip(copies, before, after, strict=True) if a <= 256 < b] == ["part-number-guide#6"]
    assert sum(max(n - 256, 0) for n in after) - sum(max(n - 256, 0) for n in before) == 107


@pytest.mark.parametrize("front", [{1: 2, "a": 3}, {("a", 1): 2}, {"a": {1, 2}}, {None: object}])
def test_odd_front_matter_is_no_obstacle(front):
    odd, kept = replace(MEMO, metadata=front), Contexts()
    assert contextualize(CHUNKS[:1], [odd], Writer(), kept)[0].text.startswith("about memo#1\n") and len(kept) == 1


def test_a_novel_without_spaces_is_cut(tmp_path):
    kept = Contexts(tmp_path / "contexts.json")
    with pytest.warns(UserWarning, match="gave more than 2,000 signs, which were cut"):
        copies = contextualize(CHUNKS[:1], [MEMO], Writer(gives="x" * 5000), kept)
    assert copies[0].text.partition("\n")[0] == "x" * 2000


def test_a_file_with_a_mark_in_front_is_read(tmp_path):
    path = tmp_path / "contexts.json"
    contextualize(CHUNKS[:1], [MEMO], Writer(), Contexts(path))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert len(Contexts(path)) == 1


def test_a_path_that_is_no_file_is_said(tmp_path):
    with pytest.raises(OSError, match=re.escape(f"{tmp_path} can't be read: ")):
        Contexts(tmp_path)
    path = tmp_path / "no folder" / "contexts.json"
    with pytest.raises(FileNotFoundError, match=re.escape(f"{path} can't be written: ")):
        Contexts(path).save()


def test_what_are_no_documents_or_two_of_one_id():
    with pytest.raises(TypeError, match="^A document must be a Document, .* not str"):
        contextualize(CHUNKS[:1], ["memo"])
    with pytest.raises(ValueError, match="^There are two documents with the id 'memo'"):
        contextualize(CHUNKS[:1], [MEMO, replace(MEMO, text="another")])
    assert contextualize(CHUNKS[:1], [MEMO, MEMO]) == contextualize(CHUNKS[:1], [MEMO])


def test_a_path_of_headings_that_is_none_is_not_taken():
    chunk = replace(CHUNKS[0], metadata={"path": [1, None]})
    assert contextualize([chunk], [MEMO])[0].text == contextualize(CHUNKS[:1], [MEMO])[0].text
