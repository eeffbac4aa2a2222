"""What a retriever gets of a collection, and what it hands on: documents cut in one way or another.

The same questions measure every way of cutting, because their evidence is a quote and not a chunk: `cut` cuts the
documents anew and looks for each quote in the new chunks. A quote that no chunk holds whole can't be found, however
good the search; `cut_apart` counts these. A large chunk holds more quotes and costs more to read; `words_handed_on`
counts that.

Where judgments name whole documents, as in a BEIR folder, or where small chunks stand in larger ones, the index holds
the small ones and the result the large ones (`firstprinciples.retrieve.parents`). A line of context is put before what
goes into the index; evidence, and what is handed on, stay as the document has them.
"""

from dataclasses import dataclass, replace

from firstprinciples.corpus import Chunk, Collection, find_evidence
from firstprinciples.evaluate.build import make_encoder, need_each
from firstprinciples.ingest import chunkers, chunking
from firstprinciples.ingest.contextual import contextualize
from firstprinciples.progress import Bar

FIRST = 10  # how many chunks are handed on, as the metrics have it


@dataclass(frozen=True)
class Cut:
    """A collection as one retriever gets it.

    `collection` has as its chunks what a search returns, and the evidence in these. `indexed` are the chunks that go
    into the index. `parent_of` is {id of an indexed chunk: id of what is returned}, None where that is the same.
    """

    collection: Collection
    indexed: list[Chunk]
    parent_of: dict[str, str] | None = None


def cut(options, collection: Collection, encoder=None) -> Cut:
    """Cut a collection as the options say; without --chunker and --context everything stays as it was loaded.

    `encoder` gives a vector for each sentence, for the chunker that splits by meaning.
    """
    handed, parent_of = collection, None
    indexed = collection.chunks
    if options.chunker in chunkers.FAMILIES:
        indexed, large, parent_of = chunkers.gather(collection.documents, chunkers.FAMILIES[options.chunker]())
        handed = with_chunks(collection, large)
    elif options.chunker:
        chunker, n = make_chunker(options, encoder), len(collection.documents)
        bar = Bar("Cutting documents") if encoder is not None else (lambda done, n: None)
        indexed = []
        for done, document in enumerate(collection.documents):
            bar(done, n)
            indexed += chunker(document)
        bar(n, n)
        handed = with_chunks(collection, indexed)
    if options.chunker and by_document(collection):
        handed, parent_of = collection, {chunk.id: chunk.document for chunk in indexed}
    if options.context:
        indexed = contextualize(indexed, collection.documents)
    return Cut(handed, indexed, parent_of)


def need_sentences(options, documents) -> None:
    """Raise ModelFilesMissing where the chunker that cuts by meaning must encode a sentence and can't."""
    name = "toy" if options.encoder == "toy" else "minilm"
    found = [[text for start, end in chunking.sentences(document.text) if (text := document.text[start:end].strip())]
             for document in documents]
    sentences = [text for each in found if len(each) > 1 for text in each]  # a document of one sentence is not cut
    need_each(options, [("--encoder", name, make_encoder, sentences)])


def make_chunker(options, encoder=None):
    """Return a function document -> chunks by its name, with the sizes that the options give."""
    dials = {"words": {"size": options.chunk_size, "overlap": options.chunk_overlap},
             "sentences": {"limit": options.chunk_size}, "meaning": {"encoder": encoder}}
    return chunkers.CHUNKERS[options.chunker](**dials.get(options.chunker, {}))


def by_document(collection: Collection) -> bool:
    """Say whether what is judged are whole documents, each of which is one chunk, as in a BEIR folder.

    >>> by_document(Collection.load("larkspur"))
    False
    """
    return all(chunk.id == chunk.document for chunk in collection.chunks)


def with_chunks(collection: Collection, chunks: list[Chunk]) -> Collection:
    """Return the collection with other chunks, and with the evidence that these hold."""
    return replace(collection, chunks=chunks, evidence={q.id: find_evidence(q, chunks) for q in collection.queries})


def cut_apart(collection: Collection, measured) -> tuple[int, int]:
    """Count the pieces of evidence of the measured questions: (those that only chunking took apart, all of them).

    A piece was taken apart if its document holds the quote and no chunk does. One that the document itself lacks was
    lost before, on its way into the index. Judgments of whole documents can't be taken apart: (0, 0).

    >>> cut_apart(Collection.load("larkspur"), {"q-that-is-not-there"})
    (0, 0)
    """
    texts = {document.id: " ".join(document.text.split()) for document in collection.documents}
    lost, pieces = 0, 0
    for query in collection.queries:
        for piece, (_, ids) in zip(query.evidence, collection.evidence.get(query.id, ()), strict=False):
            if query.id in measured:
                pieces += 1
                lost += not ids and " ".join(piece["quote"].split()) in texts.get(piece["document"], "")
    return lost, pieces


def words_handed_on(collection: Collection, lists: list[list[str]]) -> float:
    """Return how many words the first ten chunks of a ranked list of ids hold together, in the mean over the lists.

    >>> two = Collection("two", [], [Chunk("a", "one two"), Chunk("b", "three")])
    >>> words_handed_on(two, [["a", "b"], ["b"], []])
    1.3333333333333333
    """
    texts = {chunk.id: chunk.text for chunk in collection.chunks}
    words = {id: len(chunking.words_at(texts[id])) for id in {id for ids in lists for id in ids[:FIRST]}}
    return sum(words[id] for ids in lists for id in ids[:FIRST]) / len(lists)
