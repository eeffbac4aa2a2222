"""The numbers that lesson 10 states in its sentences, worked out again."""

import json
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest

from firstprinciples.encode.stored import minilm
from firstprinciples.evaluate.compare import apart, differences, differences_by_kind
from firstprinciples.evaluate.experiment import (
    bootstrap_interval,
    draw_resamples,
    evaluate,
    pieces_shown,
    place_of_answer,
)
from firstprinciples.explore import bars as of_bars
from firstprinciples.explore.contextual import QUESTIONS, collection, says, trace
from firstprinciples.explore.guess import QUESTIONS as GUESSES
from firstprinciples.explore.ingestion import INSTRUCTION, WAYS, dollars
from firstprinciples.explore.ingestion import State as Paid
from firstprinciples.explore.ingestion import frame as paid
from firstprinciples.grading import check
from firstprinciples.ingest.contextual import by_rule, contextualize, ingestion_cost, misses, reduction
from firstprinciples.rank.fusion import Hybrid
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.dense import Dense
from firstprinciples.text import tokenize

ROOT = Path(__file__).resolve().parent.parent.parent
LESSON = ROOT / "notebooks" / "10_contextual_retrieval.ipynb"
WAYS_OF = ("BM25", "MiniLM", "hybrid")
ORPHAN = "filing-larkspur-q1-2024#3"


@pytest.fixture(scope="module")
def lesson():
    """Return {cell id: source} of lesson 10, without quotation marks."""
    cells = nbformat.read(LESSON, as_version=4).cells
    return {cell.id: " ".join(cell.source.replace('"', "").split()) for cell in cells}


@pytest.fixture(scope="module")
def context(larkspur):
    return contextualize(larkspur.chunks, larkspur.documents)


@pytest.fixture(scope="module")
def found(larkspur, context):
    """Return the two indexes and both fused, alone and with context; all of their vectors come with the course."""
    out = {}
    for before, chunks in (("", larkspur.chunks), ("contextual ", context)):
        words, meaning = BM25(chunks), Dense(chunks, minilm())
        out |= {f"{before}BM25": words, f"{before}MiniLM": meaning, f"{before}hybrid": Hybrid([words, meaning])}
    return out


@pytest.fixture(scope="module")
def figures():
    return json.loads((ROOT / "notebooks" / "contextual.json").read_text(encoding="utf-8"))


def minus(text: str) -> str:
    return text.replace("-", "−")


def gain(row, places: int = 3) -> str:
    """Return a difference with its interval, as the sentences write it."""
    return minus(f"{row['difference']:.{places}f} ({row['low']:+.{places}f} to {row['high']:+.{places}f})")


def fewer(row) -> str:
    """Return how many points fewer are missed, with the interval, as the sentences write it."""
    return minus(f"{-100 * row['difference']:.1f} ({-100 * row['high']:.1f} to {-100 * row['low']:.1f})")


def ordinal(place: int) -> str:
    return f"{place}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(place if place < 20 else place % 10, 'th')}"


# Watch it


def test_the_guess():
    frame, guess = trace("acme", QUESTIONS["acme"][0])[-1], GUESSES["contextual.lines"]
    places = {(kind, when): frame["lists"][kind][when]["place"] for kind in ("words", "meaning")
              for when in ("before", "after")}
    assert list(places.values()) == [0, 1, 4, 1] and guess["answer"] == "first in both"
    assert "Thirteen chunks" in guess["question"] and frame["count"] == 13
    assert frame["context"].replace(",", "").split() == ["Acme", "2024", "unemployment"]
    with_it = [row["id"] for row in frame["lists"]["words"]["after"]["rows"][:2]]
    assert with_it == ["acme-2024-jobs#2", "acme-2024-jobs#1"]


def test_the_tiny_collection(lesson):
    chunks, _ = collection("acme")
    rates = [says(chunk.text) for chunk in chunks if re.match("The rate (rose|fell) to", says(chunk.text))]
    assert len(chunks) == 13 and len(rates) == 5
    assert "Thirteen chunks of six small documents" in lesson["watch"] and "Five of them say that some rate" in \
        lesson["watch"]
    lines = {says(chunk.text): line for chunk, line in zip(chunks, contextualize(*collection("acme")), strict=True)}
    assert lines["The rate rose to 5 percent."].text.startswith("Acme, 2023")
    assert lines["The rate rose to 4 percent."].text.startswith("Acme, 2024")


def test_the_tiny_orphan(lesson):
    said = lesson["watch-said"]
    first, second = (trace("acme", question)[-1]["lists"] for question in QUESTIONS["acme"])
    assert first["words"]["before"]["place"] == 0 and "does not find it at all" in said
    assert f"By meaning it is {ordinal(first['meaning']['before']['place'])}, behind three pieces of town news" in said
    assert [row["id"].partition("#")[0] for row in first["meaning"]["before"]["rows"][:3]] == ["town-news"] * 3
    assert [first[kind]["after"]["place"] for kind in ("words", "meaning")] == [1, 1] and "it is first in both" in said
    assert f"Now it is {ordinal(second['words']['after']['place'])} by words and " \
        f"{ordinal(second['meaning']['after']['place'])} by meaning" in said


def test_the_orphan_of_larkspur(lesson, printed, larkspur, found):
    said, lists = lesson["watch-real-said"], trace("larkspur", QUESTIONS["larkspur"][0])[-1]["lists"]
    before, after = ({kind: lists[kind][when]["place"] for kind in lists} for when in ("before", "after"))
    assert f"it is {ordinal(before['words'])} by words" in said
    assert f"By meaning it is {ordinal(before['meaning'])} of 704" in said
    assert f"it is {ordinal(after['words'])} and {ordinal(after['meaning'])}, and the two lists fused" in said
    assert f"from the {ordinal(before['fused'])} place to the {ordinal(after['fused'])}" in said
    parts = {part.name: part.value for part in found["BM25"].explain(QUESTIONS["larkspur"][0], ORPHAN).parts}
    text = next(chunk.text for chunk in larkspur.chunks if chunk.id == ORPHAN)
    assert parts["months"] > 1 and parts["back"] > 1 and parts["goods"] > 1  # the last of them is no luck
    assert "its heading has goods" in said and text.startswith("## Returned goods")
    assert "three months earlier" in text and "goes back to one batch" in text
    assert "months is that of three months earlier, and back that of goes back to one batch" in said
    ids = [row["id"] for row in lists["fused"]["after"]["rows"][:3]]
    assert ids[2] == ORPHAN and ids[:2] == ["filing-larkspur-q4-2024#4", "filing-larkspur-q4-2023#4"]
    assert f"with context {ids}" in printed["both-code"]


def test_the_questions_are_of_dev(larkspur):
    splits = {query.text: query.split for query in larkspur.queries}
    assert [splits.get(question) for question in QUESTIONS["larkspur"]] == ["dev", "dev", None]


def test_no_held_out_question_is_shown(lesson, larkspur):
    everything = " ".join(lesson.values())
    for query in larkspur.queries:
        if query.split == "held_out":
            assert " ".join(query.text.replace('"', "").split()) not in everything


# How it works


def test_the_lines(printed, larkspur):
    by_id, documents = {c.id: c for c in larkspur.chunks}, {d.id: d for d in larkspur.documents}
    lines = printed["line-code"].splitlines()[::3]
    ids = [ORPHAN, "filing-ridgeback-q1-2024#5", "invoice-1047#8", "rope-care-guide#4"]
    assert lines == [by_rule(documents[by_id[id].document], by_id[id]) for id in ids]
    assert "(filing, " in lines[0] and documents["invoice-1047"].metadata["type"] == "invoice"
    assert "invoice" not in lines[2] and by_id["filing-ridgeback-q1-2024#5"].text.split("\n\n")[1].startswith(
        "The rate rose")


def test_what_is_written_is_asked_once(printed, larkspur):
    said = printed["write-code"]
    assert f"asked {len(larkspur.chunks)} times" in said and "once more: asked 0 times" in said
    own = sum(chunk.document == "invoice-1047" for chunk in larkspur.chunks)
    assert f"one document changed: asked {own} times" in said


def test_the_dollar(lesson):
    said, usual, long = lesson["cost-said"], paid(Paid()), paid(Paid(document=128_000))
    cached, plain = (usual["million"][way] for way in WAYS)
    assert f"it is **{cached:.2f} dollars** for a million" in said and f"and it is {plain:.2f} dollars" in said
    assert [dollars(cached), dollars(plain)] == ["$1.02", "$2.92"]
    one = usual["bills"][WAYS[0]]
    by_hand = {"written": 8_000 * 0.30e-6, "read": 10 * 8_000 * 0.03e-6, "own": 10 * (800 + 50) * 0.25e-6,
               "context": 10 * 100 * 1.25e-6}  # not by the course's function
    assert {name: one[name] for name in by_hand} == pytest.approx(by_hand)
    assert one["total"] == pytest.approx(sum(by_hand.values())) == pytest.approx(0.008175)
    for name, words in (("written", "to write it to the cache"), ("read", "to read it ten times"),
                        ("own", "for ten chunks with their instructions"), ("context", "for ten contexts")):
        assert f"{by_hand[name]:.6f} {words}" in said
    assert f"That is {one['total']:.6f}, and a million tokens are 125 documents" in said and usual["documents"] == 125
    assert f"instructions of {INSTRUCTION} tokens and contexts of {Paid().context}" in said
    assert f"is read {long['chunks']} times: {long['million'][WAYS[1]]:.2f} dollars a million without the cache, " \
        f"{long['million'][WAYS[0]]:.2f} with it" in said
    assert f"after {int(np.ceil(usual['even']))} questions" in said
    assert "costs 0.0020 dollars a time" in said and usual["asked"] / 1_000 == pytest.approx(0.002)


def test_prices_are_not_taken_for_formulas():
    """Two dollar signs in a paragraph are set as a formula, also where a backslash stands before them."""
    for each in nbformat.read(LESSON, as_version=4).cells:
        if each.cell_type == "markdown":
            prose = re.sub(r"```.*?```|`[^`]*`|\$\$.*?\$\$", "", each.source, flags=re.DOTALL)
            assert all(part.count("$") < 2 for part in prose.split("\n\n")), each.id


def test_the_reference_passes_its_own_check(capsys):
    check("contextual.ingestion_cost", ingestion_cost)
    assert re.search(r"(\d+) of \1 points", capsys.readouterr().out)


# Where it fails


def test_where_the_line_speaks_of_something_else(lesson, printed, larkspur, context, found):
    said, asked = lesson["fails-said"], {query.id: query for query in larkspur.queries}
    ids = re.findall(r"[a-z_]+-\d{3}", lesson["fails-code"])
    assert len(ids) == 4 and "Four questions" in lesson["fails"] and all(asked[id].split == "dev" for id in ids)
    for id in ids:
        places = [place_of_answer(found[way], asked[id].text, larkspur.evidence[id]) or "-" for name in WAYS_OF
                  for way in (name, f"contextual {name}")]
        line = next(line for line in printed["fails-code"].splitlines() if asked[id].text[:60] in line)
        assert re.findall(r"[\d-]+", line.partition(asked[id].text[:20])[0]) == list(map(str, places))
        words, meaning = places[:2], places[2:4]
        if id == "paraphrase-007":
            first = [hit.id for hit in found["contextual MiniLM"].search(asked[id].text, 3)]
            assert meaning[0] == 3 and len({id.partition("#")[0] for id in first}) == 2
            assert all(id.startswith("outage-report") for id in first)
        elif id in ("exact-009", "rare_name-017"):
            assert f"from {meaning[0]} to {meaning[1]}" in said and words == [1, 1]
            assert {id.rpartition("#")[2] for _, ids in larkspur.evidence[id] for id in ids} == {"1"}
        else:
            assert f"from {words[0]} to {words[1]}" in said
    counts = {word: [sum(word in tokenize(chunk.text) for chunk in each) for each in (larkspur.chunks, context)]
              for word in ("invoice", "2024")}
    assert f"under {counts['invoice'][1]} chunks in place of {counts['invoice'][0]}" in said
    assert f"under {counts['2024'][1]} in place of {counts['2024'][0]}" in said


def test_what_the_chunk_says_already(lesson, figures):
    said, rows = lesson["fails-already-said"], figures["said already"]
    for name in ("most", "less"):
        assert gain({"difference": rows[name]["mean"], **rows[name]}) in said and f"{rows[name]['queries']}" in said
    assert not apart(rows["most"]) and rows["less"]["low"] > 0
    assert f"{rows['most']['fewer']} of them lost and {rows['most']['more']} won" in said


def test_a_wrong_line(lesson, figures):
    said, wrong = lesson["fails-wrong-said"], figures["wrong"]
    for way in WAYS_OF:
        row = wrong["differences"][way]["nDCG@10"]
        assert row["high"] < 0
        assert minus(f"{-row['difference']:.3f} (") + minus(f"{row['low']:+.3f} to {row['high']:+.3f})") in said
    places = wrong["orphan"]["of the wrong company"]
    assert f"in place {places['wrong']['hybrid']}," in said
    assert f"with its right line it is {ordinal(places['context']['hybrid'])}" in said
    assert wrong["line"].startswith("Ridgeback Gear Holdings")


def test_chunks_become_alike(lesson, figures, larkspur, found):
    said, homes = lesson["fails-alike"], np.array([chunk.document for chunk in larkspur.chunks])
    same = homes[:, None] == homes[None, :]
    np.fill_diagonal(same, False)
    other = homes[:, None] != homes[None, :]
    for name in ("MiniLM", "contextual MiniLM"):
        vectors, row = found[name].vectors.astype(float), figures["alike"][name]
        cosines = vectors @ vectors.T
        assert cosines[same].mean() == pytest.approx(row["of one document"], abs=1e-4)
        assert cosines[other].mean() == pytest.approx(row["of two"], abs=1e-4)
    one, two = figures["alike"]["MiniLM"], figures["alike"]["contextual MiniLM"]
    assert f"a cosine of {one['of one document']:.2f} on average; now" in said
    assert f"it is {two['of one document']:.2f}. Two of different documents go from {one['of two']:.2f} to " \
        f"{two['of two']:.2f}" in said
    assert f"for {one['chunk first']:.2f} of the questions, before and after" in said
    assert one["chunk first"] == two["chunk first"]
    right = []  # is what comes first of the right page, alone and with the line
    for query in larkspur.queries:
        ids = {id for _, ids in larkspur.evidence.get(query.id, ()) for id in ids}
        if query.split == "dev" and ids:
            pages = {id.rpartition("#")[0] for id in ids}
            right.append([found[way].search(query.text, 1)[0].id.rpartition("#")[0] in pages
                          for way in ("MiniLM", "contextual MiniLM")])
    before, after = np.array(right, dtype=float).T
    assert [before.mean(), after.mean()] == pytest.approx([one["document first"], two["document first"]], abs=1e-6)
    low, high = bootstrap_interval(after - before, draw_resamples(len(right), 10_000, 0))
    assert low < 0 < high and "these questions can't tell" in said
    assert f"{after.mean():.2f} for {before.mean():.2f}" in said
    assert minus(f"{(after - before).mean():+.3f} ({low:+.3f} to {high:+.3f})") in said


def test_the_end_falls_off(lesson, figures):
    said, rows = lesson["fails-cut-said"], figures["cut"]
    own, long = rows["paragraphs"], rows["200"]
    assert "Larkspur's own chunks lose no quote" in said
    assert own["alone"]["read"] == own["with context"]["read"] == own["quotes"]
    assert f"{long['alone']['cut']} of {long['chunks']} are too long already, and with lines " \
        f"{long['with context']['cut']}; of {long['quotes']} quotes the encoder reads {long['alone']['read']} to the " \
        f"end, and then {long['with context']['read']}" in said
    assert f"Those {long['alone']['read'] - long['with context']['read']} are" in said


# What we would measure


def test_the_bars(lesson, figures, larkspur, found):
    said, half = lesson["measure-bars-said"], figures["bars"]["held_out"]
    rows = half["rows"]
    for bar, way in zip((*of_bars.BARS[:3], of_bars.CONTROL),
                        ("MiniLM", "contextual MiniLM", "contextual hybrid", "hybrid"), strict=True):
        each = []
        for query in larkspur.queries:
            evidence = larkspur.evidence.get(query.id)
            if query.split == "held_out" and evidence:
                shown, grades = pieces_shown([hit.id for hit in found[way].search(query.text, 20)], evidence)
                each.append(misses(shown, list(grades), max(len(shown), 1)))
        assert np.mean(each) == pytest.approx(rows[bar]["all"]["misses"], abs=1e-5), bar
    values = [100 * rows[bar]["all"]["misses"] for bar in of_bars.BARS]
    assert f"from 5.7 to 1.9, and ours from {values[0]:.1f} to {values[3]:.1f}" in said
    assert 0.48 < reduction(values[0], values[3]) < 0.53 and reduction(5.7, 1.9) == pytest.approx(2 / 3, abs=0.01)
    assert f"for {100 * half['in no chunk']['all']:.1f} % of what is needed no chunk" in said
    row = half["differences"]["contextual embeddings"]["all"]
    assert f"**Context helps embeddings**: {fewer(row)}." in said and row["high"] < 0
    steps = [half["differences"][name]["all"] for name in ("contextual BM25 alone", "reranking alone")]
    assert f"The second index on top of it takes {fewer(steps[0]).partition(' ')[0]}, and that these questions can't " \
        f"tell from nothing ({fewer(steps[0]).partition('(')[2]}." in said and not apart(steps[0])
    assert f"The reranker takes {fewer(steps[1])}." in said and apart(steps[1])
    control = 100 * rows[of_bars.CONTROL]["all"]["misses"]
    assert f"miss {control:.1f}; with context it is {values[2]:.1f}" in said
    row = {name: 100 * value for name, value in half["differences"]["context alone"]["all"].items()}
    assert gain(row, 1) in said and not apart(row)
    dev = figures["bars"]["dev"]["differences"]
    row = {name: 100 * value for name, value in dev["context alone"]["all"].items()}
    assert f"it is {-row['difference']:.1f} points ({-row['high']:.1f} to {-row['low']:.1f})" in said and apart(row)
    row = {name: 100 * value for name, value in dev["reranking alone"]["all"].items()}
    assert minus(f"{row['difference']:+.1f} ({row['low']:+.1f} to {row['high']:+.1f})") in said and not apart(row)
    few = [half["differences"][bar]["needs_context"] for bar in of_bars.BARS[1:]]
    assert [apart(row) for row in few] == [False, True, False] and "only the third bar's keeps clear of 0" in said
    first, *others = (f"{100 * rows[bar]['needs_context']['misses']:.1f}" for bar in of_bars.BARS)
    assert len(set(others)) == 1 and f"{first} falls to {others[0]}, the same in all three bars" in said
    chosen = figures["bars"]["missed on dev"]
    assert figures["bars"]["reranker"] == "MaxSim" == min(chosen, key=chosen.get)


def test_the_stored_half_comes_out_again(figures, larkspur, found):
    half = figures["held_out"]
    results = {name: evaluate(each, larkspur, "held_out") for name, each in found.items()}
    for name, result in results.items():
        for metric in ("nDCG@10", "Recall@10", "Recall@100"):
            assert result["metrics"][metric] == pytest.approx(half["rows"][name][metric], abs=1e-4), name
    for way in WAYS_OF:
        name, one, other = f"contextual {way} - {way}", results[way], results[f"contextual {way}"]
        row = differences(one, other, ("nDCG@10",))["nDCG@10"]
        stored = half["differences"][name]
        assert [row[key] for key in ("difference", "low", "high")] == pytest.approx(
            [stored["all"]["nDCG@10"][key] for key in ("difference", "low", "high")], abs=1e-4)
        for kind, each in differences_by_kind(one, other).items():
            assert each["nDCG@10"]["losses"] == half["lost"][name].get(kind, 0)
            assert each["nDCG@10"]["low"] == pytest.approx(stored["by_kind"][kind]["nDCG@10"]["low"], abs=1e-4)


def test_what_context_gains(lesson, figures):
    said, half = lesson["measure-said"], figures["held_out"]["differences"]
    rows = {way: half[f"contextual {way} - {way}"]["all"] for way in WAYS_OF}
    assert all(apart(row[metric]) for row in rows.values() for metric in ("nDCG@10", "Recall@10"))
    assert f"{gain(rows['BM25']['nDCG@10'])} of nDCG@10 by words, {gain(rows['MiniLM']['nDCG@10'])} by meaning, and " \
        f"{gain(rows['hybrid']['nDCG@10'])} fused" in said
    assert f"fused by {gain(rows['hybrid']['Recall@10'])}" in said
    row = half["contextual hybrid, reranked - contextual hybrid"]["all"]["nDCG@10"]
    assert f"The reranker adds {gain(row)}" in said and apart(row)


def test_what_each_kind_gains(lesson, figures):
    said, half = lesson["measure-kinds-said"], figures["held_out"]
    rows = {way: {kind: row["nDCG@10"] for kind, row in
                  half["differences"][f"contextual {way} - {way}"]["by_kind"].items()} for way in WAYS_OF}
    own = {way: rows[way]["needs_context"] for way in WAYS_OF}
    assert f"{gain(own['BM25'])} by words, none lost, and {gain(own['MiniLM'])} by meaning, one lost" in said
    assert f"the gain is {gain(own['hybrid'])}, with two of 15 lost" in said
    assert [row["losses"] for row in own.values()] == [0, 1, 2]
    sure = {way: {kind for kind, row in each.items() if apart(row)} for way, each in rows.items()}
    assert sure["hybrid"] == {"needs_context", "filter", "negation_or_date"}
    assert f"filters, {gain(rows['hybrid']['filter'])}" in said
    assert f"negations and dates, {gain(rows['hybrid']['negation_or_date'])}" in said
    assert sure["BM25"] == {"needs_context", "direct"}
    assert sure["MiniLM"] == {"needs_context", "negation_or_date", "polysemy"}
    assert sum(map(len, rows.values())) == 27 and "Of 27 such intervals" in said


def test_the_price(lesson, figures):
    size = figures["size"]
    assert round(size["words with context"] - size["words"]) == 10 and "ten words more a chunk" in \
        lesson["measure-cost-said"]
    assert figures["times"]["a line"] < 1 and "less than a millisecond" in lesson["measure-cost-said"]
    assert 55 < size["words"] < 65 and "ten words before a chunk of sixty" in lesson["fails"]
