"""Other right ways to write the tasks contextual.*: the graded tests must pass them all."""

import re

import numpy as np


def _in_words(part, line):
    return re.search(rf"(?:^|\W){re.escape(part.lower())}(?:\W|$)", line.lower()) is not None


def blurb__part_by_part(title, path, date, names, kind=""):
    said, groups = "", []
    for parts in ([title, *path], [kind, date], names):
        new = []
        for part in parts:
            part = re.sub(r"\s+", " ", part).strip()
            if part and not _in_words(part, said):
                new.append(part)
                said += " / " + part
        groups.append(new)
    line = " > ".join(groups[0])
    if groups[1]:
        line += f" ({', '.join(groups[1])})"
    if groups[2]:
        line += ": " + ", ".join(groups[2])
    return line


def blurb__list_of_what_is_said(title, path, date, names, kind=""):
    said = []

    def new(parts):
        out = []
        for part in (" ".join(part.split()) for part in parts):
            if part and not any(_in_words(part, other) for other in said):
                said.append(part)
                out.append(part)
        return out

    places, about, who = new([title] + list(path)), new([kind, date]), new(names)
    return (" > ".join(places) + (" (" + ", ".join(about) + ")" if about else "")
            + (": " + ", ".join(who) if who else ""))


def blurb__step_by_step(title, path, date, names, kind=""):
    line, part_of = "", {}
    for number, part in [(0, title), *((0, heading) for heading in path), (1, kind), (1, date),
                         *((2, name) for name in names)]:
        part = " ".join(part.split())
        if part == "" or re.search(r"(?<!\w)" + re.escape(part.lower()) + r"(?!\w)", line.lower()):
            continue
        line += " | " + part
        part_of.setdefault(number, []).append(part)
    out = " > ".join(part_of.get(0, []))
    if 1 in part_of:
        out = f"{out} ({', '.join(part_of[1])})"
    if 2 in part_of:
        out = f"{out}: {', '.join(part_of[2])}"
    return out


def situate__join(context, text):
    return "\n".join([*([context.strip()] if context.strip() else []), text])


def situate__plus(context, text):
    context = context.strip()
    if context == "":
        return text
    return context + "\n" + text


def situate__pieces(context, text):
    if not context or context.isspace():
        return text
    return context.lstrip().rstrip() + chr(10) + text


def misses__one_minus_recall(ranked_ids, relevant, k):
    wanted = set(relevant)
    if k < 1 or not wanted:
        raise ValueError("k, or nothing relevant")
    return 1 - len(wanted & set(ranked_ids[:k])) / len(wanted)


def misses__loop(ranked_ids, relevant, k):
    if k <= 0 or len(relevant) == 0:
        raise ValueError("k, or nothing relevant")
    missed, seen = 0, []
    for id in relevant:
        if id not in seen:
            seen.append(id)
            missed += id not in ranked_ids[:k]
    return missed / len(seen)


def misses__mean(ranked_ids, relevant, k):
    wanted = sorted(set(relevant))
    if k < 1 or not wanted:
        raise ValueError("k, or nothing relevant")
    return np.mean([id not in list(ranked_ids)[:k] for id in wanted])


def reduction__one_minus(before, after):
    if before <= 0 or after < 0:
        raise ValueError("misses")
    return 1 - after / before


def reduction__array(before, after):
    if not before > 0 or not after >= 0:
        raise ValueError("misses")
    return np.divide(np.subtract(before, after), before)


def reduction__in_hundredths(before, after):
    if before <= 0 or after < 0:
        raise ValueError("misses")
    return (100 * before - 100 * after) / (100 * before)


def _refuse(*numbers):
    if any(number < 0 for number in numbers):
        raise ValueError("below 0")


def _has_all(prices, cached):
    if not {"input", "output"} | ({"cache_write", "cache_read"} if cached else set()) <= set(prices):
        raise ValueError("a price is missing")


def ingestion_cost__chunk_by_chunk(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
    _has_all(prices, cached)
    _refuse(document_tokens, chunk_tokens, context_tokens, instruction_tokens, *prices.values())
    if chunk_tokens == 0:
        raise ValueError("chunk_tokens")
    dollars, left = 0.0, document_tokens
    if cached:
        dollars += document_tokens * prices["cache_write"] / 1e6
    while left > 0:
        dollars += document_tokens * (prices["cache_read"] if cached else prices["input"]) / 1e6
        dollars += chunk_tokens * prices["input"] / 1e6 + instruction_tokens * prices["input"] / 1e6
        dollars += context_tokens * prices["output"] / 1e6
        left -= chunk_tokens
    return dollars


def ingestion_cost__tokens_of_each_kind(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices,
                                        cached):
    _has_all(prices, cached)
    _refuse(document_tokens, chunk_tokens - 1, context_tokens, instruction_tokens, *prices.values())
    chunks = -(-document_tokens // chunk_tokens)
    tokens = {"input": chunks * (chunk_tokens + instruction_tokens), "output": chunks * context_tokens}
    if cached:
        tokens |= {"cache_write": document_tokens, "cache_read": chunks * document_tokens}
    else:
        tokens["input"] += chunks * document_tokens
    return sum(count * prices[kind] for kind, count in tokens.items()) / 10**6


def ingestion_cost__array(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
    _has_all(prices, cached)
    _refuse(document_tokens, chunk_tokens, context_tokens, instruction_tokens, *prices.values())
    if not chunk_tokens:
        raise ValueError("chunk_tokens")
    chunks = np.ceil(document_tokens / chunk_tokens)
    once = prices["cache_write"] if cached else 0
    each = prices["cache_read"] if cached else prices["input"]
    counts = [document_tokens, chunks * document_tokens, chunks * (chunk_tokens + instruction_tokens),
              chunks * context_tokens]
    return np.dot(counts, [once, each, prices["input"], prices["output"]]) * 1e-6


def query_cost__in_millions(extra_tokens_each_query, queries, price):
    _refuse(extra_tokens_each_query, queries, price)
    return queries * (extra_tokens_each_query / 1e6) * price


def query_cost__array(extra_tokens_each_query, queries, price):
    if min(extra_tokens_each_query, queries, price) < 0:
        raise ValueError("below 0")
    return np.prod([extra_tokens_each_query, queries, price]) * 1e-6


def query_cost__each_query(extra_tokens_each_query, queries, price):
    _refuse(extra_tokens_each_query, queries, price)
    return sum(extra_tokens_each_query * price for _ in range(queries)) / 1_000_000
