"""Lesson 08: a hundred candidates in their first order and in their second, with a line from place to place.

On the left stands what a quick search found, on the right what the cross-encoder made of the first of it. A dial says
how many it reads. Below stand the relevant chunks among the five that are kept, before and after, and the ceiling: what
the candidates hold at all. The first search can be changed, and the question, which is always a real one of Larkspur.
"""

from dataclasses import dataclass
from functools import cache

import ipywidgets

from firstprinciples.corpus import Collection
from firstprinciples.encode.stored import minilm
from firstprinciples.explore import draw
from firstprinciples.explore.guard import Trouble, guard
from firstprinciples.explore.quantize import choice
from firstprinciples.explore.stage import Stage, another_question
from firstprinciples.rank import rerank
from firstprinciples.rank.cross_encoder import cross
from firstprinciples.rank.fusion import Hybrid
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.dense import Dense
from firstprinciples.swap import untouched
from firstprinciples.text import tokenize

TASKS = ("rerank.rerank", "rerank.ceiling", "rerank.tokens_read")
MOST, KEPT = 100, 5  # candidates at most, and chunks that are kept
DEPTHS = (5, 10, 15, 20, 30, 40, 50, 60, 70, 80, 90, 100)
SEARCHES = ("BM25", "hybrid")
QUESTIONS = (  # all of the half dev: one gains, one has a ceiling that moves, one loses, one has nothing to gain
    "I got a speeding ticket on a work trip, does the company cover it?",
    "How many paid sick days do I have in a calendar year?",
    "when do the cranes fly over Dunlin Bay?",
    "how do I throw out old glue?")


@dataclass(frozen=True)
class State:
    """Which question, which search finds the candidates, and how many of them are read again."""

    question: int = 0
    search: str = "BM25"
    depth: int = 100

    def __post_init__(self):
        object.__setattr__(self, "question", int(self.question) % len(QUESTIONS))
        object.__setattr__(self, "search", self.search if self.search in SEARCHES else SEARCHES[0])
        object.__setattr__(self, "depth", min(DEPTHS, key=lambda each: abs(each - self.depth)))


@cache
def larkspur() -> Collection:
    """Return the collection, loaded once."""
    return Collection.load("larkspur")


@cache
def searches() -> dict:
    """Return the two first stages by name."""
    with untouched():
        words = BM25(larkspur().chunks)
        return {"BM25": words, "hybrid": Hybrid([words, Dense(larkspur().chunks, minilm())])}


@cache
def candidates(question: str, search: str) -> dict:
    """Return a question's hundred candidates with both scores, their lengths, and the chunks that hold its answer."""
    query = next(query for query in larkspur().queries if query.text == question)
    assert query.split == "dev"  # a question of the other half is shown nowhere
    texts = {chunk.id: chunk.text for chunk in larkspur().chunks}
    with untouched():
        first = [(hit.id, float(hit.score)) for hit in searches()[search].search(question, MOST)]
        scores = cross().score(question, [texts[id] for id, _ in first]).tolist()
    lengths, asked = [len(tokenize(texts[id])) for id, _ in first], len(tokenize(question))
    relevant = sorted({id for _, ids in larkspur().evidence[query.id] for id in ids})
    return {"first": first, "scores": dict(zip((id for id, _ in first), scores, strict=True)),
            "lengths": lengths, "asked": asked, "relevant": relevant}


def frame(state: State) -> dict:
    """Return both orders, where the relevant chunks stand in each, and what five of them can hold at most."""
    question, depth = QUESTIONS[state.question], state.depth
    given = candidates(question, state.search)
    ids, relevant = [id for id, _ in given["first"]], given["relevant"]
    second = _pairs(rerank.rerank(list(given["first"]), dict(given["scores"]), depth), ids)
    order = [id for id, _ in second]
    return {"question": question, "search": state.search, "depth": depth, "n": len(ids), "first": ids,
            "second": order, "logits": [score for _, score in second], "relevant": relevant,
            "places": [[ids.index(id) + 1 if id in ids else 0, order.index(id) + 1 if id in order else 0]
                       for id in relevant],
            "before": sum(id in relevant for id in ids[:KEPT]), "after": sum(id in relevant for id in order[:KEPT]),
            "ceiling": float(rerank.ceiling(list(ids), list(relevant), depth)),
            "tokens": int(rerank.tokens_read(given["lengths"][:depth], given["asked"], cross().limit))}


def _pairs(ranked, ids: list[str]) -> list[tuple[str, float]]:
    """Return what `rerank` gave as pairs of an id and a number. Raises Trouble where it is something else."""
    try:
        pairs = [(id, float(score)) for id, score in ranked]
    except (TypeError, ValueError):
        raise Trouble("Your rerank has to give a list of pairs (id, score).") from None
    strange = next((id for id, _ in pairs if id not in ids), None)
    if strange is not None or len({id for id, _ in pairs}) < len(pairs):
        raise Trouble(f"Your rerank has to give each candidate once; it gave {strange!r}, which is none."
                      if strange is not None else "Your rerank gave a candidate twice.")
    return pairs


# ---- words

def describe(frame: dict) -> str:
    """Say where the relevant chunks stand in both orders, and how many of them are kept."""
    places = "; ".join(f"{id} {_place(one)} first and {_place(two)} then" for id, (one, two) in
                       zip(frame["relevant"], frame["places"], strict=True))
    return (f"“{frame['question']}”: of {frame['n']} candidates of {frame['search']} the first {frame['depth']} are "
            f"read again, {frame['tokens']:,} tokens. Relevant: {places}. Among the {KEPT} kept: {frame['before']} of "
            f"{len(frame['relevant'])} before, {frame['after']} after; the ceiling is {_reached(frame)} of "
            f"{len(frame['relevant'])}.")


def _place(place: int) -> str:
    return f"at {place}" if place else "nowhere"


def _reached(frame) -> int:
    """Return how many relevant chunks the ceiling stands for."""
    return round(frame["ceiling"] * len(frame["relevant"]))


def caption(frame: dict, before: dict | None) -> str:
    """Say what the depth did, or what the picture shows."""
    total, reached = len(frame["relevant"]), _reached(frame)
    if before is not None and before["depth"] != frame["depth"]:
        kept = (f"the five kept hold {frame['after']} of {total} relevant" if before["after"] == frame["after"] else
                f"the five kept held {before['after']} of {total} relevant and now hold {frame['after']}")
        cap = (f"the ceiling stays at {reached} of {total}" if _reached(before) == reached else
               f"the ceiling goes from {_reached(before)} of {total} to {reached} of {total}")
        new = sum(id not in before["second"][:KEPT] for id in frame["second"][:KEPT])
        return (f"From {before['depth']} candidates to {frame['depth']}: {kept}, and {cap}. New among the five: {new}. "
                f"Read: {frame['tokens']:,} tokens instead of {before['tokens']:,}.")
    if not reached:
        return (f"No relevant chunk is among the first {frame['depth']}: whatever their new order, the five kept can't "
                f"hold one. {frame['tokens']:,} tokens were read for nothing.")
    moved = ", ".join(f"{one} → {two}" for one, two in sorted(frame["places"]) if two)
    return (f"{_search(frame)} found {frame['n']} candidates; the cross-encoder read the first {frame['depth']} of "
            f"them, {frame['tokens']:,} tokens. Places of the relevant ones (★): {moved}. At most {reached} of {total} "
            "can be kept: no order brings in what is not there.")


def _search(frame) -> str:
    """Return the name of the first search, to begin a sentence with."""
    return "BM25" if frame["search"] == "BM25" else "Hybrid search"


# ---- the picture

STYLE = f"""<style>
.fp-rerank {{ position: relative; min-width: 720px; height: 446px; margin-top: 6px; }}
.fp-rerank > div {{ position: absolute; }}
.fp-rerank-name {{ display: flex; gap: 6px; align-items: center; height: 24px; padding: 0 6px 0 9px; border-radius: 4px;
  width: 29%; font-size: 13px; }}
.fp-rerank-name .fp-id {{ display: flex; flex: 1 1 40px; min-width: 40px; }}
.fp-rerank-star {{ background: {draw.tint(draw.BLUE, 0.22)}; box-shadow: inset 4px 0 0 {draw.BLUE}; }}
</style>"""
TOP, ROW, GAP, STEP = 30, 27, 14, 2.8  # the five have a row each, the places below them a few pixels
LEFT, RIGHT = 34.0, 66.0  # the two axes, in percent of the picture
BARS = (25.0, 46.0)  # where the bars begin, and how long all relevant chunks are


def height_of(place: int) -> float:
    """Return where a place stands, in pixels from the top: five wide rows, then narrow ones."""
    return TOP + ROW * (place - 0.5) if place <= KEPT else TOP + ROW * KEPT + GAP + STEP * (place - KEPT)


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw the first order on the left, the second on the right, a line for each candidate, and the bars below."""
    notes = ["“new”: since the dial moved"] * bool(before)
    notes += ["“expected”: the course's own function"] * bool(expected)
    note = "; ".join(["★ relevant", *notes])
    relevant, shapes = set(frame["relevant"]), []
    second = {id: place for place, id in enumerate(frame["second"], 1)}
    end = height_of(min(frame["depth"], frame["n"])) + 4
    if frame["depth"] < frame["n"]:
        shapes += [draw.line(f"{LEFT - 2}%", end, f"{LEFT + 2}%", end, draw.INK, 1.5, "4 3"),
                   draw.text(f"{LEFT + 2.6}%", min(end + 16, height_of(MOST) + 12),
                             f"read to here: {frame['depth']}", 12)]
    for place, id in enumerate(frame["first"], 1):
        y, read = height_of(place), id in second
        star = id in relevant
        if read:
            to = second[id]
            color, thick, dash = ((draw.BLUE, 3, "") if star else (draw.ORANGE, 1.8, "6 3") if to <= KEPT else
                                  (draw.LINE, 0.9, ""))
            shapes.append((star, to <= KEPT, draw.line(f"{LEFT}%", round(y, 1), f"{RIGHT}%", round(height_of(to), 1),
                                                       color, thick, dash)))
        shapes.append((star, False, draw.line(f"{LEFT - 0.8}%", round(y, 1), f"{LEFT}%", round(y, 1),
                                              draw.GREY if read else draw.LINE, 1.2)))
    lines = [shape if isinstance(shape, str) else shape[2] for shape in
             sorted(shapes, key=lambda shape: (False, False) if isinstance(shape, str) else shape[:2])]
    lines += [draw.line(f"{RIGHT}%", round(height_of(place), 1), f"{RIGHT + 0.8}%", round(height_of(place), 1),
                        draw.GREY, 1.2) for place in range(1, len(second) + 1)]
    names = [f'<div style="left:0;top:0;width:{LEFT - 2}%" class="fp-line"><b>first order: {frame["search"]}</b></div>',
             f'<div style="left:{RIGHT + 2}%;right:0;top:0" class="fp-line"><b>second order: five are kept</b></div>']
    names += _names(frame, "left:0", frame["first"], 0, before, expected)
    names += _names(frame, f"left:{RIGHT + 2}%", frame["second"], 1, before, expected)
    shade = (f'<div style="left:{RIGHT + 1}%;right:0;top:{TOP - 2}px;height:{ROW * KEPT + 4}px;border-radius:6px;'
             f'border:1.5px solid {draw.ORANGE};background:{draw.tint(draw.ORANGE, 0.12)}"></div>')
    return (f'<div class="fp-title fp-line">Which five are kept?</div><div class="fp-line fp-note"><code>'
            f'{draw.escape(frame["question"])}</code><span style="margin-left:20px">{draw.escape(note)}</span></div>'
            f'<div class="fp-scroll"><div class="fp-rerank">{shade}<div style="inset:0">{draw.svg("100%", *lines)}'
            f'</div>{"".join(names)}</div>{_bars(frame, before, expected)}</div>')


def _names(frame, side, order, which, before, expected) -> list[str]:
    """Return the names of the first five, and of the relevant ones below them, moved apart where they would touch."""
    relevant, out = set(frame["relevant"]), []
    rows = [(place, id) for place, id in enumerate(order, 1) if place <= KEPT]
    low = [(place, id) for place, id in enumerate(order, 1) if place > KEPT and id in relevant]
    places = [height_of(place) for place, _ in rows]
    apart = draw.spread([max(height_of(place), height_of(KEPT) + 30) for place, _ in low], 25)
    last = height_of(MOST)
    over = max([0.0, *(y - last for y in apart)])
    places += [y - over for y in apart]
    now = {id: place for place, id in enumerate(frame["first"], 1)}
    for (place, id), y in zip(rows + low, places, strict=True):
        note = f"was {now[id]}" if which and now[id] != place else ""
        if which and before and before["depth"] != frame["depth"] and place <= KEPT and id not in \
                before["second"][:KEPT]:
            note = f"new, was {now[id]}"
        if which and expected and (len(expected["second"]) < place or expected["second"][place - 1] != id):
            right = expected["second"].index(id) + 1 if id in expected["second"] else 0
            note = f"expected {_place(right)}"
        page, _, number = id.rpartition("#")
        star = id in relevant
        out.append(f'<div class="fp-rerank-name{" fp-rerank-star" if star else ""}" style="{side};top:{y - 12:.1f}px">'
                   f'<span class="fp-note" style="min-width:16px;text-align:right">{place}</span><span class="fp-id">'
                   f'<span class="fp-line">{"★ " if star else ""}{draw.escape(page)}</span><span>#'
                   f'{draw.escape(number)}</span></span><span class="fp-note fp-line">{note}</span></div>')
    return out


def _bars(frame, before, expected) -> str:
    """Return how many of the relevant chunks the five hold, before and after, and the ceiling across both."""
    total = len(frame["relevant"])
    start, wide = BARS
    reached = start + wide * frame["ceiling"]
    shapes = [draw.text(0, 14, f"relevant among the five ({total} in all)", 13, draw.GREY)]
    if frame["ceiling"] < 1:
        shapes.append(draw.box(f"{reached:.2f}%", 22, f"{start + wide - reached:.2f}%", 54,
                               draw.tint(draw.OTHER, 0.25)))
        shapes.append(draw.text(f"{start + wide + 0.8}%", 72, "gray: out of reach", 12, draw.GREY))
    for row, (name, key, color) in enumerate((("first order", "before", draw.OTHER), ("second order", "after",
                                                                                      draw.BLUE))):
        y, value = 26 + 26 * row, frame[key]
        shapes += [draw.text(0, y + 15, name, 14, bold=bool(row)),
                   draw.box(f"{start}%", y, f"{wide * value / total:.2f}%", 20, fill=color)]
        words = f"{value} of {total}"
        if row and before and before["after"] != value:
            shapes.append(draw.box(f"{start}%", y + 21, f"{wide * before['after'] / total:.2f}%", 4,
                                   fill=draw.tint(draw.BLUE, 0.45)))
            words += f", was {before['after']}"
        if row and expected and expected["after"] != value:
            words += f", expected {expected['after']}"
        shapes.append(draw.text(f"{start + wide * value / total:.2f}%", y + 15, words, 13, bold=bool(row), shift=8))
    shapes += [draw.line(f"{start}%", 22, f"{start}%", 76),
               draw.line(f"{reached:.2f}%", 21, f"{reached:.2f}%", 80, draw.NOW, 2.5, "5 3"),
               draw.text(f"{reached:.2f}%", 94, f"ceiling: {_number(frame['ceiling'], total)}"
                         + (f", expected {_number(expected['ceiling'], total)}" if expected and
                            expected["ceiling"] != frame["ceiling"] else ""), 13, bold=True,
                         anchor="middle")]
    shapes.append(draw.text("100%", 40, f"read: {frame['tokens']:,} tokens", 13, anchor="end"))
    if before and before["tokens"] != frame["tokens"]:
        shapes.append(draw.text("100%", 58, f"was {before['tokens']:,}", 12, draw.GREY, anchor="end"))
    if expected and expected["tokens"] != frame["tokens"]:
        shapes.append(draw.text("100%", 58, f"expected {expected['tokens']:,}", 12, draw.GREY, anchor="end"))
    return f'<div style="min-width:720px;margin-top:8px">{draw.svg(100, *shapes)}</div>'


def _number(share: float, total: int) -> str:
    """Return a share of so many chunks as their number, where it is one."""
    number = share * total
    return f"{round(number)} of {total}" if abs(number - round(number)) < 1e-6 else f"{number:.2f} of {total}"


# ---- the explorer

def reranking(depth: int = 100, search: str = "BM25", question: int = 0) -> Stage:
    """Show a hundred candidates of a real question in their first order and their second, with a dial for the depth.

    `search` is "BM25" or "hybrid"; `question` says which of the questions comes first, from 0.
    """
    start = State(question, search, depth)
    which = ipywidgets.IntText(start.question)  # never shown: the button turns it
    first = ipywidgets.ToggleButtons(options=list(SEARCHES), value=start.search, style={"button_width": "110px"},
                                     tooltips=["which search finds the candidates"] * 2,
                                     layout={"width": "auto", "margin": "6px 2px 2px"})

    def turn():
        which.value = (which.value + 1) % len(QUESTIONS)

    dials = {"depth": choice("candidates read", start.depth, DEPTHS, 110)}

    def run(values):
        state = State(**values)
        return guard(TASKS, lambda: frame(state), lambda drawn: picture(drawn, None, None))

    return Stage("reranking", run, picture, describe, dials, {"question": which, "search": first}, caption=caption,
                 style=STYLE, above=[first], buttons=[another_question(turn)])
