"""Common mistakes in the tasks cosine.*, each with the sentence that a learner reads."""

import math

import numpy as np

from firstprinciples.index.cosine import angle, norm, normalize, similarities, similarity, top_k


def _quietly(formula, *values):
    """Return formula(arrays of floats), without the warnings that NumPy prints where it overflows or divides by 0."""
    with np.errstate(all="ignore"):
        return formula(*(np.asarray(value, dtype=float) for value in values))


def norm__naive(a):
    """That squares the numbers as they are; 1e200 squared is beyond any float, so divide by the largest first."""
    return _quietly(np.linalg.norm, a)


def norm__naive_in_python(a):
    """That squares the numbers as they are; 1e200 ** 2 is too large for a float, so divide by the largest first."""
    return math.sqrt(sum(float(number) ** 2 for number in a))


def norm__signed_largest(a):
    """That divides by the largest number with its sign, which may be below 0; take the largest size, `abs`."""
    return math.copysign(norm(a), max(a))


def norm__not_multiplied_again(a):
    """That divides by the largest number and does not multiply by it again after the root."""
    return norm(a) / max(map(abs, a)) if any(a) else 0.0


def norm__no_root(a):
    """That is the sum of the squares; the length is its square root."""
    return norm(a) ** 2 if norm(a) < 1e100 else math.inf


def norm__sum_of_sizes(a):
    """That adds up the numbers without their signs; a length adds up their squares and takes the root."""
    return float(np.sum(np.abs(a)))


def norm__mean_square(a):
    """That takes the mean of the squares; the length takes their sum, so it grows with every number."""
    return norm(a) / math.sqrt(len(a))


def norm__largest(a):
    """That is the largest number alone; all of them make the length."""
    return float(np.max(np.abs(a)))


def norm__constant_added(a):
    """That adds a small constant to the length; then short vectors have a wrong one. The length of zeros is just 0."""
    return norm(a) + 1e-8


def norm__divides_by_zero(a):
    """That divides by the largest number, which is 0 in a vector of zeros; return 0.0 for it."""
    largest = max(abs(float(number)) for number in a)
    return largest * math.sqrt(sum((number / largest) ** 2 for number in a))


def similarity__dot(a, b):
    """That is the dot product; divide it by both lengths, or long vectors win."""
    return _quietly(lambda a, b: a @ b, a, b)


def similarity__dot_of_the_shorter(a, b):
    """That is the dot product, of as many numbers as both have; divide it by both lengths, and refuse two widths."""
    return float(sum(x * y for x, y in zip(a, b, strict=False)))


def similarity__one_length(a, b):
    """That divides by the length of the first vector only; both lengths have to go."""
    return _quietly(lambda a, b: a @ b / norm(a) if norm(a) else 0.0, a, b)


def similarity__other_length(a, b):
    """That divides by the length of the second vector only; both lengths have to go."""
    return _quietly(lambda a, b: a @ b / norm(b) if norm(b) else 0.0, a, b)


def similarity__squared_lengths(a, b):
    """That divides by the squares of the lengths; take the square root of each sum of squares."""
    return _quietly(lambda a, b: a @ b / ((a @ a) * (b @ b)) if norm(a) and norm(b) else 0.0, a, b)


def similarity__lengths_added(a, b):
    """That divides by the sum of the lengths; divide by their product."""
    return _quietly(lambda a, b: a @ b / (norm(a) + norm(b)) if norm(a) and norm(b) else 0.0, a, b)


def similarity__nan_on_zero(a, b):
    """That divides 0 by 0 for a vector of zeros; such a vector points nowhere, and its similarity is 0."""
    return _quietly(lambda a, b: a @ b / (np.float64(norm(a)) * norm(b)), a, b)


def similarity__nan_on_zero_divided_first(a, b):
    """That divides a vector of zeros by its length, 0 by 0; return 0.0 before you come to it."""
    return _quietly(lambda a, b: (a / norm(a)) @ (b / norm(b)), a, b)


def similarity__raises_on_zero(a, b):
    """That divides a Python number by the length 0 of a vector of zeros; return 0.0 for it."""
    return _quietly(lambda a, b: float(a @ b) / (norm(a) * norm(b)), a, b)


def similarity__refuses_zero(a, b):
    """That refuses a vector of zeros; it comes from an empty question and has similarity 0 with everything."""
    if norm(a) == 0 or norm(b) == 0:
        raise ValueError("zeros")
    return similarity(a, b)


def similarity__constant_added(a, b):
    """That adds a small constant to what it divides by, or sets a least: short vectors then seem unlike. Return 0.0 for
    a vector of zeros."""
    return _quietly(lambda a, b: a @ b / (np.float64(norm(a)) * norm(b) + 1e-8), a, b)


def similarity__constant_in_each_length(a, b):
    """That adds a small constant to each length; short vectors then seem unlike. Return 0.0 for a vector of zeros."""
    return _quietly(lambda a, b: (a / (norm(a) + 1e-8)) @ (b / (norm(b) + 1e-8)), a, b)


def similarity__divided_too_late(a, b):
    """That divides by one length after the other, but multiplies first: the product is too large. Divide each first."""
    return _quietly(lambda a, b: a @ b / norm(a) / norm(b) if norm(a) and norm(b) else 0.0, a, b)


def similarity__product_of_large(a, b):
    """That multiplies before it divides; the product of two long vectors is beyond any float, so divide each first."""
    return _quietly(lambda a, b: a @ b / (np.float64(norm(a)) * norm(b)) if norm(a) and norm(b) else 0.0, a, b)


def similarity__absolute(a, b):
    """That takes the sign away; opposite vectors have similarity -1."""
    return abs(similarity(a, b))


def similarity__negatives_to_zero(a, b):
    """That makes 0 of what lies below it; opposite vectors have similarity -1."""
    return max(similarity(a, b), 0.0)


def similarity__distance(a, b):
    """That is the distance between the two points; the cosine of the angle is asked for."""
    return norm(np.subtract(a, b))


def similarity__angle(a, b):
    """That is the angle in radians; return its cosine."""
    return math.acos(similarity(a, b))


def similarity__shorter_counts(a, b):
    """That goes as far as the shorter vector; vectors of two widths can't be compared and are refused."""
    n = min(len(a), len(b))
    return similarity(a[:n], b[:n])


def similarity__stretched(a, b):
    """That lets NumPy repeat a vector of one number to the width of the other; refuse vectors of two widths."""
    return similarity(*np.broadcast_arrays(np.asarray(a, dtype=float), np.asarray(b, dtype=float)))


def angle__radians(a, b):
    """That is in radians; multiply by 180 / pi, or use math.degrees."""
    return math.acos(similarity(a, b))


def angle__cosine(a, b):
    """That is the cosine itself; the angle is its inverse, `math.acos`, in degrees."""
    return similarity(a, b)


def angle__sine(a, b):
    """That takes the inverse sine; the similarity is a cosine."""
    return math.degrees(math.asin(similarity(a, b)))


def angle__no_clamp(a, b):
    """That hands `acos` a cosine which rounding took past 1; cut it off at 1 and -1 first."""
    lengths = np.linalg.norm(a) * np.linalg.norm(b)
    return math.degrees(math.acos(np.dot(a, b) / lengths)) if lengths else 90.0


def angle__no_clamp_in_numpy(a, b):
    """That hands `arccos` a cosine which rounding took past 1, and gets nan; cut it off at 1 and -1 first."""
    def formula(a, b):
        lengths = np.linalg.norm(a) * np.linalg.norm(b)
        return np.degrees(np.arccos(a @ b / lengths)) if lengths else 90.0

    return _quietly(formula, a, b)


def angle__zeros_are_nan(a, b):
    """That divides 0 by 0 for a vector of zeros; its cosine with everything is 0, so the angle is 90 degrees."""
    return angle(a, b) if np.any(a) and np.any(b) else math.nan


def angle__below_0_is_0(a, b):
    """That makes 0 of a cosine below 0; opposite vectors are 180 degrees apart."""
    return math.degrees(math.acos(max(similarity(a, b), 0.0)))


def angle__half_circle(a, b):
    """That stops at 90 degrees; opposite vectors are 180 degrees apart."""
    return math.degrees(math.acos(abs(similarity(a, b))))


def angle__zeros_at_zero(a, b):
    """That gives 0 degrees for a vector of zeros, as if it pointed the same way; its cosine is 0, so 90 degrees."""
    return math.degrees(math.acos(similarity(a, b))) if norm(a) and norm(b) else 0.0


def angle__share_of_cosine(a, b):
    """That lets the angle fall in a straight line with the cosine; it is the inverse cosine, `math.acos`."""
    return 90 * (1 - similarity(a, b))


def normalize__one_norm(vectors):
    """That divides the whole table by one length; each row has its own (`axis=-1`)."""
    return _quietly(lambda vectors: vectors / (np.linalg.norm(vectors) or 1.0), vectors)


def normalize__columns(vectors):
    """That makes each column length 1; a vector is a row, so sum over the last axis."""
    return _quietly(lambda vectors: vectors / np.linalg.norm(vectors, axis=0), vectors)


def normalize__nan_on_zero(vectors):
    """That divides 0 by 0 in a row of zeros; such a row stays as it is."""
    return _quietly(lambda vectors: vectors / np.linalg.norm(vectors, axis=-1, keepdims=True), vectors)


def normalize__zeros_refused(vectors):
    """That refuses zeros; a row of zeros stays as it is."""
    if not np.asarray(vectors).any(axis=-1).all():
        raise ValueError("zeros")
    return normalize(vectors)


def normalize__zeros_dropped(vectors):
    """That drops the rows of zeros; the rows below would then belong to other ids, so they stay as zeros."""
    vectors = np.asarray(vectors, dtype=float)
    return normalize(vectors[vectors.any(axis=-1)]) if vectors.ndim == 2 else normalize(vectors)


def normalize__constant_added(vectors):
    """That adds a small constant to each length, or sets a least: short vectors stay short. Leave out rows of zeros."""
    return _quietly(lambda vectors: vectors / (np.linalg.norm(vectors, axis=-1, keepdims=True) + 1e-8), vectors)


def normalize__constant_added_to_the_right_length(vectors):
    """That has the right length and adds a small constant to it: short vectors stay short. Leave out rows of zeros."""
    vectors = np.asarray(vectors, dtype=float)
    return vectors / (np.hypot.reduce(vectors, axis=-1, keepdims=True) + 1e-8)


def normalize__naive(vectors):
    """That squares the numbers as they are; 1e200 squared is beyond any float, so divide by the largest first."""
    def formula(vectors):
        lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
        return vectors / np.where(lengths > 0, lengths, 1.0)

    return _quietly(formula, vectors)


def normalize__no_root(vectors):
    """That divides by the sum of the squares; divide by its square root, the length."""
    def formula(vectors):
        sums = np.sum(vectors**2, axis=-1, keepdims=True)
        return vectors / np.where(sums > 0, sums, 1.0)

    return _quietly(formula, vectors)


def normalize__sum(vectors):
    """That makes each row add up to 1; each row should have length 1, so divide by the root of the summed squares."""
    vectors = np.asarray(vectors, dtype=float)
    sums = np.sum(vectors, axis=-1, keepdims=True)
    return vectors / np.where(sums != 0, sums, 1.0)


def normalize__sum_of_sizes(vectors):
    """That divides by the sum of the numbers without their signs; divide by the root of the summed squares."""
    vectors = np.asarray(vectors, dtype=float)
    sums = np.sum(np.abs(vectors), axis=-1, keepdims=True)
    return vectors / np.where(sums > 0, sums, 1.0)


def normalize__largest(vectors):
    """That brings the largest number of each row to 1; the length should be 1."""
    vectors = np.asarray(vectors, dtype=float)
    largest = np.max(np.abs(vectors), axis=-1, keepdims=True)
    return vectors / np.where(largest > 0, largest, 1.0)


def normalize__standard_scores(vectors):
    """That moves each row to mean 0 first; normalizing only divides, so that no direction changes."""
    vectors = np.asarray(vectors, dtype=float)
    return normalize(vectors - vectors.mean(axis=-1, keepdims=True))


def normalize__in_place(vectors):
    """That divides in place, which an array of whole numbers can't do; work on a new array of floats."""
    if isinstance(vectors, np.ndarray) and vectors.dtype.kind == "i":
        raise TypeError("cannot cast")
    return normalize(vectors)


def normalize__whole_numbers(vectors):
    """That writes into an array of whole numbers, which cuts off what follows the point; make it one of floats."""
    given = np.asarray(vectors)
    return normalize(vectors).astype(int) if given.dtype.kind == "i" else normalize(vectors)


def normalize__table_only(vectors):
    """That works for a table only; one vector, 1-D, may come, too (`axis=-1` fits both)."""
    if np.ndim(vectors) == 1:
        raise ValueError("axis 1 is out of bounds")
    return normalize(vectors)


def normalize__always_a_table(vectors):
    """That makes a table of one vector; give back the shape that came in."""
    return normalize(np.atleast_2d(vectors))


def similarities__dot(query, vectors):
    """That is the dot product with the vectors as they are; normalize both sides first."""
    return np.asarray(vectors, dtype=float) @ np.asarray(query, dtype=float)


def similarities__query_only(query, vectors):
    """That normalizes the query and not the rows; long rows then win. The order hangs on the rows' lengths."""
    return np.asarray(vectors, dtype=float) @ normalize(query)


def similarities__rows_only(query, vectors):
    """That normalizes the rows and not the query: the order is right, but these are no cosines."""
    return normalize(vectors) @ np.asarray(query, dtype=float)


def similarities__one_norm(query, vectors):
    """That divides the whole table by one length; each row has its own."""
    return _quietly(lambda query, vectors: vectors @ query / (np.linalg.norm(vectors) * (norm(query) or 1.0)),
                    query, vectors)


def similarities__columns(query, vectors):
    """That normalizes the columns of the table; a vector is a row."""
    return _quietly(lambda query, vectors: vectors / np.linalg.norm(vectors, axis=0) @ normalize(query),
                    query, vectors)


def similarities__nan_on_zero(query, vectors):
    """That divides 0 by 0 where the query or a row is all zeros; the similarity is then 0."""
    return _quietly(lambda query, vectors: vectors @ query / (np.linalg.norm(vectors, axis=1) * norm(query)),
                    query, vectors)


def similarities__zero_rows_dropped(query, vectors):
    """That leaves out rows of zeros; one similarity for each row is asked for, 0 for these."""
    vectors = np.asarray(vectors, dtype=float)
    return similarities(query, vectors[vectors.any(axis=1)])


def similarities__empty_for_zero(query, vectors):
    """That gives nothing for a query of zeros; it is 0 similar to each row."""
    return similarities(query, vectors) if np.any(query) else []


def similarities__constant_added(query, vectors):
    """That adds a small constant to what it divides by, or sets a least: short vectors then seem unlike."""
    return _quietly(lambda query, vectors: vectors @ query / (np.linalg.norm(vectors, axis=1) * norm(query) + 1e-8),
                    query, vectors)


def similarities__naive(query, vectors):
    """That multiplies before it divides; with long vectors the products are beyond any float, so normalize first."""
    def formula(query, vectors):
        lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(query)
        return np.where(lengths > 0, vectors @ query / np.where(lengths > 0, lengths, 1.0), 0.0)

    return _quietly(formula, query, vectors)


def similarities__nan_to_zero(query, vectors):
    """That turns every nan into 0, also those of long vectors, whose products are beyond any float; normalize first."""
    return np.nan_to_num(similarities__nan_on_zero(query, vectors))


def similarities__zip(query, vectors):
    """That goes as far as the shorter one; refuse a query that is not as wide as the rows."""
    return [float(sum(x * y for x, y in zip(normalize(query), row, strict=False))) for row in normalize(vectors)]


def similarities__absolute(query, vectors):
    """That takes the sign away; rows that point the other way have a similarity below 0."""
    return np.abs(similarities(query, vectors))


def similarities__distances(query, vectors):
    """That gives distances, small for what is alike; the cosine is large for it."""
    return np.array([norm(row) for row in normalize(vectors) - normalize(query)])


def similarities__stretched(query, vectors):
    """That lets NumPy repeat a query of one number to the width of the rows; refuse two widths."""
    vectors, query = np.asarray(vectors, dtype=float), np.asarray(query, dtype=float)
    return similarities(np.broadcast_to(query, vectors.shape[1:]), vectors)


def similarities__column(query, vectors):
    """That gives a table with one column; a plain list of numbers, (n,), is asked for."""
    return similarities(query, vectors)[:, None]


def top_k__smallest(similarities, k):
    """That takes the smallest first; a cosine is large for what is alike."""
    return top_k__by_key(similarities, k, lambda pair: (pair[1], pair[0]))


def top_k__by_key(similarities, k, key=lambda pair: (-pair[1], -pair[0])):
    """That puts the last of equal ones first; equal ones are ordered by position, ascending."""
    if k < 1:
        raise ValueError("k")
    return sorted(enumerate(map(float, similarities)), key=key)[:k]


def top_k__any_order_of_equals(similarities, k):
    """That leaves it to `argsort` how equal ones stand; ask for kind="stable", and they keep their positions."""
    return _chosen(similarities, k, np.argsort(-np.asarray(similarities)))


def top_k__turned_around(similarities, k):
    """That sorts upward and turns the result around, and equal ones with it; sort minus the numbers, kind="stable"."""
    return _chosen(similarities, k, np.argsort(similarities)[::-1])


def top_k__any_of_the_equals(similarities, k):
    """That lets `argpartition` choose among those that tie with the k-th; the first ones in the list come in."""
    values = np.asarray(similarities)
    found = np.argpartition(-values, min(k, len(values)) - 1)[: max(k, 0)]
    return _chosen(similarities, k, sorted(found, key=lambda place: (-values[place], place)))


def _chosen(similarities, k, order):
    """Return the first k of an order as pairs."""
    if k < 1:
        raise ValueError("k")
    return [(int(place), float(similarities[place])) for place in order[:k]]


def top_k__looked_up_again(similarities, k):
    """That looks the position up by its number, and finds the first of equal ones each time; keep pairs together."""
    return [(list(similarities).index(value), value) for _, value in top_k(similarities, k)]


def top_k__one_more(similarities, k):
    """That gives one more than k."""
    return top_k(similarities, k)[:0] + top_k(similarities, k + 1)


def top_k__not_there(similarities, k):
    """That counts up to k also where there are fewer numbers; stop at the last."""
    if k > len(similarities):
        raise IndexError("list index out of range")
    return top_k(similarities, k)


def top_k__worst_first(similarities, k):
    """That has the right ones, the best of them last; the best comes first."""
    return top_k(similarities, k)[::-1]


def top_k__positions_only(similarities, k):
    """That gives positions alone; each stands in a pair with its similarity."""
    return [position for position, _ in top_k(similarities, k)]


def top_k__swapped(similarities, k):
    """That has the similarity first in each pair; it is (position, similarity)."""
    return [(value, position) for position, value in top_k(similarities, k)]


def top_k__from_one(similarities, k):
    """That counts positions from 1; they count from 0."""
    return [(position + 1, value) for position, value in top_k(similarities, k)]


def top_k__size(similarities, k):
    """That orders by size without the sign; -0.75 is less alike than 0.25."""
    return top_k__by_key(similarities, k, lambda pair: (-abs(pair[1]), pair[0]))


def top_k__positive_only(similarities, k):
    """That leaves out what is not above 0; a search by vectors gives k results wherever there are k."""
    return [(position, value) for position, value in top_k(similarities, k) if value > 0]


def top_k__k_ignored(similarities, k):
    """That gives all; only the k largest are asked for."""
    return top_k(similarities, max(len(similarities), k))


def top_k__all_equals_kept(similarities, k):
    """That keeps all that are as large as the k-th, and so more than k; cut after the order is made."""
    floor = top_k(similarities, k)[-1][1]
    return [pair for pair in top_k(similarities, len(similarities)) if pair[1] >= floor]


def top_k__any_k(similarities, k):
    """That takes a k below 1; refuse it with ValueError."""
    return top_k(similarities, k) if k > 0 else []


def top_k__in_place_of_places(similarities, k):
    """That leaves the k largest in the order of their positions; the largest comes first."""
    return sorted(top_k(similarities, k))


def top_k__too_few_refused(similarities, k):
    """That stops when there are fewer than k; give those that are there."""
    if k > len(similarities):
        raise ValueError("kth out of bounds")
    return top_k(similarities, k)


def top_k__filled_up(similarities, k):
    """That fills a short list up to k; give only what is there."""
    return top_k(similarities, k) + [(-1, 0.0)] * (k - len(similarities))
