"""Cosine: the plain and the fast form agree, nothing is nan, ties are ties, and bad input gets one sentence."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from firstprinciples.index import as_k, as_matrix, as_vector
from firstprinciples.index.cosine import (
    Exact,
    angle,
    dots,
    in_range,
    norm,
    normalize,
    similarities,
    similarity,
    top_k,
)
from firstprinciples.swap import use


def plain(a, b):
    """The three lines of the lesson."""
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    lengths = math.sqrt(sum(x * x for x in a)) * math.sqrt(sum(y * y for y in b))
    return dot / lengths if lengths else 0.0


def test_the_plain_form_and_the_fast_ones_agree():
    rng = np.random.default_rng(4)
    for n, width in [(1, 1), (7, 2), (40, 3), (25, 384)]:
        table, query = rng.normal(size=(n, width)), rng.normal(size=width)
        table[0] = 0
        wanted = [plain(query, row) for row in table]
        assert similarities(query, table) == pytest.approx(wanted, abs=1e-12)
        assert [similarity(query, row) for row in table] == pytest.approx(wanted, abs=1e-12)
        assert normalize(table) == pytest.approx(np.array([row / (norm(row) or 1) for row in table]), abs=1e-12)
        assert [norm(row) for row in table] == pytest.approx([math.hypot(*row) for row in table], rel=1e-14)


def test_normalize_once():
    """Dot products of normalized vectors are cosines; distance, dot product and angle give the same order."""
    rng = np.random.default_rng(5)
    table, query = rng.normal(size=(200, 24)) * rng.uniform(0.1, 30, size=(200, 1)), rng.normal(size=24)
    rows, unit = normalize(table), normalize(query)
    cosines = similarities(query, table)
    assert rows @ unit == pytest.approx(cosines, abs=1e-12)
    distances = np.sum((rows - unit) ** 2, axis=1)
    assert distances == pytest.approx(2 - 2 * cosines, abs=1e-12)
    order = [position for position, _ in top_k(cosines, 200)]
    assert order == np.argsort(distances).tolist()
    assert order == np.argsort([angle(query, row) for row in table]).tolist()
    assert order != np.argsort(-(table @ query)).tolist()  # the lengths differ, and the dot product hears it
    assert normalize(rows) == pytest.approx(rows, abs=1e-15)  # twice is harmless


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e-20, 1e-8, 1.0, 1e8, 1e200, 1e300])
@pytest.mark.parametrize("other", [1e-300, 1e-20, 1.0, 1e200])
def test_any_length(size, other):
    a, b = [3 * size, 4 * size], [8 * other, 6 * other]
    with np.errstate(all="raise", under="ignore"):
        assert norm(a) / size == pytest.approx(5)
        assert similarity(a, b) == pytest.approx(0.96)
        assert similarities(a, [b, [0, 0]]) == pytest.approx([0.96, 0])
        assert normalize([a, b]) == pytest.approx(np.array([[0.6, 0.8], [0.8, 0.6]]))
        index = Exact(dim=2)
        index.add([b, [0, 0], [-other, 0]])
        assert [id for id, _ in index.search(a)] == ["0", "1", "2"]


def test_the_ends_of_what_a_float_holds():
    tiny, huge = 5e-324, 1.7e308
    assert similarity([tiny, tiny], [1, 1]) == pytest.approx(1)
    assert similarity([huge, huge], [-huge, -huge]) == pytest.approx(-1)
    assert normalize([[tiny, 0], [huge, huge]]) == pytest.approx(np.array([[1, 0], [0.5**0.5, 0.5**0.5]]))
    assert norm([tiny]) == tiny
    with np.errstate(over="ignore"):
        assert norm([huge, huge]) == math.inf  # the length itself is beyond; the cosine above is not


def test_scaling_by_a_power_of_two_loses_no_digit():
    a = np.array([0.1, 0.7, -0.3])
    scaled = in_range(a)
    factor = Fraction(scaled[0]) / Fraction(a[0])
    assert [Fraction(x) * factor for x in a] == [Fraction(x) for x in scaled]
    assert in_range(np.zeros((2, 3))).tolist() == [[0, 0, 0], [0, 0, 0]]


def test_never_beyond_one():
    generator = random.Random(6)
    for _ in range(3000):
        a = [generator.uniform(-1, 1) for _ in range(generator.randint(1, 6))]
        for factor in (1, 3, -0.1):
            b = [factor * x for x in a]
            assert -1 <= similarity(a, b) <= 1
            assert 0 <= angle(a, b) <= 180
            assert abs(similarities(a, [b])[0]) <= 1
    index = Exact(dim=3)
    index.add(np.random.default_rng(1).normal(size=(500, 3)))
    assert max(index.search(row, k=1)[0][1] for row in index.rows.astype(float)) <= 1


def test_zeros():
    assert similarity([0, 0], [0, 0]) == similarity([0.0, 0.0], [1, 2]) == 0.0
    assert angle([0, 0], [1, 2]) == 90
    assert similarities([0, 0], [[1, 2], [0, 0]]).tolist() == [0, 0]
    assert normalize([0, 0]).tolist() == [0, 0] and normalize([[0, 0], [0, 5]]).tolist() == [[0, 0], [0, 1]]


def test_lists_whole_numbers_and_small_types():
    for given in ([3, 4], (3, 4), np.array([3, 4]), np.array([3, 4], dtype=np.uint8), np.array([3, 4], np.float16)):
        assert norm(given) == 5 and normalize(given).tolist() == [0.6, 0.8]
    large = np.array([100, 100], dtype=np.int8)  # 100 * 100 does not fit an int8
    assert norm(large) == pytest.approx(141.42, abs=0.01) and similarity(large, [1, 1]) == pytest.approx(1)


def test_what_is_handed_in_stays_as_it_is():
    table, query = np.array([[3.0, 4.0], [0.0, 2.0]]), np.array([1.0, 2.0])
    kept = table.copy(), query.copy()
    normalize(table), normalize(query), similarities(query, table), similarity(query, table[0]), norm(query)
    index = Exact(dim=2)
    index.add(table), index.search(query)
    assert np.array_equal(table, kept[0]) and np.array_equal(query, kept[1])
    out = normalize(table)
    out[:] = 7
    index.add(table, ids=["x", "y"])
    table[:] = 9
    assert np.array_equal(index.rows[2:], index.rows[:2])


# Ties


def test_equal_rows_get_equal_numbers_wherever_they_stand():
    """A matrix product does not promise that: it adds up the last rows of a block in another order."""
    rng = np.random.default_rng(7)
    for n in (2, 3, 5, 9, 33, 101):
        for width in (1, 2, 5, 17, 65, 129, 384, 385):
            row, query = rng.normal(size=width), rng.normal(size=width)
            for kind in (np.float32, np.float64):
                assert len(set(dots(np.tile(row, (n, 1)).astype(kind), query.astype(kind)).tolist())) == 1
            index = Exact(width)
            index.add(np.tile(row, (n, 1)))
            assert [id for id, _ in index.search(query, k=n)] == sorted(map(str, range(n)))


def test_top_k_agrees_with_sorting_all():
    generator = random.Random(8)
    for _ in range(400):
        values = [generator.choice([-1, -0.5, 0, -0.0, 0.25, 0.5, 1]) for _ in range(generator.randint(1, 60))]
        k = generator.randint(1, 70)
        assert top_k(values, k) == sorted(enumerate(values), key=lambda pair: (-pair[1], pair[0]))[:k]
    assert top_k(np.array([], dtype=float), 3) == []


def test_ties_by_id_as_strings():
    index = Exact(dim=2)
    index.add([[1, 1]] * 12)
    assert [id for id, _ in index.search([1, 0], k=4)] == ["0", "1", "10", "11"]
    index.add([[2, 2], [1, 0]], ids=["00", "zz"])
    assert [id for id, _ in index.search([1, 0], k=4)] == ["zz", "0", "00", "1"]


# Exact


def test_exact_agrees_with_similarities():
    rng = np.random.default_rng(9)
    table, query = rng.normal(size=(300, 20)) * rng.uniform(1e-3, 1e3, size=(300, 1)), rng.normal(size=20)
    index = Exact(20)
    for start in range(0, 300, 37):  # in several goes, so that the array has to grow
        index.add(table[start : start + 37])
    wanted = top_k(similarities(query, table), 10)
    found = index.search(query)
    assert [id for id, _ in found] == [str(position) for position, _ in wanted]
    assert [score for _, score in found] == pytest.approx([score for _, score in wanted], abs=1e-6)
    assert len(index) == 300 and index.rows.shape == (300, 20) and index.rows.dtype == np.float32
    assert index.vector("7") == pytest.approx(normalize(table[7]), abs=1e-6)
    assert all(type(id) is str and type(score) is float for id, score in found)


def test_the_quick_look_loses_nothing():
    """What float32 can't tell apart is compared again in float64: the same list as from all rows in float64."""
    rng = np.random.default_rng(10)
    for width, n in [(3, 900), (24, 700), (384, 500)]:
        center = rng.normal(size=width)
        table = center + rng.normal(size=(n, width)) * 10.0 ** rng.integers(-8, 0, size=(n, 1))  # many nearly alike
        index = Exact(width)
        index.add(table)
        cosines = np.clip(dots(index.rows.astype(float), normalize(center)), -1, 1)
        wanted = sorted(zip(index.ids, cosines.tolist(), strict=True), key=lambda pair: (-pair[1], pair[0]))
        for k in (1, 10, n - 1, n):
            assert index.search(center, k) == wanted[:k]


def test_exact_gives_what_there_is():
    index = Exact(dim=3)
    assert index.search([1, 2, 3]) == []
    index.add([])
    index.add(np.zeros((0, 3)))
    index.add([[0, 0, 0], [1, 0, 0]], ids=["zero", "one"])
    assert index.search([0, 0, 0], k=9) == [("one", 0.0), ("zero", 0.0)]
    assert index.search([-2, 0, 0], k=9) == [("zero", 0.0), ("one", -1.0)]
    index.add([[5, 5, 5]])
    assert index.ids == ["zero", "one", "2"]


def test_nothing_is_added_when_something_is_wrong():
    index = Exact(dim=2)
    index.add([[1, 0]], ids=["a"])
    for vectors, ids, error in [([[1, 2], [3, 4]], ["b", "a"], ValueError), ([[1, 2], [3, 4]], ["b", "b"], ValueError),
                                ([[1, 2]], ["b", "c"], ValueError), ([[1, 2, 3]], ["b"], ValueError),
                                ([[1, math.nan]], ["b"], ValueError), ([[1, 2]], [7], TypeError)]:
        with pytest.raises(error):
            index.add(vectors, ids)
        assert index.ids == ["a"] and len(index.rows) == 1


# A learner's functions


def test_the_index_runs_on_a_learners_functions():
    index = Exact(dim=2)
    with use("cosine.normalize", lambda vectors: np.asarray(vectors, dtype=float)):
        index.add([[3, 4], [1, 0]])
        assert index.rows.tolist() == [[3, 4], [1, 0]]
        assert index.search([2, 1], k=2) == [("0", 10.0), ("1", 2.0)]  # no cosines, and it can be seen
    with use("cosine.top_k", lambda values, k: [(0, float(values[0]))]):
        assert index.search([1, 0], k=2) == [("0", 3.0)]
    with use("cosine.norm", lambda a: 10.0):
        assert similarity([3, 4], [3, 4]) != 1
    with use("cosine.normalize", lambda vectors: vectors), use("cosine.normalize", lambda vectors: None):
        with pytest.raises(ValueError, match=r'return missing\? use\("cosine.normalize"\) puts'):
            index.search([1, 0])


# Bad input

BAD = [
    (lambda: norm([]), "has no number in it"),
    (lambda: norm([1, math.nan]), "holds nan or infinity"),
    (lambda: norm([[1, 2]]), "has 2 dimensions"),
    (lambda: norm(["a", "b"]), "holds numbers only"),
    (lambda: norm([None, 1]), "holds numbers only"),
    (lambda: norm([1j]), "holds numbers only"),
    (lambda: norm(3), "has 0 dimensions"),
    (lambda: similarity([1, 2], [1, 2, 3]), "2 and 3 numbers wide"),
    (lambda: similarity([1], [1, 2, 3]), "1 and 3 numbers wide"),
    (lambda: similarity([1, math.inf], [1, 2]), "nan or infinity"),
    (lambda: normalize([[1, 2], [3]]), "not all of one width"),
    (lambda: normalize(np.zeros((2, 2, 2))), "has 3 dimensions"),
    (lambda: normalize([]), "no number in it"),
    (lambda: normalize(np.array([1, "b"], dtype=object)), "holds numbers only"),
    (lambda: similarities([1, 2], [[1, 2, 3]]), "3 numbers wide and 2 are expected"),
    (lambda: similarities([1, 2], [1, 2]), r"into a list: \[vector\]"),
    (lambda: top_k([1, 2], 0), "at least 1 result"),
    (lambda: top_k([1, 2], 1.5), "whole number of results"),
    (lambda: top_k([1, math.nan], 1), "nan or infinity"),
    (lambda: top_k([1, 2], True), "whole number of results"),
    (lambda: top_k(3, 1), "has 0 dimensions"),
    (lambda: top_k([[1, 2], [3, 4]], 1), "has 2 dimensions"),
    (lambda: top_k(np.zeros((2, 0)), 1), "has 2 dimensions"),
    (lambda: normalize(3), "has 0 dimensions"),
    (lambda: norm(np.array([1, 2], dtype=object)), r"makes floats of them"),
    (lambda: norm([10**25, 1]), r"makes floats of them"),
    (lambda: norm(np.array([np.longdouble("1e400"), 1])), "nan or infinity"),
    (lambda: Exact(0), "width of a vector"),
    (lambda: Exact(2.5), "width of a vector"),
    (lambda: Exact(2).add([1, 2]), r"into a list: \[vector\]"),
    (lambda: Exact(2).add([[1, 2, 3]]), "3 numbers wide and 2 are expected"),
    (lambda: Exact(2).add([[1, 2]], ids=["a", "b"]), "1 vectors and 2 ids"),
    (lambda: Exact(2).add([[1, 2], [3, 4]], ids=["a", "a"]), "'a' is there twice"),
    (lambda: Exact(2).search([1, 2, 3]), "3 numbers wide and this index 2"),
    (lambda: Exact(2).search([1, 2], k=0), "at least 1 result"),
    (lambda: Exact(2).search([1, 2], k="3"), "whole number of results"),
    (lambda: as_vector(np.ma.masked_array([1, 2], mask=[0, 0])[:0]), "no number in it"),
    (lambda: as_matrix([[1, 2]], 3), "can't be compared"),
    (lambda: as_k(None), "whole number of results"),
]


@pytest.mark.parametrize("call, said", BAD, ids=[said for _, said in BAD])
def test_bad_input_gets_one_sentence(call, said):
    with pytest.raises(ValueError, match=said) as caught:
        call()
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".")


def test_an_id_that_is_no_string_or_not_there():
    index = Exact(dim=2)
    with pytest.raises(TypeError, match="An id is a string, and 7 is none; write '7'"):
        index.add([[1, 2]], ids=[7])
    with pytest.raises(KeyError, match="There is no vector 'nobody' in this index"):
        index.vector("nobody")


def test_a_text_is_no_list_of_ids():
    with pytest.raises(TypeError, match=r"'ab' is one string where a list of ids is needed"):
        Exact(dim=2).add([[1, 2], [2, 1]], ids="ab")


def test_what_is_stored_cannot_be_written_over():
    index = Exact(dim=2)
    index.add([[3, 4]], ids=["a"])
    for given in (index.rows, index.vector("a")):
        with pytest.raises(ValueError, match="read-only"):
            given[...] = 7
    index.add([[4, 3]], ids=["b"])
    assert index.search([3, 4]) == [("a", pytest.approx(1)), ("b", pytest.approx(0.96))]


def test_rows_are_stored_in_blocks_and_none_is_lost(monkeypatch):
    monkeypatch.setattr("firstprinciples.index.cosine.BLOCK", 7)
    vectors = np.random.default_rng(3).standard_normal((40, 3))
    index = Exact(dim=3)
    for start, end in ((0, 1), (1, 20), (20, 20), (20, 40)):
        index.add(vectors[start:end])
    assert index.rows == pytest.approx(normalize(vectors), abs=1e-6)
    assert [id for id, _ in index.search(vectors[33], k=1)] == ["33"]


def test_a_normalize_that_fails_in_a_later_block_adds_nothing(monkeypatch):
    monkeypatch.setattr("firstprinciples.index.cosine.BLOCK", 2)
    index = Exact(dim=1)
    index.add([[1]])
    with use("cosine.normalize", lambda vectors: vectors if vectors[0, 0] < 3 else None):
        with pytest.raises(ValueError, match="normalize gave something other"):
            index.add([[1], [2], [3], [4]])
    assert len(index) == 1 and index.ids == ["0"] and index.rows.tolist() == [[1.0]]


@pytest.mark.parametrize("gives", [None, 5, "ab", [0, 1], [("a", 1.0)], [(7, 1.0)], [(0, None)], [(0, 1.0, 2)],
                                   np.int64(1)], ids=repr)
def test_a_top_k_that_gives_no_list_is_named(gives):
    index = Exact(dim=2)
    index.add([[3, 4], [4, 3]])
    with use("cosine.top_k", lambda similarities, k: gives):
        with pytest.raises(ValueError, match=r"^top_k gave .* puts the course's own back\.$"):
            index.search([1, 2])


@pytest.mark.parametrize("task", ["cosine.top_k", "cosine.normalize"])
def test_a_function_that_raises_is_named(task):
    def broken(*_):
        raise RuntimeError("oops")

    index = Exact(dim=2)
    index.add([[3, 4]])
    with use(task, broken), pytest.raises(RuntimeError, match="oops") as caught:
        index.search([1, 2])
    name = task.partition(".")[2]
    assert caught.value.__notes__ == [f'This was raised by {name}. use("{task}") puts the course\'s own back.']


def test_a_default_id_that_was_given_away():
    index = Exact(dim=1)
    index.add([[1]], ids=["1"])
    with pytest.raises(ValueError, match="a new id would be '1'"):
        index.add([[2]])
