"""One rule for every retriever and what is made of them: the parts of an explanation add up to the score of the search.

Found or not, at every k; a chunk that was not found explains to its true score; what is no id is a KeyError.
"""

import math
import re
from functools import cache, partial

import numpy as np
import pytest

from firstprinciples.corpus import Chunk
from firstprinciples.encode.biencoder import toy
from firstprinciples.encode.expansion import expander
from firstprinciples.encode.token_vectors import ToyTokens
from firstprinciples.generate.rewriting import REWRITES, Hyde, Rewriting
from firstprinciples.generate.ways import rephrase
from firstprinciples.index.cosine import Exact
from firstprinciples.index.hnsw import HNSW
from firstprinciples.index.ivf import IVF
from firstprinciples.index.product import PQ
from firstprinciples.index.short_vectors import Binary, Float16, Int8
from firstprinciples.rank.cross_encoder import cross
from firstprinciples.rank.fusion import Hybrid
from firstprinciples.rank.rerank import Reranked
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.bm25_variants import VARIANTS
from firstprinciples.retrieve.dense import Dense
from firstprinciples.retrieve.maxsim import MaxSim
from firstprinciples.retrieve.parents import Parents
from firstprinciples.retrieve.splade import Splade

WORDS = ("invoice bill paid due tent red stove leave sick days holiday office contract price order late owe the of "
         "zyzzyva").split()
QUESTIONS = ["the red red tent", "Who paid the late invoice?", "xyzzy", ""]
ALL = 1000  # more than there are chunks


def drawn(n, seed, prefix):
    """Return n chunks of random words; one is empty, and two are alike."""
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(WORDS, size=rng.integers(1, 13))) for _ in range(n - 3)]
    texts += ["", texts[0], "xylem"]
    return [Chunk(f"{prefix}{i}", text, metadata={"year": 2020 + int(i) % 3})
            for i, text in zip(rng.permutation(n).tolist(), texts, strict=True)]


CHUNKS = drawn(25, 0, "c")
PARENT_OF = {chunk.id: f"p{place // 3}" for place, chunk in enumerate(CHUNKS)}
PARENTS = [Chunk(f"p{i}", " ".join(chunk.text for chunk in CHUNKS if PARENT_OF[chunk.id] == f"p{i}"))
           for i in range(10)]  # the last has no child


class Bare:
    """A reranker that can't explain."""

    def score(self, question, chunks):
        return [len(chunk.text) + len(question) for chunk in chunks]


class Dimensions:
    """The toy encoder, which does not say what a token adds."""

    def __init__(self):
        self.dim, self.encode_queries, self.encode_passages = 64, toy().encode_queries, toy().encode_passages


INDEXES = {"exact": Exact, "ivf": partial(IVF, cells=6, nprobe=1), "hnsw": partial(HNSW, M=4, ef_construction=8)}
LEARNED = toy().encode_passages(WORDS)  # codebooks learned from the few chunks would hold each of them as it is
for name, kind in {"Float16": Float16, "Int8": Int8, "Binary": Binary, "PQ": partial(PQ, training=LEARNED)}.items():
    INDEXES |= {name: kind, f"{name} rescored": partial(kind, rescore=5)}
INDEXES["Binary rescored by bits"] = partial(Binary, rescore=5, rescore_with="bits")
SHORT = [name for name in INDEXES if name[0].isupper()]


def dense(name="exact"):
    return Dense(CHUNKS, toy(), INDEXES[name](64))


def parents(retriever):
    return Parents(retriever, PARENTS, PARENT_OF)


def both(**options):
    return Hybrid([BM25(CHUNKS), dense("Int8")], **options)


# name -> function that makes the retriever, and one that makes what knows the true score of a chunk that it did not
# find: it scores 0 where that one does not find it, either. None: the retriever itself.
MADE = {f"bm25 {name}": (partial(BM25, CHUNKS, variant=name), None) for name in VARIANTS}
MADE |= {f"dense {name}": (partial(dense, name), dense) for name in INDEXES}
MADE |= {f"hyde {name}": (lambda name=name: REWRITES["hyde"](dense(name)), lambda: REWRITES["hyde"](dense()))
         for name in INDEXES}
MADE |= {f"{name} of {what}": (lambda name=name, base=base: REWRITES[name](base(), CHUNKS), None)
         for name in REWRITES if name != "hyde" for what, base in {"bm25": partial(BM25, CHUNKS), "both": both}.items()}
MADE |= {
    "bm25 k1 + 1": (partial(BM25, CHUNKS, k1_plus_1=True, repeats=False), None),
    "dense by dimensions": (lambda: Dense(CHUNKS, Dimensions(), Int8(64)), None),
    "splade": (partial(Splade, CHUNKS, expander()), None),
    "splade of three": (partial(Splade, CHUNKS, expander(), most=3), None),
    "maxsim": (partial(MaxSim, CHUNKS, ToyTokens()), None),
    "maxsim in two stages": (partial(MaxSim, CHUNKS, ToyTokens(), candidates=1), partial(MaxSim, CHUNKS, ToyTokens())),
    "hybrid": (both, None),
    "hybrid of few": (partial(both, depth=4), None),
    "hybrid minmax": (partial(both, fusion="minmax", weights=[0.3, 0.7]), None),
    "hybrid of three": (lambda: Hybrid([both(), Splade(CHUNKS, expander()), MaxSim(CHUNKS, ToyTokens())]), None),
    "reranked cross": (lambda: Reranked(dense(), cross(), depth=7), lambda: Reranked(dense(), cross())),
    "reranked maxsim": (lambda: Reranked(dense("PQ"), MaxSim(CHUNKS, ToyTokens()), depth=7),
                        lambda: MaxSim(CHUNKS, ToyTokens())),
    "reranked bare": (lambda: Reranked(both(), Bare(), depth=7), lambda: Reranked(dense(), Bare())),
    "reranked twice": (lambda: Reranked(Reranked(both(), Bare(), depth=9), cross(), depth=5),
                       lambda: Reranked(dense(), cross())),
    "reranked hyde": (lambda: Reranked(Hyde(dense("Binary")), cross(), depth=7), lambda: Reranked(dense(), cross())),
    "parents of bm25": (lambda: parents(BM25(CHUNKS)), None),
    "parents of int8": (lambda: parents(dense("Int8")), None),
    "parents of both": (lambda: parents(both()), None),
    "parents of reranked": (lambda: parents(Reranked(both(), cross(), depth=9)), None),
    "parents of rewriting": (lambda: parents(Rewriting(BM25(CHUNKS), rephrase)), None),
    "reranked parents": (lambda: Reranked(parents(dense("Int8")), cross(), depth=4),
                         lambda: Reranked(Dense(PARENTS, toy()), cross())),
    "rewriting of parents": (lambda: Rewriting(parents(both()), rephrase), None),
    "rewriting of reranked": (lambda: Rewriting(Reranked(both(), cross(), depth=4)),
                              lambda: Rewriting(Reranked(dense(), cross()))),
    "hybrid of parents": (lambda: Hybrid([parents(BM25(CHUNKS)), BM25(PARENTS)]), None),
}


@cache
def made(name):
    make, truth = MADE[name]
    retriever = make()
    return retriever, retriever if truth is None else truth()


@pytest.mark.parametrize("name", MADE)
def test_the_parts_add_up_to_the_score(name):
    retriever, truth = made(name)
    known = [chunk.id for chunk in (PARENTS if "parents" in name else CHUNKS)]
    for question in QUESTIONS:
        explained = {id: retriever.explain(question, id) for id in known}
        for total, parts in explained.values():
            assert math.fsum(part.value for part in parts) == pytest.approx(total, abs=1e-9)
            assert all(isinstance(part.name, str) and isinstance(part.note, str) for part in parts)
        found = dict(retriever.search(question, ALL))
        for id, score in [*retriever.search(question, 1), *retriever.search(question, 3), *found.items()]:
            assert explained[id].total == pytest.approx(score, abs=1e-6), (question, id)
        true = dict(truth.search(question, ALL))
        for id in set(known) - set(found):
            assert explained[id].total == pytest.approx(true.get(id, 0.0), abs=1e-6), (question, id)


@pytest.mark.parametrize("name", MADE)
def test_what_is_no_id_of_the_collection(name):
    retriever, _ = made(name)
    for id in ("nowhere", "", ["c1"], {"c1"}, None, 3, 2.5, np.array(["c1", "c2"])):
        with pytest.raises(KeyError, match="There is no (chunk|parent) ") as caught:
            retriever.explain("paid bill", id)
        assert len(caught.value.args) == 1 and caught.value.args[0].endswith((" in this index.", " these indexes."))


# Short codes


@pytest.mark.parametrize("name", SHORT)
@pytest.mark.parametrize("before", ["dense", "hyde"])
def test_what_short_codes_do_to_a_score_is_a_part_of_its_own(before, name):
    (short, exact), question = made(f"{before} {name}"), QUESTIONS[0]
    seen = 0  # chunks that have such a part
    for chunk in CHUNKS:
        mine, theirs = short.explain(question, chunk.id), exact.explain(question, chunk.id)
        assert mine.parts[: len(theirs.parts)] == theirs.parts
        for part in mine.parts[len(theirs.parts):]:
            keeps = {"Float16": "float16 numbers", "Int8": "int8 codes", "Binary": "bits", "PQ": "pq codes"}
            assert part.name == "short codes" and part.value == pytest.approx(mine.total - theirs.total)
            said = re.fullmatch(r"the index keeps (.+) and scores (\S+) in place of the cosine, (\S+)", part.note)
            assert said[1] == keeps[name.split()[0]]
            assert [float(said[2]), float(said[3])] == pytest.approx([mine.total, theirs.total], abs=1e-4)
            seen += 1
    assert seen == 0 if name.endswith(" rescored") else seen > len(CHUNKS) // 2  # full vectors give the cosine


@pytest.mark.parametrize("name", SHORT)
@pytest.mark.parametrize("how", ["pre", "post"])
def test_a_condition_is_explained_as_it_was_searched(name, how):
    short, options = dense(name), {"where": {"year": [2020, 2021]}, "how": how}
    for pages in (short, parents(short)):
        hits = pages.search(QUESTIONS[0], ALL, **options)
        assert hits
        for id, score in hits:
            assert pages.explain(QUESTIONS[0], id, **options).total == pytest.approx(score, abs=1e-6)


@pytest.mark.parametrize("name", SHORT)
def test_an_index_scores_one_id_as_its_search_does(name):
    index = dense(name).index
    question = toy().encode_queries(QUESTIONS[:1])[0]
    for k in (1, 4, ALL):
        for id, score in index.search(question, k):
            assert index.score_of(question, id) == pytest.approx(score, abs=1e-9)
    for id in ("nowhere", ["c1"], None, 3):
        with pytest.raises(KeyError, match="There is no vector .* in this index"):
            index.score_of(question, id)


# Parents


def test_a_reranker_of_parents_knows_no_children():
    over_parents, over_both = Reranked(parents(BM25(CHUNKS)), Bare()), Reranked(both(), Bare())
    assert set(over_parents.texts) == {chunk.id for chunk in PARENTS}
    assert set(over_both.texts) == {chunk.id for chunk in CHUNKS}
    with pytest.raises(KeyError, match="There is no chunk 'c1' in this index"):
        over_parents.explain("paid bill", "c1")
    mixed = Reranked(Hybrid([parents(BM25(CHUNKS)), BM25(CHUNKS)]), Bare())  # whose parts find both
    assert set(mixed.texts) == {chunk.id for chunk in PARENTS + CHUNKS}
