"""Dense search: ranked lists by cosine, and scores taken apart into tokens or dimensions."""

import numpy as np
import pytest

from firstprinciples.corpus import Chunk, Collection
from firstprinciples.encode.stored import Stored, minilm
from firstprinciples.index.cosine import Exact
from firstprinciples.index.filters import matches
from firstprinciples.index.hnsw import HNSW
from firstprinciples.index.short_vectors import Int8
from firstprinciples.retrieve import Hit
from firstprinciples.retrieve.dense import Dense

WORDS = {"red": [1, 0, 0], "tent": [0, 1, 0], "canvas": [0.1, 0.9, 0.2], "stove": [0, 0, 1], "cold": [0, -1, 0.5]}


class Table:
    """An encoder of single words: the mean of their vectors, at length 1; zeros where no word is known."""

    name, dim = "table", 3

    def encode_passages(self, texts):
        out = np.zeros((len(texts), 3), dtype=np.float32)
        for i, text in enumerate(texts):
            mean = np.sum([WORDS[word] for word in text.split() if word in WORDS] or [[0, 0, 0]], axis=0)
            out[i] = mean / (np.linalg.norm(mean) or 1)
        return out

    encode_queries = encode_passages

    def token_vectors(self, text, side):
        words = [word for word in text.split() if word in WORDS]
        return words, np.array([WORDS[word] for word in words]).reshape(-1, 3)


class Plain(Table):
    """The same without vectors of tokens."""

    token_vectors = property(lambda self: (_ for _ in ()).throw(AttributeError))


TEXTS = ["red red tent", "canvas stove", "cold tent", "unknown words", "stove cold red"]


def test_the_cosines_best_first():
    dense = Dense(TEXTS, Table())
    hits = dense.search("tent", k=3)
    assert [hit.id for hit in hits] == ["1", "0", "2"]
    assert hits[0].score == pytest.approx(0.9 / (0.01 + 0.81 + 1.44) ** 0.5)
    assert hits[1].score == pytest.approx(1 / 5**0.5)
    assert hits[2].score == pytest.approx(0)


def test_a_list_is_as_long_as_asked_for_also_where_nothing_is_alike():
    dense = Dense(TEXTS, Table())
    assert [len(dense.search("tent", k)) for k in (1, 4, 5, 99)] == [1, 4, 5, 5]
    assert dense.search("nobody knows this", k=3) == [Hit("0", 0.0), Hit("1", 0.0), Hit("2", 0.0)]
    assert dense.search("cold", k=5)[-1].score < 0


def test_ties_by_id_as_strings():
    chunks = [Chunk(id, "tent") for id in ("b", "10", "2", "a")]
    assert [hit.id for hit in Dense(chunks, Table()).search("tent", k=3)] == ["10", "2", "a"]


def test_chunks_or_plain_strings_or_what_gives_them():
    chunks = [Chunk("c1", "stove"), Chunk("c2", "tent")]
    assert [hit.id for hit in Dense(chunks, Table()).search("tent")] == ["c2", "c1"]
    assert [hit.id for hit in Dense((text for text in ["stove", "tent"]), Table()).search("tent")] == ["1", "0"]


def test_input_that_cannot_be_indexed():
    with pytest.raises(ValueError, match="^There is nothing to index: the list of chunks is empty.$"):
        Dense([], Table())
    with pytest.raises(ValueError, match="^The id 'a' is there twice; give every chunk an id of its own.$"):
        Dense([Chunk("a", "tent"), Chunk("a", "stove")], Table())


@pytest.mark.parametrize("k, words", [(0, "k is 0; ask for at least 1 result."), (-3, "k is -3; ask for at least 1"),
                                      (2.5, "k is 2.5; ask for a whole number of results."), ("3", "k is '3'; ask")])
def test_a_k_that_makes_no_sense(k, words):
    with pytest.raises(ValueError, match=f"^{words}"):
        Dense(TEXTS, Table()).search("tent", k)


def encoder_of(vectors):
    table = Table()
    table.encode_passages = lambda texts: vectors
    return table


@pytest.mark.parametrize("vectors, words", [
    (np.zeros((4, 3)), r"^The encoder table gave an array of shape \(4, 3\) for 5 texts; it should be \(5, 3\).$"),
    (np.zeros((5, 2)), r"for 5 texts; it should be \(5, 3\).$"),
    (np.full((5, 3), np.nan), "^The encoder table gave a vector with something in it that is not a finite number.$"),
    (np.full((5, 3), "x"), "that is not a finite number.$"),
    (None, r"gave an array of shape \(\) for 5 texts"),
])
def test_an_encoder_that_gives_no_vectors(vectors, words):
    with pytest.raises(ValueError, match=words):
        Dense(TEXTS, encoder_of(vectors))


def test_a_question_whose_vector_is_no_vector():
    table = Table()
    dense = Dense(TEXTS, table)
    table.encode_queries = lambda texts: np.zeros((1, 7))
    with pytest.raises(ValueError, match=r"gave an array of shape \(1, 7\) for 1 text; it should be \(1, 3\).$"):
        dense.search("tent")


def test_another_index_is_used():
    class Backward(Exact):
        def search(self, q, k=10):
            return super().search(-q, k)

    assert Dense(TEXTS, Table(), index=Backward(3)).search("tent", k=1)[0].id == "4"


# Explanations


def test_the_parts_are_the_tokens():
    dense = Dense(["red tent red unknown cold"], Table())
    explanation = dense.explain("red stove", "0")
    # the sum is (2, 0, 0.5), the question (1, 0, 1) / sqrt 2
    length = (4 + 0.25) ** 0.5 * 2**0.5
    assert [part.name for part in explanation.parts] == ["red", "tent", "cold"]
    assert [part.value for part in explanation.parts] == pytest.approx([2 / length, 0, 0.5 / length])
    assert [part.note for part in explanation.parts] == [
        "2 times in this chunk, from 0.3430 to 0.3430", "once in this chunk", "once in this chunk"]
    assert explanation.total == pytest.approx(dense.search("red stove")[0].score, abs=1e-6)


@pytest.mark.parametrize("encoder", [Table(), Plain()])
def test_the_parts_add_up_to_the_score(encoder):
    rng = np.random.default_rng(6)
    texts = [" ".join(rng.choice([*WORDS, "unknown"], size=rng.integers(1, 9))) for _ in range(40)]
    dense = Dense(texts, encoder)
    for question in ["red", "stove cold", "tent canvas unknown", "nobody", ""]:
        for hit in dense.search(question, k=40):
            explanation = dense.explain(question, hit.id)
            assert explanation.total == pytest.approx(hit.score, abs=1e-6)
            assert sum(part.value for part in explanation.parts) == pytest.approx(explanation.total, abs=1e-9)
            assert all(part.name and part.note for part in explanation.parts)


def test_a_chunk_without_a_known_token():
    assert Dense(TEXTS, Table()).explain("tent", "3").parts == (
        ("nothing", 0.0, "the chunk has no token that the encoder knows"),)


def test_an_unknown_id():
    with pytest.raises(KeyError, match="There is no chunk '9' in this index."):
        Dense(TEXTS, Table()).explain("tent", "9")


class Wide:
    """Twelve numbers, no tokens."""

    name, dim = "wide", 12

    def encode_passages(self, texts):
        return np.array([[float(ord(text[i % len(text)]) % 7 - 3) for i in range(12)] for text in texts])

    encode_queries = encode_passages


def test_without_tokens_the_ten_dimensions_that_add_most_and_the_others():
    dense = Dense(["abcdefghijkl", "lantern"], Wide())
    explanation = dense.explain("question", "1")
    values = [part.value for part in explanation.parts]
    assert len(values) == 11 and values[:10] == sorted(values[:10], reverse=True)
    assert explanation.parts[0].name.startswith("dimension ") and "in the question x" in explanation.parts[0].note
    assert explanation.parts[-1].name == "all other dimensions"
    assert "2 products together" in explanation.parts[-1].note
    found = {hit.id: hit.score for hit in dense.search("question")}
    assert explanation.total == pytest.approx(found["1"], abs=1e-6)


class Rounded(Table):
    """Its passages are kept with one digit, its tokens with all."""

    def encode_passages(self, texts):
        return super().encode_passages(texts).round(1)

    encode_queries = Table.encode_passages


def test_what_rounding_adds_is_a_part_of_its_own():
    dense = Dense(["red red tent canvas"], Rounded())
    explanation = dense.explain("red tent", "0")
    assert [part.name for part in explanation.parts] == ["red", "tent", "canvas", "rounding"]
    assert explanation.total == pytest.approx(dense.search("red tent")[0].score, abs=1e-6)
    assert 1e-4 < abs(explanation.parts[-1].value) < 0.1


# With the real encoder


@pytest.fixture(scope="module")
def larkspur():
    return Collection.load("larkspur")


def test_meaning_is_found_without_a_shared_word():
    dense = Dense(["board minutes", "amount owing", "sick day"], minilm())
    assert dense.search("how much do we owe", k=1)[0].id == "1"


def test_on_larkspur_without_the_files(larkspur):
    from firstprinciples.encode import stored

    dense = Dense(larkspur.chunks, Stored(stored.FILE, lambda: None))
    question = next(query for query in larkspur.queries if query.split == "dev" and query.kind == "paraphrase")
    for hit in dense.search(question.text, k=5):
        explanation = dense.explain(question.text, hit.id)
        assert explanation.total == pytest.approx(hit.score, abs=1e-6)
        assert len(explanation.parts) == 11
    with pytest.raises(FileNotFoundError, match="^The vector of 'my own question' is not stored with the course"):
        dense.search("my own question")


def test_the_conditions_of_larkspur(larkspur):
    exact, graph = Dense(larkspur.chunks, minilm()), Dense(larkspur.chunks, minilm(), index=HNSW(384))
    metadata = {chunk.id: chunk.metadata for chunk in larkspur.chunks}
    for query in [query for query in larkspur.queries if query.split == "dev" and query.filter]:
        ranked = [hit for hit in exact.search(query.text, k=704) if matches(metadata[hit.id], query.filter)]
        for dense, how in [(exact, "pre"), (graph, "pre"), (graph, "in")]:
            found = dense.search(query.text, 10, query.filter, how)
            assert [hit.id for hit in found] == [hit.id for hit in ranked[:10]]
            assert [hit.score for hit in found] == pytest.approx([hit.score for hit in ranked[:10]], abs=1e-6)


@pytest.mark.models
def test_on_larkspur_with_the_files(larkspur, model_files):
    model_files("minilm")
    dense = Dense(larkspur.chunks, minilm())
    question = next(query for query in larkspur.queries if query.split == "dev" and query.kind == "paraphrase")
    for text in (question.text, "Where can I get sand out of a zipper?"):
        for hit in dense.search(text, k=5):
            explanation = dense.explain(text, hit.id)
            names = [part.name for part in explanation.parts]
            assert explanation.total == pytest.approx(hit.score, abs=1e-6)
            assert names[0] == "[CLS]" and "[SEP]" in names and len(set(names)) == len(names)
            rounding = sum(part.value for part in explanation.parts if part.name == "rounding")
            assert abs(rounding) < 0.01


# Conditions on the metadata


LABELED = [Chunk(str(i), text, metadata={"kind": kind, "year": year}) for i, (text, kind, year) in enumerate(
    zip(TEXTS, ["memo", "bill", "bill", "memo", "bill"], [2023, 2024, 2023, 2024, 2024], strict=True))]


def test_a_condition_keeps_what_matches():
    dense = Dense(LABELED, Table())
    everything = dense.search("tent", k=5)
    for where in ({"kind": "bill"}, {"kind": "bill", "year": {"from": 2024}}, {"kind": ["memo", "bill"]}, {}):
        kept = [hit for hit in everything if matches(LABELED[int(hit.id)].metadata, where)]
        for how in ("pre", "post"):
            found = dense.search("tent", 5, where, how)
            assert [hit.id for hit in found] == [hit.id for hit in kept] and all(isinstance(hit, Hit) for hit in found)
            assert [hit.score for hit in found] == pytest.approx([hit.score for hit in kept], abs=1e-6)
            assert (dense.found.matching, dense.found.missing) == (len(kept), 5 - len(kept))
    assert dense.search("tent", k=5) == everything
    assert dense.explain("tent", "1").total == pytest.approx(dense.search("tent", 1, {"year": 2024})[0].score, abs=1e-6)


def test_a_condition_that_nothing_fulfills_and_one_that_is_a_slip_of_the_pen():
    dense = Dense(LABELED, Table())
    assert dense.search("tent", 3, {"kind": "invoice"}) == []
    assert dense.found.note == "None of 5 records matches."
    with pytest.raises(KeyError, match="No record has the field 'yaer'; the fields are kind, year."):
        dense.search("tent", 3, {"yaer": 2024})
    with pytest.raises(KeyError, match="No record has the field 'kind'; the fields are none."):
        Dense(TEXTS, Table()).search("tent", 3, {"kind": "bill"})
    with pytest.raises(ValueError, match="^how is 'before'"):
        dense.search("tent", 3, {"kind": "bill"}, how="before")


def test_an_index_that_keeps_no_full_vectors_can_be_filtered_too():
    dense = Dense(LABELED, Table(), index=Int8(3))
    expected = Dense(LABELED, Table()).search("tent", 5, {"kind": "bill"})
    assert [hit.id for hit in dense.search("tent", 5, {"kind": "bill"})] == [hit.id for hit in expected]


# Bad input and odd encoders


class Odd:
    """An encoder that gives what it is told, three numbers wide."""

    dim, name = 3, "odd"

    def __init__(self, passages, tokens=None):
        self.passages = passages
        if tokens:
            self.token_vectors = lambda text, side: tokens

    def encode_passages(self, texts):
        return self.passages

    def encode_queries(self, texts):
        return np.ones((len(texts), 3))


@pytest.mark.parametrize("chunks, said", [("abc", "list of chunks"), (None, "list of chunks"), (5, "list of chunks"),
                                          ([5], "5 is no chunk"), ([None], "None is no chunk"),
                                          ([b"x"], "is no chunk")])
def test_what_are_no_chunks(chunks, said):
    with pytest.raises(TypeError, match=said):
        Dense(chunks, Odd(np.ones((1, 3))))


@pytest.mark.parametrize("encoder", [None, "toy", Odd, lambda: None], ids=["none", "name", "class", "function"])
def test_what_is_no_encoder(encoder):
    with pytest.raises(TypeError, match="is no encoder: it needs dim, encode_queries, encode_passages"):
        Dense(["a"], encoder)


def test_vectors_of_two_widths():
    with pytest.raises(ValueError, match="^The encoder odd gave vectors that are not all of one width.$"):
        Dense(["a", "b"], Odd([[1, 2, 3], [1, 2]]))


@pytest.mark.parametrize("wrong", [HNSW, Int8, "hnsw", 3, [], object()])
def test_what_is_no_index(wrong):
    with pytest.raises(TypeError, match="is no index: it needs add and search"):
        Dense(TEXTS, Table(), wrong)


@pytest.mark.parametrize("kind", [HNSW, Int8])
def test_an_index_of_another_width_is_told_before_anything_is_encoded(kind):
    table = Table()
    table.encode_passages = lambda texts: pytest.fail("encoded")
    with pytest.raises(ValueError, match="^The index is made for 7 numbers, and the encoder gives 3.$"):
        Dense(TEXTS, table, kind(7))


def test_an_index_that_holds_something_already():
    index = Exact(3)
    index.add([[1, 2, 3]], ids=["7"])
    with pytest.raises(ValueError, match="^The index holds 1 vectors already; give an empty one.$"):
        Dense(["a"], Odd(np.ones((1, 3))), index)


@pytest.mark.parametrize("size", [1e-200, 1e-30, 1, 1e30, 1e200])
@pytest.mark.parametrize("tokens", [None, (["a", "b"], np.array([[1.0, 0, 0], [0, 2, 2]]))])
def test_the_parts_add_up_whatever_the_length(size, tokens):
    if tokens:
        tokens = (tokens[0], size * tokens[1])
    pages = Dense(["a b"], Odd(size * np.array([[1.0, 2, 2]]), tokens))
    [(_, score)] = pages.search("x")
    assert score == pytest.approx(5 / 3**1.5, abs=1e-6)
    found = pages.explain("x", "0")
    assert found.total == pytest.approx(score, abs=1e-6)
    assert len(found.parts) == (2 if tokens else 3)


@pytest.mark.parametrize("tokens", [([], np.zeros((0, 3))), ([], []), (["a", "b"], [[1, 1, 1], [-1, -1, -1]])])
def test_a_chunk_with_a_vector_is_not_explained_as_nothing(tokens):
    if not len(tokens[0]):
        tokens = ([], np.zeros((0, 3)))
    pages = Dense(["a b"], Odd(np.array([[1.0, 2, 2]]), tokens))
    assert pages.explain("x", "0").total == pytest.approx(pages.search("x")[0].score, abs=1e-6)


def test_what_is_no_rounding_is_not_called_so():
    pages = Dense(["a"], Odd(np.array([[1.0, 1, 1]]), (["a"], np.array([[1.0, 0, 0]]))))
    token, rest = pages.explain("x", "0").parts
    assert (token.name, token.value) == ("a", pytest.approx(3**-0.5))
    assert (rest.name, rest.value) == ("the rest", pytest.approx(1 - 3**-0.5))
    assert rest.note == "the vector of this chunk is not the mean of its tokens' vectors"


@pytest.mark.parametrize("vectors", [np.ones((1, 3)), np.ones((2, 4)), np.full((2, 3), np.nan)])
def test_token_vectors_that_do_not_fit(vectors):
    pages = Dense(["a b"], Odd(np.ones((1, 3)), (["a", "b"], vectors)))
    with pytest.raises(ValueError, match=r"^The encoder gave 2 tokens and vectors of shape .*should be \(2, 3\)"):
        pages.explain("x", "0")
