"""Query -> ranked chunks. Each file is one way to search: `bm25` searches by words."""

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
