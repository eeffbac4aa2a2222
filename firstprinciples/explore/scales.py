"""Lesson 06: why the scores of two searches can't be added, what min-max does about it, and what one outlier does."""

from dataclasses import dataclass

import ipywidgets

from firstprinciples.explore import draw
from firstprinciples.explore.fusion import COLORS, four
from firstprinciples.explore.guard import guard
from firstprinciples.explore.stage import Stage, dial
from firstprinciples.rank import fusion

TASKS = ("fusion.reciprocal_rank", "fusion.reciprocal_rank_fusion", "fusion.min_max", "fusion.weighted_fusion")
NAMES = ("BM25", "cosine")
WORDS = (("A", 12.4), ("B", 9.8), ("C", 4.1), ("D", 2.1))
MEANING = (("C", 0.81), ("A", 0.79), ("E", 0.72), ("F", 0.70))
WAYS = {"sum": "added as they are", "minmax": "min-max, then added", "rrf": "places only: RRF, k = 60"}
HIGHEST = 60.0


@dataclass(frozen=True)
class State:
    """The score of the best page by words, and how much of the weight its list has."""

    top: float = 12.4
    weight: float = 0.5

    def __post_init__(self):
        object.__setattr__(self, "top", min(max(round(self.top, 6), 10.0), HIGHEST))
        object.__setattr__(self, "weight", min(max(round(self.weight, 6), 0.0), 1.0))


def frame(state: State) -> dict:
    """Return both lists with their scores, the scores brought to 0..1, and the three fused lists."""
    lists = [[("A", state.top), *WORDS[1:]], list(MEANING)]
    weights = [state.weight, 1 - state.weight]
    added = {}
    for pairs in lists:
        for id, score in pairs:
            added[id] = added.get(id, 0.0) + score
    fused = {"sum": sorted(added.items(), key=lambda pair: (-pair[1], pair[0])),
             "minmax": fusion.weighted_fusion(lists, weights),
             "rrf": fusion.reciprocal_rank_fusion([[id for id, _ in pairs] for pairs in lists])}
    shares = [[float(share) for share in fusion.min_max([score for _, score in pairs])] for pairs in lists]
    if [len(each) for each in shares] != [len(pairs) for pairs in lists]:
        raise ValueError("min_max has to give one number for each score")
    return {"top": state.top, "weight": state.weight, "lists": [[list(pair) for pair in pairs] for pairs in lists],
            "shares": shares,
            "fused": {way: [[str(id), float(score)] for id, score in pairs] for way, pairs in fused.items()}}


# ---- words

def _score(way: str, value: float) -> str:
    """Return a fused score: four decimals for places, two for scores."""
    return four(value) if way == "rrf" else draw.number(value)


def describe(frame: dict) -> str:
    """Say the three fused lists."""
    said = "; ".join(f"{words}: " + ", ".join(f"{id} {_score(way, value)}" for id, value in frame["fused"][way])
                     for way, words in WAYS.items())
    return (f"BM25 gives A {draw.number(frame['top'])} and three others less, the cosine C 0.81 and three others less; "
            f"BM25 has weight {frame['weight']:g}. {said}.")


def caption(frame: dict, before: dict | None) -> str:
    """Say what each way made of the two lists, or what moved."""
    if before is None:
        order = [id for id, _ in frame["fused"]["sum"]]
        by_words = [id for id, _ in frame["lists"][0]]
        decides = (" in the order of BM25 alone: the whole cosine list spans 0.11" if order[:len(by_words)] == by_words
                   else "")
        return (f"Added as they are, the pages stand{decides}. Brought to 0..1, both lists have a say. "
                f"RRF has forgotten the scores and keeps the places.")
    name = "top" if frame["top"] != before["top"] else "weight"
    said = (f"The best BM25 score goes from {draw.number(before['top'])} to {draw.number(frame['top'])}: on 0..1, B "
            f"goes from {draw.number(before['shares'][0][1])} to {draw.number(frame['shares'][0][1])}"
            if name == "top" else
            f"The weight of BM25 goes from {before['weight']:g} to {frame['weight']:g}")
    changed = [words.partition(":")[0].partition(",")[0] for way, words in WAYS.items()
               if [id for id, _ in frame["fused"][way]] != [id for id, _ in before["fused"][way]]]
    return f"{said}. The order changes under: {', '.join(changed) or 'none of the three'}."


# ---- the picture

STYLE = """<style>
.fp-scales { min-width: 700px; }
.fp-scales-lists { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); column-gap: 26px;
  margin-top: 6px; }
.fp-scales-row { display: flex; gap: 8px; height: 26px; align-items: center; padding: 0 6px; border-radius: 4px; }
</style>"""
LEFT, WIDE = 17.0, 79.0  # where an axis begins, and how wide it is, in percent of the picture
ONE, OWN = 44, (112, 170)  # how far down the axis of both lists stands, and the axes of each


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw both lists on one axis, each on an axis of its own from 0 to 1, and the three fused lists."""
    notes = []
    if before:
        notes.append("rings, and “was”: before the last move")
    if expected:
        notes.append("“expected”: the course's own function")
    columns = "".join(_column(way, frame, before, expected) for way in WAYS)
    note = "; ".join(notes) or "the same four pages of each list, three ways to put them together"
    return (f'<div class="fp-title fp-line">Can 12.4 and 0.81 be added?</div>'
            f'<div class="fp-line fp-note"><code>best BM25 score = {frame["top"]:g}  weight of BM25 = '
            f'{frame["weight"]:g}</code><span style="margin-left:20px">{draw.escape(note)}</span></div>'
            f'<div class="fp-scroll"><div class="fp-scales">{_axes(frame, before)}'
            f'<div class="fp-scales-lists">{columns}</div></div></div>')


def _x(share: float) -> str:
    """Return where on the axis a number from 0 to 1 stands."""
    return f"{LEFT + WIDE * min(max(share, -0.02), 1.03):.3f}%"


def _dot(x: str, y: float, number: int, ring: bool = False) -> str:
    """Return a mark of a list: a disk for BM25, a square for the cosine; an empty one for where it was."""
    fill, edge = ("none", draw.tint(COLORS[number], 0.8)) if ring else (COLORS[number], draw.PAPER)
    if number == 0:
        return f'<circle cx="{x}" cy="{y}" r="7" style="fill:{fill};stroke:{edge};stroke-width:1.5"/>'
    return (f'<svg x="{x}" y="{y - 6.5}" width="1" height="1" style="overflow:visible">'
            f'<rect x="-6.5" y="0" width="13" height="13" rx="2" style="fill:{fill};stroke:{edge};stroke-width:1.5"/>'
            f'</svg>')


def _axes(frame, before) -> str:
    """Return three axes: both lists together from 0 to 60, and each by itself from 0 to 1."""
    shapes = [draw.text(0, ONE + 5, "one axis", 14, bold=True), draw.line(_x(0), ONE, _x(1), ONE),
              draw.text(_x(0), ONE + 5, "0", 12, draw.GREY, anchor="end", shift=-14)]
    for y, name in zip(OWN, NAMES, strict=True):
        shapes += [draw.text(0, y + 5, f"{name}, 0 to 1", 14, bold=True), draw.line(_x(0), y, _x(1), y)]
    for value in (20, 40, 60):
        shapes += [draw.text(_x(value / HIGHEST), ONE + 24, value, 12, draw.GREY, anchor="middle"),
                   draw.line(_x(value / HIGHEST), ONE - 4, _x(value / HIGHEST), ONE + 4)]
    if before:
        shapes += [_dot(_x(before["top"] / HIGHEST), ONE, 0, ring=True),
                   *(_dot(_x(share), OWN[0], 0, ring=True) for share in before["shares"][0])]
    for number in (1, 0):
        shapes += [_dot(_x(score / HIGHEST), ONE, number) for _, score in frame["lists"][number]]
    places = draw.spread([score / HIGHEST for _, score in frame["lists"][0]], gap=0.075)
    for (id, score), place in zip(frame["lists"][0], places, strict=True):
        shapes += [draw.line(_x(score / HIGHEST), ONE - 8, _x(place), ONE - 17, draw.OTHER, 1),
                   draw.text(_x(place), ONE - 21, f"{id} {score:g}", 13, anchor="middle")]
    shapes.append(draw.text(_x(0.81 / HIGHEST), ONE + 24, "C A E F: 0.81 to 0.70", 13, shift=-10))
    for number, y in enumerate(OWN):
        pairs, shares = frame["lists"][number], frame["shares"][number]
        placed = []  # names go above and below in turn where pages stand close together
        for (id, _), share in sorted(zip(pairs, shares, strict=True), key=lambda each: each[1]):
            low = bool(placed) and share - placed[-1][0] < 0.09 and not placed[-1][1]
            placed.append((share, low))
            shapes += [_dot(_x(share), y, number), draw.text(_x(share), y + (21 if low else -12),
                                                             f"{id} {draw.number(share)}", 13, anchor="middle")]
    return f'<div style="margin:12px 0 4px">{draw.svg(OWN[1] + 26, *shapes)}</div>'


def _column(way: str, frame, before, expected) -> str:
    """Return one fused list: place, page, score, and where it stood before."""
    was = {id: place for place, (id, _) in enumerate(before["fused"][way], 1)} if before else {}
    should = {id: (place, value) for place, (id, value) in enumerate(expected["fused"][way], 1)} if expected else {}
    rows = []
    for place, (id, value) in enumerate(frame["fused"][way], 1):
        moved = was and was.get(id) != place
        said = f"was {was[id]}" if id in was else ""
        if id in should and (should[id][0] != place or _score(way, should[id][1]) != _score(way, value)):
            said = f"expected {should[id][0]}: {_score(way, should[id][1])}"
        edge = f"box-shadow:0 0 0 2px {draw.NOW};" if moved else ""
        rows.append(f'<div class="fp-scales-row" style="{edge}"><span class="fp-note">{place}</span><b>{id}</b>'
                    f'<span class="fp-note" style="flex:1;text-align:right">{said}</span>'
                    f'<b>{_score(way, value)}</b></div>')
    return (f'<div style="height:{26 * 6 + 30}px"><div style="height:26px;border-bottom:1.5px solid {draw.LINE};'
            f'margin-bottom:4px" class="fp-line"><b>{WAYS[way]}</b></div>{"".join(rows)}</div>')


# ---- the explorer

def scales(top: float = 12.4, weight: float = 0.5) -> Stage:
    """Show two lists with scores of different scales and three ways to fuse them; slide the best score and the weight.

    `top` is the best BM25 score, from 10 to 60; `weight` is the share of BM25 in min-max fusion, from 0 to 1.
    """
    start = State(top, weight)
    dials = {"top": dial("best BM25 score", start.top, 10, HIGHEST, 0.2),
             "weight": dial("weight of BM25", start.weight, 0, 1, 0.05)}
    for slider, width in zip(dials.values(), ("390px", "280px"), strict=True):  # their names are longer than others'
        slider.style.description_width, slider.layout.width = "124px", width
    back = ipywidgets.Button(description="12.4 again", tooltip="The best score as it was", layout={"width": "90px"})
    back.on_click(lambda _: setattr(dials["top"], "value", 12.4))

    def run(values):
        state = State(**values)
        return guard(TASKS, lambda: frame(state), lambda drawn: picture(drawn, None, None))

    return Stage("scales", run, picture, describe, dials, caption=caption, style=STYLE, buttons=(back,))
