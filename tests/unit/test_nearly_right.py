"""Functions that are nearly right lose a point, and none is accused of a mistake that it does not make."""

import math

import numpy as np
import pytest

from firstprinciples.evaluate import experiment, metrics
from firstprinciples.grading.check import grade_task
from firstprinciples.grading.mistakes import variants


def means(differences, resamples):
    return np.sort(np.asarray(differences, float)[np.asarray(resamples)].mean(axis=1))


def base_one(values, base=2):
    if base < 1:
        raise ValueError("base")
    return sum((value if rank < base else value / math.log(rank, base) for rank, value in enumerate(values, 1)), 0.0)


def negative_kept(ranked, grades, k):
    if k < 1:
        raise ValueError("k")
    return [grades.get(id, 0) if id not in ranked[:place] else 0 for place, id in enumerate(ranked[:k])]


interval, mrr = experiment.bootstrap_interval, metrics.mean_reciprocal_rank
NEARLY = {
    "percentile, nearest": ("experiment.percentile", lambda values, p: sorted(values)[
        max(round(len(values) * p / 100), 1) - 1]),
    "percentile, half up": ("experiment.percentile", lambda values, p: sorted(values)[
        max(int(len(values) * p / 100 + 0.5), 1) - 1]),
    "percentile, closest": ("experiment.percentile", lambda values, p: float(
        np.percentile(values, p, method="closest_observation"))),
    "percentile, higher": ("experiment.percentile", lambda values, p: float(
        np.percentile(values, p, method="higher"))),
    "percentile, of n - 1": ("experiment.percentile", lambda values, p: sorted(values)[
        math.ceil((len(values) - 1) * p / 100)]),
    "percentile, cut": ("experiment.percentile", lambda values, p: sorted(values)[
        min(int(len(values) * p / 100), len(values) - 1)]),
    "interval, the extremes": ("experiment.bootstrap_interval", lambda differences, resamples, level=0.95: (
        float(means(differences, resamples)[0]), float(means(differences, resamples)[-1]))),
    "interval, ninety by default": ("experiment.bootstrap_interval", lambda differences, resamples, level=0.9: interval(
        differences, resamples, level)),
    "interval, first eight": ("experiment.bootstrap_interval", lambda differences, resamples, level=0.95: interval(
        differences, resamples[:8], level)),
    "interval, doubles dropped": ("experiment.bootstrap_interval", lambda differences, resamples, level=0.95: interval(
        differences, np.unique(resamples, axis=0), level)),
    "mrr, k + 1": ("metrics.mean_reciprocal_rank", lambda run, qrels, k=10: mrr(run, qrels, k + 1)),
    "mrr, k - 1": ("metrics.mean_reciprocal_rank", lambda run, qrels, k=10: mrr(run, qrels, max(k - 1, 1))),
    "rr, k + 1": ("metrics.reciprocal_rank", lambda ranked, grades, k=10: metrics.reciprocal_rank(
        ranked, grades, k + 1)),
    "rr, k - 1": ("metrics.reciprocal_rank", lambda ranked, grades, k=10: metrics.reciprocal_rank(
        ranked[: k - 1], grades, k)),
    "base 1 taken": ("metrics.dcg_with_base", base_one),
    "size of the score": ("metrics.rank_by_score", lambda scores: sorted(
        scores, key=lambda id: (-abs(scores[id]), id))),
    "negative grades kept": ("metrics.gains", negative_kept),
    "ndcg, nine by default": ("metrics.ndcg_at_k", lambda ranked, grades, k=9, exponential=False: metrics.ndcg_at_k(
        ranked, grades, k, exponential)),
    "differences, rounded": ("experiment.paired_differences", lambda before, after: [
        round(value, 3) for value in experiment.paired_differences(before, after)]),
    "precision of a short list": ("metrics.precision_at_k", lambda ranked, grades, k: metrics.precision_at_k(
        ranked, grades, k) * k / min(k, max(len(ranked), 10))),
}


@pytest.mark.parametrize("name", NEARLY)
def test_nearly_right_loses_a_point_and_is_accused_of_nothing(name):
    task, function = NEARLY[name]
    report = grade_task(task, function)
    assert report.points < report.possible
    assert report.mistake is None


def test_an_array_of_strings_is_told_so():
    report = grade_task("metrics.rank_by_score", lambda scores: np.array(metrics.rank_by_score(scores)))
    assert "an array of strings came back; return a list of them" in " ".join(report.lines)


@pytest.mark.parametrize("name", sorted(variants("experiment.bootstrap_interval")))
def test_right_variants_agree_with_the_reference_on_ten_thousand_resamples(name):
    draw = np.random.default_rng(5)
    values = draw.choice([0.0, 0.1, -0.25, 1.0], 300).tolist()
    resamples = experiment.draw_resamples(300)
    for level in (0.5, 0.9, 0.95, 0.99):
        got = variants("experiment.bootstrap_interval")[name](values, resamples, level)
        assert tuple(got) == pytest.approx(interval(values, resamples, level), abs=1e-12)
