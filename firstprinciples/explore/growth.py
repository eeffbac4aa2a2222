"""Lesson 11: what one search costs as the collection grows from 1,000 to 100,000 vectors: exact beside HNSW.

The numbers come from notebooks/neighbors.json. Distances are the same on every machine; milliseconds are of one.
"""

import math
from dataclasses import dataclass

from firstprinciples.explore import draw
from firstprinciples.explore.guard import Run
from firstprinciples.explore.recall_curve import figures, nearest_of, steps
from firstprinciples.explore.stage import Stage, toggles

COUNTED = {"distances": "distances computed in one search", "milliseconds": "milliseconds of one search"}
LOOK = {"clustered": (draw.BLUE, "o", "-"), "uniform": (draw.ORANGE, "s", (0, (6, 2)))}
ENDS = {"distances": (50, 200_000), "milliseconds": (0.004, 60)}
SIZE = (860, 400)


@dataclass(frozen=True)
class State:
    """What is counted, and ef, one of those that were measured."""

    counted: str = "distances"
    ef: int = 64

    def __post_init__(self):
        if self.counted not in COUNTED:
            object.__setattr__(self, "counted", "distances")
        object.__setattr__(self, "ef", nearest_of(self.ef, efs()))


def efs() -> tuple[int, ...]:
    """Return the values of ef that were measured."""
    growth = figures()["growth"]
    return tuple(point[0] for point in growth["clustered"][str(growth["sizes"][0])]["curve"])


def frame(state: State) -> dict:
    """Return for each size the cost of exact search and of HNSW, and the recall of HNSW, for both kinds of points."""
    growth = figures()["growth"]
    lines, exact = {}, []
    for kind in LOOK:
        chosen = [next(point for point in growth[kind][str(n)]["curve"] if point[0] == state.ef)
                  for n in growth["sizes"]]
        cost = 2 if state.counted == "distances" else 3
        lines[kind] = {"cost": [point[cost] for point in chosen], "recall": [point[1] for point in chosen]}
    for n in growth["sizes"]:
        product = min(growth[kind][str(n)]["product milliseconds"] for kind in LOOK)  # it does not depend on the kind
        exact.append(n if state.counted == "distances" else product)
    return {"counted": state.counted, "ef": state.ef, "sizes": list(growth["sizes"]), "exact": exact, "lines": lines,
            "dim": growth["dim"], "M": growth["M"], "date": growth["date"]}


# ---- words

def amount(value: float, counted: str) -> str:
    """Return a cost as it is shown.

    >>> amount(1234.4, "distances"), amount(0.0213, "milliseconds"), amount(3.25, "milliseconds")
    ('1,234', '0.02 ms', '3.25 ms')
    """
    return f"{value:,.0f}" if counted == "distances" else f"{value:.2f} ms"


def describe(frame: dict) -> str:
    """Say the costs at both ends."""
    ends = (0, -1)
    exact = " and ".join(amount(frame["exact"][i], frame["counted"]) for i in ends)
    said = "; ".join(f"{kind} points: " + " and ".join(
        f"{amount(line['cost'][i], frame['counted'])} (recall@10 {line['recall'][i]:.3f})" for i in ends)
        for kind, line in frame["lines"].items())
    return (f"{COUNTED[frame['counted']].capitalize()}, at {frame['sizes'][0]:,} and at {frame['sizes'][-1]:,} vectors "
            f"of {frame['dim']} numbers. Exact: {exact}. HNSW with ef = {frame['ef']}, {said}.")


def caption(frame: dict, before: dict | None) -> str:
    """Say how many times the cost grows while the collection grows a hundredfold; or what the dial did."""
    line, n = frame["lines"]["clustered"], frame["sizes"]
    if before and before["counted"] == frame["counted"] and before["ef"] != frame["ef"]:
        old = before["lines"]["clustered"]
        return (f"ef goes from {before['ef']} to {frame['ef']}: in {n[-1]:,} clustered vectors a search costs "
                f"{amount(line['cost'][-1], frame['counted'])} instead of {amount(old['cost'][-1], frame['counted'])}, "
                f"and recall goes from {old['recall'][-1]:.3f} to {line['recall'][-1]:.3f}.")
    times, exact = line["cost"][-1] / line["cost"][0], frame["exact"][-1] / frame["exact"][0]
    said = (f"{n[-1] // n[0]} times the vectors: exact search costs {exact:.0f} times as much, HNSW on clustered "
            f"points {times:.1f} times.")
    if frame["counted"] == "distances":
        return f"{said} Look at the recall beside the marks, too: where points have no clusters it falls."
    cheap = next((size for size, mine, product in zip(n, line["cost"], frame["exact"], strict=True) if mine < product),
                 None)
    from_where = f"from {cheap:,} vectors on" if cheap else "at none of these sizes"
    return (f"{said} In this one measurement HNSW took less time {from_where}: one matrix product is a very fast way "
            f"to do needless work. Measured on {frame['date']}, one thread, in NumPy.")


# ---- the picture

def chart():
    """Return the function that draws a frame as PNG."""
    figure, ax = draw.figure(*SIZE)
    ax.set_position((0.075, 0.125, 0.775, 0.7))
    sizes, grey = figures()["growth"]["sizes"], {"color": "#5B6470", "fontsize": 9.5}
    ax.set(xscale="log", yscale="log", xlim=(700, 118_000))
    ax.set_xticks(sizes, [f"{n:,}" for n in sizes])
    ax.set_xticks([], minor=True)
    ax.set_xlabel("vectors in the collection", **grey)
    figure.text(0.012, 0.945, "What does a search cost as the collection grows?", fontsize=13, fontweight="bold",
                color=draw.DARK, verticalalignment="center")
    note = figure.text(0.012, 0.89, "", va="center", **grey)
    exact = ax.plot([], [], color="#5B6470", linewidth=2, linestyle=(0, (1, 1.5)), marker="D", markersize=5)[0]
    moving, pale, lines, recalls = [note, exact], {}, {}, {}
    for kind, (color, shape, dash) in LOOK.items():
        pale[kind] = ax.plot([], [], color=color, linewidth=4.5, alpha=0.25)[0]
        lines[kind] = ax.plot([], [], color=color, linewidth=2.4, linestyle=dash, marker=shape, markersize=7,
                              markeredgecolor="white", zorder=5)[0]
        recalls[kind] = [ax.text(0, 0, "", fontsize=9.5, color=draw.DARK, zorder=6) for _ in sizes]
        moving += [pale[kind], lines[kind], *recalls[kind]]
    ends = [ax.text(0, 0, "", fontsize=9.5, color=draw.DARK, va="center") for _ in range(3)]
    ticks = [ax.text(0, 0, "", ha="right", va="center", **grey) for _ in range(5)]
    rules = [ax.axhline(1, color="#E6E9ED", linewidth=0.8, zorder=0) for _ in range(5)]
    ax.yaxis.set_major_locator(_nothing())
    ax.yaxis.set_minor_locator(_nothing())
    take = draw.camera(figure, moving + ends + ticks + rules)

    def picture(frame, before, expected) -> bytes:
        counted = frame["counted"]
        low, high = ENDS[counted]
        ax.set_ylim(low, high)
        note.set_text(f"{COUNTED[counted]}; both axes go by factors; M = {frame['M']}, ef = {frame['ef']}; at the "
                      f"marks: recall@10{'   ·   pale: before' if _same(frame, before) else ''}")
        exact.set_data(frame["sizes"], frame["exact"])
        decades = [10.0**power for power in range(-2, 6) if low <= 10.0**power <= high]
        for i, (tick, rule) in enumerate(zip(ticks, rules, strict=True)):
            there = i < len(decades)
            tick.set(visible=there, position=(660, decades[i] if there else 1),
                     text=f"{decades[i]:,g}" if there and decades[i] < 1 else f"{decades[i]:,.0f}" if there else "")
            rule.set(visible=there)
            rule.set_ydata([decades[i] if there else 1] * 2)
        for kind in LOOK:
            line = frame["lines"][kind]
            lines[kind].set_data(frame["sizes"], line["cost"])
            pale[kind].set_visible(_same(frame, before))
            if _same(frame, before):
                pale[kind].set_data(frame["sizes"], before["lines"][kind]["cost"])
            other = frame["lines"]["uniform" if kind == "clustered" else "clustered"]["cost"]
            for i, label in enumerate(recalls[kind]):
                n, cost, above = frame["sizes"][i], line["cost"][i], line["cost"][i] > other[i]
                beside = above and not i  # exact search's mark is above this one
                label.set(position=(n * 0.93, cost) if beside else (n, cost * (1.22 if above else 0.8)),
                          ha="right" if beside else "center", va="bottom" if above else "top",
                          text=f"{line['recall'][i]:.2f}")
        last = [frame["exact"][-1], *(frame["lines"][kind]["cost"][-1] for kind in LOOK)]
        names = [f"exact {amount(last[0], counted)}"] + [f"{kind} {amount(cost, counted)}"
                                                         for kind, cost in zip(LOOK, last[1:], strict=True)]
        gap = (math.log10(high) - math.log10(low)) / 18
        for label, name, place in zip(ends, names, draw.spread([math.log10(cost) for cost in last], gap), strict=True):
            label.set(position=(108_000 * 1.12, 10**place), text=name)
        return take()

    return picture


def _same(frame, before) -> bool:
    """Say whether the frame from before counts the same."""
    return bool(before) and before["counted"] == frame["counted"]


def _nothing():
    from matplotlib.ticker import NullLocator

    return NullLocator()


# ---- the explorer

def growth(counted: str = "distances", ef: int = 64) -> Stage:
    """Show the cost of one search against the size of the collection, on axes that grow by factors."""
    start = State(counted, ef)
    which = toggles(("distances", "milliseconds"), start.counted, "what is counted", 120)
    dial = steps("ef", start.ef, efs(), 240)
    return Stage("growth", lambda values: Run(frame(State(**values))), chart(), describe, {"ef": dial},
                 {"counted": which}, caption, chart=SIZE, above=[which])
