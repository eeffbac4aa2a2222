"""The desk: what `check` notes, what `status` says of it, and how `reset` begins an exercise again."""

import importlib
import io
import json
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from firstprinciples import __main__ as cli
from firstprinciples.corpus import Collection, Document
from firstprinciples.grading import check, commands, desk
from firstprinciples.grading.check import Grade, Report
from firstprinciples.grading.desk import fingerprint, keep, possible_points, read_desk, shown, written
from firstprinciples.grading.run import run
from firstprinciples.grading.submission import NotGradable, read_source
from firstprinciples.grading.tasks import ROOT, expand, stems, stub, stub_file, tasks
from firstprinciples.install import COMMAND
from firstprinciples.swap import reference

EXERCISES = ROOT / "notebooks" / "exercises"
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
    work.mkdir(parents=True, exist_ok=True)
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


# Whose desk it is


def real_work():
    """Return {path: content} of all that stands in the reader's own work/."""
    return {path: path.read_bytes() for path in (ROOT / "work").rglob("*") if path.is_file()}


def test_no_test_sees_or_changes_the_readers_own_work(capsys):
    before = real_work()
    assert not desk.WORK.exists()
    commands.hint("bm25.idf")
    write(desk.WORK, idf=IDF)
    assert check(desk.WORK / "bm25.py").points == 4
    commands.reset("bm25")
    questions = importlib.import_module("firstprinciples.explore.own_questions")
    shop = Collection("shop", [Document("tents", "Tents", "Red tents.")], [], [], {}, {})
    assert "1 saved in work/my_questions.jsonl." in questions.save((("Which?", "tents", "Red tents."),), shop)
    assert capsys.readouterr().out.startswith("bm25.idf, hint 1 of 3\n")
    names = {path.name for path in desk.WORK.iterdir()}
    assert names == {".desk.json", "03_bm25.ipynb", "bm25.py", "kept", "my_questions.jsonl"}
    assert real_work() == before


def test_a_file_that_is_missing_is_looked_for_in_that_folder_only(tmp_path):
    with pytest.raises(NotGradable, match=r"`.* start bm25` makes one\.$"):
        read_source(tmp_path / "bm25.py")
    write(desk.WORK)
    with pytest.raises(NotGradable, match=re.escape(f"Did you mean {desk.WORK / 'bm25.py'}?")):
        read_source(tmp_path / "bm25.py")


def test_every_file_that_names_the_work_folder_is_known_here():
    """The two that write there get another folder from conftest.py; doctor looks, and `start` is told where."""
    found = {path.name for path in (ROOT / "firstprinciples").rglob("*.py") if '"work"' in path.read_text("utf-8")}
    assert found == {"__main__.py", "doctor.py", "own_questions.py", "submission.py"}


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
    assert lines[1:7] == [f"  {name:29} {f'0 of {n}':>8}  not attempted" for name, n in POSSIBLE.items()]
    assert lines[-1] == ('Next: write invert in work/bm25.py (lesson 03, "The index"), then '
                         f"{COMMAND} check work/bm25.py")


def test_written_and_not_checked(work, capsys):
    write(work, idf=IDF)
    lines = status(capsys)
    assert lines[2] == f"  {'bm25.idf':29}   0 of 4  written, not checked yet"
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
    assert lines[1] == f"  {'bm25.invert':29}   0 of 5  not attempted"
    assert lines[2] == f"  {'bm25.idf':29}   4 of 4  passed"
    assert lines[3] == f"  {'bm25.length_norm':29}   {half} of 4  1 of 3 hints read"
    assert lines[-1] == f"Next: {COMMAND} hint bm25.length_norm"
    checked(work, capsys, idf=IDF)
    assert status(capsys)[-1].startswith("Next: write invert in work/bm25.py")


def test_a_file_that_changed_since(work, capsys):
    checked(work, capsys, idf=IDF)
    write(work, idf=IDF, length_norm=HALF)
    lines = status(capsys)
    assert lines[0] == "bm25: work/bm25.py, 4 of 35 points at the last check; changed since the last check"
    assert lines[3] == f"  {'bm25.length_norm':29}   0 of 4  written, not checked yet"
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


def test_what_was_begun_comes_before_a_stub_and_the_last_changed_before_the_others(work, capsys, monkeypatch):
    monkeypatch.setattr(commands, "in_course_order", lambda: ["metrics", "experiment", "bm25"])
    monkeypatch.setattr(commands, "stems", lambda: ["bm25", "experiment", "metrics"])
    commands.start("measuring", work)
    assert commands.under_way() == ["metrics", "experiment"]  # nothing is written: the order of the course
    checked(work, capsys, idf=IDF, length_norm=HALF)
    assert commands.under_way() == ["bm25", "metrics", "experiment"]
    assert status(capsys)[-1] == f"Next: {COMMAND} hint bm25.length_norm"
    checked(work, capsys, idf=IDF)
    assert status(capsys)[-1].startswith("Next: write invert in work/bm25.py")
    gains = (work / "metrics.py").read_text(encoding="utf-8").replace(
        'raise NotImplementedError("metrics.gains: not written yet")', "return []")
    (work / "metrics.py").write_text(gains, encoding="utf-8")
    os.utime(work / "bm25.py", (1000, 1000))
    assert commands.under_way() == ["metrics", "bm25", "experiment"]
    assert status(capsys)[-1] == f"Next: {COMMAND} check work/metrics.py"
    os.utime(work / "metrics.py", (900, 900))
    assert commands.under_way() == ["bm25", "metrics", "experiment"]
    assert status(capsys)[-1].startswith("Next: write invert in work/bm25.py")


def test_the_longest_name_stands_in_the_column_of_all(work, capsys, monkeypatch):
    monkeypatch.setattr(commands, "in_course_order", lambda: ["experiment", "bm25"])
    monkeypatch.setattr(commands, "stems", lambda: ["bm25", "experiment"])
    commands.start("experiment", work)
    write(work)
    capsys.readouterr()
    rows = [line for line in status(capsys) if line.startswith("  ")]
    assert len(rows) == len(tasks("experiment")) + len(tasks("bm25"))
    assert {line.index(" of ") for line in rows} == {2 + len("experiment.paired_differences") + 1 + 3}


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
    assert order.index("cosine") < order.index("biencoder") < order.index("bert") < order.index("fusion")
    assert order[0] == "context" and order.index("context") < order.index("metrics")
    assert order[-13:-9] == ["failure", "rerank", "chunking", "contextual"]
    assert order[-9:-7] == ["ivf", "hnsw"]  # lesson 11 has the cells before the walk
    assert order[-7:] == ["quantize", "filters", "splade", "maxsim", "rewrite", "corrective", "answer"]


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
    monkeypatch.setattr(commands, "in_course_order", lambda: ["metrics", "experiment", "bm25"])
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


@pytest.mark.parametrize("second", ["a folder", "a pipe"])
def test_reset_looks_at_every_file_before_it_touches_one(work, second, monkeypatch):
    monkeypatch.setattr(commands, "stems", lambda: ["bm25", "experiment", "metrics"])
    monkeypatch.setattr(commands, "in_course_order", lambda: ["metrics", "experiment", "bm25"])
    work.mkdir()
    (work / "metrics.py").write_text("# mine\n", encoding="utf-8")
    if second == "a folder":
        (work / "experiment.py").mkdir()
    elif hasattr(os, "mkfifo"):
        os.mkfifo(work / "experiment.py")
    else:
        pytest.skip("needs the pipes of Unix")
    with pytest.raises(OSError, match=r"^work/experiment\.py is not a file: rename it and run this again$"):
        commands.reset("measuring")
    assert (work / "metrics.py").read_text(encoding="utf-8") == "# mine\n"
    assert sorted(path.name for path in work.iterdir()) == ["experiment.py", "metrics.py"]


# A full disk


@pytest.fixture
def full(monkeypatch):
    """Let the disk be full: of what is written the first half arrives, and then an error comes that names no file."""
    def write(path, data, mode="wb"):
        with open(path, mode) as file:
            file.write(data[: len(data) // 2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", write)


def test_on_a_full_disk_start_leaves_nothing_behind(tmp_path, full):
    with pytest.raises(OSError) as caught:
        commands.start("metrics", tmp_path / "w")
    assert (caught.value.filename, caught.value.strerror) == (str(tmp_path / "w" / "metrics.py"),
                                                              "No space left on device")
    assert list((tmp_path / "w").iterdir()) == []


def test_on_a_full_disk_what_stands_there_stays(work, full):
    work.mkdir()
    (work / "bm25.py").write_text("# mine\n", encoding="utf-8")
    with pytest.raises(OSError):
        desk.replace(work / "bm25.py", b"new and longer")
    assert (work / "bm25.py").read_text(encoding="utf-8") == "# mine\n"
    assert sorted(path.name for path in work.iterdir()) == ["bm25.py"]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_copy_that_could_not_be_written_to_its_end_is_removed(work, monkeypatch, error):
    class Full(io.FileIO):
        def write(self, data):
            super().write(data[:3])
            raise error

    write(work)
    monkeypatch.setattr(Path, "open", lambda path, mode: Full(path, mode))
    with pytest.raises(type(error)) as caught:
        keep(work / "bm25.py")
    assert list((work / "kept").iterdir()) == []
    if isinstance(error, OSError):
        assert os.path.dirname(caught.value.filename) == str(work / "kept")


# Several commands at a time, and a file that is none


def test_of_notes_made_at_the_same_time_none_is_lost(work):
    names = [f"bm25.t{number}" for number in range(21)]
    threads = [threading.Thread(target=desk.note_hint, args=(name, 1)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert read_desk(work)["hints"] == dict.fromkeys(names, 1)
    assert sorted(path.name for path in work.iterdir()) == [".desk.json"]


def test_a_forgotten_lock_is_removed_and_one_in_use_is_waited_for_only_so_long(work, monkeypatch, capsys):
    work.mkdir()
    lock = work / ".desk.lock"
    lock.touch()
    monkeypatch.setattr(desk, "WAIT", 0.05)
    desk.note_hint("bm25.idf", 1)  # in use: noted without it, and left to its owner
    assert (read_desk(work)["hints"], lock.exists()) == ({"bm25.idf": 1}, True)
    os.utime(lock, (time.time() - 2 * desk.STALE,) * 2)
    monkeypatch.setattr(desk, "WAIT", 60)
    desk.note_hint("bm25.idf", 2)
    assert (read_desk(work)["hints"], lock.exists()) == ({"bm25.idf": 2}, False)
    desk.note_hint("bm25.idf", 1)  # another command was ahead
    assert read_desk(work)["hints"] == {"bm25.idf": 2}
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs the pipes of Unix")
def test_a_pipe_is_not_waited_for(work, capsys):
    work.mkdir()
    os.mkfifo(work / ".desk.json")
    assert read_desk(work) == {"hints": {}, "passed": [], "checks": {}}
    assert capsys.readouterr().err == ("work/.desk.json cannot be read (it is not a file); points and hints count "
                                       "afresh.\n")
    (work / ".desk.json").unlink()
    os.mkfifo(work / "bm25.py")
    assert fingerprint(work / "bm25.py") is None
    assert "; cannot be read now, `check` says why" in status(capsys)[0]
    assert commands.check_here(work / "bm25.py") == 2
    with pytest.raises(OSError, match="is not a file"):
        keep(work / "bm25.py")


@pytest.mark.parametrize("text", ["x = " + "-" * 200_000 + "1\n", "x = " + "(" * 5000 + "1" + ")" * 5000 + "\n"])
def test_a_file_that_python_cannot_read_for_its_depth(work, capsys, text):
    work.mkdir()
    (work / "bm25.py").write_text(text, encoding="utf-8")
    assert status(capsys)[0] == "bm25: work/bm25.py, not checked yet; cannot be read now, `check` says why"
    assert commands.check_here(work / "bm25.py") == 2
    assert capsys.readouterr().out.startswith("Not gradable: bm25.py")


def test_a_stub_with_a_deep_expression_is_a_stub(work, capsys):
    write(work, idf="def idf(n, df):\n    raise NotImplementedError(" + "-" * 900 + "1)\n")
    assert "bm25.idf" not in written(work / "bm25.py", "bm25")
    write(work, idf="def idf(n, df):\n    raise ValueError('NotImplementedError')\n")
    assert "bm25.idf" in written(work / "bm25.py", "bm25")


# What passes for a desk

RESULT = {"points": 2, "possible": 4, "attempted": True}
SOUND = {"hints": {"bm25.idf": 2}, "passed": ["bm25.idf"],
         "checks": {"bm25": {"sha256": "9f", "tasks": {"bm25.idf": RESULT}}}}


def of_task(**changes):
    return {**SOUND, "checks": {"bm25": {"sha256": "", "tasks": {"bm25.idf": {**RESULT, **changes}}}}}


def test_a_sound_desk_is_read_as_it_is(work, capsys):
    for sound in (SOUND, of_task(points=0), of_task(points=4), of_task(points=0, attempted=False)):
        desk.write_desk(work, sound)
        assert read_desk(work) == sound
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("damaged", [
    {**SOUND, "hints": {"\ud800": 1}}, {**SOUND, "note": "\ud800"}, {**SOUND, "passed": ["\ud800.idf"]},
    {**SOUND, "checks": {"\ud800": {"sha256": "", "tasks": {}}}},
    {**SOUND, "hints": {"idf": 1}}, {**SOUND, "hints": {"bm25.idf": True}}, {**SOUND, "hints": {"bm25.idf": 10_000}},
    {**SOUND, "hints": {"bm25.idf": -1}}, {**SOUND, "hints": {"bm25.idf": 1.0}}, {**SOUND, "hints": []},
    {**SOUND, "passed": "bm25.idf"}, {**SOUND, "passed": {"bm25.idf": 1}}, {**SOUND, "passed": [7]},
    {**SOUND, "passed": None}, {**SOUND, "checks": []}, {**SOUND, "checks": {"bm25": []}},
    {**SOUND, "checks": {"bm25": {"sha256": None, "tasks": {}}}}, {**SOUND, "checks": {"bm25": {"sha256": ""}}},
    of_task(points=10_000), of_task(points=5), of_task(points=-50), of_task(points=True), of_task(points=2.0),
    of_task(points=10_000, possible=10_000), of_task(possible=-1), of_task(possible="4"), of_task(attempted=1),
    of_task(attempted=False), {"hints": {}, "passed": []}, [SOUND], "x", 7, None])
def test_what_no_command_has_written_is_damaged(work, capsys, damaged):
    work.mkdir()
    (work / ".desk.json").write_text(json.dumps(damaged), encoding="utf-8")
    assert read_desk(work) == {"hints": {}, "passed": [], "checks": {}}
    assert capsys.readouterr().err.startswith("work/.desk.json is damaged; it is kept as work/kept/desk-")
    desk.note_hint("bm25.idf", 1)  # and all goes on
    assert read_desk(work) == {"hints": {"bm25.idf": 1}, "passed": [], "checks": {}}


@pytest.mark.parametrize("error", [UnicodeEncodeError("utf-8", "x", 0, 1, "no"), RuntimeError("loop"), MemoryError()])
def test_a_note_that_fails_in_any_way_changes_no_grade(work, capsys, monkeypatch, error):
    def fail(*_):
        raise error

    write(work, idf=IDF)
    monkeypatch.setattr(desk, "write_desk", fail)
    monkeypatch.setattr(commands, "check_file", lambda path: Grade([Report("bm25.idf", 3, 4, ["a line"])]))
    assert commands.check_here(work / "bm25.py") == 1
    printed = capsys.readouterr()
    assert printed.out == "a line\n\n3 of 4 points.\n"
    assert printed.err == (f"This cannot be noted in work/.desk.json ({f'{type(error).__name__}: {error}'.strip()}): "
                           "points and hints are not remembered.\n")


def test_text_that_is_no_unicode_cannot_be_noted(work, capsys):
    assert desk.write_desk(work, {**SOUND, "hints": {"\ud800": 1}}) is False
    assert capsys.readouterr().err.startswith("This cannot be noted in work/.desk.json ('utf-8' codec can't encode")


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
    known = ", ".join(sorted(commands.exercises()))
    assert answer.stderr == f"firstprinciples: There is no exercise 'nothing' to reset; there are {known}.\n"
    assert command("status", "bm25").returncode == 4


# Names


@pytest.mark.parametrize("name, modules", [
    ("bm25", ["bm25"]), ("bm25.py", ["bm25"]), ("work/bm25.py", ["bm25"]), ("03", ["bm25"]), ("3", ["bm25"]),
    ("03_bm25", ["bm25"]), ("03_bm25.ipynb", ["bm25"]), ("metrics", ["metrics"]),
    ("measuring", ["metrics", "experiment"]), ("02", ["metrics", "experiment"]), ("2", ["metrics", "experiment"]),
    ("02_measuring", ["metrics", "experiment"]), ("05", ["biencoder", "bert"]), ("bert", ["bert"]),
    ("biencoder", ["biencoder"]), ("bi_encoder", ["biencoder", "bert"]), ("05_bi_encoder", ["biencoder", "bert"]),
    ("bi-encoder", ["biencoder", "bert"]), ("hybrid", ["fusion"]), ("06_hybrid.ipynb", ["fusion"]),
    ("06_fusion", ["fusion"]), ("11", ["ivf", "hnsw"]), ("neighbors", ["ivf", "hnsw"]), ("ivf", ["ivf"]),
    ("nearest-neighbors", ["ivf", "hnsw"]), ("11_neighbors.ipynb", ["ivf", "hnsw"]), ("work/hnsw.py", ["hnsw"]),
    ("12", ["quantize"]), ("memory", ["quantize"]), ("quantize", ["quantize"]), ("12_memory.ipynb", ["quantize"]),
    ("13", ["filters"]), ("filters", ["filters"]), ("13_filters", ["filters"]), ("08", ["rerank"]), ("8", ["rerank"]),
    ("rerank", ["rerank"]), ("work/rerank.py", ["rerank"]), ("14", ["splade"]), ("splade", ["splade"]),
    ("15_maxsim.ipynb", ["maxsim"]), ("maxsim", ["maxsim"]), ("15", ["maxsim"]), ("09", ["chunking"]),
    ("9", ["chunking"]), ("chunking", ["chunking"]), ("09_chunking.ipynb", ["chunking"]), ("10", ["contextual"]),
    ("contextual", ["contextual"]), ("10_contextual_retrieval", ["contextual"]), ("work/contextual.py", ["contextual"]),
    ("16", ["rewrite"]), ("rewrite", ["rewrite"]), ("16_rewrite.ipynb", ["rewrite"]), ("queries", ["rewrite"]),
    ("16_queries", ["rewrite"]), ("work/rewrite.py", ["rewrite"]), ("17", ["corrective"]),
    ("corrective", ["corrective"]), ("17_corrective.ipynb", ["corrective"]), ("corrective_rag", ["corrective"]),
    ("corrective-rag", ["corrective"]), ("17_corrective_rag", ["corrective"]), ("work/corrective.py", ["corrective"]),
    ("01", ["context"]), ("1", ["context"]), ("context", ["context"]), ("open_book", ["context"]),
    ("open-book", ["context"]), ("01_open_book.ipynb", ["context"]), ("01_context", ["context"]),
    ("work/context.py", ["context"]), ("18", ["answer"]), ("answer", ["answer"]), ("answers", ["answer"]),
    ("18_answers", ["answer"]), ("18_answer.ipynb", ["answer"]), ("work/answer.py", ["answer"]),
    ("07", ["failure"]), ("7", ["failure"]), ("failure", ["failure"]), ("failure_tree", ["failure"]),
    ("failure-tree", ["failure"]), ("07_failure_tree", ["failure"]), ("07_failure.ipynb", ["failure"]),
    ("work/failure.py", ["failure"]), ("19", ["experiment"]), ("build_it", ["experiment"]),
    ("build-it", ["experiment"]), ("19_build_it", ["experiment"]), ("19_build_it.ipynb", ["experiment"]),
    ("experiment", ["experiment"]), ("work/experiment.py", ["experiment"])])
def test_an_exercise_may_be_called_by_its_lesson(name, modules):
    assert commands.meant(name, "start") == modules


@pytest.mark.parametrize("name, said", [
    ("00", "Lesson 00 has no exercise to start; there are bm25, experiment, measuring, metrics."),
    ("99", "Lesson 99 has no exercise to start; there are bm25, experiment, measuring, metrics."),
    ("start_here", "Lesson 00 has no exercise to start; there are bm25, experiment, measuring, metrics."),
    ("3.", "There is no exercise '3.' to start; there are bm25, experiment, measuring, metrics."),
    ("../bm25.py", "There is no exercise '../bm25.py' to start; there are bm25, experiment, measuring, metrics."),
    ("²", "There is no exercise '²' to start; there are bm25, experiment, measuring, metrics.")])
def test_a_name_that_is_none_is_answered_with_those_there_are(name, said):
    with pytest.raises(ValueError) as caught:
        commands.meant(name, "start")
    assert str(caught.value).replace(", ".join(sorted(commands.exercises())),
                                     "bm25, experiment, measuring, metrics") == said


@pytest.mark.parametrize("name, notebooks", [
    ("19", ["19_build_it.ipynb"]), ("build_it", ["19_build_it.ipynb"]), ("19_build_it.ipynb", ["19_build_it.ipynb"]),
    ("experiment", ["02_measuring.ipynb"]), ("07", ["07_failure.ipynb"]), ("failure", ["07_failure.ipynb"])])
def test_a_file_that_two_exercises_share_comes_with_the_notebook_that_is_meant(name, notebooks):
    files = list(commands.fresh(name))
    assert [file for file in files if file.endswith(".ipynb")] == notebooks
    assert [file for file in files if file.endswith(".py")] == [f"{stem}.py" for stem in commands.meant(name, "start")]


def test_the_second_exercise_of_a_file_leaves_what_the_first_one_made(tmp_path, capsys):
    work = tmp_path / "work"
    commands.start("measuring", work)
    (work / "experiment.py").write_text("# mine\n", encoding="utf-8")
    capsys.readouterr()
    assert commands.start("build_it", work) == 0
    assert (work / "experiment.py").read_text(encoding="utf-8") == "# mine\n"
    assert "experiment.py is already there and is left as it is." in capsys.readouterr().out
    assert {path.name for path in work.iterdir()} == {
        "metrics.py", "experiment.py", "02_measuring.ipynb", "19_build_it.ipynb"}


def test_each_notebook_of_an_exercise_has_its_modules():
    found = {path.name[:2]: modules for path, modules in commands.served().items()}
    assert list(found) == sorted(found) and len(found) == len(list((ROOT / "notebooks" / "exercises").glob("*.ipynb")))
    assert found["02"] == ["metrics", "experiment"] and found["19"] == ["experiment"] and found["18"] == ["answer"]
    assert {stem for modules in found.values() for stem in modules} == set(stems())


def test_start_by_the_number_makes_the_files_of_the_lesson(work):
    assert commands.start("03", work) == 0
    assert sorted(path.name for path in work.iterdir()) == ["03_bm25.ipynb", "bm25.py"]


@pytest.mark.parametrize("command", ["start", "check", "hint", "reset"])
def test_a_command_without_its_name_says_in_one_sentence_which_there_are(command, capsys):
    assert cli.main([command]) == 4
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == f"firstprinciples: {commands.names_for(command)}\n"
    assert printed.err.count("\n") == 1 and not desk.WORK.exists()


def test_the_sentences_hold_every_name():
    paths = sorted(EXERCISES.glob("*.ipynb"))
    names = ", ".join(sorted({*stems(), *(path.stem[3:] for path in paths)}))
    for command in ("start", "reset"):
        assert commands.names_for(command) == (
            f"Name the exercise to {command}: {names}, or the number of its lesson, such as {paths[0].name[:2]}.")
    assert set(re.findall(r"work/(\w+)\.py", commands.names_for("check"))) == set(stems())
    lists = commands.names_for("hint").partition(": ")[2].removesuffix(".").split("; ")
    said = dict(part.split(" has ") for part in lists)
    assert {f"{stem}.{own}" for stem, names in said.items() for own in names.split(", ")} == set(expand(None))


def test_a_warning_of_the_file_is_told_once_and_none_from_inside_numpy(tmp_path, capfd):
    path = tmp_path / "bert.py"
    path.write_text("import numpy as np\n\n\ndef softmax(x):\n    np.mean([np.var([]) for _ in range(3)])\n"
                    "    return np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)\n", encoding="utf-8")
    assert commands.check(path) == 1
    printed = capfd.readouterr()
    lines = printed.err.splitlines()
    assert lines == [*dict.fromkeys(lines)] and {line.partition(" ")[0] for line in lines} == {f"{path},"}
    assert f"{path}, line 6: RuntimeWarning: overflow encountered in exp" in lines
    assert printed.out.startswith("bert.softmax  ")
