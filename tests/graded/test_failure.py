"""Graded tests of the tasks failure.*; what is expected was worked out by hand."""

from firstprinciples.grading.compare import expect

PLACES = ["ingestion", "chunking", "retrieval", "ranking", "generation"]


def test_holds__all_of_it_in_one_piece(task):
    holds = task("failure.holds")
    expect(holds("In winter ropes hang inside, in the dry.", "ropes hang inside"), True)
    expect(holds("In winter ropes hang inside, in the dry.", "ropes hang dry"), False)
    expect(holds("In winter ropes hang", "ropes hang inside"), False)
    expect(holds("", "ropes"), False)


def test_holds__from_the_start_or_to_the_end(task):
    holds = task("failure.holds")
    expect(holds("ropes hang", "ropes hang inside"), False)
    expect(holds("Ropes hang inside", "Ropes hang"), True)
    expect(holds("Ropes hang inside", "hang inside"), True)


def test_holds__white_space_of_the_text(task):
    holds = task("failure.holds")
    expect(holds("Ropes hang\ninside.", "hang inside"), True)
    expect(holds("Ropes hang\n\n\tinside,  dry.", "hang inside, dry"), True)


def test_holds__white_space_of_the_quote(task):
    holds = task("failure.holds")
    expect(holds("The ropes hang inside.", "ropes  hang\n inside"), True)
    expect(holds("The ropes hang inside.", "\n ropes hang inside.  "), True)
    expect(holds("The handbook lies in side rooms.", "in  \n side"), True)


def test_holds__a_space_more_or_less_is_another_quote(task):
    holds = task("failure.holds")
    expect(holds("The ropes hang in side rooms.", "hang inside"), False)
    expect(holds("The ropes hang inside rooms.", "hang in side"), False)


def test_holds__nothing_else_is_forgiven(task):
    holds = task("failure.holds")
    expect(holds("The ropes hang inside.", "the ropes hang"), False)
    expect(holds("The ropes hang inside, dry.", "hang inside dry"), False)
    expect(holds("It costs $7,420.00 now.", "costs $7420.00"), False)
    expect(holds("The ropes mostly hang inside.", "ropes hang inside"), False)


def test_holds__an_empty_quote(task):
    holds = task("failure.holds")
    holds.refuses("The ropes hang inside.", "")
    holds.refuses("", " \n\t ")


CHUNKS = [{"id": "gas#1", "document": "gas", "text": "Paid on May 2 by card."},
          {"id": "rent#3", "document": "rent", "text": "Rent is due\non May 2. By check."},
          {"id": "rent#1", "document": "rent", "text": "on May 2. By check. Late"},
          {"id": "rent#2", "document": "rent", "text": "Late rent costs 40 dollars on"},
          {"id": "rent_old#1", "document": "rent_old", "text": "Rent was due on May 2. Late"},
          {"id": "slip", "document": "rent", "text": "May 2"}]


def test_holders__of_one_document_alone(task):
    holders = task("failure.holders")
    expect(holders("on May 2", "gas", CHUNKS), ["gas#1"])
    expect(holders("Late rent", "rent", CHUNKS), ["rent#2"])


def test_holders__all_in_the_order_of_the_chunks(task):
    holders = task("failure.holders")
    expect(holders("May 2", "rent", CHUNKS), ["rent#3", "rent#1", "slip"])
    expect(holders("on May 2", "rent", CHUNKS), ["rent#3", "rent#1"])


def test_holders__white_space_is_one_space(task):
    expect(task("failure.holders")("due  on May", "rent", CHUNKS), ["rent#3"])


def test_holders__a_border_runs_through_it(task):
    holders = task("failure.holders")
    expect(holders("By check. Late rent costs", "rent", CHUNKS), [])
    expect(holders("40 dollars on May 2", "rent", CHUNKS), [])
    expect(holders("MAY 2", "rent", CHUNKS), [])


def test_holders__no_such_document_and_an_empty_quote(task):
    holders = task("failure.holders")
    expect(holders("May 2", "water", CHUNKS), [])
    expect(holders("May 2", "rent", []), [])
    holders.refuses("", "rent", CHUNKS)
    holders.refuses(" \n", "water", CHUNKS)


DOCUMENTS = {"rent": "Rent is due on May 2. By check. Late rent costs 40 dollars.", "gas": "Paid on May 2 by card."}


def test_reached__step_by_step(task):
    reached = task("failure.reached")
    asked = ("40 dollars", "rent", DOCUMENTS, CHUNKS)
    expect(reached(*asked, ["gas#1", "rent#2"], ["rent#2", "gas#1", "slip"]), [True, True, True, True])
    expect(reached(*asked, ["gas#1", "rent#2", "rent#1"], ["gas#1"]), [True, True, True, False])
    expect(reached(*asked, ["gas#1", "rent#1", "slip"], ["gas#1", "rent#1"]), [True, True, False, False])


def test_reached__chunks_that_overlap_one_is_enough(task):
    reached = task("failure.reached")
    asked = ("on May 2. By check", "rent", DOCUMENTS, CHUNKS)  # rent#3 and rent#1 hold it
    expect(reached(*asked, ["rent#3", "slip"], ["rent#3"]), [True, True, True, True])
    expect(reached(*asked, ["rent#3"], ["gas#1"]), [True, True, True, False])


def test_reached__chunks_that_overlap_any_one(task):
    reached = task("failure.reached")
    asked = ("on May 2. By check", "rent", DOCUMENTS, CHUNKS)
    expect(reached(*asked, ["slip", "rent#1"], ["slip", "rent#1"]), [True, True, True, True])
    expect(reached(*asked, ["rent#1", "gas#1"], ["rent#3"]), [True, True, True, True])


def test_reached__no_chunk_holds_it(task):
    reached = task("failure.reached")
    asked = ("By check. Late rent costs", "rent", DOCUMENTS, CHUNKS)
    expect(reached(*asked, ["rent#1", "rent#2"], ["rent#1", "rent#2", "slip"]), [True, False, False, False])
    expect(reached("By check", "rent", DOCUMENTS, [], ["rent#1"], ["rent#1"]), [True, False, False, False])


def test_reached__the_document_does_not_hold_it(task):
    reached = task("failure.reached")
    expect(reached("by card", "rent", DOCUMENTS, CHUNKS, ["gas#1"], ["gas#1"]), [False, False, False, False])
    expect(reached("due by check", "water", DOCUMENTS, CHUNKS, ["gas#1"], ["slip"]), [False, False, False, False])


def test_reached__each_station_by_itself(task):
    reached = task("failure.reached")
    # the document was changed after it was cut; or the correction brought a chunk in
    expect(reached("May 2", "rent", {"rent": "To be paid soon."}, CHUNKS, ["slip"], ["slip"]),
           [False, True, True, True])
    expect(reached("May 2", "rent", {"rent": "Due on May 2."}, CHUNKS, ["gas#1", "rent#2"], ["rent#3", "gas#1"]),
           [True, True, False, True])


def test_reached__ids_that_no_chunk_has(task):
    expect(task("failure.reached")("40 dollars", "rent", DOCUMENTS, CHUNKS, ["x#1", "rent#2"], ["y#1", "x#1"]),
           [True, True, True, False])


def test_reached__an_empty_quote(task):
    task("failure.reached").refuses(" \n ", "rent", DOCUMENTS, CHUNKS, ["slip"], ["slip"])


def test_first_loss__the_first_no(task):
    first_loss = task("failure.first_loss")
    expect(first_loss([True, True, True, False]), "ranking")
    expect(first_loss([True, True, False, False]), "retrieval")
    expect(first_loss([True, False, False, False]), "chunking")
    expect(first_loss([False, False, False, False]), "ingestion")


def test_first_loss__also_where_a_later_one_says_yes(task):
    first_loss = task("failure.first_loss")
    expect(first_loss([True, False, True, False]), "chunking")
    expect(first_loss([True, True, False, True]), "retrieval")
    expect(first_loss([False, True, True, True]), "ingestion")


def test_first_loss__it_lay_on_the_desk(task):
    expect(task("failure.first_loss")([True, True, True, True]), "generation")


def test_first_loss__four_stations(task):
    first_loss = task("failure.first_loss")
    first_loss.refuses([True, True, True])
    first_loss.refuses([True, False, True, True, True])
    first_loss.refuses([])


def test_earliest__in_the_order_of_the_trip(task):
    earliest = task("failure.earliest")
    expect(earliest(["ranking", "ingestion", "chunking"]), "ingestion")
    expect(earliest(["generation", "ranking", "retrieval"]), "retrieval")
    expect(earliest(["generation", "ranking"]), "ranking")
    expect(earliest(["retrieval", "chunking"]), "chunking")


def test_earliest__one_and_the_same_more_than_once(task):
    earliest = task("failure.earliest")
    expect(earliest(["generation"]), "generation")
    expect(earliest(["ranking", "ranking", "retrieval", "generation", "ranking"]), "retrieval")


def test_earliest__no_place(task):
    task("failure.earliest").refuses([])


def test_earliest__what_is_none_of_the_five(task):
    earliest = task("failure.earliest")
    earliest.refuses(["retrieval", "reading"])
    earliest.refuses([""])


def test_judge__wrong(task):
    judge = task("failure.judge")
    expect(judge(False, ["retrieval"]), {"place": "retrieval", "luck": False})
    expect(judge(False, ["ranking", "generation", "chunking"]), {"place": "chunking", "luck": False})


def test_judge__right_with_all_on_the_desk(task):
    judge = task("failure.judge")
    expect(judge(True, ["generation"]), {"place": "", "luck": False})
    expect(judge(True, ["generation", "generation", "generation"]), {"place": "", "luck": False})


def test_judge__right_by_luck(task):
    judge = task("failure.judge")
    expect(judge(True, ["ingestion"]), {"place": "ingestion", "luck": True})
    expect(judge(True, ["generation", "ranking"]), {"place": "ranking", "luck": True})
    expect(judge(True, ["ranking", "retrieval", "generation"]), {"place": "retrieval", "luck": True})


def test_judge__wrong_with_all_on_the_desk(task):
    expect(task("failure.judge")(False, ["generation", "generation"]), {"place": "generation", "luck": False})


def test_judge__a_question_without_an_answer(task):
    judge = task("failure.judge")
    expect(judge(True, []), {"place": "", "luck": False})
    expect(judge(False, []), {"place": "generation", "luck": False})


def test_judge__what_is_none_of_the_five(task):
    judge = task("failure.judge")
    judge.refuses(False, ["ranking", "reading"])
    judge.refuses(True, ["", "generation"])


NONE = dict.fromkeys(PLACES, 0)


def test_tally__each_as_often_as_it_is_there(task):
    tally = task("failure.tally")
    places = ["ranking", "generation", "ranking", "ingestion", "retrieval", "chunking", "ranking", "generation"]
    expect(tally(places), {**NONE, "ingestion": 1, "chunking": 1, "retrieval": 1, "ranking": 3, "generation": 2})


def test_tally__also_those_that_are_not_there(task):
    tally = task("failure.tally")
    expect(tally(["chunking", "chunking", "generation"]), {**NONE, "chunking": 2, "generation": 1})
    expect(tally([]), dict(NONE))


def test_tally__where_nothing_went_wrong(task):
    tally = task("failure.tally")
    expect(tally(["", "retrieval", "", ""]), {**NONE, "retrieval": 1})
    expect(tally([""]), dict(NONE))


def test_tally__what_is_none_of_the_five(task):
    tally = task("failure.tally")
    tally.refuses(["ranking", "reading"])
    tally.refuses(["ranking", "Ranking"])


def test_surviving__one_at_each_place(task):
    expect(task("failure.surviving")([*PLACES[::-1], "", "", "", "", ""]), [0.9, 0.8, 0.7, 0.6, 0.5])


def test_surviving__some_places_lose_nothing(task):
    surviving = task("failure.surviving")
    expect(surviving(["ranking", "", "chunking", "ranking"]), [1.0, 0.75, 0.75, 0.25, 0.25])
    expect(surviving(["", "generation", ""]), [1.0, 1.0, 1.0, 1.0, 2 / 3])


def test_surviving__all_or_none(task):
    surviving = task("failure.surviving")
    expect(surviving(["", ""]), [1.0, 1.0, 1.0, 1.0, 1.0])
    expect(surviving(["retrieval", "ingestion", "retrieval", "retrieval"]), [0.75, 0.75, 0.0, 0.0, 0.0])


def test_surviving__no_question_and_what_is_no_place(task):
    surviving = task("failure.surviving")
    surviving.refuses([])
    surviving.refuses(["ranking", "reading", ""])


def test_confusions__named_rightly_and_wrongly(task):
    true = ["ranking", "ranking", "retrieval", "ranking", "ranking", "chunking"]
    named = ["ranking", "retrieval", "retrieval", "ranking", "generation", "ingestion"]
    expect(task("failure.confusions")(true, named), {
        "ingestion": dict(NONE), "chunking": {**NONE, "ingestion": 1}, "retrieval": {**NONE, "retrieval": 1},
        "ranking": {**NONE, "retrieval": 1, "ranking": 2, "generation": 1}, "generation": dict(NONE)})


def test_confusions__one_answer(task):
    table = {place: dict(NONE) for place in PLACES}
    table["ingestion"]["generation"] = 1
    expect(task("failure.confusions")(["ingestion"], ["generation"]), table)


def test_confusions__nothing_yet(task):
    expect(task("failure.confusions")([], []), {place: dict(NONE) for place in PLACES})


def test_confusions__two_of_each(task):
    task("failure.confusions").refuses(["ranking", "chunking"], ["ranking"])
    task("failure.confusions").refuses(["ranking"], ["ranking", "chunking"])


def test_confusions__what_is_none_of_the_five(task):
    confusions = task("failure.confusions")
    confusions.refuses(["ranking"], ["reading"])
    confusions.refuses(["", "ranking"], ["ranking", "ranking"])
