"""Lesson 11: an HNSW graph built node by node, with every neighbor that is chosen, refused, linked and let go of."""

import math
from dataclasses import dataclass

import ipywidgets

from firstprinciples import swap
from firstprinciples.explore import draw
from firstprinciples.explore.neighbors import EF_CONSTRUCTION, LAYERS, MAP, NAMES, PLACES, SEED, M, layers_of
from firstprinciples.explore.neighbors_picture import STYLE, chips, code, lifted, row, still, three, why
from firstprinciples.explore.stage import Stage, toggles
from firstprinciples.explore.stepper import stepper
from firstprinciples.index import hnsw
from firstprinciples.index.hnsw_trace import PSEUDOCODE

TASKS = ("hnsw.random_level", "hnsw.search_layer", "hnsw.select_neighbors", "hnsw.select_neighbors_simple")
NODES, MOST = 14, 20
WAYS = {"heuristic": "heuristic (Algorithm 4)", "simple": "simple (Algorithm 3)"}


@dataclass(frozen=True)
class State:
    """Which node is added, and how its neighbors are chosen."""

    node: int = 0
    select: str = "heuristic"
    nodes: int = NODES

    def __post_init__(self):
        object.__setattr__(self, "nodes", min(max(int(self.nodes), 2), MOST))
        object.__setattr__(self, "node", min(max(int(self.node), 0), self.nodes - 1))
        object.__setattr__(self, "select", self.select if self.select in WAYS else "heuristic")


def before(state: State):
    """Return the index as it is before the node comes, built one by one on the functions that stand now."""
    index = hnsw.HNSW(3, M=M, ef_construction=EF_CONSTRUCTION, seed=SEED, select=state.select)
    if state.node:
        index.add(lifted(PLACES[: state.node]), bulk=False)
    return index


def after(state: State) -> dict:
    """Return the layers once the node is in, by the course's own functions."""
    with swap.untouched():
        index = before(state)
        index.add(lifted(PLACES[state.node : state.node + 1]), bulk=False)
    return layers_of(index)


def trace(state: State, other: str | None = None) -> list[dict]:
    """Return one frame for each decision about one node; `other` is the way of choosing whose links are drawn pale.

    The walks to the node's neighbors are one step a layer: the picture of a search has them in full.
    """
    index, new = before(state), state.node
    graph, lists = layers_of(index), index.layers()
    taken = [step for step in index.trace_add(lifted(PLACES[new : new + 1])[0])]
    done, ends = layers_of(index), index.layers()
    taken = [step for step, then in zip(taken, [*taken[1:], None], strict=True)
             if step.algorithm != 2 or then.algorithm in (3, 4)]
    should = after(state)
    shared = {"places": [list(place) for place in PLACES[: new + 1]], "nearest": [], "arrows": [], "reach": None,
              "found": None, "name": str(new), "adding": new, "nodes": state.nodes, "select": state.select,
              "steps": len(taken), "other": other}
    tied, kept, frames, seen = [], [], [], [[], [], []]  # tied: [layer, new, neighbor, linked or only chosen]
    for number, step in enumerate(taken, 1):
        last = number == len(taken)
        node, event, layer = step.node, step.event, step.layer
        looks, gone = [], []
        if event == "choose":
            tied.append([layer, new, node, False])
        if event == "refuse":
            looks = [[layer, node, step.other if step.other is not None else new]]
        if event == "link":
            tied = [each for each in tied if each[:3] != [layer, new, node]] + [[layer, new, node, True]]
        if event == "shrink":
            gone = [p for p in [*lists[layer][node], new] if p not in ends[layer][node]]
            looks = [[layer, node, p] for p in gone]
            tied = [each for each in tied if each[:3] != [layer, new, node] or new not in gone]
            if layer < LAYERS:  # a learner's random_level may give more than are drawn
                graph = _without(graph, layer, [[node, p] for p in gone])
        kept = [] if step.algorithm == 2 else step.results if step.algorithm > 2 else kept
        if step.algorithm == 2:
            seen = [sorted(step.visited) if each == layer else old for each, old in enumerate(seen)]
        pale = [[]] * LAYERS
        if last and other:
            pale = _missing(done, after(State(new, other, state.nodes)))
        elif last and done != should:
            pale = _missing(done, should)
        frames.append(shared | (done if last else graph) | {
            "step": number, "algorithm": 1 if step.algorithm == 2 else step.algorithm,
            "line": 9 if step.algorithm == 2 else step.line, "layer": layer if not last else -1,
            "event": "found" if step.algorithm == 2 else event, "node": node, "why": _why(step, index, new),
            "query": None if last else list(PLACES[new]),
            "seen": [[], [], []] if last else [list(each) for each in seen],
            "chosen": [list(p) for p in kept], "kept": [[], [], []], "candidates": [list(p) for p in step.candidates],
            "results": [list(p) for p in step.results], "looks": looks, "gone": gone, "pale": pale,
            "in_candidates": [p for _, p in step.candidates] if step.algorithm in (3, 4) else [],
            "in_results": [p for _, p in step.results], "now": None if last or step.algorithm == 2 else node,
            "looking": event in ("choose", "refuse"), "new_links": [list(each) for each in tied],
            "differs": last and done != should, "lost": [int(p) for p in index.unreachable()] if last else []})
    return frames


def _without(graph: dict, layer: int, pairs) -> dict:
    """Return the layers without these links from one node to another; what led both ways leads one way then."""
    links, one_way = list(graph["links"]), list(graph["one_way"])
    back = [[b, a] for a, b in pairs if [min(a, b), max(a, b)] in links[layer]]
    links[layer] = [pair for pair in links[layer] if pair not in pairs and pair[::-1] not in pairs]
    one_way[layer] = [pair for pair in one_way[layer] if pair not in pairs] + back
    return graph | {"links": links, "one_way": one_way}


def _missing(graph: dict, wanted: dict) -> list:
    """Return the links of `wanted`, whichever way they lead, that are not in `graph`."""
    have, want = ([{tuple(sorted(pair)) for pair in [*links, *one_way]} for links, one_way in
                   zip(each["links"], each["one_way"], strict=True)] for each in (graph, wanted))
    return [[list(pair) for pair in sorted(w - h)] for h, w in zip(have, want, strict=True)]


def _why(step, index, new: int) -> str:
    """Return the reason for a step; of a walk on one layer, what it found."""
    if step.event == "level":
        u, level = index.drawn(new), step.layer
        exact = -math.log(max(u, hnsw.SMALLEST)) / math.log(M)
        who = "" if math.floor(exact) == level else " by your random_level"
        return (f"u = {u:.3f} is drawn, and -ln({u:.3f}) / ln({M}) = {exact:.2f}: the level is {level}{who}, so {new} "
                f"will be on {'layer 0 only' if level == 0 else f'the layers 0 to {level}'}.")
    if step.algorithm == 2:
        found = ", ".join(f"{p} ({three(d)})" for d, p in step.results)
        return (f"The walk on layer {step.layer} compares {len(step.visited)} and finds {len(step.results)} of at most "
                f"{index.ef_construction}: {found}.")
    return step.reason


# ---- words

def title(frame: dict) -> str:
    """Say in a few words which decision this step is."""
    node, new, where = frame["node"], frame["adding"], f"Layer {frame['layer']}"
    return {"level": f"Node {new} comes: level {frame['layer']}", "enter": f"Enter at {node}",
            "descend": f"{where}: go down from {node}", "found": f"{where}: {len(frame['results'])} candidates",
            "choose": f"{where}: {node} becomes a neighbor", "refuse": f"{where}: {node} is refused",
            "stop": f"{where}: enough neighbors", "link": f"{where}: link {new} and {node}",
            "shrink": f"{where}: {node} has too many links", "done": f"Node {new} is in"}.get(frame["event"], where)


def _links(frame: dict) -> str:
    """Say how many links there are on each layer that has any node."""
    counts = [f"layer {layer} {len(frame['links'][layer]) + len(frame['one_way'][layer])}"
              for layer in range(LAYERS) if frame["members"][layer]]
    lost = f" No way leads to {', '.join(map(str, frame['lost']))}." if frame["lost"] else ""
    return f"Links: {', '.join(counts)}.{lost}"


def caption(frame: dict, before=None) -> str:
    """Return at the first step what the map is, at the last the count of links; a reason stands beside the map."""
    return MAP if frame["step"] == 1 else _links_said(frame).strip()


def _said(frame: dict) -> str:
    """Return the reason for this step; once the node is in, the count of links and what is pale."""
    return frame["why"] + _links_said(frame)


def _links_said(frame: dict) -> str:
    """Return, once the node is in, the count of links and what is pale."""
    said = ""
    if frame["event"] == "done":
        said += f" {_links(frame)}"
        missing = sum(map(len, frame["pale"]))
        if frame["other"]:
            said += f" Pale: {missing} that the {frame['other']} choice has and this one has not."
        elif frame["differs"]:
            said += f" The course's own functions build another graph; pale: {missing} links that are missing here."
    return said


def describe(frame: dict) -> str:
    """Say which node, step and decision this is, why, and the lists."""
    said = (f"Node {frame['adding']} of 0 to {frame['nodes'] - 1}, step {frame['step']} of {frame['steps']}, "
            f"{frame['select']}: {title(frame)}. {_said(frame)}")
    lists = [f"{name} {', '.join(f'{p} ({three(d)})' for d, p in frame[key])}" for name, key in
             (("Still to judge:", "candidates"), ("Kept:", "results")) if frame[key] and frame["event"] != "found"]
    return " ".join([said, *(f"{each}." for each in lists)])


# ---- the picture

LEGEND = "blue dashes: chosen; thick: linked; thin dashes: refused by"


def picture(frame: dict, expected: dict | None = None) -> str:
    """Draw the map on the left; on the right the pseudocode and what is judged and kept."""
    note = (f"node {frame['adding']} of 0 to {frame['nodes'] - 1}, step {frame['step']} of {frame['steps']}, "
            f"{frame['select']}")
    if any(frame["pale"]):
        note += f"; pale: {frame['other'] or 'expected'}"
    judged = frame["event"] in ("choose", "refuse", "stop")
    now = [frame["node"]] if judged or frame["event"] in ("link", "shrink") else []
    waiting = frame["results"] if frame["event"] == "found" else frame["candidates"]
    lists = row("to judge", "W", chips(waiting))
    lists += row("neighbors", f"R, at most {M}", chips(frame["chosen"], "fp-hnsw-full", now))
    shown = PSEUDOCODE[frame["algorithm"]]
    return (f'<div class="fp-hnsw"><div>{still(frame)}</div><div class="fp-hnsw-side">'
            f'<div class="fp-title fp-line">{draw.escape(title(frame))}</div>'
            f'<div class="fp-note fp-line">{note}</div>{why(frame["why"], 3)}'
            f'{code(NAMES[frame["algorithm"]], shown, frame["line"])}'
            f'{lists}<div class="fp-note fp-line">{LEGEND}</div></div></div>')


# ---- the explorer

def hnsw_build(nodes: int = NODES, node: int = 0, select: str = "heuristic") -> Stage:
    """Build a graph of 2 to 20 places node by node, and step through every decision about each.

    The slider `node` chooses who comes; the two ways of choosing neighbors are drawn over each other, one pale.
    """
    start = State(node, select, nodes)
    who = ipywidgets.IntSlider(start.node, 0, start.nodes - 1, description="node", tooltip="node",
                               continuous_update=False, style={"description_width": "36px"}, layout={"width": "230px"})
    way = toggles([(words, key) for key, words in WAYS.items()], start.select, "how neighbors are chosen", 180)
    following = ipywidgets.Button(description="Next node", layout={"width": "100px"})
    following.on_click(lambda _: setattr(who, "value", min(who.value + 1, who.max)))
    kept = {"state": start, "other": None}

    def build(node, select):
        state = State(node, select, start.nodes)
        if state != kept["state"]:
            kept["other"] = kept["state"].select if state.select != kept["state"].select else None
        if state == start:
            kept["other"] = None
        kept["state"] = state
        return trace(state, kept["other"])

    above = ipywidgets.HBox([who, following, way])
    above.add_class("fp-row")
    return stepper("hnsw_build", build, picture, describe, TASKS, caption, STYLE, texts={"node": who, "select": way},
                   above=[above], whole=("select",))
