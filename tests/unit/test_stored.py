"""Stored vectors: what is stored is used as it is on every machine, the rest needs the files and says so."""

import hashlib
import importlib.util
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from firstprinciples import models
from firstprinciples.corpus import Collection
from firstprinciples.encode import stored
from firstprinciples.encode.stored import (
    FILE,
    MORE,
    ModelFilesMissing,
    Stored,
    from_int8,
    minilm,
    stored_texts,
    text_hash,
    to_int8,
)
from firstprinciples.ingest.contextual import contextualize

ROOT = Path(__file__).resolve().parents[2]


FIRST = 1414  # texts were stored before the chunks with their context came


@cache
def make():
    """Return data/vectors/make.py as a module."""
    spec = importlib.util.spec_from_file_location("make_vectors", ROOT / "data" / "vectors" / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def wanted_texts():
    """Return what data/vectors/make.py stores, by its own list."""
    return make().texts()


@pytest.fixture
def file(tmp_path):
    """A file with the vectors of two texts, 3 wide."""
    rows, scales = to_int8(np.array([[1.0, 0, 0], [0, 0.6, 0.8]]))
    hashes = np.array([text_hash("red tent"), text_hash("stove")], dtype=np.uint64)
    np.savez(tmp_path / "v.npz", hashes=hashes, rows=rows, scales=scales)
    return tmp_path / "v.npz"


class Real:
    """Stands for the encoder with its files; each text becomes (0, 0, 1)."""

    cut = 1

    def __init__(self):
        self.asked = []

    def encode_passages(self, texts):
        self.asked.append(list(texts))
        return np.tile([0, 0, 1], (len(texts), 1)).astype(np.float32)

    def token_vectors(self, text, side):
        return [text, side], np.eye(3)[:2]


# Rounding


def test_rounding_to_one_byte_keeps_the_direction():
    rng = np.random.default_rng(4)
    vectors = rng.standard_normal((50, 384))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows, scales = to_int8(vectors)
    assert rows.dtype == np.int8 and scales.dtype == np.float32 and scales.shape == (50,)
    assert np.abs(rows).max(axis=1).tolist() == [127] * 50
    assert np.abs(rows.astype(float) * scales[:, None] - vectors).max() <= scales.max() / 2 + 1e-7
    again = from_int8(rows, scales)
    assert again.dtype == np.float32
    assert np.linalg.norm(again, axis=1) == pytest.approx(np.ones(50), abs=1e-6)
    assert (again * vectors).sum(axis=1).min() > 0.9999


def test_rounding_is_symmetric_and_zeros_stay():
    rows, scales = to_int8(np.array([[0.5, -0.25, 0], [-0.5, 0.25, 0], [0, 0, 0]]))
    assert rows.tolist() == [[127, -64, 0], [-127, 64, 0], [0, 0, 0]] and scales[2] == 0
    assert from_int8(rows, scales)[2].tolist() == [0, 0, 0]


# Looking up


def test_a_stored_text_needs_no_files(file):
    encoder = Stored(file, lambda: pytest.fail("the files were asked for"))
    vectors = encoder.encode_passages(["stove", "red tent", "stove"])
    assert vectors.dtype == np.float32 and encoder.dim == 3
    assert vectors == pytest.approx(np.array([[0, 0.6, 0.8], [1, 0, 0], [0, 0.6, 0.8]]), abs=0.005)
    assert encoder.encode_queries(["stove"]).tolist() == vectors[:1].tolist()
    assert encoder.encode_queries([]).shape == (0, 3)
    assert encoder.has("stove") and not encoder.has("Stove") and not encoder.has("stove ")


def test_the_others_are_encoded_with_the_files_and_the_order_stays(file):
    real = Real()
    encoder = Stored(file, lambda: real)
    assert encoder.cut == 0
    vectors = encoder.encode_queries(["lamp", "red tent", "rope"])
    assert vectors.tolist() == [[0, 0, 1], [1, 0, 0], [0, 0, 1]]
    assert real.asked == [["lamp", "rope"]] and encoder.cut == 1
    assert encoder.token_vectors("stove", "query")[0] == ["stove", "query"]


def test_without_the_files_one_sentence_says_what_to_do(file):
    encoder = Stored(file, lambda: None)
    with pytest.raises(ModelFilesMissing) as caught:
        encoder.encode_queries(["stove", "a question of my own, which is rather longer than that"])
    assert str(caught.value) == (
        "The vector of 'a question of my own, which is rather l…' is not stored with the course, and the files of "
        f"minilm are not here: run `{stored.COMMAND} models` once to fetch them (109 MB), or use the encoder toy "
        "(--encoder toy).")
    assert isinstance(caught.value, FileNotFoundError)
    assert sum(size for model in models.MODELS.values() for size, _ in model.files.values()) // 10**6 == 109
    with pytest.raises(ModelFilesMissing):
        encoder.token_vectors("stove", "passage")


def test_files_that_are_fetched_meanwhile_are_found(file):
    there = []
    encoder = Stored(file, lambda: there[0] if there else None)
    with pytest.raises(ModelFilesMissing):
        encoder.encode_queries(["lamp"])
    there.append(Real())
    assert encoder.encode_queries(["lamp"]).tolist() == [[0, 0, 1]]


def test_one_text_without_a_list(file):
    with pytest.raises(TypeError, match="^Give a list of texts, also for one text.$"):
        Stored(file, lambda: None).encode_queries("stove")


@pytest.mark.parametrize("texts, words", [
    (None, "^Give a list of texts, also for one text.$"), (b"stove", "^Give a list of texts, also for one text.$"),
    (["stove", None], "^A text must be a string, not NoneType.$"), ([3], "^A text must be a string, not int.$")])
def test_what_is_no_list_of_texts(file, texts, words):
    with pytest.raises(TypeError, match=words):
        Stored(file, lambda: None).encode_queries(texts)


def test_texts_may_come_one_by_one(file):
    assert Stored(file, lambda: None).encode_queries(text for text in ["stove", "red tent"]).shape == (2, 3)


@pytest.mark.parametrize("damage", [
    lambda path: path.unlink(),
    lambda path: path.write_bytes(path.read_bytes()[:300]),
    lambda path: path.write_bytes(b""),
    lambda path: path.write_bytes(b"no zip file at all"),
    lambda path: np.savez(path, hashes=np.zeros(1, np.uint64), rows=np.zeros((1, 3), np.int8)),
    lambda path: np.savez(path, hashes=np.zeros(2, np.uint64), rows=np.zeros((1, 3), np.int8), scales=np.ones(1)),
    lambda path: np.savez(path, hashes=np.zeros(1, np.uint64), rows=np.zeros((1, 3)), scales=np.ones(1)),
    lambda path: np.savez(path, hashes=np.zeros(1, np.uint64), rows=np.zeros((1, 3), np.int8), scales=-np.ones(1)),
    lambda path: np.savez(path, hashes=np.ones(2, np.uint64), rows=np.zeros((2, 3), np.int8), scales=np.ones(2)),
    lambda path: np.savez(path, hashes=np.array(["x"], object), rows=np.zeros((1, 3), np.int8), scales=np.ones(1)),
])
def test_a_damaged_file(file, damage):
    damage(file)
    with pytest.raises(ValueError, match="v.npz is missing or damaged; take it from a whole clone of the repository.$"):
        Stored(file, lambda: None)


def test_real_files_that_are_not_there(monkeypatch):
    monkeypatch.setattr(stored.models, "files", lambda name: None)
    encoder = Stored(FILE, stored._load_minilm)
    assert encoder.encode_queries(["invoice"]).shape == (1, 384)
    with pytest.raises(ModelFilesMissing):
        encoder.encode_queries(["a text that nobody has stored"])


# What comes with the course


def test_every_text_that_is_to_be_stored_is_and_the_file_is_small():
    larkspur, encoder = Collection.load("larkspur"), minilm()
    texts = [chunk.text for chunk in larkspur.chunks] + [query.text for query in larkspur.queries] + stored_texts()
    missing = [text for text in texts if not encoder.has(text)]
    assert missing == [], "run data/vectors/make.py"
    assert [text for text in wanted_texts() if not encoder.has(text)] == [], "run data/vectors/make.py"
    assert len(larkspur.chunks) == 704 and len(larkspur.queries) == 300 and len(stored_texts()) >= 16
    assert FILE.stat().st_size < 2_000_000


def test_nothing_else_is_stored():
    with np.load(FILE, allow_pickle=False) as file:
        hashes = file["hashes"].tolist()
    assert hashes == [text_hash(text) for text in wanted_texts()], "run data/vectors/make.py"


def test_the_chunks_with_their_context_are_stored():
    larkspur, encoder = Collection.load("larkspur"), minilm()
    copies = contextualize(larkspur.chunks, larkspur.documents)
    assert len({copy.text for copy in copies}) == 704 and all(encoder.has(copy.text) for copy in copies)


def test_the_first_rows_are_what_they_always_were():
    """Earlier lessons print numbers that come from them.

    New phrases belong at the end of minilm_texts.txt: the lines of texts.txt are stored in splade.npz, too.
    """
    digest = hashlib.sha256()
    with np.load(FILE, allow_pickle=False) as file:
        for name, kind in (("hashes", "<u8"), ("rows", "i1"), ("scales", "<f4")):
            digest.update(file[name][:FIRST].astype(kind).tobytes())
    assert digest.hexdigest() == "956c7dc7ca497498c04de14d45c2ea946dffa923da7bbfb9343ed1f69817f270"


def test_making_the_file_again_keeps_its_rows_and_drops_what_nobody_wants(file, monkeypatch, capsys):
    """Only the text that is new is encoded; what was stored is not computed again, be it right or wrong."""
    real, wanted = Real(), ["lamp", "stove"]
    monkeypatch.setattr(make(), "texts", lambda: wanted)
    monkeypatch.setattr(make().models, "files", lambda name: "a folder")
    monkeypatch.setattr(make(), "MiniLM", lambda folder: real)
    with np.load(file) as before:
        row, scale = before["rows"][1].tolist(), before["scales"][1]
    make().main(file)
    with np.load(file) as after:
        assert after["hashes"].tolist() == [text_hash("lamp"), text_hash("stove")]
        assert after["rows"].tolist() == [[0, 0, 127], row] and after["scales"][1] == scale
        assert after["rows"].dtype == np.int8 and after["scales"].dtype == np.float32
    assert real.asked == [["lamp"]] and capsys.readouterr().out.startswith("v.npz: 2 vectors, 1 of them new, ")
    monkeypatch.setattr(make().models, "files", lambda name: None)
    make().main(file)  # nothing is new, so no files are needed
    wanted.append("rope")
    with pytest.raises(SystemExit, match="^There is no vector yet for 1 of the texts, and the files"):
        make().main(file)
    assert Stored(file, lambda: None).has("lamp")


def test_without_a_file_every_text_is_encoded(tmp_path, monkeypatch):
    monkeypatch.setattr(make(), "texts", lambda: ["lamp", "stove"])
    monkeypatch.setattr(make().models, "files", lambda name: "a folder")
    monkeypatch.setattr(make(), "MiniLM", lambda folder: Real())
    make().main(tmp_path / "new.npz")
    assert Stored(tmp_path / "new.npz", lambda: None).has("stove")


def test_the_phrases_are_each_there_once():
    texts = stored_texts() + stored_texts(MORE)
    assert len(set(texts)) == len(texts)
    assert all(text == text.strip() for text in texts)


def test_the_stored_vectors_know_what_words_mean():
    owe, owing, holiday, leave, board = minilm().encode_queries(
        ["how much do we owe", "amount owing", "holiday", "annual leave", "board minutes"])
    assert owe @ owing > max(owe @ holiday, owe @ leave, owe @ board) + 0.2
    assert leave @ holiday > max(leave @ owing, leave @ board)


@pytest.mark.models
def test_a_sample_of_the_stored_vectors_computed_again(model_files):
    """Rounding moves a number by at most half a step; the longest texts, which are cut, are among the sample."""
    from firstprinciples.encode.bert import MiniLM

    texts = wanted_texts()
    sample = sorted(texts, key=len)[-5:] + texts[::60]
    exact = MiniLM(model_files("minilm")).encode_passages(sample)
    rows, scales = to_int8(exact)
    with np.load(FILE, allow_pickle=False) as file:
        place = {number: i for i, number in enumerate(file["hashes"].tolist())}
        places = [place[text_hash(text)] for text in sample]
        kept, kept_scales = file["rows"][places], file["scales"][places]
    assert kept_scales == pytest.approx(scales, rel=1e-4)
    assert np.abs(kept.astype(int) - rows.astype(int)).max() <= 1  # a number on the edge between two steps
    assert (kept != rows).mean() < 0.001
    assert (minilm().encode_passages(sample) * exact).sum(axis=1).min() > 0.9998


@pytest.mark.models
def test_a_text_that_is_not_stored_comes_from_the_files(model_files):
    from firstprinciples.encode.bert import MiniLM

    model_files("minilm")
    text = "How do I get sand out of a zipper?"
    assert not minilm().has(text)
    exact = MiniLM(model_files("minilm")).encode_queries([text])
    assert minilm().encode_queries([text, "invoice"])[0] == pytest.approx(exact[0], abs=1e-6)


def test_the_fingerprint_is_the_models():
    assert minilm().fingerprint == stored.models.MODELS["minilm"].files["model.safetensors"][1]
    assert minilm() is minilm()
