"""From the options of the command line to a retriever, and from a retriever to what its searches cost.

A retriever is built from the ground up: a search over chunks, the larger pieces that these stand in, a second stage,
and what becomes of a question before all that. `make_retriever` builds what the options describe; `settings` and
`label` say it again, as JSON and as one would type it. A retriever that counts its work, such as the vectors that it
compares, says it of the last search only: `Noted` and `Counted` stand around it and keep it of all, and `comparisons`
and `reading` give the means. `pipeline` is the search of the whole trip: both searches, fused, with all that a question
goes through before and the candidates after.
"""

from types import SimpleNamespace

from firstprinciples import models
from firstprinciples.encode import biencoder, stored
from firstprinciples.encode.cache import Cached
from firstprinciples.encode.expansion import expander
from firstprinciples.encode.sparse_files import CachedTerms
from firstprinciples.encode.splade_tiny import splade_tiny
from firstprinciples.encode.token_files import cached_minilm_tokens
from firstprinciples.encode.token_vectors import ToyTokens
from firstprinciples.generate.rewriting import NEEDS_VECTORS, REWRITES
from firstprinciples.index import cosine, hnsw, ivf, product, short_vectors
from firstprinciples.install import COMMAND
from firstprinciples.pipeline import Pipeline
from firstprinciples.progress import Bar
from firstprinciples.rank import fusion, rerank
from firstprinciples.rank.cross_encoder import cross
from firstprinciples.retrieve import bm25, dense, maxsim, splade
from firstprinciples.retrieve.parents import Parents
from firstprinciples.text import tokenize

# what describes a retriever, and what each setting is unless told; the command line has the same defaults
BY_WORDS = {"k1": 1.2, "b": 0.75, "variant": "lucene", "tokenizer": "codes", "stem": False, "stop_words": False}
BY_VECTORS = {"encoder": "minilm", "index": "exact", "rescore": 0}
FUSED = {"fusion": "rrf", "rrf_k": 60, "depth": 1000}
DEFAULTS = {"bm25": BY_WORDS, "dense": BY_VECTORS, "hybrid": {**BY_WORDS, **BY_VECTORS, **FUSED},
            "splade": {"encoder": "splade-tiny"}, "maxsim": {"encoder": "minilm"},
            "pipeline": {**BY_WORDS, **BY_VECTORS, "depth": 100, "filters": False}}
RERANKED = {"cross": {"rerank_depth": 100}, "maxsim": {"rerank_depth": 100, "rerank_encoder": "minilm"}}
CHUNKED = {"paragraphs": {}, "words": {"chunk_size": 200, "chunk_overlap": 40}, "sentences": {"chunk_size": 120},
           "sections": {}, "functions": {}, "meaning": {}, "parent-child": {}, "sentence-windows": {}}
AS_IT_IS = {"chunker": None, "chunk_size": None, "chunk_overlap": None, "context": False, "rewrite": None,
            "filters": False}


def make_retriever(options, chunks, parents=None, parent_of=None):
    """Return the retriever that the options describe, with its index built, and the second stage where one is named.

    `chunks` go into the index. With `parent_of`, {id of a chunk: id of its parent}, the search returns parents, and
    these are what a second stage reads. The short forms that questions are spelled out with are those of the chunks.
    """
    if options.retriever == "pipeline":
        return make_pipeline(options, chunks, parents, parent_of)
    short_forms = chunks
    found = make_first(options, chunks)
    if parent_of is not None:
        found, chunks = Parents(found, parents, parent_of), parents
    if options.rerank:
        found = Noted(rerank.Reranked(found, make_second(options, chunks), options.rerank_depth, chunks), "last")
    if options.rewrite and options.rewrite not in NEEDS_VECTORS:
        found = REWRITES[options.rewrite](found, short_forms)
    return found


def make_pipeline(options, chunks, parents=None, parent_of=None) -> Pipeline:
    """Return the pipeline that the options describe: BM25 and vectors, fused, and perhaps a second stage.

    A question is condensed with the turns before it, or goes through what --rewrite names.
    """
    halves, handed = [make_bm25(options, chunks), Conditioned(make_dense(options, chunks))], chunks
    how = REWRITES[rewriting(options)](halves[0], chunks).writer.how
    if parent_of is not None:
        halves, handed = [Parents(half, parents, parent_of) for half in halves], parents
    second = Read(make_second(options, handed)) if options.rerank else None
    return Pipeline(handed, halves, rewrite=how, rerank=second, depth=options.depth)


def make_second(options, chunks):
    """Return the second stage by its name."""
    return cross() if options.rerank == "cross" else make_maxsim(options.rerank_encoder, chunks)


def rewriting(options) -> str | None:
    """Return the name of what a question goes through: --rewrite, and in a pipeline by default condense."""
    return options.rewrite or ("condense" if options.retriever == "pipeline" else None)


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
    found = dense.Dense(chunks, encoder, Counted(make_index(options, encoder.dim)))
    return REWRITES[options.rewrite](found) if options.rewrite in NEEDS_VECTORS else found


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

    def search(self, query: str, k: int = 10, **more):
        """Return what the retriever finds."""
        hits = self.noted.search(query, k, **more)
        self.notes.append(getattr(self.noted, self.about))
        return hits


class Read:
    """A second stage that keeps what each of its calls read, in `notes`."""

    def __init__(self, reranker):
        self.reranker, self.notes = reranker, []

    def __getattr__(self, name):
        return getattr(self.reranker, name)

    def score(self, question: str, chunks) -> list[float]:
        """Return the scores of the second stage."""
        scores = self.reranker.score(question, chunks)
        self.notes.append(rerank.Reading(len(chunks), *(getattr(self.reranker, name, None) for name in
                                                        ("read", "cut"))))
        return scores


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


class Conditioned:
    """A vector search whose counting index hears also of searches with a condition, which go past its own search."""

    def __init__(self, dense):
        self.retriever = dense

    def __getattr__(self, name):
        return getattr(self.retriever, name)

    def search(self, query: str, k: int = 10, where: dict | None = None):
        """Return what the search finds; what a search with a condition compared is counted."""
        hits = self.retriever.search(query, k, where)
        if where is not None:
            self.index.compared.append((self.found.distances, 0))
        return hits


def below(retriever) -> list:
    """Return a retriever and those that it asks in turn, down to the one that has the index.

    >>> from types import SimpleNamespace
    >>> words = SimpleNamespace(name="words")
    >>> [each.name for each in below(SimpleNamespace(name="second stage", retriever=words))]
    ['second stage', 'words']
    """
    found = [retriever]
    while hasattr(found[-1], "retriever"):
        found.append(found[-1].retriever)
    return found


def comparisons(retriever, asked: int | None = None) -> str:
    """Say with what a search compared the question, on average; empty for one that reads BM25's lists alone.

    Milliseconds depend on the machine and on how much of the work is done in one piece; this does not. The centers of
    ivf's cells are full vectors, too. Of a retriever in two stages it is the first; see `reading` for the second. One
    question may need several searches; `asked` is the number of questions, by default that of the searches.
    """
    first = below(retriever)[-1]
    index = dense_index(first)
    if index is not None:
        if not index.compared:
            return ""
        asked = asked or len(index.compared)
        vectors, codes = (sum(counts) / asked for counts in zip(*index.compared, strict=True))
        return f"{vectors:,.0f} full vectors" + (f" and {codes:,.0f} short codes" if codes else "")
    if not isinstance(first, Noted) or not first.notes:
        return ""
    mean = sum(first.notes) / (asked or len(first.notes))
    if isinstance(first.noted, splade.Splade):
        return f"{mean:,.0f} of {first.postings:,} postings"
    return f"the {len(first.tokens):,} vectors of {mean:,.0f} chunks"


def dense_index(retriever):
    """Return the index of the vector search that a retriever is or holds, None where it has none."""
    first = below(retriever)[-1]
    halves = getattr(first, "retrievers", [first])  # those of a pipeline have names
    halves = [below(half)[-1] for half in (halves.values() if isinstance(halves, dict) else halves)]
    return next((half.index for half in halves if isinstance(half, dense.Dense)), None)


def reading(retriever, asked: int | None = None) -> dict | None:
    """Return what the second stage read for a question, on average; None for a retriever without one.

    {"candidates", "tokens", "cut": how many candidates were too long and were read in part}; what a reranker does not
    count, as one that has its vectors ready, is left out. `asked` is as for `comparisons`.
    """
    stages = [getattr(each, "notes", None) for found in below(retriever) for each in
              (found, getattr(found, "rerank", None))]
    notes = next((notes for notes in stages if notes and isinstance(notes[0], rerank.Reading)), None)
    if notes is None:
        return None
    counts = {name: [getattr(note, name) for note in notes] for name in ("candidates", "tokens", "cut")}
    return {name: sum(each) / (asked or len(each)) for name, each in counts.items() if None not in each}


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


def sentence_encoder(options):
    """Return what gives sentences their vectors, for the chunker that cuts by meaning; None for any other.

    It says nothing of how far it is: it is asked once for each document, and a bar for each would tell nobody how long
    all of them take.
    """
    if options.chunker != "meaning":
        return None
    return biencoder.toy() if options.encoder == "toy" else Cached(stored.minilm())


def make_terms(name: str):
    """Return an encoder of terms by its name; the weights that the real one gives to passages are kept on disk."""
    return expander() if name == "toy" else CachedTerms(splade_tiny(), progress=Bar("Encoding passages"))


def make_tokens(name: str):
    """Return an encoder of tokens by its name; the vectors that MiniLM gives to passages are kept on disk."""
    return ToyTokens() if name == "toy" else cached_minilm_tokens(progress=Bar("Encoding passages"))


def texts_sought(options, chunks, queries) -> dict[str, tuple[str, ...]]:
    """Return, for each query, the texts that are searched for: {query id: its own, or what --rewrite makes of it}."""
    name = rewriting(options)
    if not name:
        return {query.id: (query.text,) for query in queries}
    nowhere = SimpleNamespace(search=None, vector=None, index=None, encoder=None)  # nothing is searched here
    before = REWRITES[name](nowhere, chunks)
    return {query.id: tuple(before.asks(query.text, query.history)) for query in queries}


def need_files(options, texts: list[str], read: list[str] | None = None) -> None:
    """Raise ModelFilesMissing, which says what to do, where a retriever must encode a text and can't.

    `texts` are those of all passages and questions, `read` those that a second stage reads, where these are others. It
    is asked before anything is built: the first of two retrievers, or of two stages, may take minutes, and the other
    would then end it all with a sentence.
    """
    make = {"dense": make_encoder, "hybrid": make_encoder, "splade": make_terms, "maxsim": make_tokens,
            "pipeline": make_encoder}
    needed = [("--encoder", options.encoder, make[options.retriever], texts)] if options.retriever in make else []
    needed += [("--rerank-encoder", options.rerank_encoder, make_tokens, read or texts)] if options.rerank == "maxsim" \
        else []
    need_each(options, needed)


def need_each(options, needed) -> None:
    """Raise ModelFilesMissing for the first of (option, encoder's name, what makes it, texts) that lacks its files."""
    for option, name, make_one, texts in needed:
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
    """Return what describes the retriever, and what stands behind and before it: {name of the option: usual value}."""
    sentences = {"encoder": "minilm"} if options.chunker == "meaning" else {}
    second = {"rerank": None, **RERANKED[options.rerank]} if options.rerank else {}
    if options.retriever == "pipeline":
        second.pop("rerank_depth", None)  # its second stage reads all that the merge kept, --depth
    return {**sentences, **DEFAULTS[options.retriever], **second,
            **({"chunker": None, **CHUNKED[options.chunker]} if options.chunker else {}),
            **{name: AS_IT_IS[name] for name in ("context", "rewrite") if getattr(options, name)}}


def settings(options) -> dict:
    """Return what describes the retriever, for the JSON: what does not concern it is left out."""
    return {name: getattr(options, name) for name in ("retriever", *concerns(options))}


def label(options) -> str:
    """Return the retriever as one would write it after --compare: its name, and the options that differ from usual.

    >>> from types import SimpleNamespace
    >>> label(SimpleNamespace(retriever="bm25", rerank=None, **{**BY_WORDS, **AS_IT_IS, "b": 0.4, "stop_words": True}))
    'bm25 --b 0.4 --stop-words'
    >>> label(SimpleNamespace(retriever="dense", encoder="minilm", index="hnsw", rescore=0, rerank="cross",
    ...                       rerank_depth=50, **{**AS_IT_IS, "chunker": "sections"}))
    'dense --encoder minilm --index hnsw --rerank cross --rerank-depth 50 --chunker sections'
    """
    words = [options.retriever]
    for name, usual in concerns(options).items():
        value = getattr(options, name)
        if value != usual or name in ("encoder", "rerank_encoder"):  # which encoder it was is always said
            words.append("--" + name.replace("_", "-") + ("" if value is True else f" {value}"))
    return " ".join(words)
