"""Reading a learner's file: each accident is recognized and named in one sentence, and none stops the grader."""

import os
import subprocess
import sys

import pytest

from firstprinciples.grading import load
from firstprinciples.grading.check import check_file, grade_task
from firstprinciples.grading.submission import NotGradable, read_source, remarks, stem_of
from firstprinciples.grading.tasks import ROOT, stub, stub_file
from firstprinciples.install import COMMAND
from firstprinciples.swap import in_use, use

IDF = "import math\n\n\ndef idf(n, df):\n    return math.log(1 + (n - df + 0.5) / (df + 0.5))\n"
TASKS_OF_BM25 = 6


def file(folder, content, name="bm25.py"):
    """Write a submission: text in UTF-8, or bytes as they are."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


def refused(path):
    """Grading must raise NotGradable; return its message, which is one line."""
    with pytest.raises(NotGradable) as caught:
        check_file(path)
    message = str(caught.value)
    assert "\n" not in message
    return message


def report(path, name="bm25.idf"):
    return next(report for report in check_file(path).reports if report.task == name)


# Encodings and line ends


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_utf16_is_refused(tmp_path, encoding):
    assert refused(file(tmp_path, IDF.encode(encoding))) == (
        "bm25.py is saved as UTF-16 or is not text. Save it as UTF-8.")


def test_other_bytes_are_refused(tmp_path):
    assert refused(file(tmp_path, b"\x7fELF\x02\x01\x01\0\0\0\0")) == (
        "bm25.py is saved as UTF-16 or is not text. Save it as UTF-8.")
    assert refused(file(tmp_path, "# caf\u00e9\n".encode("cp1252") + IDF.encode())) == (
        "bm25.py is not UTF-8 text. Save it as UTF-8.")


@pytest.mark.parametrize("content", [
    b"\xef\xbb\xbf" + IDF.encode(), IDF.replace("\n", "\r\n").encode(), IDF.replace("\n", "\r").encode(),
    b"\xef\xbb\xbf" + IDF.replace("\n", "\r\n").encode(),
    "# coding: cp1252\n# caf\u00e9, 5 \u20ac\n".encode("cp1252") + IDF.encode(),
    "# coding: latin-1\n# caf\u00e9\n".encode("latin-1") + IDF.encode(),
    "# -*- coding: utf-8 -*-\n# caf\u00e9\n".encode() + IDF.encode()],
    ids=["bom", "crlf", "cr", "bom and crlf", "cp1252", "latin-1", "utf-8"])
def test_usual_files_earn_full_marks(tmp_path, content):
    path = file(tmp_path, content)
    assert remarks(read_source(path), stem_of(path, read_source(path))).keys() >= {"bm25.rank"}
    assert grade_task("bm25.idf", load(path).idf).points == 4


def test_a_cookie_decides_how_text_is_read(tmp_path):
    path = file(tmp_path, "# coding: cp1252\nPRICE = '5 \u20ac'\n".encode("cp1252") + IDF.encode())
    assert load(path).PRICE == "5 €"


@pytest.mark.parametrize("cookie", ["nonsense", "rot13", "hex"])
def test_a_cookie_that_names_no_text_encoding(tmp_path, cookie):
    assert refused(file(tmp_path, f"# coding: {cookie}\n{IDF}")) == "bm25.py is not UTF-8 text. Save it as UTF-8."


@pytest.mark.parametrize("content", [b"", b"\n\n", b" \t\r\n"])
def test_an_empty_file(tmp_path, content):
    assert refused(file(tmp_path, content)) == "bm25.py is empty."


# What is not a plain Python file


def test_a_missing_file(tmp_path):
    path = tmp_path / "bm25.py"
    assert refused(path) == f"There is no file {path}. `{COMMAND} start bm25` makes one."


def test_a_folder_in_place_of_the_file(tmp_path):
    path = tmp_path / "bm25.py"
    path.mkdir()
    assert refused(path) == f"{path} is not a file. Give the .py file."


def test_a_notebook(tmp_path):
    notebook = '\n{"cells": [{"cell_type": "code", "source": ["x = 1"]}], "metadata": {}, "nbformat": 4}\n'
    assert refused(file(tmp_path, notebook)) == (
        "bm25.py is a notebook with the ending .py. Copy your functions into a plain .py file.")
    assert refused(file(tmp_path, notebook, "03_bm25.ipynb")) == (
        "03_bm25.ipynb is a notebook. Copy your functions into a plain .py file.")


def test_curly_quotes(tmp_path):
    assert refused(file(tmp_path, IDF + "\nNAME = “idf”\n")) == (
        "bm25.py, line 7: curly quotes, as a web page makes them. Type straight ones.")
    assert report(file(tmp_path, IDF + "\nNAME = '“idf”'\n")).points == 4  # inside a string they are text


def test_a_merge_conflict_marker(tmp_path):
    conflict = IDF + "<<<<<<< HEAD\nK1 = 1.2\n=======\nK1 = 1.5\n>>>>>>> other\n"
    assert refused(file(tmp_path, conflict)) == (
        "bm25.py, line 6: a merge-conflict marker is still there. Keep one of the two versions.")
    assert refused(file(tmp_path, IDF + "\n=======\n")) == (
        "bm25.py, line 7: a merge-conflict marker is still there. Keep one of the two versions.")


@pytest.mark.parametrize("magic", ["%matplotlib inline", "!pip install numpy", "%time idf(3, 1)"])
def test_what_works_only_in_a_notebook(tmp_path, magic):
    assert refused(file(tmp_path, f"import math\n{magic}\n{IDF}")) == (
        f"bm25.py, line 2: {magic!r} works only in a notebook. Take it out.")


def test_a_plain_syntax_error(tmp_path):
    message = refused(file(tmp_path, IDF + "\ndef rank(query, documents)\n    return []\n"))
    assert message == "bm25.py, line 7: expected ':': 'def rank(query, documents)'"


def test_a_syntax_error_in_a_very_long_line_is_cut(tmp_path):
    message = refused(file(tmp_path, "x = (" + "1 + " * 2000 + "\n"))
    assert message.startswith("bm25.py, line 1: ") and len(message) < 200


def test_null_bytes_far_down(tmp_path):
    message = refused(file(tmp_path, IDF.encode() + b"#" * 300 + b"\0\n"))
    assert message.startswith("bm25.py, line 1: ") and "null bytes" in message


# Whose file it is


def test_the_file_of_another_task(tmp_path):
    assert refused(file(tmp_path, IDF, "metrics.py")) == "metrics.py holds the functions of bm25. Call it bm25.py."


@pytest.mark.parametrize("name", ["bm25 (1).py", "homework.py", "Bm25.py", "bm25-final.txt", "03_bm25.py"])
def test_a_renamed_file_is_known_by_its_functions(tmp_path, name):
    path = file(tmp_path, IDF, name)
    assert stem_of(path, read_source(path)) == "bm25"
    assert grade_task("bm25.idf", load(path).idf).points == 4


def test_the_name_of_the_file_decides_before_what_else_is_in_it(tmp_path):
    more = "\n\ndef dcg(values):\n    return 0.0\n\n\ndef gains(ranked, grades, k):\n    return []\n"
    assert [report.task for report in check_file(file(tmp_path, IDF + more)).reports][:2] == ["bm25.invert", "bm25.idf"]
    assert stem_of(tmp_path / "homework.py", IDF + more) == "metrics"  # of another name: what it has most of


def test_a_file_without_a_function_of_a_task(tmp_path):
    message = refused(file(tmp_path, "def hello():\n    return 1\n", "homework.py"))
    assert message.startswith("homework.py holds no function of a task. Tasks: ")
    listed = ("answer, bert, biencoder, bm25, chunking, context, contextual, corrective, cosine, experiment, failure, "
              "filters, fusion, hnsw, ivf, maxsim, metrics, quantize, rerank, rewrite, splade.")
    assert listed in message


def test_a_file_by_the_right_name_with_other_functions_is_graded(tmp_path):
    grade = check_file(file(tmp_path, "def hello():\n    return 1\n"))
    assert (grade.points, grade.possible) == (0, 35)


# Functions that are missing, renamed or there twice


def test_a_missing_function(tmp_path):
    lines = report(file(tmp_path, IDF), "bm25.rank").lines
    assert lines == ["bm25.rank  0 of 9 points", "  no function `rank`."]


def test_a_renamed_function(tmp_path):
    renamed = report(file(tmp_path, IDF + "\n\ndef term_weights(tf):\n    return tf\n"), "bm25.term_weight")
    assert renamed.lines == ["bm25.term_weight  0 of 6 points",
                             "  no function `term_weight`; found `term_weights`: renamed?"]
    assert (renamed.points, renamed.possible) == (0, 6)


def test_a_variable_in_place_of_a_function(tmp_path):
    assert report(file(tmp_path, "idf = 3\n")).lines == ["bm25.idf  0 of 4 points", "  no function `idf`."]


def test_a_lambda_or_an_imported_function_will_do(tmp_path):
    text = "import math\nidf = lambda n, df: math.log(1 + (n - df + 0.5) / (df + 0.5))\n"
    assert report(file(tmp_path, text)).points == 4


def test_defined_twice_with_the_stub_last(tmp_path):
    stub = '\n\ndef idf(n, df):\n    """Say."""\n    raise NotImplementedError("bm25.idf: not written yet")\n'
    twice = report(file(tmp_path, IDF + stub))
    assert twice.lines == ["bm25.idf  0 of 4 points",
                           "  `idf` is defined 2 times. Python uses the last one, line 8, which is still the stub."]
    assert twice.points == 0
    assert report(file(tmp_path, stub + "\n" + IDF)).points == 4  # the stub first does no harm


def test_remarks_by_value():
    assert remarks(stub_file("bm25"), "bm25") == {}
    said = remarks(IDF, "bm25")
    assert len(said) == TASKS_OF_BM25 - 1 and "bm25.idf" not in said


# What a file does while it is read


def test_sys_exit_at_import(tmp_path):
    assert refused(file(tmp_path, "import sys\n" + IDF + "\nsys.exit(0)\n")) == (
        "bm25.py stopped while it was read: SystemExit: 0, line 8")


def test_an_exception_at_import_with_its_line(tmp_path):
    text = IDF + "\n\ndef helper():\n    return [][1]\n\n\nhelper()\n"
    assert refused(file(tmp_path, text)) == (
        "bm25.py stopped while it was read: IndexError: list index out of range, line 9")


def test_a_package_that_is_not_there(tmp_path):
    assert refused(file(tmp_path, "import no_such_package\n" + IDF)) == (
        "bm25.py stopped while it was read: ModuleNotFoundError: No module named 'no_such_package', line 1")


def test_an_exception_whose_text_cannot_be_printed(tmp_path):
    text = "class Odd(Exception):\n    def __str__(self):\n        raise ValueError\n\n\nraise Odd\n" + IDF
    assert refused(file(tmp_path, text)) == (
        "bm25.py stopped while it was read: Odd: (a message that cannot be printed), line 6")


def test_an_exception_without_text(tmp_path):
    assert refused(file(tmp_path, IDF + "\nraise ValueError\n")) == (
        "bm25.py stopped while it was read: ValueError, line 7")


def test_a_long_exception_is_one_line(tmp_path):
    message = refused(file(tmp_path, "raise ValueError('first\\nsecond ' + 'x' * 5000)\n" + IDF))
    assert message.startswith("bm25.py stopped while it was read: ValueError: first second xxx") and len(message) < 300


def test_input_at_import_fails_at_once(tmp_path):
    before = sys.stdin
    assert refused(file(tmp_path, IDF + "\nname = input('your name? ')\n")) == (
        "bm25.py stopped while it was read: EOFError: EOF when reading a line, line 7")
    assert sys.stdin is before


@pytest.mark.parametrize("text, said", [
    (IDF + "\nname = input('your name? ')\n", "EOFError: EOF when reading a line, line 7"),
    (IDF.replace("    return", "    input()\n    return"), "EOFError: EOF when reading a line, line 5")])
def test_input_does_not_wait_for_a_terminal_that_stays_silent(tmp_path, text, said):
    path = file(tmp_path, text)
    reading, writing = os.pipe()  # as at a terminal, nothing comes and the end never does
    try:
        process = subprocess.Popen([sys.executable, "-m", "firstprinciples", "check", str(path)], cwd=ROOT,
                                   stdin=reading, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
        out, _ = process.communicate(timeout=120)  # only ends a test that would otherwise never end
    finally:
        process.kill()
        os.close(reading)
        os.close(writing)
    assert said in out
    assert process.returncode in (1, 2)


def test_printing_at_import_does_no_harm(tmp_path, capsys):
    assert report(file(tmp_path, "print('hello')\n" + IDF)).points == 4
    assert capsys.readouterr().out == "hello\n"


def test_what_stands_under_main_is_not_run(tmp_path):
    assert report(file(tmp_path, IDF + "\nif __name__ == '__main__':\n    raise ValueError\n")).points == 4


def test_ctrl_c_at_import_is_the_readers(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        load(file(tmp_path, "raise KeyboardInterrupt\n"))


def test_load(tmp_path):
    path = file(tmp_path, IDF)
    module = load(str(path))
    assert module.idf(3, 1) == pytest.approx(0.9808293, abs=5e-8)
    assert (module.__name__, module.__file__) == ("submission_bm25", str(path))
    file(tmp_path, IDF.replace("1 +", "2 +"))
    assert load(path).idf(3, 1) == pytest.approx(1.2992830, abs=5e-8)  # ln(2 + 5/3): a file is read anew each time
    assert "bm25" not in sys.modules


def test_a_dataclass_with_late_annotations(tmp_path):
    head = "from __future__ import annotations\nfrom dataclasses import dataclass\n\n\n"
    head += "@dataclass\nclass Hit:\n    id: str\n\n\n"
    path = tmp_path / "bm25.py"
    path.write_text(head + IDF, encoding="utf-8")
    assert grade_task("bm25.idf", load(path).idf).points == 4


def test_a_right_function_may_speak_of_what_is_not_implemented(tmp_path):
    right = IDF.replace("    return", "    if n < 0:\n        raise NotImplementedError\n    return")
    assert report(file(tmp_path, stub("bm25.idf") + "\n" + right)).points == 4
    with use("bm25.idf", load(file(tmp_path, right)).idf):
        assert in_use() == ["bm25.idf"]
