"""What each stage of the trip does: it gives its value, what goes into the record as plain rows, and a note.

The problem. `firstprinciples.pipeline` says in which order the stages come, which of them there are, and what becomes
of a record. What each of them does is here, one function a stage, and none of them knows of the others:

    search      one retriever looks for the texts; with a condition only among what fulfills it
    merge       the lists of all retrievers become one
    rerank      a slower reader puts the candidates into a new order
    correct     a second reader keeps what a trusted reference bears out
    desk        which chunks go in, in which order, under which numbers
    answer      sentences are quoted, or nothing is found

Each returns (value, rows, note): the value goes to the next stage, rows and note into the record, and `Walk` writes
them down. Whatever a retriever, a fusing function or a reranker gives wrongly is one sentence that names it.
"""

import inspect
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, is_dataclass
from types import SimpleNamespace

from firstprinciples.corpus import Chunk
from firstprinciples.generate import context
from firstprinciples.generate.context import Context, lay_out
from firstprinciples.index import counted, shown
from firstprinciples.index.filters import Filtered
from firstprinciples.rank import fusion
from firstprinciples.rank.checks import taken, voting
from firstprinciples.rank.rerank import Reranked
from firstprinciples.retrieve import Hit
from firstprinciples.trip import Stage

K = 60  # the k of the fusion


@dataclass
class Walk:
    """A trip on its way: the question, what is taken from a record instead of being walked, and the stages so far.

    `record` is {name: stage} of an older trip; `before` names the stages that are taken from it, where it has them.
    `texts` are what is looked for, `lists` what each retriever found, `allowed` the ids that fulfill a condition.
    """

    question: str
    record: dict[str, Stage] = field(default_factory=dict)
    before: tuple[str, ...] = ()
    stages: list[Stage] = field(default_factory=list)
    texts: tuple[str, ...] = ()
    lists: dict[str, list[Hit]] = field(default_factory=dict)
    allowed: set[str] | None = None

    def needs(self, name: str, wanted: bool) -> bool:
        """Say whether a stage takes place: in the part that is taken from a record if it is there, else if wanted."""
        return name in self.record if name in self.before else wanted

    def stage(self, name: str, took: list, work: Callable, again: Callable | None = None):
        """Do the work of a stage, (value, rows, note), note it down, and return the value.

        Where the record has the stage, it is noted as it was, and `again` makes the value of its rows.
        """
        if name in self.record:
            self.stages.append(self.record[name])
            return again(self.record[name].gave)
        start = time.perf_counter()
        value, gave, note = work()
        self.stages.append(Stage(name, took, gave, note, time.perf_counter() - start))
        return value


class Within:
    """A retriever that looks only among the chunks that are allowed, and still finds as many as it is asked for.

    One that takes conditions itself is handed this one; another is asked for all `n` chunks, and these are picked.
    """

    def __init__(self, retriever, name: str, allowed: set[str], where: dict, n: int):
        self.retriever, self.name, self.allowed, self.where, self.n = retriever, name, allowed, where, n
        try:
            self.knows = "where" in inspect.signature(retriever.search).parameters
        except (TypeError, ValueError):  # a function that is not written in Python may not say what it takes
            self.knows = False

    def search(self, query: str, k: int) -> list[Hit]:
        """Return the k best of the allowed chunks."""
        if not self.allowed:
            return []
        hits = self.retriever.search(query, k, where=self.where) if self.knows else self.retriever.search(query, self.n)
        return [hit for hit in voting(hits, self.name, self.n) if hit.id in self.allowed][:k]


def allowed(chunks: dict, where: dict | None) -> set[str] | None:
    """Return the ids of the chunks that fulfill a condition, None without one; see `Filtered.allowed`.

    >>> allowed({"a": Chunk("a", "due", metadata={"type": "bill"}), "b": Chunk("b", "due")}, {"type": "bill"})
    {'a'}
    """
    if where is None:
        return None
    labels = {id: getattr(chunk, "metadata", {}) for id, chunk in chunks.items()}
    fits = Filtered(SimpleNamespace(ids=list(chunks)), labels).allowed(where)
    return {id for id, fit in zip(chunks, fits, strict=True) if fit}


def search(name: str, retriever, texts: tuple[str, ...], chunks: dict, depth: int, ids: set[str] | None = None,
           where: dict | None = None):
    """Look for the texts with one retriever; the lists of several are fused. `ids` are those that fulfill `where`."""
    note = ""
    if ids is not None:
        retriever = Within(retriever, name, ids, where, len(chunks))
        note = f" {len(ids):,} of {counted(len(chunks), 'chunk')} fulfill {where}; only these were looked at."
    hits = retriever.search(texts[0], depth) if len(texts) == 1 else \
        fusion.rag_fusion(retriever, list(texts), depth, K, depth)
    hits = voting(hits, name, depth)
    first = {}  # each once, at its best place, and with a number of Python's, which a file of the trip can hold
    for hit in hits:
        first.setdefault(hit.id, Hit(hit.id, float(hit.score)))
    hits = list(first.values())
    for hit in hits:
        if hit.id not in chunks:
            raise ValueError(f"{name} found the chunk {hit.id!r}, which is not among those of the pipeline; give "
                             "both the same chunks.")
    return hits, rows_of(hits, chunks), (f"{counted(len(hits), 'chunk')} found." if hits else "Nothing found.") + note


def merge(lists: dict[str, list[Hit]], chunks: dict, depth: int, fuse: Callable | None = None):
    """Make one list of all, by reciprocal rank or by `fuse`; one alone stays as it is."""
    if len(lists) == 1:
        (hits,) = lists.values()
        return hits, rows_of(hits, chunks, lists), "One list: nothing to merge."
    ids = [[hit.id for hit in hits] for hits in lists.values()]
    votes = f"{sum(map(bool, ids))} of {len(ids)} lists have a vote: "
    if fuse is None:
        hits = taken(lambda: fusion.reciprocal_rank_fusion(ids, K), depth, "reciprocal_rank_fusion")
        return hits, rows_of(hits, chunks, lists), f"{votes}1 / ({K} + rank) each."
    name = getattr(fuse, "__name__", "fuse")
    hits = fused(fuse([list(each) for each in ids]), {id for each in ids for id in each}, name)[:depth]
    return hits, rows_of(hits, chunks, lists), f"{votes}fused by {name}."


def fused(pairs, known: set[str], name: str) -> list[Hit]:
    """Return what a fusing function gave as hits; raises ValueError, which names it, unless these are ids that it got,
    each once, with a number.

    >>> fused([("b", 2), ("a", 1.5)], {"a", "b", "c"}, "mine")
    [Hit(id='b', score=2.0), Hit(id='a', score=1.5)]
    """
    try:
        hits = [Hit(id, float(score)) for id, score in pairs]
        right = {hit.id for hit in hits} <= known and len({hit.id for hit in hits}) == len(hits)
        right = right and len(voting([*hits, Hit("", 1.0)], name, len(hits) + 1)) == len(hits) + 1  # finite scores
    except (TypeError, ValueError):
        right = False
    if not right:
        raise ValueError(f"{name} should give [(id, score), ...], best first: ids of the lists that it got, each once, "
                         "and a finite number each.")
    return hits


def reranked(reranker, find: Callable, chunks: dict, depth: int) -> Reranked:
    """Return the reranker behind a search, `find(query, k)`, among these chunks."""
    texts = [Chunk(id, getattr(chunk, "text", chunk)) for id, chunk in chunks.items()]
    return Reranked(SimpleNamespace(search=find), reranker, depth, texts)


def rerank(reranker, question: str, hits: list[Hit], chunks: dict, depth: int):
    """Put the candidates into the reranker's order, with its scores; "was" is the place before."""
    if not hits:
        return [], [], "Nothing to rerank."
    second = reranked(reranker, lambda query, k: hits, {hit.id: chunks[hit.id] for hit in hits}, depth)
    found = second.search(question, depth)
    was = {hit.id: place for place, hit in enumerate(hits, 1)}
    rows = [{**row, "was": was[row["id"]]} for row in rows_of(found, chunks)]
    read = "" if second.last.tokens is None else f", {second.last.tokens:,} tokens"
    cut = f", {second.last.cut} of them in part" if second.last.cut else ""
    note = f"{second.name} read {counted(len(hits), 'candidate')}{read}{cut}"
    return found, rows, f"{note}; the first one was {was[found[0].id]} before." if found else f"{note}; none is left."


def correct(corrective, question: str, hits: list[Hit], most: int, ids: set[str] | None = None):
    """Keep what can be trusted: its ids in their order, and {id: chunk} of these. `ids` are those of a condition."""
    found = corrective.correct(question, hits, most)
    if not hasattr(found, "trusted"):
        raise ValueError(f"The {type(corrective).__name__} gave {shown(found)}; correct should give a Correction.")
    rows, outside = [], []
    for source in found.trusted:
        grade = found.grades.get(source["id"])
        if grade and ids is not None and source["id"] not in ids:  # it may have searched anew, without the condition
            outside.append(source["id"])
            continue
        said = {"label": grade.label, "confidence": grade.confidence, "rationale": grade.rationale} if grade else \
            {"label": "reference"}
        rows.append({**source, **said})
    steps = [f"{step.action} ({step.why}): {step.came}" for step in found.steps]
    steps += [f"Left out, since the condition does not hold: {', '.join(outside)}."] if outside else []
    dropped = ", ".join(f"{id} ({found.grades[id].label})" for id in found.dropped)
    note = (f"{len(found.kept)} of {counted(len(found.candidates), 'candidate')} kept"
            f"{f'; dropped: {dropped}' if dropped else ''}.")
    return trusted_of(rows), rows, " ".join([note, *steps])


def desk(question: str, ids: list[str], known: dict, budget: int, order: str, most: int):
    """Lay out the chunks that go in."""
    found = lay_out(ids, {id: known[id] for id in ids}, budget, order, most, question=question)
    note = (f"{counted(len(found.sources), 'chunk')}, {order.replace('_', ' ')}, {found.tokens:,} tokens with note and "
            f"question; {len(found.left_out)} left out.")
    return found, [dict(source) for source in found.sources], note


def answer(reader, question: str, desk: Context, asked: str):
    """Read what lies on the desk; `asked` is the question as it was typed."""
    said = reader.read(question, desk, asked=asked)
    if not isinstance(getattr(said, "text", None), str) or not isinstance(getattr(said, "quotes", ()), list | tuple):
        raise ValueError(f"The reader {type(reader).__name__} gave {shown(said)}; read should give an Answer, with a "
                         "text and a list of quotes.")
    quotes = [asdict(quote) if is_dataclass(quote) else quote for quote in getattr(said, "quotes", ())]
    return said, quotes, getattr(said, "note", "")


# from hits to rows, and back


def rows_of(hits: list[Hit], chunks: dict, lists: dict[str, list[Hit]] | None = None) -> list[dict]:
    """Return hits as plain dicts; with `lists`, with the rank that each has in them."""
    places = {name: {hit.id: rank for rank, hit in enumerate(found, 1)} for name, found in (lists or {}).items()}
    rows = []
    for hit in hits:
        chunk = chunks[hit.id]
        row = {"id": hit.id, "document": getattr(chunk, "document", "") or hit.id,
               "page": getattr(chunk, "page", 1), "text": getattr(chunk, "text", chunk), "score": hit.score}
        ranks = {name: place.get(hit.id) for name, place in places.items()}
        rows.append({**row, "ranks": ranks} if lists else row)
    return rows


def hits_of(rows: list[dict]) -> list[Hit]:
    """Return the rows of a list as hits.

    >>> hits_of([{"id": "a", "document": "d", "page": 1, "text": "due", "score": 2.5}])
    [Hit(id='a', score=2.5)]
    """
    return [Hit(row["id"], row["score"]) for row in rows]


def trusted_of(rows: list[dict]) -> tuple[list[str], dict[str, Chunk]]:
    """Return the ids of the rows of a correction, and {id: chunk}."""
    known = {row["id"]: Chunk(row["id"], row["text"], row["document"], page=row["page"]) for row in rows}
    return list(known), known


def desk_of(question: str, rows: list[dict]) -> Context:
    """Return the context that the rows of a desk are of."""
    sources = [{name: row[name] for name in ("id", "document", "page", "text")} for row in rows]
    text = context.prompt(question, [dict(source) for source in sources], context.NOTE)
    return Context(sources, text, context.tokens(text), [])


def same_chunks(name: str, rows: list[dict], chunks: dict) -> None:
    """Raise ValueError unless the rows of a recorded stage are of these chunks, with the text that these have."""
    for row in rows:
        chunk = chunks.get(row["id"])
        if chunk is None:
            raise ValueError(f"In this trip {name!r} gave the chunk {row['id']!r}, which this pipeline does not have; "
                             "replay it with a pipeline over the same chunks.")
        if getattr(chunk, "text", chunk) != row["text"]:
            raise ValueError(f"The chunk {row['id']!r} has another text in this pipeline than in the trip; replay it "
                             "with a pipeline over the same chunks.")


def votes(lists: dict[str, list[Hit]], id: str) -> dict[str, int | None]:
    """Return the rank of an id in each list, None where the list does not hold it.

    >>> votes({"words": [Hit("a", 2.0), Hit("b", 1.0)], "vectors": [Hit("a", 0.5)]}, "b")
    {'words': 2, 'vectors': None}
    """
    return {name: next((rank for rank, hit in enumerate(found, 1) if hit.id == id), None)
            for name, found in lists.items()}
