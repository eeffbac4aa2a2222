"""The collection on moving clocks: whether a passage is relevant and whether it is true are two things."""

import hashlib
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from firstprinciples.__main__ import main
from firstprinciples.corpus import Collection, references
from firstprinciples.evaluate.experiment import evaluate
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.text import tokenize

FOLDER = Path(__file__).resolve().parent.parent.parent / "data" / "clocks"
SOURCES = (FOLDER.parent / "SOURCES.md").read_text(encoding="utf-8")
FILES = ("corpus.jsonl", "qrels/test.tsv", "queries.jsonl", "references.jsonl")


def lines(name):
    """Return the objects of a .jsonl file."""
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


REFERENCES, PASSAGES, QUESTIONS = lines("references.jsonl"), lines("corpus.jsonl"), lines("queries.jsonl")
ABOUT = {passage["_id"]: passage["metadata"] for passage in PASSAGES}
TEXTS = {passage["_id"]: passage["text"] for passage in PASSAGES}
RELEVANT = Collection.load(FOLDER).qrels


def test_the_files_are_those_that_were_committed_before_any_grader_was_written():
    digest = hashlib.sha256()
    for name in FILES:
        digest.update(f"{name}\n{(FOLDER / name).read_text(encoding='utf-8')}\n".encode())
    assert digest.hexdigest() in SOURCES


def test_the_collection_is_loaded_by_name_with_all_that_its_files_say():
    clocks = Collection.load("clocks")
    assert (clocks.name, len(clocks.documents), len(clocks.chunks), len(clocks.queries)) == ("clocks", 168, 168, 44)
    assert {chunk.id: chunk.text for chunk in clocks.chunks} == TEXTS
    assert {chunk.id: chunk.metadata for chunk in clocks.chunks} == ABOUT
    assert {document.id: document.metadata for document in clocks.documents} == ABOUT
    for query, record in zip(clocks.queries, QUESTIONS, strict=True):
        assert (query.id, query.text, query.kind, query.split) == tuple(record[key] for key in
                                                                         ("_id", "text", "kind", "split"))
        assert query.references == tuple(record["references"]) and query.answers == tuple(record["answers"])
    assert [(each.id, each.title, each.text, each.metadata) for each in references()] == [
        (each["id"], each["topic"], each["text"], {"source": each["source"], "split": each["split"]})
        for each in REFERENCES]


@pytest.mark.parametrize("split, counted, left", [("all", 40, 4), ("dev", 20, 2), ("held_out", 20, 2)])
def test_questions_that_no_passage_answers_are_left_out_and_counted(split, counted, left):
    clocks = Collection.load("clocks")
    result = evaluate(BM25(clocks.chunks), clocks, split)
    assert (result["queries"], result["left_out"]) == (counted, left)
    assert "unanswerable" not in result["by_kind"]


def test_evaluate_says_how_many_questions_are_left_out(capsys):
    assert main(["evaluate", "clocks", "--split", "dev"]) == 0
    assert "20 questions measured, 2 left out (nothing to find)." in capsys.readouterr().out


def test_every_passage_has_a_label_and_a_reference_to_be_judged_by():
    assert len(REFERENCES) == len({reference["id"] for reference in REFERENCES}) == 21
    assert all(reference["text"] and reference["source"] for reference in REFERENCES)
    assert len(PASSAGES) == len(TEXTS) == len(set(TEXTS.values())) == 168
    assert Counter(about["label"] for about in ABOUT.values()) == {"aligned": 64, "contradicts": 63, "uncertain": 41}
    for reference in REFERENCES:
        labels = Counter(about["label"] for about in ABOUT.values() if about["reference"] == reference["id"])
        assert labels["aligned"] >= 3 and labels["contradicts"] >= 3 and labels["uncertain"] >= 1
        assert {about["topic"] for about in ABOUT.values() if about["reference"] == reference["id"]} \
            == {reference["topic"]}
    assert all(25 <= len(text.split()) <= 70 for text in TEXTS.values())


def test_the_twins_of_a_pair_differ_in_one_word_and_in_their_label():
    pairs = {tuple(sorted((id, about["pair"]))) for id, about in ABOUT.items() if about["pair"]}
    assert len(pairs) == 33
    for one, other in pairs:
        assert ABOUT[one]["pair"] == other and ABOUT[other]["pair"] == one
        assert ABOUT[one]["reference"] == ABOUT[other]["reference"]
        assert {ABOUT[one]["label"], ABOUT[other]["label"]} == {"aligned", "contradicts"}
        words = TEXTS[one].split(), TEXTS[other].split()
        assert len(words[0]) == len(words[1]) and sum(a != b for a, b in zip(*words, strict=True)) == 1


def test_half_of_the_references_is_held_out_with_all_that_hangs_on_them():
    ids = sorted(reference["id"] for reference in REFERENCES)
    drawn = np.random.Generator(np.random.PCG64(0)).permutation(21)[:11]
    held_out = {ids[place] for place in drawn}
    for reference in REFERENCES:
        assert reference["split"] == ("held_out" if reference["id"] in held_out else "dev")
    assert all(about["split"] == ("held_out" if about["reference"] in held_out else "dev") for about in ABOUT.values())
    for question in QUESTIONS:
        if question["references"]:
            assert question["split"] == ("held_out" if question["references"][0] in held_out else "dev")
    assert Counter(about["split"] for about in ABOUT.values()) == {"dev": 80, "held_out": 88}
    assert Counter(question["split"] for question in QUESTIONS) == {"dev": 22, "held_out": 22}


def test_the_questions_are_of_eight_kinds_and_four_have_no_answer_here():
    assert len({question["_id"] for question in QUESTIONS}) == len({q["text"] for q in QUESTIONS}) == 44
    assert Counter(question["kind"] for question in QUESTIONS) == {
        "what": 8, "misled": 8, "why": 7, "does": 5, "paraphrase": 5, "number": 4, "unanswerable": 4, "which_first": 3}
    assert {id for question in QUESTIONS for id in question["references"]} == {each["id"] for each in REFERENCES}
    texts = [question["text"] for question in QUESTIONS]
    assert "Why does a moving clock run slower?" in texts
    assert "Why does time pass differently for a moving object?" in texts
    for question in QUESTIONS:
        open_to_answer = question["kind"] != "unanswerable"
        assert bool(question["references"]) == bool(question["answers"]) == open_to_answer
        assert sum(grade == 2 for grade in RELEVANT.get(question["_id"], {}).values()) >= 2 * open_to_answer
        assert open_to_answer or question["_id"] not in RELEVANT


def test_a_false_passage_is_as_relevant_as_a_true_one():
    judged = Counter(ABOUT[id]["label"] for grades in RELEVANT.values() for id, grade in grades.items() if grade == 2)
    assert judged == {"aligned": 85, "contradicts": 82, "uncertain": 2}


def test_true_and_false_passages_look_alike():
    means = {}
    for label in ("aligned", "contradicts"):
        words = [tokenize(TEXTS[id]) for id, about in ABOUT.items() if about["label"] == label]
        with_number = [any(c.isdigit() for word in each for c in word) for each in words]
        means[label] = (np.mean([len(each) for each in words]), np.mean(with_number))
    assert means["contradicts"][0] == pytest.approx(means["aligned"][0], rel=0.05)
    assert means["contradicts"][1] == pytest.approx(means["aligned"][1], abs=0.05)


def test_single_words_hardly_tell_what_is_true():
    """Naive Bayes over words, learned on all other references, is right on 72 of 127: 57 percent, by chance 50."""
    words, right = {id: set(tokenize(text)) for id, text in TEXTS.items()}, 0
    judged = [id for id, about in ABOUT.items() if about["label"] != "uncertain"]
    for reference in {about["reference"] for about in ABOUT.values()}:
        learned = {label: [words[id] for id in judged if ABOUT[id]["label"] == label
                           and ABOUT[id]["reference"] != reference] for label in ("aligned", "contradicts")}
        holds = {label: Counter(word for each in texts for word in each) for label, texts in learned.items()}
        for id in (id for id in judged if ABOUT[id]["reference"] == reference):
            scores = {label: np.log(len(texts)) + sum(np.log((holds[label][word] + 1) / (len(texts) + 2))
                                                      for word in sorted(words[id]))
                      for label, texts in learned.items()}
            right += max(scores, key=scores.get) == ABOUT[id]["label"]
    assert right == 72 and len(judged) == 127
