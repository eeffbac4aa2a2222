"""Set-up: reading requirements, choosing a Python, making .venv, and one sentence for each fault. No network."""

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
import tomllib
import venv
import zipfile
from collections import namedtuple
from pathlib import Path

import pytest

from firstprinciples import install

REPOSITORY = Path(__file__).resolve().parents[2]


# Reading requirements


@pytest.mark.parametrize(
    "line, expected",
    [
        ("numpy", ("numpy", [])),
        ("numpy>=1.26,<3", ("numpy", [(">=", "1.26"), ("<", "3")])),
        ("  rank_bm25 ~= 0.2.2 ", ("rank_bm25", [("~=", "0.2.2")])),
        ("pytrec_eval-terrier==0.5.11", ("pytrec_eval-terrier", [("==", "0.5.11")])),
        ("a.b-c>=1.0rc1", ("a.b-c", [(">=", "1.0rc1")])),
    ],
)
def test_a_requirement_is_split(line, expected):
    assert install.split_requirement(line) == expected


@pytest.mark.parametrize(
    "line", ["numpy!=2", "numpy>2", "numpy>=1,", "numpy; python_version>'3'", "", ">=1", "numpy>=x"]
)
def test_a_requirement_we_cannot_read_is_an_error_that_quotes_it(line):
    with pytest.raises(ValueError, match="write a name and conditions with") as error:
        install.split_requirement(line)
    assert repr(line) in str(error.value)


@pytest.mark.parametrize(
    "version, requirement, expected",
    [
        ("1.26.0", "n>=1.26,<3", True),
        ("1.25.9", "n>=1.26,<3", False),
        ("2.10", "n>=2.9", True),  # numbers, not text
        ("3.0.0", "n<3", False),
        ("3.0.0rc1", "n<3", False),  # a candidate of the version that is kept out
        ("2.9.9.post1", "n<3", True),
        ("3", "n>=3.0", True),
        ("3.0", "n==3", True),
        ("3.0.1", "n==3", False),
        ("2.1.0+cpu", "n==2.1", True),
        ("3.9", "n~=3.1", True),
        ("4.0", "n~=3.1", False),
        ("3.0", "n~=3.1", False),
        ("3.1.9", "n~=3.1.2", True),
        ("3.2", "n~=3.1.2", False),
        ("7", "n", True),
        ("unknown", "n>=1", False),  # no number: nobody can say
        ("unknown", "n<3", False),
        ("unknown", "n", True),
        ("9" * 5000, "n>=1,<3", False),
    ],
)
def test_a_version_is_held_against_a_range(version, requirement, expected):
    assert install.satisfies(version, install.split_requirement(requirement)[1]) is expected


def test_the_repositorys_own_requirements_can_be_read():
    assert install.names(install.requirements()) == "numpy, jupyterlab, ipywidgets, matplotlib, pytest, anywidget"
    assert install.names(install.requirements("test")).endswith("anywidget, snowballstemmer, pytest-xdist")
    for extra in ("test", "peers", "graduate"):
        for line in install.requirements(extra):
            operators = [operator for operator, _ in install.split_requirement(line)[1]]
            assert operators == [">=", "<"], f"{line}: a lower bound that was tried, and an upper one"


def test_missing_names_what_is_absent_too_old_or_broken(tmp_path, monkeypatch):
    add_package(tmp_path, "tiny", "1.5")
    add_package(tmp_path, "old_one", "0.9")
    (tmp_path / "broken-1.0.dist-info").mkdir()  # as an interrupted installation leaves it
    monkeypatch.syspath_prepend(str(tmp_path))
    add_package(tmp_path, "odd", "unknown")
    add_package(tmp_path, "latin", "1.0")
    (tmp_path / "latin-1.0.dist-info" / "METADATA").write_bytes(b"Name: latin\nSummary: n\xe9e\nVersion: 1.0\n")
    lines = ["tiny>=1,<2", "old-one>=1", "broken", "no-such-package-here>=1", "odd>=1", "latin>=1"]
    assert install.missing(lines) == lines[1:]


@pytest.mark.skipif(os.name == "nt", reason="a script that stands for a program is one of Unix")
@pytest.mark.parametrize("does, lacking", [
    ("echo 42", None), ("echo; exit 0", None), ("exit 1", None), ("echo lacks; exit 1", None),
    ("echo hello; echo lacks; echo 42", []), ("echo lacks; echo 'wee>=3'; echo 42", ["wee>=3"])])
def test_what_another_python_lacks_is_taken_from_its_answer_alone(tmp_path, does, lacking):
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\n{does}\n", encoding="utf-8")
    python.chmod(0o755)
    assert install.missing_in(str(python), ["tiny>=1", "wee>=3"]) == lacking


# Which Python


def add_package(folder, name, version):
    """Make a folder look as if a package were installed in it."""
    metadata = folder / f"{name}-{version}.dist-info" / "METADATA"
    metadata.parent.mkdir(parents=True)
    metadata.write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", "utf-8")


def site_packages(home):
    return Path(sysconfig.get_path("purelib", "venv", vars={"base": str(home / ".venv")}))


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A small repository, in a folder with spaces, that needs a package `tiny`; install.py takes it for its own."""
    home = tmp_path / "a course" / "first principles"
    (home / "firstprinciples").mkdir(parents=True)
    for name in ("__init__.py", "__main__.py", "install.py"):
        shutil.copy(REPOSITORY / "firstprinciples" / name, home / "firstprinciples")
    (home / "requirements.txt").write_text("# a comment\ntiny>=1,<2  # and another\n", "utf-8")
    (home / "pyproject.toml").write_text('[project.optional-dependencies]\ntest = ["wee>=3"]\n', "utf-8")
    monkeypatch.setattr(install, "ROOT", home)
    monkeypatch.setattr(install, "VENV", home / ".venv")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    return home


@pytest.fixture
def calls(monkeypatch):
    """Record what would be made and installed, instead of doing it."""
    calls = []
    monkeypatch.setattr(install, "make_venv", lambda: calls.append("make"))
    monkeypatch.setattr(install, "install", lambda lines, *_: calls.append(("install", lines)))
    return calls


def make_venv(home, marker=None, packages=()):
    """Make a real .venv, without pip to be quick, and with the marker's text if it is to be one of ours."""
    venv.create(home / ".venv", with_pip=False, symlinks=os.name != "nt")
    for name, version in packages:
        add_package(site_packages(home), name, version)
    if marker:
        (home / ".venv" / "firstprinciples.txt").write_text(marker, "utf-8")
        leave_alone(home / ".venv" / "firstprinciples.txt")


def leave_alone(marker):
    """Make a marker as old as if nobody had touched it for a minute."""
    os.utime(marker, (time.time() - 60,) * 2)


def files(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if "__pycache__" not in path.parts)


def test_the_running_python_is_used_where_it_has_the_packages(home, calls, monkeypatch):
    add_package(home, "tiny", "1.5")
    monkeypatch.syspath_prepend(str(home))
    assert install.ready_python(["tiny>=1,<2"]) == sys.executable
    assert calls == []


@pytest.mark.parametrize("marker", [install.FINISHED, None], ids=["ours", "foreign"])
def test_a_venv_that_has_the_packages_is_used_as_it_is(home, calls, marker):
    make_venv(home, marker, [("tiny", "1.5")])
    before = files(home / ".venv")
    python = install.ready_python(["tiny>=1,<2"])
    assert Path(python).parent.parent == home / ".venv"
    assert subprocess.check_output([python, "-c", "print(6 * 7)"], text=True).strip() == "42"
    assert calls == []
    assert files(home / ".venv") == before


@pytest.mark.parametrize("needed", [["tiny>=1,<2"], ["wee>=3"]], ids=["lab", "test"])
def test_the_first_time_all_that_lab_and_test_need_is_installed_each_once(home, calls, needed):
    assert install.ready_python(needed) == install.venv_python()
    assert calls == ["make", ("install", ["tiny>=1,<2", "wee>=3"])]


@pytest.mark.parametrize(
    "needed, wheelhouse, attempts",
    [
        (["tiny>=1,<2"], True, [["tiny>=1,<2", "wee>=3"], ["tiny>=1,<2"]]),
        (["tiny>=1,<2", "wee>=3"], True, [["tiny>=1,<2", "wee>=3"]]),
        (["tiny>=1,<2"], False, [["tiny>=1,<2", "wee>=3"]]),
    ],
    ids=["lab from a folder", "test from a folder", "lab from the index"],
)
def test_a_wheelhouse_alone_may_lack_what_is_not_asked_for(home, calls, monkeypatch, needed, wheelhouse, attempts):
    seen = []

    def refuse(lines, *_):
        seen.append(lines)
        raise OSError("lacks something")

    monkeypatch.setattr(install, "install", refuse)
    with pytest.raises(OSError, match="lacks something"):
        install.ready_python(needed, home if wheelhouse else None)
    assert seen == attempts


def test_our_venv_gets_only_what_it_lacks(home, calls, monkeypatch):
    make_venv(home, install.FINISHED, [("tiny", "1.5"), ("wee", "2.0")])
    monkeypatch.setattr(install, "pip_command", lambda python: ["pip"])
    install.ready_python(["tiny>=1,<2", "wee>=3"])
    assert calls == [("install", ["wee>=3"])]


@pytest.mark.parametrize("fault", ["interrupted", "python gone", "no pip"])
def test_our_half_made_venv_is_made_again(home, calls, monkeypatch, capsys, fault):
    packages = [("tiny", "1.5")]
    if fault == "interrupted":
        make_venv(home, install.UNFINISHED, [*packages, ("wee", "3.0")])  # what is there may be there in part
    else:
        make_venv(home, install.FINISHED, packages)
    if fault == "python gone":
        os.remove(install.venv_python())
    if fault == "no pip":
        monkeypatch.setattr(install, "runs_pip", lambda python: False)
    install.ready_python(["tiny>=1,<2", "wee>=3"])
    assert calls == ["make", ("install", ["tiny>=1,<2", "wee>=3"])]
    assert files(home / ".venv") == ["firstprinciples.txt"]  # the rest was removed, and `make` stands for making it
    assert (home / ".venv" / "firstprinciples.txt").read_text("utf-8") == install.UNFINISHED
    assert capsys.readouterr().err == "Removing .venv, which is half-made or whose Python or pip is gone ...\n"


@pytest.mark.parametrize("text", [install.UNFINISHED, ""], ids=["at work", "just writing its marker"])
def test_a_venv_that_another_command_is_making_is_waited_for_and_left_alone(home, calls, text):
    make_venv(home, install.UNFINISHED)
    (home / ".venv" / "firstprinciples.txt").write_text(text, "utf-8")
    before = files(home / ".venv")
    sentence = f"another command is setting up {home / '.venv'}: wait until it is done and run this again"
    with pytest.raises(OSError) as error:
        install.ready_python(["tiny>=1,<2"])
    assert str(error.value) == sentence
    with pytest.raises(OSError) as error:  # and where the other one began after we had looked
        install.claim(home / ".venv" / "firstprinciples.txt", again=True)
    assert str(error.value) == sentence
    with pytest.raises(OSError) as error:
        install.claim(home / ".venv" / "firstprinciples.txt", again=False)
    assert str(error.value) == sentence
    assert calls == []
    assert files(home / ".venv") == before


def test_while_venv_is_made_its_marker_is_touched(tmp_path):
    marker = tmp_path / "firstprinciples.txt"
    marker.write_text(install.UNFINISHED, "utf-8")
    leave_alone(marker)
    assert install.half_made(marker)
    with install.at_work(marker):
        end = time.monotonic() + 60
        while time.time() - marker.stat().st_mtime > 30 and time.monotonic() < end:
            time.sleep(0.05)
    with pytest.raises(OSError, match="another command is setting up"):
        install.half_made(marker)


@pytest.mark.parametrize("fault", [KeyboardInterrupt, OSError], ids=["Ctrl-C", "no network"])
def test_after_a_set_up_that_failed_the_same_command_begins_again_at_once(home, calls, monkeypatch, fault):
    def fail(*_):
        assert (home / ".venv" / "firstprinciples.txt").read_text("utf-8") == install.UNFINISHED
        raise fault

    with monkeypatch.context() as patch:
        patch.setattr(install, "install", fail)
        with pytest.raises(fault):
            install.ready_python(["tiny>=1,<2"])
    install.ready_python(["tiny>=1,<2"])
    assert calls == ["make", "make", ("install", ["tiny>=1,<2", "wee>=3"])]


def test_a_foreign_venv_without_the_packages_is_left_alone(home, calls):
    make_venv(home, None, [("tiny", "2.0")])
    before = files(home / ".venv")
    with pytest.raises(OSError) as error:
        install.ready_python(["tiny>=1,<2", "wee>=3"])
    assert str(error.value) == (
        f"{home / '.venv'} was not made by this command and lacks tiny, wee: run "
        f'`"{install.venv_python()}" -m pip install "tiny>=1,<2" "wee>=3"`, or rename that folder, and run this again'
    )
    assert calls == []
    assert files(home / ".venv") == before


def test_a_foreign_venv_that_does_not_run_is_left_alone(home, calls):
    (home / ".venv").mkdir()
    with pytest.raises(OSError, match="not made by this command and has no Python 3.11 that runs: rename it"):
        install.ready_python(["tiny>=1,<2"])
    assert calls == []
    assert files(home / ".venv") == []


def test_the_python_of_a_half_made_venv_does_not_saw_off_its_own_branch(home, monkeypatch):
    make_venv(home, install.UNFINISHED)
    monkeypatch.setattr(sys, "prefix", str(home / ".venv"))
    with pytest.raises(OSError, match="run `deactivate`, and then this again"):
        install.ready_python(["tiny>=1,<2"])
    assert Path(install.venv_python()).exists()


# Faults


@pytest.mark.parametrize(
    "output, sentence",
    [
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "the disk is full"),
        ("OSError: [WinError 112] There is not enough space on the disk", "the disk is full"),
        ("[Errno 2] No such file: 'C:\\\\x'\nHINT: ... does not have Windows Long Path support enabled", "is too long"),
        ("ERROR: Could not install packages due to an OSError: [Errno 13] Permission denied: '/x'", "cannot write in"),
        ("Error: [Errno 30] Read-only file system: '/x/.venv'", "cannot write in"),
        ("PermissionError: [WinError 5] Access is denied", "cannot write in"),
        ("The virtual environment was not created successfully because ensurepip is not available.", "python3-venv"),
        ("/usr/bin/python3: No module named venv", "python3-venv"),
        (
            "WARNING: Retrying (Retry(total=4)) after connection broken by 'NewConnectionError(... Temporary failure "
            "in name resolution)'\nERROR: No matching distribution found for numpy<3,>=1.26",
            "cannot reach the package index",
        ),
        ("SSLError(SSLCertVerificationError(1, 'CERTIFICATE_VERIFY_FAILED'))", "cannot reach the package index"),
        ("ERROR: No matching distribution found for numpy<3,>=1.26", "there is no ready-made numpy for Python 3."),
        ("error: metadata-generation-failed", "there is no ready-made a package for Python 3."),
        ("Collecting x\nERROR: something quite new\nhint: none", "pip failed (ERROR: something quite new): delete"),
        ("", "pip failed (no message): delete"),
    ],
)
def test_what_pip_or_venv_says_becomes_one_sentence(home, output, sentence):
    said = install.explain(output, "pip")
    assert sentence in said
    assert "\n" not in said


@pytest.mark.parametrize(
    "output",
    [
        "ERROR: Could not find a version that satisfies the requirement contourpy>=1.0.1 (from matplotlib)\n"
        "ERROR: No matching distribution found for contourpy>=1.0.1",
        "ERROR: Could not find a version that satisfies the requirement contourpy>=1.0.1 (from versions: none)",
    ],
)
def test_a_wheelhouse_that_lacks_a_package_is_told_which(home, output):
    said = install.explain(output, "pip", Path("my wheels"))
    assert said.startswith("my wheels lacks the package contourpy for Python 3.")
    assert f'`{install.PYTHON} -m pip download -d FOLDER -r requirements.txt "wee>=3"`' in said


def test_the_line_that_fills_a_wheelhouse_names_all_that_the_suite_needs_as_the_readme_does(home):
    (home / "pyproject.toml").write_text('[project.optional-dependencies]\ntest = ["wee>=3", "tall>=2,<3"]\n', "utf-8")
    said = install.explain("ERROR: No matching distribution found for tall>=2", "pip", Path("wheels"))
    assert said.endswith('-r requirements.txt "wee>=3" "tall>=2,<3"`')
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = " ".join(f'"{line}"' for line in project["optional-dependencies"]["test"])
    assert f"pip download -d FOLDER -r requirements.txt {wanted}\n" in (REPOSITORY / "README.md").read_text("utf-8")


@pytest.mark.parametrize("patience, told", [(5, "in order"), (0.2, "")])
@pytest.mark.skipif(os.name == "nt", reason="needs the signals of Unix")
def test_after_an_interrupt_a_child_has_time_to_put_its_things_in_order(patience, told):
    program = """if True:
        import signal, sys, time
        signal.signal(signal.SIGINT, lambda *_: (time.sleep(1), print("in order", flush=True), sys.exit()))
        print("ready", flush=True)
        time.sleep(60)"""
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    child.send_signal(signal.SIGINT)
    wait, first = child.wait, [KeyboardInterrupt]

    def interrupted(timeout=None):
        if first:
            raise first.pop()
        return wait(timeout)

    child.wait = interrupted
    with pytest.raises(KeyboardInterrupt):
        install.finish(child, patience=patience)
    assert child.stdout.read().strip() == told
    assert child.returncode is not None
    child.stdout.close()


def test_a_wheelhouse_that_is_not_there_is_said_before_anything_is_made(home, calls):
    with pytest.raises(ValueError, match="^--wheelhouse no such: there is no such folder; give the one that holds"):
        install.ready_python(["tiny>=1,<2"], "no such")
    assert calls == []


def test_a_whole_clone_is_needed(home):
    (home / "requirements.txt").unlink()
    with pytest.raises(OSError, match="requirements.txt is missing: run this in a whole clone of the repository"):
        install.requirements()


@pytest.mark.parametrize("file, data", [("requirements.txt", b"\xff\xfe"), ("pyproject.toml", b"[project"),
                                        ("pyproject.toml", b"project = 7"), ("pyproject.toml", b"[project]")])
def test_a_damaged_list_of_packages_is_one_sentence(home, file, data):
    (home / file).write_bytes(data)
    with pytest.raises(ValueError, match=r"pyproject.toml is damaged \(.*\): run this in a whole clone of the repo"):
        install.requirements("test")


def test_too_small_a_disk_is_said_before_anything_is_made(home, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage(10**9, 9 * 10**8, 99 * 2**20))
    with pytest.raises(OSError, match="has 99 MB free: free 600 MB and run this again"):
        install.ready_python(["tiny>=1,<2"])
    assert not (home / ".venv").exists()


def test_a_folder_that_cannot_be_written_is_one_sentence(home, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied", str(home / ".venv"))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(OSError) as error:
        install.claim(home / ".venv" / "firstprinciples.txt", again=False)
    assert str(error.value) == f"cannot write in {home} (Permission denied): move the repository to a folder of yours"


@pytest.mark.parametrize("pip_to_lend", [True, False])
def test_without_ensurepip_the_running_pythons_pip_is_lent_if_there_is_one(home, monkeypatch, pip_to_lend):
    commands = []

    def watch(command):
        commands.append(command[1:-1])
        return (0, "") if "--without-pip" in command else (1, "ensurepip is not available")

    monkeypatch.setattr(install, "watch", watch)
    monkeypatch.setattr(install, "runs_pip", lambda python: python == sys.executable and pip_to_lend)
    if pip_to_lend:
        install.make_venv()
        assert commands == [["-m", "venv"], ["-m", "venv", "--without-pip"]]
        assert install.pip_command("theirs") == [sys.executable, "-m", "pip", "--python", "theirs"]
    else:
        with pytest.raises(OSError, match="lacks venv or pip: install them .*`sudo apt install python3-venv`"):
            install.make_venv()
        assert commands == [["-m", "venv"]]
        assert install.pip_command("theirs") is None


FAKE_PIP = """
import json, os, pathlib, sys
seen = [sys.argv[1:], os.environ["PIP_USER"], os.environ["PYTHONUTF8"]]
pathlib.Path(os.environ["SEEN"]).write_text(json.dumps(seen))
print(os.environ["SAYS"])
sys.exit(int(os.environ["STATUS"]))
"""


@pytest.fixture
def fake_pip(home, monkeypatch):
    """A .venv whose pip writes down how it was called and does as the test says."""
    make_venv(home, install.UNFINISHED)
    package = site_packages(home) / "pip"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(
        "import sys\nif sys.argv[1:] == ['--version']: sys.exit(0)\n" + FAKE_PIP, "utf-8"
    )
    monkeypatch.setenv("SEEN", str(home / "seen.json"))
    monkeypatch.setenv("PIP_USER", "1")  # as `user = true` in a learner's settings of pip
    return package


def install_tiny(monkeypatch, status, says, wheelhouse=None):
    monkeypatch.setenv("STATUS", str(status))
    monkeypatch.setenv("SAYS", says)
    install.install(["tiny>=1,<2"], install.venv_python(), wheelhouse, install.VENV / "firstprinciples.txt")


def test_pip_is_called_so_that_it_asks_nothing_and_the_marker_says_when_it_is_done(home, fake_pip, monkeypatch):
    (home / "wheels").mkdir()
    monkeypatch.chdir(home)
    install_tiny(monkeypatch, 0, "Successfully installed", Path("wheels"))
    options = ["--disable-pip-version-check", "--no-input", "--prefer-binary"]
    source = ["--no-index", "--find-links", str(home / "wheels")]
    seen = json.loads((home / "seen.json").read_text("utf-8"))
    assert seen == [["install", *options, *source, "tiny>=1,<2"], "0", "1"]
    assert (home / ".venv" / "firstprinciples.txt").read_text("utf-8") == install.FINISHED + "tiny>=1,<2\n"


@pytest.mark.parametrize("before", [install.UNFINISHED, install.FINISHED + "other\n"], ids=["new", "in use"])
def test_when_pip_refuses_the_marker_says_what_it_said_before(home, fake_pip, monkeypatch, before):
    (home / ".venv" / "firstprinciples.txt").write_text(before, "utf-8")
    with pytest.raises(OSError, match="^the disk is full: free 600 MB"):
        install_tiny(monkeypatch, 1, "ERROR: [Errno 28] No space left on device")
    assert (home / ".venv" / "firstprinciples.txt").read_text("utf-8") == before


@pytest.mark.parametrize("before", [install.UNFINISHED, install.FINISHED + "other\n"], ids=["new", "in use"])
def test_while_pip_works_the_marker_says_what_it_said_before(home, fake_pip, monkeypatch, before):
    marker = home / ".venv" / "firstprinciples.txt"
    marker.write_text(before, "utf-8")

    def interrupted(*_, **__):
        assert marker.read_text("utf-8") == before
        raise KeyboardInterrupt

    monkeypatch.setattr(install, "watch", interrupted)
    with pytest.raises(KeyboardInterrupt):
        install_tiny(monkeypatch, 0, "")
    assert marker.read_text("utf-8") == before


def test_what_is_added_to_a_venv_is_added_to_its_marker(home, fake_pip, monkeypatch):
    marker = home / ".venv" / "firstprinciples.txt"
    marker.write_text(install.FINISHED + "other\n", "utf-8")
    install_tiny(monkeypatch, 0, "Successfully installed")
    assert marker.read_text("utf-8") == install.FINISHED + "other\ntiny>=1,<2\n"


def test_watch_returns_the_status_and_all_that_was_said():
    program = "import sys; print('née'); print('oh', file=sys.stderr); sys.exit(7)"
    assert install.watch([sys.executable, "-c", program]) == (7, "née\noh\n")


# From nothing to JupyterLab, without a network: real venv, real pip, wheels made by hand

LAB = """import pathlib, socket, sys
server = socket.create_server(("127.0.0.1", 0))
port = server.getsockname()[1]
pathlib.Path("started.txt").write_text(f"{sys.prefix} {sys.argv[1]}", "utf-8")  # not to the standard output we share
print(f"[I 2030-01-01 00:00:00.000 ServerApp] http://127.0.0.1:{port}/lab?token=abc", file=sys.stderr)
server.accept()
sys.exit(5)
"""


def make_wheel(folder, name, version, files):
    """Write a wheel: a zip of a package's files with a few lines about it."""
    folder.mkdir(exist_ok=True)
    about = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        for path, text in files.items():
            wheel.writestr(path, text)
        wheel.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", "".join(f"{path},,\n" for path in [*files, f"{about}/RECORD"]))


@pytest.mark.skipif(
    not importlib.util.find_spec("ensurepip") and not install.runs_pip(sys.executable),
    reason="needs ensurepip or pip (Debian, Ubuntu: sudo apt install python3-venv)",
)
def test_from_nothing_to_the_lab_and_at_once_the_second_time(home):
    (home / "requirements.txt").write_text("jupyterlab>=98,<99\n", "utf-8")
    command = [sys.executable, "-m", "firstprinciples", "lab", "--no-browser", "--wheelhouse", "my wheels"]

    def lab(meanwhile=lambda: None):
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen(command, cwd=home, encoding="utf-8", **pipes)
        meanwhile()
        out, err = process.communicate()
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def another():
        end = time.monotonic() + 60
        while not (home / ".venv" / "firstprinciples.txt").is_file() and time.monotonic() < end:
            time.sleep(0.01)
        other = lab()
        assert other.returncode == 2
        assert other.stderr.startswith(f"firstprinciples: another command is setting up {home / '.venv'}: wait until")

    make_wheel(home / "my wheels", "jupyterlab", "98.1", {"jupyterlab/__init__.py": "", "jupyterlab/__main__.py": LAB})
    first = lab(meanwhile=another)
    assert first.returncode == 5, first.stderr  # JupyterLab's own status is passed on
    assert (home / "started.txt").read_text("utf-8") == f"{home / '.venv'} --ServerApp.root_dir={home}"
    assert "JupyterLab is open at http://127.0.0.1:" in first.stdout
    assert "Making .venv" in first.stderr
    assert "Installing jupyterlab, wee (one to three minutes)" in first.stderr
    assert "Installing jupyterlab (one to three minutes)" in first.stderr  # the folder lacks wee, and `lab` needs none

    second = lab()
    assert second.returncode == 5
    assert "Making" not in second.stderr and "Installing" not in second.stderr
    assert "JupyterLab is open at http://127.0.0.1:" in second.stdout

    (home / "requirements.txt").write_text("jupyterlab>=98,<99\nanother>=1\n", "utf-8")
    third = lab()
    assert third.returncode == 2
    assert "firstprinciples: my wheels lacks the package another for Python 3." in third.stderr
    assert "Traceback" not in third.stderr
