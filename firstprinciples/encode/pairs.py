"""Questions with the passages that answer them: what a bi-encoder learns from.

data/pairs/ has one file for each topic, `refunds.jsonl`, with one pair on a line: {"id", "topic", "question",
"passage"}. Eight topics, listed in held_out.txt, are never trained on: what the model finds there shows what it can do
with subjects it has not seen. Splitting by topic, not by pair, is what makes that a test: two pairs of one topic share
words, and a model that has seen one has seen half of the other.
"""

import json
import random
from pathlib import Path

import numpy as np

from firstprinciples.corpus import DATA
from firstprinciples.text import tokenize

PAIRS = DATA / "pairs"
FIELDS = ("id", "topic", "question", "passage")


def read_pairs(folder: Path = PAIRS) -> tuple[list[dict], list[dict]]:
    """Read all pairs: (training, held out), two lists of {"id", "topic", "question", "passage"}.

    In the order of the topics' names, and within a topic in the order of its file. Raises ValueError, which names the
    file and the line, for what is no pair, and for a held-out topic without a file.

    >>> training, held_out = read_pairs()
    >>> len({pair["topic"] for pair in held_out})
    8
    """
    folder = Path(folder)
    topics = {path.stem: _read(path) for path in sorted(folder.glob("*.jsonl"), key=lambda path: path.stem)}
    if not topics:
        raise ValueError(f"There are no pairs in {folder}: it should hold a .jsonl file for each topic.")
    kept = (folder / "held_out.txt").read_text(encoding="utf-8").split()
    for topic in kept:
        if topic not in topics:
            raise ValueError(f"{folder / 'held_out.txt'} names the topic {topic!r}, but there is no {topic}.jsonl.")
    training = [pair for topic, pairs in topics.items() if topic not in kept for pair in pairs]
    return training, [pair for topic, pairs in topics.items() if topic in kept for pair in pairs]


def _read(path: Path) -> list[dict]:
    """Read the pairs of one topic."""
    pairs = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            pair = json.loads(line)
        except json.JSONDecodeError as error:
            raise ValueError(f"{path}, line {number}: this is no JSON ({error.msg}).") from None
        if not isinstance(pair, dict) or any(not isinstance(pair.get(field), str) for field in FIELDS):
            raise ValueError(f"{path}, line {number}: a pair has the texts {', '.join(FIELDS)}.")
        pairs.append(pair)
    return pairs


def draw_topics(topics: list[str], n: int = 8, seed: int = 5) -> list[str]:
    """Draw the topics that are held out: n of the sorted names, not those that begin with "map-".

    The map of meaning in lesson 05 shows words of the map- topics, so these are always trained on. It was drawn once,
    from the first forty topics; data/SOURCES.md names the three that were added later, to training only.

    >>> draw_topics(["bees", "map-money", "tides", "wool"], n=2)
    ['tides', 'wool']
    """
    free = sorted(topic for topic in topics if not topic.startswith("map-"))
    return sorted(random.Random(seed).sample(free, n))


def vocabulary(pairs: list[dict]) -> list[str]:
    """Return the different words of the pairs, questions and passages, sorted.

    >>> vocabulary([{"question": "Is it due?", "passage": "It is due on Friday."}])
    ['due', 'friday', 'is', 'it', 'on']
    """
    return sorted({word for pair in pairs for side in ("question", "passage") for word in tokenize(pair[side])})


def recall_at(questions: np.ndarray, passages: np.ndarray, k: int = 10) -> float:
    """Return the share of questions i for which passage i is among the k nearest; ties by position.

    Both are (n, d), rows of length 1 or 0. Raises ValueError for n = 0.

    >>> recall_at(np.eye(3), np.eye(3)[[0, 2, 1]], k=1)
    0.3333333333333333
    """
    if len(questions) == 0:
        raise ValueError("There are no pairs to measure on.")
    similarities = questions @ passages.T
    own = np.diagonal(similarities)[:, None]
    before = np.arange(len(passages)) < np.arange(len(questions))[:, None]
    places = np.sum((similarities > own) | ((similarities == own) & before), axis=1)
    return float(np.mean(places < k))
