"""Other right ways to write the tasks context.*: the graded tests must pass them all."""

import bisect
import itertools
import math
import re
from collections import deque
from string import Template

import numpy as np


def tokens__quotient_and_rest(text):
    if type(text) is not str:
        raise ValueError("a text is a string")
    whole, rest = divmod(len(text), 4)
    return whole + 1 if rest else whole


def tokens__pieces(text):
    if not isinstance(text, str):
        raise ValueError(text)
    return len([text[start:start + 4] for start in range(0, len(text), 4)])


def tokens__negative_quotient(text):
    if not isinstance(text, str):
        raise ValueError(text)
    return -(-len(text) // 4)


def tokens__pattern(text):
    try:
        return len(re.findall(r"(?s).{1,4}", text))
    except TypeError:
        raise ValueError("no text") from None


def bill__step_by_step(tokens_a_question, questions, price):
    for number in (tokens_a_question, questions, price):
        if not math.isfinite(number) or number < 0:
            raise ValueError(f"{number} is no number of the kind")
    millions = tokens_a_question * questions / 1e6
    return millions * price


def bill__price_of_a_token(tokens_a_question, questions, price):
    if not all(0 <= number < math.inf for number in (tokens_a_question, questions, price)):
        raise ValueError("a number is missing")
    return questions * (tokens_a_question * (price / 1_000_000))


def bill__array(tokens_a_question, questions, price):
    given = np.array([tokens_a_question, questions, price], dtype=float)
    if not np.isfinite(given).all() or given.min() < 0:
        raise ValueError(given)
    return np.prod(given) * 1e-6


def along__interp(curve, position, n):
    if n < 1 or not 1 <= position <= n or len(curve) == 0:
        raise ValueError("no such place")
    places = sorted(curve)
    if not np.isfinite([*curve, *curve.values()]).all():
        raise ValueError(curve)
    return np.interp((position - 1) / max(n - 1, 1), places, [curve[place] for place in places])


def along__bisect(curve, position, n):
    if position not in range(1, n + 1) or not curve:
        raise ValueError(position)
    if not all(math.isfinite(number) for point in curve.items() for number in point):
        raise ValueError(curve)
    place, places = 0 if n == 1 else (position - 1) / (n - 1), sorted(curve)
    at = bisect.bisect_left(places, place)
    if at == 0:
        return curve[places[0]]
    if at == len(places):
        return curve[places[-1]]
    share = (place - places[at - 1]) / (places[at] - places[at - 1])
    return (1 - share) * curve[places[at - 1]] + share * curve[places[at]]


def along__pairs(curve, position, n):
    if n < 1 or position < 1 or position > n or not curve:
        raise ValueError((position, n))
    points = sorted(curve.items())
    if any(math.isnan(place + value) or math.isinf(place) or math.isinf(value) for place, value in points):
        raise ValueError("no number")
    place = (position - 1) / (n - 1) if n != 1 else 0.0
    if place <= points[0][0]:
        return points[0][1]
    for (left, low), (right, high) in itertools.pairwise(points):
        if left <= place <= right:
            return low + (place - left) * (high - low) / (right - left)
    return points[-1][1]


def best_last__reversed(ids):
    return list(reversed(ids))


def best_last__grown(ids):
    out = []
    for id in ids:
        out = [id, *out]
    return out


def best_last__popped(ids):
    rest, out = list(ids), []
    while rest:
        out.append(rest.pop())
    return out


def best_last__copy_turned(ids):
    out = ids.copy()
    out.reverse()
    return out


def both_ends__two_lists(ids):
    front, back = [], []
    for place, id in enumerate(ids):
        (back if place % 2 else front).append(id)
    return front + back[::-1]


def both_ends__from_the_weakest_on(ids):
    out = deque()
    for place in reversed(range(len(ids))):
        if place % 2 == 0:
            out.appendleft(ids[place])
        else:
            out.append(ids[place])
    return list(out)


def both_ends__places_filled(ids):
    out, left, right = [None] * len(ids), 0, len(ids) - 1
    for number, id in enumerate(ids, 1):
        if number % 2:
            out[left], left = id, left + 1
        else:
            out[right], right = id, right - 1
    return out


def both_ends__sorted_by_place(ids):
    order = sorted(range(len(ids)), key=lambda at: at if at % 2 == 0 else 2 * len(ids) - at)
    return [ids[at] for at in order]


def fit__sum_so_far(lengths, budget):
    if any(number < 0 or number != int(number) for number in [budget, *lengths]):
        raise ValueError("whole numbers from 0")
    kept, total = [], 0
    for position, length in enumerate(lengths):
        if total + length <= budget:
            kept.append(position)
            total += length
    return kept


def fit__sum_of_the_kept(lengths, budget):
    if min([budget, *lengths]) < 0 or not all(float(number).is_integer() for number in [budget, *lengths]):
        raise ValueError(budget)
    kept = []
    for position in range(len(lengths)):
        if sum(lengths[at] for at in kept) + lengths[position] <= budget:
            kept += [position]
    return kept


def fit__recursive(lengths, budget, start=0):
    if budget < 0 or not isinstance(budget, int) or any(not isinstance(n, int) or n < 0 for n in lengths):
        raise ValueError("tokens are whole numbers")
    if start == len(lengths):
        return []
    if lengths[start] > budget:
        return fit__recursive(lengths, budget, start + 1)
    return [start, *fit__recursive(lengths, budget - lengths[start], start + 1)]


def fit__array(lengths, budget):
    given = np.asarray([budget, *lengths], dtype=float)
    if (given < 0).any() or (given != np.floor(given)).any():
        raise ValueError(given)
    kept, left = np.zeros(len(lengths), dtype=bool), given[0]
    for position, length in enumerate(given[1:]):
        if length <= left:
            kept[position], left = True, left - length
    return np.flatnonzero(kept)


def _whole(number):
    if isinstance(number, float) and not number.is_integer() or number < 1:
        raise ValueError(f"{number} is no whole number from 1")
    return int(number)


def label__joined(number, document, page):
    return "".join(["[", str(_whole(number)), "] ", document, ", page ", str(_whole(page))])


def label__words(number, document, page):
    if number < 1 or page < 1 or number % 1 or page % 1:
        raise ValueError((number, page))
    return " ".join([f"[{number}]", f"{document},", "page", str(page)])


def label__template(number, document, page):
    return Template("[$number] $document, page $page").substitute(number=_whole(number), document=document,
                                                                  page=_whole(page))


def prompt__grown(question, sources, note):
    text = f"{note}\n\n" if note != "" else ""
    for number, source in enumerate(sources, start=1):
        if not isinstance(source, dict) or any(key not in source for key in ("document", "page", "text")):
            raise ValueError(f"source {number} is none")
        text += label__joined(number, source["document"], source["page"]) + "\n" + source["text"] + "\n\n"
    return text + "Question: " + question


def prompt__lines(question, sources, note):
    lines = [note, ""] if note else []
    for place in range(len(sources)):
        try:
            document, page, text = (sources[place][key] for key in ("document", "page", "text"))
        except KeyError as error:
            raise ValueError(f"a source without {error}") from None
        lines += [label__words(place + 1, document, page), text, ""]
    return "\n".join([*lines, f"Question: {question}"])


def prompt__filtered(question, sources, note):
    for source in sources:
        if not {"document", "page", "text"}.issubset(source):
            raise ValueError(source)
    pages = "\n\n".join(label__template(number, source["document"], source["page"]) + f"\n{source['text']}"
                        for number, source in zip(itertools.count(1), sources, strict=False))
    return "\n\n".join(part for part in (note, pages, f"Question: {question}") if part)
