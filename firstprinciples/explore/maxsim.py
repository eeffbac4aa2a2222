"""Lesson 15: the token grid. Each word of the question against each word of a passage; each row keeps its best.

The vectors are MiniLM's, one a token, as they come with the course for these texts; other texts need the files of the
encoder. Drawn are words: the encoder's marks at both ends of a text and a passage's punctuation are left out. A passage
that is too long for the picture is drawn by the columns that come nearest to some row.
"""

from functools import cache

import ipywidgets
import numpy as np

from firstprinciples.encode import token_files
from firstprinciples.encode.stored import ModelFilesMissing
from firstprinciples.explore import draw
from firstprinciples.explore.guard import Trouble
from firstprinciples.explore.stage import Stage, toggles
from firstprinciples.explore.stepper import stepper
from firstprinciples.retrieve import maxsim
from firstprinciples.swap import untouched

TASKS = ("maxsim.best_matches", "maxsim.maxsim", "maxsim.mean_similarity")
QUESTIONS = ("python bite treatment", "python error help")
PASSAGES = {"the snake": "A python bite bleeds but has no venom: wash the wound and cover it.",
            "the language": "Python is a language that runs a script line by line and stops at an error.",
            "no bite": "The python sleeps all day, and no bite was ever seen."}
COLORS = (draw.BLUE, draw.ORANGE, draw.GREEN, draw.SKY, draw.PURPLE)  # of the question's words in the bars
MARKS = ("[CLS]", "[SEP]")  # before and after every text; they stand for no word
MOST_WORDS, MOST_COLUMNS, MOST_PASSAGES = 16, 18, 4
MOST_SHOWN = 16  # columns of a passage that is too long


@cache
def tokens_of(text: str, side: str) -> tuple[tuple[str, ...], np.ndarray]:
    """Return a text's tokens and their vectors, (n, dim) float64, for the pictures: without the marks at its ends.

    A passage's come without its punctuation, too. Raises ModelFilesMissing where they are not stored and the files of
    the encoder are not here.
    """
    tokens, vectors = token_files.minilm_tokens().token_vectors(text, side)
    kept = [i for i, token in enumerate(tokens) if token not in MARKS]
    tokens, vectors = [tokens[i] for i in kept], np.asarray(vectors, dtype=np.float64)[kept]
    if side == "passage":
        with untouched():
            tokens, vectors = maxsim.without_punctuation(tokens, vectors)
    return tuple(tokens), vectors


# ---- the frames

def matched(question: str, passage: str) -> dict:
    """Return the grid of two texts, the best match of each row, the sum, and the averaged vectors' cosine."""
    (asked, q), (words, d) = tokens_of(question, "query"), tokens_of(passage, "passage")
    try:
        positions, values = maxsim.best_matches(q.copy(), d.copy())
        positions, values = np.asarray(positions, dtype=float), np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise Trouble(f"Your best_matches has to give positions and similarities, two arrays: {error}.") from error
    if positions.shape != (len(q),) or values.shape != (len(q),):
        raise Trouble(f"Your best_matches has to give {len(q)} positions and {len(q)} similarities, one of each for "
                      f"every word of the question; it gave the shapes {positions.shape} and {values.shape}.")
    if not ((positions >= 0) & (positions < len(d)) & (positions % 1 == 0)).all():
        raise Trouble(f"Your best_matches has to give positions from 0 to {len(d) - 1}; it gave {positions.tolist()}.")
    grid = q @ d.T
    return {"asked": list(asked), "words": list(words), "grid": grid.tolist(), "best": positions.astype(int).tolist(),
            "values": values.tolist(), "total": float(maxsim.maxsim(q.copy(), d.copy())),
            "cosine": float(maxsim.mean_similarity(q.copy(), d.copy())), "mean": float(grid.mean()),
            "lengths": [float(np.linalg.norm(each.mean(axis=0))) for each in (q, d)]}


def trace(question: str, passage: str, passages: dict, questions: tuple) -> list[dict]:
    """Return the frames: nothing known; then a word of the question at a time; then the averaged vectors."""
    trouble = ""
    try:
        tokens_of(question, "query")
    except ModelFilesMissing:
        trouble = (f"The vectors of “{question}” are not stored, and the files of the encoder are not here: run "
                   f"`python3 -m firstprinciples models` once. Drawn: “{questions[0]}”.")
        question = questions[0]
    if len(tokens_of(question, "query")[0]) > MOST_WORDS:
        trouble = (f"“{question}” has {len(tokens_of(question, 'query')[0])} tokens; the picture has room for "
                   f"{MOST_WORDS}. Drawn: “{questions[0]}”.")
        question = questions[0]
    found = {name: matched(question, text) for name, text in passages.items()}
    steps = len(found[passage]["asked"]) + 1
    return [{"question": question, "passage": passage, "text": passages[passage], "step": step, "steps": steps,
             "found": found, "trouble": trouble} for step in range(steps + 1)]


def running(one: dict, step: int) -> float:
    """Return the total of the first `step` words; once all are there, what `maxsim` gives."""
    return one["total"] if step >= len(one["asked"]) else float(sum(one["values"][:step]))


# ---- words

def describe(frame: dict) -> str:
    """Say the question, the passage, and what this step found."""
    one, step = frame["found"][frame["passage"]], frame["step"]
    head = f"{frame['trouble']} “{frame['question']}” across {frame['passage']}, “{frame['text']}”".strip()
    if step == 0:
        return f"{head}: {len(one['asked'])} words of the question, {len(one['words'])} of the passage; nothing yet."
    if step == frame["steps"]:
        said = "; ".join(f"{name} total {draw.number(each['total'])}, averaged {draw.number(each['cosine'])}"
                         for name, each in frame["found"].items())
        return f"{head}: MaxSim and one averaged vector. {said}."
    pairs = ", ".join(f"{one['asked'][i]} finds {one['words'][one['best'][i]]} {draw.number(one['values'][i])}"
                      for i in range(step))
    return f"{head}, step {step} of {frame['steps']}: {pairs}; total {draw.number(running(one, step))}."


def caption(frame: dict, before: dict | None) -> str:
    """Say what this step's word found, what it did not take, and how the total moved."""
    one, step = frame["found"][frame["passage"]], frame["step"]
    if step == 0:
        return (f"{frame['trouble']} Each cell is the cosine of two vectors. Press Next: the first row looks for its "
                "best cell.").strip()
    if step == frame["steps"]:
        q, d = one["lengths"]
        said = (f"The mean of all {len(one['asked']) * len(one['words'])} cells is {draw.number(one['mean'])}. The two "
                f"averaged vectors are {draw.number(q)} and {draw.number(d)} long; {draw.number(one['mean'])} divided "
                f"by both is their cosine, {draw.number(one['cosine'])}.")
        names = sorted(frame["found"], key=lambda name: (-frame["found"][name]["cosine"], name))
        order = ", ".join(f"{name} {draw.number(frame['found'][name]['cosine'])}" for name in names)
        return f"{said} By it: {order}." if len(names) > 1 else said
    i = step - 1
    row, best = one["grid"][i], one["best"][i]
    others = sorted((j for j in range(len(row)) if j != best), key=lambda j: (-row[j], j))
    said = f"“{one['asked'][i]}” finds “{one['words'][best]}” ({draw.number(one['values'][i])})"
    if others:
        said += f"; the next best is “{one['words'][others[0]]}” ({draw.number(row[others[0]])})"
    was, now = running(one, i), running(one, step)
    said += (f". The total {'climbs' if now >= was else 'falls'} from {draw.number(was)} to {draw.number(now)}"
             if i else f". The total is {draw.number(now)}")
    left = one["asked"][step:]
    return said + (f"; “{left[0]}” is still to come." if len(left) == 1 else
                   f"; {len(left)} words are still to come." if left else
                   f"{_others(frame)}. One step more shows the averaged vectors.")


def _others(frame) -> str:
    """Return the totals of the other passages, once all words are through."""
    said = [f"{name} has {draw.number(each['total'])}" for name, each in frame["found"].items()
            if name != frame["passage"]]
    return f"; {' and '.join(said)}" if said else ""


# ---- the picture

LEFT, RIGHT, WIDE, HEAD = 104, 122, 880, 74  # pixels: left of the grid, right of it, all, and above it
TALL, BAR = 44, 30  # of a row, and of a bar with its gap


def columns(one: dict) -> list[int]:
    """Return the columns that are drawn: all, or where the passage is too long those that come nearest to some row.

    Each row's best comes first, then each row's next best, and so on, until there is no room.
    """
    n = len(one["words"])
    if n <= MOST_COLUMNS:
        return list(range(n))
    nearest = [sorted(range(n), key=lambda j, row=row: (-row[j], j)) for row in one["grid"]]
    turns = [*one["best"], *(order[place] for place in range(n) for order in nearest)]
    return sorted(list(dict.fromkeys(turns))[:MOST_SHOWN])


def _tall(count: int) -> int:
    """Return how high a row is when the longest question has so many words."""
    return TALL if count <= 6 else 34 if count <= 9 else 27


def cell(value: float) -> str:
    """Return a cosine as a cell shows it.

    >>> cell(0.934), cell(-0.05), cell(1.0), cell(0.002)
    ('.93', '−.05', '1.0', '.00')
    """
    said = draw.number(value)
    return "1.0" if said == "1.00" else said.replace("0.", ".", 1)


def picture(frame: dict, expected: dict | None, rows: int = 3) -> str:
    """Draw the grid, below it the total of each passage as a bar; `rows` are kept free for the longest question."""
    one, step = frame["found"][frame["passage"]], frame["step"]
    shown, other = columns(one), expected["found"][frame["passage"]] if expected else None
    where = f"step {step} of {frame['steps']}; the passage: {frame['passage']}"
    if len(shown) < len(one["words"]):
        where += f"; drawn are the {len(shown)} columns, of {len(one['words'])}, that come nearest"
    where += "; dashed: the course's own function" if expected else ""
    height = HEAD + _tall(rows) * rows + 40 + BAR * len(frame["found"])
    shapes = [*_grid(frame, one, other, shown, _tall(rows)), *_bars(frame, expected, rows)]
    return (f'<div class="fp-title fp-line">What does each word of the question find?</div>'
            f'<div class="fp-line fp-note">{draw.escape(where)}</div><div class="fp-scroll">'
            f'<div style="width:{WIDE}px">{draw.svg(height, *shapes, width=WIDE)}</div></div>')


def _head(x: float, word: str, bold: bool) -> str:
    """Return the word above a column, turned so that long ones fit."""
    return f'<g transform="translate({x:.1f},{HEAD - 8}) rotate(-38)">{draw.text(0, 0, word, 13, bold=bold)}</g>'


def _grid(frame, one, other, shown, tall) -> list[str]:
    """Return the shapes of the grid: known rows with numbers, those to come without."""
    step, wide = frame["step"], min((WIDE - LEFT - RIGHT) / len(shown), 64)
    right = LEFT + wide * len(shown) + 14
    taken = {one["best"][i] for i in range(min(step, len(one["asked"])))}
    shapes = [_head(LEFT + wide * (place + 0.35), one["words"][j], j in taken) for place, j in enumerate(shown)]
    shapes += [draw.text(right + 54 * place, HEAD - 8, word, 13, draw.GREY)
               for place, word in enumerate(("best", "total"))]
    for i, word in enumerate(one["asked"]):
        y, known, now = HEAD + tall * i, i < step, i == step - 1 and step < frame["steps"]
        shapes.append(draw.text(LEFT - 10, y + tall / 2 + 5, word, 14, bold=now, anchor="end"))
        for place, j in enumerate(shown):
            x, value = LEFT + wide * place, one["grid"][i][j]
            strength = max(value, 0) * (0.62 if known else 0.14)
            chosen = known and j == one["best"][i]
            shapes.append(draw.box(round(x + 1.5, 1), y + 1.5, round(wide - 3, 1), tall - 3, radius=3,
                                   fill=draw.tint(draw.BLUE, round(0.03 + strength, 3)),
                                   stroke=draw.NOW if chosen else "none", thick=3))
            if other and known and j == other["best"][i] and not chosen:
                shapes.append(draw.box(round(x + 4, 1), y + 4, round(wide - 8, 1), tall - 8, stroke=draw.INK,
                                       dash="4 3"))
            if known:
                shapes.append(draw.text(round(x + wide / 2, 1), y + tall / 2 + 4.5, cell(value), 12, bold=chosen,
                                        anchor="middle"))
        said = (draw.number(one["values"][i]), draw.number(running(one, i + 1))) if known else ("?", "")
        shapes += [draw.text(right, y + tall / 2 + 5, said[0], 14, draw.INK if known else draw.GREY, bold=known),
                   draw.text(right + 54, y + tall / 2 + 5, said[1], 14, bold=known)]
    return shapes


def _bars(frame, expected, rows) -> list[str]:
    """Return the total of each passage, a piece for each word that is through, and the averaged cosine at the end."""
    top = HEAD + _tall(rows) * rows + 34
    long, step = WIDE - LEFT - RIGHT - 88, frame["step"]
    shapes = [draw.text(LEFT, top - 8, "total so far, a piece for each word", 13, draw.GREY),
              draw.text(WIDE - RIGHT + 4, top - 8, "averaged vector", 13, draw.GREY)]
    for place, (name, each) in enumerate(frame["found"].items()):
        y, x, count = top + BAR * place, float(LEFT), len(each["asked"])
        scale = long / count  # no word can add more than 1
        now = name == frame["passage"]
        shapes += [draw.text(LEFT - 10, y + 16, name, 13, bold=now, anchor="end"),
                   draw.box(LEFT, y, long, 22, fill=draw.tint(draw.OTHER, 0.16))]
        for i in range(min(step, count)):
            wide = max(each["values"][i], 0) * scale
            shapes.append(draw.box(round(x, 1), y, round(wide, 1), 22, fill=COLORS[i % len(COLORS)], stroke=draw.PAPER,
                                   thick=1))
            label = f"{each['asked'][i]} {cell(each['values'][i])}"
            if wide > 7.2 * len(label) + 6:
                ink = "#FFFFFF" if COLORS[i % len(COLORS)] == draw.BLUE else draw.DARK
                shapes.append(draw.text(round(x + wide / 2, 1), y + 15.5, label, 12, ink, bold=True, anchor="middle"))
            x += wide
        total = running(each, step)
        sign = draw.equals(each["values"], total) if step >= count else "="
        words = "?" if step == 0 else ("≠ " if sign == "≠" else "") + draw.number(total)
        shapes.append(draw.text(LEFT + long + 10, y + 16, words, 14, draw.INK if step else draw.GREY, bold=bool(step)))
        should = running(expected["found"][name], step) if expected and step else total
        if abs(should - total) > 1e-6:
            shapes += [draw.box(LEFT, y - 2, round(min(max(should, 0) * scale, long), 1), 26, stroke=draw.INK,
                                dash="4 3"),
                       draw.text(LEFT + long - 4, y + 16, f"expected {draw.number(should)}", 12, anchor="end")]
        last = step == frame["steps"]
        shapes.append(draw.text(WIDE - RIGHT + 4, y + 16, draw.number(each["cosine"]) if last else "?", 14,
                                draw.INK if last else draw.GREY, bold=last))
    return shapes


# ---- the explorer

def token_grid(questions=QUESTIONS, passages: dict | None = None) -> Stage:
    """Walk a question word by word across a passage: each row takes its best cell, and the total climbs.

    `questions` are one or more; another can be typed. `passages` is {name: text}, up to four; buttons change between
    them. The last step shows what one averaged vector each gives. Raises ValueError for more passages or none, and for
    a question of more than 16 tokens; ModelFilesMissing where vectors are not stored and the files are not here.
    """
    questions = (questions,) if isinstance(questions, str) else tuple(questions)
    passages = dict(PASSAGES if passages is None else passages)
    if not questions or not 1 <= len(passages) <= MOST_PASSAGES:
        raise ValueError(f"token_grid() shows at least one question and 1 to {MOST_PASSAGES} passages.")
    rows = max(len(tokens_of(question, "query")[0]) for question in questions)
    if rows > MOST_WORDS:
        raise ValueError(f"A question has {rows} tokens; the picture has room for {MOST_WORDS}.")
    box = ipywidgets.Combobox(value=questions[0], options=questions, description="question", tooltip="question",
                              continuous_update=False, style={"description_width": "70px"}, layout={"width": "430px"})
    which = toggles(passages, next(iter(passages)), "which passage", 120)
    other = ipywidgets.Button(description="Another question", layout={"width": "150px"})

    def turn(_):
        place = questions.index(box.value) + 1 if box.value in questions else 0
        box.value = questions[place % len(questions)]

    other.on_click(turn)
    above = [ipywidgets.HBox([box, other] if len(questions) > 1 else [box]), ipywidgets.HBox([which])]
    for row in above:
        row.add_class("fp-row")

    def walk(question, passage):
        return trace(" ".join(question.split())[:200], passage, passages, questions)

    def draw_frame(frame, expected):
        return picture(frame, expected, max(rows, len(frame["found"][frame["passage"]]["asked"])))

    return stepper("token_grid", walk, draw_frame, describe, TASKS, caption, texts={"question": box, "passage": which},
                   above=above, whole=("passage",))
