"""What a language model said, cut so that its receipts can be checked one sentence at a time.

The problem. A model writes "It is $40. [1]", "- It is $40 [1]" or "It is $40 [1]." It says "I could not find that." and
means what the note asked for, "I couldn't find that." These are the few forms that are known here; what has another
one has no receipt, and the rules answer in its place.
"""

import re

from firstprinciples.generate.checks import as_text
from firstprinciples.ingest.chunking import sentences

CITED = re.compile(r"\[ *[0-9]{1,9}(?: *, *[0-9]{1,9})* *\]")  # a citation, as `answer.citations` reads it


def claims(text: str) -> list[str]:
    """Cut a model's answer into sentences, each with the citations that stand behind its period.

    >>> claims("It is $40. [1] It was paid [2, 3].")
    ['It is $40 [1].', 'It was paid [2, 3].']
    """
    text = re.sub(rf"([.!?…。！？]+)\s*({CITED.pattern}(?:\s*{CITED.pattern})*)", r" \2\1 ", as_text(text))
    pieces = [re.sub(r"^(?:[-*•]|\d{1,3}[.)])\s+", "", text[start:end]) for start, end in sentences(text)]
    return [piece for piece in pieces if any(sign.isalnum() for sign in CITED.sub("", piece))]


def is_silence(text: str) -> bool:
    """Say whether a model's answer says that it found nothing, and nothing else.

    >>> is_silence("I couldn’t find that."), is_silence("I couldn't find that. It is 4 [1].")
    (True, False)
    """
    return re.sub(r"[^a-z ]", "", text.lower().replace("could not", "couldnt")).strip() == "i couldnt find that"
