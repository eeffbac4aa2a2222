"""From a question to what is looked for, in four ways: by a language model, or by rules where there is none.

The problem. The rules of `rewrite` are pieces; a search wants one thing: from a question, and what was said before it,
to the texts that are looked for. Each way is a function (question, history) -> Rewritten:

    condense    a follow-up with the words of the conversation that it leans on          one text
    spell_out   the long form behind each short form that the documents spell out        one text
    rephrase    the question, and twice in other words                                   several texts, lists fused
    suppose     a made-up answer, for HyDE                                               its vector is looked for

Each takes `llm`, any function from a text to a text (`firstprinciples.generate.llm`). Without one the rules do the
work; where it fails, they do, too. A `Rewritten` says who it was, "llm" or "rules", and in its note what happened: a
stand-in that keeps silent is taken for the real thing. `firstprinciples.generate.rewriting` puts them before a search.
"""

import re
from dataclasses import dataclass
from functools import partial

import numpy as np

from firstprinciples.generate import rewrite
from firstprinciples.generate.checks import as_text, as_turns, from_task, is_texts
from firstprinciples.generate.llm import ask
from firstprinciples.generate.statement import statement
from firstprinciples.generate.words import COMMON, POINTING, SYNONYMS
from firstprinciples.index import counted
from firstprinciples.rank.checks import whole

MOST_WORDS = 12  # topic words that a follow-up is given
HISTORY = 200  # words of history that are looked at
MOST_TEXTS = 3  # the question and two phrasings
SHORT = 100  # words that a rewritten question may have

CONDENSE = """Rewrite the last question so that it can be understood without the conversation before it. Keep its \
meaning, names and numbers. Answer with the question alone.

{history}

Last question: {question}"""
SPELL_OUT = """Rewrite the question with its short forms spelled out; the documents use these: {known}. Answer with \
the question alone.

Question: {question}"""
REPHRASE = """Ask the question in {n} other ways, in other words, with the same meaning. Answer with one question a \
line and nothing else.

Question: {question}"""
SUPPOSE = """Write a short passage, three sentences at most, that answers the question as a document of the company \
would. Make up what you do not know.

Question: {question}"""


@dataclass(frozen=True)
class Rewritten:
    """What will be searched for: one text or several, who wrote them ("rules" or "llm"), and what happened.

    `problem` is the sentence on what went wrong with a model, "" where nothing did; the note holds it, too.
    """

    texts: tuple[str, ...]
    by: str
    note: str
    problem: str = ""


def condense(question: str, history=(), llm=None) -> Rewritten:
    """Return a question that can be searched without its history.

    The newest turns of up to 200 words are looked at. By the rules, a question that leans on them gets the twelve
    heaviest of their words, and any other stays as it is; a model is asked whenever there is a history. Raises
    ValueError for a history that is no list of turns.

    >>> condense("and when did they pay it?", [{"role": "user", "text": "How much was the March invoice?"}]).texts
    ('and when did they pay it? March invoice',)
    """
    as_text(question)
    turns = as_turns(history)
    if not turns:
        return Rewritten((question,), "rules", "There is no history: the question as it was typed.")
    turns = from_task("rewrite.last_turns", lambda: rewrite.last_turns(turns, HISTORY), _are_turns, "a list of turns")
    said = "\n".join(f"{turn['role']}: {turn['text']}" for turn in turns)
    text, problem = _one_line(llm, CONDENSE.format(history=said, question=question))
    if text:
        return Rewritten((text,), "llm", "The model wrote the question anew, from the conversation.")
    leans = from_task("rewrite.is_follow_up", lambda: rewrite.is_follow_up(question, turns, POINTING, COMMON),
                      lambda value: isinstance(value, (bool, np.bool_)), "True or False")
    if not leans:
        return _by_rule(problem, "By rule it stands alone: the question as it was typed.", question)
    words = from_task("rewrite.topic_words", lambda: rewrite.topic_words(turns, MOST_WORDS, COMMON), is_texts,
                      "a list of words")
    text = from_task("rewrite.condensed", lambda: rewrite.condensed(question, list(words)), _is_text, "a text")
    return _by_rule(problem, "By rule it leans on its history, whose words it was given.", text)


def spell_out(question: str, history=(), llm=None, known: dict[str, str] | None = None) -> Rewritten:
    """Return the question with its short forms spelled out, as `known`, {short: long}, has them.

    A model is asked only where one of them is in the question, in any case. The history is not looked at.

    >>> spell_out("Is the HSA mine?", known={"HSA": "health savings account"}).texts
    ('Is the HSA (health savings account) mine?',)
    """
    known = known or {}
    words = {word.lower() for word in re.findall(r"\w+", as_text(question))}
    here = {short: long for short, long in known.items() if short.lower() in words}
    if not here:
        return Rewritten((question,), "rules", f"No short form of the {len(known)} that the documents spell out is in "
                                               "the question: as it was typed.")
    text, problem = _one_line(llm, SPELL_OUT.format(known="; ".join(map(" = ".join, here.items())), question=question))
    if text:
        return Rewritten((text,), "llm", "The model spelled out the short forms.")
    text = from_task("rewrite.spelled_out", lambda: rewrite.spelled_out(question, known), _is_text, "a text")
    what = "in another case only, and so not spelled out" if text == question else "spelled out"
    return _by_rule(problem, f"By rule, {', '.join(here)}: {what}.", text)


def rephrase(question: str, history=(), llm=None, synonyms: dict[str, list[str]] | None = None,
             most: int = MOST_TEXTS) -> Rewritten:
    """Return the question and other phrasings of it, at most `most` texts, the question first.

    By the rules one word is exchanged in each, by `synonyms`, {word: [others]}, the course's own list unless given. The
    history is not looked at.

    >>> rephrase("Who paid the bill?").texts
    ('Who paid the bill?', 'Who settled the bill?', 'Who paid the invoice?')
    """
    as_text(question)
    n = whole(most, "most") - 1
    text, problem = _asked(llm if n else None, REPHRASE.format(n=n, question=question), SHORT * most)
    # a line may come as "1. ...", "- ..." or in quotes
    lines = [re.sub(r"^\s*(?:\d+[.)]|[-*•])(?:\s+|$)", "", line).strip().strip('"“”') for line in text.splitlines()]
    lines = {line.lower(): line for line in lines if any(sign.isalnum() for sign in line)}  # none twice
    others = [line for line in lines.values() if line.lower() != question.lower()][:n]
    if others:
        return Rewritten((question, *others), "llm", f"The model gave {counted(len(others), 'other phrasing')}.")
    if text:
        problem = "The function returned no other phrasing."
    synonyms = SYNONYMS if synonyms is None else synonyms
    texts = from_task("rewrite.phrasings", lambda: rewrite.phrasings(question, synonyms, most),
                      lambda value: is_texts(value) and len(value) > 0, "a list of texts, one or more")
    made = counted(len(texts) - 1, "other phrasing") if len(texts) > 1 else "no other phrasing, since no word has one"
    return _by_rule(problem, f"By rule, from a list of words: {made}.", *texts)


def suppose(question: str, history=(), llm=None) -> Rewritten:
    """Return a made-up answer to a question, for `Hyde`: the model's, or the question turned into a statement.

    >>> suppose("When did Brightwater pay?").texts
    ('Brightwater paid on',)
    """
    text, problem = _one_line(llm, SUPPOSE.format(question=as_text(question)), 400)
    if text:
        return Rewritten((text,), "llm", "The model made up an answer.")
    return _by_rule(problem, "By rule: the question as a statement. A stand-in: it adds no word that an answer would "
                             "have.", statement(question) or question)


def known_short_forms(chunks) -> dict[str, str]:
    """Return {short: long} for all short forms that the chunks, or plain texts, spell out."""
    texts = [chunk if isinstance(chunk, str) else chunk.text for chunk in chunks]
    return from_task("rewrite.acronyms", lambda: rewrite.acronyms(texts),
                     lambda value: isinstance(value, dict) and is_texts([*value, *value.values()]),
                     "a dict from short to long forms")


def stored_texts(queries, chunks=()) -> list[str]:
    """Return every text that the rules of REWRITES make of these questions, each once, without the questions as typed.

    `data/vectors/make.py` stores their vectors, so that the lesson and its tests need no files of a model. `chunks` are
    those whose short forms count.
    """
    known = known_short_forms(chunks)
    ways = (condense, partial(spell_out, known=known), rephrase, suppose)
    texts = [text for query in queries for way in ways for text in way(query.text, query.history).texts]
    typed = {query.text for query in queries}
    return [text for text in dict.fromkeys(texts) if text not in typed]


def _asked(llm, prompt: str, longest: int) -> tuple[str, str]:
    """Return a model's text, and the sentence on why there is none; two empty texts where there is no model."""
    return ("", "") if llm is None else tuple(ask(llm, prompt, longest=longest))


def _one_line(llm, prompt: str, longest: int = SHORT) -> tuple[str, str]:
    """Return a model's text as one line, without quotes around it; the rest as `_asked`."""
    text, problem = _asked(llm, prompt, longest)
    line = " ".join(text.split())
    if len(line) > 1 and line[0] + line[-1] in ('""', "“”"):
        line = line[1:-1].strip()
    return (line, problem) if line or not text else ("", "The function returned a text with nothing in it.")


def _by_rule(problem: str, note: str, *texts: str) -> Rewritten:
    """Return what the rules made, with what went wrong with a model before."""
    return Rewritten(texts, "rules", f"{problem} {note}".strip(), problem)


def _is_text(value) -> bool:
    """Say whether this is a string."""
    return isinstance(value, str)


def _are_turns(value) -> bool:
    """Say whether this is a list of turns, one or more."""
    try:
        return isinstance(value, (list, tuple)) and len(as_turns(value)) > 0
    except ValueError:
        return False
