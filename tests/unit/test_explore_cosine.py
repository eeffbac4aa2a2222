"""The explorers of lesson 04: frames that are finite, words that say the numbers, points that stay where put."""

import importlib
import itertools
import math
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from firstprinciples import swap
from firstprinciples.explore import drag, onto_circle, three_measures, two_vectors
from firstprinciples.explore.guess import QUESTIONS
from firstprinciples.index import cosine

ROOT = Path(__file__).resolve().parents[2]
two = importlib.import_module("firstprinciples.explore.cosine")
three = importlib.import_module("firstprinciples.explore.three_measures")
circle = importlib.import_module("firstprinciples.explore.onto_circle")


def finite(value):
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return all(map(finite, inside)) and (not isinstance(value, float) or math.isfinite(value))


# Two vectors

CORNERS = [-5, -0.25, 0, 1, 5]


@pytest.mark.parametrize("a, b", [(a, b) for a in itertools.product(CORNERS, [0, 2]) for b in [(0, 0), (3, -5), a]])
def test_two_vectors_anywhere(a, b):
    f = two.frame(two.State(a, b))
    assert finite(f) and -1 <= f["cosine"] <= 1 and 0 <= f["angle"] <= 180
    assert f["cosine"] == pytest.approx(cosine.similarity(a, b))
    assert f["dot"] == pytest.approx(np.dot(a, b)) and f["distance"] == pytest.approx(math.dist(a, b))
    for text in (two.describe(f), two.caption(f), two.picture(f)):
        assert "nan" not in text.lower().replace("nan;", "")
    moved = two.frame(two.State((1, 1), b), was=f)
    assert two.caption(moved).startswith("a went from") or a == (1, 1)


def test_the_tips_are_clamped_and_on_their_steps():
    state = two.State((9, -9.9), (0.13, 0.12))
    assert (state.a, state.b) == ((5, -5), (0.25, 0.0))
    with pytest.raises(ValueError, match="step is 0.1; let it be a power of 2"):
        drag.settings("ab", ("red", "blue"), (0, 0), (1, 1), step=0.1, scale=10)


def test_what_the_sentences_say():
    now = two.frame(two.State())
    assert two.describe(now) == ("a = (4, 1), length 4.12; b = (1, 2), length 2.24. Angle 49°, cosine 0.65; "
                                 "dot product 6.00, distance 3.16.")
    assert two.caption(now).startswith("Cosine = 6.00 / (4.12 × 2.24) = 0.65.")
    shorter = two.frame(two.State(a=(2, 0.5)), was=now)
    assert two.caption(shorter) == ("a went from (4, 1) to (2, 0.5). The cosine stays at 0.65, though a is shorter: "
                                    "the dot product went from 6.00 to 3.00 and the distance from 3.16 to 1.80.")
    turned = two.frame(two.State(b=(2, 0.5)), was=now)
    assert "The angle went from 49° to 0°, the cosine from 0.65 to 1.00." in two.caption(turned)
    gone = two.frame(two.State(b=(0, 0)), was=now)
    assert "It has no length now and points nowhere" in two.caption(gone)


def test_plane_and_sliders_are_one_state():
    stage = two_vectors()
    plane, sliders = stage.controls["tips"], [each for each in stage.view.children[1].children if hasattr(each, "max")]
    assert len(sliders) == 4 and [each.value for each in sliders] == [4, 1, 1, 2]
    plane.value = [[2, 0.5], [1, 2]]  # as the browser sends it
    assert [each.value for each in sliders] == [2, 0.5, 1, 2]
    assert stage.frame["was"]["a"] == [4, 1] and "(2, 0.5)" in stage.label and "was 3.16" in stage.screen.value
    sliders[2].value = -1
    assert plane.value == ((2, 0.5), (-1, 2)) and stage.frame["b"] == [-1, 2]
    assert stage.frame["was"]["b"] == [1, 2] and stage.frame["was"]["a"] == [2, 0.5]  # another tip: a new beginning
    stage.reset()
    assert [each.value for each in sliders] == [4, 1, 1, 2] and stage.frame["was"] is None
    stage.close()


def test_a_drag_is_compared_with_where_it_began():
    stage = two_vectors()
    for x in (3.75, 3, 2):
        stage.controls["tips"].value = [[x, 1], [1, 2]]
    assert stage.frame["was"]["a"] == [4, 1]
    stage.close()


@pytest.mark.parametrize("tip", [(1,), (1, 2, 3), (math.nan, 0), ("1", "2"), None, 5, "ab"], ids=repr)
def test_a_tip_that_is_no_point(tip):
    with pytest.raises(ValueError, match=r"holds something that is no point: give two numbers each, \(x, y\)\.$"):
        two_vectors(tip)


def test_points_that_can_be_gone_through_only_once():
    assert drag.snapped(zip([1, 2], [3, 9], strict=True), two.SETTINGS) == ((1.0, 3.0), (2.0, 5.0))


WITHOUT = """
import sys

class Away:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "anywidget":
            raise ImportError("not here")

sys.meta_path.insert(0, Away())
from firstprinciples.explore import course_map, two_vectors
shown = two_vectors()
shown.controls["tips"].value  # the plane, which has no picture of its own
left = next(each for each in shown.view.children[1].children if getattr(each, "description", "") == "a across")
left.value = 1.0
print(shown.label)
shown.reset()
shown.close()
"""


def test_without_anywidget_the_sliders_move_pythons_own_drawing():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, encoding="utf-8", cwd=ROOT,
                          env={**os.environ, "PYTHONIOENCODING": "utf-8"})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("a = (1, 1), length 1.41; b = (1, 2)")


def test_what_comes_back_from_the_browser_moves_nothing():
    """The kernel must not answer a move with an older place: the tip would jump back under the reader's hand."""
    stage = two_vectors()
    plane, heard = stage.controls["tips"], []
    plane.observe(lambda change: heard.append(change.new), "value")
    plane.value = [[3.75, 1], [1, 2]]
    assert heard == [([3.75, 1], [1, 2])] or heard == [[[3.75, 1], [1, 2]]]  # what was sent, and nothing of ours
    for slider in stage.view.children[1].children[:4]:
        slider.set_state({"value": slider.value})
    assert len(heard) == 1
    stage.close()


def test_a_slow_function_is_asked_for_the_newest_place_only_as_often_as_needed():
    calls = []

    def slow(a, b):
        calls.append(a)
        time.sleep(0.02)
        return float(np.dot(a, b) / (np.linalg.norm(a) * np.linalg.norm(b)))

    swap.use("cosine.similarity", slow)
    stage = two_vectors()
    calls.clear()
    stage.controls["tips"].value = [[3, 1], [1, 2]]
    assert len(calls) <= 4  # once for the cosine, once for the angle; not for each of the four sliders
    stage.close()


def test_a_learners_functions_drive_the_arrows():
    swap.use("cosine.similarity", lambda a, b: float(np.dot(a, b)))
    stage = two_vectors()
    assert "running on your similarity: yours 6, expected 0.6508 for similarity(a=[4.0, 1.0]" in stage.label
    assert "cosine 6.00" in stage.label and "6.00 / (4.12 × 2.24) ≠ 6.00" in stage.words.value
    swap.use("cosine.similarity", lambda a, b: float(np.dot(a, b)) / (np.linalg.norm(a) * np.linalg.norm(b)) / 2)
    assert "yours 0.3254, expected 0.6508" in stage.label and "expected 0.65" in stage.screen.value
    swap.use("cosine.similarity", lambda a, b: 1 / 0)
    assert "ZeroDivisionError" in stage.label and "cosine 0.65" in stage.label
    swap.use("cosine.similarity")
    assert "running" not in stage.label
    stage.close()


def test_the_still_shows_both_arrows_and_the_plane_gives_way():
    bundle = two_vectors()._repr_mimebundle_()
    assert bundle["text/html"].count("<circle") == 2 and "fp-arc" in bundle["text/html"]
    assert bundle["text/plain"].startswith("a = (4, 1)")
    assert ".fp-drag:has(svg.fp-plane) .fp-still { display: none; }" in drag.BESIDE


def test_nothing_is_written_smaller_than_12():
    for stage in (two_vectors(), three_measures(), onto_circle()):
        sizes = [float(size) for size in re.findall(r"font-size:(\d+)px", stage.screen.value)]
        assert min(sizes) >= 12
        stage.close()


# Three measures

@pytest.mark.parametrize("question, copies", list(itertools.product(range(4), range(5))))
def test_three_measures_anywhere(question, copies):
    f = three.frame(three.State(question, copies))
    assert finite(f) and all(sorted(order) == ["A", "B", "C"] for order in f["order"].values())
    before = three.frame(three.State(1, 2))
    for words in (three.describe(f), three.caption(f, None), three.caption(f, before), three.picture(f, before, f)):
        assert "nan" not in words.lower()
    if question and copies:
        assert f["values"]["cosine"] == pytest.approx({"A": 1, "B": 5 / math.sqrt(34), "C": math.sqrt(0.5)})


def test_each_measure_has_its_own_first():
    f = three.frame(three.State())
    assert {key: order[0] for key, order in f["order"].items()} == {"dot": "B", "distance": "C", "cosine": "A"}
    assert three.caption(f, None).startswith("First by dot product is B, by distance C, by cosine A.")
    long = three.frame(three.State(copies=4))
    said = three.caption(long, f)
    assert said.startswith("Page A 4 times in the place of 1: the dot product of A goes from 4.00 to 16.00 and the "
                           "distance of A goes from 1.41 to 9.90. No cosine moves.")
    assert "points nowhere" in three.caption(three.frame(three.State(question=0)), f)
    assert "Page A is empty" in three.caption(three.frame(three.State(copies=0)), f)


@pytest.mark.parametrize("gives", [[], [(0, 1.0)], [(0, 1.0)] * 3, [(0, 1.0), (1, 1.0), (1, 0.5)], None, [(9, 1.0)] * 3,
                                   [0, 1, 2]], ids=repr)
def test_a_top_k_that_does_not_order_every_page_is_replaced_and_named(gives):
    stage = three_measures()
    right = stage.frame
    swap.use("cosine.top_k", lambda similarities, k: gives)
    assert stage.frame == right and "Drawn with the course's own function instead" in stage.label
    stage.close()


def test_a_learners_similarities_drive_the_orders():
    swap.use("cosine.similarities", lambda query, vectors: [float(np.dot(query, row)) for row in vectors])
    stage = three_measures()
    assert stage.frame["order"]["cosine"][0] == "B" and "expected 0.86" in stage.screen.value
    swap.use("cosine.similarities", lambda query, vectors: [1.0])
    assert "gave 1 numbers for 3 pages" in stage.label and stage.frame["order"]["cosine"][0] == "A"
    stage.close()


# Onto the circle

def test_each_arrow_keeps_its_direction_and_gets_length_one():
    frames = circle.trace()
    assert [frame["moving"] for frame in frames] == [None, "question", "A", "B", "C", "D", None, None]
    last = frames[-1]["vectors"]
    for name, vector in circle.VECTORS.items():
        assert math.hypot(*last[name]) == pytest.approx(1 if any(vector) else 0)
        assert cosine.similarity(vector, last[name]) == pytest.approx(1 if any(vector) else 0)
    for row in frames[-2]["table"].values():
        assert row["dot"] == pytest.approx(row["cosine"])
    for name in "ABC":
        row = frames[-2]["table"][name]
        assert row["distance"] ** 2 == pytest.approx(2 - 2 * row["cosine"])
    assert "Twice is harmless" in frames[-1]["why"] and "Best first A, B, C, D" in frames[-2]["why"]
    assert all(finite(frame) and "nan" not in circle.picture(frame, frame) for frame in frames)


def test_what_is_not_known_yet_is_a_question_mark():
    frames = circle.trace()
    assert [circle.picture(frame, None).count(">?<") for frame in frames] == [0, 8, 8, 8, 8, 8, 0, 0]


def test_a_learners_normalize_drives_the_circle():
    swap.use("cosine.normalize", lambda vectors: np.asarray(vectors, dtype=float) / (np.max(vectors) or 1))
    stage = onto_circle()
    stage.controls["step"].value = 6
    assert "yours [1.0, 1.0], expected [0.7071, 0.7071]" in stage.label and "stroke-dasharray:4 3" in stage.screen.value
    swap.use("cosine.normalize", lambda vectors: None)
    assert "something other than two numbers" in stage.label
    swap.use("cosine.normalize", lambda vectors: swap.reference("cosine.normalize")(vectors).tolist())
    assert stage.label.endswith("running on your normalize")
    stage.close()


def test_a_normalize_that_does_nothing_is_not_said_to_give_length_one():
    with swap.use("cosine.normalize", lambda vectors: np.array(vectors, dtype=float)):
        last = circle.trace()[-1]
    assert last["why"] == "Nothing moved, and yet not every length is 1: look at question and A and B."
    assert circle.trace()[-1]["why"].startswith("Every length is 1 (or 0)")


def test_an_array_is_compared_with_an_array():
    swap.use("cosine.normalize", lambda vectors: swap.reference("cosine.normalize")(vectors).astype(np.float32))
    stage = onto_circle()
    assert stage.label.endswith("running on your normalize")
    stage.close()


def test_the_guess():
    question = QUESTIONS["cosine.length"]
    once, four = (three.frame(three.State(copies=copies))["values"] for copies in (1, 4))
    assert f"from {once['dot']['A']:.0f} to {four['dot']['A']:.0f}" in question["because"]
    assert f"from {once['distance']['A']:.2f} to {four['distance']['A']:.2f}" in question["because"]
    assert question["answer"] == "the same" and once["cosine"] == pytest.approx(four["cosine"])
