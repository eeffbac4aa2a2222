"""What comes into `maxsim`, checked once: what an encoder of tokens gives, and what learners' functions give.

`use` can put any function into `maxsim`, and an encoder may be a reader's own. Whatever they give, one sentence names
what is at fault.
"""

import numpy as np

from firstprinciples.encode.learners import given
from firstprinciples.index import shown, way_back

LONG = "it should be (tokens, vectors), a vector of length 1 for each token"


def checked_pair(pair, dim: int) -> tuple[list[str], np.ndarray]:
    """Return what an encoder gave for a text, (tokens, vectors (n, dim) float32), rows of length 1 or of zeros.

    Raises ValueError for anything else.

    >>> checked_pair((["tent"], [[0.6, 0.8]]), dim=2)[1].shape
    (1, 2)
    """
    try:
        tokens, vectors = pair
        tokens, vectors = list(tokens), np.asarray(vectors, dtype=np.float32)
    except (TypeError, ValueError):
        raise ValueError(f"The encoder gave {shown(pair)} for a text; {LONG}.") from None
    if vectors.shape != (len(tokens), dim):
        raise ValueError(f"The encoder gave {len(tokens)} tokens and vectors of shape {vectors.shape}; it should "
                         f"be {(len(tokens), dim)}.")
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.einsum("ij,ij->i", vectors, vectors)
    if not (((squares > 0.998) & (squares < 1.002)) | (squares == 0)).all():  # nan is in neither
        raise ValueError("The encoder gave a token's vector that is neither of length 1 nor zeros; a dot product "
                         "with it would be no cosine.")
    return tokens, vectors


def checked_matches(found, m: int, n: int) -> tuple[list[int], list[float]]:
    """Return (positions, similarities) that best_matches gave for m question tokens and n tokens of a chunk."""
    task = "maxsim.best_matches"
    try:
        positions, similarities = found
    except (TypeError, ValueError):
        raise ValueError(f"best_matches gave {shown(found)}; it should be (positions, similarities). "
                         f"{way_back(task)}") from None
    positions, similarities = given(task, positions, (m,)), given(task, similarities, (m,))
    if not ((positions == np.floor(positions)) & (positions >= 0) & (positions < n)).all():
        raise ValueError(f"best_matches gave the positions {shown(positions.tolist())}; they should be whole numbers "
                         f"from 0 to {n - 1}. {way_back(task)}")
    return positions.astype(int).tolist(), similarities.tolist()


def checked_kept(kept, most: int, dim: int) -> tuple[list[str], np.ndarray]:
    """Return (tokens, vectors) that without_punctuation kept of `most` tokens."""
    task = "maxsim.without_punctuation"
    try:
        tokens, vectors = kept
        right = isinstance(tokens, (list, tuple)) and all(isinstance(token, str) for token in tokens)
    except (TypeError, ValueError):
        right = False
    if not right or len(tokens) > most:
        raise ValueError(f"without_punctuation gave {shown(kept)}; it should be (tokens, vectors) of those that it "
                         f"keeps. {way_back(task)}")
    vectors = given(task, vectors if len(tokens) else np.zeros((0, dim)), (len(tokens), dim))
    return list(tokens), vectors


def checked_places(places, n: int) -> np.ndarray:
    """Return the places of chunks that nearest_tokens gave, of n, as an array: each once, ascending."""
    try:
        numbers = np.array(list(places), dtype=float)
        right = numbers.ndim == 1 and bool(((numbers == np.floor(numbers)) & (numbers >= 0) & (numbers < n)).all()
                                           and (np.diff(numbers) > 0).all())
    except (TypeError, ValueError, OverflowError):
        right = False
    if not right:
        raise ValueError(f"nearest_tokens gave {shown(places)}; it should be whole numbers from 0 to {n - 1}, each "
                         f"once, ascending. {way_back('maxsim.nearest_tokens')}")
    return numbers.astype(int)


def checked_bytes(number) -> int:
    """Return the number of bytes that storage gave; raises ValueError for what is none."""
    number = float(given("maxsim.storage", number, ()))
    if number < 0 or number != int(number):
        raise ValueError(f"storage gave {number}; it should be a whole number of bytes. {way_back('maxsim.storage')}")
    return int(number)
