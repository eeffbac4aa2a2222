"""The layout of the house: a room imports only what stands below it, and other rules that hold for every file."""

import ast
import importlib
import inspect
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from firstprinciples.grading.tasks import GRADED, ROOT, stems, task_of
from firstprinciples.swap import home

PACKAGE = ROOT / "firstprinciples"
# From the ground up. Rooms on one floor may use each other, but not in a circle.
FLOORS = [
    {"__init__"},
    {"text", "corpus", "swap", "blas", "progress", "install", "doctor", "models"},
    {"ingest", "encode", "index"},
    {"retrieve"},
    {"rank"},
    {"generate"},
    {"evaluate", "pipeline", "stages", "trip", "asking"},
    {"grading", "explore"},
    {"__main__"},
]
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
TOP = FLOOR["grading"]
FILES = sorted(PACKAGE.rglob("*.py"))
# what a room may take from outside the standard library
OUTSIDE = {"grading": {"numpy", "pytest"}, "explore": {"numpy", "matplotlib", "ipywidgets", "anywidget"},
           "install": set(), "doctor": set(), "models": set(), "__main__": set()}
IN_FUNCTIONS = {"retrieve/engine_client.py": {"qdrant_client", "httpx", "portalocker"},
                "explore/engine_live.py": {"hnswlib"}}


def short(path):
    return path.relative_to(ROOT).as_posix()


def room_of(path):
    """Return the room of a file: its folder below the package, or its own name where it stands in the package."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return parts[0]


@cache
def imports(path):
    """Return [(name of the module, whether it is imported inside a function)] for a file; none is relative."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inner = {id(node) for f in ast.walk(tree) if isinstance(f, (ast.FunctionDef, ast.AsyncFunctionDef))
             for node in ast.walk(f)}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, id(node) in inner) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{short(path)}, line {node.lineno}: a relative import"
            # `from firstprinciples.retrieve import bm25` imports a module: name it in full
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [(name if is_module(name) else node.module, id(node) in inner) for name in whole]
    return found


def is_module(name):
    path = ROOT.joinpath(*name.split("."))
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


def own(path):
    """Return the modules of the course that a file imports, as paths."""
    out = []
    for name, _ in imports(path):
        if name.split(".")[0] == "firstprinciples":
            target = ROOT.joinpath(*name.split("."))
            out.append(target / "__init__.py" if (target / "__init__.py").exists() else target.with_suffix(".py"))
    return out


@pytest.mark.parametrize("path", FILES, ids=short)
def test_a_file_stands_above_what_it_imports(path):
    assert room_of(path) in FLOOR, "a new room: give it a floor"
    here = FLOOR[room_of(path)]
    for target in own(path):
        assert target.exists(), f"there is no {target}"
        same_room = room_of(target) == room_of(path)
        if not same_room:
            assert FLOOR[room_of(target)] <= here, f"an arrow that runs up: {short(path)} imports {short(target)}"
        if here == TOP and not same_room:
            assert FLOOR[room_of(target)] < TOP, f"{short(path)} imports {short(target)}"


def circles(arrows):
    """Return the circles among arrows {from: {to}}: each as the list of names walked, found depth first."""
    found, done = [], set()

    def walk(name, way):
        if name in way:
            found.append([*way[way.index(name):], name])
        elif name not in done:
            for following in sorted(arrows.get(name, ())):
                walk(following, [*way, name])
            done.add(name)

    for name in sorted(arrows):
        walk(name, [])
    return found


def test_no_arrows_in_a_circle():
    files = {short(path): {short(target) for target in own(path)} - {short(path)} for path in FILES}
    assert circles(files) == []
    rooms = {}
    for path in FILES:
        rooms.setdefault(room_of(path), set()).update(room_of(target) for target in own(path))
    assert circles({room: targets - {room} for room, targets in rooms.items()}) == []


def test_a_circle_would_be_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c", "a"]]
    assert circles({"a": {"b", "c"}, "b": {"c"}}) == []


@pytest.mark.parametrize("path", FILES, ids=short)
def test_what_comes_from_outside(path):
    allowed = OUTSIDE.get(room_of(path), {"numpy"})
    late = IN_FUNCTIONS.get(path.relative_to(PACKAGE).as_posix(), set())
    for name, inside in imports(path):
        package = name.split(".")[0]
        known = package in sys.stdlib_module_names or package == "firstprinciples" or package in allowed
        assert known or (inside and package in late), f"{short(path)} imports {name}"


def test_nobody_but_the_command_line_imports_explore_or_grading():
    for path in FILES:
        for target in own(path):
            if room_of(target) in ("explore", "grading"):
                assert room_of(path) in (room_of(target), "__main__"), f"{short(path)} imports {short(target)}"


def test_the_arrows_are_read():
    # without this the tests above could look at nothing
    read = {short(target) for target in own(PACKAGE / "evaluate" / "build.py")}
    assert read == {f"firstprinciples/{name}.py" for name in (
        "text", "encode/biencoder", "encode/cache", "encode/expansion", "encode/sparse_files", "encode/splade_tiny",
        "encode/stored", "encode/token_files", "encode/token_vectors", "generate/rewriting", "index/cosine",
        "index/hnsw", "index/ivf", "index/product", "index/short_vectors", "install", "models", "progress",
        "rank/cross_encoder", "rank/fusion", "rank/rerank", "retrieve/bm25", "retrieve/dense", "retrieve/maxsim",
        "retrieve/parents", "retrieve/splade", "pipeline")}
    assert ("numpy", False) in imports(PACKAGE / "retrieve" / "bm25.py")
    assert len(FILES) >= 18


def test_the_command_line_needs_only_the_standard_library_to_start():
    program = ("import sys; sys.modules.update(dict.fromkeys(['numpy', 'pytest', 'matplotlib', 'ipywidgets'])); "
               "import firstprinciples.__main__ as m; print(m.run(['--version']))")
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, encoding="utf-8")
    assert done.stdout.splitlines()[-1:] == ["0"], done.stderr


def test_searching_needs_no_pictures_and_no_grader():
    program = ("import sys, firstprinciples.retrieve.bm25, firstprinciples.evaluate.experiment; "
               "print(sorted({name.split('.')[0] for name in sys.modules} & "
               "{'matplotlib', 'ipywidgets', 'anywidget', 'IPython', 'pytest', '_pytest'}), "
               "[name for name in sys.modules if name.split('.')[1:2] in (['explore'], ['grading'])])")
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == "[] []\n"


# Docstrings


def public(path):
    """Yield (name, node) of the public functions, classes and their public methods of a file."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            yield node.name, node
            if isinstance(node, ast.ClassDef):
                for inner in node.body:
                    if isinstance(inner, ast.FunctionDef) and not inner.name.startswith("_"):
                        yield f"{node.name}.{inner.name}", inner


@pytest.mark.parametrize("path", FILES, ids=short)
def test_every_public_name_has_a_docstring(path):
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), "the module itself"
    for name, node in public(path):
        said = ast.get_docstring(node)
        assert said, f"{short(path)}: {name} has no docstring"
        assert re.match(r"[A-Z`]", said), f"{short(path)}: the docstring of {name} does not begin a sentence"


# Tests and tasks


@pytest.mark.parametrize("stem", stems())
def test_every_graded_test_is_named_after_a_function(stem):
    module = home(stem)
    tree = ast.parse((GRADED / f"test_{stem}.py").read_text(encoding="utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    names = [node.name for node in functions]
    assert len(set(names)) == len(names)  # of two tests with one name only the second would run
    for node in functions:
        assert node.name.startswith("test_") and "__" in node.name
        task = task_of(node.name, stem)
        function = getattr(module, task.partition(".")[2], None)
        assert inspect.isfunction(function) and function.__module__ == module.__name__, node.name
        assert [argument.arg for argument in node.args.args][:1] == ["task"], f"{node.name} does not ask for the task"
        asked = {call.args[0].value for call in ast.walk(node) if isinstance(call, ast.Call)
                 and isinstance(call.func, ast.Name) and call.func.id == "task"}
        assert asked == {task}, f"{node.name} asks for {asked}"


def test_a_module_its_tests_and_its_mistakes_have_one_stem():
    for folder in ("tests/mistakes", "tests/mistakes/correct"):
        assert sorted(path.stem for path in (ROOT / folder).glob("*.py")) == stems()


# What no file may hold

TEXT = {".py", ".md", ".toml", ".txt", ".json", ".jsonl", ".ipynb", ".yml", ".yaml", ".cfg", ".html", ".js", ".css"}
NOT_OURS = {"work", "build", "dist", "node_modules", "__pycache__", "site"}


def our_files():
    """Yield the text files of the repository; hidden folders, the learner's work/ and what is made are left out."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in NOT_OURS
                      and not name.endswith(".egg-info")]
        for name in names:
            if Path(name).suffix in TEXT:
                yield Path(folder) / name


def machine_paths(text):
    """Return the paths in a text that exist on one machine only: below a home folder, or below a work folder."""
    below = "|".join(["work", "root", "home", "Users", "mnt", "private"])
    return [found.group() for found in re.finditer(rf"(?<![\w.~/}}:-])/(?:{below})/[\w.-]+", text)]


def test_no_file_names_a_path_of_one_machine():
    files = list(our_files())
    assert ROOT / "firstprinciples" / "text.py" in files
    named = {short(path): machine_paths(path.read_text(encoding="utf-8")) for path in files}
    assert {path: paths for path, paths in named.items() if paths} == {}


def test_a_path_of_one_machine_would_be_found():
    slash = "/"
    for path in ["root/.venv", "work/main", "home/ada", "Users/ada"]:
        assert machine_paths(f'see "{slash}{path}"') == [slash + path]
    assert machine_paths("python -m firstprinciples check work/bm25.py, see https://a.b/work/x, ./work/x") == []


@pytest.mark.parametrize("path", FILES, ids=short)
def test_a_module_imports(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    name = ".".join(part for part in parts if part != "__init__")
    assert importlib.import_module(name).__name__ == name
