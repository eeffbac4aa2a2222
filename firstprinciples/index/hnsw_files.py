"""An HNSW index as one file: an .npz, which is a zip of plain arrays; nothing in it can run when it is opened.

A file is written beside its place and then moved there in one step, so that a half-written one never stands under the
name. When it is read, everything is checked that a search relies on: a damaged or foreign file is refused in one
sentence that names it.
"""

import contextlib
import json
import os
import struct
import zipfile
import zlib
from pathlib import Path

import numpy as np

FORMAT, VERSION = "firstprinciples HNSW", 1
ARRAYS = ("about", "vectors", "levels", "live", "ids", "positions", "neighbors")


def write(path, about: dict, ids: list[str], arrays: dict) -> None:
    """Write an index: `about` are its settings, `arrays` what `read` gives back. Raises ValueError for a wrong name."""
    path = Path(path)
    if path.suffix != ".npz":
        raise ValueError(f"An index is saved as an .npz file, and {path.name!r} is named otherwise; add .npz.")
    if path.is_dir():
        raise ValueError(f"{path.name} is a folder; give the name of a file.")
    if not path.parent.is_dir():
        raise ValueError(f"There is no folder {str(path.parent)!r} to save {path.name} in; make it first.")
    about = {"format": FORMAT, "version": VERSION, **about}
    texts = {"about": json.dumps(about), "ids": json.dumps(ids)}  # json: ids may end in what NumPy's texts would lose
    arrays = {name: np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
              for name, text in texts.items()} | arrays
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with draft.open("wb") as file:
            np.savez(file, **arrays)
        os.replace(draft, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.strerror:  # the draft's name would be a riddle
            raise type(error)(error.errno, f"{error.strerror}; nothing was saved", str(path)) from None
        raise


def arrays_of(vectors, levels: list[int], live, layers: list) -> dict:
    """Return what is written of an index: its vectors, levels and who is not deleted, by position; and its links.

    `layers` are `hnsw_fast.Links`. `positions` and `neighbors` hold them one after the other, from layer 0 up: which
    positions are on it, ascending, and their lists, filled up with -1 to the width of layer 0.

    >>> sorted(arrays_of(np.zeros((0, 3), dtype=np.float32), [], np.zeros(0, dtype=bool), []))
    ['levels', 'live', 'neighbors', 'positions', 'vectors']
    """
    width = layers[0].width if layers else 2
    lists = [np.pad(links.rows(), ((0, 0), (0, width - links.width)), constant_values=-1) for links in layers]
    return {"vectors": vectors, "levels": np.array(levels, dtype=np.int32), "live": live,
            "positions": np.concatenate([np.zeros(0), *(links.members() for links in layers)]).astype(np.int32),
            "neighbors": np.concatenate(lists) if lists else np.zeros((0, width), dtype=np.int32)}


def fill(layers: list, arrays: dict) -> None:
    """Put the links of a file into empty layers."""
    start = 0
    for layer, links in enumerate(layers):
        members = np.flatnonzero(arrays["levels"] >= layer)
        links.put_all(members, arrays["neighbors"][start : start + len(members), : links.width])
        start += len(members)


def read(path) -> tuple[dict, list[str], dict]:
    """Return (settings, ids, arrays) of a file that `write` made.

    Raises FileNotFoundError where there is none, and ValueError, which names it, for a file that is damaged, cut off,
    of another kind or version, or that contradicts itself.
    """
    path = Path(path)
    if path.is_dir():
        raise ValueError(f"{path.name} is a folder; give the name of a file.")
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path.name} to load an index from.")
    try:
        with zipfile.ZipFile(path) as archive:
            names = {name.removesuffix(".npy") for name in archive.namelist()}
            if "about" not in names:
                raise ValueError(f"{path.name} is an .npz file, but not one of an HNSW index.")
            missing = sorted(set(ARRAYS) - names)
            # `save` packs nothing, so no part is longer than the file: one that claims to be is not opened
            size = path.stat().st_size
            missing += [part.filename for part in archive.infolist() if part.compress_type or part.file_size > size]
            damaged = None if missing else archive.testzip()
        if damaged or missing:
            raise ValueError(f"{path.name} is damaged: {damaged or missing[0]} can't be read; save the index again.")
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in ARRAYS}
        if not all(isinstance(array, np.ndarray) for array in arrays.values()):  # bytes, where it is no array
            raise ValueError
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, KeyError, NotImplementedError, RuntimeError,
            MemoryError, SyntaxError, struct.error) as error:
        raise ValueError(f"{path.name} is damaged or no index at all ({type(error).__name__}); save the index again."
                         ) from None
    except ValueError as error:
        if path.name in str(error):
            raise
        raise ValueError(f"{path.name} is damaged or no index at all: an array in it can't be read.") from None
    try:
        about = json.loads(arrays.pop("about").tobytes().decode("utf-8"))
        ids = json.loads(arrays.pop("ids").tobytes().decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        raise ValueError(f"{path.name} is damaged: its settings or ids can't be read; save the index again.") from None
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise ValueError(f"{path.name} is an .npz file, but not one of an HNSW index.")
    if about.get("version") != VERSION:
        raise ValueError(f"{path.name} has version {about.get('version')!r} of the format, and this course reads "
                         f"{VERSION}; add the vectors to a new index and save that.")
    wrong = contradiction(about, ids, arrays)
    if wrong:
        raise ValueError(f"{path.name} can't be used: {wrong}; save the index again.")
    return about, ids, arrays


def contradiction(about: dict, ids: list, arrays: dict) -> str:
    """Say what is wrong in the arrays of a file (see `arrays_of`), in half a sentence; "" if nothing is."""
    dim, M, entry = about.get("dim"), about.get("M"), about.get("entry_point")
    if not all(isinstance(value, int) and value >= 1 for value in (dim, M)):
        return "its settings dim and M are no whole numbers from 1"
    vectors, levels, live, positions, neighbors = (arrays[name] for name in ARRAYS if name not in ("about", "ids"))
    n, rows = len(levels) if levels.ndim == 1 else -1, len(positions) if positions.ndim == 1 else -1
    shapes = {"vectors": (np.float32, (n, dim)), "levels": (np.int32, (n,)), "live": (np.bool_, (n,)),
              "positions": (np.int32, (rows,)), "neighbors": (np.int32, (rows, 2 * M))}
    if n == 0:  # no layer, so no width
        shapes["neighbors"] = (np.int32, (0, 2))
    for name, (dtype, shape) in shapes.items():
        if arrays[name].dtype != dtype or arrays[name].shape != shape:
            return f"{name} is {arrays[name].dtype} {arrays[name].shape} where {np.dtype(dtype)} {shape} is expected"
    if not isinstance(ids, list) or len(ids) != n or not all(isinstance(id, str) for id in ids):
        return f"it holds {n} vectors and not as many ids"
    there = [id for id, alive in zip(ids, live.tolist(), strict=True) if alive]
    if len(set(there)) < len(there):
        return "an id is in it twice"
    if n == 0:
        return "" if entry is None and not neighbors.size else "it has an entry point or links, and no vectors"
    lengths = np.einsum("ij,ij->i", vectors, vectors)
    if not np.isfinite(lengths).all() or not np.all((np.abs(lengths - 1) < 1e-3) | (lengths == 0)):
        return "a vector in it has not the length 1"
    if levels.min() < 0 or levels.max() > 1100 or not isinstance(entry, int) or isinstance(entry, bool):
        return "its levels or its entry point are no such numbers"
    if not 0 <= entry < n or levels[entry] != levels.max():
        return f"its entry point {entry} is not on the highest layer"
    expected = [np.flatnonzero(levels >= layer) for layer in range(int(levels.max()) + 1)]
    if not np.array_equal(positions, np.concatenate(expected)):
        return "its layers don't hold the positions that its levels put there"
    if neighbors.size and (neighbors.min() < -1 or neighbors.max() >= n):
        return f"a neighbor is outside 0 to {n - 1}"
    start = 0
    for layer, members in enumerate(expected):
        table = neighbors[start : start + len(members)]
        linked = table >= 0
        if np.any(linked[:, 1:] & ~linked[:, :-1]) or (layer and linked[:, M:].any()):
            return f"a list of neighbors on layer {layer} has a gap or is too long"
        if np.any(levels[table[linked]] < layer):
            return f"a neighbor on layer {layer} is not on that layer"
        start += len(members)
    return ""
