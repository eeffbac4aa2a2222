"""Vectors of tokens: the toy's and MiniLM's, two bytes a number, kept on disk and stored with the course."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from firstprinciples.corpus import Collection
from firstprinciples.encode import token_files
from firstprinciples.encode.bert import MiniLM
from firstprinciples.encode.cache import BLOCK, Cached, block_name, read_block
from firstprinciples.encode.stored import ModelFilesMissing, text_hash, to_int8
from firstprinciples.encode.token_files import (
    FILE,
    CachedTokens,
    StoredTokens,
    minilm_tokens,
    read_tokens,
)
from firstprinciples.encode.token_vectors import (
    MiniLMTokens,
    ToyTokens,
    drawn,
    from_int16,
    to_int16,
    to_length_1,
    with_neighbors,
)
from firstprinciples.retrieve.maxsim import MaxSim
from firstprinciples.swap import use
from firstprinciples.text import tokenize

ROOT = Path(__file__).resolve().parents[2]


# The toy


def plain_neighbors(vectors, reach, share):
    """Return `with_neighbors` row by row, as the formula has it."""
    mixed = []
    for i, own in enumerate(vectors):
        neighbors = [vectors[j] for j in range(len(vectors)) if 0 < abs(i - j) <= reach]
        mixed.append(own + share * np.mean(neighbors, axis=0) if neighbors else own)
    return np.array(mixed)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("reach", [0, 1, 2, 5])
def test_neighbors_are_mixed_in(n, reach):
    vectors = np.random.default_rng(n).standard_normal((n, 5))
    assert np.allclose(with_neighbors(vectors, reach, 0.7), plain_neighbors(vectors, reach, 0.7), atol=1e-12)
    assert with_neighbors(np.zeros((0, 5)), reach).shape == (0, 5)


def test_a_word_has_another_vector_in_another_place():
    toy, flat = ToyTokens(), ToyTokens(share=0)
    one, other = "the invoice was paid late", "an invoice for two tents"
    place = [tokenize(text).index("invoice") for text in (one, other)]
    a, b = (toy.token_vectors(text, "passage")[1][at] for text, at in zip((one, other), place, strict=True))
    assert 0.3 < a @ b < 0.99
    a, b = (flat.token_vectors(text, "passage")[1][at] for text, at in zip((one, other), place, strict=True))
    assert a @ b == pytest.approx(1, abs=1e-6)


def test_words_and_rows_of_length_1():
    words, vectors = ToyTokens().token_vectors("Mussel: restart the qqxzy, qqxzy!", "query")
    assert words == ["mussel", "restart", "the", "qqxzy", "qqxzy"]
    assert vectors.dtype == np.float32 and vectors.shape == (5, 64)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(5), abs=1e-6)
    words, vectors = ToyTokens().token_vectors("", "passage")
    assert words == [] and vectors.shape == (0, 64)


def test_an_unknown_word_is_like_itself_only():
    assert drawn("qqxzy", 64).tolist() == drawn("qqxzy", 64).tolist()
    assert abs(drawn("qqxzy", 64) @ drawn("qqxzz", 64)) < 0.5
    flat = ToyTokens(share=0)
    _, vectors = flat.token_vectors("qqxzy invoice qqxzy", "passage")
    assert vectors[0] @ vectors[2] == pytest.approx(1, abs=1e-6) and vectors[0] @ vectors[1] < 0.6


def test_many_texts_and_one_are_the_same():
    toy, texts = ToyTokens(), ["an unpaid bill", "", "two tents"]
    for (tokens, vectors), text in zip(toy.encode_tokens(texts, "passage"), texts, strict=True):
        alone = toy.token_vectors(text, "passage")
        assert tokens == alone[0] and vectors.tolist() == alone[1].tolist()


def test_sides_and_texts_that_do_not_exist():
    with pytest.raises(ValueError, match="^There is no side 'document'; it is 'query' or 'passage'.$"):
        ToyTokens().token_vectors("red", "document")
    with pytest.raises(TypeError, match="^Give a list of texts"):
        list(ToyTokens().encode_tokens("red", "query"))


# Two bytes a number


def test_two_bytes_a_number():
    rows = to_length_1(np.random.default_rng(0).standard_normal((500, 20)))
    whole = to_int16(rows)
    assert whole.dtype == np.int16 and np.abs(from_int16(whole) - rows).max() <= 0.5 / 32767 + 1e-7
    every = np.arange(-32767, 32768)
    assert (to_int16(from_int16(every)) == every).all()


# On disk


class Counting:
    """An encoder of tokens, 3 wide, that counts the texts it is asked for; its tokens are words."""

    name, dim, fingerprint = "counting", 3, "one"

    def __init__(self, stop_after=None):
        self.asked, self.calls, self.stop_after = [], 0, stop_after

    def tokens_and_means(self, texts, side):
        if self.calls == self.stop_after:
            raise KeyboardInterrupt
        self.calls += 1
        self.asked += texts
        for text in texts:
            words = text.split()
            rows = [[np.cos(len(word)), np.sin(len(word)), 0] for word in words]
            vectors = np.array(rows, dtype=np.float32).reshape(-1, 3)
            yield words, vectors, to_length_1(vectors.sum(axis=0, keepdims=True))[0]

    def encode_tokens(self, texts, side):
        return [row[:2] for row in self.tokens_and_means(texts, side)]

    def token_vectors(self, text, side):
        return self.encode_tokens([text], side)[0]


class Means:
    """An encoder of one vector a text whose blocks the tokens' encoder can leave behind."""

    name, dim, fingerprint = "means", 3, "two"

    def has(self, text):
        return False


TEXTS = ["ab é " * (i % 5) + "x" * (i % 7) for i in range(2 * BLOCK + 20)]  # some are empty


def listed(rows):
    return [(tokens, vectors.tolist()) for tokens, vectors in rows]


def test_the_second_time_nothing_is_computed_and_the_numbers_are_equal(tmp_path):
    first, second, seen = Counting(), Counting(), []
    cached = CachedTokens(first, tmp_path / "new", progress=lambda done, n: seen.append((done, n)))
    computed = listed(cached.encode_tokens(TEXTS, "passage"))
    assert listed(CachedTokens(second, tmp_path / "new").encode_tokens(TEXTS, "passage")) == computed
    assert first.asked == TEXTS and second.asked == []
    assert seen[:2] == [(0, 276), (128, 276)] and seen[-1] == (276, 276)
    for (tokens, vectors), (words, plain) in zip(computed, Counting().encode_tokens(TEXTS, "passage"), strict=True):
        assert tokens == words and np.array(vectors).reshape(-1, 3) == pytest.approx(plain, abs=2e-5)


def test_after_an_interrupt_the_blocks_that_were_done_are_kept(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        list(CachedTokens(Counting(stop_after=2), tmp_path).encode_tokens(TEXTS, "passage"))
    again = Counting()
    list(CachedTokens(again, tmp_path).encode_tokens(TEXTS, "passage"))
    assert again.asked == TEXTS[2 * BLOCK :]


@pytest.mark.parametrize("damage", [
    lambda path: path.write_bytes(path.read_bytes()[:-8]),
    lambda path: path.write_bytes(b""),
    lambda path: path.write_bytes(path.read_bytes()[:900] + b"\xff" + path.read_bytes()[901:]),
    lambda path: np.savez(path, names=np.zeros(0, np.uint8), lengths=np.zeros(128, np.int32), rows=np.zeros((0, 3))),
    lambda path: np.savez(path, rows=np.zeros((1, 3), np.int16)),
    lambda path: path.unlink() or path.mkdir(),
])
def test_a_damaged_block_is_computed_again(tmp_path, damage):
    right = listed(CachedTokens(Counting(), tmp_path).encode_tokens(TEXTS, "passage"))
    path = tmp_path / f"{block_name(CachedTokens(Counting(), tmp_path), TEXTS[:BLOCK])}.npz"
    damage(path)
    again = Counting()
    assert listed(CachedTokens(again, tmp_path).encode_tokens(TEXTS, "passage")) == right
    assert again.asked == TEXTS[:BLOCK]
    if path.is_file():
        assert listed(read_tokens(path, BLOCK, 3)) == right[:BLOCK]


def test_means_are_left_where_the_other_cache_looks_for_them(tmp_path):
    list(CachedTokens(Counting(), tmp_path, means=Means()).encode_tokens(TEXTS, "passage"))
    found = Cached(Means(), tmp_path).encode_passages(TEXTS)  # Means has no encode_passages: all was there
    expected = [mean for *_, mean in Counting().tokens_and_means(TEXTS, "passage")]
    assert found.tolist() == np.array(expected).tolist()
    path = tmp_path / f"{block_name(Means(), TEXTS[:BLOCK])}.npy"
    assert read_block(path, (BLOCK, 3)) is not None


def test_questions_are_not_kept(tmp_path):
    cached = CachedTokens(Counting(), tmp_path / "none")
    assert next(cached.encode_tokens(["a b"], "query"))[0] == cached.token_vectors("a b", "passage")[0] == ["a", "b"]
    assert not (tmp_path / "none").exists()


def test_nothing_is_kept_of_an_encoder_that_a_learner_changed(tmp_path):
    with use("bert.softmax", lambda x: x):
        list(CachedTokens(Counting(), tmp_path, means=Means()).encode_tokens(TEXTS, "passage"))
    assert list(tmp_path.iterdir()) == []


def test_where_nothing_can_be_written(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    rows = list(CachedTokens(Counting(), tmp_path / "file" / "below").encode_tokens(TEXTS[:3], "passage"))
    assert len(rows) == 3


# With the course


def wanted():
    """Return what data/vectors/make_tokens.py stores, by its own list, and its table of rivals."""
    spec = importlib.util.spec_from_file_location("make_tokens", ROOT / "data" / "vectors" / "make_tokens.py")
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    return make.texts(), make.RIVALS


def test_all_that_should_be_stored_is():
    texts, rivals = wanted()
    encoder = minilm_tokens()
    assert [text for text in texts if not encoder.has(text)] == []
    assert len(encoder._texts) == len(texts)
    assert FILE.stat().st_size <= 1_500_000
    larkspur = Collection.load("larkspur")
    chunks = {chunk.id: chunk.text for chunk in larkspur.chunks}
    asked = {query.id for query in larkspur.queries if query.kind == "polysemy" and query.split == "dev"}
    assert asked == set(rivals)
    for query, (word, rival) in rivals.items():
        assert word in chunks[rival].lower()
        assert rival not in {id for _, ids in larkspur.evidence[query] for id in ids}
        question = next(q.text for q in larkspur.queries if q.id == query)
        assert word in question.lower()


def test_stored_tokens_search_without_files(monkeypatch):
    encoder = StoredTokens(FILE, lambda: None)
    texts, _ = wanted()
    tokens, vectors = encoder.token_vectors(texts[0], "query")
    assert tokens[0] == "[CLS]" and tokens[-1] == "[SEP]" and vectors.shape == (len(tokens), 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(tokens)), abs=1e-5)
    assert len(MaxSim(texts[2:6], encoder).search(texts[0])) == 4
    with pytest.raises(ModelFilesMissing, match="^The vectors of the tokens of 'no such text' are not stored"):
        encoder.token_vectors("no such text", "query")
    vectors[:] = 0  # a copy: the stored ones stay
    assert encoder.token_vectors(texts[0], "query")[1].any()


@pytest.mark.parametrize("change", [
    {"rows": np.zeros((3, 2), np.int16)}, {"lengths": np.array([1, 1])},
    {"lengths": np.array([2.0, 1.0])}, {"scales": np.array([1, 1, np.nan], "f4")},
    {"hashes": np.array([1, 1], np.uint64)}, {"names": np.frombuffer(b"a\nb", np.uint8)}, {"hashes": None}])
def test_a_damaged_file_is_named(tmp_path, change):
    rows, scales = to_int8(np.array([[1.0, 0], [0, 1.0], [0.6, 0.8]]))
    right = {"hashes": np.array([text_hash("a b"), text_hash("c")], np.uint64), "lengths": np.array([2, 1]),
             "names": np.frombuffer(b"a\nb\nc", np.uint8), "rows": rows, "scales": scales}
    np.savez(tmp_path / "t.npz", **right)
    assert StoredTokens(tmp_path / "t.npz", lambda: None).token_vectors("a b", "query")[0] == ["a", "b"]
    np.savez(tmp_path / "t.npz", **{key: value for key, value in (right | change).items() if value is not None})
    with pytest.raises(ValueError, match="t.npz is missing or damaged; take it from a whole clone"):
        StoredTokens(tmp_path / "t.npz", lambda: None)
    with pytest.raises(ValueError, match="missing or damaged"):
        StoredTokens(tmp_path / "none.npz", lambda: None)


def test_numbers_that_can_not_be_unpacked(tmp_path):
    whole = token_files.FILE.read_bytes()
    start = whole.index(b"PK\3\4") + 120
    (tmp_path / "t.npz").write_bytes(whole[:start] + b"\xff" * 64 + whole[start + 64 :])
    with pytest.raises(ValueError, match="t.npz is missing or damaged"):
        StoredTokens(tmp_path / "t.npz", lambda: None)


def test_two_bytes_of_what_rounding_left_above_1():
    assert to_int16(np.array([1.0004, -1.0004])).tolist() == [32767, -32767]


# With the files


@pytest.mark.models
def test_minilm_gives_what_is_stored_and_the_means_of_the_encoder(model_files):
    encoder = MiniLMTokens(model_files("minilm"))
    texts = wanted()[0][:6]
    means = MiniLM(model_files("minilm")).encode_passages(texts)
    for text, mean, row in zip(texts, means, encoder.tokens_and_means(texts, "passage"), strict=True):
        tokens, vectors, own = row
        kept, stored = minilm_tokens().token_vectors(text, "passage")
        assert tokens == kept and np.einsum("ij,ij->i", vectors, stored).min() > 0.999
        assert own == pytest.approx(mean, abs=1e-5)
        assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(tokens)), abs=1e-5)
        alone = encoder.token_vectors(text, "query")
        assert alone[0] == tokens and np.abs(alone[1] - vectors).max() < 1e-4


@pytest.mark.models
def test_a_long_text_is_cut(model_files):
    encoder = MiniLMTokens(model_files("minilm"))
    tokens, vectors = encoder.token_vectors("tent " * 400, "passage")
    assert len(tokens) == len(vectors) == 256 and encoder.cut == 1


def test_the_encoder_for_evaluate_keeps_means():
    cached = token_files.cached_minilm_tokens()
    assert cached.name == "minilm" and cached.means.name == "minilm" and cached.dim == 384
