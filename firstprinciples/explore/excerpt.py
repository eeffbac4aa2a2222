"""What of a document fits on a card: its beginning and the places around the words that matched."""

import re
import unicodedata
from functools import lru_cache

from firstprinciples import text

ROOM = 120  # characters of a document that fit on its card


@lru_cache(maxsize=64)
def excerpt(document: str, slots: tuple) -> list[tuple[str, int | None]]:
    """Return what stands on the card: pieces of text, each with the slot of its color or None.

    A long document is shown by its beginning and the places around its first matches, " ... " between them.
    """
    document = " ".join(unicodedata.normalize("NFC", document).split())
    slot = dict(slots)
    hits = [m.span() for m in _pattern(tuple(slot)).finditer(document) if _plain(m.group()) in slot] if slot else []
    if len(document) <= ROOM:
        windows = [[0, len(document)]]
    else:
        windows, left = [[0, 28 if hits else ROOM]], ROOM - 28
        for start, end in hits:
            window = [max(start - 14, 0), min(end + 24, len(document))]
            if window[0] <= windows[-1][1]:
                left -= max(window[1] - windows[-1][1], 0)
                windows[-1][1] = max(window[1], windows[-1][1])
            else:
                left -= window[1] - window[0] + 5
                windows.append(window)
            if left < 30:
                break
    pieces = []
    for start, end in windows:
        start, end = _whole_words(document, start, end, hits)
        if pieces or start > 0:
            pieces.append((" ... ", None))
        at = start
        for left, right in hits:
            if start <= left and right <= end:
                pieces += [(document[at:left], None), (document[left:right], slot[_plain(document[left:right])])]
                at = right
        pieces.append((document[at:end], None))
    if windows[-1][1] < len(document):
        pieces.append((" ...", None))
    return [piece for piece in pieces if piece[0]]


def _plain(word: str) -> str:
    """Return a matched piece of text as the tokenizer writes it."""
    return word.lower().replace("’", "'")


@lru_cache(maxsize=64)
def _pattern(words: tuple[str, ...]) -> re.Pattern:
    """Return what finds these words in a text; only words written without spaces are found inside others."""
    longest = sorted(words, key=len, reverse=True)
    inside = [re.escape(word) for word in longest if text.CJK.search(word)]
    alone = [re.escape(word).replace("'", "['’]") for word in longest if not text.CJK.search(word)]
    kinds = ([rf"(?<![^\W_])(?:{'|'.join(alone)})(?![^\W_])"] if alone else []) + inside
    return re.compile("|".join(kinds), re.IGNORECASE)


def _whole_words(document: str, start: int, end: int, hits) -> tuple[int, int]:
    """Return the window without words cut in two at its edges, as far as its matches allow."""
    inside = [(left, right) for left, right in hits if start <= left and right <= end]
    first, last = (inside[0][0], inside[-1][1]) if inside else (end, start)
    if start > 0 and 0 <= (space := document.find(" ", start, first)):
        start = space + 1
    if end < len(document) and last <= (space := document.rfind(" ", last, end + 1)) and space > start:
        end = space
    return start, end
