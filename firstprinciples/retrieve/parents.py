"""Parents: search in small chunks, return the larger ones that they stand in.

The problem. A single sentence matches a question sharply, and says little by itself. A whole section says enough, and
its vector is a blur. So index the small ones, the children, and hand on the large ones, the parents:

    score(parent) = score of its best child          each parent once, however many of its children were found

The best of a parent's children decides, not their sum, or long parents would win by having many. Since several children
may lead to one parent, k parents need more than k children: the retriever is asked for twice as many until there are
k, or no more.

Documents that were cut into chunks are parents of these, too: so a collection whose judgments name documents can be
searched in chunks. Source: M. Kaszkiel and J. Zobel, "Passage retrieval revisited", SIGIR 1997.
"""

import math
import numbers

from firstprinciples.index import as_k, shown, way_back
from firstprinciples.ingest import chunking
from firstprinciples.ingest.checks import called
from firstprinciples.retrieve import Explanation, Hit, Part, ids_of, listed


class Parents:
    """A retriever over children that returns their parents.

    `retriever` indexes the children, whatever way it searches them. `parents` are Chunk objects, Documents or plain
    strings (ids are then "0", "1", ...); `parent_of` is {id of a child: id of its parent}. Raises ValueError for a
    child without a parent, and where `parent_of` names a parent that is not there; TypeError for what is no retriever.

    >>> from firstprinciples.retrieve.bm25 import BM25
    >>> sentences = ["Poles are sold in pairs.", "Pegs are sold by the dozen.", "A stove is lit outdoors."]
    >>> pages = Parents(BM25(sentences), ["poles and pegs", "stoves"], {"0": "0", "1": "0", "2": "1"})
    >>> [hit.id for hit in pages.search("where is a stove sold")]
    ['1', '0']
    """

    def __init__(self, retriever, parents, parent_of: dict[str, str]):
        if isinstance(retriever, type) or not hasattr(retriever, "search"):
            raise TypeError(f"{shown(retriever)} is no retriever: it needs search(query, k), as BM25(chunks) has it.")
        if not isinstance(parent_of, dict):
            raise TypeError(f"parent_of is {shown(parent_of)}; it must be a dict {{id of a child: id of its parent}}.")
        parents = listed(parents, "Parents(retriever, [text], parent_of)")
        self.retriever, self.parent_of = retriever, dict(parent_of)
        self.ids = ids_of(parents)
        self.texts = [parent if isinstance(parent, str) else parent.text for parent in parents]
        self.position = {id: place for place, id in enumerate(self.ids)}
        self.metadata = {id: getattr(parent, "metadata", {}) for id, parent in zip(self.ids, parents, strict=True)}
        self.children = {id: [] for id in self.ids}
        for child, parent in self.parent_of.items():
            if not isinstance(parent, str) or parent not in self.children:
                raise ValueError(f"parent_of names {shown(parent)} as the parent of {child!r}, and there is no such "
                                 "parent.")
            self.children[parent].append(child)
        for child in getattr(retriever, "ids", None) or ():
            if child not in self.parent_of:
                raise ValueError(f"The chunk {child!r} has no parent; parent_of must name one for each child.")

    def search(self, query: str, k: int = 10, **options) -> list[Hit]:
        """Return the k parents whose best child scores highest, best first, equal scores by id; all, if fewer.

        `options` are handed on to the search in the children, such as Dense's where=. Raises ValueError for k < 1, and
        where the retriever finds a child without a parent.
        """
        k, n = as_k(k), 0
        while True:
            n = min(max(2 * n, 2 * k), max(len(self.parent_of), 1))
            hits = self._found(query, n, options)
            parents = self._parents(hits)
            # a child below could still tie with the k-th parent, and its parent's id could be the smaller one
            enough = len(parents) >= k and hits[-1].score < parents[k - 1].score
            if enough or len(hits) < n or n >= len(self.parent_of):
                return parents[:k]

    def explain(self, query: str, id: str, **options) -> Explanation:
        """Take a parent's score apart: which child it comes from, with the value 0, then the parts of that child's.

        A parent of whose children none was found scores 0. The best child is that of a search for all: an index that
        compares only some vectors, such as IVF, may miss it where k is small, and such a search gives less. `options`
        are those of the search. Raises KeyError for an unknown id.
        """
        if not isinstance(id, str) or id not in self.position:
            raise KeyError(f"There is no parent {id!r} in this index.")
        mine = len(self.children[id])
        hits = self._found(query, max(len(self.parent_of), 1), options)
        child = next((hit.id for hit in hits if self.parent_of.get(hit.id) == id), None)
        if child is None:
            note = f"none of its {mine} chunks was found" if mine else "it has no chunks"
            return Explanation(0.0, (Part("best child", 0.0, note),))
        inner = self.retriever.explain(query, child, **options)
        note = f"{child}, the best of its {mine} chunks" if mine > 1 else f"{child}, its only chunk"
        return Explanation(inner.total, (Part("best child", 0.0, note), *inner.parts))

    def _found(self, query: str, n: int, options: dict) -> list[Hit]:
        """Return at most n children; raises ValueError, which names the retriever, for what is no list of hits."""
        hits = self.retriever.search(query, n, **options)
        try:
            hits = [Hit(*hit) for hit in hits][:n]
            right = all(isinstance(hit.id, str) and isinstance(hit.score, numbers.Real) and math.isfinite(hit.score)
                        for hit in hits)
        except (TypeError, ValueError):
            right = False
        if not right:
            raise ValueError(f"{type(self.retriever).__name__} found {shown(hits)}, which is no list of hits: an id, a "
                             "string, and a finite score each.")
        for id, _ in hits:
            if id not in self.parent_of:
                raise ValueError(f"The chunk {id!r} has no parent; parent_of must name one for each child.")
        return hits

    def _parents(self, hits: list[Hit]) -> list[Hit]:
        """Return the parents of these children; raises ValueError, which names `to_parents`, where it gives none."""
        task = "chunking.to_parents"
        ranked = called(task, lambda: chunking.to_parents([tuple(hit) for hit in hits], self.parent_of))
        wanted = {self.parent_of[hit.id] for hit in hits}
        try:
            parents = [Hit(id, float(score)) for id, score in ranked]
            if sorted(hit.id for hit in parents) == sorted(wanted) and all(math.isfinite(hit.score) for hit in parents):
                return parents
        except (TypeError, ValueError):
            pass
        raise ValueError(f"to_parents gave {shown(ranked)}, which is no list of (parent, score), each parent of the "
                         f"children once. Is a return missing? {way_back(task)}")
