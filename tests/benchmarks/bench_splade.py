"""Measure learned sparse search, and write notebooks/splade.json with the date.

    python tests/benchmarks/bench_splade.py FOLDER       all figures
    python tests/benchmarks/bench_splade.py --pictures   only what a picture of lesson 14 shows, the rest stays
    python tests/benchmarks/bench_splade.py --dial       only the small models under each weight of the penalty
    python tests/benchmarks/bench_splade.py --times      only the times of a search in Larkspur

FOLDER holds the BEIR folders cranfield and scifact. Lesson 14 quotes the figures; what it says of Larkspur it works out
itself. All but the dial needs the files of splade-tiny. Encoding the passages takes two minutes the first time. Run it
alone on a quiet machine, for the sake of the times.
"""

import datetime
import json
import platform
import sys
import time
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from firstprinciples.corpus import Chunk, Collection  # noqa: E402
from firstprinciples.encode.expansion import LAMBDAS, Expander  # noqa: E402
from firstprinciples.encode.pairs import read_pairs, vocabulary  # noqa: E402
from firstprinciples.encode.sparse_files import CachedTerms  # noqa: E402
from firstprinciples.encode.splade_tiny import SpladeTiny, splade_tiny  # noqa: E402
from firstprinciples.encode.stored import minilm  # noqa: E402
from firstprinciples.evaluate.compare import differences  # noqa: E402
from firstprinciples.evaluate.experiment import (  # noqa: E402
    bootstrap_interval,
    draw_resamples,
    evaluate,
    percentile,
)
from firstprinciples.evaluate.held_out import bm25_recall  # noqa: E402
from firstprinciples.progress import Bar  # noqa: E402
from firstprinciples.retrieve.bm25 import BM25  # noqa: E402
from firstprinciples.retrieve.dense import Dense  # noqa: E402
from firstprinciples.retrieve.splade import Splade, strongest, term_weights  # noqa: E402
from firstprinciples.text import tokenize  # noqa: E402

TARGET = ROOT / "notebooks" / "splade.json"
PASSAGES = {  # of the picture of terms: the text, and the drawers that are opened in the end
    "our automobile is insured": ("car",),
    "fines for speeding are not covered": ("penalty", "murder"),
    "order LK-204-B": ("##k",),
}
ROWS = 16  # words that a picture has room for
SHOWN = 5  # chunks of a drawer
SHOWN_PAIRS = ("rental-and-contracts-007", "stoves-021")  # of topics never trained on, in the picture of the penalty
WATCHED = ("the", "a", "to", "of", "you", "not", "store")  # words that many of those passages say, and ever fewer
NAMES = ("cranfield", "scifact")


# ---- what the pictures show

def pictures() -> dict:
    """Return each passage's logits at the words that it is filed under, and the drawers of some of these words."""
    from firstprinciples import models
    from firstprinciples.encode.bert import Bert

    folder = models.files("splade-tiny")
    if folder is None:
        raise SystemExit("The files of splade-tiny are not here; get them with `python3 -m firstprinciples models`.")
    model = Bert(folder)
    vocabulary = model.tokenizer.vocabulary
    chunks = Collection.load("larkspur").chunks
    rows = splade_tiny().encode_passages([chunk.text for chunk in chunks])  # as stored: what the lesson searches
    out = {"passages": [], "drawers": {}}
    for text, drawers in PASSAGES.items():
        tokens, logits = model.token_logits(text)
        weights = term_weights(logits, np.ones(len(tokens)))
        filed = np.argsort(-weights, kind="stable")[: int((weights > 0).sum())]
        shown = filed[:ROWS]
        out["passages"].append({"text": text, "tokens": tokens, "words": [vocabulary[i] for i in shown],
                                "logits": np.round(logits[:, shown], 3).tolist(), "filed": len(filed)})
        for term in drawers:
            number = model.tokenizer.id[term]
            order = sorted((i for i, row in enumerate(rows) if term in row),
                           key=lambda i: (-rows[i][term], chunks[i].id))
            top = []
            for i in order[:SHOWN]:
                tokens, logits = model.token_logits(chunks[i].text)
                place = int(logits[:, number].argmax())
                top.append({"id": chunks[i].id, "weight": round(float(rows[i][term]), 3),
                            "literal": term in tokens, "by": tokens[place],
                            "around": around(model.tokenizer, tokens, place)})
            out["drawers"][term] = {"chunks": len(order), "of": len(chunks), "top": top}
    return out


def around(tokenizer, tokens: list[str], place: int, each_side: int = 4) -> str:
    """Return the tokens about a place as running text, the pieces of a word joined."""
    near = [token for token in tokens[max(place - each_side, 0) : place + each_side + 1] if token[0] != "["]
    return " ".join(near).replace(" ##", "")


# ---- the dial

def dial() -> dict:
    """Train the small model once under each weight of the penalty: what it files, finds and reads on topics never seen.

    "differences" are recall@10 of each setting minus that of the one before, question by question.
    """
    training, held_out = read_pairs()
    chunks = [Chunk(f"{i:04}", pair["passage"]) for i, pair in enumerate(held_out)]
    said = [set(tokenize(chunk.text)) for chunk in chunks]
    shown = [next(i for i, pair in enumerate(held_out) if pair["id"] == id) for id in SHOWN_PAIRS]
    settings, found, resamples = [], [], draw_resamples(len(chunks))
    for weight in LAMBDAS:
        model = Expander(vocabulary(training))
        bar = Bar(f"FLOPS weight {weight:g}")
        for state in model.train(training, weight):
            bar(state.step, state.steps)
        filed = Splade(chunks, model)
        rows = model.encode_passages([chunk.text for chunk in chunks])
        questions = [filed.question(pair["question"]) for pair in held_out]
        found.append([float(chunk.id in {hit.id for hit in filed.search(pair["question"], 10)})
                      for chunk, pair in zip(chunks, held_out, strict=True)])
        read = [sum(filed.drawer(term).stop - filed.drawer(term).start for term in row) for row in questions]
        watched = []
        for word in WATCHED:
            own = [word in row for row, words in zip(rows, said, strict=True) if word in words]
            watched.append([word, round(sum(own) / len(own), 4), len(own)])
        settings.append({"lambda": weight, "recall": round(float(np.mean(found[-1])), 6),
                         "terms": round(filed.postings / len(chunks), 3), "postings": round(float(np.mean(read)), 1),
                         "common": watched, "filed": [len(rows[i]) for i in shown],
                         "added": [len(rows[i].keys() - said[i]) for i in shown],
                         "examples": [{term: round(value, 3) for term, value in strongest(rows[i], 30).items()}
                                      for i in shown]})
    apart = {}
    for before, now in [*pairwise(range(len(LAMBDAS))), (0, 4)]:
        gains = np.subtract(found[now], found[before]).tolist()
        low, high = bootstrap_interval(gains, resamples)
        apart[f"{LAMBDAS[now]:g} - {LAMBDAS[before]:g}"] = {"difference": round(float(np.mean(gains)), 6),
                                                            "low": round(low, 6), "high": round(high, 6)}
    return {"date": datetime.date.today().isoformat(), "pool": len(chunks), "bm25": round(bm25_recall(held_out), 6),
            "passages": [{"text": chunks[i].text, "terms": tokenize(chunks[i].text)} for i in shown],
            "settings": settings, "differences": apart}


# ---- other collections, and the times

def words(text: str) -> list[str]:
    """Return the words of a text as BM25 has them here: no codes, Lucene's stop words left out, Porter's stems."""
    return tokenize(text, codes=False, stop_words=True, stem=True)


def collections(folder: Path) -> dict:
    """Return the metrics of BM25 and SPLADE-tiny on each collection, and how far apart they are in nDCG@10."""
    out = {}
    for name in NAMES:
        collection = Collection.load(str(folder / name))
        filed = Splade(collection.chunks, CachedTerms(splade_tiny()))
        bm25 = BM25(collection.chunks, tokenizer=words)
        results = {"BM25": evaluate(bm25, collection), "SPLADE": evaluate(filed, collection)}
        row = differences(results["BM25"], results["SPLADE"], ("nDCG@10",))["nDCG@10"]
        out[name] = {"queries": results["BM25"]["queries"], "documents": len(collection.chunks),
                     "rows": {key: {metric: round(result["metrics"][metric], 6) for metric in ("nDCG@10", "Recall@100")}
                              for key, result in results.items()},
                     "SPLADE - BM25": {key: round(value, 6) for key, value in row.items()},
                     "slips a document": {"BM25": round(len(bm25.holders) / len(bm25.ids), 1),
                                          "SPLADE": round(filed.postings / len(filed.ids), 1)}}
    return out


def times(repeats: int = 5) -> dict:
    """Return milliseconds of one search in Larkspur for ten, over all its questions: the best of several rounds.

    Weights and vectors of the questions are looked up. "encode" is what splade-tiny takes for one question.
    """
    larkspur = Collection.load("larkspur")
    retrievers = {"BM25": BM25(larkspur.chunks), "SPLADE": Splade(larkspur.chunks, splade_tiny()),
                  "MiniLM": Dense(larkspur.chunks, minilm())}
    model = SpladeTiny()
    tasks = {name: (lambda text, one=one: one.search(text, 10)) for name, one in retrievers.items()}
    tasks["encode"] = lambda text: model.encode_queries([text])
    out = {"date": datetime.date.today().isoformat(), "chunks": len(larkspur.chunks)}
    for name, task in tasks.items():
        quickest = [float("inf")] * len(larkspur.queries)
        for _ in range(repeats):
            for place, query in enumerate(larkspur.queries):
                start = time.perf_counter()
                task(query.text)
                quickest[place] = min(quickest[place], time.perf_counter() - start)
        out[name] = {f"p{p}": round(1000 * percentile(quickest, p), 3) for p in (50, 95)}
    return out


# ---- the report

def main(argument: str) -> None:
    """Measure, print, and write the file."""
    report = json.loads(TARGET.read_text(encoding="utf-8")) if TARGET.exists() else {}
    parts = {"pictures": pictures, "dial": dial, "times": times}
    for part, measured in parts.items():
        if argument == f"--{part}" or not argument.startswith("--"):
            report[part] = measured()
    if not argument.startswith("--"):
        report["collections"] = collections(Path(argument))
    report = {"date": datetime.date.today().isoformat(), "python": platform.python_version(), "numpy": np.__version__,
              "command": "python tests/benchmarks/bench_splade.py FOLDER"} | {
                  key: value for key, value in report.items() if isinstance(value, dict)}
    text = json.dumps(report, indent=1, ensure_ascii=False)
    TARGET.write_text(text + "\n", encoding="utf-8")
    print(text[:6000])


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    main(sys.argv[1])
