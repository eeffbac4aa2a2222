"""The last two pictures of lesson 18: a talk with what stands behind each answer, and a file that is edited."""

import importlib
import re
from html import unescape

import pytest
from picture_text import words_of

from firstprinciples import swap
from firstprinciples.corpus import Collection, Document, paragraphs
from firstprinciples.encode.stored import minilm
from firstprinciples.explore import conversation as show_conversation
from firstprinciples.explore import edited, edited_file
from firstprinciples.grading.mistakes import mistakes

# by its whole name: in the package, the function of the same name stands before the module
conversation = importlib.import_module("firstprinciples.explore.conversation")


@pytest.fixture
def without_files(monkeypatch):
    """Let the files of the encoder be away: a text that is not stored has no vector, and none is waited for."""
    monkeypatch.setattr(minilm(), "_load", lambda: None)
    monkeypatch.setattr(minilm(), "_model", None)


@pytest.fixture(scope="module")
def frames():
    return conversation.trace()


def sizes_of_text(html):
    return {int(size) for size in re.findall(r"font-size:(\d+)px", html)}


# The talk


def test_each_turn_has_four_steps_in_their_order(frames):
    assert [(frame["turn"], frame["part"]) for frame in frames] == [(turn, part) for turn in range(5)
                                                                    for part in range(4)]
    assert [frame["step"] for frame in frames] == [*range(20)] and frames[0]["steps"] == 20
    assert [turn["question"] for turn in frames[0]["turns"]] == list(conversation.QUESTIONS)


def test_the_talk_comes_with_the_course():
    texts = conversation.texts()
    assert len(texts) == len(set(texts)) == 7 and all("\n" not in text for text in texts)
    assert [text for text in texts if not minilm().has(text)] == []
    assert conversation.texts() == list(dict.fromkeys([*conversation.QUESTIONS, *(
        turn["slip"] for turn in conversation.trace()[0]["turns"])]))


def test_no_question_of_the_talk_is_held_out():
    texts = [*conversation.QUESTIONS, *(edit.question for edit in edited.EDITS.values())]
    assert not [query.id for query in Collection.load("larkspur").queries
                if query.split == "held_out" and query.text in texts]


def test_the_first_turn_finds_the_total_and_the_third_is_silent(frames):
    turns = frames[0]["turns"]
    assert "$1,284.50" in turns[0]["line"] and turns[0]["line"].endswith("[invoice-1042, page 2]")
    assert turns[2]["line"] == "Answer: I couldn't find that." and turns[2]["quotes"] == [] and turns[2]["best"]
    assert turns[2]["confidence"] < turns[2]["enough"] <= min(turns[at]["confidence"] for at in (0, 1, 3, 4))
    silent = conversation.picture(frames[11], None)
    assert "I couldn't find that." in unescape(silent) and "the surest line, which was not enough" in silent
    assert "So nothing is quoted." in conversation.caption(frames[11])


def test_the_last_turn_names_every_unpaid_invoice_with_its_page(frames):
    last = frames[-1]["turns"][-1]
    assert last["question"] == "which of them still owe us?" and last["several"] and len(last["sources"]) == 10
    for invoice, customer in (("1044", "Fernhollow Scouts"), ("1046", "Mount Tace Climbing School"),
                              ("1063", "Saltgrass Expeditions"), ("1069", "Tollgate Sporting")):
        assert any(quote["text"].startswith(f"{invoice} | {customer}") and
                   quote["receipt"] == "statement-receivables-2024-08, page 1" for quote in last["quotes"]), invoice
    assert "1042" not in " ".join(quote["text"] for quote in last["quotes"])


def test_quotes_stand_in_the_documents_word_by_word(frames):
    documents = {document.id: " ".join(document.text.split()) for document in Collection.load("larkspur").documents}
    for turn in frames[0]["turns"]:
        for quote in turn["quotes"]:
            assert quote["text"] in documents[quote["document"]]


def test_what_is_taken_from_the_talk_is_marked_on_the_slip_and_where_it_was_said(frames):
    drawn = conversation.picture(frames[4], None)  # the second turn, its slip
    assert frames[4]["turns"][1]["slip"] == "and when was it paid? 1042 total due invoice"
    assert drawn.count("border-bottom:2px solid") == 8  # four words, on the slip and in the first question
    assert "4 words of theirs are added" in conversation.caption(frames[4])
    assert "border-bottom:2px solid" not in conversation.picture(frames[0], None)


def test_the_answer_of_a_turn_is_shown_with_its_last_step_only(frames):
    assert "$1,284.50" not in conversation.picture(frames[0], None)
    assert "$1,284.50" in conversation.picture(frames[3], None)
    said = words_of(conversation.picture(frames[4], None)).replace(" ,", ",")
    assert "[invoice-1042, page 2]" in said  # and in the talk from then on


@pytest.mark.parametrize("step", range(20))
def test_every_step_can_be_drawn_and_said(frames, step):
    frame = frames[step]
    drawn = conversation.picture(frame, None)
    assert min(sizes_of_text(drawn) | {12}) >= 12 and "nan" not in drawn and "None" not in words_of(drawn)
    assert conversation.describe(frame).startswith(f"Turn {step // 4 + 1} of 5, step {step % 4 + 1} of 4: the ")
    assert conversation.caption(frame).endswith((".", "Next."))


def test_a_long_name_is_cut_and_its_page_is_not(frames):
    tail = 'flex:none;white-space:pre">, page '
    assert f'[statement-receivables-2024-08</span><span style="{tail}1] and 6 more</span>' in \
        conversation.picture(frames[19], None)
    assert conversation.picture(frames[1], None).count(tail) == 10  # five of each search


def test_a_question_of_ones_own_is_asked_as_one_turn_more(without_files):
    stage = show_conversation()
    assert stage.frame["step"] == 0 and stage.label.startswith("Turn 1 of 5, step 1 of 4: the slip.")
    stage.controls["question"].value = "  who signed the <b>lease</b> for Quarry Street? "
    assert stage.frame["turn"] == 5 and stage.frame["part"] == 3 and len(stage.frame["turns"]) == 6
    assert "<b>lease" not in stage.drawing and "1 turn before" in stage.drawing
    stage.controls["step"].value = 21
    assert "the vector of this slip is not stored" in stage.drawing
    assert "only words are searched for" in stage.words.value
    stage.controls["question"].value = " ?! "
    assert len(stage.frame["turns"]) == 5
    stage.reset()
    assert stage.frame["step"] == 0
    stage.close()


# a few of them: all would take a minute
@pytest.mark.parametrize("name", ["rewrite.condensed", "context.fit", "answer.support"])
def test_a_wrong_function_is_drawn_or_replaced(name, without_files):
    stage = show_conversation()
    wrong = next(iter(mistakes(name).values()))
    for function in (wrong, lambda *args, **kwargs: None):
        with swap.use(name, function):
            stage.controls["step"].value = 19
            assert "nan" not in stage.drawing and "running on your" in stage.label, name
    stage.close()


def test_what_differs_from_the_course_is_shown_beside_it():
    stage = show_conversation()
    stage.controls["step"].value = 3
    with swap.use("answer.best_quotes", lambda scores, threshold, most: []):
        assert "expected: The total due on this invoice is $1,284.50" in words_of(stage.drawing)
        assert "I couldn't find that." in unescape(stage.drawing)
    stage.close()


# The file


@pytest.mark.parametrize("name, was, now", [
    ("a limit is raised", "$145 a night", "$165 a night"),
    ("a payment comes in", "no money has come in on this invoice", "all of the money has come in on invoice 1044"),
    ("a rule is added", "I couldn't find that", "Dogs may come to work on Fridays"),
    ("a line is struck", "Parking and tolls are paid", "I couldn't find that")])
def test_the_answer_changes_with_the_file(name, was, now):
    frames = edited.trace(name, edited.proposed(name), "")
    last = frames[-1]
    assert was in last["was"]["line"] and now in last["now"]["line"] and now not in last["was"]["line"]
    assert last["new"] == 1 and last["gone"] == (name != "a rule is added")
    assert last["kept"] + last["gone"] == 704 and last["total"] == last["kept"] + last["new"]
    assert [frame["step"] for frame in frames] == [0, 1, 2, 3, 4]
    for frame in frames:
        drawn = edited.picture(frame, None)
        assert min(sizes_of_text(drawn) | {12}) >= 12 and "None" not in words_of(drawn)
        assert edited.describe(frame).startswith(f"Step {frame['step'] + 1} of 5, {edited.STEPS[frame['step']]}: ")
    assert "another answer" in edited.caption(last)
    assert f"{last['new']} of {last['total']} chunks made anew" in edited.describe(frames[3])
    assert "0 weights changed" in words_of(edited.picture(frames[3], None))
    chunks = len(paragraphs(edited.place_of(name)[0]))
    assert f"its {chunks} chunks, in their order" in words_of(edited.picture(frames[1], None))
    taken = f"its {chunks + 1 - last['gone']} chunks, in their order" + ", and 1 taken out" * last["gone"]
    assert taken in words_of(edited.picture(frames[2], None))  # what was taken out is no chunk of the file any more


def test_the_receipts_name_the_edited_file_and_its_page():
    for name, edit in edited.EDITS.items():
        last = edited.trace(name, edited.proposed(name), "")[-1]
        for quote in last["now"]["quotes"]:
            assert quote["receipt"] == f"{edit.document}, page {edited.place_of(name)[1].page}"


def test_pages_behind_an_edit_move_along():
    document, chunk = edited.place_of("a rule is added")
    longer = edited.filed(document, chunk.start, chunk.end, edited.proposed("a rule is added"))
    before = {each.text: each.page for each in paragraphs(document)}
    after = {each.text: each.page for each in paragraphs(longer)}
    assert {text: after[text] for text in before if text in after} == {text: before[text] for text in before
                                                                      if text in after}
    rule = "Dogs may come to work on Fridays, if nobody in the room minds."
    assert len(after) == len(before) + 1 and after[rule] == 1
    short = edited.filed(Document("d", "D", "One. Two. Three.", {}, ((0, 1), (5, 2), (10, 3))), 0, 5, "")
    assert (short.text, short.pages) == ("Two. Three.", ((0, 1), (0, 2), (5, 3)))


def test_compared():
    assert edited.compared([], ["a"]) == [("new", "a")]
    assert edited.compared(["a", "b", "b"], ["b", "b"]) == [("gone", "a"), ("kept", "b"), ("kept", "b")]
    assert edited.compared(["a", "b"], ["a", "b"]) == [("kept", "a"), ("kept", "b")]


@pytest.mark.parametrize("text", ["", "   ", "# Only a heading", "<b>bold</b> & co", "| a | b |\n|---|---|\n| 1 | 2 |",
                                  "One.\n\nTwo.\n\nThree.", "x" * 3000])
def test_whatever_is_typed_is_filed(text):
    frames = edited.trace("a limit is raised", text, "  ")
    assert frames[0]["question"] == edited.EDITS["a limit is raised"].question
    for frame in frames:
        drawn = edited.picture(frame, None)
        assert "<b>bold" not in drawn and edited.describe(frame) and edited.caption(frame)


def test_nothing_changed():
    chunk = edited.place_of("a limit is raised")[1]
    frames = edited.trace("a limit is raised", chunk.text, "What is paid for a hotel a night?")
    assert (frames[0]["new"], frames[0]["gone"], frames[0]["kept"]) == (0, 0, 704)
    assert "Nothing was changed" in edited.caption(frames[1]) and "The same answer" in edited.caption(frames[4])


def test_the_explorer_steps_and_changes_the_edit():
    stage = edited_file()
    assert stage.label.startswith("Step 1 of 5, the file as it is: travel-expenses-policy.")
    stage.controls["step"].value = 4
    assert "$165" in stage.drawing and "before the edit" in stage.drawing
    stage.controls["name"].value = "a rule is added"
    assert stage.frame["step"] == 0 and stage.frame["document"] == "shift-and-holiday-policy"
    assert stage.controls["question"].value == "can i bring my dog to work on fridays"
    assert stage.controls["text"].value.endswith("if nobody in the room minds.")
    stage.controls["text"].value = stage.controls["text"].value.replace("Fridays", "Mondays")
    stage.controls["step"].value = 4
    assert "Dogs may come to work on Mondays" in stage.drawing
    stage.reset()
    assert stage.frame["edit"] == "a limit is raised" and stage.frame["after"] == edited.proposed("a limit is raised")
    stage.close()


def test_an_edit_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="There is no edit 'nothing'; there are a limit is raised, "):
        edited_file("nothing")


@pytest.mark.parametrize("name, function", [
    ("answer.best_quotes", lambda scores, threshold, most: []), ("answer.receipt", lambda document, page: None)])
def test_a_wrong_function_changes_what_is_answered_and_no_more(name, function):
    stage = edited_file()
    with swap.use(name, function):
        stage.controls["step"].value = 4
        assert "nan" not in stage.drawing and "running on your" in stage.label
    stage.close()
