"""The numbers that lesson 18 states in its sentences, worked out again."""

import json
import re
from pathlib import Path

import nbformat
import pytest

from firstprinciples.encode.stored import minilm
from firstprinciples.explore import answers as prompts
from firstprinciples.explore import strong
from firstprinciples.explore.conversation import QUESTIONS as TALK
from firstprinciples.explore.conversation import talk
from firstprinciples.explore.edited import EDITS, trace
from firstprinciples.explore.guess import QUESTIONS
from firstprinciples.explore.silence import stops
from firstprinciples.generate import answer, context
from firstprinciples.generate.reader import DOUBT, NEARLY, THRESHOLD, Reader
from firstprinciples.grading import check
from firstprinciples.pipeline import Chat, Pipeline
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.dense import Dense

ROOT = Path(__file__).resolve().parent.parent.parent
LESSON = ROOT / "notebooks" / "18_answers.ipynb"
SICK = "How many paid sick days do I have in a calendar year?"
UNPAID = ("1044", "1046", "1063", "1069")
SILENT = "Answer: I couldn't find that."


@pytest.fixture(scope="module")
def figures():
    return json.loads((ROOT / "notebooks" / "answers.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def words(larkspur):
    return BM25(larkspur.chunks)


@pytest.fixture(scope="module")
def pipeline(larkspur, words):
    return Pipeline(larkspur.chunks, [words, Dense(larkspur.chunks, minilm())])


@pytest.fixture(scope="module")
def desk(larkspur, words):
    return context.lay_out(words.search(SICK), larkspur.chunks, question=SICK)


def plain(text: str) -> str:
    """Return a text without its quotation marks."""
    return text.replace('"', "")


def query(larkspur, text: str):
    return next(each for each in larkspur.queries if each.text == text)


def stars(number, order="best first", budget=1200) -> list[dict]:
    """Return the pages of the first picture that hold the answer."""
    return [page for page in prompts.frame(prompts.State(number, order, budget))["pages"] if page["holds"]]


# Three questions


def test_the_three_questions_of_the_beginning(printed, larkspur, pipeline):
    asked = re.findall(r"^(\S.*)\n   (Answer: .*)$", printed["setup"], re.MULTILINE)
    assert len(asked) == 3 and [line for _, line in asked] == [pipeline.run(text).line() for text, _ in asked]
    first, second, third = (query(larkspur, text) for text, _ in asked)
    assert first.evidence and second.evidence and third.kind == "unanswerable"
    assert "8 paid sick days" in asked[0][1] and "[sick-day-policy, page 1]" in asked[0][1]
    assert asked[1][1] == SILENT and asked[2][1] != SILENT
    assert {each.split for each in (first, second, third)} == {"dev"}


# Order and budget


def test_where_the_page_about_the_surcharge_stands(lesson):
    said = plain(lesson["order-said"])
    rank = stars(0)[0]["rank"]
    places = {order: stars(0, order)[0] for order in prompts.ORDERS}
    assert rank == places["best first"]["place"] == 5 and "was found fifth" in said
    first, last, ends = (places[order] for order in ("best first", "best last", "both ends"))
    assert f"At place {first['place']} their model was right for {prompts.percent(first)} of 100" in said
    assert f"The best last puts it at place {last['place']}, {prompts.percent(last)}." in said
    assert f"Both ends brings it to place {ends['place']}, {prompts.percent(ends)}." in said
    assert [each["tried"] for each in (first, last, ends)] == [True, False, False]
    best = [stars(2, order)[0] for order in ("best first", "best last")]
    assert best[0]["rank"] == 1 and all(each["tried"] for each in best)
    assert f"is worth {best[0]['theirs']:.0f} at the top and {best[1]['theirs']:.0f} at the bottom" in said
    assert not any(stars(0, order, 400)[0]["place"] for order in prompts.ORDERS) and "With 400 tokens" in said
    assert stars(0, budget=500)[0]["place"]


def test_the_published_curve_is_quoted_as_theirs(lesson):
    said = plain(lesson["how-order"])
    assert "The numbers are theirs" in said and prompts.CURVE == 10 and "one of ten pages" in said
    curve = context.PUBLISHED[10]
    assert curve[1] > curve[10] > curve[5] and curve[10] - curve[5] < 2  # "if only just"
    assert sorted(curve) == [1, 5, 10] and "they tried the first, the fifth and the last" in said
    assert "*first* beats *last*" in lesson["order-said"]
    assert context.both_ends(list("abcde")) == list("acedb") and "a b c d e -> a c e d b" in said


def test_what_is_passed_over(lesson):
    drawn = prompts.frame(prompts.State(1, budget=600))
    assert [page["rank"] for page in drawn["pages"] if page["place"]] == [1, 2, 3, 4, 8]
    assert "with 600 tokens, the eighth page goes in and the fifth, sixth and seventh do not" in lesson["how-fits"]


def test_the_prompt(printed, lesson, larkspur, words):
    question = "Why the surcharge on the brochures?"
    laid = context.lay_out(words.search(question), larkspur.chunks, budget=200, question=question)
    assert len(laid.sources) == 2 and "Here with two pages" in lesson["how-fits"]
    assert printed["prompt-code"].startswith(laid.text) and f"{laid.tokens} tokens; left out: 8 of 10" in \
        printed["prompt-code"]
    assert stars(0)[0]["id"] in dict(laid.left_out) and stars(0)[0]["rank"] == 5


# The reader


def test_the_lines_about_sick_days(printed, lesson, larkspur, desk):
    reader, said = Reader(larkspur.chunks), plain(lesson["quote-said"])
    lines = sorted(reader.lines(SICK, desk.sources), key=lambda line: -line.score)
    shown = re.findall(r"^(0\.\d\d) ", printed["quote-code"], re.MULTILINE)
    assert shown == [f"{line.score:.2f}" for line in lines[:4]]
    assert f"The best line has {lines[0].score:.2f}, and {THRESHOLD:g} is enough" in said
    assert "of the eight" in lines[3].quote.text and "it speaks of the eight" in said
    documents = {document.id: document.text for document in larkspur.documents}
    for line in lines:
        assert documents[line.quote.document][line.quote.start:line.quote.end] == line.quote.text
    assert f"n + {DOUBT}" in lesson["how-quote"] and f"The {DOUBT} was chosen" in lesson["how-quote"]
    assert DOUBT == 5 and "a question worth five of the rarest words keeps half" in lesson["how-quote"]


def test_which_of_them_still_owe_us(printed, lesson, pipeline):
    good, bad = (re.findall(r'talk\("([^"]+)", "([^"]+)"\)', lesson["each-code"]))
    quotes = []
    for questions in (good, bad):
        chat = Chat(pipeline)
        trips = [chat.ask(question) for question in questions]
        quotes.append(trips[-1].answer.quotes)
        assert trips[-1].stage("sharpen").gave[0] in printed["each-code"]
        assert all(answer.receipt(quote.document, quote.page) in printed["each-code"] for quote in quotes[-1])
    rows = [quote.text.split(" | ")[0] for quote in quotes[0]]
    assert rows[:4] == list(UNPAID) and [quote.document for quote in quotes[0][4:]] == [
        "statement-receivables-2024-08", "cedarline-freight-bill-march-2024"]
    assert "1044, 1046, 1063 and 1069" in lesson["each-said"]
    assert "Two lines come along: the first sentence of the statement, and a sum" in lesson["each-said"]
    assert not any(number in quote.text for quote in quotes[1] for number in UNPAID)
    assert "none of the four is named" in lesson["each-said"]
    assert pipeline.several == 10 and pipeline.most == 5 and f"{NEARLY:g} of what the best has" in lesson["how-each"]


def test_a_models_receipts(printed, lesson, larkspur, desk):
    by = re.findall(r"^(\w+): by (\w+)\.$", printed["checked-code"], re.MULTILINE)
    assert by == [("careful", "llm"), ("miscounted", "rules"), ("without_receipt", "rules"), ("smooth", "llm")]
    pages = [source["text"] for source in desk.sources]
    assert desk.sources[0]["document"] == "sick-day-policy"
    assert answer.unsupported(["Unused sick days are paid out in December [1]."], pages) == []
    held = next(document.text for document in larkspur.documents if document.id == "sick-day-policy")
    assert "are never paid out" in held and "are never paid out" in plain(lesson["checked-said"])


# The talk and the edit


def test_what_the_talk_says(lesson):
    said = plain(lesson["chat-said"])
    trips = talk(TALK)
    assert len(trips) == 5 and "five turns" in lesson["watch"]
    due, paid, dog, several, owe = (trip.line() for trip in trips)
    assert "$1,284.50" in due and "[invoice-1042, page 2]" in due
    assert TALK[1] in said and "settled in the spring" in said and "settled in the spring" in paid
    merged = [row["text"] for row in trips[1].stage("merge").gave]
    day = [place for place, text in enumerate(merged, 1) if "Paid in full on April 9" in text]
    assert day == [78] and "invoice-1042, page 2, in a chunk that came 78th" in said
    assert not any("Paid in full" in row["text"] for row in trips[1].stage("desk").gave)
    assert TALK[2] in said and dog == SILENT and "gets five chunks" in said
    assert "dog" in trips[4].stage("sharpen").gave[0].split() and "the dog too" in said
    assert len(trips[2].stage("desk").gave) == 5
    rows = [quote.text.split(" | ")[0] for quote in trips[4].answer.quotes]
    assert rows[:4] == list(UNPAID) and len(rows) == 7 and "and three lines more" in said
    assert all(f"{number} | " in several for number in UNPAID) and all(f"{number} | " in owe for number in UNPAID)


def test_what_the_edit_changes(lesson):
    said = plain(lesson["edited-said"])
    first, *_ = EDITS
    last = {name: trace(name, **edited(name))[-1] for name in EDITS}
    assert f"One chunk of {last[first]['total']} is made anew" in said and last[first]["new"] == 1
    assert "$165" in last[first]["now"]["line"] and "$145" in last[first]["was"]["line"] and "costs $165" in said
    added, struck = last["a rule is added"], last["a line is struck"]
    assert added["was"]["line"] == struck["now"]["line"] == SILENT
    assert "Dogs" in added["now"]["line"] and "arking" in struck["was"]["line"]


def edited(name) -> dict:
    """Return what the picture hands to its trace for one of the edits."""
    from firstprinciples.explore import edited_file

    stage = edited_file(name)
    values = {key: value for key, value in stage.values.items() if key in ("text", "question")}
    stage.close()
    return values


# What was measured


def test_many_or_few(lesson, figures):
    said, guess = plain(lesson["many-said"]), QUESTIONS["answers.twenty"]
    three, twenty = (figures["k"]["hybrid"]["dev"][k] for k in ("3", "20"))
    n = figures["dev"]["counts"]["answerable"]["n"]
    there = [round(each["evidence"] * n) for each in (three, twenty)]
    assert f"for {there[0]} of the questions, and it answers {three['right']} rightly" in guess["question"]
    assert f"such a page is there for {there[1]}" in guess["question"] \
        and guess["answer"].startswith(f"about {twenty['right']}:")
    times = f"{twenty['tokens'] / three['tokens']:.1f} times"
    assert f"{twenty['wrong']} wrongly in place of {three['wrong']}" in guess["because"] and times in guess["because"]
    assert f"is there for {three['evidence']:.3f} of the questions, and the reader answers {three['right'] / n:.3f} " \
        f"rightly and {three['wrong'] / n:.3f} wrongly" in said
    assert f"it is there for {twenty['evidence']:.3f}, in a prompt of {twenty['tokens']:,.0f} tokens in place of " \
        f"{three['tokens']:.0f}: {times} the price" in said
    assert f"Right answers go to {twenty['right'] / n:.3f}. Wrong ones go to {twenty['wrong'] / n:.3f}" in said
    assert (twenty["right"] - three["right"], twenty["wrong"] - three["wrong"]) == (3, 10)
    assert "three more questions of 135 are answered rightly, ten more wrongly" in said and n == 135
    assert (twenty["unanswerable_answered"], three["unanswerable_answered"]) == (9, 7)
    assert "nine get an answer in place of seven" in said
    best = [max(row["right"] for row in figures["k"][name]["dev"].values()) for name in ("BM25", "hybrid")]
    assert best[0] < best[1] and strong.State().k == 3


def test_from_reckless_to_silent(lesson, figures):
    said, rows = plain(lesson["silence-said"]), figures["dev"]["rows"]
    right = [(row[2], row[3] is True) for row in rows]
    counts, t = figures["dev"]["counts"], figures["threshold"]
    assert t == THRESHOLD and f"The course stops at {t:g}" in said and "at most half" in figures["rule"]
    assert f"answers all {len(rows)} and {sum(not good for _, good in right)} of them wrongly" in said
    given = [good for sure, good in right if sure >= t]
    assert f"There {len(given)} are answered, {sum(given)} rightly" in said
    assert len(given) == counts["answerable"]["right"] + counts["answerable"]["wrong"] + \
        counts["unanswerable"]["answered"] and sum(given) == counts["answerable"]["right"]
    assert f"Of {counts['answerable']['n']} questions that have an answer it declines " \
        f"{counts['answerable']['declined']}, and of {counts['unanswerable']['n']} that have none only " \
        f"{counts['unanswerable']['declined']}" in said
    worth = {}  # {what a wrong answer costs: (the best sum, its stop, how many are answered there, how many rightly)}
    for cost in (1, 10):
        at = [(stop, [good for sure, good in right if sure >= stop]) for stop in stops()]
        worth[cost] = max((sum(given) - cost * given.count(False), stop, len(given), sum(given)) for stop, given in at)
    _, stop, answered, good = worth[1]
    assert f"{stop:g} is the best stop: {answered} answered, {good} rightly" in said
    assert worth[10][0] == worth[10][2] == 0 and "If it costs ten, nothing pays, and silence is best" in said
    high = [good for sure, good in right if sure >= 0.25]
    assert f"at 0.25, {len(high)} questions are answered, and {high.count(False)} of them" in said


def test_the_mistakes_that_are_shown(lesson, printed, figures, larkspur):
    said, shown = plain(lesson["fails-said"]), printed["fails-code"]
    asked = {each.id: each.text for each in larkspur.queries}
    rows = {asked[row[0]]: row for row in figures["dev"]["rows"]}
    for text, piece in (("what broke when phase three of Dotterel went live?", "Dotterel"),
                        ("and for food?", "the host"),
                        ("How hot before the sewing floor is shut altogether? Only what the safety sheets say please",
                         "95 and over | The floor is shut"),
                        ("how many days quicker was finance with the July closing than with the March one?", "July")):
        assert piece in rows[text][5] and text[:60] in shown and piece in shown, text
    assert "what happens when the host pays" in said and "95 and over | The floor is shut" in said
    assert sum(not row[4] for row in figures["dev"]["rows"]) == 15 and "at 0 it answers all fifteen" in said
    bill = rows["what will the mill charge us for a yard of heron gray from October 2025?"][5]
    assert "heron gray" in bill and "april-2024" in bill


def test_the_held_out_half(lesson, printed, figures):
    said, half = plain(lesson["measure-said"]), figures["held_out"]
    has, lacks, sure = half["counts"]["answerable"], half["counts"]["unanswerable"], half["intervals"]
    given = has["right"] + has["wrong"]
    assert f"Of {has['n']} questions that have an answer, it answers {given} ({given / has['n']:.3f}): " \
        f"{has['right']} rightly ({has['right'] / has['n']:.3f}) and {has['wrong']} wrongly " \
        f"({has['wrong'] / has['n']:.3f})" in said
    assert f"Of {lacks['n']} that have none, it declines {lacks['declined']} " \
        f"({lacks['declined'] / lacks['n']:.3f})" in said
    assert "Fifteen are few: {1:.3f} to {2:.3f}".format(*sure["unanswerable declined"]) in said and lacks["n"] == 15
    value, low, high = sure["right of those given"]
    assert f"{value:.3f} ({low:.3f} to {high:.3f})" in said
    assert f"declines {lacks['declined'] / lacks['n']:.3f} of the questions that can't be answered, and " \
        f"{has['declined'] / has['n']:.3f} of those that can" in said
    kinds = half["by_kind"]
    assert f"{kinds['exact']['right']} of 15 right and {kinds['exact']['wrong']} wrong" in said
    assert kinds["paraphrase"]["right"] == kinds["paraphrase"]["on_desk"] == 0
    assert f"none right and {kinds['paraphrase']['declined']} declined" in said
    assert f"*filter* {kinds['filter']['right']} right and {kinds['filter']['wrong']} wrong, *negation_or_date* " \
        f"{kinds['negation_or_date']['right']} and {kinds['negation_or_date']['wrong']}" in said
    assert f"For {has['on_desk']} of the {has['n']} a page that answers lay on the desk, and {has['right']} were " \
        f"answered rightly. For the other {has['n'] - has['on_desk']}" in said
    for name in ("right", "wrong", "declined"):
        value, low, high = sure[name]
        assert f"{has[name]:3}   {value:.3f} ({low:.3f} to {high:.3f})" in printed["measure-code"]
        assert value == pytest.approx(has[name] / has["n"], abs=1e-6)


def test_many_or_few_on_the_held_out_half(lesson, figures):
    said = plain(lesson["many-measured"])
    for name in ("hybrid", "BM25"):
        three, twenty = (figures["k"][name]["held_out"][k] for k in ("3", "20"))
        if name == "hybrid":
            assert f"for {twenty['evidence']:.3f} of the questions, before for {three['evidence']:.3f}" in said
            assert f"Right answers go from {three['right']} to {twenty['right']}, wrong ones from {three['wrong']} " \
                f"to {twenty['wrong']}, for {twenty['tokens'] / three['tokens']:.1f} times the tokens" in said
        else:
            assert f"it is {three['right']} to {twenty['right']} right and {three['wrong']} to {twenty['wrong']} " \
                "wrong" in said


def test_first_or_last(lesson, figures):
    said, rows = plain(lesson["order-measured"]), figures["order"]["held_out"]
    expected = rows["1000"]["expected"]
    assert f"Take 1,000 tokens. Of 100 questions whose page is there, *best first* would have " \
        f"{expected['best_first']:.1f} right, *both ends* {expected['both_ends']:.1f}, and *best last* " \
        f"{expected['best_last']:.1f}." in said
    assert all(row["expected"]["best_first"] > row["expected"]["best_last"] for row in rows.values())
    assert f"for {rows['1000']['kept']:.3f} in place of {rows['250']['kept']:.3f}" in said
    assert "derived, not measured" in said


def test_how_long_it_takes(lesson):
    notebook = nbformat.read(LESSON, as_version=4)
    words = sum(len(cell.source.split()) for cell in notebook.cells if cell.cell_type == "markdown")
    assert words / 200 + 18 < 35 and "about thirty-five minutes" in lesson["title"]  # 18: the pictures, and your turn
    pictures = [cell.source for cell in notebook.cells if cell.id.endswith("-picture") and cell.id != "folder-picture"]
    assert len(set(pictures)) == 5 and "with five pictures" in lesson["title"]


def test_the_reference_passes_its_own_check(capsys):
    check("answer.risk_coverage", answer.risk_coverage)
    assert re.search(r"(\d+) of \1 points", capsys.readouterr().out)


def test_no_held_out_question_is_shown(lesson, printed, larkspur):
    everything = " ".join([*lesson.values(), *printed.values()])
    for each in larkspur.queries:
        if each.split == "held_out":
            assert not re.search(rf"(?<!\w){re.escape(each.text)}(?!\w)", everything), each.id
