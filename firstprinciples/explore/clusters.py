"""Lesson 11: the same points joined twice: each with its nearest (simple), or with neighbors in different directions.

Three cases: five clusters, many copies of one point, one point far away. Points of the plane become vectors as in
`explore.cells`.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from firstprinciples.explore import draw
from firstprinciples.explore.cells import disc, lifted
from firstprinciples.explore.guard import guard
from firstprinciples.explore.recall_curve import nearest_of, steps
from firstprinciples.explore.stage import Stage, toggles
from firstprinciples.index.hnsw import HNSW
from firstprinciples.swap import split_name

TASKS = ("hnsw.random_level", "hnsw.search_layer", "hnsw.select_neighbors", "hnsw.select_neighbors_simple")
WAYS = {"simple": "simple: the nearest", "heuristic": "heuristic: in different directions"}
CHOICES = (2, 3, 4, 6, 8)  # of M
K, EF, EF_CONSTRUCTION = 5, 5, 20
WIDTH, HEIGHT, SCALE = 430, 330, 44  # pixels of one graph, and of one unit of the plane
COPIES, FAR = 60, 20  # how many copies; at which place the far point comes in


def _clusters() -> np.ndarray:
    middles = np.array([(-3.4, 1.9), (-1.2, -2), (0.3, 1.6), (2.2, -1.2), (3.6, 2)])
    points = np.repeat(middles, 24, axis=0) + np.random.default_rng(0).normal(0, 0.38, (120, 2))
    return np.random.default_rng(9).permutation(points)


def _copies() -> np.ndarray:
    others = np.random.default_rng(0).uniform((-4, -2.8), (4, 2.8), (20, 2))
    return np.random.default_rng(9).permutation(np.concatenate([np.zeros((COPIES, 2)), others]))


def _outlier() -> np.ndarray:
    return np.insert(np.random.default_rng(0).normal(0, 0.8, (100, 2)) - (1.5, 0), FAR, [(4, 2.4)], axis=0)


CASES = {"Five clusters": _clusters, "Copies of one point": _copies, "One far away": _outlier}


@dataclass(frozen=True)
class State:
    """Which points, and how many neighbors a new point takes."""

    case: str = "Five clusters"
    M: int = 4

    def __post_init__(self):
        if self.case not in CASES:
            object.__setattr__(self, "case", next(iter(CASES)))
        object.__setattr__(self, "M", nearest_of(self.M, CHOICES))


@lru_cache
def places(case: str) -> np.ndarray:
    """Return the points of a case in the order in which they are added, (n, 2)."""
    return CASES[case]()


def joined(case: str, M: int, way: str) -> dict:
    """Return the graph of one way to choose, who can't be reached, and recall with each point as question.

    A line is [a, b, whether b knows a, too]. A point counts as found if it is as near as the K-th nearest: copies are
    as good as one another.
    """
    vectors = lifted(places(case))
    index = HNSW(3, M=M, ef_construction=EF_CONSTRUCTION, select=way)
    index.add(vectors, bulk=False)
    near = vectors @ vectors.T
    worst = np.sort(near, axis=1)[:, -K]
    found = sum(cosine >= worst[place] - 1e-6 for place, vector in enumerate(vectors)
                for _, cosine in index.search(vector, K, ef=EF))
    layer = index.layers()[0]
    known = {(a, b) for a, others in layer.items() for b in others}
    lines = [[a, b, (b, a) in known] for a, b in sorted(known) if a < b or (b, a) not in known]
    return {"lines": lines, "entry": int(index.entry_point),
            "unreachable": [int(id) for id in index.unreachable()], "recall": float(found / (K * len(vectors)))}


def frame(state: State) -> dict:
    """Return both graphs of a case."""
    return {"case": state.case, "M": state.M, "n": len(places(state.case)),
            "ways": {way: joined(state.case, state.M, way) for way in WAYS}}


# ---- words

def describe(frame: dict) -> str:
    """Say for both ways what is found and what can't be reached."""
    said = "; ".join(f"{way}: recall@{K} {draw.number(one['recall'])}, {len(one['unreachable'])} of {frame['n']} "
                     "points can't be reached on layer 0" for way, one in frame["ways"].items())
    return f"{frame['case']}, M = {frame['M']}. {said}."


def caption(frame: dict, before: dict | None) -> str:
    """Say what M did, or what the case shows."""
    simple, heuristic = frame["ways"].values()
    if before and before["case"] == frame["case"] and before["M"] != frame["M"]:
        old = before["ways"]
        return (f"M goes from {before['M']} to {frame['M']}, for the same points: with simple neighbors recall goes "
                f"from {draw.number(old['simple']['recall'])} to {draw.number(simple['recall'])}, with the heuristic's "
                f"from {draw.number(old['heuristic']['recall'])} to {draw.number(heuristic['recall'])}.")
    said = f"Each of the {frame['n']} points is a question once, and asks for its {K} nearest with ef = {EF}. "
    if frame["case"] == "Copies of one point":
        return (f"{said}{COPIES} copies lie on one place (drawn fanned out). They are nearest to one another, so they "
                "fill one another's lists, and neither way keeps all lines to the rest: this the heuristic can't mend.")
    if frame["case"] == "One far away":
        return (f"{said}The far point came in as number {FAR + 1}. Those that knew it met nearer ones later, and their "
                f"lists are full: {_far(simple)} with simple neighbors, {_far(heuristic)} with the heuristic's.")
    return (f"{said}Simple neighbors join a cluster to itself: {len(simple['unreachable'])} points are cut off. The "
            f"heuristic keeps a few long lines: {len(heuristic['unreachable'])} are.")


def _far(one: dict) -> str:
    return "it is cut off" if FAR in one["unreachable"] else "it is still reached"


# ---- the picture

STYLE = f"""<style>
.fp-ways {{ display: grid; grid-template-columns: {WIDTH}px {WIDTH}px; column-gap: 16px; margin-top: 8px; }}
.fp-ways .fp-number {{ font-size: 18px; font-weight: 700; }}
@container (max-width: 869px) {{ .fp-ways {{ grid-template-columns: minmax(0, 1fr); row-gap: 12px; }} }}
</style>"""


def spots(case: str) -> list[tuple[float, float]]:
    """Return where each point is drawn, in pixels; copies of one point are fanned out around it."""
    points, out, seen = places(case), [], {}
    for x, y in points.tolist():
        copy = seen[(x, y)] = seen.get((x, y), -1) + 1
        turn, far = 2.4 * copy, 5.4 * copy**0.5  # the seeds of a sunflower
        out.append((round(WIDTH / 2 + x * SCALE + far * np.cos(turn), 1),
                    round(HEIGHT / 2 - y * SCALE + far * np.sin(turn), 1)))
    return out


def picture(frame: dict, before: dict | None = None, expected: dict | None = None) -> str:
    """Draw both graphs side by side, with their numbers above."""
    was = before if before and before["case"] == frame["case"] else None
    note = (f"{frame['n']} points, M = {frame['M']}. Blue: reached from the square, the entry point; dashed ring: cut "
            "off; dashed line: one way" + ("; pale: before" if was else "")
            + ("; the course’s own function gives other numbers" if expected else ""))
    halves = "".join(f"<div>{_half(frame, was, expected, way)}</div>" for way in WAYS)
    return (f'<div class="fp-title fp-line">Is there a road out of every village?</div>'
            f'<div class="fp-note" style="min-height:40px">{note}</div><div class="fp-ways">{halves}</div>')


def _half(frame, was, expected, way: str) -> str:
    """Return one graph as SVG with its name and numbers."""
    one, at = frame["ways"][way], spots(frame["case"])
    cut = set(one["unreachable"])
    shapes = [draw.box(0, 0, WIDTH, HEIGHT, stroke=draw.LINE, radius=8)]
    shapes += [draw.line(*at[a], *at[b], draw.OTHER, 0.9, "" if both else "2 3") for a, b, both in one["lines"]]
    if was:
        shapes += [disc(*at[p], 7, edge=draw.tint(draw.NOW, 0.3), thick=2) for p in was["ways"][way]["unreachable"]]
    for place, (x, y) in enumerate(at):
        if place == one["entry"]:
            continue
        shapes.append(disc(x, y, 4.5, draw.PAPER, draw.NOW, 1.8, "2.5 2") if place in cut
                      else disc(x, y, 4.5, draw.BLUE, draw.PAPER))
    x, y = at[one["entry"]]
    shapes.append(draw.box(x - 6, y - 6, 12, 12, fill=draw.ORANGE, stroke=draw.INK, thick=1.5, radius=2))
    old = was["ways"][way] if was else one

    def row(value, before, should, words):
        pale = f' <span class="fp-note">(was {before})</span>' if before != value else ""
        dashed = f' <span class="fp-note">expected {should}</span>' if should not in (None, value) else ""
        return f'<span class="fp-number">{value}</span> <span class="fp-note">{words}</span>{pale}{dashed}'

    right = expected["ways"][way] if expected else None
    recall = row(draw.number(one["recall"]), draw.number(old["recall"]), right and draw.number(right["recall"]),
                 f"recall@{K}")
    gone = row(len(cut), len(old["unreachable"]), right and len(right["unreachable"]), "cut off")
    return (f'<div style="font-weight:700">{WAYS[way]}</div><div style="height:26px">{recall} &nbsp; {gone}</div>'
            f'{draw.svg(HEIGHT, *shapes, width=WIDTH)}')


# ---- the explorer

def clusters(case: str = "Five clusters", M: int = 4) -> Stage:
    """Show a graph of simple neighbors beside one of the heuristic's, with a dial for M and three sets of points."""
    start = State(case, M)
    which = toggles(CASES, start.case, "which points", 160)
    dial = steps("M", start.M, CHOICES, 260)
    dial.continuous_update = False  # two graphs are built
    kept = {}

    def run(values):
        state = State(**values)
        now = (state, *(getattr(*split_name(task)) for task in TASKS))
        if now not in kept:
            kept[now] = guard(TASKS, lambda: frame(state), lambda drawn: picture(drawn))
        return kept[now]

    return Stage("clusters", run, picture, describe, {"M": dial}, {"case": which}, caption, style=STYLE, above=[which])
