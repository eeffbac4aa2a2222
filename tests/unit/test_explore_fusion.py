"""The pictures of lesson 06: two lists and the fused one, the steps that lead there, and the scores on their scales."""

import itertools
from html import unescape

import pytest
from picture_text import words_of

from firstprinciples import swap
from firstprinciples.explore import fused, fusion_steps, scales
from firstprinciples.explore import fusion_steps as steps_function
from firstprinciples.explore.fusion import CASES, SAID, State, caption, describe, four, frame, picture, rows_of, sign
from firstprinciples.explore.fusion_steps import CODE, trace
from firstprinciples.explore.scales import MEANING, WORDS
from firstprinciples.explore.scales import State as Scales
from firstprinciples.explore.scales import caption as said_of_scales
from firstprinciples.explore.scales import describe as describe_scales
from firstprinciples.explore.scales import frame as scaled
from firstprinciples.grading.mistakes import mistakes
from firstprinciples.rank import fusion

TASKS = ("reciprocal_rank", "votes", "reciprocal_rank_fusion", "min_max", "weighted_fusion")


def order(drawn) -> list[tuple[str, str]]:
    return [(row["id"], four(row["score"])) for row in drawn["fused"]]


# Two lists and k


def test_the_first_case_has_the_numbers_of_the_lesson():
    drawn = frame(State())
    assert order(drawn) == [("A", "0.0325"), ("C", "0.0323"), ("B", "0.0161"), ("E", "0.0159"), ("D", "0.0156"),
                            ("F", "0.0156")]
    assert describe(drawn).startswith("2 lists fused with k = 60: A 0.0325 (by words rank 1, by meaning rank 2); C ")
    assert caption(drawn, None, SAID["Two lists"]).startswith("A has 0.0164 + 0.0161 = 0.0325. Each line is one vote")


def test_every_case_has_its_sentence_and_its_numbers():
    assert SAID.keys() == CASES.keys()
    third = frame(State(CASES["Third in both"]))
    assert order(third)[0] == ("Y", "0.0317") and {id for id, score in order(third) if score == "0.0164"} == {"X", "b"}
    second = frame(State(CASES["Second and fifth"]))
    assert order(second)[:2] == [("A", "0.0315"), ("B", "0.0264")]
    assert second["fused"][0]["ranks"] == [2, 5] and second["fused"][1]["ranks"] == [1, 40]
    wrong = frame(State(CASES["Both are wrong"]))
    assert order(wrong)[0] == ("price list 2023", "0.0325") and wrong["fused"][0]["ranks"] == [1, 2]
    assert [id for id, _ in order(wrong)].index("price list 2024") > 0


def test_a_small_k_turns_the_order_around():
    before, after = frame(State(CASES["Second and fifth"])), frame(State(CASES["Second and fifth"], k=1))
    assert [id for id, _ in order(after)][:2] == ["B", "A"]
    assert caption(after, before) == ("k goes from 60 to 1. The first place is worth 1.50 times the second (before: "
                                      "1.02). B rises.")
    assert "No page changes its place." in caption(frame(State(k=100)), frame(State()))


@pytest.mark.parametrize("name, k", list(itertools.product(CASES, (1, 2, 60, 100))))
def test_bars_add_up_to_the_score_and_fit(name, k):
    drawn = frame(State(CASES[name], k))
    for place in drawn["shown"]:
        row = drawn["fused"][place - 1]
        assert sum(row["votes"]) == pytest.approx(row["score"]) and row["score"] <= drawn["most"] + 1e-12
        assert sign([vote for vote in row["votes"] if vote], row["score"]) in "=≈"
    html = picture(drawn, frame(State(CASES[name], 50)), None)
    assert "nan" not in html and f"fused, k = {k}" in words_of(html)


def test_k_is_clamped():
    assert [State(k=k).k for k in (-5, 0, 1, 37, 100, 400)] == [1, 1, 1, 37, 100, 100]


def test_the_answer_is_shown_wherever_it_stands():
    ids = [f"d{i:02}" for i in range(40)]
    state = State((("one", tuple(ids)), ("other", tuple(ids[::-1]))), 60, ("d17",))
    drawn = frame(state)
    place = [row["id"] for row in drawn["fused"]].index("d17") + 1
    assert drawn["shown"] == [1, 2, 3, 4, 5, place] and place > 6
    text = words_of(picture(drawn, None, None))
    assert text.count("★ d17") == 3 and "and 34 more" in text and text.count("40 in this list") == 2
    assert f"place {place}: the answer d17" in describe(drawn)
    assert f"The answer (one rank 18, other rank 23) has {four(drawn['fused'][place - 1]['score'])} and stands at " \
        f"place {place}." in caption(drawn, None)
    now = frame(State(state.lists, 1, state.marked))
    where = [row["id"] for row in now["fused"]].index("d17") + 1
    assert f"The answer {'stays at' if where == place else 'goes from'} place {place}" in caption(now, drawn)


def test_rows():
    assert rows_of([], set()) == [] and rows_of(["a"], {"z"}) == [1]
    assert rows_of(list("abcdefgh"), {"c", "h"}) == [1, 2, 3, 4, 5, 6]
    assert rows_of(list("abcdefgh"), {"f", "h"}) == [1, 2, 3, 4, 5, 6]


def test_moving_k_keeps_the_old_order_pale_and_a_new_case_does_not():
    stage = fused()
    stage.controls["k"].value = 1
    assert "pale: with k = 60" in stage.drawing and "was 1" in stage.drawing
    stage.controls["case"].value = "Third in both"
    assert "pale" not in stage.drawing and stage.frame["fused"][0]["id"] == "X"  # at k = 1 all three have 0.5
    stage.reset()
    assert stage.frame["k"] == 60 and stage.frame["fused"][0]["id"] == "A"


def test_two_empty_lists_are_drawn():
    stage = fused({"one": [], "other": []})
    assert "nothing" in stage.label and "nothing to fuse" in stage.words.value


@pytest.mark.parametrize("lists", ["ab", 5, [["a"], ["b"]], {"a": "xyz", "b": ["x"]}, {"a": {"x"}, "b": ["x"]},
                                   {"a": None, "b": ["x"]}], ids=repr)
def test_lists_that_are_none(lists):
    for shown in (fused, fusion_steps):
        with pytest.raises(ValueError, match=r"best first"):
            shown(lists)


def test_what_can_be_gone_through_only_once_and_one_marked_id():
    stage = fused({"one": iter(["AB", "C"]), 2: iter(["C"])}, marked="AB")
    assert (stage.frame["names"], stage.frame["marked"]) == (["one", "2"], ["AB"])
    assert fusion_steps({"one": iter(["x", "y"])}).frame["pages"] == ["x", "y"]


def test_only_two_lists():
    with pytest.raises(ValueError, match="shows two lists; these are 3"):
        fused({"a": [], "b": [], "c": []})


def test_names_are_escaped():
    stage = fused({"<one>": ["<b>", "a&b"], "other": ["a&b"]}, marked=("<b>",))
    assert "<b>a" not in stage.drawing and "&lt;b&gt;" in stage.drawing and "a&amp;b" in stage.drawing


@pytest.mark.parametrize("task", TASKS)
def test_every_mistake_is_drawn_or_replaced(task):
    for name, wrong in mistakes(f"fusion.{task}").items():
        with swap.use(f"fusion.{task}", wrong):
            for stage in (fused(), fusion_steps(), scales()):
                for key, value in (("k", 1), ("step", 4), ("top", 50.0)):
                    if key in stage.controls:
                        stage.controls[key].value = value
                assert "nan" not in stage.drawing, name
                stage.close()


def test_a_wrong_function_is_outlined_and_named():
    swap.use("fusion.reciprocal_rank", mistakes("fusion.reciprocal_rank")["from_zero"])
    stage = fused()
    assert "running on your reciprocal_rank: yours 0.0167, expected 0.0164" in stage.label
    text = words_of(stage.drawing)
    assert "outlined: the course's own function" in text and "expected 1: 0.0325" in text
    swap.use("fusion.reciprocal_rank_fusion", lambda lists, k=60: None)
    assert "the course's own function instead" in unescape(stage.words.value)


# Step by step


def test_every_vote_is_a_step():
    steps = trace(dict(CASES["Two lists"]), 60)
    assert len(steps) == 1 + 8 + 1
    assert steps[1]["title"] == "A gets 0.0164" and "1 / (60 + 1) = 0.0164" in steps[1]["why"]
    assert steps[5]["why"].endswith("C had 0.0159 and now has 0.0159 + 0.0164 = 0.0323.")
    last = steps[-1]
    assert last["order"] == "A 0.0325, C 0.0323, B 0.0161, E 0.0159, D 0.0156, F 0.0156"
    assert last["why"] == "The highest total comes first. D and F have the same total: the id decides."


@pytest.mark.parametrize("lists", [
    {"one": ["a", "a", "b"], "two": ["b", "c", "a"], "three": []}, {"one": []}, {"one": ["x"]},
    {"first": list("abc"), "second": list("cde"), "third": list("afc")}])
def test_the_last_step_is_the_fused_list(lists):
    steps = trace(lists, 10)
    expected = fusion.reciprocal_rank_fusion(list(lists.values()), 10)
    assert steps[-1]["ranking"] == [[id, pytest.approx(score)] for id, score in expected]
    assert {id: pytest.approx(sum(vote for _, vote in votes)) for id, votes in steps[-1]["votes"].items()} == dict(
        expected)
    stage = steps_function(lists)
    for step in range(len(steps)):
        stage.controls["step"].value = step
        assert "nan" not in stage.drawing


def test_an_id_met_again_is_a_decision():
    assert [step["title"] for step in trace({"one": ["a", "a"]}, 60)][2] == "a again: no second vote"


def test_the_code_beside_the_steps_does_what_it_says():
    body = "\n".join(["def fuse(lists, k):", *("    " + line for line in CODE)])
    spaces = {}
    exec(body.replace("sorted(totals.items(), …)", "sorted(totals.items(), key=lambda p: (-p[1], p[0]))"), spaces)
    for lists in ([list("ABCD"), list("CAEF")], [list("AAB"), list("BxA")], []):
        assert spaces["fuse"](lists, 60) == [(id, pytest.approx(score)) for id, score in
                                             fusion.reciprocal_rank_fusion(lists, 60)]


@pytest.mark.parametrize("lists", [{}, {c: [] for c in "abcd"}, {"a": list("uvwxyz")},
                                   {"a": list("abcde"), "b": list("fghij")}], ids=str)
def test_what_does_not_fit_on_one_screen_is_refused(lists):
    with pytest.raises(ValueError, match="shows one to 3 lists of at most 5 ids"):
        fusion_steps(lists)


# Scores on their scales


def test_the_three_ways_at_the_start():
    drawn = scaled(Scales())
    assert [id for id, _ in drawn["fused"]["sum"]] == ["A", "B", "C", "D", "E", "F"]
    assert [id for id, _ in drawn["fused"]["minmax"]] == ["A", "C", "B", "E", "D", "F"]
    assert [id for id, _ in drawn["fused"]["rrf"]] == ["A", "C", "B", "E", "D", "F"]
    assert [round(score, 2) for _, score in drawn["fused"]["sum"]] == [13.19, 9.8, 4.91, 2.1, 0.72, 0.7]
    assert [round(share, 2) for share in drawn["shares"][0]] == [1.0, 0.75, 0.19, 0.0]
    assert "A 13.19" in describe_scales(drawn) and "C 0.0323" in describe_scales(drawn)
    assert "order of BM25 alone: the whole cosine list spans 0.11" in said_of_scales(drawn, None)
    assert round(MEANING[0][1] - MEANING[-1][1], 2) == 0.11 and WORDS[0] == ("A", 12.4)


def test_an_outlier_presses_the_others_together():
    before, after = scaled(Scales()), scaled(Scales(top=50))
    assert said_of_scales(after, before) == (
        "The best BM25 score goes from 12.40 to 50.00: on 0..1, B goes from 0.75 to 0.16. "
        "The order changes under: min-max.")
    assert [id for id, _ in after["fused"]["minmax"]][:4] == ["A", "C", "E", "B"]
    assert after["fused"]["rrf"] == before["fused"]["rrf"]


@pytest.mark.parametrize("top, weight", list(itertools.product((5, 10, 12.4, 60, 99), (-1, 0, 0.5, 1, 2))))
def test_scales_are_finite_and_clamped(top, weight):
    state = Scales(top, weight)
    assert 10 <= state.top <= 60 and 0 <= state.weight <= 1
    drawn = scaled(state)
    for pairs in drawn["fused"].values():
        assert len(pairs) == 6 and all(0 <= score < 62 for _, score in pairs)


def test_the_dials_of_the_scales():
    stage = scales()
    stage.controls["top"].value = 50.0
    assert "was 4" in stage.drawing
    stage.controls["weight"].value = 0.9
    assert "The weight of BM25 goes from 0.5 to 0.9" in stage.words.value
    stage.reset()
    assert stage.values == {"top": 12.4, "weight": 0.5}
