"""Lesson 11: points in cells, and a search that looks only into the cells nearest to the question (IVF).

A plane has two numbers and the course's indexes compare by angle. So a point (x, y) becomes the vector (x, y, 8),
brought to length 1: seen from far away, the order by angle is the order by distance in the plane, nearly, and the
border between two cells is a straight line.
"""

from dataclasses import dataclass

import ipywidgets
import numpy as np

from firstprinciples.explore import drag, draw
from firstprinciples.explore.guard import Trouble, guard
from firstprinciples.explore.neighbors_picture import STAR
from firstprinciples.explore.stage import Stage
from firstprinciples.index import ivf

TASKS = ("ivf.assign", "ivf.update", "ivf.kmeans", "ivf.nearest_cells", "ivf.search_cells")
DEPTH = 8.0  # how far away the plane lies
CELLS, POINTS, K, ROUNDS = 12, 240, 10, 20
LOW, HIGH = (-5, -3.5), (5, 3.5)
NAME = (-14, 19)  # where the name of the star stands from it, in pixels, at the start: no missed point lies there
SETTINGS = drag.settings(("q",), (draw.NOW,), LOW, HIGH, step=0.125, scale=56, arrows=False) | {
    "background": "", "mark": STAR, "handles": ("the question",), "beyond": -20}
WIDTH, HEIGHT = SETTINGS["size"]
START = (1.0, 1.0)


@dataclass(frozen=True)
class State:
    """Where the question is, within the plane and on its steps, and into how many cells the search looks."""

    question: tuple = START
    nprobe: int = 1

    def __post_init__(self):
        object.__setattr__(self, "question", drag.snapped([self.question], SETTINGS)[0])
        object.__setattr__(self, "nprobe", min(max(int(self.nprobe), 1), CELLS))


def lifted(points) -> np.ndarray:
    """Return points of the plane, (n, 2), as vectors of length 1, (n, 3), float32.

    >>> lifted([(0, 0)]).tolist()
    [[0.0, 0.0, 1.0]]
    """
    points = np.asarray(points, dtype=np.float64).reshape(-1, 2)
    rows = np.column_stack([points, np.full(len(points), DEPTH)])
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def scattered(n: int, seed: int = 3) -> np.ndarray:
    """Return n points of the plane, (n, 2): most in nine loose groups, some anywhere."""
    rng = np.random.default_rng(seed)
    low, high = np.array(LOW) + 0.5, np.array(HIGH) - 0.5
    middles = rng.uniform(low, high, (9, 2))
    points = middles[rng.integers(9, size=n)] + rng.normal(0, 0.55, (n, 2))
    anywhere = rng.random(n) < 0.25
    points[anywhere] = rng.uniform(low, high, (int(anywhere.sum()), 2))
    return np.clip(points, low - 0.3, high + 0.3)


PLACES = scattered(POINTS)
VECTORS = lifted(PLACES)
ASKED = lifted(scattered(200, seed=4))  # other questions, for the mean


def nearest(question: np.ndarray) -> list[int]:
    """Return the positions of the K nearest points by every distance there is; ties by position."""
    return np.argsort(-(VECTORS @ question), kind="stable")[:K].tolist()


def frame(state: State) -> dict:
    """Return the cells, what was compared, what was found and what missed; and the same as a mean of 200 questions."""
    question = lifted(state.question)[0]
    centroids, labels = _whole(ivf.kmeans(VECTORS, VECTORS[:CELLS], ROUNDS))
    lists = [np.flatnonzero(labels == cell).tolist() for cell in range(CELLS)]
    cells = _numbered("nearest_cells", ivf.nearest_cells(question, centroids, state.nprobe), CELLS)
    hits = ivf.search_cells(question, VECTORS, lists, centroids, state.nprobe, K)
    found = _numbered("search_cells", hits, POINTS, lambda hit: hit[0])
    right = nearest(question)
    compared = sorted(place for cell in cells for place in lists[cell])
    recall, distances = many(centroids, labels, state.nprobe)
    return {"question": list(state.question), "nprobe": state.nprobe, "cells": cells, "labels": labels.tolist(),
            "centroids": centroids.tolist(), "compared": compared, "found": found, "right": right,
            "hit": [place for place in right if place in found],
            "missed": [place for place in right if place not in found],
            "distances": CELLS + len(compared), "recall": recall, "mean": distances}


def _numbered(name: str, given, n: int, number=lambda each: each) -> list[int]:
    """Return the cells, or the positions, that a function gave; Trouble where it is no list of them."""
    try:
        numbers = [int(number(each)) for each in given]
        right = all(0 <= each < n for each in numbers)
    except (TypeError, ValueError, IndexError, KeyError):
        right = False
    if not right:
        what = "cells" if name == "nearest_cells" else "(position, similarity)"
        raise Trouble(f"Your {name} should give a list of {what}, numbered 0 to {n - 1}.")
    return numbers


def _whole(given) -> tuple[np.ndarray, np.ndarray]:
    """Return what k-means gave as arrays; Trouble where it can't be drawn."""
    try:
        centroids, labels = given
        centroids, labels = np.asarray(centroids, dtype=float), np.asarray(labels, dtype=int)
    except (TypeError, ValueError):
        centroids = labels = np.empty(0)
    if centroids.shape != (CELLS, 3) or labels.shape != (POINTS,) or not np.isfinite(centroids).all() \
            or labels.min() < 0 or labels.max() >= CELLS:
        raise Trouble(f"Your kmeans should give {CELLS} centroids of 3 numbers and {POINTS} labels from 0 to "
                      f"{CELLS - 1}, as a pair.")
    return centroids, labels


def many(centroids, labels, nprobe: int) -> tuple[float, float]:
    """Return the mean recall@10 and the mean number of distances of 200 other questions."""
    order = np.argsort(-(ASKED @ centroids.T), axis=1, kind="stable")[:, :nprobe]
    near = np.argsort(-(ASKED @ VECTORS.T), axis=1, kind="stable")[:, :K]
    seen = (labels[near][:, :, None] == order[:, None, :]).any(axis=2)
    sizes = np.bincount(labels, minlength=CELLS)
    return float(seen.mean()), float(CELLS + sizes[order].sum(axis=1).mean())


# ---- words

def describe(frame: dict) -> str:
    """Say where the question is, what was compared and what was found."""
    x, y = (f"{number:g}".replace("-", "\u2212") for number in frame["question"])
    return (f"The question is at ({x}, {y}). nprobe = {frame['nprobe']}: the search looks into "
            f"{_cells(frame['nprobe'])} of {CELLS} and computes {frame['distances']} distances, {CELLS} to the middles "
            f"and {len(frame['compared'])} to points; exact search needs {POINTS}. It finds {len(frame['hit'])} of the "
            f"{K} nearest. Over 200 other questions: recall@{K} {draw.number(frame['recall'])} with "
            f"{frame['mean']:.0f} distances.")


def _cells(nprobe: int) -> str:
    return "1 cell" if nprobe == 1 else f"{nprobe} cells"


def caption(frame: dict, before: dict | None) -> str:
    """Say what the dial did, or why something is missing."""
    if before and before["nprobe"] != frame["nprobe"] and before["question"] == frame["question"]:
        was, now = len(before["hit"]), len(frame["hit"])
        same = f"still {now}" if was == now else f"{now} instead of {was}"
        return (f"nprobe goes from {before['nprobe']} to {frame['nprobe']}, for the same question: {same} of the {K} "
                f"nearest, {frame['distances']} distances instead of {before['distances']}.")
    if not frame["missed"]:
        return (f"All {K} nearest lie in the cells that were opened. {frame['distances']} distances instead of "
                f"{POINTS}. Drag the question towards a border.")
    others = sorted({frame["labels"][place] for place in frame["missed"]} - set(frame["cells"]))
    where = f"in {_cells(len(others))} that stayed closed" if others else "in cells that were opened"
    return (f"{len(frame['missed'])} of the {K} nearest are missing: they lie {where}. The search can't know: it never "
            "saw them. Turn nprobe up.")


# ---- the picture

STYLE = f"""<style>
.fp-cells {{ display: grid; grid-template-columns: {WIDTH}px minmax(0, 1fr); column-gap: 16px; }}
.fp-drag:has(svg.fp-plane) .fp-cells {{ grid-template-columns: minmax(0, 1fr); padding-left: 8px; }}
.fp-drag:has(.fp-cells) > .widget-html {{ flex: 1 1 260px; }}
.fp-cells .fp-number {{ font-size: 18px; font-weight: 700; }}
@container (max-width: 799px) {{ .fp-cells {{ grid-template-columns: minmax(0, 1fr); row-gap: 8px; }} }}
</style>"""
DOT = 'style="fill:{fill};stroke:{edge};stroke-width:{thick}{dash}"'


def disc(x, y, r, fill="none", edge="none", thick=1.2, dash="") -> str:
    """Return an SVG circle."""
    dash = f";stroke-dasharray:{dash}" if dash else ""
    return f'<circle cx="{x:g}" cy="{y:g}" r="{r}" {DOT.format(fill=fill, edge=edge, thick=thick, dash=dash)}/>'


def border(cell: int, centroids) -> list[tuple[float, float]]:
    """Return the corners of a cell in the plane: all of it, cut by the straight line to each other middle."""
    corners = [LOW, (HIGH[0], LOW[1]), HIGH, (LOW[0], HIGH[1])]
    for other, middle in enumerate(centroids):
        if other != cell:
            a, b, c = np.subtract(centroids[cell], middle) * (1, 1, DEPTH)
            corners = _cut(corners, lambda p, a=a, b=b, c=c: a * p[0] + b * p[1] + c)
    return corners


def _cut(corners, side) -> list[tuple[float, float]]:
    """Return the part of a polygon where side(point) >= 0."""
    out = []
    for one, two in zip(corners, [*corners[1:], *corners[:1]], strict=True):
        s, t = side(one), side(two)
        if s >= 0:
            out.append(one)
        if (s >= 0) != (t >= 0):
            share = s / (s - t)
            out.append((one[0] + share * (two[0] - one[0]), one[1] + share * (two[1] - one[1])))
    return out


def picture(frame: dict, before: dict | None = None, expected: dict | None = None) -> str:
    """Draw the plane with its cells on the left, and what the search cost and found on the right."""
    x, y = drag.place(frame["question"], SETTINGS)
    tip = (f'<path d="{STAR}" transform="translate({x} {y})" style="fill:{draw.NOW};stroke:{draw.PAPER};'
           f'stroke-width:2"/>' + drag.label(x + NAME[0], y + NAME[1], "q", 15))
    still = draw.svg(HEIGHT, ground(frame, before, expected), tip, width=WIDTH)
    return (f'<div class="fp-cells"><div class="fp-still">{still}</div>'
            f'<div>{_numbers(frame, _comparable(frame, before), expected)}</div></div>')


def _comparable(frame, before):
    """Return the frame from before, where it is about the same question."""
    return before if before and before["question"] == frame["question"] else None


def ground(frame, before, expected) -> str:
    """Return the cells and the points as SVG, without the question."""
    was = _comparable(frame, before)
    shapes, middles = [], []
    for cell in range(CELLS):
        corners = " ".join("{:g},{:g}".format(*drag.place(point, SETTINGS)) for point in
                           border(cell, frame["centroids"]))
        opened = cell in frame["cells"]
        fill = draw.tint(draw.BLUE, 0.16) if opened else "none"
        if was and cell in was["cells"]:
            fill = draw.tint(draw.BLUE, 0.26 if opened else 0.07)
        shapes.append(f'<polygon points="{corners}" style="fill:{fill};stroke:{draw.GREY};stroke-width:1"/>')
        if expected and cell in expected["cells"] and not opened:
            shapes.append(f'<polygon points="{corners}" style="fill:none;stroke:{draw.INK};stroke-width:2;'
                          f'stroke-dasharray:5 4"/>')
        x, y, depth = frame["centroids"][cell]
        if abs(depth) > 1e-9:
            x, y = drag.place((x * DEPTH / depth, y * DEPTH / depth), SETTINGS)
            number = str(frame["cells"].index(cell) + 1) if opened else ""
            middles.append(_middle(x, y, number))
    compared, right, found = set(frame["compared"]), set(frame["right"]), set(frame["found"])
    for place, point in enumerate(PLACES):
        x, y = drag.place(point, SETTINGS)
        looked = place in compared
        shapes.append(disc(x, y, 4 if looked else 3.2, draw.BLUE if looked else draw.PAPER,
                           draw.PAPER if looked else draw.OTHER))
        if place in right:
            shapes.append(disc(x, y, 7.5, edge=draw.GREEN, thick=2.6) if place in found else
                          disc(x, y, 7.5, edge=draw.NOW, thick=2.2, dash="3 2.5"))
    return "".join(shapes + middles)


def _middle(x: float, y: float, number: str) -> str:
    """Return the mark of a cell's middle: a square, with the order in which it was opened."""
    if not number:
        return draw.box(x - 4, y - 4, 8, 8, fill=draw.ORANGE, stroke=draw.PAPER, thick=1, radius=1)
    return (draw.box(x - 10, y - 10, 20, 20, fill=draw.ORANGE, stroke=draw.PAPER, thick=1, radius=3)
            + draw.text(x, y + 4.5, number, 13, draw.DARK, bold=True, anchor="middle"))


def _numbers(frame, was, expected) -> str:
    """Return what was found and what it cost, each with its number from before, pale."""
    def row(name, value, old):
        pale = f'<span class="fp-note"> was {old}</span>' if was and old != value else ""
        return (f'<div class="fp-note" style="margin-top:8px">{name}</div>'
                f'<div><span class="fp-number">{value}</span>{pale}</div>')

    old = was or frame
    found = row(f"of the {K} nearest, found", f"{len(frame['hit'])} of {K}", f"{len(old['hit'])} of {K}")
    cost = row("distances computed", str(frame["distances"]), str(old["distances"]))
    mean = row("mean recall@10 of 200 other questions", draw.number(frame["recall"]), draw.number(old["recall"]))
    per = 100 / POINTS

    def bar(each, y, height, strength=1.0):
        first, second = CELLS * per, len(each["compared"]) * per
        return (f'<g style="opacity:{strength}">{draw.box("0%", y, f"{first:.2f}%", height, fill=draw.ORANGE)}'
                f'{draw.box(f"{first:.2f}%", y, f"{second:.2f}%", height, fill=draw.BLUE)}</g>')

    shapes = [draw.box("0%", 4, "100%", 18, stroke=draw.OTHER, dash="4 3"), bar(frame, 4, 18)]
    shapes += [bar(was, 26, 6, 0.4)] if was else []
    shapes += [draw.text("100%", 48, f"exact: {POINTS}", 12, draw.GREY, anchor="end"),
               draw.text(0, 48, f"middles {CELLS} + points {len(frame['compared'])}", 12, draw.GREY)]
    signs = ((disc(8, 8, 4, draw.BLUE, draw.PAPER), "compared"), (disc(8, 8, 3.2, draw.PAPER, draw.OTHER),
             "never looked at"), (draw.box(4, 4, 8, 8, fill=draw.ORANGE, radius=1), "middle of a cell (centroid)"),
             (disc(8, 8, 6, edge=draw.GREEN, thick=2.6), f"one of the {K} nearest, found"),
             (disc(8, 8, 6, edge=draw.NOW, thick=2.2, dash="3 2.5"), f"one of the {K} nearest, missed"))
    legend = "".join(f'<div style="display:flex;gap:6px;align-items:center;height:22px">{draw.svg(16, sign, width=16)}'
                     f'<span class="fp-note">{words}</span></div>' for sign, words in signs)
    note = f"nprobe = {frame['nprobe']} of {CELLS} cells" + ("; pale: before" if was else "")
    note += "; dashed: the cells that the course’s own function opens" if expected else ""
    return (f'<div class="fp-title fp-line">Which cells are opened?</div>'
            f'<div class="fp-note" style="min-height:20px">{note}</div>{found}{cost}{draw.svg(54, *shapes)}{mean}'
            f'<div style="margin-top:12px">{legend}</div>')


# ---- the explorer

def cells(question=START, nprobe: int = 1) -> Stage:
    """Show points in cells, a question to drag, and a dial for how many cells the search looks into."""
    start = State(question, nprobe)
    plane = drag.Plane([start.question], SETTINGS)
    dial = ipywidgets.IntSlider(start.nprobe, 1, CELLS, description="nprobe", tooltip="nprobe",
                                style={"description_width": "56px"}, layout={"width": "220px"})
    sliders = drag.sliders(plane)
    for slider in sliders:
        slider.layout.width = "250px"

    def run(values):
        state = State(tuple(values["question"][0]), values["nprobe"])
        return guard(TASKS, lambda: frame(state), lambda drawn: picture(drawn))

    def show(frame, before, expected):
        plane.ground = (ground(frame, before, expected),)
        return picture(frame, before, expected)

    stage = Stage("cells", run, show, describe, {"nprobe": dial}, {"question": plane}, caption, style=STYLE,
                  buttons=sliders)
    drag.stand_beside(stage, plane)
    return stage
