"""A side of a comparison: one retriever, the chunks it gets, the texts it looks for, and what came out.

The milliseconds of a search hold all that happens after a question was typed: rewriting it, cutting it into words,
encoding it, looking through the index and, where a second stage stands behind, reading the candidates again. Only
passages are encoded beforehand, and kept on disk (see `encode.cache`). Where the vector of a question is stored with
the course, as for Larkspur, it is looked up, and the last line says so.
"""

import time

from firstprinciples.corpus import Collection
from firstprinciples.encode import stored
from firstprinciples.encode.splade_tiny import splade_tiny
from firstprinciples.evaluate.build import (
    DEFAULTS,
    make_retriever,
    need_files,
    reading,
    rewriting,
    sentence_encoder,
    texts_sought,
)
from firstprinciples.evaluate.cut import FIRST, cut, cut_apart, need_sentences, words_handed_on
from firstprinciples.evaluate.experiment import evaluate
from firstprinciples.generate.rewriting import NEEDS_VECTORS
from firstprinciples.progress import Bar


class Watched:
    """A retriever that shows how many of n questions it was asked, so that slow searches are seen to go on.

    The milliseconds of a search hold what is done here. So nothing is shown for a second, and then five times a second:
    quick searches are over by then, and in slow ones it is nothing.

    `conditions` has one for each question, in the order in which they are asked, or None for a question without one.

    >>> from firstprinciples.retrieve.bm25 import BM25
    >>> watched = Watched(BM25(["a red tent", "a stove"]), "Searching", n=1)
    >>> [hit.id for hit in watched.search("red tents")], watched.asked
    (['0'], 1)
    """

    def __init__(self, retriever, what: str, n: int, conditions=()):
        self.conditions = list(conditions)
        self.retriever, self.bar, self.n, self.asked = retriever, Bar(what), n, 0
        self.next, self.shown, self.first = time.monotonic() + 1, False, []

    def search(self, query: str, k: int = 10, **more):
        """Return what the retriever finds; the first of each list are kept in `first`."""
        if self.conditions:
            more["where"] = self.conditions[self.asked]
        hits = self.retriever.search(query, k, **more)
        self.first.append(hits[:FIRST])
        self.asked += 1
        if (now := time.monotonic()) >= self.next or (self.shown and self.asked == self.n):  # the last call clears it
            self.next, self.shown = now + 0.2, True
            self.bar(self.asked, self.n)
        return hits


class Side:
    """One of the retrievers that are measured: how it cuts the collection, what it looks for, and what came out."""

    def __init__(self, options, collection: Collection, asked):
        if options.rewrite == "condense" and not any(query.history for query in asked):
            raise ValueError(f"--rewrite condense takes words from the turns before a question, and no question of "
                             f"{collection.name} has any: leave it out.")
        self.filtered = getattr(options, "filters", False)
        if self.filtered and not any(query.filter for query in asked):
            raise ValueError(f"--filters takes the condition of each question, and no question of {collection.name} "
                             "has one: leave it out.")
        self.options, self.collection, self.asked = options, collection, asked
        self.cut, self.sought = None, None
        self.retriever, self.watched, self.result = None, None, None

    def begin(self) -> None:
        """Cut the documents; raise ModelFilesMissing where a text must be encoded and can't.

        Cutting by meaning encodes each sentence, which may take minutes. So it is asked before whether the sentences,
        and the chunks to come, can be encoded: of a chunk that is not there yet, its document stands for it.
        """
        if self.by_meaning():
            documents = [document.text for document in self.collection.documents]
            need_sentences(self.options, self.collection.documents)
            need_files(self.options, [*documents, *(query.text for query in self.asked)])
        self.cut = cut(self.options, self.collection, sentence_encoder(self.options))
        self.sought = texts_sought(self.options, self.cut.indexed, self.asked)
        self.need_files()

    def by_meaning(self) -> bool:
        """Say whether cutting needs an encoder, so that it may take minutes."""
        return self.options.chunker == "meaning"

    def need_files(self) -> None:
        """Raise ModelFilesMissing where a chunk or a question must be encoded and can't."""
        questions = [text for texts in self.sought.values() for text in texts]
        read = [*(chunk.text for chunk in self.cut.collection.chunks), *questions] if self.cut.parent_of else None
        need_files(self.options, [*(chunk.text for chunk in self.cut.indexed), *questions], read)

    def build(self) -> None:
        """Build the retriever with its index."""
        above = (self.cut.collection.chunks, self.cut.parent_of) if self.cut.parent_of else ()
        self.retriever = make_retriever(self.options, self.cut.indexed, *above)
        for query in self.asked if self.filtered else ():
            try:
                self.retriever.allowed(query.filter)
            except (KeyError, TypeError, ValueError) as error:  # told before anything is measured
                raise ValueError(f"The condition of {query.id} can't be used: {error.args[0]}") from None

    def measure(self, what: str, split: str) -> None:
        """Ask all questions; `what` is said while it takes long."""
        conditions = [query.filter for query in self.asked] if self.filtered else ()
        self.watched = Watched(self.retriever, what, len(self.sought), conditions)
        # an invented answer is made of the question alone
        history = rewriting(self.options) not in (None, *NEEDS_VECTORS)
        self.result = evaluate(self.watched, self.cut.collection, split, history=history)

    def reading(self) -> dict | None:
        """Return what the second stage read for a question, on average."""
        return reading(self.retriever, self.result["queries"])

    def changed(self) -> int:
        """Return of how many questions --rewrite made something else."""
        own = {query.id: (query.text,) for query in self.cut.collection.queries}
        return sum(texts != own[id] for id, texts in self.sought.items())

    def pieces(self) -> dict:
        """Return what chunking did: how many chunks, how many pieces of evidence, of these apart, and words to read."""
        lost, pieces = cut_apart(self.cut.collection, self.result["each"])
        first = [[hit.id for hit in hits] for hits in self.watched.first]
        return {"chunks": len(self.cut.indexed), **({"evidence": pieces, "apart": lost} if pieces else {}),
                "words": words_handed_on(self.cut.collection, first)}

    def more(self, told: bool) -> dict:
        """Return what the JSON says beside the usual; `told` says whether a chunker was named for one of the two."""
        texts = sum(map(len, self.sought.values())) / len(self.sought)
        return {**({"reranking": self.reading()} if self.options.rerank else {}),
                **({"chunking": self.pieces()} if told else {}),
                **({"rewriting": {"by": "rules", "changed": self.changed(), "texts": texts}}
                   if rewriting(self.options) else {}),
                **({"filters": {"questions": self.with_condition()}} if self.filtered else {})}

    def with_condition(self) -> int:
        """Return how many of the questions have a condition of their own."""
        return sum(bool(query.filter) for query in self.asked)

    def said(self, which: str, told: bool) -> list[str]:
        """Return the sentences on chunking, rewriting and conditions; `which` says where, as told of two: " in A"."""
        out = []
        if told:
            found = self.pieces()
            if "apart" in found:
                lost = {0: "", 1: "; no chunk holds it whole, so no search finds it"}
                out.append(f"Cut apart{which}: {found['apart']} of {found['evidence']} pieces of evidence"
                           + lost.get(found["apart"], "; no chunk holds them whole, so no search finds them") + ".")
            out.append(f"Handed on{which}: {found['words']:,.0f} words, on average, in the first {FIRST} of a list.")
        if rewriting(self.options):
            texts = sum(map(len, self.sought.values())) / len(self.sought)
            out.append(f"Rewritten{which} by rules, not by a language model: {self.changed()} of {len(self.sought)} "
                       f"questions; {texts:.1f} texts for one question, on average.")
        if self.filtered:
            out.append(f"Filtered{which}: {self.with_condition()} of {len(self.sought)} questions have a condition of "
                       "their own, and were looked for only among what fulfills it.")
        return out

    def looked_up(self) -> bool:
        """Say whether no search had to encode anything."""
        return looked_up(self.options, self.cut.collection, self.result["each"], self.sought)


def looked_up(options, collection: Collection, measured, sought=None) -> bool:
    """Say whether all that was encoded of the measured questions was looked up, so that no search had to encode one.

    `sought` is {query id: texts that are searched for}, by default the question as it is.
    """
    known = {"minilm": stored.minilm, "splade-tiny": splade_tiny}.get(options.encoder)
    by_tokens = options.retriever == "maxsim" or options.rerank == "maxsim"
    if "encoder" not in DEFAULTS[options.retriever] or known is None or by_tokens:
        return False
    return all(known().has(text) for query in collection.queries if query.id in measured
               for text in (sought or {}).get(query.id, (query.text,)))
