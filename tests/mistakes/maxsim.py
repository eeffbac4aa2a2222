"""Common mistakes in the tasks maxsim.*, each with the sentence that a learner reads.

Each follows the reference but for the one thing that its sentence names.
"""

import string

import numpy as np

from firstprinciples.retrieve.maxsim import (
    best_matches,
    maxsim,
    maxsim_padded,
    maxsim_ragged,
    mean_similarity,
    nearest_tokens,
    storage,
    without_punctuation,
)


def _table(question, document):
    """Return the similarities, (m, n); ValueError for a document without tokens."""
    maxsim(question, document)
    return np.asarray(question, dtype=float) @ np.asarray(document, dtype=float).T


def _one_to_one(table):
    """Return [(row, column)]: each row takes its best column of those that are left, while there are some."""
    left, out = list(range(table.shape[1])), []
    for row, values in enumerate(table):
        if left:
            best = max(left, key=lambda column, values=values: (values[column], -column))
            left.remove(best)
            out.append((row, best))
    return out


def best_matches__wrong_axis(question, document):
    """That looks for the best question token of each document token; each token of the question chooses, axis 1."""
    table = _table(question, document)
    return table.argmax(axis=0), table.max(axis=0)


def best_matches__one_to_one(question, document):
    """That gives each document token away only once; the same one may be the best match of several."""
    table = _table(question, document)
    places = dict(_one_to_one(table))
    return list(places.values()), [table[row, column] for row, column in places.items()]


def best_matches__ties_to_the_last(question, document):
    """That takes the last of equal ones; the first counts, which is what `argmax` gives."""
    table = _table(question, document)
    positions = table.shape[1] - 1 - table[:, ::-1].argmax(axis=1)
    return positions, table.max(axis=1)


def best_matches__from_one(question, document):
    """That counts positions from 1; the document's first row has position 0."""
    positions, found = best_matches(question, document)
    return positions + 1, found


def best_matches__exchanged(question, document):
    """That gives the similarities first; positions come first."""
    return best_matches(question, document)[::-1]


def best_matches__pairs(question, document):
    """That gives pairs (position, similarity); asked are two lists, all positions and all similarities."""
    return list(zip(*best_matches(question, document), strict=True))


def best_matches__largest_size(question, document):
    """That leaves the sign out; a similarity of -1 is no match, and far from one."""
    table = _table(question, document)
    positions = np.abs(table).argmax(axis=1)
    return positions, table[np.arange(len(table)), positions]


def best_matches__negative_is_zero(question, document):
    """That gives 0 where all similarities are negative; the largest of them is the best match."""
    positions, found = best_matches(question, document)
    return positions, np.maximum(found, 0)


def best_matches__worst(question, document):
    """That looks for the smallest dot product; near vectors have a large one."""
    table = _table(question, document)
    return table.argmin(axis=1), table.min(axis=1)


def best_matches__only_the_best_of_all(question, document):
    """That finds one best match in the whole table; each token of the question has its own."""
    table = _table(question, document)
    row, column = np.unravel_index(table.argmax(), table.shape)
    return [int(column)], [table[row, column]]


def best_matches__no_axis(question, document):
    """That gives two numbers, the best of the whole table; take `argmax` and `max` along axis 1."""
    table = _table(question, document)
    return int(table.argmax()), table.max()


def best_matches__flat_positions(question, document):
    """That counts positions through the whole table, row by row; each row counts from 0."""
    positions, found = best_matches(question, document)
    return positions + np.arange(len(positions)) * len(document), found


def best_matches__side_by_side(question, document):
    """That compares the first with the first, the second with the second; every token looks at the whole document."""
    table = _table(question, document)
    both = range(min(table.shape))
    return list(both), [table[place, place] for place in both]


def best_matches__distance(question, document):
    """That gives the distance to the best match; give their dot product."""
    positions, found = best_matches(question, document)
    return positions, np.sqrt(np.maximum(2 - 2 * found, 0))


def best_matches__no_tokens_is_nothing(question, document):
    """That gives empty lists for a document without tokens; refuse it with ValueError."""
    return best_matches(question, document) if len(document) else ([], [])


def best_matches__no_tokens_is_minus_one(question, document):
    """That gives position -1 where a document has no tokens, which is its last row to Python; refuse it, ValueError."""
    return best_matches(question, document) if len(document) else ([-1] * len(question), [0.0] * len(question))


def maxsim__mean(question, document):
    """That is the mean over the question's tokens; MaxSim is their sum."""
    return maxsim(question, document) / len(question)


def maxsim__wrong_axis(question, document):
    """That adds up the best match of each document token, so that long documents win; maximum along axis 1."""
    return float(_table(question, document).max(axis=0).sum())


def maxsim__wrong_axis_mean(question, document):
    """That averages the best match of each document token; take the question's tokens, and their sum."""
    return float(_table(question, document).max(axis=0).mean())


def maxsim__both_ways(question, document):
    """That adds the matches of the document's tokens, too; only those of the question count."""
    table = _table(question, document)
    return float(table.max(axis=1).sum() + table.max(axis=0).sum())


def maxsim__sum_of_all(question, document):
    """That adds up the whole table; of each row only the largest counts."""
    return float(_table(question, document).sum())


def maxsim__mean_of_all(question, document):
    """That is the mean of the whole table, which averages the matches away; of each row the largest counts."""
    return float(_table(question, document).mean())


def maxsim__best_of_all(question, document):
    """That is the largest of the whole table; each token of the question adds its own."""
    return float(_table(question, document).max())


def maxsim__one_to_one(question, document):
    """That gives each document token away only once; the same one may be the best match of several."""
    table = _table(question, document)
    return float(sum(table[row, column] for row, column in _one_to_one(table)))


def maxsim__side_by_side(question, document):
    """That compares the first with the first, the second with the second; every token looks at the whole document."""
    return float(np.trace(_table(question, document)))


def maxsim__negative_is_zero(question, document):
    """That counts a best match below 0 as 0; it takes something away from the total."""
    return float(_table(question, document).max(axis=1, initial=0).sum())


def maxsim__sizes(question, document):
    """That leaves the signs out; what points the other way is no match."""
    return float(np.abs(_table(question, document)).max(axis=1).sum())


def maxsim__worst(question, document):
    """That takes the smallest of each row; the best match has the largest dot product."""
    return float(_table(question, document).min(axis=1).sum())


def maxsim__of_averages(question, document):
    """That compares two averages, as one vector for each text would; keep the tokens apart."""
    maxsim(question, document)
    return mean_similarity(question, document)


def maxsim__mean_of_each_row(question, document):
    """That takes the mean of each row, to which every word of the document adds its noise; take the maximum."""
    return float(_table(question, document).mean(axis=1).sum())


def maxsim__each_token_once(question, document):
    """That counts a token which stands twice in the question only once; each time it adds its match."""
    return maxsim(np.unique(np.asarray(question, dtype=float), axis=0), document)


def maxsim__divided_by_the_document(question, document):
    """That divides by the document's length; a maximum does not grow with it, so nothing is to be divided."""
    return maxsim(question, document) / len(document)


def maxsim__product(question, document):
    """That multiplies the matches; one word without a match would wipe out all others. Add them."""
    return float(_table(question, document).max(axis=1).prod())


def maxsim__squares(question, document):
    """That adds up squares; a match counts as it is, with its sign."""
    return float((_table(question, document).max(axis=1) ** 2).sum())


def maxsim__one_each(question, document):
    """That keeps a number for each token of the question; add them up."""
    return _table(question, document).max(axis=1)


def maxsim__distances(question, document):
    """That adds up distances, of which the smallest would be best; add up dot products."""
    return float(np.sqrt(np.maximum(2 - 2 * _table(question, document).max(axis=1), 0)).sum())


def maxsim__worst_token_decides(question, document):
    """That is the match of the token that fits worst; the sum over all of them is asked for."""
    return float(_table(question, document).max(axis=1).min())


def maxsim__no_tokens_is_zero(question, document):
    """That gives 0 to a document without tokens, more than to one that matches badly; refuse it with ValueError."""
    return maxsim(question, document) if len(document) else 0.0


def maxsim__no_tokens_is_minus_infinity(question, document):
    """That gives minus infinity to a document without tokens; refuse it with ValueError."""
    return maxsim(question, document) if len(document) else float("-inf")


def _batch(question, documents, mask):
    """Return similarities (B, m, n) and the mask (B, 1, n); ValueError for a document without tokens."""
    maxsim_padded(question, documents, mask)
    documents = np.asarray(documents, dtype=float)
    return np.asarray(question, dtype=float) @ documents.transpose(0, 2, 1), np.asarray(mask, dtype=bool)[:, None, :]


def maxsim_padded__zeros_win(question, documents, mask):
    """That makes zeros of what is filled up, and 0 wins where all similarities are negative; put -inf there."""
    table, mask = _batch(question, documents, mask)
    return (table * mask).max(axis=2).sum(axis=1)


def maxsim_padded__mask_ignored(question, documents, mask):
    """That lets the filling win as if it were tokens; the mask says which places count."""
    table, _ = _batch(question, documents, mask)
    return table.max(axis=2).sum(axis=1)


def maxsim_padded__mask_inverted(question, documents, mask):
    """That leaves the tokens out and keeps the filling; the mask is 1 for a token."""
    table, mask = _batch(question, documents, mask)
    return np.where(mask, -1e9, table).max(axis=2).sum(axis=1)


def maxsim_padded__zero_rows_are_the_filling(question, documents, mask):
    """That takes rows of zeros for the filling; it may be anything, and the mask alone knows."""
    table, _ = _batch(question, documents, mask)
    there = np.asarray(documents, dtype=float).any(axis=2)[:, None, :]
    return np.where(there, table, -1e9).max(axis=2).sum(axis=1)


def maxsim_padded__counted_from_the_front(question, documents, mask):
    """That reads as many places from the front as there are tokens; tokens may have gaps between them."""
    table, mask = _batch(question, documents, mask)
    there = np.arange(mask.shape[2]) < mask.sum(axis=2, keepdims=True)
    return np.where(there, table, -1e9).max(axis=2).sum(axis=1)


def maxsim_padded__up_to_the_last(question, documents, mask):
    """That reads all places up to the last token; those in between that are no tokens do not count either."""
    table, mask = _batch(question, documents, mask)
    there = np.maximum.accumulate(mask[:, :, ::-1], axis=2)[:, :, ::-1]
    return np.where(there, table, -1e9).max(axis=2).sum(axis=1)


def maxsim_padded__mask_of_the_first(question, documents, mask):
    """That takes the first document's mask for all of them; each row of the mask belongs to a document."""
    table, mask = _batch(question, documents, mask)
    return np.where(mask[:1], table, -1e9).max(axis=2).sum(axis=1)


def maxsim_padded__infinity_times_zero(question, documents, mask):
    """That multiplies minus infinity by 0, which is nan; choose with `np.where`."""
    table, mask = _batch(question, documents, mask)
    with np.errstate(all="ignore"):
        return (table + (1 - mask) * -np.inf).max(axis=2).sum(axis=1)


def maxsim_padded__masked_afterwards(question, documents, mask):
    """That takes the maximum first and masks then; what is filled up has won already."""
    table, mask = _batch(question, documents, mask)
    return table.max(axis=2).sum(axis=1) * mask.mean(axis=(1, 2))


def maxsim_padded__mean(question, documents, mask):
    """That is the mean over the question's tokens; MaxSim is their sum."""
    return np.asarray(maxsim_padded(question, documents, mask)) / len(question)


def maxsim_padded__over_the_tokens(question, documents, mask):
    """That divides by how many tokens a document has; a maximum does not grow with them."""
    return np.asarray(maxsim_padded(question, documents, mask)) / np.sum(mask, axis=1)


def maxsim_padded__wrong_axis(question, documents, mask):
    """That adds up the best match of each document token, so that long documents win; the question's tokens choose."""
    table, mask = _batch(question, documents, mask)
    return (table.max(axis=1) * mask[:, 0]).sum(axis=1)


def maxsim_padded__negative_is_zero(question, documents, mask):
    """That counts a best match below 0 as 0; it takes something away, also where nothing is filled up."""
    table, mask = _batch(question, documents, mask)
    return np.where(mask, table, 0).max(axis=2, initial=0).sum(axis=1)


def maxsim_padded__sum_of_all(question, documents, mask):
    """That adds up all tokens of a document; of each row only the largest counts."""
    table, mask = _batch(question, documents, mask)
    return np.where(mask, table, 0).sum(axis=(1, 2))


def maxsim_padded__best_of_all(question, documents, mask):
    """That is the largest similarity of each document; each token of the question adds its own."""
    table, mask = _batch(question, documents, mask)
    return np.where(mask, table, -np.inf).max(axis=(1, 2))


def maxsim_padded__one_number(question, documents, mask):
    """That adds the documents up; each has a score of its own."""
    return float(np.sum(maxsim_padded(question, documents, mask)))


def maxsim_padded__a_row_each(question, documents, mask):
    """That keeps a row for each document; add up over the tokens of the question."""
    table, mask = _batch(question, documents, mask)
    return np.where(mask, table, -np.inf).max(axis=2)


def maxsim_padded__no_tokens_is_minus_infinity(question, documents, mask):
    """That gives minus infinity to a document without tokens; refuse it with ValueError."""
    table = np.asarray(question, dtype=float) @ np.asarray(documents, dtype=float).transpose(0, 2, 1)
    return np.where(np.asarray(mask, dtype=bool)[:, None, :], table, -np.inf).max(axis=2).sum(axis=1)


def maxsim_padded__no_tokens_is_zero(question, documents, mask):
    """That gives 0 to a document without tokens, more than to one that matches badly; refuse it with ValueError."""
    found = np.asarray(maxsim_padded__no_tokens_is_minus_infinity(question, documents, mask))
    return np.where(np.isfinite(found), found, 0.0)


def maxsim_padded__no_tokens_left_out(question, documents, mask):
    """That leaves a document without tokens out, and all scores behind it move up; refuse it with ValueError."""
    found = np.asarray(maxsim_padded__no_tokens_is_minus_infinity(question, documents, mask))
    return found[np.isfinite(found)]


def _parts(question, tokens, starts, first=None, last=None):
    """Return the score of each tokens[first(i) : last(i)], by default as the reference; ValueError as the reference."""
    maxsim_ragged(question, tokens, starts)
    ends = [*list(starts)[1:], len(tokens)]
    table = np.asarray(tokens, dtype=float) @ np.asarray(question, dtype=float).T
    bounds = [(start + (first or 0), end + (last or 0)) for start, end in zip(starts, ends, strict=True)]
    pieces = [table[max(start, 0) : end] for start, end in bounds]
    return [float(piece.max(axis=0).sum()) if len(piece) else 0.0 for piece in pieces]


def maxsim_ragged__last_document_lost(question, tokens, starts):
    """That loses the last document; it begins at the last start and ends with the tokens."""
    return _parts(question, tokens, starts)[:-1]


def maxsim_ragged__one_row_too_many(question, tokens, starts):
    """That reads the first row of the next document, too; a document ends before the next one begins."""
    return _parts(question, tokens, starts, last=1)


def maxsim_ragged__one_row_too_few(question, tokens, starts):
    """That leaves the last row of each document out; a slice ends before its end already."""
    return _parts(question, tokens, starts, last=-1)


def maxsim_ragged__first_row_left_out(question, tokens, starts):
    """That leaves the first row of each document out; it begins at its start, counted from 0."""
    return _parts(question, tokens, starts, first=1)


def maxsim_ragged__from_the_row_before(question, tokens, starts):
    """That begins one row too early, in the document before; starts are counted from 0."""
    return _parts(question, tokens, starts, first=-1)


def maxsim_ragged__to_the_end(question, tokens, starts):
    """That reads on to the end of all tokens; a document ends where the next one begins."""
    return _parts(question, tokens, starts, last=len(tokens))


def maxsim_ragged__from_the_beginning(question, tokens, starts):
    """That begins at the first token every time; a document begins at its own start."""
    return _parts(question, tokens, starts, first=-len(tokens))


def maxsim_ragged__starts_are_lengths(question, tokens, starts):
    """That takes starts for lengths; a document's length is the next start less its own."""
    maxsim_ragged(question, tokens, starts)
    bounds = np.cumsum([0, *starts])
    table = np.asarray(tokens, dtype=float) @ np.asarray(question, dtype=float).T
    return [float(table[a:b].max(axis=0).sum()) if min(b, len(table)) > a else 0.0
            for a, b in zip(bounds[:-1], bounds[1:], strict=True)]


def maxsim_ragged__wrong_axis(question, tokens, starts):
    """That adds up the best match of each document token, so that long documents win; the question's tokens choose."""
    maxsim_ragged(question, tokens, starts)
    best = (np.asarray(tokens, dtype=float) @ np.asarray(question, dtype=float).T).max(axis=1)
    return np.add.reduceat(best, np.asarray(starts))


def maxsim_ragged__added_up(question, tokens, starts):
    """That adds up the tokens of a document, `np.add.reduceat`; take their maximum, `np.maximum.reduceat`."""
    maxsim_ragged(question, tokens, starts)
    table = np.asarray(tokens, dtype=float) @ np.asarray(question, dtype=float).T
    return np.add.reduceat(table, np.asarray(starts), axis=0).sum(axis=1)


def maxsim_ragged__question_added_first(question, tokens, starts):
    """That adds the question's tokens up before the maximum, and one document token must do for all of them."""
    maxsim_ragged(question, tokens, starts)
    total = (np.asarray(tokens, dtype=float) @ np.asarray(question, dtype=float).T).sum(axis=1)
    return np.maximum.reduceat(total, np.asarray(starts))


def maxsim_ragged__mean(question, tokens, starts):
    """That is the mean over the question's tokens; MaxSim is their sum."""
    return np.asarray(maxsim_ragged(question, tokens, starts)) / len(question)


def maxsim_ragged__negative_is_zero(question, tokens, starts):
    """That begins each maximum at 0, as after filling up with zeros; a best match may be negative."""
    maxsim_ragged(question, tokens, starts)
    table = np.maximum(np.asarray(tokens, dtype=float) @ np.asarray(question, dtype=float).T, 0)
    return np.maximum.reduceat(table, np.asarray(starts), axis=0).sum(axis=1)


def maxsim_ragged__a_row_each(question, tokens, starts):
    """That keeps a row for each document; add up over the tokens of the question."""
    maxsim_ragged(question, tokens, starts)
    table = np.asarray(tokens, dtype=float) @ np.asarray(question, dtype=float).T
    return np.maximum.reduceat(table, np.asarray(starts), axis=0)


def maxsim_ragged__best_of_all(question, tokens, starts):
    """That is the largest similarity of each document; each token of the question adds its own."""
    maxsim_ragged(question, tokens, starts)
    best = (np.asarray(tokens, dtype=float) @ np.asarray(question, dtype=float).T).max(axis=1)
    return np.maximum.reduceat(best, np.asarray(starts))


def maxsim_ragged__over_the_tokens(question, tokens, starts):
    """That divides by how many tokens a document has; a maximum does not grow with them."""
    return np.asarray(maxsim_ragged(question, tokens, starts)) / np.diff([*starts, len(tokens)])


def maxsim_ragged__an_empty_piece_first(question, tokens, starts):
    """That gets an empty piece in front: `np.split` at 0 cuts off nothing. Leave the first start out there."""
    table = np.asarray(tokens, dtype=float) @ np.asarray(question, dtype=float).T
    return [part.max(axis=0).sum() for part in np.split(table, list(starts))]


def maxsim_ragged__nothing_refused(question, tokens, starts):
    """That takes any starts; refuse a document without tokens, and rows before the first one."""
    table = np.asarray(tokens, dtype=float) @ np.asarray(question, dtype=float).T
    return np.maximum.reduceat(table, np.asarray(starts), axis=0).sum(axis=1)


def maxsim_ragged__the_neighbors_row(question, tokens, starts):
    """That lets a document without tokens take a row of its neighbor, as reduceat does; refuse it with ValueError."""
    if starts[0] != 0:
        raise ValueError("starts")
    return maxsim_ragged__nothing_refused(question, tokens, starts)


def maxsim_ragged__no_tokens_is_zero(question, tokens, starts):
    """That gives 0 to a document without tokens, more than to one that matches badly; refuse it with ValueError."""
    if starts[0] != 0:
        raise ValueError("starts")
    table = np.asarray(tokens, dtype=float) @ np.asarray(question, dtype=float).T
    ends = [*list(starts)[1:], len(tokens)]
    return [float(table[a:b].max(axis=0).sum()) if b > a else 0.0 for a, b in zip(starts, ends, strict=True)]


def maxsim_ragged__rows_before_the_first(question, tokens, starts):
    """That leaves out what stands before the first start without a word; refuse starts that do not begin at 0."""
    first = int(starts[0])
    return maxsim_ragged(question, tokens[first:], [int(start) - first for start in starts])


def mean_similarity__of_all_pairs(question, document):
    """That is the dot product of the means, which are shorter than 1; divide by their lengths."""
    if not len(question) or not len(document):
        return 0.0
    return float(np.mean(question, axis=0) @ np.mean(document, axis=0))


def mean_similarity__of_all_pairs_no_tokens(question, document):
    """That is the mean of the whole table, and nan without tokens; divide by the lengths, and give 0 there."""
    if not len(question) or not len(document):
        return float("nan")
    return float(np.mean(question, axis=0) @ np.mean(document, axis=0))


def mean_similarity__of_sums(question, document):
    """That is the dot product of the sums, which grows with the texts; divide by their lengths."""
    return float(np.sum(question, axis=0) @ np.sum(document, axis=0))


def mean_similarity__one_length(question, document):
    """That divides by the length of the document's mean only; the question's has a length, too."""
    if not len(question) or not len(document):
        return 0.0
    means = np.mean(question, axis=0), np.mean(document, axis=0)
    length = np.linalg.norm(means[1])
    return float(means[0] @ means[1] / length) if length else 0.0


def mean_similarity__the_other_length(question, document):
    """That divides by the length of the question's mean only; the document's has a length, too."""
    return mean_similarity__one_length(document, question)


def mean_similarity__maxsim(question, document):
    """That is MaxSim, over the number of tokens; here the tokens are averaged before anything is compared."""
    return maxsim(question, document) / len(question) if len(question) and len(document) else 0.0


def mean_similarity__maxsim_itself(question, document):
    """That is MaxSim; here the tokens are averaged before anything is compared."""
    return maxsim(question, document) if len(question) and len(document) else 0.0


def mean_similarity__first_tokens(question, document):
    """That compares the first tokens; take the mean of all."""
    return float(np.dot(question[0], document[0])) if len(question) and len(document) else 0.0


def mean_similarity__best_pair(question, document):
    """That is the largest similarity of two tokens; take the mean of each text, and their cosine."""
    return float(_table(question, document).max()) if len(question) and len(document) else 0.0


def mean_similarity__wrong_axis(question, document):
    """That averages the numbers of each token, along axis 1; average the tokens, down each column."""
    a, b = np.mean(question, axis=1), np.mean(document, axis=1)
    width = min(len(a), len(b))
    lengths = np.linalg.norm(a[:width]) * np.linalg.norm(b[:width])
    return float(a[:width] @ b[:width] / lengths) if lengths else 0.0


def mean_similarity__distance(question, document):
    """That is 1 less the cosine, a distance; the cosine itself is asked for."""
    return 1 - mean_similarity(question, document)


def mean_similarity__size(question, document):
    """That leaves the sign out; a cosine goes from -1 to 1."""
    return abs(mean_similarity(question, document))


def mean_similarity__nothing_below_zero(question, document):
    """That is 0 for all that is below; a cosine goes from -1 to 1."""
    return max(mean_similarity(question, document), 0.0)


def mean_similarity__zero_is_nan(question, document):
    """That divides by a length of 0, and is nan; where a mean has none, the answer is 0."""
    sums = np.sum(question, axis=0), np.sum(document, axis=0)
    with np.errstate(all="ignore"):
        return float(np.float64(sums[0] @ sums[1]) / (np.linalg.norm(sums[0]) * np.linalg.norm(sums[1])))


def mean_similarity__zero_is_an_error(question, document):
    """That divides by a length of 0, and raises; where a mean has none, the answer is 0."""
    sums = np.sum(question, axis=0), np.sum(document, axis=0)
    return float(sums[0] @ sums[1]) / float(np.linalg.norm(sums[0]) * np.linalg.norm(sums[1]))


def mean_similarity__no_tokens_refused(question, document):
    """That refuses a text without tokens; here the answer is 0."""
    if not len(question) or not len(document):
        raise ValueError("no tokens")
    return mean_similarity(question, document)


def mean_similarity__no_tokens_is_nan(question, document):
    """That is nan for a text without tokens, as the mean of nothing is; the answer there is 0."""
    return mean_similarity(question, document) if len(question) and len(document) else float("nan")


def without_punctuation__vectors_kept(tokens, vectors):
    """That leaves tokens out and keeps all vectors; then no vector is where its token is."""
    return without_punctuation(tokens, vectors)[0], vectors


def without_punctuation__tokens_kept(tokens, vectors):
    """That leaves vectors out and keeps all tokens; then no token is where its vector is."""
    return tokens, without_punctuation(tokens, vectors)[1]


def without_punctuation__zeros(tokens, vectors):
    """That makes zeros of punctuation; it goes, or it still costs a vector, and wins where all else is negative."""
    there = np.array([not all(sign in string.punctuation for sign in token) for token in tokens])
    return tokens, np.asarray(vectors) * there[:, None]


def _those(tokens, vectors, keep):
    there = [place for place, token in enumerate(tokens) if keep(token)]
    return [tokens[place] for place in there], np.asarray(vectors)[np.array(there, dtype=int)]


def without_punctuation__comma_and_period(tokens, vectors):
    """That knows a few signs only; there are 32 in `string.punctuation`."""
    return _those(tokens, vectors, lambda token: token not in {".", ",", "!", "?", ";", ":"})


def without_punctuation__any_sign(tokens, vectors):
    """That drops a token with a sign somewhere in it, such as e_4432; all of its characters must be signs."""
    return _those(tokens, vectors, lambda token: not any(sign in string.punctuation for sign in token))


def without_punctuation__first_sign(tokens, vectors):
    """That looks at the first character only, and drops [CLS]; all of them must be signs."""
    return _those(tokens, vectors, lambda token: token[0] not in string.punctuation)


def without_punctuation__last_sign(tokens, vectors):
    """That looks at the last character only, and drops C++; all of them must be signs."""
    return _those(tokens, vectors, lambda token: token[-1] not in string.punctuation)


def without_punctuation__one_sign_only(tokens, vectors):
    """That drops a single sign and keeps "..."; all characters of a token are looked at."""
    return _those(tokens, vectors, lambda token: len(token) > 1 or token not in string.punctuation)


def without_punctuation__part_of_the_list(tokens, vectors):
    """That asks whether the token is a part of `string.punctuation`, where "..." does not stand; ask for each sign."""
    return _those(tokens, vectors, lambda token: token not in string.punctuation)


def without_punctuation__letters_only(tokens, vectors):
    """That keeps what is all letters, and drops numbers and codes such as e_4432."""
    return _those(tokens, vectors, str.isalpha)


def without_punctuation__some_letter(tokens, vectors):
    """That drops numbers; a 7 is no punctuation."""
    return _those(tokens, vectors, lambda token: any(sign.isalpha() for sign in token))


def without_punctuation__letters_and_digits_only(tokens, vectors):
    """That keeps only what is all letters and digits, and drops don't; a token goes if all its characters are signs."""
    return _those(tokens, vectors, lambda token: token.isalnum() or token.startswith("##"))


def without_punctuation__short_ones(tokens, vectors):
    """That drops all tokens of one character; "a" and "7" are no punctuation, and "..." is."""
    return _those(tokens, vectors, lambda token: len(token) > 1)


def without_punctuation__short_ones_too(tokens, vectors):
    """That drops short words with the signs; "a" and "7" are no punctuation."""
    return _those(tokens, vectors, lambda token: len(token) > 1 and not all(s in string.punctuation for s in token))


def without_punctuation__stripped(tokens, vectors):
    """That strips signs from the tokens that stay; a token is left out whole, or stays as it is."""
    kept, rows = without_punctuation(tokens, vectors)
    return ["".join(sign for sign in token if sign not in string.punctuation) for token in kept], rows


def without_punctuation__ends_stripped(tokens, vectors):
    """That strips signs from the ends of the tokens that stay; leave them as they are."""
    kept, rows = without_punctuation(tokens, vectors)
    return [token.strip(string.punctuation) for token in kept], rows


def without_punctuation__punctuation_only(tokens, vectors):
    """That keeps the punctuation and drops the rest."""
    return _those(tokens, vectors, lambda token: all(sign in string.punctuation for sign in token))


def without_punctuation__first_of_its_kind(tokens, vectors):
    """That looks a token's vector up by `tokens.index`, the first of its kind; each place has its own vector."""
    kept = without_punctuation(tokens, vectors)[0]
    return kept, np.asarray(vectors)[np.array([tokens.index(token) for token in kept], dtype=int)]


def without_punctuation__each_once(tokens, vectors):
    """That keeps each token once; a word that stands twice has two vectors, each from its own place."""
    kept = dict.fromkeys(without_punctuation(tokens, vectors)[0])
    return list(kept), np.asarray(vectors)[np.array([tokens.index(token) for token in kept], dtype=int)]


def without_punctuation__sorted(tokens, vectors):
    """That sorts the tokens; they stay in order, and each with its vector."""
    kept, rows = without_punctuation(tokens, vectors)
    order = sorted(range(len(kept)), key=kept.__getitem__)
    return [kept[place] for place in order], np.asarray(rows)[np.array(order, dtype=int)]


def without_punctuation__vectors_only(tokens, vectors):
    """That gives the vectors alone; the tokens that stay are asked for as well."""
    return without_punctuation(tokens, vectors)[1]


def without_punctuation__exchanged(tokens, vectors):
    """That gives the vectors first; the tokens come first."""
    return without_punctuation(tokens, vectors)[::-1]


def without_punctuation__pairs(tokens, vectors):
    """That gives pairs (token, vector); asked are two lists, all tokens and all vectors."""
    kept, rows = without_punctuation(tokens, vectors)
    return list(zip(kept, rows, strict=True))


def without_punctuation__something_must_stay(tokens, vectors):
    """That keeps everything where all is punctuation; then nothing is left, and that is for the caller to see."""
    kept, rows = without_punctuation(tokens, vectors)
    return (kept, rows) if kept else (tokens, vectors)


def _near(question, tokens, n):
    """Return the positions of the n nearest tokens, a row for each question token."""
    table = np.asarray(question, dtype=float) @ np.asarray(tokens, dtype=float).T
    return np.argsort(-table, axis=1, kind="stable")[:, :n]


def _owned(owners, positions):
    return sorted({int(owners[int(place)]) for place in positions})


def nearest_tokens__positions(question, tokens, owners, n):
    """That gives the tokens' positions; the documents that own them are asked for."""
    return sorted(set(_near(question, tokens, n).ravel().tolist()))


def nearest_tokens__n_of_all(question, tokens, owners, n):
    """That takes the n nearest tokens of all question tokens together; each has n of its own."""
    table = np.asarray(question, dtype=float) @ np.asarray(tokens, dtype=float).T
    return _owned(owners, np.argsort(-table.max(axis=0), kind="stable")[:n])


def nearest_tokens__n_documents(question, tokens, owners, n):
    """That goes on until it has n documents; it stops after n tokens, also if one document owns several."""
    found = set()
    for row in _near(question, tokens, len(tokens)):
        found |= set(list(dict.fromkeys(int(owners[place]) for place in row))[:n])
    return sorted(found)


def nearest_tokens__first_question_token(question, tokens, owners, n):
    """That looks for the first question token only; every one of them brings its candidates."""
    return nearest_tokens(question[:1], tokens, owners, n)


def nearest_tokens__last_question_token(question, tokens, owners, n):
    """That keeps what the last question token found; gather what all of them find."""
    return nearest_tokens(question[-1:], tokens, owners, n)


def nearest_tokens__near_to_all(question, tokens, owners, n):
    """That keeps the documents near to every question token; one of them is enough."""
    rows = [set(_owned(owners, row)) for row in _near(question, tokens, n)]
    return sorted(set.intersection(*rows))


def nearest_tokens__mean_question(question, tokens, owners, n):
    """That averages the question first; each of its tokens looks for itself."""
    return nearest_tokens([np.mean(question, axis=0)], tokens, owners, n)


def nearest_tokens__best_first(question, tokens, owners, n):
    """That leaves the documents in the order in which they were found; give them in ascending order."""
    return list(dict.fromkeys(int(owners[place]) for place in _near(question, tokens, n).ravel()))


def nearest_tokens__each_time(question, tokens, owners, n):
    """That gives a document each time one of its tokens is near; each once."""
    return sorted(int(owners[place]) for place in _near(question, tokens, n).ravel())


def nearest_tokens__a_set(question, tokens, owners, n):
    """That gives a set, which has no order; give a sorted list."""
    return set(nearest_tokens(question, tokens, owners, n))


def nearest_tokens__as_strings(question, tokens, owners, n):
    """That sorts as strings, where 10 comes before 2; owners are whole numbers."""
    return sorted(nearest_tokens(question, tokens, owners, n), key=str)


def nearest_tokens__farthest(question, tokens, owners, n):
    """That takes the smallest dot products; near vectors have a large one, and argsort begins with the smallest."""
    return nearest_tokens(-np.asarray(question, dtype=float), tokens, owners, n)


def nearest_tokens__ties_to_the_last(question, tokens, owners, n):
    """That takes the last of equal ones, as argsort does when it is read from its end; the first counts."""
    table = np.asarray(question, dtype=float) @ np.asarray(tokens, dtype=float).T
    return _owned(owners, np.argsort(table, axis=1, kind="stable")[:, ::-1][:, :n].ravel())


def nearest_tokens__one_more(question, tokens, owners, n):
    """That takes one token too many: a slice [:n] holds n already."""
    return nearest_tokens(question, tokens, owners, n + 1)


def nearest_tokens__one_less(question, tokens, owners, n):
    """That takes one token too few: a slice [:n] holds n."""
    return _owned(owners, _near(question, tokens, n - 1).ravel())


def nearest_tokens__positive_only(question, tokens, owners, n):
    """That takes only tokens with a similarity above 0; the n nearest count, however far they are."""
    table = np.asarray(question, dtype=float) @ np.asarray(tokens, dtype=float).T
    return sorted({int(owners[p]) for row, near in zip(table, _near(question, tokens, n), strict=True)
                   for p in near if row[p] > 0})


def nearest_tokens__the_first_n(question, tokens, owners, n):
    """That takes the first n tokens, unsorted; sort by the dot product first."""
    return _owned(owners, range(min(n, len(tokens))))


def nearest_tokens__more_than_there_are(question, tokens, owners, n):
    """That refuses an n beyond the number of tokens; then all of them count."""
    if n > len(tokens):
        raise ValueError("n")
    return nearest_tokens(question, tokens, owners, n)


def nearest_tokens__out_of_range(question, tokens, owners, n):
    """That looks for the n-th token where there are fewer; take as many as there are."""
    if n > len(tokens):
        raise IndexError("n")
    return nearest_tokens(question, tokens, owners, n)


def nearest_tokens__one_list_each(question, tokens, owners, n):
    """That keeps a list for each question token; one list of all candidates is asked for."""
    return [_owned(owners, row) for row in _near(question, tokens, n)]


def storage__always_four(tokens, dim, bytes_each):
    """That takes 4 bytes for every number; `bytes_each` says how many it is."""
    return tokens * dim * 4


def storage__bits(tokens, dim, bytes_each):
    """That is the number of bits; eight of them make a byte."""
    return storage(tokens, dim, bytes_each) * 8


def storage__bytes_are_bits(tokens, dim, bytes_each):
    """That divides by 8, as if bits came in; `bytes_each` is in bytes already."""
    return storage(tokens, dim, bytes_each) / 8


def storage__numbers(tokens, dim, bytes_each):
    """That counts numbers; each takes `bytes_each` bytes."""
    return tokens * dim


def storage__one_vector(tokens, dim, bytes_each):
    """That is the size of one vector; there is one for each token."""
    return dim * bytes_each


def storage__one_number_a_token(tokens, dim, bytes_each):
    """That stores one number a token; it has a whole vector, of `dim` numbers."""
    return tokens * bytes_each


def storage__added(tokens, dim, bytes_each):
    """That adds; each token has dim numbers, and each number so many bytes: multiply."""
    return tokens + dim + bytes_each


def storage__a_table_of_all_pairs(tokens, dim, bytes_each):
    """That keeps each token's similarity with each other one; only the vectors are stored."""
    return tokens * tokens * bytes_each


def storage__kibibytes(tokens, dim, bytes_each):
    """That divides by 1,024; the answer is in bytes."""
    return storage(tokens, dim, bytes_each) / 1024


def storage__megabytes(tokens, dim, bytes_each):
    """That divides by a million; the answer is in bytes."""
    return storage(tokens, dim, bytes_each) / 1e6


def storage__dim_squared(tokens, dim, bytes_each):
    """That counts dim times dim numbers for a token; a vector has dim of them."""
    return storage(tokens, dim, bytes_each) * dim


def storage__one_more(tokens, dim, bytes_each):
    """That adds one vector, for the whole text; only the tokens' are kept."""
    return storage(tokens + 1, dim, bytes_each)
