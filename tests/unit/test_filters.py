"""Filters: conditions, and the three moments at which they are looked at; oracle: exact search over what matches."""

import json
import math

import nbformat
import numpy as np
import pytest

from firstprinciples.corpus import Collection
from firstprinciples.encode.stored import minilm
from firstprinciples.grading.tasks import ROOT
from firstprinciples.index import filters
from firstprinciples.index.conditions import first_day, is_date, last_day
from firstprinciples.index.cosine import Exact
from firstprinciples.index.filters import (
    Filtered,
    how_many_to_fetch,
    matches,
    post_filter,
    pre_filter,
    search_layer_filtered,
    within,
)
from firstprinciples.index.hnsw import HNSW, search_layer
from firstprinciples.retrieve.dense import Dense
from firstprinciples.swap import use


def some(n, dim, seed=0):
    """Return n vectors in a few clusters, with copies and a row of zeros among them."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(7, dim))[rng.integers(7, size=n)] + 0.5 * rng.normal(size=(n, dim))
    rows[n // 2] = rows[n // 3]  # a tie
    rows[n // 4] = 0
    return rows


def labels(n, seed=0):
    """Return {id: labels} with a date, numbers, a list, and fields that some records lack."""
    rng = np.random.default_rng(seed)
    out = {}
    for i in rng.permutation(n).tolist():
        record = {"type": str(rng.choice(["bill", "invoice", "memo"], p=[0.5, 0.45, 0.05])), "number": i,
                  "date": f"20{rng.integers(21, 25)}-{rng.integers(1, 13):02d}-{rng.integers(1, 29):02d}",
                  "who": rng.choice(list("abcde"), size=rng.integers(0, 3), replace=False).tolist()}
        for field in rng.choice(list(record), size=rng.integers(0, 2), replace=False):
            del record[field]
        out[f"r{i}"] = record
    return out


def conditions(n, seed=0):
    """Return conditions of any share: of one record, of none, of all, and of what lies between."""
    rng = np.random.default_rng(seed)
    out = [{}, {"number": int(rng.integers(n))}, {"number": -1}, {"number": {"from": -5}}, {"type": "memo"},
           {"type": ["memo", "bill"]}, {"who": ["a", "c"], "type": "invoice"},
           {"date": {"from": "2022-03", "to": "2023"}}]
    for _ in range(12):
        low = int(rng.integers(n))
        year = int(rng.integers(2021, 2025))
        out.append({"number": {"from": low, "to": low + int(rng.integers(n))}, "date": {"to": str(year)}})
    return out


def oracle(rows, ids, metadata, where, query, k):
    """Return what exact search over the matching subset gives, put together without the module under test."""
    keep = [i for i, id in enumerate(ids) if slow_match(metadata.get(id, {}), where)]
    if not keep:
        return [], 0
    exact = Exact(rows.shape[1])
    exact.add(rows[keep], [ids[i] for i in keep])
    return exact.search(query, k), len(keep)


def slow_match(record, where):
    """Say whether a record matches, once more in other words."""
    for field, wanted in where.items():
        values = record.get(field)
        values = values if isinstance(values, list) else [] if values is None else [values]
        if isinstance(wanted, dict):
            low, high = wanted.get("from"), wanted.get("to")
            values = [v for v in values if (low is None or v >= low) and (high is None or (v[: len(high)] <= high
                      if isinstance(high, str) else v <= high))]
        else:
            values = [v for v in values if v in (wanted if isinstance(wanted, list) else [wanted])]
        if not values:
            return False
    return True


def same_hits(found, expected):
    assert [id for id, _ in found] == [id for id, _ in expected]
    assert [s for _, s in found] == pytest.approx([s for _, s in expected], abs=1e-6)


@pytest.fixture(scope="module")
def graph():
    """Return (rows, ids, HNSW over them), 700 x 10."""
    rows = some(700, 10, seed=4)
    ids = [f"r{i}" for i in range(700)]
    index = HNSW(10, M=8, ef_construction=60)
    index.add(rows, ids)
    return rows, ids, index


# Before the search: exact, whatever the share


@pytest.mark.parametrize("seed", range(4))
def test_before_the_search_is_exact_search_over_the_matches(seed):
    n, dim = 90 + 37 * seed, 3 + seed
    rows, metadata = some(n, dim, seed), labels(n, seed)
    ids = [f"r{i}" for i in np.random.default_rng(seed).permutation(n)]
    index = Exact(dim)
    index.add(rows, ids)
    filtered, shares = Filtered(index, metadata), set()
    for where in conditions(n, seed):
        for k, query in [(1, rows[5]), (7, 1e-3 * rows[n // 3]), (n + 3, rows[1] - rows[2]), (4, np.zeros(dim))]:
            expected, matching = oracle(rows, ids, metadata, where, query, k)
            found = filtered.search(query, k, where)
            same_hits(found.hits, expected)
            assert (found.asked, found.matching, found.missing) == (k, matching, k - len(expected))
            assert found.distances == matching
            shares.add(matching)
    assert {0, 1, n} <= shares


def test_on_an_hnsw_before_the_search_is_exact_too(graph):
    rows, ids, index = graph
    metadata = labels(700, seed=4)
    for where in conditions(700, seed=4):
        same_hits(Filtered(index, metadata).search(rows[3], 9, where).hits,
                  oracle(rows, ids, metadata, where, rows[3], 9)[0])


def test_no_vector_needs_to_be_normalized():
    index = Exact(2)
    index.add([[30, 40], [0.5, 0], [0, 9]], ids=["a", "b", "c"])
    for how in ("pre", "post"):
        found = Filtered(index, {"a": {"x": 1}, "c": {"x": 1}}).search([0, 7], 2, {"x": 1}, how)
        assert found.hits == [("c", pytest.approx(1.0)), ("a", pytest.approx(0.8))]


def test_ties_by_id_as_strings():
    index = Exact(2)
    index.add([[1, 1]] * 5, ids=["b", "10", "2", "a", "0"])
    found = Filtered(index, {id: {"x": id != "0"} for id in index.ids}).search([3, 3], 3, {"x": True})
    assert [id for id, _ in found.hits] == ["10", "2", "a"]


# After the search: what is missing is said


def test_after_the_search_says_what_is_missing():
    rows, metadata = some(200, 6), {str(i): {"type": "memo" if i % 20 == 0 else "bill"} for i in range(200)}
    index = Exact(6)
    index.add(rows)
    short = 0
    for query in rows[:20]:
        whole = Filtered(index, metadata).search(query, 5, {"type": "memo"})
        found = Filtered(index, metadata).search(query, 5, {"type": "memo"}, how="post", fetch=40)
        same_hits(found.hits, whole.hits[: len(found.hits)])
        assert (found.fetched, found.distances, found.matching) == (40, 200, 10)
        assert found.missing == 5 - len(found.hits)
        assert ("missing, and" in found.note) == (found.missing > 0)
        short += found.missing > 0
    assert 0 < short


def test_after_the_search_finds_all_when_all_are_fetched():
    rows, metadata = some(150, 5), labels(150)
    index = Exact(5)
    index.add(rows, ids := [f"r{i}" for i in range(150)])
    for where in conditions(150):
        found = Filtered(index, metadata).search(rows[9], 8, where, how="post", fetch=150)
        same_hits(found.hits, oracle(rows, ids, metadata, where, rows[9], 8)[0])


def test_what_is_fetched_unless_told(graph):
    rows, _, index = graph
    metadata = {f"r{i}": {"x": i % 7 == 0} for i in range(700)}
    assert Filtered(index, metadata).search(rows[0], 3, {"x": True}, how="post").fetched == 21
    assert Filtered(index, metadata).search(rows[0], 300, {"x": True}, how="post").fetched == 700


def test_a_share_of_a_tenth_is_no_reason_for_one_more():
    assert how_many_to_fetch(7, 0.07) == 100 and how_many_to_fetch(3, 0.3) == 10
    for n in range(1, 300):
        for k in (1, 3, 10):
            assert how_many_to_fetch(k, k / n if n > k else 1) == max(n, k)


def test_on_average_the_number_is_right():
    rng = np.random.default_rng(3)
    kept = [int((rng.random(how_many_to_fetch(10, share)) < share).sum())
            for share in (0.5, 0.1, 0.01) for _ in range(400)]
    assert np.mean(kept) == pytest.approx(10, abs=0.4)
    assert 0.3 < np.mean(np.array(kept) < 10) < 0.6  # and every other search comes up short, as the docstring says


# During the search


def test_the_walk_of_the_index_is_the_plain_one(graph):
    rows, _, index = graph
    rng, layer = np.random.default_rng(5), index.layers()[0]
    for share in (1.0, 0.5, 0.1, 0.01, 0.0):
        allowed = rng.random(700) < share
        for ef in (1, 6, 40):
            query = index.vectors[rng.integers(700)].astype(float)
            query = query / (np.linalg.norm(query) or 1)
            plain = search_layer_filtered(query, [index.entry_point], ef, index.vectors, layer, allowed)
            fast = index.nearest(query, [index.entry_point], ef, 0, allowed)
            assert [p for _, p in plain] == [p for _, p in fast]
            assert [d for d, _ in plain] == pytest.approx([d for d, _ in fast], abs=1e-6)
            if share == 1.0:
                assert [p for _, p in plain] == [p for _, p in search_layer(query, [index.entry_point], ef,
                                                                            index.vectors, layer)]


def test_only_what_is_allowed_comes_back_sorted_and_once(graph):
    rows, _, index = graph
    metadata = labels(700, seed=8)
    filtered = Filtered(index, metadata, few=0)
    for where in conditions(700, seed=8):
        for query in rows[:3]:
            found = filtered.search(query, 10, where, how="in")
            ids = [id for id, _ in found.hits]
            assert len(set(ids)) == len(ids) and all(matches(metadata[id], where) for id in ids)
            assert found.hits == sorted(found.hits, key=lambda hit: (-hit[1], hit[0]))
            assert found.missing == 10 - len(ids) and len(ids) == min(10, found.matching)


def test_during_the_search_nearly_all_are_found_and_the_rarer_the_dearer(graph):
    rows, _, index = graph
    rng, costs = np.random.default_rng(6), []
    for share in (0.5, 0.1, 0.01):
        metadata = {f"r{i}": {"x": bool(rng.random() < share)} for i in range(700)}
        filtered, right, cost = Filtered(index, metadata, few=0), 0, 0
        for query in rows[:20]:
            exact = filtered.search(query, 5, {"x": True})
            walked = filtered.search(query, 5, {"x": True}, how="in", fetch=10)
            right += len({id for id, _ in exact.hits} & {id for id, _ in walked.hits})
            cost += walked.distances
        assert right >= 0.95 * 20 * min(5, exact.matching)
        costs.append(cost / 20)
    assert 1.5 * costs[0] < costs[1] and 1.5 * costs[1] < costs[2]
    assert costs[2] >= 690  # of 700: at a hundredth the walk comes by nearly all


def test_few_matches_are_compared_without_a_walk(graph):
    rows, ids, index = graph
    metadata = {id: {"n": i} for i, id in enumerate(ids)}
    share = filters.FEW
    below, above = {"n": {"to": round(700 * share) - 2}}, {"n": {"to": round(700 * share)}}
    found = Filtered(index, metadata).search(rows[1], 5, below, how="in")
    assert found.distances == found.matching == round(700 * share) - 1
    assert found.note.startswith(f"Of 700 records {found.matching} match, less than {share:.0%}: each was compared")
    same_hits(found.hits, oracle(rows, ids, metadata, below, rows[1], 5)[0])
    assert Filtered(index, metadata).search(rows[1], 5, above, how="in").note.startswith("The walk compared")
    assert Filtered(index, metadata, few=0).search(rows[1], 5, below, how="in").distances > 5 * found.distances


def test_what_is_said_of_the_cost_was_measured():
    measured = json.loads((ROOT / "notebooks" / "filters.json").read_text(encoding="utf-8"))["scifact"]
    rows = {(row["way"], row["share"]): row["compared"] for row in measured["rows"] if row["labels"] == "by lot"}
    shares = ("a half", "a tenth", "a hundredth")
    walk, before = ([rows[way, share] for share in shares] for way in ("during", "before"))
    said = " ".join(Filtered.__doc__.split())
    assert f"{measured['documents']:,} passages (labels by lot; M = 16, ef = {measured['ef']})" in said
    assert "it compared {:,} where a half matched, {:,} at a tenth, {:,} at a hundredth".format(*walk) in said
    assert '"pre" compared {:,}, {:,} and {:,}.'.format(*before) in said
    assert walk[0] < before[0] and walk[1] > before[1] and "between a tenth and a half" in said and filters.FEW == 0.1


def test_a_walk_that_comes_up_short_says_so(graph):
    rows, ids, index = graph
    metadata = {id: {"n": i} for i, id in enumerate(ids)}

    def stuck(query, entry_points, ef, vectors, layer, allowed):
        cut = {node: [other for other in layer[node] if allowed[other]] for node in layer}
        return search_layer_filtered(query, entry_points, ef, vectors, cut, allowed)

    with use("filters.search_layer_filtered", stuck):
        found = Filtered(index, metadata, few=0).search(rows[1], 5, {"n": {"to": 20}}, how="in")
    assert found.missing == 5 - len(found.hits) > 0
    assert "missing, and" in found.note and "look at the condition before the search" in found.note


def test_deleted_ones_are_walked_through_and_never_found(graph):
    rows, ids, _ = graph
    index = HNSW(10, M=8, ef_construction=60)
    index.add(rows, ids)
    metadata = {id: {"x": i % 2} for i, id in enumerate(ids)}
    index.delete([f"r{i}" for i in range(0, 700, 3)])
    index.add([rows[0]], ["r0"])  # again, at a new position
    kept = [i for i in range(700) if i % 3 or i == 0]
    for query in rows[:5]:
        expected = oracle(rows[kept], [ids[i] for i in kept], metadata, {"x": 0}, query, 6)[0]
        for how, fetch in (("pre", None), ("in", 200), ("post", len(kept))):
            same_hits(Filtered(index, metadata).search(query, 6, {"x": 0}, how, fetch).hits, expected)


# The learner's functions


def test_each_function_is_looked_up_at_the_call(graph):
    rows, _, index = graph
    filtered = Filtered(index, {f"r{i}": {"x": i % 2} for i in range(700)}, few=0)
    own = {how: filtered.search(rows[2], 4, {"x": 1}, how) for how in ("pre", "in", "post")}
    for name, how in [("matches", "pre"), ("pre_filter", "pre"), ("search_layer_filtered", "in"),
                      ("how_many_to_fetch", "post"), ("post_filter", "post")]:
        right, calls = getattr(filters, name), []

        def counting(*args, right=right, calls=calls):
            calls.append(1)
            return right(*args)

        with use(f"filters.{name}", counting):
            assert filtered.search(rows[2], 4, {"x": 1}, how).hits == [
                (id, pytest.approx(s, abs=1e-6)) for id, s in own[how].hits]
        assert calls, name


def test_what_a_wrong_function_does_shows(graph):
    rows, _, index = graph
    filtered = Filtered(index, {f"r{i}": {"x": i % 2} for i in range(700)}, few=0)
    own = filters.pre_filter
    with use("filters.pre_filter", lambda query, vectors, allowed, k: own(query, vectors, allowed | True, k)):
        assert "r2" in [id for id, _ in filtered.search(rows[2], 4, {"x": 1}).hits]
    for name, how in [("pre_filter", "pre"), ("search_layer_filtered", "in")]:
        for wrong in (None, [(1, 2, 3)], [("x", "y")], [(10**6, 10**6)]):
            with (use(f"filters.{name}", lambda *_, wrong=wrong: wrong),
                  pytest.raises(ValueError, match=f"^{name} gave .*which is no list of .*puts the course's own back")):
                filtered.search(rows[2], 4, {"x": 1}, how)


# Conditions


@pytest.mark.parametrize("where, kind, said", [
    ({"yaer": 2024}, KeyError, "No record has the field 'yaer'; the fields are date, n, who."),
    ({"who": []}, ValueError, "Nothing is one of an empty list; name a value for 'who', or leave 'who' out."),
    ({"date": {"from": "2024-05", "to": "2024-04-30"}}, ValueError, "ends before it begins; exchange the two."),
    ({"n": {"from": 3, "to": 2}}, ValueError, "The range from 3 to 2 ends before it begins; exchange the two."),
    ({"n": {"from": "2024"}}, ValueError, "No record has a date in 'n', so none can be in that range; 1 stands there"),
    ({"date": {"from": 2024}}, ValueError, "No record has a number in 'date', so none can be in that range;"),
    ({"n": {"from": 1, "to": "2024"}}, ValueError, "mixes a number and a date"),
    ({"n": {"from": True}}, ValueError, "True is none"), ({"n": {"to": math.nan}}, ValueError, "nan is none"),
    ({"date": {"from": "2024-02-30"}}, ValueError, "'2024-02-30' is none"),
    ({"date": {"from": "2024-3-1"}}, ValueError, "is none. Write a date as"),
    ({"date": {"from": "5 March"}}, ValueError, "is none. Write a date as"),
    ({"date": {}}, ValueError, "A range is written"), ({"date": {"since": "2024"}}, ValueError, "A range is written"),
    ({"date": None}, TypeError, "not with None"), ({"date": ["2024", None]}, TypeError, "not with None"),
    ({"date": [["2024"]]}, TypeError, "'date' can be compared with a string, a number"),
    ({"date": b"x"}, TypeError, "not with b'x'"), ({7: "x"}, TypeError, "7 is none"),
    ("invoice", TypeError, "A condition is a dict such as"), (["invoice"], TypeError, "A condition is a dict such as"),
], ids=str)
def test_a_condition_that_makes_no_sense(where, kind, said):
    index = Exact(2)
    index.add([[1, 0], [0, 1]], ids=["a", "b"])
    filtered = Filtered(index, {"a": {"date": "2024-03-01", "n": 1}, "b": {"who": "x", "n": 2}})
    for how in ("pre", "post"):
        with pytest.raises(kind) as caught:
            filtered.search([1, 0], 1, where, how)
        text = caught.value.args[0]
        assert said in text and "\n" not in text and len(text) < 200


def test_nothing_matches_and_nothing_is_there():
    index = Exact(2)
    assert Filtered(index, {}).search([1, 0], 3, {"x": 1}).hits == []
    index.add([[1, 0]], ids=["a"])
    found = Filtered(index, {"a": {"x": 2}}).search([1, 0], 3, {"x": 1}, how="post")
    assert (found.hits, found.matching, found.missing, found.distances) == ([], 0, 3, 0)
    assert found.note == "None of 1 record matches."
    assert Filtered(index, {"a": {"x": 2}}).search([1, 0], 3, None).hits == [("a", 1.0)]
    assert Filtered(index, {}).search([1, 0], 1, {}).hits == [("a", 1.0)]  # no labels, and nothing is asked for


@pytest.mark.parametrize("settings, kind, said", [
    ({"how": "before"}, ValueError, "how is 'before'; a condition is looked at 'pre', 'in', 'post'."),
    ({"how": "in"}, ValueError, "during the search of an HNSW; Exact has no graph"), ({"k": 0}, ValueError, "k is 0"),
    ({"q": [1, 2, 3]}, ValueError, "3 numbers wide and this index 2"), ({"fetch": 0}, ValueError, "fetch is 0"),
    ({"q": [1, math.nan]}, ValueError, "nan or infinity")])
def test_a_search_that_makes_no_sense(settings, kind, said):
    index = Exact(2)
    index.add([[1, 0], [0, 1]])
    with pytest.raises(kind, match=said):
        Filtered(index, {"0": {"x": 1}}).search(**{"q": [1, 0], "k": 1, "where": {"x": 1}, **settings})


def test_an_index_without_vectors():
    class Codes:
        dim, ids = 2, ["a", "b"]

        def search(self, q, k=10):
            return [("b", 0.9), ("a", 0.5)][:k]

    metadata = {"a": {"x": 1}, "b": {"x": 2}}
    with pytest.raises(ValueError, match='^Codes keeps no full vectors, which how="pre" compares; hand them in as'):
        Filtered(Codes(), metadata).search([1, 0], 1, {"x": 1})
    assert Filtered(Codes(), metadata).search([1, 0], 1, {"x": 1}, how="post").hits == [("a", 0.5)]
    assert Filtered(Codes(), metadata, [[3, 4], [1, 0]]).search([1, 0], 1, {"x": 1}).hits == [("a", pytest.approx(0.6))]
    with pytest.raises(ValueError, match="^There are 1 vectors and 2 ids in the index.$"):
        Filtered(Codes(), metadata, [[3, 4]])


@pytest.mark.parametrize("metadata", [None, [{"x": 1}], {"a": 1}, {"a": None}], ids=str)
def test_what_are_no_metadata(metadata):
    with pytest.raises(TypeError, match="^The metadata are a dict of dicts"):
        Filtered(Exact(2), metadata)


def test_dates_are_compared_day_by_day():
    days = [f"{year}-{month:02d}-{day:02d}" for year in (2023, 2024) for month in range(1, 13) for day in range(1, 32)]
    days = [day for day in days if is_date(day)]
    assert len(days) == 365 + 366
    for part in ("2023", "2024", "2024-02", "2023-02", "2023-11", "2024-12", "2024-02-29"):
        inside = [day for day in days if within(day, {"from": part, "to": part})]
        assert inside == [day for day in days if day.startswith(part)]
        assert (inside[0], inside[-1]) == (first_day(part), last_day(part))
        assert within(part, {"from": part, "to": part})  # a whole month lies in itself
        assert within(part, {"from": inside[0], "to": inside[-1]})
        if len(inside) > 1:
            assert not within(part, {"from": inside[1]}) and not within(part, {"to": inside[-2]})


@pytest.mark.parametrize("text", ["2024-13", "2024-00", "2023-02-29", "24-03-01", "2024/03/01", "2024-03-01T10:00",
                                  " 2024", "2024-3", "", "0000", "２０２４", "2024-W10-1", "20240301"])
def test_what_is_no_date(text):
    assert not is_date(text) and not within(text, {"from": "0001"})


def test_metadata_of_all_kinds():
    assert matches({"tags": ("red", "blue")}, {"tags": {"blue", "green"}})
    assert matches({"n": np.int64(3)}, {"n": 3}) and matches({"n": 3.0}, {"n": 3})
    assert not matches({"n": []}, {"n": 3}) and not matches({"n": {"a": 3}}, {"n": 3})
    assert not matches({"ok": np.True_}, {"ok": 1}) and matches({"ok": np.True_}, {"ok": True})


# Larkspur's own conditions


@pytest.fixture(scope="module")
def larkspur():
    return Collection.load("larkspur")


def test_the_conditions_of_larkspur_keep_the_evidence(larkspur):
    asked = [query for query in larkspur.queries if query.split == "dev" and query.filter]
    assert len(asked) == 15
    metadata = {chunk.id: chunk.metadata for chunk in larkspur.chunks}
    for query in asked:
        kept = {id for id, record in metadata.items() if matches(record, query.filter)}
        assert 0 < len(kept) < len(metadata) / 2
        for _, ids in larkspur.evidence[query.id]:
            assert kept.issuperset(ids)


# The exercise


def test_the_answers_of_the_exercise(larkspur):
    notebook = nbformat.read(ROOT / "notebooks" / "exercises" / "13_filters.ipynb", as_version=4)
    cells = {cell.id: " ".join(cell.source.split()) for cell in notebook.cells}
    said = cells["answers"]
    assert "2024-03-31" > "2024-03" and "9" > "10" and "1. After it" in said
    assert matches({"client": ["A", "B"]}, {"client": ["B", "C"]}) and not matches({}, {"client": ["B", "C"]})
    rows = np.eye(10)[:, :4] * 0 + [0.6, 0.8, 0, 0]
    rows[5] = [1, 0, 0, 0]
    assert pre_filter([1, 0, 0, 0], rows, [i in (2, 5, 9) for i in range(10)], 1)[0][0] == 5 and "Position 5" in said
    assert how_many_to_fetch(10, 1 / 30) == 300 and "300 = 10 / (1/30)" in said
    ranked = [(i, 1 - i / 20) for i in range(20)]
    assert post_filter(ranked, [i in (3, 8, 11) for i in range(20)], 5)["missing"] == 2 and "5. Two." in said
    chain = {0: [1], 1: [0, 2], 2: [1, 3], 3: [2]}
    found = search_layer_filtered([1, 0], [0], 2, [[0, 1], [0, 1], [0.6, 0.8], [1, 0]], chain, [False] * 3 + [True])
    assert found == [(0.0, 3)] and "only the last is a result" in said
    texts = [text for text in (query.text for query in larkspur.queries) if text in cells["search-try"]]
    assert len(texts) == 3
    assert all(query.split == "dev" for query in larkspur.queries if query.text in texts)


def test_what_the_exercise_shows_of_larkspur(larkspur):
    dense, counts = Dense(larkspur.chunks, minilm()), []
    for text in ("How much did we invoice altogether in March 2024?",
                 "How did the quarrel about the missing crate end? Look in what we have on Greywether."):
        where = next(query.filter for query in larkspur.queries if query.text == text)
        hits = dense.search(text, 10)
        counts.append(sum(matches(dense.metadata[hit.id], where) for hit in hits))
        assert len(dense.search(text, 10, where)) == 10
    assert counts == [0, 6]  # a vector knows a client's name, and hardly a month
