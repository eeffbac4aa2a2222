"""What can be quoted from a page, and what a question says: the lines and the words that the reader compares.

The problem. A quote must be short enough to be an answer and whole enough to be understood. A sentence is both. So is a
row of a table, if one knows what its columns are: it is read together with their header. Of a question, words such as
"how" and "still" say little about what is asked, and "owe" in it may be "due" on the page: the word lists are those of
`words`, which were made for rewriting questions, without a look at any document.
"""

import re
from functools import lru_cache

from firstprinciples.generate.checks import as_text
from firstprinciples.generate.words import COMMON, SYNONYMS
from firstprinciples.ingest.chunking import sentences
from firstprinciples.text import stem, tokenize

RULE = re.compile(r"\|[|:\-\s]+")  # the line below the header of a table
# a row of sums: "All | 4", "All lines | 4", "Total due | $4"; "All Saints | 4" and "All-weather tent | 4" are names
TOTAL = re.compile(r"(?:(?i:all|altogether|sum|together)\b(?!-| +[A-Z])|(?i:(?:sub)?totals?)\b(?!-))[^|]*\|")
# "which of", "which invoices", "which open invoices do", "what are the", "who all", "list the"; "which stove needs" is
# for one thing, and so is "which bus"
SEVERAL = re.compile(r"\b(?:which|what) of\b|\bwhich (?!(?:is|was|does|has)\b)\w\w+(?<![siu])s\b|"
                     r"\b(?:which|what) (?:\w+ )?\w+(?<![siu])s (?:are|were|do|did|have|had|can|must|should|will|we)\b|"
                     r"\b(?:what|who) (?:are|were)\b|\bwho all\b|\b(?:list|name) (?:all|the)\b", re.IGNORECASE)


@lru_cache(maxsize=10_000)  # a desk is often read again: with another question, threshold or order
def words_in(text: str) -> frozenset[str]:
    """Return the different words of a text, without stop words and endings.

    >>> sorted(words_in("The invoices are in the box"))
    ['box', 'invoic']
    """
    return frozenset(tokenize(text, stop_words=True, stem=True))


PLAIN = words_in(" ".join(COMMON))  # words that say little about what is asked
OTHERS = {}  # stem -> stems that may stand for it
for _word, _others in SYNONYMS.items():
    OTHERS.setdefault(stem(_word), set()).update(map(stem, _others))


def telling(question: str) -> frozenset[str]:
    """Return the words of a question that say what is asked; all of its words where none does.

    >>> sorted(telling("How much do they still owe us?")), sorted(telling("Who is it?"))
    (['ow'], ['who'])
    """
    words = words_in(question)
    return words - PLAIN or words


def held_by(words: frozenset[str], asked) -> frozenset:
    """Return which words of a question a line holds, by themselves or by a word that may stand for them.

    >>> held_by({"invoic", "due"}, ["bill", "ow", "march"]) == {"bill", "ow"}
    True
    """
    return frozenset(word for word in asked if word in words or not words.isdisjoint(OTHERS.get(word, ())))


def wants_several(question: str) -> bool:
    """Say whether a question is for several things, by its form: "which of them", "which invoices", "who all", "list".

    >>> wants_several("Which of them still owe us?"), wants_several("Which invoice is open?")
    (True, False)
    """
    return bool(SEVERAL.search(as_text(question)))


TITLE = re.compile(r"\s*([^\s#|\-*>][^\n]{0,79}(?<![\s.!?:;,。！？।]))[ \t\r]*\n[ \t\r]*\n\s*\S")


def title(text: str) -> str:
    r"""Return the first line of a text where it is the title of a plain file: short, alone, and no sentence.

    That is a line of at most 80 signs, with a blank line and more text behind it, without an end mark. Else "".

    >>> title("INVOICE 2003\n\nThe total is $40.\n"), title("The total is $40.\n\nIt is due.")
    ('INVOICE 2003', '')
    """
    found = TITLE.match(text)
    return found.group(1) if found else ""


def spans(text: str) -> list[tuple[int, int, str]]:
    r"""Return the lines of a text that can be quoted: (start, end, header), the header "" but for the row of a table.

    A line is a sentence, or the row of a table without the | at its ends. Titles, headings, headers and rules are none.

    >>> text = "# Prices\n\nAll in dollars.\n\n| Part | Price |\n|---|---|\n| LK-2 | 4 |\n"
    >>> [(text[start:end], header) for start, end, header in spans(text)]
    [('All in dollars.', ''), ('LK-2 | 4', 'Part | Price')]
    """
    out, header, pieces, above = [], "", sentences(text), TITLE.match(text)
    for place, (start, end) in enumerate(pieces):
        piece = text[start:end]
        if re.match(r"#{1,6}\s", piece) or (above and start < above.end(1)):
            continue
        row = piece.startswith("|")
        if row and RULE.fullmatch(piece):
            continue
        after = text[slice(*pieces[place + 1])] if row and place + 1 < len(pieces) else ""
        start, end = _inside(text, start, end) if row else (start, end)
        if not row:
            header = ""
        elif RULE.fullmatch(after):
            header = text[start:end]
            continue
        if any(sign.isalnum() for sign in text[start:end]):
            out.append((start, end, header or "|" if row else ""))
    return out


def _inside(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span of a row without the | and the white space at its ends."""
    while start < end and (text[start] == "|" or text[start].isspace()):
        start += 1
    while start < end and (text[end - 1] == "|" or text[end - 1].isspace()):
        end -= 1
    return start, end
