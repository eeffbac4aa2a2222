"""What all tests share: the options, the fixture `task`, the real collections, and the rule on skips."""

import importlib
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
# ranx, with which oracles compare, compiles itself for most of a minute unless this is set before it is imported
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")

MAY_SKIP = {"collections": "a folder of real collections (--collections FOLDER)",
            "models": "the encoder's model files", "torch": "torch"}


_skipped_files = []


def pytest_addoption(parser):
    parser.addoption("--peers", action="store_true", help="a skip is a failure, except of the marks "
                     + ", ".join(MAY_SKIP))
    parser.addoption("--collections", default=None, help="the folder that holds cranfield and scifact")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    """With --peers, turn a skip without one of the marks into a failure that names what is missing."""
    report = yield
    allowed = any(item.get_closest_marker(mark) for mark in MAY_SKIP)
    if report.skipped and not hasattr(report, "wasxfail") and item.config.getoption("--peers") and not allowed:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        report.outcome = "failed"
        report.longrepr = f"With --peers nothing may be skipped here, but this was: {reason}"
    return report


def pytest_collectreport(report):
    """With --peers, a test file that skips itself while it is read is an error."""
    if report.skipped:
        _skipped_files.append(f"{report.nodeid}: {report.longrepr[2] if isinstance(report.longrepr, tuple) else ''}")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    """Fail the run when whole files were skipped although --peers was given."""
    if session.config.getoption("--peers") and _skipped_files:
        for line in _skipped_files:
            print(f"\nWith --peers nothing may be skipped here, but this file was: {line}")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def no_more_listeners():
    """Let pictures that were made meanwhile hear of no change afterwards: they would be drawn again in other tests."""
    from firstprinciples import swap

    before = list(swap._listeners)
    yield
    swap._listeners[:] = [listener for listener in swap._listeners if listener in before]


pictures_end_with_their_test = pytest.fixture(autouse=True)(no_more_listeners)
pictures_end_with_their_file = pytest.fixture(autouse=True, scope="module")(no_more_listeners)


@pytest.fixture(autouse=True)
def desk_of_its_own(tmp_path, monkeypatch):
    """Give each test a work folder that is not the reader's own: work/ changes no test, and no test changes work/."""
    from firstprinciples.grading import desk, submission

    work = tmp_path / "own" / "work"
    for module in (desk, submission):
        monkeypatch.setattr(module, "WORK", work)
    # by its name: in the package, the function of the same name stands before the module
    questions = importlib.import_module("firstprinciples.explore.own_questions")
    monkeypatch.setattr(questions, "FILE", work / questions.FILE.name)


@pytest.fixture
def task():
    """Give the reference of a task, wrapped as a learner's function is when it is graded."""
    from firstprinciples.grading.run import Bound
    from firstprinciples.swap import reference

    return lambda name: Bound(name, reference(name))


@pytest.fixture
def collections_folder(request):
    """Return the folder with the real collections; a test that asks for it has the mark `collections`."""
    given = request.config.getoption("--collections")
    folder = Path(given) if given else None
    if folder is None or not (folder / "scifact").is_dir():
        pytest.skip("needs real collections: give --collections FOLDER with cranfield and scifact in it")
    return folder


@pytest.fixture
def model_files():
    """Give the folder of a model's files by its name, such as "minilm"; who asks for it has the mark `models`."""
    from firstprinciples import models

    def give(name):
        folder = models.files(name)
        if folder is None:
            pytest.skip(f"needs the files of {name}: run `python3 -m firstprinciples models`")
        return folder

    return give
