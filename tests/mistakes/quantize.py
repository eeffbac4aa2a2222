"""Common mistakes in the tasks quantize.*, each with the sentence that a learner reads.

Each follows the reference but for the one thing that its sentence names.
"""

import numpy as np

from firstprinciples.index.quantize import (
    calibrate,
    from_int8,
    hamming,
    memory,
    pq_encode,
    pq_scores,
    rescore,
    sign_dot,
    split,
    to_bits,
    to_int8,
)


def memory__bits(n, dim, kind, m=None):
    """That is the number of bits; eight of them make a byte."""
    return memory(n, dim, kind, m) * 8


def memory__float64(n, dim, kind, m=None):
    """That counts 8 bytes for a float32; it has 32 bits, 4 bytes."""
    return memory(n, dim, kind, m) * (2 if kind == "float32" else 1)


def memory__half_is_four(n, dim, kind, m=None):
    """That counts 4 bytes for a float16; it has 16 bits, 2 bytes."""
    return memory(n, dim, kind, m) * (2 if kind == "float16" else 1)


def memory__a_byte_for_each_bit(n, dim, kind, m=None):
    """That keeps a byte for each bit; pack eight of them into one."""
    return memory(n, dim, "int8" if kind == "binary" else kind, m)


def memory__bits_left_over(n, dim, kind, m=None):
    """That drops the bits that do not fill a byte; 12 of them take 2 bytes, so round up."""
    found = memory(n, dim, kind, m)
    return n * (dim // 8) if kind == "binary" else found


def memory__bits_without_gaps(n, dim, kind, m=None):
    """That packs the rows without a gap; each row of bits begins with a byte of its own."""
    found = memory(n, dim, kind, m)
    return -(-n * dim // 8) if kind == "binary" else found


def memory__fractions_of_bytes(n, dim, kind, m=None):
    """That counts parts of bytes; a row of 12 bits takes 2 whole ones."""
    found = memory(n, dim, kind, m)
    return n * dim / 8 if kind == "binary" else found


def memory__gibibytes(n, dim, kind, m=None):
    """That divides by 1,024 three times; the answer is in bytes."""
    return memory(n, dim, kind, m) / 1024**3


def memory__pq_floats(n, dim, kind, m=None):
    """That counts 4 bytes for each of the m codes; a code from 0 to 255 is one byte."""
    return memory(n, dim, kind, m) * (4 if kind == "pq" else 1)


def memory__pq_width(n, dim, kind, m=None):
    """That counts a byte for each number of a part; each part, however wide, is one byte, and there are m."""
    found = memory(n, dim, kind, m)
    return n * (dim // m) if kind == "pq" else found


def memory__pq_books(n, dim, kind, m=None):
    """That adds the codebooks; they do not grow with n, and are not counted here."""
    return memory(n, dim, kind, m) + (256 * dim * 4 if kind == "pq" else 0)


def memory__pq_is_int8(n, dim, kind, m=None):
    """That counts a byte for each dimension; pq keeps m bytes for the whole vector."""
    found = memory(n, dim, kind, m)
    return n * dim if kind == "pq" else found


def memory__one_row_at_least(n, dim, kind, m=None):
    """That counts a row where there is none; 0 vectors take 0 bytes."""
    return memory(n, dim, kind, m) or memory(1, dim, kind, m)


def memory__no_parts(n, dim, kind, m=None):
    """That takes an m below 1, and then a vector is no byte at all; refuse it with ValueError."""
    return n * m if kind == "pq" and m is not None and m < 1 else memory(n, dim, kind, m)


def memory__anything_goes(n, dim, kind, m=None):
    """That answers where there is no answer; refuse an unknown kind, sizes too small, and pq without its m."""
    sizes = {"float32": 4 * dim, "float16": 2 * dim, "int8": dim, "binary": -(-dim // 8), "pq": m or dim}
    return n * sizes.get(kind, dim)


def calibrate__one_range(vectors):
    """That takes one range for all dimensions; each has a lowest and a highest value of its own."""
    low, high = calibrate(vectors)
    return np.full(len(low), low.min()), np.full(len(high), high.max())


def calibrate__along_the_rows(vectors):
    """That looks for the ends of each vector; look down each column, along axis 0."""
    calibrate(vectors)
    return np.min(vectors, axis=1), np.max(vectors, axis=1)


def calibrate__symmetric(vectors):
    """That makes the range as wide below 0 as above; half of the codes may then never be used."""
    low, high = calibrate(vectors)
    most = np.maximum(np.abs(low), np.abs(high))
    return -most, most


def calibrate__from_zero(vectors):
    """That lets every range hold 0; the lowest value may be above it, and the highest below."""
    low, high = calibrate(vectors)
    return np.minimum(low, 0), np.maximum(high, 0)


def calibrate__exchanged(vectors):
    """That gives the high ends first; low comes first."""
    return calibrate(vectors)[::-1]


def calibrate__width(vectors):
    """That gives the width of the ranges for their high ends."""
    low, high = calibrate(vectors)
    return low, high - low


def calibrate__three_deviations(vectors):
    """That guesses the ends from mean and standard deviation; take the lowest and the highest value there was."""
    calibrate(vectors)
    mean, deviation = np.mean(vectors, axis=0), np.std(vectors, axis=0)
    return mean - 3 * deviation, mean + 3 * deviation


def calibrate__percentiles(vectors):
    """That leaves out the outermost values; here the lowest and the highest count."""
    calibrate(vectors)
    return np.percentile(vectors, 1, axis=0), np.percentile(vectors, 99, axis=0)


def calibrate__widened(vectors):
    """That widens a range where all values are equal; low and high are then the same number."""
    low, high = calibrate(vectors)
    return low, np.where(high > low, high, low + 1)


def calibrate__one_vector_will_do(vectors):
    """That takes a single vector as a calibration set; its ranges have no width, so refuse it."""
    vectors = np.atleast_2d(vectors)
    return np.min(vectors, axis=0, initial=np.inf), np.max(vectors, axis=0, initial=-np.inf)


def _steps(vectors, low, high, count=255):
    """Return how many steps each number lies above the low end, not rounded; 0 in a constant dimension."""
    to_int8(vectors, low, high)
    vectors, low, high = (np.asarray(value, dtype=float) for value in (vectors, low, high))
    return np.divide(vectors - low, high - low, out=np.zeros_like(vectors), where=high > low) * count


def to_int8__wraps(vectors, low, high):
    """That wraps round: beyond 127 an int8 goes on at -128, and the largest number gets a low code; clip first."""
    return (np.rint(_steps(vectors, low, high)) - 128).astype(np.int64).astype(np.int8)


def to_int8__truncates_and_wraps(vectors, low, high):
    """That cuts off and wraps round, so that 1.2 in [-1, 1] becomes -104; round, and clip before `astype`."""
    return (_steps(vectors, low, high) - 128).astype(np.int64).astype(np.int8)


def to_int8__truncates(vectors, low, high):
    """That cuts the fraction off; round to the nearest step, or every number comes out too low."""
    return np.clip(np.floor(_steps(vectors, low, high)) - 128, -128, 127).astype(np.int8)


def to_int8__truncates_towards_zero(vectors, low, high):
    """That cuts the fraction off on the way to int8, towards 0; round first."""
    return np.clip(_steps(vectors, low, high) - 128, -128, 127).astype(np.int8)


def to_int8__rounds_up(vectors, low, high):
    """That rounds up; round to the nearest step."""
    return np.clip(np.ceil(_steps(vectors, low, high).round(9)) - 128, -128, 127).astype(np.int8)


def to_int8__256_steps(vectors, low, high):
    """That makes 256 steps; 256 codes have 255 steps between them, as a fence of 256 posts has 255 gaps."""
    return np.clip(np.rint(_steps(vectors, low, high, 256)) - 128, -128, 127).astype(np.int8)


def to_int8__254_steps(vectors, low, high):
    """That goes from -127 to 127; low is code -128, which an int8 can hold, too."""
    return np.clip(np.rint(_steps(vectors, low, high, 254)) - 127, -127, 127).astype(np.int8)


def to_int8__unsigned(vectors, low, high):
    """That counts from 0 to 255; the codes of int8 begin at -128, so take 128 away."""
    return np.clip(np.rint(_steps(vectors, low, high)), 0, 255).astype(np.uint8)


def to_int8__ranges_of_the_batch(vectors, low, high):
    """That finds new ranges in the vectors it is handed; use those of the calibration for every batch."""
    to_int8(vectors, low, high)
    return to_int8(vectors, np.min(np.atleast_2d(vectors), axis=0), np.max(np.atleast_2d(vectors), axis=0))


def to_int8__one_range(vectors, low, high):
    """That takes one range for all dimensions, from the lowest low to the highest high; each has its own."""
    to_int8(vectors, low, high)
    return to_int8(vectors, np.full(len(low), np.min(low)), np.full(len(high), np.max(high)))


def to_int8__low_not_taken_away(vectors, low, high):
    """That divides without taking the low end away first."""
    low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    return np.clip(np.rint(_steps(np.asarray(vectors) + low, low, high)) - 128, -128, 127).astype(np.int8)


def to_int8__divided_by_zero(vectors, low, high):
    """That divides by 0 in a dimension whose low equals its high; give -128 there."""
    to_int8(vectors, low, high)
    vectors, low, high = (np.asarray(value, dtype=float) for value in (vectors, low, high))
    with np.errstate(all="ignore"):
        return np.clip(np.rint((vectors - low) / (high - low) * 255) - 128, -128, 127)


def to_int8__constant_is_zero(vectors, low, high):
    """That gives code 0 in a dimension whose low equals its high; its only value is the low end, code -128."""
    return np.where(np.asarray(high) > np.asarray(low), to_int8(vectors, low, high), 0)


def to_int8__not_refused(vectors, low, high):
    """That goes on where widths differ, or where high lies below low; refuse both with ValueError."""
    low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    width = min(np.shape(vectors)[-1], len(low), len(high))
    low, high, vectors = np.minimum(low, high)[:width], np.maximum(low, high)[:width], np.asarray(vectors)[..., :width]
    return to_int8(vectors, low, high)


def _from(codes, low, high, count=255, start=128):
    """Return low + (code + start) (high - low) / count."""
    from_int8(codes, low, high)
    low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    return low + (np.asarray(codes, dtype=float) + start) * (high - low) / count


def from_int8__256_steps(codes, low, high):
    """That makes 256 steps; 256 codes have 255 steps between them, and 127 gives the high end."""
    return _from(codes, low, high, count=256)


def from_int8__from_zero(codes, low, high):
    """That counts the steps from code 0; the lowest code is -128, so add 128 first."""
    return _from(codes, low, high, start=0)


def from_int8__from_127(codes, low, high):
    """That adds 127; the lowest code is -128, and it stands for no step at all."""
    return _from(codes, low, high, start=127)


def from_int8__middle_of_a_step(codes, low, high):
    """That gives the middle of a step; codes were rounded, so each stands for the very number it names."""
    return _from(codes, low, high, start=128.5)


def from_int8__overflow(codes, low, high):
    """That adds 128 within int8, which ends at 127 and goes on at -128; make floats of the codes first."""
    codes = np.asarray(codes, dtype=np.int8)
    return _from((codes.astype(np.int64) + 128).astype(np.int8), low, high, start=0)


def from_int8__without_low(codes, low, high):
    """That leaves out the low end; steps are counted from it."""
    return _from(codes, low, high) - np.asarray(low, dtype=float)


def from_int8__high_for_width(codes, low, high):
    """That takes high for the width of the range; it is high less low."""
    from_int8(codes, low, high)
    return np.asarray(low) + (np.asarray(codes, dtype=float) + 128) * np.asarray(high) / 255


def from_int8__one_range(codes, low, high):
    """That takes one range for all dimensions; each has a low and a high end of its own."""
    from_int8(codes, low, high)
    return _from(codes, np.full(len(low), np.min(low)), np.full(len(high), np.max(high)))


def from_int8__constant_is_nothing(codes, low, high):
    """That gives 0 in a dimension whose low equals its high; the number was its low end."""
    return np.where(np.asarray(high) > np.asarray(low), _from(codes, low, high), 0.0)


def from_int8__not_refused(codes, low, high):
    """That goes on where the codes and the ranges have two widths; refuse it with ValueError."""
    width = min(np.shape(codes)[-1], len(low))
    return from_int8(np.asarray(codes)[..., :width], low[:width], high[:width])


def from_int8__upside_down(codes, low, high):
    """That goes on where a high end lies below its low end; refuse such a range with ValueError."""
    if np.shape(low) == np.shape(high) and np.shape(codes)[-1] == len(low):
        low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
        return low + (np.asarray(codes, dtype=float) + 128) * (high - low) / 255
    return from_int8(codes, low, high)


def to_bits__zero_counts(vectors):
    """That sets the bit of a 0, too; only what is above 0 gets one."""
    return np.packbits(np.asarray(vectors) >= 0, axis=-1)


def to_bits__below_zero(vectors):
    """That sets the bits of the numbers below 0; set those above."""
    return to_bits(-np.asarray(vectors, dtype=float))


def to_bits__bit_order(vectors):
    """That puts the first number into the lowest bit of a byte; it belongs into the highest, as packbits has it."""
    return np.packbits(np.asarray(vectors) > 0, axis=-1, bitorder="little")


def to_bits__down_the_columns(vectors):
    """That packs down the columns, eight vectors to a byte; pack along each row, axis -1."""
    return np.packbits(np.asarray(vectors) > 0, axis=0)


def to_bits__all_in_one(vectors):
    """That packs the whole table into one row of bytes; each vector gets a row of its own."""
    return np.packbits(np.asarray(vectors) > 0)


def to_bits__not_packed(vectors):
    """That keeps a byte for each bit; pack eight of them into one."""
    return (np.asarray(vectors) > 0).astype(np.uint8)


def to_bits__last_byte_dropped(vectors):
    """That drops the numbers which do not fill a byte; fill up with zeros instead."""
    vectors = np.asarray(vectors)
    return to_bits(vectors[..., : vectors.shape[-1] // 8 * 8])


def to_bits__filled_in_front(vectors):
    """That fills up in front of the bits; the places left over come last."""
    vectors = np.asarray(vectors, dtype=float)
    return to_bits(np.concatenate([np.zeros((*vectors.shape[:-1], -vectors.shape[-1] % 8)), vectors], axis=-1))


def to_bits__filled_with_ones(vectors):
    """That fills the last byte with ones; the places left over are 0."""
    vectors = np.asarray(vectors, dtype=float)
    return to_bits(np.concatenate([vectors, np.ones((*vectors.shape[:-1], -vectors.shape[-1] % 8))], axis=-1))


def to_bits__above_the_mean(vectors):
    """That compares with the mean of each vector; compare with 0."""
    vectors = np.asarray(vectors, dtype=float)
    return to_bits(vectors - vectors.mean(axis=-1, keepdims=True))


def _different(bits, many_bits):
    """Return the bytes in which a bit is set where two rows differ."""
    hamming(bits, many_bits)
    return np.asarray(bits, dtype=np.uint8) ^ np.asarray(many_bits, dtype=np.uint8)


def hamming__overflow(bits, many_bits):
    """That adds up in a byte, which goes on at 0 after 255; sum in a wider integer."""
    return np.asarray(hamming(bits, many_bits)).astype(np.uint8)


def hamming__bytes(bits, many_bits):
    """That counts the bytes that differ; count the bits in them."""
    return np.count_nonzero(_different(bits, many_bits), axis=1)


def hamming__alike(bits, many_bits):
    """That counts the bits that are alike; count those that differ."""
    return 8 * len(bits) - hamming(bits, many_bits)


def hamming__both_set(bits, many_bits):
    """That counts the bits that are set in both; those that differ are set in just one: use ^, not &."""
    hamming(bits, many_bits)
    both = np.asarray(bits, dtype=np.uint8) & np.asarray(many_bits, dtype=np.uint8)
    return hamming(np.zeros(len(bits), dtype=np.uint8), both)


def hamming__either_set(bits, many_bits):
    """That counts the bits that are set in either; those that differ are set in just one: use ^, not |."""
    hamming(bits, many_bits)
    either = np.asarray(bits, dtype=np.uint8) | np.asarray(many_bits, dtype=np.uint8)
    return hamming(np.zeros(len(bits), dtype=np.uint8), either)


def hamming__set_in_the_rows(bits, many_bits):
    """That counts the bits that are set in each row, without the first row of bytes."""
    hamming(bits, many_bits)
    return hamming(np.zeros(len(bits), dtype=np.uint8), many_bits)


def hamming__sum_of_the_bytes(bits, many_bits):
    """That adds up the bytes themselves; a byte of 128 has one bit set."""
    return np.sum(_different(bits, many_bits), axis=1, dtype=np.int64)


def hamming__all_rows_together(bits, many_bits):
    """That adds up all rows; give one number for each."""
    return int(np.sum(hamming(bits, many_bits)))


def hamming__down_the_columns(bits, many_bits):
    """That adds up down the columns; add along each row."""
    different = _different(bits, many_bits)
    return np.sum(np.unpackbits(different[:, :, None], axis=2), axis=(0, 2), dtype=np.int64)


def hamming__share(bits, many_bits):
    """That divides by the number of bits; the distance is a count."""
    return hamming(bits, many_bits) / (8 * len(bits))


def hamming__not_refused(bits, many_bits):
    """That cuts or stretches rows of another width to make them fit; refuse them with ValueError."""
    width = min(len(bits), np.shape(many_bits)[1])
    return hamming(np.asarray(bits)[:width], np.asarray(many_bits)[:, :width])


def sign_dot__padded(bits, many_bits, dim):
    """That counts the places left over in the last byte as signs that agree; there are dim signs, not 8 a byte."""
    sign_dot(bits, many_bits, dim)
    return 8 * len(bits) - 2 * hamming(bits, many_bits)


def sign_dot__whole_bytes_only(bits, many_bits, dim):
    """That counts only the signs of full bytes in d; all dim of them are compared."""
    return sign_dot(bits, many_bits, dim) - dim % 8


def sign_dot__once(bits, many_bits, dim):
    """That takes the Hamming distance away once; a sign that differs takes the sum from +1 to -1, which is 2."""
    sign_dot(bits, many_bits, dim)
    return dim - hamming(bits, many_bits)


def sign_dot__sign(bits, many_bits, dim):
    """That has the wrong sign: rows that agree get the lowest number."""
    return -sign_dot(bits, many_bits, dim)


def sign_dot__distance(bits, many_bits, dim):
    """That is the Hamming distance, which is small for rows that agree; the dot product is d - 2 hamming."""
    sign_dot(bits, many_bits, dim)
    return hamming(bits, many_bits)


def sign_dot__cosine(bits, many_bits, dim):
    """That is divided by dim, which makes a cosine of it; the dot product is a whole number."""
    return sign_dot(bits, many_bits, dim) / dim


def sign_dot__unsigned(bits, many_bits, dim):
    """That goes below 0 in an integer without a sign, and comes out near 2 to the power of 64; make it signed."""
    sign_dot(bits, many_bits, dim)
    return np.uint64(dim) - np.uint64(2) * np.asarray(hamming(bits, many_bits)).astype(np.uint64)


def sign_dot__overflow(bits, many_bits, dim):
    """That adds up the differing bits in a byte, which goes on at 0 after 255."""
    sign_dot(bits, many_bits, dim)
    return dim - 2 * np.asarray(hamming(bits, many_bits)).astype(np.uint8).astype(np.int64)


def sign_dot__zeros_and_ones(bits, many_bits, dim):
    """That multiplies zeros and ones, so that a sign of -1 counts nothing; two of them that agree add 1."""
    sign_dot(bits, many_bits, dim)
    both = np.asarray(bits, dtype=np.uint8) & np.asarray(many_bits, dtype=np.uint8)
    return hamming(np.zeros(len(bits), dtype=np.uint8), both)


def sign_dot__not_refused(bits, many_bits, dim):
    """That goes on with a dim that does not fill these bytes; refuse it with ValueError."""
    return dim - 2 * hamming(bits, many_bits)


def rescore__first_k(query, positions, vectors, k):
    """That looks only at the first k candidates; look at all of them, and keep the best k."""
    return rescore(query, list(positions)[: max(k, 0)], vectors, k)


def rescore__no_such_position(query, positions, vectors, k):
    """That looks positions up without asking whether they are there, and -1 is the last one in Python; refuse with
    ValueError what is below 0 or beyond the last."""
    for position in positions:
        vectors[position]
    if min(positions, default=0) >= 0:
        return rescore(query, positions, vectors, k)
    pairs = [(position, float(np.dot(query, vectors[position]))) for position in positions]
    return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))[:k]


def rescore__all_vectors(query, positions, vectors, k):
    """That looks at all vectors; only the candidates are to be compared, or nothing was won."""
    return rescore(query, range(len(vectors)), vectors, k)


def rescore__signs(query, positions, vectors, k):
    """That compares with the signs again; the candidates are compared with the full vectors."""
    signs = np.where(np.asarray(vectors) > 0, 1.0, -1.0) / np.sqrt(len(query))
    return rescore(query, positions, signs, k)


def rescore__signs_of_both(query, positions, vectors, k):
    """That compares signs with signs; both the query and the candidates are taken with all their digits."""
    query, vectors = (np.where(np.asarray(value) > 0, 1.0, -1.0) for value in (query, vectors))
    return rescore(query / len(query), positions, vectors, k)


def rescore__order_of_the_codes(query, positions, vectors, k):
    """That keeps the order in which the candidates came; sort them by their new similarity."""
    found = dict(rescore(query, positions, vectors, max(k, len(positions)) if k > 0 else k))
    return [(int(position), found[position]) for position in positions][:k]


def rescore__worst_first(query, positions, vectors, k):
    """That puts the least similar first; the largest dot product is the best."""
    found = rescore(query, positions, vectors, max(k, len(positions)) if k > 0 else k)
    return sorted(found, key=lambda pair: (pair[1], pair[0]))[:k]


def rescore__places_among_candidates(query, positions, vectors, k):
    """That gives the places in the list of candidates; give the positions that stand there."""
    places = {int(position): place for place, position in enumerate(positions)}
    return [(places[position], found) for position, found in rescore(query, positions, vectors, k)]


def rescore__ties_as_they_came(query, positions, vectors, k):
    """That leaves equal similarities in the order in which the candidates came; order them by position."""
    found = dict(rescore(query, positions, vectors, max(k, len(positions)) if k > 0 else k))
    return sorted(((int(p), found[p]) for p in positions), key=lambda pair: -pair[1])[:k]


def rescore__ties_downwards(query, positions, vectors, k):
    """That puts the higher position first where similarities are equal; the lower one comes first."""
    found = rescore(query, positions, vectors, max(k, len(positions)) if k > 0 else k)
    return sorted(found, key=lambda pair: (-pair[1], -pair[0]))[:k]


def rescore__similarity_first(query, positions, vectors, k):
    """That gives (similarity, position); the position comes first."""
    return [(found, position) for position, found in rescore(query, positions, vectors, k)]


def rescore__distances(query, positions, vectors, k):
    """That gives distances, 1 - similarity; give the similarity."""
    return [(position, 1 - found) for position, found in rescore(query, positions, vectors, k)]


def rescore__positions_only(query, positions, vectors, k):
    """That gives the positions without their similarities."""
    return [position for position, _ in rescore(query, positions, vectors, k)]


def rescore__any_k(query, positions, vectors, k):
    """That takes a k below 1; refuse it with ValueError."""
    return rescore(query, positions, vectors, max(k, len(positions)))[:k]


def split__every_mth(vector, m):
    """That deals the numbers out like cards; a part is made of neighbors."""
    split(vector, m)
    return [list(vector[start::m]) for start in range(m)]


def split__width_m(vector, m):
    """That makes parts of m numbers; make m parts."""
    return split(vector, len(vector) // np.shape(split(vector, m))[0])


def split__turned(vector, m):
    """That gives the parts as columns; each part is a row."""
    return split(vector, m).T


def split__last_first(vector, m):
    """That gives the last part first."""
    return split(vector, m)[::-1]


def split__backwards(vector, m):
    """That turns each part round; the numbers keep their order."""
    return split(vector, m)[:, ::-1]


def split__rest_dropped(vector, m):
    """That drops the numbers that are left over; refuse a width that m does not divide, and an m below 1."""
    m = max(m, 1)
    return split(vector[: len(vector) // m * m], m)


def split__uneven(vector, m):
    """That makes parts of two widths; refuse a width that m does not divide, and an m below 1."""
    return [part.tolist() for part in np.array_split(np.asarray(vector), max(m, 1))]


def _all_entries(vectors, codebooks, measure, nearest=np.argmin):
    """Return codes (n, m): what `nearest` picks of measure(parts, entries of the codebook) for each part."""
    pq_encode(vectors, codebooks)
    books = np.asarray(codebooks, dtype=float)
    parts = np.asarray(vectors, dtype=float).reshape(len(vectors), len(books), 1, -1)
    return np.stack([nearest(measure(parts[:, j], book), axis=1) for j, book in enumerate(books)], axis=1)


def pq_encode__dot(vectors, codebooks):
    """That takes the entry with the largest dot product; long entries win then, so take the smallest distance."""
    return _all_entries(vectors, codebooks, lambda part, book: np.sum(part * book, axis=2), np.argmax)


def pq_encode__cosine(vectors, codebooks):
    """That takes the entry of the smallest angle; a part has a length, too, so take the smallest distance."""
    def measure(part, book):
        lengths = np.linalg.norm(part, axis=2) * np.linalg.norm(book, axis=1)
        return np.sum(part * book, axis=2) / np.where(lengths > 0, lengths, 1.0)

    return _all_entries(vectors, codebooks, measure, np.argmax)


def pq_encode__sizes(vectors, codebooks):
    """That adds up the differences without their signs; the distance adds up their squares."""
    return _all_entries(vectors, codebooks, lambda part, book: np.sum(np.abs(part - book), axis=2))


def pq_encode__not_squared(vectors, codebooks):
    """That adds up differences with their signs, which cancel out; square them first."""
    return _all_entries(vectors, codebooks, lambda part, book: np.abs(np.sum(part - book, axis=2)))


def pq_encode__farthest(vectors, codebooks):
    """That takes the entry that is farthest away."""
    return _all_entries(vectors, codebooks, lambda part, book: np.sum((part - book) ** 2, axis=2), np.argmax)


def pq_encode__first_book(vectors, codebooks):
    """That looks every part up in the first codebook; each part has its own."""
    return pq_encode(vectors, np.repeat(np.asarray(codebooks)[:1], len(codebooks), axis=0))


def pq_encode__next_book(vectors, codebooks):
    """That takes the codebook of the part after; part j belongs to codebook j, counted from 0."""
    return pq_encode(vectors, np.roll(np.asarray(codebooks), -1, axis=0))


def pq_encode__books_backwards(vectors, codebooks):
    """That goes through the codebooks from the last to the first; part j belongs to codebook j."""
    return pq_encode(vectors, np.asarray(codebooks)[::-1])


def pq_encode__every_mth(vectors, codebooks):
    """That deals the numbers of a vector out like cards; a part is made of neighbors, as in split."""
    pq_encode(vectors, codebooks)
    m = len(codebooks)
    return pq_encode(np.concatenate([np.asarray(vectors)[:, j::m] for j in range(m)], axis=1), codebooks)


def pq_encode__from_one(vectors, codebooks):
    """That counts the entries from 1; 256 of them fit a byte only from 0 to 255."""
    return pq_encode(vectors, codebooks) + 1


def pq_encode__turned(vectors, codebooks):
    """That gives a row for each part; each vector gets a row."""
    return pq_encode(vectors, codebooks).T


def pq_encode__ties_upwards(vectors, codebooks):
    """That takes the last of several nearest entries; take the one with the lowest number."""
    books = np.asarray(codebooks)[:, ::-1]
    return books.shape[1] - 1 - pq_encode(vectors, books).astype(int)


def pq_encode__entries(vectors, codebooks):
    """That gives the entries themselves; give their numbers, one byte each."""
    codes = pq_encode(vectors, codebooks)
    return np.asarray(codebooks)[np.arange(len(codebooks)), codes].reshape(len(codes), -1)


def pq_encode__not_refused(vectors, codebooks):
    """That fills up or cuts vectors to the width of the codebooks; refuse another width with ValueError."""
    width = np.shape(codebooks)[0] * np.shape(codebooks)[2]
    vectors = np.asarray(vectors)[:, :width]
    return pq_encode(np.pad(vectors, ((0, 0), (0, width - vectors.shape[1]))), codebooks)


def pq_scores__symmetric(query, codes, codebooks):
    """That codes the query, too, and loses its digits; only the stored side is coded."""
    pq_scores(query, codes, codebooks)
    named = pq_encode([query], codebooks)[0]
    return pq_scores(np.asarray(codebooks)[np.arange(len(named)), named].reshape(-1), codes, codebooks)


def pq_scores__distance(query, codes, codebooks):
    """That adds up squared distances, which are small for near vectors; add up dot products."""
    pq_scores(query, codes, codebooks)
    books = np.asarray(codebooks, dtype=float)
    table = np.sum((books - split(query, len(books))[:, None, :]) ** 2, axis=2)
    return table[np.arange(len(books)), np.asarray(codes, dtype=int)].sum(axis=1)


def pq_scores__next_entry(query, codes, codebooks):
    """That looks up the entry after the one that is named; codes count from 0."""
    return pq_scores(query, codes, np.roll(np.asarray(codebooks), -1, axis=1))


def pq_scores__entry_before(query, codes, codebooks):
    """That looks up the entry before the one that is named; codes count from 0."""
    return pq_scores(query, codes, np.roll(np.asarray(codebooks), 1, axis=1))


def pq_scores__first_book(query, codes, codebooks):
    """That looks every code up in the first codebook; each part has its own."""
    return pq_scores(query, codes, np.repeat(np.asarray(codebooks)[:1], len(codebooks), axis=0))


def pq_scores__next_book(query, codes, codebooks):
    """That takes the codebook of the part after; part j belongs to codebook j, counted from 0."""
    return pq_scores(query, codes, np.roll(np.asarray(codebooks), -1, axis=0))


def pq_scores__parts_backwards(query, codes, codebooks):
    """That goes through the parts of the query from the last to the first; part j belongs to codebook j."""
    pq_scores(query, codes, codebooks)
    return pq_scores(split(query, len(codebooks))[::-1].reshape(-1), codes, codebooks)


def pq_scores__every_mth(query, codes, codebooks):
    """That deals the numbers of the query out like cards; a part is made of neighbors, as in split."""
    pq_scores(query, codes, codebooks)
    m = len(codebooks)
    return pq_scores(np.concatenate([np.asarray(query)[j::m] for j in range(m)]), codes, codebooks)


def pq_scores__codes_backwards(query, codes, codebooks):
    """That reads each row of codes from the last to the first."""
    return pq_scores(query, np.asarray(codes)[:, ::-1], codebooks)


def pq_scores__mean(query, codes, codebooks):
    """That takes the mean of the parts; a dot product is their sum."""
    return pq_scores(query, codes, codebooks) / len(codebooks)


def pq_scores__best_part(query, codes, codebooks):
    """That takes the best part alone; a dot product is the sum of all."""
    pq_scores(query, codes, codebooks)
    books = np.asarray(codebooks, dtype=float)
    table = np.sum(books * split(query, len(books))[:, None, :], axis=2)
    return table[np.arange(len(books)), np.asarray(codes, dtype=int)].max(axis=1)


def pq_scores__last_part_left_out(query, codes, codebooks):
    """That leaves out the last part; all m of them add up."""
    pq_scores(query, codes, codebooks)
    books = np.array(codebooks, dtype=float)
    books[-1] = 0
    return pq_scores(query, codes, books)


def pq_scores__cosine(query, codes, codebooks):
    """That divides by the length of the vector that the codes stand for; the score is the plain dot product."""
    found = pq_scores(query, codes, codebooks)
    rows = np.asarray(codebooks)[np.arange(len(codebooks)), np.asarray(codes, dtype=int)].reshape(len(codes), -1)
    return found / np.linalg.norm(rows, axis=1)


def pq_scores__codes_as_numbers(query, codes, codebooks):
    """That multiplies with the codes as if they were numbers; a code is the name of an entry."""
    found = pq_scores(query, codes, codebooks)
    return np.asarray(codes, dtype=float) @ np.sum(split(query, len(codebooks)), axis=1) + 0 * found


def pq_scores__not_refused(query, codes, codebooks):
    """That goes on where query, codes and codebooks do not fit together; refuse this with ValueError."""
    m, entries, width = np.shape(codebooks)
    query, codes = np.asarray(query)[: m * width], np.asarray(codes)[:, :m] % entries
    query = np.pad(query, (0, m * width - len(query)))
    return pq_scores(query, np.pad(codes, ((0, 0), (0, m - codes.shape[1]))), codebooks)
