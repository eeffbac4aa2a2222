"""The record of a trip: what each stage took and gave, printed, kept as a file, and read again.

The problem. A wrong answer on the screen can't say where it went wrong. So each question that goes through
`firstprinciples.pipeline` leaves a record: the stages in their order, and the answer. All of it is plain (texts,
numbers, lists, dicts), and so it can be printed, drawn, and kept as JSON. `Trip.save` writes such a file, `load_trip`
reads it, and what is read is equal to what was saved: who has the file has the whole trip, without the pipeline.
"""

import contextlib
import json
import os
from dataclasses import asdict, dataclass, is_dataclass
from math import isfinite
from pathlib import Path

from firstprinciples.generate.reader import Answer, Quote
from firstprinciples.index import shown

SHOWN, WIDTH = 5, 100  # rows of a list, and characters of a row, that `show` prints
RANKED = ("rerank", "merge")  # the stages that put all candidates into one order, the last one first
NUMBER = (int, float)
KINDS = {"name": str, "took": list, "gave": list, "note": str, "seconds": NUMBER}
QUOTE = {"text": str, "chunk": str, "document": str, "page": int, "start": int, "end": int}


@dataclass(frozen=True)
class Stage:
    """One stage of a trip: its name, what it took and gave, a sentence about it, and its seconds.

    `took` and `gave` are lists of plain values. A chunk in them is a dict {"id", "document", "page", "text"}, and on a
    list of the search also "score"; after the merge also "ranks", {name of the retriever: rank from 1, or None}; after
    the reranker "was", its place before, from 1; after the correction "label", "confidence" and "rationale".
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

    @property
    def lists(self) -> dict[str, list[str]]:
        """What each retriever found: {its name: ids, best first}."""
        return {stage.name.removeprefix("search: "): [row["id"] for row in stage.gave]
                for stage in self.stages if stage.name.startswith("search: ")}

    @property
    def ranked(self) -> list[str]:
        """The ids of the last list in which all candidates stand: the reranker's, or that of the merge."""
        names = [stage.name for stage in self.stages]
        last = next((name for name in RANKED if name in names), None)
        return [] if last is None else [row["id"] for row in self.stage(last).gave]

    @property
    def candidates(self) -> list[str]:
        """The ids of all that any retriever found: in the order of the merge, then what the merge cut off."""
        merged = [row["id"] for stage in self.stages if stage.name == "merge" for row in stage.gave]
        return list(dict.fromkeys([*merged, *(id for ids in self.lists.values() for id in ids)]))

    @property
    def context(self) -> list[dict]:
        """The chunks that lay on the desk, as they stood there."""
        return self.stage("desk").gave

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

    def save(self, path) -> None:
        """Write the trip as JSON, in one step: whatever happens, a file holds the old content or the new, never a part.

        Raises ValueError for a name that does not end in .json, so that no document of yours can be overwritten, for a
        folder, for one that is not there, and for a record with something in it that JSON has no form for; TypeError
        for what is no name.
        """
        path = _file(path)
        try:
            folder, inside = path.is_dir(), path.parent.is_dir()
        except OSError as error:  # such as a name that is too long
            raise ValueError(f"{str(path)!r} can't be written ({error.strerror or error}).") from None
        if folder:
            raise ValueError(f"{str(path)!r} is a folder; give the name of a file.")
        if path.suffix.lower() != ".json":
            raise ValueError(f"{str(path)!r} does not end in .json; give the trip a name that does.")
        if not inside:
            raise ValueError(f"The folder of {str(path)!r} is not there; make it first.")
        try:
            text = json.dumps(self.as_dict(), indent=1, allow_nan=False) + "\n"
        except (TypeError, ValueError) as error:
            raise ValueError(f"This trip can't be kept as JSON ({error}). Stages and answers hold texts, numbers, "
                             "lists and dicts.") from None
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            draft.write_text(text, encoding="utf-8")
            os.replace(draft, path)
        except OSError as error:
            with contextlib.suppress(OSError):
                draft.unlink()
            raise ValueError(f"{str(path)!r} can't be written ({error.strerror or error}).") from None


def load_trip(path) -> Trip:
    """Read what `Trip.save` wrote; the trip is equal to the one that was saved.

    Of an answer that was no `Answer`, as a reader of your own may give it, the text is kept. Raises ValueError for a
    file that is not there, is cut off, or holds no trip; TypeError for what is no name.
    """
    path = _file(path)
    try:
        record = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise ValueError(f"There is no file {str(path)!r}.") from None
    except OSError as error:
        raise ValueError(f"{str(path)!r} can't be read ({error.strerror or error}).") from None
    except UnicodeDecodeError:
        raise ValueError(f"{str(path)!r} is no trip: it is not UTF-8 text.") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{str(path)!r} is no trip, or one that is cut off: its JSON breaks in line {error.lineno}. "
                         "Save the trip anew.") from None
    except (ValueError, RecursionError):  # a number of thousands of digits; lists in lists without an end
        raise ValueError(f"{str(path)!r} is no trip: its JSON can't be read.") from None
    try:
        return trip_of(record)
    except ValueError as error:
        raise ValueError(f"{str(path)!r} is no trip: {error}") from None


def trip_of(record: dict) -> Trip:
    """Return the trip of what `Trip.as_dict` gave. Raises ValueError, which says what is missing, for anything else.

    >>> trip_of({"question": "Why?", "stages": [], "answer": {"text": "Answer: So."}}).line()
    'Answer: So.'
    """
    _need(record, {"question": str, "stages": list, "answer": dict}, "a trip")
    for stage in record["stages"]:
        _need(stage, KINDS, "a stage")
        if stage["name"] == "sharpen" and not (stage["gave"] and all(isinstance(text, str) for text in stage["gave"])):
            raise ValueError("what 'sharpen' gave are texts, one or more.")
        if stage["name"] in (*RANKED, "correct", "desk") or stage["name"].startswith("search: "):
            for row in stage["gave"]:
                _need(row, {"id": str, "document": str, "page": int, "text": str}, f"a row of {stage['name']!r}")
                if stage["name"] not in ("correct", "desk"):
                    _need(row, {"score": NUMBER}, f"a row of {stage['name']!r}")
                if "rationale" in row:
                    _need(row, {"label": str, "confidence": NUMBER}, f"a row of {stage['name']!r}")
                for name, kind in (("ranks", dict), ("was", int), ("label", str)):
                    if name in row:
                        _need(row, {name: kind}, f"a row of {stage['name']!r}")
    stages = tuple(Stage(*(stage[name] for name in KINDS)) for stage in record["stages"])
    return Trip(record["question"], stages, _answer(record["answer"]))


def on_one_line(text: str) -> str:
    r"""Return a text as one line of signs that can be printed.

    >>> on_one_line("due:\n\t$1,284.50\x1b[2J")
    'due: $1,284.50[2J'
    """
    return "".join(sign for sign in " ".join(str(text).split()) if sign.isprintable())


def _need(record, kinds: dict, what: str) -> None:
    """Raise ValueError unless a record is a dict that has these keys, each with a value of its kind."""
    if not isinstance(record, dict):
        raise ValueError(f"{what} is an object, and {shown(record)} is none.")
    for name, kind in kinds.items():
        if name not in record:
            raise ValueError(f"{what} has {name!r}, and it is missing.")
        value = record[name]
        if not isinstance(value, kind) or isinstance(value, bool) or isinstance(value, NUMBER) and not _usual(value):
            raise ValueError(f"{name!r} of {what} can't be {shown(value)}.")


def _usual(number) -> bool:
    """Say whether a number is finite, and a whole one not of hundreds of digits, which nothing here could print."""
    try:
        return isfinite(number)
    except OverflowError:
        return False


def _file(path) -> Path:
    """Return the path of a file. Raises TypeError for what is no name, ValueError for one that no system has."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"A trip is kept in a file; give its name, such as \"trip.json\"; {shown(path)} is none.")
    if "\0" in str(path):
        raise ValueError("The name of a file can't have the sign \\0 in it.")
    return Path(path)


def _answer(record: dict) -> Answer:
    """Return the answer of a record; of one that has no more than its text, the text."""
    _need(record, {"text": str}, "an answer")
    if "quotes" not in record:
        return Answer(record["text"], (), 0.0, "", "")
    _need(record, {"quotes": list}, "an answer")
    try:
        answer = Answer(**{**record, "quotes": tuple(Quote(**quote) for quote in record["quotes"])})
    except TypeError:
        raise ValueError("its answer has not the parts of an Answer.") from None
    _need(record, {"confidence": NUMBER, "by": str, "note": str}, "an answer")
    for quote in record["quotes"]:
        _need(quote, QUOTE, "a quote")
    return answer


def _row(value) -> str:
    """Return one row of what a stage gave, cut to the width that is shown; a text that is looked for, to three rows."""
    if not (isinstance(value, dict) and {"document", "page", "text"} <= value.keys()):
        return _cut(on_one_line(value), 3 * WIDTH)
    score = f"{value['score']:8.4f}  " if "score" in value else ""
    said = ", ".join(f"{name} {rank or '-'}" for name, rank in value.get("ranks", {}).items())
    if "was" in value:
        said = f"was {value['was']}"
    if "label" in value:
        said = value["label"] + (f" {value['confidence']:.2f}: {value['rationale']}" if "rationale" in value else "")
    where = on_one_line(f"[{value['document']}, page {value['page']}]" + (f" ({said})" if said else ""))
    return _cut(f"{score}{where}  {on_one_line(value['text'])}", WIDTH)


def _cut(line: str, width: int) -> str:
    """Return a line with … for what is beyond the width."""
    return line if len(line) <= width else line[:width - 1] + "…"
