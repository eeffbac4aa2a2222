"""MaxSim: three ways to one number, and the search, the reranker and the explanation that are made of it."""

import numpy as np
import pytest

import firstprinciples.retrieve.maxsim as module
from firstprinciples.corpus import Chunk, Collection
from firstprinciples.encode.token_vectors import STEPS, ToyTokens, to_int16, to_length_1
from firstprinciples.retrieve import Hit
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.maxsim import (
    MaxSim,
    best_matches,
    maxsim,
    maxsim_padded,
    maxsim_ragged,
    mean_similarity,
    nearest_tokens,
    storage,
    without_punctuation,
)
from firstprinciples.retrieve.maxsim_blocks import maxsim_blocks
from firstprinciples.swap import use


class Table:
    """An encoder of tokens from a table: words that it lacks are left out."""

    name, dim = "table", 3
    rows = {"red": [1, 0, 0], "tent": [0, 1, 0], "canvas": [0, 0.8, 0.6], "stove": [0, 0, 1], "cold": [0, -1, 0],
            ",": [0.6, 0, 0.8]}

    def encode_tokens(self, texts, side):
        for text in texts:
            words = [word for word in text.split() if word in self.rows]
            yield words, np.array([self.rows[word] for word in words], dtype=np.float32).reshape(-1, 3)


TEXTS = ["red red tent", "canvas stove", "cold tent", "unknown words", "stove cold red"]


def ragged(seed, lengths, m=5, dim=7):
    """Return (question, documents, tokens, starts) of random rows of length 1."""
    draw = np.random.default_rng(seed)
    documents = [to_length_1(draw.standard_normal((n, dim))).astype(np.float64) for n in lengths]
    question = to_length_1(draw.standard_normal((m, dim))).astype(np.float64)
    return question, documents, np.concatenate(documents), np.concatenate([[0], np.cumsum(lengths)[:-1]])


def filled_up(documents, longest=None, value=0.0):
    """Return the documents filled up with a value, and the mask."""
    longest = longest or max(map(len, documents))
    out, mask = np.full((len(documents), longest, documents[0].shape[1]), value), np.zeros((len(documents), longest))
    for i, rows in enumerate(documents):
        out[i, : len(rows)], mask[i, : len(rows)] = rows, 1
    return out, mask


# The functions


@pytest.mark.parametrize("seed", range(5))
def test_all_ways_agree(seed):
    lengths = np.random.default_rng(seed).integers(1, 30, 40)
    question, documents, tokens, starts = ragged(seed, lengths)
    plain = [sum(max(float(q @ d) for d in rows) for q in question) for rows in documents]  # the formula, word for word
    assert [maxsim(question, rows) for rows in documents] == pytest.approx(plain, abs=1e-12)
    assert [best_matches(question, rows)[1].sum() for rows in documents] == pytest.approx(plain, abs=1e-12)
    assert maxsim_ragged(question, tokens, starts) == pytest.approx(plain, abs=1e-12)
    assert maxsim_padded(question, *filled_up(documents)) == pytest.approx(plain, abs=1e-12)
    short = question.astype(np.float32)
    assert maxsim_blocks(short, tokens.astype(np.float32), starts) == pytest.approx(plain, abs=1e-5)
    assert maxsim_blocks(short, to_int16(tokens), starts) == pytest.approx(plain, abs=1e-3)


def test_padding_never_wins_where_everything_is_negative():
    question, documents, tokens, starts = ragged(1, [3, 9, 1])
    question = np.abs(question)
    documents = [-np.abs(rows) for rows in documents]
    plain = [maxsim(question, rows) for rows in documents]
    assert max(plain) < 0
    for value in (0.0, 1.0, np.inf):
        with np.errstate(invalid="ignore"):
            assert maxsim_padded(question, *filled_up(documents, 20, value)) == pytest.approx(plain)
    assert maxsim_ragged(question, np.concatenate(documents), starts) == pytest.approx(plain)
    # without the mask the zeros would have won
    assert maxsim_padded(question, filled_up(documents, 20)[0], np.ones((3, 20))) == pytest.approx([0, 0, 0])


def test_alone_and_in_a_batch():
    question, documents, tokens, starts = ragged(2, [4, 11, 6, 2])
    together = maxsim_ragged(question, tokens, starts)
    for i, rows in enumerate(documents):
        assert maxsim_ragged(question, rows, [0]) == pytest.approx([together[i]])
        assert maxsim_padded(question, rows[None], np.ones((1, len(rows)))) == pytest.approx([together[i]])


def test_a_sum_and_not_a_mean_and_repeats_cost_nothing():
    question, documents, _, _ = ragged(3, [6])
    twice = np.concatenate([question, question])
    assert maxsim(twice, documents[0]) == pytest.approx(2 * maxsim(question, documents[0]))
    assert maxsim(question, np.concatenate([documents[0]] * 3)) == pytest.approx(maxsim(question, documents[0]))
    assert maxsim(question[:0], documents[0]) == 0


def test_ties_of_a_match_go_to_the_first():
    positions, similarities = best_matches([[1.0, 0.0]], [[0.0, 1.0], [0.6, 0.8], [0.6, -0.8]])
    assert positions.tolist() == [1] and similarities.tolist() == [0.6]


@pytest.mark.parametrize("call", [
    lambda q: maxsim(q, np.zeros((0, 2))), lambda q: best_matches(q, np.zeros((0, 2))),
    lambda q: maxsim_padded(q, np.ones((2, 3, 2)), [[1, 1, 0], [0, 0, 0]]), lambda q: maxsim_ragged(q, q, []),
    lambda q: maxsim_ragged(q, np.ones((4, 2)), [0, 2, 2]), lambda q: maxsim_ragged(q, np.ones((4, 2)), [0, 4]),
    lambda q: maxsim_ragged(q, np.ones((4, 2)), [1, 2]), lambda q: maxsim_ragged(q, np.ones((4, 2)), [0, 3, 2])])
def test_a_document_without_tokens_is_refused(call):
    with pytest.raises(ValueError, match="no tokens|needs a token"):
        call(np.array([[1.0, 0.0]]))


def test_mean_similarity():
    question, documents, _, _ = ragged(4, [8])
    means = question.mean(axis=0), documents[0].mean(axis=0)
    cosine = means[0] @ means[1] / np.linalg.norm(means[0]) / np.linalg.norm(means[1])
    assert mean_similarity(question, documents[0]) == pytest.approx(cosine)
    assert mean_similarity([[1.0, 0.0], [-1.0, 0.0]], [[1.0, 0.0]]) == 0
    assert mean_similarity(np.zeros((0, 2)), [[1.0, 0.0]]) == 0


def test_punctuation_is_what_has_only_signs():
    tokens = ["[CLS]", "red", "...", "e_4432", "'", "##s", "–", "[SEP]"]
    kept, vectors = without_punctuation(tokens, np.arange(16).reshape(8, 2))
    assert kept == ["[CLS]", "red", "e_4432", "##s", "–", "[SEP]"]
    assert vectors[:, 0].tolist() == [0, 2, 6, 10, 12, 14]
    assert without_punctuation(["!"], np.ones((1, 2)))[1].shape == (0, 2)


def test_nearest_tokens_by_sorting():
    question, documents, tokens, _ = ragged(5, [4, 9, 2, 7])
    owners = np.repeat([30, 10, 20, 5], [4, 9, 2, 7])
    for n in (1, 3, 21, 22, 99):
        expected = set()
        for q in question:
            nearest = sorted(range(len(tokens)), key=lambda i, q=q: (-float(q @ tokens[i]), i))[:n]
            expected |= {int(owners[i]) for i in nearest}
        assert nearest_tokens(question, tokens, owners, n) == sorted(expected)


def test_storage():
    assert storage(1_242_251, 384, 2) == 954_048_768  # scifact


# The class


def test_a_search_is_the_formula():
    pages = MaxSim(TEXTS, Table())
    hits = pages.search("red tent", k=5)
    assert [hit.id for hit in hits] == ["0", "2", "4", "1", "3"]
    # cold tent: nothing like red, so 0; stove cold red: nothing like tent but 0; canvas stove: 0 and 0.8
    assert [hit.score for hit in hits] == pytest.approx([2, 1, 1, 0.8, -2], abs=1e-4)


def test_ties_by_id_and_a_list_that_is_as_long_as_can_be():
    chunks = [Chunk(id, "red tent") for id in ("b", "10", "2", "a")]
    pages = MaxSim(chunks, Table())
    assert [hit.id for hit in pages.search("tent", k=3)] == ["10", "2", "a"]
    assert [hit.id for hit in pages.search("nobody knows", k=9)] == ["10", "2", "a", "b"]
    assert {hit.score for hit in pages.search("nobody knows", k=9)} == {0}


def test_ties_stay_ties_wherever_a_chunk_stands():
    larkspur = Collection.load("larkspur").chunks[:60]
    chunks = [Chunk(f"{i:03}", larkspur[i % 60].text) for i in range(180)]
    pages = MaxSim(chunks, ToyTokens(share=0))
    hits = pages.search("What do we owe Cedarline Freight?", k=180)
    assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.id))
    assert all(len({hits[i + j].score for j in range(3)}) == 1 for i in range(0, 180, 3))
    assert pages.search("What do we owe Cedarline Freight?", k=17) == hits[:17]


def test_what_is_near_is_what_the_whole_list_has():
    chunks = Collection.load("larkspur").chunks[:150]
    pages = MaxSim(chunks, ToyTokens())
    for query in ("Who signs a draft?", "lead", "When may I take parental leave"):
        whole = pages.search(query, k=150)
        for k in (1, 7, 149):
            assert pages.search(query, k) == whole[:k]
        _, question = pages.question(query)
        plain = {id: maxsim(question.astype(float), pages.vectors(id)[1]) for id in pages.ids}
        assert {hit.id: hit.score for hit in whole} == pytest.approx(plain, abs=1e-8)
        assert pages.compared == 150


def test_scores_of_chunks_as_a_reranker():
    chunks = [Chunk(f"c{i}", text) for i, text in enumerate(TEXTS)]
    pages = MaxSim(chunks, Table())
    whole = {hit.id: hit.score for hit in pages.search("red tent", k=5)}
    some = [chunks[4], chunks[3], chunks[0]]
    assert pages.score("red tent", some).tolist() == [whole[chunk.id] for chunk in some]
    assert pages.compared == 3
    assert pages.score("red tent", ["c2"]).tolist() == [whole["c2"]]
    assert pages.score("red tent", []).shape == (0,)
    with pytest.raises(KeyError, match="There is no chunk 'x' in this index"):
        pages.score("red tent", [Chunk("x", "tent")])


def test_a_reranker_never_raises_recall():
    rerank = pytest.importorskip("firstprinciples.rank.rerank")
    chunks = Collection.load("larkspur").chunks[:120]
    first = BM25(chunks)
    second = rerank.Reranked(first, MaxSim(chunks, ToyTokens()), depth=12)
    for query in ("When is the invoice due?", "Who may sign a contract?"):
        before = {hit.id for hit in first.search(query, 12)}
        assert {hit.id for hit in second.search(query, 12)} == before


def test_an_explanation_names_the_match():
    pages = MaxSim(TEXTS, Table())
    told = pages.explain("red tent", "1")
    assert [part.name for part in told.parts] == ["red", "tent"]
    assert [part.value for part in told.parts] == pytest.approx([0, 0.8], abs=1e-4)
    assert [part.note for part in told.parts] == ["-> canvas (token 1 of 2)", "-> canvas (token 1 of 2)"]
    assert told.total == pytest.approx(dict(pages.search("red tent", 5))["1"], abs=1e-8)
    empty = pages.explain("red tent", "3")
    assert empty.total == -2 and empty.parts[0].note == "the chunk has no tokens"
    with pytest.raises(KeyError, match="There is no chunk '9' in this index"):
        pages.explain("red", "9")


def test_every_explanation_adds_up_to_the_score():
    chunks = Collection.load("larkspur").chunks[:40]
    pages = MaxSim(chunks, ToyTokens())
    for hit in pages.search("How many labels on one charge?", k=40):
        assert pages.explain("How many labels on one charge?", hit.id).total == pytest.approx(hit.score, abs=1e-8)


def test_two_stages():
    chunks = Collection.load("larkspur").chunks[:200]
    whole, two = MaxSim(chunks, ToyTokens()), MaxSim(chunks, ToyTokens(), candidates=3)
    scores = dict(whole.search("Who signs a bank draft?", k=200))
    found = two.search("Who signs a bank draft?", k=200)
    assert 0 < two.compared == len(found) < 100
    assert all(hit.score == scores[hit.id] for hit in found)
    _, question = two.question("Who signs a bank draft?")
    owners = np.repeat(np.arange(200), two.lengths)
    expected = nearest_tokens(question.astype(float), two.tokens / STEPS, owners, 3)
    assert {hit.id for hit in found} == {two.ids[place] for place in expected}
    assert MaxSim(chunks, ToyTokens(), candidates=10**6).search("draft", k=5) == whole.search("draft", k=5)


def test_a_function_of_yours_scores():
    pages = MaxSim(TEXTS, Table())
    with use("maxsim.maxsim_ragged", lambda question, tokens, starts: np.arange(len(starts))[::-1] + 10.0):
        assert pages.search("red", k=2) == [Hit("0", 13.0), Hit("1", 12.0)]
    for wrong in (None, [10**400] * 4):
        with use("maxsim.maxsim_ragged", lambda question, tokens, starts, wrong=wrong: wrong), \
                pytest.raises(ValueError, match=r"^maxsim_ragged should give finite numbers of the shape \(4,\)"):
            pages.search("red", k=2)
    with use("maxsim.best_matches", lambda question, document: ([0], [0.5])):
        assert pages.explain("red", "0").total == 0.5


@pytest.mark.parametrize("chunks, words", [
    ([], "^There is nothing to index"), ([Chunk("a", "red"), Chunk("a", "tent")], "^The id 'a' is there twice")])
def test_chunks_that_cannot_be_indexed(chunks, words):
    with pytest.raises(ValueError, match=words):
        MaxSim(chunks, Table())


def encoder_of(rows):
    table = Table()
    table.encode_tokens = lambda texts, side: iter(rows)
    return table


@pytest.mark.parametrize("rows, words", [
    ([(["a", "b"], np.ones((1, 3)))], r"^The encoder gave 2 tokens and vectors of shape \(1, 3\); it should be \(2,"),
    ([(["a"], np.ones((1, 4)))], r"^The encoder gave 1 tokens and vectors of shape \(1, 4\)"),
    ([(["a"], np.array([[3.0, 4.0, 0.0]]))], "neither of length 1 nor zeros"),
    ([(["a"], np.array([[np.nan, 0.0, 0.0]]))], "neither of length 1 nor zeros"),
    ([], "^The encoder gave the tokens of 0 texts; it was handed 1")])
def test_vectors_that_do_not_fit(rows, words):
    with pytest.raises(ValueError, match=words):
        MaxSim(["red"], encoder_of(rows))


def test_no_encoder_and_no_k():
    with pytest.raises(TypeError, match="^This is no encoder of tokens"):
        MaxSim(["red"], Table)
    with pytest.raises(ValueError, match="^k is 0; ask for at least 1 result"):
        MaxSim(["red"], Table()).search("red", k=0)
    with pytest.raises(ValueError, match="^candidates is 0"):
        MaxSim(["red"], Table(), candidates=0)


def test_punctuation_of_the_chunks_only():
    plain, short = (MaxSim(["red , tent", ","], Table(), punctuation=kept) for kept in (True, False))
    assert plain.names == [["red", ",", "tent"], [","]]
    assert short.names == [["red", "tent"], [","]]  # nothing would be left of the second
    assert short.question("red ,")[0] == ["red", ","]
    assert short.tokens.tolist() == to_int16(np.array([[1, 0, 0], [0, 1, 0], [0.6, 0, 0.8]])).tolist()


def test_what_it_takes():
    chunks = Collection.load("larkspur").chunks[:100]
    pages = MaxSim(chunks, ToyTokens())
    assert pages.nbytes == pages.tokens.nbytes == 2 * 64 * sum(map(len, pages.names))
    assert pages.times_one_vector == pytest.approx(sum(map(len, pages.names)) / 100)


def test_blocks_of_any_size(monkeypatch):
    question, documents, tokens, starts = ragged(6, [5, 1, 80, 2, 40, 3, 3])
    plain = maxsim_ragged(question, tokens, starts)
    for rows in (1, 4, 40, 100, 10_000):
        monkeypatch.setattr(module, "ROWS", rows)
        for kept in (tokens.astype(np.float32), to_int16(tokens)):
            assert maxsim_blocks(question.astype(np.float32), kept, starts) == pytest.approx(plain, abs=1e-3)


# what comes in from outside, and what learners' functions give


class Minus:
    """Every similarity is -1."""

    name, dim = "minus", 1

    def encode_tokens(self, texts, side):
        for text in texts:
            yield text.split(), np.full((len(text.split()), 1), 1.0 if side == "query" else -1.0)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_a_chunk_without_tokens_ties_with_the_worst_there_is(k):
    pages = MaxSim([Chunk("b", "x"), Chunk("a", ""), Chunk("c", "y z")], Minus())
    assert pages.search("q r", k) == [Hit("a", -2.0), Hit("b", -2.0), Hit("c", -2.0)][:k]


@pytest.mark.parametrize("length", [1.0002, 1.0009, -1.0009])
def test_a_length_a_little_above_1_stays_what_it_is(length):
    pages = MaxSim(["a"], encoder_of([(["a"], np.array([[length, 0.0, 0.0]]))]))
    assert pages.vectors("0")[1][0, 0] == np.sign(length)


@pytest.mark.parametrize("gives, said", [
    (None, "^The encoder gave None for 1 texts"), ([5], "^The encoder gave 5 for a text"),
    ([(None, [[1, 0, 0]])], "for a text; it should be"), ([(["a"], [["x", "y", "z"]])], "for a text; it should be"),
    ([(["a"], np.full((1, 3), np.inf))], "neither of length 1")])
def test_an_encoder_that_gives_something_else(gives, said):
    table = Table()
    table.encode_tokens = lambda texts, side: gives
    with pytest.raises(ValueError, match=said):
        MaxSim(["red"], table)


def test_an_encoder_without_an_answer_to_a_question():
    table = Table()
    pages = MaxSim(["red"], table)
    table.encode_tokens = lambda texts, side: iter([])
    with pytest.raises(ValueError, match="^The encoder gave the tokens of 0 texts; it was handed 1"):
        pages.search("red")


def test_ids_and_lists_that_are_none():
    with pytest.raises(TypeError, match="^An id is a string, and 1 is none; write '1'"):
        MaxSim([Chunk(1, "red")], Table())
    for chunks in ("01", None):
        with pytest.raises(TypeError, match="^Give a list of chunks or of ids"):
            MaxSim(["red", "tent"], Table()).score("red", chunks)


def raises(*_):
    raise ZeroDivisionError("by yours")


def everything(punctuation, candidates):
    pages = MaxSim(["red , tent", "stove"], Table(), candidates=candidates, punctuation=punctuation)
    return pages.search("red tent", 1), pages.explain("red tent", "0"), pages.nbytes


@pytest.mark.parametrize("name, given", [
    ("best_matches", None), ("best_matches", 7), ("best_matches", "ab"), ("best_matches", ([0, 99], [1.0, 1.0])),
    ("best_matches", ([0, -1], [1.0, 1.0])), ("best_matches", ([0, 0.5], [1.0, 1.0])), ("best_matches", ([0], [1.0])),
    ("best_matches", ([0, 1], [1.0, np.nan])), ("without_punctuation", None), ("without_punctuation", "ab"),
    ("without_punctuation", (["red"], np.ones((2, 3)))), ("without_punctuation", (["red"], np.full((1, 3), np.nan))),
    ("without_punctuation", ([1], np.ones((1, 3)))), ("without_punctuation", (["red"] * 9, np.ones((9, 3)))),
    ("nearest_tokens", None), ("nearest_tokens", 7), ("nearest_tokens", [0, 99]), ("nearest_tokens", [-1]),
    ("nearest_tokens", [0, 0]), ("nearest_tokens", [1, 0]), ("nearest_tokens", [np.nan]), ("nearest_tokens", ["a"]),
    ("storage", None), ("storage", [1, 2]), ("storage", 0.5), ("storage", -1), ("maxsim_ragged", None),
    ("maxsim_ragged", [1.0] * 9)])
def test_what_is_of_no_use_is_named(name, given):
    with use(f"maxsim.{name}", lambda *_: given), pytest.raises(ValueError, match=name) as caught:
        everything(punctuation=False, candidates=2)
    assert f'use("maxsim.{name}") puts the course\'s own back.' in str(caught.value)


@pytest.mark.parametrize("name", ["best_matches", "without_punctuation", "nearest_tokens", "storage", "maxsim_ragged"])
def test_what_raises_is_named(name):
    with use(f"maxsim.{name}", raises), pytest.raises(ZeroDivisionError) as caught:
        everything(punctuation=False, candidates=2)
    assert f'This was raised by {name}. use("maxsim.{name}") puts' in " ".join(caught.value.__notes__)
