"""The picture of lesson 20 about notes with dates: four orders, two questions, one half-life."""

import re

import pytest
from picture_text import words_of

from firstprinciples import swap
from firstprinciples.explore import dated_notes
from firstprinciples.explore.dated import (
    ALONE,
    CASES,
    DAYS,
    DECAY,
    NEWEST,
    NOTES,
    STRUCK,
    WAYS,
    State,
    caption,
    describe,
    frame,
    picture,
    similarities,
)
from firstprinciples.retrieve.bm25 import BM25


@pytest.mark.parametrize("case", CASES)
def test_similarities_are_bm25s(case):
    texts = [text for _, text in NOTES.values()]
    hits = {list(NOTES)[int(hit.id)]: hit.score for hit in BM25(texts).search(CASES[case][0], 10)}
    assert similarities(case) == pytest.approx({name: hits.get(name, 0.0) for name in NOTES})


def test_the_more_similar_note_is_older():
    rows = frame(State())["rows"]
    old, new = rows["old code"], rows["new code"]
    assert old["similarity"] > new["similarity"] and old["age"] > new["age"]
    assert frame(State())["first"] == "old code" and "older note" in caption(frame(State()), None)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("way", WAYS)
def test_places_follow_the_scores(case, way):
    drawn = frame(State(case, way, 365))
    placed = sorted((row for row in drawn["rows"].values() if row["place"]), key=lambda row: row["place"])
    assert [row["place"] for row in placed] == [*range(1, len(placed) + 1)]
    assert [row["score"] for row in placed] == sorted((row["score"] for row in placed), reverse=True)
    for row in drawn["rows"].values():
        assert row["freshness"] == pytest.approx(2 ** (-row["age"] / 365))
        if way == DECAY:
            assert row["score"] == pytest.approx(row["similarity"] * row["freshness"])


def test_no_half_life_serves_both_questions():
    right = {case: {days for days in range(1, 10_000) if frame(State(case, DECAY, days))["first"] == CASES[case][1]}
             for case in CASES}
    assert not right["a code"] & right["a maker"]
    code, maker = sorted(right["a code"]), sorted(right["a maker"])
    assert code == [*range(code[0], code[-1] + 1)] and maker == [*range(maker[0], 10_000)]
    assert code[-1] < maker[0] and {180, 365, 730, 1095} == {days for days in DAYS if days in right["a code"]}
    assert {days for days in DAYS if days in right["a maker"]} == {1825, 3650, 7300}


def test_what_is_struck_out_comes_in_no_place_and_both_questions_are_right():
    for case, (_, right) in CASES.items():
        drawn = frame(State(case, STRUCK))
        assert drawn["first"] == right and drawn["rows"]["old code"]["place"] == 0
        assert "struck out 2022-05-10" in words_of(picture(drawn, None, None))


def test_the_newest_is_about_something_else():
    for case in CASES:
        drawn = frame(State(case, NEWEST))
        assert drawn["first"] == "door" != drawn["right"]


def test_the_explorer_moves():
    stage = dated_notes()
    assert stage.label == describe(frame(State())) and "has place 2" in stage.label
    stage.controls["way"].value = DECAY
    assert stage.label.endswith("; the right one.") and "half-life 365 days" in stage.label
    stage.controls["half_life"].value = 1825
    assert "First comes the old code: wrong. Before it was the new code." in stage.words.value
    assert "pale: before the dial moved" in words_of(stage.drawing)
    stage.controls["case"].value = "a maker"
    assert stage.label.startswith("“who made the back gate?”") and stage.label.endswith("the right one.")
    stage.reset()
    assert stage.frame == frame(State("a code", ALONE, 365))
    stage.close()


def test_text_is_large_enough_and_fits():
    html = picture(frame(State(way=DECAY)), frame(State(way=DECAY, half_life=10)), None)
    assert min(int(size) for size in re.findall(r"font-size:(\d+)px", html)) >= 12
    for _, text in NOTES.values():
        assert len(text) <= 2 * 46


def test_a_learners_weights_do_not_change_the_case():
    with swap.use("bm25.idf", lambda n, df: 0.0):
        similarities.cache_clear()
        assert similarities("a code")["old code"] > 1
    similarities.cache_clear()


@pytest.mark.parametrize("given, said", [
    ({"case": "a door"}, "There is no question 'a door'; there are a code, a maker."),
    ({"way": "oldest first"}, "There is no way 'oldest first'"), ({"half_life": 0}, "half_life is 0"),
    ({"half_life": 1.5}, "half_life is 1.5")])
def test_what_is_not_there_is_refused(given, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        dated_notes(**given)
