"""Chunkers: from a document to its chunks, with the functions of `chunking`.

A chunker is a function document -> list of Chunk, made for `Collection.load(name, chunker=...)`; where it has dials, a
small factory makes it. The default of the course, one chunk for each paragraph, is `corpus.paragraphs`. What all
have in common stands in `chunks_of`: a chunk's text is exactly document.text[start:end], its page is the one it starts
on, and it has its document's metadata. Nothing is added: where a table is cut, its header is not repeated.

Two ways to search in small chunks and return larger ones give (children, parents, parent_of), for
`firstprinciples.retrieve.parents`: `sentence_windows` (a sentence; the sentence with its neighbors) and `parent_child`
(a paragraph; its section). `in_documents` does it with any chunker and whole documents.
"""

import operator
from bisect import bisect_left, bisect_right

from firstprinciples.corpus import Chunk, Document, paragraphs
from firstprinciples.index import shown
from firstprinciples.ingest import chunking, marks, source_code
from firstprinciples.ingest.checks import back_from, called, numbers_in, sizes, spans_from, whole


def chunks_of(document: Document, spans: list[tuple], name: str = "#") -> list[Chunk]:
    """Return the chunks of a document at these spans: (start, end) or (start, end, path), in characters.

    White space at the two ends of a span is left out, and so is a span of nothing else. Ids are document#1, #2, ... in
    the order given; `name` is what stands between the document and the number. A path is put into the chunk's metadata
    as "path", a list; the document's own metadata is not changed.

    >>> [(c.id, c.start, c.text) for c in chunks_of(Document("d", "D", "One. Two."), [(0, 5), (5, 9)])]
    [('d#1', 0, 'One.'), ('d#2', 5, 'Two.')]
    """
    out = []
    for start, end, *path in spans:
        start, end = marks.trimmed(document.text, start, end)
        if start < end:
            page = [number for offset, number in document.pages if offset <= start] or [document.pages[0][1]]
            metadata = {**document.metadata, "path": list(path[0])} if path else document.metadata
            out.append(Chunk(f"{document.id}{name}{len(out) + 1}", document.text[start:end], document.id, start, end,
                             page[-1], metadata))
    return out


def by_words(size: int = 200, overlap: int = 40):
    """Make a chunker of windows: `size` words each, `overlap` of them shared with the next.

    Raises ValueError unless 0 <= overlap < size.

    >>> [c.text for c in by_words(size=3, overlap=1)(Document("d", "D", "one two three four five"))]
    ['one two three', 'three four five']
    """
    size, overlap = sizes(size, overlap)

    def chunker(document: Document) -> list[Chunk]:
        text = text_of(document)
        return chunks_of(document, spans_from("chunking.fixed", lambda: chunking.fixed(text, size, overlap), len(text)))

    return chunker


def by_sentences(limit: int = 120):
    """Make a chunker of whole sentences, neighbors together up to `limit` words; a longer sentence stands alone.

    It knows nothing of headings: one may come to stand at the end of a chunk, away from what it is the heading of.

    >>> document = Document("d", "D", "Pay by May. Or not. The late fee is two percent.")
    >>> [chunk.text for chunk in by_sentences(limit=5)(document)]
    ['Pay by May. Or not.', 'The late fee is two percent.']
    """
    limit = whole(limit, "limit")

    def chunker(document: Document) -> list[Chunk]:
        spans = _sentences(document)
        lengths = [len(chunking.words_at(document.text[start:end])) for start, end in spans]
        packs = spans_from("chunking.packed", lambda: chunking.packed(lengths, limit), len(spans))
        return chunks_of(document, [(spans[first][0], spans[last - 1][1]) for first, last in packs if first < last])

    return chunker


def by_sections(document: Document) -> list[Chunk]:
    """Cut a document at its headings; metadata["path"] holds the titles above the text. A chunk may be of any length.

    A heading with nothing below it goes with the section that follows.

    >>> text = "# Leave\\n\\n## Annual\\n\\n18 days.\\n\\n## Illness\\n\\n8 days.\\n"
    >>> for chunk in by_sections(Document("d", "D", text)):
    ...     print(chunk.metadata["path"], repr(chunk.text))
    ['Leave', 'Annual'] '# Leave\\n\\n## Annual\\n\\n18 days.'
    ['Leave', 'Illness'] '## Illness\\n\\n8 days.'
    """
    return chunks_of(document, _sections(document))


def by_functions(document: Document) -> list[Chunk]:
    """Cut source code between its functions and methods; metadata["path"] holds the names, ["Till", "add"].

    It reads Python; other text is cut at empty lines after which the next line is not indented.

    >>> text = "import os\\n\\n\\ndef add(a, b):\\n    return a + b\\n"
    >>> [chunk.text for chunk in by_functions(Document("till", "till.py", text))]
    ['import os', 'def add(a, b):\\n    return a + b']
    """
    return chunks_of(document, source_code.functions(text_of(document)))


def by_meaning(encoder, percent: float = 95):
    """Make a chunker that splits between sentences whose vectors are farther apart than `percent` of the neighbors.

    `encoder` gives a vector for each sentence: `encode_passages(texts)`, as `toy()` and `minilm()` have it. There are
    about as many splits for each hundred sentences as `percent` leaves out, whether or not the topic changes there.

    >>> from firstprinciples.encode.biencoder import toy
    >>> text = "Pay the invoice. Pay the bill. The tent is red. The tent is wet."
    >>> [c.text for c in by_meaning(toy(), percent=60)(Document("d", "D", text))]
    ['Pay the invoice. Pay the bill.', 'The tent is red. The tent is wet.']
    """
    if isinstance(encoder, type) or not hasattr(encoder, "encode_passages"):
        raise TypeError(f"{shown(encoder)} is no encoder: it needs encode_passages(texts), as toy() has it.")
    (percent,) = numbers_in([percent], "percent")
    if not 0 <= percent <= 100:
        raise ValueError(f"percent is {percent:g}; it is from 0 to 100 (95 is usual).")

    def chunker(document: Document) -> list[Chunk]:
        spans = _sentences(document)
        if len(spans) < 2:
            return chunks_of(document, spans)
        vectors = encoder.encode_passages([document.text[start:end] for start, end in spans])
        if len(vectors) != len(spans):
            raise ValueError(f"The encoder gave {len(vectors)} vectors for {len(spans)} sentences.")
        apart = numbers_in(called("chunking.distances", lambda: chunking.distances(vectors)), "distances")
        cuts = called("chunking.breaks", lambda: chunking.breaks(apart.tolist(), percent))
        try:
            cuts = sorted({operator.index(cut) for cut in cuts})
        except TypeError:
            cuts = [-1]
        if cuts and not 0 <= cuts[0] <= cuts[-1] < len(spans) - 1:
            raise ValueError(f"breaks should give positions from 0 to {len(spans) - 2}, between neighbors. "
                             f"{back_from('chunking.breaks')}")
        firsts, lasts = [0, *(cut + 1 for cut in cuts)], [*cuts, len(spans) - 1]
        return chunks_of(document, [(spans[a][0], spans[b][1]) for a, b in zip(firsts, lasts, strict=True)])

    return chunker


def sentence_windows(around: int = 2):
    """Make a function document -> (children, parents, parent_of): a sentence, and it with `around` neighbors each side.

    Windows of neighboring sentences overlap: two of them may hold the same quote.

    >>> text = "One. Two. Three. Four."
    >>> children, parents, parent_of = sentence_windows(around=1)(Document("d", "D", text))
    >>> [c.text for c in children[:2]], [p.text for p in parents[:2]], parent_of["d#2"]
    (['One.', 'Two.'], ['One. Two.', 'One. Two. Three.'], 'd#window-2')
    """
    around = whole(around, "around", 0)

    def family(document: Document) -> tuple[list[Chunk], list[Chunk], dict[str, str]]:
        spans = _sentences(document)
        wide = [(spans[max(i - around, 0)][0], spans[min(i + around, len(spans) - 1)][1]) for i in range(len(spans))]
        children, parents = chunks_of(document, spans), chunks_of(document, wide, "#window-")
        return children, parents, {c.id: p.id for c, p in zip(children, parents, strict=True)}

    return family


def parent_child():
    """Make a function document -> (children, parents, parent_of): the default chunker's paragraphs, and the sections.

    A section ends at the next heading; two that one paragraph reaches over are one parent, so that every child stands
    in its parent whole. Children have the ids that `Collection.load(name).chunks` has.

    >>> document = Document("d", "D", "# Leave\\n\\n18 days.\\n\\nAsk early.\\n\\n# Illness\\n\\n8 days.\\n")
    >>> children, parents, parent_of = parent_child()(document)
    >>> [parent.text for parent in parents]
    ['# Leave\\n\\n18 days.\\n\\nAsk early.', '# Illness\\n\\n8 days.']
    >>> parent_of
    {'d#1': 'd#section-1', 'd#2': 'd#section-1', 'd#3': 'd#section-2'}
    """

    def family(document: Document) -> tuple[list[Chunk], list[Chunk], dict[str, str]]:
        sections, children, spans = _sections(document), paragraphs(document), []
        starts = [child.start for child in children]
        for start, end, path in sections:
            before = bisect_left(starts, start) - 1  # the last child that begins before this section
            if spans and before >= 0 and children[before].end > start:
                start, _, path = spans.pop()
            spans.append((start, end, path))
        parents = chunks_of(document, spans, "#section-")
        starts, parent_of = [parent.start for parent in parents], {}
        for child in children:
            place = bisect_right(starts, child.start) - 1
            if place < 0 or parents[place].end < child.end:
                raise ValueError(f"sections gave no section that holds {shown(child.text)}; they must join up to the "
                                 f"whole text. {back_from('chunking.sections')}")
            parent_of[child.id] = parents[place].id
        return children, parents, parent_of

    return family


def gather(documents: list[Document], family) -> tuple[list[Chunk], list[Chunk], dict[str, str]]:
    """Return the children of all documents, their parents, and {child: parent}; `family` as `parent_child()` makes it.

    >>> children, parents, parent_of = gather([Document("d", "D", "One."), Document("e", "E", "Two.")], parent_child())
    >>> parent_of
    {'d#1': 'd#section-1', 'e#1': 'e#section-1'}
    """
    children, parents, parent_of = [], [], {}
    for document in documents:
        small, large, between = family(document)
        children += small
        parents += large
        parent_of |= between
    return children, parents, parent_of


def in_documents(documents: list[Document], chunker) -> tuple[list[Chunk], list[Document], dict[str, str]]:
    """Return the chunks of all documents as children, the documents as parents, and {chunk: document}.

    So a collection whose judgments name documents, as those of BEIR do, can be searched in chunks. A document without
    a word has no child and can't be found.

    >>> in_documents([Document("d", "D", "one two three")], by_words(size=2, overlap=0))[2]
    {'d#1': 'd', 'd#2': 'd'}
    """
    children = [chunk for document in documents for chunk in chunker(document)]
    return children, list(documents), {chunk.id: chunk.document for chunk in children}


CHUNKERS = {  # name -> what makes the chunker
    "paragraphs": lambda: paragraphs, "words": by_words, "sentences": by_sentences, "sections": lambda: by_sections,
    "functions": lambda: by_functions, "meaning": by_meaning,
}
FAMILIES = {"parent-child": parent_child, "sentence-windows": sentence_windows}  # these go through Parents


def text_of(document: Document) -> str:
    """Return a document's text; raises TypeError for what is no document."""
    if not isinstance(getattr(document, "text", None), str) or not hasattr(document, "pages"):
        raise TypeError(f"A chunker takes a Document, not {shown(document)}: Document(id, title, text).")
    return document.text


def _sentences(document: Document) -> list[tuple[int, int]]:
    """Return the spans of a document's sentences that have any ink in them."""
    text = text_of(document)
    spans = spans_from("chunking.sentences", lambda: chunking.sentences(text), len(text))
    spans = [span for span in (marks.trimmed(text, *span) for span in spans) if span[0] < span[1]]
    if any(one[1] > other[0] for one, other in zip(spans, spans[1:], strict=False)):
        raise ValueError(f"sentences should give spans in order, none over another. {back_from('chunking.sentences')}")
    return spans


def _sections(document: Document) -> list[tuple[int, int, list[str]]]:
    """Return the sections of a document that have any ink; a heading alone goes with what follows, under its path."""
    text = text_of(document)
    found = spans_from("chunking.sections", lambda: chunking.sections(text), len(text), path=True)
    out, waiting = [], None  # waiting: where headings with nothing below them begin
    for place, (start, end, path) in enumerate(found):
        kinds = {kind for _, _, kind in marks.lines(text[start:end])} - {"blank"}
        start = start if waiting is None else waiting
        waiting = start if not kinds - {"heading"} and place < len(found) - 1 else None
        if waiting is None:
            out.append((start, end, path))
    return out
