"""What the graded tests leave out of the metrics: the three conventions of nDCG, rules for ties, reported traps."""

from math import log2

import pytest

from firstprinciples.evaluate.metrics import (
    TIE_RULES,
    average_precision,
    dcg,
    dcg_with_base,
    ndcg_at_k,
    ndcg_conventions,
    order_ties,
    precision_at_k,
    rank_by_score,
    recall_at_k,
    reciprocal_rank,
)

PUBLISHED = {"a": 3, "b": 2, "c": 3, "e": 1, "f": 2}  # the gains 3 2 3 0 1 2 of the list a b c d e f


def test_three_conventions_of_ndcg():
    found = ndcg_conventions(list("abcdef"), PUBLISHED, k=6)
    best = 3 + 3 + 2 / log2(3) + 2 / 2 + 1 / log2(5)
    assert found == pytest.approx({
        "linear": 0.960808, "exponential": 0.948811,
        "original": (3 + 2 + 3 / log2(3) + 0 + 1 / log2(5) + 2 / log2(6)) / best}, abs=5e-7)
    assert found["original"] == pytest.approx(0.9315085, abs=5e-8)
    assert ndcg_conventions(list("abcdef"), PUBLISHED, k=5)["linear"] == pytest.approx(0.861044, abs=5e-7)
    assert ndcg_conventions(["a"], {"a": 0}) == {"linear": 0.0, "exponential": 0.0, "original": 0.0}


def test_the_conventions_can_disagree_on_which_list_is_better():
    # swapping the first two changes nothing where both count in full
    one, other = (ndcg_conventions(ranked, {"a": 3, "b": 1}, k=2) for ranked in (["a", "b"], ["b", "a"]))
    assert one["original"] == other["original"] == 1.0
    assert one["linear"] == 1.0 and other["linear"] == pytest.approx((1 + 3 / log2(3)) / (3 + 1 / log2(3)))
    assert other["exponential"] == pytest.approx((1 + 7 / log2(3)) / (7 + 1 / log2(3)))


def test_a_larger_base_reaches_the_original_of_ndcg():
    patient = ndcg_conventions(["x", "y", "a"], {"a": 2}, k=3, base=10)
    assert patient["original"] == 1.0  # the first ten ranks count alike
    assert patient["linear"] == 0.5


def test_whole_bases_that_no_float_hits():
    # log 125 to base 5 comes out a hair below 3
    assert dcg_with_base([0.0] * 124 + [6.0], base=5) == pytest.approx(2.0)
    assert dcg_with_base([0.0] * 4 + [6.0], base=5) == 6.0
    assert type(dcg_with_base([])) is float is type(dcg([]))


SCORES = {"9": 1.0, "b": 2.0, "10": 1.0, "a": 2.0, "2": 1.0}


@pytest.mark.parametrize("rule, order", [
    ("id ascending", ["a", "b", "10", "2", "9"]), ("id descending", ["b", "a", "9", "2", "10"]),
    ("as given", ["b", "a", "9", "10", "2"])])
def test_rules_for_ties(rule, order):
    given = dict(SCORES)
    assert order_ties(SCORES, rule) == order
    assert SCORES == given


def test_the_first_rule_is_that_of_the_course():
    assert order_ties(SCORES, TIE_RULES[0]) == rank_by_score(SCORES)
    assert order_ties({}, "as given") == []


def test_the_rule_for_ties_decides_the_metric():
    # ten documents with one score: the relevant one stands first, last or where the collection has it
    scores = {f"d{number}": 1.0 for number in (3, 1, 0, 2, 4, 5, 6, 7, 8, 9)}
    found = {rule: reciprocal_rank(order_ties(scores, rule), {"d0": 1}) for rule in TIE_RULES}
    assert found == pytest.approx({"id ascending": 1.0, "id descending": 0.1, "as given": 1 / 3})


@pytest.mark.parametrize("base", [1, 0, -2, float("nan")])
def test_a_base_that_no_logarithm_has(base):
    with pytest.raises(ValueError) as caught:
        dcg_with_base([3.0, 2.0], base)
    assert str(caught.value) == f"base is {base}; a logarithm that grows needs one above 1."


def test_an_unknown_rule():
    with pytest.raises(ValueError) as caught:
        order_ties(SCORES, "by chance")
    assert str(caught.value) == ("There is no rule 'by chance' for ties; choose id ascending, id descending, as given.")


def test_reported_traps():
    four = {"a": 1, "b": 1, "c": 1, "d": 1}
    assert recall_at_k(["a", "b", "c", "d"], four, k=1) == 0.25  # not 1, though no list of one can hold more
    assert precision_at_k(["a"], {"a": 1}, k=10) == 0.1  # not 1, though nothing else came back
    assert [metric(["q1", "x"], {"q1": 1}, 10) for metric in (recall_at_k, reciprocal_rank, ndcg_at_k)] == [1, 1, 1]
    twice = ["a", "a", "b"]
    assert (recall_at_k(twice, four, 3), precision_at_k(twice, four, 3)) == (0.5, 2 / 3)
    assert average_precision(twice, {"a": 1, "b": 1}) == (1 + 2 / 3) / 2
    for metric in (recall_at_k, reciprocal_rank, ndcg_at_k, average_precision):
        assert metric([], four, 10) == 0.0
        assert metric(["a"], {}, 10) == 0.0
