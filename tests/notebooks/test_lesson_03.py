"""The numbers that lesson 03 and the README state in their sentences, worked out again."""

import re
from math import floor, log
from pathlib import Path

import nbformat
import pytest

from firstprinciples.corpus import Collection
from firstprinciples.evaluate.experiment import evaluate
from firstprinciples.grading.check import grade_task
from firstprinciples.grading.mistakes import mistakes
from firstprinciples.retrieve.bm25 import BM25, idf, rank, score, term_weight
from firstprinciples.swap import use
from firstprinciples.text import tokenize

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def lesson():
    """Return {cell id: source} of lesson 03."""
    notebook = nbformat.read(ROOT / "notebooks" / "03_bm25.ipynb", as_version=4)
    return {cell.id: " ".join(cell.source.split()) for cell in notebook.cells}


@pytest.fixture(scope="module")
def larkspur():
    return Collection.load("larkspur")


def test_the_guess(lesson):
    few, many = (term_weight(tf, 1.2, 0.75, 100, 100) for tf in (3, 30))
    assert f"3 mentions count {few:.2f}, and 30 count {many:.2f}" in lesson["guess"]
    assert 'answer="about a third more"' in lesson["guess"] and 0.3 < many / few - 1 < 0.4


def test_the_defibrillator_outweighs_fifty_times_the(lesson, larkspur):
    words = [set(tokenize(chunk.text)) for chunk in larkspur.chunks]
    the, rare = (idf(len(words), sum(word in each for each in words)) for word in ("the", "defibrillator"))
    assert floor(rare / the) == 50 and 'One "defibrillator" now outweighs fifty times "the"' in lesson["how-tfidf"]


def test_counting_finds_the_wrong_chunk_and_bm25_the_right_one(lesson, larkspur):
    question = re.search(r'question = "(.+?)"', lesson["count"]).group(1)
    words = tokenize(question)
    counted = {chunk.id: sum(tokenize(chunk.text).count(word) for word in words) for chunk in larkspur.chunks}
    best = next(chunk for chunk in larkspur.chunks if chunk.id == max(counted, key=counted.get))
    assert "defibrillator" not in best.text.lower()
    assert tokenize(best.text).count("the") > counted[best.id] / 2  # "it says 'the' so often"
    hit = BM25(larkspur.chunks, k1_plus_1=True).search(question, k=1)[0]
    assert "Open the lid and it tells you what to do" in next(c.text for c in larkspur.chunks if c.id == hit.id)
    plain = rank(words, [tokenize(chunk.text) for chunk in larkspur.chunks], k=1)
    assert plain[0][1] == pytest.approx(hit.score, abs=1e-9)


def test_pages_a_b_and_c(lesson):
    def page(words, length):
        return words + ["filler"] * (length - len(words))

    a, b, c = page(["invoice"] * 3 + ["march"] + ["total"] * 2, 60), page(["invoice"], 2000), page(["bill"], 20)
    others = [page(["march"] if i < 20 else ["total"] if i < 42 else [], 701 if i < 20 else 700) for i in range(97)]
    query = ["march", "invoice", "total"]
    assert [round(score(query, words, [a, b, c, *others]), 1) for words in (a, b, c)] == [12.4, 2.1, 0.0]
    assert "Page B has 2,000 words and says invoice once" in lesson["how-length"]
    assert "the other 97 pages" in lesson["how-length"]


def test_the_nearest_defibrillator_finds_the_hospital(lesson, larkspur):
    hit = BM25(larkspur.chunks).search("Where is the nearest defibrillator?", k=1)[0]
    text = next(chunk.text for chunk in larkspur.chunks if chunk.id == hit.id)
    assert "nearest hospital" in text and "defibrillator" not in text
    assert "The first hit is the hospital" in lesson["fails-real"]


def test_what_the_table_is_said_to_show(lesson, larkspur):
    result = evaluate(BM25(larkspur.chunks), larkspur)
    kinds = {kind: metrics["Recall@10"] for kind, metrics in result["by_kind"].items()}
    assert kinds["exact"] == kinds["rare_name"] == 1.0 and kinds["paraphrase"] == 0.0
    assert kinds["follow_up"] <= 0.35 and kinds["filter"] <= 0.35
    assert "Paraphrases score zero" in lesson["measure-times"]
    assert round(100 / 6) == 17 and "one question is 17 points" in lesson["measure-times"]
    assert len(larkspur.queries) == 60 and "has sixty questions in ten kinds" in lesson["measure"]


def test_what_each_correction_is_said_to_add(lesson, larkspur):
    def count(tf, k1, b, length, average):
        return tf

    with use("bm25.term_weight", count), use("bm25.idf", lambda n, df: 1.0):
        counting = evaluate(BM25(larkspur.chunks), larkspur)["metrics"]
    with use("bm25.term_weight", count), use("bm25.idf", lambda n, df: log(n / df)):
        tf_idf = evaluate(BM25(larkspur.chunks), larkspur)["metrics"]
    saturated, whole = (evaluate(BM25(larkspur.chunks, b=b), larkspur)["metrics"] for b in (0, 0.75))
    steps = [each["nDCG@10"] for each in (counting, tf_idf, saturated, whole)]
    gains = [after - before for before, after in zip(steps, steps[1:], strict=False)]
    assert gains[0] > 4 * max(gains[1:]) and min(gains) > 0  # "Rarity does most of the work", the others a little
    assert -0.01 < saturated["Recall@10"] - tf_idf["Recall@10"] < 0  # "falls by a hair"
    assert "Recall@10 even falls by a hair" in lesson["measure-kinds"]


def test_with_both_corrections_nearly_off_the_flyer_comes_first(lesson):
    shown = {}
    exec(lesson["fails-picture"], {"scores": lambda documents, query: shown.update(documents)})
    notice, flyer, rules = map(tokenize, shown.values())
    assert flyer == ["car"] * 60

    def scores(k1, b):
        return [score(["car", "repair"], words, [notice, flyer, rules], k1, b) for words in (notice, flyer, rules)]

    assert scores(1.2, 0.75)[0] > scores(1.2, 0.75)[1] and scores(3, 0)[1] > scores(3, 0)[0]
    assert scores(1.2, 0.75)[2] == scores(3, 0)[2] == 0


def test_the_readme_shows_what_check_says():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"    bm25\.term_weight.*?\n\n", readme, re.DOTALL).group()
    said = str(grade_task("bm25.term_weight", mistakes("bm25.term_weight")["k1_and_b_exchanged"]))
    assert [line[4:] for line in shown.rstrip().splitlines()] == said.splitlines()
