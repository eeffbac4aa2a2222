"""The explorer of lesson 03: frames that add up, words that say the numbers, pictures that show text as text."""

import itertools
import math
import re

import pytest

from firstprinciples import swap
from firstprinciples.explore import draw, scores
from firstprinciples.explore.bm25 import DOCUMENTS, QUERY, State, caption, describe, frame, picture
from firstprinciples.explore.excerpt import excerpt
from firstprinciples.retrieve import bm25
from firstprinciples.text import tokenize

CORNERS = list(itertools.product((0.0, 0.1, 1.2, 3.0), (0.0, 0.75, 1.0)))


def numbers(value):
    """Yield every number in a frame."""
    if isinstance(value, (int, float)):
        yield value
    elif isinstance(value, (dict, list, tuple)):
        for piece in value.values() if isinstance(value, dict) else value:
            yield from numbers(piece)


@pytest.mark.parametrize("k1, b", CORNERS)
@pytest.mark.parametrize("documents, query", [
    (DOCUMENTS, QUERY), (("", "", ""), QUERY), (DOCUMENTS, ""), (("a", "", "b " * 2000), "b b a c"),
    (DOCUMENTS, "yeti")])
def test_frames_are_finite_and_parts_add_up_to_the_score(documents, query, k1, b):
    f = frame(State(documents, query, k1, b))
    assert all(math.isfinite(each) for each in numbers(f))
    lists = [tokenize(each) for each in documents]
    for document, words in zip(f["documents"], lists, strict=True):
        expected = bm25.score(tokenize(query), words, lists, k1, b)
        assert sum(part["value"] for part in document["parts"]) == pytest.approx(expected, abs=1e-9)
        assert document["total"] == pytest.approx(expected, abs=1e-9) and document["total"] <= f["full"] + 1e-9
    assert picture(f, None, None).count("fp-card") == 3


def test_the_numbers_of_the_lesson():
    f = frame(State())
    assert [round(document["total"], 2) for document in f["documents"]] == [3.80, 0.33, 0.0]
    assert [document["length"] for document in f["documents"]] == [20, 63, 11]
    assert [(w["word"], w["df"], round(w["idf"], 4)) for w in f["words"]] == [
        ("march", 1, 0.9808), ("invoice", 2, 0.47), ("total", 1, 0.9808)]


def test_the_dials_are_clamped():
    assert (State(k1=-1, b=7).k1, State(k1=-1, b=7).b, State(k1=99).k1) == (0.0, 1.0, 3.0)
    assert State(k1=1.2000000000000002).k1 == 1.2


def test_a_word_that_stands_twice_in_the_question_counts_twice():
    once, twice = (frame(State(query=query))["documents"][0]["total"] for query in ("invoice", "invoice invoice"))
    assert twice == pytest.approx(2 * once)


def test_describe_and_caption_have_the_numbers():
    now, then = frame(State()), frame(State(k1=0.4))
    assert describe(now) == ("BM25 scores for “March invoice total” with k1 = 1.2 and b = 0.75: "
                             "A 3.80 (march 1.50 + invoice 0.80 + total 1.50), B 0.33 (invoice 0.33), C 0.00.")
    said = caption(now, then)
    assert said.startswith("Raising k1 from 0.4 to 1.2 lets repeats count for more: A gains 0.80")  # 3.80 less 3.00
    assert "the largest parts (0.30 each) from “march” and “total”" in said
    assert "C says “bill”, not “invoice”, and stays at 0." in said
    assert caption(frame(State(b=0.0)), now).startswith("Lowering b from 0.75 to 0 holds length against long pages le")


def test_what_the_caption_says_is_gained_lies_between_the_shown_scores():
    now, then = frame(State(k1=3.0)), frame(State())
    assert "A gains 1.04, the largest parts (0.37 each)" in caption(now, then)  # 4.84 less 3.80, 1.87 less 1.50
    for (k1, b), (k2, c) in itertools.pairwise(CORNERS):
        now, then = frame(State(k1=k1, b=b)), frame(State(k1=k2, b=c))
        for one, other in zip(now["documents"], then["documents"], strict=True):
            moved = re.search(rf"{one['name']} (gains|loses) (\d+\.\d\d)", caption(now, then))
            size = round(abs(round(one["total"], 2) - round(other["total"], 2)), 2)
            assert (float(moved[2]) if moved else 0.0) == size


def test_parts_whose_shown_numbers_do_not_add_up_say_so():
    exact, rounded = frame(State()), frame(State(k1=3.0))
    assert "≈" not in picture(exact, None, None) and "≈" not in describe(exact)
    assert ">≈ 4.84<" in picture(rounded, exact, None) and "≈: rounded" in picture(rounded, exact, None)
    assert "A 4.84 (≈ march 1.87 + invoice 1.09 + total 1.87)" in describe(rounded)


def test_the_caption_tells_who_passes_whom():
    documents = ("tent", "tent tent tent " + "long " * 20, "stove")
    was, now = frame(State(documents, "tent", 1.2, 1.0)), frame(State(documents, "tent", 1.2, 0.0))
    assert "B passes A." in caption(now, was)


@pytest.mark.parametrize("documents, query, said", [
    (DOCUMENTS, "", "The question is empty."), (DOCUMENTS, "yeti", "No document holds a word of “yeti”"),
    (("", "", ""), "tent", "No document holds a word of “tent”"), (DOCUMENTS, "?!", "No document holds a word")])
def test_nothing_to_show_is_a_calm_sentence(documents, query, said):
    f = frame(State(documents, query))
    assert said in caption(f, None) and "0.00" in picture(f, None, None)


def test_five_words_get_a_color_and_the_rest_is_grouped():
    f = frame(State(query="is the total due of the March invoice kept in the gray cabinet unicorn"))
    assert [w["word"] for w in f["words"]] == ["total", "due", "of", "march", "kept"]
    assert f["others"] == ["is", "the", "invoice", "in", "gray", "cabinet"] and f["unknown"] == ["unicorn"]
    drawn = picture(f, None, None)
    assert "6 other words" in drawn and "in no document: unicorn" in drawn
    assert f["documents"][0]["parts"][-1]["word"] == "other words"


def test_colors_do_not_depend_on_the_dials():
    words = {tuple(w["word"] for w in frame(State(query="the invoice is due in March", k1=k1, b=b))["words"])
             for k1, b in CORNERS}
    assert len(words) == 1


def test_a_document_shows_as_text():
    f = frame(State(("<script>alert(1)</script> & tent", "<b>", "x"), "tent <i>"))
    drawn = picture(f, None, None)
    assert "<script" not in drawn and "&lt;script&gt;alert(1)&lt;/script&gt; &amp; " in drawn
    assert "<i>" not in drawn and "Which page is about “tent &lt;i&gt;”?" in drawn


def plain(pieces):
    return "".join(piece for piece, _ in pieces)


def test_a_short_document_is_shown_whole_with_its_matches_marked():
    pieces = excerpt("The March invoice; marching.", (("march", 0), ("invoice", 1)))
    assert plain(pieces) == "The March invoice; marching."
    assert [piece for piece in pieces if piece[1] is not None] == [("March", 0), ("invoice", 1)]


def test_a_long_document_is_cut_around_its_matches():
    pieces = excerpt("start of it " + "word " * 1000 + "one tent here " + "word " * 1000, (("tent", 0),))
    text = plain(pieces)
    assert len(text) < 140 and text.startswith("start of it") and " ... " in text and text.endswith(" ...")
    assert ("tent", 0) in pieces


@pytest.mark.parametrize("document, words, marked", [
    ("LK-204-B and 204", "LK-204-B", ["LK-204-B", "204"]), ("中文合約", "中文合約", ["中文", "合約"]),
    ("don’t", "don't", ["don’t"]), ("Cafe\u0301", "café", ["Café"]), ("\u017ftove", "stove", []),
    ("x" * 500 + " tent", "tent", ["tent"]), ("tent" * 200, "tent", [])])
def test_odd_words_are_marked_or_left_alone(document, words, marked):
    pieces = excerpt(document, tuple((word, i) for i, word in enumerate(dict.fromkeys(tokenize(words)))))
    assert [piece for piece, slot in pieces if slot is not None] == marked
    assert len(plain(pieces)) < 180


def test_the_previous_setting_is_drawn_pale_and_says_what_it_was():
    drawn = picture(frame(State()), frame(State(k1=0.4)), None)
    assert "pale: before you moved k1 from 0.4" in drawn and "was 3.00" in drawn and draw.tint(draw.BLUE, 0.4) in drawn
    assert "was" not in picture(frame(State()), None, None)


def test_a_wrong_idf_is_drawn_beside_what_is_expected():
    s = scores()
    swap.use("bm25.idf", lambda n, df: math.log(n / df))
    assert "expected 3.80" in s.screen.value and "4.05" in s.screen.value and "stroke-dasharray" in s.screen.value
    assert "running on your idf: yours 1.0986, expected 0.9808 for idf(n=3, df=1)" in s.label
    swap.use("bm25.idf")
    assert "expected" not in s.screen.value and "A 3.80" in s.label


def test_a_negative_idf_is_drawn_to_the_left_of_zero():
    s = scores()
    swap.use("bm25.idf", lambda n, df: math.log((n - df + 0.5) / (df + 0.5)))
    assert "B \u22120.36 (invoice \u22120.36)" in s.label
    assert all(0 <= float(x) <= 100 for x in re.findall(r'x="([\d.-]+)%"', s.screen.value))


def test_an_exception_and_nan_are_shown_and_the_picture_stays():
    s = scores()
    before = s.screen.value
    swap.use("bm25.term_weight", lambda tf, k1, b, length, average: tf / 0)
    assert "ZeroDivisionError" in s.words.value and "course&#x27;s own function" in s.words.value
    swap.use("bm25.term_weight", lambda tf, k1, b, length, average: float("nan"))
    assert "returned nan, which is not a finite number" in s.words.value
    swap.use("bm25.term_weight")
    assert s.screen.value == before and "fp-trouble" not in s.words.value


def test_a_learners_score_sets_the_totals():
    s = scores()
    swap.use("bm25.score", lambda query, document, documents, k1=1.2, b=0.75: 1.0 * len(document))
    assert [document["total"] for document in s.frame["documents"]] == [20.0, 63.0, 11.0]
    assert "running on your score: yours 20, expected 3.8034 for score(" in s.label
    assert ">≠ 20.00<" in s.screen.value and "≠: the parts have another sum" in s.screen.value
    assert "stays at 0" not in s.words.value  # C has 11
    s.controls["query"].value = "yeti"
    assert "No document holds a word of “yeti”.<" in s.words.value


def test_editing_the_question_or_a_document_drops_what_was_before():
    s = scores(query="March")
    s.controls["k1"].value = 2.0
    assert s.before is not None
    s.controls["query"].value = "bill"
    assert s.before is None and "C 1.45 (bill 1.45)" in s.label
    s.controls["A"].value = "bill bill"
    assert s.frame["documents"][0]["title"] == "Your document" and s.frame["documents"][0]["length"] == 2


def test_documents_and_query_can_be_given_and_must_be_three():
    s = scores(["a tent", "a stove", "a lamp"], "lamp", k1=5)
    assert s.frame["documents"][2]["total"] > 0 and s.values["k1"] == 3.0
    with pytest.raises(ValueError, match="shows three documents; these are 2"):
        scores(["a", "b"])


def bars(html, y):
    """Return [(left, width)] in percent, for each document, of the boxes that stand at this height."""
    found = []
    for chart in html.split('class="fp-chart"')[1:]:
        boxes = re.findall(rf'<rect x="([\d.]+)%" y="{y}" width="([\d.]+)%"', chart)
        found.append([(float(left), float(width)) for left, width in boxes])
    return found


def test_the_bars_are_as_long_as_what_they_stand_for():
    now, then = frame(State(k1=0.4, b=0.3)), frame(State())
    html = picture(now, then, None)
    percent = bars(html, 18)[0][0][1] / now["documents"][0]["parts"][0]["value"]  # of the width, for a score of 1
    for y, shown in ((18, now), (59, then)):
        for document, drawn in zip(shown["documents"], bars(html, y), strict=True):
            ends = [0.0]
            for part in document["parts"]:
                ends.append(ends[-1] + percent * part["value"])
            wanted = [(left, right - left) for left, right in zip(ends, ends[1:], strict=False)]
            assert drawn == [(pytest.approx(left, abs=1e-2), pytest.approx(width, abs=1e-2)) for left, width in wanted]
            assert ends[-1] <= 100
