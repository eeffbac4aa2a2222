"""Lesson 18: twenty weak chunks or three strong ones? What the reader makes of so many, as it was measured.

Nothing is read while you turn the dial: the numbers come from notebooks/answers.json, which says when and how they
were measured. They are those of the half dev, which may be looked at to choose a k.
"""

from dataclasses import dataclass

from firstprinciples.explore import draw
from firstprinciples.explore.guard import Run
from firstprinciples.explore.measured import measured
from firstprinciples.explore.recall_curve import nearest_of, steps
from firstprinciples.explore.stage import Stage, toggles

SEARCHES = {"by words": "BM25", "by words and meaning": "hybrid"}
LOOK = {"evidence": (draw.BLUE, "o", "-", "a page that answers is there"),
        "right": (draw.GREEN, "^", (0, (6, 2)), "answered rightly"),
        "wrong": (draw.ORANGE, "s", (0, (2, 2)), "answered wrongly")}
SIZE = (860, 400)


def figures() -> dict:
    """Return what was measured. Raises FileNotFoundError with a sentence where the file is missing."""
    return measured("answers")


def measured_k() -> list[int]:
    """Return the numbers of chunks that were measured, ascending."""
    return sorted(map(int, figures()["k"]["BM25"]["dev"]))


@dataclass(frozen=True)
class State:
    """How many chunks the reader is handed, one of those measured, and by which search they were found."""

    k: int = 3
    search: str = "by words and meaning"

    def __post_init__(self):
        object.__setattr__(self, "k", nearest_of(self.k, measured_k()))
        object.__setattr__(self, "search", self.search if self.search in SEARCHES else "by words and meaning")


def frame(state: State) -> dict:
    """Return for each k the shares of evidence, right, wrong and no answers, and the tokens of the prompt."""
    rows, counts, ks = figures()["k"][SEARCHES[state.search]]["dev"], figures()["dev"]["counts"], measured_k()
    n = {"evidence": 1, "tokens": 1}  # the others are counts of questions
    lines = {name: [rows[str(k)][name] / n.get(name, counts["answerable"]["n"]) for k in ks]
             for name in (*LOOK, "declined", "tokens")}
    return {"k": state.k, "search": state.search, "ks": ks, "at": ks.index(state.k),
            "queries": counts["answerable"]["n"], "date": figures()["date"], "lines": lines,
            "unanswerable": counts["unanswerable"]["n"],
            "answered": [rows[str(k)]["unanswerable_answered"] for k in ks]}


# ---- words

def chunks(k: int) -> str:
    """Return a number of chunks in words.

    >>> chunks(1), chunks(3)
    ('1 chunk', '3 chunks')
    """
    return f"{k} chunk{'s' * (k != 1)}"


def describe(frame: dict) -> str:
    """Say what the reader does with so many chunks."""
    there, tokens, right, wrong, declined = now(frame)
    return (f"{chunks(frame['k'])} found {frame['search']}, {frame['queries']} dev questions with an answer: a page "
            f"that answers is there for {there}, {tokens} tokens; answered rightly {right}, wrongly {wrong}, declined "
            f"{declined}. Of {frame['unanswerable']} questions without an answer {frame['answered'][frame['at']]} get "
            "one.")


def now(frame: dict, at: int | None = None) -> list[str]:
    """Return as text: a page is there, tokens, right, wrong, declined; of the k that is chosen unless another is."""
    at, lines = frame["at"] if at is None else at, frame["lines"]
    return [f"{lines[name][at]:,.0f}" if name == "tokens" else f"{lines[name][at]:.3f}"
            for name in ("evidence", "tokens", "right", "wrong", "declined")]


def caption(frame: dict, before: dict | None) -> str:
    """Say what more chunks bring: pages that answer, tokens, and answers."""
    there, tokens, right, wrong, _ = now(frame)
    if before and before["k"] != frame["k"]:
        was = now(before)
        return (f"From {chunks(before['k'])} to {frame['k']}: a page that answers was there for {was[0]} of the "
                f"questions, and is for {there}. The prompt goes from {was[1]} to {tokens} tokens, right answers from "
                f"{was[2]} to {right}, wrong ones from {was[3]} to {wrong}.")
    if before and before["search"] != frame["search"]:
        was = now(before)
        return (f"Found {frame['search']} in place of {before['search']}, {chunks(frame['k'])}: a page that answers "
                f"was there for {was[0]}, and is for {there}; right answers {was[2]} before, {right} now.")
    lines, ks = frame["lines"], frame["ks"]
    best = max(range(len(ks)), key=lambda i: (lines["right"][i], -i))
    most = now(frame, -1)
    return (f"Found {frame['search']}, the reader answers most questions rightly with {chunks(ks[best])}: "
            f"{lines['right'][best]:.3f}. With {ks[-1]} a page that answers is there for {most[0]}, and it answers "
            f"{most[2]} rightly, for {most[1]} tokens.")


# ---- the picture

def chart():
    """Return the function that draws a frame as PNG."""
    figure, ax = draw.figure(*SIZE)
    ax.set_position((0.055, 0.165, 0.92, 0.565))
    grey, ks = {"color": "#5B6470", "fontsize": 9.5}, measured_k()
    places = list(range(len(ks)))
    ax.set(xlim=(-0.3, places[-1] + 0.3), ylim=(0, 1.0))
    ax.set_xticks(places, [str(k) for k in ks])
    ax.set_xlabel("chunks handed to the reader; below: tokens of the prompt", labelpad=17, **grey)
    figure.text(0.012, 0.945, "Twenty weak chunks or three strong ones?", fontsize=13, fontweight="bold",
                color=draw.DARK, va="center")
    note = figure.text(0.012, 0.89, "", va="center", **grey)
    words, moving = {}, [note]
    for place, (name, (color, shape, dash, said)) in enumerate(LOOK.items()):
        x = 0.025 + 0.31 * place
        figure.add_artist(_line([x - 0.01, x + 0.02], 0.825, color, dash))
        figure.add_artist(_line([x + 0.005], 0.825, color, "none", shape))
        figure.text(x + 0.028, 0.825, said, va="center", fontsize=9.5, color=draw.DARK)
        words[name] = figure.text(x + 0.028, 0.775, "", va="center", fontsize=9.5, color=draw.DARK, fontweight="bold")
    costs = [ax.text(place, -0.125, "", ha="center", transform=ax.get_xaxis_transform(), **grey) for place in places]
    upright = ax.axvline(0, color=draw.NOW, linewidth=1.3, linestyle=(0, (4, 3)), zorder=1)
    pale = {name: ax.plot(places, [0] * len(ks), color=look[0], linewidth=4.5, alpha=0.25)[0]
            for name, look in LOOK.items()}
    lines = {name: ax.plot(places, [0] * len(ks), color=color, linewidth=2.3, linestyle=dash, marker=shape,
                           markersize=7, markeredgecolor="white", zorder=5)[0]
             for name, (color, shape, dash, _) in LOOK.items()}
    rings = ax.plot([], [], color=draw.NOW, linestyle="none", marker="o", markersize=12, fillstyle="none",
                    markeredgewidth=1.6, zorder=6)[0]
    take = draw.camera(figure, [*moving, upright, *pale.values(), *lines.values(), rings, *costs, *words.values()])

    def picture(frame, before, expected) -> bytes:
        at = frame["at"]
        old = before if before and before["search"] != frame["search"] else None
        note.set_text(f"found {frame['search']}; {frame['queries']} dev questions with an answer, declined "
                      f"{frame['lines']['declined'][at]:.3f}; of {frame['unanswerable']} without one "
                      f"{frame['answered'][at]} get one"
                      + ("   ·   pale: before" if old else ""))
        upright.set_xdata([at] * 2)
        for name in LOOK:
            lines[name].set_ydata(frame["lines"][name])
            pale[name].set_visible(old is not None)
            if old is not None:
                pale[name].set_ydata(old["lines"][name])
            words[name].set_text(f"{frame['lines'][name][at]:.3f}")
        rings.set_data([at] * len(LOOK), [frame["lines"][name][at] for name in LOOK])
        for cost, tokens in zip(costs, frame["lines"]["tokens"], strict=True):
            cost.set_text(f"{tokens:,.0f}")
        return take()

    return picture


def _line(x, y, color, dash, shape=""):
    """Return a line or a mark in the figure's own coordinates, for the words that say what the curves are."""
    from matplotlib.lines import Line2D

    return Line2D(x, [y] * len(x), color=color, linewidth=2, linestyle=dash, marker=shape or None, markersize=7)


# ---- the explorer

def strong_or_many(k: int = 3, search: str = "by words and meaning") -> Stage:
    """Show what the reader makes of 1 to 20 chunks: tokens, right and wrong answers, as measured.

    `search` is "by words" or "by words and meaning".
    """
    start = State(k, search)
    dials = {"k": steps("k", start.k, measured_k(), 290),
             "search": toggles(SEARCHES, start.search, "how the chunks were found", 176)}
    return Stage("strong_or_many", lambda values: Run(frame(State(**values))), chart(), describe, dials,
                 caption=caption, chart=SIZE)
