"""Other right ways to write the tasks corrective.*: the graded tests must pass them all."""

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from fractions import Fraction

import numpy as np


def told_apart__loop(true, false):
    if len(true) == 0 or len(false) == 0:
        raise ValueError("nothing to compare")
    won = 0.0
    for one in true:
        for other in false:
            if not (math.isfinite(one) and math.isfinite(other)):
                raise ValueError("not finite")
            if one > other:
                won += 1
            elif one == other:
                won += 0.5
    return won / len(true) / len(false)


def told_apart__arrays(true, false):
    one, other = np.asarray(true, float)[:, None], np.asarray(false, float)[None, :]
    if one.size == 0 or other.size == 0 or not np.isfinite(one).all() or not np.isfinite(other).all():
        raise ValueError("two lists of finite numbers, please")
    return np.mean((np.sign(one - other) + 1) / 2)


def told_apart__sorted(true, false):
    if not true or not false or not all(map(math.isfinite, [*true, *false])):
        raise ValueError
    order = sorted(false)
    return sum(bisect_left(order, one) + bisect_right(order, one) for one in true) / (2 * len(true) * len(false))


def numbers__replaced(text, words):
    if type(text) is not str:
        raise ValueError("no text")
    found = set()
    for piece in re.findall(r"(?<![^\W]|[.,^])[0-9][0-9,]*(?:\.[0-9]+)?(?:/[0-9][0-9,]*(?:\.[0-9]+)?)?", text):
        parts = [float(re.match(r"\d+(?:,\d{3}(?!\d))*(?:\.\d+)?", part).group().replace(",", ""))
                 for part in piece.split("/")]
        found |= {parts[0] / parts[1]} if len(parts) == 2 and parts[1] else set(parts)
    for word in re.split(r"[\W\d_]+", text.lower()):
        if word in words:
            found.add(words[word])
    return sorted(found - {math.inf})


def numbers__sign_by_sign(text, words):
    if not isinstance(text, str):
        raise ValueError("a text is a string")

    def read(at):
        """Return the value that begins at a place, and where it ends."""
        end = at
        while end < len(text) and text[end].isdigit():
            end += 1
        while re.match(r",\d\d\d(?!\d)", text[end:]):
            end += 4
        if re.match(r"\.\d", text[end:]):
            end += 1
            while end < len(text) and text[end].isdigit():
                end += 1
        return float(text[at:end].replace(",", "")), end

    found, at = [], 0
    while at < len(text):
        before = text[at - 1] if at else " "
        if text[at].isdigit() and not (before.isalnum() or before in "_.,^"):
            value, at = read(at)
            if text[at : at + 1] == "/" and text[at + 1 : at + 2].isdigit():
                lower, at = read(at + 1)
                found += [value / lower] if lower else [value, lower]
            else:
                found.append(value)
        else:
            at += 1
    found += [words[word] for word in re.findall("[a-z]+", text.lower()) if word in words]
    return sorted({number for number in found if number < math.inf})


def numbers__fractions(text, words):
    if not isinstance(text, str):
        raise ValueError("a text, please")
    one = r"\d+(?:,\d{3})*(?:\.\d+)?"
    values = []
    for match in re.finditer(rf"(?<![A-Za-z0-9_.,^]){one}(?:/{one})?", text):
        upper, slash, lower = match[0].replace(",", "").partition("/")
        if slash and float(lower):
            values.append(float(Fraction(upper) / Fraction(lower)))
        else:
            values += [float(part) for part in (upper, lower) if part and len(part) < 300]
    values += [words[word] for word in re.sub(r"[^a-z]", " ", text.lower()).split() if word in words]
    return np.unique(np.array(values, float))


def unmatched__loop(stated, trusted, tolerance):
    if not tolerance >= 0:
        raise ValueError("the tolerance is below 0")
    for number in [*stated, *trusted]:
        if not math.isfinite(number):
            raise ValueError("not finite")
    out = []
    for number in stated:
        for other in trusted:
            if abs(number - other) <= tolerance * abs(other):
                break
        else:
            out.append(number)
    return out


def unmatched__arrays(stated, trusted, tolerance):
    one, other = np.array(stated, float), np.array(trusted, float)
    if not tolerance >= 0 or not (np.isfinite(one).all() and np.isfinite(other).all()):
        raise ValueError("finite numbers and a tolerance from 0, please")
    near = np.abs(one[:, None] - other[None, :]) <= tolerance * np.abs(other)[None, :]
    return one[~near.any(axis=1)]


def unmatched__between(stated, trusted, tolerance):
    if tolerance < 0 or not all(map(math.isfinite, [*stated, *trusted, tolerance])):
        raise ValueError
    spans = [sorted((other * (1 - tolerance), other * (1 + tolerance))) for other in trusted]
    return [number for number in stated if all(not low <= number <= high for low, high in spans)]


def marked__one_at_a_time(words, negating, turns, reach):
    if type(reach) is not int or reach < 1:
        raise ValueError("reach")
    out, since = [], None  # how many words since the denial; None: none holds
    for word in words:
        if word in negating:
            since = None if since is not None else 0
        elif word in turns:
            since = None
            out.append(word)
        elif since is None:
            out.append(word)
        else:
            out.append("not_" + word)
            since = since + 1 if since + 1 < reach else None
    return out


def marked__recursive(words, negating, turns, reach):
    if not isinstance(reach, int) or reach <= 0:
        raise ValueError(reach)

    def walk(rest, left):
        if not rest:
            return []
        word, rest = rest[0], rest[1:]
        if word in set(negating):
            return walk(rest, 0 if left > 0 else reach)
        if word in set(turns):
            return [word, *walk(rest, 0)]
        return [f"not_{word}" if left > 0 else word, *walk(rest, left - 1)]

    return walk(list(words), 0)


def marked__places(words, negating, turns, reach):
    if reach != int(reach) or reach < 1:
        raise ValueError("a whole number from 1")
    denied, place = [False] * len(words), 0
    while place < len(words):
        if words[place] in negating:
            left, place = reach, place + 1
            while place < len(words) and left and words[place] not in turns and words[place] not in negating:
                denied[place] = True
                left, place = left - 1, place + 1
            if left and place < len(words) and words[place] in negating:
                place += 1  # taken back
        else:
            place += 1
    return ["not_" * no + word for word, no in zip(words, denied, strict=True) if word not in negating]


def opposed__pairs_first(words, trusted, opposites):
    pairs = {(one, other) for one, others in opposites.items() for other in others}
    pairs |= {(other, one) for one, other in pairs}
    for word in [*words, *trusted]:
        if word.startswith("not_"):
            pairs |= {(word, word[4:]), (word[4:], word)}
    return sorted([one, other] for one, other in pairs
                  if one in words and other in trusted and one not in trusted and other not in words)


def opposed__loop(words, trusted, opposites):
    out = []
    for word in words:
        for other in trusted:
            if word in trusted or other in words:
                continue
            listed = other in opposites.get(word, []) or word in opposites.get(other, [])
            if (listed or "not_" + word == other or "not_" + other == word) and [word, other] not in out:
                out.append([word, other])
    out.sort()
    return out


def opposed__per_word(words, trusted, opposites):
    here = [word for word in words if word not in trusted]
    there = [word for word in trusted if word not in words]
    out = set()
    for word in here:
        against = set(opposites.get(word, ())) | {one for one, others in opposites.items() if word in others}
        against |= {f"not_{word}"} | ({word.removeprefix("not_")} if word.startswith("not_") else set())
        out |= {(word, other) for other in against.intersection(there)}
    return sorted(out)


CAREFUL = ["contradicts", "uncertain", "aligned"]


def verdict__step_by_step(chances):
    if sorted(chances) != sorted(CAREFUL):
        raise ValueError("three labels")
    best = "aligned"
    for chance in chances.values():
        if not 0 <= chance <= 1:
            raise ValueError("from 0 to 1")
    for label in ("uncertain", "contradicts"):
        if chances[label] >= chances[best]:
            best = label
    return best, chances[best]


def verdict__sorted(chances):
    if chances.keys() != set(CAREFUL) or not all(0 <= chance <= 1 for chance in chances.values()):
        raise ValueError("what are these chances?")
    order = sorted(CAREFUL, key=lambda label: (-chances[label], CAREFUL.index(label)))
    return [order[0], chances[order[0]]]


def verdict__array(chances):
    if len(chances) != 3 or any(label not in chances for label in CAREFUL):
        raise ValueError("labels")
    values = np.array([chances[label] for label in CAREFUL])
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError("chances")
    return CAREFUL[int(np.argmax(values))], values.max()


def keep__loop(graded, threshold):
    if not 0 <= threshold <= 1:
        raise ValueError("from 0 to 1")
    out = []
    for id, label, confidence in graded:
        if label == "aligned" and not confidence < threshold:
            out.append(id)
    return out


def keep__filter(graded, threshold):
    if not (threshold >= 0 and threshold <= 1):
        raise ValueError(threshold)
    return [each[0] for each in filter(lambda each: each[1] == "aligned" and each[2] >= threshold, graded)]


def keep__two_steps(graded, threshold):
    if math.isnan(threshold) or threshold < 0 or threshold > 1:
        raise ValueError("threshold")
    aligned = [(id, confidence) for id, label, confidence in graded if label == "aligned"]
    return tuple(id for id, confidence in aligned if confidence >= threshold)


def next_action__loop(trusted, minimum, tried, actions):
    if type(trusted) is not int or type(minimum) is not int or trusted < 0 or minimum < 0:
        raise ValueError("whole numbers from 0")
    if trusted < minimum:
        for action in actions:
            if action not in tried:
                return action
    return ""


def next_action__left(trusted, minimum, tried, actions):
    if min(trusted, minimum) < 0 or trusted != int(trusted) or minimum != int(minimum):
        raise ValueError((trusted, minimum))
    left = [action for action in actions if action not in set(tried)]
    return left[0] if left and trusted < minimum else ""


def next_action__by_place(trusted, minimum, tried, actions):
    if not (isinstance(trusted, int) and isinstance(minimum, int)) or trusted < 0 or minimum < 0:
        raise ValueError("counts")
    place = 0
    while trusted < minimum and place < len(actions):
        if tried.count(actions[place]) == 0:
            return actions[place]
        place += 1
    return ""


def per_label__counters(true, given, labels):
    if len(true) != len(given):
        raise ValueError("two lengths")
    right = Counter(one for one, other in zip(true, given, strict=True) if one == other)
    said, there = Counter(given), Counter(true)
    return {label: (right[label] / max(said[label], 1), right[label] / max(there[label], 1)) for label in labels}


def per_label__loop(true, given, labels):
    if len(true) > len(given) or len(given) > len(true):
        raise ValueError
    out = {}
    for label in labels:
        hits = wrong = missed = 0
        for one, other in zip(true, given, strict=True):
            hits += one == label and other == label
            wrong += one != label and other == label
            missed += one == label and other != label
        precision = hits / (hits + wrong) if hits + wrong > 0 else 0
        recall = hits / (hits + missed) if hits + missed > 0 else 0
        out[label] = [precision, recall]
    return out


def per_label__arrays(true, given, labels):
    true, given = np.array(true, dtype=str), np.array(given, dtype=str)
    if true.shape != given.shape:
        raise ValueError("as many labels here as there")
    out = {}
    for label in labels:
        there, said = true == label, given == label
        both = float((there & said).sum())
        out[label] = (both / said.sum() if said.any() else 0.0, both / there.sum() if there.any() else 0.0)
    return out


def chance__counter(true):
    if len(true) == 0:
        raise ValueError("no labels")
    return Counter(true).most_common(1)[0][1] / len(true)


def chance__array(true):
    if not len(true):
        raise ValueError("no labels")
    return np.unique(np.array(true), return_counts=True)[1].max() / len(true)


def chance__loop(true):
    counts = {}
    for label in true:
        counts[label] = counts.get(label, 0) + 1
    if not counts:
        raise ValueError("nothing to guess")
    return sorted(counts.values())[-1] / sum(counts.values())
