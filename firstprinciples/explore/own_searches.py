"""What each lesson changes about a search, as two searches over any folder: without its technique and with it.

A technique that is measured on Larkspur helped or did not help Larkspur's questions. Whether it helps with the papers
of a reader nobody knows; what can be shown is both lists beside each other, on a question of their own. `beside` builds
the two for a lesson. Both run on whatever functions stand in the course's modules, the reader's own among them.
"""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from firstprinciples.asking import COURSE, read
from firstprinciples.corpus import Chunk, Document, references
from firstprinciples.encode import biencoder, stored
from firstprinciples.encode.expansion import expander
from firstprinciples.encode.token_vectors import ToyTokens
from firstprinciples.generate.correcting import Corrective
from firstprinciples.generate.rewriting import Writer
from firstprinciples.generate.ways import condense
from firstprinciples.index import cosine, counted, hnsw, short_vectors
from firstprinciples.index.filters import matches
from firstprinciples.ingest.chunkers import by_sections
from firstprinciples.ingest.contextual import contextualize
from firstprinciples.pipeline import Pipeline
from firstprinciples.rank.cross_encoder import cross
from firstprinciples.rank.fusion import Hybrid
from firstprinciples.rank.rerank import Reranked
from firstprinciples.retrieve import Hit
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.dense import Dense
from firstprinciples.retrieve.fts5 import FTS5
from firstprinciples.retrieve.maxsim import MaxSim
from firstprinciples.retrieve.splade import Splade
from firstprinciples.text import tokenize

MOST = 5_000  # chunks that are indexed: a picture has to come within seconds


@dataclass(frozen=True)
class Folder:
    """A folder that was read: its name, documents and chunks, and what there is to say about what was left out."""

    name: str
    documents: tuple[Document, ...]
    chunks: tuple[Chunk, ...]
    said: tuple[str, ...] = ()

    @property
    def by_id(self) -> dict[str, Chunk]:
        """The chunks by their ids."""
        return {chunk.id: chunk for chunk in self.chunks}


@dataclass(frozen=True)
class Search:
    """One of the two: its name, a function from a question to hits, and the chunks that it finds, {id: chunk}."""

    name: str
    find: Callable
    chunks: dict


def open_folder(folder) -> Folder:
    """Read a collection of the course by name, or any folder with .md and .txt files, at most 5,000 chunks of it.

    Raises ValueError for what is no such folder, and where there is no text in it.

    >>> open_folder("larkspur").documents[0].id
    'barnacle-handbook.md'
    """
    source = str(folder) if str(folder) in COURSE else str(Path(folder).expanduser())
    name, documents, chunks, said = read(source)
    if not chunks:
        raise ValueError(f"{name} holds no .md or .txt file with text in it; give another folder.")
    if len(chunks) > MOST:
        said = [*said, f"The first {MOST:,} of {len(chunks):,} chunks are searched."]
    # the held-out half of the clocks is for measuring, and nobody is to see it by the way
    kept = [chunk for chunk in chunks if chunk.metadata.get("split") != "held_out"][:MOST]
    inside = {chunk.document for chunk in kept}
    return Folder(name, tuple(each for each in documents if each.id in inside), tuple(kept), tuple(said))


def meaning_of(folder: Folder, question: str):
    """Return (encoder, its name): the real one where all its vectors are stored with the course, else the small one."""
    encoder = stored.minilm()
    if folder.name in COURSE and all(encoder.has(text) for text in (question, *(c.text for c in folder.chunks))):
        return encoder, "MiniLM"
    return biencoder.toy(), "the small encoder of lesson 05"


def beside(lesson: int, folder: Folder, question: str, where: dict | None = None, said: str = "",
           trusted: Folder | None = None) -> tuple[Search, Search, str]:
    """Return the search without a lesson's technique, the one with it, and a sentence about what differs.

    `where` is the condition of lesson 13, `said` what was asked before, for lesson 16, `trusted` the references of
    lesson 17. Raises ValueError for a lesson that has no pair, and where one of these is needed and missing.
    """
    makers = {0: _unsearched, 1: _unsearched, 2: _by_count, 3: _by_count, 4: _by_angle, 5: _by_meaning, 6: _fused,
              8: _reranked, 9: _sections, 10: _in_context, 11: _graph, 12: _bits, 13: _filtered, 14: _expanded,
              15: _by_tokens, 16: _condensed, 17: _corrected, 18: _quoted, 19: _all_of_it, 20: _engine}
    if lesson not in makers:
        raise ValueError(f"Lesson {lesson!r} has no pair of searches; there are {', '.join(map(str, makers))}.")
    return makers[lesson](folder, question, where=where, said=said, trusted=trusted)


def _search(name: str, retriever, folder: Folder, chunks: dict | None = None) -> Search:
    return Search(name, lambda question: retriever.search(question, 5), chunks or folder.by_id)


def _words(folder: Folder) -> Search:
    return _search("BM25", BM25(list(folder.chunks)), folder)


def _unsearched(folder: Folder, question: str, **_):
    first = [Hit(chunk.id, 0.0) for chunk in folder.chunks[:5]]
    pages = counted(len(folder.documents), "document")
    return (Search("the folder from its beginning", lambda _: first, folder.by_id), _words(folder),
            f"The left list does not know the question: it is how {pages} begin that are pasted as they are.")


def _by_count(folder: Folder, question: str, **_):
    bags = {chunk.id: tokenize(chunk.text) for chunk in folder.chunks}

    def count(asked: str) -> list[Hit]:
        asked = set(tokenize(asked))
        hits = [Hit(id, float(sum(word in asked for word in bag))) for id, bag in bags.items()]
        return sorted((hit for hit in hits if hit.score), key=lambda hit: (-hit.score, hit.id))[:5]

    return (Search("words counted", count, folder.by_id), _words(folder),
            "Left, every word that the question shares counts one; right, rare words count more, and length less.")


def _by_angle(folder: Folder, question: str, **_):
    words = list(dict.fromkeys(tokenize(question)))
    rows = []
    for chunk in folder.chunks:
        bag = Counter(tokenize(chunk.text))
        mine = [float(bag[word]) for word in words]
        # all words that the question lacks stand on one more axis, on which the question is 0: the angle is the same
        rows.append([*mine, math.sqrt(max(sum(n * n for n in bag.values()) - sum(n * n for n in mine), 0.0))])
    bags = Counter(tokenize(question))
    asked, table, ids = np.array([*(bags[word] for word in words), 0.0]), np.array(rows), list(folder.by_id)

    def first(scores) -> list[Hit]:
        best = cosine.top_k(list(scores), len(ids))
        return [Hit(ids[at], float(score)) for at, score in best if score > 0][:5]

    return (Search("dot product", lambda _: first(table @ asked), folder.by_id),
            Search("angle", lambda _: first(cosine.similarities(asked, table)), folder.by_id),
            "Both compare counts of words; right, the lengths of the two vectors are divided out, so long chunks gain "
            "nothing.")


def _by_meaning(folder: Folder, question: str, **_):
    encoder, name = meaning_of(folder, question)
    return (_words(folder), _search("meaning", Dense(list(folder.chunks), encoder), folder),
            f"Left, the same words; right, the nearest vectors, made by {name}.")


def _halves(folder: Folder, question: str):
    encoder, name = meaning_of(folder, question)
    return BM25(list(folder.chunks)), Dense(list(folder.chunks), encoder), name


def _fused(folder: Folder, question: str, **_):
    words, meaning, name = _halves(folder, question)
    return (_search("BM25", words, folder), _search("hybrid", Hybrid([words, meaning]), folder),
            f"Right, BM25 and vectors by {name} vote with 1 / (60 + rank).")


def _reranked(folder: Folder, question: str, **_):
    words, meaning, _ = _halves(folder, question)
    both = Hybrid([words, meaning])
    return (_search("hybrid", both, folder), _search("reranked", Reranked(both, cross(), depth=100), folder),
            "Right, the first hundred of the left search are read again by the small cross-encoder.")


def _sections(folder: Folder, question: str, **_):
    cut = [chunk for document in folder.documents for chunk in by_sections(document)]
    other = {chunk.id: chunk for chunk in cut}
    return (_search("paragraphs", BM25(list(folder.chunks)), folder),
            _search("sections", BM25(cut), folder, other),
            f"The same BM25 over {counted(len(folder.chunks), 'paragraph')} and over {counted(len(cut), 'section')}.")


def _in_context(folder: Folder, question: str, **_):
    told = contextualize(list(folder.chunks), list(folder.documents))
    return (_search("chunks alone", BM25(list(folder.chunks)), folder),
            _search("with their context", BM25(told), folder, {chunk.id: chunk for chunk in told}),
            "Right, a line stands before each chunk in the index: title, headings above it, kind and date if known.")


def _graph(folder: Folder, question: str, **_):
    encoder, name = meaning_of(folder, question)
    exact, graph = Dense(list(folder.chunks), encoder), Dense(list(folder.chunks), encoder, hnsw.HNSW(encoder.dim))
    graph.search(question, 5)
    read_ = graph.index.distances
    return (_search("every vector", exact, folder), _search("HNSW", graph, folder),
            f"Left, the question is compared with {len(folder.chunks):,} vectors by {name}; right, with {read_:,}.")


def _bits(folder: Folder, question: str, **_):
    encoder, name = meaning_of(folder, question)
    short = Dense(list(folder.chunks), encoder, short_vectors.Binary(encoder.dim, rescore=50))
    return (_search("float32", Dense(list(folder.chunks), encoder), folder), _search("one bit a number", short, folder),
            f"Vectors by {name}; right, one bit for each of {encoder.dim} numbers, and the best fifty read in full.")


def _filtered(folder: Folder, question: str, where: dict | None = None, **_):
    where = where or {}
    keys = sorted({key for chunk in folder.chunks for key in chunk.metadata})
    if not where:
        known = f"this folder's documents know {', '.join(keys)}" if keys else \
            "this folder's documents have no front matter to ask for"
        raise ValueError(f"Lesson 13 needs a condition, where={{\"type\": \"invoice\"}}; {known}.")
    kept = [chunk for chunk in folder.chunks if matches(chunk.metadata, where)]
    if not kept:
        known = ", ".join(keys) or "nothing"
        raise ValueError(f"No chunk fulfills {where}; the documents know {known}.")
    return (_words(folder), _search("only what fulfills it", BM25(kept), folder),
            f"{len(kept):,} of {counted(len(folder.chunks), 'chunk')} fulfill {where}.")


def _expanded(folder: Folder, question: str, **_):
    return (_words(folder), _search("learned words", Splade(list(folder.chunks), expander()), folder),
            "Right, a small SPLADE adds words to chunks and question; it knows the words of this course's pairs only.")


def _by_tokens(folder: Folder, question: str, **_):
    return (_search("one vector a chunk", Dense(list(folder.chunks), biencoder.toy()), folder),
            _search("one vector a word", MaxSim(list(folder.chunks), ToyTokens()), folder),
            "Right, each word of the question looks for the word of a chunk that is nearest to it.")


def _condensed(folder: Folder, question: str, said: str = "", **_):
    turns = [{"role": "user", "text": said}] if said.strip() else []
    asked = Writer(condense).new(question, turns).texts[0]
    words = BM25(list(folder.chunks))
    return (_search("as typed", words, folder), Search("condensed", lambda _: words.search(asked, 5), folder.by_id),
            f"Right, what is looked for is: {asked}")


def _corrected(folder: Folder, question: str, trusted: Folder | None = None, **_):
    if trusted is None and folder.name != "clocks":
        raise ValueError("Lesson 17 needs a folder that you trust beside the one that is searched: trusted=\"folder\".")
    truth = [each for each in references() if each.metadata.get("split") != "held_out"] if trusted is None else \
        [replace(chunk, id=f"trusted {chunk.id}") for chunk in trusted.chunks]
    words = BM25(list(folder.chunks))
    kept = Corrective(words, truth, list(folder.chunks)).run(question, 5).trusted
    there = {row["id"]: Chunk(row["id"], row["text"], row["document"], page=row["page"]) for row in kept}
    return (_search("BM25", words, folder),
            Search("what the second reader lets through", lambda _: [Hit(id, 0.0) for id in list(there)[:5]], there),
            f"Right, what {counted(len(truth), 'trusted page')} bear out, as far as rules can see, and those pages.")


def _quoted(folder: Folder, question: str, **_):
    pipeline = Pipeline(list(folder.chunks), documents=folder.documents)
    answer = pipeline.run(question).answer
    quotes = {f"{quote.chunk} line {n}": Chunk(f"{quote.chunk} line {n}", quote.text, quote.document, page=quote.page)
              for n, quote in enumerate(answer.quotes, 1)}
    lines = [Hit(id, float(answer.confidence)) for id in quotes]
    return (_words(folder), Search("lines quoted", lambda _: lines, quotes),
            f"Right, what the reader of words quotes from these pages, {answer.confidence:.2f} sure; it may be wrong.")


def _all_of_it(folder: Folder, question: str, **_):
    told = replace(folder, chunks=tuple(contextualize(list(folder.chunks), list(folder.documents))))
    words, meaning, name = _halves(told, question)
    whole = Reranked(Hybrid([words, meaning]), cross(), depth=100, chunks=list(folder.chunks))
    return (_words(folder), _search("all steps together", whole, folder),
            f"Right, context, words and meaning (by {name}), fused, and the first hundred read again.")


def _engine(folder: Folder, question: str, **_):
    engine = FTS5(list(folder.chunks))
    return (_words(folder), _search("SQLite's FTS5", engine, folder),
            "The same words and chunks, left in NumPy, right in the engine that comes with Python; there a word that "
            "half of the chunks have counts next to nothing.")
