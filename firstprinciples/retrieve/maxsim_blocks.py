"""MaxSim of all documents at once, as a processor likes it: some thousand tokens at a time.

The problem. `maxsim.maxsim_ragged` is one product of the question's tokens with all tokens of all documents. For a
million tokens that is a table of 32 million numbers, which goes out to memory and comes back for the maximum. That of
a block of tokens is still in the processor's cache when its maximum is taken. The values are the same up to rounding,
and a test says so; this is what `MaxSim` looks through before it scores the best few in full.
"""

import numpy as np

from firstprinciples.encode.token_vectors import STEPS

ROWS = 2048  # tokens at a time: their products with 32 question tokens are 0.3 MB, which a processor keeps at hand


def best_blocks(question: np.ndarray, tokens: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Find the best similarity of each question token in each document, some thousand tokens at a time: (B, m) float32.

    The product with all tokens would go to memory and come back for the maximum; that of a block is still in the
    processor's cache. `question` is (m, d) float32, `tokens` (N, d) float32 or the whole numbers of `to_int16`, which
    are turned back block by block; `starts` as for `maxsim_ragged`, and right.

    >>> best_blocks(np.float32([[1, 0]]), np.float32([[-0.5, 0.8], [0.6, 0.8], [1, 0]]), np.array([0, 1])).tolist()
    [[-0.5], [1.0]]
    """
    whole = tokens.dtype == np.int16
    columns = np.ascontiguousarray(question.T / np.float32(STEPS) if whole else question.T)
    best = np.empty((len(starts), len(question)), dtype=np.float32)
    ends, place = np.append(starts[1:], len(tokens)), 0
    rows = max(ROWS // 4 if whole else ROWS, int((ends - starts).max(initial=0)))
    products = np.empty((rows, len(question)), dtype=np.float32)
    numbers = np.empty((rows if whole else 0, tokens.shape[1]), dtype=np.float32)
    while place < len(starts):
        start = int(starts[place])
        after = int(np.searchsorted(ends, start + rows, side="right"))  # as many documents as fit
        block = tokens[start : int(ends[after - 1])]
        if whole:
            numbers[: len(block)] = block
            block = numbers[: len(block)]
        np.matmul(block, columns, out=products[: len(block)])
        np.maximum.reduceat(products[: len(block)], starts[place:after] - start, axis=0, out=best[place:after])
        place = after
    return best


def maxsim_blocks(question: np.ndarray, tokens: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Score all documents as `maxsim_ragged` does, by the sums of `best_blocks`: returns (B,) float32.

    >>> maxsim_blocks(np.float32([[1, 0]]), np.float32([[-0.5, 0.8], [0.6, 0.8], [1, 0]]), np.array([0, 1])).tolist()
    [-0.5, 1.0]
    """
    return best_blocks(question, tokens, starts).sum(axis=1)
