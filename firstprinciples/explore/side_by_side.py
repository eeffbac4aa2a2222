"""Lesson 20: one question, our list beside an engine's: SQLite FTS5, hnswlib, Qdrant. Where do they differ, and why?

The lists come from notebooks/engines.json, which says when and how they were made, so that everybody sees them. The
button asks the engine anew where its package is there. Of the hybrid pair our side is fused now, from the two stored
lists: a reader's own `reciprocal_rank_fusion` stands in it.
"""

from dataclasses import dataclass
from functools import cache

import ipywidgets

from firstprinciples import swap
from firstprinciples.corpus import Collection
from firstprinciples.encode.stored import minilm
from firstprinciples.explore import draw
from firstprinciples.explore.engine_live import ask_now
from firstprinciples.explore.guard import Trouble, guard
from firstprinciples.explore.measured import measured
from firstprinciples.explore.stage import Stage, another_question, toggles
from firstprinciples.rank import fusion
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.dense import Dense

TASKS = ("fusion.reciprocal_rank_fusion",)
SHOWN, DEPTH, FIRST = 10, 1000, 2  # chunks; how deep the lists are that are fused; the question it begins with
METRICS = ("nDCG@10", "Recall@10")
HYBRIDS = {"hybrid · Qdrant": 60, "hybrid, k = 1 · Qdrant": 1}  # our k; the engine's is one more
WHAT = {  # what each side is, in words; why their lists differ, or do not
    "BM25 · FTS5": ("our BM25", "SQLite FTS5",
                    "The same words on both sides. A word in half of the chunks or more counts next to nothing there "
                    "and a little here; FTS5 also multiplies by k1 + 1, which changes no order."),
    "BM25 · FTS5, its own words": ("our BM25", "SQLite FTS5, its own words",
                                   "Left to itself SQLite cuts a text into other words: a code such as LK-204-B is "
                                   "three words there, and nothing keeps them together."),
    "HNSW · hnswlib": ("our HNSW", "hnswlib",
                       "The same algorithm and the same settings, but how high a point stands is drawn by lot, so it "
                       "is another graph. Each may miss what its own walk does not come by."),
    "dense · Qdrant": ("our Dense", "Qdrant, dense",
                       "The same vectors and the same cosine. In one process both compare the question with every "
                       "vector, so there is nothing to differ in but the last digits."),
    "BM25 · Qdrant": ("our BM25", "Qdrant, sparse",
                      "Our weights as a sparse vector: BM25 is a dot product, once the weight of each word in each "
                      "chunk has been written down. Qdrant multiplies and adds up, and so do we."),
    "SPLADE · Qdrant": ("our Splade", "Qdrant, sparse",
                        "A dot product of sparse vectors on both sides, with the same numbers in them."),
    "MaxSim · Qdrant": ("our MaxSim", "Qdrant, multivector",
                        "Each vector of the question finds its best of the chunk, and these are added up: the same "
                        "sum, over the same vectors."),
    "hybrid · Qdrant": ("our RRF, k = 60", "Qdrant, RRF, k = 61",
                        "The same two lists, fused by places. Qdrant counts places from 0, so its 61 is our 60. Equal "
                        "scores it may put in another order."),
    "hybrid, k = 1 · Qdrant": ("our RRF, k = 1", "Qdrant, RRF as it comes, k = 2",
                               "What an engine does when nobody tells it k: its 2 is our 1. The first place of a list "
                               "is worth one and a half times the second, and with k = 60 1.02 times."),
    "filters · Qdrant": ("our hybrid, filtered", "Qdrant, filtered",
                         "The condition holds in the search on both sides: both look only among what fulfils it."),
}
SHORT = {"BM25 · FTS5": "SQLite", "BM25 · FTS5, its own words": "SQLite, own words", "HNSW · hnswlib": "hnswlib",
         **{name: f"Qdrant: {name.partition(' · ')[0].removeprefix('hybrid, ')}" for name in list(WHAT)[3:]}}  # buttons


def figures() -> dict:
    """Return what was measured. Raises FileNotFoundError with a sentence where the file is missing."""
    return measured("engines")


def questions(pair: str) -> tuple[str, ...]:
    """Return the ids of the questions whose lists are stored for a pair."""
    return tuple(figures()["pairs"][pair]["lists"])


@dataclass(frozen=True)
class State:
    """Which pair, and the number of the question, from 0; after the last one comes the first again."""

    pair: str = "BM25 · FTS5"
    turn: int = FIRST

    def __post_init__(self):
        if self.pair not in WHAT:
            raise ValueError(f"There is no pair {self.pair!r}; there are {', '.join(WHAT)}.")
        if isinstance(self.turn, bool) or not isinstance(self.turn, int):
            raise ValueError(f"turn is {self.turn!r}; it is a whole number.")
        object.__setattr__(self, "turn", self.turn % len(questions(self.pair)))


def frame(state: State, now: dict | None = None) -> dict:
    """Return both lists of ten, what stands in both, and what was measured over all questions of the half dev.

    `now` is what the engine gave just now, {"theirs": [(id, score), ...]} or {"sentence": why it could not be asked}.
    """
    pair = figures()["pairs"][state.pair]
    id = questions(state.pair)[state.turn]
    larkspur = Collection.load("larkspur")
    query = next(query for query in larkspur.queries if query.id == id)
    stored = pair["lists"][id]
    ours, theirs = ([(each, float(score)) for each, score in stored[side]][:SHOWN] for side in ("ours", "theirs"))
    if state.pair in HYBRIDS:
        ours = fused(lists_of(query.text), HYBRIDS[state.pair])
    asked = bool(now and "theirs" in now)
    if asked:
        as_stored = [each for each, _ in theirs] == [each for each, _ in now["theirs"]][:SHOWN]
        theirs = [(each, float(score)) for each, score in now["theirs"]][:SHOWN]
    sides = {"ours": ours, "theirs": theirs}
    ids = {side: [each for each, _ in rows] for side, rows in sides.items()}
    return {"pair": state.pair, "names": list(WHAT[state.pair][:2]), "asked": query.text, "id": id, "sides": sides,
            "both": [each for each in ids["ours"] if each in ids["theirs"]],
            "same order": ids["ours"] == ids["theirs"],
            "marked": sorted({holder for _, holders in larkspur.evidence[id] for holder in holders}),
            "now": "asked" if asked else "", "as stored": asked and as_stored,
            "sentence": (now or {}).get("sentence", ""), "date": figures()["date"],
            "dev": {key: pair["dev"][key] for key in ("queries", "same_ten", "overlap", "ours", "theirs",
                                                      "difference")}}


@cache
def searches() -> tuple:
    """Return our two searches over Larkspur, by words and by meaning, as they stand when they are first asked for."""
    chunks = Collection.load("larkspur").chunks
    with swap.untouched():
        return BM25(chunks), Dense(chunks, minilm())


@cache
def lists_of(question: str) -> tuple:
    """Return the two lists of ids that are fused, as deep as `Hybrid` takes them."""
    with swap.untouched():
        return tuple(tuple(hit.id for hit in search.search(question, DEPTH)) for search in searches())


def fused(lists, k: float) -> list[tuple[str, float]]:
    """Return the ten best of lists of ids, fused by what stands in `fusion`."""
    found = fusion.reciprocal_rank_fusion([list(ids) for ids in lists], k)
    try:
        return [(str(id), float(score)) for id, score in found][:SHOWN]
    except (TypeError, ValueError) as error:
        raise Trouble("Your reciprocal_rank_fusion has to give pairs of an id and a score.") from error


# ---- words

def describe(frame: dict) -> str:
    """Say both lists' first chunks, and how many they share."""
    heads = "; ".join(f"{name}: {', '.join(id for id, _ in rows[:3])} ..." for name, rows in
                      zip(frame["names"], frame["sides"].values(), strict=True))
    return (f"{frame['pair']}. “{frame['asked']}” {len(frame['both'])} of {SHOWN} in both lists"
            f"{', in the same order' if frame['same order'] else ''}. {heads}")


def caption(frame: dict, before: dict | None) -> str:
    """Say why the lists differ, and what came of asking the engine now."""
    said = WHAT[frame["pair"]][2]
    if frame["sentence"]:
        return f"{frame['sentence']} What is shown was stored on {frame['date']}. {said}"
    if frame["now"]:
        return ("Asked just now: " + (f"the same ten as on {frame['date']}. " if frame["as stored"] else
                                      f"not the ten that were stored on {frame['date']}. ") + said)
    return said


# ---- the picture

ROW, TOP, LEFT, RIGHT = 27, 30, 372, 490  # pixels: of a row, above the first, where the lines begin and end
WIDE = 860


def row(frame: dict, side: str, at: int) -> str:
    """Return one row of a list: its place, its id, and its score; a frame where it stands in one list alone."""
    id, score = frame["sides"][side][at]
    y, x = TOP + ROW * at, 1 if side == "ours" else RIGHT + 8
    alone = id not in frame["both"]
    star = "★ " if id in frame["marked"] else ""
    shapes = [draw.box(x, y, 363 if side == "ours" else WIDE - x, ROW - 4, radius=5,
                       fill=draw.tint(draw.ORANGE, 0.18) if alone else "none",
                       stroke=draw.ORANGE if alone else draw.LINE, dash="4 3" if alone else "")]
    shapes.append(draw.text(x + 24, y + 16, f"{at + 1}", 13, draw.GREY, anchor="end"))
    shapes.append(draw.text(x + 34, y + 16, star + id, 13, bold=bool(star)))
    shapes.append(draw.text(x + (356 if side == "ours" else WIDE - x - 8), y + 16, f"{score:.4f}", 13, anchor="end"))
    return "".join(shapes)


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw both lists, a line between what stands in both, and below them what was measured over all questions."""
    ours, theirs = ([id for id, _ in frame["sides"][side]] for side in ("ours", "theirs"))
    shapes = [draw.text(0, 16, frame["names"][0], 14, bold=True),
              draw.text(RIGHT + 8, 16, frame["names"][1], 14, bold=True)]
    shapes += [row(frame, side, at) for side in ("ours", "theirs") for at in range(len(frame["sides"][side]))]
    for id in frame["both"]:
        a, b = ours.index(id), theirs.index(id)
        shapes.append(draw.line(LEFT, TOP + ROW * a + 12, RIGHT, TOP + ROW * b + 12,
                                draw.GREY if a == b else draw.BLUE, 1.5 if a == b else 2.5))
    height = TOP + ROW * SHOWN
    notes = [f"theirs: {'asked just now' if frame['now'] else 'stored on ' + frame['date']}", "★ holds the answer",
             "dashed: in one list only", "blue line: other place"]
    if expected:
        notes.append("left: yours")
    return (f'<div class="fp-title fp-line" title="{draw.escape(frame["asked"])}">“{draw.escape(frame["asked"])}”</div>'
            f'<div class="fp-line fp-note">{draw.escape("; ".join(notes))}</div><div class="fp-scroll">'
            f'<div style="width:{WIDE}px;margin-top:6px">{draw.svg(height, *shapes)}</div>'
            f'{measures(frame)}</div>')


def measures(frame: dict) -> str:
    """Return what was measured over all questions of the half dev, as two lines of text."""
    dev = frame["dev"]
    said = []
    for metric in METRICS:
        apart = dev["difference"][metric]
        said.append(f"{metric} {dev['ours'][metric]:.3f} here and {dev['theirs'][metric]:.3f} there, a difference of "
                    f"{apart['difference']:+.3f} ({apart['low']:+.3f} to {apart['high']:+.3f})".replace("-", "−"))
    return (f'<div style="min-width:{WIDE}px;margin-top:6px">All {dev["queries"]} dev questions: the same ten for '
            f'<b>{dev["same_ten"]}</b>, <b>{10 * dev["overlap"]:.2f}</b> of ten shared on average<br>'
            f'{"<br>".join(said)}</div>')


# ---- the explorer

def side_by_side(pair: str = "BM25 · FTS5") -> Stage:
    """Show our ten chunks for a question beside an engine's ten; the button asks the engine again, if it is there."""
    start = State(pair)
    known = [name for name in WHAT if name in figures()["pairs"]]
    which = toggles([(SHORT[name], name) for name in known], start.pair, "which two searches", 168)
    turn, tries = ipywidgets.IntText(start.turn), ipywidgets.IntText(0)  # never shown: the buttons turn them
    another = another_question(lambda: setattr(turn, "value", turn.value + 1))
    ask = ipywidgets.Button(description="Ask it now", tooltip="ask the engine itself", layout={"width": "120px"})
    given = {}

    def run(values):
        state = State(values["pair"], values["turn"])
        now = given.get((state.pair, state.turn))
        return guard(TASKS if state.pair in HYBRIDS else (), lambda: frame(state, now),
                     lambda drawn: picture(drawn, None, None))

    stage = Stage("side_by_side", run, picture, describe, {}, {"pair": which, "turn": turn, "tries": tries}, caption,
                  above=[which], buttons=(another, ask))

    def asked(_):
        state = State(which.value, turn.value)
        ask.disabled = True
        try:
            given[state.pair, state.turn] = ask_now(state.pair, questions(state.pair)[state.turn])
        finally:
            ask.disabled = False
        tries.value += 1

    ask.on_click(asked)
    return stage
