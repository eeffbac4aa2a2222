"""Answers: what was found comes back with its receipt, or as "I couldn't find that."

The problem. The right page lies on the desk, and the reader wants the fact, with the place where it stands. A language
model writes one, fluently, whether or not it is there. A reader without a model can do less and can't make anything up:
it quotes. A sentence is quoted where it holds enough of what makes the question special,

    support(question, sentence) = rarity of the question's words that the sentence holds / rarity of all its words

and where none holds enough, nothing is said. How much is enough is a dial between reckless, which answers everything,
and silent, which answers nothing. The curve of this dial says what each further answer costs:

    coverage(t) = questions answered at threshold t / all questions      risk(t) = wrong answers / questions answered

A model's answer is held to the same rule: each of its sentences names pages that are there, and a number in it stands
on one of them. That does not make it true. It makes it checkable.

Sources: shared words weighed by idf, and silence where the best sentence has too few of them, are baselines in Y. Yang,
W. Yih and C. Meek, "WikiQA", EMNLP 2015; risk and coverage, R. El-Yaniv and Y. Wiener, "On the foundations of
noise-free selective classification", JMLR 11, 2010. The functions come first, in the order of lesson 18; `reader` makes
an answer with them.
"""

import math
import re

from firstprinciples.generate.checks import as_text
from firstprinciples.index import shown
from firstprinciples.rank.checks import at_least, whole


def support(question_words: list[str], sentence_words: list[str], rarity: dict[str, float]) -> float:
    """Say how much of what makes a question special a sentence holds, from 0.0 to 1.0.

    `rarity` is {word: how rare it is, 0 or more}, for instance the idf. The share is the rarity of the question's words
    that are in the sentence, over that of all its words; each word counts once, however often it stands on either side.
    A word that `rarity` does not know is as rare as the rarest that it knows, and 1 if it is empty. A question without
    words, or whose words all weigh 0, has the support 0.0. Words are compared as they are handed in.
    Raises ValueError for a rarity below 0 or that is no finite number.
    Lesson 18, "A quote with its receipt".

    >>> rarity = {"total": 1.0, "invoice": 0.5, "1042": 3.0, "march": 1.5}
    >>> support(["total", "invoice", "1042"], ["invoice", "1042", "is", "paid"], rarity)
    0.7777777777777778
    """
    for word, weight in rarity.items():
        if not at_least(0, weight):
            raise ValueError(f"The rarity of {word!r} is {shown(weight)}; it must be a number, 0 or more.")
    rarest = max(rarity.values(), default=1)
    asked, held = set(question_words), set(sentence_words)
    everything = math.fsum(rarity.get(word, rarest) for word in asked)
    if everything == 0:
        return 0.0
    return math.fsum(rarity.get(word, rarest) for word in asked & held) / everything


def best_quotes(scores: list[float], threshold: float, most: int) -> list[int]:
    """Return the positions of the scores at or above the threshold, the highest first, at most `most` of them.

    Positions count from 0; equal scores stay in the order of their positions. A score that is just the threshold is
    kept. None high enough, or no scores: [], which means silence. Raises ValueError for `most` < 1 and for a score or
    threshold that is no finite number.
    Lesson 18, "A quote with its receipt".

    >>> best_quotes([0.2, 0.7, 0.5, 0.7], threshold=0.5, most=2)
    [1, 3]
    """
    scores, most = _numbers(scores, "A score"), whole(most, "most")
    (threshold,) = _numbers([threshold], "The threshold")
    kept = [place for place, score in enumerate(scores) if score >= threshold]
    return sorted(kept, key=lambda place: -scores[place])[:most]  # sorted is stable: equal ones stay in order


def best_of_each(scores: list[float], pages: list[str], threshold: float) -> list[int]:
    """Return, for each page, the position of its best score if that is at or above the threshold, the highest first.

    `pages` names the page of each score and is as long. Of equal scores on a page the first counts; equal scores of
    two pages stay in the order of their positions. No page with a score high enough: []. Raises ValueError where the
    two lists are not of one length, and for a score or threshold that is no finite number.
    Lesson 18, "One line from each page".

    >>> best_of_each([0.4, 0.9, 0.6, 0.7, 0.1], ["a", "a", "b", "a", "c"], threshold=0.5)
    [1, 2]
    """
    scores, pages = _numbers(scores, "A score"), list(pages)
    (threshold,) = _numbers([threshold], "The threshold")
    if len(scores) != len(pages):
        raise ValueError(f"There are {len(scores)} scores and {len(pages)} pages; each score needs its page.")
    best = {}
    for place, (score, page) in enumerate(zip(scores, pages, strict=True)):
        if page not in best or score > scores[best[page]]:
            best[page] = place
    kept = sorted(place for place in best.values() if scores[place] >= threshold)
    return sorted(kept, key=lambda place: -scores[place])


def receipt(document: str, page: int) -> str:
    """Return where a quote stands, in brackets: the document, a comma, a space, and its page.

    Raises ValueError for a document without a name, white space alone is none, and for a page that is no whole number
    from 1.
    Lesson 18, "A quote with its receipt".

    >>> receipt("invoice-1042", 2)
    '[invoice-1042, page 2]'
    """
    if not isinstance(document, str) or not document.strip():
        raise ValueError("A receipt needs the name of a document.")
    return f"[{document}, page {whole(page, 'The page')}]"


def answer_line(quotes: list[tuple[str, str, int]]) -> str:
    """Return the one line that is the answer: "Answer: ", each quote with its receipt behind it, one space between.

    `quotes` are (text, document, page). White space inside a quote, line breaks too, becomes one space, and what stands
    at its ends goes. Without a quote the line is "Answer: I couldn't find that.". Raises ValueError for a quote without
    text, a document without a name, and a page that is no whole number from 1. Nothing is added where a quote ends
    without a period.
    Lesson 18, "A quote with its receipt".

    >>> answer_line([("The total due\\nis $1,284.50.", "invoice-1042", 2), ("It was paid.", "ledger", 1)])
    'Answer: The total due is $1,284.50. [invoice-1042, page 2] It was paid. [ledger, page 1]'
    >>> answer_line([])
    "Answer: I couldn't find that."
    """
    parts = []
    for text, document, page in quotes:
        words = " ".join(text.split())
        if not words:
            raise ValueError(f"The quote from {document!r} is empty; a quote is a text.")
        parts.append(f"{words} {receipt(document, page)}")
    return "Answer: " + " ".join(parts) if parts else "Answer: I couldn't find that."


def citations(text: str) -> list[int]:
    """Return the numbers of the sources that a text cites, each once, ascending.

    A citation is a number from 1 in brackets, [2], or several with commas between, [1, 3]; spaces inside do not matter.
    The number 0 and brackets with anything else in them, as [invoice 7], [2a], [1-3] or [-1], cite nothing. Digits are
    0 to 9, at most nine a number. "" gives [].
    Lesson 18, "A model's receipts, checked".

    >>> citations("Paid on April 9 [3][1], by transfer [1, 4]. See [invoice 7].")
    [1, 3, 4]
    """
    inside = re.findall(r"\[ *([0-9]{1,9}(?: *, *[0-9]{1,9})*) *\]", as_text(text))
    return sorted({int(number) for numbers in inside for number in numbers.split(",")} - {0})


def numbers_in(text: str) -> list[str]:
    """Return the numbers of a text as they are written, without their commas, in their order, repeats too.

    A number is a run of the digits 0 to 9, in which a single . or , may stand between two digits: 1,284.50 is one, and
    so is 4.9. What stands around it does not matter: "LK-204-B" holds 204, "$40." holds 40. "" gives [].
    Lesson 18, "A model's receipts, checked".

    >>> numbers_in("Invoice 1042: $1,284.50, due April 13.")
    ['1042', '1284.50', '13']
    """
    return [number.replace(",", "") for number in re.findall(r"[0-9]+(?:[.,][0-9]+)*", as_text(text))]


def unsupported(sentences: list[str], sources: list[str]) -> list[str]:
    """Return those sentences of a model's answer whose receipts do not hold, in their order.

    `sentences` is the answer, already cut; `sources` are the texts of the pages, source 1 first. A sentence does not
    hold if it cites nothing (see `citations`), if one of the numbers that it cites is beyond the last page, or if it
    holds a number that no page cited in it holds. Numbers are those of `numbers_in`, compared as it writes them, so
    1,284.50 is 1284.50, and 28 is not in 1,284. Those in brackets with nothing but numbers in them are no numbers of
    the sentence. No sentences: []. No sources: all of them.
    Lesson 18, "A model's receipts, checked".

    >>> pages = ["The total due is $1,284.50.", "Paid on April 9."]
    >>> unsupported(["It is $1284.50 [1].", "It was paid on April 19 [2].", "All is well.", "See [3]."], pages)
    ['It was paid on April 19 [2].', 'All is well.', 'See [3].']
    """
    sources, out = list(sources), []
    for sentence in sentences:
        cited = citations(sentence)
        there = [number for number in cited if number <= len(sources)]
        bare = re.sub(r"\[ *[0-9]{1,9}(?: *, *[0-9]{1,9})* *\]", " ", sentence)
        held = {number for place in there for number in numbers_in(sources[place - 1])}
        if not cited or len(there) < len(cited) or not set(numbers_in(bare)) <= held:
            out.append(sentence)
    return out


def risk_coverage(confidence: list[float], right: list[bool]) -> list[tuple[float, float, float]]:
    """Return the curve from silent to reckless: (threshold, coverage, risk), one row for each distinct confidence.

    `confidence` is one number for each question, and `right` says whether its answer, if given, is right. At a
    threshold the questions with that confidence or more are answered: coverage is their share of all questions, risk
    the share of wrong answers among them. Thresholds go down, so coverage goes up to 1.0. No question: []. Raises
    ValueError where the lists are not of one length and for a confidence that is no finite number.
    Lesson 18, "From reckless to silent".

    >>> risk_coverage([0.9, 0.4, 0.9, 0.6, 0.2], [True, False, False, True, False])[:2]
    [(0.9, 0.4, 0.5), (0.6, 0.6, 0.3333333333333333)]
    """
    confidence, right = _numbers(confidence, "A confidence"), list(right)
    if len(confidence) != len(right):
        raise ValueError(f"There are {len(confidence)} confidences and {len(right)} verdicts; a question needs both.")
    rows = []
    for threshold in sorted(set(confidence), reverse=True):
        answers = [good for sure, good in zip(confidence, right, strict=True) if sure >= threshold]
        wrong = sum(not good for good in answers)
        rows.append((threshold, len(answers) / len(confidence), wrong / len(answers)))
    return rows


def declining(answered: list[bool], answerable: list[bool]) -> tuple[float, float]:
    """Return (share of unanswerable questions that were declined, share of answerable ones that were answered).

    One entry a question in each list: whether an answer was given, and whether there is one. Both shares are 1.0 for a
    reader that knows when to speak; one that is always silent has (1.0, 0.0). Raises ValueError where the lists are not
    of one length, and where no question is answerable or none is not: then a share has nothing to be a share of.
    Lesson 18, "From reckless to silent".

    >>> declining([True, False, True, False, True], [True, True, True, False, False])
    (0.5, 0.6666666666666666)
    """
    answered, answerable = list(answered), list(answerable)
    if len(answered) != len(answerable):
        raise ValueError(f"There are {len(answered)} and {len(answerable)} entries; each question needs both.")
    given = [bool(one) for one, there in zip(answered, answerable, strict=True) if there]
    silent = [not one for one, there in zip(answered, answerable, strict=True) if not there]
    if not given or not silent:
        raise ValueError("The shares need an answerable and an unanswerable question, one or more of each.")
    return sum(silent) / len(silent), sum(given) / len(given)


def _numbers(values, name: str) -> list[float]:
    """Return numbers as a list of floats. Raises ValueError, which calls one by its `name`, unless all are finite."""
    try:
        found = [float(value) for value in values]
    except (TypeError, ValueError):
        found = [math.nan]
    if not all(math.isfinite(number) for number in found):
        raise ValueError(f"{name} must be a finite number.")
    return found
