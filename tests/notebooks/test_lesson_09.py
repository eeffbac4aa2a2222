"""The numbers that lesson 09 states in its sentences, worked out again."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from firstprinciples.corpus import find_evidence, paragraphs
from firstprinciples.encode.stored import ModelFilesMissing, minilm
from firstprinciples.evaluate import experiment, metrics
from firstprinciples.evaluate.compare import apart
from firstprinciples.explore.chunking import CASES, SIZES, STEP, State, case, frame
from firstprinciples.explore.filed_twice import place, trace
from firstprinciples.explore.guess import QUESTIONS
from firstprinciples.grading import check
from firstprinciples.ingest import chunking
from firstprinciples.ingest.chunkers import by_sections, by_words, gather, parent_child
from firstprinciples.rank.fusion import Hybrid
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.dense import Dense
from firstprinciples.retrieve.parents import Parents

ROOT = Path(__file__).resolve().parent.parent.parent
LESSON = ROOT / "notebooks" / "09_chunking.ipynb"
DUE = "When was the $1,284.50 supposed to be paid by?"


@pytest.fixture(scope="module")
def figures():
    return json.loads((ROOT / "notebooks" / "chunking.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def dev(larkspur):
    return [query for query in larkspur.queries if query.split == "dev" and query.evidence]


def lost(dev, chunks) -> int:
    """Return how many quotes of the half dev no chunk holds whole."""
    return sum(not ids for query in dev for _, ids in find_evidence(query, chunks))


def cut(larkspur, chunker) -> list:
    """Return the chunks of all documents."""
    return [chunk for document in larkspur.documents for chunk in chunker(document)]


# Watch it, and how it works


def test_the_guess(larkspur, dev):
    guess = QUESTIONS["chunking.cut"]
    quotes = [piece["quote"] for query in dev for piece in query.evidence]
    missing = lost(dev, cut(larkspur, by_words(10_000, 0)))
    gone = lost(dev, cut(larkspur, by_words(50, 0))) - missing
    assert len(larkspur.documents) == 70 and f"Of {len(quotes) - missing} quotes" in guess["question"]
    assert round(np.mean([len(quote.split()) for quote in quotes])) == 18
    assert guess["answer"] == "about 1 in 3" and guess["because"].startswith(f"{gone} of {len(quotes) - missing}. ")
    assert 0.28 < gone / (len(quotes) - missing) < 0.36 and f"{17 / 50:.2f}" in guess["because"]


def test_what_the_scissors_do_to_the_invoice(lesson):
    said = lesson["watch-said"]
    sizes = [size for size in range(50, SIZES[1] + 1, STEP) if not frame(State(size=size))["whole"]]
    assert sizes == [50, 60, 75, 100, 145, 150] and "cut again, and so at 75, 100, 145 and 150" in said
    at = frame(State())
    assert [chunk + 1 for chunk, _ in at["parts"]] == [6, 7] and "amount is in chunk 6 and the date in chunk 7" in said
    assert frame(State(size=55))["whole"] and frame(State(overlap=5))["whole"]
    assert not frame(State(size=55, overlap=5))["whole"] and "at 55 words, where it was whole" in said
    words = []
    for way in ("sentences", "paragraphs", "sections"):
        drawn = frame(State(way=way))
        start, stop = drawn["chunks"][drawn["holders"][0]]
        words.append(stop - start)
    assert f"hand on {words[0]}, {words[1]} and {words[2]} words" in said


def test_the_formula_is_close_to_what_is_counted(lesson, printed, larkspur, dev):
    rows = [list(map(float, row)) for row in re.findall(r"^ *(\d+) +(\d+) +[\d,]+ +([\d.]+) +([\d.]+)$",
                                                        printed["cut-code"], re.MULTILINE)]
    assert len(rows) == 9 and all(abs(formula - counted) < 0.065 for _, _, formula, counted in rows)
    by = {(size, overlap): counted for size, overlap, _, counted in rows}
    assert all(by[size, size // 5] <= by[size, 0] / 2 + 0.005 for size in (50, 100, 200))
    once = sum(len(document.text.split()) for document in larkspur.documents)
    more = [sum(len(chunk.text.split()) for chunk in cut(larkspur, by_words(size, size // 5))) / once - 1
            for size in (200, 100, 50)]
    assert f"files {more[0]:.0%} to {more[-1]:.0%} more".replace("% to", " to") in lesson["cut-said"]
    stand = {piece["document"] for query in dev for piece, (_, ids) in zip(
        query.evidence, find_evidence(query, cut(larkspur, by_words(10_000, 0))), strict=True) if not ids}
    clean = ROOT / "data" / "larkspur" / "source"  # of what was damaged or never arrived
    assert stand and all((clean / f"{name}.md").exists() for name in stand)
    assert stand - {document.id for document in larkspur.documents} == {"recalls/cinder-1-jet-recall"}
    assert "damaged on their way into the index or never reached it" in lesson["cut-said"]
    assert more == sorted(more) and "8 are in no document that was indexed" in printed["cut-code"]
    quote = next(piece["quote"] for query in dev if query.text == DUE for piece in query.evidence)
    assert len(quote.split()) == 18 and "that is 17/50" in lesson["how-cut"]
    for overlap in range(17, 25):  # an overlap of L - 1 words never cuts
        assert all(frame(State(size=size, overlap=overlap))["whole"] for size in range(50, 201, 5))


def test_sections_and_parents(lesson, printed, larkspur):
    invoice = next(document for document in larkspur.documents if document.id == "invoice-1042")
    for chunk in by_sections(invoice):
        assert f"{len(chunk.text.split()):4} words   {' > '.join(chunk.metadata['path'])}" in printed["structure-code"]
    children, parents, parent_of = gather(larkspur.documents, parent_child())
    search = Parents(BM25(children), parents, parent_of)
    hit = search.search(DUE, k=1)[0]
    assert f"{len(children)} paragraphs, {len(parents)} sections; found: {hit.id}, {hit.score:.2f}" in \
        printed["parents-code"]
    quote = " ".join(case(0)["quote"].split())
    best = BM25(children).search(DUE, 1)[0].id
    held = {chunk.id: " ".join(chunk.text.split()) for chunk in (*children, *parents)}
    assert quote not in held[best] and quote in held[hit.id] and parent_of[best] == hit.id
    assert "the table of amounts, which has no date" in lesson["parents-said"]


def test_the_picture_and_the_lesson_count_the_same_sections(printed, larkspur):
    for number, (name, _, _) in enumerate(CASES):
        document = next(document for document in larkspur.documents if document.id == name)
        assert len(frame(State(number, "sections"))["chunks"]) == len(by_sections(document))
    drawn = frame(State(way="sections"))
    assert [f"invoice-1042#section-{at + 1}," in printed["parents-code"] for at in drawn["holders"]] == [True]


def test_the_overlap_that_the_task_asks_for(lesson):
    assert "this quote of 26 words whole at every size from 50 on" in lesson["your-use"]
    long = len(case(1)["quote"].split())
    lossy = [overlap for overlap in range(0, 61, STEP)
             if not all(frame(State(1, size=size, overlap=overlap))["whole"] for size in range(50, SIZES[1] + 1, STEP))]
    assert long == 26 and lossy == list(range(0, long - 1, STEP))


def test_filed_twice(lesson):
    said, (meaning, words) = lesson["twice-said"], trace()[-2:]
    assert [place(each["lists"][name], each["answers"]) for each in (meaning, words) for name in ("words", "meaning")] \
        == [9, 1, 1, 2]
    assert "By words the right chunk is 9th of 12" in said and meaning["n"] == 12
    assert meaning["lists"]["words"][0][0] in meaning["drawers"]["do"]
    assert "1st by words and 2nd by meaning" in said


@pytest.fixture(scope="module")
def mail(lesson):
    """Return the sentences of the mail about three topics."""
    text = " ".join(" ".join(re.findall(r'"([^"]+)"', lesson["meaning-code"].split("sentences =")[0])).split())
    return [text[start:end] for start, end in chunking.sentences(text)]


def test_where_the_topic_changes(lesson, printed, mail):
    assert len(mail) == 9
    try:
        distances = chunking.distances(minilm().encode_passages(mail))
    except ModelFilesMissing:
        pytest.fail("the sentences of lesson 09 are not stored: run data/vectors/make.py")
    splits = chunking.breaks(distances.tolist(), 70)
    assert splits == [2, 4, 7]  # the topics end after 2 and 5
    assert f"the turn from the money to the shop, {distances[5]:.2f}, is missed" in lesson["meaning-said"]
    assert all(f"{distance:.2f}" in printed["meaning-code"] for distance in distances)


def test_the_sentences_of_the_mail_are_stored(mail):
    assert all(map(minilm().has, mail))


def test_what_the_failing_chunks_lack(printed, larkspur):
    said = printed["fails-code"]
    guard = by_words(50, 10)(next(d for d in larkspur.documents if d.id == "contract-ironhope-guard"))
    assert all(f"{chunk.id}\n  {' '.join(chunk.text.split())}" in said for chunk in (guard[8], guard[5]))
    assert "From April 2023" not in guard[8].text and "From April 2023" in guard[7].text
    assert "Duties" not in guard[5].text and "Duties" in guard[3].text and "Lost key" in guard[8].text
    assert "within 40 days of the date above" in said


def test_only_dev_questions_are_shown(lesson, larkspur):
    everything = " ".join(lesson.values())
    for query in larkspur.queries:
        if query.split == "held_out":
            assert query.text not in everything
    split = {query.text: query.split for query in larkspur.queries}
    assert {split[asked] for _, asked, _ in CASES} == {"dev"} and split[DUE] == "dev"


def test_the_reference_passes_its_own_check(capsys):
    check("chunking.windows", chunking.windows)
    assert re.search(r"(\d+) of \1 points", capsys.readouterr().out)


# What we would measure


def test_paragraphs_measure_as_stored(figures, larkspur):
    """The row of the default chunker, from stored vectors alone."""
    chunks = [chunk for document in larkspur.documents for chunk in paragraphs(document)]
    hybrid = Hybrid([BM25(chunks), Dense(chunks, minilm())])
    words = {chunk.id: len(chunk.text.split()) for chunk in chunks}
    recalls, spent, within = [], [], []
    queries = [query for query in larkspur.queries if query.split == "held_out" and query.evidence]
    for query in queries:
        ids = [hit.id for hit in hybrid.search(query.text, 40)]
        pieces = larkspur.evidence[query.id]
        recalls.append(recall(ids[:10], pieces))
        spent.append(sum(words[id] for id in ids[:10]))
        left, kept = 1000, []
        for id in ids:
            left -= words[id]
            if left < 0:
                break
            kept.append(id)
        within.append(recall(kept, pieces))
    row = figures["larkspur"]["held_out"]["rows"]["paragraphs"]["hybrid"]
    assert row["Recall@10"] == pytest.approx(np.mean(recalls), abs=1e-6)
    assert row["words@10"] == pytest.approx(np.mean(spent), abs=1e-6)
    assert row["Recall in 1000 words"] == pytest.approx(np.mean(within), abs=1e-6)
    assert figures["larkspur"]["held_out"]["queries"] == len(queries)


def recall(ids, pieces) -> float:
    """Return recall of a list of any length, by evidence."""
    shown, grades = experiment.pieces_shown(ids, pieces)
    return metrics.recall_at_k(shown, grades, max(len(shown), 1))


def test_lost_quotes_and_words_are_counted_as_stored(figures, larkspur):
    queries = [query for query in larkspur.queries if query.split == "held_out" and query.evidence]
    for name, chunker in (("50 words", by_words(50, 0)), ("200 words, overlap 40", by_words(200, 40)),
                          ("sections", by_sections), ("paragraphs", paragraphs)):
        chunks, row = cut(larkspur, chunker), figures["larkspur"]["ways"][name]
        assert row["chunks"] == len(chunks) and row["lost"]["held_out"] == lost(queries, chunks)
        assert row["filed"] == sum(len(chunk.text.split()) for chunk in chunks)


def test_intervals_are_told_apart_as_the_course_does(figures):
    for pair in figures["larkspur"]["held_out"]["differences"].values():
        for each in pair.values():
            for row in each["all"].values():
                assert apart(row) == (row["low"] > 1e-9 or row["high"] < -1e-9)


def signed(row, places: str = "+") -> str:
    """Return a difference with its interval, as the sentences write it; `places` as in a format."""
    return f"{row['difference']:{places}.3f} ({row['low']:+.3f} to {row['high']:+.3f})".replace("-", "−")


def test_the_sizes_on_dev_are_told_as_they_are(lesson, figures):
    said, rows = lesson["measure-sizes-said"], figures["larkspur"]["dev"]["rows"]
    hybrid = {way: row["hybrid"] for way, row in rows.items()}
    whole = hybrid["whole documents"]
    assert f"hybrid finds {whole['Recall@10']:.3f}, and hands on {whole['words@10']:,.0f} words" in said
    plain = {size: hybrid[f"{size} words"] for size in (25, 50, 100, 200, 400)}
    over = {size: hybrid[f"{size} words, overlap {size // 5}"] for size in (25, 50, 100, 200, 400)}
    within = "Recall in 1000 words"
    assert f"it finds {whole[within]:.3f} in whole documents, {plain[100][within]:.3f} in chunks of 100 words and " \
        f"{plain[200][within]:.3f} in chunks of 200" in said
    assert max(over, key=lambda size: over[size][within]) == 100 and f"100 words, {over[100][within]:.3f}" in said
    assert f"goes from {plain[100]['limit']:.3f} to {over[100]['limit']:.3f}" in said
    for each in (plain, over):  # larger is better on the left
        found = [row["Recall@10"] for row in (*each.values(), whole)]
        assert found == sorted(found) and "larger is better for hybrid" in said


def test_the_held_out_figures_are_told_as_they_are(lesson, figures):
    said, half, ways = lesson["measure-said"], figures["larkspur"]["held_out"], figures["larkspur"]["ways"]
    pairs = {name: pair["hybrid"]["all"] for name, pair in half["differences"].items()}
    within, windows = "Recall in 1000 words", "60 words, overlap 12"
    assert f"Paragraphs have {ways['paragraphs']['words']:.0f} words on average" in said
    for way, words in (("paragraphs", "they find"), ("sentences up to 60", "up to 60, find")):
        row = pairs[f"{way} - {windows}"][within]
        assert f"{words} {signed(row, '')} more" in said and row["low"] > 0
    lost = [ways[way]["lost"]["held_out"] for way in ("paragraphs", "sentences up to 60", windows)]
    assert f"{lost[0]} and {lost[1]} quotes are lost in place of {lost[2]}" in said
    row = pairs[f"{windows} - 60 words"][within]
    assert f"gains {signed(row, '')} at 60 words" in said and row["low"] > 0
    row = pairs["200 words, overlap 40 - 200 words"][within]
    assert f"told from none, {signed(row)}" in said and not apart(row)
    more = [ways[way]["filed"] / figures["larkspur"]["filed once"] - 1 for way in (windows, "200 words, overlap 40")]
    assert f"It files {more[0]:.0%} and {more[1]:.0%} more words" in said
    row = pairs["whole documents - 100 words, overlap 20"]
    assert f"find {signed(row['Recall@10'], '')} more" in said and row["Recall@10"]["low"] > 0
    down = row[within]
    assert f"{-down['difference']:.3f} (−{-down['low']:.3f} to −{-down['high']:.3f}) less in 1,000" in said
    found = [pairs[f"{way} - paragraphs"] for way in ("sections", "parent-child", "sentence windows")]
    assert f"with ten, {signed(found[0]['Recall@10'], '')} and {signed(found[1]['Recall@10'], '')}" in said
    assert all(each["Recall@10"]["low"] > 0 for each in found[:2]) and not any(apart(each[within]) for each in found)
    rows = {way: half["rows"][way]["hybrid"]["words@10"] for way in ("paragraphs", "sections", "parent-child")}
    assert min(rows["sections"], rows["parent-child"]) > 1.5 * rows["paragraphs"]
    words = half["differences"]["sentence windows - paragraphs"]["BM25"]["all"][within]
    assert f"lose {-words['difference']:.3f} (−{-words['low']:.3f} to −{-words['high']:.3f})" in said
    row = pairs[f"meaning, 75 - {windows}"][within]
    assert f"beat windows of 60, {signed(row, '')}" in said and row["low"] > 0
    assert not apart(pairs["meaning, 95 - 200 words, overlap 40"][within])
    assert 2 * len(pairs) == 28 and "Twenty-eight intervals stand in the table, and one more" in said
    others = [row for row in re.findall(r"\(([+−]\d\.\d+ to [+−]\d\.\d+)\)", said)]
    table = {f"{sign}" for pair in pairs.values() for metric in ("Recall@10", within) for sign in (
        f"{pair[metric]['low']:+.3f} to {pair[metric]['high']:+.3f}".replace("-", "−"),
        f"−{-pair[metric]['low']:.3f} to −{-pair[metric]['high']:.3f}")}
    assert sum(row not in table for row in others) == 1


def test_the_kinds_are_told_as_they_are(lesson, printed, figures):
    said = lesson["measure-kinds-said"]
    rows = figures["larkspur"]["held_out"]["differences"]["paragraphs - 60 words, overlap 12"]["hybrid"]["by_kind"]
    clear = [kind for kind, row in rows.items() if apart(row)]
    assert len(clear) == 5 and all(rows[kind]["low"] > 0 for kind in clear) and "Five kinds are clear of 0" in said
    row = rows["follow_up"]
    assert (row["wins"], row["losses"]) == (0, 3) and row["difference"] == min(r["difference"] for r in rows.values())
    assert f"too few to tell, {signed(row)}" in said and len(rows) == 9 and "nine intervals more" in said
    assert all(re.search(rf"{kind} +{row['difference']:+.3f}".replace("+0", r"\+0"), printed["measure-kinds"])
               for kind, row in rows.items())


def test_what_paragraphs_lose_on_dev(lesson, larkspur, dev):
    said, drawn = lesson["fails-real-said"], frame(State(2, "paragraphs"))
    assert [count for _, count in drawn["parts"]] == [7, 43] and "7 words into one chunk and 43 into the next" in said
    assert frame(State(2, "sections"))["whole"] and frame(State(2, size=75))["whole"]
    assert not frame(State(2, size=100))["whole"]
    missing = lost(dev, cut(larkspur, by_words(10_000, 0)))
    assert f"lose {lost(dev, larkspur.chunks)}: this one, and the {missing} that" in said
    assert f"Of the {sum(len(query.evidence) for query in dev)} quotes" in said


def test_the_papers_are_told_as_they_are(lesson, figures):
    said, papers = lesson["measure-papers-said"], figures["scifact"]
    about, apart_by = papers["about"], papers["differences"]
    assert f"{about['256']['cut']:,} papers are longer than 256 words, {about['512']['cut']} are longer than 512 and " \
        f"{about['1024']['cut']} longer than 1,024" in said
    words, meaning = (apart_by["256"][name]["nDCG@10"] for name in ("BM25", "MiniLM"))
    assert f"told from no cuts, {signed(words)}, nor can MiniLM, {signed(meaning)}, with {meaning['losses']} " \
        f"questions lost and {meaning['wins']} won" in said
    assert not apart(words) and not apart(meaning)
    for size in ("512", "1024"):
        assert all(row["nDCG@10"]["ties"] >= 298 and not apart(row["nDCG@10"]) for row in apart_by[size].values())
    assert f"the papers as they are {about['whole']['too long']:,} are too long for it" in said
    assert f"of the chunks of 256 words {about['256']['too long']:,}" in said


def test_sizes_that_can_not_be_told_apart(lesson, figures):
    pairs = figures["larkspur"]["held_out"]["differences"]
    hundred = "100 words, overlap 20"
    assert "can't be told from 50, from 200 or from 400" in lesson["measure-said"]
    for pair in (f"{hundred} - 50 words, overlap 10", f"200 words, overlap 40 - {hundred}",
                 f"400 words, overlap 80 - {hundred}"):
        assert not apart(pairs[pair]["hybrid"]["all"]["Recall in 1000 words"])


@pytest.mark.models
def test_how_many_words_minilm_reads(lesson, larkspur):
    try:
        pieces = minilm().model().bert.tokenizer
    except ModelFilesMissing:
        pytest.skip("needs the model files")
    texts = [document.text for document in larkspur.documents]
    per_word = sum(len(pieces.tokenize(text)) for text in texts) / sum(len(text.split()) for text in texts)
    assert round(254 / per_word, -1) == 190 and "about 190 words of Larkspur" in lesson["measure-papers-said"]
