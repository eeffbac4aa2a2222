"""The desk: what `check` notes, what `status` says of it, and how `reset` begins an exercise again."""

import json
import os
import subprocess
import sys

import pytest

from firstprinciples.grading import check, commands, desk
from firstprinciples.grading.desk import fingerprint, keep, possible_points, read_desk, shown, written
from firstprinciples.grading.run import run
from firstprinciples.grading.tasks import ROOT, expand, stems, stub, stub_file, tasks
from firstprinciples.install import COMMAND
from firstprinciples.swap import reference

IDF = "def idf(n, df):\n    return math.log(1 + (n - df + 0.5) / (df + 0.5))\n"
HALF = "def length_norm(length, average, b):\n    return 1.0\n"
POSSIBLE = {"bm25.invert": 5, "bm25.idf": 4, "bm25.length_norm": 4, "bm25.term_weight": 6, "bm25.score": 7,
            "bm25.rank": 9}


@pytest.fixture
def work(tmp_path, monkeypatch):
    """Give a learner's work folder, which is not the reader's own, and two exercises: bm25 and metrics."""
    monkeypatch.setattr(desk, "ROOT", tmp_path)
    monkeypatch.setattr(desk, "WORK", tmp_path / "work")
    monkeypatch.setattr(commands, "stems", lambda: ["bm25", "metrics"])
    monkeypatch.setattr(commands, "in_course_order", lambda: ["bm25", "metrics"])
    return tmp_path / "work"


def write(work, **own):
    """Write work/bm25.py: stubs, and in their place what is given."""
    work.mkdir(exist_ok=True)
    parts = [own.get(name.partition(".")[2]) or stub(name) for name in tasks("bm25")]
    (work / "bm25.py").write_text("import math\n\n\n" + "\n\n".join(parts), encoding="utf-8")


def checked(work, capsys, **own):
    write(work, **own)
    check(work / "bm25.py")
    capsys.readouterr()


def status(capsys):
    assert commands.status() == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    return printed.out.splitlines()


# status


def test_nothing_started(work, capsys):
    total = 35 + sum(possible_points("metrics").values())
    assert status(capsys) == [
        "bm25: not started, 35 points",
        f"metrics: not started, {total - 35} points",
        "",
        f"In all 0 of {total} points.",
        f"Nothing is started yet. Begin with: {COMMAND} start bm25",
    ]
    assert not work.exists()


def test_started_and_not_written(work, capsys):
    write(work)
    lines = status(capsys)
    assert lines[0] == "bm25: work/bm25.py, not checked yet"
    assert lines[1:7] == [f"  {name:28} {f'0 of {n}':>8}  not attempted" for name, n in POSSIBLE.items()]
    assert lines[-1] == ('Next: write invert in work/bm25.py (lesson 03, "The index"), then '
                         f"{COMMAND} check work/bm25.py")


def test_written_and_not_checked(work, capsys):
    write(work, idf=IDF)
    lines = status(capsys)
    assert lines[2] == f"  {'bm25.idf':28}   0 of 4  written, not checked yet"
    assert lines[-1] == f"Next: {COMMAND} check work/bm25.py"


def test_after_a_check(work, capsys):
    checked(work, capsys, idf=IDF, length_norm=HALF)
    commands.hint("bm25.length_norm")
    commands.hint("metrics.dcg")
    capsys.readouterr()
    lines = status(capsys)
    got = json.loads((work / ".desk.json").read_text(encoding="utf-8"))["checks"]["bm25"]["tasks"]
    half = got["bm25.length_norm"]["points"]
    assert 0 < half < 4
    assert lines[0] == f"bm25: work/bm25.py, {4 + half} of 35 points at the last check"
    assert lines[1] == f"  {'bm25.invert':28}   0 of 5  not attempted"
    assert lines[2] == f"  {'bm25.idf':28}   4 of 4  passed"
    assert lines[3] == f"  {'bm25.length_norm':28}   {half} of 4  1 of 3 hints read"
    assert lines[-1] == f"Next: {COMMAND} hint bm25.length_norm"
    checked(work, capsys, idf=IDF)
    assert status(capsys)[-1].startswith("Next: write invert in work/bm25.py")


def test_a_file_that_changed_since(work, capsys):
    checked(work, capsys, idf=IDF)
    write(work, idf=IDF, length_norm=HALF)
    lines = status(capsys)
    assert lines[0] == "bm25: work/bm25.py, 4 of 35 points at the last check; changed since the last check"
    assert lines[3] == f"  {'bm25.length_norm':28}   0 of 4  written, not checked yet"
    assert lines[-1] == f"Next: {COMMAND} check work/bm25.py"


def test_a_file_that_cannot_be_read_now(work, capsys):
    checked(work, capsys, idf=IDF)
    (work / "bm25.py").write_text("def idf(:\n", encoding="utf-8")
    lines = status(capsys)
    assert lines[0] == ("bm25: work/bm25.py, 4 of 35 points at the last check; cannot be read now, `check` says why; "
                        "changed since the last check")
    assert lines[-1] == f"Next: {COMMAND} check work/bm25.py"


def test_a_failing_task_is_followed_by_its_hint_and_a_finished_exercise_by_the_next(work, capsys):
    note = {"sha256": "", "tasks": {name: {"points": n, "possible": n, "attempted": True}
                                    for name, n in POSSIBLE.items()}}
    write(work)
    note["sha256"] = fingerprint(work / "bm25.py")
    note["tasks"]["bm25.score"]["points"] = 3
    desk.write_desk(work, {"hints": {}, "passed": [], "checks": {"bm25": note}})
    assert status(capsys)[-1] == f"Next: {COMMAND} hint bm25.score"
    note["tasks"]["bm25.score"]["points"] = 7
    desk.write_desk(work, {"hints": {}, "passed": [], "checks": {"bm25": note}})
    assert status(capsys)[-1] == f"Next: {COMMAND} start metrics"
    desk_of_all = {"bm25": note, "metrics": {"tasks": {
        name: {"points": n, "possible": n, "attempted": True} for name, n in possible_points("metrics").items()}}}
    (work / "metrics.py").write_text(stub_file("metrics"), encoding="utf-8")
    desk_of_all["metrics"]["sha256"] = fingerprint(work / "metrics.py")
    desk.write_desk(work, {"hints": {}, "passed": [], "checks": desk_of_all})
    assert status(capsys)[-1] == "You have all the points there are."


def test_status_grades_nothing(work, capsys, monkeypatch):
    write(work, idf=IDF, length_norm="def length_norm(length, average, b):\n    open('graded', 'w')\n")
    monkeypatch.chdir(work)
    monkeypatch.setattr(commands, "check_file", None)
    status(capsys)
    assert sorted(path.name for path in work.iterdir()) == ["bm25.py"]


def test_the_exercises_are_in_the_order_of_their_lessons():
    order = commands.in_course_order()
    assert sorted(order) == stems()
    assert order[0] == "bm25" or "02_measuring.ipynb" in os.listdir(ROOT / "notebooks" / "exercises")


@pytest.mark.parametrize("name", expand(None))
def test_points_are_counted_as_the_grader_counts_them(name):
    assert possible_points(name.partition(".")[0])[name] == len(run(name, reference(name)))


def test_of_two_functions_with_one_name_the_last_counts(tmp_path):
    path = tmp_path / "bm25.py"
    path.write_text("import math\n" + IDF + stub("bm25.idf"), encoding="utf-8")
    assert written(path, "bm25") == set()
    path.write_text("import math\n" + stub("bm25.idf") + IDF + "def helper():\n    return 1\n", encoding="utf-8")
    assert written(path, "bm25") == {"bm25.idf"}
    assert written(tmp_path / "none.py", "bm25") is None


# What check notes


def test_check_notes_points_and_the_files_fingerprint(work, capsys):
    checked(work, capsys, idf=IDF)
    noted = read_desk(work)
    assert noted["passed"] == ["bm25.idf"]
    assert noted["checks"]["bm25"]["sha256"] == fingerprint(work / "bm25.py")
    assert noted["checks"]["bm25"]["tasks"]["bm25.idf"] == {"points": 4, "possible": 4, "attempted": True}
    assert noted["checks"]["bm25"]["tasks"]["bm25.rank"] == {"points": 0, "possible": 9, "attempted": False}
    checked(work, capsys)  # once passed stays passed: the reference may still be read
    assert read_desk(work)["passed"] == ["bm25.idf"]


def test_the_command_notes_too(work, capsys):
    write(work, idf=IDF)
    assert commands.check_here(work / "bm25.py") == 1
    assert read_desk(work)["passed"] == ["bm25.idf"]


def test_only_the_learners_own_file_is_noted(work, tmp_path, capsys):
    write(work, idf=IDF)
    for other in (tmp_path / "bm25.py", work / "mine.py", work / "deep" / "bm25.py"):
        other.parent.mkdir(exist_ok=True)
        other.write_bytes((work / "bm25.py").read_bytes())
        check(other)
        assert not list(tmp_path.rglob(".desk.json"))


def test_a_check_that_cannot_be_noted_is_a_check_all_the_same(work, capsys, monkeypatch):
    write(work, idf=IDF)
    monkeypatch.setattr(desk.os, "replace", lambda *paths: (_ for _ in ()).throw(PermissionError(13, "not allowed")))
    assert check(work / "bm25.py").points == 4
    assert capsys.readouterr().err == ("This cannot be noted in work/.desk.json (not allowed): points and hints are "
                                       "not remembered.\n")
    assert sorted(path.name for path in work.iterdir()) == ["bm25.py"]  # no draft is left


# reset


def test_reset_begins_again_and_keeps_what_was_there(work, capsys):
    checked(work, capsys, idf=IDF)
    commands.hint("bm25.idf")
    commands.hint("metrics.dcg")
    (work / "03_bm25.ipynb").write_text("my notebook", encoding="utf-8")
    (work / "notes.txt").write_text("mine", encoding="utf-8")
    before = (work / "bm25.py").read_bytes()
    capsys.readouterr()
    assert commands.reset("bm25") == 0
    out = capsys.readouterr().out.splitlines()
    kept = {path.suffix: path for path in (work / "kept").iterdir()}
    assert kept[".py"].read_bytes() == before
    assert kept[".ipynb"].read_text(encoding="utf-8") == "my notebook"
    assert out == [
        f"What was in work/bm25.py is kept as work/kept/{kept['.py'].name}.",
        "Made work/bm25.py afresh.",
        f"What was in work/03_bm25.ipynb is kept as work/kept/{kept['.ipynb'].name}.",
        "Made work/03_bm25.ipynb afresh.",
        "The points of bm25 and the hints read for it count afresh too.",
    ]
    assert (work / "bm25.py").read_bytes() == stub_file("bm25").encode("utf-8")
    assert (work / "03_bm25.ipynb").read_bytes() == (ROOT / "notebooks/exercises/03_bm25.ipynb").read_bytes()
    assert read_desk(work) == {"hints": {"metrics.dcg": 1}, "passed": [], "checks": {}}
    assert (work / "notes.txt").read_text(encoding="utf-8") == "mine"
    assert commands.reset("bm25") == 0  # nothing to keep now
    assert capsys.readouterr().out.splitlines() == ["work/bm25.py is as `start` makes it.",
                                                    "work/03_bm25.ipynb is as `start` makes it."]
    assert len(list((work / "kept").iterdir())) == 2


def test_what_reset_makes_is_what_start_makes(work, tmp_path):
    commands.reset("bm25")
    commands.start("bm25", tmp_path / "other")
    files = {path.name: path.read_bytes() for path in work.iterdir()}
    assert files == {path.name: path.read_bytes() for path in (tmp_path / "other").iterdir()}


def test_nothing_kept_is_ever_written_over(work, monkeypatch):
    class Clock(desk.datetime):
        @classmethod
        def now(cls):
            return cls(2026, 11, 30, 14, 15, 2)

    monkeypatch.setattr(desk, "datetime", Clock)
    write(work)
    for number in range(3):
        (work / "bm25.py").write_text(f"# {number}\n", encoding="utf-8")
        keep(work / "bm25.py")
    names = ["bm25-2026-11-30-141502.py", "bm25-2026-11-30-141502-2.py", "bm25-2026-11-30-141502-3.py"]
    assert [(work / "kept" / name).read_text(encoding="utf-8") for name in names] == ["# 0\n", "# 1\n", "# 2\n"]


def test_what_cannot_be_kept_is_not_replaced(work):
    write(work, idf=IDF)
    before = (work / "bm25.py").read_bytes()
    (work / "kept").touch()  # a file where the folder should be
    with pytest.raises(OSError):
        commands.reset("bm25")
    assert (work / "bm25.py").read_bytes() == before


def test_reset_of_a_lesson_with_two_files(work, capsys, monkeypatch):
    monkeypatch.setattr(commands, "stems", lambda: ["bm25", "experiment", "metrics"])
    work.mkdir()
    (work / "metrics.py").write_text("# mine\n", encoding="utf-8")
    assert commands.reset("measuring") == 0
    said = capsys.readouterr().out
    assert said.count("Made work/") == 3 and "Made work/02_measuring.ipynb afresh." in said
    (kept,) = (work / "kept").iterdir()
    assert kept.read_text(encoding="utf-8") == "# mine\n"
    assert (work / "experiment.py").exists() and not (work / "bm25.py").exists()


@pytest.mark.parametrize("name", ["bm26", "bm25.idf", "../bm25", ""])
def test_reset_of_an_unknown_name(work, name):
    with pytest.raises(ValueError) as caught:
        commands.reset(name)
    assert str(caught.value) == f"There is no exercise {name!r} to reset; there are bm25, measuring, metrics."
    assert not work.exists()


# Paths, and the whole way


def test_a_path_is_shown_as_one_can_type_it(tmp_path, monkeypatch):
    assert shown(ROOT / "work" / "bm25.py") == "work/bm25.py"
    assert shown(ROOT / "work" / "b m.py") == '"work/b m.py"'
    assert shown(tmp_path / "x.py") == str(tmp_path / "x.py")


def test_the_commands_from_the_terminal(tmp_path):
    program = ("import sys; from pathlib import Path; from firstprinciples.grading import desk; "
               "desk.WORK = Path(sys.argv[1]); from firstprinciples.__main__ import main; sys.exit(main(sys.argv[2:]))")

    def command(*arguments):
        return subprocess.run([sys.executable, "-c", program, str(tmp_path / "w"), *arguments], cwd=ROOT,
                              capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL)

    assert command("status").stdout.splitlines()[-1].startswith("Nothing is started yet. Begin with: ")
    made = command("reset", "bm25")
    assert (made.returncode, made.stderr) == (0, "")
    assert made.stdout.splitlines()[0] == f"Made {tmp_path / 'w' / 'bm25.py'} afresh."
    answer = command("reset", "nothing")
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.startswith("firstprinciples: There is no exercise 'nothing' to reset; there are bm25")
    assert command("status", "bm25").returncode == 4
    assert command("reset").returncode == 4
