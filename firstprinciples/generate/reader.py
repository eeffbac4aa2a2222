"""The reader: lines quoted from the pages on the desk, each with its receipt; or silence.

The problem. `answer` has the pieces; here they are put together. A line is what can be quoted: a sentence, or a row of
a table, which is read together with the header of its columns and quoted without it. For each line on the desk

    score = (support by its own words + support by these and the headings and the name of its file) / 2

since "The total due is $962.40" does not say of which invoice. The best line is quoted if the reader is sure enough.
A question that says little proves little, even where all of it is found, so

    confidence = score * n / (n + 5)          n = rarity of the question's words / rarity of the rarest word there is

A question for several things ("which of them ...?") has its answer on several lines. What was said before chooses the
chunks, the words of the question itself choose the lines in them: a line counts as much as the surest line of its
chunk, times its own support. Each row of a table stands for itself, each document of prose gives its best line, and
those nearly as good as the best are quoted.

A language model in place of the rules is asked with the prompt of `context`. Its answer is taken only with receipts
that hold (`answer.unsupported`; of its numbers, those in digits) and none of its own making; otherwise the rules
answer, and the note says why. This is a reader of words: it finds
no answer in other words than the question's, it can't add up, and "is not paid" holds the word "paid". How often that
goes wrong is measured in lesson 18.
"""

import math
import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass

import numpy as np

from firstprinciples.generate import answer, context
from firstprinciples.generate.checks import as_text, from_task, is_texts
from firstprinciples.generate.lines import TOTAL, held_by, spans, telling, title, wants_several, words_in
from firstprinciples.generate.llm import ask
from firstprinciples.generate.replies import CITED, RECEIPT, claims, is_silence, plain_digits
from firstprinciples.index import shown
from firstprinciples.rank.checks import at_least, whole
from firstprinciples.retrieve import bm25, ids_of, listed

THRESHOLD = 0.163  # settled on dev questions by a rule, see data/SOURCES.md
DOUBT = 5  # a question worth so many of the rarest words counts half
NEARLY = 0.9  # of what the best line counts: the lines that answer a question for several things
LINES = 12  # and how many of them at most
SAMPLE = 1000  # chunks from which the rarity of words is taken


@dataclass(frozen=True)
class Quote:
    """One line of a document, word by word: `text` is document.text[start:end], and `chunk` the id of its chunk."""

    text: str
    chunk: str
    document: str
    page: int
    start: int
    end: int


@dataclass(frozen=True)
class Answer:
    """What comes back: one line as `text`, "Answer: ...", the `quotes` behind it, and how sure the reader is, 0 to 1.

    Without an answer `text` is "Answer: I couldn't find that.", and there are no quotes; `confidence` is that of the
    best line all the same. `by` is "rules" or "llm"; `note` says in words what happened, `problem` what went wrong with
    a model.
    """

    text: str
    quotes: tuple[Quote, ...]
    confidence: float
    by: str
    note: str
    problem: str = ""


@dataclass(frozen=True)
class Line:
    """A line that can be quoted, and how sure the reader is of it: `score`; `own` is its support by the words asked.

    `group` is what gives one line to the answer of a question for several things: the row itself, or the document.
    """

    quote: Quote
    group: str
    score: float
    own: float


class Reader:
    """Answers from the pages on the desk: `read(question, desk)` quotes, or says that it couldn't find that.

    `chunks` are those of the collection, from which it learns how rare a word is: Chunk objects or plain strings.
    `threshold` is how sure it must be, from 0, reckless, to 1, silent; `most` how many lines answer a question for one
    thing. `documents` give each line a page of its own where a chunk runs over several. `llm` is any function from a
    text to a text. Raises TypeError for what are no chunks and no function, ValueError for numbers that are none.

    >>> pages = ["Tents are aired on Monday.", "The stove needs gas. It is checked in May.", "Ropes are cut."]
    >>> desk = [{"id": "1", "document": "stoves", "page": 3, "text": pages[1]}]
    >>> Reader(pages).read("When is the stove checked?", desk).text
    'Answer: It is checked in May. [stoves, page 3]'
    """

    def __init__(self, chunks, threshold: float = THRESHOLD, most: int = 1, documents=(), llm=None):
        chunks = listed(chunks, "Reader([text])")
        if not at_least(0, threshold) or threshold > 1:
            raise ValueError(f"The threshold is {shown(threshold)}; it is a number from 0 to 1.")
        if llm is not None and not callable(llm):
            raise TypeError(f"llm is a function from a text to a text; {shown(llm)} can't be called.")
        self.threshold, self.most, self.llm = threshold, whole(most, "most"), llm
        self.starts = {id: getattr(chunk, "start", 0) for id, chunk in zip(ids_of(chunks), chunks, strict=True)}
        self.pages = {document.id: document.pages for document in documents}
        some = chunks[:: -(-len(chunks) // SAMPLE)]
        self.counts = Counter(word for chunk in some for word in words_in(getattr(chunk, "text", chunk)))
        self.n = len(some)

    def read(self, question: str, desk, asked: str = "") -> Answer:
        """Answer a question from a `Context`, or from a list of its sources, {"id", "document", "page", "text"}.

        `asked` is the question as it was typed, where `question` has words of the conversation besides: it says whether
        several things are asked for, and which words a line must hold then. Raises ValueError for what are no sources.
        """
        sources, asked = as_sources(desk), as_text(asked) or as_text(question)
        problem = ""
        if self.llm is not None:
            said = self._model(question, desk, sources)
            if isinstance(said, Answer):
                return said
            problem = said
        lines = self.lines(question, sources, asked)
        surest = max((line.score for line in lines), default=0.0)
        if wants_several(asked):
            kept = self._several(lines) if surest >= self.threshold else []
        else:
            kept = self._chosen("best_quotes", lines, lambda: answer.best_quotes(
                [line.score for line in lines], self.threshold, self.most))
        quotes = tuple(lines[place].quote for place in kept)
        note = (f"The surest of {len(lines)} lines has {surest:.2f}, and {self.threshold:g} is enough: "
                f"{len(quotes) or 'none'} quoted.")
        return Answer(_line_of(quotes), quotes, surest, "rules", f"{problem} {note}".strip(), problem)

    def lines(self, question: str, sources: list[dict], asked: str = "") -> list[Line]:
        """Return each line of the sources, in their order and none twice, with how sure the reader is of it."""
        words, own = telling(question), telling(asked or question)
        parts = [part for part in ([words] if own == words else [words, own]) if part]
        rarity = {word: self.rarity(word) for part in parts for word in part}
        worth = math.fsum(rarity[word] for word in words) / self.rarity("")
        found = {}
        for source in sources:
            first, place = self.starts.get(source["id"], 0), _place(source)
            for start, end, header in spans(source["text"]):
                quote = Quote(source["text"][start:end], source["id"], source["document"],
                              self._page(source, first + start), first + start, first + end)
                inside = words_in(f"{header} {quote.text}")
                both = [held_by(each, rarity) for each in (inside, inside | place)]
                support = [sum(self._support(part, held, rarity) for held in both) / 2 for part in parts] or [0.0]
                score = sum(support) / len(support) * worth / (worth + DOUBT)
                group = f"{quote.document} {quote.start}" if header else quote.document
                found.setdefault((quote.document, quote.start, quote.text), Line(quote, group, score, support[-1]))
        return list(found.values())

    def rarity(self, word: str) -> float:
        """Return how rare a word is in the collection, or an even sample of it; one never seen is like one seen once.

        >>> Reader(["red tents", "red stoves", "blue ropes"]).rarity("red") < Reader(["red"]).rarity("") * 9
        True
        """
        df = max(1, self.counts[word])
        return from_task("bm25.idf", lambda: bm25.idf(self.n, df), lambda value: at_least(0, value) and value > 0,
                         "a number above 0")

    def _support(self, part: frozenset, held: frozenset, rarity: dict) -> float:
        """Return what `answer.support` gives, the learner's function, too."""
        return from_task("answer.support", lambda: answer.support(sorted(part), sorted(held), dict(rarity)),
                         lambda value: at_least(0, value) and value <= 1 + 1e-9, "a number from 0 to 1")

    def _several(self, lines: list[Line]) -> list[int]:
        """Return the places of the lines that answer a question for several things; rows of totals are no things."""
        surest = {}
        for line in lines:
            surest[line.quote.chunk] = max(line.score, surest.get(line.quote.chunk, 0.0))
        counts = [0.0 if TOTAL.match(line.quote.text) else surest[line.quote.chunk] * line.own for line in lines]
        enough = NEARLY * max(counts, default=0.0)
        return self._chosen("best_of_each", lines, lambda: answer.best_of_each(
            list(counts), [line.group for line in lines], enough))[:LINES] if enough > 0 else []

    def _chosen(self, task: str, lines: list[Line], function) -> list[int]:
        """Return the places that a task gives: different whole numbers, each with a line."""
        return from_task(f"answer.{task}", lambda: _listed(function()), lambda value: isinstance(value, list) and all(
            type(place) is int and 0 <= place < len(lines) for place in value) and len(set(value)) == len(value),
            "a list of positions, each once")

    def _page(self, source: dict, start: int) -> int:
        """Return the page on which a line begins: that of its chunk, unless the documents are known."""
        marks = self.pages.get(source["document"], ()) if source["id"] in self.starts else ()
        before = bisect_right(marks, start, key=lambda mark: mark[0])  # offsets ascend
        return marks[before - 1][1] if before else source["page"]

    def _model(self, question: str, desk, sources: list[dict]):
        """Return the answer of a model with receipts that hold, or the sentence on why there is none."""
        text = getattr(desk, "text", "")
        if not text.endswith(f"Question: {question}"):  # the prompt of a desk that was laid out without the question
            text = from_task("context.prompt", lambda: context.prompt(
                question, [dict(source) for source in sources], context.NOTE), lambda value: isinstance(value, str),
                "the prompt, a string")
        reply, problem = ask(self.llm, text)
        if problem:
            return f"{problem} The rules answer."
        reply = re.sub(r"^\s*(?:answer:|\*\*answer(?::\*\*|\*\*:))\s*", "", reply, flags=re.IGNORECASE)
        if is_silence(reply):
            return Answer(_line_of(()), (), 0.0, "llm", "The model did not find it on these pages.")
        forged = RECEIPT.search(reply)  # nobody could tell it from those that are set in below
        if forged:
            return f"The model wrote a receipt of its own, “{_short(forged.group())}”. The rules answer."
        said, texts = claims(reply), [plain_digits(source["text"]) for source in sources]
        wrong = from_task("answer.unsupported", lambda: answer.unsupported(list(map(plain_digits, said)), list(texts)),
                          is_texts, "a list of sentences")
        if wrong or not said:
            return (f"The model said “{_short(wrong[0] if wrong else reply)}”, and names no page that holds that. "
                    "The rules answer.")
        return self._receipted(said, sources)

    def _receipted(self, said: list[str], sources: list[dict]) -> Answer:
        """Return a model's sentences with receipts, and behind each the line of that page that holds most of it."""
        quotes, sure = {}, []
        for sentence in said:
            pages = [sources[number - 1] for number in _cited(sentence, len(sources))]
            bare = CITED.sub(" ", sentence)
            words = telling(bare)
            rarity = {word: self.rarity(word) for word in words}
            sure.append(self._support(words, held_by(set().union(*(words_in(page["text"]) for page in pages)), rarity),
                                      rarity))
            for page in pages:
                lines = self.lines(bare, [page])
                best = max(lines, key=lambda line: line.score, default=None)  # the first of equals
                if best:
                    quotes[best.quote] = None

        def with_name(match):
            return " ".join(_receipt(sources[number - 1]) for number in _cited(match.group(), len(sources)))

        text = " ".join(" ".join(CITED.sub(with_name, sentence).split()) for sentence in said)
        return Answer(f"Answer: {text}", tuple(quotes), min(sure), "llm",
                      f"The model's {len(said)} {'sentence' if len(said) == 1 else 'sentences'} cited and checked.")


def as_sources(desk) -> list[dict]:
    """Return the sources of a `Context`, or a list of them, as a list. Raises ValueError for what are none."""
    sources = getattr(desk, "sources", desk)
    sources = list(sources) if isinstance(sources, (list, tuple)) else [sources]
    for source in sources:
        if not (isinstance(source, dict) and {"id", "document", "page", "text"} <= source.keys()
                and all(isinstance(source[key], str) for key in ("id", "text", "document"))
                and source["document"].strip()):
            raise ValueError(f'{shown(source)} is no source: {{"id", "document", "page", "text"}}.')
    return sources


def _place(source: dict) -> frozenset[str]:
    """Return the words that say where a line stands: the name of its file, and the headings in its chunk."""
    name = source["document"]
    heads = re.findall(r"^ {0,3}#{1,6}\s.*", source["text"], re.MULTILINE)
    return words_in(" ".join([name, re.sub(r"[-_/.]", " ", name), title(source["text"]), *heads]))


def _receipt(source: dict) -> str:
    """Return what `answer.receipt` gives for a source, the learner's function, too."""
    return from_task("answer.receipt", lambda: answer.receipt(source["document"], source["page"]),
                     lambda value: isinstance(value, str), "a receipt, a string")


def _line_of(quotes) -> str:
    """Return the answer as one line, as `answer.answer_line` gives it."""
    rows = [(quote.text, quote.document, quote.page) for quote in quotes]
    return from_task("answer.answer_line", lambda: answer.answer_line(rows), lambda value: isinstance(value, str),
                     "the answer, a string")


def _cited(text: str, n: int) -> list[int]:
    """Return what `answer.citations` gives, the learner's function, too: numbers of sources, of which there are n."""
    return from_task("answer.citations", lambda: _listed(answer.citations(text)),
                     lambda value: isinstance(value, list) and all(
                         type(number) is int and 0 < number <= n for number in value),
                     f"a list of numbers from 1 to {n}")


def _listed(value):
    """Return an array, a tuple, and a list with numbers of NumPy in it, as a list of Python's own; others as they are.

    The graded tests take these for right, so `use` does.
    """
    value = list(value) if isinstance(value, (tuple, np.ndarray)) else value
    return [one.item() if isinstance(one, np.generic) else one for one in value] if isinstance(value, list) else value


def _short(text: str) -> str:
    """Return a text on one line, cut to 80 signs."""
    text = " ".join(text.split())
    return text if len(text) <= 80 else text[:79] + "…"
