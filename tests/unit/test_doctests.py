"""The examples in the docstrings are right; each task and each module that computes has one."""

import doctest
import importlib
import inspect
from pathlib import Path

import pytest

import firstprinciples
from firstprinciples.grading.tasks import expand
from firstprinciples.swap import reference

PACKAGE = Path(firstprinciples.__file__).parent
# without examples: `swap` changes the course while it runs, `install` changes the machine, `__init__` files only say
# what stands in their room
WITHOUT = {"firstprinciples", "firstprinciples.swap", "firstprinciples.install"}


def modules():
    """Return the names of all modules but those of explore/, which need a front end, and __main__."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        if parts[0] != "explore" and parts[-1] != "__main__":
            found.append(".".join(["firstprinciples", *(part for part in parts if part != "__init__")]))
    return found


def is_room(module):
    return Path(module.__file__).name == "__init__.py"


@pytest.mark.parametrize("name", modules())
def test_the_examples_of_a_module(name):
    module = importlib.import_module(name)
    result = doctest.testmod(module)
    assert result.failed == 0, "what differs stands above"
    below = name.split(".")[1:2] != ["grading"]
    if below and not is_room(module) and name not in WITHOUT:
        assert result.attempted >= 1


@pytest.mark.parametrize("name", expand(None))
def test_a_task_shows_an_example(name):
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(reference(name)))
    assert len(examples) >= 1
    assert any(example.want for example in examples)


def test_which_modules_are_looked_at():
    assert {"firstprinciples.text", "firstprinciples.corpus", "firstprinciples.retrieve.bm25",
            "firstprinciples.evaluate.metrics", "firstprinciples.evaluate.experiment",
            "firstprinciples.grading.check"} <= set(modules())
