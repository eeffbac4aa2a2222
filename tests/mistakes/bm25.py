"""Common mistakes in the tasks bm25.*, each with the sentence that a learner reads.

`idf__no_plus_one` is a mistake of bm25.idf. A mistake is named only where it gives what the learner's function gave.
"""

import math

from firstprinciples.retrieve.bm25 import idf, invert, length_norm, term_weight


def invert__counts_once(documents):
    """That is what comes out when a word is noted once per document, however often it stands there."""
    return {word: dict.fromkeys(postings, 1) for word, postings in invert(documents).items()}


def invert__positions_from_one(documents):
    """That is what comes out when documents are numbered from 1; the first is 0."""
    return {word: {i + 1: tf for i, tf in postings.items()} for word, postings in invert(documents).items()}


def invert__total_in_every_document(documents):
    """That is what comes out when a word's count is kept for the whole collection, not for each document."""
    index = invert(documents)
    return {word: {i: sum(postings.values()) for i in postings} for word, postings in index.items()}


def invert__last_document_wins(documents):
    """That is what comes out when each document starts the word's postings anew, so that only the last is kept."""
    return {word: {i: document.count(word)} for i, document in enumerate(documents) for word in document}


def invert__zeros_kept(documents):
    """That is what comes out when documents that lack the word are listed with 0; leave them out."""
    index = invert(documents)
    return {word: {i: postings.get(i, 0) for i in range(len(documents))} for word, postings in index.items()}


def invert__equal_documents_are_one(documents):
    """That looks a document's position up by its words, so that of two equal documents only the first is found."""
    index = {}
    for words in documents:
        for word in words:
            index.setdefault(word, {})[documents.index(words)] = words.count(word)
    return index


def invert__lower_case(documents):
    """That changes the words to lower case; they come from a tokenizer and are taken as they are."""
    return invert([[word.lower() for word in words] for words in documents])


def idf__no_plus_one(n, df):
    """That is what comes out without the 1 + inside the logarithm: common words would count against a page."""
    return math.log((n - df + 0.5) / (df + 0.5))


def idf__classic(n, df):
    """That is ln(n / df), the idf of TF-IDF; BM25 has 1 + (n - df + 0.5) / (df + 0.5) inside, with both halves."""
    return math.log(n / df)


def idf__base_two(n, df):
    """That is the logarithm to base 2; the formula has the natural one, math.log."""
    return math.log2(1 + (n - df + 0.5) / (df + 0.5))


def idf__base_ten(n, df):
    """That is the logarithm to base 10; the formula has the natural one, math.log."""
    return math.log10(1 + (n - df + 0.5) / (df + 0.5))


def idf__no_logarithm(n, df):
    """That is what comes out without the logarithm: one rare word would drown all others."""
    return 1 + (n - df + 0.5) / (df + 0.5)


def idf__upside_down(n, df):
    """That is the fraction upside down: words then count more the more documents hold them."""
    return math.log(1 + (df + 0.5) / (n - df + 0.5))


def idf__floored_at_zero(n, df):
    """That is the older idf cut off at 0: a word in half of the documents would count nothing."""
    return max(0.0, math.log((n - df + 0.5) / (df + 0.5)))


def length_norm__b_inverted(length, average, b):
    """That is what comes out with b and 1 - b exchanged: b = 0 should switch length off, not on."""
    return 1.0 if average == 0 else b + (1 - b) * length / average


def length_norm__ratio_flipped(length, average, b):
    """That is average / length: long documents would be rewarded for being long."""
    return 1.0 if average == 0 else 1 - b + b * average / length


def length_norm__b_ignored(length, average, b):
    """That is length / average alone: b softens it, 1 - b + b * length / average."""
    return 1.0 if average == 0 else length / average


def length_norm__empty_document_is_one(length, average, b):
    """That gives 1 for an empty document; only where the average is 0 is there nothing to compare with."""
    return 1.0 if length == 0 else 1 - b + b * length / average


def length_norm__no_guard(length, average, b):
    """That is a division by an average of 0; where every document is empty the answer is 1."""
    return 1 - b + b * length / average


def length_norm__no_rest(length, average, b):
    """That is b * length / average without 1 - b: with b = 0 nothing would be left."""
    return 1.0 if average == 0 else b * length / average


def length_norm__whole_division(length, average, b):
    """That is what comes out with //, which drops what is behind the point; divide with /."""
    return 1.0 if average == 0 else 1 - b + b * (length // average)


def term_weight__k1_and_b_exchanged(tf, k1, b, length, average):
    """That is exactly what comes out with k1 and b exchanged."""
    return tf * (b + 1) / (tf + b * (1 - k1 + k1 * length / average)) if tf else 0.0


def term_weight__no_saturation(tf, k1, b, length, average):
    """That grows with every repeat: tf must stand below the line too, tf + k1 * K."""
    return tf * (k1 + 1) / (1 + k1 * length_norm(length, average, b)) if tf else 0.0


def term_weight__no_k1_plus_1(tf, k1, b, length, average):
    """That is the formula without (k1 + 1) above the line. It changes no order, but the lesson's formula has it."""
    return tf / (tf + k1 * length_norm(length, average, b)) if tf else 0.0


def term_weight__no_length(tf, k1, b, length, average):
    """That leaves length out: k1 is to be multiplied by K, which length_norm gives."""
    return tf * (k1 + 1) / (tf + k1) if tf else 0.0


def term_weight__b_inverted(tf, k1, b, length, average):
    """That is what comes out with b and 1 - b exchanged in K."""
    return tf * (k1 + 1) / (tf + k1 * (b + (1 - b) * length / average)) if tf else 0.0


def term_weight__ratio_flipped(tf, k1, b, length, average):
    """That has average / length in K where length / average belongs."""
    return tf * (k1 + 1) / (tf + k1 * (1 - b + b * average / length)) if tf else 0.0


def term_weight__norm_on_everything(tf, k1, b, length, average):
    """That multiplies all of tf + k1 by K; only k1 is multiplied."""
    return tf * (k1 + 1) / ((tf + k1) * length_norm(length, average, b)) if tf else 0.0


def term_weight__defaults_ignored(tf, k1, b, length, average):
    """That is the answer for k1 = 1.2 and b = 0.75, whatever was asked: use the k1 and b that are given."""
    return tf * 2.2 / (tf + 1.2 * length_norm(length, average, 0.75)) if tf else 0.0


def term_weight__zero_over_zero(tf, k1, b, length, average):
    """That is 0 / 0, where neither k1 nor tf is above 0: a word that is not there weighs 0, so ask for that first."""
    return tf * (k1 + 1) / (tf + k1 * length_norm(length, average, b))


def _score(query, document, documents, k1, b, lengths=None, average=None, df=None, weight=term_weight):
    """The score with one part exchanged: how lengths, the average, df or the weight are worked out."""
    length = lengths or len
    mean = average if average is not None else sum(map(length, documents)) / len(documents)
    count = df or (lambda word: sum(word in words for words in documents))
    return sum((idf(len(documents), count(word)) * weight(document.count(word), k1, b, length(document), mean)
                for word in query if word in document), 0.0)


def score__query_words_once(query, document, documents, k1=1.2, b=0.75):
    """That counts each word of the query once; a word said twice counts twice."""
    return _score(dict.fromkeys(query), document, documents, k1, b)


def score__no_idf(query, document, documents, k1=1.2, b=0.75):
    """That is the sum of the term weights without idf: every word counts the same, rare or not."""
    average = sum(map(len, documents)) / len(documents)
    return sum((term_weight(document.count(word), k1, b, len(document), average) for word in query), 0.0)


def score__df_counts_occurrences(query, document, documents, k1=1.2, b=0.75):
    """That takes for df how often the word stands in all documents; df is how many documents hold it."""
    return _score(query, document, documents, k1, b, df=lambda word: sum(words.count(word) for words in documents))


def score__tf_from_query(query, document, documents, k1=1.2, b=0.75):
    """That counts the word in the query for tf; tf is how often it stands in the document."""
    average = sum(map(len, documents)) / len(documents)
    return sum((idf(len(documents), sum(word in words for words in documents))
                * term_weight(query.count(word), k1, b, len(document), average)
                for word in query if word in document), 0.0)


def score__length_in_unique_words(query, document, documents, k1=1.2, b=0.75):
    """That measures length in different words; repeats belong to the length too."""
    return _score(query, document, documents, k1, b, lengths=lambda words: len(set(words)))


def score__average_over_vocabulary(query, document, documents, k1=1.2, b=0.75):
    """That divides the words of all documents by the number of different words; divide by the number of documents."""
    vocabulary = {word for words in documents for word in words}
    return _score(query, document, documents, k1, b, average=sum(map(len, documents)) / len(vocabulary))


def score__present_or_not(query, document, documents, k1=1.2, b=0.75):
    """That uses 1 for tf wherever the word occurs; repeats count too, only ever less."""
    average = sum(map(len, documents)) / len(documents)
    return sum((idf(len(documents), sum(word in words for words in documents))
                * term_weight(1, k1, b, len(document), average) for word in query if word in document), 0.0)


def score__defaults_ignored(query, document, documents, k1=1.2, b=0.75):
    """That is the score for k1 = 1.2 and b = 0.75, whatever was asked: hand k1 and b on."""
    return _score(query, document, documents, 1.2, 0.75)


def score__every_word_must_match(query, document, documents, k1=1.2, b=0.75):
    """That gives 0 unless every word of the query is there; a missing word adds nothing, and the others still count."""
    return _score(query, document, documents, k1, b) if all(word in document for word in query) else 0.0


def score__parts_of_words(query, document, documents, k1=1.2, b=0.75):
    """That finds a word inside longer words, "tent" in "tents"; compare whole words."""
    average = sum(map(len, documents)) / len(documents)
    texts, text = [" ".join(words) for words in documents], " ".join(document)
    return sum((idf(len(documents), sum(word in each for each in texts))
                * term_weight(text.count(word), k1, b, len(document), average) for word in query if word in text), 0.0)


def score__equal_documents_are_one(query, document, documents, k1=1.2, b=0.75):
    """That counts equal documents once; each document counts, also one that says the same as another."""
    different = [list(words) for words in dict.fromkeys(map(tuple, documents))]
    return _score(query, document, different, k1, b)


def _rank(query, documents, k=10, k1=1.2, b=0.75, **exchanged):
    """All documents with their score, in order of position; `exchanged` as in _score."""
    if not documents:
        return []
    return [(i, _score(query, words, documents, k1, b, **exchanged)) for i, words in enumerate(documents)]


def _best_first(pairs):
    return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))


def rank__df_counts_occurrences(query, documents, k=10, k1=1.2, b=0.75):
    """That takes for df how often the word stands in all documents; df is how many documents hold it."""
    found = _rank(query, documents, k, k1, b, df=lambda word: sum(words.count(word) for words in documents))
    return _best_first([p for p in found if p[1] > 0])[:k]


def rank__length_in_unique_words(query, documents, k=10, k1=1.2, b=0.75):
    """That measures length in different words; repeats belong to the length too."""
    found = _rank(query, documents, k, k1, b, lengths=lambda words: len(set(words)))
    return _best_first([p for p in found if p[1] > 0])[:k]


def rank__average_over_vocabulary(query, documents, k=10, k1=1.2, b=0.75):
    """That divides the words of all documents by the number of different words; divide by the number of documents."""
    vocabulary = {word for words in documents for word in words}
    found = _rank(query, documents, k, k1, b, average=sum(map(len, documents)) / max(len(vocabulary), 1))
    return _best_first([p for p in found if p[1] > 0])[:k]


def rank__zeros_kept(query, documents, k=10, k1=1.2, b=0.75):
    """That lists documents that score 0; leave out what matches no word of the query."""
    return _best_first(_rank(query, documents, k, k1, b))[:k]


def rank__worst_first(query, documents, k=10, k1=1.2, b=0.75):
    """That has the worst document first; the best comes first."""
    return sorted([p for p in _rank(query, documents, k, k1, b) if p[1] > 0], key=lambda pair: (pair[1], pair[0]))[:k]


def rank__ties_backwards(query, documents, k=10, k1=1.2, b=0.75):
    """That puts the later of two equal documents first; equal scores go by position, ascending."""
    return sorted([p for p in _rank(query, documents, k, k1, b) if p[1] > 0], reverse=True,
                  key=lambda pair: (pair[1], pair[0]))[:k]


def rank__k_ignored(query, documents, k=10, k1=1.2, b=0.75):
    """That returns every match; only the k best are asked for."""
    return _best_first([p for p in _rank(query, documents, k, k1, b) if p[1] > 0])


def rank__one_too_many(query, documents, k=10, k1=1.2, b=0.75):
    """That returns k + 1 documents; [:k] keeps the first k."""
    return _best_first([p for p in _rank(query, documents, k, k1, b) if p[1] > 0])[: k + 1]


def rank__cut_before_sorting(query, documents, k=10, k1=1.2, b=0.75):
    """That takes the first k it met and sorts only those; sort all, then keep k."""
    return _best_first([p for p in _rank(query, documents, k, k1, b) if p[1] > 0][:k])


def rank__ties_by_first_touch(query, documents, k=10, k1=1.2, b=0.75):
    """That leaves equal scores in the order in which they were met; sort by score, then by position, ascending."""
    met = dict.fromkeys(i for word in query for i, words in enumerate(documents) if word in words)
    totals = dict(_rank(query, documents, k, k1, b))
    return sorted([(i, totals[i]) for i in met if totals[i] > 0], key=lambda pair: -pair[1])[:k]


def rank__equal_documents_are_one(query, documents, k=10, k1=1.2, b=0.75):
    """That looks a document's position up by its words, so that of two equal documents only the first is found."""
    found = [p for p in _rank(query, documents, k, k1, b) if p[1] > 0]
    return _best_first({documents.index(documents[i]): (documents.index(documents[i]), total)
                        for i, total in found}.values())[:k]


def rank__not_sorted(query, documents, k=10, k1=1.2, b=0.75):
    """That keeps the order of the documents; sort by score, the best first."""
    return [p for p in _rank(query, documents, k, k1, b) if p[1] > 0][:k]


def rank__query_words_once(query, documents, k=10, k1=1.2, b=0.75):
    """That counts each word of the query once; a word said twice counts twice."""
    return _best_first([p for p in _rank(dict.fromkeys(query), documents, k, k1, b) if p[1] > 0])[:k]


def rank__defaults_ignored(query, documents, k=10, k1=1.2, b=0.75):
    """That ranks with k1 = 1.2 and b = 0.75, whatever was asked: hand k1 and b on."""
    return _best_first([p for p in _rank(query, documents) if p[1] > 0])[:k]


def rank__score_first(query, documents, k=10, k1=1.2, b=0.75):
    """That has (score, position); the position comes first."""
    return [(total, i) for i, total in _best_first([p for p in _rank(query, documents, k, k1, b) if p[1] > 0])[:k]]


def rank__positions_only(query, documents, k=10, k1=1.2, b=0.75):
    """That has the positions without their scores; return pairs (position, score)."""
    return [i for i, _ in _best_first([p for p in _rank(query, documents, k, k1, b) if p[1] > 0])[:k]]


def rank__empty_collection_divides(query, documents, k=10, k1=1.2, b=0.75):
    """That divides by the number of documents when there are none; an empty collection gives []."""
    average = sum(map(len, documents)) / len(documents)
    return _best_first([p for p in _rank(query, documents, k, k1, b) if p[1] > 0 and average])[:k]
