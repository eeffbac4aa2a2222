"""A bi-encoder: a model that learns to put a question near the passage that answers it.

The problem. "Reset my password" and "steps for credential recovery" share no word, so no counting of words brings them
together. A bi-encoder turns each text into a point, and learns from pairs (question, passage) where to put them.

The model is as small as it can be and still learn. Every word has a row of numbers in a table; a text is the mean of
its words' rows; one matrix turns questions, another one passages. Near means: the angle between the two is small.

    pooled(text) = mean of the rows of its words
    q            = pooled(question) Q, divided by its length        p = pooled(passage) P, divided by its length
    score(i, j)  = q_i . p_j / temperature                          the cosine of question i and passage j, stretched
    loss         = mean over i of  -ln( exp(score(i, i)) / sum over j of exp(score(i, j)) )

In a batch of n pairs each question has one right passage, its own, and n - 1 wrong ones: those of the other questions.
So the n x n matrix of scores should be large on its diagonal, and the loss says by how much it is not. Its gradient is
short enough to write by hand; below, a function for each step backward stands after the step forward.

Sources: in-batch negatives: M. Henderson et al., "Efficient Natural Language Response Suggestion for Smart Reply", 2017
(arXiv:1705.00652), and V. Karpukhin et al., "Dense Passage Retrieval for Open-Domain Question Answering", EMNLP 2020;
Adam: D. Kingma and J. Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015, Algorithm 1.

How it is used, and drawn while it learns:

    encoder, training, held_out = untrained()
    for state in encoder.train(training, held_out=held_out):    # a `Training` after each step: .step .loss .scores ...
        ...                                                     # here encoder.encode_queries(...) shows it as it is now

Leave the loop at any step; a new `train(...)` with the same settings goes on from there, to the same digits, also after
`save(path, resume=True)` and `BiEncoder.load(path)`. `toy()` is the model trained to the end, made by

    python data/pairs/make.py
"""

from numbers import Integral, Real
from pathlib import Path
from reprlib import aRepr as short
from typing import NamedTuple

import numpy as np

from firstprinciples.encode.learners import given, texts_in
from firstprinciples.encode.pairs import PAIRS, read_pairs, recall_at, vocabulary
from firstprinciples.index import cosine
from firstprinciples.text import tokenize

# Chosen on training topics only, as data/SOURCES.md says. The table begins small, SCALE, because a step
# of Adam is about as long as the rate: against large rows it would move nothing.
DIM, SCALE, EPOCHS, BATCH, RATE, TEMPERATURE = 64, 0.01, 8, 32, 0.003, 0.05


def mean_pool(table, ids: list[int]):
    """Return the mean of the rows of the table that belong to a text's words.

    `table` is (words, d), one row of numbers for each word; `ids` are the rows of the text's words, from 0. A word that
    stands twice counts twice. Returns a new array (d,); zeros when there are no words.
    Lesson 05, "Pooling".

    >>> mean_pool(np.array([[0.0, 2.0], [4.0, 6.0], [9.0, 9.0]]), [0, 1])
    array([2., 4.])
    """
    table = np.asarray(table)
    if len(ids) == 0:
        return np.zeros(table.shape[1])
    return table[ids].mean(axis=0)


def similarity_matrix(questions, passages, temperature: float):
    """Return the score of every question with every passage: their cosine divided by the temperature.

    `questions` (n, d) and `passages` (m, d) have rows of length 1, so that a dot product is a cosine. `temperature` is
    above 0; a small one stretches the scores. Returns (n, m): row i, column j is question i with passage j.
    Lesson 05, "The matrix".

    >>> similarity_matrix(np.array([[0.6, 0.8]]), np.array([[1.0, 0.0], [0.6, 0.8]]), temperature=0.5)
    array([[1.2, 2. ]])
    """
    return np.asarray(questions) @ np.asarray(passages).T / temperature


def repeated_positives(passages: list[str]):
    """Mark where the right passage of another pair is the same text, and so is not wrong here.

    `passages` are the n passages of a batch. Returns (n, n) of True and False: True at row i, column j if j is not i
    and passage j is the same text as passage i. What is marked is left out of the sum over wrong passages.
    Lesson 05, "The matrix".

    >>> repeated_positives(["Pay by May.", "Call the desk.", "Pay by May."]).tolist()
    [[False, False, True], [False, False, False], [True, False, False]]
    """
    return np.array([[i != j and own == other for j, other in enumerate(passages)] for i, own in enumerate(passages)])


def in_batch_softmax(scores, masked=None):
    """Turn each question's row of scores into shares that add up to 1: exp(score) over the row's sum of exp.

    `scores` is (n, m); `masked`, if given, is (n, m) of True and False: what is True gets the share 0 and no part in
    the sum. Scores may be large, as 5 / 0.005: take the row's largest away first, which changes no share.
    Lesson 05, "The loss".

    >>> in_batch_softmax(np.array([[0.0, 0.0], [1000.0, 0.0]])).tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """
    scores = np.asarray(scores, dtype=float)
    if masked is not None:
        scores = np.where(masked, -np.inf, scores)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def in_batch_loss(scores, masked=None) -> float:
    """Return the mean over the questions of -ln(share of the right passage), which stands on the diagonal.

    `scores` and `masked` are as for `in_batch_softmax`, (n, m) with m at least n: passage i is right for question i,
    and what stands beyond column n is wrong for all. Returns 0.0 for a batch of one, ln n where all n scores of a row
    are equal. A share too small for a float is no reason for infinity: -ln(share) is ln(sum of exp) less the score.
    Lesson 05, "The loss".

    >>> round(in_batch_loss(np.array([[2.0, 1.0], [1.0, 2.0]])), 4)
    0.3133
    """
    scores = np.asarray(scores, dtype=float)
    if masked is not None:
        scores = np.where(masked, -np.inf, scores)
    largest = scores.max(axis=1)
    sums = largest + np.log(np.exp(scores - largest[:, None]).sum(axis=1))
    return float(np.mean(sums - np.diagonal(scores)))


def scores_gradient(scores, masked=None):
    """Say how the loss changes with each score: (share - 1 on the diagonal, else share) / n.

    `scores` (n, m) and `masked` are as for `in_batch_loss`. Returns (n, m). Each row adds up to 0: what pulls the right
    passage nearer pushes the wrong ones away, the likeliest most.
    Lesson 05, "The gradient".

    >>> scores_gradient(np.array([[3.0, 3.0], [3.0, 3.0]])).tolist()
    [[-0.25, 0.25], [0.25, -0.25]]
    """
    gradient = given("biencoder.in_batch_softmax", in_batch_softmax(scores, masked), np.shape(scores))
    n = len(gradient)
    gradient[np.arange(n), np.arange(n)] -= 1
    return gradient / n


def vectors_gradient(gradient, questions, passages, temperature: float):
    """Say how the loss changes with the vectors, from how it changes with the scores.

    `gradient` (n, m) is that of the scores; `questions` (n, d), `passages` (m, d) and `temperature` are what
    `similarity_matrix` had. Returns (gradient of the questions (n, d), gradient of the passages (m, d)). A question is
    moved by all passages, each as much as its score counts, and a passage by all questions.
    Lesson 05, "The gradient".

    >>> of_questions, of_passages = vectors_gradient(
    ...     np.array([[-0.5, 0.5]]), np.array([[1.0, 0.0]]), np.array([[0.0, 1.0], [1.0, 0.0]]), temperature=0.5)
    >>> of_questions.tolist(), of_passages.tolist()
    ([[1.0, -1.0]], [[-1.0, 0.0], [1.0, 0.0]])
    """
    gradient = np.asarray(gradient) / temperature
    return gradient @ np.asarray(passages), gradient.T @ np.asarray(questions)


def normalize_gradient(vectors, gradient):
    """Say how the loss changes with the vectors before they got length 1, from how it changes with them after.

    Both are (n, d), and so is what comes back. Of each row's gradient the part along the vector is taken away, because
    a longer vector has the same direction; the rest is divided by the length. A zero vector has no direction: zeros.
    Lesson 05, "The gradient".

    >>> normalize_gradient(np.array([[2.0, 0.0]]), np.array([[5.0, 3.0]]))
    array([[0. , 1.5]])
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units, safe = cosine.normalize(vectors), np.where(lengths > 0, lengths, 1.0)
    along = np.sum(gradient * units, axis=1, keepdims=True) * units
    return np.where(lengths > 0, (gradient - along) / safe, 0.0)


def pool_gradient(gradient, ids: list[list[int]], rows: int):
    """Say how the loss changes with the table, from how it changes with the pooled texts.

    `gradient` is (n, d), `ids` the n texts' lists of words as for `mean_pool`, `rows` how many the table has. Returns
    (rows, d): each of a text's k words gets 1/k of the text's gradient, a word that stands twice gets it twice.
    Lesson 05, "The gradient".

    >>> pool_gradient(np.array([[4.0, 8.0]]), [[2, 0, 2, 2]], rows=3).tolist()
    [[1.0, 2.0], [0.0, 0.0], [3.0, 6.0]]
    """
    total = np.zeros((rows, np.shape(gradient)[1]))
    for row, words in zip(gradient, ids, strict=True):
        for word in words:
            total[word] += row / len(words)
    return total


def adam_step(values, gradient, m, v, step: int, rate: float, beta1: float = 0.9, beta2: float = 0.999,
              epsilon: float = 1e-8):
    """Move values a step downhill, with Adam: returns (new values, new m, new v), all of one shape.

    m is the running mean of the gradient, beta1 * m + (1 - beta1) * gradient, and v that of its square, with beta2.
    Both begin at 0 and are too small at first, so divide them by 1 - beta1^step and 1 - beta2^step; `step` is 1 the
    first time. Then subtract rate * m / (sqrt(v) + epsilon). The m and v returned are those before that division.
    Lesson 05, "A step".

    >>> values, m, v = adam_step(np.array([1.0]), np.array([4.0]), np.array([0.0]), np.array([0.0]), step=1, rate=0.1)
    >>> [round(float(x[0]), 4) for x in (values, m, v)]
    [0.9, 0.4, 0.016]
    """
    m = beta1 * np.asarray(m) + (1 - beta1) * np.asarray(gradient)
    v = beta2 * np.asarray(v) + (1 - beta2) * np.asarray(gradient) ** 2
    steps = rate * (m / (1 - beta1**step)) / (np.sqrt(v / (1 - beta2**step)) + epsilon)
    return np.asarray(values) - steps, m, v


def pool(table: np.ndarray, texts: list[list[int]]) -> np.ndarray:
    """Return `mean_pool` of each text, (n, d).

    >>> pool(np.array([[0.0, 2.0], [4.0, 6.0]]), [[0, 1], [1]]).tolist()
    [[2.0, 4.0], [4.0, 6.0]]
    """
    rows = [mean_pool(table, ids) for ids in texts]
    return given("biencoder.mean_pool", rows, (len(texts), table.shape[1])) if rows else np.zeros((0, table.shape[1]))


def loss_and_gradients(weights: dict, questions: list[list[int]], passages: list[list[int]], masked: np.ndarray,
                       temperature: float) -> tuple[float, np.ndarray, dict]:
    """Go through the model forward and back on one batch: (loss, scores, {name: gradient} for all three weights).

    `weights` are {"table": (words, d), "question": (d, d), "passage": (d, d)}; `questions` and `passages` are n lists
    of rows of the table; `masked` (n, n) marks repeated positives.

    >>> weights = {"table": np.eye(3), "question": np.eye(3), "passage": np.eye(3)}
    >>> loss, scores, gradients = loss_and_gradients(weights, [[0], [1]], [[0], [1, 2]], np.zeros((2, 2), bool), 1.0)
    >>> round(loss, 4), gradients["table"].shape
    (0.357, (3, 3))
    """
    texts, table = {"question": questions, "passage": passages}, weights["table"]
    shape = (len(questions), table.shape[1])
    pooled = {side: pool(table, texts[side]) for side in texts}
    projected = {side: pooled[side] @ weights[side] for side in texts}
    unit = {side: cosine.normalize(projected[side]) for side in texts}
    scores = similarity_matrix(unit["question"], unit["passage"], temperature)
    scores = given("biencoder.similarity_matrix", scores, (len(questions), len(passages)))
    loss = float(given("biencoder.in_batch_loss", in_batch_loss(scores, masked), ()))

    back = given("biencoder.scores_gradient", scores_gradient(scores, masked), scores.shape)
    back = vectors_gradient(back, unit["question"], unit["passage"], temperature)
    gradients = {"table": np.zeros(table.shape)}
    for side, gradient in zip(texts, given("biencoder.vectors_gradient", back, (2, *shape)), strict=True):
        gradient = given("biencoder.normalize_gradient", normalize_gradient(projected[side], gradient), shape)
        gradients[side] = pooled[side].T @ gradient
        of_table = pool_gradient(gradient @ weights[side].T, texts[side], len(table))
        gradients["table"] += given("biencoder.pool_gradient", of_table, table.shape)
    return loss, scores, gradients


class Training(NamedTuple):
    """What a step of training did: `loss`, `scores` and `masked` are those of its batch just before the step."""

    step: int  # 1 after the first step; counts on over epochs and pauses
    epoch: int  # 1 while the pairs are gone through for the first time
    steps: int  # how many there will be in all
    loss: float
    batch: np.ndarray  # (n,) positions in `pairs`
    scores: np.ndarray  # (n, n) cosines / temperature; row: question, column: passage
    masked: np.ndarray  # (n, n) of True and False: a passage that is right for this question, too
    recall: float | None  # recall@10 on the held-out pairs after this step, every so many steps and after the last


class BiEncoder:
    """The three weights, and what encodes with them and trains them. New, it is random and not trained.

    `words` are the different words it knows; any other is left out of a text, and a text of unknown words only becomes
    a zero vector. `dim` is the number of numbers in a vector. The table begins as random numbers, drawn from `seed`,
    both projections as the identity: so at first two texts are near only where they share words.

    >>> encoder = BiEncoder(["bill", "invoice", "owing"], dim=4)
    >>> encoder.encode_queries(["Bill!", "what?"]).round(2).tolist()[1]
    [0.0, 0.0, 0.0, 0.0]
    """

    name = "toy"

    def __init__(self, words: list[str], dim: int = DIM, seed: int = 0):
        self.words = list(words)
        self.row = {word: row for row, word in enumerate(self.words)}
        if not self.words or len(self.row) < len(self.words):
            raise ValueError("A bi-encoder needs words, each of them once.")
        if not isinstance(dim, Integral) or dim < 1:
            raise ValueError(f"dim is {dim}; a vector needs a whole number of numbers, at least 1.")
        self.dim, self.seed, self.step = dim, seed, 0
        self.weights = {"table": SCALE * np.random.default_rng(seed).standard_normal((len(self.words), dim)),
                        "question": np.eye(dim), "passage": np.eye(dim)}
        self.m = {name: np.zeros_like(values) for name, values in self.weights.items()}  # what Adam remembers
        self.v = {name: np.zeros_like(values) for name, values in self.weights.items()}

    def ids(self, text: str) -> list[int]:
        """Return the rows of the words of a text, in order; words that are not known are left out."""
        return [self.row[word] for word in tokenize(text) if word in self.row]

    def encode_queries(self, texts: list[str]) -> np.ndarray:
        """Return a vector of length 1 for each question, (n, dim) float32; zeros where no word is known."""
        return self._encode(texts, "question").astype(np.float32)

    def encode_passages(self, texts: list[str]) -> np.ndarray:
        """Return a vector of length 1 for each passage, (n, dim) float32; zeros where no word is known."""
        return self._encode(texts, "passage").astype(np.float32)

    def _encode(self, texts: list[str], side: str) -> np.ndarray:
        """Return the vectors of texts, float64; each text by itself, so that its company changes nothing."""
        texts = texts_in(texts)
        rows = [row @ self.weights[side] for row in pool(self.weights["table"], [self.ids(text) for text in texts])]
        return cosine.normalize(rows) if rows else np.zeros((0, self.dim))

    def token_vectors(self, text: str, side: str) -> tuple[list[str], np.ndarray]:
        """Return the known words of a text and a vector for each, (t, dim): their mean, normalized, is the text's.

        `side` is "query" or "passage". Raises ValueError for another one.
        """
        if side not in ("query", "passage"):
            raise ValueError(f"There is no side {side!r}; it is 'query' or 'passage'.")
        ids = self.ids(text)
        projection = self.weights["passage" if side == "passage" else "question"]
        return [self.words[row] for row in ids], self.weights["table"][ids] @ projection

    def recall(self, pairs: list[dict], k: int = 10) -> float:
        """Return the share of questions whose own passage is among the k nearest of all passages of these pairs.

        Equal similarities are ordered by position.
        """
        questions = self._encode([pair["question"] for pair in pairs], "question")
        return recall_at(questions, self._encode([pair["passage"] for pair in pairs], "passage"), k)

    def train(self, pairs: list[dict], epochs: int = EPOCHS, batch: int = BATCH, rate: float = RATE,
              temperature: float = TEMPERATURE, held_out: list[dict] = (), every: int = 25):
        """Train on pairs, and yield a `Training` after each step; leave the loop to stop, call again to go on.

        Each epoch goes through all pairs once, `batch` at a time, in an order drawn from the seed and the epoch; what
        is left over, fewer than a batch, waits for the next. `held_out` pairs are measured every `every` steps and
        after the last, never learned from. Raises ValueError for settings that cannot be.
        """
        pairs, held_out = list(pairs), list(held_out)
        if not pairs:
            raise ValueError("There is nothing to learn from: the list of pairs is empty.")
        for pair in pairs + held_out:
            if not isinstance(pair, dict) or not {"question", "passage"} <= set(pair):
                raise ValueError(f'A pair is {{"question": a text, "passage": a text}}, not {short.repr(pair)}.')
        if not all(isinstance(n, Integral) for n in (batch, epochs, every)) or batch < 1 or epochs < 0 or every < 1:
            raise ValueError(f"batch is {batch}, epochs {epochs}, every {every}: use whole numbers, 1 or more.")
        if not all(isinstance(n, Real) and 0 < n < np.inf for n in (temperature, rate)):
            raise ValueError(f"temperature is {temperature} and rate {rate}: both must be above 0.")
        ids = {side: [self.ids(pair[side]) for pair in pairs] for side in ("question", "passage")}
        per_epoch = max(len(pairs) // batch, 1)
        while self.step < epochs * per_epoch:
            epoch, place = divmod(self.step, per_epoch)
            order = np.random.default_rng([self.seed, epoch]).permutation(len(pairs))
            chosen = order[place * batch : (place + 1) * batch]
            masked = repeated_positives([pairs[i]["passage"] for i in chosen])
            masked = given("biencoder.repeated_positives", masked, (len(chosen), len(chosen))).astype(bool)
            loss, scores, gradients = loss_and_gradients(
                self.weights, *([ids[side][i] for i in chosen] for side in ids), masked, temperature)
            moved = {name: given("biencoder.adam_step", adam_step(self.weights[name], gradient, self.m[name],
                     self.v[name], self.step + 1, rate), (3, *gradient.shape)) for name, gradient in gradients.items()}
            for name, parts in moved.items():
                self.weights[name], self.m[name], self.v[name] = parts
            self.step += 1
            measured = held_out and (self.step % every == 0 or self.step == epochs * per_epoch)
            yield Training(self.step, epoch + 1, epochs * per_epoch, loss, chosen, scores, masked,
                           self.recall(held_out) if measured else None)

    def save(self, path: Path, resume: bool = False) -> None:
        """Write the model to a .npz file, float32; with `resume` float64, and what training needs to go on exactly."""
        kept = {"words": np.array(self.words), "counts": np.array([self.seed, self.step])}
        if resume:
            kept |= {f"{part}_{name}": values for part in ("m", "v") for name, values in getattr(self, part).items()}
        with open(path, "wb") as file:
            np.savez_compressed(file, **kept, **{name: values if resume else values.astype(np.float32)
                                                 for name, values in self.weights.items()})

    @classmethod
    def load(cls, path: Path) -> "BiEncoder":
        """Read a model that `save` wrote. Raises ValueError, which names the file, where it is damaged."""
        try:
            with open(path, "rb") as opened, np.load(opened, allow_pickle=False) as file:
                kept = {name: file[name] for name in file.files}
            words, (seed, step) = kept["words"].astype(str).tolist(), kept["counts"].tolist()
            if step < 0:
                raise ValueError(f"{step} steps")
            encoder = cls(words, kept["question"].shape[0], seed)
            for name, values in encoder.weights.items():
                encoder.weights[name] = _checked(kept[name], values.shape)
                if f"m_{name}" in kept:
                    encoder.m[name] = _checked(kept[f"m_{name}"], values.shape)
                    encoder.v[name] = _checked(kept[f"v_{name}"], values.shape)
        except FileNotFoundError:
            raise
        except Exception as error:  # a damaged file makes NumPy, zipfile and zlib raise errors of many kinds
            why = "" if "pickle" in str(error) else f" ({error})"  # NumPy would advise to load it unsafely
            raise ValueError(f"{path} is no bi-encoder, or it is damaged: save it anew.{why}") from None
        encoder.step = step
        return encoder


def _checked(values: np.ndarray, shape: tuple) -> np.ndarray:
    """Return stored weights as float64; raises ValueError where the shape is another or a number is not finite."""
    if values.shape != shape or values.dtype.kind != "f" or not np.isfinite(values).all():
        raise ValueError(f"weights of shape {values.shape}, finite numbers of shape {shape} are needed")
    return values.astype(float)


def untrained() -> tuple[BiEncoder, list[dict], list[dict]]:
    """Return what `toy` was made from: the model before its first step, the training pairs and the held-out pairs.

    >>> encoder, training, held_out = untrained()
    >>> encoder.step, len(training) > len(held_out)
    (0, True)
    """
    training, held_out = read_pairs()
    return BiEncoder(vocabulary(training)), training, held_out


def toy() -> BiEncoder:
    """Return the model that was trained on the pairs of data/pairs/ and stored in data/pairs/toy.npz.

    >>> toy().encode_queries(["When is the invoice due?"]).shape
    (1, 64)
    """
    return BiEncoder.load(PAIRS / "toy.npz")
