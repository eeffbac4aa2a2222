"""The failure tree as a picture: wrong answers, a station at a time, and nothing given away before the choice."""

import re
from collections import Counter

import pytest
from picture_text import words_of

from firstprinciples import swap
from firstprinciples.evaluate import failure
from firstprinciples.explore import failure_tree as named_like_its_file
from firstprinciples.explore.failure_evidence import (
    LINES,
    WAYS,
    around,
    cut_where,
    edge,
    gathered,
    neighbors,
    ordinal,
    part_of,
    place_of,
    sentence_of,
    tall,
    walk,
    window,
)
from firstprinciples.explore.failure_picture import ASKED, PLACES
from firstprinciples.explore.failure_tree import (
    CASES,
    READ,
    TASKS,
    State,
    caption,
    describe,
    failure_tree,
    frame,
    looks,
    picture,
    replay,
)
from firstprinciples.grading.mistakes import mistakes


def truth(case: int) -> str:
    """Return the choices that agree with the evidence."""
    alive = looks(walk(*CASES[case]))["alive"]
    return "yyyy" if all(alive) else "y" * alive.index(False) + "n"


def opposite(sign: str) -> str:
    return "n" if sign == "y" else "y"


# The cases


def test_at_least_two_wrong_answers_for_each_place_by_three_pipelines():
    places, said = Counter(), Counter()
    for id, way in CASES:
        one = walk(id, way)
        assert one.query.split == "dev" and one.query.evidence
        shown = gathered(one)
        assert shown["verdict"] in ("wrong", "declined") and 1 <= len(shown["desk"]) <= READ
        place = looks(one)["place"]
        places[place] += 1
        said[place] += shown["verdict"] == "wrong"
    assert set(places) == set(PLACES) and min(said.values()) >= 2 and len(CASES) >= 10
    assert {way for _, way in CASES} == set(WAYS)
    assert [looks(walk(*CASES[n]))["place"] for n in range(3)] == ["ranking", "chunking", "ingestion"]  # no order


@pytest.mark.parametrize("case", range(len(CASES)))
def test_a_case_is_walked_to_its_place_and_the_course_says_the_same(case):
    one, said = walk(*CASES[case]), truth(case)
    drawn = frame(State(case, said))
    own = failure.diagnose(one.trip, one.query, one.documents, one.chunks)
    assert drawn["over"] and drawn["missed"] == [] and drawn["place"] == own.place
    assert drawn["repairs"] and all(drawn["repairs"]) and drawn["facts"]
    assert f"Lost in {own.place}." in describe(drawn) and f"Lost in {own.place}" in words_of(picture(drawn, None, None))
    for repair in drawn["repairs"]:
        assert repair in describe(drawn)


@pytest.mark.parametrize("case", range(len(CASES)))
def test_nothing_is_given_away_before_the_choice_and_a_wrong_one_is_told_at_once(case):
    said = truth(case)
    for n, sign in enumerate(said):
        before = frame(State(case, said[:n]))
        html, label = picture(before, None, None), describe(before)
        assert not before["over"] and before["station"] == n
        for given_away in ("Lost in", "does hold it", "disagrees", "No chunk holds", "not among", "None of the"):
            assert given_away not in label and given_away not in words_of(html)
        assert "border-bottom:2px" not in html  # nothing is marked
        assert len(before["facts"]) == n and not before["disagrees"]
        assert n >= 2 or not any(before["holders"])
        assert label.startswith(f"Case {case + 1} of {len(CASES)}. ") and ASKED[n] in label
        after = frame(State(case, said[:n] + opposite(sign)))
        assert after["station"] == n and not after["over"] and after["missed"] == [n]
        assert caption(after).startswith("The evidence disagrees. ") and after["disagrees"] in describe(after)
        mended = frame(State(case, said[:n] + opposite(sign) + said[n:]))
        assert mended["over"] and mended["missed"] == [n] and mended["place"] == frame(State(case, said))["place"]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_the_evidence_that_is_needed_is_on_the_page(case):
    """What decides a station can be read there: the line whole or not, the holder in the list or not."""
    one = walk(*CASES[case])
    shown, looked = gathered(one), looks(one)
    for piece, holders, reached in zip(shown["pieces"], looked["holders"], looked["reached"], strict=True):
        flat = " ".join(piece["excerpt"].split())
        assert (piece["quote"] in flat) == reached[0] and (piece["there"] or piece["names"])
        assert any(piece["quote"] in " ".join(chunk["text"].split()) for chunk in piece["chunks"]) == reached[1]
        assert {row["id"] for row in piece["rows"]} >= set(holders) & set(one.trip.candidates)
        assert any(row["id"] in holders for row in piece["rows"]) == reached[2]
        assert any(piece["quote"] in " ".join(row["text"].split()) and row["document"] == piece["document"]
                   for row in shown["desk"]) == reached[3]


def test_the_right_file_on_the_desk_with_another_chunk():
    one = walk(*CASES[0])
    first = gathered(one)["desk"][0]
    assert first["document"] == gathered(one)["pieces"][0]["document"] and first["score"] == max(
        row["score"] for row in gathered(one)["desk"])
    told = caption(frame(State(0, "yyyy")))
    assert "Number 1 is of the right document, and says something else: read it" in told and "place 17" in told


def test_what_is_said_where_a_line_was_lost():
    assert "“19 2 180 128.00”" in frame(State(2, "y"))["disagrees"]
    assert frame(State(1, "yy"))["disagrees"] == "No chunk holds it whole: of its 30 words #8 has 23, #9 has 7."
    never = next(n for n, (id, _) in enumerate(CASES) if id == "follow_up-027")
    assert "was never read in" in frame(State(never, "y"))["disagrees"] and "marked" not in caption(
        frame(State(never, "y")))
    two = next(n for n, (id, _) in enumerate(CASES) if id == "negation_or_date-027")
    drawn = frame(State(two, "yyn"))
    assert drawn["places"] == ["retrieval", "ranking"] and drawn["place"] == "retrieval"
    assert "line by line: retrieval, ranking" in words_of(picture(drawn, None, None))


# The state


def test_choices_are_walked_in_order():
    assert replay("", [True] * 4) == {"station": 0, "marks": [None] * 4, "missed": [], "marked": False, "over": False}
    assert replay("nyyyyny", [True, True, True, False])["missed"] == [0, 3]
    done = replay("yyyy", [True] * 4)
    assert done["over"] and done["station"] == 3 and done["marks"] == [True] * 4
    assert replay("nyy", [False] * 4)["marks"] == [False, None, None, None]  # nothing after the end
    assert State(17).case == 1 and State(said="yx?n").said == "yn" and State(opened=99).opened == READ


def test_the_buttons_walk_a_case():
    stage = failure_tree()
    yes, no, other, reset = (next(child for child in stage.row.children if child.description == word)
                             for word in ("Yes", "No", "Another case", "Reset"))
    reads = [child for child in stage.row.children if child.description.startswith("Read")]
    assert all(button.layout.display == "none" for button in reads) and "Station 1 of 4" in stage.label
    no.click()
    assert "The evidence disagrees" in stage.label
    for _ in range(3):
        yes.click()
    assert "Station 4 of 4" in stage.label and [button.layout.display for button in reads].count("") == 5
    reads[0].click()
    assert "Hesper Voss signed in person" in stage.label
    reads[0].click()
    assert "Hesper Voss signed in person" not in stage.label
    no.click()
    assert "Lost in ranking" in stage.label and all(button.layout.display == "none" for button in reads)
    yes.click()  # after the end nothing more is chosen
    assert "Lost in ranking" in stage.label
    other.click()
    assert stage.label.startswith("Case 2 of") and stage.frame["marks"] == [None] * 4
    reset.click()
    assert stage.label.startswith("Case 1 of") and "Station 1 of 4" in stage.label
    stage.close()
    stage = failure_tree(3)
    assert stage.label.startswith("Case 3 of")
    stage.close()
    assert named_like_its_file is failure_tree


def test_all_words_can_be_read():
    for case in (0, 5, 15):
        html = picture(frame(State(case, "yyy", 1)), None, None)
        assert min(map(int, re.findall(r"font-size:(\d+)px", html))) >= 12 and not re.search(r"\bnan\b", html)


# A learner's functions


@pytest.mark.parametrize("task", TASKS)
def test_every_mistake_is_drawn_or_replaced(task):
    walked = {case: truth(case) for case in (0, 15)}
    for name, wrong in mistakes(task).items():
        with swap.use(task, wrong):
            for case, said in walked.items():
                stage = failure_tree(case + 1)
                stage.fill({"said": said})
                assert "running on your" in stage.label and not re.search(r"\bnan\b", stage.drawing), name
                stage.close()


@pytest.mark.parametrize("task, wrong", [
    ("failure.holders", lambda quote, document, chunks: None), ("failure.reached", lambda *given: [True]),
    ("failure.first_loss", lambda reached: "the reader"), ("failure.earliest", lambda places: 3),
    ("failure.holds", lambda text, quote: 1 / 0)])
def test_what_can_not_be_drawn_gives_the_courses_own_and_a_sentence(task, wrong):
    right = frame(State(0, "y"))
    with swap.use(task, wrong):
        stage = failure_tree()
        stage.fill({"said": "y"})
        assert stage.frame == right and "course's own function instead" in stage.label
        stage.close()


def test_a_wrong_place_is_shown_beside_the_expected_one():
    with swap.use("failure.first_loss", lambda reached: "generation"):
        stage = failure_tree(2)
        stage.fill({"said": "yn"})
        assert "Lost in generation expected: chunking" in words_of(stage.drawing)
        stage.close()


# Finding a place in a text


def test_where_a_line_stands():
    text = "Ropes hang inside.\n\nTents are\naired on Monday. Stoves need gas."
    start, end = place_of(text, "Tents are aired on Monday.")
    assert text[start:end] == "Tents are\naired on Monday." and place_of("", "a") == (0, 0)
    start, end = place_of("Poles\n19 2 180 128.00\n20 8 6.00", "| R-19 | Floor | 180 | $128.00 |")
    assert "128.00" in "Poles\n19 2 180 128.00\n20 8 6.00"[start:end]
    assert part_of("Tents are aired.", "Ropes. Tents are") == "Tents are"
    assert part_of("Tents are aired.", "aired. Ropes.") == "aired." and part_of("Tents are aired.", "are") == "are"
    assert cut_where("Tents are aired.", [{"id": "a", "text": "x Tents are"}, {"id": "b", "text": "no"}]) == [("a", 2)]
    assert sentence_of("## Tents\n\nRopes hang. Tents are aired.", "Tents are aired.") == \
        "second sentence under the heading"
    assert sentence_of("| a |\n| b |", "| b |") == "second line" and ordinal(12) == "12th"


def test_what_is_left_out_is_said():
    long = "word " * 400
    assert window(long, "word").endswith(" ...") and around(long, 1000, 1010).startswith("... ")
    rows = "\n".join(f"| row {n} |" for n in range(60))  # a table is cut where the page is full, on both sides
    seen = around(rows, rows.index("| row 30"), rows.index("| row 31") - 1)
    assert "| row 30 |" in seen and tall(seen) <= LINES + 2 and seen.startswith("... ") and seen.endswith(" ...")
    assert around(rows, 0, 5).startswith("| row 0 |") and around(rows, len(rows) - 5, len(rows)).endswith("| row 59 |")
    assert edge("short", True) == "short" and edge(long, True).startswith("... ") and edge(long, False).endswith(" ...")
    assert neighbors("m", list("abcxyz")) == ["a", "b", "c", "x", "y", "z"]
