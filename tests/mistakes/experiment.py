"""Common mistakes in the tasks experiment.*, each with the sentence that a learner reads."""

import numpy as np

from firstprinciples.evaluate.experiment import bootstrap_interval, means_by_kind, percentile, pieces_shown


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
