"""Other right ways to write the tasks failure.*: the graded tests must pass them all."""

import re
from collections import Counter

import numpy as np

ORDER = ["ingestion", "chunking", "retrieval", "ranking", "generation"]


def holds__one_pattern(text, quote):
    if not quote.split():
        raise ValueError("quote")
    return re.search(r"\s+".join(map(re.escape, quote.split())), text) is not None


def holds__replaced(text, quote):
    text, quote = re.sub(r"\s+", " ", text), re.sub(r"\s+", " ", quote).strip()
    if quote == "":
        raise ValueError("quote")
    return np.bool_(text.find(quote) >= 0)


def holds__place_by_place(text, quote):
    text, quote = " ".join(text.split()), " ".join(quote.split())
    if not quote:
        raise ValueError("quote")
    return any(text[i:i + len(quote)] == quote for i in range(len(text)))


def holders__loop(quote, document, chunks):
    if not quote.strip():
        raise ValueError("quote")
    out = []
    for chunk in chunks:
        if chunk["document"] == document and holds__place_by_place(chunk["text"], quote):
            out.append(chunk["id"])
    return out


def holders__filtered(quote, document, chunks):
    wanted = " ".join(quote.split())
    if len(wanted) == 0:
        raise ValueError("quote")
    own = filter(lambda chunk: chunk["document"] == document, chunks)
    return tuple(chunk["id"] for chunk in own if wanted in " ".join(chunk["text"].split()))


def holders__numpy_strings(quote, document, chunks):
    return [np.str_(id) for id in holders__loop(quote, document, chunks)]


def reached__loops(quote, document, documents, chunks, candidates, context):
    there = [holds__one_pattern(documents.get(document, ""), quote), False, False, False]
    for id in holders__loop(quote, document, chunks):
        there[1] = True
        there[2] = there[2] or id in candidates
        there[3] = there[3] or id in context
    return there


def reached__sets(quote, document, documents, chunks, candidates, context):
    found = set(holders__filtered(quote, document, chunks))
    return (holds__replaced(documents.get(document, ""), quote), len(found) > 0, len(found & set(candidates)) > 0,
            len(found & set(context)) > 0)


def reached__array(quote, document, documents, chunks, candidates, context):
    return np.array(reached__loops(quote, document, documents, chunks, candidates, context))


def first_loss__index(reached):
    if len(reached) != 4:
        raise ValueError("four")
    return ORDER[[*map(bool, reached), False].index(False)]


def first_loss__branches(reached):
    document, chunk, candidate, desk = reached  # of another number this is a ValueError
    if not document:
        return "ingestion"
    if not chunk:
        return "chunking"
    if not candidate:
        return "retrieval"
    return "generation" if desk else "ranking"


def first_loss__backwards(reached):
    if len(list(reached)) != 4:
        raise ValueError("four")
    place = "generation"
    for name, there in reversed(list(zip(ORDER[:4], reached, strict=True))):
        place = place if there else name
    return place


def earliest__index(places):
    return ORDER[min(ORDER.index(place) for place in places)]  # min of nothing and index of an unknown: ValueError


def earliest__walk(places):
    if len(places) == 0 or set(places) - set(ORDER):
        raise ValueError("places")
    for place in ORDER:
        if place in places:
            return place


def earliest__sorted(places):
    if not places:
        raise ValueError("places")
    return sorted(places, key=lambda place: ORDER.index(place))[0]


def judge__branches(right, places):
    place = earliest__walk(places) if places else "generation"
    if not right:
        return {"place": place, "luck": False}
    if place == "generation":
        return {"place": "", "luck": False}
    return {"place": place, "luck": True}


def judge__luck_first(right, places):
    if any(place not in ORDER for place in places):
        raise ValueError("places")
    lost = [place for place in ORDER[:4] if place in places]
    place = lost[0] if lost else "" if right else "generation"
    return {"luck": bool(right and lost), "place": place}


def judge__numpy(right, places):
    found = judge__branches(right, list(places))
    return {"place": np.str_(found["place"]), "luck": np.bool_(found["luck"])}


def tally__loop(places):
    counts = dict.fromkeys(ORDER, 0)
    for place in places:
        if place:
            if place not in counts:
                raise ValueError("place")
            counts[place] += 1
    return counts


def tally__counter(places):
    counted = Counter(place for place in places if place)
    if counted.keys() - set(ORDER):
        raise ValueError("place")
    return {place: counted[place] for place in ORDER}


def tally__numpy(places):
    rows = np.array([ORDER.index(place) for place in places if place], dtype=int)
    return dict(zip(ORDER, np.bincount(rows, minlength=5), strict=True))


def surviving__cumulative(places):
    if not places:
        raise ValueError("none")
    return 1 - np.cumsum(list(tally__loop(places).values())) / len(places)


def surviving__by_station(places):
    n = len([*places])
    if n == 0:
        raise ValueError("none")
    last = [ORDER.index(place) if place else 5 for place in places]
    return tuple(sum(lost > station for lost in last) / n for station in range(5))


def surviving__float32(places):
    return np.array(surviving__by_station(places), dtype=np.float32)


def confusions__pairs(true, named):
    if len(true) != len(named):
        raise ValueError("lengths")
    if set(true) - set(ORDER) or set(named) - set(ORDER):
        raise ValueError("places")
    pairs = list(zip(true, named, strict=True))
    return {was: {said: pairs.count((was, said)) for said in ORDER} for was in ORDER}


def confusions__table(true, named):
    table = np.zeros((5, 5), dtype=int)
    for was, said in zip(true, named, strict=True):
        table[ORDER.index(was), ORDER.index(said)] += 1
    return {was: dict(zip(ORDER, row, strict=True)) for was, row in zip(ORDER, table, strict=True)}


def confusions__row_by_row(true, named):
    if len(true) != len(named) or any(place not in ORDER for place in [*true, *named]):
        raise ValueError("input")
    out = {}
    for was in ORDER:
        said = [named[i] for i in range(len(true)) if true[i] == was]
        out[was] = {place: said.count(place) for place in ORDER}
    return out
