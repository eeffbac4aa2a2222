"""Vectors of tokens on disk: in a cache, so that a collection is encoded once, and in a file of the course.

The problem. A vector a token is a hundred times and more as much as a vector a text: scifact's 5,183 abstracts have 1.2
million tokens, which take ten minutes to encode and 1.0 GB to keep, two bytes a number. So `CachedTokens` works as
`encode.cache` does, block by block: each is a file of its own, named by what is in it, and whatever passes through is
handed on text by text, so that never more than one block is there in float32.

A model that has read a text for its tokens has their mean, too. So a block that had to be computed leaves its means
where `encode.cache` looks for them, and a search by one vector a text need not encode the collection again.

`StoredTokens` holds the few texts of lesson 15, one byte a number, as `encode.stored` does for one vector a text.
"""

import io
from functools import cache
from pathlib import Path

import numpy as np

from firstprinciples import models
from firstprinciples.corpus import DATA
from firstprinciples.encode.cache import BLOCK, block_name, write_block
from firstprinciples.encode.learners import texts_in
from firstprinciples.encode.stored import BROKEN, from_int8, minilm, real, text_hash
from firstprinciples.encode.token_vectors import MiniLMTokens, from_int16, known_side, to_int16
from firstprinciples.models import cache_folder, write_whole
from firstprinciples.swap import in_use

FILE = DATA / "vectors" / "tokens.npz"


class CachedTokens:
    """An encoder of tokens whose passages are kept on disk; questions go straight to it.

    `encoder` is as in `token_vectors` and has a `fingerprint`, a text that changes when its vectors do. `folder` is by
    default that of this user's cache; where it can't be written, everything is computed. `progress(done, n)` is called
    before and after each block that has to be computed. `means` is an encoder of one vector a text for which the means
    are kept as well, or None. What comes with the course stands in no block.
    """

    def __init__(self, encoder, folder: Path | None = None, progress=None, means=None):
        self.encoder, self.name, self.dim = encoder, encoder.name, encoder.dim
        self.fingerprint, self.means = f"tokens {encoder.fingerprint}", means
        cache = cache_folder()
        self.folder = Path(folder) if folder else cache and cache / "vectors"
        self.progress = progress or (lambda done, n: None)
        self.stored = getattr(encoder, "has", lambda text: False)

    def token_vectors(self, text: str, side: str) -> tuple[list[str], np.ndarray]:
        """Return (tokens of a text, their vectors (t, dim)) from the encoder: nothing of one text alone is kept."""
        return self.encoder.token_vectors(text, side)

    def encode_tokens(self, texts: list[str], side: str):
        """Yield (tokens, vectors (t, dim) float32) for each text, in order; passages from disk where they are there."""
        known_side(side)
        texts = texts_in(texts)
        if side == "query":
            yield from self.encoder.encode_tokens(texts, side)
            return
        others = [text for text in texts if not self.stored(text)]
        rows = (row for start in range(0, len(others), BLOCK) for row in self._block(others, start))
        for text in texts:
            yield self.encoder.token_vectors(text, side) if self.stored(text) else next(rows)

    def _block(self, texts: list[str], start: int):
        """Return (tokens, vectors) for each text of the block that begins at a place; the same, computed or read."""
        block = texts[start : start + BLOCK]
        own = not any(task.startswith("bert.") for task in in_use())  # or a function of yours would be kept for good
        path = self.folder / f"{block_name(self, block)}.npz" if self.folder and own else None
        rows = read_tokens(path, len(block), self.dim) if path else None
        if rows is None:
            self.progress(start, len(texts))
            rows = [(tokens, from_int16(to_int16(vectors))) for tokens, vectors in self._computed(block, own)]
            if path:
                write_tokens(path, rows)
            self.progress(start + len(block), len(texts))
        return rows

    def _computed(self, block: list[str], own: bool) -> list[tuple[list[str], np.ndarray]]:
        """Encode a block, and keep its means where they are asked for."""
        if self.means is None:
            return list(self.encoder.encode_tokens(block, "passage"))
        tokens, vectors, means = zip(*self.encoder.tokens_and_means(block, "passage"), strict=True)
        path = self.folder / f"{block_name(self.means, block)}.npy" if self.folder and own else None
        if path and not path.exists() and not any(self.means.has(text) for text in block):
            write_block(path, np.array(means))
        return list(zip(tokens, vectors, strict=True))


def write_tokens(path: Path, rows: list[tuple[list[str], np.ndarray]]) -> None:
    """Write the tokens and vectors of some texts in one step; on a full disk, or where nothing can be, leave it."""
    names = "\n".join(name for tokens, _ in rows for name in tokens)
    file = io.BytesIO()
    np.savez(file, names=np.frombuffer(names.encode("utf-8", "surrogatepass"), dtype=np.uint8),
             lengths=np.array([len(tokens) for tokens, _ in rows], dtype=np.int32),
             rows=np.concatenate([to_int16(vectors) for _, vectors in rows]))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, [file.getvalue()])
    except OSError:
        pass


def read_tokens(path: Path, n: int, dim: int) -> list[tuple[list[str], np.ndarray]] | None:
    """Return (tokens, vectors (t, dim) float32) for the n texts of a file; None where it can't be what was written.

    The file's own checksums find a flipped bit.
    """
    try:
        with open(path, "rb") as opened, np.load(opened, allow_pickle=False) as file:
            names, lengths, rows = (file[key] for key in ("names", "lengths", "rows"))
        return _apart(names, lengths, rows, n, dim)
    except BROKEN:
        return None


def _apart(names, lengths, rows, n: int, dim: int) -> list[tuple[list[str], np.ndarray]]:
    """Return what was laid end to end, text by text. Raises ValueError where the arrays do not fit each other."""
    tokens = names.tobytes().decode("utf-8", "surrogatepass").split("\n") if names.size else []
    if (lengths.shape != (n,) or lengths.dtype.kind != "i" or (lengths < 0).any() or rows.dtype != np.int16
            or rows.shape != (len(tokens), dim) or lengths.sum() != len(tokens)):
        raise ValueError("These arrays hold no vectors of tokens.")
    ends = np.cumsum(lengths).tolist()
    return [(tokens[end - length : end], from_int16(rows[end - length : end]))
            for end, length in zip(ends, lengths.tolist(), strict=True)]


class StoredTokens:
    """An encoder of tokens that looks a text up among stored ones, and encodes it with the files where it is not there.

    `path` is an .npz with `hashes` (uint64) and `lengths` of the texts, `names` (UTF-8, a line a token), `rows` (int8)
    and `scales` (float32) of their tokens; `load()` gives the encoder for all other texts, or None while its files are
    not there. Questions and passages are encoded alike.
    """

    def __init__(self, path: Path, load, name: str = "minilm", fingerprint: str = ""):
        self.name, self.fingerprint, self._load, self._model = name, fingerprint, load, None
        try:
            with open(path, "rb") as opened, np.load(opened, allow_pickle=False) as file:
                hashes, lengths, names, rows, scales = (file[key] for key in
                                                        ("hashes", "lengths", "names", "rows", "scales"))
            tokens = names.tobytes().decode("utf-8").split("\n")
            whole = (rows.ndim == 2 and rows.dtype == np.int8 and scales.shape == (len(tokens),) == rows.shape[:1]
                     and hashes.dtype == np.uint64 and hashes.shape == lengths.shape
                     and lengths.dtype.kind in "iu" and (lengths > 0).all()
                     and lengths.sum() == len(tokens) and np.isfinite(scales).all() and (scales >= 0).all()
                     and len(set(hashes.tolist())) == len(hashes))
        except BROKEN:
            whole = False
        if not whole:
            raise ValueError(f"{path} is missing or damaged; take it from a whole clone of the repository.")
        self.dim, vectors, ends = rows.shape[1], from_int8(rows, scales), np.cumsum(lengths).tolist()
        self._texts = {number: (tokens[end - length : end], vectors[end - length : end])
                       for number, end, length in zip(hashes.tolist(), ends, lengths.tolist(), strict=True)}

    def has(self, text: str) -> bool:
        """Say whether the vectors of a text's tokens are stored."""
        return text_hash(text) in self._texts

    def token_vectors(self, text: str, side: str) -> tuple[list[str], np.ndarray]:
        """Return (tokens of a text, their vectors (t, dim) float32 of length 1).

        Raises ModelFilesMissing where the text is not stored and the files are not there.
        """
        return next(self.encode_tokens([text], side))

    def encode_tokens(self, texts: list[str], side: str):
        """Yield what `token_vectors` gives for each text."""
        known_side(side)
        texts = texts_in(texts)
        others = [text for text in texts if not self.has(text)]
        found = self.model(others[0]).encode_tokens(others, side) if others else iter([])
        for text in texts:
            tokens, vectors = self._texts[text_hash(text)] if self.has(text) else next(found)
            yield list(tokens), vectors.copy()

    def tokens_and_means(self, texts: list[str], side: str):
        """Yield (tokens, vectors, mean) for each text, all from the real files."""
        yield from self.model(texts[0]).tokens_and_means(texts, side)

    def model(self, text: str = ""):
        """Return the encoder with the real files, which is loaded once; raises ModelFilesMissing without them."""
        return real(self, "The vectors of the tokens of {} are", text)

    @property
    def cut(self) -> int:
        """How many texts were too long and were cut when the real encoder was last asked."""
        return getattr(self._model, "cut", 0)


@cache
def minilm_tokens() -> StoredTokens:
    """Return the tokens of the real encoder, 384 wide: stored ones first, the files for other texts.

    >>> tokens, vectors = minilm_tokens().token_vectors("python bite treatment", "query")
    >>> tokens, vectors.shape
    (['[CLS]', 'python', 'bite', 'treatment', '[SEP]'], (5, 384))
    """
    return StoredTokens(FILE, lambda: MiniLMTokens() if models.files("minilm") else None,
                        fingerprint=models.MODELS["minilm"].files["model.safetensors"][1])


def cached_minilm_tokens(progress=None) -> CachedTokens:
    """Return the same with the passages of a collection kept on disk, and their means for `encode.stored.minilm`."""
    return CachedTokens(minilm_tokens(), progress=progress, means=minilm())
