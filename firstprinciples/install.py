"""Set-up: a Python that has the course's packages, either the running one or one made in .venv beside the README.

It runs before anything is installed, so it imports the standard library alone. Every fault is an OSError or
ValueError of one sentence that says what to do; the command line prints it without a traceback.
"""

import contextlib
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).absolute().parent.parent
VENV = ROOT / ".venv"
DISK_MB = 600  # a full set-up takes about this much, pip's temporary files included
PYTHON = "py" if os.name == "nt" else "python3"  # as the reader calls it: Debian has no `python`, Windows no `python3`
COMMAND = f"{PYTHON} -m firstprinciples"  # how the README starts every command
# What the marker file in .venv says: UNFINISHED from the first moment until all is installed for the first time. Who
# makes .venv touches the marker each second, so that others wait; left alone for QUIET seconds, it is half-made.
UNFINISHED = "Being set up. If nothing is running, run the same command again.\n"
FINISHED = f"Made by `{COMMAND}`. Delete the folder .venv to start afresh. Installed:\n"
QUIET = 15
NO_NEWS = '{"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": false}}\n'
# Children that must not wait for an answer: no standard input, and what they print is ours to read.
CAPTURED = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "encoding": "utf-8", "errors": "replace"}


# Requirements: "numpy>=1.26,<3"


def requirements(*extras):
    """Return the requirement lines of requirements.txt, then those of the named extras of pyproject.toml.

    >>> [line.split(">=")[0] for line in requirements("test")][-2:]
    ['snowballstemmer', 'pytest-xdist']
    """
    import tomllib  # new in Python 3.11; inside, so that an older Python can still import this file

    try:
        lines = [line.split("#")[0].strip() for line in (ROOT / "requirements.txt").read_text("utf-8").splitlines()]
        named = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
        return [line for line in lines if line] + [line for extra in extras for line in named[extra]]
    except FileNotFoundError as error:
        raise OSError(f"{error.filename} is missing: run this in a whole clone of the repository") from error
    except (ValueError, LookupError, TypeError) as error:
        files = f"{ROOT / 'requirements.txt'} or pyproject.toml"
        raise ValueError(f"{files} is damaged ({error}): run this in a whole clone of the repository") from error


def split_requirement(line):
    """Split a requirement into the package's name and its conditions; ValueError if we cannot read it.

    >>> split_requirement("numpy>=1.26,<3")
    ('numpy', [('>=', '1.26'), ('<', '3')])
    """
    name, conditions = re.fullmatch(r"\s*([\w.-]*)\s*(.*?)\s*", line).groups()
    parts = [re.fullmatch(r"\s*(>=|<|==|~=)\s*(\d[\w.+]*)\s*", part) for part in conditions.split(",") if conditions]
    if not name or not all(parts):
        raise ValueError(f"requirement {line!r}: write a name and conditions with >=, <, == or ~=: numpy>=1.26,<3")
    return name, [part.groups() for part in parts]


def release(version):
    """Return the numbers of a version, without what follows them; () where it begins with none.

    >>> release("2.1.0rc1"), release("unknown")
    ((2, 1, 0), ())
    """
    numbers = re.match(r"\d{1,18}(?:\.\d{1,18})*", version)  # Python refuses to read a number of thousands of digits
    return tuple(int(number) for number in numbers[0].split(".")) if numbers else ()


def satisfies(version, conditions):
    """Say whether a version meets every condition of a requirement; one without a number, "unknown", meets none.

    >>> satisfies("2.4.6", [(">=", "1.26"), ("<", "3")])
    True
    """
    for operator, bound in conditions:
        have, want = release(version), release(bound)
        if not have:
            return False
        prefix = want[:-1]  # ~=3.1 means >=3.1 and 3.*
        have, want = (numbers + (0,) * (9 - len(numbers)) for numbers in (have, want))  # 3.0 equals 3
        meets = {
            ">=": have >= want,
            "<": have < want,
            "==": have == want,
            "~=": have >= want and have[: len(prefix)] == prefix,
        }
        if not meets[operator]:
            return False
    return True


def missing(lines):
    """Return the requirement lines that the running Python does not meet."""
    lacking = []
    for line in lines:
        name, conditions = split_requirement(line)
        try:
            version = importlib.metadata.distribution(name).metadata.get("Version")
            meets = version and satisfies(version, conditions)
        except Exception:  # not there, half there, or with a record that nobody can read
            meets = False
        if not meets:
            lacking.append(line)
    return lacking


def names(lines):
    """Return the packages' names of requirement lines, for a sentence.

    >>> names(["numpy>=1.26,<3", "pytest>=8"])
    'numpy, pytest'
    """
    return ", ".join(split_requirement(line)[0] for line in lines)


# Which Python


def ready_python(needed, wheelhouse=None):
    """Return the path of a Python that has the needed packages: the running one or that of .venv, set up if need be."""
    if wheelhouse and not Path(wheelhouse).is_dir():
        raise ValueError(f"--wheelhouse {wheelhouse}: there is no such folder; give the one that holds the wheels")
    if not missing(needed):
        return sys.executable

    python, marker = venv_python(), VENV / "firstprinciples.txt"
    unfinished = half_made(marker)
    lacking = missing_in(python, needed)
    if lacking == [] and not unfinished:
        return python
    if os.path.lexists(VENV) and not marker.is_file():
        raise OSError(foreign(lacking, python))

    if lacking is None or unfinished or not pip_command(python):
        set_up(needed, python, wheelhouse, marker)
    else:
        install(lacking, python, wheelhouse, marker)
    return python


def half_made(marker):
    """Say whether .venv is one of ours that was left unfinished; OSError if another command is making it right now."""
    try:
        text, age = marker.read_text("utf-8"), time.time() - marker.stat().st_mtime
    except (FileNotFoundError, NotADirectoryError):
        return False
    if text not in (UNFINISHED, ""):  # empty: just being written
        return False
    if abs(age) < QUIET:
        raise OSError(another())
    return True


def another():
    """Return the sentence for a .venv that another command is making."""
    return f"another command is setting up {VENV}: wait until it is done and run this again"


def venv_python():
    """Return the path that the Python of .venv has on this system."""
    return str(VENV / "Scripts" / "python.exe" if os.name == "nt" else VENV / "bin" / "python")


def missing_in(python, lines):
    """Return the requirement lines that another Python does not meet, or None if that Python does not run."""
    probe = "import sys; from firstprinciples.install import missing; print('lacks', *missing(sys.argv[1:]), sep='\\n')"
    try:
        answer = subprocess.run(
            [python, "-c", probe, *lines], env=environment(here=True), stderr=subprocess.DEVNULL, **CAPTURED
        )
    except OSError:
        return None
    said = answer.stdout.splitlines()  # what is no answer to us, such as a greeting of a sitecustomize.py, is left out
    return None if answer.returncode or "lacks" not in said else [line for line in lines if line in said]


def foreign(lacking, python):
    """Return the sentence for a .venv that somebody else made: we use it when it will do, and never change it."""
    if lacking is None:
        return f"{VENV} was not made by this command and has no Python 3.11 that runs: rename it and run this again"
    packages = " ".join(f'"{line}"' for line in lacking)
    return (
        f"{VENV} was not made by this command and lacks {names(lacking)}: "
        f'run `"{python}" -m pip install {packages}`, or rename that folder, and run this again'
    )


def environment(here=False, **changes):
    """Return the environment for a child process: ours in UTF-8; with `here`, the child can import this package."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONUTF8": "1", **({"PYTHONPATH": path} if here else {}), **changes}


# Making .venv


def set_up(needed, python, wheelhouse, marker):
    """Make .venv, again if it is half-made, and fill it for both `lab` and `test`: later no network is needed."""
    again = VENV.exists()
    claim(marker, again)
    with at_work(marker):
        if again:
            empty_venv(marker)
        make_venv()
        everything, least = (list(dict.fromkeys(lines + needed)) for lines in (requirements("test"), requirements()))
        try:
            install(everything, python, wheelhouse, marker)
        except OSError:
            if not wheelhouse or set(least) == set(everything):
                raise
            install(least, python, wheelhouse, marker)  # a folder of wheels need not hold what is not asked for


def claim(marker, again):
    """Say in the marker that .venv is being made, before anything else: whatever follows is then known to be ours."""
    if again:
        half_made(marker)  # once more: another command may have begun a moment ago
        if os.path.samefile(sys.prefix, VENV):
            raise OSError("this is the Python of a half-made .venv: run `deactivate`, and then this again")
    else:
        need_disk()
    try:
        if not again:
            VENV.mkdir()
        marker.write_text(UNFINISHED, "utf-8")
    except FileExistsError as error:
        raise OSError(another()) from error
    except OSError as error:
        raise OSError(f"cannot write in {ROOT} ({error.strerror}): move the repository to a folder of yours") from error


@contextlib.contextmanager
def at_work(marker):
    """Touch the marker each second, so that other commands wait; after a fault make it old, so that none does."""
    done = threading.Event()

    def touch(*times):
        with contextlib.suppress(OSError):  # such as a .venv that was deleted meanwhile
            os.utime(marker, *times)

    def beat():
        while not done.wait(1):
            touch()

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    failed = True
    try:
        yield
        failed = False
    finally:
        done.set()
        thread.join()
        if failed:
            touch((time.time() - 2 * QUIET,) * 2)


def need_disk():
    """Raise OSError if a set-up does not fit on the disk."""
    free = shutil.disk_usage(ROOT).free // 2**20
    if free < DISK_MB:
        raise OSError(f"the disk that holds {ROOT} has {free} MB free: free {DISK_MB} MB and run this again")


def empty_venv(marker):
    """Remove all but the marker from a .venv of ours that is half-made or whose Python is gone."""
    say("Removing .venv, which is half-made or whose Python or pip is gone ...")
    try:
        for path in list(VENV.iterdir()):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            elif path != marker:
                path.unlink()
    except OSError as error:
        raise OSError(
            f"cannot remove {VENV}: close what uses it (JupyterLab, an editor), delete that folder and run this again"
        ) from error
    need_disk()


def make_venv():
    """Make .venv with pip in it, or without (Debian keeps that part away) if the running Python has a pip to lend."""
    say("Making .venv (a few seconds) ...")
    status, output = watch([sys.executable, "-m", "venv", str(VENV)])
    if status and runs_pip(sys.executable):
        status, output = watch([sys.executable, "-m", "venv", "--without-pip", str(VENV)])
    if status:
        raise OSError(explain(output, "venv"))
    # JupyterLab would ask each newcomer whether to fetch news; the answer here is no.
    settings = VENV / "share" / "jupyter" / "lab" / "settings"
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "overrides.json").write_text(NO_NEWS, "utf-8")


def install(lines, python, wheelhouse, marker):
    """Install requirement lines into .venv, from the package index or from a folder of wheels.

    In a finished .venv the marker stays as it is meanwhile: pip fetches everything before it changes anything, and what
    is missing after an interrupt is found by its version.
    """
    size = "one to three minutes" if wheelhouse else "about 90 MB to fetch, one to three minutes"
    say(f"Installing {names(lines)} ({size if 'jupyterlab' in names(lines) else 'less than a minute'}) ...")
    source = ["--no-index", "--find-links", str(Path(wheelhouse).absolute())] if wheelhouse else []
    options = ["--disable-pip-version-check", "--no-input", "--prefer-binary", *source]

    # PIP_USER=0: a learner's `user = true` in pip.conf would make pip refuse a virtual environment
    status, output = watch([*pip_command(python), "install", *options, *lines], PIP_USER="0")
    if status:
        raise OSError(explain(output, "pip", wheelhouse))
    before = marker.read_text("utf-8")
    marker.write_text((FINISHED if before == UNFINISHED else before) + "\n".join(lines) + "\n", "utf-8")
    say("Set up; from now on this takes no time.")


def pip_command(python):
    """Return the command that runs pip on .venv: its own pip or the running Python's; None where neither has one."""
    if runs_pip(python):
        return [python, "-m", "pip"]
    return [sys.executable, "-m", "pip", "--python", python] if runs_pip(sys.executable) else None


def runs_pip(python):
    """Say whether a Python has a pip that works."""
    return subprocess.run([python, "-m", "pip", "--version"], stderr=subprocess.DEVNULL, **CAPTURED).returncode == 0


def explain(output, program, wheelhouse=None):
    """Turn the output of pip or venv into one sentence that says what to do."""

    def says(pattern):
        return re.search(pattern, output, re.IGNORECASE)

    this = f"Python {sys.version_info[0]}.{sys.version_info[1]}"
    lacking = says(r"No matching distribution found for ([\w.-]+)") or says(r"satisfies the requirement ([\w.-]+)")
    if says(r"No space left|Errno 28\b|WinError 112\b|disk quota") or shutil.disk_usage(ROOT).free < 50 * 2**20:
        return f"the disk is full: free {DISK_MB} MB for {ROOT} and for temporary files, and run this again"
    if says(r"Long Path"):
        return f"the path of {ROOT} is too long for Windows: move the repository to a short one such as C:\\course"
    if says(r"Permission denied|Read-only file system|Access is denied|WinError (5|32)\b|Operation not permitted"):
        return f"cannot write in {VENV}: close what uses it, or move the repository to a folder of yours"
    if says(r"ensurepip|No module named '?(venv|pip)"):
        return (
            "this Python lacks venv or pip: install them (Debian, Ubuntu: `sudo apt install python3-venv`; elsewhere "
            "Python from python.org) and run this again"
        )
    if lacking and wheelhouse:
        extra = " ".join(f'"{line}"' for line in requirements("test")[len(requirements()) :])
        return (
            f"{wheelhouse} lacks the package {lacking[1]} for {this} on this system: fill it on a machine of the same "
            f"kind with `{PYTHON} -m pip download -d FOLDER -r requirements.txt {extra}`"
        )
    if says(r"Retrying|ConnectionError|name resolution|getaddrinfo|timed out|ProxyError|SSLError|unreachable"):
        return (
            "pip cannot reach the package index: mend the network (or its proxy or certificate: pip's PIP_PROXY and "
            "PIP_CERT) and run this again, or install from a folder of wheels with --wheelhouse FOLDER"
        )
    if lacking or says(r"failed building|failed to build|metadata-generation-failed|subprocess-exited"):
        name = lacking[1] if lacking else "a package"
        return f"there is no ready-made {name} for {this} on this system: use another Python, such as 3.12 or 3.13"
    errors = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in errors if re.match("error", line, re.IGNORECASE)] or errors or ["no message"]
    return f"{program} failed ({errors[-1]}): delete {VENV} and run this again"


# Running other programs


def say(text):
    """Print what is being done, at once, where it does not mix with results."""
    print(text, file=sys.stderr, flush=True)


def watch(command, **changes):
    """Run a program, show that it is at work, and return its exit status and its output."""
    process = subprocess.Popen(
        command, env=environment(PYTHONUNBUFFERED="1", **changes), stderr=subprocess.STDOUT, **CAPTURED
    )
    lines = []
    reader = threading.Thread(target=lambda: [lines.append(line) for line in process.stdout], daemon=True)
    reader.start()
    seconds, terminal = 0, sys.stderr.isatty()
    while finish(process, timeout=1) is None:
        seconds += 1
        latest = next((line.strip()[:60] for line in lines[:-9:-1] if not line.startswith(("WARNING", "DEPREC"))), "")
        print(f"\r{seconds:5} s  {latest:60}" if terminal else ".", end="", file=sys.stderr, flush=True)
    if seconds:
        print(f"\r{'':69}\r" if terminal else "\n", end="", file=sys.stderr, flush=True)
    reader.join()
    return process.returncode, "".join(lines)


def finish(process, timeout=None, patience=3):
    """Wait for a child and return its exit status, None after the timeout; an interrupt ends the child too.

    After an interrupt the child has `patience` seconds to put its own things in order.
    """
    try:
        status = process.wait(timeout)
    except subprocess.TimeoutExpired:
        return None
    except KeyboardInterrupt:
        # Ctrl-C reaches the child as well: let it end by itself first.
        for end in (process.terminate, process.kill):
            try:
                process.wait(patience)
                break
            except subprocess.TimeoutExpired:
                end()
        raise
    return status if status >= 0 else 128 - status  # as a shell does for a child that a signal ended
