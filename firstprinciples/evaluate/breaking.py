"""Ways to break a pipeline, of the kinds that happen: each is one small function, made for one question.

    ingestion     a document that never came · an older version · a table of bare numbers · columns read across
    chunking      a border through the quote · small windows · a chunker that stops too early
    retrieval     an index that was not built anew · a tokenizer that keeps codes only · ids out of step · a condition
    ranking       fewer chunks · a smaller budget · a reranker turned upside down
    generation    only the first chunk read · only the last · the second line taken · a reader that is never sure

Each takes the pipeline `base`, the question, the piece of its evidence that is to be lost, the trip `before` and `dice`
for what is left to chance, and returns a `Broken`: the pipeline after it, or None where it can't be done. Whether the
evidence really got lost is for others to check (`firstprinciples.evaluate.faults`). All of it is about Larkspur.
"""

import copy
import re
import textwrap
from dataclasses import dataclass, replace
from functools import cache
from itertools import zip_longest

from firstprinciples.corpus import Chunk, Collection, Document, Query, find_evidence, paragraphs
from firstprinciples.generate import answer as answers
from firstprinciples.generate import context
from firstprinciples.index import counted
from firstprinciples.ingest.chunkers import by_words, chunks_of
from firstprinciples.pipeline import Pipeline
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.text import tokenize
from firstprinciples.trip import Trip

COLUMN = 46  # characters in a line of a printed column


@dataclass(frozen=True)
class Broken:
    """What a fault makes: the pipeline, its documents, a condition for its searches, and a sentence."""

    pipeline: Pipeline
    documents: list[Document]
    sentence: str
    where: dict | None = None


@cache
def larkspur() -> Collection:
    """Return the collection that is broken, read once.

    >>> larkspur() is larkspur()
    True
    """
    return Collection.load("larkspur")


# ---- ingestion: what the index gets is not what was written


def never_synced(base, query, piece, before, dice) -> Broken:
    """The document is not there."""
    documents = [document for document in larkspur().documents if document.id != piece["document"]]
    return Broken(Pipeline(_others(piece["document"])), documents,
                  f"The document {piece['document']} never came into the index.")


def older_version(base, query, piece, before, dice) -> Broken | None:
    """The lines of the quote are not in the document."""
    document = _document(piece)
    start, end = _span(document.text, piece["quote"])
    first, last = document.text.rfind("\n", 0, start) + 1, document.text.find("\n", end)
    text = document.text[:first] + (document.text[last + 1 :] if last >= 0 else "")
    return _changed(document, text, f"The index has an older version of {document.id}, without that line.")


def bare_numbers(base, query, piece, before, dice) -> Broken | None:
    """The table lost its words."""
    document, lines = _document(piece), []
    if "|" not in piece["quote"]:
        return None
    for line in document.text.split("\n"):
        numbers = re.findall(r"\d[\d.,]*", line)
        lines += [line] if not line.startswith("|") else [" ".join(numbers)] if numbers else []
    return _changed(document, "\n".join(lines), f"The tables of {document.id} came in as bare numbers.")


def across_columns(base, query, piece, before, dice) -> Broken | None:
    """The document was set in two columns and read straight across."""
    document, lines = _document(piece), []
    for paragraph in document.text.strip().split("\n\n"):
        lines += [*textwrap.wrap(paragraph, COLUMN), ""]
    half = (len(lines) + 1) // 2
    rows = [f"{left} {right}".strip() for left, right in zip_longest(lines[:half], lines[half:], fillvalue="")]
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(rows))
    return _changed(document, text, f"{document.id} was set in two columns and read straight across.")


# ---- chunking: a border runs through the quote, not only between it and the | at its ends


def border(base, query, piece, before, dice) -> Broken | None:
    """Each chunk that holds the quote is cut in two, somewhere inside it."""
    document = _document(piece)
    start, end = _span(document.text, _words(piece))
    gaps = [match.start() for match in re.finditer(r"\s+", document.text) if start < match.start() < end]
    if not gaps:
        return None
    cut, spans = dice.choice(gaps), []
    for chunk in paragraphs(document):
        inside = chunk.start < cut < chunk.end
        spans += [(chunk.start, cut), (cut, chunk.end)] if inside else [(chunk.start, chunk.end)]
    return _cut(document, spans, f"A border was set in {document.id}, in the middle of the line.")


def windows(base, query, piece, before, dice) -> Broken | None:
    """All documents are cut into windows of so few words, without overlap, that the quote is in two."""
    document, inside = _document(piece), replace(query, evidence=({**piece, "quote": _words(piece)},))
    for size in dice.sample(range(15, 61), 46):
        if not find_evidence(inside, by_words(size, 0)(document))[0][1]:
            cut = by_words(size, 0)
            chunks = [chunk for each in larkspur().documents for chunk in cut(each)]
            return Broken(Pipeline(chunks), larkspur().documents,
                          f"Documents were cut every {size} words, without overlap, and the line fell on a border.")
    return None


def stopped(base, query, piece, before, dice) -> Broken:
    """The chunker stops in the line, or shortly before it."""
    document = _document(piece)
    start, end = _span(document.text, _words(piece))
    limit = dice.randrange(max(start - 200, 1), end)
    spans = [(chunk.start, min(chunk.end, limit)) for chunk in paragraphs(document) if chunk.start < limit]
    return _cut(document, spans, f"The chunker took the first {limit:,} characters of {document.id} and stopped.")


# ---- retrieval: the chunk is there, and no search brings it


def not_rebuilt(base, query, piece, before, dice) -> Broken:
    """The index was built before the document came."""
    old = BM25(_others(piece["document"]))
    return Broken(base.but(retrievers=[old]), larkspur().documents,
                  f"{piece['document']} came and was cut, and the index was not built anew.")


def codes_only(base, query, piece, before, dice) -> Broken:
    """The tokenizer keeps codes and numbers, and no other word."""
    def words(text):
        return [word for word in tokenize(text) if any(sign.isdigit() for sign in word)]

    return Broken(base.but(retrievers=[BM25(larkspur().chunks, tokenizer=words)]), larkspur().documents,
                  "The tokenizer of the search keeps codes and numbers only; all other words are lost.")


def out_of_step(base, query, piece, before, dice) -> Broken:
    """The texts of the index stand under the ids of other chunks."""
    chunks, shift = list(base.chunks.values()), dice.randrange(50, 600)
    texts = [chunk.text for chunk in chunks]
    moved = [Chunk(chunk.id, text) for chunk, text in zip(chunks, texts[shift:] + texts[:shift], strict=True)]
    return Broken(base.but(retrievers=[BM25(moved)]), larkspur().documents,
                  f"Ids and texts of the index are out of step, by {shift} chunks.")


def wrong_condition(base, query, piece, before, dice) -> Broken:
    """A condition keeps the search among documents of another type."""
    own = _document(piece).metadata["type"]
    types = sorted({document.metadata["type"] for document in larkspur().documents} - {own})
    where = {"type": dice.choice(types)}
    return Broken(base, larkspur().documents, f"A condition kept the search among the type {where['type']}; this one "
                  f"is {own}.", where)


# ---- ranking: it was found, and it does not lie on the desk


def fewer(base, query, piece, before, dice) -> Broken | None:
    """So few chunks go in that this one does not."""
    place = _place(query, piece, before)
    if place < 2:
        return None
    k = dice.randrange(1, place)
    return Broken(base.but(most=k, several=k), larkspur().documents, f"Only {counted(k, 'chunk')} went to the reader.")


def small_budget(base, query, piece, before, dice) -> Broken:
    """The budget is smaller than the chunk."""
    row = before.context[_place(query, piece, before) - 1]
    budget = context.tokens(row["text"]) - 1
    return Broken(base.but(budget=budget), larkspur().documents,
                  f"The budget for the desk was cut to {budget:,} tokens, and the chunk is longer.")


def upside_down(base, query, piece, before, dice) -> Broken:
    """A reranker puts the chunks with the fewest words of the question first."""
    return Broken(base.but(rerank=UpsideDown()), larkspur().documents,
                  "A reranker was put in, and its scores were sorted the wrong way round: the worst came first.")


# ---- generation: it lies on the desk, and is not read


def first_only(base, query, piece, before, dice) -> Broken:
    """The reader reads only the first chunk."""
    return Broken(base.but(reader=ReadsPart(base.reader, slice(0, 1))), larkspur().documents,
                  "The reader read only the first chunk on the desk.")


def last_only(base, query, piece, before, dice) -> Broken:
    """The reader reads only the last chunk."""
    return Broken(base.but(reader=ReadsPart(base.reader, slice(-1, None))), larkspur().documents,
                  "The reader read only the last chunk on the desk.")


def second_line(base, query, piece, before, dice) -> Broken:
    """The reader quotes the second best line."""
    return Broken(base.but(reader=TakesSecond(base.reader)), larkspur().documents,
                  "The reader quoted the second best line in place of the best.")


def never_sure(base, query, piece, before, dice) -> Broken:
    """The reader wants to be surer than it can be."""
    reader = copy.copy(base.reader)
    reader.threshold = 1.0
    return Broken(base.but(reader=reader), larkspur().documents,
                  "The reader's threshold was set so high that it never says anything.")


KINDS = {"ingestion": {each.__name__: each for each in (never_synced, older_version, bare_numbers, across_columns)},
         "chunking": {each.__name__: each for each in (border, windows, stopped)},
         "retrieval": {each.__name__: each for each in (not_rebuilt, codes_only, out_of_step, wrong_condition)},
         "ranking": {each.__name__: each for each in (fewer, small_budget, upside_down)},
         "generation": {each.__name__: each for each in (first_only, last_only, second_line, never_sure)}}
BOTH = {"wrong_condition", *KINDS["ranking"], *KINDS["generation"]}  # kinds that need no new index of vectors


class UpsideDown:
    """A reranker that prefers what shares the fewest words with the question."""

    def score(self, question: str, chunks) -> list[float]:
        """Return the scores, of which the highest is the best."""
        wanted = set(tokenize(question))
        return [-float(len(wanted & set(tokenize(chunk.text)))) for chunk in chunks]


class ReadsPart:
    """A reader that reads a part of the desk."""

    def __init__(self, reader, part: slice):
        self.reader, self.part = reader, part

    def read(self, question: str, desk, asked: str = ""):
        """Answer from the sources of that part."""
        return self.reader.read(question, desk.sources[self.part], asked)


class TakesSecond:
    """A reader that leaves out its best line and quotes the next one."""

    def __init__(self, reader):
        self.reader = copy.copy(reader)
        self.reader.most, self.reader.threshold = 2, 0.0

    def read(self, question: str, desk, asked: str = ""):
        """Answer with the second line."""
        said = self.reader.read(question, desk, asked)
        quotes = said.quotes[1:2]
        rows = [(quote.text, quote.document, quote.page) for quote in quotes]
        return replace(said, quotes=quotes, text=answers.answer_line(rows))


def _changed(document: Document, text: str, sentence: str) -> Broken | None:
    """Return a new pipeline in which a document has another text; None where the text is empty."""
    if not text.strip():
        return None
    new = Document(document.id, document.title, text, document.metadata)
    documents = [new if each.id == document.id else each for each in larkspur().documents]
    return Broken(Pipeline([*_others(document.id), *paragraphs(new)]), documents, sentence)


def _cut(document: Document, spans: list, sentence: str) -> Broken:
    """Return a new pipeline in which a document is cut at other places."""
    return Broken(Pipeline([*_others(document.id), *chunks_of(document, spans)]), larkspur().documents, sentence)


def _others(id: str) -> list[Chunk]:
    """Return the chunks of all other documents."""
    return [chunk for chunk in larkspur().chunks if chunk.document != id]


def _document(piece: dict) -> Document:
    """Return the document of a piece of evidence."""
    return next(document for document in larkspur().documents if document.id == piece["document"])


def _words(piece: dict) -> str:
    """Return a quote without the | at its ends."""
    return piece["quote"].strip("| \n")


def _span(text: str, quote: str) -> tuple[int, int]:
    """Return where a quote stands in a text, in characters."""
    return re.search(r"\s+".join(map(re.escape, quote.split())), text).span()


def _place(query: Query, piece: dict, before: Trip) -> int:
    """Return the place on the desk, from 1, of the first chunk that holds the piece."""
    holding = find_evidence(replace(query, evidence=(piece,)), larkspur().chunks)[0][1]
    return next(place for place, row in enumerate(before.context, 1) if row["id"] in holding)
