"""Common mistakes in the tasks chunking.*, each with the sentence that a learner reads.

Each follows the reference but for the one thing that its sentence names.
"""

import re

import numpy as np

from firstprinciples.ingest.chunking import (
    breaks,
    distances,
    fixed,
    headings,
    packed,
    quote_survives,
    sections,
    to_parents,
    windows,
)


def _one_line(text):
    """Return a text with every run of white space as one space."""
    return " ".join(text.split())


def _quote(quote):
    """Refuse an empty quote; return it on one line."""
    quote_survives("", [], quote)
    return _one_line(quote)


def quote_survives__white_space_as_it_is(text, spans, quote):
    """That compares white space as it is: a line break where the quote has a blank is no difference."""
    _quote(quote)
    return any(quote in text[start:end] for start, end in spans)


def quote_survives__quote_as_it_is(text, spans, quote):
    """That puts the text on one line and leaves the quote as it is; do the same with both."""
    _quote(quote)
    return any(quote in _one_line(text[start:end]) for start, end in spans)


def quote_survives__text_as_it_is(text, spans, quote):
    """That puts the quote on one line and leaves the text as it is; do the same with both."""
    return any(_quote(quote) in text[start:end] for start, end in spans)


def quote_survives__white_space_taken_out(text, spans, quote):
    """That takes all white space out, so that "the rapist" holds "therapist"; a run of it counts as one space."""
    quote = _quote(quote).replace(" ", "")
    return any(quote in "".join(text[start:end].split()) for start, end in spans)


def quote_survives__blanks_only(text, spans, quote):
    """That takes only blanks for white space; line breaks are white space too, as `split()` without arguments knows."""
    _quote(quote)
    quote = re.sub(" +", " ", quote).strip()
    return any(quote in re.sub(" +", " ", text[start:end]) for start, end in spans)


def quote_survives__text_tidied_first(text, spans, quote):
    """That tidies the whole text before it takes the span out; offsets count the characters of the text as it is."""
    quote, text = _quote(quote), _one_line(text)
    return any(quote in text[start:end] for start, end in spans)


def quote_survives__any_case(text, spans, quote):
    """That makes capital letters small; "No" and "no" are two words here."""
    quote = _quote(quote).lower()
    return any(quote in _one_line(text[start:end]).lower() for start, end in spans)


def quote_survives__anywhere_in_the_text(text, spans, quote):
    """That looks in the whole text; the quote has to stand in one of the spans."""
    return _quote(quote) in _one_line(text)


def quote_survives__all_spans(text, spans, quote):
    """That wants the quote in every span; one that holds it is enough: `any`, not `all`."""
    quote = _quote(quote)
    return all(quote in _one_line(text[start:end]) for start, end in spans)


def quote_survives__first_span_only(text, spans, quote):
    """That answers after the first span; return False only when all have been looked at."""
    quote = _quote(quote)
    return any(quote in _one_line(text[start:end]) for start, end in spans[:1])


def quote_survives__last_span_decides(text, spans, quote):
    """That keeps the answer of the last span; stop at the first that holds the quote."""
    quote = _quote(quote)
    return any(quote in _one_line(text[start:end]) for start, end in spans[-1:])


def quote_survives__spans_joined(text, spans, quote):
    """That joins the spans again before it looks; a quote that two of them hold half each is in no chunk."""
    return _quote(quote) in _one_line(" ".join(text[start:end] for start, end in spans))


def quote_survives__one_letter_more(text, spans, quote):
    """That reads one character beyond the end of a span; text[start:end] stops before `end`."""
    quote = _quote(quote)
    return any(quote in _one_line(text[start:end + 1]) for start, end in spans)


def quote_survives__one_letter_less(text, spans, quote):
    """That reads one character too few; text[start:end] goes right up to `end`, which is beyond the last one."""
    quote = _quote(quote)
    return any(quote in _one_line(text[start:end - 1]) for start, end in spans)


def quote_survives__its_words(text, spans, quote):
    """That looks for the quote's words one by one; they must stand there together, in their order."""
    words = _quote(quote).split()
    return any(all(word in text[start:end].split() for word in words) for start, end in spans)


def quote_survives__a_pattern(text, spans, quote):
    """That takes the quote for a pattern, in which a dot is any sign; `in` compares sign by sign."""
    pattern = re.compile(_quote(quote).replace(" ", r"\s+"))
    return any(pattern.search(text[start:end]) is not None for start, end in spans)


def quote_survives__its_first_place(text, spans, quote):
    """That looks at the first place of the quote in the text only; it may stand there twice, and be cut once."""
    match = re.search(r"\s+".join(map(re.escape, _quote(quote).split())), text)
    return match is not None and any(start <= match.start() and match.end() <= end for start, end in spans)


def quote_survives__its_beginning(text, spans, quote):
    """That is content when the quote begins in a span; all of it must be in there."""
    quote = _quote(quote)
    return any(start <= place < end for place in [_one_line(text).find(quote)] if place >= 0 for start, end in spans)


def quote_survives__empty_is_everywhere(text, spans, quote):
    """That finds an empty quote in every span; refuse it with ValueError."""
    return quote_survives(text, spans, quote) if quote.split() else True


def quote_survives__empty_is_nowhere(text, spans, quote):
    """That says that an empty quote is cut; refuse it with ValueError."""
    return bool(quote.split()) and quote_survives(text, spans, quote)


def quote_survives__how_many(text, spans, quote):
    """That counts the spans that hold the quote; True or False is asked for."""
    quote = _quote(quote)
    return sum(quote in _one_line(text[start:end]) for start, end in spans)


def _checked(n, size, overlap):
    """Refuse what the task refuses; return how far a window moves on."""
    windows(n, size, overlap)
    return size - overlap


def windows__last_dropped(n, size, overlap):
    """That makes full windows only and drops what is left at the end; the last window may be shorter."""
    step = _checked(n, size, overlap)
    return [(start, start + size) for start in range(0, n - size + 1, step)]


def windows__last_only_overlap(n, size, overlap):
    """That makes one more window from what the one before already holds; stop at the window that reaches n."""
    step = _checked(n, size, overlap)
    return [(start, min(start + size, n)) for start in range(0, n, step)]


def windows__short_text_lost(n, size, overlap):
    """That gives nothing where there are no more units than the overlap; they still make one short window."""
    step = _checked(n, size, overlap)
    return [(start, min(start + size, n)) for start in range(0, n - overlap, step)]


def windows__last_one_dropped_if_short(n, size, overlap):
    """That leaves out a last window that isn't full, unless it is the only one; every unit must be in a window."""
    found = windows(n, size, overlap)
    return found if len(found) == 1 else [(a, b) for a, b in found if b - a == size]


def windows__last_moved_back(n, size, overlap):
    """That moves the last window back until it is full; it begins size - overlap after the one before, and is short."""
    return [(max(min(a, n - size), 0), b) for a, b in windows(n, size, overlap)]


def windows__rest_joined(n, size, overlap):
    """That adds a short rest to the window before, which gets longer than `size`; the rest is a window of its own."""
    found = windows(n, size, overlap)
    if len(found) > 1 and found[-1][1] - found[-1][0] < size:
        found[-2:] = [(found[-2][0], n)]
    return found


def windows__beyond_the_end(n, size, overlap):
    """That lets the last window go beyond n; it ends at n."""
    return [(a, a + size) for a, _ in windows(n, size, overlap)]


def windows__beyond_the_end_and_once_more(n, size, overlap):
    """That starts a window at every step below n and gives each the full size; end at n, and stop once n is reached."""
    step = _checked(n, size, overlap)
    return [(start, start + size) for start in range(0, n, step)]


def windows__moves_by_size(n, size, overlap):
    """That moves on by `size`, so that nothing overlaps; the step is size - overlap."""
    _checked(n, size, overlap)
    return windows(n, size, 0)


def windows__moves_by_overlap(n, size, overlap):
    """That moves on by `overlap`; the step is size - overlap, and the overlap is what two windows share."""
    _checked(n, size, overlap)
    return windows(n, size, size - overlap) if 0 < overlap < size else windows(n, size, 0)


def windows__longer_by_the_overlap(n, size, overlap):
    """That makes windows of size + overlap that begin `size` apart; `size` counts the overlap in."""
    _checked(n, size, overlap)
    return windows(n, size + overlap, overlap)


def windows__overlap_on_both_sides(n, size, overlap):
    """That lets a window begin `overlap` before and end `overlap` behind its own share; it is `size` long in all."""
    _checked(n, size, overlap)
    return [(max(a - overlap, 0), min(a + size + overlap, n)) for a in range(0, n, size)]


def windows__overlap_one_more(n, size, overlap):
    """That shares overlap + 1 units: the window after (first, end) begins at end - overlap."""
    _checked(n, size, overlap)
    return windows(n, size, min(overlap + 1, size - 1))


def windows__overlap_one_less(n, size, overlap):
    """That shares overlap - 1 units: the window after (first, end) begins at end - overlap."""
    _checked(n, size, overlap)
    return windows(n, size, max(overlap - 1, 0))


def windows__last_one_included(n, size, overlap):
    """That gives the number of the last unit; the second number is one beyond it, as in a slice."""
    return [(a, b - 1) for a, b in windows(n, size, overlap)]


def windows__counted_from_1(n, size, overlap):
    """That counts units from 1; they are counted from 0."""
    return [(a + 1, b + 1) for a, b in windows(n, size, overlap)]


def windows__first_and_length(n, size, overlap):
    """That gives the first unit and how many there are; the second number is where the window ends."""
    return [(a, b - a) for a, b in windows(n, size, overlap)]


def windows__stops_one_early(n, size, overlap):
    """That stops when a window reaches n - 1, and loses the last unit; stop when its end is n."""
    found = windows(n, size, overlap)
    return next((found[:i + 1] for i, (_, end) in enumerate(found) if end >= n - 1), found)


def windows__nothing_is_a_window(n, size, overlap):
    """That makes an empty window of nothing; n = 0 gives []."""
    return windows(n, size, overlap) or [(0, 0)]


def windows__endless(n, size, overlap):
    """That gives no answer where overlap = size: each window begins where the last one did. Refuse with ValueError."""
    return windows(n, size, overlap) if overlap < size or size < 1 or overlap < 0 else None


def windows__larger_overlap_only(n, size, overlap):
    """That refuses an overlap beyond the size, and takes one that is equal to it, which never moves on either."""
    return windows(n, size, min(overlap, size - 1)) if overlap == size > 0 else windows(n, size, overlap)


def windows__range_decides(n, size, overlap):
    """That leaves the refusing to `range`, which minds a step of 0 only; refuse a larger overlap, and one below 0."""
    if 0 <= overlap < size:
        return windows(n, size, overlap)
    return [(start, min(start + size, n)) for start in range(0, n, size - overlap)]


def windows__nothing_refused(n, size, overlap):
    """That gives [] where it should refuse: raise ValueError unless 0 <= overlap < size."""
    return windows(n, size, overlap) if 0 <= overlap < size else []


def windows__overlap_below_0(n, size, overlap):
    """That takes an overlap below 0, which leaves units out between two windows; refuse it with ValueError."""
    if overlap < 0 < size:
        return [(start, min(start + size, n)) for start in range(0, n, size - overlap)]
    return windows(n, size, overlap)


def _spans(text):
    """Return the spans of the words."""
    return [match.span() for match in re.finditer(r"\S+", text)]


def fixed__last_dropped(text, size, overlap):
    """That makes full windows only and drops the words that are left; the last one may be shorter."""
    words = _spans(text)
    return [(words[a][0], words[b - 1][1]) for a, b in windows__last_dropped(len(words), size, overlap)]


def fixed__last_only_overlap(text, size, overlap):
    """That makes a last span of words which the one before already holds; stop once the last word is in."""
    words = _spans(text)
    return [(words[a][0], words[b - 1][1]) for a, b in windows__last_only_overlap(len(words), size, overlap)]


def fixed__characters(text, size, overlap):
    """That counts characters; `size` and `overlap` are numbers of words."""
    return windows(len(text), size, overlap)


def fixed__places_of_words(text, size, overlap):
    """That gives the numbers of the words; look up where in the text the first begins and the last ends."""
    return windows(len(text.split()), size, overlap)


def fixed__up_to_the_next_word(text, size, overlap):
    """That ends where the next word begins, with white space at the end; a span ends with its last word."""
    words = _spans(text)
    starts = [start for start, _ in words] + [len(text)]
    return [(starts[a], starts[b]) for a, b in windows(len(words), size, overlap)]


def fixed__from_the_word_before(text, size, overlap):
    """That begins where the word before ends, with white space in front; a span begins with its first word."""
    words = _spans(text)
    ends = [0] + [end for _, end in words]
    return [(ends[a], ends[b]) for a, b in windows(len(words), size, overlap)]


def fixed__start_of_the_last_word(text, size, overlap):
    """That ends where the last word begins; take the second number of its span, not the first."""
    words = _spans(text)
    return [(words[a][0], words[b - 1][0]) for a, b in windows(len(words), size, overlap)]


def fixed__one_word_less(text, size, overlap):
    """That ends one word early: the window (first, last + 1) ends with the word at last."""
    words = _spans(text)
    return [(words[a][0], words[max(b - 2, a)][1]) for a, b in windows(len(words), size, overlap)]


def fixed__one_word_more(text, size, overlap):
    """That ends one word late where there is one: the window (first, last + 1) ends with the word at last."""
    words = _spans(text)
    return [(words[a][0], words[min(b, len(words) - 1)][1]) for a, b in windows(len(words), size, overlap)]


def fixed__last_letter_included(text, size, overlap):
    """That gives the place of the last letter; the end is one beyond it, so that text[start:end] holds it."""
    return [(start, end - 1) for start, end in fixed(text, size, overlap)]


def fixed__joined_with_one_blank(text, size, overlap):
    """That counts places in " ".join(words); the spans are places in the text as it is, all its white space counted."""
    return fixed(_one_line(text), size, overlap)


def fixed__split_at_each_blank(text, size, overlap):
    """That splits at each single blank: two blanks make an empty word, and a line break none. Words are runs of \\S."""
    fixed("", size, overlap)
    spans, place = [], 0
    for word in text.split(" ") if text else []:
        spans.append((place, place + len(word)))
        place += len(word) + 1
    return [(spans[a][0], spans[b - 1][1]) for a, b in windows(len(spans), size, overlap)]


def fixed__tabs_are_letters(text, size, overlap):
    """That splits at blanks and line breaks only; tabs and other white space end a word, too: `\\s`."""
    fixed("", size, overlap)
    words = [match.span() for match in re.finditer(r"[^ \r\n]+", text)]
    return [(words[a][0], words[b - 1][1]) for a, b in windows(len(words), size, overlap)]


def fixed__letters_and_digits_only(text, size, overlap):
    """That takes letters and digits only, and loses signs at the ends of words; a word is a run without white space."""
    words = [match.span() for match in re.finditer(r"\w+", text)]
    return [(words[a][0], words[b - 1][1]) for a, b in windows(len(words), size, overlap)]


def fixed__first_place_of_a_word(text, size, overlap):
    """That looks every word up from the beginning, and finds its first place; go on from the end of the word before."""
    words = [(text.index(word), text.index(word) + len(word)) for word in text.split()]
    return [(words[a][0], words[b - 1][1]) for a, b in windows(len(words), size, overlap)]


def fixed__no_overlap(text, size, overlap):
    """That moves on by `size` words, so that nothing overlaps; the step is size - overlap."""
    fixed("", size, overlap)
    return fixed(text, size, 0)


def fixed__the_text_itself(text, size, overlap):
    """That returns the pieces of text; their places are asked for, (start, end)."""
    return [text[start:end] for start, end in fixed(text, size, overlap)]


def fixed__no_words_is_one_span(text, size, overlap):
    """That gives an empty span for a text without words; [] is right."""
    return fixed(text, size, overlap) or [(0, 0)]


def fixed__endless(text, size, overlap):
    """That gives no answer where overlap = size: it never moves on. Refuse it with ValueError, as `windows` does."""
    return None if overlap == size else fixed(text, size, overlap)


def fixed__nothing_refused(text, size, overlap):
    """That gives [] where it should refuse: raise ValueError unless 0 <= overlap < size."""
    return fixed(text, size, overlap) if 0 <= overlap < size else []


def packed__below_the_limit(lengths, limit):
    """That keeps each pack below the limit; at most `limit` is right, so a pack may be exactly full."""
    packed([], limit)
    return packed(lengths, limit - 1) if limit > 1 else packed(lengths, limit)


def _greedy(lengths, fits):
    """Return packs that take the next one on while fits(sum so far, next length)."""
    out, total = [], 0
    for place, length in enumerate(lengths):
        if out and fits(total, length):
            out[-1], total = (out[-1][0], place + 1), total + length
        else:
            out.append((place, place + 1))
            total = length
    return out


def packed__checked_too_late(lengths, limit):
    """That adds one more and then looks at the sum; a new pack begins before the one that would not fit."""
    packed([], limit)
    return _greedy(lengths, lambda total, length: total < limit)


def packed__sum_goes_on(lengths, limit):
    """That never sets the sum back, so that every pack after the first is too short; a new pack counts from its own."""
    packed([], limit)
    sums = np.cumsum([0, *lengths])
    out = []
    for place in range(len(lengths)):
        if out and sums[place + 1] <= limit:
            out[-1] = (out[-1][0], place + 1)
        else:
            out.append((place, place + 1))
    return out


def packed__sum_starts_at_0(lengths, limit):
    """That sets the sum to 0 where a pack begins, and forgets the length of the one that begins it."""
    packed([], limit)
    out, first, total = [], 0, 0
    for place, length in enumerate(lengths):
        if place > first and total + length > limit:
            out.append((first, place))
            first, total = place, 0
        else:
            total += length
    return [*out, (first, len(lengths))] if len(lengths) else []


def packed__last_dropped(lengths, limit):
    """That drops the last pack: it is complete only when the list ends, behind the loop."""
    return packed(lengths, limit)[:-1]


def packed__last_dropped_if_not_full(lengths, limit):
    """That keeps a last pack only if it is full; what is left at the end is a pack, too."""
    return [(a, b) for a, b in packed(lengths, limit) if b < len(lengths) or sum(lengths[a:b]) >= limit]


def packed__too_long_dropped(lengths, limit):
    """That drops one that is longer than the limit; it stands alone."""
    return [(a, b) for a, b in packed(lengths, limit) if sum(lengths[a:b]) <= limit]


def packed__too_long_with_the_next(lengths, limit):
    """That puts the next one to one that is too long already; it stands alone."""
    packed([], limit)
    return _greedy(lengths, lambda total, length: total + length <= limit or total > limit)


def packed__too_long_with_the_last(lengths, limit):
    """That puts one that is too long to the pack before it; it stands alone."""
    packed([], limit)
    return _greedy(lengths, lambda total, length: total + length <= limit or length > limit)


def packed__empty_one_before_a_long_one(lengths, limit):
    """That closes an empty pack where the first one alone is too long; close a pack only when something is in it."""
    packed([], limit)
    out, first, total = [], 0, 0
    for place, length in enumerate(lengths):
        if total + length > limit:
            out.append((first, place))
            first, total = place, 0
        total += length
    return [*out, (first, len(lengths))] if len(lengths) else []


def packed__refuses_a_long_one(lengths, limit):
    """That refuses one that is longer than the limit; it stands alone."""
    if any(length > limit for length in lengths):
        raise ValueError("too long")
    return packed(lengths, limit)


def packed__number_of_them(lengths, limit):
    """That packs `limit` of them together; their lengths have to add up to at most `limit`."""
    packed([], limit)
    return windows(len(lengths), limit, 0)


def packed__pairs(lengths, limit):
    """That never puts more than two together; go on as long as the next one fits."""
    packed([], limit)
    out = []
    for place, length in enumerate(lengths):
        if out and out[-1][1] - out[-1][0] == 1 and lengths[place - 1] + length <= limit:
            out[-1] = (place - 1, place + 1)
        else:
            out.append((place, place + 1))
    return out


def packed__neighbor_only(lengths, limit):
    """That looks at the next one and its neighbor only; all lengths of the pack so far count."""
    packed([], limit)
    return [(a, b) for a, b in _runs([place > 0 and lengths[place - 1] + lengths[place] <= limit
                                      for place in range(len(lengths))])]


def _runs(joined):
    """Return the packs where joined[i] says that i goes with i - 1."""
    out = []
    for place, goes_on in enumerate(joined):
        if goes_on:
            out[-1] = (out[-1][0], place + 1)
        else:
            out.append((place, place + 1))
    return out


def packed__last_one_included(lengths, limit):
    """That gives the number of the last one; the second number is one beyond it, as in a slice."""
    return [(a, b - 1) for a, b in packed(lengths, limit)]


def packed__sums(lengths, limit):
    """That returns how full each pack is; which ones are in it is asked for, (first, last + 1)."""
    return [sum(lengths[a:b]) for a, b in packed(lengths, limit)]


def packed__the_lengths(lengths, limit):
    """That returns the lengths in each pack; their positions are asked for, (first, last + 1)."""
    return [list(lengths[a:b]) for a, b in packed(lengths, limit)]


def packed__one_that_fits_from_further_on(lengths, limit):
    """That takes a shorter one from further on where the next does not fit; only neighbors belong together."""
    packed([], limit)
    packs = []
    for place, length in enumerate(lengths):
        room = [pack for pack in packs if sum(lengths[i] for i in pack) + length <= limit]
        if room:
            room[0].append(place)
        else:
            packs.append([place])
    return [(pack[0], pack[-1] + 1) for pack in packs]


def packed__nothing_is_a_pack(lengths, limit):
    """That makes an empty pack of nothing; [] gives []."""
    return packed(lengths, limit) or [(0, 0)]


def packed__any_limit(lengths, limit):
    """That takes a limit below 1, into which nothing fits; refuse it with ValueError."""
    return packed(lengths, limit) if limit > 0 else [(place, place + 1) for place in range(len(lengths))]


def _lines(text):
    """Yield (place, line, whether it belongs to code) for each line."""
    place, fenced = 0, False
    for line in text.splitlines(keepends=True):
        mark = line.startswith("```")
        yield place, line.rstrip("\n"), fenced or mark
        fenced = fenced != mark
        place += len(line)


def _headed(text, pattern=r"(#{1,6}) +(.+)"):
    """Return (start, level, title) of all lines that a pattern fits, code or not."""
    found = [(place, re.fullmatch(pattern, line)) for place, line, _ in _lines(text)]
    return [(place, len(match[1]), match[2].strip()) for place, match in found if match]


def _outside(text, found):
    """Leave out what stands in code."""
    code = {place for place, _, fenced in _lines(text) if fenced}
    return [item for item in found if item[0] not in code]


def headings__in_code(text):
    """That takes a comment in code for a heading; between two lines of ``` there is none."""
    return _headed(text)


def headings__fence_never_closed(text):
    """That takes all that follows ``` for code; the next line of ``` ends it."""
    at = text.find("```")
    return [item for item in headings(text) if at < 0 or item[0] < at]


def headings__no_space(text):
    """That takes "#rent" for a heading; a space stands between the # and the title."""
    return _outside(text, _headed(text, r"(#{1,6}) *([^#].*)"))


def headings__seven(text):
    """That takes seven # for a heading; there are six levels."""
    return _outside(text, _headed(text, r"(#+) +(.+)"))


def headings__anywhere_in_a_line(text):
    """That takes a # within a line for a heading; only a line that begins with it is one."""
    found = [(match.start(1), len(match[1]), match[2]) for match in re.finditer(r"(?<!\S)(#{1,6}) +(.+)", text)]
    return _outside(text, found)


def headings__only_two_levels(text):
    """That knows the levels 1 and 2 only; there are six."""
    return [item for item in headings(text) if item[1] < 3]


def headings__first_level_only(text):
    """That finds headings with one # only; there are six levels."""
    return [item for item in headings(text) if item[1] == 1]


def headings__level_from_0(text):
    """That counts levels from 0; one # is level 1."""
    return [(start, level - 1, title) for start, level, title in headings(text)]


def headings__place_of_the_title(text):
    """That gives the place of the title; the heading begins with its first #."""
    return [(start + level + 1, level, title) for start, level, title in headings(text)]


def headings__number_of_the_line(text):
    """That gives the number of the line; the place in the text is asked for, in characters."""
    return [(text[:start].count("\n"), level, title) for start, level, title in headings(text)]


def headings__number_of_the_line_from_1(text):
    """That gives the number of the line, from 1; the place in the text is asked for, in characters."""
    return [(text[:start].count("\n") + 1, level, title) for start, level, title in headings(text)]


def headings__line_breaks_not_counted(text):
    """That adds up the lengths of lines without their line breaks, so that places fall behind; each counts as one."""
    return [(start - text[:start].count("\n"), level, title) for start, level, title in headings(text)]


def headings__first_place_of_a_title(text):
    """That looks the heading up from the beginning of the text: one that stands twice is found at its first place."""
    return [(text.index("#" * level + " " + title), level, title) for start, level, title in headings(text)]


def headings__with_its_signs(text):
    """That leaves the # in the title; they say only how deep it is."""
    return [(start, level, "#" * level + " " + title) for start, level, title in headings(text)]


def headings__with_the_blank(text):
    """That leaves the blank in front of the title; `strip` takes it away."""
    return [(start, level, " " + title) for start, level, title in headings(text)]


def headings__all_signs_counted(text):
    """That counts every # of the line; only those in front make the level."""
    return [(start, level + title.count("#"), title) for start, level, title in headings(text)]


def headings__all_signs_taken_out(text):
    """That takes every # out of the title; only those in front of it belong to the heading."""
    return [(start, level, title.replace("#", "")) for start, level, title in headings(text)]


def headings__first_word(text):
    """That takes the first word for the title; it goes on to the end of the line."""
    return [(start, level, title.split()[0]) for start, level, title in headings(text)]


def headings__up_to_the_next_sign(text):
    """That splits at every # and keeps what stands between two; the title goes on to the end of the line."""
    return [(start, level, title.split("#")[0].strip()) for start, level, title in headings(text)]


def headings__another_order(text):
    """That returns (level, start, title); the task gives the place first."""
    return [(level, start, title) for start, level, title in headings(text)]


def _path(found, keep):
    """Return [(start, path)]: keep(open now, level) says what of [(level, title)] stays open."""
    out, open_now = [], []
    for start, level, title in found:
        open_now = [*keep(open_now, level), (level, title)]
        out.append((start, [name for _, name in open_now]))
    return out


def _cut(text, found):
    """Return sections of [(start, path)], with the text before the first heading."""
    if text and (not found or found[0][0]):
        found = [(0, []), *found]
    ends = [start for start, _ in found[1:]] + [len(text)]
    return [(start, end, path) for (start, path), end in zip(found, ends, strict=False)]


def sections__never_popped(text):
    """That never takes a title off the path; a heading ends all that are as deep or deeper."""
    return _cut(text, _path(headings(text), lambda above, level: above))


def sections__equal_stays(text):
    """That leaves a heading of the same level in the path; it ends with the next one as deep."""
    return _cut(text, _path(headings(text), lambda above, level: [own for own in above if own[0] <= level]))


def sections__one_popped(text):
    """That takes one title off the path; take off all that are as deep or deeper."""
    return _cut(text, _path(headings(text), lambda above, level: (
        above[:-1] if above and above[-1][0] >= level else above)))


def sections__equal_popped_only(text):
    """That takes off only a title of the same level; deeper ones end with it, too."""
    return _cut(text, _path(headings(text), lambda above, level: [own for own in above if own[0] != level]))


def sections__cut_at_its_level(text):
    """That keeps the first level - 1 titles; where a level was left out, a title as deep stays. Compare the levels."""
    return _cut(text, _path(headings(text), lambda above, level: above[:level - 1]))


def sections__levels_filled_up(text):
    """That fills a level that was left out with an empty title; the path holds only headings that are there."""
    def keep(above, level):
        above = [own for own in above if own[0] < level]
        deep = [own[0] for own in above]
        return [own if own else (0, "") for own in (next((own for own in above if own[0] == at), None)
                                                    for at in range(1, level))] if len(deep) < level - 1 else above
    return _cut(text, _path(headings(text), keep))


def sections__own_title_missing(text):
    """That leaves the section's own title out; the path goes down to it."""
    return [(start, end, path[:-1]) for start, end, path in sections(text)]


def sections__own_title_only(text):
    """That has the section's own title alone; the path begins at the top."""
    return [(start, end, path[-1:]) for start, end, path in sections(text)]


def sections__from_below(text):
    """That lists the path from below; it begins at the top."""
    return [(start, end, path[::-1]) for start, end, path in sections(text)]


def sections__one_string(text):
    """That joins the path to one text; a list of titles is asked for."""
    return [(start, end, " > ".join(path)) for start, end, path in sections(text)]


def sections__one_list_for_all(text):
    """That puts one and the same list into every section, so that all end with the last path; put in a copy."""
    found = sections(text)
    return [(start, end, found[-1][2] if path else path) for start, end, path in found]


def sections__beginning_lost(text):
    """That drops the text before the first heading; it is a section with the path []."""
    return [(start, end, path) for start, end, path in sections(text) if path]


def sections__beginning_to_the_first(text):
    """That puts the text before the first heading to the section of that heading; it is one of its own, path []."""
    found = sections(text)
    return [(0, found[1][1], found[1][2]), *found[2:]] if len(found) > 1 and not found[0][2] else found


def sections__beginning_always(text):
    """That makes an empty section where the text begins with a heading; only text before it is one."""
    return sections(text) if text and headings(text)[:1] == [] or sections(text)[:1] and not sections(text)[0][2] else [
        (0, 0, []), *sections(text)]


def sections__nothing_without_headings(text):
    """That gives nothing for a text without headings; it is one section with the path []."""
    return sections(text) if headings(text) else []


def sections__last_dropped(text):
    """That drops the last section, which ends where the text does and not at a heading."""
    return sections(text)[:-1]


def sections__heading_left_out(text):
    """That begins below the heading; its line belongs to the section."""
    return [(text.index("\n", start) + 1 if path else start, end, path) for start, end, path in sections(text)]


def sections__up_to_the_same_level(text):
    """That ends a section where one as deep or higher begins, and so holds those below it; each ends at the next."""
    levels = {start: level for start, level, _ in headings(text)}

    def end_of(start, end):
        after = [place for place, level in levels.items() if place > start and level <= levels[start]]
        return min(after, default=len(text)) if start in levels else end

    return [(start, end_of(start, end), path) for start, end, path in sections(text)]


def sections__one_letter_less(text):
    """That ends one character before the next heading; sections join up to the whole text."""
    return [(start, end - (end < len(text)), path) for start, end, path in sections(text)]


def sections__white_space_taken_off(text):
    """That takes white space off at the end; sections join up to the whole text."""
    return [(start, start + len(text[start:end].rstrip()), path) for start, end, path in sections(text)]


def sections__code(text):
    """That takes a comment in code for a heading; between two lines of ``` there is none."""
    return _cut(text, _path(_headed(text), lambda above, level: [own for own in above if own[0] < level]))


def sections__the_text_itself(text):
    """That returns the pieces of text; (start, end, path) is asked for."""
    return [(text[start:end], path) for start, end, path in sections(text)]


def sections__by_title(text):
    """That keeps one section for each path in a dict: of two with the same path the first is lost."""
    return [(start, end, list(path)) for path, (start, end) in
            {tuple(path): (start, end) for start, end, path in sections(text)}.items()]


def distances__similarity(vectors):
    """That is the cosine; a distance is 1 minus that, and grows where the topic changes."""
    return 1 - distances(vectors)


def distances__dot(vectors):
    """That is 1 minus the dot product; a cosine also divides by both lengths."""
    rows = np.asarray(vectors, dtype=float)
    return 1 - np.sum(rows[:-1] * rows[1:], axis=1)


def distances__dot_itself(vectors):
    """That is the dot product; divide it by both lengths, and take it from 1."""
    rows = np.asarray(vectors, dtype=float)
    return np.sum(rows[:-1] * rows[1:], axis=1)


def distances__one_norm(vectors):
    """That divides by the length of one vector only; a cosine divides by both."""
    rows = np.asarray(vectors, dtype=float)
    norms = np.linalg.norm(rows, axis=1)
    return 1 - np.sum(rows[:-1] * rows[1:], axis=1) / np.where(norms[:-1] > 0, norms[:-1], 1)


def distances__other_norm(vectors):
    """That divides by the length of the second vector only; a cosine divides by both."""
    rows = np.asarray(vectors, dtype=float)
    norms = np.linalg.norm(rows, axis=1)
    return 1 - np.sum(rows[:-1] * rows[1:], axis=1) / np.where(norms[1:] > 0, norms[1:], 1)


def distances__norm_of_the_table(vectors):
    """That divides by one length for the whole table; each row has its own: axis=1."""
    rows = np.asarray(vectors, dtype=float)
    return 1 - np.sum(rows[:-1] * rows[1:], axis=1) / max(np.linalg.norm(rows) ** 2, 1e-300)


def distances__of_the_columns(vectors):
    """That divides by the lengths of the columns; a row is a vector, so sum over axis 1."""
    rows = np.asarray(vectors, dtype=float)
    norms = np.linalg.norm(rows, axis=0) if len(rows) else np.ones(rows.shape[1])
    rows = rows / np.where(norms > 0, norms, 1)
    return 1 - np.sum(rows[:-1] * rows[1:], axis=1)


def distances__nan_on_zero(vectors):
    """That divides by 0 where a vector is all zeros; its cosine is 0, so the distance is 1."""
    rows = np.asarray(vectors, dtype=float)
    with np.errstate(invalid="ignore"):
        rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return 1 - np.sum(rows[:-1] * rows[1:], axis=1)


def distances__zeros_are_alike(vectors):
    """That gives 0 beside a row of zeros, as if the two were alike; its cosine is 0, so the distance is 1."""
    rows = np.asarray(vectors, dtype=float)
    there = rows.any(axis=1)
    return np.where(there[:-1] & there[1:], distances(vectors), 0.0)


def distances__euclidean(vectors):
    """That is the straight distance between the points; take the cosine, whose value no length changes."""
    rows = np.asarray(vectors, dtype=float)
    return np.linalg.norm(rows[1:] - rows[:-1], axis=1)


def distances__straight_at_length_1(vectors):
    """That is the straight distance of the vectors at length 1; 1 - cosine is half its square."""
    return np.sqrt(np.maximum(2 * distances(vectors), 0))


def distances__squared_at_length_1(vectors):
    """That is the squared distance of the vectors at length 1, which is twice what is asked for: 1 - cosine."""
    return 2 * distances(vectors)


def distances__half(vectors):
    """That is half of it, from 0 to 1; 1 - cosine goes from 0 to 2."""
    return distances(vectors) / 2


def distances__no_sign(vectors):
    """That takes the cosine without its sign, so that opposite vectors are alike; their distance is 2."""
    return 1 - np.abs(1 - distances(vectors))


def distances__at_most_1(vectors):
    """That stops at 1; vectors that point away from each other are up to 2 apart."""
    return np.minimum(distances(vectors), 1.0)


def distances__below_zero(vectors):
    """That is the cosine minus 1; it is 1 minus the cosine."""
    return -distances(vectors)


def distances__angle(vectors):
    """That is the angle, in radians; 1 - cosine is asked for."""
    return np.arccos(np.clip(1 - distances(vectors), -1, 1))


def distances__from_the_first(vectors):
    """That measures each from the first vector; take each and its neighbor."""
    rows = np.asarray(vectors, dtype=float)
    return [float(distances([rows[0], row])[0]) for row in rows[1:]]


def distances__around(vectors):
    """That goes on from the last vector to the first; n vectors have n - 1 pairs of neighbors."""
    rows = np.asarray(vectors, dtype=float)
    return distances(np.concatenate([rows, rows[:1]])) if len(rows) else []


def distances__a_0_in_front(vectors):
    """That puts a 0 in front, for the first vector; n vectors have n - 1 pairs of neighbors."""
    return np.concatenate([[0.0], distances(vectors)])


def distances__two_apart(vectors):
    """That compares each with the next but one; neighbors are one apart."""
    rows = np.asarray(vectors, dtype=float)
    return [float(distances([a, b])[0]) for a, b in zip(rows[:-2], rows[2:], strict=True)]


def distances__one_pair_less(vectors):
    """That leaves out the last pair; n vectors have n - 1 pairs of neighbors."""
    return distances(vectors)[:-1]


def distances__side_by_side(vectors):
    """That takes the vectors in twos, first with second, third with fourth; each but the last has a next one."""
    return distances(vectors)[::2]


def distances__all_pairs(vectors):
    """That compares all with all; only neighbors are asked for."""
    rows = np.asarray(vectors, dtype=float)
    return [[float(distances([a, b])[0]) for b in rows] for a in rows]


def distances__no_neighbors_refused(vectors):
    """That refuses a single vector, or none; there is no neighbor, so the answer is empty."""
    if len(vectors) < 2:
        raise ValueError("vectors")
    return distances(vectors)


def distances__no_neighbors_is_0(vectors):
    """That gives a 0 for a single vector; without a neighbor there is no distance, so the answer is empty."""
    return distances(vectors) if len(vectors) != 1 else [0.0]


def _split(values, limit):
    """Return the positions of the values above a limit."""
    return [place for place, value in enumerate(values) if value > limit + 1e-12]


def breaks__at_the_percentile_too(distances, percent):
    """That splits also at a distance equal to the percentile; only what is above it counts: >, not >=."""
    breaks([], percent)
    limit = np.percentile(distances, percent) if len(distances) else 0
    return [place for place, value in enumerate(distances) if value >= limit - 1e-12]


def breaks__below(distances, percent):
    """That splits where the distance is below the percentile, as if it were a similarity; large means unlike."""
    breaks([], percent)
    limit = np.percentile(distances, percent) if len(distances) else 0
    return [place for place, value in enumerate(distances) if value < limit - 1e-12]


def breaks__similarity(distances, percent):
    """That takes the distances for similarities, turns them around and splits where neighbors are alike."""
    breaks([], percent)
    return breaks([1 - value for value in distances], percent)


def breaks__the_other_percentile(distances, percent):
    """That takes the percentile from the other end, 100 - percent; with 95 one in twenty is above, not nineteen."""
    breaks([], percent)
    return breaks(distances, 100 - percent)


def breaks__a_fraction(distances, percent):
    """That hands the percentile a share, 0.95; `np.percentile` takes 95, `np.quantile` the share."""
    breaks([], percent)
    return breaks(distances, percent / 100)


def breaks__share_of_the_largest(distances, percent):
    """That takes a share of the largest distance; a percentile counts how many lie below."""
    breaks([], percent)
    return _split(distances, max(distances, default=0) * percent / 100)


def breaks__share_of_the_range(distances, percent):
    """That takes a share of the way from the smallest to the largest; a percentile counts how many lie below."""
    breaks([], percent)
    low, high = min(distances, default=0), max(distances, default=0)
    return _split(distances, low + (high - low) * percent / 100)


def breaks__percent_as_a_distance(distances, percent):
    """That takes the percent itself for a distance; what it is depends on the distances of this text."""
    breaks([], percent)
    return _split(distances, percent / 100)


def breaks__nearest_value(distances, percent):
    """That takes the nearest of the values; between two the percentile lies on the line from one to the other."""
    breaks([], percent)
    return _split(distances, np.percentile(distances, percent, method="nearest")) if len(distances) else []


def breaks__value_above(distances, percent):
    """That takes the value above; between two the percentile lies on the line from one to the other."""
    breaks([], percent)
    return _split(distances, np.percentile(distances, percent, method="higher")) if len(distances) else []


def breaks__mean_and_deviation(distances, percent):
    """That splits above the mean plus the standard deviation; the percentile is asked for."""
    breaks([], percent)
    return _split(distances, np.mean(distances) + np.std(distances)) if len(distances) else []


def breaks__above_the_mean(distances, percent):
    """That splits above the mean, whatever the percent; the percentile is asked for."""
    breaks([], percent)
    return _split(distances, np.mean(distances)) if len(distances) else []


def breaks__ninety_five(distances, percent):
    """That always takes 95; `percent` says which percentile."""
    breaks([], percent)
    return breaks(distances, 95)


def breaks__neighbors_only(distances, percent):
    """That splits where a distance is larger than both beside it; it must be above the percentile of all."""
    breaks([], percent)
    padded = [-1.0, *distances, -1.0]
    return [i - 1 for i in range(1, len(padded) - 1) if padded[i] > max(padded[i - 1], padded[i + 1])]


def breaks__so_many_percent(distances, percent):
    """That takes a fixed number of the largest; where several are equal none of them may be above the percentile."""
    breaks([], percent)
    count = round(len(distances) * (100 - percent) / 100)
    return sorted(sorted(range(len(distances)), key=lambda place: (-distances[place], place))[:count])


def breaks__largest_always(distances, percent):
    """That splits at the largest distance at least; where none is above the percentile there is no split."""
    found = breaks(distances, percent)
    return found or ([int(np.argmax(distances))] if len(distances) else [])


def breaks__where_the_next_begins(distances, percent):
    """That gives the sentence behind the split, i + 1; position i is asked for, the one before it."""
    return [place + 1 for place in breaks(distances, percent)]


def breaks__the_distances(distances, percent):
    """That returns the distances themselves; their positions are asked for."""
    return [distances[place] for place in breaks(distances, percent)]


def breaks__true_and_false(distances, percent):
    """That says of each distance whether it is above; the positions are asked for (`np.flatnonzero`)."""
    found = breaks(distances, percent)
    return [place in found for place in range(len(distances))]


def breaks__in_a_list_more(distances, percent):
    """That is what `np.where` gives, a list within a list; take its first item."""
    return [breaks(distances, percent)]


def breaks__of_the_sorted(distances, percent):
    """That gives positions among the sorted distances; the places in the text are asked for."""
    breaks([], percent)
    return breaks(sorted(distances), percent)


def breaks__largest_first(distances, percent):
    """That begins with the largest distance; the positions are in the order of the text."""
    return sorted(breaks(distances, percent), key=lambda place: -distances[place])


def breaks__none_fails(distances, percent):
    """That fails without a distance, which has no percentile; [] gives []."""
    if len(distances) == 0:
        raise IndexError("distances")
    return breaks(distances, percent)


def breaks__any_percent(distances, percent):
    """That takes a percent outside 0 to 100; refuse it with ValueError."""
    return breaks(distances, min(max(percent, 0), 100))


def _groups(ranked, parent_of):
    """Return {parent: scores of its children}; refuses what the task refuses."""
    to_parents(ranked, parent_of)
    scores = {}
    for child, score in ranked:
        scores.setdefault(parent_of[child], []).append(score)
    return scores


def _sorted(scores):
    """Return (parent, score) best first, equal scores by id."""
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))


def to_parents__worst_child(ranked, parent_of):
    """That gives a parent the score of its worst child; its best one counts: one good paragraph is an answer."""
    return _sorted({parent: min(own) for parent, own in _groups(ranked, parent_of).items()})


def to_parents__last_child(ranked, parent_of):
    """That lets each child overwrite the one before, so that the last counts; keep the best."""
    return _sorted({parent: own[-1] for parent, own in _groups(ranked, parent_of).items()})


def to_parents__first_child(ranked, parent_of):
    """That takes the first child, as if the list were sorted; it may come in any order, so keep the best."""
    return _sorted({parent: own[0] for parent, own in _groups(ranked, parent_of).items()})


def to_parents__mean(ranked, parent_of):
    """That is the mean of the children, which a long parent can only lose by; take the best."""
    return _sorted({parent: sum(own) / len(own) for parent, own in _groups(ranked, parent_of).items()})


def to_parents__sum(ranked, parent_of):
    """That adds the children up, which favors a long parent; take the best."""
    return _sorted({parent: sum(own) for parent, own in _groups(ranked, parent_of).items()})


def to_parents__how_many(ranked, parent_of):
    """That counts the children that were found; the score of the best is asked for."""
    return _sorted({parent: len(own) for parent, own in _groups(ranked, parent_of).items()})


def to_parents__over_all_children(ranked, parent_of):
    """That divides the sum by all children, found or not; take the best one's score."""
    count = list(parent_of.values()).count
    return _sorted({parent: sum(own) / count(parent) for parent, own in _groups(ranked, parent_of).items()})


def to_parents__not_below_zero(ranked, parent_of):
    """That begins with 0 as the best so far, and so loses scores below 0; begin with minus infinity."""
    return _sorted({parent: max(0, *own) for parent, own in _groups(ranked, parent_of).items()})


def to_parents__as_often_as_its_children(ranked, parent_of):
    """That lists a parent once for each child; each parent comes once."""
    to_parents(ranked, parent_of)
    return sorted([(parent_of[child], score) for child, score in ranked], key=lambda pair: (-pair[1], pair[0]))


def to_parents__children(ranked, parent_of):
    """That keeps the ids of the children; those of their parents are asked for."""
    to_parents(ranked, parent_of)
    seen, out = set(), []
    for child, score in sorted(ranked, key=lambda pair: (-pair[1], parent_of[pair[0]])):
        if parent_of[child] not in seen:
            seen.add(parent_of[child])
            out.append((child, score))
    return out


def to_parents__worst_first(ranked, parent_of):
    """That begins with the lowest score; best first."""
    return sorted(to_parents(ranked, parent_of), key=lambda pair: (pair[1], pair[0]))


def to_parents__ties_as_they_come(ranked, parent_of):
    """That leaves equal scores in the order in which they were found; they are ordered by the parent's id."""
    groups = _groups(ranked, parent_of)
    return sorted(((parent, max(own)) for parent, own in groups.items()), key=lambda pair: -pair[1])


def to_parents__ties_backwards(ranked, parent_of):
    """That turns the ids around together with the scores (reverse=True); equal scores go by id, ascending."""
    return sorted(to_parents(ranked, parent_of), key=lambda pair: (pair[1], pair[0]), reverse=True)


def to_parents__not_sorted(ranked, parent_of):
    """That leaves the parents in the order in which they were found; sort by score, best first, then by id."""
    return [(parent, max(own)) for parent, own in _groups(ranked, parent_of).items()]


def to_parents__rounded(ranked, parent_of):
    """That rounds the scores before it sorts, and so makes ties of small differences; sort by what they are."""
    return sorted(to_parents(ranked, parent_of), key=lambda pair: (-round(pair[1], 2), pair[0]))


def to_parents__by_id(ranked, parent_of):
    """That sorts by id; the best score comes first, and ids decide between equal ones only."""
    return sorted(to_parents(ranked, parent_of))


def to_parents__in_a_dict(ranked, parent_of):
    """That returns a dict; a list of pairs is asked for."""
    return dict(to_parents(ranked, parent_of))


def to_parents__ids_only(ranked, parent_of):
    """That returns the ids alone; each stands with its score."""
    return [parent for parent, _ in to_parents(ranked, parent_of)]


def to_parents__score_first(ranked, parent_of):
    """That puts the score in front; the id comes first."""
    return [(score, parent) for parent, score in to_parents(ranked, parent_of)]


def to_parents__parents_that_were_not_found(ranked, parent_of):
    """That lists every parent there is; one without a child in the list is not found."""
    found = to_parents(ranked, parent_of)
    return found + [(parent, 0.0) for parent in sorted(set(parent_of.values()) - {parent for parent, _ in found})]


def to_parents__unknown_left_out(ranked, parent_of):
    """That leaves out a child without a parent, and hides that something is wrong; raise ValueError."""
    return to_parents([pair for pair in ranked if pair[0] in parent_of], parent_of)


def to_parents__unknown_is_its_own(ranked, parent_of):
    """That makes a child without a parent its own parent; raise ValueError."""
    return to_parents(ranked, {**{child: child for child, _ in ranked}, **parent_of})


def to_parents__unknown_is_none(ranked, parent_of):
    """That files a child without a parent under None, as `get` gives it; raise ValueError."""
    best = {}
    for child, score in ranked:
        parent = parent_of.get(child)
        best[parent] = max(score, best.get(parent, score))
    return sorted(best.items(), key=lambda pair: (-pair[1], str(pair[0])))


def to_parents__key_error(ranked, parent_of):
    """That lets the dict raise KeyError for a child without a parent; raise ValueError with a sentence."""
    if any(child not in parent_of for child, _ in ranked):
        raise KeyError("child")
    return to_parents(ranked, parent_of)
