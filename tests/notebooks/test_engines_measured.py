"""notebooks/engines.json: what it says is computed anew here, as far as the packages and files allow."""

import importlib.util
import json
import sqlite3
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
REPORT = json.loads((ROOT / "notebooks" / "engines.json").read_text(encoding="utf-8"))
SOURCES = (ROOT / "data" / "SOURCES.md").read_text(encoding="utf-8")
ENGINES = SOURCES[SOURCES.index("## Engines") :]
QDRANT = [name for name, pair in REPORT["pairs"].items() if pair["engine"] == "Qdrant"]
QUICK = ("dense · Qdrant", "hybrid, k = 1 · Qdrant", "filters · Qdrant")  # tests/oracles/test_qdrant.py has the others


def bench():
    """Return the module tests/benchmarks/bench_engines.py."""
    spec = importlib.util.spec_from_file_location("bench_engines", ROOT / "tests/benchmarks/bench_engines.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BENCH = bench()


@pytest.fixture(scope="module")
def made():
    found = BENCH.searches()
    yield found
    for name in ("engine", "other_constant"):
        if name in found.__dict__:
            found.__dict__.pop(name).close()


def nearly(value, abs=2e-6):
    """Return a value to compare with: every number in it may be off by rounding."""
    if isinstance(value, dict):
        return {key: nearly(each, abs) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [nearly(each, abs) for each in value]
    return pytest.approx(value, abs=abs) if isinstance(value, float) else value


def ours(name, made):
    return made.pairs()[name]["ours"]()


@pytest.mark.parametrize("name", [name for name in REPORT["pairs"] if name != "MaxSim · Qdrant"])
def test_our_side_comes_out_again(name, made):
    searched, pair = ours(name, made), REPORT["pairs"][name]
    texts = {query.id: query.text for query in made.larkspur.queries}
    for id, both in pair["lists"].items():
        assert nearly(both["ours"]) == [list(hit) for hit in searched.search(texts[id], 10)]
    collection = made.filtered if name.startswith("filters") else made.larkspur
    for split in BENCH.HALVES:
        found = BENCH.evaluate(searched, collection, split)
        assert found["queries"] == pair[split]["queries"]
        assert nearly(pair[split]["ours"]) == {metric: found["metrics"][metric] for metric in BENCH.METRICS}


@pytest.mark.parametrize("name", ["BM25 · FTS5", "BM25 · FTS5, its own words"])
def test_fts5_comes_out_again(name, made):
    try:
        sqlite3.connect(":memory:").execute("CREATE VIRTUAL TABLE t USING fts5(words)")
    except sqlite3.OperationalError:
        pytest.skip("needs SQLite with FTS5: another build of Python has it")
    found = BENCH.rounded(BENCH.pair(name))
    assert nearly(found) == {key: REPORT["pairs"][name][key] for key in found}


@pytest.mark.peers
def test_hnswlib_comes_out_again(made):
    pytest.importorskip("hnswlib", reason="needs hnswlib: python3 -m firstprinciples test --peers")
    said, found = REPORT["pairs"]["HNSW · hnswlib"], BENCH.pair("HNSW · hnswlib")
    for split in BENCH.HALVES:  # its levels come from the C++ library, which machines have in several kinds
        assert found["recall"][split] == nearly(said["recall"][split], abs=0.02)
        assert found[split]["overlap"] == pytest.approx(said[split]["overlap"], abs=0.02)


@pytest.mark.peers
@pytest.mark.parametrize("name", QUICK)
def test_qdrant_comes_out_again(name, made):
    pytest.importorskip("qdrant_client", reason="needs qdrant-client: python3 -m firstprinciples test --peers")
    theirs, pair = made.pairs()[name]["theirs"](), REPORT["pairs"][name]
    texts = {query.id: query.text for query in made.larkspur.queries}
    for id, both in pair["lists"].items():
        scores = [hit.score for hit in theirs.search(texts[id], 10)]
        assert scores == nearly([score for _, score in both["theirs"]], 1e-5)
    collection = made.filtered if name.startswith("filters") else made.larkspur
    found = BENCH.evaluate(theirs, collection, "dev")
    assert {m: found["metrics"][m] for m in BENCH.METRICS} == nearly(pair["dev"]["theirs"])


def test_the_loop_comes_out_again(made):
    said = REPORT["loop"]
    for split in BENCH.HALVES:
        assert BENCH.rounded(BENCH.loop_half(split)) == nearly(said[split])
    rows = BENCH.rounded(BENCH.dials())
    assert rows == nearly(said["dials"]) and len(rows) == 72
    price = said["dev"]["bm25"]["10"]["tokens"]
    assert BENCH.settled(rows, price) == (BENCH.MOST_LINES, BENCH.AROUND, BENCH.BUDGET) == tuple(
        said["settings"].values())


def test_the_same_order_beside_qdrant_but_for_ties():
    for name in QDRANT:
        for split in BENCH.HALVES:
            half = REPORT["pairs"][name][split]
            assert half["ours"] == half["theirs"] and half["difference"]["Recall@10"]["ties"] == half["queries"]
            assert half["same_order"] >= half["queries"] - (3 if name == "hybrid · Qdrant" else 0)


def test_what_sources_says_of_them():
    def halves(name, key):
        return [REPORT["pairs"][name][split][key] for split in BENCH.HALVES]

    for name in ("dense · Qdrant", "BM25 · Qdrant", "SPLADE · Qdrant", "MaxSim · Qdrant", "hybrid, k = 1 · Qdrant"):
        assert halves(name, "same_order") == halves(name, "queries") == [135, 135]
    for name, said in (("hybrid · Qdrant", "| hybrid by RRF, k = 60 | {} | {} |"),
                       ("filters · Qdrant", "| hybrid with each question's own condition | {} of 15 | {} of 15 |"),
                       ("HNSW · hnswlib", "| HNSW beside hnswlib, M 16, ef 64 | {} | {} |"),
                       ("BM25 · FTS5", "| BM25 beside FTS5, the same words | {} | {} |")):
        assert said.format(*halves(name, "same_order")) in ENGINES
    found = [half[metric] for half in halves("BM25 · FTS5", "ours") + halves("BM25 · FTS5", "theirs")
             for metric in ("Recall@10",)]
    assert "Recall@10 {0:.3f} and {2:.3f} on dev, {1:.3f} and {3:.3f} on held-out".format(*found) in ENGINES
    assert "{:.2f} and {:.2f} of the first ten".format(*halves("BM25 · FTS5", "overlap")) in ENGINES
    assert "it is {:.3f} and {:.3f}.".format(*[half["Recall@10"] for half in
                                               halves("BM25 · FTS5, its own words", "theirs")]) in ENGINES
    one, sixty = ([half["Recall@10"] for half in halves(name, "ours")]
                  for name in ("hybrid, k = 1 · Qdrant", "hybrid · Qdrant"))
    assert "{:.3f} and {:.3f} where k = 60 gives {:.3f} and {:.3f}".format(*one, *sixty) in ENGINES
    loops = [REPORT["loop"][split] for split in BENCH.HALVES]
    for row, cells in (
        ("evidence that the loop reads, tokens", [f"{h['evidence']:.3f}, {h['tokens']:.0f}" for h in loops]),
        ("in BM25's first chunks, for as many tokens each time", [f"{h['bm25_same_tokens']:.3f}" for h in loops]),
        ("difference, 95 % interval", ["{difference:+.3f}, {low:+.3f} to {high:+.3f}".format(**h["difference"])
                                       for h in loops]),
        ("with 50 lines", ["{evidence:.3f}, {tokens:,.0f}".format(**h["budgets"]["50"]) for h in loops]),
    ):
        assert f"| {row} | {' | '.join(cells)} |" in ENGINES
    assert "{:.3f} and {:.3f} on dev, 0 and 0 on held-out".format(
        *[loops[0]["by_kind"]["paraphrase"][key] for key in ("evidence", "bm25")]) in ENGINES
    assert f"{loops[0]['bm25']['10']['tokens']:.0f}. It is 3 matching lines" in ENGINES
    assert REPORT["versions"]["qdrant-client"] in ENGINES and REPORT["versions"]["hnswlib"] in ENGINES


def test_no_held_out_question_is_shown():
    held_out = {query.id for query in BENCH.searches().larkspur.queries if query.split == "held_out"}
    for pair in REPORT["pairs"].values():
        assert pair["lists"] and not held_out & set(pair["lists"])


def test_the_times_have_a_date_of_their_own():
    assert set(REPORT["times"]["pairs"]) == set(REPORT["pairs"]) and len(REPORT["times"]["date"]) == 10
    for sides in REPORT["times"]["pairs"].values():
        for side in ("ours", "theirs"):
            assert 0 < sides[side]["p50"] <= sides[side]["p95"]


