"""The command `evaluate`: build one retriever or two, measure them on a collection, print tables, write JSON.

The milliseconds of a search hold all that happens after a question was typed: cutting it into words, encoding it,
looking through the index and, where a second stage stands behind, reading the candidates again. Only passages are
encoded beforehand, and kept on disk (see `encode.cache`). Where the vector of a question is stored with the course, as
for Larkspur, it is looked up, and the last line says so.
"""

import contextlib
import json
import os
import time
from pathlib import Path

from firstprinciples import models
from firstprinciples.corpus import Collection
from firstprinciples.encode import biencoder, stored
from firstprinciples.encode.cache import Cached
from firstprinciples.encode.expansion import expander
from firstprinciples.encode.sparse_files import CachedTerms
from firstprinciples.encode.splade_tiny import splade_tiny
from firstprinciples.encode.token_files import cached_minilm_tokens
from firstprinciples.encode.token_vectors import ToyTokens
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
from firstprinciples.index import cosine, hnsw, ivf, product, short_vectors
from firstprinciples.install import COMMAND
from firstprinciples.progress import Bar
from firstprinciples.rank import fusion, rerank
from firstprinciples.rank.cross_encoder import cross
from firstprinciples.retrieve import bm25, dense, maxsim, splade
from firstprinciples.text import tokenize

# what describes a retriever, and what each setting is unless told; the command line has the same defaults
BY_WORDS = {"k1": 1.2, "b": 0.75, "variant": "lucene", "tokenizer": "codes", "stem": False, "stop_words": False}
BY_VECTORS = {"encoder": "minilm", "index": "exact", "rescore": 0}
FUSED = {"fusion": "rrf", "rrf_k": 60, "depth": 1000}
DEFAULTS = {"bm25": BY_WORDS, "dense": BY_VECTORS, "hybrid": {**BY_WORDS, **BY_VECTORS, **FUSED},
            "splade": {"encoder": "splade-tiny"}, "maxsim": {"encoder": "minilm"}}
RERANKED = {"cross": {"rerank_depth": 100}, "maxsim": {"rerank_depth": 100, "rerank_encoder": "minilm"}}
DRAWN = f"{TIMES:,} bootstrap draws of the questions, seed {SEED}"


def make_retriever(options, chunks):
    """Return the retriever that the options describe, with its index built, and the second stage where one is named."""
    first = make_first(options, chunks)
    if not options.rerank:
        return first
    second = cross() if options.rerank == "cross" else make_maxsim(options.rerank_encoder, chunks)
    return Noted(rerank.Reranked(first, second, depth=options.rerank_depth, chunks=chunks), "last")


def make_first(options, chunks):
    """Return the retriever without a second stage."""
    if options.retriever == "bm25":
        return make_bm25(options, chunks)
    if options.retriever == "dense":
        return make_dense(options, chunks)
    if options.retriever == "splade":
        return Noted(make_splade(options, chunks), "read")
    if options.retriever == "maxsim":
        return Noted(make_maxsim(options.encoder, chunks), "compared")
    halves = [make_bm25(options, chunks), make_dense(options, chunks)]
    return fusion.Hybrid(halves, k=options.rrf_k, depth=options.depth, fusion=options.fusion)


def make_bm25(options, chunks):
    """Return BM25 over the chunks."""
    def words(text):
        return tokenize(text, codes=options.tokenizer == "codes", stop_words=options.stop_words, stem=options.stem)

    return bm25.BM25(chunks, options.k1, options.b, options.variant, tokenizer=words)


def make_dense(options, chunks):
    """Return the vector search over the chunks: an encoder and an index of vectors."""
    encoder = make_encoder(options.encoder)
    return dense.Dense(chunks, encoder, Counted(make_index(options, encoder.dim)))


def make_splade(options, chunks):
    """Return the search by learned words over the chunks; the weights of the real encoder are kept on disk."""
    return splade.Splade(chunks, make_terms(options.encoder))


def make_maxsim(name: str, chunks):
    """Return MaxSim over the chunks, as a retriever or as a second stage, with an encoder of tokens by its name."""
    return maxsim.MaxSim(chunks, make_tokens(name))


class Noted:
    """A retriever that keeps what each of its searches says of its work, in the attribute `about`."""

    def __init__(self, retriever, about: str):
        self.noted, self.about, self.notes = retriever, about, []

    def __getattr__(self, name):
        return getattr(self.noted, name)

    def search(self, query: str, k: int = 10):
        """Return what the retriever finds."""
        hits = self.noted.search(query, k)
        self.notes.append(getattr(self.noted, self.about))
        return hits


class Watched:
    """A retriever that shows how many of n questions it was asked, so that slow searches are seen to go on.

    The milliseconds of a search hold what is done here. So nothing is shown for a second, and then five times a second:
    quick searches are over by then, and in slow ones it is nothing.
    """

    def __init__(self, retriever, what: str, n: int):
        self.retriever, self.bar, self.n, self.asked = retriever, Bar(what), n, 0
        self.next, self.shown = time.monotonic() + 1, False

    def search(self, query: str, k: int = 10):
        """Return what the retriever finds."""
        hits = self.retriever.search(query, k)
        self.asked += 1
        if (now := time.monotonic()) >= self.next or (self.shown and self.asked == self.n):  # the last call clears it
            self.next, self.shown = now + 0.2, True
            self.bar(self.asked, self.n)
        return hits


class Counted:
    """An index that keeps what each of its searches compared: (full vectors, short codes)."""

    def __init__(self, index):
        self.index, self.compared = index, []

    def __getattr__(self, name):
        return getattr(self.index, name)

    def __len__(self) -> int:
        return len(self.index)

    def add(self, vectors, ids) -> None:
        """Add vectors; the graph of HNSW takes a while, and shows how far it is."""
        more = {"progress": Bar("Linking vectors")} if isinstance(self.index, hnsw.HNSW) else {}
        self.index.add(vectors, ids, **more)

    def search(self, q, k: int):
        """Return what the index finds."""
        found = self.index.search(q, k)
        self.compared.append((self.index.distances, getattr(self.index, "codes_read", 0)))
        return found


def comparisons(retriever) -> str:
    """Say with what a search compared the question, on average; empty for one that reads BM25's lists alone.

    Milliseconds depend on the machine and on how much of the work is done in one piece; this does not. The centers of
    ivf's cells are full vectors, too. Of a retriever in two stages it is the first; see `reading` for the second.
    """
    first = getattr(retriever, "retriever", retriever)
    index = dense_index(first)
    if index is not None:
        if not index.compared:
            return ""
        vectors, codes = (sum(counts) / len(index.compared) for counts in zip(*index.compared, strict=True))
        return f"{vectors:,.0f} full vectors" + (f" and {codes:,.0f} short codes" if codes else "")
    if not isinstance(first, Noted) or not first.notes:
        return ""
    mean = sum(first.notes) / len(first.notes)
    if isinstance(first.noted, splade.Splade):
        return f"{mean:,.0f} of {first.postings:,} postings"
    return f"the {len(first.tokens):,} vectors of {mean:,.0f} chunks"


def dense_index(retriever):
    """Return the index of the vector search that a retriever is or holds, None where it has none."""
    first = getattr(retriever, "retriever", retriever)
    return next((half.index for half in getattr(first, "retrievers", [first]) if isinstance(half, dense.Dense)), None)


def reading(retriever) -> dict | None:
    """Return what the second stage read for a question, on average; None for a retriever without one.

    {"candidates", "tokens", "cut": how many candidates were too long and were read in part}; what a reranker does not
    count, as one that has its vectors ready, is left out.
    """
    if not hasattr(retriever, "retriever"):
        return None
    counts = {name: [getattr(note, name) for note in retriever.notes] for name in ("candidates", "tokens", "cut")}
    return {name: sum(each) / len(each) for name, each in counts.items() if None not in each}


def said_of(means: dict) -> str:
    """Return what `reading` gave in words.

    >>> said_of({"candidates": 50.0, "tokens": 25600.0, "cut": 1.5})
    '25,600 tokens of 50.0 candidates, 1.5 of which it cut'
    """
    tokens = f"{means['tokens']:,.0f} tokens of " if "tokens" in means else ""
    cut = f", {means['cut']:.1f} of which it cut" if means.get("cut") else ""
    return f"{tokens}{means['candidates']:.1f} candidates{cut}"


def make_index(options, dim: int):
    """Return an empty index by its name; those that keep vectors in fewer bits compare `rescore` of them in full."""
    if options.index in ("exact", "ivf", "hnsw"):
        return {"exact": cosine.Exact, "ivf": ivf.IVF, "hnsw": hnsw.HNSW}[options.index](dim)
    kind = {"int8": short_vectors.Int8, "binary": short_vectors.Binary, "pq": product.PQ}[options.index]
    return kind(dim, rescore=options.rescore)


def make_encoder(name: str):
    """Return an encoder by its name; the vectors that MiniLM gives to passages are kept on disk."""
    return biencoder.toy() if name == "toy" else Cached(stored.minilm(), progress=Bar("Encoding passages"))


def make_terms(name: str):
    """Return an encoder of terms by its name; the weights that the real one gives to passages are kept on disk."""
    return expander() if name == "toy" else CachedTerms(splade_tiny(), progress=Bar("Encoding passages"))


def make_tokens(name: str):
    """Return an encoder of tokens by its name; the vectors that MiniLM gives to passages are kept on disk."""
    return ToyTokens() if name == "toy" else cached_minilm_tokens(progress=Bar("Encoding passages"))


def need_files(options, texts: list[str]) -> None:
    """Raise ModelFilesMissing, which says what to do, where a retriever must encode a text and can't.

    `texts` are those of all passages and questions. It is asked before anything is built: the first of two retrievers,
    or of two stages, may take minutes, and the other would then end it all with a sentence.
    """
    make = {"dense": make_encoder, "hybrid": make_encoder, "splade": make_terms, "maxsim": make_tokens}
    needed = [("--encoder", options.encoder, make[options.retriever])] if options.retriever in make else []
    needed += [("--rerank-encoder", options.rerank_encoder, make_tokens)] if options.rerank == "maxsim" else []
    for option, name, make_one in needed:
        encoder = None if name == "toy" else make_one(name)
        real = getattr(encoder, "encoder", None)  # behind what keeps its work on disk; it has stored texts and files
        other = next((text for text in texts if not encoder.stored(text)), None) if hasattr(real, "model") else None
        if other is not None:
            try:
                real.model(other)
            except stored.ModelFilesMissing:
                lacking = [files for each in models.MODELS if models.files(each) is None
                           for files in models.MODELS[each].files.values()]
                raise stored.ModelFilesMissing(
                    f"{label(options)} must encode what is not stored with the course, and the files of {name} are not "
                    f"here: run `{COMMAND} models` once to fetch them ({sum(size for size, _ in lacking) / 1e6:.0f} "
                    f"MB), or use the encoder toy ({option} toy).") from None


def concerns(options) -> dict:
    """Return what describes the retriever and the stage behind it: {name of the option: its usual value}."""
    return {**DEFAULTS[options.retriever], **({"rerank": None, **RERANKED[options.rerank]} if options.rerank else {})}


def settings(options) -> dict:
    """Return what describes the retriever, for the JSON: what does not concern it is left out."""
    return {name: getattr(options, name) for name in ("retriever", *concerns(options))}


def label(options) -> str:
    """Return the retriever as one would write it after --compare: its name, and the options that differ from usual.

    >>> from types import SimpleNamespace
    >>> label(SimpleNamespace(retriever="bm25", rerank=None, **{**BY_WORDS, "b": 0.4, "stop_words": True}))
    'bm25 --b 0.4 --stop-words'
    >>> label(SimpleNamespace(retriever="dense", encoder="minilm", index="hnsw", rescore=0, rerank="cross",
    ...                       rerank_depth=50))
    'dense --encoder minilm --index hnsw --rerank cross --rerank-depth 50'
    """
    words = [options.retriever]
    for name, usual in concerns(options).items():
        value = getattr(options, name)
        if value != usual or name in ("encoder", "rerank_encoder"):  # which encoder it was is always said
            words.append("--" + name.replace("_", "-") + ("" if value is True else f" {value}"))
    return " ".join(words)


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
    asked = [query.text for query in collection.queries
             if options.split in ("all", query.split) and collection.evidence.get(query.id)]
    if not asked:
        evaluate(None, collection, options.split)  # says what is missing, before minutes are spent on vectors
    for one in both:
        need_files(one, [*(chunk.text for chunk in collection.chunks), *asked])
    print(f"Indexing {len(collection.chunks):,} chunks of {collection.name} for {' and '.join(map(label, both))} ...",
          flush=True)
    first = make_retriever(options, collection.chunks)
    other = make_retriever(options.compare, collection.chunks) if options.compare else None
    searching = "Searching with A" if other else "Searching"
    result = evaluate(Watched(first, searching, len(asked)), collection, options.split)
    report = {
        "collection": collection.name,
        "settings": {**settings(options), "split": options.split},
        **_measured(result, "queries", "left_out"),
        "intervals": recall_intervals(result),
        **({"reranking": reading(first)} if options.rerank else {}),
    }
    if other:
        second = evaluate(Watched(other, "Searching with B", len(asked)), collection, options.split)
        report["compare"] = {
            "settings": {**settings(options.compare), "split": options.split},
            **_measured(second),
            "differences": differences(result, second),
            "differences_by_kind": differences_by_kind(result, second),
            **({"reranking": reading(other)} if options.compare.rerank else {}),
        }
        print(compared(report, label(options), label(options.compare)))
    else:
        print(measured(report))
    if lost := nowhere(collection, result["each"]):
        print(f"{len(lost)} {'judgment points' if len(lost) == 1 else 'judgments point'} to what the index does not "
              f"hold and {'counts' if len(lost) == 1 else 'count'} as not found. The first: {lost[0]}.")
    print(f"{result['queries']} questions measured, {result['left_out']} left out (nothing to find). One search: "
          + _times(result) + (f"; of B {_times(second)}." if other else "."))
    built = (first, other)
    counted = [f"{where}{said}" for where, one in (("", first), ("in B with ", other))
               if one and (said := comparisons(one))]
    if counted:
        by_vectors = any(one and dense_index(one) is not None for one in built)
        exact = f" (exact search: with {len(collection.chunks):,})" if by_vectors else ""
        print(f"One search compared the question, on average, with {', '.join(counted)}{exact}.")
    reread = [f"{where}{said_of(means)}" for where, one in (("", first), ("in B ", other)) if one
              and (means := reading(one))]
    if reread:
        print(f"For one question the second stage read, on average, {', '.join(reread)}.")
    if any(looked_up(one, collection, result["each"]) for one in both):
        print("The vectors of these questions are stored with the course: those times hold no encoding.")
    if target:
        write(target, report)
        print(f"Written: {options.json}")
    return 0


def looked_up(options, collection: Collection, measured) -> bool:
    """Say whether all that was encoded of the measured questions was looked up, so that no search had to encode one."""
    known = {"minilm": stored.minilm, "splade-tiny": splade_tiny}.get(options.encoder)
    by_tokens = options.retriever == "maxsim" or options.rerank == "maxsim"
    if "encoder" not in DEFAULTS[options.retriever] or known is None or by_tokens:
        return False
    return all(known().has(query.text) for query in collection.queries if query.id in measured)


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
    """Return a number to three decimals with its sign; nothing but an error of rounding is +0.000."""
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
