"""Reading collections: what is read by value, and one clear sentence for each kind of bad input."""

import json

import pytest

from firstprinciples.corpus import (
    DATA,
    Chunk,
    Collection,
    Document,
    Query,
    find_evidence,
    paragraphs,
    read_document,
    references,
)
from firstprinciples.evaluate.experiment import measure


def write(folder, name, text):
    """Write a text file below a folder, making the folders in between; the newlines are written as they are."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))
    return path


def lines(*records):
    return "".join(json.dumps(record) + "\n" for record in records)


def question(**more):
    return {"id": "q1", "text": "Where are the poles?", **more}


@pytest.fixture
def beir(tmp_path):
    """A BEIR folder of three documents and three queries, one of them not judged."""
    folder = tmp_path / "tiny"
    write(folder, "corpus.jsonl", lines({"_id": "10", "title": "Tents", "text": "A red tent."},
                                        {"_id": "2", "title": "", "text": "A stove.", "metadata": {"year": 2024}},
                                        {"_id": "x", "text": "No title."}))
    write(folder, "queries.jsonl", lines({"_id": "q1", "text": "red tent"}, {"_id": "q2", "text": "stove"},
                                         {"_id": "q3", "text": "never judged"}))
    write(folder, "qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\t10\t2\nq1\t2\t0\nq2\t2\t1\nq2\tx\t3\n")
    return folder


# Larkspur


def test_larkspur_by_value():
    larkspur = Collection.load("larkspur")
    files = list((DATA / "larkspur" / "documents").glob("*.md"))
    assert larkspur.name == "larkspur"
    assert len(larkspur.documents) == len(files)
    assert len(larkspur.queries) == 300
    assert list(larkspur.evidence) == [query.id for query in larkspur.queries]
    assert [q.id for q in larkspur.queries][:2] == ["direct-001", "direct-002"]
    # invoice 1042, counted in the file: a heading goes with what follows it, a table is one paragraph
    invoice = [chunk for chunk in larkspur.chunks if chunk.document == "invoice-1042"]
    assert [chunk.id for chunk in invoice] == [f"invoice-1042#{i}" for i in range(1, 9)]
    assert [chunk.page for chunk in invoice] == [1, 1, 1, 1, 2, 2, 2, 2]
    first_lines = [chunk.text.split("\n")[0] for chunk in invoice]
    assert first_lines[:3] == ["# Invoice 1042", "## Goods supplied", "## Delivery"]
    assert invoice[3].text.startswith("One item of the order is not on this invoice.")


def test_larkspur_documents_have_their_front_matter_and_no_marks():
    documents = {document.id: document for document in Collection.load("larkspur").documents}
    assert documents["invoice-1042"].metadata == {"title": "Invoice 1042", "type": "invoice",
                                                  "client": "Hollow Creek Guides", "date": "2024-03-14"}
    assert documents["invoice-1042"].title == "Invoice 1042"
    for document in documents.values():
        assert "<!--" not in document.text and not document.text.startswith("---")
        assert [number for _, number in document.pages] == list(range(1, len(document.pages) + 1))
        assert document.text.lstrip().startswith("# ")


def test_every_chunk_of_larkspur_is_the_text_between_its_offsets():
    larkspur = Collection.load("larkspur")
    texts = {document.id: document.text for document in larkspur.documents}
    covered = {id: set() for id in texts}
    for chunk in larkspur.chunks:
        assert texts[chunk.document][chunk.start : chunk.end] == chunk.text
        assert covered[chunk.document].isdisjoint(range(chunk.start, chunk.end))
        covered[chunk.document].update(range(chunk.start, chunk.end))
    for id, text in texts.items():  # nothing but white space lies outside
        assert "".join(c for i, c in enumerate(text) if i not in covered[id]).strip() == ""


# One file


def test_front_matter_pages_and_title(tmp_path):
    path = write(tmp_path, "bill.md", "---\ntitle: A bill: March\ntype:  bill \nno colon here\n---\n<!-- page 3 -->\n"
                                      "# Bill\n\nFirst.\n\n<!-- page 4 -->\nSecond.\n")
    document = read_document(path, tmp_path)
    assert document.id == "bill"
    assert document.title == "A bill: March"
    assert document.metadata == {"title": "A bill: March", "type": "bill"}
    assert document.text == "# Bill\n\nFirst.\n\nSecond.\n"
    assert document.pages == ((0, 3), (16, 4))  # "# Bill\n\n" is 8 long, "First.\n\n" another 8
    assert [(c.id, c.text, c.start, c.end, c.page) for c in paragraphs(document)] == [
        ("bill#1", "# Bill\n\nFirst.", 0, 14, 3), ("bill#2", "Second.", 16, 23, 4)]
    assert paragraphs(document)[0].metadata == {"title": "A bill: March", "type": "bill"}


def test_a_chunk_is_on_the_page_where_it_starts(tmp_path):
    # page 3 begins inside the second paragraph, which started on page 2; the third starts exactly where page 4 does
    text = "<!-- page 2 -->\nOne.\n\nTwo\n<!-- page 3 -->\nstill two.\n\n<!-- page 4 -->\nThree."
    document = read_document(write(tmp_path, "a.md", text), tmp_path)
    assert document.text == "One.\n\nTwo\nstill two.\n\nThree."
    assert document.pages == ((0, 2), (10, 3), (22, 4))
    assert [(c.text, c.page) for c in paragraphs(document)] == [("One.", 2), ("Two\nstill two.", 2), ("Three.", 4)]


def test_text_before_a_mark_is_on_the_page_before(tmp_path):
    document = read_document(write(tmp_path, "a.md", "Title page.\n\n<!-- page 5 -->\nText."), tmp_path)
    assert [(c.text, c.page) for c in paragraphs(document)] == [("Title page.", 4), ("Text.", 5)]
    assert read_document(write(tmp_path, "b.md", "No marks."), tmp_path).pages == ((0, 1),)


def test_title_without_front_matter(tmp_path):
    assert read_document(write(tmp_path, "a.md", "Words.\n\n# The heading \n"), tmp_path).title == "The heading"
    assert read_document(write(tmp_path, "notes.v2.md", "Words."), tmp_path).title == "notes.v2"
    assert read_document(write(tmp_path, "empty.md", "---\n---\nWords."), tmp_path).text == "Words."


def test_crlf_and_byte_order_mark_read_like_plain_text(tmp_path):
    plain = "---\ntitle: T\n---\n# T\n\nOne\ntwo.\n\n<!-- page 2 -->\nThree.\n"
    wanted = read_document(write(tmp_path, "plain.md", plain), tmp_path)
    for name, text in [("crlf", plain.replace("\n", "\r\n")), ("bom", "\ufeff" + plain),
                       ("both", "\ufeff" + plain.replace("\n", "\r\n"))]:
        got = read_document(write(tmp_path, f"{name}.md", text), tmp_path)
        assert (got.title, got.text) == (wanted.title, wanted.text)
        assert (got.metadata, got.pages) == (wanted.metadata, wanted.pages)
    assert [c.text for c in paragraphs(wanted)] == ["# T\n\nOne\ntwo.", "Three."]


def test_a_text_file_keeps_what_looks_like_front_matter(tmp_path):
    assert read_document(write(tmp_path, "a.txt", "---\nkey: value\n---\nWords."), tmp_path).text == (
        "---\nkey: value\n---\nWords.")


# Paragraphs


def chunk_texts(text):
    return [chunk.text for chunk in paragraphs(Document("d", "D", text))]


def test_a_heading_stays_with_the_paragraph_below_it():
    assert chunk_texts("# A\n\n## B\n\nText.\n\n## C\n\nMore.") == ["# A\n\n## B\n\nText.", "## C\n\nMore."]
    assert chunk_texts("# A\nText right below.\n\nMore.") == ["# A\nText right below.", "More."]
    assert chunk_texts("Text.\n\n# Last") == ["Text.", "# Last"]
    assert chunk_texts("#hashtag\n\nText.") == ["#hashtag", "Text."]


def test_blank_lines_with_spaces_in_them_divide_too():
    assert chunk_texts("\n\n  One  \n \t \nTwo,\n  still two.\n\n\n\nThree") == ["One", "Two,\n  still two.", "Three"]


@pytest.mark.parametrize("nothing", ["", "\n", " \n \n\t"])
def test_no_text_no_chunks(nothing):
    assert chunk_texts(nothing) == []


def test_paragraph_offsets():
    document = Document("d", "D", "\n# A\n\nOne.  \n\nTwo.")
    assert [(c.start, c.end) for c in paragraphs(document)] == [(1, 10), (14, 18)]


# A folder


def test_a_folder_of_texts(tmp_path):
    write(tmp_path, "b.txt", "Second file.\n\nIts end.")
    write(tmp_path, "a.md", "# One\n\nFirst file.")
    write(tmp_path, "picture.png", "not text")
    write(tmp_path, ".hidden.md", "Hidden.")
    write(tmp_path, ".git/notes.md", "Hidden too.")
    collection = Collection.load(tmp_path)
    assert [document.id for document in collection.documents] == ["a", "b"]
    assert [(c.id, c.text) for c in collection.chunks] == [("a#1", "# One\n\nFirst file."), ("b#1", "Second file."),
                                                           ("b#2", "Its end.")]
    assert (collection.name, collection.queries, collection.qrels) == (tmp_path.name, [], {})


def test_nested_folders_are_part_of_the_id(tmp_path):
    write(tmp_path, "policies/2024/sick.md", "Sick.")
    write(tmp_path, "policies/sick.md", "Older.")
    write(tmp_path, "UPPER.MD", "Upper.")
    assert [document.id for document in Collection.load(str(tmp_path)).documents] == [
        "UPPER", "policies/2024/sick", "policies/sick"]


def test_the_chunker_is_the_callers(tmp_path):
    write(tmp_path, "a.md", "One.\n\nTwo.")
    whole = Collection.load(tmp_path, chunker=lambda d: [Chunk(f"{d.id}/all", d.text, d.id, 0, len(d.text))])
    assert [(c.id, c.text) for c in whole.chunks] == [("a/all", "One.\n\nTwo.")]


# Evidence


def pieces(*quotes, document="a"):
    return tuple({"document": document, "quote": quote, "grade": grade} for grade, quote in quotes)


def test_evidence_is_found_by_whole_quote_in_its_own_document():
    chunks = [Chunk("a#1", "The pole is\nred. It bends.", "a"), Chunk("a#2", "The pole", "a"),
              Chunk("b#1", "The pole is red.", "b")]
    query = Query("q", "?", evidence=pieces((3, "The pole is red."), (1, "bends. The pole")))
    assert find_evidence(query, chunks) == [(3, ("a#1",)), (1, ())]


def test_all_the_words_of_a_quote_must_be_there_in_order():
    chunks = [Chunk("a#1", "red is pole", "a"), Chunk("a#2", "pole is", "a")]
    assert find_evidence(Query("q", "?", evidence=pieces((2, "pole is red"))), chunks) == [(2, ())]


def overlapping(document):
    """Windows of 30 characters, each starting 10 after the one before."""
    return [Chunk(f"{document.id}@{start:03}", document.text[start : start + 30], document.id, start, start + 30)
            for start in range(0, len(document.text), 10)]


def test_overlapping_chunks_that_hold_the_same_quote_count_once(tmp_path):
    write(tmp_path, "documents/a.md", "0123456789 the red pole 4567890123456789 a stove 789")
    write(tmp_path, "questions.jsonl", lines(question(evidence=pieces((3, "red pole"), (2, "a stove")))))
    collection = Collection.load(tmp_path, chunker=overlapping)
    # "red pole" is at 15 to 23: windows from 0 (ends 30) and 10 hold it; "a stove" at 41 to 48: from 20 (to 50), 30, 40
    assert collection.evidence == {"q1": [(3, ("a@000", "a@010")), (2, ("a@020", "a@030", "a@040"))]}
    assert collection.qrels == {"q1": {"a@000": 3, "a@010": 3, "a@020": 2, "a@030": 2, "a@040": 2}}
    both_windows = measure(["a@000", "a@010"], collection.evidence["q1"])
    assert both_windows["Recall@10"] == 0.5  # one piece of two, although two of five chunks came
    assert both_windows["Precision@10"] == 0.1
    assert measure(["a@010", "a@030"], collection.evidence["q1"])["Recall@10"] == 1.0


def test_a_quote_that_no_chunk_holds_stays_and_scores_zero(tmp_path):
    write(tmp_path, "documents/a.md", "The pole\n\nis red. It bends.")
    write(tmp_path, "questions.jsonl", lines(question(evidence=pieces((3, "The pole is red."), (1, "It bends.")))))
    collection = Collection.load(tmp_path)
    assert collection.evidence == {"q1": [(3, ()), (1, ("a#2",))]}
    assert collection.qrels == {"q1": {"a#2": 1}}
    assert measure(["a#1", "a#2"], collection.evidence["q1"])["Recall@10"] == 0.5


def test_a_chunk_with_two_pieces_is_judged_by_the_better(tmp_path):
    write(tmp_path, "documents/a.md", "Red pole. It bends.")
    write(tmp_path, "questions.jsonl", lines(
        question(evidence=pieces((1, "Red pole."), (3, "It bends."))),
        question(id="q2", evidence=pieces((3, "Red pole."), (1, "It bends.")))))
    assert Collection.load(tmp_path).qrels == {"q1": {"a#1": 3}, "q2": {"a#1": 3}}


def test_what_a_question_holds(tmp_path):
    write(tmp_path, "a.md", "Words.")
    full = question(kind="filter", split="dev", history=[{"role": "user", "text": "hello"}], answers=["two"],
                    evidence=[], filter={"type": "bill"})
    write(tmp_path, "questions.jsonl", lines(full) + "\n" + lines({"id": "q2", "text": "Bare?"}))
    first, second = Collection.load(tmp_path).queries
    assert first == Query("q1", "Where are the poles?", "filter", "dev", ({"role": "user", "text": "hello"},), ("two",),
                          (), {"type": "bill"})
    assert second == Query("q2", "Bare?")


# BEIR


def test_a_beir_folder(beir):
    collection = Collection.load(beir)
    assert [(d.id, d.title, d.text) for d in collection.documents] == [
        ("10", "Tents", "Tents\nA red tent."), ("2", "", "A stove."), ("x", "", "No title.")]
    assert [(c.id, c.document, c.text, c.start, c.end) for c in collection.chunks] == [
        ("10", "10", "Tents\nA red tent.", 0, 17), ("2", "2", "A stove.", 0, 8), ("x", "x", "No title.", 0, 9)]
    assert collection.documents[1].metadata == {"year": 2024}
    assert collection.queries == [Query("q1", "red tent"), Query("q2", "stove")]  # q3 is not judged
    assert collection.qrels == {"q1": {"10": 2, "2": 0}, "q2": {"2": 1, "x": 3}}
    assert collection.evidence == {"q1": [(2, ("10",))], "q2": [(1, ("2",)), (3, ("x",))]}


def test_what_a_beir_folder_says_of_its_passages_and_questions_is_kept(beir):
    write(beir, "queries.jsonl", lines(
        {"_id": "q1", "text": "red tent", "kind": "what", "split": "dev", "references": ["r1"], "answers": ["red"]},
        {"_id": "q3", "text": "never judged"}, {"_id": "q4", "text": "Who camps?", "kind": "unanswerable"},
        {"_id": "q2", "text": "stove", "kind": None, "answers": None}))
    collection = Collection.load(beir)
    assert collection.queries == [Query("q1", "red tent", "what", "dev", answers=("red",), references=("r1",)),
                                  Query("q4", "Who camps?", "unanswerable"), Query("q2", "stove")]
    assert list(collection.evidence) == list(collection.qrels) == ["q1", "q2"]  # q4 has no answer, q3 is left out
    assert [chunk.metadata for chunk in collection.chunks] == [{}, {"year": 2024}, {}]
    assert [document.metadata for document in collection.documents] == [{}, {"year": 2024}, {}]


@pytest.mark.parametrize("name, record, sentence", [
    ("corpus.jsonl", {"_id": "10", "text": "A tent.", "metadata": ["red"]},
     "corpus.jsonl, line 1: 'metadata' is to be an object, not ['red']."),
    ("corpus.jsonl", {"_id": "10", "text": "A tent.", "title": 3},
     "corpus.jsonl, line 1: 'title' must be a string, not 3."),
])
def test_what_a_beir_folder_says_must_be_of_the_right_kind(beir, name, record, sentence):
    write(beir, name, lines(record))
    refused(beir, sentence)


def test_what_another_collection_means_by_the_same_words_is_passed_over(beir):
    plain = Collection.load(beir)
    texts = {query.id: query.text for query in plain.queries}
    for more in ({"kind": 3, "split": ["dev"], "answers": "red", "references": {"a": 1}},
                 {"kind": ["what"], "split": 1, "answers": [3], "references": [["r1"], "r2"]}):
        write(beir, "queries.jsonl", lines(*({"_id": id, "text": text, **more} for id, text in texts.items()),
                                           {"_id": "train", "text": "never judged", **more}))
        assert Collection.load(beir) == plain
    write(beir, "queries.jsonl", lines({"_id": "q1", "text": "red tent", "kind": "what"},
                                       {"_id": "train", "text": "never judged", "kind": "what"}))
    assert [query.id for query in Collection.load(beir).queries] == ["q1"]


def test_references(tmp_path):
    write(tmp_path, "references.jsonl", lines({"id": "r1", "topic": "tents", "text": "Red.", "source": "A book"},
                                              {"id": 2, "text": "Dry.", "split": "dev"}))
    assert references(tmp_path) == [Document("r1", "tents", "Red.", {"source": "A book"}),
                                    Document("2", "", "Dry.", {"split": "dev"})]
    write(tmp_path, "references.jsonl", lines({"id": "r1", "text": "Red.", "topic": 3}))
    with pytest.raises(ValueError, match="^references.jsonl, line 1: 'topic' is to be a text, not 3.$"):
        references(tmp_path)
    (tmp_path / "references.jsonl").unlink()
    with pytest.raises(ValueError, match="lacks references.jsonl.$"):
        references(tmp_path)
    (tmp_path / "references.jsonl").mkdir()
    with pytest.raises(ValueError, match="lacks references.jsonl.$"):
        references(tmp_path)


def test_ids_that_are_numbers_become_strings(beir):
    write(beir, "corpus.jsonl", lines({"_id": 10, "text": "A red tent."}))
    write(beir, "queries.jsonl", lines({"_id": 1, "text": "tent"}))
    write(beir, "qrels/test.tsv", "query-id\tcorpus-id\tscore\r\n1\t10\t1\r\n\r\n")
    collection = Collection.load(beir)
    assert (collection.chunks[0].id, collection.queries[0].id) == ("10", "1")
    assert collection.qrels == {"1": {"10": 1}}


def test_the_test_judgments_are_taken_before_others(beir):
    write(beir, "qrels/dev.tsv", "query-id\tcorpus-id\tscore\nq3\tx\t1\n")
    assert list(Collection.load(beir).qrels) == ["q1", "q2"]
    (beir / "qrels" / "test.tsv").unlink()
    assert list(Collection.load(beir).qrels) == ["q3"]


# Bad input: one sentence, that says where


def refused(folder, sentence, chunker=None):
    """Loading the folder must raise ValueError with exactly this sentence."""
    with pytest.raises(ValueError) as caught:
        Collection.load(folder, chunker)
    assert str(caught.value) == sentence
    assert type(caught.value) is ValueError


def test_a_folder_that_is_not_there(tmp_path):
    names = "clocks or larkspur"
    none = str(tmp_path / "none")
    refused(none, f"There is no collection and no folder called {none!r}. Give {names}, a BEIR folder (corpus.jsonl), "
            "or a folder with .md or .txt files.")
    file = write(tmp_path, "a.md", "Words.")
    with pytest.raises(ValueError, match="There is no collection and no folder called"):
        Collection.load(file)


def test_a_folder_without_text(tmp_path):
    write(tmp_path, "empty.md", "---\ntitle: Nothing\n---\n\n")
    write(tmp_path, "data.csv", "1,2")
    refused(tmp_path, f"The folder {str(tmp_path)!r} holds no .md or .txt file with text in it.")


def test_a_text_that_is_not_utf8(tmp_path):
    path = tmp_path / "old.txt"
    path.write_bytes("caf\u00e9".encode("cp1252"))
    refused(tmp_path, f"{path} is not UTF-8 text (byte 3). Save it as UTF-8.")


def test_two_files_with_one_id(tmp_path):
    write(tmp_path, "notes.md", "One.")
    write(tmp_path, "notes.txt", "Two.")
    refused(tmp_path, "There are two documents with the id 'notes'; rename one of the files.")


@pytest.mark.parametrize("text, sentence", [
    (lines(question()) + '{"id": "q2", "text"}\n',
     "questions.jsonl, line 2: this is not JSON (Expecting ':' delimiter at column 20)."),
    ("\n" + lines({"id": "q1"}), "questions.jsonl, line 2: 'text' is missing."),
    (lines({"text": "?"}), "questions.jsonl, line 1: 'id' is missing."),
    ('["id", "text"]\n', "questions.jsonl, line 1: 'id' is missing."),
    (lines(question(), question(text="Another?")), "questions.jsonl, line 2: the id 'q1' is there twice."),
    (lines(question(text=None)), "questions.jsonl, line 1: 'text' must be a string."),
    (lines(question(evidence=[{"document": "a", "quote": "Words."}])),
     "questions.jsonl, line 1: a piece of evidence lacks 'grade'."),
    (lines(question(evidence=pieces((3, "Words."), document="b"))),
     "questions.jsonl, line 1: there is no document 'b'."),
])
def test_questions_that_cannot_be_used(tmp_path, text, sentence):
    write(tmp_path, "documents/a.md", "Words.")
    write(tmp_path, "questions.jsonl", text)
    refused(tmp_path, sentence)


@pytest.mark.parametrize("name, text, sentence", [
    ("corpus.jsonl", '{"_id": "1", "text": "a"}\n{"_id": 2,,}\n',
     "corpus.jsonl, line 2: this is not JSON (Expecting property name enclosed in double quotes at column 11)."),
    ("corpus.jsonl", '{"_id": "1", "title": "t"}\n', "corpus.jsonl, line 1: 'text' is missing."),
    ("corpus.jsonl", '{"_id": "1", "text": null}\n', "corpus.jsonl, line 1: 'text' must be a string."),
    ("corpus.jsonl", '{"_id": "1", "text": "a"}\n{"_id": 1, "text": "b"}\n',
     "corpus.jsonl, line 2: the id '1' is there twice."),
    ("queries.jsonl", '{"text": "tent"}\n', "queries.jsonl, line 1: '_id' is missing."),
    ("queries.jsonl", '{"_id": "q1", "text": "tent"}\n\n{"_id": "q1", "text": "stove"}\n',
     "queries.jsonl, line 3: the id 'q1' is there twice."),
    ("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\t10\t1\nq2 2 1\n",
     "test.tsv, line 3: expected query, document and a whole-number grade, with tabs between."),
    ("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\t10\thigh\n",
     "test.tsv, line 2: expected query, document and a whole-number grade, with tabs between."),
])
def test_beir_files_that_cannot_be_used(beir, name, text, sentence):
    write(beir, name, text)
    refused(beir, sentence)


@pytest.mark.parametrize("name, sentence", [
    ("corpus.jsonl", "corpus.jsonl, line 4: this is not UTF-8 text. Save it as UTF-8."),
    ("queries.jsonl", "queries.jsonl, line 4: this is not UTF-8 text. Save it as UTF-8."),
    ("qrels/test.tsv", "test.tsv is not UTF-8 text. Save it as UTF-8."),
])
def test_beir_files_that_are_not_utf8(beir, name, sentence):
    (beir / name).write_bytes((beir / name).read_bytes() + '{"_id": "9", "text": "caf\u00e9"}\n'.encode("cp1252"))
    refused(beir, sentence)


def test_a_beir_folder_that_is_not_complete(beir):
    (beir / "queries.jsonl").rename(beir / "questions.txt")
    refused(beir, f"The BEIR folder {beir} lacks queries.jsonl.")
    (beir / "questions.txt").rename(beir / "queries.jsonl")
    (beir / "qrels" / "test.tsv").unlink()
    refused(beir, f"The BEIR folder {beir} has no .tsv file in qrels.")
    (beir / "qrels").rmdir()
    refused(beir, f"The BEIR folder {beir} lacks qrels.")
    write(beir, "corpus.jsonl", "\n\n")
    refused(beir, f"{beir / 'corpus.jsonl'} holds no document.")


def test_qrels_without_a_header_keep_their_first_line(beir):
    write(beir, "qrels/test.tsv", "q1\t10\t1\n")
    assert Collection.load(beir).qrels == {"q1": {"10": 1}}
    write(beir, "qrels/test.tsv", "q1\t10\t-1\nq1\t2\t1\n")  # some judges mark what is worse than useless
    assert Collection.load(beir).qrels == {"q1": {"10": -1, "2": 1}}
    assert Collection.load(beir).evidence == {"q1": [(1, ("2",))]}


@pytest.mark.parametrize("header", ["query-id\tcorpus-id\tscore", "query\tdoc\trelevance label", "a\tb\tBewertung"])
def test_a_header_is_left_out(beir, header):
    write(beir, "qrels/test.tsv", f"{header}\nq1\t10\t4\n")
    assert Collection.load(beir).qrels == {"q1": {"10": 4}}


@pytest.mark.parametrize("line", ["q1\t10", "q1 10 1", "q1\t0\t10\t1", "q1\t10\t1.5", "q1\t10\t",
                                  "q1\t10\t" + "9" * 5_000])
def test_a_first_line_that_is_no_header_and_no_judgment(beir, line):
    expected = "expected query, document and a whole-number grade, with tabs between."
    write(beir, "qrels/test.tsv", f"{line}\nq1\t2\t1\n")
    refused(beir, f"test.tsv, line 1: {expected}")
    write(beir, "qrels/test.tsv", f"query-id\tcorpus-id\tscore\nq1\t2\t1\n{line}\n")
    refused(beir, f"test.tsv, line 3: {expected}")


def test_grades_of_qrels_have_an_end(beir):
    write(beir, "qrels/test.tsv", "q1\t10\t1000\nq1\t2\t1\n")
    assert Collection.load(beir).qrels == {"q1": {"10": 1000, "2": 1}}
    assert measure(["2", "10"], [(1000, ("10",)), (1, ("2",))])["MRR@10"] == 1.0
    write(beir, "qrels/test.tsv", "q1\t10\t1\nq1\t2\t1001\n")
    refused(beir, "test.tsv, line 2: a grade is a whole number up to 1,000, not 1001.")


@pytest.mark.parametrize("piece, said", [
    ('{"document": "rope", "quote": "Kept inside.", "grade": "high"}', "a grade is 1, 2 or 3, not 'high'."),
    ('{"document": "rope", "quote": "Kept inside.", "grade": 0}', "a grade is 1, 2 or 3, not 0."),
    ('{"document": "rope", "quote": " ", "grade": 3}', "a quote and a document are texts that are not empty."),
    ('{"document": "rope.md", "quote": "Kept inside.", "grade": 3}', "there is no document 'rope.md'. Is it 'rope'?"),
    ('"Kept inside."', "a piece of evidence is an object with document, quote and grade."),
])
def test_evidence_that_cannot_be_used(tmp_path, piece, said):
    write(tmp_path, "rope.md", "Kept inside.\n")
    write(tmp_path, "questions.jsonl", f'{{"id": "q1", "text": "where?", "evidence": [{piece}]}}\n')
    refused(tmp_path, f"questions.jsonl, line 1: {said}")


@pytest.mark.parametrize("grade", ["1" + "0" * 400, "4", "true", "1.0", "null"])
def test_a_grade_is_1_2_or_3(tmp_path, grade):
    write(tmp_path, "rope.md", "Kept inside.\n")
    piece = f'{{"document": "rope", "quote": "Kept inside.", "grade": {grade}}}'
    write(tmp_path, "questions.jsonl", f'{{"id": "q1", "text": "where?", "evidence": [{piece}]}}\n')
    with pytest.raises(ValueError, match=r"^questions.jsonl, line 1: a grade is 1, 2 or 3, not .{1,50}\.$"):
        Collection.load(tmp_path)


TOO_MUCH = [("[" * 200_000, "too many lists or objects stand inside each other."),
            ('{"id": ' * 50_000, "too many lists or objects stand inside each other."),
            ('{"id": "q", "_id": "q", "text": "?", "n": ' + "7" * 5_000 + "}", "a number has too many digits.")]


@pytest.mark.parametrize("line, said", TOO_MUCH, ids=["lists", "objects", "digits"])
def test_json_that_python_gives_up_on(tmp_path, beir, line, said):
    write(tmp_path / "ours", "a.md", "Words.")
    write(tmp_path / "ours", "questions.jsonl", lines(question()) + line)
    refused(tmp_path / "ours", f"questions.jsonl, line 2: {said}")
    write(beir, "queries.jsonl", "\n" + line)
    refused(beir, f"queries.jsonl, line 2: {said}")
    write(beir, "corpus.jsonl", line)
    refused(beir, f"corpus.jsonl, line 1: {said}")


def test_what_is_long_or_deep_is_shown_in_short(tmp_path):
    write(tmp_path, "a.md", "Words.")
    for value in ("[" * 500 + "]" * 500, "8" * 4_000):
        write(tmp_path, "questions.jsonl", f'{{"id": "q1", "text": "?", "kind": {value}}}\n')
        with pytest.raises(ValueError, match=r"^questions.jsonl, line 1: 'kind' is to be a text, not .{1,50}\.$"):
            Collection.load(tmp_path)


@pytest.mark.parametrize("id, said", [([1], "[1]"), ({}, "{}"), (None, "None")])
def test_ids_that_are_no_text(tmp_path, beir, id, said):
    write(tmp_path / "ours", "a.md", "Words.")
    write(tmp_path / "ours", "questions.jsonl", lines(question() | {"id": id}))
    refused(tmp_path / "ours", f"questions.jsonl, line 1: 'id' must be a string, not {said}.")
    write(beir, "corpus.jsonl", lines({"_id": id, "text": "A stove."}))
    refused(beir, f"corpus.jsonl, line 1: '_id' must be a string, not {said}.")


def test_a_title_that_is_no_text(beir):
    write(beir, "corpus.jsonl", lines({"_id": "1", "text": "A stove."}, {"_id": "2", "title": ["x"], "text": "A pan."}))
    refused(beir, "corpus.jsonl, line 2: 'title' must be a string, not ['x'].")


def test_a_page_number_that_no_book_has_is_text(tmp_path):
    mark = f"<!-- page {'9' * 5_000} -->"
    document = read_document(write(tmp_path, "a.md", f"<!-- page 123456789 -->\nOne.\n{mark}\nTwo.\n"), tmp_path)
    assert document.pages == ((0, 123456789),) and document.text == f"One.\n{mark}\nTwo.\n"


def test_a_rule_at_the_top_is_no_front_matter(tmp_path):
    write(tmp_path, "a.md", "---\nThe invoice total is 640 dollars.\n\nA second paragraph.\n\n---\n\nThe rest.\n")
    (document,) = Collection.load(tmp_path).documents
    assert "640 dollars" in document.text and "The rest." in document.text and document.metadata == {}


def test_text_before_the_first_page_mark_is_on_page_1(tmp_path):
    write(tmp_path, "a.md", "Intro.\n\n<!-- page 2 -->\nSecond.\n")
    assert [(chunk.text, chunk.page) for chunk in Collection.load(tmp_path).chunks] == [("Intro.", 1), ("Second.", 2)]


def test_a_folder_called_documents_is_one_of_many_where_there_are_no_questions(tmp_path):
    write(tmp_path, "readme.md", "Top.\n")
    write(tmp_path, "documents/a.md", "Below.\n")
    assert [document.id for document in Collection.load(tmp_path).documents] == ["documents/a", "readme"]


@pytest.mark.parametrize("field, said", [
    ('"answers": "640"', "'answers' is to be a list, not '640'."),
    ('"kind": ["x"]', "'kind' is to be a text, not ['x']."),
    ('"history": 5', "'history' is to be a list, not 5."), ('"filter": []', "'filter' is to be an object, not []."),
    ('"evidence": {}', "'evidence' is to be a list, not {}.")])
def test_fields_of_the_wrong_kind(tmp_path, field, said):
    write(tmp_path, "rope.md", "Kept inside.\n")
    write(tmp_path, "questions.jsonl", f'{{"id": "q1", "text": "where?", {field}}}\n')
    refused(tmp_path, f"questions.jsonl, line 1: {said}")


# What reached the index damaged, or not at all


def damaged(tmp_path):
    """A collection in this course's layout: one page whole, one that lost its words, one that was never copied."""
    folder = tmp_path / "shop"
    write(folder, "documents/whole.md", "# Poles\n\nPoles hang by the door.")
    write(folder, "documents/prices.md", "# Prices\n\n18.50 40")
    write(folder, "source/prices.md", "# Prices\n\n| Pole kit | $18.50 | 40 minutes |")
    write(folder, "source/recalls/jets.md", "# Jets\n\nJets of batch 7 are called back.")
    evidence = [{"document": "prices", "quote": "Pole kit | $18.50", "grade": 3},
                {"document": "recalls/jets", "quote": "Jets of batch 7 are called back.", "grade": 3},
                {"document": "whole", "quote": "Poles hang by the door.", "grade": 3}]
    write(folder, "questions.jsonl", lines(*(question(evidence=[piece]) | {"id": f"q{i}"}
                                             for i, piece in enumerate(evidence))))
    return folder


def test_sources_are_the_clean_originals_and_are_not_indexed(tmp_path):
    shop = Collection.load(damaged(tmp_path))
    assert [d.id for d in shop.documents] == ["prices", "whole"]
    assert [d.id for d in shop.sources] == ["prices", "recalls/jets"]
    assert [c.id for c in shop.chunks] == ["prices#1", "whole#1"]


def test_evidence_that_only_a_source_holds_is_held_by_no_chunk_and_scores_0(tmp_path):
    shop = Collection.load(damaged(tmp_path))
    assert shop.evidence == {"q0": [(3, ())], "q1": [(3, ())], "q2": [(3, ("whole#1",))]}
    found = [measure(["whole#1", "prices#1"], shop.evidence[q])["Recall@10"] for q in ("q0", "q1", "q2")]
    assert found == [0, 0, 1]


def test_a_plain_folder_has_no_sources(tmp_path):
    write(tmp_path, "a.md", "One.")
    write(tmp_path, "source/b.md", "Two.")
    plain = Collection.load(tmp_path)
    assert ([d.id for d in plain.documents], plain.sources) == (["a", "source/b"], [])
