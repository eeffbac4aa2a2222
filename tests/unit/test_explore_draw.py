"""The drawing kit: escaping, contrast, labels that make room for each other, PNG."""

import struct
import zlib

import numpy as np
import pytest

from firstprinciples.explore import draw


def luminance(color: str) -> float:
    """Return the relative luminance of a color, as WCAG 2 defines it."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colors, 1 to 21."""
    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def over(color: str, paper: str, strength: float = 0.25) -> str:
    """Return the color that `tint` gives on a paper."""
    pairs = [(int(color[i : i + 2], 16), int(paper[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(strength * on + (1 - strength) * below):02X}" for on, below in pairs)


@pytest.mark.parametrize("color", [*draw.PALETTE, draw.OTHER])
def test_figures_on_a_bar_can_be_read(color):
    ink = "#FFFFFF" if color == draw.BLUE else draw.DARK
    assert contrast(ink, color) >= 4.5
    assert f"fill:{ink}" in draw.bar(0, 50, 0, 20, color, "1.50")


@pytest.mark.parametrize("color", [*draw.PALETTE, draw.OTHER])
def test_words_on_a_tint_can_be_read_in_both_themes(color):
    assert contrast("#212121", over(color, "#FFFFFF")) >= 4.5
    assert contrast("#E0E0E0", over(color, "#212121")) >= 4.5


def test_every_function_that_takes_words_escapes_them():
    bad = '<script>alert("1")</script> & co'
    bar = draw.bar(0, 50, 0, 20, draw.SKY, bad)
    for made in (draw.escape(bad), draw.text(0, 0, bad), draw.mark(bad, draw.BLUE), bar):
        assert "<script" not in made and "&lt;script&gt;" in made and "&amp; co" in made and '"1"' not in made


def test_a_mark_is_tinted_and_underlined():
    made = draw.mark("tent", draw.ORANGE)
    assert "background:rgba(230,159,0,0.25)" in made and f"border-bottom:2px solid {draw.ORANGE}" in made


def test_a_bar_spans_from_start_to_end_in_either_direction():
    assert 'x="10.000%"' in draw.bar(10, 35, 0, 20, draw.SKY) and 'width="25.000%"' in draw.bar(10, 35, 0, 20, draw.SKY)
    assert draw.bar(35, 10, 0, 20, draw.SKY) == draw.bar(10, 35, 0, 20, draw.SKY)


@pytest.mark.parametrize("value, shown", [(3.7249, "3.72"), (0.0, "0.00"), (-0.001, "0.00"), (-0.51, "\u22120.51"),
                                          (12345.678, "1.23e+04")])
def test_number(value, shown):
    assert draw.number(value) == shown


def test_a_change_is_that_between_the_numbers_that_are_shown():
    assert 4.8389 - 3.8034 == pytest.approx(1.0355)  # would be shown as 1.04; the next one as 1.03
    assert draw.number(draw.change(4.8350, 3.8049)) == "1.03" and draw.number(draw.change(4.8351, 3.8049)) == "1.04"
    assert draw.change(0.534, 0.526) == 0.0 and draw.number(draw.change(0.30, 0.33)) == "\u22120.03"
    assert draw.change(-0.001, 0.004) == 0.0


@pytest.mark.parametrize("parts, total, sign", [
    ([1.504, 0.796, 1.504], 3.804, "="), ([1.8728, 1.0933, 1.8728], 4.8389, "≈"), ([], 0.0, "="), ([], 11.0, "≠"),
    ([0.004, 0.004], 0.008, "≈"), ([1.0, 1.0], 2.5, "≠"), ([-0.36], -0.36, "="), ([1e5, 2e5], 3e5, "=")])
def test_the_sign_says_whether_the_shown_parts_add_up(parts, total, sign):
    assert draw.equals(parts, total) == sign


def test_spread_moves_only_what_touches_and_keeps_the_order():
    assert draw.spread([0.0, 5.0], gap=1.0) == [0.0, 5.0]
    assert draw.spread([2.0, 2.0, 2.0], gap=1.0) == [1.0, 2.0, 3.0]
    places = [2.15, 2.2, 2.9, 2.0]
    out = draw.spread(places, gap=0.3)
    assert sorted(range(4), key=out.__getitem__) == sorted(range(4), key=places.__getitem__)
    assert min(np.diff(sorted(out))) >= 0.3 - 1e-6


def test_png_holds_the_pixels_it_was_given():
    pixels = np.random.default_rng(3).integers(0, 256, size=(5, 7, 3), dtype=np.uint8)
    data = draw.png(pixels)
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", data[16:24]) == (7, 5)
    start = data.index(b"IDAT")
    rows = np.frombuffer(zlib.decompress(data[start + 4 : start + 4 + struct.unpack(">I", data[start - 4 : start])[0]]),
                         dtype=np.uint8).reshape(5, 22)
    assert (rows[:, 0] == 2).all()
    assert (np.cumsum(rows[:, 1:], axis=0, dtype=np.uint8).reshape(5, 7, 3) == pixels).all()
