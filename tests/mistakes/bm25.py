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


def invert__list_of_positions(documents):
    """That keeps a list of positions for each word; keep a dict {position: count}."""
    index = {}
    for position, words in enumerate(documents):
        for word in words:
            index.setdefault(word, []).append(position)
    return index


def invert__list_of_documents(documents):
    """That keeps a list of the documents that hold the word; the counts are asked for too: {position: count}."""
    return {word: list(postings) for word, postings in invert(documents).items()}


def invert__pairs(documents):
    """That keeps a list of pairs for each word; keep a dict {position: count}."""
    return {word: list(postings.items()) for word, postings in invert(documents).items()}


def invert__one_count_for_all(documents):
    """That is one count for each word, over all documents; keep a count for each document: {position: count}."""
    return {word: sum(postings.values()) for word, postings in invert(documents).items()}


def invert__not_inverted(documents):
    """That maps each document to its words; the index goes the other way, from the word to its documents."""
    return {position: {word: words.count(word) for word in words} for position, words in enumerate(documents)}


def invert__one_too_many(documents):
    """That is 1 too many everywhere: a count starts at 0 before its first word is added."""
    return {word: {i: tf + 1 for i, tf in postings.items()} for word, postings in invert(documents).items()}


def invert__never_counted(documents):
    """That leaves every count at 0: add 1 each time the word is met."""
    return {word: dict.fromkeys(postings, 0) for word, postings in invert(documents).items()}


def invert__looked_up_before_it_is_there(documents):
    """That looks up a word or a document that is not in the dict yet: `setdefault` or `get` give it a start."""
    index = {}
    for position, words in enumerate(documents):
        for word in words:
            index[word][position] += 1
    return index


def invert__positions_as_strings(documents):
    """That has positions as strings; they are whole numbers, from 0."""
    return {word: {str(i): tf for i, tf in postings.items()} for word, postings in invert(documents).items()}


def invert__shares(documents):
    """That divides by the length of the document; the count itself is asked for."""
    return {word: {i: tf / len(documents[i]) for i, tf in postings.items()} for word, postings in
            invert(documents).items()}


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


def idf__no_parentheses(n, df):
    """That lacks the parentheses: 0.5 / df is divided first; write (n - df + 0.5) / (df + 0.5)."""
    return math.log(1 + n - df + 0.5 / df + 0.5)


def idf__no_parentheses_below(n, df):
    """That lacks the parentheses below the line: it divides by df and adds 0.5 afterwards; divide by (df + 0.5)."""
    return math.log(1 + (n - df + 0.5) / df + 0.5)


def idf__no_parentheses_above(n, df):
    """That lacks the parentheses above the line: only the last 0.5 is divided; divide all of (n - df + 0.5)."""
    return math.log(1 + n - df + 0.5 / (df + 0.5))


def idf__one_outside(n, df):
    """That adds the 1 after the logarithm; it belongs inside, before the logarithm is taken."""
    return 1 + math.log((n - df + 0.5) / (df + 0.5))


def idf__one_in_the_fraction(n, df):
    """That divides the 1 too; it stands before the fraction: 1 + (n - df + 0.5) / (df + 0.5)."""
    return math.log((1 + n - df + 0.5) / (df + 0.5))


def idf__one_twice(n, df):
    """That adds 1 twice: math.log1p adds one by itself."""
    return math.log1p(1 + (n - df + 0.5) / (df + 0.5))


def idf__all_documents_above(n, df):
    """That has all n documents above the line; above stand those that lack the word, n - df + 0.5."""
    return math.log(1 + (n + 0.5) / (df + 0.5))


def idf__no_half_below(n, df):
    """That lacks the + 0.5 below the line: divide by (df + 0.5)."""
    return math.log(1 + (n - df + 0.5) / df)


def idf__no_half_above(n, df):
    """That lacks the + 0.5 above the line: n - df + 0.5."""
    return math.log(1 + (n - df) / (df + 0.5))


def idf__one_plus_n_over_df(n, df):
    """That is ln(1 + n / df); BM25 has (n - df + 0.5) / (df + 0.5) after the 1."""
    return math.log(1 + n / df)


def idf__smoothed(n, df):
    """That is the smoothed idf of TF-IDF, ln((n + 1) / (df + 1)); BM25 has 1 + (n - df + 0.5) / (df + 0.5) inside."""
    return math.log((n + 1) / (df + 1))


def idf__smoothed_plus_one(n, df):
    """That is ln((n + 1) / (df + 1)) + 1, the idf of a well-known library; BM25 has another formula."""
    return math.log((n + 1) / (df + 1)) + 1


def idf__whole_division(n, df):
    """That is what comes out with //, which drops what is behind the point; divide with /."""
    return math.log(1 + (n - df + 0.5) // (df + 0.5))


def idf__minus(n, df):
    """That has the sign turned around: a rare word counts more, not less."""
    return -idf(n, df)


def idf__none_is_zero(n, df):
    """That gives 0 for a word in no document; the formula holds there too, and 0.5 keeps it from dividing by 0."""
    return idf(n, df) if df else 0.0


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


def length_norm__ratio_flipped_no_guard(length, average, b):
    """That is average / length, which rewards long documents and divides by zero at length 0; length goes above."""
    return 1 - b + b * average / length


def length_norm__ratio_flipped_empty_is_one(length, average, b):
    """That is average / length, with 1 at length 0; divide the length by the average, and ask whether that is 0."""
    return 1.0 if length == 0 else 1 - b + b * average / length


def length_norm__b_cancelled(length, average, b):
    """That is length / average, with no b left (in (1 - b + b) the two cancel), and divides by an average of 0."""
    return (1 - b + b) * length / average


def length_norm__all_over_average(length, average, b):
    """That divides 1 - b by the average too; only b * length is divided."""
    return 1.0 if average == 0 else (1 - b + b * length) / average


def length_norm__all_over_average_no_guard(length, average, b):
    """That divides 1 - b by the average too, and by an average of 0; only b * length is divided."""
    return (1 - b + b * length) / average


def length_norm__minus_both(length, average, b):
    """That takes away all that follows the minus: 1 - b + ... needs no parentheses after the minus."""
    return 1.0 if average == 0 else 1 - (b + b * length / average)


def length_norm__minus_both_no_guard(length, average, b):
    """That takes away all that follows the minus, and divides by an average of 0, where the answer is 1."""
    return 1 - (b + b * length / average)


def length_norm__b_inverted_no_guard(length, average, b):
    """That is what comes out with b and 1 - b exchanged, and it divides by an average of 0, where the answer is 1."""
    return b + (1 - b) * length / average


def length_norm__no_rest_no_guard(length, average, b):
    """That is b * length / average without 1 - b, and it divides by an average of 0, where the answer is 1."""
    return b * length / average


def length_norm__one_plus(length, average, b):
    """That lacks the - b: 1 - b + b * length / average is 1 for a document of average length."""
    return 1.0 if average == 0 else 1 + b * length / average


def length_norm__one_plus_no_guard(length, average, b):
    """That lacks the - b, and it divides by an average of 0, where the answer is 1."""
    return 1 + b * length / average


def length_norm__ratio_not_softened(length, average, b):
    """That adds all of length / average; b softens it: 1 - b + b * length / average."""
    return 1.0 if average == 0 else 1 - b + length / average


def length_norm__times(length, average, b):
    """That multiplies by the average; divide by it."""
    return 1 - b + b * length * average if average else 1.0


def length_norm__no_words_is_zero(length, average, b):
    """That gives 0 where the average is 0; there it gives 1, as for a document of average length."""
    return 0.0 if average == 0 else 1 - b + b * length / average


def length_norm__no_words_is_the_rest(length, average, b):
    """That gives 1 - b where the average is 0; there it gives 1, as for a document of average length."""
    return 1 - b if average == 0 else 1 - b + b * length / average


def length_norm__empty_document_is_zero(length, average, b):
    """That gives 0 for an empty document; the formula holds for it too: 1 - b."""
    return 0.0 if length == 0 else 1 - b + b * length / average


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


def term_weight__no_parentheses(tf, k1, b, length, average):
    """That lacks all parentheses: write tf * (k1 + 1) above the line and (tf + k1 * K) below."""
    return tf * k1 + 1 / tf + k1 * length_norm(length, average, b)


def term_weight__no_parentheses_below(tf, k1, b, length, average):
    """That lacks the parentheses below the line, so tf cancels out; and where tf is 0 it is 0 / 0: divide by (...)."""
    return tf * (k1 + 1) / tf + k1 * length_norm(length, average, b)


def term_weight__no_parentheses_below_guarded(tf, k1, b, length, average):
    """That lacks the parentheses below the line: it divides by tf alone and adds k1 * K; divide by (tf + k1 * K)."""
    return tf * (k1 + 1) / tf + k1 * length_norm(length, average, b) if tf else 0.0


def term_weight__no_parentheses_above(tf, k1, b, length, average):
    """That lacks the parentheses above the line: only the 1 is divided; multiply tf by (k1 + 1)."""
    return tf * k1 + 1 / (tf + k1 * length_norm(length, average, b)) if tf else 0.0


def term_weight__one_added_last(tf, k1, b, length, average):
    """That multiplies tf by k1 and adds 1 afterwards; multiply tf by (k1 + 1)."""
    return (tf * k1 + 1) / (tf + k1 * length_norm(length, average, b)) if tf else 0.0


def term_weight__norm_after_the_division(tf, k1, b, length, average):
    """That divides by tf + k1 and multiplies by K afterwards; K belongs to k1, below the line: (tf + k1 * K)."""
    return tf * (k1 + 1) / (tf + k1) * length_norm(length, average, b) if tf else 0.0


def term_weight__norm_added(tf, k1, b, length, average):
    """That adds K below the line; multiply k1 by it."""
    return tf * (k1 + 1) / (tf + k1 + length_norm(length, average, b)) if tf else 0.0


def term_weight__no_k1_below(tf, k1, b, length, average):
    """That leaves k1 out below the line: tf + k1 * K."""
    return tf * (k1 + 1) / (tf + length_norm(length, average, b)) if tf else 0.0


def term_weight__norm_without_parentheses(tf, k1, b, length, average):
    """That multiplies only the first 1 of K by k1; put K into parentheses, or call length_norm."""
    return tf * (k1 + 1) / (tf + k1 * 1 - b + b * length / average) if tf else 0.0


def term_weight__no_k1_plus_1_no_guard(tf, k1, b, length, average):
    """That lacks (k1 + 1) above the line, and it is 0 / 0 where tf and k1 are 0: a word that is not there weighs 0."""
    return tf / (tf + k1 * length_norm(length, average, b))


def term_weight__no_length_no_guard(tf, k1, b, length, average):
    """That leaves out K, which length_norm gives, and it is 0 / 0 where tf and k1 are 0."""
    return tf * (k1 + 1) / (tf + k1)


def term_weight__b_inverted_no_guard(tf, k1, b, length, average):
    """That has b and 1 - b exchanged in K, and it is 0 / 0 where tf and k1 are 0."""
    return tf * (k1 + 1) / (tf + k1 * length_norm(length, average, 1 - b))


def term_weight__ratio_flipped_no_guard(tf, k1, b, length, average):
    """That has average / length in K where length / average belongs, and it is 0 / 0 where tf and k1 are 0."""
    return tf * (k1 + 1) / (tf + k1 * length_norm(average, length, b))


def term_weight__absent_is_one(tf, k1, b, length, average):
    """That gives 1 for a word that is not there; where tf is 0 the weight is 0, also when k1 is 0."""
    return tf * (k1 + 1) / (tf + k1 * length_norm(length, average, b)) if tf else 1.0


def term_weight__zero_for_k1_zero(tf, k1, b, length, average):
    """That gives 0 whenever k1 is 0; there the first occurrence is all that counts, and the weight is 1."""
    return tf * (k1 + 1) / (tf + k1 * length_norm(length, average, b)) if k1 else 0.0


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


def _parts(query, document, documents, k1, b, idf_of=None, weight_of=None):
    """What each word of the query that is in the document adds, with one part exchanged."""
    n, average = len(documents), sum(map(len, documents)) / len(documents)
    idf_of = idf_of or (lambda word: idf(n, sum(word in words for words in documents)))
    weight_of = weight_of or (lambda word: term_weight(document.count(word), k1, b, len(document), average))
    return [idf_of(word) * weight_of(word) for word in query if word in document]


def score__added(query, document, documents, k1=1.2, b=0.75):
    """That adds idf and term weight; multiply them."""
    n, average = len(documents), sum(map(len, documents)) / len(documents)
    return sum(idf(n, sum(word in words for words in documents))
               + term_weight(document.count(word), k1, b, len(document), average)
               for word in query if word in document)


def score__added_for_missing_words_too(query, document, documents, k1=1.2, b=0.75):
    """That adds idf and term weight, so that a missing word adds something too; multiply them."""
    n, average = len(documents), sum(map(len, documents)) / len(documents)
    return sum(idf(n, sum(word in words for words in documents))
               + term_weight(document.count(word), k1, b, len(document), average) for word in query)


def score__idf_arguments_exchanged(query, document, documents, k1=1.2, b=0.75):
    """That hands df and n to idf the wrong way around: the number of documents comes first, idf(n, df)."""
    return sum(_parts(query, document, documents, k1, b, lambda word: idf(
        sum(word in words for words in documents), len(documents))))


def score__k1_and_b_exchanged(query, document, documents, k1=1.2, b=0.75):
    """That hands k1 and b on the wrong way around: term_weight(tf, k1, b, length, average)."""
    return sum(_parts(query, document, documents, b, k1))


def score__length_and_average_exchanged(query, document, documents, k1=1.2, b=0.75):
    """That hands length and average on the wrong way around: term_weight(tf, k1, b, length, average)."""
    average = sum(map(len, documents)) / len(documents)
    return sum(_parts(query, document, documents, k1, b, weight_of=lambda word: term_weight(
        document.count(word), k1, b, average, len(document))))


def score__average_is_the_documents_own(query, document, documents, k1=1.2, b=0.75):
    """That takes the document's own length for the average, or leaves length out; the average is over all documents."""
    return _score(query, document, documents, k1, b, average=len(document))


def score__total_for_average(query, document, documents, k1=1.2, b=0.75):
    """That takes the number of all words for the average; divide it by the number of documents."""
    return _score(query, document, documents, k1, b, average=sum(map(len, documents)))


def score__average_rounded_down(query, document, documents, k1=1.2, b=0.75):
    """That rounds the average length down; divide with /."""
    return _score(query, document, documents, k1, b, average=sum(map(len, documents)) // len(documents))


def score__average_of_those_that_match(query, document, documents, k1=1.2, b=0.75):
    """That averages the length of the documents that hold the word; the average is over all documents."""
    def weight(word):
        holders = [words for words in documents if word in words]
        return term_weight(document.count(word), k1, b, len(document), sum(map(len, holders)) / len(holders))

    return sum(_parts(query, document, documents, k1, b, weight_of=weight))


def score__length_of_the_query(query, document, documents, k1=1.2, b=0.75):
    """That takes the length of the query; K compares the length of the document with the average."""
    average = sum(map(len, documents)) / len(documents)
    return sum(_parts(query, document, documents, k1, b, weight_of=lambda word: term_weight(
        document.count(word), k1, b, len(query), average)))


def score__length_in_letters(query, document, documents, k1=1.2, b=0.75):
    """That measures length in letters; documents are lists of words, and length counts words."""
    return _score(query, document, documents, k1, b, lengths=lambda words: len(" ".join(words)))


def score__first_word_only(query, document, documents, k1=1.2, b=0.75):
    """That returns after the first word of the query; `return` belongs after the loop."""
    return _score(query[:1], document, documents, k1, b)


def score__last_word_only(query, document, documents, k1=1.2, b=0.75):
    """That keeps what the last word of the query adds; add up all of them, with +=."""
    return _score(query[-1:], document, documents, k1, b)


def score__last_match_only(query, document, documents, k1=1.2, b=0.75):
    """That keeps what the last word found adds; add up all of them, with +=."""
    return sum(_parts(query, document, documents, k1, b)[-1:])


def score__stops_at_a_missing_word(query, document, documents, k1=1.2, b=0.75):
    """That stops at the first word that is missing; it adds nothing, and the words after it still count."""
    there = [word in document for word in query]
    return _score(query[: there.index(False)] if False in there else query, document, documents, k1, b)


def score__over_the_document(query, document, documents, k1=1.2, b=0.75):
    """That goes through the words of the document, so that its repeats count again; go through the query."""
    return _score([word for word in document if word in query], document, documents, k1, b)


def score__df_in_this_document(query, document, documents, k1=1.2, b=0.75):
    """That takes for df how often the word stands in this document; df is how many documents hold it."""
    return _score(query, document, documents, k1, b, df=document.count)


def score__n_counts_words(query, document, documents, k1=1.2, b=0.75):
    """That takes for n the number of all words; n is the number of documents."""
    return sum(_parts(query, document, documents, k1, b, lambda word: idf(
        sum(map(len, documents)), sum(word in words for words in documents))))


def score__no_term_weight(query, document, documents, k1=1.2, b=0.75):
    """That is the sum of idf without the term weight: how often the word stands in the document counts too."""
    return sum(_parts(query, document, documents, k1, b, weight_of=lambda word: 1.0))


def score__tf_in_all_documents(query, document, documents, k1=1.2, b=0.75):
    """That takes for tf how often the word stands in all documents; tf is how often it stands in this one."""
    average = sum(map(len, documents)) / len(documents)
    return sum(idf(len(documents), sum(word in words for words in documents)) * term_weight(
        sum(words.count(word) for words in documents), k1, b, len(document), average) for word in query)


def score__mean_over_the_query(query, document, documents, k1=1.2, b=0.75):
    """That divides by the number of words in the query; the score is the sum."""
    return _score(query, document, documents, k1, b) / len(query)


def score__rounded_down(query, document, documents, k1=1.2, b=0.75):
    """That makes the sum a whole number; keep what is behind the point."""
    return int(_score(query, document, documents, k1, b))


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


def rank__worst_first_zeros_kept(query, documents, k=10, k1=1.2, b=0.75):
    """That has the worst document first and lists those that score 0; the best comes first, and 0 is left out."""
    return sorted(_rank(query, documents, k, k1, b), key=lambda pair: (pair[1], pair[0]))[:k]


def rank__ties_backwards_zeros_kept(query, documents, k=10, k1=1.2, b=0.75):
    """That lists documents that score 0, and puts the later of two equal ones first: leave out 0, order by position."""
    return sorted(_rank(query, documents, k, k1, b), reverse=True, key=lambda pair: (pair[1], pair[0]))[:k]


def rank__zeros_kept_k_ignored(query, documents, k=10, k1=1.2, b=0.75):
    """That returns every document; leave out those that score 0, and keep the k best."""
    return _best_first(_rank(query, documents, k, k1, b))


def rank__always_ten(query, documents, k=10, k1=1.2, b=0.75):
    """That returns ten documents whatever k is; [:k] keeps the first k."""
    return _best_first([p for p in _rank(query, documents, k, k1, b) if p[1] > 0])[:10]


def rank__score_first_ties_backwards(query, documents, k=10, k1=1.2, b=0.75):
    """That has (score, position), the later of two equal documents first; the position comes first, in order."""
    return sorted([(total, i) for i, total in _rank(query, documents, k, k1, b) if total > 0], reverse=True)[:k]


def rank__positions_only_zeros_kept(query, documents, k=10, k1=1.2, b=0.75):
    """That has positions without scores, also of documents that score 0; return pairs (position, score) of matches."""
    return [i for i, _ in _best_first(_rank(query, documents, k, k1, b))[:k]]


def rank__positions_from_one(query, documents, k=10, k1=1.2, b=0.75):
    """That counts positions from 1; the first document is 0."""
    return [(i + 1, total) for i, total in _best_first(
        [p for p in _rank(query, documents, k, k1, b) if p[1] > 0])[:k]]


def rank__texts(query, documents, k=10, k1=1.2, b=0.75):
    """That returns the documents themselves; return their positions."""
    return [(documents[i], total) for i, total in _best_first(
        [p for p in _rank(query, documents, k, k1, b) if p[1] > 0])[:k]]


def rank__dict(query, documents, k=10, k1=1.2, b=0.75):
    """That returns a dict; a list of pairs (position, score) is asked for."""
    return dict(_best_first([p for p in _rank(query, documents, k, k1, b) if p[1] > 0])[:k])


def rank__k1_and_b_exchanged(query, documents, k=10, k1=1.2, b=0.75):
    """That hands k1 and b on the wrong way around: k1 comes first."""
    return _best_first([p for p in _rank(query, documents, k, b, k1) if p[1] > 0])[:k]


def rank__last_word_counts(query, documents, k=10, k1=1.2, b=0.75):
    """That keeps what the last word adds to a document; add up what all words add."""
    last = {i: next(word for word in reversed(query) if word in words) for i, words in enumerate(documents)
            if any(word in words for word in query)}
    return _best_first([(i, _score([word], documents[i], documents, k1, b)) for i, word in last.items()])[:k]


def rank__unknown_words(query, documents, k=10, k1=1.2, b=0.75):
    """That looks up a word that no document holds; index.get(word, {}) gives an empty dict for it."""
    index = invert(documents)
    return [index[word] for word in query] and _best_first(
        [p for p in _rank(query, documents, k, k1, b) if p[1] > 0])[:k] if documents else []


def rank__ties_by_first_touch_no_guard(query, documents, k=10, k1=1.2, b=0.75):
    """That leaves equal scores in the order in which they were met, and divides by zero for an empty collection."""
    average = sum(map(len, documents)) / len(documents)
    return rank__ties_by_first_touch(query, documents, k, k1, b) if average else []
