"""How many threads BLAS takes: NumPy's matrix products run in a library that shares one product out to all cores.

For a large product that is a gain. For many small ones it is a loss: after each of them the threads wait for one
another, and they wait by running on. If another program has the second core, that takes ten times as long as one thread
alone: an HNSW graph of 1,200 vectors of 384 numbers, built one by one, took 3 s of processor time with one thread and
25 s with two.
"""

import contextlib
import ctypes
import sys
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Lock

import numpy as np

# where NumPy keeps its link to BLAS; and OpenBLAS's names for two functions, in NumPy 2, in 1.26, and in a system's own
CORE = ("numpy._core._multiarray_umath", "numpy.core._multiarray_umath")
OPENBLAS = ("scipy_openblas_{}_num_threads64_", "openblas_{}_num_threads64_", "scipy_openblas_{}_num_threads",
            "openblas_{}_num_threads")
_inside, _before, _lock = 0, 0, Lock()


@contextmanager
def one_blas_thread():
    """Let BLAS use one thread in what follows, and then as many as before; gives False where that can't be set.

    The number holds for the whole process: where several threads come in at once, the last one to leave puts it back.

    >>> with one_blas_thread():
    ...     pass
    """
    global _inside, _before
    if _blas() is None:
        yield False
        return
    set_threads, get_threads = _blas()
    with _lock:
        if not _inside:
            _before = get_threads()
            set_threads(1)
        _inside += 1
    try:
        yield True
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                set_threads(_before)


@cache
def _blas():
    """Return the functions that set and get the number of threads of NumPy's OpenBLAS, or None if it has another."""
    core = [sys.modules[name].__file__ for name in CORE if name in sys.modules]  # knows the library it was linked with
    beside = [Path(np.__file__).parent.parent / "numpy.libs", Path(np.__file__).parent / ".dylibs"]
    for path in [*core, *(path for folder in beside for path in sorted(folder.glob("*openblas*")))]:
        for name in OPENBLAS:
            with contextlib.suppress(OSError, AttributeError):
                library = ctypes.CDLL(str(path))
                return library[name.format("set")], library[name.format("get")]
    return None
