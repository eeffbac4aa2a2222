"""Parents: each once at its best child's score, as many as asked for, and a score that can be taken apart."""

import math
import random

import numpy as np
import pytest

from firstprinciples.corpus import Chunk, Collection, Document
from firstprinciples.encode.stored import minilm
from firstprinciples.evaluate.experiment import evaluate
from firstprinciples.ingest.chunkers import by_words, gather, in_documents, parent_child, sentence_windows
from firstprinciples.rank.cross_encoder import cross
from firstprinciples.rank.fusion import Hybrid
from firstprinciples.rank.rerank import Reranked
from firstprinciples.retrieve import Explanation, Hit, Part
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.dense import Dense
from firstprinciples.retrieve.parents import Parents
from firstprinciples.swap import use


class Fixed:
    """A retriever over given scores, best first, ties by id, that notes how many it was asked for."""

    def __init__(self, scores):
        self.hits = sorted((Hit(*pair) for pair in scores.items()), key=lambda hit: (-hit.score, hit.id))
        self.asked = []

    def search(self, query, k=10):
        self.asked.append(k)
        return self.hits[:k]

    def explain(self, query, id):
        score = dict(self.hits)[id]
        return Explanation(score, (Part("half", score / 2, ""), Part("other half", score / 2, "")))


@pytest.fixture(scope="module")
def larkspur():
    return Collection.load("larkspur")


@pytest.fixture(scope="module")
def sections(larkspur):
    """Larkspur's paragraphs as children, its sections as parents, and who belongs to whom."""
    return gather(larkspur.documents, parent_child())


def all_parents(scores, parent_of):
    """Return every parent with the score of its best child, in order: the plain way."""
    best = {}
    for child, score in scores.items():
        best[parent_of[child]] = max(score, best.get(parent_of[child], -math.inf))
    return sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))


def test_each_parent_once_at_its_best_child():
    parent_of = {"c1": "A", "c2": "A", "c3": "B", "c4": "C"}
    pages = Parents(Fixed({"c1": 5.0, "c2": 7.0, "c3": 6.0, "c4": 6.0}), [Chunk(id, id) for id in "CBA"], parent_of)
    assert pages.search("?") == [("A", 7.0), ("B", 6.0), ("C", 6.0)]
    assert all(type(hit) is Hit for hit in pages.search("?"))
    assert pages.search("?", k=1) == [("A", 7.0)]
    assert (pages.ids, pages.texts, pages.position) == (["C", "B", "A"], ["C", "B", "A"], {"C": 0, "B": 1, "A": 2})
    assert pages.children == {"A": ["c1", "c2"], "B": ["c3"], "C": ["c4"]}


def test_it_asks_for_more_children_until_there_are_enough_parents():
    scores = {f"c{i:03}": 100.0 - i for i in range(60)}
    parent_of = {child: "long" if place < 50 else child[1:] for place, child in enumerate(scores)}
    inner = Fixed(scores)
    pages = Parents(inner, ["long", *(f"{i:03}" for i in range(50, 60))], dict.fromkeys(scores, "0"))
    assert [hit.id for hit in pages.search("?", k=3)] == ["0"]  # there is only one parent
    assert inner.asked == [6, 12, 24, 48, 60]
    inner.asked.clear()
    pages = Parents(inner, [Chunk(id, id) for id in ["long", *(f"{i:03}" for i in range(50, 60))]], parent_of)
    assert [hit.id for hit in pages.search("?", k=3)] == ["long", "050", "051"]
    assert inner.asked == [6, 12, 24, 48, 60]
    inner.asked.clear()
    assert pages.search("?", k=1) == [("long", 100.0)]
    assert inner.asked == [2]
    assert len(pages.search("?", k=10**9)) == 11


def test_random_scores_give_what_all_children_give():
    draw = random.Random(3)
    for _ in range(300):
        n = draw.randint(1, 60)
        scores = {f"c{i}": float(draw.randint(0, 6)) for i in range(n)}  # many ties
        parent_of = {child: f"p{draw.randint(0, draw.choice([1, 8, 60]))}" for child in scores}
        parents = [Chunk(id, id) for id in sorted(set(parent_of.values()))]
        pages = Parents(Fixed(scores), parents, parent_of)
        k = draw.randint(1, 12)
        assert pages.search("?", k) == all_parents(scores, parent_of)[:k]


def test_a_child_further_down_that_ties_is_not_overlooked():
    scores = {f"c{i}": 1.0 for i in range(9)}  # equal scores come by the child's id, and parents are the other way
    pages = Parents(Fixed(scores), [Chunk(f"p{i}", "") for i in range(9)], {f"c{i}": f"p{8 - i}" for i in range(9)})
    assert [hit.id for hit in pages.search("?", k=2)] == ["p0", "p1"]


def test_nothing_found_is_an_empty_list():
    pages = Parents(BM25(["a red tent", "a stove"]), ["outdoors"], {"0": "0", "1": "0"})
    assert pages.search("zeppelin") == [] == Parents(Fixed({}), ["outdoors"], {}).search("tent")
    assert pages.explain("zeppelin", "0") == (0.0, (("best child", 0.0, "none of its 2 chunks was found"),))


def test_explain_names_the_child_and_sums_to_the_score(larkspur, sections):
    children, parents, parent_of = sections
    for inner in (BM25(children), Dense(children, minilm()), Hybrid([BM25(children), Dense(children, minilm())])):
        pages = Parents(inner, parents, parent_of)
        for hit in pages.search("How many paid sick days do I have in a calendar year?", k=5):
            explained = pages.explain("How many paid sick days do I have in a calendar year?", hit.id)
            assert explained.total == pytest.approx(hit.score, abs=1e-6)
            assert sum(part.value for part in explained.parts) == pytest.approx(hit.score, abs=1e-6)
            name, value, note = explained.parts[0]
            assert (name, value) == ("best child", 0.0)
            assert parent_of[note.partition(",")[0]] == hit.id
            assert "its only chunk" in note or f"the best of its {len(pages.children[hit.id])} chunks" in note
    with pytest.raises(KeyError, match="There is no parent 'nowhere'"):
        pages.explain("tent", "nowhere")


def test_a_parent_below_the_others_is_explained_by_its_best_child():
    pages = Parents(Fixed({"c1": 1.0, "c2": 3.0, "c3": 2.0}), [Chunk("A", ""), Chunk("B", "")],
                    {"c1": "A", "c3": "A", "c2": "B"})
    assert pages.explain("?", "A") == (2.0, (("best child", 0.0, "c3, the best of its 2 chunks"), ("half", 1.0, ""),
                                             ("other half", 1.0, "")))
    assert pages.explain("?", "B").parts[0].note == "c2, its only chunk"


def test_the_course_measures_and_reranks_with_it(larkspur, sections):
    children, parents, parent_of = sections
    pages = Parents(BM25(children), parents, parent_of)
    whole = Collection("sections", larkspur.documents, parents, larkspur.queries[:40], {},
                       {q.id: larkspur.evidence[q.id] for q in larkspur.queries[:40]})
    assert evaluate(pages, whole)["queries"] > 30
    second = Reranked(pages, cross(), depth=20)
    question = "How many paid sick days do I have in a calendar year?"
    hits = second.search(question, k=5)
    assert len(hits) == 5 and {hit.id for hit in hits} <= set(pages.ids)
    assert second.texts[hits[0].id] == pages.texts[pages.position[hits[0].id]]  # it reads parents, no children
    assert second.explain(question, hits[0].id).total == pytest.approx(hits[0].score)


def test_options_are_handed_on(sections):
    children, parents, parent_of = sections
    pages = Parents(Dense(children, minilm()), parents, parent_of)
    hits = pages.search("What is open?", k=8, where={"type": "invoice"})
    assert len(hits) == 8
    assert {pages.metadata[hit.id]["type"] for hit in hits} == {"invoice"}


def test_documents_are_parents_of_their_chunks():
    documents = [Document("10", "Tents", "a red tent for two and a pole"), Document("9", "Stoves", "a stove, a pole"),
                 Document("8", "Nothing", "")]
    children, parents, parent_of = in_documents(documents, by_words(3, 1))
    pages = Parents(BM25(children), parents, parent_of)
    assert [hit.id for hit in pages.search("a stove", k=5)] == ["9", "10"]
    assert pages.explain("red", "10").parts[0].note == "10#1, the best of its 4 chunks"
    assert pages.explain("pole", "8") == (0.0, (("best child", 0.0, "it has no chunks"),))


def test_sentences_find_what_stands_around_them():
    text = "The tent is red. It has two doors. Poles are sold apart. Pegs too. The stove burns gas."
    children, parents, parent_of = gather([Document("d", "D", text)], sentence_windows(around=1))
    best = Parents(BM25(children), parents, parent_of).search("poles", k=1)[0]
    assert best.id == "d#window-3"
    assert parents[2].text == "It has two doors. Poles are sold apart. Pegs too."


# Bad input


def test_what_does_not_fit():
    tents = BM25(["a tent", "a stove"])
    with pytest.raises(TypeError, match="is no retriever"):
        Parents(["a tent"], ["outdoors"], {"0": "0"})
    with pytest.raises(TypeError, match="is no retriever"):
        Parents(BM25, ["outdoors"], {"0": "0"})
    with pytest.raises(TypeError, match="parent_of is"):
        Parents(tents, ["outdoors"], [("0", "0")])
    with pytest.raises(TypeError, match="Give a list of chunks"):
        Parents(tents, "outdoors", {"0": "0", "1": "0"})
    with pytest.raises(ValueError, match="the list of chunks is empty"):
        Parents(tents, [], {})
    with pytest.raises(ValueError, match="The chunk '1' has no parent"):
        Parents(tents, ["outdoors"], {"0": "0"})
    for parent in ("7", 0, None, ["0"]):
        with pytest.raises(ValueError, match="there is no such parent"):
            Parents(tents, ["outdoors"], {"0": "0", "1": parent})
    with pytest.raises(ValueError, match="there twice"):
        Parents(tents, [Chunk("A", ""), Chunk("A", "")], {"0": "A", "1": "A"})
    for k in (0, -1, 1.5, True, "3"):
        with pytest.raises(ValueError, match=r"^k is "):
            Parents(tents, ["outdoors"], {"0": "0", "1": "0"}).search("tent", k)


@pytest.mark.parametrize("hits", [None, 3, [("c1",)], [(1, 2.0)], [("c1", math.nan)], [("c1", "2")], ["c1"]])
def test_a_retriever_that_finds_no_hits(hits):
    class Broken:
        def search(self, query, k):
            return hits

    with pytest.raises(ValueError, match=r"Broken found .*, which is no list of hits"):
        Parents(Broken(), [Chunk("A", "")], {"c1": "A"}).search("?")


def test_a_retriever_that_finds_an_unknown_child():
    with pytest.raises(ValueError, match="The chunk 'c9' has no parent"):
        Parents(Fixed({"c9": 1.0}), [Chunk("A", "")], {"c1": "A"}).search("?")


def test_numpy_scores_are_scores():
    assert Parents(Fixed({"c1": np.float32(0.5)}), [Chunk("A", "")], {"c1": "A"}).search("?") == [("A", 0.5)]


@pytest.mark.parametrize("given", [None, 3, [], [("A", "x")], [("B", 1.0)], [("A", math.nan)],
                                   [("A", 1.0), ("A", 1.0)]])
def test_a_learners_function_that_gives_no_parents(given):
    pages = Parents(Fixed({"c1": 1.0}), [Chunk("A", "")], {"c1": "A"})
    with use("chunking.to_parents", lambda ranked, parent_of: given), pytest.raises(
            ValueError, match=r"to_parents gave .* use\(\"chunking\.to_parents\"\) puts the course's own back"):
        pages.search("?")
    assert pages.search("?") == [("A", 1.0)]


def test_a_learners_function_is_used():
    pages = Parents(Fixed({"c1": 1.0, "c2": 3.0}), [Chunk("A", "")], {"c1": "A", "c2": "A"})
    with use("chunking.to_parents", lambda ranked, parent_of: [("A", sum(score for _, score in ranked))]):
        assert pages.search("?") == [("A", 4.0)]
