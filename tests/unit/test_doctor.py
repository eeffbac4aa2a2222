"""The doctor: each fault, made for real where a test can, is found and told with how to mend it; sound is ok."""

import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import venv
from collections import namedtuple
from pathlib import Path

import pytest

from firstprinciples import doctor, install, models
from firstprinciples.doctor import Check

REPOSITORY = Path(__file__).resolve().parents[2]
LAB = f"run `{install.COMMAND} lab`"
SOUND = {"numpy": "2.1.0", "jupyterlab": "4.2.0", "ipywidgets": "8.1.0", "matplotlib": "3.8.0", "pytest": "8.0.0",
         "anywidget": "0.9.13"}


def make_python(folder):
    """Make a Python without any package and return (its path, its folder of packages)."""
    venv.create(folder, symlinks=os.name != "nt")
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    return python, next(folder.rglob("site-packages"))


def put_package(site, name, version, text=""):
    """Put a package with one empty module and its record into a folder of packages."""
    (site / f"{name}.py").write_text(text, encoding="utf-8")
    record = site / f"{name}-{version}.dist-info"
    record.mkdir()
    (record / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")


class Laptop:
    """A folder with the course's first files, a Python of its own, a home, a browser, and nothing else."""

    def __init__(self, folder):
        self.root, self.home, self.programs = folder / "course", folder / "home", folder / "programs"
        (self.root / "firstprinciples").mkdir(parents=True)
        self.home.mkdir()
        self.programs.mkdir()
        for name in ("__init__.py", "__main__.py", "install.py", "doctor.py", "models.py"):
            shutil.copy(REPOSITORY / "firstprinciples" / name, self.root / "firstprinciples")
        for name in ("requirements.txt", "pyproject.toml"):
            shutil.copy(REPOSITORY / name, self.root)
        self.python, self.site = make_python(folder / "python")
        browser = self.programs / "firefox"
        browser.write_text("#!/bin/sh\n")
        browser.chmod(0o755)
        unset = ("DISPLAY", "WAYLAND_DISPLAY", "XDG_DATA_HOME", "PYTHONPATH", "PYTHONHOME", "CONDA_PREFIX",
                 "FIRSTPRINCIPLES_CACHE", "XDG_CACHE_HOME")
        kept = {key: value for key, value in os.environ.items() if key not in unset and not key.startswith("JUPYTER")}
        self.environment = {**kept, "HOME": str(self.home), "PATH": str(self.programs), "BROWSER": str(browser),
                            "APPDATA": str(self.home),
                            "LOCALAPPDATA": str(self.home)}

    def install(self, site=None, **versions):
        for name, version in versions.items():
            put_package(site or self.site, name, version)
        return self

    def run(self, *options, python=None):
        command = [str(python or self.python), "-m", "firstprinciples", "doctor", *options]
        return subprocess.run(command, cwd=self.root, env=self.environment, capture_output=True, encoding="utf-8",
                              stdin=subprocess.DEVNULL)

    def examine(self):
        """Return (exit status, {name of the check: (status, found, mend)})."""
        answer = self.run("--json")
        assert answer.stderr == ""
        told = json.loads(answer.stdout)
        assert told["ok"] == (answer.returncode == 0) == all(c["status"] != "problem" for c in told["checks"])
        assert [list(check) for check in told["checks"]] == [["name", "status", "found", "mend"]] * len(told["checks"])
        for check in told["checks"]:
            assert bool(check["mend"]) == (check["status"] != "ok"), check
        return answer.returncode, {c["name"]: (c["status"], c["found"], c["mend"]) for c in told["checks"]}

    def problems(self):
        return {name: (found, mend) for name, (status, found, mend) in self.examine()[1].items() if status == "problem"}

    def files(self):
        return sorted(str(path) for path in self.root.rglob("*") if "__pycache__" not in path.parts)


@pytest.fixture
def laptop(tmp_path):
    return Laptop(tmp_path.resolve())


# A sound machine


def test_what_the_suite_still_lacks_is_told_and_is_no_fault(laptop):
    status, checks = laptop.install(**SOUND, snowballstemmer="3.0.1").examine()
    assert status == 0
    found = f"lacks pytest-xdist; `{install.COMMAND} test` installs that the first time"
    found += " (without a network: --wheelhouse)"
    assert checks["test suite"] == ("ok", found, "")
    put_package(laptop.site, "pytest-xdist", "3.6.1")
    assert "test suite" not in laptop.examine()[1]


def test_a_sound_machine_is_ok_and_nothing_is_changed(laptop):
    before = laptop.install(**SOUND).files()
    status, checks = laptop.examine()
    assert status == 0
    assert {name: check for name, check in checks.items() if check[0] != "ok"} == {}
    assert checks["numpy"] == ("ok", "2.1.0 in this Python", "")
    assert checks["browser"][1] == "firefox"
    assert checks["model files"][1] == ("not fetched; the stored vectors are used; for questions or a collection of "
                                        f"your own and for maxsim `{install.COMMAND} models` fetches minilm and "
                                        "splade-tiny, 109 MB")
    assert laptop.files() == before
    assert list(laptop.home.iterdir()) == []


def test_the_lines_name_each_check_once_and_end_with_the_sum(laptop):
    answer = laptop.install(**SOUND).run()
    lines = answer.stdout.splitlines()
    assert (answer.returncode, answer.stderr) == (0, "")
    assert all(line.startswith("ok ") for line in lines[:-2])
    assert lines[-2:] == ["", "All is well."]


def test_a_problem_is_one_line_and_how_to_mend_it_the_next():
    checks = [Check("numpy", "ok", "2.1"), Check("disk", "problem", "3 MB free", "free 50 MB"),
              Check("browser", "warning", "none found", "use the URL"), Check("x", "warning", "y", "z")]
    assert doctor.report(checks) == [
        "ok       numpy          2.1",
        "problem  disk           3 MB free",
        "         mend it:       free 50 MB",
        "warning  browser        none found",
        "         mend it:       use the URL",
        "warning  x              y",
        "         mend it:       z",
        "",
        "1 problem, 2 warnings.",
    ]


def test_a_bare_machine_is_told_the_one_command(laptop):
    assert laptop.problems() == {"packages": (f"not installed yet: {', '.join(SOUND)}",
                                              f"{LAB}, which installs them into the folder .venv")}
    assert not (laptop.root / ".venv").exists()


# The seven faults


@pytest.mark.parametrize("version, status", [((3, 8, 18), "problem"), ((3, 10, 99), "problem"), ((3, 11, 0), "ok"),
                                             ((3, 14, 1), "ok")])
def test_an_old_python(version, status):  # run by one, __main__ says so itself: see test_command_line.py
    check = doctor.check_python(version)
    assert check.status == status
    assert check.found.startswith(".".join(map(str, version)))
    mend = f"install 3.11 or newer from python.org/downloads, then with it {LAB}"
    assert check.mend == (mend if status == "problem" else "")


def test_a_missing_package(laptop):
    laptop.install(**{name: version for name, version in SOUND.items() if name != "anywidget"})
    assert laptop.problems() == {"anywidget": ("missing in this Python", f"{LAB}, which installs it")}


@pytest.mark.parametrize("version", ["1.20.0", "3.0"])
def test_a_wrong_version(laptop, version):
    laptop.install(**{**SOUND, "numpy": version})
    found = f"{version} in this Python; the course needs >=1.26,<3"
    assert laptop.problems() == {"numpy": (found, f"{LAB}, which installs it")}


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system has a browser")
def test_no_browser_is_a_warning(laptop):
    laptop.install(**SOUND)
    del laptop.environment["BROWSER"]
    mend = f"run `{install.COMMAND} lab --no-browser` and open the URL that it prints in a browser"
    assert laptop.examine()[0] == 0
    assert laptop.examine()[1]["browser"] == ("warning", "none found", mend)
    (laptop.programs / "firefox").rename(laptop.programs / "w3m")
    assert laptop.examine()[1]["browser"] == ("warning", "only w3m, which shows text", mend)


def test_no_right_to_write_in_jupyters_folder(laptop):
    laptop.install(**SOUND)
    blocked = laptop.home / "a file"
    blocked.touch()
    laptop.environment["JUPYTER_RUNTIME_DIR"] = str(blocked / "runtime")
    found, mend = laptop.problems()["Jupyter folder"]
    assert found.startswith(f"cannot write in {blocked / 'runtime'} (")
    assert mend == "set the variable JUPYTER_RUNTIME_DIR to a folder of yours"


def test_no_right_to_write_in_the_course(tmp_path, monkeypatch):
    root = tmp_path / "course"
    root.mkdir()
    monkeypatch.setattr(doctor, "ROOT", root)
    if hasattr(os, "geteuid") and os.geteuid() != 0:
        root.chmod(0o555)
    else:  # root may write everywhere, and Windows knows no such folder

        def touch(path, exist_ok=True):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "touch", touch)
    checks = {check.name: check for check in doctor.check_writing(None)}
    root.chmod(0o755)
    assert [checks[name].status for name in ("course folder", "work folder")] == ["problem", "problem"]
    assert checks["course folder"].found == f"cannot write in {root} (Permission denied)"
    assert checks["course folder"].mend == "move the whole folder to one of yours, such as your home folder"


def test_a_file_where_work_should_be(laptop):
    (laptop.install(**SOUND).root / "work").touch()
    found, mend = laptop.problems()["work folder"]
    assert found.startswith(f"cannot write in {laptop.root / 'work'} (")
    assert mend == f"rename {laptop.root / 'work'} or give yourself the right to write in it"


@pytest.mark.parametrize("free, set_up, status", [(599, True, "problem"), (600, True, "ok"), (49, False, "problem"),
                                                  (50, False, "ok"), (0, False, "problem")])
def test_a_full_disk(monkeypatch, free, set_up, status):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda path: usage(2**40, 0, free * 2**20 + 5))
    check = doctor.check_disk(set_up)
    assert (check.status, check.found) == (status, f"{free} MB free")
    words = f"free {600 if set_up else 50} MB on the disk that holds {install.ROOT}, for "
    assert check.mend.startswith(words) if status == "problem" else check.mend == ""


def put_kernel(folder, text):
    kernel = folder / "kernels" / "python3" / "kernel.json"
    kernel.parent.mkdir(parents=True)
    kernel.write_text(text, encoding="utf-8")
    return kernel.parent


@pytest.mark.parametrize("variable", ["JUPYTER_DATA_DIR", "JUPYTER_PATH", None])
@pytest.mark.parametrize("program", ["gone/bin/python", "other/bin/python3"])
def test_a_kernel_of_another_environment(laptop, variable, program):
    laptop.install(**SOUND)
    folder = laptop.home / "jupyter"
    if variable is None:
        folder = {"darwin": laptop.home / "Library" / "Jupyter", "win32": laptop.home / "jupyter"}.get(
            sys.platform, laptop.home / ".local" / "share" / "jupyter")
    else:
        laptop.environment[variable] = str(folder)
    (laptop.home / "other" / "bin").mkdir(parents=True)
    program = str(laptop.home / program)
    kernel = put_kernel(folder, json.dumps({"argv": [program, "-m", "ipykernel_launcher", "-f", "{file}"]}))
    mend = f"rename the folder {kernel}" + (", or take its folder out of JUPYTER_PATH" * (variable == "JUPYTER_PATH"))
    found = f"notebooks would run on {program}, not on {laptop.python}: {kernel} says so"
    assert laptop.problems() == {"kernel": (found, mend)}


def test_a_kernel_of_this_environment_or_of_whichever_starts_it_is_fine(laptop):
    laptop.install(**SOUND)
    laptop.environment["JUPYTER_DATA_DIR"] = str(laptop.home / "jupyter")
    kernel = put_kernel(laptop.home / "jupyter", json.dumps({"argv": ["python", "-m", "ipykernel_launcher"]}))
    assert laptop.problems() == {}
    (kernel / "kernel.json").write_text(json.dumps({"argv": [str(laptop.python), "-m", "x"]}), encoding="utf-8")
    assert laptop.problems() == {}
    for text in ("{", "[]", '{"argv": []}', '{"argv": [7]}', "{}"):
        (kernel / "kernel.json").write_text(text, encoding="utf-8")
        found = f"{kernel / 'kernel.json'} cannot be read"
        assert laptop.problems() == {"kernel": (found, f"rename the folder {kernel}")}


def test_jupyter_itself_says_where_it_looks_first(tmp_path):
    near, far = tmp_path / "near", tmp_path / "far"
    kernel = put_kernel(near, json.dumps({"argv": [str(tmp_path / "bin" / "python")]}))
    put_kernel(far, json.dumps({"argv": [str(tmp_path / "other" / "python")]}))
    python = str(tmp_path / "bin" / "python3.13")
    assert doctor.check_kernel(python, {"jupyter": [str(near), str(far)]}).status == "ok"
    assert doctor.check_kernel(python, {"jupyter": [str(far), str(near)]}).status == "problem"
    assert doctor.check_kernel(python, {"jupyter": [str(near)]}).found == f"that of the course's Python ({kernel})"


# Other faults


def test_a_package_that_cannot_be_imported(laptop):
    laptop.install(**{name: version for name, version in SOUND.items() if name != "numpy"})
    put_package(laptop.site, "numpy", "2.1.0", "print('hello')\nraise ImportError('a part\\nis gone')\n")
    found = "2.1.0 in this Python is broken (ImportError: a part is gone)"
    mend = f'run `"{laptop.python}" -m pip install --force-reinstall "numpy>=1.26,<3"`'
    assert laptop.problems() == {"numpy": (found, mend)}


def test_a_package_that_crashes_python(laptop):
    laptop.install(**{name: version for name, version in SOUND.items() if name != "numpy"})
    put_package(laptop.site, "numpy", "2.1.0", "import os\nos._exit(139)\n")
    assert laptop.problems()["packages"][0] == "this Python crashes when it imports them"


def make_venv(laptop, ours=True, **versions):
    """Make the course's .venv as `lab` would have left it; return the folder of its packages."""
    _, site = make_python(laptop.root / ".venv")
    laptop.install(site, **{**SOUND, **versions})
    if ours:
        (laptop.root / ".venv" / "firstprinciples.txt").write_text(install.FINISHED, encoding="utf-8")
    return site


def test_packages_in_the_venv_are_looked_at_where_the_running_python_lacks_them(laptop):
    make_venv(laptop)
    status, checks = laptop.examine()
    assert status == 0
    assert checks[".venv"][:2] == ("ok", f"runs, Python {sys.version.split()[0]}")
    assert checks["numpy"][:2] == ("ok", "2.1.0 in .venv")


@pytest.mark.parametrize("ours", [True, False])
def test_a_wrong_version_in_the_venv(laptop, ours):
    make_venv(laptop, ours, numpy="1.20.0")
    found, mend = laptop.problems()["numpy"]
    assert found == "1.20.0 in .venv; the course needs >=1.26,<3"
    python = laptop.root / ".venv" / laptop.python.relative_to(laptop.python.parents[1])
    assert mend == (f"{LAB}, which installs it" if ours else f'run `"{python}" -m pip install "numpy>=1.26,<3"`')


def test_a_broken_package_in_our_own_venv_is_mended_by_making_it_again(laptop):
    (make_venv(laptop) / "numpy.py").write_text("raise OSError", encoding="utf-8")
    assert laptop.problems()["numpy"][1] == f"delete the folder {laptop.root / '.venv'}, then {LAB}"


def test_a_half_made_venv(laptop):
    make_venv(laptop)
    marker = laptop.root / ".venv" / "firstprinciples.txt"
    marker.write_text(install.UNFINISHED, encoding="utf-8")
    assert laptop.examine()[1][".venv"] == ("warning", "is being made right now", "wait until that command is done")
    os.utime(marker, (time.time() - 60,) * 2)
    found, mend = laptop.problems()[".venv"]
    assert found == "half-made: its set-up was interrupted"
    assert mend == f"{LAB}, which makes it again"


def test_while_the_venv_is_made_no_package_is_a_problem(laptop):
    _, site = make_python(laptop.root / ".venv")
    laptop.install(site, numpy=SOUND["numpy"])  # pip puts one after the other there
    marker = laptop.root / ".venv" / "firstprinciples.txt"
    marker.write_text(install.UNFINISHED, encoding="utf-8")
    checks = laptop.examine()[1]
    assert checks["packages"] == ("warning", "are being installed right now", "wait until that command is done")
    assert "numpy" not in checks and "problem" not in {status for status, _, _ in checks.values()}
    os.utime(marker, (time.time() - 60,) * 2)
    assert "packages" not in (problems := laptop.problems()) and "jupyterlab" in problems


@pytest.mark.parametrize("ours", [True, False])
def test_a_venv_whose_python_is_gone(laptop, ours):
    make_venv(laptop, ours)
    python = laptop.root / ".venv" / laptop.python.relative_to(laptop.python.parents[1])
    python.unlink()
    python.write_text("", encoding="utf-8")
    settings = laptop.root / ".venv" / "pyvenv.cfg"
    settings.write_text(f"home = {laptop.home / 'no such'}\n", encoding="utf-8")
    problems = laptop.problems()
    assert problems[".venv"] == (
        f"its Python does not run: it was made by the Python in {laptop.home / 'no such'}, which is gone",
        f"{LAB}, which makes it again" if ours else f"rename the folder {laptop.root / '.venv'}, then {LAB}")
    # where the running Python has all packages, nobody needs that .venv
    status, checks = laptop.install(**SOUND).examine()
    assert (status, checks[".venv"][0]) == (0, "warning")


def test_a_venv_that_was_moved_with_its_folder(laptop):
    make_venv(laptop)
    settings = laptop.root / ".venv" / "pyvenv.cfg"
    old = laptop.home / "old place" / ".venv"
    settings.write_text(f"home = {Path(sys._base_executable).parent}\ncommand = /usr/bin/python3 -m venv --without-pip "
                        f"{old}\n", encoding="utf-8")
    status, found, mend = laptop.examine()[1][".venv"]
    assert (status, found) == ("warning", f"was made as {old} and then moved or copied")
    assert mend == f"if something in it fails, delete the folder {laptop.root / '.venv'}, then {LAB}"


def test_files_that_hide_a_module_are_named_and_do_not_stop_the_doctor(laptop):
    laptop.install(**SOUND)
    (laptop.root / "work").mkdir()
    for name in ("random.py", "json.py", "numpy.py", "work/statistics.py", "work/bm25.py", "test.py"):
        (laptop.root / name).write_text("raise SystemExit('a learner was here')", encoding="utf-8")
    found, mend = laptop.problems()["file names"]
    assert found == ("json.py, numpy.py, random.py, work/statistics.py: Python takes this for a module of that name")
    assert mend == "rename them, to my_json.py for example"


def test_a_path_at_which_python_trips():
    for root in (f"a{os.pathsep}b", "a\nb"):
        check = doctor.check_path(root)
        assert (check.status, check.mend[:21]) == ("problem", "move the whole folder")
        assert repr(root) in check.found
    assert doctor.check_path("/srv/zoë/mes cours (été)").status == "ok"


def test_a_python_that_cannot_make_a_venv(monkeypatch, tmp_path):
    monkeypatch.setattr(doctor, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(doctor, "runs_pip", lambda python: False)
    monkeypatch.setattr(doctor.importlib.util, "find_spec", lambda name: name != "ensurepip" or None)
    (check,) = doctor.check_making(True)
    assert check.status == "problem"
    assert "sudo apt install python3-venv" in check.mend
    assert doctor.check_making(False) == []


def test_a_port_that_is_taken_is_only_told():
    with socket.socket() as other:
        try:
            other.bind(("127.0.0.1", 8888))
        except OSError:
            pass  # somebody else has it: as good
        other.listen() if other.getsockname()[1] else None
        assert doctor.check_port() == Check("port 8888", "ok", "taken; `lab` uses the next free one")


def test_other_copies_of_the_course_are_only_told(laptop):
    (laptop.install(**SOUND).site / "firstprinciples").mkdir()
    status, checks = laptop.examine()
    assert status == 0
    assert checks["other copies"][1] == f"{laptop.site}; lessons use this folder's"


# The list is whole on the strangest machine

WHOLE = "run this in a whole clone of the repository"
NAMES = [".venv", "browser", "course folder", "work folder", "Jupyter folder", "disk", "path", "file names", "kernel",
         "port 8888", "text", "other copies", "model files"]


def test_a_check_that_stops_is_a_problem_and_the_others_go_on(monkeypatch):
    def stop(*_):
        raise RuntimeError("no\nhome")

    for name in dir(doctor):
        if name.startswith("check_"):
            monkeypatch.setattr(doctor, name, stop)
    checks = doctor.examine()
    assert [check.name for check in checks] == [
        "Python", ".venv", "packages", "test suite", "venv and pip", "kernel", "browser", "folders", "disk", "path",
        "file names", "port 8888", "text", "other copies", "model files"]
    mend = f"mend what these words name and run `{install.COMMAND} doctor` again"
    assert {check[1:] for check in checks[:-1]} == {("problem", "cannot be checked (RuntimeError: no home)", mend)}


@pytest.mark.parametrize("error", [RecursionError(), MemoryError(), TypeError("x"), OSError(5, "bad disk", "f")])
def test_whatever_stops_a_check_is_told_in_its_own_words(error):
    def stop():
        raise error

    (check,) = doctor.guarded("disk", stop)
    assert (check.name, check.status) == ("disk", "problem")
    assert check.found.startswith(f"cannot be checked ({type(error).__name__}: {error}".rstrip())
    refused = doctor.stopped("disk", PermissionError(13, "Permission denied", "/x/y"))
    assert refused.mend == "give yourself the right to read /x/y"


@pytest.mark.parametrize("file, text, found", [
    ("requirements.txt", None, "{} is missing"),
    ("pyproject.toml", None, "{} is missing"),
    ("pyproject.toml", "[project", "requirements.txt or pyproject.toml is damaged (Expected ']'"),
    ("pyproject.toml", "[project]", "requirements.txt or pyproject.toml is damaged ('optional-dependencies')"),
    ("pyproject.toml", "project = 7", "requirements.txt or pyproject.toml is damaged ("),
])
def test_without_the_list_of_packages_the_rest_is_checked(laptop, file, text, found):
    path = laptop.install(**SOUND).root / file
    path.unlink() if text is None else path.write_text(text, encoding="utf-8")
    status, checks = laptop.examine()
    assert status == 1
    assert found.format(path) in checks["requirements"][1]
    assert checks["requirements"][2] == WHOLE
    assert [name for name in NAMES if checks[name][0] == "problem"] == []
    assert "numpy" not in checks


def test_a_line_of_the_list_that_cannot_be_read_is_told_and_the_others_are_checked(laptop):
    with (laptop.install(**SOUND).root / "requirements.txt").open("a", encoding="utf-8") as file:
        file.write("\nnumpy!!1\n")
    status, checks = laptop.examine()
    assert (status, checks["numpy"][0]) == (1, "ok")
    assert checks["requirements"][1].startswith("requirement 'numpy!!1': write a name and conditions with")
    assert checks["requirements"][2] == f"mend that line of {laptop.root / 'requirements.txt'}, or {WHOLE}"


def test_a_version_without_a_number_is_none_that_the_course_takes(laptop):
    laptop.install(**{**SOUND, "numpy": "unknown"})
    found = "unknown in this Python; the course needs >=1.26,<3"
    assert laptop.problems() == {"numpy": (found, f"{LAB}, which installs it")}


@pytest.mark.parametrize("last", ["42", "{}", "[", '{"version": [3, 11, 0], "packages": {}, "others": []}'])
def test_what_a_python_prints_as_it_ends_is_not_taken_for_the_answer(laptop, last):
    (laptop.install(**SOUND).site / "greeting.pth").write_text(  # as a sitecustomize.py may do, of which there is one
        f"import atexit, sys; sys.argv[0] == '-c' and atexit.register(print, {last!r})\n", encoding="utf-8")
    answer = subprocess.run([str(laptop.python), "-c", "1"], capture_output=True, encoding="utf-8")
    assert set(answer.stdout.splitlines()) == {last}  # it does print, on some systems twice
    assert laptop.problems() == {}


@pytest.mark.skipif(os.name == "nt", reason="a script that stands for a program is one of Unix")
@pytest.mark.parametrize("prints", ["42", "{}", "null", '"a"', "[[[", '{"version": "3.11", "packages": {}}', ""])
def test_a_program_in_place_of_the_venvs_python_does_not_run(laptop, prints):
    python = laptop.root / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\necho '{prints}'\n", encoding="utf-8")
    python.chmod(0o755)
    (laptop.root / ".venv" / "firstprinciples.txt").write_text(install.FINISHED, encoding="utf-8")
    problems = laptop.problems()
    assert problems[".venv"] == ("its Python does not run", f"{LAB}, which makes it again")
    assert sorted(problems) == [".venv", "packages"]


SOUND_ANSWER = {"version": [3, 11, 7], "packages": {"numpy": ["2.1", None]}, "others": [], "jupyter": ["/a"]}


@pytest.mark.parametrize("change", [{"version": [3, 11]}, {"version": [3, 11, "x"]}, {"version": 3}, {"packages": []},
                                    {"packages": {}}, {"packages": {"numpy": 7}}, {"packages": {"numpy": ["2.1"]}},
                                    {"packages": {"numpy": [2, None]}}, {"packages": None}, {"others": [7]},
                                    {"others": None}, {"jupyter": 7}, {"jupyter": [None]}, {"runtime": 7}])
def test_an_answer_must_be_one_in_every_part(change):
    assert doctor.is_answer(SOUND_ANSWER, ["numpy"])
    assert not doctor.is_answer({**SOUND_ANSWER, **change}, ["numpy"])


@pytest.mark.parametrize("text", [
    '{"argv": "python"}', '{"argv": ["a\\u0000b/python"]}', '{"argv": ["\\ud800/python"]}', "[" * 100_000,
    '{"argv": 7}', '{"argv": [null]}', "7"])
def test_a_kernel_that_jupyter_cannot_start_cannot_be_read(laptop, text):
    laptop.install(**SOUND).environment["JUPYTER_DATA_DIR"] = str(laptop.home / "jupyter")
    kernel = put_kernel(laptop.home / "jupyter", text)
    found = f"{kernel / 'kernel.json'} cannot be read"
    assert laptop.problems() == {"kernel": (found, f"rename the folder {kernel}")}


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system has a browser")
@pytest.mark.parametrize("browser, why", [("'%s", "No closing quotation"), (" ", "list index out of range")])
def test_a_variable_browser_that_is_no_command(laptop, browser, why):
    laptop.install(**SOUND).environment["BROWSER"] = browser
    found, mend = laptop.problems()["browser"]
    assert found == f"the variable BROWSER, {browser!r}, cannot be read ({why})"
    assert mend.startswith(f"delete that variable, or run `{install.COMMAND} lab --no-browser`")


@pytest.fixture
def homeless(monkeypatch):
    """Stand for a user whom the system does not know, as in a container: no entry in the list of users, no HOME."""
    pwd = pytest.importorskip("pwd", reason="Windows knows no such user")

    def unknown(number):
        raise KeyError(f"getpwuid(): uid not found: {number}")

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    for name in ("HOME", "XDG_DATA_HOME", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)


def test_a_user_without_a_home(homeless, tmp_path, monkeypatch):
    assert doctor.jupyter_data() is None
    assert doctor.check_kernel(sys.executable, None).status == "ok"
    checks = {check.name: check for check in doctor.check_writing(None)}
    assert checks["Jupyter folder"] == Check("Jupyter folder", "problem", "you have no home folder",
                                             "set the variable HOME to a folder of yours")
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    assert doctor.jupyter_data() == tmp_path / "data"
    checks = {check.name: check for check in doctor.check_writing(None)}
    assert checks["Jupyter folder"] == Check("Jupyter folder", "ok", str(tmp_path / "data" / "runtime"))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    checks = {check.name: check for check in doctor.check_writing(None)}
    assert checks["Jupyter folder"].found == str(tmp_path / "runtime")


@pytest.fixture
def closed(monkeypatch):
    """Give a course folder with folders that nobody may enter, and be somebody whom that stops."""
    if os.name == "nt":
        pytest.skip("Windows knows no such folder")
    with tempfile.TemporaryDirectory() as place:  # not tmp_path, which only its owner may enter
        place = Path(place).resolve()
        place.chmod(0o755)
        (place / "work" / "kept").mkdir(parents=True)
        folders = [place / name for name in ("work/kept", "work", ".ipynb_checkpoints", ".venv", "kernels", "home")]
        for folder in folders:
            folder.mkdir(exist_ok=True)
            folder.chmod(0)
        for name, value in (("ROOT", place), ("VENV", place / ".venv")):
            monkeypatch.setattr(doctor, name, value)
        monkeypatch.setattr(install, "VENV", place / ".venv")
        for name in ("JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "XDG_DATA_HOME"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("HOME", str(place / "home"))
        root = os.geteuid() == 0
        if root:
            os.setresuid(65534, 65534, 0)  # root may enter everywhere; the last number is the way back
        try:
            yield place
        finally:
            if root:
                os.setresuid(0, 0, 0)
            for folder in reversed(folders):
                folder.chmod(0o755)


def test_folders_that_one_may_not_enter_are_told_where_they_matter(closed, monkeypatch):
    assert not os.access(closed / "work", os.X_OK)
    assert doctor.check_names(["numpy>=1.26,<3"]).status == "ok"
    for needed, status in ((True, "problem"), (False, "warning")):
        found = f"you may not look into {closed / '.venv'}"
        mend = f"give yourself the right to read it, or rename it, then {LAB}"
        assert doctor.check_venv(needed) == Check(".venv", status, found, mend)
    assert doctor.ask(install.venv_python(), []) is None
    assert doctor.check_packages(["numpy"], install.venv_python(), None)[0].status == "problem"
    monkeypatch.setattr(doctor, "runs_pip", lambda python: True)
    assert [check.status for check in doctor.check_making(True)] == ["ok"]
    monkeypatch.setenv("JUPYTER_PATH", str(closed / "work"))  # Jupyter passes by what it cannot enter
    assert doctor.check_kernel(sys.executable, None).status == "ok"
    checks = {check.name: check for check in doctor.check_writing(None)}
    assert checks["work folder"].found == f"cannot write in {closed / 'work'} (Permission denied)"
    assert checks["Jupyter folder"].status == "problem"
    assert "(Permission denied)" in checks["Jupyter folder"].found


def test_a_folder_of_kernels_that_jupyter_could_not_list(closed, monkeypatch):
    monkeypatch.setenv("JUPYTER_PATH", str(closed))
    check = doctor.check_kernel(sys.executable, None)
    assert (check.status, check.found) == ("problem", f"you may not look into {closed / 'kernels'}")
    assert check.mend == "give yourself that right, or take its folder out of JUPYTER_PATH"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs the pipes of Unix")
def test_a_pipe_in_place_of_a_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pyvenv.cfg")
    assert doctor.text_of(tmp_path / "pyvenv.cfg") == ""


# The model files


@pytest.fixture
def one_model(tmp_path, monkeypatch):
    """One small model instead of the real ones; returns the folder in which its file belongs."""
    content = b"numbers"
    table = {"tiny": models.Model("a tiny one", "tiny-1.0-py3-none-any.whl", "inside/",
                                  {"model.safetensors": (len(content), hashlib.sha256(content).hexdigest())})}
    monkeypatch.setattr(models, "MODELS", table)
    monkeypatch.setenv("FIRSTPRINCIPLES_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "cache" / "models" / "tiny"
    folder.mkdir(parents=True)
    return folder


def test_model_files_that_are_there_are_named_and_nothing_is_written(one_model):
    (one_model / "model.safetensors").write_bytes(b"numbers")
    assert doctor.check_models() == Check("model files", "ok", f"tiny in {one_model.parent}")
    assert [path.name for path in one_model.iterdir()] == ["model.safetensors"]


def test_model_files_that_are_not_there_are_no_fault(one_model, monkeypatch):
    check = doctor.check_models()
    assert (check.status, check.mend) == ("ok", "")
    assert check.found.endswith("; for questions or a collection of your own and for maxsim "
                                f"`{install.COMMAND} models` fetches tiny, 1 MB")
    monkeypatch.setattr(models, "cache_folder", lambda: None)
    assert doctor.check_models().status == "ok"


def test_a_damaged_model_file_is_a_warning(one_model):
    (one_model / "model.safetensors").write_bytes(b"nambers")
    found = f"damaged and not used: {one_model / 'model.safetensors'}"
    assert doctor.check_models() == Check("model files", "warning", found, f"run `{install.COMMAND} models`")
