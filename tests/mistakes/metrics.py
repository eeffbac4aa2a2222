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
    """That takes any k; there is no place 0, so a k below 1 is refused with ValueError."""
    return gains(ranked, grades, k) if k > 0 else []


def recall_at_k__over_k(ranked, grades, k):
    """That divides by k, which is precision; recall divides by all that are relevant."""
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
    """That sorts the ids and never looks at the scores."""
    return sorted(scores)


def rank_by_score__capitals_alike(scores):
    """That takes small and capital letters for the same; ids are compared as the strings they are."""
    return sorted(scores, key=lambda id: (-scores[id], id.lower(), id))
