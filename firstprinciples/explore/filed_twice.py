"""Lesson 09: every chunk of a page is filed twice, by its words and by its meaning, and asked for in both places.

The page is a guide of Larkspur. On the left stand a few drawers of the word index; each holds the numbers of the chunks
that say its word. On the right lies the map of meaning: MiniLM's vectors of the chunks, flattened to the plane on which
they and the two questions lie most spread out. Both questions are of the half dev.
"""

from functools import cache

import numpy as np

from firstprinciples.corpus import Collection
from firstprinciples.encode.stored import minilm
from firstprinciples.explore import draw
from firstprinciples.explore.meaning_map import plane
from firstprinciples.explore.stage import Stage
from firstprinciples.explore.stepper import stepper
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.text import tokenize

PAGE = "stove-use-guide"
QUESTIONS = ("how do i get rid of used-up gas cartridges?", "LK-119-J2: kerosene or white gas?")
DRAWERS = ("do", "gas", "rid", "cartridges", "canisters", "kerosene", "white", "lk-119-j2")
NAMES = ("A", "B")  # of the questions on the map
BEST = 3  # places of each list that are shown


@cache
def filed() -> dict:
    """Return the page's chunks, the two indexes over them, and the places on the map."""
    larkspur = Collection.load("larkspur")
    chunks = [chunk for chunk in larkspur.chunks if chunk.document == PAGE]
    vectors = minilm().encode_passages([chunk.text for chunk in chunks]).astype(float)
    asked = minilm().encode_queries(list(QUESTIONS)).astype(float)
    center, directions, share = plane(np.vstack([vectors, asked]))
    places = (np.vstack([vectors, asked]) - center) @ directions.T
    evidence = {query.text: {id for _, ids in larkspur.evidence[query.id] for id in ids}
                for query in larkspur.queries if query.text in QUESTIONS}
    return {"chunks": chunks, "words": [set(tokenize(chunk.text)) for chunk in chunks], "places": places,
            "share": share, "bm25": BM25(chunks), "cosines": asked @ vectors.T,
            "answers": [[i for i, chunk in enumerate(chunks) if chunk.id in evidence[text]] for text in QUESTIONS]}


def trace() -> list[dict]:
    """Return the frames: nothing filed; then one chunk after the other, in both places; then the two questions."""
    made = filed()
    n = len(made["chunks"])
    steps = [{"filed": count, "asked": None} for count in range(n + 1)]
    steps += [{"filed": n, "asked": number} for number in range(len(QUESTIONS))]
    return [_frame(made, step, len(steps) - 1, **one) for step, one in enumerate(steps)]


def _frame(made, step, steps, filed, asked) -> dict:
    """Return one frame: which chunk is in hand, what the drawers hold, and what each index answers."""
    drawers = {word: [i for i in range(filed) if word in made["words"][i]] for word in DRAWERS}
    frame = {"step": step, "steps": steps, "filed": filed, "n": len(made["chunks"]), "asked": asked,
             "drawers": drawers, "places": made["places"].tolist(), "share": made["share"], "lists": {}, "opened": [],
             "hidden": []}
    if asked is not None:
        number = {chunk.id: i for i, chunk in enumerate(made["chunks"])}
        frame["opened"] = [word for word in tokenize(QUESTIONS[asked]) if word in DRAWERS]
        asked_for = dict.fromkeys(tokenize(QUESTIONS[asked]))
        frame["hidden"] = [word for word in asked_for if word not in DRAWERS and any(word in w for w in made["words"])]
        by_words = [[number[hit.id], float(hit.score)] for hit in made["bm25"].search(QUESTIONS[asked], len(number))]
        cosines = made["cosines"][asked]
        order = sorted(range(len(number)), key=lambda i: (-cosines[i], made["chunks"][i].id))
        frame["lists"] = {"words": by_words, "meaning": [[i, float(cosines[i])] for i in order]}
        frame["answers"] = made["answers"][asked]
    return frame


def heading(number: int) -> str:
    """Return what a chunk is called in the picture: its heading, or its first words.

    >>> heading(4)
    'Jets'
    """
    text = filed()["chunks"][number].text
    first = text.lstrip("# ").split("\n", 1)[0]
    return first if text.startswith("#") else " ".join(first.split()[:4]) + " …"


# ---- words

def place(ranked, answers) -> int:
    """Return the place, from 1, of the first chunk that answers; 0 if none is in the list."""
    return next((at for at, (number, _) in enumerate(ranked, 1) if number in answers), 0)


def describe(frame: dict) -> str:
    """Say what is filed, or what both indexes answer."""
    if frame["asked"] is None:
        if not frame["filed"]:
            return f"{PAGE}, {frame['n']} chunks, nothing filed yet."
        now = frame["filed"] - 1
        said = ", ".join(word for word, held in frame["drawers"].items() if now in held) or "none of those shown"
        return (f"{PAGE}, step {frame['step']} of {frame['steps']}: chunk {now + 1}, {heading(now)}, goes into the "
                f"drawers of its words ({said}) and onto the map.")
    lists = []
    for name, ranked in frame["lists"].items():
        first = ", ".join(f"{number + 1} {draw.number(score)}" for number, score in ranked[:BEST])
        lists.append(f"by {name} the chunks {first}; the answer is number {place(ranked, frame['answers'])}")
    return f"“{QUESTIONS[frame['asked']]}” in {PAGE}: {'; '.join(lists)}."


def caption(frame: dict, before: dict | None) -> str:
    """Say what this step did."""
    if frame["asked"] is not None:
        words, meaning = (place(frame["lists"][name], frame["answers"]) for name in ("words", "meaning"))
        empty = " and ".join(f"“{word}”" for word in frame["opened"] if not frame["drawers"][word])
        said = (f"The chunk that answers is number {words} by words and number {meaning} by meaning"
                if words else f"By words the chunk that answers is not found; by meaning it is number {meaning}")
        said += (f". The drawers {empty} are empty: the page says it otherwise." if empty else
                 ". A part number is a word like any other in the drawers; for the vector it is a few pieces.")
        hidden = " and ".join([", ".join(f"“{word}”" for word in frame["hidden"][:-1])] * (len(frame["hidden"]) > 1)
                              + [f"“{word}”" for word in frame["hidden"][-1:]])
        return said + (f" Opened too, and not shown: {hidden}." if hidden else "")
    if not frame["filed"]:
        return "Press Next: each chunk is filed by its words, on the left, and by its meaning, on the right."
    now = frame["filed"] - 1
    words = len(filed()["words"][now])
    return (f"Chunk {now + 1} goes into {words} drawers, of which a few are shown, and gets one point on the map. Both "
            "carry the same number, so that two lists can be made one.")


# ---- the picture

STYLE = """<style>
.fp-twice { display: grid; grid-template-columns: 400px minmax(0, 1fr); column-gap: 24px; margin-top: 6px; }
.fp-twice-text { padding: 8px 14px; height: 84px; margin-top: 6px; }
@container (max-width: 759px) { .fp-twice { grid-template-columns: minmax(0, 1fr); row-gap: 12px; } }
</style>"""
LEFT, RIGHT, HEIGHT = 400, 436, 300  # pixels


def picture(frame: dict, expected: dict | None) -> str:
    """Draw the chunk or the question in hand, the drawers on the left, the map on the right."""
    where = (f"step {frame['step']} of {frame['steps']}; {PAGE}, {frame['n']} chunks; the flat map keeps "
             f"{frame['share']:.0%} of the spread")
    if frame["asked"] is not None:
        held = f"<b>Question {NAMES[frame['asked']]}.</b> {draw.escape(QUESTIONS[frame['asked']])}"
    elif frame["filed"]:
        text = " ".join(filed()["chunks"][frame["filed"] - 1].text.split())
        text = text if len(text) <= 270 else text[:268].rsplit(" ", 1)[0] + " …"
        held = f"<b>Chunk {frame['filed']}.</b> {draw.escape(text)}"
    else:
        held = f'<span class="fp-note">{frame["n"]} chunks wait to be filed.</span>'
    return (f'<div class="fp-title fp-line">Where does a chunk go?</div><div class="fp-line fp-note">{where}</div>'
            f'<div class="fp-card fp-twice-text">{held}</div><div class="fp-twice">'
            f'<div>{draw.svg(HEIGHT + 100, *_drawers(frame), *_list(frame, "words", LEFT), width=LEFT)}</div>'
            f'<div>{draw.svg(HEIGHT + 100, *_map(frame), *_list(frame, "meaning", RIGHT), width=RIGHT)}</div></div>')


def _drawers(frame) -> list[str]:
    """Return the drawers: a word and the numbers of the chunks that say it."""
    shapes = [draw.text(0, 20, "by words: some of the drawers", 14, bold=True), *_unit(frame, "BM25", LEFT)]
    for row, (word, held) in enumerate(frame["drawers"].items()):
        y, opened = 32 + 34 * row, word in frame["opened"]
        shapes += [draw.box(1, y, LEFT - 2, 30, fill=draw.tint(draw.OTHER, 0.14), radius=5, thick=2.5 if opened else 1,
                            stroke=draw.NOW if opened else draw.LINE),
                   draw.text(12, y + 20, word, 14, bold=opened)]
        if opened and not held:
            shapes.append(draw.text(120, y + 20, "empty", 13, draw.GREY))
        for at, number in enumerate(held):
            new = frame["asked"] is None and number == frame["filed"] - 1
            shapes += [draw.box(118 + 34 * at, y + 4, 28, 22, fill=draw.PAPER, radius=4, thick=2.5 if new else 1.2,
                                stroke=draw.NOW if new else draw.GREY),
                       draw.text(132 + 34 * at, y + 20, str(number + 1), 13, bold=new, anchor="middle")]
    return shapes


def _unit(frame, name, wide) -> list[str]:
    """Return what the numbers of a list are, once there are any."""
    return [draw.text(wide - 2, 20, f"in the list: {name}", 12, draw.GREY, anchor="end")] if frame["lists"] else []


def apart(places, n: int, room: float = 25) -> np.ndarray:
    """Return the places with the first n, the discs, moved sideways where one would hide another.

    >>> apart(np.array([[10.0, 5.0], [14.0, 5.0], [90.0, 5.0]]), 2).tolist()
    [[-0.5, 5.0], [24.5, 5.0], [90.0, 5.0]]
    """
    places = np.array(places, float)
    for _ in range(20):
        for one in range(n):
            for other in range(one):
                dx, dy = places[one] - places[other]
                if np.hypot(dx, dy) < room - 1e-9:
                    push = (np.sqrt(room**2 - dy**2) - abs(dx)) / 2 * (1 if dx >= 0 else -1)
                    places[one, 0] += push
                    places[other, 0] -= push
    return places


def _map(frame) -> list[str]:
    """Return the map: a numbered disc for each chunk that is filed, a diamond for the question."""
    points = np.array(frame["places"])
    low, high = points.min(axis=0), points.max(axis=0)
    room = np.array([RIGHT - 48, HEIGHT - 76])
    at = apart((points - low) / (high - low) * (1, -1) * room + (24, HEIGHT - 22), frame["n"])
    shapes = [draw.text(0, 20, "by meaning: the map", 14, bold=True), *_unit(frame, "cosine", RIGHT),
              draw.box(1, 32, RIGHT - 2, HEIGHT - 32, fill=draw.PAPER, stroke=draw.LINE, radius=8, thick=1)]
    if frame["asked"] is not None:
        x, y = at[frame["n"] + frame["asked"]]
        for number, _ in frame["lists"]["meaning"][:BEST]:
            shapes.append(draw.line(round(x, 1), round(y, 1), *at[number].round(1), color=draw.NOW, dash="4 3"))
    for number in range(frame["filed"]):
        x, y = at[number].round(1)
        new = frame["asked"] is None and number == frame["filed"] - 1
        right = frame["asked"] is not None and number in frame["answers"]
        edge = draw.NOW if new else draw.GREEN if right else draw.PAPER
        shapes += [f'<circle cx="{x}" cy="{y}" r="12" style="fill:{draw.BLUE};stroke:{edge};'
                   f'stroke-width:{4 if new or right else 1}"/>',
                   draw.text(x, y + 4.5, str(number + 1), 12, "#FFFFFF", bold=True, anchor="middle")]
    if frame["asked"] is not None:
        x, y = at[frame["n"] + frame["asked"]].round(1)
        corners = f"{x},{y - 14} {x + 14},{y} {x},{y + 14} {x - 14},{y}"
        shapes += [f'<polygon points="{corners}" style="fill:{draw.ORANGE};stroke:{draw.DARK};stroke-width:1.5"/>',
                   draw.text(x, y + 4.5, NAMES[frame["asked"]], 13, draw.DARK, bold=True, anchor="middle")]
    return shapes


def _list(frame, name, wide) -> list[str]:
    """Return the first places of a list, the chunk that answers outlined."""
    top = HEIGHT + 6
    if frame["asked"] is None:
        return [draw.text(0, top + 16, "its list: ?", 13, draw.GREY)]
    ranked = frame["lists"][name]
    at = place(ranked, frame["answers"])
    rows = [(row + 1, *ranked[row]) for row in range(min(BEST, len(ranked)))]
    if at > BEST:
        rows[-1] = (at, *ranked[at - 1])
    shapes = []
    for row, (order, number, score) in enumerate(rows):
        y, right = top + 30 * row, number in frame["answers"]
        shapes += [draw.box(1, y, wide - 2, 27, radius=4, stroke=draw.GREEN if right else "none", thick=2.5,
                            fill=draw.tint(draw.GREEN if right else draw.OTHER, 0.14)),
                   draw.text(10, y + 18.5, f"{order}.", 13, draw.GREY),
                   draw.text(36, y + 18.5, f"{number + 1}  {heading(number)}" + ("  · answers" if right else ""), 13,
                             bold=right),
                   draw.text(wide - 12, y + 18.5, draw.number(score), 13, bold=True, anchor="end")]
    return shapes


# ---- the explorer

def filed_twice() -> Stage:
    """Walk through a page whose chunks are filed by words and by meaning, and then asked for twice."""
    return stepper("filed_twice", trace, picture, describe, caption=caption, style=STYLE)
