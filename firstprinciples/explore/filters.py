"""Lesson 13: one search with a condition, in three ways: the labels are read before, during, or after it.

Five hundred points lie on a map, and each has a label, a number. A condition on the label holds for a share of them.
Wanted are the five points nearest to the question that meet the condition. The map is a piece of a globe, seen from
above (`lifted`): so its points are vectors of length 1, like those of texts, and points at equal cosine from the
question lie on a circle.
"""

from dataclasses import dataclass
from functools import cache

import ipywidgets
import numpy as np

from firstprinciples.explore import drag, draw
from firstprinciples.explore.guard import guard
from firstprinciples.explore.stage import Stage
from firstprinciples.index import filters, hnsw
from firstprinciples.swap import untouched

TASKS = ("filters.matches", "filters.pre_filter", "filters.post_filter", "filters.search_layer_filtered")
N, K, EF = 500, 5, 20  # points, results wanted, and the length of the list that a walk keeps
SIDE = 8  # of the map, in its own units
GLOBE = 0.1  # a unit of the map on the globe, whose radius is 1
LABELS = {"scattered": "scattered", "together": "lying together"}
WALKS = {"all": "all points", "matching": "matching points only"}
WAYS = {"before": "Before the search", "during": "During the search", "after": "After the search"}
SHARES = {"a half": 50, "a tenth": 10, "a hundredth": 1}  # in percent
START = (4.5, 3.5)  # where the question is at first
UNIT, EDGE = 28, 2  # pixels of a unit of the map, and around it
PIXELS = UNIT * SIDE + 2 * EDGE
CROSS = "M-2-8h4v6h6v4h-6v6h-4v-6h-6v-4h6z"
SETTINGS = drag.settings(("",), (draw.NOW,), low=(0, 0), high=(SIDE, SIDE), step=0.25, scale=UNIT, arrows=False) | {
    "background": "", "mark": CROSS, "handles": ("the question",), "label": "the question: drag it, or use the arrow "
    "keys on it"}


@dataclass(frozen=True)
class State:
    """Where the question is, the share of points that match (percent), how many are fetched, and the two choices."""

    x: float = START[0]
    y: float = START[1]
    share: int = 10
    fetch: int = 20
    labels: str = "scattered"
    walk: str = "all"

    def __post_init__(self):
        for name, value in zip("xy", drag.snapped([(self.x, self.y)], SETTINGS)[0], strict=True):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "share", min(max(round(self.share), 1), 50))
        object.__setattr__(self, "fetch", min(max(round(self.fetch), K), 200))
        if self.labels not in LABELS or self.walk not in WALKS:
            raise ValueError(f"labels is one of {', '.join(LABELS)} and walk one of {', '.join(WALKS)}, not "
                             f"{self.labels!r} and {self.walk!r}.")


# ---- the map

def lifted(points) -> np.ndarray:
    """Return points of the map, (n, 2), as points of the globe, (n, 3), of length 1.

    This is the inverse stereographic projection: a circle on the globe is a circle on the map.

    >>> lifted([[4.0, 4.0]]).tolist()
    [[0.0, 0.0, 1.0]]
    """
    flat = (np.asarray(points, dtype=float) - SIDE / 2) * GLOBE
    square = np.sum(flat**2, axis=1, keepdims=True)
    return np.hstack([2 * flat, 1 - square]) / (1 + square)


def ring(question, distance: float) -> tuple[float, float, float]:
    """Return the circle on the map (x, y, radius) of all points at this distance, 1 - cosine, from the question.

    >>> [round(value, 6) for value in ring(lifted([[4.0, 4.0]])[0], 0.005)]
    [4.0, 4.0, 0.500626]
    """
    x, y, z = (float(value) for value in question)
    cosine = 1 - distance
    middle = np.array([x, y]) / (cosine + z)
    radius = np.sqrt(max(float(middle @ middle) - (cosine - z) / (cosine + z), 0.0))
    return (*(float(value) / GLOBE + SIDE / 2 for value in middle), float(radius) / GLOBE)


@cache
def world() -> dict:
    """Return the map: its points, their vectors, the layers of a graph over them, and two ways to label them."""
    draws = np.random.Generator(np.random.PCG64(13))
    middles = draws.uniform(1, SIDE - 1, size=(7, 2))
    crowds = (middles[:, None] + 0.55 * draws.standard_normal((7, 50, 2))).reshape(-1, 2)
    points = np.vstack([crowds, draws.uniform(0, SIDE, size=(N - len(crowds), 2))])
    points = np.clip(points, 0.08, SIDE - 0.08)
    vectors = lifted(points)
    with untouched():
        graph = hnsw.HNSW(3, M=6, ef_construction=60, seed=0)
        graph.add(vectors, bulk=False)
        layers = [{node: list(near) for node, near in layer.items()} for layer in graph.layers()]
        entry = graph.entry_point
    corner = np.argsort(np.argsort(np.hypot(points[:, 0] - 1.0, points[:, 1] - 7.2)))
    return {"points": points, "vectors": vectors, "layers": layers, "entry": entry,
            "numbers": {"scattered": draws.permutation(N).tolist(), "together": corner.tolist()}}


class Seen(dict):
    """A layer that notes whose neighbors were asked for: a search compares the question with all of these."""

    def __init__(self, layer):
        super().__init__(layer)
        self.asked = set()

    def __getitem__(self, node):
        self.asked.add(int(node))
        return super().__getitem__(node)

    def get(self, node, default=None):
        """Return a node's neighbors, as a dict does."""
        self.asked.add(int(node))
        return super().get(node, default)

    def __deepcopy__(self, memo):  # the guard gives a learner's function a copy: what that one asks for counts
        new = Seen({node: list(near) for node, near in self.items()})
        self.asked = new.asked
        return new

    def compared(self, entries) -> set[int]:
        """Return every node whose distance was worked out: the entries, and the neighbors of each that was asked."""
        return set(entries).union(*(super(Seen, self).get(node, []) for node in self.asked))


def _entry(question, vectors) -> tuple[int, set[int]]:
    """Walk down the upper layers as any search does: returns (where layer 0 is entered, what was compared)."""
    node, compared, layers = world()["entry"], {world()["entry"]}, world()["layers"]
    with untouched():
        for layer in layers[:0:-1]:
            seen = Seen(layer)
            node = int(hnsw.search_layer(question, [node], 1, vectors, seen)[0][1])
            compared |= seen.compared([node])
    return node, compared


def frame(state: State) -> dict:
    """Return what each of the three ways finds, what it compares, and what it misses."""
    vectors, numbers = world()["vectors"], world()["numbers"][state.labels]
    question = lifted([[state.x, state.y]])[0]
    where = {"number": {"from": 0, "to": round(N * state.share / 100) - 1}}
    allowed = np.array([bool(filters.matches({"number": number}, where)) for number in numbers])
    matching = np.flatnonzero(allowed).tolist()
    exact = np.argsort(-(vectors[matching] @ question), kind="stable")[:K] if matching else []
    truth = [matching[i] for i in exact]
    base, (start, above) = world()["layers"][0], _entry(question, vectors)

    before = filters.pre_filter(question, vectors, allowed, K)
    ways = {"before": _way(before, truth, matching)}

    layer = Seen(base if state.walk == "all" else _only(base, allowed))
    if state.walk == "all":
        walked = filters.search_layer_filtered(question, [start], EF, vectors, layer, allowed)
    else:
        with untouched():
            walked = [pair for pair in hnsw.search_layer(question, [start], EF, vectors, layer) if allowed[pair[1]]]
    seen = above | layer.compared([start])
    ways["during"] = _way([(node, 1 - distance) for distance, node in walked[:K]], truth, seen)

    layer = Seen(base)
    with untouched():
        ranked = hnsw.search_layer(question, [start], max(state.fetch, EF), vectors, layer)[: state.fetch]
    seen = above | layer.compared([start])
    after = filters.post_filter([(node, 1 - distance) for distance, node in ranked], allowed, K)
    ways["after"] = _way(after["found"], truth, seen)
    ways["after"] |= {"missing": int(after["missing"]), "ring": list(ring(question, ranked[-1][0])),
                      "held": int(sum(allowed[node] for _, node in ranked))}
    return {"x": state.x, "y": state.y, "share": state.share, "fetch": state.fetch, "labels": state.labels,
            "walk": state.walk, "matching": matching, "truth": truth, "ways": ways}


def _only(layer, allowed) -> dict:
    """Return a layer without the links to points that do not match."""
    return {node: [other for other in near if allowed[other]] for node, near in layer.items()}


def _way(found, truth, seen) -> dict:
    """Return what one way gave, as plain numbers."""
    found = [[int(node), float(similarity)] for node, similarity in found]
    if not all(0 <= node < N for node, _ in found):
        raise ValueError(f"A position is from 0 to {N - 1}.")
    ids = [node for node, _ in found]
    return {"found": found, "missing": K - len(found), "right": len(set(ids) & set(truth)),
            "lost": [node for node in truth if node not in ids], "seen": sorted(seen), "compared": len(seen)}


# ---- words

def _short(way: dict) -> str:
    """Say what one way gave: "5 found, 50 compared", or how many are missing, or wrong."""
    wrong = len(way["found"]) - way["right"]
    said = f"{len(way['found'])} found"
    said += f", {way['missing']} missing" if way["missing"] > 0 else ""
    said += f", {wrong} of them not among the nearest" if wrong else ""
    return f"{said}, {way['compared']} compared"


def describe(frame: dict) -> str:
    """Say where the question is, how many points match, and what each way gave."""
    said = "; ".join(f"{key}: {_short(way)}" for key, way in frame["ways"].items())
    return (f"{len(frame['matching'])} of {N} points match, {LABELS[frame['labels']]}; wanted are the {K} of them that "
            f"lie nearest to the question at ({frame['x']:g}, {frame['y']:g}), {frame['fetch']} are fetched, and the "
            f"walk goes through {WALKS[frame['walk']]}. {said}.".replace("before:", "Before:", 1))


def caption(frame: dict, before: dict | None) -> str:
    """Say what after-filtering could expect, and what each way paid; after a move, what changed."""
    after, during = frame["ways"]["after"], frame["ways"]["during"]
    expected = frame["fetch"] * len(frame["matching"]) / N
    said = (f"Of {frame['fetch']} fetched, {frame['fetch']} × {len(frame['matching'])}/{N} = {expected:g} would match "
            f"if labels had nothing to do with places; {after['held']} {'does' if after['held'] == 1 else 'do'}")
    said += f", and {after['missing']} of {K} {'is' if after['missing'] == 1 else 'are'} missing" \
        if after["missing"] > 0 else f", so none of the {K} is missing"
    if frame["walk"] == "matching":
        lost = len(during["lost"])
        said += (f". A walk through matching points only compares {during['compared']} and "
                 f"{f'loses {lost} of the {K}' if lost else 'loses none this time'}")
    if before is None:
        return f"{said}."
    if frame["share"] != before["share"]:
        moved = f"{len(before['matching'])} matched, now {len(frame['matching'])} do"
    elif frame["fetch"] != before["fetch"]:
        moved = f"{before['fetch']} were fetched, now {frame['fetch']} are"
    else:
        moved = "The same question"
    changes = ", ".join(f"{key} {before['ways'][key]['compared']} to {frame['ways'][key]['compared']}"
                        for key in WAYS if before["ways"][key]["compared"] != frame["ways"][key]["compared"])
    return f"{moved}. {said}. Compared: {changes or 'as many as before'}."


# ---- the picture

STYLE = f"""<style>
.fp-ways {{ display: flex; justify-content: space-between; min-width: 718px; padding-right: 10px; height: 380px;
  margin-top: 8px; }}
.fp-ways > div {{ width: {PIXELS}px; }}
.fp-way-head {{ height: 26px; font-weight: 700; }}
.fp-way-map {{ height: {PIXELS}px; }}
.fp-wide {{ overflow-x: auto; overflow-y: hidden; }}
.fp-choice.widget-toggle-buttons {{ display: flex; align-items: center; }}
.fp-choice.widget-toggle-buttons > div {{ width: auto; }}
</style>"""
# The question can be dragged on the first map: a plane lies over it, and its cross stands in for the one drawn there.
OVER = f"<style>{drag.STYLE}" + f"""
.fp-over.widget-box {{ position: relative; overflow: visible; }}
.fp-over > :has(svg.fp-plane) {{ position: absolute; left: {EDGE - 18 + 2}px; top: {EDGE - 18 + 84}px; margin: 0;
  overflow: visible; pointer-events: none; }}
.fp-over .fp-tip {{ pointer-events: auto; }}
.fp-over:has(svg.fp-plane) .fp-first .fp-cross {{ display: none; }}
</style>"""


def at(x: float, y: float) -> tuple[float, float]:
    """Return a place of the map in pixels."""
    return round(EDGE + x * UNIT, 1), round(PIXELS - EDGE - y * UNIT, 1)


def _path(shape: str, nodes, style: str) -> str:
    """Return one path that repeats a shape at each of these points: five hundred elements would be slow to draw."""
    places = (at(*world()["points"][node]) for node in nodes)
    return f'<path d="{"".join(f"M{x:g} {y:g}{shape}" for x, y in places)}" style="{style}"/>'


def _dots(nodes, size: float, color: str) -> str:
    return _path("h0", nodes, f"stroke:{color};stroke-width:{size};stroke-linecap:round")


def _diamonds(nodes, fill: str) -> str:
    return _path("m0-4.5l4.5 4.5-4.5 4.5-4.5-4.5z", nodes, f"fill:{fill};stroke:{draw.BLUE};stroke-width:1.3")


def _circle(x, y, radius, color, thick=2.0, dash="") -> str:
    dashed = f";stroke-dasharray:{dash}" if dash else ""
    return (f'<circle cx="{x}" cy="{y}" r="{radius:.1f}" style="fill:none;stroke:{color};stroke-width:{thick}'
            f'{dashed}"/>')


def _cross(x, y) -> str:
    """Return the mark of the question, with a rim of the page's color."""
    x, y = at(x, y)
    return (f'<path class="fp-cross" transform="translate({x} {y})" d="{CROSS}" style="fill:{draw.NOW};'
            f'stroke:{draw.PAPER};stroke-width:2"/>')


def _map(frame, key: str) -> str:
    """Draw one map: what was compared is dark, what matches a diamond, what was found has a ring."""
    way = frame["ways"][key]
    seen, matching = set(way["seen"]), set(frame["matching"])
    others = [node for node in range(N) if node not in matching]
    shapes = [draw.box(0.5, 0.5, PIXELS - 1, PIXELS - 1, stroke=draw.LINE, radius=6, thick=1),
              _dots([node for node in others if node not in seen], 3, draw.LINE),
              _dots([node for node in others if node in seen], 4.4, draw.GREY),
              _diamonds([node for node in frame["matching"] if node not in seen], draw.PAPER),
              _diamonds([node for node in frame["matching"] if node in seen], draw.BLUE)]
    if "ring" in way:
        x, y, radius = way["ring"]
        circle = _circle(*at(x, y), radius * UNIT, draw.GREY, 1.8, "2 4")
        shapes.append(f'<svg width="{PIXELS}" height="{PIXELS}" style="overflow:hidden">{circle}</svg>')  # cut off
    shapes += [_circle(*at(*world()["points"][node]), 8, draw.NOW, 2.6) for node, _ in way["found"]]
    shapes += [_circle(*at(*world()["points"][node]), 8, draw.NOW, 2, "3 3") for node in way["lost"]]
    return draw.svg(PIXELS, *shapes, _cross(frame["x"], frame["y"]), width=PIXELS)


def _bar(value: int, before: int | None, expected: int | None) -> str:
    """Return how many were compared as a bar on 0 to 500; the setting from before below it, pale."""
    wide = lambda number: f"{100 * min(number, N) / N:.2f}%"  # noqa: E731
    shapes = [draw.line("0", 20, "100%", 20), draw.box("0", 2, wide(value), 12, fill=draw.SKY)]
    if before is not None:
        shapes.append(draw.box("0", 15, wide(before), 5, fill=draw.tint(draw.SKY, 0.45)))
    if expected is not None:
        shapes.append(draw.box("0", 2, wide(expected), 12, stroke=draw.INK, dash="4 3"))
    return draw.svg(22, *shapes)


def _said(frame, key: str) -> str:
    """Say in a few words what this way does."""
    if key == "before":
        return f"reads the {N} labels first"
    if key == "during":
        return "walks through all points" if frame["walk"] == "all" else "walks through matching points"
    return f"fetches {frame['fetch']} (dotted), {frame['ways'][key]['held']} match"


def _panel(frame, key: str, before, expected) -> str:
    """Return one way: its name, its map, and its numbers."""
    way = frame["ways"][key]
    was = before["ways"][key] if before else None
    should = expected["ways"][key] if expected else None
    wrong = len(way["found"]) - way["right"]
    parts = [f"<b>{len(way['found'])} of {K} found</b>"]
    parts += [f"{way['missing']} missing"] if way["missing"] > 0 else []
    parts += [f"{wrong} not the nearest"] if wrong else []
    if should and should["found"] != way["found"]:
        parts.append(f"expected {len(should['found'])}" if len(should["found"]) != len(way["found"]) else
                     "expected others")
    elif was and len(was["found"]) != len(way["found"]):
        parts.append(f"was {len(was['found'])}")
    count = f"{way['compared']} compared" + (f", was {was['compared']}" if was and was["compared"] != way["compared"]
                                             else "")
    first = ' class="fp-first"' if key == "before" else ""
    right = should["compared"] if should and should["compared"] != way["compared"] else None
    return (f'<div{first}><div class="fp-way-head fp-line">{WAYS[key]}</div><div class="fp-way-map">'
            f'{_map(frame, key)}</div><div class="fp-line" style="margin-top:8px">{", ".join(parts)}</div>'
            f'<div class="fp-note fp-line">{_said(frame, key)}</div>'
            f'{_bar(way["compared"], was and was["compared"], right)}<div class="fp-note fp-line">{count}</div></div>')


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw the three ways side by side, with the same points and the same question."""
    signs = [f"{len(frame['matching'])} of {N} match (diamonds)", "dark: compared", "ring: found", "broken ring: lost"]
    signs += ["pale: before"] if before else []
    signs += ["outlined: expected"] if expected else []
    panels = "".join(_panel(frame, key, before, expected) for key in WAYS)
    return (f'<div class="fp-title fp-line">Which {K} matching points lie nearest to the cross?</div>'
            f'<div class="fp-line fp-note">{"; ".join(signs)}</div>'
            f'<div class="fp-wide"><div class="fp-ways">{panels}</div></div>')


# ---- the explorer

def three_ways(share: int = 10, fetch: int = 20, labels: str = "scattered", walk: str = "all") -> Stage:
    """Show one search with a condition that is applied before, during and after it.

    `share` is how many percent of the points match, 1 to 50; `fetch` is how many the third way fetches, 5 to 200;
    `labels` is scattered or together, `walk` is all or matching.
    """
    start = State(share=share, fetch=fetch, labels=labels, walk=walk)
    dials = {"share": _slider("% matching", start.share, 1, 50, 1, 78),
             "fetch": _slider("fetched", start.fetch, K, 200, 5, 54),
             "labels": _choice("labels", LABELS, start.labels, 44, 272),
             "walk": _choice("the walk uses", WALKS, start.walk, 92, 356)}
    buttons = [ipywidgets.Button(description=name, layout={"width": "auto"}) for name in SHARES]
    for button in buttons:
        button.on_click(lambda pressed: setattr(dials["share"], "value", SHARES[pressed.description]))
    plane = drag.Plane([START], SETTINGS)
    across, up = drag.sliders(plane)
    across.description = across.tooltip = "question across"
    across.style.description_width, up.style.description_width = "104px", "24px"
    up.layout.width = "220px"

    def run(values):
        (x, y), = values.pop("question")
        state = State(x, y, **values)
        return guard(TASKS, lambda: frame(state), lambda drawn: (picture(drawn, None, None), caption(drawn, None)))

    stage = Stage("three_ways", run, picture, describe, dials, {"question": plane}, caption, style=STYLE,
                  buttons=[*buttons, across, up])
    box = ipywidgets.VBox([ipywidgets.HTML(OVER, layout={"display": "none"}), stage.screen, plane])
    box.add_class("fp-over")
    stage.view.children = [box if child is stage.screen else child for child in stage.view.children]
    row = next(child for child in stage.view.children if across in getattr(child, "children", ()))
    reset = row.children[-1]
    row.children = [dials["share"], *buttons, dials["fetch"], dials["labels"], dials["walk"], across, up, reset]
    return stage


def _slider(name: str, value: int, low: int, high: int, step: int, room: int):
    return ipywidgets.IntSlider(value, min=low, max=high, step=step, description=name, tooltip=name,
                                layout={"width": f"{174 + room}px"}, style={"description_width": f"{room}px"})


def _choice(name: str, options: dict, value: str, room: int, width: int):
    buttons = ipywidgets.ToggleButtons(options=[(words, key) for key, words in options.items()], value=value,
                                       description=name, tooltips=[name] * len(options), layout={"width": f"{width}px"},
                                       style={"button_width": "auto", "description_width": f"{room}px"})
    buttons.add_class("fp-choice")  # its name beside it, not above
    return buttons
