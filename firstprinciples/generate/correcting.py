"""Correcting as a retriever: what was found is graded, filtered, and where too little is left, something is done.

The problem. `grader` says of one passage what it thinks. A pipeline has a list of them, and after the false ones are
gone there may be nothing left. `Corrective` stands behind any retriever: it looks for the reference that each candidate
is to be compared with, grades it, keeps what can be trusted, and while that is less than a minimum, it acts:

    more candidates         further down the list of the same search
    other words             the question rephrased, and searched again
    a trusted source        the question is looked for among the references; the best one goes to the desk
    a wider scope           another search over more documents, if there is one
    the verified reference  the reference that the first candidates were compared with goes to the desk itself

Each is tried once at most, in this order, so a question costs five more steps and no more. Each step is kept with why
it was taken and what came of it. A reference counts as one trusted source and is marked as what it is. Where all that
is left is the reference, the answer owes nothing to the grader: notebooks/corrective.json shows both apart.

Source: S.-Q. Yan and others, "Corrective retrieval augmented generation", 2024, whose evaluator is a trained model and
whose action is a search of the web.
"""

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from firstprinciples.generate import corrective
from firstprinciples.generate.checks import as_text, from_task, is_texts
from firstprinciples.generate.corrective import LABELS
from firstprinciples.generate.grader import Grade, grade
from firstprinciples.generate.ways import rephrase
from firstprinciples.index import counted, shown
from firstprinciples.rank.checks import at_least, voting, whole
from firstprinciples.retrieve import Explanation, Hit
from firstprinciples.retrieve.bm25 import BM25

ACTIONS = ("more candidates", "other words", "a trusted source", "a wider scope", "the verified reference")
THRESHOLD, MINIMUM = 0.8, 2  # settled on dev questions by a rule, see data/SOURCES.md
FURTHER = 3  # "more candidates" goes so many times as far down


@dataclass(frozen=True)
class Step:
    """One action: its name, why it was taken, what came of it, and the ids that it brought, chunks or references."""

    action: str
    why: str
    came: str
    new: tuple[str, ...] = ()


@dataclass
class Correction:
    """What became of one question.

    `candidates` are all chunks that were seen, as hits, in the order in which they came; `grades` is {id: Grade} and
    `against` {id: id of the reference that it was compared with, "" for none}. `kept` are the ids that can be trusted,
    `dropped` all others. `references` are those that went to the desk themselves. `trusted` holds what goes into the
    context, at most k, as {"id", "document", "page", "text"}, references first; `steps` what was done.
    """

    query: str
    candidates: list[Hit] = field(default_factory=list)
    grades: dict[str, Grade] = field(default_factory=dict)
    against: dict[str, str] = field(default_factory=dict)
    kept: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    trusted: list[dict] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    @property
    def dropped(self) -> tuple[str, ...]:
        """The ids of the candidates that are not kept, in the order in which they came."""
        return tuple(hit.id for hit in self.candidates if hit.id not in self.kept)


class Corrective:
    """A retriever whose finds are graded against trusted references: `run(query, k)`, `search(query, k)`.

    `references` are Documents, Chunks or strings; which one a chunk is compared with is found by a search among them,
    `lookup`, BM25 unless given. `chunks` are those that `retriever` and `wider` find, Chunk objects or strings.
    `threshold` is how sure an aligned grade must be, `minimum` how many trusted sources are wanted, 0 to act never.
    `actions` are tried in their order. `llm` is any function from a text to a text; `grader(chunk, reference) -> Grade`
    is taken in place of `grade`. Raises ValueError or TypeError for what does not fit.

    >>> pages = ["The tent is not waterproof.", "The tent is waterproof up to 3 meters of water."]
    >>> truth = ["The tent is waterproof: a water column of 3 meters, says the test."]
    >>> both = Corrective(BM25(pages), truth, pages, threshold=0.5, minimum=1)
    >>> both.run("is the tent waterproof", k=2).kept
    ('1',)
    """

    def __init__(self, retriever, references, chunks, threshold: float = THRESHOLD, minimum: int = MINIMUM,
                 actions=ACTIONS, llm=None, wider=None, lookup=None, grader: Callable | None = None):
        for each in (retriever, wider, lookup):
            if each is not None and (isinstance(each, type) or not hasattr(each, "search")):
                raise TypeError(f"{shown(each)} is no retriever: it needs search(query, k), as BM25(chunks) has it.")
        if retriever is None:
            raise TypeError("Corrective stands behind a retriever; give one, such as BM25(chunks).")
        for function, name in ((llm, "llm"), (grader, "grader")):
            if function is not None and not callable(function):
                raise TypeError(f"{name} is a function, and {shown(function)} is none.")
        if isinstance(threshold, bool) or not at_least(0, threshold) or threshold > 1:
            raise ValueError(f"The threshold is {shown(threshold)}; it is a number from 0 to 1.")
        if isinstance(actions, str) or not hasattr(actions, "__iter__"):
            raise TypeError(f"The actions are a list of names, and {shown(actions)} is none.")
        actions = list(actions)
        if unknown := [action for action in actions if action not in ACTIONS]:
            raise ValueError(f"There is no action {unknown[0]!r}; they are {', '.join(ACTIONS)}.")
        self.retriever, self.wider, self.llm = retriever, wider, llm
        none = type(minimum) is int and minimum == 0
        self.threshold, self.minimum = threshold, 0 if none else whole(minimum, "minimum")
        self.actions = tuple(dict.fromkeys(actions))
        self.chunks = _by_id(chunks, "chunks")
        self.references = _by_id(references, "references", "reference ")
        if both := self.chunks.keys() & self.references.keys():
            raise ValueError(f"The id {min(both)!r} is that of a chunk and of a reference; ids must tell them apart.")
        self.lookup = lookup
        if lookup is None and self.references:
            self.lookup = _Lookup(self.references)
        self.grader = grader or partial(grade, llm=llm)
        self.last, self._by = None, {}

    def reference_of(self, text: str) -> str:
        """Return the id of the reference that is most like a text; "" where none shares a word with it."""
        if self.lookup is None:
            return ""
        hits = voting(self.lookup.search(text, 1), type(self.lookup).__name__, 1)
        return hits[0].id if hits and hits[0].score > 0 and hits[0].id in self.references else ""

    def run(self, query: str, k: int = 10) -> Correction:
        """Search, grade, filter, act; return all of it. Raises ValueError for k < 1."""
        k = whole(k, "k")
        return self.correct(query, self.retriever.search(as_text(query), k), k)

    def correct(self, query: str, hits: list[Hit], k: int = 10) -> Correction:
        """Grade what another search found, and act where too little of it can be trusted; `hits` are best first."""
        k = whole(k, "k")
        found = self.last = Correction(as_text(query))
        self._by = {}
        self._take(found, self.retriever, query, _hits(hits)[:k])
        tried = []
        while action := self._next(there := len(found.kept) + len(found.references), tried):
            why = f"{counted(there, 'trusted source')} of the {self.minimum} that are wanted"
            came, new = self._act(action, found, k)
            found.steps.append(Step(action, why, came, tuple(new)))
            tried.append(action)
        found.trusted = [_source(id, self.references[id]) for id in found.references]
        found.trusted += [_source(id, self.chunks[id]) for id in found.kept]
        found.trusted = found.trusted[:k]
        return found

    def search(self, query: str, k: int = 10) -> list[Hit]:
        """Return what can be trusted, at most k: references first, with the score of the lookup, then chunks in the
        order in which they came, with that of the search that found them.
        """
        found = self.run(query, k)
        scores = {hit.id: hit.score for hit in found.candidates}
        hits = [Hit(id, self._looked_up(query, id)) for id in found.references]
        return [*hits, *(Hit(id, scores[id]) for id in found.kept)][:k]

    def explain(self, query: str, id: str) -> Explanation:
        """Take the relevance of a chunk or a reference apart, as the search that found it does: truth is no part of it.

        For the question that was run last, what an action found is taken apart by that search, with the words that it
        was found with. Raises KeyError for an id that none of them knows.
        """
        if isinstance(id, str) and id in self.references:
            return self.lookup.explain(query, id)
        if self.last is not None and self.last.query == query and isinstance(id, str) and id in self._by:
            search, text = self._by[id]
            return search.explain(text, id)
        try:
            return self.retriever.explain(query, id)
        except KeyError:
            if self.wider is None:
                raise
        return self.wider.explain(query, id)

    def _next(self, trusted: int, tried: list[str]) -> str:
        """Return the action that comes next, or ""; a learner's function may not name one that was tried."""
        left = [action for action in self.actions if action not in tried]
        return from_task("corrective.next_action",
                         lambda: corrective.next_action(trusted, self.minimum, list(tried), list(self.actions)),
                         lambda value: isinstance(value, str) and value in ("", *left),
                         "the name of an action that was not tried yet, or an empty text")

    def _act(self, action: str, found: Correction, k: int) -> tuple[str, list[str]]:
        """Do one action; return what came of it in words, and the new ids."""
        if action == "more candidates":
            return self._took(found, [(self.retriever, found.query, FURTHER * k)])
        if action == "other words":
            written = rephrase(found.query, llm=self.llm)
            came, new = self._took(found, [(self.retriever, text, k) for text in written.texts[1:]])
            return f"{written.note} {came}", new
        if action == "a wider scope":
            if self.wider is None:
                return "There is no wider scope here.", []
            return self._took(found, [(self.wider, found.query, k)])
        if action == "a trusted source":
            id, how = self.reference_of(found.query), "is the nearest to the question"
        else:
            id, how = self._yardstick(found, k), "is what the first candidates were compared with"
        if not id:
            return "No reference fits.", []
        if id in found.references:
            return f"Reference {id} {how}, and is on the desk already.", []
        found.references += (id,)
        return f"Reference {id} {how}; it goes to the desk.", [id]

    def _took(self, found: Correction, searches) -> tuple[str, list[str]]:
        """Grade what searches (retriever, text, k) find anew; return in words what came of it, and the new ids."""
        before, new = set(found.kept), []
        for search, text, k in searches:
            new += self._take(found, search, text, _hits(search.search(text, k)))
        kept = sum(id not in before for id in found.kept)
        return f"{counted(len(new), 'new candidate')}, {kept} of them kept.", new

    def _take(self, found: Correction, search, text: str, hits: list[Hit]) -> list[str]:
        """Grade the hits of a search that were not seen yet, and filter all again; return the new ids."""
        new = []
        for hit in hits:
            if hit.id in found.grades:
                continue
            if hit.id not in self.chunks:
                raise ValueError(f"The search found {hit.id!r}, which is not among the chunks that were handed in.")
            against = self.reference_of(self.chunks[hit.id].text)
            found.against[hit.id] = against
            found.grades[hit.id] = (_graded(self.grader(self.chunks[hit.id], self.references[against])) if against
                                    else Grade("uncertain", 1.0, "No reference shares a word with it."))
            found.candidates.append(hit)
            self._by[hit.id] = search, text
            new.append(hit.id)
        graded = [(hit.id, found.grades[hit.id].label, found.grades[hit.id].confidence) for hit in found.candidates]
        kept = from_task("corrective.keep", lambda: corrective.keep(list(graded), self.threshold),
                         lambda value: (is_texts(value) and set(value) <= found.grades.keys()
                                        and len(set(value)) == len(value)), "a list of these ids, each once")
        found.kept = tuple(kept)
        return new

    def _yardstick(self, found: Correction, k: int) -> str:
        """Return the reference with which most of the first k candidates were compared, of equals the first; or ""."""
        used = Counter(found.against[hit.id] for hit in found.candidates[:k]
                       if found.against[hit.id] and found.grades[hit.id].label != "uncertain")
        return max(used, key=used.get, default="")  # a Counter keeps the order in which they came

    def _looked_up(self, query: str, id: str) -> float:
        """Return the score of a reference for a question, 0.0 where the lookup does not find it."""
        return next((hit.score for hit in self.lookup.search(query, len(self.references)) if hit.id == id), 0.0)


class _Lookup:
    """BM25 over references, by their ids; a text of many words is a query like any other."""

    def __init__(self, references: dict):
        self.ids = list(references)
        self.bm25 = BM25([reference.text for reference in references.values()])

    def search(self, query: str, k: int) -> list[Hit]:
        """Return the k best references."""
        return [Hit(self.ids[int(id)], score) for id, score in self.bm25.search(query, k)]

    def explain(self, query: str, id: str) -> Explanation:
        """Take the score of one reference apart."""
        return self.bm25.explain(query, str(self.ids.index(id)))


@dataclass(frozen=True)
class _Text:
    """A plain string in the place of a chunk."""

    id: str
    text: str


def _by_id(things, name: str, before: str = "") -> dict:
    """Return {id: chunk, document or string with an id}; strings are numbered, `before` in front."""
    if isinstance(things, (str, bytes, dict)) or not hasattr(things, "__iter__"):
        raise TypeError(f"{name} is a list of texts or chunks, and {shown(things)} is none.")
    things = [_Text(f"{before}{n}", thing) if isinstance(thing, str) else thing for n, thing in enumerate(things)]
    for thing in things:
        if not all(isinstance(getattr(thing, part, None), str) for part in ("id", "text")):
            raise TypeError(f"There is {shown(thing)} among the {name}; each is a text, or has an id and a text.")
    out = {thing.id: thing for thing in things}
    if len(out) < len(things):
        raise ValueError(f"Two of the {name} have the same id.")
    return out


def _hits(hits) -> list[Hit]:
    """Return what a search found as hits. Raises ValueError for what is no list of an id and a finite score each."""
    try:
        found = [hit if isinstance(hit, Hit) else Hit(*hit) for hit in hits]
        right = all(isinstance(id, str) and at_least(-sys.float_info.max, score) for id, score in found)
    except (TypeError, ValueError):
        right = False
    if not right:
        raise ValueError(f"A search should find hits, an id and a finite score each; here it found {shown(hits)}.")
    return found


def _graded(value) -> Grade:
    """Return what a grader gave. Raises ValueError for anything but a Grade with a known label and a number 0 to 1."""
    if not (isinstance(value, Grade) and isinstance(value.label, str) and value.label in LABELS
            and at_least(0, value.confidence) and value.confidence <= 1):
        raise ValueError(f"A grader should give a Grade: {', '.join(LABELS)}, and how sure from 0 to 1; it gave "
                         f"{shown(value)}.")
    return value


def _source(id: str, thing) -> dict:
    """Return a chunk or a reference as a source for the context."""
    document = getattr(thing, "document", None)
    if document is None:  # a Document is a reference; a plain string is known by its number
        title = getattr(thing, "title", "")
        document = f"reference {id} ({title})" if title else id
    return {"id": id, "document": document or id, "page": getattr(thing, "page", 1), "text": thing.text}
