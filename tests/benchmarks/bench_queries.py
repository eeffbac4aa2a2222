"""Measure what rewriting a question does to a search, and write notebooks/queries.json with the date.

    python tests/benchmarks/bench_queries.py               all figures
    python tests/benchmarks/bench_queries.py --times       only the times, the rest stays

Lesson 16 quotes the figures. All rewrites are those of the rules, no language model is asked. The vectors of the
rewritten questions come with the course; those of whole talks, and of questions after a talk about something else, need
the model files. Fixed before the held-out half was measured: the pairs that are compared, what is added to a question,
and which talk goes before which question (see `strangers`). Run --times alone on a quiet machine.
"""

import datetime
import json
import platform
import sys
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
from figures import milliseconds, rounded  # noqa: E402

from firstprinciples.corpus import Collection  # noqa: E402
from firstprinciples.encode.stored import minilm  # noqa: E402
from firstprinciples.evaluate.compare import differences, differences_by_kind  # noqa: E402
from firstprinciples.evaluate.experiment import evaluate, place_of_answer  # noqa: E402
from firstprinciples.generate.rewriting import REWRITES  # noqa: E402
from firstprinciples.generate.ways import condense  # noqa: E402
from firstprinciples.index.filters import matches  # noqa: E402
from firstprinciples.rank.fusion import Hybrid, rag_fusion  # noqa: E402
from firstprinciples.retrieve.bm25 import BM25  # noqa: E402
from firstprinciples.retrieve.dense import Dense  # noqa: E402

TARGET = ROOT / "notebooks" / "queries.json"
METRICS = ("nDCG@10", "Recall@10")
SLIPS = ("as typed", "condensed", "whole talk")
PAIRS = (("as typed", "condensed"), ("as typed", "whole talk"), ("whole talk", "condensed"))


class Remembered:
    """An encoder that reads each question once."""

    def __init__(self, encoder):
        self.encoder, self.name, self.dim, self.vectors = encoder, encoder.name, encoder.dim, {}

    def encode_passages(self, texts: list[str]) -> np.ndarray:
        return self.encoder.encode_passages(texts)

    def encode_queries(self, texts: list[str]) -> np.ndarray:
        for text in texts:
            if text not in self.vectors:
                self.vectors[text] = self.encoder.encode_queries([text])[0]
        return np.array([self.vectors[text] for text in texts])


class Slips:
    """A search that is handed other texts than the question: `texts` is {question: the texts to search with}."""

    def __init__(self, retriever, texts: dict):
        self.retriever, self.texts = retriever, texts

    def search(self, query: str, k: int = 10):
        texts = list(self.texts[query])
        return self.retriever.search(texts[0], k) if len(texts) == 1 else rag_fusion(self.retriever, texts, k)


class Conditioned:
    """A search among what fulfills each question's own condition, where it has one."""

    def __init__(self, search, queries):
        self.search_with, self.conditions = search, {query.text: query.filter for query in queries}

    def search(self, query: str, k: int = 10):
        return self.search_with(query, k, self.conditions[query])


def retrievers(chunks) -> dict:
    """Return the three searches that are compared, by name."""
    words, meaning = BM25(chunks), Dense(chunks, Remembered(minilm()))
    return {"BM25": words, "MiniLM": meaning, "hybrid": Hybrid([words, meaning])}


def slips(queries) -> dict:
    """Return {how: {question: the texts to search with}} for questions with a talk before them."""
    talks = {query.text: " ".join([*(turn["text"] for turn in query.history), query.text]) for query in queries}
    return {"as typed": {text: (text,) for text in talks},
            "condensed": {query.text: condense(query.text, query.history).texts for query in queries},
            "whole talk": {text: (talk,) for text, talk in talks.items()}}


def strangers(queries, split: str) -> list:
    """Return the questions that have no talk before them, each after a talk about something else.

    The talks are those of the follow-ups of the same half: the first question gets the first talk, the second the
    second, and so on, and after the last the first again.
    """
    half = [query for query in queries if query.split == split]
    talks = [query.history for query in half if query.kind == "follow_up"]
    alone = [query for query in half if query.kind != "follow_up"]
    return [replace(query, history=talks[place % len(talks)]) for place, query in enumerate(alone)]


def compared(collection: Collection, queries, split: str, found: dict) -> dict:
    """Return, for each search, how each kind of slip does on these questions, and how far apart they are."""
    some = replace(collection, queries=list(queries))
    texts, out = slips(queries), {"rows": {}, "differences": {}}
    for name, retriever in found.items():
        results = {how: evaluate(Slips(retriever, texts[how]), some, split) for how in SLIPS}
        out["queries"] = results["as typed"]["queries"]
        out["rows"][name] = {how: {metric: result["metrics"][metric] for metric in METRICS}
                             for how, result in results.items()}
        out["differences"][name] = {f"{after} - {before}": differences(results[before], results[after], METRICS)
                                    for before, after in PAIRS}
    out["changed"] = sum(texts["condensed"][query.text] != (query.text,) for query in queries
                         if collection.evidence.get(query.id))
    return out


def conditions(larkspur: Collection, split: str, found: dict) -> dict:
    """Return the questions of the kind filter with their condition and without, by words and by meaning."""
    asked = [query for query in larkspur.queries if query.kind == "filter" and query.split == split]
    some = replace(larkspur, queries=asked)
    meaning = found["MiniLM"]

    def by_words(query, k, where):
        return BM25([chunk for chunk in larkspur.chunks if matches(chunk.metadata, where)]).search(query, k)

    ways = {"BM25": (found["BM25"], Conditioned(by_words, asked)),
            "MiniLM": (meaning, Conditioned(lambda query, k, where: meaning.search(query, k, where), asked))}
    out = {"queries": len(asked), "rows": {}, "differences": {}}
    for name, pair in ways.items():
        hoping, conditioned = (evaluate(each, some, split) for each in pair)
        out["rows"][name] = {how: {metric: result["metrics"][metric] for metric in METRICS}
                             for how, result in (("hoping", hoping), ("condition", conditioned))}
        out["differences"][name] = differences(hoping, conditioned, METRICS)
    return out


def everything(larkspur: Collection, split: str, found: dict) -> dict:
    """Return every rewrite on all questions of a half: metrics, differences in all and by kind, and what is lost."""
    plain = {name: evaluate(retriever, larkspur, split) for name, retriever in found.items()}
    rows = {name: {metric: result["metrics"][metric] for metric in METRICS} for name, result in plain.items()}
    out = {"queries": plain["BM25"]["queries"], "plain": rows, "rewrites": {}}
    for rewrite in REWRITES:
        for name, retriever in found.items():
            if rewrite == "hyde" and name != "MiniLM":
                continue  # a mean of vectors is a search by meaning
            result = evaluate(rewritten(rewrite, retriever, larkspur), larkspur, split)
            rows = differences_by_kind(plain[name], result)
            out["rewrites"][f"{rewrite}, {name}"] = {
                "metrics": {metric: result["metrics"][metric] for metric in METRICS},
                "all": differences(plain[name], result, METRICS),
                "by_kind": {kind: row["nDCG@10"] for kind, row in rows.items()}}
    return out


class Told:
    """A search that is told each question's history, where there is one."""

    def __init__(self, search, queries):
        self.search_with, self.history = search, {query.text: query.history for query in queries}

    def search(self, query: str, k: int = 10):
        return self.search_with.search(query, k, self.history[query])


def rewritten(rewrite: str, retriever, larkspur: Collection) -> Told:
    """Return a search that rewrites each question of the set before it looks."""
    return Told(REWRITES[rewrite](retriever, larkspur.chunks), larkspur.queries)


def changed(larkspur: Collection) -> dict:
    """Return how many of all 300 questions each rewrite changes, and how many texts it then searches with."""
    out, words = {}, BM25(["nothing"])
    for rewrite in REWRITES:
        if rewrite != "hyde":
            search = REWRITES[rewrite](words, larkspur.chunks)
            texts = [(query, search.asks(query.text, query.history)) for query in larkspur.queries]
            other = [each for query, each in texts if each != (query.text,)]
            out[rewrite] = {"questions": len(other), "texts": float(np.mean([len(each) for _, each in texts]))}
    return out


def places(larkspur: Collection, found: dict) -> list[dict]:
    """Return the dev questions whose answer a rewrite brings among the first ten, or drives out, with both places."""
    out = []
    for rewrite, name in (("phrasings", "BM25"), ("hyde", "MiniLM")):
        search = rewritten(rewrite, found[name], larkspur)
        for query in larkspur.queries:
            evidence = larkspur.evidence.get(query.id)
            if query.split == "dev" and evidence and any(ids for _, ids in evidence):
                at = [place_of_answer(each, query.text, evidence) or 0 for each in (found[name], search)]
                if (0 < at[0] <= 10) != (0 < at[1] <= 10):
                    out.append({"rewrite": rewrite, "search": name, "id": query.id, "kind": query.kind,
                                "before": at[0], "after": at[1]})
    return out


def times(larkspur: Collection, found: dict, repeats: int = 5) -> dict:
    """Return milliseconds, p50 and p95 over every fifth question and all follow-ups, the quickest of several turns.

    "reading" is what MiniLM needs for the vector of one question; the searches look vectors up.
    """
    asked = [query for place, query in enumerate(larkspur.queries) if place % 5 == 0 or query.kind == "follow_up"]
    model = minilm().model()
    ways = {"reading a question": lambda query: model.encode_queries([query.text]),
            **{f"search: {name}": lambda query, each=each: each.search(query.text, 10) for name, each in found.items()}}
    for name in REWRITES:
        search = REWRITES[name](found["MiniLM"], larkspur.chunks)
        ways[f"writing: {name}"] = lambda query, search=search: search.asks(query.text, query.history)
        for way in ("BM25", "MiniLM") if name != "hyde" else ("MiniLM",):
            told = rewritten(name, found[way], larkspur)
            ways[f"search: {way}, {name}"] = lambda query, told=told: told.search(query.text, 10)
    out = {"date": datetime.date.today().isoformat(), "questions": len(asked)}
    for name, way in ways.items():
        out[name] = milliseconds(way, asked, repeats)
    return out


def half(larkspur: Collection, split: str, found: dict) -> dict:
    """Return all comparisons on one half of the questions."""
    talks = [query for query in larkspur.queries if query.kind == "follow_up" and query.split == split]
    return {"follow_up": compared(larkspur, talks, split, found),
            "other topic": compared(larkspur, strangers(larkspur.queries, split), split, found),
            "filter": conditions(larkspur, split, found), "all": everything(larkspur, split, found)}


def main(argument: str = "") -> None:
    """Measure and write the file."""
    larkspur = Collection.load("larkspur")
    found = retrievers(larkspur.chunks)
    if argument == "--times":
        report = json.loads(TARGET.read_text(encoding="utf-8")) | {"times": times(larkspur, found)}
    else:
        report = {"date": datetime.date.today().isoformat(), "python": platform.python_version(),
                  "numpy": np.__version__, "command": "python tests/benchmarks/bench_queries.py",
                  "changed": changed(larkspur), "dev": half(larkspur, "dev", found),
                  "held_out": half(larkspur, "held_out", found), "places": places(larkspur, found),
                  "times": times(larkspur, found)}
    TARGET.write_text(json.dumps(rounded(report), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 2 or (len(sys.argv) == 2 and sys.argv[1] != "--times"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
