"""What is left of a quote where it is not whole: the passage nearest to it, its numbers, the chunks that share it.

The problem. "The document does not hold it" leaves open what happened. Are all words there, in another order? Then two
columns were read across. Only the numbers? Then a table lost its headings. Does one chunk end with the first half and
the next one begin with the second? Then a border runs through it. Words are compared without the signs around them.
"""

import re
from collections import Counter


def nearest(text: str, quote: str) -> tuple[str, int, int, int]:
    """Return what stands nearest to a quote in a text that lacks it: (passage, words together, words there, words).

    The passage is as many words long as the quote, and shares the most with it; the first of equals. "Together" counts
    the words of the quote in it, "there" those anywhere in the text; a word that the quote has twice must be there
    twice. Signs around a word and capitals don't count.

    >>> nearest("Pegs are steel. Poles are sold in pairs, by the dozen.", "Poles are bought in pairs.")
    ('Poles are sold in pairs,', 4, 4, 5)
    """
    spans = [match.span() for match in re.finditer(r"\S+", text)]
    words = [bare_word(text[start:end]) for start, end in spans]
    wanted = Counter(word for word in map(bare_word, quote.split()) if word)
    n, best, at = len(quote.split()), -1, 0
    for first in range(max(len(words) - n + 1, 1)):
        shared = (Counter(words[first : first + n]) & wanted).total()
        if shared > best:
            best, at = shared, first
    last = min(at + n, len(spans)) - 1
    passage = text[spans[at][0] : spans[last][1]] if spans else ""
    return passage, max(best, 0), (Counter(words) & wanted).total(), wanted.total()


def bare_numbers(text: str, quote: str) -> bool:
    """Say whether all the numbers of a quote, two or more, are in a text, and at most half of its other words.

    >>> bare_numbers("31 3,720 $4.85", "Larkfly fabric, heron gray | 31 | 3,720 | $4.85")
    True
    """
    words, there = [word for word in map(bare_word, quote.split()) if word], set(map(bare_word, text.split()))
    numbers = [word for word in words if not any(sign.isalpha() for sign in word)]
    rest = [word for word in words if word not in numbers]
    return len(numbers) > 1 and there.issuperset(numbers) and 2 * sum(word in there for word in rest) <= len(rest)


def shared_out(quote: str, chunks: list[dict]) -> list[tuple[str, int, int]]:
    """Return which words of a quote, from 1, the chunks hold in one piece: [(id, first, last)], one after the other.

    From the first word on the chunk that holds the longest run of words from there is taken, the first of equals, then
    from the next word on; a word that no chunk has is passed over.

    >>> chunks = [{"id": "a#1", "text": "Poles are sold in"}, {"id": "a#2", "text": "pairs only."}]
    >>> shared_out("sold in pairs only.", chunks)
    [('a#1', 1, 2), ('a#2', 3, 4)]
    """
    words, at, out = quote.split(), 0, []
    split = [(chunk["id"], chunk["text"].split()) for chunk in chunks]
    while at < len(words):
        best, longest = "", 0
        for id, inside in split:
            for start in [place for place, word in enumerate(inside) if word == words[at]]:
                run = 0
                while inside[start + run : start + run + 1] == words[at + run : at + run + 1] != []:
                    run += 1
                if run > longest:
                    best, longest = id, run
        if longest:
            out.append((best, at + 1, at + longest))
        at += max(longest, 1)
    return out


def blank_line_in(text: str, quote: str) -> bool:
    r"""Say whether a blank line runs through the quote where it stands in a text.

    >>> blank_line_in("Prices:\n\n| Peg | $2 |", "Prices: | Peg"), blank_line_in("Prices:\n| Peg |", "Prices: | Peg")
    (True, False)
    """
    found = re.search(r"\s+".join(map(re.escape, quote.split())), text)
    return bool(found and re.search(r"\n[^\S\n]*\n", found.group()))


def bare_word(word: str) -> str:
    """Return a word in lower case, without the signs at its ends; of a word of signs alone nothing is left.

    >>> bare_word("($4.85)"), bare_word("|")
    ('4.85', '')
    """
    return re.sub(r"^\W+|\W+$", "", word.lower())
