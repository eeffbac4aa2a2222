"""A small cross-encoder: it reads a question and a chunk together, word by word, and gives one logit.

The problem. BM25 sees which words match, and nothing of the others. A bi-encoder sees all words at once, melted into
one vector. Here every word of the question meets every word of the chunk, and eight features of that meeting are added
up (`firstprinciples.rank.rerank` has the formula and its sources):

    matched words      sum over matched words of  rarity * tf / (tf + 1.2 K),  K = 0.25 + 0.75 * words / 80    as BM25
    in order           for two neighbors of the question that stand in the chunk in this order, at most three words on:
                       the rarity of the commoner one
    cosine about c     the soft counts of the table of cosines, for c = 1.0 0.8 0.6 0.4 0.2 0.0, width 0.1

    logit = bias + sum of weight * feature        so an explanation has nine parts

What a search index knows of a collection, such as how rare a word is in it, is not known here: one pair is read at a
time, and its logit does not depend on the other candidates. Rarity is that in data/pairs/; a word never seen there
counts as rarer than all others. Words match if their stems do; "the" and "which" don't count. Vectors of words are the
rows of the bi-encoder's table (lesson 05): they stay as they are, and a word that is not there has no cosine above 0
but with itself. Learned are the nine numbers, by `firstprinciples.rank.cross_training`. Don't read one weight alone:
"matched words" and "cosine about 1.0" see the same matches, once by rarity and once as a mere count. A count with a
weight below 0 says that the match of a common word is worth nothing, and not that a match does harm.

A pair is read up to `limit` words, the question first; what is cut off the end of a chunk can change nothing, and
`cut` says how many chunks were cut.
"""

import math
from collections import Counter
from contextlib import nullcontext
from functools import cache, lru_cache
from hashlib import sha256
from numbers import Integral, Real
from pathlib import Path
from typing import NamedTuple

import numpy as np

from firstprinciples.encode import biencoder
from firstprinciples.encode.learners import given
from firstprinciples.encode.pairs import PAIRS
from firstprinciples.index import named
from firstprinciples.rank import rerank
from firstprinciples.retrieve import Explanation, Part
from firstprinciples.swap import in_use
from firstprinciples.text import STOP_WORDS, stem, tokenize

CENTERS, WIDTH = (1.0, 0.8, 0.6, 0.4, 0.2, 0.0), 0.1
FEATURES = ("matched words", "in order", *(f"cosine about {center:.1f}" for center in CENTERS))
ASKING = frozenset(  # without "may", which is a month, too
    "what which who whom whose when where why how do does did can could might shall should would must i you he she "
    "we me my your our us him her his has have had am were been so than from about any some".split()
)
K1, B, USUAL, APART = 1.2, 0.75, 80, 3  # as in BM25; the usual number of words; how far apart is still "in order"


def stems(words: list[str]) -> list[str]:
    """Return the stem of each word; words with a digit or a sign in them, such as codes, stay as they are.

    >>> stems(["invoices", "lk-204-b"])
    ['invoic', 'lk-204-b']
    """
    return [_stem(word) if word.isalpha() else word for word in words]


def matches(rarity: dict[str, float], chunk: list[str]) -> dict[str, float]:
    """Return what each stem of the question that the chunk holds adds to "matched words": {stem: value}.

    `rarity` is {stem of the question: how rare it is}, `chunk` all stems of the chunk, in order.

    >>> {stem: round(value, 3) for stem, value in matches({"tent": 2.0, "due": 5.0}, ["red", "tent"] * 40).items()}
    {'tent': 1.942}
    """
    counts = Counter(chunk)
    least = K1 * (1 - B + B * len(chunk) / USUAL)
    return {stem: value * counts[stem] / (counts[stem] + least) for stem, value in rarity.items() if counts[stem]}


def ordered(rarity: dict[str, float], chunk: list[str]) -> dict[tuple[str, str], float]:
    """Return {(stem, next stem): rarity of the commoner} of neighbors in the question that the chunk has in this order.

    `rarity` is {stem of the question: how rare it is}, in the order of the question; in `chunk`, all its stems, the
    second must stand at most three places after the first.

    >>> ordered({"sick": 5.0, "day": 3.0, "paid": 4.0}, ["sick", "or", "other", "day", "are", "paid"])
    {('sick', 'day'): 3.0, ('day', 'paid'): 3.0}
    """
    places = {}
    for place, word in enumerate(chunk):
        if word in rarity:
            places.setdefault(word, []).append(place)
    neighbors = zip(rarity, list(rarity)[1:], strict=False)
    return {(one, two): min(rarity[one], rarity[two]) for one, two in neighbors
            if any(0 < b - a <= APART for a in places.get(one, ()) for b in places.get(two, ()))}


def loss_and_gradients(weights: dict, features, labels) -> tuple[float, dict]:
    """Return the loss of n pairs and {name: gradient} of the weights {"bias": (), "features": (F,)}.

    `features` is (n, F), `labels` n times 1 or 0. A logit changes with a weight as fast as its feature is large, so
    the gradient of a weight is the sum over the pairs of gradient of the logit * feature.

    >>> loss, gradients = loss_and_gradients({"bias": 0.0, "features": np.zeros(2)}, np.array([[3.0, 1.0]]), [1])
    >>> round(loss, 4), float(gradients["bias"]), gradients["features"].tolist()
    (0.6931, -0.5, [-1.5, -0.5])
    """
    features = np.asarray(features, dtype=float)
    logits = features @ weights["features"] + weights["bias"]
    loss = float(_by_task("logistic_loss", (), logits, labels))
    _by_task("sigmoid", logits.shape, logits)  # which logistic_gradient calls: so the right one of the two is named
    back = _by_task("logistic_gradient", logits.shape, logits, labels)
    return loss, {"bias": np.sum(back), "features": features.T @ back}


class Pair(NamedTuple):
    """A question and a chunk, read together. Words that don't count, such as "the", are left out of the first three."""

    question: list[str]  # m words, each once
    chunk: list[str]  # n words, in order
    similarities: np.ndarray  # (m, n) cosines; 1 where the stems are the same
    matched: dict  # {stem: what it adds to "matched words"}
    in_order: dict  # {(stem, stem): what it adds to "in order"}
    features: np.ndarray  # (8,) as FEATURES names them
    tokens: int  # how many words were read, question and chunk, also those that don't count
    cut: bool  # whether the end of the chunk was cut off


class Step(NamedTuple):
    """What a step of training did: `loss` is that of its batch just before the step, the weights those after it."""

    step: int  # 1 after the first step
    epoch: int  # 1 while the pairs are gone through for the first time
    steps: int  # how many there will be in all
    loss: float
    weights: np.ndarray  # (8,)
    bias: float


class CrossEncoder:
    """Nine numbers, a table of word vectors and the rarity of words. New, all nine are 0: not trained.

    `rarity` is {stem: how rare it is, 0 or more}; a stem that is not in it counts as its largest value. `encoder` is a
    bi-encoder, whose table is read (None: `toy()`). `limit` is how many words of a pair are read. After `score`, `cut`
    says how many of its chunks were cut, and `read` how many words were read. Raises ValueError for a rarity that is
    empty or below 0, and a limit below 1.

    >>> model = CrossEncoder({"tent": 3.0, "bill": 4.0})
    >>> model.score("red tents", ["a tent", "a stove"]).tolist()
    [0.0, 0.0]
    """

    name, centers, width = "cross", CENTERS, WIDTH

    def __init__(self, rarity: dict[str, float], encoder=None, limit: int = 512):
        if not rarity or not isinstance(rarity, dict) or not all(
                isinstance(stem, str) and isinstance(value, Real) and 0 <= value < np.inf
                for stem, value in rarity.items()):
            raise ValueError("A cross-encoder needs the rarity of words, {stem: a number, 0 or more}.")
        if isinstance(limit, bool) or not isinstance(limit, Integral) or limit < 1:
            raise ValueError(f"limit is {limit!r}; it must be a whole number, 1 or more.")
        self.encoder = biencoder.toy() if encoder is None else encoder
        if isinstance(encoder, type) or not all(hasattr(self.encoder, name) for name in ("row", "words", "weights")):
            raise TypeError("This is no bi-encoder with a table of words, as biencoder.toy() is one.")
        self.rarity, self.unseen = dict(rarity), max(rarity.values())
        self.limit, self.cut, self.read = int(limit), 0, 0
        self.weights = {"bias": np.zeros(()), "features": np.zeros(len(FEATURES))}

    def score(self, question: str, texts) -> np.ndarray:
        """Return the logit of the question with each text, (n,) float64: any number, more is better, no probability.

        `texts` are strings, or chunks with a `text`. Each pair is read by itself, so the others change nothing.
        """
        pairs = self.pairs(question, texts)
        self.cut = sum(pair.cut for pair in pairs)
        features = np.array([pair.features for pair in pairs]).reshape(len(pairs), len(FEATURES))
        return (features * self.weights["features"]).sum(axis=1) + self.weights["bias"]

    def pairs(self, question: str, texts) -> list[Pair]:
        """Read the question together with each text: a `Pair` for each. Raises TypeError for what are no texts."""
        if isinstance(texts, str) or not hasattr(texts, "__iter__"):
            raise TypeError("Give a list of texts, also for one text.")
        texts = [getattr(text, "text", text) for text in texts]
        asked = tokenize(question)[: self.limit]
        chunks = [_tokens(text) for text in texts]
        self.read = int(_by_task("tokens_read", (), [len(words) for words in chunks], len(asked), self.limit))
        return [self._pair(asked, words) for words in chunks]

    def _pair(self, asked: list[str], words: list[str]) -> Pair:
        """Return what question and chunk have to do with each other; both are all their words, the chunk uncut."""
        kept = words[: self.limit - len(asked)]
        # Each word of the question once, of two with one stem the first; where none would be left, all that it has
        question = [word for word in asked if _counts(word)] or asked
        question = list(dict(zip(reversed(stems(question)), reversed(question), strict=True)).values())[::-1]
        chunk = [word for word in kept if _counts(word)]
        of_question, of_chunk, in_chunk = stems(question), stems(chunk), stems(kept)
        cosines = _by_task("word_similarities", (len(question), len(chunk)),
                           self.vectors(question), self.vectors(chunk))
        same = np.array(of_question, dtype=object)[:, None] == np.array(of_chunk, dtype=object)
        cosines = np.where(same, 1.0, cosines)
        counts = _by_task("soft_counts", (len(CENTERS),), cosines, CENTERS, WIDTH)
        rarity = {stem: self.rarity.get(stem, self.unseen) for stem in of_question}
        matched, in_order = matches(rarity, in_chunk), ordered(rarity, in_chunk)
        features = np.array([math.fsum(matched.values()), math.fsum(in_order.values()), *counts])
        return Pair(question, chunk, cosines, matched, in_order, features, len(asked) + len(kept),
                    len(kept) < len(words))

    def words(self, text: str) -> list[str]:
        """Return the words of a text that count, in order, as often as they stand there; nothing is cut."""
        return [word for word in tokenize(text) if _counts(word)]

    def vectors(self, words: list[str]) -> np.ndarray:
        """Return the table's row of each word, or else of its stem, (n, d); zeros for one that it does not have."""
        rows, table = self.encoder.row, self.encoder.weights["table"]
        out = np.zeros((len(words), table.shape[1]))
        for place, (word, short) in enumerate(zip(words, stems(words), strict=True)):
            row = rows.get(word, rows.get(short))
            if row is not None:
                out[place] = table[row]
        return out

    def explain(self, question: str, text) -> Explanation:
        """Take the logit of one pair apart: a part for each feature, weight times value, and one for the bias."""
        pair, = self.pairs(question, [text])
        word = dict(zip(stems(pair.question), pair.question, strict=True))  # shown as the question has it
        said = [", ".join(f"{word[stem]} {value:.2f}" for stem, value in pair.matched.items()) or "none",
                ", ".join(f"{word[a]} {word[b]} {value:.2f}" for (a, b), value in pair.in_order.items()) or "none"]
        said += [f"{len(pair.question)} words against {len(pair.chunk)}"] * len(CENTERS)
        parts = [Part(name, float(weight * value), f"{value:.3f} ({what}) x weight {weight:.3f}") for name, weight,
                 value, what in zip(FEATURES, self.weights["features"], pair.features, said, strict=True)]
        note = "added for every pair"
        if pair.cut:
            note += f"; of this chunk only what fits into {self.limit} words with the question was read"
        parts.append(Part("bias", float(self.weights["bias"]), note))
        return Explanation(math.fsum(part.value for part in parts), tuple(parts))

    def train(self, features, labels, epochs: int = 20, batch: int = 256, rate: float = 0.01, seed: int = 0):
        """Train the nine numbers on pairs, and yield a `Step` after each step; each call begins anew, at zeros.

        `features` is (n, 8), as `pairs` gives them, `labels` n times 1 (answers the question) or 0. Each epoch goes
        through all pairs, `batch` at a time, in an order drawn from the seed. Raises ValueError for what does not fit.
        """
        features, labels = np.asarray(features, dtype=float), np.asarray(labels, dtype=float)
        if features.ndim != 2 or features.shape != (len(labels), len(FEATURES)) or not len(labels):
            raise ValueError(f"features has the shape {features.shape}; {len(FEATURES)} numbers for each of "
                             f"{len(labels)} labels, at least one, are needed.")
        if not np.isfinite(features).all() or not np.isin(labels, (0, 1)).all():
            raise ValueError("Features must be finite numbers, and labels 1 or 0.")
        if not all(isinstance(n, Integral) and n >= 1 for n in (epochs, batch)) or not 0 < rate < np.inf:
            raise ValueError(f"epochs is {epochs}, batch {batch}, rate {rate}: use whole numbers, 1 or more, and a "
                             "rate above 0.")
        weights = {name: np.zeros_like(values) for name, values in self.weights.items()}
        memory = {name: (np.zeros_like(values), np.zeros_like(values)) for name, values in weights.items()}
        per_epoch = -(-len(labels) // batch)
        for step in range(epochs * per_epoch):
            epoch, place = divmod(step, per_epoch)
            chosen = np.random.default_rng([seed, epoch]).permutation(len(labels))[place * batch : (place + 1) * batch]
            loss, gradients = loss_and_gradients(weights, features[chosen], labels[chosen])
            for name, gradient in gradients.items():
                moved = biencoder.adam_step(weights[name], gradient, *memory[name], step + 1, rate)
                weights[name], *memory[name] = given("biencoder.adam_step", moved, (3, *gradient.shape))
            self.weights = dict(weights)
            yield Step(step + 1, epoch + 1, epochs * per_epoch, loss, weights["features"].copy(),
                       float(weights["bias"]))

    def save(self, path: Path) -> None:
        """Write the nine numbers and the rarities to a .npz file; the table is the bi-encoder's, and stays there."""
        words = sorted(self.rarity)
        with open(path, "wb") as file:
            np.savez_compressed(file, stems=np.array(words), table=_print_of(self.encoder),
                                rarity=np.array([self.rarity[word] for word in words], dtype=np.float32),
                                features=self.weights["features"], bias=self.weights["bias"])

    @classmethod
    def load(cls, path: Path, encoder=None, limit: int = 512) -> "CrossEncoder":
        """Read a model that `save` wrote, for the same bi-encoder. Raises ValueError where it is damaged or another."""
        try:
            with open(path, "rb") as opened, np.load(opened, allow_pickle=False) as file:
                kept = {name: file[name] for name in ("stems", "rarity", "features", "bias", "table")}
            if not (kept["features"].shape == (len(FEATURES),) and kept["bias"].shape == ()
                    and kept["stems"].dtype.kind == "U" and kept["stems"].shape == kept["rarity"].shape
                    and all(kept[name].dtype.kind == "f" and np.isfinite(kept[name]).all()
                            for name in ("features", "bias", "rarity"))):
                raise ValueError("it holds other arrays")
            model = cls(dict(zip(kept["stems"].tolist(), kept["rarity"].tolist(), strict=True)), encoder, limit)
        except FileNotFoundError:
            raise
        except Exception as error:  # a damaged file makes NumPy, zipfile and zlib raise errors of many kinds
            why = "" if "pickle" in str(error) else f" ({error})"  # NumPy would advise to load it unsafely
            raise ValueError(f"{path} is no cross-encoder, or it is damaged: save it anew.{why}") from None
        if not np.array_equal(kept["table"], _print_of(model.encoder)):
            raise ValueError(f"{path} was trained on the words of another bi-encoder; train it anew: "
                             "python data/pairs/make_cross.py")
        model.weights = {name: kept[name].astype(float) for name in ("bias", "features")}
        return model


@cache
def cross() -> CrossEncoder:
    """Return the model that was trained on data/pairs/ and is stored in data/pairs/cross.npz; it is loaded once.

    >>> cross().score("When is the bill due?", ["The bill is due in May.", "The tent is red."]).round().tolist()
    [3.0, -3.0]
    """
    return CrossEncoder.load(PAIRS / "cross.npz")


def _by_task(name: str, shape: tuple, *arguments) -> np.ndarray:
    """Return what a function of lesson 08 gives; name yours in whatever it raises, and where it gives another shape."""
    task = f"rerank.{name}"
    with named(task) if task in in_use() else nullcontext():  # the course's own may call yours, which has its own note
        value = getattr(rerank, name)(*arguments)
    return given(task, value, shape)


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    """Return the stem of a word, or the word where nothing would be left of it."""
    return stem(word) or word


@lru_cache(maxsize=2**12)
def _tokens(text: str) -> tuple[str, ...]:
    """Return the words of a chunk, kept: the same chunks come again with the next question."""
    return tuple(tokenize(text))


def _counts(word: str) -> bool:
    """Say whether a word says what a question is about."""
    return word not in STOP_WORDS and word not in ASKING


def _print_of(encoder) -> np.ndarray:
    """Return the first 8 bytes of a hash of a bi-encoder's words and table, as stored, to tell one from another."""
    table = np.asarray(encoder.weights["table"], dtype="<f4").tobytes()
    return np.frombuffer(sha256("\n".join(encoder.words).encode() + table).digest()[:8], dtype=np.uint8)
