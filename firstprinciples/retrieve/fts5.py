"""The search engine that is on nearly every machine: SQLite's full-text index, FTS5, which comes with Python.

The problem. To graduate need not mean to run a server. A file of SQLite keeps an inverted index, survives the program,
takes new rows while others read, and ranks by BM25. Its formula is the one of lesson 03 with k1 = 1.2 and b = 0.75,
but for the rarity of a word:

    here    ln(1 + (N - df + 0.5) / (df + 0.5))       never negative
    FTS5    ln((N - df + 0.5) / (df + 0.5)), and 0.000001 where that is not above 0: a word in half of the chunks or
            more counts next to nothing

and it keeps the constant k1 + 1 and turns the sign: the smaller its score, the better; here the sign is turned back.
So two lists differ where a question has common words, and where its own way of making words differs. `tokenizer=None`
leaves it that way, "unicode61": letters and digits, accents dropped, a code such as LK-204-B in three words. With a
tokenizer of the course each word is handed over under a number, and both count the same words.

Source: the SQLite documentation, "SQLite FTS5 Extension", sections 4.3.1 and 5.1.1.
"""

import math
import os
import re
import sqlite3
import unicodedata
import weakref
from pathlib import Path

from firstprinciples.index import as_k, shown
from firstprinciples.retrieve import Explanation, Hit, Part, ids_of, listed
from firstprinciples.text import tokenize


class FTS5:
    """Chunks in a table of SQLite, in memory or in a file, searched by its own bm25().

    `chunks` are Chunk objects or plain strings; `tokenizer` is a function from a text to a list of words, or None for
    SQLite's own. `path` is a new file; None keeps the table in memory. Close it in the end, or use a `with` block.
    Raises RuntimeError where this Python's SQLite has no FTS5; ValueError for an empty collection, ids that repeat and
    a file that is there already; TypeError for what are no chunks.

    >>> with FTS5(["a red tent", "a stove"]) as table:
    ...     [hit.id for hit in table.search("red tents, a red tent")]
    ['0', '1']
    """

    def __init__(self, chunks, tokenizer=tokenize, path: str | None = None):
        chunks = listed(chunks, "FTS5([text])")
        self.ids, self.tokenizer, self.numbers = ids_of(chunks), tokenizer, {}
        if tokenizer is not None and not callable(tokenizer):
            raise TypeError(f"tokenizer is a function from a text to a list of words, or None; {shown(tokenizer)} is "
                            "none.")
        if path is not None:
            _new_file(path)
        self.table = sqlite3.connect(":memory:" if path is None else path)
        self._end = weakref.finalize(self, self.table.close)  # a forgotten table is closed as well
        try:
            self._fill(chunks)
        except BaseException:
            self.close()
            if path is not None:  # made a moment ago, and there is nothing in it
                Path(path).unlink(missing_ok=True)
            raise

    def _fill(self, chunks) -> None:
        """Make the table, and file the chunks in it."""
        try:
            # detail is full by default; the words of ours are numbers such as w12, in which unicode61 changes nothing
            self.table.execute("CREATE VIRTUAL TABLE chunks USING fts5(id UNINDEXED, words, tokenize = 'unicode61')")
        except sqlite3.OperationalError as error:
            raise RuntimeError(f"SQLite {sqlite3.sqlite_version} of this Python can't do full-text search ({error}); "
                               "another build of Python has FTS5.") from None
        texts = [chunk if isinstance(chunk, str) else chunk.text for chunk in chunks]
        with self.table:
            self.table.executemany("INSERT INTO chunks(id, words) VALUES (?, ?)",
                                   zip(self.ids, map(self._handed_over, texts), strict=True))

    def close(self) -> None:
        """Close the table; one in memory is gone then."""
        self._end()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def _handed_over(self, text: str) -> str:
        """Return a text as it is filed."""
        if self.tokenizer is None:
            return text
        return " ".join(f"w{self.numbers.setdefault(word, len(self.numbers))}" for word in self.tokenizer(text))

    def _words(self, query: str) -> list[tuple[str, str]]:
        """Return (word, what it is filed under) for the words of a question, as often as they stand in it."""
        if self.tokenizer is None:
            if not isinstance(query, str):
                raise TypeError(f"A question is a string, not {type(query).__name__}.")
            # NFC: an accent that is a sign of its own belongs to its letter
            return [(word, word) for word in re.findall(r"[^\W_]+", unicodedata.normalize("NFC", query))]
        return [(word, f"w{self.numbers[word]}") for word in self.tokenizer(query) if word in self.numbers]

    def _asked(self, what: str, values: tuple):
        """Return the rows that the table answers with. Raises RuntimeError once it is closed."""
        if not self._end.alive:
            raise RuntimeError("This table is closed; build a new one.")
        return self.table.execute(what, values)

    def search(self, query: str, k: int = 10) -> list[Hit]:
        """Return the k chunks that score highest among those with a word of the question; equal scores by id.

        Raises ValueError unless k is a whole number from 1.
        """
        k, words = as_k(k), self._words(query)
        if not words:
            return []
        found = self._asked("SELECT id, -bm25(chunks) FROM chunks WHERE chunks MATCH ? "
                            "ORDER BY bm25(chunks), id LIMIT ?", (_any(words), min(k, len(self.ids))))
        return [Hit(id, score) for id, score in found]

    def explain(self, query: str, id: str) -> Explanation:
        """Take the score of one chunk apart, one part for each word of the question: each is asked for alone.

        Raises KeyError for an id that is not in the table.
        """
        if not isinstance(id, str) or id not in self.ids:
            raise KeyError(f"There is no chunk {id!r} in this index.")
        parts, words = [], self._words(query)
        for word in dict.fromkeys(words):
            times = words.count(word)
            row = self._asked("SELECT -bm25(chunks) FROM chunks WHERE chunks MATCH ? AND id = ?",
                              (_any([word]), id)).fetchone()
            note = "not in this chunk" if row is None else "bm25() of this word alone"
            note += f" x {times} times in the query" if row is not None and times > 1 else ""
            parts.append(Part(word[0], 0.0 if row is None else times * row[0], note))
        return Explanation(math.fsum(part.value for part in parts), tuple(parts))


def _new_file(path) -> None:
    """Make an empty file. Raises TypeError for what is no name, ValueError for a file that is there or can't be."""
    if not isinstance(path, str | os.PathLike):  # of a number Python would open, and close, what has that number
        raise TypeError(f"The path is {shown(path)}; give the name of a new file.")
    try:
        open(path, "x").close()
    except FileExistsError:
        raise ValueError(f"The file {str(path)!r} is there already; nothing of it is written over.") from None
    except OSError as error:
        raise ValueError(f"The file {str(path)!r} can't be made ({error.strerror or error}); give another name.") \
            from None


def _any(words: list[tuple[str, str]]) -> str:
    """Return the condition that any of these words is there, in FTS5's own language; each in quotes.

    >>> _any([("red", "w1"), ("tent", "w2")])
    '"w1" OR "w2"'
    """
    return " OR ".join(f'"{filed}"' for _, filed in words)
