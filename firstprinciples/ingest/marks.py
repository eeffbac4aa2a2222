"""Where a line, a block and a sentence end: the marks that a writer left in a plain text or a Markdown file.

These are rules, no model. A rule is wrong now and then ("class B. The meter" looks like "J. B. The name", and is not
cut); it is fast, the same on every machine, and one can read why it cut where it cut.

A line is one of six kinds: "blank", "heading" (# to ######), "fence" (the lines from ``` or ~~~ to the same again),
"table" (| first), "list" (-, *, + or a number first), "text". The rules for headings and fences are those of CommonMark
0.31 (spec.commonmark.org), without the exotic ones: no headings underlined by ===, no code by indentation.
"""

import re

LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^\r\n]*)")
HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+\S")

# A sentence ends after these, if a space or the end of the piece follows; quotes and brackets may stand between.
STOP = re.compile(r"(?<![.!?…؟۔।॥])[.!?…؟۔।॥]+[\"'”’»)\]*_]*(?=\s|$)|[。！？]+[」』”’）】》]*")
# After these a period ends nothing: a name, a number or an example follows.
NEVER = frozenset("mr mrs ms dr prof st mt rev gen capt col sgt vs cf e.g i.e fig figs eq ca approx dept tel z.b d.h "
                  "bzw".split())
# After these it ends a sentence unless what follows begins small, or with a digit.
PERHAPS = frozenset("a.m p.m etc inc ltd co corp bros jr sr u.s u.k no nos vol p pp ch sec art est min max jan feb mar "
                    "apr jun jul aug sep sept oct nov dec".split())

LONGEST = 20  # characters before a mark that are looked at: no abbreviation is longer
INK = re.compile(r"\S")


def lines(text: str) -> list[tuple[int, int, str]]:
    r"""Return (start, end, kind) for each line, the line break included: end is where the next line starts.

    A line ends with \n, \r\n or \r. A fence that is never closed goes on to the end, as in CommonMark.

    >>> [kind for _, _, kind in lines("# A\n\n- one\n```\n# no heading\n```\nend")]
    ['heading', 'blank', 'list', 'fence', 'fence', 'fence', 'text']
    """
    out, fence = [], ""
    for match in LINE.finditer(text):
        start, end = match.span()
        if start == end:
            break
        line = match.group().rstrip("\r\n")
        mark = FENCE.match(line)
        if fence:
            kind = "fence"
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                fence = ""
        elif mark and not (mark[1][0] == "`" and "`" in mark[2]):  # ```code``` in one line opens nothing
            kind, fence = "fence", mark[1]
        else:
            kind = _kind(line)
        out.append((start, end, kind))
    return out


def _kind(line: str) -> str:
    """Return the kind of one line outside fences."""
    if not line.strip():
        return "blank"
    if heading(line):
        return "heading"
    if line.lstrip().startswith("|"):
        return "table"
    return "list" if ITEM.match(line) else "text"


def heading(line: str) -> tuple[int, int, str] | None:
    """Return (place of the first #, level, title) of a heading, or None where the line is none.

    What closes a heading, # once more after a space, is not part of its title.

    >>> heading("## In C# ##"), heading("#tag")
    ((0, 2, 'In C#'), None)
    """
    match = HEADING.match(line)
    title = match[2].strip() if match else ""
    bare = title.rstrip("#")
    if not bare or bare[-1].isspace():
        title = bare.strip()
    return (match.start(1), len(match[1]), title) if title else None


def pieces(text: str) -> list[tuple[int, int, str]]:
    r"""Return the spans in which sentences are looked for, with the kind of each; no sentence reaches out of one.

    A heading, a row of a table and a whole fence are each one piece; an item of a list is one, together with indented
    lines below it; lines of text that follow each other are one. The white space around a piece is not part of it.

    >>> text = "# A title\nOne line\nand the next.\n- an item\n  goes on\n| a | b |\n"
    >>> [text[start:end] for start, end, kind in pieces(text)]
    ['# A title', 'One line\nand the next.', '- an item\n  goes on', '| a | b |']
    """
    out, before = [], "blank"
    for start, end, kind in lines(text):
        goes_on = kind == before and kind in ("text", "fence") or (
            before == "list" and kind == "text" and text[start] in " \t")
        if goes_on:
            out[-1] = (out[-1][0], end, out[-1][2])
        elif kind != "blank":
            out.append((start, end, kind))
        before = "list" if goes_on and before == "list" else kind
    return [(*trimmed(text, start, end), kind) for start, end, kind in out]


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span without the white space at its two ends; a span of nothing else becomes empty.

    >>> trimmed("  a b ", 0, 6)
    (2, 5)
    """
    inside = text[start:end]
    start += len(inside) - len(inside.lstrip())
    return start, start + len(inside.strip())


def ends_here(before: str, mark: str, after: str) -> bool:
    """Say whether a sentence ends at a mark: `before` is what leads up to it, `after` the next character with ink.

    >>> ends_here("open to 4 p.m", ".", "a"), ends_here("See Mr", ".", "R"), ends_here("It is paid", ".", "T")
    (False, False, True)
    """
    small = after.islower()
    if small and (len(mark) > 1 or mark == "…"):  # "Stop!" he said (or so ...) and left
        return False
    if not mark.startswith(".") or mark.startswith(".."):
        return True
    word = (before.split() or [""])[-1].lstrip("([{\"'“‘«*_")
    plain = word.casefold()
    if plain in NEVER or (len(word) == 1 and word.isupper() and word != "I"):  # J. Pemberlain, but also "plan B."
        return False
    return not (plain in PERHAPS and (small or after.isdigit()))
