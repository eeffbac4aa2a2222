"""Known mistakes: small wrong functions in tests/mistakes/, each with one sentence for the learner.

`idf__no_plus_one` in tests/mistakes/bm25.py is a mistake of the task bm25.idf; its docstring is the sentence. The cause
of a failure is proved, not guessed: a mistake is named only when it gives what the learner's function gave, on every
call that the tests made, where the reference does not, and no other known mistake does. Where a call with good input
failed, those with bad input decide only between several mistakes: whoever forgets to refuse may make one besides.
Correct variants stand in tests/mistakes/correct/, named the same way.
"""

import copy
import importlib.util
import inspect
from functools import cache

from firstprinciples.grading.compare import same
from firstprinciples.grading.run import Call, Outcome, _plain
from firstprinciples.grading.tasks import ROOT
from firstprinciples.swap import reference


@cache
def _functions(folder: str, stem: str) -> dict:
    """Return the functions with two underscores in their name that a file defines; {} where there is no file."""
    path = ROOT / folder / f"{stem}.py"
    if not path.exists():
        return {}
    spec = importlib.util.spec_from_file_location(f"{folder.replace('/', '_')}_{stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {name: f for name, f in vars(module).items() if "__" in name.strip("_") and inspect.isfunction(f)}


def _of_task(folder: str, name: str) -> dict:
    stem, _, function = name.partition(".")
    return {key.partition("__")[2]: f for key, f in _functions(folder, stem).items() if key.startswith(f"{function}__")}


def mistakes(name: str) -> dict:
    """Return {name of the mistake: wrong function} for a task."""
    return _of_task("tests/mistakes", name)


def variants(name: str) -> dict:
    """Return {name of the variant: right function} for a task."""
    return _of_task("tests/mistakes/correct", name)


def sentence(function) -> str:
    """Return what a mistake tells the learner."""
    return " ".join(inspect.getdoc(function).split())


def name_mistake(name: str, failing: Call, outcomes: list[Outcome], differs: bool = False) -> str | None:
    """Return the name of the one known mistake that explains a failing call, or None.

    On this call the reference gives something else than the learner's function; with `differs` a test has found so. On
    this and on every other call that the tests made, the mistake gives what the learner's function gave; and no other
    known mistake does. If the failing call had good input, calls with bad input are looked at only where more than one
    mistake fits.
    """
    if not differs and _same(_answer_of(failing), _answer(reference(name), failing)):
        return None
    calls = [call for outcome in outcomes for call in outcome.calls]
    good = [failing, *(call for call in calls if failing.bad_input or not call.bad_input)]
    fits = [key for key, wrong in mistakes(name).items() if _agrees(wrong, good)]
    if len(fits) > 1:
        fits = [key for key in fits if _agrees(mistakes(name)[key], calls)]
    return fits[0] if len(fits) == 1 else None


def _agrees(wrong, calls: list[Call]) -> bool:
    """Say whether a known mistake does on every call what the learner's function did."""
    return all(_same(_answer_of(call), _answer(wrong, call)) for call in calls)


def _answer_of(call: Call):
    """Return what the learner's function did on a call: its value, or the type of what it raised."""
    return ("raised", type(call.error).__name__) if call.error else ("gave", _plain(call.result))


def _answer(function, call: Call):
    """Return what a function does with the arguments of a call."""
    try:
        return "gave", _plain(function(*copy.deepcopy(call.args), **copy.deepcopy(call.kwargs)))
    except Exception as error:
        return "raised", type(error).__name__


def _same(one, other) -> bool:
    return one[0] == other[0] and same(one[1], other[1])
