"""Dense search: a question finds the chunks whose vectors point its way, whatever words they use.

The problem. "What do we owe?" and "amount outstanding: 1,240.00" share no word, so a search by words never brings them
together. An encoder turns each text into a vector, a row of a few hundred numbers, such that texts which mean the same
point the same way. Chunks are encoded once, when the index is built; a question is encoded when it is asked:

    score(question, chunk) = cosine of their vectors, from -1 to 1

Every chunk has some cosine with every question, so the list is always as long as was asked for: unlike a search by
words, this one can't say that nothing matches. What a vector does not know, such as the year or the client, stands in
the chunk's metadata, and a search can be held to it (`firstprinciples.index.filters`).

A score can be taken apart where the encoder's vector is a mean of vectors of tokens (words, or pieces of words). With
q the question's vector, of length 1, and t_1, t_2, ... those of the chunk's tokens,

    cosine = q . (t_1 + t_2 + ...) / |t_1 + t_2 + ...|     so token i adds     q . t_i / |t_1 + t_2 + ...|

In a bi-encoder of single words t_i is the word's alone. In BERT each t_i has already read the whole text: what stands
beside a token there is what its place adds, not what the word means by itself. Source: V. Karpukhin and others, "Dense
Passage Retrieval for Open-Domain Question Answering", EMNLP 2020, for the search; the sum is arithmetic.
"""

import math
import reprlib

import numpy as np

from firstprinciples.index.cosine import Exact, in_range, length_1
from firstprinciples.index.filters import Filtered
from firstprinciples.retrieve import Explanation, Hit, Part, ids_of, listed

SHOWN = 10  # dimensions, where the tokens are not to be had
ENCODER = ("dim", "encode_queries", "encode_passages")
INDEX = ("add", "search")
ROUNDING = 0.02  # more than this is no rounding: a stored number is off by 1/254 of the row's largest at most
MARKS = {"[CLS]": "the mark before every text", "[SEP]": "the mark after every text"}


class Dense:
    """An encoder and an index of vectors.

    `chunks` are Chunk objects or plain strings (ids are then "0", "1", ...). `encoder` has `dim`, `encode_queries` and
    `encode_passages`, each list of texts -> (n, dim), and perhaps `token_vectors`. `index` is an empty index of that
    width with `add(vectors, ids)` and `search(vector, k)`; None means `Exact`. Raises ValueError for an empty
    collection, ids that repeat, an index that is not empty or of another width, and vectors that are not finite or of
    another shape; TypeError for what are no chunks, no encoder and no index.

    >>> from firstprinciples.encode.stored import minilm
    >>> pages = Dense(["annual leave", "amount owing", "server outage"], minilm())
    >>> [hit.id for hit in pages.search("how much do we owe", k=2)]
    ['1', '0']
    """

    def __init__(self, chunks, encoder, index=None):
        chunks = listed(chunks, "Dense([text], encoder)")
        if isinstance(encoder, type) or not all(hasattr(encoder, name) for name in ENCODER):
            raise TypeError(f"{reprlib.repr(encoder)} is no encoder: it needs {', '.join(ENCODER)}, as toy() has them.")
        if index is not None and (isinstance(index, type) or not all(hasattr(index, name) for name in INDEX)):
            raise TypeError(f"{reprlib.repr(index)} is no index: it needs {' and '.join(INDEX)}, as Exact(3) has.")
        if index is not None and hasattr(index, "__len__") and len(index):
            raise ValueError(f"The index holds {len(index)} vectors already; give an empty one.")
        if getattr(index, "dim", encoder.dim) != encoder.dim:  # said here, before minutes are spent on vectors
            raise ValueError(f"The index is made for {index.dim} numbers, and the encoder gives {encoder.dim}.")
        self.ids = ids_of(chunks)
        self.texts = [c if isinstance(c, str) else c.text for c in chunks]
        self.position = {id: place for place, id in enumerate(self.ids)}
        self.encoder, self.index = encoder, Exact(encoder.dim) if index is None else index
        self.metadata = {id: getattr(chunk, "metadata", {}) for id, chunk in zip(self.ids, chunks, strict=True)}
        self.found = None  # what the last search with a condition found, and what it says of itself
        self.vectors = self._checked(encoder.encode_passages(self.texts), len(chunks))
        self.index.add(self.vectors, self.ids)

    def _checked(self, vectors, n: int) -> np.ndarray:
        """Return what the encoder gave; raises ValueError unless these are n rows of finite numbers, dim wide."""
        name = getattr(self.encoder, "name", type(self.encoder).__name__)
        try:
            vectors = np.asarray(vectors)
        except ValueError:  # lists of unequal length
            raise ValueError(f"The encoder {name} gave vectors that are not all of one width.") from None
        if vectors.shape != (n, self.encoder.dim):
            raise ValueError(f"The encoder {name} gave an array of shape {vectors.shape} for {n} "
                             f"{'text' if n == 1 else 'texts'}; it should be {(n, self.encoder.dim)}.")
        if vectors.dtype.kind not in "fiu" or not np.isfinite(vectors).all():
            raise ValueError(f"The encoder {name} gave a vector with something in it that is not a finite number.")
        return vectors

    def vector(self, query: str) -> np.ndarray:
        """Return the question's vector, (dim,), as the encoder gives it."""
        return self._checked(self.encoder.encode_queries([query]), 1)[0]

    def search(self, query: str, k: int = 10, where: dict | None = None, how: str = "pre") -> list[Hit]:
        """Return the k chunks whose vectors are most like the question's, best first; all of them if fewer.

        `where` is a condition on the chunks' metadata, such as {"type": "invoice"}; `how` says when it is looked at:
        "pre", "in" or "post" the search (`firstprinciples.index.filters`). With one, `self.found` then says how many
        match, how many are missing, and why. A question without anything to encode scores 0 with all. Raises ValueError
        unless k is a whole number from 1; KeyError where no chunk has a field that `where` names; and as `Filtered`.
        """
        if where is None:
            return [Hit(id, float(score)) for id, score in self.index.search(self.vector(query), k)]
        kept = any(getattr(self.index, name, None) is not None for name in ("vectors", "rows"))
        filtered = Filtered(self.index, self.metadata, None if kept else self.vectors)
        self.found = filtered.search(self.vector(query), k, where, how)
        return [Hit(id, float(score)) for id, score in self.found.hits]

    def explain(self, query: str, id: str, where: dict | None = None, how: str = "pre") -> Explanation:
        """Take the cosine with one chunk apart: one part for each different token of the chunk, in reading order.

        Where the encoder can't give the tokens' vectors, the parts are the ten dimensions that add most, and the rest.
        An index of short codes scores otherwise: one more part says by how much. `where` and `how` are those of the
        search: with a condition only "post" leaves the scores to the index. Raises KeyError for an id that is not in
        the index.
        """
        if not isinstance(id, str) or id not in self.position:
            raise KeyError(f"There is no chunk {id!r} in this index.")
        place, vector = self.position[id], self.vector(query)
        question, chunk = length_1(vector), length_1(self.vectors[place])
        parts = self._by_token(question, chunk, self.texts[place])
        if parts is None:
            parts = _by_dimension(question, chunk)
        if where is None or how == "post":
            parts = [*parts, *by_codes(self.index, vector, id, math.fsum(part.value for part in parts))]
        return Explanation(math.fsum(part.value for part in parts), tuple(parts))

    def _by_token(self, question: np.ndarray, chunk: np.ndarray, text: str) -> list[Part] | None:
        """Return a part for each different token of a text; None where the encoder can't say what a token adds.

        Raises ValueError where it does not give one vector, dim wide, for each token.
        """
        try:
            tokens, vectors = self.encoder.token_vectors(text, "passage")
        except (AttributeError, FileNotFoundError):  # no such method, or a stored vector without the encoder's files
            return None
        if len(tokens) == 0 and not chunk.any():
            return [Part("nothing", 0.0, "the chunk has no token that the encoder knows")]
        vectors = np.asarray(vectors, dtype=np.float64)
        if vectors.shape != (len(tokens), len(chunk)) or not np.isfinite(vectors).all():
            raise ValueError(f"The encoder gave {len(tokens)} tokens and vectors of shape {vectors.shape}; it should "
                             f"be {(len(tokens), len(chunk))}, finite numbers.")
        vectors = in_range(vectors.reshape(-1)).reshape(vectors.shape)
        length = np.linalg.norm(np.sum(vectors, axis=0))
        if length == 0:  # no tokens, or they cancel out, and yet the chunk has a vector
            return None
        shares = {}
        for token, share in zip(tokens, vectors @ question / length, strict=True):
            shares.setdefault(token, []).append(float(share))
        parts = [Part(token, math.fsum(each), _note(token, each)) for token, each in shares.items()]
        rest = float(question @ chunk) - math.fsum(part.value for part in parts)
        if abs(rest) > ROUNDING:
            parts.append(Part("the rest", rest, "the vector of this chunk is not the mean of its tokens' vectors"))
        elif abs(rest) > 1e-7:
            parts.append(Part("rounding", rest, "the vector of this chunk is kept with fewer digits than its tokens"))
        return parts


def by_codes(index, vector: np.ndarray, id: str, cosine: float) -> list[Part]:
    """Return one part that leads from the cosine with a chunk to the score that an index of short codes gives it.

    `vector` is what is searched for, (dim,). Returns [] where the index gives the cosine.

    >>> from firstprinciples.index.short_vectors import Binary
    >>> index = Binary(dim=2)
    >>> index.add([[0.6, 0.8]])
    >>> by_codes(index, np.array([1.0, 0.5]), "0", cosine=0.894)[0].note
    'the index keeps bits and scores 1.0000 in place of the cosine, 0.8940'
    """
    if not hasattr(index, "score_of"):
        return []
    score = index.score_of(vector, id)
    if abs(score - cosine) <= 1e-7:
        return []
    return [Part("short codes", score - cosine, f"the index keeps {index.keeps} and scores {score:.4f} in place "
                 f"of the cosine, {cosine:.4f}")]


def _note(token: str, shares: list[float]) -> str:
    """Say where a token stands and how often."""
    if token in MARKS:
        return MARKS[token]
    if len(shares) == 1:
        return "once in this chunk"
    return f"{len(shares)} times in this chunk, from {min(shares):.4f} to {max(shares):.4f}"


def _by_dimension(question: np.ndarray, chunk: np.ndarray) -> list[Part]:
    """Return the dimensions whose products add most, and one part for all others."""
    products = question * chunk
    best = np.argsort(-products, kind="stable")[:SHOWN]
    parts = [Part(f"dimension {i}", float(products[i]), f"{question[i]:.4f} in the question x {chunk[i]:.4f} in the "
                  "chunk") for i in best.tolist()]
    others = np.delete(products, best)
    if len(others):
        note = (f"{len(others)} products together, of which {int((others < 0).sum())} are below 0; "
                "what one dimension stands for nobody knows")
        parts.append(Part("all other dimensions", math.fsum(others.tolist()), note))
    return parts
