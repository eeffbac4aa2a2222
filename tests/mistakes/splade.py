"""Common mistakes in the tasks splade.*, each with the sentence that a learner reads.

Each follows the reference but for the one thing that its sentence names.
"""

import math

import numpy as np

from firstprinciples.retrieve.splade import (
    flops,
    flops_gradient,
    impact_index,
    literal_and_added,
    ramp,
    score_all,
    sparse_dot,
    strongest,
    term_weights,
)


def _real(logits, mask):
    """Return the rows of the real tokens, at least one row: of zeros where no token is real."""
    rows = np.asarray(logits, dtype=float)[np.asarray(mask, dtype=bool)]
    return rows if len(rows) else np.zeros((1, np.shape(logits)[1]))


def term_weights__sum(logits, mask):
    """That adds up the tokens, as the first version of SPLADE did; take the best token for each word."""
    return np.log1p(np.maximum(_real(logits, mask), 0)).sum(axis=0)


def term_weights__mean(logits, mask):
    """That is the mean over the tokens; one token that wants a word is enough, so take the maximum."""
    return np.log1p(np.maximum(_real(logits, mask), 0)).mean(axis=0)


def term_weights__sum_inside(logits, mask):
    """That adds up the logits of all tokens before the logarithm; take the best token for each word."""
    return np.log1p(np.maximum(_real(logits, mask).sum(axis=0), 0))


def term_weights__no_relu(logits, mask):
    """That leaves out relu: 1 + logit has a logarithm below 0, or none, where the logit is below 0."""
    with np.errstate(all="ignore"):
        return np.log1p(_real(logits, mask)).max(axis=0)


def term_weights__relu_after_the_logarithm(logits, mask):
    """That takes relu after the logarithm; a logit of -3 has no logarithm of 1 + x, so relu comes first."""
    with np.errstate(all="ignore"):
        return np.maximum(np.log1p(_real(logits, mask)), 0).max(axis=0)


def term_weights__no_logarithm(logits, mask):
    """That leaves out the logarithm, so that one large logit outweighs all other words."""
    return np.maximum(_real(logits, mask), 0).max(axis=0)


def term_weights__no_plus_one(logits, mask):
    """That leaves out the 1 before the logarithm: log(1 + 0) is 0, and log(0) is minus infinity."""
    with np.errstate(all="ignore"):
        return np.log(np.maximum(_real(logits, mask), 0)).max(axis=0)


def term_weights__log2(logits, mask):
    """That takes the logarithm to base 2; the natural one is meant, math.log or np.log."""
    return np.asarray(term_weights(logits, mask)) / math.log(2)


def term_weights__softplus(logits, mask):
    """That is log(1 + e^x), which is never 0, so that every text gets every word; take log(1 + relu(x))."""
    found = np.log1p(np.exp(_real(logits, mask))).max(axis=0)
    return found if np.any(mask) else np.zeros(len(found))


def term_weights__size(logits, mask):
    """That takes the size of a logit without its sign; a logit below 0 speaks against the word and weighs nothing."""
    return np.log1p(np.abs(_real(logits, mask))).max(axis=0)


def term_weights__mask_ignored(logits, mask):
    """That reads the places that are only filled up, too; they are no tokens, so use the mask."""
    return term_weights(logits, np.ones(len(logits)))


def term_weights__mask_turned_round(logits, mask):
    """That reads the mask the wrong way round: 1 or True is a token, 0 or False is only filled up."""
    return term_weights(logits, ~np.asarray(mask, dtype=bool))


def term_weights__over_the_words(logits, mask):
    """That takes the maximum over the words, one number for each token; for each word the best token is meant."""
    return np.log1p(np.maximum(logits, 0)).max(axis=1) * np.asarray(mask, dtype=bool)


def term_weights__first_token(logits, mask):
    """That looks at the first token only; every token may bring in words."""
    return np.log1p(np.maximum(_real(logits, mask)[0], 0))


def term_weights__length_one(logits, mask):
    """That brings the weights to length 1, as for a cosine; SPLADE scores by the plain dot product."""
    found = np.asarray(term_weights(logits, mask), dtype=float)
    return found / (np.linalg.norm(found) or 1.0)


def term_weights__no_token(logits, mask):
    """That takes the maximum of no rows where no token is real, which is an error; give zeros then."""
    return np.log1p(np.maximum(np.asarray(logits, dtype=float)[np.asarray(mask, dtype=bool)], 0)).max(axis=0)


def flops__mean_of_squares(weights):
    """That squares first and takes the mean of the squares; take the mean over the texts first, and square it."""
    return float((np.asarray(weights, dtype=float) ** 2).mean(axis=0).sum())


def flops__sum_of_squares(weights):
    """That adds up all squares; take the mean over the texts first, and square it."""
    return float((np.asarray(weights, dtype=float) ** 2).sum())


def flops__sum_over_texts(weights):
    """That squares the sum over the texts; the mean is meant, or a larger batch would cost more."""
    return flops(weights) * len(weights) ** 2


def flops__not_squared(weights):
    """That leaves out the square: then a word that all texts carry costs no more than words that one carries."""
    return float(np.abs(weights).mean(axis=0).sum())


def flops__signs(weights):
    """That takes the mean of the weights with their signs, which cancel out; take |w| first."""
    return float((np.mean(weights, axis=0) ** 2).sum())


def flops__mean_over_words(weights):
    """That takes the mean over the words at the end; they add up."""
    return flops(weights) / np.shape(weights)[1]


def flops__over_the_words(weights):
    """That takes the mean over the words of each text; take it over the texts, for each word (axis 0)."""
    return flops(np.asarray(weights).T)


def flops__mean_of_all(weights):
    """That squares the mean of the whole table; each word has a mean of its own, and each is squared."""
    return float(np.abs(weights).mean() ** 2)


def flops__sum_then_square(weights):
    """That adds up the means of the words before it squares; square each, then add up."""
    return float(np.abs(weights).mean(axis=0).sum() ** 2)


def flops__root(weights):
    """That takes a square root at the end, as for a length; the squares are only added up."""
    return math.sqrt(flops(weights))


def flops__how_many(weights):
    """That counts the texts that carry a word and forgets how much; the mean of |w| is meant."""
    return flops(np.asarray(weights) != 0)


def flops__only_those_that_carry_it(weights):
    """That takes the mean over the texts that carry a word; all texts count, those with 0, too."""
    weights = np.abs(np.asarray(weights, dtype=float))
    return float(((weights.sum(axis=0) / np.maximum((weights > 0).sum(axis=0), 1)) ** 2).sum())


def flops_gradient__no_two(weights):
    """That leaves out the 2 that a square leaves in front of its slope."""
    return np.asarray(flops_gradient(weights)) / 2


def flops_gradient__not_divided(weights):
    """That forgets the number of texts: one weight moves the mean by 1 / texts only."""
    return np.asarray(flops_gradient(weights)) * len(weights)


def flops_gradient__neither(weights):
    """That leaves out both the 2 of the square and the number of texts: 2 * mean * sign / texts."""
    return np.asarray(flops_gradient(weights)) * len(weights) / 2


def flops_gradient__sums(weights):
    """That takes the sum over the texts for the mean, and forgets to divide by the number of texts as well."""
    return np.asarray(flops_gradient(weights)) * len(weights) ** 2


def flops_gradient__no_sign(weights):
    """That forgets the slope of |w|, which is the sign of w: below 0 it points the other way, and at 0 it is 0."""
    return np.abs(weights).mean(axis=0) * 2 / len(weights) + np.zeros(np.shape(weights))


def flops_gradient__zeros_pushed(weights):
    """That gives weights of 0 the sign 1; they can't fall further, so 0 is meant, as `np.sign` has it."""
    weights = np.asarray(weights, dtype=float)
    return 2 * np.abs(weights).mean(axis=0) * np.where(weights < 0, -1.0, 1.0) / len(weights)


def flops_gradient__of_the_mean_of_squares(weights):
    """That is 2 w / texts, the slope of the mean of the squares; that of a squared mean holds the mean of the word."""
    return 2 * np.asarray(weights, dtype=float) / len(weights)


def flops_gradient__weight_for_its_sign(weights):
    """That multiplies with the weight; only its sign is meant."""
    weights = np.asarray(weights, dtype=float)
    return 2 * np.abs(weights).mean(axis=0) * weights / len(weights)


def flops_gradient__signed_mean(weights):
    """That takes the mean of the weights with their signs, which cancel out; take |w| first."""
    weights = np.asarray(weights, dtype=float)
    return 2 * weights.mean(axis=0) / len(weights) + np.zeros(weights.shape)


def flops_gradient__mean_squared(weights):
    """That squares the mean once more; the slope of a square holds it once."""
    weights = np.asarray(weights, dtype=float)
    return 2 * np.abs(weights).mean(axis=0) ** 2 * np.sign(weights) / len(weights)


def flops_gradient__one_row(weights):
    """That gives one row for all texts; each weight of each text has a slope of its own."""
    return 2 * np.abs(weights).mean(axis=0) / len(weights)


def flops_gradient__divided_by_the_words(weights):
    """That divides by the number of words; the mean was taken over the texts."""
    return np.asarray(flops_gradient(weights)) * len(weights) / np.shape(weights)[1]


def flops_gradient__over_the_words(weights):
    """That takes the mean over the words of each text; take it over the texts, for each word (axis 0)."""
    return np.asarray(flops_gradient(np.asarray(weights).T)).T


def flops_gradient__downhill(weights):
    """That has the sign of the step to take; the gradient points uphill, and training subtracts it."""
    return -np.asarray(flops_gradient(weights))


def ramp__linear(step, steps, top):
    """That rises in a straight line; the share of the steps is squared, so that it starts gently."""
    return top * min(step / steps, 1.0)


def ramp__past_the_end(step, steps, top):
    """That goes on rising after the last step of the rise; from there on it is `top`."""
    return top * (step / steps) ** 2


def ramp__linear_past_the_end(step, steps, top):
    """That rises in a straight line, and without an end; square the share of the steps, and stay at `top`."""
    return top * step / steps


def ramp__all_squared(step, steps, top):
    """That squares `top`, too; only the share of the steps is squared."""
    return ramp(step, steps, top) * top


def ramp__cubed(step, steps, top):
    """That multiplies the share of the steps once too often; it is squared."""
    return top * min(step / steps, 1.0) ** 3


def ramp__root(step, steps, top):
    """That takes the root of the share of the steps, which rises fast at first; square it."""
    return top * math.sqrt(min(step / steps, 1.0))


def ramp__at_once(step, steps, top):
    """That is `top` from the first step; a model that is punished before it has learned anything gives no words."""
    return top


def ramp__falling(step, steps, top):
    """That falls from `top` to 0; the penalty starts at 0 and rises."""
    return top * (1 - min(step / steps, 1.0)) ** 2


def ramp__from_one(step, steps, top):
    """That counts the steps from 1; at step 0 the lambda is 0."""
    return ramp(step + 1, steps, top)


def ramp__whole_numbers(step, steps, top):
    """That divides with //, which throws away what is behind the point: 0 until the last step."""
    return top * min(step // steps, 1) ** 2


def ramp__without_top(step, steps, top):
    """That is the squared share of the steps, from 0 to 1; it is multiplied with `top`."""
    return min(step / steps, 1.0) ** 2


def ramp__gone_at_the_end(step, steps, top):
    """That is 0 after the rise; from there on it stays at `top`."""
    return ramp(step, steps, top) if step <= steps else 0.0


def ramp__flat(step, steps, top):
    """That divides the steps by the step; the share is step / steps."""
    return top * min(steps / step, 1.0) ** 2 if step else 0.0


def _length(weights):
    return math.sqrt(sum(weight**2 for weight in weights.values())) or 1.0


def sparse_dot__cosine(question, document):
    """That is the cosine; SPLADE takes the plain dot product, in which heavy texts score more."""
    return sparse_dot(question, document) / (_length(question) * _length(document))


def sparse_dot__question_at_length_one(question, document):
    """That divides by the length of the question; SPLADE takes the plain dot product."""
    return sparse_dot(question, document) / _length(question)


def sparse_dot__document_at_length_one(question, document):
    """That divides by the length of the document; SPLADE takes the plain dot product."""
    return sparse_dot(question, document) / _length(document)


def sparse_dot__how_many(question, document):
    """That counts the terms that both have; multiply their weights."""
    return float(len(question.keys() & document.keys()))


def sparse_dot__questions_weights(question, document):
    """That adds up the weights of the question alone; multiply each with that of the document."""
    return float(sum(question[term] for term in question if term in document))


def sparse_dot__documents_weights(question, document):
    """That adds up the weights of the document alone; multiply each with that of the question."""
    return float(sum(document[term] for term in question if term in document))


def sparse_dot__lesser_weight(question, document):
    """That takes the lesser of the two weights; multiply them."""
    return float(sum(min(question[term], document[term]) for term in question if term in document))


def sparse_dot__weights_added(question, document):
    """That adds the two weights of a term; multiply them."""
    return float(sum(question[term] + document[term] for term in question if term in document))


def sparse_dot__best_term(question, document):
    """That takes the best term alone; all terms that both have add up."""
    return float(max((question[term] * document[term] for term in question if term in document), default=0.0))


def sparse_dot__mean(question, document):
    """That takes the mean over the terms that both have; they add up."""
    return sparse_dot(question, document) / max(len(question.keys() & document.keys()), 1)


def sparse_dot__by_place(question, document):
    """That multiplies the first weight with the first, the second with the second; match them by term."""
    return float(sum(a * b for a, b in zip(question.values(), document.values(), strict=False)))


def sparse_dot__missing_counts_one(question, document):
    """That lets a term of the question that the document lacks weigh 1; it weighs 0 there."""
    return float(sum(weight * document.get(term, 1.0) for term, weight in question.items()))


def sparse_dot__missing_is_an_error(question, document):
    """That stops at a term of the question that the document lacks; it weighs 0 there (see `dict.get`)."""
    return float(sum(weight * document[term] for term, weight in question.items()))


def strongest__lightest(weights, n):
    """That keeps the lightest terms; the heaviest are meant."""
    return dict(sorted(weights.items(), key=lambda pair: (pair[1], pair[0]))[:n])


def strongest__by_term(weights, n):
    """That keeps the first terms of the alphabet; the weights decide, and the alphabet only between equals."""
    return dict(sorted(weights.items())[:n])


def strongest__as_they_stand(weights, n):
    """That keeps the first n terms as they stand; sort by weight first."""
    return dict(list(weights.items())[:n])


def strongest__ties_as_they_stand(weights, n):
    """That leaves equal weights in the order in which they stand; order them by term."""
    return dict(sorted(weights.items(), key=lambda pair: -pair[1])[:n])


def strongest__ties_downwards(weights, n):
    """That orders equal weights by term from z to a; a comes first."""
    return dict(sorted(weights.items(), key=lambda pair: (pair[1], pair[0]), reverse=True)[:n])


def strongest__ties_kept(weights, n):
    """That keeps every term as heavy as the n-th, so that more than n may come back; the alphabet decides."""
    kept = strongest(weights, n)
    return {term: weight for term, weight in weights.items() if kept and weight >= min(kept.values())}


def strongest__one_more(weights, n):
    """That keeps one term too many."""
    return strongest(weights, n + 1)


def strongest__one_less(weights, n):
    """That keeps one term too few."""
    return strongest(weights, max(n - 1, 0))


def strongest__share(weights, n):
    """That keeps terms with more than half of the largest weight; n says how many."""
    limit = max(weights.values(), default=0.0) / 2
    return strongest({term: weight for term, weight in weights.items() if weight > limit}, len(weights) if n else 0)


def strongest__zeros(weights, n):
    """That sets the light terms to 0; they go, or they would still stand in the index."""
    kept = strongest(weights, n)
    return {term: kept.get(term, 0.0) for term in weights}


def strongest__scaled(weights, n):
    """That brings the weights that are left to a sum of 1; they stay as they are."""
    kept = strongest(weights, n)
    return {term: weight / sum(kept.values()) for term, weight in kept.items()}


def strongest__terms_only(weights, n):
    """That gives the terms without their weights; a dict is meant, {term: weight}."""
    return list(strongest(weights, n))


def strongest__pairs(weights, n):
    """That gives a list of pairs; a dict is meant, {term: weight}."""
    return list(strongest(weights, n).items())


def strongest__none_is_all(weights, n):
    """That takes n = 0 for no limit; then nothing is left."""
    return strongest(weights, n or len(weights))


def impact_index__zeros_kept(documents):
    """That files weights of 0, too: the index would hold every word for every document."""
    return {term: [(position, document[term]) for position, document in enumerate(documents)
                   if document.get(term, -1) >= 0] for term in _terms(documents, lambda weight: weight >= 0)}


def impact_index__all_but_zeros(documents):
    """That files weights below 0, too; only what is above 0 goes in."""
    return {term: [(position, document[term]) for position, document in enumerate(documents) if document.get(term)]
            for term in _terms(documents, lambda weight: weight != 0)}


def impact_index__everything(documents):
    """That files every weight, also 0 and what is below; only what is above 0 goes in."""
    return {term: [(position, document[term]) for position, document in enumerate(documents) if term in document]
            for term in _terms(documents, lambda weight: True)}


def impact_index__empty_lists(documents):
    """That leaves an empty list for a term whose weights are all 0 or less; it should not be in the index."""
    index = impact_index(documents)
    return {term: index.get(term, []) for term in _terms(documents, lambda weight: True)}


def _terms(documents, kept):
    return dict.fromkeys(term for document in documents for term, weight in document.items() if kept(weight))


def impact_index__all_documents(documents):
    """That files every document under every term; only those that carry it belong there."""
    return {term: [(position, document.get(term, 0.0)) for position, document in enumerate(documents)]
            for term in impact_index(documents)}


def impact_index__from_one(documents):
    """That counts the documents from 1; positions begin at 0."""
    return {term: [(position + 1, weight) for position, weight in pairs]
            for term, pairs in impact_index(documents).items()}


def impact_index__heaviest_first(documents):
    """That puts the heaviest document of a term first; they are ordered by position."""
    return {term: sorted(pairs, key=lambda pair: (-pair[1], pair[0]))
            for term, pairs in impact_index(documents).items()}


def impact_index__backwards(documents):
    """That puts the last document first; positions go up."""
    return {term: pairs[::-1] for term, pairs in impact_index(documents).items()}


def impact_index__weight_first(documents):
    """That gives (weight, position); the position comes first."""
    return {term: [(weight, position) for position, weight in pairs] for term, pairs in impact_index(documents).items()}


def impact_index__positions_only(documents):
    """That files the positions without their weights."""
    return {term: [position for position, _ in pairs] for term, pairs in impact_index(documents).items()}


def impact_index__last_document(documents):
    """That writes over the list of a term whenever another document carries it; add to the list."""
    return {term: pairs[-1:] for term, pairs in impact_index(documents).items()}


def impact_index__first_document(documents):
    """That keeps the first document of each term only; add the others to its list."""
    return {term: pairs[:1] for term, pairs in impact_index(documents).items()}


def impact_index__drawers(documents):
    """That gives a dict for each term, {position: weight}; a list of (position, weight) is meant."""
    return {term: dict(pairs) for term, pairs in impact_index(documents).items()}


def impact_index__ones(documents):
    """That files a 1 for each document, as if a term were there or not; file its weight."""
    return {term: [(position, 1.0) for position, _ in pairs] for term, pairs in impact_index(documents).items()}


def impact_index__added_up(documents):
    """That adds up the weights of a term over the documents; file who carries it, and how much."""
    return {term: sum(weight for _, weight in pairs) for term, pairs in impact_index(documents).items()}


def score_all__documents_weights(question, index, n):
    """That forgets the question's weights; each weight of a document is multiplied with that of the question."""
    return score_all(dict.fromkeys(question, 1.0), index, n)


def score_all__questions_weights(question, index, n):
    """That forgets the documents' weights; each weight of the question is multiplied with that of the document."""
    return score_all(question, {term: [(i, 1.0) for i, _ in pairs] for term, pairs in index.items()}, n)


def score_all__overwritten(question, index, n):
    """That writes over what an earlier term gave; the terms add up (+=)."""
    totals = [0.0] * n
    for term, weight in question.items():
        for position, impact in index.get(term, []):
            totals[position] = weight * impact
    return totals


def score_all__best_term(question, index, n):
    """That keeps the best term of each document alone; the terms add up."""
    totals = [0.0] * n
    for term, weight in question.items():
        for position, impact in index.get(term, []):
            totals[position] = max(totals[position], weight * impact)
    return totals


def score_all__first_term(question, index, n):
    """That looks up the first term of the question only; look up each."""
    return score_all(dict(list(question.items())[:1]), index, n)


def score_all__whole_index(question, index, n):
    """That reads every list of the index, with a weight of 1 for terms that the question lacks; read its terms only."""
    return score_all({**dict.fromkeys(index, 1.0), **question}, index, n)


def score_all__only_those_with_all_terms(question, index, n):
    """That scores only the documents that carry all terms of the question; one term in common is enough."""
    has_all = [all(i in dict(index.get(term, [])) for term in question) for i in range(n)]
    return [total if kept else 0.0 for total, kept in zip(score_all(question, index, n), has_all, strict=True)]


def score_all__found_only(question, index, n):
    """That leaves out the documents that score 0; give a number for each of the n."""
    return [total for total in score_all(question, index, n) if total]


def score_all__a_dict(question, index, n):
    """That gives a dict of the documents that were found; a list of n numbers is meant."""
    return {i: total for i, total in enumerate(score_all(question, index, n)) if total}


def score_all__as_long_as_the_lists(question, index, n):
    """That ends with the last document that the index names; n says how many there are."""
    named = [position for pairs in index.values() for position, _ in pairs]
    return score_all(question, index, max(named, default=-1) + 1)


def score_all__missing_is_an_error(question, index, n):
    """That stops at a term that is not in the index; it adds nothing (see `dict.get`)."""
    for term in question:
        index[term]
    return score_all(question, index, n)


def score_all__mean(question, index, n):
    """That divides by the number of terms in the question; they are only added up."""
    return [total / max(len(question), 1) for total in score_all(question, index, n)]


def score_all__cosine(question, index, n):
    """That divides by the lengths of question and documents, which is the cosine; the plain dot product is meant."""
    squares = [0.0] * n
    for pairs in index.values():
        for position, impact in pairs:
            squares[position] += impact**2
    return [total / (_length(question) * (math.sqrt(square) or 1.0))
            for total, square in zip(score_all(question, index, n), squares, strict=True)]


def score_all__question_at_length_one(question, index, n):
    """That divides by the length of the question; the plain dot product is meant."""
    return [total / _length(question) for total in score_all(question, index, n)]


def score_all__one_place_on(question, index, n):
    """That takes the positions for ranks that begin at 1; they begin at 0."""
    totals = score_all(question, index, n)
    return [*totals[1:], totals[0]] if totals else totals


def literal_and_added__exchanged(text_terms, weights):
    """That has the two the wrong way round: literal is what stands in the text."""
    parts = literal_and_added(text_terms, weights)
    return {"literal": parts["added"], "added": parts["literal"]}


def literal_and_added__literal_only(text_terms, weights):
    """That drops what the model added, and with it all that SPLADE has over BM25."""
    return {**literal_and_added(text_terms, weights), "added": {}}


def literal_and_added__all_added(text_terms, weights):
    """That puts all terms with a weight among the added ones; those of the text are literal only."""
    return {**literal_and_added(text_terms, weights), "added": dict(weights)}


def literal_and_added__all_literal(text_terms, weights):
    """That takes every term with a weight for literal; only those are that stand in the text."""
    return {"literal": dict(weights), "added": {}}


def literal_and_added__zeros(text_terms, weights):
    """That lists terms of the text to which the model gave no weight; they are in neither."""
    parts = literal_and_added(text_terms, weights)
    return {**parts, "literal": {**dict.fromkeys(text_terms, 0.0), **parts["literal"]}}


def literal_and_added__without_a_weight(text_terms, weights):
    """That takes the terms of the text to which the model gave no weight for added ones; it is the other way round."""
    parts = literal_and_added(text_terms, weights)
    return {**parts, "added": {term: 0.0 for term in text_terms if term not in weights}}


def literal_and_added__counted(text_terms, weights):
    """That multiplies the weight of a term by how often it stands in the text; the weight holds that already."""
    parts = literal_and_added(text_terms, weights)
    counted = {term: weight * list(text_terms).count(term) for term, weight in parts["literal"].items()}
    return {**parts, "literal": counted}


def literal_and_added__counts(text_terms, weights):
    """That gives how often a term stands in the text; its weight is meant."""
    parts = literal_and_added(text_terms, weights)
    return {**parts, "literal": {term: list(text_terms).count(term) for term in parts["literal"]}}


def literal_and_added__parts_of_words(text_terms, weights):
    """That finds "car" inside "carpet"; compare whole terms."""
    text = " ".join(text_terms)
    return {"literal": {term: weight for term, weight in weights.items() if term in text},
            "added": {term: weight for term, weight in weights.items() if term not in text}}


def literal_and_added__once(text_terms, weights):
    """That takes a term for literal only if it stands in the text once; often is literal, too."""
    once = [term for term in text_terms if list(text_terms).count(term) == 1]
    return literal_and_added(once, weights)


def literal_and_added__terms_only(text_terms, weights):
    """That gives the terms without their weights; two dicts are meant, {term: weight}."""
    return {name: list(part) for name, part in literal_and_added(text_terms, weights).items()}


def literal_and_added__pair(text_terms, weights):
    """That gives the two parts without their names; a dict with "literal" and "added" is meant."""
    return list(literal_and_added(text_terms, weights).values())
