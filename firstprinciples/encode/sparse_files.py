"""Weights of terms on disk: in a cache, so that a collection is encoded once, and in a file that comes with the course.

The problem. A sparse encoder gives each text a dict, {term: weight}, of a few hundred terms out of 30,000. A file of
them should be small, quick to read, and safe. So the dicts of many texts are laid end to end, as in `retrieve.postings`
but text by text:

    names     "car\\nrope\\nstove"     the different terms, each once
    lengths   2 1                    how many terms each text has
    terms     0 2 1                  for each of them the number of its name
    weights   1.5 0.25 2.0

`CachedTerms` keeps blocks of texts, as `encode.cache` does for vectors, with weights in float32. `StoredTerms` reads
what comes with the course: there a weight is one of 255 steps, scale = largest weight of the text / 255, so a byte is
enough, and what is below half a step is gone; of each text's terms, in ascending order, only the gaps are kept, which
are small numbers; and one bit says whether the text wrote the term itself. A text is known by its hash
(`encode.stored`).
"""

import contextlib
import io
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from firstprinciples.encode.cache import BLOCK, block_name
from firstprinciples.encode.learners import texts_in
from firstprinciples.encode.stored import BROKEN, real, text_hash, text_hashes
from firstprinciples.models import cache_folder, write_whole
from firstprinciples.swap import in_use

STEPS = 255


def lay_out(rows: list[dict[str, float]]) -> dict[str, np.ndarray]:
    """Lay rows end to end: {"names" uint8, "lengths" int32, "terms" int32, "weights" float32}, as drawn above.

    The frequent terms get the small numbers, and in each row the terms ascend. Raises ValueError for a term with a line
    break in it.

    >>> arrays = lay_out([{"stove": 0.25, "car": 1.5}, {"car": 2.0}])
    >>> arrays["names"].tobytes(), arrays["lengths"].tolist(), arrays["terms"].tolist(), arrays["weights"].tolist()
    (b'car\\nstove', [2, 1], [0, 1, 0], [1.5, 0.25, 2.0])
    """
    counts = {}
    for row in rows:
        for term in row:
            counts[term] = counts.get(term, 0) + 1
    names = sorted(counts, key=lambda term: (-counts[term], term))
    if any("\n" in name for name in names):
        raise ValueError("A term must not hold a line break.")
    number = {name: i for i, name in enumerate(names)}
    pairs = [sorted((number[term], weight) for term, weight in row.items()) for row in rows]
    flat = [pair for row in pairs for pair in row]
    return {"names": np.frombuffer("\n".join(names).encode("utf-8", "surrogatepass"), dtype=np.uint8),
            "lengths": np.array([len(row) for row in pairs], dtype=np.int32),
            "terms": np.array([i for i, _ in flat], dtype=np.int32),
            "weights": np.array([weight for _, weight in flat], dtype=np.float32)}


def take_apart(arrays: dict[str, np.ndarray]) -> list[dict[str, float]]:
    """Return the rows that `lay_out` laid end to end; raises ValueError where the arrays do not fit each other.

    >>> take_apart(lay_out([{"stove": 0.25, "car": 1.5}, {}]))
    [{'car': 1.5, 'stove': 0.25}, {}]
    """
    names, lengths, terms, weights = (arrays[name] for name in ("names", "lengths", "terms", "weights"))
    # equal strings of many blocks become one: a large collection would hold each name a hundred times
    names = [sys.intern(name) for name in names.tobytes().decode("utf-8", "surrogatepass").split("\n")]
    right = (lengths.ndim == terms.ndim == 1 and lengths.dtype.kind == terms.dtype.kind == "i"
             and terms.shape == weights.shape == (lengths.sum(),) and (lengths >= 0).all()
             and ((terms >= 0) & (terms < len(names))).all() and ((weights > 0) & np.isfinite(weights)).all())
    if not right:
        raise ValueError("These arrays hold no weights of terms.")
    found = list(map(names.__getitem__, terms.tolist()))
    numbers, rows, start = weights.tolist(), [], 0
    for length in lengths.tolist():
        rows.append(dict(zip(found[start : start + length], numbers[start : start + length], strict=True)))
        start += length
    return rows


class CachedTerms:
    """A sparse encoder whose passages are kept on disk, block by block; questions go straight to it.

    `encoder` gives {term: weight} for each text and has a `fingerprint`, a text that changes when its weights do.
    `folder` is by default that of this user's cache; where it can't be written, everything is computed. A damaged file
    is made again. `progress(done, n)` is called before and after each block that has to be computed. What comes with
    the course stands in no block. While a `term_weights` of yours is in use, nothing is read and nothing is kept.
    """

    dim = 0  # sparse rows have no width; `block_name` asks

    def __init__(self, encoder, folder: Path | None = None, progress=None):
        self.encoder, self.name, self.fingerprint = encoder, encoder.name, f"terms {encoder.fingerprint}"
        cache = cache_folder()
        self.folder = Path(folder) if folder else cache and cache / "vectors"
        self.progress = progress or (lambda done, n: None)
        self.stored = getattr(encoder, "has", lambda text: False)

    def encode_passages(self, texts: list[str]) -> list[dict[str, float]]:
        """Return {term: weight} for each text: read where it is on disk, else computed and kept."""
        texts = texts_in(texts)
        known = [text for text in texts if self.stored(text)]
        others = [text for text in texts if not self.stored(text)]
        rows = iter(self.encoder.encode_passages(known)) if known else iter([])
        computed = (row for start in range(0, len(others), BLOCK) for row in self._block(others, start))
        return [next(rows) if self.stored(text) else next(computed) for text in texts]

    def _block(self, texts: list[str], start: int) -> list[dict[str, float]]:
        """Return the rows of the block that begins at a place."""
        block = texts[start : start + BLOCK]
        own = "splade.term_weights" not in in_use()
        path = self.folder / f"{block_name(self, block)}.npz" if self.folder and own else None
        rows = read_block(path, len(block)) if path else None
        if rows is None:
            self.progress(start, len(texts))
            rows = self.encoder.encode_passages(block)
            if path:
                write_block(path, rows)
            self.progress(start + len(block), len(texts))
        return rows

    def encode_queries(self, texts: list[str]) -> list[dict[str, float]]:
        """Return {term: weight} for each question, from the encoder: nothing of a question is kept."""
        return self.encoder.encode_queries(texts)

    def terms_of(self, text: str) -> list[str]:
        """Return the terms that a text holds."""
        return self.encoder.terms_of(text)


def read_block(path: Path, n: int) -> list[dict[str, float]] | None:
    """Return the n rows of a file; None where it is not there or can't be what was written."""
    try:
        with open(path, "rb") as opened, np.load(opened, allow_pickle=False) as file:
            rows = take_apart({name: file[name] for name in file.files})
    except BROKEN:
        return None
    return rows if len(rows) == n else None


def write_block(path: Path, rows: list[dict[str, float]]) -> None:
    """Write the rows of a block in one step; on a full disk, or where nothing can be written, leave it."""
    file = io.BytesIO()
    np.savez(file, **lay_out(rows))
    with contextlib.suppress(OSError):
        os.makedirs(path.parent, exist_ok=True)
        write_whole(path, [file.getvalue()])


def in_steps(weights: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Round weights to whole steps from 0 to 255, the largest of each row to 255: (steps uint8, scales float32).

    `weights` are those of all rows end to end, `lengths` says how many each row has.

    >>> steps, scales = in_steps(np.array([1.0, 0.5, 2.0]), np.array([2, 0, 1]))
    >>> steps.tolist(), (scales * STEPS).round(4).tolist()
    ([255, 128, 255], [1.0, 0.0, 2.0])
    """
    owners = np.repeat(np.arange(len(lengths)), lengths)
    largest = np.zeros(len(lengths))
    np.maximum.at(largest, owners, weights)
    scales = largest / STEPS
    return np.round(np.asarray(weights, float) / scales[owners]).astype(np.uint8), scales.astype(np.float32)


def shorten(texts: list[str], rows: list[dict[str, float]], written: list[list[str]]) -> dict[str, np.ndarray]:
    """Return what `StoredTerms` reads, as arrays; `written` are the terms that each text itself holds.

    >>> shortened = shorten(["a car"], [{"car": 1.0, "auto": 0.5, "the": 0.001}], [["a", "car"]])
    >>> shortened["names"].tobytes(), shortened["steps"].tolist()
    (b'auto\\ncar', [128, 255])
    """
    lengths, weights = np.array([len(row) for row in rows]), [w for row in rows for w in row.values()]
    steps = iter(in_steps(np.array(weights), lengths)[0].tolist())
    scales = in_steps(np.array(weights), lengths)[1]
    arrays = lay_out([{term: step for term in row if (step := next(steps))} for row in rows])
    names = arrays["names"].tobytes().decode("utf-8").split("\n")
    owners = np.repeat(np.arange(len(rows)), arrays["lengths"])
    sets = [set(terms) for terms in written]
    literal = [names[i] in sets[owner] for i, owner in zip(arrays["terms"].tolist(), owners.tolist(), strict=True)]
    gaps = np.diff(arrays["terms"], prepend=0)
    firsts = (np.cumsum(arrays["lengths"]) - arrays["lengths"])[arrays["lengths"] > 0]
    gaps[firsts] = arrays["terms"][firsts]
    return {"hashes": text_hashes(texts), "names": arrays["names"],
            "lengths": arrays["lengths"].astype(np.uint16), "gaps": gaps.astype(np.uint16), "scales": scales,
            "steps": arrays["weights"].astype(np.uint8), "literal": np.packbits(np.array(literal, dtype=bool))}


class StoredTerms:
    """The sparse encoder as the course uses it: what is stored is looked up, other texts go to its files.

    `load()` returns the encoder with its files, or None while they are not there; `fingerprint` says which encoder that
    is. Raises ValueError where the file is missing or damaged.
    """

    def __init__(self, path: Path, load, name: str, fingerprint: str = ""):
        self.name, self.fingerprint, self._load, self._model = name, fingerprint, load, None
        try:
            with open(path, "rb") as opened, np.load(opened, allow_pickle=False) as file:
                kept = SimpleNamespace(**{name: file[name] for name in file.files})
            lengths, size = kept.lengths.astype(np.int32), len(kept.steps)
            first = np.cumsum(lengths) - lengths
            sums = np.cumsum(kept.gaps.astype(np.int64))
            before = np.concatenate([[0], sums])[first]  # the gaps of a row add up from its own beginning
            terms = (sums - np.repeat(before, lengths)).astype(np.int32)
            weights = kept.steps * np.repeat(kept.scales, lengths)
            rows = take_apart({"names": kept.names, "lengths": lengths, "terms": terms, "weights": weights})
            literal = np.unpackbits(kept.literal, count=size).astype(bool).tolist()
            hashes = kept.hashes.tolist()
            whole = (len(rows) == len(hashes) == len(set(hashes)) and sum(map(len, rows)) == size
                     and len(kept.literal) == (size + 7) // 8)
        except BROKEN:
            whole = False
        if not whole:
            raise ValueError(f"{path} is missing or damaged; take it from a whole clone of the repository.")
        self._rows = dict(zip(hashes, rows, strict=True))
        ends = zip(hashes, rows, first.tolist(), strict=True)
        self._written = {number: [term for term, own in zip(row, literal[start : start + len(row)], strict=True) if own]
                         for number, row, start in ends}

    def has(self, text: str) -> bool:
        """Say whether the weights of a text are stored."""
        return text_hash(text) in self._rows

    def encode_passages(self, texts: list[str]) -> list[dict[str, float]]:
        """Return {term: weight} for each text. Raises ModelFilesMissing where one is not stored and files are missing.
        """
        texts = texts_in(texts)
        others = [text for text in texts if not self.has(text)]
        computed = iter(self.model(others[0]).encode_passages(others) if others else [])
        return [dict(self._rows[text_hash(text)]) if self.has(text) else next(computed) for text in texts]

    encode_queries = encode_passages

    def terms_of(self, text: str) -> list[str]:
        """Return the terms that a text holds; of a stored one those that have a weight, each once."""
        number = text_hash(text)
        return list(self._written[number]) if number in self._written else self.model(text).terms_of(text)

    def model(self, text: str = ""):
        """Return the encoder with the real files, which is loaded once; raises ModelFilesMissing without them."""
        return real(self, "The weights of {} are", text)

    @property
    def cut(self) -> int:
        """How many texts were too long and were cut when the real encoder was last asked."""
        return getattr(self._model, "cut", 0)
