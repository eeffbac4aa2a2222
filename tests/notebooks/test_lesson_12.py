"""The numbers that lesson 12 states in its sentences, worked out again."""

import json
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest

from firstprinciples.encode.biencoder import toy
from firstprinciples.encode.stored import FILE, minilm
from firstprinciples.evaluate.compare import apart, differences, differences_by_kind
from firstprinciples.evaluate.experiment import evaluate
from firstprinciples.explore.codebooks import typical_error
from firstprinciples.explore.guess import QUESTIONS
from firstprinciples.explore.quantize import State, bits_of, frame, read_bits
from firstprinciples.explore.rescoring import QUESTIONS as ASKED
from firstprinciples.explore.rescoring import State as Rescored
from firstprinciples.explore.rescoring import frame as rescored_frame
from firstprinciples.explore.rescoring import means
from firstprinciples.grading import check
from firstprinciples.index.cosine import Exact
from firstprinciples.index.product import PQ, train_codebooks
from firstprinciples.index.quantize import (
    calibrate,
    from_int8,
    hamming,
    memory,
    pq_encode,
    pq_scores,
    split,
    to_bits,
    to_int8,
)
from firstprinciples.index.short_vectors import Binary, Float16, Int8
from firstprinciples.retrieve.dense import Dense

ROOT = Path(__file__).resolve().parent.parent.parent
LESSON = ROOT / "notebooks" / "12_memory.ipynb"
EXERCISE = ROOT / "notebooks" / "exercises" / "12_quantize.ipynb"
KINDS = ("float32", "float16", "int8", "binary", "binary, 100 rescored", "PQ", "PQ, 100 rescored")
NAMES = ("larkspur", "cranfield", "scifact")


def cells_of(path):
    return {cell.id: " ".join(cell.source.split()) for cell in nbformat.read(path, as_version=4).cells}


@pytest.fixture(scope="module")
def lesson():
    """Return {cell id: source} of lesson 12."""
    return cells_of(LESSON)


@pytest.fixture(scope="module")
def vectors(larkspur):
    return minilm().encode_passages([chunk.text for chunk in larkspur.chunks])


@pytest.fixture(scope="module")
def asked(larkspur):
    return minilm().encode_queries([query.text for query in larkspur.queries])


@pytest.fixture(scope="module")
def results(larkspur):
    indexes = (Exact(384), Float16(384), Int8(384), Binary(384), Binary(384, rescore=100), PQ(384),
               PQ(384, rescore=100))
    return {name: evaluate(Dense(larkspur.chunks, minilm(), index), larkspur)
            for name, index in zip(KINDS, indexes, strict=True)}


@pytest.fixture(scope="module")
def figures():
    return json.loads((ROOT / "notebooks" / "memory.json").read_text(encoding="utf-8"))


def of_ten(asked, vectors, back):
    """Return how many of the true ten other vectors find, on average."""
    tens = [np.argsort(-(asked.astype(float) @ each.T.astype(float)), axis=1, kind="stable")[:, :10].tolist()
            for each in (vectors, back)]
    return np.mean([len(set(a) & set(b)) for a, b in zip(*tens, strict=True)])


def rounded(vectors, calibration):
    low, high = calibrate(calibration)
    return from_int8(to_int8(vectors, low, high), low, high)


@pytest.fixture(scope="module")
def order(vectors):
    return np.random.Generator(np.random.PCG64(0)).permutation(len(vectors))


# The bytes


def test_the_memory_table(lesson, printed):
    sizes = {kind: memory(1_000_000, 1024, kind) for kind in ("float32", "float16", "int8", "binary")}
    assert sizes == {"float32": 4_096_000_000, "float16": 2_048_000_000, "int8": 1_024_000_000, "binary": 128_000_000}
    for kind, size in sizes.items():
        assert re.search(rf"{kind} +{size:,} bytes = {size / 1e9:.3f} GB", printed["bytes-code"])
    row = memory(1, 1024, "float32")
    assert f"One of 1,024 numbers takes {row:,} bytes, a million of them 4.1 GB" in lesson["title"]
    said = "4.1 GB, 2.0 GB, 1.0 GB and 128 MB"
    assert [f"{size / 1e9:.1f} GB" for size in [*sizes.values()][:3]] + ["128 MB"] == re.split(", | and ", said)
    assert f"A million vectors of 1,024 numbers: {said}" in lesson["bytes-said"]
    assert "4.1 GB, 2.0, 1.0, and 128 MB" in lesson["remember"]
    small = [memory(1_000_000, 384, kind) for kind in ("float32", "binary")]
    assert small == [1_536_000_000, 48_000_000] and "1.5 GB, and 48 MB" in lesson["bytes-said"]
    assert f"4.1 GB are {4.096e9 / 2**30:.2f} GiB" in lesson["how-bytes"]
    assert "1 GB is 1,000,000,000 bytes" in lesson["how-bytes"]
    assert "up to 32 neighbors" in lesson["bytes-said"] and 32 * 4 == 128 and memory(1, 384, "binary") == 48
    assert "these are 128 bytes, and the bits of a MiniLM vector are 48" in lesson["bytes-said"]
    for n, d, m in ((3, 12, 4), (1000, 1000, 8)):
        assert [memory(n, d, kind) for kind in sizes] == [4 * n * d, 2 * n * d, n * d, n * int(np.ceil(d / 8))]
        assert memory(n, d, "pq", m) == n * m


def test_the_guess():
    asked = QUESTIONS["quantize.signs"]
    found = means()["rescored"]
    assert memory(1, 384, "binary") == 48 and memory(1, 384, "float32") == 1536
    assert "48 bytes in place of 1,536" in asked["question"] and asked["answer"] == "nearly six"
    assert f"{10 * found[0]:.1f} of ten" in asked["because"] and f"{10 * found[100]:.1f} of ten" in asked["because"]


# What stands in the pictures


def test_one_number(lesson, vectors):
    drawn, said = frame(State()), lesson["watch-said"]
    assert f"The number {drawn['value']:.6f} comes back from float16 as {drawn['rows']['float16']['back']:.6f}, and " \
        f"from int8 as {drawn['rows']['int8']['back']:.6f}" in said
    assert f"which stand {drawn['step']:.6f} apart" in said
    dead = np.flatnonzero((vectors == 0).all(axis=0)).tolist()
    assert dead == [127, 223, 319] and "Dimension 127 is a surprise. It is 0 in every chunk, and so are 223 and 319" \
        in said
    assert frame(State(calibrated=2))["clipped"] and "to be back at 19" in lesson["watch"]
    power, factor = read_bits(bits_of(drawn["value"], "float32"), "float32")
    assert f"{drawn['value']:.6f} is {factor:.4f} × 2⁻⁴" in lesson["watch"] and power == -4


def test_half_the_bits(lesson):
    gap = float(np.spacing(np.float16(0.0625)))
    assert f"Numbers between 0.0625 and 0.125 then stand {gap:.6f} apart" in lesson["how-half"]


def test_one_byte(lesson, printed, vectors):
    low, high = calibrate(vectors)
    off, step = np.abs(vectors - rounded(vectors, vectors)), (high - low) / 255
    assert (off <= step / 2 + 1e-7).all() and "no number is off by more than half a step" in lesson["how-byte"]
    assert f"{np.mean(high - low):.3f} wide on average, a step {np.mean(step):.5f}" in printed["byte-code"]


def test_one_bit(lesson, printed, vectors):
    packed = to_bits(vectors)
    differ = np.array([hamming(row, packed) for row in packed]) / 384
    angles = np.degrees(np.arccos(np.clip(vectors.astype(float) @ vectors.T.astype(float), -1, 1)))
    once = np.triu(np.ones_like(differ, dtype=bool), k=1)
    worst, spreads = 0, []
    for least in range(30, 90, 10):
        pairs = once & (angles >= least) & (angles < least + 10)
        worst = max(worst, abs(angles[pairs].mean() / 180 - differ[pairs].mean()))
        spreads.append((differ - angles / 180)[pairs].std())  # from each pair's own angle: the bin's width is no error
        assert f"{pairs.sum():,}" in printed["bit-code"]
    said = lesson["bit-said"]
    assert worst <= 0.0035 and "the angle over 180°, to within 0.003" in said
    assert all(0.0165 < spread < 0.0205 for spread in spreads) and "a single pair is off by about 0.02" in said
    for spread in spreads:
        assert f"{spread:6.3f}\n" in printed["bit-code"]
    assert np.sqrt(0.42 * 0.58 / 384) == pytest.approx(0.025, abs=5e-4) and "a little less than 384 tossed" in said
    assert 3.4 < 0.02 * 180 < 3.7 and "Of 180°, 0.02 are three and a half degrees" in said


def test_looking_twice(lesson):
    said = lesson["twice-said"]
    places = [rescored_frame(Rescored(i, 0))["answer"] for i in range(3)]
    assert places[0]["bits"] == 45 and rescored_frame(Rescored(0, 0))["back"] == 2
    assert "2 of the true ten are among the first ten, and the answer is 45th" in said
    ids = [{row["id"] for row in rescored_frame(Rescored(0, depth))["found"]} for depth in (0, 10)]
    assert ids[0] == ids[1] and "Rescoring 10 changes nothing" in said
    fifty = rescored_frame(Rescored(0, 50))
    assert fifty["back"] == 9 and fifty["answer"]["now"] and "Rescoring 50 brings back 9, with the answer" in said
    assert places[1]["bits"] == 155 and [bool(rescored_frame(Rescored(1, depth))["answer"]["now"])
                                         for depth in (100, 200)] == [False, True]
    assert "The second question needs 200: by bits its answer is 155th" in said
    assert (places[2]["bits"], places[2]["true"]) == (3, 23) and not rescored_frame(Rescored(2, 50))["answer"]["now"]
    assert "bits put the answer at place 3, by luck: the full vectors have it at 23. Rescore 50, and it is gone" in said
    found = means()["rescored"]
    assert (f"{found[0]:.3f} by bits alone, {found[20]:.3f} with 20 rescored, {found[50]:.3f} with 50, "
            f"{found[100]:.3f} with 100, {found[200]:.3f} with 200") in said
    read = rescored_frame(Rescored(0, 100))["read"]
    assert f"Read are {read['codes']:,} bytes of bits and 100 full vectors, {read['full']:,} bytes; an exact search " \
        f"reads {read['exact']:,}" in lesson["twice-class"]
    assert ASKED[0] in lesson["twice-code"]


def test_codebooks(lesson, printed, vectors):
    said = lesson["books-said"]
    assert (f"off by {typical_error(4):.3f} on average; with 16 by {typical_error(16):.3f}, with 32 by "
            f"{typical_error(32):.3f}") in said
    assert "Four numbers from 0 to 15 are 16 bits, in place of 256" in said
    books = train_codebooks(vectors, m=48, seed=0)
    codes = pq_encode(vectors, books)
    assert f"the codebooks alone take {books.nbytes:,} bytes, more than ten times what the codes do" \
        in lesson["books-after"] and books.nbytes > 10 * codes.nbytes
    assert f"codes {codes.shape}: {codes.nbytes:,} bytes" in printed["books-code"]
    assert len(vectors) / 256 < 3 and "hardly three chunks to an entry" in lesson["books-after"]


def test_the_short_code_and_what_the_task_says_of_lists_earn_all_points():
    cells = {cell.id: cell.source for cell in nbformat.read(LESSON, as_version=4).cells}
    code = re.search(r"(steps = .*?)```", cells["how-byte"], re.DOTALL).group(1)
    assert "np.asarray(low, dtype=float)" in cells["turn"]
    body = ["vectors, low, high = (np.asarray(each, dtype=float) for each in (vectors, low, high))",
            "if not vectors.shape[-1] == len(low) == len(high) or (high < low).any():",
            "    raise ValueError('these do not fit')",
            "high = np.where(high > low, high, np.inf)", *code.splitlines(), "return codes"]
    space = {"np": np}
    exec("def to_int8(vectors, low, high):\n" + "\n".join(f"    {line}" for line in body), space)
    result = check("quantize.to_int8", space["to_int8"])
    assert result.points == result.possible


def test_the_short_code_of_the_lesson_is_right(vectors, asked):
    cells = {cell.id: cell.source for cell in nbformat.read(LESSON, as_version=4).cells}
    code = {id: re.search(r"```python\n(.*?)```", cells[id], re.DOTALL).group(1)
            for id in ("how-byte", "how-bit", "how-twice", "how-books")}
    few = np.delete(vectors[:40], [127, 223, 319], axis=1).astype(float)
    low, high = calibrate(few)
    space = {"np": np, "vectors": few, "low": low, "high": high}
    exec(code["how-byte"], space)
    assert np.array_equal(space["codes"], to_int8(few, low, high))
    assert space["code_of"](few[3, 5], low[5], high[5]) == space["codes"][3, 5]
    assert space["code_of"](1.2, -1, 1) == 127
    packed = to_bits(vectors)
    space = {"np": np, "bits": packed[0], "many_bits": packed}
    exec(code["how-bit"], space)
    assert np.array_equal(space["distances"], hamming(packed[0], packed))
    pair = [np.unpackbits(row).tolist() for row in packed[:2]]
    assert space["differ"](*pair) == space["distances"][1]
    query = asked[0]
    space = {"np": np, "distances": hamming(to_bits(query), packed), "vectors": vectors, "query": query}
    exec(code["how-twice"], space)
    index = Binary(384, rescore=100)
    index.add(vectors)
    found = {id for id, _ in index.search(query, 10)}
    assert len(found & {str(position) for position in space["best"]}) >= 9  # ties at the hundredth place may differ
    books = train_codebooks(vectors, m=48, seed=0)
    codes = pq_encode(vectors, books)
    space = {"np": np, "split": split, "books": books, "query": query, "codes": codes}
    exec(code["how-books"], space)
    assert np.allclose(space["scores"], pq_scores(query, codes, books), atol=1e-6)
    assert space["score"](query, codes[7], books) == pytest.approx(space["scores"][7], abs=1e-6)


# Where it fails


def test_ranges_of_few(lesson, printed, vectors, asked, order):
    said, found = lesson["fails-range-said"], {}
    for n in (2, 5, 20, 100, 704):
        low, high = calibrate(vectors[order[:n]])
        outside = np.mean((vectors < low) | (vectors > high))
        found[n] = (f"{outside:.1%}", f"{of_ten(asked, vectors, rounded(vectors, vectors[order[:n]])):.2f}")
        assert re.search(rf"{n} +{found[n][0]} +{found[n][1]}", printed["fails-range"])
    assert f"With two chunks, {found[2][0]} of all numbers lie outside" in said and f"is lost: {found[2][1]}" in said
    assert f"With twenty it is {found[20][1]}, with a hundred {found[100][1]}, with all {found[704][1]}" in said
    assert float(found[2][1]) < 10 * 2 / 3 + 0.1 and "a third of the true ten is lost" in said


def test_an_outlier(lesson, printed, vectors, asked, order):
    said, found, steps, cured = lesson["fails-outlier-said"], {}, {}, {}
    for length in (1, 10, 100, 1000):
        calibration = np.vstack([vectors, length * vectors[order[:1]]])
        low, high = calibrate(calibration)
        steps[length] = np.mean(high - low) / 255
        found[length] = f"{of_ten(asked, vectors, rounded(vectors, calibration)):.2f}"
        low, high = np.quantile(calibration, [0.005, 0.995], axis=0)
        cured[length] = f"{of_ten(asked, vectors, from_int8(to_int8(vectors, low, high), low, high)):.2f}"
        assert re.search(rf"{length} +{steps[length]:.5f} +{found[length]} +{cured[length]}", printed["fails-outlier"])
    assert min(map(float, cured.values())) > 9.75 and "does no harm at any length" in said
    assert f"{cured[1]} in place of {found[1]} where nothing was wrong" in said and "1 in 200 at each end" in said
    assert f"At length 10 nobody would notice: {found[10]}" in said
    assert f"At 100 the steps are fourteen times as wide and {found[100]} are found, at 1,000 it is {found[1000]}" \
        in said and round(steps[100] / steps[1]) == 14
    assert len(vectors) + 1 == 705 and "One vector out of 705" in said


def test_cutting_and_wrapping(lesson, printed, vectors, asked, order):
    space = {"np": np}
    source = next(cell.source for cell in nbformat.read(LESSON, as_version=4).cells if cell.id == "fails-wrap")
    exec(source[: source.index("ends =")], space)
    careless = space["careless"]
    ends = np.array([-1.0]), np.array([1.0])
    assert careless([[1.2]], *ends).item() == -104 and to_int8([[1.2]], *ends).item() == 127
    assert int((1.2 + 1) * 255 / 2 - 128) == 152 and 152 - 256 == -104
    assert "1.2 in a range from −1 to 1 would be code 152" in lesson["fails-outlier-said"]
    assert "1.2 becomes −104" in lesson["fails-wrap-said"]
    low, high = calibrate(vectors[order[:100]])
    outside = np.mean((vectors < low) | (vectors > high))
    both = [f"{of_ten(asked, vectors, from_int8(function(vectors, low, high), low, high)):.2f}"
            for function in (to_int8, careless)]
    assert f"only {outside:.1%} of the numbers lie outside, and these few take the find from {both[0]} to {both[1]}" \
        in lesson["fails-wrap-said"] and both[1] in printed["fails-wrap"]


def test_few_dimensions(lesson, larkspur, vectors, asked):
    small = toy()
    sides = [small.encode_passages([chunk.text for chunk in larkspur.chunks]),
             small.encode_queries([query.text for query in larkspur.queries])]
    passages, questions = (side / np.linalg.norm(side, axis=1, keepdims=True).clip(1e-9) for side in sides)
    found = []
    for texts, asks in ((passages, questions), (vectors, asked)):
        rows = to_bits(texts)
        scores = -np.array([hamming(row, rows) for row in to_bits(asks)])
        tens = [np.argsort(-each, axis=1, kind="stable")[:, :10].tolist()
                for each in (asks.astype(float) @ texts.T.astype(float), scores)]
        found.append(np.mean([len(set(a) & set(b)) for a, b in zip(*tens, strict=True)]))
    assert f"{found[0]:.2f} of ten, where 384 bits find {found[1]:.2f}" in lesson["fails-toy-said"]
    assert passages.shape[1] == 64 and "has 64 numbers, so 64 coins" in lesson["fails-wrap-said"]


def test_lost_and_brought_back(lesson, larkspur, printed):
    full, signs = (Dense(larkspur.chunks, minilm(), index) for index in (Exact(384), Binary(384, rescore=100)))
    depths, lost, lucky = (0, 20, 50, 100, 200), [], []
    for query in larkspur.queries:
        holders = {id for _, ids in larkspur.evidence[query.id] for id in ids}
        if query.split != "dev" or not holders:
            continue
        vector = full.vector(query.text)
        there = any(id in holders for id, _ in full.index.search(vector, 10))
        had = [any(id in holders for id, _ in signs.index.search(vector, 10, rescore=n)) for n in depths]
        if there != had[0]:
            (lost if there else lucky).append(had[1:])
            assert query.text[:60] in printed["fails-lost"]
    back = [sum(column) for column in zip(*lost, strict=True)]
    kept = [sum(column) for column in zip(*lucky, strict=True)]
    assert (len(lost), back) == (6, [2, 4, 5, 6]) and (len(lucky), kept[2]) == (4, 0)
    said = lesson["fails-lost-said"]
    assert "Six answers are lost by bits. Rescoring 20 brings back two of them, 50 four, 100 five, and the sixth " \
        "needs 200" in said
    assert "Four answers stand in the first ten by bits and not by the full vectors" in said
    assert "with 100 rescored all four are gone" in said


def test_no_question_of_the_held_out_half_is_named(larkspur):
    text = LESSON.read_text(encoding="utf-8") + EXERCISE.read_text(encoding="utf-8")
    assert not [query.text for query in larkspur.queries if query.split == "held_out" and query.text[:60] in text]


# What is measured


def test_the_table(lesson, results, figures):
    said = lesson["measure-said"]
    assert f"on the {results['float32']['queries']} questions of Larkspur" in lesson["measure"]
    rows = {name: differences(results["float32"], results[name], ("nDCG@10", "Recall@10")) for name in KINDS[1:]}
    assert rows["float16"]["nDCG@10"]["ties"] == 270 and "not one of the 270 questions differs" in said
    row = rows["int8"]["nDCG@10"]
    assert (row["wins"], row["losses"]) == (4, 0) and 0 < row["low"] < 0.0005
    assert f"int8 differs on 4, and is better on all of them, by {row['difference']:.3f} in the mean; the interval " \
        "begins just above 0" in said
    assert not apart(figures["larkspur"]["differences"]["int8"]["nDCG@10"])
    assert "from the encoder's own numbers, further down, 0 is inside" in said
    assert not apart(rows["int8"]["Recall@10"])
    ndcg, recall = rows["binary"]["nDCG@10"], rows["binary"]["Recall@10"]
    assert f"{-ndcg['difference']:.3f} of nDCG@10 and {-recall['difference']:.3f} of Recall@10, with " \
        f"{ndcg['losses']} losses and {ndcg['wins']} wins in the first" in said
    assert ndcg["high"] < 0 and recall["high"] < 0
    again = rows["binary, 100 rescored"]
    assert not apart(again["nDCG@10"]) and not apart(again["Recall@10"])
    assert (again["nDCG@10"]["wins"], again["nDCG@10"]["losses"]) == (2, 2)
    assert "in nDCG@10 two questions are won and two lost, and neither interval leaves 0 out" in said
    assert f"PQ loses {-rows['PQ']['nDCG@10']['difference']:.3f} of nDCG@10" in said
    assert rows["PQ"]["nDCG@10"]["high"] < 0 and not apart(rows["PQ"]["Recall@10"])
    assert rows["PQ, 100 rescored"]["nDCG@10"]["ties"] == 270 and "Rescored, no question differs" in said
    size = figures["larkspur"]["rows"]["PQ"]["bytes"] / 704
    assert f"Of its {size:.0f} bytes a vector 48 are codes" in said and size == pytest.approx(48 + 393_216 / 704)
    size = figures["larkspur"]["rows"]["int8"]["bytes"] / 704
    assert f"int8's {size:.0f} are 384 and its ranges" in said
    assert len(rows) * 2 == 12 and "Twelve intervals stand here" in said


def test_the_kinds(lesson, results):
    said = lesson["measure-kinds-said"]
    one, other = ({kind: row["nDCG@10"] for kind, row in differences_by_kind(
        results["float32"], results[name]).items()} for name in ("binary", "binary, 100 rescored"))
    told = [f"{-one[kind]['difference']:.3f}" for kind in ("paraphrase", "rare_name", "negation_or_date",
                                                           "needs_context")]
    assert "Paraphrases lose {}, rare names {}, negations and dates {}, questions that need their context {};".format(
        *told) in said
    assert {kind for kind, row in one.items() if apart(row)} == {
        "paraphrase", "rare_name", "negation_or_date", "needs_context"} and len(one) == 4 + 5
    assert "for the other five kinds these questions can't tell" in said
    assert len(one) + len(other) == 18 and "eighteen more intervals" in said
    assert not any(map(apart, other.values())) and "With 100 rescored, no kind can be told from float32" in said


def test_the_stored_figures_are_told_as_they_are(lesson, figures):
    said, stored = lesson["measure-collections-said"], figures["stored"]
    assert f"Exact search finds {10 * stored['of exact']:.2f} of the ten" in said
    assert {f"{value:.3f}" for value in stored["nDCG@10"].values()} == {"0.450"} and not apart(stored["difference"])
    assert "nDCG@10 is 0.450 with both" in said
    loss = [{kind: row["nDCG@10"] for kind, row in figures[name]["differences"].items()} for name in NAMES]
    for rows in loss:
        assert not apart(rows["float16"]) and not apart(rows["int8"]) and not apart(rows["binary, 100 rescored"])
        assert rows["binary"]["high"] < 0
        back = 1 - rows["binary, query whole"]["difference"] / rows["binary"]["difference"]
        assert 0.44 < back < 0.65
    assert "takes back about half of that or more" in said
    assert "Binary alone loses {}, {} and {}, and every interval lies below 0".format(
        *(f"{-rows['binary']['difference']:.3f}" for rows in loss)) in said
    assert "nDCG@10 can't be told from float32 on any of the three" in said
    rows = {name: figures[name]["rows"] for name in NAMES}
    assert f"100 rescored find {10 * rows['scifact']['binary, 100 rescored']['of exact']:.2f} of ten, where " \
        f"cranfield has {10 * rows['cranfield']['binary, 100 rescored']['of exact']:.2f}" in said
    row = figures["scifact"]["differences"]["binary, 100 rescored"]["Recall@10"]
    assert f"Recall@10 loses {-row['difference']:.3f} (−{-row['low']:.3f} to −{-row['high']:.3f}): four questions " \
        "lost, none won" in said and (row["losses"], row["wins"]) == (4, 0)
    assert not any(apart(figures[name]["differences"]["binary, 100 rescored"]["Recall@10"]) for name in NAMES[:2])
    assert f"100 rescored find {10 * rows['scifact']['PQ, 100 rescored']['of exact']:.2f} on scifact" in said
    assert "the same 48 bytes of codes" in said
    for name in NAMES:
        curves = figures[name]["curves"]
        assert all(curves["PQ"][depth] >= curves["binary"][depth] for depth in curves["PQ"])
        assert [*curves["binary"].values()] == sorted(curves["binary"].values())
    counts = {name: figures[name]["documents"] for name in NAMES}
    assert counts == {"larkspur": 704, "cranfield": 1400, "scifact": 5183}
    assert "A hundred of 5,183 is not a hundred of 1,400" in said


def test_the_times_are_told_as_they_are(lesson, figures):
    p95 = {name: row["p95"] for name, row in figures["times"].items() if isinstance(row, dict)}
    said = lesson["measure-said"]
    assert f"{p95['binary']:.2f} ms for bits alone, {p95['float32']:.2f} for the exact search, " \
        f"{p95['binary, 100 rescored']:.2f} with 100 rescored. float16 takes {p95['float16']:.2f}" in said
    assert p95["binary"] < p95["float32"] < p95["binary, 100 rescored"] < p95["float16"]
    assert p95["int8"] < p95["float16"]


REACHED = {  # measured once with other code: nDCG@10 of int8 and of binary, and recall@10 of exact with 100 rescored
    "cranfield": (0.435, 0.361, 0.986), "scifact": (0.646, 0.588, 0.945)}


@pytest.mark.parametrize("name", list(REACHED))
def test_the_stored_figures_reach_what_other_code_reached(figures, name):
    rows = figures[name]["rows"]
    found = (rows["int8"]["nDCG@10"], rows["binary"]["nDCG@10"], rows["binary, 100 rescored"]["of exact"])
    # Hamming distances tie in their dozens, and who ties goes by id here: bits alone come out within 0.006 only
    assert found == pytest.approx(REACHED[name], abs=0.006)
    assert (found[0], found[2]) == pytest.approx((REACHED[name][0], REACHED[name][2]), abs=0.003)


def test_the_answers_of_the_exercise():
    cells = cells_of(EXERCISE)
    said = cells["answers"]
    assert memory(1, 12, "binary") == 2 and "1. Two: bits come in whole bytes" in said
    assert to_int8([[0.5, 1.2]], [0, 0], [1, 1]).tolist() == [[0, 127]] and "so code 0" in said
    assert to_int8([[0.3]], [0.3], [0.3]).tolist() == [[-128]] and "the code is −128" in said
    assert hamming([6], [[3]]).tolist() == [2] and (np.uint8(200) + np.array([100], np.uint8)).tolist() == [44]
    assert "6. Two: 110 and 011. 44:" in said
    assert to_bits([0.0]).tolist() == [0] and split([1, 2, 3, 4, 5, 6], 3)[1].tolist() == [3, 4]
    assert "48 × 256 = 12,288" in said and 48 * 256 == 12_288
    with pytest.raises(ValueError):
        split([1, 2, 3, 4, 5, 6], 4)
    for text in ("how do I throw out old glue?", ASKED[0]):
        assert text in cells["search-try"]


def test_the_vectors_of_the_course_take_what_the_page_says(lesson):
    assert f"fit into {FILE.stat().st_size / 1e6:.1f} megabytes" in lesson["setup-said"]
