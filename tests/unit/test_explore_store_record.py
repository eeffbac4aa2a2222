"""The picture of lesson 13 that shows what a store keeps of a page, and a condition held against its labels."""


import pytest
from picture_text import words_of

from firstprinciples import swap
from firstprinciples.explore import store_record
from firstprinciples.explore.store_record import CASES, LETTERS, PAGES, State, asked, caption, chunks, describe, frame
from firstprinciples.explore.store_record import picture as draw_it
from firstprinciples.grading.mistakes import mistakes
from firstprinciples.index.filters import matches

made = []


@pytest.fixture(autouse=True)
def put_back():
    """Close what a test has shown, which would draw again at each change, and put every function back."""
    yield
    while made:
        made.pop().close()
    for name in swap.in_use():
        swap.use(name)


def shown():
    """Return the explorer, which is closed after the test."""
    made.append(store_record())
    return made[-1]


def test_the_first_record():
    drawn = frame(State())
    assert drawn["where"] == {"type": "invoice", "date": {"from": "2024-03", "to": "2024-03"}}
    assert drawn["fields"] == {"type": True, "date": True} and drawn["fits"] and drawn["dim"] == 384
    assert (drawn["holding"], drawn["of"]) == (36, 704)
    assert "type is invoice: holds; date lies in 2024-03 to 2024-03: holds. So the record matches; 36 of 704" \
        in describe(drawn)
    assert caption(drawn).startswith("Every field holds, so the record matches. 36 of 704 records match, 5.1%.")


def test_every_page_is_there_and_every_case_counts_what_matches():
    assert set(PAGES) <= set(chunks())
    for typed in CASES.values():
        for page in PAGES:
            drawn = frame(State(page, *typed))
            held = [matches(chunk.metadata, drawn["where"]) for chunk in chunks().values()]
            assert drawn["holding"] == sum(held) > 0 and not drawn["trouble"]
            assert drawn["fits"] == all(drawn["fields"].values()) == matches(chunks()[page].metadata, drawn["where"])
            assert "nan" not in draw_it(drawn, None, None)


def test_a_filing_about_the_first_quarter_is_dated_in_the_second():
    drawn = frame(State("filing-cedarline-freight-q1-2024#2", "filing", "Cedarline Freight", "2024-01", "2024-03"))
    assert drawn["fields"] == {"type": True, "client": True, "date": False} and not drawn["fits"]
    assert caption(drawn).startswith("All fields must hold, and date does not. 0 of 704 records match")
    text = words_of(draw_it(drawn, None, None))
    assert "It does not match" in text and text.count("✓ holds") == 2 and text.count("✗ does not") == 1


def test_what_is_typed_becomes_a_condition():
    assert State(PAGES[0], " invoice ,bill,", "", "", "2024").where == {"type": ["invoice", "bill"],
                                                                      "date": {"to": "2024"}}
    assert State(PAGES[0], "", "", "", "").where == {}
    nothing = frame(State(PAGES[0], "", "", "", ""))
    assert nothing["fits"] and nothing["holding"] == 704 and "No condition" in describe(nothing)
    assert "An empty condition asks for nothing" in caption(nothing)
    assert asked({"from": "2024-03"}) == "lies in 2024-03 to any time"
    assert len(State(PAGES[0], "x" * 500).type) == LETTERS


@pytest.mark.parametrize("start, end", [("soon", ""), ("2024-05", "2024-03"), ("2024-13", "")])
def test_what_is_no_range_is_said_in_a_sentence(start, end):
    drawn = frame(State(PAGES[0], "invoice", "", start, end))
    assert drawn["trouble"] and caption(drawn) == drawn["trouble"] and "can't be read" in describe(drawn)
    assert "It can't be asked" in words_of(draw_it(drawn, None, None))


def test_a_page_that_is_not_there():
    with pytest.raises(ValueError, match="Larkspur has no page 'x#1'"):
        store_record("x#1")


def test_buttons_turn_the_page_and_fill_in_the_condition():
    stage = shown()
    buttons = {button.description: button for row in stage.view.children for button in getattr(row, "children", ())
               if getattr(button, "description", "") in {"Another page", *CASES}}
    assert len(buttons) == 1 + len(CASES)
    for page in (*PAGES[1:], PAGES[0]):
        buttons["Another page"].click()
        assert stage.frame["page"] == page and stage.frame["where"]["type"] == "invoice"  # the condition stays
    buttons["from 2025 on"].click()
    assert stage.frame["where"] == {"date": {"from": "2025"}} and not stage.frame["fits"]
    stage.reset()
    assert stage.frame["fits"]


def test_labels_are_escaped():
    drawn = frame(State(PAGES[0], "<b>", "a&b"))
    html = draw_it(drawn, None, None)
    assert "is &lt;b&gt;" in html and "is a&amp;b" in html


@pytest.mark.parametrize("task", ["matches", "within"])
def test_every_mistake_is_drawn_or_replaced(task):
    stage = shown()
    for name, wrong in mistakes(f"filters.{task}").items():
        swap.use(f"filters.{task}", wrong)
        assert f"running on your {task}" in stage.words.value, name
        assert "nan" not in stage.drawing


def test_the_learners_function_drives_the_picture():
    stage = shown()
    swap.use("filters.matches", lambda metadata, where: any(metadata.get(f) == c for f, c in where.items()))
    assert "running on your matches: yours False, expected True" in stage.label
    assert "expected ✓" in words_of(stage.drawing) and stage.frame["holding"] == 76
    swap.use("filters.matches", lambda metadata, where: "yes")
    assert "neither True nor False" in stage.label and stage.frame["holding"] == 36
