"""How the stations of a wrong answer are drawn: the text of a document, its chunks, the candidates, the desk.

The pieces are those of `failure_evidence`. What the reader is to decide is not marked; `marked` is set once he has
chosen, and then the line, or what is left of it, is tinted and underlined where it stands.
"""

from firstprinciples.evaluate.failure import PLACES
from firstprinciples.explore import draw
from firstprinciples.explore.failure_evidence import part_of, place_of

ASKED = ("Do the documents in the index hold this line?", "Does one chunk hold it whole?",
         "Is such a chunk among the candidates?", "Does such a chunk lie on the desk?")
FIRST = 96  # characters of a chunk that the desk shows before it is read
HEIGHT = 372  # pixels of the evidence

STYLE = f"""<style>
.fp-fail-head {{ height: 176px; overflow: auto; }}
.fp-fail-said {{ border-left: 5px solid {draw.OTHER}; padding: 1px 0 1px 10px; margin-top: 5px; font-size: 13px;
  line-height: 19px; }}
.fp-fail {{ display: grid; grid-template-columns: 226px minmax(0, 1fr); column-gap: 16px; margin-top: 10px;
  min-width: 700px; }}
.fp-fail table {{ color: inherit; }}
.fp-fail-step {{ border: 1.5px solid {draw.LINE}; border-radius: 8px; padding: 4px 10px; margin-bottom: 7px;
  height: 66px; font-size: 13px; line-height: 18px; }}
.fp-fail-now {{ border: 2.5px solid {draw.NOW}; padding: 3px 9px; }}
.fp-fail-later {{ border-style: dashed; color: {draw.GREY}; }}
.fp-fail-evidence {{ height: {HEIGHT}px; overflow: auto; padding: 8px 14px; font-size: 13px; line-height: 19px; }}
.fp-fail-text {{ white-space: pre-wrap; overflow-wrap: anywhere; }}
.fp-fail-chunk {{ border: 1.5px solid {draw.GREY}; border-radius: 6px; padding: 4px 10px; margin: 6px 0; }}
.fp-fail-row {{ display: grid; grid-template-columns: 16px 236px 44px minmax(0, 1fr); column-gap: 8px;
  border-top: 1px solid {draw.LINE}; padding: 4px 0; align-items: baseline; }}
.fp-fail-open {{ border: 2px solid {draw.NOW}; border-radius: 6px; padding: 4px 10px; margin: 4px 0 6px; }}
</style>"""


def header(shown: dict, note: str) -> str:
    """Return the question, what came back, and what was wanted."""
    talk = f'<span class="fp-note">said before: {draw.escape(" / ".join(shown["talk"]))}</span><br>' \
        if shown["talk"] else ""
    verdict = "nothing" if shown["verdict"] == "declined" else shown["verdict"]
    lines = "<br>".join(f'“{draw.escape(piece["quote"])}” <span class="fp-note">in '
                        f'{draw.escape(piece["document"])}</span>' for piece in shown["pieces"])
    said = shown["answer"].removeprefix("Answer: ")
    several = len(shown["pieces"]) > 1
    which = "lines that say it, both needed" if several else "line that says it"
    return (f'<div class="fp-note fp-line">{draw.escape(note)}</div><div class="fp-fail-head">'
            f'<div style="min-height:44px">{talk}<b>{draw.escape(shown["question"])}</b></div>'
            f'<div class="fp-fail-said"><b>came back, {verdict}:</b> {draw.escape(said)}</div>'
            f'<div class="fp-fail-said" style="border-color:{draw.GREEN}"><b>wanted:</b> '
            f'{draw.escape(shown["wanted"])}. <b>The {which}:</b> {lines}</div></div>')


def tree(marks: list, now: int, over: bool) -> str:
    """Return the five stations: `marks` holds for each what was decided, True, False or None; `now` is asked."""
    rows = []
    for number, (asked, place) in enumerate(zip(ASKED, PLACES, strict=False)):
        mark = marks[number]
        look = " fp-fail-now" if number == now and not over else "" if mark is not None else " fp-fail-later"
        said = "<b>✓ yes</b>, go on" if mark else f"<b>✗ no: {place}</b>" if mark is False else f"no: {place}"
        rows.append(f'<div class="fp-fail-step{look}"><b>{number + 1}</b> {asked}<br>{said}</div>')
    last = over and False not in marks
    rows.append(f'<div class="fp-fail-step{"" if last else " fp-fail-later"}"><b>5</b> Four times yes, and still not '
                f'right<br>{"<b>✗ generation</b>" if last else "generation"}</div>')
    return "".join(rows)


def evidence(shown: dict, station: int, marked: bool, opened: int, holders: list) -> str:
    """Return what there is to look at at a station, from 0."""
    if station == 3:
        return _desk(shown, marked, opened)
    draws = (_document, _chunks, _candidates)[station]
    return "<hr>".join(draws(piece, marked, own, shown) for piece, own in zip(shown["pieces"], holders, strict=True))


def text_with(text: str, quote: str, marked: bool, spare: str = "") -> str:
    """Return a text as HTML; `marked`, with what it has of a line tinted, or else with `spare`."""
    part = part_of(quote, text) or spare
    start, end = place_of(text, part) if marked and part else (0, 0)
    if " ".join(text[start:end].split()) != " ".join(part.split()):
        start = end = 0
    body = draw.escape(text[:start]) + (draw.mark(text[start:end], draw.ORANGE) if end else "") + \
        draw.escape(text[end:])
    return f'<div class="fp-fail-text">{body}</div>'


def short(id: str) -> str:
    """Return a chunk's number in its document: "#7".

    >>> short("lease-quarry-street#7")
    '#7'
    """
    return f"#{id.rpartition('#')[2]}"


def held_in(piece: dict, holders) -> str:
    """Say which chunks hold a line; where that is the reader's to find (None), say where to look."""
    if holders is None:
        return "Which chunk holds the line, if one does, is to be seen among the chunks."
    return f"“{piece['quote']}” stands whole in {', '.join(map(short, holders)) or 'none'} of {piece['document']}."


def _document(piece, marked, holders, shown) -> str:
    if not piece["there"]:
        names = "".join(f"<div>{draw.escape(name)}</div>" for name in piece["names"])
        return (f'<div class="fp-note">the names that the index has where {draw.escape(piece["document"])} would stand'
                f'</div>{names}')
    return (f'<div class="fp-note">{draw.escape(piece["document"])}, as the index has it, where it comes nearest '
            f'to the line</div>'
            + text_with(piece["excerpt"], piece["quote"], marked, piece["instead"]))


def _chunks(piece, marked, holders, shown) -> str:
    if not piece["chunks"]:
        return f"<div>There is no chunk of {draw.escape(piece['document'])}.</div>"
    boxes = "".join(f'<div class="fp-fail-chunk"><b>{draw.escape(short(chunk["id"]))}</b>'
                    f'{text_with(chunk["text"], piece["quote"], marked)}</div>' for chunk in piece["chunks"])
    return f'<div class="fp-note">the chunks of {draw.escape(piece["document"])} around the place</div>{boxes}'


def _candidates(piece, marked, holders, shown) -> str:
    searches = list(shown["found"])
    count = ", ".join(f"{n} {name}" for name, n in shown["found"].items())
    head = "".join(f'<th style="text-align:right;padding:0 14px">{draw.escape(name)}</th>' for name in searches)
    body = ""
    for row in piece["rows"]:
        ranks = "".join(f'<td style="text-align:right;padding:0 14px">{row["ranks"][name] or "not"}</td>'
                        for name in searches)
        name = f"{piece['document']}{short(row['id'])}"
        name = draw.mark(name, draw.ORANGE) if marked and row["id"] in (holders or ()) else draw.escape(name)
        body += f"<tr><td>{name}</td>{ranks}</tr>"
    return (f'<div>{draw.escape(held_in(piece, holders))}</div><div class="fp-note">the candidates: {count}; those of '
            f'this document, and at which place</div><table style="font-size:13px;line-height:22px"><tr><th '
            f'style="text-align:left">chunk</th>{head}</tr>{body}</table>'
            + ("" if piece["rows"] else "<div>none of this document</div>"))


def _desk(shown, marked, opened) -> str:
    rows = ""
    for row in shown["desk"]:
        begin = " ".join(row["text"].split())[:FIRST]
        name = draw.escape(f"{row['document']}, page {row['page']}")
        rows += (f'<div class="fp-fail-row"><b>{row["number"]}</b><span class="fp-line">{name}</span>'
                 f'<span>{row["score"]:.3f}</span><span class="fp-line fp-note">{draw.escape(begin)}</span></div>')
        if row["number"] == opened:
            body = row["text"]
            for piece in shown["pieces"]:
                if " ".join(piece["quote"].split()) in " ".join(body.split()):
                    break
            rows += f'<div class="fp-fail-open">{text_with(body, piece["quote"], marked)}</div>'
    return (f'<div class="fp-note">what the reader was handed, best first: file, page, score, first words. “Read 1” '
            f'opens a whole one.</div>{rows or "nothing"}')
