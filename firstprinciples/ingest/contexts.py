"""Contexts that somebody wrote for chunks, kept in a file so that they are paid for once.

The problem. A language model that writes a line for each of ten thousand chunks takes hours and costs money. It fails
now and then, it gives nothing, or a page where a line was asked for; and after Ctrl-C nobody wants to begin again. So
what was written is kept under a hash of what it was written from: a changed document has other hashes, and nothing
stale can be taken for its context. `contextual.contextualize` does the asking.
"""

import hashlib
import json
from functools import lru_cache
from pathlib import Path

from firstprinciples.corpus import Chunk, Document
from firstprinciples.ingest import chunking
from firstprinciples.models import write_whole

LONGEST = 100  # words of a context that a reader's function wrote
SIGNS = 20  # and what a word may have on average: a text without a space can be a novel, too
SAVED_EVERY = 20  # contexts: what is lost at most when the machine goes off


def context_hash(document: Document, chunk: Chunk, writer: str = "") -> str:
    """Return what a context is kept under: 40 hexadecimal digits of all that it was written from.

    The id is not part of it: a file that is renamed is not paid for again.

    >>> chunk, memo, draft = Chunk("memo#1", "Jobs"), Document("memo", "2024", "Jobs"), Document("memo", "2024", "Job")
    >>> context_hash(memo, chunk) == context_hash(draft, chunk)
    False
    """
    try:
        front = json.dumps(document.metadata, sort_keys=True, default=str)
    except (TypeError, ValueError):  # keys of several kinds, which have no order, or something that holds itself
        front = repr(document.metadata)
    return _digest(writer, _digest(document.title, document.text, front), chunk.text, str(chunk.start))[:40]


@lru_cache(maxsize=64)  # a document is the same for all its chunks, and may be long
def _digest(*parts: str) -> str:
    """Return the SHA-256 of texts in their order."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class Contexts:
    """Contexts that were written and paid for, each under a hash of what it was written from.

    `path` is a .json file, read if it is there and written as the work goes on; without one they are kept as long as
    this object. `writer` is a name for the function that writes, such as a model's with its prompt: another writer's
    contexts are others. A document whose title, text or front matter has changed has other hashes, and so has a chunk
    that is cut differently: their contexts are written anew. `notes` is {what went wrong in the last run: ids of the
    chunks}, `calls` how often the function was asked in it. Raises ValueError for a file that holds no contexts,
    OSError for one that can't be read or written.

    >>> kept, memo = Contexts(), Document("memo", "Acme, 2024", "The rate rose.")
    >>> for _ in range(2):
    ...     kept.written(memo, Chunk("memo#1", "The rate rose.", "memo"), lambda document, chunk: document.title)
    'Acme, 2024'
    'Acme, 2024'
    >>> kept.calls
    1
    """

    def __init__(self, path: str | Path | None = None, writer: str = ""):
        self.path, self.writer, self.kept, self._unsaved = path and Path(path), writer, {}, 0
        self.begin()
        if self.path and self.path.exists():
            self.load(self.path)

    def __len__(self) -> int:
        return len(self.kept)

    def begin(self) -> None:
        """Begin a run: nothing has been asked in it, and nothing went wrong."""
        self.calls, self.notes = 0, {}

    def written(self, document: Document, chunk: Chunk, write) -> str:
        """Return the context of a chunk: the one that is kept, or what write(document, chunk) gives, which is then.

        Without a usable text it is "", which is not kept: the next run asks again.
        """
        key = context_hash(document, chunk, self.writer)
        if key not in self.kept:
            context = self._asked(document, chunk, write)
            if not context:
                return ""
            self.kept[key] = context
            self._unsaved += 1
            if self._unsaved >= SAVED_EVERY:
                self.save()
        return self.kept[key]

    def _asked(self, document: Document, chunk: Chunk, write) -> str:
        """Return what a reader's function writes, on one line and not too long; "" and a note where it is no text."""
        self.calls += 1
        try:
            context = write(document, chunk)
        except Exception as error:  # whatever it is, the other chunks go on; KeyboardInterrupt is no Exception
            self._note(" ".join(f"raised {type(error).__name__}: {error}".split())[:100].rstrip(" :"), chunk)
            return ""
        if not isinstance(context, str) or not context.strip():
            what = "an empty text" if isinstance(context, str) else type(context).__name__
            self._note(f"gave {what} where a text is needed", chunk)
            return ""
        context = " ".join(context.split())
        words = chunking.words_at(context)
        if len(words) > LONGEST:
            self._note(f"gave more than {LONGEST} words, which were cut", chunk)
            context = context[: words[LONGEST - 1][1]]
        if len(context) > LONGEST * SIGNS:
            self._note(f"gave more than {LONGEST * SIGNS:,} signs, which were cut", chunk)
            context = context[: LONGEST * SIGNS].rstrip()
        return context

    def _note(self, what: str, chunk: Chunk) -> None:
        self.notes.setdefault(what, []).append(chunk.id)

    def said(self) -> str:
        """Return the notes of the last run as a sentence; "" where all went well."""
        parts = [f"{what} ({len(ids)} x, first for {ids[0]})" for what, ids in self.notes.items()]
        if not parts:
            return ""
        return ("The function that writes contexts " + "; ".join(parts)
                + ". Where it gave no text, the rule's line of title, headings and date stands in.")

    def save(self, path: str | Path | None = None) -> None:
        """Write what is kept to a .json file, in one step; without a path to that of this object, if it has one."""
        path = Path(path) if path else self.path
        if path:
            record = {"version": 1, "contexts": self.kept}
            try:
                write_whole(path, [json.dumps(record, ensure_ascii=False, indent=0).encode("utf-8", "replace")])
            except OSError as error:  # its own text names a draft that nobody knows
                raise type(error)(f"{path} can't be written: {error.strerror}. Give another.") from error
            self._unsaved = 0

    def load(self, path: str | Path) -> None:
        """Take in the contexts of a file, beside those that are there. Raises ValueError where it holds none."""
        try:
            record = json.loads(Path(path).read_text(encoding="utf-8-sig"))  # some editors put a mark in front
            kept = record["contexts"]
            right = record["version"] == 1 and all(isinstance(text, str) and text for text in kept.values())
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            right = False
        except OSError as error:
            raise type(error)(f"{path} can't be read: {error.strerror}. Give a .json file.") from error
        if not right:
            raise ValueError(f"{path} holds no contexts. Delete it, or give another file: they are then written anew.")
        self.kept.update(kept)
