"""Common mistakes in the tasks failure.*, each with the sentence that a learner reads.

Each follows the reference but for the one thing that its sentence names.
"""

import re
from collections import Counter

from firstprinciples.evaluate.failure import (
    PLACES,
    confusions,
    earliest,
    first_loss,
    holders,
    holds,
    judge,
    reached,
    surviving,
    tally,
)


def _asked(quote):
    """Refuse an empty quote, as the reference does."""
    if not quote.strip():
        raise ValueError(quote)


def _one_space(text):
    return " ".join(text.split())


def holds__as_it_stands(text, quote):
    """That looks for the quote letter by letter; a run of white space counts as one space, in both."""
    _asked(quote)
    return quote in text


def holds__white_space_of_the_text_alone(text, quote):
    """That makes one space of each run of white space in the text alone; the quote may have line breaks, too."""
    _asked(quote)
    return quote in _one_space(text)


def holds__white_space_of_the_quote_alone(text, quote):
    """That makes one space of each run of white space in the quote alone; the text has line breaks, too."""
    _asked(quote)
    return _one_space(quote) in text


def holds__the_ends_of_the_quote_count(text, quote):
    """That wants the white space at the ends of the quote, too; it does not count."""
    _asked(quote)
    return re.sub(r"\s+", " ", quote) in re.sub(r"\s+", " ", text)


def holds__line_breaks_alone(text, quote):
    """That turns each line break into a space; a run of white space, blank lines and tabs with it, is one space."""
    _asked(quote)
    return quote.replace("\n", " ").strip() in text.replace("\n", " ")


def holds__no_space_at_all(text, quote):
    """That takes all white space away, so that "in side" is "inside"; a run of it counts as one space."""
    _asked(quote)
    return "".join(quote.split()) in "".join(text.split())


def holds__any_case(text, quote):
    """That forgives capitals; nothing but white space is forgiven."""
    return holds(text.lower(), quote.lower())


def holds__no_commas(text, quote):
    """That forgives commas and points; nothing but white space is forgiven: $7,420 and $7420 are two quotes."""
    _asked(quote)
    return holds(re.sub(r"[,.]", "", text), re.sub(r"[,.]", "", quote))


def holds__any_word(text, quote):
    """That is content with any word of the quote; all of it, in one piece, must be there."""
    _asked(quote)
    return any(word in text.split() for word in quote.split())


def holds__all_words_anywhere(text, quote):
    """That looks for the words of the quote one by one; they must stand there in one piece."""
    _asked(quote)
    return all(word in text for word in quote.split())


def holds__first_half(text, quote):
    """That is content with the first half of the quote; half of an answer's evidence is no evidence."""
    _asked(quote)
    words = quote.split()
    return holds(text, " ".join(words[:(len(words) + 1) // 2]))


def holds__the_other_way_round(text, quote):
    """That looks for the text in the quote; the quote is to be looked for in the text."""
    _asked(quote)
    return _one_space(text) in _one_space(quote)


def holds__nothing_but_the_quote(text, quote):
    """That wants a text that is nothing but the quote; there may be more on both sides."""
    _asked(quote)
    return _one_space(text) == _one_space(quote)


def holds__at_the_start(text, quote):
    """That looks at the start of the text alone; the quote may stand anywhere."""
    _asked(quote)
    return _one_space(text).startswith(_one_space(quote))


def holds__where_it_stands(text, quote):
    """That returns the place where the quote stands; True or False is meant, and -1 is no no."""
    _asked(quote)
    return _one_space(text).find(_one_space(quote))


def holds__takes_an_empty_quote(text, quote):
    """That finds an empty quote everywhere; it must refuse one with ValueError, or every chunk holds the evidence."""
    return _one_space(quote) in _one_space(text)


def holders__any_document(quote, document, chunks):
    """That takes a chunk of any document; the same words in another document are not the evidence."""
    _asked(quote)
    return [chunk["id"] for chunk in chunks if holds(chunk["text"], quote)]


def holders__the_document_alone(quote, document, chunks):
    """That takes every chunk of the document; only one that holds the quote whole counts."""
    _asked(quote)
    return [chunk["id"] for chunk in chunks if chunk["document"] == document]


def holders__the_first(quote, document, chunks):
    """That stops at the first chunk; overlapping chunks can hold a quote twice, and all of them count."""
    return holders(quote, document, chunks)[:1]


def holders__the_first_as_a_text(quote, document, chunks):
    """That returns one id, or None; a list of all of them is meant, [] where there is none."""
    return next(iter(holders(quote, document, chunks)), None)


def holders__yes_or_no(quote, document, chunks):
    """That says whether there is one; the ids are meant."""
    return bool(holders(quote, document, chunks))


def holders__places(quote, document, chunks):
    """That returns places in the list; the ids of the chunks are meant."""
    found = holders(quote, document, chunks)
    return [place for place, chunk in enumerate(chunks) if chunk["id"] in found]


def holders__in_alphabetical_order(quote, document, chunks):
    """That sorts the ids; they stay in the order of the chunks."""
    return sorted(holders(quote, document, chunks))


def holders__from_the_end(quote, document, chunks):
    """That goes through the chunks from the end; the ids stay in their order."""
    return holders(quote, document, chunks[::-1])


def holders__document_by_its_beginning(quote, document, chunks):
    """That takes a document whose id only begins so, such as rent_old for rent; the whole id must be the same."""
    _asked(quote)
    return [chunk["id"] for chunk in chunks if chunk["document"].startswith(document) and holds(chunk["text"], quote)]


def holders__document_from_the_chunk_s_id(quote, document, chunks):
    """That reads the document out of the chunk's id; ids are only names: the chunk says "document"."""
    _asked(quote)
    return [chunk["id"] for chunk in chunks if chunk["id"].partition("#")[0] == document
            and holds(chunk["text"], quote)]


def holders__letter_by_letter(quote, document, chunks):
    """That looks for the quote letter by letter; a run of white space counts as one space, as in `holds`."""
    _asked(quote)
    return [chunk["id"] for chunk in chunks if chunk["document"] == document and quote in chunk["text"]]


def holders__any_case(quote, document, chunks):
    """That forgives capitals; nothing but white space is forgiven, as in `holds`."""
    return holders(quote.lower(), document, [{**chunk, "text": chunk["text"].lower()} for chunk in chunks])


def holders__a_part_of_it(quote, document, chunks):
    """That takes a chunk with a part of the quote; a chunk must hold it whole, or chunking has cut it."""
    _asked(quote)
    words = quote.split()
    return [chunk["id"] for chunk in chunks if chunk["document"] == document and (
        holds(chunk["text"], " ".join(words[:2])) or holds(chunk["text"], " ".join(words[-2:])))]


def holders__across_the_border(quote, document, chunks):
    """That joins a chunk with the next one before it looks; a border between them has cut the quote."""
    _asked(quote)
    own = [chunk for chunk in chunks if chunk["document"] == document]
    return [one["id"] for one, other in zip(own, [*own[1:], {"text": ""}], strict=True)
            if holds(one["text"] + " " + other["text"], quote)]


def holders__takes_an_empty_quote(quote, document, chunks):
    """That lets an empty quote be held; it must refuse one with ValueError."""
    return holders(quote, document, chunks) if quote.strip() else []


def _holding(quote, document, chunks):
    return set(holders(quote, document, chunks))


def reached__a_no_is_final(quote, document, documents, chunks, candidates, context):
    """That makes all later stations a no after the first one; each is asked by itself."""
    there = reached(quote, document, documents, chunks, candidates, context)
    return [all(there[:station + 1]) for station in range(4)]


def reached__a_later_yes_mends(quote, document, documents, chunks, candidates, context):
    """That makes all stations before a yes a yes; each is asked by itself."""
    there = reached(quote, document, documents, chunks, candidates, context)
    return [any(there[station:]) for station in range(4)]


def reached__all_holders(quote, document, documents, chunks, candidates, context):
    """That wants all the chunks that hold the quote; one of them is enough at each station."""
    there, holding = reached(quote, document, documents, chunks, candidates, context)[:2], _holding(
        quote, document, chunks)
    return [*there, bool(holding) and holding.issubset(candidates), bool(holding) and holding.issubset(context)]


def reached__all_of_none(quote, document, documents, chunks, candidates, context):
    """That wants all the chunks that hold the quote, and finds all of none; one is enough, and there must be one."""
    there, holding = reached(quote, document, documents, chunks, candidates, context)[:2], _holding(
        quote, document, chunks)
    return [*there, holding.issubset(candidates), holding.issubset(context)]


def reached__the_first_holder(quote, document, documents, chunks, candidates, context):
    """That follows the first chunk that holds the quote; any of those that hold it will do."""
    there, first = reached(quote, document, documents, chunks, candidates, context)[:2], holders(
        quote, document, chunks)[:1]
    return [*there, bool(first) and first[0] in candidates, bool(first) and first[0] in context]


def reached__the_same_chunk(quote, document, documents, chunks, candidates, context):
    """That wants on the desk the chunk that was a candidate; another one that holds the quote is as good."""
    there = reached(quote, document, documents, chunks, candidates, context)
    both = _holding(quote, document, chunks) & set(candidates) & set(context)
    return [*there[:3], bool(both)]


def reached__any_document(quote, document, documents, chunks, candidates, context):
    """That looks through all documents at the first station; only the document of the evidence counts."""
    there = reached(quote, document, documents, chunks, candidates, context)
    return [any(holds(text, quote) for text in documents.values()), *there[1:]]


def reached__whoever_says_so(quote, document, documents, chunks, candidates, context):
    """That takes chunks of any document for holders; the same words in another document are not the evidence."""
    there = reached(quote, document, documents, chunks, candidates, context)
    holding = {chunk["id"] for chunk in chunks if holds(chunk["text"], quote)}
    return [there[0], bool(holding), bool(holding & set(candidates)), bool(holding & set(context))]


def reached__the_document_is_there(quote, document, documents, chunks, candidates, context):
    """That asks at the first station whether there is such a document; it must also hold the quote."""
    there = reached(quote, document, documents, chunks, candidates, context)
    return [document in documents, *there[1:]]


def reached__no_such_document(quote, document, documents, chunks, candidates, context):
    """That stops with KeyError where the document was never read; then the first station is a no."""
    there = reached(quote, document, documents, chunks, candidates, context)
    return [holds(documents[document], quote), *there[1:]]


def reached__chunks_of_the_document(quote, document, documents, chunks, candidates, context):
    """That takes any chunk of the document among the candidates and on the desk; only one with the quote counts."""
    there = reached(quote, document, documents, chunks, candidates, context)
    own = {chunk["id"] for chunk in chunks if chunk["document"] == document}
    return [*there[:2], bool(own & set(candidates)), bool(own & set(context))]


def reached__chunks_put_together(quote, document, documents, chunks, candidates, context):
    """That takes the document for its chunks at the second station; one chunk must hold the quote whole."""
    there = reached(quote, document, documents, chunks, candidates, context)
    return [there[0], there[0], *there[2:]]


def reached__the_desk_among_the_candidates(quote, document, documents, chunks, candidates, context):
    """That counts what lay on the desk as a candidate; the third station asks what was found."""
    return reached(quote, document, documents, chunks, [*candidates, *context], context)


def reached__candidates_and_desk_exchanged(quote, document, documents, chunks, candidates, context):
    """That exchanges the candidates and the desk."""
    return reached(quote, document, documents, chunks, context, candidates)


def reached__the_first_candidate(quote, document, documents, chunks, candidates, context):
    """That looks at the best candidate and the first page on the desk alone; all of them count."""
    return reached(quote, document, documents, chunks, candidates[:1], context[:1])


def reached__the_last_left_out(quote, document, documents, chunks, candidates, context):
    """That stops one before the end of both lists: k of them are there, and the last one counts."""
    return reached(quote, document, documents, chunks, candidates[:-1], context[:-1])


def reached__from_the_desk(quote, document, documents, chunks, candidates, context):
    """That gives the desk first; the order is document, chunk, candidate, desk."""
    return reached(quote, document, documents, chunks, candidates, context)[::-1]


def reached__how_many(quote, document, documents, chunks, candidates, context):
    """That counts the chunks at each station; yes or no is asked for, True or False."""
    there, holding = reached(quote, document, documents, chunks, candidates, context), _holding(
        quote, document, chunks)
    return [int(there[0]), len(holding), len(holding & set(candidates)), len(holding & set(context))]


def reached__ids_must_be_known(quote, document, documents, chunks, candidates, context):
    """That refuses an id that no chunk has; such an id does not matter."""
    if not {chunk["id"] for chunk in chunks}.issuperset([*candidates, *context]):
        raise ValueError("id")
    return reached(quote, document, documents, chunks, candidates, context)


def reached__takes_an_empty_quote(quote, document, documents, chunks, candidates, context):
    """That lets an empty quote be lost or found; it must refuse one with ValueError."""
    if not quote.strip():
        return [False] * 4
    return reached(quote, document, documents, chunks, candidates, context)


def _four(reached):
    if len(reached) != 4:
        raise ValueError(reached)


def first_loss__the_last_no(reached):
    """That names the last no, a later stage first; what comes after the first loss follows from it."""
    _four(reached)
    return next((place for place, there in zip(PLACES[3::-1], reached[::-1], strict=True) if not there), "generation")


def first_loss__behind_the_last_yes(reached):
    """That looks for the last yes and names the place behind it; the first no counts, also where a later one is yes."""
    _four(reached)
    return PLACES[max((station + 1 for station, there in enumerate(reached) if there), default=0)]


def first_loss__how_many(reached):
    """That counts the yes and takes the place at that number; the first no counts, wherever the others are."""
    _four(reached)
    return PLACES[sum(map(bool, reached))]


def first_loss__one_too_far(reached):
    """That names the place behind the first no; a no at the first station is ingestion."""
    place = PLACES.index(first_loss(reached))
    return PLACES[min(place + 1, 4)]


def first_loss__one_too_early(reached):
    """That names the place of the last yes before the first no; the first no itself names the place."""
    return PLACES[max(PLACES.index(first_loss(reached)) - 1, 0)]


def first_loss__the_first_yes(reached):
    """That names the first station that says yes; the first no is meant."""
    _four(reached)
    return next((place for place, there in zip(PLACES, reached, strict=False) if there), "generation")


def first_loss__nothing_lost(reached):
    """That names no place where all four say yes; the piece lay on the desk, and what is left is generation."""
    place = first_loss(reached)
    return "" if place == "generation" else place


def first_loss__none_returned(reached):
    """That returns None where all four say yes; the piece lay on the desk, and what is left is generation."""
    place = first_loss(reached)
    return None if place == "generation" else place


def first_loss__a_number(reached):
    """That returns the number of the station; the name of the place is meant."""
    return PLACES.index(first_loss(reached))


def first_loss__all_of_them(reached):
    """That returns all places with a no; the first one is meant."""
    first_loss(reached)
    return [place for place, there in zip(PLACES, reached, strict=False) if not there] or ["generation"]


def first_loss__found_is_enough(reached):
    """That asks the desk first, and takes a yes there for all; a piece lost before and there again was still lost."""
    return "generation" if len(reached) == 4 and reached[3] else first_loss(reached)


def first_loss__takes_any_number(reached):
    """That takes any number of stations; other than four must be refused with ValueError."""
    return next((place for place, there in zip(PLACES, reached, strict=False) if not there), "generation")


def _known(places, also=()):
    if any(place not in (*PLACES, *also) for place in places):
        raise ValueError(places)


def earliest__the_latest(places):
    """That takes the last place of the trip; the earliest loss counts."""
    earliest(places)
    return max(places, key=PLACES.index)


def earliest__first_in_the_list(places):
    """That takes the first of the list; the order is that of the trip, not that of the pieces."""
    earliest(places)
    return places[0]


def earliest__last_in_the_list(places):
    """That takes the last of the list; the order is that of the trip, not that of the pieces."""
    earliest(places)
    return places[-1]


def earliest__alphabetical(places):
    """That takes the first in the alphabet; chunking comes before ingestion there, and not on the trip."""
    earliest(places)
    return min(places)


def earliest__most_frequent(places):
    """That takes the place that is there most often; the earliest counts, also if it is there once."""
    earliest(places)
    return max(PLACES, key=places.count)


def earliest__a_number(places):
    """That returns the number of the place on the trip; its name is meant."""
    return PLACES.index(earliest(places))


def earliest__in_order(places):
    """That returns all places in their order; the earliest one is meant."""
    earliest(places)
    return sorted(places, key=PLACES.index)


def earliest__none_is_generation(places):
    """That takes no place at all for generation; without a place it must refuse with ValueError."""
    return earliest(places) if places else "generation"


def earliest__none_is_nothing(places):
    """That returns "" for no place at all; without a place it must refuse with ValueError."""
    return earliest(places) if places else ""


def earliest__takes_any_place(places):
    """That passes over what is none of the five places; it must refuse that with ValueError."""
    known = [place for place in places if place in PLACES]
    return earliest(known or places[:0]) if known or not places else ""


def judge__right_is_right(right, places):
    """That lets a right answer hide lost evidence; right with a piece lost is luck, and its place is named."""
    found = judge(right, places)
    return {"place": "", "luck": False} if right else found


def judge__luck_without_its_place(right, places):
    """That says luck and no place; the earliest place is named all the same, for the next question may be unlucky."""
    found = judge(right, places)
    return {"place": "" if right else found["place"], "luck": found["luck"]}


def judge__a_place_without_luck(right, places):
    """That names the place of a right answer and does not say that it was luck."""
    return {"place": judge(right, places)["place"], "luck": False}


def judge__right_is_luck(right, places):
    """That takes every right answer for luck; one with all of its pieces on the desk is none."""
    return {"place": judge(right, places)["place"], "luck": right}


def judge__luck_where_it_was_wrong(right, places):
    """That says luck wherever a piece was lost; a wrong answer is never luck."""
    found = judge(right, places)
    return {"place": found["place"], "luck": found["place"] not in ("", "generation")}


def judge__luck_is_a_lie(right, places):
    """That exchanges the two: luck is a right answer with a piece lost, not a wrong one with all pieces there."""
    found = judge(right, places)
    return {"place": found["place"], "luck": not right and found["place"] == "generation" and len(places) > 0}


def judge__any_piece(right, places):
    """That is content with any piece on the desk; all of those that are needed must lie there, or it is luck."""
    found = judge(right, places)
    return {"place": "", "luck": False} if right and "generation" in places else found


def judge__any_piece_where_it_was_wrong(right, places):
    """That blames generation wherever a piece lay on the desk; if another one was lost, its place counts."""
    found = judge(right, places)
    return {"place": "generation", "luck": False} if not right and "generation" in places else found


def judge__the_latest(right, places):
    """That names the last place of the trip; of several pieces the earliest loss counts."""
    judge(right, places)
    return judge(right, [max(places, key=PLACES.index)] if places else [])


def judge__the_latest_loss(right, places):
    """That names the last place at which a piece was lost; the earliest loss counts."""
    judge(right, places)
    lost = [place for place in places if place != "generation"]
    return judge(right, [max(lost, key=PLACES.index)] if lost else places)


def judge__the_first_piece(right, places):
    """That looks at the first piece alone; all the needed pieces count, and the earliest loss among them."""
    judge(right, places)
    return judge(right, places[:1])


def judge__generation_where_it_was_right(right, places):
    """That names generation for a right answer; nothing went wrong there, and its place is ""."""
    found = judge(right, places)
    return {**found, "place": found["place"] or "generation"}


def judge__nothing_wrong_on_the_desk(right, places):
    """That names no place where all pieces lay on the desk; a wrong answer was lost in generation then."""
    found = judge(right, places)
    return {**found, "place": "" if found["place"] == "generation" else found["place"]}


def judge__no_pieces_refused(right, places):
    """That refuses a question without pieces; one that has no answer has none, and is judged, too."""
    if not places:
        raise ValueError("places")
    return judge(right, places)


def judge__no_pieces_nothing_wrong(right, places):
    """That finds nothing wrong where there are no pieces; an answer to a question that has none is wrong."""
    return judge(right or not places, places)


def judge__no_pieces_is_ingestion(right, places):
    """That says ingestion where there are no pieces; nothing was lost: the reader should have said nothing."""
    return judge(right, places) if places or right else {"place": "ingestion", "luck": False}


def judge__a_right_one_without_pieces_is_luck(right, places):
    """That says luck where there are no pieces; to say nothing to such a question is right, and no luck."""
    return judge(right, places) if places or not right else {"place": "generation", "luck": True}


def judge__two_values(right, places):
    """That returns the two values; a dict {"place", "luck"} is meant."""
    found = judge(right, places)
    return found["place"], found["luck"]


def judge__takes_any_place(right, places):
    """That takes what is none of the five places for a place; it must refuse that with ValueError."""
    return judge(right, [place for place in places if place in PLACES])


def tally__those_that_are_there(places):
    """That has no row for a place which is not there; all five are meant, also those with 0."""
    return {place: count for place, count in tally(places).items() if count}


def tally__nothing_is_a_place(places):
    """That has a row for "" as well; where nothing went wrong there is nothing to count."""
    return {**tally(places), **({"": places.count("")} if "" in places else {})}


def tally__nothing_is_generation(places):
    """That counts "" as generation; where nothing went wrong there is nothing to count."""
    return tally([place or "generation" for place in places])


def tally__nothing_is_refused(places):
    """That refuses ""; nothing went wrong there, and it is passed over."""
    _known(places)
    return tally(places)


def tally__once(places):
    """That counts each place once; it counts as often as it is there."""
    return tally(list(set(places)))


def tally__shares(places):
    """That gives shares; how often each place is there is meant."""
    lost = [place for place in places if place]
    return {place: count / len(lost) if lost else 0.0 for place, count in tally(places).items()}


def tally__a_list(places):
    """That gives the five numbers alone; a dict {place: how often} is meant."""
    return list(tally(places).values())


def tally__from_the_last(places):
    """That adds up the places from the first one on; each has a count of its own."""
    counts = tally(places)
    return {place: sum(list(counts.values())[:number + 1]) for number, place in enumerate(counts)}


def tally__five_ones_too_many(places):
    """That begins to count at 1; a place that is not there has 0."""
    return {place: count + 1 for place, count in tally(places).items()}


def tally__takes_any_place(places):
    """That passes over what is none of the five places; it must refuse that with ValueError."""
    return tally([place for place in places if place in PLACES])


def tally__rows_for_any_place(places):
    """That has a row for what is none of the five places; it must refuse that with ValueError."""
    return {**dict.fromkeys(PLACES, 0), **Counter(place for place in places if place)}


def surviving__before_each_place(places):
    """That gives who is alive before each place; who is alive behind it is meant."""
    return [1.0, *surviving(places)[:-1]]


def surviving__six_numbers(places):
    """That begins with the 1 before the first place; behind each of the five places is meant, five numbers."""
    return [1.0, *surviving(places)]


def surviving__four_numbers(places):
    """That stops before generation; a piece on the desk is no answer yet: five numbers are meant."""
    return surviving(places)[:4]


def surviving__each_by_itself(places):
    """That takes from 1 what each place alone has lost; who was lost before is dead behind all that follow."""
    surviving(places)
    return [1 - places.count(place) / len(places) for place in PLACES]


def surviving__of_those_that_came(places):
    """That gives the share of those which came to a place; the share of all questions is meant."""
    shares = [1.0, *surviving(places)]
    return [after / before if before else 0.0 for before, after in zip(shares[:-1], shares[1:], strict=True)]


def surviving__the_dead(places):
    """That gives the share that is dead behind each place; the share that is alive is meant."""
    return [1 - share for share in surviving(places)]


def surviving__the_lost_of_each(places):
    """That gives the share that each place has lost; the share that is alive behind it is meant."""
    surviving(places)
    return [places.count(place) / len(places) for place in PLACES]


def surviving__numbers(places):
    """That gives numbers of questions; their share of all is meant."""
    return [share * len(places) for share in surviving(places)]


def surviving__percent(places):
    """That gives percent; shares from 0 to 1 are meant."""
    return [100 * share for share in surviving(places)]


def surviving__of_the_lost_alone(places):
    """That leaves the questions out at which nothing went wrong; they are alive to the end, and count."""
    surviving(places)
    lost = [place for place in places if place]
    return surviving(lost) if lost else [0.0] * 5


def surviving__nothing_is_generation(places):
    """That lets a question die in generation at which nothing went wrong; "" is alive to the end."""
    surviving(places)
    return surviving([place or "generation" for place in places])


def surviving__by_name(places):
    """That gives a dict; the five shares alone are meant, in the order of the trip."""
    return dict(zip(PLACES, surviving(places), strict=True))


def surviving__nobody_asked(places):
    """That gives 0 of no questions; without a question it must refuse with ValueError."""
    return surviving(places) if places else [0.0] * 5


def surviving__all_of_nobody(places):
    """That gives 1 where there are no questions; without a question it must refuse with ValueError."""
    return surviving(places) if places else [1.0] * 5


def surviving__divided_by_nothing(places):
    """That divides by the number of questions, also by 0; without a question it must refuse with ValueError."""
    alive, shares = len(places), []
    for lost in tally(places).values():
        alive -= lost
        shares.append(alive / len(places))
    return shares


def surviving__takes_any_place(places):
    """That lets a question live whose place is none of the five; it must refuse that with ValueError."""
    return surviving([place if place in PLACES else "" for place in places])


def confusions__named_outside(true, named):
    """That has the named places outside; {true: {named: count}} is meant."""
    return confusions(named, true)


def confusions__those_that_are_there(true, named):
    """That has only the pairs which are there; all five by five are meant, zeros too."""
    table = confusions(true, named)
    rows = {was: {said: count for said, count in row.items() if count} for was, row in table.items()}
    return {was: row for was, row in rows.items() if row}


def confusions__rows_that_are_there(true, named):
    """That has a row only for a true place which is there; all five are meant, zeros too."""
    return {was: row for was, row in confusions(true, named).items() if was in true}


def confusions__columns_that_are_there(true, named):
    """That has in a row only what was named; all five are meant, zeros too."""
    return {was: {said: count for said, count in row.items() if count} for was, row in confusions(true, named).items()}


def confusions__errors_alone(true, named):
    """That leaves out what was named rightly; it counts, too, at the true place itself."""
    return {was: {**row, was: 0} for was, row in confusions(true, named).items()}


def confusions__right_ones_alone(true, named):
    """That counts what was named rightly alone; what it was taken for is the point."""
    return {was: {said: count if was == said else 0 for said, count in row.items()}
            for was, row in confusions(true, named).items()}


def confusions__once(true, named):
    """That counts a pair once; it counts as often as it is there."""
    return {was: {said: min(count, 1) for said, count in row.items()} for was, row in confusions(true, named).items()}


def confusions__shares(true, named):
    """That divides by the number of answers of a row; counts are meant."""
    return {was: {said: count / max(sum(row.values()), 1) for said, count in row.items()}
            for was, row in confusions(true, named).items()}


def confusions__one_row_for_all(true, named):
    """That has the same dict as each row, so that all rows count together; each needs one of its own."""
    confusions(true, named)
    return {place: tally(named) for place in PLACES}


def confusions__how_often(true, named):
    """That counts each list by itself; which true place was named how is meant, pair by pair."""
    confusions(true, named)
    return {place: {said: min(true.count(place), named.count(said)) for said in PLACES} for place in PLACES}


def confusions__flat(true, named):
    """That gives how often each true place was named rightly; {true: {named: count}} is meant."""
    return {place: row[place] for place, row in confusions(true, named).items()}


def confusions__takes_unequal_lists(true, named):
    """That stops at the end of the shorter list; lists of different lengths must be refused with ValueError."""
    _known([*true, *named])
    return confusions(true[:len(named)], named[:len(true)])


def confusions__takes_any_place(true, named):
    """That passes over what is none of the five places; it must refuse that with ValueError."""
    if len(true) != len(named):
        raise ValueError("lengths")
    pairs = [pair for pair in zip(true, named, strict=True) if pair[0] in PLACES and pair[1] in PLACES]
    return confusions([was for was, _ in pairs], [said for _, said in pairs])


def confusions__stops_at_any_place(true, named):
    """That stops with KeyError at what is none of the five places; it must refuse that with ValueError."""
    if len(true) != len(named):
        raise ValueError("lengths")
    table = {place: dict.fromkeys(PLACES, 0) for place in PLACES}
    for was, said in zip(true, named, strict=True):
        table[was][said] += 1
    return table
