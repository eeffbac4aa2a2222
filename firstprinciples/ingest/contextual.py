"""Contextual retrieval: before a chunk is indexed, it is told where it comes from.

The problem. "The rate rose to 4 percent" names no company, no quarter and no rate. Its document does, further up;
but a chunk is indexed alone, so "What share of Larkspur's goods came back in the spring?" finds it neither by its words
nor by its meaning. The cure is a line of context, put before each chunk once, when the index is built:

    Larkspur Outdoor, quarterly summary, first quarter 2024 > Returned goods (filing, 2024-04-30)
    The rate rose to 4 percent, from 3.2 percent three months earlier. ...

That text goes into both indexes, the one of words and the one of vectors, under the id of the chunk. The prompt gets
the original chunk, and so does the evidence: whether a chunk holds a quote is a question about the document.

Who writes the line? Here a rule does, from what the document says of itself: title, headings, kind, date, names. In
the source a language model does, which is given the whole document with each of its chunks; `contextualize` takes any
function (document, chunk) -> text. Then the document is read once for every chunk of it, which was too dear before
such a text could be kept by the model's server and read again for a tenth of the price; `ingestion_cost` works it out.
Source: Anthropic, "Introducing Contextual Retrieval", September 2024, whose figures are PUBLISHED.
"""

import math
import re
import unicodedata
import warnings
from bisect import bisect_right
from collections import Counter
from dataclasses import replace

from firstprinciples.corpus import Chunk, Document
from firstprinciples.index import way_back
from firstprinciples.ingest import chunking
from firstprinciples.ingest.checks import called, spans_from, whole
from firstprinciples.ingest.contexts import Contexts

# Share of the answers, in percent, that were not among the first 20 chunks: Anthropic's figures on its own collections
PUBLISHED = {"embeddings": 5.7, "contextual embeddings": 3.7, "contextual embeddings and contextual BM25": 2.9,
             "the same, reranked": 1.9}
PRICES = {"input": 0.25, "cache_write": 0.30, "cache_read": 0.03, "output": 1.25}  # dollars a million (Claude 3 Haiku)

WORD = re.compile(r"[^\W_][\w'’-]*")
HEADINGS = re.compile(r"(?:\s*#{1,6} [^\n]*(?:\n|$))*\s*")  # those that a chunk begins with
NAMES = 2  # how many names of the document the line ends with where no client is named


def names_in(text: str, most: int) -> list[str]:
    """Return the `most` most frequent names of a text: two or more words in a row that begin with a capital letter.

    A word is a letter or digit and the letters, digits, _, ', ’ and - that follow it. No word of a name holds a digit,
    one space stands between two of them, and a last 's or ' is cut off. Where a sentence, a line or a cell begins every
    word has a capital: so a word before which there is anything but one space is left out if it also stands in the text
    in small letters. Equal counts are ordered by which name comes first. A script without capital letters gives [].
    Raises ValueError for `most` below 0.

    >>> names_in("The day that Lena Ort saw the shop in Harrow Mills. The Harrow Mills shop is new.", 2)
    ['Harrow Mills', 'Lena Ort']
    """
    most = whole(most, "most", least=0)
    text = unicodedata.normalize("NFC", text)  # an accent that stands apart from its letter would end the word
    words = list(WORD.finditer(text))
    small = {word.group() for word in words}
    runs, end = [[]], None
    for match in words:
        word, begins = match.group(), end is None or text[end : match.start()] != " "
        if begins:
            runs.append([])
        if _capital(word) and not (begins and word.lower() in small):
            runs[-1].append(word)
        else:
            runs.append([])
        end = match.end()
    counts = Counter(re.sub(r"['’]s?$", "", " ".join(run)) for run in runs if len(run) > 1)
    return sorted(counts, key=lambda name: -counts[name])[:most]  # sorting leaves equals in the order of the text


def _capital(word: str) -> bool:
    """Say whether a word may be part of a name."""
    return word[0].isupper() and not any(c.isdigit() for c in word)


def blurb(title: str, path: list[str], date: str, names: list[str], kind: str = "") -> str:
    """Return a line of context, put together by rule: "title > heading > heading (kind, date): name, name".

    `path` is the list of headings above the chunk, from the top; `date` and `kind` are texts, `names` is a list. Each
    part comes once: what a part before it already says, as whole words in capital or small letters, is left out. So is
    what is empty, together with its sign. Runs of white space become one space. With nothing to say it is "".
    Lesson 10, "A line of context".

    >>> blurb("Invoice 1042", ["Invoice 1042", "Delivery"], "2024-03-12", ["Lena Ort", "Ann Ode"], kind="invoice")
    'Invoice 1042 > Delivery (2024-03-12): Lena Ort, Ann Ode'
    """
    said, groups = [], []
    for parts in ([title, *path], [kind, date], names):
        new = []
        for part in (" ".join(part.split()) for part in parts):
            if part and not _says(said, part.casefold()):
                new.append(part)
                said.append(part.casefold())
        groups.append(new)
    above, about, named = groups
    place = " ".join([" > ".join(above)] * bool(above) + [f"({', '.join(about)})"] * bool(about))
    return ": ".join([place] * bool(place) + [", ".join(named)] * bool(named))


def _says(said: list[str], part: str) -> bool:
    """Say whether one of the texts holds these words as whole words."""
    whole_words = re.compile(rf"(?<!\w){re.escape(part)}(?!\w)")
    return any(whole_words.search(text) for text in said)


def situate(context: str, text: str) -> str:
    """Return the text that is indexed: the context, a line break, and the chunk's own text, unchanged.

    White space around the context is dropped; without a context it is the text alone.
    Lesson 10, "Into both indexes".

    >>> situate("Acme, 2024 > Unemployment", "The rate rose to 4 percent.")
    'Acme, 2024 > Unemployment\\nThe rate rose to 4 percent.'
    """
    return f"{context.strip()}\n{text}" if context.strip() else text


def misses(ranked_ids: list[str], relevant: list[str], k: int) -> float:
    """Return the share of the relevant ids that do not stand in the first k places: 1 - recall@k, from 0 to 1.

    `ranked_ids` is best first; an id that stands twice in it, or in `relevant`, counts once. The published bars count
    this, with k = 20. Raises ValueError for k < 1, and where nothing is relevant: then nothing can be missed.
    Lesson 10, "Four bars".

    >>> misses(["a", "x", "b"], ["a", "b", "c", "d"], k=2)
    0.75
    """
    k = whole(k, "k")
    wanted = set(relevant)
    if not wanted:
        raise ValueError("Nothing is relevant here, so nothing can be missed: leave this question out.")
    return len(wanted - set(ranked_ids[:k])) / len(wanted)


def reduction(before: float, after: float) -> float:
    """Return which share of the misses is gone: (before - after) / before; below 0 where there are more than before.

    Both are 0 or more, in the same unit, shares or percent. Raises ValueError for a negative one, and for `before` = 0.
    Lesson 10, "Four bars".

    >>> round(reduction(5.7, 2.9), 2)
    0.49
    """
    if not (before > 0 and after >= 0):  # nan is neither
        raise ValueError(f"before is {before} and after {after}; misses are 0 or more, and before above 0.")
    return (before - after) / before


def ingestion_cost(document_tokens: int, chunk_tokens: int, context_tokens: int, instruction_tokens: int,
                   prices: dict[str, float], cached: bool) -> float:
    """Return what it costs, in dollars, to have a model write a context for each chunk of one document.

    The document is cut into document_tokens / chunk_tokens chunks, rounded up; each counts as a full one. For each of
    them the model reads the document, the chunk and the instruction, and writes context_tokens. `prices` are dollars
    for a million tokens: "input" read, "output" written, and with `cached` the document is written to the cache once
    ("cache_write") and read from it for every chunk ("cache_read"), the first one, too; else every chunk reads it as
    "input". Raises ValueError for a price that is missing, a negative number, and chunks of less than a token.
    Lesson 10, "Paid once".

    >>> haiku = {"input": 0.25, "cache_write": 0.30, "cache_read": 0.03, "output": 1.25}
    >>> [round(125 * ingestion_cost(8_000, 800, 100, 50, haiku, cached), 2) for cached in (True, False)]
    [1.02, 2.92]
    """
    needed = ("input", "output", *(("cache_write", "cache_read") if cached else ()))
    if missing := [name for name in needed if name not in prices]:
        raise ValueError(f"The price {missing[0]!r} is missing; prices are dollars for a million tokens.")
    counts = (document_tokens, chunk_tokens, context_tokens, instruction_tokens, *(prices[name] for name in needed))
    if not (all(count >= 0 for count in counts) and chunk_tokens >= 1):  # nan is neither
        raise ValueError(f"The numbers of tokens and the prices are {counts}; each must be 0 or more, and a chunk must "
                         "have a token.")
    chunks = math.ceil(document_tokens / chunk_tokens)
    if cached:
        reading = document_tokens * prices["cache_write"] + chunks * document_tokens * prices["cache_read"]
    else:
        reading = chunks * document_tokens * prices["input"]
    own = chunks * (chunk_tokens + instruction_tokens) * prices["input"]
    return (reading + own + chunks * context_tokens * prices["output"]) / 1_000_000


def query_cost(extra_tokens_each_query: int, queries: int, price: float) -> float:
    """Return what it costs, in dollars, to give a model so many more tokens with every query, at a price for a million.

    This is the other side of `ingestion_cost`: what is not said in the index must be read at every question. Raises
    ValueError for a negative number.
    Lesson 10, "Paid once".

    >>> query_cost(8_000, 10_000, price=0.25)
    20.0
    """
    if not (extra_tokens_each_query >= 0 and queries >= 0 and price >= 0):
        raise ValueError(f"There are {extra_tokens_each_query} tokens, {queries} queries and the price {price}; each "
                         "must be 0 or more.")
    return extra_tokens_each_query * queries * price / 1_000_000


def contextualize(chunks: list[Chunk], documents: list[Document], write=None, contexts=None,
                  progress=None) -> list[Chunk]:
    """Return a copy of each chunk with its context before its text; id, place, page and metadata stay the same.

    `documents` are those that the chunks were cut from. `write` is any function (document, chunk) -> text, such as one
    that asks a language model; None is the rule, `by_rule`. What `write` gives is kept in `contexts`, a `Contexts`, so
    that no context is paid for twice; `progress(done, n)` is called after each chunk. Where `write` raises or gives no
    text the rule's line stands in, and a context of more than 100 words is cut; either is counted in
    `contexts.notes`, and a warning says it. KeyboardInterrupt goes through, and what was written until then is kept.
    The copy's text is no longer document.text[start:end]: it is for indexes, the chunk is for prompts and evidence.
    Raises ValueError for a chunk whose document is not there and for two documents with one id, TypeError for what is
    no chunk, document, function or Contexts.

    >>> memo = Document("memo", "Acme, 2024", "# Acme, 2024\\n\\n## Jobs\\n\\nMany.\\n\\nThe rate rose.")
    >>> contextualize([Chunk("memo#2", "The rate rose.", "memo", 30, 44)], [memo])[0].text
    'Acme, 2024 > Jobs\\nThe rate rose.'
    """
    chunks, contexts = list(chunks), Contexts() if contexts is None else contexts
    if write is not None and not callable(write):
        raise TypeError(f"write must be a function (document, chunk) -> text, not {type(write).__name__}.")
    if not isinstance(contexts, Contexts):
        raise TypeError(f'contexts must be Contexts, such as Contexts("contexts.json"), not {type(contexts).__name__}.')
    known, outlines, out = {}, {}, []
    for document in documents:
        if not isinstance(document, Document):
            raise TypeError(f"A document must be a Document, which has a title and a text, not "
                            f"{type(document).__name__}.")
        if known.setdefault(document.id, document) != document:
            raise ValueError(f"There are two documents with the id {document.id!r}; whose chunks are these?")
    for chunk in chunks:
        if not isinstance(chunk, Chunk):
            raise TypeError("A chunk must be a Chunk, which says where in which document it stands, not "
                            f"{type(chunk).__name__}.")
        if chunk.document not in known:
            raise ValueError(f"The chunk {chunk.id!r} is of the document {chunk.document!r}, which is not among the "
                             "documents given.")
    contexts.begin()
    if write:
        contexts.save()  # where nothing can be written that is said now, before anything is paid for
    try:
        for done, chunk in enumerate(chunks, 1):
            document = known[chunk.document]
            context = contexts.written(document, chunk, write) if write else ""
            if not context:
                if document.id not in outlines:
                    outlines[document.id] = outline(document)
                context = _line(document, chunk, *outlines[document.id])
            text = _text_from("situate", lambda before=context, own=chunk.text: situate(before, own))
            out.append(replace(chunk, text=text))
            if progress:
                progress(done, len(chunks))
    finally:
        if write:
            contexts.save()
    if contexts.notes:
        warnings.warn(contexts.said(), stacklevel=2)
    return out


def by_rule(document: Document, chunk: Chunk) -> str:
    """Return the line of context that the rule writes for one chunk of a document.

    The headings are those above the chunk's first line that is no heading itself; kind, date and client are what the
    front matter says. Where it has no client, which a folder of plain notes has not, the line ends with the two most
    frequent names of the document; "none" means that there is no client.
    """
    return _line(document, chunk, *outline(document))


def outline(document: Document) -> tuple[list[int], list[list[str]], list[str]]:
    """Return what is the same for all chunks of a document: where its sections begin, their paths, and its names."""
    client = _said(document, "client")
    names = ([] if client.lower() == "none" else [client]) if client else names_in(document.text, NAMES)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"names_in should give a list of texts. {way_back('contextual.names_in')}")
    text = document.text
    sections = sorted(spans_from("chunking.sections", lambda: chunking.sections(text), len(text), path=True))
    return [start for start, _, _ in sections], [path for _, _, path in sections], names


def _line(document: Document, chunk: Chunk, starts: list[int], paths: list[list[str]], names: list[str]) -> str:
    """Return the rule's line for a chunk, with what `outline` gave for its document."""
    path = chunk.metadata.get("path")  # some chunkers say it
    if not isinstance(path, list) or not all(isinstance(title, str) for title in path):
        begins = min(chunk.start + HEADINGS.match(chunk.text).end(), max(chunk.end - 1, chunk.start))
        section = bisect_right(starts, begins) - 1
        path = paths[section] if section >= 0 else []
    date, kind = _said(document, "date"), _said(document, "type")
    return _text_from("blurb", lambda: blurb(document.title, path, date, names, kind))


def _said(document: Document, key: str) -> str:
    """Return what the front matter says under a key, as a text; "" where it says nothing."""
    return str(document.metadata.get(key) or "")


def _text_from(name: str, make) -> str:
    """Return the text that a function of this module gives, `make()`; raises ValueError, which names it, for others."""
    text = called(f"contextual.{name}", make)
    if isinstance(text, str):
        return text
    raise ValueError(f"{name} gave {type(text).__name__} where a text is needed. Is a return missing? "
                     f"{way_back(f'contextual.{name}')}")
