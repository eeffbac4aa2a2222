"""What HNSW decides, step by step: each Step names a line of the paper's algorithm and says why in a sentence.

A picture, or a reader, walks through the list forwards and backwards; each step holds all there is to draw. Source of
the algorithms: arXiv 1603.09320 (see `hnsw`); PSEUDOCODE has each of their lines in our own words.
"""

import heapq
from dataclasses import dataclass

import numpy as np

from firstprinciples.index.cosine import dots

PSEUDOCODE = {
    1: [
        (1, "W = nothing; the nearest nodes found will be in it"),
        (2, "ep = the index's entry point"),
        (3, "L = the highest layer of ep"),
        (4, "l = floor(-ln(u) mL): how high the new node q reaches"),
        (5, "for each layer lc from L down to l + 1:"),
        (6, "    W = SEARCH-LAYER(q, ep, ef = 1, lc)"),
        (7, "    ep = the node of W nearest to q"),
        (8, "for each layer lc from min(L, l) down to 0:"),
        (9, "    W = SEARCH-LAYER(q, ep, efConstruction, lc)"),
        (10, "    neighbors = M of W, by Algorithm 3 or 4"),
        (11, "    link q and each of the neighbors, both ways"),
        (12, "    for each e of the neighbors:"),
        (13, "        eConn = all that e is linked to on layer lc"),
        (14, "        if more than Mmax (on layer 0 Mmax0):"),
        (15, "            eNewConn = Mmax of them, by Alg. 3 or 4"),
        (16, "            e keeps the links to eNewConn only"),
        (17, "    ep = W"),
        (18, "if l is above L:"),
        (19, "    q is the new entry point"),
    ],
    2: [
        (1, "v = ep: all nodes that were visited"),
        (2, "C = ep: candidates, to be looked behind"),
        (3, "W = ep: the nearest so far, at most ef"),
        (4, "while C has a node:"),
        (5, "    c = the node of C nearest to q, taken out"),
        (6, "    f = the node of W furthest from q"),
        (7, "    if c is further from q than f:"),
        (8, "        stop: nothing in C can improve W"),
        (9, "    for each neighbor e of c on layer lc:"),
        (10, "        if e is not in v:"),
        (11, "            put e into v"),
        (12, "            f = the node of W furthest from q"),
        (13, "            if e is nearer than f, or W is not full:"),
        (14, "                put e into C"),
        (15, "                put e into W"),
        (16, "                if W has more than ef:"),
        (17, "                    drop the furthest from W"),
        (18, "return W"),
    ],
    3: [(1, "return the M of C that are nearest to q")],
    4: [
        (1, "R = nothing; the neighbors that are kept"),
        (2, "W = C: the candidates, still to be judged"),
        (3, "if extendCandidates (not used here):"),
        (4, "    for each e of C:"),
        (5, "        for each neighbor of e on layer lc:"),
        (6, "            if it is not in W:"),
        (7, "                put it into W"),
        (8, "Wd = nothing; the candidates that are refused"),
        (9, "while W has a node and R has fewer than M:"),
        (10, "    e = the node of W nearest to q, taken out"),
        (11, "    if e is nearer to q than to every node of R:"),
        (12, "        put e into R"),
        (13, "    else:"),
        (14, "        put e into Wd"),
        (15, "if keepPrunedConnections (not used here):"),
        (16, "    while Wd has a node and R has fewer than M:"),
        (17, "        put the node of Wd nearest to q into R"),
        (18, "return R"),
    ],
    5: [
        (1, "W = nothing; the nearest nodes found will be in it"),
        (2, "ep = the index's entry point"),
        (3, "L = the highest layer of ep"),
        (4, "for each layer lc from L down to 1:"),
        (5, "    W = SEARCH-LAYER(q, ep, ef = 1, lc)"),
        (6, "    ep = the node of W nearest to q"),
        (7, "W = SEARCH-LAYER(q, ep, ef, lc = 0)"),
        (8, "return the K of W nearest to q"),
    ],
}


@dataclass(frozen=True)
class Step:
    """One decision.

    `algorithm` and `line` say where in PSEUDOCODE it is taken, `layer` on which layer. `event` is "level", "enter",
    "descend", "start", "take", "visit", "add", "too far", "drop", "stop", "choose", "refuse", "link", "shrink" or
    "done". `node` is the position it is about, `other` a second one (the one that refuses it, or that it is linked to),
    `distance` that of the node to the query or the new node. `candidates` and `results` are C and W after the step,
    ((distance, position), ...), the nearest first; while neighbors are chosen, `results` are those kept so far.
    `visited` are the positions that were compared on this layer. `reason` is a sentence.
    """

    algorithm: int
    line: int
    layer: int
    event: str
    node: int | None
    other: int | None
    distance: float | None
    candidates: tuple
    results: tuple
    visited: frozenset
    reason: str


def step(algorithm, line, layer, event, reason, node=None, other=None, distance=None, candidates=(), results=(),
         visited=()) -> Step:
    """Return a Step; what is not given is empty.

    >>> step(2, 8, 0, "stop", "No candidate is left.").visited
    frozenset()
    """
    return Step(algorithm, line, layer, event, node, other, distance, tuple(candidates), tuple(results),
                frozenset(visited), reason)


def search_steps(index, q, k: int, ef: int) -> list[Step]:
    """Return the steps of a search of an `hnsw.HNSW`, Algorithm 5; see its method `trace`."""
    query, k, ef, allowed = index.asked(q, k, ef)
    if not len(index):
        return [step(5, 8, 0, "done", "The index is empty: there is nothing to find.")]
    if not query.any():
        found = best_of(index, [(1.0, position) for position in index.position.values()], k)
        return [step(5, 8, 0, "done", "The query is all zeros and points nowhere: its similarity with everything is 0, "
                     "and the order is that of the ids.", results=found)]
    entry = index.entry_point
    top = index.levels[entry]
    steps = [step(5, 2, top, "enter", f"The search enters at {entry}, the one entry point, on layer {top}, the "
                  "highest.", node=entry, distance=apart(index, entry, query))]
    start = descent(index, steps, 5, query, top, 0)
    found = layer_steps(index, steps, query, start, ef, 0, allowed)
    if len(found) < min(k, len(index)):
        reached = len(found)
        found = index.with_islands(query, found, allowed)
        why = (f"The links led to {reached} where {min(k, len(index))} can be had: the other {len(found) - reached} "
               "were compared one by one. ")
    else:
        why = ""
    best = best_of(index, found, k)
    worst = f", the furthest at {best[-1][0]:.3f}" if best else ""
    steps.append(step(5, 8, 0, "done", f"{why}The {len(best)} nearest of W are the answer{worst}.", results=best,
                      visited=steps[-1].visited))
    return steps


def best_of(index, found, k: int) -> list[tuple[float, int]]:
    """Return the k best of [(distance, position), ...], equal ones by id, as a search returns them."""
    return sorted(found, key=lambda pair: (pair[0], index.id_at(pair[1])))[:k]


def apart(index, position: int, query) -> float:
    """Return the distance of a position to the query, the very number that a search goes by."""
    return max(0.0, 1.0 - float(dots(index.vectors[position : position + 1], query)[0]))


def descent(index, steps: list[Step], algorithm: int, query, top: int, bottom: int) -> list[int]:
    """Tell the way down from layer top to just above bottom; return where it goes on."""
    start = [index.entry_point]
    for layer in range(top, bottom, -1):
        found = layer_steps(index, steps, query, start, 1, layer)
        distance, node = found[0]
        start = [node]
        steps.append(step(algorithm, 6 if algorithm == 5 else 7, layer, "descend", f"{node} at {distance:.3f} is the "
                          f"nearest on layer {layer}: from there the way leads down to layer {layer - 1}.", node=node,
                          distance=distance, results=found, visited=steps[-1].visited))
    return start


def layer_steps(index, steps: list[Step], query, start: list[int], ef: int, layer: int, allowed=None) -> list:
    """Tell the search of one layer, Algorithm 2; return what it found, [(distance, position), ...]."""
    if index.replaced("search_layer"):
        return replaced_steps(index, steps, query, start, ef, layer, allowed)
    visited = set(start)
    candidates = sorted((apart(index, p, query), p) for p in visited)
    may = (lambda p: True) if allowed is None else (lambda p: bool(allowed[p]))
    results = [pair for pair in candidates if may(pair[1])][:ef]

    def tell(line, event, reason, node=None, other=None, distance=None):
        steps.append(step(2, line, layer, event, reason, node, other, distance, sorted(candidates), results, visited))

    nearest, node = candidates[0]
    if len(start) == 1:
        tell(3, "start", f"Layer {layer} starts at {node}, at {nearest:.3f}; W keeps the {ef} nearest."
             if ef > 1 else f"Layer {layer} starts at {node}, at {nearest:.3f}; W keeps the nearest only.", node, None,
             nearest)
    else:
        tell(3, "start", f"Layer {layer} starts at the {len(start)} nodes found above, the nearest {node} at "
             f"{nearest:.3f}; W keeps the {ef} nearest.", node, None, nearest)
    while candidates:
        distance, node = heapq.heappop(candidates)
        worst, furthest = results[-1] if results else (np.inf, None)
        if len(results) >= ef and distance > worst:
            tell(8, "stop", f"{node} is at {distance:.3f}, further than the worst of W, {furthest} at {worst:.3f}, and "
                 "W is full: stop.", node, furthest, distance)
            break
        tell(5, "take", f"{node} at {distance:.3f} is the nearest candidate: look at its neighbors.", node, None,
             distance)
        for other in index.neighbors(node, layer):
            if other in visited:
                continue
            visited.add(other)
            d = apart(index, other, query)
            full = len(results) >= ef
            worst, furthest = results[-1] if results else (np.inf, None)
            tell(11, "visit", f"{other}, a neighbor of {node}, is new: it is at {d:.3f}.", other, node, d)
            if full and not d < worst:
                than = "as far as" if d == worst else "further than"
                tell(13, "too far", f"{other} at {d:.3f} is {than} the worst of W, {furthest} at {worst:.3f}, and W is "
                     "full: leave it.", other, furthest, d)
                continue
            heapq.heappush(candidates, (d, other))
            if not may(other):
                tell(14, "add", f"{other} at {d:.3f} is deleted: the way leads through it, but W does not take it.",
                     other, node, d)
                continue
            results = sorted([*results, (d, other)])
            why = (f"{other} at {d:.3f} is nearer than the worst of W, {furthest} at {worst:.3f}" if full
                   else f"W has room for {other} at {d:.3f}")
            tell(15, "add", f"{why}: into C and W.", other, node, d)
            if len(results) > ef:
                gone, dropped = results.pop()
                tell(17, "drop", f"W has more than {ef}: {dropped} at {gone:.3f}, the furthest, is dropped from W.",
                     dropped, None, gone)
    else:
        tell(4, "stop", "No candidate is left. Who is too far never became one, so nobody asks its neighbors: the walk "
             "on this layer ends.")
    return results


def replaced_steps(index, steps: list[Step], query, start, ef, layer, allowed) -> list:
    """Tell of a search_layer that is not the course's own what can be seen from outside."""
    watched = []
    found = index.nearest(query, start, ef, layer, allowed, watched)
    seen = set(start)
    steps.append(step(2, 3, layer, "start", f"Layer {layer} starts at {', '.join(map(str, start))}; your search_layer "
                      "takes over.", node=start[0], distance=apart(index, start[0], query), visited=seen))
    for node in watched:
        seen |= set(index.neighbors(node, layer))
        steps.append(step(2, 9, layer, "take", f"Your search_layer asks for the neighbors of {node}.", node=node,
                          distance=apart(index, node, query), visited=seen))
    nodes = ", ".join(str(position) for _, position in found[:5]) + (", ..." if len(found) > 5 else "")
    steps.append(step(2, 18, layer, "stop", f"Your search_layer returns {len(found)}: {nodes}.", node=found[0][1],
                      distance=found[0][0], results=found, visited=seen))
    return found


def add_steps(index, vector: np.ndarray, id: str) -> list[Step]:
    """Add one vector of length 1 to an `hnsw.HNSW` and return the steps, Algorithm 1; see its method `trace_add`."""
    new = len(index.levels)
    level, before = index.level_of(new), index.entry_point
    layers = "layer 0 only" if level == 0 else f"the layers 0 to {level}"
    steps = [step(1, 4, level, "level", f"The level {level} is drawn for {new}: it will be on {layers}.", node=new)]
    chosen, lists = {}, {}
    if before is not None:
        top = index.levels[before]
        steps.append(step(1, 2, top, "enter", f"The search for its neighbors enters at {before} on layer {top}.",
                          node=before, distance=apart(index, before, vector)))
        start = descent(index, steps, 1, vector, top, level)
        for layer in range(min(top, level), -1, -1):
            found = layer_steps(index, steps, vector, start, index.ef_construction, layer)
            chosen[layer] = choice_steps(index, steps, found, index.M, layer, new)
            lists[layer] = index.shrunk(vector, chosen[layer], layer)
            link_steps(index, steps, {p: d for d, p in found}, lists[layer], layer, new)
            start = [position for _, position in found]
    index.commit(vector, id, level, chosen, lists)
    if before is None:
        reason = f"{new} is the first node: it has no neighbors, and every search will enter here."
    elif index.entry_point == new:
        reason = f"{new} reaches layer {level}, above all others: every search will enter here from now on."
    else:
        reason = f"{new} is in. The entry point is still {before}."
    steps.append(step(1, 19 if index.entry_point == new else 18, level, "done", reason, node=new))
    return steps


def choice_steps(index, steps: list[Step], candidates, M: int, layer: int, new: int) -> list[int]:
    """Tell which candidates become neighbors of the new node and which one refuses each of the others."""
    chosen, ordered = index.choose(candidates, M), sorted(candidates)
    simple = index.select == "simple"
    algorithm = 3 if simple else 4
    left_out, kept, visited = 0, [], [position for _, position in candidates]
    own = not index.replaced("select_neighbors_simple" if simple else "select_neighbors")
    for place, (distance, node) in enumerate(ordered):
        rest = ordered[place + 1 :]
        if node in chosen:
            kept.append((distance, node))
            if not own:
                line, why = (1 if simple else 18), "your function keeps it"
            elif simple:
                line, why = 1, f"it is one of the {M} nearest"
            elif len(kept) == 1:
                line, why = 12, "it is the nearest of all, and nothing is there to refuse it"
            else:
                others = "the one" if len(kept) == 2 else f"each of the {len(kept) - 1}"
                line, why = 12, f"it is nearer to {new} than to {others} kept so far"
            steps.append(step(algorithm, line, layer, "choose", f"{node} at {distance:.3f} becomes a neighbor: {why}.",
                              node, None, distance, rest, kept, visited))
        elif own and (simple or len(kept) == M):
            left_out = len(ordered) - place
            break
        elif own:
            between, other = min((apart(index, node, index.vectors[p]), p) for _, p in kept)
            also = "just as far" if between == distance else f"only at {between:.3f}"
            steps.append(step(4, 14, layer, "refuse",
                              f"{node} is at {distance:.3f} from {new} and {also} from {other}, which is kept: "
                              f"refused, the way to it leads by {other}.", node, other, distance, rest, kept, visited))
        else:
            steps.append(step(algorithm, 1 if simple else 14, layer, "refuse",
                              f"{node} at {distance:.3f} is left out by your function.", node, None, distance, rest,
                              kept, visited))
    if left_out:
        more = "the last candidate is" if left_out == 1 else f"the other {left_out} candidates are"
        steps.append(step(algorithm, 1 if simple else 9, layer, "stop",
                          f"{M} neighbors are chosen, and that is all a new node gets: {more} not judged.", None, None,
                          None, ordered[-left_out:], kept, visited))
    return chosen


def link_steps(index, steps: list[Step], distances: dict[int, float], changed: dict[int, list[int]], layer: int,
               new: int) -> None:
    """Tell how each neighbor is linked back to the new node, and what a full list gives up."""
    width = index.width(layer)
    for node, neighbors in changed.items():
        before = index.neighbors(node, layer)
        steps.append(step(1, 11, layer, "link", f"{new} and {node} are linked both ways; {node} now has "
                          f"{len(before) + 1} neighbors of at most {width}.", node, new, distances[node]))
        if len(before) + 1 > width:
            gone = [p for p in [*before, new] if p not in neighbors]
            names = ", ".join(map(str, gone)) if gone else "none"
            other = gone[0] if gone else None
            own = f" {new}'s link to {node} stays, one way." if new in gone else ""
            steps.append(step(1, 16, layer, "shrink", f"That is more than {width}: {node}'s neighbors are chosen anew, "
                              f"{len(neighbors)} stay, and it lets go of {names}.{own}", node, other, distances[node]))
