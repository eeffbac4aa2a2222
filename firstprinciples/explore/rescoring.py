"""Lesson 12: look twice. Bits choose the candidates, the full vectors of these few put them in order.

For one real question of Larkspur the picture says where each of the true ten nearest chunks stands when only bits are
compared, how many of them are among those that are rescored, and how many come back. Below stands the mean over the
whole question set for every kind of storing, and what a search has to read.
"""

from dataclasses import dataclass
from functools import cache

import ipywidgets
import numpy as np

from firstprinciples.corpus import Collection
from firstprinciples.encode.stored import minilm
from firstprinciples.explore import draw
from firstprinciples.explore.guard import Trouble, guard
from firstprinciples.explore.quantize import choice
from firstprinciples.explore.stage import Stage, another_question
from firstprinciples.index import quantize
from firstprinciples.index.cosine import Exact
from firstprinciples.index.product import PQ, parts_for
from firstprinciples.index.short_vectors import Float16, Int8
from firstprinciples.swap import untouched

TASKS = ("quantize.hamming", "quantize.rescore")
K = 10
DEPTHS = (0, 10, 20, 30, 50, 100, 200, 400, 704)  # how many are rescored
QUESTIONS = (  # all of the half dev: 50 rescored bring its answer back; 200 do; bits are right by luck; bits do well
    "can I shut Mussel down over the weekend while we move cables?",
    "if Hesper Voss throws us out early do we see any of the money again that we put into sanding the shop floor?",
    "the $12,655.00, did that come in before it was due or after?",
    "how do I throw out old glue?")


@dataclass(frozen=True)
class State:
    """Which question, and how many of the nearest by bits are compared once more with their full vectors."""

    question: int = 0
    rescored: int = 0

    def __post_init__(self):
        object.__setattr__(self, "question", int(self.question) % len(QUESTIONS))
        object.__setattr__(self, "rescored", min(DEPTHS, key=lambda each: abs(each - self.rescored)))


@cache
def shelf() -> dict:
    """Return Larkspur's chunks in the order of their ids, their vectors and bits, and the same of all questions."""
    larkspur = Collection.load("larkspur")
    chunks = sorted(larkspur.chunks, key=lambda chunk: chunk.id)
    vectors = minilm().encode_passages([chunk.text for chunk in chunks])
    asked = minilm().encode_queries([query.text for query in larkspur.queries])
    place = {query.text: i for i, query in enumerate(larkspur.queries)}
    assert all(larkspur.queries[place[text]].split == "dev" for text in QUESTIONS)
    holders = {text: {id for _, ids in larkspur.evidence[larkspur.queries[place[text]].id] for id in ids}
               for text in QUESTIONS}
    with untouched():
        bits, asked_bits = quantize.to_bits(vectors), quantize.to_bits(asked)
    return {"ids": [chunk.id for chunk in chunks], "vectors": vectors, "bits": bits, "asked": asked,
            "asked_bits": asked_bits, "place": place, "holders": holders}


def nearest(similarities: np.ndarray, k: int) -> list[int]:
    """Return the positions of the k largest, ties by position."""
    return np.argsort(-similarities, kind="stable")[:k].tolist()


@cache
def means() -> dict:
    """Return {"kinds": {kind: recall@10 of exact}, "rescored": {how many: recall@10 of exact}} over all questions."""
    kept = shelf()
    exact = [set(nearest(kept["vectors"] @ query, K)) for query in kept["asked"]]
    names, dim = kept["ids"], kept["vectors"].shape[1]
    position = {id: i for i, id in enumerate(names)}
    with untouched():
        kinds = {}
        for kind, index in (("float32", Exact(dim)), ("float16", Float16(dim)), ("int8", Int8(dim)), ("PQ", PQ(dim))):
            index.add(kept["vectors"], names)
            kinds[kind] = _mean(len(exact[i] & {position[id] for id, _ in index.search(query, K)}) / K
                                for i, query in enumerate(kept["asked"]))
        orders = [np.argsort(quantize.hamming(bits, kept["bits"]), kind="stable") for bits in kept["asked_bits"]]
    rescored = {}
    for depth in DEPTHS:
        found = []
        for query, order, ten in zip(kept["asked"], orders, exact, strict=True):
            few = np.sort(order[:depth])  # by position, so that ties go by it
            best = few[nearest(kept["vectors"][few] @ query, K)] if depth else order[:K]
            found.append(len(ten & set(best.tolist())) / K)
        rescored[depth] = _mean(found)
    return {"kinds": kinds, "rescored": rescored}


def _mean(values) -> float:
    values = list(values)
    return sum(values) / len(values)


def frame(state: State) -> dict:
    """Return the true ten, where bits put them, what is found now, and what was read for it."""
    kept, text = shelf(), QUESTIONS[state.question]
    at, depth = kept["place"][text], state.rescored
    query, n, dim = kept["asked"][at], len(kept["ids"]), kept["vectors"].shape[1]
    exact = nearest(kept["vectors"] @ query, n)
    distances = np.asarray(quantize.hamming(kept["asked_bits"][at], kept["bits"]))
    if distances.shape != (n,) or distances.dtype.kind not in "iuf":
        raise Trouble(f"Your hamming has to give one number for each of the {n} rows of bits; it gave an array of "
                      f"shape {distances.shape}.")
    order = np.argsort(distances, kind="stable").tolist()
    found = order[:K]
    if depth:
        found = [int(position) for position, _ in quantize.rescore(query, order[:depth], kept["vectors"], K)]
        if len(set(found)) != K or not set(found) <= set(range(n)):
            raise Trouble(f"Your rescore gave {len(found)} positions for k = {K}; each of the best has to stand there "
                          "once.")
    by_bits, true = ({position: place for place, position in enumerate(each, 1)} for each in (order, exact))
    ten, holders = exact[:K], kept["holders"][text]
    held = [position for position in range(n) if kept["ids"][position] in holders]
    answer = min(held, key=true.get) if held else None
    return {"question": text, "rescored": depth, "n": n, "dim": dim,
            "true": [{"id": kept["ids"][position], "by_bits": by_bits[position], "found": position in found,
                      "answer": position in held} for position in ten],
            "bits": [_entry(kept, position, true, held) for position in order[:K]],
            "found": [_entry(kept, position, true, held) for position in found],
            "back": sum(position in ten for position in found),
            "answer": None if answer is None else {
                "true": true[answer], "bits": by_bits[answer],
                "now": found.index(answer) + 1 if answer in found else None},
            "read": {"codes": n * dim // 8, "full": depth * 4 * dim, "exact": n * 4 * dim},
            "recall": {**means()["kinds"], "binary": means()["rescored"][0],
                       "rescored": means()["rescored"][depth]}}


def _entry(kept, position, true, held) -> dict:
    """Return one line of a list: the chunk and its true place."""
    return {"id": kept["ids"][position], "true": true[position], "answer": position in held}


# ---- words

def describe(frame: dict) -> str:
    """Say where bits put the true ten, how many are found, the means, and what is read."""
    places = ", ".join(str(each["by_bits"]) for each in frame["true"])
    recall = frame["recall"]
    return (f"“{frame['question']}”: by bits the true ten stand at {places} of {frame['n']}. {_depth(frame)}, "
            f"{frame['back']} of them are found. Mean over all questions: int8 {recall['int8']:.3f}, PQ "
            f"{recall['PQ']:.3f}, binary {recall['binary']:.3f}, this setting {recall['rescored']:.3f}. Read: "
            f"{frame['read']['codes']:,} bytes of bits and {frame['read']['full']:,} of full vectors; exact search "
            f"reads {frame['read']['exact']:,}.")


def _depth(frame) -> str:
    return f"With {frame['rescored']} rescored" if frame["rescored"] else "By bits alone"


def caption(frame: dict, before: dict | None) -> str:
    """Say what comes back, and what it costs."""
    answer, read = frame["answer"], frame["read"]
    where = ""
    if answer:
        now = f"at place {answer['now']}" if answer["now"] else "not among the ten"
        where = f" The answer (★) is {_ordinal(answer['true'])} by the full vectors and {now} here."
    cost = (f"Read: {read['codes']:,} bytes of bits" + (f" and {frame['rescored']} full vectors, {read['full']:,} bytes"
                                                         if frame["rescored"] else "")
            + f"; all full vectors are {read['exact']:,}.")
    if before is None:
        inside = sum(each["by_bits"] <= frame["rescored"] for each in frame["true"])
        said = (f"{frame['back']} of the true ten are among the first ten by bits." if not frame["rescored"] else
                f"{inside} of the true ten are among the {frame['rescored']} that are rescored, and {frame['back']} "
                "are found.")
        return f"{said}{where} {cost}"
    return (f"From {before['rescored']} to {frame['rescored']} rescored: {before['back']} of the true ten become "
            f"{frame['back']}, and the mean goes from {before['recall']['rescored']:.3f} to "
            f"{frame['recall']['rescored']:.3f}.{where} {cost}")


def _ordinal(place: int) -> str:
    names = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
    return names[place - 1] if place <= len(names) else f"at place {place}"


# ---- the picture

STYLE = f"""<style>
.fp-rescore {{ min-width: 712px; }}
.fp-rescore-lists {{ display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); column-gap: 16px; }}
.fp-rescore-row {{ display: flex; gap: 7px; height: 22px; align-items: center; padding: 0 6px; }}
.fp-rescore-id {{ display: flex; flex: 1 1 60px; min-width: 60px; }}
.fp-rescore-true {{ background: {draw.tint(draw.BLUE, 0.22)}; box-shadow: inset 4px 0 0 {draw.BLUE}; }}
</style>"""
LEFT, WIDE = 2.0, 95.0  # the axis of places, in percent of the picture
BARS = (22.0, 49.0)  # where the bars begin, and how long 1 is
KINDS = ("float32", "float16", "int8", "PQ", "binary", "rescored")
SIZES = {"float32": lambda dim: 4 * dim, "float16": lambda dim: 2 * dim, "int8": lambda dim: dim,
         "PQ": parts_for, "binary": lambda dim: -(-dim // 8)}  # bytes of a vector


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw the axis of places by bits, three lists of ten, and the means as bars."""
    notes = ["pale: before the dial moved"] * bool(before) + ["“expected”: the course's own function"] * bool(expected)
    note = "; ".join(notes) or f"{frame['n']} chunks, {frame['dim']} bits each; blue: one of the true ten"
    lists = "".join(_list(*each, expected) for each in (
        ("by the full vectors", frame["true"], None), ("by bits alone", frame["bits"], "bits"),
        (f"by bits, then {frame['rescored']} rescored", frame["found"], "found") if frame["rescored"] else
        ("rescored: none yet", [], "found")))
    return (f'<div class="fp-title fp-line">Which of the true ten come back?</div><div class="fp-line fp-note"><code>'
            f'{draw.escape(frame["question"])}</code><span style="margin-left:20px">{draw.escape(note)}</span></div>'
            f'<div class="fp-scroll"><div class="fp-rescore">{_axis(frame)}<div class="fp-rescore-lists">{lists}</div>'
            f'{_means(frame, before)}</div></div>')


def _axis(frame) -> str:
    """Return the true ten on the axis of their places by bits, those that are rescored shaded."""
    def x(place):
        return LEFT + WIDE * np.log(place) / np.log(frame["n"])

    shapes = [draw.text(0, 14, "where bits put the true ten", 13, draw.GREY)]
    if frame["rescored"]:
        shapes.append(draw.box(f"{LEFT - 1.2}%", 57, f"{x(frame['rescored']) - LEFT + 1.6:.3f}%", 18,
                               fill=draw.tint(draw.ORANGE, 0.2), stroke=draw.ORANGE, dash="4 3"))
        shapes.append(draw.text(f"{x(frame['rescored']):.3f}%", 106, f"{frame['rescored']} rescored", 12, bold=True,
                                anchor="end" if frame["rescored"] > 300 else "middle"))
    shapes.append(draw.line(f"{LEFT}%", 66, f"{LEFT + WIDE}%", 66))
    for place in (1, 2, 5, 10, 20, 50, 100, 200, 400, frame["n"]):
        shapes += [draw.line(f"{x(place):.3f}%", 62, f"{x(place):.3f}%", 70),
                   draw.text(f"{x(place):.3f}%", 90, place, 12, draw.GREY, anchor="middle")]
    labels = draw.spread([float(x(each["by_bits"])) for each in frame["true"]], gap=3.3)
    for number, (each, place) in enumerate(zip(frame["true"], labels, strict=True), 1):
        fill, ink = (draw.BLUE, "#FFFFFF") if each["found"] else (draw.PAPER, draw.INK)
        shapes += [draw.line(f"{x(each['by_bits']):.3f}%", 66, f"{place:.3f}%", 46, draw.OTHER, 1.3),
                   f'<circle cx="{place:.3f}%" cy="36" r="11" style="fill:{fill};stroke:{draw.BLUE};stroke-width:2'
                   f'{"" if each["found"] else ";stroke-dasharray:4 3"}"/>',
                   draw.text(f"{place:.3f}%", 40.5, number, 13, ink, bold=True, anchor="middle")]
    return f'<div style="margin-top:8px">{draw.svg(112, *shapes)}</div>'


def _list(title, rows, key, expected) -> str:
    """Return one list of ten; of those by bits, the true place stands beside each chunk."""
    lines = [] if rows else [f'<div class="fp-rescore-row fp-note">{place}&ensp; ?</div>' for place in range(1, K + 1)]
    for place, row in enumerate(rows, 1):
        if key is None:
            note, true = f"bits {row['by_bits']}", True
        else:
            note, true = f"true {row['true']}", row["true"] <= K
            if expected and expected[key][place - 1]["id"] != row["id"]:
                note = f"expected {expected[key][place - 1]['id']}"
        star, (page, _, number) = "★ " if row["answer"] else "", row["id"].rpartition("#")
        lines.append(f'<div class="fp-rescore-row{" fp-rescore-true" if true else ""}"><span class="fp-note" '
                     f'style="width:18px">{place}</span><span class="fp-rescore-id"><span class="fp-line">{star}'
                     f'{draw.escape(page)}</span><span>#{draw.escape(number)}</span></span><span class="fp-note '
                     f'fp-line">{draw.escape(note)}</span></div>')
    return f'<div style="height:{22 * K + 32}px"><div style="height:28px"><b>{title}</b></div>{"".join(lines)}</div>'


def _means(frame, before) -> str:
    """Return recall@10 of exact search as bars: the mean over the whole question set."""
    head = "all 300 questions: the share of the true ten that is found, and the bytes of a vector"
    shapes = [draw.text(0, 14, head, 13, draw.GREY)]
    start, width = BARS
    for row, kind in enumerate(KINDS):
        y, value = 24 + 24 * row, frame["recall"][kind]
        name = {"rescored": f"binary, {frame['rescored']} rescored"}.get(kind, kind)
        color = draw.ORANGE if kind == "rescored" else draw.BLUE
        shapes += [draw.text(0, y + 14, name, 14, bold=kind == "rescored"),
                   draw.box(f"{start}%", y + 2, f"{width * value:.3f}%", 15, fill=color)]
        words = f"{value:.3f}" + (f" · {size(frame['dim']):,} bytes" if (size := SIZES.get(kind)) else "")
        if kind == "rescored" and before and before["rescored"] != frame["rescored"]:
            was = before["recall"][kind]
            shapes.append(draw.box(f"{start}%", y + 18, f"{width * was:.3f}%", 4, fill=draw.tint(draw.ORANGE, 0.45)))
            words += f" · was {was:.3f} with {before['rescored']}"
        shapes.append(draw.text(f"{start + width * value:.3f}%", y + 14, words, 13, bold=kind == "rescored", shift=8))
    shapes.append(draw.line(f"{start}%", 22, f"{start}%", 24 + 24 * len(KINDS)))
    return f'<div style="margin-top:10px">{draw.svg(28 + 24 * len(KINDS), *shapes)}</div>'


# ---- the explorer

def rescoring(rescored: int = 0) -> Stage:
    """Show for real questions which of the true ten nearest chunks bits alone find, and how many rescoring brings back.

    `rescored` is how many of the nearest by bits are compared with their full vectors: 0 (none) to all 704.
    """
    start = State(0, rescored)
    which = ipywidgets.IntText(start.question)  # never shown: the button turns it

    def turn():
        which.value = (which.value + 1) % len(QUESTIONS)

    dials = {"rescored": choice("rescored", start.rescored, DEPTHS, 64)}

    def run(values):
        state = State(**values)
        return guard(TASKS, lambda: frame(state), lambda drawn: picture(drawn, None, None))

    return Stage("rescoring", run, picture, describe, dials, {"question": which}, caption=caption, style=STYLE,
                 buttons=[another_question(turn)])
