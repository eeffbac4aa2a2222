"""The pictures of lesson 15: the token grid, a page that goes on, empty places, and what a vector a word stores."""

import re
from html import unescape

import numpy as np
import pytest
from picture_text import words_of

from firstprinciples import swap
from firstprinciples.explore import diluted, padded, token_grid, token_storage
from firstprinciples.explore.dilution import MOST, page, place
from firstprinciples.explore.dilution import State as Diluted
from firstprinciples.explore.dilution import caption as said_of_dilution
from firstprinciples.explore.dilution import frame as diluted_frame
from firstprinciples.explore.dilution import picture as draw_dilution
from firstprinciples.explore.maxsim import (
    MOST_COLUMNS,
    MOST_SHOWN,
    PASSAGES,
    QUESTIONS,
    caption,
    cell,
    columns,
    describe,
    matched,
    picture,
    tokens_of,
    trace,
)
from firstprinciples.explore.padding import FILLED, order
from firstprinciples.explore.padding import State as Padded
from firstprinciples.explore.padding import caption as said_of_padding
from firstprinciples.explore.padding import describe as describe_padding
from firstprinciples.explore.padding import frame as padded_frame
from firstprinciples.explore.padding import picture as draw_padding
from firstprinciples.explore.token_storage import LETTERS, ROWS
from firstprinciples.explore.token_storage import State as Stored
from firstprinciples.explore.token_storage import caption as said_of_storage
from firstprinciples.explore.token_storage import describe as describe_storage
from firstprinciples.explore.token_storage import frame as stored_frame
from firstprinciples.explore.token_storage import picture as draw_storage
from firstprinciples.retrieve import maxsim


def sizes_of_text(html: str) -> set[int]:
    return {int(size) for size in re.findall(r"font-size:(\d+)px", html)}


# The token grid


def walked(question=QUESTIONS[0], passage="the snake"):
    return trace(question, passage, PASSAGES, QUESTIONS)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("passage", PASSAGES)
def test_the_grid_is_the_vectors_products_and_the_total_is_maxsim(question, passage):
    q, d = tokens_of(question, "query")[1], tokens_of(PASSAGES[passage], "passage")[1]
    one = walked(question, passage)[-1]["found"][passage]
    assert np.allclose(one["grid"], q @ d.T) and one["total"] == pytest.approx((q @ d.T).max(axis=1).sum())
    assert one["best"] == (q @ d.T).argmax(axis=1).tolist()
    assert one["cosine"] == pytest.approx(one["mean"] / one["lengths"][0] / one["lengths"][1])


def test_each_word_is_a_step_and_the_total_climbs():
    frames = walked()
    words = frames[0]["found"]["the snake"]["asked"]
    assert len(frames) == len(words) + 2 and [frame["step"] for frame in frames] == [*range(len(frames))]
    assert "nothing yet" in describe(frames[0]) and "?" in words_of(picture(frames[0], None))
    one = frames[0]["found"]["the snake"]
    for step in range(1, len(words) + 1):
        said = caption(frames[step], None)
        assert f"“{words[step - 1]}” finds “{one['words'][one['best'][step - 1]]}”" in said
    assert "averaged vectors" in caption(frames[-2], None) and "The mean of all" in caption(frames[-1], None)
    assert "python finds python 0.9" in describe(frames[1])


def test_a_row_that_is_to_come_shows_no_number_and_the_averaged_vector_comes_last():
    frames = walked()
    one = frames[0]["found"]["the snake"]
    for frame in frames[:-1]:
        known = frame["step"] * len(one["words"])
        drawn = picture(frame, None)
        assert len(re.findall(r">−?\.\d\d<", drawn)) == known
        assert f">{one['cosine']:.2f}<" not in drawn
    assert f">{one['cosine']:.2f}<" in picture(frames[-1], None)


def test_the_words_that_were_found_are_outlined_and_bold():
    drawn = picture(walked()[2], None)
    assert drawn.count("stroke:#D55E00") == 2 and min(sizes_of_text(drawn)) >= 12


def test_a_long_passage_is_drawn_by_the_columns_that_come_nearest():
    text = page(MOST)
    one = matched(QUESTIONS[0], text)
    shown = columns(one)
    assert len(one["words"]) > MOST_COLUMNS and len(shown) == MOST_SHOWN and set(one["best"]) <= set(shown)
    assert shown == sorted(set(shown))
    for row in one["grid"]:  # four of the nearest five of every row are there
        assert len(set(np.argsort(row)[-5:].tolist()) & set(shown)) >= 4
    frames = trace(QUESTIONS[0], "page", {"page": text}, QUESTIONS)
    assert f"of {len(one['words'])}, that come nearest" in words_of(picture(frames[1], None))
    assert len(columns(walked()[0]["found"]["the snake"])) == len(walked()[0]["found"]["the snake"]["words"])


def test_cells_are_short():
    assert [cell(value) for value in (0.934, -0.05, 1.0, 0.002, -0.001)] == [".93", "−.05", "1.0", ".00", ".00"]


def test_the_explorer_steps_and_another_passage_shows_its_last_step():
    stage = token_grid()
    assert stage.frame["step"] == 0
    next_button = stage.view.children[3].children[2]
    assert next_button.description == "Next"
    next_button.click()
    next_button.click()
    assert stage.frame["step"] == 2
    stage.controls["passage"].value = "the language"
    assert stage.frame["passage"] == "the language" and stage.frame["step"] == stage.frame["steps"]
    stage.view.children[1].children[1].click()
    assert stage.frame["question"] == QUESTIONS[1] and stage.frame["step"] == 0
    stage.reset()
    assert stage.frame["question"] == QUESTIONS[0] and stage.frame["step"] == 0
    stage.close()


def test_one_question_alone_has_no_button_for_another():
    one, two = token_grid(QUESTIONS[0]), token_grid()
    assert [len(stage.view.children[1].children) for stage in (one, two)] == [1, 2]
    one.close()
    two.close()


def test_a_question_that_is_not_stored_says_so_where_the_files_are_missing(monkeypatch):
    from firstprinciples.encode.stored import ModelFilesMissing
    from firstprinciples.explore import maxsim as grid

    def missing(text, side):
        if text not in (*QUESTIONS, *PASSAGES.values()):
            raise ModelFilesMissing("not stored")
        return tokens_of(text, side)

    monkeypatch.setattr(grid, "tokens_of", missing)
    stage = token_grid()
    stage.controls["question"].value = "where do otters sleep"
    assert stage.frame["question"] == QUESTIONS[0] and "are not stored" in stage.label
    assert "firstprinciples models" in stage.words.value
    stage.close()


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="1 to 4 passages"):
        token_grid(passages={})
    with pytest.raises(ValueError, match="at least one question"):
        token_grid(questions=())


def test_a_learners_function_drives_the_grid_and_a_wrong_one_is_named():
    stage = token_grid()
    stage.controls["step"].value = 3
    swap.use("maxsim.maxsim", lambda question, document: float((question @ document.T).max(axis=1).mean()))
    assert "running on your maxsim: yours" in stage.label and "expected" in words_of(stage.drawing)
    assert "≠" in stage.drawing
    swap.use("maxsim.maxsim")

    def last(question, document):
        grid = np.asarray(question) @ np.asarray(document).T
        return np.full(len(grid), grid.shape[1] - 1), grid[:, -1]

    swap.use("maxsim.best_matches", last)
    assert "yours" in stage.label and stage.frame["found"]["the snake"]["best"] == [14, 14, 14]
    swap.use("maxsim.best_matches", lambda question, document: ([0], [1.0]))
    assert "one of each for every word" in stage.label and stage.frame["found"]["the snake"]["best"] != [14, 14, 14]
    swap.use("maxsim.best_matches", lambda question, document: 5)
    assert "course's own function instead" in stage.label
    stage.close()


# A page that goes on


@pytest.mark.parametrize("more", range(MOST + 1))
def test_the_page_goes_on(more):
    drawn = diluted_frame(Diluted(more))
    q, d = tokens_of(QUESTIONS[0], "query")[1], tokens_of(page(more), "passage")[1]
    assert drawn["total"]["the page"] == pytest.approx((q @ d.T).max(axis=1).sum())
    assert drawn["tokens"] == len(d)
    html = draw_dilution(drawn, diluted_frame(Diluted(0)), None)
    assert "nan" not in html and min(sizes_of_text(html)) >= 12


def test_the_average_loses_the_page_and_the_best_matches_keep_it():
    first, last = diluted_frame(Diluted(0)), diluted_frame(Diluted(MOST))
    assert (place(first, "cosine"), place(first, "total")) == (1, 1)
    assert (place(last, "cosine"), place(last, "total")) == (2, 1)
    assert "number 1 of three by its best matches, and number 2" in said_of_dilution(last, first)
    assert f"From 0 to {MOST} more sentences" in said_of_dilution(last, first)
    assert Diluted(99).more == MOST and Diluted(-1).more == 0


def test_the_dial_keeps_the_setting_before():
    stage = diluted()
    stage.controls["more"].value = 6
    assert "pale: before" in stage.drawing and "was" in words_of(stage.drawing)
    swap.use("maxsim.mean_similarity", lambda question, document: 0.1)
    assert "running on your mean_similarity: yours" in stage.label and "expected" in words_of(stage.drawing)
    stage.close()


# Empty places


def test_alone_and_with_a_mask_the_scores_are_the_same():
    alone = padded_frame(Padded())
    for filled in ("batch", "longer"):
        masked = padded_frame(Padded(filled, True))
        for one, other in zip(alone["pages"], masked["pages"], strict=True):
            assert one["score"] == pytest.approx(one["true"]) == pytest.approx(other["score"])
        assert order(masked) == order(alone) and "all five score as they do alone" in said_of_padding(masked, None)


def test_without_a_mask_an_empty_place_wins_wherever_all_are_negative():
    drawn = padded_frame(Padded("longer", False))
    for one in drawn["pages"]:
        best = np.array(one["grid"]).max(axis=1)
        should = np.maximum(best, 0).sum() if one["empty"] else best.sum()
        assert one["score"] == pytest.approx(should, abs=1e-6)
    assert order(drawn) != order(drawn, "true") and "Not what they score alone" in describe_padding(drawn)
    batch = padded_frame(Padded("batch", False))
    wrong = [page["text"] for page in batch["pages"] if abs(page["score"] - page["true"]) > 1e-6]
    assert wrong == ["tent"]  # the only one with an empty place
    assert "1 of 5 scores is wrong" in said_of_padding(batch, None)
    assert "order of their names" in said_of_padding(drawn, None)  # three have 0.00, and three places
    assert "order of their names" not in said_of_padding(batch, None)


@pytest.mark.parametrize("filled", FILLED.values())
@pytest.mark.parametrize("masked", [False, True])
def test_every_setting_is_drawn(filled, masked):
    drawn = padded_frame(Padded(filled, masked))
    html = draw_padding(drawn, None, drawn)
    assert "nan" not in html and min(sizes_of_text(html)) >= 12
    assert html.count("−∞") == (masked * 5 * sum(page["empty"] for page in drawn["pages"]))


def test_a_learners_mask_is_drawn_and_named():
    stage = padded("longer", True)

    def zeros(question, documents, mask):
        return (np.asarray(documents) * np.asarray(mask)[..., None] @ np.asarray(question).T).max(axis=1).sum(axis=1)

    swap.use("maxsim.maxsim_padded", zeros)
    assert "running on your maxsim_padded: yours" in stage.label and "expected" in words_of(stage.drawing)
    swap.use("maxsim.maxsim_padded", lambda question, documents, mask: 1.0)
    assert "course's own function instead" in stage.label
    stage.close()


def test_a_padded_state_is_checked():
    with pytest.raises(ValueError, match="filled is one of"):
        Padded("both")


# What is stored


def test_what_larkspur_stores():
    drawn = stored_frame(Stored())
    assert drawn["bytes"] == {"chunk": 704 * 384 * 4, "float32": 704 * 82 * 384 * 4, "float16": 704 * 82 * 384 * 2,
                              "int8": 704 * 82 * 384, "text": round(704 * 82 * LETTERS)}
    assert "82 times what one vector a chunk takes" in said_of_storage(drawn, None)
    assert "one a token, float32 88.7 MB" in describe_storage(drawn)


@pytest.mark.parametrize("state", [Stored(10_000_000, 256, 1024), Stored(704, 16, 64), Stored(1, 1, 1)])
def test_sizes_are_drawn(state):
    html = draw_storage(stored_frame(state), stored_frame(Stored()), None)
    assert "nan" not in html and html.count("<rect") >= len(ROWS) and min(sizes_of_text(html)) >= 12


def test_the_largest_number_of_chunks_has_room_beside_its_dial():
    stage = token_storage()
    assert "fp-long" in stage.controls["chunks"]._dom_classes and "fp-long" not in stage.controls["dim"]._dom_classes
    assert ".fp-long .widget-readout" in stage.style
    stage.close()


def test_titles_fit_into_a_narrow_window():
    for stage in (token_grid(), diluted(), padded(), token_storage(10_000_000)):
        [title] = re.findall(r'fp-title fp-line">([^<]+)<', stage.drawing)
        assert len(unescape(title)) <= 55  # 18 px, bold, in a window of 700 px
        stage.close()


def test_a_dial_keeps_what_it_was_and_numbers_are_checked():
    stage = token_storage()
    stage.controls["chunks"].value = 1_000_000
    assert "From 704 to 1,000,000 chunks" in stage.words.value and "was 88.7 MB" in words_of(stage.drawing)
    swap.use("maxsim.storage", lambda tokens, dim, bytes_each: tokens * dim)
    assert "running on your storage: yours" in stage.label and "expected" in words_of(stage.drawing)
    stage.close()
    for wrong in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match="whole number"):
            Stored(chunks=wrong)


def test_the_text_that_is_stored_is_what_the_storage_function_says():
    assert maxsim.storage(704 * 82, 384, 2) == stored_frame(Stored())["bytes"]["float16"]
