"""What a learner's function gives to HNSW, checked where the index takes it in: usable, or one clear sentence.

`use` can put any function into `hnsw`. Whatever it gives, the sentence names the function and says how to put the
course's own back.
"""

import math
import operator
from collections.abc import Mapping
from itertools import islice

import numpy as np

from firstprinciples.index import shown, way_back
from firstprinciples.index.hnsw_fast import Links

HIGHEST = 1100  # a level: the smallest float above 0 gives 1074 with M = 2


class Watched(Mapping):
    """A layer as a replaced search_layer gets it; it notes whose neighbors were asked for, and who was seen by that."""

    def __init__(self, links: Links, start: list[int]):
        self.links, self.opened, self.seen = links, [], set(start)

    def __getitem__(self, position) -> list[int]:
        neighbors = self.links[position]
        self.opened.append(position)
        self.seen.update(neighbors)
        return neighbors

    def __iter__(self):
        return iter(self.links)

    def __len__(self) -> int:
        return len(self.links)


def checked_level(level) -> int:
    """Return what random_level gave; ValueError unless it is a whole number from 0.

    >>> checked_level(np.int64(2))
    2
    """
    if isinstance(level, bool) or not isinstance(level, (int, np.integer)) or not 0 <= level <= HIGHEST:
        raise ValueError(f"random_level gave {shown(level)}, which is no level: a whole number from 0 to {HIGHEST}. "
                         f"{way_back('hnsw.random_level')}")
    return int(level)


def checked_pairs(found, links: Links) -> list[tuple[float, int]]:
    """Return what search_layer gave; ValueError unless it is [(distance, position), ...] of nodes on this layer.

    At least one, each once; of what never ends no more is taken than there can be.
    """
    try:
        pairs = [(float(distance), operator.index(position)) for distance, position in islice(found, len(links) + 1)]
        right = pairs and all(math.isfinite(d) and p in links for d, p in pairs)
        right = right and len({position for _, position in pairs}) == len(pairs)
    except (TypeError, ValueError, OverflowError):
        right = False
    if not right:
        raise ValueError(f"search_layer gave {shown(found)}, which is no list of (distance, position) on this layer, "
                         f"each position once, with at least one in it. {way_back('hnsw.search_layer')}")
    return pairs


def checked_choice(chosen, candidates: list[tuple[float, int]], M: int, name: str) -> list[int]:
    """Return what a choice of neighbors gave; ValueError unless it is at most M of the candidates' positions."""
    there = {position for _, position in candidates}
    try:
        positions = [operator.index(position) for position in islice(chosen, M + 1)]
        right = len(positions) <= M and len(set(positions)) == len(positions) and there.issuperset(positions)
    except TypeError:
        right = False
    if not right:
        raise ValueError(f"{name} gave {shown(chosen)}, which is no list of at most {M} of the candidates' positions. "
                         f"{way_back(f'hnsw.{name}')}")
    return positions
