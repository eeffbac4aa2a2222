"""Read a .safetensors file: the numbers of a trained model, in a format simple enough to read in ten lines.

The file is: 8 bytes that hold the length n of a header; n bytes of JSON, the header; then numbers and nothing else. The
header says for each array its kind of number, its shape, and from which byte to which byte it lies:

    {"layer.weight": {"dtype": "F32", "shape": [384, 384], "data_offsets": [0, 589824]}, ...}

Nothing in it can run, unlike in a pickle. But a file may be cut short by a broken download, or be another file, and an
encoder with half its numbers gives wrong answers without a word. So everything is checked before anything is used, and
the first thing that is wrong is named. Source: the format's description, https://github.com/huggingface/safetensors.
"""

import json
import math
from pathlib import Path
from reprlib import Repr

import numpy as np

# what the header calls a kind of number, and what NumPy calls it; all little-endian
DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
          "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1", "BOOL": "?"}
LONGEST_HEADER = 100_000_000  # bytes, as the format has it
MOST_AXES = 32  # of an array; NumPy 1.26 knows no more
short = Repr()
short.maxstring = 100
shown = short.repr  # what a damaged header holds may be a million letters long


def read(path) -> dict[str, np.ndarray]:
    """Return the arrays of a .safetensors file: {name: array}.

    Arrays of 16-bit floats (F16, BF16) come out as float32, the others as they are stored; all are read-only. Raises
    FileNotFoundError if there is no such file, and ValueError, in one sentence, if it is damaged or no such file.

    >>> read("model.safetensors")
    Traceback (most recent call last):
    FileNotFoundError: There is no file model.safetensors.
    """
    path = Path(path)
    try:
        return arrays_of(path.read_bytes())
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {path}.") from None
    except (IsADirectoryError, PermissionError) as error:
        raise ValueError(f"{path} cannot be read ({error.strerror}): a file that you may read belongs there.") from None
    except ValueError as error:
        raise ValueError(f"{path.name} is damaged or no safetensors file: {error}") from None


def arrays_of(data: bytes) -> dict[str, np.ndarray]:
    """Return the arrays in the bytes of a .safetensors file, as `read` does; the ValueError says what is wrong.

    The ten lines are here: the length, the header, and one `np.frombuffer` for each array. The rest of this module
    checks.

    >>> header = b'{"bias": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}'
    >>> arrays_of(len(header).to_bytes(8, "little") + header + np.array([0.5, -1], "<f4").tobytes())
    {'bias': array([ 0.5, -1. ], dtype=float32)}
    """
    header, start = _header(data)
    _check_places(header, len(data) - start)
    arrays = {}
    for name, entry in header.items():
        dtype, shape, (begin, _) = entry["dtype"], entry["shape"], entry["data_offsets"]
        array = np.frombuffer(data, DTYPES[dtype], math.prod(shape), start + begin)
        if dtype == "BF16":  # the upper half of a float32
            array = (array.astype(np.uint32) << 16).view(np.float32)
        elif dtype == "F16":
            array = array.astype(np.float32)
        array.flags.writeable = False
        arrays[name] = array.reshape(shape)
    return arrays


def _header(data: bytes) -> tuple[dict, int]:
    """Return the header without its notes, every entry checked, and where the numbers begin."""
    if len(data) < 8:
        raise ValueError(f"it has {len(data)} bytes, and the length of its header alone takes 8.")
    length = int.from_bytes(data[:8], "little")
    if length > LONGEST_HEADER:
        raise ValueError(f"it says that its header has {length:,} bytes, which cannot be.")
    if 8 + length > len(data):
        raise ValueError(f"its header should have {length:,} bytes, but the whole file has {len(data):,}.")
    try:
        text = data[8:8 + length].decode("utf-8")
        header = json.loads(text, object_pairs_hook=_each_once, parse_int=_whole_number)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise ValueError("its header is not JSON.") from None
    if not isinstance(header, dict):
        raise ValueError("its header is not a JSON object.")
    header.pop("__metadata__", None)  # notes in words
    if not header:
        raise ValueError("it holds no array.")
    for name, entry in header.items():
        _check_entry(name, entry)
    return header, 8 + length


def _each_once(pairs: list) -> dict:
    """Make a dict of the pairs of a JSON object, in which no name may stand twice."""
    found = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"the name {shown(name)} stands twice in it.")
        found[name] = value
    return found


def _whole_number(digits: str) -> int | float:
    """Read a whole number; one of more than 18 digits is no number of bytes, and comes out as infinity.

    >>> _whole_number("384"), _whole_number("9" * 5000)
    (384, inf)
    """
    return int(digits) if len(digits) <= 18 else math.inf


def _check_entry(name: str, entry) -> None:
    """Raise ValueError unless an entry of the header has a known dtype, a shape, and two offsets that fit the shape."""
    name = shown(name)
    if not isinstance(entry, dict) or not {"dtype", "shape", "data_offsets"} <= set(entry):
        raise ValueError(f"the array {name} lacks its dtype, its shape or its data_offsets.")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise ValueError(f"the array {name} has numbers of kind {shown(dtype)}; known are {', '.join(DTYPES)}.")
    if not _counts(shape):
        raise ValueError(f"the array {name} has {shown(shape)} for a shape; a list of whole numbers belongs there.")
    if not _counts(offsets) or len(offsets) != 2:
        raise ValueError(f"the array {name} has {shown(offsets)} for offsets; two whole numbers belong there.")
    if len(shape) > MOST_AXES or math.prod(length or 1 for length in shape) >= 2**60:
        raise ValueError(f"the array {name} has the shape {shown(shape)}, which is larger than any array can be.")
    size = np.dtype(DTYPES[dtype]).itemsize
    begin, end = offsets
    if end - begin != math.prod(shape) * size:
        raise ValueError(f"the array {name} needs {math.prod(shape) * size:,} bytes for its shape, "
                         f"but lies from byte {begin:,} to byte {end:,}.")
    if begin % size:
        raise ValueError(f"the array {name} begins at byte {begin:,}, which is no multiple of the {size} bytes that "
                         "each of its numbers takes.")


def _counts(values) -> bool:
    """Say whether this is a list of whole numbers, none below 0."""
    return isinstance(values, list) and all(type(value) is int and value >= 0 for value in values)


def _check_places(header: dict, size: int) -> None:
    """Raise ValueError unless the arrays lie one behind the other and fill the `size` bytes of numbers exactly."""
    end, before = 0, None
    for begin, stop, name in sorted((*entry["data_offsets"], name) for name, entry in header.items()):
        if stop > size:
            raise ValueError(f"the array {shown(name)} should end at byte {stop:,} of the numbers, but there are only "
                             f"{size:,}: the file is cut short.")
        if begin < end:
            raise ValueError(f"the arrays {shown(before)} and {shown(name)} overlap.")
        if begin > end:
            raise ValueError(f"before the array {shown(name)} lie {begin - end:,} bytes that belong to no array.")
        end, before = stop, name
    if end < size:
        raise ValueError(f"behind its last array lie {size - end:,} bytes that belong to no array.")
