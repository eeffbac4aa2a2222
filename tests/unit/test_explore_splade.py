"""Lesson 14's passage: token by token to weights, literal and added, and the drawers of the index."""

import re

import numpy as np
import pytest
from picture_text import words_of

from firstprinciples import models, swap
from firstprinciples.corpus import Collection
from firstprinciples.encode.splade_tiny import shown, splade_tiny
from firstprinciples.explore import filed_under
from firstprinciples.explore.measured import measured
from firstprinciples.explore.splade import (
    CODE,
    DRAWERS,
    HEAD,
    MADE_UP,
    describe,
    drawers,
    passages,
    picture,
    sizes,
    trace,
)
from firstprinciples.retrieve.splade import Splade, impact_index, literal_and_added, term_weights

PASSAGES = range(4)


@pytest.fixture(scope="module")
def index():
    return Splade(Collection.load("larkspur").chunks, splade_tiny())


@pytest.mark.parametrize("passage", PASSAGES)
def test_each_step_reads_one_token_and_ends_at_the_weights_of_the_course(passage):
    kept, steps = passages()[passage], trace(passage)
    tokens = kept["tokens"]
    assert len(steps) == 1 + len(tokens) + 1 + len(kept["drawers"])
    for read, step in enumerate(steps[: len(tokens) + 1]):
        mask = np.arange(len(tokens)) < read
        assert step["read"] == read and step["weights"] == term_weights(kept["logits"], mask).tolist()
    assert steps[len(tokens)]["weights"] == pytest.approx(
        np.log1p(np.maximum(np.array(kept["logits"]).max(axis=0), 0)).tolist())
    weights = {word: weight for word, weight in zip(kept["words"], steps[-1]["weights"], strict=True) if weight > 0}
    parts = literal_and_added(tokens, weights)
    assert steps[-1]["parts"] == {side: list(words) for side, words in parts.items()}


def test_the_made_up_passage_is_filed_under_automobile():
    steps = trace(0)
    assert steps[2]["title"].startswith("“car” files it under car, automobile, vehicle")
    assert steps[3]["title"] == "“is” changes nothing" and "All its logits are below 0" in steps[3]["why"]
    assert steps[4]["why"].startswith("Logit 6.40 for “insured”: log(1 + 6.40) = 2.00, more than the 0.64 so far.")
    assert "For 3 words it says less than they have" in steps[4]["why"]
    assert steps[5]["title"] == "3 words stand in the text, 3 are added" and "Not filed under “is”" in steps[5]["why"]
    last = steps[6]
    filed = {word: weight for word, weight in zip(MADE_UP["words"], last["weights"], strict=True) if weight > 0}
    expected = impact_index([filed, *MADE_UP["others"].values()])["automobile"]
    assert sorted(slip["weight"] for slip in last["drawer"]["slips"]) == sorted(weight for _, weight in expected)
    mine = next(slip for slip in last["drawer"]["slips"] if slip["mine"])
    assert (mine["by"], mine["literal"], round(mine["weight"], 2)) == ("car", False, 1.44)
    assert passages()[0]["filed"] == len(filed)


def test_the_drawers_are_those_of_the_index(index):
    for term, kept in drawers().items():
        hits = index.backwards(term.replace("…", "##"))
        assert len(hits) == kept["chunks"], "the picture and the index of the lesson count the same chunks"
        weights = {hit.id: hit.score for hit in hits}
        for slip in kept["top"]:
            assert weights[slip["id"]] == pytest.approx(slip["weight"], abs=1e-3)
        order = [slip["weight"] for slip in kept["top"]]
        assert order == sorted(order, reverse=True)
    assert {term for terms in DRAWERS.values() for term in terms} == set(drawers())


def test_the_real_passages_have_the_weights_that_are_stored():
    for kept in passages()[1:]:
        [stored] = splade_tiny().encode_passages([kept["text"]])
        weights = term_weights(kept["logits"], np.ones(len(kept["tokens"])))
        assert abs(len(stored) - kept["filed"]) <= 2
        for word, weight in zip(kept["words"], weights, strict=True):
            assert stored.get(word.replace("…", "##"), 0) == pytest.approx(weight, abs=0.02), word


@pytest.mark.models
def test_the_logits_are_the_models():
    from firstprinciples.encode.bert import Bert

    model = Bert(models.files("splade-tiny"))
    for kept in passages()[1:]:
        tokens, logits = model.token_logits(kept["text"])
        places = [model.tokenizer.id[word.replace("…", "##")] for word in kept["words"]]
        assert list(map(shown, tokens)) == kept["tokens"]
        assert np.allclose(logits[:, places], kept["logits"], atol=2e-3)


@pytest.mark.parametrize("passage", PASSAGES)
def test_every_step_can_be_drawn_and_described_and_keeps_its_size(passage):
    for step in trace(passage):
        html = picture(step)
        assert "nan" not in html and html.count("fp-filed-line") == len(step["lines"])
        assert html.count("<code") == len(CODE) and min(map(int, re.findall(r"font-size:(\d+)px", html))) >= 12
        assert describe(step).startswith(f"Step {step['step']} of {step['steps']}, “{step['text']}”: {step['title']}.")
        assert ("fp-slips-row" in html) == bool(step["drawer"]) and len(step["title"]) < 90


def test_what_a_drawer_says_of_its_cards():
    assert trace(0)[-1]["why"] == "Of those shown, 1 says “automobile”; “car” put the rest here."
    car, murder, piece = trace(1)[-1]["why"], trace(2)[-1]["why"], trace(3)[-1]["why"]
    assert car.startswith("Of those shown, 2 say “car”; “automobile” and “gt” put the rest here. 74 of Larkspur's")
    assert murder.startswith("None of those shown says “murder”; “theft”, ") and "put them here. 154 of" in murder
    assert piece.startswith("All that are shown say “…k”. 38 of Larkspur's chunks lie in this drawer")


def test_all_steps_of_a_passage_are_of_one_height_and_few_words_leave_no_empty_space():
    for passage in PASSAGES:
        steps = trace(passage)
        [height] = {re.search(r'(?:780px;|fp-slips" style=")height:(\d+)px', picture(step)).group(1) for step in steps}
        rows = len(steps[0]["words"])
        assert sizes(steps[0])[0] * rows + HEAD + 8 == int(height) <= 392 and sizes(steps[0])[0] >= 21
    assert sizes(trace(0)[0])[1] < 300


def test_what_was_not_read_is_a_question_mark():
    first = trace(0)[0]
    assert words_of(picture(first)).count("?") == 8 * 4 + 8
    assert "?" not in words_of(picture(trace(0)[4]))


def test_the_buttons_walk_and_turn_to_another_passage():
    stage = filed_under()
    assert stage.label.startswith("Step 1 of 7, “the car is insured”: No word has a weight yet.")
    stage.controls["step"].value = 6
    assert "The drawer “automobile”, read backwards: 2 of 3 passages" in stage.label
    assert "not in this drawer: “a red tent”" in words_of(stage.drawing)
    stage.view.children[1].click()
    assert stage.frame["text"] == "our automobile is insured" and stage.frame["step"] == 1
    for _ in range(3):
        stage.view.children[1].click()
    assert stage.frame["text"] == "the car is insured"
    stage.close()


def test_a_learners_functions_drive_the_picture():
    stage = filed_under()
    stage.controls["step"].value = 4
    swap.use("splade.term_weights", lambda logits, mask: np.log1p(np.maximum(logits, 0)).sum(axis=0))
    assert "running on your term_weights: yours" in stage.label and "expected 2.13" in words_of(stage.drawing)
    swap.use("splade.term_weights", lambda logits, mask: [1.0, 2.0])
    assert "has to give one number for each of the 8 words" in stage.label and "2.13" in words_of(stage.drawing)
    swap.use("splade.term_weights", lambda logits, mask: None)
    assert "Drawn with the course's own function instead." in stage.label
    swap.use("splade.term_weights")
    swap.use("splade.literal_and_added", lambda text_terms, weights: {"literal": weights, "added": {}})
    stage.controls["step"].value = 5
    assert stage.frame["title"] == "6 words stand in the text, 0 are added" and "yours" in stage.label
    stage.close()


def test_a_passage_that_is_not_there_is_refused():
    assert filed_under(3).frame["text"] == "order LK-204-B"
    for passage in (-1, 4, True, "car"):
        with pytest.raises(ValueError, match="a whole number from 0 to 3"):
            filed_under(passage)


def test_the_file_holds_plain_numbers():
    kept = measured("splade")["pictures"]
    for each in kept["passages"]:
        assert np.array(each["logits"]).shape == (len(each["tokens"]), len(each["words"]))
        assert each["text"] in DRAWERS and set(DRAWERS[each["text"]]) <= set(map(shown, each["words"]))
