"""What both pictures of lesson 11's graph are drawn with: the map in three layers, the lists, the pseudocode.

The points are places on a globe: vectors of three numbers, of length 1, so that 1 - cosine is their distance. The map
is the globe seen from above, by stereographic projection. It bends distances toward the rim, but on it a circle stays a
circle: the ring around the query, with everything inside it nearer than the furthest result, is drawn as it is.
"""

import math
from functools import lru_cache

import numpy as np

from firstprinciples.explore import drag, draw

GLOBE = 8.0  # units of the map from its middle to a point tilted by 53 degrees (2 tan(c / 2) = 1)
SCALE, LOW, HIGH = 30, (-7, -5), (7, 5)
LAYERS = 3
WIDE, GAP, HEAD = 420, 12, 24
SMALL = (WIDE - GAP) / 2 / WIDE  # the upper layers are drawn that much smaller
TOP = round(SMALL * (HIGH[1] - LOW[1]) * SCALE)  # the height of an upper layer
TALL = HEAD + TOP + HEAD + (HIGH[1] - LOW[1]) * SCALE
STAR = "M0-11L2.8-2.8L11 0L2.8 2.8L0 11L-2.8 2.8L-11 0L-2.8-2.8Z"

SETTINGS = drag.settings(("q",), (draw.NOW,), LOW, HIGH, step=0.25, scale=SCALE, arrows=False) | {
    "size": (WIDE, TALL), "origin": (-LOW[0] * SCALE, TALL + LOW[1] * SCALE), "background": "", "mark": STAR,
    "handles": ("the query",), "label": "map of three layers; drag the query, or use the arrow keys on it"}


def lifted(points) -> np.ndarray:
    """Return the points (x, y) of the map as vectors of three numbers and length 1, (n, 3).

    The middle of the map is the pole. Inverse stereographic projection: circles on the map are circles on the globe.

    >>> lifted([(0, 0), (8, 0)]).round(3).tolist()
    [[0.0, 0.0, 1.0], [0.8, 0.0, 0.6]]
    """
    x, y = np.asarray(points, dtype=float).reshape(-1, 2).T / GLOBE
    square = (x * x + y * y) / 4
    return np.stack([x, y, 1 - square], axis=1) / (1 + square)[:, None]


def ring(query, distance: float) -> tuple[float, float, float] | None:
    """Return (x, y, radius) on the map of the circle of all places at this distance, 1 - cosine, from the query.

    None where that circle holds the pole's opposite, and with it everything outside: the map ends long before.
    """
    a, b, c = lifted([query])[0]
    cosine = 1 - distance
    if c + cosine < 1e-3:
        return None
    # a x + b y + c (1 - s) = cosine (1 + s) with s = (x^2 + y^2) / 4, solved for the circle's middle and radius
    x, y = (2 * each / (c + cosine) for each in (a, b))
    square = x * x + y * y + 4 * (c - cosine) / (c + cosine)
    return x * GLOBE, y * GLOBE, math.sqrt(max(square, 0.0)) * GLOBE


def three(distance: float) -> str:
    """Return a distance as the pictures show it.

    >>> three(0.0306), three(1.5)
    ('0.031', '1.500')
    """
    return f"{distance + 0.0:.3f}"


# ---- the map

def ground(frame: dict) -> str:
    """Draw the three layers; `frame` says which node is what. The query's star on layer 0 is drawn on top of it."""
    return "".join(_layer(frame, layer) for layer in reversed(range(LAYERS)))


def still(frame: dict) -> str:
    """Draw the map with the query's star, as it stands where nothing can be dragged."""
    if frame["query"] is None:
        return draw.svg(TALL, ground(frame), width=WIDE)
    x, y = drag.place(frame["query"], SETTINGS)
    star = (f'<path d="{STAR}" transform="translate({x} {y})" style="fill:{draw.NOW};stroke:{draw.PAPER};'
            f'stroke-width:2"/>')
    side = math.hypot(*frame["query"])
    out = (20 * frame["query"][0] / side, 20 * frame["query"][1] / side) if side else (0, 20)
    name = drag.label(round(x + out[0], 2), round(y + 5 - out[1], 2), frame["name"], 15)
    return draw.svg(TALL, ground(frame), star, name, width=WIDE)


@lru_cache(maxsize=64)
def _standing(share: float, places, links, one_way, members) -> tuple[str, str]:
    """Return what stays as it is from step to step: the links of a layer, and dots for who does not live there."""
    spots = [_spot(place, share) for place in places]
    radius = 9 if share == 1.0 else 8
    ties = _links(links, spots.__getitem__, draw.OTHER, 1.2) + "".join(
        _arrow(spots[a], spots[b], radius, draw.OTHER, 1.2, "5 4") for a, b in one_way)
    dots = "".join(f'<circle cx="{x}" cy="{y}" r="2.5" style="fill:{draw.OTHER};opacity:0.6"/>'
                   for position, (x, y) in enumerate(spots) if position not in members)
    return ties, dots


def _spot(point, share: float) -> tuple[float, float]:
    """Return where a point of the map lies in a layer's frame, in pixels."""
    return round((point[0] - LOW[0]) * SCALE * share, 1), round((HIGH[1] - point[1]) * SCALE * share, 1)


def _layer(frame, layer: int) -> str:
    """Return one layer: its name, its frame, links, marks."""
    share = 1.0 if layer == 0 else SMALL
    wide, tall = WIDE * share, (HIGH[1] - LOW[1]) * SCALE * share
    left, top = {0: (0, TALL - tall), 1: (wide + GAP, HEAD), 2: (0, HEAD)}[layer]
    now = layer == frame["layer"]

    def at(position_or_point):
        return _spot(frame["places"][position_or_point] if isinstance(position_or_point, int) else position_or_point,
                     share)

    members = frame["members"][layer]
    radius = 9 if layer == 0 else 8
    below = _standing(share, *(tuple(map(tuple, pairs)) for pairs in (
        frame["places"], frame["links"][layer], frame["one_way"][layer])), tuple(members))
    shapes = [_ring(frame, layer, at, share), below[0], _links(frame["pale"][layer], at, draw.tint(draw.NOW, 0.4), 5),
              below[1]]
    shapes += [_arrow(at(a), at(b), radius) for on, a, b in frame["arrows"] if on == layer]
    shapes += [draw.line(*at(a), *at(b), draw.NOW if tied else draw.BLUE, 2.6, "" if tied else "7 4")
               for on, a, b, tied in frame["new_links"] if on == layer]
    shapes += [draw.line(*at(a), *at(b), draw.NOW, 2.2, "4 3") for on, a, b in frame["looks"] if on == layer]
    shapes += [_node(frame, layer, position, at(position), radius) for position in members]
    if layer and frame["query"] is not None:
        x, y = at(frame["query"])
        shapes.append(f'<path d="{STAR}" transform="translate({x} {y}) scale(0.7)" style="fill:{draw.NOW};'
                      f'stroke:{draw.PAPER};stroke-width:2"/>')
    inside = (f'<svg x="{left}" y="{top}" width="{wide}" height="{tall}" style="overflow:hidden">'
              f'{"".join(shapes)}</svg>')
    name = f"layer {layer}: {len(members)} of {len(frame['places'])} points" if members else f"layer {layer}: empty"
    note = draw.text(WIDE, top - 7, "dashed: a link one way only", 12, draw.GREY, anchor="end") if layer == 0 else ""
    return (draw.text(left, top - 7, name, 13, draw.INK if now else draw.GREY, bold=now) + note
            + draw.box(left, top, wide, tall, draw.PAPER, draw.LINE, radius=6, thick=1) + inside
            + (draw.box(left, top, wide, tall, "none", draw.NOW, radius=6, thick=2.5) if now else ""))


def _links(pairs, at, color, thick) -> str:
    """Return many lines as one path."""
    way = "".join(f"M{a[0]:g} {a[1]:g}L{b[0]:g} {b[1]:g}" for a, b in ((at(i), at(j)) for i, j in pairs))
    look = f"fill:none;stroke:{color};stroke-width:{thick};stroke-linecap:round"
    return f'<path d="{way}" style="{look}"/>' if way else ""


def _ring(frame, layer, at, share) -> str:
    """Return the circle within which a place is nearer than the furthest result, on the layer that is searched."""
    circle = ring(frame["query"], frame["reach"]) if layer == frame["layer"] and frame["reach"] is not None else None
    if circle is None:
        return ""
    (x, y), r = at(circle[:2]), circle[2] * SCALE * share
    return (f'<circle cx="{x}" cy="{y}" r="{r:.1f}" style="fill:{draw.tint(draw.SKY, 0.14)};stroke:{draw.BLUE};'
            f'stroke-width:1.5;stroke-dasharray:2 4"/>')


def _arrow(start, end, radius, color=draw.NOW, thick=2.6, dash="") -> str:
    """Return an arrow between two nodes that stops at the rim of the second."""
    far = math.dist(start, end) or 1.0
    way = ((end[0] - start[0]) / far, (end[1] - start[1]) / far)
    tip = (end[0] - way[0] * (radius + 2), end[1] - way[1] * (radius + 2))
    long, half = (9, 5) if thick > 2 else (7, 3.5)
    back = (tip[0] - way[0] * long, tip[1] - way[1] * long)
    corners = (tip, (back[0] - way[1] * half, back[1] + way[0] * half),
               (back[0] + way[1] * half, back[1] - way[0] * half))
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    return (draw.line(*start, f"{back[0]:.1f}", f"{back[1]:.1f}", color, thick, dash)
            + f'<polygon points="{points}" style="fill:{color}"/>')


def _node(frame, layer, position: int, place, radius: float) -> str:
    """Return a node with its number: white, gray once it has been looked at, blue as a result, ringed as a candidate.

    On a layer that is done, blue is where the way went down. A green square stands around the truly nearest on layer 0;
    an outer ring, solid or dashed, around what is taken or looked at now.
    """
    on = layer == frame["layer"]
    result = position in (frame["in_results"] if on else frame["kept"][layer])
    around = on and position == frame["now"] and ("dashed" if frame["looking"] else "solid")
    return _mark(position, place, radius, result, on and position in frame["in_candidates"],
                 position in frame["seen"][layer], layer == 0 and position in frame["nearest"], around)


@lru_cache(maxsize=4096)
def _mark(position: int, place, radius: float, result, candidate, seen, true, around) -> str:
    """Return a node as `_node` describes it; kept, since most nodes stay as they are from step to step."""
    x, y = place
    fill, ink = (draw.BLUE, "#FFFFFF") if result else (draw.PAPER, draw.INK)
    edge, thick = (draw.BLUE, 3) if candidate else (draw.BLUE if result else draw.OTHER, 1.5)
    shapes = []
    if true:
        shapes.append(draw.box(x - 14, y - 14, 28, 28, "none", draw.GREEN, radius=3, thick=2.5))
    if around:
        shapes.append(f'<circle cx="{x}" cy="{y}" r="{radius + 5}" style="fill:none;stroke:{draw.NOW};'
                      f'stroke-width:2.5{";stroke-dasharray:4 3" if around == "dashed" else ""}"/>')
    outer = radius + (3.5 if candidate and result else 0)
    if candidate and result:
        shapes.append(f'<circle cx="{x}" cy="{y}" r="{outer}" style="fill:{draw.PAPER};stroke:{draw.BLUE};'
                      f'stroke-width:2"/>')
    shapes.append(f'<circle cx="{x}" cy="{y}" r="{radius}" style="fill:{fill};stroke:{edge};stroke-width:{thick}"/>')
    if seen and not result:
        shapes.append(f'<circle cx="{x}" cy="{y}" r="{radius}" style="fill:{draw.tint(draw.OTHER, 0.55)}"/>')
    shapes.append(draw.text(x, y + 4.3, position, 12, ink, anchor="middle", bold=result))
    return "".join(shapes)


# ---- the words beside it

STYLE = f"""<style>
.fp-hnsw {{ display: grid; grid-template-columns: {WIDE}px minmax(0, 1fr); column-gap: 22px; }}
.fp-drag:has(svg.fp-plane) .fp-hnsw {{ grid-template-columns: minmax(0, 1fr); padding-left: 12px; }}
.fp-hnsw .fp-hnsw-code {{ height: 310px; margin-top: 2px; overflow-x: auto; overflow-y: hidden; }}
.fp .fp-hnsw code {{ font-size: 12px; line-height: 16px; height: 16px; padding: 0 0 0 6px; display: block; }}
.fp .fp-hnsw code.fp-hnsw-line {{ background: {draw.tint(draw.NOW, 0.18)}; box-shadow: inset 4px 0 {draw.NOW}; }}
.fp-hnsw-why {{ line-height: 21px; margin: 2px 0 4px; overflow: hidden; }}
.fp-hnsw-list {{ display: grid; grid-template-columns: 98px minmax(0, 1fr); height: 48px; margin-top: 6px;
  line-height: 18px; }}
.fp-hnsw-list.fp-hnsw-one {{ height: 26px; }}
.fp-hnsw-chips {{ display: flex; flex-wrap: wrap; gap: 4px; align-content: flex-start; }}
.fp-hnsw-chip {{ border: 2px solid {draw.BLUE}; border-radius: 12px; font-size: 12px; line-height: 16px; height: 20px;
  padding: 0 6px; white-space: nowrap; font-variant-numeric: tabular-nums; }}
.fp-hnsw-full {{ background: {draw.BLUE}; color: #FFFFFF; }}
.fp-hnsw-true {{ border-color: {draw.GREEN}; border-radius: 3px; }}
.fp-hnsw-new {{ box-shadow: 0 0 0 2px {draw.NOW}; }}
.fp-hnsw-gone {{ border-style: dashed; border-color: {draw.GREY}; color: {draw.GREY}; }}
.fp-hnsw-side {{ display: flex; flex-direction: column; min-width: 0; }}
@container (max-width: 779px) {{ .fp-hnsw {{ grid-template-columns: minmax(0, 1fr); row-gap: 8px; }} }}
@container (min-width: 500px) and (max-width: 779px) {{ .fp-hnsw-algorithm {{ order: 1; margin-top: 8px; }} }}
</style>"""


def why(reason: str, lines: int = 2) -> str:
    """Return the reason for a step, with room for so many lines, so that nothing below it jumps."""
    return f'<div class="fp-hnsw-why" style="height:{21 * lines}px">{draw.escape(reason)}</div>'


def code(name: str, lines, now: int) -> str:
    """Return an algorithm with its line numbers; the line `now` is marked."""
    rows = "".join(f'<code class="{"fp-hnsw-line" if number == now else ""}">{number:>2}  {draw.escape(words)}</code>'
                   for number, words in lines)
    return (f'<div class="fp-hnsw-algorithm"><div class="fp-note">{draw.escape(name)}</div>'
            f'<div class="fp-hnsw-code">{rows}</div></div>')


def chips(pairs, look: str = "", new=(), most: int = 10) -> str:
    """Return (distance, position) pairs as a row of small labels; those that find no room are counted."""
    shown = "".join(
        f'<span class="fp-hnsw-chip {look} {"fp-hnsw-new" if position in new else ""}"><b>{position}</b> '
        f'{three(distance)}</span>' for distance, position in pairs[:most])
    if len(pairs) > most:
        shown += f'<span class="fp-note">and {len(pairs) - most} more</span>'
    return shown or '<span class="fp-note">empty</span>'


def row(name: str, note: str, inside: str, one: bool = False) -> str:
    """Return a list with its name before it."""
    small = f'<br><span class="fp-note" style="line-height:18px">{note}</span>' if note else ""
    return (f'<div class="fp-hnsw-list {"fp-hnsw-one" if one else ""}"><div class="fp-line"><b>{name}</b>{small}</div>'
            f'<div class="fp-hnsw-chips">{inside}</div></div>')
