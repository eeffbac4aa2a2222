"""The picture of lesson 13: one search with a condition before, during and after it."""

import copy
import re

import numpy as np
import pytest
from picture_text import words_of

from firstprinciples import swap
from firstprinciples.explore import three_ways
from firstprinciples.explore.filters import (
    EF,
    LABELS,
    SHARES,
    WALKS,
    K,
    N,
    Seen,
    State,
    caption,
    describe,
    frame,
    lifted,
    picture,
    ring,
    world,
)
from firstprinciples.grading.mistakes import mistakes
from firstprinciples.index import filters, hnsw

TASKS = ("matches", "pre_filter", "post_filter", "search_layer_filtered")


made = []


@pytest.fixture(autouse=True)
def put_back():
    """Close what a test has shown, which would draw again at each change, and put every function back."""
    yield
    while made:
        made.pop().close()
    for name in swap.in_use():
        swap.use(name)


def shown(**start):
    """Return the explorer, which is closed after the test."""
    made.append(three_ways(**start))
    return made[-1]


def test_a_piece_of_the_globe():
    points = world()["points"]
    assert points.shape == (N, 2) and np.allclose(np.linalg.norm(world()["vectors"], axis=1), 1)
    question = lifted([[6.5, 6.25]])[0]
    distances = 1 - world()["vectors"] @ question
    for limit in (0.01, 0.03, 0.1):
        x, y, radius = ring(question, limit)
        inside = np.hypot(points[:, 0] - x, points[:, 1] - y) < radius
        assert 0 < inside.sum() < N and np.array_equal(inside, distances < limit)


def test_the_labels_are_numbers_from_0_to_499_both_times():
    for numbers in world()["numbers"].values():
        assert sorted(numbers) == list(range(N))
    together = np.array(world()["numbers"]["together"])
    corner = world()["points"][together < N / 10]
    assert np.ptp(corner, axis=0).max() < 2.5 < np.ptp(world()["points"], axis=0).min()


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("share", SHARES.values())
def test_before_and_during_find_exact_searchs_answer_and_after_says_what_is_missing(share, labels):
    drawn = frame(State(share=share, labels=labels))
    allowed = np.array(world()["numbers"][labels]) < N * share / 100
    distances = np.where(allowed, 1 - world()["vectors"] @ lifted([[drawn["x"], drawn["y"]]])[0], np.inf)
    assert drawn["truth"] == np.argsort(distances)[:K].tolist() and len(drawn["matching"]) == N * share // 100
    ways = drawn["ways"]
    for key in ("before", "during"):
        assert [node for node, _ in ways[key]["found"]] == drawn["truth"] and ways[key]["missing"] == 0, key
    assert ways["before"]["compared"] == len(drawn["matching"])
    after = ways["after"]
    nearest = np.argsort(1 - world()["vectors"] @ lifted([[drawn["x"], drawn["y"]]])[0])[:20]
    assert after["held"] == int(allowed[nearest].sum())
    assert after["missing"] == K - len(after["found"]) == max(K - after["held"], 0)
    assert all(0 < way["compared"] == len(way["seen"]) <= N for way in ways.values())
    assert all(way["right"] + len(way["lost"]) == K for way in ways.values())


def test_a_rarer_condition_is_less_work_before_and_more_during():
    each = [frame(State(share=share))["ways"] for share in (50, 10, 1)]
    assert [ways["before"]["compared"] for ways in each] == [250, 50, 5]
    during = [ways["during"]["compared"] for ways in each]
    assert during == sorted(during) and during[-1] == N
    assert len({ways["after"]["compared"] for ways in each}) == 1


def test_a_walk_through_matching_points_only_is_lost():
    drawn = frame(State(walk="matching"))
    assert drawn["ways"]["during"]["lost"] and drawn["ways"]["during"]["compared"] < 50
    assert "A walk through matching points only compares" in caption(drawn, None)
    base = world()["layers"][0]
    assert all(set(near) <= set(base) for near in base.values())  # and the graph itself is left as it is
    assert frame(State())["ways"]["during"]["lost"] == []


def test_what_was_compared_is_what_the_index_counts():
    """The picture notes whose neighbors are asked for; an index counts distances. Both must see the same walk."""
    index = hnsw.HNSW(3, M=6, ef_construction=60, seed=0)
    index.add(world()["vectors"], bulk=False)
    drawn = frame(State())
    numbers = np.array(world()["numbers"]["scattered"])
    hits = index.search(lifted([[drawn["x"], drawn["y"]]])[0], K, ef=EF, allowed=numbers < 50)
    assert [int(id) for id, _ in hits] == [node for node, _ in drawn["ways"]["during"]["found"]]
    extra = index.distances - drawn["ways"]["during"]["compared"]  # a node met on two layers counts twice there
    assert 0 <= extra <= 25


def test_the_dotted_circle_is_cut_off_at_the_edge_of_its_map_and_names_stand_beside_their_buttons():
    stage = shown(fetch=200)
    stage.controls["question"].value = [(8.0, 8.0)]
    cut = re.search(r'style="overflow:hidden"><circle[^>]*stroke-dasharray:2 4', stage.drawing)
    assert cut and stage.frame["ways"]["after"]["ring"][2] > 3  # it is wider than what is left of the map
    assert all("fp-choice" in stage.controls[name]._dom_classes for name in ("labels", "walk"))


def test_a_layer_that_notes_who_was_asked():
    layer = Seen({0: [1], 1: [0, 2], 2: [1], 3: []})
    assert layer[0] == [1] and layer.get(2) == [1] and layer.get(9) is None
    assert layer.compared([0]) == {0, 1}
    copied = copy.deepcopy(layer)
    assert copied[1] == [0, 2] and layer.asked == {1}  # the copy that a learner gets counts alone
    copied[1].append(5)
    assert layer[1] == [0, 2]


def test_words():
    drawn = frame(State())
    assert describe(drawn).startswith("50 of 500 points match, scattered; wanted are the 5 of them that lie nearest")
    assert "Before: 5 found, 50 compared; during: 5 found, " in describe(drawn)
    assert "after: 2 found, 3 missing" in describe(drawn)
    said = caption(drawn, None)
    assert said.startswith("Of 20 fetched, 20 × 50/500 = 2 would match if labels had nothing to do with places; 2 do, ")
    assert said.endswith("and 3 of 5 are missing.")
    rare = frame(State(share=1))
    assert caption(rare, drawn).startswith("50 matched, now 5 do. Of 20 fetched, 20 × 5/500 = 0.2 would match")
    assert caption(rare, drawn).endswith("500.") and "before 50 to 5" in caption(rare, drawn)
    more = frame(State(fetch=60))
    assert caption(more, drawn).startswith("20 were fetched, now 60 are.")
    assert caption(frame(State(labels="together")), drawn).startswith("The same question.")


def test_the_setting_from_before_stays_pale_and_another_question_has_none():
    stage = shown()
    at_start = (stage.frame["x"], stage.frame["y"])
    stage.controls["share"].value = 1
    text = words_of(stage.drawing)
    assert "pale: before" in text and "5 compared, was 50" in text and (stage.frame["x"], stage.frame["y"]) == at_start
    stage.controls["labels"].value = "together"
    assert "pale: before" in words_of(stage.drawing) and (stage.frame["x"], stage.frame["y"]) == at_start
    stage.controls["question"].value = ((1.5, 6.5),)
    assert "pale" not in words_of(stage.drawing) and stage.frame["x"] == 1.5
    stage.reset()
    assert (stage.frame["x"], stage.frame["y"], stage.frame["share"]) == (*at_start, 10)


def test_sliders_move_the_question():
    stage = shown()
    row = next(child for child in stage.view.children if any(
        getattr(each, "description", "") == "question across" for each in getattr(child, "children", ())))
    across, up = (next(each for each in row.children if each.description.endswith(name)) for name in ("across", "up"))
    across.value, up.value = 2.0, 7.25
    assert (stage.frame["x"], stage.frame["y"]) == (2.0, 7.25)
    for name, share in SHARES.items():
        next(each for each in row.children if getattr(each, "description", "") == name).click()
        assert stage.frame["share"] == share


@pytest.mark.parametrize("walk", WALKS)
@pytest.mark.parametrize("x, y", [(0, 0), (8, 8), (0, 8), (4, 4)])
def test_every_corner_is_drawn(x, y, walk):
    drawn = frame(State(x, y, 1, 200, "together", walk))
    html = picture(drawn, frame(State()), None)
    assert "nan" not in html and words_of(html).count("compared") == 4  # one of them in the line of signs


def test_a_state_is_kept_within_its_ranges():
    state = State(x=-3, y=99, share=70, fetch=1)
    assert (state.x, state.y, state.share, state.fetch) == (0.0, 8.0, 50, K)
    with pytest.raises(ValueError, match="labels is one of scattered, together"):
        State(labels="else")


@pytest.mark.parametrize("task", TASKS)
def test_every_mistake_is_drawn_or_replaced(task):
    stage = shown(share=20)
    for name, wrong in mistakes(f"filters.{task}").items():
        swap.use(f"filters.{task}", wrong)
        assert f"running on your {task}" in stage.words.value, name
        assert "nan" not in stage.drawing


def test_a_wrong_function_is_named_and_its_result_drawn():
    def cuts_first(ranked, allowed, k):
        found = [pair for pair in ranked[:k] if allowed[pair[0]]]
        return {"found": found, "missing": k - len(found)}

    stage = shown(share=50)
    swap.use("filters.post_filter", cuts_first)
    assert "running on your post_filter" in stage.label and "expected 5" in words_of(stage.drawing)
    assert len(stage.frame["ways"]["after"]["found"]) < K
    swap.use("filters.post_filter", lambda ranked, allowed, k: {"found": [(9999, 1.0)], "missing": 0})
    assert "Drawn with the course's own function instead" in stage.label
    swap.use("filters.post_filter", lambda ranked, allowed, k: filters.never)
    assert "Your post_filter stopped" in stage.label
    assert len(stage.frame["ways"]["after"]["found"]) == K
