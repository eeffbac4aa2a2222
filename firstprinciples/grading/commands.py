"""The commands for learners and contributors: `start`, `check`, `hint`, `status`, `reset`, `prove`.

Each returns an exit status.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

from firstprinciples.grading import desk
from firstprinciples.grading.check import check_file
from firstprinciples.grading.desk import fingerprint, note_check, shown
from firstprinciples.grading.hints import hint as print_hint
from firstprinciples.grading.hints import hints
from firstprinciples.grading.prove import prove_task
from firstprinciples.grading.submission import NotGradable
from firstprinciples.grading.tasks import ROOT, expand, stems, stub_file, tasks, where_to_read
from firstprinciples.install import COMMAND, environment, finish, say

SECOND = ("experiment", "bert", "hnsw")  # the second of the two modules of lessons 02, 05 and 11


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
            desk.replace(into / file, data)
            say(into / file, made[file.rpartition(".")[2]])
    for stem in begun:
        say(into / f"{stem}.py", f"Check it with: {COMMAND} check {{}}")
    return 0


def notebook_of(stem: str) -> Path | None:
    """Return the exercise notebook of a module, that of the lesson to which its tasks point; None if there is none."""
    lesson = where_to_read(tasks(stem)[0]).removeprefix("Lesson ")[:2]
    return next(iter(sorted((ROOT / "notebooks" / "exercises").glob(f"{lesson}_*.ipynb"))), None)


def served() -> dict[Path, list[str]]:
    """Return {exercise notebook: its modules}, the notebooks in the order of the course.

    A module belongs to the notebook of its first task's lesson. One file can serve two exercises: a notebook to which
    no module belongs so takes those that have a task in its lesson, as 19_build_it the second half of experiment.

    >>> {path.name: modules for path, modules in served().items()}["19_build_it.ipynb"]
    ['experiment']
    """
    order = in_course_order()
    home, out = {stem: notebook_of(stem) for stem in order}, {}  # once each: to list tasks is to read their module
    for path in sorted((ROOT / "notebooks" / "exercises").glob("[0-9][0-9]_*.ipynb")):
        modules = [stem for stem in order if home[stem] == path]
        if not modules:
            lesson = f"Lesson {path.name[:2]},"
            modules = [stem for stem in order if any(where_to_read(name).startswith(lesson) for name in tasks(stem))]
        out[path] = modules
    return {path: modules for path, modules in out.items() if modules}


def exercises() -> dict[str, list[str]]:
    """Return {name: modules} of the exercises that have a notebook, and {name: [name]} of each module.

    >>> exercises()["measuring"]
    ['metrics', 'experiment']
    """
    named = {path.stem[3:]: modules for path, modules in served().items()}
    return {**named, **{stem: [stem] for stem in stems()}}


def meant(name: str, verb: str) -> list[str]:
    """Return the modules meant by a name: "bm25" that one, "measuring" the two of the exercise 02_measuring.

    "2", "02" and "02_measuring" are the exercise of lesson 02, "hybrid" and "06_hybrid" that of the lesson of this
    name, "bm25.py" and "work/bm25.py" the module bm25. Raises ValueError for any other name.
    """
    modules, _ = _modules_and_notebooks(name)
    if not modules:
        number = _number(_short(name))
        lacking = f"Lesson {number} has no exercise" if number else f"There is no exercise {name!r}"
        raise ValueError(f"{lacking} to {verb}; there are {', '.join(sorted(exercises()))}.")
    return modules


def _modules_and_notebooks(name: str) -> tuple[list[str], list[Path]]:
    """Return the modules meant by a name and the notebooks that belong to them; of an unknown name none."""
    short = _short(name)
    if short in stems():
        return [short], [path for path in [notebook_of(short)] if path]
    number = _number(short)
    for path, modules in served().items():
        if short in (path.stem, path.stem[3:]) or number and path.name.startswith(f"{number}_"):
            return modules, [path]
    return [], []


def _short(name: str) -> str:
    """Return a name without the folder of the learner's files and without an ending."""
    return name.removeprefix("work/").removesuffix(".py").removesuffix(".ipynb")


def _number(short: str) -> str:
    """Return the number of the lesson that is meant, by its number or its name; "" where none is."""
    return short.zfill(2) if short.isdecimal() else lesson_number(short)


def lesson_number(name: str) -> str:
    """Return the number of the lesson that has this name, with its number or without; "" where none has.

    >>> lesson_number("hybrid"), lesson_number("05_bi_encoder"), lesson_number("bi-encoder"), lesson_number("nothing")
    ('06', '05', '05', '')
    """
    lessons = sorted(path.stem for path in (ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
    return next((lesson[:2] for lesson in lessons if name.replace("-", "_") in (lesson, lesson[3:])), "")


def names_for(command: str) -> str:
    """Return the sentence for `start`, `reset`, `check` or `hint` without a name: it lists those there are.

    >>> names_for("start").startswith("Name the exercise to start: ")
    True
    """
    order = in_course_order()
    if command == "check":
        return f"Name the file to check: {', '.join(shown(desk.WORK / f'{stem}.py') for stem in order)}."
    if command == "hint":
        own = {stem: ", ".join(task.partition(".")[2] for task in tasks(stem)) for stem in order}
        lists = "; ".join(f"{stem} has {names}" for stem, names in own.items())
        return f"Name one task, such as {tasks(order[0])[0]}: {lists}."
    names, number = ", ".join(sorted(exercises())), notebook_of(order[0]).name[:2]
    return f"Name the exercise to {command}: {names}, or the number of its lesson, such as {number}."


def fresh(name: str) -> dict[str, bytes]:
    """Return {file name: content} of an exercise as a learner begins it: the stubs, and the notebook.

    >>> list(fresh("measuring"))
    ['metrics.py', 'experiment.py', '02_measuring.ipynb']
    """
    begun, notebooks = meant(name, "start"), _modules_and_notebooks(name)[1]
    return {**{f"{stem}.py": stub_file(stem).encode("utf-8") for stem in begun},
            **{path.name: path.read_bytes() for path in notebooks}}


def reset(name: str) -> int:
    """Put the files of an exercise in work/ back as `start` makes them; what was there is kept with the date."""
    begun = meant(name, "reset")
    for path in [desk.WORK / file for file in fresh(name)]:  # all of them before any is touched
        if path.exists() and not path.is_file():
            raise OSError(f"{shown(path)} is not a file: rename it and run this again")
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
        with desk.alone(desk.WORK):
            noted = desk.read_desk(desk.WORK)
            forgotten = (rest := desk.forget(noted, stem)) != noted and desk.write_desk(desk.WORK, rest)
        if forgotten:
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
    width = max(map(len, expand(None)))  # one column for all exercises
    return f"  {task:{width}} {points:>8}  {', '.join(said)}".rstrip()


def _changed(noted: dict, stem: str) -> bool:
    """Say whether an exercise's file is another than at its last check, or was never checked."""
    return noted["checks"].get(stem, {}).get("sha256") != desk.fingerprint(desk.WORK / f"{stem}.py")


def in_course_order() -> list[str]:
    """Return the exercises in the order of their lessons; one without a notebook of its own comes last.

    >>> in_course_order()[:3], in_course_order()[12:14]
    (['context', 'metrics', 'experiment'], ['ivf', 'hnsw'])
    """
    def place(stem):
        path = notebook_of(stem)
        return path.name if path else "99", stem in SECOND, stem

    return sorted(stems(), key=place)


def under_way() -> list[str]:
    """Return the exercises whose file is there: first those in which something is written, the last changed first.

    One in which nothing is written yet comes after them, in the order of the course.
    """
    there = {stem: desk.WORK / f"{stem}.py" for stem in in_course_order() if (desk.WORK / f"{stem}.py").exists()}
    begun = {stem: path for stem, path in there.items() if desk.written(path, stem) != set()}
    changed = sorted(begun, key=lambda stem: begun[stem].stat().st_mtime_ns, reverse=True)
    return [*changed, *(stem for stem in there if stem not in begun)]


def next_step(noted: dict) -> str:
    """Return the one thing to do next, with its command."""
    ready = [stem for stem in in_course_order() if not (desk.WORK / f"{stem}.py").exists()]
    for stem in under_way():
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
                   "sys.stdout.reconfigure(errors='replace'); "  # an error's text may hold what is no Unicode
                   "Path(sys.argv[2]).write_text(str(check_here(Path(sys.argv[1])))); "
                   "os._exit(0)")  # at once, also where a thread of the file goes on
        print(end="", flush=True)
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
        with warned_once(path):
            grade = check_file(Path(path))
    except NotGradable as error:
        _print(f"Not gradable: {error}")
        return 2
    except Exception as error:  # RuntimeError is what `run` raises; what nobody foresaw is no fault of the file either
        _print(f"The grader itself failed, your file is not at fault: {str(error) or type(error).__name__}.")
        return 3
    _print(f"{grade}\n\n{grade!r}.")
    note_check(path, sha256, grade)
    return 0 if grade.points == grade.possible else 1


@contextlib.contextmanager
def warned_once(path: Path):
    """Print each warning that a line of the file causes once, and none of those from inside NumPy.

    The tests call a function many times, and pytest lets Python forget in between what it has told.
    """
    told, own, before = set(), os.path.realpath(path), warnings.showwarning

    def show(message, category, filename, lineno, file=None, line=None):
        text = f"{shown(Path(path))}, line {lineno}: {category.__name__}: {message}"
        if os.path.realpath(filename) == own and text not in told:
            told.add(text)
            say(text)

    warnings.showwarning = show
    try:
        yield
    finally:
        warnings.showwarning = before


def _print(text: str) -> None:
    """Print at once; where nobody reads it any more, such as `head`, or the disk is full, the verdict stands."""
    try:
        print(text, flush=True)
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            say(f"The verdict cannot be printed ({error.strerror}).")


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
