"""The way to an engine: its client opened, and one sentence for whatever stands in the way.

A database on another machine fails in ways that a list in memory can't: it does not run, it does not know who asks, it
is too old, or something else answers at its address. Its client reports that as long traces of a dozen kinds. Here each
becomes one error of Python's own kinds that says what to do:

    ImportError        the package is not installed
    ConnectionError    nobody answers, or not in time
    PermissionError    the key is wrong or missing
    RuntimeError       versions too far apart; a folder that is open elsewhere; whatever else the server refuses

The engine says that its client and a server fit when their major versions are equal and the minor ones are at most one
apart. The client itself only warns, from a thread, when it gets round to it; here it is asked first.
"""

import os
import re
import sys
from contextlib import contextmanager
from json import JSONDecodeError
from pathlib import Path

from firstprinciples.index import shown
from firstprinciples.install import requirements

SECONDS = 10  # that an answer may take
OF_THE_CLIENT = (".lock", "collection", "meta.json")  # what it writes into a folder


def modules():
    """Return the client's package, imported when it is first needed. Raises ImportError where it is not installed."""
    try:
        import qdrant_client
        import qdrant_client.models  # noqa: F401
    except ImportError as error:
        if (error.name or "").startswith("qdrant_client"):
            raise ImportError("The engine needs the package qdrant-client, which the rest of the course does without: "
                              f"run `{how_to_install()}`, then start Python anew.") from None
        raise ImportError(f"The package qdrant-client is here and can't be used ({error}): run `{how_to_install()}` "
                          "once more, with --force-reinstall.") from None
    return qdrant_client


def how_to_install() -> str:
    """Return the command that installs what the extra `graduate` of pyproject.toml names, into the running Python."""
    line = next((line for line in _graduate() if line.startswith("qdrant-client")), "qdrant-client")
    return f'"{sys.executable or "python3"}" -m pip install "{line}"'


def _graduate() -> list[str]:
    """Return the requirements of the extra; [] where the course was installed without its pyproject.toml."""
    try:
        return requirements("graduate")
    except (OSError, ValueError):
        return []


def opened(path=None, url: str | None = None, key: str | None = None):
    """Return (client, what to call it in a sentence): in memory, over a folder, or of a server at a URL.

    Raises ValueError for an address that is none, and the errors above.
    """
    package = modules()
    if path is not None and url is not None:
        raise ValueError("Give a path, for points in a folder of this machine, or the url of a server, not both.")
    if key is not None and url is None:
        raise ValueError("A key is for a server; give its url as well.")
    if key is not None and not (isinstance(key, str) and key.isascii() and key.isprintable()):
        raise ValueError("The key is no text that a request can carry: it has letters, digits and signs of ASCII only, "
                         "on one line.")
    if url is None and path is None:
        return package.QdrantClient(":memory:"), "in memory"
    if url is None:
        return _folder(package, path), f"in the folder {str(path)!r}"
    no_address = ValueError(f"The url is {url!r}; write it as https://host:6333, or http://localhost:6333.")
    if not isinstance(url, str) or not re.match(r"https?://[^/\s]", url):
        raise no_address
    where = f"at {url}"
    try:
        with answering(where, key):
            client = package.QdrantClient(url=url, api_key=key, timeout=SECONDS, check_compatibility=False)
    except ValueError:  # a port that is none, a host that can't be one
        raise no_address from None
    try:
        with answering(where, key):
            theirs = str(client.info().version)
        fitting(package_version(), theirs, where)
    except BaseException:
        client.close()
        raise
    return client, where


def _folder(package, path):
    """Return a client over a folder, which one program at a time may have open; files of others are left alone."""
    import portalocker  # the client's own way to lock a folder

    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"The path is {shown(path)}; give the name of a folder, new or empty.")
    folder = Path(path)
    if not str(path).strip():  # else the folder in which Python was started
        raise ValueError("The path is empty; give the name of a folder, new or empty, or leave it out: then the points "
                         "are in memory.")
    if others := _others_in(folder):
        raise ValueError(f"The folder {str(folder)!r} holds other files, such as {others[0]!r}; give one of its own to "
                         "the points, new or empty.")
    open_elsewhere = RuntimeError(f"The points in the folder {str(folder)!r} are open elsewhere: close the other "
                                  "Engine or program first, or run a server, which many can ask at once.")
    try:
        if (folder / ".lock").is_file():  # looked at first: a client that is refused leaves the file open
            with open(folder / ".lock", "r+") as lock:
                portalocker.lock(lock, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)
                portalocker.unlock(lock)
        return package.QdrantClient(path=str(folder))
    except (portalocker.exceptions.LockException, RuntimeError):
        raise open_elsewhere from None
    except (OSError, ValueError, KeyError) as error:
        raise ValueError(f"The folder {str(folder)!r} can't hold points ({error}); give another one.") from None


def _others_in(folder: Path) -> list[str]:
    """Return what lies in a folder without the points of an engine; [] where it has some, or is not there."""
    try:
        names = sorted(one.name for one in folder.iterdir())
    except (OSError, ValueError):  # the client says what is wrong
        return []
    return [] if "meta.json" in names and "collection" in names else [
        name for name in names if name not in OF_THE_CLIENT]


def package_version() -> str:
    """Return the version of the client that is installed."""
    import importlib.metadata

    return importlib.metadata.version("qdrant-client")


def fitting(ours: str, theirs: str, where: str) -> None:
    """Raise RuntimeError where a client and a server are too far apart to understand each other.

    >>> fitting("1.16.2", "1.17.0", "at http://localhost:6333")
    """
    numbers = [re.match(r"v?(\d+)\.(\d+)", version) for version in (ours, theirs)]
    if all(numbers):
        (major, minor), (other, less) = (tuple(map(int, found.groups())) for found in numbers)
        if major == other and abs(minor - less) <= 1:
            return
    wanted = f'"qdrant-client=={numbers[1].group(1)}.{numbers[1].group(2)}.*"' if numbers[1] else "one that fits it"
    raise RuntimeError(f"The server {where} is of version {theirs[:40]} and qdrant-client here is {ours}, and they may "
                       "be one minor version apart at most: bring the server up to date, or install "
                       f"{wanted}.")


@contextmanager
def answering(where: str, key: str | None = None):
    """Turn what a client raises in a `with` block into one of the errors above."""
    try:
        from httpx import HTTPError, InvalidURL
        from qdrant_client.common.client_exceptions import QdrantException
        from qdrant_client.http.exceptions import ApiException, UnexpectedResponse
    except ImportError:
        modules()
        raise
    try:
        yield
    except UnexpectedResponse as error:
        if error.status_code in (401, 403):
            said = "does not take this key" if key else "wants a key"
            raise PermissionError(f"The server {where} {said} ({error.status_code}): hand in the right one, "
                                  'Engine(chunks, url=..., key="...").') from None
        raise RuntimeError(f"The server {where} refused the request ({error.status_code}): {_said(error)}.") from None
    except QdrantException as error:  # a limit of requests, and when to come back
        later = getattr(error, "retry_after_s", None)
        raise RuntimeError(f"The server {where} has too much to do ({' '.join(str(error).split())[:100]}): ask again "
                           f"{f'in {later} s' if later is not None else 'later'}.") from None
    except (ApiException, HTTPError, InvalidURL, JSONDecodeError, UnicodeDecodeError, AssertionError) as error:
        source = getattr(error, "source", error)
        if not isinstance(source, (HTTPError, OSError)):
            raise RuntimeError(f"What answers {where} is no engine of this kind: its answer can't be read. Is the port "
                               "right (6333 unless it was changed)?") from None
        late = "in time" if "Timeout" in type(source).__name__ else "there"
        raise ConnectionError(f"No engine answers {where} {late} ({type(source).__name__}): is it running, and is the "
                              "address right? Without a url the points are kept in memory.") from None


def _said(error) -> str:
    """Return what a server says of an error, in a few words on one line."""
    try:
        said = str(error.structured()["status"]["error"])
    except (ValueError, KeyError, TypeError):
        said = error.content.decode("utf-8", errors="replace") if isinstance(error.content, bytes) else ""
    said = " ".join(said.split()) or str(error.reason_phrase)
    return said[:200].rstrip(".")
