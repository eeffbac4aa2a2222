"""The context: the functions where their edges are, and the desk that puts them together."""

import math
import random

import pytest

from firstprinciples.corpus import Chunk, Collection
from firstprinciples.encode.wordpiece import WordPiece
from firstprinciples.generate import context
from firstprinciples.generate.context import (
    CLOSED_BOOK,
    LOST,
    NOTE,
    ORACLE,
    ORDERS,
    PRICE,
    PUBLISHED,
    along,
    best_last,
    bill,
    both_ends,
    fit,
    label,
    lay_out,
    prompt,
    tokens,
)
from firstprinciples.ingest.contextual import PRICES
from firstprinciples.retrieve import Hit
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.swap import use


@pytest.fixture(scope="module")
def larkspur():
    return Collection.load("larkspur")


def page(id, text, number=1):
    return Chunk(id, text, id.partition("#")[0], 0, len(text), number)


# Tokens and what they cost


def test_tokens_are_a_quarter_of_the_characters():
    assert [tokens("a" * n) for n in range(6)] == [0, 1, 1, 1, 1, 2]
    assert tokens(" \n\t ") == 1
    for wrong in (None, b"abc", 3, ["a"]):
        with pytest.raises(ValueError, match="is a string"):
            tokens(wrong)


@pytest.mark.models
def test_how_far_off_the_estimate_is_on_larkspur(larkspur, model_files):
    tokenizer = WordPiece(model_files("minilm") / "vocab.txt")
    pairs = [(tokens(each.text), len(tokenizer.tokenize(each.text))) for each in larkspur.documents]
    ours, theirs = map(sum, zip(*pairs, strict=True))
    assert (ours, theirs) == (55913, 56365) and round(ours / theirs, 2) == 0.99  # "1 percent below"
    shares = sorted(a / b for a, b in pairs)
    assert (round(shares[0], 2), round(shares[-1], 2)) == (0.77, 1.13)  # "23 percent below", "13 percent above"


def test_the_bill():
    assert bill(1_000_000, 3, 0.25) == 0.75 and bill(0, 5, 1) == bill(5, 0, 1) == bill(5, 1, 0) == 0.0
    assert isinstance(bill(4, 250_000, 1), float)
    assert bill(10**400 // 10**390, 1, 1e6) == 1e10
    for wrong in (-1, math.nan, math.inf, True, "5", None, 10**400):
        for place in range(3):
            numbers = [5, 5, 5]
            numbers[place] = wrong
            with pytest.raises(ValueError, match="finite number, 0 or more"):
                bill(*numbers)


def test_the_price_is_that_of_lesson_10():
    assert PRICE == PRICES["input"]


# The published curve


def test_the_published_numbers_are_those_of_the_paper():
    """Liu and others, tables 1, 5, 6 and 7."""
    assert PUBLISHED[10] == {1: 76.8, 5: 61.2, 10: 62.4}
    assert PUBLISHED[20] == {1: 75.8, 5: 57.2, 10: 53.8, 15: 55.4, 20: 63.2}
    assert PUBLISHED[30] == {1: 73.4, 5: 55.1, 10: 50.5, 15: 50.9, 20: 51.8, 25: 54.9, 30: 63.7}
    assert (CLOSED_BOOK, ORACLE) == (56.1, 88.3)


@pytest.mark.parametrize("n", PUBLISHED)
def test_the_curve_goes_through_the_published_points(n):
    for place, percent in PUBLISHED[n].items():
        assert along(LOST[n], place, n) == pytest.approx(percent)
    assert PUBLISHED[n][5] < along(LOST[n], 3, n) < PUBLISHED[n][1]


def test_along_a_curve():
    curve = {1.0: 30.0, 0.0: 10.0, 0.5: 40.0}  # in any order
    assert [along(curve, place, 5) for place in range(1, 6)] == [10.0, 25.0, 40.0, 35.0, 30.0]
    assert along(curve, 1, 1) == 10.0 and isinstance(along({0: 1}, 1, 2), float)
    assert along({0.25: 8.0, 0.75: 4.0}, 1, 3) == 8.0 and along({0.25: 8.0, 0.75: 4.0}, 3, 3) == 4.0
    assert along({0.3: 7.0}, 9, 9) == 7.0
    for wrong in ((0, 5), (6, 5), (1, 0), (1.5, 5), (True, 5), (1, None)):
        with pytest.raises(ValueError):
            along(curve, *wrong)
    for wrong in ({}, {0.0: math.nan}, {math.inf: 1.0}):
        with pytest.raises(ValueError, match="curve"):
            along(wrong, 1, 2)


# Order


def test_the_orders():
    assert best_last([]) == both_ends([]) == []
    assert best_last([1, 2, 3]) == [3, 2, 1]
    assert both_ends([1]) == [1] and both_ends([1, 2]) == [1, 2] and both_ends([1, 2, 3, 4]) == [1, 3, 4, 2]
    ids = ["a", "b", "a"]
    assert both_ends(ids) == ["a", "a", "b"] and best_last(tuple(ids)) == ["a", "b", "a"] and ids == ["a", "b", "a"]


@pytest.mark.parametrize("n", range(1, 12))
def test_the_weaker_the_further_from_an_end(n):
    laid = both_ends(list(range(n)))
    to_an_end = {id: min(place, n - 1 - place) for place, id in enumerate(laid)}
    assert sorted(laid) == list(range(n)) and laid[0] == 0
    assert [to_an_end[id] for id in range(n)] == [id // 2 for id in range(n)]


# What fits


def test_what_fits():
    assert fit([], 100) == [] and fit([5], 0) == [] and fit([0, 5, 0], 0) == [0, 2]
    assert fit([60, 50, 40], 100) == [0, 2] and fit([100], 100) == [0] and fit([101], 100) == []
    for lengths, budget in (([-1], 5), ([1.5], 5), ([True], 5), ([1], -1), ([1], 2.5), ([1], None)):
        with pytest.raises(ValueError):
            fit(lengths, budget)


def test_what_fits_never_passes_the_budget_and_leaves_out_only_what_would():
    random.seed(1)
    for _ in range(200):
        lengths = [random.randint(0, 40) for _ in range(random.randint(0, 12))]
        budget = random.randint(0, 120)
        kept = fit(lengths, budget)
        assert kept == sorted(set(kept)) and sum(lengths[place] for place in kept) <= budget
        for place in set(range(len(lengths))) - set(kept):
            assert sum(lengths[each] for each in kept if each < place) + lengths[place] > budget


# The prompt


def test_labels_and_prompts():
    assert label(12, "notes/May", 3) == "[12] notes/May, page 3"
    for wrong in ((0, "a", 1), (1, "a", 0), (1, None, 1), (1.0, "a", 1), (1, "a", None), (True, "a", 1)):
        with pytest.raises(ValueError):
            label(*wrong)
    pages = [{"id": "a#1", "document": "a", "page": 1, "text": "one\n\ntwo"},
             {"id": "b#4", "document": "b", "page": 2, "text": " three "}]
    assert prompt("Why?", pages, "Note.") == ("Note.\n\n[1] a, page 1\none\n\ntwo\n\n[2] b, page 2\n three \n\n"
                                              "Question: Why?")
    assert prompt("Why?", [], "") == "Question: Why?" and prompt("Why?", [], "N") == "N\n\nQuestion: Why?"
    for sources in ([{"document": "a", "page": 1}], ["a"], [{"document": "a", "page": 1, "text": None}], [None]):
        with pytest.raises(ValueError):
            prompt("Why?", sources, "")
    for question, note in ((None, ""), ("Why?", None), (3, "")):
        with pytest.raises(ValueError):
            prompt(question, [], note)


def test_the_note_says_what_lesson_18_needs():
    assert "only from them" in NOTE and "[1]" in NOTE and NOTE.endswith("answer: I couldn't find that.")


# The desk

PAGES = [page("a#1", "one " * 30), page("a#2", "one one"), page("b#1", "two " * 40, 2), page("c#1", "three"),
         page("d#1", "one one"), page("e#1", "four " * 20)]
IDS = [each.id for each in PAGES]


def ids_of(desk):
    return [source["id"] for source in desk.sources]


def test_the_desk_takes_hits_ids_chunks_and_strings():
    hits = [Hit(id, 9.0 - place) for place, id in enumerate(IDS)]
    assert lay_out(hits, PAGES) == lay_out(IDS, {each.id: each for each in PAGES}) == lay_out(iter(hits), tuple(PAGES))
    assert lay_out([("c#1", 0.5)], PAGES) == lay_out(["c#1"], PAGES)
    assert lay_out(["1", "0"], ["a tent", "a stove"]).sources == [
        {"id": "1", "document": "1", "page": 1, "text": "a stove"},
        {"id": "0", "document": "0", "page": 1, "text": "a tent"}]
    assert lay_out(["x"], [Chunk("x", "a page of no document")]).sources[0]["document"] == "x"


def test_the_desk_in_three_orders():
    kept = ["a#1", "b#1", "c#1", "d#1", "e#1"]  # a#2 stands in a#1; d#1 says the same, but of another document
    assert ids_of(lay_out(IDS, PAGES)) == kept
    assert ids_of(lay_out(IDS, PAGES, order="best_last")) == kept[::-1]
    assert ids_of(lay_out(IDS, PAGES, order="both_ends")) == ["a#1", "c#1", "e#1", "d#1", "b#1"]
    for order in ORDERS:
        desk = lay_out(IDS, PAGES, order=order, question="Which?")
        assert desk.text == prompt("Which?", desk.sources, NOTE) and desk.tokens == tokens(desk.text)
        assert desk.text.index(f"[1] {desk.sources[0]['document']}") < desk.text.index("[5] ")
        assert desk.left_out == [("a#2", "all of it is in a#1")]


def test_the_desk_says_what_it_leaves_out_and_why():
    desk = lay_out(IDS, PAGES, budget=60, most=2)
    assert ids_of(desk) == ["a#1", "c#1"]
    assert dict(desk.left_out) == {"a#2": "all of it is in a#1", "d#1": "2 are in already",
                                   "b#1": "too long for what is left of the budget (44 tokens)",
                                   "e#1": "too long for what is left of the budget (29 tokens)"}
    assert [id for id, _ in desk.left_out] == ["a#2", "b#1", "d#1", "e#1"]
    nothing = lay_out(IDS, PAGES, budget=0)
    assert nothing.sources == [] and nothing.text == f"{NOTE}\n\nQuestion: " and len(nothing.left_out) == 6
    assert lay_out([], PAGES).sources == [] and lay_out([], []).left_out == []
    assert lay_out(["0", "0"], [" \n "]).left_out == [("0", "there is no text in it")]
    assert ids_of(lay_out(["c#1", "c#1", "e#1"], PAGES)) == ["c#1", "e#1"]


def test_line_breaks_hide_no_page_that_is_there_already():
    pages = [page("a#1", "the total\n  due is  $9"), page("a#2", "total due is $9")]
    assert ids_of(lay_out(["a#1", "a#2"], pages)) == ["a#1"]
    assert ids_of(lay_out(["a#2", "a#1"], pages)) == ["a#2", "a#1"]  # the longer one says more


def test_the_desk_refuses():
    for options in ({"order": "worst"}, {"order": None}, {"budget": -1}, {"budget": 1.5}, {"most": 0}, {"note": None},
                    {"question": None}):
        with pytest.raises(ValueError):
            lay_out(IDS, PAGES, **options)
    for hits in ([3], [None], [(3, 0.5)], [()], [PAGES[0]]):
        with pytest.raises(ValueError, match="is no hit"):
            lay_out(hits, PAGES)
    with pytest.raises(KeyError, match="nowhere"):
        lay_out(["nowhere"], PAGES)


def test_the_desk_keeps_the_budget_on_larkspur(larkspur):
    search, known = BM25(larkspur.chunks), {chunk.id: chunk for chunk in larkspur.chunks}
    for query in larkspur.queries[:40]:
        for budget in (0, 100, 500, 1500):
            desk = lay_out(search.search(query.text, 20), known, budget, "both_ends", 20, question=query.text)
            around = tokens(prompt(query.text, [], NOTE))
            assert desk.tokens <= budget + around and len(desk.sources) + len(desk.left_out) <= 20
            for source in desk.sources:
                assert known[source["id"]].text == source["text"]


@pytest.mark.parametrize(("name", "wrong"), [
    ("fit", lambda lengths, budget: [0, 0]), ("fit", lambda lengths, budget: None),
    ("fit", lambda lengths, budget: [99]), ("both_ends", lambda ids: ids[:1]), ("both_ends", lambda ids: None),
    ("label", lambda number, document, page: None), ("prompt", lambda question, sources, note: None),
    ("tokens", lambda text: -1), ("tokens", lambda text: None)])
def test_a_learners_function_that_gives_nothing_of_use_is_named(name, wrong):
    with use(f"context.{name}", wrong), pytest.raises(ValueError, match=f"{name} should give .* use"):
        lay_out(IDS, PAGES, order="both_ends")


def test_the_desk_runs_on_a_learners_functions():
    with use("context.both_ends", lambda ids: sorted(ids)):
        assert ids_of(lay_out(IDS[::-1], PAGES, order="both_ends", most=3)) == ["c#1", "d#1", "e#1"]
    with use("context.label", lambda number, document, page: f"<{number}>"):
        assert "<2>\n" in lay_out(IDS, PAGES).text
    with use("context.tokens", lambda text: 7):
        assert lay_out(IDS, PAGES).tokens == 7


def test_an_error_of_a_learners_function_names_it():
    def fit(lengths, budget):
        raise IndexError("list index out of range")

    with use("context.fit", fit), pytest.raises(IndexError) as caught:
        lay_out(IDS, PAGES)
    assert any("use(\"context.fit\")" in note for note in caught.value.__notes__)
    assert context.fit([1], 1) == [0]
