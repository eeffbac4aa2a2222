"""A collection of an engine: what it is made like, what is written on its points, and the points themselves.

`asking` is here, as in `engine.Engine`, {"dense": a Dense or None, "sparse": a BM25 or Splade or None, "maxsim": a
MaxSim or None}. A way that is not None has a named vector of its own in each point: one engine calls a vector for each
text "dense", terms with weights a "sparse vector", and a vector for each token a "multivector". `models` is the
module of the client that holds the kinds of requests.

An engine keeps its points when the program ends. So each of them carries a mark, a hash of all that went into it: where
as many points as there are chunks carry today's mark, nothing has to be encoded or sent again. One hash covers all
chunks, since a weight of BM25 depends on all of them: a new page changes how rare each of its words is.
"""

import hashlib

from firstprinciples.retrieve.dense import Dense
from firstprinciples.retrieve.engine_points import KINDS, path, point_id, sparse_rows
from firstprinciples.retrieve.maxsim import MaxSim

BATCH = 64  # points in one request


def shape(asking: dict, quantize: str | None, models) -> dict:
    """Return what a collection is made with, {"vectors_config", "sparse_vectors_config"}: a named vector for each way.

    `quantize` is "int8", one byte a number, "binary", one bit, or None; terms are not quantized.
    """
    quantized = None
    if quantize == "int8":
        quantized = models.ScalarQuantization(scalar=models.ScalarQuantizationConfig(type="int8", always_ram=True))
    elif quantize == "binary":
        quantized = models.BinaryQuantization(binary=models.BinaryQuantizationConfig(always_ram=True))
    vectors, terms = {}, {}
    if asking["dense"] is not None:
        vectors["dense"] = models.VectorParams(size=asking["dense"].encoder.dim, distance="Cosine",
                                               quantization_config=quantized)
    if asking["maxsim"] is not None:  # rows of length 1 already: their dot product is the cosine
        best = models.MultiVectorConfig(comparator="max_sim")
        vectors["maxsim"] = models.VectorParams(size=asking["maxsim"].dim, distance="Dot", multivector_config=best,
                                                quantization_config=quantized)
    if asking["sparse"] is not None:
        terms["sparse"] = models.SparseVectorParams()
    return {"vectors_config": vectors, "sparse_vectors_config": terms}


def assert_same_shape(wanted: dict, params, which: str, way_out: str) -> None:
    """Raise ValueError where a collection that is there, `params`, was made for other vectors than are `wanted`."""
    found = params.vectors if isinstance(params.vectors, dict) else {"": params.vectors} if params.vectors else {}
    ours = _in_words(wanted["vectors_config"], wanted["sparse_vectors_config"])
    theirs = _in_words(found, params.sparse_vectors or {})
    if ours != theirs:
        raise ValueError(f"The collection {which} was made for {_listed(theirs)}; these chunks come with "
                         f"{_listed(ours)}. {way_out}")


def _in_words(vectors: dict, terms: dict) -> dict[str, str]:
    """Return what each named vector is like."""
    found = {name: "terms" + (" that the engine weighs" if getattr(one, "modifier", None) else "")
             for name, one in terms.items()}
    for name, one in vectors.items():
        distance = str(getattr(one.distance, "value", one.distance)).lower()
        many = " a token" if one.multivector_config is not None else ""
        found[name] = f"vectors of {one.size} numbers{many}, compared by {distance}"
    return found


def _listed(kinds: dict[str, str]) -> str:
    """Return these kinds as one line."""
    return "; ".join(f"{name or 'unnamed'}: {kind}" for name, kind in sorted(kinds.items())) or "no vectors"


def label_indexes(fields: dict[str, set[str]]) -> list[tuple[str, str]]:
    """Return (key, kind of index) for each label that a filter can ask for; a cloud may refuse filters without.

    >>> label_indexes({"date": {"days"}})
    [('made', 'keyword'), ('days.date[].first', 'integer'), ('days.date[].last', 'integer')]
    """
    schema = dict(zip(KINDS, ("keyword", "float", "bool", "integer"), strict=True))
    found = [("made", "keyword")]
    for field, kinds in sorted(fields.items()):
        for kind in sorted(kinds):
            keys = [f"{path(kind, field)}[].{end}" for end in ("first", "last")]
            found += [(key, schema[kind]) for key in (keys if kind == "days" else [path(kind, field)])]
    return found


def mark_of(chunks: list, labels: dict[str, dict], asking: dict) -> str:
    """Return the mark of the points of some chunks: it changes when a text, a label, an encoder or a weight does.

    An encoder is known by its name, its width and, if it has one, its `fingerprint`; `labels` is {id: labels}.
    """
    digest = hashlib.sha256()
    for chunk in sorted(chunks, key=lambda chunk: chunk.id):
        digest.update(repr((chunk.id, chunk.text, labels[chunk.id])).encode("utf-8", errors="replace"))
    for way, one in asking.items():
        if one is None:
            continue
        if way == "sparse":
            digest.update(repr((type(one).__name__, list(one.words))).encode("utf-8", errors="replace"))
            digest.update(one.holders.tobytes() + one.weights.tobytes())
            continue
        name = getattr(one.encoder, "name", type(one.encoder).__name__)
        known = (way, name, one.encoder.dim, str(getattr(one.encoder, "fingerprint", "")))
        digest.update(repr(known).encode("utf-8", errors="replace"))
    return digest.hexdigest()


def points(chunks: list, labels: dict[str, dict], asking: dict, mark: str, models):
    """Yield chunks as points of an engine, BATCH at a time; all of them are encoded first.

    A way in which a chunk has nothing, no word or no token, has no vector in its point, and so never finds it.
    """
    dense = None if asking["dense"] is None else Dense(chunks, asking["dense"].encoder).vectors
    sparse = None if asking["sparse"] is None else sparse_rows(asking["sparse"])
    maxsim = None if asking["maxsim"] is None else MaxSim(chunks, asking["maxsim"].encoder)
    for start in range(0, len(chunks), BATCH):
        batch = []
        for place, chunk in enumerate(chunks[start : start + BATCH], start):
            vectors = {}
            if dense is not None:
                vectors["dense"] = dense[place].tolist()
            if sparse is not None and sparse[chunk.id][0]:
                numbers, values = sparse[chunk.id]
                vectors["sparse"] = models.SparseVector(indices=numbers, values=values)
            if maxsim is not None and len(rows := maxsim.vectors(chunk.id)[1]):
                vectors["maxsim"] = rows.tolist()
            payload = {"id": chunk.id, "document": getattr(chunk, "document", ""), "text": chunk.text, "made": mark,
                       **labels[chunk.id]}
            batch.append(models.PointStruct(id=point_id(chunk.id), vector=vectors, payload=payload))
        yield batch
