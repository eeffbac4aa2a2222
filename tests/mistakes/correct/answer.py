"""Other right ways to write the tasks answer.*: the graded tests must pass them all."""

import math
import re
from collections import Counter, defaultdict

import numpy as np


def support__loop(question_words, sentence_words, rarity):
    rarest = 1
    for weight in rarity.values():
        if not math.isfinite(weight) or weight < 0:
            raise ValueError(f"a rarity is {weight}")
    if rarity:
        rarest = max(rarity.values())
    held = everything = 0.0
    for word in dict.fromkeys(question_words):
        weight = rarity[word] if word in rarity else rarest
        everything += weight
        if word in sentence_words:
            held += weight
    return held / everything if everything > 0 else 0.0


def support__array(question_words, sentence_words, rarity):
    known = np.array(list(rarity.values()) or [1.0])
    if not np.all(np.isfinite(known) & (known >= 0)):
        raise ValueError(known)
    words = sorted(set(question_words))
    weights = np.array([rarity.get(word, known.max()) for word in words], dtype=np.float32)
    inside = np.array([word in sentence_words for word in words], dtype=bool)
    return weights[inside].sum() / weights.sum() if weights.sum() else 0


def support__what_is_missing(question_words, sentence_words, rarity):
    if any(not 0 <= weight < math.inf for weight in rarity.values()):
        raise ValueError("rarity")
    weights = defaultdict(lambda: max(rarity.values(), default=1), rarity)
    everything = sum(weights[word] for word in set(question_words))
    missing = sum(weights[word] for word in set(question_words) - set(sentence_words))
    return 1 - missing / everything if everything else 0.0


def best_quotes__pairs(scores, threshold, most):
    if most < 1 or not all(math.isfinite(number) for number in [threshold, *scores]):
        raise ValueError(threshold)
    pairs = sorted((-score, place) for place, score in enumerate(scores))
    return [place for negative, place in pairs if -negative >= threshold][:most]


def best_quotes__argsort(scores, threshold, most):
    scores = np.asarray(scores, dtype=float)
    if most < 1 or not np.isfinite(threshold) or not np.isfinite(scores).all():
        raise ValueError((threshold, most))
    order = np.argsort(-scores, kind="stable")
    return order[scores[order] >= threshold][:most]


def best_quotes__one_after_the_other(scores, threshold, most):
    if most <= 0:
        raise ValueError("most")
    if not math.isfinite(threshold) or any(math.isnan(score) or math.isinf(score) for score in scores):
        raise ValueError("no number")
    left, out = dict(enumerate(scores)), []
    while left and len(out) < most:
        best = max(left, key=left.get)
        if left.pop(best) < threshold:
            break
        out.append(best)
    return out


def best_of_each__by_page(scores, pages, threshold):
    if len(scores) != len(pages) or not all(map(math.isfinite, [threshold, *scores])):
        raise ValueError("scores and pages")
    places = defaultdict(list)
    for place, page in enumerate(pages):
        places[page].append(place)
    best = [max(own, key=lambda place: scores[place]) for own in places.values()]
    return sorted((place for place in best if scores[place] >= threshold), key=lambda place: (-scores[place], place))


def best_of_each__down_the_list(scores, pages, threshold):
    if len(scores) - len(pages):
        raise ValueError("lengths")
    if not all(math.isfinite(number) for number in (*scores, threshold)):
        raise ValueError("numbers")
    seen, out = set(), []
    for place in sorted(range(len(scores)), key=lambda place: -scores[place]):
        if scores[place] < threshold:
            break
        if pages[place] not in seen:
            seen.add(pages[place])
            out.append(place)
    return out


def best_of_each__unique(scores, pages, threshold):
    values = np.asarray([*scores, threshold], dtype=float)
    if len(scores) != len(pages) or not np.isfinite(values).all():
        raise ValueError("wrong input")
    order = [place for place in np.argsort(-values[:-1], kind="stable") if values[place] >= threshold]
    _, first = np.unique([pages[place] for place in order], return_index=True)
    return [order[place] for place in sorted(first)]


def _page(page):
    if page < 1 or page != int(page):
        raise ValueError(f"page {page}")
    return int(page)


def receipt__joined(document, page):
    if not document or document.isspace():
        raise ValueError("no document")
    return "[" + document + ", page " + str(_page(page)) + "]"


def receipt__list(document, page):
    if document.strip() == "" or page not in range(1, 10**6):
        raise ValueError((document, page))
    return str([document, f"page {page}"]).replace("'", "")


def receipt__parts(document, page):
    if len(document.split()) == 0:
        raise ValueError("a document has a name")
    return f"[{', '.join([document, f'page {_page(page)}'])}]"


def answer_line__grown(quotes):
    line = "Answer:"
    for text, document, page in quotes:
        if text.strip() == "":
            raise ValueError("an empty quote")
        line += " " + re.sub(r"\s+", " ", text).strip() + " " + receipt__joined(document, page)
    return line if quotes else "Answer: I couldn't find that."


def answer_line__parts(quotes):
    parts = []
    for quote in quotes:
        words = quote[0].split()
        if len(words) == 0:
            raise ValueError(quote)
        parts += [*words, receipt__list(*quote[1:])]
    return " ".join(["Answer:", *(parts or ["I couldn't find that."])])


def answer_line__silence_first(quotes):
    if len(quotes) == 0:
        return "Answer: I couldn't find that."
    if not all("".join(text.split()) for text, _, _ in quotes):
        raise ValueError("a quote is a text")
    texts = [" ".join(text.split()) for text, _, _ in quotes]
    return "Answer: " + " ".join(f"{words} {receipt__parts(document, page)}"
                                 for words, (_, document, page) in zip(texts, quotes, strict=True))


def citations__by_hand(text):
    found = set()
    for piece in text.split("[")[1:]:
        inside, bracket, _ = piece.partition("]")
        parts = [part.strip(" ") for part in inside.split(",")]
        if bracket and all(part and set(part) <= set("0123456789") for part in parts):
            found |= {int(part) for part in parts}
    return sorted(number for number in found if number > 0)


def citations__two_patterns(text):
    out = []
    for match in re.finditer(r"\[([0-9 ,]*)\]", text):
        if re.fullmatch(r"\s*[0-9]+\s*(,\s*[0-9]+\s*)*", match[1]):
            out += map(int, re.findall(r"[0-9]+", match[1]))
    return sorted(set(out) - {0})


def citations__unique(text):
    inside = re.findall(r"\[((?: *[0-9]{1,9} *,)* *[0-9]{1,9} *)\]", text)
    numbers = np.unique(np.array([int(number) for part in inside for number in part.split(",")], dtype=int))
    return numbers[numbers > 0]


def numbers_in__by_hand(text):
    out, number = [], ""
    for place, sign in enumerate(text):
        if sign in "0123456789":
            number += sign
        elif number and sign in ".," and text[place + 1:place + 2] in [*"0123456789"]:
            number += sign
        elif number:
            out.append(number)
            number = ""
    return [each.replace(",", "") for each in [*out, number] if each]


def numbers_in__cleaned(text):
    bare = re.sub(r"(?<=[0-9]),(?=[0-9])", "", text)
    return re.findall(r"[0-9]+(?:\.[0-9]+)*", bare)


def numbers_in__split(text):
    pieces = re.split(r"[^0-9.,]+|[.,]{2,}", text)
    return [number.replace(",", "") for piece in pieces if (number := piece.strip(".,"))]


def unsupported__loop(sentences, sources):
    out = []
    for sentence in sentences:
        cited = citations__by_hand(sentence)
        if not cited or cited[-1] > len(sources):
            out.append(sentence)
            continue
        there = []
        for number in cited:
            there += numbers_in__by_hand(sources[number - 1])
        words = re.sub(r"\[[0-9 ,]+\]", "", sentence)
        if any(number not in there for number in numbers_in__by_hand(words)):
            out.append(sentence)
    return out


def unsupported__table(sentences, sources):
    pages = {number: set(numbers_in__cleaned(text)) for number, text in enumerate(sources, 1)}

    def holds(sentence):
        cited = citations__two_patterns(sentence)
        own = numbers_in__cleaned(re.sub(r"\[ *[0-9]+ *(, *[0-9]+ *)*\]", "#", sentence))
        return cited and pages.keys() >= set(cited) and set(own) <= set().union(*(pages[each] for each in cited))

    return [sentence for sentence in sentences if not holds(sentence)]


def unsupported__joined_pages(sentences, sources):
    out = []
    for sentence in sentences:
        cited = [int(number) for number in citations__unique(sentence)]
        bare = re.sub(r"\[[ 0-9,]+\]", " / ", sentence)
        text = " / ".join(sources[number - 1] for number in cited if number <= len(sources))
        right = cited and max(cited) <= len(sources) and not set(numbers_in__split(bare)) - set(numbers_in__split(text))
        if not right:
            out.append(sentence)
    return out


def risk_coverage__running(confidence, right):
    if len(confidence) != len(right) or not all(map(math.isfinite, confidence)):
        raise ValueError("confidence and right")
    order, rows, wrong = sorted(zip(confidence, right, strict=True), key=lambda pair: -pair[0]), [], 0
    for number, (sure, good) in enumerate(order, 1):
        wrong += not good
        if number == len(order) or order[number][0] < sure:
            rows.append((sure, number / len(order), wrong / number))
    return rows


def risk_coverage__cumulated(confidence, right):
    sure, wrong = np.asarray(confidence, dtype=float), ~np.asarray(right, dtype=bool)
    if sure.shape != wrong.shape or not np.isfinite(sure).all():
        raise ValueError(sure)
    levels = np.unique(sure)[::-1]
    answered = (sure[None, :] >= levels[:, None])
    counts = answered.sum(axis=1)
    return np.column_stack([levels, counts / max(len(sure), 1), (answered & wrong).sum(axis=1) / counts])


def risk_coverage__counted(confidence, right):
    if len(confidence) != len(right):
        raise ValueError("lengths")
    if any(number - number != 0 for number in confidence):
        raise ValueError("no number")
    asked, bad = Counter(confidence), Counter(sure for sure, good in zip(confidence, right, strict=True) if not good)
    rows, so_far, wrong = [], 0, 0
    for level in sorted(asked)[::-1]:
        so_far, wrong = so_far + asked[level], wrong + bad[level]
        rows.append([level, so_far / len(right), wrong / so_far])
    return rows


def declining__counts(answered, answerable):
    if len(answered) != len(answerable):
        raise ValueError("lengths")
    table = Counter(zip(answered, answerable, strict=True))
    without, with_one = table[True, False] + table[False, False], table[True, True] + table[False, True]
    if without == 0 or with_one == 0:
        raise ValueError("one kind is missing")
    return table[False, False] / without, table[True, True] / with_one


def declining__masks(answered, answerable):
    given, there = np.asarray(answered, dtype=bool), np.asarray(answerable, dtype=bool)
    if given.shape != there.shape or there.all() or not there.any():
        raise ValueError("both kinds, and one entry a question")
    return np.mean(~given[~there]), np.mean(given[there])


def declining__loop(answered, answerable):
    if len(answered) != len(answerable) or len(set(answerable)) < 2:
        raise ValueError("both kinds are needed")
    declined = silent = given = asked = 0
    for place in range(len(answered)):
        if answerable[place]:
            asked += 1
            given += answered[place]
        else:
            silent += 1
            declined += 1 - answered[place]
    return [declined / silent, given / asked]
