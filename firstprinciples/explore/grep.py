"""Lesson 20: a search without an index, step by step: which word next, what is opened, what was read until then?

On the left the loop of `firstprinciples.retrieve.grep_loop`, which looks for words in all files of Larkspur and reads
around what it finds. On the right, once and for all, the ten chunks that BM25 hands over. Both have a star where a
needed line of evidence stands, and both are counted in tokens that somebody has to read.
"""

from functools import cache

import ipywidgets

from firstprinciples import swap
from firstprinciples.corpus import Collection
from firstprinciples.explore import draw
from firstprinciples.explore.stage import Stage, toggles
from firstprinciples.explore.stepper import stepper
from firstprinciples.generate import context
from firstprinciples.index import counted
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.grep_loop import BUDGET, lines_of, pieces_read, walk_lines, words_of

CASES = {"frozen toes": "paraphrase-009", "brochures": "paraphrase-023", "a scanner": "exact-001"}  # of the half dev
TEN = 10  # chunks of BM25
SEARCHES = ("look", "narrow", "drop")
ROOM = 7  # opened passages that the picture has room for
LONGEST = 160  # characters of a question that is typed


@cache
def larkspur() -> tuple:
    """Return the collection, its lines, the places of their words, and BM25 on the course's own functions."""
    collection = Collection.load("larkspur")
    lines = lines_of(collection.documents)
    with swap.untouched():
        index = BM25(collection.chunks)
    return collection, lines, words_of(lines), index


def flat(text: str) -> str:
    """Return a text with each run of white space as one space."""
    return " ".join(text.split())


def pieces(query: str) -> list[tuple[str, str]]:
    """Return the needed lines of evidence of a question of Larkspur: [(document, quote), ...], of grade 2 or more."""
    found = next(each for each in larkspur()[0].queries if each.id == query)
    return [(piece["document"], flat(piece["quote"])) for piece in found.evidence if piece["grade"] >= 2]


def ten(question: str, wanted: list[tuple[str, str]]) -> dict:
    """Return BM25's ten chunks: rows of id, first words and whether a piece stands there whole, and their tokens."""
    collection, _, _, index = larkspur()
    chunks = {chunk.id: chunk for chunk in collection.chunks}
    with swap.untouched():
        found = [chunks[hit.id] for hit in index.search(question, TEN)]
    rows = [{"id": chunk.id, "text": flat(chunk.text),
             "star": any(document == chunk.document and quote in flat(chunk.text) for document, quote in wanted)}
            for chunk in found]
    there = sum(any(document == chunk.document and quote in flat(chunk.text) for chunk in found)
                for document, quote in wanted)
    return {"rows": rows, "tokens": sum(context.tokens(chunk.text) for chunk in found), "held": there}


def trace(case: str, question: str) -> list[dict]:
    """Return a frame for each step of the loop: what it did and why, what was opened, and what was read so far."""
    _, lines, places, _ = larkspur()
    own = next(query.text for query in larkspur()[0].queries if query.id == CASES[case])
    asked = flat(question)[:LONGEST] or own
    wanted = pieces(CASES[case]) if asked == own else []
    evidence = [{"document": document, "quote": quote} for document, quote in wanted]
    steps, shared, times, opened = walk_lines(asked, lines, places), ten(asked, wanted), 0, []
    frames, there = [], 0
    for number, step in enumerate(steps):
        times += step["did"] in SEARCHES
        if step["opened"]:
            there = sum(pieces_read(steps[: number + 1], evidence))
            passage = step["opened"]
            whole_in = [quote for document, quote in wanted
                        if document == passage["document"] and quote in flat(passage["text"])]
            opened = [*opened, {"document": passage["document"], "line": passage["line"], "star": bool(whole_in),
                                "text": (whole_in or [flat(passage["text"])])[0]}]
        frames.append({"case": case, "asked": asked, "step": number, "steps": len(steps), "did": step["did"],
                       "why": step["why"], "pattern": step["pattern"], "found": step["lines"],
                       "new": int(step["opened"] is not None), "opened": opened, "searches": times,
                       "read": step["read"], "tokens": step["tokens"], "held": there, "pieces": len(wanted),
                       "bm25": shared})
    return frames


# ---- words

def whole(count: int, pieces: int) -> str:
    """Return how much of the evidence is there, in words; "" where nobody marked any.

    >>> whole(1, 2), whole(0, 1), whole(0, 0)
    ('1 of 2 needed lines', '0 of 1 needed lines', '')
    """
    return f"{count} of {pieces} needed lines" if pieces else ""


def searches(frame: dict) -> str:
    """Return how often was searched, in words."""
    return f"{frame['searches']} search{'' if frame['searches'] == 1 else 'es'}"


def describe(frame: dict) -> str:
    """Say the step, its reason, and what both ways have."""
    mine, theirs = whole(frame["held"], frame["pieces"]), whole(frame["bm25"]["held"], frame["pieces"])
    return (f"Step {frame['step'] + 1} of {frame['steps']}: “{frame['asked']}” {frame['why']} So far "
            f"{searches(frame)}, {frame['read']} lines, {frame['tokens']:,} tokens read"
            + (f", {mine}" if mine else "") + f". BM25: 1 search, {len(frame['bm25']['rows'])} chunks, "
            f"{frame['bm25']['tokens']:,} tokens" + (f", {theirs}." if theirs else "."))


def caption(frame: dict, before: dict | None = None) -> str:
    """Say why this step is taken; at the end, what both ways have read and found."""
    if frame["did"] != "stop":
        return frame["why"]
    mine, theirs = whole(frame["held"], frame["pieces"]), whole(frame["bm25"]["held"], frame["pieces"])
    return (f"{frame['why']} {searches(frame)}, {frame['tokens']:,} tokens"
            + (f", {mine}" if mine else "") + f". BM25 with one search: {frame['bm25']['tokens']:,} tokens"
            + (f", {theirs}." if theirs else "."))


# ---- the picture

STYLE = f"""<style>
.fp-grep {{ display: grid; grid-template-columns: minmax(0, 1fr) 316px; column-gap: 20px; margin-top: 8px;
  height: 436px; overflow: hidden; align-items: start; }}
.fp-grep-said {{ height: 58px; padding: 6px 12px; margin-bottom: 8px; }}
.fp-grep-row {{ border: 1.5px solid {draw.LINE}; border-radius: 6px; padding: 1px 9px; margin-bottom: 4px; height: 42px;
  font-size: 13px; line-height: 18px; }}
.fp-grep-chunk {{ height: 26px; line-height: 22px; }}
.fp-grep-new {{ border-color: {draw.NOW}; border-width: 2px; }}
.fp-grep-star {{ background: {draw.tint(draw.GREEN, 0.2)}; font-weight: 700; }}
@container (max-width: 699px) {{ .fp-grep {{ grid-template-columns: minmax(0, 1fr); height: auto; }} }}
</style>"""
DID = {"words": "take the words", "count": "count lines", "look": "search", "narrow": "narrow",
       "drop": "take back", "open": "open and read", "stop": "stop"}


def picture(frame: dict, expected: dict | None) -> str:
    """Draw the step and what was read so far on the left, BM25's ten chunks on the right."""
    asks = (", " if frame["did"] in ("words", "count") else " + ").join(frame["pattern"])
    held_by = counted(frame["found"], "line") if frame["did"] in (*SEARCHES, "open") else ""
    head = (f'<div class="fp-card fp-grep-said"><div class="fp-note">{DID[frame["did"]]}</div>'
            f'<div class="fp-line"><code>{draw.escape(asks) or "–"}</code>'
            f'<span class="fp-note" style="margin-left:14px">{held_by}</span></div></div>')
    shown = frame["opened"][-ROOM:]
    older = len(frame["opened"]) - len(shown)  # those that have gone out at the top
    rows = "".join(_line(row, at >= len(shown) - frame["new"]) for at, row in enumerate(shown))
    starred = ", ★ among them" * any(row["star"] for row in frame["opened"][:older])
    above = f"{counted(older, 'passage')} read before these{starred}" if older > 0 else (
        "read so far" if shown else "nothing read so far")
    chunks = "".join(f'<div class="fp-grep-row fp-grep-chunk fp-line{" fp-grep-star" if row["star"] else ""}" '
                     f'title="{draw.escape(row["text"])}">{at}. {"★ " if row["star"] else ""}'
                     f'{draw.escape(row["id"])}</div>' for at, row in enumerate(frame["bm25"]["rows"], 1))
    mine, theirs = whole(frame["held"], frame["pieces"]), whole(frame["bm25"]["held"], frame["pieces"])
    notes = [f"step {frame['step'] + 1} of {frame['steps']}", f"at most {BUDGET} lines are read",
             "framed: read in this step"] + ["★: an answer stands there"] * bool(frame["pieces"])
    return (f'<div class="fp-title fp-line" title="{draw.escape(frame["asked"])}">“{draw.escape(frame["asked"])}”</div>'
            f'<div class="fp-line fp-note">{draw.escape("; ".join(notes))}</div>'
            f'<div class="fp-grep"><div><b>The loop: {searches(frame)}, {frame["read"]} lines, '
            f'{frame["tokens"]:,} tokens{", " + mine if mine else ""}</b>{head}<div class="fp-note">{above}</div>{rows}'
            f'</div><div><b>BM25: 1 search, {frame["bm25"]["tokens"]:,} tokens</b>'
            f'<div class="fp-note">{theirs or "ten chunks"}</div>{chunks}</div></div>')


def _line(row: dict, new: bool) -> str:
    """Return a passage that was read: where it stands, and its words."""
    look = " fp-grep-new" * new + " fp-grep-star" * row["star"]
    return (f'<div class="fp-grep-row{look}"><div class="fp-note fp-line">{"★ " if row["star"] else ""}'
            f'{draw.escape(row["document"])}, line {row["line"]}</div>'
            f'<div class="fp-line" title="{draw.escape(row["text"])}">{draw.escape(row["text"])}</div></div>')


# ---- the explorer

def grep_loop(case: str = "frozen toes") -> Stage:
    """Step through a search without an index, beside BM25's ten chunks, for a question of Larkspur or a reader's own.

    Raises ValueError for a case that is not there.
    """
    if case not in CASES:
        raise ValueError(f"There is no case {case!r}; there are {', '.join(CASES)}.")
    asked = {name: next(query.text for query in larkspur()[0].queries if query.id == id) for name, id in CASES.items()}
    names = toggles(list(CASES), case, "which question is asked", 110)
    question = ipywidgets.Text(asked[case], description="asked", continuous_update=False, layout={"width": "640px"},
                               style={"description_width": "44px"})
    names.observe(lambda change: setattr(question, "value", asked[change.new]), "value")
    stage = stepper("grep_loop", trace, picture, describe, (), caption, STYLE, pause=1.0,
                    texts={"case": names, "question": question}, above=(names, question))
    return stage
