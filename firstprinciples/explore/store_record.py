"""Lesson 13: what a store keeps of a page, a point, a text and labels, and a condition held against the labels.

The page is a chunk of Larkspur. The condition has up to four fields to fill in; each is held against the page's label
alone, and all of them together decide. Both are asked of `filters.matches`, so a learner's function drives the picture.
"""

from dataclasses import dataclass
from functools import cache

import ipywidgets

from firstprinciples.corpus import Collection
from firstprinciples.encode.stored import minilm
from firstprinciples.explore import draw
from firstprinciples.explore.guard import guard
from firstprinciples.explore.stage import Stage, another_question
from firstprinciples.index import filters

TASKS = ("filters.matches", "filters.within")
PAGES = ("invoice-1042#6", "cedarline-freight-bill-march-2024#3", "sick-day-policy#3", "board-minutes-2024-08#2",
         "filing-cedarline-freight-q1-2024#2")
FIELDS = ("type", "client", "from", "to")
CASES = {  # button -> what it fills in
    "invoices of March 2024": ("invoice", "", "2024-03", "2024-03"),
    "Cedarline's bills": ("invoice, bill", "Cedarline Freight", "", ""),
    "policies of 2023": ("policy", "", "2023", "2023"),
    "from 2025 on": ("", "", "2025", ""),
}
SHOWN = 48  # of the vector's numbers
LETTERS = 60  # of what is typed into a field


@dataclass(frozen=True)
class State:
    """Which page, and what is typed into the four fields; an empty field asks for nothing."""

    page: str = PAGES[0]
    type: str = "invoice"
    client: str = ""
    start: str = "2024-03"
    end: str = "2024-03"

    def __post_init__(self):
        if self.page not in chunks():
            raise ValueError(f"Larkspur has no page {self.page!r}; take an id such as {PAGES[0]!r}.")
        for name in ("type", "client", "start", "end"):
            object.__setattr__(self, name, " ".join(str(getattr(self, name)).split())[:LETTERS])

    @property
    def where(self) -> dict:
        """The condition as a dict: one value, or a list of those that commas part; a range of dates."""
        found = {}
        for field in ("type", "client"):
            values = [value.strip() for value in getattr(self, field).split(",") if value.strip()]
            if values:
                found[field] = values[0] if len(values) == 1 else values
        limits = {key: value for key, value in (("from", self.start), ("to", self.end)) if value}
        return found | ({"date": limits} if limits else {})


@cache
def chunks() -> dict:
    """Return Larkspur's chunks, {id: chunk}."""
    return {chunk.id: chunk for chunk in Collection.load("larkspur").chunks}


@cache
def _numbers(page: str) -> tuple[float, ...]:
    """Return the vector of a page."""
    return tuple(float(value) for value in minilm().encode_passages([chunks()[page].text])[0])


def frame(state: State) -> dict:
    """Return the record, and for each field of the condition whether it holds; `trouble` where it is no condition."""
    chunk, where = chunks()[state.page], state.where
    fields, fits, holding, trouble = {}, False, 0, ""
    try:
        fields = {field: bool(filters.matches(chunk.metadata, {field: asked})) for field, asked in where.items()}
        fits = bool(filters.matches(chunk.metadata, where))
        held = {}  # the chunks of a document have the same labels: one look for all of them
        for each in chunks().values():
            if each.document not in held:
                held[each.document] = bool(filters.matches(each.metadata, where))
            holding += held[each.document]
    except ValueError as error:  # what the reader typed is no range
        trouble = str(error)
    numbers = _numbers(state.page)
    return {"page": state.page, "text": chunk.text, "labels": dict(chunk.metadata), "where": where, "fields": fields,
            "fits": fits, "holding": holding, "of": len(chunks()), "dim": len(numbers),
            "numbers": list(numbers[:SHOWN]), "trouble": trouble}


# ---- words

def asked(condition) -> str:
    """Return what a field asks for in words.

    >>> asked("bill"), asked(["invoice", "bill"]), asked({"from": "2024-03", "to": "2024-05"}), asked({"to": "2024"})
    ('is bill', 'is invoice or bill', 'lies in 2024-03 to 2024-05', 'lies in any time to 2024')
    """
    if isinstance(condition, dict):
        low, high = condition.get("from", "any time"), condition.get("to", "any time")
        return f"lies in {low} to {high}"
    return f"is {' or '.join(condition) if isinstance(condition, list) else condition}"


def describe(frame: dict) -> str:
    """Say the page, its labels, and which parts of the condition hold."""
    labels = ", ".join(f"{field} {value}" for field, value in frame["labels"].items())
    about = f"Record {frame['page']}: {frame['dim']} numbers, a text, and the labels {labels}."
    if frame["trouble"]:
        return f"{about} The condition can't be read: {frame['trouble']}"
    if not frame["where"]:
        return f"{about} No condition: it matches, as all {frame['of']} do."
    said = "; ".join(f"{field} {asked(condition)}: {'holds' if frame['fields'][field] else 'does not hold'}"
                     for field, condition in frame["where"].items())
    return (f"{about} {said}. So the record {'matches' if frame['fits'] else 'does not match'}; {frame['holding']} of "
            f"{frame['of']} records do.")


def caption(frame: dict, before=None) -> str:
    """Say what decides."""
    if frame["trouble"]:
        return frame["trouble"]
    if not frame["where"]:
        return f"An empty condition asks for nothing: all {frame['of']} records match."
    failing = [field for field, holds in frame["fields"].items() if not holds]
    if frame["fits"]:
        said = "Every field holds, so the record matches."
    elif failing:
        said = f"All fields must hold, and {' and '.join(failing)} {'does' if len(failing) == 1 else 'do'} not."
    else:
        said = "Each field holds, and yet the record does not match."
    share = frame["holding"] / frame["of"]
    return (f"{said} {frame['holding']} of {frame['of']} records match, {share:.1%}. The text and the point are not "
            "looked at.")


# ---- the picture

STYLE = """<style>
.fp-record { display: grid; grid-template-columns: minmax(0, 1fr); row-gap: 10px; min-height: 366px;
  margin: 8px 0; }
.fp-record .fp-card { padding: 8px 14px; }
.fp-record-text { height: 66px; overflow: hidden; display: -webkit-box; -webkit-line-clamp: 3;
  -webkit-box-orient: vertical; white-space: pre-line; }
.fp-label { display: grid; grid-template-columns: 84px minmax(0, 4fr) minmax(0, 5fr) 130px; align-items: center;
  height: 34px; column-gap: 10px; border-left: 5px solid transparent; padding-left: 8px; }
</style>"""


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw the record: its point as a strip of numbers, its text, and its labels with the condition beside them."""
    rows = "".join(_label(frame, field, value, expected) for field, value in frame["labels"].items())
    verdict = "matches" if frame["fits"] else "does not match"
    should = f" (expected: {'matches' if expected['fits'] else 'does not match'})" \
        if expected and expected["fits"] != frame["fits"] else ""
    if frame["trouble"]:
        verdict = "can't be asked"
    text = "\n".join(line for line in frame["text"].splitlines() if line.strip())
    note = f"{frame['page']}; {frame['holding']} of {frame['of']} records match" + (
        f" (expected: {expected['holding']})" if expected and expected["holding"] != frame["holding"] else "")
    return (f'<div class="fp-title fp-line">Does this record meet the condition? It {verdict}{should}</div>'
            f'<div class="fp-line fp-note">{note}</div><div class="fp-record">'
            f'<div class="fp-card"><b>Point</b> <span class="fp-note">the first {SHOWN} of {frame["dim"]} numbers; up '
            f'is above 0</span>{_strip(frame["numbers"])}</div>'
            f'<div class="fp-card"><b>Text</b><div class="fp-record-text">{draw.escape(text)}</div></div>'
            f'<div class="fp-card"><div class="fp-label"><b>Labels</b><span></span><b>Condition</b><b></b></div>{rows}'
            f'</div></div>')


def _strip(numbers) -> str:
    """Return numbers as thin bars up and down from a line."""
    most, wide = max(map(abs, numbers)) or 1.0, 100 / len(numbers)
    bars = [draw.box(f"{i * wide:.2f}%", f"{22 - max(value, 0) / most * 20:.1f}", f"{wide * 0.62:.2f}%",
                     f"{abs(value) / most * 20:.1f}", fill=draw.BLUE if value >= 0 else draw.ORANGE, radius=0)
            for i, value in enumerate(numbers)]
    return draw.svg(44, draw.line("0", 22, "100%", 22), *bars)


def _label(frame, field: str, value, expected) -> str:
    """Return one label, what is asked of it, and whether it holds: by color, by sign and in words."""
    value = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    if field not in frame["fields"]:
        condition = frame["where"].get(field)
        said = asked(condition) if condition is not None else "nothing asked"
        return (f'<div class="fp-label"><span class="fp-note">{draw.escape(field)}</span><span class="fp-line">'
                f'{draw.escape(value)}</span><span class="fp-note fp-line">{draw.escape(said)}</span><span></span>'
                '</div>')
    holds = frame["fields"][field]
    color, sign = (draw.GREEN, "✓ holds") if holds else (draw.NOW, "✗ does not")
    if expected and expected["fields"].get(field) not in (None, holds):
        sign += ", expected " + ("✓" if expected["fields"][field] else "✗")
    return (f'<div class="fp-label" style="border-color:{color};background:{draw.tint(color, 0.14)}">'
            f'<span class="fp-note">{draw.escape(field)}</span><b class="fp-line">{draw.escape(value)}</b>'
            f'<span class="fp-line">{draw.escape(asked(frame["where"][field]))}</span><b class="fp-line">{sign}</b>'
            '</div>')


# ---- the explorer

def store_record(page: str = PAGES[0]) -> Stage:
    """Show one page of Larkspur as a store keeps it, with a condition to fill in; `page` is a chunk's id."""
    start = State(page)
    words = {"type": start.type, "client": start.client, "start": start.start, "end": start.end}
    names = dict(zip(words, ("type", "client", "from", "to"), strict=True))
    boxes = {key: ipywidgets.Text(value, description=names[key], tooltip=names[key], continuous_update=False,
                                  style={"description_width": "44px"},
                                  layout={"width": "230px" if key == "client" else "180px"})
             for key, value in words.items()}
    which = ipywidgets.Label(start.page, layout={"display": "none"})
    order = [start.page, *(each for each in PAGES if each != start.page)]
    turn = another_question(lambda: setattr(which, "value", order[(order.index(which.value) + 1) % len(order)]))
    turn.description = "Another page"
    cases = [ipywidgets.Button(description=name, layout={"width": "auto"}) for name in CASES]

    def run(values):
        state = State(**values)
        return guard(TASKS, lambda: frame(state), lambda drawn: (picture(drawn, None, None), caption(drawn)))

    rows = [ipywidgets.HBox([turn, *cases]), ipywidgets.HBox(list(boxes.values()))]
    for row in rows:
        row.add_class("fp-row")
    stage = Stage("store_record", run, picture, describe, {}, {"page": which, **boxes}, caption, style=STYLE,
                  above=rows)
    for button in cases:
        button.on_click(lambda pressed: stage.fill(dict(zip(words, CASES[pressed.description], strict=True))))
    return stage
