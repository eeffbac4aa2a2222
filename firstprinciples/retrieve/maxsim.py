"""MaxSim: keep a vector for each word, and let every word of the question find its best match in the chunk.

The problem. One vector for a whole chunk is an average: each sentence counts in it for as much as its share of the
text, and one that answers can be lost in a page that goes on to other things. (That two short passages share a word of
two senses, "python", is not enough: lesson 15 shows that their averages are told apart by the words around it.) Late
interaction keeps the vectors of all tokens (words, or pieces of words), and waits with the comparing until a question
is there:

    score(question, chunk) = sum over the tokens q of the question of  max over the tokens t of the chunk of  q . t

All vectors have length 1, so that q . t is a cosine. It is a sum, not a mean: that changes no order among the
chunks, but scores of two questions are not on one scale. It is a maximum over the chunk: one good match is as good as
ten, and more tokens can only raise it (in a longer text a token's own vector moves a little, for it has read more).
The tokens of a chunk are encoded once, when the index is built; what that costs is a vector a word instead of one a
chunk.

Three ways to the same number follow one another below: one chunk at a time; all chunks filled up to one length, where
a place that is only filled up may never win; and all tokens one below the other, which is one matrix product and is
the fast one. In a cosine there is nothing wrong with a number below 0: a padding of zeros would win over it.

Source: O. Khattab and M. Zaharia, "ColBERT: Efficient and Effective Passage Search via Contextualized Late Interaction
over BERT", SIGIR 2020, also for the two stages and for leaving out punctuation on the side of the chunks only.
"""

import math
import string

import numpy as np

from firstprinciples.blas import one_blas_thread
from firstprinciples.encode.learners import given
from firstprinciples.encode.token_vectors import SIDES, STEPS, to_int16
from firstprinciples.index import as_k, named
from firstprinciples.index.hnsw import whole
from firstprinciples.retrieve import Explanation, Hit, Part, ids_of, listed
from firstprinciples.retrieve.maxsim_blocks import ROWS, maxsim_blocks
from firstprinciples.retrieve.maxsim_checks import (
    checked_bytes,
    checked_kept,
    checked_matches,
    checked_pair,
    checked_places,
)

DIGITS = 9  # of a score; what float64 adds up in another order differs later
MARKS = {"[CLS]": "the mark before every text", "[SEP]": "the mark after every text"}


def best_matches(question, document):
    """Find the best match of each question token in a document: returns (positions (m,), similarities (m,)).

    `question` is (m, d) and `document` (n, d), a row for each token, of length 1. For each row of the question:
    the position, from 0, of the document's row with the largest dot product, and that product. Of equal ones the first
    counts. Raises ValueError for a document without tokens.
    Lesson 15, "Each word finds its match".

    >>> best_matches([[1.0, 0.0], [0.0, 1.0]], [[0.6, 0.8], [0.0, -1.0], [0.8, 0.6]])
    (array([2, 0]), array([0.8, 0.8]))
    """
    if len(document) == 0:
        raise ValueError("The document has no tokens, so there is nothing to match.")
    similarities = np.asarray(question) @ np.asarray(document).T
    positions = similarities.argmax(axis=1)
    return positions, similarities[np.arange(len(positions)), positions]


def maxsim(question, document) -> float:
    """Score a document: for each question token its best match, and the sum of these.

    `question` is (m, d) and `document` (n, d), rows of length 1. Returns the sum over the m rows of the largest dot
    product with one of the n rows, from -m to m: not the mean. Raises ValueError for a document without tokens.
    Lesson 15, "The total".

    >>> maxsim([[1.0, 0.0], [0.0, 1.0]], [[0.6, 0.8], [0.0, -1.0], [0.8, 0.6]])
    1.6
    """
    if len(document) == 0:
        raise ValueError("The document has no tokens, so there is nothing to match.")
    return float((np.asarray(question) @ np.asarray(document).T).max(axis=1).sum())


def maxsim_padded(question, documents, mask):
    """Score many documents that were filled up to one length; what was filled up never counts.

    `question` is (m, d), `documents` (B, n, d), and `mask` (B, n): True or 1 for a token, False or 0 for a place that
    is only filled up. Returns (B,): for each document what `maxsim` gives for its tokens alone, also when all of their
    similarities are negative and those of the filling are 0. Raises ValueError for a document without tokens.
    Lesson 15, "Filled up to one length".

    >>> maxsim_padded([[1.0, 0.0]], [[[-0.6, 0.8], [0.0, 0.0]], [[0.6, 0.8], [1.0, 0.0]]], [[1, 0], [1, 1]])
    array([-0.6,  1. ])
    """
    mask = np.asarray(mask, dtype=bool)
    if not mask.any(axis=1).all():
        raise ValueError("A document has no tokens, so there is nothing to match.")
    similarities = np.asarray(documents) @ np.asarray(question).T  # (B, n, m)
    return np.where(mask[..., None], similarities, -np.inf).max(axis=1).sum(axis=1)


def maxsim_ragged(question, tokens, starts):
    """Score many documents whose tokens stand one below the other: one matrix product, and no place filled up.

    `question` is (m, d) and `tokens` (N, d): the rows of the first document, then those of the second, and so on.
    `starts` are the B positions at which a document begins, from 0, ascending; it ends where the next one begins, the
    last one at N. Returns (B,), what `maxsim` gives for each. Raises ValueError for a document without tokens, and for
    starts that do not begin at 0: `np.maximum.reduceat` would take a row of the neighbor without a word.
    Lesson 15, "One below the other".

    >>> maxsim_ragged([[1.0, 0.0]], [[-0.6, 0.8], [0.6, 0.8], [1.0, 0.0]], starts=[0, 1])
    array([-0.6,  1. ])
    """
    tokens, starts = np.asarray(tokens), np.asarray(starts)
    ends = np.append(starts[1:], len(tokens))
    if len(starts) == 0 or starts[0] != 0 or (ends <= starts).any():
        raise ValueError("The starts must begin at 0 and ascend, and every document needs a token.")
    return np.maximum.reduceat(tokens @ np.asarray(question).T, starts, axis=0).sum(axis=1)


def mean_similarity(question, document) -> float:
    """Compare two texts as one vector each would: the cosine of the mean of their tokens' vectors.

    `question` is (m, d) and `document` (n, d). Returns a number from -1 to 1; 0.0 where a mean has length 0, or a text
    no tokens. This is what MaxSim is held against.
    Lesson 15, "One vector for all".

    >>> round(mean_similarity([[1.0, 0.0], [0.0, 1.0]], [[0.6, 0.8], [0.8, 0.6]]), 4)
    1.0
    """
    sums = np.sum(question, axis=0), np.sum(document, axis=0)  # a mean has the same direction
    lengths = np.linalg.norm(sums[0]) * np.linalg.norm(sums[1])
    return float(sums[0] @ sums[1] / lengths) if lengths else 0.0


def without_punctuation(tokens: list[str], vectors):
    """Leave out the tokens that are punctuation only: returns (tokens, vectors) of the others, in order.

    `tokens` are n strings, `vectors` is (n, d). Punctuation are the 32 signs of `string.punctuation`; a token goes if
    all of its characters are. Used for documents only: a comma of theirs is the best match of nothing one would want,
    and costs a vector; a question keeps all it has.
    Lesson 15, "What is stored".

    >>> without_punctuation(["red", ",", "e_4432"], np.array([[1, 0], [0, 1], [1, 1]]))[1].tolist()
    [[1, 0], [1, 1]]
    """
    kept = [i for i, token in enumerate(tokens) if not all(sign in string.punctuation for sign in token)]
    return [tokens[i] for i in kept], np.asarray(vectors)[kept]


def nearest_tokens(question, tokens, owners, n: int) -> list[int]:
    """Gather candidates: the documents that own one of the n nearest tokens of some question token.

    `question` is (m, d), `tokens` (N, d) the tokens of all documents, and `owners` (N,) says whose each is, a whole
    number. For each question token the n rows with the largest dot products count, of equal ones those that come first;
    all rows if there are fewer. Returns the owners, each once, ascending. A document beyond them gets no score: that is
    what the two stages may lose.
    Lesson 15, "Two stages".

    >>> nearest_tokens([[1.0, 0.0]], [[0.6, 0.8], [0.0, 1.0], [1.0, 0.0], [0.8, 0.6]], owners=[4, 4, 2, 7], n=2)
    [2, 7]
    """
    similarities = np.asarray(question) @ np.asarray(tokens).T
    nearest = np.argsort(-similarities, axis=1, kind="stable")[:, :n]
    return sorted(set(np.asarray(owners)[nearest.ravel()].tolist()))


def storage(tokens: int, dim: int, bytes_each: int) -> int:
    """Return how many bytes vectors take: tokens x dim x bytes_each.

    `bytes_each` is 4 for float32, 2 for float16, 1 for int8. Held against storage(chunks, dim, bytes_each), one vector
    a chunk, it is as many times as much as a chunk has tokens.
    Lesson 15, "What is stored".

    >>> storage(tokens=100 * 704, dim=384, bytes_each=2) // storage(tokens=704, dim=384, bytes_each=4)
    50
    """
    return tokens * dim * bytes_each


OWN = maxsim_ragged


class MaxSim:
    """Search by late interaction: all chunks with a vector a token, two bytes a number.

    `chunks` are Chunk objects or plain strings (ids are then "0", "1", ...). `encoder` gives tokens and their vectors,
    rows of length 1 or of zeros (`firstprinciples.encode.token_vectors`). With `candidates=n` a search has two stages:
    only chunks that own one of the n nearest tokens of some question token are scored; None scores all.
    `punctuation=False` drops the punctuation of the chunks, unless nothing would be left. Raises ValueError for an
    empty collection, ids that repeat and vectors that do not fit; TypeError for what are no chunks and no encoder.

    All scores are first computed in float32, which is quick; those that may be among the best, once more in float64 by
    `maxsim_ragged`, so that a tie is a tie. A chunk without tokens has no match: it gets the least there is, -1 for
    each token of the question. After a search `compared` says how many chunks were scored.

    >>> from firstprinciples.encode.token_vectors import ToyTokens
    >>> pages = MaxSim(["an unpaid invoice", "a red tent", "the stove"], ToyTokens())
    >>> [hit.id for hit in pages.search("red tents and a red tent", k=1)]
    ['1']
    """

    name = "maxsim"

    def __init__(self, chunks, encoder, candidates: int | None = None, punctuation: bool = True):
        chunks = listed(chunks, "MaxSim([text], encoder)")
        if isinstance(encoder, type) or not all(hasattr(encoder, name) for name in ("dim", "encode_tokens")):
            raise TypeError("This is no encoder of tokens: it needs dim and encode_tokens, as ToyTokens() has them.")
        self.candidates = candidates
        if candidates is not None:
            self.candidates = whole("candidates", candidates, 1, "how many nearest tokens each question token takes")
        self.ids = ids_of(chunks)
        self.texts = [c if isinstance(c, str) else c.text for c in chunks]
        self.position = {id: place for place, id in enumerate(self.ids)}
        self.encoder, self.dim, self.compared = encoder, encoder.dim, 0
        self.names, space, n = [], np.empty((ROWS, self.dim), dtype=np.int16), 0  # names: the tokens of each chunk
        for tokens, vectors in self._encoded(self.texts, SIDES[1]):
            if not punctuation:
                with named("maxsim.without_punctuation"):
                    kept = without_punctuation(tokens, vectors)
                kept = checked_kept(kept, len(tokens), self.dim)
                tokens, vectors = kept if kept[0] else (tokens, vectors)
            if n + len(tokens) > len(space):  # grows where it lies: at no time are there two of so large an array
                space.resize((max(n + len(tokens), len(space) * 5 // 4), self.dim), refcheck=False)
            space[n : n + len(tokens)] = to_int16(vectors)
            self.names.append(tokens)
            n += len(tokens)
        if len(self.names) != len(chunks):
            raise ValueError(f"The encoder gave the tokens of {len(self.names)} texts; it was handed {len(chunks)}.")
        space.resize((n, self.dim), refcheck=False)
        self.tokens, self.lengths = space, np.array([len(tokens) for tokens in self.names])
        self.starts = np.concatenate([[0], np.cumsum(self.lengths)[:-1]])

    def _encoded(self, texts: list[str], side: str):
        """Yield (tokens, vectors (n, dim) float32) of texts, as the encoder gives them."""
        found = self.encoder.encode_tokens(texts, side)
        if not hasattr(found, "__iter__"):
            raise ValueError(f"The encoder gave {found!r} for {len(texts)} texts; it should give (tokens, vectors) for "
                             "each.")
        for pair in found:
            yield checked_pair(pair, self.dim)

    @property
    def nbytes(self) -> int:
        """How many bytes the vectors take."""
        with named("maxsim.storage"):
            taken = storage(len(self.tokens), self.dim, self.tokens.itemsize)
        return checked_bytes(taken)

    @property
    def times_one_vector(self) -> float:
        """How many times as much that is as one vector a chunk, at the same width and two bytes a number."""
        return len(self.tokens) / len(self.ids)

    def question(self, query: str) -> tuple[list[str], np.ndarray]:
        """Return (tokens of a question, their vectors (m, dim) float32) as the encoder gives them."""
        found = list(self._encoded([query], SIDES[0]))
        if len(found) != 1:
            raise ValueError(f"The encoder gave the tokens of {len(found)} texts; it was handed 1.")
        return found[0]

    def vectors(self, id: str) -> tuple[list[str], np.ndarray]:
        """Return (tokens of a chunk, their vectors (n, dim) float64) as they are stored; KeyError for an unknown id."""
        place = self._place(id)
        start = self.starts[place]
        return self.names[place], self.tokens[start : start + self.lengths[place]] / STEPS

    def search(self, query: str, k: int = 10) -> list[Hit]:
        """Return the k chunks with the highest sums, best first; all that were scored if fewer.

        Equal sums are ordered by id, ascending. A question without a token scores 0 with all. Raises ValueError unless
        k is a whole number from 1.
        """
        k, (_, question) = as_k(k), self.question(query)
        places = self._gathered(question) if self.candidates else np.arange(len(self.ids))
        self.compared = len(places)
        if maxsim_ragged is OWN and not self.candidates:  # a function of yours scores every chunk
            places = self._near(question, k)
        scores = self._scores(question, places)
        found = sorted(zip((self.ids[place] for place in places), scores.tolist(), strict=True),
                       key=lambda pair: (-pair[1], pair[0]))
        return [Hit(id, score) for id, score in found[:k]]

    def score(self, query: str, chunks) -> np.ndarray:
        """Return the score of each of some chunks of this collection, (n,) float64: MaxSim as a reranker.

        `chunks` are objects with an `id`, or ids. Raises KeyError for one that is not in the collection, and TypeError
        for what is no list.
        """
        if isinstance(chunks, str) or not hasattr(chunks, "__iter__"):
            raise TypeError("Give a list of chunks or of ids, also for one.")
        places = [self._place(getattr(chunk, "id", chunk)) for chunk in chunks]
        self.compared = len(places)
        return self._scores(self.question(query)[1], np.array(places, dtype=int))

    def explain(self, query: str, id: str) -> Explanation:
        """Take the score of one chunk apart: one part for each token of the question, with its best match.

        Raises KeyError for an id that is not in the collection.
        """
        place, (names, question) = self._place(id), self.question(query)
        if not self.lengths[place]:
            parts = [Part(name, -1.0, "the chunk has no tokens") for name in names]
            return Explanation(float(-len(parts)), tuple(parts))
        tokens, rows = self.vectors(id)
        with named("maxsim.best_matches"):
            found = best_matches(question.astype(np.float64), rows)
        parts = []
        for name, at, similarity in zip(names, *checked_matches(found, len(names), len(tokens)), strict=True):
            mark = f", {MARKS[name]}" if name in MARKS else ""
            parts.append(Part(name, similarity, f"-> {tokens[at]} (token {at + 1} of {len(tokens)}){mark}"))
        return Explanation(math.fsum(part.value for part in parts), tuple(parts))

    def _place(self, id: str) -> int:
        """Return the position of a chunk."""
        if not isinstance(id, str) or id not in self.position:
            raise KeyError(f"There is no chunk {id!r} in this index.")
        return self.position[id]

    @one_blas_thread()  # these products are small: see blas
    def _scores(self, question: np.ndarray, places: np.ndarray) -> np.ndarray:
        """Return the scores of the chunks at some places, (n,) float64, by `maxsim_ragged`, a few at a time."""
        scores = np.full(len(places), -float(len(question)))
        if not len(question):
            return np.zeros(len(places))
        filled, question = np.flatnonzero(self.lengths[places]), question.astype(np.float64)
        for some in np.array_split(filled, self.lengths[places].sum() // ROWS + 1):
            if len(some):
                lengths = self.lengths[places[some]]
                rows = np.concatenate([self.tokens[self.starts[p] : self.starts[p] + self.lengths[p]]
                                       for p in places[some]]) / STEPS
                starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
                with named("maxsim.maxsim_ragged"):
                    sums = maxsim_ragged(question, rows, starts)
                scores[some] = given("maxsim.maxsim_ragged", sums, (len(some),))
        return np.round(scores, DIGITS)

    @one_blas_thread()
    def _near(self, question: np.ndarray, k: int) -> np.ndarray:
        """Return the places of all chunks that may be among the k best, as far as float32 can tell."""
        filled = np.flatnonzero(self.lengths)
        if not len(question) or k >= len(filled):
            return np.arange(len(self.ids))
        rough = maxsim_blocks(question, self.tokens, self.starts[filled])
        reach = len(question) * (self.dim + len(question)) * float(np.finfo(np.float32).eps)  # of one sum's rounding
        low = np.partition(rough, -k)[-k] - 2 * reach
        # a chunk without tokens has the least there is, which ties where all similarities are -1
        return filled[rough >= low] if -len(question) < low else np.arange(len(self.ids))

    @one_blas_thread()
    def _gathered(self, question: np.ndarray) -> np.ndarray:
        """Return the places of the chunks that own one of the nearest tokens, ascending.

        First the nearest of each some thousand tokens, then `nearest_tokens` among those. Here that reads every token,
        as scoring all does; a large collection would ask an index of vectors for them (`firstprinciples.index`).
        """
        if not len(question):
            return np.arange(len(self.ids))
        kept = []
        for start in range(0, len(self.tokens), ROWS):
            products = question @ self.tokens[start : start + ROWS].T.astype(np.float32)
            nearest = np.argsort(-products, axis=1, kind="stable")[:, : self.candidates]
            kept.append(start + np.unique(nearest))
        kept = np.concatenate(kept) if kept else np.zeros(0, dtype=int)
        owners = np.searchsorted(self.starts, kept, side="right") - 1
        rows = self.tokens[kept] / STEPS
        with named("maxsim.nearest_tokens"):
            found = nearest_tokens(question.astype(np.float64), rows, owners, self.candidates)
        return checked_places(found, len(self.ids))
