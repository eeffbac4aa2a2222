"""The chart of lesson 03: the numbers on the curve, and what is drawn beside it."""

import base64
import itertools
import math
import struct

import pytest

from firstprinciples import swap
from firstprinciples.explore import saturation
from firstprinciples.explore.saturation import NAMED, State, _ends, caption, describe, frame
from firstprinciples.retrieve import bm25


@pytest.mark.parametrize("k1, b, times", list(itertools.product((0.0, 1.2, 3.0), (0.0, 1.0), (0.25, 1.0, 4.0))))
def test_frames_are_finite_and_below_the_ceiling(k1, b, times):
    f = frame(State(k1, b, times))
    assert f["weights"][0] == 0.0 and len(f["weights"]) == 51
    for tf in (1, 10, 50):
        assert f["weights"][tf] == pytest.approx(bm25.term_weight(tf, k1, b, round(100 * times), 100))
        assert math.isfinite(f["weights"][tf]) and f["weights"][tf] <= f["ceiling"] + 1e-9
    assert f["ceiling"] == k1 + 1


def test_the_numbers_of_the_lesson():
    assert [round(frame(State())["weights"][tf], 2) for tf in NAMED] == [1.0, 1.57, 1.96, 2.15]


def test_the_dials_are_clamped():
    state = State(-1, 2, 9)
    assert (state.k1, state.b, state.times) == (0.0, 1.0, 4.0)


def test_describe_and_caption_have_the_numbers():
    now = frame(State())
    assert describe(now) == ("Term weight with k1 = 1.2 and b = 0.75 in a page of average length: "
                             "1 occurrence counts 1.00, "
                             "3 count 1.57, 10 count 1.96, 50 count 2.15; the ceiling is k1 + 1 = 2.2.")
    assert "ten count 1.96; forty more add 0.19. No count passes k1 + 1 = 2.2" in caption(now, None)  # 2.15 less 1.96
    assert "Raising k1 from 1.2 to 2" in (said := caption(frame(State(k1=2)), now))
    assert "that of ten goes from 1.96 to 2.50" in said and "of one occurrence stays at 1.00" in said
    assert "Raising the length from 1 to 4" in caption(frame(State(times=4)), now)
    assert "every repeat adds nothing" in caption(frame(State(k1=0)), None)


def test_every_curve_is_labelled_at_its_end():
    now, then = frame(State(k1=1.8)), frame(State(k1=1.2))
    assert [words for _, words, _ in _ends(now, None, None)] == ["k1 = 1.8", "ceiling 2.8", "k1 = 1.2", "k1 = 2.0"]
    assert [words for _, words, _ in _ends(now, then, now)][-2:] == ["before", "expected"]
    assert [words for _, words, _ in _ends(now, then, None)][2:] == ["k1 = 1.2", "k1 = 2.0", "before"]


def test_the_picture_is_a_png_of_the_right_shape_and_changes_with_the_dials():
    s = saturation()
    first = s.screen.value
    assert first[:4] == b"\x89PNG" and struct.unpack(">II", first[16:24]) == (1290, 570)
    s.controls["k1"].value = 1.8
    assert s.screen.value != first and 'role="img" aria-label="Term weight with k1 = 1.8' in s.words.value
    s.reset()
    assert s.screen.value == first


def test_the_mime_bundle_holds_the_png_and_the_sentence():
    s = saturation(k1=2.0)
    bundle = s._repr_mimebundle_()
    assert base64.b64decode(bundle["image/png"]) == s.screen.value
    assert "10 count 2.50" in bundle["text/plain"] and "data:image/png;base64," in bundle["text/html"]


def test_a_wrong_term_weight_is_named_and_drawn_wherever_it_lies():
    s = saturation()
    for wrong in (lambda tf, *_: float(tf), lambda tf, *_: -1.0, lambda tf, *_: 1e12):
        swap.use("bm25.term_weight", wrong)
        assert "expected" in s.label and s.screen.value[:4] == b"\x89PNG"
    s.controls["k1"].value = 0.0
    swap.use("bm25.term_weight", lambda tf, *_: float(tf))
    assert "adds nothing" not in s.words.value and "forty more add 40.00" in s.words.value
    s.reset()
    swap.use("bm25.term_weight", lambda tf, k1, b, length, average: float("nan"))
    assert "returned nan" in s.label and "10 count 1.96" in s.label
