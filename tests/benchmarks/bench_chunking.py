"""Measure ways of cutting documents: what is found, and how many words are handed on; write notebooks/chunking.json.

    python tests/benchmarks/bench_chunking.py FOLDER            all figures
    python tests/benchmarks/bench_chunking.py FOLDER papers     only those of scifact, the rest stays

FOLDER holds the BEIR folder scifact. Lesson 09 quotes the figures. It needs the model files: the vectors of all pieces
are made once and kept (see encode.cache), the first time in about an hour of one core. scifact's documents that are not
cut keep the vectors that `evaluate` has made already.

The ways of cutting, the pairs that are compared, the budgets and the metrics were fixed before the held-out half was
measured. Every way is measured by the same questions and the same quotes: a quote that no chunk holds whole counts as
not found. Chunks are handed on whole and in order, until the next one would not fit into the budget of words.
"""

import datetime
import json
import platform
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
from figures import rounded  # noqa: E402

from firstprinciples.corpus import Chunk, Collection, find_evidence, paragraphs  # noqa: E402
from firstprinciples.encode.cache import Cached  # noqa: E402
from firstprinciples.encode.stored import minilm  # noqa: E402
from firstprinciples.evaluate import metrics  # noqa: E402
from firstprinciples.evaluate.compare import differences  # noqa: E402
from firstprinciples.evaluate.experiment import evaluate, pieces_shown  # noqa: E402
from firstprinciples.ingest import chunkers  # noqa: E402
from firstprinciples.rank.fusion import Hybrid  # noqa: E402
from firstprinciples.retrieve.bm25 import BM25  # noqa: E402
from firstprinciples.retrieve.dense import Dense  # noqa: E402
from firstprinciples.retrieve.parents import Parents  # noqa: E402
from firstprinciples.text import tokenize  # noqa: E402

TARGET = ROOT / "notebooks" / "chunking.json"
SIZES = (25, 50, 60, 100, 200, 400)  # 60 is about the mean of the paragraphs
BUDGETS = (500, 1000, 2000)  # words
METRICS = ("Recall@10", "words@10", "limit", *(f"Recall in {n} words" for n in BUDGETS))
DEPTH = 250  # chunks looked at for the largest budget; of 25 words it takes 80
PAIRS = (("60 words", "60 words, overlap 12"), ("200 words", "200 words, overlap 40"),
         ("50 words, overlap 10", "100 words, overlap 20"), ("100 words, overlap 20", "200 words, overlap 40"),
         ("100 words, overlap 20", "400 words, overlap 80"), ("100 words, overlap 20", "whole documents"),
         ("60 words, overlap 12", "paragraphs"), ("60 words, overlap 12", "sentences up to 60"),
         ("60 words, overlap 12", "meaning, 75"), ("200 words, overlap 40", "meaning, 95"),
         ("paragraphs", "sections"), ("paragraphs", "parent-child"), ("sections", "parent-child"),
         ("paragraphs", "sentence windows"))
PAPERS = (256, 512, 1024)  # words a chunk of scifact


class Remembered:
    """An encoder that reads each question once, and takes the vectors of some passages from a dict."""

    name = "remembered"

    def __init__(self, encoder, known: dict):
        self.encoder, self.dim, self.known, self.questions = encoder, encoder.dim, known, {}

    def encode_passages(self, texts: list[str]) -> np.ndarray:
        new = [text for text in texts if text not in self.known]
        made = iter(self.encoder.encode_passages(new)) if new else iter(())
        return np.array([self.known[text] if text in self.known else next(made) for text in texts])

    def encode_queries(self, texts: list[str]) -> np.ndarray:
        new = [text for text in texts if text not in self.questions]
        if new:
            self.questions |= dict(zip(new, self.encoder.encode_queries(new), strict=True))
        return np.array([self.questions[text] for text in texts])


# ---- Larkspur

def ways(documents, encoder):
    """Yield (name, children, parents, parent_of) of each way of cutting; parents is None where chunks are returned."""
    def plain(name, chunker):
        return name, [chunk for document in documents for chunk in chunker(document)], None, None

    for size in SIZES:
        for overlap in (0, size // 5):
            yield plain(f"{size} words" + (f", overlap {overlap}" if overlap else ""),
                        chunkers.by_words(size, overlap))
    yield "whole documents", [Chunk(d.id, d.text.strip(), d.id, 0, len(d.text)) for d in documents], None, None
    yield plain("paragraphs", paragraphs)
    yield plain("sections", chunkers.by_sections)
    yield plain("sentences up to 60", chunkers.by_sentences(60))
    yield plain("meaning, 75", chunkers.by_meaning(encoder, 75))
    yield plain("meaning, 95", chunkers.by_meaning(encoder, 95))
    yield ("parent-child", *chunkers.gather(documents, chunkers.parent_child()))
    yield ("sentence windows", *chunkers.gather(documents, chunkers.sentence_windows(2)))


def measured(ranked: list[str], evidence, words: dict) -> dict:
    """Return what one ranked list is worth: recall in ten chunks and in each budget, and the words of the ten.

    "limit" is the part of the evidence that some chunk holds whole: what a perfect search could find.
    """
    out = {"Recall@10": _recall(ranked[:10], evidence), "words@10": float(sum(words[id] for id in ranked[:10])),
           "limit": float(np.mean([bool(ids) for _, ids in evidence]))}
    for budget in BUDGETS:
        kept, left = [], budget
        for id in ranked:
            if words[id] > left:
                break
            kept.append(id)
            left -= words[id]
        out[f"Recall in {budget} words"] = _recall(kept, evidence)
    return out


def _recall(ids, evidence) -> float:
    shown, grades = pieces_shown(ids, evidence)
    return metrics.recall_at_k(shown, grades, max(len(shown), 1))


def larkspur_by(collection, encoder, children, parents, parent_of) -> tuple[dict, dict]:
    """Return what the chunks are, and {retriever: {query id: what it found}} over all questions with evidence."""
    handed = parents or children
    words = {chunk.id: len(chunk.text.split()) for chunk in handed}
    evidence = {query.id: find_evidence(query, handed) for query in collection.queries if query.evidence}
    search = {"BM25": BM25(children), "MiniLM": Dense(children, encoder)}
    search["hybrid"] = Hybrid(list(search.values()))
    lost = {split: [sum(not ids for _, ids in evidence[query.id]) for query in collection.queries
                    if query.split == split and query.id in evidence] for split in ("dev", "held_out")}
    about = {"chunks": len(children), "handed on": len(handed), "words": float(np.mean(list(words.values()))),
             "filed": sum(len(chunk.text.split()) for chunk in children),
             "lost": {split: sum(each) for split, each in lost.items()},
             "questions hit": {split: sum(each > 0 for each in some) for split, some in lost.items()}}
    found = {}
    for name, retriever in search.items():
        retriever = Parents(retriever, parents, parent_of) if parents else retriever
        found[name] = {query.id: measured([hit.id for hit in retriever.search(query.text, DEPTH)], evidence[query.id],
                                          words) for query in collection.queries if query.id in evidence}
    return about, found


def larkspur() -> dict:
    """Return all ways on Larkspur: the chunks, the means of each half, and how far apart the pairs are."""
    collection = Collection.load("larkspur")
    encoder = Remembered(Cached(minilm()), {})
    about, found = {}, {}
    for name, *parts in ways(collection.documents, encoder):
        about[name], found[name] = larkspur_by(collection, encoder, *parts)
        print(name, about[name], flush=True)
    kinds = {query.id: query.kind for query in collection.queries}
    pieces = {split: sum(len(query.evidence) for query in collection.queries if query.split == split)
              for split in ("dev", "held_out")}
    out = {"documents": len(collection.documents), "filed once": sum(len(d.text.split()) for d in collection.documents),
           "pieces": pieces, "ways": about, "quotes": quotes(collection)}
    for split in ("dev", "held_out"):
        ids = [query.id for query in collection.queries if query.split == split and query.evidence]
        out[split] = {"queries": len(ids), "rows": {
            way: {name: {metric: float(np.mean([each[id][metric] for id in ids])) for metric in METRICS}
                  for name, each in by.items()} for way, by in found.items()}}
        out[split]["differences"] = {}
        for before, after in PAIRS:
            pair = out[split]["differences"][f"{after} - {before}"] = {}
            for name in found[before]:
                one, other = ({"each": {id: found[way][name][id] for id in ids}} for way in (before, after))
                pair[name] = {"all": differences(one, other, METRICS)}
            pair["hybrid"]["by_kind"] = _by_kind(found[before]["hybrid"], found[after]["hybrid"], ids, kinds)
    return out


def _by_kind(before, after, ids, kinds) -> dict:
    """Return, for each kind of question, how far apart two ways are at equal words."""
    groups = {}
    for id in ids:
        groups.setdefault(kinds[id], []).append(id)
    return {kind: differences(*({"each": {id: each[id] for id in some}} for each in (before, after)),
                              ("Recall in 1000 words",))["Recall in 1000 words"] for kind, some in groups.items()}


def quotes(collection) -> dict:
    """Return how long the quotes are, in words: all of them, both halves."""
    long = sorted(len(piece["quote"].split()) for query in collection.queries for piece in query.evidence)
    return {"pieces": len(long), "mean": float(np.mean(long)), "median": float(np.median(long)), "longest": long[-1]}


# ---- papers

def words_of(text: str) -> list[str]:
    """Return a text's words as scifact's are searched: no codes, no stop words, stems."""
    return tokenize(text, codes=False, stop_words=True, stem=True)


def papers(folder: Path) -> dict:
    """Return scifact's documents cut by words and searched in chunks: by document, BM25 and MiniLM."""
    collection = Collection.load(str(folder))
    whole = [chunk.text for chunk in collection.chunks]
    vectors = Cached(minilm()).encode_passages(whole)
    encoder = Remembered(Cached(minilm()), dict(zip(whole, vectors, strict=True)))
    encoder.known |= {text.strip(): encoder.known[text] for text in whole}
    pieces = minilm().model().bert.tokenizer
    results = {"whole": {"BM25": evaluate(BM25(collection.chunks, tokenizer=words_of), collection),
                         "MiniLM": evaluate(Dense(collection.chunks, encoder), collection)}}
    lengths = [len(text.split()) for text in whole]
    about = {"whole": {"chunks": len(whole), "words": float(np.mean(lengths)), "cut": 0,
                       "too long": sum(pieces.ids(text)[1] for text in whole)}}
    for size in PAPERS:
        children, parents, parent_of = chunkers.in_documents(collection.documents, chunkers.by_words(size, 0))
        long = [len(child.text.split()) for child in children]
        about[str(size)] = {"chunks": len(children), "words": float(np.mean(long)),
                            "cut": sum(length > size for length in lengths),
                            "too long": sum(pieces.ids(child.text)[1] for child in children)}
        results[str(size)] = {
            name: evaluate(Parents(retriever, parents, parent_of), collection) for name, retriever in
            (("BM25", BM25(children, tokenizer=words_of)), ("MiniLM", Dense(children, encoder)))}
        print(size, about[str(size)], flush=True)
    shown = ("nDCG@10", "Recall@10")
    return {"documents": len(whole), "queries": results["whole"]["BM25"]["queries"], "about": about,
            "rows": {size: {name: {metric: result["metrics"][metric] for metric in shown}
                            for name, result in by.items()} for size, by in results.items()},
            "differences": {size: {name: differences(results["whole"][name], by[name], shown) for name in by}
                            for size, by in results.items() if size != "whole"}}


def main(folder: str, only: str = "") -> None:
    """Measure and write the file."""
    if only:
        report = json.loads(TARGET.read_text(encoding="utf-8"))
    else:
        report = {"date": datetime.date.today().isoformat(), "python": platform.python_version(),
                  "numpy": np.__version__, "command": "python tests/benchmarks/bench_chunking.py FOLDER",
                  "sizes": SIZES, "budgets": BUDGETS, "larkspur": larkspur()}
        write(report)  # what is there so far
    report["scifact"] = papers(Path(folder) / "scifact")
    write(report)


def write(report: dict) -> None:
    """Write the file."""
    TARGET.write_text(json.dumps(rounded(report), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[1] in ("-h", "--help") or sys.argv[2:] not in ([], ["papers"]):
        sys.exit(__doc__)
    main(*sys.argv[1:])
