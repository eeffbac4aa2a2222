"""Other right ways to write the tasks metrics.*: the graded tests must pass them all."""

import math

import numpy as np

from firstprinciples.evaluate.metrics import dcg, gains, reciprocal_rank


def gains__comprehension(ranked, grades, k):
    if k < 1:
        raise ValueError("k")
    return [max(grades.get(id, 0), 0) if id not in ranked[:place] else 0 for place, id in enumerate(ranked[:k])]


def gains__array(ranked, grades, k):
    return np.array(gains(ranked, grades, k))


def gains__floats(ranked, grades, k):
    return tuple(float(gain) for gain in gains(ranked, grades, k))


def recall_at_k__sets(ranked, grades, k):
    relevant = {id for id, grade in grades.items() if grade > 0}
    return len(relevant & set(ranked[:k])) / len(relevant) if relevant else 0


def recall_at_k__loop(ranked, grades, k):
    found, relevant = 0, 0
    for id, grade in grades.items():
        if grade > 0:
            relevant += 1
            found += id in ranked[:k]
    return found / max(relevant, 1)


def recall_at_k__float32(ranked, grades, k):
    return np.float32(recall_at_k__sets(ranked, grades, k))


def precision_at_k__sets(ranked, grades, k):
    return len({id for id in ranked[:k] if grades.get(id, 0) > 0}) / k


def precision_at_k__numpy(ranked, grades, k):
    return np.sum(np.array(gains(ranked, grades, k)) > 0) / k


def precision_at_k__float32(ranked, grades, k):
    return np.float32(precision_at_k__sets(ranked, grades, k))


def reciprocal_rank__next(ranked, grades, k=10):
    return next((1 / rank for rank, id in enumerate(ranked[:k], 1) if grades.get(id, 0) > 0), 0)


def reciprocal_rank__numpy(ranked, grades, k=10):
    places = np.flatnonzero([grades.get(id, 0) > 0 for id in ranked[:k]])
    return 1 / (places[0] + 1) if len(places) else 0.0


def reciprocal_rank__max(ranked, grades, k=10):
    return max([1 / (place + 1) for place, id in enumerate(ranked[:k]) if grades.get(id, 0) > 0], default=0.0)


def dcg__numpy(values):
    values = np.asarray(values, dtype=float)
    return (values / np.log2(np.arange(len(values)) + 2)).sum()


def dcg__loop(values):
    total = 0
    for place in range(len(values)):
        total = total + values[place] / np.log2(place + 2)
    return total


def dcg__float32(values):
    return np.float32(dcg(values))


def ndcg_at_k__numpy(ranked, grades, k=10, exponential=False):
    here, ideal = np.array(gains(ranked, grades, k)), np.sort([g for g in grades.values()])[::-1][:k]
    if exponential:
        here, ideal = 2.0**here - 1, 2.0**ideal - 1
    best = (ideal / np.log2(np.arange(len(ideal)) + 2)).sum()
    return (here / np.log2(np.arange(len(here)) + 2)).sum() / best if best > 0 else 0


def ndcg_at_k__own_gain(ranked, grades, k=10, exponential=False):
    def gain(grade):
        return 2**grade - 1 if exponential else grade

    best = dcg(sorted(map(gain, grades.values()), reverse=True)[:k])
    return dcg([gain(grade) for grade in gains(ranked, grades, k)]) / best if best else 0.0


def ndcg_at_k__float32(ranked, grades, k=10, exponential=False):
    return np.float32(ndcg_at_k__own_gain(ranked, grades, k, exponential))


def mean_reciprocal_rank__loop(run, qrels, k=10):
    total = count = 0
    for query, grades in qrels.items():
        if max(grades.values(), default=0) > 0:
            count += 1
            total += reciprocal_rank(run.get(query, []), grades, k)
    return total / count if count else 0


def mean_reciprocal_rank__numpy(run, qrels, k=10):
    values = [reciprocal_rank(run.get(q, []), g, k) for q, g in qrels.items() if max(g.values(), default=0) > 0]
    return np.mean(values) if values else 0.0


def mean_reciprocal_rank__float32(run, qrels, k=10):
    return np.float32(mean_reciprocal_rank__loop(run, qrels, k))


def dcg_with_base__numpy(values, base=2):
    if base <= 1:
        raise ValueError("base")
    ranks = np.arange(1, len(values) + 1)
    return (np.asarray(values, dtype=float) / np.maximum(np.log(ranks) / np.log(base), 1)).sum()


def dcg_with_base__loop(values, base=2):
    if not base > 1:
        raise ValueError("base")
    total = 0
    for rank, value in enumerate(values, 1):
        total += value / max(1, math.log(rank) / math.log(base))
    return total


def dcg_with_base__float32(values, base=2):
    return np.float32(dcg_with_base__loop(values, base))


def average_precision__of_precisions(ranked, grades, k=1000):
    relevant = {id for id, grade in grades.items() if grade > 0}
    places = [ranked[:k].index(id) + 1 for id in relevant if id in ranked[:k]]
    return sum(sum(other <= place for other in places) / place for place in places) / max(len(relevant), 1)


def average_precision__numpy(ranked, grades, k=1000):
    hits = np.array(gains(ranked, grades, k)) > 0
    relevant = sum(grade > 0 for grade in grades.values())
    return (np.cumsum(hits) / (np.arange(len(hits)) + 1))[hits].sum() / relevant if relevant and len(hits) else 0


def average_precision__float32(ranked, grades, k=1000):
    return np.float32(average_precision__of_precisions(ranked, grades, k))


def rank_by_score__two_sorts(scores):
    return sorted(sorted(scores), key=scores.get, reverse=True)


def rank_by_score__numpy(scores):
    ids = np.array(sorted(scores), dtype=str)
    return ids[np.argsort([-scores[id] for id in ids.tolist()], kind="stable")].tolist() if scores else []


def rank_by_score__take_the_best(scores):
    left, out = dict(scores), []
    while left:
        best = min(left, key=lambda id: (-left[id], id))
        out.append(best)
        del left[best]
    return tuple(out)
