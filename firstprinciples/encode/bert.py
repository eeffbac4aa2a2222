"""BERT: a real pre-trained encoder, forward pass and all, in NumPy.

The problem. One vector a word, the same wherever it stands, can't tell the bank of a river from a bank with money, nor
"the invoice was not paid" from "paid". In BERT each word's vector looks at its neighbors and changes, layer by layer.
The model has learned from millions of texts what to look at; the learned numbers are a file, and what is done with them
is here: a few lines for each of four ideas, in the order of the lesson.

1. softmax turns scores into shares that add up to 1:  share_i = exp(x_i) / sum of exp(x_j)
2. layer norm brings each token's vector to mean 0 and variance 1, then stretches and shifts it as learned, so that
   numbers neither grow nor fade over many layers
3. GELU lets through what is clearly above 0 and holds back what is below:  x * P(Z <= x), Z normally distributed
4. attention gives each token a mean of all tokens' values, weighted by how well its query fits their keys:
   softmax(q k' / sqrt(width)) v

A layer is: attention, twelve times side by side ("heads"), each with its own learned q, k and v; then two matrices with
a GELU between them; after each of the two, the layer's input is added again and layer norm follows. `Bert` begins with
one row of a table for each token and one for its place, and applies the layers in turn. That is the whole encoder.
`MiniLM` then takes the mean over the tokens: one vector for a text.

Sources: A. Vaswani et al., "Attention Is All You Need", 2017; J. Devlin et al., "BERT", 2019; J. Ba et al., "Layer
Normalization", 2016; D. Hendrycks and K. Gimpel, "Gaussian Error Linear Units", 2016; N. Reimers and I. Gurevych,
"Sentence-BERT", 2019, for the mean.

While none of the four functions is replaced, the same sums are done in blocks by `fast_bert`, and a test says that they
agree. Replace one with `use("bert.gelu", yours)`, and the encoder takes the plain way, which calls it.
"""

import math
from pathlib import Path

import numpy as np

from firstprinciples.encode import fast_bert
from firstprinciples.encode.bert_files import load
from firstprinciples.encode.learners import given
from firstprinciples.encode.wordpiece import WordPiece


def softmax(x):
    """Turn scores into shares: positive, and along the last axis they add up to 1.

    `x` is an array of any shape. The largest score of each row is taken away first: that changes nothing in the
    result, and keeps exp from overflowing. Returns an array of the same shape.
    Lesson 05, "Inside the encoder".

    >>> softmax([0.0, 0.0, np.log(2)]).tolist()
    [0.25, 0.25, 0.5]
    """
    x = np.asarray(x)
    weights = np.exp(x - x.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def layer_norm(x, weight, bias, eps: float = 1e-12):
    """Bring each row to mean 0 and variance 1, then multiply by `weight` and add `bias`.

    `x` has the shape (..., width), `weight` and `bias` (width,). The variance divides by the width, not by one less;
    `eps`, above 0, is added to it before the root is taken, so that a row of equal numbers gives `bias`. Returns an
    array of the shape of `x`.
    Lesson 05, "Inside the encoder".

    >>> layer_norm([[1.0, 3.0]], weight=[1.0, 10.0], bias=[0.0, 5.0]).round(4).tolist()
    [[-1.0, 15.0]]
    """
    x = np.asarray(x)
    centered = x - x.mean(axis=-1, keepdims=True)
    variance = (centered**2).mean(axis=-1, keepdims=True)
    return centered / np.sqrt(variance + eps) * np.asarray(weight) + np.asarray(bias)


def gelu(x):
    """Let numbers above 0 through and hold numbers below it back, softly: x * (1 + erf(x / sqrt(2))) / 2.

    `x` is an array of any shape; erf is the error function, `math.erf`, so that (1 + erf(x / sqrt(2))) / 2 is the share
    of a normal distribution that lies below x. Returns an array of the same shape.
    Lesson 05, "Inside the encoder".

    >>> gelu([-3.0, 0.0, 1.0, 3.0]).round(4).tolist()
    [-0.004, 0.0, 0.8413, 2.996]
    """
    x = np.asarray(x, dtype=float)
    erf = [math.erf(value / math.sqrt(2)) for value in x.ravel().tolist()]
    return x * (1 + np.reshape(erf, x.shape)) / 2


def attention(q, k, v, mask):
    """Give each query the mean of the values, weighted by the softmax of how well it fits their keys.

    `q` has the shape (queries, width), `k` (keys, width), `v` (keys, values), `mask` (keys,): True or 1 for a token,
    False or 0 for a place that is only filled up, which gets no weight at all; at least one is True. How well they fit
    is the dot product divided by the square root of the width. Returns an array (queries, values).
    Lesson 05, "Inside the encoder".

    >>> attention(q=[[0.0, 0.0]], k=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], v=[[2.0], [4.0], [9.0]], mask=[1, 1, 0])
    array([[3.]])
    """
    q, k, v = np.asarray(q), np.asarray(k), np.asarray(v)
    fit = q @ k.T / math.sqrt(q.shape[1])
    return softmax(np.where(np.asarray(mask, dtype=bool), fit, -1e30)) @ v


OWN = (softmax, layer_norm, gelu, attention)


def untouched() -> bool:
    """Say whether the four functions above are the course's own now: then `fast_bert` may do the same sums.

    >>> untouched()
    True
    """
    return (softmax, layer_norm, gelu, attention) == OWN


def dense(x, weight, bias) -> np.ndarray:
    """Multiply by a learned matrix and add a learned row: x @ weight' + bias.

    `x` has the shape (rows, inputs), `weight` (outputs, inputs), `bias` (outputs,). Returns (rows, outputs).

    >>> dense(np.array([[1, 2]]), weight=np.array([[1, 0], [0, 1], [1, 1]]), bias=np.array([0, 0, 10])).tolist()
    [[1, 2, 13]]
    """
    return x @ weight.T + bias


class Bert:
    """A BERT model read from a folder: token ids in, one vector for each token out.

    `bert_files` reads the folder, checks all of it, and raises FileNotFoundError or ValueError, in one sentence, before
    anything is used. A text of more than `max_tokens` tokens, [CLS] and [SEP] counted, is cut.

    `cut` is the number of texts, of those encoded last, that were longer than `max_tokens` and lost their end.
    """

    def __init__(self, folder, max_tokens: int = 512):
        self.model = load(folder)
        self.tokenizer = WordPiece(self.model.vocabulary)
        self.max_tokens, self.cut = min(max_tokens, len(self.model.places)), 0

    def hidden(self, ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """Return the vectors of the last layer, float32 (texts, tokens, width), for `ids` (texts, tokens).

        `mask` has the shape of `ids`: True for a token, False for a place that is only filled up, whose vector means
        nothing.
        """
        if untouched():
            return fast_bert.hidden(self.model, ids, mask)
        model, (texts, tokens) = self.model, ids.shape
        x = (model.words[ids] + model.places[:tokens]).reshape(texts * tokens, model.width)  # one row a token
        x = self._norm(x, model.norm)
        for layer in model.layers:
            x = self._norm(x + dense(self._attend(x, layer, mask), *layer.mix), layer.norm)
            x = self._norm(x + dense(self._gelu(dense(x, *layer.up)), *layer.down), layer.last_norm)
        return x.reshape(texts, tokens, model.width)

    def _attend(self, x, layer, mask) -> np.ndarray:
        """Return what the heads attend to, side by side: one row a token, text after text, as in `x`."""
        q, k, v = (dense(x, *pair) for pair in (layer.query, layer.key, layer.value))
        out, size = np.empty_like(x), self.model.width // self.model.heads
        for text, real in enumerate(mask):
            for head in range(self.model.heads):
                here = np.s_[text * len(real):(text + 1) * len(real), head * size:(head + 1) * size]
                out[here] = given("bert.attention", attention(q[here], k[here], v[here], real), (len(real), size))
        return out

    def _norm(self, x, pair) -> np.ndarray:
        return given("bert.layer_norm", layer_norm(x, *pair, self.model.eps), x.shape).astype(np.float32)

    def _gelu(self, x) -> np.ndarray:
        if gelu is OWN[2]:  # the course's own asks math.erf for each number in turn: too long to wait for
            return fast_bert.gelu(x)
        return given("bert.gelu", gelu(x), x.shape).astype(np.float32)

    def run(self, texts: list[str], take, progress=None) -> list:
        """Return, for each text, what `take` makes of its vectors.

        Texts go through in batches. `take(vectors, mask)` gets those of a batch, (texts, tokens, width), with the mask
        that says which are of a token, and gives back one result for each text; `progress(done, total)` is called after
        each batch. Sets `cut`. Raises TypeError for what is no list of strings.
        """
        if isinstance(texts, (str, bytes)) or not hasattr(texts, "__iter__"):
            raise TypeError("The texts must be a list of strings; put a single one in a list: [text].")
        found = [self.tokenizer.ids(text, self.max_tokens) for text in texts]
        rows = [ids for ids, _ in found]

        def one_batch(positions):
            ids, mask = fast_bert.fill_up([rows[i] for i in positions])
            return take(self.hidden(ids, mask), mask)

        plan, results, done = fast_bert.batches([len(ids) for ids in rows]), [None] * len(rows), 0
        threads = 2 if untouched() else 1  # a function of yours: one by one
        with fast_bert.in_threads(one_batch, plan, threads) as work:
            for positions, of_batch in zip(plan, work, strict=True):
                for position, result in zip(positions, of_batch, strict=True):
                    results[position] = result
                done += len(positions)
                if progress:
                    progress(done, len(rows))
        self.cut = sum(cut for _, cut in found)
        return results

    def token_vectors(self, text: str) -> tuple[list[str], np.ndarray]:
        """Return (tokens of a text from [CLS] to [SEP], their vectors (tokens, width) float32)."""
        vectors = self.run([text], lambda vectors, mask: vectors)[0]
        return [self.tokenizer.vocabulary[i] for i in self.tokenizer.ids(text, self.max_tokens)[0]], vectors

    def token_logits(self, text: str) -> tuple[list[str], np.ndarray]:
        """Return (tokens of a text, logits (tokens, words in the vocabulary)): which word could stand at each place.

        The masked-language head: one more dense layer, GELU and layer norm; then the dot product with the row of each
        word in the very table that the encoder began with, and a bias for each word. A logit is a score on no scale;
        `softmax` of a row gives the chance of each word. Raises ValueError for a model without this head.
        """
        tokens, vectors = self.token_vectors(text)
        return tokens, dense(self._before_logits(vectors), self.model.words, self.model.head.bias)

    def best_logits(self, texts: list[str], progress=None) -> np.ndarray:
        """Return, for each text, the largest logit of each word over all the text's tokens: (texts, words) float32.

        What SPLADE makes its weights of. A text's row takes 0.12 MB, so hand in large collections piece by piece.
        """
        self._before_logits(np.zeros((1, self.model.width), np.float32))  # raises before the work, not after it

        def best(vectors, mask):
            ready = self._before_logits(vectors.reshape(-1, self.model.width)).reshape(vectors.shape)
            return fast_bert.best_products(ready, mask, self.model.words, self.model.head.bias)

        rows = self.run(texts, best, progress)
        return np.array(rows, dtype=np.float32).reshape(len(rows), len(self.model.words))

    def _before_logits(self, vectors) -> np.ndarray:
        """Return the vectors (rows, width) as they are compared with the table of words."""
        head = self.model.head
        if head is None:
            raise ValueError("This model has no masked-language head; splade-tiny has one.")
        return self._norm(self._gelu(dense(vectors, *head.dense)), head.norm)


class MiniLM:
    """The encoder all-MiniLM-L6-v2, six layers, 384 wide: one vector of length 1 a text, the mean over its tokens.

    [CLS] and [SEP] count in the mean, as in training, so an empty text has a vector, too; it means nothing. A text is
    cut after 256 tokens; `cut` says how many of those encoded last were. Questions and passages are encoded alike.
    `folder` holds the model's files; without it those that `python3 -m firstprinciples models` fetched are used. Raises
    FileNotFoundError where they are not, and what `Bert` raises.
    """

    name, dim, max_tokens = "minilm", 384, 256

    def __init__(self, folder=None):
        self.bert = Bert(_fetched("minilm") if folder is None else folder, self.max_tokens)

    @property
    def cut(self) -> int:
        """The number of texts, of those encoded last, that were cut."""
        return self.bert.cut

    def encode_passages(self, texts: list[str], progress=None) -> np.ndarray:
        """Return one row for each text, (texts, 384) float32, each of length 1.

        `progress(done, total)` is called after each batch. Raises TypeError for what is no list of strings.
        """
        rows = self.bert.run(texts, mean_over_tokens, progress)
        rows = np.array(rows, dtype=np.float32).reshape(len(rows), self.dim)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def encode_queries(self, texts: list[str], progress=None) -> np.ndarray:
        """Return the same for questions: this model makes no difference."""
        return self.encode_passages(texts, progress)

    def token_vectors(self, text: str, side: str = "passage") -> tuple[list[str], np.ndarray]:
        """Return (tokens, vectors (tokens, 384)); their mean, brought to length 1, is what `encode_passages` gives."""
        return self.bert.token_vectors(text)


def mean_over_tokens(vectors: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Return the mean over the tokens of each text: from (texts, tokens, width), and their mask, to (texts, width).

    >>> mean_over_tokens(np.array([[[1.0, 2.0], [3.0, 4.0], [9.0, 9.0]]]), np.array([[True, True, False]])).tolist()
    [[2.0, 3.0]]
    """
    return (vectors * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)


def _fetched(name: str) -> Path:
    """Return the folder of a model's files, or say how to get them."""
    from firstprinciples import models

    folder = models.files(name)
    if folder is None:
        raise FileNotFoundError("The files of the real encoder are not here; get them with "
                                "`python3 -m firstprinciples models`.")
    return folder
