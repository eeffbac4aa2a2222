"""The documents and questions of Larkspur keep to the definitions that data/SOURCES.md states."""

import hashlib
import importlib.util
import json
import re
from datetime import date
from decimal import Decimal

import pytest

from firstprinciples.corpus import DATA, Collection, paragraphs
from firstprinciples.text import tokenize

KINDS = ["direct", "paraphrase", "exact", "rare_name", "negation_or_date", "polysemy", "needs_context", "filter",
         "follow_up", "unanswerable"]
KEYS = ["id", "text", "kind", "split", "history", "answers", "evidence", "filter"]
FOLDER = DATA / "larkspur"
RECORDS = [json.loads(line) for line in (FOLDER / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
LARKSPUR = Collection.load("larkspur")
DOCUMENTS = {document.id: document for document in LARKSPUR.documents}  # what the index got
CLEAN = DOCUMENTS | {document.id: document for document in LARKSPUR.sources}  # what was written
NEVER_SYNCED = {"recalls/cinder-1-jet-recall", "recalls/ropes-lot-7-notice", "recalls/tent-zipper-batch-recall"}
DAMAGED = {"first-aid-medicines-sheet", "repair-price-list-2024"}
PIECES = [(record["id"], piece) for record in RECORDS for piece in record["evidence"]]


def of_kind(kind):
    return [record for record in RECORDS if record["kind"] == kind]


def by_id(records):
    return {"argvalues": records, "ids": [record["id"] for record in records]}


def one_line(text):
    return " ".join(text.split())


def damage():
    """Return the module data/larkspur/damage.py."""
    spec = importlib.util.spec_from_file_location("damage", FOLDER / "damage.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_documents():
    assert len(DOCUMENTS) == len(LARKSPUR.documents) == 70
    words = sum(len(document.text.split()) for document in CLEAN.values())
    assert words >= 44_000
    named = {"invoice-1042", "sick-day-policy", "outage-report-e4432", "board-minutes-2024-05", "house-words"}
    assert named <= set(CLEAN)


@pytest.mark.parametrize("document", [*LARKSPUR.documents, *LARKSPUR.sources], ids=lambda document: document.id)
def test_each_document_has_the_four_fields_of_front_matter(document):
    assert list(document.metadata) == ["title", "type", "client", "date"]
    assert document.metadata["type"] in TYPES
    assert document.metadata["client"] in CLIENTS
    assert date(2019, 1, 1) < date.fromisoformat(document.metadata["date"]) < date(2026, 1, 1)
    assert re.findall(r"^# (.+)$", document.text, re.MULTILINE) == [document.metadata["title"]]


TYPES = {"bill", "contract", "filing", "guide", "handbook", "invoice", "minutes", "notice", "plan", "policy", "product",
         "report", "safety", "statement"}
CLIENTS = {
    "none", "Averell Municipal Parks", "Brackwater Power", "Brightwater Outfitters", "Cedarline Freight",
    "Fernhollow Scouts", "Greywether Tube", "Hesper Voss Estates", "Hollow Creek Guides", "Ironhope Security",
    "Lantern Systems", "Mount Tace Climbing School", "Pellmoor Wash and Proof", "Quillback Rafting",
    "Ridgeback Gear Holdings", "Saltgrass Expeditions", "Sedgewick Print", "Tollgate Sporting", "Vantongeren Mills"}


@pytest.mark.parametrize("folder", ["documents", "source"])
def test_the_marks_of_pages_begin_with_1_and_rise_by_1(folder):
    for path in (FOLDER / folder).rglob("*.md"):
        if folder == "source" or path.stem not in DAMAGED:
            numbers = re.findall(r"^<!-- page (\d+) -->$", path.read_text(encoding="utf-8"), re.MULTILINE)
            assert numbers == [str(n) for n in range(1, len(numbers) + 1)] != [], path.name
    assert {path.suffix for path in (FOLDER / folder).rglob("*") if path.is_file()} == {".md"}


def test_the_documents_are_those_that_were_committed_with_the_questions():
    """A change in a document can make a question's one right answer wrong, so it shall not happen unseen."""
    digest = hashlib.sha256()
    for folder in ("documents", "source"):
        for path in sorted((FOLDER / folder).rglob("*.md"), key=lambda path: path.as_posix()):
            text = path.read_text(encoding="utf-8")
            digest.update(f"{path.relative_to(FOLDER).as_posix()}\n{text}\n".encode())
    assert digest.hexdigest() in (DATA / "SOURCES.md").read_text(encoding="utf-8")


def test_no_line_of_text_stands_in_two_documents():
    seen = {}
    for id, document in CLEAN.items():
        for line in document.text.split("\n"):
            if len(line.split()) >= 8 and not line.startswith("|"):
                seen.setdefault(line, []).append(id)
    assert {line: ids for line, ids in seen.items() if len(ids) > 1} == {}


# The faults of the import


def test_what_reached_the_index_damaged_or_not_at_all():
    assert {document.id for document in LARKSPUR.sources} == NEVER_SYNCED | DAMAGED
    assert set(DOCUMENTS) & NEVER_SYNCED == set()
    assert set(DOCUMENTS) >= DAMAGED


@pytest.mark.parametrize("id", sorted(DAMAGED))
def test_a_damaged_document_is_what_the_damage_makes_of_its_source(id):
    clean = (FOLDER / "source" / f"{id}.md").read_text(encoding="utf-8")
    got = (FOLDER / "documents" / f"{id}.md").read_text(encoding="utf-8")
    assert damage().DAMAGE[f"{id}.md"](clean) == got != clean


def test_across_the_columns_by_hand():
    text = "---\ntitle: T\n---\n# T\n\n## One\n\n" + "a " * 24 + "\n\n## Two\n\nlast words\n"
    # left column: One, blank, 23 a's (46 characters hold no more), the last a; right: Two, blank, last words, blank
    assert damage().across_the_columns(text).split("\n")[5:] == [
        "One Two", "", "a a a a a a a a a a a a a a a a a a a a a a a last words", "a", ""]


def test_bare_numbers_by_hand():
    text = "Prices.\n\n| Code | Job | Price |\n|---|---|---:|\n| R-12 | patch, 20 minutes | $18.00 |\n"
    assert damage().bare_numbers(text) == "Prices.\n\n12 20 18.00\n"


def test_enough_questions_ask_for_what_the_import_lost():
    lost = {}
    for id, piece in PIECES:
        if piece["document"] in NEVER_SYNCED | DAMAGED and piece["grade"] > 1:
            lost.setdefault(piece["document"], set()).add(id)
    splits = {record["id"]: record["split"] for record in RECORDS}
    assert set(lost) == NEVER_SYNCED | DAMAGED
    for folder in (NEVER_SYNCED, {"first-aid-medicines-sheet"}, {"repair-price-list-2024"}):
        asked = {splits[id] for document in folder for id in lost[document]}
        assert asked == {"dev", "held_out"}, folder


# The questions


def test_three_hundred_questions_thirty_of_each_kind_half_of_them_held_out():
    assert len(RECORDS) == 300
    assert len({record["id"] for record in RECORDS}) == 300
    assert len({(record["text"], str(record["history"])) for record in RECORDS}) == 300
    assert list(dict.fromkeys(record["kind"] for record in RECORDS)) == KINDS
    for kind in KINDS:
        assert [record["id"] for record in of_kind(kind)] == [f"{kind}-{i:03}" for i in range(1, 31)]
        assert sorted(record["split"] for record in of_kind(kind)) == ["dev"] * 15 + ["held_out"] * 15


def test_the_questions_are_those_that_were_committed_before_any_search_ran_on_them():
    text = (FOLDER / "questions.jsonl").read_text(encoding="utf-8")
    assert hashlib.sha256(text.encode()).hexdigest() in (DATA / "SOURCES.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("record", **by_id(RECORDS))
def test_the_keys_of_a_question_and_their_order(record):
    assert list(record) == KEYS
    assert [type(record[key]) for key in KEYS[:7]] == [str, str, str, str, list, list, list]
    assert type(record["filter"]) in (dict, type(None))
    for piece in record["evidence"]:
        assert list(piece) == ["document", "quote", "grade"]
        assert piece["grade"] in (1, 2, 3)
    for turn in record["history"]:
        assert list(turn) == ["role", "text"]


@pytest.mark.parametrize("record", **by_id([r for r in RECORDS if r["kind"] != "unanswerable"]))
def test_an_answerable_question_has_answers_and_evidence_that_suffices(record):
    assert record["answers"]
    grades = [piece["grade"] for piece in record["evidence"]]
    assert grades.count(3) == 1 or grades.count(2) >= 2  # one piece that answers in full, or the needed parts


@pytest.mark.parametrize("owner, piece", PIECES, ids=[f"{owner}-{i}" for i, (owner, _) in enumerate(PIECES)])
def test_a_quote_stands_once_in_its_document_and_nowhere_else(owner, piece):
    times = {id: ONE_LINE[id].count(one_line(piece["quote"])) for id in CLEAN}
    assert {id: n for id, n in times.items() if n} == {piece["document"]: 1}
    assert CLEAN[piece["document"]].text.count(piece["quote"]) == 1  # verbatim, not only up to line breaks


ONE_LINE = {id: one_line(document.text) for id, document in CLEAN.items()}


@pytest.mark.parametrize("query", LARKSPUR.queries, ids=lambda query: query.id)
def test_each_quote_is_held_whole_by_one_chunk_unless_the_import_or_a_blank_line_broke_it(query):
    found = LARKSPUR.evidence[query.id]
    assert [grade for grade, _ in found] == [piece["grade"] for piece in query.evidence]
    for (_, ids), piece in zip(found, query.evidence, strict=True):
        broken = piece["document"] in NEVER_SYNCED | DAMAGED or "\n\n" in piece["quote"]
        assert len(ids) == (0 if broken else 1)
        assert all(id.startswith(piece["document"] + "#") for id in ids)


def test_few_quotes_run_over_a_blank_line():
    assert sorted(id for id, piece in PIECES if "\n\n" in piece["quote"]) == ["direct-014", "filter-023"]


def test_every_clean_quote_would_be_found_if_the_import_had_worked():
    whole = [chunk for document in CLEAN.values() for chunk in paragraphs(document)]
    for _, piece in PIECES:
        if "\n\n" not in piece["quote"]:
            held = [chunk.id for chunk in whole if chunk.document == piece["document"]
                    and one_line(piece["quote"]) in one_line(chunk.text)]
            assert len(held) == 1


@pytest.mark.parametrize("record", **by_id(of_kind("paraphrase")))
def test_a_paraphrase_shares_no_content_word_with_its_quote(record):
    asked = set(tokenize(record["text"], stop_words=True, stem=True))
    for piece in record["evidence"]:
        assert asked & set(tokenize(piece["quote"], stop_words=True, stem=True)) == set()


def codes_in(text):
    """Return the codes of a text: words with a digit and also a letter or a joiner (E_4432, C-7, 1,284.50)."""
    return {word for word in tokenize(text) if re.search(r"\d", word) and re.search(r"[^\W\d]|[-.,/_]", word)}


def test_what_counts_as_a_code():
    assert codes_in("E_4432 and C-7 for $1,284.50 on March 13, 2024 don't") == {"e_4432", "c-7", "1,284.50"}


@pytest.mark.parametrize("record", **by_id(of_kind("exact")))
def test_an_exact_question_names_a_code_that_its_quote_names(record):
    assert codes_in(record["text"])
    assert all(codes_in(record["text"]) & codes_in(piece["quote"]) for piece in record["evidence"])


def satisfies(metadata, condition):
    """Say whether front matter meets a filter: a value, one of several values, or dates from and to, inclusive."""
    for key, wanted in condition.items():
        value = metadata[key]
        if isinstance(wanted, dict):
            if not wanted.get("from", value) <= value <= wanted.get("to", value):
                return False
        elif value not in (wanted if isinstance(wanted, list) else [wanted]):
            return False
    return True


@pytest.mark.parametrize("record", **by_id(of_kind("filter")))
def test_a_filter_keeps_the_evidence_and_drops_something(record):
    condition = record["filter"]
    assert set(condition) <= {"type", "client", "date"}
    kept = kept_by(condition)
    assert {piece["document"] for piece in record["evidence"]} <= kept
    assert len(kept) <= 40 < len(CLEAN)


def kept_by(condition):
    """Return the ids of the documents that meet a filter."""
    return {id for id, document in CLEAN.items() if satisfies(document.metadata, condition)}


def test_many_filters_keep_several_documents():
    sizes = [len(kept_by(record["filter"])) for record in of_kind("filter")]
    assert sum(size >= 4 for size in sizes) >= 13


def test_filters_by_value():
    kept = {record["id"]: sorted(kept_by(record["filter"])) for record in of_kind("filter")}
    assert kept["filter-001"] == ["invoice-1042", "invoice-1044", "invoice-1046", "invoice-1047"]
    assert kept["filter-003"] == ["cedarline-freight-bill-march-2024"]
    assert kept["filter-004"] == ["contract-vantongeren-fabric"]


@pytest.mark.parametrize("record", **by_id(RECORDS))
def test_only_filter_questions_filter_and_only_follow_ups_have_history(record):
    assert (record["filter"] is not None) == (record["kind"] == "filter")
    assert (record["history"] != []) == (record["kind"] == "follow_up")
    if record["history"]:
        assert [turn["role"] for turn in record["history"]] == ["user", "assistant"] * (len(record["history"]) // 2)


@pytest.mark.parametrize("record", **by_id(of_kind("unanswerable")))
def test_an_unanswerable_question_has_nothing_to_find(record):
    assert (record["answers"], record["evidence"]) == ([], [])
    assert LARKSPUR.evidence[record["id"]] == []


def test_invoice_1042_says_its_total_on_page_2():
    holding = [chunk for chunk in LARKSPUR.chunks if chunk.document == "invoice-1042" and "$1,284.50" in chunk.text]
    assert [(chunk.id, chunk.page) for chunk in holding] == [("invoice-1042#5", 2), ("invoice-1042#6", 2)]
    assert holding[1].text.startswith("The total due on this invoice is $1,284.50, payable within 30 days")


# The sums in the tables


def money(text):
    """Return an amount as written: $1,284.50 or -$54.00."""
    assert re.fullmatch(r"-?\$[\d,]+\.\d\d", text)
    return Decimal(text.replace("$", "").replace(",", ""))


def rows(id):
    """Return the cells of all table rows of a document, heads and rules left out."""
    found = [[cell.strip() for cell in line.strip("|").split("|")] for line in DOCUMENTS[id].text.split("\n")
             if line.startswith("|")]
    return [cells for cells in found if "$" in "".join(cells)]


INVOICES = {
    "invoice-1042": {"lines": 4, "goods": "1150.00", "total": "1284.50"},
    "invoice-1044": {"lines": 4, "goods": "833.50", "total": "962.40"},
    "invoice-1046": {"lines": 4, "goods": "2872.00", "total": "3310.00"},
    "invoice-1047": {"lines": 3, "goods": "2466.00", "total": "2431.10"},
    "invoice-1051": {"lines": 5, "goods": "3536.00", "total": "4186.75"},
    "invoice-1056": {"lines": 6, "goods": "7010.00", "total": "7420.00"},
    "invoice-1063": {"lines": 4, "goods": "2620.00", "total": "3055.00"},
    "invoice-1069": {"lines": 4, "goods": "12862.00", "total": "12655.00"},
}


@pytest.mark.parametrize("id", INVOICES)
def test_the_sums_of_an_invoice(id):
    wanted = INVOICES[id]
    lines = [cells for cells in rows(id) if len(cells) == 5]
    amounts = {cells[0]: money(cells[1]) for cells in rows(id) if len(cells) == 2}
    assert len(lines) == wanted["lines"]
    for _, _, quantity, price, amount in lines:
        assert int(quantity) * money(price) == money(amount)
    labor = sum((money(cells[4]) for cells in lines if cells[0].startswith("W-")), Decimal(0))
    goods = sum(money(cells[4]) for cells in lines) - labor
    assert goods == Decimal(wanted["goods"])
    items = list(amounts)
    assert items[0].startswith("Goods, ") and amounts[items[0]] == goods
    for item, amount in amounts.items():
        if percent := re.search(r"(\d+) percent of goods", item):
            sign = -1 if "discount" in item else 1
            assert amount == sign * goods * int(percent.group(1)) / 100
        if item == "Workshop labor":
            assert amount == labor
    assert items[-1].startswith("Total due") and amounts[items[-1]] == Decimal(wanted["total"])
    assert sum(amounts[item] for item in items[:-1]) == amounts[items[-1]]
    total = re.search(r"The total due (?:on this invoice )?is (\$[\d,.]+\d)", DOCUMENTS[id].text).group(1)
    assert money(total) == amounts[items[-1]]


def test_the_sums_of_the_freight_bill():
    table = [cells for cells in rows("cedarline-freight-bill-march-2024") if len(cells) == 4]
    amounts = {cells[0]: money(cells[3]) for cells in table}
    for service, count, rate, amount in table:
        if count:
            assert int(count) * money(rate) == money(amount), service
    carriage = amounts["Pallets, Zone 1"] + amounts["Pallets, Zone 2"] + amounts["Parcels"]
    assert carriage == amounts["Carriage, subtotal"] == Decimal("2207.50")
    assert amounts["Fuel surcharge, 8 percent of carriage"] == carriage * 8 / 100
    assert sum(amounts.values()) - carriage - amounts["Amount owing for the month of March"] == (
        amounts["Amount owing for the month of March"])
    assert amounts["Amount owing for the month of March"] == Decimal("2434.10")


def tables(id):
    """Return each table of a document as rows of cells, heads left out."""
    found, before = [], ""
    for line in CLEAN[id].text.split("\n"):
        if line.startswith("|") and not before.startswith("|"):
            found.append([])
        if line.startswith("|") and not re.fullmatch(r"[|:\- ]+", line):
            found[-1].append([cell.strip() for cell in line.strip("|").split("|")])
        before = line
    return [table[1:] for table in found]


def number(cell):
    """Return a cell's number, money or plain; None where it holds none."""
    plain = cell.replace("$", "").replace(",", "")
    return Decimal(plain) if re.fullmatch(r"-?[\d.]+", plain) else None


BILLS = {  # the table of amounts, and what its last line says
    "bill-brackwater-power-july-2024": (1, "2795.86"), "bill-greywether-tube-may-2024": (0, "10008.90"),
    "bill-sedgewick-print-2024-09": (0, "13641.30"), "bill-vantongeren-mills-april-2024": (0, "29402.64"),
    "cedarline-freight-bill-june-2024": (0, "3482.79"), "cedarline-freight-bill-march-2024": (0, "2434.10"),
}


@pytest.mark.parametrize("id", BILLS)
def test_the_sums_of_a_bill(id):
    place, total = BILLS[id]
    lines = tables(id)[place]
    running, all_of_it = Decimal(0), Decimal(0)
    for cells in lines[:-1]:
        amount = number(cells[-1])
        quantity, price = number(cells[-3]), number(cells[-2])
        if quantity is not None and price is not None:
            assert quantity * price == amount, cells
        if "subtotal" in cells[0]:
            assert amount == running, cells
        else:
            running, all_of_it = running + amount, all_of_it + amount
    assert all_of_it == number(lines[-1][-1]) == Decimal(total)


def test_the_sums_of_the_credit_note_and_of_what_is_owed():
    goods, amounts = tables("credit-note-0311")
    assert all(number(q) * number(price) == number(credit) for _, _, q, price, credit in goods)
    assert [number(cells[1]) for cells in amounts] == [Decimal(x) for x in ("374.00", "27.50", "22.44", "423.94")]
    assert sum(number(cells[1]) for cells in amounts[:-1]) == number(amounts[-1][1])
    owed, ages = tables("statement-receivables-2024-08")
    for column in (3, 4, 5):
        assert sum(number(cells[column]) for cells in owed[:-1]) == number(owed[-1][column])
    assert all(number(cells[3]) - number(cells[4]) == number(cells[5]) for cells in owed)
    due = [date(2024, 4, 18), date(2024, 4, 24), date(2024, 7, 11)]
    assert [int(cells[6]) for cells in owed[:3]] == [(date(2024, 8, 30) - day).days for day in due]
    assert sum(number(cells[2]) for cells in ages[:-1]) == number(ages[-1][2]) == number(owed[-1][5])
    for cells in owed[:-1]:  # as the invoices themselves have it
        assert Decimal(INVOICES[f"invoice-{cells[0]}"]["total"]) == number(cells[3])


FILINGS = sorted(id for id in CLEAN if id.startswith("filing-"))


@pytest.mark.parametrize("id", FILINGS)
def test_the_sums_of_a_filing(id):
    lines = tables(id)[0]
    for column in (1, 2):
        assert sum(number(cells[column]) for cells in lines[:-1]) == number(lines[-1][column])
    for table in tables(id)[1:]:
        values = {cells[0]: number(cells[1]) for cells in table}
        if "Revenue" in values:
            assert values["Revenue"] == number(lines[-1][2])
            left = Decimal(0)
            for name, value in values.items():
                if name == "Revenue":
                    left = value
                elif name in ("Gross profit", "Operating profit", "Net profit"):
                    assert value == left, name
                else:
                    left -= value


def test_a_quarter_is_told_alike_in_two_filings():
    for earlier, later in [("filing-larkspur-q4-2023", "filing-larkspur-q1-2024"),
                           ("filing-ridgeback-q1-2024", "filing-ridgeback-q2-2024")]:
        assert {c[0]: c[2] for c in tables(earlier)[0]} == {c[0]: c[1] for c in tables(later)[0]}


def test_what_the_march_invoices_come_to():
    # filter-001 asks for it
    answers = next(record["answers"] for record in RECORDS if record["id"] == "filter-001")
    march = sum(Decimal(INVOICES[id]["total"]) for id in sorted(kept_by({"type": "invoice", "date": {
        "from": "2024-03-01", "to": "2024-03-31"}})))
    assert money(answers[0]) == march == Decimal("7988.00")
