"""Two retrievers on the same questions: differences, wins and intervals, worked out by hand on a few questions."""

import pytest

from firstprinciples.evaluate.compare import apart, differences, differences_by_kind, recall_intervals
from firstprinciples.evaluate.experiment import METRICS
from firstprinciples.swap import use


def result(values, kinds=()):
    """Return what `evaluate` gives for questions q1, q2, ... that have one value on every metric."""
    ids = [f"q{number}" for number in range(1, len(values) + 1)]
    each = {id: dict.fromkeys(METRICS, value) for id, value in zip(ids, values, strict=True)}
    return {"each": each, "kinds": dict(zip(ids, kinds or [""] * len(ids), strict=True))}


def test_differences_wins_losses_and_ties():
    found = differences(result([0.5, 0.25, 1.0, 0.0]), result([0.75, 0.25, 0.5, 1.0]))
    assert list(found) == list(METRICS)
    # 0.25, 0, -0.5, 1: the mean is 0.1875
    assert found["Recall@10"]["difference"] == 0.1875
    assert [found["Recall@10"][name] for name in ("wins", "losses", "ties")] == [2, 1, 1]


def test_a_difference_of_rounding_is_a_tie():
    found = differences(result([0.1 + 0.2, 0.3]), result([0.3, 0.1 + 0.2]), ("MRR@10",))["MRR@10"]
    assert (found["wins"], found["losses"], found["ties"]) == (0, 0, 2)
    assert not apart({"low": 5.6e-17, "high": 5.6e-17}) and not apart({"low": -1e-16, "high": -5.6e-17})


def test_the_interval_of_two_questions():
    # of 0 and 1 drawn twice: 0 and 1 with a chance of 1/4 each, 0.5 with one of 1/2
    found = differences(result([0.0, 0.0]), result([0.0, 1.0]), ("MRR@10",))["MRR@10"]
    assert (found["low"], found["difference"], found["high"]) == (0.0, 0.5, 1.0)
    assert not apart(found)


def test_the_same_gain_on_every_question_is_told_apart():
    gain = differences(result([0.0, 0.25, 0.5]), result([0.25, 0.5, 0.75]), ("MRR@10",))["MRR@10"]
    assert (gain["low"], gain["high"], apart(gain)) == (0.25, 0.25, True)
    loss = differences(result([0.25, 0.5, 0.75]), result([0.0, 0.25, 0.5]), ("MRR@10",))["MRR@10"]
    assert (loss["low"], loss["high"], apart(loss)) == (-0.25, -0.25, True)


def test_pairing_takes_the_hardness_of_the_questions_out():
    # each question gains 0.1 or a little less, though the questions lie between 0 and 0.9
    before = [place / 20 for place in range(18)]
    after = [value + 0.1 - 0.01 * (place % 3) for place, value in enumerate(before)]
    paired = differences(result(before), result(after), ("Recall@10",))["Recall@10"]
    alone = [recall_intervals(result(values))["all"] for values in (before, after)]
    assert paired["difference"] == pytest.approx(0.09)
    assert 0.08 < paired["low"] < 0.09 < paired["high"] < 0.1
    assert alone[0]["high"] > alone[1]["low"]  # the two means by themselves could not be told apart


def test_differences_of_other_questions_are_refused():
    with pytest.raises(ValueError, match="^Both must have measured the same questions; only one has 'q3'.$"):
        differences(result([0.5, 1.0]), result([0.5, 1.0, 0.0]))


def test_by_kind():
    kinds = ["a", "b", "a", "", "b", "b"]
    before = result([0.0, 0.0, 0.5, 0.0, 0.5, 1.0], kinds)
    after = result([0.5, 0.0, 1.0, 1.0, 0.25, 0.75], kinds)
    found = differences_by_kind(before, after)
    assert {kind: row["queries"] for kind, row in found.items()} == {"a": 2, "b": 3}
    assert list(found["a"]) == ["queries", "Recall@10", "nDCG@10"]
    assert found["a"]["nDCG@10"] == {"difference": 0.5, "low": 0.5, "high": 0.5, "wins": 2, "losses": 0, "ties": 0}
    # 0, -0.25, -0.25: all three draws are 0 with a chance of 1/27, 3.7 percent, and all are not with one of 8/27
    assert found["b"]["Recall@10"] == pytest.approx(
        {"difference": -1 / 6, "low": -0.25, "high": 0.0, "wins": 0, "losses": 2, "ties": 1})


def test_recall_intervals():
    found = recall_intervals(result([0.0, 1.0, 0.5, 0.5], ["a", "a", "b", "b"]))
    assert list(found) == ["all", "by_kind"] and list(found["by_kind"]) == ["a", "b"]
    assert found["all"]["queries"] == 4 and found["all"]["Recall@10"] == 0.5
    assert found["by_kind"]["a"] == {"queries": 2, "Recall@10": 0.5, "low": 0.0, "high": 1.0}
    assert found["by_kind"]["b"] == {"queries": 2, "Recall@10": 0.5, "low": 0.5, "high": 0.5}


@pytest.mark.parametrize("kind", ["all", "all questions", "by_kind"])
def test_a_kind_with_the_name_of_the_total_replaces_nothing(kind):
    found = recall_intervals(result([1.0, 1.0, 0.25], [kind, kind, "b"]))
    assert (found["all"]["queries"], found["all"]["Recall@10"]) == (3, 0.75)
    assert found["by_kind"][kind] == {"queries": 2, "Recall@10": 1.0, "low": 1.0, "high": 1.0}


def test_the_same_numbers_every_time():
    before, after = result([0.1, 0.9, 0.4, 0.7, 0.2]), result([0.3, 0.8, 0.9, 0.7, 0.1])
    assert differences(before, after) == differences(before, after)


def test_a_learners_bootstrap_is_used():
    with use("experiment.bootstrap_interval", lambda differences, resamples, level=0.95: (-9.0, 9.0)):
        assert differences(result([0.5]), result([1.0]))["MRR@10"]["low"] == -9.0
        assert recall_intervals(result([0.5]))["all"]["high"] == 9.0
    with use("experiment.paired_differences", lambda before, after: [0.25]):
        assert differences(result([0.5]), result([1.0]))["MRR@10"]["difference"] == 0.25
