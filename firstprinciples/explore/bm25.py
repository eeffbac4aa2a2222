"""Lesson 03: three documents, a question, and two dials. Each document's BM25 score is drawn as the sum it is."""

from dataclasses import dataclass
from functools import lru_cache

import ipywidgets

from firstprinciples import text
from firstprinciples.explore import draw
from firstprinciples.explore.excerpt import excerpt
from firstprinciples.explore.guard import guard
from firstprinciples.explore.stage import Stage, dial, fold
from firstprinciples.retrieve import bm25
from firstprinciples.swap import untouched

TASKS = ("bm25.idf", "bm25.length_norm", "bm25.term_weight", "bm25.score")
QUERY = "March invoice total"
DOCUMENTS = (
    "Invoice for March: the total is due in April. This invoice replaces the invoice of 2 March. Total: 640 dollars.",
    "How suppliers are chosen. We ask three makers for a price, visit each workshop once, and keep notes on quality, "
    "delivery and care for the people who sew. Every order is written down before work starts. An invoice is kept for "
    "ten years in the gray cabinet. Questions about fabric, zippers and poles go to the purchasing desk, which answers "
    "within two days.",
    "Bill for the third month: the amount owing is 640 dollars.",
)
TITLES = ("Invoice 1042", "Supplier handbook", "Bill for the third month")


@dataclass(frozen=True)
class State:
    """What the reader has set: the texts, and the two dials within their ranges."""

    documents: tuple[str, str, str] = DOCUMENTS
    query: str = QUERY
    k1: float = 1.2
    b: float = 0.75
    titles: tuple[str, str, str] = TITLES

    def __post_init__(self):
        object.__setattr__(self, "k1", min(max(round(self.k1, 6), 0.0), 3.0))
        object.__setattr__(self, "b", min(max(round(self.b, 6), 0.0), 1.0))


@lru_cache(maxsize=64)
def _words(document: str) -> list[str]:
    return text.tokenize(document)


def _colored(query: list[str], documents: list[list[str]]) -> list[str]:
    """Return the at most five different query words that get a color: those some document holds, the rarest first.

    They keep the order of the query, and do not depend on the dials, so that moving a dial changes no color.
    """
    df = {word: sum(word in words for words in documents) for word in dict.fromkeys(query)}
    known = sorted((word for word in df if df[word]), key=lambda word: df[word])
    return [word for word in df if word in known[: len(draw.PALETTE)]]


def frame(state: State) -> dict:
    """Return what the picture shows: words with their idf, documents with the parts of their score."""
    query, documents = _words(state.query), [_words(document) for document in state.documents]
    n, average = len(documents), sum(map(len, documents)) / len(documents)
    df = {word: sum(word in words for words in documents) for word in dict.fromkeys(query)}
    colored = _colored(query, documents)
    slot = {word: colored.index(word) if word in colored else len(colored) for word in df if df[word]}
    idf = {word: float(bm25.idf(n, df[word])) for word in slot}
    shown = []
    for name, title, raw, words in zip("ABC", state.titles, state.documents, documents, strict=True):
        values = {}
        for word in query:
            if tf := words.count(word):
                weight = bm25.term_weight(tf, state.k1, state.b, len(words), average)
                values[slot[word]] = values.get(slot[word], 0.0) + idf[word] * float(weight)
        parts = [{"word": colored[i] if i < len(colored) else "other words", "slot": i, "value": values[i]}
                 for i in sorted(values)]
        shown.append({"name": name, "title": title, "length": len(words), "parts": parts,
                      "total": float(bm25.score(query, words, documents, state.k1, state.b)),
                      "excerpt": excerpt(raw, tuple(slot.items()))})
    return {"query": " ".join(state.query.split()), "k1": state.k1, "b": state.b, "average": average,
            "words": [{"word": word, "idf": idf[word], "df": df[word]} for word in colored],
            "others": [word for word in slot if word not in colored], "unknown": [w for w in df if not df[w]],
            "documents": shown, "full": _full(state.documents, state.query) if query else 1.0}


@lru_cache(maxsize=8)
def _full(documents, query) -> float:
    """Return the largest score these texts can have, whatever the dials say: the length of the axis."""
    query, documents = _words(query), [_words(document) for document in documents]
    with untouched():
        return max((bm25.score(query, words, documents, k1, b) for words in documents for k1 in (0.0, 3.0)
                    for b in (0.0, 1.0)), default=0.0) or 1.0


# ---- words

def describe(frame: dict) -> str:
    """Say what the picture shows, with every total and part."""
    said = []
    for document in frame["documents"]:
        sum_of = " + ".join(f"{part['word']} {draw.number(part['value'])}" for part in document["parts"])
        sign = "" if (equals := _equals(document)) == "=" else f"{equals} "
        said.append(f"{document['name']} {draw.number(document['total'])}" + (f" ({sign}{sum_of})" if sum_of else ""))
    return f"BM25 scores for “{frame['query']}” with k1 = {frame['k1']:g} and b = {frame['b']:g}: {', '.join(said)}."


def _equals(document) -> str:
    """Return the sign between a document's parts and its score."""
    return draw.equals([part["value"] for part in document["parts"]], document["total"])


def caption(frame: dict, before: dict | None) -> str:
    """Say what the reader should see now: what changed, or where the score comes from."""
    documents = frame["documents"]
    if not frame["query"]:
        return "The question is empty. Type one to see which page it finds."
    if not frame["words"]:
        zero = not any(draw.shown(document["total"]) for document in documents)
        return f"No document holds a word of “{frame['query']}”" + (", so every page scores 0." if zero else ".")
    if before is None:
        best = max(documents, key=lambda document: document["total"])
        said = f"{best['name']} scores {draw.number(best['total'])}"
        if best["parts"]:
            said += _largest([(part["value"], part["word"]) for part in best["parts"]])
        return f"{said}. {_silent(frame)}".strip()
    pairs = sorted(zip(documents, before["documents"], strict=True), key=lambda p: -abs(p[0]["total"] - p[1]["total"]))
    return f"{_moved(frame, before)}{_gains(pairs)} {_order(documents, before['documents'])}{_silent(frame)}".strip()


def _moved(frame, before) -> str:
    """Say which dial moved and what that does."""
    dial = "k1" if frame["k1"] != before["k1"] else "b"
    up = frame[dial] > before[dial]
    effect = {("k1", True): "lets repeats count for more", ("k1", False): "lets repeats count for less",
              ("b", True): "holds length against long pages more", ("b", False): "holds length against long pages less"}
    said = effect[dial, up] if frame["k1"] else "stops repeats from counting, and length with them"
    return f"{'Raising' if up else 'Lowering'} {dial} from {before[dial]:g} to {frame[dial]:g} {said}: "


def _gains(pairs) -> str:
    """Say which scores moved, by how much, and which word moved the most."""
    said = []
    for now, then in pairs:
        change = draw.change(now["total"], then["total"])
        if not change:
            continue
        was = {part["slot"]: part["value"] for part in then["parts"]}
        moves = [(draw.change(part["value"], was.get(part["slot"], 0.0)), part["word"]) for part in now["parts"]]
        moves = [(value if change > 0 else -value, word) for value, word in moves]
        largest = _largest(moves) if len(moves) > 1 and not said else ""
        said.append(f"{now['name']} {'gains' if change > 0 else 'loses'} {draw.number(abs(change))}{largest}")
    return "; ".join(said) + "." if said else "no score moves."


def _largest(parts) -> str:
    """Say which of the parts (value, word) is the largest, or which are, where several are equal."""
    most = max(value for value, _ in parts)
    words = [f"“{word}”" for value, word in parts if abs(value - most) < 1e-9]
    if len(words) == 1:
        return f", the largest part ({draw.number(most)}) from {words[0]}"
    return f", the largest parts ({draw.number(most)} each) from {', '.join(words[:-1])} and {words[-1]}"


def _order(documents, before) -> str:
    """Say who stands first now, where that changed."""
    first, was = (max(each, key=lambda document: document["total"]) for each in (documents, before))
    return f"{first['name']} passes {was['name']}. " if first["name"] != was["name"] else ""


def _silent(frame) -> str:
    """Name the documents that hold no word of the question and score 0 (a learner's function may give them another)."""
    names = [document["name"] for document in frame["documents"]
             if not document["parts"] and not draw.shown(document["total"])]
    if not names:
        return ""
    bill = frame["documents"][2]["title"] == TITLES[2] and "invoice" in (w["word"] for w in frame["words"])
    if names == ["C"] and bill:
        return "C says “bill”, not “invoice”, and stays at 0."
    return f"{' and '.join(names)} {'holds' if len(names) == 1 else 'hold'} none of the words: 0."


# ---- the picture

STYLE = """<style>
.fp-bm25 { display: grid; grid-template-columns: 45% 1fr; column-gap: 24px; margin-top: 8px; }
.fp-bm25 .fp-card { height: 118px; padding: 10px 16px; margin-bottom: 12px; }
.fp-bm25 .fp-chart { height: 130px; padding-right: 110px; }
.fp-legend { height: 26px; overflow: hidden; }
.fp-legend span.fp-word { margin-right: 26px; white-space: nowrap; display: inline-block; line-height: 26px; }
@container (max-width: 799px) {
  .fp-bm25 { grid-template-columns: 100%; }
  .fp-bm25 .fp-card { height: 94px; padding: 6px 16px; margin-bottom: 0; }
  .fp-bm25 .fp-chart { height: 112px; }
  .fp-legend { height: 52px; }
}
@container (max-width: 439px) { .fp-chart text[text-anchor="middle"] { display: none; } }  /* no room in the bars */
</style>"""


def _color(frame, slot: int) -> str:
    return draw.PALETTE[slot] if slot < len(frame["words"]) else draw.OTHER


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw the cards on the left and, on one axis, the bars that add up on the right."""
    frames = [each for each in (frame, before, expected) if each]
    ends = [_ends(document) for each in frames for document in each["documents"]]
    low, high = min(0.0, *(end[0] for end in ends)), max(frame["full"], *(end[1] for end in ends))
    scale = lambda value: 100 * (value - low) / (high - low)  # noqa: E731
    rows = []
    for place, document in enumerate(frame["documents"]):
        then = before["documents"][place] if before else None
        should = expected["documents"][place] if expected else None
        bars = _bars(frame, document, then, should, scale)
        rows.append(f'{_card(frame, document)}<div class="fp-chart">{bars}</div>')
    return f'{_head(frame, before, expected)}<div class="fp-bm25">{"".join(rows)}</div>'


def _ends(document) -> tuple[float, float]:
    """Return how far a document's bars reach to the left and to the right of 0."""
    values = [part["value"] for part in document["parts"]]
    return sum(v for v in values if v < 0), sum(v for v in values if v > 0)


def _right(document, scale) -> str:
    """Return where a document's bars end on the right, for the number that stands there."""
    return f"{scale(_ends(document)[1]):.2f}%"


def _head(frame, before, expected) -> str:
    """Return the title, the line under it, and the words with their colors."""
    title = f"Which page is about “{frame['query']}”?" if frame["query"] else "Which page is it about?"
    notes = [f"average page {frame['average']:.0f} words"]
    signs = {_equals(document) for document in frame["documents"]}
    notes += [said for sign, said in (("≈", "≈: rounded"), ("≠", "≠: the parts have another sum")) if sign in signs]
    if before:
        dial = "k1" if frame["k1"] != before["k1"] else "b"
        notes.append(f"pale: before you moved {dial} from {before[dial]:g}")
    if expected:
        notes.append("outlined: what the course's own function gives")
    words = [f'<span class="fp-word">{draw.swatch(draw.PALETTE[i])}{draw.escape(_clip(w["word"]))} '
             f'<span class="fp-note">idf</span> {draw.number(w["idf"])}{_idf_expected(w, i, expected)}</span>'
             for i, w in enumerate(frame["words"])]
    if frame["others"]:
        words.append(f'<span class="fp-word">{draw.swatch(draw.OTHER)}{len(frame["others"])} other '
                     f'word{"s" if len(frame["others"]) > 1 else ""}</span>')
    if frame["unknown"]:
        words.append('<span class="fp-word fp-note">in no document: '
                     f'{draw.escape(_clip(", ".join(frame["unknown"]), 40))}</span>')
    return (f'<div class="fp-title fp-line">{draw.escape(title)}</div>'
            f'<div class="fp-line fp-note"><code>k1 = {frame["k1"]:g}  b = {frame["b"]:g}</code>'
            f'<span style="margin-left:20px">{draw.escape("; ".join(notes))}</span></div>'
            f'<div class="fp-legend">{"".join(words)}</div>')


def _idf_expected(word, place: int, expected) -> str:
    """Return the course's own idf, where the learner's is another."""
    should = draw.number(expected["words"][place]["idf"]) if expected else draw.number(word["idf"])
    return "" if should == draw.number(word["idf"]) else f' <span class="fp-note">expected {should}</span>'


def _clip(words: str, room: int = 16) -> str:
    """Return words, cut where they would take too much room."""
    return words if len(words) <= room else words[: room - 1] + "…"


def _card(frame, document) -> str:
    """Return one document's card: its name, its length, and its text with the matched words marked."""
    body = "".join(draw.escape(piece) if slot is None else draw.mark(piece, _color(frame, slot))
                   for piece, slot in document["excerpt"]) or '<span class="fp-note">(empty)</span>'
    count = f"{document['length']:,} word{'' if document['length'] == 1 else 's'}"
    return (f'<div class="fp-card"><div style="display:flex;gap:12px;height:24px">'
            f'<b class="fp-line" style="flex:1">{document["name"]}&ensp;{draw.escape(document["title"])}</b>'
            f'<span class="fp-note">{count}</span></div>'
            f'<div style="height:72px;line-height:24px;overflow:hidden;overflow-wrap:anywhere">{body}</div></div>')


def _bars(frame, document, before, expected, scale) -> str:
    """Return the bars of one document: now, before (pale, thinner) and expected (an outline)."""
    shapes = [draw.line(f"{scale(0):.2f}%", 0, f"{scale(0):.2f}%", "100%")]
    for start, end, part in _stack(document):
        wide = abs(scale(end) - scale(start)) * 3.0  # pixels, at the least
        value = draw.number(part["value"])
        named = f"{_clip(part['word'], 12)} {value}"
        label = named if len(named) * 7.8 + 6 < wide else value if len(value) * 7.8 < wide else ""
        shapes.append(draw.bar(scale(start), scale(end), 18, 36, _color(frame, part["slot"]), label))
    end, sign = _right(document, scale), _equals(document)
    total = ("" if sign == "=" else f"{sign} ") + draw.number(document["total"])
    shapes.append(draw.text(end, 42, total, 18, bold=True, shift=10))
    if not document["parts"]:
        shapes.append(draw.text(end, 42, "no word matches", 13, draw.GREY, shift=70))
    for start, stop, part in _stack(before) if before else ():
        shapes.append(draw.bar(scale(start), scale(stop), 59, 10, draw.tint(_color(frame, part["slot"]), 0.4)))
    if before and before["parts"]:
        was = f"was {draw.number(before['total'])}"
        shapes.append(draw.text(_right(before, scale), 69, was, 13, draw.GREY, shift=10))
    for start, stop, _ in _stack(expected) if expected else ():
        left, width = min(scale(start), scale(stop)), abs(scale(stop) - scale(start))
        shapes.append(draw.box(f"{left:.3f}%", 79, f"{width:.3f}%", 14, stroke=draw.INK, dash="4 3"))
    if expected and expected["parts"]:
        should = f"expected {draw.number(expected['total'])}"
        shapes.append(draw.text(_right(expected, scale), 91, should, 13, draw.GREY, shift=10))
    return draw.svg("100%", *shapes)


def _stack(document):
    """Yield (start, end, part): positive parts add up to the right of 0, negative ones to the left."""
    left = right = 0.0
    for part in document["parts"]:
        if part["value"] >= 0:
            yield right, right + part["value"], part
            right += part["value"]
        else:
            yield left, left + part["value"], part
            left += part["value"]


# ---- the explorer

def scores(documents=None, query: str | None = None, k1: float = 1.2, b: float = 0.75) -> Stage:
    """Show how BM25 scores three documents for a question, with dials for k1 and b.

    `documents` are three texts, or {title: text} with three titles. Raises ValueError when there are not three.
    """
    documents = dict(zip(TITLES, DOCUMENTS, strict=True)) if documents is None else documents
    if len(documents) != 3:
        raise ValueError(f"scores() shows three documents; these are {len(documents)}.")
    titles, documents = zip(*(documents.items() if isinstance(documents, dict) else (("", d) for d in documents)),
                            strict=True)
    start = State(documents, QUERY if query is None else query, k1, b)
    areas = [ipywidgets.Textarea(each, description=name, tooltip=name, rows=3, layout={"width": "98%"},
                                 continuous_update=True) for name, each in zip("ABC", documents, strict=True)]
    own = fold("Use your own documents", areas)
    dials = {"k1": dial("k1", start.k1, 0, 3, 0.1), "b": dial("b", start.b, 0, 1, 0.05)}
    question = ipywidgets.Text(start.query, description="question", tooltip="question", layout={"width": "420px"})
    texts = {"query": question, **dict(zip("ABC", areas, strict=True))}

    def run(values):
        now = tuple(values[name] for name in "ABC")
        kept = tuple(title if new == old else "Your document"
                     for title, old, new in zip(titles, documents, now, strict=True))
        state = State(now, values["query"], values["k1"], values["b"], kept)
        return guard(TASKS, lambda: frame(state))

    return Stage("scores", run, picture, describe, dials, texts, caption, style=STYLE, above=[question, own])
