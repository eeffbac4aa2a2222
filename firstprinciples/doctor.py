"""The doctor: look at this machine, name what would stop the course, and say how to mend it. It changes nothing.

It must run where nothing is installed, so it imports the standard library alone; what other Pythons hold it asks those
Pythons. Each check returns one or more `Check`s: "ok", "warning" (the course runs, with a limit) or "problem".
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
    lines = requirements()
    python, about, set_up = python_in_use(lines)
    return [
        check_python(sys.version_info[:3]),
        check_venv(bool(missing(lines))),
        *check_packages(lines, python, about),
        *check_making(set_up),
        check_kernel(venv_python() if set_up else python, None if set_up else about),
        check_browser(),
        *check_writing(about),
        check_disk(set_up),
        check_path(str(ROOT)),
        check_names(lines),
        check_port(),
        check_text(locale.getpreferredencoding(False)),
        check_others(about),
        Check("model files", OK, "not needed yet"),
    ]


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
    command = [python, "-c", PROBE, str(ROOT), *(split_requirement(line)[0] for line in lines)]
    try:
        answer = subprocess.run(command, env=environment(), stderr=subprocess.DEVNULL, timeout=120, **CAPTURED)
        return json.loads(answer.stdout.splitlines()[-1])
    except (OSError, ValueError, IndexError, subprocess.TimeoutExpired):
        return None


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
    marker = VENV / "firstprinciples.txt"
    ours = marker.is_file()
    mend = f"{LAB}, which makes it again" if ours else f"rename the folder {VENV}, then {LAB}"
    if ours and text_of(marker) in (UNFINISHED, ""):
        if abs(time.time() - marker.stat().st_mtime) < QUIET:
            return Check(".venv", WARNING, "is being made right now", "wait until that command is done")
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


def check_packages(lines, python, about):
    """Look at each package: is it there, in a version that was tried, and can it be imported?"""
    in_venv, ours = python == venv_python(), (VENV / "firstprinciples.txt").is_file()
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


def check_making(set_up):
    """Where a set-up is still to come, see whether this Python has what makes .venv: Debian keeps parts of it away."""
    if not set_up or (VENV / "pyvenv.cfg").is_file():
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
    files = [Path(folder, "kernels", "python3", "kernel.json") for folder in folders]
    file = next((file for file in files if file.is_file()), None)
    if file is None:
        return Check("kernel", OK, "that of the course's Python")
    mend = f"rename the folder {file.parent}"
    if str(file.parent.parent.parent) in [place.rstrip(os.sep) for place in given]:
        mend += ", or take its folder out of JUPYTER_PATH"
    try:
        program = json.loads(text_of(file))["argv"][0]
        folder = os.path.dirname(program)
    except (ValueError, KeyError, IndexError, TypeError):
        return Check("kernel", PROBLEM, f"{file} cannot be read", mend)
    # for a bare name Jupyter takes the Python that it runs on itself
    if re.fullmatch(r"python(3(\.\d+)?)?", program) or _place(folder) == _place(os.path.dirname(python)):
        return Check("kernel", OK, f"that of the course's Python ({file.parent})")
    return Check("kernel", PROBLEM, f"notebooks would run on {program}, not on {python}: {file.parent} says so", mend)


def _place(folder):
    return os.path.normcase(os.path.realpath(folder))


def jupyter_data():
    """Return the folder in which Jupyter keeps what belongs to this user, as Jupyter works it out."""
    home = Path.home()
    places = {"darwin": home / "Library" / "Jupyter", "win32": Path(os.environ.get("APPDATA", home)) / "jupyter"}
    unix = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share") / "jupyter"
    return Path(os.environ.get("JUPYTER_DATA_DIR") or places.get(sys.platform, unix))


def check_browser():
    """See whether a browser can be opened from here. Without one JupyterLab runs all the same: a warning."""
    try:
        name = getattr(webbrowser.get(), "name", "") or "the system's"
    except webbrowser.Error:
        name = None
    if name and os.path.basename(name) not in TEXT_BROWSERS:
        return Check("browser", OK, os.path.basename(name))
    mend = f"run `{COMMAND} lab --no-browser` and open the URL that it prints in a browser"
    return Check("browser", WARNING, f"only {name}, which shows text" if name else "none found", mend)


def check_writing(about):
    """Try to write where the course and Jupyter write; each trial file is removed at once."""
    runtime = os.environ.get("JUPYTER_RUNTIME_DIR") or (about or {}).get("runtime") or jupyter_data() / "runtime"
    work, elsewhere = ROOT / "work", "move the whole folder to one of yours, such as your home folder"
    places = [
        ("course folder", ROOT, elsewhere),
        ("work folder", work, f"rename {work} or give yourself the right to write in it"),
        ("Jupyter folder", Path(runtime), "set the variable JUPYTER_RUNTIME_DIR to a folder of yours"),
    ]
    checks = []
    for name, folder, mend in places:
        why = cannot_write(folder)
        found = f"cannot write in {folder} ({why})" if why else str(folder)
        checks.append(Check(name, PROBLEM if why else OK, found, mend if why else ""))
    return checks


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
            whole = path.suffix == ".py" or (path / "__init__.py").is_file()
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


def text_of(path):
    """Return the text of a file, empty where it cannot be read."""
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return ""
