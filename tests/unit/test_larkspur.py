"""The documents and questions of Larkspur keep to the definitions that data/SOURCES.md states."""

import json
import re
from decimal import Decimal

import pytest

from firstprinciples.corpus import DATA, Collection
from firstprinciples.text import tokenize

KINDS = ["direct", "paraphrase", "exact", "rare_name", "negation_or_date", "polysemy", "needs_context", "filter",
         "follow_up", "unanswerable"]
KEYS = ["id", "text", "kind", "split", "history", "answers", "evidence", "filter"]
FOLDER = DATA / "larkspur"
RECORDS = [json.loads(line) for line in (FOLDER / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
LARKSPUR = Collection.load("larkspur")
DOCUMENTS = {document.id: document for document in LARKSPUR.documents}
PIECES = [(record["id"], piece) for record in RECORDS for piece in record["evidence"]]


def of_kind(kind):
    return [record for record in RECORDS if record["kind"] == kind]


def by_id(records):
    return {"argvalues": records, "ids": [record["id"] for record in records]}


def one_line(text):
    return " ".join(text.split())


def test_the_documents():
    first_twenty = {
        "board-minutes-2024-05", "cedarline-freight-bill-march-2024", "contract-cedarline-carriage",
        "contract-pellmoor-washing", "contract-vantongeren-fabric", "filing-larkspur-q1-2024",
        "filing-ridgeback-q1-2024", "first-aid-field-safety-sheet", "invoice-1042", "invoice-1047", "invoice-1063",
        "laptop-vpn-guide", "leave-policy", "outage-report-e4432", "password-reset-guide", "product-pages-and-warranty",
        "repair-bench-closing", "sick-day-policy", "travel-expenses-policy", "warehouse-handbook"}
    assert len(first_twenty) == 20
    assert len(LARKSPUR.documents) >= 20
    assert first_twenty <= set(DOCUMENTS)
    assert len(DOCUMENTS) == len(LARKSPUR.documents)  # no id twice


@pytest.mark.parametrize("document", LARKSPUR.documents, ids=lambda document: document.id)
def test_each_document_has_the_four_fields_of_front_matter(document):
    assert list(document.metadata) == ["title", "type", "client", "date"]
    assert all(document.metadata.values())
    assert re.fullmatch(r"20\d\d-[01]\d-[0-3]\d", document.metadata["date"])
    assert len(re.findall(r"^# ", document.text, re.MULTILINE)) == 1


def test_sixty_questions_six_of_each_kind_half_of_them_held_out():
    assert len(RECORDS) == 60
    assert len({record["id"] for record in RECORDS}) == 60
    assert len({record["text"] for record in RECORDS}) == 60
    assert list(dict.fromkeys(record["kind"] for record in RECORDS)) == KINDS
    for kind in KINDS:
        assert [record["id"] for record in of_kind(kind)] == [f"{kind}-{i:03}" for i in range(1, 7)]
        assert sorted(record["split"] for record in of_kind(kind)) == ["dev"] * 3 + ["held_out"] * 3


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
    times = {id: one_line(document.text).count(one_line(piece["quote"])) for id, document in DOCUMENTS.items()}
    assert {id: n for id, n in times.items() if n} == {piece["document"]: 1}
    assert DOCUMENTS[piece["document"]].text.count(piece["quote"]) == 1  # verbatim, not only up to line breaks


@pytest.mark.parametrize("query", LARKSPUR.queries, ids=lambda query: query.id)
def test_each_quote_is_held_whole_by_one_chunk(query):
    found = LARKSPUR.evidence[query.id]
    assert [grade for grade, _ in found] == [piece["grade"] for piece in query.evidence]
    for (_, ids), piece in zip(found, query.evidence, strict=True):
        assert len(ids) == 1
        assert ids[0].startswith(piece["document"] + "#")


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
    kept = {id for id, document in DOCUMENTS.items() if satisfies(document.metadata, condition)}
    assert {piece["document"] for piece in record["evidence"]} <= kept
    assert len(kept) < len(DOCUMENTS)


def test_filters_by_value():
    kept = {record["id"]: sorted(id for id, d in DOCUMENTS.items() if satisfies(d.metadata, record["filter"]))
            for record in of_kind("filter")}
    assert kept["filter-001"] == ["invoice-1042", "invoice-1047"]
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
    "invoice-1047": {"lines": 3, "goods": "2466.00", "total": "2431.10"},
    "invoice-1063": {"lines": 4, "goods": "2620.00", "total": "3055.00"},
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


def test_what_the_two_march_invoices_come_to():
    # filter-001 asks for it: 1,284.50 + 2,431.10
    (answer,) = next(record["answers"] for record in RECORDS if record["id"] == "filter-001")
    assert money(answer) == Decimal("1284.50") + Decimal("2431.10") == Decimal("3715.60")
