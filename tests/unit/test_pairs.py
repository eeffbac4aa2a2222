"""The training pairs keep to what data/SOURCES.md states, and share no question and no quote with Larkspur."""

import json
import re

import pytest

from firstprinciples.corpus import DATA
from firstprinciples.encode.pairs import FIELDS, PAIRS, draw_topics, read_pairs, vocabulary
from firstprinciples.text import tokenize

TRAINING, HELD_OUT = read_pairs()
ALL = TRAINING + HELD_OUT
ADDED = {"keys-and-access", "newsletters-and-events", "recycling-and-waste"}  # after the draw; never in it
QUESTIONS = [json.loads(line) for line in (DATA / "larkspur/questions.jsonl").read_text(encoding="utf-8").splitlines()]


def topics(pairs):
    return {pair["topic"] for pair in pairs}


def runs(text, n):
    """Return the runs of n words in a text."""
    words = tokenize(text)
    return {tuple(words[i : i + n]) for i in range(len(words) - n + 1)}


def alike(one, other):
    """Return the Jaccard similarity of two sets of words."""
    return len(one & other) / len(one | other)


def test_how_many_there_are():
    assert (len(TRAINING), len(HELD_OUT)) == (840, 192)
    assert (len(topics(TRAINING)), len(topics(HELD_OUT))) == (35, 8)


def test_the_split_is_by_topic():
    assert not topics(TRAINING) & topics(HELD_OUT)
    assert not any(topic.startswith("map-") for topic in topics(HELD_OUT))


def test_the_held_out_topics_were_drawn_from_the_first_forty():
    first = topics(ALL) - ADDED
    assert len(first) == 40
    assert draw_topics(sorted(first)) == sorted(topics(HELD_OUT))
    assert draw_topics(sorted(first, reverse=True)) == sorted(topics(HELD_OUT))
    assert (PAIRS / "held_out.txt").read_text(encoding="utf-8").split() == sorted(topics(HELD_OUT))


def test_the_topics_added_after_the_draw_are_for_training_only():
    assert topics(TRAINING) >= ADDED
    assert sum(pair["topic"] in ADDED for pair in TRAINING) == 72
    said = (DATA / "SOURCES.md").read_text(encoding="utf-8")
    assert "after the draw" in said and all(f"`{topic}`" in said for topic in ADDED)


def test_each_record_is_whole():
    ids = [pair["id"] for pair in ALL]
    assert len(set(ids)) == len(ids)
    for pair in ALL:
        assert list(pair) == list(FIELDS)
        assert re.fullmatch(rf"{re.escape(pair['topic'])}-\d\d\d", pair["id"])
        assert (PAIRS / f"{pair['topic']}.jsonl").exists()
        for side in ("question", "passage"):
            assert pair[side] == " ".join(pair[side].split()) and len(tokenize(pair[side])) >= 3, pair["id"]


def test_each_file_holds_its_own_topic():
    for path in PAIRS.glob("*.jsonl"):
        lines = path.read_text(encoding="utf-8").splitlines()
        assert {json.loads(line)["topic"] for line in lines} == {path.stem}
        assert len(lines) >= 20


@pytest.mark.parametrize("side", ["question", "passage"])
def test_no_text_stands_there_twice(side):
    seen = {}
    for pair in ALL:
        key = tuple(tokenize(pair[side]))
        assert key not in seen, f"{pair['id']} and {seen[key]}"
        seen[key] = pair["id"]


def test_no_question_is_nearly_one_of_larkspur():
    theirs = [(query["id"], set(tokenize(query["text"])), runs(query["text"], 7)) for query in QUESTIONS]
    assert len(theirs) == 300
    for pair in ALL:
        words, own = set(tokenize(pair["question"])), runs(pair["question"], 7)
        for id, other, their in theirs:
            assert alike(words, other) < 0.6 and not own & their, f"{pair['id']}: {pair['question']} ({id})"


def test_no_pair_shares_eight_words_in_a_row_with_a_quote():
    quoted = {run: query["id"] for query in QUESTIONS for piece in query["evidence"] for run in runs(piece["quote"], 8)}
    assert len(quoted) > 3000
    for pair in ALL:
        for side in ("question", "passage"):
            shared = runs(pair[side], 8) & set(quoted)
            assert not shared, f"{pair['id']}: {shared}"


def test_an_overlap_would_be_found():
    text = QUESTIONS[0]["text"]
    assert alike(set(tokenize(text)), set(tokenize(text.upper() + " now"))) > 0.6
    assert runs("one two three four five six seven eight", 7) == {
        ("one", "two", "three", "four", "five", "six", "seven"),
        ("two", "three", "four", "five", "six", "seven", "eight")}


def test_the_vocabulary():
    words = vocabulary(TRAINING)
    assert words == sorted(set(words)) and {"invoice", "bill", "password", "leave"} <= set(words)


# Reading


def write(folder, **files):
    for name, text in files.items():
        ending = "txt" if name == "held_out" else "jsonl"
        (folder / f"{name}.{ending}").write_text(text, encoding="utf-8")


def line(number, topic):
    return json.dumps({"id": f"{topic}-{number:03}", "topic": topic, "question": "é?", "passage": "So."}) + "\n"


def test_read_in_the_order_of_topics_and_lines(tmp_path):
    write(tmp_path, wool=line(2, "wool") + "\n" + line(1, "wool"), bees=line(1, "bees"), tides=line(1, "tides"),
          held_out="tides\n")
    training, held_out = read_pairs(tmp_path)
    assert [pair["id"] for pair in training] == ["bees-001", "wool-002", "wool-001"]
    assert [pair["id"] for pair in held_out] == ["tides-001"] and held_out[0]["question"] == "é?"


@pytest.mark.parametrize("files, said", [
    ({"held_out": ""}, "There are no pairs in "),
    ({"bees": line(1, "bees"), "held_out": "wasps"}, r"names the topic 'wasps', but there is no wasps\.jsonl\."),
    ({"bees": line(1, "bees") + "{", "held_out": ""}, r"bees\.jsonl, line 2: this is no JSON"),
    ({"bees": '{"id": "bees-001"}\n', "held_out": ""}, r"bees\.jsonl, line 1: a pair has the texts id, topic"),
    ({"bees": "[]\n", "held_out": ""}, r"bees\.jsonl, line 1: a pair has")])
def test_what_cannot_be_read(tmp_path, files, said):
    write(tmp_path, **files)
    with pytest.raises(ValueError, match=said):
        read_pairs(tmp_path)
