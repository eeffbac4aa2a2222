"""The vector cache: what is on disk is not computed again, what is damaged is, and nothing stale is taken."""

import errno

import numpy as np
import pytest

from firstprinciples.encode import cache
from firstprinciples.encode.cache import BLOCK, Cached, block_name, read_block


class Counting:
    """An encoder, 4 wide, that counts the texts it is asked for; a text's length decides its direction."""

    def __init__(self, name="counting", fingerprint="one", stop_after=None):
        self.name, self.dim, self.fingerprint, self.stop_after = name, 4, fingerprint, stop_after
        self.asked, self.calls = [], 0

    def encode_passages(self, texts):
        if self.calls == self.stop_after:
            raise KeyboardInterrupt
        self.calls += 1
        self.asked += texts
        out = np.zeros((len(texts), 4), dtype=np.float32)
        for i, text in enumerate(texts):
            if text:
                out[i] = [np.cos(len(text)), np.sin(len(text)), 0, 0]
        return out

    def encode_queries(self, texts):
        return self.encode_passages(texts)

    def token_vectors(self, text, side):
        return [text], np.ones((1, 4))


TEXTS = ["x" * (i % 37) for i in range(2 * BLOCK + 20)]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "not there yet" / "vectors"


def test_the_second_time_nothing_is_computed_and_the_numbers_are_equal(folder):
    first, second = Counting(), Counting()
    computed = Cached(first, folder).encode_passages(TEXTS)
    read = Cached(second, folder).encode_passages(TEXTS)
    assert first.asked == TEXTS and second.asked == []
    assert read.dtype == np.float32 and read.tolist() == computed.tolist() == Counting().encode_passages(TEXTS).tolist()
    assert len(list(folder.iterdir())) == 3


def test_after_an_interrupt_the_blocks_that_were_done_are_kept(folder):
    with pytest.raises(KeyboardInterrupt):
        Cached(Counting(stop_after=2), folder).encode_passages(TEXTS)
    again = Counting()
    Cached(again, folder).encode_passages(TEXTS)
    assert again.asked == TEXTS[2 * BLOCK :]


@pytest.mark.parametrize("damage", [
    lambda path: path.write_bytes(path.read_bytes()[:-8]),
    lambda path: path.write_bytes(b""),
    lambda path: path.write_bytes(b"\x93NUMPY garbage"),
    lambda path: np.save(path, np.zeros((BLOCK, 3), np.float32)),
    lambda path: np.save(path, np.zeros((BLOCK, 4))),
    lambda path: np.save(path, np.full((BLOCK, 4), np.nan, np.float32)),
    lambda path: np.save(path, np.full((BLOCK, 4), 2, np.float32)),
    lambda path: np.save(path, np.array([{}] * BLOCK), allow_pickle=True),
    lambda path: path.unlink() or path.mkdir(),
])
def test_a_damaged_block_is_computed_again(folder, damage):
    right = Cached(Counting(), folder).encode_passages(TEXTS)
    path = folder / f"{block_name(Counting(), TEXTS[:BLOCK])}.npy"
    damage(path)
    again = Counting()
    assert Cached(again, folder).encode_passages(TEXTS).tolist() == right.tolist()
    assert again.asked == TEXTS[:BLOCK]
    if path.is_file():
        assert read_block(path, (BLOCK, 4)) is not None  # and it is whole again


def test_another_encoder_another_text_and_another_order_are_other_blocks(folder):
    names = {block_name(Counting(), ["ab", "c"]), block_name(Counting(), ["a", "bc"]),
             block_name(Counting(), ["c", "ab"]), block_name(Counting(), ["ab", "C"]),
             block_name(Counting(fingerprint="two"), ["ab", "c"]), block_name(Counting("another"), ["ab", "c"]),
             block_name(Counting(), ["ab", "c", ""]), block_name(Counting(), ["\ud800"])}
    assert len(names) == 8
    Cached(Counting(), folder).encode_passages(["ab", "c"])
    other = Counting(fingerprint="two")
    Cached(other, folder).encode_passages(["ab", "c"])
    assert other.asked == ["ab", "c"]


def test_what_is_stored_with_the_course_stands_in_no_block(folder):
    encoder = Counting()
    encoder.has = lambda text: len(text) % 2 == 0
    vectors = Cached(encoder, folder).encode_passages(TEXTS)
    assert vectors.tolist() == Counting().encode_passages(TEXTS).tolist()
    again = Counting()
    again.has = encoder.has
    Cached(again, folder).encode_passages(TEXTS)
    assert again.asked == [text for text in TEXTS if len(text) % 2 == 0]


def test_questions_and_tokens_go_straight_to_the_encoder(folder):
    encoder = Counting()
    both = Cached(encoder, folder)
    both.encode_queries(["ab"])
    both.encode_queries(["ab"])
    assert encoder.asked == ["ab", "ab"] and not folder.exists()
    assert both.token_vectors("ab", "passage")[0] == ["ab"]
    assert (both.name, both.dim, both.fingerprint) == ("counting", 4, "one")


@pytest.mark.parametrize("wrong", [np.zeros(4), np.zeros((1, 4)), np.zeros((2, 5)), None], ids=str)
def test_an_encoder_that_gives_another_shape(folder, wrong):
    """Some of these NumPy would stretch over all texts."""
    encoder = Counting()
    encoder.encode_passages = lambda texts: wrong
    with pytest.raises(ValueError, match=r"^The encoder counting gave an array of shape \(.*for 2 texts; it should be"):
        Cached(encoder, folder).encode_passages(["ab", "c"])
    assert not folder.exists()


@pytest.mark.parametrize("texts", ["invoice", None, b"ab", [None]])
def test_what_is_no_list_of_texts(folder, texts):
    with pytest.raises(TypeError, match="^(Give a list of texts, also for one text|A text must be a string)"):
        Cached(Counting(), folder).encode_passages(texts)


def test_no_texts(folder):
    assert Cached(Counting(), folder).encode_passages([]).shape == (0, 4)


def test_progress_is_told_for_what_is_computed(folder):
    told = []
    Cached(Counting(), folder, progress=lambda *numbers: told.append(numbers)).encode_passages(TEXTS)
    n = len(TEXTS)
    assert told == [(0, n), (BLOCK, n), (BLOCK, n), (2 * BLOCK, n), (2 * BLOCK, n), (n, n)]
    told.clear()
    Cached(Counting(), folder, progress=lambda *numbers: told.append(numbers)).encode_passages(TEXTS)
    assert told == []


def test_a_folder_that_cannot_be_written_only_costs_time(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("", encoding="utf-8")
    right = Counting().encode_passages(TEXTS).tolist()
    assert Cached(Counting(), tmp_path / "file" / "below").encode_passages(TEXTS).tolist() == right

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(cache, "write_whole", full)
    assert Cached(Counting(), tmp_path / "vectors").encode_passages(TEXTS).tolist() == right
    monkeypatch.setattr(cache, "cache_folder", lambda: None)  # a user without a home
    assert Cached(Counting()).encode_passages(TEXTS).tolist() == right


def test_the_usual_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("FIRSTPRINCIPLES_CACHE", str(tmp_path))
    Cached(Counting()).encode_passages(["ab"])
    assert [path.suffix for path in (tmp_path / "vectors").iterdir()] == [".npy"]
