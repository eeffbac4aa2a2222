"""Lesson 15: passages filled up to one length, so that they fit into one array, and what the filling does to the score.

The passages are short and have nothing to do with the question, so that nearly every similarity lies below 0. A place
that is only filled up holds zeros, its similarity is 0, and 0 is more than any of these.
"""

from dataclasses import dataclass

import numpy as np

from firstprinciples.explore import draw
from firstprinciples.explore.guard import Trouble, guard
from firstprinciples.explore.maxsim import cell, tokens_of
from firstprinciples.explore.stage import Stage, toggles
from firstprinciples.retrieve import maxsim

TASKS = ("maxsim.maxsim_padded",)
QUESTION = "how much do we owe"
PASSAGES = ("trail map", "hiking boots", "tent", "camp stove")
LONGER = "warm wool socks"
FILLED = {"one by one": "alone", "in a batch": "batch", "with a longer one": "longer"}


@dataclass(frozen=True)
class State:
    """Which passages are filled up to one length, and whether a mask says which places are real."""

    filled: str = "alone"
    masked: bool = False

    def __post_init__(self):
        if self.filled not in FILLED.values() or not isinstance(self.masked, bool):
            raise ValueError(f"filled is one of {', '.join(FILLED.values())}; masked is True or False.")


def frame(state: State) -> dict:
    """Return for each passage its places, their similarities with each word of the question, and the score."""
    asked, q = tokens_of(QUESTION, "query")
    texts = [*PASSAGES, LONGER]
    found = [tokens_of(text, "passage") for text in texts]
    longest = {"alone": 0, "batch": max(len(words) for words, _ in found[:-1]), "longer": len(found[-1][0])}
    slots = [max(len(words), longest[state.filled]) for words, _ in found]
    scores = []
    if state.filled == "alone":
        scores = [_scored(q, d[None], np.ones((1, len(d)), dtype=bool))[0] for _, d in found]
    else:
        for group in ([*range(len(PASSAGES))], [len(PASSAGES)]) if state.filled == "batch" else ([*range(len(texts))],):
            filled = np.zeros((len(group), slots[group[0]], q.shape[1]))
            mask = np.zeros(filled.shape[:2], dtype=bool)
            for row, i in enumerate(group):
                filled[row, : len(found[i][1])] = found[i][1]
                mask[row, : len(found[i][1])] = True
            scores += _scored(q, filled, mask if state.masked else np.ones_like(mask))
    pages = [{"text": text, "words": list(words), "grid": np.round(q @ d.T, 9).tolist(),
              "empty": slots[i] - len(words), "score": scores[i], "true": float((q @ d.T).max(axis=1).sum())}
             for i, (text, (words, d)) in enumerate(zip(texts, found, strict=True))]
    return {"filled": state.filled, "masked": state.masked, "asked": list(asked), "pages": pages}


def _scored(q, filled, mask) -> list[float]:
    """Return what `maxsim_padded` gives, as numbers."""
    scores = np.asarray(maxsim.maxsim_padded(q.copy(), filled, mask), dtype=float)
    if scores.shape != (len(filled),):
        raise Trouble(f"Your maxsim_padded has to give {len(filled)} scores, one for each document; it gave the shape "
                      f"{scores.shape}.")
    return scores.tolist()


# ---- words

def order(frame: dict, key: str = "score") -> list[str]:
    """Return the passages, best first."""
    return [page["text"] for page in sorted(frame["pages"], key=lambda page: (-round(page[key], 9), page["text"]))]


def _tied(frame) -> bool:
    """Return whether two passages have the same score."""
    return len({round(page["score"], 9) for page in frame["pages"]}) < len(frame["pages"])


def _setting(frame) -> str:
    way = next(words for words, value in FILLED.items() if value == frame["filled"])
    return f"scored {way}, the mask {'on' if frame['masked'] else 'off'}"


def describe(frame: dict) -> str:
    """Say each passage's score and what it would be alone."""
    pages = {page["text"]: page for page in frame["pages"]}
    said = ", ".join(f"{text} {draw.number(pages[text]['score'])}" for text in order(frame))
    wrong = [text for text in pages if abs(pages[text]["score"] - pages[text]["true"]) > 1e-6]
    return (f"“{frame['asked'] and ' '.join(frame['asked'])}” against five passages, {_setting(frame)}: {said}. "
            + (f"Not what they score alone: {', '.join(wrong)}." if wrong else "All as they score alone."))


def caption(frame: dict, before: dict | None) -> str:
    """Say who rose by empty places, or that nobody did."""
    wrong = [page for page in frame["pages"] if abs(page["score"] - page["true"]) > 1e-6]
    first, truly = order(frame)[0], order(frame, "true")
    if wrong:
        most = max(wrong, key=lambda page: abs(page["score"] - page["true"]))
        place, was = order(frame).index(most["text"]) + 1, truly.index(most["text"]) + 1
        ties = " Equal scores stand in the order of their names." if _tied(frame) else ""
        return (f"“{most['text']}” scores {draw.number(most['true'])} by its words and {draw.number(most['score'])} "
                f"with the empty places: from number {was} to number {place}. "
                f"{len(wrong)} of 5 scores {'is' if len(wrong) == 1 else 'are'} wrong, and “{first}” comes first."
                f"{ties}")
    if frame["filled"] == "alone":
        return (f"Nothing is filled up. “{first}” comes first with {draw.number(frame['pages'][4]['true'])}; "
                "most cells lie below 0, because nothing here has to do with the question.")
    return "The mask takes the empty places out before the largest is looked for: all five score as they do alone."


# ---- the picture

LABEL, SLOT, TALL, GAP, HEAD = 58, 48, 38, 16, 66  # pixels


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw the grids of all passages side by side, empty places hatched, the best of each row outlined."""
    note = _setting(frame) + ("; dashed: the course's own function" if expected else "")
    rows = len(frame["asked"])
    shapes = [draw.text(LABEL - 8, HEAD + TALL * i + TALL / 2 + 5, word, 14, anchor="end")
              for i, word in enumerate(frame["asked"])]
    foot = HEAD + TALL * rows
    shapes += [draw.text(LABEL - 8, foot + 24, "score", 13, draw.GREY, anchor="end"),
               draw.text(LABEL - 8, foot + 46, "place", 13, draw.GREY, anchor="end")]
    x = LABEL
    for at, page in enumerate(frame["pages"]):
        shapes += _page(frame, page, expected["pages"][at] if expected else None, x, foot)
        x += SLOT * 3 + GAP
    return (f'<div class="fp-title fp-line">What do empty places do to a score?</div><div class="fp-line fp-note">'
            f'{draw.escape(note)}</div><div class="fp-scroll"><div style="width:880px">'
            f'{draw.svg(foot + 84, *shapes, width=880)}</div></div>')


def _page(frame, page, should, x, foot) -> list[str]:
    """Return the shapes of one passage: a column for each place, and below them its score and its place."""
    words, counts = page["words"], not frame["masked"]
    shapes = [f'<g transform="translate({x + SLOT * (j + 0.35):.1f},{HEAD - 8}) rotate(-38)">'
              f'{draw.text(0, 0, word, 13, bold=True)}</g>' for j, word in enumerate(words)]
    for i in range(len(frame["asked"])):
        row, y = page["grid"][i] + [0.0] * page["empty"], HEAD + TALL * i
        real = max(page["grid"][i])
        best = row.index(max(row)) if counts else page["grid"][i].index(real)
        for j, value in enumerate(row):
            left, empty = x + SLOT * j, j >= len(words)
            chosen = j == best
            color = draw.BLUE if value >= 0 else draw.ORANGE
            fill = "none" if empty else draw.tint(color, round(0.06 + min(abs(value), 0.2) * 2.4, 3))
            shapes.append(draw.box(left + 1.5, y + 1.5, SLOT - 3, TALL - 3, radius=3, fill=fill,
                                   stroke=draw.LINE if empty else "none", dash="2 3" if empty else "", thick=1))
            if empty:
                shapes += [draw.line(left + 6 + d, y + TALL - 7, left + 16 + d, y + 7, draw.LINE, 1)
                           for d in range(0, 28, 9)]
            if chosen:
                shapes.append(draw.box(left + 1.5, y + 1.5, SLOT - 3, TALL - 3, radius=3, stroke=draw.NOW, thick=3))
            if empty and frame["masked"]:
                said = "−∞"
            else:
                said = "0" if empty else cell(value)
            shapes += [draw.box(left + 13, y + 11, SLOT - 26, 16, fill=draw.PAPER)] * empty
            shapes.append(draw.text(left + SLOT / 2, y + TALL / 2 + 4.5, said, 12, bold=chosen, anchor="middle"))
    place = order(frame).index(page["text"]) + 1
    wrong = abs(page["score"] - page["true"]) > 1e-6
    shapes += [draw.text(x + 4, foot + 24, draw.number(page["score"]), 16, bold=True),
               draw.text(x + 4, foot + 46, f"{place} of {len(frame['pages'])}", 13)]
    if wrong:
        shapes += [draw.text(x + 54, foot + 24, f"alone {draw.number(page['true'])}", 13, draw.GREY),
                   draw.line(x + 4, foot + 29, x + 46, foot + 29, draw.NOW, 2.5)]
    if should and abs(should["score"] - page["score"]) > 1e-6:
        shapes.append(draw.text(x + 4, foot + 68, f"expected {draw.number(should['score'])}", 12, draw.GREY))
    return shapes


# ---- the explorer

def padded(filled: str = "alone", masked: bool = False) -> Stage:
    """Show five passages and a question: filled up to one length or not, with the mask or without."""
    start = State(filled, masked)
    dials = {"filled": toggles(FILLED.items(), start.filled, "how they are scored", 140),
             "masked": toggles([("mask off", False), ("mask on", True)], start.masked, "the mask", 90)}

    def run(values):
        state = State(**values)
        return guard(TASKS, lambda: frame(state), lambda drawn: picture(drawn, None, None))

    return Stage("padded", run, picture, describe, dials, caption=caption)
