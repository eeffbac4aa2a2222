"""Measure a line of context before each chunk; write notebooks/contextual.json with the date.

    python tests/benchmarks/bench_contextual.py            all figures
    python tests/benchmarks/bench_contextual.py --times    only the times, the rest stays

Lesson 10 quotes the figures. The contexts are those of the rule, `ingest.contextual.by_rule`. It needs the model files:
for MaxSim, and for the wrong contexts. Fixed before the held-out half was measured: the pairs that are compared, the
reciprocal rank fusion of both indexes, 150 candidates for the reranker as in the source, that it reads what is indexed,
context and chunk, and that of the course's two rerankers the one stands in the fourth bar that misses less on dev.
"""

import datetime
import json
import platform
import random
import re
import sys
import time
from dataclasses import replace
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
from figures import rounded  # noqa: E402

from firstprinciples.corpus import Collection  # noqa: E402
from firstprinciples.encode.cache import Cached  # noqa: E402
from firstprinciples.encode.stored import minilm  # noqa: E402
from firstprinciples.encode.token_files import cached_minilm_tokens  # noqa: E402
from firstprinciples.evaluate import experiment  # noqa: E402
from firstprinciples.evaluate.compare import SEED, TIMES, differences, differences_by_kind  # noqa: E402
from firstprinciples.evaluate.experiment import evaluate, percentile, pieces_shown, place_of_answer  # noqa: E402
from firstprinciples.explore.bars import BARS, CONTROL  # noqa: E402
from firstprinciples.ingest.chunkers import by_words  # noqa: E402
from firstprinciples.ingest.contextual import by_rule, contextualize, misses, situate  # noqa: E402
from firstprinciples.rank.cross_encoder import cross  # noqa: E402
from firstprinciples.rank.fusion import Hybrid  # noqa: E402
from firstprinciples.rank.rerank import Reranked  # noqa: E402
from firstprinciples.retrieve.bm25 import BM25  # noqa: E402
from firstprinciples.retrieve.dense import Dense  # noqa: E402
from firstprinciples.retrieve.maxsim import MaxSim  # noqa: E402
from firstprinciples.text import tokenize  # noqa: E402

TARGET = ROOT / "notebooks" / "contextual.json"
SHOWN = ("nDCG@10", "Recall@10", "Recall@100")
METRICS = ("nDCG@10", "Recall@10")
WAYS = ("BM25", "MiniLM", "hybrid")
PAIRS = (*((name, f"contextual {name}") for name in WAYS), ("contextual hybrid", "contextual hybrid, reranked"))
OF_BAR = dict(zip((*BARS, CONTROL), ("MiniLM", "contextual MiniLM", "contextual hybrid", "contextual hybrid, reranked",
                                     "hybrid"), strict=True))
FIRST, DEPTH = 20, 150
GROUPS = ("all", "needs_context", "others")
SIZES = (100, 150, 200)  # words in a chunk, for the cut
ORPHAN, WRONG = "filing-larkspur-q1-2024#3", "filing-ridgeback-q1-2024#5"  # the second's line before the first's text


def indexes(chunks, encoder, before: str = "") -> dict:
    """Return the two indexes over these chunks, and both fused, by name."""
    words, meaning = BM25(chunks), Dense(chunks, encoder)
    return dict(zip((before + name for name in WAYS), (words, meaning, Hybrid([words, meaning])), strict=True))


class Remembered:
    """An encoder of tokens that reads each question once."""

    name = "remembered"

    def __init__(self, encoder):
        self.encoder, self.dim = encoder, encoder.dim
        self.question = cache(lambda text: next(iter(encoder.encode_tokens([text], "query"))))

    def encode_tokens(self, texts: list[str], side: str):
        if side == "passage":
            return self.encoder.encode_tokens(texts, side)
        return (self.question(text) for text in texts)


def missed(retriever, larkspur: Collection, split: str) -> dict:
    """Return {question: share of its evidence that no chunk of the first 20 holds}."""
    out = {}
    for query in larkspur.queries:
        evidence = larkspur.evidence.get(query.id)
        if query.split == split and evidence:
            shown, grades = pieces_shown([hit.id for hit in retriever.search(query.text, FIRST)], evidence)
            out[query.id] = misses(shown, list(grades), max(len(shown), 1))
    return out


def of_group(larkspur: Collection, values: dict, group: str) -> list[float]:
    """Return the values of the questions of a group."""
    kinds = {query.id: query.kind for query in larkspur.queries}
    return [value for id, value in values.items()
            if group == "all" or (kinds[id] == "needs_context") == (group == "needs_context")]


def summary(values: list[float]) -> dict:
    """Return the mean, its 95 % interval, and how many are above and below 0."""
    low, high = experiment.bootstrap_interval(values, experiment.draw_resamples(len(values), TIMES, SEED))
    return {"mean": sum(values) / len(values), "low": low, "high": high,
            "more": sum(value > 1e-9 for value in values), "fewer": sum(value < -1e-9 for value in values)}


def bars(larkspur: Collection, found: dict, split: str) -> dict:
    """Return the misses in the first 20 of each bar, and how far each is from the first and from the one before."""
    each = {bar: missed(found[way], larkspur, split) for bar, way in OF_BAR.items()}
    rows, apart = {}, {}
    for bar, values in each.items():
        rows[bar] = {}
        for group in GROUPS:
            row = summary(of_group(larkspur, values, group))
            rows[bar][group] = {"queries": len(of_group(larkspur, values, group)), "misses": row["mean"],
                                "low": row["low"], "high": row["high"]}
    for name, before, after in (*((bar, BARS[0], bar) for bar in (*BARS[1:], CONTROL)),
                                ("context alone", CONTROL, BARS[2]), ("reranking alone", BARS[2], BARS[3]),
                                ("contextual BM25 alone", BARS[1], BARS[2])):
        change = {id: value - each[before][id] for id, value in each[after].items()}
        apart[name] = {}
        for group in GROUPS:
            row = summary(of_group(larkspur, change, group))
            apart[name][group] = {"difference": row["mean"], "low": row["low"], "high": row["high"],
                                  "more": row["more"], "fewer": row["fewer"]}
    nowhere = {id: sum(not ids for _, ids in pieces) / len(pieces) for id, pieces in larkspur.evidence.items()
               if id in each[BARS[0]]}
    return {"rows": rows, "differences": apart,
            "in no chunk": {group: summary(of_group(larkspur, nowhere, group))["mean"] for group in GROUPS}}


def half(larkspur: Collection, found: dict, split: str) -> dict:
    """Return one half of the questions: metrics, per kind, how far apart the pairs are, and what is lost.

    "lost" holds how many questions have less nDCG@10 in the second of a pair than in the first, by kind.
    """
    results = {name: evaluate(each, larkspur, split) for name, each in found.items()}
    apart, lost = {}, {}
    for before, after in PAIRS:
        one, other = results[before], results[after]
        name = f"{after} - {before}"
        apart[name] = {"all": differences(one, other, METRICS), "by_kind": differences_by_kind(one, other)}
        lost[name] = {}
        for id, row in other["each"].items():
            if row["nDCG@10"] < one["each"][id]["nDCG@10"] - 1e-9:
                lost[name][other["kinds"][id]] = lost[name].get(other["kinds"][id], 0) + 1
    return {"queries": results["BM25"]["queries"],
            "rows": {name: {metric: result["metrics"][metric] for metric in SHOWN} for name, result in results.items()},
            "by_kind": {name: {kind: {metric: row[metric] for metric in METRICS}
                               for kind, row in result["by_kind"].items()} for name, result in results.items()},
            "differences": apart, "lost": lost}


def rerankers(context: list) -> dict:
    """Return the course's rerankers, reading the chunks with their contexts."""
    return {"cross-encoder": cross(), "MaxSim": MaxSim(context, Remembered(cached_minilm_tokens()))}


def of_another(larkspur: Collection) -> list:
    """Return the chunks, each with the line of a chunk of another document, drawn with a fixed seed."""
    documents, drawn, out = {d.id: d for d in larkspur.documents}, random.Random(0), []
    for chunk in larkspur.chunks:
        other = drawn.choice(larkspur.chunks)
        while other.document == chunk.document:
            other = drawn.choice(larkspur.chunks)
        out.append(replace(chunk, text=situate(by_rule(documents[other.document], other), chunk.text)))
    return out


def wrong(larkspur: Collection, found: dict) -> dict:
    """Return what wrong contexts do: all of them, on dev; and one alone, to the orphan's places."""
    encoder, names = Cached(minilm()), [*WAYS, *(f"contextual {name}" for name in WAYS)]
    other = indexes(of_another(larkspur), encoder, "wrong ")
    results = {name: evaluate(each, larkspur, "dev") for name, each in [*((name, found[name]) for name in names),
                                                                          *other.items()]}
    rows = {name: {metric: result["metrics"][metric] for metric in SHOWN} for name, result in results.items()}
    apart = {name: differences(results[name], results[f"wrong {name}"], METRICS) for name in WAYS}
    by_id, documents = {c.id: c for c in larkspur.chunks}, {d.id: d for d in larkspur.documents}
    line = by_rule(documents[by_id[WRONG].document], by_id[WRONG])
    one = [replace(chunk, text=situate(line, by_id[ORPHAN].text)) if chunk.id == ORPHAN else chunk
           for chunk in contextualize(larkspur.chunks, larkspur.documents)]
    one = indexes(one, encoder)
    question = next(query.text for query in larkspur.queries if query.id == "needs_context-003")
    asked = {"right": question, "of the wrong company": "What rate of interest did Ridgeback pay in early 2024?"}
    evidence = [(3, (ORPHAN,))]
    return {"rows": rows, "differences": apart, "line": line, "asked": asked,
            "orphan": {name: {"question": text, "alone": {way: place_of_answer(found[way], text, evidence)
                                                          for way in WAYS},
                              "context": {way: place_of_answer(found[f"contextual {way}"], text, evidence)
                                          for way in WAYS},
                              "wrong": {way: place_of_answer(one[way], text, evidence) for way in WAYS}}
                       for name, text in asked.items()}}


def alike(larkspur: Collection, found: dict) -> dict:
    """Return how near the chunks of one document come to each other, and to those of other documents.

    "own nearest" is the share of the chunks whose nearest other chunk is of their own document; "document first" the
    share of the dev questions whose first chunk is of a document that answers, "chunk first" of those that begin with
    a chunk that answers.
    """
    homes = np.array([chunk.document for chunk in larkspur.chunks])
    same = (homes[:, None] == homes[None, :]) & ~np.eye(len(homes), dtype=bool)
    out = {}
    for name in ("MiniLM", "contextual MiniLM"):
        cosines = found[name].vectors.astype(float) @ found[name].vectors.astype(float).T
        nearest = np.where(np.eye(len(homes), dtype=bool), -2, cosines).argmax(axis=1)
        document, chunk, asked = 0, 0, 0
        for query in larkspur.queries:
            evidence = larkspur.evidence.get(query.id)
            if query.split == "dev" and evidence and any(ids for _, ids in evidence):
                first, holders = found[name].search(query.text, 1)[0].id, {id for _, ids in evidence for id in ids}
                asked += 1
                document += first.rpartition("#")[0] in {id.rpartition("#")[0] for id in holders}
                chunk += first in holders
        out[name] = {"of one document": float(cosines[same].mean()),
                     "of two": float(cosines[~same & ~np.eye(len(homes), dtype=bool)].mean()),
                     "own nearest": float((homes[nearest] == homes).mean()), "queries": asked,
                     "document first": document / asked, "chunk first": chunk / asked}
    return out


def cut(larkspur: Collection) -> dict:
    """Return how many chunks are longer than the encoder reads, alone and with their context, by size.

    "quotes" are the pieces of evidence of dev that some chunk holds whole; "read" those of them whose last word the
    encoder still reads in one of these chunks.
    """
    tokenizer = minilm().model().bert.tokenizer
    most = minilm().model().max_tokens - 2  # without [CLS] and [SEP]
    quotes = {(piece["document"], piece["quote"]) for query in larkspur.queries if query.split == "dev"
              for piece in query.evidence}
    pattern = {quote: re.compile(r"\s+".join(map(re.escape, quote.split()))) for _, quote in quotes}
    out = {}
    for size in ("paragraphs", *SIZES):
        chunks = larkspur.chunks if size == "paragraphs" else [
            chunk for document in larkspur.documents for chunk in by_words(size, 0)(document)]
        row = out[str(size)] = {"chunks": len(chunks)}
        for name, each in (("alone", chunks), ("with context", contextualize(chunks, larkspur.documents))):
            held, read = set(), set()
            for chunk in each:
                for document, quote in quotes:
                    if document == chunk.document and (place := pattern[quote].search(chunk.text)):
                        held.add((document, quote))
                        if len(tokenizer.tokenize(chunk.text[:place.end()])) <= most:
                            read.add((document, quote))
            long = sum(len(tokenizer.tokenize(chunk.text)) > most for chunk in each)
            row |= {"quotes": len(held), name: {"cut": long, "read": len(read)}}
    return out


def size(larkspur: Collection, context: list, found: dict) -> dict:
    """Return what the index grows by: words a chunk, and BM25's entries, a chunk under a word."""
    def words(chunks):
        return sum(len(chunk.text.split()) for chunk in chunks) / len(chunks)

    return {"chunks": len(larkspur.chunks), "words": words(larkspur.chunks), "words with context": words(context),
            "already": float(np.mean([_already(one.text, other.text) for one, other in
                                      zip(larkspur.chunks, context, strict=True)]))}


def said_already(larkspur: Collection, context: list, found: dict) -> dict:
    """Return what the lines do on dev where an answering chunk says most of its line itself, and where it does not.

    "most" are questions with an answering chunk that says half of the words of its line or more.
    """
    share = {one.id: _already(one.text, other.text) for one, other in zip(larkspur.chunks, context, strict=True)}
    results = {name: evaluate(found[name], larkspur, "dev")["each"] for name in ("hybrid", "contextual hybrid")}
    change = {"most": [], "less": []}
    for id in results["hybrid"]:
        held = [share[chunk] for _, ids in larkspur.evidence[id] for chunk in ids]
        if held:
            change["most" if max(held) >= 0.5 else "less"].append(
                results["contextual hybrid"][id]["nDCG@10"] - results["hybrid"][id]["nDCG@10"])
    return {name: {"queries": len(values), **summary(values)} for name, values in change.items()}


def _already(text: str, situated: str) -> float:
    """Return which share of the words of a chunk's context the chunk says itself."""
    line = tokenize(situated.removesuffix(text), stop_words=True)
    own = set(tokenize(text, stop_words=True))
    return sum(word in own for word in line) / max(len(line), 1)


def times(larkspur: Collection, found: dict, repeats: int = 5) -> dict:
    """Return milliseconds of one search for ten, p95 over the questions, the quickest of several; and of reading in.

    The question's vector is looked up. "a line" is what the rule takes for one chunk.
    """
    out = {"date": datetime.date.today().isoformat()}
    for name, each in found.items():
        quickest = []
        for query in larkspur.queries[::5]:
            taken = []
            for _ in range(repeats):
                start = time.perf_counter()
                each.search(query.text, 10)
                taken.append(time.perf_counter() - start)
            quickest.append(min(taken))
        out[name] = round(1000 * percentile(quickest, 95), 3)
    start = time.perf_counter()
    contextualize(larkspur.chunks, larkspur.documents)
    out["a line"] = round(1000 * (time.perf_counter() - start) / len(larkspur.chunks), 3)
    return out


def main(arguments: list[str]) -> None:
    """Measure and write the file."""
    larkspur = Collection.load("larkspur")
    context = contextualize(larkspur.chunks, larkspur.documents)
    found = {**indexes(larkspur.chunks, minilm()), **indexes(context, minilm(), "contextual ")}
    if arguments:
        report = json.loads(TARGET.read_text(encoding="utf-8"))
        reader = rerankers(context)[report["bars"]["reranker"]]
        found["contextual hybrid, reranked"] = Reranked(found["contextual hybrid"], reader, DEPTH)
        return write(report | {"times": times(larkspur, found)})
    readers = {name: Reranked(found["contextual hybrid"], reader, DEPTH) for name, reader in rerankers(context).items()}
    chosen = {name: float(np.mean(list(missed(each, larkspur, "dev").values()))) for name, each in readers.items()}
    best = min(chosen, key=lambda name: (chosen[name], name))
    found["contextual hybrid, reranked"] = readers[best]
    report = {"date": datetime.date.today().isoformat(), "python": platform.python_version(), "numpy": np.__version__,
              "command": "python tests/benchmarks/bench_contextual.py",
              "bars": {"first": FIRST, "depth": DEPTH, "reranker": best, "missed on dev": chosen,
                       **{split: bars(larkspur, found, split) for split in ("held_out", "dev")}}}
    for split in ("held_out", "dev"):
        report[split] = half(larkspur, found, split)
    report["size"], report["alike"] = size(larkspur, context, found), alike(larkspur, found)
    report["said already"] = said_already(larkspur, context, found)
    report["cut"], report["wrong"] = cut(larkspur), wrong(larkspur, found)
    report["times"] = times(larkspur, found)
    write(report)


def write(report: dict) -> None:
    """Write the file."""
    TARGET.write_text(json.dumps(rounded(report), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--times"]):
        sys.exit(__doc__)
    main(sys.argv[1:])
