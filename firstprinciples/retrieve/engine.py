"""A production engine behind the same face: search(query, k) and explain(query, id), asked of Qdrant.

The problem. All searches of this course keep their index in the memory of one Python program. That is enough for a few
hundred thousand chunks and for one user. A company has more of both: chunks that outlive the program, filters with an
index of their own, copies on several machines. A vector database is built for that. This one does five things that the
lessons built by hand, and a pipeline moves onto it by changing one line:

    Pipeline(chunks, retrievers=[BM25(chunks), Dense(chunks, minilm())])
    Pipeline(chunks, retrievers=[Engine(chunks, sparse="bm25", dense=minilm())])

    by="dense"    vectors compared by cosine                           retrieve.dense
    by="sparse"   terms with weights: those of BM25, or of SPLADE      retrieve.bm25, retrieve.splade
    by="maxsim"   a vector a token, the best match of each             retrieve.maxsim
    by="rrf"      the lists of all of these, fused by rank             rank.fusion
    where=...     a condition on the labels, looked at in the search   index.filters

The engine stores and compares. What a chunk and a question become is still decided here: the encoder, the tokenizer,
k1 and b are the same, and so the ranking is. Three differences are worth knowing. The engine counts in float32, so
scores agree to six digits or so, and what ties here may not tie there. It has no order among equals: some more than k
are asked for, and put in the order of ids here; of more equals than that, who comes in is its own choice. And its RRF
counts ranks from 0: 1 / (k + rank), k = 2 unless told otherwise. It is told k + 1, so that k = 60 means what it means
in lesson 06; its own default would be k = 1 here, which gives the first place twice what the second gets.

In-process, in memory or over a folder, the client compares with every point, in Python: exact, made for trying out and
for tests. A server walks an HNSW graph where a collection is large, and then its list is approximate, as in lesson 11.
`quantize` is for a server too: in-process it is accepted and changes nothing, which `note` says.

Nothing of the user's is deleted or changed in shape. Where a collection of that name is there already, it is used if it
was made the same way and holds these chunks or some of them; otherwise an error says what to do. Source: the engine's
documentation (hybrid queries, multivectors, filtering, quantization) and, for what it does in-process, the source of
qdrant-client 1.20; the extra `graduate` of pyproject.toml installs it.
"""

import math
import weakref
from collections import Counter

from firstprinciples.corpus import Chunk
from firstprinciples.index import as_k, counted, shown
from firstprinciples.retrieve import Explanation, Hit, Part, ids_of, listed
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.dense import Dense
from firstprinciples.retrieve.engine_client import answering, modules, opened
from firstprinciples.retrieve.engine_collection import assert_same_shape, label_indexes, mark_of, points, shape
from firstprinciples.retrieve.engine_points import as_filter, kinds_of, labels, point_id
from firstprinciples.retrieve.maxsim import MaxSim
from firstprinciples.retrieve.splade import Splade
from firstprinciples.retrieve.splade_checks import whole

QUANTIZE = ("int8", "binary")
SPARE = 10  # hits that are asked for beyond k, so that equals at the end of the list can be put in order


def from_rank_0(k: int) -> int:
    """Return the constant that an engine is told, which counts ranks from 0, so that it means our k, with ranks from 1.

    >>> from_rank_0(60), 1 / (60 + 1) == 1 / (from_rank_0(60) + 0)
    (61, True)
    """
    return k + 1


class Engine:
    """Chunks as points in a collection of an engine, and the search through it.

    `chunks` are Chunk objects or plain strings. `dense` is an encoder, as `Dense` takes it; `sparse` is "bm25", a BM25
    or Splade over these same chunks, or an encoder as `Splade` takes it; `tokens` is an encoder as `MaxSim` takes it.
    With none of them it is "bm25". `path` is a folder to keep the points in, `url` and `key` are those of a server;
    with neither they are in memory. `name` is the collection's. `quantize` is "int8", "binary" or None. `k` and `depth`
    are those of `Hybrid`. `by` is what a search goes by unless told otherwise: the only way there is, or "rrf".
    `progress(done, n)` is called as points are sent; `sent` counts them: 0 where all were there already. An encoder is
    known again by its name and fingerprint; after changing what it computes, `again=True` sends all points once more.

    It keeps a connection: use it in a `with` block, or call `close()` in the end. Raises ImportError without the
    package, ConnectionError, PermissionError and RuntimeError as `engine_client` says, ValueError and TypeError for
    chunks, encoders and settings that do not fit, and for a collection that was made for others.

        with Engine(chunks, sparse="bm25", dense=minilm()) as engine:
            engine.search("When is the March invoice due?", k=5, where={"type": "invoice"})
    """

    def __init__(self, chunks, dense=None, sparse=None, tokens=None, path=None, url=None, key=None,
                 name: str = "firstprinciples", quantize: str | None = None, by: str | None = None, k: int = 60,
                 depth: int = 1000, again: bool = False, progress=None):
        chunks = listed(chunks, "Engine([text])")
        ids = ids_of(chunks)
        if quantize is not None and quantize not in QUANTIZE:
            raise ValueError(f"quantize is {shown(quantize)}; choose \"int8\", \"binary\" or None.")
        if not isinstance(name, str) or not name.strip() or set(name) & set('<>:"/\\|?*\0\x1f'):
            raise ValueError(f"The collection is called {shown(name)}; give it a name without < > : \" / \\ | ? *.")
        self.k, self.depth, self.name, self.quantize = whole(k, "k", 0), whole(depth, "depth"), name, quantize
        self.chunks = {id: Chunk(id, chunk) if isinstance(chunk, str) else chunk
                       for id, chunk in zip(ids, chunks, strict=True)}
        if dense is None and sparse is None and tokens is None:
            sparse = "bm25"
        # What a question is encoded with: each over one chunk, since the engine keeps the others.
        self.asking = {"dense": None if dense is None else Dense(chunks[:1], dense), "sparse": self._terms(sparse),
                       "maxsim": None if tokens is None else MaxSim(chunks[:1], tokens)}
        self.ways = tuple(way for way, one in self.asking.items() if one is not None)
        self.by = self._way(by) if by is not None else self.ways[0] if len(self.ways) == 1 else "rrf"
        self.labels = {id: labels(getattr(chunk, "metadata", None) or {}) for id, chunk in self.chunks.items()}
        self.fields = kinds_of(list(self.labels.values()))
        self.known = {point_id(id): id for id in ids}
        self.models, self.key, self.sent = modules().models, key, 0
        self.client, self.where = opened(path, url, key)
        self.served = url is not None
        # A forgotten engine is closed as well, when Python takes it away: nothing is left open.
        self._end = weakref.finalize(self, self.client.close)
        self.note = f"{counted(len(ids), 'chunk')} {self.where}."
        if quantize and not self.served:
            self.note += f" quantize={quantize!r} changes nothing in-process: whole vectors are compared."
        try:
            self._fill(again, progress or (lambda done, n: None))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the connection; a search afterwards is refused. Points in a folder or on a server stay."""
        self._end()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def __len__(self):
        return len(self.chunks)

    # ---- asking

    def search(self, query: str, k: int = 10, where: dict | None = None, by: str | None = None) -> list[Hit]:
        """Return the k chunks that score highest, best first; equal scores by id.

        By words only chunks that score above 0 are found. A way in which the question has nothing to encode finds
        nothing, and has no vote in "rrf". `where` is a condition on the chunks' metadata. Raises ValueError for an
        empty question, k < 1 and a way that this engine was not built for; KeyError for a field that no chunk has.
        """
        k, by = min(as_k(k), len(self.chunks)), self._way(by)
        if not isinstance(query, str) or not any(sign.isalnum() for sign in query):
            raise ValueError("The question is empty; type one, such as \"When is the March invoice due?\".")
        condition = as_filter(where, self.models, self.fields)
        asked = {way: vector for way in (self.ways if by == "rrf" else (by,))
                 if (vector := self._asked(way, query)) is not None}
        if not asked:
            return []
        if by != "rrf":
            return self._hits(asked[by], k, condition, using=by)
        models = self.models
        lists = [models.Prefetch(query=vector, using=way, limit=min(self.depth, len(self.chunks)), filter=condition)
                 for way, vector in asked.items()]
        fused = models.RrfQuery(rrf=models.Rrf(k=from_rank_0(self.k)))
        return self._hits(fused, k, condition, prefetch=lists)

    def _hits(self, query, k: int, condition, **more) -> list[Hit]:
        """Return what the engine answers."""
        if not self._end.alive:
            raise RuntimeError("This engine is closed; build a new one.")
        with answering(self.where, self.key):
            points = self.client.query_points(self.name, query=query, limit=k + SPARE, query_filter=condition,
                                              with_payload=False, **more).points
        strangers = [point.id for point in points if str(point.id) not in self.known]
        if strangers:
            raise ValueError(f"The collection {self.name!r} {self.where} holds the point {strangers[0]}, which is none "
                             "of these chunks: somebody else writes to it; give another name=....")
        hits = [Hit(self.known[str(point.id)], float(point.score)) for point in points]
        if more.get("using") == "sparse":
            hits = [hit for hit in hits if hit.score > 0]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:k]

    def _asked(self, way: str, query: str):
        """Return the question as the engine takes it; None where there is nothing to look for."""
        one = self.asking[way]
        if way == "dense":
            vector = one.vector(query)
            return vector.tolist() if vector.any() else None
        if way == "maxsim":
            _, vectors = one.question(query)
            return vectors.tolist() if len(vectors) else None
        if isinstance(one, Splade):
            weights = one.question(query)
        else:
            words = one.tokenizer(query)
            weights = Counter(words if one.repeats else dict.fromkeys(words))
        known = sorted((one.words[term], float(weight)) for term, weight in weights.items() if term in one.words)
        if not known:
            return None
        numbers, values = zip(*known, strict=True)
        return self.models.SparseVector(indices=list(numbers), values=list(values))

    def explain(self, query: str, id: str, where: dict | None = None, by: str | None = None) -> Explanation:
        """Take the score of one chunk apart, as the course's own search of that kind does; `total` is its score there.

        For "rrf" one part for each way: the rank that the chunk has in the engine's list, and what that gives. Raises
        KeyError for an id that is not in the collection.
        """
        by = self._way(by)
        if not isinstance(id, str) or id not in self.chunks:
            raise KeyError(f"There is no chunk {id!r} in this index.")
        if by == "sparse":
            return self.asking[by].explain(query, id)
        if by != "rrf":
            one = (Dense if by == "dense" else MaxSim)([self.chunks[id]], self.asking[by].encoder)
            return one.explain(query, id)
        parts = []
        for way in self.ways:
            ids = [hit.id for hit in self.search(query, self.depth, where, way)]
            if id in ids:
                rank = ids.index(id) + 1
                parts.append(Part(way, 1 / (self.k + rank), f"rank {rank} in {way}: 1 / ({self.k} + {rank})"))
            else:
                parts.append(Part(way, 0.0, f"not among the {len(ids)} that {way} found"))
        return Explanation(math.fsum(part.value for part in parts), tuple(parts))

    def _way(self, by: str | None) -> str:
        """Return a way that this engine can search by."""
        if by is None:
            return self.by
        if by not in (*self.ways, "rrf"):
            raise ValueError(f"by is {shown(by)}; this engine was built for {', '.join((*self.ways, 'rrf'))}. Hand in "
                             "dense=, sparse= or tokens= for more.")
        return by

    # ---- filling

    def _terms(self, sparse):
        """Return the index that the terms and their weights come from."""
        if sparse is None or isinstance(sparse, (BM25, Splade)):
            if sparse is not None and set(sparse.ids) != set(self.chunks):
                raise ValueError(f"The {type(sparse).__name__} was built over other chunks than the engine is; give "
                                 "both the same.")
            return sparse
        if isinstance(sparse, str):
            if sparse != "bm25":
                raise ValueError(f"sparse is {sparse!r}; write \"bm25\", or hand in a BM25, a Splade or an encoder of "
                                 "terms.")
            return BM25(list(self.chunks.values()))
        return Splade(list(self.chunks.values()), sparse)

    def _fill(self, again: bool, progress) -> None:
        """Make the collection if it is not there, and send the points that are not in it yet."""
        client, name, models, chunks = self.client, self.name, self.models, list(self.chunks.values())
        wanted = shape(self.asking, self.quantize, models)
        mark = mark_of(chunks, self.labels, self.asking)
        with answering(self.where, self.key):
            there = client.collection_exists(name)
            if there:
                found = client.get_collection(name).config.params
                assert_same_shape(wanted, found, f"{name!r} {self.where}", self._way_out())
                self._no_strangers()
            else:
                client.create_collection(name, **wanted)
                if self.served:  # in-process an index of labels changes nothing
                    for key, kind in label_indexes(self.fields):
                        client.create_payload_index(name, key, kind, wait=True)
            if there and not again and self._held(mark) == len(chunks):
                return
        for batch in points(chunks, self.labels, self.asking, mark, models):
            progress(self.sent, len(chunks))
            with answering(self.where, self.key):
                client.upsert(name, batch, wait=True)
            self.sent += len(batch)
        progress(self.sent, len(chunks))

    def _no_strangers(self) -> None:
        """Raise ValueError where the collection holds points that are none of these chunks."""
        offset = None
        while True:
            found, offset = self.client.scroll(self.name, limit=1000, offset=offset, with_payload=False)
            for point in found:
                if str(point.id) not in self.known:
                    raise ValueError(f"The collection {self.name!r} {self.where} holds points of other chunks, such as "
                                     f"{point.id}. {self._way_out()}")
            if offset is None:
                return

    def _way_out(self) -> str:
        """Return what to do about a collection that does not fit: nothing here deletes one."""
        return (f"Give another name=..., or, if nobody needs that one, delete it yourself with the client's "
                f"delete_collection({self.name!r}).")

    def _held(self, mark: str) -> int:
        """Return how many points with a mark are there."""
        field = self.models.FieldCondition(key="made", match=self.models.MatchValue(value=mark))
        return self.client.count(self.name, count_filter=self.models.Filter(must=[field]), exact=True).count
