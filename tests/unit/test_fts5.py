"""SQLite's search behind our face: its scores are the formula's, its lists are in order, nothing stays open."""

import math
import sqlite3

import pytest

from firstprinciples.corpus import Chunk
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.fts5 import FTS5
from firstprinciples.swap import use

TEXTS = ["a red tent, LK-204-B", "the stove burns gas", "red red red", "gas for the stove of the tent", "Größe: 5 m",
         "nothing of the kind", "a rope", "a lamp", "a knife"]


@pytest.fixture(autouse=True)
def needs_fts5():
    try:
        FTS5(["x"]).close()
    except RuntimeError:
        pytest.skip("needs SQLite with FTS5: another build of Python has it")


def fts5_idf(n, df):
    rarity = math.log((n - df + 0.5) / (df + 0.5))
    return rarity if rarity > 0 else 1e-6


def test_with_our_words_it_is_bm25_with_its_rarity():
    with use("bm25.idf", fts5_idf):
        ours = BM25(TEXTS, k1_plus_1=True)
    with FTS5(TEXTS) as theirs:
        for query in ("red tent", "the gas of the stove", "LK-204-B", "größe 5", "red red tent", "a the of"):
            found, expected = theirs.search(query), ours.search(query)
            assert dict(found) == pytest.approx(dict(expected), rel=1e-9)
            assert found == sorted(found, key=lambda hit: (-hit.score, hit.id))


def test_its_own_words_take_a_code_apart():
    with FTS5(TEXTS, None) as own, FTS5(TEXTS) as ours:
        assert [hit.id for hit in own.search("204 stove")] == [hit.id for hit in ours.search("204 stove")]
        assert [hit.id for hit in own.search("grosse")] == [] and [hit.id for hit in own.search("Grösse")] == []
        assert [hit.id for hit in own.search("Große")] == ["4"]  # accents are dropped
        assert [hit.id for hit in ours.search("große")] == []
        assert own.search('tent" OR "stove') != []  # quotes can't break out
        assert own.search("?!") == ours.search("?!") == ours.search("zeppelin") == []


def test_explanations_add_up():
    with FTS5(TEXTS) as table:
        for hit in table.search("red tent red gas"):
            told = table.explain("red tent red gas", hit.id)
            assert told.total == pytest.approx(hit.score)
            assert [part.name for part in told.parts] == ["red", "tent", "gas"]
        assert "x 2 times in the query" in table.explain("red red", "2").parts[0].note
        assert table.explain("red", "1").parts[0].note == "not in this chunk"
        with pytest.raises(KeyError, match="There is no chunk 'nowhere'"):
            table.explain("red", "nowhere")


def test_ties_by_id_and_k():
    chunks = [Chunk(id, "the same words") for id in ("b", "a", "c")] + [Chunk(f"x{i}", "others") for i in range(9)]
    with FTS5(chunks) as table:
        assert [hit.id for hit in table.search("same", 2)] == ["a", "b"]
        assert len(table.search("others", 10**30)) == 9
        for k in (0, -1, 1.5, True, None):
            with pytest.raises(ValueError, match="k is"):
                table.search("same", k)


def test_what_is_refused(tmp_path):
    for chunks, kind in (([], ValueError), ("text", TypeError), ([Chunk("a", "x"), Chunk("a", "y")], ValueError)):
        with pytest.raises(kind):
            FTS5(chunks)
    path = tmp_path / "pages.db"
    with FTS5(TEXTS, path=path) as table:
        assert table.search("tent", 1)[0].id == "0"
    with pytest.raises(ValueError, match="is there already; nothing of it is written over"):
        FTS5(TEXTS, path=path)
    assert path.stat().st_size > 0
    for ask in (lambda: table.search("tent"), lambda: table.explain("tent", "0")):
        with pytest.raises(RuntimeError, match="This table is closed; build a new one"):
            ask()


def test_files_and_tokenizers_that_are_none(tmp_path):
    for path in (tmp_path / "nowhere" / "pages.db", ""):
        with pytest.raises(ValueError, match="can't be made .*; give another name"):
            FTS5(TEXTS, path=path)
    for path in (10**6, True, b"pages.db"):  # a number is a file that is open already
        with pytest.raises(TypeError, match="The path is .*; give the name of a new file"):
            FTS5(TEXTS, path=path)
    with pytest.raises(TypeError, match="tokenizer is a function .*; 5 is none"):
        FTS5(TEXTS, tokenizer=5)
    for tokenizer in (lambda text: 1 / 0, lambda text: None):
        with pytest.raises((ZeroDivisionError, TypeError)):
            FTS5(TEXTS, tokenizer, tmp_path / "pages.db")
        assert list(tmp_path.iterdir()) == []  # so that the next try is not refused
    with FTS5(TEXTS, path=str(tmp_path / "pages.db")) as table:
        assert table.search("tent", 1)[0].id == "0"


def test_an_accent_that_is_a_sign_of_its_own():
    with FTS5(["two cafes", "two cafe\u0301s", "two caf\u00e9s", "a lamp"], None) as own:
        for query in ("cafes", "cafe\u0301s", "caf\u00e9s"):
            assert {hit.id for hit in own.search(query)} == {"0", "1", "2"}
        for query in (None, 5, b"x"):
            with pytest.raises(TypeError, match="A question is a string"):
                own.search(query)


def test_a_forgotten_table_is_closed(recwarn):
    import gc

    table = FTS5(TEXTS)
    connection = table.table
    del table
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("SELECT 1")
    assert not recwarn.list
