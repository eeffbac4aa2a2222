"""Lesson 17: relevance and truth are two fields. The passages of one question, true ones above, false ones below.

Both rows stand on one axis, the score of the search. A dial keeps the best few, as every search does, and counts what
came along. Two passages that differ in one word stand below, with their scores. Only the half of the collection on
moving clocks is read that may be looked at.
"""

from dataclasses import dataclass
from functools import cache

import ipywidgets

from firstprinciples.corpus import Collection
from firstprinciples.encode.stored import minilm
from firstprinciples.explore import draw
from firstprinciples.explore.guard import guard
from firstprinciples.explore.stage import Stage, toggles
from firstprinciples.generate import corrective
from firstprinciples.rank.fusion import reciprocal_rank_fusion
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.dense import Dense

TASKS = ("corrective.told_apart",)
WAYS = {"by words": "BM25", "by meaning": "cosine", "fused": "RRF, k = 60"}
ASKED = {"the probe": "q-37", "westward": "q-17", "muons": "q-10", "small speeds": "q-34", "light clock": "q-03"}
LABELS = {"aligned": "true", "contradicts": "false", "uncertain": "uncertain"}
MOST = 20  # passages that the dial can keep


@cache
def half() -> dict:
    """Return the dev half: {"passages": {id: chunk}, "about": {id: metadata}, "questions": {id: query}, "grades"}."""
    clocks = Collection.load("clocks")
    about = {document.id: document.metadata for document in clocks.documents if document.metadata["split"] == "dev"}
    return {"passages": {chunk.id: chunk for chunk in clocks.chunks if chunk.id in about}, "about": about,
            "questions": {query.id: query for query in clocks.queries if query.split == "dev"},
            "grades": {query.id: {id: grade for id, grade in clocks.qrels.get(query.id, {}).items() if id in about}
                       for query in clocks.queries if query.split == "dev"}}


@cache
def searches() -> dict:
    """Return both searches over the passages of the dev half: {"by words": BM25, "by meaning": Dense}."""
    passages = list(half()["passages"].values())
    return {"by words": BM25(passages), "by meaning": Dense(passages, minilm())}


@cache
def scores(way: str, question: str) -> dict[str, float]:
    """Return {id: score} of what a search finds for a question of the dev half, best first."""
    text = half()["questions"][question].text
    lists = {name: search.search(text, len(half()["passages"])) for name, search in searches().items()}
    if way == "fused":
        return {id: float(score) for id, score in
                reciprocal_rank_fusion([[hit.id for hit in hits] for hits in lists.values()], 60)}
    return {hit.id: float(hit.score) for hit in lists[way]}


@dataclass(frozen=True)
class State:
    """Which question, which search, and how many of the best are kept."""

    question: str = "the probe"
    way: str = "by words"
    keep: int = 3

    def __post_init__(self):
        object.__setattr__(self, "keep", min(max(int(self.keep), 1), MOST))


def frame(state: State) -> dict:
    """Return the score and the label of each passage on the point, the pair, and what the best few are."""
    question = ASKED[state.question]
    found, about, grades = scores(state.way, question), half()["about"], half()["grades"][question]
    order = list(found)
    kept = order[: state.keep]
    rows = {label: [[id, found.get(id, 0.0)] for id in sorted(grades, key=lambda id: (-found.get(id, 0.0), id))
                    if about[id]["label"] == label] for label in LABELS}
    true, false = ([score for _, score in rows[label]] for label in ("aligned", "contradicts"))
    pair = twins(question)
    return {"question": state.question, "text": half()["questions"][question].text, "way": state.way,
            "keep": state.keep, "rows": rows, "off": [[id, found[id]] for id in order if id not in grades],
            "apart": float(corrective.told_apart(list(true), list(false))), "kept": kept,
            "counts": {label: sum(about[id]["label"] == label and id in grades for id in kept) for label in LABELS},
            "top": found[order[0]], "cut": found[kept[-1]],
            "pair": {label: {"id": id, "score": found.get(id, 0.0), "place": order.index(id) + 1 if id in found else 0,
                             "words": cut_apart(half()["passages"][id].text, half()["passages"][other].text)}
                     for label, id, other in (("aligned", *pair), ("contradicts", *pair[::-1]))}}


def twins(question: str) -> tuple[str, str]:
    """Return the ids of the first pair on the point of a question: the true one and the false one."""
    about, grades = half()["about"], half()["grades"][question]
    return next((id, about[id]["pair"]) for id in sorted(grades)
                if about[id]["label"] == "aligned" and about[id]["pair"] in grades)


def cut_apart(text: str, other: str) -> list[str]:
    """Return a text in three pieces: before the one word in which it differs from its twin, this word, and the rest.

    >>> cut_apart("its speed is 0.8 c.", "its speed is 1.0 c.")
    ['its speed is', '0.8', 'c.']
    """
    mine, theirs = text.split(), other.split()
    at = next(i for i, (a, b) in enumerate(zip(mine, theirs, strict=True)) if a != b)
    return [" ".join(mine[:at]), mine[at], " ".join(mine[at + 1:])]


# ---- words

def number(way: str, score: float) -> str:
    """Return a score as it is shown: four decimals for votes, two for the others."""
    return f"{score:.4f}" if way == "fused" else draw.number(score)


def described(frame: dict) -> str:
    """Say what the best few are: "1 true, 2 false and 0 about something else"."""
    counts = frame["counts"]
    rest = frame["keep"] - sum(counts.values())
    parts = [f"{counts['aligned']} true", f"{counts['contradicts']} false"]
    parts += [f"{counts['uncertain']} uncertain"] * bool(counts["uncertain"])
    parts += [f"{rest} about something else"] * bool(rest)
    return ", ".join(parts[:-1]) + " and " + parts[-1]


def describe(frame: dict) -> str:
    """Say the question, both rows of scores, the pair, and what the best few are."""
    rows = "; ".join(f"{words} " + (", ".join(number(frame["way"], score) for _, score in frame["rows"][label])
                                    or "none") for label, words in LABELS.items() if label != "uncertain")
    true, false = (frame["pair"][label] for label in ("aligned", "contradicts"))
    return (f"“{frame['text']}” {frame['way']}, {WAYS[frame['way']]}. Scores of passages on the point: {rows}. "
            f"The pair: true {number(frame['way'], true['score'])}, false {number(frame['way'], false['score'])}. "
            f"Told apart: {draw.number(frame['apart'])}. Of the {frame['keep']} best, {described(frame)}.")


def caption(frame: dict, before: dict | None) -> str:
    """Say what the cut let through, and what the score makes of the pair."""
    true, false = (frame["pair"][label] for label in ("aligned", "contradicts"))
    scores = [number(frame["way"], each["score"]) for each in (true, false)]
    verdict = (f"The two passages in the cards differ in one word and get the same score, {scores[0]}."
               if scores[0] == scores[1] else
               f"The two passages in the cards differ in one word: the true one gets {scores[0]}, the false one "
               f"{scores[1]}.")
    was = f" Before, of the {before['keep']} best: {described(before)}." if before else ""
    best = "The best one is" if frame["keep"] == 1 else f"Of the {frame['keep']} best,"
    if frame["keep"] == 1:
        what = next((LABELS[label] for label, n in frame["counts"].items() if n), "about something else")
        return f"{best} {what}.{was} {verdict}"
    return f"{best} {described(frame)}.{was} {verdict}"


# ---- the picture

STYLE = """<style>
.fp-fields-asked { height: 44px; overflow: hidden; }
.fp-fields { min-width: 560px; }
.fp-fields-pair { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); column-gap: 16px;
  margin-top: 8px; }
.fp-fields-card { padding: 8px 12px; height: 198px; overflow: auto; font-size: 14px; line-height: 20px; }
@container (max-width: 719px) { .fp-fields-card { height: 270px; } }
</style>"""
LEFT, WIDE = 15.5, 81.0  # where the axis begins and how wide it is, in percent
ROWS = {"aligned": 28, "contradicts": 72, "uncertain": 112}
OFF, AXIS = 146, 168
COLORS = {"aligned": draw.GREEN, "contradicts": draw.ORANGE, "uncertain": draw.OTHER}
NAMES = {"aligned": "● true", "contradicts": "◆ false", "uncertain": "■ uncertain"}


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw the rows on one axis, with the cut; below them the pair."""
    notes = f"told apart {draw.number(frame['apart'])}"
    if expected and draw.number(expected["apart"]) != draw.number(frame["apart"]):
        notes += f", expected {draw.number(expected['apart'])}"
    notes += " (0.5: not at all); filled: kept; joined: they differ in one word"
    if before and before["way"] == frame["way"] and before["keep"] != frame["keep"]:
        notes += "; pale line: the cut before"
    cards = "".join(_card(frame, label) for label in ("aligned", "contradicts"))
    return (f'<div class="fp-title fp-line">Does the score know which is true?</div>'
            f'<div class="fp-fields-asked"><b>{draw.escape(frame["text"])}</b></div>'
            f'<div class="fp-line fp-note">{draw.escape(notes)}</div>'
            f'<div class="fp-scroll"><div class="fp-fields">{_rows(frame, before)}'
            f'<div class="fp-fields-pair">{cards}</div></div></div>')


def _x(score: float, top: float) -> str:
    """Return where a score stands on the axis, from 0 to the best."""
    return f"{LEFT + WIDE * score / top:.3f}%"


def sign(label: str, x: str, y: float, full: bool) -> str:
    """Return the sign of a label at a place: a disk is true, a diamond false, a square uncertain; hollow if dropped."""
    color = COLORS[label]
    look = f'style="fill:{color if full else draw.PAPER};stroke:{draw.INK if full else color};stroke-width:2"'
    if label == "aligned":
        return f'<circle cx="{x}" cy="{y}" r="7" {look}/>'
    turn = ' transform="rotate(45)"' if label == "contradicts" else ""
    return (f'<svg x="{x}" y="{y}" width="1" height="1" style="overflow:visible">'
            f'<rect x="-6" y="-6" width="12" height="12" rx="1.5"{turn} {look}/></svg>')


def _rows(frame, before) -> str:
    """Return the rows of signs, a row of ticks for what is about something else, the axis and the cut."""
    top, way = frame["top"], frame["way"]
    shapes = []
    for label, y in ROWS.items():
        shapes += [draw.text(0, y + 5, NAMES[label], 14, bold=label != "uncertain"),
                   draw.line(f"{LEFT}%", y, f"{LEFT + WIDE}%", y)]
    shapes += [draw.text(0, OFF + 4, "something else", 13, draw.GREY)]
    shapes += [draw.line(_x(score, top), OFF - 6, _x(score, top), OFF + 6,
                         draw.INK if id in frame["kept"] else draw.OTHER, 2.5 if id in frame["kept"] else 1.2)
               for id, score in frame["off"]]
    if before and before["way"] == way and before["keep"] != frame["keep"]:
        shapes.append(draw.line(_x(before["cut"], top), 6, _x(before["cut"], top), AXIS - 8, draw.OTHER, 2, "3 4"))
    shapes.append(draw.line(_x(frame["cut"], top), 6, _x(frame["cut"], top), AXIS - 8, draw.NOW, 2.5, "7 4"))
    pair = frame["pair"]
    shapes.append(draw.line(_x(pair["aligned"]["score"], top), ROWS["aligned"], _x(pair["contradicts"]["score"], top),
                            ROWS["contradicts"], draw.INK, 2))
    shapes += [sign(label, _x(score, top), ROWS[label], id in frame["kept"])
               for label, row in frame["rows"].items() for id, score in reversed(row)]
    shapes += [draw.text(_x(0, 1), AXIS + 8, "0", 12, draw.GREY, anchor="middle"),
               draw.text(_x(1, 1), AXIS + 8, f"{number(way, top)}, the best score ({WAYS[way]})", 12, draw.GREY,
                         anchor="end")]
    return draw.svg(AXIS + 14, *shapes)


def _card(frame, label: str) -> str:
    """Return one passage of the pair, with its sign, its score, and the word in which it differs marked."""
    one = frame["pair"][label]
    head, word, tail = map(draw.escape, one["words"])
    color = COLORS[label]
    where = f"place {one['place']}" if one["place"] else "not found"
    marked = (f'<b style="background:{draw.tint(color, 0.35)};border-bottom:2.5px solid {color};padding:0 2px">'
              f'{word}</b>')
    way = WAYS[frame["way"]].partition(",")[0]
    return (f'<div class="fp-card fp-fields-card"><div style="display:flex;justify-content:space-between">'
            f'<b>{NAMES[label]} <span class="fp-note">{one["id"]}</span></b><span>{way} '
            f'<b>{number(frame["way"], one["score"])}</b> <span class="fp-note">{where}</span></span></div>'
            f'{head} {marked} {tail}</div>')


# ---- the explorer

def relevant_and_false(first: str = "the probe", keep: int = 3) -> Stage:
    """Show the scores of true and false passages on the point of a question, and what a cut lets through.

    `first` is the question it begins with, one of ASKED. Raises ValueError for another name.
    """
    if first not in ASKED:
        raise ValueError(f"There is no question {first!r}; there are {', '.join(ASKED)}.")
    which, way = toggles(ASKED, first, "which question", 118), toggles(WAYS, "by words", "which search", 104)
    cut = ipywidgets.IntSlider(State(keep=keep).keep, 1, MOST, description="keep the best", tooltip="keep the best",
                               style={"description_width": "92px"}, layout={"width": "330px"})
    row = ipywidgets.HBox([which])
    row.add_class("fp-row")

    def run(values):
        state = State(**values)
        return guard(TASKS, lambda: frame(state), lambda drawn: picture(drawn, None, None))

    return Stage("relevant_and_false", run, picture, describe, {"keep": cut, "way": way}, {"question": which}, caption,
                 style=STYLE, above=[row])
