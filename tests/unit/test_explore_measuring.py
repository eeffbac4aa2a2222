"""The ranking explorer of lesson 02: four metrics by hand, moves, who notices, words, and a learner's function."""

import itertools
import math
import re

import pytest

from firstprinciples import swap
from firstprinciples.evaluate import metrics
from firstprinciples.explore import measuring
from firstprinciples.explore.guess import QUESTIONS
from firstprinciples.explore.measuring import PRESETS, START, State, caption, describe, frame, move, picture

IDEAL = 3 + 2 / math.log2(3) + 1 / 2 + 1 / math.log2(5)  # the DCG of grades 3, 2, 1, 1 in the best order


def press(stage, word):
    """Click the button that says `word`, wherever it stands."""
    def found(widget):
        yield widget
        for child in getattr(widget, "children", ()):
            yield from found(child)
    next(each for each in found(stage.view) if getattr(each, "description", "") == word).click()


def choose(stage, who):
    """Choose the page to move, by its number."""
    stage.view.children[1].children[0].value = who


def values(places, k):
    return frame(State(places, k))["values"]


@pytest.mark.parametrize("places, k, expected", [
    (START, 5, (2 / 4, 2 / 5, 1 / 2, (3 / math.log2(3) + 2 / math.log2(5)) / IDEAL)),
    (START, 1, (0, 0, 0, 0)),
    ((1, 2, 3, 4), 10, (1, 4 / 10, 1, 1)),
    ((1, 2, 3, 4), 2, (2 / 4, 1, 1, 1)),  # the best order of the first two is there
    ((4, 3, 2, 1), 4, (1, 1, 1, (1 + 1 / math.log2(3) + 2 / 2 + 3 / math.log2(5)) / IDEAL)),
    ((1, 0, 0, 0), 10, (1 / 4, 1 / 10, 1, 3 / IDEAL)),
    ((0, 0, 0, 0), 10, (0, 0, 0, 0)),
])
def test_the_four_numbers_by_hand(places, k, expected):
    assert tuple(values(places, k).values()) == pytest.approx(expected, abs=1e-12)


def test_every_state_is_finite_and_between_0_and_1_and_can_be_drawn():
    for places in [*PRESETS.values(), *itertools.islice(itertools.permutations(range(11), 4), 0, None, 61)]:
        for k in (1, 5, 10):
            f = frame(State(places, k))
            assert all(0 <= value <= 1 for value in f["values"].values()) and len(f["ranked"]) == 10
            assert picture(f, frame(State()), None).count("fp-metric") == 4


def test_the_state_is_clamped_and_no_two_pages_stand_at_one_place():
    assert State((-3, 99, 2, 2), 0) == State((0, 10, 2, 0), 1)
    assert State(START, 99).k == 10


@pytest.mark.parametrize("places, who, way, expected", [
    ((2, 4, 7, 0), 0, "Up", (1, 4, 7, 0)),
    ((1, 4, 7, 0), 0, "Up", (1, 4, 7, 0)),  # nothing is above the top
    ((2, 3, 7, 0), 1, "Up", (3, 2, 7, 0)),  # two relevant pages trade places
    ((2, 3, 7, 0), 0, "Down", (3, 2, 7, 0)),
    ((2, 4, 7, 0), 3, "Up", (2, 4, 7, 10)),
    ((10, 4, 7, 0), 3, "Up", (0, 4, 7, 10)),  # ten places: the one at the bottom falls out
    ((10, 4, 7, 0), 0, "Down", (0, 4, 7, 0)),
    ((0, 4, 7, 0), 0, "Down", (0, 4, 7, 0)),
    ((2, 4, 7, 0), 1, "Out", (2, 0, 7, 0)),
])
def test_a_page_goes_up_down_or_out(places, who, way, expected):
    assert move(places, who, way) == expected


def test_describe_has_the_places_and_the_numbers():
    assert describe(frame(State())) == (
        "A ranking of ten: A (grade 3) at place 2, B (grade 2) at place 4, C (grade 1) at place 7, D (grade 1) not "
        "found. recall@5 0.50, precision@5 0.40, RR@5 0.50, nDCG@5 0.53.")


def said(was, now, k=5, k_now=None):
    return caption(frame(State(now, k_now or k)), frame(State(was, k)))


def test_the_caption_says_who_noticed_and_why():
    assert caption(frame(State()), None) == ("2 of the 4 relevant pages are in the first 5 places: recall is 2/4, "
                                             "precision 2/5. The first stands at place 2: RR is 1/2.")
    order = said((2, 4, 7, 0), (2, 3, 7, 0))
    assert "Moved: B from 4 to 3. Noticed by nDCG (+0.03); not by recall, precision and RR." in order
    assert "Recall and precision count in any order" in order and "still at place 2" in order
    found = said((2, 4, 6, 0), (2, 4, 5, 0))
    assert "Noticed by recall (+0.25), precision (+0.20) and nDCG (+0.07); not by RR." in found
    assert "The first 5 places now hold 3 relevant pages, not 2." in found
    assert "RR sees only the first, now at place 1." in said((2, 4, 7, 0), (1, 4, 7, 0))
    assert said((2, 4, 7, 0), (1, 0, 0, 3)).startswith("Moved: A to 1, B out, C out, D to 3. Noticed by ")
    assert "None of the four numbers noticed. All of it happened outside the first 5 places" in said((2, 4, 7, 0),
                                                                                                  (2, 4, 8, 0))
    assert "have the same grade" in said((1, 2, 3, 4), (1, 2, 4, 3))
    longer = said(START, START, k=5, k_now=9)
    assert longer.startswith("k goes from 5 to 9. Noticed by recall (+0.25), precision (\u22120.07)")
    assert "A longer list can only find more; precision divides what was found, 3, by 9." in longer
    assert "Noticed by recall" in said((1, 0, 0, 0), (0, 0, 0, 0))
    assert said(START, START) == "None of the four numbers noticed."


@pytest.mark.parametrize("was, now, said", [
    (0.531, 0.5349, "+0.004"), (0.5349, 0.5351, "+0.01"), (0.526, 0.534, "+0.008"), (0.50, 0.25, "\u22120.25"),
    (0.5351, 0.5349, "\u22120.01")])
def test_a_change_lies_between_the_shown_numbers_and_a_small_one_is_not_shown_as_none(was, now, said):
    before, after = frame(State()), frame(State())
    before["values"] = before["values"] | {"ndcg": was}
    after["values"] = after["values"] | {"ndcg": now}
    assert f"noticed: {said}<" in picture(after, before, None)


def test_the_caption_stays_within_two_lines():
    """A third line, above what is said of a learner's function, would make the picture jump."""
    places = [*PRESETS.values(), *itertools.islice(itertools.permutations(range(11), 4), 0, None, 97)]
    for was, now in itertools.pairwise(places):
        for k in (1, 5, 10):
            assert len(said(was, now, k)) <= 225


def test_buttons_move_the_chosen_page_and_each_move_is_compared_with_the_one_before():
    m = measuring()
    press(m, "Up")
    assert m.frame["places"]["A"] == 1 and m.before["places"]["A"] == 2
    choose(m, 1)
    assert m.before["places"]["A"] == 2  # choosing another page moves nothing
    press(m, "Up")
    assert m.frame["places"] == {"A": 1, "B": 3, "C": 7, "D": 0}
    assert m.before["places"] == {"A": 1, "B": 4, "C": 7, "D": 0}
    assert "noticed: +0.03" in m.drawing and m.drawing.count("did not notice") == 3 and "was 4" in m.drawing
    press(m, "Four at the bottom")
    assert tuple(m.frame["places"].values()) == (10, 9, 8, 7)
    m.controls["k"].value = 6
    m.controls["k"].value = 10  # one drag: compared with where it began
    assert m.before["k"] == 5 and m.frame["values"]["recall"] == 1
    press(m, "Reset")
    assert m.frame == frame(State()) and m.before is None


def test_each_page_shows_its_grade_as_a_number_and_as_dots():
    drawn = picture(frame(State((1, 2, 3, 4), 10)), None, None)
    assert [drawn.count(dots) for dots in ("●●●", "●●○", "●○○")] == [1, 1, 2]
    assert re.findall(r'class="fp-grade"[^>]*>(\d)<', drawn) == ["3", "2", "1", "1"]


def test_the_bars_are_as_long_as_what_they_stand_for():
    now, then = frame(State()), frame(State((1, 4, 5, 0)))
    drawn = picture(now, then, None)
    for key, y, height, shown in [(key, y, h, f) for key in now["values"] for y, h, f in ((2, 22, now), (29, 9, then))]:
        assert f'y="{y}" width="{100 * shown["values"][key]:.3f}%" height="{height}"' in drawn


def test_a_wrong_recall_drives_the_picture_and_is_named():
    m = measuring()

    def recall(ranked, grades, k):
        return sum(gain > 0 for gain in metrics.gains(ranked, grades, k)) / k  # divides by k: that is precision

    with swap.use("metrics.recall_at_k", recall):
        assert m.frame["values"]["recall"] == pytest.approx(0.4)
        assert "running on your recall_at_k: yours 0.4, expected 0.5 for recall_at_k(" in m.label
        assert "expected 0.50" in m.drawing
        assert "recall is 0.40, precision 2/5. The first stands at place 2: RR is 1/2." in m.words.value
        m.controls["k"].value = 6
        assert "Noticed by recall (\u22120.07)" in m.words.value  # 0.40 to 0.33
        assert "can only find more" not in m.words.value  # true of recall, not of this
    assert "running" not in m.label and "can only" not in m.words.value


def test_the_sentence_says_what_the_bars_say_of_a_ranking_without_a_hit():
    assert caption(frame(State((0, 0, 0, 0))), None) == (
        "0 of the 4 relevant pages are in the first 5 places: recall is 0/4, precision 0/5. "
        "Without a first one, RR is 0.00.")
    with swap.use("metrics.reciprocal_rank", lambda *_: 0.2):
        assert "The first stands at place 2: RR is 0.20." in measuring().words.value


def test_reset_chooses_the_first_page_again():
    m = measuring()
    choose(m, 3)
    press(m, "Reset")
    press(m, "Up")
    assert m.frame["places"] == {"A": 1, "B": 4, "C": 7, "D": 0}


@pytest.mark.parametrize("wrong", [lambda *_: float("nan"), lambda *_: None, lambda *_: 1 / 0, lambda: 0.0])
@pytest.mark.parametrize("task", ["recall_at_k", "precision_at_k", "reciprocal_rank", "ndcg_at_k", "dcg", "gains"])
def test_nothing_a_learner_writes_breaks_the_picture(task, wrong):
    m = measuring()
    with swap.use(f"metrics.{task}", wrong):
        assert "Drawn with the course's own function instead." in m.label and "recall@5 0.50" in m.label
    press(m, "Up")
    assert m.frame["places"]["A"] == 1


def test_a_number_far_outside_is_said_and_its_bar_stays_in_the_picture():
    m = measuring()
    with swap.use("metrics.ndcg_at_k", lambda *_, **__: 1e6):
        assert "nDCG@5 1e+06" in m.label and 'width="100.000%"' in m.drawing


def test_the_mime_bundle_holds_the_still_picture_and_the_sentence():
    bundle = measuring()._repr_mimebundle_()
    assert bundle["text/plain"].startswith("A ranking of ten: A (grade 3) at place 2")
    assert "<svg" in bundle["text/html"] and 'role="img"' in bundle["text/html"] and "nDCG@5" in bundle["text/html"]


def test_the_guess_says_what_the_explorer_shows():
    before, after = values((10, 9, 8, 7), 10), values((1, 10, 9, 8), 10)
    assert (before["recall"], before["precision"]) == (after["recall"], after["precision"]) == (1.0, 0.4)
    said = QUESTIONS["measuring.order"]["because"]
    assert f"from {before['rr']:.2f} to {after['rr']:.2f}" in said
    assert f"from {before['ndcg']:.2f} to {after['ndcg']:.2f}" in said
    places = (10, 9, 8, 7)
    for _ in range(9):
        places = move(places, 0, "Up")
    assert places == (1, 10, 9, 8)


def test_a_state_needs_a_place_for_each_page():
    with pytest.raises(ValueError, match=r"^places has 3 entries; it needs one for each of A, B, C, D\.$"):
        State(places=(1, 2, 3))
