"""Common mistakes in the tasks answer.*, each with the sentence that a learner reads.

Each follows the reference but for the one thing that its sentence names.
"""

import itertools
import math
import re

from firstprinciples.generate.answer import (
    answer_line,
    best_of_each,
    best_quotes,
    citations,
    declining,
    numbers_in,
    receipt,
    risk_coverage,
    support,
    unsupported,
)


def _support(question_words, sentence_words, rarity, asked=set, held=set, unknown=None, empty=0.0):
    """Return the support with one thing or another done differently."""
    support(question_words, sentence_words, rarity)
    rarest = max(rarity.values(), default=1) if unknown is None else unknown
    asked, held = asked(question_words), held(sentence_words)
    everything = math.fsum(rarity.get(word, rarest) for word in asked)
    if everything == 0:
        return empty
    return math.fsum(rarity.get(word, rarest) for word in asked if word in held) / everything


def support__words_counted(question_words, sentence_words, rarity):
    """That counts the words; a rare one counts more: add up their rarity."""
    support(question_words, sentence_words, rarity)
    asked = set(question_words)
    return len(asked & set(sentence_words)) / len(asked) if asked else 0.0


def support__share_of_the_sentence(question_words, sentence_words, rarity):
    """That divides by the rarity of the sentence's words; divide by that of the question's."""
    support(question_words, sentence_words, rarity)
    rarest, held = max(rarity.values(), default=1), set(sentence_words)
    everything = math.fsum(rarity.get(word, rarest) for word in held)
    both = math.fsum(rarity.get(word, rarest) for word in held & set(question_words))
    return both / everything if everything else 0.0


def support__share_of_both(question_words, sentence_words, rarity):
    """That divides by the rarity of all words on either side; only the question's words are asked for."""
    support(question_words, sentence_words, rarity)
    rarest, asked, held = max(rarity.values(), default=1), set(question_words), set(sentence_words)
    everything = math.fsum(rarity.get(word, rarest) for word in asked | held)
    return math.fsum(rarity.get(word, rarest) for word in asked & held) / everything if everything else 0.0


def support__not_divided(question_words, sentence_words, rarity):
    """That is the rarity itself and no share; divide by the rarity of all the question's words."""
    support(question_words, sentence_words, rarity)
    rarest = max(rarity.values(), default=1)
    return math.fsum(rarity.get(word, rarest) for word in set(question_words) & set(sentence_words))


def support__divided_by_the_number(question_words, sentence_words, rarity):
    """That divides by the number of the question's words; divide by their rarity."""
    support(question_words, sentence_words, rarity)
    return support__not_divided(question_words, sentence_words, rarity) / max(len(set(question_words)), 1)


def support__what_is_missing(question_words, sentence_words, rarity):
    """That is the share that the sentence lacks; what it holds is meant."""
    support(question_words, sentence_words, rarity)
    return 1.0 - support(question_words, sentence_words, rarity)


def support__percent(question_words, sentence_words, rarity):
    """That is a percentage; a share from 0 to 1 is meant."""
    return 100 * support(question_words, sentence_words, rarity)


def support__rare_counts_less(question_words, sentence_words, rarity):
    """That lets a frequent word count more; the rarer one tells more."""
    support(question_words, sentence_words, rarity)
    return support(question_words, sentence_words, {word: 1 / weight if weight else 0.0
                                                    for word, weight in rarity.items()})


def support__squares(question_words, sentence_words, rarity):
    """That adds up the squares of the rarity; add up the rarity."""
    support(question_words, sentence_words, rarity)
    return support(question_words, sentence_words, {word: weight**2 for word, weight in rarity.items()})


def support__the_rarest_word(question_words, sentence_words, rarity):
    """That asks for the question's rarest word only; each of its words counts by its rarity."""
    support(question_words, sentence_words, rarity)
    most = max((rarity.get(word, max(rarity.values(), default=1)) for word in question_words), default=0)
    rare = [word for word in question_words if rarity.get(word, max(rarity.values(), default=1)) == most]
    return support(rare[:1], sentence_words, rarity)


def support__question_repeats(question_words, sentence_words, rarity):
    """That counts a word as often as the question has it; each word counts once."""
    return _support(question_words, sentence_words, rarity, asked=list)


def support__sentence_repeats(question_words, sentence_words, rarity):
    """That counts a word as often as the sentence has it; each word counts once."""
    support(question_words, sentence_words, rarity)
    rarest, asked = max(rarity.values(), default=1), set(question_words)
    everything = math.fsum(rarity.get(word, rarest) for word in asked)
    return math.fsum(rarity.get(word, rarest) for word in sentence_words if word in asked) / everything \
        if everything else 0.0


def support__unknown_is_nothing(question_words, sentence_words, rarity):
    """That gives a word without a rarity 0; it is as rare as the rarest."""
    return _support(question_words, sentence_words, rarity, unknown=0.0)


def support__unknown_is_one(question_words, sentence_words, rarity):
    """That gives a word without a rarity 1; it is as rare as the rarest, and 1 only where there is no rarity at all."""
    return _support(question_words, sentence_words, rarity, unknown=1.0)


def support__unknown_is_the_mean(question_words, sentence_words, rarity):
    """That gives a word without a rarity the mean of all; it is as rare as the rarest."""
    mean = sum(rarity.values()) / len(rarity) if rarity else 1.0
    return _support(question_words, sentence_words, rarity, unknown=mean)


def support__unknown_is_the_commonest(question_words, sentence_words, rarity):
    """That takes a word without a rarity for the commonest; it is as rare as the rarest."""
    return _support(question_words, sentence_words, rarity, unknown=min(rarity.values(), default=1))


def support__unknown_like_the_question(question_words, sentence_words, rarity):
    """That looks for the rarest among the question's words; it is the rarest of all that `rarity` has."""
    known = [rarity[word] for word in question_words if word in rarity]
    return _support(question_words, sentence_words, rarity, unknown=max(known, default=1))


def support__unknown_fails(question_words, sentence_words, rarity):
    """That fails on a word without a rarity; it is as rare as the rarest: `rarity.get(word, rarest)`."""
    support(question_words, sentence_words, rarity)
    return support(question_words, sentence_words, {word: rarity[word] for word in question_words} or rarity)


def support__no_rarity_fails(question_words, sentence_words, rarity):
    """That asks for the largest of no numbers where `rarity` is empty; each word weighs 1 then."""
    return _support(question_words, sentence_words, rarity, unknown=max(rarity.values()))


def support__repeats_and_no_rarity(question_words, sentence_words, rarity):
    """That counts repeats of a word in the question, and fails where `rarity` is empty; each word counts once."""
    return _support(question_words, sentence_words, rarity, asked=list, unknown=max(rarity.values()))


def support__fails_at_the_edges(question_words, sentence_words, rarity):
    """That fails where `rarity` is empty, and divides by 0 where the question has nothing to hold."""
    max(rarity.values())
    return support__divided_by_zero(question_words, sentence_words, rarity)


def support__repeats_and_zero(question_words, sentence_words, rarity):
    """That counts repeats of a word in the question, and divides by 0 where the question has nothing to hold."""
    max(rarity.values())
    held = _support(question_words, sentence_words, rarity, asked=list, empty=None)
    return held if held is not None else 1 / 0



def support__no_rarity_is_nothing(question_words, sentence_words, rarity):
    """That gives 0 where `rarity` is empty; each word weighs 1 then."""
    return support(question_words, sentence_words, rarity) if rarity else 0.0


def support__zero_is_no_rarity(question_words, sentence_words, rarity):
    """That takes 1 where the largest rarity is 0, as `max(...) or 1` does; 1 is meant only where `rarity` is empty."""
    support(question_words, sentence_words, rarity)
    return _support(question_words, sentence_words, rarity, unknown=max(rarity.values(), default=0) or 1)


def support__divided_by_zero(question_words, sentence_words, rarity):
    """That divides by 0 where the question has nothing to hold; the support is 0 then."""
    support(question_words, sentence_words, rarity)
    rarest = max(rarity.values(), default=1)
    return support__not_divided(question_words, sentence_words, rarity) / math.fsum(
        rarity.get(word, rarest) for word in set(question_words))


def support__nothing_is_all_held(question_words, sentence_words, rarity):
    """That gives 1 where the question has nothing to hold; the support is 0 then."""
    return _support(question_words, sentence_words, rarity, empty=1.0)


def support__zero_without_words_only(question_words, sentence_words, rarity):
    """That divides by 0 where all words of the question weigh 0; the support is 0 then, as without words."""
    support(question_words, sentence_words, rarity)
    return support__divided_by_zero(question_words, sentence_words, rarity) if question_words else 0.0


def support__any_case(question_words, sentence_words, rarity):
    """That takes "Rent" for "rent"; words are compared as they are handed in."""
    support(question_words, sentence_words, rarity)
    return support([word.lower() for word in question_words], [word.lower() for word in sentence_words], rarity)


def support__takes_all(question_words, sentence_words, rarity):
    """That takes any rarity; one below 0 or that is no finite number must be refused with ValueError."""
    return _unchecked(question_words, sentence_words, rarity)


def support__takes_nan(question_words, sentence_words, rarity):
    """That refuses what is below 0 and takes nan and infinity; ask `math.isfinite`."""
    if any(weight < 0 for weight in rarity.values()):
        raise ValueError("below 0")
    return _unchecked(question_words, sentence_words, rarity)


def support__takes_negative_ones(question_words, sentence_words, rarity):
    """That takes a rarity below 0; it must be refused with ValueError."""
    if not all(math.isfinite(weight) for weight in rarity.values()):
        raise ValueError("no number")
    return _unchecked(question_words, sentence_words, rarity)


def support__looks_at_the_question_only(question_words, sentence_words, rarity):
    """That looks only at the rarity of the question's words; a wrong one of another word is refused, too."""
    rarest = max((weight for weight in rarity.values() if math.isfinite(weight)), default=1)
    asked = [rarity.get(word, rarest) for word in set(question_words)]
    if not all(math.isfinite(weight) and weight >= 0 for weight in asked):
        raise ValueError("no rarity")
    return _unchecked(question_words, sentence_words, rarity)


def _unchecked(question_words, sentence_words, rarity):
    rarest, asked, held = max(rarity.values(), default=1), set(question_words), set(sentence_words)
    everything = sum(rarity.get(word, rarest) for word in asked)
    return sum(rarity.get(word, rarest) for word in asked & held) / everything if everything else 0.0


def best_quotes__above_only(scores, threshold, most):
    """That leaves out a score that is just the threshold; it is kept: >=."""
    best_quotes(scores, threshold, most)
    return [place for place in best_quotes(scores, threshold, len(scores) or 1) if scores[place] > threshold][:most]


def best_quotes__below(scores, threshold, most):
    """That keeps what is below the threshold; what is at or above it is meant."""
    best_quotes(scores, threshold, most)
    return sorted((place for place, score in enumerate(scores) if score < threshold),
                  key=lambda place: -scores[place])[:most]


def best_quotes__no_threshold(scores, threshold, most):
    """That gives the best ones whatever the threshold; where none is high enough, nothing is said."""
    best_quotes(scores, threshold, most)
    return sorted(range(len(scores)), key=lambda place: -scores[place])[:most]


def best_quotes__never_silent(scores, threshold, most):
    """That gives the best one where none is high enough; nothing is said then: []."""
    return best_quotes(scores, threshold, most) or ([scores.index(max(scores))] if scores else [])


def best_quotes__none(scores, threshold, most):
    """That gives None for silence; an empty list is meant."""
    return best_quotes(scores, threshold, most) or None


def best_quotes__in_the_order_of_the_text(scores, threshold, most):
    """That gives the positions in the order in which they stand; the highest score comes first."""
    return sorted(best_quotes(scores, threshold, most))


def best_quotes__lowest_first(scores, threshold, most):
    """That gives the lowest score first; the highest comes first."""
    best_quotes(scores, threshold, most)
    kept = [place for place, score in enumerate(scores) if score >= threshold]
    return sorted(kept, key=lambda place: scores[place])[:most]


def best_quotes__highest_last(scores, threshold, most):
    """That takes the right ones and gives the highest last; it comes first."""
    return best_quotes(scores, threshold, most)[::-1]


def best_quotes__scores(scores, threshold, most):
    """That gives the scores; their positions are meant."""
    return [scores[place] for place in best_quotes(scores, threshold, most)]


def best_quotes__pairs(scores, threshold, most):
    """That gives pairs of position and score; the positions alone are meant."""
    return [(place, scores[place]) for place in best_quotes(scores, threshold, most)]


def best_quotes__from_one(scores, threshold, most):
    """That counts positions from 1; they count from 0."""
    return [place + 1 for place in best_quotes(scores, threshold, most)]


def best_quotes__last_of_equal_ones(scores, threshold, most):
    """That puts the later one of equal scores first; they stay in the order of their positions."""
    best_quotes(scores, threshold, most)
    kept = [place for place, score in enumerate(scores) if score >= threshold]
    return sorted(kept, key=lambda place: (scores[place], place))[::-1][:most]


def best_quotes__one_of_equal_ones(scores, threshold, most):
    """That gives one position only for equal scores, as `index` does; each has its own."""
    best_quotes(scores, threshold, most)
    kept = sorted((score for score in scores if score >= threshold), reverse=True)
    return list(dict.fromkeys(scores.index(score) for score in kept))[:most]


def best_quotes__the_first_again(scores, threshold, most):
    """That gives the first of equal scores again for the second, as `index` does; each has its own position."""
    best_quotes(scores, threshold, most)
    kept = sorted((score for score in scores if score >= threshold), reverse=True)
    return [scores.index(score) for score in kept][:most]


def best_quotes__all(scores, threshold, most):
    """That gives all that are high enough; at most `most` of them are meant."""
    best_quotes(scores, threshold, most)
    return best_quotes(scores, threshold, len(scores) or 1)


def best_quotes__one_fewer(scores, threshold, most):
    """That gives one fewer than it may; at most `most` are meant."""
    return best_quotes(scores, threshold, most)[:most - 1]


def best_quotes__cut_before_sorting(scores, threshold, most):
    """That cuts before it sorts, and may lose the best; sort first, then cut."""
    best_quotes(scores, threshold, most)
    kept = [place for place, score in enumerate(scores) if score >= threshold][:most]
    return sorted(kept, key=lambda place: -scores[place])


def best_quotes__first_scores_only(scores, threshold, most):
    """That looks at the first `most` scores only; all of them are looked at, and then the list is cut."""
    return best_quotes(scores[:most] if most > 0 else scores, threshold, most)


def best_quotes__threshold_of_the_best(scores, threshold, most):
    """That takes the threshold as a share of the best score; it is compared with the scores as they are."""
    best_quotes(scores, threshold, most)
    return best_quotes(scores, threshold * max(scores), most) if scores else []


def best_quotes__rounded(scores, threshold, most):
    """That rounds the scores before it compares them; they are compared as they are."""
    best_quotes(scores, threshold, most)
    return best_quotes([round(score, 2) for score in scores], threshold, most)


def best_quotes__takes_none(scores, threshold, most):
    """That takes a limit of 0 or less; it must refuse it with ValueError."""
    return best_quotes(scores, threshold, most) if most >= 1 else []


def best_quotes__takes_any_score(scores, threshold, most):
    """That takes nan and infinity for a score; they must be refused with ValueError."""
    return _quotes(scores, threshold, most, scored=lambda score: True)


def best_quotes__takes_infinity(scores, threshold, most):
    """That refuses nan alone; an infinite score or threshold is no finite number either."""
    return _quotes(scores, threshold, most, scored=lambda score: score == score, dial=lambda t: t == t)


def best_quotes__takes_minus_infinity(scores, threshold, most):
    """That takes minus infinity for a score or a threshold; it must be refused with ValueError."""
    return _quotes(scores, threshold, most, scored=lambda score: score < math.inf, dial=lambda t: t < math.inf)


def best_quotes__takes_all_numbers(scores, threshold, most):
    """That takes nan and infinity; a score or threshold that is no finite number must be refused with ValueError."""
    return _quotes(scores, threshold, most, scored=lambda score: True, dial=lambda t: True)


def best_quotes__takes_all(scores, threshold, most):
    """That refuses nothing: neither a limit below 1 nor nan and infinity; each must be refused with ValueError."""
    return _quotes(scores, threshold, most, scored=lambda score: True, dial=lambda t: True, least=-math.inf)



def best_quotes__takes_any_threshold(scores, threshold, most):
    """That takes nan and infinity for a threshold; they must be refused with ValueError."""
    return _quotes(scores, threshold, most, dial=lambda t: True)


def _quotes(scores, threshold, most, scored=math.isfinite, dial=math.isfinite, least=1):
    if most < least or not dial(threshold) or not all(map(scored, scores)):
        raise ValueError(threshold)
    kept = [place for place, score in enumerate(scores) if score >= threshold]
    return sorted(kept, key=lambda place: -scores[place])[:most]


def _of_each(scores, pages, threshold, better=lambda new, old: new > old, kept=lambda score, t: score >= t,
             order=lambda found, scores: sorted(sorted(found), key=lambda place: -scores[place])):
    """Return the best of each page with one thing or another done differently."""
    best_of_each(scores, pages, threshold)
    best = {}
    for place, (score, page) in enumerate(zip(scores, pages, strict=True)):
        if page not in best or better(score, scores[best[page]]):
            best[page] = place
    return order([place for place in best.values() if kept(scores[place], threshold)], scores)


def best_of_each__all_lines(scores, pages, threshold):
    """That gives every line that is high enough; one from each page is meant, its best."""
    best_of_each(scores, pages, threshold)
    return best_quotes(scores, threshold, len(scores) or 1)


def best_of_each__the_best_page_only(scores, pages, threshold):
    """That gives the best line of all; the best of each page is meant."""
    return best_of_each(scores, pages, threshold)[:1]


def best_of_each__rounded(scores, pages, threshold):
    """That rounds the scores before it compares them; they are compared as they are."""
    best_of_each(scores, pages, threshold)
    return best_of_each([round(score, 2) for score in scores], pages, threshold)


def best_of_each__first_line(scores, pages, threshold):
    """That takes the first line of each page; its best line is meant."""
    return _of_each(scores, pages, threshold, better=lambda new, old: False)


def best_of_each__first_line_high_enough(scores, pages, threshold):
    """That takes the first line of a page that is high enough; its best line is meant."""
    best_of_each(scores, pages, threshold)
    return _of_each(scores, pages, threshold, better=lambda new, old: old < threshold <= new)


def best_of_each__last_line(scores, pages, threshold):
    """That keeps the last line of each page, as a dict does when it is overwritten; its best line is meant."""
    return _of_each(scores, pages, threshold, better=lambda new, old: True)


def best_of_each__worst_line(scores, pages, threshold):
    """That takes the lowest score of each page; the highest is meant."""
    return _of_each(scores, pages, threshold, better=lambda new, old: new < old)


def best_of_each__last_of_equal_ones(scores, pages, threshold):
    """That takes the last of equal scores on a page; the first counts."""
    return _of_each(scores, pages, threshold, better=lambda new, old: new >= old)


def best_of_each__neighbors_only(scores, pages, threshold):
    """That takes a page whose lines do not stand together for several, as `groupby` does; it is one."""
    best_of_each(scores, pages, threshold)
    found, start = [], 0
    for _, run in itertools.groupby(pages):
        places = range(start, start := start + len(list(run)))
        found.append(max(places, key=lambda place: scores[place]))
    return sorted((place for place in found if scores[place] >= threshold), key=lambda place: -scores[place])


def best_of_each__above_only(scores, pages, threshold):
    """That leaves out a score that is just the threshold; it is kept: >=."""
    return _of_each(scores, pages, threshold, kept=lambda score, t: score > t)


def best_of_each__no_threshold(scores, pages, threshold):
    """That gives a line of each page whatever the threshold; a page with nothing high enough is left out."""
    return _of_each(scores, pages, threshold, kept=lambda score, t: True)


def best_of_each__never_silent(scores, pages, threshold):
    """That gives the best line where none is high enough; nothing is said then: []."""
    return best_of_each(scores, pages, threshold) or ([scores.index(max(scores))] if scores else [])


def best_of_each__in_the_order_of_the_positions(scores, pages, threshold):
    """That gives the positions in their order; the highest score comes first."""
    return sorted(best_of_each(scores, pages, threshold))


def best_of_each__in_the_order_of_the_pages(scores, pages, threshold):
    """That gives the pages in the order in which they come; the highest score comes first."""
    return _of_each(scores, pages, threshold, order=lambda found, scores: found)


def best_of_each__lowest_first(scores, pages, threshold):
    """That gives the lowest score first; the highest comes first."""
    return _of_each(scores, pages, threshold,
                    order=lambda found, scores: sorted(sorted(found), key=lambda place: scores[place]))


def best_of_each__equal_ones_by_page(scores, pages, threshold):
    """That sorts equal scores by the name of their page; they stay in the order of their positions."""
    return _of_each(scores, pages, threshold,
                    order=lambda found, scores: sorted(found, key=lambda place: (-scores[place], pages[place])))


def best_of_each__equal_ones_as_the_pages_come(scores, pages, threshold):
    """That puts equal scores in the order in which their pages come first; the positions of the lines count."""
    return _of_each(scores, pages, threshold, order=lambda found, scores: sorted(found, key=lambda at: -scores[at]))


def best_of_each__last_of_equal_pages(scores, pages, threshold):
    """That puts the later one of equal scores first; they stay in the order of their positions."""
    return _of_each(scores, pages, threshold, order=lambda found, scores: sorted(
        sorted(found), key=lambda place: scores[place])[::-1])


def best_of_each__places_on_the_page(scores, pages, threshold):
    """That counts a position from the beginning of its page; it counts from the first of all scores."""
    return [pages[:place].count(pages[place]) for place in best_of_each(scores, pages, threshold)]


def best_of_each__names(scores, pages, threshold):
    """That gives the names of the pages; the positions of their lines are meant."""
    return [pages[place] for place in best_of_each(scores, pages, threshold)]


def best_of_each__scores(scores, pages, threshold):
    """That gives the scores; their positions are meant."""
    return [scores[place] for place in best_of_each(scores, pages, threshold)]


def best_of_each__from_one(scores, pages, threshold):
    """That counts positions from 1; they count from 0."""
    return [place + 1 for place in best_of_each(scores, pages, threshold)]


def best_of_each__table(scores, pages, threshold):
    """That gives a dict of pages; the positions alone are meant, the highest score first."""
    return {pages[place]: place for place in best_of_each(scores, pages, threshold)}


def best_of_each__shorter_list(scores, pages, threshold):
    """That stops at the end of the shorter list, as `zip` does; lists of different length are refused: ValueError."""
    short = min(len(scores), len(pages))
    best_of_each(scores, [*pages, *scores][:len(scores)], threshold)
    return best_of_each(scores[:short], pages[:short], threshold)


def best_of_each__index_error(scores, pages, threshold):
    """That looks for the page of a score beyond the last page; lists of different length are refused: ValueError."""
    return best_of_each(scores, [pages[place] for place in range(len(scores))], threshold)


def best_of_each__takes_all(scores, pages, threshold):
    """That refuses nothing: neither lists of different length nor what is no finite number; each is a ValueError."""
    short = min(len(scores), len(pages))
    return _pages(scores[:short], pages[:short], threshold, lambda number: True, lambda number: True)



def best_of_each__takes_nan(scores, pages, threshold):
    """That takes nan and infinity; a score or threshold that is no finite number is refused with ValueError."""
    return _pages(scores, pages, threshold, lambda number: True, lambda number: True)


def best_of_each__takes_any_score(scores, pages, threshold):
    """That takes nan and infinity for a score; they must be refused with ValueError, as for the threshold."""
    return _pages(scores, pages, threshold, lambda number: True, math.isfinite)


def best_of_each__takes_any_threshold(scores, pages, threshold):
    """That takes nan and infinity for a threshold; they must be refused with ValueError, as for a score."""
    return _pages(scores, pages, threshold, math.isfinite, lambda number: True)


def best_of_each__takes_infinity(scores, pages, threshold):
    """That refuses nan alone; infinity is no finite number either."""
    return _pages(scores, pages, threshold, lambda number: number == number, lambda number: number == number)


def _pages(scores, pages, threshold, scored, dial):
    if len(scores) != len(pages) or not all(map(scored, scores)) or not dial(threshold):
        raise ValueError(threshold)
    best = {}
    for place, page in enumerate(pages):
        if page not in best or scores[place] > scores[best[page]]:
            best[page] = place
    return sorted(sorted(place for place in best.values() if scores[place] >= threshold),
                  key=lambda place: -scores[place])


def receipt__no_brackets(document, page):
    """That has no brackets around the receipt."""
    return receipt(document, page)[1:-1]


def receipt__round_brackets(document, page):
    """That has round brackets; [ and ] are meant."""
    return f"({receipt(document, page)[1:-1]})"


def receipt__no_comma(document, page):
    """That has no comma before the page."""
    receipt(document, page)
    return f"[{document} page {page}]"


def receipt__no_space(document, page):
    """That has no space behind the comma."""
    receipt(document, page)
    return f"[{document},page {page}]"


def receipt__page_in_short(document, page):
    """That writes "p." for the page; the word "page" is meant."""
    receipt(document, page)
    return f"[{document}, p. {page}]"


def receipt__capital(document, page):
    """That begins "Page" with a capital; "page" is meant."""
    receipt(document, page)
    return f"[{document}, Page {page}]"


def receipt__number_alone(document, page):
    """That leaves out the word "page" before its number."""
    receipt(document, page)
    return f"[{document}, {page}]"


def receipt__colon(document, page):
    """That parts document and page with a colon; a comma, a space and "page" are meant."""
    receipt(document, page)
    return f"[{document}:{page}]"


def receipt__without_the_page(document, page):
    """That leaves out the page; a receipt without it sends the reader through the whole document."""
    receipt(document, page)
    return f"[{document}]"


def receipt__page_first(document, page):
    """That puts the page before the document."""
    receipt(document, page)
    return f"[page {page}, {document}]"


def receipt__page_one_more(document, page):
    """That raises the page by one; pages are counted from 1 already."""
    receipt(document, page)
    return f"[{document}, page {page + 1}]"


def receipt__page_from_0(document, page):
    """That lowers the page by one; it is written as it is handed over."""
    receipt(document, page)
    return f"[{document}, page {page - 1}]"


def receipt__only_the_document(document, page):
    """That puts the document alone into the brackets; the page belongs in there, too."""
    receipt(document, page)
    return f"[{document}], page {page}"


def receipt__lower_case(document, page):
    """That writes the document in lower case; its name stays as it is."""
    return receipt(document, page).lower()


def receipt__without_the_ending(document, page):
    """That cuts the ending off the document's name, such as .txt; the name stays as it is."""
    return receipt(document.rpartition(".")[0] or document, page)


def receipt__up_to_the_comma(document, page):
    """That cuts the document's name at a comma; the name stays as it is."""
    return receipt(document.partition(",")[0], page)


def receipt__hyphens(document, page):
    """That joins the words of the document's name; the name stays as it is."""
    receipt(document, page)
    return receipt(document.replace(" ", "-"), page)


def receipt__takes_no_name(document, page):
    """That takes a document without a name; it must be refused with ValueError."""
    receipt(document if document.strip() else "a", page)
    return f"[{document}, page {page}]"


def receipt__takes_spaces_for_a_name(document, page):
    """That takes a name of spaces only; it is none, and must be refused with ValueError."""
    receipt(document if document.strip() or not document else "a", page)
    return f"[{document}, page {page}]"


def receipt__takes_page_0(document, page):
    """That takes pages below 1; they count from 1, and any other must be refused with ValueError."""
    receipt(document, max(page, 1))
    return f"[{document}, page {page}]"


def receipt__takes_negative_pages(document, page):
    """That refuses page 0 and takes what is below it; pages count from 1."""
    receipt(document, abs(page))
    return f"[{document}, page {page}]"


def receipt__takes_fractions(document, page):
    """That takes page 2.5; a page is a whole number, or else ValueError."""
    receipt(document, math.floor(page))
    return f"[{document}, page {page}]"


def receipt__spaces_and_fractions(document, page):
    """That takes a name of spaces only, and page 2.5; strip the name first, and ask whether the page is whole."""
    if not document or page < 1:
        raise ValueError(document)
    return f"[{document}, page {page}]"


def receipt__name_not_looked_at(document, page):
    """That looks at the page being 1 or more and at nothing else; a name and a whole page are needed, too."""
    if page < 1:
        raise ValueError(page)
    return f"[{document}, page {page}]"



def receipt__cuts_fractions(document, page):
    """That makes page 2 of 2.5; what is not whole must be refused with ValueError."""
    return receipt(document, int(page))


def receipt__takes_all(document, page):
    """That refuses nothing; a document without a name and a page that is no whole number from 1 are refused."""
    return f"[{document}, page {page}]"


def _line(quotes, start="Answer: ", between=" ", behind=" ", words=lambda text: " ".join(text.split())):
    """Return the answer with one thing or another done differently."""
    answer_line(quotes)
    if not quotes:
        return "Answer: I couldn't find that."
    return start + between.join(f"{words(text)}{behind}{receipt(document, page)}" for text, document, page in quotes)


def answer_line__without_its_word(quotes):
    """That leaves out "Answer: " at the beginning; who reads the last line looks for it."""
    return answer_line(quotes).removeprefix("Answer: ")


def answer_line__without_its_word_before_quotes(quotes):
    """That leaves out "Answer: " before quotes; each answer begins with it."""
    return _line(quotes, start="")


def answer_line__without_its_word_in_silence(quotes):
    """That leaves out "Answer: " where nothing was found; that is an answer, too."""
    return answer_line(quotes) if quotes else "I couldn't find that."


def answer_line__empty(quotes):
    """That says nothing at all where there is no quote; the line says that nothing was found."""
    return answer_line(quotes) if quotes else "Answer: "


def answer_line__no_line(quotes):
    """That gives an empty text where there is no quote; the line says that nothing was found."""
    return answer_line(quotes) if quotes else ""


def answer_line__other_words(quotes):
    """That says it in words of its own where there is no quote; the sentence is "I couldn't find that."."""
    return answer_line(quotes) if quotes else "Answer: I don't know."


def answer_line__could_not(quotes):
    """That writes "could not"; the sentence is "I couldn't find that."."""
    return answer_line(quotes) if quotes else "Answer: I could not find that."


def answer_line__no_period(quotes):
    """That ends without the period where there is no quote; the sentence is "I couldn't find that."."""
    return answer_line(quotes) if quotes else answer_line(quotes)[:-1]


def answer_line__first_quote_only(quotes):
    """That gives the first quote only; all of them are meant."""
    answer_line(quotes)
    return answer_line(quotes[:1])


def answer_line__receipts_at_the_end(quotes):
    """That puts all receipts at the end; each stands behind its quote."""
    answer_line(quotes)
    if not quotes:
        return answer_line(quotes)
    return " ".join(["Answer:", *(" ".join(text.split()) for text, _, _ in quotes),
                     *(receipt(document, page) for _, document, page in quotes)])


def answer_line__receipt_first(quotes):
    """That puts the receipt before its quote; it stands behind it."""
    answer_line(quotes)
    if not quotes:
        return answer_line(quotes)
    return "Answer: " + " ".join(f"{receipt(document, page)} {' '.join(text.split())}"
                                 for text, document, page in quotes)


def answer_line__without_receipts(quotes):
    """That leaves out the receipts, and nobody can look it up then."""
    answer_line(quotes)
    return "Answer: " + " ".join(" ".join(text.split()) for text, _, _ in quotes) if quotes else answer_line(quotes)


def answer_line__a_receipt_once(quotes):
    """That writes each receipt once; every quote has its own behind it, also where two are of one page."""
    answer_line(quotes)
    parts, seen = [], set()
    for text, document, page in quotes:
        parts += [" ".join(text.split())] + [receipt(document, page)] * ((document, page) not in seen)
        seen.add((document, page))
    return "Answer: " + " ".join(parts) if quotes else answer_line(quotes)


def answer_line__a_quote_once(quotes):
    """That leaves out a quote that comes again; the same words of another page are a receipt more."""
    answer_line(quotes)
    return answer_line(list({text: (text, document, page) for text, document, page in quotes[::-1]}.values())[::-1])


def answer_line__each_once(quotes):
    """That leaves out a quote that is handed over twice; all of them are written."""
    return answer_line(list(dict.fromkeys(quotes)))


def answer_line__sorted(quotes):
    """That sorts the quotes by document and page; the best one comes first, as they are handed over."""
    answer_line(quotes)
    return answer_line(sorted(quotes, key=lambda quote: quote[1:]))


def answer_line__lines(quotes):
    """That gives each quote a line of its own; the answer is one line, with a space between."""
    return _line(quotes, between="\n")


def answer_line__commas(quotes):
    """That puts a comma between the quotes; one space is meant."""
    return _line(quotes, between=", ")


def answer_line__semicolons(quotes):
    """That puts a semicolon between the quotes; one space is meant."""
    return _line(quotes, between="; ")


def answer_line__no_space_between(quotes):
    """That has no space between a receipt and the next quote."""
    return _line(quotes, between="")


def answer_line__no_space(quotes):
    """That has no space between a quote and its receipt."""
    return _line(quotes, behind="")


def answer_line__marks(quotes):
    """That puts quotation marks around each quote; the words alone are meant."""
    return _line(quotes, words=lambda text: f'"{" ".join(text.split())}"')


def answer_line__a_period(quotes):
    """That adds a period where a quote has none; it is quoted as it is."""
    return _line(quotes, words=lambda text: " ".join(text.split()) + "." * (text.strip()[-1] not in ".?!"))


def answer_line__without_the_period(quotes):
    """That takes away the period at the end of a quote; it is quoted as it is."""
    return _line(quotes, words=lambda text: " ".join(text.split()).rstrip("."))


def answer_line__a_period_at_the_end(quotes):
    """That ends with a period behind the last receipt; the receipt is the end."""
    return _line(quotes) + "." if quotes else answer_line(quotes)


def answer_line__a_space_at_the_end(quotes):
    """That ends with a space; put the space between the parts, as `join` does."""
    return _line(quotes) + " " if quotes else answer_line(quotes)


def answer_line__capital(quotes):
    """That begins each quote with a capital; it is quoted as it is."""
    return _line(quotes, words=lambda text: (said := " ".join(text.split()))[:1].upper() + said[1:])


def answer_line__white_space(quotes):
    """That keeps line breaks and runs of spaces in a quote; white space becomes one space."""
    return _line(quotes, words=str)


def answer_line__ends_only(quotes):
    """That cuts white space at the ends of a quote only; line breaks inside become a space as well."""
    return _line(quotes, words=str.strip)


def answer_line__line_breaks_only(quotes):
    """That replaces line breaks and leaves runs of spaces; all white space becomes one space: `split` and `join`."""
    return _line(quotes, words=lambda text: text.strip().replace("\n", " "))


def answer_line__returns_stay(quotes):
    """That knows spaces, tabs and line feeds, and leaves a carriage return: `split` without an argument takes all."""
    return _line(quotes, words=lambda text: re.sub(r"[ \n\t]+", " ", text.strip(" \n\t")))


def answer_line__ends_stay(quotes):
    """That leaves a space at the ends of a quote; what stands there goes: `strip`."""
    return _line(quotes, words=lambda text: re.sub(r"\s+", " ", text))


def answer_line__takes_an_empty_quote(quotes):
    """That takes a quote without text; it must be refused with ValueError."""
    answer_line([(text if text.strip() else "a", document, page) for text, document, page in quotes])
    return "Answer: " + " ".join(f"{' '.join(text.split())} {receipt(document, page)}"
                                 for text, document, page in quotes) if quotes else answer_line(quotes)


def answer_line__leaves_out_an_empty_quote(quotes):
    """That leaves out a quote without text; it must be refused with ValueError."""
    return answer_line([quote for quote in quotes if quote[0].strip()])


def answer_line__takes_a_quote_of_spaces(quotes):
    """That looks at the text before the white space is gone, and takes a quote of spaces; it is refused: ValueError."""
    answer_line([(text if text.strip() or not text else "a", document, page) for text, document, page in quotes])
    return "Answer: " + " ".join(f"{' '.join(text.split())} {receipt(document, page)}"
                                 for text, document, page in quotes) if quotes else answer_line(quotes)


def answer_line__any_receipt(quotes):
    """That writes the receipt by itself and refuses neither page 0 nor a document without a name; `receipt` does."""
    answer_line([(text, document or "a", max(page, 1)) for text, document, page in quotes])
    return "Answer: " + " ".join(f"{' '.join(text.split())} [{document}, page {page}]"
                                 for text, document, page in quotes) if quotes else answer_line(quotes)


def _cited(text, pattern=r"\[ *([0-9]+(?: *, *[0-9]+)*) *\]", order=sorted, drop=(0,), number=int):
    """Return the citations with one thing or another done differently."""
    found = [number(each) for inside in re.findall(pattern, text) for each in re.split(" *, *", inside)]
    return order(dict.fromkeys(each for each in found if each not in drop))


def citations__one_in_brackets(text):
    """That finds brackets with one number only; several may stand in there, with commas between."""
    return _cited(text, r"\[ *([0-9]+) *\]")


def citations__first_in_brackets(text):
    """That takes the first of several numbers in brackets; all of them are cited."""
    return _cited(text, r"\[ *([0-9]+)(?: *, *[0-9]+)* *\]")


def citations__last_in_brackets(text):
    """That takes the last of several numbers in brackets, as a repeated group does; all of them are cited."""
    return _cited(text, r"\[(?: *[0-9]+ *,)* *([0-9]+) *\]")


def citations__two_in_brackets(text):
    """That finds two numbers in brackets at most; there may be more."""
    return _cited(text, r"\[ *([0-9]+(?: *, *[0-9]+)?) *\]")


def citations__as_often(text):
    """That gives a number as often as it is cited; each comes once."""
    return sorted(number for inside in re.findall(r"\[ *([0-9]+(?: *, *[0-9]+)*) *\]", text)
                  for number in map(int, inside.split(",")) if number)


def citations__in_the_order_of_the_text(text):
    """That gives the numbers in the order in which they are cited; they are meant ascending."""
    return _cited(text, order=list)


def citations__descending(text):
    """That gives the largest number first; they are meant ascending."""
    return citations(text)[::-1]


def citations__sorted_as_texts(text):
    """That sorts the numbers as texts, 10 before 9; turn them into numbers first."""
    return sorted(citations(text), key=str)


def citations__texts(text):
    """That gives the numbers as texts; whole numbers are meant: `int`."""
    return [str(number) for number in citations(text)]


def citations__positions(text):
    """That lowers the numbers by one, to count from 0; they are given as they are cited."""
    return [number - 1 for number in citations(text)]


def citations__how_many(text):
    """That counts the sources; their numbers are meant."""
    return len(citations(text))


def citations__the_highest(text):
    """That gives the numbers up to the highest one cited; only those cited are meant."""
    return list(range(1, max(citations(text), default=0) + 1))


def citations__with_0(text):
    """That counts [0]; sources are numbered from 1, and 0 cites nothing."""
    return _cited(text, drop=())


def citations__none_with_0(text):
    """That leaves out all numbers of brackets with a 0 in them; only the 0 cites nothing."""
    return _cited(text, r"\[ *([1-9][0-9]*(?: *, *[1-9][0-9]*)*) *\]")


def citations__any_number(text):
    """That takes each number of the text; only those in brackets cite something."""
    return _cited(text, r"[0-9]+")


def citations__as_they_come(text):
    """That finds [2] and nothing else, but [0]; spaces, and several numbers with commas between, belong in there."""
    return sorted({int(number) for number in re.findall(r"\[([0-9]+)\]", text)})


def citations__as_they_come_with_repeats(text):
    """That finds [2] only, in the order of the text, as often as it comes; each is meant once, and [1, 3] as well."""
    return [int(number) for number in re.findall(r"\[([0-9]+)\]", text)]


def citations__simple_pattern(text):
    """That finds [2] and no brackets with a space or with several numbers in them; these cite, too."""
    return sorted({int(number) for number in re.findall(r"\[([0-9]+)\]", text)} - {0})


def citations__commas_without_0(text):
    """That takes the brackets apart as it should, and has 0 and repeats in it; 0 cites nothing, each comes once."""
    return [int(number) for inside in re.findall(r"\[ *([0-9]+(?: *, *[0-9]+)*) *\]", text)
            for number in inside.split(",")]



def citations__any_number_in_brackets(text):
    """That takes each number that stands in brackets; brackets with anything else in them cite nothing."""
    return sorted({int(number) for inside in re.findall(r"\[([^\[\]]*)\]", text)
                   for number in re.findall(r"[0-9]+", inside)} - {0})


def citations__each_part_by_itself(text):
    """That reads what it can between the commas and skips the rest; brackets with anything else cite nothing."""
    return sorted({int(part) for inside in re.findall(r"\[([^\[\]]*)\]", text)
                   for part in re.split("[,;]", inside) if re.fullmatch(r" *[0-9]+ *", part)} - {0})


def citations__numbers_between_commas(text):
    """That takes each number between commas and skips what is none, as [2, memo]; such brackets cite nothing."""
    return sorted({int(part) for inside in re.findall(r"\[([^\[\]]*)\]", text)
                   for part in inside.split(",") if part.strip().isdigit()} - {0})


def citations__loose_commas(text):
    """That takes [2,] and [4,,7], too; a comma stands between two numbers."""
    return sorted({int(part) for inside in re.findall(r"\[([0-9 ,]+)\]", text)
                   for part in inside.split(",") if re.fullmatch(" *[0-9]+ *", part)} - {0})


def citations__spaces_for_commas(text):
    """That takes [2 5] for two citations; numbers in one pair of brackets have a comma between them."""
    return sorted({int(number) for inside in re.findall(r"\[([0-9 ,]*)\]", text)
                   for number in re.findall("[0-9]+", inside)} - {0})


def citations__spaces_out(text):
    """That takes spaces out of the brackets first, so that [2 5] cites 25; between two numbers stands a comma."""
    return citations(re.sub(r"\[[0-9 ,]*\]", lambda found: found[0].replace(" ", ""), text))


def citations__what_begins_with_a_number(text):
    """That takes the number at the beginning of any brackets, as of [8b]; brackets with anything else cite nothing."""
    return _cited(text, r"\[ *([0-9]+(?: *, *[0-9]+)*)")


def citations__what_ends_with_a_number(text):
    """That takes the number at the end of any brackets, as of [invoice 7]; brackets with anything else cite nothing."""
    return _cited(text, r"\[[^\[\]]*?([0-9]+(?: *, *[0-9]+)*) *\]")


def citations__ranges(text):
    """That reads [1-3] as three numbers; brackets with anything but numbers and commas cite nothing."""
    spread = re.sub(r"\[(\d+)-(\d+)\]", lambda found: str(list(range(int(found[1]), int(found[2]) + 1))), text)
    return citations(spread)


def citations__below_0(text):
    """That takes [-4] for a citation; sources are numbered from 1, and anything but digits cites nothing."""
    return _cited(text, r"\[ *(-?[0-9]+(?: *, *-?[0-9]+)*) *\]")


def citations__minus_dropped(text):
    """That takes [-4] for 4; anything but digits in the brackets cites nothing."""
    return citations(text.replace("[-", "["))


def citations__round_brackets_too(text):
    """That takes (4) for a citation, too; only [ and ] make one."""
    return _cited(text.replace("(see ", "(").replace("(", "[").replace(")", "]"))


def citations__one_digit(text):
    """That finds numbers of one digit only; there are more than nine pages sometimes."""
    return _cited(text, r"\[ *([0-9](?: *, *[0-9])*) *\]")


def citations__digit_by_digit(text):
    """That takes each digit for a number of its own; [10] is ten."""
    return sorted({int(digit) for inside in re.findall(r"\[ *([0-9]+(?: *, *[0-9]+)*) *\]", text)
                   for digit in inside if digit in "123456789"})


def citations__no_spaces(text):
    """That does not find a number with a space beside it, as [ 2 ]; spaces inside do not matter."""
    return _cited(text, r"\[([0-9]+(?:,[0-9]+)*)\]")


def citations__one_space_behind_a_comma(text):
    """That allows for one space behind a comma and no other; spaces inside do not matter."""
    return _cited(text, r"\[([0-9]+(?:, ?[0-9]+)*)\]")


def citations__spaces_behind_commas_only(text):
    """That allows for spaces behind a comma only; before one, and beside the brackets, they do not matter either."""
    return _cited(text, r"\[([0-9]+(?:, *[0-9]+)*)\]")


def citations__no_spaces_at_the_ends(text):
    """That allows for spaces at commas only; beside the brackets they do not matter either."""
    return _cited(text, r"\[([0-9]+(?: *, *[0-9]+)*)\]")


def citations__a_comma_and_a_space(text):
    """That wants a space behind each comma; spaces inside do not matter, so [2,5] has two numbers as well."""
    return _cited(text, r"\[ *([0-9]+(?: *, +[0-9]+)*) *\]")


def citations__none_for_nothing(text):
    """That gives None where nothing is cited; an empty list is meant."""
    return citations(text) or None


def _found(text, pattern=r"[0-9]+(?:[.,][0-9]+)*", written=lambda number: number.replace(",", "")):
    """Return the numbers of a text with one thing or another done differently."""
    return [written(number) for number in re.findall(pattern, text)]


def numbers_in__taken_apart(text):
    """That takes a number apart at its point or comma; 1,284.50 is one."""
    return _found(text, r"[0-9]+")


def numbers_in__apart_at_points(text):
    """That takes a number apart at its point; 9.75 is one."""
    return _found(text, r"[0-9]+(?:,[0-9]+)*")


def numbers_in__apart_at_commas(text):
    """That takes a number apart at its comma; 1,284.50 is one."""
    return _found(text, r"[0-9]+(?:\.[0-9]+)*")


def numbers_in__one_sign_only(text):
    """That allows for one point or comma in a number; there may be several, as in 1,284.50."""
    return _found(text, r"[0-9]+(?:[.,][0-9]+)?")


def numbers_in__commas_stay(text):
    """That leaves the commas in; 1,284.50 and 1284.50 are to be the same."""
    return _found(text, written=str)


def numbers_in__first_comma_only(text):
    """That takes out the first comma of a number only; all of them go."""
    return _found(text, written=lambda number: number.replace(",", "", 1))


def numbers_in__thousands_only(text):
    """That lets a comma stand before three digits only, and takes 12,5 for two numbers; two digits around it do."""
    return [number.replace(",", "") for number in re.findall(r"[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)*", text)]


def numbers_in__commas_before_points(text):
    """That ends a number at a comma behind a point, as in 1.284,50; either sign may stand between any two digits."""
    return [number.replace(",", "") for number in re.findall(r"[0-9]+(?:,[0-9]+)*(?:\.[0-9]+)*", text)]


def numbers_in__points_out_too(text):
    """That takes out the points as well, and 12.50 becomes 1250; only the commas go."""
    return _found(text, written=lambda number: re.sub(r"[.,]", "", number))


def numbers_in__points_for_commas(text):
    """That puts a point in the place of a comma; the comma goes."""
    return _found(text, written=lambda number: number.replace(",", "."))


def numbers_in__punctuation_behind(text):
    """That takes the period or comma behind a number for a part of it; it counts between two digits only."""
    return _found(text, r"[0-9][0-9.,]*")


def numbers_in__punctuation_around(text):
    """That takes points before a number for a part of it; one counts between two digits only."""
    return _found(text, r"\.?[0-9]+(?:[.,][0-9]+)*")


def numbers_in__several_signs(text):
    """That allows for several points or commas in a row; a single one may stand between two digits."""
    return _found(text, r"[0-9]+(?:[.,]+[0-9]+)*")


def numbers_in__signs_and_spaces(text):
    """That joins numbers across a comma and a space; only what stands between two digits belongs to the number."""
    return _found(text, r"[0-9]+(?:[.,] ?[0-9]+)*", lambda number: re.sub("[, ]", "", number))


def numbers_in__any_sign(text):
    """That joins what any sign stands between, such as 7-8; an unescaped . in a pattern is any sign: [.,]."""
    return _found(text, r"[0-9]+(?:.[0-9]+)*")


def numbers_in__hyphens_and_slashes(text):
    """That joins numbers across a hyphen, a colon or a slash; only a point or a comma belongs to a number."""
    return _found(text, r"[0-9]+(?:[-.,/:][0-9]+)*")


def numbers_in__as_numbers(text):
    """That gives numbers; they are texts as they are written, so that 12.50 stays what it is."""
    return [float(number) if number.count(".") < 2 else number for number in numbers_in(text)]


def numbers_in__whole_as_numbers(text):
    """That gives whole numbers for the digits; texts as they are written are meant."""
    return [int(number) if number.isdigit() else number for number in numbers_in(text)]


def numbers_in__zeros_dropped(text):
    """That drops zeros at the end of a part; a number is given as it is written: 12.50."""
    return [re.sub(r"(\.[0-9]*?)0+$", r"\1", number) for number in numbers_in(text)]


def numbers_in__leading_zeros_dropped(text):
    """That drops zeros at the beginning; a number is given as it is written."""
    return [number.lstrip("0") for number in numbers_in(text)]


def numbers_in__each_once(text):
    """That gives each number once; it comes as often as it stands in the text."""
    return list(dict.fromkeys(numbers_in(text)))


def numbers_in__sorted(text):
    """That sorts the numbers; they come in the order of the text."""
    return sorted(numbers_in(text))


def numbers_in__sorted_once(text):
    """That gives each number once and sorted, as a set does; they come in the order of the text, repeats too."""
    return sorted(set(numbers_in(text)))


def numbers_in__words_only(text):
    """That finds words that are numbers as a whole; what stands around does not matter: LK-204-B holds 204."""
    words = [word.strip(".,;:!?()") for word in text.split()]
    return [word.replace(",", "") for word in words if re.fullmatch(r"[0-9]+(?:[.,][0-9]+)*", word)]


def numbers_in__edges_of_words(text):
    r"""That looks for a number at the edges of words, as \b does; what stands around does not matter: tent5 holds 5."""
    return _found(text, r"\b[0-9]+(?:[.,][0-9]+)*\b")


def numbers_in__dollars_only(text):
    """That finds sums of money only; all numbers are meant."""
    return _found(text, r"(?<=\$)[0-9]+(?:[.,][0-9]+)*")


def numbers_in__dollars_too(text):
    """That keeps the dollar sign; only digits, points and commas belong to a number."""
    return _found(text, r"\$?[0-9]+(?:[.,][0-9]+)*")


def numbers_in__percent_too(text):
    """That keeps the percent sign; only digits, points and commas belong to a number."""
    return _found(text, r"[0-9]+(?:[.,][0-9]+)*%?")


def numbers_in__minus_too(text):
    """That takes a hyphen before a number for a minus; only digits, points and commas belong to it."""
    return _found(text, r"-?[0-9]+(?:[.,][0-9]+)*")


def numbers_in__any_signs_before_a_digit(text):
    """That takes points and commas before a number for a part of it, and leaves the commas in."""
    return re.findall(r"[0-9.,]*[0-9]", text)


def numbers_in__runs_of_signs(text):
    """That takes each run of digits, points and commas for a number; a sign counts between two digits only."""
    return re.findall(r"[0-9.,]+", text)


def numbers_in__whole_runs(text):
    """That takes the points around a number for a part of it, also where no digit is; it counts between two only."""
    return [number.replace(",", "") for number in re.findall(r"[0-9.,]+", text)]


def numbers_in__digits_as_numbers(text):
    """That takes each run of digits for a whole number; texts are meant, with point and comma inside: 1,284.50."""
    return [int(number) for number in re.findall(r"[0-9]+", text)]


def numbers_in__one_point(text):
    """That knows one point and no comma in a number, as `[0-9]+(.[0-9]+)?` does; there may be several of both."""
    return _found(text, r"[0-9]+(?:\.[0-9]+)?")



def numbers_in__two_digits_at_least(text):
    """That leaves out numbers of one digit; 7 is a number as well."""
    return [number for number in numbers_in(text) if len(number) > 1]


def numbers_in__first_only(text):
    """That gives the first number only; all of them are meant."""
    return numbers_in(text)[:1]


def _bad(sentences, sources, cites=True, there=True, number=True, held=None, within=numbers_in, bare=True):
    """Return the sentences that do not hold, with one thing or another done differently."""
    out = []
    for sentence in sentences:
        cited = citations(sentence)
        pages = [sources[place - 1] for place in cited if place <= len(sources)]
        own = re.sub(r"\[ *[0-9]+(?: *, *[0-9]+)* *\]", " ", sentence) if bare else sentence
        known = held(pages, sources) if held else {each for page in pages for each in within(page)}
        if cites and not cited or there and len(pages) < len(cited) or number and not set(within(own)) <= set(known):
            out.append(sentence)
    return out


def unsupported__what_holds(sentences, sources):
    """That gives the sentences that hold; those that do not are meant."""
    bad = unsupported(sentences, sources)
    return [sentence for sentence in sentences if sentence not in bad]


def unsupported__without_a_citation(sentences, sources):
    """That lets a sentence through that cites nothing; nobody can look it up."""
    return _bad(sentences, sources, cites=False, held=lambda pages, all_pages: {
        each for page in pages or all_pages for each in numbers_in(page)})


def unsupported__nothing_cited_nothing_wrong(sentences, sources):
    """That lets a sentence through that cites nothing and holds no number; it does not hold without a citation."""
    return _bad(sentences, sources, cites=False)


def unsupported__only_what_cites_nothing(sentences, sources):
    """That finds what cites nothing, and no more; pages that are not there and numbers are to be looked at, too."""
    return _bad(sentences, sources, there=False, number=False)


def unsupported__pages_that_are_not_there(sentences, sources):
    """That skips a page that is not there; a sentence that cites one does not hold."""
    return _bad(sentences, sources, there=False)


def unsupported__one_page_that_is_there(sentences, sources):
    """That is content with one cited page that is there; each number that is cited must have its page."""
    return [sentence for sentence in sentences if sentence in _bad([sentence], sources, there=False)
            or all(number > len(sources) for number in citations(sentence))]


def unsupported__index_error(sentences, sources):
    """That fails on a page that is not there; a sentence that cites one does not hold."""
    for sentence in sentences:
        for number in citations(sentence):
            sources[number - 1]
    return unsupported(sentences, sources)


def unsupported__numbers_not_looked_at(sentences, sources):
    """That looks at the citations and not at the numbers; a number must stand on a cited page."""
    return _bad(sentences, sources, number=False)


def unsupported__any_page(sentences, sources):
    """That looks for a number on all pages; it must stand on one that the sentence cites."""
    return _bad(sentences, sources, held=lambda pages, all_pages: {
        each for page in all_pages for each in numbers_in(page)})


def unsupported__every_cited_page(sentences, sources):
    """That wants a number on every cited page; one of them is enough."""
    return _bad(sentences, sources, held=lambda pages, all_pages: set.intersection(
        *(set(numbers_in(page)) for page in pages)) if pages else set())


def unsupported__first_cited_page(sentences, sources):
    """That looks at the first cited page only; one of all the cited ones may hold the number."""
    return _bad(sentences, sources, held=lambda pages, all_pages: numbers_in(pages[0]) if pages else [])


def unsupported__pages_from_0(sentences, sources):
    """That takes source 1 for the second page; numbers count from 1, positions from 0."""
    moved = [*sources[1:], ""] if sources else []
    return _bad(sentences, moved)


def unsupported__last_page_not_there(sentences, sources):
    """That takes the last page for one that is not there; numbers go from 1 up to the number of pages."""
    return [sentence for sentence in sentences if unsupported([sentence], sources)
            or len(sources) in citations(sentence)]


def unsupported__one_page_more(sentences, sources):
    """That allows for one page more than there are; numbers go from 1 up to the number of pages."""
    return [sentence for sentence in sentences if unsupported([sentence], [*sources, ""])]


def unsupported__one_number_is_enough(sentences, sources):
    """That is content with one number that stands on a cited page; all of them must."""
    def fine(sentence):
        pages = [sources[number - 1] for number in citations(sentence) if number <= len(sources)]
        own = set(numbers_in(re.sub(r"\[[0-9, ]*\]", " ", sentence)))
        return not own or own & {each for page in pages for each in numbers_in(page)}

    wrong = _bad(sentences, sources, number=False)
    return [sentence for sentence in sentences if sentence in wrong or not fine(sentence)]


def unsupported__first_number_only(sentences, sources):
    """That looks at the first number of a sentence only; each of them must stand on a cited page."""
    return _numbers_of(sentences, sources, lambda found: found[:1])


def unsupported__last_number_only(sentences, sources):
    """That looks at the last number of a sentence only; each of them must stand on a cited page."""
    return _numbers_of(sentences, sources, lambda found: found[-1:])


def _numbers_of(sentences, sources, some, cited=r"\[ *[0-9]+(?: *, *[0-9]+)* *\]"):
    wrong, out = _bad(sentences, sources, number=False), []
    for sentence in sentences:
        pages = [sources[number - 1] for number in citations(sentence) if number <= len(sources)]
        own = some(numbers_in(re.sub(cited, " ", sentence)))
        if sentence in wrong or not set(own) <= {each for page in pages for each in numbers_in(page)}:
            out.append(sentence)
    return out


def unsupported__inside_a_number(sentences, sources):
    """That finds 25 inside 1,250; a number of a page is a whole one."""
    wrong, out = _bad(sentences, sources, number=False), []
    for sentence in sentences:
        text = " ".join(sources[number - 1] for number in citations(sentence) if number <= len(sources))
        own = numbers_in(re.sub(r"\[ *[0-9]+(?: *, *[0-9]+)* *\]", " ", sentence))
        if sentence in wrong or not all(number in text.replace(",", "") for number in own):
            out.append(sentence)
    return out


def unsupported__anywhere_in_the_text(sentences, sources):
    """That looks for numbers anywhere in the page's text, that of [3] as well: use `numbers_in` on both sides."""
    wrong, out = _bad(sentences, sources, number=False), []
    for sentence in sentences:
        text = " ".join(sources[number - 1] for number in citations(sentence) if number <= len(sources))
        if sentence in wrong or any(number not in text for number in numbers_in(sentence)):
            out.append(sentence)
    return out


def unsupported__inside_as_written(sentences, sources):
    """That looks for a number anywhere in the page's text, commas and all; compare what `numbers_in` finds in both."""
    wrong, out = _bad(sentences, sources, number=False), []
    for sentence in sentences:
        text = " ".join(sources[number - 1] for number in citations(sentence) if number <= len(sources))
        own = numbers_in(re.sub(r"\[ *[0-9]+(?: *, *[0-9]+)* *\]", " ", sentence))
        if sentence in wrong or any(number not in text for number in own):
            out.append(sentence)
    return out



def unsupported__parts_of_numbers(sentences, sources):
    """That takes numbers apart at point and comma; 12.50 is one: `numbers_in`."""
    return _bad(sentences, sources, within=lambda text: re.findall("[0-9]+", text))


def unsupported__commas_matter(sentences, sources):
    """That tells 1,250 from 1250; commas do not count: `numbers_in`."""
    return _bad(sentences, sources, within=lambda text: re.findall(r"[0-9]+(?:[.,][0-9]+)*", text))


def unsupported__by_value(sentences, sources):
    """That compares values, so that 12.5 is 12.50; numbers are compared as they are written."""
    return _bad(sentences, sources, within=lambda text: [float(number) for number in numbers_in(text)])


def unsupported__citations_are_numbers(sentences, sources):
    """That looks for the numbers of the citations on the page, too; they do not count."""
    return _bad(sentences, sources, bare=False)


def unsupported__one_digit_taken_out(sentences, sources):
    """That takes only citations of one digit out of a sentence; [12] is one, too, and its number does not count."""
    return _numbers_of(sentences, sources, list, r"\[ *[0-9](?: *, *[0-9])* *\]")


def unsupported__one_citation_taken_out(sentences, sources):
    """That takes only brackets with one number out of a sentence; [1, 2] is a citation, too."""
    return _numbers_of(sentences, sources, list, r"\[ *[0-9]+ *\]")


def unsupported__numbers_of_citations_are_known(sentences, sources):
    """That takes the numbers that are cited for known ones; a 3 in the sentence must stand on a page."""
    return [sentence for sentence in unsupported(sentences, sources) if not citations(sentence)
            or _bad([sentence], [f"{page} {' '.join(map(str, citations(sentence)))}" for page in sources])]


def unsupported__all_brackets_out(sentences, sources):
    """That takes out whatever stands in brackets, as [bin 4]; only brackets with nothing but numbers cite."""
    wrong = [re.sub(r"\[[^\[\]]*\]", lambda found: found[0] if citations(found[0]) else " ", sentence)
             for sentence in sentences]
    return [sentence for sentence, bare in zip(sentences, wrong, strict=True) if unsupported([bare], sources)]


def unsupported__pages_glued(sentences, sources):
    """That joins the cited pages without a space, so that a 4 and a 5 become 45; take each page by itself."""
    return _bad(sentences, sources, held=lambda pages, _: numbers_in("".join(pages)))


def unsupported__the_first_one(sentences, sources):
    """That stops at the first sentence that does not hold; all of them are meant."""
    return unsupported(sentences, sources)[:1]


def unsupported__positions(sentences, sources):
    """That gives the positions of the sentences; the sentences themselves are meant."""
    return [place for place, sentence in enumerate(sentences) if unsupported([sentence], sources)]


def unsupported__yes_or_no(sentences, sources):
    """That says for each sentence whether it does not hold; those that do not are meant."""
    return [bool(unsupported([sentence], sources)) for sentence in sentences]


def unsupported__each_once(sentences, sources):
    """That gives a sentence once that comes twice; they come as often as in the answer."""
    return list(dict.fromkeys(unsupported(sentences, sources)))


def unsupported__sorted(sentences, sources):
    """That sorts the sentences; they come in the order of the answer."""
    return sorted(unsupported(sentences, sources))


def unsupported__all_or_none(sentences, sources):
    """That throws away the whole answer for one sentence; only those that do not hold are meant."""
    return list(sentences) if unsupported(sentences, sources) else []


def unsupported__nothing_without_pages(sentences, sources):
    """That finds nothing wrong where there are no pages; then no sentence holds."""
    return unsupported(sentences, sources) if sources else []


def _curve(confidence, right, levels=lambda confidence: sorted(set(confidence), reverse=True),
           answered=lambda sure, threshold: sure >= threshold, row=None):
    """Return the curve with one thing or another done differently."""
    risk_coverage(confidence, right)
    rows = []
    for threshold in levels(confidence):
        answers = [good for sure, good in zip(confidence, right, strict=True) if answered(sure, threshold)]
        wrong = sum(not good for good in answers)
        rows.append(row(threshold, len(answers), wrong, len(confidence)) if row else
                    (threshold, len(answers) / len(confidence), wrong / len(answers) if answers else 0.0))
    return rows


def risk_coverage__above_only(confidence, right):
    """That answers above the threshold only; a question with just that confidence is answered, too: >=."""
    return _curve(confidence, right, answered=lambda sure, threshold: sure > threshold)


def risk_coverage__below(confidence, right):
    """That answers the questions below the threshold; those with that confidence or more are answered."""
    return _curve(confidence, right, answered=lambda sure, threshold: sure <= threshold)


def risk_coverage__just_there(confidence, right):
    """That counts only the questions with just that confidence; those with more are answered as well."""
    return _curve(confidence, right, answered=lambda sure, threshold: sure == threshold)


def risk_coverage__upwards(confidence, right):
    """That begins with the lowest threshold; they go down, from silent to reckless."""
    return risk_coverage(confidence, right)[::-1]


def risk_coverage__a_row_for_each_question(confidence, right):
    """That gives a row for each question; each distinct confidence has one."""
    return _curve(confidence, right, levels=lambda confidence: sorted(confidence, reverse=True))


def risk_coverage__equal_ones_one_by_one(confidence, right):
    """That goes question by question, also where several are equally sure; a threshold answers all of them or none."""
    risk_coverage(confidence, right)
    order = sorted(range(len(confidence)), key=lambda at: -confidence[at])
    return [(confidence[at], number / len(order), sum(not right[each] for each in order[:number]) / number)
            for number, at in enumerate(order, 1)]


def risk_coverage__order_as_given(confidence, right):
    """That takes the thresholds in the order of the questions; they go down."""
    return _curve(confidence, right, levels=lambda confidence: list(dict.fromkeys(confidence)))


def risk_coverage__steps_of_a_tenth(confidence, right):
    """That takes thresholds from 0 to 1 in steps of a tenth; each distinct confidence is one."""
    return _curve(confidence, right, levels=lambda confidence: [step / 10 for step in range(10, -1, -1)])


def risk_coverage__begins_with_silence(confidence, right):
    """That begins with a row for silence; each distinct confidence has a row, and there is no other."""
    return [(math.inf, 0.0, 0.0), *risk_coverage(confidence, right)]


def risk_coverage__of_all_questions(confidence, right):
    """That divides the wrong answers by all questions; divide by those answered."""
    return _curve(confidence, right, row=lambda t, answered, wrong, n: (t, answered / n, wrong / n))


def risk_coverage__share_of_right_ones(confidence, right):
    """That gives the share of right answers; the risk is that of the wrong ones."""
    return _curve(confidence, right, row=lambda t, answered, wrong, n: (t, answered / n, 1 - wrong / answered))


def risk_coverage__of_all_wrong_ones(confidence, right):
    """That divides by all wrong answers there could be; divide by the questions answered."""
    return _curve(confidence, right, row=lambda t, answered, wrong, n: (
        t, answered / n, wrong / max(sum(not good for good in right), 1)))


def risk_coverage__counts(confidence, right):
    """That counts questions; shares are meant."""
    return _curve(confidence, right, row=lambda t, answered, wrong, n: (t, answered, wrong))


def risk_coverage__coverage_counted(confidence, right):
    """That counts the questions answered; their share of all questions is meant."""
    return _curve(confidence, right, row=lambda t, answered, wrong, n: (t, answered, wrong / answered))


def risk_coverage__percent(confidence, right):
    """That gives percentages; shares from 0 to 1 are meant."""
    return [(threshold, 100 * coverage, 100 * risk) for threshold, coverage, risk in risk_coverage(confidence, right)]


def risk_coverage__share_declined(confidence, right):
    """That gives the share of questions declined; coverage is that of those answered."""
    return _curve(confidence, right, row=lambda t, answered, wrong, n: (t, 1 - answered / n, wrong / answered))


def risk_coverage__right_ones_covered(confidence, right):
    """That counts right answers only as covered; each question answered is, whether rightly or not."""
    return _curve(confidence, right, row=lambda t, answered, wrong, n: (t, (answered - wrong) / n, wrong / answered))


def risk_coverage__exchanged(confidence, right):
    """That exchanges coverage and risk; coverage comes first."""
    return [(threshold, risk, coverage) for threshold, coverage, risk in risk_coverage(confidence, right)]


def risk_coverage__without_the_threshold(confidence, right):
    """That leaves out the threshold; it is the first of the three."""
    return [(coverage, risk) for _, coverage, risk in risk_coverage(confidence, right)]


def risk_coverage__never_better(confidence, right):
    """That lets the risk only rise, as if more answers could not lower it; it is what it is at each threshold."""
    rows, worst = [], 0.0
    for threshold, coverage, risk in risk_coverage(confidence, right):
        worst = max(worst, risk)
        rows.append((threshold, coverage, worst))
    return rows


def risk_coverage__nothing_for_no_question(confidence, right):
    """That gives a row where there is no question; there is no threshold then: []."""
    return risk_coverage(confidence, right) or [(0.0, 0.0, 0.0)]


def risk_coverage__refuses_no_question(confidence, right):
    """That fails where there is no question; the curve is empty then: []."""
    max(confidence)
    return risk_coverage(confidence, right)


def risk_coverage__without_0(confidence, right):
    """That leaves out a confidence of 0 or less; it is a number like any other."""
    return [row for row in risk_coverage(confidence, right) if row[0] > 0]


def risk_coverage__shorter_list(confidence, right):
    """That stops at the end of the shorter list, as `zip` does; lists of different length are refused: ValueError."""
    pairs = list(zip(confidence, right, strict=False))
    risk_coverage(confidence, [True] * len(confidence))
    return risk_coverage([sure for sure, _ in pairs], [good for _, good in pairs])


def risk_coverage__takes_all(confidence, right):
    """That refuses nothing: neither lists of different length nor what is no finite number; each is a ValueError."""
    rows = []
    for threshold in sorted(set(confidence), reverse=True):
        answers = [good for sure, good in zip(confidence, right, strict=False) if sure >= threshold]
        rows.append((threshold, len(answers) / len(confidence), sum(not good for good in answers) / len(answers)))
    return rows



def risk_coverage__takes_nan(confidence, right):
    """That takes nan and infinity; a confidence that is no finite number is refused with ValueError."""
    return _sure(confidence, right, lambda sure: True)


def risk_coverage__takes_infinity(confidence, right):
    """That refuses nan alone; infinity is no finite number either."""
    return _sure(confidence, right, lambda sure: sure == sure)


def risk_coverage__takes_minus_infinity(confidence, right):
    """That takes minus infinity; it is no finite number, and must be refused with ValueError."""
    return _sure(confidence, right, lambda sure: sure < math.inf)


def _sure(confidence, right, allowed):
    if len(confidence) != len(right) or not all(map(allowed, confidence)):
        raise ValueError(confidence)
    rows = []
    for threshold in sorted(set(confidence), reverse=True):
        answers = [good for sure, good in zip(confidence, right, strict=True) if sure >= threshold]
        rows.append((threshold, len(answers) / len(right), sum(not good for good in answers) / max(len(answers), 1)))
    return rows


def _shares(answered, answerable, first, second):
    declining(answered, answerable)
    pairs = list(zip(answered, answerable, strict=True))
    return first(pairs), second(pairs)


def _share(pairs, of, which):
    """Return the share of the pairs that `which` picks among those that `of` picks; 0 of none is 0."""
    among = [pair for pair in pairs if of(*pair)]
    return sum(which(*pair) for pair in among) / len(among) if among else 0.0


def declining__exchanged(answered, answerable):
    """That exchanges the two shares; that of the unanswerable questions comes first."""
    return declining(answered, answerable)[::-1]


def declining__answered_both(answered, answerable):
    """That gives the share of unanswerable questions that were answered; the share declined is meant."""
    declined, given = declining(answered, answerable)
    return 1 - declined, given


def declining__declined_both(answered, answerable):
    """That gives the share of answerable questions that were declined; the share answered is meant."""
    declined, given = declining(answered, answerable)
    return declined, 1 - given


def declining__turned_round(answered, answerable):
    """That takes answered for declined; both shares are those of the wrong decisions then."""
    declined, given = declining(answered, answerable)
    return 1 - declined, 1 - given


def declining__of_all(answered, answerable):
    """That divides by all questions; each share is of its own kind of question."""
    return _shares(answered, answerable,
                   lambda pairs: _share(pairs, lambda a, has: True, lambda a, has: not a and not has),
                   lambda pairs: _share(pairs, lambda a, has: True, lambda a, has: a and has))


def declining__of_the_decisions(answered, answerable):
    """That takes shares of what was declined and of what was answered, as if the two lists were exchanged."""
    return _shares(answered, answerable, lambda pairs: _share(pairs, lambda a, has: not a, lambda a, has: not has),
                   lambda pairs: _share(pairs, lambda a, has: a, lambda a, has: has))


def declining__all_declined(answered, answerable):
    """That gives the share of all questions that were declined; only the unanswerable ones count."""
    declined, given = declining(answered, answerable)
    return answered.count(False) / len(answered), given


def declining__all_answered(answered, answerable):
    """That gives the share of all questions that were answered; only the answerable ones count."""
    declined, given = declining(answered, answerable)
    return declined, answered.count(True) / len(answered)


def declining__rates_of_all(answered, answerable):
    """That does not part the questions into those with an answer and those without; each share is of one kind."""
    declining(answered, answerable)
    return answered.count(False) / len(answered), answered.count(True) / len(answered)


def declining__accuracy(answered, answerable):
    """That gives the share of right decisions; two shares are meant, one for each kind of question."""
    declining(answered, answerable)
    return sum(a == has for a, has in zip(answered, answerable, strict=True)) / len(answered)


def declining__mean(answered, answerable):
    """That gives the mean of the two shares; both are meant, since one can be bought with the other."""
    return sum(declining(answered, answerable)) / 2


def declining__counts(answered, answerable):
    """That counts the questions; shares are meant."""
    declined, given = declining(answered, answerable)
    return round(declined * answerable.count(False)), round(given * answerable.count(True))


def declining__percent(answered, answerable):
    """That gives percentages; shares from 0 to 1 are meant."""
    return tuple(100 * share for share in declining(answered, answerable))


def declining__nothing_of_nothing(answered, answerable):
    """That gives 0 where there is no question of a kind; it must be refused with ValueError."""
    return _kinds(answered, answerable, lambda: 0.0)


def declining__all_of_nothing(answered, answerable):
    """That gives 1 where there is no question of a kind; it must be refused with ValueError."""
    return _kinds(answered, answerable, lambda: 1.0)


def declining__divided_by_zero(answered, answerable):
    """That divides by 0 where there is no question of a kind; it must be refused with ValueError."""
    return _kinds(answered, answerable, lambda: 1 / 0)


def declining__nan(answered, answerable):
    """That gives nan where there is no question of a kind; it must be refused with ValueError."""
    return _kinds(answered, answerable, lambda: math.nan)


def declining__takes_all(answered, answerable):
    """That stops at the end of the shorter list, and divides by 0 where a kind is missing; both are refused."""
    short = min(len(answered), len(answerable))
    return _kinds(answered[:short], answerable[:short], lambda: 1 / 0)



def declining__refuses_silence(answered, answerable):
    """That refuses where no question was declined or none answered; the share is 0 then."""
    if True not in answered or False not in answered:
        raise ValueError("nothing")
    return declining(answered, answerable)


def declining__shorter_list(answered, answerable):
    """That stops at the end of the shorter list, as `zip` does; lists of different length are refused: ValueError."""
    short = min(len(answered), len(answerable))
    return declining(answered[:short], answerable[:short])


def _kinds(answered, answerable, none):
    if len(answered) != len(answerable):
        raise ValueError("lengths")
    silent = [not a for a, has in zip(answered, answerable, strict=True) if not has]
    given = [a for a, has in zip(answered, answerable, strict=True) if has]
    return tuple(sum(kind) / len(kind) if kind else none() for kind in (silent, given))
