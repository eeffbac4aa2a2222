"""The table of conventions in lesson 02: three nDCGs, three orders of ties and five BM25s, by hand on four pages."""

import json
import math

import pytest

from firstprinciples import swap
from firstprinciples.corpus import Collection, Query
from firstprinciples.evaluate import metrics
from firstprinciples.explore import conventions, measuring, overlap, own_questions
from firstprinciples.explore.conventions import (
    QUESTIONS,
    TIES,
    VARY,
    Lists,
    State,
    caption,
    describe,
    frame,
    picture,
    short,
)
from firstprinciples.grading.tasks import tasks
from firstprinciples.retrieve.bm25_variants import VARIANTS

PAGES = {"a": (2023, "red tent x"), "b": (2021, "red tent y"), "c": (2022, "red tent z"), "d": (2024, "my tent")}
IDEAL = 3 + 1 / math.log2(3)  # of grades 3 and 1


@pytest.fixture
def tents(tmp_path):
    """Four pages; the question "red tent" is answered by c (grade 3) and d (grade 1); equal scores abound."""
    (tmp_path / "documents").mkdir()
    for name, (year, text) in PAGES.items():
        page = f"---\ntitle: {name}\ndate: {year}-01-01\n---\n{text}\n"
        (tmp_path / "documents" / f"{name}.md").write_text(page, encoding="utf-8")
    evidence = [{"document": "c", "quote": "red tent z", "grade": 3}, {"document": "d", "quote": "tent", "grade": 1}]
    asked = [{"id": "q1", "text": "a red tent?", "kind": "direct", "split": "dev", "evidence": evidence},
             {"id": "q2", "text": "a red tent!", "kind": "direct", "split": "held_out", "evidence": evidence}]
    lines = "\n".join(json.dumps(each) for each in asked)
    (tmp_path / "questions.jsonl").write_text(lines, encoding="utf-8")
    return Collection.load(tmp_path)


def show(collection, vary):
    return frame(State(0, vary), Lists(collection))


def numbers(value):
    """Yield every number in a frame."""
    if isinstance(value, (int, float)):
        yield value
    elif isinstance(value, (dict, list, tuple)):
        for piece in value.values() if isinstance(value, dict) else value:
            yield from numbers(piece)


def test_the_same_scores_in_three_orders(tents):
    f = show(tents, "tie rules")
    columns = [[line["cells"][rule]["id"] for line in f["lines"]] for rule in range(3)]
    assert columns == [["a#1", "b#1", "c#1", "d#1"], ["c#1", "b#1", "a#1", "d#1"], ["b#1", "c#1", "a#1", "d#1"]]
    assert [line["score"] for line in f["lines"]] == [2, 2, 2, 1]
    assert f["answers"] == dict(zip(TIES, ([3, 4], [1, 4], [2, 4]), strict=True))
    last = 1 / math.log2(5)  # d stands fourth in each
    expected = [(3 / 2 + last) / IDEAL, (3 + last) / IDEAL, (3 / math.log2(3) + last) / IDEAL]
    assert list(f["values"].values()) == pytest.approx(expected)
    assert "what answers stands at 3 and 4, or 1 and 4, or 2 and 4; nDCG@10 runs from 0.53 to 0.94" in caption(f)


def test_one_list_and_three_ndcgs(tents):
    f = show(tents, "nDCG conventions")
    assert [(line["rank"], line["id"]) for line in f["lines"]] == [(1, "a#1"), (2, "b#1"), (3, "c#1"), (4, "d#1")]
    third = [(cell["gain"], round(cell["weight"], 4), round(cell["part"], 4)) for cell in f["lines"][2]["cells"]]
    assert third == [(3, 0.5, 1.5), (7, 0.5, 3.5), (3, 0.6309, 1.8928)]  # 1 / log2(4), and 1 / log2(3)
    sums = [1.5 + 1 / math.log2(5), 3.5 + 1 / math.log2(5), 3 / math.log2(3) + 1 / 2]
    best = [IDEAL, 7 + 1 / math.log2(3), 3 + 1]
    assert f["more"]["their sum"] == pytest.approx(sums) and f["more"]["sum in the best order"] == pytest.approx(best)
    assert list(f["values"].values()) == pytest.approx([s / b for s, b in zip(sums, best, strict=True)])
    assert "three formulas: nDCG@10 runs from 0.52 to 0.60. BM25 found 2 of 2" in caption(f)


def test_a_sum_whose_shown_parts_do_not_add_up_says_so(tents):
    f = show(tents, "nDCG conventions")
    assert "≈" not in picture(f, None, None)  # 1.50 + 0.43 = 1.93, 3.50 + 0.43 = 3.93, 1.89 + 0.50 = 2.39
    for line in f["lines"]:
        line["cells"][0]["part"] = 0.504
    f["more"]["their sum"][0] = 4 * 0.504
    assert ">≈ 2.02<" in picture(f, None, None)


def test_a_chunk_that_shows_two_pieces_stands_there_twice(tents):
    tents.evidence["q1"] = [(3, ("a#1",)), (2, ("a#1",)), (1, ("d#1",))]
    f = show(tents, "nDCG conventions")
    assert [line["id"] for line in f["lines"]] == ["a#1", "a#1", "b#1", "c#1", "d#1"]
    assert [line["cells"][0]["gain"] for line in f["lines"]] == [3, 2, 0, 0, 1]


def test_five_variants_their_places_and_what_scores_nothing(tents):
    f = show(tents, "BM25 variants")
    assert list(f["columns"]) == list(VARIANTS) == list(f["values"])
    assert [line["id"] for line in f["lines"]] == ["a#1", "b#1", "c#1", "d#1"]
    by_variant = dict(zip(VARIANTS, zip(*(line["cells"] for line in f["lines"]), strict=True), strict=True))
    assert [cell["place"] for cell in by_variant["lucene"]] == [1, 2, 3, 4]
    assert [cell["place"] for cell in by_variant["robertson"]] == [0, 0, 0, 0]  # idf 0
    assert [cell["place"] for cell in by_variant["atire"]] == [1, 2, 3, 0]  # "tent" is in all pages: ln(4 / 4) = 0
    assert f["values"]["robertson"] == 0 and f["values"]["atire"] == pytest.approx(1.5 / IDEAL)
    drawn = picture(f, None, None)
    assert drawn.count("score 0") == 5 and drawn.count('<b class="fp-held">3</b>') == 1


def test_a_place_that_differs_is_marked(tents):
    f = show(tents, "BM25 variants")
    assert "▲ 2</b>" not in picture(f, None, None) and "4 of these 4 chunks change place" in caption(f)  # none stays
    f["lines"][3]["cells"][4] |= {"place": 2, "moved": -2}
    f["lines"][1]["cells"][4] |= {"place": 4, "moved": 2}
    drawn = picture(f, None, None)  # as if two pages had traded places
    assert "▲ 2</b>" in drawn and "▼ 4</b>" in drawn


def test_states_are_clamped_and_only_dev_questions_are_shown(tents):
    assert State(-1, "nothing") == State(0, VARY[0]) and State(99).question == QUESTIONS - 1
    lists = Lists(tents)
    assert [query.id for query in lists.queries] == ["q1"]
    assert frame(State(5), lists)["query"] == "a red tent?"
    tents.queries.clear()
    with pytest.raises(ValueError, match="has no question of the split dev"):
        Lists(tents)


def test_a_question_that_shares_no_word_is_not_offered(tents):
    query = tents.queries[0]
    other = Query("q0", "yeti?", "direct", "dev", evidence=query.evidence)
    tents.queries.insert(0, other)
    tents.evidence["q0"], tents.qrels["q0"] = tents.evidence["q1"], tents.qrels["q1"]
    lists = Lists(tents)
    assert [each.id for each in lists.queries] == ["q1"]
    assert caption(frame(State(0, "tie rules"), lists))


def test_larkspur_gives_finite_frames_that_can_be_drawn():
    lists = Lists(Collection.load("larkspur"))
    assert 1 <= len(lists.queries) <= QUESTIONS and {query.split for query in lists.queries} == {"dev"}
    for i in range(len(lists.queries)):
        for vary in VARY:
            f = frame(State(i, vary), lists)
            assert all(math.isfinite(each) for each in numbers(f)) and len(f["lines"]) <= 10
            assert describe(f).count(", ") >= len(f["values"]) - 1 and caption(f).endswith(".")
            assert picture(f, None, None).count("fp-sum") == len(f["values"]) + 1
            line = f["lines"][0]["cells"]
            if vary == "tie rules":
                assert len({lists.counted(lists.queries[i])[cell["id"]] for cell in line}) == 1


def test_describe_says_what_is_varied(tents):
    assert describe(show(tents, "nDCG conventions")) == (
        "The question “a red tent?” under 3 nDCG conventions; nDCG@10: linear 0.53, exponential 0.52, original 0.60.")


def test_words_of_a_collection_show_as_text(tents):
    f = show(tents, "tie rules")
    f["query"], f["lines"][0]["cells"][0]["id"] = "<b>?", "<i>"
    drawn = picture(f, None, None)
    assert "<b>?" not in drawn and "&lt;b&gt;?" in drawn and "<i>" not in drawn


def test_a_learners_function_drives_the_numbers(tents):
    c = conventions(tents)
    with swap.use("metrics.ndcg_at_k", lambda ranked, grades, k=10, exponential=False: 0.25):
        assert "lucene 0.25" in c.label and "running on your ndcg_at_k: yours 0.25, expected 0.5317 for" in c.label
        assert "expected 0.53" in c.drawing
    with swap.use("metrics.gains", lambda ranked, grades, k: None):
        c.controls["vary"].value = VARY[1]
        assert "Drawn with the course's own function instead." in c.label and "linear 0.53" in c.label
    with swap.use("metrics.dcg", lambda values: metrics.dcg_with_base(values, 1)):
        assert "Your dcg stopped" in c.label


def test_a_learners_order_of_ties_drives_its_column(tents):
    c = conventions(tents)
    c.controls["vary"].value = "tie rules"
    with swap.use("metrics.rank_by_score", lambda scores: sorted(scores, key=lambda id: scores[id])):
        assert c.frame["lines"][0]["cells"][0]["id"] == "d#1" and "running on your rank_by_score" in c.label
    with swap.use("metrics.rank_by_score", lambda scores: []):
        assert "Drawn with the course's own function instead." in c.label


@pytest.mark.parametrize("task", [*tasks("metrics"), *tasks("experiment")])
def test_whatever_raises_breaks_no_explorer_of_the_lesson(task, tents):
    c, m, own = conventions(tents), measuring(), own_questions(collection=tents)
    own.fill({"text 1": "red tent?", "document 1": "c", "quote 1": "red tent z"})
    own.view.children[6].children[0].click()
    with swap.use(task, lambda *_, **__: 1 / 0):
        for vary in VARY:
            c.controls["vary"].value = vary
        labels = [each.label for each in (c, m, own)]
        assert all(task.split(".")[1] in label for label in labels if "running on your" in label)
        overlap(tents)


def press(stage, word):
    """Click the button that says `word`."""
    row = next(child for child in stage.view.children if "fp-row" in child._dom_classes)
    next(child for child in row.children if getattr(child, "description", "") == word).click()


def test_another_question_comes_by_a_button_and_after_the_last_the_first_again():
    c = conventions()
    labels, first = [], c.label
    for _ in Lists(Collection.load("larkspur")).queries:
        labels.append(c.label)
        press(c, "Another question")
    assert len(set(labels)) == len(labels) > 1 and c.label == first
    assert f"question 1 of {len(labels)} (" in c.drawing and c.before is None
    press(c, "Another question")
    assert f"question 2 of {len(labels)} (" in c.drawing and c.frame["query"] in c.drawing
    c.controls["vary"].value = "tie rules"
    assert c.label.startswith(labels[1].partition("”")[0])  # the question stays
    press(c, "Reset")
    assert c.label == first


def test_choosing_draws_again_and_reset_goes_back(tents):
    c = conventions(tents)
    c.controls["vary"].value = "tie rules"
    assert "under 3 tie rules" in c.label
    c.reset()
    assert "under 5 BM25 variants" in c.label
    bundle = c._repr_mimebundle_()
    assert bundle["text/plain"] == c.label and "fp-conventions" in bundle["text/html"]


def test_a_long_id_keeps_its_number():
    ids = ["board#1", "board-minutes#1", "board-minutes#12", "a-long-name-x"]
    assert [short(id, 12) for id in ids
            ] == ["board#1", "board-min…#1", "board-mi…#12", "a-long-name…"]
    assert len(short("board-minutes-2024-05#12", 20)) == 20
