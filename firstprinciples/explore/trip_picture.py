"""Lesson 00: how the trip of one question is drawn. The frames come from `trip`, which computes them."""

import re

from firstprinciples.explore import draw

STOPS = ("question", "words", "candidates", "score", "page", "answer")
SHOWN = 5  # candidates on the screen
ROWS = 12  # words on the screen


def place_of(found: dict) -> str:
    """Return where something stands, as its receipt says it.

    >>> place_of({"title": "Invoice 1042", "page": 2})
    'Invoice 1042, page 2'
    """
    return f"{found['title']}, page {found['page']}"


STYLE = f"""<style>
.fp-trip {{ display: grid; grid-template-columns: repeat(6, minmax(0, 1fr)); column-gap: 26px; margin: 8px 3px 14px; }}
.fp-trip-stop {{ position: relative; height: 52px; border: 1px solid {draw.LINE}; border-radius: 8px; padding: 4px 6px;
  text-align: center; background: {draw.PAPER}; }}
.fp-trip-stop + .fp-trip-stop::before {{ content: "→"; position: absolute; left: -23px; top: 14px;
  color: {draw.GREY}; }}
.fp-trip-now {{ box-shadow: 0 0 0 2.5px {draw.NOW}; }}
.fp-trip-body {{ height: 308px; overflow: hidden; }}
.fp-trip-row {{ display: grid; grid-template-columns: 128px 1fr 330px; column-gap: 12px; height: 24px; }}
.fp-trip-hit {{ display: grid; grid-template-columns: 22px minmax(0, 1fr) 34%; column-gap: 10px; height: 54px; }}
.fp-trip-text {{ white-space: pre-line; overflow: hidden; max-height: 156px; overflow-wrap: anywhere; }}
.fp-trip-said {{ font-size: 20px; line-height: 30px; font-weight: 700; }}
@container (max-width: 699px) {{
  .fp-trip {{ grid-template-columns: repeat(3, minmax(0, 1fr)); column-gap: 8px; row-gap: 8px; }}
  .fp-trip-stop + .fp-trip-stop::before {{ content: ""; }}
  .fp-trip-row {{ grid-template-columns: 90px 1fr 150px; }}
}}
</style>"""


def picture(frame: dict, expected: dict | None = None) -> str:
    """Draw the way with the stop we are at, and below it what happens there."""
    bodies = {"question": _draw_question, "words": _draw_words, "candidates": _draw_candidates, "score": _draw_score,
              "page": _draw_page, "answer": _draw_answer}
    note = f"{frame['number']}, stop {frame['step']} of {frame['steps']}"
    if expected and frame["step"] > 2:
        best = expected["hits"][0] if expected["hits"] else None
        first = f"{place_of(best)}, {draw.number(best['score'])}" if best else "no chunk"
        note += f"; with the course's own functions the best is {first}"
    elif expected and frame["step"] == 2:
        note += "; outlined: what the course's own function gives"
    body = bodies[frame["stop"]](frame, expected) if frame["question"] or frame["step"] == 1 else ""
    return (f'<div class="fp-title fp-line">{draw.escape(frame["title"])}</div>'
            f'<div class="fp-note fp-line">{draw.escape(note)}</div>{_way(frame)}'
            f'<div class="fp-trip-body">{body}</div>')


def _way(frame) -> str:
    """Return the six stops in a row; what is not known yet is a question mark."""
    hits, verdict = frame["hits"], frame["verdict"]
    short = {"question": f"“{frame['question']}”" if frame["question"] else "empty",
             "words": str(sum(len(row["others"]) or 1 for row in frame["words"])),
             "candidates": f"{frame['matching']} of {frame['chunks']}",
             "score": draw.number(hits[0]["score"]) if hits else "none",
             "page": f"page {frame['page']['page']}" if frame["page"] else "none",
             "answer": {"found": verdict.get("answer", ""), "unmarked": "you judge",
                        "empty": "none"}.get(verdict["kind"], "not there")}
    boxes = []
    for place, stop in enumerate(STOPS, 1):
        known = place <= frame["step"]
        value = draw.escape(short[stop]) if known else "?"
        now = " fp-trip-now" if stop == frame["stop"] else ""
        name = f"<b>{stop}</b>" if now else stop
        boxes.append(f'<div class="fp-trip-stop{now}"><div style="font-size:13px;line-height:20px">{name}</div>'
                     f'<div class="fp-line"{"" if known else f""" style="color:{draw.GREY}" """}>{value}</div></div>')
    return f'<div class="fp-trip">{"".join(boxes)}</div>'


def _color(slot: int) -> str:
    return draw.PALETTE[slot] if slot < len(draw.PALETTE) else draw.OTHER


def _draw_question(frame, expected) -> str:
    return (f'<div class="fp-card" style="padding:24px 28px;font-size:20px;line-height:30px;overflow-wrap:anywhere">'
            f'{draw.escape(frame["question"]) or "(empty)"}</div>'
            f'<div class="fp-note" style="padding:16px 4px">{frame["documents"]} documents, {frame["chunks"]} chunks: '
            "invoices, policies, minutes, guides of a small company. One of them may say it.</div>")


def _rows(frame, values, notes, should=()) -> str:
    """Return a row for each word of the question: its name, a bar as long as its value, and a note.

    `should` holds the course's own values, drawn as outlines where they are others.
    """
    full = max([*map(abs, values), *should, 0.1])
    rows = []
    for i, (row, value, note) in enumerate(zip(frame["words"], values, notes, strict=True)):
        width = 84 * max(value, 0.0) / full
        shapes = [draw.bar(0, width, 3, 16, _color(row["slot"])), draw.text(
            f"{width:.2f}%", 16, draw.number(value), 13, bold=True, shift=7)]
        if should and draw.number(should[i]) != draw.number(value):
            shapes.append(draw.box(0, 1, f"{84 * max(should[i], 0.0) / full:.2f}%", 20, stroke=draw.INK, dash="4 3"))
            note = f"expected {draw.number(should[i])}; {note}"
        word = draw.mark(row["word"], _color(row["slot"])) if row["df"] else draw.escape(row["word"])
        rows.append(f'<div class="fp-trip-row"><div class="fp-line">{word}</div><div>{draw.svg(22, *shapes)}</div>'
                    f'<div class="fp-note fp-line">{draw.escape(note)}</div></div>')
    return "".join(rows)


def _draw_words(frame, expected) -> str:
    notes = [f"in {row['df']} of {frame['chunks']} chunks" if row["df"] else
             "rarely the ones that decide" if row["others"] else "in no chunk" for row in frame["words"]]
    should = [row["idf"] for row in expected["words"]] if expected else ()
    return _rows(frame, [row["idf"] for row in frame["words"]], notes, should)


def _draw_candidates(frame, expected) -> str:
    full = max((hit["score"] for hit in frame["hits"]), default=1.0) or 1.0
    rows = []
    for hit in frame["hits"]:
        at, shapes = 0.0, []
        for row, (value, _) in zip(frame["words"], hit["parts"], strict=True):
            end = at + max(value, 0.0)
            shapes.append(draw.bar(78 * at / full, 78 * end / full, 6, 24, _color(row["slot"])))
            at = end
        shapes.append(draw.text(f"{78 * at / full:.2f}%", 24, draw.number(hit["score"]), 15, bold=True, shift=8))
        said = "".join(draw.escape(piece) if slot is None else draw.mark(piece, _color(slot))
                       for piece, slot in hit["excerpt"])
        rows.append(f'<div class="fp-trip-hit"><b>{hit["place"]}</b><div><div class="fp-line">'
                    f'<b>{draw.escape(hit["title"])}</b>, page {hit["page"]}</div>'
                    f'<div class="fp-line fp-note">{said}</div></div><div>{draw.svg(40, *shapes)}</div></div>')
    return "".join(rows) or '<div class="fp-note">No chunk shares a word with the question.</div>'


def _draw_score(frame, expected) -> str:
    if not frame["hits"]:
        return '<div class="fp-note">No score.</div>'
    hit = frame["hits"][0]
    should = ()
    if expected and expected["hits"] and expected["hits"][0]["id"] == hit["id"]:
        should = [value for value, _ in expected["hits"][0]["parts"]]
    notes = [_short(note) for _, note in hit["parts"]]
    return _rows(frame, [value for value, _ in hit["parts"]], notes, should)


def _short(note: str) -> str:
    """Return a part's note for a narrow column: idf 5.31 × 1.15 (1 in 41 words)."""
    found = re.match(r"idf (\S+) \(.*?\) x weight (\S+) \((\d+ in \d+ words)", note)
    if not found:
        return note
    return f"idf {draw.number(float(found[1]))} × weight {draw.number(float(found[2]))} ({found[3]})"


def _draw_page(frame, expected) -> str:
    page = frame["page"]
    if page is None:
        return '<div class="fp-note">No page.</div>'
    line = lambda text: f'<div class="fp-line fp-note">{draw.escape(text[:160])}</div>'  # noqa: E731
    return (f'<div class="fp-card" style="padding:10px 16px"><div style="display:flex;gap:12px"><b class="fp-line" '
            f'style="flex:1">{draw.escape(page["title"])}</b><span class="fp-note">page {page["page"]} of '
            f'{page["pages"]}</span></div>{"".join(map(line, page["before"]))}<div style="border-left:4px solid '
            f'{draw.NOW};padding-left:10px;margin:6px 0"><div class="fp-trip-text">{_passage(page["chunk"])}</div>'
            f'</div>{"".join(map(line, page["after"]))}</div>')


def _passage(chunk: str, quote: str = "", room: int = 620) -> str:
    """Return a chunk's text as HTML, its quote marked; a long one is cut around the quote."""
    text = re.sub(r"\n\n+", "\n", re.sub(r"^#+ ", "", chunk, flags=re.MULTILINE))
    found = re.search(r"\s+".join(map(re.escape, quote.split())), text) if quote else None
    start, end = found.span() if found else (0, 0)
    left = max(end - room + 100, 0) if end > room else 0
    before, after = ("… " if left else "") + text[left:start], text[end : left + room]
    after += " …" if left + room < len(text) else ""
    return draw.escape(before) + (draw.mark(text[start:end], draw.GREEN) if found else "") + draw.escape(after)


def _draw_answer(frame, expected) -> str:
    verdict = frame["verdict"]
    if verdict["kind"] == "found":
        body = (f'<div class="fp-trip-said">{draw.escape(verdict["answer"])}&ensp;<span class="fp-badge">'
                f'{draw.escape(place_of(verdict))}</span></div><div class="fp-trip-text" style="margin-top:10px">'
                f'{_passage(frame["page"]["chunk"], verdict["quote"])}</div>')
        note = "The marked sentence was chosen by hand, before any search was run. In lesson 18 a program reads it off."
    elif verdict["kind"] == "elsewhere":
        opened = f'opened: <b>{draw.escape(place_of(frame["page"]))}</b>' if frame["page"] else "opened: nothing"
        place = f"place {verdict['place']} of {frame['matching']}" if verdict["place"] else "never retrieved"
        where = draw.escape(place_of(verdict))
        body = (f'<div class="fp-trip-said">The answer is not here.</div><div style="margin-top:6px">{opened}</div>'
                f'<div style="margin-top:14px">The answer stands in <b>{where}</b>, {place}:</div>'
                f'<div class="fp-trip-text" style="margin-top:4px">{draw.mark(verdict["quote"], draw.GREEN)}</div>')
        ten = "can still find it" if verdict["place"] and verdict["place"] <= 10 else "never sees it"
        note = (f"A reader who is handed ten chunks {ten}." if verdict["place"] else
                "It is not in the list at all: reading on would not bring it up.")
    elif verdict["kind"] == "unmarked":
        body = ('<div class="fp-trip-said">Does the page say it?</div>'
                f'<div class="fp-trip-text" style="margin-top:10px">{_passage(frame["page"]["chunk"])}</div>')
        note = "Nobody marked an answer to this question, so no program can tell you whether this is one."
    else:
        body = '<div class="fp-trip-said">I couldn\'t find that.</div>'
        if frame["page"]:
            body += ('<div style="margin-top:6px">is what an honest reader says here. What BM25 put on top does not '
                     f'say it: <b>{draw.escape(place_of(frame["page"]))}</b></div><div class="fp-trip-text" '
                     f'style="margin-top:10px">{_passage(frame["page"]["chunk"])}</div>')
        note = ("A score says how well words match. It does not say that the answer is there." if frame["page"] else
                "No word matched, so there is no score and no page.")
    return (f'<div class="fp-card" style="padding:14px 18px">{body}</div>'
            f'<div class="fp-note" style="padding:8px 4px">{note}</div>')
