"""Lesson 00: the course as a map. Each row is something that goes wrong, and the lessons that mend it.

Which lessons exist is read from the folder of notebooks each time the map is drawn, so the map cannot promise a lesson
that is not there.
"""

from pathlib import Path

import ipywidgets

from firstprinciples.explore import draw
from firstprinciples.explore.stage import WIDE, close_all, take_place

NOTEBOOKS = Path(__file__).resolve().parent.parent.parent / "notebooks"
# (what goes wrong, {number: lesson}), in the order of the course
ROWS = (
    ("You have not seen a search from the inside.", {0: "start here"}),
    ("Why look anything up, when a model answers from memory?", {1: "open book"}),
    ("You changed something. Is it better now?", {2: "measuring"}),
    ("The page is lost among pages that share the common words.", {3: "BM25"}),
    ("The page says it in other words.", {4: "cosine", 5: "bi-encoder"}),
    ("One search finds codes, the other finds meaning.", {6: "hybrid"}),
    ("The answer is wrong, and nobody knows why.", {7: "failure tree"}),
    ("The page was found, but not on top.", {8: "reranking"}),
    ("The cut went through the answer, or the piece does not say whose number it is.",
     {9: "chunking", 10: "contextual retrieval"}),
    ("A million pages are too slow, or too big.", {11: "nearest neighbors", 12: "memory"}),
    ("Right words, wrong client or year.", {13: "filters"}),
    ("One vector for a whole page blurs it.", {14: "learned sparse", 15: "late interaction"}),
    ("The question itself cannot be searched: “and when did they pay?”", {16: "queries"}),
    ("What was found does not answer, or nothing does.", {17: "corrective RAG", 18: "answers"}),
    ("All of it has to work together.", {19: "build it", 20: "graduate"}),
)

STYLE = f"""<style>
.fp-map {{ display: grid; grid-template-columns: minmax(0, 1fr) 400px; column-gap: 16px; row-gap: 6px;
  align-items: center; padding: 8px 0; }}
.fp-map-lessons {{ display: flex; flex-wrap: wrap; gap: 6px 8px; }}
.fp-map-lesson {{ border: 1.5px solid {draw.INK}; border-radius: 8px; padding: 2px 10px; font-weight: 700;
  background: {draw.tint(draw.SKY)}; }}
.fp-map-later {{ border: 1.5px dashed {draw.GREY}; font-weight: 400; color: {draw.GREY}; background: none; }}
@container (max-width: 699px) {{ .fp-map {{ grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }} }}
</style>"""


def frame(notebooks: Path = NOTEBOOKS) -> list[dict]:
    """Return a row for each thing that goes wrong: {"problem", "lessons": [{"number", "name", "there"}]}."""
    there = {path.name[:2] for path in notebooks.glob("[0-9][0-9]_*.ipynb")}
    return [{"problem": problem, "lessons": [{"number": number, "name": name, "there": f"{number:02}" in there}
                                             for number, name in lessons.items()]} for problem, lessons in ROWS]


def describe(rows: list[dict]) -> str:
    """Say which lesson mends what, and which are to come."""
    said = [f"{row['problem']} {' and '.join(_name(lesson) for lesson in row['lessons'])}." for row in rows]
    return f"What goes wrong, and the lesson that mends it. {' '.join(said)}"


def _name(lesson: dict) -> str:
    return f"{lesson['number']:02} {lesson['name']}{'' if lesson['there'] else ' (to come)'}"


def picture(rows: list[dict]) -> str:
    """Draw the map: a lesson that is there has a solid edge, one to come a dashed one."""
    cells = []
    for row in rows:
        boxes = "".join(f'<span class="fp-map-lesson{"" if lesson["there"] else " fp-map-later"}">'
                        f'{lesson["number"]:02} {draw.escape(lesson["name"])}</span>' for lesson in row["lessons"])
        cells.append(f'<div>{draw.escape(row["problem"])}</div><div class="fp-map-lessons">{boxes}</div>')
    there = [lesson["there"] for row in rows for lesson in row["lessons"]]
    note = f"all {len(there)} lessons are there" if all(there) else \
        f"solid: there, {sum(there)} so far; dashed: to come"
    return (f'<div class="fp-title fp-line">What goes wrong, and which lesson mends it</div>'
            f'<div class="fp-note fp-line">{note}</div>'
            f'<div class="fp-map">{"".join(cells)}</div>')


class Map:
    """The map as a cell shows it; nothing in it moves."""

    def __init__(self, notebooks: Path = NOTEBOOKS):
        rows = frame(notebooks)
        self.label = describe(rows)
        self.still = f'<div class="fp" role="img" aria-label="{draw.escape(self.label)}">{picture(rows)}</div>'
        self.view = ipywidgets.VBox([ipywidgets.HTML(draw.STYLE + STYLE, layout={"display": "none"}),
                                     ipywidgets.HTML(self.still, layout=dict(WIDE))], layout={"max_width": "900px"})
        take_place(self, "course_map")

    def close(self):
        """Take the map from the page."""
        close_all(self.view)

    def _repr_mimebundle_(self, **_):
        data = dict(self.view._repr_mimebundle_() or {})
        return data | {"text/plain": self.label, "text/html": draw.STYLE + STYLE + self.still}


def course_map() -> Map:
    """Show which lesson mends which failure, and which lessons exist."""
    return Map()
