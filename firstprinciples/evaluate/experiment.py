"""Run a retriever over a whole question set: how much it finds, how long it takes, and for which kinds of question.

Relevance is by evidence. Before a ranked list is scored, each chunk in it is replaced by the pieces of evidence that it
is the first to show (best grade first), or by one place that earns nothing. So overlapping chunks that hold the same
quote count once, and a quote that no chunk holds whole can never be found. In a BEIR folder a document is one piece of
evidence for the queries it is judged relevant for, which gives the usual numbers.

A question without evidence (unanswerable) has nothing to find: it is left out of the means, and counted.
"""

import json
import math
import time
from pathlib import Path

from firstprinciples.corpus import Collection
from firstprinciples.evaluate.metrics import ndcg_at_k, precision_at_k, recall_at_k, reciprocal_rank
from firstprinciples.retrieve import bm25
from firstprinciples.text import tokenize

METRICS = ("nDCG@10", "Recall@10", "Recall@100", "Precision@10", "MRR@10")


def pieces_shown(ranked: list[str], evidence: list[tuple[int, tuple[str, ...]]]) -> tuple[list[str], dict[str, int]]:
    """Turn ranked chunk ids into ranked evidence: returns (ids of pieces, {id of piece: grade}).

    `evidence` is a list of (grade, ids of the chunks that hold the piece).

    >>> pieces_shown(["c1", "c2", "c3"], [(2, ("c2", "c3")), (3, ("c2",))])
    (['nothing 0', 'piece 1', 'piece 0', 'nothing 2'], {'piece 0': 2, 'piece 1': 3})
    """
    holds = {}  # chunk id -> the pieces it holds, best grade first
    for number in sorted(range(len(evidence)), key=lambda i: -evidence[i][0]):
        for id in evidence[number][1]:
            holds.setdefault(id, []).append(f"piece {number}")
    out, seen = [], set()
    for place, id in enumerate(ranked):
        new = [piece for piece in holds.get(id, []) if piece not in seen]
        seen.update(new)
        out += new or [f"nothing {place}"]
    return out, {f"piece {number}": grade for number, (grade, _) in enumerate(evidence)}


def measure(ranked: list[str], evidence: list[tuple[int, tuple[str, ...]]]) -> dict[str, float]:
    """Return the five metrics of one ranked list of chunk ids."""
    shown, grades = pieces_shown(ranked, evidence)
    return {
        "nDCG@10": ndcg_at_k(shown, grades, 10),
        "Recall@10": recall_at_k(shown, grades, 10),
        "Recall@100": recall_at_k(shown, grades, 100),
        "Precision@10": precision_at_k(shown, grades, 10),
        "MRR@10": reciprocal_rank(shown, grades, 10),
    }


def place_of_answer(retriever, question: str, evidence: list[tuple[int, tuple[str, ...]]]) -> int | None:
    """Return the place, from 1, of the first chunk that holds a piece of the evidence; None if none was found."""
    holders = {id for _, ids in evidence for id in ids}
    ranked = retriever.search(question, k=1_000_000)
    return next((place for place, hit in enumerate(ranked, 1) if hit.id in holders), None)


def evaluate(retriever, collection: Collection, split: str = "all", depth: int = 100) -> dict:
    """Search for every judged question and return what came out.

    `split` is "dev", "held_out" or "all". Returns {"queries": how many counted, "left_out": how many had nothing to
    find, "metrics": means, "milliseconds": {"p50", "p95"} of one search, "by_kind": {kind: means}, "each": {query id:
    metrics}}. Raises ValueError when there is no question to measure.
    """
    judged = [q for q in collection.queries if split == "all" or q.split == split]
    queries = [q for q in judged if collection.evidence.get(q.id)]
    if not queries:
        if not collection.queries:
            raise ValueError(f"{collection.name} has documents but no questions to measure (see data/SOURCES.md for "
                             "what questions.jsonl holds).")
        raise ValueError(f"None of the questions of {collection.name} has evidence." if split == "all" else
                         f"{collection.name} has no judged question in the split {split!r}; use --split all.")
    each, seconds = {}, []
    for query in queries:
        start = time.perf_counter()
        hits = retriever.search(query.text, k=depth)
        seconds.append(time.perf_counter() - start)
        each[query.id] = measure([hit.id for hit in hits], collection.evidence[query.id])
    kinds = dict.fromkeys(q.kind for q in queries if q.kind)
    return {
        "queries": len(queries),
        "left_out": len(judged) - len(queries),
        "metrics": _means([each[q.id] for q in queries]),
        "milliseconds": {"p50": 1000 * percentile(seconds, 50), "p95": 1000 * percentile(seconds, 95)},
        "by_kind": {kind: _means([each[q.id] for q in queries if q.kind == kind]) for kind in kinds},
        "each": each,
    }


def nowhere(collection: Collection) -> list[str]:
    """Return a sentence for each judgment that nothing can meet: a quote or an id that is in no document."""
    texts = {document.id: " ".join(document.text.split()) for document in collection.documents}
    found = [f"{query.id}: {piece['quote']!r} is not in {piece['document']}" for query in collection.queries
             for piece in query.evidence if " ".join(piece["quote"].split()) not in texts[piece["document"]]]
    if not any(query.evidence for query in collection.queries):  # a BEIR folder
        found += [f"{query}: there is no document {id!r}" for query, pieces in collection.evidence.items()
                  for _, ids in pieces for id in ids if id not in texts]
    return found


def percentile(values: list[float], p: float) -> float:
    """Return the smallest value that at least p percent of the values do not exceed (nearest rank).

    >>> percentile([4, 1, 3, 2], 50)
    2
    """
    return sorted(values)[max(math.ceil(len(values) * p / 100) - 1, 0)]


def table(rows: dict[str, dict[str, float]], columns: tuple[str, ...] = METRICS, first: str = "") -> str:
    """Return the rows {name: {column: value}} as lines of text, columns aligned, three decimals.

    >>> print(table({"all": {"MRR@10": 0.5}}, ("MRR@10",), "kind"))
    kind  MRR@10
    all    0.500
    """
    width = max(len(first), *(len(name) for name in rows))
    lines = [first.ljust(width) + "".join(f"  {column}" for column in columns)]
    for name, values in rows.items():
        lines.append(name.ljust(width) + "".join(f"  {values[c]:{len(c)}.3f}" for c in columns))
    return "\n".join(lines)


def evaluate_command(options) -> int:
    """Run `evaluate COLLECTION` with the options of the command line; print the table, write the JSON, return 0."""
    target = Path(options.json) if options.json else None
    if target and target.is_dir():
        raise ValueError(f"{str(target)!r} is a folder; give the name of a file.")
    if target and not target.parent.is_dir():
        raise ValueError(f"The folder of {str(target)!r} is not there; make it first.")
    collection = Collection.load(options.collection)

    def words(text):
        return tokenize(text, codes=options.tokenizer == "codes", stop_words=options.stop_words, stem=options.stem)

    print(f"Indexing {len(collection.chunks):,} chunks of {collection.name} ...", flush=True)
    retriever = bm25.BM25(collection.chunks, options.k1, options.b, options.variant, tokenizer=words)
    result = evaluate(retriever, collection, options.split)
    report = {
        "collection": collection.name,
        "settings": {name: getattr(options, name) for name in
                     ("retriever", "k1", "b", "variant", "tokenizer", "stem", "stop_words", "split")},
        **{name: result[name] for name in ("queries", "left_out", "metrics", "milliseconds", "by_kind")},
    }
    rows = {"all questions": result["metrics"], **result["by_kind"]}
    print(table(rows, first="kind of question"))
    if lost := nowhere(collection):
        print(f"{len(lost)} judgments point to nothing, so they count as not found. The first: {lost[0]}.")
    print(f"{result['queries']} questions measured, {result['left_out']} left out (nothing to find). One search: "
          f"p50 {result['milliseconds']['p50']:.2f} ms, p95 {result['milliseconds']['p95']:.2f} ms.")
    if target:
        target.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"Written: {options.json}")
    return 0


def _means(rows: list[dict[str, float]]) -> dict[str, float]:
    """Return the mean of each metric over the rows."""
    return {name: sum(row[name] for row in rows) / len(rows) for name in METRICS}
