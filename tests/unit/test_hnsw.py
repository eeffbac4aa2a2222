"""HNSW: plain and fast forms agree to the digit, the graph keeps its rules, what is hard for it is found or told."""

import errno
import io
import itertools
import json
import sys
import zipfile

import numpy as np
import pytest

from firstprinciples import blas
from firstprinciples.index import hnsw, hnsw_fast
from firstprinciples.index.cosine import Exact, normalize
from firstprinciples.index.hnsw import HNSW, distance, random_level, search_layer, select_neighbors
from firstprinciples.index.hnsw_bulk import choose_many, lower_bounds
from firstprinciples.index.hnsw_fast import Links, choose, walk
from firstprinciples.index.hnsw_trace import PSEUDOCODE
from firstprinciples.swap import use

EVENTS = {"level", "enter", "descend", "start", "take", "visit", "add", "too far", "drop", "stop", "choose", "refuse",
          "link", "shrink", "done"}
KINDS = ("even", "clustered", "copies", "flat")


def some(kind, n, dim, seed=0):
    """Return n vectors: evenly spread; in clusters; half of them copies and some all zeros; whole numbers, with ties.
    """
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(n, dim))
    if kind == "clustered":
        vectors = 0.2 * vectors + rng.normal(size=(12, dim))[rng.integers(0, 12, n)]
    if kind == "copies":
        vectors[rng.permutation(n)[: n // 2]] = vectors[0]
        vectors[n // 2 : n // 2 + 3] = 0
    if kind == "flat":
        vectors = rng.integers(-1, 2, size=(n, dim)).astype(float)
    return vectors


def built(vectors, how="one by one", **settings):
    """Return an index of vectors that was built in one of three ways."""
    index = HNSW(vectors.shape[1], **{"M": 5, "ef_construction": 30, **settings})
    if how == "halves":
        index.add(vectors[: len(vectors) // 2])
        index.add(vectors[len(vectors) // 2 :])
    else:
        index.add(vectors, bulk=how == "bulk")
    return index


def exact(vectors):
    """Return an exact index of vectors."""
    index = Exact(vectors.shape[1])
    index.add(vectors)
    return index


def recall(index, truth, queries, k=10, ef=64):
    """Return the mean share of the true k nearest that an index finds."""
    found = [({id for id, _ in index.search(q, k, ef)}, {id for id, _ in truth.search(q, k)}) for q in queries]
    return np.mean([len(a & b) / k for a, b in found])


@pytest.fixture
def plain_only(monkeypatch):
    """Replace the class's functions by ones that do the same, and forbid the fast forms."""
    def forbidden(*_):
        raise AssertionError("the fast form ran")

    calls = {"search_layer": 0, "select_neighbors": 0, "random_level": 0}

    def counted(name):
        own = getattr(hnsw, name)

        def function(*arguments):
            calls[name] += 1
            return own(*arguments)
        return function

    for name in ("walk", "choose", "bulk_lists"):
        monkeypatch.setattr(hnsw, name, forbidden)
    with use("hnsw.search_layer", counted("search_layer")), use("hnsw.random_level", counted("random_level")), \
            use("hnsw.select_neighbors", counted("select_neighbors")):
        yield calls


def test_levels():
    assert random_level(0.0) == 268 and random_level(1.0) == 0 and random_level(0.0, M=2) > 1000
    assert [random_level(u, M=10) for u in (0.11, 0.09, 0.011, 0.009)] == [0, 1, 1, 2]
    drawn = [random_level(u) for u in np.random.default_rng(0).random(20_000)]
    assert np.mean(np.array(drawn) >= 1) == pytest.approx(1 / 16, rel=0.05)
    assert np.mean(np.array(drawn) >= 2) == pytest.approx(1 / 256, rel=0.3)
    for M in (1, 0, -3):
        with pytest.raises(ValueError, match="M is"):
            random_level(0.5, M)
    for u in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="u is"):
            random_level(u)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dim", [1, 2, 3, 16, 33])
def test_plain_and_fast_agree_on_random_graphs(kind, dim):
    rng = np.random.default_rng(dim)
    vectors = normalize(some(kind, 150, dim)).astype(np.float32)
    links = Links(width=9)
    for position in range(len(vectors)):
        links.put(position, rng.permutation(150)[: rng.integers(0, 10)].tolist())
    graph = dict(links)
    for ef in (1, 2, 7, 40, 200):
        query = normalize(rng.normal(size=dim)).astype(np.float32) if ef != 7 else vectors[3]
        start = rng.permutation(150)[: rng.integers(1, 5)].tolist()
        found, compared = walk(query, start, ef, vectors, links)
        assert found == search_layer(query, start, ef, vectors, graph)
        assert found == sorted(set(found)) and len(found) <= min(ef, compared)
    for count, M in [(1, 3), (9, 4), (60, 8), (150, 16)]:
        new = int(rng.integers(150))
        chosen = rng.permutation(150)[:count].tolist()
        candidates = [(distance(vectors[p], vectors[new]), p) for p in chosen]
        wanted = select_neighbors(candidates, M, vectors)
        assert choose(candidates, M, vectors) == wanted
        ordered = sorted(candidates)
        positions = np.array([[p for _, p in ordered] + [-1, -1]])
        distances = np.array([[d for d, _ in ordered] + [np.inf, np.inf]])
        assert positions[choose_many(vectors, np.array([new]), positions, distances, M)].tolist() == wanted


@pytest.mark.parametrize("select", ["heuristic", "simple"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_class_gives_the_same_on_the_plain_functions(kind, select, plain_only, monkeypatch):
    vectors, queries = some(kind, 120, 6), some("even", 12, 6, seed=5)
    index = built(vectors, "bulk", select=select)  # a replaced function: one by one, whatever is asked
    found = [(index.search(q, 7, 9), index.distances) for q in queries]
    assert plain_only["search_layer"] >= 120 and plain_only["random_level"] == 120
    assert (plain_only["select_neighbors"] >= 119) == (select == "heuristic")
    for name in ("search_layer", "select_neighbors", "random_level"):
        use(f"hnsw.{name}")
    monkeypatch.undo()
    fast = built(vectors, select=select)
    assert fast.layers() == index.layers() and fast.entry_point == index.entry_point
    assert [(fast.search(q, 7, 9), fast.distances) for q in queries] == found
    assert fast.built_distances == index.built_distances


def test_a_replaced_function_knows_nothing_of_what_may_be_found(plain_only):
    vectors, queries = some("even", 150, 6), some("even", 12, 6, seed=5)
    index = built(vectors)
    index.delete([str(i) for i in range(0, 150, 2)])
    allowed = np.arange(150) % 3 == 0
    for q in queries:
        truth = [id for id, _ in exact(vectors).search(q, 150)]
        assert [id for id, _ in index.search(q, 10, 60)] == [id for id in truth if int(id) % 2][:10]
        wanted = [id for id in truth if int(id) % 6 == 3]
        assert [id for id, _ in index.search(q, 10, 60, allowed)] == wanted[:10]
        assert [id for id, _ in index.search(q, 40, 1, allowed)] == wanted


@pytest.mark.parametrize("how", ["one by one", "bulk", "halves"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_graph_keeps_its_rules(kind, how):
    vectors = some(kind, 300, 8)
    index = built(vectors, how)
    layers = index.layers()
    assert len(layers) == max(index.levels) + 1 and index.levels[index.entry_point] == max(index.levels)
    for number, layer in enumerate(layers):
        assert list(layer) == [p for p, level in enumerate(index.levels) if level >= number]
        for position, neighbors in layer.items():
            assert len(neighbors) <= (10 if number == 0 else 5)
            assert len(set(neighbors)) == len(neighbors) and position not in neighbors
            assert layer.keys() >= set(neighbors)
    reached, border = {index.entry_point}, [index.entry_point]
    while border:
        border = [n for p in border for n in layers[0][p] if n not in reached and not reached.add(n)]
    assert {index.id_at(p) for p in range(300)} - {index.id_at(p) for p in reached} == set(index.unreachable())
    if kind in ("even", "clustered"):
        assert not index.unreachable()
        assert recall(index, exact(vectors), some(kind, 40, 8, seed=1), ef=40) > 0.97


@pytest.mark.parametrize("kind", KINDS)
def test_searches_and_their_traces(kind):
    index = built(some(kind, 200, 5), "bulk")
    index.delete(["3", "50", "199"])
    for q in some("even", 8, 5, seed=2):
        found = index.search(q, 6, 8)
        assert len({id for id, _ in found}) == 6
        assert found == sorted(found, key=lambda pair: (-pair[1], pair[0]))
        steps = index.trace(q, 6, 8)
        assert [(index.id_at(p), 1 - d) for d, p in steps[-1].results] == found
        check_steps(steps, index)
        for step in steps[:-1]:
            assert list(step.candidates) == sorted(step.candidates) and list(step.results) == sorted(step.results)
        falling = {}
        for step in steps:  # where W keeps one, each node that the walk goes to is nearer than the last
            if step.event == "take" and step.layer > 0:
                assert step.distance < falling.get(step.layer, np.inf)
                falling[step.layer] = step.distance
        ways = [step.distance for step in steps if step.event in ("enter", "descend")]
        assert ways == sorted(ways, reverse=True)
        visited = {step.layer: len(step.visited) for step in steps}
        assert sum(visited.values()) == index.distances


def check_steps(steps, index):
    """Each step names a line that there is, and what it holds fits together."""
    height = max(len(index.layers()), 1)
    for step in steps:
        assert step.event in EVENTS and step.line in dict(PSEUDOCODE[step.algorithm])
        assert step.reason[-1] == "." and step.reason[0].isupper() or step.reason[0].isdigit(), step.reason
        assert step.node is None or step.event in ("done", "stop") or str(step.node) in step.reason
        assert 0 <= step.layer < height


@pytest.mark.parametrize("select", ["heuristic", "simple"])
@pytest.mark.parametrize("kind", KINDS)
def test_adding_with_a_trace_is_adding(kind, select):
    vectors = some(kind, 70, 4)
    index, told = HNSW(4, M=3, ef_construction=8, select=select), HNSW(4, M=3, ef_construction=8, select=select)
    events = set()
    for number, vector in enumerate(vectors):
        index.add([vector])
        steps = told.trace_add(vector)
        if number % 9 == 0:
            check_steps(steps, told)
        events |= {step.event for step in steps}
        layers = told.layers()
        for layer in {step.layer for step in steps if step.event == "choose"}:
            kept = [step.node for step in steps if step.event == "choose" and step.layer == layer]
            assert layers[layer][len(told) - 1] == kept
    assert index.layers() == told.layers() and index.entry_point == told.entry_point
    assert index.built_distances > 0
    assert events >= {"level", "enter", "descend", "start", "take", "visit", "add", "stop", "choose", "link", "shrink"}
    assert ("refuse" in events) == (select == "heuristic")


def test_the_trace_of_a_replaced_function_tells_what_it_asked_for():
    index = built(some("even", 60, 4))
    q = some("even", 1, 4, seed=9)[0]
    wanted = index.search(q, 3, 5)
    with use("hnsw.search_layer", lambda *arguments: search_layer(*arguments)):
        steps = index.trace(q, 3, 5)
        index.trace_add([1, 2, 3, 4], "new")
    check_steps(steps, index)
    assert [(index.id_at(p), 1 - d) for d, p in steps[-1].results] == wanted
    assert any(step.reason.startswith("Your search_layer asks") for step in steps) and "new" in index.position
    with use("hnsw.search_layer", lambda query, entry_points, ef, vectors, layer: [(0.5, entry_points[0])]):
        assert index.search(q, 1, 1)[0][1] == 0.5


def test_the_same_seed_the_same_digits():
    vectors, q = some("even", 200, 6), some("even", 1, 6, seed=3)[0]
    a, b, c = built(vectors), built(vectors), built(vectors, seed=1)
    assert a.layers() == b.layers() and a.search(q) == b.search(q) and a.search(q, ef=10) == a.search(q, ef=10)
    assert a.levels != c.levels
    assert built(vectors, "bulk").levels == a.levels
    assert built(vectors, "bulk").layers() == built(vectors, "bulk").layers()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("how", ["one by one", "bulk"])
def test_after_deleting_any_half_the_live_nearest_are_found(how, seed):
    vectors = some("clustered" if seed % 2 else "even", 240, 6, seed)
    index, truth = built(vectors, how), exact(vectors)
    gone = {str(i) for i in np.random.default_rng(seed).permutation(240)[:120]}
    index.delete(sorted(gone))
    assert len(index) == 120 == len(index.ids) and not gone & set(index.ids)
    found, wanted = 0, 0
    for q in some("even", 25, 6, seed=50 + seed):
        live = [id for id, _ in truth.search(q, 240) if id not in gone]
        answer = [id for id, _ in index.search(q, 10, 64)]
        assert len(answer) == 10 and not gone & set(answer)
        found, wanted = found + len(set(answer) & set(live[:10])), wanted + 10
        assert [id for id, _ in index.search(q, 300)] == live
    assert found / wanted > 0.98
    again = index.rebuilt()
    assert again.ids == index.ids and len(again.levels) == 120
    with pytest.raises(ValueError, match="Numbered on from 120, a new id would be"):
        again.add(vectors)
    again.add(vectors[:2], np.array(["x", "y"]))
    assert again.ids[-2:] == ["x", "y"] and type(again.ids[-1]) is str
    assert not set(index.unreachable()) & gone


def test_every_neighbor_of_the_query_deleted():
    vectors = some("even", 200, 4)
    index, truth, q = built(vectors), exact(vectors), vectors[17]
    order = [id for id, _ in truth.search(q, 200)]
    index.delete([index.id_at(p) for p in index.layers()[0][17]] + ["17"])
    live = [id for id in order if id in index.position]
    assert [id for id, _ in index.search(q, 10)] == live[:10]
    index.delete([id for id in order[:150] if id in index.position])
    assert [id for id, _ in index.search(q, 10)] == [id for id in order[150:] if id in index.position][:10]
    index.delete(index.ids)
    assert index.search(q) == [] and len(index) == 0 and index.unreachable() == []
    assert index.trace(q)[-1].results == ()
    index.add([q], ["17"])
    assert [id for id, _ in index.search(q)] == ["17"]


def test_an_id_deleted_and_added_again():
    index = built(some("even", 50, 4))
    index.delete("7")
    index.add([[9, 9, 9, 9.5]], ["7"])
    assert index.search([9, 9, 9, 9.5], 1)[0][0] == "7" and index.position["7"] == 50 and len(index) == 50
    assert index.id_at(7) == index.id_at(50) == "7"
    assert [id for id, _ in index.search([9, 9, 9, 9.5], 60)].count("7") == 1
    for unknown in (["7", "none"], "none", ["7", "7", "51"]):
        with pytest.raises(KeyError, match="nothing was deleted"):
            index.delete(unknown)
    for wrong, error in ((None, TypeError), (5, TypeError), ([5], KeyError), ([["7"]], KeyError)):
        with pytest.raises(error, match="nothing was deleted"):
            index.delete(wrong)
    assert "7" in index.position
    index.delete(["7", "7"])
    assert len(index) == 49
    with pytest.raises(KeyError):
        index.vector("7")
    with pytest.raises(IndexError):
        index.id_at(51)


@pytest.mark.parametrize("how", ["one by one", "bulk"])
def test_two_hundred_copies_and_twenty_others(how):
    rng = np.random.default_rng(8)
    vectors = np.concatenate([np.tile(rng.normal(size=12), (200, 1)), rng.normal(size=(20, 12))])
    index, lost = built(vectors, how), None
    lost = set(index.unreachable())
    for position in range(220):
        found = dict(index.search(vectors[position], 10))
        if position >= 200:
            assert str(position) in found or str(position) in lost
    assert {id for id, _ in index.search(vectors[0], 220)} == set(index.ids)
    near = index.search(vectors[0], 200)
    assert [id for id, _ in near] == sorted(str(i) for i in range(200)) and near[0][1] == near[-1][1]
    reached = 220 - len(lost)
    assert {id for id, _ in index.search(vectors[0], reached, 220)} & lost == set() or reached == 220


@pytest.mark.parametrize("how", ["one by one", "bulk", "halves"])
def test_one_outlier_among_a_hundred(how):
    rng = np.random.default_rng(9)
    for place in (0, 50, 100):
        vectors = rng.normal(size=8) + 0.02 * rng.normal(size=(101, 8))
        vectors[place] = -vectors[place]
        index = built(vectors, how)
        assert index.search(vectors[place], 1)[0][0] == str(place) or str(place) in index.unreachable()
        assert not index.unreachable()


def test_simple_neighbors_lose_the_way_between_clusters():
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(20, 16))[rng.permutation(600) % 20] + 0.05 * rng.normal(size=(600, 16))
    truth, queries = exact(vectors), vectors[rng.permutation(600)[:60]]
    heuristic = recall(built(vectors, "bulk", M=4), truth, queries, ef=20)
    simple = recall(built(vectors, "bulk", M=4, select="simple"), truth, queries, ef=20)
    assert heuristic > 0.95 and simple < heuristic - 0.2


def test_zeros_tiny_norms_and_the_distance_to_oneself():
    index = built(some("even", 40, 3), "bulk")
    assert [id for id, _ in index.search([0, 0, 0], 5)] == sorted(index.ids)[:5]
    assert {cosine for _, cosine in index.search([0, 0, 0], 50)} == {0.0} and index.distances == 0
    assert [index.id_at(p) for _, p in index.trace([0, 0, 0], 5)[-1].results] == sorted(index.ids)[:5]
    assert len(index.search([0, 0, 0], 5, allowed=np.arange(40) < 3)) == 3
    for size in (1e-20, 1e-200, 1e200):
        small = HNSW(3)
        small.add(size * some("even", 40, 3))
        assert small.layers() == built(some("even", 40, 3), "bulk", M=16, ef_construction=200).layers()
        assert small.search([size, 0, 0]) == small.search([1, 0, 0])
    for row in np.random.default_rng(1).normal(size=(300, 7)):
        unit = normalize(row).astype(np.float32)
        assert 0 <= distance(unit, unit) < 1e-6
    many = built(some("even", 200, 7))
    assert all(many.search(v, 1)[0][1] <= 1 for v in many.vectors)
    assert all(step.distance is None or step.distance >= 0 for step in many.trace(many.vectors[5]))


def test_few_and_many():
    index = HNSW(2)
    assert len(index) == 0 and index.search([1, 0]) == [] and index.layers() == [] and index.unreachable() == []
    assert index.trace([1, 0])[-1].event == "done" and index.nbytes == 0
    index.add([])
    index.add(np.zeros((0, 2)), [])
    assert index.entry_point is None
    index.add([[1, 0]])
    assert index.search([1, 1], 5)[0][0] == "0" and index.entry_point == 0
    index.add([[0, 1], [1, 1], [-1, 0]])
    assert [id for id, _ in index.search([1, 0.1], 10)] == ["0", "2", "1", "3"]
    assert index.search([1, 0.1], k=3, ef=1) == index.search([1, 0.1], k=3, ef=3)
    assert index.distances >= 4 and index.nbytes > 4 * 8
    with pytest.raises(ValueError, match="read-only"):
        index.vectors[0] = 0
    assert index.vector("2") == pytest.approx([0.5**0.5, 0.5**0.5])


def test_who_is_allowed():
    vectors = some("clustered", 250, 6)
    index, truth = built(vectors, "bulk"), exact(vectors)
    rng = np.random.default_rng(2)
    for share in (0.5, 0.1, 0.01, 0.0, 1.0):
        allowed = rng.random(250) < share
        for q in some("even", 6, 6, seed=3):
            wanted = [id for id, _ in truth.search(q, 250) if allowed[int(id)]][:10]
            assert [id for id, _ in index.search(q, 10, 200, allowed)] == wanted
    for wrong in ([True] * 249, np.ones(250), np.ones((250, 1), dtype=bool), [[True], []]):
        with pytest.raises(ValueError, match="allowed is a bool array"):
            index.search(vectors[0], allowed=wrong)


def test_what_is_refused():
    for arguments, words in [({"M": 1}, "M is 1"), ({"M": 2.5}, "M is 2.5"), ({"M": True}, "M is True"),
                             ({"M": 1001}, "1,000"), ({"ef_construction": 0}, "ef_construction is 0"),
                             ({"seed": -1}, "seed is -1"), ({"select": "best"}, "heuristic, simple"),
                             ({"select": ["simple"]}, "heuristic, simple")]:
        with pytest.raises(ValueError, match=words):
            HNSW(3, **arguments)
    with pytest.raises(ValueError, match="dim is 0"):
        HNSW(0)
    index = built(some("even", 30, 3))
    before = index.layers()
    for vectors, ids, error in [([[1, 2]], None, ValueError), ([[1, 2, float("nan")]], None, ValueError),
                                ([[1, 2, 3]], ["7"], ValueError), ([[1, 2, 3]], [7], TypeError),
                                ([[1, 2, 3]], "seven", TypeError), ([[1, 2, 3]], ["a", "b"], ValueError),
                                ([[1, 2, 3]] * 2, ["a", "a"], ValueError), ([1, 2, 3], None, ValueError),
                                ([[1, 2, 3]], 5, TypeError)]:
        with pytest.raises(error):
            index.add(vectors, ids)
    assert len(index) == 30 and index.layers() == before
    for k, ef, words in [(0, 5, "k is 0"), (1.5, 5, "k is 1.5"), (3, 0, "ef is 0"), (3, "x", "ef is 'x'")]:
        with pytest.raises(ValueError, match=words):
            index.search([1, 2, 3], k, ef)
    for q in ([1, 2], [1, 2, float("inf")], [[1, 2, 3]]):
        with pytest.raises(ValueError):
            index.search(q)


def test_stopped_in_bulk_nothing_is_added():
    def stop(done, n):
        if done > 0:
            raise KeyboardInterrupt

    index = built(some("even", 40, 3))
    before, q = index.layers(), [1, 2, 3]
    found = index.search(q)
    with pytest.raises(KeyboardInterrupt):
        index.add(some("even", 900, 3, seed=1), progress=stop)
    assert index.layers() == before and index.search(q) == found and len(index.levels) == 40
    told = []
    index.add(some("even", 900, 3, seed=1), progress=lambda done, n: told.append((done, n)))
    assert told[0] == (0, 900) and told[-1] == (900, 900) and told == sorted(told) and len(index) == 940


def state(index):
    """Return all that a search goes by, as plain values."""
    return (index.layers(), index.ids, index.levels[:], index.entry_point, dict(index.position),
            [index.id_at(position) for position in range(len(index.levels))], index.search([1, 2, 3], 99))


@pytest.mark.parametrize("how", ["bulk", "one by one", "traced"])
def test_stopped_at_any_line_of_what_is_written_down(how, tmp_path):
    """Ctrl-C comes where it likes: the index is as before, can be saved and loaded, and adding again works."""
    vectors = some("even", 24, 3)

    def add(index):
        if how == "traced":
            index.trace_add(vectors[15])
        else:
            index.add(vectors[15 : 16 if how == "one by one" else 17])

    def begun():
        index = HNSW(3, M=2, ef_construction=4, seed=18)
        index.add(vectors[:15])
        index.delete("4")
        return index

    def stopped(index, number):
        """Add, and raise KeyboardInterrupt at the line of that number within `_write`; say whether there was one."""
        lines = iter(range(number, -1, -1))

        def line(frame, event, _):
            if event == "line" and next(lines, None) == 0:
                raise KeyboardInterrupt
            return line

        def call(frame, event, _):
            return line if frame.f_code.co_name in ("_write", "put_all", "make_room", "_longer", "kept") else None

        before = sys.gettrace()
        sys.settrace(call)
        try:
            add(index)
        except KeyboardInterrupt:
            return True
        finally:
            sys.settrace(before)
        return False

    done, number, before = begun(), 0, state(begun())
    add(done)
    while stopped(index := begun(), number):
        assert state(index) == before, number
        if number % 5 == 0:
            index.save(tmp_path / "index.npz")
            assert state(HNSW.load(tmp_path / "index.npz")) == before
            add(index)
            assert state(index) == state(done)
        number += 1
    assert number > 30 and done.entry_point == 15  # a layer more than there was


def test_building_takes_one_blas_thread(monkeypatch):
    number, seen = [2], []
    monkeypatch.setattr(blas, "_blas", lambda: (lambda n: number.__setitem__(0, n), lambda: number[0]))
    index = HNSW(3)
    index.add(some("even", 40, 3), progress=lambda done, n: seen.append(number[0] if done else 1))
    index.add(some("even", 4, 3), progress=lambda done, n: seen.append(number[0] if done else 1), bulk=False)
    with use("hnsw.search_layer", lambda *given: seen.append(number[0]) or search_layer(*given)):
        index.trace_add([1, 2, 3])
    assert set(seen) == {1} and len(seen) > 8 and number == [2]


@pytest.mark.parametrize("name, given", [
    ("search_layer", lambda: iter(lambda: (0.1, 0), None)),  # a list that never ends
    ("search_layer", lambda: [(0.1, 0), (0.2, 0)]), ("search_layer", lambda: [(10**400, 0)]),
    ("select_neighbors", lambda: itertools.repeat(1)), ("select_neighbors", itertools.count)])
def test_endless_repeated_and_too_large(name, given):
    index = built(some("even", 30, 3))
    with use(f"hnsw.{name}", lambda *_: given()), pytest.raises(ValueError, match=f"{name} gave .* puts the"):
        index.add([[1, 2, 3]])
    with use("hnsw.search_layer", lambda query, entry_points, ef, *_: [(0.1, entry_points[0])] * ef), \
            pytest.raises(ValueError, match="each position once"):
        index.search([1, 2, 3], allowed=np.arange(30) == 7)
    with use("hnsw.random_level", lambda *_: 1101), pytest.raises(ValueError, match="from 0 to 1100"):
        index.add([[1, 2, 3]])
    assert len(index) == 30 == len(index.levels)


def test_a_replaced_function_can_not_write_into_the_index():
    def longer(query, *rest):
        query *= 2
        return search_layer(query, *rest)

    def emptied(candidates, M, vectors):
        vectors[0] = 0
        return select_neighbors(candidates, M, vectors)

    index = built(some("even", 30, 3))
    before = index.vectors.copy()
    for name, function in (("search_layer", longer), ("select_neighbors", emptied)):
        for add in (index.trace_add, lambda vector: index.add([vector])):
            with use(f"hnsw.{name}", function), pytest.raises(ValueError, match="read-only") as caught:
                add([1, 2, 3])
            assert f'use("hnsw.{name}")' in caught.value.__notes__[0]
    with use("hnsw.search_layer", longer), pytest.raises(ValueError, match="read-only"):
        index.search([1, 2, 3])
    assert np.array_equal(index.vectors, before)


@pytest.mark.parametrize("wrong", [None, [], 5, [3], [(0.1, 99_999)], [(float("nan"), 0)], [("a", "b")]])
def test_a_replaced_search_layer_that_gives_something_else(wrong):
    index = built(some("even", 30, 3))
    with use("hnsw.search_layer", lambda *_: wrong), pytest.raises(ValueError, match="search_layer gave .* puts the"):
        index.search([1, 2, 3])
    with use("hnsw.search_layer", lambda *_: wrong), pytest.raises(ValueError, match="search_layer gave"):
        index.add([[1, 2, 3]])
    assert len(index) == 30 == len(index.levels)


@pytest.mark.parametrize("name", ["select_neighbors", "select_neighbors_simple", "random_level"])
@pytest.mark.parametrize("wrong", [None, 0.5, [9999], [1, 1], list(range(30)), -1])
def test_other_replaced_functions_that_give_something_else(name, wrong):
    index = built(some("even", 30, 3), select="simple" if name.endswith("simple") else "heuristic")
    with use(f"hnsw.{name}", lambda *_: wrong), pytest.raises(ValueError, match=f"{name} gave .* puts the"):
        index.add([[1, 2, 3]])
    assert len(index) == 30 == len(index.levels)
    with use(f"hnsw.{name}", lambda *_: 1 / 0), pytest.raises(ZeroDivisionError) as caught:
        index.add([[1, 2, 3]])
    assert f'use("hnsw.{name}")' in caught.value.__notes__[0]


def test_lower_bounds_leave_the_largest():
    similar = np.random.default_rng(0).normal(size=(9, 1003)).astype(np.float32)
    floor = lower_bounds(similar, 20)
    for row, least in zip(similar, floor, strict=True):
        assert least <= np.sort(row)[-20] and 20 <= np.sum(row >= least) <= 60


def test_links_is_a_dict_to_read():
    links = Links(width=2)
    links.put(3, [5])
    assert links.get(4, []) == [] and links.get(3) == [5] and len(links) == 1 and dict(links) == {3: [5]}
    for unknown in (4, -1, "3", 99):
        assert unknown not in links
        with pytest.raises(KeyError):
            links[unknown]


def test_the_index_under_dense():
    from firstprinciples.encode.stored import minilm
    from firstprinciples.retrieve.dense import Dense

    texts = ["annual leave", "amount owing", "server outage"]
    plain, graph = Dense(texts, minilm()), Dense(texts, minilm(), HNSW(384))
    for wanted, found in zip(plain.search("how much do we owe"), graph.search("how much do we owe"), strict=True):
        assert wanted.id == found.id and wanted.score == pytest.approx(found.score, abs=1e-6)


@pytest.fixture
def saved(tmp_path):
    """Return (an index with deleted ids and odd ones, its file)."""
    index = HNSW(4, M=3, ef_construction=12, seed=7, select="simple")
    index.add(some("even", 80, 4), [f"é{i}\0" if i % 2 else f"{i}" for i in range(80)])
    index.delete(["2", "4"])
    index.add([[1, 2, 3, 4]], ["2"])
    index.save(tmp_path / "index.npz")
    return index, tmp_path / "index.npz"


def test_saved_and_loaded(saved, tmp_path):
    index, path = saved
    again = HNSW.load(path)
    assert again.layers() == index.layers() and again.ids == index.ids and again.levels == index.levels
    assert (again.seed, again.M, again.ef_construction, again.select) == (7, 3, 12, "simple")
    assert again.built_distances == index.built_distances and again.unreachable() == index.unreachable()
    for q in some("even", 10, 4, seed=1):
        assert again.search(q) == index.search(q) and again.trace(q) == index.trace(q)
    for one in (again, index):  # and both go on alike
        one.add(some("even", 30, 4, seed=2), bulk=False)
        one.delete("0")
    assert again.layers() == index.layers()
    again.save(str(path))
    assert HNSW.load(str(path)).ids == index.ids
    assert [file.name for file in tmp_path.iterdir()] == ["index.npz"]
    HNSW(3).save(tmp_path / "empty.npz")
    assert HNSW.load(tmp_path / "empty.npz").search([1, 2, 3]) == []


def test_what_can_not_be_saved(saved, tmp_path, monkeypatch):
    index, path = saved
    for name, words in [("index.bin", "named otherwise"), ("none/index.npz", "no folder")]:
        with pytest.raises(ValueError, match=words):
            index.save(tmp_path / name)
    (tmp_path / "folder.npz").mkdir()
    with pytest.raises(ValueError, match="is a folder"):
        index.save(tmp_path / "folder.npz")
    before = path.read_bytes()

    def full(file, **_):
        file.write(b"half")
        raise OSError(errno.ENOSPC, "No space left on device", file.name)

    with monkeypatch.context() as patch, pytest.raises(OSError, match="nothing was saved: '.*index.npz'$") as caught:
        patch.setattr(np, "savez", full)
        index.save(path)
    assert caught.value.errno == errno.ENOSPC
    monkeypatch.setattr(np, "savez", lambda file, **_: file.write(b"half") and 1 / 0)
    with pytest.raises(ZeroDivisionError):
        index.save(path)
    assert path.read_bytes() == before and len(list(tmp_path.iterdir())) == 2


def changed(path, **arrays):
    """Write an index's file with some arrays replaced; None leaves one out."""
    with np.load(path) as file:
        arrays = {**{name: file[name] for name in file.files}, **arrays}
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})


def about(path, **settings):
    """Write an index's file with some settings replaced."""
    with np.load(path) as file:
        values = json.loads(file["about"].tobytes()) | settings
    changed(path, about=np.frombuffer(json.dumps(values).encode(), dtype=np.uint8))


def arrays_of(path):
    """Return copies of the arrays in an index's file."""
    with np.load(path) as file:
        return {name: file[name].copy() for name in file.files}


def refused(path, words="."):
    """The file is refused in one sentence that names it."""
    with pytest.raises(ValueError, match=words) as caught:
        HNSW.load(path)
    message = str(caught.value)
    assert message.startswith(path.name) and "\n" not in message and message.count(". ") == 0, message


def test_damaged_and_foreign_files(saved, tmp_path):
    index, path = saved
    whole = path.read_bytes()
    with pytest.raises(FileNotFoundError, match="no file gone.npz"):
        HNSW.load(tmp_path / "gone.npz")
    with pytest.raises(ValueError, match="is a folder"):
        HNSW.load(tmp_path)
    for cut in (0, 1, 100, len(whole) // 2, len(whole) - 1, len(whole) - 30):
        path.write_bytes(whole[:cut])
        refused(path)
    for place in range(60, len(whole) - 60, 997):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            HNSW.load(path)
        except ValueError:
            refused(path)
    for foreign in (b"", b"hello", b"\x93NUMPY", b"PK\x03\x04" + bytes(100)):
        path.write_bytes(foreign)
        refused(path)
    np.savez(path, vectors=np.zeros((2, 2)))
    refused(path, "not one of an HNSW index")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", "<a/>")
    refused(path, "not one of an HNSW index")
    np.savez(path, about=np.array([{"format": "x"}], dtype=object))
    refused(path)
    path.write_bytes(whole)
    changed(path, vectors=np.array([print, len], dtype=object))  # a pickle: it is not opened
    refused(path)
    path.write_bytes(whole)
    parts = arrays_of(path)
    np.savez_compressed(path, **{**parts, "vectors": np.zeros((10**6, 4), dtype=np.float32)})  # 16 MB in 16 kB
    refused(path, "can't be read")
    for name in parts:  # in the place of an array something else, rightly packed
        for odd in (b"", b"no array", b"\x93NUMPY\x01\x00\x10\x00{'descr': ", b"\x93NUMPY\x09\x00"):
            np.savez(path, **{key: array for key, array in parts.items() if key != name})
            with zipfile.ZipFile(path, "a") as archive:
                archive.writestr(f"{name}.npy", odd)
            refused(path)


@pytest.mark.parametrize("place", ["vectors.npy", "PK\x01\x02"])
def test_each_byte_of_the_headers(tmp_path, place):
    """A single wrong byte is refused in one sentence, or does no harm: how the file says it is packed, among others."""
    index, path = HNSW(3, M=2), tmp_path / "index.npz"
    index.add(some("even", 3, 3), ["a", "b", "c"])
    index.save(path)
    whole = path.read_bytes()
    begin = whole.index(place.encode("latin-1"))
    for at in range(begin, begin + 50):
        for value in (0, 8, 14, whole[at] ^ 1):
            path.write_bytes(whole[:at] + bytes([value]) + whole[at + 1 :])
            try:
                assert state(HNSW.load(path)) == state(index)
            except ValueError:
                refused(path)


@pytest.mark.parametrize("settings, words", [
    ({"format": "other"}, "not one of an HNSW"), ({"version": 2}, "version 2"), ({"version": None}, "version None"),
    ({"dim": 5}, "is expected"), ({"dim": "4"}, "dim and M"), ({"M": 4}, "is expected"), ({"select": "x"}, "settings"),
    ({"seed": "x"}, "settings"), ({"ef_construction": 0}, "settings"), ({"entry_point": 9999}, "entry point"),
    ({"entry_point": None}, "entry point"), ({"built_distances": -1}, "settings")])
def test_wrong_settings(saved, settings, words):
    about(saved[1], **settings)
    refused(saved[1], words)


def test_arrays_that_contradict_each_other(saved):
    _, path = saved
    whole, arrays = path.read_bytes(), arrays_of(path)

    def put(name, place, value):
        array = arrays[name].copy()
        array[place] = value
        return {name: array}

    top = int(np.argmin(arrays["levels"]))  # on layer 0 only
    upper = int(np.flatnonzero(np.diff(arrays["positions"]) < 0)[0]) + 1  # the first row of layer 1
    ids = json.loads(arrays["ids"].tobytes())
    for change, words in [
        ({"vectors": arrays["vectors"][:-1]}, "is expected"), ({"vectors": arrays["vectors"].astype(float)}, "float64"),
        ({"levels": arrays["levels"][:-1]}, "is expected"), ({"live": arrays["live"][:, None]}, "is expected"),
        ({"neighbors": arrays["neighbors"][:, :-1]}, "is expected"), (put("neighbors", (0, 0), 81), "outside 0 to 80"),
        (put("neighbors", (0, 0), -2), "outside"), (put("neighbors", (5, 0), -1), "gap"),
        (put("neighbors", (upper, 0), top), "not on that layer"), (put("vectors", (3, 0), np.nan), "length 1"),
        (put("vectors", 3, 2.0), "length 1"), (put("levels", top, 1), "layers"), (put("levels", top, 5000), "levels"),
        (put("positions", 0, 7), "layers"), ({"neighbors": None}, "neighbors"), ({"ids": None}, "ids"),
        (put("live", ids.index("2"), True), "twice"),
        ({"ids": np.frombuffer(json.dumps(ids[:-1]).encode(), dtype=np.uint8)}, "not as many ids"),
        ({"ids": np.frombuffer(b"[1", dtype=np.uint8)}, "can't be read"),
    ]:
        path.write_bytes(whole)
        changed(path, **change)
        refused(path, words)
    path.write_bytes(whole)
    HNSW.load(path)


def test_the_file_holds_plain_arrays_only(saved):
    with zipfile.ZipFile(io.BytesIO(saved[1].read_bytes())) as archive:
        for name in archive.namelist():
            assert np.load(io.BytesIO(archive.read(name)), allow_pickle=False).dtype != object


def test_the_fast_forms_are_told_of_no_learners_function():
    assert hnsw.walk is hnsw_fast.walk and hnsw.choose is hnsw_fast.choose
