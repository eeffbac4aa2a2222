"""Lesson 19: the k sweep. How many chunks to hand over, without a reranker and with one.

Nothing is read while you turn the dials: the numbers come from notebooks/ladder.json. Where the curve of what was found
has its knee is worked out here, by `experiment.knee`: the fewest chunks that come within a tolerance of the best.
"""

from dataclasses import dataclass

from firstprinciples.evaluate import experiment
from firstprinciples.explore import draw
from firstprinciples.explore.guard import Trouble, guard
from firstprinciples.explore.measured import measured
from firstprinciples.explore.recall_curve import nearest_of, steps
from firstprinciples.explore.stage import Stage, dial, toggles
from firstprinciples.explore.strong import chunks

TASKS = ("experiment.knee",)
HALVES = {"dev half": "dev", "held-out half": "held_out"}
LOOK = {"recall": (draw.BLUE, "o", "-", "evidence found"),
        "right": (draw.GREEN, "^", (0, (6, 2)), "answered rightly"),
        "wrong": (draw.ORANGE, "s", (0, (2, 2)), "answered wrongly")}
SIZE = (860, 400)


def figures() -> dict:
    """Return the measured sweep. Raises FileNotFoundError with a sentence where the file is missing."""
    return measured("ladder")["k"]


def ways() -> list[str]:
    """Return the searches that were measured: without a reranker, and with it."""
    return [name for name, row in figures().items() if isinstance(row, dict) and "dev" in row]


def measured_k() -> list[int]:
    """Return the numbers of chunks that were measured, ascending."""
    return sorted(map(int, figures()[ways()[0]]["dev"]))


@dataclass(frozen=True)
class State:
    """How many chunks are handed over, how far from the best is good enough, which half, and by which search."""

    k: int = 5
    tolerance: float = 0.05
    half: str = "dev half"
    way: str = ""

    def __post_init__(self):
        object.__setattr__(self, "k", nearest_of(self.k, measured_k()))
        object.__setattr__(self, "half", self.half if self.half in HALVES else next(iter(HALVES)))
        object.__setattr__(self, "way", self.way if self.way in ways() else ways()[-1])


def frame(state: State) -> dict:
    """Return the curves of both searches, and the knee of the one that is chosen."""
    ks, half = measured_k(), HALVES[state.half]
    n = measured("ladder")[half]["queries"]
    curves = {way: {name: [figures()[way][half][str(k)][name] / (n if name in ("right", "wrong", "declined") else 1)
                           for k in ks] for name in (*LOOK, "declined", "tokens")} for way in ways()}
    lines = curves[state.way]
    knee = experiment.knee(dict(zip(ks, lines["recall"], strict=True)), state.tolerance)
    if knee not in ks:
        raise Trouble(f"Your knee has to give one of the k that it was handed: {', '.join(map(str, ks))}.")
    return {"k": state.k, "tolerance": state.tolerance, "half": state.half, "way": state.way, "ks": ks,
            "at": ks.index(state.k), "queries": n, "lines": lines, "knee": int(knee),
            "other": next((way for way in ways() if way != state.way), state.way), "curves": curves,
            "date": measured("ladder")["date"]}


# ---- words

def now(frame: dict, way: str | None = None) -> dict[str, str]:
    """Return as text what so many chunks bring: {"recall": "0.643", "tokens": "1,204", ...}."""
    lines = frame["curves"][way or frame["way"]]
    return {name: f"{line[frame['at']]:,.0f}" if name == "tokens" else f"{line[frame['at']]:.3f}"
            for name, line in lines.items()}


def describe(frame: dict) -> str:
    """Say what so many chunks bring, and where the knee is."""
    row = now(frame)
    return (f"{chunks(frame['k'])}, {frame['way']}, {frame['half']}, {frame['queries']} questions: {row['recall']} of "
            f"the evidence, {row['tokens']} tokens, answered rightly {row['right']}, wrongly {row['wrong']}, declined "
            f"{row['declined']}. Knee at tolerance {frame['tolerance']:.2f}: {frame['knee']}.")


def caption(frame: dict, before: dict | None = None) -> str:
    """Say where the knee is, what it costs, and what the other search has with as many chunks."""
    row, other, ks = now(frame), now(frame, frame["other"]), frame["ks"]
    place = ks.index(frame["knee"])
    best = max(frame["lines"]["recall"])
    knee = (f"Within {frame['tolerance']:.2f} of the best, {best:.3f}, from {chunks(frame['knee'])} on: "
            f"{frame['lines']['recall'][place]:.3f} of the evidence in {frame['lines']['tokens'][place]:,.0f} tokens.")
    if before and before["k"] != frame["k"]:
        was = now(before)
        return (f"From {chunks(before['k'])} to {frame['k']}: evidence from {was['recall']} to {row['recall']}, right "
                f"answers from {was['right']} to {row['right']}, wrong ones from {was['wrong']} to {row['wrong']}, for "
                f"{row['tokens']} tokens in place of {was['tokens']}. {knee}")
    return (f"{knee} With {chunks(frame['k'])} {frame['way']} finds {row['recall']} and {frame['other']} "
            f"{other['recall']}; right answers {row['right']} and {other['right']}.")


# ---- the picture

def chart():
    """Return the function that draws a frame as PNG."""
    figure, ax = draw.figure(*SIZE)
    ax.set_position((0.055, 0.165, 0.92, 0.565))
    grey, ks = {"color": "#5B6470", "fontsize": 9.5}, measured_k()
    places = list(range(len(ks)))
    ax.set(xlim=(-0.3, places[-1] + 0.3), ylim=(0, 1.0))
    ax.set_xticks(places, [str(k) for k in ks])
    ax.set_xlabel("chunks handed over; below: tokens of the prompt", labelpad=20, **grey)
    figure.text(0.012, 0.945, "How many chunks to hand over?", fontsize=13, fontweight="bold", color=draw.DARK,
                va="center")
    note = figure.text(0.012, 0.89, "", va="center", **grey)
    wish = figure.text(0.98, 0.945, "", va="center", ha="right", **grey)
    words = {}
    for place, (name, (color, shape, dash, said)) in enumerate(LOOK.items()):
        x = 0.025 + 0.31 * place
        figure.add_artist(_line([x - 0.01, x + 0.02], 0.825, color, dash))
        figure.add_artist(_line([x + 0.005], 0.825, color, "none", shape))
        figure.text(x + 0.028, 0.825, said, va="center", fontsize=9.5, color=draw.DARK)
        words[name] = figure.text(x + 0.028, 0.775, "", va="center", fontsize=9.5, color=draw.DARK, fontweight="bold")
    costs = [ax.text(place, -0.14, "", ha="center", transform=ax.get_xaxis_transform(), **grey) for place in places]
    band = ax.axhspan(0, 0.1, color=draw.BLUE, alpha=0.12, zorder=0)
    bend = ax.plot([], [], color=draw.BLUE, linestyle="none", marker="D", markersize=15, fillstyle="none",
                   markeredgewidth=1.8, zorder=6)[0]
    upright = ax.axvline(0, color=draw.NOW, linewidth=1.3, linestyle=(0, (4, 3)), zorder=1)
    pale = {name: ax.plot(places, [0] * len(ks), color=look[0], linewidth=4.5, alpha=0.25)[0]
            for name, look in LOOK.items()}
    lines = {name: ax.plot(places, [0] * len(ks), color=color, linewidth=2.3, linestyle=dash, marker=shape,
                           markersize=7, markeredgecolor="white", zorder=5)[0]
             for name, (color, shape, dash, _) in LOOK.items()}
    cameras = {}  # of each way and half: words are slow to draw, and most of them change with the buttons alone

    def camera_of(frame):
        """Return the camera that has the words of this way and half in its background."""
        key = frame["way"], frame["half"]
        if key not in cameras:
            note.set_text(f"{frame['way']}; pale: {frame['other']}; {frame['half']}, {frame['queries']} questions; "
                          "diamond: the knee, band: within the tolerance of the best")
            for cost, tokens in zip(costs, frame["lines"]["tokens"], strict=True):
                cost.set_text(f"{tokens:,.0f}")
            cameras[key] = draw.camera(figure, [wish, band, upright, *pale.values(), *lines.values(), bend,
                                                *words.values()])
        return cameras[key]

    def picture(frame, before, expected) -> bytes:
        take, other = camera_of(frame), frame["curves"][frame["other"]]
        best = max(frame["lines"]["recall"])
        wish.set_text(f"expected: the knee at {expected['knee']}" if expected else "")
        upright.set_xdata([frame["at"]] * 2)
        band.set_bounds(-0.3, best - frame["tolerance"], places[-1] + 0.6, frame["tolerance"])
        band.set_transform(ax.transData)
        for name in LOOK:
            lines[name].set_ydata(frame["lines"][name])
            pale[name].set_ydata(other[name])
            words[name].set_text(f"{frame['lines'][name][frame['at']]:.3f}   pale {other[name][frame['at']]:.3f}")
        place = frame["ks"].index(frame["knee"])
        bend.set_data([place], [frame["lines"]["recall"][place]])
        return take()

    return picture


def _line(x, y, color, dash, shape=""):
    """Return a line or a mark in the figure's own coordinates, for the words that say what the curves are."""
    from matplotlib.lines import Line2D

    return Line2D(x, [y] * len(x), color=color, linewidth=2, linestyle=dash, marker=shape or None, markersize=7)


# ---- the explorer

def k_sweep(k: int = 5, tolerance: float = 0.05, way: str | None = None) -> Stage:
    """Show what 1 to 50 chunks bring, with a reranker or without: evidence, tokens, right and wrong answers."""
    start, draw_it = State(k, tolerance, way=way or ""), chart()
    dials = {"k": steps("k", start.k, measured_k(), 260), "tolerance": dial("tolerance", start.tolerance, 0, 0.2, 0.01)}
    texts = {"way": toggles(ways(), start.way, "how they are ordered", 160),
             "half": toggles(list(HALVES), start.half, "which half", 120)}

    def run(values):
        return guard(TASKS, lambda: frame(State(**values)), lambda drawn: draw_it(drawn, None, None))

    return Stage("k_sweep", run, draw_it, describe, dials, texts, caption, chart=SIZE, above=list(texts.values()))
