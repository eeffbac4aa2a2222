"""The numbers that lesson 03 and the README state in their sentences, worked out again."""

import re
from math import floor, log2
from pathlib import Path

import nbformat
import pytest

from firstprinciples.corpus import Collection
from firstprinciples.evaluate.experiment import evaluate, place_of_answer
from firstprinciples.explore.bm25 import DOCUMENTS, State, frame
from firstprinciples.explore.guess import QUESTIONS
from firstprinciples.grading.check import grade_task
from firstprinciples.grading.mistakes import mistakes
from firstprinciples.retrieve.bm25 import BM25, idf, invert, length_norm, rank, score, term_weight
from firstprinciples.swap import use
from firstprinciples.text import tokenize

ROOT = Path(__file__).resolve().parent.parent.parent
LESSON = ROOT / "notebooks" / "03_bm25.ipynb"


@pytest.fixture(scope="module")
def lesson():
    """Return {cell id: source} of lesson 03."""
    notebook = nbformat.read(LESSON, as_version=4)
    return {cell.id: " ".join(cell.source.split()) for cell in notebook.cells}


@pytest.fixture(scope="module")
def larkspur():
    return Collection.load("larkspur")


def test_the_guess():
    question = QUESTIONS["bm25.repeats"]
    few, many = (term_weight(tf, 1.2, 0.75, 100, 100) for tf in (3, 50))
    assert f"3 mentions count {few:.2f} and 50 count {many:.2f}" in question["because"]
    assert "3 times" in question["question"] and "50 times" in question["question"]
    assert question["answer"] == "about a third more" and 1.3 < many / few < 1.4
    assert "about 17 times as much" in question["options"] and round(50 / 3) == 17


def test_what_the_dials_are_said_to_do(lesson):
    def parts(k1, b):
        return [{part["word"]: part["value"] for part in document["parts"]} | {"total": document["total"]}
                for document in frame(State(k1=k1, b=b))["documents"]]

    usual, none, many, no_length = parts(1.2, 0.75), parts(0, 0.75), parts(3, 0.75), parts(1.2, 0)
    said = lesson["watch-said"]
    assert f"\"invoice\" adds {none[0]['invoice']:.2f} to A and to B alike" in said
    assert none[0]["invoice"] == pytest.approx(none[1]["invoice"])
    assert f"page A rises to {many[0]['total']:.2f}, and B falls to {many[1]['total']:.2f}" in said
    assert usual[0]["total"] < many[0]["total"] and many[1]["total"] < usual[1]["total"]
    assert f"B rises from {usual[1]['total']:.2f} to {no_length[1]['total']:.2f}" in said


def test_what_is_said_of_the_formulas(lesson):
    thousand = idf(10_000_000, 1000) - idf(10_000_000, 1_000_000)
    assert round(thousand) == 7 and "a word a thousand times rarer is worth about 7 points more" in lesson["how-rarity"]
    assert term_weight(2, 2.0, 0.75, 9, 9) == pytest.approx((2.0 + 1) / 2)  # half of the ceiling at tf = k1
    assert term_weight(1, 1.2, 0.75, 9, 9) == pytest.approx(1) and "one mention weighs exactly 1" in lesson["how-tfidf"]
    assert length_norm(200, 100, 1) == 2 and "a page twice as long needs twice the mentions" in lesson["how-length"]
    assert term_weight(6, 1.2, 1, 200, 100) == pytest.approx(term_weight(3, 1.2, 1, 100, 100))
    assert round(1 / log2(3), 2) == 0.63 and round(1 / log2(11), 2) == 0.29
    assert "0.63 of it at place 2, 0.29 at place 10" in lesson["measure"]


def test_the_code_in_the_text_is_right(lesson):
    """The two blocks in the text give what the module gives."""
    source = next(cell.source for cell in nbformat.read(LESSON, as_version=4).cells if cell.id == "how-length")
    made = {"idf": idf}
    exec(re.search(r"```python\n(.*?)```", source, re.DOTALL).group(1), made)
    documents = [["red", "tent", "red"], ["tent"], ["stove", "and", "pot", "lid"]]
    for query in (["red"], ["tent", "red", "tent"], ["lid", "yeti"]):
        for document in documents:
            assert made["score"](query, document, documents) == pytest.approx(score(query, document, documents))


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
    others = [page(["march"], 701) for _ in range(20)] + [page(["total"], 700) for _ in range(22)]
    others += [page([], 700) for _ in range(55)]
    query = ["march", "invoice", "total"]
    assert [round(score(query, words, [a, b, c, *others]), 1) for words in (a, b, c)] == [12.4, 2.1, 0.0]
    assert "Page B has 2,000 words and says invoice once" in lesson["how-length"]
    assert "the other 97 pages" in lesson["how-length"] and len(others) == 97
    assert "In the picture".lower() in lesson["how-length"] and "in 2 of 100" in lesson["how-length"]
    assert sum("invoice" in words for words in [a, b, c, *others]) == 2
    assert sum("invoice" in tokenize(text) for text in DOCUMENTS) == 2 and "in 2 of 3 pages" in lesson["how-length"]


def test_what_the_defibrillators_words_earn(lesson, larkspur):
    search = BM25(larkspur.chunks, k1_plus_1=True)
    question = "What does the defibrillator tell me to do?"
    parts = {part.name: part for part in search.explain(question, search.search(question, k=1)[0].id).parts}
    earned = {word: f"{parts[word].value:.2f}" for word in ("the", "defibrillator", "do")}
    assert f'"the", eight times, earns {earned["the"]}, and "defibrillator", once, {earned["defibrillator"]}' \
        in lesson["how-words"] and f"it earns {earned['do']}" in lesson["how-words"]
    assert "(8 in" in parts["the"].note and "(1 in" in parts["defibrillator"].note


def test_the_tokenizers_are_compared_as_said(lesson, larkspur):
    quick = evaluate(BM25(larkspur.chunks, tokenizer=lambda text: text.lower().split()), larkspur)["metrics"]
    ours = evaluate(BM25(larkspur.chunks), larkspur)["metrics"]
    stems = evaluate(BM25(larkspur.chunks, tokenizer=lambda text: tokenize(text, stem=True)), larkspur)["metrics"]
    assert ours["Recall@10"] > quick["Recall@10"] + 0.2
    assert stems["nDCG@10"] > ours["nDCG@10"] and ours["Recall@10"] - 0.02 < stems["Recall@10"] < ours["Recall@10"]
    assert "lifts the order, nDCG@10, and costs a little recall" in lesson["words-stems"]


def test_old_glue_finds_an_invoice_and_the_red_drum_scores_nothing(lesson, larkspur):
    search, question = BM25(larkspur.chunks, k1_plus_1=True), "how do I throw out old glue?"
    query = next(query for query in larkspur.queries if query.text == question)
    hit = search.search(question, k=1)[0]
    assert hit.id.startswith("invoice") and "old glue" in next(c.text for c in larkspur.chunks if c.id == hit.id)
    matched = {part.name for part in search.explain(question, hit.id).parts if part.value}
    assert matched == {"do", "old", "glue"}
    assert [search.explain(question, id).total for _, ids in larkspur.evidence[query.id] for id in ids] == [0]
    assert query.split == "dev" and place_of_answer(search, question, larkspur.evidence[query.id]) is None
    assert "its score is 0" in lesson["fails-why"]


def test_what_the_tables_are_said_to_show(lesson, larkspur):
    def count(tf, k1, b, length, average):
        return tf

    def measured(**options):
        return evaluate(BM25(larkspur.chunks, **options), larkspur)

    with use("bm25.term_weight", count), use("bm25.idf", lambda n, df: 1.0):
        counting = measured()["metrics"]
    with use("bm25.term_weight", count):
        tf_idf = measured()["metrics"]
    with use("bm25.idf", lambda n, df: 1.0):
        no_rarity = measured()["metrics"]
    saturated, whole = measured(b=0)["metrics"], measured()
    steps = [each["nDCG@10"] for each in (counting, tf_idf, saturated, whole["metrics"])]
    said = lesson["measure-kinds"]
    assert f"Rarity lifts nDCG@10 from {steps[0]:.3f} to {steps[1]:.3f}" in said
    assert f"Saturation adds {steps[2] - steps[1]:.3f} and length {steps[3] - steps[2]:.3f}" in said
    assert f"the other two alone reach {no_rarity['nDCG@10']:.3f}" in said
    assert f"from {tf_idf['Recall@10']:.3f} to {saturated['Recall@10']:.3f}" in said

    kinds = {kind: f"{metrics['Recall@10']:.3f}" for kind, metrics in whole["by_kind"].items()}
    read = lesson["measure-times"]
    assert kinds["exact"] == kinds["rare_name"] == "1.000" and "Recall@10 is 1.000" in read
    assert f"Paraphrases are at {kinds['paraphrase']}" in read
    assert f"Filters are at {kinds['filter']}, follow-ups at {kinds['follow_up']}" in read
    assert round(100 / 6) == 17 and "one question is 17 points" in read
    assert (len(larkspur.queries), whole["queries"]) == (60, 54)
    assert "has sixty questions, six of each of ten kinds" in lesson["measure"] and "so 54 count" in lesson["measure"]


def test_with_k1_high_and_b_at_0_the_flyer_comes_first(lesson):
    shown = {}
    exec(lesson["fails-picture"], {"scores": lambda documents, query: shown.update(documents)})
    notice, flyer, rules = map(tokenize, shown.values())
    assert flyer == ["car"] * 60

    def scored(k1, b):
        return [score(["car", "repair"], words, [notice, flyer, rules], k1, b) for words in (notice, flyer, rules)]

    assert scored(1.2, 0.75)[0] > scored(1.2, 0.75)[1] and scored(1.2, 0.75)[2] == scored(3, 0)[2] == 0
    assert f"B comes first, {scored(3, 0)[1]:.2f} to {scored(3, 0)[0]:.2f}" in lesson["fails"]


def test_the_answers_of_the_exercise():
    notebook = nbformat.read(ROOT / "notebooks" / "exercises" / "03_bm25.ipynb", as_version=4)
    answers = next(cell.source for cell in notebook.cells if cell.id == "answers")
    assert invert([["red", "tent", "red"], ["tent"]]) == {"red": {0: 2}, "tent": {0: 1, 1: 1}}
    assert f"{idf(300, 100):.2f} against {idf(3, 1):.2f}" in answers
    assert length_norm(7, 7, 0.3) == pytest.approx(1) and length_norm(0, 0, 0.3) == 1


def test_the_readme_shows_what_check_says():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"    bm25\.term_weight.*?\n\n", readme, re.DOTALL).group()
    said = str(grade_task("bm25.term_weight", mistakes("bm25.term_weight")["k1_and_b_exchanged"]))
    assert [line[4:] for line in shown.rstrip().splitlines()] == said.splitlines()
