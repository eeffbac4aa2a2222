"""Lesson 02: ten places, four relevant pages, and four numbers: which of them notices when a page moves?"""

from dataclasses import dataclass

import ipywidgets

from firstprinciples.evaluate import metrics
from firstprinciples.explore import draw
from firstprinciples.explore.guard import guard
from firstprinciples.explore.stage import Stage
from firstprinciples.swap import untouched

TASKS = ("metrics.gains", "metrics.recall_at_k", "metrics.precision_at_k", "metrics.reciprocal_rank", "metrics.dcg",
         "metrics.ndcg_at_k")
TEN = 10  # places that are shown
GRADES = {"A": 3, "B": 2, "C": 1, "D": 1}
TITLES = {"A": "answers it", "B": "a needed part", "C": "supports it", "D": "supports it"}
START = (2, 4, 7, 0)  # where A, B, C and D stand; 0: not found
PRESETS = {"Best first": (1, 2, 3, 4), "Best last": (4, 3, 2, 1), "One hit on top": (1, 0, 0, 0),
           "Four at the bottom": (10, 9, 8, 7), "Nothing found": (0, 0, 0, 0)}
NAMES = {"recall": "recall", "precision": "precision", "rr": "RR", "ndcg": "nDCG"}


@dataclass(frozen=True)
class State:
    """Where the four relevant pages stand, 1 to 10 or 0 for not found, and how many places are looked at."""

    places: tuple[int, int, int, int] = START
    k: int = 5

    def __post_init__(self):
        if len(self.places) != len(GRADES):
            raise ValueError(f"places has {len(self.places)} entries; it needs one for each of {', '.join(GRADES)}.")
        kept = []
        for place in self.places:
            place = min(max(int(place), 0), TEN)
            kept.append(0 if place in kept else place)  # two pages cannot stand at one place
        object.__setattr__(self, "places", tuple(kept))
        object.__setattr__(self, "k", min(max(int(self.k), 1), TEN))


def move(places: tuple, who: int, way: str) -> tuple:
    """Return the places after one page went "Up", "Down" or "Out"; the page it passes trades places with it.

    Up from not found is place 10; down from place 10 is not found. Where a page goes out, one that is not relevant
    takes its place.

    >>> move((2, 3, 7, 0), 1, "Up")
    (3, 2, 7, 0)
    """
    here = places[who]
    if way == "Out":
        goal = 0
    elif way == "Up":
        goal = max(here - 1, 1) if here else TEN
    else:
        goal = (here + 1) % (TEN + 1) if here else 0
    return tuple(goal if i == who else here if goal and place == goal else place for i, place in enumerate(places))


def frame(state: State) -> dict:
    """Return what the picture shows: who stands where, and the four numbers of the first k places."""
    stands = dict(zip(GRADES, state.places, strict=True))
    at = {place: name for name, place in stands.items() if place}
    ranked = [at.get(place, f"other {place}") for place in range(1, TEN + 1)]
    return {"k": state.k, "places": stands, "ranked": ranked,
            "gains": [float(gain) for gain in metrics.gains(ranked, GRADES, state.k)],
            "values": {"recall": float(metrics.recall_at_k(ranked, GRADES, state.k)),
                       "precision": float(metrics.precision_at_k(ranked, GRADES, state.k)),
                       "rr": float(metrics.reciprocal_rank(ranked, GRADES, state.k)),
                       "ndcg": float(metrics.ndcg_at_k(ranked, GRADES, state.k))}}


# ---- words

def describe(frame: dict) -> str:
    """Say who stands where, and the four numbers."""
    stands = ", ".join(f"{name} (grade {GRADES[name]}) {_where(place)}" for name, place in frame["places"].items())
    values = ", ".join(f"{NAMES[key]}@{frame['k']} {draw.number(value)}" for key, value in frame["values"].items())
    return f"A ranking of ten: {stands}. {values}."


def caption(frame: dict, before: dict | None) -> str:
    """Say what the last move was, who noticed it, and why."""
    k, found, first, values = frame["k"], _found(frame), _first(frame), frame["values"]
    if before is None:
        said = f"{found} of the 4 relevant pages {'is' if found == 1 else 'are'} in the first {_places(k)}"
        place = f"The first stands at place {first}: RR" if first else "Without a first one, RR"
        return (f"{said}: recall is {_fraction(values['recall'], found, 4)}, precision "
                f"{_fraction(values['precision'], found, k)}. {place} is {_fraction(values['rr'], 1, first)}.")
    reason = _why(frame, before) if _usual(frame) and _usual(before) else ""
    return " ".join(said for said in (_moved(frame, before), _who(frame, before), reason) if said)


def _fraction(value: float, over: int, under: int) -> str:
    """Return over/under where the bar shows it, or what the bar shows: a learner's function may give another number."""
    right = over / under if under else 0.0
    return draw.number(value) if not under or abs(value - right) > 1e-9 else f"{over}/{under}"


def _usual(drawn) -> bool:
    """Say whether the numbers are the course's own; only then its reasons hold."""
    with untouched():
        own = frame(State(tuple(drawn["places"].values()), drawn["k"]))
    return all(abs(own["values"][key] - value) < 1e-9 for key, value in drawn["values"].items())


def _where(place: int) -> str:
    return f"at place {place}" if place else "not found"


def _places(k: int) -> str:
    return "place" if k == 1 else f"{k} places"


def _found(frame) -> int:
    """Return how many relevant pages are in the first k places."""
    return sum(0 < place <= frame["k"] for place in frame["places"].values())


def _first(frame) -> int:
    """Return the place of the first relevant page within the first k; 0 where there is none."""
    return min((place for place in frame["places"].values() if 0 < place <= frame["k"]), default=0)


def _moved(frame, before) -> str:
    """Say what changed: k, or the pages that moved."""
    if frame["k"] != before["k"]:
        return f"k goes from {before['k']} to {frame['k']}."
    moved = {name: (was, frame["places"][name]) for name, was in before["places"].items()
             if was != frame["places"][name]}
    if len(moved) < 3:
        moves = [f"{name} from {was or 'not found'} to {now or 'not found'}" for name, (was, now) in moved.items()]
    else:  # short: the picture says where they stood
        moves = [f"{name} to {now}" if now else f"{name} out" for name, (_, now) in moved.items()]
    return f"Moved: {', '.join(moves)}." if moves else ""


def changed(frame: dict, before: dict, key: str) -> float:
    """Return how much a number moved, between the two that are shown; 0.0 where it did not notice.

    Where both are shown alike, what it moved is less than 0.01, and is returned as it is.
    """
    now, was = frame["values"][key], before["values"][key]
    return (draw.change(now, was) or now - was) if abs(now - was) > 1e-9 else 0.0


def _signed(change: float) -> str:
    """Return a change as +0.12 or −0.12; three decimals where the numbers that are shown do not differ."""
    size = draw.number(abs(change)) if abs(change) > 0.00999 else f"{abs(change):.3f}"
    return ("+" if change > 0 else "\u2212") + size


def _who(frame, before) -> str:
    """Say which numbers noticed, and by how much."""
    noticed = {NAMES[key]: change for key in NAMES if (change := changed(frame, before, key))}
    if not noticed:
        return "None of the four numbers noticed."
    blind = [name for name in NAMES.values() if name not in noticed]
    said = f"Noticed by {_list([f'{name} ({_signed(change)})' for name, change in noticed.items()])}"
    return f"{said}; not by {_list(blind)}." if blind else f"{said}."


def _list(words: list[str]) -> str:
    """Return words as a list in a sentence: "a, b and c"."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _why(frame, before) -> str:
    """Say the reason, from what the first k places hold."""
    k, found, first = frame["k"], _found(frame), _first(frame)
    if k != before["k"]:
        longer = "A longer list can only find more" if k > before["k"] else "A shorter list can only lose"
        return f"{longer}; precision divides what was found, {found}, by {k}."
    if frame["gains"] == before["gains"]:
        if frame["places"] == before["places"]:
            return ""
        inside = [name for name in GRADES if frame["places"][name] != before["places"][name]
                  and 0 < frame["places"][name] <= k]
        return ("The pages that traded places have the same grade." if inside else
                f"All of it happened outside the first {_places(k)}, where nobody looks.")
    if found == _found(before):
        said = "Recall and precision count in any order; nDCG asks who stands where."
    else:
        holds, page = "hold" if k > 1 else "holds", "page" if found == 1 else "pages"
        said = f"The first {_places(k)} now {holds} {found} relevant {page}, not {_found(before)}."
    return f"{said} RR sees only the first, {'still' if first == _first(before) else 'now'} at place {first}." \
        if first else said


# ---- the picture

STYLE = """<style>
.fp-measuring { display: grid; grid-template-columns: 390px 1fr; column-gap: 32px; margin-top: 10px; height: 392px; }
.fp-places { position: relative; height: 392px; }
.fp-places > div { position: absolute; display: flex; align-items: center; height: 28px; }
.fp-places .fp-page { border: 1px solid; border-radius: 6px; left: 30px; right: 58px; padding: 0 10px 0 5px;
  gap: 8px; }
.fp-grade { display: inline-block; min-width: 20px; height: 20px; border-radius: 4px; text-align: center;
  font-weight: 700; line-height: 20px; }
.fp-pool { border: 1px dashed; border-radius: 6px; padding: 0 10px; gap: 14px; }
.fp-pool > span { display: flex; gap: 4px; align-items: center; border-radius: 5px; padding: 1px 3px; }
.fp-dots { letter-spacing: 1px; font-size: 12px; width: 36px; }
.fp-metric { height: 88px; border-left: 4px solid transparent; padding: 0 0 0 12px; margin-bottom: 9px; }
@container (max-width: 759px) {
  .fp-measuring { grid-template-columns: 100%; height: auto; row-gap: 16px; }
}
</style>"""
GRADE_LOOK = {3: (draw.BLUE, "#FFFFFF"), 2: (draw.SKY, draw.DARK), 1: (draw.ORANGE, draw.DARK)}
ROW = 32  # pixels from one place to the next


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw the ten places on the left, and on the right the four numbers as bars from 0 to 1."""
    notes = [f"four relevant pages; the first {_places(frame['k'])} {'count' if frame['k'] > 1 else 'counts'}"]
    if before:
        notes.append("pale: before the last move")
    if expected:
        notes.append("outlined: the course's own function")
    bars = "".join(_metric(key, frame, before, expected) for key in NAMES)
    return (f'<div class="fp-title fp-line">Which number notices?</div>'
            f'<div class="fp-line fp-note"><code>k = {frame["k"]}</code><span style="margin-left:20px">'
            f'{draw.escape("; ".join(notes))}</span></div>'
            f'<div class="fp-measuring"><div class="fp-places">{_column(frame, before)}</div><div>{bars}</div></div>')


def _column(frame, before) -> str:
    """Return the column of ten places, the line below the first k, and the pages that were not found."""
    out = []
    for place, id in enumerate(frame["ranked"], 1):
        top, counts = ROW * (place - 1), place <= frame["k"]
        out.append(f'<div style="top:{top}px;left:0;width:22px;justify-content:flex-end;'
                   f'font-weight:{700 if counts else 400}">{place}</div>')
        color = GRADE_LOOK[GRADES[id]][0] if id in GRADES else draw.LINE
        look = f"top:{top}px;border-color:{color};border-style:{'solid' if counts else 'dashed'};"
        if id in GRADES:
            was = before["places"][id] if before else place
            moved = f'<span class="fp-note">was {was or "not found"}</span>' if was != place else ""
            look += f"outline:2px solid {draw.NOW};outline-offset:-1px;" if moved else ""
            look += f"background:{draw.tint(color, 0.22)};" if counts else ""
            words = f'{_badge(id)}<b>{id}</b><span class="fp-line" style="flex:1">{TITLES[id]}</span>{moved}'
        else:
            words = '<span class="fp-note" style="padding-left:5px">not relevant</span>'
        out.append(f'<div class="fp-page" style="{look}">{words}</div>')
    cut = ROW * frame["k"] - 2
    out.append(f'<div style="top:{cut - 10}px;left:0;right:0;height:20px;gap:8px">'
               f'<span style="flex:1;border-top:2px dashed {draw.INK}"></span>'
               f'<b style="width:48px;white-space:nowrap">k = {frame["k"]}</b></div>')
    lost = [name for name, place in frame["places"].items() if not place]
    gone = [f'<span style="{_just_lost(name, before)}">{_grade(name)}<b>{name}</b></span>' for name in lost]
    nobody = '<span class="fp-note">no relevant page</span>' if not lost else ""
    out.append(f'<div class="fp-pool" style="top:{ROW * TEN + 22}px;left:0;right:58px;height:40px;'
               f'border-color:{draw.GREY}"><span class="fp-note">not found</span>{"".join(gone)}{nobody}</div>')
    return "".join(out)


def _just_lost(name, before) -> str:
    return f"outline:2px solid {draw.NOW}" if before and before["places"][name] else ""


def _grade(name: str) -> str:
    """Return the grade of a page as a number on its color."""
    fill, ink = GRADE_LOOK[GRADES[name]]
    return f'<span class="fp-grade" style="background:{fill};color:{ink}">{GRADES[name]}</span>'


def _badge(name: str) -> str:
    """Return the grade as a number and as dots, so that it does not hang on the color."""
    grade = GRADES[name]
    return f'{_grade(name)}<span class="fp-dots" aria-hidden="true">{"●" * grade}{"○" * (3 - grade)}</span>'


def _metric(key, frame, before, expected) -> str:
    """Return one number: its name, what it asks, its bar now and before, and whether it noticed."""
    k, value = frame["k"], frame["values"][key]
    first = "first" if k == 1 else f"first {k}"
    asks = {"recall": f"found in the {first} / all 4", "precision": f"found in the {first} / {k}",
            "rr": "1 / place of the first relevant", "ndcg": "grades by place / the best order"}[key]
    change = changed(frame, before, key) if before else 0.0
    verdict = (f"<b>noticed: {_signed(change)}</b>" if change else
               '<span class="fp-note">did not notice</span>' if before else "")
    shapes = [draw.box("0", 2, "100%", 22, fill=draw.tint(draw.OTHER, 0.16)), _bar(value, 2, 22, draw.BLUE),
              draw.text("100%", 20, draw.number(value), 18, bold=True, shift=12)]
    if before:
        shapes.append(_bar(before["values"][key], 29, 9, draw.tint(draw.BLUE, 0.4)))
        shapes.append(draw.text("100%", 39, f"was {draw.number(before['values'][key])}", 13, draw.GREY, shift=12))
    if expected and abs(expected["values"][key] - value) > 1e-9:
        should = expected["values"][key]
        shapes.append(draw.box("0", 44, f"{100 * _inside(should):.3f}%", 12, stroke=draw.INK, dash="4 3"))
        shapes.append(draw.text("100%", 56, f"expected {draw.number(should)}", 13, draw.GREY, shift=12))
    edge = f"border-left-color:{draw.NOW}" if change else ""
    return (f'<div class="fp-metric" style="{edge}"><div style="display:flex;gap:10px;height:24px">'
            f'<b>{NAMES[key]}@{k}</b><span class="fp-note fp-line" style="flex:1">{asks}</span>{verdict}</div>'
            f'<div style="padding-right:104px">{draw.svg(62, *shapes)}</div></div>')


def _inside(value: float) -> float:
    """Return a number as far as its bar can show it: from 0 to 1."""
    return min(max(value, 0.0), 1.0)


def _bar(value: float, y: float, height: float, color: str) -> str:
    return draw.box("0", y, f"{100 * _inside(value):.3f}%", height, fill=color)


# ---- the explorer

def measuring(places: tuple = START, k: int = 5) -> Stage:
    """Show a ranking of ten and four metrics; move the relevant pages up, down and out, and set k.

    `places` says where the four relevant pages stand: 1 to 10, or 0 for not found.
    """
    start = State(places, k)
    who = ipywidgets.ToggleButtons(options=[(f"{name} (grade {grade})", i) for i, (name, grade) in
                                            enumerate(GRADES.items())], tooltips=["which page to move"] * len(GRADES),
                                   style={"button_width": "104px"}, layout={"width": "auto"})
    stands = ipywidgets.Label(_written(start.places), layout={"display": "none"})  # the places, which the picture shows
    slider = ipywidgets.IntSlider(start.k, min=1, max=TEN, description="k", tooltip="k",
                                  layout={"width": "250px"}, style={"description_width": "40px"})

    def go(places):
        stands.value = _written(places)

    ways = [ipywidgets.Button(description=way, layout={"width": "70px"}) for way in ("Up", "Down", "Out")]
    for button in ways:
        button.on_click(lambda pressed: go(move(_read(stands.value), who.value, pressed.description)))
    presets = [ipywidgets.Button(description=name, layout={"width": "auto"}) for name in PRESETS]
    for button in presets:
        button.on_click(lambda pressed: go(PRESETS[pressed.description]))
    rows = [ipywidgets.HBox([who, *ways]), ipywidgets.HBox(presets)]
    for row in rows:
        row.add_class("fp-row")

    def run(values):
        state = State(_read(values["places"]), values["k"])
        return guard(TASKS, lambda: frame(state), lambda drawn: picture(drawn, None, None))

    return Stage("measuring", run, picture, describe, {"k": slider, "places": stands}, caption=caption, style=STYLE,
                 above=rows, also=[who])


def _written(places: tuple) -> str:
    return " ".join(map(str, places))


def _read(places: str) -> tuple:
    return tuple(map(int, places.split()))
