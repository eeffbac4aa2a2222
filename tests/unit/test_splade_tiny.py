"""The real sparse encoder: what is stored needs no files, what is cached is not computed again, damage is noticed."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from firstprinciples.corpus import Collection
from firstprinciples.encode import sparse_files, splade_tiny, stored
from firstprinciples.encode.cache import BLOCK
from firstprinciples.encode.sparse_files import CachedTerms, StoredTerms, lay_out, read_block, shorten, take_apart
from firstprinciples.encode.splade_tiny import FILE, SpladeTiny, lesson_texts, shown
from firstprinciples.encode.stored import ModelFilesMissing, stored_texts, text_hash
from firstprinciples.retrieve.splade import Splade, literal_and_added, term_weights
from firstprinciples.swap import use

ROOT = Path(__file__).resolve().parents[2]


def wanted_texts():
    """Return what data/vectors/make_splade.py stores, by its own list."""
    spec = importlib.util.spec_from_file_location("make_splade", ROOT / "data" / "vectors" / "make_splade.py")
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    return make.texts()


class Counting:
    """An encoder that counts the texts it is asked for; a text's letters are its terms."""

    name, cut = "counting", 1

    def __init__(self, fingerprint="one", stop_after=None):
        self.fingerprint, self.stop_after, self.asked, self.calls = fingerprint, stop_after, [], 0

    def encode_passages(self, texts):
        if self.calls == self.stop_after:
            raise KeyboardInterrupt
        self.calls += 1
        self.asked += texts
        return [{letter: 0.5 + text.count(letter) for letter in sorted(set(text))} for text in texts]

    def encode_queries(self, texts):
        return self.encode_passages(texts)

    def terms_of(self, text):
        return list(text)


TEXTS = ["ab" * (i % 5) + chr(97 + i % 26) for i in range(2 * BLOCK + 20)]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "not there yet" / "vectors"


# Rows end to end


@pytest.mark.parametrize("seed", range(10))
def test_rows_come_back_as_they_were_laid_out(seed):
    draw = np.random.default_rng(seed)
    rows = [{f"##t{i}é": float(np.float32(draw.random() + 0.01)) for i in
             draw.choice(30, size=draw.integers(0, 12), replace=False)} for _ in range(draw.integers(0, 9))]
    assert take_apart(lay_out(rows)) == rows
    steps = shorten([str(i) for i in range(len(rows))], rows, [[] for _ in rows])
    assert len(steps["hashes"]) == len(rows)


def test_a_line_break_in_a_term():
    with pytest.raises(ValueError, match="must not hold a line break"):
        lay_out([{"a\nb": 1.0}])


# In the cache


def test_the_second_time_nothing_is_computed(folder):
    first, second = Counting(), Counting()
    computed = CachedTerms(first, folder).encode_passages(TEXTS)
    read = CachedTerms(second, folder).encode_passages(TEXTS)
    assert first.asked == TEXTS and second.asked == []
    assert read == computed == Counting().encode_passages(TEXTS)
    assert len(list(folder.iterdir())) == 3


def test_another_encoder_or_another_order_is_computed(folder):
    CachedTerms(Counting(), folder).encode_passages(TEXTS)
    other, turned = Counting("two"), Counting()
    CachedTerms(other, folder).encode_passages(TEXTS)
    assert CachedTerms(turned, folder).encode_passages(TEXTS[::-1]) == Counting().encode_passages(TEXTS[::-1])
    assert other.asked == TEXTS and turned.asked == TEXTS[::-1]


def test_after_an_interrupt_the_blocks_that_were_done_are_kept(folder):
    with pytest.raises(KeyboardInterrupt):
        CachedTerms(Counting(stop_after=2), folder).encode_passages(TEXTS)
    again = Counting()
    CachedTerms(again, folder).encode_passages(TEXTS)
    assert again.asked == TEXTS[2 * BLOCK :]


def test_a_damaged_block_is_made_again(folder):
    CachedTerms(Counting(), folder).encode_passages(TEXTS)
    one, two, three = sorted(folder.iterdir())
    one.write_bytes(one.read_bytes()[:100])
    two.write_bytes(b"")
    whole = bytearray(three.read_bytes())
    whole[len(whole) // 2] ^= 1
    three.write_bytes(bytes(whole))
    again = Counting()
    assert CachedTerms(again, folder).encode_passages(TEXTS) == Counting().encode_passages(TEXTS)
    assert again.asked == TEXTS
    assert read_block(one, BLOCK) or read_block(one, 20)


def test_what_can_not_be_written_is_computed(tmp_path):
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    encoder = CachedTerms(Counting(), tmp_path / "file")
    assert encoder.encode_passages(["ab"]) == encoder.encode_queries(["ab"]) == [{"a": 1.5, "b": 1.5}]
    assert encoder.terms_of("ab") == ["a", "b"]


def test_what_comes_with_the_course_stands_in_no_block(folder):
    encoder, told = Counting(), []
    encoder.has = lambda text: text == "stored"
    rows = CachedTerms(encoder, folder, progress=lambda done, n: told.append((done, n))).encode_passages(
        ["ab", "stored", "cd"])
    assert rows == Counting().encode_passages(["ab", "stored", "cd"])
    assert encoder.asked == ["stored", "ab", "cd"] and told == [(0, 2), (2, 2)]


def test_a_function_of_yours_is_kept_out_of_the_cache(folder):
    CachedTerms(Counting(), folder).encode_passages(["ab"])
    again = Counting()
    with use("splade.term_weights", lambda logits, mask: None):
        CachedTerms(again, folder).encode_passages(["ab", "cd"])
    assert again.asked == ["ab", "cd"] and len(list(folder.iterdir())) == 1


def test_no_cache_folder(monkeypatch):
    monkeypatch.setattr(sparse_files, "cache_folder", lambda: None)
    assert CachedTerms(Counting()).encode_passages(["ab"]) == [{"a": 1.5, "b": 1.5}]


# Stored


@pytest.fixture
def file(tmp_path):
    """A file with the weights of three texts, one of which has none."""
    texts = ["red tent", "", "stove"]
    rows = [{"tent": 2.0, "red": 1.0, "camp": 0.004, "canvas": 0.004 * 3}, {}, {"stove": 0.5, "fire": 0.25}]
    np.savez(tmp_path / "s.npz", **shorten(texts, rows, [["red", "tent"], [], ["stove"]]))
    return tmp_path / "s.npz"


def test_a_stored_text_needs_no_files(file):
    encoder = StoredTerms(file, lambda: pytest.fail("the files were asked for"), "real")
    tent, nothing, stove = encoder.encode_passages(["red tent", "", "stove"])
    # steps of 2 / 255: 0.004 is half a step and rounds to 1 or to nothing, 0.012 is one and a half
    assert tent == pytest.approx({"red": 128 * 2 / 255, "tent": 2.0, **{term: tent[term] for term in tent
                                                                        if term in ("camp", "canvas")}})
    assert tent["canvas"] == pytest.approx(2 * 2 / 255) and nothing == {}
    assert stove == pytest.approx({"stove": 0.5, "fire": 128 * 0.5 / 255})
    assert encoder.terms_of("red tent") in (["red", "tent"], ["tent", "red"]) and encoder.terms_of("") == []
    assert encoder.terms_of("stove") == ["stove"]
    assert encoder.has("stove") and not encoder.has("Stove") and encoder.cut == 0


def test_a_row_that_is_changed_changes_nothing(file):
    encoder = StoredTerms(file, lambda: None, "real")
    encoder.encode_queries(["stove"])[0].clear()
    assert encoder.encode_queries(["stove"])[0]


def test_the_others_are_encoded_with_the_files_and_the_order_stays(file):
    real = Counting()
    encoder = StoredTerms(file, lambda: real, "real")
    rows = encoder.encode_passages(["ab", "stove", "c"])
    assert rows[0] == {"a": 1.5, "b": 1.5} and rows[1]["stove"] == pytest.approx(0.5) and rows[2] == {"c": 1.5}
    assert real.asked == ["ab", "c"] and encoder.terms_of("ab") == ["a", "b"] and encoder.cut == 1


def test_without_the_files_one_sentence_says_what_to_do(file):
    encoder = StoredTerms(file, lambda: None, "splade-tiny")
    for call in (lambda: encoder.encode_queries(["a question of my own, which is rather longer than that"]),
                 lambda: encoder.terms_of("a question of my own, which is rather longer than that")):
        with pytest.raises(ModelFilesMissing) as caught:
            call()
        assert str(caught.value) == (
            "The weights of 'a question of my own, which is rather l…' are not stored with the course, and the files "
            f"of splade-tiny are not here: run `{stored.COMMAND} models` once to fetch them (109 MB), or use the "
            "encoder toy (--encoder toy).")


@pytest.mark.parametrize("damage", [
    lambda path: path.unlink(), lambda path: path.write_bytes(path.read_bytes()[:300]),
    lambda path: path.write_bytes(b"no zip file at all"), lambda path: path.write_bytes(scratched(FILE.read_bytes())),
    lambda path: np.savez(path, hashes=np.zeros(1, np.uint64)),
    lambda path: changed(path, lengths=np.uint16([9, 9, 9])), lambda path: changed(path, gaps=np.uint16([999] * 6)),
    lambda path: changed(path, scales=np.float32([-1, 0, 1])), lambda path: changed(path, literal=np.uint8([])),
    lambda path: changed(path, hashes=np.zeros(3, np.uint64))])
def test_a_damaged_file(file, damage):
    damage(file)
    with pytest.raises(ValueError, match="s.npz is missing or damaged; take it from a whole clone of the repository.$"):
        StoredTerms(file, lambda: None, "real")


def scratched(whole: bytes) -> bytes:
    """Return a file whose packed numbers can't be unpacked."""
    start = whole.index(b"PK\3\4") + 120
    return whole[:start] + b"\xff" * 64 + whole[start + 64 :]


def changed(path, **arrays):
    """Write the file again with some arrays changed."""
    with np.load(path) as file:
        kept = {name: file[name] for name in file.files}
    np.savez(path, **kept | arrays)


# What comes with the course


def test_every_text_that_is_to_be_stored_is_and_the_file_is_small():
    encoder, wanted = splade_tiny.splade_tiny(), wanted_texts()
    assert [text for text in wanted if not encoder.has(text)] == [], "run data/vectors/make_splade.py"
    with np.load(FILE, allow_pickle=False) as file:
        assert file["hashes"].tolist() == [text_hash(text) for text in wanted], "run data/vectors/make_splade.py"
    larkspur = Collection.load("larkspur")
    for text in [*(chunk.text for chunk in larkspur.chunks), *(query.text for query in larkspur.queries),
                 *stored_texts(), *lesson_texts()]:
        assert encoder.has(text)
    assert FILE.stat().st_size <= 500_000 and encoder is splade_tiny.splade_tiny()
    assert len(set(lesson_texts())) == len(lesson_texts())


def test_larkspur_is_searched_without_files(monkeypatch):
    monkeypatch.setattr(splade_tiny.models, "files", lambda name: None)
    encoder, larkspur = splade_tiny.splade_tiny.__wrapped__(), Collection.load("larkspur")
    index = Splade(larkspur.chunks, encoder)
    query = next(query.text for query in larkspur.queries if query.split == "dev")
    best = index.search(query, k=3)
    assert len(best) == 3
    for hit in best:
        found = index.explain(query, hit.id)
        assert found.total == pytest.approx(hit.score, abs=1e-6)
    with pytest.raises(ModelFilesMissing):
        index.search("a question that nobody has stored")
    with pytest.raises(FileNotFoundError, match="The files of SPLADE-tiny are not here"):
        SpladeTiny()


def test_a_text_with_the_one_word_is_filed_under_the_other():
    encoder = splade_tiny.splade_tiny()
    [row] = encoder.encode_passages(["He parked his automobile behind the shop."])
    parts = literal_and_added(encoder.terms_of("He parked his automobile behind the shop."), row)
    assert parts["added"]["car"] > 1 and parts["literal"]["automobile"] > 1


def test_pieces_as_a_reader_sees_them():
    assert [shown(term) for term in ("##s", "car", "#", "##", "##ing")] == ["…s", "car", "#", "##", "…ing"]


# With the files


@pytest.fixture(scope="module")
def real():
    """Return the encoder with its files."""
    if splade_tiny.models.files("splade-tiny") is None:
        pytest.skip("the files of splade-tiny are not here")
    return SpladeTiny()


SAMPLE = ["how much do we owe", "", "The rope is inspected after each day of climbing. " * 40]


@pytest.mark.models
def test_a_sample_of_the_stored_weights_computed_again(real):
    """A weight is rounded to one of 255 steps, so it is off by half a step at most; smaller ones are gone."""
    sample = wanted_texts()[::60]
    stored = splade_tiny.splade_tiny()
    for text, exact, kept in zip(sample, real.encode_passages(sample), stored.encode_passages(sample), strict=True):
        half = max(exact.values()) / 255 / 2 * 1.01
        assert set(kept) <= set(exact)
        assert all(abs(weight - kept.get(term, 0)) <= half for term, weight in exact.items())
        assert set(stored.terms_of(text)) == set(real.terms_of(text)) & set(kept)


@pytest.mark.models
def test_the_weights_are_those_of_term_weights(real):
    rows = real.encode_passages(SAMPLE)
    assert real.cut == 1 and rows == real.encode_queries(SAMPLE)
    for text, row in zip(SAMPLE, rows, strict=True):
        tokens, logits = real.bert.token_logits(text)
        weights = term_weights(logits, np.ones(len(tokens)))
        dense = np.array([row.get(term, 0.0) for term in real.vocabulary])
        assert dense == pytest.approx(weights, abs=1e-4)
        assert real.token_weights(text)[1].max(axis=0) == pytest.approx(dense, abs=1e-4)
        assert real.terms_of(text) == tokens[1:-1]
    with pytest.raises(TypeError, match="Give a list of texts"):
        real.encode_passages("one text")


@pytest.mark.models
def test_a_term_weights_of_yours_pools(real):
    own = real.encode_passages(SAMPLE)
    with use("splade.term_weights", lambda logits, mask: term_weights(logits, mask) * 2):
        twice = real.encode_passages(SAMPLE)
        assert real.cut == 1
    for row, double in zip(own, twice, strict=True):
        assert double == pytest.approx({term: 2 * weight for term, weight in row.items()}, abs=2e-4) or {
            term for term in double if double[term] > 1e-3} == {term for term in row if row[term] > 5e-4}
    with use("splade.term_weights", lambda logits, mask: None), pytest.raises(ValueError, match="splade.term_weights"):
        real.encode_passages(SAMPLE)


@pytest.mark.models
def test_a_text_that_is_not_stored_comes_from_the_files(real):
    text = "How do I get sand out of a zipper?"
    encoder = splade_tiny.splade_tiny()
    assert not encoder.has(text)
    assert encoder.encode_queries([text])[0] == pytest.approx(real.encode_queries([text])[0], abs=1e-5)
    assert encoder.terms_of(text) == real.terms_of(text)
