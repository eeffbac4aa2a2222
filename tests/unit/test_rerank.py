"""Reranking: the formulas by value and by loops, gradients by differences, the cross-encoder, and two stages as one."""

import importlib.util
import math
import random

import numpy as np
import pytest

from firstprinciples.corpus import Chunk, Collection
from firstprinciples.encode.biencoder import BiEncoder
from firstprinciples.encode.pairs import PAIRS, read_pairs, vocabulary
from firstprinciples.rank import cross_encoder, cross_training, rerank
from firstprinciples.rank.cross_encoder import CENTERS, FEATURES, WIDTH, CrossEncoder, cross, loss_and_gradients
from firstprinciples.rank.fusion import Hybrid
from firstprinciples.rank.rerank import (
    Candidate,
    Reading,
    Reranked,
    ceiling,
    logistic_gradient,
    logistic_loss,
    sigmoid,
    soft_counts,
    tokens_read,
    word_similarities,
)
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.swap import use

DRAW = np.random.default_rng(8)


def numeric(function, values, h=1e-6):
    """Return the gradient of a function of an array by central differences."""
    out = np.zeros_like(values)
    for place in np.ndindex(*values.shape):
        up, down = values.copy(), values.copy()
        up[place] += h
        down[place] -= h
        out[place] = (function(up) - function(down)) / (2 * h)
    return out


# Kernels


def counted_by_loops(similarities, centers, width):
    """Return what `soft_counts` says in words, one number at a time."""
    counts = []
    for center in centers:
        total = 0.0
        for row in similarities:
            near = 0.0
            for cosine in row:
                near += math.exp(-((cosine - center) ** 2) / (2 * width**2))
            total += math.log(1 + near)
        counts.append(total)
    return counts


def test_soft_counts_are_the_loops():
    for _ in range(20):
        m, n, k = DRAW.integers(0, 6, 3)
        table, centers = DRAW.uniform(-1, 1, (m, n)), DRAW.uniform(-1, 1, k)
        assert soft_counts(table, centers, 0.1) == pytest.approx(counted_by_loops(table, centers, 0.1), rel=1e-12)
        assert soft_counts(table, centers, 0.1).shape == (k,)


def test_word_similarities_with_zeros_long_and_short_rows_and_none():
    question, chunk = np.array([[1e200, 0.0], [0.0, 0.0], [1.0, 1.0]]), np.array([[1e-200, 0.0], [0.0, -2.0]])
    assert word_similarities(question, chunk) == pytest.approx(np.array([[1, 0], [0, 0], [2**-0.5, -(2**-0.5)]]))
    assert word_similarities(np.zeros((0, 2)), chunk).shape == (0, 2)
    assert word_similarities(question, np.zeros((0, 2))).shape == (3, 0)


# The loss


@pytest.mark.filterwarnings("error")
def test_sigmoid_and_loss_are_stable_far_out():
    assert sigmoid(np.array([-1000.0, 0.0, 1000.0])).tolist() == [0, 0.5, 1]
    assert sigmoid(-1000) == 0 and sigmoid(np.zeros((2, 3))).shape == (2, 3)
    assert logistic_loss([1000.0, -1000.0], [1, 0]) == 0
    assert logistic_loss([1000.0, -1000.0], [0, 1]) == 1000
    assert logistic_gradient([1000.0, -1000.0], [0, 1]).tolist() == [0.5, -0.5]
    assert sigmoid(8.1) == pytest.approx(0.999696553)  # 8.1 is a logit, and no probability


def test_the_loss_is_the_cross_entropy():
    logits, labels = DRAW.uniform(-5, 5, 40), DRAW.integers(0, 2, 40)
    shares = 1 / (1 + np.exp(-logits))
    expected = -np.mean(labels * np.log(shares) + (1 - labels) * np.log(1 - shares))
    assert logistic_loss(logits, labels) == pytest.approx(expected, rel=1e-12)


def test_the_gradient_of_the_loss_by_finite_differences():
    logits, labels = DRAW.uniform(-3, 3, 17), DRAW.integers(0, 2, 17)
    by_differences = numeric(lambda changed: logistic_loss(changed, labels), logits)
    assert logistic_gradient(logits, labels) == pytest.approx(by_differences, rel=1e-5)


def test_the_gradient_of_the_weights_by_finite_differences():
    features, labels = DRAW.uniform(-1, 2, (23, 8)), DRAW.integers(0, 2, 23)
    weights = {"bias": np.array(-0.3), "features": DRAW.uniform(-1, 1, 8)}
    _, gradients = loss_and_gradients(weights, features, labels)
    for name, values in weights.items():
        by_differences = numeric(lambda changed, name=name: loss_and_gradients(
            weights | {name: changed}, features, labels)[0], values)
        assert gradients[name] == pytest.approx(by_differences, rel=1e-5), name


# The list


def test_rerank_takes_the_first_depth_and_breaks_ties_by_id():
    ranked = [("b", 9.0), ("a10", 8.0), ("a9", 7.0), ("z", 6.0)]
    scores = {"a9": 1.0, "b": 1.0, "a10": 1.0, "z": 50.0}
    assert rerank.rerank(ranked, scores, 3) == [("a10", 1.0), ("a9", 1.0), ("b", 1.0)]
    assert rerank.rerank(ranked, scores, 99)[0] == ("z", 50.0) and rerank.rerank([], {}, 5) == []
    assert ranked[0] == ("b", 9.0)
    with pytest.raises(ValueError, match="^The candidate 'a9' has no new score; score all of the first 3.$"):
        rerank.rerank(ranked, {"a10": 1, "b": 2}, 3)
    with pytest.raises(ValueError, match="finite"):
        rerank.rerank(ranked, {"a10": math.nan, "b": 2}, 2)
    with pytest.raises(ValueError, match="^depth is 0; it must be 1 or more"):
        rerank.rerank(ranked, scores, 0)


def test_recall_is_never_raised_at_the_depth():
    draw = random.Random(4)
    for _ in range(50):
        ids = [f"d{i}" for i in draw.sample(range(30), 20)]
        relevant, depth = set(draw.sample([f"d{i}" for i in range(30)], 5)), draw.randint(1, 20)
        found = rerank.rerank([(id, 0.0) for id in ids], {id: draw.random() for id in ids}, depth)
        share = len(relevant & {id for id, _ in found}) / 5
        assert share == ceiling(ids, relevant, depth)
        assert all(ceiling([id for id, _ in found], relevant, k) <= share for k in range(1, 25))


def test_ceiling_and_tokens():
    assert ceiling(["a", "a", "b"], ["a", "b", "b"], 2) == 0.5 and ceiling(["a"], [], 1) == 0 == ceiling([], {"a"}, 3)
    assert tokens_read([600] * 50, 20, 512) == 25_600 and tokens_read([], 20, 512) == 0
    assert tokens_read([491, 492, 493], 20, 512) == 511 + 512 + 512


# The cross-encoder


@pytest.fixture(scope="module")
def model():
    return cross()


def test_the_logit_is_the_formula(model):
    """Features by their formulas, from words and vectors, with nothing of the class's own reading."""
    question, text = "Are invoices of 2024-03 paid?", "Paid invoice of May. The bill 2024-03 is paid."
    asked = ["invoices", "2024-03", "2024", "03", "paid"]
    read = ["paid", "invoice", "may", "bill", "2024-03", "2024", "03", "paid"]
    pair, = model.pairs(question, [text])
    assert (pair.question, pair.chunk, pair.cut) == (asked, read, False)
    assert pair.tokens == 7 + 11  # all words count here
    table = model.encoder.weights["table"]
    rows = {word: table[model.encoder.row[word]] if word in model.encoder.row else None for word in asked + read}
    for i, one in enumerate(asked):
        for j, two in enumerate(read):
            if cross_encoder.stems([one]) == cross_encoder.stems([two]):
                expected = 1.0
            elif rows[one] is None or rows[two] is None:
                expected = 0.0
            else:
                expected = rows[one] @ rows[two] / np.linalg.norm(rows[one]) / np.linalg.norm(rows[two])
            assert pair.similarities[i, j] == pytest.approx(expected)
    assert pair.features[2:] == pytest.approx(counted_by_loops(pair.similarities, CENTERS, WIDTH))
    rare = {word: model.rarity.get(word, model.unseen) for word in ["invoic", "2024-03", "2024", "03", "paid"]}
    norm = 1.2 * (0.25 + 0.75 * 11 / 80)
    total = sum(rare[word] * (2 if word == "paid" else 1) / ((2 if word == "paid" else 1) + norm) for word in rare)
    assert pair.features[0] == pytest.approx(total)
    assert set(pair.in_order) == {("2024-03", "2024"), ("2024", "03"), ("03", "paid")}
    logit = pair.features @ model.weights["features"] + model.weights["bias"]
    assert model.score(question, [text])[0] == pytest.approx(logit)


def test_parts_add_up_to_the_score(model):
    texts = ["The bill is due in May.", "", "the of", "zzyzx", "Due bills! " * 300, "初超過勤務の時間は"]
    for question in ["When is the bill due?", "", "what is the", "E_4432?"]:
        scores = model.score(question, texts)
        assert scores.dtype == np.float64 and np.isfinite(scores).all()
        for text, score in zip(texts, scores, strict=True):
            explained = model.explain(question, text)
            assert explained.total == pytest.approx(score, abs=1e-9)
            assert [part.name for part in explained.parts] == [*FEATURES, "bias"]
    assert model.score("bill", []).shape == (0,) and (model.read, model.cut) == (0, 0)


def test_a_question_of_stop_words_still_reads_its_words(model):
    assert model.pairs("who was that?", ["that"])[0].question == ["who", "was", "that"]


def test_company_and_order_change_nothing(model):
    texts = ["a bill", "sick leave of two days", "the outage", "bill due"]
    scores = model.score("bill for sick days", texts)
    assert [model.score("bill for sick days", [text])[0] for text in texts] == scores.tolist()
    assert model.score("bill for sick days", texts[::-1]).tolist() == scores[::-1].tolist()


def test_what_lies_beyond_the_limit_changes_nothing_and_is_said(model):
    few = CrossEncoder(model.rarity, model.encoder, limit=6)
    few.weights = model.weights
    whole = few.score("bill due", ["the bill of May"])
    assert (few.cut, few.read) == (0, 6)
    assert few.score("bill due", ["the bill of May due bill", "the bill of May bill due"]).tolist() == [whole[0]] * 2
    assert (few.cut, few.read) == (2, 12)
    assert "of this chunk only what fits into 6 words" in few.explain("bill due", "the bill of May due").parts[-1].note
    assert few.score("one two three four five six seven", ["six bills"]).shape == (1,) and few.cut == 1
    assert few.pairs("a b c d e f g", ["six"])[0].chunk == []


def test_it_reads_order_and_words_that_mean_the_same(model):
    one, two = model.score("paid sick days", ["paid sick days are eight", "days paid are sick eight"])
    assert one > two  # the same words, in another order: BM25 can't tell them apart
    assert model.pairs("invoice", ["bill"])[0].similarities[0, 0] > 0.3


@pytest.mark.parametrize("call, error, said", [
    (lambda m: m.score("a", "b"), TypeError, "^Give a list of texts, also for one text.$"),
    (lambda m: m.score("a", [3]), TypeError, "needs a string, not int"),
    (lambda m: m.score(None, ["a"]), TypeError, "needs a string, not NoneType"),
    (lambda m: CrossEncoder({}), ValueError, "^A cross-encoder needs the rarity of words"),
    (lambda m: CrossEncoder({"a": -1.0}), ValueError, "^A cross-encoder needs the rarity of words"),
    (lambda m: CrossEncoder(["a"]), ValueError, "^A cross-encoder needs the rarity of words"),
    (lambda m: CrossEncoder({3: 1.0}), ValueError, "^A cross-encoder needs the rarity of words"),
    (lambda m: CrossEncoder({"a": 1.0}, encoder="toy"), TypeError, "^This is no bi-encoder"),
    (lambda m: CrossEncoder({"a": 1.0}, encoder=BiEncoder), TypeError, "^This is no bi-encoder"),
    (lambda m: CrossEncoder({"a": 1.0}, limit=0), ValueError, "^limit is 0; it must be a whole number, 1 or more"),
    (lambda m: next(m.train(np.zeros((3, 7)), [1, 0, 0])), ValueError, r"^features has the shape \(3, 7\); 8 numbers"),
    (lambda m: next(m.train(np.zeros((0, 8)), [])), ValueError, "at least one"),
    (lambda m: next(m.train(np.zeros((2, 8)), [1, 2])), ValueError, "labels 1 or 0"),
    (lambda m: next(m.train(np.full((2, 8), np.nan), [1, 0])), ValueError, "finite"),
    (lambda m: next(m.train(np.zeros((2, 8)), [1, 0], rate=0)), ValueError, "^epochs is 20, batch 256, rate 0:")])
def test_what_cannot_be(model, call, error, said):
    with pytest.raises(error, match=said):
        call(model)


def test_a_learners_function_is_used_and_named(model):
    with use("rerank.soft_counts", lambda similarities, centers, width: None):
        with pytest.raises(ValueError, match=r'^soft_counts should give .* use\("rerank.soft_counts"\) puts'):
            model.score("bill", ["bill"])
    with use("rerank.word_similarities", lambda one, two: np.zeros((len(one), len(two)))):
        assert model.pairs("invoice", ["bill"])[0].similarities.tolist() == [[0.0]]
    with use("rerank.rerank", lambda ranked, new_scores, depth: [("zz", 1.0)]):
        with pytest.raises(ValueError, match="^rerank gave .* of the candidates"):
            Reranked(BM25(["bill"]), model).search("bill")


@pytest.mark.parametrize("name", ["soft_counts", "word_similarities", "tokens_read", "rerank"])
def test_what_raises_is_named(model, name):
    def raises(*_):
        raise ZeroDivisionError("by yours")

    with use(f"rerank.{name}", raises), pytest.raises(ZeroDivisionError) as caught:
        Reranked(BM25(["bill"]), model).search("bill")
    assert caught.value.__notes__ == [f'This was raised by {name}. use("rerank.{name}") puts the course\'s own back.']


@pytest.mark.parametrize("name", ["sigmoid", "logistic_loss", "logistic_gradient"])
@pytest.mark.parametrize("gives", [None, "ab", [1.0, 2.0], np.nan])
def test_in_training_the_right_function_is_named(model, name, gives):
    with use(f"rerank.{name}", lambda *_: gives), pytest.raises(ValueError, match=rf"^{name} should give") as caught:
        next(CrossEncoder(model.rarity).train(np.ones((3, 8)), [1, 0, 0]))
    assert f'use("rerank.{name}") puts' in str(caught.value) and not hasattr(caught.value, "__notes__")


# Training

FEW = [pair for pair in read_pairs()[0] if pair["topic"] in ("tents", "refunds-and-returns", "payroll", "hiring",
                                                             "budgets", "discounts")]
LOSS = 0.214  # of the stored model on the first part of the training set


@pytest.fixture(scope="module")
def few():
    """The training set of six topics, whose five tables are trained for one epoch only."""
    return cross_training.training_set(FEW, epochs=1)


def test_the_training_set_keeps_parts_apart(few):
    parts = cross_training.deal(FEW)
    assert sorted(len({pair["topic"] for pair in part}) for part in parts) == [1, 1, 1, 1, 2]
    topics = [{pair["topic"] for pair in part} for part in parts]
    assert sum(map(len, topics)) == len(set.union(*topics)) == 6
    held_out = {pair["topic"] for pair in read_pairs()[1]}
    assert not held_out & {pair["topic"] for pair in read_pairs()[0]}
    _, features, labels = few
    assert features.shape == (len(labels), 8) and labels.sum() == 3 * len(FEW) and (features >= 0).all()


def test_chunks_and_questions_of_pairs(model):
    draw = random.Random(1)
    chunks, place = cross_training.chunks_of(FEW, draw)
    assert all(pair["passage"] in chunks[place[pair["id"]]] for pair in FEW)
    assert sum(chunk.count("\n") + 1 for chunk in chunks) == len(FEW) > len(chunks)
    plain, few_words, row = cross_training.questions_of(FEW[0], model, draw)
    assert plain == FEW[0]["question"] and few_words.endswith(plain) and row.endswith(plain)
    words = row[: -len(plain)].split()
    assert 2 <= len(words) <= 4 and " ".join(words) in " ".join(model.words(FEW[0]["passage"]))


def test_training_lowers_the_loss_and_begins_anew(few):
    model, features, labels = few
    states = list(model.train(features, labels, epochs=3, batch=200))
    again = list(model.train(features, labels, epochs=3, batch=200))
    assert [state.step for state in states] == list(range(1, states[0].steps + 1))
    assert states[0].loss == pytest.approx(math.log(2)) and states[-1].loss < 0.45
    assert states[-1].weights.tolist() == again[-1].weights.tolist() == model.weights["features"].tolist()
    assert states[-1].weights[0] > 0


def test_the_script_stores_what_training_gives(few, tmp_path, monkeypatch, capsys):
    spec = importlib.util.spec_from_file_location("make_cross", PAIRS / "make_cross.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "HERE", tmp_path)
    module.main(FEW, epochs=1)
    said = capsys.readouterr().out.splitlines()
    assert said[0].endswith("432 of them right") and said[1].startswith("epoch 5: mean loss 0.") and "bias" in said[-1]
    model, features, labels = few
    *_, last = model.train(features, labels)
    stored = CrossEncoder.load(tmp_path / "cross.npz")
    assert stored.weights["features"].tolist() == last.weights.tolist() and stored.weights["bias"] == last.bias


def test_the_stored_model_fits_the_training_set():
    """The first of the five parts is made as make_cross.py does, with a table trained on the other four."""
    training = read_pairs()[0]
    first, *others = cross_training.deal(training)
    seen = [pair for part in others for pair in part]
    encoder = BiEncoder(vocabulary(seen))
    for _ in encoder.train(seen):
        pass
    stored, rarity = CrossEncoder.load(PAIRS / "cross.npz"), cross_training.rarities(training)
    assert stored.rarity == pytest.approx(rarity, rel=1e-6) and stored.unseen == pytest.approx(max(rarity.values()))
    features, labels = cross_training.examples(first, CrossEncoder(rarity, encoder))
    loss, gradients = loss_and_gradients(stored.weights, features, labels)
    assert loss == pytest.approx(LOSS, abs=0.001) and abs(gradients["bias"]) < 0.01
    logits = features @ stored.weights["features"] + stored.weights["bias"]
    assert sigmoid(logits).mean() == pytest.approx(labels.mean(), abs=0.01)  # it knows the share


# Stored files


def test_saved_and_loaded(model, tmp_path):
    model.save(tmp_path / "again.npz")
    loaded = CrossEncoder.load(tmp_path / "again.npz")
    texts = ["the bill", "due in May", "zzyzx"]
    assert loaded.score("bill due zzyzx", texts).tolist() == model.score("bill due zzyzx", texts).tolist()
    assert (PAIRS / "cross.npz").stat().st_size < 30_000


@pytest.mark.parametrize("changed", [
    {"features": np.zeros(7)}, {"features": None}, {"bias": np.array(np.nan)}, {"rarity": np.ones(3)},
    {"stems": np.array([], dtype="U1"), "rarity": np.array([], dtype=float)}], ids=str)
def test_a_damaged_file_is_named(model, tmp_path, changed):
    model.save(tmp_path / "spoiled.npz")
    with np.load(tmp_path / "spoiled.npz") as file:
        kept = {name: file[name] for name in file.files} | changed
    np.savez(tmp_path / "spoiled.npz", **{name: values for name, values in kept.items() if values is not None})
    with pytest.raises(ValueError, match=r"spoiled\.npz is no cross-encoder, or it is damaged"):
        CrossEncoder.load(tmp_path / "spoiled.npz")


def test_a_file_for_another_bi_encoder_and_none(tmp_path):
    with pytest.raises(ValueError, match="trained on the words of another bi-encoder; train it anew"):
        CrossEncoder.load(PAIRS / "cross.npz", BiEncoder(["a", "b"], dim=3))
    with pytest.raises(FileNotFoundError):
        CrossEncoder.load(tmp_path / "none.npz")


# Two stages as one retriever

PAGES = [Chunk(id, text) for id, text in [
    ("p9", "the invoice is open"), ("p10", "an open bill, an open door"), ("p1", "sick leave"), ("p2", "open"),
    ("p3", "open hours"), ("p4", "invoice of May")]]


class Length:
    """A reranker that likes short texts, and keeps what it was handed."""

    name, read, cut = "length", 7, 1

    def score(self, question, chunks):
        self.handed = list(chunks)
        return [-len(chunk.text) for chunk in chunks]


class Shuffled:
    """A retriever whose candidates come in another order each time."""

    ids, texts = [page.id for page in PAGES], [page.text for page in PAGES]

    def search(self, query, k=10):
        ids = random.sample(self.ids, len(self.ids))
        return [(id, 1.0) for id in ids[:k]]


def test_search_orders_the_candidates_anew():
    both = Reranked(BM25(PAGES), reranker := Length(), depth=4)
    candidates = [hit.id for hit in BM25(PAGES).search("open invoice", 4)]
    hits = both.search("open invoice", 99)
    assert sorted(hit.id for hit in hits) == sorted(candidates) and len(hits) == 4
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert [chunk.id for chunk in reranker.handed] == candidates
    assert reranker.handed[0] == Candidate(candidates[0], both.texts[candidates[0]])
    assert both.last == Reading(4, 7, 1) and both.search("open invoice", 2) == hits[:2]
    assert both.search("zzyzx") == [] and both.last == Reading(0, 0, 0)


def test_shuffling_the_candidates_changes_nothing(model):
    for reranker in (model, Length()):
        found = [Reranked(Shuffled(), reranker).search("open invoice", 6) for _ in range(8)]
        assert all(each == found[0] for each in found)


def test_equal_scores_are_ordered_by_id():
    class Equal:
        def score(self, question, chunks):
            return np.zeros(len(chunks), dtype=np.float32)

    both = Reranked(BM25(PAGES), Equal())
    assert [hit.id for hit in both.search("open invoice")] == ["p10", "p2", "p3", "p4", "p9"]
    assert both.last == Reading(5, None, None)


def test_texts_are_found_through_a_hybrid_and_handed_over(model):
    hybrid = Reranked(Hybrid([BM25(PAGES[:3]), BM25(PAGES[3:])]), model)
    assert hybrid.texts == {page.id: page.text for page in PAGES}
    assert Reranked(Reranked(BM25(PAGES), Length()), model).search("open", 1)

    class Bare:
        def search(self, query, k=10):
            return [("p1", 1.0), ("p7", 0.5)]

    with pytest.raises(ValueError, match="^Bare does not keep the texts of its chunks.*chunks="):
        Reranked(Bare(), model)
    with pytest.raises(ValueError, match="^There is no text of the candidate 'p7'"):
        Reranked(Bare(), model, chunks=PAGES).search("leave")
    assert Reranked(Bare(), model, depth=1, chunks=PAGES).search("leave")[0].id == "p1"
    strings = Reranked(BM25(["a tent", "a bill"]), model, chunks=["a tent", "a bill"])
    assert [hit.id for hit in strings.search("bill")] == ["1"]


def test_explanations_add_up_also_beyond_the_depth(model):
    both = Reranked(BM25(PAGES), model, depth=2)
    hits = both.search("open invoice")
    for hit in hits:
        explained = both.explain("open invoice", hit.id)
        assert explained.total == pytest.approx(hit.score, abs=1e-9)
        assert explained.parts[-1][:2] == ("first stage", 0.0) and "of 2 candidates" in explained.parts[-1].note
    beyond = both.explain("open invoice", "p1")
    assert beyond.total == pytest.approx(model.score("open invoice", ["sick leave"])[0])
    assert beyond.parts[-1].note.startswith("not among the 2 candidates")
    with pytest.raises(KeyError, match="There is no chunk 'p77'"):
        both.explain("open", "p77")
    plain = Reranked(BM25(PAGES), Length()).explain("open", "p2")
    assert plain.total == -4 and [part.name for part in plain.parts] == ["length", "first stage"]


def test_a_retriever_that_reranks_is_explained_by_id():
    class Other(BM25):
        def score(self, question, chunks):
            return [self.explain(question, chunk.id).total for chunk in chunks]

    both = Reranked(BM25(PAGES), Other(PAGES, b=0))
    hits = both.search("open invoice")
    assert both.explain("open invoice", hits[0].id).total == pytest.approx(hits[0].score)


@pytest.mark.parametrize("gives", [[1.0], [1.0, math.nan, 0.0, 2.0], None, "four", [[1.0]] * 4, np.zeros((4, 1)), 3.0,
                                   [True, math.inf, 0, 0]], ids=str)
def test_a_reranker_that_gives_something_else_is_named(gives):
    class Wrong:
        def score(self, question, chunks):
            return gives

    with pytest.raises(ValueError, match="^The reranker Wrong gave .* for 4 chunks; it should be one finite number"):
        Reranked(BM25(PAGES), Wrong(), depth=4).search("open invoice")


def test_what_cannot_be_reranked(model):
    with pytest.raises(TypeError, match="is no retriever"):
        Reranked(BM25, model)
    with pytest.raises(TypeError, match="is no reranker"):
        Reranked(BM25(PAGES), BM25(PAGES))
    for depth in (0, 2.5, True):
        with pytest.raises(ValueError, match="^depth is"):
            Reranked(BM25(PAGES), model, depth=depth)
    with pytest.raises(ValueError, match="^k is 0"):
        Reranked(BM25(PAGES), model).search("open", 0)

    with pytest.raises(ValueError, match="^The id 'a' is there twice"):
        Reranked(BM25(PAGES), model, chunks=[Chunk("a", "one"), Chunk("a", "two")])
    with pytest.raises(KeyError, match="There is no chunk"):
        Reranked(BM25(PAGES), model).explain("open", ["p1"])

    class Bare:
        texts = ["no ids"]

        def search(self, query, k=10):
            return []

    with pytest.raises(ValueError, match="^Bare does not keep the texts of its chunks"):
        Reranked(Bare(), model)

    class Odd(BM25):
        def search(self, query, k=10):
            return [("p1", math.nan)]

    with pytest.raises(ValueError, match="^Odd found .* which is no list of hits"):
        Reranked(Odd(PAGES), model).search("open")


# On the questions of Larkspur that may be looked at


def test_on_larkspurs_dev_questions_the_ceiling_holds(model):
    larkspur = Collection.load("larkspur")
    first = BM25(larkspur.chunks)
    both = Reranked(first, model, depth=20)
    for query in [query for query in larkspur.queries if query.split == "dev"][::5]:
        before, after = ({hit.id for hit in each.search(query.text, 20)} for each in (first, both))
        assert before == after and both.last.candidates == len(before)
