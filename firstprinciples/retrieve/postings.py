"""The inverted index in flat arrays, and the best of many totals: what makes a search by words fast.

`bm25.invert` keeps one drawer, a dict, for each word. Millions of small dicts are slow to fill and slow to add up, so
here the drawers lie end to end in long arrays, and NumPy walks through them:

    drawers   {"red": {0: 2}, "tent": {0: 1, 1: 1}}
    words     red -> 0, tent -> 1
    starts    0  1  3            the drawer of word i is the slice starts[i]:starts[i + 1] of
    holders   0  0  1            the positions of the documents that hold it, ascending,
    tf        2  1  1            and how often each holds it

The same layout is known from sparse matrices as "compressed sparse columns". A search adds up what the drawers of its
words say about each document; `top` then finds the few highest totals without sorting the many.
"""

from collections import defaultdict
from itertools import chain, count

import numpy as np

SMALL = 30_000  # up to so many documents one call for all words of a query is faster than one call for each
SMALLEST = np.finfo(float).smallest_subnormal  # the number next to 0


def flatten(documents: list[list[str]]) -> tuple[dict[str, int], np.ndarray, np.ndarray, np.ndarray]:
    """Build the inverted index of lists of words in flat arrays: (words, starts, holders, tf), as drawn above.

    `words` numbers the different words in the order in which they come; `starts` has one entry more than there are
    words, int64; `holders`, int32, and `tf`, in the smallest unsigned type that holds it, have one entry for each pair
    of a word and a document that holds it. It is `bm25.invert` by sorting: equal (word, document) pairs come to lie
    side by side, and the length of a run is the count.

    >>> words, starts, holders, tf = flatten([["red", "tent", "red"], ["tent"]])
    >>> words, starts.tolist(), holders.tolist(), tf.tolist()
    ({'red': 0, 'tent': 1}, [0, 1, 3], [0, 0, 1], [2, 1, 1])
    """
    n, lengths = len(documents), [len(words) for words in documents]
    words = defaultdict(count().__next__)  # a word not seen before gets the next number
    pairs = np.fromiter(map(words.__getitem__, chain.from_iterable(documents)), np.int64, sum(lengths))
    pairs *= n  # a word and its document in one number: word * n + document
    pairs += np.repeat(np.arange(n), lengths)
    pairs.sort()
    new = np.ones(len(pairs), dtype=bool)  # where a run of equal pairs begins
    new[1:] = pairs[1:] != pairs[:-1]
    first = np.flatnonzero(new)
    tf = np.diff(first, append=len(pairs))
    pairs = pairs[first]
    word = pairs // n
    holders = (pairs - word * n).astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(np.bincount(word, minlength=len(words)))])
    return dict(words), starts, holders, tf.astype(np.min_scalar_type(int(tf.max(initial=0))))


def places(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the different values, ascending, and the place of each entry among them.

    `values` are whole numbers from 0, not much larger than there are entries. It is `np.unique` with `return_inverse`,
    by counting in the place of sorting.

    >>> seen, place = places(np.array([7, 2, 7, 2, 2]))
    >>> seen.tolist(), place.tolist()
    ([2, 7], [1, 0, 1, 0, 0])
    """
    there = np.bincount(values) > 0
    return np.flatnonzero(there), (np.cumsum(there) - 1)[values]


def pairs_of(tf: np.ndarray, lengths: np.ndarray, holders: np.ndarray) -> tuple[list[tuple[int, int]], np.ndarray]:
    """Return the different (tf, length of the document) that postings have, and the place of each posting among them.

    `tf` and `holders` have one entry for each posting, `lengths` one for each document. A collection has millions of
    postings and a few thousand such pairs: what depends on the pair alone is computed once for each.

    >>> pairs_of(tf=np.array([2, 1, 2]), lengths=np.array([5, 9]), holders=np.array([0, 1, 0]))
    ([(1, 9), (2, 5)], array([1, 0, 1]))
    """
    (counts, count_place), (sizes, size_place) = places(tf), places(lengths)
    both, place = places(count_place * len(sizes) + size_place[holders])  # the two places in one number
    return list(zip(counts[both // len(sizes)].tolist(), sizes[both % len(sizes)].tolist(), strict=True)), place


def round_off(values: np.ndarray) -> np.ndarray:
    """Round to 40 binary digits; returns float64.

    0 stays 0, and for sizes from 1e-300 to 1e300 the relative error is below 1e-12; beyond lie numbers too small to
    have 40 digits, and those that become infinite. A float64 has 53 digits. With 13 to spare, numbers whose sizes add
    up to no more than 8,000 times the smallest of them, zeros aside, add up without any rounding, in whatever order:
    ten words, say, if none is worth more than 800 times another. Documents whose parts are the same then have the same
    total to the last digit, so that a tie is a tie.

    >>> 0.1 + 0.2 + 0.3 == 0.3 + 0.2 + 0.1
    False
    >>> a, b, c = round_off(np.array([0.1, 0.2, 0.3]))
    >>> bool(a + b + c == c + b + a)
    True
    """
    bits = np.array(values, dtype=np.float64).view(np.int64)  # of the 64 bits of a float the last 52 are its digits
    bits += 1 << 12
    bits >>= 13
    bits <<= 13
    return bits.view(np.float64)


def add_up(drawers: list[tuple[np.ndarray, np.ndarray]], n: int) -> np.ndarray:
    """Return the total of each of `n` documents: the sum of what the drawers say about it, float64.

    A drawer is (holders, weights): the positions of some documents, each at most once, and what to add to each. The
    loop is the plain form. In a small collection drawers are short and calling NumPy is most of the work, so they are
    laid end to end and counted in one call.

    >>> add_up([(np.array([0, 2]), np.array([1.0, 0.5])), (np.array([2]), np.array([0.25]))], n=4).tolist()
    [1.0, 0.0, 0.75, 0.0]
    """
    if n > SMALL or not drawers:
        totals = np.zeros(n)
        for holders, weights in drawers:
            np.add.at(totals, holders, weights)  # totals[holders] += weights, without a copy in between
        return totals
    holders, weights = zip(*drawers, strict=True)
    return np.bincount(np.concatenate(holders), np.concatenate(weights), minlength=n)


def top(totals: np.ndarray, k: int) -> np.ndarray:
    """Return the positions of the k highest totals above 0, the highest first, equal ones by position, ascending.

    The plain form sorts all: `sorted(positions, key=lambda i: (-totals[i], i))[:k]`. To sort only a few, lay the totals
    out in rows of 20 k and take the highest of each column: the k-th best of those is a floor under the k-th best of
    all, because k totals reach it. Little more than k totals do.

    >>> top(np.array([0.0, 2.0, 5.0, 2.0, 2.0]), k=3).tolist()
    [2, 1, 3]
    """
    width = 20 * k
    rows = len(totals) // width
    highest = totals[: rows * width].reshape(rows, width).max(axis=0) if rows > 1 else totals
    floor = np.partition(highest, -k)[-k] if k < len(highest) else 0.0
    found = np.flatnonzero(totals >= max(floor, SMALLEST))
    return found[np.argsort(-totals[found], kind="stable")[:k]]
