"""Common mistakes in the tasks metrics.*, each with the sentence that a learner reads."""

import math

from firstprinciples.evaluate.metrics import average_precision, dcg_with_base, gains, reciprocal_rank


def gains__doubles_count(ranked, grades, k):
    """That counts an id each time it stands in the list; only its first place earns its grade."""
    return [grades.get(id, 0) for id in ranked[:k]]


def gains__doubles_dropped(ranked, grades, k):
    """That takes a double out, so that what follows moves up; it keeps its place and earns 0."""
    return gains(list(dict.fromkeys(ranked)), grades, k)


def gains__k_ignored(ranked, grades, k):
    """That is the whole list; only the first k places are asked for."""
    return gains(ranked, grades, max(len(ranked), 1))


def gains__yes_or_no(ranked, grades, k):
    """That is 1 for relevant and 0 for not; the grade itself is asked for."""
    return [min(gain, 1) for gain in gains(ranked, grades, k)]


def gains__filled_up(ranked, grades, k):
    """That fills a short list up to k with zeros; return one gain for each place that is there."""
    found = gains(ranked, grades, k)
    return found + [0] * (k - len(found))


def gains__any_k(ranked, grades, k):
    """That takes k = 0; there is no place 0, so a k below 1 is refused with ValueError."""
    return gains(ranked, grades, k) if k > 0 else []


def gains__doubles_count_refused(ranked, grades, k):
    """That earns an id its grade each time it stands in the list; only its first place earns it, then 0."""
    if k < 1:
        raise ValueError("k")
    return [grades.get(id, 0) for id in ranked[:k]]


def gains__not_judged(ranked, grades, k):
    """That looks up the grade of an id that nobody judged; grades.get(id, 0) gives 0 for it."""
    return [grades[id] for id in ranked[:k]]


def gains__not_judged_is_none(ranked, grades, k):
    """That has None for an id that nobody judged; grades.get(id, 0) gives 0 for it."""
    return [grades.get(id) for id in ranked[:k]]


def gains__not_judged_left_out(ranked, grades, k):
    """That leaves out ids that nobody judged, so that what follows moves up; each keeps its place and earns 0."""
    return [grades[id] for id in ranked[:k] if id in grades]


def gains__not_judged_left_out_refused(ranked, grades, k):
    """That leaves out ids that nobody judged, and what follows moves up; each of them keeps its place, with 0."""
    if k < 1:
        raise ValueError("k")
    return [grades[id] for id in ranked[:k] if id in grades]


def gains__beyond_the_end(ranked, grades, k):
    """That goes on to place k where the list is shorter; ranked[:k] stops at its end. An id earns its grade once."""
    return [grades.get(ranked[place], 0) for place in range(k)]


def gains__judged_or_not(ranked, grades, k):
    """That is 1 for each judged id and 0 for others; the grade itself is asked for, once for each id."""
    return [int(id in grades) for id in ranked[:k]]


def gains__whole_list_doubles_count(ranked, grades, k):
    """That is the whole list, and an id earns its grade each time: only the first k places, and each id once."""
    return [grades.get(id, 0) for id in ranked]


def gains__one_place_too_many(ranked, grades, k):
    """That looks at k + 1 places; ranked[:k] keeps the first k."""
    return gains(ranked, grades, k + 1 if k > 0 else k)


def gains__assertion(ranked, grades, k):
    """That refuses with an assertion; raise ValueError for a k below 1."""
    assert k >= 1
    return gains(ranked, grades, k)


def gains__error_returned(ranked, grades, k):
    """That returns the error; write `raise ValueError(...)`."""
    return ValueError("k") if k < 1 else gains(ranked, grades, k)


def recall_at_k__over_k(ranked, grades, k):
    """That divides by k, which is precision, or by how many came back; recall divides by all that are relevant."""
    return sum(gain > 0 for gain in gains(ranked, grades, k)) / k


def recall_at_k__over_k_or_relevant(ranked, grades, k):
    """That divides by the smaller of k and the number of relevant ids; recall divides by all that are relevant."""
    relevant = sum(grade > 0 for grade in grades.values())
    return sum(gain > 0 for gain in gains(ranked, grades, k)) / min(k, relevant) if relevant else 0.0


def recall_at_k__over_judged(ranked, grades, k):
    """That divides by all judged ids; those with grade 0 were judged not relevant."""
    return sum(gain > 0 for gain in gains(ranked, grades, k)) / len(grades)


def recall_at_k__doubles_count(ranked, grades, k):
    """That counts an id each time it stands in the list; the same id found twice is one."""
    relevant = sum(grade > 0 for grade in grades.values())
    return sum(grades.get(id, 0) > 0 for id in ranked[:k]) / relevant if relevant else 0.0


def recall_at_k__no_guard(ranked, grades, k):
    """That divides by zero where nothing is relevant; the answer there is 0."""
    return sum(gain > 0 for gain in gains(ranked, grades, k)) / sum(grade > 0 for grade in grades.values())


def recall_at_k__k_ignored(ranked, grades, k):
    """That looks at the whole list; only the first k places count."""
    relevant = sum(grade > 0 for grade in grades.values())
    return sum(gain > 0 for gain in gains(ranked, grades, max(len(ranked), 1))) / relevant if relevant else 0.0


def recall_at_k__sums_grades(ranked, grades, k):
    """That adds up grades; recall counts ids, whatever their grade."""
    total = sum(grades.values())
    return sum(gains(ranked, grades, k)) / total if total else 0.0


def _any_relevant(ranked, grades, k):
    """How many of the first k places hold a relevant id, doubles counted."""
    return sum(grades.get(id, 0) > 0 for id in ranked[:k])


def recall_at_k__judged_is_relevant(ranked, grades, k):
    """That counts every judged id as relevant; an id with grade 0 was judged not relevant."""
    return len(set(ranked[:k]) & set(grades)) / len(grades)


def recall_at_k__judged_is_relevant_doubles_count(ranked, grades, k):
    """That counts every judged id, also those with grade 0, each time it stands there: only relevant ids, each once."""
    return sum(id in grades for id in ranked[:k]) / len(grades)


def recall_at_k__judged_over_relevant(ranked, grades, k):
    """That counts judged ids with grade 0 as found; only a grade above 0 is relevant, above the line too."""
    relevant = _relevant(grades)
    return len(set(ranked[:k]) & set(grades)) / relevant if relevant else 0.0


def recall_at_k__judged_places_over_relevant(ranked, grades, k):
    """That counts each place with a judged id; count the different ids with a grade above 0."""
    relevant = _relevant(grades)
    return sum(id in grades for id in ranked[:k]) / relevant if relevant else 0.0


def recall_at_k__judged_places_over_relevant_no_guard(ranked, grades, k):
    """That counts each place with a judged id, and divides by zero where nothing is relevant."""
    return sum(id in grades for id in ranked[:k]) / _relevant(grades)


def recall_at_k__judged_over_k(ranked, grades, k):
    """That is the share of judged ids in the first k; recall divides by all relevant ids, and grade 0 is not one."""
    return len(set(ranked[:k]) & set(grades)) / k


def recall_at_k__judged_places_over_k(ranked, grades, k):
    """That is the share of places with a judged id; recall counts relevant ids, each once, and divides by them all."""
    return sum(id in grades for id in ranked[:k]) / k


def recall_at_k__doubles_count_over_k(ranked, grades, k):
    """That divides by k, which is precision, and counts doubles; count each relevant id once, divide by all of them."""
    return _any_relevant(ranked, grades, k) / k


def recall_at_k__doubles_count_no_guard(ranked, grades, k):
    """That counts an id each time it stands there, and divides by zero where nothing is relevant."""
    return _any_relevant(ranked, grades, k) / _relevant(grades)


def recall_at_k__doubles_count_over_judged(ranked, grades, k):
    """That counts doubles and divides by all judged ids; count each relevant id once, divide by the relevant ones."""
    return _any_relevant(ranked, grades, k) / len(grades)


def recall_at_k__over_k_or_relevant_no_guard(ranked, grades, k):
    """That divides by the smaller of k and the number of relevant ids, also by 0; divide by all, if there are any."""
    return sum(gain > 0 for gain in gains(ranked, grades, k)) / min(k, _relevant(grades))


def recall_at_k__k_ignored_no_guard(ranked, grades, k):
    """That looks at the whole list, and divides by zero where nothing is relevant."""
    return sum(gain > 0 for gain in gains(ranked, grades, max(len(ranked), 1))) / _relevant(grades)


def recall_at_k__sums_grades_no_guard(ranked, grades, k):
    """That adds up grades, where recall counts ids, and divides by zero where nothing is relevant."""
    return sum(gains(ranked, grades, k)) / sum(grades.values())


def recall_at_k__sums_grades_over_relevant(ranked, grades, k):
    """That adds up the grades that were found; recall counts the ids: gain > 0, not the gain."""
    relevant = _relevant(grades)
    return sum(gains(ranked, grades, k)) / relevant if relevant else 0.0


def recall_at_k__sums_grades_over_judged(ranked, grades, k):
    """That adds up grades and divides by all judged ids; count the relevant ids, and divide by all of those."""
    return sum(gains(ranked, grades, k)) / len(grades)


def recall_at_k__not_judged(ranked, grades, k):
    """That looks up the grade of an id that nobody judged; grades.get(id, 0) gives 0 for it."""
    relevant = _relevant(grades)
    return sum(grades[id] > 0 for id in ranked[:k]) / relevant if relevant else 0.0


def recall_at_k__not_judged_no_guard(ranked, grades, k):
    """That looks up an id that nobody judged (grades.get(id, 0) gives 0), and nothing relevant divides by zero."""
    return sum(grades[id] > 0 for id in ranked[:k]) / _relevant(grades)


def recall_at_k__over_the_list(ranked, grades, k):
    """That divides by the length of the list; recall divides by all that are relevant."""
    return sum(gain > 0 for gain in gains(ranked, grades, k)) / len(ranked)


def recall_at_k__nothing_relevant_is_one(ranked, grades, k):
    """That gives 1 where nothing is relevant; the answer there is 0."""
    relevant = _relevant(grades)
    return sum(gain > 0 for gain in gains(ranked, grades, k)) / relevant if relevant else 1.0


def recall_at_k__any_found(ranked, grades, k):
    """That asks whether any relevant id was found; recall says which share of them was."""
    return float(_any_relevant(ranked, grades, k) > 0)


def recall_at_k__one_place_too_many(ranked, grades, k):
    """That looks at k + 1 places; ranked[:k] keeps the first k."""
    relevant = _relevant(grades)
    return sum(gain > 0 for gain in gains(ranked, grades, k + 1)) / relevant if relevant else 0.0


def precision_at_k__over_returned(ranked, grades, k):
    """That divides by the number that came back; precision@k divides by k even when fewer came."""
    return sum(gain > 0 for gain in gains(ranked, grades, k)) / min(k, len(ranked))


def precision_at_k__over_relevant(ranked, grades, k):
    """That divides by the number of relevant ids, which is recall; precision divides by k."""
    return sum(gain > 0 for gain in gains(ranked, grades, k)) / sum(grade > 0 for grade in grades.values())


def precision_at_k__doubles_count(ranked, grades, k):
    """That counts an id each time it stands in the list; the same id found twice is one."""
    return sum(grades.get(id, 0) > 0 for id in ranked[:k]) / k


def precision_at_k__judged_is_relevant(ranked, grades, k):
    """That counts every judged id; an id with grade 0 was judged not relevant."""
    return len({id for id in ranked[:k] if id in grades}) / k


def precision_at_k__judged_places(ranked, grades, k):
    """That counts each place with a judged id; grade 0 is not relevant, and the same id found twice is one."""
    return sum(id in grades for id in ranked[:k]) / k


def precision_at_k__judged_over_returned(ranked, grades, k):
    """That counts judged ids, also with grade 0, and divides by the number that came back: only relevant ones, by k."""
    return len(set(ranked[:k]) & set(grades)) / len(ranked[:k])


def precision_at_k__judged_places_over_returned(ranked, grades, k):
    """That counts places with a judged id and divides by the number that came back: relevant ids, each once, by k."""
    return sum(id in grades for id in ranked[:k]) / len(ranked[:k])


def precision_at_k__doubles_count_over_returned(ranked, grades, k):
    """That divides by the number that came back, and counts doubles; divide by k, and count an id once."""
    return _any_relevant(ranked, grades, k) / len(ranked[:k])


def precision_at_k__over_the_list(ranked, grades, k):
    """That divides by the length of the whole list; precision@k divides by k."""
    return sum(gain > 0 for gain in gains(ranked, grades, k)) / len(ranked)


def precision_at_k__over_judged(ranked, grades, k):
    """That divides by all judged ids; precision divides by k."""
    return sum(gain > 0 for gain in gains(ranked, grades, k)) / len(grades)


def precision_at_k__over_k_or_relevant(ranked, grades, k):
    """That divides by the smaller of k and the number of relevant ids; precision divides by k, whatever there is."""
    return sum(gain > 0 for gain in gains(ranked, grades, k)) / min(k, _relevant(grades))


def precision_at_k__over_different(ranked, grades, k):
    """That divides by the number of different ids; precision divides by k, also when fewer came or one came twice."""
    return sum(grades.get(id, 0) > 0 for id in set(ranked[:k])) / len(set(ranked[:k]))


def precision_at_k__sums_grades(ranked, grades, k):
    """That adds up grades; precision counts ids: gain > 0, not the gain."""
    return sum(gains(ranked, grades, k)) / k


def precision_at_k__k_ignored(ranked, grades, k):
    """That looks at the whole list; only the first k places count."""
    return sum(gain > 0 for gain in gains(ranked, grades, max(len(ranked), 1))) / k


def precision_at_k__whole_list(ranked, grades, k):
    """That looks at the whole list and divides by its length; look at the first k places, and divide by k."""
    return sum(gain > 0 for gain in gains(ranked, grades, max(len(ranked), 1))) / len(ranked)


def precision_at_k__not_judged(ranked, grades, k):
    """That looks up the grade of an id that nobody judged; grades.get(id, 0) gives 0 for it."""
    return sum(grades[id] > 0 for id in ranked[:k]) / k


def reciprocal_rank__from_zero(ranked, grades, k=10):
    """That counts ranks from 0: the first place divides by zero, the second counts as the first; ranks start at 1."""
    for rank, gain in enumerate(gains(ranked, grades, k)):
        if gain > 0:
            return 1 / rank
    return 0.0


def reciprocal_rank__best_graded(ranked, grades, k=10):
    """That looks for the id with the best grade; the first that is relevant at all decides."""
    found = gains(ranked, grades, k)
    return 1 / (found.index(max(found)) + 1) if found and max(found) > 0 else 0.0


def reciprocal_rank__sums_all(ranked, grades, k=10):
    """That adds up 1 / rank of every relevant id; only the first counts."""
    return sum((1 / rank for rank, gain in enumerate(gains(ranked, grades, k), 1) if gain > 0), 0.0)


def reciprocal_rank__last(ranked, grades, k=10):
    """That takes the last relevant id; the first one decides."""
    ranks = [rank for rank, gain in enumerate(gains(ranked, grades, k), 1) if gain > 0]
    return 1 / ranks[-1] if ranks else 0.0


def reciprocal_rank__k_ignored(ranked, grades, k=10):
    """That looks below the first k places; what stands lower counts as not found."""
    return reciprocal_rank(ranked, grades, max(len(ranked), 1))


def reciprocal_rank__doubles_dropped(ranked, grades, k=10):
    """That takes doubles out first, so that what follows moves up; each keeps its place."""
    return reciprocal_rank(list(dict.fromkeys(ranked)), grades, k)


def reciprocal_rank__the_rank_itself(ranked, grades, k=10):
    """That is the rank; the reciprocal rank is 1 / rank."""
    value = reciprocal_rank(ranked, grades, k)
    return 1 / value if value else 0.0


def reciprocal_rank__judged_is_relevant(ranked, grades, k=10):
    """That stops at the first judged id; one with grade 0 was judged not relevant."""
    return next((1 / rank for rank, id in enumerate(ranked[:k], 1) if id in grades), 0.0)


def reciprocal_rank__judged_is_relevant_k_ignored(ranked, grades, k=10):
    """That stops at the first judged id, wherever it stands; grade 0 is not relevant, and below k nothing counts."""
    return next((1 / rank for rank, id in enumerate(ranked, 1) if id in grades), 0.0)


def reciprocal_rank__nothing_returned(ranked, grades, k=10):
    """That returns nothing where no relevant id was found; after the loop, return 0.0."""
    return reciprocal_rank(ranked, grades, k) or None


def reciprocal_rank__first_place_only(ranked, grades, k=10):
    """That looks at the first place only: `return 0.0` belongs after the loop, not inside."""
    return 1.0 if gains(ranked, grades, k)[:1] > [0] else 0.0 if ranked else None


def reciprocal_rank__decided_at_the_first(ranked, grades, k=10):
    """That decides at the first place already; go on with the loop until a relevant id comes."""
    return 1.0 if gains(ranked, grades, k)[:1] > [0] else 0.0


def reciprocal_rank__not_judged(ranked, grades, k=10):
    """That looks up the grade of an id that nobody judged; grades.get(id, 0) gives 0 for it."""
    return next((1 / rank for rank, id in enumerate(ranked[:k], 1) if grades[id] > 0), 0.0)


def reciprocal_rank__times_grade(ranked, grades, k=10):
    """That multiplies by the grade; only where it stands counts, 1 / rank."""
    return next((gain / rank for rank, gain in enumerate(gains(ranked, grades, k), 1) if gain > 0), 0.0)


def reciprocal_rank__in_order_of_the_judgments(ranked, grades, k=10):
    """That goes through the judged ids and takes the first that was found; go through the list, from the top."""
    return next((1 / (ranked.index(id) + 1) for id, grade in grades.items() if grade > 0 and id in ranked[:k]), 0.0)


def reciprocal_rank__best_graded_missing(ranked, grades, k=10):
    """That looks for the id with the best grade, and fails where it is not there; the first relevant id counts."""
    return 1 / (ranked[:k].index(max(grades, key=grades.get)) + 1)


def reciprocal_rank__one_too_late(ranked, grades, k=10):
    """That adds 1 to the rank twice; the first place has rank 1, and so 1 / 1."""
    return next((1 / (rank + 1) for rank, gain in enumerate(gains(ranked, grades, k), 1) if gain > 0), 0.0)


def dcg__discount_off_by_one(values):
    """That divides by log2(rank) from the second place on; the formula has log2(1 + rank)."""
    return sum((value / (math.log2(rank) if rank > 1 else 1) for rank, value in enumerate(values, 1)), 0.0)


def dcg__discount_too_late(values):
    """That divides by log2(2 + rank): ranks count from 1, so the first place divides by log2(2), which is 1."""
    return sum((value / math.log2(2 + rank) for rank, value in enumerate(values, 1)), 0.0)


def dcg__natural_logarithm(values):
    """That uses the natural logarithm; the formula has base 2, math.log2."""
    return sum((value / math.log(1 + rank) for rank, value in enumerate(values, 1)), 0.0)


def dcg__no_discount(values):
    """That adds the gains without a discount: the last place would count as much as the first."""
    return float(sum(values))


def dcg__over_rank(values):
    """That divides by the rank; the discount is log2(1 + rank), which falls more slowly."""
    return sum((value / rank for rank, value in enumerate(values, 1)), 0.0)


def dcg__division_by_zero(values):
    """That divides by 0 at the first place; ranks start at 1, and log2(1 + rank) is 1 there."""
    return sum((value / math.log2(rank) for rank, value in enumerate(values, 1)), 0.0)


def dcg__logarithm_of_zero(values):
    """That takes the logarithm of 0 at the first place; ranks start at 1, and log2(1 + rank) is 1 there."""
    return sum((value / math.log2(rank) for rank, value in enumerate(values)), 0.0)


def dcg__logarithm_base_ten(values):
    """That is the logarithm to base 10; the formula has base 2, math.log2."""
    return sum((value / math.log10(1 + rank) for rank, value in enumerate(values, 1)), 0.0)


def dcg__one_outside(values):
    """That adds the 1 after the logarithm; it belongs inside: log2(1 + rank)."""
    return sum((value / (1 + math.log2(rank)) for rank, value in enumerate(values, 1)), 0.0)


def dcg__exponential(values):
    """That takes 2**value - 1 for the gain; the values are the gains already."""
    return sum(((2**value - 1) / math.log2(1 + rank) for rank, value in enumerate(values, 1)), 0.0)


def dcg__multiplied(values):
    """That multiplies by the logarithm, so that what stands lower counts more; divide by it."""
    return sum((value * math.log2(1 + rank) for rank, value in enumerate(values, 1)), 0.0)


def dcg__sorted(values):
    """That sorts the gains first, which gives the best possible DCG; take them in the order in which they stand."""
    return _dcg(sorted(values, reverse=True))


def dcg__mean(values):
    """That divides by the number of places; DCG is the sum."""
    return _dcg(values) / len(values)


def dcg__not_added_up(values):
    """That is what each place adds; add them up."""
    return [value / math.log2(1 + rank) for rank, value in enumerate(values, 1)]


def dcg__first_place_of_the_value(values):
    """That looks a place up by its gain, so that equal gains all get the first one's place; count places instead."""
    return sum((value / math.log2(2 + values.index(value)) for value in values), 0.0)


def _dcg(values):
    return sum((value / math.log2(1 + rank) for rank, value in enumerate(values, 1)), 0.0)


def _judged(grades):
    return sorted((grade for grade in grades.values() if grade > 0), reverse=True)


def _gain(values, exponential):
    return [2**value - 1 for value in values] if exponential else values


def ndcg_at_k__ideal_from_retrieved(ranked, grades, k=10, exponential=False):
    """That takes the best order of what was found for the ideal; what was not found belongs to it too."""
    found = _gain(gains(ranked, grades, k), exponential)
    best = _dcg(sorted(found, reverse=True))
    return _dcg(found) / best if best else 0.0


def ndcg_at_k__ideal_not_cut(ranked, grades, k=10, exponential=False):
    """That lets the ideal list go past k; no list of k places can reach that, so cut it at k too."""
    found, best = _gain(gains(ranked, grades, k), exponential), _dcg(_gain(_judged(grades), exponential))
    return _dcg(found) / best if best else 0.0


def ndcg_at_k__ideal_as_short_as_the_list(ranked, grades, k=10, exponential=False):
    """That cuts the ideal at the length of the list; cut it at k, so that a short list can't look perfect."""
    found, best = gains(ranked, grades, k), _judged(grades)[: min(k, len(ranked))]
    best = _dcg(_gain(best, exponential))
    return _dcg(_gain(found, exponential)) / best if best else 0.0


def ndcg_at_k__not_normalized(ranked, grades, k=10, exponential=False):
    """That is DCG; divide it by the DCG of the best possible list."""
    return _dcg(_gain(gains(ranked, grades, k), exponential))


def ndcg_at_k__always_exponential(ranked, grades, k=10, exponential=False):
    """That always uses 2**grade - 1; the grade itself is the gain unless exponential is asked for."""
    found, best = _gain(gains(ranked, grades, k), True), _dcg(_gain(_judged(grades)[:k], True))
    return _dcg(found) / best if best else 0.0


def ndcg_at_k__never_exponential(ranked, grades, k=10, exponential=False):
    """That leaves `exponential` out: with it, the gain is 2**grade - 1, for the list and for the ideal."""
    found, best = gains(ranked, grades, k), _dcg(_judged(grades)[:k])
    return _dcg(found) / best if best else 0.0


def ndcg_at_k__doubles_count(ranked, grades, k=10, exponential=False):
    """That counts an id each time it stands in the list; only its first place earns its grade."""
    found = _gain([grades.get(id, 0) for id in ranked[:k]], exponential)
    best = _dcg(_gain(_judged(grades)[:k], exponential))
    return _dcg(found) / best if best else 0.0


def ndcg_at_k__ideal_not_sorted(ranked, grades, k=10, exponential=False):
    """That takes the judgments in the order in which they were written; the ideal has the best grade first."""
    found = _gain(gains(ranked, grades, k), exponential)
    best = _dcg(_gain([grade for grade in grades.values() if grade > 0][:k], exponential))
    return _dcg(found) / best if best else 0.0


def _ratio(found, best):
    return _dcg(found) / _dcg(best)


def ndcg_at_k__ideal_from_retrieved_no_guard(ranked, grades, k=10, exponential=False):
    """That takes the best order of what was found for the ideal, and divides by zero where nothing was found."""
    found = _gain(gains(ranked, grades, k), exponential)
    return _ratio(found, sorted(found, reverse=True))


def ndcg_at_k__ideal_from_retrieved_linear(ranked, grades, k=10, exponential=False):
    """That takes the best order of what was found for the ideal, and leaves `exponential` out."""
    found = gains(ranked, grades, k)
    return _ratio(found, sorted(found, reverse=True)) if any(found) else 0.0


def ndcg_at_k__ideal_from_retrieved_linear_no_guard(ranked, grades, k=10, exponential=False):
    """That makes the ideal from what was found, leaves `exponential` out, and divides by zero where that is nothing."""
    found = gains(ranked, grades, k)
    return _ratio(found, sorted(found, reverse=True))


def ndcg_at_k__ideal_from_retrieved_doubles_count(ranked, grades, k=10, exponential=False):
    """That makes the ideal from what was found, doubles and all; it comes from all judged ids, and each counts once."""
    found = _gain([grades.get(id, 0) for id in ranked[:k]], exponential)
    return _ratio(found, sorted(found, reverse=True)) if any(found) else 0.0


def ndcg_at_k__no_guard(ranked, grades, k=10, exponential=False):
    """That divides by zero where nothing is relevant; the answer there is 0."""
    return _ratio(_gain(gains(ranked, grades, k), exponential), _gain(_judged(grades)[:k], exponential))


def ndcg_at_k__never_exponential_no_guard(ranked, grades, k=10, exponential=False):
    """That leaves `exponential` out, and divides by zero where nothing is relevant."""
    return _ratio(gains(ranked, grades, k), _judged(grades)[:k])


def ndcg_at_k__ideal_not_exponential(ranked, grades, k=10, exponential=False):
    """That has 2**grade - 1 for the list but not for the ideal; both need it."""
    found, best = _gain(gains(ranked, grades, k), exponential), _judged(grades)[:k]
    return _ratio(found, best) if best else 0.0


def ndcg_at_k__power_of_two(ranked, grades, k=10, exponential=False):
    """That has another power than 2**grade - 1: the 1 is taken away afterwards, so that grade 0 earns nothing."""
    found, best = gains(ranked, grades, k), sorted(grades.values(), reverse=True)[:k]
    if exponential:
        found, best = [2**grade for grade in found], [2**grade for grade in best]
    return _ratio(found, best) if any(best) else 0.0


def ndcg_at_k__ideal_not_cut_no_guard(ranked, grades, k=10, exponential=False):
    """That lets the ideal list go past k, and divides by zero where nothing is relevant."""
    return _ratio(_gain(gains(ranked, grades, k), exponential), _gain(_judged(grades), exponential))


def ndcg_at_k__ideal_not_cut_linear(ranked, grades, k=10, exponential=False):
    """That lets the ideal list go past k, and leaves `exponential` out."""
    return _ratio(gains(ranked, grades, k), _judged(grades)) if any(_judged(grades)) else 0.0


def ndcg_at_k__ideal_not_cut_linear_no_guard(ranked, grades, k=10, exponential=False):
    """That lets the ideal go past k, leaves `exponential` out, and divides by zero where nothing is relevant."""
    return _ratio(gains(ranked, grades, k), _judged(grades))


def ndcg_at_k__ideal_worst_first(ranked, grades, k=10, exponential=False):
    """That sorts the ideal with the lowest grade first; the best grade comes first (reverse=True)."""
    found, best = gains(ranked, grades, k), sorted(grades.values())[:k]
    return _ratio(_gain(found, exponential), _gain(best, exponential)) if any(best) else 0.0


def ndcg_at_k__not_normalized_linear(ranked, grades, k=10, exponential=False):
    """That is DCG of the grades; divide it by the DCG of the best possible list, and look at `exponential`."""
    return _dcg(gains(ranked, grades, k))


def ndcg_at_k__upside_down(ranked, grades, k=10, exponential=False):
    """That is the fraction upside down; divide the DCG of the list by the best possible one."""
    found, best = gains(ranked, grades, k), _judged(grades)[:k]
    return _ratio(_gain(best, exponential), _gain(found, exponential)) if any(found) else 0.0


def ndcg_at_k__k_ignored(ranked, grades, k=10, exponential=False):
    """That looks at the whole list and the whole ideal; cut both at k."""
    found, best = gains(ranked, grades, max(len(ranked), 1)), _judged(grades)
    return _ratio(_gain(found, exponential), _gain(best, exponential)) if best else 0.0


def mean_reciprocal_rank__misses_left_out(run, qrels, k=10):
    """That leaves out the queries that found nothing; they score 0 and stay in the mean."""
    values = [reciprocal_rank(run.get(query, []), grades, k) for query, grades in qrels.items()]
    values = [value for value in values if value > 0]
    return sum(values) / len(values) if values else 0.0


def mean_reciprocal_rank__only_queries_run(run, qrels, k=10):
    """That leaves out judged queries that are missing from the run; they score 0 and stay in the mean."""
    values = [reciprocal_rank(run[query], grades, k) for query, grades in qrels.items()
              if query in run and any(grade > 0 for grade in grades.values())]
    return sum(values) / len(values) if values else 0.0


def mean_reciprocal_rank__nothing_to_find_counts(run, qrels, k=10):
    """That counts queries for which nothing is relevant as 0; no search can answer them, so they are left out."""
    values = [reciprocal_rank(run.get(query, []), grades, k) for query, grades in qrels.items()]
    return sum(values) / len(values) if values else 0.0


def mean_reciprocal_rank__over_the_run(run, qrels, k=10):
    """That divides by the number of queries that were run; divide by the judged queries that have something to find."""
    values = [reciprocal_rank(ranked, qrels.get(query, {}), k) for query, ranked in run.items()]
    return sum(values) / len(values) if values else 0.0


def mean_reciprocal_rank__sum(run, qrels, k=10):
    """That is the sum over the queries; divide by how many they are."""
    return sum((reciprocal_rank(run.get(query, []), grades, k) for query, grades in qrels.items()), 0.0)


def mean_reciprocal_rank__k_ignored(run, qrels, k=10):
    """That ignores k: look at the first k places of each list."""
    values = [reciprocal_rank(run.get(query, []), grades, 1000) for query, grades in qrels.items()
              if any(grade > 0 for grade in grades.values())]
    return sum(values) / len(values) if values else 0.0


def _of_queries(run, queries, qrels, k=10):
    return [reciprocal_rank(run[query], qrels[query], k) for query in queries]


def mean_reciprocal_rank__over_the_run_not_judged(run, qrels, k=10):
    """That goes through the queries of the run, also those that nobody judged; go through the judged ones."""
    return sum(_of_queries(run, run, qrels, k)) / len(run)


def mean_reciprocal_rank__over_run_and_judged(run, qrels, k=10):
    """That takes only queries that are in both; one missing from the run scores 0, one with nothing to find is out."""
    values = _of_queries(run, [query for query in qrels if query in run], qrels, k)
    return sum(values) / len(values) if values else 0.0


def mean_reciprocal_rank__over_run_and_judged_no_guard(run, qrels, k=10):
    """That takes only queries that are in both, also when there are none; one missing from the run scores 0."""
    values = _of_queries(run, [query for query in qrels if query in run], qrels, k)
    return sum(values) / len(values)


def mean_reciprocal_rank__no_guard(run, qrels, k=10):
    """That divides by zero where no query is left; the answer there is 0."""
    values = [reciprocal_rank(run.get(query, []), grades, k) for query, grades in qrels.items() if _relevant(grades)]
    return sum(values) / len(values)


def mean_reciprocal_rank__missing_from_the_run(run, qrels, k=10):
    """That looks up a judged query that is missing from the run; run.get(query, []) gives an empty list for it."""
    values = _of_queries(run, [query for query, grades in qrels.items() if _relevant(grades)], qrels, k)
    return sum(values) / len(values) if values else 0.0


def mean_reciprocal_rank__missing_from_the_run_no_guard(run, qrels, k=10):
    """That looks up a judged query that is missing from the run, and divides by zero where no query is left."""
    values = _of_queries(run, [query for query, grades in qrels.items() if _relevant(grades)], qrels, k)
    return sum(values) / len(values)


def mean_reciprocal_rank__missing_and_nothing_to_find(run, qrels, k=10):
    """That looks up a query that is missing from the run, and counts those with nothing to find: 0, and left out."""
    return sum(_of_queries(run, qrels, qrels, k)) / len(qrels)


def mean_reciprocal_rank__nothing_to_find_counts_k_ignored(run, qrels, k=10):
    """That counts queries with nothing to find, and ignores k; leave them out, and hand k on."""
    return sum(reciprocal_rank(run.get(query, []), grades) for query, grades in qrels.items()) / len(qrels)


def _based(values, base, discount):
    if base <= 1:
        raise ValueError("base")
    return sum((value / discount(rank) for rank, value in enumerate(values, 1)), 0.0)


def dcg_with_base__one_more(values, base=2):
    """That divides by the logarithm of 1 + rank, the later form; the original takes that of the rank itself."""
    return _based(values, base, lambda rank: max(math.log(1 + rank, base), 1))


def dcg_with_base__base_ignored(values, base=2):
    """That always takes base 2; the base says how many ranks count in full."""
    return _based(values, base, lambda rank: max(math.log2(rank), 1))


def dcg_with_base__natural_logarithm(values, base=2):
    """That takes the natural logarithm; divide it by the logarithm of the base."""
    return _based(values, base, lambda rank: math.log(rank) if rank >= base else 1)


def dcg_with_base__only_the_first_in_full(values, base=2):
    """That spares only the first; a logarithm below 1 would raise gains, so all ranks below base count in full."""
    return _based(values, base, lambda rank: math.log(rank, base) if rank > 1 else 1)


def dcg_with_base__no_discount(values, base=2):
    """That leaves the discount out: from rank base on, a gain is divided by the logarithm of its rank."""
    return _based(values, base, lambda rank: 1)


def dcg_with_base__over_rank(values, base=2):
    """That divides by the rank; the discount is the logarithm of the rank, which grows more slowly."""
    return _based(values, base, lambda rank: rank if rank >= base else 1)


def dcg_with_base__any_base(values, base=2):
    """That takes any base; for a base of 1 or less no logarithm grows with the rank, so refuse it with ValueError."""
    return dcg_with_base(values, base) if base > 1 else float(sum(values))


def _below_base(values, base, discount):
    """The sum with values below rank `base` in full; any base is taken."""
    return sum((value if rank < base else value / discount(rank) for rank, value in enumerate(values, 1)), 0.0)


def dcg_with_base__first_rank_divides_by_zero(values, base=2):
    """That divides by the logarithm of 1, which is 0, at the first rank; ranks below base count in full."""
    if base <= 1:
        raise ValueError("base")
    return sum((value / math.log(rank, base) for rank, value in enumerate(values, 1)), 0.0)


def dcg_with_base__first_rank_divides_by_zero_any_base(values, base=2):
    """That divides by the logarithm of 1 at the first rank, and takes any base; refuse one of 1 or less, ValueError."""
    return sum((value / math.log(rank, base) for rank, value in enumerate(values, 1)), 0.0)


def dcg_with_base__base_not_refused(values, base=2):
    """That divides by the logarithm of a base of 1, which is 0; refuse a base of 1 or less with ValueError first."""
    return _below_base(values, base, lambda rank: math.log(rank, base))


def dcg_with_base__one_more_below(values, base=2):
    """That has the later form, log(1 + rank), for all ranks; the original has log(rank), and full gains below base."""
    return _based(values, base, lambda rank: math.log(1 + rank, base))


def dcg_with_base__one_more_any_base(values, base=2):
    """That divides by the logarithm of 1 + rank, not of the rank, and takes a base of 1; refuse it with ValueError."""
    return _below_base(values, base, lambda rank: math.log(1 + rank, base))


def dcg_with_base__base_two_logarithm(values, base=2):
    """That has the logarithm to base 2 from rank base on; take the logarithm to that base."""
    return _based(values, base, lambda rank: math.log2(rank) if rank >= base else 1)


def dcg_with_base__base_two_logarithm_any_base(values, base=2):
    """That has the logarithm to base 2 whatever the base, and takes a base of 1; refuse it with ValueError."""
    return _below_base(values, base, math.log2)


def dcg_with_base__natural_logarithm_any_base(values, base=2):
    """That takes the natural logarithm, not that to the base, and takes a base of 1; refuse it with ValueError."""
    return _below_base(values, base, math.log)


def dcg_with_base__ranks_from_zero(values, base=2):
    """That counts ranks from 0, so that one place too many counts in full; ranks start at 1."""
    return _based(values, base, lambda rank: math.log(rank - 1, base) if rank - 1 >= base else 1)


def dcg_with_base__ranks_from_zero_any_base(values, base=2):
    """That counts ranks from 0, and takes a base of 1; ranks start at 1, and such a base is refused with ValueError."""
    return sum((value if rank < base else value / math.log(rank, base) for rank, value in enumerate(values)), 0.0)


def dcg_with_base__logarithm_upside_down(values, base=2):
    """That is math.log(base, rank); the number comes first and the base second: math.log(rank, base)."""
    return _based(values, base, lambda rank: math.log(base, rank) if rank >= base else 1)


def dcg_with_base__only_the_first_in_full_any_base(values, base=2):
    """That spares only the first, and takes any base; all ranks below base count in full, and base is above 1."""
    return sum((value / math.log(rank, base) if rank > 1 else value for rank, value in enumerate(values, 1)), 0.0)


def _precisions(ranked, grades, k):
    hits = [gain > 0 for gain in gains(ranked, grades, k)]
    return [sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit]


def _relevant(grades):
    return sum(grade > 0 for grade in grades.values())


def average_precision__over_found(ranked, grades, k=1000):
    """That divides by the number found, so finding less can look better; divide by all that are relevant."""
    found = _precisions(ranked, grades, k)
    return sum(found) / len(found) if found else 0.0


def average_precision__over_k_or_relevant(ranked, grades, k=1000):
    """That divides by the smaller of k and the number of relevant ids; divide by all that are relevant."""
    return sum(_precisions(ranked, grades, k)) / min(k, _relevant(grades)) if _relevant(grades) else 0.0


def average_precision__every_place(ranked, grades, k=1000):
    """That averages the precision at every place; only the ranks at which a relevant id stands count."""
    hits = [gain > 0 for gain in gains(ranked, grades, k)]
    return sum(sum(hits[:rank]) / rank for rank in range(1, len(hits) + 1)) / len(hits) if hits else 0.0


def average_precision__no_guard(ranked, grades, k=1000):
    """That divides by zero where nothing is relevant; the answer there is 0."""
    return sum(_precisions(ranked, grades, k)) / _relevant(grades)


def average_precision__k_ignored(ranked, grades, k=1000):
    """That looks below the first k places; what stands lower adds 0."""
    return average_precision(ranked, grades, max(len(ranked), 1))


def average_precision__mean_of_reciprocal_ranks(ranked, grades, k=1000):
    """That adds up 1 / rank of each relevant id; the precision there is how many were found so far, over the rank."""
    hits = [1 / rank for rank, gain in enumerate(gains(ranked, grades, k), 1) if gain > 0]
    return sum(hits) / _relevant(grades) if _relevant(grades) else 0.0


def average_precision__weighted_by_grade(ranked, grades, k=1000):
    """That adds up grades; average precision only knows relevant or not."""
    values = gains(ranked, grades, k)
    total = sum(sum(values[:rank]) / rank for rank, gain in enumerate(values, 1) if gain > 0)
    return total / _relevant(grades) if _relevant(grades) else 0.0


def average_precision__doubles_count(ranked, grades, k=1000):
    """That counts an id each time it stands in the list; only its first place counts."""
    hits = [grades.get(id, 0) > 0 for id in ranked[:k]]
    total = sum(sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit)
    return total / _relevant(grades) if _relevant(grades) else 0.0


def average_precision__over_judged(ranked, grades, k=1000):
    """That divides by all judged ids; those with grade 0 were judged not relevant."""
    return sum(_precisions(ranked, grades, k)) / len(grades)


def _doubled(ranked, grades, k):
    """The precision at each place that holds a relevant id, doubles counted."""
    hits = [grades.get(id, 0) > 0 for id in ranked[:k]]
    return [sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit]


def _judged_precisions(ranked, grades, k):
    hits = [id in grades for id in ranked[:k]]
    return [sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit]


def average_precision__over_found_no_guard(ranked, grades, k=1000):
    """That divides by the number found, also by 0; divide by all that are relevant, and give 0 where nothing is."""
    found = _precisions(ranked, grades, k)
    return sum(found) / len(found)


def average_precision__over_found_doubles_count(ranked, grades, k=1000):
    """That divides by the number of hits, and counts doubles; divide by all that are relevant, and count an id once."""
    found = _doubled(ranked, grades, k)
    return sum(found) / len(found) if found else 0.0


def average_precision__over_found_doubles_count_no_guard(ranked, grades, k=1000):
    """That divides by the number of hits, also by 0, and counts doubles; divide by all relevant ids, each once."""
    found = _doubled(ranked, grades, k)
    return sum(found) / len(found)


def average_precision__doubles_count_no_guard(ranked, grades, k=1000):
    """That counts an id each time it stands in the list, and divides by zero where nothing is relevant."""
    return sum(_doubled(ranked, grades, k)) / _relevant(grades)


def average_precision__over_judged_doubles_count(ranked, grades, k=1000):
    """That divides by all judged ids, and counts doubles; grade 0 is not relevant, and an id counts once."""
    return sum(_doubled(ranked, grades, k)) / len(grades)


def average_precision__judged_is_relevant(ranked, grades, k=1000):
    """That takes every judged id for relevant; those with grade 0 were judged not relevant."""
    return sum(_judged_precisions(ranked, grades, k)) / len(grades)


def average_precision__judged_is_relevant_over_found(ranked, grades, k=1000):
    """That takes every judged id for relevant and divides by those found: only grades above 0, and all of them."""
    found = _judged_precisions(ranked, grades, k)
    return sum(found) / len(found) if found else 0.0


def average_precision__precision_at_doubles(ranked, grades, k=1000):
    """That adds the precision at a double once more; only the first place of an id adds something."""
    hits = [gain > 0 for gain in gains(ranked, grades, k)]
    total = sum(sum(hits[:rank]) / rank for rank, id in enumerate(ranked[:k], 1) if grades.get(id, 0) > 0)
    return total / _relevant(grades) if _relevant(grades) else 0.0


def average_precision__precision_at_doubles_no_guard(ranked, grades, k=1000):
    """That adds the precision at a double once more, and divides by zero where nothing is relevant."""
    hits = [gain > 0 for gain in gains(ranked, grades, k)]
    total = sum(sum(hits[:rank]) / rank for rank, id in enumerate(ranked[:k], 1) if grades.get(id, 0) > 0)
    return total / _relevant(grades)


def average_precision__over_k(ranked, grades, k=1000):
    """That divides by k; divide by all that are relevant."""
    return sum(_precisions(ranked, grades, k)) / k


def average_precision__over_the_list(ranked, grades, k=1000):
    """That divides by the length of the list; divide by all that are relevant."""
    return sum(_precisions(ranked, grades, k)) / len(ranked)


def average_precision__over_k_or_relevant_no_guard(ranked, grades, k=1000):
    """That divides by the smaller of k and the number of relevant ids, also by 0; divide by all, if there are any."""
    return sum(_precisions(ranked, grades, k)) / min(k, _relevant(grades))


def average_precision__ranks_from_zero(ranked, grades, k=1000):
    """That counts ranks from 0: the first place divides by zero, the second counts as the first; ranks start at 1."""
    places = [place for place, gain in enumerate(gains(ranked, grades, k)) if gain > 0]
    total = sum(number / place for number, place in enumerate(places, 1))
    return total / _relevant(grades) if _relevant(grades) else 0.0


def average_precision__hit_counted_too_late(ranked, grades, k=1000):
    """That counts a hit after it was used, so that each rank lacks its own; count it first."""
    ranks = [rank for rank, gain in enumerate(gains(ranked, grades, k), 1) if gain > 0]
    total = sum(before / rank for before, rank in enumerate(ranks))
    return total / _relevant(grades) if _relevant(grades) else 0.0


def average_precision__sum(ranked, grades, k=1000):
    """That is the sum; divide by the number of all that are relevant."""
    return sum(_precisions(ranked, grades, k), 0.0)


def rank_by_score__worst_first(scores):
    """That puts the lowest score first; higher is better."""
    return sorted(scores, key=lambda id: (scores[id], id))


def rank_by_score__ties_as_given(scores):
    """That leaves equal scores in the order of the dict, which changes with the collection; order them by id."""
    return sorted(scores, key=lambda id: -scores[id])


def rank_by_score__ties_descending(scores):
    """That orders equal scores by id from the last to the first: sorting both in reverse turns the ids around too."""
    return sorted(scores, key=lambda id: (scores[id], id), reverse=True)


def rank_by_score__ids_as_numbers(scores):
    """That compares ids as numbers where they look like some; ids are strings, so "10" comes before "9"."""
    return sorted(scores, key=lambda id: (-scores[id], not id.isdecimal(), int(id) if id.isdecimal() else 0, id))


def rank_by_score__pairs(scores):
    """That returns pairs with the scores; the ids alone are asked for."""
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))


def rank_by_score__rounded(scores):
    """That rounds scores before it compares them; scores that differ by little are still no tie."""
    return sorted(scores, key=lambda id: (-round(scores[id], 4), id))


def rank_by_score__by_id_only(scores):
    """That orders the ids by themselves; the score comes first, and the id only where scores are equal."""
    return sorted(scores)


def rank_by_score__capitals_alike(scores):
    """That takes small and capital letters for the same; ids are compared as the strings they are."""
    return sorted(scores, key=lambda id: (-scores[id], id.lower(), id))


def rank_by_score__worst_first_ties_as_given(scores):
    """That puts the lowest score first, and leaves equal ones as given; higher is better, and ties go by id."""
    return sorted(scores, key=lambda id: scores[id])


def rank_by_score__pairs_of_minus_score(scores):
    """That returns pairs with the negative score; the ids alone are asked for."""
    return sorted((-score, id) for id, score in scores.items())


def rank_by_score__pairs_ties_as_given(scores):
    """That returns pairs with the scores, and leaves equal ones as given; the ids alone are asked for, ties by id."""
    return sorted(scores.items(), key=lambda pair: -pair[1])


def rank_by_score__pairs_worst_first(scores):
    """That returns pairs, the lowest score first; the ids alone are asked for, the highest score first."""
    return sorted(scores.items(), key=lambda pair: pair[1])


def rank_by_score__as_given(scores):
    """That leaves the ids in the order in which they were given; sort them by their scores."""
    return list(scores)


def rank_by_score__scores(scores):
    """That returns the scores; the ids are asked for."""
    return sorted(scores.values(), reverse=True)


def rank_by_score__dict(scores):
    """That returns a dict; a list of ids is asked for."""
    return {id: scores[id] for id in sorted(scores, key=lambda id: (-scores[id], id))}


def rank_by_score__ids_are_no_numbers(scores):
    """That makes numbers of the ids, which fails for "b"; ids are compared as the strings they are."""
    return sorted(scores, key=lambda id: (-scores[id], int(id)))


def rank_by_score__short_ids_first(scores):
    """That puts short ids first among equals; ids are compared as strings, so "10" comes before "9"."""
    return sorted(scores, key=lambda id: (-scores[id], len(id), id))
