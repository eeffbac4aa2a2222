"""Put our searches beside those of real engines, on the same questions, and write notebooks/engines.json with the date.

    python tests/benchmarks/bench_engines.py            all figures
    python tests/benchmarks/bench_engines.py --times    only the times of a search, the rest stays
    python tests/benchmarks/bench_engines.py --loop     only the loop without an index, the rest stays

It needs qdrant-client and hnswlib (the extra `peers` of pyproject.toml) and the model files, for the vectors of tokens.
Lesson 20 quotes the figures. "dev" and "held_out" are halves of Larkspur's judged questions; the loop's dials were
settled on "dev" alone (data/SOURCES.md, "Engines"). Qdrant answers in-process here: its client compares with every
point, in Python, so its times are not those of a server. Run it alone on a quiet machine, for the sake of the times.
"""

import datetime
import json
import platform
import sqlite3
import sys
from functools import cache, cached_property, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(Path(__file__).resolve().parent)]

import numpy as np  # noqa: E402
from figures import milliseconds, rounded  # noqa: E402

from firstprinciples.corpus import Collection  # noqa: E402
from firstprinciples.encode.splade_tiny import splade_tiny  # noqa: E402
from firstprinciples.encode.stored import minilm  # noqa: E402
from firstprinciples.encode.token_files import cached_minilm_tokens  # noqa: E402
from firstprinciples.evaluate.compare import differences  # noqa: E402
from firstprinciples.evaluate.experiment import bootstrap_interval, draw_resamples, evaluate  # noqa: E402
from firstprinciples.generate.context import tokens  # noqa: E402
from firstprinciples.index.cosine import normalize  # noqa: E402
from firstprinciples.index.filters import matches  # noqa: E402
from firstprinciples.index.hnsw import HNSW  # noqa: E402
from firstprinciples.rank.fusion import Hybrid, reciprocal_rank_fusion  # noqa: E402
from firstprinciples.retrieve import Hit  # noqa: E402
from firstprinciples.retrieve.bm25 import BM25  # noqa: E402
from firstprinciples.retrieve.dense import Dense  # noqa: E402
from firstprinciples.retrieve.engine import Engine  # noqa: E402
from firstprinciples.retrieve.fts5 import FTS5  # noqa: E402
from firstprinciples.retrieve.grep_loop import (  # noqa: E402
    AROUND,
    BUDGET,
    MOST_LINES,
    lines_of,
    pieces_read,
    walk_lines,
    words_of,
)
from firstprinciples.retrieve.maxsim import MaxSim  # noqa: E402
from firstprinciples.retrieve.splade import Splade  # noqa: E402

TARGET = ROOT / "notebooks" / "engines.json"
HALVES = ("dev", "held_out")
METRICS = ("Recall@10", "nDCG@10")
SHOWN = ("exact-001", "paraphrase-001", "rare_name-001", "polysemy-001", "negation_or_date-001", "filter-001",
         "filter-003", "direct-001")  # dev questions whose two lists the picture of lesson 20 shows
K, DEPTH = 10, 1000
M, EF_CONSTRUCTION, EF = 16, 200, 64  # of both HNSW graphs
KS = (1, 3, 5, 10)
DIALS = {"budget": (10, 12, 15, 20, 25, 30), "around": (0, 1, 2), "most_lines": (3, 5, 10, 20)}
BUDGETS = (6, 12, 25, 50, 100, 200)


# ---- the searches

class Ann:
    """hnswlib behind our face: the vectors of a Dense, in a graph of its making."""

    def __init__(self, dense: Dense):
        import hnswlib

        self.dense = dense
        self.graph = hnswlib.Index("cosine", dense.vectors.shape[1])
        self.graph.init_index(len(dense.ids), M=M, ef_construction=EF_CONSTRUCTION, random_seed=1)
        self.graph.set_num_threads(1)
        self.graph.add_items(normalize(dense.vectors).astype(np.float32))

    def search(self, query: str, k: int = 10) -> list[Hit]:
        """Return the k chunks that the graph finds, by similarity, equal ones by id."""
        self.graph.set_ef(max(EF, k))
        vector = normalize(self.dense.vector(query)[None])[0].astype(np.float32)
        places, distances = self.graph.knn_query(vector, min(k, len(self.dense.ids)))
        hits = [Hit(self.dense.ids[place], 1 - float(distance)) for place, distance in
                zip(places[0].tolist(), distances[0].tolist(), strict=True)]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))


class Own:
    """A search in which each question comes with its own condition, which is known by the question's text."""

    def __init__(self, find, queries):
        self.find, self.where = find, {query.text: query.filter for query in queries}

    def search(self, query: str, k: int = 10) -> list[Hit]:
        """Return the k best among the chunks that fulfill the question's condition."""
        return self.find(query, k, self.where[query])


class Searches:
    """All searches, ours and theirs, built when they are first asked for."""

    def __init__(self):
        self.larkspur = Collection.load("larkspur")
        self.chunks = self.larkspur.chunks
        self.filtered = Collection(self.larkspur.name, self.larkspur.documents, self.chunks,
                                   [query for query in self.larkspur.queries if query.filter],
                                   self.larkspur.qrels, self.larkspur.evidence)

    @cached_property
    def bm25(self):
        return BM25(self.chunks)

    @cached_property
    def dense(self):
        return Dense(self.chunks, minilm())

    @cached_property
    def hnsw(self):
        return Dense(self.chunks, minilm(), HNSW(minilm().dim, M, EF_CONSTRUCTION))

    @cached_property
    def splade(self):
        return Splade(self.chunks, splade_tiny())

    @cached_property
    def maxsim(self):
        return MaxSim(self.chunks, cached_minilm_tokens())

    @cached_property
    def engine(self):
        return Engine(self.chunks, dense=minilm(), sparse=self.bm25)

    @cached_property
    def other_constant(self):
        return Engine(self.chunks, dense=minilm(), sparse=self.bm25, k=1)

    def conditioned(self, query: str, k: int, where: dict) -> list[Hit]:
        """Return our hybrid among what fulfills a condition: both searches look only there."""
        words = [hit.id for hit in self.bm25.search(query, DEPTH) if matches(self.labels[hit.id], where)]
        meaning = [hit.id for hit in self.dense.search(query, DEPTH, where)]
        return [Hit(*pair) for pair in reciprocal_rank_fusion([meaning, words], 60)[:k]]

    @cached_property
    def labels(self):
        return {chunk.id: chunk.metadata for chunk in self.chunks}

    def pairs(self) -> dict[str, dict]:
        """Return {name of a pair: {"engine", "note", "ours", "theirs": functions that build a search}}."""
        engine = lambda by: lambda: Asked(self.engine, by)  # noqa: E731
        own = {"ours": lambda: Own(self.conditioned, self.filtered.queries),
               "theirs": lambda: Own(lambda query, k, where: self.engine.search(query, k, where),
                                     self.filtered.queries)}
        return {
            "BM25 · FTS5": {
                "engine": "SQLite FTS5", "ours": lambda: self.bm25, "theirs": lambda: FTS5(self.chunks),
                "note": "The same words, k1 1.2 and b 0.75; FTS5 weighs a word that half of the chunks hold at next "
                        "to nothing, and has no 1 + in its logarithm."},
            "BM25 · FTS5, its own words": {
                "engine": "SQLite FTS5", "ours": lambda: self.bm25, "theirs": lambda: FTS5(self.chunks, None),
                "note": "FTS5 makes the words itself (unicode61): a code such as LK-204-B is three words, and no whole "
                        "one beside them."},
            "HNSW · hnswlib": {
                "engine": "hnswlib", "ours": lambda: self.hnsw, "theirs": lambda: Ann(self.dense),
                "note": f"M {M}, ef_construction {EF_CONSTRUCTION}, ef {EF}; the levels are drawn by other generators, "
                        "so the graphs differ."},
            "dense · Qdrant": {
                "engine": "Qdrant", "ours": lambda: self.dense, "theirs": engine("dense"),
                "note": "The same vectors, compared with all of them; theirs in float32."},
            "BM25 · Qdrant": {
                "engine": "Qdrant", "ours": lambda: self.bm25, "theirs": engine("sparse"),
                "note": "Our weights as sparse vectors, the question's words with how often they stand in it."},
            "SPLADE · Qdrant": {
                "engine": "Qdrant", "ours": lambda: self.splade,
                "theirs": lambda: Engine(self.chunks, sparse=self.splade),
                "note": "The weights of the model as sparse vectors, on both sides."},
            "MaxSim · Qdrant": {
                "engine": "Qdrant", "ours": lambda: self.maxsim,
                "theirs": lambda: Engine(self.chunks, tokens=self.maxsim.encoder),
                "note": "A vector a token as multivectors; ours adds up in float64."},
            "hybrid · Qdrant": {
                "engine": "Qdrant", "ours": lambda: Hybrid([self.dense, self.bm25], depth=DEPTH),
                "theirs": engine("rrf"),
                "note": "RRF with k = 60 from rank 1; the engine is told 61, since it counts from rank 0."},
            "hybrid, k = 1 · Qdrant": {
                "engine": "Qdrant", "ours": lambda: Hybrid([self.dense, self.bm25], k=1, depth=DEPTH),
                "theirs": lambda: self.other_constant,
                "note": "The engine's default, 2 from rank 0, is our k = 1."},
            "filters · Qdrant": {
                "engine": "Qdrant", **own,
                "note": "The hybrid with each question's own condition; only questions that have one."},
        }


class Asked:
    """An engine that is asked in one of its ways."""

    def __init__(self, engine: Engine, by: str):
        self.engine, self.by = engine, by

    def search(self, query: str, k: int = 10) -> list[Hit]:
        """Return what the engine finds in this way."""
        return self.engine.search(query, k, by=self.by)


@cache
def searches() -> Searches:
    """Return the searches, made once."""
    return Searches()


# ---- pairs

def half(name: str, ours, theirs, split: str) -> dict:
    """Return how a pair compares on a half of the questions."""
    made = searches()
    collection = made.filtered if name.startswith("filters") else made.larkspur
    queries = [query for query in collection.queries if query.split == split and collection.evidence.get(query.id)]
    same_ten = same_order = shared = 0
    for query in queries:
        mine, their = ours.search(query.text, DEPTH), theirs.search(query.text, K)
        ten = [hit.id for hit in mine[:K]]
        both = len(set(ten) & {hit.id for hit in their})
        shared += both / max(len(ten), len(their), 1)
        same_ten += both == len(ten) == len(their)
        same_order += in_order(mine, their)
    one, other = evaluate(ours, collection, split), evaluate(theirs, collection, split)
    return {"queries": len(queries), "same_ten": same_ten, "same_order": same_order, "overlap": shared / len(queries),
            "ours": {metric: one["metrics"][metric] for metric in METRICS},
            "theirs": {metric: other["metrics"][metric] for metric in METRICS},
            "difference": differences(one, other, METRICS)}


def in_order(mine: list[Hit], their: list[Hit]) -> bool:
    """Say whether the first ten of theirs is ours, ties aside: by our scores each place is worth the same."""
    score = dict(mine)
    if len(their) != min(K, len(mine)) or any(hit.id not in score for hit in their):
        return False
    return all(abs(score[hit.id] - own.score) <= 1e-5 * max(1, abs(own.score))
               for hit, own in zip(their, mine, strict=False))


def pair(name: str) -> dict:
    """Return all that is measured of a pair; it must be one that can be built here."""
    made = searches()
    plan = made.pairs()[name]
    ours, theirs = plan["ours"](), plan["theirs"]()
    texts = {query.id: query.text for query in made.larkspur.queries if query.split == "dev"}
    asked = [id for id in SHOWN if not name.startswith("filters") or id.startswith("filter")]
    lists = {id: {"ours": [list(hit) for hit in ours.search(texts[id], K)],
                  "theirs": [list(hit) for hit in theirs.search(texts[id], K)]} for id in asked}
    out = {"engine": plan["engine"], "note": plan["note"],
           **{split: half(name, ours, theirs, split) for split in HALVES}, "lists": lists}
    if name.startswith("HNSW"):
        out["recall"] = {split: near(ours, theirs, split) for split in HALVES}
    if isinstance(theirs, (Engine, FTS5)) and theirs is not vars(made).get("other_constant"):
        theirs.close()
    return out


def near(ours, theirs, split: str) -> dict[str, float]:
    """Return the share of the ten nearest of all that each of two graphs finds."""
    made, found = searches(), {"ours": [], "theirs": []}
    for query in made.larkspur.queries:
        if query.split == split:
            nearest = {hit.id for hit in made.dense.search(query.text, K)}
            for side, one in (("ours", ours), ("theirs", theirs)):
                found[side].append(len(nearest & {hit.id for hit in one.search(query.text, K)}) / K)
    return {side: float(np.mean(shares)) for side, shares in found.items()}


def times(repeats: int = 3) -> dict:
    """Return milliseconds of one search for ten over the dev questions, both sides of each pair."""
    made, out = searches(), {}
    every = [query for query in made.larkspur.queries if query.split == "dev"]
    for name, plan in made.pairs().items():
        asked = [query.text for query in every if query.filter or not name.startswith("filters")]
        built = {side: plan[side]() for side in ("ours", "theirs")}
        out[name] = {side: milliseconds(partial(one.search, k=K), asked, repeats) for side, one in built.items()}
        print(name, out[name])
    return {"date": datetime.date.today().isoformat(), "chunks": len(made.chunks), "machine": platform.machine(),
            "pairs": out}


# ---- the loop without an index

@cache
def prepared() -> tuple:
    """Return Larkspur's lines, where their words are, and the tokens of each chunk."""
    made = searches()
    lines = lines_of(made.larkspur.documents)
    return lines, words_of(lines), {chunk.id: tokens(chunk.text) for chunk in made.chunks}


def walked(query, **dials) -> tuple[list[dict], float]:
    """Return the steps of the loop for a question, and the share of the pieces of its evidence that it read."""
    lines, found, _ = prepared()
    steps = walk_lines(query.text, lines, found, **dials)
    return steps, float(np.mean(pieces_read(steps, query.evidence)))


def judged(split: str) -> list:
    """Return the questions of a half that have evidence."""
    return [query for query in searches().larkspur.queries if query.split == split and query.evidence]


def read_by(queries, **dials) -> dict[str, float]:
    """Return means over questions: evidence, tokens, lines and steps of the loop with some dials."""
    rows = []
    for query in queries:
        steps, share = walked(query, **dials)
        rows.append((share, steps[-1]["tokens"], steps[-1]["read"], len(steps)))
    return dict(zip(("evidence", "tokens", "lines", "steps"), np.mean(rows, axis=0).tolist(), strict=True))


def first_chunks(query, ids: list[str]) -> float:
    """Return the share of the pieces of a question's evidence that some chunks hold."""
    held = set(ids)
    return float(np.mean([bool(held & set(holders)) for _, holders in searches().larkspur.evidence[query.id]]))


def within(query, price: int) -> list[str]:
    """Return the first chunks of BM25 that together have no more tokens than `price`."""
    ids, _, size = [], 0, prepared()[2]
    for hit in searches().bm25.search(query.text, 100):
        if sum(size[id] for id in ids) + size[hit.id] > price:
            break
        ids.append(hit.id)
    return ids


def loop_half(split: str) -> dict:
    """Return what the loop finds on a half of the questions and what BM25 does, and for how many tokens."""
    made, queries, (_, _, size) = searches(), judged(split), prepared()
    shares, same_price, kinds = [], [], {}
    for query in queries:
        steps, share = walked(query)
        shares.append(share)
        same_price.append(first_chunks(query, within(query, steps[-1]["tokens"])))
        kinds.setdefault(query.kind, []).append((share, steps[-1]["tokens"], same_price[-1]))
    bm25 = {}
    for k in KS:
        found = [[hit.id for hit in made.bm25.search(query.text, k)] for query in queries]
        bm25[k] = {"evidence": np.mean([first_chunks(*pair) for pair in zip(queries, found, strict=True)]),
                   "tokens": np.mean([sum(size[id] for id in ids) for ids in found])}
    gains = np.subtract(same_price, shares).tolist()
    low, high = bootstrap_interval(gains, draw_resamples(len(gains)))
    return {"queries": len(queries), **read_by(queries), "bm25": bm25, "bm25_same_tokens": np.mean(same_price),
            "difference": {"difference": np.mean(gains), "low": low, "high": high,
                           "wins": sum(g > 1e-9 for g in gains), "losses": sum(g < -1e-9 for g in gains),
                           "ties": sum(abs(g) <= 1e-9 for g in gains)},
            "by_kind": {kind: {"queries": len(rows), **dict(zip(("evidence", "tokens", "bm25"),
                                                                np.mean(rows, axis=0).tolist(), strict=True))}
                        for kind, rows in kinds.items()},
            "budgets": {budget: read_by(queries, budget=budget) for budget in BUDGETS}}


def dials() -> list[dict]:
    """Return what the loop finds on dev at each setting of its dials."""
    queries = judged("dev")
    return [{"budget": budget, "around": around, "most_lines": most,
             **read_by(queries, budget=budget, around=around, most_lines=most)}
            for budget in DIALS["budget"] for around in DIALS["around"] for most in DIALS["most_lines"]]


def settled(rows: list[dict], price: float) -> tuple[int, int, int]:
    """Return (most_lines, around, budget) of the setting that finds most among those that read no more than `price`."""
    best = max((row for row in rows if row["tokens"] <= price), key=lambda row: row["evidence"])
    return best["most_lines"], best["around"], best["budget"]


def loop() -> dict:
    """Return all that is measured of the loop."""
    return {"settings": {"most_lines": MOST_LINES, "around": AROUND, "budget": BUDGET},
            **{split: loop_half(split) for split in HALVES}, "dials": dials()}


# ---- the report

def installed(package: str) -> str | None:
    """Return the version of a package that is here, or None."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def main(argument: str | None) -> None:
    """Measure, print, and write the file."""
    report = json.loads(TARGET.read_text(encoding="utf-8")) if TARGET.exists() else {}
    if argument is None:
        report["pairs"] = {}
        for name in searches().pairs():
            report["pairs"][name] = rounded(pair(name))
            print(name, {split: {key: report["pairs"][name][split][key] for key in ("queries", "same_ten", "same_order",
                                                                                    "overlap", "ours", "theirs")}
                         for split in HALVES})
    if argument in (None, "--loop"):
        report["loop"] = rounded(loop())
    if argument in (None, "--times"):
        report["times"] = times()
    about = {"date": datetime.date.today().isoformat(), "python": platform.python_version(), "numpy": np.__version__,
             "command": "python tests/benchmarks/bench_engines.py",
             "versions": {"qdrant-client": installed("qdrant-client"), "hnswlib": installed("hnswlib"),
                          "sqlite": sqlite3.sqlite_version}}
    report = about | {key: report[key] for key in ("pairs", "times", "loop") if key in report}
    TARGET.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if made := searches.cache_info().currsize and searches():
        for name in ("engine", "other_constant"):
            if name in made.__dict__:
                made.__dict__[name].close()


if __name__ == "__main__":
    if len(sys.argv) > 2 or (len(sys.argv) == 2 and sys.argv[1] not in ("--times", "--loop")):
        sys.exit(__doc__)
    main(sys.argv[1] if len(sys.argv) == 2 else None)
