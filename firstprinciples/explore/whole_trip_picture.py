"""Lesson 00: how the five stations of the whole trip are drawn. The frames come from `whole_trip`."""

from firstprinciples.explore import draw

STATIONS = ("ingestion", "chunking", "retrieval", "ranking", "generation")
DOES = ("a file becomes text", "the text is cut", "two searches", "the best are picked", "a reader quotes")
STYLE = f"""<style>
.fp-whole {{ display: grid; grid-template-columns: repeat(5, minmax(0, 1fr)); column-gap: 18px; margin: 10px 0 12px; }}
.fp-whole-box {{ border: 1.5px solid {draw.LINE}; border-radius: 8px; padding: 6px 10px 7px; position: relative;
  background: {draw.PAPER}; height: 98px; }}
.fp-whole-box + .fp-whole-box::before {{ content: "→"; position: absolute; left: -18px; top: 34px; width: 18px;
  text-align: center; color: {draw.GREY}; }}
.fp-whole-asked {{ font-size: 17px; font-weight: 700; line-height: 24px; max-height: 48px; overflow: hidden; }}
.fp-whole-now {{ border: 2.5px solid {draw.INK}; padding: 5px 9px 6px; }}
.fp-whole-sign {{ font-weight: 700; white-space: nowrap; }}
.fp-whole-in {{ display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); column-gap: 14px; height: 332px; }}
.fp-whole-in .fp-card {{ padding: 8px 14px; height: 332px; }}
.fp-whole-text {{ white-space: pre-line; overflow-wrap: anywhere; line-height: 20px; margin-top: 4px; }}
.fp-badge.fp-whole-where {{ display: inline-block; max-width: 100%; box-sizing: border-box; white-space: normal; }}
.fp-whole-row {{ display: grid; grid-template-columns: 30px minmax(0, 1fr); line-height: 20px; margin-top: 4px; }}
.fp-whole-holds {{ border-left: 4px solid {draw.GREEN}; padding-left: 8px; margin-left: -12px;
  background: {draw.tint(draw.GREEN, 0.14)}; }}
@container (max-width: 699px) {{ .fp-whole, .fp-whole-in {{ grid-template-columns: minmax(0, 1fr); height: auto;
  row-gap: 8px; }} .fp-whole-box {{ height: auto; }} .fp-whole-box + .fp-whole-box::before {{ content: ""; }} }}
</style>"""


def picture(frame: dict, before: dict | None, expected: dict | None) -> str:
    """Draw the question, the five stations with their signs, and what came into the open one and out of it."""
    end = "right, from end to end" if not frame["lost"] else f"lost at: {frame['lost']}"
    if expected and expected["lost"] != frame["lost"]:
        end += f"; expected: {expected['lost'] or 'right'}"
    boxes = "".join(_box(frame, place, expected) for place in range(len(STATIONS)))
    came, went = (_ingestion, _chunking, _retrieval, _ranking, _generation)[STATIONS.index(frame["station"])](
        frame, frame["stations"][frame["station"]])
    return (f'<div class="fp-note">question {frame["number"]} of {frame["of"]}; {draw.escape(end)}</div>'
            f'<div style="height:70px"><div class="fp-whole-asked">{draw.escape(frame["question"])}</div>'
            f'<div class="fp-note fp-line">somebody marked the answer: {draw.escape(frame["wanted"])}, in '
            f'“{draw.escape(frame["title"])}”</div></div><div class="fp-whole">{boxes}</div>'
            f'<div class="fp-whole-in"><div class="fp-card">{came}</div><div class="fp-card">{went}</div></div>')


def _box(frame: dict, place: int, expected: dict | None) -> str:
    """Return one station: its name, what it does, what went through, and whether it still has the line."""
    name, there = STATIONS[place], frame["there"]
    if there[place]:
        sign, color = "✓ right" if place == 4 else "✓ has the line", draw.GREEN
    elif frame["lost"] == name:
        sign, color = "✗ lost here", draw.NOW
    else:
        sign, color = "– gone before" if False in there[:place] else "✗ lost", draw.OTHER
    edge = f"border-bottom:3px solid {color}"
    wrong = f";outline:2px dashed {draw.INK}" if expected and expected["there"][place] != there[place] else ""
    now = " fp-whole-now" if name == frame["station"] else ""
    return (f'<div class="fp-whole-box{now}" style="{wrong.lstrip(";")}"><b>{place + 1} {name}</b>'
            f'<div class="fp-note fp-line">{DOES[place]}</div>'
            f'<div class="fp-note fp-line">{draw.escape(frame["stations"][name]["counts"])}</div>'
            f'<span class="fp-whole-sign" style="{edge}">{sign}</span></div>')


def _ingestion(frame, station) -> tuple[str, str]:
    came = _head("came in", f"the file, {draw.escape(station['name'])}") + _text(station["came"])
    went = _text(station["went"]) if station["read"] else '<div class="fp-whole-text">nothing</div>'
    left = "; dashed: what is left of the line" if station["went"]["near"] else ""
    return came, _head("went out", f"its text{left}") + went


def _chunking(frame, station) -> tuple[str, str]:
    came = _head("came in", "the text") + _text(frame["stations"]["ingestion"]["went"])
    word = "the one that holds the line" if station["whole"] else "dashed: what is left of the line"
    rows = "".join(f'<div style="border:1.5px solid {draw.LINE};border-radius:6px;padding:2px 8px 4px;margin-top:6px">'
                   f'<div class="fp-note">{draw.escape(chunk["id"])}</div>{_text(chunk["parts"])}</div>'
                   for chunk in station["shown"])
    return came, _head("went out", f"{station['chunks']} chunks; {word}") + rows


def _retrieval(frame, station) -> tuple[str, str]:
    parts = []
    for found in station["lists"]:
        place = f"the line: place {found['rank']}" if found["rank"] else f"the line: not among {found['n']}"
        parts.append(_head(found["way"], place) + "".join(map(_row, found["rows"]))
                     + f'<div class="fp-note" style="margin-top:4px">… {found["n"] - len(found["rows"])} more</div>')
    return parts[0], parts[1]


def _ranking(frame, station) -> tuple[str, str]:
    lists = frame["stations"]["retrieval"]["lists"]
    rows = "".join(f'<div style="margin-top:6px"><b>{each["way"]}</b>: {each["n"]} chunks, '
                   + (f'the line at place {each["rank"]}' if each["rank"] else "without the line") + "</div>"
                   for each in lists)
    why = (f'<div class="fp-note" style="margin-top:10px">A chunk that both lists hold moves up. '
           f'{station["candidates"]} different chunks, and the reader has time for {len(station["rows"])}.</div>')
    behind = "".join(f'<div class="fp-note" style="margin-top:6px">… further down, on no desk:</div>{_row(row)}'
                     for row in station["behind"])
    return _head("came in", "two lists") + rows + why, \
        _head("went out", "on the desk") + "".join(_row(row, short=True) for row in station["rows"]) + behind


def _generation(frame, station) -> tuple[str, str]:
    came = _head("came in", "the desk, and nothing else") + "".join(_row(row, short=True) for row in station["rows"])
    if not station["quotes"]:
        said = '<div class="fp-whole-text" style="font-size:16px">I couldn\'t find that.</div>'
    else:
        said = "".join(f'<div class="fp-whole-text"><span style="font-size:15px">{draw.escape(quote["text"][:260])}'
                       f'</span><br><span class="fp-badge fp-whole-where">{draw.escape(quote["receipt"])}</span></div>'
                       for quote in station["quotes"][:3])
    if frame["lost"] == "generation":
        number = next((row["number"] for row in station["rows"] if row["holds"]), 0)
        said += (f'<div class="fp-whole-text"><div class="fp-note">the line that answers, in number {number} on the '
                 f'desk:</div>{draw.mark(station["line"][:300], draw.GREEN)}</div>')
    sign = "✓ right" if frame["right"] else "✗ wrong" if station["quotes"] else "no answer"
    return came, _head("went out", f"the answer: {sign}") + said


def _head(word: str, what: str) -> str:
    return f'<div class="fp-line"><b>{word}</b> <span class="fp-note">{what}</span></div>'


def _text(parts: dict) -> str:
    """Return a passage with its line marked; where it is not whole, what stands there is outlined."""
    middle = draw.mark(parts["quote"], draw.GREEN) if parts["quote"] else (
        f'<span style="border:1.5px dashed {draw.NOW};border-radius:4px;padding:0 3px">{draw.escape(parts["near"])}'
        '</span>' if parts["near"] else "")
    return (f'<div class="fp-whole-text">{draw.escape(parts["before"])}{middle}{draw.escape(parts["after"])}</div>')


def _row(row: dict, short: bool = False) -> str:
    """Return a chunk of a list: its place, where it stands, and how it begins; ✓ where it holds the line."""
    holds = " fp-whole-holds" if row["holds"] else ""
    sign = " ✓" if row["holds"] else ""
    said = f'<div class="fp-line fp-note">{draw.escape(row["text"])}</div>'
    return (f'<div class="fp-whole-row{holds}"><b>{row["number"]}</b><div><div class="fp-line">'
            f'{draw.escape(row["receipt"])}{sign}</div>{said}</div></div>')
