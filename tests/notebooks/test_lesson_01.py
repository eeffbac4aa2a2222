"""The numbers that lesson 01 states in its sentences, worked out again."""

from pathlib import Path

import pytest

from firstprinciples.explore import lost, open_book, paste
from firstprinciples.explore.guess import QUESTIONS as GUESSES
from firstprinciples.explore.open_book import DRAWS, PAGES, ROWS, TRUST, TRUTH
from firstprinciples.generate import context
from firstprinciples.generate.next_word import from_page, mixed, words
from firstprinciples.grading import check
from firstprinciples.ingest.contextual import PRICES
from firstprinciples.retrieve.bm25 import BM25

ROOT = Path(__file__).resolve().parent.parent.parent
LESSON = ROOT / "notebooks" / "01_open_book.ipynb"


@pytest.fixture(scope="module")
def search(larkspur):
    return BM25(larkspur.chunks)


def last(name, draw):
    return open_book.trace(name, draw)[-1]["sides"]


# Watch it


def test_the_guess(lesson):
    assert "middle" not in lesson["setup"]  # a name above the guess that would give it away
    guess = GUESSES["open_book.middle"]
    at = context.PUBLISHED[20]
    assert f"{context.CLOSED_BOOK:.0f} %" in guess["question"] and f"{context.ORACLE:.0f} %" in guess["question"]
    assert guess["options"][1:] == [f"about {value:.0f} %" for value in (at[1], 64, at[10])]
    assert guess["answer"] == f"about {at[10]:.0f} %" and f"about {context.ORACLE:.0f} %" in guess["options"][0]
    assert guess["because"].startswith(f"{at[10]} %") and f"{at[1]} %, and at place 20 {at[20]} %" in guess["because"]
    assert at[10] < context.CLOSED_BOOK and "not ours" in guess["because"]


def test_what_memory_writes(lesson):
    said = lesson["watch-said"]
    first = last("the page that says it", 1)["closed"][0]
    rows = first["rows"]
    assert len(rows) == ROWS == 7 and all(row["word"].startswith("$") for row in rows)
    assert {f"{row['memory']:.2f}" for row in rows} == {"0.10"} and f"{first['truth']:.2f}" == "0.00"
    assert "the seven likeliest next words are sums of seven other invoices, each with a chance of 0.10" in said
    sums = {last("the page that says it", draw)["closed"][0]["word"] for draw in range(1, DRAWS + 1)}
    assert DRAWS == 6 and len(sums) == 5 and TRUTH not in sums and "the six draws bring five different sums" in said
    ends = [last("the page that says it", draw)["closed"][-1]["word"] for draw in range(1, DRAWS + 1)]
    assert sum(word != "." for word in ends) == 2 and "Two of the six sentences wander off" in said
    # a sum of another invoice each
    due = dict(open_book.memory().after["total", "due", "is"])
    assert {row["word"] for row in rows} == set(due) and set(due.values()) == {1}


def test_what_the_page_gives(lesson):
    said = lesson["watch-said"]
    for draw in range(1, DRAWS + 1):
        first = last("the page that says it", draw)["open"][0]
        assert first["word"] == TRUTH == "$1,284.50" and f"{first['truth']:.2f}" == "0.65"
    assert "1,284.50 dollars in all six draws, with a chance of 0.65" in said
    assert open_book.page("the page that says it").page == 2 and "invoice 1042, page 2" in said


# How it works


def test_the_two_memories(lesson, printed, larkspur):
    memory = open_book.memory()
    count = sum(len(after) for after in memory.after.values())
    assert f"{count:,} counts here" in lesson["watch-said"]
    so_far = words(open_book.START)
    known, read = memory.chances(so_far), from_page(words(open_book.page("the page that says it").text), so_far)
    both = mixed(known, read, TRUST)
    assert f"{count:,} counts\n" in printed["how-memory"]  # where a reader finds it again
    assert TRUST == 0.8 and "trust=0.8" in lesson["how-memory"] and "Here it is 0.8" in lesson["watch-said"]
    assert (f"0.2 times {known.get(TRUTH, 0):g} from memory plus 0.8 times 9/11, the {read[TRUTH]:.3f} from the page, "
            f"is {both[TRUTH]:.3f}") in lesson["how-memory-said"] and read[TRUTH] == pytest.approx(9 / 11)
    assert f"{TRUTH:11} {0:6.3f} {read[TRUTH]:6.3f} {both[TRUTH]:6.3f}" in printed["how-memory"]
    assert open_book.START in lesson["how-memory"]


def test_the_prompt(lesson, printed, larkspur, search):
    question = "What is the total due on the March invoice to Hollow Creek Guides?"
    desk = context.lay_out(search.search(question), larkspur.chunks, most=2, question=question)
    assert desk.sources[0]["id"] == "invoice-1042#6" and TRUTH in desk.sources[0]["text"]
    assert question in lesson["how-prompt"] and "[1] invoice-1042, page 2" in printed["how-prompt"]
    assert f"about {desk.tokens} tokens" in printed["how-prompt"]


def test_the_costs(lesson, printed, larkspur):
    assert context.PRICE == PRICES["input"] == 0.25 and "Here it is 0.25" in lesson["how-prompt-said"]
    assert "sixty times as much" in lesson["how-prompt-said"]  # Claude 3 Opus: 15 dollars
    folder = sum(context.tokens(document.text) for document in larkspur.documents)
    assert f"all of Larkspur: {folder:,} tokens" in printed["how-cost"]
    said, frame = lesson["cost-said"], paste.frame(paste.State())
    pasted, searched = frame["one"]["pasted"], frame["one"]["searched"]
    assert f"{100 * pasted:.1f} cents, and with the best five chunks {100 * searched:.3f} cents" in said
    assert f": {pasted / searched:.0f} times less" in said and frame["documents"] == 70 and frame["k"] == 5
    month = frame["all"]
    assert f"{month['pasted']:.2f} dollars a month against {month['searched']:.2f}" in said
    counted = paste.counted()
    assert f"means over {counted['questions']} questions" in said and frame["tokens"]["pasted"] - folder == 73
    assert "Note and question are counted in, 73 tokens" in said
    cached = paste.frame(paste.State(how="read from a cache"))["all"]
    assert f"With the cache it is {cached['pasted']:.2f}, thirteen times" in said
    assert round(cached["pasted"] / cached["searched"]) == 13
    few = paste.frame(paste.State(questions=10))["all"]["pasted"]
    assert f"Ten questions a day would cost {few:.2f} dollars a month" in said
    large = paste.frame(paste.State(350))
    assert f"At 350 documents of this kind the folder is {large['tokens']['pasted']:,} tokens" in said
    assert f"this model reads {paste.WINDOW:,}" in said and not large["fits"]


@pytest.mark.models
def test_the_rule_of_thumb(lesson, larkspur, model_files):
    from firstprinciples.encode.wordpiece import WordPiece

    tokenizer = WordPiece(model_files("minilm") / "vocab.txt")
    ours = sum(context.tokens(document.text) for document in larkspur.documents)
    theirs = sum(len(tokenizer.tokenize(document.text)) for document in larkspur.documents)
    assert abs(ours / theirs - 1) < 0.01 and "within 1 percent of what a real" in lesson["how-prompt-said"]


def test_the_published_curve(lesson, printed):
    said, at = lesson["lost-said"], context.PUBLISHED[20]
    assert (f"answered {at[1]} % of the questions rightly where the page stood first, {at[10]} % where it stood tenth, "
            f"{at[20]} % where it stood last") in said
    assert f"With that page alone it was {context.ORACLE} %. Without any page it was {context.CLOSED_BOOK} %" in said
    assert at[10] == min(at.values()) < context.CLOSED_BOOK and "worth less than no page at all" in said
    assert f"{context.CLOSED_BOOK - at[10]:.1f} points" == "2.3 points" and "by 2.3 points" in said
    low = min(context.PUBLISHED[30].values())
    assert f"version for longer prompts, the lowest place is at {low} %" in said and low < at[10]
    assert f"at most {context.LONGEST} tokens" in lesson["cost-said"] and "had some 2,900" in lesson["cost-said"]
    assert "These are their numbers, not ours" in lesson["cost-said"]
    for place in (1, 3, 10, 20):
        assert f"place {place:2} of 20: {context.along(context.LOST[20], place, 20):.1f} %" in printed["how-along"]
    assert lost.frame(lost.State(20, 10))["value"] == pytest.approx(at[10])


# Your turn


def test_your_turn(printed):
    assert printed["your-check"] == "context.bill  not attempted\n"
    score = check("context.bill", lambda tokens, questions, price: context.bill(tokens, questions, price))
    assert "not attempted" not in str(score)


# Where it fails


def test_the_wrong_page(lesson):
    said = lesson["fails-books-said"]
    for draw in range(1, DRAWS + 1):
        assert last("another invoice", draw)["open"][0]["word"] == "$962.40"
        told = open_book.sentence(open_book.trace("another page of it", draw)[-1], "open")
        assert "the total due is matched by hand" in told
    assert "It writes 962.40 dollars, in all six draws" in said and "is matched by hand" in said
    assert all(button in lesson["fails"] or button in lesson["fails-books"] or button == "the page that says it"
               for button in PAGES)


def test_the_search_that_fails(printed, larkspur, search):
    query = next(query for query in larkspur.queries if query.text.startswith("I got a speeding ticket"))
    assert query.split == "dev"
    needed = larkspur.evidence[query.id][0][1][0]
    ranked = [hit.id for hit in search.search(query.text, len(larkspur.chunks))]
    assert f"{needed} answers it; the search has it in place {ranked.index(needed) + 1}" in printed["fails-search"]
    assert ranked.index(needed) >= 5


# What we would measure


def test_what_is_on_the_desk(lesson, printed, larkspur, search):
    said = lesson["measure-said"]
    known = {chunk.id: chunk for chunk in larkspur.chunks}
    dev = [query for query in larkspur.queries if query.split == "dev" and query.evidence]
    held, length = {}, {}
    for k in (5, 20):
        shares, counts = [], []
        for query in dev:
            desk = context.lay_out(search.search(query.text, k), known, 10**9, most=k, question=query.text)
            ids = {source["id"] for source in desk.sources}
            pieces = larkspur.evidence[query.id]
            shares.append(sum(bool(ids & set(holders)) for _, holders in pieces) / len(pieces))
            counts.append(desk.tokens)
        held[k], length[k] = sum(shares) / len(dev), sum(counts) / len(dev)
        assert f"the best {k} chunks".ljust(18) + f" {held[k]:18.2f} {length[k]:12,.0f}" in printed["measure-code"]
    flat = {document.id: " ".join(document.text.split()) for document in larkspur.documents}
    folder = sum(sum(" ".join(piece["quote"].split()) in flat.get(piece["document"], "") for piece in query.evidence)
                 / len(query.evidence) for query in dev) / len(dev)
    assert f"with five chunks holds {held[5]:.2f} of what is needed, and the pasted folder {folder:.2f}" in said
    assert f"With 20 chunks it is {held[20]:.2f}, for nearly four times the tokens" in said
    assert 3.5 < length[20] / length[5] < 4 and len(dev) == 135
    everything = sum(context.tokens(document.text) for document in larkspur.documents)
    assert f"{1 - length[5] / everything:.0%}" == "99%" and "saves 99 percent of the tokens" in said
    assert 0.45 < held[5] < 0.55 and "loses half of the evidence" in said
