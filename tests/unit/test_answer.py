"""Answers: the pure functions at their edges, quotes exact on any text, lists of lines, a model's receipts."""

import dataclasses
import math
import random
import time
from functools import partial

import numpy as np
import pytest

from firstprinciples.corpus import Chunk, Collection, Document, Query, paragraphs
from firstprinciples.evaluate import answering
from firstprinciples.generate import answer, context, llm, reader
from firstprinciples.generate.lines import held_by, spans, telling, wants_several
from firstprinciples.generate.reader import Reader
from firstprinciples.generate.replies import claims, is_silence
from firstprinciples.ingest.chunkers import by_words
from firstprinciples.swap import use

# Words, marks and rows of many scripts, and what tends to break the cutting of texts
PIECES = ["Invoice", "due", "paid", "$1,284.50", "LK-204-B", "請付款。", "発票です。", "भुगतान हुआ।", "счёт оплачен.",
          "¿Cuándo?", "ünïcödé", "دفعت الفاتورة.", "초과근무", "👩‍🚒", "e\u0301", "\u200b", "No.", "3", "p.m.",
          "…", "!", ". ", "\n", "\n\n", "\r\n", "\t", "# Title\n", "\n## Amounts\n\n", "- item", "1. first",
          "| a | b |\n", "|---|---:|\n", "| 7 | |\n", "|", "```\ncode\n```\n", "[1]", "“quoted.”", "\u00a0", "\x0c",
          "🙂.", "", " "]


def source(id: str, text: str, document: str = "", page: int = 1) -> dict:
    return {"id": id, "document": document or id, "page": page, "text": text}


def desk(*texts: str) -> list[dict]:
    return [source(str(place), text, f"page-{place}", place + 1) for place, text in enumerate(texts)]


def random_text(draw: random.Random) -> str:
    return "".join(draw.choice(PIECES) + draw.choice(["", " ", " ", "\n"]) for _ in range(draw.randrange(1, 40)))


# The pure functions


def test_support_is_a_share_of_rarity():
    rarity = {"a": 1.0, "b": 3.0}
    assert answer.support(["a", "b"], ["b", "b", "c"], rarity) == 0.75
    assert answer.support(["a", "a", "b"], ["a"], rarity) == 0.25, "each word once"
    assert answer.support(["a", "z"], ["z"], rarity) == 0.75, "one that is not known is as rare as the rarest"
    assert answer.support(["y", "z"], ["z"], {}) == 0.5
    assert answer.support([], ["a"], rarity) == answer.support(["a"], ["a"], {"a": 0.0}) == 0.0
    with pytest.raises(ValueError, match="rarity of 'a' is -1"):
        answer.support(["a"], [], {"a": -1})


@pytest.mark.parametrize("seed", range(30))
def test_picking_agrees_with_the_plainest_way(seed):
    draw = random.Random(seed)
    scores = [draw.choice([0, 0.25, 0.5, 0.75, 1]) for _ in range(draw.randrange(12))]
    pages, threshold, most = [draw.choice("abc") for _ in scores], draw.choice([0, 0.25, 0.6, 1]), draw.randrange(1, 5)
    ranked = sorted(range(len(scores)), key=lambda place: (-scores[place], place))
    high = [place for place in ranked if scores[place] >= threshold]
    assert answer.best_quotes(scores, threshold, most) == high[:most]
    first = [place for n, place in enumerate(high) if pages[place] not in [pages[other] for other in high[:n]]]
    assert answer.best_of_each(scores, pages, threshold) == first
    right = [draw.random() < 0.5 for _ in scores]
    for sure, covered, risk in answer.risk_coverage(scores, right):
        given = [good for score, good in zip(scores, right, strict=True) if score >= sure]
        assert covered == len(given) / len(scores) and risk == (len(given) - sum(given)) / len(given)
    assert [row[0] for row in answer.risk_coverage(scores, right)] == sorted(set(scores), reverse=True)


def test_receipts_of_a_model():
    pages = ["Due: $1,284.50 by April 13.", "Paid on April 9, 2024, in full."]
    held = ["It is $1284.50 [1].", "Due by April 13 and paid on April 9 [1, 2].", "It was paid in full [ 2 ]."]
    assert answer.unsupported(held, pages) == []
    wrong = ["It is $284.50 [1].", "Paid on April 13 [2].", "It was paid.", "See [3].", "See [0].", "See [2] and [3].",
             "[x]"]
    assert answer.unsupported(wrong, pages) == wrong
    assert answer.unsupported(held, []) == held and answer.unsupported([], pages) == []
    assert answer.citations("[1][2] [10, 3 ,2] [0] [1-3] [a] [] [-2] [1.5] [٣]") == [1, 2, 3, 10]
    assert answer.numbers_in("3.14, 1,000,000 and 2024-08-30; $40. .5 A4") == [
        "3.14", "1000000", "2024", "08", "30", "40", "5", "4"]
    assert answer.citations("[" + "9" * 5000 + "]") == []


def test_what_the_pure_functions_refuse():
    for function, arguments in ((answer.best_quotes, ([1, math.nan], 0, 1)), (answer.best_quotes, ([1], math.inf, 1)),
                                (answer.best_quotes, ([1], 0, 0)), (answer.best_of_each, ([1], ["a", "b"], 0)),
                                (answer.best_of_each, ([math.inf], ["a"], 0)), (answer.receipt, ("", 1)),
                                (answer.receipt, ("a", 0)), (answer.receipt, ("a", True)),
                                (answer.answer_line, ([(" \n", "a", 1)],)), (answer.risk_coverage, ([1, 2], [True])),
                                (answer.declining, ([True], [True])), (answer.declining, ([], [])),
                                (answer.declining, ([True, False], [True]))):
        with pytest.raises(ValueError, match="."):
            function(*arguments)


# Quotes are exact


@pytest.mark.parametrize("seed", range(60))
def test_quotes_are_what_stands_in_the_document(seed):
    draw = random.Random(seed)
    documents = [Document(f"d{n}", "D", random_text(draw), pages=((0, 1), (40, 2), (90, 3))) for n in range(4)]
    cut = paragraphs if seed % 2 else by_words(size=7, overlap=3)
    chunks = [chunk for document in documents for chunk in cut(document)]
    if not chunks:
        return
    sources = context.lay_out([chunk.id for chunk in chunks], chunks, budget=10_000, most=50).sources
    question = " ".join(draw.choice(PIECES) for _ in range(6)) + " invoice due"
    reckless = Reader(chunks, threshold=0, most=50, documents=documents)
    texts = {document.id: document for document in documents}
    for asked in (question, "Which of them are due, " + question):
        found = reckless.read(question, sources, asked)
        assert len({dataclasses.astuple(quote)[2:] for quote in found.quotes}) == len(found.quotes), "none twice"
        for quote in found.quotes:
            document = texts[quote.document]
            assert quote.text == document.text[quote.start : quote.end] == quote.text.strip() != ""
            assert quote.page == [page for offset, page in document.pages if offset <= quote.start][-1]
        assert found.text.startswith("Answer: ") and "\n" not in found.text
    assert reckless.read(question, sources) == reckless.read(question, sources)


@pytest.mark.parametrize("seed", range(40))
def test_lines_lie_in_order_and_none_holds_another(seed):
    text = random_text(random.Random(1000 + seed))
    last = 0
    for start, end, header in spans(text):
        assert last <= start < end <= len(text)
        last = end
        assert not text[start:end].startswith(("# ", "|---")) and "\n|" not in header


def test_sources_of_one_document_that_the_reader_does_not_know():
    """Nobody says where they begin, so two lines of the same length stand at the same place: both are read."""
    pages = ["Tents are red now.", "Ropes are cut now.", "The stove needs gas."]
    sources = [source("u", pages[0], "d", 1), source("v", pages[1], "d", 2), source("w", pages[1], "d", 3)]
    for reads in (Reader(pages), Reader(["other"])):
        lines = reads.lines("When are ropes cut?", sources)
        assert [(line.quote.text, line.quote.page) for line in lines] == [(pages[0], 1), (pages[1], 2)]


def test_rows_are_read_with_their_header():
    text = "## Prices\n\n| Part | Price |\n|---|---:|\n| LK-2 pole | $4.00 |\n| LK-3 | $5.00 |\n\nAll with tax."
    assert [(text[a:b], header) for a, b, header in spans(text)] == [
        ("LK-2 pole | $4.00", "Part | Price"), ("LK-3 | $5.00", "Part | Price"), ("All with tax.", "")]
    assert [header for _, _, header in spans("| LK-9 | $5.00 |\n")] == ["|"], "a row without a header is a row"
    found = Reader([text, "Other things.", "More of them."]).read("What price has the part LK-3?", desk(text))
    assert found.text == "Answer: LK-3 | $5.00 [page-0, page 1]"


def test_the_place_of_a_line_counts():
    pages = ["# Invoice 1042\n\nThe total due is $1,284.50.", "# Invoice 1044\n\nThe total due is $962.40.", "A tent."]
    found = Reader(pages).read("What is the total due on invoice 1044?", desk(*pages))
    assert found.text == "Answer: The total due is $962.40. [page-1, page 2]"


def test_a_name_of_a_file_counts_also_in_pieces():
    pages = ["The total due is $1,284.50.", "The total due is $962.40.", "A tent."]
    sources = [source("0", pages[0], "invoices/invoice_1042.txt"), source("1", pages[1], "invoices/invoice_1044.txt")]
    assert "962.40" in Reader(pages).read("total due of invoice 1044?", sources).text


# Silence


def test_silence():
    pages = ["The stove needs gas.", "Tents are aired on Monday."]
    found = Reader(pages).read("Who is our dentist?", desk(*pages))
    assert (found.text, found.quotes, found.by) == ("Answer: I couldn't find that.", (), "rules")
    assert found.note == "The surest of 2 lines has 0.00, and 0.163 is enough: none quoted."
    for sources in ([], desk(""), desk("# Only a heading")):
        assert Reader(pages).read("stove?", sources).quotes == ()
        for question in ("stove?", "Which stoves are red?"):
            assert Reader(pages, threshold=0).read(question, sources).quotes == ()
    assert Reader(pages).read("", desk(*pages)).confidence == Reader(pages).read("?!", desk(*pages)).confidence == 0.0


def test_the_dial_goes_from_reckless_to_silent():
    pages = ["The stove needs gas.", "Tents are aired on Monday.", "Gas is sold in the shop."]
    quoted = [len(Reader(pages, threshold=t, most=9).read("When are tents aired in the shop?", desk(*pages)).quotes)
              for t in (0, 0.1, 0.2, 0.4, 1)]
    assert quoted == sorted(quoted, reverse=True) and quoted[0] == 3 and quoted[-1] == 0


def test_a_question_that_says_little_is_less_sure():
    pages = ["Red tents are aired on Monday mornings.", "The stove needs gas.", "Ropes are cut."]
    few, many = (Reader(pages).read(q, desk(*pages)).confidence for q in ("tents?", "red tents aired Monday mornings?"))
    assert 0 < few < many < 1


# Several things


def test_the_form_of_a_question_for_several_things():
    yes = ["Which of them still owe us?", "which invoices are open", "Which open invoices do we have?",
           "who all signed it", "What invoices are unpaid?", "What are the prices?", "List the suppliers",
           "Which customers owe us money?"]
    no = ["Which invoice is open?", "Which stove needs gas?", "What happens to the tents?", "Who is the boss?",
          "Which bus goes there?", "What does the press cost?", "How many invoices are open?",
          "What was his address?", ""]
    assert [q for q in yes if not wants_several(q)] == [q for q in no if wants_several(q)] == []


def test_one_line_from_each_page_and_each_row():
    table = ("## Open bills\n\n| Bill | Due |\n|---|---|\n| 7, red tents | May 2 |\n| 9, ropes | June 4 |\n"
             "| All | two bills |\n\nThe bills are due in order.")
    other = "The bill for the stove is due in July. We like bills."
    reads = Reader([table, other, "Nothing here.", "A pole."])
    found = reads.read("Which bills are due?", desk(table, other, "Nothing here."))
    assert [quote.text for quote in found.quotes] == [
        "7, red tents | May 2", "9, ropes | June 4", "The bills are due in order.",
        "The bill for the stove is due in July."]
    assert Reader([table, "x"]).read("Which bills are due?", desk("Nothing of the kind.")).quotes == ()


def test_a_name_that_begins_like_a_sum_is_no_sum():
    rows = ["All Saints School | May 2", "All-weather tents | May 3", "Total-body harness | May 4", "Scouts | June 4"]
    for total in ("All | two", "All lines | 6", "ALL | 4", "Total Due | $4", "Subtotal | 3", "Together | 9", "sum | 1"):
        table = "| Name | Due |\n|---|---|\n" + "".join(f"| {row} |\n" for row in [*rows, total])
        found = Reader([table, "x", "y"]).read("Which names are due?", desk(table))
        assert [quote.text for quote in found.quotes] == rows, total


def test_what_was_said_before_chooses_the_page_and_the_question_the_line():
    open_now = ("## Open invoices\n\n| Invoice | Customer | Due |\n|---|---|---|\n| 1044 | Scouts | April |\n"
                "| 1063 | Salt | July |")
    other = "Scouts and Salt are customers. They like red tents."
    reads = Reader([open_now, other, "The stove needs gas.", "A rope."])
    found = reads.read("which of them still owe us? Scouts customers invoices", desk(other, open_now),
                       "which of them still owe us?")
    assert [quote.text for quote in found.quotes] == ["1044 | Scouts | April", "1063 | Salt | July"]


def test_which_of_them_still_owe_us():
    """The conversation of the issue, without the search: on the desk lie pages of the statement and of invoices."""
    larkspur = Collection.load("larkspur")
    hits = ["invoice-1042#6", "statement-receivables-2024-08#2", "statement-receivables-2024-08#1", "invoice-1047#4"]
    sources = context.lay_out(hits, larkspur.chunks).sources
    found = Reader(larkspur.chunks).read("which of them still owe us? invoices Larkspur customers", sources,
                                         "which of them still owe us?")
    rows = [quote.text for quote in found.quotes if quote.document == "statement-receivables-2024-08"]
    assert [row[:4] for row in rows[:4]] == ["1044", "1046", "1063", "1069"]
    assert found.text.count("[statement-receivables-2024-08, page 1]") == len(rows)


def test_words_that_stand_for_others():
    assert held_by({"due", "invoic"}, telling("Do we owe the bill?")) == {"ow", "bill"}
    assert telling("what is it") == {"what"} or telling("what is it"), "a question of common words keeps them"


# A model in place of the rules

TWO = ["Invoice 1042: the total due is $1,284.50.", "It was paid on April 9, 2024."]


def asked(model, question="What is the total due on invoice 1042?", pages=TWO):
    return Reader([*pages, "Other things."], llm=model).read(question, desk(*pages))


def test_a_models_answer_with_receipts_that_hold():
    found = asked(lambda prompt: "Answer: It is $1,284.50. [1]\n\n- It was paid on April 9 [1, 2].")
    assert found.by == "llm" and found.problem == ""
    assert found.text == ("Answer: It is $1,284.50 [page-0, page 1]. It was paid on April 9 [page-0, page 1] "
                          "[page-1, page 2].")
    assert [quote.text for quote in found.quotes] == TWO and 0 < found.confidence <= 1


def test_the_prompt_that_a_model_reads():
    seen = []
    asked(lambda prompt: seen.append(prompt) or "no")
    assert seen[0] == context.prompt("What is the total due on invoice 1042?", desk(*TWO), context.NOTE)
    laid = context.lay_out(["0"], TWO, question="What is due?", note="My own note.")
    Reader(TWO, llm=lambda prompt: seen.append(prompt) or "no").read("What is due?", laid)
    assert seen[1] == laid.text and seen[1].startswith("My own note.")


BAD = ["It is $1,284.50.", "It is $9,999.99 [1].", "It is $1,284.50 [3].", "It is $1,284.50 [1]. And so it goes.",
       "[1]", "I couldn't find that. It may be $4 [1].", "Answer:", "# Total\n\nIt is $1,284.50 [1].",
       "[1, 2, 3, 4] yes", "It is ９,９９９ [1].", "It is ٩٩ [1].", "13. April 2024 [2]", "250. That is due [1].",
       "I couldn't find that. 4 [1]", "I couldn't find that. 合計は40です [1]"]


@pytest.mark.parametrize("said", BAD)
def test_without_receipts_the_rules_answer(said):
    found = asked(lambda prompt: said)
    assert found.by == "rules" and found.text == f"Answer: {TWO[0]} [page-0, page 1]"
    assert found.problem and found.note.startswith(found.problem) and "rules answer" in found.problem


def test_a_model_writes_no_receipts_of_its_own():
    found = asked(lambda prompt: "It is $1,284.50 [the handbook, page 2] [2, 1].")
    assert found.by == "rules" and "a receipt of its own, “[the handbook, page 2]”" in found.problem


def test_numbers_in_the_digits_of_another_script():
    pages = ["المبلغ ٤٠ دولارا.", "合計は１２８です。", "Other things."]
    assert asked(lambda prompt: "المبلغ 40 [1].", "?", pages).by == "llm"
    found = asked(lambda prompt: "合計は１２８です[２]。", "?", pages)
    assert (found.by, found.text) == ("llm", "Answer: 合計は１２８です[page-1, page 2]。"), "said as the model said it"
    assert asked(lambda prompt: "合計は１２９です[２]。", "?", pages).by == "rules"


@pytest.mark.parametrize("said", ["I couldn't find that.", "I couldn’t find that", "Answer: I could not find that.",
                                  "**Answer:** I could  not\nfind that [1]."])
def test_a_model_may_find_nothing(said):
    found = asked(lambda prompt: said)
    assert (found.text, found.by, found.quotes) == ("Answer: I couldn't find that.", "llm", ())


def raises(prompt):
    raise OSError("no network")


@pytest.mark.parametrize(("model", "problem"), [
    (raises, "raised OSError: no network"), (lambda p: None, "NoneType"), (lambda p: " ", "nothing in it"),
    (lambda p: "word " * 9999, "9,999 words"), (lambda p: 1 / 0, "ZeroDivisionError")])
def test_a_model_that_fails(model, problem):
    found = asked(model)
    assert found.by == "rules" and problem in found.problem and found.quotes


def test_a_model_that_takes_too_long(monkeypatch):
    monkeypatch.setattr(reader, "ask", partial(llm.ask, seconds=0.05))
    found = asked(lambda prompt: time.sleep(1))
    assert found.by == "rules" and "0.05 seconds" in found.problem


def test_how_replies_are_cut():
    cut = ["It is $40 [1][2].", "It was paid [ 3 ]!", "Yes [4]."]
    assert claims("It is $40.[1][2] It was paid! [ 3 ] Yes [4]. ") == cut
    assert claims("1. One [1].\n2. Two [2]\n- Three [3]") == ["One [1].", "Two [2]", "Three [3]"]
    assert claims("合計は40です。[1] 支払い済みです[2]。") == ["合計は40です [1]。", "支払い済みです[2]。"]
    assert claims('It says "due." [1] It is **$40.** [2] (Paid!) [1]') == [
        'It says "due" [1].', "It is **$40** [2].", "(Paid) [1]!"]
    assert claims("13. April [1]\n2. Two [2]") == ["13. April [1]", "2. Two [2]"], "no list, so its numbers are said"
    assert claims(" \n[]") == [] and is_silence("I COULDN'T FIND THAT!!") and not is_silence("")


# What comes in, and what learners' functions give


def test_what_the_reader_refuses():
    for arguments, error in ((("text",), TypeError), (([],), ValueError), ((["a"], 1.5), ValueError),
                             ((["a"], math.nan), ValueError), ((["a"], 0.5, 0), ValueError),
                             ((["a"], 0.5, 1, (), "gpt"), TypeError)):
        with pytest.raises(error, match="."):
            Reader(*arguments)
    for sources in ([{"id": "a"}], "page", ["page"], [source("a", 7)], [{**source("a", "b"), "document": ""}], None,
                    [{**source("a", "b"), "id": ["a"]}]):
        with pytest.raises(ValueError, match="is no source"):
            Reader(["a"]).read("a?", sources)
    with pytest.raises(TypeError, match="is a string"):
        Reader(["a"]).read(None, [])
    with pytest.raises(ValueError, match="page"):
        Reader(["a red tent", "b"]).read("red tent?", [source("0", "a red tent", page=0)])


@pytest.mark.parametrize(("name", "wrong"), [("support", lambda q, s, r: 7), ("best_quotes", lambda s, t, m: [99]),
                                             ("answer_line", lambda quotes: None), ("receipt", lambda d, p: None),
                                             ("citations", lambda text: [True]), ("unsupported", lambda s, p: None)])
def test_a_learners_function_that_gives_something_else(name, wrong):
    with use(f"answer.{name}", wrong), pytest.raises(ValueError, match=f"{name} should give .*use"):
        asked((lambda prompt: "It is $1,284.50 [1].") if name in ("receipt", "citations", "unsupported") else None)


@pytest.mark.parametrize("wrong", [[[0]], [{}], [0, 0], [-1], "0", None, [True]])
def test_positions_that_are_none(wrong):
    for task, question in (("best_quotes", "total due?"), ("best_of_each", "Which invoices are due?")):
        with use(f"answer.{task}", lambda *given: wrong), pytest.raises(ValueError, match="a list of positions"):
            asked(None, question)


def test_a_learner_may_give_arrays():
    """What the graded tests take for right runs in the reader, too."""
    for name, function, said, question in (
            ("best_quotes", lambda scores, t, most: np.argsort(-np.array(scores))[:most], None, "total due?"),
            ("best_of_each", lambda scores, pages, t: list(np.array([0])), None, "Which invoices are due?"),
            ("citations", lambda text: np.array([1]), "It is $1,284.50 [1].", "total due?")):
        model = said and (lambda prompt, said=said: said)
        own = asked(model, question)
        with use(f"answer.{name}", function):
            assert asked(model, question).quotes[:1] == own.quotes[:1] != ()


def test_the_reader_runs_on_a_learners_function():
    with use("answer.answer_line", lambda quotes: "Answer: mine"):
        assert asked(None).text == "Answer: mine"
    with use("answer.best_of_each", lambda scores, pages, threshold: []):
        assert Reader(TWO).read("which invoices are due?", desk(*TWO)).quotes == ()


def test_rarity_from_a_sample_of_a_large_collection():
    chunks = [Chunk(f"c{n}", "red tent" if n % 2 else f"stove {n}", "d", 0, 8) for n in range(5000)]
    large = Reader(chunks)
    assert large.n == 1000 and large.rarity("tent") < large.rarity("zebra") == large.rarity("")


# How answers are judged


def test_verdicts():
    query = Query("q", "How long?", answers=("3 years", "no"), evidence=(
        {"document": "ropes", "quote": "Once a week | 3 years", "grade": 3},
        {"document": "log", "quote": "Keep a log. It is kept for\n3 years.", "grade": 2},
        {"document": "log", "quote": "It was long.", "grade": 1}))

    def quote(document, text):
        return reader.Quote(text, "c", document, 1, 0, len(text))

    assert answering.verdict(query, []) == "declined"
    for document, text, verdict in (("ropes", "| Once a week | 3 years |", "right"),
                                    ("log", "It is kept for 3 years.", "right"),
                                    ("log", "Keep a log.", "wrong"), ("log", "It was long.", "wrong"),
                                    ("other", "Once a week | 3 years", "wrong"), ("ropes", "3 years", "right")):
        assert answering.verdict(query, [quote(document, text)]) == verdict, text
    assert answering.whole(query, [quote("ropes", "Once a week | 3 years")])
    assert not answering.whole(query, [quote("log", "It is kept for 3 years.")])
    parts = dataclasses.replace(query, evidence=query.evidence[1:])
    assert answering.whole(parts, [quote("log", "It is kept for 3 years.")])
    assert not answering.whole(Query("u", "?"), [quote("log", "x")])
    cut = context.lay_out(["0"], {"0": Chunk("0", "It is kept for 3 years.", "log", 13, 36)})
    assert answering.holders(parts, cut) == [], "half of a piece lies there, and in it the answer"
    assert answering.verdict(parts, [quote("log", "It is kept for 3 years.")]) == "right"
    helps = dataclasses.replace(query, evidence=({"document": "log", "quote": "Kept 3 years.", "grade": 1},))
    assert answering.verdict(helps, [quote("log", "Kept 3 years.")]) == "wrong", "a help names the answer"
