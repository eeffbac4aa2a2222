"""Query -> ranked chunks. Each file is one way to search: `bm25` searches by words."""

import reprlib
from typing import NamedTuple


class Hit(NamedTuple):
    """One line of a ranked list. Lists are best first; equal scores are ordered by id, ascending, as strings."""

    id: str
    score: float


class Part(NamedTuple):
    """One named piece of a score, with a note on where it comes from."""

    name: str
    value: float
    note: str


class Explanation(NamedTuple):
    """A score taken apart: `total` is the sum of the values of `parts`."""

    total: float
    parts: tuple[Part, ...]

    def __str__(self):
        width = max((len(part.name) for part in self.parts), default=0)
        lines = [f"{part.value:9.4f}  {part.name.ljust(width)}  {part.note}" for part in self.parts]
        return "\n".join([*lines, f"{self.total:9.4f}  = total"])  # = since "total" may be a word, too


def listed(chunks, call: str) -> list:
    """Return the chunks that a retriever was given as a list: Chunk objects or plain strings, at least one.

    `call` is how one text would be handed over, for the message. Raises TypeError for what are no chunks, ValueError
    for none at all.

    >>> listed(("a red tent", "a stove"), "BM25([text])")
    ['a red tent', 'a stove']
    """
    if isinstance(chunks, str) or not hasattr(chunks, "__iter__"):
        raise TypeError(f"Give a list of chunks, also for one: {call}.")
    chunks = list(chunks)
    if not chunks:
        raise ValueError("There is nothing to index: the list of chunks is empty.")
    for chunk in chunks:
        if not isinstance(chunk, str) and not (hasattr(chunk, "id") and hasattr(chunk, "text")):
            raise TypeError(f"{reprlib.repr(chunk)} is no chunk: a chunk is a text, or has an id and a text.")
        if not isinstance(chunk, str) and not isinstance(chunk.id, str):
            raise TypeError(f"The id of a chunk is a string, and {reprlib.repr(chunk.id)} is none; write "
                            f"{str(chunk.id)!r}.")
    return chunks
