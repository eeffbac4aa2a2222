"""The picture of lesson 20 that works out a million chunks and a billion: each line is the product that it says."""

import math
import re

import pytest
from picture_text import words_of

from firstprinciples import swap
from firstprinciples.corpus import Collection
from firstprinciples.explore import on_paper
from firstprinciples.explore.on_paper import (
    CHUNKS,
    KINDS,
    MACHINES,
    REPLICAS,
    TEXT,
    WIDTHS,
    WORDS,
    State,
    caption,
    describe,
    frame,
    lines,
    machines,
    picture,
)
from firstprinciples.grading.mistakes import mistakes
from firstprinciples.text import tokenize

BYTES = {"float32": 4, "int8": 1, "binary": 1 / 8}
UNITS = {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15}


def said(words: str) -> float:
    number, _, unit = words.replace(",", "").partition(" ")
    return float(number) * (UNITS[unit] if unit in UNITS else {"ms": 1e-3, "s": 1, "": 1}[unit])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("chunks", [20_000, 1_000_000, 10**9])
def test_every_number_is_plain_arithmetic(chunks, kind):
    for width in WIDTHS:
        drawn = frame(State(chunks, width, kind, 64, 2))
        vectors = chunks * width * BYTES[kind]
        assert drawn["bytes"] == {"vectors": vectors, "links": chunks * 128, "lists": chunks * 384}
        memory = vectors + chunks * (128 + 384)
        assert drawn["memory"] == memory and drawn["texts"] == chunks * 315
        assert drawn["full"] == (chunks * width * 4 if kind == "binary" else 0)
        shards = max(1, math.ceil(memory / 48e9))
        assert (drawn["shards"], drawn["machines"]) == (shards, 2 * shards)
        assert drawn["exact"] == pytest.approx(vectors / shards / 1e10)
        walk = 100 * math.log2(chunks / shards) * (1e-7 + width * BYTES[kind] / 1e10)
        assert drawn["walk"] == pytest.approx(walk) and drawn["a second"] == pytest.approx(16 / walk)
        assert drawn["answer"] == pytest.approx(walk + (0.01 if kind == "binary" else 0))


@pytest.mark.parametrize("state", [State(), State(10**9), State(10**9, 384, "binary", 16, 3),
                                   State(10**10, 768, "int8"), State(10**10)])
def test_whoever_works_out_a_line_comes_to_what_stands_at_its_end(state):
    rows = {what: (how, result) for _, what, how, result in lines(frame(state))}
    for what in ("vectors", "links of the graph", "BM25's lists", "texts"):
        how, result = rows[what]
        product = math.prod(float(n) for n in re.findall(r"[\d.]+", how.replace(",", "").replace("BM25", "")))
        assert said(result) == pytest.approx(product / (8 if "bit" in how else 1), rel=0.006), what
    how, result = rows["shards"]
    memory, machine, used = re.match(r"(.*) ÷ \((\d+ GB) × ([\d.]+)\)", how).groups()
    assert said(result) == pytest.approx(math.ceil(said(memory) / said(machine) / float(used)), rel=0.006)
    how, result = rows["a walk: seconds"]
    distances, one = re.match(r"([\d,]+) × \(0.1 µs \+ ([\d,]+) bytes", how).groups()
    assert said(result) == pytest.approx(said(distances) * (1e-7 + said(one) / 1e10), rel=0.006)
    replicas, walk = re.match(r"(\d) replicas? × 8 cores ÷ (.*)", rows["questions a second"][0]).groups()
    assert said(rows["questions a second"][1]) == pytest.approx(8 * int(replicas) / said(walk), rel=0.06)
    how, result = rows["exact search, one core"]
    vectors, shards = re.match(r"(.*) ÷ ([\d,]+) shards? ÷ 10 GB/s", how).groups()
    assert said(result) == pytest.approx(said(vectors) / said(shards) / 1e10, rel=0.011)


def test_no_number_is_written_with_an_exponent():
    assert "46,080 GB ÷ (64 GB × 0.75)" in words_of(picture(frame(State(10**10)), None, None))
    for chunks in CHUNKS:
        assert not re.search(r"\de[+-]?\d", words_of(picture(frame(State(chunks)), None, None)))


def test_the_averages_are_those_of_larkspur():
    chunks = Collection.load("larkspur").chunks
    assert round(sum(len(chunk.text.encode()) for chunk in chunks) / len(chunks)) == TEXT
    assert round(sum(len(set(tokenize(chunk.text))) for chunk in chunks) / len(chunks)) == WORDS


def test_a_square_for_each_machine_as_far_as_there_is_room():
    assert machines(frame(State(10**6, replicas=3))).count("<rect") == 3
    drawn = machines(frame(State(10**9, 384, "float32", 64, 2)))
    assert drawn.count("<rect") == 2 * 26 and drawn.count("… 43") == 2
    html = picture(frame(State()), None, None) + on_paper().style
    assert min(int(size) for size in re.findall(r"font-size:\s?(\d+)px", html)) >= 12
    assert "1,000,000 chunks on 2 machines" in words_of(html)


def test_the_dials_move_and_what_was_stays_beside():
    stage = on_paper()
    assert stage.label == describe(frame(State())) and "2 machines" in stage.label
    stage.controls["chunks"].value = 10**9
    assert "was 4.10 GB" in words_of(stage.drawing) and "the machines from 2 to 192" in stage.words.value
    stage.controls["memory"].value = 512
    assert "Each question goes to all of them" in stage.words.value
    stage.controls["replicas"].value = 3
    assert "From 2 replicas to 3" in stage.words.value and "One question still takes" in stage.words.value
    stage.controls["kind"].value = "binary"
    assert "binary in place of float32" in stage.words.value and "rescoring from disk" in stage.words.value
    stage.controls["width"].value = 384
    assert "vectors of 384 numbers in place of" in stage.words.value
    stage.reset()
    assert stage.frame == frame(State())
    stage.close()


def test_every_place_of_the_dials_can_be_drawn():
    for chunks in CHUNKS:
        for width, memory, replicas in zip(WIDTHS, MACHINES, REPLICAS, strict=False):
            for kind in KINDS:
                drawn = frame(State(chunks, width, kind, memory, replicas))
                assert "nan" not in picture(drawn, frame(State()), None) and caption(drawn, None)


@pytest.mark.parametrize("given, said", [
    ({"chunks": 0}, "chunks is 0; it is a whole number from 1"), ({"width": 1.5}, "width is 1.5"),
    ({"kind": "int4"}, "There is no kind 'int4'; there are float32"), ({"replicas": 11}, "replicas is 11"),
    ({"memory": True}, "memory is True")])
def test_what_can_not_be_worked_out_is_refused(given, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        on_paper(**given)


def test_every_mistake_in_memory_is_drawn_or_replaced():
    for name, wrong in mistakes("quantize.memory").items():
        with swap.use("quantize.memory", wrong):
            stage = on_paper()
            assert "nan" not in stage.drawing and "running on your memory" in stage.label, name
            stage.close()
