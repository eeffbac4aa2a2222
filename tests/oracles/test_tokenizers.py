"""WordPiece against the package tokenizers: the same pieces for 2,000 generated texts of many scripts.

Its Unicode tables end about 2015, so the texts hold no character that came later; a test shows what happens to those.
"""

import random
import unicodedata

import pytest

from firstprinciples.encode.wordpiece import SPECIAL, WordPiece

pytestmark = [pytest.mark.peers, pytest.mark.models]

BLOCKS = {  # of which letters the words of a script are made
    "english": "abcdefghijklmnopqrstuvwxyzETAOIN", "accents": "àâäåæçéèêëíïñóôöøœßúüÿÉÅÇÖÜŁłŠšŽžİıĞğ",
    "combining": "aeiounE\u0301\u0300\u0308\u0323\u0327\u030a", "cyrillic": "абвгдежзийклмнопрстуфхцчшщъыьэюяёЁЙїґЄ",
    "greek": "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώΣΆϊΐ",
    "arabic": "ابتثجحخدذرزسشصضطظعغفقكلمنهويءآأؤإئةى\u064b\u064e\u0651\u0640",
    "hebrew": "אבגדהוזחטיךכלםמןנסעףפץצקרשת\u05b8\u05b7\u05bc",
    "devanagari": "अआइईउऊएऐओऔकखगघचछजझटठडढणतथदधनपफबभमयरलवशषसह\u093e\u093f\u0940\u0941\u0947\u094d\u0902",
    "thai": "กขคงจฉชซญดตถทนบปผฝพฟมยรลวศสหอะาำเแโ\u0e34\u0e35\u0e48\u0e49",
    "cjk": "中文合約東京都人山水的一是不了在有大這國㐀豈",
    "kana": "あいうえおかがきぎくぐこごさざしじアイウエオガギグゲゴーパピプ",
    "hangul": "초과근무수당한국어서울가나다라마바사",
    "signs": "!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~¿¡«»“”‘’…—–•§¶。、「」،؟।€£×÷±°©™½²",
    "emoji": "😀😂🎉👍🏔🚀❤\ufe0f\u200d☀✓",
    "controls": "\x00\x01\x07\x08\x0b\x0c\x0e\x1b\x1c\x1f\x7f\x85\ufffd",
    "zero width": "\u200b\u200c\u200d\u200e\u2060\ufeff\u00ad", "digits": "0123456789٠١٢३४५１２ⅣⅦ",
}
SPACES = [" "] * 12 + ["\t", "\n", "\r\n", "\u00a0", "\u2003", "\u2028", "\u3000", "  "]
FIXED = ["E_4432", "LK-204-B", "2024-03", "1,284.50", "don't", "[MASK]", "[SEP]", "[CLS]", "[PAD]", "[UNK]", "[mask]",
         "##ing", "[[MASK]]", "a[SEP]b", "[MA\u200bSK]", "x" * 100, "y" * 101, "é" * 100, "é" * 60 + "z" * 60,
         "中" * 120,
         "http://a.b/c?d=e&f", "café", "CAFE\u0301", "naïve", "unaffable", "defibrillators", "Straße", "ﬁnd", "ΣΟΦΟΣ",
         "İstanbul"]
WORDS = ("the invoice was paid in march and the tent is red how much do we owe annual leave password reset server "
         "outage amount owing receipt warehouse supercalifragilistic unbelievable photosynthesis").split()


def generate(n, seed=0):
    """Return n texts of 0 to 25 words of one to four scripts."""
    draw = random.Random(seed)
    for _ in range(n):
        scripts, text = draw.sample(sorted(BLOCKS), draw.randint(1, 4)), ""
        for _ in range(draw.randint(0, 25)):
            kind = draw.random()
            if kind < 0.25:
                text += draw.choice(WORDS)
            elif kind < 0.4:
                text += draw.choice(FIXED)
            else:
                letters = "".join(BLOCKS[draw.choice(scripts)] for _ in range(draw.randint(1, 2)))
                text += "".join(draw.choices(letters, k=draw.randint(1, 9)))
            text += draw.choice(SPACES) if draw.random() < 0.9 else ""
        yield text


@pytest.fixture
def both(model_files):
    """Return (our tokenizer, theirs) with the vocabulary of MiniLM."""
    tokenizers = pytest.importorskip("tokenizers", reason="needs tokenizers: python3 -m firstprinciples test --peers")
    path = model_files("minilm") / "vocab.txt"
    return WordPiece(path), tokenizers.BertWordPieceTokenizer(str(path), lowercase=True)


def pieces(theirs, text):
    return theirs.encode(text, add_special_tokens=False).tokens


def test_2000_texts(both):
    ours, theirs = both
    texts = list(generate(2000))
    assert len(set(texts)) > 1900
    assert all(any(set(letters) & set(text) for text in texts) for letters in BLOCKS.values())
    assert [text for text in texts if ours.tokenize(text) != pieces(theirs, text)] == []


def test_ids_and_cutting(both):
    ours, theirs = both
    theirs.enable_truncation(24)
    texts = list(generate(300, seed=1))
    assert [ours.ids(text, 24)[0] for text in texts] == [theirs.encode(text).ids for text in texts]
    assert 50 < sum(ours.ids(text, 24)[1] for text in texts) < 290


def test_every_character_that_is_old_enough(both):
    ours, theirs = both
    old, kinds = unicodedata.ucd_3_2_0, unicodedata.category  # what Unicode had in 2002 and has kept as it was
    characters = [c for c in map(chr, range(0x30000)) if kinds(c) == old.category(c) and kinds(c) not in ("Cn", "Cs")]
    assert len(characters) > 90_000
    assert [c for c in characters if ours.tokenize(f"a{c}b {c}") != pieces(theirs, f"a{c}b {c}")] == []


def test_a_mark_that_came_later_is_cleaned_away_by_ours_alone(both):
    ours, theirs = both
    assert ours.tokenize("a\u1ac9b") in (["ab"], ["[UNK]"])  # of Unicode 14; as this Python's own table has it
    assert pieces(theirs, "a\u1ac9b") == ["[UNK]"]


def test_the_special_tokens_are_the_same(both):
    ours, theirs = both
    assert [ours.id[token] for token in SPECIAL] == [theirs.token_to_id(token) for token in SPECIAL]
