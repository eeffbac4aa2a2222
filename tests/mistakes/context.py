"""Common mistakes in the tasks context.*, each with the sentence that a learner reads.

Each follows the reference but for the one thing that its sentence names.
"""

import math
import re

import numpy as np

from firstprinciples.generate.context import along, best_last, bill, both_ends, fit, label, prompt, tokens


def tokens__rounded_down(text):
    """That rounds down; what is left over is one more token: `math.ceil`."""
    tokens(text)
    return len(text) // 4


def tokens__rounded(text):
    """That rounds to the nearest whole number; round up: `math.ceil`."""
    tokens(text)
    return round(len(text) / 4)


def tokens__one_more(text):
    """That gives one token more where the characters just come out, as `// 4 + 1` does: `math.ceil`."""
    tokens(text)
    return len(text) // 4 + 1


def tokens__not_whole(text):
    """That gives a fraction of a token; round up: `math.ceil`."""
    tokens(text)
    return len(text) / 4


def tokens__words(text):
    """That counts words; the estimate goes by characters, four to a token."""
    tokens(text)
    return len(text.split())


def tokens__a_quarter_of_the_words(text):
    """That divides the number of words by 4; the number of characters is meant."""
    tokens(text)
    return math.ceil(len(text.split()) / 4)


def tokens__characters(text):
    """That counts the characters; a token has four of them."""
    tokens(text)
    return len(text)


def tokens__times_four(text):
    """That takes four tokens for a character; four characters are one token."""
    tokens(text)
    return 4 * len(text)


def tokens__without_spaces(text):
    """That leaves out spaces and line breaks; they are characters, too."""
    tokens(text)
    return math.ceil(len("".join(text.split())) / 4)


def tokens__ends_cut(text):
    """That leaves out what stands at the ends, as `strip` does; spaces and line breaks count everywhere."""
    return tokens(text.strip() if isinstance(text, str) else text)


def tokens__runs_of_spaces(text):
    """That makes one space of several; each is a character and counts."""
    tokens(text)
    return math.ceil(len(re.sub(r"\s+", " ", text)) / 4)


def tokens__word_by_word(text):
    """That rounds up each word by itself; only the whole text is rounded, and the spaces count."""
    tokens(text)
    return sum(math.ceil(len(word) / 4) for word in text.split())


def tokens__bytes(text):
    """That counts bytes, of which an ä or ü has two; characters are meant: `len(text)`."""
    tokens(text)
    return math.ceil(len(text.encode("utf-8")) / 4)


def tokens__at_least_one(text):
    """That gives 1 for an empty text; it has no tokens."""
    return max(tokens(text), 1)


def tokens__a_list(text):
    """That counts the words of a list as if they were characters; what is no string must be refused with ValueError."""
    return math.ceil(len(text) / 4)


def bill__price_a_thousand(tokens_a_question, questions, price):
    """That takes the price for a thousand tokens; it is for a million."""
    return bill(tokens_a_question, questions, price) * 1000


def bill__price_a_token(tokens_a_question, questions, price):
    """That takes the price for one token; it is for a million: divide by 1,000,000."""
    return bill(tokens_a_question, questions, price) * 1_000_000


def bill__one_question(tokens_a_question, questions, price):
    """That is the price of one question; each question pays for its prompt again."""
    bill(tokens_a_question, questions, price)
    return tokens_a_question * price / 1_000_000


def bill__tokens_alone(tokens_a_question, questions, price):
    """That counts the tokens, in millions; the price is missing."""
    bill(tokens_a_question, questions, price)
    return tokens_a_question * questions / 1_000_000


def bill__questions_times_price(tokens_a_question, questions, price):
    """That leaves out how long a prompt is; tokens, questions and price are multiplied."""
    bill(tokens_a_question, questions, price)
    return questions * price / 1_000_000


def bill__divided_by_the_price(tokens_a_question, questions, price):
    """That divides by the price; the price of a million tokens is multiplied by the millions of tokens."""
    bill(tokens_a_question, questions, price)
    return tokens_a_question * questions / price / 1_000_000 if price else 0.0


def bill__sum(tokens_a_question, questions, price):
    """That adds tokens and questions; each question has so many tokens: multiply them."""
    bill(tokens_a_question, questions, price)
    return (tokens_a_question + questions) * price / 1_000_000


def bill__shared(tokens_a_question, questions, price):
    """That divides by the number of questions; all of them are to be paid."""
    bill(tokens_a_question, questions, price)
    return tokens_a_question * price / 1_000_000 / questions if questions else 0.0


def bill__in_cents(tokens_a_question, questions, price):
    """That is the bill in cents; dollars are meant."""
    return bill(tokens_a_question, questions, price) * 100


def bill__whole_cents(tokens_a_question, questions, price):
    """That rounds to whole cents; a small bill is nothing then, and a thousand of them are not."""
    return round(bill(tokens_a_question, questions, price), 2)


def bill__whole_dollars(tokens_a_question, questions, price):
    """That leaves out what is less than a dollar, as `//` does."""
    return float(bill(tokens_a_question, questions, price) // 1)


def bill__whole_millions(tokens_a_question, questions, price):
    """That counts whole millions of tokens only, as `//` does; a part of a million costs its part of the price."""
    bill(tokens_a_question, questions, price)
    return tokens_a_question * questions // 1_000_000 * price


def bill__whole_numbers_only(tokens_a_question, questions, price):
    """That cuts tokens and questions to whole numbers; a mean may lie between two."""
    bill(tokens_a_question, questions, price)
    return int(tokens_a_question) * int(questions) * price / 1_000_000


def bill__refuses_nothing(tokens_a_question, questions, price):
    """That refuses 0; it is a number of tokens, of questions and a price like any other, and the bill is 0."""
    if not min(tokens_a_question, questions, price) > 0:
        raise ValueError("nothing")
    return bill(tokens_a_question, questions, price)


def bill__takes_all(tokens_a_question, questions, price):
    """That takes any number, also a negative one; each is finite and 0 or more, or else ValueError."""
    return tokens_a_question * questions * price / 1_000_000


def bill__looks_at_the_result(tokens_a_question, questions, price):
    """That refuses a bill below 0, so that two negative numbers get through; look at each number by itself."""
    dollars = tokens_a_question * questions * price / 1_000_000
    if not (math.isfinite(dollars) and dollars >= 0):
        raise ValueError(dollars)
    return dollars


def bill__takes_nan(tokens_a_question, questions, price):
    """That lets nan through, of which no comparison is true; ask `math.isfinite`."""
    if any(number < 0 or number == math.inf for number in (tokens_a_question, questions, price)):
        raise ValueError("below 0")
    return tokens_a_question * questions * price / 1_000_000


def bill__takes_infinity(tokens_a_question, questions, price):
    """That lets infinity through; ask `math.isfinite`."""
    if not (tokens_a_question >= 0 and questions >= 0 and price >= 0):
        raise ValueError("below 0")
    return tokens_a_question * questions * price / 1_000_000


def bill__takes_both(tokens_a_question, questions, price):
    """That refuses negative numbers and lets nan and infinity through; ask `math.isfinite` as well."""
    if tokens_a_question < 0 or questions < 0 or price < 0:
        raise ValueError("below 0")
    return tokens_a_question * questions * price / 1_000_000


def bill__refuses_one(tokens_a_question, questions, price):
    """That refuses 1 where True is meant, for 1 == True in Python; ask `isinstance(number, bool)`."""
    if True in (tokens_a_question, questions, price):
        raise ValueError("True")
    return bill(tokens_a_question, questions, price)


def bill__looks_at_the_first(tokens_a_question, questions, price):
    """That looks at the first of the three only; each is finite and 0 or more, or else ValueError."""
    bill(tokens_a_question, 1, 1)
    return tokens_a_question * questions * price / 1_000_000


def _at(curve, position, n, place):
    """Return the curve's value at a relative place, refusing what the reference refuses."""
    along(curve, position, n)
    points = sorted(curve.items())
    return float(np.interp(place, [point[0] for point in points], [point[1] for point in points]))


def along__place_by_n(curve, position, n):
    """That takes position / n for the relative place, and the first one is not at 0; it is (position - 1) / (n - 1)."""
    return _at(curve, position, n, position / n)


def along__from_zero_by_n(curve, position, n):
    """That takes (position - 1) / n for the relative place, and the last one is not at 1; divide by n - 1."""
    return _at(curve, position, n, (position - 1) / n)


def along__position_from_zero(curve, position, n):
    """That takes position / (n - 1) for the relative place; positions count from 1: subtract 1."""
    return _at(curve, position, n, position / (n - 1) if n > 1 else 0.0)


def along__middle_of_its_part(curve, position, n):
    """That puts a position in the middle of its n-th part; the first one is at 0 and the last at 1."""
    return _at(curve, position, n, (position - 0.5) / n)


def along__from_the_end(curve, position, n):
    """That counts positions from the end; the first of n has the relative place 0."""
    along(curve, position, n)
    return along(curve, n + 1 - position, n)


def along__nearest_point(curve, position, n):
    """That gives the value of the nearest point; between two points a straight line runs."""
    along(curve, position, n)
    place = (position - 1) / (n - 1) if n > 1 else 0.0
    return float(curve[min(sorted(curve), key=lambda point: abs(point - place))])


def along__point_before(curve, position, n):
    """That keeps the value of the point before; between two points a straight line runs."""
    along(curve, position, n)
    place = (position - 1) / (n - 1) if n > 1 else 0.0
    return float(curve[max([point for point in curve if point <= place] or [min(curve)])])


def along__point_behind(curve, position, n):
    """That takes the value of the next point; between two points a straight line runs."""
    along(curve, position, n)
    place = (position - 1) / (n - 1) if n > 1 else 0.0
    return float(curve[min([point for point in curve if point >= place] or [max(curve)])])


def along__mean_of_two(curve, position, n):
    """That takes the mean of the two points around; the nearer one weighs more."""
    return (along__point_before(curve, position, n) + along__point_behind(curve, position, n)) / 2


def along__weights_exchanged(curve, position, n):
    """That exchanges the weights of the two points around; the nearer one weighs more."""
    return along__point_before(curve, position, n) + along__point_behind(curve, position, n) - along(curve, position, n)


def along__from_end_to_end(curve, position, n):
    """That draws one line from the first point to the last; those between count, too."""
    along(curve, position, n)
    return along({min(curve): curve[min(curve)], max(curve): curve[max(curve)]}, position, n)


def along__goes_on(curve, position, n):
    """That draws the line on beyond the curve's ends; there the value of the end stays."""
    value = along(curve, position, n)
    place, points = (position - 1) / (n - 1) if n > 1 else 0.0, sorted(curve.items())
    if len(points) < 2 or points[0][0] <= place <= points[-1][0]:
        return value
    (left, low), (right, high) = points[:2] if place < points[0][0] else points[-2:]
    return low + (high - low) * (place - left) / (right - left)


def along__nothing_outside(curve, position, n):
    """That gives 0 beyond the curve's ends; there the value of the end stays."""
    value = along(curve, position, n)
    place = (position - 1) / (n - 1) if n > 1 else 0.0
    return value if min(curve) <= place <= max(curve) else 0.0


def along__values_sorted(curve, position, n):
    """That sorts places and values each by themselves; a value belongs to its place: sort the pairs."""
    along(curve, position, n)
    return along(dict(zip(sorted(curve), sorted(curve.values()), strict=True)), position, n)


def along__between_points_only(curve, position, n):
    """That passes over a place that is itself a point of the curve; it has the value of that point."""
    value, points = along(curve, position, n), sorted(curve.items())
    place = (position - 1) / (n - 1) if n > 1 else 0.0
    return points[-1][1] if place in [point[0] for point in points[1:]] else value


def along__refuses_outside(curve, position, n):
    """That refuses a place beyond the curve's ends; there the value of the end stays."""
    value = along(curve, position, n)
    place = (position - 1) / (n - 1) if n > 1 else 0.0
    if not min(curve) <= place <= max(curve):
        raise ValueError(place)
    return value


def along__says_nothing_outside(curve, position, n):
    """That gives None beyond the curve's ends; there the value of the end stays."""
    value = along(curve, position, n)
    place = (position - 1) / (n - 1) if n > 1 else 0.0
    return value if min(curve) <= place <= max(curve) else None


def along__pairs_only(curve, position, n):
    """That looks between two points only: beyond the ends, and where n is 1, it has no answer."""
    along(curve, position, n)
    place, points = (position - 1) / (n - 1), sorted(curve.items())
    for (left, low), (right, high) in zip(points, points[1:], strict=False):
        if left <= place <= right:
            return low + (high - low) * (place - left) / (right - left)
    return None



def along__order_as_given(curve, position, n):
    """That takes the points in the order of the dict; sort them by their place first."""
    along(curve, position, n)
    place = (position - 1) / (n - 1) if n > 1 else 0.0
    return float(np.interp(place, list(curve), list(curve.values())))


def along__divided_by_zero(curve, position, n):
    """That divides by n - 1 where n is 1; the only place is at 0."""
    along(curve, position, n)
    return along(curve, position, n) if (position - 1) / (n - 1) >= 0 else None


def along__only_place_last(curve, position, n):
    """That puts the only place of one at the end; it is at 0."""
    return _at(curve, position, n, (position - 1) / (n - 1) if n > 1 else 1.0)


def along__only_place_in_the_middle(curve, position, n):
    """That puts the only place of one in the middle; it is at 0."""
    return _at(curve, position, n, (position - 1) / (n - 1) if n > 1 else 0.5)


def along__takes_any_position(curve, position, n):
    """That takes a position that is not there; it is one of 1 ... n, or else ValueError."""
    points = sorted(curve.items())
    along(curve, 1, min(n, 1))  # refuses all the rest
    place = (position - 1) / (n - 1) if n > 1 else 0.0
    return float(np.interp(place, [point[0] for point in points], [point[1] for point in points]))


def along__takes_position_0(curve, position, n):
    """That takes a position below 1; they count from 1, and what is less must be refused with ValueError."""
    return along(curve, max(position, 1), n)


def along__takes_a_position_too_far(curve, position, n):
    """That takes a position beyond n; it must be refused with ValueError."""
    return along(curve, min(position, n) if n >= 1 else position, n)


def along__takes_nan(curve, position, n):
    """That takes nan or infinity for a point; each is a finite number, or else ValueError: `math.isfinite`."""
    along({0: 1}, position, n)
    if not curve:
        raise ValueError("no points")
    points = sorted(curve.items())
    place = (position - 1) / (n - 1) if n > 1 else 0.0
    return float(np.interp(place, [point[0] for point in points], [point[1] for point in points]))


def along__takes_infinity(curve, position, n):
    """That refuses nan alone; infinity is no finite number either, neither as a place nor as a value."""
    if any(number != number for point in curve.items() for number in point):
        raise ValueError("nan")
    return along__takes_nan(curve, position, n)


def along__looks_at_the_values_only(curve, position, n):
    """That looks at the values of the curve only; the places are finite numbers as well, or else ValueError."""
    if not all(map(math.isfinite, curve.values())):
        raise ValueError("a value")
    return along__takes_nan(curve, position, n)


def along__zero_without_points(curve, position, n):
    """That gives 0 for a curve without points; it must refuse it with ValueError."""
    return along(curve, position, n) if curve else 0.0


def best_last__as_it_is(ids):
    """That leaves the order as it is, the best first; it is to be last."""
    return list(ids)


def best_last__best_to_the_end(ids):
    """That puts the best one at the end and leaves the others in their order; the whole order is turned round."""
    return ids[1:] + ids[:1]


def best_last__ends_exchanged(ids):
    """That exchanges the first and the last; all others change places, too."""
    return ids[-1:] + ids[1:-1] + ids[:1] if len(ids) > 1 else list(ids)


def best_last__worst_to_the_front(ids):
    """That puts the weakest one at the front and leaves the others in their order; the whole order is turned round."""
    return ids[-1:] + ids[:-1]


def best_last__alphabet(ids):
    """That sorts by the ids; their order is that of the search, turned round."""
    return sorted(ids, reverse=True)


def best_last__alphabet_upwards(ids):
    """That sorts by the ids, ascending; their order is that of the search, turned round."""
    return sorted(ids)


def best_last__nothing_returned(ids):
    """That returns None, as `list.reverse` does, which turns the list itself round; return a new list: `ids[::-1]`."""
    return list(ids).reverse()


def best_last__iterator(ids):
    """That returns what `reversed` gives, which is no list yet: `list(reversed(ids))`."""
    return reversed(ids)


def best_last__the_best_only(ids):
    """That returns the best id only; all of them are meant, the best one last."""
    return ids[:1]


def best_last__all_but_the_best(ids):
    """That loses the best one, as `ids[:0:-1]` does; the order ends with it: `ids[::-1]`."""
    return ids[:0:-1]


def best_last__halves(ids):
    """That exchanges the two halves; the whole order is turned round."""
    return ids[len(ids) // 2:] + ids[:len(ids) // 2]


def both_ends__as_it_is(ids):
    """That leaves the order as it is; the second best is to be last, and the weakest in the middle."""
    return list(ids)


def both_ends__best_last(ids):
    """That turns the order round; the best comes first, and the second best last."""
    return best_last(ids)


def both_ends__the_back_not_turned(ids):
    """That does not turn round the places 2, 4, 6, ...: the second best is to be the very last."""
    return ids[::2] + ids[1::2]


def both_ends__the_front_turned(ids):
    """That turns round the places 1, 3, 5, ... as well; the best is to be the very first."""
    return ids[::2][::-1] + ids[1::2][::-1]


def both_ends__best_at_the_end(ids):
    """That puts the best last and the second best first; the other way round is meant."""
    return best_last(both_ends(ids))


def both_ends__best_in_the_middle(ids):
    """That puts the best into the middle, where a model reads worst, and the weakest at the ends."""
    return ids[::2][::-1] + ids[1::2]


def both_ends__halves(ids):
    """That puts the better half in front and turns the weaker half round; best and second best lie at the two ends."""
    half = (len(ids) + 1) // 2
    return ids[:half] + ids[half:][::-1]


def both_ends__second_to_the_end(ids):
    """That moves the second best to the end and leaves the others; the third is second, the fourth last but one."""
    return ids[:1] + ids[2:] + ids[1:2]


def both_ends__best_and_worst_by_turns(ids):
    """That takes the best and the weakest by turns; one goes to the front and the next to the back."""
    order = [id for pair in zip(ids, best_last(ids), strict=True) for id in pair]
    return list(dict.fromkeys(order))


def both_ends__from_the_worst_on(ids):
    """That deals the ids out from the weakest on, so that the best may end up last; begin with the best."""
    out = []
    for place, id in enumerate(reversed(ids)):
        out = [*out, id] if place % 2 else [id, *out]
    return out


def both_ends__the_middle_lost(ids):
    """That loses the one in the middle of an odd number; each id goes in."""
    half = len(ids) // 2
    return ids[::2][:half] + ids[1::2][:half][::-1]


def both_ends__the_middle_twice(ids):
    """That has the one in the middle of an odd number twice; each id goes in once."""
    return ids[::2] + ids[1::2][::-1] if len(ids) % 2 == 0 else ids[::2] + [ids[-1]] + ids[1::2][::-1]


def both_ends__the_best_at_both_ends(ids):
    """That puts the best at both ends; it stands first, and the second best last."""
    return both_ends(ids) if len(ids) < 2 else both_ends(ids) + ids[:1]


def both_ends__pairs(ids):
    """That goes by pairs, two to the front and two to the back; one by one is meant."""
    front = [id for place, id in enumerate(ids) if place % 4 in (0, 1)]
    return front + [id for id in ids if id not in front][::-1]


def _kept(lengths, budget, order=None):
    """Return what fits, taking the positions in another order."""
    fit(lengths, budget)
    left, kept = budget, []
    for position in order or range(len(lengths)):
        if lengths[position] <= left:
            left -= lengths[position]
            kept.append(position)
    return kept


def fit__stops_at_the_first(lengths, budget):
    """That stops at the first chunk that is too long; it is passed over, and a shorter one behind it may go in."""
    fit(lengths, budget)
    total, kept = 0, []
    for position, length in enumerate(lengths):
        total += length
        if total > budget:
            break
        kept.append(position)
    return kept


def fit__each_by_itself(lengths, budget):
    """That compares each chunk with the whole budget; what went in before it has taken its room."""
    fit(lengths, budget)
    return [position for position, length in enumerate(lengths) if length <= budget]


def fit__one_too_many(lengths, budget):
    """That takes the chunk with which the budget is overdrawn; together they are at most the budget."""
    fit(lengths, budget)
    total, kept = 0, []
    for position, length in enumerate(lengths):
        if total < budget:
            kept.append(position)
            total += length
    return kept


def fit__not_the_last_token(lengths, budget):
    """That compares with < where a chunk just fits; at most the budget is meant: <=."""
    fit(lengths, budget)
    left, kept = budget, []
    for position, length in enumerate(lengths):
        if length < left:
            left -= length
            kept.append(position)
    return kept


def fit__shortest_first(lengths, budget):
    """That takes the shortest first, so that the most go in; the best come first, whatever their length."""
    return sorted(_kept(lengths, budget, sorted(range(len(lengths)), key=lambda at: lengths[at])))


def fit__longest_first(lengths, budget):
    """That takes the longest first; the best come first, whatever their length."""
    return sorted(_kept(lengths, budget, sorted(range(len(lengths)), key=lambda at: -lengths[at])))


def fit__worst_first(lengths, budget):
    """That begins with the last chunk, the weakest; the best stands first."""
    return sorted(_kept(lengths, budget, list(range(len(lengths)))[::-1]))


def fit__as_full_as_possible(lengths, budget):
    """That looks for those that fill the budget best; a weak chunk never takes the place of a better one."""
    fit(lengths, budget)
    sets = [[at for at in range(len(lengths)) if bits >> at & 1] for bits in range(2 ** len(lengths))]
    full = [kept for kept in sets if sum(lengths[at] for at in kept) <= budget]
    return min(full, key=lambda kept: (-sum(lengths[at] for at in kept), -len(kept), kept))


def fit__lengths(lengths, budget):
    """That returns the lengths of the chunks that go in; their positions are meant."""
    return [lengths[position] for position in fit(lengths, budget)]


def fit__from_one(lengths, budget):
    """That counts positions from 1; they count from 0."""
    return [position + 1 for position in fit(lengths, budget)]


def fit__how_many(lengths, budget):
    """That returns how many go in; their positions are meant."""
    return len(fit(lengths, budget))


def fit__left_out(lengths, budget):
    """That returns the positions left out; those that go in are meant."""
    return [position for position in range(len(lengths)) if position not in fit(lengths, budget)]


def fit__yes_or_no(lengths, budget):
    """That says for each chunk whether it goes in; the positions of those that do are meant."""
    return [position in fit(lengths, budget) for position in range(len(lengths))]


def fit__at_least_one(lengths, budget):
    """That takes the best chunk even where it is too long; then it does not fit."""
    return sorted({*fit(lengths, budget), 0}) if lengths else []


def fit__at_least_one_if_none_fits(lengths, budget):
    """That takes the best chunk where none fits; then nothing goes in."""
    return fit(lengths, budget) or ([0] if lengths else [])


def fit__empty_ones_out(lengths, budget):
    """That leaves out a chunk of 0 tokens; it always fits."""
    return [position for position in fit(lengths, budget) if lengths[position]]


def fit__stops_when_full(lengths, budget):
    """That stops once the budget is used up; a chunk of 0 tokens behind it still fits."""
    kept = []
    for position in fit(lengths, budget):
        if sum(lengths[at] for at in kept) >= budget:
            break
        kept.append(position)
    return kept


def fit__refuses_budget_0(lengths, budget):
    """That refuses a budget of 0; then nothing goes in but what takes no room."""
    if budget == 0:
        raise ValueError("no budget")
    return fit(lengths, budget)


def _checked(lengths, budget, negative=True, fraction=True, late=False):
    """Return what fits, with less refused than should be: nothing negative, no fraction, or only what fits."""
    def bad(number):
        return negative and number < 0 or fraction and number != int(number)

    if bad(budget) or not late and any(map(bad, lengths)):
        raise ValueError(budget)
    left, kept = budget, []
    for position, length in enumerate(lengths):
        if length <= left:
            if bad(length):
                raise ValueError(length)
            left -= length
            kept.append(position)
    return kept


def fit__takes_a_negative_budget(lengths, budget):
    """That takes a budget below 0 and keeps nothing; it must refuse it with ValueError."""
    return fit(lengths, max(budget, 0))


def fit__takes_a_negative_length(lengths, budget):
    """That takes a length below 0, which makes room for others; it must be refused with ValueError."""
    return _checked(lengths, budget) if budget < 0 else _checked(lengths, budget, negative=False)


def fit__takes_fractions(lengths, budget):
    """That takes parts of a token; lengths and budget are whole numbers, or else ValueError."""
    return _checked(lengths, budget, fraction=False)


def fit__takes_all(lengths, budget):
    """That refuses nothing; a length or a budget that is negative or no whole number is refused with ValueError."""
    return _checked(lengths, budget, negative=False, fraction=False)


def fit__sees_what_fits_only(lengths, budget):
    """That looks at a length only where it goes in; one that is too long must be a whole number as well."""
    return _checked(lengths, budget, late=True)


def label__no_brackets(number, document, page):
    """That has no brackets around the number; a model is to cite [1] as it reads it."""
    return label(number, document, page).replace("[", "", 1).replace("]", "", 1)


def label__round_brackets(number, document, page):
    """That has round brackets around the number; [1] is meant."""
    label(number, document, page)
    return f"({number}) {document}, page {page}"


def label__no_comma(number, document, page):
    """That has no comma before the page."""
    label(number, document, page)
    return f"[{number}] {document} page {page}"


def label__colon(number, document, page):
    """That has a colon behind the number; one space is meant."""
    return label(number, document, page).replace("] ", "]: ", 1)


def label__no_space(number, document, page):
    """That has no space behind the number."""
    return label(number, document, page).replace("] ", "]", 1)


def label__page_in_short(number, document, page):
    """That writes "p." for the page; the word "page" is meant."""
    label(number, document, page)
    return f"[{number}] {document}, p. {page}"


def label__number_of_the_page_alone(number, document, page):
    """That leaves out the word "page" before its number."""
    label(number, document, page)
    return f"[{number}] {document}, {page}"


def label__capital(number, document, page):
    """That begins "Page" with a capital; "page" is meant."""
    label(number, document, page)
    return f"[{number}] {document}, Page {page}"


def label__without_the_page(number, document, page):
    """That leaves out the page; a receipt without it sends the reader through the whole document."""
    label(number, document, page)
    return f"[{number}] {document}"


def label__without_the_document(number, document, page):
    """That leaves out the document."""
    label(number, document, page)
    return f"[{number}] page {page}"


def label__number_and_page_exchanged(number, document, page):
    """That exchanges the number to cite by and the page."""
    label(number, document, page)
    return f"[{page}] {document}, page {number}"


def label__all_in_brackets(number, document, page):
    """That puts document and page into the brackets, as a receipt has them; here only the number is in there."""
    label(number, document, page)
    return f"[{number}, {document}, page {page}]"


def label__number_from_0(number, document, page):
    """That lowers the number by one; it is written as it is handed over."""
    return label(number, document, page).replace(f"[{number}]", f"[{number - 1}]", 1)


def label__number_one_more(number, document, page):
    """That raises the number by one; it is written as it is handed over."""
    return label(number, document, page).replace(f"[{number}]", f"[{number + 1}]", 1)


def label__page_one_more(number, document, page):
    """That raises the page by one; pages are counted from 1 already."""
    label(number, document, page)
    return f"[{number}] {document}, page {page + 1}"


def label__lower_case(number, document, page):
    """That writes the document in lower case; its name stays as it is."""
    return label(number, document, page).lower()


def label__without_the_ending(number, document, page):
    """That cuts the ending off the document's name, such as .txt; the name stays as it is."""
    return label(number, document.rpartition(".")[0] or document, page)


def label__up_to_the_comma(number, document, page):
    """That cuts the document's name at a comma; the name stays as it is."""
    return label(number, document.partition(",")[0], page)


def label__line_break(number, document, page):
    """That ends with a line break; whoever puts the prompt together adds it."""
    return label(number, document, page) + "\n"


def label__takes_number_0(number, document, page):
    """That takes numbers below 1; sources count from 1, and any other must be refused with ValueError."""
    label(1 if number < 1 else number, document, page)
    return f"[{number}] {document}, page {page}"


def label__takes_page_0(number, document, page):
    """That takes pages below 1; pages count from 1, and any other must be refused with ValueError."""
    label(number, document, 1 if page < 1 else page)
    return f"[{number}] {document}, page {page}"


def label__takes_fractions(number, document, page):
    """That takes 1.5 for a number or a page; both are whole, or else ValueError."""
    if number < 1 or page < 1:
        raise ValueError(number)
    return f"[{number}] {document}, page {page}"


def label__cuts_fractions(number, document, page):
    """That cuts 1.5 to 1; what is not whole must be refused with ValueError."""
    return label(int(number), document, int(page))


def label__takes_all(number, document, page):
    """That refuses nothing; number and page are whole numbers from 1, or else ValueError."""
    return f"[{number}] {document}, page {page}"


def label__takes_negative_ones(number, document, page):
    """That refuses 0 and takes what is below it; number and page count from 1."""
    label(abs(number), document, abs(page))
    return f"[{number}] {document}, page {page}"


def _parts(question, sources, note, line="\n", between="\n\n", ask="Question: ", lines=None, **changed):
    """Return the prompt with one thing or another done differently."""
    prompt(question, sources, note)
    made = [f"{(lines or label)(number, source['document'], source['page'])}{line}{source['text']}"
            for number, source in enumerate(sources, changed.get("first", 1))]
    return between.join([*([note] if note else []), *made, f"{ask}{question}"])


def prompt__question_first(question, sources, note):
    """That puts the question before the pages; it is the last line."""
    prompt(question, sources, note)
    return "\n\n".join([*([note] if note else []), f"Question: {question}",
                        *(text for text in [prompt("", sources, "").rpartition("\n\n")[0]] if text)])


def prompt__note_last(question, sources, note):
    """That puts the note behind the question; it stands first."""
    return prompt(question, sources, "") + (f"\n\n{note}" if note else "")


def prompt__note_before_the_question(question, sources, note):
    """That puts the note between the pages and the question; it stands first."""
    pages = prompt(question, sources, "").removesuffix(f"Question: {question}")
    return pages + prompt(question, [], note)


def prompt__without_the_note(question, sources, note):
    """That leaves out the note, and with it that the answer is to come from the pages only."""
    prompt(question, sources, note)
    return prompt(question, sources, "")


def prompt__without_the_question(question, sources, note):
    """That leaves out the question."""
    return prompt(question, sources, note).removesuffix(f"Question: {question}").removesuffix("\n\n")


def prompt__question_alone(question, sources, note):
    """That leaves out "Question: " before the question."""
    return _parts(question, sources, note, ask="")


def prompt__question_on_its_own_line(question, sources, note):
    """That breaks the line between "Question:" and the question; one space is meant."""
    return _parts(question, sources, note, ask="Question:\n")


def prompt__no_blank_lines(question, sources, note):
    """That has no blank lines between note, pages and question."""
    return _parts(question, sources, note, between="\n")


def prompt__two_blank_lines(question, sources, note):
    """That has two blank lines between note, pages and question; one is meant."""
    return _parts(question, sources, note, between="\n\n\n")


def prompt__no_blank_line_between_pages(question, sources, note):
    """That has no blank line between one page and the next."""
    pages = _parts("", sources, "", between="\n").removesuffix("Question: ").removesuffix("\n")
    prompt(question, sources, note)
    return "\n\n".join([*([note] if note else []), *([pages] if sources else []), f"Question: {question}"])


def prompt__label_on_the_same_line(question, sources, note):
    """That puts the text on the line of its label; it begins on the next one."""
    return _parts(question, sources, note, line=" ")


def prompt__blank_line_under_the_label(question, sources, note):
    """That has a blank line between a label and its text; the text begins on the next line."""
    return _parts(question, sources, note, line="\n\n")


def prompt__label_below(question, sources, note):
    """That puts the label below its text; it stands above."""
    prompt(question, sources, note)
    made = [f"{source['text']}\n{label(number, source['document'], source['page'])}"
            for number, source in enumerate(sources, 1)]
    return "\n\n".join([*([note] if note else []), *made, f"Question: {question}"])


def prompt__without_labels(question, sources, note):
    """That leaves out the labels, and nothing can be cited then."""
    return _parts(question, sources, note, line="", lines=lambda *_: "")


def prompt__numbers_alone(question, sources, note):
    """That has the number for a label; its document and page belong to it: `label`."""
    return _parts(question, sources, note, lines=lambda number, *_: f"[{number}]")


def prompt__numbers_from_0(question, sources, note):
    """That counts the sources from 0; their numbers count from 1: `enumerate(sources, 1)`."""
    return _parts(question, sources, note, lines=lambda number, *rest: f"[{number - 1}]" + label(1, *rest)[3:])


def prompt__all_numbered_1(question, sources, note):
    """That numbers each source 1; the number is its place in the list."""
    return _parts(question, sources, note, lines=lambda number, *rest: label(1, *rest))


def prompt__number_of_the_page(question, sources, note):
    """That takes the page for the number to cite by; it is the place in the list."""
    return _parts(question, sources, note, lines=lambda number, document, page: label(page, document, page))


def prompt__one_number_a_document(question, sources, note):
    """That gives a document one number, however many of its pages there are; each source has its own."""
    documents = list(dict.fromkeys(source["document"] for source in sources if "document" in source))
    return _parts(question, sources, note, lines=lambda number, document, page: label(
        documents.index(document) + 1, document, page))


def prompt__one_number_a_page(question, sources, note):
    """That gives two pieces of one page the same number; each source has its own."""
    prompt(question, sources, note)
    pages = list(dict.fromkeys((source["document"], source["page"]) for source in sources))
    return _parts(question, sources, note, lines=lambda number, document, page: label(
        pages.index((document, page)) + 1, document, page))


def prompt__each_page_once(question, sources, note):
    """That leaves out a second piece of the same page; each source goes in."""
    prompt(question, sources, note)
    return prompt(question, list({(source["document"], source["page"]): source for source in sources[::-1]}.values()
                                 )[::-1], note)


def prompt__ids(question, sources, note):
    """That writes the id of a chunk where its document is meant."""
    prompt(question, sources, note)
    return prompt(question, [{**source, "document": source["id"]} for source in sources], note)


def prompt__turned_round(question, sources, note):
    """That turns the order of the sources round; they come as they are handed over."""
    return prompt(question, sources[::-1], note)


def prompt__sorted_by_document(question, sources, note):
    """That sorts the sources by document and page; they come as they are handed over."""
    prompt(question, sources, note)
    return prompt(question, sorted(sources, key=lambda source: (source["document"], source["page"])), note)


def prompt__first_source_only(question, sources, note):
    """That puts in the first source only; all of them are meant."""
    prompt(question, sources, note)
    return prompt(question, sources[:1], note)


def prompt__line_break_at_the_end(question, sources, note):
    """That ends with a line break; the question is the end."""
    return prompt(question, sources, note) + "\n"


def prompt__empty_note_stays(question, sources, note):
    """That leaves the blank line of an empty note; note and blank line are both left out."""
    return prompt(question, sources, note) if note else "\n\n" + prompt(question, sources, note)


def prompt__a_place_for_no_pages(question, sources, note):
    """That leaves room for pages where there are none; note and question follow each other."""
    said = prompt(question, sources, note)
    return said if sources else said.removesuffix(f"Question: {question}") + f"\n\nQuestion: {question}"


def prompt__nothing_without_pages(question, sources, note):
    """That gives an empty text where there are no pages; note and question are handed over all the same."""
    return prompt(question, sources, note) if sources else ""


def prompt__texts_stripped(question, sources, note):
    """That cuts spaces and line breaks at the ends of the texts; they are taken as they are."""
    prompt(question, sources, note)
    return prompt(question, [{**source, "text": source["text"].strip()} for source in sources], note)


def prompt__stripped_at_the_ends(question, sources, note):
    """That cuts spaces at the two ends of the prompt; note and question are taken as they are."""
    return prompt(question, sources, note).strip()


def prompt__all_stripped(question, sources, note):
    """That strips note, texts and question; they are taken as they are."""
    return prompt__texts_stripped(question.strip(), sources, note.strip())


def prompt__white_space(question, sources, note):
    """That makes one space of line breaks and runs of spaces in a text; texts are taken as they are."""
    prompt(question, sources, note)
    return prompt(question, [{**source, "text": " ".join(source["text"].split())} for source in sources], note)


def prompt__any_source(question, sources, note):
    """That raises KeyError where a source has no text; what is no source is refused with ValueError."""
    made = [f"{label(number, source['document'], source['page'])}\n{source['text']}"
            for number, source in enumerate(sources, 1)]
    return "\n\n".join([*([note] if note else []), *made, f"Question: {question}"])


def prompt__gaps(question, sources, note):
    """That leaves a gap where a source lacks something; what is no source is refused with ValueError."""
    made = [f"{label(number, source.get('document', ''), source.get('page', 1))}\n{source.get('text', '')}"
            for number, source in enumerate(sources, 1)]
    return "\n\n".join([*([note] if note else []), *made, f"Question: {question}"])


def prompt__skips(question, sources, note):
    """That leaves out a source that lacks something; what is no source is refused with ValueError."""
    whole = [source for source in sources if {"document", "page", "text"} <= source.keys() and source["page"] > 0]
    return prompt(question, whole, note)


def prompt__page_0(question, sources, note):
    """That writes the label by itself and takes a page 0; `label` refuses it."""
    prompt(question, [{**source, "page": source["page"] or 1} if "page" in source else source for source in sources],
           note)
    made = [f"[{number}] {source['document']}, page {source['page']}\n{source['text']}"
            for number, source in enumerate(sources, 1)]
    return "\n\n".join([*([note] if note else []), *made, f"Question: {question}"])
