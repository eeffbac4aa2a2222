"""Lesson 18: a talk with Larkspur's files, and for each of its turns what stands behind the answer.

Four steps a turn, as `pipeline` walks them: the slip that is looked for, the candidates of a search by words and one by
meaning, the desk with the numbered pages, and the answer with its receipts or without one. The last turn is "which of
them still owe us?". A question of the reader's own is asked as one turn more.
"""

import re
from functools import cache
from textwrap import shorten

import ipywidgets

from firstprinciples import swap
from firstprinciples.corpus import Collection
from firstprinciples.encode.stored import ModelFilesMissing, minilm
from firstprinciples.explore import draw
from firstprinciples.explore.answers import where
from firstprinciples.explore.stage import Stage
from firstprinciples.explore.stepper import stepper
from firstprinciples.generate import context, reader
from firstprinciples.generate.ways import condense
from firstprinciples.index import counted
from firstprinciples.pipeline import Chat, Pipeline, Trip
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.dense import Dense

TASKS = ("rewrite.words_of", "rewrite.is_follow_up", "rewrite.topic_words", "rewrite.condensed", "context.fit",
         "context.label", "context.prompt", "answer.support", "answer.best_quotes", "answer.best_of_each",
         "answer.receipt", "answer.answer_line")
QUESTIONS = ("What is the total due on invoice 1042?", "and when was it paid?",
             "can i bring my dog to work on fridays",  # nobody wrote that down
             "Which customers have open invoices?", "which of them still owe us?")
STEPS = ("the slip", "the candidates", "the desk", "the answer")
WAYS = {"BM25": "by words, BM25", "Dense minilm": "by meaning, MiniLM"}
ROWS, MERGED = 5, 5  # of each search, and of the list that they become
TURNS = 5  # of the talk, and
MOST = 8  # quotes for which there is room
LONGEST = 160  # characters of a question that is typed


@cache
def both() -> Pipeline:
    """Return the pipeline over Larkspur that searches by words and by meaning."""
    chunks = Collection.load("larkspur").chunks
    return Pipeline(chunks, [BM25(chunks), Dense(chunks, minilm())])


@cache
def words_alone() -> Pipeline:
    """Return the same without the search by meaning, for texts whose vectors are not to be had."""
    known = both()
    return Pipeline(list(known.chunks.values()), [known.retrievers["BM25"]], reader=known.reader)


def talk(questions) -> list[Trip]:
    """Return the trips of a whole talk; where the vector of a text is missing, words alone search for that turn."""
    chat, trips = Chat(both()), []
    for question in questions:
        try:
            trip = chat.ask(question)
        except ModelFilesMissing:
            chat.pipeline = words_alone()
            trip = chat.ask(question)
            chat.pipeline = both()
        trips.append(trip)
    return trips


# ---- the frames

def turn_of(trip: Trip) -> dict:
    """Return what the picture needs of one turn, as plain values."""
    slip, desk = trip.stage("sharpen").gave[0], trip.stage("desk")
    lists = {stage.name.removeprefix("search: "): [_row(row) for row in stage.gave[:ROWS]]
             for stage in trip.stages if stage.name.startswith("search: ")}
    merged = [{**_row(row), "ranks": [row["ranks"].get(way) or 0 for way in WAYS]}
              for row in trip.stage("merge").gave[:MERGED]]
    sources = [{**_row(row), "label": context.label(number, row["document"], row["page"]),
                "tokens": _own_tokens(row["text"])} for number, row in enumerate(desk.gave, 1)]
    lines = both().reader.lines(slip, [dict(row) for row in desk.gave], trip.question) if not trip.answer.quotes else ()
    best = max(lines, key=lambda line: line.score, default=None)  # the first of equals
    return {"question": trip.question, "slip": slip, "added": slip.removeprefix(trip.question).split()
            if slip.startswith(trip.question) else [], "lists": lists, "merged": merged, "sources": sources,
            "desk": desk.note, "line": trip.line(), "confidence": float(trip.answer.confidence),
            "enough": both().reader.threshold, "best": " ".join(best.quote.text.split()) if best else "",
            "several": reader.wants_several(trip.question),
            "quotes": [{"text": " ".join(quote.text.split()), "receipt": f"{quote.document}, page {quote.page}",
                        "document": quote.document} for quote in trip.answer.quotes]}


def _row(row: dict) -> dict:
    """Return of a chunk what is shown of it."""
    return {"id": row["id"], "place": f"{row['document']}, page {row['page']}",
            "text": shorten(re.sub(r"[#|]|:?-{3,}:?", " ", row["text"]), 160, placeholder=" …")}


def _own_tokens(text: str) -> int:
    """Return the tokens of a page by the course's own rule: what is drawn must not depend on a learner's."""
    return swap.reference("context.tokens")(text)


def trace(question: str = "") -> list[dict]:
    """Return four frames for each turn of the talk; a question that is typed is asked as one turn more."""
    own = " ".join(question.split())[:LONGEST]
    asked = [*QUESTIONS, own] if any(sign.isalnum() for sign in own) else list(QUESTIONS)
    turns = [turn_of(trip) for trip in talk(asked)]
    return [{"turns": turns, "turn": at, "part": part, "step": len(STEPS) * at + part,
             "steps": len(STEPS) * len(turns), "own": len(turns) > len(QUESTIONS)}
            for at in range(len(turns)) for part in range(len(STEPS))]


# ---- words

def head_of(frame: dict) -> str:
    """Say where in the talk this is."""
    return (f"Turn {frame['turn'] + 1} of {len(frame['turns'])}, step {frame['part'] + 1} of {len(STEPS)}: "
            f"{STEPS[frame['part']]}")


def describe(frame: dict) -> str:
    """Say the question and what came of this step."""
    turn = frame["turns"][frame["turn"]]
    said = (f"On the slip: “{turn['slip']}”.", _said_found(turn), f"On the desk: {_said_desk(turn)}.",
            turn["line"])[frame["part"]]
    return f"{head_of(frame)}. Asked: “{turn['question']}”. {said}"


def _said_found(turn: dict) -> str:
    """Say the first of each list."""
    firsts = [f"{WAYS[way]}: first {rows[0]['place']}" if rows else f"{WAYS[way]}: nothing"
              for way, rows in turn["lists"].items()]
    return f"Found {'; '.join(firsts)}; merged: first {turn['merged'][0]['place']}." if turn["merged"] else \
        "Nothing found."


def _said_desk(turn: dict) -> str:
    """Say which pages lie on the desk, each once."""
    places = list(dict.fromkeys(source["place"] for source in turn["sources"]))
    return f"{len(turn['sources'])} chunks, from {'; '.join(places)}" if places else "nothing"


def caption(frame: dict, before: dict | None = None) -> str:
    """Say what was decided in this step."""
    turn, first = frame["turns"][frame["turn"]], frame["turn"] == 0
    if frame["part"] == 0:
        if turn["added"]:
            return (f"It leans on the questions before it, so {counted(len(turn['added']), 'word')} of theirs are "
                    "added. The search reads the slip and has heard nothing else.")
        if turn["slip"] != turn["question"]:
            return "The question was written anew. The search reads the slip and has heard nothing else."
        return ("Nothing was said before it: the slip holds the question as it was typed. Press Next." if first else
                "It says by itself what it is about: the slip holds the question as it was typed.")
    if frame["part"] == 1:
        if len(turn["lists"]) < len(WAYS):
            return "The vector of this slip is not stored, and its files are not here: only words are searched for."
        if not turn["merged"]:
            return "Neither search found anything."
        ranks = [f"place {rank} {way}" if rank else f"no place {way}"
                 for rank, way in zip(turn["merged"][0]["ranks"], ("by words", "by meaning"), strict=True)]
        return (f"Two searches, two lists. What comes first when they are merged has {' and '.join(ranks)}: each list "
                "has a vote, 1 / (60 + place).")
    if frame["part"] == 2:
        more = " A question for several things gets room for ten chunks in place of five." if turn["several"] else ""
        return f"{turn['desk']}{more} Nothing else is read: what is not on the desk can't be answered."
    sure = f"The surest line has {shown(turn['confidence'], turn['enough'])}, and {turn['enough']:g} is enough."
    if not turn["quotes"]:
        return (f"{sure} So nothing is quoted. Something is found for every question; the reader is not sure enough "
                "that it answers this one.")
    pages = len({quote["receipt"] for quote in turn["quotes"]})
    return (f"{sure} {counted(len(turn['quotes']), 'line')} quoted, from {counted(pages, 'page')}, word by word, each "
            "with its receipt. It is a reader of words: whether a line answers is for you to see.")


def shown(confidence: float, enough: float) -> str:
    """Return a confidence in two digits, or in so many that it can be told from the threshold.

    >>> shown(0.257, 0.163), shown(0.1626, 0.163)
    ('0.26', '0.1626')
    """
    return f"{confidence:.2f}" if abs(confidence - enough) > 0.01 else f"{confidence:.4f}"


# ---- the picture

STYLE = f"""<style>
.fp-conv {{ display: grid; grid-template-columns: 284px minmax(0, 1fr); column-gap: 18px; margin-top: 6px;
  min-height: 524px; align-items: start; }}
.fp-conv-q, .fp-conv-a {{ border: 1.5px solid {draw.LINE}; border-radius: 8px; padding: 3px 10px 4px;
  margin-bottom: 6px; line-height: 20px; }}
.fp-conv-q {{ margin-right: 26px; }}
.fp-conv-a {{ margin-left: 26px; background: {draw.tint(draw.OTHER, 0.12)}; max-height: 72px; overflow: hidden; }}
.fp-conv-now {{ border: 2px solid {draw.INK}; }}
.fp-conv-two {{ display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical; overflow: hidden; }}
.fp-conv-tabs {{ display: grid; grid-template-columns: repeat(4, 1fr); column-gap: 6px; margin-bottom: 8px; }}
.fp-conv-tab {{ border-bottom: 3px solid {draw.LINE}; color: {draw.GREY}; padding: 0 2px 3px;
  white-space: nowrap; }}
.fp-conv-here {{ border-color: {draw.NOW}; color: {draw.INK}; font-weight: 700; }}
.fp-conv-card {{ padding: 8px 14px 10px; min-height: 456px; }}
.fp-conv-lists {{ display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); column-gap: 16px; }}
.fp-conv-quote {{ border-left: 4px solid {draw.GREEN}; padding-left: 10px; margin: 6px 0 8px; line-height: 20px; }}
.fp-conv-small {{ font-size: 13px; }}
.fp-conv-slip {{ font-size: 17px; line-height: 26px; margin: 4px 0 14px; }}
@container (max-width: 779px) {{ .fp-conv {{ grid-template-columns: minmax(0, 1fr); row-gap: 10px; }} }}
</style>"""


def picture(frame: dict, expected: dict | None) -> str:
    """Draw the talk so far on the left, and what this step gave on the right."""
    at, part = frame["turn"], frame["part"]
    turn = frame["turns"][at]
    should = expected["turns"][at] if expected and len(expected["turns"]) == len(frame["turns"]) else None
    first = max(0, at + 1 - TURNS)
    said = f'<div class="fp-note">{counted(first, "turn")} before</div>' if first else ""
    said += "".join(_said(frame, number) for number in range(first, at + 1))
    tabs = "".join(f'<div class="fp-conv-tab{" fp-conv-here" if number == part else ""}">{number + 1} '
                   f'{name.removeprefix("the ")}</div>' for number, name in enumerate(STEPS))
    body = (_slip, _candidates, _desk, _answer)[part](turn)
    keys = (("slip",), ("lists", "merged"), ("sources",), ("line",))[part]
    if should and any(should[key] != turn[key] for key in keys):
        body += (f'<div class="fp-note" style="border-top:1.5px dashed {draw.INK};margin-top:8px;padding-top:4px">'
                 f'expected: {draw.escape(_should(should, part))}</div>')
    return (f'<div class="fp-title fp-line">What stands behind an answer?</div><div class="fp-line fp-note">'
            f'{draw.escape(head_of(frame))}</div><div class="fp-conv"><div>{said}</div><div><div class="fp-conv-tabs">'
            f'{tabs}</div><div class="fp-card fp-conv-card">{body}</div></div></div>')


def _should(turn: dict, part: int) -> str:
    """Say what the course's own functions gave in a step."""
    return shorten((turn["slip"], _said_found(turn), _said_desk(turn), turn["line"].removeprefix("Answer: "))[part],
                   300, placeholder=" …")


def _said(frame, number: int) -> str:
    """Return a turn of the talk: the question, and the answer once it has been given, shortened."""
    turn, now = frame["turns"][number], number == frame["turn"]
    added = {word.lower() for word in frame["turns"][frame["turn"]]["added"]} if not now else set()
    question = f'<div class="fp-conv-q{" fp-conv-now" if now else ""}">{_marked(turn["question"], added)}</div>'
    if now and frame["part"] < len(STEPS) - 1:
        return question
    if not turn["quotes"]:
        return f'{question}<div class="fp-conv-a">I couldn\'t find that.</div>'
    more = f" and {len(turn['quotes']) - 1} more" if len(turn["quotes"]) > 1 else ""
    return (f'{question}<div class="fp-conv-a"><div class="fp-line">{draw.escape(turn["quotes"][0]["text"])}</div>'
            f'<div class="fp-note">{_place(turn["quotes"][0]["receipt"], "[", "]" + more)}</div></div>')


def _place(place: str, before: str = "", after: str = "") -> str:
    """Return "file, page n" as HTML in which the name is cut where room is short, and the page is not."""
    document, _, page = place.rpartition(", page ")
    return where(document, page, before, after)


def _marked(text: str, words: set) -> str:
    """Return a text in which some words are marked: those that went onto the slip of the turn now."""
    own, pieces = swap.reference("rewrite.words_of"), []
    for piece in text.split():
        inside = own(piece)
        if inside and inside[0].lower() in words:
            head, tail = piece.split(inside[0], 1)
            piece = draw.escape(head) + draw.mark(inside[0], draw.BLUE) + draw.escape(tail)
        else:
            piece = draw.escape(piece)
        pieces.append(piece)
    return " ".join(pieces)


def _slip(turn) -> str:
    """Draw what was asked and what is looked for."""
    slip = (f'{draw.escape(turn["question"])} {" ".join(draw.mark(word, draw.BLUE) for word in turn["added"])}'
            if turn["added"] else draw.escape(turn["slip"]))
    note = ("blue, underlined: words of the questions before it" if turn["added"] else
            "as it was typed" if turn["slip"] == turn["question"] else "written anew")
    return (f'<div class="fp-note">asked</div><div class="fp-conv-slip">{draw.escape(turn["question"])}</div>'
            f'<div class="fp-note">looked for</div><div class="fp-conv-slip"><b>{slip}</b></div>'
            f'<div class="fp-note">{note}</div>')


def _candidates(turn) -> str:
    """Draw the first of each list, and the list that they become."""
    both_lists = set.intersection(*({row["id"] for row in rows} for rows in turn["lists"].values()))
    columns = []
    for way, words in WAYS.items():
        rows = turn["lists"].get(way)
        inside = "".join(f'<div style="display:flex"><span style="flex:none;white-space:pre">{number}. '
                         f'{"●" if row["id"] in both_lists else "○"} </span>{_place(row["place"])}</div>'
                         for number, row in enumerate(rows or (), 1))
        if rows is None:
            inside = '<div class="fp-note">the vector of this slip is not stored: needs the model files</div>'
        columns.append(f'<div><b>{words}</b>{inside or "<div>nothing</div>"}</div>')
    merged = "".join(_merged(number, row, turn) for number, row in enumerate(turn["merged"], 1))
    return (f'<div class="fp-conv-lists">{"".join(columns)}</div><div class="fp-note">the first {ROWS} of each; ● also '
            f'among those of the other list</div><div style="margin-top:10px"><b>merged</b>, with its places in both '
            f'lists</div>{merged}')


def _merged(number: int, row, turn) -> str:
    """Return a row of the merged list: its place, where it stands, the ranks behind it, how it begins."""
    ranks = " and ".join(str(rank) if rank else "–" for rank, way in zip(row["ranks"], WAYS, strict=True)
                         if way in turn["lists"])
    return (f'<div class="fp-line">{number}. <b>{draw.escape(row["place"])}</b> <span class="fp-note">({ranks})</span>'
            f'</div><div class="fp-line fp-note" style="padding-left:18px">{draw.escape(row["text"])}</div>')


def _desk(turn) -> str:
    """Draw the pages in the order of the prompt, each under its label."""
    rows, many = [], len(turn["sources"]) > 5
    for source in turn["sources"]:
        label, text = draw.escape(source["label"]), draw.escape(source["text"])
        rows.append(f'<div class="fp-line" style="margin-top:{2 if many else 6}px"><b>{label}</b> <span '
                    f'class="fp-note">{source["tokens"]} tokens</span></div><div class="fp-note '
                    f'{"fp-line" if many else "fp-conv-two"}">{text}</div>')
    return "".join(rows) or '<div>The desk is empty.</div>'


def _answer(turn) -> str:
    """Draw the lines that were quoted, each with its receipt; or silence, with the surest line that was not enough."""
    gauge = _gauge(turn["confidence"], turn["enough"])
    if not turn["quotes"]:
        best = (f'<div class="fp-note" style="margin-top:14px">the surest line, which was not enough</div>'
                f'<div class="fp-conv-two" style="border-left:4px solid {draw.OTHER};padding-left:10px">'
                f'{draw.escape(turn["best"])}</div>' if turn["best"] else "")
        return f'{gauge}<div class="fp-title" style="margin-top:8px">I couldn\'t find that.</div>{best}'
    small = "fp-line fp-conv-small" if len(turn["quotes"]) > 4 else ""
    quotes = "".join(f'<div class="fp-conv-quote"><div class="{small}">{draw.escape(quote["text"])}</div>'
                     f'<div class="fp-line fp-note">[{draw.escape(quote["receipt"])}]</div></div>'
                     for quote in turn["quotes"][:MOST])
    more = f'<div class="fp-note">and {len(turn["quotes"]) - MOST} more</div>' if len(turn["quotes"]) > MOST else ""
    return gauge + quotes + more


def _gauge(confidence: float, enough: float) -> str:
    """Return how sure the surest line is, on a scale from 0 to 1, and how sure is enough."""
    x, line, wide = 130 + 340 * min(max(confidence, 0.0), 1.0), 130 + 340 * enough, 340
    return draw.svg(44, draw.text(0, 18, "how sure", 14), draw.box(130, 8, wide, 12, fill=draw.tint(draw.OTHER, 0.25)),
                    draw.box(130, 8, round(x - 130, 1), 12, fill=draw.GREEN if confidence >= enough else draw.OTHER),
                    draw.line(round(line, 1), 2, round(line, 1), 26, draw.INK, 2, "3 3"),
                    draw.text(round(line, 1), 40, f"{enough:g} is enough", 12, draw.GREY, anchor="middle"),
                    draw.text(480, 19, shown(confidence, enough), 14, bold=True), width=520)


# ---- the explorer

def texts() -> list[str]:
    """Return the texts whose vectors this picture needs: the slip of each turn."""
    turns = [{"role": "user", "text": question} for question in QUESTIONS]
    slips = [condense(question, turns[:number]).texts[0] for number, question in enumerate(QUESTIONS)]
    return list(dict.fromkeys([*QUESTIONS, *slips]))


def conversation(question: str = "") -> Stage:
    """Step through a talk with Larkspur's files: slip, candidates, desk and answer of each of its turns.

    `question`, which can be typed as well, is asked after the five of the talk.
    """
    box = ipywidgets.Text(value=question, description="ask one more", tooltip="ask one more",
                          placeholder="a question of your own, asked after the five", continuous_update=False,
                          style={"description_width": "90px"}, layout={"width": "640px"})
    row = ipywidgets.HBox([box])
    row.add_class("fp-row")
    return stepper("conversation", lambda question: trace(question), picture, describe, TASKS, caption, STYLE,
                   pause=3.0, texts={"question": box}, above=[row], whole=("question",))
