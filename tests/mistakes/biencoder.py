"""Common mistakes in the tasks biencoder.*, each with the sentence that a learner reads.

Each follows the reference but for the one thing that its sentence names.
"""

import numpy as np

from firstprinciples.encode.biencoder import (
    in_batch_loss,
    in_batch_softmax,
    mean_pool,
    repeated_positives,
    scores_gradient,
    similarity_matrix,
    vectors_gradient,
)


def mean_pool__sum(table, ids):
    """That adds the rows up; divide by how many words there are, or long texts get long vectors."""
    return mean_pool(table, ids) * len(ids)


def mean_pool__whole_table(table, ids):
    """That is the mean of the whole table; only the rows of this text's words count."""
    return np.mean(table, axis=0) if ids else np.zeros(len(table[0]))


def mean_pool__each_word_once(table, ids):
    """That counts a word that stands twice only once; each time it stands there its row counts."""
    return mean_pool(table, sorted(set(ids)))


def mean_pool__each_word_once_in_the_sum(table, ids):
    """That adds up each word once but divides by all words; a word that stands twice is added twice."""
    return sum((table[row] for row in set(ids)), np.zeros(len(table[0]))) / max(len(ids), 1)


def mean_pool__divided_by_the_table(table, ids):
    """That divides by the number of rows of the table; divide by how many words the text has."""
    return mean_pool(table, ids) * len(ids) / len(table)


def mean_pool__no_words(table, ids):
    """That divides by 0 where a text has no words; give zeros then, one for each column of the table."""
    return [float(value) / len(ids) for value in np.sum(np.asarray(table)[np.asarray(ids, dtype=int)], axis=0)]


def mean_pool__no_words_is_nan(table, ids):
    """That is nan where a text has no words, as the mean of nothing is; give zeros then."""
    return mean_pool(table, ids) if ids else np.full(len(table[0]), np.nan)


def mean_pool__no_words_is_nothing(table, ids):
    """That is empty where a text has no words; give as many zeros as the table has columns."""
    return mean_pool(table, ids) if ids else []


def mean_pool__no_words_is_none(table, ids):
    """That gives nothing back where a text has no words; give as many zeros as the table has columns."""
    return mean_pool(table, ids) if ids else None


def mean_pool__no_words_is_zero(table, ids):
    """That is a single 0 where a text has no words; give as many zeros as the table has columns."""
    return mean_pool(table, ids) if ids else 0.0


def mean_pool__across(table, ids):
    """That takes the mean along each row, one number for a word; take it down the columns: axis=0."""
    return np.asarray(table)[ids].mean(axis=1) if ids else np.zeros(len(table[0]))


def mean_pool__one_number(table, ids):
    """That is the mean of all numbers in one; each column gets a mean of its own: axis=0."""
    return np.asarray(table)[ids].mean() if ids else np.zeros(len(table[0]))


def mean_pool__from_one(table, ids):
    """That counts rows from 1; ids count from 0, and table[0] is the first."""
    return mean_pool(table, [row - 1 for row in ids])


def mean_pool__columns(table, ids):
    """That takes columns of the table for words; a word is a row: table[ids]."""
    return mean_pool(np.transpose(table), ids)


def mean_pool__largest(table, ids):
    """That takes the largest number of each column; the mean is asked for."""
    return np.max(np.asarray(table)[ids], axis=0) if ids else np.zeros(len(table[0]))


def mean_pool__middle(table, ids):
    """That is the median of each column; the mean is asked for."""
    return np.median(np.asarray(table)[ids], axis=0) if ids else np.zeros(len(table[0]))


def mean_pool__first_word(table, ids):
    """That is the row of the first word alone; take the mean over all words."""
    return mean_pool(table, ids[:1])


def mean_pool__last_word(table, ids):
    """That is the row of the last word alone; perhaps the total begins anew in each turn of the loop."""
    return mean_pool(table, ids[-1:])


def mean_pool__rows(table, ids):
    """That is the rows of the words; their mean is still to be taken."""
    return np.asarray(table)[ids] if ids else np.zeros(len(table[0]))


def mean_pool__length_one(table, ids):
    """That gives the mean length 1; that comes later, pooling is the plain mean."""
    pooled = mean_pool(table, ids)
    return pooled / (np.linalg.norm(pooled) or 1)


def mean_pool__square_root(table, ids):
    """That divides by the square root of the number of words; a mean divides by the number itself."""
    return mean_pool(table, ids) * np.sqrt(len(ids))


def mean_pool__one_too_many(table, ids):
    """That divides by one more than there are words, which avoids 0 but is no mean."""
    return mean_pool(table, ids) * len(ids) / (len(ids) + 1)


def mean_pool__one_too_few(table, ids):
    """That divides by one less than there are words; that belongs to a variance, not to a mean."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return mean_pool(table, ids) * len(ids) / (len(ids) - 1)


def mean_pool__whole_numbers(table, ids):
    """That rounds down to whole numbers: divide with / and not with //."""
    return np.floor(mean_pool(table, ids))


def similarity_matrix__times_temperature(questions, passages, temperature):
    """That multiplies by the temperature; divide, so that a low one stretches the scores."""
    return similarity_matrix(questions, passages, 1 / temperature)


def similarity_matrix__no_temperature(questions, passages, temperature):
    """That leaves the temperature out: divide the dot products by it."""
    return similarity_matrix(questions, passages, 1)


def similarity_matrix__always_the_usual(questions, passages, temperature):
    """That divides by 0.05 whatever the temperature is; use the one that was handed in."""
    return similarity_matrix(questions, passages, 0.05)


def similarity_matrix__squared(questions, passages, temperature):
    """That divides by the temperature twice; is it in both the questions and the passages? Once is enough."""
    return similarity_matrix(questions, passages, temperature**2)


def similarity_matrix__subtracted(questions, passages, temperature):
    """That takes the temperature away; divide by it."""
    return similarity_matrix(questions, passages, 1) - temperature


def similarity_matrix__by_the_width(questions, passages, temperature):
    """That divides by the square root of the width, as attention does; divide by the temperature."""
    return similarity_matrix(questions, passages, np.sqrt(np.shape(questions)[1]))


def similarity_matrix__by_the_width_too(questions, passages, temperature):
    """That divides by the square root of the width besides, as attention does; the temperature is enough."""
    return similarity_matrix(questions, passages, temperature) / np.sqrt(np.shape(questions)[1])


def similarity_matrix__turned(questions, passages, temperature):
    """That has a row for each passage; rows are questions, columns passages."""
    return similarity_matrix(passages, questions, temperature)


def similarity_matrix__questions_only(questions, passages, temperature):
    """That compares the questions with each other; compare them with the passages."""
    return similarity_matrix(questions, questions, temperature)


def similarity_matrix__passages_only(questions, passages, temperature):
    """That compares the passages with each other; compare the questions with them."""
    return similarity_matrix(passages, passages, temperature)


def similarity_matrix__pairs(questions, passages, temperature):
    """That compares question i with passage i only; every question is compared with every passage."""
    return [float(np.dot(q, p)) / temperature for q, p in zip(questions, passages, strict=False)]


def similarity_matrix__first_question(questions, passages, temperature):
    """That has a row for the first question only; every question gets one."""
    return similarity_matrix(questions[:1], passages, temperature)


def similarity_matrix__distance(questions, passages, temperature):
    """That is the distance between the points; their dot product is asked for, large where they are near."""
    return [[float(np.linalg.norm(q - p)) / temperature for p in passages] for q in questions]


def similarity_matrix__one_minus(questions, passages, temperature):
    """That is 1 less the cosine, a distance; the cosine itself is asked for, large where they are near."""
    return (1 - similarity_matrix(questions, passages, 1)) / temperature


def similarity_matrix__size_only(questions, passages, temperature):
    """That leaves out the sign; what points the opposite way has a score below 0."""
    return np.abs(similarity_matrix(questions, passages, temperature))


def similarity_matrix__floored(questions, passages, temperature):
    """That has 0 for what points the opposite way; keep the score below 0."""
    return np.maximum(similarity_matrix(questions, passages, temperature), 0)


def similarity_matrix__exp(questions, passages, temperature):
    """That already takes exp of the scores; that belongs to the softmax, which comes next."""
    return np.exp(similarity_matrix(questions, passages, temperature))


def similarity_matrix__softmax(questions, passages, temperature):
    """That already turns the scores into shares; that is the next task, here the scores are asked for."""
    return in_batch_softmax(similarity_matrix(questions, passages, temperature))


def similarity_matrix__columns(questions, passages, temperature):
    """That leaves out `.T`: shapes (n, d) and (m, d) can't be multiplied, (n, d) and (d, m) can."""
    return np.asarray(questions) @ np.asarray(passages) / temperature


def repeated_positives__diagonal_too(passages):
    """That marks the diagonal, too: a question's own passage is the right one, and stays."""
    return repeated_positives(passages) | np.eye(len(passages), dtype=bool)


def repeated_positives__later_only(passages):
    """That marks a passage only where it comes again later; also the earlier one is right for the later question."""
    return np.triu(repeated_positives(passages))


def repeated_positives__earlier_only(passages):
    """That marks a passage only where it stood before; also the later one is right for the earlier question."""
    return np.tril(repeated_positives(passages))


def repeated_positives__inverted(passages):
    """That is True where the passages differ; mark where they are the same."""
    return ~repeated_positives(passages)


def repeated_positives__inverted_off_the_diagonal(passages):
    """That marks the wrong passages, those that differ; mark the other copies of the right one."""
    return ~repeated_positives(passages) & ~np.eye(len(passages), dtype=bool)


def repeated_positives__any_case(passages):
    """That takes no notice of capitals; only the same text is the same passage."""
    return repeated_positives([passage.lower() for passage in passages])


def repeated_positives__stripped(passages):
    """That takes no notice of blanks at the ends; only the same text is the same passage."""
    return repeated_positives([passage.strip() for passage in passages])


def repeated_positives__part_of(passages):
    """That marks a passage that is part of another; only the same text is the same passage."""
    return [[i != j and other in own for j, other in enumerate(passages)] for i, own in enumerate(passages)]


def repeated_positives__the_first_only(passages):
    """That marks only the first copy, as list.index finds it; mark every other copy."""
    return [[i != j and passages.index(own) == j for j, _ in enumerate(passages)] for i, own in enumerate(passages)]


def repeated_positives__whole_column(passages):
    """That marks the whole column of a repeated passage; it is left out only where it is right for the question."""
    often = [passages.count(passage) > 1 for passage in passages]
    return [[i != j and often[j] for j in range(len(passages))] for i in range(len(passages))]


def repeated_positives__whole_row(passages):
    """That marks the whole row of a question whose passage comes again; mark only the other copies."""
    often = [passages.count(passage) > 1 for passage in passages]
    return [[i != j and often[i] for j in range(len(passages))] for i in range(len(passages))]


def repeated_positives__one_row(passages):
    """That has one row n times: [[False] * n] * n repeats the same list. Make each row anew, in a loop."""
    columns = repeated_positives(passages).any(axis=0)
    return [list(columns) for _ in passages]


def repeated_positives__none(passages):
    """That marks nothing: compare the texts with ==, not with `is`, and not the positions."""
    return np.zeros((len(passages), len(passages)), dtype=bool)


def repeated_positives__a_list(passages):
    """That says once for each passage whether it comes again; a matrix is asked for, question by passage."""
    return [passages.count(passage) > 1 for passage in passages]


def repeated_positives__ones(passages):
    """That has 1 and 0; True and False are asked for, since they are used as a mask."""
    return repeated_positives(passages).astype(int)


def repeated_positives__positions(passages):
    """That lists the positions of the copies; a matrix of True and False is asked for."""
    return [[j for j, marked in enumerate(row) if marked] for row in repeated_positives(passages).tolist()]


def repeated_positives__neighbors(passages):
    """That compares only passages that stand next to each other; compare each with each."""
    return [[abs(i - j) == 1 and own == other for j, other in enumerate(passages)] for i, own in enumerate(passages)]


def _powers(scores, masked=None, stable=True):
    """Return exp of the scores, 0 where masked; with `stable`, after the row's largest is taken away."""
    scores = np.asarray(scores, dtype=float)
    kept = scores if masked is None else np.where(masked, -np.inf, scores)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.exp(kept - kept.max(axis=1, keepdims=True) if stable else kept)


def _shares(powers, axis=1):
    """Return the shares that powers make, nan where a sum is 0 or infinite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return powers / powers.sum(axis=axis, keepdims=True)


def in_batch_softmax__overflow(scores, masked=None):
    """That overflows: exp(1000) is beyond what a float holds. Take each row's largest score away before exp."""
    return _shares(_powers(scores, masked, stable=False))


def in_batch_softmax__overflow_mask_ignored(scores, masked=None):
    """That overflows, and what is masked keeps its share: take each row's largest away before exp, and mask."""
    return _shares(_powers(scores, stable=False))


def in_batch_softmax__wrong_axis(scores, masked=None):
    """That makes each column add up to 1; a question's scores stand in a row: axis=1."""
    scores = np.asarray(scores, dtype=float)
    kept = scores if masked is None else np.where(masked, -np.inf, scores)
    return _shares(np.exp(kept - kept.max(axis=0)), axis=0)


def in_batch_softmax__wrong_axis_overflow(scores, masked=None):
    """That makes each column add up to 1, and overflows: sum along the row, axis=1, and take its largest away first."""
    return _shares(_powers(scores, masked, stable=False), axis=0)


def in_batch_softmax__whole_matrix(scores, masked=None):
    """That makes the whole matrix add up to 1; each row is for itself: axis=1, keepdims=True."""
    powers = _powers(scores, masked)
    return powers / powers.sum()


def in_batch_softmax__largest_of_all(scores, masked=None):
    """That takes the largest of the whole matrix away; in rows far below it every exp is 0. Take each row's own."""
    scores = np.asarray(scores, dtype=float)
    kept = scores if masked is None else np.where(masked, -np.inf, scores)
    return _shares(np.exp(kept - kept.max()))


def in_batch_softmax__mask_ignored(scores, masked=None):
    """That gives a share to what is masked; it takes no part, neither above the line nor in the sum."""
    return _shares(_powers(scores))


def in_batch_softmax__mask_inverted(scores, masked=None):
    """That keeps what is masked and leaves out the rest; True means left out."""
    return _shares(_powers(scores, None if masked is None else ~np.asarray(masked)))


def in_batch_softmax__masked_score_zero(scores, masked=None):
    """That sets a masked score to 0, but exp(0) is 1: set it to minus infinity, or its power to 0."""
    return _shares(_powers(scores if masked is None else np.where(masked, 0, scores)))


def in_batch_softmax__masked_score_not_low_enough(scores, masked=None):
    """That sets a masked score to a number that others can fall below; set it to minus infinity, -np.inf."""
    return in_batch_softmax(scores if masked is None else np.where(masked, -1000, scores))


def in_batch_softmax__cut_off(scores, masked=None):
    """That cuts the scores off before exp, so that large ones become equal; take each row's largest away instead."""
    return in_batch_softmax(np.clip(scores, -700, 700), masked)


def in_batch_softmax__no_keepdims(scores, masked=None):
    """That lacks keepdims=True: without it the numbers of the rows no longer stand beside their rows."""
    powers = _powers(scores, masked)
    return powers / powers.sum(axis=1)


def in_batch_softmax__if_masked(scores, masked=None):
    """That asks `if masked`, which a whole array can't answer; ask `if masked is not None`."""
    return in_batch_softmax(scores, masked if masked is not None and bool(masked) else None)


def in_batch_softmax__masked_afterwards(scores, masked=None):
    """That sets masked shares to 0 after dividing, so that the rest no longer adds up to 1; mask before the sum."""
    shares = _shares(_powers(scores))
    return shares if masked is None else np.where(masked, 0, shares)


def in_batch_softmax__masked_in_the_largest(scores, masked=None):
    """That takes away the largest of all scores, also where it is masked; then every exp may be 0. Mask first."""
    scores = np.asarray(scores, dtype=float)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return _shares(powers if masked is None else np.where(masked, 0, powers))


def in_batch_softmax__masked_stays_above(scores, masked=None):
    """That leaves what is masked out of the sum but keeps its own share; its share is 0."""
    scores, kept = np.asarray(scores, dtype=float), _powers(scores, masked)
    largest = (scores if masked is None else np.where(masked, -np.inf, scores)).max(axis=1, keepdims=True)
    with np.errstate(over="ignore"):
        return np.exp(scores - largest) / kept.sum(axis=1, keepdims=True)


def in_batch_softmax__no_exp(scores, masked=None):
    """That divides the scores themselves by their sum; take exp first, so that no share is below 0."""
    scores = np.asarray(scores, dtype=float)
    return _shares(scores if masked is None else np.where(masked, 0, scores))


def in_batch_softmax__not_divided(scores, masked=None):
    """That is exp of the scores less the largest; divide each row by its sum, so that it adds up to 1."""
    return _powers(scores, masked)


def in_batch_softmax__logarithm(scores, masked=None):
    """That is the logarithm of the shares; the shares themselves are asked for."""
    with np.errstate(divide="ignore"):
        return np.log(in_batch_softmax(scores, masked))


def in_batch_softmax__base_two(scores, masked=None):
    """That takes powers of 2; the softmax takes powers of e: np.exp."""
    scores = np.asarray(scores, dtype=float)
    kept = scores if masked is None else np.where(masked, -np.inf, scores)
    return _shares(2 ** (kept - kept.max(axis=1, keepdims=True)))


def in_batch_softmax__smallest_away(scores, masked=None):
    """That takes the smallest score away; the largest must go, so that no power is above 1."""
    scores = np.asarray(scores, dtype=float)
    kept = scores if masked is None else np.where(masked, -np.inf, scores)
    low = kept.min(axis=1, keepdims=True, where=np.isfinite(kept), initial=np.inf)
    with np.errstate(over="ignore"):
        return _shares(np.exp(kept - low))


def in_batch_softmax__positive_left_out(scores, masked=None):
    """That leaves the right passage out of the sum below the line; the sum goes over all that is not masked."""
    powers = _powers(scores, masked)
    right = np.eye(*powers.shape) * powers
    with np.errstate(divide="ignore"):
        return powers / (powers - right).sum(axis=1, keepdims=True)


def in_batch_softmax__sigmoid(scores, masked=None):
    """That looks at each score alone; the shares of a row compete, and add up to 1."""
    with np.errstate(over="ignore"):
        shares = 1 / (1 + np.exp(-np.asarray(scores, dtype=float)))
    return shares if masked is None else np.where(masked, 0, shares)


def in_batch_softmax__winner_takes_all(scores, masked=None):
    """That gives all to the largest; a softmax leaves a share to the others, too."""
    powers = _powers(scores, masked)
    return (powers == powers.max(axis=1, keepdims=True)).astype(float)


def in_batch_softmax__sign(scores, masked=None):
    """That takes exp of minus the score, so that the worst passage gets most; leave out the minus."""
    return _shares(_powers(-np.asarray(scores, dtype=float), masked))


def _losses(scores, masked=None):
    """Return -ln(share of the right passage) for each question."""
    scores = np.asarray(scores, dtype=float)
    kept = scores if masked is None else np.where(masked, -np.inf, scores)
    return np.logaddexp.reduce(kept, axis=1) - np.diagonal(scores)


def in_batch_loss__sum(scores, masked=None):
    """That adds the questions' losses up; take their mean, so that large batches do not count more."""
    return _losses(scores, masked).sum()


def in_batch_loss__sign(scores, masked=None):
    """That lacks the minus: a loss is 0 at best and grows the worse it gets."""
    return -_losses(scores, masked).mean()


def in_batch_loss__each_question(scores, masked=None):
    """That is the loss of each question; return their mean, one number."""
    return _losses(scores, masked)


def in_batch_loss__base_two(scores, masked=None):
    """That is the logarithm to base 2; the loss has the natural one, np.log."""
    return _losses(scores, masked).mean() / np.log(2)


def in_batch_loss__base_ten(scores, masked=None):
    """That is the logarithm to base 10; the loss has the natural one, np.log."""
    return _losses(scores, masked).mean() / np.log(10)


def in_batch_loss__underflow(scores, masked=None):
    """That takes the logarithm of a share that became 0: compute ln(sum of exp) less the score, not ln of the share."""
    with np.errstate(divide="ignore"):
        return -np.log(np.diagonal(in_batch_softmax(scores, masked))).mean()


def in_batch_loss__underflow_mask_ignored(scores, masked=None):
    """That ignores the mask, and takes ln of a share that became 0: mask, and compute ln(sum of exp) less the score."""
    with np.errstate(divide="ignore"):
        return -np.log(np.diagonal(in_batch_softmax(scores))).mean()


def in_batch_loss__overflow(scores, masked=None):
    """That overflows: exp(1200) is beyond what a float holds. Take each row's largest score away before exp."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return -np.log(np.diagonal(_shares(_powers(scores, masked, stable=False)))).mean()


def in_batch_loss__overflow_in_the_sum(scores, masked=None):
    """That takes ln of a sum that overflowed: take the row's largest away before exp, and add it after ln."""
    with np.errstate(over="ignore"):
        sums = np.log(_powers(scores, masked, stable=False).sum(axis=1))
    return (sums - np.diagonal(np.asarray(scores))).mean()


def in_batch_loss__overflow_in_the_sum_mask_ignored(scores, masked=None):
    """That ignores the mask, and takes ln of a sum that overflowed: mask, and take the row's largest away first."""
    with np.errstate(over="ignore"):
        sums = np.log(_powers(scores, stable=False).sum(axis=1))
    return (sums - np.diagonal(np.asarray(scores))).mean()


def in_batch_loss__small_constant(scores, masked=None):
    """That adds a small number inside the logarithm, so that no loss is above about 20; ln(sum of exp) needs none."""
    return -np.log(np.diagonal(in_batch_softmax(scores, masked)) + 1e-9).mean()


def in_batch_loss__largest_of_all(scores, masked=None):
    """That takes the largest of the whole matrix away; in rows far below it every exp is 0. Take each row's own."""
    scores = np.asarray(scores, dtype=float)
    largest = scores.max()
    powers = np.exp(scores - largest)
    with np.errstate(divide="ignore"):
        sums = largest + np.log((powers if masked is None else np.where(masked, 0, powers)).sum(axis=1))
    return (sums - np.diagonal(scores)).mean()


def in_batch_loss__square_only(scores, masked=None):
    """That looks at the first n columns; passages beyond them are wrong for all and count in the sum, too."""
    n = len(scores)
    return in_batch_loss(np.asarray(scores)[:, :n], None if masked is None else np.asarray(masked)[:, :n])


def in_batch_loss__zero_times_infinity(scores, masked=None):
    """That multiplies a diagonal of ones with logarithms: 0 times minus infinity is nan. Take the diagonal alone."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return -(np.log(in_batch_softmax(scores, masked)) * np.eye(*np.shape(scores))).sum() / len(scores)


def in_batch_loss__wrong_axis(scores, masked=None):
    """That sums down the columns: each passage then looks for its question. A question's scores stand in a row."""
    scores = np.asarray(scores, dtype=float)
    kept = scores if masked is None else np.where(masked, -np.inf, scores)
    right = np.diagonal(scores)
    return (np.logaddexp.reduce(kept, axis=0)[: len(right)] - right).mean()


def in_batch_loss__both_ways(scores, masked=None):
    """That takes the mean of two losses, by rows and by columns, as some do; here only questions look for passages."""
    return (in_batch_loss(scores, masked) + in_batch_loss__wrong_axis(scores, masked)) / 2


def in_batch_loss__positive_left_out(scores, masked=None):
    """That leaves the right passage out of the sum below the line; it belongs there, or the loss goes below 0."""
    scores = np.asarray(scores, dtype=float)
    out = np.eye(*scores.shape, dtype=bool) | (False if masked is None else np.asarray(masked))
    return (np.logaddexp.reduce(np.where(out, -np.inf, scores), axis=1) - np.diagonal(scores)).mean()


def in_batch_loss__mask_ignored(scores, masked=None):
    """That counts a repeated positive as wrong; what is masked is left out of the sum."""
    return _losses(scores).mean()


def in_batch_loss__masked_score_zero(scores, masked=None):
    """That sets a masked score to 0, but exp(0) is 1: set it to minus infinity, or leave it out."""
    return _losses(scores if masked is None else np.where(masked, 0, scores)).mean()


def in_batch_loss__masked_questions_out(scores, masked=None):
    """That leaves out the whole question where something is masked; only the marked passage is left out."""
    keep = slice(None) if masked is None else ~np.any(masked, axis=1)
    return _losses(scores, masked)[keep].mean()


def in_batch_loss__masked_is_right_too(scores, masked=None):
    """That counts a repeated positive as right, adding its share; it is left out, neither right nor wrong."""
    scores = np.asarray(scores, dtype=float)
    right = np.eye(*scores.shape, dtype=bool) | (False if masked is None else np.asarray(masked))
    return (np.logaddexp.reduce(scores, axis=1)
            - np.logaddexp.reduce(np.where(right, scores, -np.inf), axis=1)).mean()


def in_batch_loss__first_column(scores, masked=None):
    """That takes the first passage as the right one for all; passage i is right for question i: the diagonal."""
    scores = np.asarray(scores, dtype=float)
    kept = scores if masked is None else np.where(masked, -np.inf, scores)
    return (np.logaddexp.reduce(kept, axis=1) - scores[:, 0]).mean()


def in_batch_loss__best_passage(scores, masked=None):
    """That takes the best passage for the right one; the right one stands on the diagonal, however it scores."""
    scores = np.asarray(scores, dtype=float)
    kept = scores if masked is None else np.where(masked, -np.inf, scores)
    return (np.logaddexp.reduce(kept, axis=1) - kept.max(axis=1)).mean()


def in_batch_loss__no_logarithm(scores, masked=None):
    """That is 1 less the mean share of the right passage; the loss is the mean of -ln(share)."""
    return 1 - np.diagonal(in_batch_softmax(scores, masked)).mean()


def in_batch_loss__shares(scores, masked=None):
    """That is the mean share of the right passage; take minus its logarithm for each question, then the mean."""
    return np.diagonal(in_batch_softmax(scores, masked)).mean()


def in_batch_loss__mean_before_the_logarithm(scores, masked=None):
    """That takes the mean of the shares and then the logarithm; take the logarithm of each share first."""
    return -np.log(np.diagonal(in_batch_softmax(scores, masked)).mean())


def in_batch_loss__by_all_passages(scores, masked=None):
    """That divides by the number of passages; the mean goes over the questions."""
    return _losses(scores, masked).sum() / np.shape(scores)[1]


def in_batch_loss__by_all_scores(scores, masked=None):
    """That divides by the number of scores in the matrix; the mean goes over the questions."""
    return _losses(scores, masked).sum() / np.size(scores)


def in_batch_loss__largest_not_added(scores, masked=None):
    """That takes the largest away before exp and forgets to add it after the logarithm."""
    return (np.log(_powers(scores, masked).sum(axis=1)) - np.diagonal(np.asarray(scores))).mean()


def in_batch_loss__score_only(scores, masked=None):
    """That is minus the mean right score; the logarithm of the sum of all exp is missing."""
    return -np.diagonal(np.asarray(scores, dtype=float)).mean()


def in_batch_loss__misses(scores, masked=None):
    """That counts the questions whose best passage is wrong; the loss also says by how much."""
    return np.mean(np.argmax(_powers(scores, masked), axis=1) != np.arange(len(scores)))


def _diagonal(scores):
    """Return ones where the right passages are, as large as the scores."""
    return np.eye(*np.shape(scores))


def scores_gradient__not_divided(scores, masked=None):
    """That lacks the 1/n: the loss is a mean over n questions, and so is its gradient."""
    return scores_gradient(scores, masked) * len(scores)


def scores_gradient__by_all_passages(scores, masked=None):
    """That divides by the number of passages; the mean goes over the n questions, the rows."""
    return scores_gradient(scores, masked) * len(scores) / np.shape(scores)[1]


def scores_gradient__by_all_scores(scores, masked=None):
    """That divides by the number of scores in the matrix; the mean goes over the n questions, the rows."""
    return scores_gradient(scores, masked) / np.shape(scores)[1]


def scores_gradient__sign(scores, masked=None):
    """That has the sign turned: a higher right score lowers the loss, so the diagonal is below 0."""
    return -scores_gradient(scores, masked)


def scores_gradient__shares_only(scores, masked=None):
    """That is the shares over n; 1 is to be taken away on the diagonal first."""
    return in_batch_softmax(scores, masked) / len(scores)


def scores_gradient__one_not_divided(scores, masked=None):
    """That divides the shares by n but not the 1 on the diagonal: mind the parentheses."""
    return in_batch_softmax(scores, masked) / len(scores) - _diagonal(scores)


def scores_gradient__shares_not_divided(scores, masked=None):
    """That divides the 1 on the diagonal by n but not the shares: mind the parentheses."""
    return in_batch_softmax(scores, masked) - _diagonal(scores) / len(scores)


def scores_gradient__one_everywhere(scores, masked=None):
    """That takes 1 away everywhere; only the right passage, on the diagonal, is to get 1 less."""
    return (in_batch_softmax(scores, masked) - 1) / len(scores)


def scores_gradient__one_added(scores, masked=None):
    """That adds 1 on the diagonal; take it away: the right score should rise."""
    return (in_batch_softmax(scores, masked) + _diagonal(scores)) / len(scores)


def scores_gradient__wrong_axis(scores, masked=None):
    """That takes the softmax down the columns; a question's scores stand in a row."""
    return (in_batch_softmax__wrong_axis(scores, masked) - _diagonal(scores)) / len(scores)


def scores_gradient__overflow(scores, masked=None):
    """That overflows: exp(1000) is beyond what a float holds. Take each row's largest score away before exp."""
    return (in_batch_softmax__overflow(scores, masked) - _diagonal(scores)) / len(scores)


def scores_gradient__overflow_mask_ignored(scores, masked=None):
    """That overflows, and moves what is masked: take each row's largest score away before exp, and mask."""
    return (in_batch_softmax__overflow(scores) - _diagonal(scores)) / len(scores)


def scores_gradient__mask_ignored(scores, masked=None):
    """That pushes a repeated positive away; what is masked has the share 0 and is not moved."""
    return scores_gradient(scores)


def scores_gradient__masked_afterwards(scores, masked=None):
    """That sets masked places to 0 at the end, but their share still weighs on the others; mask before the softmax."""
    gradient = scores_gradient(scores)
    return gradient if masked is None else np.where(masked, 0, gradient)


def scores_gradient__masked_is_right_too(scores, masked=None):
    """That takes 1 away at masked places, too; only the diagonal gets 1 less, and masked places stay 0."""
    right = _diagonal(scores) if masked is None else _diagonal(scores) + np.asarray(masked)
    return (in_batch_softmax(scores, masked) - right) / len(scores)


def scores_gradient__right_only(scores, masked=None):
    """That moves only the right passage; the wrong ones are pushed away, each by its share."""
    return scores_gradient(scores, masked) * _diagonal(scores)


def scores_gradient__wrong_only(scores, masked=None):
    """That moves only the wrong passages; the right one is pulled, by its share less 1."""
    return scores_gradient(scores, masked) * (1 - _diagonal(scores))


def scores_gradient__turned(scores, masked=None):
    """That has a row for each passage; rows are questions, as in the scores."""
    return scores_gradient(scores, masked).T


def scores_gradient__first_column(scores, masked=None):
    """That takes 1 away in the first column; passage i is right for question i: the diagonal."""
    right = np.zeros(np.shape(scores))
    right[:, 0] = 1
    return (in_batch_softmax(scores, masked) - right) / len(scores)


def scores_gradient__best_passage(scores, masked=None):
    """That takes 1 away where the share is largest; the right passage stands on the diagonal, however it scores."""
    shares = in_batch_softmax(scores, masked)
    return (shares - (shares == shares.max(axis=1, keepdims=True))) / len(scores)


def scores_gradient__of_the_shares(scores, masked=None):
    """That multiplies by share (1 - share), as for a single sigmoid; through the logarithm it is share less 1."""
    shares = in_batch_softmax(scores, masked)
    return (shares - _diagonal(scores)) * shares * (1 - shares) / len(scores)


def scores_gradient__no_softmax(scores, masked=None):
    """That takes 1 away from the scores themselves; turn them into shares first."""
    kept = np.asarray(scores, dtype=float)
    return ((kept if masked is None else np.where(masked, 0, kept)) - _diagonal(scores)) / len(scores)


def vectors_gradient__no_temperature(gradient, questions, passages, temperature):
    """That lacks the 1/temperature: the scores were divided by it, and so is what goes back."""
    return vectors_gradient(gradient, questions, passages, 1)


def vectors_gradient__times_temperature(gradient, questions, passages, temperature):
    """That multiplies by the temperature; the scores were divided by it, and so is what goes back."""
    return vectors_gradient(gradient, questions, passages, 1 / temperature)


def vectors_gradient__always_the_usual(gradient, questions, passages, temperature):
    """That divides by 0.05 whatever the temperature is; use the one that was handed in."""
    return vectors_gradient(gradient, questions, passages, 0.05)


def vectors_gradient__squared(gradient, questions, passages, temperature):
    """That divides by the temperature twice; once is enough."""
    return vectors_gradient(gradient, questions, passages, temperature**2)


def vectors_gradient__questions_only_divided(gradient, questions, passages, temperature):
    """That forgets the 1/temperature for the passages; both sides get it."""
    return (vectors_gradient(gradient, questions, passages, temperature)[0],
            vectors_gradient(gradient, questions, passages, 1)[1])


def vectors_gradient__passages_only_divided(gradient, questions, passages, temperature):
    """That forgets the 1/temperature for the questions; both sides get it."""
    return (vectors_gradient(gradient, questions, passages, 1)[0],
            vectors_gradient(gradient, questions, passages, temperature)[1])


def vectors_gradient__passages_stay(gradient, questions, passages, temperature):
    """That has zeros for the passages: they learn, too, from all questions that they were compared with."""
    of_questions, of_passages = vectors_gradient(gradient, questions, passages, temperature)
    return of_questions, np.zeros_like(of_passages)


def vectors_gradient__no_passages(gradient, questions, passages, temperature):
    """That returns the gradient of the questions alone; return that of the passages, too, as a pair."""
    return vectors_gradient(gradient, questions, passages, temperature)[0]


def vectors_gradient__no_questions(gradient, questions, passages, temperature):
    """That returns the gradient of the passages alone; return that of the questions first, as a pair."""
    return vectors_gradient(gradient, questions, passages, temperature)[1]


def vectors_gradient__questions_stay(gradient, questions, passages, temperature):
    """That has zeros for the questions: they learn, too, from all passages that they were compared with."""
    of_questions, of_passages = vectors_gradient(gradient, questions, passages, temperature)
    return np.zeros_like(of_questions), of_passages


def vectors_gradient__passages_first(gradient, questions, passages, temperature):
    """That returns the passages first; the questions come first."""
    return vectors_gradient(gradient, questions, passages, temperature)[::-1]


def vectors_gradient__own_passage_only(gradient, questions, passages, temperature):
    """That lets question i and passage i move each other only; each is moved by all of the other side."""
    return vectors_gradient(np.asarray(gradient) * _diagonal(gradient), questions, passages, temperature)


def vectors_gradient__own_question_only(gradient, questions, passages, temperature):
    """That lets a passage be moved by its own question only; all questions push it or pull it."""
    own = vectors_gradient(np.asarray(gradient) * _diagonal(gradient), questions, passages, temperature)
    return vectors_gradient(gradient, questions, passages, temperature)[0], own[1]


def vectors_gradient__sign(gradient, questions, passages, temperature):
    """That has the sign turned; the step downhill subtracts the gradient later, here it stays as it is."""
    return tuple(-part for part in vectors_gradient(gradient, questions, passages, temperature))


def vectors_gradient__passages_sign(gradient, questions, passages, temperature):
    """That has the sign of the passages turned; both sides go the same way through the dot product."""
    of_questions, of_passages = vectors_gradient(gradient, questions, passages, temperature)
    return of_questions, -of_passages


def vectors_gradient__divided_again(gradient, questions, passages, temperature):
    """That divides by the number of questions once more; it is in the gradient of the scores already."""
    return tuple(part / len(questions) for part in vectors_gradient(gradient, questions, passages, temperature))


def vectors_gradient__means(gradient, questions, passages, temperature):
    """That takes means over the other side; what the others do adds up."""
    of_questions, of_passages = vectors_gradient(gradient, questions, passages, temperature)
    return of_questions / len(passages), of_passages / len(questions)


def vectors_gradient__not_turned(gradient, questions, passages, temperature):
    """That multiplies shapes that do not fit: gradient goes with the passages, gradient.T with the questions."""
    gradient = np.asarray(gradient) / temperature
    return gradient @ passages, gradient @ questions


def vectors_gradient__rounded_to_signs(gradient, questions, passages, temperature):
    """That keeps only the sign of the gradient; how large it is says how far each one moves."""
    return vectors_gradient(np.sign(gradient), questions, passages, temperature)


def vectors_gradient__scores_not_used(gradient, questions, passages, temperature):
    """That adds up the other side's vectors without weights; the gradient of the score says how much each counts."""
    return vectors_gradient(np.ones(np.shape(gradient)), questions, passages, temperature)


def _adam(values, gradient, m, v, step, rate, beta1, beta2, epsilon, correct_m=True, correct_v=True, sign=-1):
    """Return what `adam_step` does, with switches."""
    m, v = beta1 * m + (1 - beta1) * gradient, beta2 * v + (1 - beta2) * gradient**2
    first = m / (1 - beta1**step) if correct_m else m
    second = v / (1 - beta2**step) if correct_v else v
    return values + sign * rate * first / (np.sqrt(second) + epsilon), m, v


def adam_step__uphill(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """That goes uphill: subtract the step, so that the loss falls."""
    return _adam(values, gradient, m, v, step, rate, beta1, beta2, epsilon, sign=1)


def adam_step__not_corrected(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """That uses m and v as they are; they begin at 0, so divide them by 1 - beta1^step and 1 - beta2^step."""
    return _adam(values, gradient, m, v, step, rate, beta1, beta2, epsilon, correct_m=False, correct_v=False)


def adam_step__m_not_corrected(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """That uses m as it is; it begins at 0, so divide it by 1 - beta1^step."""
    return _adam(values, gradient, m, v, step, rate, beta1, beta2, epsilon, correct_m=False)


def adam_step__v_not_corrected(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """That uses v as it is; it begins at 0, so divide it by 1 - beta2^step."""
    return _adam(values, gradient, m, v, step, rate, beta1, beta2, epsilon, correct_v=False)


def adam_step__corrected_kept(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """That returns m and v after the division; the next step needs them as they were before it."""
    values, m, v = _adam(values, gradient, m, v, step, rate, beta1, beta2, epsilon)
    return values, m / (1 - beta1**step), v / (1 - beta2**step)


def adam_step__step_from_zero(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """That adds 1 to the step; it is 1 the first time already."""
    return _adam(values, gradient, m, v, step + 1, rate, beta1, beta2, epsilon)


def adam_step__step_less_one(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """That takes 1 from the step, and so divides by 0 the first time; it is 1 then already."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return _adam(values, gradient, m, v, np.float64(step - 1), rate, beta1, beta2, epsilon)


def adam_step__epsilon_before_the_correction(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """That adds epsilon to the root of v before v is corrected; correct v, take the root, then add epsilon."""
    new, m, v = _adam(values, gradient, m, v, step, rate, beta1, beta2, epsilon)
    return values - rate * np.sqrt(1 - beta2**step) / (1 - beta1**step) * m / (np.sqrt(v) + epsilon), m, v


def adam_step__times_the_step(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """That multiplies beta by the step in the correction; it is beta to the power of step: beta ** step."""
    new, m, v = _adam(values, gradient, m, v, step, rate, beta1, beta2, epsilon)
    with np.errstate(divide="ignore", invalid="ignore"):
        return values - rate * (m / (1 - beta1 * step)) / (np.sqrt(v / (1 - beta2 * step)) + epsilon), m, v


def adam_step__betas_exchanged(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """That has the two betas exchanged: beta1 belongs to m, the mean of the gradient, beta2 to v."""
    return _adam(values, gradient, m, v, step, rate, beta2, beta1, epsilon)


def adam_step__shares_exchanged(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """That keeps 1 - beta of the old and takes beta of the new; most of the old stays: beta * m."""
    m, v = (1 - beta1) * m + beta1 * gradient, (1 - beta2) * v + beta2 * gradient**2
    return values - rate * m / (1 - beta1**step) / (np.sqrt(v / (1 - beta2**step)) + epsilon), m, v


def adam_step__share_of_the_new_missing(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """That adds the whole gradient to m and the whole square to v; they get 1 - beta of it."""
    m, v = beta1 * m + gradient, beta2 * v + gradient**2
    return values - rate * m / (1 - beta1**step) / (np.sqrt(v / (1 - beta2**step)) + epsilon), m, v


def adam_step__not_squared(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """That puts the size of the gradient into v; the square belongs there."""
    m, v = beta1 * m + (1 - beta1) * gradient, beta2 * v + (1 - beta2) * np.abs(gradient)
    return values - rate * m / (1 - beta1**step) / (np.sqrt(v / (1 - beta2**step)) + epsilon), m, v


def adam_step__no_root(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """That divides by v without its square root; then a large gradient makes a small step."""
    new, m, v = _adam(values, gradient, m, v, step, rate, beta1, beta2, epsilon)
    return values - rate * m / (1 - beta1**step) / (v / (1 - beta2**step) + epsilon), m, v


def adam_step__epsilon_inside(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """That adds epsilon inside the square root; it stands outside: sqrt(v) + epsilon."""
    new, m, v = _adam(values, gradient, m, v, step, rate, beta1, beta2, epsilon)
    return values - rate * m / (1 - beta1**step) / np.sqrt(v / (1 - beta2**step) + epsilon), m, v


def adam_step__no_epsilon(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """That leaves epsilon out, or has a fixed one: add the one that was handed in to the square root."""
    return _adam(values, gradient, m, v, step, rate, beta1, beta2, 0.0)


def adam_step__epsilon_to_the_quotient(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """That adds epsilon after dividing: parentheses are missing around sqrt(v) + epsilon."""
    new, m, v = _adam(values, gradient, m, v, step, rate, beta1, beta2, 0.0)
    return new - rate * epsilon, m, v


def adam_step__defaults_ignored(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """That uses 0.9, 0.999 and 1e-8 whatever was handed in; those are only the defaults."""
    return _adam(values, gradient, m, v, step, rate, 0.9, 0.999, 1e-8)


def adam_step__rate_ignored(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """That leaves the rate out: the step is rate times m / (sqrt(v) + epsilon)."""
    return _adam(values, gradient, m, v, step, 1.0, beta1, beta2, epsilon)


def adam_step__old_means(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """That moves by the old m and v; bring them up to date first, then move."""
    new, new_m, new_v = _adam(values, gradient, m, v, step, rate, beta1, beta2, epsilon)
    moved = values - rate * m / (1 - beta1**step) / (np.sqrt(v / (1 - beta2**step)) + epsilon)
    return moved, new_m, new_v


def adam_step__gradient_above(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """That moves along this step's gradient; the running mean m stands above the line."""
    new, m, v = _adam(values, gradient, m, v, step, rate, beta1, beta2, epsilon)
    return values - rate * gradient / (np.sqrt(v / (1 - beta2**step)) + epsilon), m, v


def adam_step__plain_descent(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """That moves by rate times the gradient, plain gradient descent; Adam divides the mean m by sqrt(v) + epsilon."""
    new, m, v = _adam(values, gradient, m, v, step, rate, beta1, beta2, epsilon)
    return values - rate * gradient, m, v


def adam_step__momentum_only(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """That moves by the running mean alone; divide it by the square root of v."""
    new, m, v = _adam(values, gradient, m, v, step, rate, beta1, beta2, epsilon)
    return values - rate * m / (1 - beta1**step), m, v


def adam_step__means_stay(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """That returns m and v as they came in; the next step needs the new ones."""
    return _adam(values, gradient, m, v, step, rate, beta1, beta2, epsilon)[0], m, v


def adam_step__values_only(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """That returns the values alone; the next step needs the new m and v, too."""
    return _adam(values, gradient, m, v, step, rate, beta1, beta2, epsilon)[0]


def adam_step__v_before_m(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """That returns v before m; the order is values, m, v."""
    values, m, v = _adam(values, gradient, m, v, step, rate, beta1, beta2, epsilon)
    return values, v, m


def adam_step__step_only(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """That returns the step instead of the values after it; subtract it from the values."""
    new, m, v = _adam(values, gradient, m, v, step, rate, beta1, beta2, epsilon)
    return values - new, m, v


def adam_step__square_of_the_mean(values, gradient, m, v, step, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """That puts the square of m into v; the square of the gradient belongs there."""
    m = beta1 * m + (1 - beta1) * gradient
    v = beta2 * v + (1 - beta2) * m**2
    return values - rate * m / (1 - beta1**step) / (np.sqrt(v / (1 - beta2**step)) + epsilon), m, v
