"""Measuring a retriever over a question set: every number worked out by hand on lists of two or three."""

import json
from argparse import Namespace
from itertools import count
from math import log2
from pathlib import Path
from types import SimpleNamespace

import pytest

from firstprinciples.corpus import Chunk, Collection, Document, Query
from firstprinciples.evaluate import experiment
from firstprinciples.evaluate.experiment import (
    evaluate,
    evaluate_command,
    measure,
    nowhere,
    percentile,
    pieces_shown,
    place_of_answer,
    table,
)
from firstprinciples.retrieve import Hit
from firstprinciples.retrieve.bm25 import BM25

NOTHING = {"nDCG@10": 0.0, "Recall@10": 0.0, "Recall@100": 0.0, "Precision@10": 0.0, "MRR@10": 0.0}


class Fixed:
    """A retriever that gives the lists it was told to give, and remembers what it was asked."""

    def __init__(self, lists):
        self.lists, self.asked = lists, []

    def search(self, query, k=10):
        self.asked.append((query, k))
        return [Hit(id, 1.0 - place / 1000) for place, id in enumerate(self.lists.get(query, []))][:k]


@pytest.fixture
def collection():
    """Five questions: two direct, one by a rare name, one without evidence, one whose quote no chunk holds."""
    queries = [Query("q1", "one", "direct", "dev"), Query("q2", "two", "direct", "held_out"),
               Query("q3", "three", "rare_name", "dev"), Query("q4", "four", "unanswerable", "dev"),
               Query("q5", "five", "rare_name", "held_out")]
    evidence = {"q1": [(3, ("a",)), (1, ("b",))], "q2": [(3, ("a",))], "q3": [(2, ("c", "d"))], "q4": [],
                "q5": [(3, ())]}
    return Collection("five", [], [Chunk(id, id) for id in "abcdx"], queries, {}, evidence)


LISTS = {"one": ["x", "a", "b"], "three": ["c", "d", "x"], "four": ["a"], "five": ["a", "b"]}
# q1: nothing, grade 3, grade 1 of an ideal 3, 1
Q1 = {"nDCG@10": (3 / log2(3) + 1 / 2) / (3 + 1 / log2(3)), "Recall@10": 1.0, "Recall@100": 1.0, "Precision@10": 0.2,
      "MRR@10": 0.5}
# q3: the first chunk shows the piece, the second shows nothing new
Q3 = {"nDCG@10": 1.0, "Recall@10": 1.0, "Recall@100": 1.0, "Precision@10": 0.1, "MRR@10": 1.0}


@pytest.fixture
def clock(monkeypatch):
    """Let the searches take 1, 2, 3, ... seconds."""
    ticks = (second for n in count(1) for second in (100.0 * n, 100.0 * n + n))
    monkeypatch.setattr(experiment, "time", SimpleNamespace(perf_counter=lambda: next(ticks)))


# Pieces of evidence in the place of chunks


@pytest.mark.parametrize("ranked, evidence, shown", [
    ([], [(3, ("a",))], []),
    (["x", "a"], [(3, ("a",))], ["nothing 0", "piece 0"]),
    (["a", "b"], [(3, ("a", "b"))], ["piece 0", "nothing 1"]),  # both hold the same quote: the second shows nothing new
    (["a"], [(1, ("a",)), (3, ("a",)), (2, ("a",))], ["piece 1", "piece 2", "piece 0"]),  # best grade first
    (["a", "b"], [(1, ("a", "b")), (3, ("b",))], ["piece 0", "piece 1"]),
    (["b", "a"], [(1, ("a", "b")), (3, ("b",))], ["piece 1", "piece 0", "nothing 1"]),
    (["a", "a", "b"], [(2, ("a",)), (2, ("b",))], ["piece 0", "nothing 1", "piece 1"]),  # a chunk that comes twice
    (["a"], [(3, ())], ["nothing 0"]),
    (["a"], [], ["nothing 0"]),
])
def test_pieces_shown(ranked, evidence, shown):
    assert pieces_shown(ranked, evidence) == (shown, {f"piece {i}": grade for i, (grade, _) in enumerate(evidence)})


def test_measure_by_value():
    assert measure(["x", "a", "b"], [(3, ("a",)), (1, ("b",))]) == pytest.approx(Q1)
    # by hand: (1.8927893 + 0.5) / (3 + 0.6309298)
    assert Q1["nDCG@10"] == pytest.approx(0.6590018, abs=5e-8)


def test_the_eleventh_place_counts_for_recall_at_100_only():
    ranked = [f"x{i}" for i in range(10)] + ["a"]
    assert measure(ranked, [(3, ("a",))]) == {**NOTHING, "Recall@100": 1.0}
    assert measure([f"x{i}" for i in range(100)] + ["a"], [(3, ("a",))]) == NOTHING


def test_a_chunk_that_comes_twice_counts_once():
    # pieces: grade 3 in a, grade 3 in b; ranked a a: the second place earns nothing
    twice = measure(["a", "a"], [(3, ("a",)), (3, ("b",))])
    assert twice == pytest.approx({"nDCG@10": 3 / (3 + 3 / log2(3)), "Recall@10": 0.5, "Recall@100": 0.5,
                                   "Precision@10": 0.1, "MRR@10": 1.0})


# A whole question set


def test_evaluate_by_value(collection, clock):
    result = evaluate(Fixed(LISTS), collection)
    assert list(result) == ["queries", "left_out", "metrics", "milliseconds", "by_kind", "each"]
    assert (result["queries"], result["left_out"]) == (4, 1)
    assert list(result["each"]) == ["q1", "q2", "q3", "q5"]
    assert result["each"]["q1"] == pytest.approx(Q1)
    assert result["each"]["q2"] == NOTHING  # nothing came back
    assert result["each"]["q3"] == Q3
    assert result["each"]["q5"] == NOTHING  # evidence that chunking lost
    assert result["metrics"] == pytest.approx({"nDCG@10": (Q1["nDCG@10"] + 1) / 4, "Recall@10": 0.5, "Recall@100": 0.5,
                                               "Precision@10": 0.075, "MRR@10": 0.375})
    assert list(result["by_kind"]) == ["direct", "rare_name"]
    assert result["by_kind"]["direct"] == pytest.approx({name: value / 2 for name, value in Q1.items()})
    assert result["by_kind"]["rare_name"] == pytest.approx({name: value / 2 for name, value in Q3.items()})
    # four searches of 1, 2, 3, 4 seconds
    assert result["milliseconds"] == pytest.approx({"p50": 2000, "p95": 4000})


def test_evaluate_asks_for_a_hundred_chunks_unless_told(collection):
    retriever = Fixed(LISTS)
    evaluate(retriever, collection)
    assert retriever.asked == [("one", 100), ("two", 100), ("three", 100), ("five", 100)]
    retriever = Fixed(LISTS)
    assert evaluate(retriever, collection, depth=1)["metrics"]["Recall@100"] == 0.25  # only q3 has it on top
    assert {k for _, k in retriever.asked} == {1}


def test_evaluate_one_split(collection):
    dev, held_out = evaluate(Fixed(LISTS), collection, "dev"), evaluate(Fixed(LISTS), collection, "held_out")
    assert (dev["queries"], dev["left_out"], list(dev["each"])) == (2, 1, ["q1", "q3"])
    assert dev["metrics"]["MRR@10"] == 0.75
    assert (held_out["queries"], held_out["left_out"], list(held_out["each"])) == (2, 0, ["q2", "q5"])
    assert held_out["metrics"] == NOTHING


def test_nothing_to_measure(collection):
    with pytest.raises(ValueError) as caught:
        evaluate(Fixed({}), collection, "test")
    assert str(caught.value) == "five has no judged question in the split 'test'; use --split all."
    with pytest.raises(ValueError) as caught:
        evaluate(Fixed({}), Collection("bare", [], [Chunk("a", "a")]))
    assert str(caught.value) == ("bare has documents but no questions to measure (see data/SOURCES.md for what "
                                 "questions.jsonl holds).")
    with pytest.raises(ValueError) as caught:
        evaluate(Fixed({}), Collection("mute", [], [Chunk("a", "a")], [Query("q", "why?")], {}, {"q": []}))
    assert str(caught.value) == "None of the questions of mute has evidence."


def test_judgments_that_nothing_can_meet_are_named():
    document = Document("rope", "Rope", "Ropes are kept\ninside.")
    quotes = [{"document": "rope", "quote": quote, "grade": 3} for quote in ("kept inside", "kept outside")]
    ours = Collection("ours", [document], [], [Query("q", "where?", evidence=tuple(quotes))])
    assert nowhere(ours) == ["q: 'kept outside' is not in rope"]
    beir = Collection("beir", [document], [], [Query("q", "where?")], {}, {"q": [(1, ("rope",)), (1, ("d9",))]})
    assert nowhere(beir) == ["q: there is no document 'd9'"]
    assert nowhere(Collection.load("larkspur")) == []


def test_the_place_of_the_answer(collection):
    evidence = [(2, ("c", "d")), (3, ("e",))]
    lists = {"q": [Hit("a", 3.0), Hit("d", 2.0), Hit("e", 1.0)], "none": [Hit("a", 1.0)]}

    class Ranked:
        def search(self, query, k):
            return lists[query][:k]

    assert place_of_answer(Ranked(), "q", evidence) == 2
    assert place_of_answer(Ranked(), "none", evidence) is None

def test_kinds_are_left_out_where_questions_have_none(collection):
    collection.queries = [Query("q1", "one"), Query("q3", "three")]
    assert evaluate(Fixed(LISTS), collection)["by_kind"] == {}


@pytest.mark.parametrize("values, p, wanted", [
    ([4, 1, 3, 2], 50, 2), ([4, 1, 3, 2], 51, 3), ([4, 1, 3, 2], 75, 3), ([4, 1, 3, 2], 76, 4), ([4, 1, 3, 2], 100, 4),
    ([4, 1, 3, 2], 0, 1), ([7], 95, 7), (list(range(1, 101)), 95, 95), (list(range(20)), 95, 18)])
def test_percentile(values, p, wanted):
    given = list(values)
    assert percentile(values, p) == wanted
    assert values == given


def test_table():
    rows = {"all questions": {"MRR@10": 0.5, "nDCG@10": 0.65901}, "direct": {"MRR@10": 1, "nDCG@10": 0.0}}
    assert table(rows, ("nDCG@10", "MRR@10"), "kind") == ("kind           nDCG@10  MRR@10\n"
                                                          "all questions    0.659   0.500\n"
                                                          "direct           0.000   1.000")


# The command


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


def options(collection, **changed):
    given = {"collection": str(collection), "retriever": "bm25", "k1": 1.2, "b": 0.75, "variant": "lucene",
             "tokenizer": "codes", "stem": False, "stop_words": False, "split": "all", "json": None}
    return Namespace(**{**given, **changed})


def test_the_command_prints_and_writes(beir, tmp_path, capsys, clock):
    target = tmp_path / "result.json"
    assert evaluate_command(options(beir, json=target)) == 0
    # q1: 1, 1, 1, 0.1, 1. q2: x found, grade 1 of an ideal 2, 1: 1 / (2 + 1 / log2(3)) = 0.3800938; recall 1/2. q3: 0
    assert capsys.readouterr().out == (
        "Indexing 3 chunks of tiny ...\n"
        "kind of question  nDCG@10  Recall@10  Recall@100  Precision@10  MRR@10\n"
        "all questions       0.460      0.500       0.500         0.067   0.667\n"
        "3 questions measured, 1 left out (nothing to find). One search: p50 2000.00 ms, p95 3000.00 ms.\n"
        f"Written: {target}\n")
    text = target.read_text(encoding="utf-8")
    report = json.loads(text)
    assert text.endswith("}\n")
    assert list(report) == ["collection", "settings", "queries", "left_out", "metrics", "milliseconds", "by_kind"]
    assert report["collection"] == "tiny"
    assert report["settings"] == {"retriever": "bm25", "k1": 1.2, "b": 0.75, "variant": "lucene", "tokenizer": "codes",
                                  "stem": False, "stop_words": False, "split": "all"}
    assert (report["queries"], report["left_out"], report["by_kind"]) == (3, 1, {})
    assert report["metrics"] == pytest.approx({"nDCG@10": (1 + 0.3800938) / 3, "Recall@10": 0.5, "Recall@100": 0.5,
                                               "Precision@10": 0.2 / 3, "MRR@10": 2 / 3}, abs=5e-8)
    assert report["milliseconds"] == pytest.approx({"p50": 2000, "p95": 3000})


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


def test_larkspur_by_kind(tmp_path):
    report = written(tmp_path, collection="larkspur")
    assert (report["collection"], report["queries"], report["left_out"]) == ("larkspur", 54, 6)
    assert list(report["by_kind"]) == ["direct", "paraphrase", "exact", "rare_name", "negation_or_date", "polysemy",
                                       "needs_context", "filter", "follow_up"]
    for name in ("nDCG@10", "Recall@10", "Recall@100", "Precision@10", "MRR@10"):  # six questions of each kind
        assert report["metrics"][name] == pytest.approx(sum(row[name] for row in report["by_kind"].values()) / 9)
    assert written(tmp_path, collection="larkspur", split="dev")["queries"] == 27
    # BM25 cannot find what shares no word with the question, and finds codes
    assert report["by_kind"]["exact"]["Recall@10"] == 1.0


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


def test_a_split_that_a_beir_folder_lacks(beir):
    with pytest.raises(ValueError, match="^tiny has no judged question in the split 'dev'; use --split all.$"):
        evaluate_command(options(beir, split="dev"))


def test_bm25_on_the_collection_equals_the_command(beir, tmp_path):
    collection = Collection.load(beir)
    result = evaluate(BM25(collection.chunks), collection)
    assert written(tmp_path, collection=beir)["metrics"] == pytest.approx(result["metrics"])
