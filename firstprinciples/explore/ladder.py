"""Lesson 19: the ladder. What each rung added to the one below it, how sure that is, and what it costs in time.

Nothing is measured while you press: the numbers come from notebooks/ladder.json, which says when and how they were
measured. A rung of the reader's own can stand beside those of the course. The sentence below the picture is made by
`experiment.report_line`, and which rungs nobody beats is decided by `experiment.pareto`: both may be the reader's.
"""

import math
from dataclasses import dataclass

import ipywidgets

from firstprinciples.evaluate import experiment
from firstprinciples.explore import draw
from firstprinciples.explore.guard import Trouble, guard
from firstprinciples.explore.measured import measured
from firstprinciples.explore.stage import Stage, toggles

TASKS = ("experiment.report_line", "experiment.pareto")
HALVES = {"dev half": "dev", "held-out half": "held_out"}
MEASURES = {"Recall@10": "Recall@10", "Recall@5": "Recall@5", "nDCG@10": "nDCG@10", "right answers": "right"}
KINDS = {"all": "", "direct": "direct", "other words": "paraphrase", "exact": "exact", "rare name": "rare_name",
         "not, dates": "negation_or_date", "two senses": "polysemy", "needs context": "needs_context",
         "filter": "filter", "follow-up": "follow_up"}
MOST_YOURS = 2  # rows for rungs of the reader's own that the course has not


def figures() -> dict:
    """Return what was measured. Raises FileNotFoundError with a sentence where the file is missing."""
    return measured("ladder")


@dataclass(frozen=True)
class State:
    """Which half, which number, which kind of question, and which rung is read out, from 1."""

    half: str = "dev half"
    measure: str = "Recall@10"
    kind: str = "all"
    rung: int = 2

    def __post_init__(self):
        for name, known in (("half", HALVES), ("measure", MEASURES), ("kind", KINDS)):
            if getattr(self, name) not in known:
                object.__setattr__(self, name, next(iter(known)))
        object.__setattr__(self, "rung", min(max(int(self.rung), 1), len(figures()["rungs"])))


def value_of(row: dict, measure: str, n: int) -> float:
    """Return one number of a rung: a mean, or the share of the questions that are answered rightly."""
    if measure != "right":
        return row[measure]
    return (row["right"] if "right" in row else row["answers"]["right"]) / n


def frame(state: State, yours: dict | None = None) -> dict:
    """Return for each rung its value, what it added with its interval, its p95, and whether nobody beats it."""
    half, names = figures()[HALVES[state.half]], figures()["rungs"]
    measure, kind = MEASURES[state.measure], KINDS[state.kind]
    rows = {name: half["by_kind"][name][kind] if kind else half["rows"][name] for name in names}
    n = rows[names[0]]["queries"] if kind else half["queries"]
    values = {name: float(value_of(row, measure, n)) for name, row in rows.items()}
    ms = {name: float(figures()["times"]["rungs"][name]["trip"]["p95"]) for name in names}
    steps = {name: dict(half["differences"][name][measure]) for name in names[1:]} if not kind else \
        {after: {"difference": values[after] - values[before]} for before, after in zip(names, names[1:], strict=False)}
    for step in steps.values():
        step["apart"] = "low" in step and (step["low"] > 1e-9 or step["high"] < -1e-9)
    kept = experiment.pareto({name: (values[name], ms[name]) for name in names})
    if not isinstance(kept, (list, tuple)) or not set(kept) <= set(names):
        raise Trouble("Your pareto has to give a list of names, each one that it was handed.")
    rung = names[state.rung - 1]
    return {"half": state.half, "measure": state.measure, "kind": state.kind, "rung": state.rung, "names": list(names),
            "n": n, "values": values, "steps": steps, "ms": ms, "kept": list(kept), "date": figures()["times"]["date"],
            "line": _line(state, names, values, steps, n) if not kind else "",
            "answers": dict(half["rows"][rung]["answers"]), "failures": dict(half["rows"][rung]["failures"]),
            "yours": _yours(yours, measure, names)}


def _line(state: State, names, values, steps, n) -> str:
    """Return the report line of the rung that is read out; none for the first, which has nothing below it."""
    if state.rung == 1:
        return ""
    before, name = names[state.rung - 2], names[state.rung - 1]
    step = steps[name]
    line = experiment.report_line(n, name.removeprefix("+ "), values[before], values[name], step["low"], step["high"],
                                  figures()["times"]["added"][name], state.measure)
    if not isinstance(line, str):
        raise Trouble("Your report_line has to give a text.")
    return line


def _yours(yours: dict | None, measure: str, names) -> dict:
    """Return the reader's rungs that have this number: {name: [value, p95]}, at most two that the course has not."""
    out, new = {}, 0
    for name, row in (yours or {}).items():
        if measure in row and (name in names or new < MOST_YOURS):
            new += name not in names
            out[name] = [float(row[measure]), float(row["p95"])]
    return out


# ---- words

def signed(step: dict) -> str:
    """Return what a rung added, with its interval where there is one.

    >>> signed({"difference": 0.093, "low": 0.04, "high": 0.15}), signed({"difference": -0.05})
    ('+0.093 (+0.040 to +0.150)', '−0.050')
    """
    said = f"{step['difference']:+.3f}"
    if "low" in step:
        said += f" ({step['low']:+.3f} to {step['high']:+.3f})"
    return said.replace("-", "−")


def which(frame: dict) -> str:
    """Say which questions these are: "135 dev questions"."""
    kind = "" if frame["kind"] == "all" else f", {frame['kind']}"
    return f"{frame['n']} {'dev' if frame['half'] == 'dev half' else 'held-out'} questions{kind}"


def describe(frame: dict) -> str:
    """Say every rung: its value, what it added, its time."""
    said = []
    for name in frame["names"]:
        step = frame["steps"].get(name)
        unsure = "" if not step or step["apart"] or "low" not in step else ", not told apart"
        said.append(f"{name} {frame['values'][name]:.3f}" + (f", {signed(step)}{unsure}" if step else "")
                    + f", p95 {frame['ms'][name]:.1f} ms")
    yours = "; ".join(f"yours, {name} {value:.3f}, p95 {ms:.1f} ms" for name, (value, ms) in frame["yours"].items())
    return (f"{frame['measure']} of {which(frame)}, from the lowest rung up: {'; '.join(said)}. Not beaten: "
            f"{', '.join(frame['kept']) or 'none'}.{f' {yours}.' if yours else ''}")


def caption(frame: dict, before: dict | None = None) -> str:
    """Say what the rung that is read out added, and what its answers are."""
    name = frame["names"][frame["rung"] - 1]
    answers, lost = frame["answers"], {place: n for place, n in frame["failures"].items() if n}
    yours = " ◆ are yours: if they were asked other questions, compare them with each other alone." \
        if frame["yours"] else ""
    if frame["line"]:
        said = frame["line"][0].upper() + frame["line"][1:] + ("" if frame["line"].endswith(".") else ".")
    elif name in frame["steps"]:
        step = frame["steps"][name]
        few = " Without an interval: so few questions tell little." if "low" not in step else \
            "" if step["apart"] else " These questions can't tell the two apart."
        said = f"{name}: {frame['measure']} {signed(step)} against the rung below.{few}"
    else:
        said = f"{name}, the first rung: {frame['measure']} {frame['values'][name]:.3f}."
    if frame["kind"] != "all":
        return said + yours
    where = ", ".join(f"{place} {n}" for place, n in lost.items())
    return (f"{said} Its answers: {answers['right']} right, {answers['wrong']} wrong, {answers['declined']} declined. "
            f"Where what is missing was lost: {where or 'nowhere'}.{yours}")


# ---- the picture

NAME, LOW, HIGH, TIME = 0.0, 29.0, 64.0, 68.0  # where names, the axis of quality, its end, and times stand, in percent
LONGEST = 11.0  # the bar of the slowest, in percent: behind it is room for words
ROW, TOP = 50, 36
YOURS = draw.PURPLE


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw the rungs, the first at the bottom: what each found, what it added, and how long a trip takes."""
    extra = [name for name in frame["yours"] if name not in frame["names"]]
    rows = list(reversed([*frame["names"], *extra]))
    notes = ["expected: the course's own function"] * bool(expected)
    notes += ["● told apart from the rung below (│), ○ not", "band: 95% interval" if expected else
              "band: 95% interval of what it added", "pale time: beaten by another rung"]
    scale = _scale(frame)
    slowest = max([*frame["ms"].values(), *(ms for _, ms in frame["yours"].values())])
    height = TOP + ROW * (len(frame["names"]) + MOST_YOURS * bool(frame["yours"])) + 24
    floor = TOP + ROW * len(rows)
    yours = "; ◆ yours" * bool(frame["yours"])
    shapes = [draw.text(x, 14, words, 12, draw.GREY) for x, words in
              ((NAME, "rung; what it added"), (f"{LOW}%", frame["measure"] + yours), (f"{TIME}%", "p95 of a trip, ms"))]
    for tick in _ticks(*scale):
        x = _x(tick, scale)
        shapes += [draw.line(x, TOP - 10, x, floor - 6), draw.text(x, floor + 12, f"{tick:.1f}", 12, draw.GREY,
                                                                   anchor="middle")]
    places = {name: TOP + ROW * place + 12 for place, name in enumerate(rows)}
    for below, name in zip(frame["names"], frame["names"][1:], strict=False):
        shapes.append(draw.line(_x(frame["values"][below], scale), places[below], _x(frame["values"][name], scale),
                                places[name], draw.OTHER, 1))
    for name in rows:
        shapes += _rung(frame, expected, name, places[name], scale, slowest)
    return (f'<div class="fp-title fp-line">What each rung added: {which(frame)}</div>'
            f'<div class="fp-line fp-note">{draw.escape("; ".join(notes))}</div><div class="fp-scroll">'
            f'<div style="min-width:760px">{draw.svg(height, *shapes)}</div></div>')


def _scale(frame) -> tuple[float, float]:
    """Return the ends of the axis of quality, in whole tenths, with room for every value and interval."""
    all_of = [*frame["values"].values(), *(value for value, _ in frame["yours"].values())]
    below = dict(zip(frame["names"][1:], frame["names"], strict=False))
    all_of += [frame["values"][below[name]] + step[end] for name, step in frame["steps"].items()
               for end in ("low", "high") if end in step]
    low, high = math.floor(10 * min(all_of)) / 10, math.ceil(10 * max(all_of)) / 10
    return max(low, 0.0), max(high, low + 0.3)


def _ticks(low, high) -> list[float]:
    """Return the tenths from low to high; every other one where there are many."""
    count = round(10 * (high - low))
    return [low + each / 10 for each in range(0, count + 1, 2 if count > 6 else 1)]


def _x(value, scale) -> str:
    """Return where a value stands."""
    return f"{LOW + (HIGH - LOW) * (value - scale[0]) / (scale[1] - scale[0]):.3f}%"


def _rung(frame, expected, name, y, scale, slowest) -> list[str]:
    """Return the shapes of one rung."""
    shapes, chosen = [], frame["names"][frame["rung"] - 1] == name
    if chosen:
        shapes.append(draw.box(0, y - 26, "100%", ROW - 3, stroke=draw.NOW, dash="5 3"))
    step = frame["steps"].get(name)
    shapes.append(draw.text(NAME, y - 4, name, 14, bold=True, shift=6))
    added = signed(step) if step else "the first" if name in frame["names"] else "yours"
    shapes.append(draw.text(NAME, y + 13, added, 12.5, draw.GREY, shift=6))
    if step and "low" in step:
        below = frame["values"][name] - step["difference"]
        shapes.append(draw.line(_x(below + step["low"], scale), y, _x(below + step["high"], scale), y,
                                draw.tint(draw.BLUE, 0.3), 9))
        shapes.append(draw.line(_x(below, scale), y - 8, _x(below, scale), y + 15, draw.GREY, 2))
    if name in frame["values"]:
        sure = not step or step["apart"]
        x = _x(frame["values"][name], scale)
        shapes.append(f'<circle cx="{x}" cy="{y}" r="6.5" style="fill:{draw.BLUE if sure else draw.PAPER};'
                      f'stroke:{draw.BLUE};stroke-width:2.5"/>')
        shapes.append(draw.text(x, y - 10, f"{frame['values'][name]:.3f}", 13, bold=True, anchor="middle"))
        kept = name in frame["kept"]
        wide = LONGEST * frame["ms"][name] / slowest
        shapes.append(draw.box(f"{TIME}%", y - 7, f"{wide:.3f}%", 14, stroke=draw.ORANGE,
                               fill=draw.ORANGE if kept else draw.tint(draw.ORANGE, 0.2)))
        said = f"{frame['ms'][name]:.1f}" + ("" if kept else " beaten")
        if expected and (name in expected["kept"]) != kept:
            said += " (expected: beaten)" if kept else " (expected: not)"
        shapes.append(draw.text(f"{TIME + wide + 0.8:.3f}%", y + 5, said, 13))
    if name in frame["yours"]:
        value, ms = frame["yours"][name]
        shapes += [draw.text(_x(value, scale), y + 5, "◆", 15, YOURS, anchor="middle"),
                   draw.text(_x(value, scale), y + 20, f"◆ {value:.3f}", 12.5, bold=True, anchor="middle")]
        wide = LONGEST * ms / slowest
        shapes.append(draw.box(f"{TIME}%", y + 9, f"{wide:.3f}%", 6, fill=draw.tint(YOURS, 0.6)))
        shapes.append(draw.text(f"{TIME + wide + 0.6:.3f}%", y + 17, f"◆ {ms:.1f}", 12))
    return shapes


# ---- the explorer

def ladder(yours: dict | None = None, half: str = "dev half") -> Stage:
    """Show what each rung of the ladder added and what it costs; `yours` stand beside them.

    `yours` is {name: {"Recall@10": ..., "p95": milliseconds}}, with any of the other numbers ("Recall@5", "nDCG@10",
    "right", a share); a name of the course's stands at that rung. `half` is one of HALVES.
    """
    yours = _checked(yours)
    start = State(half)
    number = ipywidgets.IntSlider(start.rung, 1, len(figures()["rungs"]), description="rung", tooltip="rung",
                                  style={"description_width": "40px"}, layout={"width": "260px"})
    texts = {"half": toggles(list(HALVES), start.half, "which half", 124),
             "measure": toggles(list(MEASURES), start.measure, "which number", 112),
             "kind": toggles(list(KINDS), start.kind, "which kind of question", 118)}
    first = ipywidgets.HBox([texts["half"], texts["measure"]])
    first.add_class("fp-row")

    def run(values):
        state = State(**values)
        return guard(TASKS, lambda: frame(state, yours), lambda drawn: picture(drawn, None, None))

    return Stage("ladder", run, picture, describe, {"rung": number}, texts, caption, above=[first, texts["kind"]])


def _checked(yours: dict | None) -> dict:
    """Return the reader's rungs; raises ValueError for what is none."""
    for name, row in (yours or {}).items():
        numbers = [row.get(key) for key in ("Recall@10", "p95")] if isinstance(row, dict) else [None]
        if not all(isinstance(each, (int, float)) and math.isfinite(each) for each in numbers):
            raise ValueError(f"The rung {name!r} needs numbers: {{\"Recall@10\": 0.61, \"p95\": 4.2}}.")
    return dict(yours or {})
