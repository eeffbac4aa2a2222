"""Common mistakes in the tasks bert.*, each with the sentence that a learner reads.

`softmax__no_sum` is a mistake of bert.softmax. A mistake is named only where it gives what the learner's function gave.
"""

import math

import numpy as np

from firstprinciples.encode.bert import attention, gelu, layer_norm, softmax


def softmax__no_largest_taken_away(x):
    """That lets exp overflow or sink to 0 for large scores: take the largest of each row away first."""
    with np.errstate(all="ignore"):
        return np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)


def softmax__one_largest_for_all(x):
    """That takes the largest of all rows away from each row; one far below it sinks to 0 / 0: use each row's own."""
    with np.errstate(all="ignore"):
        weights = np.exp(x - np.max(x))
        return weights / weights.sum(axis=-1, keepdims=True)


def softmax__one_sum_for_all(x):
    """That divides by the sum of the whole array; each row is to add up to 1: axis=-1."""
    weights = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return weights / weights.sum()


def softmax__first_axis(x):
    """That makes the columns add up to 1; the rows are to: axis=-1, not axis=0."""
    weights = np.exp(x - np.max(x, axis=0, keepdims=True))
    return weights / weights.sum(axis=0, keepdims=True)


def softmax__second_axis(x):
    """That goes along axis 1, which is not always the last one: write axis=-1."""
    x = np.asarray(x)
    axis = 1 if x.ndim > 1 else 0
    weights = np.exp(x - x.max(axis=axis, keepdims=True))
    return weights / weights.sum(axis=axis, keepdims=True)


def softmax__mean_taken_away(x):
    """That takes the mean of each row away; where one score is far above it exp overflows: take the largest away."""
    with np.errstate(all="ignore"):
        weights = np.exp(x - np.mean(x, axis=-1, keepdims=True))
        return weights / weights.sum(axis=-1, keepdims=True)


def softmax__smallest_taken_away(x):
    """That takes the smallest score of each row away; the largest must go, so that exp is never above 1."""
    with np.errstate(all="ignore"):
        weights = np.exp(x - np.min(x, axis=-1, keepdims=True))
        return weights / weights.sum(axis=-1, keepdims=True)


def softmax__cut_off(x):
    """That cuts the scores off before exp, so that large ones become equal; take each row's largest away instead."""
    return softmax(np.clip(x, -700, 700))


def softmax__no_sum(x):
    """That is exp without a division: divide by each row's sum, so that the shares add up to 1."""
    return np.exp(x - np.max(x, axis=-1, keepdims=True))


def softmax__no_exp(x):
    """That divides the scores themselves by their sum; exp comes first, so that every share is above 0."""
    with np.errstate(all="ignore"):
        return x / np.sum(x, axis=-1, keepdims=True)


def softmax__largest_added(x):
    """That adds the largest score where it should be taken away."""
    with np.errstate(all="ignore"):
        weights = np.exp(x + np.max(x, axis=-1, keepdims=True))
        return weights / weights.sum(axis=-1, keepdims=True)


def softmax__minus(x):
    """That gives the smallest score the largest share: exp(x), not exp(-x)."""
    return softmax(-x)


def softmax__base_two(x):
    """That takes powers of 2; softmax has powers of e, np.exp."""
    weights = np.exp2(x - np.max(x, axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def softmax__logarithm(x):
    """That is the logarithm of the shares; the shares themselves are asked for."""
    return np.log(softmax(x))


def softmax__length_one(x):
    """That divides by the root of the sum of squares, so that each row has length 1; its sum is to be 1."""
    weights = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return weights / np.sqrt((weights**2).sum(axis=-1, keepdims=True))


def softmax__largest_only(x):
    """That gives everything to the largest score; softmax is softer: each gets a share."""
    return (x == np.max(x, axis=-1, keepdims=True)).astype(float)


def softmax__no_keepdims(x):
    """That lacks keepdims=True: without it the rows' numbers no longer stand beside their rows."""
    weights = np.exp(x - np.max(x, axis=-1))
    return weights / weights.sum(axis=-1)


def layer_norm__by_column(x, weight, bias, eps=1e-12):
    """That norms each column over the rows; each row is normed by itself: axis=-1."""
    centered = x - np.mean(x, axis=0)
    return centered / np.sqrt((centered**2).mean(axis=0) + eps) * weight + bias


def layer_norm__whole_array(x, weight, bias, eps=1e-12):
    """That takes one mean and one variance for all rows; each row has its own: axis=-1 and keepdims=True."""
    return (x - np.mean(x)) / np.sqrt(np.var(x) + eps) * weight + bias


def layer_norm__one_less(x, weight, bias, eps=1e-12):
    """That divides the squares by the width minus 1; layer norm divides by the width."""
    with np.errstate(all="ignore"):
        return ((x - np.mean(x, axis=-1, keepdims=True)) / np.sqrt(np.var(x, axis=-1, ddof=1, keepdims=True) + eps)
                * weight + bias)


def layer_norm__no_root(x, weight, bias, eps=1e-12):
    """That divides by the variance; divide by its root."""
    return (x - np.mean(x, axis=-1, keepdims=True)) / (np.var(x, axis=-1, keepdims=True) + eps) * weight + bias


def layer_norm__eps_after_the_root(x, weight, bias, eps=1e-12):
    """That adds eps after the root was taken; it belongs to the variance, before the root."""
    return (x - np.mean(x, axis=-1, keepdims=True)) / (np.std(x, axis=-1, keepdims=True) + eps) * weight + bias


def layer_norm__no_eps(x, weight, bias, eps=1e-12):
    """That leaves eps out: a row of equal numbers is then 0 / 0."""
    with np.errstate(all="ignore"):
        return (x - np.mean(x, axis=-1, keepdims=True)) / np.std(x, axis=-1, keepdims=True) * weight + bias


def layer_norm__eps_fixed(x, weight, bias, eps=1e-12):
    """That takes another eps than the one that is given."""
    return layer_norm(x, weight, bias, 1e-5)


def layer_norm__another_default(x, weight, bias, eps=1e-5):
    """That has 1e-5 as the default for eps; here it is 1e-12."""
    return layer_norm(x, weight, bias, eps)


def layer_norm__eps_as_the_least(x, weight, bias, eps=1e-12):
    """That uses eps only where the variance is smaller or 0; it is added to every variance."""
    return (x - np.mean(x, axis=-1, keepdims=True)) / np.sqrt(np.maximum(np.var(x, axis=-1, keepdims=True), eps)) * (
        weight) + bias


def layer_norm__parentheses(x, weight, bias, eps=1e-12):
    """That divides only the mean by the root: put parentheses around x - mean."""
    return x - np.mean(x, axis=-1, keepdims=True) / np.sqrt(np.var(x, axis=-1, keepdims=True) + eps) * weight + bias


def layer_norm__no_keepdims(x, weight, bias, eps=1e-12):
    """That lacks keepdims=True: without it the rows' means no longer stand beside their rows."""
    return (x - np.mean(x, axis=-1)) / np.sqrt(np.var(x, axis=-1) + eps) * weight + bias


def layer_norm__mean_stays(x, weight, bias, eps=1e-12):
    """That does not take the mean away: it must go from x, too, not only from the squares."""
    return x / np.sqrt(np.var(x, axis=-1, keepdims=True) + eps) * weight + bias


def layer_norm__root_mean_square(x, weight, bias, eps=1e-12):
    """That is RMS norm, which other models use: here the mean is taken away first."""
    return x / np.sqrt(np.mean(np.square(x), axis=-1, keepdims=True) + eps) * weight + bias


def layer_norm__no_bias(x, weight, bias, eps=1e-12):
    """That forgets the bias: add it at the end."""
    return layer_norm(x, weight, np.zeros_like(bias), eps)


def layer_norm__no_weight(x, weight, bias, eps=1e-12):
    """That forgets the weight: multiply by it before the bias is added."""
    return layer_norm(x, np.ones_like(weight), bias, eps)


def layer_norm__neither(x, weight, bias, eps=1e-12):
    """That forgets weight and bias: multiply by the one and add the other."""
    return layer_norm(x, np.ones_like(weight), np.zeros_like(bias), eps)


def layer_norm__bias_first(x, weight, bias, eps=1e-12):
    """That multiplies the bias by the weight, too: add it after the multiplication."""
    return (layer_norm(x, np.ones_like(weight), np.zeros_like(bias), eps) + bias) * weight


def layer_norm__length_one(x, weight, bias, eps=1e-12):
    """That brings each row to length 1; layer norm brings it to variance 1: divide the squares by the width."""
    centered = x - np.mean(x, axis=-1, keepdims=True)
    return centered / np.sqrt((centered**2).sum(axis=-1, keepdims=True) + eps) * weight + bias


def layer_norm__zero_to_one(x, weight, bias, eps=1e-12):
    """That stretches each row from its smallest number to its largest; take mean and variance instead."""
    low = np.min(x, axis=-1, keepdims=True)
    return (x - low) / (np.max(x, axis=-1, keepdims=True) - low + eps) * weight + bias


def layer_norm__exchanged(x, weight, bias, eps=1e-12):
    """That has weight and bias exchanged: multiply by the weight and add the bias."""
    return layer_norm(x, bias, weight, eps)


def gelu__tanh(x):
    """That is the approximation by tanh, which is off by up to 0.0005; take math.erf."""
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def gelu__sigmoid(x):
    """That is the approximation by a logistic function, x / (1 + exp(-1.702 x)); take math.erf."""
    return x / (1 + np.exp(-1.702 * x))


def gelu__silu(x):
    """That is SiLU, x / (1 + exp(-x)), which other models use; GELU has the normal distribution, by math.erf."""
    return x / (1 + np.exp(-x))


def gelu__relu(x):
    """That is ReLU, which cuts off at 0; GELU is soft: a little below 0 comes through."""
    return np.maximum(x, 0)


def gelu__cut_off(x):
    """That takes 0 below -3 and x above 3; a little comes through further out, too: take math.erf everywhere."""
    return np.where(np.abs(x) > 3, np.maximum(x, 0), gelu(x))


def gelu__nothing_below_0(x):
    """That cuts off below 0, where GELU lets a little through: the formula is the same on both sides."""
    return np.maximum(gelu(x), 0)


def gelu__one_row_only(x):
    """That gives math.erf a whole row; an array may have more axes than one: go through x.ravel()."""
    return np.array([value * (1 + math.erf(value / math.sqrt(2))) / 2 for value in x])


def gelu__no_root(x):
    """That takes erf of x; divide x by the root of 2 first."""
    return x * (1 + np.vectorize(math.erf, otypes=[float])(x)) / 2


def gelu__times_root(x):
    """That multiplies by the root of 2 inside erf; divide by it."""
    return x * (1 + np.vectorize(math.erf, otypes=[float])(x * math.sqrt(2))) / 2


def gelu__divided_by_two(x):
    """That divides by 2 inside erf; divide by the root of 2."""
    return x * (1 + np.vectorize(math.erf, otypes=[float])(x / 2)) / 2


def gelu__no_half(x):
    """That lacks the half: (1 + erf) / 2 goes from 0 to 1, and 1 + erf from 0 to 2."""
    return 2 * gelu(x)


def gelu__no_one(x):
    """That lacks the 1: erf goes from -1 to 1, and 1 is added before it is halved."""
    return gelu(x) - x / 2


def gelu__share_only(x):
    """That is the share of the normal distribution below x; multiply it by x."""
    return np.vectorize(lambda value: (1 + math.erf(value / math.sqrt(2))) / 2, otypes=[float])(x)


def gelu__upper_share(x):
    """That is the share above x: with erfc or 1 - erf the sign is turned; take 1 + erf."""
    return x - gelu(x)


def gelu__density(x):
    """That multiplies by the density of the normal distribution; take the share that lies below x, by math.erf."""
    return x * np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)


def gelu__flat(x):
    """That gives one long list; bring it back to the shape of x."""
    return [value * (1 + math.erf(value / math.sqrt(2))) / 2 for value in np.ravel(x)]


def gelu__erf_of_an_array(x):
    """That gives a whole array to math.erf, which takes one number: go through the numbers one by one."""
    return x * (1 + math.erf(x / math.sqrt(2))) / 2


def attention__no_division(q, k, v, mask):
    """That leaves the dot products undivided: divide them by the square root of the width."""
    return attention(q * math.sqrt(q.shape[1]), k, v, mask)


def attention__divided_by_the_width(q, k, v, mask):
    """That divides by the width; divide by its square root."""
    return attention(q / math.sqrt(q.shape[1]), k, v, mask)


def attention__root_of_the_number_of_keys(q, k, v, mask):
    """That divides by the root of the number of keys; it is the root of the width, the length of one query."""
    return attention(q * math.sqrt(q.shape[1] / len(k)), k, v, mask)


def attention__width_of_the_values(q, k, v, mask):
    """That divides by the root of the width of the values; it is the width of queries and keys that counts."""
    return attention(q * math.sqrt(q.shape[1] / v.shape[1]), k, v, mask)


def attention__multiplied(q, k, v, mask):
    """That multiplies by the square root of the width; divide by it."""
    return attention(q * q.shape[1], k, v, mask)


def attention__mask_ignored(q, k, v, mask):
    """That gives weight to places that are only filled up: the mask says which to leave out."""
    return attention(q, k, v, np.ones(len(k), dtype=bool))


def attention__mask_upside_down(q, k, v, mask):
    """That leaves out the tokens and keeps what is only filled up: True in the mask is a token."""
    with np.errstate(all="ignore"):
        return softmax(np.where(mask, -1e30, q @ k.T / math.sqrt(q.shape[1]))) @ v


def attention__ones_turned_by_tilde(q, k, v, mask):
    """That turns the mask with ~, which makes -2 of 1 and -1 of 0: make it an array of bools first."""
    fit = q @ k.T / math.sqrt(q.shape[1])
    fit[:, ~mask] = -np.inf
    return softmax(fit) @ v


def attention__ones_as_positions(q, k, v, mask):
    """That picks rows with the mask as it is: 1 and 0 are then positions. Make it an array of bools first."""
    return softmax(q @ k[mask].T / math.sqrt(q.shape[1])) @ v[mask]


def attention__divided_after_softmax(q, k, v, mask):
    """That divides by the root of the width after the softmax; divide the scores before it."""
    return attention(q * math.sqrt(q.shape[1]), k, v, mask) / math.sqrt(q.shape[1])


def attention__not_turned(q, k, v, mask):
    """That lacks `.T`: shapes (queries, width) and (keys, width) can't be multiplied, the keys have to be turned."""
    return attention(q, np.eye(k.shape[1]), (q @ k)[:0], mask)


def attention__mask_after_softmax(q, k, v, mask):
    """That masks after the softmax, so that what is left no longer adds up to 1: mask the scores before it."""
    return softmax(q @ k.T / math.sqrt(q.shape[1])) * np.asarray(mask) @ v


def attention__masked_scores_zero(q, k, v, mask):
    """That sets masked scores, or their keys, to 0, but exp(0) is 1: give them a very large negative score, -1e30."""
    return softmax(np.where(mask, q @ k.T / math.sqrt(q.shape[1]), 0.0)) @ v


def attention__mask_not_large_enough(q, k, v, mask):
    """That takes a small number from masked scores, which may still win: set them to a very large negative number."""
    return softmax(q @ k.T / math.sqrt(q.shape[1]) - 100.0 * (1 - np.asarray(mask, dtype=float))) @ v


def attention__over_queries(q, k, v, mask):
    """That takes the softmax over the queries; the weights of one query over all keys add up to 1: axis=-1."""
    return softmax(np.where(mask, q @ k.T / math.sqrt(q.shape[1]), -1e30).T).T @ v


def attention__weights(q, k, v, mask):
    """That returns the weights; multiply them by the values, weights @ v."""
    return softmax(np.where(mask, q @ k.T / math.sqrt(q.shape[1]), -1e30))


def attention__no_softmax(q, k, v, mask):
    """That weighs the values by the scores themselves; softmax turns the scores into shares first."""
    return np.where(mask, q @ k.T / math.sqrt(q.shape[1]), 0.0) @ v


def attention__no_largest_taken_away(q, k, v, mask):
    """That lets exp overflow for large scores: a softmax that takes the largest away first does not."""
    with np.errstate(all="ignore"):
        weights = np.exp(q @ k.T / math.sqrt(q.shape[1])) * np.asarray(mask)
        return weights / weights.sum(axis=-1, keepdims=True) @ v


def attention__best_key_only(q, k, v, mask):
    """That takes the value of the best key alone; attention takes a mean of all values, weighted."""
    return v[np.where(mask, q @ k.T, -np.inf).argmax(axis=-1)]


def attention__plain_mean(q, k, v, mask):
    """That gives every token the same weight; the weights come from how well query and key fit."""
    return np.repeat(v[np.asarray(mask, dtype=bool)].mean(axis=0, keepdims=True), len(q), axis=0)
