"""The training that is watched: its film, its picture, and functions of a learner that learn, or unlearn."""

import asyncio
import struct

import numpy as np
import pytest

from firstprinciples import swap
from firstprinciples.encode import biencoder
from firstprinciples.explore import training
from firstprinciples.explore.training import EVERY, PHRASES, STRIDE, Film, caption, describe, probe


@pytest.fixture
def watched():
    """Give an explorer, which listens to `use` until it is closed after the test."""
    stage = training()
    yield stage
    stage.close()


@pytest.fixture(scope="module")
def film():
    """The whole training, recorded."""
    made = Film()
    made.upto(made.steps)
    return made


def test_the_film_ends_with_the_stored_model(film):
    toy = biencoder.toy()
    assert film.steps == toy.step
    for name, values in film.encoder.weights.items():
        assert np.allclose(values, toy.weights[name], atol=1e-4)
    assert film.recalls[-1][2] == pytest.approx(toy.recall(film.held_out))


def test_a_frame_holds_what_was_recorded_up_to_its_step(film):
    shown = film.upto(20)
    assert len(shown["losses"]) == 20 and shown["recalls"][-1][0] == 16 and EVERY == 8
    assert len(shown["trail"][-1]) == len(PHRASES) + 1 and len(shown["trail"]) == -(-20 // STRIDE) + 1
    assert np.isfinite(shown["losses"]).all() and np.isfinite(shown["trail"]).all()
    assert film.upto(0)["losses"] == [] and film.upto(0)["step"] == 0


def test_both_pools_of_passages_are_of_one_size(film):
    assert len(film.seen) == len(film.held_out) == film.upto(0)["pool"]


def test_it_learns_and_learns_by_heart(film):
    last = film.upto(film.steps)
    assert last["losses"][-1] < 0.1 < last["losses"][0]
    (_, seen_first, held_first), (_, seen, held) = last["recalls"][0], last["recalls"][-1]
    assert seen > 0.95 > 0.5 > held > held_first and seen > seen_first
    assert "on topics it never sees" in describe(last) and "The loss went from" in caption(last, None)


def test_the_picture_starts_still_and_follows_the_steps(watched):
    stage = watched
    first = stage.screen.value
    assert first[:4] == b"\x89PNG" and struct.unpack(">II", first[16:24]) == (1290, 660)
    assert "step 0 of" in stage.label and "not trained yet" in stage.label
    _, play, step, reset = (stage.view.children[1].children[i] for i in range(4))
    step.click()
    assert "step 1 of" in stage.label and stage.screen.value != first and stage.controls["step"].value == 1
    reset.click()
    assert "step 0 of" in stage.label and stage.screen.value == first
    assert play.description == "Play"


def test_play_runs_and_pauses():
    async def played():
        stage = training()
        play = stage.view.children[1].children[1]
        play.click()
        for _ in range(200):
            await asyncio.sleep(0.02)
            if stage.controls["step"].value >= 2 * STRIDE:
                break
        assert play.description == "Pause"
        play.click()
        here = stage.controls["step"].value
        await asyncio.sleep(0.1)
        assert stage.controls["step"].value == here >= 2 * STRIDE and play.description == "Play"
        stage.close()

    asyncio.run(played())


def test_a_wrong_sign_climbs_and_is_named(watched):
    stage, own = watched, swap.reference("biencoder.scores_gradient")
    stage.controls["step"].value = 12
    swap.use("biencoder.scores_gradient", lambda scores, masked=None: -own(scores, masked))
    assert stage.controls["step"].value == 0  # other functions learn from the start
    stage.controls["step"].value = 12
    assert "running on your scores_gradient: yours" in stage.label and ", expected" in stage.label
    assert stage.frame["losses"][-1] > stage.frame["losses"][0] > stage.result.expected["losses"][-1]
    swap.use("biencoder.scores_gradient")
    stage.controls["step"].value = 12
    assert stage.result.expected is None and stage.frame["losses"][-1] < stage.frame["losses"][0]


def test_a_right_function_trains_to_the_same_digits(watched):
    stage, own = watched, swap.reference("biencoder.scores_gradient")
    stage.controls["step"].value = 10
    losses = stage.frame["losses"]
    swap.use("biencoder.scores_gradient", lambda scores, masked=None: own(scores, masked))
    stage.controls["step"].value = 10
    assert stage.frame["losses"] == losses and stage.label.endswith("running on your scores_gradient")


@pytest.mark.parametrize("task, wrong", [
    ("scores_gradient", lambda scores, masked=None: 1 / 0), ("adam_step", lambda *args, **named: None),
    ("mean_pool", lambda table, ids: None), ("similarity_matrix", lambda q, p, t: np.zeros((2, 2))),
    ("in_batch_loss", lambda scores, masked=None: float("nan")), ("repeated_positives", lambda passages: "no")])
def test_whatever_a_function_gives_the_picture_stands(watched, task, wrong):
    stage = watched
    swap.use(f"biencoder.{task}", wrong)
    stage.controls["step"].value = 2
    assert f"running on your {task}" in stage.label and stage.screen.value[:4] == b"\x89PNG"
    assert "own function" in stage.label and np.isfinite(stage.frame["losses"]).all()


def test_a_training_that_breaks_off_says_so(watched):
    stage, own, calls = watched, swap.reference("biencoder.mean_pool"), []

    def tires(table, ids):
        calls.append(1)
        if len(calls) > 2000:
            raise RuntimeError("no more")
        return own(table, ids)

    swap.use("biencoder.mean_pool", tires)
    stage.controls["step"].value = 40
    assert "Your training stopped: no more" in stage.label and len(stage.frame["losses"]) == 40


def test_the_probe_meets_a_repeated_passage_and_an_empty_question():
    seen = probe()
    assert np.isfinite(seen["loss"]) and np.isfinite(seen["table"]).all()
    assert biencoder.repeated_positives(["a b", "b c", "a b"]).sum() == 2
