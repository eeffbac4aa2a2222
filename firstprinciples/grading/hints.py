"""Hints: for each task a few sentences, a question first and nearly the code last, one more each time one asks.

They stand in hints/NAME.md beside this file, one section for each task, numbered in their order. Adding some is
writing there. The course's own function is shown once the check of the learner's file gave all points, or when every
hint has been read.
"""

import ast
import inspect
import re
import textwrap
from pathlib import Path

from firstprinciples.grading import desk
from firstprinciples.grading.tasks import expand, stems, tasks, where_to_read
from firstprinciples.swap import home, reference

HINTS = Path(__file__).parent / "hints"


class NoSuchTask(ValueError):
    """The name is no task's; the message lists those there are."""

    def _render_traceback_(self):
        """In a notebook show the sentence alone."""
        return [str(self)]


def hints(name: str) -> list[str]:
    """Return the hints of a task in their order; [] where none are written yet.

    >>> len(hints("bm25.idf")) >= 3
    True
    """
    stem, _, own = name.partition(".")
    try:
        text = (HINTS / f"{stem}.md").read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    sections = dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    return [" ".join(found.split()) for found in re.findall(r"^\d+\. (.+?)(?=^\d+\. |\Z)", sections.get(own, ""),
                                                            re.MULTILINE | re.DOTALL)]


def hint(name: str) -> None:
    """Print the next hint for a task, `hint("bm25.idf")`, and after the last one the course's own function.

    Raises NoSuchTask, a ValueError, for a name that is not one task's.
    """
    name = one_task(name)
    noted = desk.read_desk(desk.WORK)
    read, texts = noted["hints"].get(name, 0), hints(name)
    if name in noted["passed"]:
        print(f"{name} has had all its points. This is how the course writes it:\n\n{answer(name)}")
    elif not texts:
        print(f"{name} has no hints yet. Read {where_to_read(name) or 'its docstring'}.")
    elif read >= len(texts):
        print(f"You have read all {len(texts)} hints for {name}. This is how the course writes it:\n\n{answer(name)}")
    else:
        print(f"{name}, hint {read + 1} of {len(texts)}")
        print(textwrap.fill(texts[read], 100, initial_indent="  ", subsequent_indent="  ", break_long_words=False,
                            break_on_hyphens=False))
        left = len(texts) - read - 1
        print(f"Ask again for the next hint, {left} more." if left else
              "That was the last hint. Ask again to see the course's own function.")
        desk.note_hint(name, read + 1)


def one_task(name: str) -> str:
    """Return the name of a task as it is; raises NoSuchTask with the names there are when it is not one task's."""
    name = str(name).strip() or str(name)
    stem = Path(name).stem if name.endswith(".py") else name  # work/bm25.py: they mean its tasks
    if stem in stems():
        raise NoSuchTask(f"Name one task of {stem}: {', '.join(tasks(stem))}.")
    alike = [task for task in expand(None) if task.lower() == name.lower() or task.partition(".")[2] == name.lower()]
    if alike and name not in alike:
        raise NoSuchTask(f"There is no task {name!r}; did you mean {' or '.join(alike)}?")
    try:
        return expand(name)[0]
    except ValueError as error:
        raise NoSuchTask(str(error)) from None


def answer(name: str) -> str:
    """Return the course's own function without its docstring, under a line that says where it stands."""
    source = textwrap.dedent(inspect.getsource(reference(name)))
    docstring = ast.parse(source).body[0].body[0]
    lines = source.splitlines()
    lines[docstring.lineno - 1: docstring.end_lineno] = []
    place = desk.shown(Path(inspect.getsourcefile(home(name.partition(".")[0]))))
    return "\n".join([f"# {place}", *lines])
