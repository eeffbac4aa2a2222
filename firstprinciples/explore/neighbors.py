"""Lesson 11: a search in an HNSW graph, walked layer by layer and decision by decision; the query can be dragged.

32 places on a globe stand in three layers. What is looked at, kept and dropped comes from `HNSW.trace`; here it is only
drawn. The layers' results come from `hnsw.search_layer` as it stands now, so that a learner's own drives the walk.
"""

from dataclasses import dataclass
from functools import cache

import ipywidgets
import numpy as np

from firstprinciples import swap
from firstprinciples.explore import drag, draw
from firstprinciples.explore import neighbors_picture as drawn
from firstprinciples.explore.neighbors_picture import LAYERS, SETTINGS, STYLE, chips, ground, lifted, row, three
from firstprinciples.explore.stage import Stage
from firstprinciples.explore.stepper import stepper
from firstprinciples.index import hnsw
from firstprinciples.index.hnsw_trace import PSEUDOCODE

TASKS = ("hnsw.search_layer",)
# Drawn at random once, each the farthest of six tries from those before it, so that no two numbers cover each other.
PLACES = ((-4.75, 0), (6.25, -2.75), (-1, -3.25), (5.25, 1.75), (-0.5, 1.75), (-6.25, 3), (-5.25, -4.25),
          (3.25, -4.25), (3.75, 3.75), (1.5, -2.5), (-2.5, -1), (6, 3.75), (1.5, 1), (-3.25, 4.25), (-2.5, 1.25),
          (3.75, -0.5), (0, 3.5), (-1, 0.25), (6.5, 0.25), (-4.5, -1.25), (-5.75, -2.5), (-5.5, 1.5), (2.25, -1.25),
          (-0.25, -1.5), (-6, -1), (-3.25, -4.25), (-6.25, -4.25), (1, -4.5), (-3.25, 2), (-2.75, 3), (5.25, -2),
          (3.25, 1.75))
M, EF_CONSTRUCTION, SEED = 3, 8, 2  # of the graph; 2 is the first seed with which it has three layers
QUERY, EF, K = (-3.5, -3.0), 1, 1  # one of few places where ef = 1 misses the nearest: it does at 19 of 609
MOST_EF, MOST_K = 6, 3
MAP = ("The map is a globe seen from above: each place is a vector of three numbers of length 1, and the distance of "
       "two is 1 \u2212 the cosine of the angle between them.")
NAMES = {1: "Algorithm 1, INSERT", 2: "Algorithm 2, SEARCH-LAYER", 3: "Algorithm 3, SELECT-NEIGHBORS-SIMPLE",
         4: "Algorithm 4, SELECT-NEIGHBORS-HEURISTIC", 5: "Algorithm 5, K-NN-SEARCH"}


@dataclass(frozen=True)
class State:
    """Where the query is, how many results a layer keeps (ef), and how many are wanted (k)."""

    query: tuple = QUERY
    ef: int = EF
    k: int = K

    def __post_init__(self):
        object.__setattr__(self, "query", drag.snapped([self.query], SETTINGS)[0])
        object.__setattr__(self, "ef", min(max(int(self.ef), 1), MOST_EF))
        object.__setattr__(self, "k", min(max(int(self.k), 1), MOST_K))


@cache
def graph():
    """Return the graph of the 32 places, built one by one by the course's own functions, once."""
    with swap.untouched():
        index = hnsw.HNSW(3, M=M, ef_construction=EF_CONSTRUCTION, seed=SEED)
        index.add(lifted(PLACES), bulk=False)
    return index


@cache
def shape() -> dict:
    """Return what every frame says of the graph: where the points are, who lives on each layer, and the links."""
    return {"places": [list(place) for place in PLACES], **layers_of(graph())}


def layers_of(index) -> dict:
    """Return who lives on each of the three layers of an index, and how they are linked.

    {"members": [[position, ...], ...], "links": [[[a, b], ...], ...], "one_way": [[[from, to], ...], ...]}, one list a
    layer: `links` lead both ways, `one_way` is what a full neighbor has let go of and the other one has not.
    """
    layers = index.layers()[:LAYERS] + [{}] * (LAYERS - len(index.layers()))
    ways = [{(a, b) for a, others in layer.items() for b in others} for layer in layers]
    return {"members": [sorted(layer) for layer in layers],
            "links": [[[a, b] for a, b in sorted(way) if a < b and (b, a) in way] for way in ways],
            "one_way": [[[a, b] for a, b in sorted(way) if (b, a) not in way] for way in ways]}


def exact(query, k: int) -> list[list]:
    """Return the k truly nearest places, [[distance, position], ...]: all 32 compared."""
    near = np.maximum(1 - graph().vectors.astype(float) @ lifted([query])[0], 0.0)
    return [[float(near[position]), int(position)] for position in np.lexsort((np.arange(len(near)), near))[:k]]


def trace(state: State, was: dict | None = None) -> list[dict]:
    """Return one frame for each step of the walk; `was` is what is drawn pale, a frame of an earlier walk, or None."""
    index, vector = graph(), lifted([state.query])[0]
    taken = index.trace(vector, k=state.k, ef=state.ef)
    found, compared, nearest = *_search(state, vector), exact(state.query, state.k)
    with swap.untouched():
        should = _search(state, vector)[0]
    pale = [[[a, b] for on, a, b in was["arrows"] if on == layer] for layer in range(LAYERS)] if was else [[]] * LAYERS
    shared = shape() | {
        "query": list(state.query), "name": "q", "new_links": [], "ef": state.ef, "k": state.k, "true": nearest,
        "nearest": [position for _, position in nearest], "exact": len(PLACES), "pale": pale, "steps": len(taken),
        "was": was and {key: was[key] for key in ("query", "ef", "k", "found", "distances")}}
    seen, kept, arrows, parent, at, frames = [[], [], []], [[], [], []], [], {}, None, []
    for number, step in enumerate(taken, 1):
        layer, new = step.layer, step.visited.difference(seen[step.layer])
        if step.event == "take":
            at = step.node
            if (layer, at) in parent:
                arrows.append([layer, parent[layer, at], at])
        if step.event in ("take", "visit"):  # a learner's function is seen to take nodes only, and not in which order
            parent |= {(layer, position): at for position in sorted(new)}
        if step.event == "start":
            at = None
        if step.algorithm == 2:
            seen[layer], kept[layer] = sorted(step.visited), [position for _, position in step.results]
        looking, last = step.event in ("visit", "add", "too far"), number == len(taken)
        reach = step.results[-1][0] if step.algorithm == 2 and len(step.results) >= _keeps(state, layer) else None
        ends = step.line == 18 and step.algorithm == 2  # a learner's function has given its results for this layer
        expected = should if last else _layer(step.layer, taken, number, vector, state) if ends else None
        frames.append(shared | {
            "step": number, "algorithm": step.algorithm, "line": step.line, "layer": layer, "event": step.event,
            "node": step.node, "why": step.reason,
            "seen": [list(each) for each in seen],
            "kept": [list(each) for each in kept],
            "candidates": [list(pair) for pair in step.candidates], "results": [list(pair) for pair in step.results],
            "in_candidates": [position for _, position in step.candidates],
            "in_results": [position for _, position in step.results], "arrows": [list(each) for each in arrows],
            "looks": [[layer, at, step.node]] if looking else [], "now": step.node, "looking": looking, "reach": reach,
            "found": found if last else None, "distances": compared if last else sum(map(len, seen)),
            "should": expected if expected != (found if last else [list(pair) for pair in step.results]) else None})
    return frames


def _keeps(state: State, layer: int) -> int:
    """Return how many results a layer keeps."""
    return max(state.ef, state.k) if layer == 0 else 1


def _search(state: State, vector) -> tuple[list, int]:
    """Return ([[distance, position], ...], number of distances) of a search."""
    found = graph().search(vector, k=state.k, ef=state.ef)
    return [[max(0.0, 1.0 - cosine), int(id)] for id, cosine in found], graph().distances


def _layer(layer: int, taken, number: int, vector, state: State) -> list:
    """Return what the course's own search_layer gives where a learner's has started from."""
    start = next(step.node for step in reversed(taken[:number]) if step.event == "start")
    own = swap.reference(TASKS[0])(vector, [start], _keeps(state, layer), graph().vectors, graph().layers()[layer])
    return [list(pair) for pair in own]


# ---- words

def title(frame: dict) -> str:
    """Say in a few words which decision this step is."""
    event, node, where = frame["event"], frame["node"], f"Layer {frame['layer']}"
    if frame["found"] is not None:
        return _verdict(frame, short=True)
    if event == "enter":
        return f"Enter the graph at {node}, on the top layer"
    take = f"take {node}, the nearest candidate" if frame["line"] == 5 else f"your function asks for {node}'s links"
    said = {"start": f"start at {node}", "take": take, "visit": f"look at {node}",
            "add": f"{node} joins both lists", "too far": f"{node} is too far", "stop": "stop",
            "drop": f"{node} drops out of the results", "descend": f"go down from {node}"}
    return f"{where}: {said.get(event, event)}"


def _list(positions) -> str:
    """Return positions in words: "3, 7 and 9"."""
    *most, last = map(str, positions)
    return f"{', '.join(most)} and {last}" if most else last


def _verdict(frame: dict, short: bool = False) -> str:
    """Say what the walk found, whether that is the truth, and what either cost."""
    true, missed = frame["true"], _missed(frame)
    if short:
        return f"Found {_list(p for _, p in frame['found'])}" + (f", missed {_list(missed)}" if missed else "")
    nearest = ", ".join(f"{p} ({three(d)})" for d, p in true)
    hit = (f"It missed {_list(missed)}: {len(true) - len(missed)} of {len(true)} found." if missed else
           f"Exact search finds the same{'' if len(true) == 1 else f' {len(true)}'}.")
    return (f"Found: {', '.join(f'{p} ({three(d)})' for d, p in frame['found'])}. Truly nearest: {nearest}. {hit} "
            f"{frame['distances']} distances; exact search computes {frame['exact']}.")


def _missed(frame: dict) -> list[int]:
    """Return those of the truly nearest that were not found."""
    found = {position for _, position in frame["found"]}
    return [position for _, position in frame["true"] if position not in found]


def caption(frame: dict, before=None) -> str:
    """Return at the first step what the map is; at the end the verdict, and what the change before it did."""
    if frame["found"] is None:  # the reason for this step stands beside the map
        return MAP if frame["step"] == 1 else ""
    was = frame["was"]
    return _verdict(frame) + (f" {_change(frame, was)}" if was else "")


def _change(frame, was) -> str:
    """Say what is different from the walk before, which is drawn pale."""
    what = ([f"{name} = {was[name]}" for name in ("ef", "k") if was[name] != frame[name]]
            or [f"the query at ({was['query'][0]:g}, {was['query'][1]:g})"])
    return f"Pale: with {' and '.join(what)} it found {_list(p for _, p in was['found'])} with {was['distances']}."


def describe(frame: dict) -> str:
    """Say which step this is, why, both lists, and the count; at the end the verdict."""
    said = f"Step {frame['step']} of {frame['steps']}, ef = {frame['ef']}: {title(frame)}. "
    if frame["found"] is not None:
        return said + _verdict(frame)
    lists = "; ".join(f"{name} {', '.join(f'{p} ({three(d)})' for d, p in frame[name]) or 'none'}"
                      for name in ("candidates", "results"))
    return f"{said}{frame['why']} {lists.capitalize()}. {frame['distances']} distances so far."


# ---- the picture

def picture(frame: dict, expected: dict | None = None) -> str:
    """Draw the map on the left; on the right the pseudocode, the two lists, and the truth."""
    done, should = frame["found"] is not None, frame["should"]
    note = f"step {frame['step']} of {frame['steps']}, ef = {frame['ef']}, k = {frame['k']}"
    note += "; pale: the walk before" if frame["was"] else ""
    new = [frame["node"]] if frame["event"] in ("add", "start") else []
    expected = row("expected", "the course's", chips(should or [], "fp-hnsw-gone"))
    if done:
        missed = _missed(frame)
        lists = row("found", f"k = {frame['k']}", chips(frame["found"], "fp-hnsw-full"))
        lists += expected if should is not None else row(
            "true", "exact search", chips(frame["true"], "fp-hnsw-true", missed)
            + (f"<b>missed {_list(missed)}</b>" if missed else '<span class="fp-note">all found</span>'))
    else:
        keeps = f"ef = {1 if frame['layer'] else max(frame['ef'], frame['k'])}"
        lists = row("candidates", "C", chips(frame["candidates"], "", new)) if should is None else expected
        lists += row("results", f"W, {keeps}", chips(frame["results"], "fp-hnsw-full", new))
    count = (f'<div class="fp-line" style="height:24px;margin-top:4px"><b>{frame["distances"]}</b> distances'
             f'{"" if done else " so far"}; exact search computes <b>{frame["exact"]}</b></div>')
    shown = PSEUDOCODE[frame["algorithm"]]
    return (f'<div class="fp-hnsw"><div class="fp-still">{drawn.still(frame)}</div><div class="fp-hnsw-side">'
            f'<div class="fp-title fp-line">{draw.escape(title(frame))}</div>'
            f'<div class="fp-note fp-line">{note}</div>{drawn.why("" if done else frame["why"])}'
            f'{drawn.code(NAMES[frame["algorithm"]], shown, frame["line"])}'
            f'{lists}{count}<div class="fp-note fp-line">{LEGEND}</div></div></div>')


LEGEND = "green: truly nearest; dotted ring: nearer than W's last"


# ---- the explorer

def hnsw_walk(query=QUERY, ef: int = EF, k: int = K) -> Stage:
    """Walk through a search in a graph of 32 places; the query can be dragged, and ef and k turned.

    A move shows the whole walk at once, with the one before it pale; Back, the slider and Play tell it step by step.
    """
    start = State(query, ef, k)
    plane = drag.Plane((start.query,), SETTINGS)
    room = {"width": "150px", "margin": "2px 14px 2px 2px"}
    dials = {name: ipywidgets.IntSlider(getattr(start, name), 1, most, description=name, tooltip=name,
                                        style={"description_width": "20px"}, layout=dict(room))
             for name, most in (("ef", MOST_EF), ("k", MOST_K))}
    kept = {"state": start, "last": {}, "was": {}, "moving": None}

    def walk(query, ef, k):
        state, own = State(query[0], ef, k), hnsw.search_layer is swap.reference(TASKS[0])
        if state == start:
            kept.update(was={}, moving=None)
        elif state != kept["state"]:
            moving = "query" if state.query != kept["state"].query else "dial"
            if moving == "dial" or kept["moving"] != "query":  # a drag is one long move: from where it began
                kept["was"] = dict(kept["last"])
            kept["moving"] = moving
        kept["state"] = state
        if not swap.in_use():  # a walk of the learner's function is pale beside its own kind only
            kept["last"].pop(False, None), kept["was"].pop(False, None)
        frames = trace(state, kept["was"].get(own))
        kept["last"][own] = frames[-1]
        return frames

    moves = drag.sliders(plane)
    for slider in moves:
        slider.layout.width = "236px"
    above = ipywidgets.HBox([*dials.values(), *moves])
    above.add_class("fp-row")
    stage = stepper("hnsw_walk", walk, picture, describe, TASKS, caption, STYLE, texts={"query": plane, **dials},
                    above=[above], whole=("query", "ef", "k"))
    drag.stand_beside(stage, plane)

    def below(_=None):
        plane.ground = (ground(stage.frame),)

    stage.screen.observe(below, "value")
    below()
    return stage
