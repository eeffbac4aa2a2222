"""Lesson 03: the inverted index, built word by word, then read backwards for a question."""

from firstprinciples import text
from firstprinciples.explore import draw
from firstprinciples.explore.stage import Stage
from firstprinciples.explore.stepper import stepper
from firstprinciples.retrieve import bm25

TASKS = ("bm25.invert", "bm25.idf", "bm25.length_norm", "bm25.term_weight", "bm25.rank")
QUERY = "red tent"
DOCUMENTS = ("red tent with red poles", "a blue tent for two", "gas stove with steel pan", "wool socks for cold nights")
K1, B = 1.2, 0.75

INVERT = """index = {}
for position, words in enumerate(documents):
  for word in words:
    postings = index.setdefault(word, {})
    postings[position] = postings.get(position, 0) + 1
return index""".split("\n")
RANK = """index, totals = invert(documents), {}
for word in query:
  postings = index.get(word, {})
  for position, tf in postings.items():
    part = idf(n, len(postings)) * term_weight(tf, …)
    totals[position] = totals.get(position, 0.0) + part
return sorted(totals.items(), …)[:k]""".split("\n")


def trace(documents: list[list[str]], query: list[str]) -> list[dict]:
    """Return one frame for each decision: first those that build the index, then those that answer the question."""
    steps = [*build(documents), *ask(documents, query)]
    shared = {"documents": documents, "query": query, "steps": len(steps), "drawers": list(bm25.invert(documents))}
    return [shared | {"step": place} | step for place, step in enumerate(steps, 1)]


def _step(code, lines, title, why, index, **more) -> dict:
    """Return what one step adds to the frame; `index` is copied, because the next steps change it."""
    nothing = {"reading": None, "drawer": None, "document": None, "asked": None, "parts": {}, "ranking": None}
    copy = {word: dict(postings) for word, postings in index.items()}
    return nothing | {"code": code, "lines": lines, "title": title, "why": why, "index": copy} | more


def build(documents: list[list[str]]) -> list[dict]:
    """Return the steps of `invert`: one for each word, and what it does to the drawers."""
    index = {}
    steps = [_step("invert", [0], "The index is an empty chest of drawers", f"{_count(len(documents), 'document')}, "
                   f"{_count(sum(map(len, documents)), 'word')}. Each different word will get one drawer.", index)]
    for position, words in enumerate(documents):
        for place, word in enumerate(words):
            name, new = _name(position), word not in index
            postings = index.setdefault(word, {})
            postings[position] = postings.get(position, 0) + 1
            others = [_name(p) for p in postings if p != position]
            if new:
                title, lines = f"“{word}” is new: open a drawer", [3, 4]
                why = f"Its first slip says {name}, count 1."
            elif postings[position] == 1:
                title, lines = f"“{word}” is there already: add document {name}", [4]
                why = f"The drawer holds a slip for {' and '.join(others)}; now also one for {name}, count 1."
            else:
                times = {2: "a second time", 3: "a third time"}.get(postings[position], f"{postings[position]} times")
                title, lines = f"“{word}” stands in {name} {times}: count {postings[position]}", [4]
                why = f"No new slip: the number on the slip for {name} goes up by one."
            steps.append(_step("invert", lines, title, why, index, reading=[position, place], drawer=word,
                               document=position))
    slips = sum(map(len, index.values()))
    steps.append(_step("invert", [5], f"The index is finished: {len(index)} drawers, {slips} slips",
                       "To answer a question, nobody reads the documents again.", index))
    return steps


def ask(documents: list[list[str]], query: list[str]) -> list[dict]:
    """Return the steps of `rank`: fetch one drawer for each word of the question, add a part to each document in it."""
    index, n = bm25.invert(documents), len(documents)
    average = sum(map(len, documents)) / n
    parts = {}  # document -> [[place of the word in the question, part], ...]
    words, drawers = _count(len(query), "word"), _count(len(query), "drawer")
    steps = [_step("rank", [0], f"A question comes in: “{' '.join(query)}”",
                   f"It has {words}, so at most {drawers} will be opened.", index)]
    for place, word in enumerate(query):
        postings = index.get(word, {})
        at = {"asked": place, "drawer": word}
        if not postings:
            steps.append(_step("rank", [2], f"There is no drawer “{word}”", "No document holds it: it adds nothing.",
                               index, parts=_copy(parts), **at))
            continue
        rarity = float(bm25.idf(n, len(postings)))
        df = len(postings)
        why = f"It names {df} of {_count(n, 'document')}, so idf({n}, {df}) = {draw.number(rarity)}."
        steps.append(_step("rank", [2], f"Fetch the drawer “{word}”", why, index, parts=_copy(parts), **at))
        for position, tf in postings.items():
            weight = float(bm25.term_weight(tf, K1, B, len(documents[position]), average))
            parts.setdefault(position, []).append([place, rarity * weight])
            why = (f"idf {draw.number(rarity)} × weight {draw.number(weight)} (“{word}” stands there {_often(tf)}). "
                   f"{_sum(_name(position), [part for _, part in parts[position]])}")
            steps.append(_step("rank", [4, 5], f"Add {draw.number(rarity * weight)} to document {_name(position)}", why,
                               index, document=position, parts=_copy(parts), **at))
    ranking = [[position, float(total)] for position, total in bm25.rank(query, documents, n, K1, B)]
    never = [_name(position) for position in range(n) if position not in parts]
    order = ", then ".join(f"{_name(position)} {draw.number(total)}" for position, total in ranking)
    why = f"{len(never)} of {n} documents were never opened" + (f": {' and '.join(never)}." if never else ".")
    steps.append(_step("rank", [6], f"Ranking: {order}" if ranking else "No document matches", why, index,
                       parts=_copy(parts), ranking=ranking))
    return steps


def _sum(name: str, parts: list[float]) -> str:
    """Say what a document has now, and of what where it is more than one part."""
    total = draw.number(sum(parts))
    if len(parts) == 1:
        return f"{name} has {total} now."
    return f"{name} has {' + '.join(map(draw.number, parts))} {draw.equals(parts, sum(parts))} {total} now."


def _copy(parts: dict) -> dict:
    return {position: [list(pair) for pair in pairs] for position, pairs in parts.items()}


def _name(position: int) -> str:
    return "ABCD"[position]


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _often(times: int) -> str:
    return {1: "once", 2: "twice"}.get(times, f"{times} times")


def describe(frame: dict) -> str:
    """Say which decision this is, why, and what the drawer it touches holds now."""
    said = f"Step {frame['step']} of {frame['steps']}: {frame['title']}. {frame['why']}"
    slips = frame["index"].get(frame["drawer"], {})
    if slips:
        said += f" The drawer “{frame['drawer']}” holds {', '.join(f'{_name(p)} × {tf}' for p, tf in slips.items())}."
    return said


# ---- the picture

STYLE = f"""<style>
.fp-index {{ display: grid; grid-template-columns: 1fr 432px; column-gap: 16px; margin-top: 8px; }}
.fp-index-head {{ font-size: 13px; line-height: 24px; height: 24px; color: {draw.GREY}; }}
.fp-index-doc {{ display: grid; grid-template-columns: 28px minmax(0, 1fr) 150px; align-items: center; height: 36px; }}
.fp-index-doc .fp-index-wide {{ grid-column: 2 / span 2; }}
.fp-index-doc span {{ padding: 1px 2px; border-radius: 3px; }}
.fp-index-name {{ border-radius: 3px; width: 18px; margin-left: 3px; text-align: center; }}
.fp-index-now {{ box-shadow: 0 0 0 2.5px {draw.NOW}; }}
.fp .fp-index code {{ font-size: 12px; line-height: 23px; height: 23px; padding: 0 8px; display: block;
  min-width: 416px; }}
.fp .fp-index code.fp-index-line {{ background: {draw.tint(draw.NOW, 0.18)}; box-shadow: inset 4px 0 {draw.NOW}; }}
.fp-drawers {{ display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 8px; padding: 3px; }}
.fp-drawer {{ height: 32px; border: 1px solid {draw.LINE}; border-radius: 5px; background: {draw.PAPER};
  padding: 4px 8px; display: flex; gap: 6px; font-size: 13px; }}
.fp-drawer-none {{ border-style: dashed; background: none; }}
.fp-slip {{ border: 1px solid {draw.GREY}; border-radius: 9px; padding: 0 6px; font-size: 12px; line-height: 20px;
  height: 22px; white-space: nowrap; }}
@container (max-width: 839px) {{
  .fp-index {{ grid-template-columns: 100%; row-gap: 8px; }}
  .fp-drawers {{ grid-template-columns: repeat(3, minmax(0, 1fr)); }}
}}
</style>"""


def picture(frame: dict, expected: dict | None = None) -> str:
    """Draw the documents beside the code, and the drawers below."""
    building = frame["code"] == "invert"
    code = INVERT if building else RANK
    code = code + [""] * (len(RANK) - len(code))
    lines = "".join(f'<code class="{"fp-index-line" if i in frame["lines"] else ""}">{draw.escape(each)}</code>'
                    for i, each in enumerate(code))
    documents = "".join(_document(frame, position, expected) for position in range(len(frame["documents"])))
    drawers = "".join(_drawer(frame, word) for word in frame["drawers"])
    where = "building the index" if building else "answering a question"
    below = "drawers: each word, and the documents that hold it (× how often)"
    return (f'<div class="fp-title fp-line">{draw.escape(frame["title"])}</div>'
            f'<div class="fp-note fp-line">step {frame["step"]} of {frame["steps"]}, {where}</div>'
            f'<div class="fp-index"><div><div class="fp-index-head fp-line">{_question(frame)}</div>{documents}</div>'
            f'<div class="fp-scroll"><div class="fp-index-head">{frame["code"]}</div>{lines}</div></div>'
            f'<div class="fp-index-head fp-line" style="margin-top:6px">{below}</div>'
            f'<div class="fp-drawers">{drawers}</div>')


def _question(frame) -> str:
    """Return the line above the documents: the question, once there is one."""
    if frame["code"] == "invert":
        return "documents"
    words = [draw.mark(word, draw.PALETTE[i]) if i != frame["asked"] else
             f'<b class="fp-index-now" style="border-radius:3px">{draw.mark(word, draw.PALETTE[i])}</b>'
             for i, word in enumerate(frame["query"])]
    return f'question: <span style="color:{draw.INK}">{" &ensp;".join(words)}</span>'


def _document(frame, position: int, expected) -> str:
    """Return one document: its name, its words with the one being read outlined, and its score so far."""
    read, at = frame["code"] != "invert", frame["reading"]
    shown = []
    for place, word in enumerate(frame["documents"][position]):
        done = read or frame["step"] > 1 and (at is None or [position, place] <= at)
        now = ' class="fp-index-now"' if [position, place] == at else ""
        faint = f' style="color:{draw.GREY}"' if not done or (read and position not in frame["parts"]) else ""
        shown.append(f"<span{now}{faint}>{draw.escape(word)}</span>")
    now = "fp-index-now" if position == frame["document"] else ""
    wide = "" if read else " fp-index-wide"  # as long as there is no score
    return (f'<div class="fp-index-doc"><b class="fp-index-name {now}">{_name(position)}</b>'
            f'<div class="fp-line{wide}" style="padding:4px 3px">{" ".join(shown)}</div>'
            f'{_score(frame, position, expected)}</div>')


def _score(frame, position: int, expected) -> str:
    """Return a document's score as a bar of its parts, or what is known instead."""
    if frame["code"] == "invert":
        return ""
    parts = frame["parts"].get(position, [])
    if not parts:
        return f'<div class="fp-note">{"?" if frame["ranking"] is None else "never opened"}</div>'
    total, should = _total(frame, position), _total(expected, position) if expected else None
    full = max(3.0, *(_total(frame, each) for each in frame["parts"]), should or 0.0)
    at, shapes = 0.0, []
    for place, part in parts:
        end = at + max(part, 0.0)
        shapes.append(draw.bar(60 * at / full, 60 * end / full, 2, 16, draw.PALETTE[place]))
        at = end
    shapes.append(draw.text(f"{60 * at / full:.2f}%", 15, draw.number(total), bold=True, shift=7))
    if should is not None and draw.number(should) != draw.number(total):
        width = 60 * max(should, 0.0) / full
        shapes.append(draw.box(0, 22, f"{width:.2f}%", 9, stroke=draw.INK, dash="4 3"))
        shapes.append(draw.text(f"{width:.2f}%", 31, f"expected {draw.number(should)}", 12, draw.GREY, shift=7))
    return f'<div style="margin-top:{0 if expected else 8}px">{draw.svg(34 if expected else 28, *shapes)}</div>'


def _total(frame, position: int) -> float:
    """Return the sum of a document's parts so far."""
    return sum(part for _, part in frame["parts"].get(position, ()))


def _drawer(frame, word: str) -> str:
    """Return one drawer; a dashed place where it will stand, as long as it is not there."""
    if word not in frame["index"]:
        return '<div class="fp-drawer fp-drawer-none"></div>'
    now = word == frame["drawer"]
    last = len(frame["query"]) if frame["ranking"] is not None else -1 if frame["asked"] is None else frame["asked"]
    place = frame["query"].index(word) if word in frame["query"] else len(frame["query"])
    color = f"background:{draw.tint(draw.PALETTE[place])}" if place <= last and place < len(frame["query"]) else ""
    slips = "".join(
        f'<span class="fp-slip {"fp-index-now" if now and position == frame["document"] else ""}">{_name(position)}'
        f'{f" × {tf}" if tf > 1 else ""}</span>' for position, tf in frame["index"][word].items())
    return (f'<div class="fp-drawer {"fp-index-now" if now else ""}" style="{color}">'
            f'<span class="fp-line" style="flex:1">{draw.escape(word)}</span>{slips}</div>')


def index_steps(documents=None, query: str | None = None) -> Stage:
    """Step through building an inverted index of one to four tiny documents, then through answering a question.

    Raises ValueError for more than four documents, more than seven words in one, or more than five in the question.
    """
    documents = [text.tokenize(each) for each in (DOCUMENTS if documents is None else documents)]
    query = text.tokenize(QUERY if query is None else query)
    if not 1 <= len(documents) <= 4 or max(map(len, documents)) > 7 or len(query) > len(draw.PALETTE):
        raise ValueError("index_steps() shows one to four documents of at most seven words, "
                         "and a question of at most five.")
    return stepper("index_steps", lambda: trace(documents, query), picture, describe, TASKS,
                   caption=lambda frame, before: frame["why"], style=STYLE)
