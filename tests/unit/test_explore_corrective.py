"""The pictures of lesson 17: two fields, the second reader, and the two dials of trust."""

import re
from html import unescape

import pytest
from picture_text import words_of

from firstprinciples import swap
from firstprinciples.corpus import Collection
from firstprinciples.explore import corrective as second
from firstprinciples.explore import relevant_and_false, second_reader, trust, trust_dial, two_fields
from firstprinciples.explore.measured import measured
from firstprinciples.explore.two_fields import ASKED, LABELS, WAYS, State, caption, cut_apart, describe, half, scores
from firstprinciples.generate import corrective
from firstprinciples.grading.mistakes import mistakes


def sizes_of_text(html: str) -> set[int]:
    return {int(size) for size in re.findall(r"font-size:(\d+)px", html)}


# Two fields


def test_only_the_half_that_may_be_looked_at_is_read():
    clocks, known = Collection.load("clocks"), half()
    split = {document.id: document.metadata["split"] for document in clocks.documents}
    assert len(known["passages"]) == 80 and all(split[id] == "dev" for id in known["passages"])
    assert len(known["questions"]) == 22 and set(ASKED.values()) <= set(known["questions"])
    assert all(split[id] == "dev" for judged in known["grades"].values() for id in judged)
    assert all(query.split == "dev" for query in known["questions"].values())
    assert set(scores("by meaning", "q-37")) == set(known["passages"])


@pytest.mark.parametrize("question", ASKED)
@pytest.mark.parametrize("way", WAYS)
def test_rows_are_scores_and_the_counts_those_of_the_labels(question, way):
    frame = two_fields.frame(State(question, way, 7))
    found, about, grades = scores(way, ASKED[question]), half()["about"], half()["grades"][ASKED[question]]
    assert {id: score for row in frame["rows"].values() for id, score in row} \
        == {id: found.get(id, 0.0) for id in grades}
    assert all(about[id]["label"] == label for label, row in frame["rows"].items() for id, _ in row)
    assert frame["kept"] == list(found)[:7] and sum(frame["counts"].values()) + sum(
        id not in grades for id in frame["kept"]) == 7
    assert all(id not in grades for id, _ in frame["off"])
    true, false = ([found.get(id, 0.0) for id in grades if about[id]["label"] == label]
                   for label in ("aligned", "contradicts"))
    assert frame["apart"] == corrective.told_apart(true, false)
    one, other = frame["pair"]["aligned"], frame["pair"]["contradicts"]
    assert about[one["id"]]["pair"] == other["id"] and one["words"][::2] == other["words"][::2]
    assert one["words"][1] != other["words"][1]


def test_the_worked_row_a_false_passage_with_two_good_places():
    frame = two_fields.frame(State("the probe", "fused", 1))
    false = frame["pair"]["contradicts"]
    assert (false["id"], false["place"], round(false["score"], 4)) == ("s10-c", 1, 0.0325)
    places = [list(scores(way, "q-37")).index("s10-c") + 1 for way in ("by words", "by meaning")]
    assert places == [1, 2] and false["score"] == pytest.approx(1 / 61 + 1 / 62)
    assert caption(frame, None).startswith("The best one is false.")


def test_a_pair_is_cut_at_its_one_word():
    assert cut_apart("a b c", "a x c") == ["a", "b", "c"] and cut_apart("b c", "x c") == ["", "b", "c"]
    assert cut_apart("a b.", "a c.") == ["a", "b.", ""]


def test_the_picture_says_what_is_kept_and_what_was():
    before, now = (two_fields.frame(State("the probe", "by words", keep)) for keep in (3, 5))
    drawn = two_fields.picture(now, before, None)
    assert "pale line: the cut before" in words_of(drawn) and min(sizes_of_text(drawn + two_fields.STYLE)) >= 12
    assert "Before, of the 3 best: 1 true and 2 false." in caption(now, before)
    assert "told apart 0.50" in words_of(drawn) and "Told apart: 0.50." in describe(now)
    assert "0.8" in drawn and "1.0" in drawn


def test_the_explorer_changes_the_question_the_search_and_the_cut():
    stage = relevant_and_false()
    assert stage.label.startswith("“A ship does half the speed of light") and stage.frame["keep"] == 3
    stage.controls["keep"].value = 10
    stage.controls["way"].value = "by meaning"
    stage.controls["question"].value = "light clock"
    assert stage.frame["apart"] == 0.0 and stage.frame["way"] == "by meaning" and stage.frame["keep"] == 10
    stage.reset()
    assert stage.frame["question"] == "the probe" and stage.frame["keep"] == 3
    stage.close()


def test_a_question_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="There is no question 'nothing'; there are the probe, "):
        relevant_and_false("nothing")


def test_every_mistake_in_told_apart_is_drawn_or_replaced():
    for name, wrong in mistakes("corrective.told_apart").items():
        with swap.use("corrective.told_apart", wrong):
            stage = relevant_and_false("westward")
            assert not re.search(r"\bnan\b", stage.drawing) and "running on your told_apart" in stage.label, name
            stage.close()
    with swap.use("corrective.told_apart", lambda true, false: 0.9):
        stage = relevant_and_false()
        assert "told apart 0.90, expected 0.50" in words_of(stage.drawing)
        stage.close()
    with swap.use("corrective.told_apart", lambda true, false: None):
        stage = relevant_and_false()
        assert "the course's own function instead" in unescape(stage.words.value)
        stage.close()


def test_labels_have_words():
    assert tuple(LABELS) == corrective.LABELS


# The second reader


def test_the_last_step_shows_the_words_in_which_twins_differ():
    last = second.trace("the probe", "rules at 0.5")[-1]
    drawn = second.picture(last, None)
    assert "speed to be 1.0 c" in drawn and "speed to be 0.8 c" in drawn
    assert drawn.count("-webkit-line-clamp:4") == second.SHOWN == 3 and "and 2 more" in drawn
    one = second.picture(second.trace("lightning", "the rules")[-1], None)
    assert one.count("-webkit-line-clamp:7") == 1 and "more</div>" not in one.split("handed on")[1]


@pytest.mark.parametrize("reader", second.READERS)
def test_who_grades_by_the_labels_is_not_said_to_be_the_rules(reader):
    said = second.caption(second.trace("black hole", reader)[-1])
    assert ("the rules have not" in said) == (reader != "the labels")
    assert ("has seen what the collection says" in said) == (reader == "the labels")


@pytest.mark.parametrize("reader", second.READERS)
@pytest.mark.parametrize("case", second.CASES)
def test_each_step_is_what_the_corrective_search_did(case, reader):
    frames, did = second.trace(case, reader), second.machine(reader).last
    assert [frame["step"] for frame in frames] == [*range(frames[0]["steps"])]
    kinds = [frame["kind"] for frame in frames]
    assert kinds == ["start", *["grade"] * second.FOUND, "filter", *["action"] * len(did.steps), "context"]
    last = frames[-1]
    assert last["seen"] == [hit.id for hit in did.candidates] and [id for id, _ in last["context"]] == [
        source["id"] for source in did.trusted]
    assert set(last["trusted"]) == {*did.kept, *did.references}
    grades = {id: (one["label"], one["confidence"]) for id, one in last["graded"].items()}
    assert grades == {id: (one.label, one.confidence) for id, one in did.grades.items()}
    filtered = 1 + second.FOUND
    for frame in frames[1:filtered]:
        assert frame["now"] == frame["read"][-1] and len(frame["read"]) == frame["step"]
        assert second.described(last["graded"][frame["now"]]) in second.caption(frame)
    first = [did.grades[id].label == "aligned" and did.grades[id].confidence >= frames[0]["threshold"]
             for id in frames[0]["seen"]]
    assert len(frames[filtered]["trusted"]) == sum(first)
    for number, step in enumerate(did.steps, 1):
        told = second.caption(frames[filtered + number])
        assert step.action in told and step.came in told


def test_cases_passages_and_references_are_of_the_half_that_may_be_looked_at():
    assert set(second.CASES.values()) <= set(half()["questions"])
    assert len(second.trusted()) == 10 and all(one.metadata["split"] == "dev" for one in second.trusted().values())
    clocks = {document.id for document in Collection.load("clocks").documents}
    assert clocks & set(second.machine("the rules").chunks) == set(half()["passages"])


def test_what_a_passage_truly_is_is_shown_at_the_end_alone():
    frames = second.trace("lightning", "rules at 0.5")
    for frame in frames[:-1]:
        assert "● true" not in words_of(second.picture(frame, None)) and ", true" not in second.describe(frame)
    assert "● true" in words_of(second.picture(frames[-1], None)) and "s1-b, true" in second.describe(frames[-1])
    assert second.truth_of("black hole", "t4-f") == "true, off the point"
    assert second.truth_of("lightning", "s1") == "a reference"


@pytest.mark.parametrize("case", second.CASES)
def test_no_picture_has_tiny_text(case):
    for frame in second.trace(case, "the labels"):
        sizes = re.findall(r"font-size: ?(\d+)px", second.picture(frame, None) + second.STYLE)
        assert sizes and min(map(int, sizes)) >= 12
        assert second.describe(frame).startswith(f"Step {frame['step'] + 1} of {frame['steps']}, read by the labels.")


def test_the_explorer_steps_and_changes_the_reader():
    stage = second_reader()
    stage.controls["step"].value = 3
    assert stage.frame["now"] == stage.frame["seen"][2]
    stage.controls["reader"].value = "the labels"
    assert stage.frame["step"] == 0 and stage.frame["reader"] == "the labels"
    stage.controls["case"].value = "black hole"
    assert "black hole" in stage.label
    stage.reset()
    assert stage.frame["case"] == "lightning" and stage.frame["reader"] == "the rules"
    stage.close()
    with pytest.raises(ValueError, match="There is no case 'nothing'; there are lightning, "):
        second_reader("nothing")


@pytest.mark.parametrize("task", [name.partition(".")[2] for name in second.TASKS])
def test_every_mistake_of_the_reader_is_drawn_or_replaced(task):
    for name, wrong in list(mistakes(f"corrective.{task}").items())[:3]:  # each walks the whole question twice
        with swap.use(f"corrective.{task}", wrong):
            stage = second_reader("the probe")
            stage.controls["step"].value = stage.controls["step"].max
            assert not re.search(r"\bnan\b", stage.drawing) and f"running on your {task}" in stage.label, name
            stage.close()


@pytest.mark.parametrize("task, wrong", [("keep", lambda graded, threshold: None),
                                         ("next_action", lambda trusted, minimum, tried, actions: "dance"),
                                         ("verdict", lambda chances: "aligned")])
def test_what_can_not_be_used_is_named(task, wrong):
    with swap.use(f"corrective.{task}", wrong):
        stage = second_reader("the ether")
        assert "the course's own function instead" in unescape(stage.words.value)
        stage.close()


# The dials of trust


@pytest.mark.parametrize("half_name", trust.HALVES)
def test_what_is_kept_and_counted_is_what_was_measured(half_name):
    rows = measured("corrective")[trust.HALVES[half_name]]["passages"]
    for threshold in trust.thresholds():
        frame = trust.frame(trust.State(half_name, threshold, 1))
        kept = [true for true, given, confidence in rows if given == "aligned" and confidence >= threshold]
        assert frame["counts"] == {label: kept.count(label) for label in corrective.LABELS}
        assert sum(full for row in frame["dots"].values() for _, full in row) == len(kept)
    drawn = {label: len(frame["dots"][label]) + sum(frame["elsewhere"][label].values()) for label in corrective.LABELS}
    assert drawn == frame["there"] and sum(drawn.values()) == frame["passages"] == len(rows)
    graded = measured("corrective")[trust.HALVES[half_name]]["grader"]["right reference"]
    assert frame["right"] == pytest.approx(graded["accuracy"], abs=1e-5)
    for label, pair in graded["per_label"].items():
        assert frame["figures"][label] == pytest.approx(pair, abs=1e-5)
    assert frame["chance"] == pytest.approx(measured("corrective")[trust.HALVES[half_name]]["chance"], abs=1e-5)


@pytest.mark.parametrize("reader", trust.READERS)
def test_answers_are_those_of_the_sweep_and_begin_at_what_was_chosen(reader):
    chosen = measured("corrective")
    for name, half_key in trust.HALVES.items():
        frame = trust.frame(trust.State(name, chosen["threshold"], chosen["minimum"], reader))
        part = chosen[half_key] if reader == "careful" else chosen[half_key]["reckless"]
        assert frame["plain"] == part["pipelines"]["plain"]["answers"]
        assert frame["answers"] == part["pipelines"]["corrective"]["answers"]
        alone = trust.frame(trust.State(name, chosen["threshold"], 0, reader))
        assert alone["answers"] == part["pipelines"]["filter alone"]["answers"]
        assert not any(alone["actions"].values()) and "filtering alone" in trust.caption(alone, None)


def test_the_dials_move_and_the_line_before_stays():
    stage = trust_dial()
    assert stage.label.startswith(f"dev half, threshold {measured('corrective')['threshold']:g}, minimum ")
    stage.controls["threshold"].value = 0.0
    assert stage.frame["threshold"] == 0.0 and "pale line: before" in words_of(stage.drawing)
    stage.controls["half"].value = "held-out half"
    assert stage.frame["passages"] == 88 and "pale line" not in words_of(stage.drawing)
    stage.controls["reader"].value = "reckless"
    assert "of a reckless reader" in stage.label and min(sizes_of_text(stage.drawing + trust.STYLE)) >= 12
    stage.controls["threshold"].value = 1.0
    assert "nan" not in stage.drawing
    stage.close()
    with pytest.raises(ValueError, match="There is no half 'third'; there are dev half, held-out half"):
        trust_dial("third")


@pytest.mark.parametrize("task", [name.partition(".")[2] for name in trust.TASKS])
def test_every_mistake_in_counting_is_drawn_or_replaced(task):
    for name, wrong in mistakes(f"corrective.{task}").items():
        with swap.use(f"corrective.{task}", wrong):
            stage = trust_dial()
            assert not re.search(r"\bnan\b", stage.drawing) and f"running on your {task}" in stage.label, name
            stage.close()
    for wrong in (lambda *given: None, lambda *given: ["nobody"], lambda *given: {}):
        with swap.use(f"corrective.{task}", wrong):
            stage = trust_dial()
            assert "the course's own function instead" in unescape(stage.words.value)
            stage.close()
