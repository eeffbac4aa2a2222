"""A folder as it is: what is read of it, what is said of the rest, and how a document is cut for `ask`."""

import os
import random
import tracemalloc
from pathlib import Path

import pytest

from firstprinciples.corpus import DATA, Document, document_of, paragraphs, read_documents
from firstprinciples.ingest import files
from firstprinciples.ingest.files import NoText, decoded, pieces, read_folder, some, whole_or_pieces


def write(folder, **contents):
    """Write files: a text as UTF-8, bytes as they are; __ in a name stands for a point."""
    for name, content in contents.items():
        path = folder / name.replace("__", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return folder


# Bytes


@pytest.mark.parametrize("encoding, name", [("utf-8", "utf-8"), ("utf-8-sig", "utf-8"), ("utf-16", "utf-16"),
                                            ("utf-32", "utf-32"), ("cp1252", "cp1252")])
def test_a_text_is_read_in_the_encodings_that_windows_saves(encoding, name):
    assert decoded("Fee: 4 €\r\nCafé\rend".encode(encoding)) == ("Fee: 4 €\nCafé\nend", name)


def test_big_endian_marks_count_too():
    assert decoded(b"\xfe\xff\x00a\x00\n") == ("a\n", "utf-16")
    assert decoded(b"\x00\x00\xfe\xff\x00\x00\x00a") == ("a", "utf-32")
    assert decoded(b"") == ("", "utf-8")


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", b"plain\x00text", b"\xff\xfea",  # half a sign
                                  b"caf\xe9 \x01", b"\x81\x8d\x8f"])
def test_what_is_no_text_is_told_from_it(data):
    with pytest.raises(NoText):
        decoded(data)


# Folders


def test_every_readable_file_is_a_document_named_as_the_user_knows_it(tmp_path):
    write(tmp_path, b__txt="Two\r\nlines", a__md="---\ntitle: The A\ndate: 2024-01-02\n---\n<!-- page 3 -->\nText A.",
          a__txt="Text B.")
    write(tmp_path / "in a folder", C__TXT="Text C.")
    write(tmp_path / ".hidden", d__txt="Text D.")
    documents, said = read_folder(tmp_path)
    assert [document.id for document in documents] == ["a.md", "a.txt", "b.txt", "in a folder/C.TXT"]
    assert documents[0] == Document("a.md", "The A", "Text A.", {"title": "The A", "date": "2024-01-02"}, ((0, 3),))
    assert documents[2].text == "Two\nlines"
    assert said == []


def test_a_page_is_counted_from_1(tmp_path):
    write(tmp_path, a__md="<!-- page 0 -->\nText.\n<!-- page 1 -->\nMore.")
    (document,), _ = read_folder(tmp_path)
    assert document.pages == ((0, 1), (6, 1))


def test_a_form_feed_begins_a_page_where_no_mark_does(tmp_path):
    write(tmp_path, feeds__txt="One.\nTwo\n\fthree.\n\f\fFive.\n\f",
          marks__txt="<!-- page 4 -->\na\n\fb", later__txt="a\n\f\n<!-- page 9 -->\nb")
    documents = {document.id: document for document in read_folder(tmp_path)[0]}
    assert documents["feeds.txt"].pages == ((0, 1), (10, 2), (18, 3), (19, 4), (26, 5))
    assert [(c.text, c.page) for c in pieces(documents["feeds.txt"])] == [("One.\nTwo", 1), ("three.", 2), ("Five.", 4)]
    assert documents["marks.txt"].pages == ((0, 4),)
    assert [(c.text, c.page) for c in pieces(documents["later.txt"])] == [("a", 8), ("b", 9)]


def test_what_is_left_out_is_said_once_for_each_reason(tmp_path):
    write(tmp_path, good__txt="Text.", empty__txt="", blank__md="\n \t\n", bom__txt="\ufeff",
          picture__txt=b"\x89PNG\x00", old__txt="Café".encode("cp1252"), wide__txt="Tür".encode("utf-16"),
          photo__png=b"\x00", letter__docx=b"PK")
    write(tmp_path, front__md="---\ntitle: nothing else\n---\n")
    documents, said = read_folder(tmp_path)
    assert {document.id: document.text for document in documents} == {
        "good.txt": "Text.", "old.txt": "Café", "wide.txt": "Tür"}
    assert said == [
        "Without text: blank.md, bom.txt, empty.txt and 1 more.",
        "Not read, since only .md and .txt files are: letter.docx, photo.png.",
        "Not UTF-8, so read as Windows-1252; save it as UTF-8 if letters look wrong: old.txt.",
        "Left out, since what is in it is no text: picture.txt."]


def test_a_large_file_is_named_and_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LARGEST", 20)
    monkeypatch.setattr(files, "ALTOGETHER", 30)
    write(tmp_path, a__txt="a" * 20, b__txt="b" * 21, c__txt="c" * 11, d__txt="d" * 10)
    documents, said = read_folder(tmp_path)
    assert [document.id for document in documents] == ["a.txt", "d.txt"]
    assert said == ["Left out, since a file may have 0 MB: b.txt.",
                    "Left out, since 0 MB of text are read and no more: c.txt."]


def test_a_file_that_grows_meanwhile_is_read_to_the_limit(tmp_path, monkeypatch):
    write(tmp_path, a__txt="a" * 50)
    monkeypatch.setattr(files, "LARGEST", 20)
    monkeypatch.setattr(Path, "stat", lambda path, **_: os.stat_result([0o100644, 0, 0, 1, 0, 0, 5, 0, 0, 0]))
    (document,), said = read_folder(tmp_path)
    assert (document.text, said) == ("a" * 20, [])


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_links_in_a_circle_and_to_nowhere(tmp_path):
    write(tmp_path / "in", a__txt="Text.")
    (tmp_path / "in" / "again").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "self.txt").symlink_to(tmp_path / "self.txt")
    (tmp_path / "gone.md").symlink_to(tmp_path / "nowhere.md")
    (tmp_path / "link.txt").symlink_to(tmp_path / "in" / "a.txt")
    os.mkfifo(tmp_path / "pipe.txt")  # opened, it would wait for a writer forever
    documents, said = read_folder(tmp_path)
    assert [document.id for document in documents] == ["in/a.txt", "link.txt"]
    assert said == ["Left out, since it is no file: gone.md, pipe.txt, self.txt.",
                    "Not followed, since it is a link to a folder: in/again."]


@pytest.mark.skipif(os.name == "nt", reason="a name of bytes that are no letters")
def test_a_name_that_cannot_be_printed_is_shown_as_it_would_be_typed(tmp_path):
    try:
        for name in (b"\xff.txt", b"a\nb.txt"):
            Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("Text.", encoding="utf-8")
    except OSError:
        pytest.skip("this disk has no such names")
    documents, _ = read_folder(tmp_path)
    assert [document.id for document in documents] == ["a\\nb.txt", "\\xff.txt"]


def test_a_file_and_a_folder_that_cannot_be_opened_are_named(tmp_path, monkeypatch):
    write(tmp_path, a__txt="Text.", b__txt="Text.")
    write(tmp_path / "shut", c__txt="Text.")
    opened, listed = Path.open, os.scandir

    def shut(path, *arguments):
        if Path(path).name in ("b.txt", "shut"):
            raise PermissionError(13, "Permission denied", str(path))
        return (opened if arguments else listed)(path, *arguments)

    monkeypatch.setattr(Path, "open", lambda path, mode: shut(path, mode))
    monkeypatch.setattr(os, "scandir", lambda path: shut(path))
    documents, said = read_folder(tmp_path)
    assert [document.id for document in documents] == ["a.txt"]
    assert said == ["Left out, since it can't be read (Permission denied): b.txt, shut."]


def test_a_folder_that_is_none(tmp_path):
    write(tmp_path, a__txt="Text.")
    with pytest.raises(ValueError, match=r"a\.txt is a file; give the folder that holds it\.$"):
        read_folder(tmp_path / "a.txt")
    with pytest.raises(ValueError, match=r"There is no folder .*nowhere; give one that holds \.md or \.txt files\.$"):
        read_folder(tmp_path / "nowhere")
    with pytest.raises(ValueError, match="There is no folder"):
        read_folder(Path("x" * 5000))
    assert read_folder(write(tmp_path / "empty", x__pdf=b"")) == (
        [], ["Not read, since only .md and .txt files are: x.pdf."])


def test_larkspur_is_read_as_the_collection_reads_it():
    documents, said = read_folder(DATA / "larkspur" / "documents")
    theirs = read_documents(DATA / "larkspur" / "documents")
    assert said == []
    assert [(d.id.rpartition(".")[0], d.title, d.text, d.metadata, d.pages) for d in documents] == [
        (d.id, d.title, d.text, d.metadata, d.pages) for d in theirs]


def test_names_for_a_sentence():
    assert some(["a"]) == "a" and some(list("abc")) == "a, b, c" and some(list("abcd")) == "a, b, c and 1 more"


# Chunks


def test_without_a_limit_pieces_are_the_paragraphs():
    texts = ["", "\n\n", "a", "# A", "# A\n\n# B\n\n", "# A\n\nb\n \t\nc\n\n# D\n", "a\n\n\n\nb  \n\n", "#1\n\nx",
             "a\n\x0b\nb", "# A\nb\n\nc", "\u2028\n\na", "####### x\n\ny", "a\n\n<!-- page 2 -->\n\nb"]
    documents = [document_of(text, Path("f/d.md"), Path("f")) for text in texts]
    for document in [*documents, *read_documents(DATA / "larkspur" / "documents")]:
        assert pieces(document, 10**9) == paragraphs(document)


@pytest.mark.parametrize("longest", [1, 2, 7, 50, 333, 1200])
def test_no_piece_is_too_long_and_nothing_but_white_space_is_lost(longest):
    for document in read_documents(DATA / "larkspur" / "documents")[::7]:
        chunks, end = pieces(document, longest), 0
        assert [chunk.id for chunk in chunks] == [f"{document.id}#{n}" for n in range(1, len(chunks) + 1)]
        for chunk in chunks:
            assert chunk.text == document.text[chunk.start:chunk.end] == chunk.text.strip() != ""
            assert len(chunk.text) <= longest
            assert document.text[end:chunk.start].strip() == ""
            end = chunk.end
        assert document.text[end:].strip() == ""


def test_a_long_paragraph_is_cut_where_it_hurts_least():
    def cut(text, longest):
        return [chunk.text for chunk in pieces(Document("d", "D", text), longest)]

    assert cut("One one. Two\ntwo two. Three", 20) == ["One one. Two", "two two. Three"]
    assert cut("One one. Two two two", 15) == ["One one.", "Two two two"]
    assert cut("abcdefghij", 4) == ["abcd", "efgh", "ij"]
    assert cut("# Head\n\n" + "word " * 4, 12) == ["# Head", "word word", "word word"]
    with pytest.raises(ValueError, match="longest is 0"):
        pieces(Document("d", "D", "a"), 0)


@pytest.mark.parametrize("seed", range(20))
def test_random_bytes_and_texts(seed):
    draw = random.Random(seed)
    for _ in range(100):
        try:
            text, _ = decoded(draw.randbytes(draw.randrange(30)))
        except NoText:
            continue
        assert "\r" not in text
    for _ in range(50):
        parts = ["a", "bb ", ". ", "\n", "\n\n", "# h", " ", "\t", "\x0b", "<!-- page 3 -->\n", "é", "中"]
        text = "".join(draw.choices(parts, k=draw.randrange(60)))
        document, longest = document_of(text, Path("f/d.md"), Path("f")), draw.randrange(1, 20)
        chunks = pieces(document, longest)
        assert "".join("".join(c.text for c in chunks).split()) == "".join(document.text.split())
        assert all(c.text == document.text[c.start:c.end] and 0 < len(c.text) <= longest for c in chunks)
        assert pieces(document, 10**6) == paragraphs(document)


def test_a_page_is_that_on_which_a_piece_begins():
    text = "one two\n<!-- page 2 -->\nthree four\n\n<!-- page 7 -->\nfive"
    document = document_of(text, Path("f/d.txt"), Path("f"))
    assert [(c.text, c.page) for c in pieces(document, 9)] == [("one two", 1), ("three", 2), ("four", 2), ("five", 7)]


def test_a_short_document_of_one_page_stays_whole():
    def cut(text, longest):
        document = document_of(text, Path("f/d.txt"), Path("f"))
        return [(c.id, c.text, c.start, c.end, c.page) for c in whole_or_pieces(document, longest)]

    assert cut("\n a\n\nb c \n", 6) == [("d#1", "a\n\nb c", 2, 8, 1)]
    assert cut("\n a\n\nb c \n", 5) == [("d#1", "a", 2, 3, 1), ("d#2", "b c", 5, 8, 1)]
    assert cut("<!-- page 4 -->\na\n\nb", 9) == [("d#1", "a\n\nb", 0, 4, 4)]
    assert [chunk[1::3] for chunk in cut("a\n\n<!-- page 2 -->\nb", 9)] == [("a", 1), ("b", 2)]
    assert cut(" \n\n", 9) == []


def test_many_short_paragraphs_are_put_together(monkeypatch):
    document = Document("d", "D", "# A\n\nbb\n\ncc\n\ndddd\n\neeeeeeeeeee\n\nf")
    monkeypatch.setattr(files, "MANY", 4)
    assert [chunk.text for chunk in pieces(document, 8)] == [
        "# A\n\nbb", "cc\n\ndddd", "eeeeeeee", "eee", "f"]
    monkeypatch.setattr(files, "MANY", 5)
    assert [chunk.text for chunk in pieces(document, 8)] == [
        "# A\n\nbb", "cc", "dddd", "eeeeeeee", "eee", "f"]


@pytest.mark.parametrize("text", ["word " * 40_000, "a" * 200_000, "\n" * 200_000, "a\n\n" * 70_000,
                                  "# a\n\n" * 40_000, " \n" * 100_000 + "a"],
                         ids=["one line", "one word", "empty lines", "short lines", "headings", "blanks"])
def test_a_fifth_of_a_megabyte_takes_memory_in_proportion(text):
    document = document_of(text, Path("f/d.txt"), Path("f"))
    tracemalloc.start()
    try:
        assert len(pieces(document)) < 400
        assert tracemalloc.get_traced_memory()[1] < 1_200_000
    finally:
        tracemalloc.stop()
