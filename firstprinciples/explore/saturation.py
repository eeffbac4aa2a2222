"""Lesson 03: how much the second, the tenth and the fiftieth occurrence of a word still count."""

from dataclasses import dataclass

from firstprinciples.explore import draw
from firstprinciples.explore.guard import guard
from firstprinciples.explore.stage import Stage, dial
from firstprinciples.retrieve import bm25

TASKS = ("bm25.length_norm", "bm25.term_weight")
POINTS = (1, 2, 3, 5, 10, 20, 50)  # occurrences that get a dot
NAMED = (1, 3, 10, 50)  # and those that get a number
USUAL = (1.2, 2.0)  # the two values of k1 to compare with
MOST, TOP = 50, 4.4  # the ends of the two axes
AVERAGE = 100  # words in a page of average length
SIZE = (860, 380)


@dataclass(frozen=True)
class State:
    """The three dials, within their ranges; `times` is the page's length as a multiple of the average."""

    k1: float = 1.2
    b: float = 0.75
    times: float = 1.0

    def __post_init__(self):
        for name, low, high in (("k1", 0.0, 3.0), ("b", 0.0, 1.0), ("times", 0.25, 4.0)):
            object.__setattr__(self, name, min(max(round(getattr(self, name), 6), low), high))


def frame(state: State) -> dict:
    """Return the term weight of 0 to 50 occurrences, for the chosen k1 and for the usual ones."""
    length = round(state.times * AVERAGE)

    def weights(k1):
        return [float(bm25.term_weight(tf, k1, state.b, length, AVERAGE)) for tf in range(MOST + 1)]

    return {"k1": state.k1, "b": state.b, "times": state.times, "ceiling": state.k1 + 1, "weights": weights(state.k1),
            "usual": {k1: weights(k1) for k1 in USUAL}}


def _setting(frame) -> str:
    """Return the page's length in words."""
    return "a page of average length" if frame["times"] == 1 else f"a page {frame['times']:g} times the average length"


def describe(frame: dict) -> str:
    """Say the numbers on the curve."""
    values = ", ".join(f"{tf} {'occurrence counts' if tf == 1 else 'count'} {draw.number(frame['weights'][tf])}"
                       for tf in NAMED)
    return (f"Term weight with k1 = {frame['k1']:g} and b = {frame['b']:g} in {_setting(frame)}: {values}; "
            f"the ceiling is k1 + 1 = {frame['ceiling']:g}.")


def caption(frame: dict, before: dict | None) -> str:
    """Say what changed, or what the curve shows."""
    one, ten, fifty = (frame["weights"][tf] for tf in (1, 10, 50))
    if before is None:
        if frame["k1"] == 0 and draw.shown(fifty) == draw.shown(one):  # a learner's function may give something else
            return "With k1 = 0 the first occurrence is all that counts: every repeat adds nothing."
        said = (f"One occurrence counts {draw.number(one)}, ten count {draw.number(ten)}; forty more add "
                f"{draw.number(draw.change(fifty, ten))}.")
        passed = max(frame["weights"]) > frame["ceiling"] + 1e-9
        return f"{said} {'These counts pass' if passed else 'No count passes'} k1 + 1 = {frame['ceiling']:g}."
    name, dial = _moved(frame, before)
    moved = f"{'Raising' if frame[name] > before[name] else 'Lowering'} {dial} from {before[name]:g} to {frame[name]:g}"
    return (f"{moved}: the weight of one occurrence {_change(before['weights'][1], one)}, that of ten "
            f"{_change(before['weights'][10], ten)}. The ceiling is k1 + 1 = {frame['ceiling']:g}.")


def _moved(frame, before) -> tuple[str, str]:
    """Return the dial that moved: its name in the frame, and in words."""
    name = next((name for name in ("k1", "b", "times") if frame[name] != before[name]), "k1")
    return name, "the length" if name == "times" else name


def _change(was: float, now: float) -> str:
    """Say how one number changed."""
    was, now = draw.number(was), draw.number(now)
    return f"stays at {now}" if was == now else f"goes from {was} to {now}"


def chart():
    """Return the function that draws a frame as PNG. It makes one figure and updates it in place."""
    from matplotlib.patheffects import withStroke

    figure, ax = draw.figure(*SIZE)
    x, small = range(MOST + 1), {"fontsize": 9.5, "color": "#5B6470", "verticalalignment": "center"}
    ax.set(xlim=(0, MOST), ylim=(0, TOP), xticks=[1, 3, 5, 10, 20, 30, 40, 50], yticks=range(5))
    ax.set_xlabel("times the word stands in the page (tf)", color="#5B6470", fontsize=9.5)
    figure.text(0.012, 0.945, "How much does a repeated word count?", fontsize=13, fontweight="bold", color=draw.DARK,
                verticalalignment="center")
    ax.plot([0, TOP], [0, TOP], color="#7A828D", linewidth=1.4, linestyle=(0, (5, 4)))
    ax.text(4.5, 3.75, "raw count: every repeat counts 1", **small)

    def curve(**look):
        return ax.plot(x, [0] * len(x), **look)[0]

    note = figure.text(0.012, 0.885, "", **small)
    ceiling = curve(color=draw.DARK, linewidth=1, linestyle=(0, (2, 3)))
    usual = {1.2: curve(color=draw.ORANGE, linewidth=1.6, linestyle=(0, (6, 2))),
             2.0: curve(color=draw.GREEN, linewidth=1.6, linestyle=(0, (6, 2, 1.5, 2)))}
    pale = curve(color=draw.BLUE, linewidth=5, alpha=0.25)
    dots = {"marker": "o", "markevery": list(POINTS)}
    should = curve(color=draw.DARK, linewidth=1.4, linestyle=(0, (4, 3)), markersize=9, markerfacecolor="none",
                   clip_on=False, **dots)
    yours = curve(color=draw.BLUE, linewidth=2.6, markersize=6, markeredgecolor="white", zorder=5, **dots)
    halo = withStroke(linewidth=3, foreground="white")  # a number stays readable where a curve runs behind it
    numbers = {tf: ax.text(0, 0, "", fontsize=10, fontweight="bold", color=draw.DARK, verticalalignment="top", zorder=6,
                           horizontalalignment="right" if tf == MOST else "left", path_effects=[halo]) for tf in NAMED}
    labels = [ax.text(0, 0, "", fontsize=9.5, color=draw.DARK, verticalalignment="center") for _ in range(6)]
    leads = [ax.plot([0, 1], [0, 0], color=draw.OTHER, linewidth=0.8, clip_on=False)[0] for _ in labels]
    take = draw.camera(figure, [note, ceiling, *usual.values(), pale, should, yours, *numbers.values(), *labels,
                                *leads])

    def picture(frame, before, expected) -> bytes:
        note.set_text(f"k1 = {frame['k1']:g}   b = {frame['b']:g}   {_setting(frame)}"
                      + ("   ·   pale: before" if before else "")
                      + ("   ·   dashed, with rings: what the course's own function gives" if expected else ""))
        ceiling.set_ydata([frame["ceiling"]] * len(x))
        yours.set_ydata(frame["weights"])
        yours.set_clip_on(not all(0 <= value <= TOP for value in frame["weights"]))
        for artist, weights in ((pale, before), (should, expected)):
            artist.set_visible(weights is not None)
            artist.set_ydata((weights or frame)["weights"])
        for k1, artist in usual.items():
            artist.set_visible(k1 != frame["k1"])
            artist.set_ydata(frame["usual"][k1])
        for tf, artist in numbers.items():
            value = frame["weights"][tf]
            beside = -0.3 if tf == MOST else 0.35
            if tf == 3 and abs(value - frame["weights"][1]) < 0.25:
                beside = 1.3  # clear of the number at 1
            artist.set(position=(tf + beside, value - 0.13), text=draw.number(value), visible=0 <= value <= TOP)
        ends = _ends(frame, before, expected)
        places = draw.spread([place for place, _, _ in ends], gap=0.28) + [0] * len(labels)
        for i, (label, lead) in enumerate(zip(labels, leads, strict=True)):
            end, words, bold = ends[i] if i < len(ends) else (0, "", False)
            label.set(position=(MOST + 1.6, places[i]), text=words, fontweight="bold" if bold else "normal")
            lead.set(xdata=[MOST + 0.3, MOST + 1.4], ydata=[end, places[i]], visible=bool(words))
        return take()

    return picture


def _ends(frame, before, expected) -> list[tuple[float, str, bool]]:
    """Return what is written at the right end of each curve: (height, words, whether it is the chosen one)."""
    last = frame["weights"][MOST]
    ends = [(last, f"k1 = {frame['k1']:g}" + (f" ↑ {last:.3g}" if last > TOP else ""), True),
            (frame["ceiling"], f"ceiling {frame['ceiling']:g}", False)]
    for k1, weights in frame["usual"].items():
        if k1 != frame["k1"]:
            ends.append((weights[MOST], f"k1 = {k1:.1f}", False))
    if before:
        ends.append((before["weights"][MOST], "before", False))
    if expected:
        ends.append((expected["weights"][MOST], "expected", False))
    return [(min(max(height, 0.0), TOP), words, chosen) for height, words, chosen in ends]


def saturation(k1: float = 1.2, b: float = 0.75) -> Stage:
    """Show the term weight against the number of occurrences, with dials for k1, b and the page's length."""
    start = State(k1, b)
    dials = {"k1": dial("k1", start.k1, 0, 3, 0.1), "b": dial("b", start.b, 0, 1, 0.05),
             "times": dial("length / average", start.times, 0.25, 4, 0.25)}

    def run(values):
        state = State(**values)
        return guard(TASKS, lambda: frame(state))

    return Stage("saturation", run, chart(), describe, dials, caption=caption, chart=SIZE)
