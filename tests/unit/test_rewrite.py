"""Rewriting: the pure functions where their edges are, the four ways, and the two retrievers in front of others."""

import random
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from firstprinciples.corpus import Collection, Query
from firstprinciples.encode.biencoder import toy
from firstprinciples.encode.stored import minilm
from firstprinciples.evaluate.experiment import measure
from firstprinciples.generate import rewrite, rewriting, ways
from firstprinciples.generate.rewriting import NEEDS_VECTORS, REWRITES, Hyde, Rewriting
from firstprinciples.generate.statement import statement
from firstprinciples.generate.ways import Rewritten, condense, rephrase, spell_out, stored_texts, suppose
from firstprinciples.generate.words import COMMON, GROUPS, POINTING
from firstprinciples.rank.fusion import Hybrid, rag_fusion
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.dense import Dense
from firstprinciples.swap import use

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["Invoice 1042, March: Hollow Creek Guides paid it on April 2", "an overdue bill of the scouts", "a red tent",
         "the health savings account is yours", "annual leave", "what we owe", "pay day is Friday"]


def user(text):
    return {"role": "user", "text": text}


def assistant(text):
    return {"role": "assistant", "text": text}


TALK = [user("How much was the March invoice to Hollow Creek Guides?"), assistant("Invoice 1042 came to $1,284.50.")]


# Words and turns


def test_words():
    words = ["Ja", "yes", "1,284.50", "LK-204-B's", "x"]
    assert rewrite.words_of(" «Ja» — (yes), 1,284.50. LK-204-B's “x” ... !? ") == words
    assert rewrite.words_of("क्या हिन्दी है।") == ["क्या", "हिन्दी", "है"]
    assert rewrite.words_of(" \n\t") == []
    with pytest.raises(TypeError, match="is a string, and None is none"):
        rewrite.words_of(None)


ODD = ["and then?", {"role": "user", "text": "hi"}, [["user", "hi"]], [{"role": "user"}], [{"text": "hi"}], 7,
       [{"role": "system", "text": "be kind"}], [{"role": "user", "content": "hi"}], [{"role": "user", "text": None}],
       [None], {user("x")["text"]}, ["hi"]]


@pytest.mark.parametrize("history", ODD, ids=repr)
def test_a_history_of_another_shape_gives_one_clear_sentence(history):
    calls = [lambda: rewrite.is_follow_up("it?", history, POINTING, COMMON), lambda: rewrite.last_turns(history, 5),
             lambda: rewrite.topic_words(history, 5, COMMON), lambda: condense("it?", history),
             lambda: Rewriting(BM25(PAGES)).search("it?", 3, history)]
    for call in calls:
        with pytest.raises(ValueError, match='"role": "user" or "assistant", "text": "..."') as caught:
            call()
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("history", [None, (), [], tuple(TALK), iter(TALK), Query("q", "x", history=TALK).history])
def test_a_history_may_be_any_list_of_turns_or_none(history):
    assert condense("and when did they pay it?", history).by == "rules"


# A follow-up


@pytest.mark.parametrize("question, leans", [
    ("and when did they pay it?", True), ("and red?", True), ("", True), ("THEY?", True), ("no strings tied?", True),
    ("Which fabric did the mill deliver late?", False), ("how much of it was paid back to the bank in May 2024?", True),
    ("If the siren sounds at night, can I get it?", False)])
def test_follow_up(question, leans):
    assert rewrite.is_follow_up(question, TALK, POINTING, COMMON) is leans
    assert rewrite.is_follow_up(question, [], POINTING, COMMON) is False


def test_three_telling_words_before_the_first_pointing_one():
    assert rewrite.is_follow_up("red tent it", TALK, ["it"], [])
    assert not rewrite.is_follow_up("red tent pole it", TALK, ["it"], [])
    assert not rewrite.is_follow_up("tent tent tent", TALK, ["it"], [])  # counted as often as it stands there


def test_topic_words_weigh_by_age_and_name():
    talk = [user("alpha beta"), assistant("so beta Gamma"), user("so delta so beta")]
    # beta 1 + 1/2 + 1/3; Gamma 2 * 1/2; delta 1; alpha 1/3. Gamma and delta weigh the same: delta's turn is newer
    assert rewrite.topic_words(talk, 9, ["so"]) == ["beta", "delta", "Gamma", "alpha"]
    assert rewrite.topic_words(talk, 2, ["so"]) == ["beta", "delta"]
    assert rewrite.topic_words([user("tent 7"), assistant("Tent")], 9, []) == ["Tent", "7"]  # a first word is no name
    assert rewrite.topic_words([user("Tent, tent tent pole")], 9, []) == ["Tent", "pole"]
    assert rewrite.topic_words([], 9, []) == []
    for most in (0, -1, 1.5, None, True):
        with pytest.raises(ValueError, match="The limit"):
            rewrite.topic_words(talk, most, [])


def test_condensed():
    assert rewrite.condensed("and red?", []) == "and red?"
    assert rewrite.condensed("And RED?", ["red", "door", "Door", "3"]) == "And RED? door 3"


def test_last_turns_on_random_talks():
    draw = random.Random(4)
    for _ in range(300):
        talk = [{"role": draw.choice(("user", "assistant")), "text": " ".join(["w"] * draw.randint(0, 9))}
                for _ in range(draw.randint(0, 7))]
        most = draw.randint(1, 30)
        kept = rewrite.last_turns(talk, most)
        places = [next(i for i, turn in enumerate(talk) if turn is one) for one in kept]
        assert places == sorted(set(places))
        sizes = [len(turn["text"].split()) for turn in talk]
        asked = max((i for i, turn in enumerate(talk) if turn["role"] == "user"), default=None)
        assert asked is None or asked in places
        assert sum(sizes[i] for i in places) <= max(most, 0 if asked is None else sizes[asked])
        others, kept = ([i for i in group if i != asked] for group in (range(len(talk)), places))
        assert kept == others[len(others) - len(kept):]  # from the newest on, without a gap
        assert len(kept) == len(others) or sum(sizes[i] for i in places) + sizes[others[-len(kept) - 1]] > most


# Short forms


@pytest.mark.parametrize("short, before, long", [
    ("HSA", "a health savings account", "health savings account"),
    ("PhD", "the doctor of philosophy", ""),  # P must begin a word that comes before h and d
    ("HSF", "heat shock transcription factor", "heat shock transcription factor"),
    ("R2D", "round 2 draws", "round 2 draws"), ("HSA", "", ""), ("", "words", ""), ("AA", "a", ""),
    ("VPN", "a virtual\nprivate network", "virtual\nprivate network"),
    ("PT", "İİ paid time", "paid time")])  # in lower case that letter is two
def test_long_form(short, before, long):
    assert rewrite.long_form(short, before) == long


def test_acronyms():
    found = rewrite.acronyms([
        "The service level agreement (SLA) and (see below) the SLA.", "Quarterly business review\n(QBR).",
        "A service-level agreement (SLA)", "PTO (paid time off)", "due (2024) and (OK) and US (one)", "LK (LK)",
        "(HSA) stands alone", "a (b (c) d", "A service-level agreement (SLA)"])
    assert found == {"SLA": "service-level agreement", "QBR": "Quarterly business review", "PTO": "paid time off"}
    assert rewrite.acronyms([]) == {}
    assert rewrite.acronyms(["paid time off (PTO)", "part time officer (PTO)"]) == {"PTO": "paid time off"}  # the first
    far = "paid " + "very " * 9 + "time off (PTO)"
    assert rewrite.acronyms([far]) == {}  # more than min(3 + 5, 2 * 3) words before it
    assert rewrite.acronyms(["a word " * 50_000, "(" * 100_000, "x (y" * 50_000]) == {}  # no text takes long


def test_spelled_out():
    known = {"US": "United States", "LK": "Larkspur", "HSA": "health savings account"}
    assert rewrite.spelled_out("do they owe us?", known) == "do they owe us?"
    assert rewrite.spelled_out("LK-204-B, LK and LK.", known) == "LK-204-B, LK (Larkspur) and LK."
    assert rewrite.spelled_out("HSA US", known) == "HSA (health savings account) US (United States)"
    assert rewrite.spelled_out("my Health Savings Account (HSA)", known) == "my Health Savings Account (HSA)"
    assert rewrite.spelled_out("HSA", {"HSA": r"\1 a\g<0>"}) == r"HSA (\1 a\g<0>)"  # no pattern
    assert rewrite.spelled_out("HSAs ABCHSA", known) == "HSAs ABCHSA"


# Phrasings


def test_phrasings():
    synonyms = {"bill": ["invoice", "account", "BILL"], "pay": ["settle"]}
    assert rewrite.phrasings("Pay the bill, or the billing bill", synonyms, 9) == [
        "Pay the bill, or the billing bill", "settle the bill, or the billing bill",
        "Pay the invoice, or the billing invoice", "Pay the account, or the billing account"]
    assert rewrite.phrasings("tent", synonyms, 3) == ["tent"]
    assert rewrite.phrasings("", synonyms, 3) == [""]
    assert rewrite.phrasings("pay", {"pay": [r"\1"]}, 3) == ["pay", r"\1"]
    assert rewrite.phrasings("pay", synonyms, 1) == ["pay"]
    with pytest.raises(ValueError, match="The limit"):
        rewrite.phrasings("pay", synonyms, 0)


def test_the_list_of_synonyms():
    assert all(len(group) >= 2 and len(set(group)) == len(group) for group in GROUPS)
    assert all(word == word.lower() for group in GROUPS for word in group)
    assert all(word not in others for word, others in ways.SYNONYMS.items())
    assert not set(POINTING) - {word.lower() for word in POINTING} and not {"charge", "lead"} & set(ways.SYNONYMS)


# A made-up answer


@pytest.mark.parametrize("question, answer", [
    ("When did Brightwater pay?", "Brightwater paid on"), ("Can I keep the gift?", "I can keep the gift"),
    ("What is the fee?", "the fee is"), ("Which contracts were renewed in May?", "contracts were renewed in May"),
    ("How many days do I have?", "I have days"), ("Why the surcharge?", "the surcharge because"),
    ("LK-119-J2: kerosene or gas?", "LK-119-J2: kerosene or gas"), ("What?", "What"), ("when did", "on"), ("", "")])
def test_statement(question, answer):
    assert statement(question) == answer


def test_mean_vector():
    question, answers = np.array([3.0, 0.0]), np.array([[0.0, 3.0], [0.0, 3.0]])
    assert rewrite.mean_vector(question, answers) == pytest.approx([1 / 5**0.5, 2 / 5**0.5])
    assert rewrite.mean_vector(question, np.zeros((0, 2))) == pytest.approx([1, 0])
    assert rewrite.mean_vector([0, 0], [[0, 0]]).tolist() == [0, 0]
    assert rewrite.mean_vector([1, 0], [[-1, 0]]).tolist() == [0, 0]
    assert rewrite.mean_vector([3e307, 0], [[0, 3e307]] * 9) == pytest.approx(rewrite.mean_vector([3, 0], [[0, 3]] * 9))
    assert rewrite.mean_vector([3e-200, 0], [[0, 4e-200]]) == pytest.approx([0.6, 0.8])
    for wrong in (([1, 0], [[1, 0, 0]]), ([[1, 0]], [[1, 0]]), ([1, 0], [1, 0]), ([1, np.nan], [[1, 0]]), ("a", [[1]]),
                  ([1, 0], [[1], [1, 0]])):
        with pytest.raises(ValueError):
            rewrite.mean_vector(*wrong)


# The four ways, by a model and by rules


def test_a_model_is_asked_with_what_it_needs_and_its_answer_is_taken():
    prompts = []

    def llm(answer):
        return lambda prompt: prompts.append(prompt) or answer

    found = condense("and when?", TALK, llm(' "When was\ninvoice 1042 paid?" '))
    assert (found.texts, found.by, found.problem) == (("When was invoice 1042 paid?",), "llm", "")
    assert all(part in prompts[-1] for part in ("user: How much was", "assistant: Invoice 1042", "and when?"))
    found = spell_out("my hsa", (), llm("my health savings account"), {"HSA": "health savings account"})
    assert (found.texts, found.by) == (("my health savings account",), "llm")
    assert "HSA = health savings account" in prompts[-1]
    found = rephrase("Who pays?", (), llm('1. Who settles?\n\n- "who pays?"\n* Who settles?\n2) Who foots it?\nWho?'))
    assert (found.texts, found.by) == (("Who pays?", "Who settles?", "Who foots it?"), "llm")
    assert suppose("When?", (), llm("On May 2.\nBy check.")).texts == ("On May 2. By check.",)
    assert len(prompts) == 4


def test_a_model_is_not_asked_without_need():
    def llm(prompt):
        raise AssertionError

    assert condense("and when?", [], llm) == Rewritten(("and when?",), "rules",
                                                       "There is no history: the question as it was typed.")
    assert spell_out("and when?", (), llm, {"HSA": "health savings account"}).problem == ""
    assert rephrase("Who pays?", (), llm, most=1).problem == ""


def test_what_a_model_gives_that_is_no_rewriting():
    found = condense("and when?", TALK, lambda prompt: '""')
    assert found.problem == "The function returned a text with nothing in it."
    assert condense("and when?", TALK, lambda prompt: "w " * 101).by == "rules"  # a question has 100 words at most
    found = rephrase("Who pays?", (), lambda prompt: "WHO PAYS?\n-\n")
    assert found.by == "rules" and found.problem == "The function returned no other phrasing."


def test_the_rules_say_what_they_did():
    assert "leans on its history" in condense("and when?", TALK).note
    assert "stands alone" in condense("Which fabric did the mill deliver late?", TALK).note
    assert spell_out("my HSA", known={"HSA": "health savings account"}).note == "By rule, HSA: spelled out."
    assert "another case" in spell_out("my hsa", known={"HSA": "health savings account"}).note
    assert spell_out("my HSA").note.startswith("No short form of the 0 that the documents spell out")
    assert rephrase("Who paid?").note == "By rule, from a list of words: 1 other phrasing."
    assert "no word has one" in rephrase("Why?").note
    assert "stand-in" in suppose("Why?").note


def test_a_long_history_is_cut_to_the_newest_turns():
    talk = [user("zebra " * 150), assistant("yak " * 150), user("How much was the March invoice?")]
    text, = condense("and when did they pay it?", talk).texts
    assert "March" in text and "yak" in text and "zebra" not in text


# In front of a search


@pytest.fixture(scope="module")
def bases():
    words, vectors = BM25(PAGES), Dense(PAGES, toy())
    return {"words": words, "vectors": vectors, "both": Hybrid([words, vectors])}


QUESTIONS = [("and when did they pay it?", TALK), ("Who paid the overdue bill?", ()), ("what do we owe", ()), ("", ()),
             ("xyzzy", ()), ("is the HSA mine?", TALK), ("late leave", ())]


@pytest.mark.parametrize("name", REWRITES)
@pytest.mark.parametrize("base", ["words", "vectors", "both"])
def test_the_parts_of_an_explanation_add_up(bases, base, name):
    if name in NEEDS_VECTORS and base != "vectors":
        with pytest.raises(TypeError, match="Hyde needs a Dense"):
            REWRITES[name](bases[base])
        return
    pages = REWRITES[name](bases[base], [*PAGES, "a health savings account (HSA)"])
    for question, history in QUESTIONS:
        hits = pages.search(question, 7, history)
        assert pages.last == pages.rewrite(question, history)
        for id, score in hits:
            explained = pages.explain(question, id, history)
            assert explained.total == pytest.approx(score, abs=1e-6)
            assert sum(part.value for part in explained.parts) == pytest.approx(explained.total, abs=1e-9)
        with pytest.raises(KeyError):
            pages.explain(question, "nowhere", history)
        assert pages.search(question, 2, history) == hits[:2]
        with pytest.raises(ValueError, match="k is 0"):
            pages.search(question, 0, history)


def test_one_text_is_searched_and_several_are_fused(bases):
    pages = Rewriting(bases["both"], lambda question, history: "red tent")
    assert pages.search("x") == bases["both"].search("red tent") and pages.asks("x") == ("red tent",)
    assert pages.last.by == "given"
    pages = Rewriting(bases["words"], rephrase)
    texts = pages.asks("Who paid the overdue bill?")
    assert len(texts) == 3 and pages.search("Who paid the overdue bill?") == rag_fusion(bases["words"], list(texts))
    parts = pages.explain("Who paid the overdue bill?", "1").parts
    assert [part.name for part in parts] == ["phrasing 1", "phrasing 2", "phrasing 3"]
    assert parts[0].note == "rank 1: 1 / (60 + 1), for 'Who paid the overdue bill?'"


def test_a_follow_up_is_found_with_its_history(bases):
    pages = REWRITES["condense"](bases["words"])
    assert pages.search("and when did they pay it?", 1, TALK)[0].id == "0"
    assert pages.search("and when did they pay?", 1)[0].id != "0"


def test_hyde_finds_what_the_answer_is_near_to(bases):
    pages = Hyde(bases["vectors"], lambda question, history: Rewritten(("annual leave", "leave"), "llm", ""))
    assert pages.search("xyzzy", 1)[0].id == "4" and pages.asks("xyzzy") == ("xyzzy", "annual leave", "leave")
    assert [part.name for part in pages.explain("xyzzy", "4").parts] == ["question", "answer 1", "answer 2"]
    assert pages.explain("xyzzy", "4").parts[0].value == 0


def test_what_a_model_wrote_is_explained_also_where_it_would_write_something_else_now(bases):
    answers = iter(["red tent", "annual leave"])
    pages = Rewriting(bases["words"], partial(suppose, llm=lambda prompt: next(answers)))
    hit, = pages.search("x", 1)
    assert (hit.id, pages.explain("x", hit.id).total) == ("2", pytest.approx(hit.score))
    assert pages.search("x", 1) == [hit] and pages.search("y", 1)[0].id == "4"


def test_where_the_model_failed_it_is_asked_anew_by_the_next_search(bases):
    answers = iter([None, "red tent", None, None])
    pages = Rewriting(bases["words"], partial(suppose, llm=lambda prompt: next(answers)))
    hit, = pages.search("annual leave", 1)
    assert pages.last.by == "rules" and pages.explain("annual leave", hit.id).total == pytest.approx(hit.score)
    assert pages.search("annual leave", 1)[0].id == "2" and pages.last.by == "llm"


def test_it_does_not_remember_without_end(bases, monkeypatch):
    monkeypatch.setattr(rewriting, "KEPT", 3)
    pages = Rewriting(bases["words"], partial(suppose, llm=str.upper))
    for number in range(10):
        pages.search(f"question {number}")
    assert len(pages.writer._kept) <= 3


@pytest.mark.parametrize("how", [lambda question, history: None, lambda question, history: 7,
                                 lambda question, history: Rewritten((), "rules", ""),
                                 lambda question, history: Rewritten((None,), "rules", ""),
                                 lambda question, history: ["a text"]])
def test_a_way_that_gives_something_else_is_named(bases, how):
    with pytest.raises(TypeError, match="<lambda> gave .* it should give a Rewritten"):
        Rewriting(bases["words"], how).search("x")


def test_what_is_no_retriever_and_no_function(bases):
    with pytest.raises(TypeError, match="is no retriever"):
        Rewriting(PAGES)
    with pytest.raises(TypeError, match="is no retriever"):
        Rewriting(BM25)
    with pytest.raises(TypeError, match="can't be called"):
        Rewriting(bases["words"], "condense")
    with pytest.raises(TypeError, match="can't be called"):
        Hyde(bases["vectors"], None)
    with pytest.raises(TypeError, match="is a string"):
        Rewriting(bases["words"]).search(None)


# Learners' functions in place of the course's own


def test_a_learners_function_takes_part_at_once(bases):
    pages = Rewriting(bases["words"])
    with use("rewrite.condensed", lambda question, words: "annual leave"):
        assert pages.search("and when?", 1, TALK)[0].id == "4"
    with use("rewrite.is_follow_up", lambda *arguments: np.bool_(False)):
        assert pages.rewrite("and when?", TALK).texts == ("and when?",)
    with use("rewrite.mean_vector", lambda question, answers: answers[0] + 0 * question):
        explained = REWRITES["hyde"](bases["vectors"]).explain("what do we owe", "5")
        assert explained.total == pytest.approx(
            REWRITES["hyde"](bases["vectors"]).search("what do we owe", 1)[0].score, abs=1e-6)


@pytest.mark.parametrize("name, way", [
    ("is_follow_up", lambda: condense("and when?", TALK)), ("topic_words", lambda: condense("and when?", TALK)),
    ("condensed", lambda: condense("and when?", TALK)), ("last_turns", lambda: condense("and when?", TALK)),
    ("phrasings", lambda: rephrase("Who paid?")), ("spelled_out", lambda: spell_out("HSA", known={"HSA": "h s a"})),
    ("acronyms", lambda: ways.known_short_forms(PAGES)),
    ("mean_vector", lambda: Hyde(Dense(PAGES, toy())).search("what do we owe"))])
def test_a_learners_function_that_gives_nothing_or_raises_is_named(name, way):
    with use(f"rewrite.{name}", lambda *arguments: None), pytest.raises(ValueError, match=f"{name} should") as caught:
        way()
    assert f'use("rewrite.{name}") puts the course\'s own back' in str(caught.value)

    def breaks(*arguments):
        return {}["no"]

    with use(f"rewrite.{name}", breaks), pytest.raises(KeyError) as caught:
        way()
    assert f"raised by {name}" in caught.value.__notes__[0]
    way()


# The course's own questions (dev only where a figure is quoted)


@pytest.fixture(scope="module")
def larkspur():
    return Collection.load("larkspur")


@pytest.fixture(scope="module")
def dev(larkspur):
    return [query for query in larkspur.queries if query.split == "dev"]


def test_the_texts_that_are_stored(larkspur):
    texts = stored_texts(larkspur.queries, larkspur.chunks)
    assert len(texts) == len(set(texts)) == 580
    known, pages = {*texts, *(query.text for query in larkspur.queries)}, Dense(["x"], toy())
    for name in REWRITES:
        rewriting = REWRITES[name](pages, larkspur.chunks)
        assert all(set(rewriting.asks(query.text, query.history)) <= known for query in larkspur.queries)


def test_larkspur_spells_no_short_form_out(larkspur):
    assert ways.known_short_forms(larkspur.chunks) == {}


def test_how_many_are_taken_for_follow_ups(dev):
    flags = {query.id: rewrite.is_follow_up(query.text, TALK, POINTING, COMMON) for query in dev}
    own = [query.id for query in dev if query.kind == "follow_up"]
    assert (sum(flags[id] for id in own), len(own)) == (14, 15)
    assert (sum(flags.values()) - sum(flags[id] for id in own), len(dev) - len(own)) == (19, 135)


def means(retriever, larkspur, queries, history=lambda query: query.history):
    rows = [measure([hit.id for hit in retriever.search(query.text, 100, history(query))], larkspur.evidence[query.id])
            for query in queries]
    return tuple(round(sum(row[name] for row in rows) / len(rows), 3) for name in ("nDCG@10", "Recall@10"))


def test_figures_of_the_sources_by_words(larkspur, dev):
    judged = [query for query in dev if larkspur.evidence[query.id]]
    own = [query for query in judged if query.kind == "follow_up"]
    others = [query for query in judged if query.kind != "follow_up"]
    words = BM25(larkspur.chunks)
    typed = Rewriting(words, lambda question, history: question)
    assert means(typed, larkspur, own) == (0.120, 0.243)
    assert means(REWRITES["condense"](words), larkspur, own) == (0.634, 0.686)
    assert means(typed, larkspur, judged) == (0.455, 0.550)
    assert means(REWRITES["condense"](words), larkspur, judged) == (0.512, 0.599)
    assert means(REWRITES["phrasings"](words), larkspur, judged) == (0.455, 0.540)
    foreign = {query.id: own[place % 15].history for place, query in enumerate(others)}
    whole = Rewriting(words, lambda question, history: " ".join([question, *(turn["text"] for turn in history)]))
    assert means(whole, larkspur, own) == (0.660, 0.719)
    assert means(whole, larkspur, others, lambda query: foreign[query.id]) == (0.186, 0.337)
    assert means(typed, larkspur, others) == (0.497, 0.588)
    assert means(REWRITES["condense"](words), larkspur, others, lambda query: foreign[query.id]) == (0.472, 0.582)


def test_figures_of_the_sources_by_vectors(larkspur, dev):
    judged = [query for query in dev if larkspur.evidence[query.id]]
    own = [query for query in judged if query.kind == "follow_up"]
    if not all(minilm().has(text) for text in stored_texts(judged)):
        pytest.fail("Vectors of rewritten questions are missing: run data/vectors/make.py.")
    vectors = Dense(larkspur.chunks, minilm())
    typed = Rewriting(vectors, lambda question, history: question)
    assert (means(typed, larkspur, own), means(typed, larkspur, judged)) == ((0.063, 0.167), (0.502, 0.577))
    condensing = REWRITES["condense"](vectors)
    assert (means(condensing, larkspur, own), means(condensing, larkspur, judged)) == ((0.580, 0.752), (0.560, 0.642))
    assert means(REWRITES["phrasings"](vectors), larkspur, judged) == (0.499, 0.583)
    assert means(REWRITES["hyde"](vectors), larkspur, judged) == (0.503, 0.577)


def test_the_functions_load_without_pictures_and_without_the_grader():
    code = ("import sys, firstprinciples.generate.rewrite, firstprinciples.generate.rewriting\n"
            "above = ('firstprinciples.explore', 'firstprinciples.grading', 'matplotlib', 'ipywidgets', 'pytest')\n"
            "print([name for name in sys.modules if name.startswith(above)])")
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert run.stdout.strip() == "[]", run.stderr


def test_a_word_that_comes_often_is_replaced_once_a_text(monkeypatch):
    calls, replaced = [], rewrite.replaced
    monkeypatch.setattr(rewrite, "replaced", lambda *given: calls.append(given[1:]) or replaced(*given))
    assert rewrite.phrasings("a bill " * 500, {"bill": ["invoice", "note"]}, 3)[1] == "a invoice " * 500
    assert calls == [("bill", "invoice"), ("bill", "note")]


def test_the_way_back_names_the_function_that_is_to_blame():
    known = {"HSA": "health savings account"}
    with use("rewrite.long_form", lambda short, before: None), pytest.raises(TypeError) as raised:
        ways.known_short_forms(["a health savings account (HSA)"])
    assert raised.value.__notes__ == [
        'This was raised by acronyms, or by what it calls. use("rewrite.long_form") puts the course\'s own back.']
    assert ways.known_short_forms(["a health savings account (HSA)"]) == known
