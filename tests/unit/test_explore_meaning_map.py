"""The map of meaning: places on the plane, true cosines beside it, and texts that have no place."""

import numpy as np
import pytest

from firstprinciples import swap
from firstprinciples.encode.stored import minilm
from firstprinciples.explore import meaning_map
from firstprinciples.explore.meaning_map import GROUPS, PHRASES, TEXT, State, caption, describe, frame, mark, plane


def test_the_plane_keeps_what_the_largest_two_variances_are():
    rows = np.random.default_rng(0).standard_normal((12, 5)) * [5, 1, 3, 0.1, 0.2]
    center, directions, share = plane(rows)
    spread = np.sort(np.linalg.eigvalsh(np.cov(rows.T)))[::-1]
    assert share == pytest.approx(spread[:2].sum() / spread.sum())
    assert np.allclose(directions @ directions.T, np.eye(2)) and np.allclose(center, rows.mean(axis=0))
    assert all(row[np.abs(row).argmax()] > 0 for row in directions)


@pytest.mark.parametrize("name", ["before", "after", "minilm"])
def test_the_frame_has_every_phrase_and_the_true_cosines(name):
    from firstprinciples.explore.biencoder import encoder

    shown, model = frame(State(name)), encoder(name)
    assert [each["text"] for each in shown["phrases"]] == list(PHRASES) and len(PHRASES) == 11
    text = model.encode_queries([TEXT])[0]
    for each in shown["phrases"]:
        assert each["cosine"] == pytest.approx(float(text @ model.encode_passages([each["text"]])[0]), abs=1e-5)
        assert np.isfinite([each["x"], each["y"]]).all()
    assert 0 < shown["share"] < 1 and len(shown["own"]) == 2


def test_in_minilm_what_we_owe_is_nearest_to_the_money_words():
    ranked = sorted(frame(State())["phrases"], key=lambda each: -each["cosine"])
    assert [each["group"] for each in ranked[:5]] == ["money"] * 5 and ranked[0]["text"] == "amount owing"


def test_without_the_files_another_text_says_how_to_get_them(monkeypatch):
    monkeypatch.setattr(minilm(), "_model", None)
    monkeypatch.setattr(minilm(), "_load", lambda: None)
    shown = frame(State("minilm", "a text that nobody has stored"))
    assert "models" in shown["trouble"] and shown["own"] is None
    for said in (describe(shown), caption(shown, None), meaning_map("a text that nobody has stored").screen.value):
        assert "is not stored" in said


def test_a_text_that_the_toy_does_not_know_has_no_place():
    assert frame(State("after", "E_4432"))["trouble"] == "This encoder knows no word of “E_4432”."
    assert frame(State("after", ""))["trouble"] == "Type a text."


def test_a_text_dropped_in_moves_no_phrase():
    one, other = (frame(State("after", text)) for text in (TEXT, "sick day"))
    assert [(each["x"], each["y"]) for each in one["phrases"]] == [(each["x"], each["y"]) for each in other["phrases"]]


def test_each_group_has_a_mark_of_its_own():
    shapes = {mark(0, 0, group).split("style")[0] for group in [*GROUPS, None]}
    assert len(shapes) == len(GROUPS) + 1


def test_the_picture_changes_with_the_encoder_and_the_label_is_the_sentence():
    stage = meaning_map()
    first = stage.screen.value
    stage.controls["encoder"].value = "after"
    assert stage.screen.value != first and "toy, trained" in stage.label
    assert 'role="img"' in stage.screen.value and "the plane keeps" in stage.label


def test_a_wrong_mean_pool_is_named():
    stage = meaning_map(encoder="after")
    swap.use("biencoder.mean_pool", lambda table, ids: table[ids[0]] if len(ids) else table[0] * 0)
    assert "running on your mean_pool: yours" in stage.label and "dashed" in stage.screen.value
