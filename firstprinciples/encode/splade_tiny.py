"""SPLADE-tiny: a real model that files a text under the words it holds and under words that it does not.

The problem. Which words would someone type who looks for this text? BERT was trained to guess words that were blanked
out, so its last step, the masked-language head, gives at each place a score, a logit, for each of 30,522 pieces of
words: what could stand here. SPLADE trains that head further, on questions and passages, and makes one weight a piece
of it (`retrieve.splade.term_weights`):

    w_j = max over the tokens i of log(1 + relu(logit_ij))    = log(1 + relu(max over the tokens i of logit_ij))

The two sides are equal since neither log nor relu changes which is the largest. The right one takes the logarithm of
one number a piece and not of one for each token, so it is the one that is computed, in float32.

The model has two layers and is 128 wide, a fiftieth of BERT: it is quick, and its guesses are those of a small model. A
text is cut after 256 tokens, [CLS] and [SEP] among them; both are tokens like others in the maximum. Its terms are
pieces (`encode.wordpiece`): "##s" is an s within a word, and `shown` writes it as "…s". Source: that of
`retrieve.splade`; whose model it is stands in data/SOURCES.md.
"""

from functools import cache
from pathlib import Path

import numpy as np

from firstprinciples import models
from firstprinciples.corpus import DATA
from firstprinciples.encode.learners import given, texts_in
from firstprinciples.encode.sparse_files import StoredTerms
from firstprinciples.index import named
from firstprinciples.swap import in_use, split_name

NAME, MAX_TOKENS = "splade-tiny", 256
FILE = DATA / "vectors" / "splade.npz"
TEXTS = DATA / "vectors" / "splade_texts.txt"
PIECE = 64  # texts at a time: their logits take 8 MB
POOLING = "splade.term_weights"


class SpladeTiny:
    """The model with its files: texts in, {term: weight} out; questions and passages are encoded alike.

    `folder` holds the model's files; without it those that `python3 -m firstprinciples models` fetched are used. `cut`
    is the number of texts, of those encoded last, that were longer than 256 tokens. Raises FileNotFoundError where the
    files are not there, and what `Bert` raises.
    """

    name, max_tokens = NAME, MAX_TOKENS

    def __init__(self, folder: Path | None = None):
        from firstprinciples.encode.bert import Bert  # here: who needs stored weights only need not load it

        folder = models.files(NAME) if folder is None else folder
        if folder is None:
            raise FileNotFoundError("The files of SPLADE-tiny are not here; get them with "
                                    "`python3 -m firstprinciples models`.")
        self.bert, self.cut = Bert(folder, MAX_TOKENS), 0
        self.vocabulary = self.bert.model.vocabulary

    def encode_passages(self, texts: list[str], progress=None) -> list[dict[str, float]]:
        """Return {term: weight} for each text, weights above 0, in the order of the vocabulary.

        `progress(done, n)` is called after each piece of the work. Raises TypeError for what is no list of strings.
        """
        texts, out, cut = texts_in(texts), [], 0
        for start in range(0, len(texts), PIECE):
            some = texts[start : start + PIECE]
            rows = self._pooled(some) if POOLING in in_use() else np.log1p(np.maximum(self.bert.best_logits(some), 0))
            cut += self.bert.cut
            for row in rows:
                terms = np.flatnonzero(row > 0)
                names = map(self.vocabulary.__getitem__, terms.tolist())
                out.append(dict(zip(names, row[terms].tolist(), strict=True)))
            if progress:
                progress(len(out), len(texts))
        self.cut = cut
        return out

    def encode_queries(self, texts: list[str]) -> list[dict[str, float]]:
        """Return the same for questions: this model makes no difference."""
        return self.encode_passages(texts)

    def terms_of(self, text: str) -> list[str]:
        """Return the pieces of a text, in order, as far as the model reads it."""
        return [self.vocabulary[i] for i in self.bert.tokenizer.ids(text, MAX_TOKENS)[0][1:-1]]

    def token_weights(self, text: str) -> tuple[list[str], np.ndarray]:
        """Return (tokens of a text from [CLS] to [SEP], log(1 + relu(logit)) of each, (tokens, words) float32).

        The largest of a column is the weight of that word: so one can see which token brought it in.
        """
        tokens, logits = self.bert.token_logits(text)
        return tokens, np.log1p(np.maximum(logits, 0))

    def _pooled(self, texts: list[str]):
        """Yield the weights of each text as a function of yours pools them: the plain way, token by token."""
        module, name = split_name(POOLING)
        cut = 0
        for text in texts:
            _, logits = self.bert.token_logits(text)
            cut += self.bert.cut
            with named(POOLING):
                pooled = getattr(module, name)(logits, np.ones(len(logits), dtype=bool))
            yield given(POOLING, pooled, logits.shape[1:])
        self.bert.cut = cut


def shown(term: str) -> str:
    """Return a term as a reader should see it: a piece that goes on within a word begins with three dots.

    >>> shown("##s"), shown("car")
    ('…s', 'car')
    """
    return "…" + term[2:] if term.startswith("##") and len(term) > 2 else term


def lesson_texts() -> list[str]:
    """Return the texts of lesson 14 whose weights are stored: the lines of data/vectors/splade_texts.txt.

    >>> len(lesson_texts()) > 0
    True
    """
    return [line for line in TEXTS.read_text(encoding="utf-8").splitlines() if line]


@cache
def splade_tiny() -> StoredTerms:
    """Return the course's real sparse encoder: stored weights first, the files for other texts.

    What is stored was pooled by the course's own `term_weights`, whatever stands in its place now.

    >>> encoder = splade_tiny()
    >>> [row] = encoder.encode_passages(["car"])
    >>> row["car"] > row["auto"] > 0
    True
    """
    return StoredTerms(FILE, _load, NAME, models.MODELS[NAME].files["model.safetensors"][1])


def _load() -> SpladeTiny | None:
    """Return the model if its files are there, else None."""
    folder = models.files(NAME)
    return None if folder is None else SpladeTiny(folder)
