"""Common mistakes in the tasks experiment.*, each with the sentence that a learner reads."""

import numpy as np

from firstprinciples.evaluate.experiment import (
    added,
    bootstrap_interval,
    k_sweep,
    knee,
    means_by_kind,
    pareto,
    percentile,
    pieces_shown,
    report_line,
)


def _grades(evidence):
    return {f"piece {number}": grade for number, (grade, _) in enumerate(evidence)}


def _held(id, evidence):
    """Return the pieces that a chunk holds, best grade first."""
    order = sorted(range(len(evidence)), key=lambda n: -evidence[n][0])
    return [f"piece {n}" for n in order if id in evidence[n][1]]


def pieces_shown__every_time(ranked, evidence):
    """That counts a piece in each chunk that holds it; only the first chunk that shows it counts."""
    out = []
    for place, id in enumerate(ranked):
        out += _held(id, evidence) or [f"nothing {place}"]
    return out, _grades(evidence)


def pieces_shown__as_given(ranked, evidence):
    """That leaves the pieces of one chunk in the order given; the best grade comes first."""
    out, seen = [], set()
    for place, id in enumerate(ranked):
        new = [f"piece {n}" for n, (_, ids) in enumerate(evidence) if id in ids and f"piece {n}" not in seen]
        seen.update(new)
        out += new or [f"nothing {place}"]
    return out, _grades(evidence)


def pieces_shown__worst_grade_first(ranked, evidence):
    """That puts the lowest grade of a chunk first; the best comes first."""
    out, seen = [], set()
    for place, id in enumerate(ranked):
        new = [piece for piece in sorted(_held(id, evidence), key=lambda piece: _grades(evidence)[piece])
               if piece not in seen]
        seen.update(new)
        out += new or [f"nothing {place}"]
    return out, _grades(evidence)


def pieces_shown__one_for_each_chunk(ranked, evidence):
    """That lets a chunk show one piece only; it shows all that it holds and that were not shown before."""
    out, seen = [], set()
    for place, id in enumerate(ranked):
        new = [piece for piece in _held(id, evidence) if piece not in seen][:1]
        seen.update(new)
        out += new or [f"nothing {place}"]
    return out, _grades(evidence)


def pieces_shown__nothing_left_out(ranked, evidence):
    """That leaves out chunks that show nothing, so that what follows moves up; each keeps a place."""
    out, grades = pieces_shown(ranked, evidence)
    return [piece for piece in out if piece in grades], grades


def pieces_shown__only_what_can_be_found(ranked, evidence):
    """That forgets the pieces that no chunk holds: bad chunking would improve its own score."""
    out, _ = pieces_shown(ranked, evidence)
    return out, {f"piece {n}": grade for n, (grade, ids) in enumerate(evidence) if ids}


def pieces_shown__only_what_was_shown(ranked, evidence):
    """That gives the grades of the pieces that were shown; recall needs those of all pieces."""
    out, grades = pieces_shown(ranked, evidence)
    return out, {piece: grade for piece, grade in grades.items() if piece in out}


def pieces_shown__places_from_one(ranked, evidence):
    """That counts places from 1; "nothing 0" stands for the first place."""
    out, grades = pieces_shown(ranked, evidence)
    return [f"nothing {int(name.split()[1]) + 1}" if name.startswith("nothing") else name for name in out], grades


def pieces_shown__no_places(ranked, evidence):
    """That leaves out "nothing", and shows pieces again and as given: only the first time, and best grade first."""
    return [f"piece {n}" for id in ranked for n, (_, ids) in enumerate(evidence) if id in ids], _grades(evidence)


def pieces_shown__no_places_once(ranked, evidence):
    """That leaves out chunks that show nothing, and keeps pieces as given; a place each, and the best grade first."""
    out, _ = pieces_shown__as_given(ranked, evidence)
    return [piece for piece in out if piece in _grades(evidence)], _grades(evidence)


def pieces_shown__every_time_as_given(ranked, evidence):
    """That shows a piece in each chunk that holds it, in the order given; only the first time, and best grade first."""
    out = []
    for place, id in enumerate(ranked):
        out += [f"piece {n}" for n, (_, ids) in enumerate(evidence) if id in ids] or [f"nothing {place}"]
    return out, _grades(evidence)


def pieces_shown__nothing_without_a_place(ranked, evidence):
    """That has "nothing" without its place; "nothing 0" stands for the first place, so that no two are the same."""
    out, grades = pieces_shown(ranked, evidence)
    return ["nothing" if piece.startswith("nothing") else piece for piece in out], grades


def pieces_shown__nothing_numbered(ranked, evidence):
    """That numbers what shows nothing one after the other; the number is the chunk's place in the list, from 0."""
    out, grades = pieces_shown(ranked, evidence)
    empty = [piece for piece in out if piece not in grades]
    return [piece if piece in grades else f"nothing {empty.index(piece)}" for piece in out], grades


def pieces_shown__place_in_the_result(ranked, evidence):
    """That takes the place in the result; the number is the chunk's place in the list, from 0."""
    out, grades = pieces_shown(ranked, evidence)
    return [piece if piece in grades else f"nothing {place}" for place, piece in enumerate(out)], grades


def pieces_shown__pieces_from_one(ranked, evidence):
    """That counts pieces from 1; the first is "piece 0"."""
    out, grades = pieces_shown(ranked, evidence)
    more = {piece: f"piece {int(piece.split()[1]) + 1}" for piece in grades}
    return [more.get(piece, piece) for piece in out], {more[piece]: grade for piece, grade in grades.items()}


def pieces_shown__without_grades(ranked, evidence):
    """That returns the ids alone; return two things, the ids and {id of piece: grade}."""
    return pieces_shown(ranked, evidence)[0]


def pieces_shown__one_for_each_chunk_as_given(ranked, evidence):
    """That stops at the first new piece of a chunk; it shows all of its new ones, best grade first."""
    out, seen = [], set()
    for place, id in enumerate(ranked):
        new = [n for n, (_, ids) in enumerate(evidence) if id in ids and n not in seen][:1]
        seen.update(new)
        out += [f"piece {n}" for n in new] or [f"nothing {place}"]
    return out, _grades(evidence)


def pieces_shown__numbered_after_sorting(ranked, evidence):
    """That numbers the pieces after sorting them by grade; the number is the place in `evidence` as it is given."""
    return pieces_shown(ranked, sorted(evidence, key=lambda piece: -piece[0]))


def means_by_kind__over_all(each, kinds):
    """That divides by the number of all questions; divide by those of the kind."""
    return {kind: {name: value * sum(kinds.get(id) == kind for id in each) / len(each) for name, value in row.items()}
            for kind, row in means_by_kind(each, kinds).items()}


def means_by_kind__sums(each, kinds):
    """That adds up and does not divide by the number of questions."""
    return {kind: {name: value * sum(kinds.get(id) == kind for id in each) for name, value in row.items()}
            for kind, row in means_by_kind(each, kinds).items()}


def means_by_kind__last(each, kinds):
    """That keeps the last question of each kind; all of them go into the mean."""
    return {kinds[id]: row for id, row in each.items() if kinds.get(id)}


def means_by_kind__not_measured_is_zero(each, kinds):
    """That counts questions which were not measured; they have no value, not even 0."""
    counted = {kind: sum(1 for other in kinds.values() if other == kind) for kind in kinds.values() if kind}
    return {kind: {name: value * sum(kinds.get(id) == kind for id in each) / counted[kind]
                   for name, value in row.items()} for kind, row in means_by_kind(each, kinds).items()}


def means_by_kind__no_kind_is_a_kind(each, kinds):
    """That makes "" a kind of its own; a question without a kind belongs to none."""
    named = {id: kind or "(none)" for id, kind in kinds.items()}
    return {"" if kind == "(none)" else kind: row for kind, row in means_by_kind(each, named).items()}


def means_by_kind__every_question_has_a_kind(each, kinds):
    """That asks for the kind of every measured question; some have none, so look it up with get."""
    return means_by_kind(each, {id: kinds[id] for id in each})


def means_by_kind__empty_kinds(each, kinds):
    """That also lists kinds of which no question was measured; they have no mean."""
    return {**{kind: {} for kind in kinds.values() if kind}, **means_by_kind(each, kinds)}


def _grouped(each, kinds, of):
    groups = {}
    for id, row in each.items():
        groups.setdefault(of(id), []).append(row)
    return groups


def means_by_kind__none_is_a_kind(each, kinds):
    """That makes None a kind of its own, or ""; a question without a kind belongs to none."""
    return {kind: {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}
            for kind, rows in _grouped(each, kinds, kinds.get).items()}


def means_by_kind__no_kind_counts_as_empty(each, kinds):
    """That makes "" a kind of its own, also for questions that `kinds` lacks; a question without a kind has none."""
    return {kind: {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}
            for kind, rows in _grouped(each, kinds, lambda id: kinds.get(id, "")).items()}


def means_by_kind__not_measured(each, kinds):
    """That looks up a question that was not measured; go through those in `each`, or ask whether it is there."""
    return means_by_kind({id: each[id] for id, kind in kinds.items() if kind}, kinds)


def means_by_kind__not_measured_and_no_kind(each, kinds):
    """That looks up questions that were not measured, and makes "" a kind; both belong to none."""
    rows = {id: each[id] for id in kinds}
    return {kind: {name: sum(row[name] for row in group) / len(group) for name in group[0]}
            for kind, group in _grouped(rows, kinds, kinds.get).items()}


def means_by_kind__over_all_that_have_a_kind(each, kinds):
    """That divides by the number of all questions in `kinds`; divide by the measured ones of the kind."""
    return {kind: {name: value * sum(kinds.get(id) == kind for id in each) / len(kinds) for name, value in row.items()}
            for kind, row in means_by_kind(each, kinds).items()}


def means_by_kind__over_the_number_of_kinds(each, kinds):
    """That divides by the number of kinds; divide by the number of measured questions of the kind."""
    found = means_by_kind(each, kinds)
    return {kind: {name: value * sum(kinds.get(id) == kind for id in each) / len(found) for name, value in row.items()}
            for kind, row in found.items()}


def means_by_kind__metrics_added_up(each, kinds):
    """That adds up the metrics; each of them has a mean of its own: {kind: {metric: mean}}."""
    return {kind: sum(row.values()) for kind, row in means_by_kind(each, kinds).items()}


def percentile__interpolated(values, p):
    """That takes a value between two of them (NumPy does, unless told); nearest rank always gives one of the values."""
    return float(np.percentile(values, p))


def percentile__not_sorted(values, p):
    """That takes the values as they come; sort them first."""
    return values[max(-(-len(values) * p // 100), 1) - 1]


def percentile__rank_from_zero(values, p):
    """That is one place too far: the rank counts from 1, places in a list from 0."""
    return sorted(values)[min(-(-len(values) * p // 100), len(values) - 1)]


def percentile__rounded_down(values, p):
    """That rounds the rank down, so that fewer than p percent lie at or below; round it up."""
    return sorted(values)[max(len(values) * p // 100 - 1, 0)]


def percentile__from_above(values, p):
    """That counts from the largest down; p percent of the values do not exceed it."""
    return sorted(values, reverse=True)[max(-(-len(values) * p // 100), 1) - 1]


def percentile__no_guard_at_zero(values, p):
    """That gives the largest value for p = 0, since place -1 is the last; the smallest is right."""
    return sorted(values)[-(-len(values) * p // 100) - 1]


def percentile__without_repeats(values, p):
    """That counts values that repeat once; each of them counts."""
    return percentile(sorted(set(values)), p)


def percentile__beyond_the_end(values, p):
    """That is one place too far, and beyond the end for p = 100: the rank counts from 1, places in a list from 0."""
    return sorted(values)[-(-len(values) * p // 100)]


def percentile__rank_cut_off(values, p):
    """That cuts the rank off and takes it for a place: round it up, and take 1 away, since places count from 0."""
    return sorted(values)[int(len(values) * p / 100)]


def percentile__rounded_down_no_guard(values, p):
    """That does not round the rank up, and for p = 0 place -1 is the largest: round up, and take place 0 at least."""
    return sorted(values)[int(len(values) * p / 100) - 1]


def percentile__share(values, p):
    """That looks far beyond the end of the list: p goes to 100, so the rank is len(values) * p / 100, rounded up."""
    return sorted(values)[max(int(len(values) * p) - 1, 0)]


def percentile__one_value_too_far(values, p):
    """That goes one value too far: count the values up to and with this one; at least p percent of them is enough."""
    return next((value for value in sorted(values)
                 if sum(other <= value for other in values) > len(values) * p / 100), None)


def _refuse(before, after):
    if before.keys() != after.keys():
        raise ValueError("questions")


def paired_differences__turned_around(before, after):
    """That is before minus after; a gain should be positive."""
    _refuse(before, after)
    return [before[id] - after[id] for id in before]


def paired_differences__by_position(before, after):
    """That pairs the values by their position; pair them by question."""
    _refuse(before, after)
    return [new - old for old, new in zip(before.values(), after.values(), strict=True)]


def paired_differences__absolute(before, after):
    """That drops the sign; a loss and a gain are not the same."""
    _refuse(before, after)
    return [abs(after[id] - before[id]) for id in before]


def paired_differences__only_shared(before, after):
    """That quietly leaves out questions which only one has measured; refuse them with ValueError."""
    return [after[id] - before[id] for id in before if id in after]


def paired_differences__missing_is_zero(before, after):
    """That counts a question which only one has measured as 0 for the other; refuse it with ValueError."""
    return [after.get(id, 0.0) - before.get(id, 0.0) for id in {**before, **after}]


def paired_differences__key_error(before, after):
    """That ends in a KeyError or goes on where the questions are not the same; refuse them with ValueError."""
    return [after[id] - before[id] for id in before]


def paired_differences__in_order_of_after(before, after):
    """That goes by the order of the second; the order of the first is asked for."""
    _refuse(before, after)
    return [after[id] - before[id] for id in after]


def paired_differences__of_the_means(before, after):
    """That is the difference of the two means; a difference for each question is asked for."""
    _refuse(before, after)
    return (sum(after.values()) - sum(before.values())) / len(before) if before else 0.0


def paired_differences__by_position_not_refused(before, after):
    """That pairs the values by their position, and takes other questions; pair by question, and refuse the others."""
    return [new - old for old, new in zip(before.values(), after.values(), strict=False)]


def paired_differences__by_position_as_many(before, after):
    """That pairs the values by their position and only asks whether they are as many; pair them by question."""
    return [new - old for old, new in zip(before.values(), after.values(), strict=True)]


def paired_differences__as_many(before, after):
    """That only asks whether they are as many; they must be the same questions, or else it raises ValueError."""
    if len(before) != len(after):
        raise ValueError("questions")
    return [after[id] - before[id] for id in before]


def paired_differences__one_way(before, after):
    """That misses questions which only the second has; both must have measured the same ones."""
    if any(id not in after for id in before):
        raise ValueError("questions")
    return [after[id] - before[id] for id in before]


def paired_differences__order_refused(before, after):
    """That refuses the same questions in another order; only which ones they are counts."""
    if list(before) != list(after):
        raise ValueError("questions")
    return [after[id] - before[id] for id in before]


def paired_differences__assertion(before, after):
    """That refuses with an assertion; raise ValueError where the questions are not the same."""
    assert before.keys() == after.keys()
    return [after[id] - before[id] for id in before]


def paired_differences__error_returned(before, after):
    """That returns the error; write `raise ValueError(...)`."""
    if before.keys() != after.keys():
        return ValueError("questions")
    return [after[id] - before[id] for id in before]


def paired_differences__turned_around_not_refused(before, after):
    """That is before minus after, and other questions are not refused with ValueError; a gain should be positive."""
    return [before[id] - after[id] for id in before]


def paired_differences__in_order_of_after_not_refused(before, after):
    """That goes by the order of the second, and does not refuse other questions; go by the order of the first."""
    return [after[id] - before[id] for id in after]


def paired_differences__absolute_not_refused(before, after):
    """That drops the sign, and other questions are not refused with ValueError; a loss and a gain are not the same."""
    return [abs(after[id] - before[id]) for id in before]


def paired_differences__sorted(before, after):
    """That sorts the questions; the order of the first is asked for."""
    _refuse(before, after)
    return [after[id] - before[id] for id in sorted(before)]


def paired_differences__dict(before, after):
    """That returns a dict; a list of the differences is asked for, in the order of the first."""
    _refuse(before, after)
    return {id: after[id] - before[id] for id in before}


def _means(differences, resamples):
    return np.asarray(differences, dtype=float)[np.asarray(resamples)].mean(axis=1)


def _middle(values, level):
    outside = 100 * (1 - level) / 2
    return float(percentile(values, outside)), float(percentile(values, 100 - outside))


def bootstrap_interval__sums(differences, resamples, level=0.95):
    """That takes the sum of each resample; its mean is asked for."""
    return _middle(_means(differences, resamples) * len(differences), level)


def bootstrap_interval__medians(differences, resamples, level=0.95):
    """That takes the median of each resample; its mean is asked for."""
    return _middle(np.median(np.asarray(differences, dtype=float)[np.asarray(resamples)], axis=1), level)


def bootstrap_interval__of_the_values(differences, resamples, level=0.95):
    """That is where the questions themselves lie; the means of the resamples lie much closer together."""
    return _middle(differences, level)


def bootstrap_interval__wrong_axis(differences, resamples, level=0.95):
    """That averages down the columns; each row is a resample (axis=1)."""
    return _middle(np.asarray(differences, dtype=float)[np.asarray(resamples)].mean(axis=0), level)


def bootstrap_interval__all_outside_on_each_side(differences, resamples, level=0.95):
    """That leaves 1 - level outside on each side, twice too much; half of it belongs on each side."""
    return _middle(_means(differences, resamples), 2 * level - 1)


def bootstrap_interval__level_ignored(differences, resamples, level=0.95):
    """That gives the same two ends whatever the level; `level` says how much lies inside."""
    return bootstrap_interval(differences, resamples)


def bootstrap_interval__from_zero(differences, resamples, level=0.95):
    """That cuts off nothing below: it begins at the smallest mean, and ends where `level` of them lie below."""
    means = _means(differences, resamples)
    return float(min(means)), float(percentile(means, 100 * level))


def bootstrap_interval__interpolated(differences, resamples, level=0.95):
    """That takes ends between two means, as np.percentile does unless told; `percentile` gives one of the means."""
    return tuple(np.percentile(_means(differences, resamples), [50 * (1 - level), 50 * (1 + level)]).tolist())


def bootstrap_interval__normal(differences, resamples, level=0.95):
    """That goes 1.96 standard errors to both sides, as if the means were bell-shaped; take their percentiles."""
    means = _means(differences, resamples)
    middle, reach = float(np.mean(differences)), 1.96 * float(np.std(means))
    return middle - reach, middle + reach


def bootstrap_interval__half_width(differences, resamples, level=0.95):
    """That is the mean and how far the interval reaches; its two ends are asked for."""
    low, high = bootstrap_interval(differences, resamples, level)
    return float(np.mean(differences)), (high - low) / 2


def bootstrap_interval__turned_around(differences, resamples, level=0.95):
    """That has the upper end first; low comes before high."""
    low, high = bootstrap_interval(differences, resamples, level)
    return high, low


def bootstrap_interval__interpolated_level_ignored(differences, resamples, level=0.95):
    """That ignores level, and takes ends between two means; `percentile` gives one of the means."""
    return tuple(np.percentile(_means(differences, resamples), [2.5, 97.5]).tolist())


def bootstrap_interval__share_for_percent(differences, resamples, level=0.95):
    """That hands a share to `percentile`, which takes percent: 2.5, not 0.025."""
    means = _means(differences, resamples)
    return float(percentile(means, (1 - level) / 2)), float(percentile(means, (1 + level) / 2))


def bootstrap_interval__one_mean_of_all(differences, resamples, level=0.95):
    """That is one mean of all that was drawn; take the mean of each row (axis=1)."""
    mean = float(np.asarray(differences, dtype=float)[np.asarray(resamples)].mean())
    return mean, mean


def bootstrap_interval__places_for_ranks(differences, resamples, level=0.95):
    """That is one place too far: ranks count from 1, places in a list from 0; `percentile` gives the value itself."""
    means = sorted(_means(differences, resamples).tolist())
    return means[int(len(means) * (1 - level) / 2)], means[int(len(means) * (1 + level) / 2)]


def bootstrap_interval__places_rounded_down(differences, resamples, level=0.95):
    """That takes one rank too many below and rounds down above; `percentile` gives both ends by the same rule."""
    means = sorted(_means(differences, resamples).tolist())
    return means[int(len(means) * (1 - level) / 2)], means[int(len(means) * (1 + level) / 2) - 1]


def _sweep(ranked, evidence, ks, counts=lambda grade: grade > 0, among=lambda pieces: len(pieces), first=lambda k: k):
    """Return what `k_sweep` does, with one thing or another done differently."""
    if any(k < 1 for k in ks):
        raise ValueError(ks)
    pieces = [set(ids) for grade, ids in evidence if counts(grade)]
    return {k: sum(not ids.isdisjoint(ranked[:first(k)]) for ids in pieces) / (among(pieces) or 1) for k in ks}


def k_sweep__one_too_few(ranked, evidence, ks):
    """That looks at one chunk too few; the first k are `ranked[:k]`."""
    return _sweep(ranked, evidence, ks, first=lambda k: k - 1)


def k_sweep__one_too_many(ranked, evidence, ks):
    """That looks at one chunk too many; the first k are `ranked[:k]`, since the end of a slice is left out."""
    return _sweep(ranked, evidence, ks, first=lambda k: k + 1)


def k_sweep__the_kth_alone(ranked, evidence, ks):
    """That looks at the k-th chunk alone; all of the first k are handed over."""
    k_sweep(ranked, evidence, ks)
    return {k: k_sweep(ranked[k - 1:k], evidence, [k])[k] for k in ks}


def k_sweep__k_over_pieces(ranked, evidence, ks):
    """That gives each piece of a chunk a place of its own, as Recall@k does; k counts the chunks handed over."""
    k_sweep(ranked, evidence, ks)
    shown, grades = pieces_shown(ranked, evidence)
    counting = {piece for piece, grade in grades.items() if grade > 0}
    return {k: len(counting & set(shown[:k])) / (len(counting) or 1) for k in ks}


def k_sweep__divided_by_k(ranked, evidence, ks):
    """That divides by k; the share is of the pieces, and k says only how far to look."""
    return {k: share * sum(grade > 0 for grade, _ in evidence) / k for k, share in k_sweep(
        ranked, evidence, ks).items()}


def k_sweep__grade_zero_counts(ranked, evidence, ks):
    """That counts pieces of grade 0; only grade 1 and more is evidence."""
    return _sweep(ranked, evidence, ks, counts=lambda grade: True)


def k_sweep__grade_one_left_out(ranked, evidence, ks):
    """That leaves grade 1 out; here all pieces of grade 1 and more count alike."""
    return _sweep(ranked, evidence, ks, counts=lambda grade: grade > 1)


def k_sweep__weighted_by_grade(ranked, evidence, ks):
    """That weighs the pieces by their grades; all that count, count alike."""
    k_sweep(ranked, evidence, ks)
    whole = sum(grade for grade, _ in evidence)
    return {k: sum(grade for grade, ids in evidence if not set(ids).isdisjoint(ranked[:k])) / (whole or 1) for k in ks}


def k_sweep__only_what_can_be_found(ranked, evidence, ks):
    """That leaves out a piece that no chunk holds; it counts, and bad chunking pays for it."""
    return _sweep(ranked, evidence, ks, among=lambda pieces: sum(bool(ids) for ids in pieces))


def k_sweep__only_what_was_ranked(ranked, evidence, ks):
    """That divides by the pieces which the list holds somewhere; all that count stand below the line."""
    return _sweep(ranked, evidence, ks, among=lambda pieces: sum(not ids.isdisjoint(ranked) for ids in pieces))


def k_sweep__numbers(ranked, evidence, ks):
    """That gives numbers of pieces; their share is meant."""
    return _sweep(ranked, evidence, ks, among=lambda pieces: 1)


def k_sweep__chunks_that_hold_something(ranked, evidence, ks):
    """That counts chunks which hold evidence; a piece counts once, in however many chunks it stands."""
    k_sweep(ranked, evidence, ks)
    pieces = [set(ids) for grade, ids in evidence if grade > 0]
    holding = set().union(*pieces)
    return {k: len(holding & set(ranked[:k])) / (len(pieces) or 1) for k in ks}


def k_sweep__all_holders(ranked, evidence, ks):
    """That wants all the chunks that hold a piece; one of them is enough."""
    k_sweep(ranked, evidence, ks)
    pieces = [set(ids) for grade, ids in evidence if grade > 0]
    return {k: sum(bool(ids) and ids.issubset(ranked[:k]) for ids in pieces) / (len(pieces) or 1) for k in ks}


def k_sweep__any_piece_is_enough(ranked, evidence, ks):
    """That gives 1 as soon as one piece is there; the share of all of them is meant."""
    return {k: float(share > 0) for k, share in k_sweep(ranked, evidence, ks).items()}


def k_sweep__the_end_is_refused(ranked, evidence, ks):
    """That refuses a k beyond the end of the list; then all of the list is looked at."""
    if any(k > len(ranked) for k in ks):
        raise ValueError(ks)
    return k_sweep(ranked, evidence, ks)


def k_sweep__beyond_the_end_left_out(ranked, evidence, ks):
    """That leaves out a k beyond the end of the list; then all of the list is looked at."""
    return {k: share for k, share in k_sweep(ranked, evidence, ks).items() if k <= len(ranked)}


def k_sweep__divided_by_nothing(ranked, evidence, ks):
    """That divides by 0 where no piece counts; there the share is 0.0."""
    k_sweep(ranked, evidence, ks)
    return {k: sum(grade > 0 and not set(ids).isdisjoint(ranked[:k]) for grade, ids in evidence)
            / sum(grade > 0 for grade, _ in evidence) for k in ks}


def k_sweep__nothing_to_find_is_all(ranked, evidence, ks):
    """That gives 1 where no piece counts; there the share is 0.0, as in `recall_at_k`."""
    return {k: share if any(grade > 0 for grade, _ in evidence) else 1.0 for k, share in k_sweep(
        ranked, evidence, ks).items()}


def k_sweep__a_list(ranked, evidence, ks):
    """That gives the shares alone; a dict {k: share} is meant."""
    return list(k_sweep(ranked, evidence, ks).values())


def k_sweep__takes_any_k(ranked, evidence, ks):
    """That takes a k of 0 and less; it must refuse them with ValueError."""
    pieces = [set(ids) for grade, ids in evidence if grade > 0]
    return {k: sum(not ids.isdisjoint(ranked[:k]) for ids in pieces) / (len(pieces) or 1) for k in ks}


def _near(values, tolerance):
    knee(values, tolerance)
    best = max(values.values())
    return [k for k, value in values.items() if round(best - value, 9) <= tolerance]


def knee__the_best(values, tolerance):
    """That takes the k of the best value; a smaller one that is near enough will do."""
    knee(values, tolerance)
    return max(values, key=lambda k: (values[k], -k))


def knee__the_largest(values, tolerance):
    """That takes the largest k that is near enough; the smallest costs least."""
    return max(_near(values, tolerance))


def knee__as_given(values, tolerance):
    """That takes the first k as they are given; they may come in any order, and the smallest is meant."""
    return _near(values, tolerance)[0]


def knee__near_the_last(values, tolerance):
    """That measures from the value of the largest k; the best value may be at any k."""
    knee(values, tolerance)
    last = values[max(values)]
    return min(k for k, value in values.items() if round(last - value, 9) <= tolerance)


def knee__near_on_both_sides_of_the_last(values, tolerance):
    """That measures from the value of the largest k, in both directions; the best value may be at any k."""
    knee(values, tolerance)
    return min(k for k, value in values.items() if round(abs(values[max(values)] - value), 9) <= tolerance)


def knee__the_limit_left_out(values, tolerance):
    """That leaves out a value which lies just the tolerance below the best; it is near enough."""
    knee(values, tolerance)
    best = max(values.values())
    return min(k for k, value in values.items() if round(best - value, 9) < tolerance or value == best)


def knee__not_rounded(values, tolerance):
    """That compares the differences as they are; 0.8 - 0.7 is a little more than 0.1, so round before you compare."""
    knee(values, tolerance)
    return min(k for k, value in values.items() if max(values.values()) - value <= tolerance)


def knee__a_share_of_the_best(values, tolerance):
    """That takes the tolerance for a share of the best value; it is a difference."""
    knee(values, tolerance)
    best = max(values.values())
    return min(k for k, value in values.items() if round(best - value, 9) <= round(tolerance * abs(best), 9))


def knee__the_smallest_step(values, tolerance):
    """That stops where the next k adds no more than the tolerance; the distance to the best counts."""
    knee(values, tolerance)
    ks = sorted(values)
    return next((one for one, other in zip(ks, ks[1:], strict=False)
                 if round(values[other] - values[one], 9) <= tolerance), ks[-1])


def knee__lower_is_better(values, tolerance):
    """That takes the lowest value for the best; higher is better."""
    knee(values, tolerance)
    return knee({k: -value for k, value in values.items()}, tolerance)


def knee__its_value(values, tolerance):
    """That returns the value; the k is meant."""
    return values[knee(values, tolerance)]


def knee__all_that_are_near(values, tolerance):
    """That returns every k that is near enough; the smallest of them is meant."""
    return sorted(_near(values, tolerance))


def knee__takes_no_values(values, tolerance):
    """That returns None where there is no value; it must refuse that with ValueError."""
    return knee(values, tolerance) if values else None


def knee__takes_a_tolerance_below_zero(values, tolerance):
    """That takes a tolerance below 0 for 0; it must refuse it with ValueError."""
    return knee(values, max(tolerance, 0))


def added__before_minus_after(before_ms, after_ms, p=95):
    """That takes the new times from the old ones; what was added is after minus before."""
    return added(after_ms, before_ms, p)


def added__of_the_differences(before_ms, after_ms, p=95):
    """That takes the percentile of the differences; of each list its own percentile is meant, and then subtracted."""
    added(before_ms, after_ms, p)
    return percentile([after - before for before, after in zip(before_ms, after_ms, strict=False)], p)


def added__of_the_means(before_ms, after_ms, p=95):
    """That subtracts the means; the p-th percentiles are meant, for people wait for the slow ones."""
    added(before_ms, after_ms, p)
    return sum(after_ms) / len(after_ms) - sum(before_ms) / len(before_ms)


def added__of_the_slowest(before_ms, after_ms, p=95):
    """That subtracts the slowest times; the p-th percentiles are meant."""
    added(before_ms, after_ms, p)
    return max(after_ms) - max(before_ms)


def added__half(before_ms, after_ms, p=95):
    """That takes the 50th percentile, whatever p is."""
    added(before_ms, after_ms, p)
    return added(before_ms, after_ms, 50)


def added__always_ninety_five(before_ms, after_ms, p=95):
    """That takes the 95th percentile, whatever p is."""
    added(before_ms, after_ms, p)
    return added(before_ms, after_ms)


def added__ninety_nine(before_ms, after_ms, p=99):
    """That takes the 99th percentile unless told; the 95th is meant."""
    return added(before_ms, after_ms, p)


def added__numpy_as_it_comes(before_ms, after_ms, p=95):
    """That takes percentiles between two times, as `np.percentile` does unless told; one of the times is meant."""
    added(before_ms, after_ms, p)
    return float(np.percentile(after_ms, p) - np.percentile(before_ms, p))


def added__not_sorted(before_ms, after_ms, p=95):
    """That takes the place in the list as it is given; `percentile` sorts the times first."""
    added(before_ms, after_ms, p)
    rank_before, rank_after = (max(-int(-len(times) * p // 100), 1) for times in (before_ms, after_ms))
    return after_ms[rank_after - 1] - before_ms[rank_before - 1]


def added__how_far_apart(before_ms, after_ms, p=95):
    """That gives how far apart they are; where it became quicker the number is below 0."""
    return abs(added(before_ms, after_ms, p))


def added__never_below_zero(before_ms, after_ms, p=95):
    """That gives 0 where it became quicker; the number is below 0 there."""
    return max(added(before_ms, after_ms, p), 0.0)


def added__times_as_long(before_ms, after_ms, p=95):
    """That divides the two; their difference is meant."""
    added(before_ms, after_ms, p)
    return percentile(after_ms, p) / percentile(before_ms, p)


def added__equally_many(before_ms, after_ms, p=95):
    """That wants equally many times; each list has its own percentile, however long it is."""
    if len(before_ms) != len(after_ms):
        raise ValueError("lengths")
    return added(before_ms, after_ms, p)


def added__takes_no_times(before_ms, after_ms, p=95):
    """That takes 0 for the percentile of no times; it must refuse an empty list with ValueError."""
    before = percentile(before_ms, p) if len(before_ms) else 0.0
    return (percentile(after_ms, p) if len(after_ms) else 0.0) - before


def _line(n, name, before, after, low, high, added_ms=None, measure="Recall@10", change=lambda line: line):
    """Return the line with one thing or another done differently."""
    return change(report_line(n, name, before, after, low, high, added_ms, measure))


def _bracket(line):
    """Return a line's parts: what stands before the bracket, in it, and behind it."""
    head, _, rest = line.partition(" (")
    inside, _, tail = rest.partition(")")
    return head, inside, tail


def report_line__doubt_left_out(n, name, before, after, low, high, added_ms=None, measure="Recall@10"):
    """That never says ": not told apart"; with 0 inside the interval the difference may be chance."""
    return _line(n, name, before, after, low, high, added_ms, measure,
                 lambda line: line.replace(": not told apart", ""))


def report_line__always_in_doubt(n, name, before, after, low, high, added_ms=None, measure="Recall@10"):
    """That always says ": not told apart"; only with 0 inside the interval is that so."""
    head, inside, tail = _bracket(report_line(n, name, before, after, low, high, added_ms, measure))
    return f"{head} ({inside.removesuffix(': not told apart')}: not told apart){tail}"


def _doubt(doubt, n, name, before, after, low, high, added_ms, measure):
    head, inside, tail = _bracket(report_line(n, name, before, after, low, high, added_ms, measure))
    return f"{head} ({inside.removesuffix(': not told apart')}{': not told apart' if doubt else ''}){tail}"


def report_line__doubt_without_the_ends(n, name, before, after, low, high, added_ms=None, measure="Recall@10"):
    """That leaves out the ends of the interval; with 0 at one of them the two are not told apart either."""
    return _doubt(low < 0 < high, n, name, before, after, low, high, added_ms, measure)


def report_line__doubt_of_every_loss(n, name, before, after, low, high, added_ms=None, measure="Recall@10"):
    """That says ": not told apart" of every interval which begins below 0; with both ends below 0 it is a sure loss."""
    return _doubt(low <= 0, n, name, before, after, low, high, added_ms, measure)


def report_line__doubt_of_a_small_one(n, name, before, after, low, high, added_ms=None, measure="Recall@10"):
    """That doubts a difference that is small; the interval decides, a large one may be chance as well."""
    return _doubt(abs(after - before) < 0.01, n, name, before, after, low, high, added_ms, measure)


def report_line__doubt_after_rounding(n, name, before, after, low, high, added_ms=None, measure="Recall@10"):
    """That asks the rounded ends whether 0 is inside; ask them as they are."""
    return _doubt(round(low, 3) <= 0 <= round(high, 3), n, name, before, after, low, high, added_ms, measure)


def report_line__doubt_behind_the_bracket(n, name, before, after, low, high, added_ms=None, measure="Recall@10"):
    """That says ": not told apart" behind the bracket; it stands inside."""
    return _line(n, name, before, after, low, high, added_ms, measure,
                 lambda line: line.replace(": not told apart)", "): not told apart"))


def report_line__no_sign(n, name, before, after, low, high, added_ms=None, measure="Recall@10"):
    """That has no plus sign; the difference and the ends of its interval always have a sign."""
    return _line(n, name, before, after, low, high, added_ms, measure, lambda line: line.replace("+", ""))


def report_line__sign_of_the_difference_alone(n, name, before, after, low, high, added_ms=None, measure="Recall@10"):
    """That has a plus sign at the difference alone; the ends of its interval have one, too."""
    return _line(n, name, before, after, low, high, added_ms, measure,
                 lambda line: line.replace("interval +", "interval ").replace(" to +", " to "))


def report_line__minus_zero(n, name, before, after, low, high, added_ms=None, measure="Recall@10"):
    """That has "-0.000"; what is rounded to zero is "+0.000"."""
    head, _, tail = _bracket(report_line(n, name, before, after, low, high, added_ms, measure))
    doubt = ": not told apart" if low <= 0 <= high else ""
    return f"{head} ({after - before:+.3f}, 95 % interval {low:+.3f} to {high:+.3f}{doubt}){tail}"


def report_line__two_decimals(n, name, before, after, low, high, added_ms=None, measure="Recall@10"):
    """That has two decimals; three are meant, and one for the milliseconds."""
    line = report_line(n, name, before, after, low, high, added_ms, measure)
    for value in (before, after):
        line = line.replace(f"{value:.3f} ", f"{value:.2f} ", 1)
    return line


def report_line__as_many_decimals_as_there_are(n, name, before, after, low, high, added_ms=None, measure="Recall@10"):
    """That writes the two means as they are; they have three decimals."""
    _, inside, tail = _bracket(report_line(n, name, before, after, low, high, added_ms, measure))
    return f"on {n} questions, {name} took {measure} from {before} to {after} ({inside}){tail}"


def report_line__difference_of_the_wrong_way(n, name, before, after, low, high, added_ms=None, measure="Recall@10"):
    """That takes the new mean from the old one; the difference is after minus before."""
    head, inside, tail = _bracket(report_line(n, name, before, after, low, high, added_ms, measure))
    rest = inside.partition(",")[2]
    return f"{head} ({round(before - after, 3) + 0.0:+.3f},{rest}){tail}"


def report_line__percent(n, name, before, after, low, high, added_ms=None, measure="Recall@10"):
    """That gives the difference as a share of the mean before; after minus before is meant."""
    head, inside, tail = _bracket(report_line(n, name, before, after, low, high, added_ms, measure))
    rest = inside.partition(",")[2]
    return f"{head} ({(after - before) / before:+.3f},{rest}){tail}"


def report_line__the_middle_of_the_interval(n, name, before, after, low, high, added_ms=None, measure="Recall@10"):
    """That takes the middle of the interval for the difference; it is after minus before."""
    head, inside, tail = _bracket(report_line(n, name, before, after, low, high, added_ms, measure))
    rest = inside.partition(",")[2]
    return f"{head} ({round((low + high) / 2, 3) + 0.0:+.3f},{rest}){tail}"


def report_line__always_recall(n, name, before, after, low, high, added_ms=None, measure="Recall@10"):
    """That says Recall@10 whatever was measured; `measure` says what it was."""
    return report_line(n, name, before, after, low, high, added_ms)


def report_line__cost_left_out(n, name, before, after, low, high, added_ms=None, measure="Recall@10"):
    """That leaves out what the step cost; where `added_ms` is given, it stands at the end of the line."""
    return report_line(n, name, before, after, low, high, None, measure)


def report_line__no_cost_is_zero(n, name, before, after, low, high, added_ms=None, measure="Recall@10"):
    """That says 0.0 ms where no time was given; without `added_ms` the line ends behind the bracket."""
    return report_line(n, name, before, after, low, high, added_ms or 0.0, measure)


def report_line__zero_is_no_cost(n, name, before, after, low, high, added_ms=None, measure="Recall@10"):
    """That takes an `added_ms` of 0 for none; 0 was measured, and only None was not."""
    return report_line(n, name, before, after, low, high, added_ms or None, measure)


def report_line__added_less_than_nothing(n, name, before, after, low, high, added_ms=None, measure="Recall@10"):
    """That adds a number below 0; it reads "took 3.1 ms off p95" there."""
    line = report_line(n, name, before, after, low, high, None, measure)
    return line if added_ms is None else f"{line} and added {round(added_ms, 1) + 0.0:.1f} ms to p95"


def report_line__took_less_than_nothing_off(n, name, before, after, low, high, added_ms=None, measure="Recall@10"):
    """That keeps the minus where it says "took ... off"; the word says it already."""
    line = report_line(n, name, before, after, low, high, added_ms, measure)
    return line.replace(" and took ", " and took -")


def report_line__nothing_taken_off(n, name, before, after, low, high, added_ms=None, measure="Recall@10"):
    """That says "took 0.0 ms off"; what is rounded to zero reads "added 0.0 ms to p95"."""
    line = report_line(n, name, before, after, low, high, added_ms, measure)
    if added_ms is not None and added_ms < 0:
        return line.replace("and added 0.0 ms to p95", "and took 0.0 ms off p95")
    return line


def report_line__whole_milliseconds(n, name, before, after, low, high, added_ms=None, measure="Recall@10"):
    """That rounds the milliseconds to whole ones; they have one decimal."""
    line = report_line(n, name, before, after, low, high, None, measure)
    if added_ms is None:
        return line
    ms = round(added_ms)
    return line + (f" and took {-ms} ms off p95" if ms < 0 else f" and added {ms} ms to p95")


def report_line__takes_no_questions(n, name, before, after, low, high, added_ms=None, measure="Recall@10"):
    """That reports on no question; an n below 1 must be refused with ValueError."""
    line = report_line(max(n, 1), name, before, after, low, high, added_ms, measure)
    return line.replace("on 1 questions", f"on {n} questions")


def report_line__exchanges_the_ends(n, name, before, after, low, high, added_ms=None, measure="Recall@10"):
    """That sorts the ends of the interval; a low end above the high one must be refused with ValueError."""
    return report_line(n, name, before, after, *sorted([low, high]), added_ms, measure)


def _left(points, beats):
    return sorted(name for name, point in points.items() if not any(beats(other, point) for other in points.values()))


def pareto__better_in_both(points):
    """That lets one beat another only if it is better in both; the same in one and better in the other is enough."""
    return _left(points, lambda one, other: one[0] > other[0] and one[1] < other[1])


def pareto__better_in_one(points):
    """That lets one beat another which is better in one alone; it must be at least as good in both."""
    return _left(points, lambda one, other: one[0] > other[0] or one[1] < other[1])


def pareto__equal_points_beat_each_other(points):
    """That lets equal points beat each other, so that both are gone; one must be better in something."""
    return sorted(name for name, point in points.items() if not any(
        other != name and one[0] >= point[0] and one[1] <= point[1] for other, one in points.items()))


def pareto__everything_is_beaten(points):
    """That lets a point beat itself, so that nothing is left; one must be better in something."""
    return _left(points, lambda one, other: one[0] >= other[0] and one[1] <= other[1])


def pareto__one_of_equal_points(points):
    """That keeps one of equal points; none of them beats the other, and all stay."""
    first = {}
    for name in sorted(points):
        first.setdefault(tuple(points[name]), name)
    return [name for name in pareto(points) if name in first.values()]


def pareto__cost_is_better_the_higher(points):
    """That takes a higher cost for better; a lower one is better."""
    return pareto({name: (quality, -cost) for name, (quality, cost) in points.items()})


def pareto__quality_is_better_the_lower(points):
    """That takes a lower quality for better; a higher one is better."""
    return pareto({name: (-quality, cost) for name, (quality, cost) in points.items()})


def pareto__exchanged(points):
    """That takes the first of the two for the cost; quality is first, cost second."""
    return pareto({name: (second, first) for name, (first, second) in points.items()})


def pareto__the_best_alone(points):
    """That keeps the best quality alone; a cheaper one that nobody beats stays, too."""
    best = max((quality for quality, _ in points.values()), default=0)
    return [name for name in pareto(points) if points[name][0] == best]


def pareto__the_two_ends(points):
    """That keeps the best and the cheapest; what lies between them, and is not beaten, stays, too."""
    best = max((quality for quality, _ in points.values()), default=0)
    least = min((cost for _, cost in points.values()), default=0)
    return [name for name in pareto(points) if points[name][0] == best or points[name][1] == least]


def pareto__quality_for_its_cost(points):
    """That divides quality by cost and keeps the highest; nothing is weighed here, one beats another or does not."""
    worth = {name: quality / cost if cost else float("inf") for name, (quality, cost) in points.items()}
    return sorted(name for name in points if worth[name] == max(worth.values()))


def pareto__as_given(points):
    """That keeps the names in the order given; the alphabetical one is meant."""
    left = pareto(points)
    return [name for name in points if name in left]


def pareto__best_quality_first(points):
    """That sorts by quality; the alphabetical order of the names is meant."""
    return sorted(pareto(points), key=lambda name: (-points[name][0], name))


def pareto__cheapest_first(points):
    """That sorts by cost; the alphabetical order of the names is meant."""
    return sorted(pareto(points), key=lambda name: (points[name][1], name))


def pareto__those_that_are_beaten(points):
    """That returns the names that are beaten; those that are not are meant."""
    return sorted(set(points) - set(pareto(points)))


def pareto__with_their_points(points):
    """That returns names and points; the names alone are meant."""
    return {name: points[name] for name in pareto(points)}


def pareto__nothing_is_refused(points):
    """That refuses no points at all; then nobody is beaten, and nobody is there: []."""
    if not points:
        raise ValueError("points")
    return pareto(points)
