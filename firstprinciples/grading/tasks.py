"""What a task is: one function of the course, that a learner writes again.

Nothing is written twice. The function in its module is the reference, its docstring the handout; its tests in
tests/graded/ grade the learner, and are named after it: `test_idf__by_hand` belongs to `bm25.idf`.
"""

import ast
import inspect
import re
import textwrap
from pathlib import Path

from firstprinciples.install import COMMAND
from firstprinciples.swap import home, reference

ROOT = Path(__file__).resolve().parent.parent.parent
GRADED = ROOT / "tests" / "graded"


def stems() -> list[str]:
    """Return the names of the modules that have tasks, in alphabetical order."""
    return sorted(path.stem.removeprefix("test_") for path in GRADED.glob("test_*.py"))


def tasks(stem: str) -> list[str]:
    """Return the tasks of a module in the order in which the module, and so the lesson, has them.

    Raises ValueError for a module without tasks.
    """
    if stem not in stems():
        raise ValueError(f"There are no tasks called {stem!r}; there are {', '.join(stems())}.")
    text = (GRADED / f"test_{stem}.py").read_text(encoding="utf-8")
    functions = {task_of(name, stem) for name in re.findall(r"^def (test_\w+)", text, re.MULTILINE)}
    order = [node.name for node in ast.parse(inspect.getsource(home(stem))).body if isinstance(node, ast.FunctionDef)]
    return sorted(functions, key=lambda name: order.index(name.partition(".")[2]))


def task_of(test: str, stem: str) -> str:
    """Return the task to which a graded test belongs: test_idf__by_hand in test_bm25.py -> bm25.idf."""
    return f"{stem}.{test.removeprefix('test_').partition('__')[0]}"


def expand(name: str | None) -> list[str]:
    """Return the tasks meant by a name: None all, "bm25" those of a module, "bm25.idf" that one. Raises ValueError."""
    if name is None:
        return [task for stem in stems() for task in tasks(stem)]
    stem, dot, _ = name.partition(".")
    if not dot or not stem:  # "../bm25" is no task, and told as it is
        return tasks(name)
    if name not in tasks(stem):
        raise ValueError(f"There is no task {name!r}; {stem} has {', '.join(tasks(stem))}.")
    return [name]


def asked(name: str) -> str:
    """Return what a task asks, the first sentence of its docstring."""
    paragraph = inspect.getdoc(reference(name)).split("\n\n")[0]
    return " ".join(paragraph.split())


def where_to_read(name: str) -> str:
    """Return the line of the docstring that says where the lesson explains the task."""
    found = re.search(r"Lesson \d\d, \"[^\"]+\"", inspect.getdoc(reference(name)))
    return found.group() if found else ""


def stub(name: str) -> str:
    """Return the source of a task without its answer: signature, docstring, and a line that raises."""
    source = textwrap.dedent(inspect.getsource(reference(name)))
    docstring = ast.parse(source).body[0].body[0]
    lines = source.splitlines()[: docstring.end_lineno]
    return "\n".join([*lines, f'    raise NotImplementedError("{name}: not written yet")', ""])


def stub_file(stem: str) -> str:
    """Return the file that a learner starts from: every task of a module as a stub."""
    head = (f'"""{stem}: {len(tasks(stem))} functions for you to write.\n\n'
            "Each says what it does; take the line that raises away and write it. Check as often as you like:\n\n"
            f"    {COMMAND} check work/{stem}.py\n\n"
            "Import nothing but NumPy and the standard library. A function may call the ones above it.\n"
            '"""\n\nimport math\n')
    if any(re.search(r"\bnp\.", inspect.getsource(reference(name))) for name in tasks(stem)):
        head += "\nimport numpy as np\n"
    return "\n\n".join([head, *(stub(name) for name in tasks(stem))])
