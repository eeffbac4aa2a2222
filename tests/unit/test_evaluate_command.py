"""The command `evaluate`: what it prints, what it writes, and what it says to input that it cannot use."""

import json
from argparse import Namespace
from itertools import count
from math import log2
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from firstprinciples import __main__ as cli
from firstprinciples.corpus import Collection, Document, Query
from firstprinciples.encode import stored
from firstprinciples.encode.expansion import expander
from firstprinciples.encode.splade_tiny import splade_tiny
from firstprinciples.encode.token_files import minilm_tokens
from firstprinciples.encode.token_vectors import ToyTokens
from firstprinciples.evaluate import build, command, experiment, side
from firstprinciples.evaluate.build import AS_IT_IS, DEFAULTS, RERANKED, label
from firstprinciples.evaluate.command import compared, evaluate_command, nowhere
from firstprinciples.evaluate.cut import cut_apart
from firstprinciples.evaluate.experiment import evaluate
from firstprinciples.generate.rewriting import NEEDS_VECTORS, REWRITES, Hyde
from firstprinciples.index import cosine, hnsw, ivf, product, short_vectors
from firstprinciples.ingest import chunkers
from firstprinciples.ingest.contextual import contextualize
from firstprinciples.install import COMMAND
from firstprinciples.pipeline import Pipeline
from firstprinciples.rank.cross_encoder import cross
from firstprinciples.rank.fusion import Hybrid
from firstprinciples.rank.rerank import Reading, Reranked
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.dense import Dense
from firstprinciples.retrieve.maxsim import MaxSim
from firstprinciples.retrieve.parents import Parents
from firstprinciples.retrieve.splade import Splade
from firstprinciples.text import tokenize


@pytest.fixture
def clock(monkeypatch):
    """Let the searches take 1, 2, 3, ... seconds."""
    ticks = (second for n in count(1) for second in (100.0 * n, 100.0 * n + n))
    monkeypatch.setattr(experiment, "time", SimpleNamespace(perf_counter=lambda: next(ticks)))


def test_judgments_that_nothing_can_meet_are_named():
    document = Document("rope", "Rope", "Ropes are kept\ninside.")
    quotes = [{"document": "rope", "quote": quote, "grade": 3} for quote in ("kept inside", "kept outside")]
    ours = Collection("ours", [document], [], [Query("q", "where?", evidence=tuple(quotes))])
    assert nowhere(ours) == ["q: 'kept outside' is not in rope"]
    beir = Collection("beir", [document], [], [Query("q", "where?")], {}, {"q": [(1, ("rope",)), (1, ("d9",))]})
    assert nowhere(beir) == ["q: there is no document 'd9'"]
    lost = {"document": "canoe", "quote": "kept inside", "grade": 3}  # a folder that was never synced
    ours = Collection("ours", [document], [], [Query("q", "where?", evidence=(lost, quotes[1]))])
    assert nowhere(ours) == ["q: there is no document 'canoe' in the index", "q: 'kept outside' is not in rope"]
    ours.sources = [Document("canoe", "Canoe", "Canoes are kept\ninside."), Document("rope", "Rope", "kept  outside")]
    assert nowhere(ours) == ["q: there is no document 'canoe' in the index; its clean original, in source/, holds it",
                             "q: 'kept outside' is not in rope; its clean original, in source/, holds it"]
    assert len(nowhere(ours, {"q"})) == 2 and nowhere(ours, {"another"}) == []


@pytest.fixture
def beir(tmp_path):
    """A BEIR folder: q1 finds its document first, q2 finds the lesser of two, q3 nothing; q4 has nothing to find."""
    folder = tmp_path / "tiny"
    (folder / "qrels").mkdir(parents=True)
    documents = {"10": "a red tent", "2": "the tents", "x": "stove"}
    queries = {"q1": "tent", "q2": "stove fuel", "q3": "canoe", "q4": "red"}
    for name, records in [("corpus.jsonl", documents), ("queries.jsonl", queries)]:
        text = "".join(json.dumps({"_id": id, "title": "", "text": text}) + "\n" for id, text in records.items())
        (folder / name).write_text(text, encoding="utf-8")
    judged = "q1\t10\t1\nq2\tx\t1\nq2\t2\t2\nq3\t2\t1\nq4\t10\t0\n"
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + judged, encoding="utf-8")
    return folder


KINDS = ["all questions", "two\nlines\t", "\ud800"]  # the name of the total, white space, half a character


@pytest.fixture
def shop(tmp_path):
    """A folder in this course's layout: three questions, each of a kind with an odd name."""
    folder = tmp_path / "shop"
    (folder / "documents").mkdir(parents=True)
    (folder / "documents" / "rope.md").write_text("Ropes hang inside.\n", encoding="utf-8")
    piece = {"document": "rope", "quote": "Ropes hang inside.", "grade": 3}
    asked = [{"id": f"q{i}", "text": text, "kind": kind, "evidence": [piece]}
             for i, (text, kind) in enumerate(zip(["ropes", "inside", "canoe"], KINDS, strict=True), 1)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, asked)), encoding="utf-8")
    return folder


def options(collection, **changed):
    given = {"collection": str(collection), "retriever": "bm25", "k1": 1.2, "b": 0.75, "variant": "lucene",
             "tokenizer": "codes", "stem": False, "stop_words": False, "encoder": "minilm", "index": "exact",
             "rescore": 0, "fusion": "rrf", "rrf_k": 60, "depth": 1000, "rerank": None, "rerank_depth": 100,
             "rerank_encoder": "minilm", "chunker": None, "chunk_size": None, "chunk_overlap": None, "context": False,
             "rewrite": None, "filters": False, "split": "all", "compare": None, "json": None}
    return Namespace(**{**given, **changed})


def test_the_command_prints_and_writes(beir, tmp_path, capsys, clock):
    target = tmp_path / "result.json"
    assert evaluate_command(options(beir, json=target)) == 0
    # q1: 1, 1, 1, 0.1, 1. q2: x found, grade 1 of an ideal 2, 1: 1 / (2 + 1 / log2(3)) = 0.3800938; recall 1/2. q3: 0
    assert capsys.readouterr().out == (
        "Indexing 3 chunks of tiny for bm25 ...\n"
        "kind of question  n  nDCG@10  Recall@10    95% interval  Recall@100  Precision@10  MRR@10\n"
        "all questions     3    0.460      0.500  0.000 to 1.000       0.500         0.067   0.667\n"
        "The interval is that of Recall@10: 10,000 bootstrap draws of the questions, seed 0.\n"
        "From fewer than 10 questions an interval comes out too narrow.\n"
        "3 questions measured, 1 left out (nothing to find). One search: p50 2000.00 ms, p95 3000.00 ms.\n"
        f"Written: {target}\n")
    text = target.read_text(encoding="utf-8")
    report = json.loads(text)
    assert text.endswith("}\n")
    assert list(report) == ["collection", "settings", "queries", "left_out", "metrics", "milliseconds", "by_kind",
                            "intervals"]
    assert report["collection"] == "tiny"
    assert report["settings"] == {"retriever": "bm25", "k1": 1.2, "b": 0.75, "variant": "lucene", "tokenizer": "codes",
                                  "stem": False, "stop_words": False, "split": "all"}
    assert (report["queries"], report["left_out"], report["by_kind"]) == (3, 1, {})
    assert report["metrics"] == pytest.approx({"nDCG@10": (1 + 0.3800938) / 3, "Recall@10": 0.5, "Recall@100": 0.5,
                                               "Precision@10": 0.2 / 3, "MRR@10": 2 / 3}, abs=5e-8)
    assert report["milliseconds"] == pytest.approx({"p50": 2000, "p95": 3000})
    # of 1, 0.5, 0 drawn three times, all 1 and all 0 have a chance of 1/27 each, 3.7 percent: more than 2.5
    assert report["intervals"] == {"all": {"queries": 3, "Recall@10": 0.5, "low": 0.0, "high": 1.0}, "by_kind": {}}


def test_the_command_without_a_file(beir, capsys):
    before = sorted(Path(beir).rglob("*"))
    assert evaluate_command(options(beir)) == 0
    assert "Written" not in capsys.readouterr().out
    assert sorted(Path(beir).rglob("*")) == before


def written(tmp_path, **changed):
    target = tmp_path / "out.json"
    evaluate_command(options(json=str(target), **changed))
    return json.loads(target.read_text(encoding="utf-8"))


def test_the_settings_reach_the_search(beir, tmp_path):
    # without stemming q1 finds document 10 alone; with it "tents" matches too, and being shorter comes first
    assert written(tmp_path, collection=beir)["metrics"]["MRR@10"] == pytest.approx(2 / 3)
    stemmed = written(tmp_path, collection=beir, stem=True, stop_words=True)
    assert stemmed["settings"]["stem"] is True and stemmed["settings"]["stop_words"] is True
    assert stemmed["metrics"]["MRR@10"] == pytest.approx(0.5)  # q1 0.5, q2 1, q3 0
    assert stemmed["metrics"]["Recall@10"] == pytest.approx(0.5)


def test_the_tokenizer_reaches_the_search(beir, tmp_path):
    (beir / "corpus.jsonl").write_text('{"_id": "10", "text": "LK 204"}\n{"_id": "2", "text": "see LK-204"}\n'
                                       '{"_id": "x", "text": "a stove to cook on"}\n', encoding="utf-8")
    (beir / "queries.jsonl").write_text('{"_id": "q1", "text": "LK-204"}\n', encoding="utf-8")
    # as codes the whole code is a third word, which only document 2 holds; as words both hold its parts, 10 is shorter
    assert written(tmp_path, collection=beir, tokenizer="codes")["metrics"]["MRR@10"] == 0.5
    assert written(tmp_path, collection=beir, tokenizer="words")["metrics"]["MRR@10"] == 1.0


def test_k1_and_b_reach_the_search(beir, tmp_path):
    long = "tent " * 3 + "pole " * 20
    (beir / "corpus.jsonl").write_text(json.dumps({"_id": "10", "text": long}) + '\n{"_id": "2", "text": "a tent"}\n',
                                       encoding="utf-8")
    (beir / "queries.jsonl").write_text('{"_id": "q1", "text": "tent"}\n', encoding="utf-8")
    assert written(tmp_path, collection=beir)["metrics"]["MRR@10"] == 0.5  # the long document is held back
    assert written(tmp_path, collection=beir, b=0.0)["metrics"]["MRR@10"] == 1.0  # unless length does not matter
    with pytest.raises(ValueError, match="^k1 is -1; it must be from 0 to 1,000,000"):
        evaluate_command(options(beir, k1=-1))
    with pytest.raises(ValueError, match="^There is no BM25 variant 'okapi'"):
        evaluate_command(options(beir, variant="okapi"))


def test_the_variant_reaches_the_search(beir, tmp_path):
    # "red" stands in one document of two, where the older idf is 0 and finds nothing
    (beir / "corpus.jsonl").write_text('{"_id": "10", "text": "red tent"}\n{"_id": "2", "text": "a stove"}\n',
                                       encoding="utf-8")
    (beir / "queries.jsonl").write_text('{"_id": "q1", "text": "red"}\n', encoding="utf-8")
    assert written(tmp_path, collection=beir, variant="lucene")["metrics"]["MRR@10"] == 1.0
    assert written(tmp_path, collection=beir, variant="robertson")["metrics"]["MRR@10"] == 0.0
    assert written(tmp_path, collection=beir, variant="bm25+")["settings"]["variant"] == "bm25+"


def test_larkspur_by_kind(tmp_path):
    asked = [query for query in Collection.load("larkspur").queries if query.evidence]
    report = written(tmp_path, collection="larkspur")
    assert (report["collection"], report["queries"]) == ("larkspur", len(asked))
    sizes = {kind: sum(query.kind == kind for query in asked) for kind in dict.fromkeys(query.kind for query in asked)}
    assert list(report["by_kind"]) == list(sizes)
    for name in ("nDCG@10", "Recall@10", "Recall@100", "Precision@10", "MRR@10"):
        total = sum(n * report["by_kind"][kind][name] for kind, n in sizes.items())
        assert report["metrics"][name] == pytest.approx(total / len(asked))
    sure = report["intervals"]
    assert sure["all"]["queries"] == len(asked)
    assert {kind: row["queries"] for kind, row in sure["by_kind"].items()} == sizes
    for row, means in [(sure["all"], report["metrics"])] + [(sure["by_kind"][k], report["by_kind"][k]) for k in sizes]:
        assert row["low"] <= row["Recall@10"] <= row["high"]
        assert row["Recall@10"] == pytest.approx(means["Recall@10"])
    dev = written(tmp_path, collection="larkspur", split="dev")
    assert dev["queries"] == sum(query.split == "dev" for query in asked)
    # BM25 cannot find what shares no word with the question, and finds codes
    assert report["by_kind"]["exact"]["Recall@10"] > report["by_kind"]["paraphrase"]["Recall@10"] + 0.5


@pytest.mark.parametrize("kind", [str, Path])
def test_a_json_file_that_cannot_be_written(beir, tmp_path, kind, capsys):
    target = tmp_path / "none" / "result.json"
    with pytest.raises(ValueError) as caught:
        evaluate_command(options(beir, json=kind(target)))
    assert str(caught.value) == f"The folder of {str(target)!r} is not there; make it first."
    with pytest.raises(ValueError) as caught:
        evaluate_command(options(beir, json=kind(tmp_path)))
    assert str(caught.value) == f"{str(tmp_path)!r} is a folder; give the name of a file."
    assert capsys.readouterr().out == ""  # said before the work, not after it


def test_nothing_but_a_json_file_is_written_over(shop, capsys):
    before = {path: path.read_bytes() for path in shop.rglob("*") if path.is_file()}
    for name in ("questions.jsonl", "documents/rope.md", "report", "report.json.txt"):
        with pytest.raises(ValueError) as caught:
            evaluate_command(options(shop, json=shop / name))
        assert str(caught.value) == f"{str(shop / name)!r} does not end in .json; give the result a name that does."
    assert {path: path.read_bytes() for path in shop.rglob("*") if path.is_file()} == before
    assert capsys.readouterr().out == ""
    evaluate_command(options(shop, json=shop / "report.JSON"))
    assert json.loads((shop / "report.JSON").read_text(encoding="utf-8"))["queries"] == 3


def test_a_result_is_written_whole_or_not_at_all(shop, tmp_path, monkeypatch):
    target = tmp_path / "result.json"
    target.write_text("the old one", encoding="utf-8")

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched, pytest.raises(OSError, match="No space"):
        patched.setattr(command.os, "replace", full)
        evaluate_command(options(shop, json=target))
    assert target.read_text(encoding="utf-8") == "the old one"
    assert sorted(tmp_path.iterdir()) == [target, shop]  # no half of it lies about
    evaluate_command(options(shop, json=target))
    assert json.loads(target.read_text(encoding="utf-8"))["queries"] == 3
    assert sorted(tmp_path.iterdir()) == [target, shop]


def test_a_folder_that_cannot_be_written_to(shop, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command.os, "access", lambda path, mode: Path(path) != tmp_path)
    with pytest.raises(ValueError) as caught:
        evaluate_command(options(shop, json=tmp_path / "result.json"))
    assert str(caught.value) == f"The folder of {str(tmp_path / 'result.json')!r} cannot be written to."
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("second", [None, "bm25 --stem"])
def test_kinds_with_odd_names_keep_apart_and_on_their_lines(shop, tmp_path, capsys, second):
    report = written(tmp_path, collection=shop, compare=cli.second_retriever(second) if second else None)
    # q1 and q2 find their answer, q3 has none of its words
    assert (report["metrics"]["Recall@10"], report["intervals"]["all"]["Recall@10"]) == (pytest.approx(2 / 3),) * 2
    assert {kind: row["queries"] for kind, row in report["intervals"]["by_kind"].items()} == dict.fromkeys(KINDS, 1)
    assert [report["by_kind"][kind]["Recall@10"] for kind in KINDS] == [1, 1, 0]
    printed = capsys.readouterr().out
    head = "B - A by kind" if second else "kind of question"
    lines = printed[printed.index(head):].splitlines()[1:5]
    names = ["all questions", r"'two\nlines\t'", r"'\ud800'"]
    if not second:
        assert lines[0].split("  ")[0] == "all questions" and " 3 " in lines.pop(0)
    assert [line.split("  ")[0] for line in lines[:3]] == names
    assert all(" 1 " in line for line in lines[:3])


def test_a_split_that_a_beir_folder_lacks(beir):
    with pytest.raises(ValueError, match="^tiny has no judged question in the split 'dev'; use --split all.$"):
        evaluate_command(options(beir, split="dev"))


def test_bm25_on_the_collection_equals_the_command(beir, tmp_path):
    collection = Collection.load(beir)
    result = evaluate(BM25(collection.chunks), collection)
    assert written(tmp_path, collection=beir)["metrics"] == pytest.approx(result["metrics"])


# Two retrievers


STEMS = cli.second_retriever("bm25 --stem --stop-words")


def test_two_retrievers_are_printed_and_written(beir, tmp_path, capsys, clock):
    target = tmp_path / "result.json"
    assert evaluate_command(options(beir, json=target, compare=STEMS)) == 0
    # with stems q1 finds the shorter document 2 first: MRR and nDCG fall by 0.5 and by 1 - 1 / log2(3) = 0.3690702;
    # of three draws all are q1 with a chance of 1/27, 3.7 percent, and none is with one of 8/27
    assert capsys.readouterr().out == (
        "Indexing 3 chunks of tiny for bm25 and bm25 --stem --stop-words ...\n"
        "retriever                    nDCG@10  Recall@10  Recall@100  Precision@10  MRR@10\n"
        "A: bm25                        0.460      0.500       0.500         0.067   0.667\n"
        "B: bm25 --stem --stop-words    0.337      0.500       0.500         0.067   0.500\n"
        "\n"
        "B - A, 3 questions  difference      95% interval  B better  A better  equal\n"
        "nDCG@10                 -0.123  -0.369 to +0.000         0         1      2\n"
        "Recall@10               +0.000  +0.000 to +0.000         0         0      3\n"
        "Recall@100              +0.000  +0.000 to +0.000         0         0      3\n"
        "Precision@10            +0.000  +0.000 to +0.000         0         0      3\n"
        "MRR@10                  -0.167  -0.500 to +0.000         0         1      2\n"
        "nDCG@10, MRR@10: 0 is inside the interval, so these questions can't tell the two apart.\n"
        "Recall@10, Recall@100, Precision@10: the same on every question.\n"
        "The intervals: 10,000 bootstrap draws of the questions, seed 0, the same for A and B.\n"
        "From fewer than 10 questions an interval comes out too narrow.\n"
        "\n"
        "3 questions measured, 1 left out (nothing to find). One search: p50 2000.00 ms, p95 3000.00 ms; of B p50 "
        "5000.00 ms, p95 6000.00 ms.\n"
        f"Written: {target}\n")
    report = json.loads(target.read_text(encoding="utf-8"))
    assert list(report)[-1] == "compare"
    assert report["metrics"]["MRR@10"] == pytest.approx(2 / 3)
    other = report["compare"]
    assert list(other) == ["settings", "metrics", "milliseconds", "by_kind", "differences", "differences_by_kind"]
    assert other["settings"] == {"retriever": "bm25", "k1": 1.2, "b": 0.75, "variant": "lucene", "tokenizer": "codes",
                                 "stem": True, "stop_words": True, "split": "all"}
    assert other["metrics"]["MRR@10"] == pytest.approx(0.5)
    assert other["differences"]["MRR@10"] == pytest.approx(
        {"difference": -1 / 6, "low": -0.5, "high": 0.0, "wins": 0, "losses": 1, "ties": 2})
    assert other["differences"]["nDCG@10"]["difference"] == pytest.approx((1 / log2(3) - 1) / 3)
    assert other["differences_by_kind"] == {}


def test_two_retrievers_by_kind(tmp_path, capsys):
    report = written(tmp_path, collection="larkspur", b=0.0, compare=cli.second_retriever("bm25 --variant atire"))
    other = report["compare"]
    for name, row in other["differences"].items():
        assert row["difference"] == pytest.approx(other["metrics"][name] - report["metrics"][name])
        assert row["low"] <= row["difference"] <= row["high"]
        assert row["wins"] + row["losses"] + row["ties"] == report["queries"]
    assert list(other["differences_by_kind"]) == list(report["by_kind"])
    for kind, row in other["differences_by_kind"].items():
        assert row["nDCG@10"]["difference"] == pytest.approx(
            other["by_kind"][kind]["nDCG@10"] - report["by_kind"][kind]["nDCG@10"])
    printed = capsys.readouterr().out
    assert "A: bm25 --b 0.0 " in printed and "B: bm25 --variant atire " in printed
    assert [line.split()[0] for line in printed.split("B - A by kind")[1].split("Told apart in")[0].splitlines()[1:]] \
        == list(report["by_kind"])


def row(difference, low, high):
    return {"difference": difference, "low": low, "high": high, "wins": 12, "losses": 0, "ties": 8}


def test_which_is_better_is_said_where_the_interval_says_so():
    names = ("nDCG@10", "Recall@10", "Recall@100", "Precision@10", "MRR@10")
    between = dict(zip(names, [row(0.2, 0.1, 0.3), row(-1e-17, -0.2, 0.2), row(-0.2, -0.3, -0.1), row(0.1, 0.0003, 0.2),
                               row(0.1, 0.0, 0.2)], strict=True))
    metrics = dict.fromkeys(names, 0.5)
    kinds = {"direct": {"queries": 12, "Recall@10": row(0.1, 0.05, 0.2), "nDCG@10": row(0.1, -0.1, 0.2)},
             "exact": {"queries": 10, "Recall@10": row(0.0, 0.0, 0.0), "nDCG@10": row(0.0, 0.0, 0.0)}}
    text = compared({"queries": 22, "metrics": metrics, "compare": {
        "metrics": metrics, "differences": between, "differences_by_kind": kinds}}, "bm25", "bm25 --stem")
    assert ("nDCG@10, Precision@10: B is better.\n"
            "Recall@10, MRR@10: 0 is inside the interval, so these questions can't tell the two apart.\n"
            "Recall@100: A is better.\n") in text
    assert "Precision@10             +0.100  +0.000 to +0.200" in text  # 0.0003, which is above 0
    assert "Recall@10                +0.000  -0.200 to +0.200        12         0      8\n" in text
    assert ("direct         12  +0.100 (+0.050 to +0.200)  +0.100 (-0.100 to +0.200)\n"
            "exact          10  +0.000 (+0.000 to +0.000)  +0.000 (+0.000 to +0.000)\n"
            "Told apart in: direct. Where 0 is inside both intervals, these questions can't tell the two apart.\n"
            "One interval in twenty misses by chance, so a single kind proves little.\n") in text
    assert "too narrow" not in text  # there are ten questions of each kind


def test_a_second_retriever_that_cannot_be_built_is_refused_before_the_first_is_measured(beir, capsys):
    with pytest.raises(ValueError, match="^b is 7.0; it must be between 0 and 1"):
        evaluate_command(options(beir, compare=options(beir, b=7.0)))
    assert "measured" not in capsys.readouterr().out


def test_a_retriever_is_named_by_the_options_that_differ_from_the_command_lines():
    assert vars(cli.second_retriever("bm25")) == {"retriever": "bm25", **DEFAULTS["hybrid"], "rerank": None,
                                                  **RERANKED["maxsim"], **AS_IT_IS}
    assert list(DEFAULTS) == list(cli.RETRIEVERS)
    for text in ["bm25", "bm25 --k1 0.9 --variant bm25+ --tokenizer words", "bm25 --b 0.4 --stem --stop-words",
                 "dense --encoder minilm", "dense --encoder toy --index binary --rescore 100",
                 "hybrid --stem --encoder toy --fusion minmax --rrf-k 10 --depth 50", "splade --encoder splade-tiny",
                 "splade --encoder toy --rerank cross", "maxsim --encoder minilm",
                 "bm25 --stem --rerank cross --rerank-depth 50", "pipeline --encoder minilm",
                 "pipeline --b 0.4 --encoder toy --depth 50 --filters --rerank cross --rewrite acronyms",
                 "dense --encoder toy --rerank maxsim --rerank-depth 20 --rerank-encoder minilm"]:
        assert label(cli.second_retriever(text)) == text
    assert label(cli.second_retriever("dense --stem --depth 9")) == "dense --encoder minilm"  # what it has nothing of


# By vectors


class Letters:
    """An encoder of 26 numbers, how often each letter stands in a text; it counts the texts that it is given."""

    name, dim = "letters", 26

    def __init__(self):
        self.passages, self.queries = [], []

    def encode_passages(self, texts):
        self.passages += texts
        return self.encode(texts)

    def encode_queries(self, texts):
        self.queries += texts
        return self.encode(texts)

    def encode(self, texts):
        found = np.array([[text.count(chr(97 + i)) for i in range(26)] for text in texts], dtype=np.float32)
        return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)


@pytest.fixture
def letters(monkeypatch):
    encoder = Letters()
    monkeypatch.setattr(build, "make_encoder", lambda name: encoder)
    return encoder


def test_dense_search(beir, tmp_path, letters):
    report = written(tmp_path, collection=beir, retriever="dense")
    assert report["settings"] == {"retriever": "dense", "encoder": "minilm", "index": "exact", "rescore": 0,
                                  "split": "all"}
    collection = Collection.load(beir)
    assert report["metrics"] == pytest.approx(evaluate(Dense(collection.chunks, Letters()), collection)["metrics"])
    assert report["metrics"]["Recall@10"] == 1.0  # all three documents are in every list
    # passages once, beforehand; each question once, as part of its search
    assert letters.passages == ["a red tent", "the tents", "stove"]
    assert letters.queries == ["tent", "stove fuel", "canoe"]


@pytest.mark.parametrize("how, kind", [({}, "rrf"), ({"fusion": "minmax"}, "minmax"), ({"rrf_k": 1}, "rrf"),
                                       ({"depth": 1}, "rrf"), ({"stem": True}, "rrf")])
def test_hybrid_search(beir, tmp_path, letters, how, kind):
    report = written(tmp_path, collection=beir, retriever="hybrid", **how)
    given = {"k1": 1.2, "b": 0.75, "variant": "lucene", "tokenizer": "codes", "stem": False, "stop_words": False,
             "encoder": "minilm", "index": "exact", "rescore": 0, "fusion": "rrf", "rrf_k": 60, "depth": 1000, **how}
    assert report["settings"] == {"retriever": "hybrid", **given, "split": "all"}
    collection = Collection.load(beir)
    words = BM25(collection.chunks, tokenizer=lambda text: tokenize(text, stem=given["stem"]))
    both = Hybrid([words, Dense(collection.chunks, Letters())], k=given["rrf_k"], depth=given["depth"], fusion=kind)
    assert report["metrics"] == pytest.approx(evaluate(both, collection)["metrics"])


# how far Recall@10 of 135 questions may be from that of exact search: ivf looks into 8 of its 27 cells
@pytest.mark.parametrize("index, kind, far", [
    ("exact", cosine.Exact, 0), ("hnsw", hnsw.HNSW, 0.005), ("ivf", ivf.IVF, 0.06), ("int8", short_vectors.Int8, 0.01),
    ("binary", short_vectors.Binary, 0.02), ("pq", product.PQ, 0.005)])
def test_each_index_is_measured(tmp_path, index, kind, far):
    rescore = {"rescore": 100} if index in cli.SHORTENED else {}
    how = {"collection": "larkspur", "retriever": "dense", "split": "dev"}
    report = written(tmp_path, **how, index=index, **rescore)
    assert report["settings"] == {"retriever": "dense", "encoder": "minilm", "index": index, "rescore": 0, **rescore,
                                  "split": "dev"}
    exact = written(tmp_path, **how)["metrics"]
    assert report["metrics"]["Recall@10"] == pytest.approx(exact["Recall@10"], abs=far)
    made = build.make_index(options("larkspur", index=index, **rescore), 64)
    assert type(made) is kind and made.dim == 64
    assert not rescore or made.shelf.depth == 100


@pytest.mark.parametrize("how, said", [
    ({"retriever": "bm25"}, None),
    ({"retriever": "dense"}, "3 full vectors (exact search: with 3)"),
    ({"retriever": "dense", "index": "binary"}, "0 full vectors and 3 short codes (exact search: with 3)"),
    ({"retriever": "dense", "index": "binary", "rescore": 2},  # never fewer than the list is long
     "3 full vectors and 3 short codes (exact search: with 3)"),
    ({"retriever": "hybrid", "index": "ivf", "compare": "dense"},
     "5 full vectors, in B with 3 full vectors (exact search: with 3)"),  # 2 cells have a center each
    ({"retriever": "bm25", "compare": "dense"}, "in B with 3 full vectors (exact search: with 3)")])
def test_what_a_search_compares_is_counted(beir, letters, capsys, how, said):
    if "compare" in how:
        how["compare"] = cli.second_retriever(how["compare"])
    evaluate_command(options(beir, **how))
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("One search compared")]
    assert lines == ([f"One search compared the question, on average, with {said}."] if said else [])


def test_the_options_of_hybrid_reach_it(beir, letters):
    chunks = Collection.load(beir).chunks
    made = build.make_retriever(options(beir, retriever="hybrid", rrf_k=7, depth=3, fusion="minmax", b=0.1), chunks)
    assert (made.k, made.depth, made.fusion) == (7, 3, "minmax")
    assert [type(half).__name__ for half in made.retrievers] == ["BM25", "Dense"] and made.retrievers[0].b == 0.1


def test_settings_that_do_not_fit_are_one_sentence(beir, letters):
    with pytest.raises(ValueError, match="^depth is 0; it must be 1 or more.$"):
        evaluate_command(options(beir, retriever="hybrid", depth=0))
    with pytest.raises(ValueError, match="^k is -1; it must be 0 or more"):
        evaluate_command(options(beir, retriever="hybrid", rrf_k=-1))


def test_what_is_measured_is_said_from_the_start(beir, letters, capsys):
    evaluate_command(options(beir))  # also with `--encoder minilm`, which is what it is anyway
    assert capsys.readouterr().out.startswith("Indexing 3 chunks of tiny for bm25 ...\n")
    evaluate_command(options(beir, retriever="dense", compare=cli.second_retriever("bm25")))
    assert capsys.readouterr().out.startswith("Indexing 3 chunks of tiny for dense --encoder minilm and bm25 ...\n")


def test_without_a_question_nothing_is_encoded(beir, letters):
    with pytest.raises(ValueError, match="has no judged question in the split 'dev'"):
        evaluate_command(options(beir, retriever="dense", split="dev"))
    (beir / "queries.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(ValueError):
        evaluate_command(options(beir, retriever="dense"))
    assert not letters.passages


def test_dense_and_hybrid_beside_another(beir, tmp_path, letters, capsys):
    report = written(tmp_path, collection=beir, compare=cli.second_retriever("hybrid --encoder minilm --fusion minmax"))
    assert report["settings"]["retriever"] == "bm25" and "encoder" not in report["settings"]
    assert report["compare"]["settings"]["fusion"] == "minmax"
    assert "B: hybrid --encoder minilm --fusion minmax " in capsys.readouterr().out


def test_without_the_files_a_collection_of_ones_own_says_what_to_do(beir, tmp_path, monkeypatch):
    monkeypatch.setenv("FIRSTPRINCIPLES_CACHE", str(tmp_path / "none"))
    monkeypatch.setattr(stored, "minilm", lambda: stored.Stored(stored.FILE, stored._load_minilm))
    with pytest.raises(FileNotFoundError, match="^dense --encoder minilm must encode what is not stored with the"):
        evaluate_command(options(beir, retriever="dense"))


@pytest.mark.parametrize("retriever", ["dense", "hybrid"])
def test_larkspur_by_stored_vectors_needs_no_files(tmp_path, monkeypatch, capsys, retriever):
    monkeypatch.setenv("FIRSTPRINCIPLES_CACHE", str(tmp_path / "none"))
    monkeypatch.setattr(stored, "minilm", lambda: stored.Stored(stored.FILE, lambda: None))
    report = written(tmp_path, collection="larkspur", split="dev", retriever=retriever)
    assert report["queries"] == 135
    words = written(tmp_path, collection="larkspur", split="dev")  # which finds nothing without a shared word
    assert report["by_kind"]["paraphrase"]["Recall@10"] > words["by_kind"]["paraphrase"]["Recall@10"] + 0.1
    told = "The vectors of these questions are stored with the course: those times hold no encoding.\n"
    assert told in capsys.readouterr().out
    assert not (tmp_path / "none").exists()


def test_larkspur_by_the_encoder_that_lesson_05_trains(tmp_path, capsys):
    report = written(tmp_path, collection="larkspur", split="dev", retriever="dense", encoder="toy")
    assert report["settings"]["encoder"] == "toy" and report["queries"] == 135
    assert "stored with the course" not in capsys.readouterr().out


# By learned words, by a vector for each token, and in two stages


def written_out(tmp_path, capsys, **changed):
    """Return the report of the command and what it printed."""
    capsys.readouterr()
    return written(tmp_path, **changed), capsys.readouterr().out


def test_splade_with_the_weights_that_come_with_the_course(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("FIRSTPRINCIPLES_CACHE", str(tmp_path / "none"))
    report, said = written_out(tmp_path, capsys, collection="larkspur", split="dev", retriever="splade",
                               encoder="splade-tiny")
    assert report["settings"] == {"retriever": "splade", "encoder": "splade-tiny", "split": "dev"}
    collection = Collection.load("larkspur")
    plain = Splade(collection.chunks, splade_tiny())
    assert report["metrics"] == pytest.approx(evaluate(plain, collection, "dev")["metrics"])
    read = [len(plain.backwards(term)) for query in collection.queries if query.split == "dev" and query.evidence
            for term in plain.question(query.text)]
    assert f"on average, with {sum(read) / 135:,.0f} of {plain.postings:,} postings.\n" in said
    assert "The vectors of these questions are stored with the course: those times hold no encoding.\n" in said
    assert not (tmp_path / "none").exists()


def test_splade_with_the_toy_of_lesson_14(beir, tmp_path, capsys):
    report, said = written_out(tmp_path, capsys, collection=beir, retriever="splade", encoder="toy")
    collection = Collection.load(beir)
    assert report["settings"] == {"retriever": "splade", "encoder": "toy", "split": "all"}
    assert report["metrics"] == pytest.approx(evaluate(Splade(collection.chunks, expander()), collection)["metrics"])
    assert said.startswith("Indexing 3 chunks of tiny for splade --encoder toy ...\n")
    assert " postings.\n" in said and "exact search" not in said and "stored with" not in said


def test_the_weights_of_another_collection_are_kept(beir, tmp_path, monkeypatch):
    """The real encoder itself is not needed: one that counts letters stands in its place."""
    class Tiny:
        name, fingerprint, asked = "splade-tiny", "letters", []

        def encode_passages(self, texts):
            self.asked += texts
            return [{letter: float(text.count(letter)) for letter in sorted(set(text) - {" "})} for text in texts]

        encode_queries = encode_passages

        def terms_of(self, text):
            return list(text)

    tiny = Tiny()
    monkeypatch.setenv("FIRSTPRINCIPLES_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(build, "splade_tiny", lambda: tiny)
    monkeypatch.setattr(side, "looked_up", lambda *_: False)
    first = written(tmp_path, collection=beir, retriever="splade", encoder="splade-tiny")
    assert tiny.asked == ["a red tent", "the tents", "stove", "tent", "stove fuel", "canoe"]
    del tiny.asked[:]
    again = written(tmp_path, collection=beir, retriever="splade", encoder="splade-tiny")
    assert tiny.asked == ["tent", "stove fuel", "canoe"] and again["metrics"] == first["metrics"]


def test_maxsim_with_toy_vectors(beir, tmp_path, capsys):
    report, said = written_out(tmp_path, capsys, collection=beir, retriever="maxsim", encoder="toy")
    assert report["settings"] == {"retriever": "maxsim", "encoder": "toy", "split": "all"}
    collection = Collection.load(beir)
    assert report["metrics"] == pytest.approx(evaluate(MaxSim(collection.chunks, ToyTokens()), collection)["metrics"])
    assert report["metrics"]["Recall@10"] == 1.0  # all three documents are in every list
    tokens = sum(len(chunk.text.split()) for chunk in collection.chunks)
    assert f"One search compared the question, on average, with the {tokens} vectors of 3 chunks.\n" in said
    assert "exact search" not in said and "second stage" not in said


@pytest.mark.parametrize("how", [{"rerank": "cross"}, {"rerank": "cross", "rerank_depth": 1},
                                 {"rerank": "maxsim", "rerank_encoder": "toy"},
                                 {"rerank": "maxsim", "rerank_encoder": "toy", "rerank_depth": 2, "retriever": "dense",
                                  "encoder": "toy"}])
def test_a_second_stage_is_what_reranked_gives(beir, tmp_path, capsys, how):
    report, said = written_out(tmp_path, capsys, collection=beir, **how)
    collection, depth = Collection.load(beir), how.get("rerank_depth", 100)
    first = Dense(collection.chunks, build.biencoder.toy()) if "encoder" in how else BM25(collection.chunks)
    second = cross() if how["rerank"] == "cross" else MaxSim(collection.chunks, ToyTokens())
    plain = Reranked(first, second, depth=depth)
    assert report["metrics"] == pytest.approx(evaluate(plain, collection)["metrics"])
    given = {**DEFAULTS[how.get("retriever", "bm25")], "rerank_depth": 100, **how}
    assert report["settings"] == {"retriever": "bm25", **given, "split": "all"}
    found = sum(len(first.search(query.text, depth)) for query in collection.queries if query.id != "q4") / 3
    assert report["reranking"]["candidates"] == pytest.approx(found)
    assert ("tokens" in report["reranking"]) == (how["rerank"] == "cross")
    tokens = f"{report['reranking']['tokens']:,.0f} tokens of " if how["rerank"] == "cross" else ""
    assert f"For one question the second stage read, on average, {tokens}{found:.1f} candidates.\n" in said


def test_a_second_stage_finds_nothing_new_and_says_what_it_read(tmp_path, capsys):
    second = cli.second_retriever("bm25 --rerank cross --rerank-depth 20")
    report, said = written_out(tmp_path, capsys, collection="larkspur", split="dev", compare=second)
    other = report["compare"]
    assert "reranking" not in report and other["reranking"]["candidates"] <= 20 < other["reranking"]["tokens"]
    assert other["settings"]["rerank"] == "cross" and other["settings"]["rerank_depth"] == 20
    assert all(other["differences"]["Recall@100"][name] <= 0 for name in ("difference", "wins"))
    assert f"the second stage read, on average, in B {other['reranking']['tokens']:,.0f} tokens of " in said
    assert "B: bm25 --rerank cross --rerank-depth 20 " in said


def test_what_a_second_stage_cuts_is_said():
    assert build.said_of({"candidates": 7.25, "tokens": 3712.0, "cut": 0.0}) == "3,712 tokens of 7.2 candidates"
    assert build.said_of({"candidates": 100.0}) == "100.0 candidates"
    notes = [Reading(2, 20, 1), Reading(4, 40, 0)]
    assert build.reading(SimpleNamespace(retriever=None, notes=notes)) == {"candidates": 3, "tokens": 30, "cut": 0.5}
    assert build.reading(SimpleNamespace(retriever=None, notes=[Reading(2), Reading(4, 40, 0)])) == {"candidates": 3}
    assert build.reading(SimpleNamespace()) is None


def test_a_depth_below_one_is_one_sentence(beir):
    with pytest.raises(ValueError, match="^depth is 0; it must be 1 or more.$"):
        evaluate_command(options(beir, rerank="cross", rerank_depth=0))


def test_where_all_was_looked_up_no_search_holds_an_encoding():
    """The vectors of questions are stored, but not one for each token."""
    larkspur = Collection.load("larkspur")
    dev = {query.id for query in larkspur.queries if query.split == "dev"}
    for text, looked_up in [("dense", True), ("splade", True), ("bm25", False), ("bm25 --rerank cross", False),
                            ("dense --rerank cross", True), ("maxsim", False), ("dense --rerank maxsim", False),
                            ("dense --encoder toy", False), ("splade --encoder toy", False)]:
        assert side.looked_up(cli.second_retriever(text), larkspur, dev) is looked_up, text


@pytest.fixture
def no_files(tmp_path, monkeypatch):
    """A cache folder without a model, and encoders that have loaded none."""
    monkeypatch.setenv("FIRSTPRINCIPLES_CACHE", str(tmp_path / "none"))
    for encoder in (stored.minilm(), splade_tiny(), minilm_tokens()):  # kept by others, too: they stay the same ones
        monkeypatch.setattr(encoder, "_model", None)


@pytest.mark.parametrize("text, name, way_out", [
    ("dense", "minilm", "--encoder"), ("hybrid", "minilm", "--encoder"), ("splade", "splade-tiny", "--encoder"),
    ("maxsim", "minilm", "--encoder"), ("bm25 --rerank maxsim", "minilm", "--rerank-encoder"),
    ("dense --encoder toy --rerank maxsim", "minilm", "--rerank-encoder"),
    ("maxsim --encoder toy --rerank maxsim", "minilm", "--rerank-encoder")])
def test_files_that_are_missing_are_told_before_anything_is_built(beir, no_files, monkeypatch, capsys, text, name,
                                                                  way_out):
    monkeypatch.setattr(side, "make_retriever", lambda *_: pytest.fail("built all the same"))
    second = cli.second_retriever(text)
    said = (f"{label(second)} must encode what is not stored with the course, and the files of {name} are not here: "
            f"run `{COMMAND} models` once to fetch them (109 MB), or use the encoder toy ({way_out} toy).")
    for how in ({**vars(second)}, {"compare": second}):
        with pytest.raises(FileNotFoundError) as caught:
            evaluate_command(options(beir, **how))
        assert str(caught.value) == said
    assert capsys.readouterr().out == ""


def test_what_is_stored_or_toy_needs_no_files(beir, no_files):
    larkspur = Collection.load("larkspur")
    texts = [each.text for each in (*larkspur.chunks, *larkspur.queries)]
    for text in ("bm25", "dense", "hybrid --index hnsw", "splade", "maxsim --encoder toy", "splade --rerank cross",
                 "dense --rerank maxsim --rerank-encoder toy"):
        build.need_files(cli.second_retriever(text), texts)
    for text in ("maxsim", "bm25 --rerank maxsim"):  # larkspur's vectors for each token are not stored
        with pytest.raises(stored.ModelFilesMissing):
            build.need_files(cli.second_retriever(text), texts)
    for text in ("dense --encoder toy", "splade --encoder toy --rerank cross", "maxsim --encoder toy"):
        assert evaluate_command(options(beir, **vars(cli.second_retriever(text)))) == 0


def test_questions_that_take_long_are_seen_to_go_on(monkeypatch):
    """Nothing for a second, then five times a second; the last call clears the bar, and only where there is one."""
    now, told = [0.0], []
    monkeypatch.setattr(side, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(side, "Bar", lambda what: lambda done, n: told.append((what, done, n)))

    class Slow:
        def search(self, query, k):
            now[0] += seconds
            return [query, k]

    for seconds, calls in [(0.001, []), (0.25, [4, 5, 6]), (0.125, []), (0.1875, [6]), (2.0, [1, 2, 3, 4, 5, 6])]:
        now[0], told[:] = 0.0, []
        watched = side.Watched(Slow(), "Searching", 6)
        assert [watched.search(f"q{i}", k=i) for i in range(6)] == [[f"q{i}", i] for i in range(6)]
        assert told == [("Searching", done, 6) for done in calls], seconds


def test_both_searches_are_watched(beir, monkeypatch):
    seen = []
    monkeypatch.setattr(side, "Watched", lambda one, what, n, conditions: seen.append((what, n)) or one)
    evaluate_command(options(beir))
    evaluate_command(options(beir, compare=cli.second_retriever("bm25 --rerank cross")))
    assert seen == [("Searching", 3), ("Searching with A", 3), ("Searching with B", 3)]


# The search of the whole trip


def test_a_pipeline_of_larkspur(tmp_path, capsys):
    report, said = written_out(tmp_path, capsys, collection="larkspur", split="dev", retriever="pipeline", depth=100,
                               filters=True, compare=cli.second_retriever("pipeline --rerank cross --depth 20"))
    collection = Collection.load("larkspur")
    asked = [query for query in collection.queries if query.split == "dev" and collection.evidence.get(query.id)]
    both = Pipeline(collection.chunks, [BM25(collection.chunks), Dense(collection.chunks, stored.minilm())])
    second = both.but(rerank=cross(), depth=20)
    for part, pipeline, where in ((report, both, True), (report["compare"], second, False)):
        found = [experiment.measure([hit.id for hit in pipeline.search(
            query.text, 100, query.history, query.filter if where else None)], collection.evidence[query.id])
            for query in asked]
        for name, mean in part["metrics"].items():
            assert mean == pytest.approx(sum(each[name] for each in found) / len(asked)), name
    assert report["settings"] == {"retriever": "pipeline", **DEFAULTS["pipeline"], "filters": True, "split": "dev"}
    other = report["compare"]
    assert other["settings"] == {"retriever": "pipeline", **DEFAULTS["pipeline"], "depth": 20, "rerank": "cross",
                                 "split": "dev"}
    assert report["filters"] == {"questions": 15} and "filters" not in other
    assert report["rewriting"]["changed"] == other["rewriting"]["changed"] == 14
    assert other["reranking"]["candidates"] == 20 < other["reranking"]["tokens"] and "reranking" not in report
    assert "Filtered in A: 15 of 135 questions have a condition of their own, and were looked for only among" in said
    assert "A: pipeline --encoder minilm --filters " in said
    # a search with a condition compares those that fulfill it, and no more
    matching = [len(both.allowed(query.filter)) if query.filter else 704 for query in asked]
    assert f"on average, with {sum(matching) / len(asked):,.0f} full vectors, in B with 704 full vectors" in said


@pytest.mark.parametrize("how", [{}, {"rerank": "cross"}, {"rerank": "maxsim", "rerank_encoder": "toy"},
                                 {"chunker": "parent-child"},
                                 {"chunker": "words", "chunk_size": 30, "chunk_overlap": 9},
                                 {"rewrite": "phrasings"}, {"rewrite": "acronyms", "context": True}])
def test_a_pipeline_of_ones_own_folder(ropes, tmp_path, capsys, how):
    report, said = written_out(tmp_path, capsys, collection=ropes, retriever="pipeline", depth=100, encoder="toy",
                               **how)
    assert report["settings"]["retriever"] == "pipeline" and report["metrics"]["Recall@10"] > 0
    assert report["rewriting"]["by"] == "rules"
    assert ("second stage read" in said) == ("rerank" in how)


def test_a_pipeline_on_a_beir_folder_hands_on_documents(beir, tmp_path, capsys):
    report, _ = written_out(tmp_path, capsys, collection=beir, retriever="pipeline", depth=100, encoder="toy",
                            chunker="sentences", chunk_size=5)
    assert report["metrics"]["Recall@10"] == 1.0
    # with nothing said before, no condition and no second stage it is the hybrid search
    same = cli.second_retriever("hybrid --encoder toy --depth 100")
    report = written(tmp_path, collection=beir, retriever="pipeline", depth=100, encoder="toy", compare=same)
    assert {name: row["ties"] for name, row in report["compare"]["differences"].items()} == dict.fromkeys(
        report["metrics"], 3)


def test_conditions_that_no_question_has_or_that_no_document_has(beir, ropes, tmp_path):
    with pytest.raises(ValueError, match="^--filters takes the condition of each question, and no question of tiny"):
        evaluate_command(options(beir, retriever="pipeline", depth=100, encoder="toy", filters=True))
    path = ropes / "questions.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    lines[0]["filter"] = {"color": "red"}
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    with pytest.raises(ValueError, match=f"^The condition of {lines[0]['id']} can't be used: No record has the field"):
        evaluate_command(options(ropes, retriever="pipeline", depth=100, encoder="toy", filters=True))


# Documents cut in another way, with a line of context, and questions rewritten


NOTE = """# Ropes

## Drying

Hang a wet rope in the shade. Never dry it over a stove, which melts it.

## Storing

Coil it, and keep it off the floor. Mice eat rope.
"""
QUOTES = {"q1": "Never dry it over a stove, which melts it.",
          "q2": "Coil it, and keep it off the floor. Mice eat rope.", "q3": "in the shade. Never dry it over a stove"}
TALK = [{"role": "user", "text": "How is a wet rope dried?"}, {"role": "assistant", "text": "In the shade."}]


@pytest.fixture
def ropes(tmp_path):
    """A folder with one note and three quotes: the first is a sentence, the second two, the third parts of two."""
    folder = tmp_path / "ropes"
    (folder / "documents").mkdir(parents=True)
    (folder / "documents" / "rope.md").write_text(NOTE, encoding="utf-8")
    texts = {"q1": "stove melts", "q2": "mice", "q3": "and over a stove?"}
    asked = [{"id": id, "text": text, "history": TALK if id == "q3" else [],
              "evidence": [{"document": "rope", "quote": QUOTES[id], "grade": 3}]} for id, text in texts.items()]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, asked)), encoding="utf-8")
    return folder


def given(text, **more):
    """Return the options that a retriever has as one would type it after --compare."""
    return {**vars(cli.second_retriever(text)), **more}


@pytest.mark.parametrize("chunker, chunks, apart", [
    ("paragraphs", 2, 0), ("sections", 2, 0), ("functions", 5, 0), ("parent-child", 2, 0),
    ("sentence-windows", 7, 0), ("sentences --chunk-size 10", 5, 2), ("sentences --chunk-size 18", 3, 1),
    ("sentences --chunk-size 20", 2, 0), ("words --chunk-size 5 --chunk-overlap 0", 7, 3),
    ("words --chunk-size 12 --chunk-overlap 8", 7, 1), ("words", 1, 0)])
def test_each_chunker_is_measured_and_what_it_takes_apart_is_said(ropes, tmp_path, capsys, chunker, chunks, apart):
    report, said = written_out(tmp_path, capsys, **given(f"bm25 --chunker {chunker}", collection=ropes))
    assert report["settings"]["chunker"] == chunker.split()[0]
    found = report["chunking"]
    assert (found["chunks"], found["evidence"]) == (chunks, 3)
    assert found["apart"] == apart, found
    assert f"Indexing {chunks} chunks of ropes for bm25 --chunker {chunker} ...\n" in said
    why = {0: "", 1: "; no chunk holds it whole, so no search finds it"}.get(
        apart, "; no chunk holds them whole, so no search finds them")
    assert f"Cut apart: {apart} of 3 pieces of evidence{why}.\n" in said
    assert f"Handed on: {found['words']:,.0f} words, on average, in the first 10 of a list.\n" in said
    assert report["metrics"]["Recall@10"] <= (3 - apart) / 3 + 1e-9
    assert "Rewritten" not in said


def test_a_chunker_is_what_collection_load_makes_with_it(ropes, tmp_path):
    by_words = chunkers.by_words(size=6, overlap=2)
    loaded = Collection.load(ropes, chunker=by_words)
    result = evaluate(BM25(loaded.chunks), loaded)
    report = written(tmp_path, **given("bm25 --chunker words --chunk-size 6 --chunk-overlap 2", collection=ropes))
    assert report["metrics"] == pytest.approx(result["metrics"]) and report["chunking"]["chunks"] == len(loaded.chunks)
    assert report["settings"]["chunk_size"] == 6 and report["settings"]["chunk_overlap"] == 2
    texts = {chunk.id: chunk.text for chunk in loaded.chunks}
    words = [sum(len(texts[hit.id].split()) for hit in BM25(loaded.chunks).search(query.text, 10))
             for query in loaded.queries]
    assert report["chunking"]["words"] == pytest.approx(sum(words) / 3)


def test_small_chunks_are_searched_and_large_ones_handed_on(ropes, tmp_path, capsys):
    how = given("bm25 --rerank cross --chunker parent-child", collection=ropes)
    report, said = written_out(tmp_path, capsys, **how)
    collection = Collection.load(ropes)
    children, parents, parent_of = chunkers.gather(collection.documents, chunkers.parent_child())
    found = Parents(BM25(children), parents, parent_of)
    assert report["reranking"]["candidates"] == pytest.approx(
        sum(len(found.search(query.text, 100)) for query in collection.queries) / 3)
    assert "the second stage read" in said and report["metrics"]["Recall@10"] == pytest.approx(1.0)
    made = build.make_retriever(cli.second_retriever("bm25 --rerank cross"), children, parents, parent_of)
    assert set(made.texts) == {parent.id for parent in parents}  # the second stage reads what is handed on


def test_a_beir_folder_is_searched_in_chunks_and_measured_by_document(beir, tmp_path, capsys):
    long = "a tent " + "pole " * 30 + "red canvas"
    (beir / "corpus.jsonl").write_text(json.dumps({"_id": "10", "text": long}) + '\n{"_id": "2", "text": "the tents"}\n'
                                       '{"_id": "x", "text": "stove"}\n', encoding="utf-8")
    report, said = written_out(tmp_path, capsys, collection=beir, compare=cli.second_retriever(
        "bm25 --chunker words --chunk-size 10 --chunk-overlap 0"))
    assert said.startswith("Indexing 3 and 6 chunks of tiny for bm25 and bm25 --chunker words --chunk-size 10 ")
    assert "Cut apart" not in said and "evidence" not in report["compare"]["chunking"]  # documents are judged, whole
    # what is handed on are documents: of q1 and q2 one each, of 34 words and of 1
    assert "Handed on in A: 12 words" in said and "Handed on in B: 12 words" in said
    assert report["metrics"] == pytest.approx(report["compare"]["metrics"])
    assert report["compare"]["chunking"] == {"chunks": 6, "words": pytest.approx(35 / 3)}
    assert report["chunking"] == {"chunks": 3, "words": pytest.approx(35 / 3)}


def test_two_ways_of_cutting_are_compared_question_by_question(ropes, tmp_path, capsys):
    second = cli.second_retriever("bm25 --chunker words --chunk-size 5 --chunk-overlap 0")
    report, said = written_out(tmp_path, capsys, collection=ropes, compare=second)
    assert said.startswith("Indexing 2 and 7 chunks of ropes for bm25 and bm25 --chunker words --chunk-size 5 ")
    assert report["metrics"]["Recall@10"] == pytest.approx(1) and report["compare"]["metrics"]["Recall@10"] == 0
    between = report["compare"]["differences"]["Recall@10"]
    assert (between["difference"], between["losses"], between["wins"]) == (-1.0, 3, 0)
    assert "Cut apart in A: 0 of 3 " in said and "Cut apart in B: 3 of 3 " in said
    assert "Handed on in A: " in said and report["chunking"]["apart"] == 0
    assert "chunker" not in report["settings"] and report["compare"]["settings"]["chunk_size"] == 5


def test_what_was_lost_before_is_not_the_chunkers_fault():
    document = Document("rope", "Rope", "Ropes are kept\ninside.")
    quotes = [{"document": name, "quote": quote, "grade": 3} for name, quote in
              (("rope", "are kept inside"), ("rope", "kept outside"), ("canoe", "are kept inside"))]
    held = [(3, ()), (3, ()), (3, ())]
    whole = Collection("ours", [document], [], [Query("q", "where?", evidence=tuple(quotes))], {}, {"q": held})
    assert cut_apart(whole, {"q"}) == (1, 3) and cut_apart(whole, set()) == (0, 0)
    whole.evidence["q"][0] = (3, ("rope#1",))
    assert cut_apart(whole, {"q"}) == (0, 3)


def test_sentences_of_one_meaning_by_the_toy_of_lesson_05(ropes, tmp_path):
    report = written(tmp_path, **given("bm25 --chunker meaning --encoder toy", collection=ropes))
    assert report["settings"]["encoder"] == "toy" and report["settings"]["retriever"] == "bm25"
    assert report["chunking"]["chunks"] == len(chunkers.by_meaning(build.biencoder.toy())(Document("d", "D", NOTE)))


def test_cutting_by_meaning_is_one_bar_over_all_documents(ropes, tmp_path, monkeypatch):
    (ropes / "documents" / "knot.md").write_text("Tie a knot. Dry it well.", encoding="utf-8")
    (ropes / "documents" / "tent.md").write_text("A tent.", encoding="utf-8")
    shown = []
    monkeypatch.setattr("firstprinciples.evaluate.cut.Bar", lambda what: lambda done, n: shown.append((what, done, n)))
    written(tmp_path, **given("bm25 --chunker meaning --encoder toy", collection=ropes))
    assert shown == [("Cutting documents", done, 3) for done in range(4)]
    shown.clear()
    written(tmp_path, **given("bm25 --chunker sentences", collection=ropes))
    assert shown == []  # which takes no time
    assert isinstance(build.sentence_encoder(cli.second_retriever("bm25 --chunker meaning")), build.Cached)
    assert build.sentence_encoder(cli.second_retriever("dense --encoder toy")) is None


@pytest.mark.parametrize("text, other, said", [
    ("bm25 --chunker meaning", "bm25", "bm25 --encoder minilm --chunker meaning must encode"),
    ("splade --chunker meaning", "bm25", "splade --encoder splade-tiny --chunker meaning must encode"),
    ("maxsim --encoder toy --chunker meaning", "dense --chunker words", "dense --encoder minilm --chunker words must"),
    ("bm25 --encoder toy --chunker meaning --rerank maxsim", "bm25", "--rerank-encoder minilm --chunker meaning must"),
    ("bm25 --encoder toy --chunker meaning", "bm25 --rewrite condense", "--rewrite condense takes words from"),
    ("splade --encoder toy --chunker meaning", "splade", "splade --encoder splade-tiny must encode")])
def test_what_is_missing_is_told_before_documents_are_cut_by_meaning(beir, no_files, monkeypatch, capsys, text, other,
                                                                     said):
    lines = [json.dumps({"_id": id, "text": f"{id} is a knot. It holds. It is dry."}) + "\n" for id in ("10", "2", "x")]
    (beir / "corpus.jsonl").write_text("".join(lines), encoding="utf-8")
    made = chunkers.by_meaning
    monkeypatch.setitem(chunkers.CHUNKERS, "meaning", lambda encoder: lambda document: pytest.fail("cut all the same"))
    for first, second in ((text, other), (other, text)):
        with pytest.raises((FileNotFoundError, ValueError), match=said):
            evaluate_command(options(beir, **given(first, compare=cli.second_retriever(second))))
    assert capsys.readouterr().out == ""
    monkeypatch.setitem(chunkers.CHUNKERS, "meaning", made)
    evaluate_command(options(beir, **given("splade --encoder toy --chunker meaning")))  # and with all there it goes on


def test_a_line_of_context_is_searched_and_evidence_stays(ropes, tmp_path, capsys):
    report, said = written_out(tmp_path, capsys, **given("bm25 --context", collection=ropes))
    collection = Collection.load(ropes)
    situated = contextualize(collection.chunks, collection.documents)
    assert report["metrics"] == pytest.approx(evaluate(BM25(situated), collection)["metrics"])
    assert report["settings"]["context"] is True and "chunking" not in report and "Cut apart" not in said
    assert said.startswith("Indexing 2 chunks of ropes for bm25 --context ...\n")
    options_of = Namespace(**given("bm25 --context --chunker words --chunk-size 9 --chunk-overlap 0"))
    one = side.Side(options_of, collection, collection.queries)
    one.begin()
    cut = one.cut
    assert len(cut.indexed) == 4
    for situated, chunk in zip(cut.indexed, cut.collection.chunks, strict=True):
        assert situated.id == chunk.id and situated.text.endswith(chunk.text) and situated.text != chunk.text
        assert chunk.text == collection.documents[0].text[chunk.start:chunk.end]


def test_a_follow_up_is_condensed_with_its_own_talk(ropes, tmp_path, capsys):
    report, said = written_out(tmp_path, capsys, **given("bm25 --rewrite condense", collection=ropes))
    assert report["settings"]["rewrite"] == "condense"
    assert report["rewriting"] == {"by": "rules", "changed": 1, "texts": 1.0}
    assert ("Rewritten by rules, not by a language model: 1 of 3 questions; 1.0 texts for one question, on average.\n"
            in said)
    found = REWRITES["condense"](BM25(Collection.load(ropes).chunks))
    plain = evaluate(found, Collection.load(ropes), history=True)
    assert report["metrics"] == pytest.approx(plain["metrics"])
    assert found.asks("and over a stove?", TALK)[0].startswith("and over a stove? ")


def test_condensing_where_nothing_was_said_before_is_one_sentence(beir, capsys):
    for how in (given("bm25 --rewrite condense"), {"compare": cli.second_retriever("bm25 --rewrite condense")}):
        with pytest.raises(ValueError) as caught:
            evaluate_command(options(beir, **how))
        assert str(caught.value) == ("--rewrite condense takes words from the turns before a question, and no question "
                                     "of tiny has any: leave it out.")
    assert capsys.readouterr().out == ""


def test_several_phrasings_are_several_searches_of_one_question(beir, tmp_path, letters, capsys):
    (beir / "queries.jsonl").write_text('{"_id": "q1", "text": "who paid the bill"}\n{"_id": "q2", "text": "x"}\n',
                                        encoding="utf-8")
    texts = REWRITES["phrasings"](SimpleNamespace(search=None)).asks("who paid the bill")
    assert len(texts) == 3
    report, said = written_out(tmp_path, capsys, **given("dense --rerank cross --rewrite phrasings", collection=beir))
    assert report["rewriting"] == {"by": "rules", "changed": 1, "texts": 2.0}
    # 4 searches for 2 questions, 3 vectors and 3 candidates in each
    assert "One search compared the question, on average, with 6 full vectors (exact search: with 3).\n" in said
    assert report["reranking"]["candidates"] == 6.0
    assert letters.queries == [*texts, "x"]


def test_a_made_up_answer_stands_before_the_vectors_only(beir, tmp_path, letters):
    collection = Collection.load(beir)
    halves = [BM25(collection.chunks), Hyde(Dense(collection.chunks, Letters()))]
    for text, plain in [("dense --rewrite hyde", halves[1]), ("hybrid --rewrite hyde", Hybrid(halves))]:
        report = written(tmp_path, **given(text, collection=beir))
        assert report["metrics"] == pytest.approx(evaluate(plain, collection)["metrics"])
        assert report["rewriting"]["texts"] == 2.0
    made = build.make_retriever(cli.second_retriever("hybrid --rewrite hyde"), collection.chunks)
    assert build.dense_index(made).compared == [] and made.search("tent", 2)
    assert build.comparisons(made) == "3 full vectors"


def test_short_forms_are_those_of_the_collection(ropes, tmp_path):
    (ropes / "documents" / "rope.md").write_text(NOTE + "\n## Tests\n\nThe static load (SL) is printed on it.\n",
                                                 encoding="utf-8")
    asked = (ropes / "questions.jsonl").read_text(encoding="utf-8").replace("stove melts", "SL of a stove")
    (ropes / "questions.jsonl").write_text(asked, encoding="utf-8")
    report = written(tmp_path, **given("bm25 --rewrite acronyms --chunker sentences", collection=ropes))
    assert report["rewriting"] == {"by": "rules", "changed": 1, "texts": 1.0}


def test_the_vectors_of_rewritten_questions_are_needed_too(no_files, tmp_path, monkeypatch, capsys):
    """Of larkspur all that the rules make is stored, with and without a line of context; of other chunks nothing is."""
    report, said = written_out(tmp_path, capsys, **given("dense --rewrite condense --context --chunker parent-child",
                                                         collection="larkspur", split="dev"))
    assert report["rewriting"]["changed"] > 0
    assert "The vectors of these questions are stored with the course: those times hold no encoding.\n" in said
    for text in ("dense --chunker words", "hybrid --chunker sentences --context"):
        with pytest.raises(stored.ModelFilesMissing):
            evaluate_command(options("larkspur", split="dev", **given(text)))
    typed = {"q": ("a text that nobody stored",)}
    larkspur = Collection.load("larkspur")
    one = larkspur.queries[0]
    assert side.looked_up(cli.second_retriever("dense"), larkspur, {one.id})
    assert not side.looked_up(cli.second_retriever("dense"), larkspur, {one.id}, {one.id: typed["q"]})


@pytest.mark.parametrize("more", ["--context", "--rewrite condense", "--rewrite phrasings", "--rewrite acronyms"])
def test_of_larkspur_dense_and_hybrid_have_context_and_rewritten_questions_and_splade_has_not(no_files, more):
    """The help and the README say so."""
    larkspur = Collection.load("larkspur")

    def begin(text):
        side.Side(cli.second_retriever(f"{text} {more}"), larkspur, larkspur.queries).begin()

    for text in ("dense", "hybrid", "dense --chunker parent-child", "splade --encoder toy"):
        begin(text)
    if more != "--rewrite acronyms":  # which changes none of these questions
        with pytest.raises(stored.ModelFilesMissing, match="splade --encoder splade-tiny "):
            begin("splade")
    with pytest.raises(stored.ModelFilesMissing):
        begin("dense --chunker sections")


def test_short_forms_in_what_is_said_are_those_that_are_searched_with(ropes, tmp_path, monkeypatch):
    """With --context the lines before the chunks spell something out, too."""
    note = "---\ntitle: The static load (SL)\n---\n" + NOTE
    (ropes / "documents" / "rope.md").write_text(note, encoding="utf-8")
    asked = (ropes / "questions.jsonl").read_text(encoding="utf-8").replace("stove melts", "SL of a stove")
    (ropes / "questions.jsonl").write_text(asked, encoding="utf-8")
    collection = Collection.load(ropes)
    options_of = cli.second_retriever("bm25 --rewrite acronyms --context --chunker sentences")
    one = side.Side(options_of, collection, collection.queries)
    one.begin()
    one.build()
    for query in collection.queries:
        assert one.sought[query.id] == tuple(one.retriever.asks(query.text, query.history))
    assert one.sought["q1"] == ("SL (static load) of a stove",)


def test_what_each_option_is_called_in_a_label_and_which_chunkers_there_are():
    for text in ("bm25 --chunker words", "bm25 --chunker words --chunk-size 50 --chunk-overlap 10",
                 "dense --encoder minilm --chunker sentences --chunk-size 60 --context",
                 "bm25 --encoder toy --chunker meaning", "splade --encoder toy --chunker meaning",
                 "hybrid --encoder minilm --rerank cross --chunker parent-child --context --rewrite hyde"):
        assert label(cli.second_retriever(text)) == text
    assert cli.CHUNKERS == build.CHUNKED and set(cli.CHUNKERS) == {*chunkers.CHUNKERS, *chunkers.FAMILIES}
    assert set(cli.REWRITES) == set(REWRITES) and set(NEEDS_VECTORS) == {"hyde"}
    assert build.settings(cli.second_retriever("bm25")) == {"retriever": "bm25", **DEFAULTS["bm25"]}
