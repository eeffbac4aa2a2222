"""The reader's own questions and the figure of shared words in lesson 02: checks, scores, the file, by hand."""

import json
import math

import pytest

from firstprinciples import swap
from firstprinciples.corpus import Chunk, Collection, Document, Query, find_evidence, paragraphs
from firstprinciples.explore import overlap, own_questions, word_overlap
from firstprinciples.explore.overlap import shared_words
from firstprinciples.explore.own_questions import (
    EXAMPLE,
    ROWS,
    State,
    as_query,
    below,
    caption,
    check,
    describe,
    document_id,
    frame,
    listed,
    picture,
    read,
    save,
)
from firstprinciples.retrieve import Hit
from firstprinciples.retrieve.bm25 import BM25

TEXTS = {"tents": "Red tents are washed by hand.\n\nGreen tents are not washed.",
         "stoves": "A stove burns gas. Burns gas.", "ropes": "Ropes are <b>dry</b>."}
GOOD = ("How do I wash red tents?", "tents", "Red tents are washed by hand.")


@pytest.fixture
def shop():
    """Three small pages and two judged questions."""
    documents = [Document(id, id.title(), text) for id, text in TEXTS.items()]
    chunks = [chunk for document in documents for chunk in paragraphs(document)]
    queries = [Query("q1", "what burns gas?", "direct", "dev",
                     evidence=({"document": "stoves", "quote": "A stove burns gas.", "grade": 3},)),
               Query("q2", "is it washable?", "paraphrase", "dev",
                     evidence=({"document": "tents", "quote": "Red tents are washed by hand.", "grade": 3},)),
               Query("q3", "who owns the shop?", "unanswerable", "dev")]
    return Collection("shop", documents, chunks, queries, {}, {q.id: find_evidence(q, chunks) for q in queries})


@pytest.mark.parametrize("row, ready, said", [
    (("", "", ""), False, "empty"),
    (GOOD, True, "that quote stands in this document"),
    (("q", "tents", "Red  tents are\nwashed by hand."), True, "that quote stands in this document"),
    (("", *GOOD[1:]), False, "that quote stands in this document; write a question"),
    (("q", "tents", "Blue tents"), False, "not found: copy it from the page"),
    (("q", "ropes", "Red tents are"), False, "not found here, but in “Tents”"),
    (("q", "stoves", "urns gas"), False, "stands twice: add a few words"),
    (("q", "tents", "s"), False, "stands there often: add a few words"),
    (("q", "tents", "by hand. Green tents"), True, "there, but no chunk holds all of it"),
    (("q", "", "Red tents"), False, "choose the document"),
    (("q", "Tent", "Red tents"), False, "no document has that title or id"),
    (("", "Tent", ""), False, "no document has that title or id"),
    (("q", "tents", ""), False, "paste the sentence that answers it"),
])
def test_a_quote_is_checked_at_once(shop, row, ready, said):
    assert check(row, shop) == (ready, said)


def test_rows_are_stripped_and_there_are_always_five():
    assert State((("  q ", "d", None),)).rows == (("q", "d", ""), *[("", "", "")] * 4)
    assert len(State([GOOD] * 9).rows) == ROWS


def test_the_numbers_by_hand(shop):
    class Fixed:
        def search(self, query, k=10):
            return [Hit(id, 1.0) for id in ("stoves#1", "ropes#1", "tents#1")]

    lost = ("And the green ones?", "tents", "by hand. Green tents")
    f = frame(State((GOOD, lost)), shop, {GOOD, lost}, Fixed(), usual=0.25)
    first, second = (row["scores"] for row in f["rows"][:2])
    # the content words: how, do, i, wash, red, tent; the quote has wash, red, tent
    assert (first["place"], first["recall"], first["shared"], first["of"]) == (3, 1.0, 3, 6)
    assert first["ndcg"] == pytest.approx(1 / math.log2(4))
    assert (second["place"], second["recall"], second["ndcg"]) == (0, 0.0, 0.0)  # no chunk holds it: never
    assert f["means"] == pytest.approx({"recall": 0.5, "ndcg": 0.25, "overlap": (3 / 6 + 1 / 2) / 2})
    assert caption(f) == ("BM25 has the answer to 1 of 2 within ten places. On average 50 % of a question's content "
                          "words stand in its quote; in the questions of the course it is 25 %.")
    assert describe(f).startswith("Your questions, 2 of 5 complete. 1: that quote stands in this document, place 3, "
                                  "recall@10 1.00, nDCG@10 0.50, 3 of 6 words in the quote; 2: there, but no")
    drawn = picture(f, None, None)
    assert "never" in drawn and "mean of 2" in drawn and "3 of 6" in drawn and "50 %" in drawn


def test_what_is_not_known_yet_is_a_question_mark(shop):
    f = frame(State((GOOD, ("q", "", ""))), shop)
    assert f["scored"] == 0 and picture(f, None, None).count(">?<") == 4 + 3  # of the complete row, of the means
    assert caption(f) == ("Press “Score them” to see at which place BM25 has the chunk with your quote. The row "
                          "marked ✗ is left out until nothing is missing.")
    assert caption(frame(State((GOOD,)), shop)).endswith("the chunk with your quote.")  # empty rows lack nothing
    assert "The 2 rows marked ✗ are left out" in caption(frame(State((GOOD, ("q", "", ""), ("", "", "s"))), shop))
    assert caption(frame(State(()), shop)).startswith("Write a question, choose the document")
    assert describe(frame(State(()), shop)).endswith("0 of 5 complete. All rows are empty.")


def press(stage, word):
    """Click the button that says `word`, wherever it stands."""
    def found(widget):
        yield widget
        for child in getattr(widget, "children", ()):
            yield from found(child)
    next(each for each in found(stage.view) if getattr(each, "description", "") == word).click()


def message(stage):
    return stage.view.children[6].children[3].value


def test_score_them_once_and_an_edited_row_is_unknown_again(shop, tmp_path):
    made = []

    def factory(chunks):
        made.append(len(chunks))
        return BM25(chunks)

    own = own_questions(factory, shop, tmp_path / "mine.jsonl")
    own.fill({"text 1": GOOD[0], "document 1": GOOD[1], "quote 1": GOOD[2]})
    assert made == [] and own.frame["scored"] == 0
    press(own, "Score them")
    press(own, "Score them")
    assert made == [4] and own.frame["rows"][0]["scores"]["place"] == 1
    assert own.frame["usual"] == pytest.approx((2 / 3 + 0 / 1) / 2)  # of "what burns gas" and of "washable"
    own.controls["text 1"].value = "another question"
    assert own.frame["scored"] == 0
    own.controls["text 1"].value = GOOD[0]
    assert own.frame["scored"] == 1


def test_saved_questions_are_lines_of_questions_jsonl_and_come_back(shop, tmp_path):
    path = tmp_path / "work" / "mine.jsonl"
    said = save((GOOD, ("half", "", "")), shop, path)
    assert said.startswith("1 saved in ") and "1 that are not complete are not in it." in said
    line = json.loads(path.read_text(encoding="utf-8"))
    assert line == {"id": "mine-001", "text": GOOD[0], "kind": "mine", "split": "dev", "history": [], "answers": [],
                    "evidence": [{"document": "tents", "quote": GOOD[2], "grade": 3}], "filter": None}
    rows, said = read(shop, path)
    assert rows == (GOOD,) and said.startswith("1 read from ")


def test_nothing_is_overwritten_silently(shop, tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text("my notes\n", encoding="utf-8")
    assert "What stood there is kept as " in save((GOOD,), shop, path)
    kept = list((tmp_path / "kept").iterdir())
    assert [each.read_text(encoding="utf-8") for each in kept] == ["my notes\n"]
    assert "kept as" not in save((GOOD,), shop, path) and len(list((tmp_path / "kept").iterdir())) == 1
    before = path.read_bytes()
    assert save((("half", "", ""),), shop, path) == "Nothing is saved: no row is complete yet."
    assert path.read_bytes() == before


@pytest.mark.parametrize("content, said", [
    (b'{"id": "a", "text": "q"', "mine.jsonl, line 1: this is not JSON"),
    (b'\xff\xfe', "mine.jsonl, line 1: this is not UTF-8 text"),
    (b'{"id": "a"}', "mine.jsonl, line 1: 'text' is missing"),
    (b'{"id": "a", "text": "q", "evidence": [{"document": "nowhere", "quote": "x", "grade": 3}]}',
     "mine.jsonl, line 1: there is no document 'nowhere'"),
])
def test_a_file_that_cannot_be_read_is_one_sentence(shop, tmp_path, content, said):
    path = tmp_path / "mine.jsonl"
    path.write_bytes(content)
    own = own_questions(BM25, shop, path)
    own.controls["text 1"].value = "typed"
    press(own, "Read")
    assert said.replace("'", "&#x27;") in message(own) and "Nothing was changed." in message(own)
    assert own.controls["text 1"].value == "typed"


def test_the_buttons_save_and_read(shop, tmp_path):
    path = tmp_path / "mine.jsonl"
    own = own_questions(BM25, shop, path)
    press(own, "Read")
    assert "yet: Save makes it." in message(own)
    own.fill({"text 2": GOOD[0], "document 2": GOOD[1], "quote 2": GOOD[2]})
    press(own, "Save")
    assert "1 saved in" in message(own) and path.is_file()
    own.fill({"text 2": "", "document 2": "", "quote 2": ""})
    press(own, "Read")
    assert (own.controls["text 1"].value, own.controls["document 1"].value) == (GOOD[0], "Tents")
    assert own.frame["ready"] == 1
    path.write_text("\n".join(json.dumps({"id": str(i), "text": f"q{i}"}) for i in range(7)), encoding="utf-8")
    press(own, "Read")
    assert "Nothing was read: 1 of your rows is not in the file, and only 0 would fit below it." in message(own)
    assert own.controls["text 1"].value == GOOD[0]
    own.fill({"text 1": "", "document 1": "", "quote 1": ""})
    press(own, "Read")
    assert "5 read from" in message(own) and "Only the first 5 fit here." in message(own)
    assert own.controls["text 5"].value == "q4"


def test_what_is_not_in_the_file_stays_below_what_is_read(shop, tmp_path):
    own = own_questions(BM25, shop, tmp_path / "mine.jsonl")
    own.fill({"text 1": "half a row", "text 2": GOOD[0], "document 2": GOOD[1], "quote 2": GOOD[2], "quote 4": "s"})
    press(own, "Save")
    assert "1 saved in" in message(own) and "2 that are not complete are not in it." in message(own)
    press(own, "Read")
    assert "1 read from" in message(own) and "Below: 2 rows that are not in the file." in message(own)
    assert [own.controls[f"text {number}"].value for number in range(1, 6)] == [GOOD[0], "half a row", "", "", ""]
    assert own.controls["quote 3"].value == "s" and own.controls["document 1"].value == "Tents"
    assert below((GOOD,), (GOOD, EXAMPLE)) == ((GOOD,), "")  # the example is no loss
    assert below((GOOD,) * 4, (("a", "", ""), ("b", "", "")))[0] == ()


def test_what_a_row_lacks_has_the_room_of_the_numbers(shop):
    drawn = picture(frame(State((GOOD, ("q", "ropes", "Red tents are"))), shop), None, None)
    assert drawn.count("fp-line fp-whole") == 4  # the second row and the three empty ones
    assert drawn.count('<div class="fp-line" style') == 3 + 4 + 4 * 2


def test_a_document_is_named_by_its_title_or_its_id(shop, tmp_path):
    own = own_questions(BM25, shop, tmp_path / "mine.jsonl")
    assert own.controls["document 1"].options == ("Ropes", "Stoves", "Tents")
    own.fill({"text 1": GOOD[0], "quote 1": GOOD[2]})
    assert "1: choose the document" in own.label
    for typed, ready in (("T", 0), ("Tent", 0), ("Tents", 1), (" tents ", 1), ("TENTS", 1), ("stoves", 0)):
        own.controls["document 1"].value = typed
        assert own.frame["ready"] == ready and ("no document has that" in own.label) == (typed in ("T", "Tent"))
    own.controls["document 1"].value = "tents"
    press(own, "Save")
    assert json.loads((tmp_path / "mine.jsonl").read_text(encoding="utf-8"))["evidence"][0]["document"] == "tents"


def test_documents_of_one_title_have_their_id_behind_it(shop):
    shop.documents += [Document("a/1", "Camp", "New."), Document("b/1", "CAMP", "Old.")]
    names = listed(shop)
    assert names == {"CAMP (b/1)": "b/1", "Camp (a/1)": "a/1", "Ropes": "ropes", "Stoves": "stoves", "Tents": "tents"}
    assert [document_id(typed, names) for typed in ("camp (a/1)", "b/1", "Camp")] == ["a/1", "b/1", "Camp"]


def test_a_folder_that_cannot_be_written_is_a_sentence(shop, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert "could not be written" in save((GOOD,), shop, tmp_path / "file" / "mine.jsonl")


def test_typed_words_show_as_text(shop):
    f = frame(State((("<img src=x>", "ropes", "<b>dry</b>"),)), shop)
    drawn = picture(f, None, None)
    assert f["ready"] == 1 and "<img" not in drawn and "&lt;img src=x&gt;" in drawn


def test_a_wrong_function_is_named_and_an_exception_falls_back(shop, tmp_path):
    own = own_questions(BM25, shop, tmp_path / "mine.jsonl")
    own.fill({"text 1": GOOD[0], "document 1": GOOD[1], "quote 1": GOOD[2]})
    press(own, "Score them")
    with swap.use("metrics.recall_at_k", lambda ranked, grades, k: 0.1):
        assert "recall@10 0.10" in own.label and "yours 0.1, expected 1 for recall_at_k(" in own.label
        assert "expected 1.00" in own.drawing
    with swap.use("metrics.ndcg_at_k", lambda *_, **__: 1 / 0):
        assert "ZeroDivisionError" in own.label and "nDCG@10 1.00" in own.label


def test_larkspur_begins_with_an_example_that_holds():
    larkspur = Collection.load("larkspur")
    assert check(EXAMPLE, larkspur) == (True, "that quote stands in this document")
    own = own_questions(collection=larkspur)
    press(own, "Score them")
    bundle = own._repr_mimebundle_()
    assert "1 of 5 complete. 1: that quote stands in this document, place " in bundle["text/plain"]
    assert 'role="img"' in bundle["text/html"] and "mean of 1" in bundle["text/html"]
    assert own.view.children[1].children[0].value == EXAMPLE[0]


def test_another_collection_begins_empty(shop, tmp_path):
    assert own_questions(BM25, shop, tmp_path / "mine.jsonl").frame["ready"] == 0


# ---- shared words

def test_words_are_compared_by_stems_without_stop_words():
    assert shared_words("Is the tents' fabric washable?", ["Wash the fabric of a tent by hand."]) == (2, 3)
    assert shared_words("the of and?", ["anything"]) == (0, 0)
    query = Query("q", "red tents, red ropes", evidence=({"document": "d", "quote": "Red tent.", "grade": 2},
                                                         {"document": "d", "quote": "A rope.", "grade": 2}))
    assert word_overlap(query) == 1.0 and word_overlap(Query("q", "red tents")) == 0.0
    assert as_query(GOOD, "mine-001").evidence[0]["grade"] == 3


def test_the_figure_by_hand(shop):
    class Gas:
        def search(self, query, k=10):
            return [Hit("stoves#1", 1.0)]

    figure = overlap(shop, Gas())
    assert figure.frame["kinds"] == [
        {"kind": "direct", "n": 1, "overlap": pytest.approx(2 / 3), "recall": 1.0},
        {"kind": "paraphrase", "n": 1, "overlap": 0.0, "recall": 0.0}]
    assert figure.frame["found"] == {"n": 1, "overlap": pytest.approx(2 / 3)}
    assert figure.frame["lost"] == {"n": 1, "overlap": 0.0}
    assert "direct 67 % and 1.00; paraphrase 0 % and 0.00." in figure.label
    assert "66.667%" in figure.drawing and "1 question<" in figure.drawing and "Reset" not in str(figure.view.children)


def test_the_figure_of_larkspur_is_a_still_with_a_sentence():
    figure = overlap()
    assert all(0 <= row[name] <= 1 for row in figure.frame["kinds"] for name in ("overlap", "recall"))
    kinds = {row["kind"]: row for row in figure.frame["kinds"]}
    assert kinds["paraphrase"]["overlap"] == 0 and "unanswerable" not in kinds
    assert figure.frame["found"]["overlap"] > figure.frame["lost"]["overlap"]
    bundle = figure._repr_mimebundle_()
    assert bundle["text/plain"].startswith("Share of a question's words") and "<svg" in bundle["text/html"]


def test_chunks_of_another_cut_are_taken_as_they_are(shop):
    shop.chunks = [Chunk(f"{d.id}#1", d.text, d.id, 0, len(d.text)) for d in shop.documents]
    assert check(("q", "tents", "by hand. Green tents"), shop) == (True, "that quote stands in this document")
