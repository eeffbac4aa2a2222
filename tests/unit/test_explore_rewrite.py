"""The pictures of lesson 16: the slip that is filled from a talk, three phrasings fused, and a made-up answer."""

import re
from html import unescape

import numpy as np
import pytest
from picture_text import words_of

from firstprinciples import swap
from firstprinciples.corpus import Collection
from firstprinciples.encode.stored import minilm
from firstprinciples.explore import follow_the_thread, hyde, hypothetical, phrasings, three_phrasings
from firstprinciples.explore import rewrite as thread
from firstprinciples.explore.rewrite import NONE, TALKS, UNKNOWN, caption, describe, holders, picture, talk, trace
from firstprinciples.generate import rewrite
from firstprinciples.grading.mistakes import mistakes
from firstprinciples.rank.fusion import rag_fusion
from firstprinciples.retrieve.bm25 import BM25


@pytest.fixture
def without_files(monkeypatch):
    """Let the files of the encoder be away: a text that is not stored has no vector, and none is waited for."""
    def forget():
        thread.place.cache_clear()
        hyde.vector.cache_clear()

    monkeypatch.setattr(minilm(), "_load", lambda: None)
    monkeypatch.setattr(minilm(), "_model", None)
    forget()
    yield
    forget()


@pytest.fixture(scope="module")
def larkspur():
    return Collection.load("larkspur")


def sizes_of_text(html: str) -> set[int]:
    return {int(size) for size in re.findall(r"font-size:(\d+)px", html)}


def walked(name):
    return trace(name, talk(name)["question"])


# The slip


@pytest.mark.parametrize("name", TALKS)
def test_each_step_adds_one_word_and_the_last_slip_is_the_condensed_question(name):
    frames = walked(name)
    assert [frame["step"] for frame in frames] == [*range(frames[0]["steps"])]
    assert [frame["slip"] for frame in frames[:2]] == [talk(name)["question"]] * 2
    first, last = frames[0], frames[-1]
    assert first["leans"] and last["slip"] == rewrite.condensed(first["question"], first["words"])
    for frame in frames[2:-1]:
        assert frame["slip"].split()[-1] == frame["words"][frame["taken"] - 1]
        assert f"“{frame['words'][frame['taken'] - 1]}”" in caption(frame)
    assert UNKNOWN not in [at for places in first["places"].values() for at in places]  # all come with the course


def test_the_texts_of_all_pictures_have_stored_vectors():
    wanted = thread.texts() + hyde.texts()
    assert len(wanted) == len(set(wanted)) and all(minilm().has(text) for text in wanted)
    assert all("\n" not in text for text in wanted)


def test_talks_are_of_the_half_that_may_be_looked_at(larkspur):
    ids = [given if isinstance(given, str) else given[2] for given in TALKS.values()]
    ids = [id for id in ids if isinstance(id, str)] + [case[0] for case in hyde.CASES.values()]
    ids += [case[2] for case in phrasings.CASES.values() if isinstance(case[2], str)]
    assert len(ids) == 11 and all(query.split == "dev" for query in larkspur.queries if query.id in ids)
    chunks = {chunk.id for chunk in larkspur.chunks}
    assert set(TALKS["owe us"][2]) <= chunks and set(phrasings.CASES["refund??"][2]) <= chunks


def test_places_are_those_of_the_searches(larkspur):
    words, right = BM25(larkspur.chunks), talk("for food")["right"]
    frame = walked("for food")[-1]
    for at, text in ((0, frame["question"]), (-1, frame["slip"])):
        ids = [hit.id for hit in words.search(text, 1000)]
        assert frame["places"]["words"][at] == next(n for n, id in enumerate(ids, 1) if id in right)
    assert right == holders("follow_up-005")


def test_what_points_back_is_dotted_and_the_new_word_is_outlined():
    frames = walked("when paid")
    assert "fp-talk-points" not in picture(frames[0], None)
    drawn = picture(frames[1], None)
    assert drawn.count('class="fp-talk-points"') == 4 and "dotted: points back" in drawn
    assert picture(frames[2], None).count('class="fp-talk-new"') == 2  # in the talk and on the slip
    assert "not found" in words_of(drawn) and min(sizes_of_text(drawn)) >= 12
    assert "rings: earlier" in words_of(drawn)
    assert "“they” and “it”" in caption(frames[1])


def test_a_question_that_stands_alone_gets_nothing():
    frames = trace("for food", "Which version of Python does the help desk install on laptops?")
    assert len(frames) == 2 and not frames[0]["leans"] and frames[1]["slip"] == frames[0]["question"]
    assert "It stands alone; nothing is added." in caption(frames[1])


def test_a_typed_question_without_a_stored_vector(without_files):
    frame = trace("for food", "and what about breakfast on the train?")[-1]
    assert frame["places"]["meaning"][0] == UNKNOWN and frame["places"]["words"][0] != UNKNOWN
    assert "its vector is not stored" in words_of(picture(frame, None)) and "no vector" in describe(frame)


def test_the_explorer_steps_changes_the_talk_and_takes_a_question(without_files):
    stage = follow_the_thread()
    assert stage.frame["step"] == 0 and stage.label.startswith("Step 1 of 15, the talk “for food”.")
    stage.controls["step"].value = 4
    assert stage.frame["taken"] == 3
    stage.controls["name"].value = "when paid"
    assert stage.frame["talk"] == "when paid" and stage.frame["step"] == 0
    assert stage.controls["question"].value == stage.frame["question"] == "and when did they pay it?"
    stage.controls["question"].value = "  when was <b>that</b>?  "
    assert stage.frame["question"] == "when was <b>that</b>?" and "<b>that" not in stage.drawing
    stage.controls["question"].value = " "
    assert stage.frame["question"] == "and when did they pay it?"
    stage.reset()
    assert stage.frame["talk"] == "for food" and stage.frame["question"] == "and for food?"
    stage.close()


def test_places_are_drawn_further_right_the_later_they_are():
    assert thread.across(1) == thread.LEFT and thread.across(704) == pytest.approx(thread.LEFT + thread.SCALE)
    assert thread.across(10) < thread.across(100) < thread.across(704) < thread.across(NONE)


@pytest.mark.parametrize("show, name", [(follow_the_thread, "talk"), (three_phrasings, "case"), (hypothetical, "case")])
def test_a_name_that_is_not_there_is_refused(show, name):
    with pytest.raises(ValueError, match=f"There is no {name} 'nothing'; there are "):
        show("nothing")


@pytest.mark.parametrize("task", [name.partition(".")[2] for name in thread.TASKS])
def test_every_mistake_is_drawn_or_replaced(task, without_files):
    for name, wrong in mistakes(f"rewrite.{task}").items():
        with swap.use(f"rewrite.{task}", wrong):
            stage = follow_the_thread("the second one")
            stage.controls["step"].value = stage.controls["step"].max
            assert "nan" not in stage.drawing and "running on your" in stage.label, name
            stage.close()


@pytest.mark.parametrize("task, wrong, said", [
    ("topic_words", lambda history, most, common: 5, "a list of words"),
    ("condensed", lambda question, words: None, "the question as a text"),
    ("is_follow_up", lambda *given: "yes", "neither True nor False")])
def test_what_can_not_be_drawn_is_named(task, wrong, said, without_files):
    with swap.use(f"rewrite.{task}", wrong):
        stage = follow_the_thread()
        told = unescape(stage.words.value)
        assert said in told and "the course's own function instead" in told
        stage.close()


# Three phrasings


@pytest.mark.parametrize("case", phrasings.CASES)
def test_the_fused_list_is_that_of_rag_fusion(case, larkspur):
    frame = phrasings.trace(case)[-1]
    hits = rag_fusion(BM25(larkspur.chunks), frame["asked"], 5)
    assert [id for at, id in frame["shown"][-1] if at <= 5] == [hit.id for hit in hits]
    for hit in hits:
        assert sum(frame["votes"][hit.id]) == pytest.approx(hit.score)


def test_lists_come_one_by_one_and_the_fused_one_last():
    frames = phrasings.trace("speeding")
    assert len(frames) == 5 and phrasings.picture(frames[0], None).count(">?<") == 4
    assert [phrasings.picture(frame, None).count(">?<") for frame in frames] == [4, 3, 2, 1, 0]
    assert frames[0]["places"] == [26, 1, 23, 1] and "place 1 of the fused list" in phrasings.caption(frames[-1])
    assert min(sizes_of_text(phrasings.picture(frames[-1], None) + phrasings.STYLE)) >= 12


def test_the_rules_phrasings_of_refund():
    frames = phrasings.trace("refund??")
    assert frames[0]["asked"] == ["refund??", "money back??", "reimbursement??"] and frames[0]["by_rule"]
    assert "finds 1 chunk, and none of them answers" in phrasings.caption(frames[1])
    assert "finds no chunk" in phrasings.caption(frames[3]) and "nothing found" in phrasings.picture(frames[3], None)


def test_a_phrasing_that_is_replaced():
    with swap.use("rewrite.phrasings", lambda question, synonyms, most: [question]):
        stage = three_phrasings()
        stage.controls["step"].value = stage.controls["step"].max
        assert stage.frame["asked"] == ["refund??"] and "running on your phrasings" in stage.label
        assert "nowhere" not in stage.words.value
        stage.close()
    with swap.use("rewrite.phrasings", lambda question, synonyms, most: "refund"):
        stage = three_phrasings()
        assert "a list of texts" in stage.words.value
        stage.close()


# A made-up answer


@pytest.mark.parametrize("case", hyde.CASES)
def test_strips_are_cosines_and_the_mean_is_hydes(case, larkspur):
    id, made_up, _ = hyde.CASES[case]
    frame = hyde.trace(case)[-1]
    question = next(query.text for query in larkspur.queries if query.id == id)
    q, a = minilm().encode_queries([question, made_up]).astype(float)
    mean = (q + a) / np.linalg.norm(q + a)
    chunks = minilm().encode_passages([chunk.text for chunk in larkspur.chunks])
    for name, vector in (("question", q), ("made up", a), ("mean", mean)):
        row = frame["rows"][name]
        assert np.allclose(row["cosines"], chunks @ vector, atol=1e-3) and len(row["cosines"]) == 704
        assert sum(cosine > row["mine"] + 1e-4 for cosine in row["cosines"]) <= row["place"] - 1
        assert row["right"] in holders(id)


def test_strips_come_one_by_one():
    frames = hyde.trace("siren")
    assert [hyde.picture(frame, None).count("★ place") for frame in frames] == [1, 2, 3, 4]
    assert describe_places(frames[-1]) == [45, 41, 14, 18]
    assert "the answer at place 14" in hyde.describe(frames[-1]) and min(sizes_of_text(hyde.picture(frames[-1], None)
                                                                                       )) >= 12


@pytest.mark.parametrize("case", hyde.CASES)
def test_no_cosine_is_drawn_beyond_the_ends_of_a_strip(case):
    for row in hyde.trace(case)[-1]["rows"].values():
        assert hyde.LOW < min(row["cosines"]) and max(row["cosines"]) < hyde.HIGH
    assert "Half of this vector is the question." in hyde.caption(hyde.trace(case)[-1])


def describe_places(frame) -> list[int]:
    return [frame["rows"][name]["place"] for name in hyde.ROWS]


@pytest.mark.parametrize("wrong, said", [
    (lambda question, answers: "no", "one vector"), (lambda question, answers: None, "finite numbers"),
    (lambda question, answers: question[:3], "finite numbers")])
def test_a_mean_that_is_none(wrong, said):
    with swap.use("rewrite.mean_vector", wrong):
        stage = hypothetical()
        told = unescape(stage.words.value)
        assert said in told and "the course's own function instead" in told
        stage.close()


def test_every_mistake_in_the_mean_is_drawn_or_replaced(without_files):
    for name, wrong in mistakes("rewrite.mean_vector").items():
        with swap.use("rewrite.mean_vector", wrong):
            stage = hypothetical()
            stage.controls["step"].value = 3
            assert "nan" not in stage.drawing and "running on your mean_vector" in stage.label, name
            stage.close()
