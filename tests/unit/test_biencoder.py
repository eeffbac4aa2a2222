"""The bi-encoder: gradients against finite differences, training that stops and goes on, storing, and bad input."""

import importlib.util
import zipfile

import numpy as np
import pytest

from firstprinciples.encode import biencoder
from firstprinciples.encode.biencoder import (
    BiEncoder,
    in_batch_loss,
    in_batch_softmax,
    loss_and_gradients,
    mean_pool,
    normalize_gradient,
    pool_gradient,
    repeated_positives,
    scores_gradient,
    similarity_matrix,
    toy,
    untrained,
    vectors_gradient,
    vocabulary,
)
from firstprinciples.encode.pairs import PAIRS, recall_at
from firstprinciples.evaluate.held_out import bm25_recall, held_out_recall, held_out_table
from firstprinciples.index import cosine
from firstprinciples.swap import use
from firstprinciples.text import tokenize

FEW = [{"question": question, "passage": passage} for question, passage in [
    ("how much do we owe", "the invoice is open, an amount of ninety"),
    ("who is ill today", "two sick days were noted in the list"),
    ("is the server down", "the outage began at noon and ended at one"),
    ("may I go on holiday", "annual leave is asked for a month before"),
    ("what did the board say", "minutes of the meeting: the plan was agreed"),
    ("where is my receipt", "a receipt is sent with each payment"),
    ("can I reset my password", "steps for credential recovery are on the page")]]


def few(dim=6, seed=0):
    return BiEncoder(vocabulary(FEW), dim=dim, seed=seed)


def numeric(function, values, h=1e-6):
    """Return the gradient of a function of an array by central differences."""
    out = np.zeros_like(values)
    for place in np.ndindex(*values.shape):
        up, down = values.copy(), values.copy()
        up[place] += h
        down[place] -= h
        out[place] = (function(up) - function(down)) / (2 * h)
    return out


def far(gradient, by_differences):
    """Return how far two gradients are apart, as a part of the larger one."""
    return np.abs(gradient - by_differences).max() / np.abs(by_differences).max()


# Gradients

DRAW = np.random.default_rng(3)
QUESTIONS, PASSAGES = DRAW.standard_normal((3, 4)), DRAW.standard_normal((5, 4))
MASKED = np.array([[False, False, True, False, False], [False, False, False, False, True], [True] + [False] * 4])


@pytest.mark.parametrize("masked", [None, MASKED], ids=["plain", "masked"])
@pytest.mark.parametrize("temperature", [0.05, 0.7])
def test_the_gradient_of_both_sides_by_finite_differences(temperature, masked):
    def loss(questions, passages):
        return in_batch_loss(similarity_matrix(cosine.normalize(questions), cosine.normalize(passages), temperature),
                             masked)

    units = cosine.normalize(QUESTIONS), cosine.normalize(PASSAGES)
    back = vectors_gradient(scores_gradient(similarity_matrix(*units, temperature), masked), *units, temperature)
    of_questions = normalize_gradient(QUESTIONS, back[0])
    of_passages = normalize_gradient(PASSAGES, back[1])
    assert far(of_questions, numeric(lambda values: loss(values, PASSAGES), QUESTIONS)) < 1e-5
    assert far(of_passages, numeric(lambda values: loss(QUESTIONS, values), PASSAGES)) < 1e-5


@pytest.mark.parametrize("temperature", [0.05, 0.7])
def test_the_gradient_of_the_table_and_both_projections_by_finite_differences(temperature):
    draw = np.random.default_rng(1)
    weights = {"table": draw.standard_normal((11, 5)), "question": np.eye(5) + 0.1 * draw.standard_normal((5, 5)),
               "passage": np.eye(5) + 0.1 * draw.standard_normal((5, 5))}
    texts = [[0, 1, 1], [2], [3, 4, 5, 6], [7]], [[1, 8], [2, 9, 9], [5, 10, 0], [1, 8]]
    masked = repeated_positives(["a", "b", "c", "a"])
    _, _, gradients = loss_and_gradients(weights, *texts, masked, temperature)
    for name, values in weights.items():
        by_differences = numeric(lambda changed, name=name: loss_and_gradients(
            weights | {name: changed}, *texts, masked, temperature)[0], values)
        assert far(gradients[name], by_differences) < 1e-5, name


def test_a_text_without_known_words_has_no_gradient_and_no_nan():
    weights = few().weights
    loss, scores, gradients = loss_and_gradients(weights, [[], [1, 2]], [[3], []], np.zeros((2, 2), bool), 0.05)
    assert np.isfinite(loss) and scores[0].tolist() == [0, 0] and scores[:, 1].tolist() == [0, 0]
    assert all(np.isfinite(gradient).all() for gradient in gradients.values())


def test_normalize_gradient_is_at_a_right_angle_and_shrinks_with_the_length():
    vectors, gradient = np.array([[3.0, 4.0], [30.0, 40.0], [0.0, 0.0]]), np.array([[1.0, 2.0]] * 3)
    found = normalize_gradient(vectors, gradient)
    # along (0.6 0.8): 2.2; the rest (1 - 1.32, 2 - 1.76), over 5
    assert found.tolist() == [pytest.approx([-0.064, 0.048]), pytest.approx([-0.0064, 0.0048]), [0, 0]]


def test_pool_gradient_counts_repeats():
    gradient = np.array([[3.0, 6.0], [1.0, -1.0], [9.0, 9.0]])
    found = pool_gradient(gradient, [[1, 1, 3], [3], []], rows=4)
    assert found.tolist() == [[0, 0], [2, 4], [0, 0], [2, 1]]


# The loss


def test_a_batch_of_one_equal_vectors_and_a_repeated_positive():
    assert in_batch_loss(np.array([[17.0]])) == 0
    ones = cosine.normalize(np.ones((6, 3)))
    assert in_batch_loss(similarity_matrix(ones, ones, 0.05)) == pytest.approx(np.log(6))
    masked = repeated_positives(["a", "b", "a", "c", "d", "e"])
    # the two questions with a copy have five passages left, the others six
    assert in_batch_loss(np.zeros((6, 6)), masked) == pytest.approx((2 * np.log(5) + 4 * np.log(6)) / 6)
    assert scores_gradient(np.zeros((6, 6)), masked)[0, 2] == 0


def test_the_loss_is_the_logarithm_of_the_share():
    draw = np.random.default_rng(2)
    for _ in range(50):
        n = int(draw.integers(1, 7))
        scores = draw.standard_normal((n, n + int(draw.integers(0, 3)))) * 5
        masked = (draw.random(scores.shape) < 0.3) & ~np.eye(*scores.shape, dtype=bool)
        shares = in_batch_softmax(scores, masked)
        assert shares.sum(axis=1) == pytest.approx(np.ones(n)) and (shares[masked] == 0).all()
        assert in_batch_loss(scores, masked) == pytest.approx(-np.log(np.diagonal(shares)).mean())
        assert scores_gradient(scores, masked).sum(axis=1) == pytest.approx(np.zeros(n), abs=1e-12)


# Encoding


@pytest.fixture(scope="module")
def model():
    return toy()


def test_rows_have_length_one_or_are_zeros(model):
    rows = model.encode_queries(["When is the bill due?", "zzyzx qwfp", "", "bill"])
    assert rows.dtype == np.float32 and rows.shape == (4, model.dim)
    assert np.linalg.norm(rows, axis=1).tolist() == pytest.approx([1, 0, 0, 1], abs=1e-6)
    assert model.encode_passages([]).shape == (0, model.dim)
    assert (model.name, model.dim) == ("toy", 64)


def test_unknown_words_are_left_out_and_company_changes_nothing(model):
    texts = ["pay the bill", "Pay the zzyzx bill!", "sick leave", "the the the"]
    together = model.encode_passages(texts)
    assert np.array_equal(together[0], together[1])
    assert all(np.array_equal(model.encode_passages([text])[0], row) for text, row in zip(texts, together, strict=True))
    assert not np.array_equal(together, model.encode_queries(texts))


def test_token_vectors_add_up_to_the_text(model):
    for side, encode in (("query", model.encode_queries), ("passage", model.encode_passages)):
        words, rows = model.token_vectors("The bill, zzyzx, is the bill.", side)
        assert words == ["the", "bill", "is", "the", "bill"] and rows.shape == (5, model.dim)
        assert cosine.normalize(rows.mean(axis=0)) == pytest.approx(encode(["The bill is the bill"])[0], abs=1e-6)
    assert model.token_vectors("zzyzx", "query")[1].shape == (0, model.dim)


def test_what_cannot_be_encoded(model):
    with pytest.raises(TypeError, match="^Give a list of texts, also for one text."):
        model.encode_queries("bill")
    with pytest.raises(TypeError, match="^A text must be a string, not int.$"):
        model.encode_passages([3])
    with pytest.raises(ValueError, match="^There is no side 'question'; it is 'query' or 'passage'."):
        model.token_vectors("bill", "question")
    with pytest.raises(ValueError, match="^A bi-encoder needs words, each of them once."):
        BiEncoder(["a", "b", "a"])
    with pytest.raises(ValueError, match="^A bi-encoder needs words"):
        BiEncoder([])
    with pytest.raises(ValueError, match="^dim is 0;"):
        BiEncoder(["a"], dim=0)


# Training


def test_it_learns_the_few_pairs():
    encoder = few()
    states = list(encoder.train(FEW, epochs=60, batch=3, rate=0.02, held_out=FEW[:2], every=50))
    assert [state.step for state in states] == list(range(1, 121)) and states[0].steps == 120
    assert (states[0].epoch, states[1].epoch, states[2].epoch) == (1, 1, 2)  # 7 pairs are 2 batches of 3, one waits
    assert states[-1].loss < 0.05 < states[0].loss
    assert [state.step for state in states if state.recall is not None] == [50, 100, 120]
    assert encoder.recall(FEW, k=1) == 1
    assert len({int(i) for state in states for i in state.batch}) == 7


def test_a_state_is_that_of_its_batch_before_the_step():
    encoder, other = few(), few()
    state = next(encoder.train(FEW, batch=4, temperature=0.5))
    pairs = [FEW[i] for i in state.batch]
    q = cosine.normalize(other.encode_queries([pair["question"] for pair in pairs]).astype(float))
    p = cosine.normalize(other.encode_passages([pair["passage"] for pair in pairs]).astype(float))
    assert state.scores == pytest.approx(similarity_matrix(q, p, 0.5), abs=1e-5)
    assert state.loss == pytest.approx(in_batch_loss(state.scores))
    assert state.masked.dtype == bool and not state.masked.any() and state.recall is None


def test_a_repeated_positive_is_masked_in_training():
    twice = [FEW[0], FEW[1], FEW[0] | {"question": "what is open"}]
    state = next(few().train(twice, batch=3))
    same = [i for i, pair in enumerate(state.batch.tolist()) if pair in (0, 2)]
    assert state.masked[same[0], same[1]] and state.masked[same[1], same[0]] and state.masked.sum() == 2


def weights_of(encoder):
    return [values for part in (encoder.weights, encoder.m, encoder.v) for values in part.values()]


def equal(one, other):
    return all(np.array_equal(a, b) for a, b in zip(weights_of(one), weights_of(other), strict=True))


def test_stopped_and_gone_on_with_is_the_same_as_never_stopped(tmp_path):
    through, stopped = few(), few()
    settings = {"epochs": 9, "batch": 3}
    losses = [state.loss for state in through.train(FEW, **settings)]
    seen = []
    for state in stopped.train(FEW, **settings):
        seen.append(state.loss)
        if state.step == 5:  # in the middle of an epoch
            break
    stopped.save(tmp_path / "half.npz", resume=True)
    for again in (stopped, BiEncoder.load(tmp_path / "half.npz")):
        assert seen + [state.loss for state in again.train(FEW, **settings)] == losses
        assert equal(again, through)
    assert list(through.train(FEW, **settings)) == []  # at its end


def test_the_seed_decides():
    def losses(seed):
        return [state.loss for state in few(seed=seed).train(FEW, epochs=2, batch=3)]

    assert losses(0) == losses(0) != losses(1)


@pytest.mark.parametrize("settings, said", [
    ({"pairs": []}, "There is nothing to learn from"), ({"batch": 0}, "batch is 0"), ({"epochs": -1}, "epochs -1"),
    ({"every": 0}, "every 0"), ({"temperature": 0}, "temperature is 0"), ({"temperature": float("nan")}, "temperature"),
    ({"rate": -0.1}, "rate -0.1"), ({"batch": 1.5}, "batch is 1.5"), ({"epochs": "3"}, "epochs 3"),
    ({"every": 2.5}, "every 2.5"), ({"rate": float("inf")}, "rate inf"), ({"temperature": "warm"}, "is warm"),
    ({"pairs": ["a text"]}, '^A pair is {"question": a text, "passage": a text}, not \'a text\'.$'),
    ({"held_out": [{"question": "a"}]}, "^A pair is .*, not {'question': 'a'}.$")])
def test_settings_that_cannot_be(settings, said):
    with pytest.raises(ValueError, match=said):
        next(few().train(**{"pairs": FEW} | settings))


def test_fewer_pairs_than_a_batch_make_one_batch():
    assert [len(state.batch) for state in few().train(FEW[:2], epochs=2, batch=32)] == [2, 2]
    assert [state.loss for state in few().train(FEW[:1], epochs=2, batch=32)] == [0, 0]


def test_pairs_may_come_one_by_one():
    assert [state.loss for state in few().train(iter(FEW), epochs=1)] == [s.loss for s in few().train(FEW, epochs=1)]


@pytest.mark.parametrize("name", [
    "mean_pool", "similarity_matrix", "repeated_positives", "in_batch_softmax", "in_batch_loss", "scores_gradient",
    "vectors_gradient", "normalize_gradient", "pool_gradient", "adam_step"])
@pytest.mark.parametrize("value", [None, float("nan"), np.ones((7, 5)), "x", 1j], ids=str)
def test_a_function_that_gives_what_no_sum_can_be_made_of_is_named(name, value):
    with use(f"biencoder.{name}", lambda *_: value), pytest.raises(ValueError, match=f"^{name} should give .*use"):
        next(few().train(FEW, batch=3))


def test_training_runs_on_the_function_in_use():
    with use("biencoder.similarity_matrix", lambda q, p, t: (10 * similarity_matrix(q, p, t)).tolist()):
        tenfold = next(few().train(FEW, batch=3)).scores
    assert tenfold == pytest.approx(10 * next(few().train(FEW, batch=3)).scores)
    with use("biencoder.mean_pool", lambda table, ids: list(-mean_pool(table, ids))):
        turned = few().encode_queries(["the list"])
    assert np.array_equal(turned, -few().encode_queries(["the list"]))


# Recall


def test_recall_by_hand():
    questions = cosine.normalize([[1, 0], [0, 1], [1, 1], [0, 0]])
    passages = cosine.normalize([[1, 0], [1, 1], [0, 1], [0, 0]])
    # places of the right passages, from 0: 0; 1 (after passage 2); 1 (tied with 0 which stands before, after 1): 2;
    # all tie at 0: 3
    assert [recall_at(questions, passages, k) for k in (1, 2, 3, 4)] == [0.25, 0.5, 0.75, 1.0]
    with pytest.raises(ValueError, match="no pairs"):
        few().recall([])


# The stored model


@pytest.fixture(scope="module")
def trained():
    encoder, training, held_out = untrained()
    return encoder, list(encoder.train(training, held_out=held_out)), held_out


def test_trained_anew_it_is_the_stored_one(trained, model):
    encoder, states, held_out = trained
    for name, values in encoder.weights.items():
        assert np.abs(values - model.weights[name]).max() < 1e-5
    assert (model.step, model.words) == (states[-1].step, encoder.words)
    assert f"{model.recall(held_out):.3f}" == f"{states[-1].recall:.3f}"


def test_twice_the_same_digits(trained):
    encoder, training, _ = untrained()
    again = [state.loss for state, _ in zip(encoder.train(training), range(30), strict=False)]
    assert again == [state.loss for state in trained[1][:30]]


def test_the_loss_falls_and_recall_rises(trained):
    _, states, _ = trained
    losses = [state.loss for state in states]
    assert np.mean(losses[:10]) > 3 and np.mean(losses[-26:]) < 0.05
    recalls = [state.recall for state in states if state.recall is not None]
    assert len(recalls) == 9 and recalls[-1] > 2 * untrained()[0].recall(trained[2])


def test_the_table_of_the_held_out_topics():
    found = held_out_recall()
    assert {name: round(value, 3) for name, value in found.items()} == {
        "chance": 0.052, "random table": 0.062, "BM25": 0.146, "trained": 0.26}
    assert held_out_table() == (
        "Recall@10 of 192 questions from 8 topics never trained on; the pool: their 192 passages\n"
        "  by chance                  0.052\n"
        "  random table, not trained  0.062\n"
        "  BM25                       0.146\n"
        "  trained                    0.260")


def test_bm25_is_not_credited_for_what_it_does_not_return():
    pairs = [{"question": "tent", "passage": "A red tent."}, {"question": "fuel", "passage": "A stove."}]
    assert bm25_recall(pairs) == 0.5


def test_the_words_are_those_of_the_training_pairs(model):
    _, training, held_out = untrained()
    known = {word for pair in training for word in tokenize(pair["question"] + " . " + pair["passage"])}
    assert set(model.words) == known
    assert {word for pair in held_out for word in tokenize(pair["passage"])} - known  # these it leaves out


def test_different_words_are_brought_together(model):
    before = untrained()[0]

    def near(encoder, question, passage):
        return float(encoder.encode_queries([question])[0] @ encoder.encode_passages([passage])[0])

    for question, passage in [("reset my password", "steps for credential recovery"), ("bill", "invoice")]:
        assert near(model, question, passage) > 0.5 > near(before, question, passage)
    assert near(model, "E_4432", "outage report E_4432") == 0  # a code that was in no pair


def test_the_making_command(monkeypatch, tmp_path, capsys):
    spec = importlib.util.spec_from_file_location("make_pairs", PAIRS / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "HERE", tmp_path)
    monkeypatch.setattr(biencoder.BiEncoder.train, "__defaults__",
                        (1, *biencoder.BiEncoder.train.__defaults__[1:]))  # one epoch is enough here
    monkeypatch.setattr(module, "EPOCHS", 1)
    module.main()
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "840 pairs to train on, 192 held out, 3,357 words"
    assert said[1].startswith("epoch 1: mean loss 3.") and said[3].startswith("Recall@10 of 192")
    assert BiEncoder.load(tmp_path / "toy.npz").step == 26


# Stored files


def test_saved_and_loaded(tmp_path):
    encoder = few()
    list(encoder.train(FEW, epochs=1, batch=3))
    encoder.save(tmp_path / "few.npz")
    loaded = BiEncoder.load(tmp_path / "few.npz")
    assert (loaded.words, loaded.dim, loaded.seed, loaded.step) == (encoder.words, 6, 0, 2)
    assert loaded.encode_queries(["the list"]) == pytest.approx(encoder.encode_queries(["the list"]), abs=1e-6)
    encoder.save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "few.npz").read_bytes()
    with np.load(tmp_path / "few.npz", allow_pickle=False) as file:
        assert {file[name].dtype.kind for name in file.files} == {"U", "i", "f"}


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        BiEncoder.load(tmp_path / "none.npz")


def spoil(path, **changed):
    """Write a model in which some arrays are others, or missing where None."""
    few().save(path)
    with np.load(path) as file:
        kept = {name: file[name] for name in file.files} | changed
    np.savez(path, **{name: values for name, values in kept.items() if values is not None})


@pytest.mark.parametrize("changed", [
    {"table": None}, {"words": None}, {"counts": np.array([1])}, {"table": np.ones((3, 6))},
    {"question": np.eye(5)}, {"passage": np.full((6, 6), np.nan)}, {"passage": np.eye(6, dtype=int)},
    {"words": np.array(["a", "b"])}, {"words": np.array(["a"] * 57)}, {"m_table": np.ones((2, 2))},
    {"words": np.array([["a"]])}, {"counts": np.array([0, -1])}], ids=str)
def test_a_file_with_other_arrays_is_named(tmp_path, changed):
    path = tmp_path / "spoiled.npz"
    spoil(path, **changed)
    with pytest.raises(ValueError, match=r"spoiled\.npz is no bi-encoder, or it is damaged: save it anew\."):
        BiEncoder.load(path)


def test_a_damaged_file_is_named_wherever_the_damage_is(tmp_path):
    good, path = tmp_path / "good.npz", tmp_path / "damaged.npz"
    few().save(good)
    data, draw = good.read_bytes(), np.random.default_rng(0)
    cases = [b"", b"not a model", data[: len(data) // 2], data[:-10]]
    for place in draw.integers(0, len(data), 60):
        cases.append(data[:place] + bytes([data[place] ^ 255]) + data[place + 1 :])
    named = 0
    for case in cases:
        path.write_bytes(case)
        try:
            loaded = BiEncoder.load(path)
        except ValueError as error:
            assert "damaged.npz is no bi-encoder" in str(error)
            named += 1
        else:  # a byte that carries nothing, such as a date
            assert equal(loaded, BiEncoder.load(good))
    assert named > 50


def test_a_pickle_is_never_read(tmp_path):
    path = tmp_path / "pickled.npz"
    spoil(path, words=None)
    np.savez(tmp_path / "objects.npz", words=np.array(["a", None], dtype=object))
    with zipfile.ZipFile(tmp_path / "objects.npz") as source, zipfile.ZipFile(path, "a") as target:
        target.writestr("words.npy", source.read("words.npy"))
    with pytest.raises(ValueError, match=r"pickled\.npz is no bi-encoder, or it is damaged: save it anew\.$"):
        BiEncoder.load(path)
