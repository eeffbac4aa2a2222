"""One vector a token instead of one a text: what late interaction (`firstprinciples.retrieve.maxsim`) compares.

The problem. The mean over a text's tokens has thrown away which word said what. Kept are here the vectors before the
mean, each at length 1, so that a dot product of two is a cosine. Two encoders give them:

`MiniLMTokens`: the last layer of the real encoder. Each token's vector has read the whole text, so "python" beside
"bite" is another vector than "python" beside "script".

`ToyTokens`: a stand-in that needs no files. A word's row of the toy bi-encoder's table is mixed with those of its
neighbors: u_i is the row of word i at length 1, and

    v_i = u_i + SHARE * (mean of u_j over the REACH words on either side of i),    then brought to length 1

Nothing of that is trained for the purpose; it only lets a reader see what it means that a vector depends on its place.
A word that the table lacks gets a row of its own, drawn from the letters of the word: it is like itself and like
nothing else.

An encoder of tokens has `name`, `dim`, `token_vectors(text, side)` for one text and `encode_tokens(texts, side)` for
many, one after the other; `side` is "query" or "passage". On disk and in an index a number takes two bytes:
`to_int16`. What is kept on disk is in `token_files`.
"""

import hashlib

import numpy as np

from firstprinciples.encode import biencoder
from firstprinciples.encode.bert import MiniLM
from firstprinciples.encode.learners import texts_in
from firstprinciples.text import tokenize

REACH, SHARE = 2, 0.5
STEPS = 32767  # on either side of 0
SIDES = ("query", "passage")


def to_length_1(vectors: np.ndarray) -> np.ndarray:
    """Return rows, (n, dim), at length 1, float32; a row of zeros stays one.

    >>> to_length_1(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist() == np.float32([[0.6, 0.8], [0, 0]]).tolist()
    True
    """
    vectors = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, np.float32(1))


def to_int16(vectors: np.ndarray) -> np.ndarray:
    """Return vectors with numbers from -1 to 1 as whole numbers from -32767 to 32767, two bytes each; any shape.

    float16 takes as little and is no more exact here, and NumPy takes seven times as long to turn it back.

    >>> to_int16(np.array([0.6, -1.0])).tolist()
    [19660, -32767]
    """
    steps = np.rint(np.asarray(vectors, dtype=np.float32) * np.float32(STEPS))
    return np.clip(steps, -STEPS, STEPS).astype(np.int16)  # rounding may leave 1.0001, which would turn into -1


def from_int16(rows: np.ndarray) -> np.ndarray:
    """Return the numbers of `to_int16`, float32: off by 1 / 65,534 at most. The way back gives the same whole numbers.

    >>> to_int16(from_int16(np.array([19660, -32767]))).tolist()
    [19660, -32767]
    """
    return rows.astype(np.float32) / np.float32(STEPS)


def with_neighbors(vectors: np.ndarray, reach: int = REACH, share: float = SHARE) -> np.ndarray:
    """Mix each row, (n, dim), with the mean of those up to `reach` places before and after it: returns (n, dim).

    The row itself counts fully and the mean of its neighbors `share` of that; a row without neighbors stays as it is.

    >>> with_neighbors(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]), reach=1, share=0.5).tolist()
    [[1.0, 0.5], [0.25, 1.25], [0.0, 1.5]]
    """
    vectors = np.asarray(vectors, dtype=np.float64)
    sums, counts = np.zeros_like(vectors), np.zeros((len(vectors), 1))
    for step in range(1, min(reach, len(vectors) - 1) + 1):  # all rows at once: those a step after, and a step before
        sums[:-step] += vectors[step:]
        sums[step:] += vectors[:-step]
        counts[:-step] += 1
        counts[step:] += 1
    return vectors + share * sums / np.maximum(counts, 1)


def drawn(word: str, dim: int) -> np.ndarray:
    """Return a row, (dim,), of length 1 that is always the same for a word, and like that of no other word.

    >>> row = drawn("mussel", 64)
    >>> bool(row @ drawn("mussel", 64) > 0.999), bool(abs(row @ drawn("clam", 64)) < 0.4)
    (True, True)
    """
    seed = int.from_bytes(hashlib.sha256(word.encode("utf-8", errors="surrogatepass")).digest()[:8], "little")
    row = np.random.Generator(np.random.PCG64(seed)).standard_normal(dim)
    return row / np.linalg.norm(row)


class ToyTokens:
    """Toy vectors of words in their places, 64 wide; questions and passages are encoded alike.

    `encoder` is a `BiEncoder`, by default the one that comes with the course. `reach` and `share` are those of
    `with_neighbors`; with share=0 a word has one vector wherever it stands. Raises ValueError for an unknown side.

    >>> words, vectors = ToyTokens().token_vectors("Unpaid bills!", "query")
    >>> words, vectors.shape
    (['unpaid', 'bills'], (2, 64))
    """

    name = "toy"

    def __init__(self, encoder=None, reach: int = REACH, share: float = SHARE):
        self.encoder = biencoder.toy() if encoder is None else encoder
        self.dim, self.reach, self.share = self.encoder.dim, reach, share
        table = self.encoder.weights["table"]
        self._rows = dict(zip(self.encoder.words, to_length_1(table), strict=True))

    def token_vectors(self, text: str, side: str) -> tuple[list[str], np.ndarray]:
        """Return (words of a text, their vectors (t, dim) float32 of length 1); both are empty for an empty text."""
        known_side(side)
        words = tokenize(texts_in([text])[0])
        for word in words:
            if word not in self._rows:
                self._rows[word] = drawn(word, self.dim)
        rows = np.array([self._rows[word] for word in words], dtype=np.float64).reshape(len(words), self.dim)
        return words, to_length_1(with_neighbors(rows, self.reach, self.share))

    def encode_tokens(self, texts: list[str], side: str):
        """Yield what `token_vectors` gives for each text."""
        known_side(side)
        for text in texts_in(texts):
            yield self.token_vectors(text, side)


class MiniLMTokens:
    """The vectors of the tokens in MiniLM's last layer, 384 wide, at length 1; questions and passages alike.

    All tokens are kept, punctuation and the marks [CLS] and [SEP] among them, and a question is not filled up: so they
    give the figures of data/SOURCES.md. The model was trained for the mean of these vectors, not for MaxSim, as ColBERT
    is. A text is cut after 256 tokens; `cut` says how many of those encoded last were. `folder` as for `MiniLM`.
    """

    name, dim = "minilm", MiniLM.dim

    def __init__(self, folder=None):
        self.model = MiniLM(folder)

    @property
    def cut(self) -> int:
        """The number of texts, of those encoded last, that were cut."""
        return self.model.cut

    def token_vectors(self, text: str, side: str) -> tuple[list[str], np.ndarray]:
        """Return (tokens of a text from [CLS] to [SEP], their vectors (t, 384) float32 of length 1)."""
        return next(self.encode_tokens([text], side))

    def encode_tokens(self, texts: list[str], side: str):
        """Yield what `token_vectors` gives for each text; all are encoded before the first one comes."""
        for tokens, vectors, _ in self.tokens_and_means(texts, side):
            yield tokens, vectors

    def tokens_and_means(self, texts: list[str], side: str):
        """Yield (tokens, vectors, mean) for each text: the mean (384,), at length 1, is what `MiniLM` gives for it.

        A model that has read a text for the one has the other as well.
        """
        known_side(side)
        bert = self.model.bert

        def take(vectors, mask):
            return [row[real] for row, real in zip(vectors, mask, strict=True)]

        for text, vectors in zip(texts, bert.run(texts_in(texts), take), strict=True):
            names = [bert.tokenizer.vocabulary[i] for i in bert.tokenizer.ids(text, bert.max_tokens)[0]]
            yield names, to_length_1(vectors), to_length_1(vectors.mean(axis=0, keepdims=True))[0]


def known_side(side: str) -> None:
    """Raise ValueError unless this is "query" or "passage".

    >>> known_side("query")
    """
    if side not in SIDES:
        raise ValueError(f"There is no side {side!r}; it is 'query' or 'passage'.")
