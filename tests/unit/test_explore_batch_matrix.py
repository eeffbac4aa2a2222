"""One batch as a matrix: shares, loss, temperature, a batch of one, a repeated positive."""

import math

import numpy as np
import pytest

from firstprinciples import swap
from firstprinciples.encode.pairs import read_pairs
from firstprinciples.explore import batch_matrix
from firstprinciples.explore.batch_matrix import BATCHES, TRAINED, UNSEEN, State, batch, caption, describe, frame
from firstprinciples.explore.batch_matrix import picture as draw_it
from firstprinciples.explore.draw import number


@pytest.mark.parametrize("name", BATCHES.values())
@pytest.mark.parametrize("model", ["before", "after"])
@pytest.mark.parametrize("temperature", [0.02, 0.2, 1.0])
def test_shares_add_up_and_the_loss_is_the_mean_of_the_rows(name, model, temperature):
    shown = frame(State(name, model, temperature))
    for i, (shares, masked) in enumerate(zip(shown["shares"], shown["masked"], strict=True)):
        assert sum(shares) == pytest.approx(1) and not masked[i]
        assert all(share == 0 for share, out in zip(shares, masked, strict=True) if out)
    rows = [-math.log(max(row[i], 1e-300)) for i, row in enumerate(shown["shares"])]
    assert shown["loss"] == pytest.approx(np.mean(rows), abs=1e-9)
    assert all(-1.000001 <= cosine <= 1.000001 for row in shown["cosines"] for cosine in row)


def test_the_batches_are_what_they_are_called():
    training, held_out = ({pair["id"] for pair in pairs} for pairs in read_pairs())
    assert set(TRAINED) <= training and set(UNSEEN) <= held_out
    passages = [pair["passage"] for pair in batch("twice")]
    assert len(batch("one")) == 1 and passages.count(passages[1]) == 2


def test_a_batch_of_one_has_nothing_to_learn_from():
    shown = frame(State("one"))
    assert shown["loss"] == 0.0 and "nothing to learn" in caption(shown, None)


def test_a_repeated_positive_is_masked_and_drawn_so():
    shown = frame(State("twice", "after"))
    assert [(i, j) for i, row in enumerate(shown["masked"]) for j, out in enumerate(row) if out] == [(1, 4), (4, 1)]
    assert shown["unmasked"] > shown["loss"] and "Masked: B5, E2." in describe(shown)
    assert draw_it(shown, None, None).count("the same") == 2 and "left out (hatched)" in caption(shown, None)


def test_the_temperature_changes_shares_and_no_cosine():
    warm, cold = frame(State("trained", "after", 1.0)), frame(State("trained", "after", 0.06))
    assert np.allclose(warm["cosines"], cold["cosines"]) and cold["loss"] < warm["loss"]
    assert "The temperature goes from 1 to 0.06: the loss from" in caption(cold, warm)
    for drawn in (draw_it(cold, warm, None), draw_it(cold, None, None)):  # and both numbers stand in every cell
        assert all(f">{number(cosine)}</text>" in drawn for row in cold["cosines"] for cosine in row)


def test_training_makes_the_diagonal_large():
    before, after = frame(State()), frame(State(model="after"))
    assert before["loss"] > after["loss"] and "5 of 5 questions" in caption(after, before)
    assert "was 1.67" in draw_it(after, before, None) and "It was 1.67 before training" in caption(after, before)


def test_settings_are_clamped_or_refused():
    assert State(temperature=9).temperature == 1.0 and State(temperature=0).temperature == 0.01
    with pytest.raises(ValueError, match="batch is one of trained, unseen, twice, one"):
        State("six")


def test_moving_a_dial_keeps_the_setting_from_before_and_a_new_batch_does_not():
    stage = batch_matrix()
    stage.controls["model"].value = "after"
    assert "was 1.67" in stage.screen.value
    stage.controls["batch"].value = "unseen"
    assert "was " not in stage.screen.value
    stage.reset()
    assert stage.label == describe(frame(State()))


def test_a_wrong_softmax_is_named_and_its_cells_are_dashed():
    stage = batch_matrix()
    swap.use("biencoder.in_batch_softmax", lambda scores, masked=None: np.exp(scores) / np.exp(scores).sum())
    assert "running on your in_batch_softmax: yours" in stage.label and "dashed" in stage.screen.value
    swap.use("biencoder.in_batch_softmax", lambda scores, masked=None: scores * float("nan"))
    assert "Drawn with the course's own function instead." in stage.label
