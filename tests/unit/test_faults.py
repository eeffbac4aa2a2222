"""Faults that are injected into pipelines that were right: the tree names the place, every time."""

from dataclasses import fields

import pytest

from firstprinciples.evaluate import faults
from firstprinciples.evaluate.answering import verdict
from firstprinciples.evaluate.failure import PLACES, confusions, diagnose

ENOUGH = 20  # questions a place


@pytest.fixture(scope="module")
def cases():
    """Return {place: cases}: the kinds of a place in turns over the questions, so that each kind has its share."""
    asked = [query.id for query in faults.larkspur().queries if query.split == "dev" and query.evidence]
    out = {place: [] for place in PLACES}
    for place, kinds in faults.KINDS.items():
        names = list(kinds)
        for turn, id in enumerate(asked):
            tried = (faults.attempt(place, names[(turn + more) % len(names)], id) for more in range(len(names)))
            case = next((case for case in tried if case), None)
            out[place] += [case] if case else []
            if len(out[place]) >= ENOUGH:
                break
    return out


def test_the_questions_were_right_before(cases):
    for place in PLACES:
        assert len({case.query.id for case in cases[place]}) >= ENOUGH
        assert all(case.query.split == "dev" for case in cases[place])
        assert all(verdict(case.query, case.before.answer.quotes) == "right" for case in cases[place])


def test_the_tree_names_the_place_every_time(cases):
    true, named = [], []
    for place in PLACES:
        for case in cases[place]:
            found = diagnose(case.trip, case.query, case.documents, case.chunks)
            assert found.place == place, (case.kind, case.query.id, found.show())
            assert found.luck is (verdict(case.query, case.trip.answer.quotes) == "right") and found.repairs
            true.append(place)
            named.append(found.place)
    table = confusions(true, named)
    assert all(table[place][place] == len(cases[place]) for place in PLACES)


def test_nothing_was_lost_before_it_was_broken(cases):
    for place in PLACES:
        for case in cases[place][:4]:
            larkspur = faults.larkspur()
            found = diagnose(case.before, case.query, larkspur.documents, larkspur.chunks)
            assert (found.place, found.right) == ("", True)


@pytest.mark.parametrize("place", PLACES)
def test_every_kind_strikes(place):
    kinds = len(faults.KINDS[place])
    cases = [faults.inject(place, seed) for seed in range(kinds)]
    assert [case.kind for case in cases] == list(faults.KINDS[place])
    for case in cases:
        assert case.place == place and case.broken.endswith(".")
        assert verdict(case.query, case.trip.answer.quotes) != "right"
        assert diagnose(case.trip, case.query, case.documents, case.chunks).place == place
    assert not {"place", "kind", "broken"} & {field.name for field in fields(cases[0]) if field.repr}  # hidden


def test_a_seed_gives_one_case_and_the_cases_come_again():
    assert faults.inject("ranking", 5) is faults.inject("ranking", 5)
    number = list(faults.KINDS["ingestion"]).index("bare_numbers")  # few questions have it
    many = [faults.inject("ingestion", number + turn * len(faults.KINDS["ingestion"])) for turn in range(12)]
    assert 1 <= len({case.query.id for case in many}) < 12


def test_what_inject_refuses():
    with pytest.raises(ValueError, match="no place 'desk'"):
        faults.inject("desk")
    for seed in (-1, "a", 1.5, True):
        with pytest.raises(ValueError, match="The seed"):
            faults.inject("ranking", seed)
