"""Lesson 20: notes with dates. The most similar one is older than another that says something else; which is right?

Five made-up notes about one building, two questions, and four ways to put what a search found in order. A note's score
can be multiplied by its freshness, 0.5 ** (age / half-life). One question asks for what has changed since, the other
for what has not: the same half-life can't serve both. A note that is struck out needs none.
"""

from dataclasses import dataclass
from datetime import date
from functools import cache

from firstprinciples import swap
from firstprinciples.corpus import Chunk
from firstprinciples.explore import draw
from firstprinciples.explore.guard import Run
from firstprinciples.explore.quantize import choice
from firstprinciples.explore.stage import Stage, toggles
from firstprinciples.retrieve.bm25 import BM25

TODAY = date(2024, 9, 2)
NOTES = {  # when it was written, the text
    "maker": (date(2018, 4, 3), "The back gate was made by Oster and Sons. They have the drawings."),
    "old code": (date(2022, 5, 10), "The code for the back gate is 4417. After six, the gate wants its code twice."),
    "new code": (date(2024, 3, 4), "The back gate has a new code, 9052. The old one is dead."),
    "stove": (date(2024, 8, 12), "The oil for the stove comes on Thursday."),
    "door": (date(2024, 8, 28), "The back door is wet, we painted it. Leave it open."),
}
REPLACES = {"new code": "old code"}  # a newer note about the same thing
CASES = {"a code": ("what is the code for the back gate?", "new code"),  # what was asked, the note that is right
         "a maker": ("who made the back gate?", "maker")}
ALONE, NEWEST, DECAY, STRUCK = "similarity alone", "newest first", "with freshness", "struck out"
WAYS = (ALONE, NEWEST, DECAY, STRUCK)
DAYS = (5, 10, 20, 30, 60, 90, 180, 365, 730, 1095, 1825, 3650, 7300)


@dataclass(frozen=True)
class State:
    """What is asked, how the notes are put in order, and the half-life in days."""

    case: str = "a code"
    way: str = ALONE
    half_life: int = 365

    def __post_init__(self):
        for value, known, what in ((self.case, CASES, "question"), (self.way, WAYS, "way")):
            if value not in known:
                raise ValueError(f"There is no {what} {value!r}; there are {', '.join(known)}.")
        days = self.half_life
        if isinstance(days, bool) or not isinstance(days, int) or not 1 <= days <= 100_000:
            raise ValueError(f"half_life is {days!r}; it is a whole number of days from 1 to 100,000.")


def freshness(age: float, half_life: float) -> float:
    """Return what a note's score is multiplied by: 1 when it is written, half of that after each half-life.

    >>> freshness(0, 365), freshness(365, 365), freshness(730, 365)
    (1.0, 0.5, 0.25)
    """
    return 0.5 ** (age / half_life)


@cache
def similarities(case: str) -> dict[str, float]:
    """Return {note: BM25's score for the question}, by the course's own functions."""
    with swap.untouched():
        found = BM25([Chunk(name, text) for name, (_, text) in NOTES.items()]).search(CASES[case][0], len(NOTES))
    return {name: next((hit.score for hit in found if hit.id == name), 0.0) for name in NOTES}


def frame(state: State) -> dict:
    """Return for each note its age, similarity, freshness, and place; and which note comes first."""
    asked, right = CASES[state.case]
    rows = {}
    for name, (written, text) in NOTES.items():
        age, similarity = (TODAY - written).days, similarities(state.case)[name]
        fresh = freshness(age, state.half_life)
        gone = state.way == STRUCK and name in REPLACES.values()
        scores = {ALONE: similarity, NEWEST: -float(age), DECAY: similarity * fresh, STRUCK: similarity}
        rows[name] = {"text": text, "date": written.isoformat(), "age": age, "similarity": similarity,
                      "freshness": fresh, "score": scores[state.way], "gone": gone}
    order = sorted((name for name in NOTES if rows[name]["similarity"] > 0 and not rows[name]["gone"]),
                   key=lambda name: (-rows[name]["score"], name))
    for name, row in rows.items():
        row["place"] = order.index(name) + 1 if name in order else 0
    return {"case": state.case, "asked": asked, "right": right, "way": state.way, "half_life": state.half_life,
            "rows": rows, "first": order[0]}


# ---- words

def aged(days: int) -> str:
    """Return an age in words.

    >>> aged(5), aged(182), aged(846), aged(2344), aged(1)
    ('5 days', '6 months', '2.3 years', '6.4 years', '1 day')
    """
    if days < 60:
        return f"{days} day{'' if days == 1 else 's'}"
    return f"{days / 30.44:.0f} months" if days < 600 else f"{days / 365.25:.1f} years"


def ordered(frame: dict) -> str:
    """Return how the notes are put in order, in words."""
    return frame["way"] + (f", half-life {frame['half_life']:,} days" if frame["way"] == DECAY else "")


def describe(frame: dict) -> str:
    """Say what is asked, which note comes first, and whether it is the right one."""
    first, right = frame["rows"][frame["first"]], frame["rows"][frame["right"]]
    verdict = "the right one" if first is right else (
        f"the right one, of {right['date']}, has place {right['place']}")
    return f"“{frame['asked']}” {ordered(frame)}. First: “{first['text']}” of {first['date']}; {verdict}."


def caption(frame: dict, before: dict | None) -> str:
    """Say what this way does to the question."""
    first, right = frame["first"], frame["right"]
    good = first == right
    if frame["way"] == ALONE:
        if good:
            return "The most similar note is the right one: nobody has written anything newer about this."
        return ("The older note uses more of the question's words, so it comes first. Nothing in a similarity knows "
                "that it no longer holds.")
    if frame["way"] == NEWEST:
        return ("The newest note that shares a word with the question, were it “the”. A date does not know what a note "
                "is about." + (" Here it is right by luck." if good else ""))
    if frame["way"] == STRUCK:
        return ("The new code replaces the old one, and whoever wrote it down struck out the old. What is left is put "
                "in order by similarity alone. No half-life to choose; but somebody must notice what a note replaces.")
    told = {"maker": "who made the gate", "old code": "the old code", "new code": "the new code",
            "stove": "something about the stove", "door": "something about a door"}
    moved = "" if not before or before["way"] != DECAY or before["first"] == first else \
        f" Before it was {told[before['first']]}."
    return (f"After {frame['half_life']:,} days a score counts half, after twice as many a quarter. First comes "
            f"{told[first]}: " + ("right." if good else "wrong.") + moved)


# ---- the picture

ROW, COLUMNS = 64, {"similarity": 44.0, "freshness": 63.0, "score": 82.0}  # percent of the picture
WIDE = 12.0
MOST = 2.0  # the longest bar of a similarity


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw a row for each note, the oldest on top: what it says, similarity, freshness, score, and place."""
    decay = frame["way"] == DECAY
    heads = ["similarity, BM25", *(["× freshness", "= score"] if decay else ["age", ""])]
    shapes = [draw.text("0", 14, "note, the oldest on top", 13, draw.GREY)]
    shapes += [draw.text(f"{x}%", 14, words, 13, draw.GREY) for x, words in zip(COLUMNS.values(), heads, strict=True)]
    for index, (name, row) in enumerate(frame["rows"].items()):
        y = 26 + ROW * index
        first, right = name == frame["first"], name == frame["right"]
        ink = draw.GREY if row["gone"] or not row["place"] else draw.INK
        if first:
            shapes.append(draw.box(-6, y - 3, "101%", ROW - 4, stroke=draw.NOW, radius=6, thick=2))
        place = "struck out" if row["gone"] else f"{row['place']}." if row["place"] else "not found"
        head = f"{place} {row['date']}, {aged(row['age'])} old" + (" ★ right" if right else "")
        shapes.append(draw.text(4, y + 16, head, 13, ink, bold=first or right))
        words = row["text"].split()
        half = next(n for n in range(len(words), 0, -1) if len(" ".join(words[:n])) <= 46)
        for line, said in enumerate((" ".join(words[:half]), " ".join(words[half:]))):
            shapes.append(draw.text(4, y + 33 + 16 * line, said, 13, ink))
        if row["gone"]:
            shapes += [draw.line(2, y + 29 + 16 * line, "38%", y + 29 + 16 * line, draw.GREY)
                       for line in range(1 + bool(words[half:]))]
        cells = {"similarity": (row["similarity"] / MOST, f"{row['similarity']:.2f}", draw.BLUE)}
        if decay:
            cells |= {"freshness": (row["freshness"], f"{row['freshness']:.2f}", draw.ORANGE),
                      "score": (row["score"] / MOST, f"{row['score']:.2f}", draw.GREEN)}
        else:
            shapes.append(draw.text(f"{COLUMNS['freshness']}%", y + 29, aged(row["age"]), 14, ink))
        old = before["rows"][name] if before and before["way"] == frame["way"] == DECAY else None
        for column, (share, said, color) in cells.items():
            x, width = COLUMNS[column], max(WIDE * share, 0.15)
            shapes.append(draw.box(f"{x}%", y + 12, f"{width:.3f}%", 22, fill=color if ink == draw.INK else draw.OTHER))
            shapes.append(draw.text(f"{x + width:.3f}%", y + 28, said, 14, ink, shift=6,
                                    bold=first and column == "score"))
            if old and column != "similarity":
                was = old[column] / (MOST if column == "score" else 1)
                shapes.append(draw.box(f"{x}%", y + 37, f"{max(WIDE * was, 0.15):.3f}%", 6,
                                       fill=draw.tint(color, 0.4)))
    notes = [ordered(frame), "framed: what comes first"]
    notes += [f"the half-life of {frame['half_life']:,} days counts only with freshness"] * (not decay)
    notes += ["pale: before the dial moved"] * bool(before and before["way"] == frame["way"] == DECAY)
    return (f'<div class="fp-title fp-line">“{draw.escape(frame["asked"])}”</div>'
            f'<div class="fp-line fp-note">{draw.escape("; ".join(notes))}</div><div class="fp-scroll">'
            f'<div style="min-width:760px;margin-top:8px;padding:0 8px">{draw.svg(26 + ROW * len(NOTES), *shapes)}'
            '</div></div>')


# ---- the explorer

def dated_notes(case: str = "a code", way: str = ALONE, half_life: int = 365) -> Stage:
    """Show five notes with dates in four orders, for a question about what has changed and one about what has not.

    Any whole number of days may be handed in as half-life; the dial goes through round ones and this.
    """
    start = State(case, way, half_life)
    days = choice("half-life, days", start.half_life, sorted({*DAYS, start.half_life}), 96)
    days.layout.margin = "2px 26px 2px 2px"  # so that its number does not run into the button
    dials = {"case": toggles(list(CASES), start.case, "which question is asked", 90),
             "way": toggles(list(WAYS), start.way, "how the notes are put in order", 140), "half_life": days}
    return Stage("dated_notes", lambda values: Run(frame(State(**values))), picture, describe, dials, caption=caption)
