"""Lesson 14: the FLOPS weight turned. Words vanish, the commonest first, and recall answers.

The small model of encode/expansion.py was trained anew under each of these weights by tests/benchmarks/bench_splade.py;
nothing is trained while you turn. The dial goes through what was measured.
"""

from dataclasses import dataclass

import ipywidgets

from firstprinciples.explore import draw
from firstprinciples.explore.guard import guard
from firstprinciples.explore.measured import measured
from firstprinciples.explore.stage import Stage
from firstprinciples.retrieve import splade

TASKS = ("splade.literal_and_added", "splade.strongest")
ROWS = 14  # words of a passage that the picture has room for


def figures() -> dict:
    """Return what was measured under each weight. Raises FileNotFoundError where the file is missing."""
    return measured("splade")["dial"]


@dataclass(frozen=True)
class State:
    """Which of the measured weights, by its place from 0, and which of the passages."""

    place: int = 0
    passage: int = 0

    def __post_init__(self):
        object.__setattr__(self, "place", min(max(int(self.place), 0), len(figures()["settings"]) - 1))
        object.__setattr__(self, "passage", int(self.passage) % len(figures()["passages"]))


def frame(state: State) -> dict:
    """Return a passage's words under this weight, what a search costs and finds, and what became of some words."""
    kept, chosen = figures(), figures()["settings"][state.place]
    passage, weights = kept["passages"][state.passage], chosen["examples"][state.passage]
    top = splade.strongest(weights, ROWS)
    parts = splade.literal_and_added(passage["terms"], weights)
    words = [[str(word), float(weight), word in parts["literal"]] for word, weight in top.items()]
    rows = [{key: setting[key] for key in ("lambda", "terms", "recall", "postings")} for setting in kept["settings"]]
    filed, added = chosen["filed"][state.passage], chosen["added"][state.passage]
    return {"place": state.place, "lambda": chosen["lambda"], "text": passage["text"], "words": words, "filed": filed,
            "literal": filed - added, "added": added, "rows": rows, "common": chosen["common"], "pool": kept["pool"],
            "bm25": kept["bm25"], **{key: chosen[key] for key in ("terms", "recall", "postings")}}


# ---- words

def weight_text(value: float) -> str:
    """Return a FLOPS weight as the picture writes it.

    >>> weight_text(0.0), weight_text(0.003), weight_text(0.1)
    ('0', '0.003', '0.1')
    """
    return f"{value:g}"


def describe(frame: dict) -> str:
    """Say what this weight leaves of the passage, and what a search reads and finds."""
    words = ", ".join(f"{word} {draw.number(weight)}" for word, weight, _ in frame["words"][:6])
    return (f"FLOPS weight {weight_text(frame['lambda'])}. “{frame['text']}” is filed under {frame['filed']:,} words, "
            f"{frame['literal']} of its own and {frame['added']:,} added: {words}. Over {frame['pool']} passages: "
            f"{frame['terms']:,.0f} words a passage, {frame['postings']:,.0f} cards read for a question, recall@10 "
            f"{frame['recall']:.3f}.")


def caption(frame: dict, before: dict | None) -> str:
    """Say what the dial did, or where the weight stands."""
    if before is None or before["text"] != frame["text"]:
        return (f"Recall@10 {frame['recall']:.3f} on {frame['pool']} questions about topics that were never trained "
                f"on, each with one right passage of {frame['pool']}; BM25 has {frame['bm25']:.3f}. A question reads "
                f"{frame['postings']:,.0f} cards.")
    return (f"From {weight_text(before['lambda'])} to {weight_text(frame['lambda'])}: this passage lies in "
            f"{frame['filed']:,} drawers instead of {before['filed']:,}; a question reads {frame['postings']:,.0f} "
            f"cards instead of {before['postings']:,.0f}, and recall@10 goes from {before['recall']:.3f} to "
            f"{frame['recall']:.3f}.")


# ---- the picture

STYLE = """<style>
.fp-sparse { display: grid; grid-template-columns: 372px minmax(0, 1fr); column-gap: 28px; min-width: 866px;
  margin-top: 8px; }
</style>"""
ROW = 21
NAME, RECALL = 112, 360  # pixels of a word's column, and of a recall of 1


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw the passage's words as bars, beside the table of all weights and words from common to rare."""
    note = "pale: before the dial moved" if before else "the same model, trained once under each weight"
    note += "; dashed: the course's own function" if expected else ""
    if before and before["text"] != frame["text"]:
        before = None
    return (f'<div class="fp-title fp-line">What is left when every word costs something?</div>'
            f'<div class="fp-note fp-line">FLOPS weight {weight_text(frame["lambda"])}; {note}</div>'
            f'<div class="fp-scroll"><div class="fp-sparse"><div>{_words(frame, before, expected)}</div>'
            f'<div>{_table(frame, before)}{_common(frame, before)}</div></div></div>')


def _words(frame, before, expected) -> str:
    """Return the heaviest words of the passage, literal and added ones in two colors."""
    old = {word: weight for word, weight, _ in before["words"]} if before else {}
    gone = [word for word in old if word not in {each[0] for each in frame["words"]}]
    most = max([1.0, *(weight for _, weight, _ in frame["words"]), *old.values()])
    shapes, unit = [], (372 - NAME - 50) / most
    for row, (word, weight, literal) in enumerate(frame["words"]):
        y, color = ROW * row, draw.BLUE if literal else draw.ORANGE
        shapes.append(draw.text(NAME - 8, y + 15, word, 14, bold=literal, anchor="end"))
        if word in old:
            shapes.append(draw.box(NAME, y + 16, round(old[word] * unit, 1), 3, fill=draw.tint(color, 0.4)))
        shapes.append(draw.box(NAME, y + 3, round(max(weight, 0) * unit, 1), 12, fill=color))
        shapes.append(draw.text(NAME + round(max(weight, 0) * unit, 1), y + 14, draw.number(weight), 13, shift=6))
        if expected and row < len(expected["words"]) and expected["words"][row][0] != word:
            shapes.append(draw.text(370, y + 14, f"expected {expected['words'][row][0]}", 12, draw.GREY, anchor="end"))
    shapes.append(draw.line(NAME, 0, NAME, ROW * max(len(frame["words"]), 1)))
    rest = frame["filed"] - len(frame["words"])
    under = f"and {rest:,} lighter ones" if rest > 0 else ""
    if gone:
        under = f"gone from these rows: {', '.join(gone[:4])}{' …' if len(gone) > 4 else ''}"
    legend = (f'{draw.swatch(draw.BLUE)}<b>in the text</b> ({frame["literal"]})&emsp;{draw.swatch(draw.ORANGE)}added '
              f'({frame["added"]:,})')
    return (f'<div style="height:66px;line-height:21px;overflow:hidden">“{draw.escape(frame["text"])}”</div>'
            f'<div class="fp-note" style="height:26px">{legend}</div>{draw.svg(ROW * ROWS, *shapes)}'
            f'<div class="fp-note fp-line" style="height:22px">{draw.escape(under)}</div>')


def _table(frame, before) -> str:
    """Return a row for each weight: how many words a passage has, and what is found; the chosen one framed."""
    most = max(row["terms"] for row in frame["rows"])
    shapes = [draw.text(0, 14, "FLOPS weight", 12, draw.GREY), draw.text(112, 14, "words a passage", 12, draw.GREY),
              draw.text(292, 14, "recall@10", 12, draw.GREY)]
    for place, row in enumerate(frame["rows"]):
        y, now = 24 + 23 * place, place == frame["place"]
        was = before and place == before["place"]
        if now or was:
            shapes.append(draw.box(-6, y - 2, 462, 22, stroke=draw.NOW if now else draw.OTHER, radius=4,
                                   thick=2.2 if now else 1.2, dash="" if now else "4 3"))
        shapes.append(draw.text(86, y + 14, weight_text(row["lambda"]), 14, bold=now, anchor="end"))
        long = round(96 * row["terms"] / most, 1)
        shapes.append(draw.box(112, y + 4, long, 10, fill=draw.BLUE))
        shapes.append(draw.text(112 + long, y + 14, f"{row['terms']:,.0f}", 13, shift=6, bold=now))
        shapes.append(draw.box(292, y + 4, round(RECALL * row["recall"], 1), 10, fill=draw.GREEN))
        shapes.append(draw.text(292 + round(RECALL * row["recall"], 1), y + 14, f"{row['recall']:.3f}", 13, shift=6,
                                bold=now))
    height = 46 + 23 * len(frame["rows"])
    known = round(292 + RECALL * frame["bm25"], 1)
    shapes.append(draw.line(known, 22, known, height - 18, draw.INK, 1.2, "4 3"))
    shapes.append(draw.text(known, height - 5, f"BM25 {frame['bm25']:.3f}", 12, anchor="middle"))
    return f'<div style="height:{height}px;padding-left:6px">{draw.svg(height, *shapes)}</div>'


def _common(frame, before) -> str:
    """Return some words, from common to rare: of the passages that say one, how many are still filed under it."""
    was = {word: share for word, share, _ in before["common"]} if before else {}
    shapes = [draw.text(0, 14, "of the passages that say a word, how many are still filed under it", 12, draw.GREY)]
    for place, (word, share, n) in enumerate(frame["common"]):
        y = 22 + ROW * place
        shapes.append(draw.text(62, y + 14, word, 14, anchor="end"))
        if word in was:
            shapes.append(draw.box(72, y + 16, round(276 * was[word], 1), 3, fill=draw.tint(draw.PURPLE, 0.5)))
        shapes.append(draw.box(72, y + 3, round(276 * share, 1), 12, fill=draw.PURPLE))
        shapes.append(draw.text(72 + round(276 * share, 1), y + 14, f"{round(share * n)} of {n}", 13, shift=6))
    height = 26 + ROW * len(frame["common"])
    shapes.append(draw.line(72, 22, 72, height - 4))
    return f'<div style="margin-top:10px;height:{height}px;padding-left:6px">{draw.svg(height, *shapes)}</div>'


# ---- the explorer

def flops_dial(place: int = 0) -> Stage:
    """Turn the FLOPS weight through the values that were trained, and see which words go and what is found.

    `place` is where the dial starts, from 0: the smallest weight.
    """
    start = State(place)
    options = [(weight_text(setting["lambda"]), i) for i, setting in enumerate(figures()["settings"])]
    weight = ipywidgets.SelectionSlider(options=options, value=start.place, description="FLOPS weight",
                                        tooltip="FLOPS weight", style={"description_width": "92px"},
                                        layout={"width": "330px"})
    which = ipywidgets.IntText(start.passage)  # never shown: the button turns it
    button = ipywidgets.Button(description="Another passage", layout={"width": "150px"})

    def turn(_):
        which.value = (which.value + 1) % len(figures()["passages"])

    button.on_click(turn)

    def run(values):
        state = State(**values)
        return guard(TASKS, lambda: frame(state), lambda drawn: picture(drawn, None, None))

    return Stage("flops_dial", run, picture, describe, {"place": weight}, {"passage": which}, caption=caption,
                 style=STYLE, buttons=[button])
