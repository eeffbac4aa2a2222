"""Text into words: one tokenizer, used everywhere.

A search by words can only find what the tokenizer made a word. `"E_4432?".lower().split()` gives `e_4432?`, which
matches nothing; the tokenizer below gives `e_4432`, `e` and `4432`. Three ideas, each a function:

- `tokenize`: lower-cased Unicode words; a code such as LK-204-B is kept whole and also taken apart; Chinese,
  Japanese and Korean, which are written without spaces or join words to their endings, become overlapping pairs;
- `STOP_WORDS`: 33 words so common that they carry almost nothing (the list of the Lucene search library);
- `stem`: cuts endings so that "invoices" meets "invoice". M. F. Porter, "An algorithm for suffix stripping",
  Program 14(3), 1980, as published there.
"""

import re
import unicodedata
from functools import lru_cache

STOP_WORDS = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they "
    "this to was will with".split()
)

JOINERS = "-'’.,/_"  # what may stand, one at a time, inside a code: LK-204-B, 2024-03, don't, 1,284.50, E_4432

# Han, Hiragana, Katakana and Hangul, the scripts that are cut into pairs of characters
CJK = re.compile("([々\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+)")


def tokenize(text: str, codes: bool = True, stop_words: bool = False, stem: bool = False) -> list[str]:
    """Return the words of `text`, in order, lower-cased.

    `codes` keeps a code as one word and adds its parts after it; `stop_words` drops the 33 of STOP_WORDS; `stem`
    cuts endings (never those of a whole code). Composed and decomposed accents give the same words. Raises TypeError
    when `text` is not a string.

    >>> tokenize("Invoice E_4432, 2 March")
    ['invoice', 'e_4432', 'e', '4432', '2', 'march']
    >>> tokenize("The invoices", stop_words=True, stem=True)
    ['invoic']
    >>> tokenize("中文合約")
    ['中文', '文合', '合約']
    """
    if not isinstance(text, str):
        raise TypeError(f"tokenize needs a string, not {type(text).__name__}.")
    text = unicodedata.normalize("NFC", text.lower()).replace("’", "'")
    words = []
    for match in _pattern(_marks(text), codes).finditer(text):
        whole = match.group()
        parts = re.split(f"[{JOINERS}]", whole) if codes else [whole]
        if len(parts) > 1:
            words.append(whole)  # the whole code first, kept as it is
        for part in parts:
            for word in _pairs(part):
                if not (stop_words and word in STOP_WORDS):
                    words.append((_stem(word) or word) if stem else word)  # of a lone "s" the stemmer leaves nothing
    return words


def _marks(text: str) -> str:
    """Return the combining marks in `text`: letters in Hindi and Thai that Python's `\\w` leaves out."""
    if text.isascii():
        return ""
    return "".join(sorted(c for c in set(text) if unicodedata.category(c).startswith("M")))


@lru_cache(maxsize=64)
def _pattern(marks: str, codes: bool) -> re.Pattern:
    """Return what a word looks like in a text with these combining marks."""
    if not codes:
        return re.compile(f"\\w[\\w{marks}]*")  # a mark alone, as after an emoji, is no word
    run = f"[^\\W_](?:[^\\W_]|[{marks}])*" if marks else "[^\\W_]+"
    return re.compile(f"{run}(?:[{JOINERS}]{run})*")


def _pairs(word: str) -> list[str]:
    """Return `word`, or where it is Chinese, Japanese or Korean its overlapping pairs of characters."""
    if word.isascii():
        return [word]
    out = []
    for place, piece in enumerate(CJK.split(word)):
        if place % 2 == 0 or len(piece) < 3:  # not CJK, or already a pair or a single character
            out += [piece] if piece else []
        else:
            out += [piece[i : i + 2] for i in range(len(piece) - 1)]
    return out


# The Porter stemmer. A word is read as consonants and vowels: [C](VC){m}[V]. The number m, its measure, says how much
# is left before an ending: "tr" 0, "trouble" 1, "private" 2. An ending goes only when enough remains.

STEP_2 = dict(pair.split(":") for pair in (
    "ational:ate tional:tion enci:ence anci:ance izer:ize abli:able alli:al entli:ent eli:e ousli:ous ization:ize "
    "ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble").split())
STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
STEP_4 = ("al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize").split()


def stem(word: str) -> str:
    """Return the Porter stem of one lower-case word; letters outside a-z count as consonants.

    >>> [stem(w) for w in ["invoices", "relational", "hopping", "owing"]]
    ['invoic', 'relat', 'hop', 'ow']
    """
    word = _plural(word)
    word = _past(word)
    if word.endswith("y") and "v" in _shape(word[:-1]):  # 1c: happy -> happi, but sky stays
        word = word[:-1] + "i"
    word = _replace(word, STEP_2)
    word = _replace(word, STEP_3)
    return _tidy(_remove(word))


def _plural(word: str) -> str:
    """Step 1a: sses -> ss, ies -> i, ss stays, s goes."""
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    """Step 1b: eed -> ee, ed and ing go; then the stem is mended: hopp -> hop, fil -> file."""
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        rest = word.removesuffix(ending)
        if rest != word and "v" in _shape(rest):
            if rest.endswith(("at", "bl", "iz")):
                return rest + "e"
            if _doubled(rest) and rest[-1] not in "lsz":
                return rest[:-1]
            return rest + "e" if _measure(rest) == 1 and _short(rest) else rest
        if rest != word:
            return word
    return word


def _replace(word: str, endings: dict[str, str]) -> str:
    """Steps 2 and 3: swap the longest ending that fits, if something with m > 0 is left before it."""
    for size in range(min(7, len(word)), 1, -1):
        if word[-size:] in endings:
            rest = word[:-size]
            return rest + endings[word[-size:]] if _measure(rest) > 0 else word
    return word


def _remove(word: str) -> str:
    """Step 4: drop the longest ending that fits, if m > 1 is left; "ion" only after s or t."""
    ending = max((e for e in STEP_4 if word.endswith(e)), key=len, default="")
    rest = word.removesuffix(ending)
    if not ending or _measure(rest) < 2 or (ending == "ion" and not rest.endswith(("s", "t"))):
        return word
    return rest


def _tidy(word: str) -> str:
    """Step 5: a last e goes, and one of two l."""
    if word.endswith("e"):
        m = _measure(word[:-1])
        if m > 1 or (m == 1 and not _short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


def _shape(word: str) -> str:
    """Return c for each consonant and v for each vowel; y is a vowel after a consonant."""
    shape = ""
    for i, letter in enumerate(word):
        vowel = letter in "aeiou" or (letter == "y" and i > 0 and shape[i - 1] == "c")
        shape += "v" if vowel else "c"
    return shape


def _measure(word: str) -> int:
    """Return m, how often a vowel is followed by a consonant."""
    return _shape(word).count("vc")


def _doubled(word: str) -> bool:
    """Say whether the word ends in the same consonant twice."""
    return len(word) > 1 and word[-1] == word[-2] and _shape(word)[-1] == "c"


def _short(word: str) -> bool:
    """Say whether the word ends consonant, vowel, consonant, the last not w, x or y."""
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"


_stem = lru_cache(maxsize=200_000)(stem)
