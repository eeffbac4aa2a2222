"""Hints: every task has some, they come one at a time, and the course's own function comes last."""

import ast
import json
import re
import subprocess
import sys

import pytest

from firstprinciples.grading import check, commands, desk, hint
from firstprinciples.grading import hints as hints_module
from firstprinciples.grading.hints import NoSuchTask, answer, hints
from firstprinciples.grading.tasks import ROOT, expand, stems, stub, tasks
from firstprinciples.swap import home, use


@pytest.fixture
def work(tmp_path, monkeypatch):
    """Give a learner's work folder that is not the reader's own."""
    monkeypatch.setattr(desk, "ROOT", tmp_path)
    monkeypatch.setattr(desk, "WORK", tmp_path / "work")
    return tmp_path / "work"


# The texts


def test_every_task_has_three_hints_or_more():
    lacking = [f"{name}: {len(hints(name))}" for name in expand(None) if len(hints(name)) < 3]
    assert lacking == [], "write them in firstprinciples/grading/hints/"


@pytest.mark.parametrize("name", expand(None))
def test_a_hint_is_a_sentence_or_two_and_the_first_asks(name):
    texts = hints(name)
    for text in texts:
        assert re.match(r"[A-Z`0-9]", text) and text[-1] in ".?", text
        plain = re.sub(r"`[^`]*`|\(.*?\)", "", text)  # what stands in parentheses is no sentence of its own
        assert len(re.findall(r"[.?!](?= |$)", plain)) <= 2 and len(text) <= 330, text
    assert not texts or "?" in texts[0]
    assert "```" not in "".join(texts)


def test_a_file_of_hints_holds_each_task_once_and_nothing_unknown():
    for path in sorted(hints_module.HINTS.glob("*.md")):
        assert path.stem in stems()
        text = path.read_text(encoding="utf-8")
        sections = re.findall(r"^## (.*)$", text, re.MULTILINE)
        assert len(set(sections)) == len(sections)
        assert {f"{path.stem}.{name}" for name in sections} <= set(tasks(path.stem))
        for part in text.split("\n## ")[1:]:
            numbers = [int(number) for number in re.findall(r"^(\d+)\. ", part, re.MULTILINE)]
            assert numbers == list(range(1, len(numbers) + 1))


def test_no_hint_holds_a_line_of_the_reference():
    # `release` hands the hints out; the reference stays here
    for name in expand(None):
        said = " ".join(hints(name))
        for line in answer(name).splitlines()[2:]:
            assert len(line.strip()) < 25 or line.strip() not in said, name


def test_hints_are_read_from_their_file(tmp_path, monkeypatch):
    monkeypatch.setattr(hints_module, "HINTS", tmp_path)
    text = "# Head\n\n## idf\n\n1. Is it\n   so?\n2. Yes: 1. and 2. are\n\n## rank\n\n1. Sort.\n"
    (tmp_path / "bm25.md").write_text(text, encoding="utf-8")
    assert hints("bm25.idf") == ["Is it so?", "Yes: 1. and 2. are"]
    assert hints("bm25.rank") == ["Sort."]
    assert hints("bm25.score") == hints("metrics.dcg") == []


# One more each time


def test_one_more_each_time_and_then_the_reference(work, capsys):
    texts = hints("bm25.idf")
    for number, text in enumerate(texts, 1):
        hint("bm25.idf")
        lines = capsys.readouterr().out.splitlines()
        assert lines[0] == f"bm25.idf, hint {number} of {len(texts)}"
        assert " ".join(" ".join(lines[1:-1]).split()) == text
        assert max(map(len, lines)) <= 100
        assert lines[-1] == ("Ask again for the next hint, 2 more." if number == 1 else
                             "Ask again for the next hint, 1 more." if number == 2 else
                             "That was the last hint. Ask again to see the course's own function.")
        assert json.loads((work / ".desk.json").read_text(encoding="utf-8"))["hints"] == {"bm25.idf": number}
    for _ in range(2):
        hint("bm25.idf")
        out = capsys.readouterr().out
        assert out.startswith("You have read all 3 hints for bm25.idf. This is how the course writes it:\n\n# ")
        assert out.endswith("def idf(n: int, df: int) -> float:\n"
                            "    return math.log(1 + (n - df + 0.5) / (df + 0.5))\n")
    hint("bm25.rank")  # each task counts for itself
    assert capsys.readouterr().out.startswith("bm25.rank, hint 1 of 4\n")
    assert sorted(path.name for path in work.iterdir()) == [".desk.json"]


def test_after_the_task_passed_the_reference_comes_at_once(work, capsys):
    work.mkdir()
    (work / "bm25.py").write_text("import math\n\n\ndef idf(n, df):\n"
                                  "    return math.log(1 + (n - df + 0.5) / (df + 0.5))\n\n\n"
                                  "def length_norm(length, average, b):\n    return 1\n", encoding="utf-8")
    check(work / "bm25.py")
    capsys.readouterr()
    hint("bm25.idf")
    assert capsys.readouterr().out.startswith("bm25.idf has had all its points. This is how the course writes it:\n")
    hint("bm25.length_norm")
    assert capsys.readouterr().out.startswith("bm25.length_norm, hint 1 of 3\n")


def test_the_reference_is_the_courses_own_whatever_use_has_put_in_its_place(capsys):
    with use("bm25.idf", lambda n, df: 7):
        assert "math.log(1 + (n - df + 0.5)" in answer("bm25.idf")


@pytest.mark.parametrize("name", expand(None))
def test_an_answer_is_the_function_without_its_docstring(name):
    text = answer(name)
    place = text.splitlines()[0].removeprefix("# ")
    assert (ROOT / place).samefile(home(name.partition(".")[0]).__file__)
    (function,) = ast.parse(text).body
    assert function.name == name.partition(".")[2] and ast.get_docstring(function) is None
    assert '"""' not in text
    assert ast.parse(stub(name)).body[0].args is not None


def test_a_task_without_hints_says_where_to_read(work, capsys, monkeypatch):
    monkeypatch.setattr(hints_module, "HINTS", work)
    hint("bm25.idf")
    assert capsys.readouterr().out == 'bm25.idf has no hints yet. Read Lesson 03, "Rarity".\n'


# Names


@pytest.mark.parametrize("name, sentence", [
    ("bm25", f"Name one task of bm25: {', '.join(tasks('bm25'))}."),
    ("work/bm25.py", f"Name one task of bm25: {', '.join(tasks('bm25'))}."),
    ("idf", "There is no task 'idf'; did you mean bm25.idf?"),
    ("BM25.IDF", "There is no task 'BM25.IDF'; did you mean bm25.idf?"),
    ("bm25.nope", f"There is no task 'bm25.nope'; bm25 has {', '.join(tasks('bm25'))}."),
    ("nope", f"There are no tasks called 'nope'; there are {', '.join(stems())}."),
    ("", f"There are no tasks called ''; there are {', '.join(stems())}."),
])
def test_a_name_that_is_no_task_gets_one_sentence_that_lists_names(work, name, sentence):
    with pytest.raises(NoSuchTask) as caught:
        hint(name)
    assert str(caught.value) == sentence
    assert caught.value._render_traceback_() == [sentence]  # what a notebook shows
    assert not work.exists()


def test_spaces_around_a_name_do_no_harm(work, capsys):
    assert commands.hint(" bm25.idf ") == 0
    assert capsys.readouterr().out.startswith("bm25.idf, hint 1 of 3\n")


# A desk that cannot be read or written


@pytest.mark.parametrize("damaged", [b"{", b"", b"\xff\xfe\x00", b"[]", b'{"hints": {"bm25.idf": "two"}}', b"null",
                                     b'{"hints": {"bm25.idf": -1}, "passed": [], "checks": {}}'])
def test_a_damaged_file_is_kept_and_counting_starts_afresh(work, capsys, damaged):
    work.mkdir()
    (work / ".desk.json").write_bytes(damaged)
    hint("bm25.idf")
    printed = capsys.readouterr()
    assert printed.out.startswith("bm25.idf, hint 1 of 3\n")
    (kept,) = (work / "kept").iterdir()
    assert kept.read_bytes() == damaged
    assert printed.err == (f"work/.desk.json is damaged; it is kept as work/kept/{kept.name}, and points and hints are "
                           "noted afresh.\n")
    hint("bm25.idf")
    printed = capsys.readouterr()
    assert (printed.out.splitlines()[0], printed.err) == ("bm25.idf, hint 2 of 3", "")


def test_where_nothing_can_be_written_the_hint_is_shown_all_the_same(work, capsys):
    work.touch()  # a file stands where the folder should be: nothing can be written in there
    hint("bm25.idf")
    printed = capsys.readouterr()
    assert printed.out.startswith("bm25.idf, hint 1 of 3\n")
    assert re.fullmatch(r"This cannot be noted in work/\.desk\.json \(.*\): points and hints are not remembered\.\n",
                        printed.err.splitlines()[-1] + "\n")
    assert "Traceback" not in printed.err


def test_the_command_line(tmp_path):
    def ask(name):
        program = ("import sys; from pathlib import Path; from firstprinciples.grading import desk; "
                   "desk.WORK = Path(sys.argv[2]); from firstprinciples.__main__ import main; "
                   "sys.exit(main(['hint', sys.argv[1]]))")
        return subprocess.run([sys.executable, "-c", program, name, str(tmp_path)], cwd=ROOT, capture_output=True,
                              encoding="utf-8", stdin=subprocess.DEVNULL)

    assert (ask("bm25.idf").stdout.splitlines()[0], ask("bm25.idf").stdout.splitlines()[0]) == (
        "bm25.idf, hint 1 of 3", "bm25.idf, hint 2 of 3")
    answer = ask("idf")
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr == "firstprinciples: There is no task 'idf'; did you mean bm25.idf?\n"
