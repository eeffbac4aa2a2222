"""The graded tests can be trusted: stubs fail, right code passes, mistakes are caught and named. And prove can fail."""

import importlib
import re
import sys

import pytest

from firstprinciples.grading import commands
from firstprinciples.grading import run as run_module
from firstprinciples.grading.mistakes import _functions, mistakes, sentence, variants
from firstprinciples.grading.prove import prove_task
from firstprinciples.grading.tasks import GRADED, ROOT, expand, stems, tasks

prove_module = importlib.import_module("firstprinciples.grading.prove")


@pytest.mark.parametrize("name", expand(None))
def test_a_task_is_proved(name):
    found = prove_task(name)
    assert found["problems"] == []
    assert found["variants"] >= 3
    assert found["tests"] >= 3
    assert found["mistakes"] >= 3
    assert found["named"] == found["mistakes"]


def test_how_much_there_is():
    assert len(tasks("bm25")) >= 5
    assert len(tasks("metrics")) >= 4
    assert sum(len(mistakes(name)) for name in expand(None)) >= 20
    assert sum(len(variants(name)) for name in expand(None)) >= 3 * len(expand(None))


@pytest.mark.parametrize("folder", ["tests/mistakes", "tests/mistakes/correct"])
@pytest.mark.parametrize("stem", stems())
def test_every_mistake_and_variant_belongs_to_a_task(folder, stem):
    own = {name.partition(".")[2] for name in tasks(stem)}
    assert {key.partition("__")[0] for key in _functions(folder, stem)} == own


@pytest.mark.parametrize("name", expand(None))
def test_each_mistake_has_a_sentence_of_its_own(name):
    told = [sentence(function) for function in mistakes(name).values()]
    assert len(set(told)) == len(told)
    for line in told:
        assert re.fullmatch(r"[A-Z].{20,200}\.", line), line


# prove can fail


def doctored(monkeypatch, folder, old, new, stem="bm25"):
    """Let the graded tests be those of a folder, in which some text was changed."""
    text = (GRADED / f"test_{stem}.py").read_text(encoding="utf-8")
    assert old in text
    (folder / f"test_{stem}.py").write_text(text.replace(old, new), encoding="utf-8")
    monkeypatch.setattr(run_module, "GRADED", folder)
    for name in [name for name in sys.modules if name.endswith(f"test_{stem}")]:
        monkeypatch.delitem(sys.modules, name)


def test_a_weak_test_lets_a_mistake_through(monkeypatch, tmp_path):
    doctored(monkeypatch, tmp_path, '[["tents", "pole"], ["tent"]', '[["tends", "pole"], ["tent"]')
    # nothing else has a word inside another
    assert prove_task("bm25.score")["problems"] == ["the mistake parts_of_words loses no point"]


def test_tests_that_assert_nothing(monkeypatch, tmp_path):
    doctored(monkeypatch, tmp_path, "from firstprinciples.grading.compare import expect",
             "def expect(yours, expected, rel=0):\n    pass")
    found = prove_task("bm25.length_norm")
    divides = [key for key in mistakes("bm25.length_norm") if key.endswith("no_guard")]
    divides += ["ratio_flipped", "b_cancelled"]
    silent = [line for line in found["problems"] if line.endswith("loses no point")]
    assert silent == [f"the mistake {key} loses no point" for key in mistakes("bm25.length_norm")
                      if key not in divides]  # a division by zero still fails by itself


def test_a_test_that_the_reference_fails(monkeypatch, tmp_path):
    doctored(monkeypatch, tmp_path, "(length=4, average=6, b=0.75), 0.75)", "(length=4, average=6, b=0.75), 0.76)")
    problems = prove_task("bm25.length_norm")["problems"]
    assert problems[0] == ("the reference fails test_length_norm__a_short_document: expected 0.76, not 0.75")
    assert "the correct variant one_plus fails test_length_norm__a_short_document: expected 0.76, not 0.75" in problems


def test_a_test_that_a_stub_passes(monkeypatch, tmp_path):
    doctored(monkeypatch, tmp_path, "def test_length_norm__no_words_anywhere(task):\n    expect(",
             "def test_length_norm__no_words_anywhere(task):\n    return\n    expect(")
    problems = prove_task("bm25.length_norm")["problems"]
    assert problems[0] == "the stub passes test_length_norm__no_words_anywhere"
    assert "the mistake no_guard loses no point" in problems


def test_too_few_variants_and_a_mistake_that_is_right(monkeypatch):
    def right(length, average, b):
        """That is right after all, and so no mistake."""
        return 1 - b + b * length / average if average else 1

    monkeypatch.setattr(prove_module, "variants", lambda name: {"right": right})
    monkeypatch.setattr(prove_module, "mistakes", lambda name: {"right": right})
    found = prove_task("bm25.length_norm")
    assert found["problems"] == ["only 1 correct variants; 3 are needed", "the mistake right loses no point"]
    assert (found["variants"], found["mistakes"], found["named"]) == (1, 1, 0)


def test_a_mistake_that_is_not_known_is_not_named(monkeypatch):
    def strange(length, average, b):
        """That is nothing anybody would write."""
        return 17.5 + length

    monkeypatch.setattr(prove_module, "mistakes", lambda name: {"strange": strange})
    (problem,) = prove_task("bm25.length_norm")["problems"]
    assert problem.startswith("the mistake strange is not named (said: None): ")


# The command


def test_the_command(capsys):
    assert commands.prove("bm25.length_norm") == 0
    known = len(mistakes("bm25.length_norm"))
    assert capsys.readouterr().out == (
        "task              tests  variants  mistakes  named\n"
        f"bm25.length_norm      4         3  {known:8}  {known:5}\n"
        f"all                   4         3  {known:8}  {known:5}\n"
        "Each stub fails, each reference and variant passes, each mistake is caught and named.\n")


def test_the_command_tells_of_problems(capsys, monkeypatch):
    monkeypatch.setattr(commands, "prove_task", lambda name: {
        "tests": 1, "variants": 2, "mistakes": 3, "named": 2, "problems": ["only 2 correct variants; 3 are needed"]})
    assert commands.prove("bm25.idf") == 1
    assert capsys.readouterr().out.endswith("bm25.idf: only 2 correct variants; 3 are needed\n1 problems.\n")


def test_an_unknown_task():
    with pytest.raises(ValueError, match="^There is no task 'bm25.nothing'; bm25 has bm25.invert, "):
        commands.prove("bm25.nothing")


def test_the_changelog_counts_right():
    said = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    *others, last = [f"{len(expand(stem))} tasks `{stem}.*`" for stem in stems()]
    known = sum(len(mistakes(name)) for name in expand(None))
    assert f"{', '.join(others)} and {last} with {known} known mistakes" in said
