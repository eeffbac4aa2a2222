"""Lesson 06: two ranked lists, the list that reciprocal rank fusion makes of them, and the dial k."""

import reprlib
from dataclasses import dataclass

import ipywidgets

from firstprinciples.explore import draw
from firstprinciples.explore.guard import guard
from firstprinciples.explore.stage import Stage
from firstprinciples.rank import fusion
from firstprinciples.swap import untouched

TASKS = ("fusion.reciprocal_rank", "fusion.votes", "fusion.reciprocal_rank_fusion")
WORDS, MEANING = "by words", "by meaning"
FILLED = tuple(f"y{place}" for place in range(6, 40))  # places 6 to 39 of a long list
CASES = {
    "Two lists": ((WORDS, ("A", "B", "C", "D")), (MEANING, ("C", "A", "E", "F"))),
    "Third in both": ((WORDS, ("X", "a", "Y")), (MEANING, ("b", "c", "Y"))),
    "Second and fifth": ((WORDS, ("B", "A", "x3", "x4", "x5")),
                         (MEANING, ("y1", "y2", "y3", "y4", "A", *FILLED, "B"))),
    "Both are wrong": ((WORDS, ("price list 2023", "order form", "price list 2024", "memo")),
                       (MEANING, ("catalog", "price list 2023", "order form", "price list 2024"))),
}
SAID = {  # what a case shows, where no dial has moved
    "Two lists": "Each line is one vote, worth 1 / (k + rank). A and C have two votes, the others one.",
    "Third in both": "X and b are first in one list each. Y is third in both, and two votes beat one.",
    "Second and fifth": "A is second and fifth, B first and fortieth. Move k to 1: the first place then counts more.",
    "Both are wrong": "The price of 2023 is out of date, and two searches agree on it. Agreement is no proof.",
}
SHOWN = 6  # rows of a list, and of the fused one
COLORS = (draw.BLUE, draw.ORANGE, draw.GREEN)
DASHES = ("", "6 4", "2 3")  # the second sign of a list


@dataclass(frozen=True)
class State:
    """Two named lists of ids, best first, k from 1 to 100, and the ids that are marked as the answer."""

    lists: tuple = CASES["Two lists"]
    k: int = 60
    marked: tuple = ()

    def __post_init__(self):
        object.__setattr__(self, "k", min(max(int(self.k), 1), 100))


def frame(state: State) -> dict:
    """Return the lists, and the fused one: each id with its score and ranks, and the votes of those that are shown."""
    lists, marked = [list(ids) for _, ids in state.lists], set(state.marked)
    ranks = [{id: rank for rank, id in reversed(list(enumerate(ids, 1)))} for ids in lists]
    fused = [{"id": str(id), "score": float(score), "ranks": [each.get(id, 0) for each in ranks], "votes": []}
             for id, score in fusion.reciprocal_rank_fusion(lists, state.k)]
    shown = rows_of([row["id"] for row in fused], marked)
    for place in shown:
        row = fused[place - 1]
        row["votes"] = [float(vote) for vote in fusion.votes(lists, row["id"], state.k)]
    with untouched():
        most = len(lists) * fusion.reciprocal_rank(1, state.k)
    first, second = (float(fusion.reciprocal_rank(rank, state.k)) for rank in (1, 2))
    return {"k": state.k, "names": [name for name, _ in state.lists], "lists": lists, "fused": fused, "most": most,
            "first": first, "second": second, "shown": shown, "marked": sorted(marked)}


def rows_of(ids: list[str], wanted: set) -> list[int]:
    """Return the places that are shown: the first six, or five and the best of those below that is wanted.

    >>> rows_of(list("abcdefgh"), {"h"}), rows_of(list("abcdefgh"), set())
    ([1, 2, 3, 4, 5, 8], [1, 2, 3, 4, 5, 6])
    """
    if len(ids) <= SHOWN or any(id in wanted for id in ids[: SHOWN - 1]):
        return list(range(1, min(len(ids), SHOWN) + 1))
    below = next((place for place, id in enumerate(ids, 1) if id in wanted), SHOWN)
    return [*range(1, SHOWN), below]


# ---- words

def four(value: float) -> str:
    """Return a score to four decimals.

    >>> four(1 / 61), four(-0.5)
    ('0.0164', '−0.5000')
    """
    return f"{value + 0.0:.4f}".replace("-", "\u2212")


def sign(parts: list[float], total: float) -> str:
    """Return the sign between votes and the score that is shown for them, as `draw.equals` does for two decimals.

    >>> sign([1 / 61, 1 / 62], 1 / 61 + 1 / 62), sign([1 / 65, 1 / 62], 1 / 65 + 1 / 62), sign([0.5], 1.0)
    ('=', '=', '≠')
    """
    if abs(sum(parts) - total) > 1e-9:
        return "≠"
    return "=" if abs(sum(round(part, 4) for part in parts) - round(total, 4)) < 1e-9 else "≈"


def _ranks(row, names) -> str:
    """Return where a page stands: "by words rank 1, by meaning rank 2"."""
    held = [f"{name} rank {rank}" for rank, name in zip(row["ranks"], names, strict=True) if rank]
    return ", ".join(held) or "in no list"


def describe(frame: dict) -> str:
    """Say what is shown of the fused list, with scores, and where each page stands."""
    said = "; ".join(f"{_place(frame, place)}{_star(frame, row['id'])}{row['id']} {four(row['score'])} "
                     f"({_ranks(row, frame['names'])})"
                     for place in frame["shown"] if (row := frame["fused"][place - 1]))
    more = len(frame["fused"]) - len(frame["shown"])
    return (f"{len(frame['lists'])} lists fused with k = {frame['k']}: {said or 'nothing'}"
            + (f"; and {more} more." if more > 0 else "."))


def _place(frame, place: int) -> str:
    """Return the place of a page, where places above it are left out."""
    return f"place {place}: " if place > SHOWN else ""


def _star(frame, id: str) -> str:
    return "the answer " if id in frame["marked"] else ""


def caption(frame: dict, before: dict | None, said: str = "") -> str:
    """Say the sum of the first page, or what moving k did."""
    if not frame["fused"]:
        return "The lists are empty: there is nothing to fuse."
    ratio = f"The first place is worth {_times(frame)} times the second"
    if before is None:
        top = frame["fused"][0]
        parts = [vote for vote in top["votes"] if vote]
        total = f" {sign(parts, top['score'])} {four(top['score'])}" if len(parts) > 1 else ""
        marked = next((place for place in frame["shown"] if frame["fused"][place - 1]["id"] in frame["marked"]), None)
        if marked:
            row = frame["fused"][marked - 1]
            said = f"The answer ({_ranks(row, frame['names'])}) has {four(row['score'])} and stands at place {marked}."
        return f"{top['id']} has {' + '.join(map(four, parts)) or four(top['score'])}{total}. {said}".strip()
    was = {row["id"]: place for place, row in enumerate(before["fused"], 1)}
    risen = [row["id"] for place, row in enumerate(frame["fused"], 1) if was.get(row["id"], 0) > place]
    moved = (f"{_list(risen[:4])} {'rise' if len(risen) > 1 else 'rises'}" if 0 < len(risen) < 5 else
             f"{len(risen)} pages rise" if risen else "No page changes its place")
    for place, row in enumerate(frame["fused"], 1):
        if row["id"] in frame["marked"]:
            now = was.get(row["id"])
            moved = f"The answer stays at place {place}" if now == place else \
                f"The answer goes from place {now} to {place}"
            break
    return f"k goes from {before['k']} to {frame['k']}. {ratio} (before: {_times(before)}). {moved}."


def _times(frame) -> str:
    """Return how many times as much the first place is worth as the second."""
    return f"{frame['first'] / frame['second']:.2f}" if frame["second"] else "?"


def _list(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


# ---- the picture

STYLE = f"""<style>
.fp-fused {{ position: relative; min-width: 700px; height: 404px; margin-top: 8px; }}
.fp-fused > div {{ position: absolute; }}
.fp-fused-card {{ display: flex; align-items: center; gap: 8px; height: 34px; border: 1.5px solid {draw.LINE};
  border-radius: 6px; background: {draw.PAPER}; padding: 0 8px; width: 24%; }}
.fp-fused-row {{ left: 32.5%; width: 35%; height: 50px; border-radius: 6px; padding: 2px 4px; }}
.fp-fused-row b, .fp-fused-row .fp-note {{ white-space: nowrap; }}
.fp-fused-head {{ height: 24px; font-weight: 700; }}
</style>"""
ROW, TOP = 56, 32  # pixels from one row to the next, and above the first


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw the first list on the left, the second on the right, the fused one between them, and lines from each."""
    notes = ["a bar's full length: first in every list"]
    if frame["marked"]:
        notes.append("★: the answer")
    if any(sign(frame["fused"][place - 1]["votes"], frame["fused"][place - 1]["score"]) == "≈"
           for place in frame["shown"]):
        notes.append("≈: rounded")
    if before:
        notes.append(f"pale: with k = {before['k']}")
    if expected:
        notes.append("outlined: the course's own function")
    rows = {frame["fused"][place - 1]["id"]: y for y, place in enumerate(frame["shown"])}
    lines, pieces, cards = [], [], set()
    for number, (name, ids) in enumerate(zip(frame["names"], frame["lists"], strict=True)):
        side, ends = ("left:0", ("24%", "32.5%")) if number == 0 else ("right:0", ("76%", "67.5%"))
        pieces.append(f'<div class="fp-fused-head fp-line" style="{side};width:24%;top:0">'
                      f'{_swatch(number)}{draw.escape(name)}</div>')
        wanted = set(frame["marked"]) or set(list(rows)[:2]) - set(ids[: SHOWN - 1])  # the first two, wherever they are
        shown = rows_of(ids, wanted)
        for y, rank in enumerate(shown):
            id = ids[rank - 1]
            voted = id in rows and ids.index(id) == rank - 1
            cards.add((number, id))
            pieces.append(_card(frame, id, rank, side, TOP + ROW * y, COLORS[number] if voted else draw.LINE,
                                skipped=y and rank > shown[y - 1] + 1))
            if voted:
                lines.append(draw.line(ends[0], TOP + ROW * y + 17, ends[1], TOP + ROW * rows[id] + 20,
                                       COLORS[number], 2, DASHES[number]))
        pieces.append(_rest(side, f"{len(ids)} in this list" if len(ids) > len(shown) else ""))
    pieces += [_row(frame, y, before, expected) for y in range(len(frame["shown"]))]
    more = len(frame["fused"]) - len(frame["shown"])
    pieces.append(_rest("left:32.5%;padding-left:8px", f"and {more} more" if more > 0 else ""))
    if any(id in ids and (number, id) not in cards for number, ids in enumerate(frame["lists"]) for id in rows):
        notes.append("a vote without a line: from further down a list")
    head = f'<div class="fp-fused-head" style="left:32.5%;top:0;padding-left:4px">fused, k = {frame["k"]}</div>'
    return (f'<div class="fp-title fp-line">What do two lists agree on?</div>'
            f'<div class="fp-line fp-note"><code>k = {frame["k"]}</code><span style="margin-left:20px">'
            f'{draw.escape("; ".join(notes))}</span></div><div class="fp-scroll"><div class="fp-fused">'
            f'<div style="inset:0">{draw.svg("100%", *lines)}</div>{head}{"".join(pieces)}</div></div>')


def _swatch(number: int) -> str:
    """Return a short line in the look of a list's lines."""
    return (f'<svg width="24" height="10" style="display:inline-block;margin-right:7px">'
            f'{draw.line(0, 5, 24, 5, COLORS[number], 3, DASHES[number])}</svg>')


def _rest(side: str, words: str) -> str:
    """Return the words below a column: how much is not shown."""
    return f'<div class="fp-note" style="{side};width:24%;top:{TOP + ROW * SHOWN - 6}px">{words}</div>' if words else ""


def _name(frame, id: str) -> str:
    """Return a page's name, with a star where it is the answer."""
    star = "★ " if id in frame["marked"] else ""
    return f'<span class="fp-line" style="flex:1" title="{draw.escape(id)}">{star}{draw.escape(id)}</span>'


def _card(frame, id, rank, side, y, color, skipped) -> str:
    """Return one page of a list, with its rank; a dotted edge above it where ranks were left out."""
    edge = f"border-top:2.5px dotted {draw.GREY};" if skipped else ""
    return (f'<div class="fp-fused-card" style="{side};top:{y}px;border-color:{color};{edge}">'
            f'<span class="fp-note" style="min-width:18px;text-align:right">{rank}</span>{_name(frame, id)}</div>')


def _row(frame, y, before, expected) -> str:
    """Return one page of the fused list: its score as a bar of its votes; below it, pale, where it was before."""
    place = frame["shown"][y]
    row = frame["fused"][place - 1]
    was, should = _find(before, row["id"]), _find(expected, row["id"])
    equals = sign(row["votes"], row["score"])
    total = f"{equals} " if equals == "≠" or equals == "≈" and sum(vote > 0 for vote in row["votes"]) > 1 else ""
    shapes = _bars(row["votes"], frame, 0, 18, 1.0)
    pale = ""
    if was:
        shapes += _bars(before["fused"][was - 1]["votes"], before, 19, 5, 0.45)
        pale = f'<span class="fp-note">was {was}</span>'
    if expected and not should:
        pale = '<span class="fp-note">not expected</span>'
    elif expected:
        right = expected["fused"][should - 1]["score"]
        shapes.append(draw.box("0", 19, f"{_share(right, expected):.2f}%", 6, stroke=draw.INK, dash="4 3"))
        if four(right) != four(row["score"]) or should != place:
            pale = f'<span class="fp-note">expected {should}: {four(right)}</span>'
    edge = f"box-shadow:0 0 0 2px {draw.NOW};" if was and was != place else ""
    skipped = y and place > frame["shown"][y - 1] + 1
    edge += f"border-top:2.5px dotted {draw.GREY};padding-top:0;border-radius:0;" if skipped else ""
    return (f'<div class="fp-fused-row" style="top:{TOP + ROW * y - 5}px;{edge}">'
            f'<div style="display:flex;gap:8px;height:22px;align-items:center;padding:0 4px">'
            f'<b style="min-width:12px">{place}</b>{_name(frame, row["id"])}{pale}'
            f'<b>{total}{four(row["score"])}</b></div>{draw.svg(24, *shapes)}</div>')


def _bars(votes, frame, y, height, strength) -> list[str]:
    """Return the votes of a page as bars that add up; a number in each where there is room."""
    shapes, at = [], 0.0
    for number, vote in enumerate(votes):
        start, end = _share(at, frame), _share(at + vote, frame)
        wide = strength == 1 and end - start > 100 * 50 / 235  # where the picture is as narrow as it gets
        color = COLORS[number] if strength == 1 else draw.tint(COLORS[number], strength)
        shapes.append(draw.bar(start, end, y, height, color, four(vote) if wide else ""))
        at += vote
    return shapes


def _share(value: float, frame) -> float:
    """Return a score in percent of the most a page can have."""
    return min(max(100 * value / frame["most"], 0.0), 100.0)


def _find(frame, id) -> int | None:
    """Return the place of a page in a fused list, from 1; None where it does not stand there, or there is no list."""
    return next((place for place, row in enumerate(frame["fused"], 1) if row["id"] == id), None) if frame else None


# ---- the explorer

def named_lists(lists) -> dict[str, list[str]]:
    """Return {name: ids, best first} with names that are texts. Raises ValueError where that is not what was given."""
    if not isinstance(lists, dict):
        raise ValueError('Give the lists by name, best first: {"by words": ["A", "B"], "by meaning": ["B"]}.')
    for name, ids in lists.items():
        if isinstance(ids, (str, set)) or not hasattr(ids, "__iter__"):
            raise ValueError(f"{name!r} is no list of ids, best first: {reprlib.repr(ids)}.")
    return {str(name): list(ids) for name, ids in lists.items()}


def fused(lists: dict | None = None, k: int = 60, marked: tuple = ()) -> Stage:
    """Show two ranked lists and what reciprocal rank fusion makes of them, with a dial for k from 1 to 100.

    `lists` is {name: ids, best first} with two names; without it there are four small cases to choose from. The ids in
    `marked` get a star, and are shown wherever they stand. Raises ValueError when there are not two lists.
    """
    given = None if lists is None else tuple((name, tuple(ids)) for name, ids in named_lists(lists).items())
    if given is not None and len(given) != 2:
        raise ValueError(f"fused() shows two lists; these are {len(given)}.")
    marked = (marked,) if isinstance(marked, str) else tuple(marked)
    slider = ipywidgets.IntSlider(State(k=k).k, min=1, max=100, description="k", tooltip="k",
                                  layout={"width": "330px"}, style={"description_width": "24px"})
    case = ipywidgets.Label(next(iter(CASES)), layout={"display": "none"})  # which case, said by the pressed button
    buttons = [ipywidgets.Button(description=name, layout={"width": "auto"}) for name in CASES]
    for button in buttons:
        button.on_click(lambda pressed: setattr(case, "value", pressed.description))
    row = ipywidgets.HBox(buttons)
    row.add_class("fp-row")

    def run(values):
        state = State(given or CASES[values["case"]], values["k"], marked)
        return guard(TASKS, lambda: frame(state), lambda drawn: picture(drawn, None, None))

    def said(frame, before):
        shown = tuple(zip(frame["names"], map(tuple, frame["lists"]), strict=True))
        return caption(frame, before, next((SAID[name] for name, lists in CASES.items() if lists == shown), ""))

    return Stage("fused", run, picture, describe, {"k": slider}, {"case": case}, said, style=STYLE,
                 above=[] if given else [row])
