"""Common mistakes in the tasks rerank.*, each with the sentence that a learner reads.

Each follows the reference but for the one thing that its sentence names.
"""

import math

import numpy as np

from firstprinciples.rank.rerank import (
    ceiling,
    logistic_gradient,
    logistic_loss,
    rerank,
    sigmoid,
    soft_counts,
    tokens_read,
)


def _closeness(similarities, centers, width, kernel=lambda apart, width: np.exp(-(apart**2) / (2 * width**2))):
    """Return how close each cosine is to each center, (m, n, K)."""
    similarities, centers = np.asarray(similarities, dtype=float), np.asarray(centers, dtype=float)
    with np.errstate(all="ignore"):
        return kernel(similarities[:, :, None] - centers, width)


def _counted(closeness):
    with np.errstate(all="ignore"):
        return np.log1p(closeness.sum(axis=1)).sum(axis=0)


def soft_counts__no_logarithm(similarities, centers, width):
    """That adds up the closeness itself; take ln(1 + sum) for each question word, so that ten matches are not ten."""
    return _closeness(similarities, centers, width).sum(axis=(0, 1))


def soft_counts__one_logarithm(similarities, centers, width):
    """That takes one logarithm of all that was counted; take one for each question word, and add those up."""
    return np.log1p(_closeness(similarities, centers, width).sum(axis=(0, 1)))


def soft_counts__a_logarithm_for_each_pair(similarities, centers, width):
    """That takes the logarithm of each pair of words; first add up over the words of the chunk, then take it."""
    return np.log1p(_closeness(similarities, centers, width)).sum(axis=(0, 1))


def soft_counts__for_each_chunk_word(similarities, centers, width):
    """That adds up down the columns first; the rows are the question's words, and each gets its own logarithm."""
    return np.log1p(_closeness(similarities, centers, width).sum(axis=0)).sum(axis=0)


def soft_counts__no_one_plus(similarities, centers, width):
    """That is ln(sum) without the 1 +, and a word that matches nothing makes it minus infinity."""
    with np.errstate(all="ignore"):
        return np.log(_closeness(similarities, centers, width).sum(axis=1)).sum(axis=0)


def soft_counts__the_papers_floor(similarities, centers, width):
    """That is the paper's ln(sum) with 1e-10 below it: a word that matches nothing costs -23. Here it adds 0."""
    return np.log(np.maximum(_closeness(similarities, centers, width).sum(axis=1), 1e-10)).sum(axis=0)


def soft_counts__base_two(similarities, centers, width):
    """That takes the logarithm to base 2; ln is `np.log`, or `np.log1p` with the 1 + in it."""
    return soft_counts(similarities, centers, width) / math.log(2)


def soft_counts__base_ten(similarities, centers, width):
    """That takes the logarithm to base 10; ln is `np.log`, or `np.log1p` with the 1 + in it."""
    return soft_counts(similarities, centers, width) / math.log(10)


def soft_counts__one_twice(similarities, centers, width):
    """That adds 1 twice: `log1p` adds one by itself."""
    return np.log1p(1 + _closeness(similarities, centers, width).sum(axis=1)).sum(axis=0)


def soft_counts__no_two(similarities, centers, width):
    """That divides by width^2; below the line stands 2 * width^2."""
    return _counted(_closeness(similarities, centers, width, lambda apart, w: np.exp(-(apart**2) / w**2)))


def soft_counts__width_not_squared(similarities, centers, width):
    """That divides by 2 * width; the width is squared, too."""
    return _counted(_closeness(similarities, centers, width, lambda apart, w: np.exp(-(apart**2) / (2 * w))))


def soft_counts__two_squared(similarities, centers, width):
    """That is (2 * width)^2 below the line; only the width is squared: 2 * width**2."""
    return _counted(_closeness(similarities, centers, width, lambda apart, w: np.exp(-(apart**2) / (2 * w) ** 2)))


def soft_counts__no_parentheses(similarities, centers, width):
    """That divides by 2 and then multiplies by width^2; put 2 * width**2 into parentheses."""
    return _counted(_closeness(similarities, centers, width, lambda apart, w: np.exp(-(apart**2) / 2 * w**2)))


def soft_counts__not_squared(similarities, centers, width):
    """That lets the distance count as it is; square it, or the kernel has a peak like a tent."""
    return _counted(_closeness(similarities, centers, width, lambda apart, w: np.exp(-np.abs(apart) / (2 * w**2))))


def soft_counts__no_minus(similarities, centers, width):
    """That lacks the minus: what is far from the center would count most, and without end."""
    return _counted(_closeness(similarities, centers, width, lambda apart, w: np.exp(apart**2 / (2 * w**2))))


def soft_counts__a_density(similarities, centers, width):
    """That is the density of a normal distribution, which a narrow kernel makes tall; at its center a kernel is 1."""
    return _counted(_closeness(similarities, centers, width) / (width * math.sqrt(2 * math.pi)))


def soft_counts__hard_bins(similarities, centers, width):
    """That counts 1 within a width and 0 beyond; a kernel has no edge: closeness falls off bit by bit."""
    return _counted(_closeness(similarities, centers, width, lambda apart, w: (np.abs(apart) <= w) * 1.0))


def soft_counts__nearest_center(similarities, centers, width):
    """That lets each cosine count for its nearest center only; it counts for all, each by how close it is."""
    apart = _closeness(similarities, centers, width, lambda apart, w: np.abs(apart))
    return _counted((np.argmin(apart, axis=2)[:, :, None] == np.arange(len(centers))) * 1.0)


def soft_counts__shares(similarities, centers, width):
    """That divides each cosine among the centers, so that its parts add up to 1; kernels know nothing of each other."""
    near = _closeness(similarities, centers, width)
    with np.errstate(all="ignore"):
        return _counted(near / near.sum(axis=2, keepdims=True))


def soft_counts__best_only(similarities, centers, width):
    """That takes the closest word of the chunk only; all of its words are added up, softly."""
    return np.log1p(_closeness(similarities, centers, width).max(axis=1, initial=0)).sum(axis=0)


def soft_counts__mean_over_the_question(similarities, centers, width):
    """That divides by the number of question words; add their logarithms up."""
    return soft_counts(similarities, centers, width) / max(len(similarities), 1)


def soft_counts__mean_over_the_chunk(similarities, centers, width):
    """That divides by the number of chunk words; inside the logarithm stands their sum."""
    return np.log1p(_closeness(similarities, centers, width).sum(axis=1)
                    / max(np.shape(similarities)[1], 1)).sum(axis=0)


def soft_counts__a_row_each(similarities, centers, width):
    """That keeps a row for each question word; add them up, one number for each center."""
    return np.log1p(_closeness(similarities, centers, width).sum(axis=1))


def soft_counts__one_number(similarities, centers, width):
    """That adds the centers up; each of the K keeps a count of its own."""
    return float(np.sum(soft_counts(similarities, centers, width)))


def soft_counts__distance_of_sizes(similarities, centers, width):
    """That takes a cosine below 0 for one above it; -0.4 is not close to 0.4."""
    return soft_counts(np.abs(np.asarray(similarities, dtype=float)), centers, width)


def soft_counts__no_words_is_an_error(similarities, centers, width):
    """That refuses a question or a chunk without words; nothing is counted there: zeros, one for each center."""
    if 0 in np.shape(similarities):
        raise ValueError("no words")
    return soft_counts(similarities, centers, width)


def soft_counts__no_words_is_nothing(similarities, centers, width):
    """That is empty where there are no words; give zeros, one for each center."""
    return [] if 0 in np.shape(similarities) else soft_counts(similarities, centers, width)


def sigmoid__overflow(z):
    """That loses what is far below 0, where exp(-z) overflows and 1 - x rounds; take exp(z) / (1 + exp(z)) there."""
    with np.errstate(all="ignore"):
        return 1 / (1 + np.exp(-np.asarray(z, dtype=float)))


def sigmoid__overflow_above(z):
    """That works out exp(z), which is too large for a float far above 0; take 1 / (1 + exp(-z)) there."""
    with np.errstate(all="ignore"):
        power = np.exp(np.asarray(z, dtype=float))
        return power / (1 + power)


def sigmoid__math_exp(z):
    """That raises OverflowError, as math.exp does for 710 and more; where z is below 0 take exp(z) / (1 + exp(z))."""
    values = [1 / (1 + math.exp(-float(value))) for value in np.ravel(z)]
    return np.reshape(values, np.shape(z))


def sigmoid__one_number_only(z):
    """That takes one number only; `np.exp` and `np.where` take arrays of any shape."""
    z = math.fsum([z])
    return 1 / (1 + math.exp(-z)) if z >= 0 else math.exp(z) / (1 + math.exp(z))


def sigmoid__no_minus(z):
    """That lacks the minus: a large logit comes out near 0."""
    return sigmoid(-np.asarray(z, dtype=float))


def sigmoid__is_tanh(z):
    """That is tanh, which goes from -1 to 1; a sigmoid goes from 0 to 1."""
    return np.tanh(z)


def sigmoid__base_two(z):
    """That has powers of 2; exp is a power of e."""
    return sigmoid(np.asarray(z, dtype=float) * math.log(2))


def sigmoid__softmax(z):
    """That divides by the sum over all, as a softmax does; each logit is turned by itself."""
    powers = np.exp(np.asarray(z, dtype=float) - np.max(z))
    return powers / powers.sum()


def sigmoid__no_parentheses(z):
    """That reads 1 / 1 + exp(-z): without parentheses the power is added after the division."""
    with np.errstate(all="ignore"):
        return 1 + np.exp(-np.asarray(z, dtype=float))


def sigmoid__the_power_alone(z):
    """That is exp(z), which goes beyond 1; divide it by 1 + exp(z)."""
    with np.errstate(all="ignore"):
        return np.exp(np.asarray(z, dtype=float))


def sigmoid__flat(z):
    """That gives one flat list; the result has the shape of z."""
    return np.ravel(sigmoid(z))


def sigmoid__logarithm(z):
    """That is the logarithm of the sigmoid; a number from 0 to 1 is asked for."""
    z = np.asarray(z, dtype=float)
    return np.minimum(z, 0) - np.log1p(np.exp(-np.abs(z)))


def _pairs(logits, labels):
    return np.asarray(logits, dtype=float), np.asarray(labels, dtype=float)


def _entropy(p, labels):
    with np.errstate(all="ignore"):
        return -(labels * np.log(p) + (1 - labels) * np.log(1 - p))


def logistic_loss__sum(logits, labels):
    """That is the sum; divide by the number of pairs, or a larger batch looks worse."""
    return logistic_loss(logits, labels) * len(logits)


def logistic_loss__logarithm_of_zero(logits, labels):
    """That takes ln of a sigmoid that has become 0; use max(z, 0) - z * label + ln(1 + exp(-|z|))."""
    z, labels = _pairs(logits, labels)
    p = np.asarray(sigmoid(z))
    with np.errstate(all="ignore"):
        return float(np.mean(np.where(labels == 1, -np.log(p), -np.log(1 - p))))


def logistic_loss__zero_times_infinity(logits, labels):
    """That is nan: 0 times ln 0. Use max(z, 0) - z * label + ln(1 + exp(-|z|)), where no logarithm sees 0."""
    z, labels = _pairs(logits, labels)
    return float(np.mean(_entropy(np.asarray(sigmoid(z)), labels)))


def logistic_loss__math_overflow(logits, labels):
    """That raises OverflowError: exp(1000) is beyond a float; take exp(-|z|), which is never above 1."""
    z, labels = _pairs(logits, labels)
    return sum(math.log(1 + math.exp(-a if y else a)) for a, y in zip(z, labels, strict=True)) / len(z)


def logistic_loss__math_logarithm_of_zero(logits, labels):
    """That raises, since 1 - sigmoid(z) is 0 for a z of 40, and exp(1000) too large; take ln(1 + exp(-|z|))."""
    z, labels = _pairs(logits, labels)
    chances = [1 / (1 + math.exp(-a)) for a in z]
    return sum(-math.log(p if y else 1 - p) for p, y in zip(chances, labels, strict=True)) / len(z)


def logistic_loss__overflow_less_the_label(logits, labels):
    """That is ln(1 + exp(z)) - z * label, and exp(1000) is infinite; use max(z, 0) + ln(1 + exp(-|z|)) there."""
    z, labels = _pairs(logits, labels)
    with np.errstate(all="ignore"):
        return float(np.mean(np.log1p(np.exp(z)) - z * labels))


def logistic_loss__overflow(logits, labels):
    """That works out ln(1 + exp(z)) as it stands, and exp(1000) is infinite; take exp(-|z|) and add max(z, 0)."""
    z, labels = _pairs(logits, labels)
    with np.errstate(all="ignore"):
        return float(np.mean(np.log1p(np.exp(np.where(labels == 1, -z, z)))))


def logistic_loss__clipped(logits, labels):
    """That keeps the chances off 0 and 1 by 1e-15: a logit of 1,000 then costs 34.5, and the model never hears."""
    z, labels = _pairs(logits, labels)
    return float(np.mean(_entropy(np.clip(sigmoid(z), 1e-15, 1 - 1e-15), labels)))


def logistic_loss__clipped_at_a_millionth(logits, labels):
    """That keeps the chances off 0 and 1 by 1e-7: what is wrong by far then costs 16.1 at most."""
    z, labels = _pairs(logits, labels)
    return float(np.mean(_entropy(np.clip(sigmoid(z), 1e-7, 1 - 1e-7), labels)))


def logistic_loss__labels_exchanged(logits, labels):
    """That takes right pairs for wrong ones: label 1 costs -ln sigmoid(z)."""
    z, labels = _pairs(logits, labels)
    return logistic_loss(z, 1 - labels)


def logistic_loss__no_minus(logits, labels):
    """That lacks the minus: the logarithm of a chance is below 0, and a loss is not."""
    return -logistic_loss(logits, labels)


def logistic_loss__right_pairs_only(logits, labels):
    """That leaves the wrong pairs out: they cost -ln(1 - sigmoid(z)), or every logit would just rise."""
    z, labels = _pairs(logits, labels)
    return float(np.mean(labels * (np.maximum(-z, 0) + np.log1p(np.exp(-np.abs(z))))))


def logistic_loss__minus_one_for_wrong(logits, labels):
    """That wants -1 for a wrong pair, ln(1 + exp(-label z)); here its label is 0, and it would always cost ln 2."""
    z, labels = _pairs(logits, labels)
    return float(np.mean(np.logaddexp(0, -labels * z)))


def logistic_loss__logits_as_chances(logits, labels):
    """That takes logits for chances; bring them to 0..1 with the sigmoid."""
    z, labels = _pairs(logits, labels)
    return float(np.mean(_entropy(z, labels)))


def logistic_loss__squares(logits, labels):
    """That is the mean squared difference from the label; cross-entropy is the logarithm of a chance."""
    z, labels = _pairs(logits, labels)
    return float(np.mean((np.asarray(sigmoid(z)) - labels) ** 2))


def logistic_loss__softmax(logits, labels):
    """That lets the pairs compete in one softmax, the bi-encoder's loss; here each pair is judged by itself."""
    z, labels = _pairs(logits, labels)
    shares = z - np.logaddexp.reduce(z)
    return -float(np.sum(shares * labels) / max(labels.sum(), 1))


def logistic_loss__base_two(logits, labels):
    """That takes the logarithm to base 2; ln is `np.log`, or `np.log1p` with the 1 + in it."""
    return logistic_loss(logits, labels) / math.log(2)


def logistic_loss__divided_by_the_right_ones(logits, labels):
    """That divides by the number of right pairs; divide by the number of all."""
    return logistic_loss(logits, labels) * len(logits) / max(float(np.sum(labels)), 1)


def logistic_loss__one_each(logits, labels):
    """That keeps a number for each pair; their mean is asked for."""
    z, labels = _pairs(logits, labels)
    return np.maximum(z, 0) - z * labels + np.log1p(np.exp(-np.abs(z)))


def logistic_loss__hinge(logits, labels):
    """That is the hinge, 0 from a margin of 1 on; cross-entropy goes on asking for a little more."""
    z, labels = _pairs(logits, labels)
    return float(np.mean(np.maximum(0, 1 - z * (2 * labels - 1))))


def logistic_loss__no_size_in_exp(logits, labels):
    """That has exp(-z) where exp(-|z|) belongs; beside max(z, 0) the two agree only above 0."""
    z, labels = _pairs(logits, labels)
    with np.errstate(all="ignore"):
        return float(np.mean(np.maximum(z, 0) - z * labels + np.log1p(np.exp(-z))))


def logistic_loss__without_max(logits, labels):
    """That is -z * label + ln(1 + exp(-|z|)); max(z, 0) stands before it."""
    z, labels = _pairs(logits, labels)
    return float(np.mean(-z * labels + np.log1p(np.exp(-np.abs(z)))))


def logistic_gradient__not_divided(logits, labels):
    """That is not divided by n; the loss is a mean, so each pair moves it by one n-th."""
    return np.asarray(logistic_gradient(logits, labels)) * len(logits)


def logistic_gradient__sign(logits, labels):
    """That is label - sigmoid(z), the way down; the gradient points up: sigmoid(z) - label."""
    return -np.asarray(logistic_gradient(logits, labels))


def logistic_gradient__sign_not_divided(logits, labels):
    """That is label - sigmoid(z), and not divided by n; the gradient of the mean is (sigmoid(z) - label) / n."""
    return -np.asarray(logistic_gradient(logits, labels)) * len(logits)


def logistic_gradient__of_squares(logits, labels):
    """That has p (1 - p) in it, which belongs to squared differences; in cross-entropy it cancels."""
    p = np.asarray(sigmoid(logits))
    return np.asarray(logistic_gradient(logits, labels)) * p * (1 - p)


def logistic_gradient__of_squares_with_two(logits, labels):
    """That is the gradient of squared differences, 2 (p - label) p (1 - p) / n; here it is (p - label) / n."""
    p = np.asarray(sigmoid(logits))
    return 2 * np.asarray(logistic_gradient(logits, labels)) * p * (1 - p)


def logistic_gradient__no_sigmoid(logits, labels):
    """That takes the label from the logit itself; take it from sigmoid(z)."""
    z, labels = _pairs(logits, labels)
    return (z - labels) / len(z)


def logistic_gradient__overflow(logits, labels):
    """That is nan where exp(z) is beyond a float: infinity over infinity; divide by 1 + exp(-z) there."""
    z, labels = _pairs(logits, labels)
    with np.errstate(all="ignore"):
        return (np.exp(z) / (1 + np.exp(z)) - labels) / len(z)


def logistic_gradient__math_overflow(logits, labels):
    """That raises OverflowError, as math.exp does from 710 on; call your stable `sigmoid`."""
    return [(1 / (1 + math.exp(-z)) - y) / len(logits) for z, y in zip(logits, labels, strict=True)]


def logistic_gradient__labels_exchanged(logits, labels):
    """That takes label 1 for wrong and 0 for right; take the label from sigmoid(z), not 1 less the label."""
    z, labels = _pairs(logits, labels)
    return logistic_gradient(z, 1 - labels)


def logistic_gradient__right_pairs_only(logits, labels):
    """That gives wrong pairs no gradient; theirs is sigmoid(z) / n, and pushes their logits down."""
    return np.asarray(logistic_gradient(logits, labels)) * np.asarray(labels)


def logistic_gradient__wrong_pairs_only(logits, labels):
    """That gives right pairs no gradient; theirs is (sigmoid(z) - 1) / n, and pushes their logits up."""
    return np.asarray(logistic_gradient(logits, labels)) * (1 - np.asarray(labels))


def logistic_gradient__one_number(logits, labels):
    """That adds the pairs up; each logit has a gradient of its own."""
    return float(np.sum(logistic_gradient(logits, labels)))


def logistic_gradient__softmax(logits, labels):
    """That is the gradient of one softmax over all logits; here each pair is judged by itself."""
    z, labels = _pairs(logits, labels)
    powers = np.exp(z - z.max())
    return (powers / powers.sum() - labels) / len(z)


def logistic_gradient__rounded_first(logits, labels):
    """That decides first, yes or no, and compares that with the label; then nothing nearly right can learn."""
    z, labels = _pairs(logits, labels)
    return ((z > 0) * 1.0 - labels) / len(z)


def logistic_gradient__times_the_logit(logits, labels):
    """That multiplies by the logit; a factor like this comes in one step further back, where weights are learned."""
    return np.asarray(logistic_gradient(logits, labels)) * np.asarray(logits, dtype=float)


def logistic_gradient__divided_by_the_right_ones(logits, labels):
    """That divides by the number of right pairs; divide by the number of all."""
    return np.asarray(logistic_gradient(logits, labels)) * len(logits) / max(float(np.sum(labels)), 1)


def logistic_gradient__minus_one_for_wrong(logits, labels):
    """That takes -1 for the label of a wrong pair; it is 0 here."""
    z, labels = _pairs(logits, labels)
    return (np.asarray(sigmoid(z)) - (2 * labels - 1)) / len(z)


def logistic_gradient__size_only(logits, labels):
    """That gives the size without the sign; right pairs push up and wrong ones down."""
    return np.abs(logistic_gradient(logits, labels))


def _candidates(ranked, new_scores, depth):
    """Return the candidates with their new scores in the old order; ValueError as the reference."""
    rerank(ranked, new_scores, depth)
    return [(id, new_scores[id]) for id, _ in ranked[:depth]]


def _best(pairs):
    return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))


def rerank__from_beyond_the_depth(ranked, new_scores, depth):
    """That lets in what stands beyond the depth: sort the first `depth` only, or recall rises by magic."""
    rerank(ranked, new_scores, depth)
    return _best((id, new_scores[id]) for id, _ in ranked if id in new_scores)[:depth]


def rerank__depth_ignored(ranked, new_scores, depth):
    """That orders the whole list anew; only the first `depth` are candidates, and only they come back."""
    rerank(ranked, new_scores, depth)
    return _best((id, new_scores[id]) for id, _ in ranked if id in new_scores)


def rerank__the_rest_behind(ranked, new_scores, depth):
    """That appends what stands beyond the depth with its old scores; those are on another scale, and not asked for."""
    return [*rerank(ranked, new_scores, depth), *ranked[depth:]]


def rerank__all_new_scores(ranked, new_scores, depth):
    """That ranks everything that has a new score; only the first `depth` of the list are candidates."""
    rerank(ranked, new_scores, depth)
    return _best(new_scores.items())[:depth]


def rerank__old_scores_kept(ranked, new_scores, depth):
    """That has the new order with the old scores beside it; give each id its new one."""
    old = dict(reversed(ranked))
    return [(id, old[id]) for id, _ in rerank(ranked, new_scores, depth)]


def rerank__not_sorted(ranked, new_scores, depth):
    """That writes new scores down in the old order; sort by them."""
    return _candidates(ranked, new_scores, depth)


def rerank__not_reranked(ranked, new_scores, depth):
    """That cuts the old list; the new scores decide the order."""
    rerank(ranked, new_scores, depth)
    return ranked[:depth]


def rerank__added(ranked, new_scores, depth):
    """That adds old and new score; they have no common scale, and the new one alone counts."""
    rerank(ranked, new_scores, depth)
    return _best((id, score + new_scores[id]) for id, score in ranked[:depth])


def rerank__ordered_by_the_sum(ranked, new_scores, depth):
    """That orders by old plus new score; the new one alone counts."""
    old = dict(ranked)
    return sorted(_candidates(ranked, new_scores, depth), key=lambda pair: (-pair[1] - old[pair[0]], pair[0]))


def rerank__worst_first(ranked, new_scores, depth):
    """That puts the lowest score first; higher is better, also below 0."""
    return sorted(_candidates(ranked, new_scores, depth), key=lambda pair: (pair[1], pair[0]))


def rerank__by_size(ranked, new_scores, depth):
    """That orders by the size of a logit, its sign left out; -4 is worse than -1."""
    return sorted(_candidates(ranked, new_scores, depth), key=lambda pair: (-abs(pair[1]), pair[0]))


def rerank__below_zero_dropped(ranked, new_scores, depth):
    """That drops what has a logit below 0; its zero says nothing, and the best of bad candidates still comes first."""
    return [pair for pair in rerank(ranked, new_scores, depth) if pair[1] > 0]


def rerank__below_a_half_dropped(ranked, new_scores, depth):
    """That holds logits against 0.5 as if they were probabilities, and drops some; every candidate comes back."""
    return [pair for pair in rerank(ranked, new_scores, depth) if pair[1] > 0.5]


def rerank__through_a_sigmoid(ranked, new_scores, depth):
    """That gives the sigmoid of the scores; give the scores as they are."""
    return [(id, float(sigmoid(score))) for id, score in rerank(ranked, new_scores, depth)]


def rerank__ties_by_place(ranked, new_scores, depth):
    """That leaves equal scores in the old order; order them by id, so that the first stage has no say."""
    return sorted(_candidates(ranked, new_scores, depth), key=lambda pair: -pair[1])


def rerank__ties_by_old_score(ranked, new_scores, depth):
    """That orders equal new scores by the old ones; order them by id."""
    old = dict(ranked)
    return sorted(_candidates(ranked, new_scores, depth), key=lambda pair: (-pair[1], -old[pair[0]], pair[0]))


def rerank__ties_descending(ranked, new_scores, depth):
    """That orders equal scores by id from the last to the first: sorting both in reverse turns the ids around too."""
    return sorted(_candidates(ranked, new_scores, depth), key=lambda pair: (pair[1], pair[0]), reverse=True)


def rerank__ids_as_numbers(ranked, new_scores, depth):
    """That compares ids as numbers; they are strings, so "10" comes before "9"."""
    return sorted(_candidates(ranked, new_scores, depth),
                  key=lambda pair: (-pair[1], not pair[0].isdecimal(), int(pair[0]) if pair[0].isdecimal() else 0,
                                    pair[0]))


def rerank__one_more(ranked, new_scores, depth):
    """That takes one candidate too many: a slice [:depth] holds `depth` already."""
    rerank(ranked, new_scores, depth)
    return _best((id, new_scores[id]) for id, _ in ranked[: depth + 1] if id in new_scores)


def rerank__one_less(ranked, new_scores, depth):
    """That takes one candidate too few: a slice [:depth] holds `depth`."""
    rerank(ranked, new_scores, depth)
    return _best((id, new_scores[id]) for id, _ in ranked[: depth - 1])


def rerank__missing_is_zero(ranked, new_scores, depth):
    """That takes 0 for a missing score, which may be better than all logits below 0; refuse it with ValueError."""
    full = {**{id: 0.0 for id, _ in ranked}, **new_scores}
    return rerank(ranked, full, depth)


def rerank__missing_is_zero_nan_taken(ranked, new_scores, depth):
    """That takes 0 for a missing score, and nan as it comes; refuse both with ValueError."""
    if depth < 1:
        raise ValueError("depth")
    return _best((id, new_scores.get(id, 0.0)) for id, _ in ranked[:depth])


def rerank__missing_is_zero_nothing_refused(ranked, new_scores, depth):
    """That takes 0 for a missing score, and any depth, and nan; refuse all three with ValueError."""
    return _best((id, new_scores.get(id, 0.0)) for id, _ in ranked[:depth])


def rerank__nothing_refused(ranked, new_scores, depth):
    """That raises KeyError for a missing score, and takes nan, and a depth of 0; refuse all three with ValueError."""
    return _best((id, new_scores[id]) for id, _ in ranked[:depth])


def rerank__depth_after_the_sort(ranked, new_scores, depth):
    """That sorts the whole list and cuts then, so that what stands beyond the depth comes in; cut first."""
    return _best((id, new_scores[id]) for id, _ in ranked)[:depth]


def rerank__missing_is_old(ranked, new_scores, depth):
    """That takes the old score where the new one is missing; two scales in one list: refuse it with ValueError."""
    return rerank(ranked, {**dict(ranked), **new_scores}, depth)


def rerank__missing_dropped(ranked, new_scores, depth):
    """That drops a candidate without a new score, and nobody will know; refuse it with ValueError."""
    if depth < 1:
        raise ValueError("depth")
    return rerank([pair for pair in ranked[:depth] if pair[0] in new_scores], new_scores, depth)


def rerank__missing_made_up_from_below(ranked, new_scores, depth):
    """That moves up the next one where a new score is missing; refuse a candidate without one with ValueError."""
    if depth < 1:
        raise ValueError("depth")
    return rerank([pair for pair in ranked if pair[0] in new_scores], new_scores, depth)


def rerank__missing_is_a_key_error(ranked, new_scores, depth):
    """That raises KeyError where a new score is missing; raise ValueError, which says what to do."""
    if depth < 1 or any(not math.isfinite(new_scores[id]) for id, _ in ranked[:depth] if id in new_scores):
        raise ValueError("depth, or nan")
    return _best((id, new_scores[id]) for id, _ in ranked[:depth])


def rerank__every_id_needs_one(ranked, new_scores, depth):
    """That asks for a new score of what is no candidate; a reranker reads the first `depth` only."""
    if any(id not in new_scores for id, _ in ranked):
        raise ValueError("a score is missing")
    return rerank(ranked, new_scores, depth)


def rerank__nan_taken(ranked, new_scores, depth):
    """That sorts with nan among the scores, and then the order is none; refuse it with ValueError."""
    if all(id in new_scores for id, _ in ranked[:depth]) and depth >= 1:
        return _best((id, new_scores[id]) for id, _ in ranked[:depth])
    return rerank(ranked, new_scores, depth)


def rerank__no_depth_taken(ranked, new_scores, depth):
    """That takes a depth of 0 or less; refuse what is below 1 with ValueError."""
    return [] if depth < 1 else rerank(ranked, new_scores, depth)


def rerank__a_long_depth_refused(ranked, new_scores, depth):
    """That refuses a depth beyond the end of the list; then all of it are candidates."""
    if depth > len(ranked):
        raise ValueError("too deep")
    return rerank(ranked, new_scores, depth)


def rerank__ids(ranked, new_scores, depth):
    """That gives the ids alone; each comes with its new score."""
    return [id for id, _ in rerank(ranked, new_scores, depth)]


def rerank__a_dict(ranked, new_scores, depth):
    """That gives a dict; a list of (id, new score) is asked for."""
    return dict(rerank(ranked, new_scores, depth))


def rerank__score_first(ranked, new_scores, depth):
    """That puts the score before the id; a pair is (id, new score)."""
    return [(score, id) for id, score in rerank(ranked, new_scores, depth)]


def ceiling__over_the_depth(ranked_ids, relevant, depth):
    """That divides by the depth, which is precision; divide by how many are relevant."""
    return len(set(ranked_ids[:depth]) & set(relevant)) / depth


def ceiling__over_the_smaller(ranked_ids, relevant, depth):
    """That divides by the smaller of depth and the number of relevant ids; divide by all that are relevant."""
    return len(set(ranked_ids[:depth]) & set(relevant)) / min(depth, len(set(relevant))) if relevant else 0.0


def ceiling__over_the_list(ranked_ids, relevant, depth):
    """That divides by the length of the list; divide by how many are relevant."""
    return len(set(ranked_ids[:depth]) & set(relevant)) / max(len(ranked_ids), 1)


def ceiling__depth_ignored(ranked_ids, relevant, depth):
    """That looks at the whole list; the reranker sees its first `depth` only."""
    return ceiling(ranked_ids, relevant, max(depth, len(ranked_ids)))


def ceiling__over_what_was_found(ranked_ids, relevant, depth):
    """That divides by the relevant ids the list holds; those it never found are lost, too, so divide by all."""
    there = set(relevant) & set(ranked_ids)
    return len(there & set(ranked_ids[:depth])) / len(there) if there else 0.0


def ceiling__any(ranked_ids, relevant, depth):
    """That is 1 as soon as one relevant id is there; the share of all of them is asked for."""
    return float(bool(set(ranked_ids[:depth]) & set(relevant)))


def ceiling__number(ranked_ids, relevant, depth):
    """That is how many are found; divide by how many are relevant."""
    return len(set(ranked_ids[:depth]) & set(relevant))


def ceiling__one_more(ranked_ids, relevant, depth):
    """That looks at one place too many: a slice [:depth] holds `depth` already."""
    return ceiling(ranked_ids, relevant, depth + 1)


def ceiling__one_less(ranked_ids, relevant, depth):
    """That looks at one place too few: a slice [:depth] holds `depth`."""
    return ceiling(ranked_ids, relevant, depth - 1) if depth > 1 else 0.0


def ceiling__doubles_count(ranked_ids, relevant, depth):
    """That counts an id each time it stands in the list; it counts once."""
    found = sum(id in set(relevant) for id in ranked_ids[:depth])
    return found / len(set(relevant)) if relevant else 0.0


def ceiling__doubles_count_no_guard(ranked_ids, relevant, depth):
    """That counts an id each time it stands in the list, and divides by zero where nothing is relevant."""
    return sum(id in set(relevant) for id in ranked_ids[:depth]) / len(set(relevant))


def ceiling__over_the_depth_doubles_count(ranked_ids, relevant, depth):
    """That divides by the depth, and counts an id each time; divide by how many are relevant, and count it once."""
    return sum(id in set(relevant) for id in ranked_ids[:depth]) / depth


def ceiling__relevant_twice(ranked_ids, relevant, depth):
    """That divides by the length of the list of the relevant; one that stands there twice is one, so take a set."""
    return len(set(ranked_ids[:depth]) & set(relevant)) / len(relevant) if len(relevant) else 0.0


def ceiling__doubles_closed_up(ranked_ids, relevant, depth):
    """That takes repeats out of the list before it is cut, and so looks deeper; cut first."""
    return ceiling(list(dict.fromkeys(ranked_ids)), relevant, depth)


def ceiling__no_guard(ranked_ids, relevant, depth):
    """That divides by zero where nothing is relevant; the answer there is 0."""
    return len(set(ranked_ids[:depth]) & set(relevant)) / len(set(relevant))


def ceiling__nothing_relevant_is_one(ranked_ids, relevant, depth):
    """That gives 1 where nothing is relevant, as if all had been found; recall gives 0 there."""
    return ceiling(ranked_ids, relevant, depth) if relevant else 1.0


def ceiling__lost(ranked_ids, relevant, depth):
    """That is the share that is lost; asked is the share that can still be found."""
    return 1 - ceiling(ranked_ids, relevant, depth)


def ceiling__rank_of_the_first(ranked_ids, relevant, depth):
    """That is 1 over the rank of the first relevant id; the ceiling is a recall: how many, not how soon."""
    return next((1 / rank for rank, id in enumerate(ranked_ids[:depth], 1) if id in set(relevant)), 0.0)


def ceiling__percent(ranked_ids, relevant, depth):
    """That is a percentage; a share goes from 0 to 1."""
    return 100 * ceiling(ranked_ids, relevant, depth)


def ceiling__whole_division(ranked_ids, relevant, depth):
    """That is 1 only if all relevant ids are there, as with //; asked is their share, so divide with /."""
    return len(set(ranked_ids[:depth]) & set(relevant)) // len(set(relevant)) if relevant else 0


def tokens_read__question_once(candidate_lengths, question_length, limit):
    """That reads the question once; it is read again with every candidate, and nothing can be kept."""
    return tokens_read(candidate_lengths, 0, limit) + question_length


def tokens_read__without_the_question(candidate_lengths, question_length, limit):
    """That leaves the question out; it is read with every candidate."""
    return tokens_read(candidate_lengths, 0, limit)


def tokens_read__limit_ignored(candidate_lengths, question_length, limit):
    """That ignores the limit; what is longer is cut, and not read."""
    return sum(question_length + length for length in candidate_lengths)


def tokens_read__limit_for_the_candidate(candidate_lengths, question_length, limit):
    """That cuts the candidate alone at the limit; question and candidate share it."""
    return sum(question_length + min(limit, length) for length in candidate_lengths)


def tokens_read__question_never_cut(candidate_lengths, question_length, limit):
    """That lets a question beyond the limit stay whole; a pair is never more than the limit."""
    return sum(question_length + min(max(limit - question_length, 0), length) for length in candidate_lengths)


def tokens_read__limit_on_the_sum(candidate_lengths, question_length, limit):
    """That cuts the sum at the limit; each pair has the limit for itself."""
    return min(limit, sum(question_length + length for length in candidate_lengths))


def tokens_read__question_once_limit_on_the_sum(candidate_lengths, question_length, limit):
    """That reads all candidates as one text; each is read by itself, with the question and a limit of its own."""
    return min(limit, sum(candidate_lengths) + question_length)


def tokens_read__always_the_limit(candidate_lengths, question_length, limit):
    """That takes every pair as long as the limit; a short one is read to its own end."""
    return limit * len(candidate_lengths)


def tokens_read__padded(candidate_lengths, question_length, limit):
    """That makes all pairs as long as the longest; what fills them up is no token of theirs, and is not counted."""
    longest = max((min(limit, question_length + length) for length in candidate_lengths), default=0)
    return longest * len(candidate_lengths)


def tokens_read__longest(candidate_lengths, question_length, limit):
    """That is the longest pair; add all of them up."""
    return max((min(limit, question_length + length) for length in candidate_lengths), default=0)


def tokens_read__mean(candidate_lengths, question_length, limit):
    """That is the mean of the pairs; add them up."""
    return tokens_read(candidate_lengths, question_length, limit) / max(len(candidate_lengths), 1)


def tokens_read__long_ones_dropped(candidate_lengths, question_length, limit):
    """That leaves out pairs beyond the limit; they are cut there, and their beginning is read."""
    return sum(question_length + length for length in candidate_lengths if question_length + length <= limit)


def tokens_read__long_ones_in_pieces(candidate_lengths, question_length, limit):
    """That reads a long candidate in several pieces, the question before each; it is cut at the limit instead."""
    room = max(limit - question_length, 1)
    return sum(length + question_length * max(-(-length // room), 1) for length in candidate_lengths)


def tokens_read__max_for_min(candidate_lengths, question_length, limit):
    """That takes the larger of limit and length; a limit is a `min`."""
    return sum(max(limit, question_length + length) for length in candidate_lengths)


def tokens_read__question_once_more(candidate_lengths, question_length, limit):
    """That adds the question by itself once more; it is read with the candidates only."""
    return tokens_read(candidate_lengths, question_length, limit) + question_length


def tokens_read__apart(candidate_lengths, question_length, limit):
    """That counts what is cut off; asked is what is read."""
    return sum(max(0, question_length + length - limit) for length in candidate_lengths)


def tokens_read__one_each(candidate_lengths, question_length, limit):
    """That keeps a number for each pair; add them up."""
    return [min(limit, question_length + length) for length in candidate_lengths]


def tokens_read__a_pair_of_all_pairs(candidate_lengths, question_length, limit):
    """That compares all tokens with all, as attention does inside; the number of tokens read is asked for."""
    return sum(min(limit, question_length + length) ** 2 for length in candidate_lengths)


def tokens_read__no_candidates(candidate_lengths, question_length, limit):
    """That reads the question where there is no candidate; then nothing is read."""
    return tokens_read(candidate_lengths or [0], question_length, limit)
