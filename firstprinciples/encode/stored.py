"""Vectors of a real encoder that come with the course, so that nobody has to fetch 90 MB to see what it does.

The problem. MiniLM is a good encoder and a large file. But the texts of this course are known: each chunk of Larkspur,
each question, and what the lessons make of them. Their vectors fit into little more than a megabyte when each number is
rounded to one of 255 steps:

    scale = largest absolute number of the row / 127      stored = round(number / scale)      number = stored * scale

One scale a row, the same on both sides of 0 (symmetric), one byte a number instead of four. Rounding changes a row's
length a little, so a row is brought back to length 1 when it is read. What that costs is measured in lesson 12.

A text is known again by the first 8 bytes of its SHA-256, of its exact characters. Stored vectors are used whether or
not the files of the encoder are there, so that the lessons show the same numbers on every machine; a text that is not
stored is encoded with the files, if they are there.
"""

import hashlib
import zipfile
import zlib
from functools import cache
from pathlib import Path

import numpy as np

from firstprinciples import models
from firstprinciples.corpus import DATA
from firstprinciples.encode.learners import texts_in
from firstprinciples.install import COMMAND

FILE = DATA / "vectors" / "minilm.npz"
TEXTS = DATA / "vectors" / "texts.txt"  # which splade.npz holds, too
MORE = DATA / "vectors" / "minilm_texts.txt"
STEPS = 127  # on either side of 0
# what NumPy, zipfile and the lines that read an array raise where a file is missing or damaged
BROKEN = (OSError, ValueError, KeyError, IndexError, EOFError, TypeError, AttributeError, RuntimeError, MemoryError,
          zipfile.BadZipFile, zlib.error)  # NotImplementedError is a RuntimeError


class ModelFilesMissing(FileNotFoundError):
    """A text whose vector is not stored can't be encoded: the files of the encoder are not on this machine."""


def text_hash(text: str) -> int:
    """Return the number that a text is known by: the first 8 bytes of the SHA-256 of its UTF-8, as a whole number.

    >>> text_hash("bill") == text_hash("Bill")
    False
    """
    digest = hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).digest()
    return int.from_bytes(digest[:8], "little")


def text_hashes(texts: list[str]) -> np.ndarray:
    """Return the numbers of texts, (n,) uint64. Raises ValueError where two of them have the same.

    >>> text_hashes(["bill", "invoice"]).shape
    (2,)
    """
    hashes = [text_hash(text) for text in texts]
    if len(set(hashes)) < len(hashes):
        raise ValueError("Two texts are the same, or have the same hash: leave one out, or store more bytes of it.")
    return np.array(hashes, dtype=np.uint64)


def real(stored, what: str, text: str):
    """Return the encoder behind stored numbers, loaded when it is first asked for and kept in `stored._model`.

    `stored._load()` gives it, or None while its files are not there: then ModelFilesMissing is raised, which says
    `what` is not stored, such as "The vector of {} is", of which text, and how to get the files.
    """
    if stored._model is None:
        stored._model = stored._load()
    if stored._model is None:
        shown = text if len(text) <= 40 else text[:39] + "…"
        raise ModelFilesMissing(f"{what.format(repr(shown))} not stored with the course, and the files of "
                                f"{stored.name} are not here: run `{COMMAND} models` once to fetch them (109 MB), or "
                                "use the encoder toy (--encoder toy).")
    return stored._model


def to_int8(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Round vectors, (n, dim), to whole numbers from -127 to 127: returns (n, dim) int8, and (n,) float32, the scales.

    The largest absolute number of a row becomes 127. A row of zeros stays one, with scale 0.

    >>> rows, scales = to_int8(np.array([[0.6, -0.8]]))
    >>> rows.tolist(), round(float(scales[0]), 4)
    ([[95, -127]], 0.0063)
    """
    vectors = np.asarray(vectors, dtype=np.float64)
    scales = np.abs(vectors).max(axis=1) / STEPS
    rows = np.round(vectors / np.where(scales > 0, scales, 1)[:, None]).astype(np.int8)
    return rows, scales.astype(np.float32)


def from_int8(rows: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """Return the vectors of rounded rows, (n, dim) float32, each of length 1 (a row of zeros stays one).

    >>> from_int8(np.array([[95, -127]], dtype=np.int8), np.array([0.8 / 127])).round(3).tolist()
    [[0.5989999771118164, -0.8009999990463257]]
    """
    vectors = rows.astype(np.float64) * scales.astype(np.float64)[:, None]
    lengths = np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def stored_texts(path: Path = TEXTS) -> list[str]:
    """Return the phrases of the lessons whose vectors are stored beside Larkspur's: the lines of a file, as TEXTS."""
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


class Stored:
    """An encoder that looks a text up among stored vectors, and encodes it with the real files where it is not there.

    `path` is an .npz with `hashes` (uint64), `rows` (int8) and `scales` (float32); `load()` gives the encoder for all
    other texts, or None while its files are not there; `fingerprint` says which encoder that is. Questions and passages
    are encoded alike.
    """

    def __init__(self, path: Path, load, name: str = "minilm", fingerprint: str = ""):
        self.name, self.fingerprint, self._load, self._model = name, fingerprint, load, None
        try:
            with open(path, "rb") as opened, np.load(opened, allow_pickle=False) as file:
                hashes, rows, scales = (file[key] for key in ("hashes", "rows", "scales"))
            whole = (rows.ndim == 2 and rows.dtype == np.int8 and hashes.dtype == np.uint64
                     and hashes.shape == scales.shape == rows.shape[:1] and np.isfinite(scales).all()
                     and (scales >= 0).all() and len(set(hashes.tolist())) == len(hashes))
        except BROKEN:
            whole = False
        if not whole:
            raise ValueError(f"{path} is missing or damaged; take it from a whole clone of the repository.")
        self.dim = rows.shape[1]
        self._place = {int(number): place for place, number in enumerate(hashes)}
        self._vectors = from_int8(rows, scales)

    def has(self, text: str) -> bool:
        """Say whether the vector of a text is stored."""
        return text_hash(text) in self._place

    def encode_queries(self, texts: list[str]) -> np.ndarray:
        """Return the vectors of questions, (n, dim) float32, of length 1.

        Raises ModelFilesMissing where a text is not stored and the files are not there.
        """
        texts = texts_in(texts)
        places = [self._place.get(text_hash(text)) for text in texts]
        others = [text for text, place in zip(texts, places, strict=True) if place is None]
        out = np.zeros((len(texts), self.dim), dtype=np.float32)
        known = [i for i, place in enumerate(places) if place is not None]
        out[known] = self._vectors[[places[i] for i in known]]
        if others:
            out[[i for i, place in enumerate(places) if place is None]] = self.model(others[0]).encode_passages(others)
        return out

    encode_passages = encode_queries

    def token_vectors(self, text: str, side: str = "passage") -> tuple[list[str], np.ndarray]:
        """Return a text's tokens and their vectors, (t, dim), which only the files can give.

        The mean of the rows has the direction of the text's vector; of a stored one, up to its rounding.
        Raises ModelFilesMissing while they are not there.
        """
        return self.model(text).token_vectors(text, side)

    def model(self, text: str = ""):
        """Return the encoder with the real files, which is loaded once; raises ModelFilesMissing without them."""
        return real(self, "The vector of {} is", text)

    @property
    def cut(self) -> int:
        """How many texts were too long and were cut when the real encoder was last asked."""
        return getattr(self._model, "cut", 0)


@cache
def minilm() -> Stored:
    """Return the course's real encoder, all-MiniLM-L6-v2, 384 wide: stored vectors first, the files for other texts.

    >>> encoder = minilm()
    >>> encoder.name, encoder.encode_queries(["invoice", "bill"]).shape
    ('minilm', (2, 384))
    """
    return Stored(FILE, _load_minilm, fingerprint=models.MODELS["minilm"].files["model.safetensors"][1])


def _load_minilm():
    """Return MiniLM if its files are there, else None."""
    folder = models.files("minilm")
    if folder is None:
        return None
    from firstprinciples.encode.bert import MiniLM  # here: who needs stored vectors only need not load it

    return MiniLM(folder)
