"""Common mistakes in the tasks filters.*, each with the sentence that a learner reads."""

import heapq
import math

import numpy as np

from firstprinciples.index.conditions import first_day, is_date, is_number, last_day
from firstprinciples.index.filters import how_many_to_fetch, matches, post_filter, pre_filter, within


def _compared(value, limits):
    """Return (low, first, last, high), ready to be compared: the value lies in the range if low <= first and last <=
    high. None where the value is of another kind. Refuses what `within` refuses."""
    within(value, limits)
    if is_date(next(iter(limits.values()))):
        low = first_day(limits["from"]) if "from" in limits else "0"
        high = last_day(limits["to"]) if "to" in limits else "9999-99"
        return (low, first_day(value), last_day(value), high) if is_date(value) else None
    low, high = limits.get("from", -math.inf), limits.get("to", math.inf)
    return (low, value, value, high) if is_number(value) else None


def within__exclusive_ends(value, limits):
    """That leaves both ends out; a range from 10 to 20 holds 10 and 20, too."""
    low, first, last, high = _compared(value, limits) or (1, 0, 0, 0)
    return low < first and last < high


def within__end_left_out(value, limits):
    """That leaves the upper end out, as Python's `range` does; this range holds it, too."""
    low, first, last, high = _compared(value, limits) or (1, 0, 0, 0)
    return low <= first and last < high


def within__beginning_left_out(value, limits):
    """That leaves the lower end out; a range from 10 holds 10, too."""
    low, first, last, high = _compared(value, limits) or (1, 0, 0, 0)
    return low < first and last <= high


def within__one_end_is_enough(value, limits):
    """That is content when one of the ends holds; a value lies in a range if it is neither below nor above."""
    within(value, limits)
    return any(within(value, {key: end}) for key, end in limits.items())


def within__both_ends_needed(value, limits):
    """That says False where an end is left out; then the range is open on that side."""
    return within(value, limits) and len(limits) == 2


def within__zero_is_no_end(value, limits):
    """That takes an end of 0 for one that is left out; ask whether it `is None`, or whether the key is there."""
    found = _compared(value, limits)
    if found is None:
        return False
    low, first, last, high = found
    return (not limits.get("from") or low <= first) and (not limits.get("to") or last <= high)


def within__numbers_as_text(value, limits):
    """That compares numbers as text, and "9" stands behind "10"; compare numbers as numbers."""
    if not all(map(is_number, (value, *limits.values()))):
        return within(value, limits)
    within(value, limits)
    return str(limits.get("from", "")) <= str(value) <= str(limits.get("to", "z"))


def within__plain_text_of_dates(value, limits):
    """That compares dates as they are written: then "2024-03-31" is after "2024-03", though the day is in that month.
    """
    if not all(map(is_date, (value, *limits.values()))):
        return within(value, limits)
    within(value, limits)
    return limits.get("from", "") <= value <= limits.get("to", "9")


def within__end_is_its_first_day(value, limits):
    """That makes "2024-03" the first of March at both ends; as the end of a range it is the last day of March."""
    low, first, last, high = _compared(value, limits) or (1, 0, 0, 0)
    return low <= first and last <= (first_day(limits["to"]) if is_date(limits.get("to")) else high)


def within__a_part_is_enough(value, limits):
    """That lets a month in if one of its days is in the range; it lies there only if all of its days do."""
    low, first, last, high = _compared(value, limits) or (1, 0, 0, 0)
    return low <= last and first <= high


def within__month_by_its_first_day(value, limits):
    """That takes a record of "2024-03" for the first of March; nobody knows the day, so the whole month must be in."""
    low, first, last, high = _compared(value, limits) or (1, 0, 0, 0)
    return low <= first <= high


def within__all_months_have_31_days(value, limits):
    """That ends every month on the 31st; April has 30 days, and February 28 or 29."""
    low, first, last, high = _compared(value, limits) or (1, 0, 0, 0)
    return low <= first and (last[:7] + "-31" if is_date(value) and len(value) == 7 else last) <= high


def within__no_leap_years(value, limits):
    """That ends every February on the 28th; in a leap year it has 29 days, and `calendar.monthrange` knows."""
    low, first, last, high = _compared(value, limits) or (1, 0, 0, 0)
    last, high = (str(end).replace("-02-29", "-02-28") if end == last_day(str(whole)) and whole != end else end
                  for end, whole in ((last, value), (high, limits.get("to"))))
    return low <= first and last <= high


def within__other_kinds_raise(value, limits):
    """That compares a text with a number, or None with anything, and Python raises; such a value is outside the range.
    """
    for end in limits.values():
        value < end  # noqa: B015  (raises for two kinds)
    return within(value, limits)


def within__years_as_numbers(value, limits):
    """That takes the number 2024 for a date; dates are strings, and a number does not lie among them."""
    return within(value, limits) or type(value) is int and is_date(str(value)) and within(str(value), limits)


def within__any_text_is_a_date(value, limits):
    """That compares any text with dates, and "later" stands behind "2023"; what is no date lies in no range of dates.
    """
    if not isinstance(value, str) or is_date(value) or not all(map(is_date, limits.values())):
        return within(value, limits)
    return limits.get("from", "") <= value <= limits.get("to", "z")


def within__true_is_1(value, limits):
    """That takes True for the number 1, as Python does; it is an answer to yes or no, and lies in no range."""
    return within(int(value) if isinstance(value, bool) else value, limits)


def within__kinds_may_differ(value, limits):
    """That accepts a range from a number to a date; nothing could lie in it, so refuse it."""
    return len({type(end) is str for end in limits.values()}) < 2 and within(value, limits)


def within__reversed_is_empty(value, limits):
    """That finds nothing in a range that ends before it begins; most likely the two are exchanged, so refuse it."""
    for key, end in limits.items():
        within(value, {key: end})
    if set(limits) == {"from", "to"} and type(limits["from"]) is type(limits["to"]) and limits["from"] > limits["to"]:
        return False
    return within(value, limits)


def within__reversed_as_text(value, limits):
    """That refuses a range from "2024-03-15" to "2024-03", since the text is smaller; it ends on March 31."""
    if set(limits) == {"from", "to"} and type(limits["from"]) is type(limits["to"]) and limits["from"] > limits["to"]:
        raise ValueError("reversed")
    return within(value, limits)


def within__no_range_holds_all(value, limits):
    """That lets everything in where no end is given, or another key; such a thing is no range, so refuse it."""
    known = {key: end for key, end in limits.items() if key in ("from", "to")}
    return within(value, known) if known else True


def matches__any_field(metadata, where):
    """That is content when one of the fields holds; all of them must."""
    return matches(metadata, {}) if not where else any([matches(metadata, {f: c}) for f, c in where.items()])


def matches__first_field_only(metadata, where):
    """That returns after the first field; go on with the others unless it fails."""
    found = matches(metadata, where)
    return next((matches(metadata, {field: where[field]}) for field in where), found)


def matches__last_field_only(metadata, where):
    """That keeps what the last field says and forgets the ones before it; all of them must hold."""
    found = matches(metadata, where)
    return next((matches(metadata, {field: where[field]}) for field in reversed(where)), found)


def matches__missing_field_matches(metadata, where):
    """That lets a record through that lacks the field; what isn't there can't equal anything."""
    matches(metadata, where)
    return matches(metadata, {f: c for f, c in where.items() if metadata.get(f) is not None})


def matches__missing_field_raises(metadata, where):
    """That looks a field up with [ ] and raises where the record lacks it; use `get`, and let it not match."""
    for field in where:
        metadata[field]
    return matches(metadata, where)


def matches__zero_is_missing(metadata, where):
    """That takes 0 or False for a field that is missing; ask whether the value is None."""
    return matches({field: value for field, value in metadata.items() if value or isinstance(value, list)}, where)


def matches__wanted_list_as_a_whole(metadata, where):
    """That compares the value with the whole list in the condition; it has to equal one of its values."""
    return matches(metadata, where) and all(metadata.get(f) == c for f, c in where.items() if isinstance(c, list))


def matches__record_list_as_a_whole(metadata, where):
    """That compares a record's list as a whole; the record matches if one of its values does."""
    return matches(metadata, where) and not any(isinstance(metadata[f], list) and metadata[f] != c
                                                for f, c in where.items())


def matches__all_values_of_the_record(metadata, where):
    """That asks for all of a record's values; the record matches if one of them does."""
    found = matches(metadata, where)
    return found and all(matches({f: value}, {f: c}) for f, c in where.items()
                         for value in (metadata[f] if isinstance(metadata[f], list) else [metadata[f]]))


def matches__first_value_of_the_record(metadata, where):
    """That looks at the first value of a record's list; any of them may match."""
    matches(metadata, where)
    return matches({f: value[0] if isinstance(value, list) else value for f, value in metadata.items()}, where)


def matches__all_of_the_wanted(metadata, where):
    """That asks a record for all values of the list in the condition; one of them is enough."""
    return matches(metadata, where) and all(matches(metadata, {f: value}) for f, c in where.items()
                                            if isinstance(c, list) for value in c)


def matches__ends_by_different_values(metadata, where):
    """That holds one of the record's dates against `from` and another against `to`; one of them must lie within both.
    """
    matches(metadata, where)
    return all(all(matches(metadata, {f: {key: end}}) for key, end in c.items()) if isinstance(c, dict)
               else matches(metadata, {f: c}) for f, c in where.items())


def matches__part_of_the_text(metadata, where):
    """That asks with `in` whether the wanted text stands somewhere in the value; they have to be equal."""
    return matches(metadata, where) or all(
        isinstance(metadata.get(f), str) and isinstance(c, str) and c in metadata[f] or matches(metadata, {f: c})
        for f, c in where.items())


def matches__value_in_the_wanted(metadata, where):
    """That asks with `in` whether the value stands somewhere in the wanted text; `in` is for lists, here they must be
    equal."""
    return matches(metadata, where) or all(
        isinstance(metadata.get(f), str) and isinstance(c, str) and metadata[f] in c or matches(metadata, {f: c})
        for f, c in where.items())


def matches__capitals_ignored(metadata, where):
    """That makes all letters small first; equal is equal, to the letter."""
    def small(value):
        if isinstance(value, list):
            return [small(each) for each in value]
        return value.lower() if isinstance(value, str) else value

    matches(metadata, where)
    return matches({f: small(v) for f, v in metadata.items()}, {f: small(c) for f, c in where.items()})


def matches__as_text(metadata, where):
    """That makes text of everything before it compares; the number 3 is not the text "3"."""
    def text(value):
        if isinstance(value, list):
            return [text(each) for each in value]
        return value if isinstance(value, dict) or value is None else str(value)

    found = matches(metadata, where)
    if any(isinstance(c, dict) for c in where.values()):
        return found
    return matches({f: text(v) for f, v in metadata.items()}, {f: text(c) for f, c in where.items()})


def matches__true_is_1(metadata, where):
    """That compares with == alone, and in Python 1 == True; a truth value is no number."""
    matches(metadata, where)
    return matches({f: int(v) if isinstance(v, bool) else v for f, v in metadata.items()},
                   {f: int(c) if isinstance(c, bool) else c for f, c in where.items()})


def matches__exclusive_range(metadata, where):
    """That leaves the ends of a range out; they belong to it."""
    found = matches(metadata, where)
    return found and not any(metadata.get(f) in c.values() for f, c in where.items()
                             if isinstance(c, dict) and not isinstance(metadata.get(f), list))


def matches__range_as_a_value(metadata, where):
    """That compares a value with the dict of a range; ask whether it lies between its ends."""
    return matches(metadata, where) and not any(isinstance(c, dict) for c in where.values())


def matches__ranges_ignored(metadata, where):
    """That looks at values and lists only and passes over a range; it is a condition like the others."""
    matches(metadata, where)
    return matches(metadata, {f: c for f, c in where.items() if not isinstance(c, dict)})


def matches__the_whole_record(metadata, where):
    """That wants the record to have no other fields; only those in the condition are asked about."""
    return matches(metadata, where) and set(metadata) == set(where)


def matches__empty_condition_fails(metadata, where):
    """That says False where nothing is asked for; an empty condition lets every record through."""
    return matches(metadata, where) and bool(where)


def matches__empty_list_is_false(metadata, where):
    """That takes an empty list for a condition that fails; nobody asks for nothing on purpose, so refuse it."""
    return [] not in where.values() and matches(metadata, where)


def matches__inverted(metadata, where):
    """That says True for the records that do not match; there may be a `not` too many."""
    return not matches(metadata, where)


def pre_filter__position_in_the_subset(query, vectors, allowed, k):
    """That counts positions among the allowed vectors; the caller knows them by their places among all."""
    places = {position: place for place, position in enumerate(np.flatnonzero(allowed).tolist())}
    return [(places[position], similarity) for position, similarity in pre_filter(query, vectors, allowed, k)]


def pre_filter__allowed_ignored(query, vectors, allowed, k):
    """That never looks at `allowed`; only the vectors for which it is True take part."""
    pre_filter(query, vectors, allowed, k)
    return pre_filter(query, vectors, [True] * len(vectors), k)


def pre_filter__inverted(query, vectors, allowed, k):
    """That compares the vectors that are not allowed; True means that a vector takes part."""
    return pre_filter(query, vectors, [not good for good in allowed], k)


def pre_filter__cut_before(query, vectors, allowed, k):
    """That takes the k most similar of all and drops what is not allowed: that filters after the search, and is short.
    """
    pre_filter(query, vectors, allowed, k)
    return [pair for pair in pre_filter(query, vectors, [True] * len(vectors), k) if allowed[pair[0]]]


def pre_filter__others_are_zero(query, vectors, allowed, k):
    """That sets the similarity of the others to 0 and leaves them in the list; there they beat what is below 0."""
    pre_filter(query, vectors, allowed, k)
    values = np.where(allowed, np.asarray(vectors) @ np.asarray(query), 0.0)
    order = np.argsort(-values, kind="stable")[:k]
    return [(i, values[i]) for i in order]


def pre_filter__others_at_minus_one(query, vectors, allowed, k):
    """That sets the similarity of the others to -1 and leaves them in the list; there they fill up what is short."""
    pre_filter(query, vectors, allowed, k)
    values = np.where(allowed, np.asarray(vectors) @ np.asarray(query), -1.0)
    order = np.argsort(-values, kind="stable")[:k]
    return [(i, values[i]) for i in order]


def pre_filter__filled_up(query, vectors, allowed, k):
    """That fills a short list up with vectors that are not allowed; a shorter list is the right answer."""
    found = pre_filter(query, vectors, allowed, k)
    others = pre_filter(query, vectors, [not good for good in allowed], k)
    return [*found, *others][:k]


def pre_filter__below_zero_dropped(query, vectors, allowed, k):
    """That drops what is 0 or below; a vector search gives as many as it is asked for, however unlike they are."""
    return [pair for pair in pre_filter(query, vectors, allowed, k) if pair[1] > 0]


def pre_filter__worst_first(query, vectors, allowed, k):
    """That puts the least similar first; sort by the similarity descending."""
    found = pre_filter(query, vectors, allowed, len(vectors))
    return sorted(found, key=lambda pair: (pair[1], pair[0]))[: len(pre_filter(query, vectors, allowed, k))]


def pre_filter__unsorted(query, vectors, allowed, k):
    """That takes the first k that are allowed in the order in which they stand; the most similar are asked for."""
    return sorted(pre_filter(query, vectors, allowed, k and len(vectors)))[:k] if k > 0 else pre_filter(
        query, vectors, allowed, k)


def pre_filter__distance(query, vectors, allowed, k):
    """That returns distances, 1 - similarity; the similarity is asked for."""
    return [(position, 1 - similarity) for position, similarity in pre_filter(query, vectors, allowed, k)]


def pre_filter__similarity_first(query, vectors, allowed, k):
    """That returns (similarity, position); the position comes first."""
    return [(similarity, position) for position, similarity in pre_filter(query, vectors, allowed, k)]


def pre_filter__ties_from_behind(query, vectors, allowed, k):
    """That turns an ascending sort around, and equal ones with it; they are ordered by position, ascending."""
    pre_filter(query, vectors, allowed, k)
    found = pre_filter(query, vectors, allowed, len(vectors))
    return sorted(found, key=lambda pair: (pair[1], pair[0]), reverse=True)[:k]


def pre_filter__all_of_them(query, vectors, allowed, k):
    """That returns all that are allowed; cut the list to k."""
    pre_filter(query, vectors, allowed, k)
    return pre_filter(query, vectors, allowed, len(vectors))


def pre_filter__normalized_as_one(query, vectors, allowed, k):
    """That divides by the length of the whole table; the vectors have length 1 each, and nothing is left to divide by.
    """
    chosen = np.asarray(vectors)[np.asarray(allowed)] if len(allowed) == len(vectors) else []
    length = float(np.linalg.norm(chosen)) or 1.0
    return [(position, similarity / length) for position, similarity in pre_filter(query, vectors, allowed, k)]


def pre_filter__shorter_counts(query, vectors, allowed, k):
    """That goes as far as the shorter of the two lists; where `allowed` has another length, refuse it."""
    n = min(len(allowed), len(vectors))
    return pre_filter(query, vectors[:n], allowed[:n], k)


def pre_filter__k_0_accepted(query, vectors, allowed, k):
    """That gives a list for k below 1; refuse it."""
    return pre_filter(query, vectors, allowed, k) if k > 0 else []


def how_many_to_fetch__times(k, share):
    """That multiplies by the share; the rarer the matches, the more has to be fetched, so divide."""
    how_many_to_fetch(k, share)
    return math.ceil(k * share)


def how_many_to_fetch__rounded_down(k, share):
    """That rounds down, and then a part of a match is missing; round up."""
    how_many_to_fetch(k, share)
    return math.floor(k / share)


def how_many_to_fetch__to_the_nearest(k, share):
    """That rounds to the nearest whole number; 2.5 results are not enough if 2 are fetched, so round up."""
    how_many_to_fetch(k, share)
    return round(k / share)


def how_many_to_fetch__not_rounded(k, share):
    """That gives a number with a part behind the point; nothing can be fetched by halves, so round up."""
    how_many_to_fetch(k, share)
    return k / share


def how_many_to_fetch__rounded_too_early(k, share):
    """That rounds 1 / share up before it multiplies by k; round the product once."""
    how_many_to_fetch(k, share)
    return k * math.ceil(1 / share)


def how_many_to_fetch__one_more(k, share):
    """That adds 1 to be sure, also where k / share is a whole number; round up, and that is all."""
    how_many_to_fetch(k, share)
    return int(k / share) + 1


def how_many_to_fetch__what_is_dropped(k, share):
    """That divides by 1 - share, the part that is dropped; divide by the part that stays."""
    how_many_to_fetch(k, share)
    return math.ceil(k / (1 - share)) if share < 1 else 10**9


def how_many_to_fetch__just_k(k, share):
    """That fetches k; of these only the share matches."""
    how_many_to_fetch(k, share)
    return k


def how_many_to_fetch__k_more(k, share):
    """That adds to k what drops out of the first k; of those added ones a part drops out, too. Divide by the share."""
    how_many_to_fetch(k, share)
    return k + math.ceil(k * (1 - share))


def how_many_to_fetch__division_by_zero(k, share):
    """That divides by a share of 0 and stops with ZeroDivisionError; refuse such a share with ValueError."""
    return math.ceil(k / share) if share == 0 else how_many_to_fetch(k, share)


def how_many_to_fetch__no_share_is_all(k, share):
    """That gives a number for a share of 0 or below; however much is fetched, nothing matches. Refuse it."""
    return k if share <= 0 else how_many_to_fetch(k, share)


def how_many_to_fetch__percent(k, share):
    """That accepts a share above 1; whoever writes 50 means 0.5, and has to be told."""
    return math.ceil(k / share) if share > 1 else how_many_to_fetch(k, share)


def how_many_to_fetch__k_0_accepted(k, share):
    """That gives a number for k below 1; refuse it."""
    return how_many_to_fetch(k, share) if k > 0 else 0


def post_filter__cut_first(ranked, allowed, k):
    """That cuts the list to k before it drops anything; drop first, then cut, or matches further down are lost."""
    post_filter(ranked, allowed, k)
    return post_filter(ranked[:k], allowed, k)


def post_filter__missing_of_the_matching(ranked, allowed, k):
    """That counts the matching records which were not found; missing counts what lacks of the k asked for."""
    found = post_filter(ranked, allowed, k)["found"]
    return {"found": found, "missing": max(0, int(sum(allowed)) - len(found))}


def post_filter__missing_up_to_the_matching(ranked, allowed, k):
    """That takes k for the number of matching records where those are fewer; missing is k minus how many were found,
    whatever there is to find."""
    found = post_filter(ranked, allowed, k)["found"]
    return {"found": found, "missing": min(k, int(sum(allowed))) - len(found)}


def post_filter__missing_is_what_was_dropped(ranked, allowed, k):
    """That counts the results which were dropped; missing is k minus how many are left."""
    found = post_filter(ranked, allowed, k)
    return {"found": found["found"], "missing": sum(not allowed[position] for position, _ in ranked)}


def post_filter__missing_is_what_was_found(ranked, allowed, k):
    """That counts what was found; missing is k minus that."""
    found = post_filter(ranked, allowed, k)["found"]
    return {"found": found, "missing": len(found)}


def post_filter__nothing_is_missing(ranked, allowed, k):
    """That never says that the list is short; missing is k minus how many were found."""
    return {"found": post_filter(ranked, allowed, k)["found"], "missing": 0}


def post_filter__missing_below_zero(ranked, allowed, k):
    """That counts all that match against k, and goes below 0 where there are more; cut to k first."""
    found = post_filter(ranked, allowed, k)["found"]
    return {"found": found, "missing": k - sum(bool(allowed[position]) for position, _ in ranked)}


def post_filter__not_cut(ranked, allowed, k):
    """That returns all that are allowed; cut the list to k."""
    done = post_filter(ranked, allowed, k)
    return {"found": [pair for pair in ranked if allowed[pair[0]]], "missing": done["missing"]}


def post_filter__inverted(ranked, allowed, k):
    """That keeps what is not allowed; True means that a record stays."""
    return post_filter(ranked, [not good for good in allowed], k)


def post_filter__by_place_in_the_list(ranked, allowed, k):
    """That asks `allowed` about the place in the ranked list; it speaks of the position, the first of each pair."""
    post_filter(ranked, allowed, k)
    found = [pair for pair, good in zip(ranked, allowed, strict=False) if good][:k]
    return {"found": found, "missing": k - len(found)}


def post_filter__places_for_positions(ranked, allowed, k):
    """That returns the place in the ranked list where the position belongs."""
    done = post_filter(ranked, allowed, k)
    places = {position: place for place, (position, _) in enumerate(ranked)}
    return {**done, "found": [(places[position], similarity) for position, similarity in done["found"]]}


def post_filter__sorted_by_position(ranked, allowed, k):
    """That puts what is left in the order of positions; leave it in the order in which it was ranked."""
    done = post_filter(ranked, allowed, k)
    return {**done, "found": sorted(done["found"])}


def post_filter__positions_only(ranked, allowed, k):
    """That drops the similarities; return the pairs as they stood."""
    done = post_filter(ranked, allowed, k)
    return {**done, "found": [position for position, _ in done["found"]]}


def post_filter__stops_at_the_first_dropped(ranked, allowed, k):
    """That stops at the first result that is not allowed; pass over it and go on."""
    post_filter(ranked, allowed, k)
    end = next((place for place, (position, _) in enumerate(ranked) if not allowed[position]), len(ranked))
    return post_filter(ranked[:end], allowed, k)


def post_filter__list_only(ranked, allowed, k):
    """That returns the list alone; the caller has to hear how many are missing, too."""
    return post_filter(ranked, allowed, k)["found"]


def post_filter__beyond_is_dropped(ranked, allowed, k):
    """That drops a position of which `allowed` says nothing; the two do not belong together, so refuse them."""
    return post_filter([pair for pair in ranked if 0 <= pair[0] < len(allowed)], allowed, k)


def post_filter__beyond_is_an_index_error(ranked, allowed, k):
    """That looks a position up which `allowed` does not have; refuse it with ValueError, also one below 0."""
    for position, _ in ranked:
        allowed[position]
    return post_filter([(position % len(allowed), similarity) for position, similarity in ranked], allowed, k)


def post_filter__k_0_accepted(ranked, allowed, k):
    """That gives a list for k below 1; refuse it."""
    return post_filter(ranked, allowed, k) if k > 0 else {"found": [], "missing": 0}


def _walk(query, entry_points, ef, vectors, layer, allowed, *, through=True, bound="allowed", keep="allowed", ends=True,
          entries="all", first_stop=False, cut=True, wait=True):
    """Walk as `search_layer_filtered` does, or, with one of the settings after `*`, not quite so."""
    if ef < 1 or len(allowed) != len(vectors):
        raise ValueError("ef, allowed")
    far = [max(0.0, 1 - float(np.dot(row, query))) for row in vectors]
    entry_points = [int(i) for i in entry_points][: None if entries != "first" else 1]
    seen, waiting = set(entry_points), [(far[i], i) for i in entry_points]
    heapq.heapify(waiting)
    within_reach = sorted(pair for pair in waiting if bound == "all" or allowed[pair[1]])
    results = sorted(pair for pair in waiting if entries != "none" and (entries == "kept" or allowed[pair[1]]))
    while waiting:
        distance, i = heapq.heappop(waiting)
        full = len(within_reach) >= (ef if wait else 1)
        if ends and full and distance > within_reach[0 if first_stop else -1][0]:
            break
        for j in layer[i]:
            if j in seen:
                continue
            seen.add(j)
            if not through and not allowed[j]:
                continue
            if not ends or len(within_reach) < ef or far[j] < within_reach[ef - 1][0]:
                heapq.heappush(waiting, (far[j], j))
                if bound == "all" or allowed[j]:
                    within_reach = sorted([*within_reach, (far[j], j)])[:ef]
                if keep == "all" or allowed[j]:
                    results = sorted([*results, (far[j], j)])
    if bound == "all":
        return [pair for pair in within_reach if keep == "all" or allowed[pair[1]]]
    return results[:ef] if cut else results


def search_layer_filtered__not_walked_through(query, entry_points, ef, vectors, layer, allowed):
    """That does not step on nodes which are not allowed, and the walk is cut off; step on them, but do not keep them.
    """
    return _walk(query, entry_points, ef, vectors, layer, allowed, through=False)


def search_layer_filtered__filtered_at_the_end(query, entry_points, ef, vectors, layer, allowed):
    """That lets nodes which are not allowed take places among the ef results and drops them at the end: the walk is
    over before enough of the others are found."""
    return _walk(query, entry_points, ef, vectors, layer, allowed, bound="all")


def search_layer_filtered__allowed_ignored(query, entry_points, ef, vectors, layer, allowed):
    """That never looks at `allowed`; a node that is not allowed is walked through and left out of the results."""
    return _walk(query, entry_points, ef, vectors, layer, allowed, bound="all", keep="all")


def search_layer_filtered__inverted(query, entry_points, ef, vectors, layer, allowed):
    """That keeps the nodes which are not allowed; True means that a node may be a result."""
    return _walk(query, entry_points, ef, vectors, layer, [not good for good in allowed])


def search_layer_filtered__entries_always_kept(query, entry_points, ef, vectors, layer, allowed):
    """That keeps the entry points among the results also where they are not allowed."""
    return _walk(query, entry_points, ef, vectors, layer, allowed, entries="kept")


def search_layer_filtered__entries_never_kept(query, entry_points, ef, vectors, layer, allowed):
    """That starts from the entry points and forgets them; one that is allowed is a result like the others."""
    return _walk(query, entry_points, ef, vectors, layer, allowed, entries="none")


def search_layer_filtered__first_entry_only(query, entry_points, ef, vectors, layer, allowed):
    """That starts from the first entry point only; start from all of them."""
    return _walk(query, entry_points, ef, vectors, layer, allowed, entries="first")


def search_layer_filtered__never_ends_early(query, entry_points, ef, vectors, layer, allowed):
    """That walks on until no node is left: that is exact search with a detour. End the walk when ef results are found
    and the nearest node left is further off than the worst of them."""
    return _walk(query, entry_points, ef, vectors, layer, allowed, ends=False)


def search_layer_filtered__looks_at_all(query, entry_points, ef, vectors, layer, allowed):
    """That compares the query with every vector that is allowed; a walk finds only nodes to which links lead."""
    _walk(query, entry_points, ef, vectors, layer, allowed)
    far = sorted((max(0.0, 1 - float(np.dot(row, query))), i) for i, row in enumerate(vectors) if allowed[i])
    return far[:ef]


def search_layer_filtered__ends_at_the_best(query, entry_points, ef, vectors, layer, allowed):
    """That ends the walk when the next node is further off than the best result; compare it with the worst of them."""
    return _walk(query, entry_points, ef, vectors, layer, allowed, first_stop=True)


def search_layer_filtered__does_not_wait_for_ef(query, entry_points, ef, vectors, layer, allowed):
    """That ends the walk while there are fewer than ef results. Without a condition every node on the way is a result,
    and ef are soon there; here ask first whether there are ef."""
    return _walk(query, entry_points, ef, vectors, layer, allowed, wait=False)


def search_layer_filtered__not_cut(query, entry_points, ef, vectors, layer, allowed):
    """That keeps all results it came by; when there are more than ef, drop the furthest."""
    return _walk(query, entry_points, ef, vectors, layer, allowed, cut=False)


def search_layer_filtered__neighbors_only(query, entry_points, ef, vectors, layer, allowed):
    """That looks at the neighbors of the entry points and no further; each of those has neighbors, too."""
    near = {j: layer[j] if j in entry_points else [] for j in layer}
    return _walk(query, entry_points, ef, vectors, near, allowed)


def search_layer_filtered__similarity(query, entry_points, ef, vectors, layer, allowed):
    """That returns similarities; a distance, 1 - similarity, is asked for."""
    return [(1 - distance, i) for distance, i in _walk(query, entry_points, ef, vectors, layer, allowed)]


def search_layer_filtered__position_first(query, entry_points, ef, vectors, layer, allowed):
    """That returns (position, distance); the distance comes first."""
    return [(i, distance) for distance, i in _walk(query, entry_points, ef, vectors, layer, allowed)]


def search_layer_filtered__furthest_first(query, entry_points, ef, vectors, layer, allowed):
    """That returns the heap of results as it is, the furthest on top; sort it, the nearest first."""
    return _walk(query, entry_points, ef, vectors, layer, allowed)[::-1]


def search_layer_filtered__ties_from_behind(query, entry_points, ef, vectors, layer, allowed):
    """That turns positions around to get the furthest on top, and leaves ties that way; equal ones go by position."""
    return sorted(_walk(query, entry_points, ef, vectors, layer, allowed), key=lambda pair: (pair[0], -pair[1]))


def search_layer_filtered__straight_line(query, entry_points, ef, vectors, layer, allowed):
    """That measures the straight line between the points; the distance here is 1 - their dot product."""
    return [(math.sqrt(2 * distance), i) for distance, i in _walk(query, entry_points, ef, vectors, layer, allowed)]


def search_layer_filtered__ef_0_accepted(query, entry_points, ef, vectors, layer, allowed):
    """That gives an empty list for an ef below 1; refuse it."""
    return _walk(query, entry_points, ef, vectors, layer, allowed) if ef > 0 else []


def search_layer_filtered__short_allowed_accepted(query, entry_points, ef, vectors, layer, allowed):
    """That takes nodes of which `allowed` says nothing for not allowed; refuse what does not fit."""
    return _walk(query, entry_points, ef, vectors, layer, [*allowed, *[False] * (len(vectors) - len(allowed))])
