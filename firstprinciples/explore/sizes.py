"""Lesson 09: how large should a chunk be? What ten chunks find on the left, what the same number of words on the right.

Nothing is measured while you turn the dials: the numbers come from notebooks/chunking.json, which says when and how
they were measured. They are those of the half dev, which may be looked at to choose a size.
"""

from dataclasses import dataclass

from firstprinciples.explore import draw
from firstprinciples.explore.guard import Run
from firstprinciples.explore.measured import measured
from firstprinciples.explore.recall_curve import nearest_of, steps
from firstprinciples.explore.stage import Stage, toggles

SIZES = (25, 50, 100, 200, 400)  # words; what was measured at 60 would crowd the axis
WHOLE = "whole"  # documents that were not cut
OVERLAPS = ("no overlap", "a fifth overlaps")
LOOK = {"BM25": (draw.ORANGE, "s", (0, (6, 2))), "MiniLM": (draw.GREEN, "^", (0, (2, 2))),
        "hybrid": (draw.BLUE, "o", "-")}
SIZE = (860, 400)


def figures() -> dict:
    """Return what was measured. Raises FileNotFoundError with a sentence where the file is missing."""
    return measured("chunking")


@dataclass(frozen=True)
class State:
    """The size, one of those measured or "whole", the budget of words, and whether neighbors overlap."""

    size: int | str = 100
    budget: int = 1000
    overlap: str = "no overlap"

    def __post_init__(self):
        if self.size != WHOLE:
            object.__setattr__(self, "size", nearest_of(self.size, SIZES))
        object.__setattr__(self, "budget", nearest_of(self.budget, figures()["budgets"]))
        object.__setattr__(self, "overlap", self.overlap if self.overlap in OVERLAPS else OVERLAPS[0])


def way(size, overlap: str) -> str:
    """Return what a size is called in the file.

    >>> way(50, "a fifth overlaps"), way("whole", "no overlap")
    ('50 words, overlap 10', 'whole documents')
    """
    if size == WHOLE:
        return "whole documents"
    return f"{size} words" + (f", overlap {size // 5}" if overlap == OVERLAPS[1] else "")


def frame(state: State) -> dict:
    """Return for each search recall of ten chunks, recall in the budget, and the words of ten chunks, by size."""
    half, sizes = figures()["larkspur"]["dev"], [*SIZES, WHOLE]
    rows = [half["rows"][way(size, state.overlap)] for size in sizes]
    lines = {name: {"ten": [row[name]["Recall@10"] for row in rows],
                    "budget": [row[name][f"Recall in {state.budget} words"] for row in rows],
                    "words": [row[name]["words@10"] for row in rows]} for name in LOOK}
    return {"size": state.size, "budget": state.budget, "overlap": state.overlap, "sizes": sizes,
            "at": sizes.index(state.size), "queries": half["queries"], "lines": lines,
            "limit": [row["hybrid"]["limit"] for row in rows], "date": figures()["date"]}


# ---- words

def sized(frame: dict) -> str:
    """Return the size in words."""
    return "whole documents" if frame["size"] == WHOLE else f"chunks of {frame['size']} words"


def describe(frame: dict) -> str:
    """Say recall and words at the chosen size for each search."""
    at = frame["at"]
    said = "; ".join(f"{name}: Recall@10 {line['ten'][at]:.3f} with {line['words'][at]:,.0f} words, "
                     f"{line['budget'][at]:.3f} in {frame['budget']:,} words" for name, line in frame["lines"].items())
    return (f"{sized(frame)}, {frame['overlap']}, {frame['queries']} dev questions. {said}. Some chunk holds "
            f"{frame['limit'][at]:.3f} of what is asked for.")


def best(frame: dict, key: str) -> str:
    """Return at which size hybrid finds most, in words; the smallest of equals."""
    values = frame["lines"]["hybrid"][key]
    size = frame["sizes"][max(range(len(values)), key=lambda i: (values[i], -i))]
    return "whole documents" if size == WHOLE else f"chunks of {size} words"


def caption(frame: dict, before: dict | None) -> str:
    """Say what the dial did to hybrid, or where it finds most."""
    line, at = frame["lines"]["hybrid"], frame["at"]
    if before and before["size"] != frame["size"]:
        was = before["at"]
        return (f"From {sized(before)} to {sized(frame)}: hybrid's Recall@10 goes from {line['ten'][was]:.3f} to "
                f"{line['ten'][at]:.3f}, and ten chunks from {line['words'][was]:,.0f} to {line['words'][at]:,.0f} "
                f"words. In {frame['budget']:,} words it goes from {line['budget'][was]:.3f} to "
                f"{line['budget'][at]:.3f}.")
    if before and before["overlap"] != frame["overlap"]:
        old = before["lines"]["hybrid"]
        if frame["size"] == WHOLE:
            return "Whole documents have no neighbors to share words with: at this size nothing changes."
        how = "With an overlap of a fifth" if frame["overlap"] == OVERLAPS[1] else "Without overlap"
        return (f"{how}, {sized(frame)}: some chunk now holds {frame['limit'][at]:.3f} of what is asked "
                f"for, before {before['limit'][at]:.3f}. Hybrid in {frame['budget']:,} words: "
                f"{line['budget'][at]:.3f}, before {old['budget'][at]:.3f}.")
    return (f"With ten chunks hybrid finds most in {best(frame, 'ten')}: the larger, the more text. With "
            f"{frame['budget']:,} words, however many chunks these are, it finds most in {best(frame, 'budget')}.")


# ---- the picture

def chart():
    """Return the function that draws a frame as PNG."""
    figure, left = draw.figure(*SIZE)
    left.set_position((0.055, 0.165, 0.42, 0.515))
    right = draw.figure_style(figure.add_axes((0.565, 0.165, 0.42, 0.515)))
    grey, places = {"color": "#5B6470", "fontsize": 9.5}, list(range(len(SIZES) + 1))
    every = [frame(State(budget=budget, overlap=overlap)) for budget in figures()["budgets"] for overlap in OVERLAPS]
    for ax in (left, right):
        ax.set(xlim=(-0.25, places[-1] + 0.25), ylim=(0, 1.0))
        ax.set_xticks(places, [str(size) for size in (*SIZES, WHOLE)])
    right.set_xlabel("words in a chunk", **grey)
    left.set_xlabel("words in a chunk; below: words in ten of them (hybrid)", labelpad=17, **grey)
    top = max(value for each in every for line in each["lines"].values() for value in (*line["ten"], *line["budget"]))
    for ax in (left, right):
        ax.set_ylim(0, min(1.0, max(top, max(every[0]["limit"])) + 0.06))
    figure.text(0.012, 0.945, "How large should a chunk be?", fontsize=13, fontweight="bold", color=draw.DARK,
                va="center")
    note = figure.text(0.012, 0.89, "", va="center", **grey)
    heads = [figure.text(x, 0.725, "", fontsize=9.5, color=draw.DARK, fontweight="bold") for x in (0.012, 0.525)]
    words, moving = {}, [note, *heads]
    for place, name in enumerate((*LOOK, "held whole by some chunk")):
        color, shape, dash = LOOK.get(name, (draw.DARK, "", (0, (1, 1.5))))
        x = 0.025 + 0.22 * place
        figure.add_artist(_line([x - 0.01, x + 0.02], [0.838] * 2, color, dash))
        if shape:
            figure.add_artist(_line([x + 0.005], [0.838], color, "none", shape))
        figure.text(x + 0.028, 0.838, name, va="center", fontsize=9.5, color=draw.DARK)
        words[name] = figure.text(x + 0.028, 0.79, "", va="center", fontsize=9.5, color=draw.DARK, fontweight="bold")
    costs = [left.text(place, -0.135, "", ha="center", transform=left.get_xaxis_transform(), **grey)
             for place in places]

    def curve(ax, **look):
        moving.append(ax.plot(places, [0] * len(places), **look)[0])
        return moving[-1]

    limit = [curve(ax, color=draw.DARK, linewidth=1.5, linestyle=(0, (1, 1.5))) for ax in (left, right)]
    upright = [ax.axvline(0, color=draw.NOW, linewidth=1.3, linestyle=(0, (4, 3)), zorder=1) for ax in (left, right)]
    pale = {(name, side): curve(ax, color=LOOK[name][0], linewidth=4.5, alpha=0.25)
            for side, ax in enumerate((left, right)) for name in LOOK}
    lines = {(name, side): curve(ax, color=color, linewidth=2.3, linestyle=dash, marker=shape, markersize=6,
                                 markeredgecolor="white", zorder=5)
             for side, ax in enumerate((left, right)) for name, (color, shape, dash) in LOOK.items()}
    rings = [ax.plot([], [], color=draw.NOW, linestyle="none", marker="o", markersize=11, fillstyle="none",
                     markeredgewidth=1.6, zorder=6)[0] for ax in (left, right)]
    moving += upright
    take = draw.camera(figure, [*moving, *rings, *costs, *words.values()])

    def picture(frame, before, expected) -> bytes:
        at, keys = frame["at"], ("ten", "budget")
        old = before if before and any(before[key] != frame[key] for key in ("overlap", "budget")) else None
        note.set_text(f"windows of words, {frame['overlap']}; {frame['queries']} dev questions; the numbers are those "
                      "in the rings" + ("   ·   pale: before" if old else ""))
        heads[0].set_text("Recall@10: ten chunks, however long")
        heads[1].set_text(f"recall in {frame['budget']:,} words, however many chunks")
        for artist in limit:
            artist.set_ydata(frame["limit"])
        for artist in upright:
            artist.set_xdata([at] * 2)
        for side, key in enumerate(keys):
            for name, line in frame["lines"].items():
                lines[name, side].set_ydata(line[key])
                pale[name, side].set_visible(old is not None)
                if old is not None:
                    pale[name, side].set_ydata(old["lines"][name][key])
            rings[side].set_data([at] * len(LOOK), [line[key][at] for line in frame["lines"].values()])
        for place, cost in enumerate(costs):
            cost.set_text(f"{frame['lines']['hybrid']['words'][place]:,.0f}")
        for name, line in frame["lines"].items():
            words[name].set_text(f"{line['ten'][at]:.3f} left, {line['budget'][at]:.3f} right")
        words["held whole by some chunk"].set_text(f"{frame['limit'][at]:.3f}")
        return take()

    return picture


def _line(x, y, color, dash, shape=""):
    """Return a line or a mark in the figure's own coordinates, for the words that say what the curves are."""
    from matplotlib.lines import Line2D

    return Line2D(x, y, color=color, linewidth=2, linestyle=dash, marker=shape or None, markersize=6)


# ---- the explorer

def size_curve(size=100, budget: int = 1000, overlap: str = "no overlap") -> Stage:
    """Show recall against the size of the chunks: of ten chunks, and of a budget of words, as they were measured."""
    start = State(size, budget, overlap)
    dials = {"size": steps("size", start.size, [*SIZES, WHOLE], 270),
             "budget": steps("budget", start.budget, figures()["budgets"], 250),
             "overlap": toggles(OVERLAPS, start.overlap, "what neighbors share", 120)}
    return Stage("size_curve", lambda values: Run(frame(State(**values))), chart(), describe, dials, caption=caption,
                 chart=SIZE)
