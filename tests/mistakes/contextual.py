"""Common mistakes in the tasks contextual.*, each with the sentence that a learner reads.

Each follows the reference but for the one thing that its sentence names.
"""

import math
import re

from firstprinciples.ingest.contextual import blurb, ingestion_cost, misses, query_cost, reduction, situate


def _says(line, part):
    """Say whether a line already holds these words."""
    return re.search(rf"(?<!\w){re.escape(part.casefold())}(?!\w)", line.casefold()) is not None


def _put(title, path, date, names, kind, says=_says, one_line=True):
    """Return the parts of a blurb that are new: [title and headings, kind and date, names]."""
    said, groups = "", []
    for parts in ([title, *path], [kind, date], names):
        new = []
        for part in parts:
            part = " ".join(part.split()) if one_line else part
            if part and not says(said, part):
                new.append(part)
                said += " | " + part
        groups.append(new)
    return groups


def _written(groups, arrow=" > ", opened=" (", closed=")", colon=": ", comma=", ", about_comma=", "):
    """Return the parts of a blurb as one line."""
    places, about, who = groups
    line = arrow.join(places)
    if about:
        line += opened + about_comma.join(about) + closed
    return line + (colon + comma.join(who) if who else "")


def blurb__everything_twice(title, path, date, names, kind=""):
    """That repeats what it has said already, the title above all; each part comes once."""
    return _written(_put(title, path, date, names, kind, says=lambda line, part: False))


def blurb__title_twice(title, path, date, names, kind=""):
    """That has the title twice where the first heading is the title; what is already said is left out."""
    groups = _put(title, path, date, names, kind)
    again = [title] if path and path[0] == title else []
    return _written([groups[0][:1] + again + groups[0][1:], *groups[1:]])


def blurb__equal_parts_only(title, path, date, names, kind=""):
    """That leaves out only a part that equals another; what stands within one, as a date in a title, is said, too."""
    def says(line, part):
        return part.casefold() in [other.casefold() for other in line.split(" | ")]
    return _written(_put(title, path, date, names, kind, says))


def blurb__pieces_of_words(title, path, date, names, kind=""):
    """That takes a piece of a word for the word: "count" is not said by "accounts". Look for whole words."""
    return _written(_put(title, path, date, names, kind, lambda line, part: part.casefold() in line.casefold()))


def blurb__capital_letters_count(title, path, date, names, kind=""):
    """That finds "Rent" and "rent" two things; here capital and small letters are alike."""
    return _written(_put(title, path, date, names, kind,
                         lambda line, part: re.search(rf"(?<!\w){re.escape(part)}(?!\w)", line) is not None))


def blurb__headings_only_against_the_title(title, path, date, names, kind=""):
    """That compares each part with the title only; the headings and what follows have said something as well."""
    return _written(_put(title, path, date, names, kind, lambda line, part: _says(" ".join(title.split()), part)))


def blurb__a_pattern(title, path, date, names, kind=""):
    """That takes a part for a pattern, in which brackets and dots mean something; `re.escape` it."""
    return _written(_put(title, path, date, names, kind, lambda line, part: re.search(
        rf"(?<!\w){part.casefold()}(?!\w)", line.casefold()) is not None))


def blurb__names_sorted(title, path, date, names, kind=""):
    """That sorts the names; they come as they are given, the most frequent first."""
    return blurb(title, path, date, sorted(names), kind)


def blurb__all_in_small_letters(title, path, date, names, kind=""):
    """That writes everything in small letters; they are for comparing only."""
    return blurb(title, path, date, names, kind).lower()


def blurb__empty_brackets(title, path, date, names, kind=""):
    """That writes brackets around nothing; a part that is empty goes together with its sign."""
    places, about, who = _put(title, path, date, names, kind)
    return f"{' > '.join(places)} ({', '.join(about)})" + (": " + ", ".join(who) if who else "")


def blurb__colon_without_names(title, path, date, names, kind=""):
    """That writes the colon where no name follows; a part that is empty goes together with its sign."""
    line = _written(_put(title, path, date, names, kind))
    return line if any(_put(title, path, date, names, kind)[2]) else line + ": "


def blurb__all_signs(title, path, date, names, kind=""):
    """That writes all signs, whether something stands between them or not; what is empty goes with its sign."""
    places, about, who = _put(title, path, date, names, kind)
    return f"{' > '.join(places)} ({', '.join(about)}): {', '.join(who)}"


def blurb__comma_before_the_date(title, path, date, names, kind=""):
    """That writes a comma in the brackets where the kind or the date is missing; join those that are there."""
    places, about, who = _put(title, path, date, names, kind)
    if len(about) == 1:
        about = [*about, ""] if kind and about[0] == " ".join(kind.split()) else ["", *about]
    return _written([places, about, who])


def blurb__empty_headings(title, path, date, names, kind=""):
    """That writes an arrow for an empty heading or title; leave out what is empty before you join."""
    places, about, who = _put(title, path, date, names, kind)
    return _written([[title, *path] if "" in (title, *path) else places, about, who])


def blurb__date_first(title, path, date, names, kind=""):
    """That writes the date before the kind; the order is (kind, date)."""
    return _written(_put(title, path, kind, names, date))


def blurb__kind_forgotten(title, path, date, names, kind=""):
    """That leaves the kind out; it stands before the date, in the same brackets."""
    return blurb(title, path, date, names)


def blurb__headings_forgotten(title, path, date, names, kind=""):
    """That leaves the headings out; they say which part of the document it is."""
    return blurb(title, [], date, names, kind)


def blurb__last_heading_only(title, path, date, names, kind=""):
    """That takes the last heading alone; all of the path is asked for, from the top."""
    return blurb(title, path[-1:], date, names, kind)


def blurb__names_forgotten(title, path, date, names, kind=""):
    """That leaves the names out; they come last, after a colon."""
    return blurb(title, path, date, [], kind)


def blurb__path_from_below(title, path, date, names, kind=""):
    """That lists the headings from below; the path comes as it is given, from the top."""
    return blurb(title, path[::-1], date, names, kind)


def blurb__names_before_the_brackets(title, path, date, names, kind=""):
    """That puts the names before the brackets; the order is title, headings, (kind, date), names."""
    places, about, who = _put(title, path, date, names, kind)
    line = " > ".join(places) + (": " + ", ".join(who) if who else "")
    return line + (f" ({', '.join(about)})" if about else "")


def blurb__slashes(title, path, date, names, kind=""):
    """That joins title and headings with a slash; " > " stands between them."""
    return _written(_put(title, path, date, names, kind), arrow=" / ")


def blurb__arrows_without_blanks(title, path, date, names, kind=""):
    """That writes ">" without blanks; " > " stands between title and headings."""
    return _written(_put(title, path, date, names, kind), arrow=">")


def blurb__line_break_before_the_names(title, path, date, names, kind=""):
    """That begins a new line for the names; the context is one line, and the names follow ": "."""
    return _written(_put(title, path, date, names, kind), colon="\n")


def blurb__white_space_kept(title, path, date, names, kind=""):
    """That leaves white space as it is, line breaks too; every run of it becomes one space."""
    return _written(_put(title, path, date, names, kind, one_line=False))


def blurb__white_space_at_the_ends_only(title, path, date, names, kind=""):
    """That strips the ends only; a run of white space within a part becomes one space, too."""
    return _written(_put(title.strip(), [p.strip() for p in path], date.strip(), [n.strip() for n in names],
                         kind.strip(), one_line=False))


def blurb__a_list(title, path, date, names, kind=""):
    """That returns a list of parts; one line of text is asked for."""
    return [part for group in _put(title, path, date, names, kind) for part in group]


def blurb__title_always(title, path, date, names, kind=""):
    """That begins with an arrow where there is no title; what is empty goes with its sign."""
    line = blurb(title, path, date, names, kind)
    return line if title else " > " + line


def situate__text_first(context, text):
    """That puts the context below the text; it stands above."""
    return f"{text}\n{context.strip()}" if context.strip() else text


def situate__blank_between(context, text):
    """That puts a blank between the two; a line break stands there."""
    return f"{context.strip()} {text}" if context.strip() else text


def situate__colon_between(context, text):
    """That puts a colon between the two; a line break stands there."""
    return f"{context.strip()}: {text}" if context.strip() else text


def situate__nothing_between(context, text):
    """That puts nothing between the two, so that two words become one; a line break stands there."""
    return context.strip() + text


def situate__empty_line_between(context, text):
    """That puts an empty line between the two; one line break is enough."""
    return f"{context.strip()}\n\n{text}" if context.strip() else text


def situate__always_a_line_break(context, text):
    """That begins with a line break where there is no context; then it is the text alone."""
    return f"{context.strip()}\n{text}"


def situate__context_as_it_is(context, text):
    """That leaves white space around the context; it is dropped, and white space alone is no context."""
    return f"{context}\n{text}" if context else text


def situate__white_space_is_a_context(context, text):
    """That takes white space for a context, and begins with a line break; strip it first, then look."""
    return f"{context.strip()}\n{text}" if context else text


def situate__end_of_the_context_kept(context, text):
    """That strips only the left of the context; a line break at its end would make two."""
    return f"{context.lstrip()}\n{text}" if context.strip() else text


def situate__text_stripped(context, text):
    """That strips the text as well; the chunk's own text is not touched."""
    return situate(context, text.strip())


def situate__all_stripped(context, text):
    """That strips the whole at the end, and the text with it; the chunk's own text is not touched."""
    return f"{context.strip()}\n{text}".strip()


def situate__end_stripped(context, text):
    """That strips the end of the text; the chunk's own text is not touched."""
    return situate(context, text.rstrip())


def situate__text_on_one_line(context, text):
    """That puts the text on one line; the chunk's own text is not touched."""
    return situate(context, " ".join(text.split()))


def situate__context_only(context, text):
    """That returns the context alone; the text comes below it."""
    return context.strip() or text


def situate__text_only(context, text):
    """That returns the text as it was; the context comes above it."""
    return text


def situate__pair(context, text):
    """That returns the two side by side; one text is asked for."""
    return [context.strip(), text] if context.strip() else text


def _share(ranked_ids, relevant, k):
    """Return the share of relevant ids that were found; refuses what the task refuses."""
    return 1 - misses(ranked_ids, relevant, k)


def misses__recall(ranked_ids, relevant, k):
    """That is the share that was found, recall; the share that was not is asked for."""
    return _share(ranked_ids, relevant, k)


def misses__over_k(ranked_ids, relevant, k):
    """That divides by k; the share is of the relevant ids."""
    return misses(ranked_ids, relevant, k) * len(set(relevant)) / k


def misses__one_minus_precision(ranked_ids, relevant, k):
    """That is the share of the places with nothing relevant, 1 - precision; the share is of the relevant ids."""
    return 1 - _share(ranked_ids, relevant, k) * len(set(relevant)) / k


def misses__at_most_k(ranked_ids, relevant, k):
    """That divides by k where more than k are relevant; those that find no place are missed all the same."""
    return 1 - _share(ranked_ids, relevant, k) * len(set(relevant)) / min(k, len(set(relevant)))


def misses__how_many(ranked_ids, relevant, k):
    """That counts the ids that were missed; their share is asked for."""
    return round(misses(ranked_ids, relevant, k) * len(set(relevant)))


def misses__percent(ranked_ids, relevant, k):
    """That is in percent; a share goes from 0 to 1."""
    return misses(ranked_ids, relevant, k) * 100


def misses__all_or_nothing(ranked_ids, relevant, k):
    """That asks whether anything relevant was found at all; each id that was missed counts."""
    return float(misses(ranked_ids, relevant, k) == 1)


def misses__anything_missed(ranked_ids, relevant, k):
    """That says 1 as soon as one is missed; which share of them is asked for."""
    return float(misses(ranked_ids, relevant, k) > 0)


def misses__whole_list(ranked_ids, relevant, k):
    """That looks at the whole list; only the first k places count."""
    return misses(ranked_ids, relevant, max(k, len(ranked_ids)) if k > 0 else k)


def misses__twenty(ranked_ids, relevant, k):
    """That always looks at 20 places; `k` says how many."""
    return misses(ranked_ids, relevant, 20 if k > 0 else k)


def misses__one_place_more(ranked_ids, relevant, k):
    """That looks at k + 1 places; [:k] are the first k."""
    return misses(ranked_ids, relevant, k + 1 if k > 0 else k)


def misses__one_place_less(ranked_ids, relevant, k):
    """That looks at k - 1 places; [:k] are the first k."""
    misses(ranked_ids, relevant, k)
    return len(set(relevant) - set(ranked_ids[: k - 1])) / len(set(relevant))


def misses__doubles_found_twice(ranked_ids, relevant, k):
    """That counts an id each time it stands in the list; found twice is found once."""
    misses(ranked_ids, relevant, k)
    return 1 - sum(id in relevant for id in ranked_ids[:k]) / len(set(relevant))


def misses__doubles_relevant_twice(ranked_ids, relevant, k):
    """That counts an id each time it stands among the relevant ones; make a set of them first."""
    misses(ranked_ids, relevant, k)
    return sum(id not in ranked_ids[:k] for id in relevant) / len(relevant)


def misses__over_the_list_with_doubles(ranked_ids, relevant, k):
    """That divides by the length of the list of relevant ids, doubles counted; above the line they count once."""
    misses(ranked_ids, relevant, k)
    return len(set(relevant) - set(ranked_ids[:k])) / len(relevant)


def misses__doubles_taken_out_first(ranked_ids, relevant, k):
    """That takes doubles out of the list before it counts to k; they count once, but take up a place."""
    return misses(list(dict.fromkeys(ranked_ids)), relevant, k)


def misses__short_list_cut(ranked_ids, relevant, k):
    """That wants at least k places; a shorter list is looked at as it is."""
    if len(ranked_ids) < k:
        raise IndexError("k")
    return misses(ranked_ids, relevant, k)


def misses__nothing_relevant_is_0(ranked_ids, relevant, k):
    """That says that nothing is missed where nothing is relevant; refuse it, since such a question has no answer."""
    return misses(ranked_ids, relevant, k) if len(relevant) else 0.0


def misses__nothing_relevant_is_1(ranked_ids, relevant, k):
    """That says that all is missed where nothing is relevant; refuse it, since such a question has no answer."""
    return misses(ranked_ids, relevant, k) if len(relevant) else 1.0


def misses__divides_by_0(ranked_ids, relevant, k):
    """That divides by 0 where nothing is relevant; refuse it with ValueError and a sentence."""
    return len(set(relevant) - set(ranked_ids[:k])) / len(set(relevant)) if k < 1 else (
        misses(ranked_ids, relevant, k) if relevant else 1 / 0)


def misses__any_k(ranked_ids, relevant, k):
    """That takes a k below 1, where there is no place to look at; refuse it with ValueError."""
    return misses(ranked_ids, relevant, k) if k > 0 or not relevant else 1.0


def misses__slices_from_the_end(ranked_ids, relevant, k):
    """That takes a k below 0 for places from the end, as a slice does; refuse a k below 1 with ValueError."""
    return misses(ranked_ids, relevant, k) if k > 0 or not relevant else (
        len(set(relevant) - set(ranked_ids[:k])) / len(set(relevant)))


def _bars(before, after):
    """Refuse what the task refuses."""
    reduction(before, after)


def reduction__what_is_left(before, after):
    """That is the share that is left; the share that is gone is 1 minus that."""
    _bars(before, after)
    return after / before


def reduction__difference(before, after):
    """That is the difference of the two; divide it by `before`."""
    _bars(before, after)
    return before - after


def reduction__over_after(before, after):
    """That divides by what is left; the share is of what was missed before."""
    _bars(before, after)
    return (before - after) / after if after else 0.0


def reduction__over_both(before, after):
    """That divides by the sum of both; the share is of what was missed before."""
    _bars(before, after)
    return (before - after) / (before + after)


def reduction__turned_around(before, after):
    """That is after minus before, below 0 where misses have gone; take it the other way round."""
    return -reduction(before, after)


def reduction__no_sign(before, after):
    """That has no sign, so that more misses look like a gain; below 0 means more than before."""
    return abs(reduction(before, after))


def reduction__not_below_zero(before, after):
    """That says 0 where there are more misses than before; then it is below 0."""
    return max(reduction(before, after), 0.0)


def reduction__percent(before, after):
    """That is in percent; a share goes up to 1."""
    return reduction(before, after) * 100


def reduction__rounded(before, after):
    """That is rounded to two decimals; round where it is shown, not before."""
    return round(reduction(before, after), 2)


def reduction__whole_numbers(before, after):
    """That divides with //, which rounds down; a share needs /."""
    _bars(before, after)
    return (before - after) // before


def reduction__precedence(before, after):
    """That divides first, since / comes before -; put the difference into brackets."""
    _bars(before, after)
    return before - after / before


def reduction__of_the_hits(before, after):
    """That takes the numbers for shares of what was found; misses that fall from 8 to 6 have lost a quarter."""
    _bars(before, after)
    return (before - after) / (1 - before) if before != 1 else 0.0


def reduction__of_zero_is_0(before, after):
    """That gives 0 where nothing was missed before; there is nothing to be a share of, so refuse it."""
    return 0.0 if before == 0 else reduction(before, after)


def reduction__divides_by_0(before, after):
    """That divides by 0 where nothing was missed before; refuse it with ValueError and a sentence."""
    return (before - after) / before if before == 0 else reduction(before, after)


def reduction__negative_before(before, after):
    """That takes misses below 0, which there can't be; refuse them with ValueError."""
    return (before - after) / before if before else reduction(before, after)


def reduction__negative_after(before, after):
    """That looks only at `before`; misses below 0 afterwards can't be either, so refuse them."""
    return (before - after) / before if before > 0 else reduction(before, after)


def _cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached, *, chunks=None, reads=None,
          writes=1, own=None, written=None, read_at=None, own_at="input", written_at="output", plain=None):
    """Return the cost with some of its parts replaced; refuses what the task refuses."""
    ingestion_cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached)
    chunks = math.ceil(document_tokens / chunk_tokens) if chunks is None else chunks
    own = chunk_tokens + instruction_tokens if own is None else own
    written = context_tokens if written is None else written
    reads = chunks if reads is None else reads
    if cached:
        reading = writes * document_tokens * prices["cache_write"]
        reading += reads * document_tokens * prices[read_at or "cache_read"]
    else:
        reading = (chunks if plain is None else plain) * document_tokens * prices["input"]
    return (reading + chunks * (own * prices[own_at] + written * prices[written_at])) / 1e6


def ingestion_cost__rounded_down(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
    """That rounds the number of chunks down, so that the last one costs nothing; round it up."""
    ingestion_cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached)
    return _cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached,
                 chunks=document_tokens // chunk_tokens)


def ingestion_cost__rounded(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
    """That rounds the number of chunks to the nearest; what is left over needs a chunk of its own, so round up."""
    ingestion_cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached)
    return _cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached,
                 chunks=round(document_tokens / chunk_tokens))


def ingestion_cost__not_rounded(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
    """That counts parts of a chunk; there are whole ones only, so round up."""
    ingestion_cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached)
    return _cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached,
                 chunks=document_tokens / chunk_tokens)


def ingestion_cost__one_chunk_more(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
    """That counts one chunk too many where the last is full: // and + 1 is not rounding up."""
    ingestion_cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached)
    return _cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached,
                 chunks=document_tokens // chunk_tokens + 1)


def ingestion_cost__last_chunk_cut(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
    """That lets the last chunk count for what is left; the task counts each as a full one."""
    full = ingestion_cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached)
    missing = math.ceil(document_tokens / chunk_tokens) * chunk_tokens - document_tokens
    return full - missing * prices["input"] / 1e6


def ingestion_cost__never_cached(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
    """That reads the document at the full price, cached or not; from the cache it is cheaper."""
    return ingestion_cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, False)


def ingestion_cost__always_cached(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
    """That reads from the cache, whatever `cached` says; without it every chunk reads the document as input."""
    return ingestion_cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, True)


def ingestion_cost__the_other_way(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
    """That has the two cases exchanged: with `cached` the document is read from the cache."""
    return ingestion_cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, not cached)


def ingestion_cost__writing_free(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
    """That forgets what it costs to write the document to the cache, once."""
    return _cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached, writes=0)


def ingestion_cost__written_each_time(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices,
                                      cached):
    """That writes the document to the cache for every chunk; once is enough, and that is what it is for."""
    ingestion_cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached)
    return _cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached,
                 writes=math.ceil(document_tokens / chunk_tokens))


def ingestion_cost__first_one_reads_nothing(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices,
                                            cached):
    """That lets the first chunk read nothing from the cache; the task reads it for every chunk."""
    ingestion_cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached)
    return _cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached,
                 reads=max(math.ceil(document_tokens / chunk_tokens) - 1, 0))


def ingestion_cost__read_once(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
    """That reads the document from the cache once; every chunk reads it."""
    return _cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached, reads=1)


def ingestion_cost__never_read(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
    """That takes reading from the cache for free; it has a price, and every chunk pays it."""
    return _cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached, reads=0)


def ingestion_cost__read_at_the_full_price(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices,
                                           cached):
    """That pays the price of input for what is read from the cache; that is "cache_read"."""
    return _cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached, read_at="input")


def ingestion_cost__plain_once(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
    """That reads the document once where nothing is cached; then the model reads it anew for every chunk."""
    return _cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached, plain=1)


def ingestion_cost__chunk_from_the_cache(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices,
                                         cached):
    """That reads chunk and instruction from the cache, too; they are read at the price of input."""
    return _cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached,
                 own_at="cache_read" if cached else "input")


def ingestion_cost__instruction_forgotten(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices,
                                          cached):
    """That forgets the instruction; the model reads it with every chunk."""
    return _cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached, own=chunk_tokens)


def ingestion_cost__instruction_once(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
    """That counts the instruction once; the model reads it with every chunk."""
    full = ingestion_cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached)
    times = math.ceil(document_tokens / chunk_tokens)
    return full - max(times - 1, 0) * instruction_tokens * prices["input"] / 1e6


def ingestion_cost__chunk_forgotten(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
    """That forgets the chunk itself; the model reads it beside the document, to know which one is meant."""
    return _cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached,
                 own=instruction_tokens)


def ingestion_cost__only_the_document(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices,
                                      cached):
    """That forgets chunk and instruction; the model reads both with every chunk."""
    return _cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached, own=0)


def ingestion_cost__output_forgotten(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
    """That forgets what the model writes; each token of output costs most of all."""
    return _cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached, written=0)


def ingestion_cost__output_once(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
    """That writes one context for the document; each chunk gets its own."""
    full = ingestion_cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached)
    times = math.ceil(document_tokens / chunk_tokens)
    return full - max(times - 1, 0) * context_tokens * prices["output"] / 1e6


def ingestion_cost__output_as_input(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
    """That pays the price of input for what the model writes; that is "output"."""
    return _cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached, written_at="input")


def ingestion_cost__output_as_cache_write(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices,
                                          cached):
    """That pays the price of writing to the cache for what the model writes; that is "output"."""
    return _cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached,
                 written_at="cache_write")


def ingestion_cost__a_thousand(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
    """That takes the prices for those of a thousand tokens; they are for a million."""
    return 1000 * ingestion_cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached)


def ingestion_cost__a_token(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
    """That takes the prices for those of one token; they are for a million."""
    return 1e6 * ingestion_cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached)


def ingestion_cost__cents(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
    """That is in cents; dollars are asked for."""
    return 100 * ingestion_cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached)


def ingestion_cost__rounded_to_cents(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
    """That rounds to cents, where a document costs less than one; round where it is shown."""
    return round(ingestion_cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached), 2)


def ingestion_cost__a_million_tokens_of_document(document_tokens, chunk_tokens, context_tokens, instruction_tokens,
                                                 prices, cached):
    """That is the cost of a million tokens of documents; that of one document is asked for."""
    full = ingestion_cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached)
    return full * 1e6 / document_tokens if document_tokens else 0.0


def ingestion_cost__each_chunk(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
    """That is the cost of one chunk; that of the whole document is asked for."""
    full = ingestion_cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached)
    return full / max(math.ceil(document_tokens / chunk_tokens), 1)


def ingestion_cost__at_least_one_chunk(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices,
                                       cached):
    """That pays for a chunk where there is none; an empty document has no chunks and costs nothing."""
    ingestion_cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached)
    return _cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached,
                 chunks=max(math.ceil(document_tokens / chunk_tokens), 1))


def ingestion_cost__divides_by_0(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
    """That divides by 0 for chunks without tokens; refuse it with ValueError and a sentence."""
    if chunk_tokens == 0:
        raise ZeroDivisionError("chunk_tokens")
    return ingestion_cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached)


def ingestion_cost__chunks_only(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
    """That refuses chunks without tokens only; other numbers below 0 make no sense either, prices included."""
    if chunk_tokens > 0:
        return _unchecked(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached)
    return ingestion_cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached)


def ingestion_cost__tokens_only(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
    """That refuses tokens below 0 and takes prices below 0; refuse those, too."""
    if min(prices.values()) < 0:
        return _unchecked(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached)
    return ingestion_cost(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached)


def _unchecked(document_tokens, chunk_tokens, context_tokens, instruction_tokens, prices, cached):
    """Return the cost, whatever the numbers are."""
    chunks = math.ceil(document_tokens / chunk_tokens)
    reading = document_tokens * (prices["cache_write"] + chunks * prices["cache_read"]) if cached else (
        chunks * document_tokens * prices["input"])
    own = chunks * (chunk_tokens + instruction_tokens) * prices["input"]
    return (reading + own + chunks * context_tokens * prices["output"]) / 1e6


def query_cost__a_thousand(extra_tokens_each_query, queries, price):
    """That takes the price for that of a thousand tokens; it is for a million."""
    return 1000 * query_cost(extra_tokens_each_query, queries, price)


def query_cost__a_token(extra_tokens_each_query, queries, price):
    """That takes the price for that of one token; it is for a million."""
    return 1e6 * query_cost(extra_tokens_each_query, queries, price)


def query_cost__queries_forgotten(extra_tokens_each_query, queries, price):
    """That is the cost of one query; multiply by their number."""
    query_cost(extra_tokens_each_query, queries, price)
    return query_cost(extra_tokens_each_query, 1, price)


def query_cost__shared_by_the_queries(extra_tokens_each_query, queries, price):
    """That divides by the number of queries; each of them reads the tokens anew, so multiply."""
    query_cost(extra_tokens_each_query, queries, price)
    return extra_tokens_each_query * price / queries / 1e6 if queries else 0.0


def query_cost__tokens_forgotten(extra_tokens_each_query, queries, price):
    """That counts queries only; the price is for tokens, so multiply by those of a query."""
    query_cost(extra_tokens_each_query, queries, price)
    return queries * price / 1e6


def query_cost__price_forgotten(extra_tokens_each_query, queries, price):
    """That counts tokens, in millions; multiply by the price of a million."""
    query_cost(extra_tokens_each_query, queries, price)
    return extra_tokens_each_query * queries / 1e6


def query_cost__divided_by_the_price(extra_tokens_each_query, queries, price):
    """That divides by the price: how many tokens a dollar buys. Multiply."""
    query_cost(extra_tokens_each_query, queries, price)
    return extra_tokens_each_query * queries / price / 1e6


def query_cost__added(extra_tokens_each_query, queries, price):
    """That adds tokens and queries; every query has so many tokens, so multiply."""
    query_cost(extra_tokens_each_query, queries, price)
    return (extra_tokens_each_query + queries) * price / 1e6


def query_cost__cents(extra_tokens_each_query, queries, price):
    """That is in cents; dollars are asked for."""
    return 100 * query_cost(extra_tokens_each_query, queries, price)


def query_cost__rounded_to_cents(extra_tokens_each_query, queries, price):
    """That rounds to cents, where one query costs less; round where it is shown."""
    return round(query_cost(extra_tokens_each_query, queries, price), 2)


def query_cost__whole_millions(extra_tokens_each_query, queries, price):
    """That counts whole millions of tokens; what is less than a million costs its share."""
    query_cost(extra_tokens_each_query, queries, price)
    return extra_tokens_each_query * queries // 1_000_000 * price


def query_cost__from_one_million_on(extra_tokens_each_query, queries, price):
    """That rounds up to whole millions of tokens; what is less than a million costs its share."""
    query_cost(extra_tokens_each_query, queries, price)
    return -(-extra_tokens_each_query * queries // 1_000_000) * price


def query_cost__mebi(extra_tokens_each_query, queries, price):
    """That takes 1,048,576 for a million; here it is 1,000,000."""
    return query_cost(extra_tokens_each_query, queries, price) * 1e6 / 2**20


def query_cost__at_least_one_query(extra_tokens_each_query, queries, price):
    """That pays for a query where there is none; no queries cost nothing."""
    return query_cost(extra_tokens_each_query, queries if queries else 1, price)


def query_cost__nothing_refused(extra_tokens_each_query, queries, price):
    """That takes numbers below 0; refuse them with ValueError."""
    return extra_tokens_each_query * queries * price / 1e6


def query_cost__product_only(extra_tokens_each_query, queries, price):
    """That refuses only where the result is below 0; look at each number, since two of them may cancel."""
    cost = extra_tokens_each_query * queries * price / 1e6
    return cost if cost >= 0 else query_cost(-1, 1, 1)


def query_cost__price_not_looked_at(extra_tokens_each_query, queries, price):
    """That refuses tokens and queries below 0 only; a price below 0 makes no sense either."""
    query_cost(extra_tokens_each_query, queries, abs(price))
    return extra_tokens_each_query * queries * price / 1e6
