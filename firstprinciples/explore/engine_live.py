"""Lesson 20: an engine is asked now, where its package is there; where it is not, a sentence says what is missing.

Each engine is filled once, at the first question, with Larkspur's chunks and the vectors that come with the course.
"""

from functools import cache

from firstprinciples import swap
from firstprinciples.corpus import Collection
from firstprinciples.encode.splade_tiny import splade_tiny
from firstprinciples.encode.stored import ModelFilesMissing, minilm
from firstprinciples.retrieve.dense import Dense
from firstprinciples.retrieve.engine import Engine
from firstprinciples.retrieve.fts5 import FTS5

TEN = 10
M, EF_CONSTRUCTION, EF, SEED = 16, 200, 64, 1  # of hnswlib's graph, as it was measured


def ask_now(pair: str, query: str) -> dict:
    """Ask the engine of a pair one of Larkspur's questions, by its id.

    Returns {"theirs": [(id, score), ...]}, or {"sentence": why it could not be asked}.
    """
    asked = next(each for each in Collection.load("larkspur").queries if each.id == query)
    try:
        with swap.untouched():
            return {"theirs": [(str(id), float(score)) for id, score in searcher(pair)(asked)]}
    except (ImportError, RuntimeError, ModelFilesMissing) as error:  # no package, no FTS5 in this Python, no files
        return {"sentence": str(error)}


@cache
def searcher(pair: str):
    """Return a function from a Query to the engine's ten [(id, score), ...]. Raises ImportError without its package."""
    chunks = Collection.load("larkspur").chunks
    if pair.startswith("BM25 · FTS5"):
        own = {"tokenizer": None} if pair.endswith("its own words") else {}
        table = FTS5(chunks, **own)
        return lambda query: table.search(query.text, TEN)
    if pair == "HNSW · hnswlib":
        return graph(chunks)
    if pair == "MaxSim · Qdrant":
        raise ModelFilesMissing("The token vectors of all chunks do not come with the course, so this pair is not "
                                "asked here; tests/benchmarks/bench_engines.py asks it.")
    if pair == "SPLADE · Qdrant":
        engine = Engine(chunks, sparse=splade_tiny())
        return lambda query: engine.search(query.text, TEN)
    k = {"k": 1} if pair.startswith("hybrid, k = 1") else {}
    engine = Engine(chunks, sparse="bm25", dense=minilm(), **k)
    by = {"dense · Qdrant": "dense", "BM25 · Qdrant": "sparse"}.get(pair, "rrf")
    filtered = pair.startswith("filters")
    return lambda query: engine.search(query.text, TEN, where=query.filter if filtered else None, by=by)


def graph(chunks):
    """Return a search in hnswlib's graph over the stored vectors."""
    try:
        import hnswlib
    except ImportError:
        raise ImportError("hnswlib is not installed: run %pip install hnswlib in a cell (it is built on your machine "
                          "and needs a C++ compiler).") from None
    dense = Dense(chunks, minilm())
    index = hnswlib.Index("cosine", dense.index.rows.shape[1])
    index.init_index(len(chunks), M=M, ef_construction=EF_CONSTRUCTION, random_seed=SEED)
    index.set_num_threads(1)
    index.add_items(dense.index.rows)
    index.set_ef(EF)

    def search(query):
        places, distances = index.knn_query(dense.vector(query.text), TEN)
        found = [(chunks[place].id, 1 - float(distance)) for place, distance in zip(places[0], distances[0],
                                                                                  strict=True)]
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))

    return search
