"""Vectors on disk, so that a collection is encoded once: scifact takes ten minutes on one core, and its file a moment.

The texts are cut into blocks, and each block is a file of its own, written when it is done: after Ctrl-C the same
command goes on with the next block. A file is named by what is in it, the SHA-256 of the encoder's fingerprint and of
the block's texts; another encoder, another text or another order is another name, so nothing stale can be taken for
what is asked, and a file is never changed. One that is damaged is made again.
"""

import contextlib
import hashlib
import io
import os
from pathlib import Path

import numpy as np

from firstprinciples.encode.learners import texts_in
from firstprinciples.models import cache_folder, write_whole

BLOCK = 128  # texts: some ten to twenty seconds of MiniLM on one core
VERSION = 1  # to be raised when an encoder of the same files gives other vectors than before


class Cached:
    """An encoder whose passages are kept on disk; questions and tokens go straight to it.

    `encoder` follows the encoder protocol and has a `fingerprint`, a text that changes when its vectors do. `folder` is
    by default that of this user's cache; where it can't be written, everything is computed. `progress(done, n)` is
    called before and after each block that has to be computed, with the number of texts that are done and that of all.
    """

    def __init__(self, encoder, folder: Path | None = None, progress=None):
        self.encoder, self.name, self.dim, self.fingerprint = encoder, encoder.name, encoder.dim, encoder.fingerprint
        cache = cache_folder()
        self.folder = Path(folder) if folder else cache and cache / "vectors"
        self.progress = progress or (lambda done, n: None)
        self.stored = getattr(encoder, "has", lambda text: False)

    def encode_passages(self, texts: list[str]) -> np.ndarray:
        """Return the vectors of passages, (n, dim) float32: read where they are on disk, else computed and kept.

        What comes with the course (see `stored`) needs no file and stands in no block.
        """
        texts = texts_in(texts)
        stored = [self.stored(text) for text in texts]
        out = np.zeros((len(texts), self.dim), dtype=np.float32)
        if any(stored):
            out[stored] = self.encoder.encode_passages([text for text, has in zip(texts, stored, strict=True) if has])
        others = [text for text, has in zip(texts, stored, strict=True) if not has]
        blocks = [self._block(others, start) for start in range(0, len(others), BLOCK)]
        if blocks:
            out[~np.array(stored)] = np.concatenate(blocks)
        return out

    def _block(self, texts: list[str], start: int) -> np.ndarray:
        """Return the vectors of the block that begins at a place."""
        block = texts[start : start + BLOCK]
        path = self.folder and self.folder / f"{block_name(self.encoder, block)}.npy"
        vectors = read_block(path, (len(block), self.dim)) if path else None
        if vectors is None:
            self.progress(start, len(texts))
            vectors = np.asarray(self.encoder.encode_passages(block), dtype=np.float32)
            if vectors.shape != (len(block), self.dim):  # NumPy would stretch some of these without a word
                raise ValueError(f"The encoder {self.name} gave an array of shape {vectors.shape} for {len(block)} "
                                 f"texts; it should be {(len(block), self.dim)}.")
            if path:
                write_block(path, vectors)
            self.progress(start + len(block), len(texts))
        return vectors

    def encode_queries(self, texts: list[str]) -> np.ndarray:
        """Return the vectors of questions, (n, dim), from the encoder: nothing of a question is kept."""
        return self.encoder.encode_queries(texts)

    def token_vectors(self, text: str, side: str):
        """Return what the encoder says of a text's tokens."""
        return self.encoder.token_vectors(text, side)


def block_name(encoder, texts: list[str]) -> str:
    """Return the name of a block: 40 hexadecimal digits that depend on the encoder and on every text and its place.

    >>> from types import SimpleNamespace
    >>> one = SimpleNamespace(name="one", dim=2, fingerprint="a")
    >>> block_name(one, ["ab", "c"]) == block_name(one, ["a", "bc"])
    False
    """
    digest = hashlib.sha256(f"{VERSION} {encoder.name} {encoder.dim} {encoder.fingerprint}".encode())
    for text in texts:
        digest.update(hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).digest())
    return digest.hexdigest()[:40]


def read_block(path: Path, shape: tuple[int, int]) -> np.ndarray | None:
    """Return the vectors of a file, float32; None where it is not there or can't be what was written.

    Beside shape and type, each row must have length 1 or be all zeros: so a flipped bit seldom passes.
    """
    try:
        vectors = np.load(path, allow_pickle=False)
        if not isinstance(vectors, np.ndarray) or vectors.shape != shape or vectors.dtype != np.float32:
            return None
        lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    except (OSError, ValueError, EOFError, SyntaxError):
        return None
    return vectors if (((lengths > 0.999) & (lengths < 1.001)) | (lengths == 0)).all() else None


def write_block(path: Path, vectors: np.ndarray) -> None:
    """Write the vectors of a block in one step; on a full disk, or where nothing can be written, leave it."""
    file = io.BytesIO()
    np.save(file, np.asarray(vectors, dtype=np.float32), allow_pickle=False)
    with contextlib.suppress(OSError):
        os.makedirs(path.parent, exist_ok=True)
        write_whole(path, [file.getvalue()])
