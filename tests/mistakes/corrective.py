"""Common mistakes in the tasks corrective.*, each with the sentence that a learner reads.

Each follows the reference but for the one thing that its sentence names.
"""

import math
import re

from firstprinciples.generate.corrective import (
    chance,
    keep,
    marked,
    next_action,
    numbers,
    opposed,
    per_label,
    told_apart,
    unmatched,
    verdict,
)


def told_apart__ties_count_nothing(true, false):
    """That counts a pair of equal numbers as lost; it counts one half."""
    return told_apart(true, false) - _ties(true, false) / 2


def told_apart__ties_count_whole(true, false):
    """That counts a pair of equal numbers as won; it counts one half."""
    return told_apart(true, false) + _ties(true, false) / 2


def _ties(true, false):
    return sum(one == other for one in true for other in false) / (len(true) * len(false))


def told_apart__the_wrong_way_round(true, false):
    """That counts the pairs in which the false one is higher; the true one is meant."""
    return told_apart(false, true)


def told_apart__not_divided(true, false):
    """That gives the number of pairs; their share is meant: divide by all pairs, len(true) * len(false)."""
    return told_apart(true, false) * len(true) * len(false)


def told_apart__divided_by_the_true_ones(true, false):
    """That divides by the number of true ones; all pairs are meant, len(true) * len(false)."""
    return told_apart(true, false) * len(false)


def told_apart__divided_by_all_passages(true, false):
    """That divides by the number of passages; all pairs are meant, len(true) * len(false)."""
    return told_apart(true, false) * len(true) * len(false) / (len(true) + len(false))


def told_apart__lost_pairs_taken_away(true, false):
    """That takes a lost pair away from the won ones, so that 0 means not at all; a lost pair just counts nothing."""
    return 2 * told_apart(true, false) - 1


def told_apart__difference_of_means(true, false):
    """That takes the difference of the two means; only which of two is higher counts, not by how much."""
    told_apart(true, false)
    return sum(true) / len(true) - sum(false) / len(false)


def told_apart__against_the_mean(true, false):
    """That compares each true one with the mean of the false ones; compare it with each of them."""
    told_apart(true, false)
    return told_apart(true, [sum(false) / len(false)])


def told_apart__against_the_best(true, false):
    """That compares each true one with the best false one only; compare it with each of them."""
    told_apart(true, false)
    return told_apart(true, [max(false)])


def told_apart__side_by_side(true, false):
    """That compares the first with the first, the second with the second; every true one meets every false one."""
    told_apart(true, false)
    pairs = list(zip(true, false, strict=False))
    return sum(1.0 if one > other else 0.5 if one == other else 0.0 for one, other in pairs) / len(pairs)


def told_apart__takes_empty_lists(true, false):
    """That gives a number for an empty list; without a pair it must refuse with ValueError."""
    return told_apart(true, false) if true and false else 0.5


def told_apart__takes_what_is_not_finite(true, false):
    """That takes nan and infinity for numbers; it must refuse what is not finite with ValueError."""
    if not true or not false:
        raise ValueError("empty")
    return sum(1.0 if one > other else 0.5 if one == other else 0.0 for one in true for other in false) / (
        len(true) * len(false))


def _numbers(text, words, before=r"(?<![\w.,^])", one=r"\d+(?:,\d{3}(?!\d))*(?:\.\d+)?", fractions=True,
             spelled=r"[^\W\d_]+", zero="both", endless=False):
    """Return the numbers of a text, in the order in which they stand, with one thing or another done differently."""
    if not isinstance(text, str):
        raise ValueError(text)
    found = []
    for match in re.finditer(rf"{before}({one})(?:/({one}))?" if fractions else f"{before}({one})()", text):
        upper, lower = (float(part.replace(",", "")) if part else None for part in match.groups())
        if lower:
            found.append(upper / lower)
        else:
            found += [upper] + ([lower] if lower is not None and zero == "both" else [])
    found = found if endless else [number for number in found if number < math.inf]
    return found + [float(words[word]) for word in re.findall(spelled, text.lower()) if word in words]


def numbers__whole_only(text, words):
    """That reads whole numbers only; a point with digits behind it goes on with the number: 1.25 is one."""
    return sorted(set(_numbers(text, words, before=r"(?<![A-Za-z_^\d])", one=r"\d+")))


def numbers__commas_part(text, words):
    """That cuts 1,284 at its comma; a comma with three digits behind it goes on with the number."""
    return sorted(set(_numbers(text, words, before=r"(?<![\w.^])", one=r"\d+(?:\.\d+)?")))


def numbers__any_comma(text, words):
    """That takes any comma between digits into the number; only a group of three digits goes on with it."""
    return sorted(set(_numbers(text, words, one=r"\d+(?:,\d+)*(?:\.\d+)?")))


def numbers__in_the_order_of_the_text(text, words):
    """That gives the numbers in the order of the text; they are meant ascending."""
    return list(dict.fromkeys(_numbers(text, words)))


def numbers__descending(text, words):
    """That gives the largest number first; they are meant ascending."""
    return numbers(text, words)[::-1]


def numbers__every_time(text, words):
    """That gives a number as often as it stands there; each value once is meant."""
    return sorted(_numbers(text, words))


def numbers__as_written(text, words):
    """That gives the numbers as texts; their values are meant, as floats."""
    return [f"{number:g}" for number in numbers(text, words)]


def numbers__two_for_a_fraction(text, words):
    """That takes 5/4 for two numbers; a fraction is one value, 1.25."""
    return sorted(set(_numbers(text, words, before=r"(?<![\w.,^])", fractions=False)))


def numbers__a_half_of_a_fraction(text, words):
    """That keeps only the upper number of a fraction; 5/4 is 1.25."""
    return sorted(set(_numbers(re.sub(r"(?<=\d)/[1-9][\d.,]*\d|(?<=\d)/[1-9]", "", text) if isinstance(text, str)
                               else text, words)))


def numbers__lower_0_left_out(text, words):
    """That gives only the upper number where the lower one is 0; then both count by themselves."""
    return sorted(set(_numbers(text, words, zero="upper")))


def numbers__divides_by_0(text, words):
    """That divides by 0: where the lower number of a fraction is 0, both count by themselves."""
    if isinstance(text, str) and re.search(r"\d/0(?![\d.])", text):
        raise ZeroDivisionError("float division by zero")
    return numbers(text, words)


def numbers__behind_letters_too(text, words):
    """That finds numbers inside v^2, E4432 and x2; no letter, digit, point, comma, _ or ^ may stand before one."""
    return sorted(set(_numbers(text, words, before=r"(?<![\d.,])")))


def numbers__behind_a_hat(text, words):
    """That takes the exponent in v^2 for a number that is stated; a ^ may not stand before one."""
    return sorted(set(_numbers(text, words, before=r"(?<![\w.,])")))


def numbers__behind_a_point(text, words):
    """That begins a number right behind a point: of 1.2.7 the 7 begins none, and neither does .5."""
    return sorted(set(_numbers(text, words, before=r"(?<![\w,^])(?<!\d\.\d)")))


def numbers__whole_words_only(text, words):
    """That wants white space or the end behind a number, so that "0.6c" and "50%" have none; what follows is free."""
    return sorted(set(_numbers(text, words, one=r"\d+(?:,\d{3}(?!\d))*(?:\.\d+)?(?![\d%A-Za-z])")))


def numbers__percent_divided(text, words):
    """That divides a percentage by 100; what follows a number does not matter, so 50 % is 50."""
    if not isinstance(text, str):
        raise ValueError(text)
    out = set(numbers(re.sub(r"\d[\d,.]*\s?%", " ", text), words))
    return sorted(out | {float(each.replace(",", "")) / 100 for each in re.findall(r"(\d[\d,.]*)\s?%", text)})


def numbers__with_their_sign(text, words):
    """That gives a number behind a hyphen its sign; a minus sign is not looked at."""
    return sorted({-value if isinstance(text, str) and re.search(rf"-{value:g}(?![\d.])", text) else value
                   for value in numbers(text, words)})


def numbers__no_words(text, words):
    """That does not look for the words of `words`, such as two and ten."""
    return numbers(text, {})


def numbers__words_in_lower_case_only(text, words):
    """That finds the words in lower case only; "Two" and "TWO" are meant as well."""
    if not isinstance(text, str):
        raise ValueError(text)
    return sorted(set(numbers(text, {})) | {words[word] for word in re.findall(r"[^\W\d_]+", text) if word in words})


def numbers__parts_of_words(text, words):
    """That finds ten in "tenth" and two in "network"; whole words are meant."""
    found = set(numbers(text, {}))
    return sorted(found | {value for word, value in words.items() if word in text.lower()})


def numbers__words_between_spaces(text, words):
    """That parts words at spaces only; a hyphen or a comma parts them too: "ten-fold" holds ten."""
    found = set(numbers(text, {}))
    return sorted(found | {words[word] for word in text.lower().split() if word in words})


def numbers__without_end(text, words):
    """That gives infinity for a number which is too large for a float; it is left out."""
    if not isinstance(text, str):
        raise ValueError(text)
    return sorted(set(_numbers(text, words, endless=True)))


def numbers__takes_anything(text, words):
    """That makes a text of whatever it is given; what is no string must be refused with ValueError."""
    return numbers(str(text), words)


def _unmatched(stated, trusted, tolerance, near):
    unmatched(stated, trusted, tolerance)
    return [number for number in stated if not any(near(number, other) for other in trusted)]


def unmatched__absolute(stated, trusted, tolerance):
    """That takes the tolerance as a difference; it is a share of the trusted number: tolerance * trusted."""
    return _unmatched(stated, trusted, tolerance, lambda number, other: abs(number - other) <= tolerance)


def unmatched__of_the_stated_number(stated, trusted, tolerance):
    """That takes the share of the stated number; the trusted one is the measure."""
    return _unmatched(stated, trusted, tolerance,
                      lambda number, other: abs(number - other) <= tolerance * abs(number))


def unmatched__of_the_larger_one(stated, trusted, tolerance):
    """That takes the share of the larger of the two, as math.isclose does; the trusted one is the measure."""
    return _unmatched(stated, trusted, tolerance, lambda number, other: math.isclose(number, other,
                                                                                    rel_tol=min(tolerance, 1)))


def unmatched__limit_left_out(stated, trusted, tolerance):
    """That leaves the limit out: a difference of just that much is still near."""
    return _unmatched(stated, trusted, tolerance, lambda number, other: abs(number - other) < tolerance * abs(other))


def unmatched__keeps_the_sign(stated, trusted, tolerance):
    """That multiplies with the sign of a negative number, so that nothing is near it; leave the sign out."""
    return _unmatched(stated, trusted, tolerance, lambda number, other: abs(number - other) <= tolerance * other)


def unmatched__no_signs(stated, trusted, tolerance):
    """That takes 4 and -4 for near each other: only the trusted number in the limit loses its sign."""
    return _unmatched(stated, trusted, tolerance,
                      lambda number, other: abs(abs(number) - abs(other)) <= tolerance * abs(other))


def unmatched__above_only(stated, trusted, tolerance):
    """That looks in one direction: a number that is far too small is not near, either. Take abs of the difference."""
    return _unmatched(stated, trusted, tolerance, lambda number, other: number - other <= tolerance * abs(other))


def unmatched__half_the_tolerance(stated, trusted, tolerance):
    """That divides the tolerance by two; it is what is allowed on each side."""
    return unmatched(stated, trusted, tolerance / 2)


def unmatched__in_percent(stated, trusted, tolerance):
    """That divides the tolerance by 100; 0.01 is one percent already."""
    return unmatched(stated, trusted, tolerance / 100)


def unmatched__the_first_only(stated, trusted, tolerance):
    """That compares with the first trusted number only; one of them near is enough."""
    unmatched(stated, trusted, tolerance)
    return unmatched(stated, trusted[:1], tolerance)


def unmatched__near_to_all(stated, trusted, tolerance):
    """That wants a number to be near all trusted ones; one of them is enough."""
    unmatched(stated, trusted, tolerance)
    return [number for number in stated if not trusted or not all(not unmatched([number], [other], tolerance)
                                                                   for other in trusted)]


def unmatched__side_by_side(stated, trusted, tolerance):
    """That compares the first with the first, the second with the second; any trusted number may be the near one."""
    unmatched(stated, trusted, tolerance)
    return [number for place, number in enumerate(stated)
            if unmatched([number], trusted[place : place + 1], tolerance)]


def unmatched__the_near_ones(stated, trusted, tolerance):
    """That gives the numbers that are near a trusted one; those that are not are meant."""
    unmatched(stated, trusted, tolerance)
    return [number for number in stated if not unmatched([number], trusted, tolerance)]


def unmatched__of_the_trusted(stated, trusted, tolerance):
    """That gives the trusted numbers which are not stated; what is stated and not trusted is meant."""
    unmatched(stated, trusted, tolerance)
    return [other for other in trusted if all(abs(number - other) > tolerance * abs(other) for number in stated)]


def unmatched__sorted(stated, trusted, tolerance):
    """That sorts what comes back; the order of `stated` is meant."""
    return sorted(unmatched(stated, trusted, tolerance))


def unmatched__each_once(stated, trusted, tolerance):
    """That gives each number once; it comes back as often as it is stated."""
    return list(dict.fromkeys(unmatched(stated, trusted, tolerance)))


def unmatched__nothing_trusted(stated, trusted, tolerance):
    """That finds nothing unmatched where nothing is trusted; then all of the stated numbers come back."""
    return unmatched(stated, trusted, tolerance) if trusted else []


def unmatched__takes_below_0(stated, trusted, tolerance):
    """That takes a tolerance below 0; it must refuse it with ValueError."""
    return list(stated) if tolerance < 0 else unmatched(stated, trusted, tolerance)


def unmatched__takes_what_is_not_finite(stated, trusted, tolerance):
    """That takes nan and infinity for numbers; it must refuse what is not finite with ValueError."""
    if not tolerance >= 0:
        raise ValueError(tolerance)
    return [number for number in stated if not any(abs(number - other) <= tolerance * abs(other) for other in trusted)]


def _marked(words, negating, turns, reach, again="back", turn="keep", more=0, sign="not_", ends=True):
    """Return the marked words, with one thing or another done differently."""
    marked(words, negating, turns, reach)
    out, left = [], 0
    for word in words:
        if word in negating:
            left = {"back": 0, "afresh": reach, "longer": left + reach, "passed over": left}[again] if left \
                else reach + more
        elif word in turns:
            out += [f"{sign}{word}" if turn == "marked" and left else word] * (turn != "dropped")
            left = 0 if ends else max(left - (turn == "counted"), 0)
        else:
            out.append(f"{sign}{word}" if left > 0 else word)
            left = max(left - 1, 0)
    return out


def marked__denials_stay(words, negating, turns, reach):
    """That keeps the denying words; they are left out, since the mark says what they said."""
    inside = iter(marked(words, negating, turns, reach))
    return [word if word in negating else next(inside) for word in words]


def marked__to_the_end(words, negating, turns, reach):
    """That marks all words up to the next turn; a denial reaches `reach` words and no further."""
    marked(words, negating, turns, reach)
    return marked(words, negating, turns, len(words) + 1)


def marked__one_word_more(words, negating, turns, reach):
    """That marks one word more than `reach`."""
    return _marked(words, negating, turns, reach, more=1)


def marked__one_word_less(words, negating, turns, reach):
    """That marks one word less than `reach`: the denial itself is not one of them."""
    return _marked(words, negating, turns, reach, more=-1)


def marked__the_next_word_only(words, negating, turns, reach):
    """That marks the next word only, whatever `reach` is."""
    marked(words, negating, turns, reach)
    return marked(words, negating, turns, 1)


def marked__turns_pass_by(words, negating, turns, reach):
    """That goes on marking behind a turn; "but" and the like end the reach of a denial."""
    return _marked(words, negating, turns, reach, ends=False)


def marked__turns_are_words(words, negating, turns, reach):
    """That treats a turn as any other word; it is kept as it is, and ends the reach of a denial."""
    marked(words, negating, turns, reach)
    return marked(words, negating, [], reach)


def marked__turns_dropped(words, negating, turns, reach):
    """That leaves the turns out; they are kept as they are."""
    return _marked(words, negating, turns, reach, turn="dropped")


def marked__turns_marked(words, negating, turns, reach):
    """That marks the turn itself; it ends the reach and is kept as it is."""
    return _marked(words, negating, turns, reach, turn="marked")


def marked__again_afresh(words, negating, turns, reach):
    """That begins afresh at a second denial within the reach of the first; it takes the denial back: not ... not."""
    return _marked(words, negating, turns, reach, again="afresh")


def marked__again_longer(words, negating, turns, reach):
    """That reaches further at a second denial within the first one's reach; it takes the denial back: not ... not."""
    return _marked(words, negating, turns, reach, again="longer")


def marked__again_passed_over(words, negating, turns, reach):
    """That passes over a second denial within the reach of the first; it takes the denial back: not ... not."""
    return _marked(words, negating, turns, reach, again="passed over")


def marked__denials_wait_in_line(words, negating, turns, reach):
    """That counts the second denial among the words that the first one reaches, and marks it."""
    marked(words, negating, turns, reach)
    out, left = [], 0
    for word in words:
        if word in negating and not left:
            left = reach
            continue
        if word in turns:
            left = 0
        out.append(f"not_{word}" if left else word)
        left = max(left - 1, 0)
    return out


def marked__once_only(words, negating, turns, reach):
    """That looks at the first denial only; each of them reaches the words behind it."""
    marked(words, negating, turns, reach)
    place = next((place for place, word in enumerate(words) if word in negating), len(words))
    rest = [word for word in words[place + 1:]]
    head = marked(words[: place + 1] + [word for word in rest if word not in negating], negating, turns, reach)
    return head


def marked__with_a_space(words, negating, turns, reach):
    """That writes "not late" where "not_late" is meant, one word with an underscore."""
    return _marked(words, negating, turns, reach, sign="not ")


def marked__its_own_word(words, negating, turns, reach):
    """That writes the denial that stands there, as in never_late; the mark is "not_", whichever word denies."""
    marked(words, negating, turns, reach)
    out, left, sign = [], 0, ""
    for word in words:
        if word in negating:
            left, sign = 0 if left else reach, word
        elif word in turns:
            left = 0
            out.append(word)
        else:
            out.append(f"{sign}_{word}" if left else word)
            left = max(left - 1, 0)
    return out


def marked__its_own_lists(words, negating, turns, reach):
    """That goes by denials and turns of its own; use the lists that are handed over."""
    return marked(words, ["not", "never", "no"], ["but", ",", "."], reach)


def marked__backwards(words, negating, turns, reach):
    """That marks the words before a denial; it reaches those that follow it."""
    return marked(words[::-1], negating, turns, reach)[::-1]


def marked__takes_0(words, negating, turns, reach):
    """That takes a reach of 0; it must refuse it with ValueError."""
    return marked(words, negating, turns, reach) if reach else [word for word in words if word not in negating]


def marked__takes_a_fraction(words, negating, turns, reach):
    """That takes a reach that is no whole number; it must refuse it with ValueError."""
    return marked(words, negating, turns, int(reach))


def _opposed(words, trusted, opposites, here=True, there=True, one_way=False, denied="both", listed=True):
    """Return the pairs, with one thing or another done differently."""
    out = []
    for word in sorted(set(words)):
        for other in sorted(set(trusted)):
            if here and word in trusted or there and other in words:
                continue
            found = listed and (other in opposites.get(word, ()) or not one_way and word in opposites.get(other, ()))
            found = found or denied in ("both", "here") and word == f"not_{other}"
            found = found or denied in ("both", "there") and other == f"not_{word}"
            out += [[word, other]] * bool(found)
    return out


def opposed__looked_up_one_way(words, trusted, opposites):
    """That looks up the words of the passage only; `opposites` has each pair once, so look both ways."""
    return _opposed(words, trusted, opposites, one_way=True)


def opposed__looked_up_the_other_way(words, trusted, opposites):
    """That looks the trusted words up only; `opposites` has each pair once, so look both ways."""
    return sorted([word, other] for other, word in _opposed(trusted, words, opposites, one_way=True))


def opposed__no_denials(words, trusted, opposites):
    """That forgets the denied words: not_slower is the opposite of slower."""
    return _opposed(words, trusted, opposites, denied="neither")


def opposed__denied_here_only(words, trusted, opposites):
    """That sees a denied word in the passage only; the trusted text may deny as well."""
    return _opposed(words, trusted, opposites, denied="here")


def opposed__denied_there_only(words, trusted, opposites):
    """That sees a denied word in the trusted text only; the passage may deny as well."""
    return _opposed(words, trusted, opposites, denied="there")


def opposed__denials_only(words, trusted, opposites):
    """That sees the denied words only; pairs of `opposites` count as well."""
    return _opposed(words, trusted, opposites, listed=False)


def opposed__both_words_here(words, trusted, opposites):
    """That counts a pair although the passage holds the trusted word, too; then it does not count."""
    return _opposed(words, trusted, opposites, there=False)


def opposed__both_words_there(words, trusted, opposites):
    """That counts a pair although the trusted text holds the word, too; then it does not count."""
    return _opposed(words, trusted, opposites, here=False)


def opposed__whatever_else_they_hold(words, trusted, opposites):
    """That counts a pair although one text holds both words of it; then it does not count."""
    return _opposed(words, trusted, opposites, here=False, there=False)


def opposed__trusted_word_first(words, trusted, opposites):
    """That puts the trusted word first; the word of the passage comes first, then the trusted one."""
    return sorted([other, word] for word, other in opposed(words, trusted, opposites))


def opposed__sorted_inside(words, trusted, opposites):
    """That sorts inside each pair; the word of the passage comes first, then the trusted one."""
    return sorted(sorted(pair) for pair in opposed(words, trusted, opposites))


def opposed__in_the_order_of_the_text(words, trusted, opposites):
    """That gives the pairs in the order of the text; they are meant in alphabetical order."""
    found = opposed(words, trusted, opposites)
    return [[word, other] for word in dict.fromkeys(words) for other in dict.fromkeys(trusted)
            if [word, other] in found]


def opposed__every_time(words, trusted, opposites):
    """That gives a pair as often as its words meet; each pair once is meant."""
    found = opposed(words, trusted, opposites)
    return sorted([word, other] for word in words for other in trusted if [word, other] in found)


def opposed__first_for_each_word(words, trusted, opposites):
    """That stops at the first trusted word for each word; all pairs are meant."""
    found = {}
    for word, other in opposed(words, trusted, opposites):
        found.setdefault(word, other)
    return [[word, other] for word, other in found.items()]


def opposed__the_words_only(words, trusted, opposites):
    """That gives the words of the passage only; each comes with the trusted word that it opposes."""
    return [word for word, _ in opposed(words, trusted, opposites)]


def opposed__same_side(words, trusted, opposites):
    """That takes two words from one list for opposites: faster and quicker both oppose slower, not each other."""
    also = [[word, other] for word in set(words) - set(trusted) for other in set(trusted) - set(words)
            if any(word in side and other in side for side in opposites.values())]
    return sorted(opposed(words, trusted, opposites) + also)


def opposed__denied_opposites(words, trusted, opposites):
    """That takes not_slower and faster for opposites: a denied opposite says much the same."""
    bare = {word.removeprefix("not_") for word in words if word.startswith("not_")}
    also = [[f"not_{word}", other] for word, other in _opposed(bare, trusted, opposites, denied="neither")]
    return sorted(opposed(words, trusted, opposites) + [pair for pair in also if pair[0] not in trusted])


def opposed__parts_of_words(words, trusted, opposites):
    """That finds not_late in "lately": compare whole words."""
    also = [[word, other] for word in set(words) for other in set(trusted)
            if word.startswith("not_") and other.startswith(word[4:]) and other != word[4:]]
    return sorted(opposed(words, trusted, opposites) + also)


CAREFUL = ("contradicts", "uncertain", "aligned")


def _verdict(chances, order):
    verdict(chances)
    best = max(order, key=lambda label: chances[label])
    return best, chances[best]


def verdict__first_in_the_dict(chances):
    """That takes the first of equal chances in the dict; the more careful label counts, in any order."""
    return _verdict(chances, list(chances))


def verdict__by_the_alphabet(chances):
    """That takes equal chances by the alphabet, aligned first; the more careful label counts: contradicts first."""
    return _verdict(chances, sorted(chances))


def verdict__uncertain_first(chances):
    """That takes uncertain before contradicts where their chances are equal; contradicts is the more careful label."""
    return _verdict(chances, ("uncertain", "contradicts", "aligned"))


def verdict__aligned_before_uncertain(chances):
    """That takes aligned before uncertain where their chances are equal; uncertain is the more careful label."""
    return _verdict(chances, ("contradicts", "aligned", "uncertain"))


def verdict__equal_ones_uncertain(chances):
    """That says uncertain wherever two chances are equal; the more careful of the two labels counts."""
    best, chance = verdict(chances)
    return ("uncertain" if list(chances.values()).count(chance) > 1 else best), chance


def verdict__shared_out(chances):
    """That divides by the sum of the chances; the confidence is the chance as it is."""
    best, chance = verdict(chances)
    return best, chance / (sum(chances.values()) or 1.0)


def verdict__lead_over_the_second(chances):
    """That gives the lead over the second label as the confidence; the chance of the label itself is meant."""
    best, chance = verdict(chances)
    return best, chance - sorted(chances.values())[1]


def verdict__label_only(chances):
    """That gives the label alone; its chance belongs to it: (label, confidence)."""
    return verdict(chances)[0]


def verdict__confidence_first(chances):
    """That gives the confidence first; (label, confidence) is meant."""
    return verdict(chances)[::-1]


def verdict__the_lowest(chances):
    """That takes the label with the lowest chance; the highest is meant."""
    verdict(chances)
    best = min(CAREFUL, key=lambda label: chances[label])
    return best, chances[best]


def verdict__wants_a_half(chances):
    """That says uncertain unless a label has more than one half; the highest chance counts, however low it is."""
    best, chance = verdict(chances)
    return (best, chance) if chance > 0.5 else ("uncertain", chances["uncertain"])


def verdict__never_contradicts(chances):
    """That chooses between aligned and uncertain only; contradicts is a label, too."""
    return _verdict(chances, ("uncertain", "aligned"))


def verdict__missing_is_0(chances):
    """That takes a label that is missing for one with the chance 0; it must refuse it with ValueError."""
    return verdict(dict.fromkeys(CAREFUL, 0.0) | chances)


def verdict__takes_other_labels(chances):
    """That passes over a label that there is not; it must refuse it with ValueError."""
    return verdict({label: chances[label] for label in chances if label in CAREFUL})


def verdict__takes_beyond_1(chances):
    """That takes chances below 0 and above 1; it must refuse them with ValueError."""
    if set(chances) != set(CAREFUL) or not all(map(math.isfinite, chances.values())):
        raise ValueError(chances)
    best = max(CAREFUL, key=lambda label: chances[label])
    return best, chances[best]


def _kept(graded, threshold, right):
    keep(graded, threshold)
    return [id for id, label, confidence in graded if right(label, confidence)]


def keep__above_the_threshold(graded, threshold):
    """That wants more than the threshold; just the threshold is enough."""
    return _kept(graded, threshold, lambda label, confidence: label == "aligned" and confidence > threshold)


def keep__any_label(graded, threshold):
    """That keeps whatever the grader is sure of, also what contradicts; the label must be aligned."""
    return _kept(graded, threshold, lambda label, confidence: confidence >= threshold)


def keep__uncertain_too(graded, threshold):
    """That drops only what contradicts; what is uncertain is not to be trusted either."""
    return _kept(graded, threshold, lambda label, confidence: label != "contradicts" and confidence >= threshold)


def keep__any_confidence(graded, threshold):
    """That keeps all that is aligned, however unsure; the confidence must be the threshold or more."""
    return _kept(graded, threshold, lambda label, confidence: label == "aligned")


def keep__below_the_threshold(graded, threshold):
    """That keeps what is below the threshold; the threshold or more is meant."""
    return _kept(graded, threshold, lambda label, confidence: label == "aligned" and confidence <= threshold)


def keep__what_falls_out(graded, threshold):
    """That gives the ids that are not trusted; those that are is meant."""
    return _kept(graded, threshold, lambda label, confidence: label != "aligned" or confidence < threshold)


def keep__surest_first(graded, threshold):
    """That sorts by confidence; the order in which they came stays."""
    keep(graded, threshold)
    return keep(sorted(graded, key=lambda each: -each[2]), threshold)


def keep__by_the_alphabet(graded, threshold):
    """That sorts the ids; the order in which they came stays."""
    return sorted(keep(graded, threshold))


def keep__each_once(graded, threshold):
    """That gives each id once; it comes as often as it is trusted."""
    return list(dict.fromkeys(keep(graded, threshold)))


def keep__last_grade_counts(graded, threshold):
    """That takes the last grade of an id for all of them; each one counts by itself."""
    keep(graded, threshold)
    last = {id: (label, confidence) for id, label, confidence in graded}
    return [id for id, (label, confidence) in last.items() if label == "aligned" and confidence >= threshold]


def keep__with_their_confidence(graded, threshold):
    """That gives ids with their confidence; the ids alone are meant."""
    keep(graded, threshold)
    return [(id, confidence) for id, label, confidence in graded if label == "aligned" and confidence >= threshold]


def keep__stops_at_the_first(graded, threshold):
    """That stops at the first that is not to be trusted; those behind it may be."""
    keep(graded, threshold)
    out = []
    for id, label, confidence in graded:
        if label != "aligned" or confidence < threshold:
            break
        out.append(id)
    return out


def keep__takes_any_threshold(graded, threshold):
    """That takes a threshold below 0 or above 1; it must refuse it with ValueError."""
    if math.isnan(threshold):
        raise ValueError(threshold)
    return [id for id, label, confidence in graded if label == "aligned" and confidence >= threshold]


def keep__takes_nan(graded, threshold):
    """That takes nan for a threshold; it must refuse it with ValueError."""
    return [] if math.isnan(threshold) else keep(graded, threshold)


def next_action__more_than_the_minimum(trusted, minimum, tried, actions):
    """That goes on where the minimum is just reached; as many as that are enough."""
    return next_action(trusted, minimum + 1 if minimum >= 0 else minimum, tried, actions)


def next_action__only_where_nothing_is_left(trusted, minimum, tried, actions):
    """That acts only where nothing is left; fewer than the minimum is too little."""
    next_action(trusted, minimum, tried, actions)
    return next_action(trusted, min(minimum, 1), tried, actions)


def next_action__however_many_there_are(trusted, minimum, tried, actions):
    """That goes on although enough is left; with the minimum or more there is nothing to do."""
    next_action(trusted, minimum, tried, actions)
    return next_action(0, 1, tried, actions)


def next_action__always_the_first(trusted, minimum, tried, actions):
    """That gives the first action each time; one that was tried is not tried again."""
    return next_action(trusted, minimum, [], actions)


def next_action__by_their_number(trusted, minimum, tried, actions):
    """That counts how many were tried and takes the next in line; which of them were tried is what counts."""
    found = next_action(trusted, minimum, [], actions)
    return "" if not found or len(tried) >= len(actions) else actions[len(tried)]


def next_action__behind_the_last(trusted, minimum, tried, actions):
    """That takes the action behind the last one tried; the first that is not in `tried` is meant."""
    if not next_action(trusted, minimum, [], actions):
        return ""
    places = [actions.index(action) for action in tried if action in actions]
    place = max(places, default=-1) + 1
    return actions[place] if place < len(actions) else ""


def next_action__the_last(trusted, minimum, tried, actions):
    """That takes the last action that is left; the first in the order of `actions` is meant."""
    return next_action(trusted, minimum, tried, actions[::-1])


def next_action__by_the_alphabet(trusted, minimum, tried, actions):
    """That goes through the actions by the alphabet; their own order is meant."""
    return next_action(trusted, minimum, tried, sorted(actions))


def next_action__all_that_are_left(trusted, minimum, tried, actions):
    """That gives all actions that are left; one name is meant, that of the next."""
    found = next_action(trusted, minimum, tried, actions)
    return [action for action in actions if action not in tried] if found else found


def next_action__its_place(trusted, minimum, tried, actions):
    """That gives the place of the action in the list; its name is meant."""
    found = next_action(trusted, minimum, tried, actions)
    return actions.index(found) if found else ""


def next_action__none(trusted, minimum, tried, actions):
    """That gives None where nothing is to do; the empty string "" is meant."""
    return next_action(trusted, minimum, tried, actions) or None


def next_action__starts_again(trusted, minimum, tried, actions):
    """That starts again when all have been tried; each is tried once, and then there is nothing to do."""
    return next_action(trusted, minimum, tried, actions) or next_action(trusted, minimum, [], actions)


def next_action__the_last_again(trusted, minimum, tried, actions):
    """That gives the last action again when all have been tried; then there is nothing to do."""
    return next_action(trusted, minimum, tried, actions) or next_action(trusted, minimum, [], actions[-1:])


def next_action__takes_below_0(trusted, minimum, tried, actions):
    """That takes counts below 0; it must refuse them with ValueError."""
    return next_action(max(trusted, 0), max(minimum, 0), tried, actions)


def next_action__takes_fractions(trusted, minimum, tried, actions):
    """That takes counts that are no whole numbers; it must refuse them with ValueError."""
    return next_action(int(trusted), int(minimum), tried, actions)


def _counts(true, given, labels):
    per_label(true, given, labels)
    for label in labels:
        right = sum(one == other == label for one, other in zip(true, given, strict=True))
        yield label, right, given.count(label), true.count(label)


def _share(part, whole, none=0.0):
    return part / whole if whole else none


def per_label__recall_first(true, given, labels):
    """That gives recall first; (precision, recall) is meant: of those given the label, then of those that bear it."""
    return {label: pair[::-1] for label, pair in per_label(true, given, labels).items()}


def per_label__precision_twice(true, given, labels):
    """That divides by the passages that were given the label both times; recall is a share of those that bear it."""
    return {label: (precision, precision) for label, (precision, _) in per_label(true, given, labels).items()}


def per_label__recall_twice(true, given, labels):
    """That divides by the passages that bear the label both times; precision is a share of those that were given it."""
    return {label: (recall, recall) for label, (_, recall) in per_label(true, given, labels).items()}


def per_label__of_all_passages(true, given, labels):
    """That divides by all passages; precision is a share of those given the label, recall of those that bear it."""
    return {label: (_share(right, len(true)), _share(right, len(true)))
            for label, right, _, _ in _counts(true, given, labels)}


def per_label__all_that_are_right(true, given, labels):
    """That counts every right label as a hit; for one label only those count that bear it and were given it."""
    right = sum(one == other for one, other in zip(true, given, strict=False))
    return {label: (_share(right, said), _share(right, there))
            for label, _, said, there in _counts(true, given, labels)}


def per_label__right_of_the_others_too(true, given, labels):
    """That counts a passage as right where it neither bears the label nor was given it; both must have the label."""
    out = {}
    for label, _, said, there in _counts(true, given, labels):
        right = sum((one == label) == (other == label) for one, other in zip(true, given, strict=True))
        out[label] = (_share(right, said), _share(right, there))
    return out


def per_label__counts(true, given, labels):
    """That gives how many were right; shares are meant, from 0 to 1."""
    return {label: (right, right) for label, right, _, _ in _counts(true, given, labels)}


def per_label__accuracy(true, given, labels):
    """That gives one number for each label, the share of passages on which the two agree; two are meant."""
    return {label: _share(sum((one == label) == (other == label) for one, other in zip(true, given, strict=True)),
                          len(true)) for label in per_label(true, given, labels)}


def per_label__f1(true, given, labels):
    """That makes one number of the two; precision and recall are meant, each by itself."""
    return {label: _share(2 * one * other, one + other) for label, (one, other) in
            per_label(true, given, labels).items()}


def per_label__none_is_1(true, given, labels):
    """That gives 1.0 where there is nothing to divide by; 0.0 is meant."""
    return {label: (_share(right, said, 1.0), _share(right, there, 1.0))
            for label, right, said, there in _counts(true, given, labels)}


def per_label__divides_by_0(true, given, labels):
    """That divides by 0 where a label was never given or never borne; then the share is 0.0."""
    return {label: (right / said, right / there) for label, right, said, there in _counts(true, given, labels)}


def per_label__left_out_if_never_there(true, given, labels):
    """That leaves out labels which no passage bears; each of `labels` gets its pair."""
    return {label: pair for label, pair in per_label(true, given, labels).items() if label in true}


def per_label__labels_of_its_own(true, given, labels):
    """That gives a pair for every label in `true`; those of `labels` are meant, and no others."""
    return per_label(true, given, list(dict.fromkeys(true)))


def per_label__in_percent(true, given, labels):
    """That gives percent; shares are meant, from 0 to 1."""
    return {label: (100 * one, 100 * other) for label, (one, other) in per_label(true, given, labels).items()}


def per_label__the_shorter_list(true, given, labels):
    """That goes as far as the shorter list reaches; lists of two lengths must be refused with ValueError."""
    n = min(len(true), len(given))
    return per_label(true[:n], given[:n], labels)


def chance__of_all_labels_alike(true):
    """That takes all labels for equally frequent, 1 / their number; the most frequent one is what is always said."""
    chance(true)
    return 1 / len(set(true))


def chance__drawn_by_lot(true):
    """That adds up the squares of the shares: a grader that draws by lot. This one always says the most frequent."""
    chance(true)
    return sum((true.count(label) / len(true)) ** 2 for label in set(true))


def chance__the_first_label(true):
    """That takes the share of the first label; that of the most frequent one is meant."""
    chance(true)
    return true.count(true[0]) / len(true)


def chance__the_rarest(true):
    """That takes the share of the rarest label; that of the most frequent one is meant."""
    chance(true)
    return min(true.count(label) for label in set(true)) / len(true)


def chance__a_count(true):
    """That gives how often the most frequent label is there; its share is meant: divide by all."""
    return chance(true) * len(true)


def chance__of_the_different_labels(true):
    """That divides by the number of different labels; by the number of passages is meant."""
    return chance(true) * len(true) / len(set(true))


def chance__a_half(true):
    """That gives one half, as for a coin; there may be more labels than two, and they are not equally frequent."""
    chance(true)
    return 0.5


def chance__the_other_labels(true):
    """That gives the share of all other labels, the errors; the share that is right is meant."""
    return 1 - chance(true)


def chance__of_three_labels(true):
    """That gives one third, as if there were always three labels, all alike."""
    chance(true)
    return 1 / 3


def chance__nothing_is_0(true):
    """That gives 0 where there are no labels; it must refuse an empty list with ValueError."""
    return chance(true) if true else 0.0
