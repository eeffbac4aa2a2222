"""The pictures of lesson 12 that take one number or one collection: its bits, its range, and the bytes of a million."""


import numpy as np
import pytest
from picture_text import words_of

from firstprinciples import swap
from firstprinciples.explore import bits, memory_table
from firstprinciples.explore.memory_table import KINDS, WIDTHS, sized
from firstprinciples.explore.memory_table import State as Sizes
from firstprinciples.explore.memory_table import caption as said_of_sizes
from firstprinciples.explore.memory_table import describe as describe_sizes
from firstprinciples.explore.memory_table import frame as sizes_of
from firstprinciples.explore.memory_table import picture as draw_sizes
from firstprinciples.explore.quantize import (
    LENGTHS,
    SETS,
    TEXTS,
    State,
    bits_of,
    caption,
    chunks,
    describe,
    frame,
    picture,
    read_bits,
    vector,
)
from firstprinciples.index import quantize

# One number


@pytest.mark.parametrize("kind", ["float32", "float16"])
@pytest.mark.parametrize("value", [0.15625, -1.0, 0.0649, 1e-7, -0.0151, 0.0, 3e-40])
def test_the_bits_are_those_of_the_number(kind, value):
    written = bits_of(value, kind)
    assert len(written) == 8 * np.dtype(kind).itemsize and set(written) <= {"0", "1"}
    power, factor = read_bits(written, kind)
    sign = -1 if written[0] == "1" else 1
    assert sign * factor * 2.0**power == float(np.array(value, dtype=kind))


def test_five_thirtysecondths_by_hand():
    assert bits_of(0.15625, "float32") == "0" + "01111100" + "01" + "0" * 21  # 1.25 x 2 ** -3, and -3 + 127 = 124
    assert bits_of(0.15625, "float16") == "0" + "01100" + "01" + "0" * 8


def test_the_first_picture_has_the_numbers_of_the_lesson():
    drawn = frame(State())
    assert describe(drawn) == (
        "Dimension 19 of “how much do we owe” is 0.064908. float16 gives back 0.064880, off by 0.000027. int8 has 255 "
        "steps of 0.001019 from −0.1485 to 0.1112: code 82 gives back 0.065395, off by 0.000487. Binary keeps 1.")
    assert caption(drawn, None) == (
        "As a float it is 1.0385 × 2 to the power of −4; float16 keeps 10 digits of that factor in place of 23. As "
        "int8 it is step 210 of 255 in the range of this dimension, and at most half a step is lost: 0.000509.")


@pytest.mark.parametrize("text", range(len(TEXTS)))
@pytest.mark.parametrize("dimension", [0, 19, 49, 127, 383])
@pytest.mark.parametrize("move", [-0.2, 0.0, 0.1])
def test_what_comes_back_is_what_was_written(text, dimension, move):
    drawn = frame(State(text, dimension, move))
    rows, value = drawn["rows"], drawn["value"]
    assert rows["float32"]["back"] == value == np.float32(value)
    assert rows["float16"]["back"] == float(np.float16(value))
    assert rows["binary"]["bits"] == ("1" if value > 0 else "0") and len(rows["int8"]["bits"]) == 8
    code = int(rows["int8"]["bits"], 2)
    assert drawn["code"] == (code if code < 128 else code - 256)
    if drawn["clipped"]:
        assert rows["int8"]["back"] == pytest.approx(drawn["low"] if value < drawn["low"] else drawn["high"], abs=1e-6)
    else:
        assert abs(rows["int8"]["back"] - value) <= drawn["step"] / 2 + 1e-7
    html = picture(drawn, frame(State()), None)
    assert "nan" not in html and "inf" not in html
    assert caption(drawn, frame(State()))


def test_the_vectors_are_the_stored_ones_and_three_dimensions_are_dead():
    assert chunks().shape == (704, 384) and vector(0).shape == (384,)
    assert np.flatnonzero(np.ptp(chunks(), axis=0) == 0).tolist() == [127, 223, 319]
    dead = frame(State(dimension=127))
    assert "a range without width" in caption(dead, None)
    drawn = words_of(picture(dead, None, None))  # the labels of both ends would lie on each other
    assert "code −128" in drawn and "code 127" not in drawn and "a range without width: no steps" in drawn


def test_a_range_of_two_chunks_is_too_narrow_and_one_long_vector_makes_it_too_wide():
    usual, few, wide = frame(State()), frame(State(calibrated=2)), frame(State(outlier=100))
    assert few["step"] < usual["step"] < wide["step"]
    assert few["clipped"] and "cut off at its end" in caption(few, usual)
    assert caption(few, usual).count("0.026207") == 1  # how far it is off, once
    assert {"sign", "exponent", "fraction"} <= set(words_of(picture(usual, None, None)).split())
    off = [abs(each["rows"]["int8"]["back"] - each["value"]) for each in (usual, few, wide)]
    assert off[0] < off[1] and off[0] < off[2]
    assert "one of length 100" in words_of(picture(wide, None, None))


def test_the_bits_that_change_are_framed_and_counted():
    usual, moved = frame(State()), frame(State(move=-0.08))
    flips = {kind: sum(a != b for a, b in zip(moved["rows"][kind]["bits"], usual["rows"][kind]["bits"], strict=True))
             for kind in usual["rows"]}
    assert flips == {"float32": 18, "float16": 10, "int8": 3, "binary": 1}
    assert caption(moved, usual) == ("The number goes from 0.0649 to −0.0151: 18 of 32 bits change, 10 of 16, 3 of 8, "
                                     "and 1 of 1. It crossed 0, and that is all that binary sees.")
    framed = picture(moved, usual, None).count("stroke:#D55E00;stroke-width:2\"/>")
    assert framed == sum(flips.values())


def test_a_state_is_brought_into_range():
    assert State(7, 999, 5.0, 3, 90) == State(1, 383, 0.2, 2, 100)
    assert State(-1, -5, -5.0, 10**6, -3) == State(2, 0, -0.2, SETS[-1], LENGTHS[0])


def test_another_phrase_and_another_dimension_are_another_question_and_a_move_keeps_the_number_before():
    stage = bits()
    stage.controls["move"].value = 0.05
    assert "pale: before" in stage.drawing
    stage.controls["dimension"].value = 20
    assert "pale" not in stage.drawing and stage.frame["dimension"] == 20
    stage.controls["calibrated"].value = 5
    assert "pale: before" in stage.drawing
    stage.view.children[1].children[0].click()
    assert stage.frame["text"] == "annual leave" and stage.before is None
    stage.reset()
    assert stage.frame == frame(State())
    stage.close()


def test_a_wrong_function_is_drawn_and_named_and_one_that_cannot_be_drawn_is_not():
    stage = bits(dimension=49)
    assert stage.frame["code"] == 127  # beyond the range of all chunks

    def wraps(vectors, low, high):
        steps = (np.asarray(vectors) - low) / (np.asarray(high) - low) * 255 - 128
        return np.rint(steps).astype(int).astype(np.int8)

    swap.use("quantize.to_int8", wraps)
    assert stage.frame["code"] < 0 and "running on your to_int8: yours" in stage.label
    assert "expected 0.175463" in words_of(stage.drawing)
    swap.use("quantize.to_int8", lambda vectors, low, high: [[500]])
    assert stage.frame["code"] == 127 and "a whole number from -128 to 127" in stage.label
    swap.use("quantize.to_int8", lambda vectors, low, high: vectors[7])
    assert stage.frame["code"] == 127 and "IndexError" in stage.label
    swap.use("quantize.to_int8")
    swap.use("quantize.to_bits", lambda vectors: np.packbits(np.asarray(vectors) < 0, axis=-1))
    assert stage.frame["rows"]["binary"]["bits"] == "0" and "running on your to_bits: yours" in stage.label
    stage.close()


# A million


def test_a_million_of_1024():
    drawn = sizes_of(Sizes())
    assert list(drawn["bytes"].values()) == [4_096_000_000, 2_048_000_000, 1_024_000_000, 128_000_000, 64_000_000]
    assert describe_sizes(drawn) == (
        "1,000,000 vectors of 1,024 numbers, decimal units (1 GB is 1,000,000,000 bytes): float32 4.1 GB, float16 2.0 "
        "GB, int8 1.0 GB, binary 128 MB, pq 64 MB, with 64 parts.")
    assert "4.1 GB in decimal units and 3.81 GiB in binary ones" in said_of_sizes(drawn, None)
    text = words_of(draw_sizes(drawn, None, None))
    assert "decimal units: 1 GB is 1,000,000,000 bytes" in text and "128 MB · 1/32 of float32" in text


@pytest.mark.parametrize("count, said", [
    (0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (9949, "9.9 kB"), (9990, "9.99 kB"), (48_000_000, "48 MB"),
    (999_600, "1.0 MB"), (1_536_000_000, "1.5 GB"), (12 * 10**15, "12 PB")])
def test_sizes_in_decimal_units(count, said):
    assert sized(count) == said


def test_a_small_share_is_said_in_whole_numbers():
    text = words_of(draw_sizes(sizes_of(Sizes(1000, 4096, 8)), None, None))
    assert "1/2,048 of float32" in text and "e+" not in text


@pytest.mark.parametrize("d", WIDTHS)
def test_every_width_is_drawn(d):
    drawn = sizes_of(Sizes(1000, d, 8))
    assert drawn["bytes"]["binary"] == 1000 * -(-d // 8)
    html = draw_sizes(drawn, sizes_of(Sizes(1000, 64, 8)), None)
    assert "nan" not in html and html.count("<rect") >= 2 * len(KINDS)


def test_any_numbers_may_be_handed_in_and_the_dials_keep_the_bars_before():
    stage = memory_table(704, 384, 48)
    assert stage.frame["bytes"] == {"float32": 1_081_344, "float16": 540_672, "int8": 270_336, "binary": 33_792,
                                    "pq": 33_792}
    stage.controls["n"].value = 1000
    assert "was 1.1 MB" in words_of(stage.drawing) and "From 704 to 1,000 vectors" in words_of(stage.words.value)
    stage.controls["m"].value = 64
    assert words_of(stage.drawing).count("was") == 1  # what did not change says no number from before
    assert "no other kind has parts" in words_of(stage.words.value)
    stage.reset()
    assert (stage.frame["n"], stage.frame["m"]) == (704, 48)
    stage.close()
    for wrong in (0, -1, True, 1.5, "7"):
        with pytest.raises(ValueError, match="n is .*; it is a whole number from 1"):
            memory_table(wrong)


def test_a_learners_memory_drives_the_bars():
    stage = memory_table()
    swap.use("quantize.memory", lambda n, dim, kind, m=None: quantize.BYTES.get(kind, 1) * n * dim)
    assert "running on your memory: yours" in stage.label and "expected 128 MB" in words_of(stage.drawing)
    swap.use("quantize.memory", lambda n, dim, kind, m=None: None)
    assert "not a number" in stage.label and stage.frame["bytes"]["binary"] == 128_000_000
    swap.use("quantize.memory", lambda n, dim, kind, m=None: 0)  # wrong, and still it can be drawn
    assert stage.frame["bytes"]["binary"] == 0 and "yours 0, expected 4096000000" in stage.label
    stage.close()
