"""Run the graded tests of a task on a function, and keep every call they make.

The tests in tests/graded/ reach the code under test only through the fixture `task`. Here that fixture hands out the
function to be graded, wrapped so that each call is checked for what no test should have to repeat: the arguments are
left as they were, the same question gets the same answer twice, and a loop that never ends is stopped.
"""

import contextlib
import copy
import inspect
import io
import itertools
import os
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from firstprinciples.grading.compare import plain, same, show
from firstprinciples.grading.submission import SECONDS, deadline, no_input, told
from firstprinciples.grading.tasks import GRADED, task_of
from firstprinciples.swap import reference


class NotAttempted(Exception):
    """The stub was called."""


class Fault(AssertionError):
    """What went wrong in a call before its value could be compared: an exception, no answer, a changed argument."""


@dataclass
class Call:
    """One call of the function under test: what it was given, and what came back or was raised."""

    args: tuple
    kwargs: dict
    result: object = None
    error: BaseException | None = None
    bad_input: bool = False  # the function must refuse it


@dataclass
class Outcome:
    """One graded test: its name, whether it passed, why not, and the calls it made."""

    test: str
    passed: bool
    problem: BaseException | None = None
    calls: list[Call] = field(default_factory=list)


class Bound:
    """Stands where the function under test stands in a graded test, and records its calls."""

    def __init__(self, name: str, function, seconds: float | None = None):
        self.name, self.function, self.seconds = name, function, seconds or SECONDS
        self.calls: list[Call] = []
        self.stuck = False

    def __call__(self, *args, **kwargs):
        call = Call(copy.deepcopy(args), copy.deepcopy(kwargs))
        self.calls.append(call)
        first = self._once(call)
        before = _plain(first)  # now: a second call may still change a list that the first one gave
        second = _plain(self._once(call))
        if not same(second, before):
            raise Fault(f"Called twice with the same input it gave two answers: {show(before, 40)}, then "
                        f"{show(second, 40)}. Does something outside the function remember?")
        return first

    def refuses(self, *args, **kwargs):
        """Call the function with input that it must refuse with ValueError; raise Fault when it does not."""
        call = Call(copy.deepcopy(args), copy.deepcopy(kwargs), bad_input=True)
        self.calls.append(call)
        try:
            value = self._once(call)
        except Fault as fault:
            if isinstance(call.error, ValueError):
                return
            raise Fault(f"It should raise ValueError. Instead: {fault}") from None
        raise Fault(f"It should raise ValueError; it returned {show(_plain(value), 40)}.")

    def _once(self, call: Call):
        """Call the function on a copy of the arguments, within the time, and look at the arguments afterwards."""
        if self.stuck:
            raise Fault("Not called again: an earlier call gave no answer.")
        args, kwargs = copy.deepcopy(call.args), copy.deepcopy(call.kwargs)
        if misfit := _misfit(self.name, self.function, args, kwargs):
            raise Fault(misfit)
        late = threading.Event()
        try:
            with deadline(late, self.seconds), contextlib.redirect_stdout(io.StringIO()), no_input():
                call.result = self.function(*args, **kwargs)
        except KeyboardInterrupt:
            if not late.is_set():
                raise
            self.stuck = True
            raise Fault(f"No answer after {self.seconds:g} seconds. Is there a loop that never ends?") from None
        except NotImplementedError as error:
            call.error, code = error, getattr(self.function, "__code__", None)
            last = error.__traceback__
            while last.tb_next:
                last = last.tb_next
            if code is None or last.tb_frame.f_code is code:
                raise NotAttempted(str(error)) from None
            raise Fault(f"It calls a function that is not written yet: {error}") from None
        except BaseException as error:  # also SystemExit and pytest's own: a function cannot end or skip its test
            call.error = error
            code = getattr(self.function, "__code__", None)
            raise Fault(told(error, code.co_filename if code else None)) from None
        if not (same(_plain(list(args)), _plain(list(call.args))) and same(_plain(kwargs), _plain(call.kwargs))):
            raise Fault("It changed its arguments. Work on a copy: the caller still needs them.")
        return call.result


def _misfit(name: str, function, args: tuple, kwargs: dict) -> str:
    """Say how the arguments of a function differ from those of the task; empty when it can be called as asked."""
    task = inspect.signature(reference(name))
    try:
        yours = inspect.signature(function)
    except ValueError:  # some built-in functions do not tell their arguments
        return ""
    said = f"Your function takes {_arguments(yours)}, the task {_arguments(task)}"
    try:
        yours.bind(*args, **kwargs)
    except TypeError:
        return f"{said}."
    if set(yours.parameters) == set(task.parameters) and list(yours.parameters) != list(task.parameters):
        return f"{said}: the order counts where arguments are given without their names."
    return ""


def _arguments(signature: inspect.Signature) -> str:
    """Return the arguments of a function with their defaults: (tf, k1=1.2)."""
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    return str(inspect.Signature(plain))


def _plain(value):
    """Return the value as plain data, or its type's name where it has none."""
    try:
        return plain(value)
    except TypeError:
        return f"<{type(value).__name__}>"


class _Plugin:
    """Gives the graded tests their `task`, leaves out the tests of other tasks, and collects what happened."""

    def __init__(self, name: str, functions: list):
        self.name, self.functions, self.stem = name, functions, name.partition(".")[0]
        self.outcomes: list[list[Outcome]] = []  # of each function
        self.function, self.bound = None, None
        self.slow = False  # after one call without an answer the next tests wait a tenth as long

    @pytest.fixture
    def task(self):
        def give(name):
            if name != self.name:
                raise RuntimeError(f"a test of {self.name} asked for {name}")
            if self.bound is None:  # a test that asks twice gets the one that knows its earlier calls
                self.bound = Bound(name, self.function, SECONDS / 10 if self.slow else SECONDS)
            return self.bound
        return give

    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if task_of(item.originalname, self.stem) == self.name]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        """Run the tests on each function; to find them takes longer than to run them, and is done once."""
        if session.testsfailed:  # the file could not be read: pytest says so
            return None
        for function in self.functions:
            self.function, self.slow = function, False
            self.outcomes.append([])
            for item, following in zip(session.items, [*session.items[1:], None], strict=False):
                item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
        return True

    def pytest_runtest_setup(self):
        self.bound = None

    def pytest_runtest_makereport(self, item, call):
        problem = call.excinfo.value if call.excinfo else None
        if call.when == "call" or problem:
            calls = self.bound.calls if self.bound else []
            self.slow = self.slow or bool(self.bound and self.bound.stuck)
            self.outcomes[-1].append(Outcome(item.name, problem is None, problem, calls))
        # A report of our own: pytest's would quote the source of each failure, which takes longer than the test
        outcome = "failed" if problem else "passed"
        return pytest.TestReport(item.nodeid, item.location, {}, outcome, problem and repr(problem), call.when)


def run(name: str, function) -> list[Outcome]:
    """Run the graded tests of one task on a function and return what came of each.

    Raises RuntimeError when the tests themselves are at fault: none ran, or one failed before it called the function.
    """
    return run_each(name, [function])[0]


def run_each(name: str, functions: list) -> list[list[Outcome]]:
    """Run the graded tests of one task on some functions, one after the other: for each, what `run` returns."""
    plugin = _Plugin(name, functions)
    file = GRADED / f"test_{plugin.stem}.py"
    unneeded = ("terminal", "cacheprovider", "faulthandler", "unraisableexception", "threadexception", "warnings",
                "junitxml", "pastebin", "doctest", "stepwise", "logging", "unittest", "setuponly", "setupplan",
                "legacypath", "recwarn", "monkeypatch", "tmpdir", "subtests", "pytester_assertions", "debugging")
    # with its folder as root, or else pytest lists every folder on the way there, and what all of them hold
    options = ["--noconftest", "-s", "--import-mode=importlib", "-o", "addopts=", f"--rootdir={file.parent}"]
    options += [part for plugin in unneeded for part in ("-p", f"no:{plugin}")]
    known = sys.modules.get(file.stem)  # by this name pytest would also take another folder's file
    if known and Path(known.__file__) != file:
        del sys.modules[file.stem]
    # Options of the reader's own, such as -x, would change the number of tests; others' plugins are slow to load.
    outside = {name: os.environ.pop(name, None)
               for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD")}
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        code = pytest.main([*options, str(file)], plugins=[plugin])
    finally:
        del os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"]
        os.environ.update({name: value for name, value in outside.items() if value is not None})
    if code == pytest.ExitCode.INTERRUPTED:
        raise KeyboardInterrupt
    if not all(plugin.outcomes) or len(plugin.outcomes) < len(functions):
        raise RuntimeError(f"no graded test of {name} ran (pytest said {code!r})")
    for outcome in itertools.chain(*plugin.outcomes):
        if outcome.problem and not isinstance(outcome.problem, (AssertionError, NotAttempted)):
            raise RuntimeError(f"the graded test {outcome.test} failed by itself: {told(outcome.problem)}")
    return plugin.outcomes


def written(name: str, call: Call) -> str:
    """Return a call as a line of code, every argument with its name: idf(n=3, df=1)."""
    signature = inspect.signature(reference(name))
    try:
        given = signature.bind(*call.args, **call.kwargs).arguments
    except TypeError:
        given = call.kwargs
    inside = ", ".join(f"{key}={show(_plain(value), 240)}" for key, value in given.items())
    return f"{name.partition('.')[2]}({inside})"
