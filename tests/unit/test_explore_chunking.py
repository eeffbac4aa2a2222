"""The pictures of lesson 09: a document under the scissors, a page filed twice, and the curve over the size."""

import re
import struct

import numpy as np
import pytest
from picture_text import words_of

from firstprinciples import swap
from firstprinciples.corpus import Collection, paragraphs
from firstprinciples.explore import cut_it, filed_twice, size_curve
from firstprinciples.explore.chunking import (
    CASES,
    WAYS,
    State,
    caption,
    case,
    cuts,
    describe,
    frame,
    larkspur,
    picture,
)
from firstprinciples.explore.filed_twice import DRAWERS, PAGE, QUESTIONS, apart, filed, heading, place, trace
from firstprinciples.explore.filed_twice import caption as said_of_filing
from firstprinciples.explore.filed_twice import describe as describe_filing
from firstprinciples.explore.filed_twice import picture as draw_filing
from firstprinciples.explore.sizes import LOOK, OVERLAPS, SIZES, WHOLE, figures
from firstprinciples.explore.sizes import State as Sized
from firstprinciples.explore.sizes import best as best_size
from firstprinciples.explore.sizes import caption as said_of_size
from firstprinciples.explore.sizes import describe as describe_size
from firstprinciples.explore.sizes import frame as size_of
from firstprinciples.ingest import chunking
from firstprinciples.ingest.chunkers import by_sections, by_sentences
from firstprinciples.text import tokenize


def smallest(html: str) -> int:
    """Return the smallest type in a picture, in pixels."""
    return min(map(int, re.findall(r"font(?:-size)?:\s?(\d+)px", html)))


# Where the cuts fall


@pytest.mark.parametrize("number", range(len(CASES)))
@pytest.mark.parametrize("way", WAYS)
def test_a_chunk_in_the_picture_is_one_of_the_document(number, way):
    text = case(number)["document"].text
    words = text.split()
    for size, overlap in ((10, 5), (50, 0), (60, 20), (200, 60)):
        drawn = frame(State(number, way, size, overlap))
        assert drawn["chunks"][0][0] == 0 and drawn["chunks"][-1][1] == len(words) == drawn["words"]
        covered = set()
        for start, end in drawn["chunks"]:
            covered |= set(range(start, end))
        assert covered == set(range(len(words)))
        first, last = drawn["quote"]
        assert " ".join(words[first:last]) == " ".join(case(number)["quote"].split())
        assert drawn["whole"] == any(a <= first and last <= b for a, b in drawn["chunks"]) == bool(drawn["holders"])
        if way == "words":
            assert all(end - start <= size for start, end in drawn["chunks"])
            pairs = zip(drawn["chunks"], drawn["chunks"][1:], strict=False)
            assert all(one[1] - other[0] == drawn["overlap"] for one, other in pairs)
        html = picture(drawn, frame(State(number)), None)
        assert "nan" not in html and smallest(html) >= 12 and describe(drawn) and caption(drawn, None)


def test_only_dev_questions_are_asked():
    split = {query.text: query.split for query in larkspur().queries}
    assert {split[asked] for _, asked, _ in CASES} == {split[asked] for asked in QUESTIONS} == {"dev"}


def test_what_the_words_say():
    cut, whole = frame(State()), frame(State(overlap=5))
    assert not cut["whole"] and "12 of its 18 words in chunk 6, 6 in chunk 7" in describe(cut)
    assert "no search can hand it on" in caption(cut, None)
    said = caption(whole, cut)
    assert "whole in chunk 7" in said and "the quote was cut" in said and "files 10% more words" in said
    text = words_of(picture(whole, cut, None))
    assert "whole was cut" in text and "445 was 405" in text and "pale: before" in text
    assert "sections" in describe(frame(State(way="sections"))) and frame(State(way="sections"))["overlap"] == 0


def test_a_chunk_is_the_chunkers():
    for number in range(len(CASES)):
        document = case(number)["document"]
        for way, chunker in (("sections", by_sections), ("sentences", by_sentences(60)), ("paragraphs", paragraphs)):
            assert cuts(State(number, way, 60), document) == [(c.start, c.end) for c in chunker(document)]


def test_a_dial_that_does_nothing_is_named():
    def note(**values):
        return words_of(picture(frame(State(**values)), None, None))

    assert "overlap 25, half of the size, the most there is" in note(overlap=60)
    assert "the most there is" not in note(overlap=20) and "the most there is" not in note(size=200, overlap=60)
    assert "(overlap does nothing here)" in note(way="sentences")
    assert all("(the dials do nothing here)" in note(way=way) for way in ("paragraphs", "sections"))


def test_a_quote_in_many_chunks_is_told_in_few_words():
    assert "in chunks 2 and 3." in describe(frame(State(size=200, overlap=60)))
    assert "in chunks 2 and 3. Whoever is handed the first of them" in caption(frame(State(size=200, overlap=60)), None)
    many = frame(State(2, size=10, overlap=5))
    assert len(many["parts"]) > 3 and "in chunks 19 to 30, and none has more than 10 of its 50 words" in describe(many)
    for number in range(len(CASES)):
        for size in range(10, 60, 5):
            for overlap in (0, size // 2):
                drawn = frame(State(number, size=size, overlap=overlap))
                assert len(caption(drawn, frame(State(number)))) < 330


def test_a_state_is_held_to_what_the_dials_offer():
    assert State(overlap=60).overlap == 25 and State(size=9).size == 10 and State(size=999).size == 200
    assert State(case=3).case == 0 and State(way="letters").way == "words" and State(overlap=-1).overlap == 0


def test_the_dials_keep_the_document_and_the_cut_before():
    stage = cut_it()
    stage.controls["size"].value = 60
    assert stage.before["size"] == 50 and stage.frame["size"] == 60 and stage.before["case"] == stage.frame["case"]
    stage.controls["way"].value = "paragraphs"
    assert stage.before["way"] == "words" and "paragraphs" in stage.label
    stage.controls["case"].value = 1
    assert stage.before is None and stage.frame["document"] == CASES[1][0]
    stage.reset()
    assert stage.frame == frame(State())
    stage.close()


@pytest.mark.parametrize("wrong", [
    lambda n, size, overlap: [(i, min(i + size, n)) for i in range(0, n, size)],  # no overlap
    lambda n, size, overlap: [(0, n)],
])
def test_a_learners_windows_drive_the_picture_and_are_named_where_they_are_wrong(wrong):
    stage = cut_it(overlap=10)
    right = stage.frame
    swap.use("chunking.windows", wrong)
    assert "running on your windows: yours" in stage.label and stage.frame["chunks"] != right["chunks"]
    assert "dashed" in words_of(stage.screen.value)
    swap.use("chunking.windows")
    assert stage.frame == right
    stage.close()


@pytest.mark.parametrize("broken", [
    lambda n, size, overlap: None,
    lambda n, size, overlap: [],
    lambda n, size, overlap: [("a", "b")],
    lambda n, size, overlap: [(0, 10**9)],
    lambda n, size, overlap: [(5, 5)],
    lambda n, size, overlap: 1 / 0,
])
def test_windows_that_can_not_be_drawn_give_the_courses_own_and_a_sentence(broken):
    stage = cut_it()
    right = stage.frame
    swap.use("chunking.windows", broken)
    assert stage.frame == right and "course's own function instead" in stage.label
    stage.close()


def test_a_right_function_of_the_learner_changes_nothing():
    stage = cut_it(2, "sentences")
    right = stage.frame
    swap.use("chunking.packed", lambda lengths, limit: chunking_packed(lengths, limit))
    assert stage.frame == right and stage.label.endswith("running on your packed")
    swap.use("chunking.packed")
    stage.close()


def chunking_packed(lengths, limit):
    """Pack neighbors, written another way."""
    out, start, total = [], 0, 0
    for at, length in enumerate(lengths):
        if at > start and total + length > limit:
            out.append((start, at))
            start, total = at, 0
        total += length
    return out + [(start, len(lengths))]


# Filed twice


def test_the_drawers_and_the_lists_are_those_of_the_indexes():
    frames, chunks = trace(), filed()["chunks"]
    assert len(frames) == len(chunks) + 1 + len(QUESTIONS)
    assert [chunk.id for chunk in chunks] == [c.id for c in Collection.load("larkspur").chunks if c.document == PAGE]
    for drawn in frames:
        for word, held in drawn["drawers"].items():
            assert held == [i for i in range(drawn["filed"]) if word in tokenize(chunks[i].text)]
        html = draw_filing(drawn, None)
        assert "nan" not in html and smallest(html) >= 12 and describe_filing(drawn) and said_of_filing(drawn, None)
    meaning, words = frames[-2:]
    assert (place(meaning["lists"]["words"], meaning["answers"]),
            place(meaning["lists"]["meaning"], meaning["answers"])) == (9, 1)
    assert (place(words["lists"]["words"], words["answers"]), place(words["lists"]["meaning"], words["answers"])) == \
        (1, 2)
    assert len(meaning["lists"]["meaning"]) == len(chunks) and place([], [1]) == 0
    assert [word for word in meaning["opened"] if not meaning["drawers"][word]] == ["rid", "cartridges"]
    assert set(meaning["opened"]) | set(words["opened"]) | {"canisters"} == set(DRAWERS)


def test_no_disc_hides_another():
    far = np.array([[0.0, 0], [100, 0], [200, 0]])
    assert np.array_equal(apart(far, 3), far)
    crowd = apart(np.array([[100.0, 50], [104, 52], [110, 49], [300, 50], [100, 50]]), 4)
    gaps = np.linalg.norm(crowd[:4, None] - crowd[None, :4], axis=2)[np.triu_indices(4, 1)]
    assert gaps.min() > 24 and crowd[:, 1].tolist() == [50, 52, 49, 50, 50] and crowd[4].tolist() == [100, 50]
    discs = [tuple(map(float, each)) for each in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"',
                                                            draw_filing(trace()[-1], None))]
    assert len(discs) == 12 and min(np.hypot(a - c, b - d) for i, (a, b) in enumerate(discs)
                                    for c, d in discs[:i]) > 24


def test_each_list_says_what_its_numbers_are_and_which_drawers_are_not_shown():
    first, *_, meaning, words = trace()
    assert "in the list" not in words_of(draw_filing(first, None))
    assert "in the list: BM25" in words_of(draw_filing(words, None))
    assert "in the list: cosine" in words_of(draw_filing(meaning, None))
    for drawn in (meaning, words):
        shown = {at for word in (*drawn["opened"], *drawn["hidden"]) for at, each in enumerate(filed()["words"])
                 if word in each}
        assert shown == {at for at, _ in drawn["lists"]["words"]}  # each chunk of the list is in a drawer that is named
    assert "not shown: “of” and “up”." in said_of_filing(meaning, None)


def test_a_chunk_is_called_by_its_heading_or_its_first_words():
    assert heading(4) == "Jets" and heading(5) == "Prick a jet from …"


def test_filing_starts_still_and_ends_with_the_questions():
    stage = filed_twice()
    assert "nothing filed yet" in stage.label
    stage.controls["step"].value = 13
    assert "by words the chunks 11" in stage.label and "the answer is number 1." in stage.label
    stage.close()


# The size


def test_the_curve_shows_what_was_measured():
    rows = figures()["larkspur"]["dev"]["rows"]
    for overlap in OVERLAPS:
        for budget in figures()["budgets"]:
            drawn = size_of(Sized(200, budget, overlap))
            for at, size in enumerate((*SIZES, WHOLE)):
                name = "whole documents" if size == WHOLE else f"{size} words" + (
                    f", overlap {size // 5}" if overlap == OVERLAPS[1] else "")
                for search in LOOK:
                    assert drawn["lines"][search]["ten"][at] == rows[name][search]["Recall@10"]
                    assert drawn["lines"][search]["budget"][at] == rows[name][search][f"Recall in {budget} words"]
                assert all(rows[name][search]["limit"] >= rows[name][search]["Recall@10"] for search in LOOK)
            said = describe_size(drawn)
            assert f"{drawn['lines']['hybrid']['ten'][3]:.3f} with" in said and "chunks of 200 words" in said


def test_the_words_below_the_curve_say_what_the_dial_did():
    before, after = size_of(Sized(50)), size_of(Sized(400))
    said = said_of_size(after, before)
    assert "From chunks of 50 words to chunks of 400 words" in said and "In 1,000 words it goes from" in said
    assert best_size(after, "ten") in said_of_size(after, None)
    assert best_size(after, "budget") == "chunks of 200 words"
    whole = size_of(Sized(WHOLE)), size_of(Sized(WHOLE, overlap=OVERLAPS[1]))
    assert whole[0]["lines"]["hybrid"]["ten"][-1] == whole[1]["lines"]["hybrid"]["ten"][-1]
    assert "at this size nothing changes" in said_of_size(whole[1], whole[0])
    over = size_of(Sized(50, overlap=OVERLAPS[1]))
    assert f"now holds {over['limit'][1]:.3f} of what" in said_of_size(over, before)


def test_a_size_is_the_nearest_of_those_measured():
    assert Sized(70).size == 50 and Sized(10_000).size == 400 and Sized(WHOLE).size == WHOLE
    assert Sized(budget=1).budget == 500 and Sized(overlap="none").overlap == OVERLAPS[0]


def test_the_chart_is_a_png_of_its_size_and_moves():
    stage = size_curve()
    assert struct.unpack(">II", stage.drawing[16:24]) == (1290, 600)
    first = stage.drawing
    stage.controls["size"].value = WHOLE
    assert stage.drawing != first and "whole documents" in stage.label and stage.before["size"] == 100
    stage.controls["budget"].value = 500
    stage.controls["overlap"].value = OVERLAPS[1]
    assert "in 500 words" in stage.label
    stage.reset()
    assert stage.frame == size_of(Sized())
    stage.close()


def test_the_courses_windows_are_the_pictures():
    drawn = frame(State(size=30, overlap=10))
    assert [tuple(chunk) for chunk in drawn["chunks"]] == chunking.windows(drawn["words"], 30, 10)
