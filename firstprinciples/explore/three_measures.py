"""Lesson 04: a short question and longer pages, counted by two words, ranked three ways that do not agree."""

from dataclasses import dataclass

import ipywidgets

from firstprinciples.explore import drag, draw
from firstprinciples.explore.guard import Trouble, guard
from firstprinciples.explore.stage import Stage
from firstprinciples.index import cosine

TASKS = ("cosine.norm", "cosine.normalize", "cosine.similarities", "cosine.top_k")
WORDS = ("tent", "invoice")
QUESTION = (1, 1)  # how often the question says "tent", and "invoice"
PAGES = {"A": (2, 2), "B": (4, 1), "C": (1, 0)}
COLORS = {"A": draw.BLUE, "B": draw.ORANGE, "C": draw.GREEN}
DASHES = {"A": "", "B": "7 4", "C": "2 3"}
MOST = {"question": 3, "copies": 4}
SETTINGS = drag.settings(PAGES, COLORS.values(), low=(0, 0), high=(8.5, 8.5), step=0.5, scale=42,
                         axes=(f"times “{WORDS[0]}”", f"times “{WORDS[1]}”"))
HEIGHT = SETTINGS["size"][1]
MEASURES = {"dot": ("dot product", "largest first"), "distance": ("distance", "smallest first"),
            "cosine": ("cosine", "largest first")}


@dataclass(frozen=True)
class State:
    """How often the question is said, and how often page A is copied onto itself; 0 leaves it empty."""

    question: int = 1
    copies: int = 1

    def __post_init__(self):
        for name, most in MOST.items():
            object.__setattr__(self, name, min(max(int(getattr(self, name)), 0), most))


def frame(state: State) -> dict:
    """Return the three numbers of each page, and the order in which each of them puts the pages."""
    question = [number * state.question for number in QUESTION]
    pages = {name: [number * (state.copies if name == "A" else 1) for number in page] for name, page in PAGES.items()}
    names, table = list(pages), list(pages.values())
    cosines = [float(value) for value in cosine.similarities(question, table)]
    if len(cosines) != len(table):
        raise Trouble(f"Your similarities gave {len(cosines)} numbers for {len(table)} pages.")
    values = {"dot": [float(sum(q * p for q, p in zip(question, page, strict=True))) for page in table],
              "distance": [sum((q - p) ** 2 for q, p in zip(question, page, strict=True)) ** 0.5 for page in table],
              "cosine": cosines}
    order = {}
    for key, numbers in values.items():
        best = cosine.top_k([-number if key == "distance" else number for number in numbers], len(numbers))
        order[key] = [names[position] for position, _ in best]
        if sorted(order[key]) != sorted(names):
            raise Trouble(f"Your top_k put {len(order[key])} pages in order, not each of the {len(names)} once.")
    return {"question": question, "copies": state.copies, "times": state.question, "pages": pages,
            "values": {key: dict(zip(names, numbers, strict=True)) for key, numbers in values.items()}, "order": order}


# ---- words

def describe(frame: dict) -> str:
    """Say where everything stands, and each order with its numbers."""
    pages = ", ".join(f"{name} {tuple(page)}" for name, page in frame["pages"].items())
    orders = "; ".join(f"by {MEASURES[key][0]} " + ", ".join(
        f"{name} {draw.number(frame['values'][key][name])}" for name in names) for key, names in frame["order"].items())
    return (f"Counts of “{WORDS[0]}” and “{WORDS[1]}”: question {tuple(frame['question'])}, pages {pages}. "
            f"Best first: {orders}.")


def caption(frame: dict, before: dict | None) -> str:
    """Say who comes first by which measure, or what a longer page or question changed."""
    if not any(frame["question"]):
        return ("The question is empty: it points nowhere. Every dot product and every cosine is 0, so these two say "
                "nothing; the distance still names a page, the shortest.")
    firsts = {key: names[0] for key, names in frame["order"].items()}
    said = _firsts(firsts)
    if not any(frame["pages"]["A"]):
        away = frame["values"]["distance"]
        further = " and ".join(f"page {name}" for name in away if away[name] > away["A"])
        return (f"{said} Page A is empty: its cosine is 0. By distance, {draw.number(away['A'])}, it "
                + (f"still passes {further}." if further else "is the last."))
    if before is None:
        return f"{said} Only the cosine asks for direction alone."
    copied = frame["copies"] != before["copies"]
    now, then = (each["copies" if copied else "times"] for each in (frame, before))
    moved = [f"{MEASURES[key][0]} of A goes from {draw.number(before['values'][key]['A'])} to "
             f"{draw.number(frame['values'][key]['A'])}" for key in ("dot", "distance")]
    cosines = [[draw.number(value) for value in each["values"]["cosine"].values()] for each in (frame, before)]
    stays = " No cosine moves." if cosines[0] == cosines[1] else ""
    what = "Page A" if copied else "The question"
    return f"{what} {now} times in the place of {then}: the {' and the '.join(moved)}.{stays} {said}"


def _firsts(firsts: dict) -> str:
    """Say which page each measure puts first: "A is first by all three." or one clause for each."""
    if len(set(firsts.values())) == 1:
        return f"{firsts['dot']} is first by all three."
    return (f"First by dot product is {firsts['dot']}, by distance {firsts['distance']}, "
            f"by cosine {firsts['cosine']}.")


# ---- the picture

STYLE = f"""<style>
.fp-three {{ display: grid; grid-template-columns: {SETTINGS['size'][0]}px minmax(0, 1fr); column-gap: 18px; }}
.fp-orders {{ display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); column-gap: 14px; margin-top: 14px; }}
.fp-place {{ height: 48px; border-radius: 6px; padding: 4px 8px; margin-top: 8px; border: 1.5px solid {draw.LINE}; }}
.fp-first {{ border: 2.5px solid {draw.INK}; padding: 3px 7px; }}
.fp-counts {{ display: grid; grid-template-columns: 26px 82px repeat(2, 74px) 1fr; line-height: 22px; }}
@container (max-width: 719px) {{ .fp-three {{ grid-template-columns: minmax(0, 1fr); row-gap: 10px; }} }}
</style>"""


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw the arrows on the left; on the right the counts and, in three columns, the three orders."""
    pale = ""
    if before:
        pale = "".join(drag.arrow(before["pages"][name], SETTINGS, COLORS[name], pale=True) for name in PAGES
                       if before["pages"][name] != frame["pages"][name])
        if before["question"] != frame["question"]:
            pale += drag.arrow(before["question"], SETTINGS, draw.NOW, pale=True)
    arrows = "".join(drag.arrow(page, SETTINGS, COLORS[name], name, DASHES[name])
                     for name, page in frame["pages"].items())
    x, y = drag.place(frame["question"], SETTINGS)
    question = drag.arrow(frame["question"], SETTINGS, draw.NOW, thick=2) + drag.label(x, y - 13, "question")
    plane = draw.svg(HEIGHT, SETTINGS["background"], pale, arrows, question, width=SETTINGS["size"][0])
    notes = ["pale: before the dial moved"] * bool(before) + ["dashed: what the course’s own function gives"] * bool(
        expected)
    return (f'<div class="fp-three"><div>{plane}</div><div><div class="fp-title fp-line">Which page is nearest to the '
            f'question?</div><div class="fp-note fp-line">{"; ".join(notes) or "best first, by three measures"}</div>'
            f'{_counts(frame)}<div class="fp-orders">{_orders(frame, expected)}</div></div></div>')


def _counts(frame) -> str:
    """Return the table of counts: the question and each page."""
    rows = [("", "", f"“{WORDS[0]}”", f"“{WORDS[1]}”", ""),
            (_sample(draw.NOW), "question", *frame["question"], "")]
    rows += [(_sample(COLORS[name], DASHES[name]), f"page {name}", *page,
              f"× {frame['copies']}" if name == "A" and frame["copies"] != 1 else "")
             for name, page in frame["pages"].items()]
    cells = "".join(f"<span>{cell}</span>" for row in rows for cell in row)
    return f'<div class="fp-counts" style="margin-top:8px">{cells}</div>'


def _sample(color: str, dash: str = "") -> str:
    return draw.svg(22, draw.line(0, 11, 20, 11, color, 3.5, dash), width=22)


def _orders(frame, expected) -> str:
    """Return one column for each measure: the pages in its order, each with its number."""
    columns = []
    for key, (name, rule) in MEASURES.items():
        places = []
        for place, page in enumerate(frame["order"][key]):
            value = draw.number(frame["values"][key][page])
            should = draw.number(expected["values"][key][page]) if expected else value
            also = f' <span class="fp-note">expected {should}</span>' if should != value else ""
            color = COLORS[page]
            bar = draw.svg(6, draw.line(0, 3, "100%", 3, color, 4, DASHES[page]))
            places.append(f'<div class="fp-place{"" if place else " fp-first"}"><div style="display:flex;'
                          f'justify-content:space-between"><b>{page}</b><span>{value}{also}</span></div>{bar}</div>')
        columns.append(f'<div><b>{name}</b><div class="fp-note">{rule}</div>{"".join(places)}</div>')
    return "".join(columns)


# ---- the explorer

def three_measures(question: int = 1, copies: int = 1) -> Stage:
    """Show three pages ranked by dot product, by distance and by cosine, with dials for two lengths."""
    start = State(question, copies)
    dials = {name: ipywidgets.IntSlider(getattr(start, name), 0, MOST[name], description=words, tooltip=words,
                                        style={"description_width": "150px"}, layout={"width": "330px"})
             for name, words in (("copies", "page A, times"), ("question", "the question, times"))}

    def run(values):
        state = State(**values)
        return guard(TASKS, lambda: frame(state), lambda drawn: picture(drawn, None, None))

    return Stage("three_measures", run, picture, describe, dials, caption=caption, style=STYLE)
