"""Lesson 14's dial: what each weight of the penalty leaves of a passage, of the index and of recall."""

import re

import pytest
from picture_text import words_of

from firstprinciples import swap
from firstprinciples.encode.expansion import LAMBDAS
from firstprinciples.encode.pairs import read_pairs
from firstprinciples.evaluate.held_out import bm25_recall
from firstprinciples.explore import flops_dial
from firstprinciples.explore.sparsity import ROWS, STYLE, State, caption, describe, figures, frame, picture
from firstprinciples.text import tokenize

PLACES = range(len(LAMBDAS))


def test_the_settings_are_those_that_come_with_the_course():
    assert [setting["lambda"] for setting in figures()["settings"]] == list(LAMBDAS)


def test_the_passages_are_of_topics_never_trained_on():
    held_out = read_pairs()[1]
    texts = {pair["passage"] for pair in held_out}
    for passage in figures()["passages"]:
        assert passage["text"] in texts and passage["terms"] == tokenize(passage["text"])
    assert figures()["pool"] == len(held_out) and figures()["bm25"] == pytest.approx(bm25_recall(held_out), abs=1e-6)
    for word, _, n in figures()["settings"][0]["common"]:
        assert n == sum(word in tokenize(pair["passage"]) for pair in held_out)


@pytest.mark.parametrize("passage", [0, 1])
@pytest.mark.parametrize("place", PLACES)
def test_a_frame_shows_the_heaviest_words(place, passage):
    drawn = frame(State(place, passage))
    weights = [weight for _, weight, _ in drawn["words"]]
    assert weights == sorted(weights, reverse=True) and len(weights) == min(ROWS, drawn["filed"])
    assert drawn["literal"] + drawn["added"] == drawn["filed"]
    terms = set(figures()["passages"][passage]["terms"])
    assert all(literal == (word in terms) for word, _, literal in drawn["words"])
    html = picture(drawn, frame(State(0, passage)), None)
    assert "nan" not in html and min(map(int, re.findall(r"font-size:(\d+)px", html))) >= 12
    assert describe(drawn).startswith(f"FLOPS weight {drawn['lambda']:g}. “") and caption(drawn, None)


def test_the_dashed_line_is_labeled_and_the_table_has_its_whole_width():
    html = picture(frame(State(3)), None, None)
    assert f"BM25 {figures()['bm25']:.3f}" in words_of(html) and "dashed: BM25" not in html
    left, gap, least = map(int, re.search(r"columns: (\d+)px .*?gap: (\d+)px; min-width: (\d+)px", STYLE).groups())
    assert least - left - gap >= 462, "in a narrow window the picture scrolls, and no bar of recall is cut off"


def test_common_words_go_before_rare_ones():
    shares = [dict((word, share) for word, share, _ in setting["common"]) for setting in figures()["settings"]]
    assert set(shares[0].values()) == {1.0}
    first_gone = {word: next((i for i in PLACES if shares[i][word] < 0.5), len(shares)) for word in shares[0]}
    assert first_gone["the"] == first_gone["a"] < first_gone["to"] <= first_gone["you"] <= first_gone["not"]
    assert shares[-1]["store"] == 1.0
    terms = [setting["terms"] for setting in figures()["settings"]]
    assert terms == sorted(terms, reverse=True)


def test_the_dial_keeps_the_passage_and_the_weight_before():
    stage = flops_dial()
    stage.controls["place"].value = 3
    assert stage.frame["lambda"] == 3 and "pale: before the dial moved" in words_of(stage.drawing)
    assert "From 0 to 3: this passage lies in" in words_of(stage.words.value)
    button = next(each for each in stage.view.children[1].children if each.description == "Another passage")
    button.click()
    assert stage.frame["text"] == figures()["passages"][1]["text"] and "pale" not in words_of(stage.drawing)
    stage.reset()
    assert stage.frame == frame(State())
    stage.close()


def test_learners_functions_drive_the_words():
    stage = flops_dial(place=3)
    right = stage.frame["words"]
    swap.use("splade.strongest", lambda weights, n: dict(sorted(weights.items(), key=lambda pair: pair[1])[:n]))
    assert "running on your strongest: yours" in stage.label and stage.frame["words"] != right
    assert "expected" in words_of(stage.drawing)
    swap.use("splade.strongest", lambda weights, n: None)
    assert stage.frame["words"] == right and "Drawn with the course's own function instead." in stage.label
    stage.close()
