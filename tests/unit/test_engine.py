"""The engine as far as it can be tested without its package: what it is handed, what it refuses, what it says.

What it answers is in tests/oracles/test_qdrant.py. The kinds of requests are stand-ins here, with a few lines that say
what the engine makes of them.
"""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from firstprinciples.corpus import Chunk
from firstprinciples.encode.biencoder import toy
from firstprinciples.encode.expansion import expander
from firstprinciples.encode.token_vectors import ToyTokens
from firstprinciples.index.filters import matches
from firstprinciples.retrieve import engine_client
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.dense import Dense
from firstprinciples.retrieve.engine import Engine
from firstprinciples.retrieve.engine_collection import assert_same_shape, label_indexes, mark_of
from firstprinciples.retrieve.engine_points import as_filter, kinds_of, labels, path, point_id, sparse_rows
from firstprinciples.retrieve.splade import Splade

ROOT = Path(__file__).resolve().parent.parent.parent
TEXTS = ["a red tent and a red rope", "the stove burns gas", "...", "red red red", "gas for the stove of the tent"]


# ---- without the package


def test_the_package_is_asked_for_in_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "qdrant_client", None)
    with pytest.raises(ImportError) as caught:
        Engine(TEXTS)
    said = str(caught.value)
    assert said.startswith("The engine needs the package qdrant-client, which the rest of the course does without: run")
    assert f'"{sys.executable}" -m pip install "qdrant-client>=1.19,<2"' in said and "\n" not in said


def test_a_package_that_is_broken_is_told_from_one_that_is_missing(monkeypatch, tmp_path):
    (tmp_path / "qdrant_client").mkdir()
    (tmp_path / "qdrant_client" / "__init__.py").write_text("import no_such_package_here\n", encoding="utf-8")
    for name in [name for name in sys.modules if name.split(".")[0] == "qdrant_client"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ImportError, match="is here and can't be used .*no_such_package_here.* with --force-reinstall"):
        Engine(TEXTS)


def test_the_command_is_the_one_of_the_readme_and_of_the_extra():
    line = 'graduate = ["qdrant-client>=1.19,<2"]'
    assert line in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert '-m pip install "qdrant-client>=1.19,<2"' in (ROOT / "README.md").read_text(encoding="utf-8")


def test_without_a_pyproject_the_sentence_still_names_the_package(monkeypatch):
    def missing(*_):
        raise OSError("pyproject.toml is missing")

    monkeypatch.setattr(engine_client, "requirements", missing)
    assert engine_client.how_to_install().endswith('-m pip install "qdrant-client"')


def test_the_module_is_imported_without_it():
    code = ("import sys; sys.modules['qdrant_client'] = sys.modules['httpx'] = None; "
            "import firstprinciples.retrieve.engine")
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


# ---- what is refused, before anything is opened


@pytest.mark.parametrize("given, kind, said", [
    ({"chunks": []}, ValueError, "There is nothing to index"),
    ({"chunks": "a red tent"}, TypeError, "Give a list of chunks"),
    ({"chunks": [3]}, TypeError, "is no chunk"),
    ({"chunks": [Chunk("a", "x"), Chunk("a", "y")]}, ValueError, "The id 'a' is there twice"),
    ({"dense": 3}, TypeError, "is no encoder"),
    ({"dense": ""}, TypeError, "is no encoder"),
    ({"sparse": 3}, TypeError, "encode"),
    ({"sparse": "tfidf"}, ValueError, "sparse is 'tfidf'; write \"bm25\""),
    ({"sparse": BM25(["another"])}, ValueError, "The BM25 was built over other chunks than the engine is"),
    ({"tokens": 3}, TypeError, "no encoder of tokens"),
    ({"quantize": "int4"}, ValueError, "quantize is 'int4'; choose"),
    ({"name": ""}, ValueError, "The collection is called ''"),
    ({"name": "a/b"}, ValueError, "without < > :"),
    ({"name": None}, ValueError, "The collection is called None"),
    ({"k": -1}, ValueError, "k is -1"),
    ({"k": 1.5}, ValueError, "k is 1.5; it must be a whole number"),
    ({"k": "60"}, ValueError, "k is '60'"),
    ({"depth": 0}, ValueError, "depth is 0"),
    ({"by": "dense"}, ValueError, "by is 'dense'; this engine was built for sparse, rrf"),
    ({"chunks": [Chunk("a", "x", metadata={'"': 1})]}, ValueError, "A field of the metadata is called"),
])
def test_what_does_not_fit(given, kind, said):
    with pytest.raises(kind, match=said) as caught:
        Engine(**{"chunks": TEXTS, **given})
    assert "\n" not in str(caught.value)


# ---- points


def test_the_id_of_a_point_is_made_of_the_chunks_alone():
    assert len(point_id("leave#1")) == 36
    assert len({point_id(id) for id in ("a", "A", "a ", "", "\u00e4", "a\u0308")}) == 6


def test_labels_are_told_apart_by_kind():
    found = labels({"a": "5", "b": 5, "c": True, "d": ["2024-02", 1.5, None, "x"], "e": None, "f": float("nan"),
                    "g": {"x": 1}, "h": np.float64(2), "i": np.bool_(False)})
    assert found["words"] == {"a": ["5"], "d": ["2024-02", "x"]}
    assert found["numbers"] == {"b": [5.0], "d": [1.5], "h": [2.0]}
    assert found["truths"] == {"c": [True], "i": [False]}
    (day,) = found["days"]["d"]
    assert day["last"] - day["first"] == 28  # February of a leap year has 29 days
    assert kinds_of([found])["d"] == {"words", "numbers", "days"}


@pytest.mark.parametrize("field", ["", 'say "x"', "back\\slash"])
def test_a_field_that_no_filter_can_name(field):
    with pytest.raises(ValueError, match="A field of the metadata is called"):
        path("words", field)


@pytest.mark.parametrize("build", [lambda: BM25(TEXTS), lambda: BM25(TEXTS, k1=0.5, variant="robertson"),
                                   lambda: Splade(TEXTS, expander())])
def test_rows_of_terms_give_the_scores_of_the_index(build):
    index = build()
    rows = sparse_rows(index)
    assert list(rows) == index.ids and sum(len(numbers) for numbers, _ in rows.values()) == len(index.holders)
    for query in ("red tent", "gas gas stove"):
        if isinstance(index, Splade):
            asked = index.question(query)
        else:
            asked = {word: query.split().count(word) for word in query.split()}
        weight = {index.words[term]: value for term, value in asked.items() if term in index.words}
        found = {id: sum(weight.get(number, 0) * value for number, value in zip(*row, strict=True))
                 for id, row in rows.items()}
        expected = dict(index.search(query, len(TEXTS)))
        assert {id: score for id, score in found.items() if score > 0} == pytest.approx(expected)


# ---- filters, with stand-ins for the kinds of requests


class Kind(SimpleNamespace):
    def __init__(self, **given):
        super().__init__(**{"must": None, "should": None, "match": None, "range": None, "nested": None, "gte": None,
                            "lte": None, **given})


MODELS = SimpleNamespace(**dict.fromkeys(
    ("Filter", "FieldCondition", "NestedCondition", "Nested", "Range", "MatchValue", "MatchAny"), Kind))


def holds(one, payload) -> bool:
    """Say what the engine makes of a filter: as its documentation has it."""
    if one.must is not None:
        return all(holds(each, payload) for each in one.must)
    if one.should is not None:
        return any(holds(each, payload) for each in one.should)
    if one.nested is not None:
        return any(holds(one.nested.filter, each) for each in at(payload, one.nested.key))
    for value in at(payload, one.key):
        if one.match is not None and value in getattr(one.match, "any", [getattr(one.match, "value", None)]):
            return True
        if one.range is not None and (one.range.gte is None or value >= one.range.gte) and (
                one.range.lte is None or value <= one.range.lte):
            return True
    return False


def at(payload, key):
    """Return the values at a path."""
    for part in key.split(".", 1):
        payload = payload.get(part.strip('"'), [])
    return payload if isinstance(payload, list) else [payload]


VALUES = ["bill", "2024-03", "2024-03-15", "2023", "5", 5, 5.5, 0, -2, True, False, None, ["bill", 5],
          ["2024-03", "2025-01-02"], [True, "5"], "2024-13", ""]
CONDITIONS = ["bill", "5", 5, 5.5, 1, True, False, "2024-03", ["bill", 5], [True, 7, "2023"], {"from": "2024-03"},
              {"to": "2024-03"}, {"from": "2024-02", "to": "2024-03-20"}, {"from": 0, "to": 5}, {"to": -1}]


def test_a_filter_means_what_the_condition_means():
    rng, some = np.random.default_rng(7), 0
    records = [{field: VALUES[rng.integers(len(VALUES))] for field in ("type", "billed to") if rng.random() < 0.8}
               for _ in range(60)]
    payloads = [labels(record) for record in records]
    fields = kinds_of(payloads)
    wheres = [{"type": a, "billed to": b} if rng.random() < 0.4 else {"billed to": b} for a in CONDITIONS
              for b in CONDITIONS]
    for where in wheres:
        built = as_filter(where, MODELS, fields)
        expected = [matches(record, where) for record in records]
        assert [holds(built, payload) for payload in payloads] == expected, where
        some += any(expected)
    assert some > 100
    assert as_filter(None, MODELS, fields) is None and as_filter({}, MODELS, fields) is None


@pytest.mark.parametrize("where, kind, said", [
    ({"klient": "x"}, KeyError, "No record has the field 'klient'; the fields are date, type."),
    ({"type": {"from": 3}}, ValueError, "No record has a number in 'type'"),
    ({"type": {"from": "2024"}}, ValueError, "No record has a date in 'type'"),
    ({"date": {"from": "2025", "to": "2024"}}, ValueError, "ends before it begins"),
    ({"type": []}, ValueError, "Nothing is one of an empty list"),
    ({"type": None}, TypeError, "can be compared with"),
    ("type", TypeError, "A condition is a dict"),
])
def test_conditions_that_are_none(where, kind, said):
    fields = kinds_of([labels({"type": "bill", "date": "2024-03-01"})])
    with pytest.raises(kind, match=said):
        as_filter(where, MODELS, fields)


# ---- a collection


def asking(chunks, encoder=None, k1=1.2):
    return {"dense": Dense(chunks[:1], encoder or toy()), "sparse": BM25(chunks, k1=k1), "maxsim": None}


def test_the_mark_changes_with_all_that_goes_into_a_point():
    class Other:
        name, dim = "other", toy().dim
        encode_queries = encode_passages = staticmethod(toy().encode_passages)

    class Trained(Other):
        fingerprint = "trained"

    chunks = [Chunk("a", "a red tent", metadata={"type": "bill"}), Chunk("b", "a stove")]
    tags = {chunk.id: labels(chunk.metadata) for chunk in chunks}
    mark = mark_of(chunks, tags, asking(chunks))
    assert mark == mark_of(chunks[::-1], tags, asking(chunks[::-1]))
    changed = [Chunk("a", "a red tent!"), chunks[1]]
    others = [mark_of(changed, tags, asking(changed)), mark_of(chunks, {**tags, "b": labels({"type": "bill"})},
                                                               asking(chunks)),
              mark_of(chunks, tags, asking(chunks, Other())), mark_of(chunks, tags, asking(chunks, Trained())),
              mark_of(chunks, tags, asking(chunks, k1=0.5)), mark_of(chunks, tags, {**asking(chunks), "sparse": None})]
    assert len({mark, *others}) == 7


def test_labels_get_an_index_of_their_kind():
    fields = kinds_of([labels({"type": "bill", "paid": True, "billed to": 7, "date": "2024"})])
    assert label_indexes(fields) == [
        ("made", "keyword"), ('numbers."billed to"', "float"), ("days.date[].first", "integer"),
        ("days.date[].last", "integer"), ("words.date", "keyword"), ("truths.paid", "bool"), ("words.type", "keyword")]


def vectors(size, distance="Cosine", many=None):
    return SimpleNamespace(size=size, distance=distance, multivector_config=many)


def test_a_collection_of_another_shape_is_told_in_one_sentence():
    wanted = {"vectors_config": {"dense": vectors(384), "maxsim": vectors(64, "Dot", "max_sim")},
              "sparse_vectors_config": {"sparse": SimpleNamespace(modifier=None)}}
    same = SimpleNamespace(vectors=dict(wanted["vectors_config"]), sparse_vectors=wanted["sparse_vectors_config"])
    assert_same_shape(wanted, same, "'x' in memory", "")
    for theirs, said in [
        (SimpleNamespace(vectors=vectors(3), sparse_vectors=None), "made for unnamed: vectors of 3 numbers, compared"),
        (SimpleNamespace(vectors=None, sparse_vectors=None), "made for no vectors; these"),
        (SimpleNamespace(vectors=same.vectors, sparse_vectors={"sparse": SimpleNamespace(modifier="idf")}),
         "sparse: terms that the engine weighs; these"),
        (SimpleNamespace(vectors={**same.vectors, "maxsim": vectors(64, "Dot")}, sparse_vectors=same.sparse_vectors),
         "maxsim: vectors of 64 numbers, compared by dot; "),
    ]:
        with pytest.raises(ValueError, match=said) as caught:
            assert_same_shape(wanted, theirs, "'x' in memory", "Give another name=....")
        assert "maxsim: vectors of 64 numbers a token, compared by dot; sparse: terms. Give" in str(caught.value)


# ---- versions


@pytest.mark.parametrize("ours, theirs", [("1.20.0", "1.20.4"), ("1.20.0", "1.19.1"), ("1.16.2", "1.17.0-dev"),
                                          ("1.20.0", "v1.21.0")])
def test_versions_that_understand_each_other(ours, theirs):
    engine_client.fitting(ours, theirs, "at http://localhost:6333")


@pytest.mark.parametrize("theirs, hint", [("1.18.0", '"qdrant-client==1.18.*"'), ("2.20.0", '"qdrant-client==2.20.*"'),
                                          ("0.9.1", '"qdrant-client==0.9.*"'), ("latest", "one that fits it")])
def test_versions_that_do_not(theirs, hint):
    with pytest.raises(RuntimeError, match="one minor version apart at most") as caught:
        engine_client.fitting("1.20.0", theirs, "at http://localhost:6333")
    assert theirs in str(caught.value) and hint in str(caught.value)


def test_the_ways_follow_from_what_is_handed_in(monkeypatch):
    monkeypatch.setitem(sys.modules, "qdrant_client", None)
    for given, ways in (({}, ["sparse"]), ({"dense": toy()}, ["dense"]),
                        ({"dense": toy(), "sparse": "bm25", "tokens": ToyTokens()}, ["dense", "sparse", "maxsim"])):
        engine = Engine.__new__(Engine)
        with pytest.raises(ImportError):
            engine.__init__(TEXTS, **given)
        assert list(engine.ways) == ways and engine.by == (ways[0] if len(ways) == 1 else "rrf")
