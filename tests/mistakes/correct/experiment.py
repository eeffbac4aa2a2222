"""Other right ways to write the tasks experiment.*: the graded tests must pass them all."""

from collections import defaultdict
from statistics import mean

import numpy as np


def pieces_shown__one_after_another(ranked, evidence):
    shown, out = set(), []
    for place, id in enumerate(ranked):
        here = [n for n, (_, ids) in enumerate(evidence) if id in ids and n not in shown]
        shown |= set(here)
        here.sort(key=lambda n: evidence[n][0], reverse=True)
        out.extend([f"piece {n}" for n in here] if here else [f"nothing {place}"])
    return out, {f"piece {n}": evidence[n][0] for n in range(len(evidence))}


def pieces_shown__first_places(ranked, evidence):
    first = [min([ranked.index(id) for id in ids if id in ranked], default=None) for _, ids in evidence]
    out = []
    for place in range(len(ranked)):
        here = sorted((-grade, n) for n, (grade, _) in enumerate(evidence) if first[n] == place)
        out += [f"piece {n}" for _, n in here] or [f"nothing {place}"]
    return [out, {f"piece {n}": grade for n, (grade, _) in enumerate(evidence)}]


def pieces_shown__numpy_grades(ranked, evidence):
    out, grades = pieces_shown__one_after_another(ranked, evidence)
    return tuple(out), {np.str_(piece): np.int32(grade) for piece, grade in grades.items()}


def means_by_kind__two_loops(each, kinds):
    out = {}
    for kind in sorted({kinds[id] for id in each if kinds.get(id)}):
        rows = [row for id, row in each.items() if kinds.get(id) == kind]
        out[kind] = {name: mean(row[name] for row in rows) for name in rows[0]}
    return out


def means_by_kind__running(each, kinds):
    totals, counts = defaultdict(lambda: defaultdict(float)), defaultdict(int)
    for id, kind in kinds.items():
        if kind and id in each:
            counts[kind] += 1
            for name, value in each[id].items():
                totals[kind][name] += value
    return {kind: {name: total / counts[kind] for name, total in row.items()} for kind, row in totals.items()}


def means_by_kind__float32(each, kinds):
    return {kind: {name: np.float32(value) for name, value in row.items()}
            for kind, row in means_by_kind__two_loops(each, kinds).items()}


def percentile__count(values, p):
    ordered = sorted(values)
    return next(value for value in ordered if sum(other <= value for other in values) >= len(values) * p / 100)


def percentile__numpy(values, p):
    return np.percentile(values, p, method="inverted_cdf")


def percentile__whole_numbers(values, p):
    rank = -(-len(values) * p // 100)
    return np.sort(values)[int(max(rank, 1)) - 1]


def paired_differences__numpy(before, after):
    if set(before) != set(after):
        raise ValueError("questions")
    return np.array([after[id] for id in before]) - np.array(list(before.values()))


def paired_differences__loop(before, after):
    if sorted(before) != sorted(after):
        raise ValueError("questions")
    out = []
    for id, value in before.items():
        out.append(after[id] - value)
    return tuple(out)


def paired_differences__float32(before, after):
    return paired_differences__numpy(before, after).astype(np.float32)


def bootstrap_interval__plain(differences, resamples, level=0.95):
    means = sorted(mean([differences[i] for i in row]) for row in resamples)
    outside = round(len(means) * (1 - level) / 2, 6)  # rounded: 2.5 percent of 10,000 shall be 250
    low, high = int(np.ceil(outside)), int(np.ceil(len(means) - outside))
    return means[max(low, 1) - 1], means[high - 1]


def bootstrap_interval__numpy(differences, resamples, level=0.95):
    means = np.array(differences)[resamples].mean(axis=1)
    return np.percentile(means, [50 - 50 * level, 50 + 50 * level], method="inverted_cdf")


def bootstrap_interval__counts(differences, resamples, level=0.95):
    n = len(differences)
    times_drawn = np.stack([np.bincount(row, minlength=n) for row in resamples])
    ends = 50 - 50 * level, 50 + 50 * level
    return [percentile__numpy(times_drawn @ np.array(differences) / n, p) for p in ends]
