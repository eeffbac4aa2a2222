"""The learner's desk: which hints were read and what the last check gave, kept in work/.desk.json.

The file is a convenience, never a gate: where it cannot be read or written, one sentence says so and all goes on.

    {"hints": {"bm25.idf": 2},                        how many hints of a task have been read
     "passed": ["bm25.invert"],                       tasks that once had all points
     "checks": {"bm25": {"sha256": "9f...", "tasks": {"bm25.idf": {"points": 2, "possible": 4, "attempted": true}}}}}
"""

import ast
import contextlib
import hashlib
import json
import math
import os
from datetime import datetime
from pathlib import Path

from firstprinciples.grading.submission import NotGradable, is_stub, read_source
from firstprinciples.grading.tasks import GRADED, ROOT, task_of, tasks
from firstprinciples.install import say

WORK = ROOT / "work"
NAME = ".desk.json"


def read_desk(work: Path) -> dict:
    """Return what is noted in a work folder; an empty desk where nothing is, or nothing that can be read.

    A damaged file is moved to kept/, so that nothing is lost, and a sentence says so.
    """
    path = work / NAME
    try:
        desk = json.loads(path.read_bytes())
        if _is_sound(desk):
            return desk
        problem = "is damaged"
    except FileNotFoundError:
        return _empty()
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
    except (ValueError, RecursionError):
        problem = "is damaged"
    try:
        kept = keep(path)
        path.unlink()
        say(f"{shown(path)} {problem}; it is kept as {shown(kept)}, and points and hints are noted afresh.")
    except OSError:
        say(f"{shown(path)} {problem}; points and hints count afresh.")
    return _empty()


def write_desk(work: Path, desk: dict) -> bool:
    """Write a desk to a work folder; say so and return False where that cannot be done."""
    try:
        work.mkdir(parents=True, exist_ok=True)
        replace(work / NAME, (json.dumps(desk, indent=1, ensure_ascii=False) + "\n").encode("utf-8"))
        return True
    except OSError as error:
        say(f"This cannot be noted in {shown(work / NAME)} ({error.strerror}): points and hints are not remembered.")
        return False


def replace(path: Path, data: bytes) -> None:
    """Write a file in one step: whatever happens, it holds the old content or the new, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name.lstrip('.')}.{os.getpid()}")
    try:
        draft.write_bytes(data)
        os.replace(draft, path)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise


def fingerprint(path: Path) -> str | None:
    """Return the SHA-256 of a file's bytes, None where it cannot be read: has the file changed since its check?"""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return None


def note_check(path: Path, sha256: str | None, grade) -> None:
    """Note the points of a file; only a file in work/ that has the name of its exercise is the learner's own.

    `sha256` is the file's fingerprint from before it was graded, `grade` what `check_file` returned.
    """
    path = Path(path).absolute()
    stem = grade.reports[0].task.partition(".")[0] if grade.reports else None
    if path.name != f"{stem}.py" or path.parent.resolve() != WORK.resolve():
        return
    desk = read_desk(WORK)
    desk["checks"][stem] = {"sha256": sha256 or "", "tasks": {
        report.task: {"points": report.points, "possible": report.possible, "attempted": report.attempted}
        for report in grade.reports}}
    full = {report.task for report in grade.reports if report.points == report.possible}
    desk["passed"] = sorted(full.union(desk["passed"]))
    write_desk(WORK, desk)


def possible_points(stem: str) -> dict[str, int]:
    """Return {task: points} of an exercise, counted in its graded tests without running them.

    >>> possible_points("bm25")["bm25.idf"]
    4
    """
    tree, points = ast.parse((GRADED / f"test_{stem}.py").read_text(encoding="utf-8")), dict.fromkeys(tasks(stem), 0)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and task_of(node.name, stem) in points:
            lists = [mark.args[1].elts for mark in node.decorator_list  # of `parametrize("name", [values])`
                     if isinstance(mark, ast.Call) and ast.unparse(mark.func).endswith("parametrize")]
            points[task_of(node.name, stem)] += math.prod(map(len, lists))
    return points


def written(path: Path, stem: str) -> set[str] | None:
    """Return the tasks that are more than a stub in a learner's file; None where the file cannot be read."""
    try:
        nodes = ast.parse(read_source(path)).body
    except (NotGradable, OSError):
        return None
    # of two with one name the last counts, here as in Python
    defined = {f"{stem}.{node.name}": node for node in nodes if isinstance(node, ast.FunctionDef)}
    return {name for name in tasks(stem) if name in defined and not is_stub(defined[name])}


def forget(desk: dict, stem: str) -> dict:
    """Return a desk without what it notes of one exercise.

    >>> forget({"hints": {"bm25.idf": 2, "metrics.dcg": 1}, "passed": ["bm25.idf"], "checks": {}}, "bm25")
    {'hints': {'metrics.dcg': 1}, 'passed': [], 'checks': {}}
    """
    def other(name):
        return name.partition(".")[0] != stem

    return {"hints": {name: read for name, read in desk["hints"].items() if other(name)},
            "passed": [name for name in desk["passed"] if other(name)],
            "checks": {name: check for name, check in desk["checks"].items() if other(name)}}


def keep(path: Path) -> Path:
    """Copy a file into the folder kept/ beside it, with the date in its name, over no other; return the copy's path.

    work/bm25.py -> work/kept/bm25-2026-11-30-141502.py
    """
    data, folder = path.read_bytes(), path.parent / "kept"
    folder.mkdir(exist_ok=True)
    stamp, number = datetime.now().strftime("%Y-%m-%d-%H%M%S"), 1
    while True:
        again = f"-{number}" if number > 1 else ""
        copy = folder / f"{path.stem.lstrip('.')}-{stamp}{again}{path.suffix}"
        try:
            with copy.open("xb") as file:
                file.write(data)
            return copy
        except FileExistsError:
            number += 1


def shown(path: Path, root: Path | None = None) -> str:
    """Return a path as the learner can type it: from the course's folder where it is in there, quoted if need be."""
    whole, root = Path(path).absolute(), root or ROOT
    text = whole.relative_to(root).as_posix() if whole.is_relative_to(root) else str(whole)
    return f'"{text}"' if " " in text else text


def _empty() -> dict:
    return {"hints": {}, "passed": [], "checks": {}}


def _is_sound(desk) -> bool:
    """Say whether this is a desk as `write_desk` writes it; a person, or a synced folder, may have changed the file."""
    try:
        return (all(type(read) is int and read >= 0 for read in desk["hints"].values())
                and all(isinstance(name, str) for name in desk["passed"])
                and all(isinstance(check["sha256"], str) for check in desk["checks"].values())
                and all(type(task[key]) is kind for check in desk["checks"].values() for task in check["tasks"].values()
                        for key, kind in (("points", int), ("possible", int), ("attempted", bool))))
    except (AttributeError, KeyError, TypeError):
        return False
