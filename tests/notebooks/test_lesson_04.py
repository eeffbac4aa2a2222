"""The numbers that lesson 04 states in its sentences, worked out again."""

import json
import math
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest

from firstprinciples.corpus import Collection
from firstprinciples.encode.stored import minilm
from firstprinciples.evaluate.compare import differences
from firstprinciples.evaluate.experiment import evaluate
from firstprinciples.explore import three_measures, two_vectors
from firstprinciples.explore.onto_circle import trace
from firstprinciples.explore.three_measures import caption
from firstprinciples.grading.check import grade_task
from firstprinciples.index.cosine import Exact, angle, norm, normalize, similarities, similarity, top_k
from firstprinciples.retrieve.bm25 import BM25, idf
from firstprinciples.retrieve.dense import Dense
from firstprinciples.text import tokenize

ROOT = Path(__file__).resolve().parent.parent.parent
LESSON = ROOT / "notebooks" / "04_cosine.ipynb"


@pytest.fixture(scope="module")
def sources():
    """Return {cell id: source} of lesson 04, as it stands."""
    return {cell.id: cell.source for cell in nbformat.read(LESSON, as_version=4).cells}


@pytest.fixture(scope="module")
def lesson(sources):
    """Return {cell id: source}, each run of spaces one space."""
    return {id: " ".join(source.split()) for id, source in sources.items()}


@pytest.fixture(scope="module")
def run(sources):
    """Return the names that the lesson's own cells make, up to the encoder and the ranking by a measure."""
    made = {}
    for id in ("setup", "encoder"):
        exec(sources[id].replace("Path.cwd()", f"Path({str(ROOT)!r})"), made)
    made["raw"] = np.array([made["counting"].count(text) for text in made["texts"].values()])
    exec(sources["measure-code"].split("squares = ")[0], made)
    return made


@pytest.fixture(scope="module")
def results(run):
    """Evaluate the five searches of the lesson."""
    raw, chunks, larkspur = run["raw"], run["chunks"], run["larkspur"]
    squares = np.sum(raw**2, axis=1)
    rarity = run["WordCounts"](chunks, weigh=lambda df: idf(len(chunks), df))
    return {
        "distance": evaluate(run["ByMeasure"](lambda q: -(squares + q @ q - 2 * raw @ q)), larkspur),
        "dot": evaluate(run["ByMeasure"](lambda q: raw @ q), larkspur),
        "cosine": evaluate(Dense(chunks, run["counting"]), larkspur),
        "rarity": evaluate(Dense(chunks, rarity), larkspur),
        "BM25": evaluate(BM25(chunks), larkspur),
    }


def test_what_dragging_is_said_to_show(lesson):
    stage = two_vectors()
    first = stage.frame
    stage.controls["tips"].value = [[2, 0.5], [1, 2]]
    half, said = stage.frame, lesson["watch-said"]
    stage.close()
    assert "to (2, 0.5)" in lesson["watch"] and half["lengths"][0] == pytest.approx(first["lengths"][0] / 2)
    assert f"the same angle to `b`, {first['angle']:.0f} degrees, and the same cosine, {first['cosine']:.2f}" in said
    assert half["cosine"] == pytest.approx(first["cosine"])
    assert f"The dot product falls from {first['dot']:.2f} to {half['dot']:.2f}" in said
    assert f"and the distance from {first['distance']:.2f} to {half['distance']:.2f}" in said
    assert "1 for one direction, 0 at a right angle, and −1 for the opposite" in said
    assert [round(similarity([4, 1], b), 9) for b in ([8, 2], [-1, 4], [-4, -1], [0, 0])] == [1, 0, -1, 0]
    assert "with Shift, four steps at once" in lesson["watch"]


def test_the_texts_count_to_the_pages_of_the_picture(lesson, sources):
    stage = three_measures()
    texts = re.findall(r'"([A-Z][^"]{10,})"', sources["counts"])
    found = [[tokenize(text).count(word) for word in ("tent", "invoice")] for text in texts]
    assert found == [stage.frame["question"], *stage.frame["pages"].values()]
    stage.close()
    assert "ends at (1, 1)" in lesson["how-count"] and "twice as far" in lesson["how-length"]
    assert "Page C never says \"invoice\"" in lesson["how-length"]


def test_what_the_three_measures_say(lesson):
    stage, said = three_measures(), lesson["measures-said"]
    first = stage.frame
    stage.controls["copies"].value = 4
    long = stage.frame
    stage.controls["copies"].value = 0
    empty = stage.frame
    stage.fill({"copies": 1, "question": 0})
    silent = stage.frame
    stage.close()
    assert f"puts B first, {first['values']['dot']['B']:.2f}" in said and first["order"]["dot"][0] == "B"
    assert f"puts C first, {first['values']['distance']['C']:.2f}" in said and first["order"]["distance"][0] == "C"
    assert f"puts A first: {first['values']['cosine']['A']:.2f}" in said and first["order"]["cosine"][0] == "A"
    assert f"wins by dot product, with {long['values']['dot']['A']:.2f}" in said and long["order"]["dot"][0] == "A"
    assert f"last by distance, at {long['values']['distance']['A']:.2f}" in said
    assert long["order"]["distance"][-1] == "A"
    assert long["values"]["cosine"] == pytest.approx(first["values"]["cosine"])
    assert f"as it was when it held the answer, {first['values']['distance']['A']:.2f}" in said
    assert empty["values"]["distance"]["A"] == pytest.approx(first["values"]["distance"]["A"])
    assert set(silent["values"]["dot"].values()) == set(silent["values"]["cosine"].values()) == {0}
    assert silent["order"]["cosine"] == ["A", "B", "C"] and "the order is that of the names" in said


def test_the_code_and_the_formulas_in_the_text_are_right(lesson, sources):
    made = {"norm": norm}
    exec(re.search(r"```python\n(.*?)```", sources["how-angle"], re.DOTALL).group(1), made)
    for a, b in [([1, 1], [4, 1]), ([1, 2, 3], [-3, 0.5, 2]), ([0, 0], [1, 2])]:
        assert made["similarity"](a, b) == pytest.approx(similarity(a, b))
    short = [0.6e-10, 0.8e-10]
    with_constant = np.dot(short, short) / (norm(short) + 1e-8) ** 2
    assert f"two parallel vectors of length 0.0000000001 get {with_constant:.3f} and not 1" in lesson["how-angle"]
    assert similarity(short, short) == pytest.approx(1) and norm(short) == pytest.approx(1e-10)
    assert math.isinf(1e200 * 1e200) and "the square of 1e200 fits into no float" in lesson["how-angle"]
    a, b = normalize([1.0, 2, 3]), normalize([2.0, -1, 5])
    assert np.sum((a - b) ** 2) == pytest.approx(2 - 2 * similarity(a, b))
    assert angle([1, 1], [1, 0]) == pytest.approx(45)


def test_what_counts_as_a_large_cosine(lesson, run):
    larkspur, texts, said = run["larkspur"], run["texts"], lesson["many-said"]
    dev = [query for query in larkspur.queries if query.split == "dev"]
    asked = [query for query in dev if any(holders for _, holders in larkspur.evidence[query.id])]
    hopeless = [query for query in dev if not larkspur.evidence[query.id]]
    encoder = minilm()
    rows = encoder.encode_passages(list(texts.values()))
    cosines = encoder.encode_queries([query.text for query in asked]) @ rows.T
    place = {id: i for i, id in enumerate(texts)}
    answers = [max(cosines[i][place[id]] for _, holders in larkspur.evidence[query.id] for id in holders)
               for i, query in enumerate(asked)]
    none = (encoder.encode_queries([query.text for query in hopeless]) @ rows.T).max(axis=1)
    assert f"half of all chunks lie below {np.median(cosines):.2f}" in said
    assert f"an answer is at {np.median(answers):.2f} in the middle" in said
    first, without = np.median(cosines.max(axis=1)), np.median(none)
    assert f"at {first:.2f} where there is an answer, and at {without:.2f} where there is none" in said
    assert without > first  # "no line can be drawn"
    assert encoder.dim == 384 and "384 numbers a text" in lesson["many"]


def test_the_glue_and_the_page_of_one_word(lesson, run):
    chunks, counting = run["chunks"], run["counting"]
    question, answer = "how do I throw out old glue?", "repair-bench-closing#3"
    assert f'"{question}"' in lesson["fails-words"] and f'"{answer}"' in lesson["fails-words"]
    assert "adhesive" in run["texts"][answer] and Dense(chunks, counting).explain(question, answer).total == 0
    place = [hit.id for hit in Dense(chunks, minilm()).search(question, k=9)].index(answer) + 1
    assert place == 3 and "has the answer in the third place" in lesson["fails-short"]
    places = []
    for asked in re.findall(r'"([^"]+)"', lesson["fails-one-word"].split("[")[1].split("]")[0]):
        vector = counting.count(asked)
        stub = similarities(vector, [counting.count("tent")])[0]
        places.append(1 + sum(cosine > stub for _, cosine in run["index"].search(vector, k=len(run["index"]))))
    assert places == [1, 1, 4] and "The stub stands first, first and fourth" in lesson["fails-sides"]


def test_one_side_forgotten(lesson, run):
    asked = run["counting"].count("How do I dry a wet tent?")
    right, raw = normalize(run["raw"]) @ normalize(asked), run["raw"]
    assert normalize(raw) @ asked == pytest.approx(right * norm(asked))  # the same number for all: the order stays
    best = [[place for place, _ in top_k(values.round(9), 3)] for values in (right, raw @ asked)]
    assert best[0] != best[1] and "the order stays" in lesson["fails-sides"]
    assert normalize(normalize(raw)) == pytest.approx(normalize(raw))
    index = Exact(dim=2)
    index.add([[1, 0], [0, 1]])
    assert index.search([0, 0], k=2) == [("0", 0.0), ("1", 0.0)] and BM25(run["chunks"]).search("zzz?", k=2) == []


def test_what_was_measured(lesson, results):
    def said(metric, name):
        return f"{results[name]['metrics'][metric]:.3f}"

    text = lesson["measure-said"]
    recall = [said("Recall@10", name) for name in ("distance", "dot", "cosine")]
    assert f"from {recall[0]} by distance to {recall[1]} by dot product to {recall[2]} by cosine" in text
    gain = differences(results["dot"], results["cosine"], ("nDCG@10",))["nDCG@10"]
    assert f"gains {gain['difference']:.3f} in nDCG@10" in text and gain["low"] > 0.05  # "well above 0"
    assert f"BM25 beats it by far, {said('nDCG@10', 'BM25')} to {said('nDCG@10', 'cosine')}" in text
    last = differences(results["rarity"], results["BM25"], ("nDCG@10", "Recall@10"))
    assert last["nDCG@10"]["low"] < 0 < last["nDCG@10"]["high"] and "in nDCG@10 the interval" in text
    assert f"BM25 is behind, {said('Recall@10', 'BM25')} to {said('Recall@10', 'rarity')}" in text
    assert -0.01 < last["Recall@10"]["high"] < 0  # "lies only just below 0"
    assert results["BM25"]["queries"] == 270 and "270 of its 300 questions" in lesson["measure"]


def test_distance_picks_the_shortest_and_the_dot_product_the_longest(lesson, run):
    raw, chunks = run["raw"], run["chunks"]
    squares, lengths = np.sum(raw**2, axis=1), np.sum(raw, axis=1)
    dev = [query for query in run["larkspur"].queries if query.split == "dev"]
    ranks = {"short": lambda q: -(squares + q @ q - 2 * raw @ q), "long": lambda q: raw @ q}
    mean = {name: np.mean([lengths[np.argmax(rank(run["counting"].count(query.text)))] for query in dev])
            for name, rank in ranks.items()}
    assert mean["short"] < np.percentile(lengths, 5) and mean["long"] > np.percentile(lengths, 95)
    assert "Distance picks the shortest chunks, the dot product the longest" in lesson["measure-said"]
    assert len(chunks) == 704


def test_what_is_said_of_the_kinds(lesson, results):
    text = lesson["measure-kinds-said"]
    recall = {name: {kind: row["Recall@10"] for kind, row in results[name]["by_kind"].items()} for name in results}
    para = [f"{recall[name]['paraphrase']:.3f}" for name in ("cosine", "rarity", "BM25")]
    assert f"the paraphrases: {para[0]}, {para[1]} and {para[2]}" in text
    assert all(recall["rarity"][kind] > recall["cosine"][kind] for kind in recall["cosine"])  # "lifts every row"


def test_an_empty_page_is_the_exception_on_the_circle(lesson):
    said = lesson["circle-said"]
    question, half = normalize([1.0, 1.0]), [math.cos(math.radians(105)), math.sin(math.radians(105))]  # 60 degrees off
    assert similarity(question, half) == pytest.approx(0.5)
    away = [math.dist(question, [0, 0]), math.dist(question, half)]
    assert away == pytest.approx([1, 1]) and f"at distance {away[0]:.2f} from every question" in said
    assert "the distance of a page with cosine 0.5" in said
    less = normalize([-1.0, 2.0])  # on the circle, and further than the empty page though more alike
    assert similarity(question, less) > similarity(question, [0, 0]) and math.dist(question, less) > away[0]
    assert "but for vectors of zeros" in lesson["remember"]
    last = trace()[-1]
    assert last["table"]["D"]["distance"] == pytest.approx(1) and last["vectors"]["D"] == [0, 0]


def test_asking_three_times_over(lesson):
    """Try 3 of the three measures: the sentence says what the picture shows; page A, emptied, is not always near."""
    start, thrice = three_measures().frame, three_measures(question=3).frame
    assert "the distance now puts {} first, then {}, then {}, where it was {}, {}, {}".format(
        *thrice["order"]["distance"], *start["order"]["distance"]) in lesson["measures-said"]
    assert all(start["order"][key] == thrice["order"][key] for key in ("dot", "cosine"))
    assert "The other two keep theirs" in lesson["measures-said"]
    assert len({start["order"][key][0] for key in start["order"]}) == 3 and "Each puts another page first." in \
        lesson["measures"]
    emptied = {times: caption(three_measures(times, 0).frame, None) for times in (1, 3)}
    assert emptied[1].endswith("By distance, 1.41, it still passes page B.")
    assert emptied[3].endswith("By distance, 4.24, it is the last.")


def test_the_times_are_those_of_the_dated_file(lesson, run):
    times = json.loads((ROOT / "notebooks" / "times.json").read_text(encoding="utf-8"))
    assert times["counts"]["dim"] == run["counting"].dim and times["counts"]["p95"] > times["bm25"]["p95"]
    filled = np.mean([np.count_nonzero(row) for row in run["raw"]])
    assert f"all {run['counting'].dim:,} numbers of all {len(run['texts'])} chunks, though of each only {filled:.0f}" \
        in lesson["times-said"]
    rows = minilm().encode_passages(list(run["texts"].values()))
    assert f"{rows.shape[1]} in MiniLM, and hardly any of them is 0" in lesson["times-said"]
    assert np.mean(rows == 0) < 0.03


def test_no_held_out_question_stands_in_the_lesson_or_its_exercise(sources):
    exercise = nbformat.read(ROOT / "notebooks" / "exercises" / "04_cosine.ipynb", as_version=4)
    text = " ".join([*sources.values(), *(cell.source for cell in exercise.cells)])
    held_out = [query.text for query in Collection.load("larkspur").queries if query.split == "held_out"]
    assert held_out and not [question for question in held_out if question in text]


def test_the_task_of_the_lesson_is_a_stub(sources):
    made = {}
    exec(sources["your-similarity"], made)
    assert not grade_task("cosine.similarity", made["similarity"]).attempted
