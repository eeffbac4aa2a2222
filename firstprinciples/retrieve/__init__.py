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
    return chunks


def ids_of(chunks: list) -> list[str]:
    """Return the id of each chunk; that of a plain string is its place, "0", "1", and so forth.

    Raises TypeError for an id that is no string, ValueError for one that is there twice.

    >>> ids_of(["a red tent", "a stove"])
    ['0', '1']
    """
    ids = [str(i) if isinstance(chunk, str) else chunk.id for i, chunk in enumerate(chunks)]
    seen = set()
    for id in ids:
        if not isinstance(id, str):
            raise TypeError(f"An id is a string, and {reprlib.repr(id)} is none; write {str(id)!r}.")
        if id in seen:
            raise ValueError(f"The id {id!r} is there twice; give every chunk an id of its own.")
        seen.add(id)
    return ids
