"""Source code: cut between its functions, since a function is to a program what a section is to a report.

Python is read by Python's own parser, `ast`, which says on which line a function begins and ends: decorators belong to
it, and so do the comments right above it. A class is its head (the line with its name, its docstring, its first
assignments) and then its methods, one by one. What stands between functions, such as imports, is a chunk of its own.

No other language is parsed here. There, and where Python does not parse, a new piece begins with a line that is not
indented and stands below an empty one, which is where most people separate their functions.
"""

import ast
import warnings

from firstprinciples.ingest import marks

DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def functions(text: str) -> list[tuple[int, int, list[str]]]:
    r"""Cut source code: (start, end, path), where `path` is the names of the class and the function, from the top.

    As sections do, spans join up to the whole text. What is in no function or class has the path [].

    >>> text = "import os\n\n\nclass Till:\n    money = 0\n\n    # one coin\n    def add(self):\n        return 1\n"
    >>> [path for start, end, path in functions(text)]
    [[], ['Till'], ['Till', 'add']]
    """
    lines = marks.lines(text)
    cuts = _in_python(text, lines)
    if cuts is None:
        cuts = [(place, []) for place, (start, _, _) in enumerate(lines)
                if place and not text[lines[place - 1][0] : start].strip() and not text[start].isspace()]
    out, first, path = [], 0, []
    for place, following in [*cuts, (len(lines), [])]:
        start, end = (lines[i][0] if i < len(lines) else len(text) for i in (first, place))
        if start < end:
            out.append((start, end, path))
        first, path = place, following
    return out


def _in_python(text: str, lines: list) -> list[tuple[int, list[str]]] | None:
    """Return the lines, from 0, at which something new begins in a Python text, with its path; None if it is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape in somebody's string is not our concern
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # not Python, a null byte, too many brackets
        return None
    if not any(isinstance(node, DEFINED) for node in tree.body):
        return None
    cuts = []

    def walk(body, path):
        ended = 0  # lines before this belong to the statement before
        for node in body:
            if isinstance(node, DEFINED):
                first = min(each.lineno for each in (node, *node.decorator_list)) - 1
                while first > ended and text[slice(*lines[first - 1][:2])].lstrip().startswith("#"):
                    first -= 1
                cuts.append((first, [*path, node.name]))
                if isinstance(node, ast.ClassDef):
                    walk(node.body, [*path, node.name])
                cuts.append((node.end_lineno, path))
            ended = node.end_lineno

    walk(tree.body, [])
    return cuts
