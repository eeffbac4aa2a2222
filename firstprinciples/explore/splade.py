"""Lesson 14: which words a passage is filed under, token by token, and what lies in one of the drawers.

Each token of the passage gives each word a logit; the weight of a word is the largest log(1 + relu(logit)). The first
passage has logits made up so that all of them can be read. Those of the others are a real model's, taken down by
tests/benchmarks/bench_splade.py, so that the picture needs no model: only the words that got a weight are kept.
"""

from functools import cache

import ipywidgets
import numpy as np

from firstprinciples.encode.splade_tiny import shown
from firstprinciples.explore import draw
from firstprinciples.explore.guard import Trouble
from firstprinciples.explore.measured import measured
from firstprinciples.explore.stage import Stage
from firstprinciples.explore.stepper import stepper
from firstprinciples.retrieve import splade

TASKS = ("splade.term_weights", "splade.literal_and_added", "splade.impact_index")
MADE_UP = {
    "text": "the car is insured", "tokens": ["the", "car", "is", "insured"],
    "words": ["car", "insured", "insurance", "automobile", "vehicle", "the", "is", "tent"],
    "logits": [[-1.2, -2.0, -1.6, -2.1, -2.4, 0.4, -0.8, -3.0],
               [7.4, 0.9, 0.5, 3.2, 1.7, -1.0, -1.5, -0.8],
               [-0.5, -0.2, -0.9, -1.9, -2.2, -0.6, -0.3, -2.7],
               [1.1, 6.4, 4.5, 0.3, 0.8, -1.3, -1.1, -2.2]],
    "others": {"an automobile for sale": {"automobile": 1.8, "sale": 1.7, "car": 1.2, "price": 0.6},
               "a red tent": {"tent": 1.9, "red": 1.6, "camp": 0.8}},
    "drawers": ["automobile"]}
DRAWERS = {"our automobile is insured": ["car"], "fines for speeding are not covered": ["penalty", "murder"],
           "order LK-204-B": ["…k"]}  # which drawers each real passage opens
CODE = """weights = zeros(words)
for token in tokens:
    new = log(1 + relu(logits[token]))
    weights = maximum(weights, new)
filed = literal_and_added(tokens, weights)
index = impact_index(everything_filed)
index[word]""".split("\n")
NAME = "this passage"


@cache
def passages() -> list[dict]:
    """Return the passages: text, tokens, words, logits (tokens x words), how many words are filed in all, drawers.

    Raises FileNotFoundError with a sentence where the measured ones are missing.
    """
    stored = measured("splade")["pictures"]
    real = [each | {name: list(map(shown, each[name])) for name in ("tokens", "words")}
            | {"drawers": DRAWERS[each["text"]], "made_up": False} for each in stored["passages"]]
    return [MADE_UP | {"made_up": True, "filed": 6}, *real]


def drawers() -> dict:
    """Return what lies in the drawers of Larkspur's index: {word: {"chunks", "of", "top": [...]}}."""
    stored = measured("splade")["pictures"]["drawers"]
    return {shown(term): each | {"top": [slip | {"by": shown(slip["by"])} for slip in each["top"]]}
            for term, each in stored.items()}


# ---- the steps

def trace(passage: int = 0) -> list[dict]:
    """Return one frame for each decision: each token read, the words parted, each drawer opened."""
    kept = passages()[passage % len(passages())]
    tokens, words, logits = kept["tokens"], kept["words"], np.array(kept["logits"])
    shared = {"text": kept["text"], "made_up": kept["made_up"], "tokens": tokens, "words": words,
              "logits": kept["logits"], "filed": kept["filed"], "written": [word in tokens for word in words],
              "parts": None, "drawer": None, "now": None}
    frames = [shared | {"weights": _weights(logits, 0), "read": 0, "lines": [0], "title": "No word has a weight yet",
                        "why": f"The passage has {len(tokens)} tokens. Each will say, for each word of the vocabulary, "
                               f"how well that word would fit in its place: a logit."}]
    for place, token in enumerate(tokens):
        before, weights = frames[-1]["weights"], _weights(logits, place + 1)
        frames.append(shared | {"weights": weights, "read": place + 1, "now": place, "lines": [1, 2, 3],
                                **_said(token, words, logits[place], before, weights)})
    parts = splade.literal_and_added(tokens, {word: weight for word, weight in zip(words, weights, strict=True)
                                              if weight > 0})
    parts = {side: [str(word) for word in parts[side]] for side in ("literal", "added")}
    frames.append(shared | {"weights": weights, "read": len(tokens), "parts": parts, "lines": [4],
                            "title": f"{len(parts['literal'])} words stand in the text, {len(parts['added'])} are "
                                     "added", "why": _parted(kept, weights, parts)})
    for term in kept["drawers"]:
        frames.append(shared | {"weights": weights, "read": len(tokens), "parts": parts, "lines": [5, 6],
                                **_opened(kept, weights, term)})
    return [frame | {"step": step, "steps": len(frames)} for step, frame in enumerate(frames, 1)]


def _weights(logits, read: int) -> list[float]:
    """Return the weight of each word after so many tokens."""
    mask = np.arange(len(logits)) < read
    weights = np.asarray(splade.term_weights(logits, mask), dtype=float)
    if weights.shape != (logits.shape[1],):
        raise Trouble(f"Your term_weights has to give one number for each of the {logits.shape[1]} words; it gave an "
                      f"array of shape {weights.shape}.")
    return weights.tolist()


def _said(token, words, logits, before, weights) -> dict:
    """Return title and reason of a step: which words this token files the passage under, and the largest worked out."""
    new = [i for i in range(len(words)) if weights[i] > before[i] + 1e-12]
    if not new:
        above = int((logits > 0).sum())
        why = ("All its logits are below 0 here, and relu makes 0 of them." if not above else
               "What it says is above 0 for some words, and smaller than what they have.")
        return {"title": f"“{token}” changes nothing", "why": why}
    best = max(new, key=lambda i: weights[i])
    lower = sum(0 < logits[i] and i not in new for i in range(len(words)))
    why = (f"Logit {draw.number(logits[best])} for “{words[best]}”: log(1 + {draw.number(logits[best])}) = "
           f"{draw.number(np.log1p(logits[best]))}"
           + (f", more than the {draw.number(before[best])} so far." if before[best] > 0 else ".")
           + (f" For {_count(lower, 'word')} it says less than they have: the maximum stays." if lower else ""))
    listed = ", ".join(words[i] for i in sorted(new, key=lambda i: -weights[i])[:4])
    more = f" and {len(new) - 4} more" if len(new) > 4 else ""
    return {"title": f"“{token}” files it under {listed}{more}", "why": why}


def _parted(kept, weights, parts) -> str:
    """Return what there is to say about the two groups."""
    lost = [token for token in dict.fromkeys(kept["tokens"]) if token[0] != "[" and token not in parts["literal"]]
    left = kept["filed"] - sum(weight > 0 for weight in weights)
    said = f"The passage will lie in {kept['filed']} drawers"
    said += f", of which {left} with small weights are not shown." if left > 0 else "."
    if lost:
        said += f" Not filed under {' and '.join(f'“{token}”' for token in lost[:3])}, which it says: no weight."
    return said


def _opened(kept, weights, term) -> dict:
    """Return the step that opens a drawer: what lies in it beside this passage, the heaviest first."""
    mine = weights[kept["words"].index(term)]
    if kept["made_up"]:
        filed = {word: weight for word, weight in zip(kept["words"], weights, strict=True) if weight > 0}
        names = [kept["text"], *kept["others"]]
        index = splade.impact_index([filed, *kept["others"].values()])
        slips = [{"id": names[position], "weight": float(weight), "literal": term in names[position],
                  "around": "", "by": "", "mine": position == 0} for position, weight in index.get(term, [])]
        chunks, of = len(slips), len(names)
        absent = [name for name in names if name not in {slip["id"] for slip in slips}]
    else:
        stored = drawers()[term]
        chunks, of, absent = stored["chunks"], stored["of"], []
        slips = [each | {"mine": False} for each in stored["top"]]
        slips.append({"id": NAME, "weight": float(mine), "literal": term in kept["tokens"], "around": kept["text"],
                      "by": "", "mine": True})
    for slip in slips:
        if slip["mine"]:
            slip["by"] = kept["tokens"][int(np.array(kept["logits"])[:, kept["words"].index(term)].argmax())]
    slips.sort(key=lambda slip: (-slip["weight"], slip["id"]))
    added = [slip for slip in slips if not slip["literal"]]
    thing = "passages" if kept["made_up"] else "chunks"
    title = f"The drawer “{term}”, read backwards: {chunks} of {of} {thing}"
    by = [f"“{word}”" for word in dict.fromkeys(slip["by"] for slip in added)]
    by = " and ".join([", ".join(by[:-1]), by[-1]] if len(by) > 1 else by)
    says = len(slips) - len(added)
    why = f"All that are shown say “{term}”."
    if added:
        why = (f"None of those shown says “{term}”; {by} put them here." if not says else
               f"Of those shown, {says} say{'s' * (says == 1)} “{term}”; {by} put the rest here.")
    if not kept["made_up"]:
        why += f" {chunks} of Larkspur's chunks lie in this drawer; the passage above is put beside them."
    return {"title": title, "why": why, "drawer": {"term": term, "slips": slips, "chunks": chunks, "absent": absent}}


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def describe(frame: dict) -> str:
    """Say which decision this is, why, and the weights there are."""
    said = f"Step {frame['step']} of {frame['steps']}, “{frame['text']}”: {frame['title']}. {frame['why']}"
    if frame["drawer"]:
        slips = ", ".join(f"{slip['id']} {draw.number(slip['weight'])}" for slip in frame["drawer"]["slips"])
        return f"{said} In it lie {slips}."
    weights = ", ".join(f"{word} {draw.number(weight)}" for word, weight in
                        zip(frame["words"], frame["weights"], strict=True) if weight > 0)
    return f"{said} Weights: {weights}." if weights else said


# ---- the picture

STYLE = f"""<style>
.fp-filed {{ display: grid; grid-template-columns: minmax(0, 1fr) 320px; column-gap: 16px; margin-top: 6px;
  min-width: 780px; }}
.fp .fp-filed code {{ font-size: 12px; line-height: 20px; height: 20px; padding: 0 8px; display: block; }}
.fp .fp-filed code.fp-filed-line {{ background: {draw.tint(draw.NOW, 0.18)}; box-shadow: inset 4px 0 {draw.NOW}; }}
.fp-filed-token {{ border-radius: 4px; padding: 1px 6px; margin-right: 3px; border: 1px solid {draw.LINE};
  display: inline-block; line-height: 20px; font-family: {draw.MONO}; font-size: 13px; }}
.fp-filed-now {{ box-shadow: 0 0 0 2.5px {draw.NOW}; }}
.fp-slips {{ min-width: 780px; padding-top: 6px; }}
.fp-slips-row {{ display: grid; grid-template-columns: 250px 190px 106px minmax(0, 1fr); column-gap: 10px;
  align-items: center; height: 44px; border-bottom: 1px solid {draw.LINE}; padding: 0 8px; }}
.fp-slips-mine {{ box-shadow: inset 4px 0 {draw.NOW}; }}
</style>"""
HEAD, ALL = 48, 384  # pixels above the table for the tokens, and of the whole where a passage fills it
LEFT, CELL = 108, 50  # of the words' column and of a token's column
HIGH = 2.7  # the largest weight that a bar has room for


def sizes(frame: dict) -> tuple[int, int]:
    """Return the height of a row and of all below the code, in pixels; few words have higher rows.

    All steps of a passage get one height, so that nothing jumps.
    """
    row = min((ALL - HEAD) // len(frame["words"]), 28)
    return row, HEAD + row * len(frame["words"]) + 8


def picture(frame: dict, expected: dict | None = None) -> str:
    """Draw the passage beside the code, and below either the table of logits or a drawer."""
    read = frame["read"]
    tokens = "".join(f'<span class="fp-filed-token{" fp-filed-now" if place == frame["now"] else ""}" style="'
                     f'{"" if place < read else f"color:{draw.GREY};"}">{draw.escape(token)}</span>'
                     for place, token in enumerate(frame["tokens"]))
    lines = "".join(f'<code class="{"fp-filed-line" if i in frame["lines"] else ""}">{draw.escape(each)}</code>'
                    for i, each in enumerate(CODE))
    source = "logits made up for this page" if frame["made_up"] else "logits of a real model, splade-tiny"
    below = _drawer(frame) if frame["drawer"] else _table(frame, expected)
    return (f'<div class="fp-title fp-line">{draw.escape(frame["title"])}</div>'
            f'<div class="fp-note fp-line">step {frame["step"]} of {frame["steps"]}; {source}</div>'
            f'<div class="fp-scroll"><div class="fp-filed"><div><div style="height:30px;font-size:16px">'
            f'{draw.escape(frame["text"])}</div><div style="height:60px">{tokens}</div><div class="fp-note">'
            f'{_legend(frame)}</div></div><div>{lines}</div></div>{below}</div>')


def _legend(frame) -> str:
    if frame["parts"] is None:
        pieces = any(token[0] == "…" for token in frame["tokens"])
        return ("white figures: the token that gives a word its weight"
                + ("; “…”: goes on inside a word" if pieces else "")
                + ("; [CLS], [SEP]: where it begins and ends" if "[CLS]" in frame["tokens"] else ""))
    return (f'{draw.swatch(draw.BLUE)}stands in the text&emsp;{draw.swatch(draw.ORANGE)}added by the model '
            f'(underlined)')


def _table(frame, expected) -> str:
    """Return the logits, a row for each word and a column for each token, and the weights as bars to the right."""
    words, tokens, parts = frame["words"], frame["tokens"], frame["parts"]
    logits, right = np.array(frame["logits"]), LEFT + CELL * len(tokens) + 14
    high, whole = sizes(frame)
    middle = (high - 21) // 2  # what is written stands in the middle of a row
    unit = (780 - right - 60) / HIGH  # pixels of a weight of 1
    shapes = [draw.text(LEFT - 10, HEAD - 12, "word", 12, draw.GREY, anchor="end"),
              draw.text(right, HEAD - 12, "weight", 12, draw.GREY)]
    for place, token in enumerate(tokens):
        x = LEFT + CELL * place
        if place == frame["now"]:
            shapes.append(draw.box(x, HEAD - 28, CELL - 2, high * len(words) + 30, stroke=draw.NOW, thick=2.5,
                                   radius=4))
        shapes.append(draw.text(x + CELL / 2 - 1, HEAD - 12, token if len(token) < 8 else token[:6] + "…", 12,
                                draw.INK if place < frame["read"] else draw.GREY, anchor="middle", mono=len(token) < 6))
    for row, word in enumerate(words):
        y, weight = HEAD + high * row + middle, frame["weights"][row]
        added = parts is not None and word in parts["added"]
        literal = parts is not None and word in parts["literal"]
        color = draw.ORANGE if added else draw.BLUE if literal else draw.SKY
        name = draw.text(LEFT - 10, y + 15, word, 14, draw.INK if weight > 0 else draw.GREY, bold=weight > 0,
                         anchor="end")
        shapes.append(name.replace('style="', 'style="text-decoration:underline;') if added else name)
        held = logits[: frame["read"], row]
        best = int(held.argmax()) if len(held) and held.max() > 0 else None
        for place in range(len(tokens)):
            x, value = LEFT + CELL * place, float(logits[place, row])
            if place >= frame["read"]:
                shapes.append(draw.text(x + CELL / 2, y + 15, "?", 12, draw.GREY, anchor="middle"))
                continue
            if place == best:
                shapes.append(draw.box(x + 2, y + 1, CELL - 6, 18, fill=draw.BLUE, radius=4))
            ink = "#FFFFFF" if place == best else draw.INK if value > 0 else draw.GREY
            shown = f"{value:.1f}".replace("-", "−") if abs(value) >= 0.05 else f"{value:.2f}".replace("-", "−")
            shapes.append(draw.text(x + CELL / 2, y + 15, shown, 12, ink, bold=place == best, anchor="middle"))
        shapes.append(draw.box(right, y + 3, round(min(max(weight, 0), HIGH) * unit, 1), 14, fill=color))
        said = draw.number(weight) if frame["read"] else "?"
        if expected and draw.number(expected["weights"][row]) != draw.number(weight):
            should = expected["weights"][row]
            shapes.append(draw.box(right, y + 1, round(should * unit, 1), 18, stroke=draw.INK, dash="4 3"))
            said += f" · expected {draw.number(should)}"
        shapes.append(draw.text(right + round(min(max(weight, 0), HIGH) * unit, 1), y + 15, said, 13, shift=6,
                                bold=weight > 0))
    shapes.append(draw.line(right, HEAD - 2, right, HEAD + high * len(words)))
    return f'<div style="min-width:780px;height:{whole}px">{draw.svg(whole, *shapes, width="780")}</div>'


def _drawer(frame) -> str:
    """Return a drawer: a slip for each passage, with its weight and the word that put it there."""
    drawer, rows = frame["drawer"], []
    for slip in drawer["slips"]:
        color = draw.BLUE if slip["literal"] else draw.ORANGE
        width = 100 * min(slip["weight"], HIGH) / HIGH
        shape = draw.svg(22, draw.box(0, 3, f"{width:.2f}%", 16, fill=color),
                         draw.text(f"{width:.2f}%", 16, draw.number(slip["weight"]), 13, shift=6, bold=True))
        how = "says it" if slip["literal"] else f"“{slip['by']}”" if slip["by"] else "added"
        around = f"… {slip['around']} …" if slip["around"] else ""
        rows.append(f'<div class="fp-slips-row{" fp-slips-mine" if slip["mine"] else ""}"><span class="fp-line">'
                    f'{"<b>" if slip["mine"] else ""}{draw.escape(slip["id"])}{"</b>" if slip["mine"] else ""}</span>'
                    f'<div style="padding-right:44px">{shape}</div><span class="fp-line">{draw.escape(how)}</span>'
                    f'<span class="fp-note fp-line">{draw.escape(around)}</span></div>')
    head = ('<div class="fp-slips-row fp-note" style="height:28px"><span>filed here</span><span>weight</span>'
            f'<span>put there by</span><span>{"" if frame["made_up"] else "where that stands"}</span></div>')
    others = drawer["chunks"] - sum(not slip["mine"] for slip in drawer["slips"])
    more = f"and {_count(others, 'chunk')} more, of lower weight" if others > 0 else ""
    if frame["made_up"]:
        more = " and ".join(f"“{name}”" for name in drawer["absent"])
        more = f"not in this drawer: {more}" if more else ""
    more = f'<div class="fp-note" style="padding:6px 8px">{draw.escape(more)}</div>' if more else ""
    return f'<div class="fp-slips" style="height:{sizes(frame)[1]}px">{head}{"".join(rows)}{more}</div>'


# ---- the explorer

def filed_under(passage: int = 0) -> Stage:
    """Step through a passage's tokens and see which words each files it under; then open a drawer of the index.

    `passage` is 0 for the one whose logits are made up, and 1 to 3 for real ones; a button turns to the next.
    """
    n = len(passages())
    if isinstance(passage, bool) or not isinstance(passage, int) or not 0 <= passage < n:
        raise ValueError(f"passage is {passage!r}; it is a whole number from 0 to {n - 1}.")
    which = ipywidgets.IntText(passage)  # never shown: the button turns it
    button = ipywidgets.Button(description="Another passage", layout={"width": "150px"})

    def turn(_):
        which.value = (which.value + 1) % n

    button.on_click(turn)
    return stepper("filed_under", trace, picture, describe, TASKS, lambda frame, _: frame["why"], STYLE,
                   texts={"passage": which}, above=[button])
