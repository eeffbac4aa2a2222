"""Grade one function or one file on the learner's own machine, and say in words what is wrong.

A failing task prints at most eight lines: what was asked, the smallest input that shows it, the right value and yours,
the likely cause, where to read. Points: one for each graded test of the task.
"""

from dataclasses import dataclass
from pathlib import Path

from firstprinciples.grading.compare import LEAST, Mismatch, difference, show
from firstprinciples.grading.desk import fingerprint, note_check
from firstprinciples.grading.mistakes import mistakes, name_mistake, sentence
from firstprinciples.grading.run import Fault, NotAttempted, Outcome, run, run_each, written
from firstprinciples.grading.submission import load, read_source, remarks, stem_of
from firstprinciples.grading.tasks import asked, expand, tasks, where_to_read
from firstprinciples.swap import reference, untouched


@dataclass
class Report:
    """What came of one task: the points, the lines to print, and the name of the mistake where one was proved."""

    task: str
    points: int
    possible: int
    lines: list[str]
    mistake: str | None = None
    attempted: bool = True

    def __str__(self):
        return "\n".join(self.lines)


@dataclass
class Grade:
    """The reports of all tasks that were checked; shown as the points in all."""

    reports: list[Report]

    @property
    def points(self) -> int:
        """Return the points of all tasks together."""
        return sum(report.points for report in self.reports)

    @property
    def possible(self) -> int:
        """Return the points that all tasks together can give."""
        return sum(report.possible for report in self.reports)

    def __str__(self):
        return "\n".join(map(str, self.reports))

    def __repr__(self):
        return f"{self.points} of {self.possible} points"

    def _ipython_display_(self):
        """Show nothing more in a notebook: `check` has printed the report."""


def check(what: str | Path, function=None) -> Grade:
    """Grade a function, `check("bm25.idf", idf)`, or a file, `check("work/bm25.py")`; print the report and return it.

    Raises ValueError for a task that does not exist and NotGradable for a file that cannot be read.
    """
    if function is not None or (isinstance(what, str) and not what.endswith(".py") and "/" not in what):
        name, *others = expand(str(what))
        if others or not callable(function):
            example = f'check("{name}", {name.partition(".")[2]})'
            raise ValueError(f"Name one task and hand in its function: {example}.")
        grade = Grade([check_function(name, function)])
        print(grade)
    else:
        sha256 = fingerprint(what)
        grade = check_file(Path(what))
        print(grade)
        print(f"\n{grade!r} in {Path(what).name}.")
        note_check(what, sha256, grade)
    return grade


def check_file(path: Path) -> Grade:
    """Grade every task that a file answers."""
    source = read_source(path)
    stem = stem_of(path, source)
    module, said = load(path), remarks(source, stem)
    reports, graded = {}, {}
    for name in tasks(stem):
        own = name.partition(".")[2]
        function = getattr(module, own, None)
        if not callable(function) or "defined" in said.get(name, ""):
            possible = len(run(name, _not_there))
            why = said.get(name, f"`{own}` is no function when the file has been read: is its name used again?")
            reports[name] = Report(name, 0, possible, [f"{name}  0 of {possible} points", f"  {why}"])
        else:
            graded[name] = function
            reports[name] = grade_task(name, function)
    failing = [name for name, report in reports.items() if report.points < report.possible]
    for name in failing:
        if name in graded and reports[name].attempted:
            others = [other for other in failing if other != name]
            reports[name] = _blame(reports[name], graded[name], vars(module), others)
    return Grade(list(reports.values()))


def check_function(name: str, function) -> Report:
    """Grade one function; the other tasks of its module stand where it stands, in a notebook or in a file."""
    report, place = grade_task(name, function), getattr(function, "__globals__", {})
    if report.points == report.possible or not report.attempted:
        return report
    mine = {other: place.get(other.partition(".")[2]) for other in tasks(name.partition(".")[0]) if other != name}
    mine = {other: own for other, own in mine.items() if callable(own) and own is not reference(other)}
    graded = [grade_task(other, own) for other, own in mine.items()]
    return _blame(report, function, place, [other.task for other in graded if other.points < other.possible])


def _blame(report: Report, function, place: dict, others: list[str]) -> Report:
    """Grade a function again with the course's own in place of the others that it calls; say whose fault it is.

    `place` holds the names by which the function calls, `others` are tasks whose functions there fail. What it
    calls is noted while it runs: a call may stand in a generator or in a helper.
    """
    called = set()

    def noted(name):
        own = reference(name)

        def call(*args, **kwargs):
            called.add(name)
            return own(*args, **kwargs)

        return call

    own_names = {name.partition(".")[2]: name for name in others}
    yours = {own: place[own] for own in own_names if own in place}
    place.update({own: noted(name) for own, name in own_names.items()})
    try:
        alone = grade_task(report.task, function)
    finally:
        for own in own_names:
            place.pop(own, None)
        place.update(yours)
    if not called:
        return report
    head = f"{report.task}  {report.points} of {report.possible} points"
    if alone.points < alone.possible:
        return Report(report.task, report.points, report.possible, [head, *alone.lines[1:]], alone.mistake)
    own = " and ".join(own for own, name in own_names.items() if name in called)
    more = f"It is right once it calls the course's own {own}: mend yours first."
    return Report(report.task, report.points, report.possible, [head, report.lines[1], f"  {more}"])


def grade_task(name: str, function) -> Report:
    """Run the graded tests of a task on a function and put the outcome in words.

    Whatever `use` has put in their place, the course's own functions stand while this runs.
    """
    return grade_each(name, [function])[0]


def grade_each(name: str, functions: list) -> list[Report]:
    """Do for some functions, one after the other, what `grade_task` does for one."""
    with untouched():
        return [_report(name, outcomes) for outcomes in run_each(name, functions)]


def _report(name: str, outcomes: list[Outcome]) -> Report:
    """Put the outcome of a task's tests in words."""
    possible, points = len(outcomes), sum(outcome.passed for outcome in outcomes)
    if all(isinstance(outcome.problem, NotAttempted) for outcome in outcomes):
        return Report(name, 0, possible, [f"{name}  not attempted"], attempted=False)
    head = f"{name}  {points} of {possible} points"
    if points == possible:
        return Report(name, points, possible, [head])
    outcome = _shown(outcomes)
    lines, mistake = [head, f"  {asked(name)}"], None
    if outcome.calls:
        call = outcome.calls[-1]
        lines.append(f"  {written(name, call)}")
        mistake = name_mistake(name, call, outcomes, isinstance(outcome.problem, Mismatch))
    lines += [f"  {line}" for line in _problem(outcome)]
    if mistake:
        lines.append(f"  {sentence(mistakes(name)[mistake])}")
    if where := where_to_read(name):
        lines.append(f"  Read {where[0].lower()}{where[1:]}.")
    return Report(name, points, possible, lines, mistake)


def _shown(outcomes: list[Outcome]) -> Outcome:
    """Return the failing test to show: the first, since tests go from small to large, that got a value to compare."""
    failing = [outcome for outcome in outcomes if not outcome.passed]
    return min(failing, key=lambda outcome: isinstance(outcome.problem, (Fault, NotAttempted)))


def _problem(outcome: Outcome) -> list[str]:
    """Return the lines that say what came out and what should have."""
    problem = outcome.problem
    if isinstance(problem, Mismatch):
        expected, yours = show(problem.expected), show(problem.yours)
        numbers = isinstance(problem.yours, (int, float)) and isinstance(problem.expected, (int, float))
        apart = difference(problem.yours, problem.expected, 1e-3, least=0.0 if numbers else LEAST)  # so that it shows
        if expected == yours or not apart or len(expected) + len(yours) > 90:
            return [f"expected {expected}", f"yours    {yours}", f"they part: {problem.why}"]
        if numbers:
            return [f"expected {expected}   yours {yours}"]
        told_so = "expected" in problem.why and problem.yours is not None  # the words on None ask for a return
        return [f"expected {expected}   yours {yours}", *([] if told_so else [problem.why])]
    if isinstance(problem, NotAttempted):
        return ["this part is not written yet"]
    return [str(problem).split("\n")[0]]


def _not_there(*_, **__):
    """Stands in for a function that a file lacks."""
    raise NotImplementedError("missing")
