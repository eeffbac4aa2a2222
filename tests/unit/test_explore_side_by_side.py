"""The picture of lesson 20 that lays our ten chunks beside an engine's ten."""

import re
import sys

import pytest
from picture_text import words_of

from firstprinciples import swap
from firstprinciples.corpus import Collection
from firstprinciples.explore import engine_live, side_by_side
from firstprinciples.explore.engine_live import ask_now
from firstprinciples.explore.side_by_side import (
    FIRST,
    HYBRIDS,
    SHOWN,
    WHAT,
    State,
    describe,
    figures,
    frame,
    fused,
    lists_of,
    picture,
    questions,
)
from firstprinciples.grading.mistakes import mistakes
from firstprinciples.rank.fusion import Hybrid, reciprocal_rank_fusion


@pytest.fixture(scope="module")
def larkspur():
    return Collection.load("larkspur")


@pytest.fixture
def forgotten():
    """Let no engine be at hand from another test."""
    engine_live.searcher.cache_clear()
    yield
    engine_live.searcher.cache_clear()


def test_every_pair_is_stored_with_lists_of_dev_questions(larkspur):
    assert set(WHAT) == set(figures()["pairs"])
    dev = {query.id for query in larkspur.queries if query.split == "dev"}
    chunks = {chunk.id for chunk in larkspur.chunks}
    for pair in WHAT:
        assert len(questions(pair)) >= 2 and set(questions(pair)) <= dev, pair
        for lists in figures()["pairs"][pair]["lists"].values():
            for side in ("ours", "theirs"):
                ids = [id for id, _ in lists[side]]
                assert len(ids) == len(set(ids)) <= SHOWN and set(ids) <= chunks


@pytest.mark.parametrize("pair", WHAT)
def test_a_frame_holds_both_lists_as_they_are_stored(pair):
    for turn, id in enumerate(questions(pair)):
        drawn = frame(State(pair, turn))
        assert drawn["id"] == id and drawn["sides"]["theirs"] == [
            (each, pytest.approx(score)) for each, score in figures()["pairs"][pair]["lists"][id]["theirs"]]
        ours = [each for each, _ in drawn["sides"]["ours"]]
        assert ours == [each for each, _ in figures()["pairs"][pair]["lists"][id]["ours"]]
        assert drawn["both"] == [each for each in ours if each in {each for each, _ in drawn["sides"]["theirs"]}]
        assert drawn["same order"] == (ours == [each for each, _ in drawn["sides"]["theirs"]])
        assert f"{len(drawn['both'])} of 10 in both lists" in describe(drawn)


@pytest.mark.parametrize("pair, k", HYBRIDS.items())
def test_our_side_of_a_hybrid_is_what_hybrid_gives(pair, k, larkspur):
    from firstprinciples.explore.side_by_side import searches

    hybrid, texts = Hybrid(searches(), k=k), {query.id: query.text for query in larkspur.queries}
    for id in questions(pair):
        hits = hybrid.search(texts[id], SHOWN)
        assert fused(lists_of(texts[id]), k) == [(hit.id, pytest.approx(hit.score)) for hit in hits]


def test_the_picture_says_what_it_draws():
    drawn = frame(State("BM25 · FTS5, its own words"))
    html = picture(drawn, None, None)
    said = words_of(html)
    alone = [id for side in drawn["sides"].values() for id, _ in side if id not in drawn["both"]]
    assert html.count("stroke-dasharray:4 3") == len(alone)
    ours, theirs = ([id for id, _ in side] for side in drawn["sides"].values())
    moved = sum(ours.index(id) != theirs.index(id) for id in drawn["both"])
    assert html.count("<line") == len(drawn["both"])
    assert html.count("stroke:#0072B2;stroke-width:2.5") == moved
    dev = drawn["dev"]
    assert f"All {dev['queries']} dev questions: the same ten for {dev['same_ten']}" in said
    assert f"theirs: stored on {figures()['date']}" in said
    assert min(int(size) for size in re.findall(r"font-size:(\d+)px", html)) >= 12


def test_the_explorer_turns_and_begins_again():
    stage = side_by_side()
    assert stage.frame["pair"] == "BM25 · FTS5" and stage.label.startswith("BM25 · FTS5. “")
    first = stage.frame["asked"]
    stage.controls["turn"].value += 1
    assert stage.frame["asked"] != first
    stage.controls["turn"].value = FIRST + len(questions("BM25 · FTS5"))
    assert stage.frame["asked"] == first
    stage.controls["pair"].value = "dense · Qdrant"
    assert WHAT["dense · Qdrant"][2] in stage.words.value
    stage.reset()
    assert stage.frame["pair"] == "BM25 · FTS5"
    stage.close()


def test_sqlite_is_asked_and_gives_what_was_stored(forgotten):
    pytest.importorskip("sqlite3")
    for pair in ("BM25 · FTS5", "BM25 · FTS5, its own words"):
        answer = ask_now(pair, questions(pair)[0])
        if "sentence" in answer:
            pytest.skip(answer["sentence"])
        drawn = frame(State(pair, 0), answer)
        assert drawn["as stored"] and drawn["now"] == "asked"
        stage = side_by_side(pair)
        next(button for button in stage.row.children if button.description == "Ask it now").click()
        assert "Asked just now: the same ten as on" in stage.words.value and "asked just now" in stage.drawing
        assert stage.label.startswith(f"{pair}. “")
        stage.close()


@pytest.mark.peers
@pytest.mark.parametrize("pair", [pair for pair in WHAT if pair not in ("MaxSim · Qdrant", "HNSW · hnswlib")])
def test_engines_give_what_was_stored(pair):
    pytest.importorskip("qdrant_client", reason="needs qdrant-client: python3 -m firstprinciples test --peers")
    for id in questions(pair)[:3]:
        answer = ask_now(pair, id)
        stored = figures()["pairs"][pair]["lists"][id]["theirs"]
        scores = [score for _, score in answer["theirs"]]
        assert scores == pytest.approx([score for _, score in stored], rel=1e-4)  # of equal ones its own first


@pytest.mark.parametrize("pair, package", [("hybrid · Qdrant", "qdrant_client"), ("HNSW · hnswlib", "hnswlib")])
def test_without_a_package_the_stored_list_stays_and_a_sentence_says_so(pair, package, forgotten, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    stage = side_by_side(pair)
    before = stage.drawing
    next(button for button in stage.row.children if button.description == "Ask it now").click()
    said = stage.words.value
    assert stage.drawing == before and "pip install" in said and "What is shown was stored on" in said
    stage.close()


def test_token_vectors_of_all_chunks_do_not_come_with_the_course():
    assert "do not come with the course" in ask_now("MaxSim · Qdrant", questions("MaxSim · Qdrant")[0])["sentence"]


def test_a_readers_own_fusion_is_drawn():
    with swap.use("fusion.reciprocal_rank_fusion", lambda lists, k=60: reciprocal_rank_fusion(lists[:1], k)):
        stage = side_by_side("hybrid, k = 1 · Qdrant")
        assert "running on your reciprocal_rank_fusion: yours" in stage.label and "left: yours" in stage.drawing
        stage.controls["pair"].value = "BM25 · FTS5"
        assert "running on" not in stage.label
        stage.close()


def test_every_mistake_in_the_fusion_is_drawn_or_replaced():
    for name, wrong in mistakes("fusion.reciprocal_rank_fusion").items():
        with swap.use("fusion.reciprocal_rank_fusion", wrong):
            stage = side_by_side("hybrid · Qdrant")
            assert "nan" not in stage.drawing and "running on your" in stage.label, name
            stage.close()


@pytest.mark.parametrize("given, said", [
    (("Lucene",), "There is no pair 'Lucene'; there are BM25 · FTS5"), (("BM25 · FTS5", 1.5), "turn is 1.5")])
def test_what_is_not_there_is_refused(given, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        State(*given)
