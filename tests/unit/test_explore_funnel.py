"""The funnel of lesson 07: the measured places of three or four pipelines, behind each place what is left."""

import re

import pytest
from picture_text import words_of

from firstprinciples import swap
from firstprinciples.explore import funnel
from firstprinciples.explore.funnel import (
    ALL,
    HALVES,
    PLACES,
    State,
    caption,
    describe,
    figures,
    frame,
    kinds,
    picture,
    pipelines,
)
from firstprinciples.grading.mistakes import mistakes


@pytest.mark.parametrize("half", HALVES)
def test_the_bars_are_the_measured_counts(half):
    for name in pipelines():
        for kind in kinds():
            row = figures()[HALVES[half]]["pipelines"][name]
            row = row if kind == ALL else row["kinds"][kind]
            drawn = frame(State(name, half, kind))
            lost = [row["failures"].get(place, 0) + row["luck"].get(place, 0) for place in PLACES]
            assert drawn["lost"] == lost and drawn["queries"] == row["queries"]
            assert drawn["alive"] == pytest.approx([1 - sum(lost[: n + 1]) / row["queries"] for n in range(5)])
            assert sum(row["failures"].values()) + row["right"] == row["queries"]
            assert drawn["alive"][-1] * row["queries"] == pytest.approx(row["right"] - drawn["luck"])
            html = picture(drawn, frame(State()), None)
            assert not re.search(r"\bnan\b", html) and describe(drawn) and caption(drawn, frame(State()))
            assert words_of(html).startswith("What is left behind each place?")


def test_the_dials_keep_the_pipeline_before():
    stage = funnel()
    first, second = pipelines()[:2]
    assert stage.label.startswith(f"dev half, {first}, all kinds: 135 questions")
    stage.controls["pipeline"].value = second
    assert stage.before["pipeline"] == first and f"From {first} to {second}: " in stage.words.value
    assert "dashed: before" in words_of(stage.drawing)
    stage.controls["half"].value = "held-out half"
    assert stage.label.startswith(f"held-out half, {second}")
    stage.controls["kind"].value = kinds()[1]
    assert f"{kinds()[1]}: 15 questions" in stage.label
    stage.reset()
    assert stage.frame == frame(State())
    stage.close()
    assert State("none", "none", "none") == State()


@pytest.mark.parametrize("task", ["failure.tally", "failure.surviving"])
def test_every_mistake_is_drawn_or_replaced(task):
    stage = funnel()  # drawn again at each `use`
    for name, wrong in mistakes(task).items():
        with swap.use(task, wrong):
            assert "running on your" in stage.label and not re.search(r"\bnan\b", stage.drawing), name
    stage.close()


@pytest.mark.parametrize("task, wrong", [
    ("failure.tally", lambda places: {}), ("failure.tally", lambda places: None),
    ("failure.surviving", lambda places: [1.0]), ("failure.surviving", lambda places: [2.0] * 5),
    ("failure.surviving", lambda places: 1 / 0)])
def test_what_can_not_be_drawn_gives_the_courses_own_and_a_sentence(task, wrong):
    right = frame(State())
    with swap.use(task, wrong):
        stage = funnel()
        assert stage.frame == right and "course's own function instead" in stage.label
        stage.close()
