"""Lesson 02: one question, and what changes when only the convention does: the BM25 variant, nDCG's formula, the ties.

The lists are made once, on the course's own BM25; the numbers below them run on the learner's metrics.
"""

from dataclasses import dataclass
from functools import lru_cache

import ipywidgets

from firstprinciples.corpus import Collection
from firstprinciples.evaluate import experiment, metrics
from firstprinciples.explore import draw
from firstprinciples.explore.guard import guard
from firstprinciples.explore.stage import Stage, another_question
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.bm25_variants import VARIANTS
from firstprinciples.swap import untouched
from firstprinciples.text import tokenize

TASKS = ("metrics.gains", "metrics.dcg", "metrics.ndcg_at_k", "metrics.dcg_with_base", "metrics.rank_by_score",
         "experiment.pieces_shown")
VARY = ("BM25 variants", "nDCG conventions", "tie rules")
WAYS = {"linear": "gain: the grade", "exponential": "gain: 2 to the grade, less 1",
        "original": "place 2 counts in full"}
TIES = {"id ascending": "this course", "id descending": "trec_eval", "as given": "here: oldest page first"}
K, LINES, QUESTIONS = 10, 10, 6  # places that are measured, lines that are shown, questions to choose from


@dataclass(frozen=True)
class State:
    """Which question, by its number in the list, and what is varied."""

    question: int = 0
    vary: str = VARY[0]

    def __post_init__(self):
        object.__setattr__(self, "question", min(max(int(self.question), 0), QUESTIONS - 1))
        object.__setattr__(self, "vary", self.vary if self.vary in VARY else VARY[0])


class Lists:
    """The ranked lists of a collection: five indexes and the words of each chunk, made once.

    `queries` are at most six questions of the split dev, one of a kind: those whose evidence has two grades, of which
    BM25 finds some in ten places, but not in the best order, and first of all those that the rule for ties moves; where
    there are none, any with evidence.
    """

    def __init__(self, collection: Collection):
        self.evidence, self.qrels = collection.evidence, collection.qrels
        with untouched():
            once = lru_cache(maxsize=None)(tokenize)  # each chunk is cut into words once, not five times
            self.indexes = {name: BM25(collection.chunks, variant=name, tokenizer=once) for name in VARIANTS}
        oldest_first = sorted(collection.chunks, key=lambda chunk: chunk.metadata.get("date", ""))
        self.words = {chunk.id: _content(chunk.text) for chunk in oldest_first}
        self.texts = {chunk.id: " ".join(chunk.text.split()) for chunk in collection.chunks}
        judged = [q for q in collection.queries if q.split == "dev" and self.qrels.get(q.id) and self.counted(q)]
        with untouched():
            rich = [q for q in judged if len({grade for grade, _ in self.evidence[q.id]}) > 1
                    and 0 < _ndcg([hit.id for hit in self.indexes["lucene"].search(q.text, K)], q, self) < 1]
            rich.sort(key=lambda q: -len({_ndcg(order, q, self) for order in _orders(q, self).values()}))
        self.queries = list({q.kind: q for q in reversed(rich or judged)}.values())[::-1][:QUESTIONS]
        if not self.queries:
            raise ValueError(f"{collection.name} has no question of the split dev that shares a word with a chunk and "
                             "whose evidence a chunk holds.")
        self.kept = {}
        with untouched():  # the one that is shown first is the one that the variants move most
            self.queries.sort(key=lambda q: -self._spread(q))

    def _spread(self, query) -> float:
        """Return how far apart the variants' nDCG@10 of a question are."""
        values = [_ndcg([hit.id for hit in self.ranked(query, variant)], query, self) for variant in VARIANTS]
        return round(max(values) - min(values), 2)

    def ranked(self, query, variant: str) -> list:
        """Return the hits of a question under one variant, all of them, best first."""
        key = query.id, variant
        if key not in self.kept:
            self.kept[key] = self.indexes[variant].search(query.text, len(self.texts))
        return self.kept[key]

    def counted(self, query) -> dict[str, float]:
        """Return {chunk id: how many different content words of the question it holds}, oldest document first."""
        asked = _content(query.text)
        return {id: float(len(asked & words)) for id, words in self.words.items() if asked & words}


def _content(text: str) -> set[str]:
    return set(tokenize(text, stop_words=True, stem=True))


def frame(state: State, lists: Lists) -> dict:
    """Return what the picture shows: columns, lines with a cell for each column, and a last line of nDCG@10."""
    at = min(state.question, len(lists.queries) - 1)
    query = lists.queries[at]
    compare = {VARY[0]: _variants, VARY[1]: _ways, VARY[2]: _ties}[state.vary]
    number = f"question {at + 1} of {len(lists.queries)}" + (f" ({query.kind})" if query.kind else "")
    return {"vary": state.vary, "query": query.text, "number": number, **compare(query, lists)}


def _ndcg(ids: list[str], query, lists) -> float:
    """Return nDCG@10 of a ranked list of chunk ids."""
    shown, grades = experiment.pieces_shown(ids, lists.evidence[query.id])
    return float(metrics.ndcg_at_k(shown, grades, K))


def _line(id: str, query, lists, cells: list[dict], label: str | None = None, **more) -> dict:
    return {"id": id, "label": label or id, "grade": lists.qrels[query.id].get(id, 0), "cells": cells,
            "text": lists.texts.get(id, "")[:300], **more}


def _variants(query, lists) -> dict:
    """Compare the five variants of BM25: a line for each chunk, with its place and score under each."""
    hits = {variant: lists.ranked(query, variant) for variant in VARIANTS}
    place = {variant: {hit.id: (i, hit.score) for i, hit in enumerate(found, 1)} for variant, found in hits.items()}
    first, behind = place["lucene"], len(lists.texts) + 1  # what scores 0 stands behind all that is found

    def by_place(ids):
        return sorted(ids, key=lambda id: (first.get(id, (behind, 0.0))[0], id))

    answers = by_place(lists.qrels[query.id])[:LINES]
    others = by_place({hit.id for found in hits.values() for hit in found[:8]} - set(answers))
    ids = by_place(answers + others[: LINES - len(answers)])
    lines = []
    for id in ids:
        cells = []
        for variant in VARIANTS:
            at, score = place[variant].get(id, (0, 0.0))
            moved = (at or behind) - first.get(id, (behind, 0.0))[0]
            cells.append({"place": at, "score": score, "moved": moved})
        lines.append(_line(id, query, lists, cells))
    values = {variant: _ndcg([hit.id for hit in found], query, lists) for variant, found in hits.items()}
    return {"columns": {variant: "place, score" for variant in VARIANTS}, "lines": lines, "values": values}


def _ways(query, lists) -> dict:
    """Compare the three conventions of nDCG on one list: what each place adds, as gain times weight."""
    ids = [hit.id for hit in lists.ranked(query, "lucene")[:K]]
    shown, grades = experiment.pieces_shown(ids, lists.evidence[query.id])
    held = [id for i, id in enumerate(ids)  # the chunk of each entry: one that shows two pieces stands there twice
            for _ in range(len(experiment.pieces_shown(ids[: i + 1], lists.evidence[query.id])[0])
                           - len(experiment.pieces_shown(ids[:i], lists.evidence[query.id])[0]))]
    gains, lines = metrics.gains(shown, grades, K), []
    for rank, (id, gain) in enumerate(zip(held, gains, strict=False), 1):
        gain, one = float(gain), [0] * (rank - 1) + [1]
        common, first = float(metrics.dcg(one)), float(metrics.dcg_with_base(one))
        cells = [{"gain": g, "weight": w, "part": g * w}
                 for g, w in ((gain, common), (2**gain - 1, common), (gain, first))]
        lines.append(_line(id, query, lists, cells, rank=rank))
        lines[-1]["grade"] = int(gain)
    best = sorted(grades.values(), reverse=True)[:K]
    values = {way: float(value) for way, value in metrics.ndcg_conventions(shown, grades, K).items()}
    return {"columns": WAYS, "lines": lines, "values": values, "pieces": len(grades),
            "found": sum(gain > 0 for gain in gains),
            "more": {"their sum": [sum(line["cells"][way]["part"] for line in lines) for way in range(len(WAYS))],
                     "sum in the best order": [float(metrics.dcg(best)), float(metrics.dcg([2**g - 1 for g in best])),
                                               float(metrics.dcg_with_base(best))]}}


def _orders(query, lists) -> dict[str, list[str]]:
    """Return the chunks by the number of shared words, under each rule for ties."""
    scores = lists.counted(query)
    return {rule: metrics.rank_by_score(scores) if rule == "id ascending" else metrics.order_ties(scores, rule)
            for rule in TIES}


def _ties(query, lists) -> dict:
    """Compare three rules for ties, where the score is the number of shared words: a line for each place."""
    scores, orders, lines = lists.counted(query), _orders(query, lists), []
    for at, ids in enumerate(zip(*(order[:LINES] for order in orders.values()), strict=True), 1):
        cells = [{"id": id, "grade": lists.qrels[query.id].get(id, 0), "other": id != ids[0]} for id in ids]
        score = int(scores[ids[0]])
        lines.append(_line("", query, lists, cells, str(at), score=score))
    values = {rule: _ndcg(order, query, lists) for rule, order in orders.items()}
    answers = {rule: sorted(order.index(id) + 1 for id in lists.qrels[query.id] if id in scores)
               for rule, order in orders.items()}
    return {"columns": TIES, "lines": lines, "values": values, "answers": answers,
            "more": {"answers at": [_list(places) for places in answers.values()]},
            "tied": {int(score): list(scores.values()).count(score) for score in sorted(set(scores.values()))}}


def _list(places: list[int]) -> str:
    """Return places as words, at most four: "1 and 8"."""
    return " and ".join(map(str, places[:4])) + (" …" if len(places) > 4 else "") if places else "no place"


# ---- words

def describe(frame: dict) -> str:
    """Say what is compared, and nDCG@10 in each column."""
    values = ", ".join(f"{name} {draw.number(value)}" for name, value in frame["values"].items())
    return f"The question “{frame['query']}” under {len(frame['values'])} {frame['vary']}; nDCG@10: {values}."


def caption(frame: dict, before: dict | None = None) -> str:
    """Say what stays the same and what changes from column to column."""
    values = frame["values"].values()
    low, high = draw.number(min(values)), draw.number(max(values))
    number = f"nDCG@10 is {low} in every column" if low == high else f"nDCG@10 runs from {low} to {high}"
    if frame["vary"] == VARY[0]:
        moved = sum(any(cell["moved"] for cell in line["cells"]) for line in frame["lines"])
        scores = [cell["score"] for cell in frame["lines"][0]["cells"]]
        order = (f"{moved} of these {len(frame['lines'])} chunks change{'s' if moved == 1 else ''} place somewhere"
                 if moved else "no chunk changes its place")
        return (f"The same words, counted by five formulas: the first chunk scores from {draw.number(min(scores))} to "
                f"{draw.number(max(scores))}, so scores of two programs can't be compared. {order.capitalize()}; "
                f"{number}.")
    if frame["vary"] == VARY[1]:
        return (f"One list, one set of grades, three formulas: {number}. BM25 found {frame['found']} of "
                f"{frame['pieces']} pieces of evidence in ten places. A number without its convention can't be "
                f"compared with another.")
    line = frame["lines"][-1]["score"]
    places = list(dict.fromkeys(_list(each) for each in frame["answers"].values()))
    stands = ", or ".join(places) + (" under each of them" if len(places) == 1 else "")
    return (f"The score is the number of different words shared with the question, and {frame['tied'][line]} chunks "
            f"share {line}: the scores are the same in all three columns, the order is not. By the rule for ties, what "
            f"answers stands at {stands}; {number}.")


# ---- the picture

STYLE = """<style>
.fp-conventions { display: grid; margin-top: 8px; height: 378px; min-width: 870px; align-content: start; }
.fp-conventions > div { padding: 0 8px; height: 25px; line-height: 24px; font-size: 13px;
  white-space: nowrap; }
.fp-conventions .fp-head { height: 40px; line-height: 19px; font-size: 14px; }
.fp-conventions .fp-sum { font-size: 14px; border-top: 2px solid; height: 34px; line-height: 32px; }
.fp-title.fp-asked { font-size: 16px; line-height: 22px; height: 44px; overflow: hidden; }
.fp-held { background: #0072B2; color: #FFFFFF; border-radius: 4px; padding: 1px 6px; margin-right: 4px; }
</style>"""


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw a table: a column for each convention, a line for each chunk or place, nDCG@10 at the bottom."""
    notes = {VARY[0]: "▲ ▼ mark a place that differs from the first column",
             VARY[1]: "gain × weight of the place = what the place adds",
             VARY[2]: "score: different words of the question in the chunk"}[frame["vary"]]
    if expected:
        notes += "; outlined: the course's own function"
    cell = {VARY[0]: _place_cell, VARY[1]: _part_cell, VARY[2]: _tie_cell}[frame["vary"]]
    tie = frame["vary"] == VARY[2]
    head = "".join(f'<div class="fp-head"><b>{draw.escape(name)}</b><br><span class="fp-note fp-line">'
                   f'{draw.escape(note)}</span></div>' for name, note in frame["columns"].items())
    corner = {VARY[0]: "chunk", VARY[1]: "place and chunk", VARY[2]: "place, score"}[frame["vary"]]
    out = [f'<div class="fp-head fp-note">{corner}</div>{head}']
    last = None
    for line in frame["lines"]:
        new = tie and line["score"] != last  # a line above each group of equal scores
        last = line.get("score")
        edge = f"border-top:1px solid {draw.GREY};" if new else f"border-top:1px solid {draw.LINE};" if not tie else ""
        out.append(_label(line, edge, new) + "".join(cell(each, edge) for each in line["cells"]))
    edge = f"border-top:1px solid {draw.GREY}"
    for name, cells in frame.get("more", {}).items():
        words = [draw.number(each) if isinstance(each, float) else each for each in cells]
        if name == "their sum":
            columns = zip(*(line["cells"] for line in frame["lines"]), strict=True)
            signs = [draw.equals([cell["part"] for cell in column], total)
                     for column, total in zip(columns, cells, strict=True)]
            words = [word if sign == "=" else f"{sign} {word}" for sign, word in zip(signs, words, strict=True)]
        out.append(f'<div class="fp-note" style="{edge}">{name}</div>'
                   + "".join(f'<div style="{edge}">{each}</div>' for each in words))
    edge = f"border-color:{draw.INK}"
    sums = "".join(f'<div class="fp-sum" style="{edge}"><b>{draw.number(value)}</b>'
                   f'{_should(frame, expected, name)}</div>' for name, value in frame["values"].items())
    out.append(f'<div class="fp-sum" style="{edge}"><b>nDCG@{K}</b></div>{sums}')
    wide = "130px" if tie else "265px"
    return (f'<div class="fp-title fp-asked">{draw.escape(frame["query"])}</div>'
            f'<div class="fp-note fp-line">{draw.escape(frame["number"])}; {draw.escape(notes)}; '
            f'white on blue: the grade of what answers</div><div class="fp-scroll">'
            f'<div class="fp-conventions" style="grid-template-columns:{wide} repeat({len(frame["columns"])},1fr)">'
            f'{"".join(out)}</div></div>')


def short(id: str, room: int) -> str:
    """Return a chunk's id in at most `room` characters: the end, which tells two chunks apart, stays.

    >>> short("bill-of-a-long-name-2024#10", 16)
    'bill-of-a-lo…#10'
    """
    if len(id) <= room:
        return id
    name, mark, number = id.rpartition("#")
    end = mark + number if len(number) < room // 2 else ""
    return f"{(name if end else id)[: room - len(end) - 1]}…{end}"


def _held(id: str, grade: int, title: str = "", room: int = 60) -> str:
    """Return a chunk's id, shortened to `room` characters, tinted and with its grade where it answers."""
    id = short(id, room - 4 if grade else room)
    if not grade:
        return f'<span title="{draw.escape(title)}">{draw.escape(id)}</span>'
    return (f'<b class="fp-held">{grade}</b><span title="{draw.escape(title)}" style="background:'
            f'{draw.tint(draw.BLUE, 0.22)};border-bottom:2px solid {draw.BLUE};padding:1px 4px">{draw.escape(id)}'
            f'</span>')


def _label(line, edge, new) -> str:
    if "score" in line:
        words = f'{line["score"]} word{"" if line["score"] == 1 else "s"}' if new else "tied"
        look = "" if new else ' class="fp-note"'
        return (f'<div style="{edge}display:flex;gap:10px"><b style="width:20px;text-align:right">{line["label"]}</b>'
                f'<span{look} style="line-height:24px">{words}</span></div>')
    rank = f'<b style="display:inline-block;width:26px">{line["rank"]}</b>' if "rank" in line else ""
    chunk = _held(line["label"], line["grade"], line["text"], 29 if rank else 60)
    return f'<div class="fp-line" style="{edge}">{rank}{chunk}</div>'


def _place_cell(cell, edge) -> str:
    """Return a place and a score; where the place is another than in the first column, with an arrow and an outline."""
    if not cell["place"]:
        return f'<div style="{edge}" class="fp-note">score 0</div>'
    score = f'<span class="fp-note">{draw.number(cell["score"])}</span>'
    if not cell["moved"]:
        return f'<div style="{edge}"><b style="display:inline-block;width:62px">{cell["place"]}</b>{score}</div>'
    sign = "▲" if cell["moved"] < 0 else "▼"
    return (f'<div style="{edge}"><span style="display:inline-block;width:62px"><b style="border:2px solid {draw.NOW};'
            f'border-radius:4px;padding:0 4px;margin-left:-6px">{sign} {cell["place"]}</b></span>{score}</div>')


def _part_cell(cell, edge) -> str:
    """Return what a place adds; a dot where it adds nothing."""
    if not cell["gain"]:
        return f'<div style="{edge}" class="fp-note">0</div>'
    return (f'<div style="{edge}">{cell["gain"]:g} × {draw.number(cell["weight"])} = '
            f'<b>{draw.number(cell["part"])}</b></div>')


def _tie_cell(cell, edge) -> str:
    return f'<div class="fp-line" style="{edge}">{_held(cell["id"], cell["grade"], room=31)}</div>'


def _should(frame, expected, name) -> str:
    """Return the course's own value, where the learner's is another."""
    if not expected or draw.number(expected["values"][name]) == draw.number(frame["values"][name]):
        return ""
    return (f' <span class="fp-note" style="border:1.5px dashed {draw.INK};padding:1px 4px">expected '
            f'{draw.number(expected["values"][name])}</span>')


# ---- the explorer

def conventions(collection: Collection | None = None) -> Stage:
    """Show one question under five BM25 variants, three nDCG conventions or three rules for ties, side by side.

    The questions are a few of the split dev, by default of Larkspur; a button brings the next.
    """
    lists = Lists(collection or Collection.load("larkspur"))
    for query in lists.queries:  # so that no question waits
        for variant in VARIANTS:
            lists.ranked(query, variant)
    question = ipywidgets.IntText(0, layout={"display": "none"})  # its number; the picture shows the question
    vary = ipywidgets.ToggleButtons(options=VARY, style={"button_width": "150px"}, layout={"width": "auto"})

    def turn():
        question.value = (question.value + 1) % len(lists.queries)

    def run(values):
        state = State(**values)
        return guard(TASKS, lambda: frame(state, lists), lambda drawn: picture(drawn, None, None))

    return Stage("conventions", run, picture, describe, {"vary": vary}, {"question": question}, caption, style=STYLE,
                 above=[question], buttons=[another_question(turn)])
