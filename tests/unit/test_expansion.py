"""The toy expansion model: gradients by finite differences, its sparse rows, its training, and what is stored of it."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

from firstprinciples.encode import expansion
from firstprinciples.encode.expansion import (
    FILE,
    LAMBDA,
    LAMBDAS,
    UNSEEN,
    Expander,
    expander,
    loss_and_gradients,
    pool,
    untrained,
    word_logits,
)
from firstprinciples.retrieve import splade
from firstprinciples.retrieve.splade import Splade, term_weights
from firstprinciples.swap import use

ROOT = Path(__file__).resolve().parents[2]
PAIRS = [{"question": question, "passage": passage} for question, passage in [
    ("when is the bill due", "an invoice is to be paid in may"), ("is my tent wet", "dry the canvas after rain"),
    ("where do i park", "cars stand behind the shop"), ("who has the key", "the gate is opened by the guard"),
    ("red rope", "a rope that is red"), ("what does it cost", "the price is on the tag")]]


@pytest.fixture
def small():
    """A model of float64 with large random weights, so that no logit is near 0 or near another."""
    model = Expander([f"w{i}" for i in range(9)], dim=3, seed=2)
    draw = np.random.default_rng(3)
    model.weights = {name: draw.normal(size=values.shape) for name, values in model.weights.items()}
    return model


def test_the_pooled_weights_are_those_of_term_weights(small):
    logits = word_logits(small.weights, np.arange(9))
    texts = [[0, 3, 8], [5], [], [1, 2]]
    weights, rows = pool(logits, texts)
    for text, row, winners in zip(texts, weights, rows, strict=True):
        assert row == pytest.approx(term_weights(logits[text], np.ones(len(text))), abs=1e-12)
        assert all(winner in text for winner in winners) or not text
    own = logits[2, 2] - small.weights["table"][2] @ small.weights["output"][:, 2] - small.weights["bias"][2]
    assert own == pytest.approx(small.weights["own"][2])


@pytest.mark.parametrize("lambdas", [(0.0, 0.0), (0.7, 0.2)])
def test_the_gradients_by_finite_differences(small, lambdas):
    questions, passages = [[0, 1], [4], [2, 7]], [[2, 3, 4], [5, 6], [7, 1, 0]]
    masked = np.zeros((3, 3), bool)
    masked[0, 2] = True

    def loss(weights):
        return loss_and_gradients(weights, questions, passages, masked, lambdas, temperature=2.0)[0]["loss"]

    told, scores, gradients = loss_and_gradients(small.weights, questions, passages, masked, lambdas, temperature=2.0)
    assert scores.shape == (3, 3) and all(len(told[name]) == 2 for name in ("flops", "terms"))
    step = 1e-6
    for name, gradient in gradients.items():
        numeric = np.zeros_like(gradient)
        for cell in np.ndindex(gradient.shape):
            ends = []
            for sign in (1, -1):
                moved = {key: values.copy() for key, values in small.weights.items()}
                moved[name][cell] += sign * step
                ends.append(loss(moved))
            numeric[cell] = (ends[0] - ends[1]) / (2 * step)
        assert gradient == pytest.approx(numeric, abs=1e-7), name
        assert np.abs(gradient).max() > 1e-3


def test_the_rows_are_sparse_and_each_text_stands_for_itself(small):
    texts = ["w1 w5", "", "W1, zebra w1 zebra!", "zebra"]
    rows = small.encode_passages(texts)
    assert rows == [small.encode_queries([text])[0] for text in texts]
    assert rows[1] == {} and rows[3] == {"zebra": UNSEEN} == {"zebra": pytest.approx(np.log(2))}
    assert rows[2] == {**small.encode_passages(["w1"])[0], "zebra": UNSEEN}
    assert all(weight > 0 for row in rows for weight in row.values())
    dense = word_logits(small.weights, np.array([1, 5])).max(axis=0)
    assert rows[0] == {f"w{i}": pytest.approx(np.log1p(x)) for i, x in enumerate(dense) if x > 0}
    assert small.terms_of("W1, zebra") == ["w1", "zebra"]
    with pytest.raises(TypeError, match="Give a list of texts"):
        small.encode_queries("w1")
    with pytest.raises(ValueError, match="words, each of them once"):
        Expander(["a", "a"])


def learn(lambda_, epochs=30):
    words = sorted({word for pair in PAIRS for side in pair.values() for word in side.split()})
    model = Expander(words, dim=8)
    return model, list(model.train(PAIRS, lambda_, epochs=epochs, batch=6, held_out=PAIRS, every=10))


def test_it_learns_to_add_words_and_the_penalty_takes_them_away():
    (loose, states), (strict, _) = learn(0.0), learn(30.0)
    assert states[-1].loss < states[0].loss / 3 and states[-1].step == states[-1].steps == 30
    assert [state.recall is not None for state in states] == [step % 10 == 0 for step in range(1, 31)]
    few, many = strict.measure(PAIRS), loose.measure(PAIRS)
    assert few["terms_passages"] < many["terms_passages"] / 2 and few["flops"] < many["flops"]
    assert "invoice" in loose.encode_queries(["bill"])[0] or "bill" in loose.encode_passages(["an invoice"])[0]
    index = Splade([pair["passage"] for pair in PAIRS], loose)
    assert [index.search(pair["question"], 1)[0].id for pair in PAIRS] == list("012345")


def test_training_twice_gives_the_same_digits_and_the_lambda_rises():
    (one, states), (two, _) = learn(2.0, epochs=8), learn(2.0, epochs=8)
    assert all((one.weights[name] == two.weights[name]).all() for name in one.weights)
    assert [state.lambda_now for state in states] == [2 * min(step / 4, 1) ** 2 for step in range(8)]


def test_what_training_refuses():
    model = Expander(["a"])
    for settings in ({"batch": 7}, {"batch": 0}, {"rate": 0}, {"epochs": -1}, {"lambda_": -1.0}):
        with pytest.raises(ValueError, match="a batch needs so many pairs"):
            next(model.train(PAIRS, **settings))


def test_yours_take_part():
    with use("splade.ramp", lambda step, steps, top: 5.0):
        assert learn(2.0, epochs=2)[1][0].lambda_now == 5.0
    with use("splade.flops", lambda weights: 100.0):
        assert learn(2.0, epochs=2)[1][0].flops == (100.0, 100.0)
    model = learn(2.0, epochs=1)[0]
    with use("splade.term_weights", lambda logits, mask: np.full(logits.shape[1], 0.5)):
        assert model.encode_queries(["bill"])[0] == dict.fromkeys(model.words, 0.5)
    for name, given in [("flops", None), ("flops_gradient", 1.0), ("term_weights", None), ("ramp", np.nan)]:
        with use(f"splade.{name}", lambda *_, value=given: value), pytest.raises(ValueError, match=f"splade.{name}"):
            learn(2.0, epochs=1)


# What is stored


def make():
    spec = importlib.util.spec_from_file_location("make_expansion", ROOT / "data" / "pairs" / "make_expansion.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_file_is_small_and_belongs_to_the_pairs():
    model, _, _ = untrained()
    assert FILE.stat().st_size < 1_500_000
    assert expander().words == model.words and expander().dim == model.dim and expander().lambda_ == LAMBDA
    assert expander() is expander()


def test_the_stored_model_is_the_one_that_was_measured():
    """In splade.json a search through the index was measured, before the weights were rounded to float16."""
    _, _, held_out = untrained()
    kept = json.loads((ROOT / "notebooks" / "splade.json").read_text(encoding="utf-8"))["dial"]["settings"]
    [setting] = [setting for setting in kept if setting["lambda"] == LAMBDA]
    found = expander().measure(held_out)
    assert found["recall"] == pytest.approx(setting["recall"], abs=0.011)  # two of 192 questions may move
    assert found["terms_passages"] == pytest.approx(setting["terms"], rel=0.01)
    filed = Splade([pair["passage"] for pair in held_out], expander())
    hits = [str(place) in {hit.id for hit in filed.search(pair["question"])} for place, pair in enumerate(held_out)]
    assert found["recall"] == pytest.approx(sum(hits) / len(hits), abs=1e-9)


def test_what_scores_0_is_not_found():
    model = Expander(["red", "tent", "stove"])
    model.weights = {name: np.zeros_like(values) for name, values in model.weights.items()}  # no word has a weight
    pairs = [{"question": "red", "passage": "tent"}, {"question": "tent", "passage": "stove"}]
    assert model.measure(pairs)["recall"] == 0.0
    unseen = [{"question": "gondola", "passage": "a gondola"}, *pairs]  # a word never seen is filed under itself
    assert model.measure(unseen)["recall"] == pytest.approx(1 / 3)


def test_the_table_in_sources_is_what_was_measured():
    said = (ROOT / "data" / "SOURCES.md").read_text(encoding="utf-8")
    kept = json.loads((ROOT / "notebooks" / "splade.json").read_text(encoding="utf-8"))["dial"]
    assert tuple(setting["lambda"] for setting in kept["settings"]) == LAMBDAS and LAMBDA in LAMBDAS
    for setting in kept["settings"]:
        bold = "**" if setting["lambda"] == LAMBDA else ""
        cells = f"{setting['lambda']:g}", f"{setting['terms']:,.0f}", f"{setting['recall']:.3f}"
        assert "| " + " | ".join(f"{bold}{cell}{bold}" for cell in cells) + " |" in said
    assert f"BM25 has {kept['bm25']:.3f} there" in said


def test_a_few_steps_again():
    """The first steps of the script, twice with the same digits."""
    assert make().LAMBDA == LAMBDA
    runs = []
    for _ in range(2):
        model, training, _ = untrained()
        states = model.train(training, LAMBDA)
        runs.append([next(states).loss for _ in range(2)])
    assert runs[0] == runs[1]


def test_the_kept_arrays_are_float16_of_the_weights():
    model, _, _ = untrained()
    kept = model.kept()
    assert {name: (values.dtype, values.shape) for name, values in kept.items()} == {
        name: (np.float16, values.shape) for name, values in model.weights.items()}


def scratched(whole: bytes) -> bytes:
    """Return a file whose packed numbers can't be unpacked."""
    start = whole.index(b"PK\3\4") + 120
    return whole[:start] + b"\xff" * 64 + whole[start + 64 :]


@pytest.mark.parametrize("name", ["flops", "flops_gradient", "ramp", "term_weights"])
def test_what_raises_is_named(small, name):
    def raises(*_):
        raise ZeroDivisionError("by yours")

    model, training, _ = untrained()
    with use(f"splade.{name}", raises), pytest.raises(ZeroDivisionError) as caught:
        next(model.train(training))
    assert caught.value.__notes__ == [f'This was raised by {name}. use("splade.{name}") puts the course\'s own back.']


@pytest.mark.parametrize("damage", [lambda path: None, lambda path: path.write_bytes(b"no zip"),
                                    lambda path: path.write_bytes(FILE.read_bytes()[:5000]),
                                    lambda path: path.write_bytes(scratched(FILE.read_bytes())),
                                    lambda path: np.savez(path, words=np.zeros(3)),
                                    lambda path: np.savez(path, words=np.zeros(3, np.uint8), table=np.float32(1))])
def test_a_damaged_file(tmp_path, monkeypatch, damage):
    monkeypatch.setattr(expansion, "FILE", tmp_path / "expansion.npz")
    damage(tmp_path / "expansion.npz")
    with pytest.raises(ValueError, match="expansion.npz is missing or damaged; take it from a whole clone"):
        expander.__wrapped__()


def test_the_trained_model_files_a_word_under_itself_and_others():
    row = expander().expansions("holiday", 12)
    assert list(row.values()) == sorted(row.values(), reverse=True)
    parts = splade.literal_and_added(["holiday"], row)
    assert "holiday" in parts["literal"] and {"annual", "leave"} <= set(parts["added"])
