"""Lesson 10: a chunk that nobody finds, before and after a line of context is stapled on, in both indexes.

The places are those of real searches, by words (BM25) and by meaning (MiniLM), over all chunks of the collection. Their
vectors come with the course, with the line of context and without; another line than the course's has none, so a
function of yours that writes another one is named, and not drawn. A question that is not stored needs the model files.
"""

import math
import re
from dataclasses import replace
from functools import cache, lru_cache

import ipywidgets

from firstprinciples.corpus import Collection, Document, paragraphs
from firstprinciples.encode.stored import ModelFilesMissing, minilm
from firstprinciples.explore import draw
from firstprinciples.explore.guard import Trouble
from firstprinciples.explore.stage import Stage, another_question
from firstprinciples.explore.stepper import stepper
from firstprinciples.ingest.contextual import contextualize
from firstprinciples.rank.fusion import Hybrid
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.dense import Dense
from firstprinciples.swap import in_use

TASKS = ("contextual.blurb", "contextual.situate")
TINY = {  # our own, so small that every place fits on one screen: {document: (title, text)}
    "acme-2024-jobs": ("Acme, 2024, unemployment", "The office counts on the last day of a month.\n\n"
                       "The rate rose to 4 percent."),
    "acme-2023-jobs": ("Acme, 2023, unemployment", "Nobody counted during June.\n\nThe rate rose to 5 percent."),
    "borea-2024-jobs": ("Borea, 2024, unemployment", "Borea counts every week.\n\nThe rate fell to 3 percent."),
    "acme-2024-bank": ("Acme, 2024, interest", "The savings bank sets it every spring.\n\n"
                       "The rate fell to 2 percent."),
    "borea-2024-bank": ("Borea, 2024, interest", "It is the same for loans and for savings.\n\n"
                        "The rate rose to 3 percent."),
    "town-news": ("Town news", "The unemployment office of Acme has moved to Mill Street.\n\n"
                  "Acme looks back on 2024: a year of rain, and of a new school.\n\n"
                  "More people than ever came to Acme for the fair of 2024."),
}
QUESTIONS = {
    "acme": ("What was unemployment in Acme in 2024?", "How many people in Acme were out of work in 2024?"),
    "larkspur": ("What share of Larkspur's goods came back in the first three months of 2024?",
                 "Do we get more stuff sent back than Tollgate does? First quarter of 2024, ours and theirs",
                 "What was the rate of returned goods at Larkspur in the first quarter of 2024?"),
}
ORPHANS = {"acme": "acme-2024-jobs#2", "larkspur": "filing-larkspur-q1-2024#3"}
INDEXES = {"words": "by words (BM25)", "meaning": "by meaning (MiniLM)"}
STEPS = 6
SHOWN = 4  # rows of a list


@cache
def collection(name: str) -> tuple[tuple, tuple]:
    """Return the chunks and the documents of "acme" or "larkspur"."""
    if name == "larkspur":
        found = Collection.load("larkspur")
        return tuple(found.chunks), tuple(found.documents)
    documents = tuple(Document(id, title, text, {"title": title}) for id, (title, text) in TINY.items())
    return tuple(chunk for document in documents for chunk in paragraphs(document)), documents


def texts() -> list[str]:
    """Return the texts of this picture whose vectors are stored beside Larkspur's."""
    chunks, documents = collection("acme")
    both = [*chunks, *contextualize(chunks, documents)]
    return [*(chunk.text for chunk in both), *(question for some in QUESTIONS.values() for question in some)]


def says(text: str) -> str:
    """Return what a chunk says below its headings, on one line.

    >>> says("## Returned goods\\n\\nThe rate\\nrose.")
    'The rate rose.'
    """
    body = re.sub(r"^#{1,6} .*$", "", text, flags=re.MULTILINE)
    return " ".join((body if body.strip() else text).split())


# ---- the frames

@lru_cache(maxsize=8)
def indexes(name: str, texts: tuple[str, ...]) -> dict:
    """Return the two indexes over a collection's chunks when these are their texts, and both fused."""
    chunks = [replace(chunk, text=text) for chunk, text in zip(collection(name)[0], texts, strict=True)]
    words, meaning = BM25(chunks), Dense(chunks, minilm())
    return {"words": words, "meaning": meaning, "fused": Hybrid([words, meaning])}


def situated(name: str) -> tuple[str, ...]:
    """Return the chunks' texts with their context; raises Trouble where a learner's has no stored vector."""
    chunks, documents = collection(name)
    found = contextualize(chunks, documents)
    other = [chunk for chunk in found if not minilm().has(chunk.text)]
    if other and any(task in in_use() for task in TASKS):
        raise Trouble(f"Of {len(other)} of {len(chunks)} chunks your functions make another text than the course's, "
                      f"first of {other[0].id}: {other[0].text[:90]!r}. Its vector is not stored.")
    return tuple(chunk.text for chunk in found)


def ranked(index, question: str, id: str, chunks: dict) -> dict:
    """Return the place of a chunk in the whole list, from 1 (0: not found), and the rows that are shown."""
    hits = index.search(question, k=len(chunks))
    place = next((at for at, hit in enumerate(hits, 1) if hit.id == id), 0)
    last = [place] if place > SHOWN else [SHOWN] if place and len(hits) >= SHOWN else []  # else a note takes its row
    rows = [at for at in (*range(1, SHOWN), *last) if at <= len(hits)]
    return {"place": place, "found": len(hits),
            "rows": [{"place": at, "id": hits[at - 1].id, "score": hits[at - 1].score,
                      "says": says(chunks[hits[at - 1].id].text)} for at in rows]}


def trace(name: str, question: str) -> list[dict]:
    """Return the frames: the chunk alone in either index, the line stapled on, and then both indexes again."""
    chunks, _ = collection(name)
    trouble = ""
    try:
        minilm().encode_queries([question])
    except ModelFilesMissing:
        trouble = (f"The vector of “{question}” is not stored, and the files of the encoder are not here: run "
                   f"`python3 -m firstprinciples models` once. Drawn: “{QUESTIONS[name][0]}”.")
        question = QUESTIONS[name][0]
    own, id = {chunk.id: chunk for chunk in chunks}, ORPHANS[name]
    texts = {"before": tuple(chunk.text for chunk in chunks), "after": situated(name)}
    text = texts["after"][list(own).index(id)]
    lists = {kind: {when: ranked(indexes(name, each)[kind], question, id, own) for when, each in texts.items()}
             for kind in (*INDEXES, "fused")}
    shared = {"question": question, "id": id, "text": own[id].text, "count": len(chunks), "lists": lists,
              "context": text.removesuffix(own[id].text).strip(), "trouble": trouble}
    return [{**shared, "step": step} for step in range(STEPS + 1)]


def known(frame: dict, kind: str, when: str) -> bool:
    """Say whether a list is to be seen at this step."""
    return frame["step"] >= {("words", "before"): 1, ("meaning", "before"): 2, ("words", "after"): 4,
                             ("meaning", "after"): 5}[kind, when]


# ---- words

def placed(place: int) -> str:
    """Return a place as words.

    >>> placed(15), placed(0)
    ('15', 'not found')
    """
    return f"{place:,}" if place else "not found"


def describe(frame: dict) -> str:
    """Say the question, the chunk, and the places that are known."""
    said = [f"{frame['trouble']} “{frame['question']}”, and the chunk {frame['id']}, “{says(frame['text'])[:60]}”, one "
            f"of {frame['count']}; step {frame['step']} of {STEPS}".strip()]
    for when, how in (("before", "alone"), ("after", "with its context")):
        places = [f"{INDEXES[kind]} {placed(frame['lists'][kind][when]['place'])}" for kind in INDEXES
                  if known(frame, kind, when)]
        said += [f"place {how}: {', '.join(places)}"] if places else []
    if frame["step"] >= 5:
        fused = frame["lists"]["fused"]
        said.append(f"fused: {placed(fused['before']['place'])} alone, {placed(fused['after']['place'])} with it")
    if frame["step"] >= 3:
        said.insert(1, f"context: {frame['context'] or 'none'}")
    return "; ".join(said) + ("; the prompt gets the chunk alone." if frame["step"] == STEPS else ".")


def caption(frame: dict, before: dict | None) -> str:
    """Say what this step shows."""
    step, lists = frame["step"], frame["lists"]
    if step == 0:
        return f"{frame['trouble']} Would you know what this chunk is about? Press Next.".strip()
    if step in (1, 2):
        kind = ("words", "meaning")[step - 1]
        one = lists[kind]["before"]
        if not one["place"]:
            return f"{INDEXES[kind]}: no word of the question stands in the chunk, so it is not found at all."
        first = one["rows"][0]
        return (f"{INDEXES[kind]}: place {placed(one['place'])} of {frame['count']}. "
                + ("Nothing is nearer." if one["place"] == 1 else f"First comes {_named(first)}."))
    if step == 3:
        return (f"The same chunk, with one line before it. All {frame['count']} chunks get theirs, and both indexes "
                "are built anew on them.")
    if step in (4, 5):
        kind = ("words", "meaning")[step - 4]
        was, now = lists[kind]["before"], lists[kind]["after"]
        said = f"{INDEXES[kind]}: {_at(was['place'])} alone, {_at(now['place'])} with its context."
        ahead = [row for row in now["rows"] if row["id"] != frame["id"]]
        if ahead and now["place"]:
            said += f" {'Behind it' if now['place'] == 1 else 'First'} comes {_named(ahead[0])}."
        fused = lists["fused"]
        return said + (f" The two lists fused: {_at(fused['before']['place'])} alone, "
                       f"{_at(fused['after']['place'])} with its context." if kind == "meaning" else "")
    return (f"The id is the same, {frame['id']}, and the prompt gets the chunk as its document has it. The context was "
            "for finding; it costs the prompt no token.")


def _at(place: int) -> str:
    """Return a place within a sentence.

    >>> _at(15), _at(0)
    ('place 15', 'not found')
    """
    return f"place {placed(place)}" if place else placed(place)


def _named(row: dict) -> str:
    """Return the id of a row and the beginning of what it says."""
    words = row["says"]
    words = words.removesuffix(".") if len(words) <= 70 else words[:70].rsplit(" ", 1)[0].rstrip(",") + " ..."
    return f"{row['id']}, “{words}”"


# ---- the picture

STYLE = f"""<style>
.fp-orphan {{ padding: 6px 14px; height: 104px; margin-top: 8px; min-width: 760px; }}
.fp-orphan .fp-strip {{ height: 24px; }}
.fp-orphan .fp-body {{ height: 66px; overflow: hidden; }}
.fp-two {{ display: grid; grid-template-columns: 1fr 1fr; column-gap: 18px; min-width: 760px; }}
.fp-list {{ height: 124px; padding-top: 8px; }}
.fp-hit {{ display: grid; height: 22px; padding-left: 5px; white-space: nowrap; overflow: hidden; font-size: 13px; }}
.fp-id {{ font-family: {draw.MONO}; font-size: 12px; }}
.fp-hit > span {{ overflow: hidden; text-overflow: ellipsis; }}
.fp-mine {{ font-weight: 700; background: {draw.tint(draw.ORANGE, 0.22)}; outline: 1.5px solid {draw.NOW};
  outline-offset: -1.5px; border-radius: 3px; }}
</style>"""


def picture(frame: dict, expected: dict | None) -> str:
    """Draw the chunk, below it each index before and after, and the way between the two places."""
    notes = [f"step {frame['step']} of {STEPS}", f"question: {frame['question']}"]
    notes += ["dashed: the course's own functions"] * bool(expected)
    strip = "&nbsp;"
    if frame["step"] == STEPS:
        strip = '<span class="fp-note">what the prompt gets: the chunk alone, under the same id</span>'
    elif frame["step"] >= 3:
        strip = draw.mark(frame["context"], draw.ORANGE) if frame["context"] else "(no context)"
    parts = [f'<div class="fp-title fp-line">Who finds “{draw.escape(_first_words(frame["text"]))}”?</div>',
             f'<div class="fp-line fp-note">{draw.escape("; ".join(notes))}</div>',
             f'<div class="fp-scroll"><div class="fp-card fp-orphan"><div class="fp-line fp-strip">{strip}</div>'
             f'<div class="fp-body">{draw.escape(says(frame["text"]))}</div></div>']
    for kind, words in INDEXES.items():
        parts.append(f'<div class="fp-two">{_list(frame, kind, "before", f"{words}, alone")}'
                     f'{_list(frame, kind, "after", f"{words}, with its context")}</div>'
                     f'<div style="min-width:760px">{_way(frame, expected, kind)}</div>')
    return "".join(parts) + "</div>"


def _first_words(text: str) -> str:
    """Return the beginning of what a chunk says, up to its first comma or full stop."""
    return re.split(r"[,.](?:\s|$)", says(text))[0][:60]


def _list(frame: dict, kind: str, when: str, words: str) -> str:
    """Return the head of a ranked list, and the chunk's own row."""
    head = f'<div class="fp-line" style="font-weight:700">{words}</div>'
    if not known(frame, kind, when):
        return f'<div class="fp-list">{head}<div class="fp-note">?</div></div>'
    one = frame["lists"][kind][when]
    longest = max(len(row["id"]) for name in INDEXES for each in frame["lists"][name].values() for row in each["rows"])
    wide, rows = f"grid-template-columns:32px {min(round(7.3 * longest) + 10, 258)}px 1fr", []
    for row in one["rows"]:
        mine = " fp-mine" if row["id"] == frame["id"] else ""
        rows.append(f'<div class="fp-hit{mine}" style="{wide}"><span>{row["place"]:,}</span><span class="fp-id">'
                    f'{draw.escape(row["id"])}</span><span>{draw.escape(row["says"][:60])}</span></div>')
    if not one["place"]:
        words = f"not among the {one['found']:,} that were found" if one["found"] else "nothing was found"
        rows.append(f'<div class="fp-note" style="padding-left:5px">{words}</div>')
    return f'<div class="fp-list">{head}{"".join(rows)}</div>'


def _way(frame: dict, expected: dict | None, kind: str) -> str:
    """Return the line of all places, 1 at the left, and the chunk's place before and after on it."""
    left, right = 7.0, 97.0
    last = math.log10(max(frame["count"], 2))

    def at(place: int) -> float:
        return left + (right - left) * (math.log10(place or frame["count"]) / last)

    marks = [each for each in (1, 2, 5, 10, 20, 50, 100, 200, 500) if each < frame["count"] * 0.8] + [frame["count"]]
    shapes = [draw.text("0%", 27, "place", 13, draw.GREY), draw.line(f"{left}%", 22, f"{right}%", 22, draw.LINE, 2)]
    for each in marks:
        shapes += [draw.line(f"{at(each):.2f}%", 18, f"{at(each):.2f}%", 26),
                   draw.text(f"{at(each):.2f}%", 42, f"{each:,}", 12, draw.GREY, anchor="middle")]
    lists = frame["lists"][kind]
    if known(frame, kind, "before"):
        was = at(lists["before"]["place"])
        shapes.append(_dot(was, draw.tint(draw.NOW, 0.15), 6))
        if not known(frame, kind, "after"):
            shapes.append(_label(was, placed(lists["before"]["place"]), 14, bold=True))
    if known(frame, kind, "after"):
        was, now = at(lists["before"]["place"]), at(lists["after"]["place"])
        shapes.insert(2, draw.line(f"{was:.2f}%", 22, f"{now:.2f}%", 22, draw.tint(draw.NOW, 0.45), 5))
        shapes.append(_dot(now, draw.NOW, 7))
        if expected and expected["lists"][kind]["after"]["place"] != lists["after"]["place"]:
            should = at(expected["lists"][kind]["after"]["place"])
            shapes.append(f'<circle cx="{should:.2f}%" cy="22" r="10" style="fill:none;stroke:{draw.INK};'
                          'stroke-width:1.5;stroke-dasharray:4 3"/>')
        labels = draw.spread([was, now], 9.0) if was != now else [was, now]
        shapes.append(_label(labels[1], placed(lists["after"]["place"]), 14, bold=True))
        if was != now:
            shapes.append(_label(labels[0], f"was {placed(lists['before']['place'])}", 13, color=draw.GREY))
    return draw.svg(48, *shapes)


def _label(x: float, words: str, size: int, **look) -> str:
    """Return words above the line of places, in the middle of x percent; near the right end they end there."""
    end = x > 93
    return draw.text(f"{100 if end else x:.2f}%", 11, words, size, anchor="end" if end else "middle", **look)


def _dot(x: float, fill: str, radius: int) -> str:
    """Return a dot on the line of places."""
    return (f'<circle cx="{x:.2f}%" cy="22" r="{radius}" style="fill:{fill};stroke:{draw.NOW};stroke-width:1.5"/>')


# ---- the explorer

def orphan(name: str = "larkspur") -> Stage:
    """Walk from a chunk that names nothing to its places in two indexes, alone and with a line of context.

    `name` is "larkspur", 704 chunks, or "acme", a tiny collection of ours. Another question can be typed. Raises
    ValueError for any other name.
    """
    if name not in ORPHANS:
        raise ValueError(f"There is no collection {name!r} here; there are {' and '.join(ORPHANS)}.")
    questions = QUESTIONS[name]
    box = ipywidgets.Combobox(value=questions[0], options=questions, description="question", tooltip="question",
                              continuous_update=False, style={"description_width": "70px"}, layout={"width": "600px"})

    def turn():
        place = questions.index(box.value) + 1 if box.value in questions else 0
        box.value = questions[place % len(questions)]

    row = ipywidgets.HBox([box, another_question(turn)])
    row.add_class("fp-row")
    return stepper("orphan", lambda question: trace(name, " ".join(question.split())[:200] or questions[0]), picture,
                   describe, TASKS, caption, STYLE, texts={"question": box}, above=[row])
