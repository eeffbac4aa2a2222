"""Lesson 18: a file is edited and filed again, and the answer changes. Nothing was trained.

One paragraph of a file of Larkspur is written anew, by a button or by the reader. The file is cut again, and each chunk
is compared by its text with those from before: what is the same keeps what was made of it, its words in the index and
its vector; the rest is made anew or taken out. Then the same question is asked again, of the same search and the same
reader. The search here is by words, so that whatever the reader types can be found without the files of a model.
"""

import difflib
import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from textwrap import shorten

import ipywidgets

from firstprinciples.corpus import Chunk, Collection, Document, paragraphs
from firstprinciples.explore import draw
from firstprinciples.explore.conversation import shown
from firstprinciples.explore.stage import Stage, toggles
from firstprinciples.explore.stepper import stepper
from firstprinciples.index import counted
from firstprinciples.pipeline import Pipeline
from firstprinciples.text import tokenize

TASKS = ("context.fit", "context.label", "context.prompt", "answer.support", "answer.best_quotes",
         "answer.best_of_each", "answer.receipt", "answer.answer_line")
STEPS = ("the file as it is", "the edit", "cut again", "filed again", "asked again")
LONGEST = 1500  # characters of a paragraph that is typed, and
QUESTION = 160  # of a question
FEW = 25  # characters that are equal between two changes and are no place to rest the eye
SHOWN = 13  # chunks of the file for which there is room


@dataclass(frozen=True)
class Edit:
    """One edit of a file: the words that are changed, what stands there then, and what is asked before and after."""

    document: str
    old: str
    new: str
    question: str


EDITS = {
    "a limit is raised": Edit("travel-expenses-policy", "Hotels are paid up to $145 a night",
                              "Hotels are paid up to $165 a night", "What is paid for a hotel a night?"),
    "a payment comes in": Edit(
        "invoice-1044", "As of August 30, 2024 no money has come in on this invoice.",
        "On September 20, 2024 all of the money has come in on invoice 1044.",
        "Has any money come in on invoice 1044?"),
    "a rule is added": Edit(
        "shift-and-holiday-policy", "at least four hours are paid.",
        "at least four hours are paid.\n\nDogs may come to work on Fridays, if nobody in the room minds.",
        "can i bring my dog to work on fridays"),
    "a line is struck": Edit("travel-expenses-policy", " Parking and tolls are paid; fines never are.", "",
                             "Are parking and tolls paid?"),
}


@cache
def larkspur() -> Collection:
    """Return the collection whose files are edited."""
    return Collection.load("larkspur")


@cache
def place_of(name: str) -> tuple[Document, Chunk]:
    """Return the file of an edit, and the paragraph of it that is changed."""
    edit = EDITS[name]
    document = next(each for each in larkspur().documents if each.id == edit.document)
    return document, next(chunk for chunk in paragraphs(document) if edit.old in chunk.text)


def proposed(name: str) -> str:
    """Return the paragraph of an edit as it stands after it."""
    return place_of(name)[1].text.replace(EDITS[name].old, EDITS[name].new, 1)


def filed(document: Document, start: int, end: int, text: str) -> Document:
    """Return a document with another text between two places; the marks of the pages behind it move along.

    >>> filed(Document("d", "D", "One. Two. Three.", pages=((0, 1), (10, 2))), 5, 9, "Twenty.").pages
    ((0, 1), (13, 2))
    """
    moved = tuple((at if at < end else at + len(text) - (end - start), page) for at, page in document.pages)
    return replace(document, text=document.text[:start] + text + document.text[end:], pages=moved)


def compared(before: list[str], after: list[str]) -> list[tuple[str, str]]:
    """Return (what, text) for each chunk of a file, in its order: "kept", "new" or "gone". Equal texts are kept.

    >>> compared(["a", "b", "c"], ["a", "x", "c", "d"])
    [('kept', 'a'), ('gone', 'b'), ('new', 'x'), ('kept', 'c'), ('new', 'd')]
    """
    out = []
    for what, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        out += [("kept", text) for text in before[a:b]] if what == "equal" else \
            [("gone", text) for text in before[a:b]] + [("new", text) for text in after[c:d]]
    return out


def changes(before: str, after: str) -> list[tuple[bool, str, str]]:
    """Return a text in pieces (same, as it was, as it is), word by word; a few equal words between changes change, too.

    >>> changes("up to $145 a night", "up to $165 a night")
    [(True, 'up to ', 'up to '), (False, '$145', '$165'), (True, ' a night', ' a night')]
    """
    old, new = (re.findall(r"\s+|\S+", text) for text in (before, after))
    pieces = [[what == "equal", "".join(old[a:b]), "".join(new[c:d])] for what, a, b, c, d in
              difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()]
    out = []
    for place, (same, was, now) in enumerate(pieces):
        same = same and (place in (0, len(pieces) - 1) or len(was) > FEW)
        if out and not same and not out[-1][0]:
            out[-1] = (False, out[-1][1] + was, out[-1][2] + now)
        else:
            out.append((same, was, now))
    return out


@lru_cache(maxsize=8)
def pipeline(name: str, text: str) -> Pipeline:
    """Return a pipeline over Larkspur with the paragraph of an edit as it is given; as it was, one for all."""
    document, chunk = place_of(name)
    if text == chunk.text:
        return untouched()
    again = paragraphs(filed(document, chunk.start, chunk.end, text))
    rest = [each for each in larkspur().chunks if each.document != document.id]
    return Pipeline([*rest, *again])


@cache
def untouched() -> Pipeline:
    """Return the pipeline over Larkspur as it is."""
    return Pipeline(larkspur().chunks)


def answered(asked: Pipeline, question: str) -> dict:
    """Return the answer to a question: the quotes with their receipts, and how sure the reader is."""
    trip = asked.run(question)
    return {"confidence": float(trip.answer.confidence), "line": trip.line(), "quotes": [
        {"text": " ".join(quote.text.split()), "receipt": f"{quote.document}, page {quote.page}",
         "id": quote.chunk} for quote in trip.answer.quotes]}


# ---- the frames

def trace(name: str, text: str, question: str) -> list[dict]:
    """Return the five frames: the file and its answer, the edit, the file cut again, what is made anew, the answer."""
    document, chunk = place_of(name)
    text = "\n".join(line.rstrip() for line in text.strip()[:LONGEST].splitlines())
    asked = " ".join(question.split())[:QUESTION]
    asked = asked if any(sign.isalnum() for sign in asked) else EDITS[name].question
    again = paragraphs(filed(document, chunk.start, chunk.end, text))
    chunks = compared([each.text for each in paragraphs(document)], [each.text for each in again])
    counts = Counter(what for what, _ in chunks)
    total = len(larkspur().chunks)
    shared = {
        "edit": name, "document": document.id, "title": document.title, "question": asked, "page": chunk.page,
        "before": chunk.text, "after": text, "chunks": [list(pair) for pair in chunks],
        "new": counts["new"], "gone": counts["gone"], "kept": total - counts["gone"],
        "total": total + counts["new"] - counts["gone"],
        "words": sum(len(tokenize(each)) for what, each in chunks if what == "new"),
        "was": answered(untouched(), asked), "now": answered(pipeline(name, text), asked), "steps": len(STEPS)}
    return [shared | {"step": step} for step in range(len(STEPS))]


# ---- words

def describe(frame: dict) -> str:
    """Say the step, the file, and what came of it."""
    step = frame["step"]
    said = (f"Asked “{frame['question']}”. {frame['was']['line']}",
            f"The paragraph was “{_short(frame['before'])}” and is “{_short(frame['after'])}”.",
            f"{counted(frame['new'], 'chunk')} new, {frame['gone']} gone, the others have the same text.",
            f"{frame['new']} of {frame['total']} chunks made anew, {frame['kept']} kept; nothing trained.",
            f"Asked “{frame['question']}” again. {frame['now']['line']} Before: "
            f"{frame['was']['line'].removeprefix('Answer: ')}")[step]
    return f"Step {step + 1} of {len(STEPS)}, {STEPS[step]}: {frame['document']}. {said}"


def caption(frame: dict, before: dict | None = None) -> str:
    """Say what happens in this step."""
    step, changed = frame["step"], frame["before"] != frame["after"]
    if step == 0:
        return f"The question, and what the files say today. {_sure(frame['was'])} Press Next."
    if step == 1:
        return ("Somebody opens the file, changes these words, and saves it. The index has not heard of it." if changed
                else "Nothing was changed: the paragraph is the same, sign by sign.")
    if step == 2:
        return ("The file is cut again at its blank lines, and each chunk is held against those from before. The same "
                "text is the same chunk, also where it has moved down.")
    if step == 3:
        return (f"{counted(frame['new'], 'chunk')} with {counted(frame['words'], 'word')} to put into the index, and "
                f"{counted(frame['new'], 'vector')} to make for a search by meaning. No weight of a model changes: the "
                "fact does not stand in them. (So small an index as this one the course simply builds again.)")
    if frame["was"]["line"] == frame["now"]["line"]:
        return f"The same answer as before. {_sure(frame['now'])}"
    return f"The same question, the same reader, another answer: what it reads has changed. {_sure(frame['now'])}"


def _sure(answer: dict) -> str:
    """Say how sure the reader is, and what it does then."""
    enough = untouched().reader.threshold
    spoke = "so it quotes" if answer["quotes"] else "so it says nothing"
    return f"The surest line has {shown(answer['confidence'], enough)}, and {enough:g} is enough, {spoke}."


def _short(text: str) -> str:
    """Return a text on one line, shortened."""
    return shorten(text, 300, placeholder=" …")


# ---- the picture

KINDS = {"kept": (draw.OTHER, "same", "solid"), "new": (draw.GREEN, "made anew", "solid"),
         "gone": (draw.NOW, "taken out", "dashed")}
STYLE = f"""<style>
.fp-edit {{ display: grid; grid-template-columns: 380px minmax(0, 1fr); column-gap: 22px; margin-top: 8px;
  min-height: 408px; align-items: start; }}
.fp-edit-chunk {{ display: grid; grid-template-columns: minmax(0, 1fr) 76px; column-gap: 8px; height: 28px;
  line-height: 26px; border: 1.5px solid {draw.LINE}; border-left-width: 5px; border-radius: 4px; padding: 0 8px;
  margin-bottom: 3px; }}
.fp-edit .fp-card {{ padding: 8px 14px 10px; margin-bottom: 10px; }}
.fp-edit-text {{ white-space: pre-line; line-height: 20px; max-height: 204px; overflow: hidden; }}
.fp-edit-text del {{ background: {draw.tint(draw.NOW, 0.25)}; text-decoration: line-through; }}
.fp-edit-text ins {{ background: {draw.tint(draw.GREEN, 0.28)}; text-decoration: none;
  border-bottom: 2px solid {draw.GREEN}; }}
.fp-edit-quote {{ border-left: 4px solid {draw.GREEN}; padding-left: 10px; margin-top: 4px; line-height: 20px; }}
.fp-edit-old {{ border-color: {draw.OTHER}; color: {draw.GREY}; }}
.fp-edit-clamp {{ display: -webkit-box; -webkit-line-clamp: 3; -webkit-box-orient: vertical; overflow: hidden; }}
.fp-edit-count {{ display: grid; grid-template-columns: 76px minmax(0, 1fr); column-gap: 12px; line-height: 26px; }}
.fp-edit-count b {{ text-align: right; font-size: 17px; }}
@container (max-width: 779px) {{ .fp-edit {{ grid-template-columns: minmax(0, 1fr); row-gap: 10px; }} }}
</style>"""


def picture(frame: dict, expected: dict | None) -> str:
    """Draw the chunks of the file on the left; the paragraph, what is made anew, and the answers on the right."""
    step = frame["step"]
    right = _answers(frame, expected) if step in (0, 4) else ""
    right += (_paragraph(frame, edited=step > 0) if step < 3 else "") + (_counts(frame) if step == 3 else "")
    return (f'<div class="fp-title fp-line">What does it take to change an answer?</div><div class="fp-line fp-note">'
            f'step {step + 1} of {len(STEPS)}: {STEPS[step]}; the file {draw.escape(frame["document"])}</div>'
            f'<div class="fp-edit"><div>{_chunks(frame)}</div><div>{right}</div></div>')


def _chunks(frame) -> str:
    """Return the chunks of the file as a column: as they were, or compared with those from before."""
    compare = frame["step"] >= 2
    pairs = [(what if compare else "kept", text) for what, text in frame["chunks"] if compare or what != "new"]
    at = next((place for place, (_, text) in enumerate(pairs) if text in (frame["before"], frame["after"])), 0)
    changed = [place for place, (what, _) in enumerate(pairs) if what != "kept"]
    at = changed[0] if changed else at
    first = max(0, min(at - SHOWN // 2, len(pairs) - SHOWN))
    rows = []
    for what, text in pairs[first : first + SHOWN]:
        color, word, dash = KINDS[what]
        here = not compare and text == frame["before"]
        edge = draw.INK if here else color if what != "kept" else draw.LINE
        fill = f";background:{draw.tint(color, 0.16)}" if what != "kept" else ""
        said = word if compare else "changed" if here and frame["step"] == 1 else ""
        rows.append(f'<div class="fp-edit-chunk" style="border-color:{edge};border-style:{dash}{fill}"><span '
                    f'class="fp-line">{draw.escape(_plain(text))}</span><span class="fp-note" style="line-height:26px;'
                    f'text-align:right">{said}</span></div>')
    gone = sum(what == "gone" for what, _ in pairs)  # shown among the others, and no chunk of the file any more
    more = f", and {gone} taken out" if gone else ""
    more += f"; {len(pairs) - len(rows)} not shown" if len(pairs) > len(rows) else ""
    return f'<div class="fp-note">its {counted(len(pairs) - gone, "chunk")}, in their order{more}</div>{"".join(rows)}'


def _plain(text: str) -> str:
    """Return a chunk on one line, without the signs of headings and tables."""
    return shorten(re.sub(r"[#|]|:?-{3,}:?", " ", text), 120, placeholder=" …")


def _paragraph(frame, edited: bool) -> str:
    """Return the paragraph as it was, or with what was struck and what was put in."""
    if not edited:
        return (f'<div class="fp-card"><div class="fp-note">the paragraph, page {frame["page"]}</div><div '
                f'class="fp-edit-text">{draw.escape(frame["before"])}</div></div>')
    pieces = []
    for same, before, after in changes(frame["before"], frame["after"]):
        before, after = draw.escape(before), draw.escape(after)
        pieces.append(before if same else (f"<del>{before}</del> " if before else "")
                      + (f"<ins>{after}</ins>" if after else ""))
    return (f'<div class="fp-card"><div class="fp-note">the paragraph: struck out what went, underlined what came</div>'
            f'<div class="fp-edit-text">{_around("".join(pieces))}</div></div>')


def _around(text: str) -> str:
    """Return a marked paragraph from not too far before its first mark on."""
    first = min((place for place in (text.find("<del>"), text.find("<ins>")) if place >= 0), default=0)
    if first <= 260:
        return text
    cut = text.find(" ", first - 160)
    return "… " + text[cut + 1 :]


def _counts(frame) -> str:
    """Return what had to be done, in numbers."""
    rows = ((frame["new"], f"{'chunk' if frame['new'] == 1 else 'chunks'} made anew, {frame['words']} words counted"),
            (frame["gone"], f"{'chunk' if frame['gone'] == 1 else 'chunks'} taken out"),
            (frame["kept"], "chunks kept as they are"),
            (0, "weights changed: nothing was trained"))
    inside = "".join(f'<div class="fp-edit-count"><b>{number:,}</b><span>{words}</span></div>'
                     for number, words in rows)
    scale, most = 400.0, max(frame["total"], 1)
    bar = draw.svg(34, draw.box(0, 4, scale, 16, fill=draw.tint(draw.OTHER, 0.35)),
                   draw.box(0, 4, max(scale * frame["new"] / most, 2 if frame["new"] else 0), 16, fill=draw.GREEN),
                   draw.text(0, 33, f"green: made anew, of {frame['total']} chunks", 12, draw.GREY), width=420)
    return f'<div class="fp-card">{inside}<div style="margin-top:8px">{bar}</div></div>'


def _answers(frame, expected) -> str:
    """Return the question with its answer; after the edit the one from before stands below, pale."""
    after = frame["step"] == 4
    now = frame["now"] if after else frame["was"]
    should = expected and (expected["now"] if after else expected["was"])
    said = (f'<div class="fp-card"><div class="fp-note">asked{" again" if after else ""}</div><b>'
            f'{draw.escape(frame["question"])}</b>{_answer(now)}')
    if should and should["line"] != now["line"]:
        said += (f'<div class="fp-note" style="border-top:1.5px dashed {draw.INK};margin-top:6px">expected: '
                 f'{draw.escape(_short(should["line"].removeprefix("Answer: ")))}</div>')
    said += "</div>"
    if after:
        was = _answer(frame["was"], old=True)
        said += f'<div class="fp-card"><div class="fp-note">before the edit</div>{was}</div>'
    return said


def _answer(answer, old: bool = False) -> str:
    """Return an answer: the lines with their receipts, or silence."""
    pale = " fp-edit-old" if old else ""
    if not answer["quotes"]:
        return f'<div class="fp-edit-quote{pale}" style="border-color:{draw.OTHER}">I couldn\'t find that.</div>'
    quotes = "".join(f'<div class="fp-edit-quote{pale}"><div class="fp-edit-clamp">{draw.escape(quote["text"])}</div>'
                     f'<div class="fp-note">[{draw.escape(quote["receipt"])}]</div></div>'
                     for quote in answer["quotes"][:2])
    more = len(answer["quotes"]) - 2
    return quotes + (f'<div class="fp-note">and {more} more</div>' if more > 0 else "")


# ---- the explorer

def edited_file(first: str = "a limit is raised") -> Stage:
    """Step through one edit of a file: the edit, the file cut and filed again, and the question asked again.

    `first` is the edit it begins with, one of EDITS; buttons change between them, and both the paragraph and the
    question can be typed anew. Raises ValueError for another name.
    """
    if first not in EDITS:
        raise ValueError(f"There is no edit {first!r}; there are {', '.join(EDITS)}.")
    which = toggles(EDITS, first, "which edit", 172)
    area = ipywidgets.Textarea(proposed(first), description="edited", tooltip="the paragraph after the edit", rows=6,
                               continuous_update=False, style={"description_width": "66px"}, layout={"width": "860px"})
    box = ipywidgets.Text(EDITS[first].question, description="question", tooltip="question", continuous_update=False,
                          style={"description_width": "66px"}, layout={"width": "640px"})

    def turned(change):
        area.value, box.value = proposed(change.new), EDITS[change.new].question

    which.observe(turned, "value")
    above = [ipywidgets.HBox([each]) for each in (which, area, box)]
    for row in above:
        row.add_class("fp-row")
    return stepper("edited_file", lambda name, text, question: trace(name, text, question), picture, describe, TASKS,
                   caption, STYLE, pause=3.0, texts={"name": which, "text": area, "question": box}, above=above)
