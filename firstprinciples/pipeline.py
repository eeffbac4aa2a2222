"""The whole trip: from a question to an answer with its receipt, and a record of each stage.

The problem. An answer comes out at the end, and it is wrong. Where did it go wrong: was the page never found, was it
found and thrown out, was it read and not understood? Who sees only the answer can't say. So the trip is walked in
stages, and each leaves a record of what it took, what it gave, what there is to say about it, and how long it was:

    sharpen     a follow-up gets the words of the conversation that it leans on       generate.ways
    search      each retriever looks for what came out of it                          retrieve
    merge       the lists become one, by reciprocal rank                              rank.fusion
    correct     a second reader keeps what a trusted reference bears out (optional)   generate.corrective
    desk        which chunks go in, in which order, under which numbers               generate.context
    answer      sentences are quoted with their receipts, or nothing is found         generate.reader

A `Trip` is the record, a `Pipeline` makes one, and a `Chat` remembers what was said, so that "and when did they pay
it?" can be asked. None of them does anything of its own that could not be looked up in the rooms named above. What is
recorded is plain: texts, numbers, lists and dicts, so that it can be printed, drawn, and kept as JSON.
"""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, is_dataclass
from functools import partial

from firstprinciples.corpus import Chunk
from firstprinciples.generate import answer as answers
from firstprinciples.generate.checks import as_text, as_turns
from firstprinciples.generate.context import BUDGET, lay_out
from firstprinciples.generate.reader import Answer, Reader, wants_several
from firstprinciples.generate.rewriting import Writer
from firstprinciples.generate.ways import condense
from firstprinciples.index import counted, shown
from firstprinciples.rank import fusion
from firstprinciples.rank.checks import taken, voting, whole
from firstprinciples.retrieve import Hit, ids_of, listed
from firstprinciples.retrieve.bm25 import BM25

DEPTH, K = 100, 60  # how long the list of each retriever is, and the k of the fusion
SHOWN, WIDTH = 5, 100  # rows of a list, and characters of a row, that `show` prints


@dataclass(frozen=True)
class Stage:
    """One stage of a trip: its name, what it took and gave, a sentence about it, and its seconds.

    `took` and `gave` are lists of plain values. A chunk in them is a dict {"id", "document", "page", "text"}, and on a
    list of the search also "score"; after the merge also "ranks", {name of the retriever: rank from 1, or None}; after
    the correction "label", "confidence" and "rationale".
    """

    name: str
    took: list
    gave: list
    note: str
    seconds: float


@dataclass(frozen=True)
class Trip:
    """The record of one question: as it was typed, the stages in their order, and the answer."""

    question: str
    stages: tuple[Stage, ...]
    answer: Answer

    def stage(self, name: str) -> Stage:
        """Return the stage of a name. Raises KeyError where the trip had none of it."""
        for stage in self.stages:
            if stage.name == name:
                return stage
        raise KeyError(f"This trip has no stage {name!r}; it has {', '.join(stage.name for stage in self.stages)}.")

    def show(self, most: int = SHOWN) -> str:
        """Return the trip as plain text, stage by stage, `most` rows of each list; the last line is the answer."""
        lines, before = [f"Question: {_cut(on_one_line(self.question), 3 * WIDTH)}"], None
        for number, stage in enumerate(self.stages, 1):
            note = _cut(on_one_line(stage.note), 5 * WIDTH)
            lines += ["", f"{number}. {stage.name} ({1000 * stage.seconds:.1f} ms)  {note}"]
            scores = [(value["id"], value["score"]) for value in stage.gave
                      if isinstance(value, dict) and "score" in value]
            if scores and scores == before:  # a list that is passed on as it is need not be read twice
                continue
            lines += [f"   {_row(value)}" for value in stage.gave[:most]]
            if len(stage.gave) > most:
                lines.append(f"   ... and {len(stage.gave) - most:,} more")
            before = scores
        return "\n".join([*lines, "", self.line()])

    def line(self) -> str:
        """Return the answer as one line, "Answer: ... [document, page 2]"."""
        return f"Answer: {on_one_line(self.answer.text).removeprefix('Answer: ')}"

    def as_dict(self) -> dict:
        """Return the trip as plain values: {"question", "stages", "answer"}, which JSON can hold."""
        answer = asdict(self.answer) if is_dataclass(self.answer) else {"text": self.answer.text}
        return {"question": self.question, "stages": [asdict(stage) for stage in self.stages], "answer": answer}


class Pipeline:
    """Searches, a desk and a reader, one behind the other; `run` asks a question.

    `chunks` are Chunk objects or plain strings; `retrievers` search in these same chunks, by default BM25 alone.
    `rewrite` is a way (question, history) -> Rewritten, by default `condense`; `correct` is a `Corrective` over the
    same chunks, or None. `order`, `budget` (tokens) and `most` (chunks) are those of `context.lay_out`; a question for
    several things ("which of them ...") may have `several` chunks, each perhaps one of them. `reader` is by default a
    `Reader`, to which `documents` tell on which page a line stands where a chunk runs over several. `llm` is any
    function from a text to a text: it condenses and answers; where it fails the rules do, and the note says why.
    Raises TypeError for what are no chunks, functions or readers, ValueError for an empty collection, what are no
    retrievers, and numbers and an order that are none.

    >>> trip = Pipeline(["Tents are aired on Monday.", "The stove needs gas."]).run("When are the tents aired?")
    >>> print(trip.line())
    Answer: Tents are aired on Monday. [0, page 1]
    """

    def __init__(self, chunks, retrievers=None, rewrite: Callable | None = None, correct=None,
                 order: str = "best_first", budget: int = BUDGET, most: int = 5, several: int = 10, reader=None,
                 llm=None, documents=()):
        chunks = listed(chunks, "Pipeline([text])")
        if correct is not None and not hasattr(correct, "correct"):
            raise TypeError(f"correct is a Corrective(retriever, references, chunks); {shown(correct)} is none.")
        if reader is not None and not hasattr(reader, "read"):
            raise TypeError(f"reader is a Reader(chunks); {shown(reader)} is none.")
        if llm is not None and not callable(llm):
            raise TypeError(f"llm is a function from a text to a text; {shown(llm)} can't be called.")
        self.chunks = dict(zip(ids_of(chunks), chunks, strict=True))
        both = fusion.Hybrid([BM25(chunks)] if retrievers is None else retrievers)  # checks and names them
        self.retrievers = dict(zip(both.names, both.retrievers, strict=True))
        self.llm, self.writer = llm, Writer(partial(condense, llm=llm) if rewrite is None else rewrite)
        self.correct, self.order, self.budget = correct, order, budget
        self.most, self.several = whole(most, "most"), whole(several, "several")
        lay_out([], {}, budget, order, most)  # refuses what it can't use, before anybody asks
        self.reader = Reader(chunks, documents=documents, llm=llm) if reader is None else reader

    def run(self, question: str, history=()) -> Trip:
        """Walk the whole trip with a question, and return its record.

        `history` holds the turns so far, oldest first, each {"role": "user" or "assistant", "text": ...}. Raises
        ValueError for a question without a letter or digit and for a history that is no list of turns.
        """
        turns = as_turns(history)
        if not any(sign.isalnum() for sign in as_text(question)):
            raise ValueError("The question is empty; type one, such as \"When is the March invoice due?\".")
        stages = []

        def walk(name, took, work):
            """Do the work of a stage, (value, what it gave, note), note it down, and return the value."""
            start = time.perf_counter()
            value, gave, note = work()
            stages.append(Stage(name, took, gave, note, time.perf_counter() - start))
            return value

        said = [f"{turn['role']}: {turn['text']}" for turn in turns]
        texts = walk("sharpen", [*said, question], lambda: self._sharpen(question, turns))
        lists = {name: walk(f"search: {name}", list(texts), partial(self._search, name, texts))
                 for name in self.retrievers}
        hits = walk("merge", list(lists), lambda: self._merge(lists))
        most = self.several if wants_several(question) else self.most
        ids, known = [hit.id for hit in hits], self.chunks
        if self.correct is not None:
            ids, known = walk("correct", ids[:most], lambda: self._correct(texts[0], hits, most))
        desk = walk("desk", ids, lambda: self._desk(texts[0], ids, known, most))
        answer = walk("answer", [texts[0]], lambda: self._answer(texts[0], desk, question))
        return Trip(question, tuple(stages), answer)

    def _sharpen(self, question: str, turns: list[dict]):
        """Return the texts that are looked for."""
        found = self.writer.new(question, turns)
        return found.texts, list(found.texts), found.note

    def _search(self, name: str, texts: tuple[str, ...]):
        """Return what one retriever finds; the lists of several texts are fused."""
        retriever = self.retrievers[name]
        hits = retriever.search(texts[0], DEPTH) if len(texts) == 1 else \
            fusion.rag_fusion(retriever, list(texts), DEPTH, K, DEPTH)
        hits = voting(hits, name, DEPTH)
        for hit in hits:
            if hit.id not in self.chunks:
                raise ValueError(f"{name} found the chunk {hit.id!r}, which is not among those of the pipeline; give "
                                 "both the same chunks.")
        return hits, self._rows(hits), f"{counted(len(hits), 'chunk')} found." if hits else "Nothing found."

    def _merge(self, lists: dict[str, list[Hit]]):
        """Return one list of all; one alone stays as it is."""
        if len(lists) == 1:
            (hits,) = lists.values()
            return hits, self._rows(hits, lists), "One list: nothing to merge."
        ids = [[hit.id for hit in hits] for hits in lists.values()]
        hits = taken(lambda: fusion.reciprocal_rank_fusion(ids, K), DEPTH, "reciprocal_rank_fusion")
        votes = [len(one) for one in ids if one]
        return hits, self._rows(hits, lists), f"{len(votes)} of {len(ids)} lists have a vote: 1 / ({K} + rank) each."

    def _correct(self, question: str, hits: list[Hit], most: int):
        """Return the ids of what can be trusted, in their order, and {id: chunk} of these."""
        found = self.correct.correct(question, hits, most)
        rows = []
        for source in found.trusted:
            grade = found.grades.get(source["id"])
            said = {"label": grade.label, "confidence": grade.confidence, "rationale": grade.rationale} if grade else \
                {"label": "reference"}
            rows.append({**source, **said})
        steps = [f"{step.action} ({step.why}): {step.came}" for step in found.steps]
        dropped = ", ".join(f"{id} ({found.grades[id].label})" for id in found.dropped)
        note = (f"{len(found.kept)} of {counted(len(found.candidates), 'candidate')} kept"
                f"{f'; dropped: {dropped}' if dropped else ''}.")
        known = {row["id"]: Chunk(row["id"], row["text"], row["document"], page=row["page"]) for row in rows}
        return (list(known), known), rows, " ".join([note, *steps])

    def _desk(self, question: str, ids: list[str], known: dict, most: int):
        """Return the context."""
        desk = lay_out(ids, {id: known[id] for id in ids}, self.budget, self.order, most, question=question)
        note = (f"{counted(len(desk.sources), 'chunk')}, {self.order.replace('_', ' ')}, {desk.tokens:,} tokens with "
                f"note and question; {len(desk.left_out)} left out.")
        return desk, [dict(source) for source in desk.sources], note

    def _answer(self, question: str, desk, asked: str):
        """Return the answer to a question, `asked` as it was typed."""
        answer = self.reader.read(question, desk, asked=asked)
        quotes = [asdict(quote) if is_dataclass(quote) else quote for quote in getattr(answer, "quotes", ())]
        return answer, quotes, getattr(answer, "note", "")

    def _rows(self, hits: list[Hit], lists: dict[str, list[Hit]] | None = None) -> list[dict]:
        """Return hits as plain dicts; with `lists`, with the rank that each has in them."""
        places = {name: {hit.id: rank for rank, hit in enumerate(found, 1)} for name, found in (lists or {}).items()}
        rows = []
        for hit in hits:
            chunk = self.chunks[hit.id]
            row = {"id": hit.id, "document": getattr(chunk, "document", "") or hit.id,
                   "page": getattr(chunk, "page", 1), "text": getattr(chunk, "text", chunk), "score": hit.score}
            ranks = {name: place.get(hit.id) for name, place in places.items()}
            rows.append({**row, "ranks": ranks} if lists else row)
        return rows


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


def on_one_line(text: str) -> str:
    r"""Return a text as one line of signs that can be printed.

    >>> on_one_line("due:\n\t$1,284.50\x1b[2J")
    'due: $1,284.50[2J'
    """
    return "".join(sign for sign in " ".join(str(text).split()) if sign.isprintable())


def _without_receipts(trip: Trip) -> str:
    """Return the answer as it was said, without the receipts of what lay on the desk and what was quoted."""
    said = trip.line().removeprefix("Answer: ")
    for source in (*trip.stage("desk").gave, *trip.stage("answer").gave):
        said = said.replace(f" {on_one_line(answers.receipt(source['document'], source['page']))}", "")
    return said


def _row(value) -> str:
    """Return one row of what a stage gave, cut to the width that is shown; a text that is looked for, to three rows."""
    if not (isinstance(value, dict) and {"document", "page", "text"} <= value.keys()):
        return _cut(on_one_line(value), 3 * WIDTH)
    score = f"{value['score']:8.4f}  " if "score" in value else ""
    said = ", ".join(f"{name} {rank or '-'}" for name, rank in value.get("ranks", {}).items())
    if "label" in value:
        said = value["label"] + (f" {value['confidence']:.2f}: {value['rationale']}" if "rationale" in value else "")
    where = on_one_line(f"[{value['document']}, page {value['page']}]" + (f" ({said})" if said else ""))
    return _cut(f"{score}{where}  {on_one_line(value['text'])}", WIDTH)


def _cut(line: str, width: int) -> str:
    """Return a line with … for what is beyond the width."""
    return line if len(line) <= width else line[:width - 1] + "…"
