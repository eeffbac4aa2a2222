"""The walk and the building of lesson 11's graph: finite frames, words with numbers, valid drawings, odd functions."""

import itertools
import math
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from firstprinciples import swap
from firstprinciples.explore import hnsw_build, hnsw_walk, neighbors, neighbors_build
from firstprinciples.explore.neighbors_picture import LAYERS, SETTINGS, ground, lifted, ring
from firstprinciples.index import hnsw
from firstprinciples.index.cosine import Exact
from firstprinciples.index.hnsw_trace import PSEUDOCODE

CORNERS = [(x, y) for x in (-7, 0, 7) for y in (-5, 0, 5)]


@pytest.fixture(autouse=True)
def shown():
    """Return a function that keeps a stage until the test ends; then all are closed and every function is put back."""
    stages = []
    yield lambda stage: stages.append(stage) or stage
    for stage in stages:
        stage.close()
    for name in swap.in_use():
        swap.use(name)


def finite(value):
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return all(map(finite, inside)) and (not isinstance(value, float) or math.isfinite(value))


def plain(value):
    """Say whether a frame holds plain Python numbers and words only."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and plain(each) for key, each in value.items())
    return all(map(plain, value)) if isinstance(value, list) else value is None or type(value) in (
        bool, int, float, str)


def drawings(text):
    """Return the SVG pictures of a piece of HTML, parsed; what is no XML raises."""
    found = re.findall(r"<svg width.*?</svg>(?=</div>)", text, re.S)
    assert found
    return [ElementTree.fromstring(each) for each in found]


# The map

def test_on_the_map_a_ring_holds_what_is_nearer():
    grid = np.array(list(itertools.product(np.linspace(-7, 7, 29), np.linspace(-5, 5, 21))))
    on_globe = lifted(grid)
    assert np.allclose(np.linalg.norm(on_globe, axis=1), 1)
    for query in CORNERS + [(2.25, -3.5)]:
        far = 1 - on_globe @ lifted([query])[0]
        for reach in (0.01, 0.1, 0.6):
            x, y, radius = ring(query, reach)
            inside = np.hypot(grid[:, 0] - x, grid[:, 1] - y) < radius
            sure = np.abs(far - reach) > 1e-9
            assert np.array_equal(inside[sure], (far < reach)[sure])
    assert ring((0, 0), 2.0) is None  # the whole globe


def test_the_places_are_on_the_map_and_apart():
    places = np.array(neighbors.PLACES)
    assert len(places) == 32 and np.all(np.abs(places) <= [6.5, 4.5])
    gaps = np.hypot(*(places[:, None] - places).T) + 9 * np.eye(32)
    assert gaps.min() * SETTINGS["scale"] >= 28  # two numbers in discs of 18 pixels


def test_the_graph_has_three_layers_and_loses_nobody():
    graph = neighbors.graph()
    assert [len(layer) for layer in graph.layers()] == [32, 12, 4] and graph.unreachable() == []


# The walk

@pytest.mark.parametrize("query, ef, k", [(place, *((1, 1), (2, 3), (6, 2))[i % 3]) for i, place in enumerate(CORNERS)])
def test_every_step_of_a_walk(query, ef, k):
    frames = neighbors.trace(neighbors.State(query, ef, k))
    index, vector = neighbors.graph(), lifted([query])[0]
    last = frames[-1]
    assert [position for _, position in last["found"]] == [int(id) for id, _ in index.search(vector, k=k, ef=ef)]
    assert last["distances"] == index.distances
    assert last["distances"] == sum(map(len, last["seen"])) and last["exact"] == 32
    whole = Exact(3)
    whole.add(lifted(neighbors.PLACES))
    assert [position for _, position in last["true"]] == [int(id) for id, _ in whole.search(vector, k=k)]
    counts = [frame["distances"] for frame in frames]
    assert counts == sorted(counts)
    for number, frame in enumerate(frames, 1):
        assert finite(frame) and plain(frame) and frame["step"] == number and frame["steps"] == len(frames)
        assert frame["line"] in dict(PSEUDOCODE[frame["algorithm"]])
        assert frame["candidates"] == sorted(frame["candidates"]) and frame["results"] == sorted(frame["results"])
        said = neighbors.describe(frame)
        assert said.startswith(f"Step {number} of {len(frames)}, ef = {ef}: ") and "nan" not in said
        picture = neighbors.picture(frame)
        assert "None" not in said and "None" not in picture
        assert [drawing.get("height") for drawing in drawings(picture)] == [str(SETTINGS["size"][1])]
    assert f"{last['distances']} distances; exact search computes 32" in neighbors.describe(last)


def test_the_numbers_that_the_lesson_says_of_the_starting_query():
    one, two = (neighbors.trace(neighbors.State(ef=ef))[-1] for ef in (1, 2))
    assert neighbors.caption(one) == ("Found: 19 (0.027). Truly nearest: 25 (0.011). It missed 25: 0 of 1 found. "
                                      "17 distances; exact search computes 32.")
    assert neighbors.caption(two) == ("Found: 25 (0.011). Truly nearest: 25 (0.011). Exact search finds the same. "
                                      "20 distances; exact search computes 32.")


def test_where_no_candidate_is_left_nobody_says_that_all_was_looked_at():
    frames = neighbors.trace(neighbors.State())
    ends = [frame for frame in frames if (frame["event"], frame["line"]) == ("stop", 4)]
    assert len(ends) == 2 and all("nobody asks its neighbors" in frame["why"] for frame in ends)
    links = neighbors.graph().layers()[0]  # 6 was too far; 25, the nearest, is a neighbor of 6, and nobody asked
    assert 6 in ends[-1]["seen"][0] and 25 in links[6] and 25 not in ends[-1]["seen"][0]


def test_the_reason_stands_beside_the_map_and_finds_room(shown):
    for query, ef in itertools.product(CORNERS, (1, 6)):
        for frame in neighbors.trace(neighbors.State(query, ef, 1)):
            assert len(frame["why"]) <= 124  # two lines of 62 characters
    frame = neighbors.trace(neighbors.State())[10]
    assert "29 at 0.248 is further than the worst of W" in frame["why"] and neighbors.caption(frame) == ""
    assert re.search(r'class="fp-hnsw-why"[^>]*>29 at 0\.248 is further', neighbors.picture(frame))
    frame = neighbors_build.trace(neighbors_build.State(node=5))[6]
    assert re.search(r'class="fp-hnsw-why"[^>]*>4 is at 0\.225 from 5', neighbors_build.picture(frame))
    assert neighbors_build.caption(frame) == ""


def test_how_often_a_walk_misses():
    queries = lifted(list(itertools.product(np.arange(-7, 7.1, 0.5), np.arange(-5, 5.1, 0.5))))
    graph, missed, cost = neighbors.graph(), [], []
    true = (queries @ graph.vectors.T.astype(float)).argmax(axis=1)
    for ef in (1, 2, 3):
        found, compared = [], 0
        for query in queries:
            found.append(int(graph.search(query, k=1, ef=ef)[0][0]))
            compared += graph.distances
        missed.append(int(np.sum(np.array(found) != true)))
        cost.append(round(compared / len(queries), 1))
    assert len(queries) == 609 and missed == [19, 2, 0] and cost == [15.9, 17.2, 18.4]


def test_the_dials_are_clamped_and_the_query_stays_on_the_map():
    state = neighbors.State((99, -3.1), 0, 12)
    assert (state.query, state.ef, state.k) == ((7, -3), 1, 3)


def test_a_move_shows_the_whole_walk_and_the_one_before_pale(shown):
    stage = shown(hnsw_walk())
    assert stage.values["step"] == 0 and stage.label.startswith("Step 1 of 48, ef = 1: Enter the graph at 3")
    stage.controls["ef"].value = 2
    assert stage.frame["found"][0][1] == 25 and stage.values["query"] == (neighbors.QUERY,)
    assert "Pale: with ef = 1 it found 19 with 17." in stage.words.value and any(stage.frame["pale"])
    stage.controls["step"].value -= 1
    assert "pale: the walk before" in stage.screen.value
    old = stage.frame["arrows"]
    for place in ((-3.25, -3), (-3, -3), (0, 0)):
        stage.controls["query"].value = (place,)
    assert stage.frame["step"] == stage.frame["steps"] and stage.frame["was"]["query"] == list(neighbors.QUERY)
    assert stage.frame["arrows"] != old and stage.frame["was"]["ef"] == 2
    assert stage.controls["query"].ground[0] == ground(stage.frame)
    stage.reset()
    assert stage.values == {"step": 0, "query": (neighbors.QUERY,), "ef": 1, "k": 1} and not stage.frame["was"]


def test_back_and_next_go_through_every_step(shown):
    stage = shown(hnsw_walk())
    back, forward = (next(button for button in stage.row.children[1:] if button.description == word)
                     for word in ("Back", "Next"))
    seen = [stage.label]
    for _ in range(47):
        forward.click()
        seen.append(stage.label)
    assert len(set(seen)) == 48 and stage.frame["found"]
    for label in seen[-2::-1]:
        back.click()
        assert stage.label == label


# The building

@pytest.mark.parametrize("select", ["heuristic", "simple"])
def test_every_step_of_building(select):
    for node in range(neighbors_build.NODES):
        state = neighbors_build.State(node, select)
        frames = neighbors_build.trace(state, "simple" if select == "heuristic" else "heuristic")
        assert frames[-1]["event"] == "done" and frames[0]["event"] == "level"
        for frame in frames:
            assert finite(frame) and plain(frame)
            said = neighbors_build.describe(frame)
            assert said.startswith(f"Node {node} of 0 to 13, step {frame['step']} of {len(frames)}, {select}: ")
            assert "nan" not in said and "None" not in said
            assert drawings(neighbors_build.picture(frame))
        assert {key: frames[-1][key] for key in ("members", "links", "one_way")} == neighbors_build.after(state)
        # what the steps did to the links is what the graph is
        before = frames[-2] if len(frames) > 2 else frames[-1]
        drawn = {tuple(sorted(pair)) for layer in range(LAYERS) for pair in
                 [*before["links"][layer], *before["one_way"][layer]]}
        drawn |= {tuple(sorted(each[1:3])) for each in before["new_links"] if each[3]}
        ends = {tuple(sorted(pair)) for layer in range(LAYERS) for pair in
                [*frames[-1]["links"][layer], *frames[-1]["one_way"][layer]]}
        assert ends <= drawn or len(frames) == 2


def test_a_refusal_names_who_refuses_and_by_how_much():
    refused = [frame for frame in neighbors_build.trace(neighbors_build.State(11)) if frame["event"] == "refuse"]
    assert refused and all(re.search(r"is at \d\.\d{3} from 11 and only at \d\.\d{3} from \d+, which is kept",
                                     frame["why"]) for frame in refused)


def test_the_level_is_worked_out_from_u():
    first = neighbors_build.trace(neighbors_build.State(3))[0]
    u, level = re.search(r"u = (0\.\d+) is drawn.*the level is (\d)", first["why"]).groups()
    assert int(level) == hnsw.random_level(float(u), neighbors.M) == 2


def test_the_other_way_of_choosing_is_pale_and_the_node_stays(shown):
    stage = shown(hnsw_build())
    stage.controls["node"].value = 13
    assert stage.label.startswith("Node 13 of 0 to 13, step 1 of")
    stage.controls["select"].value = "simple"
    assert stage.label.startswith("Node 13 of 0 to 13, step 15 of 15, simple: Node 13 is in")
    assert "Pale: " in stage.words.value and any(stage.frame["pale"])
    stage.reset()
    assert stage.label.startswith("Node 0 of 0 to 13, step 1 of 2, heuristic") and not stage.frame["other"]


def test_as_few_as_two_nodes_and_as_many_as_twenty(shown):
    for nodes, most in ((0, 2), (2, 2), (20, 20), (99, 20)):
        assert shown(hnsw_build(nodes)).controls["node"].max == most - 1


# A learner's functions

def right_walk(query, entry_points, ef, vectors, layer):
    seen, todo = set(entry_points), sorted((max(0.0, 1 - float(vectors[p] @ query)), p) for p in entry_points)
    found = list(todo)
    while todo:
        d, p = todo.pop(0)
        found = sorted(found)[:ef]
        if d > found[-1][0]:
            break
        for e in layer[p]:
            if e not in seen:
                seen.add(e)
                far = max(0.0, 1 - float(vectors[e] @ query))
                if len(found) < ef or far < found[-1][0]:
                    found, todo = sorted([*found, (far, e)])[:ef], sorted([*todo, (far, e)])
    return found


def lazy_walk(query, entry_points, ef, vectors, layer):
    """Look at the neighbors of where it starts, and no further."""
    near = {p for start in entry_points for p in layer[start]} | set(entry_points)
    return sorted((max(0.0, 1 - float(vectors[p] @ query)), p) for p in near)[:ef]


def test_a_right_function_drives_the_walk_and_nothing_is_said_against_it(shown):
    stage = shown(hnsw_walk())
    swap.use("hnsw.search_layer", right_walk)
    stage.controls["step"].value = stage.controls["step"].max
    assert stage.label.endswith("running on your search_layer") and "Found 19, missed 25" in stage.label
    assert stage.frame["distances"] == 17 and stage.frame["should"] is None


def test_a_wrong_function_takes_its_own_way_and_the_right_results_stand_beside(shown):
    stage = shown(hnsw_walk(ef=2))
    swap.use("hnsw.search_layer", lazy_walk)
    assert "running on your search_layer: yours [(" in stage.label and ", expected [(" in stage.label
    takes = []
    for step in range(stage.controls["step"].max + 1):
        stage.controls["step"].value = step
        takes += [stage.frame["node"]] if stage.frame["event"] == "take" else []
    assert len(takes) == 3 and takes[0] == 3  # one a layer: these are the learner's, not the course's
    assert stage.frame["should"] and ">expected</b>" in stage.screen.value
    swap.use("hnsw.search_layer")
    assert "running on" not in stage.label and not stage.frame["should"]


ODD = [lambda *_: None, lambda *_: 1 / 0, lambda *_: [(math.nan, 3)], lambda *_: [(0.1, 99)], lambda *_: "nothing",
       lambda *_: [], lambda: 3, lambda *_: np.zeros((2, 2))]


@pytest.mark.parametrize("task, odd", [*(("hnsw.search_layer", odd) for odd in ODD),
                                       *(("hnsw.random_level", odd) for odd in ODD[:3]),
                                       *(("hnsw.select_neighbors", odd) for odd in ODD[:5])])
def test_no_function_breaks_a_picture(task, odd, shown):
    stages = [shown(hnsw_build(node=4))] + ([shown(hnsw_walk())] if task in neighbors.TASKS else [])
    swap.use(task, odd)
    for stage in stages:
        for step in (0, stage.controls["step"].max):
            stage.controls["step"].value = step
            assert finite(stage.frame) and drawings(stage.screen.value)
        assert f"running on your {task[5:]}: " in stage.label


def test_a_level_above_the_three_drawn_is_no_trouble(shown):
    stage = shown(hnsw_build(node=3))
    swap.use("hnsw.random_level", lambda u, M=16: 5)
    assert "yours 5, expected " in stage.label and drawings(stage.screen.value)


def test_a_wrong_choice_of_neighbors_builds_another_graph_and_the_missing_links_are_pale(shown):
    stage = shown(hnsw_build(node=13))
    swap.use("hnsw.select_neighbors", lambda candidates, M, vectors: [p for _, p in sorted(candidates)[-M:]])
    stage.controls["step"].value = stage.controls["step"].max
    assert stage.frame["differs"] and any(stage.frame["pale"])
    assert "build another graph" in stage.words.value and "pale: expected" in stage.screen.value
