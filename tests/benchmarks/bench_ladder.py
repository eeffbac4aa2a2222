"""Measure the ladder of `evaluate/ladder.py` on Larkspur's questions, and write notebooks/ladder.json with the date.

    python tests/benchmarks/bench_ladder.py               all figures but the times, which stay
    python tests/benchmarks/bench_ladder.py --dev         only the dev half, to choose by; nothing is written
    python tests/benchmarks/bench_ladder.py --times       only the times, the rest stays

Lesson 19 quotes the figures. No model takes part but MiniLM, whose vectors come with the course, and the course's own
cross-encoder. Fixed before the held-out half was measured: the rungs and their order, what stands in the fourth (by the
rule below, on dev), the k of the sweep, the grid of the two dials. What counts as right is in `evaluate/answering.py`,
where it broke in `evaluate/failure.py`. Run --times alone on a quiet machine.
"""

import datetime
import json
import platform
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
from figures import rounded  # noqa: E402

from firstprinciples.corpus import Collection  # noqa: E402
from firstprinciples.evaluate import experiment  # noqa: E402
from firstprinciples.evaluate.answering import verdict  # noqa: E402
from firstprinciples.evaluate.compare import differences  # noqa: E402
from firstprinciples.evaluate.cut import with_chunks  # noqa: E402
from firstprinciples.evaluate.experiment import pieces_shown  # noqa: E402
from firstprinciples.evaluate.ladder import COMPARED, MEASURES, Rung, Told, climb, judge, line_of, row_of, rungs  # noqa: E402
from firstprinciples.evaluate.ladder import milliseconds as taken  # noqa: E402
from firstprinciples.ingest import chunkers  # noqa: E402
from firstprinciples.ingest.contextual import contextualize  # noqa: E402
from firstprinciples.pipeline import Pipeline  # noqa: E402
from firstprinciples.rank.cross_encoder import cross  # noqa: E402
from firstprinciples.retrieve.parents import Parents  # noqa: E402

TARGET = ROOT / "notebooks" / "ladder.json"
HALVES = ("dev", "held_out")
KS = (1, 3, 5, 10, 20, 50)
WAYS = {"hybrid": "+ vectors, RRF", "hybrid + reranker": "+ reranker"}  # what the k sweep is made of
ROOMY = 100_000  # a budget that cuts nothing
WORDS = 500  # in which the evidence should stand, as in lesson 09
RULE = (f"On dev, the way whose ranked lists show the most evidence in their first {WORDS} words, counted as in lesson "
        "09: chunks are handed over whole and in order, until the next one would not fit.")
SIZES, HANDED, TOKENS = (25, 50, 100, 200, 400), (1, 2, 3, 5, 10, 20), 1000  # the two dials, and the budget
REPEATS, EVERY = 3, 3  # of the times: each trip so often, the quickest counts; every third question


def trips_of(rung: Rung, collection: Collection, split: str) -> list[tuple]:
    """Return (query, trip) for each question of a half."""
    return [(query, rung.pipeline.run(query.text, query.history, query.filter if rung.filtered else None))
            for query in collection.queries if query.split == split]


def half(ladder: list[Rung], larkspur: Collection, split: str) -> dict:
    """Return the figures of the rungs on one half, as `climb` gives them, without times, and what the top lacks.

    "whole" is how far the last rung is from the first. "left_out" has, for each step, the last rung without that step
    alone: its row, and how far the whole last rung is from it. "each" has one line a question, in their order.
    """
    measured, names = climb(ladder, larkspur, split), [rung.name for rung in ladder]
    last = {"each": measured["each"][names[-1]]}
    out = {**{name: measured[name] for name in ("queries", "rows", "differences", "by_kind")}, "left_out": {},
           "whole": differences({"each": measured["each"][names[0]]}, last, COMPARED)}
    for rung in tops(ladder):
        judged = judge(rung, trips_of(rung, larkspur, split), larkspur)
        out["left_out"][rung.name] = {"row": row_of(judged), "differences": differences(judged, last, COMPARED)}
    return out | {"each": {name: [said_of(row) for row in rows.values()] for name, rows in measured["each"].items()}}


def tops(ladder: list[Rung]) -> list[Rung]:
    """Return the last rung five times, each without one of the steps, and with the name of that step."""
    names, top = [rung.name for rung in ladder], ladder[-1].pipeline
    words, _ = top.retrievers.values()
    plain = ladder[2].pipeline
    without = (top.but(retrievers=[words]), top.but(rerank=None),
               top.but(retrievers=list(plain.retrievers.values()), rerank=plain.rerank), top.but(rewrite=False), top)
    return [Rung(name, pipeline, filtered=name != names[-1])
            for name, pipeline in zip(names[1:], without, strict=True)]


def said_of(row: dict) -> str:
    """Return what came of one question as a line: three measures, the verdict, and where it broke."""
    return " ".join([*(f"{row[name]:.6f}" for name in MEASURES), row["verdict"], row["place"]]).rstrip()


# ---- what stands in the fourth rung: dev alone

def choices(ladder: list[Rung], larkspur: Collection) -> dict:
    """Return {"rule", "chosen", "rows": {way: figures}} of the ways to cut and to add context, on dev.

    In "sections" the paragraphs are searched and the sections that they stand in are handed over, which the reranker
    reads; with "best paragraph" it reads the section's paragraphs with their lines, and the best counts.
    """
    hybrid, reranked, situated = (rung.pipeline for rung in ladder[1:4])
    told = contextualize(larkspur.chunks, larkspur.documents)
    _, sections, section_of = chunkers.gather(larkspur.documents, chunkers.parent_child())
    above = {name: [Parents(each, sections, section_of) for each in pipeline.retrievers.values()]
             for name, pipeline in (("plain", hybrid), ("lines", situated))}
    lines = Told(cross(), contextualize(sections, larkspur.documents))
    ways = {"paragraphs": reranked,
            "paragraphs, a line for the search": situated.but(rerank=cross()),
            "paragraphs, a line for search and reranker": situated,
            "sections": reranked.but(chunks=sections, retrievers=above["plain"]),
            "sections, a line for search and reranker":
                reranked.but(chunks=sections, retrievers=above["lines"], rerank=lines),
            "sections, a line, best paragraph":
                reranked.but(chunks=sections, retrievers=above["lines"],
                             rerank=BestOf(cross(), told, section_of))}
    rows = {name: chosen_by(pipeline, larkspur) for name, pipeline in ways.items()}
    best = max(rows, key=lambda name: rows[name][f"evidence in {WORDS} words"])
    return {"rule": RULE, "chosen": best, "rows": rows,
            "without reranker": {name: chosen_by(ways[name].but(rerank=None), larkspur)
                                 for name in ("paragraphs", "paragraphs, a line for search and reranker",
                                              "sections, a line for search and reranker")}}


class BestOf:
    """A reranker that reads the paragraphs of a section, each with its line: the best one is the section's score."""

    name = "cross"

    def __init__(self, reranker, told, section_of: dict[str, str]):
        self.reranker, self.parts = reranker, {}
        for chunk in told:
            self.parts.setdefault(section_of[chunk.id], []).append(chunk.text)

    def score(self, question: str, chunks) -> list[float]:
        """Return the best score among the paragraphs of each section."""
        parts = [self.parts[chunk.id] for chunk in chunks]
        scores = iter(self.reranker.score(question, [text for texts in parts for text in texts]))
        return [max(float(next(scores)) for _ in texts) for texts in parts]


def chosen_by(pipeline: Pipeline, larkspur: Collection) -> dict:
    """Return what is looked at to choose by: evidence in so many words, metrics, answers, words handed over."""
    chunks = list(pipeline.chunks.values())
    cut = with_chunks(larkspur, chunks)
    trips = [each for each in trips_of(Rung("way", pipeline), cut, "dev") if each[0].evidence]
    length = {chunk.id: len(chunk.text.split()) for chunk in chunks}
    early, handed, recall, ndcg, said = [], [], [], [], []
    for query, trip in trips:
        evidence, n, words = cut.evidence[query.id], 0, 0
        while n < len(trip.ranked) and words + length[trip.ranked[n]] <= WORDS:
            words, n = words + length[trip.ranked[n]], n + 1
        shown, grades = pieces_shown(trip.ranked[:n], evidence)
        early.append(sum(piece in grades for piece in shown) / len(grades))
        values = experiment.measure(trip.ranked, evidence)
        recall.append(values["Recall@10"])
        ndcg.append(values["nDCG@10"])
        handed.append(sum(len(source["text"].split()) for source in trip.context))
        said.append(verdict(query, trip.answer.quotes))
    return {f"evidence in {WORDS} words": np.mean(early), "Recall@10": np.mean(recall), "nDCG@10": np.mean(ndcg),
            **{name: said.count(name) for name in ("right", "wrong", "declined")}, "words on the desk": np.mean(handed)}


# ---- how many chunks are handed over

def sweep(ladder: list[Rung], larkspur: Collection, split: str) -> dict:
    """Return {way: {k: what k chunks on the desk come to}}: one list a question, and the desk laid anew for each k.

    "recall" is the share of all pieces that the first k chunks hold, "tokens" are those of the prompt.
    """
    out, by_name = {}, {rung.name: rung for rung in ladder}
    for way, name in WAYS.items():
        rung, out[way] = by_name[name], {}
        trips = trips_of(rung, larkspur, split)
        recall = {query.id: experiment.k_sweep(trip.ranked, larkspur.evidence[query.id], list(KS))
                  for query, trip in trips if query.evidence}
        for k in KS:
            desk = rung.pipeline.but(most=k, several=k, budget=ROOMY)
            again = [(query, desk.replay(trip, "rerank")) for query, trip in trips]
            out[way][str(k)] = {"recall": np.mean([each[k] for each in recall.values()]), **of_desk(again)}
    return out


def of_desk(trips: list[tuple]) -> dict:
    """Return the tokens of a prompt, on average, and how often it was right, wrong, declined, or answered in vain."""
    said = [verdict(query, trip.answer.quotes) for query, trip in trips if query.evidence]
    return {"tokens": np.mean([prompt_tokens(trip) for _, trip in trips]),
            **{name: said.count(name) for name in ("right", "wrong", "declined")},
            "unanswerable_answered": sum(bool(trip.answer.quotes) for query, trip in trips if not query.evidence)}


def prompt_tokens(trip) -> int:
    """Return how many tokens the prompt of a trip has, from the note of its desk."""
    return int(trip.stage("desk").note.split(" tokens")[0].split()[-1].replace(",", ""))


# ---- two dials: dev alone, BM25 alone, so that no vector is needed

def dials(larkspur: Collection) -> dict:
    """Return the grid of words a chunk and chunks handed over, within a budget of tokens.

    Documents are cut between sentences, and a chunk is as many of them as fit into its words. "recall" is the share of
    the pieces that a chunk on the desk holds.
    """
    grid = {}
    for size in SIZES:
        chunks = [chunk for document in larkspur.documents for chunk in chunkers.by_sentences(size)(document)]
        cut = with_chunks(larkspur, chunks)
        pipeline = Pipeline(chunks, rewrite=False, documents=larkspur.documents, budget=TOKENS)
        trips = trips_of(Rung("dials", pipeline), cut, "dev")
        grid[str(size)] = {}
        for k in HANDED:
            again = [(query, pipeline.but(most=k, several=k).replay(trip, "merge")) for query, trip in trips]
            recall = [experiment.k_sweep([source["id"] for source in trip.context],
                                         cut.evidence[query.id], [k])[k] for query, trip in again if query.evidence]
            grid[str(size)][str(k)] = {"recall": np.mean(recall), **of_desk(again)}
    return {"names": ["words a chunk", "chunks handed over"], "outer": list(SIZES), "inner": list(HANDED),
            "tokens": TOKENS, "split": "dev", "queries": len(recall), "grid": grid}


# ---- times

def times(ladder: list[Rung], larkspur: Collection) -> dict:
    """Return milliseconds of the search and of the whole trip: of each question the quickest of several trips.

    And what each step added to the p95 of the trip. The vectors of Larkspur's questions are looked up, not made.
    """
    asked, quickest = larkspur.queries[::EVERY], {}
    for rung in ladder:
        quickest[rung.name] = {"search": [], "trip": []}
        for query in asked:
            where = query.filter if rung.filtered else None
            runs = taken([rung.pipeline.run(query.text, query.history, where) for _ in range(REPEATS)])
            for name, values in runs.items():
                quickest[rung.name][name].append(min(values))
    steps = zip(ladder, ladder[1:], strict=False)
    return {"date": datetime.date.today().isoformat(), "questions": len(asked),
            "rungs": {name: {part: {f"p{p}": round(experiment.percentile(values, p), 2) for p in (50, 95)}
                             for part, values in parts.items()} for name, parts in quickest.items()},
            "added": {after.name: round(experiment.added(quickest[before.name]["trip"], quickest[after.name]["trip"]),
                                        2) for before, after in steps}}


def with_lines(report: dict) -> dict:
    """Return the report with the line of each step, its milliseconds from "times" of the same file."""
    for split in HALVES:
        if split in report:
            report[split]["lines"] = {after: line_of(report[split], before, after, report["times"]["added"][after])
                                      for before, after in zip(report["rungs"], report["rungs"][1:], strict=False)}
    return report


def main(argument: str = "") -> None:
    """Measure and write the file."""
    larkspur = Collection.load("larkspur")
    ladder = rungs(larkspur)
    if argument == "--dev":
        print(json.dumps(rounded({"choices": choices(ladder, larkspur), "dev": half(ladder, larkspur, "dev"),
                                  "k": sweep(ladder, larkspur, "dev"), "dials": dials(larkspur)}), indent=1))
        return
    old = json.loads(TARGET.read_text(encoding="utf-8")) if TARGET.exists() else {}
    if argument == "--times":
        report = old | {"times": times(ladder, larkspur)}
    else:
        report = {"date": datetime.date.today().isoformat(), "python": platform.python_version(),
                  "numpy": np.__version__, "command": "python tests/benchmarks/bench_ladder.py",
                  "rungs": [rung.name for rung in ladder], "choices": choices(ladder, larkspur),
                  **{split: half(ladder, larkspur, split) for split in HALVES}, "dials": dials(larkspur)}
        swept = {split: sweep(ladder, larkspur, split) for split in HALVES}
        report["k"] = {way: {split: swept[split][way] for split in HALVES} for way in WAYS}
        report["times"] = old.get("times") or times(ladder, larkspur)
    TARGET.write_text(json.dumps(with_lines(rounded(report)), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 2 or (len(sys.argv) == 2 and sys.argv[1] not in ("--dev", "--times")):
        sys.exit(__doc__)
    main(*sys.argv[1:])
