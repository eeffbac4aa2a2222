"""Common mistakes in the tasks fusion.*, each with the sentence that a learner reads."""

import numpy as np

from firstprinciples.rank.fusion import min_max, reciprocal_rank, reciprocal_rank_fusion, votes, weighted_fusion


def _sorted(totals):
    return sorted(totals.items(), key=lambda pair: (-pair[1], pair[0]))


def _checked(lists):
    reciprocal_rank_fusion(lists)  # raises for ids that are no strings


def reciprocal_rank__from_zero(rank, k=60):
    """That counts ranks from 0; the first place has rank 1, so its share is 1 / (k + 1)."""
    reciprocal_rank(rank, k)
    return 1 / (k + rank - 1)


def reciprocal_rank__one_too_many(rank, k=60):
    """That adds 1 to a rank which already counts from 1."""
    reciprocal_rank(rank, k)
    return 1 / (k + rank + 1)


def reciprocal_rank__k_ignored(rank, k=60):
    """That leaves k out: 1 / rank instead of 1 / (k + rank)."""
    reciprocal_rank(rank, k)
    return 1 / rank


def reciprocal_rank__always_60(rank, k=60):
    """That has the number 60 in it where the argument k belongs."""
    reciprocal_rank(rank, k)
    return 1 / (60 + rank)


def reciprocal_rank__k_on_top(rank, k=60):
    """That puts k above the line, too: k / (k + rank). Above it stands a 1."""
    reciprocal_rank(rank, k)
    return k / (k + rank)


def reciprocal_rank__two_fractions(rank, k=60):
    """That reads 1 / k + rank: without parentheses the rank is added after the division."""
    reciprocal_rank(rank, k)
    return 1 / k + rank if k else float(rank)


def reciprocal_rank__whole_number(rank, k=60):
    """That divides with //, which throws away what is behind the point, so that nothing is left."""
    reciprocal_rank(rank, k)
    return 1 // (k + rank)


def reciprocal_rank__rank_0_accepted(rank, k=60):
    """That gives a number for a rank below 1 as if there were such a place."""
    if rank < 1 and k >= 0:
        return 1 / (k + rank)
    return reciprocal_rank(rank, k)


def reciprocal_rank__negative_k_accepted(rank, k=60):
    """That takes a k below 0, which makes places worth more than they can be, or divides by 0."""
    return reciprocal_rank(rank, k) if k >= 0 or rank < 1 else 1 / (k + rank)


def votes__from_zero(lists, id, k=60):
    """That counts ranks from 0, as `index` does; the first place has rank 1."""
    return [1 / (k + ids.index(id)) if id in ids else 0.0 for ids in lists]


def votes__a_last_rank(lists, id, k=60):
    """That gives a missing document the rank after the last; it gets nothing from a list that does not hold it."""
    return [vote or 1 / (k + len(ids) + 1) for vote, ids in zip(votes(lists, id, k), lists, strict=True)]


def votes__k_ignored(lists, id, k=60):
    """That leaves k out: 1 / rank instead of 1 / (k + rank)."""
    return votes(lists, id, 0)


def votes__always_60(lists, id, k=60):
    """That has the number 60 in it where the argument k belongs."""
    return votes(lists, id, 60)


def votes__missing_left_out(lists, id, k=60):
    """That leaves out the lists that do not hold the document, so that nobody knows whose vote is whose."""
    return [vote for vote in votes(lists, id, k) if vote]


def votes__worst_place(lists, id, k=60):
    """That takes the last place of an id that stands twice; its best one counts."""
    return [1 / (k + max(rank for rank, other in enumerate(ids, 1) if other == id)) if id in ids else 0.0
            for ids in lists]


def votes__every_place(lists, id, k=60):
    """That adds up all places of an id that stands twice; it votes once, at its best place."""
    return [sum(1 / (k + rank) for rank, other in enumerate(ids, 1) if other == id) for ids in lists]


def votes__closed_up(lists, id, k=60):
    """That takes repeats out of the list first, so that what stands below moves up; each keeps its place."""
    return votes([list(dict.fromkeys(ids)) for ids in lists], id, k)


def votes__not_looked_for(lists, id, k=60):
    """That asks every list for the place of the id; a list that does not hold it gives 0.0."""
    return [1 / (k + ids.index(id) + 1) for ids in lists]


def votes__part_of_an_id(lists, id, k=60):
    """That takes an id for found where it is part of another; only the whole id counts."""
    return [next((1 / (k + rank) for rank, other in enumerate(ids, 1) if id in other), 0.0) for ids in lists]


def votes__one_sum(lists, id, k=60):
    """That adds the votes up; asked is one number for each list."""
    return sum(votes(lists, id, k))


def votes__ranks(lists, id, k=60):
    """That gives the ranks themselves; a vote is 1 / (k + rank)."""
    return [float(ids.index(id) + 1) if id in ids else 0.0 for ids in lists]


def _fused(lists, k, combine):
    """Return the fusion in which `combine` makes one number of what each list gives to an id."""
    _checked(lists)
    return _sorted({id: combine(votes(lists, id, k)) for ids in lists for id in ids})


def reciprocal_rank_fusion__from_zero(lists, k=60):
    """That counts ranks from 0; the first place has rank 1, so it gives 1 / (k + 1)."""
    _checked(lists)
    totals = {}
    for ids in lists:
        for id in dict.fromkeys(ids):
            totals[id] = totals.get(id, 0) + 1 / (k + ids.index(id))  # with k = 0 it divides by 0
    return _sorted(totals)


def reciprocal_rank_fusion__a_last_rank(lists, k=60):
    """That gives a missing document the rank after the last of the list; it gets nothing from that list."""
    _checked(lists)
    return _sorted({id: sum(votes__a_last_rank(lists, id, k)) for ids in lists for id in ids})


def reciprocal_rank_fusion__k_ignored(lists, k=60):
    """That leaves k out: it adds up 1 / rank instead of 1 / (k + rank)."""
    return reciprocal_rank_fusion(lists, 0)


def reciprocal_rank_fusion__always_60(lists, k=60):
    """That has the number 60 in it where the argument k belongs."""
    return reciprocal_rank_fusion(lists, 60)


def reciprocal_rank_fusion__divided_by_all_lists(lists, k=60):
    """That divides the sum by the number of lists; the score is the sum itself."""
    return _fused(lists, k, lambda given: sum(given) / len(given))


def reciprocal_rank_fusion__divided_by_its_lists(lists, k=60):
    """That divides by the number of lists that hold the document: to be in two lists then brings nothing."""
    return _fused(lists, k, lambda given: sum(given) / sum(vote > 0 for vote in given))


def reciprocal_rank_fusion__best_only(lists, k=60):
    """That takes the best of what the lists give; they are added up."""
    return _fused(lists, k, max)


def reciprocal_rank_fusion__one_over_the_sum(lists, k=60):
    """That adds up the ranks first and divides once; each list gives its own 1 / (k + rank)."""
    return _fused(lists, k, lambda given: 1 / (k + sum(1 / vote - k for vote in given if vote)))


def reciprocal_rank_fusion__in_all_lists_only(lists, k=60):
    """That keeps only what stands in all lists; a document that one list holds counts, too."""
    return [(id, score) for id, score in reciprocal_rank_fusion(lists, k) if all(id in ids for ids in lists)]


def reciprocal_rank_fusion__every_place(lists, k=60):
    """That counts an id twice when it stands twice in one list; it counts once, at its best rank."""
    _checked(lists)
    return _sorted({id: sum(votes__every_place(lists, id, k)) for ids in lists for id in ids})


def reciprocal_rank_fusion__worst_place(lists, k=60):
    """That takes the last place of an id that stands twice in a list; its best one counts."""
    _checked(lists)
    return _sorted({id: sum(votes__worst_place(lists, id, k)) for ids in lists for id in ids})


def reciprocal_rank_fusion__closed_up(lists, k=60):
    """That takes repeats out of a list first, so that what stands below moves up; each keeps its place."""
    return reciprocal_rank_fusion([list(dict.fromkeys(ids)) for ids in lists], k)


def reciprocal_rank_fusion__as_met(lists, k=60):
    """That leaves the documents in the order in which they were met; the highest score comes first."""
    fused = dict(reciprocal_rank_fusion(lists, k))
    return [(id, fused[id]) for id in dict.fromkeys(id for ids in lists for id in ids)]


def reciprocal_rank_fusion__lowest_first(lists, k=60):
    """That sorts upward, so that the lowest score comes first."""
    return sorted(reciprocal_rank_fusion(lists, k), key=lambda pair: (pair[1], pair[0]))


def reciprocal_rank_fusion__ties_as_met(lists, k=60):
    """That leaves equal scores in the order in which they were met; they go by id, ascending."""
    fused = dict(reciprocal_rank_fusion(lists, k))
    met = {id: fused[id] for ids in lists for id in ids}
    return sorted(met.items(), key=lambda pair: -pair[1])


def reciprocal_rank_fusion__ties_backwards(lists, k=60):
    """That sorts pairs of score and id in reverse, which turns the ids around, too; ties go by id, ascending."""
    return sorted(reciprocal_rank_fusion(lists, k), key=lambda pair: (pair[1], pair[0]), reverse=True)


def reciprocal_rank_fusion__ties_as_numbers(lists, k=60):
    """That orders ids that look like numbers as numbers; they are strings, and "10" stands before "2"."""
    return sorted(reciprocal_rank_fusion(lists, k),
                  key=lambda pair: (-pair[1], int(pair[0]) if pair[0].isdigit() else 0, pair[0]))


def reciprocal_rank_fusion__ids_only(lists, k=60):
    """That gives the ids alone; asked are pairs of id and score."""
    return [id for id, _ in reciprocal_rank_fusion(lists, k)]


def reciprocal_rank_fusion__turned_into_strings(lists, k=60):
    """That turns every id into a string by itself; whether 4 and "4" are one document only the caller knows."""
    return reciprocal_rank_fusion([[str(id) for id in ids] for ids in lists], k)


def reciprocal_rank_fusion__negative_k_accepted(lists, k=60):
    """That takes a k below 0, which makes places worth more than they can be, or divides by 0."""
    _checked(lists)
    return _sorted({id: sum(1 / (k + ids.index(id) + 1) for ids in lists if id in ids) for ids in lists for id in ids})


def reciprocal_rank_fusion__first_list_only(lists, k=60):
    """That remembers what was seen over all lists; a new list begins with nothing seen, and its votes are added."""
    reciprocal_rank_fusion(lists, k)
    totals = {}
    for ids in lists:
        for rank, id in enumerate(ids, 1):
            totals.setdefault(id, 1 / (k + rank))
    return _sorted(totals)


def reciprocal_rank_fusion__last_list_only(lists, k=60):
    """That writes over what the lists before gave; add to it."""
    reciprocal_rank_fusion(lists, k)
    totals = {}
    for ids in lists:
        for rank, id in enumerate(ids, 1):
            totals[id] = 1 / (k + rank)
    return _sorted(totals)


def reciprocal_rank_fusion__any_id(lists, k=60):
    """That takes ids of any type, so that 4 and "4" become two documents, each with half its score."""
    totals = {}
    for ids in lists:
        for id in dict.fromkeys(ids):
            totals[id] = totals.get(id, 0) + 1 / (k + ids.index(id) + 1)
    return sorted(totals.items(), key=lambda pair: (-pair[1], str(pair[0])))


def _all_finite(scores):
    min_max(scores)  # raises for nan and infinity


def min_max__by_the_highest(scores):
    """That divides by the highest score only; the lowest has to come to 0."""
    _all_finite(scores)
    return [score / (max(scores) or 1) if min(scores) < max(scores) else 0.5 for score in scores]


def min_max__shares_of_the_sum(scores):
    """That divides by the sum of the scores; the highest has to come to 1."""
    _all_finite(scores)
    return [score / (sum(scores) or 1) if min(scores) < max(scores) else 0.5 for score in scores]


def min_max__not_from_the_lowest(scores):
    """That divides by high - low, and forgets to take the lowest away first."""
    _all_finite(scores)
    span = max(scores, default=0) - min(scores, default=0)
    return [score / span if span else 0.5 for score in scores]


def min_max__upside_down(scores):
    """That measures from the highest, so that the best gets 0."""
    return [1 - share for share in min_max(scores)]


def min_max__sorted(scores):
    """That sorts the scores; each has to stay where it was, or it comes to the wrong document."""
    return sorted(min_max(scores), reverse=True)


def min_max__negative_is_0(scores):
    """That takes every score below 0 for 0; a cosine may be negative, and is still a place on the scale."""
    _all_finite(scores)
    return min_max([max(score, 0.0) for score in scores])


def min_max__deviations(scores):
    """That counts in standard deviations from the mean, which is another scale."""
    _all_finite(scores)
    spread = np.std(scores) if len(scores) else 0
    return [(score - np.mean(scores)) / spread if spread else 0.5 for score in scores]


def min_max__equal_is_0(scores):
    """That gives 0 where all scores are equal, as if nothing was found; 0.5 says that they can't be told apart."""
    _all_finite(scores)
    return [0.0] * len(scores) if len(set(scores)) == 1 else min_max(scores)


def min_max__equal_is_1(scores):
    """That gives 1 where all scores are equal, as if each was best; 0.5 says that they can't be told apart."""
    _all_finite(scores)
    return [1.0] * len(scores) if len(set(scores)) == 1 else min_max(scores)


def min_max__constant_added(scores):
    """That adds a small constant to what it divides by; scores that lie close together are then pressed to 0."""
    _all_finite(scores)
    low, high = min(scores, default=0), max(scores, default=0)
    return [(score - low) / (high - low + 1e-8) for score in scores]


def min_max__constant_added_unless_equal(scores):
    """That adds a small constant to what it divides by; it is not needed, and spoils scores that lie close together."""
    return min_max(scores) if len(set(scores)) < 2 else min_max__constant_added(scores)


def min_max__equal_is_nan(scores):
    """That divides 0 by 0 where all scores are equal; give 0.5 for each."""
    _all_finite(scores)
    return [float("nan")] * len(scores) if len(set(scores)) == 1 else min_max(scores)


def min_max__range_from_the_ends(scores):
    """That takes the first score for the highest and the last for the lowest; the list need not be sorted."""
    _all_finite(scores)
    span = scores[0] - scores[-1] if len(scores) else 0
    return [(score - scores[-1]) / span if span else 0.5 for score in scores]


def min_max__equal_divides_by_0(scores):
    """That divides by 0 where all scores are equal."""
    _all_finite(scores)
    if len(set(scores)) == 1:
        raise ZeroDivisionError("division by zero")
    return min_max(scores)


def min_max__nan_passed_on(scores):
    """That computes with nan and infinity, which then spoil every score they meet."""
    values = np.array(scores, dtype=float)
    if np.isfinite(values).all():
        return min_max(scores)
    with np.errstate(invalid="ignore"):
        return ((values - values.min()) / (values.max() - values.min())).tolist()


def _weighed(lists, weights, shares, combine=sum):
    """Return a weighted fusion with other `shares` of one list, {id: share}, or another way to combine them."""
    weighted_fusion(lists, weights)  # raises for what does not fit
    given = {}
    for pairs, weight in zip(lists, weights, strict=True):
        for id, share in shares(pairs).items():
            given.setdefault(id, []).append(weight * share)
    return _sorted({id: combine(parts) for id, parts in given.items()})


def _best(pairs):
    return {id: max(score for other, score in pairs if other == id) for id, _ in pairs}


def _shares(pairs):
    best = _best(pairs)
    return dict(zip(best, min_max(list(best.values())), strict=True))


def weighted_fusion__raw_scores(lists, weights):
    """That adds the scores as they are; the list with the larger numbers then decides alone."""
    return _weighed(lists, weights, _best)


def weighted_fusion__weights_ignored(lists, weights):
    """That adds the lists up without their weights."""
    weighted_fusion(lists, weights)
    return weighted_fusion(lists, [1] * len(weights))


def weighted_fusion__weighted_before(lists, weights):
    """That multiplies the scores by the weight before they are brought to 0..1, which takes it out again."""
    weighted_fusion(lists, weights)
    lists = [[(id, score * weight) for id, score in pairs] for pairs, weight in zip(lists, weights, strict=True)]
    return weighted_fusion(lists, [1] * len(weights))


def weighted_fusion__mean_of_the_lists(lists, weights):
    """That divides by the number of lists; the score is the sum itself."""
    return [(id, score / len(lists)) for id, score in weighted_fusion(lists, weights)]


def weighted_fusion__lower_score_in_the_range(lists, weights):
    """That brings all scores to 0..1, also the lower one of an id that stands twice; take the highest of each first."""
    weighted_fusion(lists, weights)
    totals = {}
    for pairs, weight in zip(lists, weights, strict=True):
        best = _best([(id, share) for (id, _), share in zip(pairs, min_max([s for _, s in pairs]), strict=True)])
        for id, share in best.items():
            totals[id] = totals.get(id, 0) + weight * share
    return _sorted(totals)


def weighted_fusion__first_of_two(lists, weights):
    """That takes the first score of an id that stands twice in a list; the highest counts."""
    def shares(pairs):
        first = dict(reversed(pairs))
        return dict(zip(first, min_max(list(first.values())), strict=True))

    return _weighed(lists, weights, shares)


def weighted_fusion__divided_by_the_weights(lists, weights):
    """That divides by the sum of the weights; they are taken as they are."""
    weighted_fusion(lists, weights)
    return weighted_fusion(lists, [weight / sum(weights) for weight in weights])


def weighted_fusion__one_scale_for_all(lists, weights):
    """That takes the lowest and the highest of all lists together; each list has a scale of its own."""
    every = [score for pairs in lists for score in _best(pairs).values()]
    low, high = min(every, default=0), max(every, default=0)
    return _weighed(lists, weights, lambda pairs: {id: (score - low) / (high - low)
                                                   for id, score in _best(pairs).items()})


def weighted_fusion__missing_is_the_middle(lists, weights):
    """That gives a missing document 0.5; it gets 0 from a list that does not hold it."""
    weighted_fusion(lists, weights)
    ids = {id for pairs in lists for id, _ in pairs}
    return _sorted({id: sum(weight * _shares(pairs).get(id, 0.5) for pairs, weight in zip(lists, weights, strict=True))
                    for id in ids})


def weighted_fusion__in_all_lists_only(lists, weights):
    """That keeps only what stands in all lists; a document that one list holds counts, too."""
    return [(id, score) for id, score in weighted_fusion(lists, weights)
            if all(id in dict(pairs) for pairs in lists)]


def weighted_fusion__mean_of_its_lists(lists, weights):
    """That divides by the number of lists that hold the document; the score is the sum."""
    return _weighed(lists, weights, _shares, lambda parts: sum(parts) / len(parts))


def weighted_fusion__best_only(lists, weights):
    """That takes the best of what the lists give; they are added up."""
    return _weighed(lists, weights, _shares, max)


def weighted_fusion__by_position(lists, weights):
    """That adds up what stands at the same place in the lists; it has to go by id."""
    weighted_fusion(lists, weights)
    longest = max(lists, key=len, default=[])
    totals = {id: 0.0 for id, _ in longest}
    for pairs, weight in zip(lists, weights, strict=True):
        shares = min_max([score for _, score in pairs])
        for (id, _), share in zip(longest, shares, strict=False):
            totals[id] += weight * share
    return _sorted(totals)


def weighted_fusion__last_of_two(lists, weights):
    """That takes the last score of an id that stands twice in a list; the highest counts."""
    def shares(pairs):
        last = dict(pairs)
        return dict(zip(last, min_max(list(last.values())), strict=True))

    return _weighed(lists, weights, shares)


def weighted_fusion__every_place(lists, weights):
    """That counts an id twice when it stands twice in one list; it counts once, with its highest score."""
    weighted_fusion(lists, weights)
    totals = {}
    for pairs, weight in zip(lists, weights, strict=True):
        for (id, _), share in zip(pairs, min_max([score for _, score in pairs]), strict=True):
            totals[id] = totals.get(id, 0) + weight * share
    return _sorted(totals)


def weighted_fusion__zeros_left_out(lists, weights):
    """That leaves out documents with a score of 0; they are in a list, and stay at the end of the fused one."""
    return [(id, score) for id, score in weighted_fusion(lists, weights) if score]


def weighted_fusion__ties_as_met(lists, weights):
    """That leaves equal scores in the order in which they were met; they go by id, ascending."""
    fused = dict(weighted_fusion(lists, weights))
    met = {id: fused[id] for pairs in lists for id, _ in pairs}
    return sorted(met.items(), key=lambda pair: -pair[1])


def weighted_fusion__lowest_first(lists, weights):
    """That sorts upward, so that the lowest score comes first."""
    return sorted(weighted_fusion(lists, weights), key=lambda pair: (pair[1], pair[0]))


def weighted_fusion__too_few_weights(lists, weights):
    """That drops the lists for which there is no weight, without a word."""
    shorter = lists[: len(weights)]
    return weighted_fusion(shorter, weights)


def weighted_fusion__negative_weights(lists, weights):
    """That takes weights below 0, with which a document falls because a list holds it far up."""
    if len(lists) == len(weights) and min(weights, default=0) < 0:
        totals = {}
        for pairs, weight in zip(lists, weights, strict=True):
            for id, share in _shares(pairs).items():
                totals[id] = totals.get(id, 0) + weight * share
        return _sorted(totals)
    return weighted_fusion(lists, weights)


def weighted_fusion__turned_into_strings(lists, weights):
    """That turns every id into a string by itself; whether 4 and "4" are one document only the caller knows."""
    return weighted_fusion([[(str(id), score) for id, score in pairs] for pairs in lists], weights)
