"""The context: from chunks that were found to the prompt that a language model reads.

The problem. A search gives back a list of chunks. A model takes one text. Between them somebody has to decide how much
of it there may be, what it costs, in which order it stands, and by which number a page can be cited. Three facts rule
that desk:

1. Every question pays for its whole prompt, every time. Prices are dollars for a million tokens, pieces of words:

       dollars = tokens of one prompt * questions * price / 1,000,000

2. There is room for so many tokens and no more, and weak chunks take the room of strong ones.
3. A model reads the middle of a long prompt worst. In the paper one page out of 20 held the answer; the same model
   gave it for 75.8 percent of the questions where that page stood first, for 53.8 percent where it stood tenth, and
   for 63.2 percent where it stood last. Without any page it was right for 56.1 percent.

So chunks are put best first, or best last, next to the question; or at both ends, with the weakest in the middle.
A "source" here is one chunk on the desk, a dict {"id", "document", "page", "text"}; its number is its place in the
prompt, from 1. Source: N. Liu and others, "Lost in the middle: how language models use long contexts", TACL 2024
(arXiv 2307.03172, July 2023), tables 1, 3, 5, 6 and 7. Those numbers are theirs, with models of 2023; a page of theirs
is a passage of Wikipedia of at most 100 tokens. Nothing of the kind was measured here.
"""

import math
from dataclasses import dataclass

import numpy as np

from firstprinciples.generate.checks import from_task
from firstprinciples.index import shown
from firstprinciples.ingest.checks import whole
from firstprinciples.rank.checks import at_least
from firstprinciples.retrieve import ids_of

NOTE = ("Answer the question from the pages below, and only from them. After each fact put the number of the page that "
        "says it in brackets, like this: [1]. If the pages do not say it, answer: I couldn't find that.")
PRICE = 0.25  # dollars for a million tokens that a model reads (Claude 3 Haiku, March 2024), as in lesson 10
BUDGET = 1500  # tokens for the pages of a prompt, unless told otherwise
ORDERS = ("best_first", "best_last", "both_ends")

# Percent of the questions answered rightly, {pages in the prompt: {place of the page with the answer: percent}}
PUBLISHED = {10: {1: 76.8, 5: 61.2, 10: 62.4},  # GPT-3.5-Turbo, table 5
             20: {1: 75.8, 5: 57.2, 10: 53.8, 15: 55.4, 20: 63.2},  # GPT-3.5-Turbo, table 6
             30: {1: 73.4, 5: 55.1, 10: 50.5, 15: 50.9, 20: 51.8, 25: 54.9, 30: 63.7}}  # the one for 16K, table 7
LONGEST = 100  # tokens of such a page at most; a prompt with 20 of them had 2,946 on average: table 3
CLOSED_BOOK, ORACLE = 56.1, 88.3  # GPT-3.5-Turbo without any page, and with the one page that holds it: table 1
# The same curves by relative place, 0 the start of the pages and 1 their end: what `along` takes
LOST = {n: {(place - 1) / (n - 1): percent for place, percent in curve.items()} for n, curve in PUBLISHED.items()}


def tokens(text: str) -> int:
    """Estimate how many tokens a model makes of a text: its characters / 4, rounded up.

    Each model cuts words by a list of its own; this rule knows none of them. On Larkspur's documents together it is 1
    percent below MiniLM's WordPiece, and on one of them between 23 percent below (a table full of numbers) and 13
    percent above. Spaces and line breaks are characters, too; "" has 0 tokens. Raises ValueError for what is no string.
    Lesson 01, "What pasting everything costs".

    >>> tokens("The total due is $1,284.50.")
    7
    """
    return math.ceil(len(_text(text)) / 4)


def bill(tokens_a_question: float, questions: float, price: float) -> float:
    """Return what the prompts of so many questions cost, in dollars.

    That is tokens_a_question * questions * price / 1,000,000: `tokens_a_question` is the length of one prompt, and
    `price` is dollars for a million tokens. What the model writes is not in it. The result is a float. Raises
    ValueError unless each of the three is a finite number, 0 or more (True is none).
    Lesson 01, "What pasting everything costs".

    >>> bill(56_000, 10_000, price=0.25)
    140.0
    """
    counted = [_number(value, name) for value, name in ((tokens_a_question, "The number of tokens"),
                                                        (questions, "The number of questions"), (price, "The price"))]
    return math.prod(counted) / 1_000_000


def along(curve: dict[float, float], position: int, n: int) -> float:
    """Read a curve at one place among n: straight lines between the points that it has.

    `curve` is {relative place: value}, its points in any order. Relative places go from 0, the first of the n places,
    to 1, the last: position p of n, counted from 1, has (p - 1) / (n - 1), and the only place of n = 1 has 0. Between
    two points lies a straight line; before the first point the value is that of the first, after the last that of the
    last.
    Raises ValueError for an empty curve, what is no finite number in it, n < 1, and a position that is not in 1 ... n.
    Lesson 01, "Where the fact stands".

    >>> along({0.0: 76.0, 0.5: 54.0, 1.0: 64.0}, position=4, n=5)
    59.0
    """
    n, position = whole(n, "n"), whole(position, "position")
    if position > n:
        raise ValueError(f"position is {position} and n is {n}; a position is one of 1 ... n.")
    points = np.array(sorted(curve.items()), dtype=float)
    if not len(points) or not np.isfinite(points).all():
        raise ValueError("The curve needs a point or more, {relative place: value}, all of them finite numbers.")
    place = (position - 1) / (n - 1) if n > 1 else 0.0
    return float(np.interp(place, points[:, 0], points[:, 1]))


def best_last(ids: list) -> list:
    """Return the ids with the best one last, next to the question: the order turned round.

    `ids` is a list, best first. The list handed in stays as it is; [] gives [].
    Lesson 18, "In which order".

    >>> best_last(["a", "b", "c"])
    ['c', 'b', 'a']
    """
    return list(ids)[::-1]


def both_ends(ids: list) -> list:
    """Return the ids with the best one first, the second best last, the third second, ..., the weakest in the middle.

    `ids` is a list, best first. So its places 1, 3, 5, ... stand at the front in their order, and the places 2, 4, 6,
    ... behind them, turned round. The list handed in stays as it is; [] gives [].
    Lesson 18, "In which order".

    >>> both_ends(["a", "b", "c", "d", "e"])
    ['a', 'c', 'e', 'd', 'b']
    """
    ids = list(ids)
    return ids[::2] + ids[1::2][::-1]


def fit(lengths: list[int], budget: int) -> list[int]:
    """Return which chunks go in: their positions, from 0, in order, as long as they fit into the budget together.

    `lengths` are the tokens of each chunk, best chunk first. One after the other is taken if what was taken so far and
    it are at most `budget`. One that is too long is passed over, and a shorter one behind it may still go in; a chunk
    of 0 tokens always fits. No lengths give []. Raises ValueError for a length or a budget that is negative or no
    whole number.
    Lesson 18, "What fits".

    >>> fit([300, 900, 250], budget=600)
    [0, 2]
    """
    left, kept = whole(budget, "budget", least=0), []
    for position, length in enumerate(lengths):
        length = whole(length, "A length", least=0)
        if length <= left:
            kept.append(position)
            left -= length
    return kept


def label(number: int, document: str, page: int) -> str:
    """Return the line above a page in the prompt: the number to cite it by, its document, its page.

    `number` and `page` are counted from 1. Raises ValueError for one that is no whole number from 1.
    Lesson 18, "The prompt".

    >>> label(1, "invoice-1042", 2)
    '[1] invoice-1042, page 2'
    """
    return f"[{whole(number, 'The number')}] {_text(document)}, page {whole(page, 'The page')}"


def prompt(question: str, sources: list[dict], note: str) -> str:
    """Return the text that the model reads: the note, then each source under its label, then the question.

    A source is a dict {"id", "document", "page", "text"}. Its label is "[1] invoice-1042, page 2", with the number of
    its place in the list from 1, its document and its page; its text begins on the next line. The question is the last
    line, after "Question: ". Between note, sources and question stands one blank line each; a note "" is left out with
    its blank line, and without sources note and question follow each other. Texts are taken as they are. Raises
    ValueError for what is no such source, and for a question or note that is no string.
    Lesson 18, "The prompt".

    >>> page = {"id": "invoice-1042#7", "document": "invoice-1042", "page": 2, "text": "Total due: $1,284.50"}
    >>> print(prompt("How much is due?", [page], "Cite pages as [1]."))
    Cite pages as [1].
    <BLANKLINE>
    [1] invoice-1042, page 2
    Total due: $1,284.50
    <BLANKLINE>
    Question: How much is due?
    """
    parts = [_text(note)] * bool(note)
    for number, source in enumerate(sources, 1):
        if not (isinstance(source, dict) and {"document", "page", "text"} <= source.keys()):
            raise ValueError(f'Source {number} is {shown(source)}; a source is {{"id", "document", "page", "text"}}.')
        parts.append(f"{label(number, source['document'], source['page'])}\n{_text(source['text'])}")
    return "\n\n".join([*parts, f"Question: {_text(question)}"])



@dataclass(frozen=True)
class Context:
    """What lies on the desk: `sources` in the order of the prompt, numbered from 1, the prompt's `text` and `tokens`.

    `left_out` holds (id, why) for each chunk that was found and does not go in, in the order of the search.
    """

    sources: list[dict]
    text: str
    tokens: int
    left_out: list[tuple[str, str]]


def lay_out(hits, chunks, budget: int = BUDGET, order: str = "best_first", most: int = 5, note: str = NOTE,
            question: str = "") -> Context:
    """Make a prompt of what a search found: which chunks go in, in which order, under which numbers.

    `hits` are Hits or ids, best first. `chunks` are those that were searched, as a list or as {id: chunk}. Gone through
    from the best one on, a chunk is left out where it holds nothing that is not in a chunk of the same document above
    it (chunks that overlap), where it is too long for what is left of the budget, and where `most` are in already. The
    budget is for the pages with their labels; the note and the question come on top, and `tokens` counts it all.
    `order` is one of ORDERS; the sources are numbered as they stand in the prompt. Raises ValueError for an order,
    a budget or a number that is none, KeyError for an id that no chunk has.

    >>> desk = lay_out(["0", "2", "1"], ["Total due: $1,284.50", "A stove", "A tent"], order="best_last", most=2)
    >>> [source["id"] for source in desk.sources], desk.left_out
    (['2', '0'], [('1', '2 are in already')])
    """
    budget, most = whole(budget, "budget", least=0), whole(most, "most")
    if order not in ORDERS:
        raise ValueError(f"There is no order {shown(order)}; choose one of {', '.join(ORDERS)}.")
    known = chunks if isinstance(chunks, dict) else dict(zip(ids_of(chunks := list(chunks)), chunks, strict=True))
    found, why = {}, {}
    for hit in hits:
        id = hit[0] if isinstance(hit, tuple) and hit else hit
        if not isinstance(id, str):
            raise ValueError(f"{shown(hit)} is no hit: hits are ids, or have one in front, best first.")
        if id not in known:
            raise KeyError(f"There is no chunk {id!r} among those given.")
        if id not in found:
            found[id] = _source(id, known[id])
    new, flat = [], {id: " ".join(source["text"].split()) for id, source in found.items()}
    for id, source in found.items():
        above = next((other for other in new if found[other]["document"] == source["document"]
                      and flat[id] in flat[other]), None)
        if flat[id] and above is None:
            new.append(id)
        else:
            why[id] = f"all of it is in {above}" if flat[id] else "there is no text in it"
    lengths = [_length(found[id], most) for id in new]
    fits = from_task("context.fit", lambda: fit(lengths, budget), lambda kept: _some_of(kept, len(lengths)),
                     f"a list of positions from 0 to {len(lengths) - 1}, each once")
    ids = [new[position] for position in fits][:most]
    for position, id in enumerate(new):
        if position not in fits:
            why[id] = f"too long for what is left of the budget ({lengths[position]} tokens)"
        elif id not in ids:
            why[id] = f"{most} are in already"
    if order != "best_first":
        turned = {"best_last": best_last, "both_ends": both_ends}[order]
        ids = from_task(f"context.{order}", lambda: turned(list(ids)), lambda value: isinstance(value, list)
                        and sorted(map(str, value)) == sorted(ids), "the ids that it got, in another order")
    sources = [found[id] for id in ids]
    text = from_task("context.prompt", lambda: prompt(question, [dict(source) for source in sources], note),
                     lambda value: isinstance(value, str), "the prompt, a string")
    return Context(sources, text, _tokens(text), [(id, why[id]) for id in found if id in why])


def _source(id: str, chunk) -> dict:
    """Return a chunk as a source; a plain string is a document of its own with one page."""
    if isinstance(chunk, str):
        return {"id": id, "document": id, "page": 1, "text": chunk}
    return {"id": id, "document": chunk.document or id, "page": chunk.page, "text": chunk.text}


def _length(source: dict, number: int) -> int:
    """Return the tokens of a source with its label, under a number."""
    above = from_task("context.label", lambda: label(number, source["document"], source["page"]),
                      lambda value: isinstance(value, str), "the line above a page, a string")
    return _tokens(f"{above}\n{source['text']}\n\n")


def _tokens(text: str) -> int:
    """Return what `tokens` gives for a text, the learner's function, too."""
    return from_task("context.tokens", lambda: tokens(text),
                     lambda value: isinstance(value, int) and value >= 0, "a whole number, 0 or more")


def _some_of(positions, n: int) -> bool:
    """Say whether these are different whole numbers from 0 to n - 1."""
    return (isinstance(positions, list) and all(type(position) is int and 0 <= position < n for position in positions)
            and len(set(positions)) == len(positions))


def _text(text) -> str:
    """Return a text as it is. Raises ValueError for what is no string."""
    if not isinstance(text, str):
        raise ValueError(f"A text is a string, and {shown(text)} is none.")
    return text


def _number(value, name: str) -> float:
    """Return a number as a float. Raises ValueError unless it is finite and 0 or more; True is no number here."""
    if isinstance(value, bool) or not at_least(0, value):
        raise ValueError(f"{name} is {shown(value)}; it must be a finite number, 0 or more.")
    return float(value)
