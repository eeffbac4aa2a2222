"""A folder as it is: read what is text in it, and say in one sentence what is not.

The problem. The course's own collections are clean. A folder of one's own holds an empty file, a picture that somebody
named notes.txt, a letter from a Windows of 1998, a link that leads to itself, and one file of twenty megabytes without
a blank line. `corpus.read_documents` refuses such a folder at its first fault, as it should where questions are
measured: a page that is missing in silence makes every number wrong. Who only asks wants the other 199 files read, and
to be told of the one.

Encodings are told apart by what stands in the bytes. UTF-16 and UTF-32 begin with a mark (Unicode Standard, 23.8); a
byte 0 in anything else is no text; what is not valid UTF-8 is read as Windows-1252, unless it has one of the signs that
no text has. That last step is a guess, and it is said.

`pieces` cuts as the paragraphs of the first lessons, and a paragraph that is too long once more: no chunk may be larger
than what is handed to the reader of an answer. A file that is no larger stays whole. Reading and cutting take time and
memory in proportion to the text.
"""

import codecs
import os
import re
from bisect import bisect_right
from dataclasses import replace
from itertools import chain
from pathlib import Path

from firstprinciples.corpus import Chunk, Document, document_of
from firstprinciples.ingest.checks import whole

ENDINGS = (".md", ".txt")
LARGEST = 32_000_000  # bytes of one file, and of all together: what a laptop indexes in a minute
ALTOGETHER = 64_000_000
LONGEST = 1_200  # characters of a chunk: 300 tokens or so, and five of them fit before a reader
MANY = 20_000  # paragraphs of one file
NAMED = 3  # files that a sentence names
# the longer marks first: that of UTF-32 begins with that of UTF-16
MARKS = ((codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"), (codecs.BOM_UTF8, "utf-8-sig"),
         (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
NO_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")  # 1b, escape, stands in the logs of terminals
BREAKS = ("\n", ". ", " ")  # where a long paragraph is cut, the best first
INK = re.compile(r"\S")
BLANK = re.compile(r"\n\s*\n|\f")  # a form feed, too: behind it is another page
HEADING = re.compile(r"#{1,6} .*")


class NoText(ValueError):
    """Bytes that are no text in any encoding that is tried."""


def decoded(data: bytes) -> tuple[str, str]:
    r"""Return the text in these bytes, with \n at the end of each line, and the name of its encoding.

    The encoding is utf-8, utf-16, utf-32 or, as a guess, cp1252. Raises NoText where the bytes are no text.

    >>> decoded("Rate: 4 €\r\n".encode("utf-16")), decoded("Café".encode("cp1252"))
    (('Rate: 4 €\n', 'utf-16'), ('Café', 'cp1252'))
    """
    marked = next((name for mark, name in MARKS if data.startswith(mark)), None)
    if not marked and b"\0" in data:
        raise NoText("it holds bytes that no text has")
    try:
        text, name = data.decode(marked or "utf-8"), marked or "utf-8"
    except UnicodeDecodeError:
        if marked or NO_TEXT.search(data):
            raise NoText("its bytes are no text") from None
        try:
            text, name = data.decode("cp1252"), "cp1252"
        except UnicodeDecodeError:
            raise NoText("its bytes are no text in any encoding that is tried") from None
    return text.replace("\r\n", "\n").replace("\r", "\n"), name.removesuffix("-sig")


def read_folder(folder: Path) -> tuple[list[Document], list[str]]:
    """Read every .md and .txt file below a folder: the documents, in the order of their paths, and what is to be said.

    A document's id is its path below the folder, with its ending and / between the parts. Hidden files and folders are
    passed over, and links to folders are not followed. Where no mark says on which page a text stands, each form feed
    begins a page. What can't be read is left out; each reason is one sentence, which names a few files. Raises
    ValueError where the folder is a file or not there.
    """
    folder = Path(folder)
    if os.path.isfile(folder):
        raise ValueError(f"{folder} is a file; give the folder that holds it.")
    if not os.path.isdir(folder):
        raise ValueError(f"There is no folder {folder}; give one that holds .md or .txt files.")
    documents, told, read = [], {}, 0
    for path, name, why in _files(folder):
        try:
            size = 0 if why else path.stat().st_size
            if size > LARGEST:
                why = f"Left out, since a file may have {LARGEST / 1e6:.0f} MB"
            elif read + size > ALTOGETHER:
                why = f"Left out, since {ALTOGETHER / 1e6:.0f} MB of text are read and no more"
            if not why:
                with path.open("rb") as file:
                    data = file.read(LARGEST)  # it may grow meanwhile
                read += len(data)
                text, encoding = decoded(data)
                if encoding == "cp1252":
                    told.setdefault("Not UTF-8, so read as Windows-1252; save it as UTF-8 if letters look wrong",
                                    []).append(name)
                document = document_of(text, path, folder)
                if document.text.strip():
                    pages = tuple((offset, max(number, 1)) for offset, number in _pages(document))  # a mark may say 0
                    documents.append(replace(document, id=name, pages=pages))
                else:
                    why = "Without text"
        except NoText:
            why = "Left out, since what is in it is no text"
        except OSError as error:
            why = f"Left out, since it can't be read ({error.strerror or type(error).__name__})"
        if why:
            told.setdefault(why, []).append(name)
    return documents, [f"{why}: {some(names)}." for why, names in told.items()]


def _pages(document: Document) -> tuple[tuple[int, int], ...]:
    """Return where each page of a document begins: at its marks, or else at each form feed, as pdftotext writes it."""
    if len(document.pages) > 1 or document.pages[0][1] != 1:
        return document.pages
    feeds = (match.end() for match in re.finditer("\f", document.text))
    return (*document.pages, *((offset, number) for number, offset in enumerate(feeds, 2)))


def some(names: list[str]) -> str:
    """Return names for a sentence, a few of many.

    >>> some(["a.md", "b.md", "c.md", "d.md", "e.md"])
    'a.md, b.md, c.md and 2 more'
    """
    more = len(names) - NAMED
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:NAMED])} and {more} more"


def _files(folder: Path):
    """Yield (path, name below the folder, why it is left out or "") for what is there, sorted by path."""
    found, shut = [], []
    for place, folders, names in os.walk(folder, onerror=shut.append):  # which follows no link, so in no circle
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(place, name) for name in names if not name.startswith(".")]
        found += [Path(place, name) for name in folders if os.path.islink(Path(place, name))]
    for path in sorted(found, key=lambda path: path.as_posix()):
        why = ""
        if os.path.isdir(path):
            why = "Not followed, since it is a link to a folder"
        elif path.suffix.lower() not in ENDINGS:
            why = "Not read, since only .md and .txt files are"
        elif not os.path.isfile(path):  # a link to nowhere or to itself, a pipe
            why = "Left out, since it is no file"
        yield path, _shown(path.relative_to(folder).as_posix()), why
    for error in shut:
        name = Path(error.filename).relative_to(folder).as_posix()
        yield folder, _shown(name), f"Left out, since it can't be read ({error.strerror})"


def _shown(name: str) -> str:
    """Return a file's name as it can be printed: on a disk a name may hold bytes that are no letters, or a line end."""
    name = name.encode("utf-8", errors="surrogateescape").decode("utf-8", errors="backslashreplace")
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in name)


def whole_or_pieces(document: Document, longest: int = LONGEST) -> list[Chunk]:
    r"""Return a document of one page as one chunk if it has at most `longest` characters, else its `pieces`.

    A letter or a bill is short, and its paragraphs lean on one another: "The total is $40." does not say of which bill.

    >>> [c.text for c in whole_or_pieces(Document("d", "D", "Bill 7\n\nThe total is $40.\n"))]
    ['Bill 7\n\nThe total is $40.']
    """
    text = document.text.strip()
    if not text or len(text) > longest or len(document.pages) > 1:
        return pieces(document, longest)
    start = document.text.index(text)
    return [Chunk(f"{document.id}#1", text, document.id, start, start + len(text), document.pages[0][1],
                  document.metadata)]


def pieces(document: Document, longest: int = LONGEST) -> list[Chunk]:
    r"""Cut a document at its blank lines, as `corpus.paragraphs` does, and no piece longer than `longest` characters.

    A form feed ends a paragraph, too. A longer paragraph is cut at the last end of a line in reach, else behind the
    last sentence, else between two words, else anywhere. Where there are more than MANY paragraphs, neighbors are put
    together up to `longest`: a chunk takes memory, however short it is. Raises ValueError for `longest` < 1.

    >>> [c.text for c in pieces(Document("d", "D", "# Rope\n\nKept inside.\n\nOne two three four"), longest=20)]
    ['# Rope\n\nKept inside.', 'One two three four']
    >>> [c.text for c in pieces(Document("d", "D", "One two three four"), longest=9)]
    ['One two', 'three', 'four']
    """
    longest, text = whole(longest, "longest"), document.text
    offsets, numbers = zip(*document.pages, strict=True)
    spans, chunks = _paragraphs(text), []
    if sum(1 for _ in BLANK.finditer(text)) > MANY:
        spans = _packed(spans, longest)
    for first, last in spans:
        for start, end in _cut(text, first, last, longest):
            page = numbers[max(bisect_right(offsets, start) - 1, 0)]
            chunks.append(Chunk(f"{document.id}#{len(chunks) + 1}", text[start:end], document.id, start, end, page,
                                document.metadata))
    return chunks


def _blocks(text: str):
    """Yield the span of what stands between empty lines, without white space at its ends."""
    place = 0
    for end, following in chain((match.span() for match in BLANK.finditer(text)), [(len(text), len(text))]):
        if inked := INK.search(text, place, end):
            yield inked.start(), place + len(text[place:end].rstrip())
        place = following


def _paragraphs(text: str):
    """Yield the span of each paragraph; a heading goes with what stands below it."""
    start, before = None, None
    for block in chain(_blocks(text), [None]):  # one behind, to know whether anything follows
        if before:
            start = before[0] if start is None else start
            if not (block and HEADING.fullmatch(text, *before)):
                yield start, before[1]
                start = None
        before = block


def _packed(spans, longest: int):
    """Yield spans that hold as many neighbors as have room in `longest` characters."""
    pack = None
    for start, end in spans:
        if pack and end - pack[0] > longest:
            yield pack
            pack = None
        pack = (pack[0] if pack else start, end)
    if pack:
        yield pack


def _cut(text: str, start: int, end: int, longest: int):
    """Yield spans of at most `longest` characters that hold all of text[start:end] but white space at their ends."""
    while end - start > longest:
        reach = start + longest
        found = ((text.rfind(mark, start + longest // 3, reach), len(mark)) for mark in BREAKS)
        cut = next((place + length - 1 for place, length in found if place > start), reach)
        yield start, start + len(text[start:cut].rstrip())
        start = INK.search(text, cut, end).start()  # a paragraph ends in something that can be seen
    yield start, end
