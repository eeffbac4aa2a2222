"""Lesson 16: a made-up answer. Four vectors, a strip each: how near all chunks are, and where the right one stands.

The vectors are MiniLM's. A made-up answer is written by hand here, and need not be true: what counts is whether it
sounds like the page that holds the true one.
"""

from functools import cache

import ipywidgets
import numpy as np

from firstprinciples.encode.stored import ModelFilesMissing
from firstprinciples.explore import draw
from firstprinciples.explore.guard import Trouble
from firstprinciples.explore.rewrite import holders, indexes
from firstprinciples.explore.stage import Stage, toggles
from firstprinciples.explore.stepper import stepper
from firstprinciples.generate import rewrite
from firstprinciples.generate.statement import statement

TASKS = ("rewrite.mean_vector",)
# name: (id of the question, one of dev; the made-up answer, by hand; what is to be said of it)
CASES = {
    "siren": ("paraphrase-017", "Yes. When the fire alarm sounds you have two minutes to fetch your coat and phone "
              "before you leave the building by the nearest door.", "It is false: the plan says the opposite."),
    "who decides": ("paraphrase-029", "The project manager may stop the go-live and order a return to the old system "
                    "until Sunday noon.", "Who and until when are made up."),
    "which plug": ("paraphrase-029", "Anybody may pull the plug. Take hold of the plug, not of the cord, and switch "
                   "the machine off first.", "It took the plug for a plug."),
    "Saturday": ("polysemy-003", "The books of the month close on Saturday at noon.",
                 "It took the wrong sense of closing."),
}
ROWS = ("question", "opening", "made up", "mean")
NAMES = {"question": "the question", "opening": "its opening, by rules", "made up": "a made-up answer, by hand",
         "mean": "mean of the question and the made-up answer"}
COLORS = {"question": draw.BLUE, "opening": draw.SKY, "made up": draw.ORANGE, "mean": draw.GREEN}
LOW, HIGH = -0.22, 0.62  # cosines at both ends of a strip


@cache
def vector(text: str):
    """Return a text's vector, (384,) float64, or None where it is not stored and the files are not here."""
    try:
        return np.asarray(indexes()[2].vector(text), dtype=np.float64)
    except ModelFilesMissing:
        return None


# ---- the frames

def standing(query: np.ndarray, right: frozenset) -> dict:
    """Return the cosine of every chunk with a vector, the place and the cosine of the first right one, and the best."""
    meaning = indexes()[2]
    cosines = np.asarray(meaning.vectors, dtype=np.float64) @ query
    order = sorted(range(len(cosines)), key=lambda i: (-cosines[i], meaning.ids[i]))
    at = next(i for i, chunk in enumerate(order) if meaning.ids[chunk] in right)
    return {"cosines": np.round(cosines, 4).tolist(), "place": at + 1, "mine": float(cosines[order[at]]),
            "best": meaning.ids[order[0]], "high": float(cosines[order[0]]), "right": meaning.ids[order[at]]}


def trace(case: str) -> list[dict]:
    """Return the frames: the question, then its opening, then the made-up answer, then the mean."""
    id, made_up, remark = CASES[case]
    asked = next(query for query in indexes()[0].queries if query.id == id)
    texts = {"question": asked.text, "opening": statement(asked.text), "made up": made_up}
    found = {name: vector(text) for name, text in texts.items()}
    try:
        mean = np.asarray(rewrite.mean_vector(found["question"].copy(), found["made up"][None, :].copy()), dtype=float)
    except (TypeError, ValueError) as error:
        raise Trouble(f"Your mean_vector has to give one vector: {error}.") from error
    if mean.shape != found["question"].shape or not np.isfinite(mean).all():
        raise Trouble(f"Your mean_vector has to give {len(found['question'])} finite numbers; it gave an array of "
                      f"shape {mean.shape}.")
    found["mean"] = mean
    rows = {name: None if one is None else standing(one, holders(id)) for name, one in found.items()}
    return [{"case": case, "texts": texts, "remark": remark, "rows": rows, "step": step, "steps": len(ROWS)}
            for step in range(1, len(ROWS) + 1)]


# ---- words

def describe(frame: dict) -> str:
    """Say what each vector so far is of, and where the right chunk stands by it."""
    out = []
    for name in ROWS[: frame["step"]]:
        row = frame["rows"][name]
        text = f", “{frame['texts'][name]}”" if name in frame["texts"] else ""
        out.append(f"{NAMES[name]}{text}: " + (f"the answer at place {row['place']}, cosine {draw.number(row['mine'])}"
                                                if row else "no vector stored"))
    return f"Step {frame['step']} of {frame['steps']}. {'; '.join(out)}."


def caption(frame: dict, before: dict | None = None) -> str:
    """Say what this step's vector finds, and how it compares with the question's."""
    name, rows = ROWS[frame["step"] - 1], frame["rows"]
    row, first = rows[name], rows["question"]
    if row is None:
        return "The vector of this text is not stored: it needs the model files."
    ahead = row["place"] - 1
    nearer = "No chunk is nearer" if not ahead else f"{ahead} {'chunk is' if ahead == 1 else 'chunks are'} nearer"
    tail = "" if not ahead else f"; the nearest is {row['best']}"
    if name == "question":
        return f"{nearer} to the question than the one that answers it{tail}. Press Next."
    moved = (f"The answer stays at place {row['place']}" if row["place"] == first["place"] else
             f"With the question the answer is at place {first['place']}, with this at {row['place']}")
    if name == "opening":
        return f"A rule turned the question into the opening of an answer. {moved}. It has no word that was not there."
    if name == "made up":
        return f"{frame['remark']} {moved}{tail}."
    return f"Half of this vector is the question. {moved}{tail}."


# ---- the picture

STYLE = """<style>
.fp-hyde { display: grid; grid-template-columns: minmax(0, 1fr) 560px; column-gap: 18px; height: 100px;
  align-items: center; }
.fp-hyde-text { padding-left: 10px; font-size: 13px; line-height: 19px; max-height: 96px; overflow: hidden; }
.fp-hyde-scale { height: 26px; }
.fp-hyde-scale > .fp-note { text-align: right; }
@container (max-width: 839px) {
  .fp-hyde { grid-template-columns: minmax(0, 1fr); height: auto; row-gap: 4px; margin-top: 10px; }
  .fp-hyde-text { min-height: 57px; }
  .fp-hyde-scale { margin-top: 0; row-gap: 0; }
  .fp-hyde-scale > .fp-note { text-align: left; } }
</style>"""
WIDE, EDGE = 556.0, 8.0


def x_of(cosine: float) -> float:
    """Return where a cosine stands on a strip, in pixels."""
    return EDGE + (WIDE - 2 * EDGE) * (min(max(cosine, LOW), HIGH) - LOW) / (HIGH - LOW)


def picture(frame: dict, expected: dict | None) -> str:
    """Draw a strip for each vector; those to come are question marks."""
    notes = [f"step {frame['step']} of {frame['steps']}", "each line is one of 704 chunks, further right is nearer",
             "★ answers"] + ["dashed: the course's own function"] * bool(expected)
    rows = "".join(_row(frame, expected, name, place < frame["step"], place == frame["step"] - 1)
                   for place, name in enumerate(ROWS))
    ticks = "".join(draw.line(round(x_of(t), 1), 0, round(x_of(t), 1), 5, draw.GREY)
                    + draw.text(round(x_of(t), 1), 18, draw.number(t), 12, draw.GREY, anchor="middle")
                    for t in (-0.2, 0.0, 0.2, 0.4, 0.6))
    scale = (f'<div class="fp-hyde fp-hyde-scale"><div class="fp-note">cosine</div>'
             f'<div class="fp-scroll">{draw.svg(24, ticks, width=560)}</div></div>')
    return (f'<div class="fp-title fp-line">Is a made-up answer nearer to the page?</div>'
            f'<div class="fp-line fp-note">{draw.escape("; ".join(notes))}</div>{rows}{scale}')


def _row(frame, expected, name: str, known: bool, now: bool) -> str:
    """Return one vector: what it is of on the left, its strip on the right."""
    border = f"border-left:5px solid {COLORS[name] if known else draw.LINE}"
    text = frame["texts"].get(name, "") if known else "?"
    if name == "opening" and known:
        text += " …"
    head = f'<b style="font-size:14px">{NAMES[name]}</b>'
    left = (f'<div class="fp-hyde-text" style="{border}">{head}<br>{draw.escape(text)}</div>')
    row = frame["rows"][name]
    if not known or row is None:
        mark = "?" if not known else "not stored: needs the model files"
        shapes = [draw.line(EDGE, 64, WIDE - EDGE, 64), draw.text(WIDE / 2, 56, mark, 14, draw.GREY, anchor="middle")]
        return f'<div class="fp-hyde">{left}<div class="fp-scroll">{draw.svg(92, *shapes, width=560)}</div></div>'
    shapes = [_ticks([c for c in row["cosines"] if c <= row["mine"] + 5e-5], draw.tint(draw.OTHER, 0.55), 44, 70),
              _ticks([c for c in row["cosines"] if c > row["mine"] + 5e-5], COLORS[name], 38, 70),
              draw.line(EDGE, 70, WIDE - EDGE, 70, draw.GREY)]
    x = round(x_of(row["mine"]), 1)
    shapes.append(draw.line(x, 28, x, 78, draw.NOW if now else draw.INK, 3))
    label, high = f"★ place {row['place']} · {draw.number(row['mine'])}", round(x_of(row["high"]), 1)
    shapes.append(draw.text(x, 22, label, 14, bold=True, anchor="end" if x > 440 else "middle",
                            shift=8 if x > 440 else 0))
    if row["place"] > 1:
        nearest = f"nearest: {row['best']} · {draw.number(row['high'])}"
        shapes.append(draw.text(min(high + 4, WIDE - 2), 90, nearest, 12, draw.GREY, anchor="end"))
    other = expected and expected["rows"][name]
    if other and abs(other["mine"] - row["mine"]) > 1e-6:
        at = round(x_of(other["mine"]), 1)
        said = f"expected place {other['place']} · {draw.number(other['mine'])}"
        shapes += [draw.line(at, 28, at, 78, draw.INK, 2, "4 3"), draw.text(EDGE, 22, said, 12, draw.GREY)]
    return f'<div class="fp-hyde">{left}<div class="fp-scroll">{draw.svg(92, *shapes, width=560)}</div></div>'


def _ticks(cosines: list[float], color: str, top: float, bottom: float) -> str:
    """Return one thin line for each cosine, all in one path."""
    path = "".join(f"M{x_of(c):.1f} {top:g}V{bottom:g}" for c in cosines)
    return f'<path d="{path}" style="fill:none;stroke:{color};stroke-width:1.2"/>' if path else ""


# ---- the explorer

def texts() -> list[str]:
    """Return the texts whose vectors this picture needs, besides Larkspur's own questions and chunks."""
    out = []
    for id, made_up, _ in CASES.values():
        asked = next(query for query in indexes()[0].queries if query.id == id)
        out += [statement(asked.text), made_up]
    return list(dict.fromkeys(out))


def hypothetical(first: str = "siren") -> Stage:
    """Step from a question to a made-up answer and to their mean, and see where the right chunk stands by each.

    `first` is the case it begins with, one of CASES; buttons change between them. Raises ValueError for another name.
    """
    if first not in CASES:
        raise ValueError(f"There is no case {first!r}; there are {', '.join(CASES)}.")
    which = toggles(CASES, first, "which answer", 124)
    row = ipywidgets.HBox([which])
    row.add_class("fp-row")
    return stepper("hypothetical", lambda case: trace(case), picture, describe, TASKS,
                   lambda frame, before: caption(frame), STYLE, texts={"case": which}, above=[row])
