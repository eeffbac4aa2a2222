"""Other right ways to write the tasks splade.*: the graded tests must pass them all."""

import math
from collections import defaultdict

import numpy as np


def term_weights__loop(logits, mask):
    best = [0.0] * len(logits[0])
    for row, real in zip(logits, mask, strict=True):
        for word, logit in enumerate(row):
            if real and logit > 0:
                best[word] = max(best[word], math.log(1 + logit))
    return best


def term_weights__maximum_first(logits, mask):
    logits, mask = np.array(logits, dtype=np.float32), np.array(mask, dtype=np.float32)
    return np.log(1 + np.maximum(logits * mask[:, None], 0).max(axis=0))


def term_weights__mask_last(logits, mask):
    weights = np.log1p(np.clip(logits, 0, None)) * np.asarray(mask)[:, None]
    return np.amax(weights, axis=0)


def term_weights__minus_infinity(logits, mask):
    rows = np.where(np.asarray(mask, dtype=bool)[:, None], logits, -np.inf)
    return np.log1p(np.maximum(rows.max(axis=0), 0))


def flops__loop(weights):
    total = 0.0
    for word in range(len(weights[0])):
        total += (sum(abs(text[word]) for text in weights) / len(weights)) ** 2
    return total


def flops__dot(weights):
    means = np.sum(np.abs(np.array(weights, dtype=np.float32)), axis=0) / len(weights)
    return means @ means


def flops__columns(weights):
    return sum(np.mean([abs(weight) for weight in column]) ** 2 for column in zip(*weights, strict=True))


def flops_gradient__loop(weights):
    weights = np.asarray(weights).tolist()
    n, out = len(weights), []
    means = [sum(abs(text[word]) for text in weights) / n for word in range(len(weights[0]))]
    for text in weights:
        out.append([2 * mean / n * ((weight > 0) - (weight < 0)) for weight, mean in zip(text, means, strict=True)])
    return out


def flops_gradient__sums(weights):
    weights = np.array(weights, dtype=np.float32)
    return np.sign(weights) * np.abs(weights).sum(axis=0) * (2 / len(weights) ** 2)


def flops_gradient__where(weights):
    weights = np.asarray(weights, dtype=float)
    slope = 2 * np.mean(np.abs(weights), axis=0) / weights.shape[0]
    return np.where(weights > 0, slope, 0.0) - np.where(weights < 0, slope, 0.0)


def ramp__two_cases(step, steps, top):
    if step >= steps:
        return top
    return top * step * step / steps**2


def ramp__numpy(step, steps, top):
    return top * np.minimum(1, step / steps) ** 2


def ramp__least(step, steps, top):
    return min(top, top * (step / steps) ** 2)


def sparse_dot__loop(question, document):
    total = 0.0
    for term in question:
        total += question[term] * document.get(term, 0.0)
    return total


def sparse_dot__common(question, document):
    return math.fsum(question[term] * document[term] for term in question.keys() & document.keys())


def sparse_dot__dense(question, document):
    terms = sorted({*question, *document})
    rows = [[weights.get(term, 0.0) for term in terms] for weights in (question, document)]
    return np.dot(*np.array(rows, dtype=float))


def strongest__one_at_a_time(weights, n):
    left, kept = dict(weights), {}
    while left and len(kept) < n:
        best = max(left.values())
        term = min(term for term, weight in left.items() if weight == best)
        kept[term] = left.pop(term)
    return kept


def strongest__two_sorts(weights, n):
    terms = sorted(sorted(weights), key=weights.get, reverse=True)
    return {term: weights[term] for term in terms[:n]}


def strongest__lexsort(weights, n):
    terms = sorted(weights)
    order = np.argsort([-weights[term] for term in terms], kind="stable")[:n]
    return {terms[int(i)]: np.float64(weights[terms[int(i)]]) for i in order}


def impact_index__defaultdict(documents):
    index = defaultdict(list)
    for position in range(len(documents)):
        for term in documents[position]:
            if documents[position][term] > 0:
                index[term].append([position, documents[position][term]])
    return index


def impact_index__by_term(documents):
    terms = {term for document in documents for term, weight in document.items() if weight > 0}
    return {term: [(i, document[term]) for i, document in enumerate(documents) if document.get(term, 0) > 0]
            for term in terms}


def impact_index__sorted(documents):
    found = sorted((term, i, weight) for i, document in enumerate(documents) for term, weight in document.items())
    index = {}
    for term, i, weight in found:
        if weight > 0:
            index[term] = [*index.get(term, []), (i, weight)]
    return index


def score_all__arrays(question, index, n):
    totals = np.zeros(n)
    for term, weight in question.items():
        pairs = index.get(term)
        if pairs:
            positions, impacts = zip(*pairs, strict=True)
            totals[list(positions)] += weight * np.array(impacts)
    return totals


def score_all__bincount(question, index, n):
    positions = [i for term in question for i, _ in index.get(term, [])]
    parts = [weight * impact for term, weight in question.items() for _, impact in index.get(term, [])]
    return np.bincount(np.array(positions, dtype=int), weights=parts, minlength=n)


def score_all__document_by_document(question, index, n):
    lists = {term: dict(index[term]) for term in question if term in index}
    return [float(sum(question[term] * found.get(i, 0.0) for term, found in lists.items())) for i in range(n)]


def literal_and_added__two_dicts(text_terms, weights):
    literal = {term: weight for term, weight in weights.items() if term in text_terms}
    return {"literal": literal, "added": {term: weight for term, weight in weights.items() if term not in literal}}


def literal_and_added__taken_out(text_terms, weights):
    added, literal = dict(weights), {}
    for term in text_terms:
        if term in added:
            literal[term] = added.pop(term)
    return {"added": added, "literal": literal}


def literal_and_added__sets(text_terms, weights):
    both = set(text_terms) & set(weights)
    return dict(literal={term: weights[term] for term in sorted(both)},
                added={term: weights[term] for term in sorted(set(weights) - both)})
