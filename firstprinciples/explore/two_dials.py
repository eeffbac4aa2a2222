"""Lesson 19: two dials that trade against each other. Where the best of one lies depends on where the other stands.

Whoever turns one dial, keeps the best, and then turns the other has walked along two lines of a map and seen nothing
of the rest. The whole map was measured beforehand on the half that may be looked at (notebooks/ladder.json).
"""

from dataclasses import dataclass

import ipywidgets

from firstprinciples.explore import draw
from firstprinciples.explore.guard import Run
from firstprinciples.explore.measured import measured
from firstprinciples.explore.recall_curve import nearest_of
from firstprinciples.explore.stage import Stage, toggles

MEASURES = {"evidence found": "recall", "answered rightly": "right"}


def figures() -> dict:
    """Return the measured grid. Raises FileNotFoundError with a sentence where the file is missing."""
    return measured("ladder")["dials"]


@dataclass(frozen=True)
class State:
    """Where the two dials stand, each at a value that was measured, and what is drawn."""

    outer: float = 50
    inner: float = 5
    measure: str = "evidence found"

    def __post_init__(self):
        for name in ("outer", "inner"):
            object.__setattr__(self, name, nearest_of(getattr(self, name), figures()[name]))
        object.__setattr__(self, "measure", self.measure if self.measure in MEASURES else next(iter(MEASURES)))


def frame(state: State) -> dict:
    """Return the grid of one measure, its best cell in each row and column, and what the chosen cell costs."""
    dials, key = figures(), MEASURES[state.measure]
    cells = {(outer, inner): float(dials["grid"][str(outer)][str(inner)][key])
             for outer in dials["outer"] for inner in dials["inner"]}
    rows = {outer: best({inner: cells[outer, inner] for inner in dials["inner"]}) for outer in dials["outer"]}
    columns = {inner: best({outer: cells[outer, inner] for outer in dials["outer"]}) for inner in dials["inner"]}
    chosen = dials["grid"][str(state.outer)][str(state.inner)]
    return {"names": list(dials["names"]), "outer": state.outer, "inner": state.inner, "measure": state.measure,
            "rows": list(dials["outer"]), "columns": list(dials["inner"]), "queries": dials["queries"],
            "cells": [[cells[outer, inner] for inner in dials["inner"]] for outer in dials["outer"]],
            "value": cells[state.outer, state.inner], "best_inner": [rows[outer] for outer in dials["outer"]],
            "best_outer": [columns[inner] for inner in dials["inner"]], "best": list(best(cells)),
            "highest": max(cells.values()), "tokens": float(chosen["tokens"]), "right": int(chosen["right"]),
            "wrong": int(chosen["wrong"]), "recall": float(chosen["recall"]), "walk": list(walk(state, dials, cells))}


def best(values: dict):
    """Return the key of the largest value, the first of equal ones.

    >>> best({1: 0.5, 3: 0.75, 5: 0.75})
    3
    """
    return max(values, key=lambda key: (values[key], -list(values).index(key)))


def walk(state: State, dials: dict, cells: dict) -> tuple:
    """Return where one comes who turns the inner dial first, keeps the best, and then turns the outer one, once each.

    >>> cells = {(1, 1): 5, (1, 2): 4, (2, 1): 3, (2, 2): 9}
    >>> walk(type("S", (), {"outer": 1}), {"outer": [1, 2], "inner": [1, 2]}, cells)
    (1, 1)
    """
    inner = best({each: cells[state.outer, each] for each in dials["inner"]})
    return best({each: cells[each, inner] for each in dials["outer"]}), inner


# ---- words

def said(frame: dict, value: float) -> str:
    """Return a value as the picture shows it: a share, or a number of questions."""
    return f"{value:.3f}" if frame["measure"] == "evidence found" else f"{value:.0f}"


def describe(frame: dict) -> str:
    """Say where the dials stand, what the cell has, and where the best of each row lies."""
    outer, inner = frame["names"]
    lines = "; ".join(f"{outer} {value}: best at {inner} {at}" for value, at in
                      zip(frame["rows"], frame["best_inner"], strict=True))
    return (f"{frame['measure']}, {frame['queries']} dev questions. {outer} {frame['outer']}, {inner} "
            f"{frame['inner']}: {said(frame, frame['value'])}. {lines}. The highest of all, "
            f"{said(frame, frame['highest'])}, at {outer} {frame['best'][0]}, {inner} {frame['best'][1]}.")


def caption(frame: dict, before: dict | None = None) -> str:
    """Say what the cell costs, and where one ends who turns one dial after the other."""
    outer, inner = frame["names"]
    cell = (f"{outer} {frame['outer']}, {inner} {frame['inner']}: {frame['recall']:.3f} of the evidence in "
            f"{frame['tokens']:,.0f} tokens, {frame['right']} answered rightly and {frame['wrong']} wrongly.")
    if before and before["measure"] == frame["measure"] and before["value"] != frame["value"]:
        cell += f" Before: {said(frame, before['value'])}, now {said(frame, frame['value'])}."
    at = frame["walk"]
    value = frame["cells"][frame["rows"].index(at[0])][frame["columns"].index(at[1])]
    ends = "the highest of all" if value == frame["highest"] else f"and {said(frame, frame['highest'])} is missed"
    return (f"{cell[0].upper()}{cell[1:]} With {outer} at {frame['outer']}, {inner} is best at {at[1]}; and then "
            f"{outer} is best at {at[0]}. One dial after the other ends at {said(frame, value)}, {ends}.")


# ---- the picture

LEFT, TOP, TALL = 15.0, 58, 40  # percent, pixels, pixels


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw the grid: stronger is more; a star marks the best of a row, a bar below the best of a column."""
    outer, inner = frame["names"]
    wide = (100.0 - LEFT) / len(frame["columns"])
    low, high = min(map(min, frame["cells"])), frame["highest"]
    shapes = [draw.text(f"{LEFT + (100 - LEFT) / 2}%", 18, inner, 13, draw.GREY, anchor="middle"),
              draw.text(0, 44, outer, 13, draw.GREY)]
    for column, value in enumerate(frame["columns"]):
        shapes.append(draw.text(f"{LEFT + wide * (column + 0.5):.3f}%", 44, value, 14, bold=value == frame["inner"],
                                anchor="middle"))
    for row, value in enumerate(frame["rows"]):
        y = TOP + TALL * row
        shapes.append(draw.text(f"{LEFT - 2}%", y + 25, value, 14, bold=value == frame["outer"], anchor="end"))
        for column, number in enumerate(frame["cells"][row]):
            x, middle = LEFT + wide * column, f"{LEFT + wide * (column + 0.5):.3f}%"
            strength = 0.06 + 0.5 * ((number - low) / (high - low) if high > low else 1.0)
            shapes.append(draw.box(f"{x:.3f}%", y, f"{wide:.3f}%", TALL, fill=draw.tint(draw.BLUE, round(strength, 3)),
                                   stroke=draw.PAPER, thick=2))
            first = frame["best_inner"][row] == frame["columns"][column]
            shapes.append(draw.text(middle, y + 25, f"★ {said(frame, number)}" if first else said(frame, number), 14,
                                    bold=first, anchor="middle"))
            if frame["best_outer"][column] == value:
                shapes.append(draw.box(f"{x + wide * 0.2:.3f}%", y + TALL - 7, f"{wide * 0.6:.3f}%", 4,
                                       fill=draw.ORANGE))
    for other, dash, color in ((before, "3 3", draw.OTHER), (frame, "", draw.NOW)):
        if other:
            x = LEFT + wide * frame["columns"].index(other["inner"])
            shapes.append(draw.box(f"{x:.3f}%", TOP + TALL * frame["rows"].index(other["outer"]), f"{wide:.3f}%", TALL,
                                   stroke=color, thick=3, dash=dash))
    notes = (f"★ best of its row, orange bar: best of its column, of equal ones the first; {frame['queries']} dev "
             "questions")
    return (f'<div class="fp-title fp-line">Two dials: {draw.escape(frame["measure"])}</div>'
            f'<div class="fp-line fp-note">{draw.escape(notes)}</div><div class="fp-scroll">'
            f'<div style="min-width:640px">{draw.svg(TOP + TALL * len(frame["rows"]) + 8, *shapes)}</div></div>')


# ---- the explorer

def two_dials(outer: float | None = None, inner: float | None = None) -> Stage:
    """Show the measured grid of two dials; it begins at its first row and column unless another cell is named."""
    dials = figures()
    start = State(dials["outer"][0] if outer is None else outer, dials["inner"][0] if inner is None else inner)
    controls = {name: ipywidgets.SelectionSlider(options=dials[name], value=getattr(start, name), description=said,
                                                 tooltip=said, style={"description_width": f"{9 * len(said)}px"},
                                                 layout={"width": f"{190 + 9 * len(said)}px"})
                for name, said in zip(("outer", "inner"), dials["names"], strict=True)}
    measure = toggles(list(MEASURES), start.measure, "what is drawn", 140)
    return Stage("two_dials", lambda values: Run(frame(State(**values))), picture, describe, controls,
                 {"measure": measure}, caption, above=[measure])
