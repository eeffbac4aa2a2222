"""The numbers that lesson 17 states in its sentences, worked out again."""

import json
import re
from math import comb
from pathlib import Path

import nbformat
import numpy as np
import pytest

from firstprinciples.corpus import Collection, references
from firstprinciples.evaluate.experiment import bootstrap_interval, draw_resamples
from firstprinciples.explore import corrective as second
from firstprinciples.explore import trust, two_fields
from firstprinciples.explore.guess import QUESTIONS
from firstprinciples.generate import corrective
from firstprinciples.generate.correcting import ACTIONS, FURTHER
from firstprinciples.generate.grader import REACH, grade, signs
from firstprinciples.grading import check

ROOT = Path(__file__).resolve().parent.parent.parent
LESSON = ROOT / "notebooks" / "17_corrective_rag.ipynb"
WAYS = ("by words", "by meaning", "fused")


@pytest.fixture(scope="module")
def figures():
    return json.loads((ROOT / "notebooks" / "corrective.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def clocks():
    """Return the half that may be looked at."""
    return two_fields.half()


@pytest.fixture(scope="module")
def trusted():
    return {one.id: one.text for one in references() if one.metadata["split"] == "dev"}


def field(clocks, way, question, label):
    found, grades = two_fields.scores(way, question), clocks["grades"][question]
    return [found.get(id, 0.0) for id in grades if clocks["about"][id]["label"] == label]


def drawn(question, way, keep=3):
    return two_fields.frame(two_fields.State(question, way, keep))


# Two fields


def test_the_collection_is_told_as_it_is(lesson, printed, clocks):
    labels = [about["label"] for about in clocks["about"].values()]
    counts = {label: labels.count(label) for label in corrective.LABELS}
    assert printed["setup"].startswith("80 passages: 31 aligned, 30 contradicts, 19 uncertain; 22 questions")
    assert tuple(counts.values()) == (31, 30, 19)
    whole = [document.metadata["label"] for document in Collection.load("clocks").documents]
    assert abs(whole.count("aligned") - whole.count("contradicts")) == 1 and "as many false" in lesson["setup-said"]
    scores = two_fields.scores("by words", "q-37")
    assert [f"{scores[id]:.2f}" for id in ("s10-c", "s10-d")] == ["12.61"] * 2 and "12.61" in lesson["setup-said"]
    text = clocks["passages"]["s10-c"].text
    assert "1.0 c" in text and "0.8 c" in clocks["passages"]["s10-d"].text
    assert "1.0" not in clocks["questions"]["q-37"].text and "0.8" not in clocks["questions"]["q-37"].text


def test_the_guess(clocks):
    guess = QUESTIONS["corrective.first_true"]
    asked = [id for id, judged in clocks["grades"].items() if judged]
    first = [clocks["about"][next(iter(two_fields.scores("by meaning", id)))]["label"] for id in asked]
    assert len(asked) == 20 and guess["answer"] == str(first.count("aligned")) == "6"
    assert f"the other {first.count('contradicts')} are false" in guess["because"] and first.count("uncertain") == 0
    tail = sum(comb(20, heads) for heads in range(7)) / 2**20
    assert round(1 / tail) == 17 and "one of 17 tries" in guess["because"]
    assert "31 agree" in guess["question"] and "30 contradict" in guess["question"]


def test_what_the_two_rows_show(lesson):
    said = lesson["watch-said"]
    pair = drawn("the probe", "by meaning")["pair"]
    assert "{:.2f} to {:.2f}".format(*(pair[label]["score"] for label in ("aligned", "contradicts"))) in said
    assert "0.69 to 0.68" in said and drawn("the probe", "by words")["pair"]["aligned"]["score"] == \
        drawn("the probe", "by words")["pair"]["contradicts"]["score"]
    rows = drawn("light clock", "by meaning")["rows"]
    assert min(score for _, score in rows["contradicts"]) > max(score for _, score in rows["aligned"])
    pair = drawn("small speeds", "by words")["pair"]
    assert f"has {pair['aligned']['score']:.2f} by words and the false one {pair['contradicts']['score']:.2f}" in said
    assert pair["aligned"]["words"][1] == "small" and pair["contradicts"]["words"][1] == "large"
    assert "small" in two_fields.half()["questions"]["q-34"].text
    for keep in range(1, 21):  # no cut keeps true ones and drops the false
        counts = drawn("the probe", "by words", keep)["counts"]
        assert counts["contradicts"] >= counts["aligned"]


def test_how_far_the_scores_are_apart(lesson, printed, clocks):
    asked, said = [id for id, judged in clocks["grades"].items() if judged], lesson["two-said"]
    for way, words in zip(WAYS, ("by words", "by meaning", "fused"), strict=True):
        apart = [corrective.told_apart(field(clocks, way, id, "aligned"), field(clocks, way, id, "contradicts"))
                 for id in asked]
        low, high = bootstrap_interval(apart, draw_resamples(20, 2000, 0))
        assert f"{np.mean(apart):.3f} {words}" in said and high > 0.4995 and np.mean(apart) < 0.5
        assert f"{np.mean(apart):.3f}  {low:.3f} to {high:.3f}" in printed["two-code"]
        first = [clocks["about"][next(iter(two_fields.scores(way, id)))]["label"] for id in asked]
        row = next(line for line in printed["two-code"].splitlines() if line.startswith(way))
        assert row.split()[-3:] == [str(first.count(label)) for label in corrective.LABELS]


def test_the_worked_row(lesson, printed):
    places = [list(two_fields.scores(way, "q-37")).index("s10-c") + 1 for way in WAYS[:2]]
    score = two_fields.scores("fused", "q-37")["s10-c"]
    assert places == [1, 2] and score == pytest.approx(1 / 61 + 1 / 62) and f"{score:.4f}" == "0.0325"
    assert "s10-c, contradicts: BM25 rank 1, dense rank 2, 1/61 + 1/62 = 0.0325" in printed["two-code"]
    assert "1/61 + 1/62 = 0.0325" in lesson["two-said"] and f"2/61 = {2 / 61:.4f}" in lesson["two-said"]
    assert list(two_fields.scores("fused", "q-37"))[0] == "s10-c"


def test_the_formula_beside_it_is_the_courses(lesson, clocks):
    shown = next(cell.source for cell in nbformat.read(LESSON, as_version=4).cells if cell.id == "how-two")
    code = re.search(r"```python\n(.*?)```", shown, re.DOTALL)[1]
    for way in WAYS:
        given = {"true": field(clocks, way, "q-37", "aligned"), "false": field(clocks, way, "q-37", "contradicts")}
        expected = corrective.told_apart(given["true"], given["false"])
        exec(code, given)
        assert given["told_apart"] == expected


# The signs and the label


def test_the_signs_are_told_as_they_are(lesson, printed, clocks, trusted):
    def seen(id):
        return signs(clocks["passages"][id].text, trusted[clocks["about"][id]["reference"]])

    opposites = {id: seen(id)["opposing words"] for id in ("s1-a", "s6-a", "s8-b", "s6-d", "t6-c", "t2-h", "t3-a")}
    assert opposites["s1-a"] == [["identical", "different"]] and opposites["s8-b"] == [["large", "small"]]
    assert opposites["s6-d"] == [["not_beam", "beam"], ["not_split", "split"]] and "two telling words" in \
        lesson["how-signs"] and REACH == 2
    assert opposites["s6-a"] == [["more", "less"]] and 1.6 in seen("t3-a")["opposing numbers"]
    assert opposites["t6-c"] == opposites["t2-h"] == []
    assert "shorter" in clocks["passages"]["t6-c"].text and "longer" in trusted["t6"]
    assert "less time" in clocks["passages"]["t2-h"].text and "takes longer" in trusted["t2"]
    false, true = seen("s10-c"), seen("s10-d")
    assert false["opposing words"] == true["opposing words"] == [] and false["opposing numbers"] == []
    assert false["agreeing numbers"] == [0.5, 1.0] and true["agreeing numbers"] == [0.5, 0.8]
    assert "(1 + u v" in trusted["s10"] and "has a 1" in lesson["signs-said"]
    assert clocks["about"]["t6-e"]["pair"] == "t6-c"
    pairs = [(id, about["pair"]) for id, about in clocks["about"].items() if about["pair"] and id < about["pair"]]
    apart = sum((seen(a)["opposing words"], seen(a)["opposing numbers"])
                != (seen(b)["opposing words"], seen(b)["opposing numbers"]) for a, b in pairs)
    assert printed["signs-code"].rstrip().endswith(f"{apart} of {len(pairs)}")


def test_without_a_sign_a_claim_is_called_aligned(lesson):
    from firstprinciples.generate.grader import chances

    found = {"shared": 0.3, "years": [], "names": [], "exercise": False, "opposing words": [], "opposing numbers": [],
             "agreeing numbers": []}
    given = chances(found)
    assert given["contradicts"] / (given["aligned"] + given["contradicts"]) == pytest.approx(1 / 3)
    assert "against is one third" in lesson["how-label"]


def test_what_the_trace_of_the_ether_prints(printed):
    lines = printed["act-code"].splitlines()
    assert [line[:23].strip() for line in lines[:5]] == list(ACTIONS) and FURTHER == 3


def test_a_changed_reference_turns_the_labels_round(lesson, printed, clocks, trusted):
    wrong = trusted["s8"].replace("speeds that are small", "speeds that are large")
    assert wrong != trusted["s8"]
    labels = [grade(clocks["passages"][id], reference).label for reference in (trusted["s8"], wrong)
              for id in ("s8-d", "s8-b")]
    assert labels == ["aligned", "contradicts", "contradicts", "aligned"]
    assert [line.split(": ")[1].split()[0] for line in printed["wrong-code"].splitlines()] == labels


def test_a_function_in_place_of_the_rules(printed, clocks, trusted):
    assert "by_hand: contradicts 0.95, by llm." in printed["model-code"]
    label, confidence = (lambda one: (one.label, one.confidence))(grade(clocks["passages"]["s10-c"], trusted["s10"]))
    for name in ("none", "raises", "chats"):
        assert f"{name}: {label} {confidence:.2f}, by rules." in printed["model-code"]


def test_bills_that_add_up(lesson, printed):
    lines = dict(re.split(r"  +", line, maxsplit=1) for line in printed["rule-code"].splitlines())
    assert [name for name, said in lines.items() if said == "does not"] == [
        "invoice-1047", "invoice-1069", "invoice-1042 changed"] or lines["invoice-1042 changed"] == "does not"
    texts = {document.id: document.text for document in Collection.load("larkspur").documents}
    for name in ("invoice-1047", "invoice-1069"):
        assert name.removeprefix("invoice-") in lesson["rule-said"] and "| -$" in texts[name]
    assert "-$123.30" in texts["invoice-1047"] and "-$123.30" in lesson["rule-said"]


def test_no_held_out_reference_or_passage_is_used(lesson):
    ids = {document.id for document in Collection.load("clocks").documents if document.metadata["split"] == "held_out"}
    everything = " ".join(lesson.values())
    assert not [id for id in ids if re.search(rf"(?<![\w-]){id}(?![\w-])", everything)]
    assert set(second.CASES.values()) | set(two_fields.ASKED.values()) <= set(two_fields.half()["questions"])


def test_the_lesson_takes_the_time_it_says():
    cells = nbformat.read(LESSON, as_version=4).cells
    words = sum(len(cell.source.split()) for cell in cells if cell.cell_type == "markdown")
    assert words / 200 + 9 < 25 and "about twenty-five minutes" in cells[0].source  # 9: four pictures, and your turn


def test_the_reference_passes_its_own_check(capsys):
    check("corrective.next_action", corrective.next_action)
    assert re.search(r"(\d+) of \1 points", capsys.readouterr().out)


def test_the_dials_begin_at_what_was_chosen(figures):
    assert figures["threshold"] in trust.thresholds()
