"""Lesson 11: what HNSW finds against what it costs, on the same texts as 2, 64 and 384 numbers.

Nothing is measured while you turn the dials: the numbers come from notebooks/neighbors.json, which says when and how
they were measured.
"""

from dataclasses import dataclass

import ipywidgets

from firstprinciples.explore import draw
from firstprinciples.explore.guard import Run
from firstprinciples.explore.measured import measured
from firstprinciples.explore.stage import Stage

LOOK = {"2": (draw.GREEN, "^", (0, (2, 2))), "64": (draw.ORANGE, "s", (0, (6, 2))), "384": (draw.BLUE, "o", "-")}
LOWEST = 0.6  # the bottom of the chart
SIZE = (860, 400)


def figures() -> dict:
    """Return what was measured. Raises FileNotFoundError with a sentence where the file is missing."""
    return measured("neighbors")


def nearest_of(value, values) -> int:
    """Return the value among the measured ones that lies nearest.

    >>> nearest_of(50, (16, 32, 64)), nearest_of(1, (16, 32))
    (64, 16)
    """
    return min(values, key=lambda each: (abs(each - value), each))


@dataclass(frozen=True)
class State:
    """The three settings, each one of those that were measured."""

    M: int = 16
    ef_construction: int = 200
    ef: int = 64

    def __post_init__(self):
        for name, values in figures()["grid"]["settings"].items():
            object.__setattr__(self, name, nearest_of(getattr(self, name), values))


def frame(state: State) -> dict:
    """Return for each width the curve [(ef, recall, distances), ...] of this M and ef_construction."""
    grid = figures()["grid"]
    curves = {dim: [tuple(point) for point in grid["hnsw"][dim][f"{state.M} {state.ef_construction}"]] for dim in LOOK}
    chosen = {dim: next(point for point in points if point[0] == state.ef) for dim, points in curves.items()}
    return {"M": state.M, "ef_construction": state.ef_construction, "ef": state.ef, "n": grid["n"],
            "questions": grid["questions"], "date": grid["date"], "curves": curves, "chosen": chosen}


# ---- words

def numbers(dim: str) -> str:
    """Return a width in words."""
    return f"{dim} numbers"


def describe(frame: dict) -> str:
    """Say recall and distances of the chosen setting for each width."""
    said = "; ".join(f"{numbers(dim)}: recall@10 {recall:.3f} with {distances:.0f} distances"
                     for dim, (_, recall, distances) in frame["chosen"].items())
    return (f"HNSW with M = {frame['M']}, ef_construction = {frame['ef_construction']}, ef = {frame['ef']} on "
            f"{frame['n']:,} texts. {said}. Exact search: {frame['n']:,} distances.")


def caption(frame: dict, before: dict | None) -> str:
    """Say what the dial did at 384 numbers, or how the widths compare."""
    if before is None:
        flat, (_, recall, distances) = frame["chosen"]["2"], frame["chosen"]["384"]
        return (f"At ef = {frame['ef']} the map of 2 numbers has recall {flat[1]:.3f} for {flat[2]:.0f} distances; the "
                f"texts as they are, 384 numbers, {recall:.3f} for {distances:.0f}. A map flatters the method. Mean of "
                f"{frame['questions']} questions, measured on {frame['date']}.")
    name = next((name for name in ("M", "ef_construction", "ef") if frame[name] != before[name]), "ef")
    (_, was, paid), (_, now, pays) = before["chosen"]["384"], frame["chosen"]["384"]
    kept = "stays at" if f"{was:.3f}" == f"{now:.3f}" else f"goes from {was:.3f} to"
    return (f"{name} goes from {before[name]} to {frame[name]}, for the same questions: at 384 numbers recall {kept} "
            f"{now:.3f}, and a search computes {pays:.0f} distances instead of {paid:.0f}, of {frame['n']:,}.")


# ---- the picture

def chart():
    """Return the function that draws a frame as PNG."""
    figure, ax = draw.figure(*SIZE)
    ax.set_position((0.06, 0.125, 0.9, 0.7))
    n = figures()["grid"]["n"]
    ax.set(xscale="log", xlim=(20, 9000), ylim=(LOWEST, 1.02), yticks=[0.6, 0.7, 0.8, 0.9, 1.0])
    ticks = [30, 100, 300, 1000, 3000]
    ax.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    ax.set_xticks([], minor=True)
    grey = {"color": "#5B6470", "fontsize": 9.5}
    ax.set_xlabel("distances computed in one search (each step to the right costs more)", **grey)
    figure.text(0.012, 0.945, "What does recall cost?", fontsize=13, fontweight="bold", color=draw.DARK,
                verticalalignment="center")
    figure.text(0.012, 0.835, "recall@10", **grey)
    ax.axvline(n, color="#7A828D", linewidth=1.2, linestyle=(0, (5, 4)))
    ax.text(n * 0.96, LOWEST + 0.02, f"exact: {n:,}", ha="right", **grey)
    ax.axhline(0.8, color="#7A828D", linewidth=0.9, linestyle=(0, (1, 3)))
    ax.text(21, 0.796, "0.8: one in five gone", va="top", **grey)
    cells = [point for point in figures()["grid"]["ivf"]["384"]["curve"] if point[1] >= LOWEST]
    ax.plot([point[2] for point in cells], [point[1] for point in cells], color="#7A828D", linewidth=1.6,
            linestyle=(0, (1, 1.5)), marker="x", markersize=6)
    place = next(point for point in cells if point[0] == 8)
    ax.text(place[2] * 1.08, place[1] - 0.006, f"IVF, 384 numbers, nprobe {cells[0][0]} to {cells[-1][0]}", va="top",
            **grey)
    note = figure.text(0.012, 0.89, "", va="center", **grey)
    moving, pale, lines, rings, labels = [note], {}, {}, {}, {}
    for dim, (color, shape, dash) in LOOK.items():
        pale[dim] = ax.plot([], [], color=color, linewidth=4.5, alpha=0.25, marker=shape, markersize=4)[0]
        lines[dim] = ax.plot([], [], color=color, linewidth=2.2, linestyle=dash, marker=shape, markersize=6,
                             markeredgecolor="white", zorder=5, clip_on=False)[0]
        rings[dim] = ax.plot([], [], color=draw.DARK, marker="o", markersize=12, markerfacecolor="none",
                             markeredgewidth=1.8, zorder=6, linestyle="none", clip_on=False)[0]
        row = 0.38 - 0.085 * len(labels)  # words where no curve passes, with the mark of each
        ax.plot([0.565, 0.595], [row, row], color=color, linewidth=2.2, linestyle=dash, transform=ax.transAxes)
        ax.plot([0.58], [row], color=color, marker=shape, markersize=7, markeredgecolor="white", transform=ax.transAxes)
        labels[dim] = ax.text(0.61, row, "", fontsize=10, fontweight="bold", color=draw.DARK, va="center",
                              transform=ax.transAxes)
        moving += [pale[dim], lines[dim], rings[dim], labels[dim]]
    take = draw.camera(figure, moving)

    def picture(frame, before, expected) -> bytes:
        note.set_text(f"M = {frame['M']}   ef_construction = {frame['ef_construction']}   each mark an ef: 10, 16, 32, "
                      f"64, 128, 256; ringed: {frame['ef']}" + ("   ·   pale: before" if before else ""))
        for dim in LOOK:
            points = frame["curves"][dim]
            lines[dim].set_data([point[2] for point in points], [max(point[1], LOWEST) for point in points])
            pale[dim].set_visible(bool(before))
            if before:
                pale[dim].set_data([point[2] for point in before["curves"][dim]],
                                   [max(point[1], LOWEST) for point in before["curves"][dim]])
            _, recall, distances = frame["chosen"][dim]
            rings[dim].set_data([distances], [max(recall, LOWEST)])
            labels[dim].set_text(f"{numbers(dim)}: {recall:.3f} for {distances:,.0f}")
        return take()

    return picture


# ---- the explorer

def steps(name: str, value, values, width: int = 300):
    """Return a slider that goes through the values that were measured."""
    room = max(56, 7 * len(name))
    return ipywidgets.SelectionSlider(options=list(values), value=value, description=name, tooltip=name,
                                      style={"description_width": f"{room}px"}, layout={"width": f"{width}px"})


def recall_curve(M: int = 16, ef_construction: int = 200, ef: int = 64) -> Stage:
    """Show recall@10 against distances, with dials for M, ef_construction and ef, at three widths."""
    start, settings = State(M, ef_construction, ef), figures()["grid"]["settings"]
    dials = {name: steps(name, getattr(start, name), values, 300 if name == "ef_construction" else 240)
             for name, values in settings.items()}
    return Stage("recall_curve", lambda values: Run(frame(State(**values))), chart(), describe, dials, caption=caption,
                 chart=SIZE)
