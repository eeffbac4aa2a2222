"""Lesson 07: a funnel. For how many questions is all that is needed still there behind each of the five places?

The places are stored, notebooks/failures.json says when and how they were found: nothing is asked while a button is
pressed. `tally` and `surviving` of `failure` make the bars out of them, looked up when the picture is drawn.
"""

from dataclasses import dataclass

from firstprinciples.evaluate import failure
from firstprinciples.evaluate.failure import PLACES
from firstprinciples.explore import draw
from firstprinciples.explore.guard import Trouble, guard
from firstprinciples.explore.measured import measured
from firstprinciples.explore.recall_curve import steps
from firstprinciples.explore.stage import Stage, toggles

TASKS = ("failure.tally", "failure.surviving")
HALVES = {"dev half": "dev", "held-out half": "held_out"}
ALL = "all kinds"
LOST = {"ingestion": "not in the index", "chunking": "in no chunk whole", "retrieval": "not among the candidates",
        "ranking": "not on the desk", "generation": "there, and not answered rightly"}


def figures() -> dict:
    """Return what was measured. Raises FileNotFoundError with a sentence where the file is missing."""
    return measured("failures")


def pipelines() -> list[str]:
    """Return the names of the pipelines that were measured."""
    return list(figures()["pipelines"])


def kinds() -> list[str]:
    """Return the kinds of question, all of them first."""
    return [ALL, *next(iter(figures()["dev"]["pipelines"].values()))["kinds"]]


@dataclass(frozen=True)
class State:
    """Which pipeline, which half of the questions, and which kind of them."""

    pipeline: str = ""
    half: str = "dev half"
    kind: str = ALL

    def __post_init__(self):
        object.__setattr__(self, "pipeline", self.pipeline if self.pipeline in pipelines() else pipelines()[0])
        object.__setattr__(self, "half", self.half if self.half in HALVES else "dev half")
        object.__setattr__(self, "kind", self.kind if self.kind in kinds() else ALL)


def frame(state: State) -> dict:
    """Return how many questions were lost in each place, how many are alive behind it, and how many were luck."""
    row = figures()[HALVES[state.half]]["pipelines"][state.pipeline]
    row = row if state.kind == ALL else row["kinds"][state.kind]
    places = [place for place, count in row["failures"].items() for _ in range(count)]
    lucky = [place for place, count in row["luck"].items() for _ in range(count)]
    every = [*places, *lucky, *[""] * (row["queries"] - len(places) - len(lucky))]
    return {"pipeline": state.pipeline, "half": state.half, "kind": state.kind, "queries": row["queries"],
            "right": row["right"], "luck": len(lucky), "date": figures()["date"],
            "lost": _counts(failure.tally(list(every))), "alive": _shares(failure.surviving(list(every)))}


def _counts(value) -> list[int]:
    try:
        return [int(value[place]) for place in PLACES]
    except (KeyError, TypeError, ValueError) as error:
        raise Trouble("Your tally should give {place: count} with all five places.") from error


def _shares(value) -> list[float]:
    try:
        out = [float(each) for each in value]
    except (TypeError, ValueError) as error:
        raise Trouble("Your surviving should give five numbers.") from error
    if len(out) != 5 or not all(0 <= each <= 1 for each in out):
        raise Trouble("Your surviving should give five numbers from 0 to 1.")
    return out


# ---- words

def describe(frame: dict) -> str:
    """Say for how many questions all is still there behind each place."""
    steps = ", ".join(f"{place} {count} ({share:.3f} left)" for place, count, share in
                      zip(PLACES, frame["lost"], frame["alive"], strict=True))
    return (f"{frame['half']}, {frame['pipeline']}, {frame['kind']}: {frame['queries']} questions that have an answer. "
            f"Lost in {steps}. Answered rightly {frame['right']}, {frame['luck']} of them by luck.")


def caption(frame: dict, before: dict | None) -> str:
    """Say where most is lost, and what became of it with another pipeline."""
    most = max(range(5), key=lambda n: (frame["lost"][n], -n))
    said = f"Most is lost in {PLACES[most]}: {frame['lost'][most]} of {frame['queries']}."
    if before and before["pipeline"] != frame["pipeline"] and before["half"] == frame["half"]:
        pairs = zip(PLACES, before["lost"], frame["lost"], strict=True)
        moved = [f"{place} {was} to {now}" for place, was, now in pairs if was != now]
        return f"{said} From {before['pipeline']} to {frame['pipeline']}: {', '.join(moved) or 'as before'}."
    return f"{said} {frame['right']} are answered rightly, {frame['luck']} of them by luck: those count as lost here."


# ---- the picture

STYLE = f"""<style>
.fp-funnel {{ display: grid; grid-template-columns: 112px minmax(0, 1fr) 250px; column-gap: 12px; row-gap: 8px;
  align-items: center; margin-top: 10px; min-width: 640px; font-size: 13px; }}
.fp-funnel-bar {{ height: 34px; position: relative; }}
.fp-funnel-bar > div {{ position: absolute; left: 0; top: 0; height: 34px; border-radius: 3px; }}
.fp-funnel-was {{ border: 2px dashed {draw.GREY}; }}
</style>"""


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw a bar for the questions that are asked, and one for what is left behind each place."""
    before = before if before and before["queries"] == frame["queries"] else None
    notes = [f"{frame['half']}, {frame['kind']}, {frame['pipeline']}; measured {frame['date']}"]
    notes += ["dashed: before"] * bool(before) + ["expected: the course's own function"] * bool(expected)
    rows = _row("asked", 1.0, f"{frame['queries']} questions that have an answer", None, draw.OTHER)
    for n, place in enumerate(PLACES):
        lost = f"−{frame['lost'][n]}  {LOST[place]}" if frame["lost"][n] else "nothing lost"
        if expected and expected["lost"][n] != frame["lost"][n]:
            lost += f" (expected −{expected['lost'][n]})"
        rows += _row(place, frame["alive"][n], lost, before["alive"][n] if before else None,
                     draw.GREEN if n == 4 else draw.BLUE, expected["alive"][n] if expected else None)
    return (f'<div class="fp-title fp-line">What is left behind each place?</div>'
            f'<div class="fp-note fp-line">{draw.escape("; ".join(notes))}</div>'
            f'<div class="fp-scroll"><div class="fp-funnel">{rows}</div></div>'
            f'<div class="fp-note" style="margin-top:6px">right {frame["right"]}, less {frame["luck"]} by luck: '
            f'{frame["right"] - frame["luck"]} of {frame["queries"]} had all they needed, to the end</div>')


def _row(name: str, share: float, words: str, was, color: str, wanted=None) -> str:
    old = f'<div class="fp-funnel-was" style="width:{was:.1%}"></div>' if was is not None and was != share else ""
    if wanted is not None and wanted != share:
        old += f'<div style="width:{wanted:.1%};border:2px solid {draw.NOW}"></div>'
    label = f'<span style="position:absolute;left:8px;top:8px;font-weight:700;line-height:18px">{share:.3f}</span>'
    look = f"width:{share:.1%};background:{draw.tint(color, 0.45)};border-left:4px solid {color}"
    return (f'<b>{name}</b><div class="fp-funnel-bar"><div style="{look}"></div>{old}{label}</div>'
            f'<span>{draw.escape(words)}</span>')


# ---- the explorer

def funnel() -> Stage:
    """Show for a pipeline how many questions still have all they need behind each place; buttons and a slider."""
    start = State()
    which = toggles(pipelines(), start.pipeline, "the pipeline", 150)
    half = toggles(list(HALVES), start.half, "which half of the questions", 112)
    kind = steps("kind", start.kind, kinds(), 360)

    def run(values):
        state = State(**values)
        return guard(TASKS, lambda: frame(state), lambda drawn: picture(drawn, None, None))

    return Stage("funnel", run, picture, describe, {"pipeline": which, "half": half, "kind": kind}, caption=caption,
                 style=STYLE)
