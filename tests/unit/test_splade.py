"""SPLADE: the pure functions by hand and against other ways to the same number, and the class over flat arrays."""

import numpy as np
import pytest

from firstprinciples.corpus import Chunk
from firstprinciples.retrieve import Hit, splade
from firstprinciples.retrieve.splade import (
    Splade,
    flops,
    flops_gradient,
    impact_index,
    literal_and_added,
    ramp,
    score_all,
    sparse_dot,
    strongest,
    term_weights,
)
from firstprinciples.swap import use


class Written:
    """An encoder by a table: a text is its words, each with a weight; `more` are the words that it adds to a word."""

    name = "written"

    def __init__(self, weights=None, more=None):
        self.weights, self.more = weights or {}, more or {}

    def encode_passages(self, texts):
        return [{term: weight for word in text.split() for term, weight in
                 {word: self.weights.get(word, 1.0), **self.more.get(word, {})}.items()} for text in texts]

    encode_queries = encode_passages

    def terms_of(self, text):
        return text.split()


def random_rows(draw, n, terms=40):
    """Return n rows of {term: weight}; some are empty, some weights are 0."""
    return [{f"t{i}": float(draw.choice([0, draw.random() * 3])) for i in
             draw.choice(terms, size=draw.integers(0, 15), replace=False)} for _ in range(n)]


class Rows:
    """An encoder that gives rows made beforehand: the text is the number of its row."""

    name = "rows"

    def __init__(self, rows):
        self.rows = rows

    def encode_passages(self, texts):
        return [self.rows[int(text)] for text in texts]

    encode_queries = encode_passages

    def terms_of(self, text):
        return []


CARS = Written(more={"car": {"automobile": 0.5}, "automobile": {"car": 0.25}})


# The functions


def test_weights_by_hand():
    weights = term_weights([[0.5, -1.0, 2.0], [1.5, -2.0, 0.0]], [1, 1])
    assert weights == pytest.approx([np.log(2.5), 0, np.log(3)])
    weights = term_weights([[0.5, -1.0, 2.0], [1.5, -2.0, 0.0]], [True, False])
    assert weights == pytest.approx([np.log(1.5), 0, np.log(3)])
    assert term_weights(np.full((2, 3), np.inf), [0, 0]).tolist() == [0, 0, 0]
    assert term_weights(np.zeros((0, 3)), []).tolist() == [0, 0, 0]


def test_the_maximum_may_be_taken_before_the_logarithm():
    draw = np.random.default_rng(0)
    for tokens in (1, 2, 9):
        logits = draw.normal(size=(tokens, 30)) * 5
        early = np.log1p(np.maximum(logits.max(axis=0), 0))
        assert term_weights(logits, np.ones(tokens)) == pytest.approx(early, abs=1e-12)


def test_flops_by_hand():
    assert flops([[2.0, 0.0, 1.0], [0.0, 0.0, 3.0]]) == 1 + 0 + 4
    assert flops([[-2.0, 0.0, 1.0], [0.0, 0.0, -3.0]]) == 5
    assert flops(np.zeros((2, 3))) == 0


def test_the_gradient_of_flops_by_finite_differences():
    weights = np.random.default_rng(1).normal(size=(4, 6))
    gradient, step = flops_gradient(weights), 1e-6
    for cell in np.ndindex(weights.shape):
        there, back = weights.copy(), weights.copy()
        there[cell] += step
        back[cell] -= step
        assert gradient[cell] == pytest.approx((flops(there) - flops(back)) / (2 * step), abs=1e-7)
    assert flops_gradient([[0.0, 1.0]])[0, 0] == 0


def test_the_ramp():
    assert [ramp(step, 4, 8.0) for step in (0, 1, 2, 4, 5, 400)] == [0, 0.5, 2, 8, 8, 8]


def test_pruning():
    weights = {"b": 1.0, "a": 1.0, "c": 2.0, "d": 0.5}
    assert list(strongest(weights, 3).items()) == [("c", 2.0), ("a", 1.0), ("b", 1.0)]
    assert strongest(weights, 9) == weights and strongest(weights, 0) == {} and list(weights) == ["b", "a", "c", "d"]


def test_literal_and_added():
    parts = literal_and_added(["a", "red", "a"], {"red": 1.0, "scarlet": 0.5, "tent": 0.25})
    assert parts == {"literal": {"red": 1.0}, "added": {"scarlet": 0.5, "tent": 0.25}}


@pytest.mark.parametrize("seed", range(20))
def test_the_index_gives_the_dense_dot_product(seed):
    """The functions exactly up to the order of a sum, the class with weights in float32."""
    draw = np.random.default_rng(seed)
    documents, questions = random_rows(draw, int(draw.integers(1, 30))), random_rows(draw, 5, terms=60)
    column = {f"t{i}": i for i in range(60)}

    def dense(rows):
        out = np.zeros((len(rows), 60))
        for i, row in enumerate(rows):
            out[i, [column[term] for term in row]] = list(row.values())
        return out

    expected = dense(questions) @ dense(documents).T
    index = impact_index(documents)
    searched = Splade([Chunk(f"{i:02}", str(i)) for i in range(len(documents))], Rows(documents))
    for question, scores in zip(questions, expected, strict=True):
        assert score_all(question, index, len(documents)) == pytest.approx(scores, abs=1e-12)
        assert [sparse_dot(question, document) for document in documents] == pytest.approx(scores, abs=1e-12)
        searched.encoder = Rows([question])
        assert searched.scores("0") == pytest.approx(scores, rel=1e-6, abs=1e-12)
        found = searched.search("0", k=len(documents))
        assert [hit.score for hit in found] == pytest.approx(sorted(scores[scores > 0], reverse=True), rel=1e-6)
        for hit in found:
            assert hit.score == pytest.approx(searched.explain("0", hit.id).total, abs=1e-6)


def test_only_weights_above_0_are_filed():
    assert impact_index([{"a": 0.0}, {"a": 1.0, "b": 0.0}]) == {"a": [(1, 1.0)]}
    index = Splade(["0", "1"], Rows([{"a": 0.0}, {"a": 1.0, "b": 0.0}]))
    assert index.postings == 1 and index.nbytes == 8 and index.backwards("b") == []


# The class


def test_a_chunk_is_found_under_a_word_that_it_does_not_hold():
    index = Splade(["a car", "an automobile", "a boat"], CARS)
    assert index.search("car") == [Hit("0", 1 + 0.5 * 0.5), Hit("1", 0.25 + 0.5)]
    assert index.search("yacht") == []
    assert [hit.id for hit in index.search("car a", k=1)] == ["0"]


def test_the_index_read_backwards():
    index = Splade(["a car", "an automobile", "automobile car"], CARS)
    # the third text's own "car" is overwritten by nothing, its "automobile" by what "car" adds
    assert index.backwards("automobile") == [Hit("1", 1.0), Hit("0", 0.5), Hit("2", 0.5)]
    assert index.backwards("spaceship") == []
    assert index.terms("0") == {"a": 1.0, "car": 1.0, "automobile": 0.5}
    assert list(index.terms("1")) == ["an", "automobile", "car"]
    rows = {id: index.terms(id) for id in index.ids}
    for term in index.words:
        assert dict(index.backwards(term)) == {id: row[term] for id, row in rows.items() if term in row}


def test_who_wrote_and_who_added():
    index = Splade(["a car", "an automobile"], CARS)
    found = index.explain("a car", "0")
    assert [(part.name, part.value) for part in found.parts] == [
        ("a (literal)", 1.0), ("car (literal)", 1.0), ("automobile (added)", 0.25)]
    assert found.parts[2].note == ("0.5000 in the question, to which it was added x 0.5000 in the chunk, to which it "
                                   "was added")
    found = index.explain("a car", "1")
    assert [(part.name, part.value) for part in found.parts] == [
        ("automobile (added)", 0.5), ("car (added)", 0.25), ("a (literal)", 0.0)]
    assert found.parts[0].note == "0.5000 in the question, to which it was added x 1.0000 in the chunk, which wrote it"
    assert found.parts[1].note == "1.0000 in the question, which wrote it x 0.2500 in the chunk, to which it was added"
    assert found.parts[2].note == "1.0000 in the question, which wrote it; not in this chunk; in 1 of 2"
    assert index.explain("yacht", "0").total == 0 and index.explain("", "0") == (0, ())


def test_equal_scores_by_id_as_strings():
    chunks = [Chunk(id, "car") for id in ("b", "10", "9", "a")]
    assert [hit.id for hit in Splade(chunks, CARS).search("car", k=3)] == ["10", "9", "a"]
    assert [hit.id for hit in Splade(chunks[::-1], CARS).backwards("car")] == ["10", "9", "a", "b"]


def test_the_encoder_gets_the_texts_in_the_order_in_which_they_came():
    asked = []

    class Listening(Written):
        def encode_passages(self, texts):
            asked.append(list(texts))
            return super().encode_passages(texts)

    index = Splade([Chunk("z", "last"), Chunk("a", "first")], Listening())
    assert asked == [["last", "first"]] and index.ids == ["a", "z"] and index.texts == ["first", "last"]
    assert index.search("last")[0].id == "z"


def test_pruned():
    index = Splade(["car rope"], Written({"car": 2.0, "rope": 0.5}), most=1)
    assert index.terms("0") == {"car": 2.0}
    with pytest.raises(ValueError, match="^most is 0; it must be 1 or more.$"):
        Splade(["car"], CARS, most=0)


def test_nothing_to_file():
    index = Splade(["", ""], CARS)
    assert index.search("car") == [] and index.postings == 0 and index.terms("1") == {}
    assert index.explain("car", "1").total == 0


@pytest.mark.parametrize("k, words", [(0, "k is 0; it must be 1 or more"), ("3", "k is '3'; it must be a whole number"),
                                      (2.0, "k is 2.0; it must be a whole number"), (True, "it must be a whole")])
def test_k(k, words):
    with pytest.raises(ValueError, match=words):
        Splade(["car"], CARS).search("car", k)
    assert len(Splade(["car"] * 300, CARS).search("car", np.int8(100))) == 100


def test_what_is_refused():
    with pytest.raises(TypeError, match="is no encoder for Splade: it needs encode_queries, encode_passages, terms_of"):
        Splade(["car"], object())
    with pytest.raises(TypeError, match="is no encoder for Splade"):
        Splade(["car"], Written)
    with pytest.raises(ValueError, match="the list of chunks is empty"):
        Splade([], CARS)
    with pytest.raises(ValueError, match="^The id 'a' is there twice"):
        Splade([Chunk("a", "car"), Chunk("a", "boat")], CARS)
    with pytest.raises(KeyError, match="There is no chunk 'x' in this index"):
        Splade(["car"], CARS).explain("car", "x")
    with pytest.raises(KeyError):
        Splade(["car"], CARS).terms("x")


@pytest.mark.parametrize("rows", [[{"a": -1.0}], [{"a": np.nan}], [{"a": np.inf}], [{"a": "x"}], [{3: 1.0}], [[0.5]],
                                  [], [{"a": 1e40}], [{"a": "1"}], [{"a": 10**400}], [{"a": 1 + 2j}], None])
def test_an_encoder_that_gives_no_weights_is_named(rows):
    with pytest.raises(ValueError, match="^The encoder rows gave "):
        Splade(["0"], type("Bad", (Rows,), {"encode_passages": lambda self, texts: rows})([]))


def test_a_weight_that_float32_can_not_hold_is_still_above_0():
    assert Splade(["0", "1"], Rows([{"a": 1e-60}, {"a": 1.0}])).terms("0")["a"] > 0


@pytest.mark.parametrize("terms", [None, 5, "car", [1]])
def test_terms_of_a_text_that_are_none(terms):
    with pytest.raises(ValueError, match="^terms_of of the encoder odd gave .* which is no list of terms"):
        Splade(["car"], type("Odd", (Written,), {"name": "odd", "terms_of": lambda self, text: terms})({})).explain(
            "car", "0")


def test_ids_that_are_no_strings():
    for ids in ([1, 2], ["a", 1]):
        with pytest.raises(TypeError, match="^An id is a string, and 1 is none; write '1'"):
            Splade([Chunk(id, "car") for id in ids], CARS)
    with pytest.raises(KeyError, match="There is no chunk"):
        Splade(["car"], CARS).explain("car", ["0"])


# Functions of a learner


@pytest.mark.parametrize("name", ["strongest", "impact_index", "score_all", "literal_and_added"])
def test_what_raises_is_named(name):
    def raises(*_):
        raise ZeroDivisionError("by yours")

    with use(f"splade.{name}", raises), pytest.raises(ZeroDivisionError) as caught:
        index = Splade(["a car", "b"], CARS, most=2)
        index.search("car"), index.explain("car", "0")
    assert f'This was raised by {name}. use("splade.{name}") puts' in " ".join(caught.value.__notes__)


def test_yours_take_part():
    with use("splade.impact_index", lambda documents: {"car": [(1, 3.0)]}):
        assert Splade(["a car", "b"], CARS).search("car") == [Hit("1", 3.0)]
    index = Splade(["a car", "an automobile"], CARS)
    with use("splade.score_all", lambda question, lists, n: [len(lists["car"]), 0.0]):
        assert index.search("car") == [Hit("0", 2.0)]
    with use("splade.score_all", score_all_again):
        assert index.search("car") == [Hit("0", 1.25), Hit("1", 0.75)]
    with use("splade.strongest", lambda weights, n: {}):
        assert Splade(["car"], CARS, most=1).postings == 0
    with use("splade.literal_and_added", lambda terms, weights: {"literal": {}, "added": weights}):
        assert {part.name for part in index.explain("car", "0").parts} == {"car (added)", "automobile (added)"}


def score_all_again(question, index, n):
    return splade.OWN_SCORES(question, index, n)


@pytest.mark.parametrize("given", [None, [], {"a": 1}, {"a": [(5, 1.0)]}, {"a": [(0, -1.0)]}, {"a": [(0, np.nan)]},
                                   {"a": [(1, 1.0), (0, 1.0)]}, {"a": [(0, 1.0), (0, 1.0)]}, {"a": [(0.5, 1.0)]},
                                   {3: [(0, 1.0)]}, {"a": [(0, 1.0, 2.0)]}])
def test_what_is_no_index_is_named(given):
    with use("splade.impact_index", lambda documents: given), pytest.raises(ValueError) as caught:
        Splade(["a", "b"], CARS)
    assert 'use("splade.impact_index") puts the course\'s own back.' in str(caught.value)


@pytest.mark.parametrize("name, given, call", [
    ("score_all", None, lambda index: index.search("car")), ("score_all", [1.0], lambda index: index.search("car")),
    ("literal_and_added", None, lambda index: index.explain("car", "0")),
    ("literal_and_added", {"literal": {}}, lambda index: index.explain("car", "0")),
    ("strongest", None, lambda index: Splade(["car"], CARS, most=1)),
    ("strongest", {"new": 1.0}, lambda index: Splade(["car"], CARS, most=1))])
def test_what_else_is_of_no_use_is_named(name, given, call):
    index = Splade(["a car", "b"], CARS)
    with use(f"splade.{name}", lambda *_: given), pytest.raises(ValueError) as caught:
        call(index)
    assert f'use("splade.{name}") puts the course\'s own back.' in str(caught.value)
