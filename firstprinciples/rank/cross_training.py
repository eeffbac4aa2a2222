"""What the small cross-encoder learns from: questions with chunks that answer them, and with chunks that don't.

The problem. The table of word vectors has learned the pairs of data/pairs/ by heart: there, and only there, a question
and its passage have high cosines. Weights that are learned on the same pairs trust these cosines far too much. So the
training topics are dealt into five parts, and the pairs of each part are read with a table that was trained on the
other four. What is learned there is how far a table can be trusted on words it has not seen together.

A chunk is one to three passages of one topic, as a page says more than what was asked for. Most questions of these
pairs avoid their passage's words; people at work don't. So every question is asked three times: as it stands, with one
to three words of its passage before it, and with two to four words that stand there in a row. To each right chunk come
six wrong ones out of the twelve that share most with the question by BM25, and four at random, all of the same part.

Source: negatives that BM25 ranks high: V. Karpukhin et al., "Dense Passage Retrieval for Open-Domain Question
Answering", EMNLP 2020, section 3.2.
"""

import math
import random
from collections import Counter

import numpy as np

from firstprinciples.encode.biencoder import BiEncoder
from firstprinciples.encode.pairs import read_pairs, vocabulary
from firstprinciples.rank.cross_encoder import CrossEncoder, stems
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.text import tokenize

PARTS, JOINED, HARD, RANDOM = 5, 3, 6, 4


def rarities(pairs: list[dict]) -> dict[str, float]:
    """Return {stem: ln(1 + (n - df + 0.5) / (df + 0.5))}: n questions and passages, of which df hold the stem.

    >>> found = rarities([{"question": "Is it due?", "passage": "Bills are due."}])
    >>> round(found["due"], 4), round(found["bill"], 4)
    (0.1823, 0.6931)
    """
    texts = [pair[side] for pair in pairs for side in ("question", "passage")]
    df = Counter(stem for text in texts for stem in set(stems(tokenize(text))))
    return {stem: math.log(1 + (len(texts) - n + 0.5) / (n + 0.5)) for stem, n in sorted(df.items())}


def deal(pairs: list[dict], parts: int = PARTS) -> list[list[dict]]:
    """Deal pairs into parts by topic, in the order of the topics' names; all pairs of a topic come into one part.

    >>> [[pair["topic"] for pair in part] for part in deal([{"topic": name} for name in "abcab"], parts=2)]
    [['a', 'c', 'a'], ['b', 'b']]
    """
    topics = {topic: place % parts for place, topic in enumerate(sorted({pair["topic"] for pair in pairs}))}
    return [[pair for pair in pairs if topics[pair["topic"]] == part] for part in range(parts)]


def chunks_of(pairs: list[dict], draw: random.Random) -> tuple[list[str], dict[str, int]]:
    """Put the passages of each topic into chunks of one to three: returns (chunks, {id of a pair: its chunk})."""
    chunks, place = [], {}
    for topic in sorted({pair["topic"] for pair in pairs}):
        left = [pair for pair in pairs if pair["topic"] == topic]
        draw.shuffle(left)
        while left:
            n = draw.randint(1, JOINED)
            together, left = left[:n], left[n:]
            place |= {pair["id"]: len(chunks) for pair in together}
            chunks.append("\n".join(pair["passage"] for pair in together))
    return chunks, place


def questions_of(pair: dict, model: CrossEncoder, draw: random.Random) -> list[str]:
    """Return the question of a pair three times: as it is, and twice with words of its passage before it."""
    words = model.words(pair["passage"])
    few = draw.sample(words, min(draw.randint(1, 3), len(words)))
    n = draw.randint(2, 4)
    start = draw.randrange(max(1, len(words) - n))
    return [pair["question"], " ".join([*few, pair["question"]]),
            " ".join([*words[start : start + n], pair["question"]])]


def examples(pairs: list[dict], model: CrossEncoder, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return what one part of the pairs gives to learn from: (features (n, 8), labels (n,) of 1 and 0).

    `model` reads them; its own weights don't matter. `pairs` are as `read_pairs` gives them.
    """
    draw = random.Random(seed)
    chunks, place = chunks_of(pairs, draw)
    index = BM25(chunks, tokenizer=lambda text: stems(model.words(text)))
    features, labels = [], []
    for pair in pairs:
        own = place[pair["id"]]
        for question in questions_of(pair, model, draw):
            hard = [int(hit.id) for hit in index.search(question, 2 * HARD + 1) if int(hit.id) != own][: 2 * HARD]
            wrong = draw.sample(hard, min(HARD, len(hard)))
            others = [i for i in range(len(chunks)) if i != own and i not in wrong]
            wrong += draw.sample(others, min(RANDOM, len(others)))
            features += [read.features for read in model.pairs(question, [chunks[i] for i in [own, *wrong]])]
            labels += [1] + [0] * len(wrong)
    return np.array(features), np.array(labels)


def training_set(pairs: list[dict] | None = None, progress=None, **settings) -> tuple[CrossEncoder, np.ndarray,
                                                                                       np.ndarray]:
    """Return (the untrained model, features (n, 8), labels (n,)), each part read with a table that never saw it.

    `pairs` are those of the training topics unless given; `settings` are those of `BiEncoder.train`, for the five
    tables. `progress(done, n)` is called after each part.
    """
    pairs = read_pairs()[0] if pairs is None else pairs
    rarity, parts = rarities(pairs), deal(pairs)
    features, labels = [], []
    for number, part in enumerate(parts):
        seen = [pair for other in parts if other is not part for pair in other]
        encoder = BiEncoder(vocabulary(seen))
        for _ in encoder.train(seen, **settings):
            pass
        found = examples(part, CrossEncoder(rarity, encoder), seed=number)
        features.append(found[0])
        labels.append(found[1])
        if progress:
            progress(number + 1, len(parts))
    return CrossEncoder(rarity), np.concatenate(features), np.concatenate(labels)
