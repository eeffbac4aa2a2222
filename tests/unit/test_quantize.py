"""Quantize: plain and fast forms agree, codes are as small as said, ties are ties, and bad input gets one sentence."""

import math

import numpy as np
import pytest

from firstprinciples.index import product, quantize
from firstprinciples.index.cosine import Exact, normalize
from firstprinciples.index.product import PQ, parts_for, train_codebooks
from firstprinciples.index.quantize import (
    bit_scores,
    calibrate,
    from_int8,
    hamming,
    int8_scores,
    memory,
    nearest,
    pq_encode,
    pq_scores,
    rescore,
    sign_dot,
    split,
    to_bits,
    to_int8,
)
from firstprinciples.index.shelf import Shelf
from firstprinciples.index.short_vectors import Binary, Float16, Int8
from firstprinciples.retrieve.dense import Dense
from firstprinciples.swap import use


def clustered(n, dim, seed=0, spread=0.5):
    """Return n vectors in 20 clusters, of different lengths."""
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(20, dim))
    return (centers[rng.integers(0, 20, n)] + spread * rng.normal(size=(n, dim))) * rng.uniform(0.1, 9, size=(n, 1))


# int8


def test_int8_rounds_and_clips():
    """A package that cuts off and wraps round makes -104 of 1.2."""
    assert to_int8([1.2, -1.2, 1.0, -1.0, 0.001], [-1] * 5, [1] * 5).tolist() == [127, -128, 127, -128, 0]
    assert to_int8([[1e300, -1e300]], [-1, -1], [1, 1]).tolist() == [[127, -128]]
    assert to_int8([[1.0]], [0.0], [5e-324]).tolist() == [[127]]


def test_int8_is_off_by_half_a_step_at_most():
    vectors = clustered(400, 9)
    low, high = calibrate(vectors)
    codes = to_int8(vectors, low, high)
    back = from_int8(codes, low, high)
    assert codes.dtype == np.int8 and back.dtype == np.float32 and codes.shape == back.shape == vectors.shape
    assert (codes.min(axis=0) == -128).all() and (codes.max(axis=0) == 127).all()
    assert (np.abs(back - vectors) <= (high - low) / 510 + 1e-5).all()
    assert np.array_equal(to_int8(back, low, high), codes)


def test_int8_each_code_comes_back_as_itself():
    codes = np.arange(-128, 128)[:, None] * [1, 1]
    low, high = [-0.3, 5.0], [0.7, 5.1]
    assert np.array_equal(to_int8(from_int8(codes, low, high), low, high), codes)


def test_int8_a_constant_dimension_is_fine():
    vectors = np.array([[0.5, 0.1, 0.0], [0.5, -0.2, 0.0], [0.5, 0.4, 0.0]])
    with np.errstate(all="raise"):
        low, high = calibrate(vectors)
        codes = to_int8(vectors, low, high)
        assert codes[:, [0, 2]].tolist() == [[-128, -128]] * 3
        assert from_int8(codes, low, high)[:, [0, 2]].tolist() == [[0.5, 0.0]] * 3
        assert to_int8([[9.0, 0.1, -9.0]], low, high)[0, [0, 2]].tolist() == [-128, -128]
        index = Int8(3)
        index.add([[2, 1, 0], [2, 1, 0]])  # all dimensions are constant
        assert index.search([2, 1, 0]) == [("0", pytest.approx(1)), ("1", pytest.approx(1))]


def test_int8_one_vector_cannot_calibrate():
    index = Int8(3)
    with pytest.raises(ValueError, match="One vector alone can't set the ranges of int8; add at least two at first"):
        index.add([[1, 2, 3]])
    assert len(index) == 0 and index.ids == [] and index.search([1, 2, 3]) == []
    index.add([])
    index.add([[1, 2, 3], [3, 2, 1]])
    index.add([[1, 2, 3]])
    assert index.ids == ["0", "1", "2"]
    with pytest.raises(ValueError, match="at least two vectors"):
        Int8(3, calibration=[[1, 2, 3]])
    calibrated = Int8(3, calibration=[[1, 2, 3], [3, 2, 1], [-1, 1, 1]])
    calibrated.add([[1, 2, 3]])
    assert calibrated.search([1, 2, 3]) == [("0", pytest.approx(1, abs=0.01))]


def test_int8_ranges_stay_those_of_the_first():
    vectors = clustered(300, 8)
    index, other = Int8(8), Int8(8, calibration=vectors[:200])
    index.add(vectors[:200])
    other.add(vectors[:200])
    low, high = index.low.copy(), index.high.copy()
    index.add(100 * vectors[200:] - 3)
    other.add(100 * vectors[200:] - 3)
    assert np.array_equal(index.low, low) and np.array_equal(index.high, high)
    assert np.array_equal(index.shelf.codes, other.shelf.codes) and np.array_equal(other.low, low)


def test_int8_scores_are_dot_products_with_what_the_codes_stand_for():
    rng = np.random.default_rng(2)
    for n, dim in [(1, 1), (40, 3), (300, 384)]:
        vectors, query = rng.normal(size=(n + 1, dim)), rng.normal(size=dim)
        low, high = calibrate(vectors)
        codes = to_int8(vectors, low, high)
        plain = [sum(float(a) * b for a, b in zip(row, query, strict=True)) for row in from_int8(codes, low, high)]
        assert int8_scores(query, codes, low, high) == pytest.approx(plain, abs=2e-5 * math.sqrt(dim))
        with use("quantize.from_int8", lambda *given: [row.tolist() for row in from_int8(*given)]):
            assert int8_scores(query, codes, low, high) == pytest.approx(plain, abs=2e-5 * math.sqrt(dim))


# Bits


@pytest.fixture(params=["counted by NumPy", "by table"])
def counting(request, monkeypatch):
    """Run a test twice, the second time as on a NumPy before 2.0, which counts no bits."""
    if request.param == "by table":
        monkeypatch.delattr(np, "bitwise_count", raising=False)


@pytest.mark.usefixtures("counting")
def test_sign_dot_is_the_dot_product_of_signs():
    rng = np.random.default_rng(3)
    for dim in [*range(1, 35), 255, 256, 257, 384, 1024, 4100]:
        vectors, query = rng.normal(size=(13, dim)), rng.normal(size=dim)
        vectors[0], vectors[1], vectors[2, ::3] = query, -query, 0
        signs, asked = np.where(vectors > 0, 1, -1), np.where(query > 0, 1, -1)
        bits, many = to_bits(query), to_bits(vectors)
        assert many.shape == (13, math.ceil(dim / 8)) and many.dtype == np.uint8
        assert sign_dot(bits, many, dim).tolist() == (signs @ asked).tolist()
        assert hamming(bits, many).tolist() == [int((row != asked).sum()) for row in signs]
        assert hamming(bits, many)[1] == dim and hamming(bits, many).dtype == np.int64
        assert bit_scores(query / np.linalg.norm(query), many) == pytest.approx(
            signs @ query / np.linalg.norm(query) / math.sqrt(dim), abs=1e-12)


def test_bits_left_over_never_count():
    """The last places of a row of bytes are no signs, whatever the index holds."""
    index = Binary(9)
    index.add([[1.0] * 9, [-1.0] * 9, [1.0] * 8 + [-1.0]])
    assert index.search([1.0] * 9) == [("0", 1.0), ("2", pytest.approx(7 / 9)), ("1", -1.0)]


def test_counts_of_all_bytes():
    assert quantize.COUNTS.tolist() == [sum(byte >> place & 1 for place in range(8)) for byte in range(256)]


# Memory

SIZES = [(7, 12), (300, 40), (33, 1024)]


@pytest.mark.parametrize("n, dim", SIZES)
def test_memory_is_that_of_real_arrays(n, dim):
    vectors = clustered(n, dim).astype(np.float32)
    low, high = calibrate(vectors)
    m = parts_for(dim)
    books = train_codebooks(vectors, m, rounds=1)
    assert memory(n, dim, "float32") == vectors.nbytes
    assert memory(n, dim, "float16") == vectors.astype(np.float16).nbytes
    assert memory(n, dim, "int8") == to_int8(vectors, low, high).nbytes
    assert memory(n, dim, "binary") == to_bits(vectors).nbytes
    assert memory(n, dim, "pq", m) == pq_encode(vectors, books).nbytes


@pytest.mark.parametrize("n, dim", SIZES)
def test_an_index_takes_the_codes_and_what_they_are_read_with(n, dim):
    vectors, m = clustered(n, dim), parts_for(dim)
    fixed = {"float16": 0, "int8": 2 * 4 * dim, "binary": 0, "pq": 4 * dim * min(n, 256)}
    for kind, made in [("float16", Float16), ("int8", Int8), ("binary", Binary), ("pq", PQ)]:
        index, kept = made(dim), made(dim, rescore=5)
        index.add(vectors)
        kept.add(vectors)
        assert index.nbytes == kept.nbytes == memory(n, dim, kind, m) + fixed[kind]
        assert (index.full_nbytes, kept.full_nbytes) == (0, memory(n, dim, "float32"))
    bits = Binary(dim, rescore=5, rescore_with="bits")
    bits.add(vectors)
    assert (bits.nbytes, bits.full_nbytes) == (memory(n, dim, "binary"), 0)


def test_a_million_vectors_of_1024():
    found = {kind: memory(10**6, 1024, kind, 128 if kind == "pq" else None) / 1e9
             for kind in ("float32", "float16", "int8", "binary", "pq")}
    assert found == {"float32": 4.096, "float16": 2.048, "int8": 1.024, "binary": 0.128, "pq": 0.128}


# Product quantization


def test_pq_scores_are_dot_products_with_the_entries():
    rng = np.random.default_rng(6)
    for n, m, entries, width in [(1, 1, 1, 1), (20, 3, 7, 2), (150, 8, 256, 5)]:
        books, vectors, query = rng.normal(size=(m, entries, width)), rng.normal(size=(n, m * width)), rng.normal(
            size=m * width)
        codes = pq_encode(vectors, books)
        plain = [[min(range(entries), key=lambda e, part=part, book=book: sum((part - book[e]) ** 2))
                  for part, book in zip(split(vector, m), books, strict=True)] for vector in vectors]
        assert codes.dtype == np.uint8 and codes.tolist() == plain
        stand_for = np.array([np.concatenate([book[c] for book, c in zip(books, row, strict=True)]) for row in codes])
        assert pq_scores(query, codes, books) == pytest.approx(stand_for @ query, abs=1e-12)
        assert pq_scores(query, np.zeros((0, m)), books).tolist() == []


def test_nearest_takes_the_lower_number_and_nothing_at_all():
    entries = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    assert nearest(np.array([[0.9, 0.1], [0.5, 0.5], [0.0, 0.7]]), entries).tolist() == [0, 0, 1]
    assert nearest(np.zeros((0, 2)), entries).tolist() == []


def test_codebooks_are_found_again_and_get_better_by_rounds():
    vectors = clustered(600, 12)

    def error(books):
        codes = pq_encode(vectors, books)
        return np.sum((books[np.arange(len(books)), codes].reshape(len(vectors), -1) - vectors) ** 2)

    errors = [error(train_codebooks(vectors, 4, k=16, rounds=rounds)) for rounds in (0, 1, 2, 5, 20)]
    assert errors == sorted(errors, reverse=True) and errors[-1] < errors[0]
    assert error(train_codebooks(vectors, 4, k=64)) < errors[-1] < error(train_codebooks(vectors, 4, k=4))
    one, two = (train_codebooks(vectors, 4, seed=7) for _ in range(2))
    assert np.array_equal(one, two) and one.dtype == np.float32 and one.shape == (4, 256, 3)
    assert not np.array_equal(one, train_codebooks(vectors, 4, seed=8))


def test_as_many_entries_as_vectors_lose_nothing():
    vectors = normalize(clustered(90, 6))
    books = train_codebooks(vectors, 2)
    assert books.shape == (2, 90, 3)
    assert pq_scores(vectors[5], pq_encode(vectors, books), books) == pytest.approx(vectors @ vectors[5], abs=1e-6)


def test_codebooks_are_learned_from_some(monkeypatch):
    monkeypatch.setattr(product, "AT_MOST", 50)
    assert train_codebooks(clustered(400, 6), 3, rounds=2).shape == (3, 50, 2)


def test_an_entry_to_which_nothing_comes_stays():
    books = train_codebooks([[0.0], [0.0], [5.0]], 1, k=3)
    assert sorted(books.ravel().tolist()) == [0, 0, 5]


def test_parts_divide_the_width():
    assert [parts_for(dim) for dim in (1, 2, 8, 64, 100, 384, 768, 1024, 97)] == [1, 1, 1, 8, 10, 48, 96, 128, 1]
    for dim in range(1, 200):
        assert dim % parts_for(dim) == 0


def test_pq_one_vector_makes_no_codebooks():
    index = PQ(6)
    with pytest.raises(ValueError, match="One vector alone makes no codebooks; add at least two at first"):
        index.add([[1, 2, 3, 4, 5, 6]])
    assert len(index) == 0 and index.codebooks is None
    index.add([])
    trained = PQ(6, m=3, training=clustered(80, 6))
    trained.add([[1, 2, 3, 4, 5, 6]])
    assert trained.shelf.codes.shape == (1, 3) and len(trained.search([1, 1, 1, 1, 1, 1])) == 1


# What all indexes of codes do

DIM = 24
MAKERS = {
    "float16": lambda **how: Float16(DIM, **how),
    "int8": lambda **how: Int8(DIM, calibration=clustered(50, DIM, seed=9), **how),
    "binary": lambda **how: Binary(DIM, **how),
    "bits": lambda **how: Binary(DIM, rescore_with="bits", **how),
    "pq": lambda **how: PQ(DIM, training=clustered(50, DIM, seed=9), **how),
}


@pytest.fixture(params=MAKERS)
def make(request):
    return MAKERS[request.param]


def test_in_one_go_and_in_several(make):
    vectors, query = clustered(150, DIM), clustered(1, DIM, seed=4)[0]
    whole, pieces = make(rescore=20), make(rescore=20)
    whole.add(vectors)
    for start in (0, 1, 30, 31):
        pieces.add(vectors[start : {0: 1, 1: 30, 30: 31, 31: 150}[start]])
    assert whole.ids == pieces.ids == [str(i) for i in range(150)] and len(whole) == len(pieces) == 150
    assert np.array_equal(whole.shelf.codes, pieces.shelf.codes)
    for how in (0, None, 60):
        assert whole.search(query, 7, rescore=how) == pieces.search(query, 7, rescore=how)
    assert all(type(id) is str and type(score) is float for id, score in whole.search(query))


def test_rescoring_all_is_exact_search(make):
    vectors, queries = clustered(120, DIM), clustered(8, DIM, seed=4)
    exact, index = Exact(DIM), make(rescore=120)
    exact.add(vectors)
    index.add(vectors)
    if getattr(index, "by_bits", False):
        signs = np.where(vectors > 0, 1.0, -1.0)
        exact = Exact(DIM)  # of the signs: it is the query alone that keeps its digits
        exact.add(signs)
    for query in queries:
        for k in (1, 10, 120, 500):
            wanted, found = exact.search(query, k), index.search(query, k)
            assert [id for id, _ in found] == [id for id, _ in wanted]
            assert [score for _, score in found] == pytest.approx([score for _, score in wanted], abs=1e-7)


def test_what_a_search_has_looked_at(make):
    index = make(rescore=15)
    index.add(clustered(100, DIM))
    query = clustered(1, DIM, seed=4)[0]
    by_bits = getattr(index, "by_bits", False)
    for given, k, depth in [(None, 3, 15), (0, 3, 0), (40, 3, 40), (2, 10, 10), (500, 3, 100)]:
        assert len(index.search(query, k, rescore=given)) == k
        assert (index.codes_read, index.distances) == ((100 + depth, 0) if by_bits else (100, depth))


def test_a_second_look_finds_more():
    vectors, queries = clustered(1_500, 64, spread=1.0), clustered(20, 64, seed=1, spread=1.0)
    exact = Exact(64)
    exact.add(vectors)
    wanted = [{id for id, _ in exact.search(query)} for query in queries]

    def share(index, **how):
        if not len(index):
            index.add(vectors)
        return np.mean([len({id for id, _ in index.search(query, **how)} & best) / 10
                        for query, best in zip(queries, wanted, strict=True)])

    binary = Binary(64, rescore=100)
    found = [share(binary, rescore=depth) for depth in (0, 10, 30, 100, 400, 1_500)]
    assert found == sorted(found) and found[0] == found[1] < found[2] < found[3] and found[-1] == 1
    assert share(Float16(64)) >= share(Int8(64)) > share(Binary(64, 100, "bits")) > found[0]
    assert share(PQ(64, rescore=100)) > share(PQ(64)) > found[0]


def test_ties_are_equal_and_by_id(make):
    """Equal vectors have equal scores wherever they stand, and come in the order of their ids, as strings."""
    vectors = np.repeat(clustered(3, DIM), 400, axis=0)[np.random.default_rng(1).permutation(1_200)]
    index = make(rescore=300)
    index.add(vectors)
    query = clustered(1, DIM, seed=4)[0]
    for how in (0, None):
        found = index.search(query, 1_200 if how == 0 else 250, rescore=how)
        assert len({score for _, score in found}) <= 3
        assert found == sorted(found, key=lambda pair: (-pair[1], pair[0]))
    again = make(rescore=2)
    again.add([vectors[0]] * 5, ids=["b", "10", "9", "a", "1"])
    for how in (0, 2, 4):
        assert [id for id, _ in again.search(query, 2, rescore=how)] == ["1", "10"]


def test_few_none_and_zeros(make):
    index = make(rescore=3)
    assert index.search([1.0] * DIM) == [] and len(index) == 0
    index.add(np.zeros((0, DIM)))
    index.add([[0.0] * DIM, [1.0] * DIM, [-1.0] * DIM, [0.0] * DIM], ids=["zero", "one", "minus", "0"])
    for how in (0, None):
        assert index.search([0.0] * DIM, 9, rescore=how) == [("0", 0.0), ("minus", 0.0), ("one", 0.0), ("zero", 0.0)]
        found = index.search([2.0] * DIM, 3, rescore=how)
        assert [id for id, _ in found] == ["one", "0", "zero"] and [score for _, score in found[1:]] == [0, 0]
        assert -1 <= min(score for _, score in index.search([2.0] * DIM, rescore=how))
        assert max(score for _, score in index.search([2.0] * DIM, rescore=how)) <= 1


def test_nothing_is_added_when_something_is_wrong(make):
    index = make(rescore=2)
    index.add([[1.0] * DIM, [2.0] * (DIM - 1) + [0.0]], ids=["a", "b"])
    one = [1.0] * DIM
    before = index.search(one, rescore=0)
    for vectors, ids, error in [([one, one], ["c", "a"], ValueError), ([one, one], ["c", "c"], ValueError),
                                ([one], ["c", "d"], ValueError), ([[1.0] * (DIM + 1)], ["c"], ValueError),
                                ([[math.nan] * DIM], ["c"], ValueError), ([one], [7], TypeError),
                                ([one], "c", TypeError)]:
        with pytest.raises(error):
            index.add(vectors, ids)
        assert index.ids == ["a", "b"] and index.search(one, rescore=0) == before
    index.add([one])
    assert index.ids == ["a", "b", "2"]


def test_what_is_stored_cannot_be_written_over(make):
    index = make(rescore=2)
    index.add(clustered(3, DIM))
    for stored in (index.shelf.codes, index.shelf.vectors):
        if stored is not None:
            with pytest.raises(ValueError, match="read-only"):
                stored[...] = 1


def test_full_vectors_are_kept_only_for_a_second_look():
    for made in (Float16, Int8, Binary, PQ):
        index = made(8)
        index.add(clustered(20, 8))
        name = made.__name__
        with pytest.raises(ValueError, match=rf"This {name} keeps no full vectors .* make it {name}\(8, rescore=5\)"):
            index.search([1.0] * 8, rescore=5)
        assert len(index.search([1.0] * 8, rescore=0)) == 10
    bits = Binary(8, rescore_with="bits")
    bits.add(clustered(20, 8))
    assert len(bits.search([1.0] * 8, rescore=5)) == 10 and bits.full_nbytes == 0


def test_dense_search_runs_on_each(make):
    class Letters:
        """A text's vector counts its letters."""

        name, dim = "letters", DIM

        def encode_passages(self, texts):
            return np.array([[text.count(chr(97 + i)) - 0.1 for i in range(DIM)] for text in texts])

        encode_queries = encode_passages

    texts = ["annual leave", "amount owing", "server outage", "parking", "travel costs"]
    dense = Dense(texts, Letters(), make(rescore=5))
    assert [dense.search(text, k=1)[0].id for text in texts] == ["0", "1", "2", "3", "4"]
    assert len(dense.search("leave", k=99)) == 5


# A learner's functions


def test_the_indexes_run_on_a_learners_functions():
    vectors = clustered(40, 10)

    def as_list(function):
        return lambda *given: np.asarray(function(*given)).tolist()

    names = ("to_int8", "to_bits", "hamming", "sign_dot", "pq_encode", "pq_scores", "split", "from_int8")
    plain = {name: as_list(getattr(quantize, name)) for name in names}
    for made in (Int8, Binary, PQ):
        own = made(10, rescore=5)
        own.add(vectors)
        wanted = [own.search(vectors[3], rescore=how) for how in (0, 5)]
        undo = [use(f"quantize.{name}", function) for name, function in plain.items()]  # lists in place of arrays
        try:
            index = made(10, rescore=5)
            index.add(vectors)
            found = [index.search(vectors[3], rescore=how) for how in (0, 5)]
        finally:
            for each in undo:
                use(each.name)
        assert [[id for id, _ in each] for each in found] == [[id for id, _ in each] for each in wanted]
    binary = Binary(10, rescore=5)
    with use("quantize.to_bits", lambda v: np.zeros((len(v), 2), np.uint8)):
        binary.add(vectors)
        assert [id for id, _ in binary.search(vectors[3], 3, rescore=0)] == ["0", "1", "10"]  # all alike: ties by id
    with use("quantize.rescore", lambda q, positions, v, k: [(0, 0.5)]):
        assert len(binary.search(vectors[3], 3)) == 1
    int8 = Int8(10)
    with use("quantize.calibrate", lambda v: ([-2.0] * 10, [2.0] * 10)):
        int8.add(vectors)
        assert int8.high.tolist() == [2.0] * 10


WRONG = [("quantize.to_int8", Int8), ("quantize.calibrate", Int8), ("quantize.from_int8", Int8),
         ("quantize.to_bits", Binary), ("quantize.hamming", Binary), ("quantize.sign_dot", Binary),
         ("quantize.pq_encode", PQ), ("quantize.pq_scores", PQ), ("quantize.split", PQ), ("quantize.rescore", Binary)]


@pytest.mark.parametrize("gives", [None, 5, "ab", [1, 2, 3], [[1, 2], [3]], [("a", 1.0)], [(99, 1.0)]], ids=repr)
@pytest.mark.parametrize("task, made", WRONG)
def test_a_function_that_gives_something_else_is_named(task, made, gives):
    with use(task, lambda *_: gives), pytest.raises(ValueError, match=rf'use\("{task}"\) puts the course\'s own back'):
        index = made(10, rescore=3)
        index.add(clustered(20, 10))
        index.search([1.0] * 10)


@pytest.mark.parametrize("task, made", WRONG)
def test_a_function_that_raises_is_named(task, made):
    def broken(*_):
        raise RuntimeError("oops")

    index = made(10, rescore=3)
    with use(task, broken), pytest.raises(RuntimeError, match="oops") as caught:
        index.add(clustered(20, 10))
        index.search([1.0] * 10)
    assert f'use("{task}") puts the course\'s own back.' in caught.value.__notes__[0]


def test_codes_that_do_not_fit_are_refused():
    with use("quantize.to_int8", lambda v, low, high: np.full(v.shape, 200)):
        with pytest.raises(ValueError, match="to_int8 gave 200, which is no int8"):
            Int8(4).add(clustered(5, 4))
    with use("quantize.to_bits", lambda v: np.full((len(v), 1), 0.5)):
        with pytest.raises(ValueError, match="to_bits gave 0.5, which is no uint8"):
            Binary(4).add(clustered(5, 4))


# Bad input

BOOKS = np.zeros((2, 3, 2))
BAD = [
    (lambda: memory(10, 4, "int4"), "no kind 'int4'; there are float32, float16, int8, binary and pq"),
    (lambda: memory(10, 4, ["pq"]), r"no kind \['pq'\]"),
    (lambda: memory(-1, 4, "int8"), "n is -1; it is a whole number from 0"),
    (lambda: memory(2.5, 4, "int8"), "n is 2.5; it is a whole number"),
    (lambda: memory(10, 0, "int8"), "dim is 0; it is a whole number from 1"),
    (lambda: memory(10, 4, "pq"), "m is None; it is a whole number from 1"),
    (lambda: memory(10, 4, "pq", 5), "no more than 4 parts"),
    (lambda: calibrate([[1, 2]]), "at least two vectors"),
    (lambda: calibrate([1, 2]), "at least two vectors"),
    (lambda: calibrate([]), "at least two vectors"),
    (lambda: calibrate([[1, math.nan], [1, 2]]), "nan or infinity"),
    (lambda: to_int8([[1, 2]], [0], [1]), r"1 low and 1 high ends for numbers of the shape \(1, 2\)"),
    (lambda: to_int8(1.0, [0], [1]), "each dimension has one of both"),
    (lambda: to_int8([[1, 2]], [0, 1], [1, 0]), "In dimension 1 the high end is below the low one"),
    (lambda: from_int8([[1, 2]], [0, 1, 2], [1, 2, 3]), "3 low and 3 high ends"),
    (lambda: from_int8([["a", "b"]], [0, 1], [1, 2]), "holds numbers only"),
    (lambda: to_bits(3.0), "a single number"),
    (lambda: to_bits([math.nan]), "nan or infinity"),
    (lambda: hamming([1, 2], [[1, 2, 3]]), "of its width"),
    (lambda: hamming([1, 2], [1, 2]), "of its width"),
    (lambda: hamming([[1, 2]], [[1, 2]]), "of its width"),
    (lambda: hamming([1, 256], [[1, 2]]), "whole numbers from 0 to 255"),
    (lambda: hamming([1, 0.5], [[1, 2]]), "whole numbers from 0 to 255"),
    (lambda: sign_dot([1, 2], [[1, 2]], 17), "17 signs fill 3 bytes, and these rows have 2"),
    (lambda: sign_dot([1, 2], [[1, 2]], 0), "dim is 0"),
    (lambda: rescore([1, 0], [0], [[1, 0]], 0), "at least 1 result"),
    (lambda: rescore([1, 0], [0, 1], [[1, 0]], 1), "no vector at position 1; the last of 1 stands at 0"),
    (lambda: rescore([1, 0], [-1], [[1, 0]], 1), "A position is -1"),
    (lambda: rescore([1, 0, 0], [0], [[1, 0]], 1), "2 numbers wide and 3 are expected"),
    (lambda: split([1, 2, 3], 2), "can't be cut into 2 parts of one width"),
    (lambda: split([1, 2, 3], 0), "m is 0"),
    (lambda: split([[1, 2, 3]], 3), "has 2 dimensions"),
    (lambda: pq_encode([[1, 2, 3]], BOOKS), "3 numbers wide and 4 are expected"),
    (lambda: pq_encode([[1, 2, 3, 4]], np.zeros((2, 257, 2))), "with 1 to 256 entries"),
    (lambda: pq_encode([[1, 2, 3, 4]], np.zeros((2, 2))), "Codebooks are"),
    (lambda: pq_scores([1, 2, 3], [[0, 0]], BOOKS), "3 numbers wide and 4 are expected"),
    (lambda: pq_scores([1, 2, 3, 4], [[0, 3]], BOOKS), "whole numbers from 0 to 2"),
    (lambda: pq_scores([1, 2, 3, 4], [[0, -1]], BOOKS), "whole numbers from 0 to 2"),
    (lambda: pq_scores([1, 2, 3, 4], [[0, 0.5]], BOOKS), "whole numbers from 0 to 2"),
    (lambda: pq_scores([1, 2, 3, 4], [0, 0], BOOKS), "a table of 2 columns"),
    (lambda: train_codebooks([[1, 2]], 1), "at least two vectors"),
    (lambda: train_codebooks([[1, 2, 3], [3, 4, 5]], 2), "can't be cut into 2 parts"),
    (lambda: train_codebooks([[1, 2], [3, 4]], 2, k=257), "no more than 256 entries"),
    (lambda: PQ(10, m=3), "can't be cut into 3 parts"),
    (lambda: PQ(10, m=0), "m is 0"),
    (lambda: PQ(10, seed=-1), "seed is -1"),
    (lambda: Binary(0), "dim is 0"),
    (lambda: Float16(2.5), "dim is 2.5"),
    (lambda: Int8(True), "dim is True"),
    (lambda: Int8(4, rescore=-1), "rescore is -1; it is a whole number from 0"),
    (lambda: Binary(4, rescore=True), "rescore is True"),
    (lambda: Binary(4, 10, "float16"), "rescore_with is 'float16'; it is 'float32' or 'bits'"),
    (lambda: Binary(4).search([1, 2, 3]), "3 numbers wide and this index 4"),
    (lambda: Binary(2).search([1, math.nan]), "nan or infinity"),
    (lambda: Binary(2).search([1, 2], 0), "at least 1 result"),
    (lambda: Binary(2, 5).search([1, 2], rescore=0.5), "rescore is 0.5"),
    (lambda: Binary(2).add([1, 2]), r"into a list: \[vector\]"),
    (lambda: Int8(2, calibration=[[1, 2, 3], [4, 5, 6]]), "3 numbers wide and 2 are expected"),
    (lambda: Shelf(2, 1, np.uint8, -1, False), "rescore is -1"),
]


@pytest.mark.parametrize("call, said", BAD, ids=[f"{i} {said[:40]}" for i, (_, said) in enumerate(BAD)])
def test_bad_input_gets_one_sentence(call, said):
    with pytest.raises(ValueError, match=said) as caught:
        call()
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".")
