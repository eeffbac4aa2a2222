"""Count where the evidence of Larkspur's questions is lost, and write notebooks/failures.json with the date.

    python tests/benchmarks/bench_failures.py

Lesson 07 quotes the figures. Fixed before the held-out half was asked: the tree (`evaluate/failure.py`), what counts as
right (`evaluate/answering.py`), the reader with all its settings, and the four pipelines below, none of which was
chosen by its result: the default one; two searches fused; the same with the course's reranker; and the default one over
windows of 50 words without overlap, so that borders run through quotes. A follow-up is condensed with its history;
nothing is filtered. No language model takes part. Every question that has an answer counts: one that is answered
rightly with all of its pieces on the desk is lost nowhere, one that is right by luck is lost at the place that is named
for it. "faults" counts, for each way to break a pipeline (`evaluate/breaking.py`), on how many of the dev questions
that were right before it struck, and how often the tree named its place.
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
from firstprinciples.encode.stored import minilm  # noqa: E402
from firstprinciples.evaluate import compare, faults  # noqa: E402
from firstprinciples.evaluate.answering import verdict  # noqa: E402
from firstprinciples.evaluate.experiment import bootstrap_interval, draw_resamples  # noqa: E402
from firstprinciples.evaluate.failure import PLACES, diagnose, surviving, tally  # noqa: E402
from firstprinciples.ingest.chunkers import by_words  # noqa: E402
from firstprinciples.pipeline import Pipeline  # noqa: E402
from firstprinciples.rank.cross_encoder import cross  # noqa: E402
from firstprinciples.retrieve.bm25 import BM25  # noqa: E402
from firstprinciples.retrieve.dense import Dense  # noqa: E402

TARGET = ROOT / "notebooks" / "failures.json"
HALVES = ("dev", "held_out")
SIZE = 50  # words of a window
COMPARED = ("right", "on the desk", "sound")


def pipelines(larkspur: Collection) -> dict[str, Pipeline]:
    """Return {name: pipeline}, each with its indexes built."""
    chunks, cut = larkspur.chunks, by_words(SIZE, 0)
    both = Pipeline(chunks, [BM25(chunks), Dense(chunks, minilm())])
    return {"BM25": Pipeline(chunks), "hybrid": both, "hybrid + reranker": both.but(rerank=cross()),
            f"BM25, {SIZE} words": Pipeline([chunk for document in larkspur.documents for chunk in cut(document)])}


def asked(pipeline: Pipeline, queries, documents: dict) -> list[tuple]:
    """Return (query, trip, diagnosis) for each query."""
    chunks = [{"id": chunk.id, "document": chunk.document, "text": chunk.text} for chunk in pipeline.chunks.values()]
    trips = [(query, pipeline.run(query.text, query.history)) for query in queries]
    return [(query, trip, diagnose(trip, query, documents, chunks)) for query, trip in trips]


def counted(walked: list[tuple]) -> dict:
    """Return how many questions were right, wrong and declined, and where those not right, and the lucky, were lost."""
    said = [verdict(query, trip.answer.quotes) for query, trip, _ in walked]
    return {"queries": len(walked), **{name: said.count(name) for name in ("right", "wrong", "declined")},
            "failures": tally([found.place for _, _, found in walked if not found.right]),
            "luck": tally([found.place for _, _, found in walked if found.luck])}


def row(walked: list[tuple]) -> dict:
    """Return all figures of one pipeline on the questions of one half that have an answer."""
    kinds = dict.fromkeys(query.kind for query, _, _ in walked)
    places = [found.place for _, _, found in walked]
    return {**counted(walked), "alive": surviving(places),
            "lucky, with a piece on the desk": sum(found.luck and any(
                piece.place == "generation" for piece in found.pieces) for _, _, found in walked),
            "intervals": {**{place: interval(lost == place for lost in places) for place in PLACES},
                          "right": interval(found.right for _, _, found in walked),
                          "sound": interval(lost == "" for lost in places)},
            "kinds": {kind: counted([each for each in walked if each[0].kind == kind]) for kind in kinds},
            "each": each_of(walked)}


def each_of(walked: list[tuple]) -> list[str]:
    """Return what became of each question: the place, "luck, " before it where the answer was right, "" for none."""
    return [f"{'luck, ' if found.luck else ''}{found.place}" for _, _, found in walked]


def interval(values) -> list[float]:
    """Return the mean of 0s and 1s, one a question, and its 95 % interval."""
    values = [float(value) for value in values]
    return [float(np.mean(values)), *bootstrap_interval(values, draw_resamples(len(values)))]


def scores(walked: list[tuple]) -> dict:
    """Return what `compare.differences` takes: whether each question was right, had all on the desk, and both."""
    return {"each": {query.id: {"right": float(found.right), "sound": float(found.place == ""),
                                "on the desk": float(found.place in ("", "generation"))} for query, _, found in walked}}


def half(larkspur: Collection, ways: dict, split: str, progress=print) -> dict:
    """Return all figures of one half: those of each pipeline, and how far each is from the first."""
    documents = {document.id: document.text for document in larkspur.documents}
    here = [query for query in larkspur.queries if query.split == split]
    out = {"queries": sum(bool(query.evidence) for query in here), "pipelines": {}, "unanswerable": {},
           "differences": {}}
    first = None
    for name, pipeline in ways.items():
        walked = asked(pipeline, here, documents)
        has = [each for each in walked if each[0].evidence]
        silent = sum(found.right for query, _, found in walked if not query.evidence)
        out["pipelines"][name] = row(has)
        out["unanswerable"][name] = {"declined": silent, "answered": len(here) - len(has) - silent}
        if first is not None:
            out["differences"][name] = compare.differences(first, scores(has), COMPARED)
        first = first or scores(has)
        progress(f"{split}, {name}: {out['pipelines'][name]['failures']}")
    return out


def injected(most: int | None = None) -> dict:
    """Return {place: {kind: {"questions", "struck", "named", "right all the same"}}}, on all or the first questions."""
    right = list(faults.right_before())[:most]
    out = {place: {} for place in PLACES}
    for place, kinds in faults.KINDS.items():
        for kind in kinds:
            cases = [case for case in (faults.attempt(place, kind, id) for id in right) if case]
            found = [diagnose(case.trip, case.query, case.documents, case.chunks) for case in cases]
            out[place][kind] = {"questions": len(right), "struck": len(cases),
                                "named": sum(each.place == place for each in found),
                                "right all the same": sum(each.right for each in found)}
    return out


def main() -> None:
    """Measure and write the file."""
    larkspur = Collection.load("larkspur")
    ways = pipelines(larkspur)
    report = {"date": datetime.date.today().isoformat(), "python": platform.python_version(), "numpy": np.__version__,
              "command": "python tests/benchmarks/bench_failures.py", "pipelines": list(ways),
              **{split: half(larkspur, ways, split) for split in HALVES}, "faults": injected()}
    TARGET.write_text(json.dumps(rounded(report), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    main()
