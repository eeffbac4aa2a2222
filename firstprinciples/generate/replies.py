"""What a language model said, cut so that its receipts can be checked one sentence at a time.

The problem. A model writes "It is $40. [1]", "- It is $40 [1]" or "It is $40 [1]." It says "I could not find that." and
means what the note asked for, "I couldn't find that." These are the few forms that are known here; what has another
one has no receipt, and the rules answer in its place.
"""

import re

from firstprinciples.generate.checks import as_text
from firstprinciples.ingest.chunking import sentences

CITED = re.compile(r"\[ *[0-9]{1,9}(?: *, *[0-9]{1,9})* *\]")  # a citation, as `answer.citations` reads it
# a period, what closes behind it, as " and ), and citations; only where a run of periods begins: in linear time
BEHIND = re.compile(r"(?<![.!?…。！？])([.!?…。！？]+)([\"'”’»*_`)]*)\s*" rf"({CITED.pattern}(?:\s*{CITED.pattern})*)")
RECEIPT = re.compile(r"\[[^\[\]]*,\s*page\b[^\[\]]*\]", re.IGNORECASE)  # what `answer.receipt` writes, and no model may
MARKER = re.compile(r"^\(?([0-9]{1,3})[.)]\s+")  # the number of an item of a list


def claims(text: str) -> list[str]:
    """Cut a model's answer into sentences, each with the citations that stand behind its period.

    The signs and numbers of a list go, numbers only where they count 1, 2 and so on: "13. April" keeps its day.

    >>> claims("It is $40. [1] It was paid [2, 3].")
    ['It is $40 [1].', 'It was paid [2, 3].']
    """
    text = re.sub(r"\[[\d, ]*\]", lambda match: plain_digits(match.group()), as_text(text))
    text = BEHIND.sub(r"\2 \3\1 ", text)
    pieces = [text[start:end] for start, end in sentences(text)]
    numbered = [(place, MARKER.match(piece)) for place, piece in enumerate(pieces)]
    numbered = [(place, int(match[1])) for place, match in numbered if match and match[1]]
    if len(numbered) > 1 and [number for _, number in numbered] == list(range(1, len(numbered) + 1)):
        for place, _ in numbered:
            pieces[place] = MARKER.sub("", pieces[place])
    pieces = [re.sub(r"^[-*+•>]\s+", "", piece) for piece in pieces]
    return [piece for piece in pieces if any(sign.isalnum() for sign in CITED.sub("", piece))]


def plain_digits(text: str) -> str:
    """Return a text with the digits of any script as 0 to 9, so that a number can be looked for on a page.

    >>> plain_digits("４０ or ٤٠")
    '40 or 40'
    """
    return text if text.isascii() else re.sub(r"\d", lambda match: str(int(match.group())), text)


def is_silence(text: str) -> bool:
    """Say whether a model's answer says that it found nothing, and nothing else; citations do not count.

    >>> is_silence("I couldn’t find that."), is_silence("I couldn't find that. It is 4 [1].")
    (True, False)
    """
    words = re.findall(r"\w+", re.sub("['’]", "", CITED.sub(" ", text.lower())))
    return " ".join(words).replace("could not", "couldnt") == "i couldnt find that"
