"""Grading on the learner's own machine: what is printed, for which points, and that no function can cheat it."""

import importlib
import inspect
import math
import random
import signal
import sys
import threading
from collections import Counter, defaultdict

import numpy as np
import pytest

from firstprinciples.grading import check, commands
from firstprinciples.grading import mistakes as mistakes_module
from firstprinciples.grading import run as run_module
from firstprinciples.grading import submission as submission_module
from firstprinciples.grading.check import Grade, Report, check_file, grade_task
from firstprinciples.grading.compare import Mismatch, difference, expect, plain, same, show
from firstprinciples.grading.mistakes import mistakes, sentence
from firstprinciples.grading.run import Fault
from firstprinciples.grading.submission import NotGradable
from firstprinciples.grading.tasks import asked, expand, stems, stub, stub_file, task_of, tasks, where_to_read
from firstprinciples.install import COMMAND
from firstprinciples.retrieve import bm25
from firstprinciples.swap import reference, use

check_module = importlib.import_module("firstprinciples.grading.check")  # the package has a function of that name
POINTS = {"bm25.invert": 5, "bm25.idf": 4, "bm25.length_norm": 4, "bm25.term_weight": 6, "bm25.score": 7,
          "bm25.rank": 9}
EXCHANGED = """\
bm25.term_weight  1 of 6 points
  Say how much `tf` occurrences of a word count in one document: tf * (k1 + 1) / (tf + k1 * K).
  term_weight(tf=3, k1=1.2, b=0.75, length=4, average=6)
  expected 1.6923   yours 1.5217
  That is exactly what comes out with k1 and b exchanged.
  Read lesson 03, "Saturation"."""


def right_idf(n, df):
    return math.log(1 + (n - df + 0.5) / (df + 0.5))


def right(name):
    """Return the source of a task's reference."""
    return inspect.getsource(reference(name))


def learner_file(folder, name="bm25", **own):
    """Write a learner's file: the references of a module, and in their place what is given (None: the stub)."""
    parts = []
    for task in tasks(name):
        function = task.partition(".")[2]
        source = own.get(function, right(task))
        parts.append(stub(task) if source is None else source)
    path = folder / f"{name}.py"
    path.write_text("import math\n\n\n" + "\n\n".join(parts), encoding="utf-8")
    return path


def report_of(name, function):
    """Grade one function and return its report."""
    return grade_task(name, function)


def reports_of(path):
    """Grade a file and return {task: report}."""
    return {report.task: report for report in check_file(path).reports}


# What a learner reads


def test_all_points(capsys):
    grade = check("bm25.idf", right_idf)
    assert capsys.readouterr().out == "bm25.idf  4 of 4 points\n"
    assert isinstance(grade, Grade)
    assert (grade.points, grade.possible, repr(grade)) == (4, 4, "4 of 4 points")


def test_k1_and_b_exchanged_word_for_word(capsys):
    # expected 3 * 2.2 / (3 + 1.2 * 0.75) = 6.6 / 3.9; with k1 and b exchanged 3 * 1.75 / (3 + 0.75 * 0.6) = 5.25 / 3.45
    def term_weight(tf, k1, b, length, average):
        if tf == 0:
            return 0.0
        return tf * (b + 1) / (tf + b * (1 - k1 + k1 * length / average))

    grade = check("bm25.term_weight", term_weight)
    assert capsys.readouterr().out == EXCHANGED + "\n"
    assert grade.reports[0].mistake == "k1_and_b_exchanged"
    assert str(grade) == EXCHANGED


def test_the_same_in_a_file(tmp_path, capsys):
    wrong = ("def term_weight(tf, k1, b, length, average):\n    if tf == 0:\n        return 0.0\n"
             "    return tf * (b + 1) / (tf + b * (1 - k1 + k1 * length / average))\n")
    path = learner_file(tmp_path, term_weight=wrong)
    grade = check(str(path))
    printed = capsys.readouterr().out
    # score and rank call term_weight and lose with it: what is left is where nothing matches
    assert printed.startswith("bm25.invert  5 of 5 points\nbm25.idf  4 of 4 points\nbm25.length_norm  4 of 4 points\n"
                              + EXCHANGED + "\nbm25.score  1 of 7 points\n")
    assert printed.endswith(f"\n\n{grade.points} of 35 points in bm25.py.\n")
    assert [report.points for report in grade.reports] == [5, 4, 4, 1, 1, 2]
    assert grade.reports[4].lines[-1] == "  It is right once it calls the course's own term_weight: mend yours first."
    assert grade.reports[5].lines[-1] == "  It is right once it calls the course's own term_weight: mend yours first."


def test_a_whole_right_file(tmp_path, capsys):
    grade = check(learner_file(tmp_path))  # a Path as well as a string
    assert capsys.readouterr().out == "".join(f"{name}  {n} of {n} points\n" for name, n in POINTS.items()) + (
        "\n35 of 35 points in bm25.py.\n")
    assert [(report.task, report.points, report.possible) for report in grade.reports] == [
        (name, n, n) for name, n in POINTS.items()]


@pytest.mark.parametrize("stem", stems())
def test_an_untouched_file_is_not_attempted(tmp_path, stem):
    path = tmp_path / f"{stem}.py"
    path.write_text(stub_file(stem), encoding="utf-8")
    grade = check_file(path)
    assert str(grade) == "\n".join(f"{name}  not attempted" for name in tasks(stem))
    assert [(report.points, report.attempted) for report in grade.reports] == [(0, False)] * len(tasks(stem))
    assert grade.possible == sum(report.possible for report in check_file(learner_file(tmp_path, stem)).reports)


def test_a_half_done_file(tmp_path):
    path = learner_file(tmp_path, term_weight=None, score=None, rank=None)
    assert str(check_file(path)).split("\n") == [
        "bm25.invert  5 of 5 points", "bm25.idf  4 of 4 points", "bm25.length_norm  4 of 4 points",
        "bm25.term_weight  not attempted", "bm25.score  not attempted", "bm25.rank  not attempted"]


def test_a_half_written_function():
    def some_right(n, df):
        if df == 0:
            raise NotImplementedError
        return right_idf(n, df)

    assert report_of("bm25.idf", some_right).lines == [
        "bm25.idf  3 of 4 points",
        "  Say how much a word is worth because it is rare: ln(1 + (n - df + 0.5) / (df + 0.5)).",
        "  idf(n=7, df=0)", "  this part is not written yet", '  Read lesson 03, "Rarity".']

    def none_right(n, df):
        if df == 0:
            raise NotImplementedError
        return 7.25

    report = report_of("bm25.idf", none_right)
    assert report.attempted
    assert report.lines[2:4] == ["  idf(n=3, df=1)", "  expected 0.9808   yours 7.25"]


def test_a_written_function_that_calls_a_stub(tmp_path):
    reports = reports_of(learner_file(tmp_path, idf=None))
    assert str(reports["bm25.idf"]) == "bm25.idf  not attempted"
    assert (reports["bm25.score"].points, reports["bm25.score"].possible) == (1, 7)  # where no word is there
    assert reports["bm25.score"].lines[-1] == "  It is right once it calls the course's own idf: mend yours first."


def test_a_proved_cause_is_not_blamed_on_another_function(tmp_path):
    # this idf is wrong for df = 0 only, which score never asks for; what score does wrong is its own
    idf = ("def idf(n, df):\n    if df == 0:\n        return 0.0\n"
           "    return math.log(1 + (n - df + 0.5) / (df + 0.5))\n")
    once = right("bm25.score").replace("for word in query:", "for word in dict.fromkeys(query):")
    reports = reports_of(learner_file(tmp_path, idf=idf, score=once))
    assert reports["bm25.idf"].points == 3
    assert reports["bm25.score"].mistake == "query_words_once"
    assert reports["bm25.score"].lines[-2:] == [
        "  That counts each word of the query once; a word said twice counts twice.", '  Read lesson 03, "The sum".']


IN_A_GENERATOR = """
def score(query, document, documents, k1=1.2, b=0.75):
    average = sum(len(words) for words in documents) / len(documents)
    return sum((idf(len(documents), sum(word in words for words in documents))
                * term_weight(document.count(word), k1, b, len(document), average)
                for word in query if word in document), 0.0)
"""
IN_A_HELPER = """
def part(word, documents):
    return idf(len(documents), len([1 for words in documents if word in words]))


def score(query, document, documents, k1=1.2, b=0.75):
    average = sum(len(words) for words in documents) / len(documents)
    total = 0.0
    for word in query:
        if word in document:
            total += part(word, documents) * term_weight(document.count(word), k1, b, len(document), average)
    return total
"""
NO_PARENTHESES = "def idf(n, df):\n    return math.log(1 + (n - df + 0.5) / df + 0.5)\n"


@pytest.mark.parametrize("score", [IN_A_GENERATOR, IN_A_HELPER])
def test_the_function_at_fault_is_named_wherever_the_call_stands(tmp_path, score):
    reports = reports_of(learner_file(tmp_path, idf=NO_PARENTHESES, score=score))
    assert reports["bm25.score"].points < 7
    assert reports["bm25.score"].lines[2:] == ["  It is right once it calls the course's own idf: mend yours first."]


def test_several_functions_at_fault_are_all_named_and_no_other(tmp_path):
    norm = "def length_norm(length, average, b):\n    return 1.5\n"
    weight = "def term_weight(tf, k1, b, length, average):\n    return 0.5\n"
    path = learner_file(tmp_path, idf=NO_PARENTHESES, length_norm=norm, term_weight=weight, score=IN_A_GENERATOR)
    reports = reports_of(path)
    assert reports["bm25.score"].lines[2:] == [
        "  It is right once it calls the course's own idf and term_weight: mend yours first."]


def test_a_function_that_is_missing_or_comes_later_is_named_too(tmp_path):
    path = learner_file(tmp_path, score=IN_A_GENERATOR)
    path.write_text(path.read_text(encoding="utf-8").replace("def idf(", "def idff("), encoding="utf-8")
    reports = reports_of(path)
    assert reports["bm25.idf"].lines[1] == "  no function `idf`; found `idff`: renamed?"
    assert reports["bm25.score"].lines[2:] == ["  It is right once it calls the course's own idf: mend yours first."]
    by_rank = ("def score(query, document, documents, k1=1.2, b=0.75):\n"
               "    found = rank(query, documents, len(documents), k1, b)\n"
               "    return dict(found).get(documents.index(document), 0.0)\n")
    turned = right("bm25.rank").replace("-pair[1], pair[0]", "pair[1], pair[0]").replace("[:k]", "[:1]")
    reports = reports_of(learner_file(tmp_path, score=by_rank, rank=turned))
    assert reports["bm25.score"].lines[2:] == ["  It is right once it calls the course's own rank: mend yours first."]


def test_in_a_notebook_the_function_at_fault_is_named_too(capsys):
    cell = {}
    others = right("bm25.length_norm") + right("bm25.term_weight")
    exec("import math\n" + NO_PARENTHESES + others + IN_A_GENERATOR, cell)
    before = dict(cell)
    assert check("bm25.score", cell["score"]).points == 1  # where nothing matches
    assert capsys.readouterr().out.splitlines()[2:] == [
        "  It is right once it calls the course's own idf: mend yours first."]
    assert cell == before


def test_a_function_that_calls_no_wrong_one_keeps_its_own_report(tmp_path):
    once = right("bm25.score").replace("for word in query:", "for word in dict.fromkeys(query):")
    cell = {}
    exec("import math\n" + NO_PARENTHESES + right("bm25.invert").replace("+ 1", "+ 2"), cell)
    assert "course's own" not in str(check("bm25.invert", cell["invert"]))
    rank = "def rank(query, documents, k=10, k1=1.2, b=0.75):\n    return []\n"
    reports = reports_of(learner_file(tmp_path, score=once, rank=rank))
    assert reports["bm25.score"].mistake == "query_words_once"
    assert "course's own" not in str(reports["bm25.rank"])


@pytest.mark.parametrize("name", expand(None))
def test_a_known_mistake_is_told_in_eight_lines(name):
    for key, function in list(mistakes(name).items())[:4]:  # test_prove.py looks at all
        report = report_of(name, function)
        assert report.lines[0] == f"{name}  {report.points} of {report.possible} points"
        assert len(str(report).split("\n")) <= 8, key
        assert report.lines[1] == f"  {asked(name)}"
        assert f"  {sentence(function)}" in report.lines, key
        where = where_to_read(name)
        assert report.lines[-1] == f"  Read l{where[1:]}."


def test_a_list_of_pairs_and_a_long_argument():
    def shifted(query, documents, k=10, k1=1.2, b=0.75):
        found = bm25.rank(query, documents, k, k1, b)
        return [(i, total + 0.5 * (len(found) == 3 and i == 3)) for i, total in found]

    # 0: ln 2 * (6 / 4.0555556 + 2 / 2.0555556) = 1.6999; 3: ln 2 * 2 / 1.7222222 = 0.8049; 1: ln 2 * 2 / 1.8333333
    assert report_of("bm25.rank", shifted).lines == [
        "bm25.rank  8 of 9 points",
        "  Return the k best documents for the query: [(position, score), ...], the best first.",
        "  rank(query=['tent', 'peg'], documents=[['tent', 'pole', 'tent', 'peg', 'tent'], ['red', 'tent', 'bag'], "
        "['stove', 'fuel', 'stove', 'red', 'pot', 'lid', 'pan', 'cup'], ['rope', 'peg']], k=5, k1=1.0, b=0.5)",
        "  expected [[0, 1.6999], [3, 0.8049], [1, 0.7562]]   yours [[0, 1.6999], [3, 1.3049], [1, 0.7562]]",
        '  Read lesson 03, "The sum".']


def test_a_long_value_is_cut_and_the_place_is_told():
    def lossy(documents):
        return {word: postings for word, postings in reference("bm25.invert")(documents).items()
                if word != "rope" or len(documents) == 3}

    cut = "{'tent': {0: 3, 1: 1}, 'pole': {0: 1}, 'peg': {0: 1, 3: 1}, 'red': {1: 1, 2: 1}, 'bag' ..."
    assert report_of("bm25.invert", lossy).lines[3:] == [
        f"  expected {cut}", f"  yours    {cut}", "  they part: 'rope' is missing", '  Read lesson 03, "The index".']


# What went wrong in a call


def failing_line(name, function):
    """Return the line of the report that says what went wrong; no point may be earned."""
    report = report_of(name, function)
    assert report.points == 0
    assert report.mistake is None
    return "\n".join(report.lines[3:-1])


def test_a_wrong_signature():
    assert failing_line("bm25.idf", lambda N: 1.0) == "  Your function takes (N), the task (n, df)."
    assert failing_line("bm25.idf", lambda number, df: 1.0) == "  Your function takes (number, df), the task (n, df)."
    assert failing_line("bm25.rank", lambda documents: []) == (
        "  Your function takes (documents), the task (query, documents, k=10, k1=1.2, b=0.75).")


def test_the_order_of_the_arguments_counts():
    assert failing_line("bm25.idf", lambda df, n: right_idf(n, df)) == (
        "  Your function takes (df, n), the task (n, df): the order counts where arguments are given without their "
        "names.")
    assert "takes (query, document, documents, k1, b), the task (query, document, documents, k1=1.2, b=0.75)" in (
        report_of("bm25.score", lambda query, document, documents, k1, b: bm25.score(
            query, document, documents, k1, b)).lines[3])


def test_a_function_without_the_settings_loses_where_they_are_given():
    def rank(query, documents, k=10):
        return bm25.rank(query, documents, k)

    report = report_of("bm25.rank", rank)
    assert report.points == 8  # only one test gives k1 and b
    assert report.lines[3] == (
        "  Your function takes (query, documents, k=10), the task (query, documents, k=10, k1=1.2, b=0.75).")


def test_more_arguments_than_asked_are_fine_with_defaults():
    assert report_of("bm25.idf", lambda n, df, smooth=0.5: right_idf(n, df)).points == 4
    assert report_of("bm25.idf", lambda *_, **given: right_idf(**given)).points == 4


def test_an_exception_names_its_line(tmp_path):
    text = "import math\n\n\ndef idf(n, df):\n    share = n - df\n    return share / 0\n"
    path = learner_file(tmp_path, idf=text)
    line = path.read_text(encoding="utf-8").split("\n").index("    return share / 0") + 1
    report = check_file(path).reports[1]
    assert report.lines[3] == f"  ZeroDivisionError: division by zero, line {line}"


def test_an_exception_in_a_library_names_the_learners_line(tmp_path):
    text = "def idf(n, df):\n    import statistics\n    return statistics.mean([])\n"
    path = learner_file(tmp_path, idf=text)
    line = path.read_text(encoding="utf-8").split("\n").index("    return statistics.mean([])") + 1
    said = check_file(path).reports[1].lines[3]
    assert said.startswith("  StatisticsError: ") and said.endswith(f", line {line}")


def test_a_value_to_compare_is_shown_before_an_exception():
    def idf(n, df):
        return 1 / (df - 1)

    # the first test raises (df = 1), the second gives 1 / 4 where ln 2 is right
    assert report_of("bm25.idf", idf).lines[2:4] == ["  idf(n=10, df=5)", "  expected 0.6931   yours 0.25"]


class Unprintable(Exception):
    def __init__(self, error):
        self.error = error

    def __str__(self):
        raise self.error


@pytest.mark.parametrize("error", [ValueError(), SystemExit(0)])
def test_an_exception_whose_text_cannot_be_printed(error):
    def idf(n, df):
        raise Unprintable(error)

    assert failing_line("bm25.idf", idf).startswith("  Unprintable: (a message that cannot be printed), line ")


def test_a_long_exception_is_one_short_line():
    def idf(n, df):
        raise ValueError("first\nsecond " + "x" * 5000)

    line = failing_line("bm25.idf", idf)
    assert "\n" not in line and line.startswith("  ValueError: first second xxx") and len(line) < 250


@pytest.mark.parametrize("leave, said", [
    (lambda: sys.exit(0), "SystemExit: 0"), (lambda: sys.exit(), "SystemExit"),
    (lambda: pytest.skip("not today"), "Skipped: not today"), (lambda: pytest.exit("bye"), "Exit: bye"),
    (lambda: pytest.fail("no"), "Failed: no"), (lambda: pytest.xfail("known"), "XFailed: known"),
    (lambda: (_ for _ in ()).throw(GeneratorExit("out")), "GeneratorExit: out"),
    (lambda: input("n? "), "EOFError: EOF when reading a line")])
def test_a_function_cannot_leave_or_skip_its_test(leave, said):
    def idf(n, df):
        leave()
        return right_idf(n, df)

    assert failing_line("bm25.idf", idf).startswith(f"  {said}, line ")


@pytest.fixture
def one_second(monkeypatch):
    """Let a call take one second at most; a run that was started in the background may ignore the interrupt."""
    monkeypatch.setattr(run_module, "SECONDS", 1)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_endless_loop(one_second):
    calls = []

    def idf(n, df):
        calls.append(n)
        while True:
            pass

    assert failing_line("bm25.idf", idf) == "  No answer after 1 seconds. Is there a loop that never ends?"
    assert calls == [3, 10, 4, 7]  # one call in each test: nothing is called again once it has not answered


def test_an_endless_loop_on_one_input_loses_that_test_only(one_second):
    def idf(n, df):
        while df == 0:
            pass
        return right_idf(n, df)

    report = report_of("bm25.idf", idf)
    assert report.points == 3
    assert report.lines[2:4] == ["  idf(n=7, df=0)", "  No answer after 1 seconds. Is there a loop that never ends?"]


def test_windows_that_never_move_on_are_stopped_and_told_why(one_second):
    def windows(n, size, overlap):
        out, start = [], 0
        while n:
            out.append((start, min(start + size, n)))
            if start + size >= n:
                break
            start += size - overlap
        return out

    report = report_of("chunking.windows", windows)
    assert (report.points, report.mistake) == (report.possible - 1, "endless")
    assert report.lines[2:4] == ["  windows(n=10, size=4, overlap=4)", "  It should raise ValueError. Instead: "
                                 "No answer after 1 seconds. Is there a loop that never ends?"]
    assert "each window begins where the last one did" in report.lines[4]


def test_after_an_endless_loop_the_next_tests_wait_less(one_second):
    def idf(n, df):
        while True:
            pass

    outcomes = run_module.run("bm25.idf", idf)
    assert [str(outcome.problem).removesuffix(". Is there a loop that never ends?") for outcome in outcomes] == [
        "No answer after 1 seconds", *["No answer after 0.1 seconds"] * 3]


def test_changing_the_arguments():
    def gains(ranked, grades, k):
        out = []
        while ranked and len(out) < k:
            id = ranked.pop(0)
            out.append(grades.pop(id, 0))
        return out

    assert failing_line("metrics.gains", gains) == (
        "  It changed its arguments. Work on a copy: the caller still needs them.")

    def deep(documents):
        index = reference("bm25.invert")(documents)
        documents[0].append("more")
        return index

    assert report_of("bm25.invert", deep).points == 0


def test_unseeded_noise():
    def idf(n, df):
        return right_idf(n, df) + random.random()

    line = failing_line("bm25.idf", idf)
    assert line.startswith("  Called twice with the same input it gave two answers: ")
    assert line.endswith(". Does something outside the function remember?")


def test_a_global_that_accumulates():
    index = {}

    def invert(documents):
        for position, words in enumerate(documents):
            for word in words:
                postings = index.setdefault(word, {})
                postings[position] = postings.get(position, 0) + 1
        return index

    assert failing_line("bm25.invert", invert) == (
        "  Called twice with the same input it gave two answers: {'red': {0: 2}, 'tent': {0: 1, 1: 1}}, then "
        "{'red': {0: 4}, 'tent': {0: 2, 1: 2}}. Does something outside the function remember?")


def test_a_list_that_remembers_between_tests_is_caught_by_a_later_test():
    seen = {}

    def invert(documents):
        seen.update(reference("bm25.invert")(documents))
        return seen

    report = report_of("bm25.invert", invert)
    assert report.points == 2  # from the third on there are words of documents that are not asked about
    assert "  they part: 'red' should not be there" in report.lines


def test_input_that_must_be_refused():
    def gains(ranked, grades, k):
        return reference("metrics.gains")(ranked, grades, k) if k else []

    report = report_of("metrics.gains", gains)
    assert (report.points, report.mistake) == (4, "any_k")
    assert report.lines[2:4] == ["  gains(ranked=['a'], grades={'a': 1}, k=0)",
                                 "  It should raise ValueError; it returned []."]
    assert report_of("metrics.gains", mistakes("metrics.gains")["any_k"]).mistake == "any_k"


def test_a_right_function_that_calls_a_wrong_one_is_not_accused(tmp_path):
    path = learner_file(tmp_path, idf="def idf(n, df):\n    return 1.0\n")
    reports = reports_of(path)
    for name in ("bm25.score", "bm25.rank"):  # they lose what "no idf" loses, and are right
        assert reports[name].mistake is None and reports[name].points < reports[name].possible
        assert reports[name].lines[2:] == ["  It is right once it calls the course's own idf: mend yours first."]


def test_a_chance_likeness_on_one_call_is_no_proof():
    """On the first call 1 - b * 4 / 6 and b * 4 / 6 are both 0.5; elsewhere they are not."""
    report = report_of("bm25.length_norm", lambda length, average, b: 1 - b * length / average if average else 1.0)
    assert "  expected 0.75   yours 0.5" in report.lines and report.mistake is None


# What may come back, and what may not


@pytest.mark.parametrize("value, lines", [
    (math.nan, "  expected 0.9808   yours nan"), (math.inf, "  expected 0.9808   yours inf"),
    (None, "  expected 0.9808   yours None\n  expected a number, not None (is a return missing?)"),
    (True, "  expected 0.9808   yours True"), ("0.9808", "  expected 0.9808   yours '0.9808'"),
    ([0.9808], "  expected 0.9808   yours [0.9808]"), (10**400, "  expected 0.9808   yours 'int'\n"
     "  a whole number of more than 308 digits came back"),
    (1j, "  expected 0.9808   yours 'complex'\n  a value of type complex came back")])
def test_a_value_of_the_wrong_kind(value, lines):
    assert failing_line("bm25.idf", lambda n, df: value) == lines


@pytest.mark.parametrize("form", [
    np.float32, np.float64, np.longdouble, np.array, lambda x: np.array(x, dtype=np.float32),
    lambda x: np.array(x, dtype=np.longdouble)])
def test_numpy_numbers_and_arrays_without_a_dimension_are_accepted(form):
    assert report_of("bm25.idf", lambda n, df: form(right_idf(n, df))).points == 4


@pytest.mark.parametrize("form", [list, tuple, np.array, lambda x: np.array(x, dtype=np.float32)])
def test_lists_tuples_and_arrays_are_accepted_for_a_list(form):
    assert report_of("metrics.gains", lambda ranked, grades, k: form(
        reference("metrics.gains")(ranked, grades, k))).points == 5


def test_dicts_of_every_usual_kind_are_accepted():
    def invert(documents):
        index = defaultdict(Counter)
        for position, words in enumerate(documents):
            for word in words:
                index[np.str_(word)][np.int64(position)] += 1
        return index

    assert report_of("bm25.invert", invert).points == 5


class Lying(np.ndarray):
    def __eq__(self, other):
        return True

    def tolist(self):
        return reference("metrics.gains")


class AlwaysEqual:
    def __eq__(self, other):
        return True

    def __float__(self):
        return 0.9808292530117262


class Word(str):
    __hash__ = str.__hash__

    def __eq__(self, other):
        return True


class Number(float):
    def __eq__(self, other):
        return True


@pytest.mark.parametrize("name, value, kind", [
    ("metrics.gains", np.zeros(6).view(Lying), "Lying"), ("metrics.gains", np.ma.array([0, 1, 3]), "MaskedArray"),
    ("bm25.idf", AlwaysEqual(), "AlwaysEqual"), ("bm25.idf", Number(1), "Number"),
    ("metrics.gains", [AlwaysEqual()] * 6, "AlwaysEqual"), ("bm25.invert", {Word("red"): {0: 2}}, "Word"),
    ("bm25.idf", (x for x in [1]), "generator"), ("bm25.invert", {1, 2}, "set")])
def test_values_that_bring_their_own_comparison_are_refused(name, value, kind):
    assert failing_line(name, lambda *_, **__: value).endswith(f"\n  a value of type {kind} came back")


def test_arrays_of_objects_are_refused():
    assert failing_line("metrics.gains", lambda ranked, grades, k: np.array([AlwaysEqual()] * 6)).endswith(
        "\n  an array of object came back; it should hold numbers")


def test_a_rounded_value_is_shown_in_full():
    assert failing_line("bm25.idf", lambda n, df: round(right_idf(n, df), 4)) == (
        f"  expected 0.9808\n  yours    0.9808\n  they part: expected {math.log(1 + 2.5 / 1.5)!r}, not 0.9808")


def test_a_list_that_holds_itself():
    def gains(ranked, grades, k):
        out = []
        out.append(out)
        return out

    assert failing_line("metrics.gains", gains).endswith(
        "\n  lists or dicts more than 20 deep came back; does one hold itself?")


def test_pairs_as_keys():
    assert failing_line("bm25.invert", lambda documents: {("red", 0): 2}).endswith(
        "\n  a dict with a tuple as a key came back")


def test_huge_printing_costs_no_points(capsys):
    def idf(n, df):
        print("x" * 1_000_000)
        return right_idf(n, df)

    check("bm25.idf", idf)
    assert capsys.readouterr().out == "bm25.idf  4 of 4 points\n"


# The cause is proved


def test_a_mistake_is_not_named_when_the_function_passes_a_test_that_the_mistake_fails():
    def idf(n, df):  # without the 1 + for rare words only; no_plus_one gives 0 for df = 5 of 10, this is right there
        if 0 < df < n / 2:
            return math.log((n - df + 0.5) / (df + 0.5))
        return right_idf(n, df)

    assert mistakes("bm25.idf")["no_plus_one"](3, 1) == idf(3, 1)  # ln(2.5 / 1.5) = 0.5108, what is shown below
    report = report_of("bm25.idf", idf)
    assert (report.points, report.mistake) == (3, None)
    assert report.lines[2:] == ["  idf(n=3, df=1)", "  expected 0.9808   yours 0.5108", '  Read lesson 03, "Rarity".']


def test_a_right_idf_without_a_guard_is_not_accused_of_another_formula():
    def idf(n, df):  # the right value wherever df > 0; at 0 it divides by zero, as ln(n / df) does
        return math.log(1 + (n / df - 1 + 0.5 / df) / (1 + 0.5 / df))

    report = report_of("bm25.idf", idf)
    assert (report.points, report.mistake) == (3, None)
    assert report.lines[2] == "  idf(n=7, df=0)"
    assert report.lines[3].startswith("  ZeroDivisionError: division by zero, line ")
    assert len(report.lines) == 5


def test_a_right_value_from_a_call_that_failed_otherwise_is_not_accused():
    def rank(query, documents, k=10, k1=1.2, b=0.75):
        found = bm25.rank(list(query), documents, k, k1, b)
        if query == ["bill"]:
            query.clear()
        return found

    # [] is right here, and a mistake that is wrong for an empty collection only gives it too
    report = report_of("bm25.rank", rank)
    assert (report.points, report.mistake) == (8, None)
    assert report.lines[3:] == ["  It changed its arguments. Work on a copy: the caller still needs them.",
                                '  Read lesson 03, "The sum".']


# What beginners write: (task, the body of the function, the mistake that is named).
BEGINNERS = [
    ("metrics.rank_by_score", "return sorted(scores, key=lambda i: scores[i])", "worst_first_ties_as_given"),
    ("metrics.rank_by_score", "return sorted(scores, key=scores.get, reverse=True)", "ties_as_given"),
    ("metrics.rank_by_score", "return [i for s, i in sorted(((s, i) for i, s in scores.items()), reverse=True)]",
     "ties_descending"),
    ("metrics.rank_by_score", "return sorted(scores.items(), key=lambda pair: pair[1], reverse=True)",
     "pairs_ties_as_given"),
    ("bm25.idf", "return math.log(1 + (n - df + 0.5) / df + 0.5)", "no_parentheses_below"),
    ("bm25.idf", "return math.log(1 + n - df + 0.5 / df + 0.5)", "no_parentheses"),
    ("bm25.idf", "return math.log(1 + n - df + 0.5 / (df + 0.5))", "no_parentheses_above"),
    ("bm25.length_norm", "return 1 - b + b * average / length", "ratio_flipped_no_guard"),
    ("bm25.length_norm", "return (1 - b + b) * length / average", "b_cancelled"),
    ("bm25.length_norm", "if length == 0:\n        return 1.0\n    return 1 - b + b * average / length",
     "ratio_flipped_empty_is_one"),
    ("bm25.term_weight", "return tf * (k1 + 1) / tf + k1 * (1 - b + b * length / average)", "no_parentheses_below"),
    ("bm25.term_weight", "if tf == 0:\n        return 0.0\n    K = 1 - b + b * length / average\n"
     "    return tf * (k1 + 1) / tf + k1 * K", "no_parentheses_below_guarded"),
    ("bm25.term_weight", "return tf * k1 + 1 / (tf + k1 * (1 - b + b * length / average))", "no_parentheses_above"),
    ("bm25.term_weight", "return tf * (k1 + 1) / (tf + k1) * (1 - b + b * length / average)",
     "norm_after_the_division"),
    ("metrics.recall_at_k", "return sum(id in grades for id in ranked[:k]) / k", "judged_places_over_k"),
    ("metrics.recall_at_k", "return len(set(ranked[:k]) & set(grades)) / len(grades)", "judged_is_relevant"),
    ("metrics.precision_at_k", "return sum(id in grades for id in ranked[:k]) / k", "judged_places"),
    ("metrics.precision_at_k", "return len(set(ranked[:k]) & set(grades)) / k", "judged_is_relevant"),
    ("metrics.reciprocal_rank", "for rank, id in enumerate(ranked[:k], 1):\n        if id in grades:\n"
     "            return 1 / rank\n    return 0.0", "judged_is_relevant"),
    ("metrics.dcg", "return sum(v / math.log2(1 + rank) for rank, v in enumerate(values))", "division_by_zero"),
    ("metrics.dcg", "return sum(v / math.log2(rank) for rank, v in enumerate(values))", "logarithm_of_zero"),
    ("metrics.average_precision", "hits, total = 0, 0\n    for rank, id in enumerate(ranked[:k], 1):\n"
     "        if grades.get(id, 0) > 0:\n            hits += 1\n            total += hits / rank\n"
     "    return total / hits", "over_found_doubles_count_no_guard"),
    ("experiment.percentile", "return sorted(values)[int(len(values) * p / 100)]", "rank_cut_off"),
    ("experiment.paired_differences", "return [a - b for b, a in zip(before.values(), after.values())]",
     "by_position_not_refused"),
    ("bm25.invert", "index = {}\n    for i, words in enumerate(documents):\n        for word in words:\n"
     "            index[word][i] = words.count(word)\n    return index", "looked_up_before_it_is_there"),
]


@pytest.mark.parametrize("name, body, mistake", BEGINNERS)
def test_what_beginners_write_is_named(name, body, mistake):
    own, place = name.partition(".")[2], {"math": math}
    head = stub(name).partition('"""')[0]  # def idf(n: int, df: int) -> float:
    exec(f"{head.rstrip()}\n    {body}\n", place)
    report = report_of(name, place[own])
    assert (report.mistake, report.points < report.possible) == (mistake, True)
    assert f"  {sentence(mistakes(name)[mistake])}" in report.lines


@pytest.mark.parametrize("name", expand(None))
def test_a_right_function_that_goes_wrong_on_one_test_alone_is_accused_of_nothing(name):
    own = reference(name)
    for outcome in run_module.run(name, own):
        there = {repr((call.args, call.kwargs)) for call in outcome.calls}

        def spoiled(*args, there=there, **kwargs):
            return 1234.5 if repr((args, kwargs)) in there else own(*args, **kwargs)

        report = report_of(name, spoiled)
        assert report.points < report.possible and report.mistake is None, outcome.test


def test_in_a_mistake_that_raises_the_type_of_the_exception_must_agree():
    wrong = mistakes("metrics.dcg")["division_by_zero"]
    assert report_of("metrics.dcg", wrong).mistake == "division_by_zero"

    def dcg(values):
        return sum(values[rank + len(values)] for rank in range(len(values)))  # an IndexError

    assert report_of("metrics.dcg", dcg).mistake is None


def test_two_mistakes_that_agree_everywhere_are_not_named(monkeypatch):
    wrong = mistakes("bm25.idf")["base_two"]
    assert report_of("bm25.idf", wrong).mistake == "base_two"
    monkeypatch.setattr(mistakes_module, "mistakes", lambda name: {"one": wrong, "another": wrong})
    assert report_of("bm25.idf", wrong).mistake is None


def test_two_mistakes_that_agree_on_the_failing_call_are_told_apart_by_the_others():
    # "no length" and "b inverted" are both right for a document of average length; only the rest decides
    report = report_of("bm25.term_weight", mistakes("bm25.term_weight")["no_length"])
    assert report.mistake == "no_length"
    # the older idf and the same floored at 0 agree on rare words
    assert report_of("bm25.idf", mistakes("bm25.idf")["floored_at_zero"]).mistake == "floored_at_zero"
    assert report_of("bm25.idf", mistakes("bm25.idf")["no_plus_one"]).mistake == "no_plus_one"


# The reference against which all is compared


def test_check_compares_with_the_untouched_reference_while_another_function_is_in_use(capsys):
    def wrong(n, df):
        return 1.0

    with use("bm25.idf", wrong):
        assert check("bm25.idf", wrong).points == 0
        assert "expected 0.9808   yours 1" in capsys.readouterr().out
        assert check("bm25.idf", right_idf).points == 4
        # the course's own score looks idf up when it is called; while it is graded it finds the course's own
        assert check("bm25.score", bm25.score).points == 7
        assert bm25.idf is wrong
    assert bm25.idf(3, 1) == pytest.approx(0.9808293, abs=5e-8)


def test_check_in_a_thread():
    grades = []
    thread = threading.Thread(target=lambda: grades.append(check("bm25.idf", right_idf)))
    thread.start()
    thread.join()
    assert grades[0].points == 4


def test_grading_does_not_depend_on_the_readers_pytest_settings(monkeypatch):
    monkeypatch.setenv("PYTEST_ADDOPTS", "-x -k nothing --no-such-option")
    monkeypatch.setenv("PYTEST_PLUGINS", "no_such_plugin")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "0")
    report = report_of("bm25.idf", lambda n, df: 1.0)
    assert (report.points, report.possible) == (0, 4)
    assert {name: run_module.os.environ[name] for name in
            ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD")} == {
        "PYTEST_ADDOPTS": "-x -k nothing --no-such-option", "PYTEST_PLUGINS": "no_such_plugin",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "0"}
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD"):
        monkeypatch.delenv(name)
    report_of("bm25.idf", right_idf)
    assert "PYTEST_DISABLE_PLUGIN_AUTOLOAD" not in run_module.os.environ


# Wrong usage


@pytest.mark.parametrize("arguments, text", [
    (("bm25.idf",), 'Name one task and hand in its function: check("bm25.idf", idf).'),
    (("bm25.idf", 3), 'Name one task and hand in its function: check("bm25.idf", idf).'),
    (("bm25",), 'Name one task and hand in its function: check("bm25.invert", invert).'),
    (("bm25", right_idf), 'Name one task and hand in its function: check("bm25.invert", invert).'),
    (("bm25.bm25", right_idf), "There is no task 'bm25.bm25'; bm25 has bm25.invert, bm25.idf, bm25.length_norm, "
     "bm25.term_weight, bm25.score, bm25.rank.")])
def test_check_used_wrongly(arguments, text):
    with pytest.raises(ValueError) as caught:
        check(*arguments)
    assert str(caught.value) == text


def test_an_unknown_module():
    with pytest.raises(ValueError, match=r"^There are no tasks called 'bm26'; there are "):
        check("bm26.idf", right_idf)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(NotGradable):
        check(str(tmp_path / "bm25.py"))


# The commands


def test_exit_status_0_and_1(tmp_path, capsys):
    assert commands.check_here(learner_file(tmp_path)) == 0
    assert capsys.readouterr().out.endswith("bm25.rank  9 of 9 points\n\n35 of 35 points.\n")
    assert commands.check_here(learner_file(tmp_path, rank=None)) == 1
    assert capsys.readouterr().out.endswith("bm25.rank  not attempted\n\n26 of 35 points.\n")


def test_exit_status_2(tmp_path, capsys):
    path = tmp_path / "bm25.py"
    assert commands.check_here(path) == 2
    assert capsys.readouterr().out == (
        f"Not gradable: There is no file {path}. `{COMMAND} start bm25` makes one.\n")


@pytest.mark.parametrize("error, said", [
    (RuntimeError("no graded test of bm25.idf ran"), "no graded test of bm25.idf ran"),
    (AttributeError("a bug"), "a bug"), (MemoryError(), "MemoryError")])
def test_exit_status_3(tmp_path, capsys, monkeypatch, error, said):
    def broken(*_):
        raise error

    monkeypatch.setattr(check_module, "run_each", broken)
    assert commands.check_here(learner_file(tmp_path)) == 3
    assert capsys.readouterr().out == f"The grader itself failed, your file is not at fault: {said}.\n"


def test_the_command_grades_in_a_process_of_its_own(tmp_path, capfd):
    assert commands.check(learner_file(tmp_path)) == 0
    assert capfd.readouterr().out.endswith("bm25.rank  9 of 9 points\n\n35 of 35 points.\n")
    assert commands.check(learner_file(tmp_path, rank=None)) == 1
    assert commands.check(tmp_path / "nothing.py") == 2


@pytest.mark.parametrize("line", ["import os; os._exit(0)", "import ctypes; ctypes.string_at(0)",
                                  "import os; os.kill(os.getpid(), 9)"])
def test_a_file_that_ends_python_earns_nothing(tmp_path, capfd, line):
    path = learner_file(tmp_path)
    path.write_text(path.read_text(encoding="utf-8") + f"\n\n{line}\n", encoding="utf-8")
    assert commands.check(path) == 2
    assert "Not gradable: bm25.py ended Python (exit status " in capfd.readouterr().out


def test_a_thread_that_goes_on_does_not_hold_the_command(tmp_path, capfd):
    path = learner_file(tmp_path)
    thread = "import threading, time\nthreading.Thread(target=time.sleep, args=(3600,)).start()\n"
    path.write_text(path.read_text(encoding="utf-8") + "\n\n" + thread, encoding="utf-8")
    assert commands.check(path) == 0
    assert capfd.readouterr().out.endswith("35 of 35 points.\n")


def test_a_name_used_again_for_something_else_costs_only_its_own_task(tmp_path, capsys):
    path = learner_file(tmp_path)
    path.write_text(path.read_text(encoding="utf-8") + "\n\nidf = 5\n", encoding="utf-8")
    assert commands.check_here(path) == 1
    said = capsys.readouterr().out
    assert "bm25.idf  0 of 4 points\n  `idf` is no function when the file has been read: is its name" in said
    assert "bm25.invert  5 of 5 points" in said


def test_a_written_function_is_not_called_unwritten_because_of_another(tmp_path):
    reports = reports_of(learner_file(tmp_path, length_norm=None))
    assert str(reports["bm25.length_norm"]) == "bm25.length_norm  not attempted"
    assert reports["bm25.term_weight"].attempted and reports["bm25.term_weight"].lines[2:] == [
        "  It is right once it calls the course's own length_norm: mend yours first."]


def test_a_loop_outside_the_functions(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(submission_module, "SECONDS", 1)
    path = learner_file(tmp_path)
    path.write_text(path.read_text(encoding="utf-8") + "\n\nwhile True:\n    pass\n", encoding="utf-8")
    assert commands.check_here(path) == 2
    assert capsys.readouterr().out == ("Not gradable: bm25.py was still busy after 1 seconds of being read. Is there a "
                                       "loop outside the functions that never ends?\n")


def test_a_graded_test_that_fails_by_itself_is_the_graders_fault(tmp_path, monkeypatch):
    assert all(outcome.passed for outcome in run_module.run("bm25.idf", right_idf))  # the real file is imported
    monkeypatch.setattr(run_module, "GRADED", tmp_path)
    (tmp_path / "test_bm25.py").write_text("def test_idf__broken(task):\n    task('bm25.idf')(n=3, df=1)\n    1 / 0\n")
    with pytest.raises(RuntimeError, match="^the graded test test_idf__broken failed by itself: ZeroDivisionError: "):
        run_module.run("bm25.idf", right_idf)
    with pytest.raises(RuntimeError, match="^no graded test of bm25.rank ran"):
        run_module.run("bm25.rank", bm25.rank)
    monkeypatch.undo()
    assert all(outcome.passed for outcome in run_module.run("bm25.idf", right_idf))


def test_start_writes_the_stub_and_the_exercise_and_overwrites_nothing(tmp_path, capsys, monkeypatch):
    exercises = tmp_path / "notebooks" / "exercises"
    exercises.mkdir(parents=True)
    (exercises / "03_bm25.ipynb").write_text("{}", encoding="utf-8")
    (exercises / "02_measuring.ipynb").write_text("{}", encoding="utf-8")
    monkeypatch.setattr(commands, "ROOT", tmp_path)
    into = tmp_path / "deep" / "work"
    assert commands.start("bm25", into) == 0
    assert capsys.readouterr().out == ("Made deep/work/bm25.py: write its functions.\n"
                                       "Made deep/work/03_bm25.ipynb: the exercise notebook.\n"
                                       f"Check it with: {COMMAND} check deep/work/bm25.py\n")
    assert sorted(path.name for path in into.iterdir()) == ["03_bm25.ipynb", "bm25.py"]
    assert (into / "bm25.py").read_bytes() == stub_file("bm25").encode("utf-8")
    (into / "bm25.py").write_text("mine\n", encoding="utf-8")
    (into / "03_bm25.ipynb").write_text("mine too", encoding="utf-8")
    assert commands.start("bm25", into) == 0
    assert capsys.readouterr().out == ("deep/work/bm25.py is already there and is left as it is.\n"
                                       "deep/work/03_bm25.ipynb is already there and is left as it is.\n"
                                       f"Check it with: {COMMAND} check deep/work/bm25.py\n")
    assert (into / "bm25.py").read_text(encoding="utf-8") == "mine\n"
    assert (into / "03_bm25.ipynb").read_text(encoding="utf-8") == "mine too"


def test_start_of_a_lesson_with_two_files(tmp_path, capsys):
    assert commands.start("measuring", tmp_path) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["02_measuring.ipynb", "experiment.py", "metrics.py"]
    said = capsys.readouterr().out
    assert "check" in said and said.count("Check it with") == 2


def test_start_of_one_file_brings_the_notebook_of_its_lesson(tmp_path):
    assert commands.start("metrics", tmp_path) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["02_measuring.ipynb", "metrics.py"]


def test_start_with_an_unknown_name(tmp_path):
    with pytest.raises(ValueError, match="^There is no exercise 'bm26' to start; there are answer, bert, biencoder, "):
        commands.start("bm26", tmp_path / "work")
    assert not (tmp_path / "work").exists()


@pytest.mark.parametrize("stem", stems())
def test_a_stub_file_imports_what_its_docstrings_speak_of(stem):
    text = stub_file(stem)
    head = text.partition("\ndef ")[0]
    assert "import math\n" in head
    assert ("import numpy as np\n" in head) == ("np." in "".join(inspect.getsource(reference(t)) for t in tasks(stem)))
    assert stem not in ("cosine", "biencoder", "bert") or "import numpy as np\n" in head


@pytest.mark.parametrize("stem", stems())
def test_a_stub_file_compiles_and_holds_every_task_once(stem):
    text = stub_file(stem)
    compile(text, f"{stem}.py", "exec")
    namespace = {}
    exec(text, namespace)
    for name in tasks(stem):
        own = name.partition(".")[2]
        assert text.count(f"\ndef {own}(") == 1
        assert inspect.getdoc(namespace[own]) == inspect.getdoc(reference(name))
        assert inspect.signature(namespace[own]) == inspect.signature(reference(name))
        with pytest.raises(NotImplementedError) as caught:
            parameters = inspect.signature(namespace[own]).parameters
            namespace[own](*[None for p in parameters.values() if p.default is p.empty])
        assert str(caught.value) == f"{name}: not written yet"
    assert text.startswith(f'"""{stem}: {len(tasks(stem))} functions for you to write.')


def test_a_stub_does_not_hold_the_answer():
    assert stub("bm25.idf").endswith('    """\n    raise NotImplementedError("bm25.idf: not written yet")\n')
    assert "math.log" not in stub_file("bm25")


# Tasks


def test_the_tasks_in_the_order_of_the_lesson():
    assert tasks("bm25") == list(POINTS)
    assert tasks("metrics") == [
        "metrics.gains", "metrics.recall_at_k", "metrics.precision_at_k", "metrics.reciprocal_rank",
        "metrics.mean_reciprocal_rank", "metrics.dcg", "metrics.ndcg_at_k", "metrics.dcg_with_base",
        "metrics.average_precision", "metrics.rank_by_score"]
    assert tasks("experiment") == [
        "experiment.pieces_shown", "experiment.means_by_kind", "experiment.percentile",
        "experiment.paired_differences", "experiment.bootstrap_interval", "experiment.k_sweep", "experiment.knee",
        "experiment.added", "experiment.report_line", "experiment.pareto"]
    assert tasks("failure") == [
        "failure.holds", "failure.holders", "failure.reached", "failure.first_loss", "failure.earliest",
        "failure.judge", "failure.tally", "failure.surviving", "failure.confusions"]
    assert set(stems()) >= {"bm25", "experiment", "metrics"}
    assert task_of("test_term_weight__k1_zero", "bm25") == "bm25.term_weight"
    assert expand("bm25.idf") == ["bm25.idf"] and expand("bm25") == tasks("bm25")
    assert expand(None) == [task for stem in stems() for task in tasks(stem)]


def test_what_a_task_asks_and_where_it_is_taught():
    assert asked("bm25.score") == (
        "Add up, over the words of the query, rarity times term weight: the BM25 score of one document.")
    assert where_to_read("bm25.score") == 'Lesson 03, "The sum"'


# Comparing values


@pytest.mark.parametrize("yours, expected, why", [
    (1.0000005, 1, ""), (1.00002, 1.0, "expected 1.0, not 1.0000"), (0.0, 1e-10, ""), (0, 0.0, ""),
    (np.float32(1 / 3), 1 / 3, ""), ("a", "a", ""), ("a", "b", "expected 'b', not 'a'"),
    (True, 1, "expected a number, not True or False"), (1, True, "expected True or False, not a number"),
    ([1, 2], [1, 2, 3], "expected 3 items, not 2"), ([1, [2, 4]], [1, [2, 3]], "expected 3 at [1][1], not 4"),
    ({"a": 1}, {"a": 1, "b": 2}, "'b' is missing"), ({"a": 1, "c": 1}, {"a": 1}, "'c' should not be there"),
    ({"a": {0: 1}}, {"a": {0: 2}}, "expected 2 at ['a'][0], not 1"), ([], {}, "expected a dict, not a list"),
    (1, [1], "expected a list, not a number"), ([1], 1, "expected a number, not a list"), (None, None, "")])
def test_difference(yours, expected, why):
    assert difference(plain(yours), plain(expected)) == why


def test_no_number_is_broadcast_to_a_list():
    with pytest.raises(Mismatch) as caught:
        expect(np.array(1.0), [1.0, 1.0])
    assert (caught.value.expected, caught.value.yours, caught.value.why) == (
        [1.0, 1.0], 1.0, "expected a list, not a number")
    with pytest.raises(Mismatch, match="^expected 1 items, not 2$"):
        expect(np.ones((2, 1)), [[1.0]])


def test_the_tolerance_is_what_the_test_says():
    expect(1.01, 1.0, rel=0.02)
    with pytest.raises(Mismatch):
        expect(1.03, 1.0, rel=0.02)


@pytest.mark.parametrize("one, other, equal", [
    (math.nan, math.nan, True), (math.inf, math.inf, True), (math.inf, -math.inf, False), (math.nan, 1.0, False),
    ([1.0, math.nan], [1.0, math.nan], True), (1, 1.0, True), ("a", "b", False)])
def test_same(one, other, equal):
    assert same(one, other) is equal


@pytest.mark.parametrize("value, text", [
    (6.6 / 3.9, "1.6923"), (0.5, "0.5"), (2.0, "2.0"), (3, "3"), (1 / 3, "0.3333"), (1e-7 / 3, "3.33333e-08"),
    (2e15, "2000000000000000.0000"), (math.nan, "nan"), (-1 / 3, "-0.3333"), ([0, 1 / 3], "[0, 0.3333]"),
    ((1, "a"), "(1, 'a')"), ({"a": {0: 2 / 3}}, "{'a': {0: 0.6667}}"), (None, "None"),
    ("x" * 200, "'" + "x" * 85 + " ...")])
def test_show(value, text):
    assert show(value) == text


def test_what_the_wrapper_around_a_function_raises():
    bound = run_module.Bound("bm25.idf", lambda n, df: n)
    assert bound(n=3, df=1) == 3
    assert [(call.args, call.kwargs, call.result) for call in bound.calls] == [((), {"n": 3, "df": 1}, 3)]
    with pytest.raises(Fault, match="takes"):
        bound(3)
    assert isinstance(Report("a", 1, 1, ["a"]), Report)
