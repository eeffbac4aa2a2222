"""The forward pass of `bert` in the order a processor likes: the same sums, in blocks, with no array made twice.

The problem. Two things cost time. Matrix products are the larger part, and NumPy hands them to a BLAS library that does
them as fast as anyone. The smaller part are sums over single numbers, exp and tanh among them: each step reads an array
and writes one, and an array too large for the processor's cache waits for memory each time. So:

1. texts of about the same length go together, in batches of about 2,048 tokens: little is filled up, and a batch is
   large enough for the BLAS library;
2. whatever goes over single numbers is done for a few rows or heads at a time, all steps, before the next few;
3. two threads take the batches in turn, with one BLAS thread each, so that the steps between products run in both, and
   none waits for another program on its core.

`gelu` needs the error function, which NumPy lacks. With a polynomial p that was fitted to it,

    gelu(x) = x / 2 * (1 + tanh(x * p(x * x)))        p(t) = 0.79788 + 0.03633 t - ...

is exact to 7e-8 before rounding. It is the well-known approximation of Hendrycks and Gimpel, 0.79788 (1 + 0.044715 t),
with five more terms. The function of the same name in `bert` is the one to read.
"""

import math
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np

from firstprinciples.blas import one_blas_thread

TOKENS = 2048  # in a batch, about
FEW = 256  # tokens that are not worth being shared out to two threads
ROWS = 32  # of a layer's inner array at a time: 32 x 1,536 numbers are 0.2 MB
SCORES = 2**16  # attention scores at a time: 0.3 MB
SAFE = 60.0  # exp of a score between -60 and 60, and the sum of a few hundred, is far from the ends of float32
# p, the highest power first; fitted so that the largest error of gelu for |x| < 6 is least. The first is above 0, so
# that beyond 6 tanh goes to 1 or -1
POLYNOMIAL = np.array([1.805616309885023e-09, -1.3344640636899347e-07, 3.969109444766659e-06, -5.524015870816982e-05,
                       -3.3129991322664054e-05, 0.03633428350718801, 0.7978842161215087], dtype=np.float32)


def gelu(x) -> np.ndarray:
    """Return the GELU of an array of any shape (..., width) as float32, within 1e-6 of `bert.gelu` for |x| below 10.

    >>> gelu([-3.0, 0.0, 1.0, 3.0]).round(4).tolist() == np.float32([-0.004, 0.0, 0.8413, 2.996]).tolist()
    True
    """
    x = np.array(x, dtype=np.float32)
    add_and_gelu(x.reshape(-1, x.shape[-1]), np.zeros(x.shape[-1], np.float32))
    return x


@np.errstate(over="ignore")  # far from 0 the polynomial may become infinite, and tanh of that is 1
def add_and_gelu(x: np.ndarray, bias: np.ndarray) -> None:
    """Add `bias` (width,) to each row of `x` (rows, width), and put the GELU of each number in its place.

    >>> x = np.zeros((2, 3), np.float32)
    >>> add_and_gelu(x, np.float32([0, 1, 2]))
    >>> x.round(4).tolist() == np.float32([[0, 0.8413, 1.9545]] * 2).tolist()
    True
    """
    space = np.empty((2, ROWS, x.shape[1]), x.dtype)
    for start in range(0, len(x), ROWS):
        rows = x[start:start + ROWS]
        squares, inside = space[:, :len(rows)]
        rows += bias
        np.multiply(rows, rows, out=squares)
        np.multiply(squares, POLYNOMIAL[0], out=inside)
        for factor in POLYNOMIAL[1:-1]:
            inside += factor
            inside *= squares
        inside += POLYNOMIAL[-1]
        inside *= rows
        np.tanh(inside, out=inside)
        rows *= np.float32(0.5)
        inside *= rows
        rows += inside


def normalize_rows(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, eps: float) -> None:
    """Put the layer norm of each row of `x` (rows, width) in its place, as `bert.layer_norm` has it.

    >>> x = np.float32([[1, 3]])
    >>> normalize_rows(x, np.float32([1, 10]), np.float32([0, 5]), 1e-12)
    >>> x.round(4).tolist()
    [[-1.0, 15.0]]
    """
    for start in range(0, len(x), 2 * ROWS):
        rows = x[start:start + 2 * ROWS]
        rows -= rows.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", rows, rows) / x.shape[1]
        rows *= (1 / np.sqrt(variance + eps))[:, None]
        rows *= weight
        rows += bias


def attend(q, k, v, mask, heads: int) -> np.ndarray:
    """Return `bert.attention` of each head of each text, side by side: (texts * tokens, width).

    `q`, `k`, `v` have that shape, too, and are changed; `mask` is (texts, tokens). Places that are filled up count
    nothing: their values are set to 0, and the sum by which the weights are divided at the end leaves them out.
    """
    texts, tokens = mask.shape
    size = q.shape[1] // heads
    q *= np.float32(1 / np.sqrt(size))
    real = mask.astype(np.float32)
    v *= real.reshape(-1, 1)
    out = np.empty_like(q)
    # no score of a head is further from 0 than its longest query times its longest key
    q, k, v, to = (a.reshape(texts, tokens, heads, size).transpose(0, 2, 1, 3) for a in (q, k, v, out))
    longest = [np.sqrt(np.einsum("...i,...i", a, a).max(axis=2)) for a in (q, k)]
    large = longest[0] * longest[1] > SAFE
    pairs = max(1, SCORES // tokens**2)
    space = np.empty(pairs * tokens**2, q.dtype)
    for some in _chunks(texts, heads, pairs):
        shape = (*q[some].shape[:2], tokens, tokens)
        weights = space[:math.prod(shape)].reshape(shape)
        np.matmul(q[some], k[some].swapaxes(-1, -2), out=weights)
        if large[some].any():  # take the largest away; not that of a filled-up place, beside which others sink to 0
            np.copyto(weights, np.float32(-1e30), where=~mask[some[0], None, None])
            weights -= weights.max(axis=-1, keepdims=True)
        np.exp(weights, out=weights)
        np.matmul(weights, v[some], out=to[some])
        to[some] /= np.matmul(weights, real[some[0], None, :, None])
    return out


def _chunks(texts: int, heads: int, pairs: int) -> list[tuple[slice, slice]]:
    """Cut a batch into pieces of at most `pairs` heads: some heads of one text, or all heads of some texts."""
    if pairs < heads:
        return [(slice(text, text + 1), slice(head, head + pairs))
                for text in range(texts) for head in range(0, heads, pairs)]
    step = pairs // heads
    return [(slice(text, text + step), slice(None)) for text in range(0, texts, step)]


def dense(x, weight, bias, out=None) -> np.ndarray:
    """Return x @ weight' + bias, written into `out` if it is given."""
    out = np.matmul(x, weight.T, out=out)
    out += bias
    return out


def hidden(model, ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Return what `Bert.hidden` returns, for a `Bert` and a batch of token ids and their mask."""
    texts, tokens = ids.shape
    x = (model.words[ids] + model.places[:tokens]).reshape(texts * tokens, model.width)
    normalize_rows(x, *model.norm, model.eps)
    q, k, v = np.empty((3, *x.shape), x.dtype)
    inner = np.empty((len(x), len(model.layers[0].up[1])), x.dtype)
    for layer in model.layers:
        for pair, space in ((layer.query, q), (layer.key, k), (layer.value, v)):
            dense(x, *pair, out=space)
        x += dense(attend(q, k, v, mask, model.heads), *layer.mix, out=q)
        normalize_rows(x, *layer.norm, model.eps)
        np.matmul(x, layer.up[0].T, out=inner)
        add_and_gelu(inner, layer.up[1])
        x += dense(inner, *layer.down, out=q)
        normalize_rows(x, *layer.last_norm, model.eps)
    return x.reshape(texts, tokens, model.width)


def best_products(vectors: np.ndarray, mask: np.ndarray, table: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """Return, for each text and each row of the table, the largest product with a token of the text, plus the bias.

    `vectors` (texts, tokens, width) are changed; `mask` (texts, tokens), `table` (words, width), `bias` (words,).
    Returns (texts, words). The bias is the same for all tokens, so it is added after the largest was found.

    >>> vectors, table = np.array([[[1.0, 0.0], [0.0, 2.0], [9.0, 9.0]]]), np.array([[1.0, 0.0], [1.0, 1.0]])
    >>> best_products(vectors, np.array([[True, True, False]]), table, np.array([0.0, 10.0])).tolist()
    [[1.0, 12.0]]
    """
    texts, tokens, width = vectors.shape
    np.copyto(vectors, vectors[:, :1], where=~mask[..., None])  # the first token once more, which changes no maximum
    out = np.empty((texts, len(table)), vectors.dtype)
    step, words = max(1, 256 // tokens), 1024  # texts and words at a time: the products stay in the cache
    space = np.empty(step * tokens * words, vectors.dtype)
    for first in range(0, len(table), words):
        some = table[first:first + words].T
        for text in range(0, texts, step):
            rows = vectors[text:text + step].reshape(-1, width)
            products = space[:len(rows) * some.shape[1]].reshape(len(rows), -1)
            np.matmul(rows, some, out=products)
            products.reshape(-1, tokens, some.shape[1]).max(axis=1, out=out[text:text + step, first:first + words])
    out += bias
    return out


def batches(lengths: list[int]) -> list[list[int]]:
    """Put texts of about the same length together: lists of positions, the longest first.

    A batch, filled up to its longest text, has at most 2,048 tokens, or one text. Of fewer tokens in all, a batch has
    about half, so that there is one for each of two threads, unless they are very few.

    >>> batches([3, 100, 90, 2])
    [[1, 2], [0, 3]]
    """
    found, most = [], min(TOKENS, max(FEW, (sum(lengths) + 1) // 2))
    for position in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        longest = lengths[found[-1][0]] if found else math.inf
        if lengths[position] * 2 > longest and (len(found[-1]) + 1) * longest <= most:
            found[-1].append(position)
        else:
            found.append([position])
    return found


def fill_up(rows: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Return lists of ids as one array, filled up with 0, and the mask that is True where there is an id.

    >>> fill_up([[7, 8, 9], [5]])[0].tolist(), fill_up([[7, 8, 9], [5]])[1].tolist()
    ([[7, 8, 9], [5, 0, 0]], [[True, True, True], [True, False, False]])
    """
    lengths = np.array([len(row) for row in rows])
    mask = np.arange(lengths.max()) < lengths[:, None]
    ids = np.zeros(mask.shape, dtype=np.int64)
    ids[mask] = [id for row in rows for id in row]
    return ids, mask


@contextmanager
def in_threads(function, items, threads: int = 2):
    """Give function(item) for each item, in order, as an iterator: some threads work it out, with one BLAS thread each.

    Where the number of BLAS threads can't be set, one thread does it, and BLAS takes as many as it likes. After the
    `with`, however it was left, nothing runs any more.

    >>> with in_threads(abs, [-1, 2]) as results:
    ...     list(results)
    [1, 2]
    """
    with one_blas_thread() as is_one:
        if not is_one or min(len(items), threads) < 2:
            yield map(function, items)
            return
        with ThreadPoolExecutor(threads) as pool:
            try:
                yield pool.map(function, items)
            finally:
                pool.shutdown(cancel_futures=True)
