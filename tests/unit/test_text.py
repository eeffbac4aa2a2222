"""Text into words: every expected list was written by hand from the rules in text.py's docstring."""

import random
import unicodedata

import pytest

from firstprinciples import text
from firstprinciples.text import STOP_WORDS, stem, tokenize

# (what is written, its words with codes, its words without)
TABLE = [
    ("café", ["café"], ["café"]),
    ("초과근무", ["초과", "과근", "근무"], ["초과", "과근", "근무"]),
    ("हिन्दी में छुट्टी", ["हिन्दी", "में", "छुट्टी"], ["हिन्दी", "में", "छुट्टी"]),
    ("中文合約", ["中文", "文合", "合約"], ["中文", "文合", "合約"]),
    ("E_4432", ["e_4432", "e", "4432"], ["e_4432"]),  # the underline is a word character, so \w+ keeps it
    ("don't", ["don't", "don", "t"], ["don", "t"]),
    ("don’t", ["don't", "don", "t"], ["don", "t"]),  # both apostrophes give the straight one
    ("2024-03", ["2024-03", "2024", "03"], ["2024", "03"]),
    ("1,284.50", ["1,284.50", "1", "284", "50"], ["1", "284", "50"]),
    ("LK-204-B", ["lk-204-b", "lk", "204", "b"], ["lk", "204", "b"]),
    ("invoice/2024", ["invoice/2024", "invoice", "2024"], ["invoice", "2024"]),
]


@pytest.mark.parametrize("written, with_codes, without", TABLE)
def test_words_with_and_without_codes(written, with_codes, without):
    assert tokenize(written) == with_codes
    assert tokenize(written, codes=True) == with_codes
    assert tokenize(written, codes=False) == without


@pytest.mark.parametrize("written, with_codes, without", TABLE)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_composed_and_decomposed_text_give_the_same_words(written, with_codes, without, form):
    assert tokenize(unicodedata.normalize(form, written)) == with_codes
    assert tokenize(unicodedata.normalize(form, written), codes=False) == without


def test_decomposed_examples_really_differ():
    # without this the test above could compare a string with itself
    assert unicodedata.normalize("NFD", "café") == "cafe\u0301"
    assert len(unicodedata.normalize("NFD", "초과근무")) == 9  # 2 + 2 + 3 + 2 letters in its four syllables


@pytest.mark.parametrize("around", ["{}", "({})", "{}.", "{}?!", "“{}”", "-{}-", "'{}',", " {}\n", "${}"])
def test_what_stands_around_a_code_is_not_part_of_it(around):
    assert tokenize(around.format("LK-204-B")) == ["lk-204-b", "lk", "204", "b"]
    assert tokenize(around.format("1,284.50")) == ["1,284.50", "1", "284", "50"]


def test_only_a_single_joiner_makes_a_code():
    assert tokenize("first--second") == ["first", "second"]
    assert tokenize("one, two. three") == ["one", "two", "three"]
    assert tokenize("a.,b") == ["a", "b"]


def test_two_codes_side_by_side():
    assert tokenize("PO-7731 AUTH-21") == ["po-7731", "po", "7731", "auth-21", "auth", "21"]


def test_words_keep_their_order_and_their_repeats():
    assert tokenize("Tent, tent and TENT") == ["tent", "tent", "and", "tent"]


def test_scripts_that_share_a_word():
    assert tokenize("ab中文合cd") == ["ab", "中文", "文合", "cd"]
    assert tokenize("中") == ["中"]
    assert tokenize("中文") == ["中文"]
    assert tokenize("ひらがな") == ["ひら", "らが", "がな"]


def test_a_letter_whose_lower_case_is_a_letter_and_a_mark_stays_in_its_word():
    assert tokenize("İzmir") == ["i\u0307zmir"]


def test_the_stop_list_is_lucenes():
    assert sorted(STOP_WORDS) == [
        "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not",
        "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will",
        "with"]
    assert len(STOP_WORDS) == 33


def test_stop_words_are_dropped_only_when_asked():
    said = "This is the tent that they will not mend"
    assert tokenize(said) == ["this", "is", "the", "tent", "that", "they", "will", "not", "mend"]
    assert tokenize(said, stop_words=True) == ["tent", "mend"]
    assert tokenize(" ".join(STOP_WORDS), stop_words=True) == []


def test_stop_words_inside_a_code_go_and_the_code_stays():
    assert tokenize("off-the-shelf", stop_words=True) == ["off-the-shelf", "off", "shelf"]


def test_stems_only_when_asked():
    assert tokenize("Relational invoices hopping") == ["relational", "invoices", "hopping"]
    assert tokenize("Relational invoices hopping", stem=True) == ["relat", "invoic", "hop"]


def test_a_whole_code_is_never_stemmed_and_its_parts_are():
    assert tokenize("re-routings", stem=True) == ["re-routings", "re", "rout"]
    assert tokenize("re-routings", codes=False, stem=True) == ["re", "rout"]


def test_no_word_is_stemmed_away():
    assert stem("s") == ""
    assert tokenize("It's the S", stem=True) == ["it's", "it", "s", "the", "s"]


def test_stop_words_are_looked_up_before_the_endings_go():
    assert tokenize("this thesis", stop_words=True, stem=True) == ["thesi"]  # "this" would have become "thi"


@pytest.mark.parametrize("nothing", ["", "   \n\t", "?!... --- *** — …", "🙂🎉", "❤️", "\u0301", "'’-.,/"])
def test_text_without_a_word(nothing):
    assert tokenize(nothing) == []
    assert tokenize(nothing, codes=False) == []


def test_an_emoji_between_words():
    assert tokenize("red❤️ tent 👍🏽 ok") == ["red", "tent", "ok"]


@pytest.mark.parametrize("wrong, kind", [(None, "NoneType"), (b"tent", "bytes"), (5, "int"), (["tent"], "list")])
def test_what_is_not_text_is_refused(wrong, kind):
    with pytest.raises(TypeError, match=f"^tokenize needs a string, not {kind}.$"):
        tokenize(wrong)


def test_very_long_text():
    assert tokenize("tent " * 200_000) == ["tent"] * 200_000
    assert tokenize("a" * 300_000) == ["a" * 300_000]
    chain = "-".join(["ab"] * 20_000)
    assert tokenize(chain) == [chain] + ["ab"] * 20_000
    assert len(tokenize("中" * 50_000)) == 49_999


# The examples of Porter's paper, rule by rule (Program 14(3), 1980, pages 130 to 137)

STEP_1A = "caresses:caress ponies:poni ties:ti caress:caress cats:cat"
STEP_1B = ("feed:feed agreed:agree plastered:plaster bled:bled motoring:motor sing:sing conflated:conflate "
           "troubled:trouble sized:size hopping:hop tanned:tan falling:fall hissing:hiss fizzed:fizz failing:fail "
           "filing:file")
STEP_2 = ("relational:relate conditional:condition rational:rational valenci:valence hesitanci:hesitance "
          "digitizer:digitize conformabli:conformable radicalli:radical differentli:different vileli:vile "
          "analogousli:analogous vietnamization:vietnamize predication:predicate operator:operate feudalism:feudal "
          "decisiveness:decisive hopefulness:hopeful callousness:callous formaliti:formal sensitiviti:sensitive "
          "sensibiliti:sensible")
STEP_3 = ("triplicate:triplic formative:form formalize:formal electriciti:electric electrical:electric hopeful:hope "
          "goodness:good")
STEP_4 = ("revival:reviv allowance:allow inference:infer airliner:airlin gyroscopic:gyroscop adjustable:adjust "
          "defensible:defens irritant:irrit replacement:replac adjustment:adjust dependent:depend adoption:adopt "
          "homologou:homolog communism:commun activate:activ angulariti:angular homologous:homolog effective:effect "
          "bowdlerize:bowdler")
STEP_5 = "probate:probat rate:rate cease:ceas controll:control roll:roll"

STEPS = {
    "1a": (text._plural, STEP_1A),
    "1b": (text._past, STEP_1B),
    "2": (lambda word: text._replace(word, text.STEP_2), STEP_2),
    "3": (lambda word: text._replace(word, text.STEP_3), STEP_3),
    "4": (text._remove, STEP_4),
    "5": (text._tidy, STEP_5),
}


@pytest.mark.parametrize("step", STEPS)
def test_porters_examples(step):
    function, pairs = STEPS[step]
    wanted = dict(pair.split(":") for pair in pairs.split())
    assert {word: function(word) for word in wanted} == wanted


@pytest.mark.parametrize("word, measure", [
    ("tr", 0), ("ee", 0), ("tree", 0), ("y", 0), ("by", 0), ("trouble", 1), ("oats", 1), ("trees", 1), ("ivy", 1),
    ("troubles", 2), ("private", 2), ("oaten", 2), ("orrery", 2)])
def test_porters_measure(word, measure):
    assert text._measure(word) == measure


@pytest.mark.parametrize("word, wanted", [
    ("happy", "happi"), ("sky", "sky"),  # step 1c
    ("generalizations", "gener"), ("oscillators", "oscil"),  # the paper's two words that go through several steps
    ("relational", "relat"), ("vietnamization", "vietnam"), ("hopefulness", "hope"), ("controlling", "control"),
    ("connect", "connect"), ("connected", "connect"), ("connecting", "connect"), ("connection", "connect"),
    ("connections", "connect"),
    ("is", "i"), ("as", "a"), ("s", ""), ("", ""),  # the paper has no rule that spares short words
    ("trekking", "trek"), ("yes", "ye"), ("toy", "toi"), ("syzygy", "syzygi"), ("été", "été"), ("4432s", "4432")])
def test_whole_words(word, wanted):
    assert stem(word) == wanted


def made_words(count: int) -> list[str]:
    """Return `count` words: stems from syllables, with one or two endings of the language, from a fixed seed."""
    draw = random.Random(1980)
    onsets = ["", *"b br c ch d f fl g h l m n p pl r s st t tr v w y z qu".split()]
    middles = "a e i o u y ai ea ou".split()
    codas = ["", *"b ck d g l ll m n nt p pp r rt s ss t tt w x y z zz".split()]
    endings = ["", *(
        "s es ies sses ed eed ing y ly e er ational tional enci anci izer abli alli entli eli ousli ization ation ator "
        "alism iveness fulness ousness aliti iviti biliti icate ative alize iciti ical ful ness al ance ence ic able "
        "ible ant ement ment ent ion sion tion ou ism ate iti ous ive ize logi bli ll").split()]
    words = set()
    while len(words) < count:
        syllables = "".join(draw.choice(onsets) + draw.choice(middles) + draw.choice(codas)
                            for _ in range(draw.randint(1, 3)))
        word = syllables + draw.choice(endings) + draw.choice(["", "", "s", "ed", "ing", "ly", "ness"])
        if "yy" not in word:  # Snowball takes one letter only from pairs that English has, the paper from any: trekking
            words.add(word)
    return sorted(words)


def test_twenty_thousand_made_words_stem_as_in_snowball():
    import snowballstemmer  # in the plain suite: pure Python, of the extra `test`

    oracle, words = snowballstemmer.stemmer("porter"), made_words(20_000)
    assert len(words) == 20_000
    wrong = [(word, stem(word), theirs) for word, theirs in zip(words, oracle.stemWords(words), strict=True)
             if stem(word) != theirs]
    assert wrong == []
