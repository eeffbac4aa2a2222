"""The numbers that lesson 13 states in its sentences, worked out again."""

import json
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest

from firstprinciples.encode.stored import minilm
from firstprinciples.evaluate.compare import apart, differences_by_kind
from firstprinciples.evaluate.experiment import bootstrap_interval, draw_resamples, evaluate, measure
from firstprinciples.explore.filters import SHARES, K, N, State, frame
from firstprinciples.explore.guess import QUESTIONS
from firstprinciples.index.cosine import normalize
from firstprinciples.index.filters import FEW, Filtered, how_many_to_fetch, matches, pre_filter
from firstprinciples.index.hnsw import HNSW
from firstprinciples.retrieve import Hit
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.dense import Dense

ROOT = Path(__file__).resolve().parent.parent.parent
LESSON = ROOT / "notebooks" / "13_filters.ipynb"
MARCH = {"type": "invoice", "date": {"from": "2024-03", "to": "2024-03"}}
INVOICED = "How much did we invoice altogether in March 2024?"
WORDS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@pytest.fixture(scope="module")
def meaning(larkspur):
    return Dense(larkspur.chunks, minilm())


@pytest.fixture(scope="module")
def filtered(meaning):
    return Filtered(meaning.index, meaning.metadata)


@pytest.fixture(scope="module")
def figures():
    return json.loads((ROOT / "notebooks" / "filters.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def results(larkspur, meaning, filtered):
    """Return what `evaluate` gives for each row of the lesson's table, worked out in another way than there."""
    query_of = {query.text: query for query in larkspur.queries}
    words = BM25(larkspur.chunks)
    order = np.array(sorted(range(len(meaning.ids)), key=meaning.ids.__getitem__))

    class Kept:
        """A search whose results are cut down by the question's own condition; `fetch` None means all."""

        def __init__(self, search, fetch=None):
            self.whole, self.fetch = search, fetch

        def search(self, text, k=10):
            where = query_of[text].filter
            hits = self.whole(text, k if where is None else self.fetch or len(order))
            return [hit for hit in hits if matches(meaning.metadata[hit.id], where or {})][:k]

    names = [Hit(meaning.ids[i], 0.0) for i in order]
    retrievers = {"MiniLM": meaning, "before": Kept(meaning.search), "after 10": Kept(meaning.search, 10),
                  "after 100": Kept(meaning.search, 100), "BM25": words, "BM25, condition": Kept(words.search),
                  "alone": Kept(lambda text, k: names)}
    return {name: evaluate(retriever, larkspur) for name, retriever in retrievers.items()}


def asked(larkspur, split=None):
    return [query for query in larkspur.queries if query.filter and split in (None, query.split)]


def test_the_guess(lesson):
    guessed = QUESTIONS["filters.after"]
    assert guessed["answer"] == "about 2" and "20 × 1/10 = 2" in guessed["because"]
    assert how_many_to_fetch(5, 0.1) == 50 and "you would fetch 50" in guessed["because"]
    after = frame(State())["ways"]["after"]
    assert (len(after["found"]), frame(State())["share"], frame(State())["fetch"]) == (2, 10, 20)
    assert "it is 2 of 5, too" in guessed["because"]


def test_what_the_picture_is_said_to_show(lesson):
    said = lesson["watch-said"]
    at = [frame(State(share=share))["ways"] for share in SHARES.values()]
    before, during = ([ways[way]["compared"] for ways in at] for way in ("before", "during"))
    assert "compares what matches: {}, {}, {}.".format(*before) in said
    compared, = {ways["after"]["compared"] for ways in at}
    left = [len(ways["after"]["found"]) for ways in at]
    assert "**After** compares {} points each time and finds {}, then {}, then {}.".format(compared, *left) in said
    needed = next(fetch for fetch in range(5, 200, 5) if not frame(State(fetch=fetch))["ways"]["after"]["missing"])
    assert f"To have all five at a tenth, {needed} had to be fetched here" in said
    assert all(ways[way]["right"] == K for ways in at for way in ("before", "during"))
    assert f"grows as the condition gets rare: {during[0]}, {during[1]}, and at a hundredth all {during[2]}" in said
    assert during[2] == N
    together = [frame(State(labels="together", fetch=fetch))["ways"] for fetch in (20, 200)]
    assert [ways["after"]["held"] for ways in together] == [0, 0]
    assert "20 fetched hold none, and 200 hold none either" in said
    assert f"The walk compares {together[0]['during']['compared']} points before it has its list" in said
    only = [len(frame(State(walk="matching", share=share))["ways"]["during"]["found"]) for share in (10, 1)]
    assert f"it finds {only[0]} of 5 at a tenth, and {WORDS[only[1]]} at a hundredth" in said
    assert "Five hundred points" in lesson["watch"] and N == 500


def test_the_short_code_of_the_lesson_is_right(meaning):
    cells = {cell.id: cell.source for cell in nbformat.read(LESSON, as_version=4).cells}
    code = {id: re.search(r"```python\n(.*?)```", cells[id], re.DOTALL).group(1)
            for id in ("labels-code-intro", "before", "after")}
    space = {"np": np}
    exec(code["labels-code-intro"], space)
    conditions = [{"type": "invoice"}, {"type": ["invoice", "bill"], "client": "Cedarline Freight"}, {"none": "x"}, {}]
    for where in conditions:
        for each in meaning.metadata.values():
            assert space["holds"](each, where) == matches(each, where)
    vectors, query = meaning.index.rows.astype(float), normalize(meaning.vector(INVOICED))
    allowed = np.array([matches(each, MARCH) for each in meaning.metadata.values()])
    space |= {"vectors": vectors, "query": query, "allowed": allowed, "k": 7}
    exec(code["before"], space)
    right = pre_filter(query, vectors, allowed, 7)
    for got in (space["found"], space["same"]):
        assert [i for i, _ in got] == [i for i, _ in right]
        assert [score for _, score in got] == pytest.approx([score for _, score in right])
    space |= {"ranked": pre_filter(query, vectors, np.ones(len(vectors), dtype=bool), 100), "k": 12}
    exec(code["after"], space)
    assert space["missing"] == 2 and [i for i, _ in space["kept"]] == [i for i, _ in pre_filter(
        query, vectors, allowed, 10)]
    assert "if allowed[e]:" in cells["during"]


def test_labels_and_conditions(lesson, larkspur, filtered):
    assert "**record** with three things: a point" in lesson["how-labels"]
    assert matches({"date": "2024-03-15"}, {"date": {"from": "2024-03", "to": "2024-03"}})
    short, whole = (int(filtered.allowed({"client": name}).sum()) for name in ("Cedarline", "Cedarline Freight"))
    assert short == 0 < whole
    assert '"Cedarline" is not "Cedarline Freight"' in lesson["labels-code-intro"]
    assert sorted(["2024-11-02", "2024-03-15", "2023-12-31"]) == ["2023-12-31", "2024-03-15", "2024-11-02"]
    assert all(not query.filter for query in larkspur.queries if query.kind != "filter")


def test_the_invoices_of_march(lesson, meaning):
    query, said = meaning.search(INVOICED, 5), lesson["before-said"]
    labels = [meaning.metadata[hit.id] for hit in query]
    kinds = sorted(each["type"] for each in labels)
    assert kinds == ["bill", "bill", "filing", "statement", "statement"]
    assert "not one of the five is an invoice: there are two chunks of a statement, two of bills" in said
    filing = next(each for each in labels if each["type"] == "filing")
    assert filing["client"] != "none" and "one of another firm's filing" in said
    held = meaning.search(INVOICED, 5, where=MARCH)
    assert len(held) == 5 and all(matches(meaning.metadata[hit.id], MARCH) for hit in held)
    assert held[0].score < query[-1].score and "Their scores are lower" in said
    everything = dict(meaning.search(INVOICED, len(meaning.ids)))
    assert all(everything[hit.id] == pytest.approx(hit.score, abs=1e-6) for hit in held)


def test_how_many_to_fetch(lesson, larkspur, meaning, filtered):
    assert [how_many_to_fetch(10, share) for share in (0.5, 0.1, 0.01)] == [20, 100, 1000]
    assert "20 for ten matches at a half, 100 at a tenth, 1,000 at a hundredth" in lesson["after"]
    draws = np.random.Generator(np.random.PCG64(0)).random((2000, 100)) < 0.1
    assert 0.35 < (draws.sum(axis=1) < 10).mean() < 0.55 and "about every second search" in lesson["after"]
    rows = []
    for query in asked(larkspur, "dev"):
        vector = meaning.vector(query.text)
        hundred = filtered.search(vector, 100, query.filter, how="post", fetch=100)
        enough = filtered.search(vector, 10, query.filter, how="post")
        rows.append((query.text, 100 * hundred.matching / len(meaning.ids), len(hundred.hits), enough))
    said = lesson["after-said"]
    more = [held / expected for _, expected, held, _ in rows]
    assert sum(each > 1.5 for each in more) > len(rows) / 2 and "wrong in both directions" in said
    assert 2 <= np.median(more) <= 3 and "two or three times as many matches as expected" in said
    (text, expected, held, enough), = [row for row in rows if len(row[3].hits) < min(10, row[3].matching)]
    assert "How heavy can a box get" in text and f"{expected:.0f} were expected" in said
    assert 1 / 6 < enough.matching / len(meaning.ids) < 0.18 and "a sixth of all chunks match" in said
    assert f"only {held} were there" in said and f"{len(enough.hits)} of 10 are left" in said


def pieces(layer, allowed):
    """Return the sizes of the pieces of a layer without the nodes that are not allowed, the largest first."""
    left, sizes = set(np.flatnonzero(allowed).tolist()), []
    while left:
        piece, border = set(), {min(left)}
        while border:
            piece |= border
            border = {other for node in border for other in layer[node] if other in left} - piece
        left -= piece
        sizes.append(len(piece))
    return sorted(sizes, reverse=True)


def test_the_graph_falls_apart(lesson, larkspur, meaning, filtered):
    index = HNSW(384)
    index.add(meaning.vectors, meaning.ids)
    layer, n = index.layers()[0], len(meaning.ids)
    links = np.mean([len(near) for near in layer.values()])
    assert f"Of {links:.0f} links a tenth keeps {links / 10:.1f} on average, and a hundredth keeps {links / 100:.2f}" \
        in lesson["during"]
    lot = np.random.Generator(np.random.PCG64(0)).permutation(n)
    half, tenth, hundredth = (pieces(layer, lot < round(n * share)) for share in (0.5, 0.1, 0.01))
    said = lesson["during-said"]
    assert f"A half by lot holds together, a tenth is in {len(tenth)} pieces" in said and len(half) == 1
    assert f"the {WORDS[sum(hundredth)]} chunks of a hundredth are in {WORDS[len(hundredth)]}" in said
    invoices = pieces(layer, filtered.allowed({"type": "invoice"}))
    client = pieces(layer, filtered.allowed({"client": "Cedarline Freight"}))
    assert f"the {sum(invoices)} invoices are one piece" in said and len(invoices) == 1
    assert f"{len(client)} pieces for a client with {sum(client)} chunks" in said and client[0] < sum(client)


def test_the_stored_figures_are_told_as_they_are(lesson, figures):
    said, big = lesson["during-table-said"], figures["scifact"]
    row = {(each["labels"], each["share"], each["way"]): each for each in big["rows"]}

    def compared(share, way):
        return f"{row['by lot', share, way]['compared']:,}"

    def missing(labels, share, way):
        return f"{row[labels, share, way]['missing']:.2f}"

    assert f"the walk compares {compared('a half', 'during')} vectors where looking before compares " \
        f"{compared('a half', 'before')}, and finds {row['by lot', 'a half', 'during']['found']:.3f}" in said
    assert f"the other way round, {compared('a tenth', 'during')} against {compared('a tenth', 'before')}" in said
    assert f"{compared('a hundredth', 'during')} comparisons on {big['documents']:,} vectors" in said
    assert f"looking before needs {compared('a hundredth', 'before')}." in said
    assert FEW == 0.1 and "where fewer than a tenth match" in said
    assert how_many_to_fetch(big["k"], 0.1) == big["fetch"] == 100 and how_many_to_fetch(big["k"], 0.01) == 1000
    assert f"lacks {missing('by lot', 'a tenth', 'after')} of the ten at a tenth, though 100 is k / s, and " \
        f"{missing('by lot', 'a hundredth', 'after')} at a hundredth" in said
    formula = [missing(labels, "a hundredth", "after, k / share") for labels in ("by lot", "with the meaning")]
    assert f"{formula[0]} are missing by lot, and {formula[1]} where the label goes with the meaning" in said
    assert f"{big['documents']:,} real ones" in lesson["during-said"]
    assert all(row[labels, share, "before"]["found"] == 1 for labels, share, _ in row)
    # what counts can be worked out here as well
    assert [row["by lot", share, "before"]["compared"] for share in ("a half", "a tenth", "a hundredth")] == [
        round(share * big["documents"]) for share in (0.5, 0.1, 0.01)]


def test_a_short_list(lesson, larkspur, meaning, filtered):
    found = filtered.search(meaning.vector(INVOICED), 10, MARCH, how="post", fetch=10)
    assert (len(found.hits), found.missing, found.matching) == (0, 10, 36) and "missing" in found.note
    assert "The list is empty, and 36 chunks match" in lesson["fails-short-said"]


def test_lost_labels(lesson, larkspur, meaning, filtered):
    judged = [query for query in asked(larkspur, "dev") if larkspur.evidence[query.id]]
    document = np.array([chunk.document for chunk in larkspur.chunks])
    documents = sorted(set(document))
    ranked = {q.id: [hit.id for hit in meaning.search(q.text, len(document))] for q in judged}
    fits = {q.id: dict(zip(meaning.ids, filtered.allowed(q.filter), strict=True)) for q in judged}
    place = dict(zip(meaning.ids, document, strict=True))

    def recall(lost, held=True):
        values = []
        for q in judged:
            kept = [id for id in ranked[q.id] if not held or (fits[q.id][id] and place[id] not in lost)]
            values.append(measure(kept[:10], larkspur.evidence[q.id])["Recall@10"])
        return np.array(values)

    def by_lot(share):
        drawn = [np.random.Generator(np.random.PCG64(seed)).permutation(documents) for seed in range(20)]
        return np.mean([recall(set(each[: round(share * len(documents))].tolist())) for each in drawn], axis=0)

    said, plain = lesson["fails-labels-said"], recall(set(), held=False)
    without, full = plain.mean(), recall(set()).mean()
    lots = {share: by_lot(share) for share in (0.1, 0.3, 0.5)}
    some = {share: each.mean() for share, each in lots.items()}
    inside = {share: np.prod(bootstrap_interval((each - plain).tolist(), draw_resamples(len(each)))) <= 0
              for share, each in lots.items()}
    assert inside == {0.1: False, 0.3: True, 0.5: True} and "with a tenth lost the gain still stands clear of 0" in said
    assert "with three tenths and with half the interval holds 0" in said
    assert len(judged) == 15 and "These are fifteen questions" in said
    assert f"brings recall from {without:.3f} to {full:.3f}" in said
    assert f"and it is {some[0.1]:.3f}; three tenths, {some[0.3]:.3f}; with half of them it is {some[0.5]:.3f}" in said
    assert some[0.5] < without < some[0.3] and "which is less than without any condition" in said


def test_the_year_that_a_question_names(lesson, larkspur):
    labels = {chunk.id: chunk.metadata for chunk in larkspur.chunks}
    named, lost, all_lost = 0, [], 0
    for query in larkspur.queries:
        years = sorted(re.findall(r"\b20\d\d\b", query.text))
        pieces_of = [ids for _, ids in larkspur.evidence[query.id] if ids]
        if query.split == "dev" and years and pieces_of:
            named += 1
            low, high = years[0], years[-1]
            left = sum(any(low <= labels[id]["date"][:4] <= high for id in ids) for ids in pieces_of)
            if left < len(pieces_of):
                lost.append(query.text)
                all_lost += not left
                dates = {labels[id]["date"][:4] for ids in pieces_of for id in ids}
                if "ropes" in query.text:
                    assert dates == {"2024"} and {"invoice"} == {labels[id]["type"] for ids in pieces_of for id in ids}
                if "renewed before 2024" in query.text:
                    assert dates == {"2022", "2023"}
    said = lesson["fails-implied-said"]
    assert f"Of {named} questions that name a year, {len(lost)} lose evidence, and {WORDS[all_lost]} lose all" in said
    ropes = [chunk for chunk in larkspur.chunks if chunk.document == "invoice-1046" and "2022" in chunk.text]
    assert ropes and "The ropes have a tag of 2022 and stand on an invoice of 2024" in said
    late = [each["date"] for each in labels.values() if each["type"] == "filing" and each["date"] > "2025-02"]
    assert late and late[0].startswith("2025-02") and "it reports in February 2025" in said


def test_the_table(lesson, results):
    kind = {name: result["by_kind"]["filter"] for name, result in results.items()}
    recall = {name: f"{row['Recall@10']:.3f}" for name, row in kind.items()}

    def of(one, other, metric="Recall@10"):
        return differences_by_kind(results[one], results[other])["filter"][metric]

    said, gain = lesson["measure-said"], of("MiniLM", "before")
    assert f"MiniLM finds {recall['before']} of the evidence instead of {recall['MiniLM']}: {gain['difference']:.3f} " \
        f"more, {gain['low']:.3f} at the low end of the interval, {gain['wins']} questions better" in said
    assert gain["losses"] == 0 and f"BM25 gains {of('BM25', 'BM25, condition')['difference']:.3f}" in said
    alone = of("alone", "before")
    assert f"the first ten that match hold {recall['alone']}" in said and apart(alone)
    assert f"the search among what matches finds {alone['difference']:.3f} more" in said
    lead = of("BM25, condition", "before")
    assert f"MiniLM is ahead by {lead['difference']:.3f}, and an interval that begins at {lead['low']:.3f}" in said
    assert 0 < lead["low"] < 0.02
    ten, hundred = of("MiniLM", "after 10"), of("after 100", "before")
    assert (ten["wins"], ten["losses"]) == (0, 0) and "finds not one answer more" in said
    assert f"nDCG@10 from {kind['MiniLM']['nDCG@10']:.3f} to {kind['after 10']['nDCG@10']:.3f}" in said
    assert f"With 100 fetched it is {recall['after 100']}" in said and not apart(hundred)
    assert (hundred["wins"], hundred["losses"]) == (1, 0) and "differs on one question" in said
    queries = differences_by_kind(results["MiniLM"], results["before"])["filter"]["queries"]
    n = results["MiniLM"]["queries"]
    whole = [f"{results[name]['metrics']['Recall@10']:.3f}" for name in ("MiniLM", "before")]
    assert f"Over all {n} questions Recall@10 goes from {whole[0]} to {whole[1]}; {n - queries} of them have no" in said
    assert queries == 30 and "thirty of them" in lesson["measure"]
    for name in ("before", "after 10", "after 100"):
        for other, row in results["MiniLM"]["by_kind"].items():
            assert other == "filter" or row == results[name]["by_kind"][other]
    assert "for them nothing changes" in lesson["measure"] and "Six intervals stand here" in said
    assert lesson["measure-differences"].count('("MiniLM') + lesson["measure-differences"].count('("BM25') \
        + lesson["measure-differences"].count('("condition') == 6


def test_what_the_vector_knows(lesson, larkspur, meaning):
    rows = {}
    for field in ("type", "client", "date"):
        base, held = [], []
        for query in asked(larkspur):
            if field in query.filter:
                where = {field: query.filter[field]}
                base.append(np.mean([matches(each, where) for each in meaning.metadata.values()]))
                first = [meaning.metadata[hit.id] for hit in meaning.search(query.text, 10)]
                held.append(np.mean([matches(each, where) for each in first]))
        more = [one - other for one, other in zip(held, base, strict=True)]
        rows[field] = (len(more), np.mean(base), np.mean(held), *bootstrap_interval(more, draw_resamples(len(more))))
    said = lesson["measure-knows-said"]
    assert f"{rows['type'][1]:.1%} of all chunks have the right one, and {rows['type'][2]:.1%} of the first ten" in said
    assert rows["client"][0] == 5 and rows["client"][3] > 0 and "five questions are few" in said
    assert f"{rows['date'][2]:.1%} of the first ten, and by chance it would be {rows['date'][1]:.1%}; the interval " \
        f"begins at {rows['date'][3]:.3f}" in said and 0 < rows["date"][3] < 0.02
    assert rows["type"][2] < 0.4 and "fewer than four in ten" in said
    named = [query for query in asked(larkspur) if "client" in query.filter]
    assert all(query.filter["client"].split()[0] in query.text for query in named)


def test_the_times(lesson, larkspur, meaning, filtered, figures):
    row, said = figures["larkspur"], lesson["times-said"]
    assert row["reading the labels"]["p50"] > 3 * row["no condition"]["p50"]
    assert f"several times as long as comparing all {row['chunks']} vectors" in said
    assert row["before"]["p50"] > row["no condition"]["p50"] and "saves no time" in said
    matching = [int(filtered.allowed(query.filter).sum()) for query in asked(larkspur)]
    assert f"{np.mean(matching):.0f} on average instead of {len(meaning.ids)}" in said


def test_the_stored_conditions_are_right(larkspur, meaning):
    """The prose says so: no condition hides a piece of its own question's evidence."""
    for query in asked(larkspur):
        for _, ids in larkspur.evidence[query.id]:
            assert all(matches(meaning.metadata[id], query.filter) for id in ids)
