"""Lesson 04: two arrows to drag, and what length does to the dot product and the distance, and not to the cosine."""

from dataclasses import dataclass

from firstprinciples.explore import drag, draw
from firstprinciples.explore.guard import guard
from firstprinciples.explore.stage import Stage
from firstprinciples.index import cosine
from firstprinciples.swap import split_name

TASKS = ("cosine.norm", "cosine.similarity", "cosine.angle")
START = ((4.0, 1.0), (1.0, 2.0))
NAMES, COLORS = ("a", "b"), (draw.BLUE, draw.ORANGE)
SETTINGS = drag.settings(NAMES, COLORS, low=(-5, -5), high=(5, 5), step=0.25, scale=38, axes=("first number", "second"))
SIDE = SETTINGS["size"]
ENDS = {"cosine": (-1, 1), "dot": (-50, 50), "distance": (0, 200**0.5)}  # what the plane allows
ROWS = {"cosine": "cosine", "dot": "dot product", "distance": "distance of the tips"}


@dataclass(frozen=True)
class State:
    """Where the two tips are, within the plane and on its steps of a quarter."""

    a: tuple = START[0]
    b: tuple = START[1]

    def __post_init__(self):
        for name in NAMES:
            object.__setattr__(self, name, drag.snapped([getattr(self, name)], SETTINGS)[0])


def frame(state: State, was: dict | None = None) -> dict:
    """Return the numbers of two vectors; `was` are those from before the tip that moves now began to move."""
    a, b = list(state.a), list(state.b)
    return {"a": a, "b": b, "lengths": [float(cosine.norm(a)), float(cosine.norm(b))],
            "cosine": float(cosine.similarity(a, b)), "angle": float(cosine.angle(a, b)),
            "dot": sum(x * y for x, y in zip(a, b, strict=True)),
            "distance": sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) ** 0.5, "was": was}


# ---- words

def describe(frame: dict) -> str:
    """Say where the arrows point, and every number."""
    (a, b), (long, other) = (map(_point, (frame["a"], frame["b"]))), frame["lengths"]
    return (f"a = {a}, length {draw.number(long)}; b = {b}, length {draw.number(other)}. Angle {_degrees(frame)}, "
            f"cosine {draw.number(frame['cosine'])}; dot product {draw.number(frame['dot'])}, distance "
            f"{draw.number(frame['distance'])}.")


def caption(frame: dict, before=None) -> str:
    """Say what moved and what followed; at rest, where the cosine comes from."""
    was = frame["was"]
    if was is None:
        return f"{_sum(frame)} Move one tip along its own arrow: which of the three numbers stays?"
    name = next((name for name in NAMES if frame[name] != was[name]), "a")
    i = NAMES.index(name)
    moved = f"{name} went from {_point(was[name])} to {_point(frame[name])}. "
    if not frame["lengths"][i]:
        return f"{moved}It has no length now and points nowhere: its cosine with everything is 0."
    if draw.shown(frame["cosine"]) == draw.shown(was["cosine"]):
        longer = frame["lengths"][i] > was["lengths"][i]
        said = f"The cosine stays at {draw.number(frame['cosine'])}"
        if not was["lengths"][i]:
            return f"{moved}{said}."
        return (f"{moved}{said}, though {name} is {'longer' if longer else 'shorter'}: the dot product went "
                f"{_change(was['dot'], frame['dot'])} and the distance {_change(was['distance'], frame['distance'])}.")
    turned = f"The angle went from {_degrees(was)} to {_degrees(frame)}, the cosine "
    return f"{moved}{turned}{_change(was['cosine'], frame['cosine'])}. {_sum(frame)}"


def _sum(frame) -> str:
    """Return the cosine as the reader can work it out from the numbers shown."""
    long, other = map(draw.number, frame["lengths"])
    if not all(frame["lengths"]):
        return "One arrow has no length: there is nothing to divide by, and the cosine is 0."
    said = f"Cosine = {draw.number(frame['dot'])} / ({long} × {other})"
    near = frame["dot"] / (frame["lengths"][0] * frame["lengths"][1])
    sign = "=" if abs(near - frame["cosine"]) < 1e-6 else "≠"
    return f"{said} {sign} {draw.number(frame['cosine'])}."


def _point(point) -> str:
    return "(" + ", ".join(f"{number:g}" for number in point).replace("-", "\u2212") + ")"


def _degrees(frame) -> str:
    return f"{frame['angle'] + 0.0:.0f}°"


def _change(was: float, now: float) -> str:
    return f"from {draw.number(was)} to {draw.number(now)}"


# ---- the picture

STYLE = f"""<style>
.fp-two {{ display: grid; grid-template-columns: {SIDE[0]}px minmax(0, 1fr); column-gap: 22px; }}
.fp-drag:has(svg.fp-plane) .fp-two {{ grid-template-columns: minmax(0, 1fr); padding-left: 10px; }}
.fp-numbers {{ min-height: {SIDE[1]}px; }}
.fp-vector {{ display: grid; grid-template-columns: 26px 1fr 1fr; height: 26px; align-items: center; }}
.fp-measure {{ height: 76px; margin-top: 8px; padding-right: 8px; }}
@container (max-width: 719px) {{ .fp-still {{ display: none; }} .fp-two {{ grid-template-columns: minmax(0, 1fr); }} }}
</style>"""


def picture(frame: dict, before=None, expected: dict | None = None) -> str:
    """Draw the arrows on the left, and on the right each number on its own scale."""
    was = frame["was"]
    pale = "".join(drag.arrow(was[name], SETTINGS, COLORS[i], pale=True) for i, name in enumerate(NAMES)
                   if was[name] != frame[name]) if was else ""
    still = drag.svg((frame["a"], frame["b"]), SETTINGS | {"background": SETTINGS["background"] + pale})
    notes = [f"angle {_degrees(frame)}"]
    notes += ["pale: before the tip moved"] if was else []
    notes += ["dashed: expected"] if expected else []
    vectors = "".join(
        f'<div class="fp-vector"><span>{_sample(i)}</span><span><b>{name}</b> = {_point(frame[name])}</span>'
        f'<span class="fp-note">length {draw.number(frame["lengths"][i])}{_should(frame, expected, i)}</span></div>'
        for i, name in enumerate(NAMES))
    rows = "".join(f'<div class="fp-measure">{_measure(key, frame, was, expected)}</div>' for key in ROWS)
    return (f'<div class="fp-two"><div class="fp-still">{still}</div><div class="fp-numbers">'
            f'<div class="fp-title fp-line">How alike are a and b?</div>'
            f'<div class="fp-note fp-line">{"; ".join(notes)}</div><div style="margin-top:8px">{vectors}</div>'
            f'{rows}</div></div>')


def _sample(i: int) -> str:
    """Return a small piece of an arrow, to stand before its name."""
    return draw.svg(12, draw.line(0, 6, 20, 6, COLORS[i], 3.5, "7 4" if i % 2 else ""), width=22)


def _should(frame, expected, i: int) -> str:
    if not expected or draw.number(expected["lengths"][i]) == draw.number(frame["lengths"][i]):
        return ""
    return f", expected {draw.number(expected['lengths'][i])}"


def _measure(key: str, frame, was, expected) -> str:
    """Return one number as a bar from 0 on its scale, with its name, its ends, and what it was."""
    low, high = ENDS[key]
    scale = lambda value: 100 * (min(max(value, low), high) - low) / (high - low)  # noqa: E731
    value, zero = frame[key], scale(0)

    def bar(value, y, height, color, edge="none", dash=""):
        left, wide = min(zero, scale(value)), abs(scale(value) - zero)
        return draw.box(f"{left:.2f}%", y, f"{wide:.2f}%", height, fill=color, stroke=edge, dash=dash)

    shapes = [draw.text(0, 15, ROWS[key], 14), draw.text("100%", 15, draw.number(value), 18, bold=True, anchor="end")]
    shapes += [draw.line("0", 24, "100%", 24), draw.line("0", 56, "100%", 56),
               bar(value, 29, 14, draw.GREEN if key == "cosine" else draw.OTHER),
               draw.line(f"{zero:.2f}%", 24, f"{zero:.2f}%", 56, draw.INK, 1.5)]
    if was:
        shapes.append(bar(was[key], 46, 6, draw.tint(draw.GREEN if key == "cosine" else draw.OTHER, 0.5)))
        if draw.number(was[key]) != draw.number(value):
            shapes.append(draw.text("76%", 15, f"was {draw.number(was[key])}", 13, draw.GREY, anchor="end"))
    if expected and draw.number(expected[key]) != draw.number(value):
        shapes.append(bar(expected[key], 29, 14, "none", draw.INK, "4 3"))
        shapes.append(draw.text("45%", 15, f"expected {draw.number(expected[key])}", 13, draw.GREY, anchor="middle"))
    shapes += [draw.text("0", 71, f"{low:g}".replace("-", "\u2212"), 12, draw.GREY),
               draw.text("100%", 71, f"{high:.3g}", 12, draw.GREY, anchor="end")]
    if low < 0:
        shapes.append(draw.text("50%", 71, "0", 12, draw.GREY, anchor="middle"))
    return draw.svg(76, *shapes)


# ---- the explorer

def two_vectors(a=START[0], b=START[1]) -> Stage:
    """Show two vectors to drag, with their angle, cosine, dot product and distance.

    The browser moves the arrows; the numbers come from the course's functions, or the learner's, and follow.
    """
    start = State(a, b)
    plane = drag.Plane((start.a, start.b), SETTINGS)
    kept = {"frame": None, "moved": None, "was": None, "on": None}

    def run(values):
        state = State(*map(tuple, values["tips"]))
        last, on = kept["frame"], [getattr(*split_name(task)) for task in TASKS]
        moved = [name for name in NAMES if last and list(getattr(state, name)) != last[name]]
        if state == start or on != kept["on"]:  # numbers of another function are no comparison
            kept.update(moved=None, was=None, on=on)
        elif moved and moved != kept["moved"]:
            kept.update(moved=moved, was=last | {"was": None})
        run = guard(TASKS, lambda: frame(state, kept["was"]), lambda drawn: (picture(drawn), caption(drawn)))
        kept["frame"] = run.frame
        return run

    stage = Stage("two_vectors", run, picture, describe, {}, {"tips": plane}, caption, style=STYLE,
                  buttons=drag.sliders(plane))
    drag.stand_beside(stage, plane)
    return stage
