"""Common mistakes in the tasks rewrite.*, each with the sentence that a learner reads.

Each follows the reference but for the one thing that its sentence names.
"""

import re

import numpy as np

from firstprinciples.generate.rewrite import (
    acronyms,
    condensed,
    last_turns,
    long_form,
    mean_vector,
    phrasings,
    spelled_out,
    topic_words,
    words_of,
)


def words_of__spaces_only(text):
    """That leaves punctuation at the ends of words, so that "pay?" is another word than "pay"."""
    return text.split()


def words_of__taken_apart(text):
    """That cuts words at the punctuation inside them: 1,284.50 and LK-204-B are one word each."""
    return re.findall(r"\w+", text)


def words_of__all_punctuation_out(text):
    """That takes punctuation out of the middle of words, too; take it away at both ends only, as `strip` does."""
    return [word for piece in words_of(text) if (word := re.sub(r"[^\w\s]", "", piece))]


def words_of__lower_case(text):
    """That gives the words in lower case; they are meant as they are written."""
    return [word.lower() for word in words_of(text)]


def words_of__only_behind(text):
    """That takes punctuation away behind a word and leaves what stands before it, such as a parenthesis."""
    return [word for piece in text.split() if (word := piece.rstrip("()!?.,:;'\"-$"))]


def words_of__empty_words(text):
    """That keeps an empty word where a piece is nothing but punctuation; leave it out."""
    return [piece.strip("()!?.,:;'\"-$") for piece in text.split()]


def words_of__each_once(text):
    """That gives each word once; a word comes as often as it stands in the text."""
    return list(dict.fromkeys(words_of(text)))


def words_of__one_space(text):
    """That cuts at single spaces only; tabs, line ends and several spaces part words, too: `split()` alone."""
    return [word.strip("()!?.,:;'\"-$") for word in text.split(" ") if word.strip("()!?.,:;'\"-$")]


def _follows(question, history, pointing, common, most=2):
    telling = 0
    for word in [word.lower() for word in words_of(question)]:
        if word in pointing:
            break
        telling += word not in common
    return bool(history) and telling <= most


def is_follow_up__without_a_history(question, history, pointing, common):
    """That finds a follow-up where nothing was said before; without a history it is never one."""
    return _follows(question, [None], pointing, common)


def is_follow_up__parts_of_words(question, history, pointing, common):
    """That finds "it" inside "kit"; compare whole words."""
    inside = [word.lower() for word in words_of(question) if any(each in word.lower() for each in pointing)]
    return _follows(question, history, inside, common)


def is_follow_up__never_points(question, history, pointing, common):
    """That never looks at the pointing words; what comes after the first of them does not count."""
    return _follows(question, history, [], common)


def is_follow_up__wherever_it_points(question, history, pointing, common):
    """That takes any question with a pointing word for a follow-up; one late in the question points into it."""
    points = any(word.lower() in pointing for word in words_of(question))
    return bool(history) and points or _follows(question, history, pointing, common)


def is_follow_up__must_point(question, history, pointing, common):
    """That asks for a pointing word; without one, hardly a word that tells something makes a follow-up, too."""
    return any(word.lower() in pointing for word in words_of(question)) and _follows(question, history, pointing,
                                                                                    common)


def is_follow_up__words_behind_it_too(question, history, pointing, common):
    """That counts what stands behind the pointing word as well; only what stands before the first one counts."""
    return _follows(question, history, [], [*common, *pointing])


def is_follow_up__last_word_that_points(question, history, pointing, common):
    """That counts up to the last pointing word; the first one decides."""
    words = [word.lower() for word in words_of(question)]
    places = [place for place, word in enumerate(words) if word in pointing] or [len(words)]
    return bool(history) and sum(word not in [*common, *pointing] for word in words[: places[-1]]) <= 2


def is_follow_up__one_word_at_most(question, history, pointing, common):
    """That allows one word that tells something; at most two are meant."""
    return _follows(question, history, pointing, common, most=1)


def is_follow_up__three_words(question, history, pointing, common):
    """That allows three words that tell something; at most two are meant."""
    return _follows(question, history, pointing, common, most=3)


def is_follow_up__all_words_count(question, history, pointing, common):
    """That counts the common words as if they told something; leave those out."""
    return _follows(question, history, pointing, [])


def is_follow_up__each_once(question, history, pointing, common):
    """That counts each word once; it counts as often as it stands in the question."""
    return _follows(" ".join(dict.fromkeys(words_of(question.lower()))), history, pointing, common)


def _telling(words, pointing, common):
    places = [place for place, word in enumerate(words) if word in pointing] or [len(words)]
    return sum(word not in common for word in words[: places[0]])


def is_follow_up__case(question, history, pointing, common):
    """That tells upper case from lower case: "THEY" points as "they" does, and "When" is as common as "when"."""
    return bool(history) and _telling(words_of(question), pointing, common) <= 2


def is_follow_up__punctuation(question, history, pointing, common):
    """That compares words with their punctuation: "it?" is in no list; use `words_of`."""
    return bool(history) and _telling(question.lower().split(), pointing, common) <= 2


def is_follow_up__its_own_list(question, history, pointing, common):
    """That goes by pointing words of its own; use the lists that are handed over."""
    return _follows(question, history, ["it", "they", "that", "ones", "them", "this", "those"], common)


def _topics(history, most, common, age=lambda age: 1 / age, name=2, first=False, newest=True, once=True):
    """Return the topic words with one thing or another done differently."""
    if most < 1:
        raise ValueError(most)
    weights, names, written = {}, set(), {}
    for number, turn in enumerate(reversed(history), 1):
        seen = set()
        for place, word in enumerate(words_of(turn["text"])):
            key = word.lower()
            if key in common:
                continue
            written[key] = written.get(key, word) if newest else word
            if (place > 0 or first) and (word != key or any(sign.isdigit() for sign in word)):
                names.add(key)
            if key not in seen or not once:
                weights[key] = weights.get(key, 0) + age(number)
            seen.add(key)
    heaviest = sorted(weights, key=lambda key: -weights[key] * (name if key in names else 1))
    return [written[key] for key in heaviest[:most]]


def topic_words__oldest_first(history, most, common):
    """That gives the oldest turn the age 1; the newest one has it."""
    return _topics(history[::-1], most, common)


def topic_words__all_turns_alike(history, most, common):
    """That counts all turns alike; an older turn counts less, 1 / age."""
    return _topics(history, most, common, age=lambda age: 1)


def topic_words__by_age(history, most, common):
    """That adds up the ages, so that old turns weigh most; add up 1 / age."""
    return _topics(history, most, common, age=lambda age: age)


def topic_words__age_from_zero(history, most, common):
    """That begins the ages at 0, and adds 1 / (age + 2) or the like; the newest turn has age 1 and weighs 1."""
    return _topics(history, most, common, age=lambda age: 1 / (age + 1))


def topic_words__newest_turn_only(history, most, common):
    """That reads the newest turn only; older ones count as well, by 1 / age."""
    return topic_words(history[-1:], most, common)


def topic_words__newest_turn_that_holds_it(history, most, common):
    """That weighs a word by the newest turn that holds it only; add up 1 / age over all turns that do."""
    if most < 1:
        raise ValueError(most)
    ordered = _topics(history, 999, common)
    texts = [[word.lower() for word in words_of(turn["text"])] for turn in reversed(history)]
    names = {word.lower() for turn in history for word in words_of(turn["text"])[1:]
             if word != word.lower() or any(sign.isdigit() for sign in word)}
    age = {word: next(n for n, words in enumerate(texts, 1) if word.lower() in words) for word in ordered}
    place = {word: texts[age[word] - 1].index(word.lower()) for word in ordered}
    return sorted(ordered, key=lambda word: (-(2 if word.lower() in names else 1) / age[word], age[word],
                                             place[word]))[:most]


def topic_words__names_like_others(history, most, common):
    """That weighs names as all other words; a name weighs twice as much."""
    return _topics(history, most, common, name=1)


def topic_words__first_word_a_name(history, most, common):
    """That takes the first word of a turn for a name; there every word begins with a capital letter."""
    return _topics(history, most, common, first=True)


def topic_words__digits_are_no_name(history, most, common):
    """That takes capital letters for a sign of a name but not digits: 17 and LK-204 weigh twice, too."""
    digits = [{**turn, "text": re.sub(r"\b\d+\b", lambda found: found[0].translate(LETTERS), turn["text"])}
              for turn in history]
    return [word.translate(DIGITS) for word in topic_words(digits, most, common)]


LETTERS = {ord(digit): chr(0x1F00 + number) for number, digit in enumerate("0123456789")}  # small letters
DIGITS = {place: chr(digit) for digit, place in ((digit, ord(sign)) for digit, sign in LETTERS.items())}


def topic_words__only_the_first_letter(history, most, common):
    """That looks for a capital at the start of a word only; one anywhere, or a digit, makes a name."""
    if most < 1:
        raise ValueError(most)
    ordered = _topics(history, 999, common, name=1)
    texts = [words_of(turn["text"]) for turn in reversed(history)]
    weight = {word: sum(1 / age for age, words in enumerate(texts, 1) if word.lower() in map(str.lower, words))
              for word in ordered}
    names = {word.lower() for words in texts for word in words[1:] if word[0].isupper()}
    return sorted(ordered, key=lambda word: -weight[word] * (2 if word.lower() in names else 1))[:most]


def topic_words__every_time(history, most, common):
    """That counts a word as often as it stands in a turn; once a turn is meant."""
    return _topics(history, most, common, once=False)


def topic_words__case(history, most, common):
    """That takes Rope and rope for two words; upper and lower case are one."""
    if most < 1:
        raise ValueError(most)
    texts = [words_of(turn["text"]) for turn in reversed(history)]
    weight = {}
    for age, words in enumerate(texts, 1):
        for word in dict.fromkeys(words):
            if word.lower() not in common:
                weight[word] = weight.get(word, 0) + 1 / age
    names = {word for words in texts for word in words[1:] if word != word.lower() or re.search(r"\d", word)}
    return sorted(weight, key=lambda word: -weight[word] * (2 if word in names else 1))[:most]


def topic_words__oldest_spelling(history, most, common):
    """That writes a word as the oldest turn has it; the newest turn that holds it says how."""
    return _topics(history, most, common, newest=False)


def topic_words__lower_case(history, most, common):
    """That gives the words in lower case; they are meant as they are written in the newest turn that holds them."""
    return [word.lower() for word in topic_words(history, most, common)]


def topic_words__common_words_too(history, most, common):
    """That keeps the common words, which say nothing about the topic; leave them out."""
    return topic_words(history, most, [])


def topic_words__common_in_lower_case_only(history, most, common):
    """That leaves out common words in lower case only; "The" and "WHO" are common, too."""
    capital = {word for turn in history for word in words_of(turn["text"]) if word != word.lower()}
    return topic_words(history, most, [word for word in common if word not in {each.lower() for each in capital}])


def topic_words__user_only(history, most, common):
    """That reads the turns of the user only; the answers count alike, and often they hold the name."""
    if most < 1:
        raise ValueError(most)
    return _topics([turn if turn["role"] == "user" else {**turn, "text": ""} for turn in history], most, common)


def topic_words__alphabet(history, most, common):
    """That orders equal weights by the alphabet; the newer turn comes first, then the order in it."""
    order = _topics(sorted(history, key=lambda turn: 0), 999, common)
    texts = [words_of(turn["text"]) for turn in reversed(history)]
    names = {word.lower() for words in texts for word in words[1:] if word != word.lower() or re.search(r"\d", word)}
    weight = {word: (2 if word.lower() in names else 1) * sum(
        1 / age for age, words in enumerate(texts, 1) if word.lower() in map(str.lower, words)) for word in order}
    if most < 1:
        raise ValueError(most)
    return sorted(order, key=lambda word: (-weight[word], word.lower()))[:most]


def topic_words__all(history, most, common):
    """That gives all topic words; at most `most` of them are meant."""
    topic_words(history, most, common)
    return topic_words(history, 999, common)


def topic_words__takes_none(history, most, common):
    """That takes a limit of 0 and gives nothing; it must refuse it with ValueError."""
    return topic_words(history, most, common) if most else []


def condensed__words_in_front(question, words):
    """That puts the words in front of the question; they come behind it."""
    return " ".join([*condensed("", words).split(), question]) if condensed(question, words) != question else question


def condensed__all_words(question, words):
    """That adds words that the question has already; only those are added that it lacks."""
    return " ".join([question, *words])


def condensed__parts_of_words(question, words):
    """That finds "rent" inside "rented" and does not add it; compare whole words."""
    lacking = [word for word in dict.fromkeys(words) if word.lower() not in question.lower()]
    return condensed(question, lacking)


def condensed__case(question, words):
    """That takes "Pay" and "pay" for two words; upper and lower case are one word."""
    return " ".join([question, *(word for word in dict.fromkeys(words) if word not in words_of(question))])


def condensed__punctuation(question, words):
    """That misses the last word of the question because of its question mark, and adds it again; use `words_of`."""
    has = {word.lower() for word in question.split()}
    unique = {word.lower(): word for word in reversed(words)}
    return " ".join([question, *(word for word in words if unique.pop(word.lower(), None) and word.lower() not in has)])


def condensed__twice(question, words):
    """That adds a word twice if it comes twice in the list; once is enough."""
    has = {word.lower() for word in words_of(question)}
    return " ".join([question, *(word for word in words if word.lower() not in has)])


def condensed__sorted(question, words):
    """That puts the words into another order; the heaviest come first, as they are handed over."""
    return " ".join([question, *sorted(condensed("", words).split())]) if words else question


def condensed__lower_case(question, words):
    """That adds the words in lower case; they are meant as they are written."""
    return condensed(question, [word.lower() for word in words])


def condensed__commas(question, words):
    """That puts commas between the words; one space is meant."""
    more = condensed(question, words)[len(question):].split()
    return " ".join([question, ", ".join(more)]) if more else question


def condensed__a_space_behind(question, words):
    """That leaves a space at the end where nothing is added; then the question stays as it is."""
    return question + " " + condensed(question, words)[len(question):].strip()


def condensed__written_anew(question, words):
    """That puts the question together anew from its words, without its punctuation and its spaces; keep it as it is."""
    return " ".join([*words_of(question), *condensed(question, words)[len(question):].split()])


def condensed__words_only(question, words):
    """That gives the added words without the question; they come behind it."""
    return condensed(question, words)[len(question):].strip()


def _size(turn):
    return len(words_of(turn["text"]))


def last_turns__the_first_ones(history, most_words):
    """That keeps the oldest turns; the newest ones are meant."""
    if most_words < 1:
        raise ValueError(most_words)
    kept, left = [], most_words
    for turn in history:
        left -= _size(turn)
        if left < 0:
            break
        kept.append(turn)
    return kept


def last_turns__newest_first(history, most_words):
    """That gives the newest turn first; they stay in their order, oldest first."""
    return last_turns(history, most_words)[::-1]


def last_turns__number_of_turns(history, most_words):
    """That takes the limit for a number of turns; it is a number of words."""
    if most_words < 1:
        raise ValueError(most_words)
    return history[-most_words:]


def last_turns__characters(history, most_words):
    """That counts characters; count words."""
    if most_words < 1:
        raise ValueError(most_words)
    return last_turns([{**turn, "text": "w " * len(turn["text"]), "was": turn} for turn in history], most_words) and [
        turn["was"] for turn in last_turns([{**turn, "text": "w " * len(turn["text"]), "was": turn}
                                            for turn in history], most_words)]


def last_turns__less_than(history, most_words):
    """That leaves out a turn that just fits: words may be as many as the limit."""
    return last_turns(history, max(most_words - 1, 1)) if most_words >= 1 else last_turns(history, most_words)


def last_turns__one_too_many(history, most_words):
    """That keeps the turn that goes beyond the limit; only turns that fit wholly stay."""
    kept = last_turns(history, most_words)
    rest = [turn for turn in history if turn not in kept]
    return [turn for turn in history if turn in [*kept, *rest[-1:]]]


def last_turns__gaps(history, most_words):
    """That goes on after a turn that does not fit, and so leaves it out between two that stay; stop there."""
    if most_words < 1:
        raise ValueError(most_words)
    asked = [place for place, turn in enumerate(history) if turn["role"] == "user"][-1:]
    left, kept = most_words - sum(_size(history[place]) for place in asked), set(asked)
    for place in reversed(range(len(history))):
        if place not in kept and _size(history[place]) <= left:
            left -= _size(history[place])
            kept.add(place)
    return [history[place] for place in sorted(kept)]


def last_turns__user_left_out(history, most_words):
    """That leaves out the last turn of the user where it does not fit; it stays in any case."""
    if most_words < 1:
        raise ValueError(most_words)
    kept, left = [], most_words
    for turn in reversed(history):
        left -= _size(turn)
        if left < 0:
            break
        kept.insert(0, turn)
    return kept


def last_turns__user_not_counted(history, most_words):
    """That does not count the words of the user's last turn; they are counted first."""
    asked = [turn for turn in history if turn["role"] == "user"][-1:]
    return last_turns(history, most_words + sum(map(_size, asked))) if most_words >= 1 else last_turns(history, 0)


def last_turns__user_counted_in_its_turn(history, most_words):
    """That keeps the user's last turn but counts its words only when it is reached; they are counted first."""
    kept = last_turns__user_left_out(history, most_words)
    asked = [turn for turn in history if turn["role"] == "user"][-1:]
    return [turn for turn in history if turn in [*kept, *asked]]


def last_turns__cut(history, most_words):
    """That cuts a turn to what fits; turns are kept whole or not at all."""
    kept = last_turns(history, most_words)
    rest, left = [turn for turn in history if turn not in kept], most_words - sum(map(_size, kept))
    cut = [{**turn, "text": " ".join(words_of(turn["text"])[-left:])} for turn in rest[-1:] if left > 0]
    return [*cut, *kept]


def last_turns__user_only(history, most_words):
    """That keeps the turns of the user only; the answers belong to the conversation."""
    return [turn for turn in last_turns(history, most_words) if turn["role"] == "user"]


def last_turns__texts(history, most_words):
    """That gives the texts without the roles; the turns are meant as they are."""
    return [turn["text"] for turn in last_turns(history, most_words)]


def last_turns__takes_none(history, most_words):
    """That takes a limit of 0 words and keeps the last question; it must refuse it with ValueError."""
    return last_turns(history, max(most_words, 1))


def long_form__initials_only(short, before):
    """That takes the first letters of words only; a letter may stand inside a word, but for the first one."""
    words, signs = before.split(), [sign for sign in short.lower() if sign.isalnum()]
    place = len(words)
    for sign in reversed(signs):
        place -= 1
        while place >= 0 and words[place][0].lower() != sign:
            place -= 1
        if place < 0:
            return ""
    return " ".join(words[place:])


def long_form__first_inside_a_word(short, before):
    """That lets the first letter stand inside a word; it must begin one."""
    text, place = before.lower(), len(before)
    for sign in reversed([sign for sign in short.lower() if sign.isalnum()]):
        place = text.rfind(sign, 0, max(place, 0))
        if place < 0:
            return ""
    return before[place:]


def long_form__from_the_front(short, before):
    """That reads from the front; read both backwards, so that the nearest words count."""
    text, place, start = before.lower(), -1, None
    for sign in [sign for sign in short.lower() if sign.isalnum()]:
        place = text.find(sign, place + 1)
        while start is None and place > 0 and text[place - 1].isalnum():
            place = text.find(sign, place + 1)
        if place < 0:
            return ""
        start = place if start is None else start
    return before[start:]


def long_form__case(short, before):
    """That tells upper case from lower case; an H is the h of health."""
    place = len(before)
    for number, sign in reversed(list(enumerate(sign for sign in short if sign.isalnum()))):
        place = before.rfind(sign, 0, max(place, 0))
        while number == 0 and place > 0 and before[place - 1].isalnum():
            place = before.rfind(sign, 0, place)
        if place < 0:
            return ""
    return before[place:]


def long_form__lower_case(short, before):
    """That gives the long form in lower case; it is meant as it is written."""
    return long_form(short, before.lower())


def long_form__signs_between(short, before):
    """That looks for the & of R&D as well; only letters and digits are looked for."""
    return long_form(short, before) if all(sign.isalnum() or sign in before for sign in short) else ""


def long_form__letters_only(short, before):
    """That looks for letters only; digits count, too, as in B2B."""
    return long_form("".join(sign for sign in short if sign.isalpha()), before)


def long_form__same_place_twice(short, before):
    """That uses one letter of the text for two of the short form; each must be found before the last one."""
    text, place = before.lower(), len(before)
    for number, sign in reversed(list(enumerate(sign for sign in short.lower() if sign.isalnum()))):
        place = text.rfind(sign, 0, place + 1)
        while number == 0 and place > 0 and text[place - 1].isalnum():
            place = text.rfind(sign, 0, place)
        if place < 0:
            return ""
    return before[place:]


def long_form__as_many_words_as_letters(short, before):
    """That takes as many words as there are letters; a word may hold two letters, or none."""
    return " ".join(before.split()[-len(short):]) if long_form(short, before) else ""


def long_form__ends_with_the_last_letter(short, before):
    """That ends with the word of the last letter; the long form goes to the end of the text."""
    found, signs = long_form(short, before), [sign for sign in short.lower() if sign.isalnum()]
    last = found.lower().rfind(signs[-1]) if found else 0
    return (found[:last] + re.match(r"\w*", found[last:])[0]) if found else ""


def long_form__whole_text(short, before):
    """That gives the whole text; the long form begins with the word of the first letter."""
    return before if long_form(short, before) else ""


def long_form__none_is_none(short, before):
    """That gives None where there is no long form; an empty text is meant."""
    return long_form(short, before) or None


def _pairs(texts, back=lambda size: min(size + 5, 2 * size), before_too=True, inside_too=True, short=None, words=2,
           look=long_form, joined=True):
    """Return all (short form, long form) of the texts, with one thing or another done differently."""
    def usual(word):
        return bool(re.fullmatch(r"[A-Za-z0-9]{2,10}", word)) and len(re.findall("[A-Z0-9]", word)) >= 2 and bool(
            re.search("[A-Z]", word))

    short, found = short or usual, []
    for text in texts:
        for match in re.finditer(r"([^()]*)\(([^()]*)\)", text):
            before, inside = match[1].split(), match[2].split()
            if len(inside) == 1 and short(inside[0]):
                if inside_too:
                    long = look(inside[0], " ".join(before[-back(len(inside[0])):]))
                    if not joined and long:
                        long = match[1].rstrip()[-len(long):]
                    found.append((inside[0], long))
            elif before and short(before[-1]) and before_too:
                found.append((before[-1], look(before[-1], " ".join(inside) if joined else match[2])))
    return [(name, long) for name, long in found if len(long.split()) >= words]


def _most_frequent(pairs, last=False, case=True, other=False):
    out = {}
    for name in dict.fromkeys(name for name, _ in pairs):
        longs = {}
        for long in (long for each, long in pairs if each == name):
            longs.setdefault(long.lower() if case else long, []).append(long)
        groups = list(longs.values())
        best = max(reversed(groups) if last else groups, key=len)
        out[name] = best[0]
    return out


def acronyms__parentheses_hold_the_short_form_only(texts):
    """That reads "long form (LF)" only; "LF (long form)" spells it out, too."""
    return _most_frequent(_pairs(texts, before_too=False))


def acronyms__parentheses_hold_the_long_form_only(texts):
    """That reads "LF (long form)" only; "long form (LF)" is the more frequent of the two."""
    return _most_frequent(_pairs(texts, inside_too=False))


def acronyms__any_word_in_parentheses(texts):
    """That takes any single word in parentheses for a short form; it has at least two capitals or digits."""
    return _most_frequent(_pairs(texts, short=lambda word: word.isalnum() and 2 <= len(word) <= 10))


def acronyms__numbers(texts):
    """That takes a number such as 2024 for a short form; one of its signs must be a capital letter."""
    return _most_frequent(_pairs(texts, short=lambda word: bool(
        re.fullmatch(r"[A-Za-z0-9]{2,10}", word)) and len(re.findall("[A-Z0-9]", word)) >= 2))


def acronyms__any_length(texts):
    """That takes a word of more than 10 letters for a short form; 2 to 10 are meant."""
    return _most_frequent(_pairs(texts, short=lambda word: word.isalnum() and len(re.findall("[A-Z0-9]", word)) >= 2
                                 and bool(re.search("[A-Z]", word))))


def acronyms__letters_unseen(texts):
    """That does not look whether the letters are there: "by the hour (HSA)" spells nothing out."""
    return _most_frequent(_pairs(texts, look=lambda short, words: long_form(short, words)
                                 or " ".join(words.split()[-len(short):])))


def acronyms__single_words(texts):
    """That takes one word for a long form; it must be more than one."""
    return _most_frequent(_pairs(texts, words=1))


def acronyms__from_anywhere(texts):
    """That looks for the long form in the whole text before; only so many words count as the sentence says."""
    return _most_frequent(_pairs(texts, back=lambda size: 999))


def acronyms__as_many_words_as_signs(texts):
    """That looks back as many words as the short form has signs; a long form may have small words in between."""
    return _most_frequent(_pairs(texts, back=lambda size: size))


def acronyms__five_more_words(texts):
    """That looks back as many words as signs and five; twice the signs where that is less."""
    return _most_frequent(_pairs(texts, back=lambda size: size + 5))


def acronyms__the_last_one(texts):
    """That keeps the long form seen last; the most frequent one counts."""
    return {name: long for name, long in _pairs(texts)}


def acronyms__the_first_one(texts):
    """That keeps the long form seen first; the most frequent one counts."""
    return {name: long for name, long in reversed(_pairs(texts))}


def acronyms__last_of_equals(texts):
    """That keeps the last of equally frequent long forms; the first seen counts."""
    return _most_frequent(_pairs(texts), last=True)


def acronyms__last_by_letters(texts):
    """That takes the greatest text, the last in the order of letters; the most frequent long form counts."""
    found = {}
    for name, long in _pairs(texts):
        found[name] = max(long, found.get(name, ""))
    return found


def acronyms__one_of_several_words_inside(texts):
    """That reads the first of several words in parentheses as a short form; it stands there alone."""
    return acronyms([re.sub(r"\(([A-Z]{2,}) [^()]*\)", r"(\1)", text) for text in texts])


def acronyms__case(texts):
    """That counts "Claims Office" and "claims office" apart; upper and lower case are alike."""
    return _most_frequent(_pairs(texts), case=False)


def acronyms__lower_case(texts):
    """That gives long forms in lower case; they are meant as they are written where first seen."""
    return {name: long.lower() for name, long in acronyms(texts).items()}


def acronyms__short_in_lower_case(texts):
    """That writes short forms in lower case; they are meant as they stand in the text."""
    return {name.lower(): long for name, long in acronyms(texts).items()}


def acronyms__turned_round(texts):
    """That gives {long form: short form}; a question holds the short one, and that is the key."""
    return {long: name for name, long in acronyms(texts).items()}


def acronyms__white_space(texts):
    """That keeps line ends and runs of spaces in long forms; white space becomes one space."""
    return _most_frequent(_pairs(texts, joined=False))


def acronyms__all_long_forms(texts):
    """That gives a list of all long forms; the most frequent one is meant."""
    found = {}
    for name, long in _pairs(texts):
        found.setdefault(name, []).append(long)
    return found


def _spelled(question, acronyms, once=True, case=True, form="{} ({})", there=True, whole=r"\w+(?:[-.,/_]\w+)*"):
    known = acronyms if case else {short.lower(): long for short, long in acronyms.items()}
    done = {short for short, long in known.items() if there and long.lower() in question.lower()}

    def behind(match):
        short = match.group() if case else match.group().lower()
        if short not in known or short in done:
            return match.group()
        if once:
            done.add(short)
        return form.format(match.group(), known[short])

    return re.sub(whole, behind, question)


def spelled_out__every_time(question, acronyms):
    """That spells a short form out wherever it stands; once, where it comes first, is enough."""
    return _spelled(question, acronyms, once=False)


def spelled_out__in_its_place(question, acronyms):
    """That puts the long form in the place of the short one; both stay, since some pages have the short one only."""
    return _spelled(question, acronyms, form="{1}")


def spelled_out__turned_round(question, acronyms):
    """That writes the long form first and the short one in parentheses; the long form comes behind."""
    return _spelled(question, acronyms, form="{1} ({0})")


def spelled_out__no_parentheses(question, acronyms):
    """That leaves out the parentheses around the long form."""
    return _spelled(question, acronyms, form="{} {}")


def spelled_out__any_case(question, acronyms):
    """That takes "us" for "US"; a short form counts in just its case."""
    return _spelled(question, acronyms, case=False)


def spelled_out__inside_words(question, acronyms):
    """That finds US inside USB; only whole words count."""
    for short, long in acronyms.items():
        if long.lower() not in question.lower():
            question = question.replace(short, f"{short} ({long})", 1)
    return question


def spelled_out__inside_codes(question, acronyms):
    """That finds LK in LK-204-B; a code is one word."""
    return _spelled(question, acronyms, whole=r"\w+")


def spelled_out__split_at_spaces(question, acronyms):
    """That misses a short form with a sign behind it, such as a question mark; the word is what stands before it."""
    return _spelled(question, acronyms, whole=r"\S+")


def spelled_out__though_it_is_there(question, acronyms):
    """That adds the long form where the question has it already; then the question stays as it is."""
    return _spelled(question, acronyms, there=False)


def spelled_out__there_in_just_this_case(question, acronyms):
    """That finds a long form in the question in just one case; "Health Savings Account" is there in any case."""
    there = {short: long for short, long in acronyms.items() if long not in question}
    return _spelled(question, there, there=False)


def spelled_out__first_short_form_only(question, acronyms):
    """That stops after one short form; each of them is spelled out."""
    for short in re.findall(r"\w+(?:[-.,/_]\w+)*", question):
        if (text := spelled_out(question, {short: acronyms[short]} if short in acronyms else {})) != question:
            return text
    return question


def spelled_out__at_the_end(question, acronyms):
    """That puts the long forms at the end of the question; each comes right behind its short form."""
    new = re.findall(r"\w+(?:[-.,/_]\w+)*", question)
    more = [acronyms[short] for short in dict.fromkeys(new)
            if short in acronyms and acronyms[short].lower() not in question.lower()]
    return " ".join([question, *(f"({long})" for long in more)])


def spelled_out__written_anew(question, acronyms):
    """That puts the question together anew and loses spaces; all but the long forms stays as it is."""
    return " ".join(spelled_out(question, acronyms).split())


def _replaced(text, word, other, count=0, flags=re.IGNORECASE, whole=True):
    edge = (r"(?<!\w)", r"(?!\w)") if whole else ("", "")
    return re.sub(f"{edge[0]}{re.escape(word)}{edge[1]}", lambda _: other, text, count=count, flags=flags)


def _phrased(question, synonyms, most, first=True, by_word=False, twice=False, lower=str.lower, **how):
    if most < 1:
        raise ValueError(most)
    words = [word.lower() for word in words_of(question)]
    jobs = [(n, place) for place, word in enumerate(words) for n in range(len(synonyms.get(word, [])))]
    out = [question] if first else []
    for n, place in jobs if by_word else sorted(jobs):
        text = _replaced(question, words[place], synonyms[words[place]][n], **how)
        if twice or lower(text) not in [lower(known) for known in [question, *out]]:
            out.append(text)
    return out[:most]


def phrasings__without_the_question(question, synonyms, most):
    """That leaves out the question itself; it is the first of the phrasings."""
    return _phrased(question, synonyms, most, first=False)


def phrasings__word_by_word(question, synonyms, most):
    """That takes all synonyms of the first word before the next word; the first synonym of each word comes first."""
    return _phrased(question, synonyms, most, by_word=True)


def phrasings__one_more(question, synonyms, most):
    """That gives one phrasing too many; the question counts among the `most`."""
    phrasings(question, synonyms, most)
    return phrasings(question, synonyms, most + 1)


def phrasings__all(question, synonyms, most):
    """That gives all phrasings; at most `most` are meant."""
    phrasings(question, synonyms, most)
    return phrasings(question, synonyms, 999)


def phrasings__takes_none(question, synonyms, most):
    """That takes a limit of 0 and gives no text; it must refuse it with ValueError."""
    return phrasings(question, synonyms, most) if most else []


def phrasings__piled_up(question, synonyms, most):
    """That replaces one word after another in the same text; each phrasing has one word replaced."""
    phrasings(question, synonyms, most)
    out, text = [question], question
    words = [word.lower() for word in words_of(question)]
    for n in range(max((len(synonyms.get(word, [])) for word in words), default=0)):
        for word in words:
            for other in synonyms.get(word, [])[n:n + 1]:
                text = _replaced(text, word, other)
                if text.lower() not in [known.lower() for known in out]:
                    out.append(text)
    return out[:most]


def phrasings__inside_words(question, synonyms, most):
    """That replaces "bill" inside "billboard", too; only whole words count."""
    return _phrased(question, synonyms, most, whole=False)


def phrasings__case(question, synonyms, most):
    """That finds a word in lower case only; "Bill" is a bill, too."""
    return _phrased(question, synonyms, most, flags=0)


def phrasings__first_place_only(question, synonyms, most):
    """That replaces the word where it comes first only; wherever it stands is meant."""
    return _phrased(question, synonyms, most, count=1)


def phrasings__repeats(question, synonyms, most):
    """That gives a text twice; each comes once."""
    return _phrased(question, synonyms, most, twice=True)


def phrasings__repeats_in_another_case(question, synonyms, most):
    """That gives a text again that differs in upper and lower case only; that is no other phrasing."""
    return _phrased(question, synonyms, most, lower=str)


def phrasings__order_of_the_table(question, synonyms, most):
    """That goes by the order of the table of synonyms; the order of the words in the question is meant."""
    table = sorted((word for word in synonyms if word in [each.lower() for each in words_of(question)]),
                   key=list(synonyms).index)
    jobs = sorted((n, place) for place, word in enumerate(table) for n in range(len(synonyms[word])))
    out = phrasings(question, synonyms, most)[:1]
    for n, place in jobs:
        text = _replaced(question, table[place], synonyms[table[place]][n])
        if text.lower() not in [known.lower() for known in out]:
            out.append(text)
    return out[:most]


def phrasings__first_synonyms_only(question, synonyms, most):
    """That uses the first synonym of each word only; the others come after these."""
    return phrasings(question, {word: others[:1] for word, others in synonyms.items()}, most)


def phrasings__added(question, synonyms, most):
    """That puts the synonym behind the word; it takes its place."""
    phrasings(question, synonyms, most)
    return phrasings(question, {word: [f"{word} {other}" for other in others] for word, others in synonyms.items()},
                     most)


def phrasings__lower_case(question, synonyms, most):
    """That gives the phrasings in lower case; all but the replaced word stays as it is."""
    return [text.lower() for text in phrasings(question, synonyms, most)]


def mean_vector__not_length_one(question_vector, answer_vectors):
    """That is the mean alone; it is brought to length 1 afterwards."""
    return np.vstack([np.asarray(question_vector, dtype=float)[None, :], answer_vectors]).mean(axis=0)


def mean_vector__answers_only(question_vector, answer_vectors):
    """That leaves out the question; it counts as one answer does, so that a wrong answer can't lead all astray."""
    rows = np.asarray(answer_vectors, dtype=float)
    return _unit(rows.mean(axis=0)) if len(rows) else np.zeros(len(question_vector))


def mean_vector__question_only(question_vector, answer_vectors):
    """That leaves out the answers, for whose sake all this is done."""
    return _unit(np.asarray(question_vector, dtype=float))


def mean_vector__question_as_much_as_all_answers(question_vector, answer_vectors):
    """That gives the question as much weight as all answers together; it counts as one of them."""
    question, rows = np.asarray(question_vector, dtype=float), np.asarray(answer_vectors, dtype=float)
    return _unit(question + rows.mean(axis=0)) if len(rows) else _unit(question)


def mean_vector__each_at_length_one(question_vector, answer_vectors):
    """That brings each vector to length 1 before the mean; only the mean is."""
    question, rows = np.asarray(question_vector, dtype=float), np.asarray(answer_vectors, dtype=float)
    return mean_vector(_unit(question), np.array([_unit(row) for row in rows]).reshape(rows.shape))


def mean_vector__divided_by_zero(question_vector, answer_vectors):
    """That divides by the length of a mean of zeros; zeros stay zeros."""
    mean = mean_vector__not_length_one(question_vector, answer_vectors)
    with np.errstate(all="ignore"):
        return mean / np.linalg.norm(mean)


def mean_vector__sum_of_one(question_vector, answer_vectors):
    """That divides by the sum of the numbers; length 1 is meant, the root of the sum of their squares."""
    mean = mean_vector__not_length_one(question_vector, answer_vectors)
    return mean / (np.abs(mean).sum() or 1)


def mean_vector__largest_is_one(question_vector, answer_vectors):
    """That divides by the largest number; length 1 is meant, the root of the sum of their squares."""
    mean = mean_vector__not_length_one(question_vector, answer_vectors)
    return mean / (np.abs(mean).max() or 1)


def mean_vector__no_root(question_vector, answer_vectors):
    """That divides by the square of the length; the root is missing."""
    mean = mean_vector__not_length_one(question_vector, answer_vectors)
    return mean / ((mean**2).sum() or 1)


def mean_vector__wrong_axis(question_vector, answer_vectors):
    """That is the mean of each vector, one number for each; the mean of all vectors is meant, d numbers."""
    rows = np.vstack([np.asarray(question_vector, dtype=float)[None, :], answer_vectors])
    return _unit(rows.mean(axis=1))


def mean_vector__best_answer(question_vector, answer_vectors):
    """That takes for each number the largest of all vectors; the mean is meant."""
    return _unit(np.vstack([np.asarray(question_vector, dtype=float)[None, :], answer_vectors]).max(axis=0))


def mean_vector__first_answer(question_vector, answer_vectors):
    """That uses the first answer only; all of them count."""
    return mean_vector(question_vector, np.asarray(answer_vectors, dtype=float)[:1])


def _unit(vector):
    return vector / (np.linalg.norm(vector) or 1.0)
