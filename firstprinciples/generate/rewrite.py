"""Rewriting: search for what was meant, not for what was typed.

The problem. "and when did they pay it?" names no invoice and no customer: both stand in the line above, which the
search never sees. "HSA" is not written in a page that says "health savings account". "what do we owe" shares no word
with "amount outstanding". Before the search there is room for one step that changes the question:

1. Condense: give a follow-up the words of the conversation that it leans on. A word of an earlier turn weighs

       weight(word) = sum over the turns that hold it of  1 / age        age 1 is the newest turn; a name counts twice

2. Spell out: put the long form behind a short one, "HSA (health savings account)", as some page spelled it out.
3. Several phrasings: the question, and again with other words; one search each, and the lists are fused.
4. HyDE: write an answer, right or wrong, and look for pages that are like it. An answer is nearer to the page than a
   question is, says the paper, and the search runs on

       v = mean of the question's vector and those of the answers, brought to length 1

A language model does all four well, at the price of a call before every search. Here stand plain rules that do it
without one, for English, with word lists; `firstprinciples.generate.rewriting` takes either, and says which it was.
Sources: A. Schwartz and M. Hearst, "A simple algorithm for identifying abbreviation definitions in biomedical text",
PSB 2003, for short and long forms; Z. Rackauckas, "RAG-Fusion", 2024; L. Gao and others, "Precise zero-shot dense
retrieval without relevance labels" (HyDE), ACL 2023, equation 8. The weights of words are ours.
"""

import re
import string

import numpy as np

from firstprinciples.generate.checks import as_most, as_text, as_turns, as_vectors
from firstprinciples.index.cosine import in_range, unit

EDGES = string.punctuation + "“”„‘’«»…–—¿¡。！？،؟।"  # what is no part of a word at either end of it


def words_of(text: str) -> list[str]:
    """Return the words of a text as they are written: what stands between spaces, without punctuation at its ends.

    Punctuation is `string.punctuation` and what other scripts have of the kind. Inside a word it stays: 1,284.50 and
    LK-204-B are one word each. What is nothing but punctuation is no word. Raises TypeError for what is no string.
    Lesson 16, "Is it a follow-up?".

    >>> words_of("Invoice 1042 (March): $1,284.50.")
    ['Invoice', '1042', 'March', '1,284.50']
    """
    return [word for piece in as_text(text).split() if (word := piece.strip(EDGES))]


def is_follow_up(question: str, history: list[dict], pointing: list[str], common: list[str]) -> bool:
    """Say whether a question leans on the turns before it.

    `history` holds the turns so far, oldest first, each {"role": "user" or "assistant", "text": ...}. Without any there
    is nothing to lean on: False. Words that tell something are those neither in `pointing` (it, they, ones ...) nor in
    `common` (what, is, the ...). A question leans on its history if at most two telling words stand before its first
    pointing word, since then there is hardly anything in the question itself to point at; one without a pointing word,
    if it has at most two telling words in all. Words are those of `words_of`, each counted as often as it stands there;
    both lists are in lower case, and the question's case does not matter.
    Lesson 16, "Is it a follow-up?".

    >>> before = [{"role": "user", "text": "How much was the March invoice?"}]
    >>> is_follow_up("When did they pay it?", before, ["they", "it"], ["when", "did"])
    True
    >>> is_follow_up("When did Hollow Creek Guides pay?", before, ["they", "it"], ["when", "did"])
    False
    """
    if not as_turns(history):
        return False
    telling = 0
    for word in [word.lower() for word in words_of(question)]:
        if word in pointing:
            break
        telling += word not in common
    return telling <= 2


def topic_words(history: list[dict], most: int, common: list[str]) -> list[str]:
    """Return the words that a conversation is about, the heaviest first, at most `most` of them.

    Turns of the user and answers count alike. The newest turn has age 1, the one before it 2, and so forth; a word
    (see `words_of`) weighs the sum of 1 / age over the turns that hold it, once a turn. A name weighs twice as much: a
    word that holds a digit or a capital letter in some place other than as the first word of a turn. Words in `common`,
    which are in lower case, are left out. Upper and lower case are one word, given as it is written where it comes
    first in the newest turn that holds it. Equal weights: the newer turn first, then the order in it. Raises ValueError
    for `most` < 1.
    Lesson 16, "Words from the talk".

    >>> before = [{"role": "user", "text": "What was the March invoice?"},
    ...           {"role": "assistant", "text": "It was 1042."}]
    >>> topic_words(before, 3, ["what", "was", "the", "it"])
    ['1042', 'March', 'invoice']
    """
    as_most(most)
    weights, names, written = {}, set(), {}
    for age, turn in enumerate(reversed(as_turns(history)), 1):
        seen = set()
        for place, word in enumerate(words_of(turn["text"])):
            key = word.lower()
            if key in common:
                continue
            written.setdefault(key, word)
            if place > 0 and (word != key or any(letter.isdigit() for letter in word)):
                names.add(key)
            if key not in seen:
                weights[key] = weights.get(key, 0) + 1 / age
            seen.add(key)
    heaviest = sorted(weights, key=lambda key: -weights[key] * (2 if key in names else 1))  # equal ones stay in order
    return [written[key] for key in heaviest[:most]]


def condensed(question: str, words: list[str]) -> str:
    """Return the question with those of the words that it lacks behind it, in their order, one space between.

    Upper and lower case are one word, and a word that comes twice in `words` is added once. Nothing to add: the
    question as it is.
    Lesson 16, "Words from the talk".

    >>> condensed("and when did they pay it?", ["March", "pay", "invoice", "march"])
    'and when did they pay it? March invoice'
    """
    has = {word.lower() for word in words_of(question)}
    lacking = []
    for word in words:
        if word.lower() not in has:
            lacking.append(word)
            has.add(word.lower())
    return " ".join([question, *lacking])


def last_turns(history: list[dict], most_words: int) -> list[dict]:
    """Return the newest turns whose words together are at most `most_words`, whole, oldest first.

    The last turn of the user is always among them, also where it is too long by itself, and its words are counted
    first. Then the turns are gone through from the newest on, until one does not fit: no turn is left out between two
    that stay. Words are those of `words_of`. Raises ValueError for `most_words` < 1.
    Lesson 16, "Words from the talk".

    >>> turns = [{"role": "user", "text": "Who owes us?"}, {"role": "assistant", "text": "Hollow Creek Guides."},
    ...          {"role": "user", "text": "How much is that?"}]
    >>> [turn["text"] for turn in last_turns(turns, 7)]
    ['Hollow Creek Guides.', 'How much is that?']
    """
    as_most(most_words)
    turns = as_turns(history)
    asked = [place for place, turn in enumerate(turns) if turn["role"] == "user"][-1:]
    left = most_words - sum(len(words_of(turns[place]["text"])) for place in asked)
    kept = set(asked)
    for place in reversed(range(len(turns))):
        if place in asked:
            continue
        left -= len(words_of(turns[place]["text"]))
        if left < 0:
            break
        kept.add(place)
    return [turns[place] for place in sorted(kept)]


def long_form(short: str, before: str) -> str:
    """Return the long form of a short one at the end of the text before it; "" where there is none.

    Both are read backwards: each letter or digit of `short` is looked for in `before`, from the end on, and the first
    one must begin a word. Case does not matter. The long form goes from that word to the end.
    Lesson 16, "Acronyms".

    >>> long_form("HSA", "You may pay into a health savings account")
    'health savings account'
    """
    place = len(before)
    signs = [sign for sign in short.lower() if sign.isalnum()]
    for left, sign in zip(reversed(range(len(signs))), reversed(signs), strict=True):
        place -= 1
        while place >= 0 and (before[place].lower() != sign
                              or (left == 0 and place > 0 and before[place - 1].isalnum())):
            place -= 1
        if place < 0:
            return ""
    return before[place:] if signs else ""


def acronyms(texts: list[str]) -> dict[str, str]:
    """Return {short form: long form} for what the texts themselves spell out: "long form (LF)" or "LF (long form)".

    A short form is one word of 2 to 10 letters and digits, at least two of them capitals or digits and one a capital.
    Stands it alone in parentheses, `long_form` looks for its long form among the words before them: as many as the
    short form has signs plus 5, or twice its signs, whichever is less. Stands it right before them, `long_form` looks
    inside. A long form is more than one word; white space in it becomes one space. Where a short form has several, the
    most frequent counts, upper and lower case alike and written as first seen; of equally frequent ones the first seen.
    Lesson 16, "Acronyms".

    >>> acronyms(["Pay into a health savings account (HSA).", "PTO (paid time off) is earned by the month."])
    {'HSA': 'health savings account', 'PTO': 'paid time off'}
    """
    found = {}  # short form -> {long form in lower case: [how often, as first seen]}
    for text in texts:
        last = 0
        for match in re.finditer(r"\(([^()]*)\)", as_text(text)):
            before = re.split("[()]", text[last : match.start()])[-1].split()  # back to the parenthesis before this one
            inside, last, pairs = match.group(1).split(), match.end(), []
            if len(inside) == 1 and is_short(inside[0]):
                size = min(len(inside[0]) + 5, 2 * len(inside[0]))
                pairs.append((inside[0], " ".join(before[-size:])))
            elif before and is_short(before[-1]):
                pairs.append((before[-1], " ".join(inside)))
            for short, words in pairs:
                long = long_form(short, words)
                if " " in long:
                    counted = found.setdefault(short, {}).setdefault(long.lower(), [0, long])
                    counted[0] += 1
    # max keeps the first of equals, and a dict keeps what was seen first in front
    return {short: max(longs.values(), key=lambda counted: counted[0])[1] for short, longs in found.items()}


def is_short(word: str) -> bool:
    """Say whether a word looks like a short form: 2 to 10 letters and digits, two capitals or digits, one a capital.

    >>> is_short("HSA"), is_short("PhD"), is_short("he"), is_short("2024")
    (True, True, False, False)
    """
    signs = sum(sign.isupper() or sign.isdigit() for sign in word)
    return word.isalnum() and 2 <= len(word) <= 10 and signs >= 2 and any(sign.isupper() for sign in word)


def spelled_out(question: str, acronyms: dict[str, str]) -> str:
    """Return the question with the long form in parentheses behind each short form that it holds.

    Only whole words count, in just this case: "US" is not "us", and LK is no word of LK-204-B (runs of \\w joined by
    single - . , / _ are one word). A short form is spelled out where it comes first, and not at all if the question
    holds its long form already, in any case.
    Lesson 16, "Acronyms".

    >>> spelled_out("Is the HSA mine? What is an HSA?", {"HSA": "health savings account"})
    'Is the HSA (health savings account) mine? What is an HSA?'
    """
    done = {short for short, long in acronyms.items() if long.lower() in as_text(question).lower()}

    def behind(match):
        short = match.group()
        if short not in acronyms or short in done:
            return short
        done.add(short)
        return f"{short} ({acronyms[short]})"

    return re.sub(r"\w+(?:[-.,/_]\w+)*", behind, question)  # a code is one word: LK-204-B


def phrasings(question: str, synonyms: dict[str, list[str]], most: int) -> list[str]:
    """Return the question first, and then with one word replaced by one of its synonyms each; at most `most` texts.

    `synonyms` is {word in lower case: [others, best first]}. The first synonym of each word comes first, in the order
    of the words in the question, then the second ones, and so forth. The word is replaced wherever it stands, as a
    whole word and in any case; the rest stays. No text comes twice (upper and lower case are one). Raises ValueError
    for `most` < 1.
    Lesson 16, "Several phrasings".

    >>> phrasings("Who pays the bill?", {"bill": ["invoice", "account"], "pays": ["settles"]}, 3)
    ['Who pays the bill?', 'Who settles the bill?', 'Who pays the invoice?']
    """
    as_most(most)
    out = [as_text(question)]
    words = list(dict.fromkeys(word.lower() for word in words_of(question)))  # each once: it is replaced everywhere
    for place in range(max((len(synonyms.get(word, ())) for word in words), default=0)):
        for word in words:
            for other in synonyms.get(word, ())[place : place + 1]:
                text = replaced(question, word, other)
                if text.lower() not in [known.lower() for known in out]:
                    out.append(text)
    return out[:most]


def replaced(text: str, word: str, other: str) -> str:
    """Return the text with a whole word replaced wherever it stands, in any case; what lies inside a word stays.

    >>> replaced("Bill him for the bill, not for the billing", "bill", "invoice")
    'invoice him for the invoice, not for the billing'
    """
    return re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", lambda _: other, text, flags=re.IGNORECASE)


def mean_vector(question_vector, answer_vectors):
    """Return HyDE's vector: the mean of the question's and all answers', brought to length 1, (d,) float64.

    `question_vector` is (d,), `answer_vectors` (m, d), m from 0. The question counts as one answer does. A mean of
    zeros stays zeros. Raises ValueError where the widths differ or a number is not finite.
    Lesson 16, "An answer made up".

    >>> mean_vector(np.array([1.0, 0.0]), np.array([[0.0, 1.0], [2.0, 2.0]])).round(3).tolist()
    [0.707, 0.707]
    """
    question, answers = as_vectors(question_vector, answer_vectors)
    rows = np.vstack([question[None, :], answers])
    return unit(in_range(rows.reshape(-1)).reshape(rows.shape).mean(axis=0))  # in range: no sum is beyond a float
