"""A language model so small that it can be looked through: from the words so far it gives each next word a chance.

The problem. What does a model know without a page in front of it? Whatever it has read is no longer there as text: it
has become numbers, here counts of which word followed which words, in a large model billions of weights. Such memory
is called parametric. It can be asked for any next word and always has one; it can't say where it read it, and what it
never read it can't give. A page put before it is the other kind, non-parametric: it can be changed, taken away, cited.

1. From memory. The chance of a word is its share of what followed the last three words before, mixed with what
   followed the last two, the last one, and any word at all (I. Witten and T. Bell, 1991). After a context seen n times
   with t different next words the memory is trusted with n / (n + t), and the shorter context gets the rest.
2. From the page. The next word is looked for where the page reads most like the words so far: each word of the page
   counts by how many of the six words before it are among ours. So U. Khandelwal and others did it in 2020 with
   vectors in place of words (kNN-LM); a large model learns to do it, and calls it attention.

       p(word) = (1 - trust) * p from memory + trust * p from the page        trust = 0 is the closed book

"Parametric" and "non-parametric" memory side by side is how P. Lewis and others described RAG in 2020.
"""

import re
from collections import Counter, defaultdict

WORD = re.compile(r"\$?\d[\d,.]*\d|\w+(?:['’.-]\w+)*|[^\w\s]")
ORDER = 3  # how many words before the next one the memory looks at
REACH = 6  # and how many the reading of a page compares
SHARP = 3  # how much more a place counts that has one more word in common


def words(text: str) -> list[str]:
    """Return the words and signs of a text; a sum of money is one word.

    >>> words("The total due is $1,284.50, payable within 30 days.")
    ['The', 'total', 'due', 'is', '$1,284.50', ',', 'payable', 'within', '30', 'days', '.']
    """
    return WORD.findall(text)


def written(words: list[str]) -> str:
    """Return words as a text: a space before each, but none before . , ; : ? ! ) and % and none after (.

    >>> written(["The", "total", "(", "with", "tax", ")", "is", "$9.50", "."])
    'The total (with tax) is $9.50.'
    """
    return re.sub(r" (?=[.,;:?!)%])|(?<=\() ", "", " ".join(words))


class NextWord:
    """What somebody remembers who read these texts and has given them away: how often which word came after which.

    >>> memory = NextWord(["the total due is $9.50 .", "the total due is $7.00 ."])
    >>> chances = memory.chances(["total", "due", "is"])
    >>> round(chances["$9.50"], 3), round(chances["$7.00"], 3), chances.get("$8.00", 0.0)
    (0.448, 0.448, 0.0)
    """

    def __init__(self, texts: list[str]):
        self.after = defaultdict(Counter)  # the words before, in lower case -> how often each word came next
        for text in texts:
            seen = words(text)
            small = [word.lower() for word in seen]
            for place, word in enumerate(seen):
                for size in range(min(ORDER, place) + 1):
                    self.after[tuple(small[place - size : place])][word] += 1

    def chances(self, before: list[str]) -> dict[str, float]:
        """Return {next word: chance} after the words before; the chances add up to 1. Raises ValueError without texts.
        """
        if not self.after:
            raise ValueError("Nothing was read, so there is no word to give.")
        small, out, left = [word.lower() for word in before], {}, 1.0
        for size in range(min(ORDER, len(small)), -1, -1):
            seen = self.after.get(tuple(small[len(small) - size :]))
            if seen:
                total = sum(seen.values())
                trust = left * (total / (total + len(seen)) if size else 1.0)
                for word, count in seen.items():
                    out[word] = out.get(word, 0.0) + trust * count / total
                left -= trust
        return out


def from_page(page: list[str], before: list[str]) -> dict[str, float]:
    """Return {next word: chance} as a page has it, most where the page reads like the words before; {} for no page.

    A place of the page counts 3 ** (how many different words of the last six before it are among our last six words);
    one whose last word is not our last word counts nothing, unless no place has it.

    >>> page = words("The total due on this invoice is $1,284.50. Shipping is not taxed.")
    >>> {word: round(chance, 3) for word, chance in from_page(page, words("its total due is")).items()}
    {'$1,284.50': 0.9, 'not': 0.1}
    """
    ours, small = {word.lower() for word in before[-REACH:]}, [word.lower() for word in page]
    places = [place for place in range(1, len(page)) if before and small[place - 1] == before[-1].lower()]
    counted = Counter()
    for place in places or range(1, len(page)):
        counted[page[place]] += SHARP ** len(ours & set(small[max(place - REACH, 0) : place]))
    total = sum(counted.values())
    return {word: count / total for word, count in counted.items()}


def mixed(memory: dict[str, float], page: dict[str, float], trust: float) -> dict[str, float]:
    """Return (1 - trust) * the chances from memory + trust * those from the page; without a page those from memory.

    >>> mixed({"$9.50": 0.5, "$7.00": 0.5}, {"$1,284.50": 1.0}, trust=0.5)
    {'$9.50': 0.25, '$7.00': 0.25, '$1,284.50': 0.5}
    """
    if not page:
        return dict(memory)
    return {word: (1 - trust) * memory.get(word, 0.0) + trust * page.get(word, 0.0) for word in {**memory, **page}}


def drawn(chances: dict[str, float], u: float) -> str:
    """Draw a word: in proportion to their chances, among those that have half the chance of the likeliest or more.

    `u` is a number from 0 to below 1, handed in so that a draw can be repeated. Words stand by chance, equal ones by
    themselves, ascending.

    >>> drawn({"$9.50": 0.4, "$7.00": 0.4, "blue": 0.1}, 0.3), drawn({"$9.50": 0.4, "$7.00": 0.4, "blue": 0.1}, 0.9)
    ('$7.00', '$9.50')
    """
    half = max(chances.values()) / 2
    likely = sorted((pair for pair in chances.items() if pair[1] >= half),
                    key=lambda pair: (-round(pair[1], 12), pair[0]))
    at = u * sum(chance for _, chance in likely)
    for word, chance in likely:
        at -= chance
        if at < 0:
            return word
    return likely[-1][0]
