"""Measure the grader and the corrective pipeline on the clocks, and write notebooks/corrective.json with the date.

    python tests/benchmarks/bench_corrective.py --dev       prints the figures of the dev half and writes nothing
    python tests/benchmarks/bench_corrective.py             both halves, and the file
    python tests/benchmarks/bench_corrective.py --times     only the times, the rest of the file stays

Lesson 17 quotes the figures. Everything was settled on the dev half: its 80 passages with one reference left out at a
time, its 22 questions. The held-out half was measured once, after that. All is graded by rules, no language model is
asked, and all vectors come with the course, so that a test computes the file anew.

Each half is a world of its own: its passages, its references, its questions. A question goes to BM25 and MiniLM,
fused; the reference of a passage or a question is what MiniLM finds first; the wider scope is Larkspur, by BM25. What
is on the desk goes to the reader of lesson 18, the same in all pipelines. What it quotes first is the answer: true if
that passage is aligned and judged to bear on the question, or if it is one of the question's references; false if it
contradicts; off the point if it is anything else; declined if nothing is quoted. "reckless" is the same with a reader
that quotes its best line however unsure it is, so that it declines only where its desk is empty. Run --times alone on a
quiet machine.
"""

import datetime
import json
import sys
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
from figures import milliseconds, rounded  # noqa: E402

from firstprinciples.corpus import Collection, references  # noqa: E402
from firstprinciples.encode.stored import minilm  # noqa: E402
from firstprinciples.evaluate.experiment import bootstrap_interval, draw_resamples, percentile  # noqa: E402
from firstprinciples.generate import grader  # noqa: E402
from firstprinciples.generate.correcting import ACTIONS, MINIMUM, THRESHOLD, Corrective  # noqa: E402
from firstprinciples.generate.corrective import LABELS, chance, per_label, told_apart, verdict  # noqa: E402
from firstprinciples.generate.grader import Grade, grade  # noqa: E402
from firstprinciples.generate.reader import Reader  # noqa: E402
from firstprinciples.rank.fusion import Hybrid  # noqa: E402
from firstprinciples.retrieve.bm25 import BM25  # noqa: E402
from firstprinciples.retrieve.dense import Dense  # noqa: E402

TARGET = ROOT / "notebooks" / "corrective.json"
K = 5  # candidates that are graded first, and pages on the desk
THRESHOLDS, MINIMUMS = (0.0, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0), (0, 1, 2, 3)
OUTCOMES = ("true", "false", "off", "declined")
RESTRICTED = {  # which of the five actions each pipeline may take
    "corrective": ACTIONS,
    "filter alone": (),
    "without the verified reference": ACTIONS[:-1],
    "without a trusted source": tuple(action for action in ACTIONS if action != ACTIONS[2]),
    "without any reference": tuple(action for action in ACTIONS if action not in (ACTIONS[2], ACTIONS[4])),
}


class Half:
    """One half of the clocks: passages, references, questions, and the searches over them."""

    def __init__(self, split: str):
        clocks = Collection.load("clocks")
        self.split = split
        self.chunks = [chunk for chunk in clocks.chunks if chunk.metadata["split"] == split]
        self.references = {each.id: each for each in references() if each.metadata["split"] == split}
        self.queries = [query for query in clocks.queries if query.split == split]
        self.qrels, self.by_id = clocks.qrels, {chunk.id: chunk for chunk in self.chunks}
        self.about = {chunk.id: chunk.metadata for chunk in self.chunks}
        words, meaning = BM25(self.chunks), Dense(self.chunks, minilm())
        self.searches = {"BM25": words, "MiniLM": meaning, "hybrid": Hybrid([words, meaning])}
        self.search, self.lookup = self.searches["hybrid"], Dense(list(self.references.values()), minilm())
        other = Collection.load("larkspur").chunks
        self.wider = BM25(other)
        self.desk = self.by_id | {chunk.id: chunk for chunk in other}
        self.blind = [replace(chunk, metadata={}) for chunk in self.desk.values()]  # what a pipeline gets to see
        readers = {"careful": Reader(self.chunks), "reckless": Reader(self.chunks, threshold=0)}
        self.read = cache(lambda reader, question, ids: readers[reader].read(question, [self.source(id) for id in ids]))
        self.graded = cache(lambda chunk, reference: grade(self.desk[chunk], self.references[reference]))
        self.found = {chunk.id: self.corrective().reference_of(chunk.text) for chunk in self.chunks}

    def source(self, id: str) -> dict:
        """Return a chunk or a reference as a source on the desk, under a name that says nothing."""
        text = self.references[id].text if id in self.references else self.desk[id].text
        return {"id": id, "document": "page", "page": 1, "text": text}

    def corrective(self, perfect: bool = False, **settings) -> Corrective:
        """Return a pipeline over this half; a perfect grader says what the label says, of the right reference."""
        def right(chunk, reference):
            about = self.about.get(chunk.id, {"label": "uncertain", "reference": ""})
            return Grade(about["label"] if about["reference"] == reference.id else "uncertain", 1.0, "the label")

        return Corrective(self.search, list(self.references.values()), self.blind, wider=self.wider, lookup=self.lookup,
                          grader=right if perfect else lambda chunk, reference: self.graded(chunk.id, reference.id),
                          **settings)


def main():
    """Measure, print, write."""
    if "--times" in sys.argv:
        report = json.loads(TARGET.read_text(encoding="utf-8")) | {"times": times(Half("held_out"))}
        TARGET.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
        return
    report = {"date": datetime.date.today().isoformat(), "command": "python tests/benchmarks/bench_corrective.py",
              "threshold": THRESHOLD, "minimum": MINIMUM, "k": K}
    for split in ("dev",) if "--dev" in sys.argv else ("dev", "held_out"):
        report[split] = measured(Half(split))
        print(split, json.dumps({key: value for key, value in report[split].items()
                                 if not key.startswith("passages")}, indent=1))
    if "--dev" not in sys.argv:
        report["times"] = times(Half("held_out"))
        TARGET.write_text(json.dumps(rounded(report), indent=1) + "\n", encoding="utf-8")
        print(f"Written: {TARGET}")


def measured(half: Half, *dials) -> dict:
    """Return all figures of one half; `dials` are other thresholds and minimums than those of the sweep."""
    right = [chunk.metadata["reference"] for chunk in half.chunks]
    found = [half.found[chunk.id] for chunk in half.chunks]
    true = [chunk.metadata["label"] for chunk in half.chunks]
    own, other = chances_of(half, right), chances_of(half, found)
    alone = by_relevance(half, right)
    out = {"shares": {label: share(one == label for one in true) for label in LABELS},
           "passages": rows(true, own), "passages_found": rows(true, other),
           "found_right": share(one == two for one, two in zip(right, found, strict=True)),
           "questions_found_right": questions_found(half), "chance": chance(true),
           "grader": {"right reference": graded(true, own), "found reference": graded(true, other),
                      "relevance alone": graded(true, alone)},
           "more_than": {"chance": more_than(true, own), "relevance alone": more_than(true, own, alone)},
           "pairs": pairs(half, own), "relevance": overlap(half)}
    return {**out, **pipelines(half, *dials)}


# The grader


def chances_of(half: Half, against: list[str]) -> list[dict[str, float]]:
    """Return the chances of the labels for each passage, compared with the reference of this id.

    On the dev half the weights are learned anew without the passages of the passage's own reference.
    """
    found = [grader.signs(chunk.text, half.references[id].text) for chunk, id in zip(half.chunks, against, strict=True)]
    if half.split != "dev":
        return [grader.chances(each) for each in found]
    groups = [chunk.metadata["reference"] for chunk in half.chunks]
    seen = [grader.signs(chunk.text, half.references[id].text) for chunk, id in zip(half.chunks, groups, strict=True)]
    numbers = np.array([grader.row(each) for each in seen])
    claims = np.array([chunk.metadata["label"] != "uncertain" for chunk in half.chunks], dtype=float)
    out = [{}] * len(found)
    for group in sorted(set(groups)):
        others = np.array([each != group for each in groups])
        base, weights = grader.learn(numbers[others], claims[others])
        for place in np.flatnonzero(~others).tolist():
            out[place] = grader.chances(found[place], base, weights.tolist())
    return out


def by_relevance(half: Half, against: list[str]) -> list[dict[str, float]]:
    """Return what relevance alone says: one label above a limit of the cosine with the reference, another below it.

    Limit and labels are those with which most of the dev passages are right.
    """
    limit, above, below = cut_on_dev()
    return [{label: float(label == (above if score >= limit else below)) for label in LABELS}
            for score in likeness(half, against)]


@cache
def cut_on_dev() -> tuple[float, str, str]:
    """Return the limit and the labels above and below it, learned on all dev passages."""
    half = Half("dev")
    scores = likeness(half, [chunk.metadata["reference"] for chunk in half.chunks])
    true = [chunk.metadata["label"] for chunk in half.chunks]
    tried = [(sum(label == (above if score >= limit else below) for score, label in zip(scores, true, strict=True)),
              limit, above, below) for limit in sorted(scores) for above in LABELS for below in LABELS]
    return max(tried, key=lambda each: each[0])[1:]


def likeness(half: Half, against: list[str]) -> list[float]:
    """Return the cosine of each passage with the reference of this id."""
    encoder = minilm()
    vectors = encoder.encode_passages([chunk.text for chunk in half.chunks])
    trusted = encoder.encode_passages([half.references[id].text for id in against])
    return [float(one @ other) for one, other in zip(vectors, trusted, strict=True)]


def rows(true: list[str], given: list[dict[str, float]]) -> list[list]:
    """Return [true label, given label, confidence] for each passage."""
    return [[label, *verdict(chances)] for label, chances in zip(true, given, strict=True)]


def graded(true: list[str], given: list[dict[str, float]]) -> dict:
    """Return how good the given labels are."""
    said = [verdict(chances)[0] for chances in given]
    right = [float(one == other) for one, other in zip(true, said, strict=True)]
    sides = [[chances["aligned"] - chances["contradicts"] for chances, label in zip(given, true, strict=True)
              if label == side] for side in ("aligned", "contradicts")]
    decided = [one == other for one, other in zip(true, said, strict=True) if one != "uncertain" != other]
    return {"n": len(true), "accuracy": share(right), "interval": interval(right),
            "per_label": {label: list(both) for label, both in per_label(true, said, list(LABELS)).items()},
            "given": {label: said.count(label) for label in LABELS},
            "told_apart": told_apart(*sides), "told_apart_interval": apart_interval(*sides),
            "true_or_false": [sum(decided), len(decided)]}


def more_than(true: list[str], given: list[dict[str, float]], other=None) -> dict[str, float]:
    """Return by how much the accuracy is above that of other labels, with its interval; without others above always
    saying the label that is most frequent.
    """
    common = max(LABELS, key=true.count)
    others = [common] * len(true) if other is None else [verdict(chances)[0] for chances in other]
    values = [float(verdict(chances)[0] == label) - float(one == label)
              for chances, one, label in zip(given, others, true, strict=True)]
    low, high = interval(values)
    return {"difference": share(values), "low": low, "high": high}


def apart_interval(true: list[float], false: list[float]) -> list[float]:
    """Return the 95 % interval of `told_apart`, by 10,000 resamples of the true and of the false ones."""
    one, other = np.asarray(true), np.asarray(false)
    won = (one[:, None] > other) + 0.5 * (one[:, None] == other)
    times = [np.stack([np.bincount(row, minlength=len(values)) for row in draw_resamples(len(values), seed=seed)])
             for values, seed in ((one, 0), (other, 1))]
    values = np.einsum("ri,ij,rj->r", times[0], won, times[1], optimize=True) / won.size
    return [float(percentile(values, 2.5)), float(percentile(values, 97.5))]


def pairs(half: Half, given: list[dict[str, float]]) -> dict:
    """Return, for the pairs that differ in one word, which twin is nearer to aligned, and how often both are right."""
    chances = {chunk.id: each for chunk, each in zip(half.chunks, given, strict=True)}
    out = Counter({"n": 0, "true higher": 0, "false higher": 0, "equal": 0, "both right": 0, "one label for both": 0})
    for chunk in half.chunks:
        twin = chunk.metadata["pair"]
        if not twin or chunk.metadata["label"] != "aligned":
            continue
        one, other = (chances[id]["aligned"] - chances[id]["contradicts"] for id in (chunk.id, twin))
        labels = verdict(chances[chunk.id])[0], verdict(chances[twin])[0]
        out["n"] += 1
        out["equal" if abs(one - other) < 1e-12 else "true higher" if one > other else "false higher"] += 1
        out["both right"] += labels == ("aligned", "contradicts")
        out["one label for both"] += labels[0] == labels[1]
    return dict(out)


def overlap(half: Half) -> dict[str, float]:
    """Return, for each search, how well its scores tell true from false among what is just what was asked for.

    Only passages that are judged 2 for the question are compared, and only with those of the same question; a pair of a
    true and a false one counts once.
    """
    out = {}
    for name, search in half.searches.items():
        won = 0.0
        met = 0
        for query in half.queries:
            scores = {hit.id: hit.score for hit in search.search(query.text, len(half.chunks))}
            true, false = ([scores.get(id, 0.0) for id, grade in half.qrels.get(query.id, {}).items() if grade == 2
                            and id in half.about and half.about[id]["label"] == label]
                           for label in ("aligned", "contradicts"))
            if true and false:
                won += told_apart(true, false) * len(true) * len(false)
                met += len(true) * len(false)
        out[name] = {"told_apart": won / met, "pairs": met}
    return out


def questions_found(half: Half) -> float:
    """Return the share of answerable questions for which the search among references finds one of the right ones."""
    find = half.corrective().reference_of
    return share(find(query.text) in query.references for query in half.queries if query.references)


# The pipelines


def pipelines(half: Half, *dials) -> dict:
    """Return the answers of all pipelines, how far each is from the plain one, and the sweep over the dials."""
    runs = {name: corrected(half, half.corrective(actions=actions)) for name, actions in RESTRICTED.items()}
    runs["perfect grader"] = corrected(half, half.corrective(perfect=True))
    runs["perfect grader without any reference"] = corrected(
        half, half.corrective(perfect=True, actions=RESTRICTED["without any reference"]))
    desks = {"plain": [[hit.id for hit in half.search.search(query.text, K)] for query in half.queries],
             **{name: [desk_of(run) for run in each] for name, each in runs.items()},
             "references alone": [[half.corrective().reference_of(query.text)] for query in half.queries]}
    careful, reckless = ({name: answers(half, ids, reader) for name, ids in desks.items()}
                         for reader in ("careful", "reckless"))
    outcomes = {name: outcomes_of(half, ids) for name, ids in careful.items()}
    kinds = dict.fromkeys(query.kind for query in half.queries)
    return {
        **against_plain(half, outcomes),
        "reckless": against_plain(half, {name: outcomes_of(half, ids) for name, ids in reckless.items()}),
        "actions": by_action(half, runs["corrective"], careful["corrective"], outcomes["corrective"]),
        "by_kind": {kind: {name: counts([one for one, query in zip(outcomes[name], half.queries, strict=True)
                                         if query.kind == kind]) for name in ("plain", "corrective")}
                    for kind in kinds},
        "sweep": sweep(half, *dials),
    }


def against_plain(half: Half, outcomes: dict) -> dict:
    """Return the summary of each pipeline, and by how much it differs from the plain one."""
    return {"pipelines": {name: summary(half, given) for name, given in outcomes.items()},
            "differences": {name: apart(outcomes["plain"], given) for name, given in outcomes.items()
                            if name != "plain"}}


def corrected(half: Half, pipeline: Corrective) -> list:
    """Return what becomes of each question."""
    return [pipeline.run(query.text, K) for query in half.queries]


def desk_of(run) -> list[str]:
    """Return the ids of what a corrective pipeline puts on the desk."""
    return [source["id"] for source in run.trusted]


def answers(half: Half, desks: list[list[str]], reader: str = "careful") -> list[str]:
    """Return the id of what the reader quotes first from each desk; "" where it declines."""
    out = []
    for query, ids in zip(half.queries, desks, strict=True):
        quotes = half.read(reader, query.text, tuple(ids)).quotes if any(ids) else ()  # an empty desk answers nothing
        out.append(quotes[0].chunk if quotes else "")
    return out


def outcomes_of(half: Half, ids: list[str]) -> list[str]:
    """Return what the answer to each question is worth."""
    return [outcome(half, query, id) for query, id in zip(half.queries, ids, strict=True)]


def outcome(half: Half, query, id: str) -> str:
    """Return what an answer is worth: true, false, off the point, or declined."""
    if not id:
        return "declined"
    if id in half.references:
        return "true" if id in query.references else "off"
    label, judged = half.about.get(id, {}).get("label"), half.qrels.get(query.id, {}).get(id, 0)
    if label == "contradicts":
        return "false"
    return "true" if label == "aligned" and judged >= 1 else "off"


def summary(half: Half, given: list[str]) -> dict:
    """Return counts and shares of the answers of one pipeline, unanswerable questions apart as well."""
    open_ones = [one for one, query in zip(given, half.queries, strict=True) if not query.references]
    return {"answers": counts(given),
            "unanswerable": {"declined": open_ones.count("declined"),
                             "answered": len(open_ones) - open_ones.count("declined")},
            "rates": {what: [share(one == what for one in given), *interval([float(one == what) for one in given])]
                      for what in OUTCOMES}}


def apart(plain: list[str], given: list[str]) -> dict:
    """Return, for each outcome, by how much its share differs from the plain pipeline's, with the 95 % interval."""
    out = {}
    for what in OUTCOMES:
        values = [float(one == what) - float(other == what) for one, other in zip(given, plain, strict=True)]
        low, high = interval(values)
        out[what] = {"difference": share(values), "low": low, "high": high}
    return out


def by_action(half: Half, runs: list, ids: list[str], outcomes: list[str]) -> dict:
    """Return, for each action, how often it was taken, brought something that was trusted, and was quoted."""
    out = {action: {"taken": 0, "brought": 0, "quoted": 0, "quoted true": 0} for action in ACTIONS}
    for run, id, what in zip(runs, ids, outcomes, strict=True):
        for step in run.steps:
            trusted = [new for new in step.new if new in run.kept or new in run.references]
            row = out[step.action]
            row["taken"] += 1
            row["brought"] += bool(trusted)
            row["quoted"] += id in trusted
            row["quoted true"] += id in trusted and what == "true"
    return out


def sweep(half: Half, thresholds=THRESHOLDS, minimums=MINIMUMS) -> dict:
    """Return answers and actions for each threshold and minimum of the dials."""
    out = {}
    for threshold in thresholds:
        for minimum in minimums:
            runs = corrected(half, half.corrective(threshold=threshold, minimum=minimum))
            taken = Counter(step.action for run in runs for step in run.steps)
            out.setdefault(str(threshold), {})[str(minimum)] = {
                "answers": counts(outcomes_of(half, answers(half, [desk_of(run) for run in runs]))),
                "reckless": counts(outcomes_of(half, answers(half, [desk_of(run) for run in runs], "reckless"))),
                "actions": {action: taken[action] for action in ACTIONS}}
    return out


def times(half: Half, repeats: int = 5) -> dict:
    """Return milliseconds, p50 and p95 over the questions of a half, each the quickest of several turns.

    All vectors are looked up, and the grades are given by the rules anew in each turn. "grades" is how many a question
    needs, a mean.
    """
    desk = Corrective(half.search, list(half.references.values()), half.blind, wider=half.wider, lookup=half.lookup)
    ways = {"plain": lambda text: half.search.search(text, K), "corrective": lambda text: desk.run(text, K),
            "references alone": desk.reference_of}
    asked = [query.text for query in half.queries]
    out = {"date": datetime.date.today().isoformat(), "questions": len(asked),
           "grades": round(sum(len(desk.run(text, K).grades) for text in asked) / len(asked), 3)}
    for name, way in ways.items():
        out[name] = milliseconds(way, asked, repeats)
    return out


def counts(given: list[str]) -> dict[str, int]:
    """Return how often each outcome came."""
    return {what: given.count(what) for what in OUTCOMES}


def share(values) -> float:
    """Return the mean of numbers, or the share of what is true."""
    values = [float(value) for value in values]
    return sum(values) / len(values)


def interval(values: list[float]) -> list[float]:
    """Return the 95 % interval of a mean, by 10,000 resamples of the passages or questions."""
    return list(bootstrap_interval(values, draw_resamples(len(values))))


if __name__ == "__main__":
    main()
