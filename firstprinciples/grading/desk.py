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
import re
import time
from datetime import datetime
from pathlib import Path

from firstprinciples.grading.submission import WORK, NotGradable, is_stub, read_source
from firstprinciples.grading.tasks import GRADED, ROOT, task_of, tasks
from firstprinciples.install import say

NAME = ".desk.json"
WAIT, STALE = 5, 10  # seconds: for how long a command waits for another's lock, and from when it takes it for forgotten
MOST = 1000  # more hints or points of one task are a damaged file


def read_desk(work: Path, told: bool = False) -> dict:
    """Return what is noted in a work folder; an empty desk where nothing is, or nothing that can be read.

    A damaged file is moved to kept/, so that nothing is lost, and a sentence says so, unless the learner was `told`.
    """
    path = work / NAME
    try:
        if path.exists() and not path.is_file():
            raise OSError(0, "it is not a file")
        desk = json.loads(path.read_bytes())
        if _is_sound(desk):
            return desk
        problem = "is damaged"
    except FileNotFoundError:
        return _empty()
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
    except (ValueError, RecursionError, MemoryError):
        problem = "is damaged"
    try:
        kept = keep(path)
        path.unlink()
        then = f"it is kept as {shown(kept)}, and points and hints are noted afresh."
    except (OSError, MemoryError):
        then = "points and hints count afresh."
    if not told:
        say(f"{shown(path)} {problem}; {then}")
    return _empty()


def write_desk(work: Path, desk: dict) -> bool:
    """Write a desk to a work folder; say so and return False where that cannot be done."""
    try:
        work.mkdir(parents=True, exist_ok=True)
        replace(work / NAME, (json.dumps(desk, indent=1, ensure_ascii=False) + "\n").encode("utf-8"))
        return True
    except (OSError, ValueError) as error:  # ValueError: text that is no Unicode
        why = getattr(error, "strerror", None) or error
        say(f"This cannot be noted in {shown(work / NAME)} ({why}): points and hints are not remembered.")
        return False


@contextlib.contextmanager
def alone(work: Path):
    """Keep other commands from noting for the length of a `with` block, so that none writes over what another noted.

    A file in the work folder is the lock. It is a courtesy: where none can be made, or where another stays for WAIT
    seconds, the block runs all the same.
    """
    lock, held, end = work / ".desk.lock", False, time.monotonic() + WAIT
    while not held and time.monotonic() < end:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            held = True
        except OSError as error:
            # Windows says PermissionError while another process is just removing the file
            if not isinstance(error, (FileExistsError, PermissionError) if os.name == "nt" else FileExistsError):
                break
            with contextlib.suppress(OSError):
                if abs(time.time() - lock.stat().st_mtime) > STALE:  # its command was killed
                    lock.unlink()
            time.sleep(0.01)
    try:
        yield
    finally:
        if held:
            with contextlib.suppress(OSError):
                lock.unlink()


def note_hint(name: str, read: int) -> None:
    """Note how many hints of a task have been read."""
    with contextlib.suppress(OSError):
        WORK.mkdir(parents=True, exist_ok=True)  # the lock stands in it
    with alone(WORK):
        desk = read_desk(WORK, told=True)
        desk["hints"][name] = max(read, desk["hints"].get(name, 0))
        write_desk(WORK, desk)


def replace(path: Path, data: bytes) -> None:
    """Write a file in one step: whatever happens, it holds the old content or the new, never a part.

    Raises OSError that names the file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name.lstrip('.')}.{os.getpid()}")
    with _whole_or_gone(draft, path):
        draft.write_bytes(data)
        os.replace(draft, path)


@contextlib.contextmanager
def _whole_or_gone(file: Path, meant: Path):
    """Remove a file that the `with` block could not write to its end; an OSError then names the file that was meant."""
    try:
        yield
    except BaseException as error:  # Ctrl-C as well
        with contextlib.suppress(OSError):
            file.unlink()
        if isinstance(error, OSError):
            error.filename = str(meant)  # writing on a full disk names none
        raise


def fingerprint(path: Path) -> str | None:
    """Return the SHA-256 of a file's bytes, None where it cannot be read: has the file changed since its check?"""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest() if os.path.isfile(path) else None
    except OSError:
        return None


def note_check(path: Path, sha256: str | None, grade) -> None:
    """Note the points of a file; only a file in work/ that has the name of its exercise is the learner's own.

    `sha256` is the file's fingerprint from before it was graded, `grade` what `check_file` returned. Raises nothing:
    the file was graded, whatever becomes of the note.
    """
    try:
        path = Path(path).absolute()
        stem = grade.reports[0].task.partition(".")[0] if grade.reports else None
        if path.name != f"{stem}.py" or path.parent.resolve() != WORK.resolve():
            return
        checked = {"sha256": sha256 or "", "tasks": {
            report.task: {"points": report.points, "possible": report.possible, "attempted": report.attempted}
            for report in grade.reports}}
        full = {report.task for report in grade.reports if report.points == report.possible}
        with alone(WORK):
            desk = read_desk(WORK)
            desk["checks"][stem] = checked
            desk["passed"] = sorted(full.union(desk["passed"]))
            write_desk(WORK, desk)
    except Exception as error:
        why = " ".join(f"{type(error).__name__}: {error}".split())
        say(f"This cannot be noted in {shown(WORK / NAME)} ({why}): points and hints are not remembered.")


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
    except (NotGradable, OSError, RecursionError, MemoryError):  # the last two: brackets or signs in thousands
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

    Raises OSError, also where this is not a file: reading a pipe would wait for ever.
    """
    if not path.is_file():
        raise OSError(f"{shown(path)} is not a file: rename it and run this again")
    data, folder = path.read_bytes(), path.parent / "kept"
    folder.mkdir(exist_ok=True)
    stamp, number = datetime.now().strftime("%Y-%m-%d-%H%M%S"), 1
    while True:
        again = f"-{number}" if number > 1 else ""
        copy = folder / f"{path.stem.lstrip('.')}-{stamp}{again}{path.suffix}"
        try:
            file = copy.open("xb")
        except FileExistsError:
            number += 1
            continue
        with _whole_or_gone(copy, copy), file:
            file.write(data)
        return copy


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
        json.dumps(desk, ensure_ascii=False).encode("utf-8")  # half of a surrogate pair could never be written again
        return (all(_is_name(name) and _is_count(read, MOST) for name, read in desk["hints"].items())
                and isinstance(desk["passed"], list) and all(map(_is_name, desk["passed"]))
                and all(isinstance(check["sha256"], str) for check in desk["checks"].values())
                and all(_is_name(name) and _is_result(task) for check in desk["checks"].values()
                        for name, task in check["tasks"].items()))
    except (AttributeError, KeyError, TypeError, ValueError):
        return False


def _is_name(name) -> bool:
    """Say whether this looks like the name of a task; an older or newer course may have others than this one."""
    return isinstance(name, str) and re.fullmatch(r"\w+\.\w+", name, re.ASCII) is not None


def _is_count(number, most: int) -> bool:
    return type(number) is int and 0 <= number <= most  # not a bool, which is an int too


def _is_result(task) -> bool:
    """Say whether this can be what a check gave a task: no more points than there are, and none if it is a stub."""
    return (_is_count(task["possible"], MOST) and _is_count(task["points"], task["possible"])
            and type(task["attempted"]) is bool and (task["attempted"] or task["points"] == 0))
