"""The pictures of lesson 12 that search: bits and then full vectors, and a vector cut into parts with codebooks."""

import re

import numpy as np
import pytest
from picture_text import words_of

from firstprinciples import swap
from firstprinciples.corpus import Collection
from firstprinciples.explore import codebooks, rescoring
from firstprinciples.explore.codebooks import CODES, PAGES, eight, trained, typical_error
from firstprinciples.explore.codebooks import State as Cut
from firstprinciples.explore.codebooks import caption as said_of_books
from firstprinciples.explore.codebooks import describe as describe_books
from firstprinciples.explore.codebooks import frame as books_of
from firstprinciples.explore.codebooks import picture as draw_books
from firstprinciples.explore.rescoring import (
    DEPTHS,
    QUESTIONS,
    State,
    caption,
    describe,
    frame,
    means,
    picture,
    shelf,
)
from firstprinciples.index.cosine import Exact
from firstprinciples.index.short_vectors import Binary

# Bits, then full vectors


def test_a_name_that_is_cut_short_keeps_its_number():
    html = picture(frame(State(0, 50)), None, None)
    ids = re.findall(r'fp-rescore-id"><span class="fp-line">(?:★ )?([^<]*)</span><span>(#\d+)</span>', html)
    assert len(ids) == 30 and {("contract-pellmoor-washing", "#3"), ("contract-pellmoor-washing", "#4")} <= set(ids)


@pytest.mark.parametrize("question", range(len(QUESTIONS)))
@pytest.mark.parametrize("rescored", [0, 10, 50, 200, 704])
def test_the_lists_are_those_of_the_indexes(question, rescored):
    drawn, kept = frame(State(question, rescored)), shelf()
    query = kept["asked"][kept["place"][QUESTIONS[question]]]
    exact, binary = Exact(384), Binary(384, rescore=100)
    for index in (exact, binary):
        index.add(kept["vectors"], kept["ids"])
    assert [row["id"] for row in drawn["true"]] == [id for id, _ in exact.search(query, 10)]
    assert [row["id"] for row in drawn["bits"]] == [id for id, _ in binary.search(query, 10, rescore=0)]
    assert [row["id"] for row in drawn["found"]] == [id for id, _ in binary.search(query, 10, rescore=rescored)]
    assert drawn["back"] == len({row["id"] for row in drawn["true"]} & {row["id"] for row in drawn["found"]})
    assert drawn["read"] == {"codes": 33_792, "full": rescored * 1536, "exact": 1_081_344}
    html = picture(drawn, None, None)
    assert "nan" not in html and (words_of(html).count("?") > 9) == (rescored == 0)
    assert caption(drawn, None) and describe(drawn)


def test_the_questions_may_be_looked_at():
    split = {query.text: query.split for query in Collection.load("larkspur").queries}
    assert {split[text] for text in QUESTIONS} == {"dev"}


def test_rescoring_all_is_exact_search_and_more_never_finds_fewer_of_the_ten():
    found = means()
    assert found["rescored"][0] == found["rescored"][10]  # the same ten, in another order
    values = [found["rescored"][depth] for depth in DEPTHS[1:]]
    assert values == sorted(values) and values[-1] == 1.0
    kinds = found["kinds"]
    assert kinds["float32"] == 1.0 and kinds["float16"] > 0.999 and kinds["int8"] > 0.99
    assert found["rescored"][0] < kinds["PQ"] < kinds["int8"]
    for question in range(len(QUESTIONS)):
        assert frame(State(question, 704))["back"] == 10


def test_an_answer_that_bits_lose_comes_back_and_one_they_had_by_luck_goes():
    assert [frame(State(0, depth))["answer"]["now"] for depth in (0, 10, 50)] == [None, None, 7]
    assert [frame(State(1, depth))["answer"]["now"] for depth in (0, 100, 200)] == [None, None, 7]
    lucky = frame(State(2, 0))
    assert lucky["answer"] == {"true": 23, "bits": 3, "now": 3} and frame(State(2, 50))["answer"]["now"] is None
    assert "The answer (★) is at place 23 by the full vectors and at place 3 here." in caption(lucky, None)


def test_the_dial_keeps_the_question_and_the_bar_before():
    stage = rescoring()
    stage.controls["rescored"].value = 50
    assert "was 0.575 with 0" in words_of(stage.drawing) and "From 0 to 50 rescored: 2 of the true ten become 9" in \
        words_of(stage.words.value)
    another = stage.view.children[1].children[1]
    another.click()
    assert stage.frame["question"] == QUESTIONS[1] and stage.frame["rescored"] == 50 and "was" not in words_of(
        stage.drawing).split()
    stage.reset()
    assert (stage.frame["question"], stage.frame["rescored"]) == (QUESTIONS[0], 0)
    stage.close()


def test_learners_functions_drive_the_lists_and_the_means_stay():
    stage = rescoring(rescored=50)
    right, mean = stage.frame["found"], stage.frame["recall"]
    swap.use("quantize.rescore", lambda query, positions, vectors, k: [(p, 0.0) for p in positions[:k]])
    assert stage.frame["found"] != right and stage.frame["recall"] == mean
    assert "running on your rescore: yours" in stage.label and "expected" in words_of(stage.drawing)
    swap.use("quantize.rescore", lambda query, positions, vectors, k: [])
    assert stage.frame["found"] == right and "Your rescore gave 0 positions" in stage.label
    swap.use("quantize.rescore")
    swap.use("quantize.hamming", lambda bits, many_bits: 3)
    assert stage.frame["found"] == right and "one number for each of the 704 rows" in stage.label
    stage.close()


# Parts and codebooks


def test_the_eight_numbers():
    ids, points, query = eight()
    assert points.shape == (704, 8) and query.shape == (8,) and len(ids) == 704 and set(PAGES) <= set(ids)
    assert np.allclose(np.linalg.norm(points, axis=1), 1) and np.isclose(np.linalg.norm(query), 1)


@pytest.mark.parametrize("page", range(len(PAGES)))
@pytest.mark.parametrize("k", CODES)
def test_the_look_ups_add_up_and_the_codes_are_the_nearest(page, k):
    drawn = books_of(Cut(page, k))
    assert sum(drawn["looked"]) == pytest.approx(drawn["score"], abs=1e-6)
    for part, code, book in zip(drawn["parts"], drawn["codes"], drawn["codebooks"], strict=True):
        apart = [sum((a - b) ** 2 for a, b in zip(part, entry, strict=True)) for entry in book]
        assert len(book) == k and apart[code] == pytest.approx(min(apart))
    html = draw_books(drawn, books_of(Cut(page, 16)), None)
    assert "nan" not in html and html.count("<svg") == 4
    assert trained(k).shape == (4, k, 2)
    assert f"Sum {drawn['score']:.4f}".replace("-", "−") in describe_books(drawn)


def test_more_codes_are_nearer_on_average():
    errors = [typical_error(k) for k in CODES]
    assert errors == sorted(errors, reverse=True)
    before, now = books_of(Cut(0, 16)), books_of(Cut(0, 32))
    assert f"the average error goes from {errors[3]:.3f} to {errors[4]:.3f}" in said_of_books(now, before)


def test_the_dial_keeps_the_chunk_and_another_chunk_is_another_question():
    stage = codebooks()
    stage.controls["k"].value = 8
    assert "pale ring: the code before" in stage.drawing and "was 0.9249" in words_of(stage.drawing)
    stage.view.children[1].children[1].click()
    assert stage.frame["page"] == PAGES[1] and stage.frame["k"] == 8 and "pale ring" not in stage.drawing
    stage.reset()
    assert stage.frame == books_of(Cut())
    stage.close()


def test_learners_functions_drive_the_maps():
    stage = codebooks()
    right = stage.frame["codes"]
    swap.use("quantize.pq_encode", lambda vectors, codebooks: np.zeros((len(vectors), len(codebooks)), np.uint8))
    assert stage.frame["codes"] == [0, 0, 0, 0] and "running on your pq_encode: yours" in stage.label
    assert "expected 0.9249" in words_of(stage.drawing) and "dashed ring" in words_of(stage.drawing)
    swap.use("quantize.pq_encode", lambda vectors, codebooks: [[1, 2]])
    assert stage.frame["codes"] == right and "Your pq_encode has to give 4 numbers from 0 to 15" in stage.label
    swap.use("quantize.pq_encode")
    swap.use("quantize.pq_scores", lambda query, codes, codebooks: [0.5] * len(codes))
    assert stage.frame["score"] == 0.5 and "≠" in words_of(stage.drawing)
    stage.close()
