"""Inside the encoder: the stored shares, those of the files, and what is said without them."""

import numpy as np
import pytest

from firstprinciples import swap
from firstprinciples.encode.stored import minilm
from firstprinciples.explore import inside_encoder
from firstprinciples.explore.inside import (
    HEADS,
    LAYERS,
    LONGEST,
    TEXTS,
    State,
    attention_shares,
    caption,
    describe,
    frame,
    picture,
    stored_shares,
)


@pytest.fixture
def no_files(monkeypatch):
    """Take the files of the encoder away, as on most machines."""
    monkeypatch.setattr(minilm(), "_model", None)
    monkeypatch.setattr(minilm(), "_load", lambda: None)


def test_a_start_beyond_the_last_piece():
    """The slider gives way once the stage is there; before, it took the stage down."""
    text = min(TEXTS, key=lambda text: len(stored_shares()[text][0]))
    n = len(stored_shares()[text][0])
    assert n < LONGEST
    assert inside_encoder(text, piece=LONGEST).frame["piece"] == inside_encoder(text, piece=n).frame["piece"] == n


@pytest.mark.parametrize("text", [None, 5, ["a"]])
def test_a_sentence_that_is_no_string(text):
    with pytest.raises(TypeError, match="^A sentence must be a string, not "):
        inside_encoder(text)


@pytest.mark.parametrize("text", TEXTS)
def test_the_stored_shares_add_up_to_one(text):
    pieces, shares = stored_shares()[text]
    assert shares.shape == (LAYERS, HEADS, len(pieces), len(pieces)) and len(pieces) <= LONGEST
    assert np.allclose(shares.sum(axis=-1), 1) and pieces[0] == "[CLS]" and pieces[-1] == "[SEP]"


def test_it_looks_at_the_last_piece_of_invoice(no_files):
    shown = frame(State())
    assert shown["pieces"][2:5] == ["in", "##vo", "##ice"] and shown["pieces"][9] == "it" and not shown["trouble"]
    assert "“it”, looks at ##ice 0.46, [CLS] 0.31" in describe(shown) and "46% of its attention" in caption(shown, None)


def test_a_code_falls_to_pieces():
    assert frame(State(TEXTS[1]))["pieces"][4:8] == ["e", "_", "44", "##32"]


def test_without_the_files_another_sentence_says_how_to_get_them(no_files):
    shown = frame(State("a sentence that nobody has stored"))
    assert "python3 -m firstprinciples models" in shown["trouble"] and shown["pieces"] == frame(State())["pieces"]
    assert shown["trouble"] in describe(shown)


def test_without_the_files_your_functions_cannot_run(no_files):
    own = swap.reference("bert.softmax")
    stage = inside_encoder()
    swap.use("bert.softmax", lambda x: own(x))
    assert "can't read" in stage.label and "models" in stage.label


@pytest.mark.models
def test_the_files_give_what_is_stored(model_files):
    model_files("minilm")
    for text in TEXTS:
        pieces, shares = attention_shares(text)
        kept, stored = stored_shares()[text]
        assert pieces == kept and np.allclose(shares, stored, atol=0.001)


@pytest.mark.models
def test_your_softmax_drives_the_real_encoder(model_files):
    model_files("minilm")
    stage = inside_encoder()
    swap.use("bert.softmax", lambda x: np.full(np.shape(x), 1 / np.shape(x)[-1]))
    assert "running on your softmax: yours" in stage.label and "looks at" in stage.label
    assert max(map(max, stage.frame["shares"])) == pytest.approx(1 / 13)


@pytest.mark.models
def test_a_long_sentence_is_cut_in_the_picture(model_files):
    model_files("minilm")
    shown = frame(State("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"))
    assert len(shown["pieces"]) == LONGEST and "drawn are the first 16" in shown["trouble"]
    assert picture(shown, None, None)


def test_dials_are_clamped_and_reset_finds_the_start():
    assert (State(layer=0, head=99, piece=99).layer, State(head=99).head, State(piece=99).piece) == (1, HEADS, LONGEST)
    stage = inside_encoder()
    start = stage.label
    stage.controls["text"].value = TEXTS[1]
    stage.controls["layer"].value = 6
    assert stage.label != start and stage.controls["piece"].max == 10
    stage.reset()
    assert stage.label == start
