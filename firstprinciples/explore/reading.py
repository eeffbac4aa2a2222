"""Lesson 08: a cross-encoder reads a question and a chunk together, and its logit adds up, step by step.

First every word of the question meets every word of the chunk; after each the cosines are counted into six soft bins.
Then nine numbers are added: the bias, and each of eight features times its weight.
"""

from firstprinciples.explore import draw
from firstprinciples.explore.stage import Stage
from firstprinciples.explore.stepper import stepper
from firstprinciples.rank import rerank
from firstprinciples.rank.cross_encoder import CENTERS, FEATURES, WIDTH, cross, stems
from firstprinciples.text import tokenize

TASKS = ("rerank.soft_counts", "rerank.sigmoid")
QUESTION, CHUNK = "Are sick days paid leave?", "All sick days are paid, and no holiday is lost."
MOST_ASKED, MOST_READ = 4, 8  # words that count, on one screen
CODE = """s = word_similarities(question, chunk)
for row in s:                # a question word
  counts += ln(1 + sum(closeness(row, centers)))
logit = bias
for feature, weight in zip(features, weights):
  logit += weight * feature
return logit""".split("\n")


def trace(question: str, chunk: str) -> list[dict]:
    """Return one frame for each decision: the row of a word, what it adds to the counts, each part of the logit."""
    model = cross()
    pair = model.pairs(question, [chunk])[0]
    table = [[float(value) for value in row] for row in pair.similarities]
    weights, features = model.weights["features"].tolist(), pair.features.tolist()
    bias, kernels = float(model.weights["bias"]), len(FEATURES) - len(CENTERS)
    parts = [["bias", bias, 1.0, bias], *([name, weight, value, weight * value] for name, weight, value in
                                          zip(FEATURES, weights, features, strict=True))]
    steps, counts = [], [0.0] * len(CENTERS)

    def add(title, why, lines, rows, row=-1, grown=None, done=0):
        steps.append({"title": title, "why": why, "lines": lines, "rows": rows, "row": row, "counts": list(counts),
                      "grown": grown or [], "done": done, "logit": sum(part[3] for part in parts[:done])})

    left_out = [word for word in dict.fromkeys(tokenize(question) + tokenize(chunk))
                if word not in pair.question + pair.chunk]
    add("Two texts, and no vector of either", f"{len(pair.question)} words of the question will meet {len(pair.chunk)} "
        f"words of the chunk. Left out: {', '.join(left_out) or 'none'}.", [0], 0)
    for place, word in enumerate(pair.question):
        row = table[place]
        best = max(range(len(row)), key=lambda j: (row[j], -j))
        same = ("the cosine of their rows in the table" if row[best] < 1 else "the same word, so 1"
                if pair.chunk[best] == word else "the same but for its ending, so 1")
        nearest = f"Nearest is “{pair.chunk[best]}”, {draw.number(row[best])}: {same}."
        add(f"“{word}” meets every word of the chunk", nearest if row[best] > 0 else
            "No cosine is above 0: the table does not know the word, or nothing is near.", [0, 1], place + 1, place)
        before = counts[:]
        counts[:] = [float(value) for value in rerank.soft_counts(pair.similarities[: place + 1], list(CENTERS), WIDTH)]
        near = min(range(len(CENTERS)), key=lambda i: abs(CENTERS[i] - row[best]))
        add(f"The cosines of “{word}” are counted", f"The largest, {draw.number(row[best])}, counts most about "
            f"{CENTERS[near]:.1f}: {draw.number(before[near])} becomes {draw.number(counts[near])}. A bin counts "
            "a cosine at its center as 1, and one 0.3 away as 0.01.", [2], place + 1, place, before)
    for done, (name, weight, value, part) in enumerate(parts, 1):
        was, now = (sum(each[3] for each in parts[:end]) for end in (done - 1, done))
        if done == 1:
            add("The logit begins at the bias", f"{draw.number(bias)}, for every pair the same: most chunks answer "
                "nothing.", [3], len(table), done=1)
            continue
        what = {"matched words": _said(pair, pair.matched, "The words that both have"),
                "in order": _said(pair, pair.in_order, "Neighbors that both have in this order")}.get(
            name, "The count from above.")
        add(f"“{name}” {'adds' if part >= 0 else 'takes'} {draw.number(abs(part))}", f"{what} {draw.number(value)} × "
            f"weight {draw.number(weight)} = {draw.number(part)}. The logit goes from {draw.number(was)} to "
            f"{draw.number(now)}.", [4, 5], len(table), done=done)
    logit = sum(part[3] for part in parts)
    squeezed = float(rerank.sigmoid(logit))
    add(f"The logit is {draw.number(logit)}", "Only the order of logits counts: a chunk with a larger one stands "
        f"above. The sigmoid of this one, {draw.number(squeezed)}, lies between 0 and 1 and is no probability.", [6],
        len(table), done=len(parts))
    shared = {"question": question, "chunk": chunk, "asked": pair.question, "read": pair.chunk, "table": table,
              "parts": parts, "steps": len(steps), "final": [float(value) for value in features[kernels:]]}
    return [shared | step | {"step": place} for place, step in enumerate(steps, 1)]


def _said(pair, found: dict, lead: str) -> str:
    """Return which words of the question a lexical feature found, and what each adds to it."""
    whole = dict(zip(stems(pair.question), pair.question, strict=True))
    names = [" ".join(whole[stem] for stem in ([key] if isinstance(key, str) else key)) for key in found]
    said = ", ".join(f"{name} {draw.number(value)}" for name, value in zip(names, found.values(), strict=True))
    return f"{lead}: {said or 'none'}."


def describe(frame: dict) -> str:
    """Say which decision this is, why, and where the logit stands."""
    so_far = f" Logit so far {draw.number(frame['logit'])}." if frame["done"] else ""
    return f"Step {frame['step']} of {frame['steps']}: {frame['title']}. {frame['why']}{so_far}"


# ---- the picture

STYLE = f"""<style>
.fp-reading {{ display: grid; grid-template-columns: 500px 372px; column-gap: 8px; min-width: 880px; margin-top: 4px; }}
.fp .fp-reading code {{ font-size: 12px; line-height: 22px; height: 22px; padding: 0 8px; display: block; }}
.fp .fp-reading code.fp-reading-now {{ background: {draw.tint(draw.NOW, 0.18)}; box-shadow: inset 4px 0 {draw.NOW}; }}
</style>"""
ROW, LABEL, HEAD = 32, 92, 26  # pixels: a cell's height, the names of rows, the head
WIDE, NARROW = 66, 48  # a cell's width, for a few words and for many
ASKED_HEIGHT = HEAD + ROW * MOST_ASKED + 8
LINE = 24  # a row of the bars


def picture(frame: dict, expected: dict | None = None) -> str:
    """Draw the table of cosines beside the code, and below them the bins and the logit."""
    code = "".join(f'<code class="{"fp-reading-now" if i in frame["lines"] else ""}">{draw.escape(line)}</code>'
                   for i, line in enumerate(CODE))
    outlined = "; outlined: the course's own function" if expected else ""
    texts = draw.escape(f"“{frame['question']}” and “{frame['chunk']}”")
    return (f'<div class="fp-title fp-line">{draw.escape(frame["title"])}</div><div class="fp-note fp-line">step '
            f'{frame["step"]} of {frame["steps"]}: {texts}{outlined}</div><div class="fp-scroll">'
            f'<div class="fp-reading"><div>{_table(frame)}</div><div>{code}</div><div>{_bins(frame, expected)}</div>'
            f'<div>{_logit(frame, expected)}</div></div></div>')


def _table(frame) -> str:
    """Return the grid of cosines, rows that were read filled, the row being read outlined."""
    cell = max(NARROW, min(WIDE, (490 - LABEL) // max(len(frame["read"]), 1)))
    shapes = [draw.text(LABEL + cell * j + cell / 2, 16, _short(word, cell), 12, anchor="middle")
              for j, word in enumerate(frame["read"])]
    for i, word in enumerate(frame["asked"]):
        y = HEAD + ROW * i
        shapes.append(draw.text(LABEL - 8, y + 19, _short(word, LABEL), 13, bold=i == frame["row"], anchor="end"))
        for j, value in enumerate(frame["table"][i]):
            x, filled = LABEL + cell * j + 1, i < frame["rows"]
            shapes.append(draw.box(x, y, cell - 2, ROW - 4, draw.tint(draw.BLUE, 0.06 + 0.6 * max(value, 0.0))
                                   if filled else draw.tint(draw.OTHER, 0.12)))
            if filled:
                shapes.append(draw.text(x + cell / 2 - 1, y + 18, draw.number(value).replace("0.", ".", 1), 12,
                                        anchor="middle", bold=value > 0.5))
        if i == frame["row"]:
            shapes.append(draw.box(LABEL - 2, y - 3, cell * len(frame["table"][i]) + 4, ROW + 2, stroke=draw.NOW,
                                   thick=2.5))
    return draw.svg(ASKED_HEIGHT, *shapes, width=500)


def _short(word: str, room: float) -> str:
    """Return a word, cut where it would not fit."""
    most = int(room / 7)
    return word if len(word) <= most else word[: most - 1] + "…"


def _bins(frame, expected) -> str:
    """Return the soft counts so far as bars, a row for each center; what the last word added in a darker part."""
    start, wide = LABEL, 300
    most = max([1.0, *map(abs, frame["final"]), *(map(abs, expected["final"]) if expected else [])])
    shapes = [draw.text(0, 14, "cosines counted, about each center", 13, draw.GREY)]
    for row, (center, count) in enumerate(zip(CENTERS, frame["counts"], strict=True)):
        y = 24 + LINE * row
        was = frame["grown"][row] if frame["grown"] else count
        long = round(wide * max(was, 0.0) / most, 1)
        shapes += [draw.text(start - 8, y + 15, f"about {center:.1f}", 13, anchor="end"),
                   draw.box(start, y + 3, long, 15, fill=draw.tint(draw.BLUE, 0.55))]
        if count > max(was, 0.0):
            shapes.append(draw.box(start + long, y + 3, round(wide * count / most - long, 1), 15, fill=draw.BLUE,
                                   stroke=draw.NOW))
        words = draw.number(count)
        if expected and abs(expected["counts"][row] - count) > 1e-9:
            right = expected["counts"][row]
            shapes.append(draw.box(start, y + 1, round(wide * right / most, 1), 19, stroke=draw.INK, dash="4 3"))
            words += f", expected {draw.number(right)}"
        if frame["rows"]:
            shapes.append(draw.text(start + max(wide * max(count, was) / most, 0.0) + 8, y + 15, words, 13))
    shapes.append(draw.line(start, 22, start, 24 + LINE * len(CENTERS)))
    return draw.svg(24 + LINE * (len(frame["parts"]) + 1), *shapes, width=500)


def _logit(frame, expected) -> str:
    """Return the parts of the logit as a staircase of bars, those still to come as question marks."""
    parts, ends = frame["parts"], [0.0]
    for part in parts:
        ends.append(ends[-1] + part[3])
    low, high = min(ends), max(ends)
    start, wide = 132, 172

    def x(value):
        return start + wide * (value - low) / ((high - low) or 1.0)

    shapes = [draw.text(0, 14, "the logit, part by part", 13, draw.GREY),
              draw.line(x(0), 22, x(0), 24 + LINE * len(parts), draw.GREY, 1.2, "2 3"),
              draw.text(x(0), 14, "0", 12, draw.GREY, anchor="middle")]
    for row, (name, _, _, value) in enumerate(parts):
        y, there = 24 + LINE * row, row < frame["done"]
        shapes.append(draw.text(start - 10, y + 15, name, 13, draw.INK if there else draw.GREY,
                                bold=row == frame["done"] - 1 < len(parts) - 1, anchor="end"))
        if not there:
            shapes.append(draw.text(start + wide + 14, y + 15, "?", 13, draw.GREY))
            continue
        left, right = sorted((x(ends[row]), x(ends[row + 1])))
        color = draw.BLUE if value >= 0 else draw.ORANGE
        shapes.append(draw.box(round(left, 1), y + 3, round(max(right - left, 1.0), 1), 15, fill=color))
        words = f"{'+' if value >= 0 else ''}{draw.number(value)}"
        if expected and abs(expected["parts"][row][3] - value) > 1e-9:
            words += f", exp. {draw.number(expected['parts'][row][3])}"
        shapes.append(draw.text(start + wide + 14, y + 15, words, 13))
    y = 24 + LINE * len(parts)
    if frame["done"]:
        shapes += [draw.line(start, y, start + wide + 66, y, draw.GREY),
                   draw.text(start - 10, y + 17, "logit so far" if frame["done"] < len(parts) else "logit", 13,
                             bold=True, anchor="end"),
                   draw.text(start + wide + 14, y + 17, draw.number(frame["logit"]), 14, bold=True)]
    return draw.svg(24 + LINE * (len(parts) + 1), *shapes, width=372)


def reading_together(question: str = QUESTION, chunk: str = CHUNK) -> Stage:
    """Step through how the cross-encoder reads a short question and a short chunk.

    Raises ValueError for more words than fit on one screen, and where no word is left that counts.
    """
    pair = cross().pairs(question, [chunk])[0]
    if not 1 <= len(pair.question) <= MOST_ASKED or not 1 <= len(pair.chunk) <= MOST_READ:
        raise ValueError(f"reading_together() shows a question of 1 to {MOST_ASKED} words and a chunk of 1 to "
                         f"{MOST_READ}, words such as “the” left out; these have {len(pair.question)} and "
                         f"{len(pair.chunk)}.")
    return stepper("reading_together", lambda: trace(question, chunk), picture, describe, TASKS,
                   caption=lambda frame, before: frame["why"], style=STYLE)
