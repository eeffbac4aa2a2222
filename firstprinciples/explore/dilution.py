"""Lesson 15: one good sentence in a page that goes on. What becomes of the average, and what of the best matches.

The page begins with the answer, and gets up to seven sentences about other things. Its tokens are encoded anew each
time, because a token's vector depends on the whole text; all of these vectors come with the course.
"""

from dataclasses import dataclass

import ipywidgets

from firstprinciples.explore import draw
from firstprinciples.explore.guard import guard
from firstprinciples.explore.maxsim import PASSAGES, tokens_of
from firstprinciples.explore.stage import Stage
from firstprinciples.retrieve import maxsim

TASKS = ("maxsim.maxsim", "maxsim.mean_similarity")
QUESTION = "python bite treatment"
SENTENCES = ("Treat a python bite as a wound: wash it with soap and cover it.",
             "The snake room opens at nine and closes at four.", "Groups of more than ten book by phone.",
             "Parking is free behind the barn.", "Coffee and cake are sold in the old kitchen.", "Dogs stay outside.",
             "Tickets cost six dollars, and children pay half.",
             "The train stops two miles away, and a bus goes every hour.")
MOST = len(SENTENCES) - 1
NAMES = ("the page", "no bite", "the language")
COLORS = dict(zip(NAMES, (draw.BLUE, draw.ORANGE, draw.SKY), strict=True))
MEASURES = {"total": "MaxSim, the total of three words", "cosine": "one averaged vector each, cosine"}


@dataclass(frozen=True)
class State:
    """How many sentences stand behind the first."""

    more: int = 0

    def __post_init__(self):
        object.__setattr__(self, "more", min(max(int(self.more), 0), MOST))


def page(more: int) -> str:
    """Return the page with so many sentences behind its first.

    >>> page(0)
    'Treat a python bite as a wound: wash it with soap and cover it.'
    """
    return " ".join(SENTENCES[: 1 + more])


def frame(state: State) -> dict:
    """Return for the page and its two rivals the sum of the best matches and the cosine of the averages."""
    texts = dict(zip(NAMES, (page(state.more), PASSAGES["no bite"], PASSAGES["the language"]), strict=True))
    _, q = tokens_of(QUESTION, "query")
    out = {"more": state.more, "tokens": len(tokens_of(texts["the page"], "passage")[0]), "total": {}, "cosine": {}}
    for name, text in texts.items():
        d = tokens_of(text, "passage")[1]
        out["total"][name] = float(maxsim.maxsim(q.copy(), d.copy()))
        out["cosine"][name] = float(maxsim.mean_similarity(q.copy(), d.copy()))
    return out


# ---- words

def place(frame: dict, measure: str) -> int:
    """Return the page's place among the three texts."""
    mine = frame[measure]["the page"]
    return 1 + sum(value > mine for name, value in frame[measure].items() if name != "the page")


def _sentences(count: int) -> str:
    return f"{count} more {'sentence' if count == 1 else 'sentences'}"


def describe(frame: dict) -> str:
    """Say both scores of all three texts."""
    said = "; ".join(f"{MEASURES[measure]}: " + ", ".join(f"{name} {draw.number(value)}"
                                                         for name, value in frame[measure].items())
                     for measure in MEASURES)
    return f"The page with {_sentences(frame['more'])}, {frame['tokens']} tokens. {said}."


def caption(frame: dict, before: dict | None) -> str:
    """Say what the sentences changed, and where the page stands by either score."""
    said = (f"The page is number {place(frame, 'total')} of three by its best matches, and number "
            f"{place(frame, 'cosine')} by the averaged vector.")
    if before is None:
        return said
    moves = [f"{words} from {draw.number(before[measure]['the page'])} to {draw.number(frame[measure]['the page'])}"
             for measure, words in (("cosine", "the averaged cosine goes"), ("total", "the total goes"))]
    return f"From {before['more']} to {_sentences(frame['more'])}: {moves[0]}, {moves[1]}. {said}"


# ---- the picture

STYLE = """<style>
.fp-page { padding: 10px 14px; height: 132px; margin-top: 8px; }
</style>"""
LEFT, BAR, WIDE = 17.0, 60.0, 30  # percent where bars begin, percent of the longest, and pixels of a bar with its gap
MOST_OF = {"total": 3.0, "cosine": 1.0}


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw the page's text, and below it the three texts by both scores."""
    notes = [f"question: {QUESTION}", f"the page has {frame['tokens']} tokens"]
    notes += ["pale: before the dial moved"] * bool(before) + ["dashed: the course's own"] * bool(expected)
    rest = " ".join(SENTENCES[1 : 1 + frame["more"]])
    shapes = []
    for row, (measure, words) in enumerate(MEASURES.items()):
        top = row * 132
        shapes.append(draw.text(0, top + 16, words, 14, bold=True))
        for at, name in enumerate(NAMES):
            shapes += _bar(frame, before, expected, measure, name, top + 28 + WIDE * at)
    return (f'<div class="fp-title fp-line">What does a sentence count for in a page that goes on?</div>'
            f'<div class="fp-line fp-note">{draw.escape("; ".join(notes))}</div>'
            f'<div class="fp-card fp-page">{draw.mark(SENTENCES[0], draw.BLUE)} {draw.escape(rest)}</div>'
            f'<div class="fp-scroll"><div style="min-width:640px;margin-top:12px">{draw.svg(254, *shapes)}</div></div>')


def _bar(frame, before, expected, measure, name, y) -> list[str]:
    """Return one bar with its name and number, and a pale one below it for the setting from before."""
    def wide(each):
        return BAR * min(max(each[measure][name] / MOST_OF[measure], 0.0), 1.0)

    value = frame[measure][name]
    words = draw.number(value)
    shapes = [draw.text(f"{LEFT}%", y + 15, name, 14, bold=name == "the page", anchor="end", shift=-10),
              draw.box(f"{LEFT}%", y, f"{max(wide(frame), 0.15):.3f}%", 20, fill=COLORS[name])]
    if before and abs(before[measure][name] - value) > 1e-9:
        shapes.append(draw.box(f"{LEFT}%", y + 21, f"{max(wide(before), 0.15):.3f}%", 6,
                               fill=draw.tint(COLORS[name], 0.4)))
        words += f" · was {draw.number(before[measure][name])}"
    if expected and abs(expected[measure][name] - value) > 1e-6:
        shapes.append(draw.box(f"{LEFT}%", y - 2, f"{max(wide(expected), 0.3):.3f}%", 24, stroke=draw.INK, dash="4 3"))
        words += f" · expected {draw.number(expected[measure][name])}"
    shapes.append(draw.text(f"{LEFT + wide(frame):.3f}%", y + 15, words, 14, bold=name == "the page", shift=8))
    return shapes


# ---- the explorer

def diluted(more: int = 0) -> Stage:
    """Show what becomes of a page's two scores as `more` sentences, 0 to 7, follow the one that answers."""
    dials = {"more": ipywidgets.IntSlider(State(more).more, 0, MOST, description="more sentences",
                                          tooltip="more sentences", style={"description_width": "110px"},
                                          layout={"width": "330px"})}

    def run(values):
        state = State(**values)
        return guard(TASKS, lambda: frame(state), lambda drawn: picture(drawn, None, None))

    return Stage("diluted", run, picture, describe, dials, caption=caption, style=STYLE)
