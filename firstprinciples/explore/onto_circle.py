"""Lesson 04: normalizing, step by step: each arrow keeps its direction and goes to length 1, onto the circle."""

from firstprinciples.explore import drag, draw
from firstprinciples.explore.guard import Trouble
from firstprinciples.explore.stage import Stage
from firstprinciples.explore.stepper import stepper
from firstprinciples.explore.three_measures import COLORS, DASHES, PAGES, QUESTION, WORDS
from firstprinciples.index import cosine

TASKS = ("cosine.norm", "cosine.similarity", "cosine.normalize")
VECTORS = {"question": QUESTION, **PAGES, "D": (0, 0)}  # page D is empty
LOOK = {"question": (draw.NOW, "", 2), **{name: (COLORS[name], DASHES[name], 3.5) for name in PAGES},
        "D": (draw.PURPLE, "", 3.5)}
SETTINGS = drag.settings(VECTORS, (), low=(0, 0), high=(4.5, 2.5), step=0.5, scale=84,
                         axes=(f"times “{WORDS[0]}”", f"times “{WORDS[1]}”"))
SIZE = SETTINGS["size"]


def trace() -> list[dict]:
    """Return one frame for each decision: the vectors as counted, each put onto the circle, what it was good for."""
    now = {name: [float(number) for number in vector] for name, vector in VECTORS.items()}
    steps = [_step(now, None, "As counted", _nearest(now))]
    for name, vector in VECTORS.items():
        before, length = now[name], float(cosine.norm(list(vector)))
        now = now | {name: _pair(cosine.normalize(list(vector)))}
        if not any(vector):
            why = f"Page {name} holds neither word. It has no length to divide by, points nowhere, and stays at 0."
        else:
            why = (f"Its length is {draw.number(length)}. Both numbers are divided by it: "
                   f"{_point(before)} becomes {_point(now[name])}."
                   + (" It lay on the circle already." if length == 1 else ""))
        who = "the question" if name == "question" else f"page {name}"
        steps.append(_step(now, name, f"Put {who} onto the circle" if any(vector) else f"Leave {who} where it is", why))
    steps.append(_step(now, None, "Now the three measures agree", _agree(now), numbers=True))
    again = dict(zip(now, map(_pair, cosine.normalize(list(now.values()))), strict=True))
    moved = [name for name in now if max(abs(x - y) for x, y in zip(now[name], again[name], strict=True)) > 1e-9]
    off = [name for name in now if any(VECTORS[name]) and abs(sum(number**2 for number in now[name]) - 1) > 1e-9]
    why = "Every length is 1 (or 0), and to divide by 1 changes nothing. Twice is harmless."
    if moved:
        why = f"Something moved: {' and '.join(moved)}. After the first time every length should be 1."
    elif off:
        why = f"Nothing moved, and yet not every length is 1: look at {' and '.join(off)}."
    steps.append(_step(again, None, "Normalize once more", why, numbers=True))
    return [step | {"step": place, "steps": len(steps)} for place, step in enumerate(steps, 1)]


def _step(vectors, moving, title, why, numbers=False) -> dict:
    """Return a frame; the numbers are compared when all vectors are as counted or all are on the circle."""
    question = vectors["question"]
    table = {name: {"cosine": float(cosine.similarity(question, page)),
                    "dot": sum(q * p for q, p in zip(question, page, strict=True)),
                    "distance": sum((q - p) ** 2 for q, p in zip(question, page, strict=True)) ** 0.5}
             for name, page in vectors.items() if name != "question"}
    return {"vectors": vectors, "moving": moving, "title": title, "why": why, "table": table,
            "known": numbers or moving is None}


def _pair(vector) -> list[float]:
    """Return what `normalize` made of a vector as two numbers, or raise Trouble for the learner."""
    try:
        x, y = (float(number) for number in vector)
    except (TypeError, ValueError):
        raise Trouble("Your normalize gave something other than two numbers for a vector of two.") from None
    return [x, y]


def _nearest(vectors) -> str:
    table = _step(vectors, None, "", "")["table"]
    dot = max(table, key=lambda name: table[name]["dot"])
    near = min(table, key=lambda name: table[name]["distance"])
    return (f"The largest dot product has {dot}, the longest arrow; nearest by distance is {near}, a page with one "
            f"word. And the empty page D lies as near as A: {draw.number(table['D']['distance'])}.")


def _agree(vectors) -> str:
    table = _step(vectors, None, "", "")["table"]
    by_dot = sorted(table, key=lambda name: -table[name]["dot"])
    by_distance = sorted(table, key=lambda name: table[name]["distance"])
    if by_dot != by_distance:
        return (f"They do not: by dot product {', '.join(by_dot)}, by distance {', '.join(by_distance)}. Are all "
                "lengths 1?")
    return (f"Best first {', '.join(by_dot)}, by dot product and by distance. The dot product is the cosine now, and "
            "the squared distance of two arrows of length 1 is 2 − 2 cosines.")


def _point(point) -> str:
    return f"({', '.join(draw.number(number) for number in point)})"


def describe(frame: dict) -> str:
    """Say which step this is, why, and where every vector stands."""
    places = ", ".join(f"{name} {_point(vector)}" for name, vector in frame["vectors"].items())
    said = f"Step {frame['step']} of {frame['steps']}: {frame['title']}. {frame['why']} Vectors: {places}."
    if frame["known"]:
        numbers = [f"{name} cosine {draw.number(row['cosine'])}, dot product {draw.number(row['dot'])}, distance "
                   f"{draw.number(row['distance'])}" for name, row in frame["table"].items()]
        said += f" To the question: {'; '.join(numbers)}."
    return said


# ---- the picture

STYLE = f"""<style>
.fp-circle {{ display: grid; grid-template-columns: {SIZE[0]}px minmax(0, 1fr); column-gap: 20px; margin-top: 8px; }}
.fp-circle table {{ border-collapse: collapse; width: 100%; font-size: 14px; }}
.fp-circle td, .fp-circle th {{ text-align: right; padding: 5px 4px; white-space: nowrap;
  border-bottom: 1px solid {draw.LINE}; font-variant-numeric: tabular-nums; background: none; }}
.fp-circle td:first-child, .fp-circle th:first-child {{ text-align: left; }}
.fp-circle tr.fp-moving td {{ background: {draw.tint(draw.NOW, 0.15)}; }}
@container (max-width: 799px) {{ .fp-circle {{ grid-template-columns: minmax(0, 1fr); row-gap: 8px; }} }}
</style>"""


def picture(frame: dict, expected: dict | None) -> str:
    """Draw the arrows and the circle on the left, and the numbers as far as they are known on the right."""
    (x0, y0), scale = SETTINGS["origin"], SETTINGS["scale"]
    circle = (f'<path d="M {x0 + scale} {y0} A {scale} {scale} 0 0 0 {x0} {y0 - scale}" '
              f'style="fill:none;stroke:{draw.INK};stroke-width:1.5;stroke-dasharray:5 4"/>')
    one = draw.text(x0 + scale, y0 + 16, "length 1", 12, draw.GREY, anchor="middle")
    shapes = [SETTINGS["background"], circle, one]
    if frame["moving"]:
        color, dash, thick = LOOK[frame["moving"]]
        shapes.append(drag.arrow(VECTORS[frame["moving"]], SETTINGS, color, "", dash, thick, pale=True))
    off = [name for name in VECTORS if expected and _point(expected["vectors"][name]) != _point(frame["vectors"][name])]
    for name in off:
        x, y = drag.place(expected["vectors"][name], SETTINGS)
        shapes.append(f'<circle cx="{x}" cy="{y}" r="12" style="fill:none;stroke:{draw.INK};stroke-width:1.5;'
                      'stroke-dasharray:4 3"/>')
    together = _point(frame["vectors"]["question"]) == _point(frame["vectors"]["A"])
    for name in [*PAGES, "D", "question"]:
        color, dash, thick = LOOK[name]
        words = "" if name == "question" or name == "A" and together else name
        shapes.append(drag.arrow(frame["vectors"][name], SETTINGS, color, words, dash, thick))
    x, y = drag.place(frame["vectors"]["question"], SETTINGS)
    shapes.append(drag.label(x + 48, y - 10, "question, A") if together else drag.label(x - 30, y - 10, "question"))
    plane = draw.svg(SIZE[1], *shapes, width=SIZE[0])
    note = f"step {frame['step']} of {frame['steps']}" + ("" if frame["known"] else
                                                         "; ?: while lengths are mixed, these can't be compared")
    if off:
        note += "; dashed rings: where the course’s own function puts them"
    return (f'<div class="fp-title fp-line">{draw.escape(frame["title"])}</div>'
            f'<div class="fp-note fp-line">{note}</div>'
            f'<div class="fp-circle"><div>{plane}</div><div>{_table(frame)}</div></div>')


def _table(frame) -> str:
    """Return the vectors with their numbers; what cannot be known yet is a question mark."""
    rows = []
    for name, vector in frame["vectors"].items():
        length = sum(number**2 for number in vector) ** 0.5
        row = frame["table"].get(name)
        cells = [name if name == "question" else f"page {name}", _point(vector), draw.number(length)]
        if row:
            late = [draw.number(row[key]) if frame["known"] else "?" for key in ("dot", "distance")]
            cells += [draw.number(row["cosine"]), *late]
        else:
            cells += ["", "", ""]
        color = LOOK[name][0]
        first = f"{draw.swatch(color)}{cells[0]}"
        moving = ' class="fp-moving"' if name == frame["moving"] else ""
        rows.append(f"<tr{moving}><td>{first}</td>" + "".join(f"<td>{cell}</td>" for cell in cells[1:]) + "</tr>")
    head = "".join(f"<th>{word}</th>" for word in ("", "numbers", "length", "cosine", "dot", "distance"))
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>"


def onto_circle() -> Stage:
    """Show, step by step, how a question and four pages are normalized, and that the measures then agree."""
    return stepper("onto_circle", trace, picture, describe, TASKS, caption=lambda frame, _: frame["why"], style=STYLE)
