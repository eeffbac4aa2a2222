"""Two texts as two arrows: their cosines in three encoders, what cannot be drawn, and a learner's function in it."""

import math

import pytest

from firstprinciples import swap
from firstprinciples.encode.stored import ModelFilesMissing, minilm
from firstprinciples.explore import biencoder as explorer
from firstprinciples.explore import together
from firstprinciples.explore.biencoder import ENCODERS, A, B, State, caption, describe, encoder, frame, picture


@pytest.fixture
def no_files(monkeypatch):
    """Take the files of the encoder away, as on most machines."""
    monkeypatch.setattr(minilm(), "_model", None)
    monkeypatch.setattr(minilm(), "_load", lambda: None)


def test_the_angles_are_those_of_the_vectors():
    shown = frame(State())
    assert [each["name"] for each in shown["encoders"]] == list(ENCODERS)
    for each in shown["encoders"]:
        model = encoder(each["name"])
        cosine = float(model.encode_queries([A])[0] @ model.encode_passages([B])[0])
        assert each["cosine"] == pytest.approx(cosine, abs=1e-6)
        assert math.cos(math.radians(each["angle"])) == pytest.approx(cosine, abs=1e-6)


def test_training_brings_the_two_together():
    before, after, real = (each["cosine"] for each in frame(State())["encoders"])
    assert after > before + 0.4 and after > 0.6 and 0.4 < real


def test_a_text_without_known_words_has_no_arrow():
    each = frame(State(question="E_4432"))["encoders"][1]
    assert each["trouble"] == "It knows no word of “E_4432”: there is no vector to draw."
    assert each["trouble"] in describe(frame(State(question="E_4432")))
    assert "no vector to draw" in picture(frame(State(question="E_4432")), None, None)
    assert frame(State(question="", passage=""))["encoders"][0]["trouble"].startswith("It knows no word")


def test_without_the_files_a_text_that_is_not_stored_says_how_to_get_them(no_files):
    shown = frame(State(question="a text that nobody has stored"))
    assert "models" in shown["encoders"][2]["trouble"] and "cosine" in shown["encoders"][1]
    assert shown["encoders"][2]["trouble"] in describe(shown)
    with pytest.raises(ModelFilesMissing):
        minilm().encode_queries(["a text that nobody has stored"])
    assert frame(State()) == frame(State())  # the stored ones need no files


def test_the_sentences_have_the_numbers():
    shown = frame(State())
    for each in shown["encoders"]:
        assert f"{each['angle']:.0f} degrees" in describe(shown)
    assert "Nearest in toy, trained" in caption(shown, None) and "board minutes" in caption(shown, None)


def test_typed_text_is_text_in_the_page():
    said = picture(frame(State(question="<b> bill & co")), None, None)
    assert "<b> bill" not in said and "&lt;b&gt; bill &amp; co" in said


def test_an_unknown_encoder_is_refused():
    with pytest.raises(ValueError, match="There is no encoder 'bert'; there are before, after, minilm"):
        explorer.encoder("bert")


def test_a_learners_mean_pool_is_named_and_the_expected_angle_is_dashed():
    stage = together()
    start = stage.label
    swap.use("biencoder.mean_pool", lambda table, ids: table[list(ids)].max(axis=0))
    assert "running on your mean_pool: yours" in stage.label and "dashed: the course's own" in stage.screen.value
    swap.use("biencoder.mean_pool", lambda table, ids: 1 / 0)
    assert "ZeroDivisionError" in stage.label and stage.label.startswith(start)
    swap.use("biencoder.mean_pool")
    assert stage.label == start


def test_a_new_text_redraws():
    stage = together()
    stage.controls["passage"].value = "board minutes"
    assert "and “board minutes”" in stage.label
    stage.reset()
    assert f"and “{B}”" in stage.label
