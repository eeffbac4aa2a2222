"""Chunking: cut documents into the pieces that are indexed, found, and handed on.

The problem. A search returns chunks. A fact that is cut in two is in no chunk whole, and no ranking brings it back; a
chunk that is too large drags text along that nobody asked for, and its one vector is a blur of all that it speaks of.
Where to cut? There are four answers, from blind to dear:

1. windows: `size` words each, and each repeats the last `overlap` words of the one before, so that what one boundary
   cuts its neighbor may hold whole; they begin at the words 0, size - overlap, 2 (size - overlap), and so forth;
2. sentences: neighbors are packed together up to a limit, and none is cut;
3. structure: the writer has said with headings what belongs together; the path of headings is kept;
4. meaning: neighbors whose vectors point apart are the end of a topic: split where

       distance = 1 - cosine(sentence i, sentence i + 1)    is above the given percentile of all distances in the text.

And one answer to a different question: search in small chunks, which match sharply, and return the larger ones that
they stand in, their parents. Summaries of documents to search in first, and hierarchies of more than two levels, are
not in this course.

Spans are (start, end) in characters: the chunk is text[start:end]. Size is counted in words, runs of anything but white
space, as `text.split()` gives them; in Chinese and Japanese, which have no spaces, each character counts. MiniLM reads
256 word pieces, about 190 English words, and nothing of what comes after: a larger chunk is found by its beginning.

Sources: J. Callan, "Passage-level evidence in document retrieval", SIGIR 1994, for windows with overlap; M. Hearst,
"TextTiling", Computational Linguistics 23(1), 1997, for splitting where neighbors are unlike, and G. Kamradt, "5 Levels
of Text Splitting", 2023, for doing so with vectors and a percentile; M. Kaszkiel and J. Zobel, "Passage retrieval
revisited", SIGIR 1997, for ranking a whole by its best part.

The functions come first, in the order of lesson 09; `chunkers` makes chunks of documents with them.
"""

import math
import re

import numpy as np

from firstprinciples.index import cosine
from firstprinciples.ingest import marks
from firstprinciples.ingest.checks import numbers_in, sizes, whole

NO_SPACES = "々\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Chinese and Japanese
WORD = re.compile(rf"[{NO_SPACES}][^\w\s「『（《〈【]*|[^\s{NO_SPACES}]+")  # 。 stays with the character before it
ROUNDING = 1e-12


def quote_survives(text: str, spans: list[tuple[int, int]], quote: str) -> bool:
    r"""Say whether one of the spans holds the whole quote; runs of white space, on both sides, count as one space.

    `spans` are (start, end) in `text`. A quote that two spans hold half each does not survive, nor one that is not in
    the text. Raises ValueError for a quote without a word.
    Lesson 09, "Cut in two".

    >>> text, quote = "The rate rose\nto 4 percent. Sales fell.", "rate rose to 4 percent"
    >>> quote_survives(text, [(0, 27), (28, 39)], quote), quote_survives(text, [(0, 20), (9, 39)], quote)
    (True, False)
    """
    quote = " ".join(quote.split())
    if not quote:
        raise ValueError("The quote is empty; give the words that must stay together.")
    return any(quote in " ".join(text[start:end].split()) for start, end in spans)


def windows(n: int, size: int, overlap: int) -> list[tuple[int, int]]:
    """Return the windows over n units: (first, last + 1), each `size` long, sharing `overlap` units with the next.

    Units are whatever is counted: words, sentences, characters. Each window begins size - overlap after the one before.
    The last one ends at n and may be shorter; one that would hold only the overlap is not made. All n units are
    covered; n = 0 gives []. Raises ValueError unless 0 <= overlap < size: with overlap = size the next window would be
    the same one again, forever.
    Lesson 09, "Windows".

    >>> windows(10, size=4, overlap=1)
    [(0, 4), (3, 7), (6, 10)]
    """
    n, (size, overlap) = whole(n, "n", 0), sizes(size, overlap)
    out, first = [], 0
    while first < n:
        out.append((first, min(first + size, n)))
        if first + size >= n:  # another window would repeat the end of this one and add nothing
            break
        first += size - overlap
    return out


def words_at(text: str) -> list[tuple[int, int]]:
    """Return the spans of the words: runs without white space; in Chinese and Japanese each character by itself.

    >>> words_at("Pay 1,284.50 now."), words_at("請付款。")
    ([(0, 3), (4, 12), (13, 17)], [(0, 1), (1, 2), (2, 4)])
    """
    return [match.span() for match in WORD.finditer(text)]


def fixed(text: str, size: int, overlap: int) -> list[tuple[int, int]]:
    """Cut a text into windows of `size` words with `overlap` words in common, as spans of characters.

    A span begins where its first word begins and ends where its last word ends, so the white space between two words is
    as it was, and none stands at either end. A text without words gives []. Raises ValueError as `windows` does.
    Lesson 09, "Windows".

    >>> text = "Of two late fees one was paid."
    >>> [text[start:end] for start, end in fixed(text, size=4, overlap=1)]
    ['Of two late fees', 'fees one was paid.']
    """
    words = words_at(text)
    return [(words[first][0], words[last - 1][1]) for first, last in windows(len(words), size, overlap)]


def sentences(text: str) -> list[tuple[int, int]]:
    """Cut a text into sentences by rules, as spans of characters; every character but white space is in one.

    A sentence ends after . ! ? … and quotes or brackets that close, when white space follows; after 。！？ always. It
    does not end after Mr., No. 3, e.g. and such, inside 1,284.50 or LK-204.B, nor at "5 p.m. and". An empty line ends
    one; a heading, a row of a table and a fence of ``` are each one, and an item of a list begins one.

    >>> text = "Mr. Rourke paid $1,284.50 at 5 p.m. on Friday. Who asked? Nobody."
    >>> [text[start:end] for start, end in sentences(text)]
    ['Mr. Rourke paid $1,284.50 at 5 p.m. on Friday.', 'Who asked?', 'Nobody.']
    """
    out = []
    for start, end, kind in marks.pieces(text):
        if kind in ("text", "list"):
            item = marks.ITEM.match(text, start, end) if kind == "list" else None  # the 1. of "1. Pay" ends nothing
            for stop in marks.STOP.finditer(text, item.end() - 1 if item else start, end):
                following = marks.INK.search(text, stop.end(), end)
                before = text[max(start, stop.start() - marks.LONGEST) : stop.start()]
                if following and marks.ends_here(before, stop.group(), following.group()):
                    out.append((start, stop.end()))
                    start = following.start()
        out.append((start, end))
    return out


def packed(lengths: list[int], limit: int) -> list[tuple[int, int]]:
    """Pack neighbors together while their lengths add up to at most `limit`: returns (first, last + 1) of each pack.

    `lengths` are whole numbers, 0 or more, of sentences for instance. Packs are filled from the first on; a new one
    begins where the next would not fit. One that is longer than the limit stands alone. [] gives []. Raises ValueError
    for a limit below 1.
    Lesson 09, "Sentences".

    >>> packed([30, 40, 50, 130, 20], limit=100)
    [(0, 2), (2, 3), (3, 4), (4, 5)]
    """
    limit = whole(limit, "limit")
    out, first, full = [], 0, 0
    for place, length in enumerate(lengths):
        length = whole(length, "a length", 0)
        if place > first and full + length > limit:
            out.append((first, place))
            first, full = place, 0
        full += length
    return [*out, (first, len(lengths))] if len(lengths) else []


def headings(text: str) -> list[tuple[int, int, str]]:
    r"""Return the headings of a Markdown text: (start, level, title), where `start` is the place of the first #.

    A heading is a line with one to six # and a space before its title. Inside a fence of ``` or ~~~ there is none: in
    code # begins a comment.
    Lesson 09, "Structure".

    >>> headings("# Leave\n\nAll staff.\n\n## Annual leave #\n```\n# a comment\n```\n")
    [(0, 1, 'Leave'), (21, 2, 'Annual leave')]
    """
    out = []
    for start, end, kind in marks.lines(text):
        if kind == "heading":
            place, level, title = marks.heading(text[start:end])
            out.append((start + place, level, title))
    return out


def sections(text: str) -> list[tuple[int, int, list[str]]]:
    r"""Cut a Markdown text at its headings: (start, end, path), where `path` is the titles from the top down to here.

    A section begins with its heading and ends where the next one begins, of whatever level, so sections join up to the
    whole text. A heading ends the path of all that are as deep or deeper. Text before the first heading has the path
    []; "" gives [].
    Lesson 09, "Structure".

    >>> [path for start, end, path in sections("Memo\n# Leave\n## Annual\n18 days.\n### Unused\nLost.\n## Illness\n")]
    [[], ['Leave'], ['Leave', 'Annual'], ['Leave', 'Annual', 'Unused'], ['Leave', 'Illness']]
    """
    found = headings(text)
    first, *ends = *(start for start, _, _ in found), len(text)
    out, open_now = [(0, first, [])] if first else [], []  # open_now: (level, title) from the top
    for (start, level, title), end in zip(found, ends, strict=True):
        open_now = [above for above in open_now if above[0] < level] + [(level, title)]
        out.append((start, end, [name for _, name in open_now]))
    return out


def distances(vectors):
    """Return how far each vector points from the next: 1 - cosine of neighbors, from 0 (alike) to 2 (opposite).

    `vectors` is (n, d), one row for each sentence, of any length. Returns (n - 1,), float64; with n = 0 or 1 it is
    empty. A row of zeros has the cosine 0 with everything, which is the distance 1.
    Lesson 09, "Where the topic changes".

    >>> distances([[3.0, 4.0], [6.0, 8.0], [4.0, -3.0]]).round(4).tolist()
    [0.0, 1.0]
    """
    rows = np.asarray(vectors, dtype=float)
    if len(rows) < 2:
        return np.zeros(0)
    rows = cosine.normalize(rows)
    return 1 - np.sum(rows[:-1] * rows[1:], axis=1)


def breaks(distances: list[float], percent: float) -> list[int]:
    """Return the positions i after which a text is split: those whose distance is above the given percentile.

    `distances` are n - 1 numbers for n sentences: distance i lies between sentences i and i + 1. The percentile is that
    of `np.percentile`, which draws a line between the two nearest values. Only what is clearly above it counts, by more
    than 1e-12, so equal distances give no split, and 100 gives none. [] gives []. Raises ValueError for a `percent`
    outside 0 to 100, and for nan and infinity.
    Lesson 09, "Where the topic changes".

    >>> breaks([0.2, 0.1, 0.9, 0.3, 0.4], percent=75)
    [2]
    """
    values, (percent,) = numbers_in(distances, "distances"), numbers_in([percent], "percent")
    if not 0 <= percent <= 100:
        raise ValueError(f"percent is {percent:g}; it is from 0 to 100 (95 is usual).")
    if not len(values):
        return []
    return np.flatnonzero(values > np.percentile(values, percent) + ROUNDING).tolist()


def to_parents(ranked: list[tuple[str, float]], parent_of: dict[str, str]) -> list[tuple[str, float]]:
    """Turn a ranked list of children into one of parents: each once, with the score of its best child, best first.

    `ranked` is [(id of a child, score), ...] in any order; `parent_of` is {id of a child: id of its parent}. Equal
    scores are ordered by the parent's id, ascending. [] gives []. Raises ValueError for a child without a parent.
    Lesson 09, "Search small, return large".

    >>> to_parents([("c3", 9.0), ("c1", 7.0), ("c4", 5.0)], {"c1": "A", "c2": "A", "c3": "B", "c4": "B"})
    [('B', 9.0), ('A', 7.0)]
    """
    best = {}
    for child, score in ranked:
        if child not in parent_of:
            raise ValueError(f"The chunk {child!r} has no parent; parent_of must name one for each child.")
        parent = parent_of[child]
        best[parent] = max(score, best.get(parent, -math.inf))
    return sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))
