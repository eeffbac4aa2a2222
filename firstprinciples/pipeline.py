"""The whole trip: from a question to an answer with its receipt, and a record of each stage.

The problem. An answer comes out at the end, and it is wrong. Where did it go wrong: was the page never found, was it
found and thrown out, was it read and not understood? Who sees only the answer can't say. So the trip is walked in
stages, and each leaves a record of what it took, what it gave, what there is to say about it, and how long it was:

    sharpen     a follow-up gets the words of the conversation that it leans on       generate.ways
    search      each retriever looks for what came out of it                          retrieve
    merge       the lists become one, by reciprocal rank                              rank.fusion
    rerank      a slower reader puts the candidates into a new order (optional)       rank.rerank
    correct     a second reader keeps what a trusted reference bears out (optional)   generate.corrective
    desk        which chunks go in, in which order, under which numbers               generate.context
    answer      sentences are quoted with their receipts, or nothing is found         generate.reader

A `Trip` is the record (`firstprinciples.trip`), a `Pipeline` makes one, and a `Chat` remembers what was said, so that
"and when did they pay it?" can be asked. None of them does anything of its own that could not be looked up in the rooms
named above. Any stage can be left out or replaced, `Pipeline.but`; and a record can be walked on from any stage,
`Pipeline.replay`: the same candidates, another reranker.
"""

import math
from collections.abc import Callable
from functools import partial

from firstprinciples import stages
from firstprinciples.generate import answer as answers
from firstprinciples.generate.checks import as_text, as_turns
from firstprinciples.generate.context import BUDGET, lay_out
from firstprinciples.generate.reader import Reader, wants_several
from firstprinciples.generate.rewriting import Writer
from firstprinciples.generate.ways import condense
from firstprinciples.index import shown
from firstprinciples.rank import fusion
from firstprinciples.rank.checks import number_of, whole
from firstprinciples.retrieve import Explanation, Hit, Part, ids_of, listed
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.stages import K, Walk
from firstprinciples.trip import SHOWN, WIDTH, Stage, Trip, load_trip, on_one_line

__all__ = ["SHOWN", "WIDTH", "Chat", "Pipeline", "Stage", "Trip", "load_trip", "on_one_line"]
DEPTH = 100  # how long the list of each retriever is
STAGES = ("sharpen", "search", "merge", "rerank", "correct", "desk")  # after each of them a record can be walked on


class Pipeline:
    """Searches, a desk and a reader, one behind the other; `run` asks a question.

    `chunks` are Chunk objects or plain strings; `retrievers` search in these same chunks, by default BM25 alone, each
    for `depth` chunks. `rewrite` is a way (question, history) -> Rewritten, by default `condense`; with False the
    question is looked for as it was typed. `fuse` makes one list [(id, score), ...] of lists of ids, by default
    `reciprocal_rank_fusion`. `rerank` has score(question, chunks) as `Reranked` takes it, such as cross(), or is None;
    `correct` is a `Corrective` over the same chunks, or None. `order`, `budget` (tokens) and `most` (chunks) are those
    of `context.lay_out`; a question for several things ("which of them ...") may have `several` chunks, each perhaps
    one of them. `reader` is by default a `Reader`, to which `documents` tell on which page a line stands where a chunk
    runs over several. `llm` is any function from a text to a text: it condenses and answers; where it fails the rules
    do, and the note says why. Raises TypeError for what are no chunks, functions, rerankers or readers, ValueError for
    an empty collection, what are no retrievers, and numbers and an order that are none.

    >>> trip = Pipeline(["Tents are aired on Monday.", "The stove needs gas."]).run("When are the tents aired?")
    >>> print(trip.line())
    Answer: Tents are aired on Monday. [0, page 1]
    """

    def __init__(self, chunks, retrievers=None, rewrite: Callable | bool | None = None, rerank=None, correct=None,
                 order: str = "best_first", budget: int = BUDGET, most: int = 5, several: int = 10, reader=None,
                 llm=None, documents=(), depth: int = DEPTH, fuse: Callable | None = None):
        chunks = listed(chunks, "Pipeline([text])")
        if rerank is not None and (isinstance(rerank, type) or not hasattr(rerank, "score")):
            raise TypeError(f"rerank is a reranker, with score(question, chunks) as cross() has it; {shown(rerank)} is "
                            "none.")
        if correct is not None and (isinstance(correct, type) or not hasattr(correct, "correct")):
            raise TypeError(f"correct is a Corrective(retriever, references, chunks); {shown(correct)} is none.")
        if reader is not None and (isinstance(reader, type) or not hasattr(reader, "read")):
            raise TypeError(f"reader is a Reader(chunks); {shown(reader)} is none.")
        if llm is not None and not callable(llm):
            raise TypeError(f"llm is a function from a text to a text; {shown(llm)} can't be called.")
        if fuse is not None and not callable(fuse):
            raise TypeError(f"fuse is a function from lists of ids to [(id, score), ...]; {shown(fuse)} can't be "
                            "called.")
        if isinstance(documents, str) or not hasattr(documents, "__iter__"):
            raise TypeError(f"documents are those that the chunks were cut from, a list; {shown(documents)} is none.")
        documents = list(documents)  # also of a generator: `but` needs them again
        self.given = {"rewrite": rewrite, "rerank": rerank, "correct": correct, "order": order, "budget": budget,
                      "most": most, "several": several, "reader": reader, "llm": llm, "documents": documents,
                      "depth": depth, "fuse": fuse}
        self.chunks = dict(zip(ids_of(chunks), chunks, strict=True))
        both = fusion.Hybrid([BM25(chunks)] if retrievers is None else retrievers)  # checks and names them
        self.retrievers = dict(zip(both.names, both.retrievers, strict=True))
        how = partial(condense, llm=llm) if rewrite is None else rewrite
        self.llm, self.writer = llm, None if rewrite is False else Writer(how)
        self.rerank, self.correct, self.order, self.budget, self.fuse = rerank, correct, order, budget, fuse
        self.most, self.several, self.depth = whole(most, "most"), whole(several, "several"), whole(depth, "depth")
        lay_out([], {}, budget, order, most)  # refuses what it can't use, before anybody asks
        self.reader = Reader(chunks, documents=documents, llm=llm) if reader is None else reader

    def but(self, **changes) -> "Pipeline":
        """Return the same pipeline with some settings changed: stages left out or replaced, another number.

        What is not changed is taken over as it is, and no index is built anew. Other chunks need other retrievers: then
        hand in both. Raises TypeError for a setting that there is none of, and as `Pipeline` does.

        >>> pipeline = Pipeline(["Tents are aired on Monday.", "The tents are red."], most=2)
        >>> [len(each.run("tents").context) for each in (pipeline, pipeline.but(most=1))]
        [2, 1]
        """
        known = {"chunks", "retrievers", *self.given}
        if unknown := [name for name in changes if name not in known]:
            raise TypeError(f"A pipeline has no setting {unknown[0]!r}; it has {', '.join(sorted(known))}.")
        if "chunks" in changes and "retrievers" not in changes:
            raise TypeError("Other chunks need retrievers that search in them: give retrievers=, too; None is BM25.")
        kept = {"chunks": self.chunks.values(), "retrievers": list(self.retrievers.values()), **self.given}
        if not {"chunks", "documents", "llm"} & changes.keys():
            kept["reader"] = self.reader
        return Pipeline(**{**kept, **changes})

    def run(self, question: str, history=(), where: dict | None = None) -> Trip:
        """Walk the whole trip with a question, and return its record.

        `history` holds the turns so far, oldest first, each {"role": "user" or "assistant", "text": ...}. `where` is a
        condition on the chunks' metadata (`firstprinciples.index.filters`), such as {"type": "invoice"}: the searches
        look only among the chunks that fulfill it. Raises ValueError for a question without a letter or digit and for a
        history that is no list of turns; KeyError for a field that no chunk has, and as `Filtered.allowed`.
        """
        walk = Walk(question)
        return self._answered(walk, self._ranked(walk, as_turns(history), where))

    def search(self, query: str, k: int = 10, history=(), where: dict | None = None) -> list[Hit]:
        """Return the k best chunks, best first, as the desk would get them: what the stages before it found together.

        The scores are those of the last list; after a correction the order is the correction's, and a reference has
        the score 0. At most `depth` chunks are found. Raises as `run` does, and ValueError for k < 1.
        """
        k = whole(k, "k")
        walk = Walk(query)
        hits = self._ranked(walk, as_turns(history), where)
        if self.correct is None:
            return hits[:k]
        scores, (ids, _) = {hit.id: hit.score for hit in hits}, self._corrected(walk, hits, k)
        return [Hit(id, scores.get(id, 0.0)) for id in ids][:k]

    def explain(self, query: str, id: str, history=(), where: dict | None = None) -> Explanation:
        """Take the score of one chunk apart: the vote of each list, or with a reranker what that says of the chunk.

        With one retriever and no reranker the parts are those of the retriever. What the correction thinks of the
        chunk is no part of its score. Raises KeyError for an id that is not in this pipeline.
        """
        if not isinstance(id, str) or id not in self.chunks:
            raise KeyError(f"There is no chunk {id!r} in this pipeline.")
        walk = Walk(query)
        hits = self._merged(walk, as_turns(history), where)
        if self.rerank is not None:
            second = stages.reranked(self.rerank, lambda query, k: hits, self.chunks, self.depth)
            return second.explain(walk.texts[0], id)
        retriever = next(iter(self.retrievers.values()))
        if len(walk.lists) == len(walk.texts) == 1 and hasattr(retriever, "explain"):
            return retriever.explain(walk.texts[0], id)
        parts = []
        for name, rank in stages.votes(walk.lists, id).items():
            found = f"rank {rank} in {name}" if rank else f"not among the {len(walk.lists[name])} that {name} found"
            vote = number_of(partial(fusion.reciprocal_rank, rank, K), "reciprocal_rank") if rank else 0.0
            parts.append(Part(name, vote, f"{found}: 1 / ({K} + {rank})" if rank else found))
        if self.fuse is not None or len(walk.lists) == 1:  # which adds up otherwise
            score = next((hit.score for hit in hits if hit.id == id), 0.0)
            parts = [Part("merge", score, "; ".join(part.note.split(":")[0] for part in parts))]
        return Explanation(math.fsum(part.value for part in parts), tuple(parts))

    def replay(self, trip: Trip, after: str = "merge", where: dict | None = None) -> Trip:
        """Walk on from a record: its stages up to and including `after` are taken as they are, the rest is walked anew.

        So another reranker or reader gets the very same candidates, also those of a trip that was read from a file.
        `after` is "sharpen", "search" (all of them), "merge", "rerank", "correct" or "desk"; a stage that the trip did
        not have is left out. `where` is the condition for the stages that are walked anew; the record does not hand it
        on. Raises TypeError for what is no trip, ValueError for another `after`, and for a record of chunks that this
        pipeline does not have, or has with another text.

        >>> pages = ["Tents are aired on Monday.", "The tents are red."]
        >>> trip = Pipeline(pages).run("When are the tents aired?")
        >>> [len(Pipeline(pages, most=most).replay(trip).context) for most in (1, 2)]
        [1, 2]
        """
        if not isinstance(trip, Trip):
            raise TypeError(f"A trip is what run or load_trip gave; {shown(trip)} is none.")
        if after not in STAGES:
            raise ValueError(f"There is no replay after {shown(after)}; choose one of {', '.join(STAGES)}.")
        before = STAGES[: STAGES.index(after) + 1]
        record = {stage.name: stage for stage in trip.stages if stage.name.split(":")[0] in before}
        lacking = [name for name, there in (("search", trip.lists), ("merge", "merge" in record),
                                            ("desk", "desk" in record)) if name in before and not there]
        if lacking:
            raise ValueError(f"This trip can't be walked on after {after!r}: it has no stage {lacking[0]!r}.")
        for name, stage in record.items():
            if name not in ("sharpen", "correct", "desk"):  # which bring their texts along
                stages.same_chunks(name, stage.gave, self.chunks)
        walk = Walk(trip.question, record, before)
        return self._answered(walk, self._ranked(walk, [], where))

    def allowed(self, where: dict | None) -> set[str] | None:
        """Return the ids of the chunks that fulfill a condition, None without one; raises as `run` does."""
        return stages.allowed(self.chunks, where)

    def _merged(self, walk: Walk, turns: list[dict], where: dict | None) -> list[Hit]:
        """Walk up to the merged list, and return it; `walk` has then the texts looked for and the lists found."""
        question, chunks, depth = walk.question, self.chunks, self.depth
        if not any(sign.isalnum() for sign in as_text(question)):
            raise ValueError("The question is empty; type one, such as \"When is the March invoice due?\".")
        walk.allowed, walk.texts = self.allowed(where), (question,)
        if walk.needs("sharpen", self.writer is not None):
            said = [f"{turn['role']}: {turn['text']}" for turn in turns]
            walk.texts = walk.stage("sharpen", [*said, question], lambda: self._sharpen(question, turns), tuple)
        names = list(self.retrievers)
        if "search" in walk.before:
            names = [name.removeprefix("search: ") for name in walk.record if name.startswith("search: ")]
        for name in names:
            walk.lists[name] = walk.stage(
                f"search: {name}", list(walk.texts), lambda name=name: stages.search(
                    name, self.retrievers[name], walk.texts, chunks, depth, walk.allowed, where), stages.hits_of)
        return walk.stage("merge", list(walk.lists), lambda: stages.merge(walk.lists, chunks, depth, self.fuse),
                          stages.hits_of)

    def _sharpen(self, question: str, turns: list[dict]):
        """Return the texts that are looked for."""
        found = self.writer.new(question, turns)
        return found.texts, list(found.texts), found.note

    def _ranked(self, walk: Walk, turns: list[dict], where: dict | None) -> list[Hit]:
        """Walk up to the last list of all candidates, and return it."""
        hits = self._merged(walk, turns, where)
        if not walk.needs("rerank", self.rerank is not None):
            return hits
        return walk.stage("rerank", [hit.id for hit in hits], lambda: stages.rerank(
            self.rerank, walk.texts[0], hits, self.chunks, self.depth), stages.hits_of)

    def _corrected(self, walk: Walk, hits: list[Hit], most: int) -> tuple[list[str], dict]:
        """Return the ids that go to the desk, and {id: chunk}: what the correction kept, or all."""
        ids = [hit.id for hit in hits]
        if not walk.needs("correct", self.correct is not None):
            return ids, self.chunks
        return walk.stage("correct", ids[:most], lambda: stages.correct(
            self.correct, walk.texts[0], hits, most, walk.allowed), stages.trusted_of)

    def _answered(self, walk: Walk, hits: list[Hit]) -> Trip:
        """Walk from the ranked list to the answer, and return the record."""
        asked, question = walk.question, walk.texts[0]
        most = self.several if wants_several(asked) else self.most
        ids, known = self._corrected(walk, hits, most)
        desk = walk.stage("desk", ids, lambda: stages.desk(question, ids, known, self.budget, self.order, most),
                          partial(stages.desk_of, question))
        answer = walk.stage("answer", [question], lambda: stages.answer(self.reader, question, desk, asked))
        return Trip(asked, tuple(walk.stages), answer)


class Chat:
    """A conversation with a pipeline: each question is asked with all that was said before it.

    `history` holds the turns, which `run` of a pipeline takes, the answers without their receipts. A model is handed
    all of it. The rules are handed the questions alone: an answer of theirs is a line out of a document, with a dozen
    names and numbers, and would drown what was talked about.

    >>> chat = Chat(Pipeline(["Invoice 7: tents, due on May 2.", "Invoice 8: stoves, due on June 4."]))
    >>> chat.ask("Which invoice is for the tents?").line(), len(chat.history)
    ('Answer: Invoice 7: tents, due on May 2. [0, page 1]', 2)
    """

    def __init__(self, pipeline: Pipeline):
        self.pipeline, self.history = pipeline, []

    def ask(self, question: str) -> Trip:
        """Ask a question, add it and its answer to the history, and return the trip. Raises as `Pipeline.run`."""
        by_rules = self.pipeline.llm is None
        heard = [turn for turn in self.history if turn["role"] == "user" or not by_rules]
        trip = self.pipeline.run(question, heard)
        said = _without_receipts(trip)
        self.history += [{"role": "user", "text": question}, {"role": "assistant", "text": said}]
        return trip

    def forget(self) -> None:
        """Begin anew: the next question has nothing before it."""
        self.history = []


def _without_receipts(trip: Trip) -> str:
    """Return the answer as it was said, without the receipts of what lay on the desk and what was quoted."""
    said = trip.line().removeprefix("Answer: ")
    for source in (*trip.stage("desk").gave, *trip.stage("answer").gave):
        said = said.replace(f" {on_one_line(answers.receipt(source['document'], source['page']))}", "")
    return said
