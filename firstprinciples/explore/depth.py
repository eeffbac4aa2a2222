"""Lesson 08: how many candidates to read. Quality on the left, waiting on the right, over the same depths.

Nothing is measured while you turn the dial: the numbers come from notebooks/rerank.json, which says when and how they
were measured. The quality is that of the half dev, which may be looked at to choose a depth.
"""

from dataclasses import dataclass

from firstprinciples.explore import draw
from firstprinciples.explore.guard import Run
from firstprinciples.explore.measured import measured
from firstprinciples.explore.recall_curve import nearest_of, steps
from firstprinciples.explore.stage import Stage, toggles

SEARCHES = ("BM25", "hybrid")
LOOK = {"cross-encoder": (draw.BLUE, "o", "-"), "MaxSim": (draw.ORANGE, "s", (0, (6, 2)))}
SIZE = (860, 400)


def figures() -> dict:
    """Return what was measured. Raises FileNotFoundError with a sentence where the file is missing."""
    return measured("rerank")


@dataclass(frozen=True)
class State:
    """The search that finds the candidates, and the depth, one of those that were measured."""

    search: str = "BM25"
    depth: int = 100

    def __post_init__(self):
        object.__setattr__(self, "search", self.search if self.search in SEARCHES else SEARCHES[0])
        object.__setattr__(self, "depth", nearest_of(self.depth, figures()["depths"]))


def frame(state: State) -> dict:
    """Return nDCG@10 and milliseconds of each reranker over the depths, beside no reranker and the perfect order."""
    curves, times = figures()["curves"]["dev"][state.search], figures()["times"][state.search]
    depths = list(figures()["depths"])
    lines = {name: {"ndcg": [curves[name][str(depth)]["nDCG@10"] for depth in depths],
                    "milliseconds": [times[name][str(depth)]["p95"] for depth in depths]}
             for name in LOOK if name in curves and name in times}
    return {"search": state.search, "depth": state.depth, "depths": depths, "at": depths.index(state.depth),
            "queries": curves["queries"], "first": curves["first"]["nDCG@10"], "wait": times["first"]["p95"],
            "perfect": [curves["limits"][str(depth)]["nDCG@10"] for depth in depths],
            "recall": [curves["limits"][str(depth)]["Recall"] for depth in depths], "lines": lines,
            "date": figures()["times"]["date"]}


# ---- words

def values(frame: dict) -> dict:
    """Return {curve: its numbers at the chosen depth, as shown}: nDCG@10, and the p95 where the curve has one."""
    at, lines = frame["at"], frame["lines"].items()
    return {"a perfect order": f"{frame['perfect'][at]:.3f}",
            **{name: f"{line['ndcg'][at]:.3f} in {line['milliseconds'][at]:.1f} ms" for name, line in lines},
            "no reranker": f"{frame['first']:.3f} in {frame['wait']:.1f} ms"}


def describe(frame: dict) -> str:
    """Say quality and waiting at the chosen depth."""
    order = ("no reranker", *frame["lines"], "a perfect order")
    said = "; ".join(f"{name} {values(frame)[name]}" for name in order)
    return (f"nDCG@10 and p95 at depth {frame['depth']} over {frame['search']}, {frame['queries']} dev questions: "
            f"{said}, and recall among the candidates {frame['recall'][frame['at']]:.3f}.")


def caption(frame: dict, before: dict | None) -> str:
    """Say what the dial did to the cross-encoder, or how the ends of its curve compare."""
    line, at, name = frame["lines"]["cross-encoder"], frame["at"], "the cross-encoder"
    if before is not None and before["search"] == frame["search"] and before["depth"] != frame["depth"]:
        was, old = before["at"], before["lines"]["cross-encoder"]
        return (f"From {before['depth']} candidates to {frame['depth']}: {name} goes from {old['ndcg'][was]:.3f} to "
                f"{line['ndcg'][at]:.3f} and from {old['milliseconds'][was]:.1f} to {line['milliseconds'][at]:.1f} ms. "
                f"A perfect order goes from {before['perfect'][was]:.3f} to {frame['perfect'][at]:.3f}.")
    return (f"From {frame['depths'][0]} to {frame['depths'][-1]} candidates a perfect order would gain "
            f"{draw_change(frame['perfect'])}, and {name} {draw_change(line['ndcg'])}; its p95 goes from "
            f"{line['milliseconds'][0]:.1f} to {line['milliseconds'][-1]:.1f} ms. Times of {frame['date']}, this small "
            "model, one thread.")


def draw_change(values: list[float]) -> str:
    """Return how far the last of several numbers is from the first, as shown.

    >>> draw_change([0.5, 0.7, 0.6])
    '+0.100'
    """
    return f"{round(values[-1], 3) - round(values[0], 3):+.3f}".replace("-", "\u2212")


# ---- the picture

def chart():
    """Return the function that draws a frame as PNG."""
    figure, left = draw.figure(*SIZE)
    left.set_position((0.055, 0.125, 0.42, 0.57))
    right = draw.figure_style(figure.add_axes((0.565, 0.125, 0.42, 0.57)))
    grey, depths = {"color": "#5B6470", "fontsize": 9.5}, figures()["depths"]
    for ax in (left, right):
        ax.set(xscale="log", xlim=(depths[0] * 0.9, depths[-1] * 1.08))
        ax.set_xticks(depths, [str(depth) for depth in depths])
        ax.set_xticks([], minor=True)
        ax.set_xlabel("candidates that are read again (depth)", **grey)
    every = [frame(State(search)) for search in SEARCHES]
    lines_of = [line for each in every for line in each["lines"].values()]
    lowest = min([*(value for line in lines_of for value in line["ndcg"]), *(each["first"] for each in every)])
    left.set_ylim(max(0.0, lowest - 0.05), min(1.0, max(max(each["perfect"]) for each in every) + 0.05))
    slowest = max(value for line in lines_of for value in line["milliseconds"])
    right.set_ylim(-0.05 * slowest, 1.1 * slowest)  # room for a ring at 0
    figure.text(0.012, 0.945, "How many candidates are worth reading?", fontsize=13, fontweight="bold", color=draw.DARK,
                va="center")
    figure.text(0.012, 0.725, "nDCG@10", **grey)
    figure.text(0.525, 0.725, "p95 of a search, in milliseconds", **grey)
    note = figure.text(0.012, 0.89, "", va="center", **grey)
    signs = {"a perfect order": (draw.DARK, "D", (0, (5, 3))), **{name: LOOK[name] for name in LOOK if any(
        name in each["lines"] for each in every)}, "no reranker": ("#5B6470", "", (0, (1, 1.5)))}
    words = {}
    for place, (name, (color, shape, dash)) in enumerate(signs.items()):
        x = 0.025 + 0.245 * place
        figure.add_artist(_line([x - 0.01, x + 0.02], [0.838] * 2, color, dash))
        figure.add_artist(_line([x + 0.005], [0.838], color, "none", shape))
        figure.text(x + 0.028, 0.838, name, va="center", fontsize=9.5, color=draw.DARK)
        words[name] = figure.text(x + 0.028, 0.79, "", va="center", fontsize=9.5, color=draw.DARK, fontweight="bold")
    moving = [note]

    def curve(ax, **look):
        moving.append(ax.plot(depths, [0] * len(depths), **look)[0])
        return moving[-1]

    perfect = curve(left, color=draw.DARK, linewidth=1.5, linestyle=(0, (5, 3)), marker="D", markersize=4)
    flat = [curve(ax, color="#5B6470", linewidth=1.6, linestyle=(0, (1, 1.5))) for ax in (left, right)]
    upright = [ax.axvline(depths[0], color=draw.NOW, linewidth=1.3, linestyle=(0, (4, 3)), zorder=1)
               for ax in (left, right)]
    moving += upright
    lines, pale, rings = {}, {}, []
    for side, ax in enumerate((left, right)):
        for name, (color, shape, dash) in LOOK.items():
            pale[name, side] = curve(ax, color=color, linewidth=4.5, alpha=0.25)
            lines[name, side] = curve(ax, color=color, linewidth=2.3, linestyle=dash, marker=shape, markersize=6,
                                      markeredgecolor="white", zorder=5)
        rings.append(ax.plot([], [], color=draw.NOW, linestyle="none", marker="o", markersize=11, fillstyle="none",
                             markeredgewidth=1.6, zorder=6)[0])
    take = draw.camera(figure, moving + rings + [*words.values()])

    def picture(frame, before, expected) -> bytes:
        at, old = frame["at"], before if before and before["search"] != frame["search"] else None
        note.set_text(f"candidates of {frame['search']}; {frame['queries']} dev questions; the numbers are those in "
                      f"the rings, at depth {frame['depth']}"
                      + (f"   ·   pale: candidates of {old['search']}" if old else ""))
        perfect.set_ydata(frame["perfect"])
        for artist, value in zip(flat, (frame["first"], frame["wait"]), strict=True):
            artist.set_ydata([value] * len(depths))
        for artist in upright:
            artist.set_xdata([frame["depth"]] * 2)
        for side, key in enumerate(("ndcg", "milliseconds")):
            now = [(frame["first"], frame["wait"])[side], *([] if side else [frame["perfect"][at]])]
            for name in LOOK:
                there = name in frame["lines"]
                lines[name, side].set_visible(there)
                pale[name, side].set_visible(old is not None and name in old["lines"])
                if there:
                    lines[name, side].set_ydata(frame["lines"][name][key])
                    now.append(frame["lines"][name][key][at])
                if old is not None and name in old["lines"]:
                    pale[name, side].set_ydata(old["lines"][name][key])
            rings[side].set_data([frame["depth"]] * len(now), now)
        said = values(frame)
        for name, word in words.items():
            word.set_text(said.get(name, ""))
        return take()

    return picture


def _line(x, y, color, dash, shape=""):
    """Return a line or a mark in the figure's own coordinates, for the words that say what the curves are."""
    from matplotlib.lines import Line2D

    return Line2D(x, y, color=color, linewidth=2, linestyle=dash, marker=shape or None, markersize=6)


# ---- the explorer

def depth_curve(search: str = "BM25", depth: int = 100) -> Stage:
    """Show nDCG@10 and the p95 of a search against the number of candidates that are read, as they were measured."""
    start = State(search, depth)
    first = toggles(SEARCHES, start.search, "which search finds the candidates", 110)
    dial = steps("depth", start.depth, figures()["depths"], 280)
    return Stage("depth_curve", lambda values: Run(frame(State(**values))), chart(), describe,
                 {"depth": dial, "search": first}, caption=caption, chart=SIZE)
