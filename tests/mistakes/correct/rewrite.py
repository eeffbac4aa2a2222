"""Other right ways to write the tasks rewrite.*: the graded tests must pass them all."""

import itertools
import math
import re
import string
from collections import Counter, defaultdict

import numpy as np


def words_of__loop(text):
    found = []
    for piece in text.split():
        while piece and piece[0] in string.punctuation:
            piece = piece[1:]
        while piece and piece[-1] in string.punctuation:
            piece = piece[:-1]
        if piece:
            found.append(piece)
    return found


def words_of__strip_and_filter(text):
    return list(filter(None, (piece.strip(string.punctuation) for piece in re.split(r"\s+", text))))


def words_of__pattern(text):
    return re.findall(r"[^\W_](?:\S*[^\W_])?", text)


def _words(text):
    return words_of__strip_and_filter(text)


def is_follow_up__step_by_step(question, history, pointing, common):
    if len(history) == 0:
        return False
    telling = 0
    for word in _words(question.lower()):
        if word in pointing:
            return telling < 3
        if word not in common:
            telling += 1
            if telling == 3:
                return False
    return True


def is_follow_up__cut_first(question, history, pointing, common):
    words = [word.casefold() for word in _words(question)]
    places = [place for place, word in enumerate(words) if word in set(pointing)]
    before = words[: places[0]] if places else words
    return bool(history) and len([word for word in before if word not in set(common)]) <= 2


def is_follow_up__takewhile(question, history, pointing, common):
    before = itertools.takewhile(lambda word: word not in pointing, map(str.lower, _words(question)))
    counts = Counter(before)
    return np.bool_(len(history) > 0 and counts.total() - sum(counts[word] for word in set(common)) <= 2)


def topic_words__tables(history, most, common):
    if most < 1:
        raise ValueError(f"most is {most}")
    weight, first, factor = defaultdict(float), {}, defaultdict(lambda: 1)
    for age, turn in enumerate(history[::-1], 1):
        words = _words(turn["text"])
        for word in words[1:]:
            if any(sign.isupper() or sign.isdigit() for sign in word):
                factor[word.lower()] = 2
        for place, word in enumerate(words):
            first.setdefault(word.lower(), (age, place, word))
        for word in {word.lower() for word in words} - set(common):
            weight[word] += 1 / age
    order = sorted(weight, key=lambda word: (-weight[word] * factor[word], first[word]))
    return [first[word][2] for word in order][:most]


def topic_words__from_the_oldest_on(history, most, common):
    if most <= 0:
        raise ValueError("most must be 1 or more")
    seen = {}
    for number, turn in enumerate(history):
        words = _words(turn["text"])
        for place in reversed(range(len(words))):
            key = words[place].lower()
            if key in common:
                continue
            name = place > 0 and re.search(r"[A-Z0-9]", words[place]) is not None
            ages, named, _, _ = seen.get(key, (set(), False, None, None))
            seen[key] = (ages | {len(history) - number}, named or name, (-number, place), words[place])
    ranked = [(-(2 if named else 1) * sum(1 / age for age in sorted(ages)), where, word)
              for ages, named, where, word in seen.values()]
    return [word for _, _, word in sorted(ranked)[:most]]


def topic_words__one_word_at_a_time(history, most, common):
    if most < 1:
        raise ValueError(most)
    turns = [_words(turn["text"]) for turn in reversed(history)]
    known, keys = [[word.lower() for word in words] for words in turns], {}
    for words in turns:
        for word in words:
            if word.lower() not in common:
                keys.setdefault(word.lower(), word)

    def weigh(key):
        total = sum(1 / age for age, words in enumerate(known, 1) if key in words)
        name = any(word.lower() == key and (word != key or re.search(r"\d", word))
                   for words in turns for word in words[1:])
        return 2 * total if name else total

    return [keys[key] for key in sorted(keys, key=weigh, reverse=True)][:most]


def condensed__growing(question, words):
    for word in words:
        if word.lower() not in [each.lower() for each in _words(question)]:
            question += " " + word
    return question


def condensed__joined(question, words):
    known = {word.lower() for word in _words(question)}
    new = {word.lower(): word for word in reversed(words) if word.lower() not in known}
    order = sorted(new, key=lambda key: [word.lower() for word in words].index(key))
    return question + "".join(f" {new[key]}" for key in order)


def condensed__first_of_each(question, words):
    lower = [word.lower() for word in words]
    more = [word for place, word in enumerate(words)
            if lower.index(word.lower()) == place and word.lower() not in {each.lower() for each in _words(question)}]
    return " ".join([question] + more)


def last_turns__backwards(history, most_words):
    if most_words < 1:
        raise ValueError(f"most_words is {most_words}")
    if not history:
        return []
    sizes = [len(_words(turn["text"])) for turn in history]
    last = max(place for place, turn in enumerate(history) if turn["role"] == "user")
    used, kept = sizes[last], [last]
    for place in range(len(history) - 1, -1, -1):
        if place == last:
            continue
        if used + sizes[place] > most_words:
            break
        used += sizes[place]
        kept.append(place)
    return [history[place] for place in sorted(kept)]


def last_turns__longest_end_that_fits(history, most_words):
    if not most_words >= 1:
        raise ValueError("too few words")
    last = next((i for i in reversed(range(len(history))) if history[i]["role"] == "user"), None)
    if last is None:
        return []

    def turns_from(start):
        return history[start:] if start <= last else [history[last], *history[start:]]

    for start in range(len(history) + 1):
        if sum(len(_words(turn["text"])) for turn in turns_from(start)) <= most_words:
            return turns_from(start)
    return [history[last]]


def last_turns__cumulated(history, most_words):
    if most_words < 1:
        raise ValueError(most_words)
    places = list(range(len(history)))[::-1]
    last = [place for place in places if history[place]["role"] == "user"][:1]
    order = last + [place for place in places if place not in last]
    totals = np.cumsum([len(_words(history[place]["text"])) for place in order])
    kept = {place for place, total in zip(order, totals, strict=True) if total <= most_words} | set(last)
    return [turn for place, turn in enumerate(history) if place in kept]


def long_form__rfind(short, before):
    text, place = before.lower(), len(before)
    signs = [sign for sign in short.lower() if sign.isalnum()]
    for number in range(len(signs) - 1, -1, -1):
        place = text.rfind(signs[number], 0, place)
        while number == 0 and place > 0 and text[place - 1].isalnum():
            place = text.rfind(signs[0], 0, place)
        if place < 0:
            return ""
    return before[place:]


def long_form__two_pointers(short, before):
    s, w = len(short) - 1, len(before) - 1
    while s >= 0:
        sign = short[s].lower()
        if not sign.isalnum():
            s -= 1
            continue
        first = not any(each.isalnum() for each in short[:s])
        while w >= 0 and (before[w].lower() != sign or (first and w > 0 and before[w - 1].isalnum())):
            w -= 1
        if w < 0:
            return ""
        w, s = w - 1, s - 1
    return before[w + 1:]


def long_form__by_words(short, before):
    signs = re.sub(r"\W", "", short).lower()

    def rest_fits(text):
        for sign in reversed(signs[1:]):
            place = text.rfind(sign)
            if place < 0:
                return False
            text = text[:place]
        return True

    starts = [match.start() for match in re.finditer(r"(?<![^\W_])[^\W_]", before)]
    for start in reversed(starts):
        if before[start].lower() == signs[0] and rest_fits(before[start + 1:].lower()):
            return before[start:]
    return ""


def _short(word):
    return bool(re.fullmatch(r"[A-Za-z0-9]{2,10}", word)) and len(re.findall(r"[A-Z0-9]", word)) >= 2 and \
        word.lower() != word


def _best(found):
    out = {}
    for short, longs in found.items():
        counts = Counter(long.lower() for long in longs)
        best = max(counts.values())
        out[short] = next(long for long in longs if counts[long.lower()] == best)
    return out


def acronyms__counter(texts):
    found = defaultdict(list)
    for text in texts:
        parts = re.split(r"[()]", text)
        for outside, inside in zip(parts[0::2], parts[1::2], strict=False):
            short, words = inside.strip(), outside.split()
            if _short(short):
                words = words[-min(len(short) + 5, 2 * len(short)):]
            elif words and _short(words[-1]):
                short, words = words[-1], inside.split()
            else:
                continue
            long = long_form__rfind(short, " ".join(words))
            if len(long.split()) > 1:
                found[short].append(long)
    return _best(found)


def acronyms__two_patterns(texts):
    pairs = []
    for number, text in enumerate(texts):
        text = " ".join(text.split())
        for match in re.finditer(r"([^()]*)\( ?(\w+) ?\)", text):
            if _short(match[2]):
                pairs.append((number, match.start(2), match[2], " ".join(match[1].split()[-2 * len(match[2]):][
                    -(len(match[2]) + 5):])))
        for match in re.finditer(r"(?:^|\s)(\w+) ?\(([^()]*)\)", text):
            if _short(match[1]) and not _short(match[2].strip()):
                pairs.append((number, match.start(2), match[1], match[2].strip()))
    found = defaultdict(list)
    for _, _, short, words in sorted(pairs):
        long = long_form__two_pointers(short, words)
        if long.count(" "):
            found[short].append(long)
    return _best(found)


def acronyms__nested_counts(texts):
    counts = {}
    for text in texts:
        while ")" in text and "(" in text[:text.index(")")]:
            head, text = text.split(")", 1)
            outside, inside = head.rsplit("(", 1)
            words, size = outside.rsplit("(", 1)[-1].split(), len(inside.strip())
            short = inside.strip()
            if _short(short):
                long = long_form__by_words(short, " ".join(words[-min(size + 5, size * 2):]))
            elif words and _short(words[-1]):
                short = words[-1]
                long = long_form__by_words(short, " ".join(inside.split()))
            else:
                continue
            if len(long.split(" ")) >= 2:
                counts.setdefault(short, {}).setdefault(long.lower(), []).append(long)
    return {short: sorted(longs.values(), key=len, reverse=True)[0][0] for short, longs in counts.items()}


def spelled_out__one_short_form_at_a_time(question, acronyms):
    places = {}
    for short, long in acronyms.items():
        found = re.search(rf"(?<!\w)(?<!\w[-.,/_]){re.escape(short)}(?!\w)(?![-.,/_]\w)", question)
        if found and long.lower() not in question.lower():
            places[found.end()] = f" ({long})"
    for end in sorted(places, reverse=True):
        question = question[:end] + places[end] + question[end:]
    return question


def spelled_out__split(question, acronyms):
    out, done = [], set()
    for piece in re.split(r"(\w+(?:[-.,/_]\w+)*)", question):
        out.append(piece)
        if piece in acronyms and piece not in done and acronyms[piece].lower() not in question.lower():
            out.append(f" ({acronyms[piece]})")
            done.add(piece)
    return "".join(out)


def spelled_out__by_spaces(question, acronyms):
    left = {short: long for short, long in acronyms.items() if long.lower() not in question.lower()}
    pieces = re.split(r"(\s+)", question)
    for number, piece in enumerate(pieces):
        word = piece.strip(string.punctuation)
        if word in left:
            pieces[number] = piece.replace(word, f"{word} ({left.pop(word)})", 1)
    return "".join(pieces)


def phrasings__rounds(question, synonyms, most):
    if most < 1:
        raise ValueError(f"most is {most}")
    out, seen, words = [question], {question.lower()}, [word.lower() for word in _words(question)]
    longest = max([len(synonyms.get(word, [])) for word in words] or [0])
    for n in range(longest):
        for word in words:
            others = synonyms.get(word, [])
            if n >= len(others):
                continue
            text = re.sub(rf"\b{re.escape(word)}\b", others[n], question, flags=re.I)
            if text.lower() not in seen:
                seen.add(text.lower())
                out.append(text)
    return out[:most]


def phrasings__sorted(question, synonyms, most):
    if most <= 0:
        raise ValueError("most must be above 0")
    pieces = re.split(r"(\w+)", question)
    order = list(dict.fromkeys(piece.lower() for piece in pieces if piece.lower() in synonyms))
    jobs = sorted((n, place) for place, word in enumerate(order) for n in range(len(synonyms[word])))
    texts = {question.lower(): question}
    for n, place in jobs:
        text = "".join(synonyms[order[place]][n] if piece.lower() == order[place] else piece for piece in pieces)
        texts.setdefault(text.lower(), text)
    return list(texts.values())[:most]


def phrasings__until_full(question, synonyms, most):
    if not most >= 1:
        raise ValueError(most)
    out, n = [question], 0
    while len(out) < most and n < 100:
        for word in _words(question):
            for other in synonyms.get(word.lower(), [])[n:n + 1]:
                text = re.sub(r"\w+", lambda found, word=word, other=other:
                              other if found[0].lower() == word.lower() else found[0], question)
                if len(out) < most and text.lower() not in (each.lower() for each in out):
                    out.append(text)
        n += 1
    return out


def mean_vector__loop(question_vector, answer_vectors):
    rows = [list(question_vector), *(list(answer) for answer in answer_vectors)]
    mean = [sum(row[j] for row in rows) / len(rows) for j in range(len(question_vector))]
    length = math.sqrt(sum(number * number for number in mean))
    return [number / length for number in mean] if length else mean


def mean_vector__sum(question_vector, answer_vectors):
    total = np.asarray(question_vector, dtype=float) + np.sum(np.asarray(answer_vectors, dtype=float), axis=0)
    return total / max(np.linalg.norm(total), 1e-300)


def mean_vector__stacked(question_vector, answer_vectors):
    rows = np.concatenate([np.array([question_vector], dtype=np.float32), np.array(answer_vectors, dtype=np.float32)])
    mean = np.average(rows, axis=0)
    return mean / (np.linalg.norm(mean) or 1)
