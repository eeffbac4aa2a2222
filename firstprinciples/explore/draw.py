"""A small drawing kit: each function returns a piece of HTML or SVG as a string.

Words flow in HTML, because their width is not known while we write; bars and grids are SVG. Both go into one
`ipywidgets.HTML`. Charts with axes are matplotlib's, in the same colors (`figure`, `camera`).

Colors are Okabe and Ito's, which readers with any kind of color vision can tell apart, and each still has a second
sign: a word, an underline, an outline. Text and lines use JupyterLab's own variables, so the dark theme works too.
"""

import html
import struct
import zlib

import numpy as np

BLUE, ORANGE, GREEN, PURPLE, SKY = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9"
NOW = "#D55E00"  # vermilion: "now" and "chosen"; nothing is written on it
PALETTE = (BLUE, ORANGE, GREEN, PURPLE, SKY)
OTHER = "#9AA3AF"  # everything that has no color of its own
DARK = "#1B1F24"  # ink on a colored surface, in both themes

INK = f"var(--jp-ui-font-color1, {DARK})"
GREY = "var(--jp-ui-font-color2, #5B6470)"
LINE = "var(--jp-border-color2, #D5DAE1)"
PAPER = "var(--jp-layout-color1, #FBFCFD)"
SANS = "var(--jp-ui-font-family, system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif)"
MONO = "var(--jp-code-font-family, Menlo, Consolas, 'DejaVu Sans Mono', monospace)"

STYLE = f"""<style>
.fp {{ container-type: inline-size; max-width: 880px; color: {INK}; font: 14px/22px {SANS}; }}
.fp * {{ box-sizing: border-box; }}
.fp svg {{ display: block; overflow: visible; }}
.fp code {{ font: 13px/20px {MONO}; color: {INK}; background: none; padding: 0; white-space: pre; }}
.fp-title {{ font-size: 18px; font-weight: 700; line-height: 28px; height: 28px; }}
.fp-line {{ white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }}
.fp-note {{ font-size: 13px; line-height: 20px; color: {GREY}; }}
.fp-card {{ border: 1px solid {LINE}; border-radius: 8px; background: {PAPER}; overflow: hidden; }}
.fp-caption {{ min-height: 122px; padding-top: 4px; }}
.fp-caption > div + div {{ margin-top: 6px; }}
.fp-badge {{ border: 1.5px solid {INK}; border-radius: 10px; padding: 1px 9px; font-size: 13px; font-weight: 700;
  white-space: nowrap; }}
.fp-trouble {{ border-left: 4px solid {NOW}; padding-left: 10px; overflow-wrap: anywhere; }}
.fp-row.widget-hbox {{ flex-flow: row wrap; align-items: center; max-width: 880px; overflow: visible; }}
.fp-row .slider-container {{ min-width: 80px; }}
.fp-long .widget-readout {{ min-width: 84px; }}
.fp-scroll {{ overflow-x: auto; overflow-y: hidden; }}
.fp-scroll img {{ border-radius: 8px; }}
[data-jp-theme-light="false"] .fp-scroll img {{ filter: invert(0.93) hue-rotate(180deg); }}
.fp-fold.jupyter-button {{ width: auto; align-self: flex-start; background: none; box-shadow: none; color: {INK};
  padding: 0 6px; }}
.fp-fold.jupyter-button::before {{ content: "▸\\2002"; }}
.fp-fold.jupyter-button.mod-active::before {{ content: "▾\\2002"; }}
.fp-guess.widget-vbox {{ border: 1px solid {LINE}; border-radius: 8px; padding: 10px 14px 4px; }}
.fp-option.jupyter-button {{ width: auto; height: auto; white-space: normal; line-height: 20px; padding: 6px 13px;
  font-size: 14px; text-align: left; border-radius: 6px; border: 2px solid transparent; }}
.fp-option.jupyter-button:disabled {{ opacity: 1; color: {INK}; }}
.fp-chosen.jupyter-button {{ color: {INK}; border-color: {INK}; font-weight: 700; cursor: default; }}
</style>"""


def escape(text) -> str:
    """Return `text` so that it shows as text in HTML: < & > and quotes are no longer markup.

    >>> escape("<b> & co")
    '&lt;b&gt; &amp; co'
    """
    return html.escape(str(text), quote=True)


def number(value: float) -> str:
    """Return a number as pictures show it: two decimals, or three digits where it is huge.

    >>> number(3.7249), number(-0.001), number(123456.0)
    ('3.72', '0.00', '1.23e+05')
    """
    if abs(value) >= 10_000:
        return f"{value:.3g}"
    return f"{value + 0.0 if abs(value) >= 0.005 else 0.0:.2f}".replace("-", "\u2212")


def shown(value: float) -> float:
    """Return the number that `number` shows: what a reader has before them to add up and to compare.

    >>> shown(3.8034), shown(-0.001), shown(123456.0)
    (3.8, 0.0, 123000.0)
    """
    return float(number(value).replace("\u2212", "-"))


def change(now: float, was: float) -> float:
    """Return how far two shown numbers are apart: 4.84 is 1.04 more than 3.80, whatever the digits behind them are.

    >>> round(change(4.8389, 3.8034), 9)
    1.04
    """
    return shown(now) - shown(was)


def equals(parts, total: float) -> str:
    """Return the sign between parts and the total that is shown for them.

    "=" where the shown numbers add up; "≈" where the parts do but their rounded numbers do not; "≠" where another sum
    than the parts' is shown, as a learner's function can give it.

    >>> equals([1.5, 0.8, 1.5], 3.8), equals([1.8728, 1.0933, 1.8728], 4.8389), equals([1.0], 2.0)
    ('=', '≈', '≠')
    """
    parts = list(parts)
    if abs(sum(parts) - total) > 1e-6 * max(1.0, abs(total)):
        return "≠"
    return "=" if abs(sum(map(shown, parts)) - shown(total)) < 1e-6 * max(1.0, abs(total)) else "≈"


def tint(color: str, strength: float = 0.25) -> str:
    """Return a color that lets the page shine through: pale on white, deep on black, readable under text on both."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{strength})"


def mark(words: str, color: str) -> str:
    """Return words tinted and underlined, to stand inside flowing text."""
    return (f'<span style="background:{tint(color)};border-bottom:2px solid {color};border-radius:3px 3px 0 0;'
            f'padding:0 2px">{escape(words)}</span>')


def swatch(color: str) -> str:
    """Return a small square of a color, to stand before its name."""
    return (f'<span style="display:inline-block;width:12px;height:12px;border-radius:2px;background:{color};'
            f'vertical-align:-1px;margin-right:6px"></span>')


def svg(height: float, *shapes: str, width="100%") -> str:
    """Return one SVG picture. Places may be numbers (pixels) or strings such as "40%" of the width."""
    return f'<svg width="{width}" height="{height}" style="overflow:visible;display:block">{"".join(shapes)}</svg>'


def text(x, y, words, size=14, color=INK, bold=False, anchor="start", shift=0, mono=False) -> str:
    """Return SVG text whose baseline is at y; `anchor` is start, middle or end; `shift` moves it right by pixels."""
    family = f"font-family:{MONO};" if mono else ""
    return (f'<text x="{x}" y="{y}" dx="{shift}" text-anchor="{anchor}" style="{family}font-size:{size}px;'
            f'font-weight:{700 if bold else 400};fill:{color}">{escape(words)}</text>')


def box(x, y, width, height, fill="none", stroke="none", dash="", radius=2, thick=1.5) -> str:
    """Return an SVG rectangle; `dash` such as "4 3" makes its outline dashed."""
    dashed = f";stroke-dasharray:{dash}" if dash else ""
    return (f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}" '
            f'style="fill:{fill};stroke:{stroke};stroke-width:{thick}{dashed}"/>')


def line(x1, y1, x2, y2, color=LINE, thick=1.5, dash="") -> str:
    """Return an SVG line."""
    dashed = f";stroke-dasharray:{dash}" if dash else ""
    return (f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" '
            f'style="stroke:{color};stroke-width:{thick}{dashed}"/>')


def bar(start: float, end: float, y: float, height: float, color: str, label: str = "") -> str:
    """Return a bar from `start` to `end`, in percent of the picture's width, with its label in the middle.

    The label is white on blue and ink on every other color.
    """
    left, width = min(start, end), abs(end - start)
    shape = box(f"{left:.3f}%", y, f"{width:.3f}%", height, fill=color, stroke=PAPER, thick=1)
    if not label:
        return shape
    ink = "#FFFFFF" if color == BLUE else DARK
    return shape + text(f"{left + width / 2:.3f}%", y + height / 2 + 4.5, label, 13, ink, bold=True, anchor="middle")


def spread(places: list[float], gap: float) -> list[float]:
    """Move labels apart until neighbors are `gap` from each other, as little as is needed, keeping their order.

    >>> spread([1.0, 1.1, 5.0], gap=1.0)
    [0.55, 1.55, 5.0]
    """
    order = sorted(range(len(places)), key=lambda i: places[i])
    groups = []  # [middle, members]: labels that touch form a group, which stays around its own middle
    for i in order:
        groups.append([places[i], [i]])
        while len(groups) > 1 and groups[-1][0] - groups[-2][0] < gap * (len(groups[-1][1]) + len(groups[-2][1])) / 2:
            _, members = groups.pop()
            groups[-1][1] += members
            groups[-1][0] = sum(places[j] for j in groups[-1][1]) / len(groups[-1][1])
    out = [0.0] * len(places)
    for middle, members in groups:
        for rank, i in enumerate(members):
            out[i] = round(middle + (rank - (len(members) - 1) / 2) * gap, 6)
    return out


def figure(width: int, height: int):
    """Return (figure, axes) of this size in CSS pixels: matplotlib's object interface, so nothing is left open.

    1.5 dots for each pixel: sharper than one, and twice as fast as two.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # here, so that importing a lesson stays quick
    from matplotlib.figure import Figure

    new = Figure(figsize=(width / 100, height / 100), dpi=150, facecolor="#FFFFFF")
    FigureCanvasAgg(new)
    return new, figure_style(new.add_axes((0.06, 0.13, 0.78, 0.71)))


def figure_style(ax):
    """Give axes the course's look: no box, a light grid, small grey numbers. Returns the axes."""
    for side in ax.spines.values():
        side.set_visible(False)
    ax.grid(axis="y", color="#E6E9ED", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(length=0, colors="#5B6470", labelsize=9.5)
    return ax


def camera(chart, moving):
    """Return a function that takes a chart's picture as PNG; only the artists in `moving` change between pictures.

    Everything else (grid, ticks, titles) is drawn once: that halves the time of a picture.
    """
    for artist in moving:
        artist.set_animated(True)  # leave it out of the background
    chart.canvas.draw()
    background = chart.canvas.copy_from_bbox(chart.bbox)
    ordered = sorted(moving, key=lambda artist: artist.get_zorder())

    def take() -> bytes:
        chart.canvas.restore_region(background)
        for artist in ordered:
            chart.draw_artist(artist)
        return png(np.asarray(chart.canvas.buffer_rgba())[:, :, :3])

    return take


def png(pixels: np.ndarray) -> bytes:
    """Return an image (height, width, 3), bytes, as PNG, compressed lightly: it is made again at every move.

    Ours because a chart follows the dial: it takes about a third of the time of matplotlib's own PNG writer.
    """
    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + 3 * width), dtype=np.uint8)
    rows[:, 1:] = pixels.reshape(height, -1)
    rows[1:, 1:] -= rows[:-1, 1:].copy()  # filter 2 of the PNG standard: each row as its difference from the row above
    rows[:, 0] = 2
    packer = zlib.compressobj(1, strategy=zlib.Z_RLE)
    chunks = ((b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
              (b"IDAT", packer.compress(rows.data) + packer.flush()), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(struct.pack(">I", len(body)) + name + body
                                           + struct.pack(">I", zlib.crc32(name + body)) for name, body in chunks)
