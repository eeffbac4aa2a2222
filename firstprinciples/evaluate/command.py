"""The command `evaluate`: measure one retriever or two on a collection, print tables, write JSON.

Each retriever is a `Side`, with its own way of cutting documents, and so with its own chunks and the evidence in them.
"""

import contextlib
import json
import os
from pathlib import Path

from firstprinciples.corpus import Collection
from firstprinciples.evaluate.build import comparisons, dense_index, label, said_of, settings
from firstprinciples.evaluate.compare import (
    BY_KIND,
    FEW,
    SEED,
    TIMES,
    apart,
    differences,
    differences_by_kind,
    recall_intervals,
)
from firstprinciples.evaluate.experiment import METRICS, evaluate, on_one_line, table
from firstprinciples.evaluate.side import Side

DRAWN = f"{TIMES:,} bootstrap draws of the questions, seed {SEED}"


def evaluate_command(options) -> int:
    """Run `evaluate COLLECTION` with the options of the command line; print the tables, write the JSON, return 0.

    `options.compare` holds the options of a second retriever, or None.
    """
    target = Path(options.json) if options.json else None
    if target and target.is_dir():
        raise ValueError(f"{str(target)!r} is a folder; give the name of a file.")
    if target and not target.parent.is_dir():
        raise ValueError(f"The folder of {str(target)!r} is not there; make it first.")
    if target and not os.access(target.parent, os.W_OK):
        raise ValueError(f"The folder of {str(target)!r} cannot be written to.")
    if target and target.suffix.lower() != ".json":  # so that it cannot replace a file of the collection
        raise ValueError(f"{str(target)!r} does not end in .json; give the result a name that does.")
    both = [options, options.compare] if options.compare else [options]
    collection = Collection.load(options.collection)
    asked = [query for query in collection.queries
             if options.split in ("all", query.split) and collection.evidence.get(query.id)]
    if not asked:
        evaluate(None, collection, options.split)  # says what is missing, before minutes are spent on vectors
    sides = [Side(one, collection, asked) for one in both]
    for side in sorted(sides, key=Side.by_meaning):  # what is cut quickly first: it may lack a file
        side.begin()
    print(f"Indexing {_how_many(sides)} chunks of {collection.name} for {' and '.join(map(label, both))} ...",
          flush=True)
    for side in sides:
        side.build()
    for side, letter in zip(sides, "AB", strict=False):
        side.measure(f"Searching with {letter}" if options.compare else "Searching", options.split)
    first, result = sides[0], sides[0].result
    told = any(one.chunker for one in both)
    report = {
        "collection": collection.name,
        "settings": {**settings(options), "split": options.split},
        **_measured(result, "queries", "left_out"),
        "intervals": recall_intervals(result),
        **first.more(told),
    }
    if options.compare:
        second = sides[1]
        report["compare"] = {
            "settings": {**settings(options.compare), "split": options.split},
            **_measured(second.result),
            "differences": differences(result, second.result),
            "differences_by_kind": differences_by_kind(result, second.result),
            **second.more(told),
        }
        print(compared(report, label(options), label(options.compare)))
    else:
        print(measured(report))
    if lost := nowhere(collection, result["each"]):
        print(f"{len(lost)} {'judgment points' if len(lost) == 1 else 'judgments point'} to what the index does not "
              f"hold and {'counts' if len(lost) == 1 else 'count'} as not found. The first: {lost[0]}.")
    other = sides[1] if options.compare else None
    print(f"{result['queries']} questions measured, {result['left_out']} left out (nothing to find). One search: "
          + _times(result) + (f"; of B {_times(other.result)}." if other else "."))
    counted = _each(sides, "in B with ", lambda side: comparisons(side.retriever, result["queries"]))
    if counted:
        by_vectors = any(dense_index(side.retriever) is not None for side in sides)
        exact = f" (exact search: with {_how_many(sides)})" if by_vectors else ""
        print(f"One search compared the question, on average, with {counted}{exact}.")
    reread = _each(sides, "in B ", lambda side: said_of(side.reading()) if side.options.rerank else "")
    if reread:
        print(f"For one question the second stage read, on average, {reread}.")
    for side, which in zip(sides, (" in A", " in B") if other else ("",), strict=True):
        for said in side.said(which, told):
            print(said)
    if any(side.looked_up() for side in sides):
        print("The vectors of these questions are stored with the course: those times hold no encoding.")
    if target:
        write(target, report)
        print(f"Written: {options.json}")
    return 0


def write(path: Path, report: dict) -> None:
    """Write a report as JSON in one step: whatever happens, the file holds the old content or the new, never a part."""
    text = json.dumps(report, indent=1, ensure_ascii=False) + "\n"
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        # a name may hold half a character, which UTF-8 can't write; \ud800 is how JSON writes one
        draft.write_text(text, encoding="utf-8", errors="backslashreplace")
        os.replace(draft, path)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise


def measured(report: dict) -> str:
    """Return the table of one retriever: all questions, then each kind, and how sure its Recall@10 is."""
    kinds = report["intervals"]["by_kind"]
    known = [("all questions", report["intervals"]["all"], report["metrics"]),
             *((kind, row, report["by_kind"][kind]) for kind, row in kinds.items())]
    rows = [(name, {"n": str(row["queries"]), "95% interval": f"{row['low']:.3f} to {row['high']:.3f}", **means})
            for name, row, means in known]
    columns = ("n", *METRICS[:2], "95% interval", *METRICS[2:])
    few = _few(row["queries"] for _, row, _ in known)
    return table(rows, columns, "kind of question") + f"\nThe interval is that of Recall@10: {DRAWN}.{few}"


def compared(report: dict, first: str, second: str) -> str:
    """Return the tables of two retrievers: both, then how far apart they are, over all questions and by kind."""
    second_report, n = report["compare"], report["queries"]
    rows = {f"A: {first}": report["metrics"], f"B: {second}": second_report["metrics"]}
    parts = [table(rows, first="retriever"), ""]
    between = second_report["differences"]
    rows = {name: {"difference": _signed(row["difference"]), "95% interval": _interval(row),
                   "B better": str(row["wins"]), "A better": str(row["losses"]), "equal": str(row["ties"])}
            for name, row in between.items()}
    parts.append(table(rows, ("difference", "95% interval", "B better", "A better", "equal"), f"B - A, {n} questions"))
    for verdict, names in _verdicts(between).items():
        parts.append(f"{', '.join(names)}: {verdict}.")
    kinds = second_report["differences_by_kind"]
    if kinds:
        rows = {kind: {"n": str(row["queries"]), **{m: f"{_signed(row[m]['difference'])} ({_interval(row[m])})"
                                                    for m in BY_KIND}} for kind, row in kinds.items()}
        told = [on_one_line(kind) for kind, row in kinds.items() if any(apart(row[m]) for m in BY_KIND)]
        parts += ["", table(rows, ("n", *BY_KIND), "B - A by kind"),
                  f"Told apart in: {', '.join(told) or 'no kind'}. Where 0 is inside both intervals, these questions "
                  "can't tell the two apart.\nOne interval in twenty misses by chance, so a single kind proves little."]
    few = _few([n, *(row["queries"] for row in kinds.values())])
    return "\n".join([*parts, f"The intervals: {DRAWN}, the same for A and B.{few}", ""])


def nowhere(collection: Collection, measured=None) -> list[str]:
    """Return a sentence for each judgment that nothing can meet: its document is not there, or lacks the quote.

    `measured` are the ids of the queries to look at, by default all. Where a clean original holds the quote, the
    judgment is right and the text was lost on its way into the index.
    """
    texts, originals = ({document.id: " ".join(document.text.split()) for document in documents}
                        for documents in (collection.documents, collection.sources))
    found = []
    wanted = {query.id for query in collection.queries} | set(collection.evidence) if measured is None else measured
    for query in collection.queries:
        for piece in query.evidence if query.id in wanted else ():
            quote, document = " ".join(piece["quote"].split()), piece["document"]
            clean = "; its clean original, in source/, holds it" if quote in originals.get(document, "") else ""
            if document not in texts:
                found.append(f"{query.id}: there is no document {document!r} in the index{clean}")
            elif quote not in texts[document]:
                found.append(f"{query.id}: {piece['quote']!r} is not in {document}{clean}")
    if not any(query.evidence for query in collection.queries):  # a BEIR folder
        found += [f"{query}: there is no document {id!r}" for query, pieces in collection.evidence.items()
                  if query in wanted for _, ids in pieces for id in ids if id not in texts]
    return found


def _how_many(sides: list[Side]) -> str:
    """Return the number of chunks in the index, or both numbers where they differ."""
    return " and ".join(f"{n:,}" for n in dict.fromkeys(len(side.cut.indexed) for side in sides))


def _each(sides: list[Side], second: str, say) -> str:
    """Return what is said of each side, where anything is; `second` stands before what is said of the second."""
    return ", ".join(f"{where}{said}" for where, side in zip(("", second), sides, strict=False) if (said := say(side)))


def _measured(result: dict, *more: str) -> dict:
    """Return what the JSON says of one retriever."""
    return {name: result[name] for name in (*more, "metrics", "milliseconds", "by_kind")}


def _times(result: dict) -> str:
    """Return how long a search took."""
    return f"p50 {result['milliseconds']['p50']:.2f} ms, p95 {result['milliseconds']['p95']:.2f} ms"


def _interval(row: dict) -> str:
    """Return the interval of a difference, with signs."""
    return f"{_signed(row['low'])} to {_signed(row['high'])}"


def _signed(value: float) -> str:
    """Return a number to three decimals with its sign; nothing but an error of rounding is +0.000.

    >>> _signed(-0.0418), _signed(-1e-17)
    ('-0.042', '+0.000')
    """
    return f"{value if abs(value) > 1e-9 else 0.0:+.3f}"


def _verdicts(rows: dict[str, dict]) -> dict[str, list[str]]:
    """Return {what the interval says: the metrics it says it of}."""
    out = {}
    for name, row in rows.items():
        verdict = "0 is inside the interval, so these questions can't tell the two apart"
        if not row["wins"] and not row["losses"]:
            verdict = "the same on every question"
        if apart(row):
            verdict = "B is better" if row["difference"] > 0 else "A is better"
        out.setdefault(verdict, []).append(name)
    return out


def _few(counts) -> str:
    """Return a warning where an interval comes from few questions."""
    return f"\nFrom fewer than {FEW} questions an interval comes out too narrow." if min(counts) < FEW else ""
