"""Lesson 07: break it, and say where. One fault at a time in a pipeline that answered rightly before.

`evaluate/faults.py` breaks one of the five places. The reader looks at the documents, the chunks, the candidates and
the desk, names a place, and is told what was broken. How often he was right, and what he took for what, is kept as long
as the kernel runs, also where the cell is run again.
"""

import random
from dataclasses import dataclass
from functools import lru_cache

import ipywidgets

from firstprinciples.evaluate import failure, faults
from firstprinciples.explore import draw
from firstprinciples.explore.failure_evidence import Walk, gathered
from firstprinciples.explore.failure_picture import ASKED, PLACES, STYLE, evidence, header
from firstprinciples.explore.failure_tree import READ, fact, looks, spoken
from firstprinciples.explore.failure_tree import TASKS as OF_THE_TREE
from firstprinciples.explore.guard import Trouble, guard
from firstprinciples.explore.stage import Stage, toggles

TASKS = (*OF_THE_TREE, "failure.confusions")
VIEWS = ("documents", "chunks", "candidates", "desk")
RECORD = []  # (number of the fault, true place, named place), in the order in which they were named

LOOK = f"""<style>
.fp-broke th, .fp-broke td {{ width: 27px; height: 27px; text-align: center; font-size: 13px; padding: 0; }}
.fp-broke td {{ border: 1px solid {draw.LINE}; }}
.fp-broke th:first-child {{ width: 84px; text-align: left; font-weight: 400; }}
</style>"""


@dataclass(frozen=True)
class State:
    """The number of the fault, what is looked at, which chunk of the desk is open, and the place that was named."""

    fault: int = 0
    view: str = "documents"
    opened: int = 0
    named: str = ""

    def __post_init__(self):
        object.__setattr__(self, "fault", max(int(self.fault), 0))
        object.__setattr__(self, "view", self.view if self.view in VIEWS else VIEWS[0])
        object.__setattr__(self, "opened", min(max(int(self.opened), 0), READ))
        object.__setattr__(self, "named", self.named if self.named in PLACES else "")


def place_of(number: int) -> str:
    """Return which of the five places a fault breaks: drawn anew for each number, the same every time."""
    return random.Random(f"desk {number}").choice(PLACES)


@lru_cache(maxsize=8)
def broken(number: int):
    """Return what `faults.inject` broke: the place of this number, the next of its kinds each time it comes up."""
    return faults.inject(place_of(number), sum(place_of(n) == place_of(number) for n in range(number)))


def frame(state: State) -> dict:
    """Return the fault's evidence, the score so far, and once a place was named what was broken."""
    fault = broken(state.fault)
    one = Walk(fault.query, fault.trip, fault.documents, fault.chunks)
    looked = looks(one)
    station = VIEWS.index(state.view)
    pairs = [(true, named) for _, true, named in RECORD]
    out = {"fault": state.fault, "way": fault.way, "view": state.view, "station": station, "opened": state.opened,
           "shown": gathered(one),
           "holders": looked["holders"] if state.named else [None for _ in looked["holders"]],  # else it is given away
           "marked": bool(state.named), "named": state.named, "named_all": len(pairs),
           "right": sum(true == named for true, named in pairs),
           "table": _table(failure.confusions([true for true, _ in pairs], [named for _, named in pairs]))}
    if state.named:
        out |= {"place": place_of(state.fault), "broken": fault.broken,
                "facts": [fact(one, looked, n) for n in range(4) if n == 0 or all(looked["alive"][:n])]}
    return out


def _table(value) -> list[list[int]]:
    """Return the counts, true places in rows and named ones in columns; Trouble for a table that is none."""
    try:
        return [[int(value[true][named]) for named in PLACES] for true in PLACES]
    except (KeyError, TypeError, ValueError) as error:
        raise Trouble("Your confusions should give {true: {named: count}} with all five places in both.") from error


# ---- words

def score(frame: dict) -> str:
    """Return the score in words.

    >>> score({"right": 3, "named_all": 4})
    '3 of 4 named rightly'
    """
    return f"{frame['right']} of {frame['named_all']} named rightly" if frame["named_all"] else "nothing named yet"


def caption(frame: dict, before: dict | None = None) -> str:
    """Say what to do, or whether the place was right and what was broken."""
    if not frame["named"]:
        return "It answered this rightly a moment ago; then something was broken. Look at the four stations, and " \
            "name the place where the line was lost first."
    head = f"Yes, {frame['place']}." if frame["named"] == frame["place"] else \
        f"You said {frame['named']}; it was {frame['place']}."
    return f"{head} {frame['broken']} {frame['facts'][-1]}"


def describe(frame: dict) -> str:
    """Say the question, the evidence of the station that is looked at, and the score; once named, what was broken."""
    shown = frame["shown"]
    lines = "; ".join(f"“{piece['quote']}” in {piece['document']}" for piece in shown["pieces"])
    told = f" {caption(frame)}" if frame["named"] else ""
    return (f"Fault {frame['fault'] + 1}. “{shown['question']}” {shown['answer']} ({shown['verdict']}). Wanted: "
            f"{shown['wanted']}. The line: {lines}. Looking at the {frame['view']}: {spoken(frame)}{told} Score: "
            f"{score(frame)}.")


# ---- the picture

def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw the question, on the left the score, on the right the evidence that is looked at."""
    note = f"fault {frame['fault'] + 1}; before it was broken, this pipeline answered rightly: {frame['way']}"
    told = ""
    if frame["named"]:
        color = draw.GREEN if frame["named"] == frame["place"] else draw.ORANGE
        sign = "✓" if frame["named"] == frame["place"] else "✗"
        told = (f'<div style="border:2px solid {color};border-radius:8px;padding:6px 10px;margin-bottom:8px"><b>{sign} '
                f'{frame["place"]}</b><br>you said {frame["named"]}</div>')
    body = evidence(frame["shown"], frame["station"], frame["marked"], frame["opened"], frame["holders"])
    return (f'<div class="fp-title fp-line">Something is broken. Where?</div>{header(frame["shown"], note)}'
            f'<div class="fp-scroll"><div class="fp-fail"><div>{told}{table(frame)}</div>'
            f'<div class="fp-card fp-fail-evidence"><div style="font-size:15px;font-weight:700;margin-bottom:4px">'
            f'{ASKED[frame["station"]]}</div>{body}</div></div></div>')


def table(frame: dict) -> str:
    """Return the score, and what was taken for what: true places in rows, named ones in columns."""
    head = "".join(f'<th title="{place}">{place[:2]}</th>' for place in PLACES)
    rows = ""
    for row, place in enumerate(PLACES):
        cells = "".join(f'<td style="{_look(count, row == column)}">{count or "·"}</td>'
                        for column, count in enumerate(frame["table"][row]))
        rows += f"<tr><th>{place}</th>{cells}</tr>"
    return (f'<div><b>{score(frame)}</b></div><div class="fp-note">rows: what was broken; columns: what you said, by '
            f'first letters</div><table class="fp-broke" style="border-collapse:collapse"><tr><th></th>{head}</tr>'
            f'{rows}</table>')


def _look(count: int, right: bool) -> str:
    if not count:
        return f"color:{draw.GREY}"
    return f"font-weight:700;background:{draw.tint(draw.GREEN if right else draw.ORANGE)}"


# ---- the explorer

def break_it() -> Stage:
    """Break one of the five places, look at the stations, and name the place; the score is kept in the kernel."""
    start = State(len(RECORD))
    number, opened, named = ipywidgets.IntText(start.fault), ipywidgets.IntText(0), ipywidgets.Text("")  # not shown
    view = toggles(VIEWS, start.view, "what to look at", 104)
    reads = [ipywidgets.Button(description=f"Read {n}", layout={"width": "72px"}) for n in range(1, READ + 1)]
    names = [ipywidgets.Button(description=place, layout={"width": "104px"}) for place in PLACES]
    other = ipywidgets.Button(description="Break another", layout={"width": "130px"})
    look = ipywidgets.HBox([ipywidgets.Label("look at"), view, *reads])
    say = ipywidgets.HBox([ipywidgets.Label("lost in"), *names])
    for row in (look, say):
        row.add_class("fp-row")

    def run(values):
        state = State(**values)
        result = guard(TASKS, lambda: frame(state), lambda drawn: picture(drawn, None, None))
        for n, button in enumerate(reads, 1):
            there = state.view == "desk" and n <= len(result.frame["shown"]["desk"])
            button.layout.display = "" if there else "none"
        return result

    stage = Stage("break_it", run, picture, describe, {}, {"fault": number, "view": view, "opened": opened,
                                                           "named": named},
                  caption=caption, style=STYLE + LOOK, above=[look, say], buttons=[other])

    def name(place):
        if named.value:
            return
        if number.value not in {each for each, *_ in RECORD}:  # after Reset a fault is not counted twice
            RECORD.append((number.value, place_of(number.value), place))
        named.value = place

    for place, button in zip(PLACES, names, strict=True):
        button.on_click(lambda _, place=place: name(place))
    for n, button in enumerate(reads, 1):
        button.on_click(lambda _, n=n: setattr(opened, "value", 0 if opened.value == n else n))
    other.on_click(lambda _: stage.fill({"fault": number.value + 1, "view": VIEWS[0], "opened": 0, "named": ""}))
    return stage
