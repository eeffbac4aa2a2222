"""The commands for learners and contributors: `start`, `check`, `prove`. Each returns an exit status."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from firstprinciples.grading.check import check_file
from firstprinciples.grading.prove import prove_task
from firstprinciples.grading.submission import NotGradable
from firstprinciples.grading.tasks import ROOT, expand, stems, stub_file
from firstprinciples.install import COMMAND, environment, finish


def start(name: str, into: Path) -> int:
    """Put the stub file of a module, and its exercise notebook where there is one, into a folder; overwrite nothing."""
    if name not in stems():
        raise ValueError(f"There is nothing to start called {name!r}; there are {', '.join(stems())}.")
    into = Path(into)
    into.mkdir(parents=True, exist_ok=True)
    target = into / f"{name}.py"

    def say(path, text):
        whole = path.absolute()
        shown = whole.relative_to(ROOT).as_posix() if whole.is_relative_to(ROOT) else str(path)
        print(text.format(f'"{shown}"' if " " in shown else shown))

    if target.exists():
        say(target, "{} is already there and is left as it is.")
    else:
        target.write_text(stub_file(name), encoding="utf-8", newline="\n")
        say(target, "Made {}: write its functions.")
    for exercise in sorted((ROOT / "notebooks" / "exercises").glob(f"[0-9][0-9]_{name}.ipynb")):
        if (into / exercise.name).exists():
            say(into / exercise.name, "{} is already there and is left as it is.")
        else:
            shutil.copyfile(exercise, into / exercise.name)
            say(into / exercise.name, "Made {}: the exercise notebook.")
    say(target, f"Check it with: {COMMAND} check {{}}")
    return 0


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
