"""Measure late interaction against one vector a chunk and against BM25; write notebooks/late.json with the date.

    python tests/benchmarks/bench_late.py FOLDER           all figures
    python tests/benchmarks/bench_late.py --times          only the times of a search in Larkspur, the rest stays

FOLDER holds the BEIR folders cranfield and scifact. Lesson 15 quotes the figures. It needs the model files. The vectors
of the passages' tokens are kept once they are made (see encode.cache); the first run makes them in some twenty minutes
on one core. Run --times alone on a quiet machine. The pairs that are compared, the depth of 100 and the recipe for the
vectors were fixed before the held-out half was measured.
"""

import datetime
import json
import platform
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
from figures import milliseconds, rounded  # noqa: E402

from firstprinciples.corpus import Collection  # noqa: E402
from firstprinciples.encode.cache import Cached  # noqa: E402
from firstprinciples.encode.stored import from_int8, minilm, to_int8  # noqa: E402
from firstprinciples.encode.token_files import cached_minilm_tokens  # noqa: E402
from firstprinciples.encode.token_vectors import STEPS, to_int16  # noqa: E402
from firstprinciples.evaluate.compare import differences, differences_by_kind  # noqa: E402
from firstprinciples.evaluate.experiment import evaluate, place_of_answer  # noqa: E402
from firstprinciples.rank.fusion import Hybrid  # noqa: E402
from firstprinciples.rank.rerank import Reranked  # noqa: E402
from firstprinciples.retrieve.bm25 import BM25  # noqa: E402
from firstprinciples.retrieve.dense import Dense  # noqa: E402
from firstprinciples.retrieve.maxsim import MaxSim  # noqa: E402
from firstprinciples.text import tokenize  # noqa: E402

TARGET = ROOT / "notebooks" / "late.json"
SHOWN = ("nDCG@10", "Recall@10", "Recall@100")
METRICS = ("nDCG@10", "Recall@10")
PAIRS = (("MiniLM", "MaxSim"), ("BM25", "BM25, MaxSim reranks"), ("hybrid", "hybrid, MaxSim reranks"),
         ("hybrid", "MaxSim"), ("hybrid", "BM25, MaxSim reranks"), ("MaxSim", "BM25, MaxSim reranks"))
NEAREST = (1, 3, 10, 30, 100)  # tokens gathered for each token of a question, in the two-stage form
DEPTH, K = 100, 10


class Remembered:
    """An encoder of tokens that reads each question once."""

    name = "remembered"

    def __init__(self, encoder):
        self.encoder, self.dim, self.questions = encoder, encoder.dim, {}

    def encode_tokens(self, texts: list[str], side: str):
        if side == "passage":
            return self.encoder.encode_tokens(texts, side)
        for text in texts:
            if text not in self.questions:
                self.questions[text] = next(iter(self.encoder.encode_tokens([text], side)))
        return (self.questions[text] for text in texts)


def retrievers(chunks, encoder, maxsim: MaxSim, **options) -> dict:
    """Return what is compared, by name; `options` are BM25's."""
    words, meaning = BM25(chunks, **options), Dense(chunks, encoder)
    hybrid = Hybrid([words, meaning])
    return {"BM25": words, "MiniLM": meaning, "hybrid": hybrid, "MaxSim": maxsim,
            "BM25, MaxSim reranks": Reranked(words, maxsim, DEPTH),
            "hybrid, MaxSim reranks": Reranked(hybrid, maxsim, DEPTH)}


def half(larkspur: Collection, found: dict, split: str) -> dict:
    """Return one half of Larkspur's questions: metrics, per kind, how far apart the pairs are, and what is lost.

    "lost" holds the ids of the questions on which the second of a pair has less nDCG@10 than the first, by kind.
    """
    results = {name: evaluate(each, larkspur, split) for name, each in found.items()}
    apart, lost = {}, {}
    for before, after in PAIRS:
        one, other = results[before], results[after]
        name = f"{after} - {before}"
        apart[name] = {"all": differences(one, other, METRICS),
                       "by_kind": {kind: row["nDCG@10"] for kind, row in differences_by_kind(one, other).items()}}
        lost[name] = {}
        for id, row in other["each"].items():
            if row["nDCG@10"] < one["each"][id]["nDCG@10"] - 1e-9:
                lost[name].setdefault(other["kinds"][id], []).append(id)
    return {"queries": results["BM25"]["queries"],
            "rows": {name: {metric: result["metrics"][metric] for metric in SHOWN} for name, result in results.items()},
            "by_kind": {name: {kind: row["nDCG@10"] for kind, row in result["by_kind"].items()}
                        for name, result in results.items()},
            "differences": apart, "lost": lost}


def places(larkspur: Collection, found: dict) -> list[dict]:
    """Return, for each dev question that only one of two has among its first three, the place each gives its answer."""
    out = []
    for query in larkspur.queries:
        evidence = larkspur.evidence.get(query.id)
        if query.split == "dev" and evidence and any(ids for _, ids in evidence):
            at = {name: place_of_answer(found[name], query.text, evidence) for name in ("BM25", "MiniLM", "MaxSim")}
            if (at["MiniLM"] <= 3) != (at["MaxSim"] <= 3):
                out.append({"id": query.id, "kind": query.kind, **at,
                            "first": {name: found[name].search(query.text, 1)[0].id for name in ("MiniLM", "MaxSim")}})
    return out


def lengths(larkspur: Collection, found: dict, maxsim: MaxSim) -> dict:
    """Return how many tokens the chunks have that come first, on average over the questions, and all chunks."""
    each = dict(zip(maxsim.ids, maxsim.lengths.tolist(), strict=True))
    texts = [query.text for query in larkspur.queries if query.split == "dev"]
    return {"all": float(np.mean(list(each.values()))),
            **{name: float(np.mean([each[hit.id] for text in texts for hit in found[name].search(text, K)]))
               for name in ("BM25", "MiniLM", "MaxSim")}}


def kept_short(larkspur: Collection, maxsim: MaxSim) -> dict:
    """Return nDCG@10 on the half dev with token vectors kept in fewer bits, or fewer of them, and the bytes."""
    whole = maxsim.tokens
    vectors = whole / np.float32(STEPS)
    bits = np.where(vectors > 0, 1.0, -1.0) / np.sqrt(vectors.shape[1])
    kinds = {"two bytes": (whole, 2 * whole.size), "one byte": (to_int16(from_int8(*to_int8(vectors))), whole.size),
             "one bit": (to_int16(bits), whole.size // 8)}
    results, out = {}, {}
    for name, (tokens, size) in kinds.items():
        maxsim.tokens = tokens
        results[name], out[name] = evaluate(maxsim, larkspur, "dev"), {"tokens": len(tokens), "bytes": int(size)}
    maxsim.tokens = whole
    fewer = MaxSim(larkspur.chunks, maxsim.encoder, punctuation=False)
    name = "two bytes, no punctuation"
    results[name], out[name] = evaluate(fewer, larkspur, "dev"), {"tokens": len(fewer.tokens), "bytes": fewer.nbytes}
    for name, row in out.items():
        row["nDCG@10"] = results[name]["metrics"]["nDCG@10"]
        row["difference"] = differences(results["two bytes"], results[name], ("nDCG@10",))["nDCG@10"]
    return out


def two_stages(larkspur: Collection, maxsim: MaxSim) -> dict:
    """Return for each number of nearest tokens how many chunks are compared and how much of the exact ten is found."""
    texts = [query.text for query in larkspur.queries if query.split == "dev"]
    exact = [{hit.id for hit in maxsim.search(text, K)} for text in texts]
    out = {}
    for n in NEAREST:
        maxsim.candidates = n
        found, compared = [], []
        for text in texts:
            found.append({hit.id for hit in maxsim.search(text, K)})
            compared.append(maxsim.compared)
        out[n] = {"compared": float(np.mean(compared)),
                  "of exact": float(np.mean([len(a & b) / len(b) for a, b in zip(found, exact, strict=True)]))}
    maxsim.candidates = None
    return out


def other(folder: Path, name: str) -> dict:
    """Return the same comparison on a collection of papers: metrics, and how far apart the pairs are."""
    collection = Collection.load(str(folder / name))

    def words(text):
        return tokenize(text, codes=False, stop_words=True, stem=True)

    maxsim = MaxSim(collection.chunks, Remembered(cached_minilm_tokens()))
    found = retrievers(collection.chunks, Cached(minilm()), maxsim, tokenizer=words)
    results = {name: evaluate(each, collection) for name, each in found.items()}
    return {"queries": results["BM25"]["queries"], "documents": len(collection.chunks), "tokens": len(maxsim.tokens),
            "rows": {name: {metric: result["metrics"][metric] for metric in SHOWN} for name, result in results.items()},
            "differences": {f"{after} - {before}": differences(results[before], results[after], METRICS)
                            for before, after in PAIRS}}


def times(larkspur: Collection, found: dict, repeats: int = 5) -> dict:
    """Return milliseconds of one search for ten, p50 and p95 over the questions, the quickest of several of each.

    The question's vectors are at hand. What the encoder needs to read it is given by itself.
    """
    out = {"date": datetime.date.today().isoformat(), "chunks": len(larkspur.chunks)}
    model = minilm().model()
    ways = {"reading the question": lambda text: model.encode_queries([text]),
            **{name: lambda text, each=each: each.search(text, K) for name, each in found.items()}}
    for name, way in ways.items():
        out[name] = milliseconds(way, [query.text for query in larkspur.queries[::5]], repeats)
    return out


def main(argument: str) -> None:
    """Measure and write the file."""
    larkspur = Collection.load("larkspur")
    maxsim = MaxSim(larkspur.chunks, Remembered(cached_minilm_tokens()))
    found = retrievers(larkspur.chunks, minilm(), maxsim)
    if argument == "--times":
        report = json.loads(TARGET.read_text(encoding="utf-8")) | {"times": times(larkspur, found)}
    else:
        report = {"date": datetime.date.today().isoformat(), "python": platform.python_version(),
                  "numpy": np.__version__, "command": "python tests/benchmarks/bench_late.py FOLDER",
                  "storage": {"chunks": len(larkspur.chunks), "tokens": len(maxsim.tokens), "dim": maxsim.dim,
                              "bytes": maxsim.nbytes,
                              "letters": sum(len(chunk.text.encode()) for chunk in larkspur.chunks)},
                  "held_out": half(larkspur, found, "held_out"), "dev": half(larkspur, found, "dev"),
                  "places": places(larkspur, found), "lengths": lengths(larkspur, found, maxsim),
                  "bits": kept_short(larkspur, maxsim), "two stages": two_stages(larkspur, maxsim),
                  "times": times(larkspur, found)}
        for name in ("cranfield", "scifact"):
            write(report)  # what is there so far
            report[name] = other(Path(argument), name)
    write(report)


def write(report: dict) -> None:
    """Write the file."""
    TARGET.write_text(json.dumps(rounded(report), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    main(sys.argv[1])
