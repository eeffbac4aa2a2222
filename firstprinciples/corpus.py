"""Documents, chunks, questions, and what counts as having found the answer.

A search engine returns chunks, pieces of documents small enough to read. A question set says, for each question, which
words in which document answer it: its evidence, a quote. A chunk is relevant when it holds a whole quote. Because
quotes, not chunk ids, are stored, the same questions can measure every way of cutting documents.

`Collection.load` reads three things: a collection of this course by name ("larkspur", "clocks"), a folder in the
layout of the BEIR benchmark (Thakur et al. 2021: corpus.jsonl, queries.jsonl, qrels/*.tsv), or any folder of .md and
.txt files.
"""

import json
import re
import reprlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

NAMES = {str: "a text", list: "a list", dict: "an object"}  # the kinds of value in a .jsonl file, in words
HIGHEST = 1000  # the highest grade in qrels: 2**grade must still fit into a float
DATA = Path(__file__).resolve().parent.parent / "data"


@dataclass(frozen=True)
class Document:
    """One file: its text without front matter and page marks; `pages` holds (offset, page number), ascending."""

    id: str
    title: str
    text: str
    metadata: dict = field(default_factory=dict)
    pages: tuple = ((0, 1),)


@dataclass(frozen=True)
class Chunk:
    """A piece of a document: `text` is document.text[start:end]; `page` is the page on which it starts."""

    id: str
    text: str
    document: str = ""
    start: int = 0
    end: int = 0
    page: int = 1
    metadata: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Query:
    """A question. What else it has is in data/SOURCES.md; those of plain BEIR folders have nothing more."""

    id: str
    text: str
    kind: str = ""
    split: str = ""
    history: tuple = ()
    answers: tuple = ()
    evidence: tuple = ()
    filter: dict | None = None
    references: tuple = ()  # ids of what is trusted on the matter; clocks alone has them


@dataclass
class Collection:
    """Documents, their chunks, and judged questions.

    `qrels` is {query id: {chunk or document id: grade}}. `evidence` is {query id: [(grade, ids of the chunks that hold
    this piece, perhaps none)]}: recall counts pieces, so two chunks that hold the same quote count once.

    `documents` is what the index gets. `sources` are the clean originals of those that it got damaged, under the same
    id, or never got: a question may have its evidence there, and then no chunk holds it.
    """

    name: str
    documents: list[Document]
    chunks: list[Chunk]
    queries: list[Query] = field(default_factory=list)
    qrels: dict[str, dict[str, int]] = field(default_factory=dict)
    evidence: dict[str, list[tuple[int, tuple[str, ...]]]] = field(default_factory=dict)
    sources: list[Document] = field(default_factory=list)

    @classmethod
    def load(cls, source: str | Path, chunker=None) -> "Collection":
        """Read a collection: a name under data/, a BEIR folder, or a folder of .md/.txt files.

        `chunker(document) -> list[Chunk]`, by default `paragraphs`; BEIR documents are one chunk each. Raises
        ValueError with a sentence that says which file, and in .jsonl which line, cannot be used.

        >>> larkspur = Collection.load("larkspur")
        >>> larkspur.chunks[0].id
        'bill-brackwater-power-july-2024#1'
        """
        folder = DATA / source if source in _names() else Path(source)
        if not folder.is_dir():
            raise ValueError(f"There is no collection and no folder called {str(source)!r}. Give "
                             f"{' or '.join(_names())}, a BEIR folder (corpus.jsonl), or a folder with .md or .txt "
                             "files.")
        if (folder / "corpus.jsonl").exists():
            return _load_beir(folder)
        ours = (folder / "questions.jsonl").exists() and (folder / "documents").is_dir()
        texts = folder / "documents" if ours else folder
        documents = read_documents(texts)
        chunks = [chunk for document in documents for chunk in (chunker or paragraphs)(document)]
        if not chunks:
            raise ValueError(f"The folder {str(source)!r} holds no .md or .txt file with text in it.")
        collection = cls(folder.name, documents, chunks, sources=read_documents(folder / "source") if ours else [])
        if (folder / "questions.jsonl").exists():
            known = {document.id for document in (*documents, *collection.sources)}
            collection.queries = read_questions(folder / "questions.jsonl", known)
            collection.evidence = {q.id: find_evidence(q, chunks) for q in collection.queries}
            collection.qrels = {qid: _best_grades(pieces) for qid, pieces in collection.evidence.items()}
        return collection


def read_documents(folder: Path) -> list[Document]:
    """Read every .md and .txt file below a folder, in the order of their paths; hidden files and folders are left out.

    A folder that is not there gives []. Raises ValueError where two files have the same id.
    """
    documents = [read_document(p, folder) for p in sorted(folder.rglob("*"), key=lambda p: p.as_posix())
                 if p.suffix.lower() in (".md", ".txt") and p.is_file()
                 and not any(part.startswith(".") for part in p.relative_to(folder).parts)]
    twice = [id for id, times in Counter(d.id for d in documents).items() if times > 1]
    if twice:
        raise ValueError(f"There are two documents with the id {twice[0]!r}; rename one of the files.")
    return documents


def read_document(path: Path, folder: Path) -> Document:
    """Read one .md or .txt file: front matter (`key: value` lines between two ---), page marks, text.

    The id is the path below `folder` without its ending, with / between the parts.
    """
    try:
        text = path.read_text(encoding="utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from None
    return document_of(text, path, folder)


def document_of(text: str, path: Path, folder: Path) -> Document:
    r"""Make a document of what a .md or .txt file holds, with line ends of one sign; see `read_document`.

    >>> document_of("# Rope\n\nRopes hang inside.", Path("shed/rope.txt"), Path("shed")).title
    'Rope'
    """
    metadata = {}
    # It begins with a `key: value` line and has no empty one: a rule at the top of a text is no front matter.
    front = re.match(r"---\n((?:[\w -]+:[^\n]*\n(?:(?!---)[^\n]+\n)*)?)---[ \t]*(?:\n|$)", text)
    if front and path.suffix.lower() == ".md":
        metadata = {key.strip(): value.strip() for key, colon, value in
                    (line.partition(":") for line in (front.group(1) or "").splitlines()) if colon}
        text = text[front.end():]
    clean, pages = "", []
    for piece in re.split(r"(^<!-- page \d{1,9} -->[ ]*\n?)", text, flags=re.MULTILINE):
        if mark := re.match(r"<!-- page (\d{1,9}) -->", piece):
            pages.append((len(clean), int(mark.group(1))))
        else:
            clean += piece
    if not pages or clean[: pages[0][0]].strip():
        pages.insert(0, (0, max(pages[0][1] - 1, 1) if pages else 1))  # what stands before the first mark
    name = path.relative_to(folder).with_suffix("").as_posix()
    heading = re.search(r"^# +(.+)$", clean, re.MULTILINE)
    title = metadata.get("title") or (heading.group(1).strip() if heading else path.stem)
    return Document(name, title, clean, metadata, tuple(pages))


def paragraphs(document: Document) -> list[Chunk]:
    """Cut a document at its blank lines; a heading stays with the paragraph below it. Chunk ids are document#1, #2, ...

    This chunker of the first lessons is the default for good, so that numbers stay comparable.

    >>> [c.text for c in paragraphs(Document("d", "D", "# Title\\n\\nOne.\\n\\nTwo,\\nstill two.\\n"))]
    ['# Title\\n\\nOne.', 'Two,\\nstill two.']
    """
    chunks, start = [], None
    blocks = list(re.finditer(r"\S(?:.|\n(?!\s*\n))*", document.text))
    for place, block in enumerate(blocks):
        start = block.start() if start is None else start
        only_heading = re.fullmatch(r"#{1,6} .*", block.group().rstrip())
        if only_heading and place + 1 < len(blocks):
            continue
        end = block.start() + len(block.group().rstrip())
        page = [number for offset, number in document.pages if offset <= start] or [document.pages[0][1]]
        chunks.append(Chunk(f"{document.id}#{len(chunks) + 1}", document.text[start:end], document.id, start, end,
                            page[-1], document.metadata))
        start = None
    return chunks


def find_evidence(query: Query, chunks: list[Chunk]) -> list[tuple[int, tuple[str, ...]]]:
    """Return, for each piece of the query's evidence, its grade and the ids of the chunks that hold the whole quote."""
    found = []
    for piece in query.evidence:
        quote = _one_line(piece["quote"])
        held = [c.id for c in chunks if c.document == piece["document"] and quote in _one_line(c.text)]
        found.append((piece["grade"], tuple(held)))
    return found


def _one_line(text: str) -> str:
    """Return the text with every run of white space as one space, so that line breaks do not matter."""
    return " ".join(text.split())


def _best_grades(pieces: list[tuple[int, tuple[str, ...]]]) -> dict[str, int]:
    """Return {chunk id: best grade of the pieces it holds}."""
    grades = {}
    for grade, ids in pieces:
        for id in ids:
            grades[id] = max(grade, grades.get(id, 0))
    return grades


def _names() -> list[str]:
    """Return the names of the course's own collections."""
    return sorted(path.parent.name for name in ("questions.jsonl", "corpus.jsonl") for path in DATA.glob(f"*/{name}"))


def _shown(value) -> str:
    """Return a value as it would be typed, shortened where it is long or deep."""
    return reprlib.repr(value)


def _read_lines(path: Path, needed: tuple[str, ...]):
    """Yield (line number, object) for each line of a .jsonl file; blank lines are passed over.

    `needed` are the keys that each line must have: the id, which may not stand there twice, and "text", a string.
    """
    seen = set()
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line.decode("utf-8-sig"))
            except UnicodeDecodeError:
                raise ValueError(f"{path.name}, line {number}: this is not UTF-8 text. Save it as UTF-8.") from None
            except json.JSONDecodeError as error:
                raise ValueError(f"{path.name}, line {number}: this is not JSON ({error.msg} at column {error.colno})."
                                 ) from None
            except ValueError:  # what else Python refuses: a number of more than 4,300 digits
                raise ValueError(f"{path.name}, line {number}: a number has too many digits.") from None
            except RecursionError:
                raise ValueError(f"{path.name}, line {number}: too many lists or objects stand inside each other."
                                 ) from None
            missing = [key for key in needed if not isinstance(record, dict) or key not in record]
            if missing:
                raise ValueError(f"{path.name}, line {number}: {missing[0]!r} is missing.")
            id = record[needed[0]]
            if not isinstance(id, (str, int, float)):
                raise ValueError(f"{path.name}, line {number}: {needed[0]!r} must be a string, not {_shown(id)}.")
            id = str(id)
            if id in seen:
                raise ValueError(f"{path.name}, line {number}: the id {id!r} is there twice.")
            if not isinstance(record["text"], str):
                raise ValueError(f"{path.name}, line {number}: 'text' must be a string.")
            seen.add(id)
            yield number, record


def read_questions(path: Path, documents: set[str]) -> list[Query]:
    """Read questions.jsonl and check that every piece of evidence names a document that is there."""
    queries = []
    for number, r in _read_lines(path, ("id", "text")):
        _check_kinds(path, number, r, id=str, kind=str, split=str, history=list, answers=list, evidence=list,
                     filter=dict)
        for piece in r.get("evidence") or ():
            if not isinstance(piece, dict):
                raise ValueError(f"{path.name}, line {number}: a piece of evidence is an object with document, quote "
                                 "and grade.")
            if missing := [key for key in ("document", "quote", "grade") if key not in piece]:
                raise ValueError(f"{path.name}, line {number}: a piece of evidence lacks {missing[0]!r}.")
            if not (isinstance(piece["quote"], str) and piece["quote"].strip() and isinstance(piece["document"], str)):
                raise ValueError(f"{path.name}, line {number}: a quote and a document are texts that are not empty.")
            if piece["document"] not in documents:
                plain = Path(piece["document"]).with_suffix("").as_posix()
                hint = f" Is it {plain!r}?" if plain in documents else ""
                raise ValueError(f"{path.name}, line {number}: there is no document {piece['document']!r}.{hint}")
            if type(piece["grade"]) is not int or not 1 <= piece["grade"] <= 3:
                raise ValueError(f"{path.name}, line {number}: a grade is 1, 2 or 3, not {_shown(piece['grade'])}.")
        queries.append(Query(r["id"], r["text"], r.get("kind", ""), r.get("split", ""), tuple(r.get("history") or ()),
                             tuple(r.get("answers") or ()), tuple(r.get("evidence") or ()), r.get("filter")))
    return queries


def _check_kinds(path: Path, number: int, record: dict, **kinds) -> None:
    """Raise ValueError where a value of a line is not of its kind; one that is missing or null is right."""
    for key, kind in kinds.items():
        if record.get(key) is not None and not isinstance(record[key], kind):
            raise ValueError(f"{path.name}, line {number}: {key!r} is to be {NAMES[kind]}, not {_shown(record[key])}.")


def references(folder: str | Path = DATA / "clocks") -> list[Document]:
    """Return what the clocks are judged by, references.jsonl, as documents; the topic is the title.

    Their metadata holds "source", a work in which the reader finds more, and "split". Raises ValueError with file and
    line for what cannot be used, and where the file is missing.

    >>> references()[1].id, references()[1].title
    ('t2', 'light clock')
    """
    path, found = Path(folder) / "references.jsonl", []
    if not path.is_file():
        raise ValueError(f"The folder {str(folder)!r} lacks references.jsonl.")
    for number, r in _read_lines(path, ("id", "text")):
        _check_kinds(path, number, r, topic=str, source=str, split=str)
        metadata = {key: r[key] for key in ("source", "split") if r.get(key)}
        found.append(Document(str(r["id"]), r.get("topic") or "", r["text"], metadata))
    return found


def _load_beir(folder: Path) -> Collection:
    """Read a BEIR folder: a document is its title and text together and is one chunk with the same id.

    A question that is not judged belongs to another file in qrels and is left out, as the train questions are. One of
    the kind "unanswerable" stays. What a line says of a question is taken where it has the form that it has here, a
    text or a list of texts; other collections may mean something else by the same word.
    """
    documents, chunks = [], []
    for number, r in _read_lines(folder / "corpus.jsonl", ("_id", "text")):
        title = r.get("title") or ""
        if not isinstance(title, str):
            raise ValueError(f"corpus.jsonl, line {number}: 'title' must be a string, not {_shown(title)}.")
        text = f"{title}\n{r['text']}" if title else r["text"]
        _check_kinds(folder / "corpus.jsonl", number, r, metadata=dict)
        metadata = r.get("metadata") or {}
        documents.append(Document(str(r["_id"]), title, text, metadata))
        chunks.append(Chunk(str(r["_id"]), text, str(r["_id"]), 0, len(text), metadata=metadata))
    if not documents:
        raise ValueError(f"{folder / 'corpus.jsonl'} holds no document.")
    for name in ("queries.jsonl", "qrels"):
        if not (folder / name).exists():
            raise ValueError(f"The BEIR folder {folder} lacks {name}.")
    files = sorted((folder / "qrels").glob("*.tsv"))
    path = next((f for f in files if f.stem == "test"), files[0] if files else None)
    if path is None:
        raise ValueError(f"The BEIR folder {folder} has no .tsv file in qrels.")
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise ValueError(f"{path.name} is not UTF-8 text. Save it as UTF-8.") from None
    qrels = {}
    for number, line in enumerate(lines, 1):
        cells = line.split("\t")
        header = number == 1 and len(cells) == 3 and re.fullmatch(r"[^\W\d]\D*", cells[2])  # "score", "relevance"
        if header or not line.strip():
            continue
        try:
            query, document, grade = cells
            grade = int(grade)
        except ValueError:
            raise ValueError(f"{path.name}, line {number}: expected query, document and a whole-number grade, "
                             "with tabs between.") from None
        if abs(grade) > HIGHEST:
            raise ValueError(f"{path.name}, line {number}: a grade is a whole number up to {HIGHEST:,}, "
                             f"not {_shown(grade)}.")
        qrels.setdefault(query, {})[document] = grade
    queries = []
    for _, r in _read_lines(folder / "queries.jsonl", ("_id", "text")):
        kind, split = (r[key] if isinstance(r.get(key), str) else "" for key in ("kind", "split"))
        answers, trusted = (tuple(r[key]) if isinstance(r.get(key), list) and all(isinstance(x, str) for x in r[key])
                            else () for key in ("answers", "references"))
        if str(r["_id"]) in qrels or kind == "unanswerable":
            queries.append(Query(str(r["_id"]), r["text"], kind, split, answers=answers, references=trusted))
    evidence = {q: [(grade, (d,)) for d, grade in judged.items() if grade > 0] for q, judged in qrels.items()}
    return Collection(folder.name, documents, chunks, queries, qrels, evidence)
