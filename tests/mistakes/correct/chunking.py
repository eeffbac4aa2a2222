"""Other right ways to write the tasks chunking.*: the graded tests must pass them all."""

import re

import numpy as np


def quote_survives__patterns(text, spans, quote):
    words = quote.split()
    if not words:
        raise ValueError("quote")
    pattern = re.compile(r"\s+".join(map(re.escape, words)))
    return any(pattern.search(text[start:end]) is not None for start, end in spans)


def quote_survives__loop(text, spans, quote):
    if quote.strip() == "":
        raise ValueError("quote")
    wanted = re.sub(r"\s+", " ", quote).strip()
    for start, end in spans:
        if wanted in re.sub(r"\s+", " ", text[start:end]):
            return True
    return False


def quote_survives__places(text, spans, quote):
    if not quote.split():
        raise ValueError("quote")
    found = re.finditer(r"\s+".join(re.escape(word) for word in quote.split()), text)
    places = [match.span() for match in found]
    return np.bool_(any(start <= a and b <= end for a, b in places for start, end in spans))


def _checked(size, overlap):
    if not 0 <= overlap < size:
        raise ValueError("overlap")


def windows__range(n, size, overlap):
    _checked(size, overlap)
    starts = range(0, max(n - overlap, 1), size - overlap) if n else []
    return [(start, min(start + size, n)) for start in starts]


def windows__while(n, size, overlap):
    if overlap < 0 or overlap >= size:
        raise ValueError("overlap")
    out, end = [], 0
    while end < n:
        start = end - overlap if out else 0
        end = min(start + size, n)
        out.append([start, end])
    return out


def windows__counted(n, size, overlap):
    _checked(size, overlap)
    if n == 0:
        return []
    count = 1 + max(0, -(-(n - size) // (size - overlap)))
    starts = np.arange(count) * (size - overlap)
    return np.stack([starts, np.minimum(starts + size, n)], axis=1)


def fixed__by_windows(text, size, overlap):
    words = [match.span() for match in re.finditer(r"\S+", text)]
    return [(words[a][0], words[b - 1][1]) for a, b in windows__range(len(words), size, overlap)]


def fixed__by_the_letter(text, size, overlap):
    starts = [i for i, c in enumerate(text) if not c.isspace() and (i == 0 or text[i - 1].isspace())]
    ends = [i + 1 for i, c in enumerate(text) if not c.isspace() and (i + 1 == len(text) or text[i + 1].isspace())]
    return [[starts[a], ends[b - 1]] for a, b in windows__while(len(starts), size, overlap)]


def fixed__found_one_after_the_other(text, size, overlap):
    spans, place = [], 0
    for word in text.split():
        place = text.index(word, place)
        spans.append((place, place + len(word)))
        place += len(word)
    groups = [spans[a:b] for a, b in windows__counted(len(spans), size, overlap)]
    return [(group[0][0], group[-1][1]) for group in groups]


def packed__lists(lengths, limit):
    if limit < 1:
        raise ValueError("limit")
    packs = []
    for place, length in enumerate(lengths):
        if packs and sum(lengths[i] for i in packs[-1]) + length <= limit:
            packs[-1].append(place)
        else:
            packs.append([place])
    return [(pack[0], pack[-1] + 1) for pack in packs]


def packed__as_far_as_it_goes(lengths, limit):
    if limit <= 0:
        raise ValueError("limit")
    out, first = [], 0
    while first < len(lengths):
        last = first + 1
        while last < len(lengths) and sum(lengths[first:last + 1]) <= limit:
            last += 1
        out.append([first, last])
        first = last
    return out


def packed__running_sums(lengths, limit):
    if limit < 1:
        raise ValueError("limit")
    sums, out, first = np.concatenate([[0], np.cumsum(lengths)]), [], 0
    while first < len(lengths):
        last = max(int(np.searchsorted(sums, sums[first] + limit, side="right")) - 1, first + 1)
        out.append((first, last))
        first = last
    return np.array(out) if out else []


def headings__lines(text):
    out, place, fenced = [], 0, False
    for line in text.split("\n"):
        if line.startswith("```"):
            fenced = not fenced
        match = re.fullmatch(r"(#{1,6}) +(.*\S)\s*", line)
        if match and not fenced:
            out.append((place, len(match[1]), match[2]))
        place += len(line) + 1
    return out


def headings__code_taken_out(text):
    plain = re.sub(r"^```.*?^```", lambda m: " " * len(m[0]), text, flags=re.MULTILINE | re.DOTALL)
    return [[m.start(), len(m[1]), m[2].strip()] for m in re.finditer(r"^(#{1,6})[ \t]+(.+)$", plain, re.MULTILINE)]


def headings__counted(text):
    out, place, fences = [], 0, 0
    for line in text.splitlines(keepends=True):
        signs = len(line) - len(line.lstrip("#"))
        fences += line.startswith("```")
        if 1 <= signs <= 6 and line[signs] == " " and fences % 2 == 0:
            out.append((place, signs, line[signs:].strip()))
        place += len(line)
    return out


def sections__stack(text):
    found = headings__lines(text)
    places = [start for start, _, _ in found] + [len(text)]
    out = [(0, places[0], [])] if places[0] > 0 else []
    levels, titles = [], []
    for number, (start, level, title) in enumerate(found):
        while levels and levels[-1] >= level:
            levels.pop()
            titles.pop()
        levels.append(level)
        titles.append(title)
        out.append((start, places[number + 1], list(titles)))
    return out


def sections__looked_up_from_below(text):
    found = headings__counted(text)
    out = []
    for place, (start, level, title) in enumerate(found):
        path, least = [title], level
        for _, above, name in reversed(found[:place]):
            if above < least:
                path.insert(0, name)
                least = above
        out.append([start, found[place + 1][0] if place + 1 < len(found) else len(text), path])
    first = found[0][0] if found else len(text)
    return ([[0, first, []]] if first else []) + out


def sections__by_level(text):
    out, open_now, start, path = [], {}, 0, []
    for place, level, title in headings__lines(text):
        if place > start:
            out.append((start, place, path))
        open_now = {deep: name for deep, name in open_now.items() if deep < level} | {level: title}
        start, path = place, [open_now[deep] for deep in sorted(open_now)]
    return [*out, (start, len(text), path)] if text else []


def distances__loop(vectors):
    out = []
    for i in range(len(vectors) - 1):
        a, b = np.asarray(vectors[i]), np.asarray(vectors[i + 1])
        lengths = np.linalg.norm(a) * np.linalg.norm(b)
        out.append(1 - float(a @ b) / lengths if lengths else 1.0)
    return out


def distances__float32(vectors):
    rows = np.asarray(vectors, dtype=np.float32)
    if len(rows) < 2:
        return np.zeros(0, dtype=np.float32)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    rows = rows / np.where(norms == 0, np.float32(1), norms)
    return 1 - np.einsum("nd,nd->n", rows[:-1], rows[1:])


def distances__table(vectors):
    rows = np.array([np.asarray(row) / (np.linalg.norm(row) or 1) for row in vectors])
    return 1 - np.diagonal(rows @ rows.T, offset=1) if len(rows) else []


def _percent(percent):
    if percent < 0 or percent > 100:
        raise ValueError("percent")


def breaks__percentile(distances, percent):
    _percent(percent)
    limit = np.percentile(distances, percent) if len(distances) else 0
    return [i for i, distance in enumerate(distances) if distance > limit]


def breaks__where(distances, percent):
    _percent(percent)
    if len(distances) == 0:
        return []
    return np.where(np.array(distances) > np.quantile(distances, percent / 100))[0]


def breaks__by_hand(distances, percent):
    _percent(percent)
    values = sorted(distances)
    if not values:
        return []
    place = (len(values) - 1) * percent / 100
    low = int(place)
    high = min(low + 1, len(values) - 1)
    limit = values[low] + (values[high] - values[low]) * (place - low)
    return [i for i in range(len(distances)) if distances[i] > limit + 1e-12]


def _known(ranked, parent_of):
    if not {child for child, _ in ranked} <= set(parent_of):
        raise ValueError("a child without a parent")


def to_parents__groups(ranked, parent_of):
    _known(ranked, parent_of)
    scores = {}
    for child, score in ranked:
        scores.setdefault(parent_of[child], []).append(score)
    return sorted(((parent, max(own)) for parent, own in scores.items()), key=lambda pair: (-pair[1], pair[0]))


def to_parents__first_in_order(ranked, parent_of):
    _known(ranked, parent_of)
    best = {}
    for child, score in sorted(ranked, key=lambda pair: -pair[1]):
        best.setdefault(parent_of[child], score)
    return [[parent, best[parent]] for parent in sorted(best, key=lambda parent: (-best[parent], parent))]


def to_parents__two_sorts(ranked, parent_of):
    _known(ranked, parent_of)
    best = {}
    for child, score in ranked:
        parent = parent_of[child]
        if parent not in best or score > best[parent]:
            best[parent] = np.float64(score)
    return sorted(sorted(best.items()), key=lambda pair: pair[1], reverse=True)
