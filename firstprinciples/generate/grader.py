"""The grader: one passage beside one trusted reference; aligned, contradicts or uncertain, how sure, and why.

The problem. `corrective` has single signs; here they become a label. Two questions, one after the other:

1. Does the passage claim anything on this matter? Stories and exercises don't, whatever they are about. How sure that
   is, is learned by logistic regression, from four signs: the share of its words that are the reference's, years and
   names that the reference lacks, and whether it asks or sets a task.

       claims = 1 / (1 + e^-z)          z = base + sum of weight(sign) * sign

2. If it does, is it for the reference or against it? Against it speak opposites, where a word beside them is the same
   in both texts, and numbers that the reference lacks though it has some; for it, numbers that agree. That is a rule:

       against = (opposing + 1/2) / (opposing + agreeing + 3/2)          1/3 where nothing speaks for either

    chance of contradicts = claims * against       of aligned = claims * (1 - against)       of uncertain = 1 - claims

WEIGHTS were learned on the 80 dev passages of the clocks alone; a test learns them again. What the signs can't see is
the sentence: "the moving clock lags behind the one at rest" and "the one at rest lags behind the moving clock" are the
same words. How little that leaves is measured in notebooks/corrective.json.

A language model in place of the rules, `llm`, is any function from a text to a text. Its answer is read strictly, and
whatever is not of the form that was asked for is thrown away: then the rules grade, and the grade says so.
"""

import math
import re
from dataclasses import dataclass

import numpy as np

from firstprinciples.generate import corrective
from firstprinciples.generate.checks import as_text, from_task, is_texts
from firstprinciples.generate.corrective import LABELS
from firstprinciples.generate.llm import ask
from firstprinciples.generate.opposites import NEGATING, OPPOSITES, TURNS
from firstprinciples.rank.checks import at_least
from firstprinciples.text import STOP_WORDS, stem

REACH = 2  # telling words that a denial reaches
BESIDE = 2  # telling words on either side of an opposite, of which one must stand beside its other half as well
NEAR = 0.01  # numbers within one percent are the same
ENDS = (*TURNS, *".,;:!?")
NUMBER_WORDS = {"half": 0.5, "three": 3.0, "four": 4.0, "five": 5.0, "six": 6.0, "seven": 7.0, "eight": 8.0,
                "nine": 9.0, "ten": 10.0, "eleven": 11.0, "twelve": 12.0, "twenty": 20.0, "thirty": 30.0,
                "fifty": 50.0, "hundred": 100.0, "thousand": 1000.0}  # "one" and "two" rarely count anything
YEARS = (1500, 2100)
TASKS = frozenset("compute describe discuss draw estimate explain find list prove show suppose work write".split())
MOST_NAMES = 3

BASE = -0.107
WEIGHTS = {"shared": 9.579, "years": -0.735, "names": -0.582, "exercise": -1.934}

PROMPT = """Compare a passage with a reference that is known to be true. Answer with one line of three parts, with | \
between: a label, a number from 0 to 1 for how sure you are, and the reason in one sentence.

aligned: what the passage says of this matter agrees with the reference
contradicts: it can't be true if the reference is
uncertain: it does neither

Reference: {reference}

Passage: {passage}"""


@dataclass(frozen=True)
class Grade:
    """What a second reader says of a passage: a label, how sure from 0 to 1, and why; by "rules" or "llm".

    `problem` is the sentence on what went wrong with a model, "" where nothing did; the rationale holds it, too.
    """

    label: str
    confidence: float
    rationale: str
    by: str = "rules"
    problem: str = ""


def grade(chunk, reference, llm=None) -> Grade:
    """Compare a chunk with a trusted reference; both are Chunk objects, Documents or plain strings.

    Only their texts are read. Raises TypeError for what has no text and for an `llm` that can't be called.

    >>> grade("For us a moving clock takes less time.", "Seen from the ground, a moving clock takes more time.").by
    'rules'
    """
    passage, trusted = text_of(chunk), text_of(reference)
    problem = ""
    if llm is not None:
        reply = ask(llm, PROMPT.format(reference=trusted, passage=passage))
        said = parsed(reply.text)
        if said is not None:
            return Grade(*said, by="llm")
        problem = reply.problem or "The function's answer was not label | number | reason."
    found = signs(passage, trusted)
    given = chances(found)
    label, confidence = from_task("corrective.verdict", lambda: corrective.verdict(dict(given)), _is_verdict,
                                  "a label and a number from 0 to 1")
    return Grade(label, float(confidence), f"{problem} {in_words(found)}".strip(), "rules", problem)


def signs(passage: str, reference: str) -> dict:
    """Return what is seen of a passage beside a reference: {sign: a share, or the list of what was found}.

    >>> found = signs("Once Rayleigh saw both clocks gain 59 ns.", "Both clocks lose 59 ns, never 10.")
    >>> found["opposing words"], found["agreeing numbers"], found["names"]
    ([['gain', 'lose']], [59.0], ['Rayleigh'])
    """
    own, known = (_stems(words_in(text)) for text in (passage, reference))
    stated, given = (from_task("corrective.numbers", lambda text=text: corrective.numbers(text, NUMBER_WORDS),
                               _are_numbers, "a list of numbers") for text in (passage, reference))
    years = [n for n in stated if n == int(n) and YEARS[0] <= n <= YEARS[1] and n not in given]
    counted = [n for n in stated if n not in years]
    differ = from_task("corrective.unmatched", lambda: corrective.unmatched(list(counted), list(given), NEAR),
                       _are_numbers, "a list of numbers")
    asks = "?" in passage or any(first in TASKS for first in first_words(passage))
    return {"shared": len(own & known) / len(own) if own else 0.0,
            "years": years,
            "names": sorted(names_in(passage) - set(re.findall(r"\w+", reference))),
            "exercise": asks,
            "opposing words": opposing(passage, reference),
            "opposing numbers": list(differ) if given else [],
            "agreeing numbers": [n for n in counted if n not in differ]}


def opposing(passage: str, reference: str) -> list[list[str]]:
    """Return the pairs of opposites [word, word of the reference] that stand beside the same word in both texts.

    >>> opposing("The clock runs faster up there.", "Seen from above, the clock runs slower.")
    [['faster', 'slower']]
    """
    here, there = (_marked(text) for text in (passage, reference))
    pairs = from_task("corrective.opposed", lambda: corrective.opposed(list(here), list(there), OPPOSITES), _are_pairs,
                      "a list of pairs of words")
    return [[word, other] for word, other in pairs if _beside(word, here) & _beside(other, there)]


def chances(found: dict, base: float = BASE, weights=None) -> dict[str, float]:
    """Return {label: chance} from the signs, by WEIGHTS unless others are given; the chances are 1 together."""
    weights = list(WEIGHTS.values()) if weights is None else weights
    z = base + sum(weight * number for weight, number in zip(weights, row(found), strict=True))
    claims = 1 / (1 + math.exp(-z))
    opposing, agreeing = len(found["opposing words"]) + len(found["opposing numbers"]), len(found["agreeing numbers"])
    against = (opposing + 0.5) / (opposing + agreeing + 1.5)
    return {"aligned": claims * (1 - against), "contradicts": claims * against, "uncertain": 1 - claims}


def row(found: dict) -> list[float]:
    """Return the numbers behind WEIGHTS, in their order: a share, a year or none, names up to three, a task or none."""
    return [found["shared"], float(bool(found["years"])), float(min(len(found["names"]), MOST_NAMES)),
            float(found["exercise"])]


def in_words(found: dict) -> str:
    """Return the signs as a line to be read.

    >>> in_words(signs("Once Rayleigh saw both clocks gain 59 ns.", "Both clocks lose 59 ns, never 10."))
    "50 % of its words are the reference's; gain against lose; 59 in both; names of its own: Rayleigh."
    """
    said = [f"{100 * found['shared']:.0f} % of its words are the reference's"]
    said += [f"{word} against {other}".replace("not_", "not ") for word, other in found["opposing words"]]
    for name, what in (("opposing numbers", "not in the reference"), ("agreeing numbers", "in both")):
        if found[name]:
            said.append(f"{', '.join(f'{number:.6g}' for number in found[name])} {what}")
    if found["years"]:
        said.append("it tells of " + ", ".join(f"{year:.0f}" for year in found["years"]))
    if found["names"]:
        said.append("names of its own: " + ", ".join(found["names"][:MOST_NAMES]))
    return "; ".join([*said, "it asks or sets a task"] if found["exercise"] else said) + "."


def learn(rows: np.ndarray, claims: np.ndarray, hold: float = 3.0, steps: int = 2000) -> tuple[float, np.ndarray]:
    """Learn logistic regression: returns (base, weights (d,)) from rows of signs (n, d) and answers 0 or 1, (n,).

    Signs are brought to mean 0 and deviation 1 for the learning, and the weights are held small: the loss is the sum of
    -log chance(right answer) plus hold / 2 times the sum of their squares. `steps` of plain gradient descent.
    """
    mean, spread = rows.mean(axis=0), rows.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    x, weights, base = (rows - mean) / spread, np.zeros(rows.shape[1]), 0.0
    for _ in range(steps):
        off = 1 / (1 + np.exp(-(x @ weights + base))) - claims
        weights -= 0.5 / len(x) * (off @ x + hold * weights)
        base -= 0.5 * off.mean()
    weights = weights / spread
    return float(base - weights @ mean), weights


def parsed(reply: str) -> tuple[str, float, str] | None:
    """Return (label, confidence, reason) from a model's line "label | number | reason"; None for any other text.

    >>> parsed("Contradicts | 0.9 | It says less where the reference says more.")[:2]
    ('contradicts', 0.9)
    >>> parsed("I think it is aligned.") is None
    True
    """
    parts = [part.strip() for part in reply.split("|")]
    if len(parts) != 3 or len(reply.strip().splitlines()) != 1 or parts[0].lower() not in LABELS or not parts[2]:
        return None
    if not re.fullmatch(r"0(?:\.[0-9]+)?|1(?:\.0+)?|\.[0-9]+", parts[1]):
        return None
    return parts[0].lower(), float(parts[1]), parts[2]


def text_of(thing) -> str:
    """Return the text of a Chunk, a Document or a string. Raises TypeError for what has none."""
    return as_text(getattr(thing, "text", thing))


def words_in(text: str) -> list[str]:
    """Return the words of a text in lower case, and each sign that ends a part of a sentence as a word of its own.

    A curved apostrophe comes back as a straight one, as in `opposites.NEGATING`.

    >>> words_in("It isn't slow, B's clock.")
    ['it', "isn't", 'slow', ',', "b's", 'clock', '.']
    """
    return re.findall(r"[^\W_]+(?:['-][^\W_]+)*|[.,;:!?]", text.lower().replace("’", "'"))


def telling(text: str) -> list[str]:
    """Return the words of a text that are no stop words, and all that deny; the signs between them stay.

    >>> telling("It is not slow.")
    ['not', 'slow', '.']
    """
    return [word for word in words_in(text) if word not in STOP_WORDS or word in NEGATING]


def _stems(words: list[str]) -> set[str]:
    """Return the stems of the words that are no stop words and no signs."""
    return {stem(word.removeprefix("not_")) for word in set(words) if word not in STOP_WORDS and word[:1].isalnum()}


def _marked(text: str) -> list[str]:
    """Return the telling words of a text, those that are denied with "not_" before them."""
    words = from_task("corrective.marked", lambda: corrective.marked(telling(text), list(NEGATING), list(ENDS), REACH),
                      is_texts, "a list of words")
    return [word for word in words if word not in ENDS]


def _beside(word: str, words: list[str]) -> set[str]:
    """Return the stems that stand beside a word, wherever it stands."""
    places = [place for place, other in enumerate(words) if other == word]
    return _stems([other for place in places
                   for other in words[max(place - BESIDE, 0) : place] + words[place + 1 : place + 1 + BESIDE]])


def names_in(text: str) -> set[str]:
    """Return the words with a capital letter that stand inside a sentence, of three letters or more.

    >>> sorted(names_in("Once Rayleigh met Kelvin. Then he left, said I."))
    ['Kelvin', 'Rayleigh']
    """
    return set(re.findall(r"(?<=[a-z,;] )[A-Z][a-z]{2,}", text))


def first_words(text: str) -> list[str]:
    """Return the first word of each sentence, in lower case.

    >>> first_words("Work it out. Now draw: a line.")
    ['work', 'now']
    """
    return [word.lower() for word in re.findall(r"(?:^|[.!?]\s+)([A-Za-z]+)", text)]


def _is_verdict(value) -> bool:
    """Say whether this is a label and a confidence."""
    return (isinstance(value, (tuple, list)) and len(value) == 2 and value[0] in LABELS and at_least(0, value[1])
            and value[1] <= 1)


def _are_pairs(value) -> bool:
    """Say whether this is a list of pairs of words."""
    return isinstance(value, (list, tuple)) and all(is_texts(pair) and len(pair) == 2 for pair in value)


def _are_numbers(value) -> bool:
    """Say whether this is a list of finite numbers."""
    return isinstance(value, (list, tuple)) and all(at_least(-1e300, number) for number in value)
