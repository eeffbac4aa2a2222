"""Measure the reader of `generate/reader.py` on Larkspur's questions, and write notebooks/answers.json with the date.

    python tests/benchmarks/bench_answers.py               all figures
    python tests/benchmarks/bench_answers.py --times       only the times, the rest stays

Lesson 18 quotes the figures. Fixed before the held-out half was measured: what counts as right, in
`evaluate/answering.py`, the reader with all its settings, and the rule for its threshold. A follow-up is condensed with
its history; nothing is filtered. No model takes part but MiniLM, for the search by meaning, whose vectors come with the
course. "order" also has figures that are derived and not measured: what the published curve of lesson 01 says of the
places at which the evidence stands. Run --times alone on a quiet machine.
"""

import datetime
import json
import platform
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
from figures import rounded  # noqa: E402

from firstprinciples.corpus import Collection  # noqa: E402
from firstprinciples.encode.stored import minilm  # noqa: E402
from firstprinciples.evaluate.answering import answer_all, counts, holders, verdict  # noqa: E402
from firstprinciples.evaluate.experiment import bootstrap_interval, draw_resamples, percentile  # noqa: E402
from firstprinciples.generate import reader as reading  # noqa: E402
from firstprinciples.generate.answer import declining, risk_coverage  # noqa: E402
from firstprinciples.generate.context import LOST, ORDERS, along  # noqa: E402
from firstprinciples.generate.reader import Reader  # noqa: E402
from firstprinciples.generate.ways import condense  # noqa: E402
from firstprinciples.rank.fusion import Hybrid  # noqa: E402
from firstprinciples.retrieve.bm25 import BM25  # noqa: E402
from firstprinciples.retrieve.dense import Dense  # noqa: E402

TARGET = ROOT / "notebooks" / "answers.json"
HALVES, SEARCHES = ("dev", "held_out"), ("BM25", "hybrid")
KS = (1, 3, 5, 10, 20)
BUDGETS = (250, 500, 1000, 2000)  # tokens for the pages of a prompt; 20 chunks of Larkspur take about 1,900
ROOMY = 100_000  # a budget that cuts nothing
RULE = ("The lowest threshold at which, on dev, with the hybrid's five best chunks, at most half of the answers given "
        "are wrong, those to unanswerable questions among them; rounded up to three digits.")


class Setting:
    """Larkspur, the texts that are looked for, and what each search finds for them, 20 chunks."""

    def __init__(self, larkspur: Collection, queries=None):
        self.larkspur, self.chunks = larkspur, {chunk.id: chunk for chunk in larkspur.chunks}
        self.queries = list(larkspur.queries if queries is None else queries)
        self.texts = {query.id: condense(query.text, query.history).texts[0] for query in self.queries}
        words, meaning = BM25(larkspur.chunks), Dense(larkspur.chunks, minilm())
        ways = {"BM25": words, "hybrid": Hybrid([words, meaning])}
        self.found = {name: {query.id: [hit.id for hit in way.search(self.texts[query.id], max(KS))]
                             for query in self.queries} for name, way in ways.items()}

    def trips(self, search: str, split: str, reader: Reader, **desk) -> list[tuple]:
        """Return (query, context, answer) for each question of a half."""
        half = [query for query in self.queries if query.split == split]
        return answer_all(reader, half, self.texts, self.found[search], self.chunks, **desk)


def readers(larkspur: Collection, **settings) -> tuple[Reader, Reader]:
    """Return the reader as it is by default, and one that never declines."""
    return Reader(larkspur.chunks, **settings), Reader(larkspur.chunks, threshold=0, **settings)


def interval(values) -> list[float]:
    """Return the mean of 0s and 1s, one a question, and its 95 % interval."""
    values = [float(value) for value in values]
    return [float(np.mean(values)), *bootstrap_interval(values, draw_resamples(len(values)))]


def half(setting: Setting, search: str, split: str) -> dict:
    """Return all figures of the default pipeline on one half of the questions."""
    careful, reckless = readers(setting.larkspur)
    trips, all_answered = setting.trips(search, split, careful), setting.trips(search, split, reckless)
    confidence = [answer.confidence for _, _, answer in all_answered]
    right = [verdict(query, answer.quotes) == "right" for query, _, answer in all_answered]
    answerable = [bool(query.evidence) for query, _, _ in all_answered]
    has = [(query, answer) for query, _, answer in trips if query.evidence]
    given = [verdict(query, answer.quotes) == "right" for query, _, answer in trips if answer.quotes]
    kinds = dict.fromkeys(query.kind for query, _, _ in trips)
    return {"counts": counts(trips),
            "intervals": {
                **{name: interval(verdict(query, answer.quotes) == name for query, answer in has)
                   for name in ("right", "wrong", "declined")},
                "unanswerable declined": interval(not answer.quotes for query, _, answer in trips
                                                  if not query.evidence),
                "right of those given": interval(given)},
            "by_kind": {kind: counts([trip for trip in trips if trip[0].kind == kind])[
                "unanswerable" if kind == "unanswerable" else "answerable"] for kind in kinds},
            "curve": [[*row, *declining([sure >= row[0] for sure in confidence], answerable)]
                      for row in risk_coverage(confidence, right)],
            "rows": [[query.kind, sure, good if query.evidence else None, bool(query.evidence)]
                     for (query, _, _), sure, good in zip(all_answered, confidence, right, strict=True)]}


def dev_lines(setting: Setting, rows: list) -> list:
    """Return the rows of dev with the question's id before them, and the line that would be the answer behind them."""
    trips = setting.trips("hybrid", "dev", readers(setting.larkspur)[1])
    return [[query.id, *row, answer.text] for (query, _, answer), row in zip(trips, rows, strict=True)]


def several_lines(setting: Setting) -> dict:
    """Return what 1, 2 and 3 lines an answer come to: {most: {half: counts, lines quoted, lines that are right}}."""
    out = {}
    for most in (1, 2, 3):
        careful = Reader(setting.larkspur.chunks, most=most)
        out[str(most)] = {}
        for split in HALVES:
            trips = setting.trips("hybrid", split, careful)
            lines = [verdict(query, [quote]) for query, _, answer in trips for quote in answer.quotes]
            out[str(most)][split] = counts(trips)["answerable"] | {"lines": len(lines),
                                                                  "right_lines": lines.count("right")}
    return out


def sweep(setting: Setting) -> dict:
    """Return, for each search and half, what 1 to 20 chunks on the desk come to."""
    careful, reckless = readers(setting.larkspur)
    out = {}
    for search in SEARCHES:
        out[search] = {split: {} for split in HALVES}
        for split in HALVES:
            for k in KS:
                trips = setting.trips(search, split, careful, most=k, budget=ROOMY)
                has, lacks = counts(trips)["answerable"], counts(trips)["unanswerable"]
                never = counts(setting.trips(search, split, reckless, most=k, budget=ROOMY))["answerable"]
                out[search][split][str(k)] = {
                    "evidence": has["on_desk"] / has["n"], "tokens": np.mean([desk.tokens for _, desk, _ in trips]),
                    **{name: has[name] for name in ("right", "wrong", "declined")},
                    "unanswerable_answered": lacks["answered"], "right_if_reckless": never["right"]}
    return out


def orders(setting: Setting) -> dict:
    """Return what a budget cuts from 20 chunks of the hybrid, and what the published curve says of each order.

    "expected" is a mean over the questions with evidence on the desk: of the best place at which it stands, the
    accuracy that the curve gives for that place, of the published curve whose number of pages is nearest.
    """
    reckless = readers(setting.larkspur)[1]
    out = {split: {} for split in HALVES}
    for split in HALVES:
        for budget in (*BUDGETS, ROOMY):
            row = {"expected": {}}
            for order in ORDERS:
                trips = [(query, desk) for query, desk, _ in setting.trips("hybrid", split, reckless, most=max(KS),
                                                                          budget=budget, order=order) if query.evidence]
                expected = []
                for query, desk in trips:
                    n, places = len(desk.sources), holders(query, desk)
                    if places:
                        curve = LOST[min(LOST, key=lambda pages: (abs(pages - n), pages))]
                        expected.append(max(along(curve, place, n) for place in places))
                row |= {"pages": np.mean([len(desk.sources) for _, desk in trips]),
                        "tokens": np.mean([desk.tokens for _, desk in trips]), "kept": len(expected) / len(trips)}
                row["expected"][order] = np.mean(expected)
            out[split]["all" if budget == ROOMY else str(budget)] = row
    return out


def times(setting: Setting, repeats: int = 3) -> dict:
    """Return milliseconds for reading 5 and 20 chunks, p50 and p95 over every third question, the quickest of three."""
    careful, asked = readers(setting.larkspur)[0], setting.queries[::3]
    out = {"date": datetime.date.today().isoformat(), "questions": len(asked)}
    for k in (5, 20):
        quickest = []
        for query in asked:
            taken = []
            for _ in range(repeats):
                (_, desk, _), = answer_all(careful, [query], setting.texts, setting.found["hybrid"], setting.chunks, k,
                                           ROOMY)
                start = time.perf_counter()
                careful.read(setting.texts[query.id], desk, query.text)
                taken.append(time.perf_counter() - start)
            quickest.append(min(taken))
        out[f"{k} chunks"] = {f"p{p}": round(1000 * percentile(quickest, p), 2) for p in (50, 95)}
    start = time.perf_counter()
    Reader(setting.larkspur.chunks)
    return out | {"counting words": round(1000 * (time.perf_counter() - start), 1)}


def main(argument: str = "") -> None:
    """Measure and write the file."""
    setting = Setting(Collection.load("larkspur"))
    if argument == "--times":
        report = json.loads(TARGET.read_text(encoding="utf-8")) | {"times": times(setting)}
    else:
        report = {"date": datetime.date.today().isoformat(), "python": platform.python_version(),
                  "numpy": np.__version__, "command": "python tests/benchmarks/bench_answers.py",
                  "queries": len(setting.queries), "threshold": reading.THRESHOLD, "doubt": reading.DOUBT, "rule": RULE,
                  **{split: half(setting, "hybrid", split) for split in HALVES},
                  "BM25": {split: half(setting, "BM25", split) for split in HALVES},
                  "lines": several_lines(setting), "k": sweep(setting), "order": orders(setting)}
        report["dev"]["rows"] = dev_lines(setting, report["dev"]["rows"])
        report["times"] = times(setting)
    TARGET.write_text(json.dumps(rounded(report), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 2 or (len(sys.argv) == 2 and sys.argv[1] != "--times"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
