"""The pictures of lesson 01: one sentence with and without a page, what pasting costs, and a published curve."""

import math
import random
import re

import pytest
from picture_text import words_of

from firstprinciples.corpus import Collection
from firstprinciples.explore import closed_book, lost_in_the_middle, paste_everything
from firstprinciples.explore import lost as of_lost
from firstprinciples.explore import open_book as of_books
from firstprinciples.explore import paste as of_paste
from firstprinciples.explore.open_book import DRAWS, MOST, PAGES, START, TRUTH
from firstprinciples.generate import context
from firstprinciples.generate.next_word import NextWord, drawn, from_page, mixed, words, written
from firstprinciples.ingest.contextual import PRICES
from firstprinciples.swap import use


def sizes_of_text(html: str) -> set[int]:
    return {int(size) for size in re.findall(r"font-size:(\d+)px", html)}


# The small model


def test_words_are_cut_and_written_again():
    text = "The total (with tax) is $1,284.50; 6 percent of it, that's all."
    assert written(words(text)) == text and "$1,284.50" in words(text) and words(" \n") == []


def test_the_chances_add_up_and_are_those_of_witten_and_bell():
    memory = NextWord(["a b c", "a b d", "a b c"])
    chances = memory.chances(["a", "b"])
    # "a b" and "b" were each seen 3 times with 2 next words, and 9 words were read, 4 different ones
    assert chances["c"] == pytest.approx(0.6 * 2 / 3 + 0.4 * 0.6 * 2 / 3 + 0.16 * 2 / 9)
    assert chances["a"] == pytest.approx(0.16 * 3 / 9)
    assert memory.chances([]) == pytest.approx({"a": 3 / 9, "b": 3 / 9, "c": 2 / 9, "d": 1 / 9})
    assert memory.chances(["never", "read"]) == memory.chances([])
    assert memory.chances(["A", "B"]) == chances  # the words before count in any case
    random.seed(2)
    read = words(Collection.load("larkspur").documents[3].text)
    memory = NextWord([" ".join(read)])
    for _ in range(40):
        place = random.randrange(len(read))
        chances = memory.chances(read[:place])
        assert math.isclose(sum(chances.values()), 1.0) and min(chances.values()) > 0
        assert math.isclose(sum(from_page(read, read[:place]).values()), 1.0)
    with pytest.raises(ValueError, match="Nothing was read"):
        NextWord([]).chances(["a"])


def test_a_page_is_read_where_it_is_like_the_words_before():
    page = words("the tent is red . the stove is blue")
    found = from_page(page, words("and the stove is"))
    assert found == {"red": 0.25, "blue": 0.75}  # "the ... is" is there twice, "stove" once
    assert from_page([], ["a"]) == {} and from_page(["a"], ["a"]) == {}
    assert from_page(page, []) and from_page(page, ["nowhere"])


def test_mixing_and_drawing():
    assert mixed({"a": 1.0}, {}, 0.8) == {"a": 1.0}
    assert mixed({"a": 0.5, "b": 0.5}, {"b": 1.0}, 1.0) == {"a": 0.0, "b": 1.0}
    chances = {"b": 0.4, "a": 0.4, "c": 0.2, "d": 0.1}
    assert [drawn(chances, u) for u in (0.0, 0.39, 0.41, 0.79, 0.81, 0.999)] == ["a", "a", "b", "b", "c", "c"]


# Closed book and open book


@pytest.fixture(scope="module")
def walks():
    return {(name, draw): of_books.trace(name, draw) for name in PAGES for draw in range(1, DRAWS + 1)}


def test_the_memory_has_not_read_the_invoice():
    assert all(TRUTH not in after for after in of_books.memory().after.values())
    assert TRUTH in of_books.page("the page that says it").text
    assert of_books.page("another page of it").document == of_books.LEFT_OUT
    other = of_books.page("another invoice")
    assert other.document == "invoice-1044" and TRUTH not in other.text
    document = next(each for each in Collection.load("larkspur").documents if each.id == other.document)
    assert document.metadata["date"].startswith("2024-03")  # of March, too


def test_a_sum_is_written_in_any_case_and_only_the_page_makes_it_right(walks):
    for (name, _), frames in walks.items():
        closed, opened = (frames[-1]["sides"][side] for side in ("closed", "open"))
        assert closed[0]["word"].startswith("$") and closed[0]["word"] != TRUTH and closed[0]["truth"] == 0.0
        assert (TRUTH in [each["word"] for each in opened]) == (name == "the page that says it")
        assert len(frames) == frames[0]["steps"] + 1 <= MOST + 1
        for side in (closed, opened):
            for each in side:
                rows = [row["memory"] + row["page"] for row in each["rows"]]
                assert each["word"] in [row["word"] for row in each["rows"]]
                assert 0 < sum(rows) <= 1 + 1e-9 and rows[:-1] == sorted(rows[:-1], reverse=True)
        assert all(row["page"] == 0 for each in closed for row in each["rows"])


def test_every_step_says_what_it_shows_and_gives_nothing_away(walks):
    for frames in walks.values():
        for frame in frames:
            drawn_ = of_books.picture(frame, None)
            assert min(sizes_of_text(drawn_)) >= 12 and "nan" not in drawn_
            assert of_books.describe(frame).endswith(".") and of_books.caption(frame).endswith(".")
            for side in ("closed", "open"):
                told = words_of(drawn_)
                assert of_books.sentence(frame, side).split()[-1].strip(".,") in told
    first = walks["the page that says it", 1][0]
    text = words_of(of_books.picture(first, None))
    assert text.count("the next word: ?") == 2 and text.count(START + " ...") == 2 and "$7,420.00" not in text
    right, wrong = (of_books.caption(walks[name, 1][-1]) for name in ("the page that says it", "another invoice"))
    assert "[invoice-1042, page 2]" in right and "not what was asked" not in right
    assert "[invoice-1044, page 2]" in wrong and "not what was asked" in wrong and "as sure as before" in wrong
    cut, silent = (of_books.caption(walks[each][-1])
                   for each in (("the page that says it", 5), ("another page of it", 1)))
    assert "a sentence that sounds right" in right and "loses its thread" in cut and "sounds right, not marked" in cut
    assert "Open book: no sum, with a receipt" in silent


def test_the_explorer_of_the_two_books():
    shown = closed_book()
    assert shown.label.startswith("Step 0 of 16, draw 1, the page that says it")
    shown.controls["step"].value = 1
    assert "chance of “$1,284.50” 0.65" in shown.label
    assert "“$1,284.50” has 0.00: it was never read" in shown.words.value
    shown.controls["name"].value = "another invoice"  # shows its end at once
    assert "Step 14 of 14" in shown.label and "$962.40 within 30 days" in shown.label
    shown.controls["seed"].value = 2
    assert "draw 2" in shown.label
    shown.reset()
    assert shown.label.startswith("Step 0 of 16, draw 1, the page that says it")
    for wrong in ({"name": "no page"}, {"draw": 0}, {"draw": 7}, {"draw": "1"}):
        with pytest.raises(ValueError):
            closed_book(**wrong)


# Paste everything


def test_tokens_and_dollars_are_those_of_the_folder():
    larkspur, known = Collection.load("larkspur"), of_paste.counted()
    assert known["folder"] == sum(context.tokens(each.text) for each in larkspur.documents)
    best = list(known["best"].values())
    assert best == sorted(best) and known["documents"] == 70 and known["questions"] == 150
    frame = of_paste.frame(of_paste.State())
    assert frame["tokens"]["pasted"] == round(known["folder"] + known["around"])
    assert frame["one"]["pasted"] == context.bill(frame["tokens"]["pasted"], 1, 0.25)
    assert frame["all"]["searched"] == context.bill(frame["tokens"]["searched"], 30_000, 0.25) and frame["fits"]
    cached = of_paste.frame(of_paste.State(how="read from a cache"))
    assert cached["one"]["pasted"] == context.bill(frame["tokens"]["pasted"], 1, PRICES["cache_read"])
    assert cached["one"]["searched"] == frame["one"]["searched"]


def test_every_setting_of_the_bill_is_drawn_and_said():
    start = of_paste.frame(of_paste.State())
    for documents in of_paste.DOCUMENTS:
        for k in of_paste.CHUNKS:
            for how in of_paste.HOW:
                frame = of_paste.frame(of_paste.State(documents, 1_000, k, how))
                assert frame["tokens"]["searched"] <= frame["tokens"]["pasted"]
                for before in (None, start):
                    drawn_ = of_paste.picture(frame, before, None)
                    assert min(sizes_of_text(drawn_)) >= 12 and "nan" not in drawn_
                    assert of_paste.caption(frame, before).endswith(".") and of_paste.describe(frame).endswith(".")
    large = of_paste.frame(of_paste.State(350))
    assert not large["fits"] and "can't be pasted" in of_paste.caption(large, None)
    assert "it can't be pasted" in of_paste.describe(large)
    assert "too many" in words_of(of_paste.picture(large, None, None))
    small = of_paste.caption(of_paste.frame(of_paste.State(1)), None)
    assert "Paste it" in small and "one document" in of_paste.describe(of_paste.frame(of_paste.State(1)))


def test_the_dials_of_the_bill():
    shown = paste_everything(documents=3, questions=7)
    shown.controls["documents"].value = 700
    assert "From 3 to 700" not in shown.words.value and "can&#x27;t be pasted" in shown.words.value
    shown.reset()
    shown.controls["k"].value = 20
    assert "the best 20 chunks" in shown.label and "was" in words_of(shown.drawing)
    shown.reset()
    shown.controls["how"].value = "read from a cache"
    assert "A cache holds for minutes" in shown.words.value
    for wrong in ({"documents": 0}, {"questions": 1.5}, {"k": 21}, {"k": True}):
        with pytest.raises(ValueError, match="whole number"):
            paste_everything(**wrong)


def test_the_bill_runs_on_the_learners_function():
    with use("context.bill", lambda tokens_a_question, questions, price: 1.0):
        shown = paste_everything()
        assert "running on your bill: yours 1, expected" in shown.label
        assert "expected a month" in words_of(shown.drawing) and "419.89" in words_of(shown.drawing)
    with use("context.bill", lambda *_: math.nan):
        assert "not a finite number" in paste_everything().words.value
    for value in (0.0, -3.0, 1e12):
        with use("context.bill", lambda *_, value=value: value):
            shown = paste_everything()
            assert "nan" not in shown.drawing and "running on your bill" in shown.label


# Lost in the middle


@pytest.mark.parametrize("pages", of_lost.SIZES)
def test_the_curve_is_the_published_one(pages):
    for place in range(1, pages + 1):
        frame = of_lost.frame(of_lost.State(pages, place))
        if place in context.PUBLISHED[pages]:
            assert frame["value"] == pytest.approx(context.PUBLISHED[pages][place])
            assert "(published)" in of_lost.describe(frame)
        else:
            assert "(between two published points)" in of_lost.describe(frame)
        text = of_lost.picture(frame, None, None)
        assert "not ours" in words_of(text) and min(sizes_of_text(text)) >= 12
        assert "45 %" in words_of(text) and "pages of up to 100 tokens" in words_of(text)
        assert of_lost.caption(frame, of_lost.frame(of_lost.State(pages, 1))).endswith(".")


def test_the_page_moves_within_the_pages():
    shown = lost_in_the_middle()
    shown.controls["place"].value = 10
    assert "From place 1 to 10: 75.8 % becomes 53.8 %, 2.3 points less often" in shown.words.value
    shown.controls["pages"].value = 30
    assert shown.controls["place"].max == 30
    shown.controls["place"].value = 30
    shown.controls["pages"].value = 10
    assert shown.controls["place"].value == shown.controls["place"].max == 10 and "62.4 %" in shown.label
    shown.reset()
    assert (shown.controls["place"].value, shown.controls["pages"].value) == (1, 20) and "75.8 %" in shown.label
    assert lost_in_the_middle(99, 31).label.startswith("Liu and others, GPT-3.5-Turbo (16K), 30 pages: with the answer "
                                                       "on page 30")


def test_the_curve_runs_on_the_learners_function():
    with use("context.along", lambda curve, position, n: 60.0 + position):
        shown = lost_in_the_middle()
        assert "running on your along: yours 61" in shown.label and "dashed" in words_of(shown.drawing)
    for value in (-1e9, 1e9):
        with use("context.along", lambda *_, value=value: value):
            assert "nan" not in lost_in_the_middle().drawing
