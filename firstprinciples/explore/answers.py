"""Lesson 18: what is handed to the reader, and in which order? Ten found chunks, an order, and room for some of them.

On the left the search's list, on the right the prompt that is made of it. The dial is the budget of tokens; what does
not fit stays on the left, dashed. The bars on the right are from a paper: how often a model of 2023 was right when the
page with the answer stood at that place among ten. They are shown as theirs and measured nothing here. Three places
were tried, the 1st, the 5th and the 10th; what stands between them, or for fewer pages, is a straight line, and has ≈.
"""

from dataclasses import dataclass
from functools import cache

import ipywidgets

from firstprinciples.corpus import Collection
from firstprinciples.explore import draw
from firstprinciples.explore.guard import Trouble, guard
from firstprinciples.explore.stage import Stage, another_question, toggles
from firstprinciples.generate import context
from firstprinciples.retrieve.bm25 import BM25

TASKS = ("context.tokens", "context.fit", "context.best_last", "context.both_ends", "context.label", "context.prompt")
ASKED = ("paraphrase-023", "exact-029", "direct-009")  # of the half dev: the answer in the middle; two pages; the ends
ORDERS = {"best first": "best_first", "best last": "best_last", "both ends": "both_ends"}
FOUND = 10  # chunks that the search hands over
BUDGETS, STEP = (150, 1200), 50
CURVE = 10  # the published curve for so many pages in the prompt


@cache
def found(number: int) -> dict:
    """Return a question, the ten chunks that BM25 finds for it, best first, and which of them hold the answer."""
    larkspur, search, _ = _larkspur()
    query = next(each for each in larkspur.queries if each.id == ASKED[number])
    held = {id for _, ids in larkspur.evidence[query.id] for id in ids}
    hits = search.search(query.text, FOUND)
    return {"question": query.text, "hits": hits, "held": [hit.id in held for hit in hits]}


@cache
def _larkspur() -> tuple:
    """Return Larkspur, its search by words, and its chunks by id."""
    larkspur = Collection.load("larkspur")
    return larkspur, BM25(larkspur.chunks), {chunk.id: chunk for chunk in larkspur.chunks}


@dataclass(frozen=True)
class State:
    """Which question, the order of the pages, and how many tokens they may have together."""

    asked: int = 0
    order: str = "best first"
    budget: int = 1200

    def __post_init__(self):
        object.__setattr__(self, "asked", int(self.asked) % len(ASKED))
        object.__setattr__(self, "order", self.order if self.order in ORDERS else "best first")
        object.__setattr__(self, "budget", min(max(int(self.budget), BUDGETS[0]), BUDGETS[1]))


def frame(state: State) -> dict:
    """Return the found chunks, best first, each with its place in the prompt (0: left out), and the prompt's tokens."""
    one, chunks = found(state.asked), _larkspur()[2]
    laid = context.lay_out(one["hits"], chunks, state.budget, ORDERS[state.order], FOUND, question=one["question"])
    places = {source["id"]: place for place, source in enumerate(laid.sources, 1)}
    why = dict(laid.left_out)
    pages = []
    for rank, (hit, holds) in enumerate(zip(one["hits"], one["held"], strict=True), 1):
        chunk, place = chunks[hit.id], places.get(hit.id, 0)
        labelled = f"{context.label(FOUND, chunk.document, chunk.page)}\n{chunk.text}\n\n"
        pages.append({"rank": rank, "id": hit.id, "document": chunk.document, "page": chunk.page, "place": place,
                      "tokens": int(context.tokens(labelled)), "holds": holds, "why": why.get(hit.id, ""),
                      "text": " ".join(chunk.text.split()),
                      "theirs": context.along(context.LOST[CURVE], place, len(laid.sources)) if place else 0.0,
                      "tried": len(laid.sources) == CURVE and place in context.PUBLISHED[CURVE]})
    if sorted(places.values()) != sorted(page["place"] for page in pages if page["place"]):
        raise Trouble("In the prompt stand pages that were not found, or one of them twice.")
    return {"asked": state.asked, "question": one["question"], "order": state.order, "budget": state.budget,
            "pages": pages, "used": laid.tokens, "kept": len(laid.sources)}


# ---- words

def place_of(page: dict, kept: int) -> str:
    """Return where a page stands, in words.

    >>> place_of({"place": 2}, 5), place_of({"place": 0}, 5)
    ('place 2 of 5', 'left out')
    """
    return f"place {page['place']} of {kept}" if page["place"] else "left out"


def percent(page: dict) -> str:
    """Return the published number of a page's place, with ≈ where the place was not tried and a line was drawn.

    >>> percent({"theirs": 61.2, "tried": True}), percent({"theirs": 69.0, "tried": False})
    ('61', '≈ 69')
    """
    return f"{'' if page['tried'] else '≈ '}{page['theirs']:.0f}"


def where(document: str, page: int | str, before: str = "", after: str = "") -> str:
    """Return a file and its page as HTML on one line: where room is short the name is cut, and nothing else is."""
    return (f'<span style="display:flex;min-width:0"><span class="fp-line" style="min-width:0">{before}'
            f'{draw.escape(document)}</span><span style="flex:none;white-space:pre">, page {page}{after}</span></span>')


def fate(frame: dict) -> str:
    """Return where the pages that hold the answer stand."""
    holders = [page for page in frame["pages"] if page["holds"]]
    said = [f"found {_th(page['rank'])}, {place_of(page, frame['kept'])}" for page in holders]
    return (f"The page that holds the answer: {said[0]}." if len(said) == 1 else
            f"The pages that hold the answer: {'; '.join(said)}.")


def describe(frame: dict) -> str:
    """Say what went into the prompt, in which order, and where the answer stands."""
    order = sorted((page for page in frame["pages"] if page["place"]), key=lambda page: page["place"])
    ranks = ", ".join(str(page["rank"]) for page in order) or "none"
    return (f"“{frame['question']}” {frame['order']}, budget {frame['budget']:,} tokens: {frame['kept']} of "
            f"{len(frame['pages'])} pages, {frame['used']:,} tokens. By place in the search: {ranks}. {fate(frame)}")


def caption(frame: dict, before: dict | None) -> str:
    """Say what the dial changed: which pages fell out, or where the answer went."""
    holders = [page for page in frame["pages"] if page["holds"]]
    theirs = "; ".join(f"at {place_of(page, frame['kept'])} their model was right for {percent(page)} of 100"
                       for page in holders if page["place"])
    theirs = f" By the paper's curve, {theirs}." if theirs else " No order can bring back what is not in the prompt."
    if before is None or before["asked"] != frame["asked"]:
        return f"{fate(frame)}{theirs}"
    if before["budget"] != frame["budget"]:
        was = {page["rank"] for page in before["pages"] if page["place"]}
        now = {page["rank"] for page in frame["pages"] if page["place"]}
        moved = [f"{word}: {_ranks(ranks)}" for word, ranks in (("left out now", was - now), ("new in it", now - was))
                 if ranks]
        what = f" By place in the search, {'; '.join(moved)}." if moved else " The same pages go in."
        return f"From {before['budget']:,} to {frame['budget']:,} tokens.{what} {fate(frame)}{theirs}"
    return f"From {before['order']} to {frame['order']}: the same pages, another order. {fate(frame)}{theirs}"


def _th(n: int) -> str:
    return f"{n}{'th' if 4 <= n <= 20 else {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th')}"


def _ranks(ranks: set) -> str:
    """Return places in the search's list in words."""
    words = [f"the {_th(rank)}" for rank in sorted(ranks)]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


# ---- the picture

ROW = 42  # pixels of one page
STYLE = f"""<style>
.fp-desk-asked {{ min-height: 44px; max-height: 66px; overflow: hidden; font-weight: 700; }}
.fp-desk {{ display: grid; grid-template-columns: 312px minmax(0, 1fr); column-gap: 16px; margin-top: 8px;
  min-width: 800px; padding: 3px; height: {ROW * (FOUND + 2) + 32}px; align-items: start; }}
.fp-desk-row {{ display: grid; align-items: center; height: {ROW - 5}px; margin-bottom: 5px; padding: 0 10px;
  border: 1.5px solid {draw.LINE}; border-radius: 6px; column-gap: 10px; background: {draw.PAPER}; }}
.fp-desk-row div {{ line-height: 17px; font-size: 13px; }}
.fp-desk-found {{ grid-template-columns: 20px minmax(0, 1fr) 22px; }}
.fp-desk-in {{ grid-template-columns: minmax(0, 1fr) 110px; }}
.fp-desk-out {{ border-style: dashed; background: none; color: {draw.GREY}; }}
.fp-desk-holds {{ border-color: {draw.GREEN}; border-width: 2.5px; padding: 0 9px; }}
.fp-desk-edge {{ background: {draw.tint(draw.OTHER, 0.14)}; }}
.fp-desk-now {{ outline: 2.5px solid {draw.NOW}; outline-offset: 1px; }}
</style>"""


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw what was found on the left, and the prompt on the right."""
    if before and before["asked"] != frame["asked"]:
        before = None
    old = {page["id"]: page["place"] for page in before["pages"]} if before else {}
    notes = [f"{frame['order']}; budget for the pages {frame['budget']:,} tokens; the whole prompt {frame['used']:,}"]
    notes += ["red: went in or out"] * any(bool(old.get(page["id"])) != bool(page["place"])
                                                   for page in frame["pages"] if old)
    notes += [f"the course's own puts: {_own_order(expected)}"] if expected else []
    inside = sorted((page for page in frame["pages"] if page["place"]), key=lambda page: page["place"])
    left = "".join(_found(page, old) for page in frame["pages"])
    right = (_edge("the note", context.NOTE) + "".join(_inside(page) for page in inside)
             + _edge("the question", frame["question"]))
    return (f'<div class="fp-title fp-line">What is handed to the reader, and in which order?</div>'
            f'<div class="fp-line fp-note">{draw.escape("; ".join(notes))}</div>'
            f'<div class="fp-desk-asked">{draw.escape(frame["question"])}</div>'
            f'<div class="fp-scroll"><div class="fp-desk"><div><div class="fp-note">found by words, best first; '
            f'★ answers</div>{left}</div><div><div style="display:flex;justify-content:space-between" class="fp-note">'
            f'<span>the prompt, top to bottom</span><span>theirs, 10 pages: right of 100; ≈ not tried</span></div>'
            f'{right}</div></div></div>')


def _own_order(expected: dict) -> str:
    inside = sorted((page for page in expected["pages"] if page["place"]), key=lambda page: page["place"])
    return ", ".join(str(page["rank"]) for page in inside) or "none"


def _found(page: dict, old: dict) -> str:
    """Return a found chunk: its place in the list, its name, its tokens as a bar, and whether it goes in."""
    look = "" if page["place"] else " fp-desk-out"
    look += " fp-desk-holds" * page["holds"]
    look += " fp-desk-now" * (bool(old) and bool(old.get(page["id"])) != bool(page["place"]))
    wide = min(page["tokens"], 200) * 0.4
    fill = draw.BLUE if page["place"] else "none"
    bar = draw.svg(8, draw.box(0, 1, wide, 6, fill=fill, stroke=draw.BLUE if page["place"] else draw.GREY,
                               dash="" if page["place"] else "3 2", thick=1), width=82)
    said = f"{page['tokens']} tokens" + ("" if page["place"] else ", out")
    return (f'<div class="fp-desk-row fp-desk-found{look}"><div style="text-align:right"><b>{page["rank"]}</b></div>'
            f'<div>{where(page["document"], page["page"])}'
            f'<div style="display:flex;align-items:center;gap:8px">{bar}<span class="fp-line" style="font-size:12px">'
            f'{said}</span></div></div>'
            f'<div style="font-size:17px">{"★" if page["holds"] else ""}</div></div>')


def _inside(page: dict) -> str:
    """Return a page of the prompt: its label, its first words, and the published number of its place."""
    long, color = page["theirs"] / 100 * 60, draw.ORANGE if page["holds"] else draw.tint(draw.ORANGE, 0.4)
    bar = draw.svg(20, draw.box(0, 4, 60, 12, fill="none", stroke=draw.LINE, thick=1),
                   draw.box(0, 4, round(long, 1), 12, fill=color),
                   draw.text(106, 15, percent(page), 13, bold=page["holds"], anchor="end"), width=108)
    star = "★ " if page["holds"] else ""
    return (f'<div class="fp-desk-row fp-desk-in{" fp-desk-holds" if page["holds"] else ""}"><div><div class="fp-line">'
            f'<b>{star}[{page["place"]}] {draw.escape(page["document"])}, page {page["page"]}</b> '
            f'<span style="color:{draw.GREY}">found {_th(page["rank"])}</span></div>'
            f'<div class="fp-line">{draw.escape(page["text"][:150])}</div></div>{bar}</div>')


def _edge(name: str, words: str) -> str:
    """Return the note or the question, which the prompt begins and ends with."""
    return (f'<div class="fp-desk-row fp-desk-edge"><div class="fp-line"><b>{name}</b> {draw.escape(words)}</div>'
            '</div>')


# ---- the explorer

def both_ends(asked: int = 0, order: str = "best first", budget: int = 1200) -> Stage:
    """Lay ten found pages into a prompt: buttons for the order, a dial for the budget of tokens.

    `order` is "best first", "best last" or "both ends"; `asked` is the number of one of three questions, from 0.
    """
    start = State(asked, order, budget)
    slider = ipywidgets.IntSlider(start.budget, *BUDGETS, step=STEP, description="budget", tooltip="budget",
                                  style={"description_width": "56px"}, layout={"width": "320px"})
    orders = toggles(ORDERS, start.order, "the order of the pages", 96)
    number = ipywidgets.IntText(start.asked)  # not shown: which question, turned by the button
    turn = another_question(lambda: setattr(number, "value", (number.value + 1) % len(ASKED)))

    def run(values):
        state = State(**values)
        return guard(TASKS, lambda: frame(state), lambda drawn: picture(drawn, None, None))

    return Stage("both_ends", run, picture, describe, {"budget": slider, "order": orders}, {"asked": number},
                 caption=caption, style=STYLE, buttons=[turn])
