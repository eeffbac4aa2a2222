"""The encoder on a small model of random numbers: plain and fast way, damage, batches, and a learner's functions."""

import json
import math
import threading
import time

import numpy as np
import pytest

from firstprinciples import blas
from firstprinciples.encode import bert, bert_files, fast_bert
from firstprinciples.encode.bert import Bert, MiniLM, attention, dense, gelu, layer_norm, softmax
from firstprinciples.encode.wordpiece import SPECIAL
from firstprinciples.swap import use

WIDTH, HEADS, INNER, LAYERS, PLACES = 12, 3, 20, 2, 40
PIECES = [*SPECIAL, *"abcdefgh", *(f"##{c}" for c in "abcdefgh"), "red", "tent", "bill", "."]
CONFIG = {"hidden_size": WIDTH, "num_attention_heads": HEADS, "intermediate_size": INNER, "num_hidden_layers": LAYERS,
          "max_position_embeddings": PLACES, "type_vocab_size": 2, "vocab_size": len(PIECES), "hidden_act": "gelu"}
TEXTS = ["red tent", "bill", "", "abc de. red bill tent", "a b c d e f g h a b c", "tent red", "hgfedcba " * 3]


def arrays(head=True, seed=0):
    """Return the arrays of a small model by name, uneven enough that each of them matters."""
    draw = np.random.default_rng(seed)

    def of(*shape, around=0.0):
        return (draw.normal(size=shape) * 0.6 + around).astype(np.float32)

    found = {"embeddings.word_embeddings.weight": of(len(PIECES), WIDTH),
             "embeddings.position_embeddings.weight": of(PLACES, WIDTH),
             "embeddings.token_type_embeddings.weight": of(2, WIDTH)}

    def norm(name):
        found[name + ".weight"], found[name + ".bias"] = of(WIDTH, around=1.0), of(WIDTH)

    def layer(name, outputs, inputs):
        found[name + ".weight"], found[name + ".bias"] = of(outputs, inputs), of(outputs)

    norm("embeddings.LayerNorm")
    for i in range(LAYERS):
        at = f"encoder.layer.{i}."
        for name in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            layer(at + name, WIDTH, WIDTH)
        norm(at + "attention.output.LayerNorm")
        layer(at + "intermediate.dense", INNER, WIDTH)
        layer(at + "output.dense", WIDTH, INNER)
        norm(at + "output.LayerNorm")
    if head:
        found["cls.predictions.bias"] = of(len(PIECES))
        layer("cls.predictions.transform.dense", WIDTH, WIDTH)
        norm("cls.predictions.transform.LayerNorm")
    return found


def write(folder, found, config=CONFIG, pieces=PIECES):
    """Write a model into a folder and return the folder."""
    folder.mkdir(exist_ok=True)
    header, numbers = {}, b""
    for name, array in found.items():
        offsets = [len(numbers), len(numbers) + array.nbytes]
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": offsets}
        numbers += array.astype("<f4").tobytes()
    head = json.dumps(header).encode("utf-8")
    (folder / "model.safetensors").write_bytes(len(head).to_bytes(8, "little") + head + numbers)
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "vocab.txt").write_text("\n".join(pieces) + "\n", encoding="utf-8")
    return folder


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path / "model", arrays())


@pytest.fixture
def model(folder):
    return Bert(folder)


def by_hand(found, ids):
    """Run the encoder on the ids of one text, in float64, one token and one head after the other."""
    def norm(row, name):
        centered = row - row.sum() / len(row)
        normed = centered / math.sqrt((centered @ centered) / len(row) + 1e-12)
        return normed * f[name + ".weight"] + f[name + ".bias"]

    def through(row, name):
        return f[name + ".weight"] @ row + f[name + ".bias"]

    f = {name: array.astype(float) for name, array in found.items()}
    tables = [f[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")]
    words, places, types = tables
    rows = [norm(words[id] + places[at] + types[0], "embeddings.LayerNorm") for at, id in enumerate(ids)]
    for i in range(LAYERS):
        at, size, seen = f"encoder.layer.{i}.", WIDTH // HEADS, []
        names = (at + f"attention.self.{name}" for name in ("query", "key", "value"))
        q, k, v = ([through(row, name) for row in rows] for name in names)
        for one in q:
            parts = []
            for h in range(HEADS):
                here = slice(h * size, h * size + size)
                weights = [math.exp(one[here] @ key[here] / math.sqrt(size)) for key in k]
                parts.append(sum(w * value[here] for w, value in zip(weights, v, strict=True)) / sum(weights))
            seen.append(np.concatenate(parts))
        rows = [norm(row + through(s, at + "attention.output.dense"), at + "attention.output.LayerNorm")
                for row, s in zip(rows, seen, strict=True)]
        for place, row in enumerate(rows):
            inner = [x * (1 + math.erf(x / math.sqrt(2))) / 2 for x in through(row, at + "intermediate.dense")]
            rows[place] = norm(row + through(np.array(inner), at + "output.dense"), at + "output.LayerNorm")
    return np.array(rows)


# The four functions


def test_the_functions_take_lists_and_change_nothing():
    assert softmax([0, 0]).tolist() == [0.5, 0.5] and gelu([[0]]).tolist() == [[0.0]]
    shapes = (2, 2), (3, 2), (3, 3), (3,)
    q, k, v, mask = (np.arange(math.prod(shape), dtype=float).reshape(shape) for shape in shapes)
    before = [a.copy() for a in (q, k, v, mask)]
    attention(q, k, v, mask), softmax(q), gelu(q), layer_norm(q, np.ones(2), np.zeros(2))
    assert all((a == b).all() for a, b in zip((q, k, v, mask), before, strict=True))


def test_float32_stays_float32():
    x = np.ones((3, 2), np.float32)
    assert softmax(x).dtype == np.float32 and layer_norm(x, x[0], x[0]).dtype == np.float32
    assert attention(x, x, x, np.ones(3, bool)).dtype == np.float32


def test_fast_gelu_is_gelu():
    x = np.linspace(-12, 12, 100_001).astype(np.float32)
    assert np.abs(fast_bert.gelu(x) - gelu(x)).max() < 1e-6
    assert fast_bert.gelu(np.float32([[-1e4, 1e4]])).tolist() == [[0, 1e4]]
    assert fast_bert.gelu(np.zeros((0, 4))).shape == (0, 4)


def test_fast_layer_norm_is_layer_norm():
    draw = np.random.default_rng(1)
    x, weight, bias = draw.normal(3, 5, size=(150, 7)).astype(np.float32), draw.normal(size=7), draw.normal(size=7)
    expected = layer_norm(x.astype(float), weight, bias, 1e-3)
    fast_bert.normalize_rows(x, weight, bias, 1e-3)
    assert np.abs(x - expected).max() < 1e-5


@pytest.mark.parametrize("texts, tokens, scale", [(1, 1, 1), (3, 5, 1), (2, 17, 30), (1, 300, 1), (40, 6, 200)])
def test_fast_attention_is_attention(texts, tokens, scale):
    # `scale` makes scores of up to some thousand, which exp can't take
    draw = np.random.default_rng(tokens)
    q, k, v = (draw.normal(size=(texts * tokens, WIDTH)).astype(np.float32) for _ in range(3))
    q *= scale
    mask = np.arange(tokens) < draw.integers(1, tokens + 1, texts)[:, None]
    size, expected = WIDTH // HEADS, np.empty_like(q)
    for text in range(texts):
        for head in range(HEADS):
            here = np.s_[text * tokens:(text + 1) * tokens, head * size:(head + 1) * size]
            expected[here] = attention(*(a[here].astype(float) for a in (q, k, v)), mask[text])
    got = fast_bert.attend(q, k, v, mask, HEADS)
    assert np.isfinite(got).all() and np.abs(got - expected).max() < (1e-5 if scale == 1 else 1e-3)


def test_best_products_are_the_largest():
    draw = np.random.default_rng(2)
    for texts, tokens, words in ((1, 1, 3), (7, 5, 2100), (2, 300, 9)):
        vectors, table = draw.normal(size=(texts, tokens, 4)), draw.normal(size=(words, 4))
        bias, mask = draw.normal(size=words), np.arange(tokens) < draw.integers(1, tokens + 1, texts)[:, None]
        expected = [(rows[real] @ table.T + bias).max(axis=0) for rows, real in zip(vectors, mask, strict=True)]
        assert np.allclose(fast_bert.best_products(vectors, mask, table, bias), expected)


# The encoder


@pytest.mark.parametrize("text", TEXTS)
def test_the_encoder_is_what_its_parts_make(model, text):
    ids, cut = model.tokenizer.ids(text)
    tokens, vectors = model.token_vectors(text)
    assert tokens[0] == "[CLS]" and tokens[-1] == "[SEP]" and len(tokens) == len(vectors) == len(ids) and not cut
    assert vectors.dtype == np.float32 and np.abs(vectors - by_hand(arrays(), ids)).max() < 1e-5


@pytest.mark.parametrize("name", ["softmax", "layer_norm", "gelu", "attention"])
def test_a_function_of_yours_drives_the_encoder(model, name):
    own, calls = getattr(bert, name), []

    def mine(*arguments, **named):
        calls.append(arguments[0].shape)
        return own(*arguments, **named)

    before = np.array(model.run(TEXTS, bert.mean_over_tokens))
    logits = model.best_logits(TEXTS)
    with use(f"bert.{name}", mine):
        assert not bert.untouched()
        same = np.array(model.run(TEXTS, bert.mean_over_tokens))
        assert calls and all(len(shape) == 2 for shape in calls)  # never more axes than in the lesson
        assert np.abs(model.best_logits(TEXTS) - logits).max() < 1e-5
    assert np.abs(same - before).max() < 1e-5 and bert.untouched()
    with use(f"bert.{name}", lambda *arguments: own(*arguments) * 0.5):
        assert np.abs(np.array(model.run(TEXTS, bert.mean_over_tokens)) - before).max() > 0.01
    assert (np.array(model.run(TEXTS, bert.mean_over_tokens)) == before).all()


def test_a_function_that_ignores_the_mask_shows(model):
    def careless(q, k, v, mask):
        return softmax(q @ k.T / math.sqrt(q.shape[1])) @ v

    alone = model.token_vectors("red")[1]
    with use("bert.attention", careless):
        assert np.abs(model.token_vectors("red")[1] - alone).max() < 1e-5  # nothing is filled up
        together = model.run(["red", "red tent"], lambda vectors, mask: vectors)[0][:3]
    assert np.abs(together - alone).max() > 0.01


@pytest.mark.parametrize("name, gives", [
    ("gelu", lambda x: None), ("gelu", lambda x: x[0]), ("layer_norm", lambda x, *_: x * np.nan),
    ("attention", lambda q, k, v, mask: "red"), ("softmax", lambda x: x.T[:1])])
def test_what_no_encoder_can_run_on_is_named(model, name, gives):
    with use(f"bert.{name}", gives), pytest.raises(ValueError) as raised:
        model.token_vectors("red tent")
    if name != "softmax":  # which the course's attention calls
        assert f"{name} should give" in str(raised.value) and f'use("bert.{name}") puts' in str(raised.value)


def test_alone_and_in_a_batch(model):
    def normed(texts):
        rows = np.array(model.run(texts, bert.mean_over_tokens))
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    together = normed(TEXTS * 30)
    for i, text in enumerate(TEXTS):
        assert np.abs(normed([text]) - together[i::len(TEXTS)]).max() < 1e-6


def test_a_text_too_long_is_cut_and_counted(folder):
    model = Bert(folder, max_tokens=6)
    long, exact = "red tent bill . a b c", "red tent bill ."
    vectors = model.run([long, exact, "a", long], lambda vectors, mask: vectors)
    assert model.cut == 2 and (vectors[0] == vectors[1]).all()
    assert model.token_vectors(long)[0] == ["[CLS]", "red", "tent", "bill", ".", "[SEP]"] and model.cut == 1
    model.run(["a"], bert.mean_over_tokens)
    assert model.cut == 0
    assert Bert(folder, max_tokens=5000).max_tokens == PLACES
    assert len(Bert(folder, max_tokens=5000).token_vectors("a " * 100)[0]) == PLACES


def test_progress(model):
    seen = []
    model.run(["red tent " * 12] * 300, bert.mean_over_tokens, lambda done, total: seen.append((done, total)))
    assert len(seen) > 2 and seen[-1] == (300, 300) and seen == sorted(set(seen))


def test_no_texts_and_what_is_none(model):
    assert model.run([], bert.mean_over_tokens) == [] and model.best_logits([]).shape == (0, len(PIECES))
    with pytest.raises(TypeError, match=r"^The texts must be a list of strings; put a single one in a list: \[text\]"):
        model.run("red", bert.mean_over_tokens)
    with pytest.raises(TypeError, match="^The texts must be a list of strings"):
        model.run(None, bert.mean_over_tokens)
    with pytest.raises(TypeError, match="^A text must be a string, not int.$"):
        model.run(["red", 3], bert.mean_over_tokens)


def test_logits_compare_each_token_with_each_word(model):
    f = {name: array.astype(float) for name, array in arrays().items()}
    tokens, logits = model.token_logits("red [MASK] tent")
    assert tokens == ["[CLS]", "red", "[MASK]", "tent", "[SEP]"] and logits.shape == (5, len(PIECES))
    rows = by_hand(arrays(), model.tokenizer.ids("red [MASK] tent")[0])
    at = "cls.predictions.transform."
    inner = gelu(dense(rows, f[at + "dense.weight"], f[at + "dense.bias"]))
    ready = layer_norm(inner, f[at + "LayerNorm.weight"], f[at + "LayerNorm.bias"])
    expected = ready @ f["embeddings.word_embeddings.weight"].T + f["cls.predictions.bias"]
    assert np.abs(logits - expected).max() < 1e-4
    best = model.best_logits(["red [MASK] tent", "a"] * 9)
    assert best.shape == (18, len(PIECES)) and np.abs(best[0] - logits.max(axis=0)).max() < 1e-4


def test_batches_hold_texts_of_about_one_length():
    draw = np.random.default_rng(3)
    lengths = draw.integers(2, 257, 500).tolist()
    found = fast_bert.batches(lengths)
    assert sorted(i for batch in found for i in batch) == list(range(500))
    assert all(len(batch) * max(lengths[i] for i in batch) <= fast_bert.TOKENS for batch in found)
    filled = sum(len(batch) * max(lengths[i] for i in batch) for batch in found)
    assert filled < 1.1 * sum(lengths)
    assert fast_bert.batches([]) == [] and fast_bert.batches([5000, 3]) == [[0], [1]]


def test_few_tokens_stay_together_and_more_are_shared_out_to_two_threads():
    assert fast_bert.batches([10] * 10) == [list(range(10))]
    assert fast_bert.batches([200] * 8) == [[0, 1, 2, 3], [4, 5, 6, 7]]


@pytest.fixture
def blas_threads(monkeypatch):
    """Stand in for a BLAS that uses two threads; gives the function that tells the number."""
    number = [2]
    monkeypatch.setattr(blas, "_blas", lambda: (lambda n: number.__setitem__(0, n), lambda: number[0]))
    return lambda: number[0]


def test_threads_give_results_in_order():
    with fast_bert.in_threads(lambda x: x * x, list(range(50))) as results:
        assert list(results) == [x * x for x in range(50)]


def test_one_blas_thread_meanwhile_and_afterwards_as_many_as_before(blas_threads):
    with fast_bert.in_threads(lambda x: blas_threads(), [1, 2, 3]) as results:
        assert list(results) == [1, 1, 1]
    assert blas_threads() == 2
    with fast_bert.in_threads(lambda x: blas_threads(), [1]) as results:  # for a single question, too
        assert list(results) == [1]
    with pytest.raises(ZeroDivisionError) as raised, fast_bert.in_threads(lambda x: 1 / x, [1, 0, 2]) as results:
        list(results)
    assert blas_threads() == 2 and raised.tb  # although the traceback, which a notebook keeps, holds all frames


def test_a_run_that_is_broken_off_leaves_no_thread_behind(model, blas_threads):
    started = []

    def take(vectors, mask):
        started.append(len(vectors))
        return vectors[:, 0]

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as raised:
        model.run(["red tent"] * 40_000, take, stop)
    before = len(started)
    assert before < len(fast_bert.batches([4] * 40_000)) and blas_threads() == 2 and raised.tb
    time.sleep(0.05)
    assert len(started) == before


def test_several_threads_at_once(model, blas_threads):
    """The first one to leave must not put the number back while others are at work, nor the last one forget to."""
    texts = TEXTS * 40
    expected, found, seen = model.best_logits(texts), [], []

    def work():
        for _ in range(5):
            found.append(model.best_logits(texts, lambda done, total: seen.append(blas_threads())))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 20 and all(np.abs(one - expected).max() < 1e-5 for one in found)
    assert set(seen) == {1} and blas_threads() == 2


def test_the_openblas_of_numpy_is_found_and_set():
    """Also that of NumPy 1.26, whose functions have other names."""
    found = blas._blas()
    if found is None:  # a NumPy with another library, as Apple's
        assert "openblas" not in np.show_config(mode="dicts")["Build Dependencies"]["blas"]["name"]
        return
    before = found[1]()
    with blas.one_blas_thread() as is_one:
        assert is_one and found[1]() == 1
    assert found[1]() == before


def test_a_library_without_these_functions_is_left_alone(monkeypatch):
    monkeypatch.setattr(blas, "OPENBLAS", ("no_{}_num_threads",))
    assert blas._blas.__wrapped__() is None


def test_without_openblas_one_thread_does_it(model, monkeypatch):
    before = model.best_logits(TEXTS * 40)
    monkeypatch.setattr(blas, "_blas", lambda: None)
    assert np.abs(model.best_logits(TEXTS * 40) - before).max() < 1e-5


# Damage


def changed(name, value):
    found = arrays()
    found[name] = value
    return found


def without(name):
    return {key: value for key, value in arrays().items() if key != name}


NORM, QUERY = "embeddings.LayerNorm.weight", "encoder.layer.1.attention.self.query.weight"


@pytest.mark.parametrize("found, sentence", [
    (without(QUERY), f"lacks the array '{QUERY}': it is of another model"),
    (without("embeddings.word_embeddings.weight"), "lacks the array 'embeddings.word_embeddings.weight'"),
    (without("cls.predictions.transform.dense.bias"), "lacks the array 'cls.predictions.transform.dense.bias'"),
    (changed(NORM, np.ones(13, np.float32)), rf"the array '{NORM}' has the shape \(13,\), not \(12,\)"),
    (changed(QUERY, np.ones((12, 1, 12), np.float32)), r"has the shape \(12, 1, 12\), not \(12, 12\)"),
    (changed(NORM, np.full(12, np.nan, np.float32)), f"the array '{NORM}' holds NaN or infinity: the file is damaged"),
    (changed(QUERY, np.full((12, 12), -np.inf, np.float32)), f"the array '{QUERY}' holds NaN or infinity")])
def test_arrays_that_do_not_fit_are_named(tmp_path, found, sentence):
    with pytest.raises(ValueError, match=f"{sentence}.*\\.$"):
        Bert(write(tmp_path / "model", found))


@pytest.mark.parametrize("change, sentence", [
    ({"hidden_size": None}, "config.json gives no hidden_size"), ({"vocab_size": 0}, "config.json gives no vocab_size"),
    ({"num_hidden_layers": "2"}, "config.json gives no num_hidden_layers"),
    ({"num_attention_heads": 5}, "config.json has 5 heads for 12 numbers, which can't be shared out evenly"),
    ({"hidden_act": "relu"}, "config.json asks for 'relu' between the layers; only gelu is known here"),
    ({"layer_norm_eps": 0}, "config.json has 0 for layer_norm_eps"),
    ({"num_hidden_layers": 3}, "lacks the array 'encoder.layer.2.attention.self.query.weight'"),
    ({"vocab_size": 30}, "The vocabulary has 25 pieces, and config.json says 30: they do not belong together")])
def test_a_configuration_that_does_not_fit_is_named(tmp_path, change, sentence):
    with pytest.raises(ValueError, match=sentence):
        Bert(write(tmp_path / "model", arrays(), {**CONFIG, **change}))


def test_damaged_files_are_named(folder):
    (folder / "config.json").write_text("[]", encoding="utf-8")
    with pytest.raises(ValueError, match="config.json gives no hidden_size"):
        Bert(folder)
    (folder / "config.json").write_text('{"hidden_size": 12', encoding="utf-8")
    with pytest.raises(ValueError, match="^config.json is damaged: it is not JSON.$"):
        Bert(folder)
    (folder / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(whole[:-50])
    with pytest.raises(ValueError, match="^model.safetensors is damaged .* the file is cut short.$"):
        Bert(folder)
    (folder / "model.safetensors").write_bytes(whole)
    (folder / "vocab.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match="^vocab.txt is damaged: it is not UTF-8.$"):
        Bert(folder)


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "vocab.txt"])
def test_missing_files_are_named(folder, name):
    (folder / name).unlink()
    with pytest.raises(FileNotFoundError, match=f"^There is no file .*{name}"):
        Bert(folder)


def test_older_names_and_a_vocabulary_inside_tokenizer_json(folder, model):
    found = {"bert." * (not name.startswith("cls")) + name.replace("LayerNorm.weight", "LayerNorm.gamma")
             .replace("LayerNorm.bias", "LayerNorm.beta"): array for name, array in arrays().items()}
    other = write(folder.parent / "older", {**found, "bert.pooler.dense.bias": np.ones(3, np.float32)})
    (other / "vocab.txt").unlink()
    ids = {piece: i for i, piece in enumerate(PIECES)}
    content = {"model": {"vocab": dict(sorted(ids.items()))}}
    (other / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")
    assert (Bert(other).token_vectors("red tent")[1] == model.token_vectors("red tent")[1]).all()
    (other / "tokenizer.json").write_text('{"model": {}}', encoding="utf-8")
    with pytest.raises(ValueError, match="^tokenizer.json is damaged: it holds no vocabulary.$"):
        Bert(other)


def test_a_model_without_the_head_says_so(tmp_path):
    model = Bert(write(tmp_path / "model", arrays(head=False)))
    for ask in (lambda: model.token_logits("red"), lambda: model.best_logits(["red"])):
        with pytest.raises(ValueError, match="^This model has no masked-language head; splade-tiny has one.$"):
            ask()


def test_without_the_files_the_encoder_says_how_to_get_them(monkeypatch):
    from firstprinciples import models

    monkeypatch.setattr(models, "files", lambda name: None)
    with pytest.raises(FileNotFoundError, match="python3 -m firstprinciples models"):
        MiniLM()


# The real one


@pytest.mark.models
def test_minilm_finds_what_is_owed(model_files):
    encoder = MiniLM(model_files("minilm"))
    rows = encoder.encode_passages(["The amount owing is due on May 3.", "Annual leave is 20 days.", "red tent"])
    question = encoder.encode_queries(["how much do we have to pay"])[0]
    assert rows.shape == (3, 384) and rows.dtype == np.float32
    assert np.abs(np.linalg.norm(rows, axis=1) - 1).max() < 1e-6
    assert (rows @ question).argmax() == 0
    assert encoder.encode_passages([]).shape == (0, 384) and encoder.encode_queries([]).dtype == np.float32


@pytest.mark.models
def test_minilm_token_vectors_make_the_row(model_files):
    encoder = MiniLM(model_files("minilm"))
    for side, encode in (("query", encoder.encode_queries), ("passage", encoder.encode_passages)):
        tokens, vectors = encoder.token_vectors("invoice E_4432 is not paid", side)
        assert tokens[:6] == ["[CLS]", "in", "##vo", "##ice", "e", "_"]
        mean = vectors.mean(axis=0)
        assert np.abs(mean / np.linalg.norm(mean) - encode(["invoice E_4432 is not paid"])[0]).max() < 1e-6


@pytest.mark.models
def test_minilm_alone_in_a_batch_and_cut(model_files):
    encoder = MiniLM(model_files("minilm"))
    texts = ["tent " * n for n in (1, 300, 2, 40, 254, 255, 7, 120)] + [""]
    together = encoder.encode_passages(texts * 3)
    assert encoder.cut == 6  # 300 and 255 words, three times
    for text, row in zip(texts, together, strict=False):
        assert np.abs(encoder.encode_passages([text])[0] - row).max() < 1e-6


@pytest.mark.models
def test_yours_drives_the_real_encoder(model_files):
    encoder = MiniLM(model_files("minilm"))
    texts = ["how much do we owe", "a red tent"]
    before = encoder.encode_queries(texts)
    with use("bert.gelu", lambda x: x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2):
        nearly = encoder.encode_queries(texts)
    with use("bert.gelu", lambda x: np.maximum(x, 0)):
        far = encoder.encode_queries(texts)
    assert 1e-6 < np.abs(nearly - before).max() < 5e-3 < np.abs(far - before).max()
    assert (encoder.encode_queries(texts) == before).all()


def test_the_checks_of_a_model_stand_in_one_place():
    assert bert_files.SIZES == ("hidden_size", "intermediate_size", "vocab_size", "max_position_embeddings",
                                "type_vocab_size", "num_hidden_layers", "num_attention_heads")
