"""The ladder: pipelines of which each adds one thing to the one before, measured on the same questions.

The problem. A pipeline of seven parts finds more than plain BM25. Which of the seven was it? Whoever builds all of them
and measures once will never know, and pays for each part on every question. So build one rung at a time, and write down
after each step what it changed, how sure that is, and what it costs:

    BM25                     the question as it was typed, the default chunks
    + vectors, RRF           MiniLM beside it; both lists fused by reciprocal rank
    + reranker               the best 100 are read again together with the question, the best 5 handed over
    + chunking, context      a line before each chunk that says where it comes from: for both indexes, for the reranker
    + rewriting              a follow-up gets the words of the conversation that it leans on
    + filters                each question looks only where its own condition allows

A step is compared with the rung before it, question by question (`evaluate.compare`). What a step adds depends on what
stands below it: with another order of the rungs each would have other numbers. So "did not help" means: here, on top of
these. Which way of cutting and what context stands in the fourth rung was chosen on the dev questions; see "Ladder" in
data/SOURCES.md.
"""

import math
import numbers
from dataclasses import dataclass

from firstprinciples.corpus import Chunk, Collection, find_evidence
from firstprinciples.encode.stored import minilm
from firstprinciples.evaluate import compare, experiment, failure, metrics
from firstprinciples.evaluate.answering import verdict
from firstprinciples.generate.checks import from_task
from firstprinciples.ingest.contextual import contextualize
from firstprinciples.pipeline import STAGES, Pipeline
from firstprinciples.rank.cross_encoder import cross
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.dense import Dense

DEPTH, KEPT = 100, 5  # candidates for the reranker, and chunks handed over
MEASURES = ("Recall@5", "Recall@10", "nDCG@10")
COMPARED, BY_KIND = (*MEASURES, "right"), ("Recall@10", "nDCG@10")


@dataclass(frozen=True)
class Rung:
    """A pipeline with a name; with `filtered`, each question is asked with its own condition.

    `pipeline` has run(question, history, where), which gives a Trip, and `chunks`, {id: chunk}.
    """

    name: str
    pipeline: Pipeline
    filtered: bool = False


class Told:
    """A reranker that reads other texts than are handed over: such as each chunk with its line of context.

    `told` is a list of chunks with the same ids; one that is not among them is read as it is.

    >>> from firstprinciples.rank.cross_encoder import cross
    >>> page, told = Chunk("1", "It is 16 percent."), Chunk("1", "Ridgeback, rate of interest: It is 16 percent.")
    >>> alone, with_line = (each.score("Ridgeback's rate", [page])[0] for each in (cross(), Told(cross(), [told])))
    >>> bool(alone < with_line)
    True
    """

    def __init__(self, reranker, told: list[Chunk]):
        self.reranker, self.told = reranker, {chunk.id: chunk for chunk in told}

    def __getattr__(self, name):
        if name in ("reranker", "told"):  # a copy in the making has neither yet
            raise AttributeError(name)
        found = getattr(self.reranker, name)
        return (lambda question, chunk: found(question, self._read(chunk))) if name == "explain" else found

    def score(self, question: str, chunks):
        """Return the reranker's scores of the texts that it is told."""
        return self.reranker.score(question, [self._read(chunk) for chunk in chunks])

    def _read(self, chunk):
        return self.told.get(getattr(chunk, "id", None), chunk)


def rungs(collection: Collection, encoder=None, reranker=None) -> list[Rung]:
    """Return the six rungs over a collection, each with its indexes built.

    `encoder` gives vectors to chunks and questions, by default MiniLM, whose vectors of Larkspur come with the course;
    `reranker` has score(question, chunks), by default `cross()`. A rung of your own is made from one of these:
    Rung("mine", rungs(collection)[1].pipeline.but(fuse=my_fuse)).
    """
    encoder = minilm() if encoder is None else encoder
    reranker = cross() if reranker is None else reranker
    words, meaning = BM25(collection.chunks), Dense(collection.chunks, encoder)
    first = Pipeline(collection.chunks, [words], rewrite=False, documents=collection.documents, depth=DEPTH, most=KEPT)
    hybrid = first.but(retrievers=[words, meaning])
    reranked = hybrid.but(rerank=reranker)
    told = contextualize(collection.chunks, collection.documents)
    situated = reranked.but(retrievers=[BM25(told), Dense(told, encoder)], rerank=Told(reranker, told))
    condensed = situated.but(rewrite=None)
    return [Rung("BM25", first), Rung("+ vectors, RRF", hybrid), Rung("+ reranker", reranked),
            Rung("+ chunking, context", situated), Rung("+ rewriting", condensed),
            Rung("+ filters", condensed, filtered=True)]


def climb(rungs: list[Rung], collection: Collection, split: str = "dev", progress=None) -> dict:
    """Walk every question of a half through every rung, and return what each rung brought and what each step changed.

    `split` is "dev", "held_out" or "all"; `progress(done, n)` is called after each trip. Returns {"queries": how many
    have evidence, "rows": {rung: what `row_of` gives}, "differences": {rung: {measure: as `compare.differences` has
    it, against the rung before}}, "by_kind": {rung: {kind: {"queries", "Recall@10", "nDCG@10", "right", "wrong"}}},
    "times": {rung: {"search": {"p50", "p95"}, "trip": the same}} in milliseconds, "lines": {rung: report line}, "each":
    {rung: {query id: what `judge` gives}}}. The first rung has no difference and no line. Raises ValueError without a
    rung, for two of one name, and where no question has evidence.
    """
    names = [rung.name for rung in rungs]
    if not names:
        raise ValueError("There is no rung to climb; give one or more, as rungs(collection) does.")
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"Two rungs have the name {twice[0]!r}; give each its own.")
    asked = [query for query in collection.queries if split in ("all", query.split)]
    if not any(query.evidence for query in asked):
        raise ValueError(f"No question of {collection.name} in {split!r} has evidence, so there is nothing to measure.")
    trips, walked = {}, 0
    for rung in rungs:
        trips[rung.name] = []
        for query in asked:
            trips[rung.name].append((query, rung.pipeline.run(query.text, query.history,
                                                              query.filter if rung.filtered else None)))
            walked += 1
            if progress:
                progress(walked, len(rungs) * len(asked))
    judged = {rung.name: judge(rung, trips[rung.name], collection) for rung in rungs}
    out = {"queries": len(judged[names[0]]["each"]), "rows": {name: row_of(judged[name]) for name in names},
           "differences": {}, "by_kind": {name: by_kind(judged[name]) for name in names},
           "times": {name: summary(milliseconds([trip for _, trip in trips[name]])) for name in names},
           "lines": {}, "each": {name: judged[name]["each"] for name in names}}
    for before, after in zip(names, names[1:], strict=False):
        out["differences"][after] = compare.differences(judged[before], judged[after], COMPARED)
        took = [milliseconds([trip for _, trip in trips[name]])["trip"] for name in (before, after)]
        ms = from_task("experiment.added", lambda took=took: experiment.added(*took), is_finite, "a finite number")
        out["lines"][after] = line_of(out, before, after, ms)
    return out


def judge(rung: Rung, trips: list[tuple], collection: Collection) -> dict:
    """Return what came of (query, trip) pairs: {"each", "kinds", "silent"}.

    "each" is {id: {"Recall@5", "Recall@10", "nDCG@10", "right": 1.0 or 0.0, "verdict": "right", "wrong" or "declined",
    "place": where it broke, by the failure tree, "" where it was right}} of the questions with evidence, "silent" {id
    of a question without: whether it was declined}.
    """
    chunks = list(rung.pipeline.chunks.values())
    documents = {document.id: document.text for document in collection.documents}
    pieces = [{"id": chunk.id, "document": chunk.document, "text": chunk.text} for chunk in chunks]
    own = [chunk.id for chunk in chunks] == [chunk.id for chunk in collection.chunks]
    out = {"each": {}, "kinds": {}, "silent": {}}
    for query, trip in trips:
        if not query.evidence:
            out["silent"][query.id] = not trip.answer.quotes
            continue
        known = own and query.id in collection.evidence
        evidence = collection.evidence[query.id] if known else find_evidence(query, chunks)
        shown, grades = experiment.pieces_shown(trip.ranked, evidence)
        said = verdict(query, trip.answer.quotes)
        place = "" if said == "right" else failure.diagnose(trip, query, documents, pieces, right=False).place
        out["kinds"][query.id] = query.kind
        out["each"][query.id] = {
            "Recall@5": metrics.recall_at_k(shown, grades, 5), "Recall@10": metrics.recall_at_k(shown, grades, 10),
            "nDCG@10": metrics.ndcg_at_k(shown, grades, 10), "right": float(said == "right"), "verdict": said,
            "place": place}
    return out


def row_of(judged: dict) -> dict:
    """Return the means of a rung: the measures, {"answers", "unanswerable", "failures": {place: count}}."""
    each, silent = judged["each"].values(), sum(judged["silent"].values())
    said, lost = [row["verdict"] for row in each], [row["place"] for row in each if row["place"]]
    return {**{name: sum(row[name] for row in each) / len(each) for name in MEASURES},
            "answers": {name: said.count(name) for name in ("right", "wrong", "declined")},
            "unanswerable": {"declined": silent, "answered": len(judged["silent"]) - silent},
            "failures": from_task("failure.tally", lambda: failure.tally(lost),
                                  lambda value: isinstance(value, dict) and sorted(value) == sorted(failure.PLACES),
                                  "a dict with a count for each of the five places")}


def by_kind(judged: dict) -> dict[str, dict]:
    """Return {kind: {"queries", "Recall@10", "nDCG@10", "right", "wrong"}}; a question without a kind is in none."""
    out = {}
    for kind in dict.fromkeys(kind for kind in judged["kinds"].values() if kind):
        rows = [row for id, row in judged["each"].items() if judged["kinds"][id] == kind]
        said = [row["verdict"] for row in rows]
        out[kind] = {"queries": len(rows), **{name: sum(row[name] for row in rows) / len(rows) for name in BY_KIND},
                     "right": said.count("right"), "wrong": said.count("wrong")}
    return out


def milliseconds(trips: list) -> dict[str, list[float]]:
    """Return {"search": how long each trip was on its way to the last ranked list, "trip": to the answer}."""
    searched = [[stage for stage in trip.stages if stage.name.split(":")[0] in STAGES[: STAGES.index("correct")]]
                for trip in trips]
    return {"search": [1000 * sum(stage.seconds for stage in stages) for stages in searched],
            "trip": [1000 * sum(stage.seconds for stage in trip.stages) for trip in trips]}


def summary(times: dict[str, list[float]]) -> dict[str, dict[str, float]]:
    """Return {"search": {"p50", "p95"}, "trip": ...} of lists of milliseconds."""
    return {name: {f"p{p}": experiment.percentile(values, p) for p in (50, 95)} for name, values in times.items()}


def line_of(measured: dict, before: str, after: str, added_ms: float | None = None) -> str:
    """Return the report line of one step, on Recall@10, from what `climb` returned."""
    step = measured["differences"][after]["Recall@10"]
    low, high = (round(step[name], 9) + 0.0 for name in ("low", "high"))  # an error of rounding is no difference
    means = [measured["rows"][name]["Recall@10"] for name in (before, after)]
    return from_task("experiment.report_line", lambda: experiment.report_line(
        measured["queries"], after.removeprefix("+ "), *means, low, high, added_ms),
        lambda value: isinstance(value, str), "a text")


def is_finite(value) -> bool:
    """Say whether this is a finite number.

    >>> is_finite(0.5), is_finite(None), is_finite(float("nan"))
    (True, False, False)
    """
    return isinstance(value, numbers.Real) and math.isfinite(value)
