"""The numbers that lesson 07 states in its sentences, worked out again."""

import json
import re
from pathlib import Path

import nbformat
import pytest

from firstprinciples.encode.stored import minilm
from firstprinciples.evaluate import failure
from firstprinciples.explore.failure_evidence import gathered, walk
from firstprinciples.explore.failure_tree import CASES, looks
from firstprinciples.explore.funnel import State, frame
from firstprinciples.explore.guess import QUESTIONS
from firstprinciples.grading import check
from firstprinciples.pipeline import Pipeline
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.dense import Dense

ROOT = Path(__file__).resolve().parent.parent.parent
LESSON = ROOT / "notebooks" / "07_failure_tree.ipynb"


@pytest.fixture(scope="module")
def figures():
    return json.loads((ROOT / "notebooks" / "failures.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def dev(larkspur):
    return {query.id: query for query in larkspur.queries if query.split == "dev"}


@pytest.fixture(scope="module")
def words(larkspur):
    return Pipeline(larkspur.chunks, [BM25(larkspur.chunks)])


@pytest.fixture(scope="module")
def both(larkspur, words):
    return words.but(retrievers=[BM25(larkspur.chunks), Dense(larkspur.chunks, minilm())])


@pytest.fixture(scope="module")
def walked(larkspur):
    """Return a function: the trip of a question, what the stations say of each line, and the diagnosis."""
    documents = {document.id: document.text for document in larkspur.documents}
    chunks = [{"id": chunk.id, "document": chunk.document, "text": chunk.text} for chunk in larkspur.chunks]

    def walked(pipeline, query):
        trip = pipeline.run(query.text, query.history)
        found = failure.diagnose(trip, query, documents, chunks)
        return trip, [piece.place for piece in found.pieces], found

    return walked


def case(number: int):
    """Return a case of the picture, by its number in the lesson, and what its stations say."""
    one = walk(*CASES[number - 1])
    return one, gathered(one), looks(one)


# The picture


def test_the_first_case(lesson, printed):
    said = lesson["watch-said"]
    one, shown, looked = case(1)
    (piece,), first = shown["pieces"], shown["desk"][0]
    assert one.query.text in printed["setup"] and one.trip.line() in printed["setup"]
    assert first["document"] == piece["document"] == "lease-quarry-street"
    assert f"{first['score']:.3f}" in printed["setup"]
    assert first["score"] == max(row["score"] for row in shown["desk"])
    assert looked["holders"] == [["lease-quarry-street#7"]] and "chunk #7 of the same file" in said
    place = next(row["place"] for row in piece["rows"] if row["id"] == "lease-quarry-street#7")
    assert f"at place {place} of the candidates, and only five came to the desk" in said and len(shown["desk"]) == 5
    assert "Nothing about sanding" in said and "sand" not in first["text"]
    assert "100 candidates, 5 on the desk" in printed["setup"] and len(one.trip.candidates) == 100


def test_the_cases_that_are_told(lesson):
    said = lesson["watch-said"]
    _, shown, looked = case(2)
    assert looked["place"] == "chunking" and shown["answer"].count("the second Monday of June,") == 1
    assert 'behind "the second Monday of June,"' in said
    _, shown, looked = case(3)
    assert looked["place"] == "ingestion" and f'"{shown["pieces"][0]["instead"]}"' in said
    one, shown, looked = case(7)
    (piece,) = shown["pieces"]
    text = " ".join(one.documents[piece["document"]].split())
    assert looked["place"] == "ingestion" and piece["quote"] not in text
    assert all(word in text for word in piece["quote"].split()) and "In case 7 every word is there" in said
    assert piece["document"] in {row["document"] for row in shown["desk"]}
    assert shown["quoted"] and "Such a page even got onto the desk and was quoted" in said
    assert "Sixteen answers, all wrong or missing, of three pipelines" in lesson["watch"] and len(CASES) == 16
    one, shown, looked = case(16)
    assert len(looked["places"]) == 2 and "case 16, which needs two lines" in lesson["how-first"]


def test_the_guess(larkspur, both, walked, dev):
    asked = QUESTIONS["failure.lost"]
    found = [walked(both, query)[2] for query in dev.values() if query.evidence]
    wrong = [each for each in found if not each.right]
    counts = failure.tally([each.place for each in wrong])
    assert f"of {len(found)} questions" in asked["question"] and f"{len(found) - len(wrong)} are answered" in \
        asked["question"] and f"the other {len(wrong)} did" in asked["question"]
    assert asked["answer"] == f"about {counts['retrieval']}" and asked["because"].startswith(f"{counts['retrieval']}. ")
    assert f"For {counts['ingestion']} more the papers" in asked["because"]
    assert f"for {counts['chunking']} no chunk holds it whole" in asked["because"]
    assert f"For {counts['ranking']} a chunk" in asked["because"]
    assert f"for {counts['generation']} it lay before the reader" in asked["because"]


# The tree


def test_one_question_is_lost_in_two_places(lesson, printed, words, both, walked, dev):
    asked = dev["negation_or_date-009"]
    trips = {name: walked(pipeline, asked) for name, pipeline in (("words", words), ("both", both))}
    assert [trip[1] for trip in trips.values()] == [["retrieval"], ["ranking"]]
    assert printed["stations-code"].count(asked.text) == 2
    place = trips["both"][0].ranked.index("snakes-and-ticks-sheet#2") + 1
    assert f"comes in at place {place}, and five go to the desk" in lesson["stations-said"]
    assert f"ranking, place {place}\n" in printed["stations-code"]
    assert "snakes-and-ticks-sheet#2" not in trips["words"][0].candidates


def test_two_lines_and_the_earliest_counts(lesson, printed, words, walked, dev):
    _, places, found = walked(words, dev["negation_or_date-027"])
    assert places == ["retrieval", "ranking"] and found.place == "retrieval" == failure.earliest(places)
    assert "One line was lost in retrieval, the other in ranking" in lesson["first-said"]
    assert all(repair in printed["first-code"] for repair in found.repairs)


def test_a_right_answer_by_luck(lesson, printed, words, walked, dev):
    trip, places, found = walked(words, dev["negation_or_date-015"])
    assert found.luck and found.right and found.place == "ranking" and sorted(places) == ["generation", "ranking"]
    assert trip.line() in printed["luck-code"] and "luck: True, lost in ranking" in printed["luck-code"]
    assert "$178.00 | $185.00" in trip.line() and "The row has both prices" in lesson["luck-said"]


# Where it fails


def test_two_losses_at_once(lesson, printed, words, both, walked, dev):
    asked, said = dev["negation_or_date-027"], lesson["two-said"]
    ways = {"by words": words, "by both": both, "by both, 20 on the desk": both.but(most=20, budget=20_000),
            "by both, 80 on the desk": both.but(most=80, budget=20_000)}
    rows = [walked(pipeline, asked) for pipeline in ways.values()]
    assert [row[1] for row in rows] == [["retrieval", "ranking"], ["ranking"] * 2, ["ranking", "generation"],
                                        ["generation"] * 2]
    assert len({trip.line() for trip, *_ in rows}) == 1
    assert "the answer is the one of the beginning, word by word" in said
    for name, row in zip(ways, rows, strict=True):
        assert re.search(rf"^{name} +" + ", ".join(rf"{place} \([a-z0-9 ]+\)" for place in row[1]) + " ",
                         printed["two-code"], re.MULTILINE)
    ranked = rows[1][0].ranked
    at = [ranked.index(id) + 1 for id in ("invoice-1063#9", "invoice-1044#10")]
    assert f"finds both, at places {at[0]} and {at[1]}" in said
    assert f"ranking (place {at[0]}), ranking (place {at[1]})" in printed["two-code"]


def test_a_marked_line_is_not_the_only_one(lesson, printed, words, walked, dev):
    for id, place in (("follow_up-023", "retrieval"), ("negation_or_date-005", "ranking")):
        trip, _, found = walked(words, dev[id])
        assert not found.right and found.place == place and trip.line() in printed["other-code"]
        assert dev[id].answers[0] in trip.line()  # it says what was wanted all the same
    assert "Both answers are right" in lesson["other-said"]


def test_the_border(lesson, printed, words, walked, dev):
    said = lesson["border-said"]
    rows = {}
    for depth in (5, 400):
        found = [walked(words.but(depth=depth), query)[2] for query in dev.values() if query.evidence]
        rows[depth] = failure.tally([each.place for each in found if not each.right])
    assert f"retrieval has {rows[5]['retrieval']}" in said and rows[5]["ranking"] == 0
    assert f"With 400 it has {rows[400]['retrieval']}, and ranking {rows[400]['ranking']}" in said
    sums = {row["retrieval"] + row["ranking"] for row in rows.values()}
    assert len(sums) == 1 and f"the sum is {sums.pop()} in each row" in said
    row = json.loads((ROOT / "notebooks" / "failures.json").read_text(encoding="utf-8"))["dev"]["pipelines"]["BM25"]
    assert "one more in ingestion, one in retrieval, three in ranking" in said
    assert {place: count for place, count in row["luck"].items() if count} == \
        {"ingestion": 1, "retrieval": 1, "ranking": 3}
    for place in ("ingestion", "chunking", "generation"):
        assert rows[5][place] == rows[400][place]
    for depth, row in rows.items():
        assert re.search(rf"^first {depth} +" + " +".join(map(str, row.values())), printed["border-code"], re.MULTILINE)


def test_nothing_to_lose(lesson, printed, both, walked, dev):
    asked = next(query for query in dev.values() if query.text.startswith("what broke when phase three"))
    trip, places, found = walked(both, asked)
    assert places == [] and found.place == "generation" and trip.line() in printed["nothing-code"]
    assert sum(not query.evidence for query in dev.values()) == 15
    assert "Fifteen of the questions have no answer" in lesson["fails-nothing"]


# What was measured


def test_the_funnel(lesson):
    said = lesson["funnel-said"]
    words, both, cut = (frame(State(name)) for name in ("BM25", "hybrid", "BM25, 50 words"))
    lost = {name: dict(zip(failure.PLACES, drawn["lost"], strict=True))
            for name, drawn in (("words", words), ("both", both), ("cut", cut))}
    one, two, three = lost["words"], lost["both"], lost["cut"]
    assert f"By words, {one['retrieval']} of {words['queries']} are lost in retrieval, {one['ranking']} in " \
        f"ranking and {one['generation']} in generation" in said
    assert f"brings retrieval to {two['retrieval']} (six and a lucky one): sixteen questions" in said
    assert one["retrieval"] - two["retrieval"] == 16
    row = json.loads((ROOT / "notebooks" / "failures.json").read_text(encoding="utf-8"))["dev"]["pipelines"]["hybrid"]
    assert (row["failures"]["retrieval"], row["luck"]["retrieval"]) == (6, 1) and "(six and a lucky one)" in said
    assert f"ranking goes to {two['ranking']} and generation to {two['generation']}" in said
    assert f"{both['alive'][-1]:.3f} is left in place of {words['alive'][-1]:.3f}" in said
    assert both["right"] - both["luck"] - words["right"] + words["luck"] < 16 / 2  # "most ... is lost again"
    assert f"{three['chunking']} are lost in chunking. And generation has only {three['generation']}" in said
    kinds = {(name, kind): dict(zip(failure.PLACES, frame(State(name, kind=kind))["lost"], strict=True))
             for name in ("BM25", "hybrid") for kind in ("paraphrase", "exact")}
    assert f"in retrieval, {kinds['BM25', 'paraphrase']['retrieval']} of 15" in said
    there = kinds["hybrid", "paraphrase"]
    assert f"it is {there['retrieval']}, and {there['ranking']} are lost in ranking" in said
    assert kinds["BM25", "exact"]["retrieval"] == kinds["hybrid", "exact"]["retrieval"] == 0


def test_the_held_out_half(lesson, figures):
    said, half = lesson["measure-said"], figures["held_out"]
    words, both, reranked, cut = (half["pipelines"][name] for name in figures["pipelines"])
    assert f"in retrieval from {words['failures']['retrieval']} to {both['failures']['retrieval']}." in said
    one, two = words["failures"], both["failures"]
    assert f"Ranking goes from {one['ranking']} to {two['ranking']}, generation from {one['generation']} to " \
        f"{two['generation']}, and" in said
    assert f"the right answers from {words['right']} to {both['right']}" in said
    assert f"that {words['failures']['retrieval'] - both['failures']['retrieval']} questions got further" in said
    assert not words["luck"]["retrieval"] and not both["luck"]["retrieval"]
    for name, gap in (("hybrid", "−0.022 (−0.059 to +0.015)"), ("hybrid + reranker", "+0.007"),
                      ("BM25, 50 words", "−0.133 (−0.200 to −0.074)")):
        row = half["differences"][name]["right"]
        shown = f"{row['difference']:+.3f} ({row['low']:+.3f} to {row['high']:+.3f})".replace("-", "−")
        assert shown.startswith(gap) and gap in said
    row = half["differences"]["hybrid + reranker"]["right"]
    assert f"({row['low']:+.3f} to {row['high']:+.3f})".replace("-", "−") in said and row["low"] < 0 < row["high"]
    three = reranked["failures"]
    assert f"has {three['ranking']} in ranking, {three['generation']} in generation and {reranked['right']}" in said
    assert f"Fifty words: {cut['failures']['chunking']} in chunking" in said
    assert {row["failures"]["ingestion"] for row in half["pipelines"].values()} == {11}
    assert "Eleven are lost in ingestion, whatever the pipeline" in said
    kinds = both["kinds"]
    assert f"of *paraphrase* {kinds['paraphrase']['failures']['ranking']} of 15 are lost in ranking" in said
    assert f"of *polysemy* {kinds['polysemy']['failures']['generation']} in generation" in said
    assert f"of *filter* {kinds['filter']['failures']['ranking']} in ranking" in said
    struck = [row for kinds in figures["faults"].values() for row in kinds.values()]
    total = sum(row["struck"] for row in struck)
    assert total == sum(row["named"] for row in struck)
    assert f"{len(struck)} kinds; in {total} tries the fault did hit the line, and in {total} the tree" in said


# Your turn


def test_the_function_that_the_lesson_asks_for(lesson, capsys):
    def first_loss(reached):
        if len(reached) != 4:
            raise ValueError("Four values.")
        for place, there in zip(("ingestion", "chunking", "retrieval", "ranking"), reached, strict=True):
            if not there:
                return place
        return "generation"

    check("failure.first_loss", first_loss)
    points, most = map(int, re.search(r"(\d+) of (\d+) points", capsys.readouterr().out).groups())
    assert points == most


def test_how_long_it_takes(lesson):
    notebook = nbformat.read(LESSON, as_version=4)
    words = sum(len(cell.source.split()) for cell in notebook.cells
                if cell.cell_type == "markdown" and cell.id != "folder")
    assert words / 200 + 15 < 30 and "about thirty minutes" in lesson["title"]  # 15: five cases, the rest, your turn
    pictures = [cell.source for cell in notebook.cells if cell.id in ("watch-tree", "funnel-picture", "break-picture")]
    assert len(set(pictures)) == 3 and "with three pictures" in lesson["title"]


def test_no_held_out_question_is_shown(lesson, printed, larkspur):
    everything = " ".join([*lesson.values(), *printed.values()])
    for each in larkspur.queries:
        if each.split == "held_out":
            assert not re.search(rf"(?<!\w){re.escape(each.text)}(?!\w)", everything), each.id
