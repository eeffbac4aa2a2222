"""WordPiece: cleaning, words, pieces; by hand with a vocabulary of our own."""

import pytest

from firstprinciples.encode import wordpiece
from firstprinciples.encode.wordpiece import (
    SPECIAL,
    WordPiece,
    clean,
    clean_character,
    is_sign,
    pieces,
    words,
)

PIECES = [*SPECIAL, *"red tent ##s e _ 44 ##32 un ##aff ##able cafe 山 水 ' don t [ mask ] ##t σοφο ##σ ! ,".split()]


@pytest.fixture
def tokenizer():
    return WordPiece(PIECES)


@pytest.mark.parametrize("text, cleaned", [
    ("Café CAFE\u0301", "cafe cafe"), ("a\u200bb\u00ad\u200d\ufeffc", "abc"),
    ("a\tb\nc\rd\u00a0e\u3000f\u2028g", "a b c d e f g"),
    ("a\x00b\x07c\x0bd\x85e\ufffd", "abcde"), ("x山水y", "x 山  水 y"), ("ΣΟΦΟΣ", "σοφοσ"), ("İ", "i"),
    ("Straße", "straße"),
    ("\u0928\u094d\u0926\u0940", "\u0928\u0926\u0940"), ("ﬁ", "ﬁ"), ("\ue000x", "x"), ("", "")])
def test_clean(text, cleaned):
    assert clean(text) == cleaned


def test_hangul_comes_apart_into_letters_as_nfd_has_it():
    assert clean("초") == "\u110e\u1169"


def test_each_sign_is_a_word():
    assert words("a--b, c_d $5 <x> `y` ~z|w ^") == "a - - b , c _ d $ 5 < x > ` y ` ~ z | w ^".split()
    assert words("¿que? «oui» 。") == ["¿", "que", "?", "«", "oui", "»", "。"]
    assert words("5€ a×b") == ["5€", "a×b"]  # symbols beyond ASCII are no punctuation
    assert is_sign("$") and not is_sign("€") and is_sign("。") and not is_sign("a")


def test_the_longest_piece_first(tokenizer):
    assert tokenizer.tokenize("unaffable tents") == ["un", "##aff", "##able", "tent", "##s"]
    assert pieces("aaab", {"a", "aa", "##a", "##ab", "##b"}) == ["aa", "##ab"]
    assert pieces("aab", {"a", "aa", "##ab"}) == ["[UNK]"]  # greedy: "aa" is taken and leaves "##b", which is not there


def test_a_code_falls_to_pieces(tokenizer):
    assert tokenizer.tokenize("E_4432") == ["e", "_", "44", "##32"]


def test_an_unknown_word_is_one_token(tokenizer):
    assert tokenizer.tokenize("red zzz tentz!") == ["red", "[UNK]", "[UNK]", "!"]


def test_words_of_more_than_100_characters():
    tokenizer = WordPiece([*SPECIAL, "a", "##a"])
    assert tokenizer.tokenize("a" * 100) == ["a"] + ["##a"] * 99
    assert tokenizer.tokenize("a" * 101) == ["[UNK]"]


def test_special_tokens_written_in_the_text(tokenizer):
    assert tokenizer.tokenize("red [MASK] tent[SEP]") == ["red", "[MASK]", "tent", "[SEP]"]
    assert tokenizer.tokenize("[mask] [Mask]") == ["[", "mask", "]", "[", "mask", "]"]
    assert tokenizer.tokenize("[MASK") == ["[", "mask"]
    assert tokenizer.tokenize("[M\u200bASK]") == ["[", "mask", "]"]  # looked for before anything is cleaned away


def test_ids_and_cutting(tokenizer):
    assert tokenizer.ids("Red tents!") == ([2, 5, 6, 7, PIECES.index("!"), 3], False)
    assert tokenizer.ids("Red tents!", max_tokens=6)[1] is False
    assert tokenizer.ids("Red tents!", max_tokens=5) == ([2, 5, 6, 7, 3], True)
    assert tokenizer.ids("Red tents!", max_tokens=2) == ([2, 3], True)
    assert tokenizer.ids("") == ([2, 3], False) and tokenizer.ids("\x00 \n") == ([2, 3], False)
    with pytest.raises(ValueError, match=r"max_tokens is 1; \[CLS\] and \[SEP\] alone are 2"):
        tokenizer.ids("red", max_tokens=1)


def test_what_is_cut_off_is_not_cut_into_pieces(tokenizer, monkeypatch):
    asked = []
    monkeypatch.setattr(wordpiece, "pieces", lambda word, vocabulary: asked.append(word) or [word])
    assert tokenizer.ids("red tent " * 1000, max_tokens=6) == ([2, 5, 6, 5, 6, 3], True)
    assert asked == ["red", "tent", "red", "tent", "red"]


def test_a_vocabulary_from_a_file(tmp_path):
    for newline in ("\n", "\r\n"):
        (tmp_path / "vocab.txt").write_bytes((newline.join(PIECES) + newline).encode("utf-8"))
        assert WordPiece(tmp_path / "vocab.txt").vocabulary == PIECES
    assert WordPiece(str(tmp_path / "vocab.txt")).ids("red")[0] == [2, 5, 3]


def test_wrong_vocabularies(tmp_path):
    with pytest.raises(ValueError, match=r"^The vocabulary lacks \[SEP\]; it is not that of a BERT model\.$"):
        WordPiece(["[PAD]", "[UNK]", "[CLS]", "red", "[MASK]"])
    with pytest.raises(ValueError, match="^The piece 'red' stands twice in the vocabulary.$"):
        WordPiece([*SPECIAL, "red", "tent", "red"])
    with pytest.raises(FileNotFoundError, match="^There is no file .*none.txt.$"):
        WordPiece(tmp_path / "none.txt")


@pytest.mark.parametrize("text", [None, 3, b"red", ["red"], float("nan")])
def test_no_string(tokenizer, text):
    with pytest.raises(TypeError, match="^A text must be a string, not "):
        tokenizer.tokenize(text)


def test_lone_surrogates_do_no_harm(tokenizer):
    assert tokenizer.tokenize("red\ud83d tent") == ["red", "tent"]


def test_one_character():
    assert clean_character("É") == "e" and clean_character("\u0301") == "" and clean_character("\u3000") == " "
