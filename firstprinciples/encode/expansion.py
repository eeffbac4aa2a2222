"""A toy expansion model: it learns from pairs which words to add to a text, so that it is found under them.

The problem. "When is the bill due?" and "An invoice is to be paid within thirty days" share no word that says anything.
If the passage were also filed under "bill", the question would find it through the index. Which words to add is
learned, from pairs of a question and a passage that answers it.

The model is as small as it can be and still learn. Each word i of a text gives each word j of the vocabulary a logit:

    logit_ij = table_i . output_j + bias_j                      is j worth adding where i stands?
               + own_i, where j is i                            and how much is i worth itself?
    w_j      = max over the words i of the text of log(1 + relu(logit_ij))          `splade.term_weights`
    score    = sum over j of w_j(question) * w_j(passage)  / temperature
    loss     = in-batch softmax loss of the scores + lambda * (FLOPS of the questions + FLOPS of the passages)

Unlike BERT it looks at each word alone, so "bank" adds the same words beside a river as beside money: a stand-in for
`encode.splade_tiny`, small enough to be trained while one waits. At first each word has its own logit, 1, and the rest
are random numbers near 0, half of them above it: nearly every text has nearly every word. FLOPS then takes away what
does not pay. Words that no training pair holds can't be expanded: such a word keeps a literal weight of log(1 + 1), the
one that every word began with, and is added to nothing.

Going back: of each w_j only the word that was the largest moves, by 1 / (1 + logit) = exp(-w_j), where w_j is above 0.
The functions of the penalty and of the weights are those of lesson 14, in `retrieve.splade`. They are asked for by the
name of their task when they are needed, so that yours take part; those of the loss and of Adam stand in
`encode.biencoder`. Source: that of `retrieve.splade`; the model and its training are this course's own.

    model, training, held_out = untrained()
    for state in model.train(training, held_out=held_out):      # an `Expanding` after each step
        ...
    expander()                                                  # trained to the end, by data/pairs/make_expansion.py
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from firstprinciples.encode.biencoder import adam_step, in_batch_loss, repeated_positives, scores_gradient
from firstprinciples.encode.learners import given, texts_in
from firstprinciples.encode.pairs import PAIRS, read_pairs, vocabulary
from firstprinciples.encode.stored import BROKEN
from firstprinciples.index import named
from firstprinciples.swap import in_use, split_name
from firstprinciples.text import tokenize

# Chosen on training topics only, as data/SOURCES.md says.
DIM, SCALE, OWN, EPOCHS, BATCH, RATE, TEMPERATURE, LAMBDA = 32, 0.05, 1.0, 8, 32, 0.006, 0.1, 3.0
RISE = 0.5  # the lambda is raised during the first half of the steps
UNSEEN = float(np.log1p(OWN))  # the weight of a word that no training pair holds
LAMBDAS = (0.0, 0.3, 1.0, 3.0, 10.0, 30.0)  # what lesson 14's dial can be set to; tests/benchmarks/bench_splade.py
FILE = PAIRS / "expansion.npz"


def lesson(name: str):
    """Return a function of lesson 14 as it is now, the course's own or yours: lesson("flops") is `splade.flops`."""
    module, function = split_name(f"splade.{name}")
    return getattr(module, function)


def _by_task(name: str, shape: tuple, *arguments) -> np.ndarray:
    """Return what a function of lesson 14 gives; name it in whatever it raises, and where it gives another shape."""
    with named(f"splade.{name}"):
        value = lesson(name)(*arguments)
    return given(f"splade.{name}", value, shape)


def word_logits(weights: dict, words: np.ndarray) -> np.ndarray:
    """Return what each of some words says of every word of the vocabulary, (n, words): row by row as above.

    `weights` are {"table": (words, d), "output": (d, words), "bias": (words,), "own": (words,)}; `words` are rows of
    the table, each once.

    >>> weights = {"table": np.eye(2), "output": np.eye(2), "bias": np.zeros(2), "own": np.array([0.5, 3.0])}
    >>> word_logits(weights, np.array([1])).tolist()
    [[0.0, 4.0]]
    """
    logits = weights["table"][words] @ weights["output"] + weights["bias"]
    logits[np.arange(len(words)), words] += weights["own"][words]
    return logits


def pool(logits: np.ndarray, texts: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights of texts, (texts, words), and which row of `logits` each came from, of the same shape.

    `texts` are lists of rows of `logits`, which has one for each word of a batch. The maximum is taken before the
    logarithm, which gives the same; while a `term_weights` of yours is in use, it gives the weights. A text without
    words has the weights 0.

    >>> weights, rows = pool(np.array([[0.0, 1.0], [3.0, -1.0]]), [[0, 1], [1]])
    >>> weights.round(2).tolist(), rows.tolist()
    ([[1.39, 0.69], [1.39, 0.0]], [[1, 0], [1, 1]])
    """
    best, rows = np.zeros((len(texts), logits.shape[1]), logits.dtype), np.zeros((len(texts), logits.shape[1]), int)
    for place, text in enumerate(texts):
        if text:
            some, text = logits[text], np.array(text)
            winner = some.argmax(axis=0)
            rows[place], best[place] = text[winner], np.take_along_axis(some, winner[None], axis=0)[0]
    weights = np.log1p(np.maximum(best, 0))
    if "splade.term_weights" in in_use():
        for place, text in enumerate(texts):
            with named("splade.term_weights"):
                pooled = lesson("term_weights")(logits[text], np.ones(len(text), dtype=bool))
            weights[place] = given("splade.term_weights", pooled, weights.shape[1:])
    return weights, rows


def pool_gradient(gradient: np.ndarray, weights: np.ndarray, rows: np.ndarray, n: int) -> np.ndarray:
    """Say how the loss changes with the n rows of logits, from how it changes with the weights that `pool` gave.

    `gradient`, `weights` and `rows` are (texts, words). Returns (n, words): a weight above 0 passes its gradient, times
    exp(-weight), on to the one logit that it came from.

    >>> pool_gradient(np.array([[8.0, 5.0]]), np.array([[np.log(4), 0.0]]), np.array([[1, 0]]), n=2).round(9).tolist()
    [[0.0, 0.0], [2.0, 0.0]]
    """
    there = weights > 0
    words = weights.shape[1]
    cells = (rows * words + np.arange(words))[there]
    total = np.bincount(cells, (gradient * np.exp(-weights))[there], minlength=n * words)
    return total.reshape(n, words).astype(weights.dtype)


def loss_and_gradients(weights: dict, questions: list[list[int]], passages: list[list[int]], masked: np.ndarray,
                       lambdas: tuple[float, float] = (0.0, 0.0), temperature: float = TEMPERATURE):
    """Go forward and back on one batch: ({"loss", "flops", "terms"}, scores (n, n), {name: gradient}).

    `questions` and `passages` are n lists of rows of the table, no row twice in a list; `masked` (n, n) marks repeated
    positives; `lambdas` are those of the questions and of the passages. "loss" holds the penalties; "flops", and
    "terms", the mean number of weights above 0, are each (of the questions, of the passages).
    """
    n = len(questions)
    words = np.array(sorted({word for text in questions + passages for word in text}), dtype=int)
    place = {word: row for row, word in enumerate(words.tolist())}
    pooled, rows = pool(word_logits(weights, words), [[place[word] for word in text] for text in questions + passages])
    sides = pooled[:n], pooled[n:]
    scores = sides[0] @ sides[1].T / temperature
    costs = [float(_by_task("flops", (), side)) for side in sides]
    loss = float(given("biencoder.in_batch_loss", in_batch_loss(scores, masked), ()))

    back = given("biencoder.scores_gradient", scores_gradient(scores, masked), scores.shape) / temperature
    penalties = [_by_task("flops_gradient", side.shape, side) for side in sides]
    gradient = np.concatenate([back @ sides[1] + lambdas[0] * penalties[0],
                               back.T @ sides[0] + lambdas[1] * penalties[1]])
    of_logits = pool_gradient(gradient.astype(pooled.dtype), pooled, rows, len(words))
    gradients = {name: np.zeros_like(values) for name, values in weights.items()}
    gradients["table"][words] = of_logits @ weights["output"].T
    gradients["output"] = weights["table"][words].T @ of_logits
    gradients["bias"] = of_logits.sum(axis=0)
    gradients["own"][words] = of_logits[np.arange(len(words)), words]
    told = {"loss": loss + lambdas[0] * costs[0] + lambdas[1] * costs[1], "flops": tuple(costs),
            "terms": tuple(float((side > 0).sum(axis=1).mean()) for side in sides)}
    return told, scores, gradients


class Expanding(NamedTuple):
    """What a step of training did; all but `recall` are those of its batch, just before the step."""

    step: int  # 1 after the first step
    steps: int  # how many there will be in all
    loss: float  # with the penalties
    flops: tuple[float, float]  # of the questions, of the passages
    terms: tuple[float, float]  # the mean number of terms with a weight: of a question, of a passage
    lambda_now: float  # on its way up to the one that was asked for
    scores: np.ndarray  # (n, n), divided by the temperature
    recall: float | None  # recall@10 on the held-out pairs, every so many steps and after the last


class Expander:
    """The four weights, and what encodes with them and trains them. New, it is random and not trained.

    `words` are the words it knows. `lambda_` is that of its training. It is a sparse encoder, as `Splade` wants one.

    >>> model = Expander(["bill", "invoice"], dim=4)
    >>> sorted(model.encode_queries(["Bill! Zzyx?"])[0])[-1], model.terms_of("Bill! Zzyx?")
    ('zzyx', ['bill', 'zzyx'])
    """

    name = "toy"

    def __init__(self, words: list[str], dim: int = DIM, seed: int = 0):
        self.words = list(words)
        self.row = {word: row for row, word in enumerate(self.words)}
        if not self.words or len(self.row) < len(self.words):
            raise ValueError("An expansion model needs words, each of them once.")
        draw, n = np.random.default_rng(seed), len(self.words)
        weights = {"table": SCALE * draw.standard_normal((n, dim)), "output": SCALE * draw.standard_normal((dim, n)),
                   "bias": np.zeros(n), "own": np.full(n, OWN)}
        self.weights = {name: values.astype(np.float32) for name, values in weights.items()}
        self.dim, self.seed, self.lambda_ = dim, seed, 0.0

    def ids(self, text: str) -> list[int]:
        """Return the rows of the different known words of a text, in the order in which they come."""
        return [self.row[word] for word in dict.fromkeys(tokenize(text)) if word in self.row]

    def terms_of(self, text: str) -> list[str]:
        """Return the words of a text, in order."""
        return tokenize(text)

    def encode_queries(self, texts: list[str]) -> list[dict[str, float]]:
        """Return {term: weight} for each text, weights above 0, the known words first; each text by itself."""
        out = []
        for text in texts_in(texts):
            ids = self.ids(text)
            row = pool(word_logits(self.weights, np.array(ids, dtype=int)), [list(range(len(ids)))])[0][0]
            terms = np.flatnonzero(row > 0)
            known = zip((self.words[i] for i in terms.tolist()), row[terms].tolist(), strict=True)
            out.append(dict(known) | {word: UNSEEN for word in tokenize(text) if word not in self.row})
        return out

    encode_passages = encode_queries

    def expansions(self, word: str, n: int = 10) -> dict[str, float]:
        """Return the n terms that a single word is filed under most firmly, the heaviest first."""
        return lesson("strongest")(self.encode_queries([word])[0], n)

    def measure(self, pairs: list[dict], k: int = 10) -> dict[str, float]:
        """Return {"recall", "terms_questions", "terms_passages", "flops"} on pairs.

        recall is the share of questions whose own passage is among the k best of the pool, the passages of all these
        pairs, ties by position; one that scores 0 is not found. flops is how many products of two weights a question
        costs against one passage.
        """
        sides = {side: self.encode_queries([pair[side] for pair in pairs]) for side in ("question", "passage")}
        terms = dict.fromkeys(term for rows in sides.values() for row in rows for term in row)
        column = {term: i for i, term in enumerate(terms)}
        dense = {side: np.zeros((len(pairs), len(column))) for side in sides}
        for side, rows in sides.items():
            for i, row in enumerate(rows):
                dense[side][i, [column[term] for term in row]] = list(row.values())
        scores = dense["question"] @ dense["passage"].T
        own, before = np.diagonal(scores)[:, None], np.tri(len(pairs), k=-1, dtype=bool)
        places = ((scores > own) | ((scores == own) & before)).sum(axis=1)
        counts = {side: (rows > 0).mean(axis=0) for side, rows in dense.items()}
        return {"recall": float(((places < k) & (own[:, 0] > 0)).mean()),
                **{f"terms_{side}s": float(count.sum()) for side, count in counts.items()},
                "flops": float(counts["question"] @ counts["passage"])}

    def train(self, pairs: list[dict], lambda_: float = LAMBDA, epochs: int = EPOCHS, batch: int = BATCH,
              rate: float = RATE, held_out: list[dict] = (), every: int = 52):
        """Train on pairs from the beginning, and yield an `Expanding` after each step; leave the loop to stop.

        `lambda_` is the weight of both penalties once it is fully raised. `held_out` pairs are measured every `every`
        steps and after the last, never learned from. Raises ValueError for settings that cannot be.
        """
        pairs, held_out = list(pairs), list(held_out)
        if len(pairs) < batch or batch < 1 or epochs < 0 or not rate > 0 or not 0 <= lambda_ < np.inf:
            raise ValueError(f"There are {len(pairs)} pairs, batch is {batch}, epochs {epochs}, rate {rate} and lambda "
                             f"{lambda_}: a batch needs so many pairs, a rate above 0, and a lambda from 0.")
        self.lambda_, steps = float(lambda_), epochs * (len(pairs) // batch)
        ids = {side: [self.ids(pair[side]) for pair in pairs] for side in ("question", "passage")}
        m, v = ({name: np.zeros_like(values) for name, values in self.weights.items()} for _ in range(2))
        for step in range(steps):
            epoch, place = divmod(step, len(pairs) // batch)
            order = np.random.default_rng([self.seed, epoch]).permutation(len(pairs))
            chosen = order[place * batch : (place + 1) * batch]
            masked = np.asarray(repeated_positives([pairs[i]["passage"] for i in chosen]), dtype=bool)
            now = float(_by_task("ramp", (), step, max(1, int(RISE * steps)), self.lambda_))
            sides = [[ids[side][i] for i in chosen] for side in ids]
            told, scores, gradients = loss_and_gradients(self.weights, *sides, masked, (now, now))
            for name, gradient in gradients.items():
                moved = adam_step(self.weights[name], gradient, m[name], v[name], step + 1, rate)
                moved = given("biencoder.adam_step", moved, (3, *gradient.shape)).astype(np.float32)
                self.weights[name], m[name], v[name] = moved
            last = step + 1 == steps
            recall = self.measure(held_out)["recall"] if held_out and ((step + 1) % every == 0 or last) else None
            yield Expanding(step + 1, steps, told["loss"], told["flops"], told["terms"], now, scores, recall)

    def kept(self) -> dict[str, np.ndarray]:
        """Return the weights as they are stored, float16: half the bytes, three digits."""
        return {name: values.astype(np.float16) for name, values in self.weights.items()}


def untrained() -> tuple[Expander, list[dict], list[dict]]:
    """Return what `expander` was made from: the model before its first step, the training pairs and the held-out pairs.

    >>> model, training, held_out = untrained()
    >>> len(model.words) > 3000, len(training) > len(held_out)
    (True, True)
    """
    training, held_out = read_pairs()
    return Expander(vocabulary(training)), training, held_out


@cache
def expander() -> Expander:
    """Return the model that was trained on the pairs of data/pairs/ and stored in data/pairs/expansion.npz.

    >>> [row] = expander().encode_queries(["invoice"])
    >>> row["invoice"] > 0
    True
    """
    try:
        with open(FILE, "rb") as opened, np.load(opened, allow_pickle=False) as file:
            kept = {name: file[name] for name in file.files}
        model = Expander(kept["words"].tobytes().decode("utf-8").split("\n"), kept["table"].shape[1])
        whole = all(kept[name].shape == values.shape and kept[name].dtype.kind == "f" and np.isfinite(kept[name]).all()
                    for name, values in model.weights.items())
    except BROKEN:
        whole = False
    if not whole:
        raise ValueError(f"{FILE} is missing or damaged; take it from a whole clone of the repository.")
    model.weights = {name: kept[name].astype(np.float32) for name in model.weights}
    model.lambda_ = LAMBDA
    return model
