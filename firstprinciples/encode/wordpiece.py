"""WordPiece: cut a text into the pieces of words that a BERT model knows.

The problem. A table with one vector a word can't hold every word: names, codes and misspellings never end. BERT's table
has 30,522 rows: some 22,000 whole words, single characters, and 5,828 pieces that go on within a word, written with ##:

    "defibrillators at E_4432"  ->  def ##ib ##rill ##ators at e _ 44 ##32

So nothing is unknown that has known letters, and a code falls to pieces. That is why a model like this finds "amount
owing" for "bill", and has little to hold on to in E_4432.

The way there, in the order of the functions below: `clean` the text, cut it into `words`, and cut each word into
`pieces`, always taking the longest one that the vocabulary has. Source: J. Devlin et al., "BERT: Pre-training of Deep
Bidirectional Transformers", 2019, and the tokenizer that was published with it, uncased; WordPiece itself is of
M. Schuster and K. Nakajima, "Japanese and Korean Voice Search", 2012.

Decided: [MASK] in a text, written exactly so, is the special token and not three words, and so are [CLS], [SEP], [UNK]
and [PAD]; the tokenizer that is published with these models does the same, and one can ask the model for a word by
typing [MASK]. Other tokenizers have their own Unicode tables: the published one knows signs and accents up to about the
year 2015, Python newer ones, so a rare sign that came later may be [UNK] there and cleaned away here.
"""

import re
import unicodedata
from functools import cache
from itertools import islice
from pathlib import Path

PAD, UNKNOWN, START, END, MASK = SPECIAL = "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"
LONGEST_WORD = 100  # characters; a longer word is one [UNK]
# the blocks of Chinese characters, each of which is a word of its own; the sixth begins where the published one does
CJK = [(0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
       (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)]
ASCII_SIGNS = set("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")  # all of them split words, also $ + < = > ^ ` | ~


@cache
def clean_character(character: str) -> str:
    """Return what becomes of one character: itself, lower-case without its accents, a space, spaced, or nothing.

    White space of any kind becomes one space; control characters and zero-width ones go; a Chinese character stands
    between spaces; an accent goes, so that "e" is left of "é". May return several characters.

    >>> clean_character("É"), clean_character("\\u200b"), clean_character("\\n"), clean_character("山")
    ('e', '', ' ', ' 山 ')
    """
    if character in "\t\n\r":
        return " "
    if character == "\ufffd" or unicodedata.category(character) in ("Cc", "Cf", "Co", "Cs"):
        return ""
    if character.isspace():
        return " "
    if any(low <= ord(character) <= high for low, high in CJK):
        return f" {unicodedata.normalize('NFD', character)} "
    apart = unicodedata.normalize("NFD", character)
    return "".join(c.lower() for c in apart if unicodedata.category(c) != "Mn")


@cache
def is_sign(character: str) -> bool:
    """Say whether a character is a punctuation sign, which is a word of its own.

    >>> is_sign("_"), is_sign("¿"), is_sign("é")
    (True, True, False)
    """
    return character in ASCII_SIGNS or unicodedata.category(character)[0] == "P"


def clean(text: str) -> str:
    """Return the text in lower case, without accents and control characters, Chinese characters between spaces.

    >>> clean("Café\\tÜber")
    'cafe uber'
    """
    return "".join(map(clean_character, text))


def words(text: str) -> list[str]:
    """Cut a cleaned text at white space and around each punctuation sign.

    >>> words("don't, see e_4432")
    ['don', "'", 't', ',', 'see', 'e', '_', '4432']
    """
    return "".join(f" {c} " if is_sign(c) else c for c in text).split()


def pieces(word: str, vocabulary) -> list[str]:
    """Cut a word into pieces of the vocabulary: the longest that fits from the left, then again from there.

    A piece that is not at the beginning of the word is written with ## before it. A word that can't be cut so to its
    end, or of more than 100 characters, is ["[UNK]"].

    >>> pieces("owing", {"ow", "o", "##ing", "##in"})
    ['ow', '##ing']
    """
    if len(word) > LONGEST_WORD:
        return [UNKNOWN]
    found, start = [], 0
    while start < len(word):
        end = len(word)
        while end > start and ("##" if start else "") + word[start:end] not in vocabulary:
            end -= 1
        if end == start:
            return [UNKNOWN]
        found.append(("##" if start else "") + word[start:end])
        start = end
    return found


class WordPiece:
    """The three steps with a vocabulary: a list of pieces, or a file with one a line; their positions are their ids.

    Raises ValueError for a vocabulary without the special tokens [PAD], [UNK], [CLS], [SEP] and [MASK], or with a piece
    twice, and FileNotFoundError if there is no such file.

    >>> tokenizer = WordPiece([*SPECIAL, "red", "ten", "##t", "##s"])
    >>> tokenizer.tokenize("Red tents")
    ['red', 'ten', '##t', '##s']
    >>> tokenizer.ids("Red tents")
    ([2, 5, 6, 7, 8, 3], False)
    """

    def __init__(self, vocabulary):
        if isinstance(vocabulary, (str, Path)):
            path = Path(vocabulary)
            if not path.is_file():
                raise FileNotFoundError(f"There is no file {path}.")
            vocabulary = path.read_text(encoding="utf-8").rstrip("\n").split("\n")
        self.vocabulary = list(vocabulary)
        self.id = {piece: i for i, piece in enumerate(self.vocabulary)}
        missing = [token for token in SPECIAL if token not in self.id]
        if missing:
            raise ValueError(f"The vocabulary lacks {missing[0]}; it is not that of a BERT model.")
        if len(self.id) < len(self.vocabulary):
            twice = next(piece for i, piece in enumerate(self.vocabulary) if self.id[piece] != i)
            raise ValueError(f"The piece {twice!r} stands twice in the vocabulary.")
        self._special = re.compile("(" + "|".join(map(re.escape, SPECIAL)) + ")")

    def tokenize(self, text: str) -> list[str]:
        """Return the pieces of a text, without [CLS] and [SEP] around them. Raises TypeError for what is no string."""
        return list(self._pieces(text))

    def _pieces(self, text: str):
        """Yield the pieces of a text: who needs only the first ones need not wait for all."""
        if not isinstance(text, str):
            raise TypeError(f"A text must be a string, not {type(text).__name__}.")
        for part in self._special.split(text):
            if part in SPECIAL:
                yield part
            else:
                for word in words(clean(part)):
                    yield from pieces(word, self.id)

    def ids(self, text: str, max_tokens: int = 256) -> tuple[list[int], bool]:
        """Return (ids of the pieces between [CLS] and [SEP], whether the text was cut to have at most `max_tokens`).

        What is cut off is the end of the text; [CLS] and [SEP] are counted. Raises ValueError if max_tokens is below 2.
        """
        if max_tokens < 2:
            raise ValueError(f"max_tokens is {max_tokens}; [CLS] and [SEP] alone are 2.")
        found = list(islice(self._pieces(text), max_tokens - 1))  # one more than fits says that the text is cut
        kept = [START, *found[:max_tokens - 2], END]
        return [self.id[piece] for piece in kept], len(found) > max_tokens - 2
