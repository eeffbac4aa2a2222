"""The numbers that lesson 16 states in its sentences, worked out again."""

import json
import re
from dataclasses import replace
from pathlib import Path

import nbformat
import numpy as np
import pytest

from firstprinciples.encode.stored import minilm
from firstprinciples.evaluate.compare import apart, differences
from firstprinciples.evaluate.experiment import evaluate
from firstprinciples.explore import hyde, phrasings
from firstprinciples.explore import rewrite as thread
from firstprinciples.explore.guess import QUESTIONS
from firstprinciples.generate import rewrite
from firstprinciples.generate.rewriting import REWRITES
from firstprinciples.generate.ways import MOST_WORDS, condense, rephrase
from firstprinciples.generate.words import COMMON, POINTING
from firstprinciples.grading import check
from firstprinciples.index.filters import matches
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.dense import Dense

ROOT = Path(__file__).resolve().parent.parent.parent
LESSON = ROOT / "notebooks" / "16_queries.ipynb"
NOTES = ("invoice-1044#9", "invoice-1046#9", "statement-receivables-2024-08#2")
MARCH = {"type": "invoice", "date": {"from": "2024-03", "to": "2024-03"}}


@pytest.fixture(scope="module")
def searches(larkspur):
    """Return the search by words and the one by meaning."""
    return BM25(larkspur.chunks), Dense(larkspur.chunks, minilm())


@pytest.fixture(scope="module")
def figures():
    return json.loads((ROOT / "notebooks" / "queries.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def follow_ups(larkspur):
    return [query for query in larkspur.queries if query.kind == "follow_up" and query.split == "dev"]


def plain(text: str) -> str:
    """Return a text without its quotation marks."""
    return text.replace('"', "")


def held(collection, query) -> set:
    return {id for _, ids in collection.evidence[query.id] for id in ids}


def telling(text: str) -> list[str]:
    """Return the words of a text, in lower case, that neither point back nor are common."""
    return [word.lower() for word in rewrite.words_of(text) if word.lower() not in {*COMMON, *POINTING}]


def place(search, text, right, **condition) -> int:
    """Return the place of the first right chunk; 0 where it is not found."""
    return next((at for at, hit in enumerate(search.search(text, 704, **condition), 1) if hit.id in right), 0)


def walked(name):
    return thread.trace(name, thread.talk(name)["question"])


def slip_of(query) -> str:
    """Return the question as the rules condense it."""
    return condense(query.text, query.history).texts[0]


def whole_talk(query) -> str:
    return " ".join([*(turn["text"] for turn in query.history), query.text])


# The slip


def test_the_guess_and_the_three_slips(lesson, printed, larkspur, searches, follow_ups):
    words, meaning = searches
    columns = {"typed": lambda query: query.text, "condensed": slip_of, "whole": whole_talk}
    found = {name: [place(words, slip(query), held(larkspur, query)) for query in follow_ups]
             for name, slip in columns.items()}
    near = {name: sum(1 <= at <= 10 for at in row) for name, row in found.items()}
    guess, said = QUESTIONS["rewrite.whole_talk"], lesson["words-said"]
    assert guess["answer"] == str(near["whole"]) == "12" and f"among its first ten for {near['typed']}" in \
        guess["question"] and f"{near['typed']}, as before" in guess["options"]
    assert f"for {near['typed']} of the 15, condensed for {near['condensed']}, with the whole talk for " \
        f"{near['whole']}" in said and len(follow_ups) == 15
    by_meaning = [sum(1 <= place(meaning, columns[name](query), held(larkspur, query)) <= 10 for query in follow_ups)
                  for name in ("typed", "condensed")]
    assert f"MiniLM goes from {by_meaning[0]} to {by_meaning[1]}" in said
    assert re.findall(r"\d+", printed["words-code"].splitlines()[-1]) == [str(n) for n in (*near.values(), *by_meaning)]
    never = [query for query, at in zip(follow_ups, found["condensed"], strict=True) if not at]
    assert len(never) == 2 and "never finds two by words" in said and found["whole"].count(0) == 1
    lost = never[1]
    assert not held(larkspur, lost) and lost.evidence[0]["document"].startswith("recalls/")
    assert MOST_WORDS == 12 and "the twelve heaviest" in lesson["how-words"]


def test_what_the_thread_shows(lesson):
    said = plain(lesson["watch-said"])
    food = walked("for food")[-1]["places"]
    assert f"at place {food['words'][0]} by words and at {food['meaning'][0]} by meaning" in said
    words = walked("for food")[0]["words"]
    assert words[0] == "145" and food["words"][1] == 1 and f"{food['meaning'][0]} to {food['meaning'][1]}" in said
    assert words[2:4] == ["Port", "Averell"] and food["meaning"][4] == 1 and min(food["meaning"][:4]) > 1
    second = walked("the second one")[-1]
    words, places = second["words"], second["places"]["words"]
    release = places.index(places[-1])  # the word that brings it there
    assert words[release - 1] == "release" and places[release - 1] - places[release] > (places[0] - places[-1]) / 2
    assert f"By words its answer goes from {places[0]} to {places[-1]}, most of it by release;" in said
    places = second["places"]["meaning"]
    assert f"by meaning from {places[0]} to {places[-1]}, at last by Project and Dotterel." in said
    assert words[7:9] == ["Project", "Dotterel"] and places[7] > places[8] > places[9] == places[-1]
    for way, what in (("words", "by words"), ("meaning", "by meaning")):
        places = walked("another topic")[-1]["places"][way]
        assert f"from {places[0]} to {places[-1]} {what}" in said and places[-1] > places[0]
    paid = walked("when paid")[-1]["places"]
    assert set(paid["words"]) == {0} and f"never by words, at best {min(paid['meaning'])} by meaning" in said


def test_the_note_names_neither_customer_nor_invoice(lesson, larkspur):
    text = {chunk.id: chunk.text for chunk in larkspur.chunks}[next(iter(thread.talk("when paid")["right"]))]
    assert "Paid in full on April 9, 2024" in text and "Paid in full on April 9, 2024" in plain(lesson["watch-said"])
    assert "1042" not in text and "Hollow Creek" not in text


def test_refund(lesson, printed, searches, larkspur):
    hits = searches[0].search("refund??")
    assert [hit.id for hit in hits] == ["stock-scripts-guide#5"] and "stock-scripts-guide#5" in printed["setup"]
    assert sum("refund" in chunk.text.lower() for chunk in larkspur.chunks) == 1
    assert any("The money goes back to the card" in chunk.text for chunk in larkspur.chunks)


def test_which_questions_lean(lesson, printed, larkspur, follow_ups):
    said = plain(lesson["leans-said"])
    others = [query for query in larkspur.queries if query.split == "dev" and query.kind != "follow_up"]
    talk = follow_ups[0].history
    taken = [query.text for query in others if rewrite.is_follow_up(query.text, talk, POINTING, COMMON)]
    missed = [query.text for query in follow_ups
              if not rewrite.is_follow_up(query.text, query.history, POINTING, COMMON)]
    assert missed == ["the scouts are late too, what did we add for them?"] and missed[0] in said
    assert f"{len(follow_ups) - 1} of 15" in printed["leans-code"]
    assert f"{len(taken)} of {len(others)}" in printed["leans-code"]
    short = "Which version of Python do I need?"
    assert telling(short) == ["version", "python"] and f"{short} tells two things, version and Python" in said
    early = next(text for text in taken if text.startswith("Ponsonby and Daughters say they got fewer"))
    assert len(telling(early.split(" they ")[0])) <= 2 < len(telling(early)) and "Ponsonby" in printed["leans-code"]
    assert short in taken and short in printed["leans-code"] and "Ponsonby and Daughters say they got fewer" in said
    assert telling(missed[0].split("them")[0]) == ["scouts", "late", "add"]
    assert rewrite.is_follow_up("When did they pay it?", talk, POINTING, COMMON)
    assert not rewrite.is_follow_up("How much did the Fernhollow Scouts pay for it?", talk, POINTING, COMMON)


def test_the_march_invoices(lesson, searches, larkspur):
    said, (words, meaning) = plain(lesson["march-said"]), searches
    talk = thread.talk("owe us")
    assert [turn["text"] for turn in talk["history"]] == re.findall(r'"text": "([^"]+)"', lesson["march-code"])
    slips = {"typed": talk["question"], "rules": condense(talk["question"], talk["history"]).texts[0],
             "hand": condense(talk["question"], talk["history"], llm=lambda _: "unpaid March invoices").texts[0]}
    assert slips["rules"].startswith("which of them still owe us? 1042 1044 1046 1047 ")
    table = {name: place(words, slip, {NOTES[2]}) for name, slip in slips.items()}
    assert f"comes to place {table['rules']} by words" in said and table["typed"] == 0
    assert f"does worse there, {table['hand']}:" in said and table["hand"] > table["rules"]
    for slip in ("rules", "hand"):
        assert max(place(meaning, slips[slip], {id}) for id in NOTES[:2]) > 5
        assert [place(meaning, slips[slip], {id}, where=MARCH) for id in NOTES[:2]] == [1, 2]
    assert [place(meaning, slips["typed"], {id}, where=MARCH) for id in NOTES[:2]] == [1, 4]
    assert "come first and second with either slip, and first and fourth even as typed" in said
    pages = [chunk for chunk in larkspur.chunks
             if chunk.id in NOTES or chunk.document in ("invoice-1044", "invoice-1046")]
    assert not any("unpaid" in chunk.text.lower() for chunk in pages)
    assert place(meaning, slips["hand"], {NOTES[2]}, where=MARCH) == 0  # the table is no invoice


def test_a_function_that_fails(printed):
    said = printed["llm-code"]
    assert said.startswith("by_hand: by llm.") and said.count(": by rules. The function ") == 3
    for what in ("raised ConnectionError: no route to the model", "returned NoneType", "at most", "0.1 seconds"):
        assert what in said


def test_acronyms(lesson, printed, larkspur):
    said, pages = plain(lesson["acronyms-said"]), re.findall(r'"([A-Z][^"]+\.)"', lesson["acronyms-code"])
    assert len(pages) == 4
    known, question = rewrite.acronyms(pages), "Is the HSA mine if I quit?"
    before, after = (BM25(pages).search(text) for text in (question, rewrite.spelled_out(question, known)))
    assert [hit.id for hit in before][3] == "1" and f"last of four, with {before[3].score:.2f}" in said
    assert after[1].id == "1" and f"second, with {after[1].score:.2f}" in said
    assert rewrite.acronyms([chunk.text for chunk in larkspur.chunks]) == {}
    assert "short forms that Larkspur spells out: 0" in printed["acronyms-code"]


def test_three_phrasings(lesson):
    said, refund = plain(lesson["phrasings-said"]), phrasings.trace("refund??")[-1]
    assert refund["counts"][0] == 1 and f"finds {refund['counts'][1]} and has the answer at place " \
        f"{refund['places'][1]}" in said and refund["counts"][2] == 0
    assert f"Fused, the answer is at {refund['places'][-1]}" in said
    speeding = phrasings.trace("speeding")[-1]["places"]
    assert "the places are {}, {} and {}, and the fused list has it first".format(*speeding) in said
    assert speeding[-1] == 1
    code, saturday = (phrasings.trace(name)[-1]["places"] for name in ("a code", "Saturday"))
    assert code == [1, 1, 63, 4] and "has it at 63. Fused it is at 4" in said
    assert "{}, {} and {}, fused {}".format(*saturday) in lesson["fails"] and saturday[-1] > saturday[0]


def test_the_courses_own_synonyms_of_refund(searches):
    search = REWRITES["phrasings"](searches[0])
    assert search.asks("refund??") == ("refund??", "reimbursement??")
    assert [hit.id for hit in search.search("refund??")] == ["stock-scripts-guide#5"]


def test_the_made_up_answers(lesson, larkspur):
    places = {case: [hyde.trace(case)[-1]["rows"][name]["place"] for name in hyde.ROWS] for case in hyde.CASES}
    said = plain(lesson["hyde-said"])
    question, opening, made_up, _ = places["siren"]
    assert f"has its answer at place {question}" in said and f"brings the page to {made_up}" in said
    assert f"has it at {opening}: a rule" in said
    question, _, made_up, mean = places["who decides"]
    assert f"has it at {made_up}, the question alone at {question}, and their mean at {mean}" in said
    question, _, made_up, mean = places["which plug"]
    assert f"has the right chunk at {made_up}, the mean at {mean}, where the question alone had it at {question}" \
        in said
    question, _, made_up, mean = places["Saturday"]
    assert f"{made_up} alone and {mean} in the mean, where the question had it at {question}." in lesson["fails"]
    text = next(document.text for document in larkspur.documents if document.id == "fire-and-evacuation-plan")
    assert "No one goes to the lockers for a telephone or a coat." in text


# What we would measure


def signed(row) -> str:
    """Return a difference with its interval, as the sentences write it."""
    return f"{row['difference']:.3f} ({row['low']:+.3f} to {row['high']:+.3f})".replace("-", "−")


def interval(row) -> str:
    return f"{row['low']:+.3f} to {row['high']:+.3f}".replace("-", "−")


def test_follow_ups_are_told_as_they_are(lesson, figures):
    said, half = lesson["measure-follow-said"], figures["held_out"]["follow_up"]
    rows, apart_by = half["rows"], half["differences"]
    pair = "condensed - as typed"
    assert f"from {rows['BM25']['as typed']['nDCG@10']:.3f} to {rows['BM25']['condensed']['nDCG@10']:.3f}, " \
        f"{signed(apart_by['BM25'][pair]['nDCG@10'])} more" in said
    for name in apart_by:
        assert signed(apart_by[name][pair]["nDCG@10"]) in said and apart_by[name][pair]["nDCG@10"]["losses"] == 0
        assert all(apart_by[name][pair][metric]["low"] > 0 for metric in ("nDCG@10", "Recall@10"))
        against = apart_by[name]["condensed - whole talk"]["nDCG@10"]
        assert not apart(against) and against["difference"] < 0
    assert f"by words {interval(apart_by['BM25']['condensed - whole talk']['nDCG@10'])}, hybrid " \
        f"{interval(apart_by['hybrid']['condensed - whole talk']['nDCG@10'])}" in said
    assert half["queries"] - half["changed"] == 2 and "Two of them the rule does not take" in said


def test_a_talk_about_something_else_is_told_as_it_is(lesson, figures):
    said, half = lesson["measure-topic-said"], figures["held_out"]["other topic"]
    assert f"{half['changed']} of {half['queries']} questions are changed" in said
    for name, words in (("BM25", "by words"), ("MiniLM", "by meaning"), ("hybrid", "hybrid")):
        row = half["differences"][name]["condensed - as typed"]["nDCG@10"]
        assert f"{words} {-row['difference']:.3f} ({interval(row)})" in said and row["high"] < 0
    costs = [-half["differences"][name]["whole talk - as typed"]["nDCG@10"]["difference"]
             for name in ("BM25", "MiniLM", "hybrid")]
    assert "The whole talk costs {:.3f}, {:.3f} and {:.3f}.".format(*costs) in said


def test_conditions_are_told_as_they_are(lesson, figures):
    said, part = lesson["measure-filter-said"], figures["held_out"]["filter"]
    for name, words in (("BM25", "by words"), ("MiniLM", "by meaning")):
        row, apart_by = part["rows"][name], part["differences"][name]["Recall@10"]
        assert f"{words} from {row['hoping']['Recall@10']:.3f} to {row['condition']['Recall@10']:.3f}, " \
            f"{signed(apart_by)}" in said and apart_by["low"] > 0 and apart_by["losses"] == 0


def test_each_rewrite_is_told_as_it_is(lesson, figures):
    said, part, changed = lesson["measure-all-said"], figures["held_out"]["all"], figures["changed"]
    rows = {name: each["all"]["nDCG@10"] for name, each in part["rewrites"].items()}
    for name in ("BM25", "MiniLM", "hybrid"):
        assert signed(rows[f"condense, {name}"]) in said and rows[f"condense, {name}"]["low"] > 0
        assert rows[f"acronyms, {name}"]["ties"] == part["queries"] and changed["acronyms"]["questions"] == 0
        assert set(part["rewrites"][f"condense, {name}"]["by_kind"]) == set(
            kind for kind in part["rewrites"]["hyde, MiniLM"]["by_kind"])
        assert all(row["ties"] == 15 for kind, row in part["rewrites"][f"condense, {name}"]["by_kind"].items()
                   if kind != "follow_up")
    assert f"Phrasings** by rule change {changed['phrasings']['questions']} of the 300" in said
    lost = rows["phrasings, MiniLM"]
    assert f"they lose {-lost['difference']:.3f} ({interval(lost)})" in said and lost["high"] < 0
    for name, words in (("phrasings, BM25", "by words "), ("phrasings, hybrid", "hybrid "), ("hyde, MiniLM", "")):
        assert words + interval(rows[name]) in said and not apart(rows[name])


def test_no_kind_can_be_told_apart(lesson, printed, figures, larkspur):
    said, rewrites = plain(lesson["measure-all-said"]), figures["held_out"]["all"]["rewrites"]
    names = re.findall(r'"(\w+, \w+)"', lesson["measure-all-code"].partition("named = (")[2])[:3]
    kinds = [row for name in names for row in rewrites[name]["by_kind"].values()]
    assert len(kinds) == 27 and "none of the 27 intervals by kind is clear of 0" in said and not any(map(apart, kinds))
    intervals = sum(len(re.findall(r"\([+-]\d\.\d{3} to [+-]\d\.\d{3}\)", text)) for cell, text in printed.items()
                    if cell.startswith("measure"))
    assert f"{intervals} intervals stand in this part" in said
    assert f"ends at {rewrites['phrasings, MiniLM']['all']['nDCG@10']['high']:.3f}".replace("-", "−") in said
    close = figures["held_out"]["other topic"]["differences"]["MiniLM"]["condensed - as typed"]["nDCG@10"]
    assert f"the one at {close['high']:.3f} above".replace("-", "−") in said
    lost = [row for row in figures["places"] if row["rewrite"] == "phrasings"]
    assert len(lost) == 1 and f"from {lost[0]['before']} to {lost[0]['after']}" in said
    text = next(query.text for query in larkspur.queries if query.id == lost[0]["id"])
    assert text in said and rephrase(text).texts == (text, text.replace("laptop", "computer"))
    assert {query.split for query in larkspur.queries if query.id in [row["id"] for row in figures["places"]]} == {
        "dev"}


def test_what_it_costs(lesson, figures):
    said, times = lesson["measure-all-said"], figures["times"]
    assert all(times[f"writing: {name}"]["p95"] < 1 for name in REWRITES) and "less than a millisecond" in said
    assert f"phrasings search {figures['changed']['phrasings']['texts']:.2f} times a question" in said


def test_the_lesson_takes_the_time_it_says():
    words = sum(len(cell.source.split()) for cell in nbformat.read(LESSON, as_version=4).cells
                if cell.cell_type == "markdown")
    title = nbformat.read(LESSON, as_version=4).cells[0].source
    assert words / 200 + 10 < 25 and "about twenty-five minutes" in title  # 10: five pictures, and your turn


def test_the_code_beside_the_formula_writes_the_courses_slip(lesson, follow_ups):
    shown = next(cell.source for cell in nbformat.read(LESSON, as_version=4).cells if cell.id == "how-words")
    code = re.search(r"```python\n(.*?)```", shown, re.DOTALL)[1]
    for query in follow_ups:
        history, names = query.history, set()
        for turn in history:
            names |= {word for at, word in enumerate(rewrite.words_of(turn["text"]))
                      if at and (word != word.lower() or re.search(r"\d", word))}
        common = {form for word in COMMON for form in (word, word.capitalize(), word.upper())}
        given = {"history": history, "names": names, "common": common, "question": query.text,
                 "words_of": rewrite.words_of}
        exec(code, given)
        words = rewrite.topic_words(history, MOST_WORDS, COMMON)
        if len(given["weights"]) <= MOST_WORDS:  # no tie at the end of the list
            assert {word.lower() for word in given["heaviest"]} == {word.lower() for word in words}, query.text


def recomputed(larkspur, queries, search, slip, split):
    """Return what a search finds that is handed slip(query) in place of each question."""
    texts = {query.text: slip(query) for query in queries}

    class Slips:
        def search(self, query, k=10):
            return search.search(texts[query], k)

    return evaluate(Slips(), replace(larkspur, queries=list(queries)), split)


@pytest.mark.parametrize("split", ["dev", "held_out"])
def test_the_stored_figures_of_follow_ups_come_out_again(figures, larkspur, searches, split):
    talks = [query for query in larkspur.queries if query.kind == "follow_up" and query.split == split]
    stored = figures[split]["follow_up"]
    for name, search in zip(("BM25", "MiniLM"), searches, strict=True):
        typed = recomputed(larkspur, talks, search, lambda query: query.text, split)
        new = recomputed(larkspur, talks, search, slip_of, split)
        assert new["metrics"]["nDCG@10"] == pytest.approx(stored["rows"][name]["condensed"]["nDCG@10"], abs=1e-5)
        row, kept = differences(typed, new, ("nDCG@10",))["nDCG@10"], stored["differences"][name]
        assert row == pytest.approx(kept["condensed - as typed"]["nDCG@10"], abs=1e-5)
    whole = recomputed(larkspur, talks, searches[0], whole_talk, split)
    assert whole["metrics"]["nDCG@10"] == pytest.approx(stored["rows"]["BM25"]["whole talk"]["nDCG@10"], abs=1e-5)


@pytest.mark.parametrize("split", ["dev", "held_out"])
def test_the_stored_figures_after_another_talk_come_out_again(figures, larkspur, searches, split):
    half = [query for query in larkspur.queries if query.split == split]
    talks = [query.history for query in half if query.kind == "follow_up"]
    alone = [query for query in half if query.kind != "follow_up"]
    strangers = [replace(query, history=talks[i % 15]) for i, query in enumerate(alone)]
    stored = figures[split]["other topic"]
    for slip, how in (("as typed", lambda query: query.text), ("whole talk", whole_talk),
                      ("condensed", slip_of)):
        found = recomputed(larkspur, strangers, searches[0], how, split)
        assert found["metrics"]["nDCG@10"] == pytest.approx(stored["rows"]["BM25"][slip]["nDCG@10"], abs=1e-5)
    judged = [query for query in strangers if larkspur.evidence.get(query.id)]
    assert stored["queries"] == len(judged) == 120
    assert stored["changed"] == sum(rewrite.is_follow_up(q.text, q.history, POINTING, COMMON) for q in judged)


def test_the_stored_figures_of_conditions_come_out_again(figures, larkspur, searches):
    asked = [query for query in larkspur.queries if query.kind == "filter" and query.split == "held_out"]
    where = {query.text: query.filter for query in asked}
    some, stored = replace(larkspur, queries=asked), figures["held_out"]["filter"]["rows"]

    class Conditioned:
        def __init__(self, search):
            self.search = lambda query, k=10: search(query, k, where[query])

    def by_words(query, k, condition):
        return BM25([chunk for chunk in larkspur.chunks if matches(chunk.metadata, condition)]).search(query, k)

    for name, search in (("BM25", by_words), ("MiniLM", lambda query, k, c: searches[1].search(query, k, where=c))):
        found = evaluate(Conditioned(search), some, "held_out")["metrics"]
        assert found["Recall@10"] == pytest.approx(stored[name]["condition"]["Recall@10"], abs=1e-5)


@pytest.mark.parametrize("rewrite_name, name", [("phrasings", "BM25"), ("hyde", "MiniLM"), ("condense", "MiniLM")])
def test_the_stored_figures_of_each_rewrite_come_out_again(figures, larkspur, searches, rewrite_name, name):
    search = REWRITES[rewrite_name](dict(zip(("BM25", "MiniLM"), searches, strict=True))[name], larkspur.chunks)
    history = {query.text: query.history for query in larkspur.queries}

    class Told:
        def search(self, query, k=10):
            return search.search(query, k, history[query])

    found = evaluate(Told(), larkspur, "held_out")["metrics"]
    stored = figures["held_out"]["all"]["rewrites"][f"{rewrite_name}, {name}"]["metrics"]
    assert found["nDCG@10"] == pytest.approx(stored["nDCG@10"], abs=1e-5)


def test_no_held_out_question_is_shown(lesson, printed, larkspur):
    everything = " ".join([*lesson.values(), *printed.values()])
    for query in larkspur.queries:
        if query.split == "held_out":
            assert not re.search(rf"(?<!\w){re.escape(query.text)}(?!\w)", everything), query.id


def test_the_reference_passes_its_own_check(capsys):
    with np.errstate(all="raise"):
        check("rewrite.condensed", rewrite.condensed)
    assert re.search(r"(\d+) of \1 points", capsys.readouterr().out)
