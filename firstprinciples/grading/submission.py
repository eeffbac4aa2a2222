"""Read a learner's file: what is in it, and what kept it from being read, in one sentence."""

import _thread
import ast
import contextlib
import difflib
import io
import re
import sys
import threading
import tokenize
import traceback
import types
from pathlib import Path

from firstprinciples.grading.tasks import ROOT, stems, tasks
from firstprinciples.install import COMMAND

WORK = ROOT / "work"  # the learner's own folder
SECONDS = 10  # how long one call, or reading a file, may take


class NotGradable(ValueError):
    """The file cannot be read as a solution; the message says why and what to do."""

    def _render_traceback_(self):
        """In a notebook show the sentence alone."""
        return [f"Not gradable: {self}"]


def load(path: str | Path):
    """Run a learner's file and return it as a module: `load("work/bm25.py").idf`.

    Raises NotGradable with one sentence when it cannot be read or fails while it is read.
    """
    path = Path(path)
    source = read_source(path)
    module = types.ModuleType(f"submission_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # dataclasses look their module up there
    late = threading.Event()
    try:
        with deadline(late, SECONDS), no_input():
            exec(compile(source, str(path), "exec", dont_inherit=True), module.__dict__)
    except KeyboardInterrupt:
        if not late.is_set():
            raise
        raise NotGradable(f"{path.name} was still busy after {SECONDS} seconds of being read. Is there a loop outside "
                          "the functions that never ends?") from None
    except BaseException as error:
        raise NotGradable(f"{path.name} stopped while it was read: {told(error, str(path))}") from None
    return module


@contextlib.contextmanager
def deadline(late: threading.Event, seconds: float):
    """Interrupt the main thread, and set `late`, when the block takes longer; does nothing in another thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt():
        late.set()
        _thread.interrupt_main()

    timer = threading.Timer(seconds, interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextlib.contextmanager
def no_input():
    """Let `input()` fail at once for the length of a `with` block: nobody is there to type while a file is graded."""
    before, sys.stdin = sys.stdin, io.StringIO()
    try:
        yield
    finally:
        sys.stdin = before


def read_source(path: Path) -> str:
    """Return the text of a Python file, or raise NotGradable with what is wrong with it."""
    try:
        there, is_file = path.exists(), path.is_file()
        data = path.read_bytes() if is_file else b""
    except OSError as error:
        raise NotGradable(f"{path} cannot be read ({error.strerror}). Give yourself the right to read it.") from None
    if not there:
        nearer = path.with_suffix(".py") if path.with_suffix(".py").is_file() else WORK / f"{path.stem}.py"
        advice = (f"Did you mean {nearer}?" if nearer.is_file() else f"`{COMMAND} start {path.stem}` makes one."
                  if path.stem in stems() else f"Exercises: {', '.join(stems())}.")
        raise NotGradable(f"There is no file {path}. {advice}")
    if not is_file:
        raise NotGradable(f"{path} is not a file. Give the .py file.")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or (b"\0" in data[:200]):
        raise NotGradable(f"{path.name} is saved as UTF-16 or is not text. Save it as UTF-8.")
    if not data.strip():
        raise NotGradable(f"{path.name} is empty.")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        source = io.TextIOWrapper(io.BytesIO(data), encoding).read()
    except (SyntaxError, UnicodeDecodeError, LookupError):  # LookupError: a cookie that names something else than text
        raise NotGradable(f"{path.name} is not UTF-8 text. Save it as UTF-8.") from None
    if source.lstrip().startswith("{") and '"nbformat"' in source:
        ending = " with the ending .py" if path.suffix == ".py" else ""
        raise NotGradable(f"{path.name} is a notebook{ending}. Copy your functions into a plain .py file.")
    try:
        ast.parse(source)
    except (RecursionError, MemoryError):  # which of the two depends on the Python
        raise NotGradable(f"{path.name} has brackets, signs or blocks nested too deeply for Python to read.") from None
    except (SyntaxError, ValueError) as error:
        raise NotGradable(f"{path.name}, {_syntax(error, source)}") from None
    return source


def _syntax(error: Exception, source: str) -> str:
    """Say what a syntax error is, naming the usual accidents."""
    number = getattr(error, "lineno", None) or 1
    lines = source.splitlines()
    for place, line in enumerate(lines, 1):
        if re.match(r"(<{7}|>{7}|={7}$)", line):
            return f"line {place}: a merge-conflict marker is still there. Keep one of the two versions."
    line = lines[number - 1] if number <= len(lines) else ""
    if re.match(r"\s*[%!]\w", line):
        return f"line {number}: {line.strip()!r} works only in a notebook. Take it out."
    if re.search("[“”‘’]", line):
        return f"line {number}: curly quotes, as a web page makes them. Type straight ones."
    return f"line {number}: {getattr(error, 'msg', None) or error}: {line.strip()[:60]!r}"


def told(error: BaseException, file: str | None = None) -> str:
    """Return an exception as one line: its type, its message, and the last line of the learner's file it came from."""
    try:
        message = " ".join(str(error).split())[:200]
    except BaseException:
        message = "(a message that cannot be printed)"
    frames = [f for f in traceback.extract_tb(error.__traceback__) if file is None or f.filename == file]
    where = f", line {frames[-1].lineno}" if frames and frames[-1].lineno else ""
    return f"{type(error).__name__}: {message}{where}" if message else f"{type(error).__name__}{where}"


def stem_of(path: Path, source: str) -> str:
    """Return which tasks a file answers: by its name, else by the functions it defines. Raises NotGradable."""
    defined = {node.name for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)}
    fits = {stem: len(defined & {name.partition(".")[2] for name in tasks(stem)}) for stem in stems()}
    if path.stem in stems():
        other = max(fits, key=fits.get)
        if fits[path.stem] == 0 and fits[other] > 0:
            raise NotGradable(f"{path.name} holds the functions of {other}. Call it {other}.py.")
        return path.stem
    best = max(fits, key=fits.get)
    if fits[best] == 0:
        raise NotGradable(f"{path.name} holds no function of a task. Tasks: {', '.join(stems())}.")
    return best


def remarks(source: str, stem: str) -> dict[str, str]:
    """Return {task: sentence} for functions that are missing, renamed, or defined twice with the stub last."""
    nodes = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    wanted = [name.partition(".")[2] for name in tasks(stem)]
    out = {}
    for name in wanted:
        mine = [node for node in nodes if node.name == name]
        if not mine:
            others = [node.name for node in nodes if node.name not in wanted]
            near = difflib.get_close_matches(name, others, 1, 0.7)
            found = f"; found `{near[0]}`: renamed?" if near else "."
            out[f"{stem}.{name}"] = f"no function `{name}`{found}"
        elif len(mine) > 1 and is_stub(mine[-1]):
            out[f"{stem}.{name}"] = (f"`{name}` is defined {len(mine)} times. Python uses the last one, line "
                                     f"{mine[-1].lineno}, which is still the stub.")
    return out


def is_stub(node: ast.FunctionDef) -> bool:
    """Say whether a function only raises NotImplementedError, a docstring aside."""
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    named = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    return len(body) == 1 and isinstance(body[0], ast.Raise) and "NotImplementedError" in named
