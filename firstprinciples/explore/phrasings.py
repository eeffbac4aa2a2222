"""Lesson 16: three phrasings of one question, a list for each, and the three lists fused by places.

The search is BM25 over Larkspur. The phrasings of the first case come from the rule that replaces a word by another;
those of the others are written by hand.
"""

from functools import cache

import ipywidgets

from firstprinciples.explore import draw
from firstprinciples.explore.guard import Trouble
from firstprinciples.explore.rewrite import holders, indexes
from firstprinciples.explore.stage import Stage, toggles
from firstprinciples.explore.stepper import stepper
from firstprinciples.generate import rewrite
from firstprinciples.rank import fusion

TASKS = ("rewrite.phrasings", "fusion.reciprocal_rank_fusion", "fusion.reciprocal_rank")
MOST, K, DEPTH, SHOWN = 3, 60, 1000, 5
SYNONYMS = {"refund": ["money back", "reimbursement"]}
# name: (question, other phrasings or None for the rule's, id of the question of the set or ids of the right chunks)
CASES = {
    "refund??": ("refund??", None, ("product-pages-and-warranty#11",)),
    "speeding": ("I got a speeding ticket on a work trip, does the company cover it?",
                 ("Are traffic fines reimbursed?", "Who pays a fine I get while driving for work?"), "paraphrase-001"),
    "a code": ("scanner says E_4432, what does that mean?",
               ("What does the error on the scanner mean?", "My handheld shows a message, what now?"), "exact-001"),
    "Saturday": ("What's closing time on Saturday?",
                 ("When are the books closed?", "When does the month end closing take place?"), "polysemy-003"),
}
COLORS = (draw.BLUE, draw.ORANGE, draw.GREEN)


@cache
def listed(text: str) -> tuple[str, ...]:
    """Return the ids that BM25 finds for a text, best first, at most 1,000."""
    return tuple(hit.id for hit in indexes()[1].search(text, DEPTH))


# ---- the frames

def trace(case: str) -> list[dict]:
    """Return the frames: the phrasings alone, then a list for each, then the three fused."""
    question, others, right = CASES[case]
    asked = (question, *others) if others else rewrite.phrasings(question, SYNONYMS, MOST)
    if not isinstance(asked, (list, tuple)) or not asked or not all(isinstance(text, str) for text in asked):
        raise Trouble("Your phrasings has to give a list of texts, the question first.")
    asked = [str(text) for text in asked][:MOST]
    ids = [list(listed(text)) for text in asked]
    fused = [str(id) for id, _ in fusion.reciprocal_rank_fusion([list(one) for one in ids], K)]
    hold = holders(right) if isinstance(right, str) else frozenset(right)
    columns = [*ids, fused]
    places = [next((at for at, id in enumerate(one, 1) if id in hold), 0) for one in columns]
    ranks = {id: [one.index(id) + 1 if id in one else 0 for one in ids]
             for id in [*fused[:SHOWN], *([fused[places[-1] - 1]] if places[-1] else [])]}
    votes = {id: [float(fusion.reciprocal_rank(rank, K)) if rank else 0.0 for rank in each]
             for id, each in ranks.items()}
    shown = [[[at, id] for at, id in enumerate(one, 1) if at <= SHOWN or at == places[n]]
             for n, one in enumerate(columns)]
    return [{"case": case, "asked": asked, "shown": shown, "places": places, "counts": [len(one) for one in columns],
             "ranks": ranks, "votes": votes, "right": sorted(hold), "by_rule": others is None, "step": step,
             "steps": len(asked) + 2} for step in range(len(asked) + 2)]


# ---- words

def said(place: int) -> str:
    """Return a place in words."""
    return f"place {place}" if place else "not found"


def describe(frame: dict) -> str:
    """Say the phrasings and where each list read so far has the answer."""
    step, many = frame["step"], len(frame["asked"])
    known = [f"“{text}”{': answer ' + said(frame['places'][n]) if n < step else ''}"
             for n, text in enumerate(frame["asked"])]
    fused = f" Fused: answer {said(frame['places'][-1])}; first is {frame['shown'][-1][0][1]}." if step > many and \
        frame["shown"][-1] else ""
    return f"Step {step + 1} of {frame['steps']}. {'; '.join(known)}.{fused}"


def caption(frame: dict, before: dict | None = None) -> str:
    """Say what this step's list holds, or what the fusion made of the three."""
    step, many, places = frame["step"], len(frame["asked"]), frame["places"]
    if step == 0:
        who = ("A rule replaced one word each time" if frame["by_rule"] else
               "The second and the third were written by hand")
        return f"One question, asked in several ways. {who}. Press Next: each goes into the same search."
    if step <= many:
        count, at = frame["counts"][step - 1], places[step - 1]
        found = f"{count:,} {'chunk' if count == 1 else 'chunks'}" if count else "no chunk"
        where = f", and the answer is at place {at}" if at else ", and none of them answers" if count else ""
        return f"“{frame['asked'][step - 1]}” finds {found}{where}."
    if not places[-1]:
        return "No phrasing found the answer, so the fused list can't have it."
    id = next(id for at, id in frame["shown"][-1] if at == places[-1])
    votes = [draw_vote(vote) for vote in frame["votes"][id] if vote]
    total = " + ".join(votes) + (f" = {draw_vote(sum(frame['votes'][id]))}" if len(votes) > 1 else "")
    alone = places[0]
    if alone and places[-1] == alone:
        verdict = f"The question alone has it at {alone}, too."
    elif not alone or places[-1] < alone:
        verdict = f"The question alone has it {'at place ' + str(alone) if alone else 'nowhere'}: the others helped."
    else:
        verdict = f"The question alone has it at place {alone}: the others pulled it down."
    return f"The answer gets {total}, and is at place {places[-1]} of the fused list. {verdict}"


def draw_vote(vote: float) -> str:
    """Return a vote with four decimals."""
    return f"{vote:.4f}"


# ---- the picture

STYLE = f"""<style>
.fp-asked {{ display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)) minmax(0, 1.25fr); column-gap: 12px;
  margin-top: 8px; min-width: 780px; }}
.fp-asked-head {{ height: 66px; margin-bottom: 6px; overflow: hidden; font-size: 13px; line-height: 19px;
  padding-left: 9px; }}
.fp-asked-item {{ display: flex; gap: 7px; height: 27px; margin-bottom: 4px; align-items: center; padding: 0 6px;
  border: 1.5px solid {draw.LINE}; border-radius: 5px; font-size: 13px; }}
.fp-asked-right {{ border-color: {draw.NOW}; border-width: 2.5px; font-weight: 700; }}
.fp-asked-item > span:first-child {{ min-width: 22px; text-align: right; }}
.fp-asked-list {{ height: 214px; }}
@container (max-width: 839px) {{ .fp-asked {{ grid-template-columns: repeat(2, minmax(0, 1fr)); min-width: 0;
  row-gap: 10px; }} }}
</style>"""


def picture(frame: dict, expected: dict | None) -> str:
    """Draw a column for each phrasing, and one for the fused list."""
    step, many = frame["step"], len(frame["asked"])
    notes = [f"step {step + 1} of {frame['steps']}", "★ holds the answer"]
    notes += ["small: its place in each list"] * (step > many)
    notes += ["expected: the course's own function"] * bool(expected)
    columns = "".join(_column(frame, expected, n, n < step) for n in range(many))
    columns += "".join("<div></div>" for _ in range(MOST - many))
    columns += _column(frame, expected, len(frame["shown"]) - 1, step > many, fused=True)
    return (f'<div class="fp-title fp-line">Three lists fused: where does the answer end up?</div>'
            f'<div class="fp-line fp-note">{draw.escape("; ".join(notes))}</div>'
            f'<div class="fp-scroll"><div class="fp-asked">{columns}</div></div>')


def _column(frame, expected, n: int, known: bool, fused: bool = False) -> str:
    """Return one list below its phrasing; a question mark until it has been read."""
    color = draw.INK if fused else COLORS[n]
    text = "<b>all lists fused</b>" if fused else draw.escape(frame["asked"][n])
    head = f'<div class="fp-asked-head" style="border-left:5px solid {color}">{text}</div>'
    if not known:
        return f'<div>{head}<div class="fp-asked-list" style="font-size:18px;padding:8px 12px">?</div></div>'
    items, place, last = [], frame["places"][n], 0
    for at, id in frame["shown"][n]:
        if at > last + 1:
            items.append('<div class="fp-note" style="height:18px;line-height:14px;padding-left:12px">…</div>')
        last, right = at, id in frame["right"]
        ranks = "".join(_rank(rank, each) for each, rank in enumerate(frame["ranks"][id])) if fused and \
            id in frame["ranks"] else ""
        name, _, part = id.partition("#")
        items.append(f'<div class="fp-asked-item {"fp-asked-right" if right else ""}" title="{draw.escape(id)}">'
                     f'<span class="fp-note">{at}</span>{"<span>★</span>" if right else ""}'
                     f'<span class="fp-line">{draw.escape(name)}</span>'
                     f'<span style="flex:1;margin-left:-6px">#{draw.escape(part)}</span>{ranks}</div>')
    count = frame["counts"][n]
    if not items:
        items.append('<div class="fp-note" style="padding:4px 12px">nothing found</div>')
    elif not place:
        many = "the only one found" if count == 1 else f"{count} found"
        items.append(f'<div class="fp-note" style="padding:2px 12px">{many}; no answer in it</div>')
    other = expected["places"][n] if expected and n < len(expected["places"]) else place
    if other != place:
        items.append(f'<div class="fp-note">expected: {said(other)}</div>')
    return f'<div>{head}<div class="fp-asked-list">{"".join(items)}</div></div>'


def _rank(rank: int, n: int) -> str:
    """Return the rank a fused chunk had in one list, in that list's color."""
    return (f'<span style="border-bottom:3px solid {COLORS[n]};font-size:12px;line-height:17px">'
            f'{rank or "–"}</span>')


# ---- the explorer

def three_phrasings(first: str = "refund??") -> Stage:
    """Step through the lists that phrasings of one question find, and fuse them by reciprocal rank.

    `first` is the case it begins with, one of CASES; buttons change between them. Raises ValueError for another name.
    """
    if first not in CASES:
        raise ValueError(f"There is no case {first!r}; there are {', '.join(CASES)}.")
    which = toggles(CASES, first, "which question", 124)
    row = ipywidgets.HBox([which])
    row.add_class("fp-row")
    return stepper("three_phrasings", lambda case: trace(case), picture, describe, TASKS,
                   lambda frame, before: caption(frame), STYLE, texts={"case": which}, above=[row])
