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


def k_sweep__loops(ranked, evidence, ks):
    out = {}
    for k in ks:
        if k < 1:
            raise ValueError("k")
        counting = found = 0
        for grade, ids in evidence:
            if grade > 0:
                counting += 1
                found += any(id in ranked[:k] for id in ids)
        out[k] = found / counting if counting else 0.0
    return out


def k_sweep__first_ranks(ranked, evidence, ks):
    if min(ks, default=1) < 1:
        raise ValueError("k")
    ranks = {id: rank for rank, id in reversed(list(enumerate(ranked, 1)))}
    first = np.array([min([ranks.get(id, np.inf) for id in ids], default=np.inf) for grade, ids in evidence if grade])
    return {k: np.mean(first <= k) if len(first) else 0.0 for k in ks}


def k_sweep__float32(ranked, evidence, ks):
    return {np.int64(k): np.float32(share) for k, share in k_sweep__loops(ranked, evidence, ks).items()}


def knee__walk(values, tolerance):
    if not values or tolerance < 0:
        raise ValueError("input")
    for k in sorted(values):
        if values[k] + tolerance > max(values.values()) - 1e-9:
            return k


def knee__filtered(values, tolerance):
    if tolerance < 0:
        raise ValueError("tolerance")
    best = max(values.values())  # of nothing: ValueError
    return sorted(k for k, value in values.items() if round(best - value - tolerance, 9) <= 0)[0]


def knee__numpy(values, tolerance):
    if tolerance < 0 or not len(values):
        raise ValueError("input")
    ks, heights = np.array(list(values)), np.array(list(values.values()))
    return ks[heights.max() - heights <= tolerance + 1e-9].min()


def added__count(before_ms, after_ms, p=95):
    if not before_ms or not after_ms or not 0 <= p <= 100:
        raise ValueError("input")
    return percentile__count(after_ms, p) - percentile__count(before_ms, p)


def added__numpy(before_ms, after_ms, p=95):
    if len(before_ms) == 0 or len(after_ms) == 0:
        raise ValueError("empty")
    return percentile__numpy(after_ms, p) - percentile__numpy(before_ms, p)  # any other p: ValueError


def added__whole_numbers(before_ms, after_ms, p=95):
    if not (len(before_ms) and len(after_ms)) or p > 100 or p < 0:
        raise ValueError("input")
    before, after = (percentile__whole_numbers(np.array(times), p) for times in (before_ms, after_ms))
    return np.float64(after - before)


def report_line__parts(n, name, before, after, low, high, added_ms=None, measure="Recall@10"):
    if n < 1 or low > high:
        raise ValueError("input")

    def signed(value):
        text = f"{value:+.3f}"
        return "+0.000" if text == "-0.000" else text

    parts = [f"on {n} questions, {name} took {measure} from {before:.3f} to {after:.3f} "]
    parts.append(f"({signed(after - before)}, 95 % interval {signed(low)} to {signed(high)}")
    parts.append(")" if low > 0 or high < 0 else ": not told apart)")
    if added_ms is not None:
        text = f"{abs(added_ms):.1f}"
        off = added_ms < 0 and text != "0.0"
        parts.append(f" and took {text} ms off p95" if off else f" and added {text} ms to p95")
    return "".join(parts)


def report_line__templates(n, name, before, after, low, high, added_ms=None, measure="Recall@10"):
    if n <= 0:
        raise ValueError("n")
    if high < low:
        raise ValueError("ends")
    template = "on {} questions, {} took {} from {:.3f} to {:.3f} ({:+.3f}, 95 % interval {:+.3f} to {:+.3f}"
    numbers = (round(value, 3) or 0.0 for value in (after - before, low, high))
    line = template.format(n, name, measure, before, after, *numbers)
    line += ": not told apart)" if low * high <= 0 else ")"
    if added_ms is None:
        return line
    cost = " and took {:.1f} ms off p95" if round(added_ms, 1) < 0 else " and added {:.1f} ms to p95"
    return line + cost.format(abs(added_ms))


def report_line__numpy_string(n, name, before, after, low, high, added_ms=None, measure="Recall@10"):
    return np.str_(report_line__parts(n, name, before, after, low, high, added_ms, measure))


def pareto__loops(points):
    left = []
    for name, (quality, cost) in points.items():
        beaten = False
        for other_quality, other_cost in points.values():
            if other_quality >= quality and other_cost <= cost and (other_quality > quality or other_cost < cost):
                beaten = True
        if not beaten:
            left.append(name)
    return sorted(left)


def pareto__sweep(points):
    left, best = [], -float("inf")  # the best quality at a lower cost
    for cost in sorted({cost for _, cost in points.values()}):
        at_this_cost = {name: quality for name, (quality, price) in points.items() if price == cost}
        top = max(at_this_cost.values())
        if top > best:
            left += [name for name, quality in at_this_cost.items() if quality == top]
            best = top
    left.sort()
    return left


def pareto__numpy(points):
    names = sorted(points)
    table = np.array([points[name] for name in names]).reshape(len(names), 2) * [1, -1]
    no_worse = (table[:, None] >= table[None]).all(axis=2)
    better = (table[:, None] > table[None]).any(axis=2)
    return tuple(name for name, beaten in zip(names, (no_worse & better).any(axis=0), strict=True) if not beaten)
