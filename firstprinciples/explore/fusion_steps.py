"""Lesson 06: reciprocal rank fusion step by step, one list after the other, one vote at a time."""

from firstprinciples.explore import draw
from firstprinciples.explore.fusion import CASES, COLORS, DASHES, four, named_lists, sign
from firstprinciples.explore.stage import Stage
from firstprinciples.explore.stepper import stepper
from firstprinciples.rank import fusion

TASKS = ("fusion.reciprocal_rank", "fusion.reciprocal_rank_fusion")
MOST_LISTS, LONGEST, MOST_PAGES = 3, 5, 9  # what one screen holds
CODE = """totals = {}
for ids in lists:
  seen = set()
  for rank, id in enumerate(ids, 1):
    if id not in seen:
      totals[id] = totals.get(id, 0) + 1 / (k + rank)
    seen.add(id)
return sorted(totals.items(), …)""".split("\n")


def trace(lists: dict, k: float) -> list[dict]:
    """Return one frame for each decision: a vote, a page met again in one list, and the sorting at the end."""
    names, every = list(lists), [list(ids) for ids in lists.values()]
    steps, votes = [], {}  # votes: id -> [[number of the list, vote], ...]

    def add(title, why, lines, at=None, **more):
        now = {id: [list(pair) for pair in given] for id, given in votes.items()}
        steps.append({"title": title, "why": why, "lines": lines, "at": at, "votes": now, "ranking": None} | more)

    many = "One list" if len(every) == 1 else f"{['Two', 'Three'][len(every) - 2]} lists"
    add("No page has a vote yet", f"{many}. We go down one after the other, and look at ranks only.", [0])
    for number, ids in enumerate(every):
        seen = set()
        for rank, id in enumerate(ids, 1):
            at = [number, rank]
            if id in seen:
                add(f"{id} again: no second vote", f"{id} stands in “{names[number]}” a second time. Its best rank has "
                    "been counted.", [4], at)
                continue
            seen.add(id)
            vote = float(fusion.reciprocal_rank(rank, k))
            votes.setdefault(id, []).append([number, vote])
            given = [value for _, value in votes[id]]
            why = f"Rank {rank} in “{names[number]}” is worth 1 / ({k:g} + {rank}) = {four(vote)}."
            if len(given) > 1:
                why += (f" {id} had {four(sum(given[:-1]))} and now has {' + '.join(map(four, given))} "
                        f"{sign(given, sum(given))} {four(sum(given))}.")
            add(f"{id} gets {four(vote)}", why, [5], at)
    ranking = [[str(id), float(score)] for id, score in fusion.reciprocal_rank_fusion(every, k)]
    ties = [(one[0], other[0]) for one, other in zip(ranking, ranking[1:], strict=False)
            if abs(one[1] - other[1]) < 1e-12]
    why = "The highest total comes first." + (
        f" {ties[0][0]} and {ties[0][1]} have the same total: the id decides." if ties else "")
    order = ", ".join(f"{id} {four(score)}" for id, score in ranking)
    add(f"Sorted: {ranking[0][0]} comes first" if ranking else "Nothing to sort", why, [7], ranking=ranking,
        order=order)
    shared = {"names": names, "lists": every, "k": k, "steps": len(steps), "most": len(every) / (k + 1),
              "pages": list(dict.fromkeys(id for ids in every for id in ids))}
    return [shared | step | {"step": place} for place, step in enumerate(steps, 1)]


def describe(frame: dict) -> str:
    """Say which decision this is, why, and in the end the whole order."""
    said = f"Step {frame['step']} of {frame['steps']}: {frame['title']}. {frame['why']}"
    return f"{said} {frame['order']}." if frame["ranking"] else said


# ---- the picture

STYLE = f"""<style>
.fp-votes {{ display: grid; grid-template-columns: 1fr 432px; column-gap: 20px; margin-top: 8px; }}
.fp-votes-lists {{ display: flex; gap: 14px; height: 192px; }}
.fp-votes-lists > div {{ flex: 1; min-width: 0; }}
.fp-votes-item {{ display: flex; gap: 7px; height: 28px; margin-bottom: 4px; align-items: center; padding: 0 6px;
  border: 1.5px solid {draw.LINE}; border-radius: 5px; }}
.fp-votes-now {{ box-shadow: 0 0 0 2.5px {draw.NOW}; }}
.fp .fp-votes code {{ font-size: 12px; line-height: 23px; height: 23px; padding: 0 8px; display: block;
  min-width: 416px; }}
.fp .fp-votes code.fp-votes-line {{ background: {draw.tint(draw.NOW, 0.18)}; box-shadow: inset 4px 0 {draw.NOW}; }}
.fp-votes-total {{ display: grid; grid-template-columns: 190px 1fr; column-gap: 12px; height: 28px;
  align-items: center; padding: 0 4px; }}
@container (max-width: 839px) {{
  .fp-votes {{ grid-template-columns: 100%; row-gap: 8px; }}
  .fp-votes-total {{ grid-template-columns: 110px 1fr; }}
}}
</style>"""


def picture(frame: dict, expected: dict | None = None) -> str:
    """Draw the lists beside the code, and below them what each page has so far."""
    lists = "".join(_list(frame, number) for number in range(len(frame["lists"])))
    code = "".join(f'<code class="{"fp-votes-line" if i in frame["lines"] else ""}">{draw.escape(line)}</code>'
                   for i, line in enumerate(CODE))
    if frame["ranking"] is None:
        order, head = frame["pages"], "votes so far, pages in the order in which they are met"
    else:
        order, head = [id for id, _ in frame["ranking"]], "sorted by total"
    rows = "".join(_total(frame, id, expected) for id in order)
    outlined = "; outlined: the course's own function" if expected else ""
    return (f'<div class="fp-title fp-line">{draw.escape(frame["title"])}</div>'
            f'<div class="fp-note fp-line">step {frame["step"]} of {frame["steps"]}, k = {frame["k"]:g}{outlined}</div>'
            f'<div class="fp-votes"><div class="fp-votes-lists">{lists}</div><div class="fp-scroll">{code}</div></div>'
            f'<div class="fp-note" style="margin-top:8px">{head}</div>'
            f'<div style="height:{28 * len(frame["pages"]) + 4}px;padding-right:70px">{rows}</div>')


def _list(frame, number: int) -> str:
    """Return one list: read so far in ink, what is still to come in gray, the page being read outlined."""
    at, out = frame["at"], []
    for rank, id in enumerate(frame["lists"][number], 1):
        now = at == [number, rank]
        read = frame["ranking"] is not None or at is not None and [number, rank] <= at
        look = f"border-color:{COLORS[number]}" if read else f"color:{draw.GREY}"
        out.append(f'<div class="fp-votes-item {"fp-votes-now" if now else ""}" style="{look}">'
                   f'<span class="fp-note">{rank}</span><span class="fp-line" title="{draw.escape(id)}">'
                   f'{draw.escape(id)}</span></div>')
    mark = (f'<svg width="22" height="10" style="display:inline-block;margin-right:6px">'
            f'{draw.line(0, 5, 22, 5, COLORS[number], 3, DASHES[number])}</svg>')
    name = draw.escape(frame["names"][number])
    return f'<div><div class="fp-line" style="height:26px" title="{name}">{mark}{name}</div>{"".join(out)}</div>'


def _total(frame, id: str, expected) -> str:
    """Return one page's votes as a bar, and their sum; a question mark while it has none."""
    given = frame["votes"].get(id, [])
    shapes, at = [], 0.0
    for number, vote in given:
        end = at + vote
        shapes.append(draw.bar(_wide(at, frame), _wide(end, frame), 3, 18, COLORS[number],
                               four(vote) if _wide(vote, frame) > 12 else ""))
        at = end
    total = dict(frame["ranking"]).get(id, at) if frame["ranking"] else at
    shown = four(total) if given else "?"
    differs = "" if abs(total - at) < 1e-9 else "≠ "
    shapes.append(draw.text(f"{_wide(at, frame):.2f}%", 17, differs + shown, 14, draw.INK if given else draw.GREY,
                            bold=bool(given), shift=8))
    should = dict(expected["ranking"]).get(id) if expected and expected["ranking"] else None
    if should is not None and four(should) != four(total):
        shapes.append(draw.box("0", 1, f"{_wide(should, frame):.2f}%", 22, stroke=draw.INK, dash="4 3"))
        shapes.append(draw.text("100%", 17, f"expected {four(should)}", 12, draw.GREY, anchor="end", shift=66))
    now = frame["at"] and frame["lists"][frame["at"][0]][frame["at"][1] - 1] == id
    return (f'<div class="fp-votes-total"><span class="fp-line {"fp-votes-now" if now else ""}" '
            f'style="border-radius:3px;padding:0 5px;justify-self:start;max-width:100%" title="{draw.escape(id)}">'
            f'{draw.escape(id)}</span><div>{draw.svg(24, *shapes)}</div></div>')


def _wide(value: float, frame) -> float:
    """Return a value in percent of the width; the most a page can have takes 88 of them."""
    return min(max(88 * value / frame["most"], 0.0), 100.0)


def fusion_steps(lists: dict | None = None, k: float = 60) -> Stage:
    """Step through the fusion of one to three short lists, {name: ids, best first}.

    Raises ValueError for more than three lists, more than five ids in one, and more than nine different ids.
    """
    lists = named_lists(dict(CASES["Two lists"]) if lists is None else lists)
    pages = {id for ids in lists.values() for id in ids}
    if not 1 <= len(lists) <= MOST_LISTS or max(map(len, lists.values())) > LONGEST or len(pages) > MOST_PAGES:
        raise ValueError(f"fusion_steps() shows one to {MOST_LISTS} lists of at most {LONGEST} ids, "
                         f"and at most {MOST_PAGES} different ids.")
    return stepper("fusion_steps", lambda: trace(lists, k), picture, describe, TASKS,
                   caption=lambda frame, before: frame["why"], style=STYLE)
