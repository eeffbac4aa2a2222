"""Short vectors: three indexes that keep, in place of each vector, a shorter one: float16, int8, or bits.

`firstprinciples.index.quantize` has the functions and says what is lost; `firstprinciples.index.shelf` holds the codes
under their ids. What is left for a class is small: make the codes when vectors are added, score them when a query
comes, and say how many bytes that takes. The functions are looked up in `quantize` at each call, so a replaced one runs
here, too.

    index       bytes a vector      a search by codes
    Float16     2 dim               dot products, with the numbers as they were rounded
    Int8        dim                 dot products, without turning the codes back: see `quantize.int8_scores`
    Binary      dim / 8             the bits that differ are counted

With `rescore` the best candidates are compared once more with the full vectors, which are then kept as well. For what
this saves and costs see lesson 12.
"""

import numpy as np

from firstprinciples.index import named, quantize, shown
from firstprinciples.index.cosine import dots
from firstprinciples.index.shelf import BLOCK, Shelf, called, whole


class Float16:
    """Vectors at half the bytes. `rescore`, here and below, is how many candidates are compared again in float32.

    Vectors are normalized when they are added. `nbytes` is what a search by codes reads; with `rescore` above 0 the
    full vectors are kept as well, `full_nbytes`, of which it reads as many rows as it has candidates.

    >>> index = Float16(dim=2)
    >>> index.add([[3, 4], [0, 5]])
    >>> index.search([1, 0], k=1), index.nbytes
    ([('0', 0.60009765625)], 8)
    """

    keeps = "float16 numbers"

    def __init__(self, dim: int, rescore: int = 0):
        self.shelf = Shelf(dim, whole("dim", dim, 1), np.float16, rescore, full=rescore != 0)
        self.dim, self.ids, self.codes_read, self.distances = self.shelf.dim, self.shelf.ids, 0, 0

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def nbytes(self) -> int:
        """Bytes that a search by codes reads."""
        return self.shelf.codes.nbytes

    @property
    def full_nbytes(self) -> int:
        """Bytes of the full vectors kept for comparing candidates again; 0 without `rescore`."""
        return self.shelf.full_nbytes

    def add(self, vectors, ids: list[str] | None = None) -> None:
        """Add vectors, (n, dim), under ids; raises what `Exact.add` raises, and then adds nothing."""
        unit = self.shelf.unit(vectors)
        self.shelf.add(unit.astype(np.float16), unit, self.shelf.check_ids(len(unit), ids))

    def search(self, q, k: int = 10, rescore: int | None = None) -> list[tuple[str, float]]:
        """Return the k most similar, [(id, cosine), ...], best first, ties by id; see `Shelf.search`."""
        return self.shelf.search(self, q, k, rescore, quantize.again)

    def score_of(self, q, id: str) -> float:
        """Return the similarity that a search gives to one id; see `Shelf.score_of`."""
        return self.shelf.score_of(self, q, id, quantize.again)

    def scores(self, q: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Return the similarity of a query of length 1 with each row of codes, (n,)."""
        return dots(codes.astype(np.float32), q.astype(np.float32))


class Int8:
    """Vectors at a quarter of the bytes, each number one of 256 values.

    The ranges come from `calibration`, a table of vectors like those to come, or else from the first that are added:
    then they have to be two at least. What is added later and lies outside gets the nearest end.

    >>> index = Int8(dim=2, calibration=[[1, 0], [0, 1], [-1, 0], [0, -1]])
    >>> index.add([[3, 4], [0, 5]])
    >>> [(id, round(cosine, 4)) for id, cosine in index.search([1, 0], k=1)]
    [('0', 0.6)]
    """

    keeps = "int8 codes"

    def __init__(self, dim: int, rescore: int = 0, calibration=None):
        self.shelf = Shelf(dim, whole("dim", dim, 1), np.int8, rescore, full=rescore != 0)
        self.dim, self.ids, self.codes_read, self.distances = self.shelf.dim, self.shelf.ids, 0, 0
        self.low, self.high = (None, None) if calibration is None else self._ranges(self.shelf.unit(calibration))

    def _ranges(self, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return what `calibrate` says of vectors, (low, high), float32."""
        with named("quantize.calibrate"):
            found = quantize.calibrate(unit)
        low, high = called("quantize.calibrate", lambda: found, (2, self.dim)).astype(np.float32)
        return low, high

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def nbytes(self) -> int:
        """Bytes that a search by codes reads: the codes and the ranges."""
        return self.shelf.codes.nbytes + (0 if self.low is None else self.low.nbytes + self.high.nbytes)

    @property
    def full_nbytes(self) -> int:
        """Bytes of the full vectors kept for comparing candidates again; 0 without `rescore`."""
        return self.shelf.full_nbytes

    def add(self, vectors, ids: list[str] | None = None) -> None:
        """Add vectors, (n, dim), under ids; raises what `Exact.add` raises, and then adds nothing.

        Raises ValueError, too, for a single vector while there are no ranges.
        """
        unit = self.shelf.unit(vectors)
        ids = self.shelf.check_ids(len(unit), ids)
        low, high = self.low, self.high
        if low is None:
            if not len(unit):
                return
            if len(unit) == 1:
                raise ValueError("One vector alone can't set the ranges of int8; add at least two at first, or give "
                                 "Int8(dim, calibration=vectors).")
            low, high = self._ranges(unit)
        codes = np.zeros(unit.shape, np.int8)
        for start in range(0, len(unit), BLOCK):
            block = unit[start : start + BLOCK]
            codes[start : start + BLOCK] = called("quantize.to_int8", quantize.to_int8, block.shape, block, low, high,
                                                  fits=np.int8)
        self.low, self.high = low, high
        self.shelf.add(codes, unit, ids)

    def search(self, q, k: int = 10, rescore: int | None = None) -> list[tuple[str, float]]:
        """Return the k most similar, [(id, cosine), ...], best first, ties by id; see `Shelf.search`."""
        return self.shelf.search(self, q, k, rescore, quantize.again)

    def score_of(self, q, id: str) -> float:
        """Return the similarity that a search gives to one id; see `Shelf.score_of`."""
        return self.shelf.score_of(self, q, id, quantize.again)

    def scores(self, q: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Return the similarity of a query of length 1 with each row of codes, (n,)."""
        return quantize.int8_scores(q, codes, self.low, self.high)


class Binary:
    """Vectors at a thirty-second of the bytes, one bit a number.

    The similarity is that of the signs, sign dot / dim. With `rescore` candidates are compared again, by default with
    the full vectors; with rescore_with="bits" none are kept, and the query's numbers are multiplied with the signs.

    >>> index = Binary(dim=3)
    >>> index.add([[3, 4, -1], [0, 5, -2]])
    >>> index.search([1, 1, 1], k=1), index.nbytes
    ([('0', 0.3333333333333333)], 2)
    """

    keeps = "bits"

    def __init__(self, dim: int, rescore: int = 0, rescore_with: str = "float32"):
        if rescore_with not in ("float32", "bits"):
            raise ValueError(f"rescore_with is {shown(rescore_with)}; it is 'float32' or 'bits'.")
        self.by_bits = rescore_with == "bits"
        self.shelf = Shelf(dim, -(-whole("dim", dim, 1) // 8), np.uint8, rescore, rescore != 0 and not self.by_bits)
        self.dim, self.ids, self.codes_read, self.distances = self.shelf.dim, self.shelf.ids, 0, 0

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def nbytes(self) -> int:
        """Bytes that a search by codes reads."""
        return self.shelf.codes.nbytes

    @property
    def full_nbytes(self) -> int:
        """Bytes of the full vectors kept for comparing candidates again; 0 without `rescore`."""
        return self.shelf.full_nbytes

    def _bits(self, unit: np.ndarray) -> np.ndarray:
        """Return what `to_bits` makes of vectors, (n, bytes) uint8."""
        return called("quantize.to_bits", quantize.to_bits, (len(unit), self.shelf.codes.shape[1]), unit, fits=np.uint8)

    def add(self, vectors, ids: list[str] | None = None) -> None:
        """Add vectors, (n, dim), under ids; raises what `Exact.add` raises, and then adds nothing."""
        unit = self.shelf.unit(vectors)
        self.shelf.add(self._bits(unit), unit, self.shelf.check_ids(len(unit), ids))

    def search(self, q, k: int = 10, rescore: int | None = None) -> list[tuple[str, float]]:
        """Return the k most similar, [(id, cosine), ...], best first, ties by id; see `Shelf.search`."""
        return self.shelf.search(self, q, k, rescore, quantize.again, quantize.bit_scores if self.by_bits else None)

    def score_of(self, q, id: str) -> float:
        """Return the similarity that a search gives to one id; see `Shelf.score_of`."""
        return self.shelf.score_of(self, q, id, quantize.again, quantize.bit_scores if self.by_bits else None)

    def scores(self, q: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Return the similarity of a query with each row of codes, (n,): how far their signs agree."""
        found = called("quantize.sign_dot", quantize.sign_dot, (len(codes),), self._bits(q[None])[0], codes, self.dim)
        return found / self.dim
