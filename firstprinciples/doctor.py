"""The doctor: look at this machine, name what would stop the course, and say how to mend it. It changes nothing.

It must run where nothing is installed, so it imports the standard library alone; what other Pythons hold it asks those
Pythons. Each check returns one or more `Check`s: "ok", "warning" (the course runs, with a limit) or "problem". What
stops a check is a problem of that check's, and the others go on: on the strangest machine the list is whole.
"""

import importlib.util
import json
import locale
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import webbrowser
from collections import namedtuple
from pathlib import Path

from firstprinciples import models
from firstprinciples.install import (
    CAPTURED,
    COMMAND,
    DISK_MB,
    QUIET,
    ROOT,
    UNFINISHED,
    VENV,
    environment,
    missing,
    names,
    requirements,
    runs_pip,
    satisfies,
    split_requirement,
    venv_python,
)

OK, WARNING, PROBLEM = "ok", "warning", "problem"
OLDEST = (3, 11)
WORK_MB = 50  # notebooks, the learner's files and what Jupyter writes
TEXT_BROWSERS = {"www-browser", "links", "elinks", "lynx", "w3m"}  # they cannot show JupyterLab
LAB = f"run `{COMMAND} lab`"
WHOLE = "run this in a whole clone of the repository"
WAIT = "wait until that command is done"
MEND_IT = f"mend what these words name and run `{COMMAND} doctor` again"

Check = namedtuple("Check", "name status found mend", defaults=[""])

# What a Python is asked. Without the folder it runs in on its path: a numpy.py in there is the business of check_names.
PROBE = r"""
import sys
sys.path[:] = [place for place in sys.path if place]
import importlib, importlib.metadata, json, os
about = {"version": list(sys.version_info[:3]), "packages": {}, "others": []}
for name in sys.argv[2:]:
    try:
        version = importlib.metadata.distribution(name).metadata.get("Version")
    except Exception:
        version = None
    problem = None
    try:
        version and importlib.import_module(name.replace("-", "_").lower())
    except BaseException as error:
        problem = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    about["packages"][name] = [version, problem]
try:
    from jupyter_core.paths import jupyter_path, jupyter_runtime_dir
    about["jupyter"], about["runtime"] = jupyter_path(), jupyter_runtime_dir()
except Exception:
    pass
course = os.path.realpath(sys.argv[1])
for place in sys.path:
    if os.path.isdir(os.path.join(place, "firstprinciples")) and os.path.realpath(place) != course:
        about["others"].append(place)
print("\n" + json.dumps(about))
"""


def doctor(as_json=False):
    """Print every check, as lines or as JSON; return 0 when none is a problem, 1 otherwise."""
    checks = examine()
    ok = all(check.status != PROBLEM for check in checks)
    if as_json:
        about = {"ok": ok, "python": sys.version.split()[0], "checks": [check._asdict() for check in checks]}
        print(json.dumps(about, indent=1, ensure_ascii=False))
    else:
        print("\n".join(report(checks)))
    return 0 if ok else 1


def examine():
    """Return all checks, in the order in which a reader would mend what they find."""
    lines, unread = read_requirements()
    python, about, set_up = python_in_use(lines)
    looks = [
        ("Python", check_python, sys.version_info[:3]),
        (".venv", check_venv, bool(unread or missing(lines))),
        ("packages", check_packages, lines, python, about),
        ("test suite", check_suite, python, set_up),
        ("venv and pip", check_making, set_up),
        ("kernel", check_kernel, venv_python() if set_up else python, None if set_up else about),
        ("browser", check_browser),
        ("folders", check_writing, about),
        ("disk", check_disk, set_up),
        ("path", check_path, str(ROOT)),
        ("file names", check_names, lines),
        ("port 8888", check_port),
        ("text", lambda: check_text(locale.getpreferredencoding(False))),
        ("other copies", check_others, about),
        ("model files", check_models),
    ]
    found = [check for name, look, *given in looks for check in guarded(name, look, *given)]
    return [*unread, *found]


def guarded(name, look, *given):
    """Return the checks of one look at the machine as a list; whatever stops it is a problem of that name.

    >>> guarded("disk", lambda: 1 / 0)[0].found
    'cannot be checked (ZeroDivisionError: division by zero)'
    """
    try:
        found = look(*given)
        return [found] if isinstance(found, Check) else list(found)
    except Exception as error:
        return [stopped(name, error)]


def stopped(name, error):
    """Return the problem that an exception is, in the exception's own words."""
    words = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    file = getattr(error, "filename", None)
    mend = f"give yourself the right to read {file}" if isinstance(error, PermissionError) and file else MEND_IT
    return Check(name, PROBLEM, f"cannot be checked ({words})", mend)


def report(checks):
    """Return the lines to print: one for each check, below it how to mend it, at the end the sum.

    >>> print("\\n".join(report([Check("disk", "problem", "3 MB free", "free 600 MB")])))
    problem  disk           3 MB free
             mend it:       free 600 MB
    <BLANKLINE>
    1 problem, 0 warnings.
    """
    lines = []
    for check in checks:
        lines.append(f"{check.status:8} {check.name:14} {check.found}")
        if check.mend:
            lines.append(f"{'':8} {'mend it:':14} {check.mend}")
    problems, warnings = (sum(check.status == status for check in checks) for status in (PROBLEM, WARNING))
    said = ", ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in ((problems, PROBLEM), (warnings, WARNING)))
    return [*lines, "", f"{said}." if problems or warnings else "All is well."]


# Which Python the course would run on


def read_requirements():
    """Return (the lines of requirements.txt that can be read, a problem for each that cannot)."""
    try:
        lines = requirements()
    except Exception as error:
        return [], [Check("requirements", PROBLEM, str(error).partition(f": {WHOLE}")[0], WHOLE)]
    readable, unread = [], []
    for line in lines:
        try:
            split_requirement(line)
            readable.append(line)
        except ValueError as error:
            mend = f"mend that line of {ROOT / 'requirements.txt'}, or {WHOLE}"
            unread.append(Check("requirements", PROBLEM, str(error), mend))
    return readable, unread


def python_in_use(lines):
    """Return (its path, what it says of itself, whether `lab` must set up): as `lab` would choose, setting up nothing.

    That is the running Python where it has all packages or where no .venv runs; what it says is None when it crashes.
    """
    if missing(lines) and ask(venv_python(), []):
        python = venv_python()
    else:
        python = sys.executable
    about = ask(python, lines)
    return python, about, about is not None and not meets(about, lines)


def ask(python, lines):
    """Return what a Python says of itself and of its packages, as PROBE prints it; None if it does not run."""
    wanted = [split_requirement(line)[0] for line in lines]
    command = [python, "-c", PROBE, str(ROOT), *wanted]
    try:
        answer = subprocess.run(command, env=environment(), stderr=subprocess.DEVNULL, timeout=120, **CAPTURED)
    except (OSError, ValueError, TypeError, subprocess.TimeoutExpired):  # TypeError: a Python that has no path
        return None
    for line in reversed(answer.stdout.splitlines()):  # what a sitecustomize.py prints may stand below
        about = parsed(line)
        if is_answer(about, wanted):
            return about
    return None


def parsed(text):
    """Return what a JSON text says, None where it is none.

    >>> parsed("[1, 2]"), parsed("[" * 100000)
    ([1, 2], None)
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def is_answer(about, wanted):
    """Say whether this is what PROBE prints for the wanted packages; a program of that name may print anything.

    >>> is_answer({"version": [3, 11, 7], "packages": {"numpy": ["2.1", None]}, "others": []}, ["numpy"])
    True
    >>> is_answer(42, []), is_answer({}, [])
    (False, False)
    """
    try:
        return (
            [type(number) for number in about["version"]] == [int] * 3
            and set(about["packages"]) == set(wanted)
            and all(isinstance(told, (str, type(None))) for pair in about["packages"].values() for told in pair)
            and all(len(pair) == 2 for pair in about["packages"].values())
            and all(isinstance(place, str) for key in ("others", "jupyter") for place in about.get(key, []))
            and isinstance(about.get("runtime", ""), str)
        )
    except (KeyError, TypeError, AttributeError):
        return False


def meets(about, lines):
    """Say whether the packages that a Python told of are there, in the versions that requirement lines ask for."""
    for name, conditions in map(split_requirement, lines):
        version = about["packages"][name][0]
        if not version or not satisfies(version, conditions):
            return False
    return True


# The checks


def check_python(version):
    """Say whether a Python is new enough.

    >>> check_python((3, 8, 18)).status
    'problem'
    """
    found = f"{'.'.join(map(str, version))} ({sys.executable})"
    if tuple(version[:2]) < OLDEST:
        return Check("Python", PROBLEM, found, f"install 3.11 or newer from python.org/downloads, then with it {LAB}")
    return Check("Python", OK, found)


def check_venv(needed):
    """Look at .venv: none, half-made, with a Python that is gone, moved, or fine; `needed` where `lab` would use it."""
    bad = PROBLEM if needed else WARNING
    if not os.path.lexists(str(VENV)):
        return Check(".venv", OK, "none yet" if needed else "none, and none is needed: this Python has the packages")
    if os.path.isdir(str(VENV)) and not os.access(str(VENV), os.R_OK | os.X_OK):
        mend = f"give yourself the right to read it, or rename it, then {LAB}"
        return Check(".venv", bad, f"you may not look into {VENV}", mend)
    marker = VENV / "firstprinciples.txt"
    ours = os.path.isfile(str(marker))
    mend = f"{LAB}, which makes it again" if ours else f"rename the folder {VENV}, then {LAB}"
    if ours and text_of(marker) in (UNFINISHED, ""):
        if being_made():
            return Check(".venv", WARNING, "is being made right now", WAIT)
        return Check(".venv", bad, "half-made: its set-up was interrupted", mend)
    settings = dict(re.findall(r"^(\w+) = (.*)$", text_of(VENV / "pyvenv.cfg"), re.MULTILINE))
    about = ask(venv_python(), [])
    if about is None:
        home = settings.get("home", "")
        gone = f": it was made by the Python in {home}, which is gone" if home and not os.path.isdir(home) else ""
        return Check(".venv", bad, f"its Python does not run{gone}", mend)
    version = ".".join(map(str, about["version"]))
    if tuple(about["version"][:2]) < OLDEST:
        return Check(".venv", bad, f"has Python {version}", mend)
    made = re.sub(r".* -m venv (--\S+ )*", "", settings.get("command", ""))
    if os.path.isabs(made) and os.path.realpath(made) != os.path.realpath(str(VENV)):
        mend = f"if something in it fails, delete the folder {VENV}, then {LAB}"
        return Check(".venv", WARNING, f"was made as {made} and then moved or copied", mend)
    return Check(".venv", OK, f"runs, Python {version}")


def being_made():
    """Say whether a command is making .venv right now: it touches the marker each second."""
    marker = VENV / "firstprinciples.txt"
    try:
        return text_of(marker) in (UNFINISHED, "") and abs(time.time() - marker.stat().st_mtime) < QUIET
    except OSError:
        return False


def check_packages(lines, python, about):
    """Look at each package: is it there, in a version that was tried, and can it be imported?"""
    if not lines:  # requirements.txt cannot be read, which is a problem of its own
        return []
    if being_made() and not (about and meets(about, lines)):
        return [Check("packages", WARNING, "are being installed right now", WAIT)]
    in_venv, ours = python == venv_python(), os.path.isfile(str(VENV / "firstprinciples.txt"))
    where = ".venv" if in_venv else "this Python"
    again = f"delete the folder {VENV}, then {LAB}" if in_venv and ours else None
    if about is None:
        mend = again or f'run `"{python}" -m pip install --force-reinstall -r requirements.txt`'
        return [Check("packages", PROBLEM, f"{where} crashes when it imports them", mend)]
    if not any(version for version, _ in about["packages"].values()):
        found = f"not installed yet: {names(lines)}"
        return [Check("packages", PROBLEM, found, f"{LAB}, which installs them into the folder .venv")]
    checks = []
    for line in lines:
        name, conditions = split_requirement(line)
        version, problem = about["packages"][name]
        install = f'run `"{python}" -m pip install "{line}"`' if in_venv and not ours else f"{LAB}, which installs it"
        if not version:
            checks.append(Check(name, PROBLEM, f"missing in {where}", install))
        elif not satisfies(version, conditions):
            range = ",".join(operator + bound for operator, bound in conditions)
            checks.append(Check(name, PROBLEM, f"{version} in {where}; the course needs {range}", install))
        elif problem:
            mend = again or f'run `"{python}" -m pip install --force-reinstall "{line}"`'
            checks.append(Check(name, PROBLEM, f"{version} in {where} is broken ({problem})", mend))
        else:
            checks.append(Check(name, OK, f"{version} in {where}"))
    return checks


def check_suite(python, set_up):
    """Name what `test` would still fetch, where all else is there: a room without a network should know beforehand."""
    if set_up or being_made():  # a set-up brings it along
        return []
    lines = requirements("test")[len(requirements()) :]
    about = ask(python, lines)
    if about is None or meets(about, lines):
        return []
    lacking = [line for line in lines if not meets(about, [line])]
    found = f"lacks {names(lacking)}; `{COMMAND} test` installs that the first time (without a network: --wheelhouse)"
    return [Check("test suite", OK, found)]


def check_making(set_up):
    """Where a set-up is still to come, see whether this Python has what makes .venv: Debian keeps parts of it away."""
    if not set_up or os.path.isfile(str(VENV / "pyvenv.cfg")):
        return []
    if importlib.util.find_spec("venv") and (importlib.util.find_spec("ensurepip") or runs_pip(sys.executable)):
        return [Check("venv and pip", OK, "this Python can make .venv")]
    mend = "install them: on Debian and Ubuntu `sudo apt install python3-venv`, elsewhere Python from python.org"
    return [Check("venv and pip", PROBLEM, "this Python lacks them, and cannot make .venv", mend)]


def check_kernel(python, about):
    """See whether Jupyter would start the course's Python for a notebook, or one of another environment.

    The first folder with a kernel "python3" counts; `about` tells in which order Jupyter looks, where it is installed.
    """
    given = [place for place in os.environ.get("JUPYTER_PATH", "").split(os.pathsep) if place]
    folders = (about or {}).get("jupyter") or [*given, VENV / "share" / "jupyter", jupyter_data()]
    for folder in [Path(folder, "kernels") for folder in folders if folder]:
        file = folder / "python3" / "kernel.json"
        out = str(folder.parent) in [place.rstrip(os.sep) for place in given]
        mend = ", or take its folder out of JUPYTER_PATH" if out else ""
        if os.path.isdir(str(folder)) and not os.access(str(folder), os.R_OK | os.X_OK):  # Jupyter lists each of them
            return Check("kernel", PROBLEM, f"you may not look into {folder}", f"give yourself that right{mend}")
        if os.path.isfile(str(file)):
            return _kernel(file, python, f"rename the folder {file.parent}{mend}")
    return Check("kernel", OK, "that of the course's Python")


def _kernel(file, python, mend):
    """See which Python a kernel.json names."""
    try:
        program = json.loads(text_of(file))["argv"]
        program = program[0] if isinstance(program, list) else None
        theirs = _place(os.path.dirname(program))
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):  # ValueError: also a path with a NUL in it
        return Check("kernel", PROBLEM, f"{file} cannot be read", mend)
    # for a bare name Jupyter takes the Python that it runs on itself
    if re.fullmatch(r"python(3(\.\d+)?)?", program) or theirs == _place(os.path.dirname(python)):
        return Check("kernel", OK, f"that of the course's Python ({file.parent})")
    return Check("kernel", PROBLEM, f"notebooks would run on {program}, not on {python}: {file.parent} says so", mend)


def _place(folder):
    return os.path.normcase(os.path.realpath(folder))


def jupyter_data():
    """Return the folder in which Jupyter keeps what belongs to this user, as Jupyter works it out.

    None for a user without a home folder: one whom the system does not know, in a container for example.
    """
    if os.environ.get("JUPYTER_DATA_DIR"):
        return Path(os.environ["JUPYTER_DATA_DIR"])
    home = Path(os.path.expanduser("~"))  # not Path.home(), which raises for such a user; here it stays ~
    places = {"darwin": home / "Library" / "Jupyter", "win32": Path(os.environ.get("APPDATA") or home) / "jupyter"}
    unix = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share") / "jupyter"
    place = places.get(sys.platform, unix)
    return None if place.parts[0] == "~" else place


def check_browser():
    """See whether a browser can be opened from here. Without one JupyterLab runs all the same: a warning."""
    mend = f"run `{COMMAND} lab --no-browser` and open the URL that it prints in a browser"
    try:
        name = getattr(webbrowser.get(), "name", "") or "the system's"
    except webbrowser.Error:
        name = None
    except Exception as error:  # what the variable BROWSER holds is read as a command; JupyterLab would stop at it too
        found = f"the variable BROWSER, {os.environ.get('BROWSER')!r}, cannot be read ({error})"
        return Check("browser", PROBLEM, found, f"delete that variable, or {mend}")
    if name and os.path.basename(name) not in TEXT_BROWSERS:
        return Check("browser", OK, os.path.basename(name))
    return Check("browser", WARNING, f"only {name}, which shows text" if name else "none found", mend)


def check_writing(about):
    """Try to write where the course and Jupyter write; each trial file is removed at once."""
    data = jupyter_data()
    runtime = os.environ.get("JUPYTER_RUNTIME_DIR") or (about or {}).get("runtime") or (data and data / "runtime")
    work, elsewhere = ROOT / "work", "move the whole folder to one of yours, such as your home folder"
    places = [
        ("course folder", ROOT, elsewhere),
        ("work folder", work, f"rename {work} or give yourself the right to write in it"),
        ("Jupyter folder", runtime, "set the variable JUPYTER_RUNTIME_DIR to a folder of yours"),
    ]
    return [check for name, folder, mend in places for check in guarded(name, _writing, name, folder, mend)]


def _writing(name, folder, mend):
    """Return the check of one folder, None for that of a user without a home."""
    if folder is None:
        return Check(name, PROBLEM, "you have no home folder", "set the variable HOME to a folder of yours")
    why = cannot_write(Path(folder))
    found = f"cannot write in {folder} ({why})" if why else str(folder)
    return Check(name, PROBLEM if why else OK, found, mend if why else "")


def cannot_write(folder):
    """Return why nobody can write in a folder, or, while it is not there, in the one it will be made in; else None."""
    while not os.path.lexists(str(folder)) and folder != folder.parent:
        folder = folder.parent
    trial = folder / f".firstprinciples-{os.getpid()}"
    try:
        trial.touch(exist_ok=False)
        trial.unlink()
    except OSError as error:
        return error.strerror or str(error)
    return None


def check_disk(set_up):
    """See whether there is room: for a set-up that is still to come, or for work."""
    need, free = DISK_MB if set_up else WORK_MB, shutil.disk_usage(str(ROOT)).free // 2**20
    if free < need:
        why = "the set-up" if set_up else "your work"
        return Check("disk", PROBLEM, f"{free} MB free", f"free {need} MB on the disk that holds {ROOT}, for {why}")
    return Check("disk", OK, f"{free:,} MB free")


def check_path(root):
    """See whether the course stands in a folder whose path Python or Windows would trip over.

    >>> check_path("/srv/ada/my courses").status
    'ok'
    """
    mend = "move the whole folder to a short path of plain letters, such as courses in your home folder"
    if os.pathsep in root:
        return Check("path", PROBLEM, f"{root!r} holds {os.pathsep!r}, where Python splits paths", mend)
    if not root.isprintable():
        return Check("path", PROBLEM, f"{root!r} holds a character that cannot be printed", mend)
    if os.name == "nt" and len(root) > 100:
        return Check("path", WARNING, f"{len(root)} characters long: Windows may refuse files deep inside", mend)
    return Check("path", OK, root)


def check_names(lines):
    """Look for files named like a module of Python or of a package: imported from that folder, they hide it."""
    known = set(getattr(sys, "stdlib_module_names", ())) - {"test"}
    known |= {split_requirement(line)[0] for line in lines} | {"IPython", "ipykernel", "jupyter", "traitlets"}
    found = []
    for folder in ("", "work", "notebooks", "notebooks/exercises"):
        for path in sorted((ROOT / folder).glob("*")):
            whole = path.suffix == ".py" or os.path.isfile(str(path / "__init__.py"))
            if whole and path.name.partition(".")[0] in known:
                found.append(path.relative_to(ROOT).as_posix())
    if found:
        mend = f"rename {'it' if len(found) == 1 else 'them'}, to my_{Path(found[0]).name} for example"
        return Check("file names", PROBLEM, f"{', '.join(found)}: Python takes this for a module of that name", mend)
    return Check("file names", OK, "none hides a module")


def check_port():
    """Say whether the port that `lab` tries first is free; where it is not, `lab` takes the next one."""
    with socket.socket() as trial:
        try:
            trial.bind(("127.0.0.1", 8888))
        except OSError:
            return Check("port 8888", OK, "taken; `lab` uses the next free one")
    return Check("port 8888", OK, "free")


def check_text(encoding):
    """Name the system's encoding; the course reads and writes UTF-8 whatever it is.

    >>> check_text("cp1252").found
    'cp1252; the course uses UTF-8 all the same'
    """
    plain = encoding.lower().replace("-", "") == "utf8"
    return Check("text", OK, encoding if plain else f"{encoding}; the course uses UTF-8 all the same")


def check_others(about):
    """Name other copies of this package that the Python in use could import; the lessons use the one in this folder."""
    others = (about or {}).get("others", [])
    return Check("other copies", OK, f"{', '.join(others)}; lessons use this folder's" if others else "none")


def check_models():
    """Say whether the real encoders' files are there; most vectors come with the course, so none is no fault."""
    if models.cache_folder() is None:
        return Check("model files", OK, "none, and no home folder to keep them in; the stored vectors are used")
    looks = [(name, *models.look(name, remember=False)) for name in models.MODELS]
    damaged = [str(folder / file) for _, folder, wrong in looks for file, why in wrong.items() if why == "damaged"]
    if damaged:
        return Check("model files", WARNING, f"damaged and not used: {', '.join(damaged)}", f"run `{COMMAND} models`")
    there = [name for name, _, wrong in looks if not wrong]
    lacking = [name for name, _, wrong in looks if wrong]
    where = models.cache_folder() / "models"
    found = f"{' and '.join(there)} in {where}" if there else "not fetched; the stored vectors are used"
    size = sum(size for name in lacking for size, _ in models.MODELS[name].files.values()) / 1e6
    what = f"{' and '.join(lacking)}, {max(size, 1):.0f} MB"
    needs = "questions or a collection of your own and for maxsim"
    more = f"; for {needs} `{COMMAND} models` fetches {what}" if lacking else ""
    return Check("model files", OK, found + more)


def text_of(path):
    """Return the text of a file, empty where it cannot be read or is none, such as a pipe, at which we would wait."""
    try:
        return path.read_text("utf-8", errors="replace") if os.path.isfile(str(path)) else ""
    except OSError:
        return ""
