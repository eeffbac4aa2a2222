"""Lesson 07: a wrong answer, walked backwards. At each station the evidence, and two buttons: yes, no.

The cases are wrong answers that three pipelines really gave to questions of Larkspur's half dev. The reader sees what
one station holds and decides whether the line that answers was still there. Where the evidence says otherwise he is
told at once, and shown where. `failure` has the functions that decide, looked up when a picture is drawn.
"""

from dataclasses import dataclass

import ipywidgets

from firstprinciples.evaluate import failure
from firstprinciples.explore import draw
from firstprinciples.explore.failure_evidence import WAYS, cut_where, gathered, sentence_of, walk
from firstprinciples.explore.failure_picture import ASKED, PLACES, STYLE, evidence, header, held_in, short, tree
from firstprinciples.explore.guard import Trouble, guard
from firstprinciples.explore.stage import Stage

TASKS = ("failure.holds", "failure.holders", "failure.reached", "failure.first_loss", "failure.earliest")
# a question of the half dev, and the pipeline that answered it wrongly
CASES = (("needs_context-015", "words"), ("rare_name-025", "windows"), ("direct-017", "words"),
         ("direct-007", "both"), ("negation_or_date-009", "words"), ("follow_up-005", "windows"),
         ("needs_context-025", "words"), ("needs_context-001", "both"), ("exact-025", "windows"),
         ("follow_up-001", "both"), ("negation_or_date-009", "both"), ("paraphrase-005", "words"),
         ("direct-005", "windows"), ("follow_up-027", "both"), ("polysemy-009", "both"),
         ("negation_or_date-027", "words"))
READ = 10  # chunks that a desk has at most


@dataclass(frozen=True)
class State:
    """Which case, what was chosen so far ("y" and "n", in order), and which chunk of the desk is open, 0 for none."""

    case: int = 0
    said: str = ""
    opened: int = 0

    def __post_init__(self):
        object.__setattr__(self, "case", int(self.case) % len(CASES))
        object.__setattr__(self, "said", "".join(sign for sign in str(self.said) if sign in "yn"))
        object.__setattr__(self, "opened", min(max(int(self.opened), 0), READ))


def frame(state: State) -> dict:
    """Return the case, the station that is asked, what was decided, and once the place is named what there is to mend.

    What the stations truly hold is worked out by the functions of `failure`, and leaves the frame only where the
    reader has chosen.
    """
    one = walk(*CASES[state.case])
    looked = looks(one)
    walked = replay(state.said, looked["alive"])
    out = {"case": state.case, "way": WAYS[CASES[state.case][1]], "shown": gathered(one), "opened": state.opened,
           **walked, "holders": looked["holders"] if walked["station"] >= 2 or walked["over"] else
           [[] for _ in looked["holders"]], "facts": [fact(one, looked, n) for n in range(len(walked["marks"]))
                                                      if walked["marks"][n] is not None],
           "disagrees": fact(one, looked, walked["station"]) if walked["marked"] and not walked["over"] else ""}
    if walked["over"]:
        found = failure.diagnose(one.trip, one.query, one.documents, one.chunks)
        out |= {"place": looked["place"], "places": looked["places"], "repairs": list(found.repairs),
                "facts": [fact(one, looked, n) for n in range(4) if n == 0 or all(looked["alive"][:n])]}
    return out


def looks(one) -> dict:
    """Return what the functions of the course say of a walk: who holds each line, what is alive, and the place."""
    holding, reached, places = [], [], []
    for piece in gathered(one)["pieces"]:
        name = piece["document"]
        own = [chunk for chunk in one.chunks if chunk["document"] == name]
        documents = {name: one.documents[name]} if name in one.documents else {}
        holding.append(_ids(failure.holders(piece["quote"], name, own)))
        row = failure.reached(piece["quote"], name, documents, own, list(one.trip.candidates),
                              [row["id"] for row in one.trip.context])
        reached.append(_four(row))
        places.append(_place("first_loss", failure.first_loss(reached[-1])))
    return {"holders": holding, "reached": reached, "alive": [all(row[n] for row in reached) for n in range(4)],
            "places": places, "place": _place("earliest", failure.earliest(list(places)))}


def replay(said: str, alive: list[bool]) -> dict:
    """Return where the choices lead: the station, what was decided, how often the evidence disagreed, and the end.

    >>> replay("yn", [True, True, True, True])["station"], replay("yn", [True, False, True, True])["over"]
    (1, True)
    """
    station, marks, missed, marked, over = 0, [None] * 4, [], False, False
    for sign in said:
        if over:
            break
        choice = sign == "y"
        if choice != alive[station]:
            missed, marked = [*missed, station], True
            continue
        marks[station], marked = choice, False
        station, over = (station + 1, station == 3) if choice else (station, True)
    return {"station": min(station, 3), "marks": marks, "missed": missed, "marked": marked or over, "over": over}


def _ids(value) -> list[str]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(each, str) for each in value):
        raise Trouble("Your holders should give a list of ids.")
    return list(value)


def _four(value) -> list[bool]:
    if not isinstance(value, (list, tuple)) or len(value) != 4:
        raise Trouble("Your reached should give four values, True or False.")
    return [bool(each) for each in value]


def _place(name: str, value) -> str:
    if value not in PLACES:
        raise Trouble(f"Your {name} should give one of {', '.join(PLACES)}.")
    return value


# ---- words

def fact(one, looked: dict, station: int) -> str:
    """Say what the evidence of a station is, for each needed line."""
    shown = gathered(one)
    said = [_fact(shown, piece, holders, reached, station) for piece, holders, reached in
            zip(shown["pieces"], looked["holders"], looked["reached"], strict=True)]
    return said[0] if len(said) == 1 else " ".join(f"Line {n}: {each}" for n, each in enumerate(said, 1))


def _fact(shown: dict, piece: dict, holders: list[str], reached: list[bool], station: int) -> str:
    name, yes = piece["document"], reached[station]
    if station == 0:
        if yes:
            return f"{name} is there, and the line stands in it."
        if not piece["there"]:
            return f"The index has no document {name}: it was never read in."
        return f"Where the line should be, {name} has “{piece['instead']}”." if piece["instead"] else \
            f"{name} is there, and the line does not stand in it."
    if station == 1:
        if yes:
            texts = {chunk["id"]: chunk["text"] for chunk in piece["chunks"]}
            where = sentence_of(texts[holders[0]], piece["quote"]) if holders and holders[0] in texts else "whole"
            return f"Chunk {', '.join(map(short, holders))} does hold it: its {where}."
        words = len(piece["quote"].split())
        parts = ", ".join(f"{short(id)} has {n}" for id, n in cut_where(piece["quote"], piece["chunks"]))
        return f"No chunk holds it whole: of its {words} words {parts or 'no chunk has any'}."
    places = {row["id"]: row["place"] for row in piece["rows"]}
    held = [id for id in holders if id in places]
    if station == 2:
        if yes and held:
            return f"{short(held[0])} is among the candidates, at place {places[held[0]]}."
        first = piece["rows"][0] if piece["rows"] else None
        other = f" {short(first['id'])} of the same document is, at place {first['place']}: the right document, and " \
            "another piece of it." if first else ""
        return f"{', '.join(map(short, holders)) or 'A chunk that holds it'} is not among the candidates.{other}"
    lies = next((row for row in shown["desk"] if row["id"] in holders), None)
    if yes and lies:
        return f"Number {lies['number']} on the desk holds it: its {sentence_of(lies['text'], piece['quote'])}."
    same = [row["number"] for row in shown["desk"] if row["document"] == name]
    which = f" Number {same[0]} is of the right document, and says something else: read it." if same else ""
    place = f" {short(held[0])}, which does, came in at place {places[held[0]]}." if held else ""
    many = len(shown["desk"])
    none = f"None of the {many} chunks on the desk holds it." if many > 1 else \
        "The one chunk on the desk does not hold it." if many else "Nothing lies on the desk."
    return f"{none}{which}{place}"


def caption(frame: dict, before: dict | None = None) -> str:
    """Say whether the evidence agrees, what it is, and at the end the place and what mends it."""
    if frame["disagrees"]:
        return f"The evidence disagrees. {frame['disagrees']}{marked_now(frame)} Choose again."
    if frame["over"]:
        right = f"{sum(mark is not None for mark in frame['marks']) - len(set(frame['missed']))} of " \
            f"{sum(mark is not None for mark in frame['marks'])} stations at the first try."
        return f"Yes. Lost in {frame['place']}. {right} Press “Another case”."
    if frame["facts"]:
        return f"Yes. {frame['facts'][-1]} Go on: {ASKED[frame['station']].lower()}"
    return "Look at what the index has of this document. Does it hold the line, whole? Press Yes or No."


def marked_now(frame: dict) -> str:
    """Say that the place is marked, where there is one to mark."""
    piece = frame["shown"]["pieces"][0]
    there = frame["station"] in (1, 2) or frame["station"] == 0 and piece["there"] and piece["instead"]
    return " What there is of it is marked." if there else ""


def describe(frame: dict) -> str:
    """Say the case, the station and its evidence; once the place is found, that."""
    shown = frame["shown"]
    lines = "; ".join(f"“{piece['quote']}” in {piece['document']}" for piece in shown["pieces"])
    head = (f"Case {frame['case'] + 1} of {len(CASES)}. “{shown['question']}” {shown['answer']} ({shown['verdict']}). "
            f"Wanted: {shown['wanted']}. The line: {lines}.")
    if frame["over"]:
        return f"{head} Lost in {frame['place']}. {' '.join(frame['facts'])} Repairs: {' '.join(frame['repairs'])}"
    told = f" The evidence disagrees. {frame['disagrees']}" if frame["disagrees"] else ""
    return f"{head} Station {frame['station'] + 1} of 4: {ASKED[frame['station']]} {spoken(frame)}{told}"


def spoken(frame: dict) -> str:
    """Return the evidence of the station in words, for whoever can't see it."""
    shown, station, out = frame["shown"], frame["station"], []
    if station == 3:
        rows = [f"{row['number']}. {row['document']}, page {row['page']}, {row['score']:.3f}" +
                (f": {' '.join(row['text'].split())}" if row["number"] == frame["opened"] else "")
                for row in shown["desk"]]
        return f"On the desk: {'; '.join(rows)}."
    for piece, holders in zip(shown["pieces"], frame["holders"], strict=True):
        if station == 0:
            out.append(f"{piece['document']} in the index: {' '.join(piece['excerpt'].split())}" if piece["there"] else
                       f"Names in the index there: {', '.join(piece['names'])}.")
        elif station == 1:
            out.append("; ".join(f"{short(chunk['id'])}: {' '.join(chunk['text'].split())}"
                                 for chunk in piece["chunks"]))
        else:
            rows = ", ".join(f"{short(row['id'])} at {row['place']}" for row in piece["rows"]) or "none"
            out.append(f"{held_in(piece, holders)} Candidates of this document: {rows}.")
    return " ".join(out)


# ---- the picture

def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw the question, the tree, and the evidence of the station, or what was found at the end."""
    note = f"case {frame['case'] + 1} of {len(CASES)}; {frame['way']}"
    right = ending(frame, expected) if frame["over"] else (
        f'<div style="font-size:15px;font-weight:700;margin-bottom:4px">{ASKED[frame["station"]]}</div>'
        + evidence(frame["shown"], frame["station"], frame["marked"], frame["opened"], frame["holders"]))
    return (f'<div class="fp-title fp-line">Where was it lost?</div>{header(frame["shown"], note)}'
            f'<div class="fp-scroll"><div class="fp-fail"><div>{tree(frame["marks"], frame["station"], frame["over"])}'
            f'</div><div class="fp-card fp-fail-evidence">{right}</div></div></div>')


def ending(frame: dict, expected: dict | None) -> str:
    """Return the place, what was found at each station, and the repairs that fit."""
    facts = "".join(f"<li>{draw.escape(each)}</li>" for each in frame["facts"])
    repairs = "".join(f"<li>{draw.escape(each)}</li>" for each in frame["repairs"])
    own = f' <span class="fp-note">expected: {expected["place"]}</span>' \
        if expected and expected.get("place") not in (None, frame["place"]) else ""
    pieces = f'<div class="fp-note">line by line: {", ".join(frame["places"])}; the earliest counts</div>' \
        if len(frame["places"]) > 1 else ""
    said = ""
    if frame["place"] == "generation":
        quoted = " / ".join(frame["shown"]["quoted"]) or "nothing"
        said = f"<div>All was there. Quoted was: {draw.escape(quoted)}</div>"
    return (f'<div style="font-size:17px;font-weight:700;margin-bottom:4px">Lost in {frame["place"]}{own}</div>{pieces}'
            f'<ol style="margin:4px 0;padding-left:22px">{facts}</ol>{said}<div style="margin-top:8px"><b>What may '
            f'help</b></div><ul style="margin:4px 0;padding-left:22px">{repairs}</ul>')


# ---- the explorer

def failure_tree(case: int = 1) -> Stage:
    """Walk a wrong answer from station to station: yes or no, and at the end the place and the repairs that fit.

    `case` is the number of the one it begins with, from 1.
    """
    start = State(case - 1)
    number, said, opened = ipywidgets.IntText(start.case), ipywidgets.Text(""), ipywidgets.IntText(0)  # not shown
    yes, no, other = (ipywidgets.Button(description=word, layout={"width": width}) for word, width in
                      (("Yes", "80px"), ("No", "80px"), ("Another case", "130px")))
    reads = [ipywidgets.Button(description=f"Read {n}", layout={"width": "72px"}) for n in range(1, READ + 1)]

    def run(values):
        state = State(**values)
        result = guard(TASKS, lambda: frame(state), lambda drawn: picture(drawn, None, None))
        at_the_desk = result.frame["station"] == 3 and not result.frame["over"]
        for n, button in enumerate(reads, 1):
            button.layout.display = "" if at_the_desk and n <= len(result.frame["shown"]["desk"]) else "none"
        return result

    stage = Stage("failure_tree", run, picture, describe, {}, {"case": number, "said": said, "opened": opened},
                  caption=caption, style=STYLE, buttons=[yes, no, other, *reads])

    def choose(sign):
        if not stage.frame["over"]:
            said.value += sign

    yes.on_click(lambda _: choose("y"))
    no.on_click(lambda _: choose("n"))
    other.on_click(lambda _: stage.fill({"case": (number.value + 1) % len(CASES), "said": "", "opened": 0}))
    for n, button in enumerate(reads, 1):
        button.on_click(lambda _, n=n: setattr(opened, "value", 0 if opened.value == n else n))
    return stage
