"""The commands for learners and contributors: `start`, `check`, `hint`, `status`, `reset`, `prove`.

Each returns an exit status.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from firstprinciples.grading import desk
from firstprinciples.grading.check import check_file
from firstprinciples.grading.desk import fingerprint, note_check, shown
from firstprinciples.grading.hints import hint as print_hint
from firstprinciples.grading.hints import hints
from firstprinciples.grading.prove import prove_task
from firstprinciples.grading.submission import NotGradable
from firstprinciples.grading.tasks import ROOT, expand, stems, stub_file, tasks, where_to_read
from firstprinciples.install import COMMAND, environment, finish


def start(name: str, into: Path) -> int:
    """Put the stub files of an exercise, and its notebook where there is one, into a folder; overwrite nothing."""
    begun = meant(name, "start")
    into = Path(into)
    into.mkdir(parents=True, exist_ok=True)

    def say(path, text):
        print(text.format(shown(path, ROOT)))

    made = {"py": "Made {}: write its functions.", "ipynb": "Made {}: the exercise notebook."}
    for file, data in fresh(name).items():
        if (into / file).exists():
            say(into / file, "{} is already there and is left as it is.")
        else:
            (into / file).write_bytes(data)
            say(into / file, made[file.rpartition(".")[2]])
    for stem in begun:
        say(into / f"{stem}.py", f"Check it with: {COMMAND} check {{}}")
    return 0


def notebook_of(stem: str) -> Path | None:
    """Return the exercise notebook of a module, that of the lesson to which its tasks point; None if there is none."""
    lesson = where_to_read(tasks(stem)[0]).removeprefix("Lesson ")[:2]
    return next(iter(sorted((ROOT / "notebooks" / "exercises").glob(f"{lesson}_*.ipynb"))), None)


def meant(name: str, verb: str) -> list[str]:
    """Return the modules meant by a name: "bm25" that one, "measuring" the two of the exercise 02_measuring.

    Raises ValueError for a name that is neither.
    """
    exercises = {}
    for stem in stems():
        if path := notebook_of(stem):
            exercises.setdefault(path.stem[3:], []).append(stem)
    if name in stems():
        return [name]
    if name not in exercises:
        names = sorted({*stems(), *exercises})
        raise ValueError(f"There is no exercise {name!r} to {verb}; there are {', '.join(names)}.")
    return exercises[name]


def fresh(name: str) -> dict[str, bytes]:
    """Return {file name: content} of an exercise as a learner begins it: the stubs, and the notebook.

    >>> list(fresh("measuring"))
    ['experiment.py', 'metrics.py', '02_measuring.ipynb']
    """
    begun = meant(name, "start")
    notebooks = {path.name: path.read_bytes() for stem in begun if (path := notebook_of(stem))}
    return {**{f"{stem}.py": stub_file(stem).encode("utf-8") for stem in begun}, **notebooks}


def reset(name: str) -> int:
    """Put the files of an exercise in work/ back as `start` makes them; what was there is kept with the date."""
    begun = meant(name, "reset")
    for file, data in fresh(name).items():
        path = desk.WORK / file
        if path.exists() and path.read_bytes() == data:
            print(f"{shown(path)} is as `start` makes it.")
            continue
        if path.exists():
            print(f"What was in {shown(path)} is kept as {shown(desk.keep(path))}.")
        desk.replace(path, data)
        print(f"Made {shown(path)} afresh.")
    for stem in begun:
        noted = desk.read_desk(desk.WORK)
        if (rest := desk.forget(noted, stem)) != noted and desk.write_desk(desk.WORK, rest):
            print(f"The points of {stem} and the hints read for it count afresh too.")
    return 0


def hint(name: str) -> int:
    """Print the next hint for a task; returns 0."""
    print_hint(name)
    return 0


def status() -> int:
    """Print, for each exercise and task, what the last check gave and how many hints were read, and what to do next."""
    noted, got, possible = desk.read_desk(desk.WORK), 0, 0
    for stem in in_course_order():
        points, path = desk.possible_points(stem), desk.WORK / f"{stem}.py"
        checked = noted["checks"].get(stem, {"tasks": {}})["tasks"] if path.exists() else {}
        mine = sum(checked[task]["points"] for task in points if task in checked)
        got, possible = got + mine, possible + sum(points.values())
        if not path.exists():
            print(f"{stem}: not started, {sum(points.values())} points")
            continue
        there, changed = desk.written(path, stem), _changed(noted, stem)
        said = f"{mine} of {sum(points.values())} points at the last check" if checked else "not checked yet"
        said += "; cannot be read now, `check` says why" if there is None else ""
        print(f"{stem}: {shown(path)}, {said}{'; changed since the last check' if checked and changed else ''}")
        for task in points:
            print(_line(task, points[task], checked.get(task), there, noted["hints"].get(task, 0)))
    print(f"\nIn all {got} of {possible} points.\n{next_step(noted)}")
    return 0


def _line(task: str, possible: int, checked: dict | None, there: set[str] | None, read: int) -> str:
    """Return what `status` says of one task of an exercise that was started."""
    points = f"{checked['points'] if checked else 0} of {possible}"
    if checked and checked["attempted"]:
        said = ["passed"] if checked["points"] == checked["possible"] else []
    else:
        said = ["written, not checked yet" if task in (there or ()) else "not attempted"]
    said += [f"{read} of {max(len(hints(task)), read)} hints read"] if read else []
    return f"  {task:28} {points:>8}  {', '.join(said)}".rstrip()


def _changed(noted: dict, stem: str) -> bool:
    """Say whether an exercise's file is another than at its last check, or was never checked."""
    return noted["checks"].get(stem, {}).get("sha256") != desk.fingerprint(desk.WORK / f"{stem}.py")


def in_course_order() -> list[str]:
    """Return the exercises in the order of their lessons; one without a notebook of its own comes last."""
    def place(stem):
        path = notebook_of(stem)
        return path.name if path else "99", stem != "metrics", stem  # lesson 02 begins with the metrics

    return sorted(stems(), key=place)


def next_step(noted: dict) -> str:
    """Return the one thing to do next, with its command."""
    ready = [stem for stem in in_course_order() if not (desk.WORK / f"{stem}.py").exists()]
    for stem in [stem for stem in in_course_order() if stem not in ready]:
        path = desk.WORK / f"{stem}.py"
        there, check_it = desk.written(path, stem), f"{COMMAND} check {shown(path)}"
        checked = noted["checks"].get(stem, {"tasks": {}})["tasks"]
        if _changed(noted, stem) and there != set():
            return f"Next: {check_it}"
        for task in tasks(stem):  # what was begun comes before what was not
            if task in checked and checked[task]["attempted"] and checked[task]["points"] < checked[task]["possible"]:
                return f"Next: {COMMAND} hint {task}"
        for task in tasks(stem):
            if task not in checked or not checked[task]["attempted"]:
                where = where_to_read(task)
                where = f" ({where[0].lower()}{where[1:]})" if where else ""
                return f"Next: write {task.partition('.')[2]} in {shown(path)}{where}, then {check_it}"
    if not ready:
        return "You have all the points there are."
    first = "Nothing is started yet. Begin with" if len(ready) == len(stems()) else "Next"
    return f"{first}: {COMMAND} start {ready[0]}"


def check(path: Path) -> int:
    """Grade a file. Returns 0 for all points, 1 for some lost, 2 when it cannot be graded, 3 when the grader failed.

    A process of its own reads and runs the file, so that a file which ends Python is not taken for a right one.
    """
    with tempfile.TemporaryDirectory() as folder:
        verdict = Path(folder) / "verdict"
        program = ("import os, sys; from pathlib import Path; from firstprinciples.grading.commands import check_here; "
                   "Path(sys.argv[2]).write_text(str(check_here(Path(sys.argv[1])))); sys.stdout.flush(); "
                   "os._exit(0)")  # at once, also where a thread of the file goes on
        sys.stdout.flush()
        child = subprocess.Popen([sys.executable, "-c", program, str(path), str(verdict)], env=environment(here=True))
        status = finish(child)
        if verdict.exists():
            return int(verdict.read_text())
    if status == 130:
        raise KeyboardInterrupt
    print(f"Not gradable: {Path(path).name} ended Python (exit status {status}) before it was graded. Is there an "
          "os._exit, or something that crashes?")
    return 2


def check_here(path: Path) -> int:
    """Grade a file in this process; returns as `check` does."""
    sha256 = fingerprint(path)
    try:
        grade = check_file(Path(path))
    except NotGradable as error:
        print(f"Not gradable: {error}")
        return 2
    except Exception as error:  # RuntimeError is what `run` raises; what nobody foresaw is no fault of the file either
        print(f"The grader itself failed, your file is not at fault: {str(error) or type(error).__name__}.")
        return 3
    print(grade)
    print(f"\n{grade!r}.")
    note_check(path, sha256, grade)
    return 0 if grade.points == grade.possible else 1


def prove(name: str | None = None) -> int:
    """Prove every task, or those named; print a line for each. Returns 0 when all hold, 1 otherwise."""
    total, bad = {"tests": 0, "variants": 0, "mistakes": 0, "named": 0}, []
    width = max(map(len, expand(name)))
    print(f"{'task'.ljust(width)}  tests  variants  mistakes  named")
    for task in expand(name):
        found = prove_task(task)
        print(_row(task.ljust(width), found), flush=True)
        total = {key: total[key] + found[key] for key in total}
        bad += [f"{task}: {problem}" for problem in found["problems"]]
    print(_row("all".ljust(width), total))
    for line in bad:
        print(line)
    print("Each stub fails, each reference and variant passes, each mistake is caught and named." if not bad else
          f"{len(bad)} problems.")
    return 1 if bad else 0


def _row(name: str, counts: dict) -> str:
    """Return one line of the table that `prove` prints."""
    return f"{name}  {counts['tests']:5}  {counts['variants']:8}  {counts['mistakes']:8}  {counts['named']:5}"
