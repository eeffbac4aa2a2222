"""Search without an index: look for words in files, narrow, widen, open what matches, and stop.

The problem. A program that reads code or a folder of notes often has no index. It has `grep`: all lines with a word, at
once, in any folder. So it loops: look for a word; too many lines, add a word; none, take one off; few enough, open
them; not found, try the next word. Who writes such a loop with a language model lets the model choose the words. Here
the rules are fixed, so that the loop can be measured against BM25 on the same questions, with no model in it:

    1. words    the words of the question, without the 33 commonest of all and without those that only ask, each once
    2. count    in how many lines each stands; those in none fall away; the rarest first
    3. look     for the rarest word that has not led a search yet
    4. narrow   more than `most_lines` match: of these lines only those with the next rarer word as well
    5. drop     none would be left: leave that word out again, and try the one after it
    6. open     what matches, in the order of paths: each line with `around` lines before and after it
    7. again    from 3, until `budget` lines were read, or no word is left

The loop has no notion of the best: what it opens first is what comes first in the alphabet. Its price is what it reads,
in lines and in tokens, for which a model would be charged; what grep prints is opened right after, and counted once.
BM25 ranks, and its price is the text of its first k chunks. What neither can do is find "amount owing" when asked "what
do we owe": they look for words. Source: S. Yao and others, "ReAct: Synergizing Reasoning and Acting in Language
Models", ICLR 2023, for a loop of looking and acting; the rules are this course's own.
"""

import math

from firstprinciples.corpus import Document
from firstprinciples.index import counted
from firstprinciples.retrieve.splade_checks import whole
from firstprinciples.text import STOP_WORDS, tokenize

MOST_LINES, AROUND, BUDGET = 3, 0, 12  # settled on dev questions: see data/SOURCES.md, Engines
ASKING = frozenset("what which who whom whose when where why how do does did am was were been has have had can could "
                   "may must shall should would will i me my we us our you your he him his she her its them many much "
                   "any some please tell".split())  # words that ask; no page is about them


def price(text: str) -> int:
    """Estimate the tokens of a text as `generate.context.tokens` does: its characters / 4, rounded up.

    >>> price("A red tent")
    3
    """
    return math.ceil(len(text) / 4)


def lines_of(documents: list[Document]) -> list[tuple[str, int, str]]:
    """Return the lines of all documents, (document, number from 1, text), in the order of ids; empty ones left out.

    >>> lines_of([Document("b", "B", "Two\\n\\nThree"), Document("a", "A", "One")])
    [('a', 1, 'One'), ('b', 1, 'Two'), ('b', 3, 'Three')]
    """
    return [(document.id, number, line) for document in sorted(documents, key=lambda document: document.id)
            for number, line in enumerate(document.text.split("\n"), 1) if line.strip()]


def grep(words: list[str], lines: list[tuple[str, int, str]], within: list[int] | None = None) -> list[int]:
    """Return the positions of the lines that hold all of these words, as whole words, upper or lower case, ascending.

    `within` are the positions to look at; None means all.

    >>> grep(["red", "tent"], [("a", 1, "A red tent"), ("a", 2, "a tent"), ("b", 1, "The tent is red.")])
    [0, 2]
    """
    wanted = set(words)
    return [place for place in (range(len(lines)) if within is None else within)
            if wanted <= set(tokenize(lines[place][2]))]


def walk(question: str, documents: list[Document], most_lines: int = MOST_LINES, budget: int = BUDGET,
         around: int = AROUND) -> list[dict]:
    """Return the steps of the loop for a question over documents, by the rules above.

    Each step is {"step": number from 1, "did": "words", "count", "look", "narrow", "drop", "open" or "stop",
    "pattern": words, "lines": how many match, "files": in how many documents, "opened": {"document", "line", "lines":
    numbers, "text"} or None, "read": lines read so far, "tokens": tokens read so far, "why": a sentence}. A line that
    was read before is not read again and costs nothing. Raises ValueError for most_lines and budget that are no
    whole numbers from 1, and around that is none from 0.

    >>> notes = [Document("a", "A", "The tent\\nis red."), Document("b", "B", "A stove")]
    >>> [(step["did"], step["pattern"]) for step in walk("Where is the stove?", notes)]
    [('words', ['stove']), ('count', ['stove']), ('look', ['stove']), ('open', ['stove']), ('stop', [])]
    """
    lines = lines_of(documents)
    return walk_lines(question, lines, words_of(lines), most_lines, budget, around)


def words_of(lines: list[tuple[str, int, str]]) -> dict[str, list[int]]:
    """Return {word: positions of the lines that hold it}: what one grep for each word gives, all at once."""
    found = {}
    for place, (_, _, text) in enumerate(lines):
        for word in dict.fromkeys(tokenize(text)):
            found.setdefault(word, []).append(place)
    return found


def walk_lines(question: str, lines: list[tuple[str, int, str]], found: dict[str, list[int]],
               most_lines: int = MOST_LINES, budget: int = BUDGET, around: int = AROUND) -> list[dict]:
    """Return what `walk` does, for lines and the positions of their words that are at hand already."""
    most_lines, budget = whole(most_lines, "most_lines"), whole(budget, "budget")
    around = whole(around, "around", 0)
    beside = f", and {around} on either side" if around else ""
    steps, seen, spent = [], set(), 0  # seen: positions of the lines that were read

    def note(did, pattern, places, why, opened=None):
        steps.append({"step": len(steps) + 1, "did": did, "pattern": list(pattern), "lines": len(places),
                      "files": len({lines[place][0] for place in places}), "opened": opened, "read": len(seen),
                      "tokens": spent, "why": why})

    words = [word for word in dict.fromkeys(tokenize(question)) if word not in STOP_WORDS | ASKING]
    note("words", words, [], f"{counted(len(words), 'word')} to look for, without those that say nothing.")
    known = sorted((word for word in words if word in found), key=lambda word: (len(found[word]), words.index(word)))
    absent = [word for word in words if word not in found]
    if words:
        rarest = f"the rarest first: {known[0]} is in {counted(len(found[known[0]]), 'line')}." if known else \
            "nothing to look for is left."
        note("count", known, [], (f"In no line: {', '.join(absent)}; " if absent else "") + rarest)
    for first, leader in enumerate(known):
        pattern, places = [leader], found[leader]
        note("look", pattern, places, f"{counted(len(places), 'line')} with {leader!r}.")
        for word in known[first + 1 :]:
            if len(places) <= most_lines:
                break
            fewer = sorted(set(places) & set(found[word]))
            tried = [*pattern, word]
            if fewer:
                note("narrow", tried, fewer, f"{len(places)} lines are more than {most_lines}: also with {word!r}.")
                pattern, places = tried, fewer
            else:
                note("drop", tried, fewer, f"No line has {word!r} as well: leave it out.")
        for place in places:
            if len(seen) >= budget:
                break
            if place in seen:  # opened already, as a neighbor or for another word
                continue
            document, number, _ = lines[place]
            near = [at for at in range(max(place - around, 0), min(place + around + 1, len(lines)))
                    if lines[at][0] == document and at not in seen]
            # where the budget ends, the match itself comes before its neighbors
            near = sorted(sorted(near, key=lambda at, place=place: abs(at - place))[: budget - len(seen)])
            spent += sum(price(lines[at][2]) for at in near)
            seen.update(near)
            opened = {"document": document, "line": number, "text": "\n".join(lines[at][2] for at in near),
                      "lines": [lines[at][1] for at in near]}
            note("open", pattern, places, f"Line {number} of {document}{beside}.", opened)
        if len(seen) >= budget:
            note("stop", [], [], f"{counted(budget, 'line')} read: the budget is spent.")
            return steps
    note("stop", [], [], f"No word is left; {counted(len(seen), 'line')} read.")
    return steps


def read_of(steps: list[dict], document: str) -> str:
    """Return what a walk has read of a document: its lines in their order, each once.

    >>> steps = walk("the red tent", [Document("a", "A", "One\\nThe tent\\n\\nis red.")], around=1)
    >>> read_of(steps, "a").split("\\n")
    ['The tent', 'is red.']
    """
    found = {}
    for step in steps:
        if (opened := step["opened"]) and opened["document"] == document:
            found.update(zip(opened["lines"], opened["text"].split("\n"), strict=True))
    return "\n".join(found[number] for number in sorted(found))


def pieces_read(steps: list[dict], evidence) -> list[bool]:
    """Say of each piece of evidence, {"document", "quote"}, whether a walk has read the whole of its quote.

    White space counts as one space, as where chunks are judged.
    """
    return [" ".join(piece["quote"].split()) in " ".join(read_of(steps, piece["document"]).split())
            for piece in evidence]
