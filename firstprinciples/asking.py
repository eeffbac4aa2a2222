"""The command `ask`: put a question to a collection of the course or to any folder, and see the whole trip.

Without a question it is a conversation: one question a line, each with what was said before it, until an empty line or
the end of the input. What is printed on standard output is the trip and the answer; what could not be read of a folder
is said on standard error, so that `--no-stages` leaves nothing but the line that begins with "Answer:".
"""

import sys
from functools import lru_cache
from pathlib import Path
from unicodedata import category

from firstprinciples import models
from firstprinciples.corpus import DATA, Chunk, Collection, Document, paragraphs
from firstprinciples.encode import stored
from firstprinciples.encode.cache import Cached
from firstprinciples.generate.reader import THRESHOLD, Reader
from firstprinciples.index import counted
from firstprinciples.ingest.files import read_folder, whole_or_pieces
from firstprinciples.install import COMMAND, say
from firstprinciples.pipeline import Chat, Pipeline, Trip
from firstprinciples.progress import Bar
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.dense import Dense
from firstprinciples.text import tokenize

COURSE = ("larkspur", "clocks")
MANY = 5_000  # chunks from which on indexing takes a moment, so that it is said before


def ask_command(options) -> int:
    """Run `ask` with the options of the command line: a question, or a conversation where there is none; return 0."""
    question = " ".join(options.question) if options.question else None
    if question is not None and not any(sign.isalnum() for sign in question):
        raise ValueError(f"The question is empty; type one in quotes: {COMMAND} ask \"When is invoice 1042 due?\"")
    name, documents, chunks, said = read(options.documents)
    for sentence in said:
        say(sentence)
    if not chunks:
        raise ValueError(f"{name} holds no .md or .txt file with text in it; give another folder with --documents.")
    if len(chunks) > MANY:
        say(f"Indexing {len(chunks):,} chunks ...")
    settings = {"order": options.order, "budget": options.budget}
    settings |= {"most": options.k, "several": options.k} if options.k else {}
    settings["threshold"] = options.threshold
    pipeline, which = make(documents, chunks, name in COURSE, options.retriever, question, **settings)
    if options.stages:
        what = f"{counted(len(documents), 'document')} in {counted(len(chunks), 'chunk')}"
        print(f"{name}: {what}, searched by {which}.\n")
    if question is None:
        return converse(Chat(pipeline), options.stages)
    print(told(pipeline.run(question), options.stages))
    return 0


def read(source: str | None) -> tuple[str, list[Document], list[Chunk], list[str]]:
    """Return the name of what is asked, its documents, their chunks, and what is to be said of its files.

    `source` is a collection of the course by name (None: larkspur), a folder in one of the two layouts that `evaluate`
    reads, or any folder with .md and .txt files below it. A chunk's document is the file, with its ending, below that
    folder; in a BEIR folder, which has no such files, the id. Raises ValueError for what is none of these.
    """
    if source is None:
        source = COURSE[0]
    if not source.strip():  # from a shell, a variable that holds nothing; Path("") would be the folder we stand in
        raise ValueError("The name of the folder is empty; give one with --documents, or leave that out for larkspur.")
    folder = DATA / source if source in COURSE else Path(source)
    if (folder / "corpus.jsonl").exists():
        collection = Collection.load(source if source in COURSE else folder)
        return source, collection.documents, collection.chunks, []
    ours = (folder / "questions.jsonl").exists() and (folder / "documents").is_dir()
    documents, said = read_folder(folder / "documents" if ours else folder)
    cut = paragraphs if source in COURSE else whole_or_pieces  # the vectors of the course's own paragraphs are stored
    return source, documents, [chunk for document in documents for chunk in cut(document)], said


def make(documents: list[Document], chunks: list[Chunk], course: bool = False, wanted: str | None = None,
         question: str | None = None, threshold: float | None = None, **settings) -> tuple[Pipeline, str]:
    """Return the pipeline, and in words what it searches with.

    `threshold` is that of the `Reader`, None the usual one; the others are those of `searches` and `Pipeline`.
    """
    retrievers, which = searches(chunks, course, wanted, question)
    reader = Reader(chunks, THRESHOLD if threshold is None else threshold, documents=documents)
    return Pipeline(chunks, retrievers, reader=reader, **settings), which


def searches(chunks: list[Chunk], course: bool, wanted: str | None, question: str | None) -> tuple[list, str]:
    """Return the retrievers, and in words which they are.

    `wanted` is "bm25", "hybrid", or None: then it is hybrid where nobody has to wait for it, that is for a collection
    of the course whose vectors are stored, if a question can be encoded, too. Raises ValueError where hybrid is wanted
    and the files of the encoder are not there.
    """
    by_words = BM25(chunks, tokenizer=words)
    if wanted == "bm25" or not (course or wanted):
        return [by_words], "bm25 (words)"
    encoder = stored.minilm()
    files = models.files("minilm") is not None
    asks = files or (question is not None and encoder.has(question))
    known = all(encoder.has(chunk.text) for chunk in chunks)
    if asks and (known or (files and wanted)):
        by_vectors = Dense(chunks, encoder if known else Cached(encoder, progress=Bar("Encoding passages")))
        return [by_words, by_vectors], "hybrid (words by bm25, meaning by minilm)"
    why = f"the files of the encoder minilm are not here: run `{COMMAND} models` once"
    if wanted:
        raise ValueError(f"hybrid has to encode what is not stored with the course, and {why}, or use --retriever "
                         "bm25.")
    return [by_words], f"bm25 (words) alone, since {why} for hybrid" if not files else "bm25 (words)"


def words(text: str) -> list[str]:
    """Return the words of a text as `tokenize` does; no word reaches over a space, so each piece is read once for all.

    A large text has the same piece a thousand times: this takes a fifth of the time, and equal words are one object.
    Where letters carry marks of their own, as in Hindi, `tokenize` looks at the whole text for them, and so it gets it.

    >>> words("the tent, the LK-204") == tokenize("the tent, the LK-204")
    True
    """
    if not text.isascii() and any(category(sign).startswith("M") for sign in set(text)):
        return tokenize(text)
    return [word for piece in text.split() for word in _words_of(piece)]


@lru_cache(maxsize=200_000)
def _words_of(piece: str) -> tuple[str, ...]:
    """Return the words of what stands between two spaces."""
    return tuple(tokenize(piece))


def converse(chat: Chat, stages: bool) -> int:
    """Ask what is typed, a line a question, until an empty line, the end of the input or Ctrl-C; return 0."""
    person = sys.stdin.isatty()
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")  # a byte that is no letter shall not end a conversation
    if person:
        say("One question a line; an empty line ends it.")
    try:
        while True:
            if person:
                print("Question: ", end="", file=sys.stderr, flush=True)
            line = sys.stdin.readline()
            if not line.strip():
                break
            try:
                print(told(chat.ask(line.strip()), stages), flush=True)
            except ValueError as error:
                say(str(error))
            if stages:
                print(flush=True)
    except KeyboardInterrupt:
        line = ""
    if person and not line:  # the cursor stands behind the prompt
        say("")
    return 0


def told(trip: Trip, stages: bool) -> str:
    """Return what is printed of a trip: all of it, or the line of the answer."""
    return trip.show() if stages else trip.line()
