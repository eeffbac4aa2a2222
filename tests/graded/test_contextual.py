"""Graded tests of the tasks contextual.*; the expected values were worked out by hand."""

from firstprinciples.grading.compare import expect


def test_blurb__title_headings_date_names(task):
    blurb = task("contextual.blurb")
    expect(blurb("Acme", ["Labor"], "2024-04", []), "Acme > Labor (2024-04)")
    expect(blurb("Lease of the mill", ["Rent", "Late payment"], "2023-11-02", ["Harrow Mills", "Ana Reis"], "contract"),
           "Lease of the mill > Rent > Late payment (contract, 2023-11-02): Harrow Mills, Ana Reis")


def test_blurb__what_is_empty_goes_with_its_sign(task):
    blurb = task("contextual.blurb")
    expect(blurb("Lease", [], "", []), "Lease")
    expect(blurb("Lease", [], "", ["Ana Reis"]), "Lease: Ana Reis")
    expect(blurb("Lease", ["Rent"], "", [], "contract"), "Lease > Rent (contract)")
    expect(blurb("Lease", ["", "Rent"], "2023-11-02", []), "Lease > Rent (2023-11-02)")


def test_blurb__without_a_title(task):
    blurb = task("contextual.blurb")
    expect(blurb("", ["Rent", "Late payment"], "", ["Ana Reis"]), "Rent > Late payment: Ana Reis")
    expect(blurb("", [], "", []), "")


def test_blurb__nothing_is_said_twice(task):
    blurb = task("contextual.blurb")
    expect(blurb("Lease of the mill", ["Lease of the mill", "Rent"], "", []), "Lease of the mill > Rent")
    expect(blurb("Minutes of 2024-05-06 at Harrow Mills", ["Votes"], "2024-05-06", ["Harrow Mills", "Ana Reis"],
                 "minutes"), "Minutes of 2024-05-06 at Harrow Mills > Votes: Ana Reis")


def test_blurb__capital_and_small_letters_are_alike(task):
    expect(task("contextual.blurb")("Lease", ["Rent", "Terms", "rent"], "2023", [], "Note"),
           "Lease > Rent > Terms (Note, 2023)")


def test_blurb__a_part_of_a_word_says_nothing(task):
    expect(task("contextual.blurb")("Current accounts", ["Rent"], "2024", ["Ana Rei", "Ana Reis"], "count"),
           "Current accounts > Rent (count, 2024): Ana Rei, Ana Reis")
    expect(task("contextual.blurb")("Accounts of the mill", ["Account"], "", []), "Accounts of the mill > Account")


def test_blurb__signs_that_mean_something_in_a_pattern(task):
    blurb = task("contextual.blurb")
    expect(blurb("Costs (net)", ["Costs (net)", "Lot 1.5"], "", ["Ana Reis"], "lot 1x5"),
           "Costs (net) > Lot 1.5 (lot 1x5): Ana Reis")
    expect(blurb("Lot 1x5", ["Lot 1.5"], "2024", []), "Lot 1x5 > Lot 1.5 (2024)")


def test_blurb__white_space(task):
    expect(task("contextual.blurb")(" Lease  of\nthe mill ", ["Rent\t due"], " 2024 ", ["Ana \n Reis"]),
           "Lease of the mill > Rent due (2024): Ana Reis")


def test_situate__above_the_text(task):
    situate = task("contextual.situate")
    expect(situate("Acme, 2024", "The rate rose."), "Acme, 2024\nThe rate rose.")
    expect(situate("Lease > Rent (2023)", "It is due on the 3rd.\n\nLate rent costs more."),
           "Lease > Rent (2023)\nIt is due on the 3rd.\n\nLate rent costs more.")


def test_situate__no_context(task):
    situate = task("contextual.situate")
    expect(situate("", "The rate rose."), "The rate rose.")
    expect(situate(" \n", "It fell."), "It fell.")


def test_situate__the_text_is_not_touched(task):
    expect(task("contextual.situate")("", "  two blanks,\n\tand a tab \n"), "  two blanks,\n\tand a tab \n")


def test_situate__white_space_around_the_context(task):
    expect(task("contextual.situate")("  Acme \n", "  two blanks, \n"), "Acme\n  two blanks, \n")


RANKED = ["r4", "r9", "r1", "r7", "r3", "r2"]


def test_misses__by_hand(task):
    misses = task("contextual.misses")
    expect(misses(["a", "x"], ["a", "b", "c", "d"], k=2), 0.75)
    expect(misses(RANKED, ["r1", "r2", "r3", "r8", "r4"], k=4), 0.6)
    expect(misses(RANKED, ["r1", "r2", "r3", "r8", "r4"], k=5), 0.4)


def test_misses__fewer_places_than_relevant_ids(task):
    expect(task("contextual.misses")(RANKED, ["r9", "r4", "r3"], k=2), 1 / 3)


def test_misses__a_long_list(task):
    misses, ranked = task("contextual.misses"), [f"r{place}" for place in range(1, 31)]
    expect(misses(ranked, ["r2", "r24", "r7"], k=5), 2 / 3)
    expect(misses(ranked, ["r2", "r24", "r7"], k=23), 1 / 3)
    expect(misses(ranked, ["r2", "r24", "r7"], k=24), 0.0)


def test_misses__more_places_than_were_found(task):
    expect(task("contextual.misses")(["r4", "r5", "r1"], ["r1", "r6", "r4", "r2"], k=20), 0.5)
    expect(task("contextual.misses")([], ["r1", "r6", "r2"], k=20), 1.0)


def test_misses__none_missed(task):
    expect(task("contextual.misses")(RANKED, ["r9", "r4"], k=3), 0.0)


def test_misses__doubles_count_once(task):
    misses = task("contextual.misses")
    expect(misses(["r1", "r1", "r1", "r2", "r5"], ["r1", "r2", "r6"], k=4), 1 / 3)
    expect(misses(["r1", "r4", "r5"], ["r2", "r2", "r1", "r6"], k=3), 2 / 3)
    expect(misses(["r1", "r1", "r2"], ["r1", "r2"], k=2), 0.5)  # a double takes up a place


def test_misses__nothing_to_look_for_or_at(task):
    misses = task("contextual.misses")
    misses.refuses(RANKED, [], k=3)
    misses.refuses(RANKED, ["r1"], k=-2)
    misses.refuses(RANKED, ["r1"], k=0)


def test_reduction__by_hand(task):
    reduction = task("contextual.reduction")
    expect(reduction(8, 6), 0.25)
    expect(reduction(before=0.05, after=0.02), 0.6)


def test_reduction__the_published_bars(task):
    reduction = task("contextual.reduction")
    expect([reduction(5.7, after) for after in (3.7, 2.9, 1.9)], [20 / 57, 28 / 57, 38 / 57])


def test_reduction__nothing_gained_and_all(task):
    reduction = task("contextual.reduction")
    expect(reduction(0.3, 0.3), 0.0)
    expect(reduction(0.3, 0), 1.0)


def test_reduction__more_than_before(task):
    expect(task("contextual.reduction")(4.0, 5.0), -0.25)


def test_reduction__nothing_was_missed_before(task):
    reduction = task("contextual.reduction")
    reduction.refuses(0, 0.1)
    reduction.refuses(0.0, 0.0)
    reduction.refuses(-0.2, 0.1)
    reduction.refuses(0.2, -0.1)


# read, written to the cache, read from it, written by the model
PRICES = {"input": 2.0, "cache_write": 3.0, "cache_read": 0.5, "output": 7.0}


def test_ingestion_cost__one_chunk(task):
    cost = task("contextual.ingestion_cost")
    # the model reads 1,000 + 1,000 + 10, and writes 20: 4,020 + 140 millionths
    expect(cost(1000, 1000, 20, 10, PRICES, False), 0.00416)
    expect(cost(1000, 1000, 20, 10, PRICES, cached=True), 0.00566)  # 3,000 + 500 + 2,020 + 140: the cache does not pay


def test_ingestion_cost__many_chunks(task):
    cost = task("contextual.ingestion_cost")
    # 5 chunks: 6,000 written once, 30,000 read from the cache or plain; 5 (1,200 + 30) read, 5 times 80 written
    expect(cost(6000, 1200, 80, 30, PRICES, True), (18_000 + 15_000 + 12_300 + 2800) / 1e6)
    expect(cost(6000, 1200, 80, 30, PRICES, False), (60_000 + 12_300 + 2800) / 1e6)


def test_ingestion_cost__a_chunk_that_is_not_full(task):
    cost = task("contextual.ingestion_cost")
    expect(cost(7000, 1200, 80, 30, PRICES, True), (21_000 + 21_000 + 14_760 + 3360) / 1e6)  # 6 chunks
    expect(cost(6100, 1200, 80, 30, PRICES, True), (18_300 + 18_300 + 14_760 + 3360) / 1e6)  # 6 chunks
    expect(cost(500, 1200, 80, 30, PRICES, False), (1000 + 2460 + 560) / 1e6)  # 1


def test_ingestion_cost__as_published(task):
    cost = task("contextual.ingestion_cost")
    haiku = {"input": 0.25, "cache_write": 0.3, "cache_read": 0.03, "output": 1.25}
    expect(cost(8000, 800, 100, 50, haiku, True), 0.008175)  # 125 such documents: 1.02 dollars
    expect(cost(8000, 800, 100, 50, haiku, False), 0.023375)


def test_ingestion_cost__an_empty_document_costs_nothing(task):
    expect(task("contextual.ingestion_cost")(0, 800, 100, 50, PRICES, True), 0.0)


def test_ingestion_cost__no_chunks_or_less_than_nothing(task):
    cost = task("contextual.ingestion_cost")
    cost.refuses(8000, 0, 100, 50, PRICES, True)
    cost.refuses(8000, -800, 100, 50, PRICES, True)
    cost.refuses(-8000, 800, 100, 50, PRICES, False)
    cost.refuses(8000, 800, 100, -50, PRICES, False)
    cost.refuses(8000, 800, 100, 50, {**PRICES, "output": -7.0}, False)
    # only the prices that it needs, and all of these
    plain = {"input": 2.0, "output": 7.0}
    expect(cost(3, 1, 4, 2, plain, False), (3 * 3 * 2 + 3 * 3 * 2 + 3 * 4 * 7) / 1e6)  # chunks of one token
    cost.refuses(8000, 800, 100, 50, {"input": 2.0}, False)
    cost.refuses(8000, 800, 100, 50, {**plain, "cache_read": 0.5}, True)
    cost.refuses(8000, 800, 100, 50, {**plain, "cache_write": 3.0}, True)


def test_query_cost__by_hand(task):
    cost = task("contextual.query_cost")
    expect(cost(500, 2000, 3.0), 3.0)
    expect(cost(extra_tokens_each_query=8000, queries=250, price=0.4), 0.8)


def test_query_cost__a_million_and_a_half(task):
    expect(task("contextual.query_cost")(500, 3000, 0.5), 0.75)


def test_query_cost__a_single_query(task):
    expect(task("contextual.query_cost")(1200, 1, 0.25), 0.0003)


def test_query_cost__no_queries_cost_nothing(task):
    cost = task("contextual.query_cost")
    expect(cost(700, 0, 0.25), 0.0)
    expect(cost(0, 900, 0.25), 0.0)
    expect(cost(700, 900, 0.0), 0.0)


def test_query_cost__less_than_nothing(task):
    cost = task("contextual.query_cost")
    cost.refuses(-1, 900, 0.25)
    cost.refuses(700, -1, 0.25)
    cost.refuses(700, 900, -0.25)
    cost.refuses(-700, -900, 0.25)
