"""Functions that are nearly right lose a point, and none is accused of a mistake that it does not make."""

import math

import numpy as np
import pytest

from firstprinciples.encode import bert, biencoder
from firstprinciples.evaluate import experiment, metrics
from firstprinciples.grading.check import grade_task
from firstprinciples.grading.compare import difference, show
from firstprinciples.grading.mistakes import variants
from firstprinciples.index import cosine
from firstprinciples.rank import fusion


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


def by_the_smallest(a):
    least = min((abs(number) for number in a if number), default=0)
    return least * math.sqrt(sum((number / least) ** 2 for number in a)) if least else 0.0


def checks_the_first_id(lists, k=60):
    if k < 0 or any(ids and not isinstance(ids[0], str) for ids in lists):
        raise ValueError("ids and k")
    totals = {}
    for ids in lists:
        for id in dict.fromkeys(ids):
            totals[id] = totals.get(id, 0) + 1 / (k + ids.index(id) + 1)
    return sorted(totals.items(), key=lambda pair: (-pair[1], str(pair[0])))


def rounded_pool(table, ids):
    return [round(float(value), 2) for value in biencoder.mean_pool(table, ids)]


def alike_at_the_beginning(passages):
    return [[i != j and own[:3] == other[:3] for j, other in enumerate(passages)] for i, own in enumerate(passages)]


def the_last_passage(scores, masked=None):
    scores = np.array(scores, float)
    return float(np.mean(np.logaddexp.reduce(np.where(False if masked is None else masked, -1e5, scores), 1)
                         - scores[:, -1]))


def not_quite(scores, masked=None):
    gradient = biencoder.scores_gradient(scores, masked)
    return gradient - gradient.mean(axis=1, keepdims=True) * 1e-3 + 1e-4 * (gradient > 0)


def adam_of_length(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    m, v = beta1 * m + (1 - beta1) * gradient, beta2 * v + (1 - beta2) * np.sum(gradient**2)
    return values - rate * (m / (1 - beta1**step)) / (np.sqrt(v / (1 - beta2**step)) + epsilon), m, v


def near_only(q, k, v, mask):
    return bert.attention(q, k, v, np.asarray(mask, dtype=bool) & (np.arange(len(k)) < 2))


adam = biencoder.adam_step
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
    "norm, by the smallest": ("cosine.norm", by_the_smallest),
    "norm, large ones only": ("cosine.norm", lambda a: cosine.norm(a) if max(map(abs, a)) > 1e-99 else 0.0),
    "similarity, zeros alike": ("cosine.similarity", lambda a, b: cosine.similarity(a, b) if np.any(a) or np.any(b)
                                else 1.0),
    "similarity, rounded": ("cosine.similarity", lambda a, b: round(cosine.similarity(a, b), 5)),
    "angle, pi of school": ("cosine.angle", lambda a, b: math.acos(cosine.similarity(a, b)) * 180 / 3.1416),
    "normalize, of the first row": ("cosine.normalize", lambda vectors: np.asarray(vectors) / (
        cosine.norm(np.atleast_2d(vectors)[0]) or 1.0)),
    "similarities, at least 0 for opposites": ("cosine.similarities", lambda query, vectors: np.where(
        cosine.similarities(query, vectors) < -0.5, -0.5, cosine.similarities(query, vectors))),
    "top_k, no more than four": ("cosine.top_k", lambda similarities, k: cosine.top_k(similarities, min(k, 4))),
    "reciprocal rank, 61": ("fusion.reciprocal_rank", lambda rank, k=61: fusion.reciprocal_rank(rank, k)),
    "votes, any case": ("fusion.votes", lambda lists, id, k=60: fusion.votes(
        [[other.lower() for other in ids] for ids in lists], id.lower(), k)),
    "rrf, the first id is checked": ("fusion.reciprocal_rank_fusion", checks_the_first_id),
    "rrf, ten by default": ("fusion.reciprocal_rank_fusion", lambda lists, k=10: fusion.reciprocal_rank_fusion(
        lists, k)),
    "min-max, one score is best": ("fusion.min_max", lambda scores: [1.0] if len(scores) == 1 else fusion.min_max(
        scores)),
    "min-max, nan refused and infinity not": ("fusion.min_max", lambda scores: [0.0 for _ in scores] if (
        np.inf in scores) else fusion.min_max(scores)),
    "weighted, none may be 0": ("fusion.weighted_fusion", lambda lists, weights: fusion.weighted_fusion(
        lists, [weight or 1 for weight in weights])),
    "weighted, the lists exchanged": ("fusion.weighted_fusion", lambda lists, weights: fusion.weighted_fusion(
        lists, weights[::-1])),
    "pool, rounded": ("biencoder.mean_pool", rounded_pool),
    "pool, zeros for words": ("biencoder.mean_pool", lambda table, ids: biencoder.mean_pool(table, ids) if ids
                              else np.zeros(len(table))),
    "matrix, root of the temperature": ("biencoder.similarity_matrix", lambda questions, passages, temperature:
                                        biencoder.similarity_matrix(questions, passages, temperature**0.5)),
    "repeated, alike at the beginning": ("biencoder.repeated_positives", alike_at_the_beginning),
    "softmax, a little in the sum": ("biencoder.in_batch_softmax", lambda scores, masked=None:
                                     biencoder.in_batch_softmax(scores, masked) / (1 + 1e-5)),
    "loss, the last passage": ("biencoder.in_batch_loss", the_last_passage),
    "gradient, not quite": ("biencoder.scores_gradient", not_quite),
    "vectors, root of the temperature": ("biencoder.vectors_gradient", lambda gradient, questions, passages,
                                         temperature: biencoder.vectors_gradient(
                                             gradient, questions, passages, temperature**0.5)),
    "adam, 0.99 by default": ("biencoder.adam_step", lambda values, gradient, m, v, step, rate, beta1=0.9, beta2=0.99,
                              epsilon=1e-8: adam(values, gradient, m, v, step, rate, beta1, beta2, epsilon)),
    "adam, 1e-7 by default": ("biencoder.adam_step", lambda values, gradient, m, v, step, rate, beta1=0.9,
                              beta2=0.999, epsilon=1e-7: adam(
                                  values, gradient, m, v, step, rate, beta1, beta2, epsilon)),
    "adam, one v for all": ("biencoder.adam_step", adam_of_length),
    "softmax of bert, rounded": ("bert.softmax", lambda x: bert.softmax(x).round(3)),
    "layer norm, 1e-6 by default": ("bert.layer_norm", lambda x, weight, bias, eps=1e-6: bert.layer_norm(
        x, weight, bias, eps)),
    "gelu, four decimals": ("bert.gelu", lambda x: bert.gelu(x).round(4)),
    "attention, two keys": ("bert.attention", near_only),
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


def test_numbers_beyond_all_measure_are_shown_short():
    assert show([3e200, -4e-200, 12.0, 0.012345678, float("nan")]) == "[3e+200, -4e-200, 12.0, 0.0123457, nan]"


def test_a_difference_that_cannot_be_seen_is_written_out():
    assert difference([[0.125, 0.12500041]], [[0.125, 0.125]], full=True) == "expected 0.125 at [0][1], not 0.12500041"
    lines = grade_task("bert.softmax", lambda x: bert.softmax(x) * (1 + 2e-5)).lines
    assert lines[3:6] == ["  expected [0.125, 0.25, 0.625]", "  yours    [0.1250, 0.2500, 0.6250]",
                          "  they part: expected 0.125 at [0], not 0.1250025"]


def test_a_call_that_a_test_made_first_counts_where_a_mistake_is_named():
    report = grade_task("bert.layer_norm", lambda x, weight, bias, eps=1e-5: bert.layer_norm(x, weight, bias, eps))
    assert report.mistake == "another_default"  # and not that it ignores the eps which it is given


def test_a_small_length_is_told_as_it_is():
    report = grade_task("cosine.norm", lambda a: sum(number**2 for number in a) ** 0.5)
    assert "  expected 5e-200   yours 0.0" in report.lines
    assert report.mistake == "naive_in_python"


def test_who_forgets_to_refuse_may_still_be_told_of_one_mistake():
    def twice(lists, k=60):
        totals = {}
        for ids in lists:
            for rank, id in enumerate(ids, 1):
                totals[id] = totals.get(id, 0) + 1 / (k + rank)
        return sorted(totals.items(), key=lambda pair: (-pair[1], str(pair[0])))

    assert grade_task("fusion.reciprocal_rank_fusion", twice).mistake == "every_place"


def test_what_float32_gives_is_right():
    def softmax(x):
        weights = np.exp(np.float32(x) - np.float32(x).max(axis=-1, keepdims=True))
        return weights / weights.sum(axis=-1, keepdims=True)

    def attention(q, k, v, mask):
        q, k, v = np.float32(q), np.float32(k), np.float32(v)
        return softmax(np.where(mask, q @ k.T / np.sqrt(np.float32(q.shape[1])), np.float32(-1e30))) @ v

    def shares(scores, masked=None):
        return softmax(scores if masked is None else np.where(masked, -np.inf, scores))

    def gradient(scores, masked=None):
        return (shares(scores, masked) - np.eye(*scores.shape, dtype=np.float32)) / np.float32(len(scores))

    for task, function in {"bert.softmax": softmax, "bert.attention": attention, "biencoder.in_batch_softmax": shares,
                           "biencoder.scores_gradient": gradient}.items():
        report = grade_task(task, function)
        assert report.points == report.possible, report.lines
