"""Corrective RAG: a passage can be on the point and false, and its relevance score does not know.

The problem. "A moving clock runs more slowly" and "a moving clock runs more quickly" share all words but one. Any
search gives both the same place, near the top, since both are about what was asked. Whether a passage is true is a
second field, and a second reader has to fill it in: it compares the passage with something that is trusted, a
reference. Then something is done about it.

1. Grade: aligned, contradicts or uncertain, with a confidence and the reason in words. A rule can see three signs: an
   opposite where the reference has the word (slower, faster), a denial (not slower), a number that is not there.
2. Filter: only what is aligned, with a confidence of the threshold or more, is kept.
3. Act: too little is left? More candidates, the question in other words, a search in the references, a wider scope, and
   at last the reference itself. Each is tried once at most, and each is named. Filtering alone corrects nothing.

How good the grader is, is measured for each label, beside chance and beside relevance alone. Where two sets of scores
overlap is told by one number:

    told apart = share of the pairs (one true, one false) in which the true one scores higher; ties count half

Sources: S.-Q. Yan and others, "Corrective retrieval augmented generation", 2024, for grade, filter, act; M.-C. de
Marneffe, A. Rafferty and C. Manning, "Finding contradictions in text", ACL 2008, for the signs; S. Das and M. Chen,
"Yahoo! for Amazon", 2001, for marking what a denial reaches; J. Hanley and B. McNeil, "The meaning and use of the area
under a receiver operating characteristic (ROC) curve", 1982, for the last formula.
"""

import math
import re
import reprlib

LABELS = ("aligned", "contradicts", "uncertain")


def told_apart(true: list[float], false: list[float]) -> float:
    """Say how well scores tell true passages from false ones: 0.5 is not at all, 1.0 is wholly.

    Of all pairs of one number from `true` and one from `false`, the share in which the one from `true` is higher; a
    pair of equal numbers counts one half. Below 0.5 the false ones score higher. Raises ValueError where a list is
    empty or holds what is no finite number.
    Lesson 17, "Two fields, not one".

    >>> told_apart([0.9, 0.5], [0.5, 0.2, 0.7, 0.95])
    0.5625
    """
    true, false = _finite(true, "true"), _finite(false, "false")
    if not true or not false:
        raise ValueError("One of the two lists is empty: there is no pair to compare.")
    won = sum(1.0 if one > other else 0.5 if one == other else 0.0 for one in true for other in false)
    return won / (len(true) * len(false))


def numbers(text: str, words: dict[str, float]) -> list[float]:
    """Return the values that a text states, each once, ascending, as floats.

    A number begins with a digit before which no letter, digit, point, comma, underscore or ^ stands: v^2, E4432 and x2
    state none. It goes on with digits, groups of a comma and three digits (1,284), and a point with digits behind it
    (1.25). What follows does not matter: "0.6c", "50 %" and "3." are 0.6, 50 and 3. A fraction of two such numbers with
    nothing but / between is one value (5/3 is 1.6667), unless the lower one is 0: then each counts by itself. A minus
    sign is not looked at, and what is too large for a float is left out. `words` is {word in lower case: value}; they
    count as whole words, in any case, where a hyphen parts words. No number gives []. Raises ValueError for what is no
    string.
    Lesson 17, "Three signs".

    >>> numbers("At 0.6 c gamma is 5/4: two clocks, 1,000 ticks each, E = mc^2.", {"two": 2.0, "ten": 10.0})
    [0.6, 1.25, 2.0, 1000.0]
    """
    if not isinstance(text, str):
        raise ValueError(f"A text is a string, and {text!r} is none.")
    one = r"\d+(?:,\d{3}(?!\d))*(?:\.\d+)?"
    found = set()
    for match in re.finditer(rf"(?<![\w.,^])({one})(?:/({one}))?", text):
        upper, lower = (float(part.replace(",", "")) if part else None for part in match.groups())
        if lower is None:
            found.add(upper)
        elif lower == 0:
            found.update((upper, lower))
        else:
            found.add(upper / lower)
    found.update(float(words[word]) for word in re.findall(r"[^\W\d_]+", text.lower()) if word in words)
    return sorted(value for value in found if math.isfinite(value))


def unmatched(stated: list[float], trusted: list[float], tolerance: float) -> list[float]:
    """Return the numbers of `stated` that none of `trusted` is near, in their order.

    Two numbers are near where they differ by at most `tolerance` times the trusted one, its sign left out: at 0.01
    within one percent of it, the limit included. Nothing trusted: all of them come back. Raises ValueError for a
    tolerance below 0 and for what is no finite number.
    Lesson 17, "Three signs".

    >>> unmatched([1.25, 0.8, 1.66], [5 / 3, 0.6, 1.25], tolerance=0.01)
    [0.8]
    """
    stated, trusted = _finite(stated, "stated"), _finite(trusted, "trusted")
    if not _finite([tolerance], "tolerance") or tolerance < 0:
        raise ValueError(f"The tolerance is {tolerance!r}; it must be 0 or more (0.01 is one percent).")
    return [number for number in stated
            if not any(abs(number - other) <= tolerance * abs(other) for other in trusted)]


def marked(words: list[str], negating: list[str], turns: list[str], reach: int) -> list[str]:
    """Return the words with "not_" before each that a denial reaches; the denying words themselves are left out.

    A word of `negating` reaches the `reach` words that follow it. A word of `turns`, such as "but" or ".", ends its
    reach and is kept as it is. Another word of `negating` within the reach takes the denial back: from there on nothing
    is marked, until the next one. Words are taken as they are handed in, in lower case. Raises ValueError for a reach
    that is no whole number or below 1.
    Lesson 17, "Three signs".

    >>> marked("it is not slower here but it never is not late".split(), ["not", "never"], ["but"], reach=2)
    ['it', 'is', 'not_slower', 'not_here', 'but', 'it', 'not_is', 'late']
    """
    if isinstance(reach, bool) or not isinstance(reach, int) or reach < 1:
        raise ValueError(f"The reach is {reach!r}; it must be a whole number, 1 or more.")
    out, left = [], 0
    for word in words:
        if word in negating:
            left = 0 if left else reach
        elif word in turns:
            left = 0
            out.append(word)
        else:
            out.append(f"not_{word}" if left else word)
            left = max(left - 1, 0)
    return out


def opposed(words: list[str], trusted: list[str], opposites: dict[str, list[str]]) -> list[list[str]]:
    """Return the pairs [word, trusted word] that say the opposite, each pair once, in alphabetical order.

    Two words say the opposite where one stands in the list that `opposites` has for the other, looked up both ways, or
    where one is "not_" and the other word: not_slower and slower. Both texts may hold both words of a pair: where the
    word also stands in `trusted`, or the trusted word also in `words`, the pair does not count. Words are taken as they
    are handed in, in lower case, and a word that comes twice counts once. Nothing to compare gives [].
    Lesson 17, "Three signs".

    >>> opposed(["runs", "faster", "not_late"], ["late", "runs", "slower", "early"], {"slower": ["faster", "quicker"]})
    [['faster', 'slower'], ['not_late', 'late']]
    """
    here, there = set(words), set(trusted)
    return [[word, other] for word in sorted(here - there) for other in sorted(there - here)
            if other in opposites.get(word, ()) or word in opposites.get(other, ())
            or word == f"not_{other}" or other == f"not_{word}"]


def verdict(chances: dict[str, float]) -> tuple[str, float]:
    """Return (label, confidence): the label with the highest chance, and that chance.

    `chances` is {"aligned": ..., "contradicts": ..., "uncertain": ...}, each from 0 to 1, in any order. Of equal
    chances the more careful label counts: contradicts before uncertain, and uncertain before aligned. Raises ValueError
    where a label is missing or unknown, and for what is no number from 0 to 1.
    Lesson 17, "From signs to a label".

    >>> verdict({"aligned": 0.4, "contradicts": 0.2, "uncertain": 0.4})
    ('uncertain', 0.4)
    """
    careful = ("contradicts", "uncertain", "aligned")
    if not isinstance(chances, dict) or set(chances) != set(careful):
        raise ValueError("Give the chances of aligned, contradicts and uncertain, in a dict, and of nothing else.")
    if not all(0 <= chance <= 1 for chance in _finite(chances.values(), "chances")):
        raise ValueError("A chance is a number from 0 to 1.")
    best = max(careful, key=lambda label: chances[label])  # max keeps the first of equals
    return best, float(chances[best])


def keep(graded: list[tuple[str, str, float]], threshold: float) -> list[str]:
    """Return the ids that can be trusted: label "aligned", and a confidence of `threshold` or more; their order stays.

    `graded` holds (id, label, confidence). Raises ValueError for a threshold that is no number from 0 to 1.
    Lesson 17, "Keep what can be trusted".

    >>> keep([("a", "aligned", 0.6), ("b", "contradicts", 0.9), ("c", "aligned", 0.7)], threshold=0.7)
    ['c']
    """
    if not _finite([threshold], "threshold") or not 0 <= threshold <= 1:
        raise ValueError(f"The threshold is {threshold!r}; it must be a number from 0 to 1.")
    return [id for id, label, confidence in graded if label == "aligned" and confidence >= threshold]


def next_action(trusted: int, minimum: int, tried: list[str], actions: list[str]) -> str:
    """Return the name of what is tried next: the first of `actions` that is not in `tried`; "" where nothing is to do.

    Nothing is to do where `trusted`, the number of trusted chunks, is `minimum` or more, or when all have been tried.
    The order of `tried` does not matter. Raises ValueError for numbers that are not whole, or below 0.
    Lesson 17, "When too little is left".

    >>> next_action(1, 2, ["more candidates"], ["more candidates", "other words", "the reference"])
    'other words'
    """
    for number, name in ((trusted, "trusted"), (minimum, "minimum")):
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            raise ValueError(f"{name} is {number!r}; it must be a whole number, 0 or more.")
    if trusted >= minimum:
        return ""
    return next((action for action in actions if action not in tried), "")


def per_label(true: list[str], given: list[str], labels: list[str]) -> dict[str, tuple[float, float]]:
    """Return {label: (precision, recall)} for each of `labels`, in their order.

    `true` and `given` hold a label for each passage, the right one and the grader's, in the same order. Precision: of
    the passages that were given the label, the share that bear it truly; 0.0 where none was given it. Recall: of those
    that bear it truly, the share that were given it; 0.0 where none bears it. Raises ValueError where the two lists are
    not of one length.
    Lesson 17, "How good is the grader?".

    >>> per_label(["yes", "yes", "yes", "no"], ["yes", "no", "yes", "no"], ["yes", "no", "open"])
    {'yes': (1.0, 0.6666666666666666), 'no': (0.5, 1.0), 'open': (0.0, 0.0)}
    """
    if len(true) != len(given):
        raise ValueError(f"There are {len(true)} true labels and {len(given)} given ones; each passage needs both.")
    out = {}
    for label in labels:
        right = sum(one == other == label for one, other in zip(true, given, strict=True))
        said, there = list(given).count(label), list(true).count(label)
        out[label] = (right / said if said else 0.0, right / there if there else 0.0)
    return out


def chance(true: list[str]) -> float:
    """Return the accuracy of a grader that reads nothing and always says the label that is most frequent in `true`.

    Raises ValueError for an empty list.
    Lesson 17, "How good is the grader?".

    >>> chance(["aligned", "contradicts", "aligned", "uncertain", "aligned"])
    0.6
    """
    if not true:
        raise ValueError("There are no labels: nothing can be guessed.")
    return max(list(true).count(label) for label in set(true)) / len(true)


def _finite(values, name: str) -> list[float]:
    """Return numbers as a list. Raises ValueError for what is no finite number."""
    values = list(values)
    for value in values:
        try:
            right = not isinstance(value, (bool, str)) and hasattr(value, "__float__") and math.isfinite(value)
        except (OverflowError, TypeError):  # a whole number of more than 308 digits; an array
            right = False
        if not right:
            raise ValueError(f"{name} holds {reprlib.repr(value)}, which is no finite number.")
    return values
