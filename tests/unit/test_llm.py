"""A language model that fails in every way: what comes out is a text or one sentence, and the search goes on."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from firstprinciples.generate import llm as module
from firstprinciples.generate.llm import Reply, ask
from firstprinciples.generate.rewriting import Rewriting
from firstprinciples.generate.ways import condense, rephrase, spell_out, suppose
from firstprinciples.pipeline import Pipeline
from firstprinciples.retrieve.bm25 import BM25

ROOT = Path(__file__).resolve().parents[2]
TALK = [{"role": "user", "text": "How much was the March invoice?"}, {"role": "assistant", "text": "It came to $40."}]
WAYS = [lambda llm: condense("and when did they pay it?", TALK, llm),
        lambda llm: rephrase("Who paid the bill?", (), llm),
        lambda llm: spell_out("Is the HSA mine?", (), llm, {"HSA": "health savings account"}),
        lambda llm: suppose("When did they pay?", (), llm)]


class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("no words")


def raises(error):
    def llm(prompt):
        raise error

    return llm


FAILING = [
    (raises(ValueError("no key")), "The function raised ValueError: no key."),
    (raises(OSError("one line\nand another. ")), "The function raised OSError: one line and another."),
    (raises(RuntimeError()), "The function raised RuntimeError."),
    (raises(ValueError("x" * 5000)), "The function raised ValueError: " + "x" * 119 + "…."),
    (raises(Unspeakable()), "The function raised Unspeakable."),
    (lambda: "no argument", "The function raised TypeError: FAILING.<locals>"),
    (lambda prompt: None, "The function returned NoneType where a text was needed."),
    (lambda prompt: 42, "The function returned int where a text was needed."),
    (lambda prompt: b"bytes", "The function returned bytes where a text was needed."),
    (lambda prompt: ["a text"], "The function returned list where a text was needed."),
    (lambda prompt: "", "The function returned a text with nothing in it."),
    (lambda prompt: " \n\t ", "The function returned a text with nothing in it."),
    (lambda prompt: "- *\n...", "The function returned a text with nothing in it."),
    (lambda prompt: "\u200b\0", "The function returned a text with nothing in it."),
    (lambda prompt: "once upon a time " * 1000, "The function returned 4,000 words; at most 400 are taken."),
    (lambda prompt: "あ" * 9000, "The function returned 9,000 signs; at most 8,000 are taken."),
]


@pytest.mark.parametrize("number", range(len(FAILING)))
def test_what_fails_is_said_in_one_sentence(number):
    llm, sentence = FAILING[number]
    reply = ask(llm, "prompt")
    assert reply.text == ""
    if number == 5:  # Python words this one
        assert reply.problem.startswith("The function raised TypeError: ") and "\n" not in reply.problem
    else:
        assert reply.problem == sentence


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("number", range(len(FAILING)))
def test_where_the_model_fails_the_rules_do_it_and_say_so(way, number):
    by_rule, failed = way(None), way(FAILING[number][0])
    assert (failed.texts, failed.by) == (by_rule.texts, "rules")
    assert failed.problem.startswith("The function r") and by_rule.problem == ""
    assert failed.note == f"{failed.problem} {by_rule.note}"


def test_a_text_comes_back_without_space_around_it():
    assert ask(lambda prompt: f"  {prompt}!\n", "hello") == Reply("hello!", "")
    assert ask(lambda prompt: "w " * 400, "hello").problem == ""
    assert ask(lambda prompt: "w " * 401, "hello").problem
    assert ask(lambda prompt: "one two", "hello", longest=2).text == "one two"


def test_one_that_hangs_is_left_behind():
    free, ended = threading.Event(), threading.Event()

    def llm(prompt):
        free.wait(60)
        ended.set()
        return "too late"

    reply = ask(llm, "prompt", seconds=0.02)
    assert reply == Reply("", "The function had not answered after 0.02 seconds; it is left running, and what it "
                              "returns is thrown away.")
    assert [thread.daemon for thread in threading.enumerate() if thread.name == "llm"] == [True]
    free.set()
    assert ended.wait(60)


def test_how_long_it_may_take_is_read_at_the_call(monkeypatch):
    free = threading.Event()

    def llm(prompt):
        free.wait(60)
        return "when?"

    monkeypatch.setattr(module, "SECONDS", 0.02)
    late = "The function had not answered after 0.02 seconds"
    assert ask(llm, "prompt").problem.startswith(late) and ask(llm, "prompt", None).problem.startswith(late)
    assert late in condense("and then?", TALK, llm).note
    trip = Pipeline(["a red tent", "a stove"], llm=llm).run("Which tent?")
    assert late in trip.stage("answer").note
    free.set()
    assert ask(llm, "prompt", 60.0) == Reply("when?", "")  # what is given counts, whatever SECONDS says
    monkeypatch.setattr(module, "SECONDS", 60.0)
    assert ask(llm, "prompt") == Reply("when?", "")
    monkeypatch.setattr(module, "SECONDS", 0)
    with pytest.raises(ValueError, match="seconds is 0; it must be a number above 0"):
        ask(llm, "prompt")


def test_the_time_is_20_seconds():
    assert module.SECONDS == 20


def test_one_that_hangs_does_not_keep_the_program_from_ending():
    code = ("import time\nfrom firstprinciples.generate.llm import ask\n"
            "print(ask(lambda prompt: time.sleep(600), 'p', seconds=0.02).problem[:29])")
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120,
                         env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert (run.stdout.strip(), run.returncode) == ("The function had not answered", 0), run.stderr


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_what_is_no_failure_of_the_model_goes_through(error):
    with pytest.raises(error):
        ask(raises(error()), "prompt")
    with pytest.raises(error):
        condense("and then?", TALK, raises(error()))


def test_ctrl_c_while_it_waits_goes_through(monkeypatch):
    def interrupted(self, timeout=None):
        raise KeyboardInterrupt

    monkeypatch.setattr("firstprinciples.generate.llm.threading.Event.wait", interrupted)
    monkeypatch.setattr("firstprinciples.generate.llm.threading.Thread.start", lambda self: None)
    with pytest.raises(KeyboardInterrupt):
        ask(lambda prompt: "fine", "prompt")


def test_one_that_prints_is_no_problem(capsys):
    def llm(prompt):
        print("loading ...")
        return "fine"

    assert ask(llm, "prompt") == Reply("fine", "")
    assert capsys.readouterr().out == "loading ...\n"


def test_what_is_no_function_no_prompt_and_no_limit():
    with pytest.raises(TypeError, match="llm is a function from text to text; 'gpt' can't be called"):
        ask("gpt", "prompt")
    with pytest.raises(TypeError, match="A prompt is a string"):
        ask(str.upper, None)
    for seconds in (0, -1, float("nan"), "20", True):
        with pytest.raises(ValueError, match="seconds is"):
            ask(str.upper, "prompt", seconds=seconds)
    with pytest.raises(ValueError, match="longest is"):
        ask(str.upper, "prompt", longest=0)
    assert ask(str.upper, "prompt", seconds=float("inf")).text == "PROMPT"
    assert ask(str.upper, "prompt", seconds=1e300).text == "PROMPT"


def test_two_questions_at_the_same_time_do_not_mix():
    gate = threading.Barrier(2, timeout=60)

    def llm(prompt):
        gate.wait()  # both are inside at once
        return "red tent" if "red" in prompt else "stove"

    pages = Rewriting(BM25(["a red tent", "a stove"]), lambda question, history: suppose(question, history, llm))
    found = {}

    def search(question):
        found[question] = pages.search(question, 5)

    threads = [threading.Thread(target=search, args=(question,)) for question in ("the red one", "the other one")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [hit.id for hit in found["the red one"]] == ["0"]
    assert [hit.id for hit in found["the other one"]] == ["1"]
    assert pages.rewrite("the red one").texts == ("red tent",) and pages.rewrite("the other one").texts == ("stove",)


def test_a_number_alone_is_no_phrasing():
    assert rephrase("Who paid the bill?", (), lambda prompt: "1.\n2. Who settled it?\n-").texts == (
        "Who paid the bill?", "Who settled it?")
