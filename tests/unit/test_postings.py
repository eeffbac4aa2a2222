"""The arrays behind BM25 against the plain forms: `invert`, `np.unique`, a loop, and sorting everything."""

import numpy as np
import pytest

from firstprinciples.retrieve import postings
from firstprinciples.retrieve.bm25 import BM25, invert
from firstprinciples.retrieve.postings import add_up, flatten, pairs_of, places, round_off, top


def unflatten(words, starts, holders, tf):
    """Return the drawers again, as `invert` has them."""
    slices = {word: slice(starts[i], starts[i + 1]) for word, i in words.items()}
    return {word: dict(zip(holders[drawer].tolist(), tf[drawer].tolist(), strict=True))
            for word, drawer in slices.items()}


@pytest.mark.parametrize("seed", range(50))
def test_flatten_is_invert(seed):
    draw = np.random.default_rng(seed)
    sizes = draw.integers(0, 13, size=draw.integers(1, 31))
    documents = [[f"w{i}" for i in draw.integers(0, 15, size=size)] for size in sizes]
    arrays = flatten(documents)
    drawers = invert(documents)
    assert unflatten(*arrays) == drawers
    assert list(arrays[0]) == list(drawers)  # words in the order in which they come
    words, starts, holders, tf = arrays
    assert (holders.dtype, tf.dtype, len(starts)) == (np.int32, np.uint8, len(words) + 1)
    assert all((np.diff(holders[a:b]) > 0).all() for a, b in zip(starts, starts[1:], strict=False))


def test_flatten_of_nothing_and_of_a_word_that_is_there_often():
    words, starts, holders, tf = flatten([[], [], []])
    assert (words, starts.tolist(), holders.tolist(), tf.tolist()) == ({}, [0], [], [])
    _, _, holders, tf = flatten([["a"] * 70_000 + ["b"]])
    assert (holders.tolist(), tf.tolist(), tf.dtype) == ([0, 0], [70_000, 1], np.uint32)
    assert type(flatten([["a"]])[0]) is dict  # asking for a word that is not there must not add it


@pytest.mark.parametrize("values", [[3, 0, 3, 9, 9, 3], [5], [0, 0], [], [200, 100, 200]])
def test_places_is_unique(values):
    values = np.array(values, dtype=np.uint8)
    for mine, theirs in zip(places(values), np.unique(values, return_inverse=True), strict=True):
        assert mine.tolist() == theirs.tolist()


def test_pairs_of_gives_each_posting_its_pair():
    draw = np.random.default_rng(3)
    lengths, holders, tf = draw.integers(0, 9, 40), draw.integers(0, 40, 500), draw.integers(1, 300, 500)
    pairs, place = pairs_of(tf, lengths, holders)
    assert [pairs[i] for i in place] == list(zip(tf.tolist(), lengths[holders].tolist(), strict=True))
    assert len(set(pairs)) == len(pairs) == len(set(place.tolist()))
    assert all(type(number) is int for pair in pairs for number in pair)  # what a learner's function is called with


def test_round_off_keeps_forty_digits():
    draw = np.random.default_rng(0)
    values = np.concatenate([draw.normal(size=1000), 10.0 ** draw.uniform(-12, 12, 1000), [0.0, 1.0, -2.5, 1e-6]])
    before = values.copy()
    rounded = round_off(values)
    np.testing.assert_allclose(rounded, values, rtol=2.0**-40)
    assert (values == before).all() and (rounded != values).mean() > 0.9
    assert rounded[-4:].tolist() == [0.0, 1.0, -2.5, pytest.approx(1e-6)]
    # nothing but zeros after the 40th binary digit
    digits, _ = np.frexp(rounded)
    assert (digits * 2.0**40 == np.rint(digits * 2.0**40)).all()
    # to the nearest: what is a hair below a round number becomes the round number
    assert round_off(np.array([np.nextafter(1.0, 0), np.nextafter(1.0, 2)])).tolist() == [1.0, 1.0]


def test_rounded_numbers_add_up_alike_in_any_order():
    draw = np.random.default_rng(1)
    raw = draw.uniform(0.01, 12, size=(500, 8))
    rounded = round_off(raw)
    assert (np.cumsum(raw, axis=1)[:, -1] != np.cumsum(raw[:, ::-1], axis=1)[:, -1]).mean() > 0.2
    for _ in range(20):
        order = draw.permutation(8)
        assert (np.cumsum(rounded, axis=1)[:, -1] == np.cumsum(rounded[:, order], axis=1)[:, -1]).all()


def test_the_ends_of_what_round_off_keeps():
    ends = np.array([1e-300, 1e300, 1 / 3 * 1e-300, 2 / 3 * 1e300])
    np.testing.assert_allclose(round_off(np.concatenate([ends, -ends])), np.concatenate([ends, -ends]), rtol=1e-12)
    assert round_off(np.array([0.0])).tolist() == [0.0]
    # beyond: the smallest have fewer than 40 digits to begin with, and the largest has nowhere to go
    assert round_off(np.array([5e-324, np.finfo(float).max])).tolist() == [0.0, np.inf]


def in_two_orders(largest, smallest, times):
    """Return the total of one smallest number and `times` - 1 largest, the smallest first and last."""
    parts = round_off(np.array([smallest] + [largest] * (times - 1)))
    return np.cumsum(parts)[-1], np.cumsum(parts[::-1])[-1]


def test_numbers_that_add_up_to_8000_times_the_smallest_add_up_without_rounding():
    draw = np.random.default_rng(4)
    for times in (2, 10, 50, 200, 1000):
        for _ in range(200):
            smallest = 10 ** draw.uniform(-6, 6)
            largest = 7_999 * smallest / times
            assert len(set(in_two_orders(largest, smallest, times))) == 1
    # and no such rule would do for much more than that
    assert sum(len(set(in_two_orders(800 * s, s, 50))) > 1 for s in draw.uniform(1, 2, 200)) > 0


@pytest.mark.parametrize("seed", range(20))
def test_the_loop_and_the_one_call_agree(seed, monkeypatch):
    draw, n = np.random.default_rng(seed), 50
    drawers = [(np.sort(draw.choice(n, size, replace=False)).astype(np.int32), round_off(draw.random(size)))
               for size in draw.integers(0, 40, size=seed)]
    totals = [0.0] * n
    for holders, weights in drawers:
        for holder, weight in zip(holders, weights, strict=True):
            totals[holder] += float(weight)
    assert add_up(drawers, n).tolist() == totals
    monkeypatch.setattr(postings, "SMALL", 0)
    assert add_up(drawers, n).tolist() == totals


def test_a_large_collection_is_searched_as_a_small_one(monkeypatch):
    draw = np.random.default_rng(2)
    index = BM25([" ".join(f"w{i}" for i in draw.integers(0, 60, size=9)) for _ in range(300)])
    queries = [" ".join(f"w{i}" for i in draw.integers(0, 70, size=6)) for _ in range(50)]
    small = [index.search(query) for query in queries]
    monkeypatch.setattr(postings, "SMALL", 0)
    assert [index.search(query) for query in queries] == small


@pytest.mark.parametrize("k", [1, 2, 10, 99, 1000])
@pytest.mark.parametrize("kind", ["different", "ties", "all equal", "mostly zero", "zero", "negative", "tiny"])
def test_top_is_the_beginning_of_all_in_order(kind, k):
    draw = np.random.default_rng(k)
    for n in (1, 2, 19, 20, 40, 41, 399, 401, 5000):
        totals = {"different": draw.random(n), "ties": draw.integers(0, 4, n) / 2, "all equal": np.ones(n),
                  "mostly zero": draw.random(n) * (draw.random(n) < 0.01), "zero": np.zeros(n),
                  "negative": draw.normal(size=n), "tiny": np.full(n, 5e-324)}[kind]
        everything = sorted(np.flatnonzero(totals > 0).tolist(), key=lambda i: (-totals[i], i))  # noqa: B023
        before = totals.copy()
        assert top(totals, k).tolist() == everything[:k]
        assert (totals == before).all()
