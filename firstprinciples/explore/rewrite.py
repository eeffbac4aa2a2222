"""Lesson 16: a talk, its last question, and the slip that is handed to the search. Which words are taken from where?

The search has not heard the talk: it reads the slip alone. The slip begins with the question as it was typed, and each
step adds one word of the turns before. Beside it stands at which place a search by words and one by meaning have the
first chunk of Larkspur that holds a piece of the answer.
"""

import math
import re
from functools import cache

import ipywidgets

from firstprinciples import swap
from firstprinciples.corpus import Collection
from firstprinciples.encode.stored import ModelFilesMissing, minilm
from firstprinciples.explore import draw
from firstprinciples.explore.guard import Trouble
from firstprinciples.explore.stage import Stage, toggles
from firstprinciples.explore.stepper import stepper
from firstprinciples.generate import rewrite
from firstprinciples.generate.ways import MOST_WORDS
from firstprinciples.generate.words import COMMON, POINTING
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.dense import Dense

TASKS = ("rewrite.words_of", "rewrite.is_follow_up", "rewrite.topic_words", "rewrite.condensed")
NONE, UNKNOWN = 0, -1  # in place of a place: the answer was not found; the text has no stored vector
LONGEST = 160  # characters of a question that is typed
WAYS = {"words": "by words, BM25", "meaning": "by meaning, MiniLM"}

# A talk is the id of one of Larkspur's questions, or written for this course: turns, question, ids that hold an answer.
TALKS = {
    "for food": "follow_up-005",
    "the second one": "follow_up-003",
    "owe us": (("How many invoices did we write in March?", "Four: 1042, 1044, 1046 and 1047."),
               "which of them still owe us?",
               ("invoice-1044#9", "invoice-1046#9", "statement-receivables-2024-08#2")),
    "another topic": (("Are there pythons at the nature center?", "Yes, two, in tanks."),
                      "and which version of Python do I need?", "polysemy-001"),
    "when paid": "follow_up-001",
}


@cache
def indexes() -> tuple:
    """Return Larkspur, and its 704 chunks in an index by words and in one by meaning."""
    larkspur = Collection.load("larkspur")
    return larkspur, BM25(larkspur.chunks), Dense(larkspur.chunks, minilm())


@cache
def talk(name: str) -> dict:
    """Return one of the talks: {"history": turns, "question", "right": ids of the chunks that hold an answer}."""
    given, larkspur = TALKS[name], indexes()[0]
    if isinstance(given, str):
        query = next(query for query in larkspur.queries if query.id == given)
        return {"history": [dict(turn) for turn in query.history], "question": query.text, "right": holders(given)}
    turns, question, right = given
    history = [{"role": "user" if i % 2 == 0 else "assistant", "text": text} for i, text in enumerate(turns)]
    return {"history": history, "question": question,
            "right": holders(right) if isinstance(right, str) else frozenset(right)}


def holders(query: str) -> frozenset:
    """Return the ids of the chunks that hold a piece of the evidence of one of Larkspur's questions."""
    return frozenset(id for _, ids in indexes()[0].evidence[query] for id in ids)


@cache
def place(way: str, text: str, right: frozenset) -> int:
    """Return the place, from 1, of the first right chunk; NONE where no chunk is found, UNKNOWN without a vector."""
    larkspur, words, meaning = indexes()
    try:
        hits = (words if way == "words" else meaning).search(text, len(larkspur.chunks))
    except ModelFilesMissing:
        return UNKNOWN
    return next((at for at, hit in enumerate(hits, 1) if hit.id in right), NONE)


def words_of(text: str) -> list[str]:
    """Return the words of a text by the course's own function: what is drawn must not depend on a learner's."""
    return swap.reference("rewrite.words_of")(text)


# ---- the frames

def trace(name: str, question: str) -> list[dict]:
    """Return the frames: as it stands; does it lean on the talk; a word at a time; the slip as it is handed over."""
    known = talk(name)
    history, question = known["history"], " ".join(question.split())[:LONGEST] or known["question"]
    leans, words, slips = filled(question, history)
    places = {way: [place(way, text, known["right"]) for text in slips] for way in WAYS}
    shared = {"talk": name, "history": history, "question": question, "leans": leans, "words": words,
              "places": places, "steps": 3 + len(words) if leans else 2,
              "pointing": [word for word in words_of(question) if word.lower() in POINTING]}
    kinds = ["start", "leans", *(["word"] * len(words) + ["done"] if leans else [])]
    taken = [min(max(step - 1, 0), len(words)) for step in range(len(kinds))]
    return [shared | {"step": step, "kind": kind, "taken": n, "slip": slips[n]}
            for step, (kind, n) in enumerate(zip(kinds, taken, strict=True))]


def filled(question: str, history: list[dict]) -> tuple[bool, list[str], list[str]]:
    """Return whether a question leans on the talk, the words to add, and the slip with none, one, two ... of them."""
    leans = rewrite.is_follow_up(question, history, list(POINTING), list(COMMON))
    words = rewrite.topic_words(history, MOST_WORDS, list(COMMON)) if leans else []
    if not isinstance(words, (list, tuple)) or not all(isinstance(word, str) for word in words):
        raise Trouble("Your topic_words has to give a list of words, each a string.")
    words = list(words)[:MOST_WORDS]  # what the picture has room for
    slips = [question, *(rewrite.condensed(question, words[:n]) for n in range(1, len(words) + 1))]
    if not all(isinstance(slip, str) for slip in slips):
        raise Trouble("Your condensed has to give the question as a text.")
    return bool(leans), words, slips


def turn_of(word: str, history: list[dict]) -> int:
    """Return the number, from 0, of the newest turn that holds a word; -1 if none does.

    >>> turn_of("march", [{"role": "user", "text": "The March invoice?"}, {"role": "assistant", "text": "1042."}])
    0
    """
    holds = [i for i, turn in enumerate(history)
             if word.lower() in [each.lower() for each in words_of(turn["text"])]]
    return holds[-1] if holds else -1


# ---- words

def said(at: int) -> str:
    """Return a place in words."""
    return "not found" if at == NONE else "no vector" if at == UNKNOWN else f"place {at}"


def describe(frame: dict) -> str:
    """Say the question, what is on the slip, and where both searches have the answer."""
    where = "; ".join(f"{words}: {said(frame['places'][way][frame['taken']])}" for way, words in WAYS.items())
    head = f"Step {frame['step'] + 1} of {frame['steps']}, the talk “{frame['talk']}”."
    turns = " ".join(f"{'Asked' if turn['role'] == 'user' else 'Answered'}: {turn['text']}" for turn in
                     frame["history"]) + " " if frame["step"] == 0 else ""
    return f"{head} {turns}On the slip: “{frame['slip']}”. The answer, {where}."


def caption(frame: dict, before: dict | None = None) -> str:
    """Say what this step decided, and what it did to the two places."""
    kind = frame["kind"]
    if kind == "start":
        return ("The slip holds the last line and nothing else. Whoever reads it in the cellar has not heard the talk. "
                "Press Next.")
    if kind == "leans":
        if frame["leans"] and frame["pointing"]:  # fewer than three telling words before the first of them
            some = " and ".join(f"“{word}”" for word in dict.fromkeys(frame["pointing"]))
            return f"{some}: such words point back. The question leans on the talk, so words of the talk are added."
        if frame["leans"]:
            return "Hardly a word in it says what it is about. It leans on the talk, so words of the talk are added."
        return "It says by itself what it is about, before any word points back. It stands alone; nothing is added."
    if kind == "done":
        moves = "; ".join(f"by {way}, {_move(frame['places'][way][0], frame['places'][way][-1])}" for way in WAYS)
        return f"The slip is written, and goes to the search in place of the question. The answer: {moves}."
    n = frame["taken"]
    word, turn = frame["words"][n - 1], turn_of(frame["words"][n - 1], frame["history"])
    age = len(frame["history"]) - turn
    from_where = ("in none of the turns" if turn < 0 else "from the newest turn" if age == 1 else
                  f"from the turn before it, age {age}" if age == 2 else f"from a turn of age {age}")
    skipped = "" if word.lower() not in [each.lower() for each in words_of(frame["question"])] else \
        " The question has it already, so it is not added."
    moves = "; ".join(f"by {way}, {_move(frame['places'][way][n - 1], frame['places'][way][n])}" for way in WAYS)
    return f"“{word}” {from_where}.{skipped} The answer: {moves}."


def _move(before: int, now: int) -> str:
    """Return where the answer stood and where it stands now."""
    return f"still {said(now)}" if before == now else f"from {said(before)} to {said(now)}"


# ---- the picture

STYLE = f"""<style>
.fp-talk {{ display: grid; grid-template-columns: minmax(0, 1fr) 440px; column-gap: 22px; margin-top: 8px;
  min-height: 280px; align-items: start; }}
.fp-talk-turn {{ border: 1.5px solid {draw.LINE}; border-radius: 8px; padding: 4px 12px 6px; margin-bottom: 8px; }}
.fp-talk-user {{ margin-right: 34px; }}
.fp-talk-assistant {{ margin-left: 34px; background: {draw.tint(draw.OTHER, 0.12)}; }}
.fp-talk-now {{ border: 2px solid {draw.INK}; }}
.fp-talk-slip {{ min-height: 106px; padding: 8px 14px; }}
.fp-talk-points {{ border-bottom: 2.5px dotted {draw.NOW}; }}
.fp-talk-new {{ outline: 2.5px solid {draw.NOW}; outline-offset: 1px; border-radius: 3px; }}
@container (max-width: 839px) {{ .fp-talk {{ grid-template-columns: minmax(0, 1fr); row-gap: 10px; }} }}
</style>"""
SCALE, LEFT, FAR = 316.0, 14.0, 392.0  # pixels from place 1 to the last, where 1 stands, where "not found" stands
COLORS = {"user": draw.BLUE, "assistant": draw.ORANGE}


def picture(frame: dict, expected: dict | None) -> str:
    """Draw the talk on the left; the slip and both places on the right."""
    taken = frame["words"][: frame["taken"]]
    turns = "".join(_turn(frame, i, taken) for i in range(len(frame["history"])))
    points = frame["step"] > 0
    now = _pointing(frame["question"], frame["pointing"] if points else [])
    left = (f'{turns}<div class="fp-talk-turn fp-talk-user fp-talk-now"><div class="fp-note">asked now</div>'
            f'<b>{now}</b></div>')
    notes = [f"step {frame['step'] + 1} of {frame['steps']}"]
    notes += ["dotted: points back"] * bool(points and frame["pointing"])
    notes += ["blue: from a question, orange: from an answer"] * bool(taken)
    notes += ["dashed: the course's own function"] * bool(expected)
    axes = "".join(_axis(frame, expected, way, words) for way, words in WAYS.items())
    return (f'<div class="fp-title fp-line">What is written on the slip for the search?</div>'
            f'<div class="fp-line fp-note">{draw.escape("; ".join(notes))}</div>'
            f'<div class="fp-talk"><div>{left}</div><div><div class="fp-card fp-talk-slip">'
            f'<div class="fp-note">the slip</div>{_slip(frame, now)}</div>'
            f'<div class="fp-note" style="margin-top:10px">'
            f'place of the first chunk with an answer, of 704; rings: earlier</div>'
            f'<div class="fp-scroll">{axes}</div></div></div>')


def _turn(frame, i: int, taken) -> str:
    """Return one turn as a card; the words that have been taken from it are marked."""
    turn = frame["history"][i]
    mine = {word.lower() for word in taken if turn_of(word, frame["history"]) == i}
    newest = frame["words"][frame["taken"] - 1].lower() if frame["kind"] == "word" else None
    pieces = []
    for piece in re.split(r"(\s+)", turn["text"]):
        bare = words_of(piece)
        if bare and bare[0].lower() in mine:
            head, tail = piece.split(bare[0], 1)
            marked = draw.mark(bare[0], COLORS[turn["role"]])
            if bare[0].lower() == newest:
                marked = f'<span class="fp-talk-new">{marked}</span>'
            pieces.append(draw.escape(head) + marked + draw.escape(tail))
        else:
            pieces.append(draw.escape(piece))
    return (f'<div class="fp-talk-turn fp-talk-{turn["role"]}"><div class="fp-note">'
            f'{"asked" if turn["role"] == "user" else "answered"}</div>{"".join(pieces)}</div>')


def _pointing(text: str, words: list[str]) -> str:
    """Return the question with the words that point back dotted."""
    marked = {word.lower() for word in words}
    pieces = []
    for piece in re.split(r"(\s+)", text):
        bare = words_of(piece)
        dotted = bool(bare) and bare[0].lower() in marked
        pieces.append(f'<span class="fp-talk-points">{draw.escape(piece)}</span>' if dotted else draw.escape(piece))
    return "".join(pieces)


def _slip(frame, question: str) -> str:
    """Return what is on the slip: the question, and the words that were added, in the color of their turn."""
    if not frame["slip"].startswith(frame["question"]):  # a learner's function may do what it likes
        return draw.escape(frame["slip"])
    rest = frame["slip"][len(frame["question"]):]
    newest = frame["words"][frame["taken"] - 1].lower() if frame["kind"] == "word" else None
    pieces = []
    for word in rest.split():
        turn = turn_of(words_of(word)[0] if words_of(word) else word, frame["history"])
        marked = draw.mark(word, COLORS[frame["history"][turn]["role"]]) if turn >= 0 else draw.escape(word)
        pieces.append(f'<span class="fp-talk-new">{marked}</span>' if word.lower() == newest else marked)
    return f"{question} {' '.join(pieces)}"


def across(at: int) -> float:
    """Return how far to the right a place is drawn: each factor of ten is as long as the next."""
    return FAR if at == NONE else LEFT + SCALE * math.log(at) / math.log(704)


def _axis(frame, expected, way: str, words: str) -> str:
    """Return one search's axis: where the answer stood so far, pale, and where it stands now."""
    y, places, n = 34, frame["places"][way], frame["taken"]
    shapes = [draw.text(0, 13, words, 14, bold=True), draw.line(LEFT, y, LEFT + SCALE, y, draw.GREY)]
    for tick in (1, 10, 100, 704):
        x = round(across(tick), 1)
        shapes += [draw.line(x, y - 4, x, y + 4, draw.GREY), draw.text(x, y + 20, str(tick), 12, draw.GREY,
                                                                      anchor="middle")]
    shapes.append(draw.text(FAR, y + 20, "not found", 12, draw.GREY, anchor="middle"))
    if UNKNOWN in places[: n + 1]:
        shapes.append(draw.text(430, 13, "? its vector is not stored: needs the model files", 12, draw.GREY,
                                anchor="end"))
        return draw.svg(62, *shapes, width=440)
    for at in dict.fromkeys(places[:n]):
        shapes.append(_dot(across(at), y, 5, draw.PAPER, draw.OTHER))
    if expected and n < len(expected["places"][way]) and expected["places"][way][n] not in (UNKNOWN, places[n]):
        shapes.append(_dot(across(expected["places"][way][n]), y, 9, "none", draw.INK, "3 3"))
    shapes.append(_dot(across(places[n]), y, 8, draw.NOW, draw.PAPER))
    label = said(places[n]) + (f" · began at {said(places[0]).removeprefix('place ')}"
                               if places[n] != places[0] else "")
    shapes.append(draw.text(430, 13, label, 14, bold=True, anchor="end"))
    return draw.svg(62, *shapes, width=440)


def _dot(x, y, r, fill, edge, dash="") -> str:
    """Return a circle."""
    dashed = f";stroke-dasharray:{dash}" if dash else ""
    return (f'<circle cx="{x:.1f}" cy="{y}" r="{r}" style="fill:{fill};stroke:{edge};stroke-width:2{dashed}"/>')


# ---- the explorer

def texts() -> list[str]:
    """Return the texts whose vectors this picture needs: each talk's question with its first words added."""
    out = []
    for name in TALKS:
        known = talk(name)
        out += filled(known["question"], known["history"])[2]
    return list(dict.fromkeys(out))


def follow_the_thread(first: str = "for food") -> Stage:
    """Step through a talk: which of its words go on the slip, and what that does to the place of the answer.

    `first` is the talk it begins with, one of TALKS; buttons change between them, and the last question can be typed
    anew. Raises ValueError for another name.
    """
    if first not in TALKS:
        raise ValueError(f"There is no talk {first!r}; there are {', '.join(TALKS)}.")
    which = toggles(TALKS, first, "which talk", 124)
    box = ipywidgets.Text(value=talk(first)["question"], description="asked now", tooltip="asked now",
                          continuous_update=False, style={"description_width": "76px"}, layout={"width": "620px"})
    which.observe(lambda change: setattr(box, "value", talk(change.new)["question"]), "value")
    above = [ipywidgets.HBox([which]), ipywidgets.HBox([box])]
    for row in above:
        row.add_class("fp-row")
    return stepper("follow_the_thread", lambda name, question: trace(name, question), picture, describe, TASKS,
                   lambda frame, before: caption(frame), STYLE, texts={"name": which, "question": box}, above=above)
