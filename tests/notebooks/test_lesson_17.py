"""The numbers that lesson 17 states in its sentences, worked out again."""

import json
import math
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
from firstprinciples.generate.correcting import ACTIONS, MINIMUM, THRESHOLD
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
    assert len(asked) == 20 and guess["answer"] == f"about {first.count('aligned')}" == "about 6"
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
        assert "Each interval reaches 0.500" in said
        assert f"{np.mean(apart):.3f}  {low:.3f} to {high:.3f}" in printed["two-code"]
        first = [clocks["about"][next(iter(two_fields.scores(way, id)))]["label"] for id in asked]
        row = next(line for line in printed["two-code"].splitlines() if line.startswith(way))
        assert row.split()[-3:] == [str(first.count(label)) for label in corrective.LABELS]
    true, false = first.count("aligned"), first.count("contradicts")  # of the last way, fused
    tail = sum(math.comb(20, heads) for heads in range(true + 1)) / 2**20
    assert f"fused, {false} to {true}, which a coin does once in {1 / tail:.0f} tries" in said


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
    assert "This half has ten. Which of them belongs to a passage" in lesson["how-signs"] and len(trusted) == 10
    pairs = [(id, about["pair"]) for id, about in clocks["about"].items() if about["pair"] and id < about["pair"]]
    apart = sum((seen(a)["opposing words"], seen(a)["opposing numbers"])
                != (seen(b)["opposing words"], seen(b)["opposing numbers"]) for a, b in pairs)
    assert printed["signs-code"].rstrip().endswith(f"{apart} of {len(pairs)}")


def test_the_two_sentences_of_the_same_words_are_that(lesson):
    one, other = re.search(r"\*\* \"(.*?)\" and \"(.*?)\" are the same words", lesson["signs-said"]).groups()
    assert one.lower() != other.lower() and sorted(one.lower().split()) == sorted(other.lower().split())
    assert grade(one, trusted_text()) == grade(other, trusted_text())


def trusted_text() -> str:
    return next(one.text for one in references() if one.id == "t2")


def test_without_a_sign_a_claim_is_called_aligned(lesson):
    from firstprinciples.generate.grader import chances

    found = {"shared": 0.3, "years": [], "names": [], "exercise": False, "opposing words": [], "opposing numbers": [],
             "agreeing numbers": []}
    given = chances(found)
    assert given["contradicts"] / (given["aligned"] + given["contradicts"]) == pytest.approx(1 / 3)
    assert "against is one third" in lesson["how-label"]


def test_what_the_second_reader_shows(lesson):
    said, walked = lesson["label-said"], {}
    for case, reader in (("lightning", "the rules"), ("muons", "the rules"), ("the ether", "the rules"),
                         ("the probe", "rules at 0.5"), ("black hole", "the labels")):
        walked[case] = second.trace(case, reader)[-1]
    grades, about = walked["lightning"]["graded"], two_fields.half()["about"]
    assert grades["s1-a"]["label"] == "contradicts" and "identical against different" in grades["s1-a"]["why"]
    for id, label in (("s1-e", "contradicts"), ("s1-b", "aligned")):
        assert grades[id]["label"] == "aligned" and about[id]["label"] == label
    assert f"called aligned with {grades['s1-e']['confidence']:.2f}, and the true s1-b with " \
        f"{grades['s1-b']['confidence']:.2f}" in said
    assert [id for id, _ in walked["lightning"]["context"]] == ["s1"] and "Neither reaches 0.80" in said
    kept = [id for id, _ in walked["muons"]["context"] if id in about]
    assert kept == ["t6-a"] and f"t6-a with {walked['muons']['graded']['t6-a']['confidence']:.2f}" in said
    ether = walked["the ether"]["graded"]
    assert ether["s6-e"]["label"] == "contradicts" and ether["s6-b"]["label"] == "uncertain" and "names of its own" in \
        ether["s6-b"]["why"] and about["s6-e"]["label"] == "contradicts" and about["s6-b"]["label"] == "aligned"
    probe = walked["the probe"]
    assert len(probe["context"]) == 5 and probe["context"][0][0] == "s10-c"
    assert {f"{probe['graded'][id]['confidence']:.2f}" for id in ("s10-c", "s10-d")} == {"0.69"} and "0.69" in said
    handed = [second.truth_of("black hole", id) for id, _ in walked["black hole"]["context"]]
    assert handed == ["true, off the point"] * 4 and "four true passages about other things" in said


def test_to_the_labels_a_passage_is_uncertain_beside_another_reference(lesson):
    last, about = second.trace("black hole", "the labels")[-1], two_fields.half()["about"]
    assert "beside a reference that is not its own" in lesson["how-label"]
    foreign = [id for id, one in last["graded"].items() if one["reference"] != about[id]["reference"]]
    assert foreign and all(last["graded"][id]["label"] == "uncertain" for id in foreign)
    assert all(one["label"] == about[id]["label"] for id, one in last["graded"].items() if id not in foreign)


def test_one_question_without_and_with_actions(printed):
    without, _, rest = printed["act-code"].partition("5 actions")
    assert "5 candidates, 0 kept" in without and "on the desk: nothing" in without
    names = re.findall(r"^   (.{23}) ", rest, re.MULTILINE)
    assert tuple(name.strip() for name in names[:5]) == ACTIONS
    assert rest.rstrip().endswith("on the desk: reference s6 (Michelson and Morley)")


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
    words = sum(len(cell.source.split()) for cell in cells if cell.cell_type == "markdown" and cell.id != "folder")
    assert words / 200 + 9 < 25.5 and "about twenty-five minutes" in cells[0].source  # 9: four pictures, and your turn


def test_the_reference_passes_its_own_check(capsys):
    check("corrective.next_action", corrective.next_action)
    assert re.search(r"(\d+) of \1 points", capsys.readouterr().out)


# What was measured


def interval(row) -> str:
    return f"({row['low']:+.3f} to {row['high']:+.3f})".replace("-", "−")


def test_what_is_said_of_the_dials(lesson, figures):
    said, dev = lesson["good-said"], figures["dev"]
    assert (figures["threshold"], figures["minimum"]) == (THRESHOLD, MINIMUM) == (0.8, 2)
    kept = trust.frame(trust.State("dev half", 0.5, 2))["counts"]
    assert f"{sum(kept.values())} passages through: {kept['aligned']} true, {kept['contradicts']} false and " \
        f"{kept['uncertain']} uncertain" in said
    chosen = trust.frame(trust.State("dev half", 0.8, 2))
    assert f"{sum(chosen['counts'].values())} passage of {chosen['passages']}" in said
    alone = trust.frame(trust.State("dev half", 0.8, 0))
    assert alone["answers"]["declined"] == 22 and "declines all 22" in said
    plain, now = chosen["plain"], chosen["answers"]
    assert f"true answers go from {plain['true']} to {now['true']} and his false ones from {plain['false']} to " \
        f"{now['false']}" in said
    assert chosen["actions"]["a trusted source"] == 22 == dev["actions"]["a trusted source"]["taken"]
    lax = trust.frame(trust.State("dev half", 0.6, 2, "reckless"))
    assert f"from 0 to {lax['answers']['false']}, as many as without a grader" in lesson["fails"]
    assert lax["answers"]["false"] == lax["plain"]["false"] and trust.frame(
        trust.State("dev half", 0.8, 2, "reckless"))["answers"]["false"] == 0


def test_the_rule_that_chose_the_dials(figures):
    sweep = figures["dev"]["sweep"]
    tried = [(row["answers"]["false"], -row["answers"]["true"], float(threshold), int(minimum))
             for threshold, rows in sweep.items() for minimum, row in rows.items()]
    assert min(tried)[2:] == (figures["threshold"], figures["minimum"])


def test_what_is_said_of_the_grader(lesson, figures):
    said, half = lesson["measure-grader-said"], figures["held_out"]
    own, found, alone = (half["grader"][name] for name in ("right reference", "found reference", "relevance alone"))
    assert f"right on {own['accuracy']:.3f} ({own['interval'][0]:.3f} to {own['interval'][1]:.3f})" in said
    assert f"one label on {half['chance']:.3f}" in said and own["interval"][0] > half["chance"]
    for name, words in (("chance", "{:+.3f} {}"), ("relevance alone", "gains {:+.3f}, and the interval holds 0 {}")):
        more = half["more_than"][name]
        assert words.format(more["difference"], interval(more)) in said
    assert half["more_than"]["relevance alone"]["low"] < 0 < half["more_than"]["chance"]["low"]
    assert f"other half: {alone['accuracy']:.3f}." in said and f"the right one it is at {found['accuracy']:.3f}" in said
    assert "precision {:.2f} and recall {:.2f}".format(*own["per_label"]["uncertain"]) in said
    assert f"Of the false ones it finds {own['per_label']['contradicts'][1]:.2f}" in said
    low, high = own["told_apart_interval"]
    assert f"told apart by {own['told_apart']:.3f} ({low:.3f} to {high:.3f})" in said and low < 0.5 < high
    pairs = half["pairs"]
    assert f"In the {pairs['n']} pairs" in said and f"stands higher in {pairs['true higher']}" in said
    assert pairs["false higher"] == 0 and 2 ** (pairs["true higher"] - 1) == 128 and "once in 128 times" in said
    assert f"In the other {pairs['equal']} the rules" in said
    scores = [half["relevance"][name]["told_apart"] for name in ("BM25", "MiniLM", "hybrid")]
    assert "{:.3f}, {:.3f} and {:.3f}".format(*scores) in said and max(scores) < 0.5
    assert len(half["passages"]) == 88 and "88 passages, 11 references, 22 questions" in lesson["measure"]
    assert corrective.chance([row[0] for row in half["passages"]]) == pytest.approx(half["chance"])


def test_what_is_said_of_the_pipelines(lesson, figures):
    said, half = lesson["measure-pipelines-said"], figures["held_out"]
    careful, reckless = half, half["reckless"]
    rows = {name: {how: part["pipelines"][name]["answers"] for how, part in (("careful", careful),
                                                                             ("reckless", reckless))}
            for name in careful["pipelines"]}
    plain, ours = rows["plain"], rows["corrective"]
    assert f"{plain['reckless']['false']} false answers of 22 and the corrective one none" in said
    apart = reckless["differences"]["corrective"]["false"]
    assert f"{apart['difference']:.3f}".replace("-", "−") + f" {interval(apart)}" in said and apart["high"] < 0
    assert f"true ones go from {plain['reckless']['true']} to {ours['reckless']['true']}" in said
    apart = careful["differences"]["corrective"]["false"]
    assert f"it is {plain['careful']['false']} and none, " + f"{apart['difference']:.3f}".replace("-", "−") \
        + f" {interval(apart)}" in said and apart["high"] == 0
    assert f"true ones from {plain['careful']['true']} to {ours['careful']['true']}" in said
    apart = careful["differences"]["corrective"]["declined"]
    assert f"declined are {plain['careful']['declined']} and {ours['careful']['declined']}, " \
        + f"{apart['difference']:.3f}".replace("-", "−") + f" {interval(apart)}" in said
    assert ours["careful"]["false"] == ours["reckless"]["false"] == 0
    assert rows["references alone"] == ours and "has the same four counts, with either reader" in said
    for name in ("filter alone", "without any reference"):
        assert {row["declined"] for row in rows[name].values()} == {22}
    assert "press *Reset*" in lesson["fails"]  # the dials may stand at a minimum of 0
    best = rows["perfect grader"]["reckless"]
    assert f"{best['true']} reckless answers are true, none is false and {best['off']} are off" in said
    assert best["false"] == 0 and best["true"] < ours["reckless"]["true"]
    kind = half["by_kind"]["which_first"]
    assert sum(kind["plain"].values()) == 2 and kind["plain"]["true"] == 1 and kind["corrective"]["true"] == 0
    lost = [name for name, row in half["by_kind"].items() if row["corrective"]["true"] < row["plain"]["true"]]
    assert lost == ["which_first"]
    for name in ("plain", "corrective"):
        assert careful["pipelines"][name]["unanswerable"]["declined"] == 2
        assert reckless["pipelines"][name]["unanswerable"]["answered"] == 2


def test_what_is_said_of_the_time(lesson, printed, figures):
    times, said = figures["times"], lesson["measure-actions-said"]
    plain, ours, alone = (f"{times[name]['p95']:.1f}" for name in ("plain", "corrective", "references alone"))
    assert times["questions"] == 22 and f"p95 goes from {plain} to {ours} ms" in said and f"alone take {alone}." in said
    assert said.count(f"{times['grades']:.0f} ") == 2
    for name, p95 in (("plain", plain), ("corrective", ours), ("references alone", alone)):
        lines = [line for line in printed["measure-pipelines"].splitlines() if line.startswith(f"{name} ")]
        assert len(lines) == 2 and all(p95 in line.split() for line in lines)


def test_what_is_said_of_the_actions(lesson, printed, figures):
    actions = figures["held_out"]["actions"]
    assert {row["taken"] for row in actions.values()} == {22} and "all five actions" in lesson["measure-actions-said"]
    quoted = {name: row["quoted"] for name, row in actions.items() if row["quoted"]}
    assert list(quoted) == ["a trusted source"] and f"{quoted['a trusted source']} times" in \
        lesson["measure-actions-said"] and actions["a trusted source"]["quoted true"] == quoted["a trusted source"]
    for name, row in actions.items():
        line = next(line for line in printed["measure-actions"].splitlines() if line.startswith(name))
        assert [int(n) for n in re.findall(r"\d+", line)] == list(row.values())
