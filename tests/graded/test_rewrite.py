"""Graded tests of the tasks rewrite.*; the expected texts and numbers were worked out by hand."""

import math
from functools import partial

import numpy as np

from firstprinciples.grading.compare import expect

user, answer = (partial(dict, role=role) for role in ("user", "assistant"))


def test_words_of__without_punctuation_at_the_ends(task):
    words_of = task("rewrite.words_of")
    expect(words_of("Who owes us, and since when?"), ["Who", "owes", "us", "and", "since", "when"])
    expect(words_of('(Late again!) He said: "never."'), ["Late", "again", "He", "said", "never"])


def test_words_of__inside_a_word_all_stays(task):
    expect(task("rewrite.words_of")("Part LK-204-B, $1,284.50; o'clock 7:30."),
           ["Part", "LK-204-B", "1,284.50", "o'clock", "7:30"])


def test_words_of__written_as_it_is(task):
    expect(task("rewrite.words_of")("The\tHSA\nand  the hsa The"), ["The", "HSA", "and", "the", "hsa", "The"])


def test_words_of__punctuation_alone_is_no_word(task):
    words_of = task("rewrite.words_of")
    expect(words_of("yes ... no - maybe ??"), ["yes", "no", "maybe"])
    expect(words_of(" ?! "), [])
    expect(words_of(""), [])


BEFORE = [user(text="How high was the March invoice?"), answer(text="It was 840 dollars.")]
POINTING = ["it", "they", "that", "ones"]
COMMON = ["when", "did", "who", "is", "the", "what", "for", "of"]


def test_is_follow_up__a_word_that_points(task):
    is_follow_up = task("rewrite.is_follow_up")
    expect(is_follow_up("Who is it that they pay?", BEFORE, POINTING, COMMON), True)
    expect(is_follow_up("Did they rent canoes, tents, stoves?", BEFORE, POINTING, COMMON), True)
    expect(is_follow_up("Hollow Creek: is that the canoe invoice?", BEFORE, POINTING, COMMON), True)


def test_is_follow_up__too_much_before_it(task):
    is_follow_up = task("rewrite.is_follow_up")
    expect(is_follow_up("When did Hollow Creek Guides pay for it?", BEFORE, POINTING, COMMON), False)
    expect(is_follow_up("Who said Larkspur lost that?", BEFORE, POINTING, COMMON), False)


def test_is_follow_up__the_first_word_that_points(task):
    is_follow_up = task("rewrite.is_follow_up")
    expect(is_follow_up("Is it Hollow Creek Guides that pays?", BEFORE, POINTING, COMMON), True)
    expect(is_follow_up("That rope: did Tarn send those ones?", BEFORE, POINTING, COMMON), True)


def test_is_follow_up__hardly_a_word_that_tells_something(task):
    is_follow_up = task("rewrite.is_follow_up")
    expect(is_follow_up("What is the repair deadline for?", BEFORE, POINTING, COMMON), True)
    expect(is_follow_up("When is the deadline?", BEFORE, POINTING, COMMON), True)
    expect(is_follow_up("What is the canoe repair deadline for?", BEFORE, POINTING, COMMON), False)


def test_is_follow_up__a_question_that_stands_alone(task):
    is_follow_up = task("rewrite.is_follow_up")
    expect(is_follow_up("When did Hollow Creek Guides pay?", BEFORE, POINTING, COMMON), False)
    # whole words: neither "it" in "kit" nor "ones" in "stones"
    expect(is_follow_up("Which kit lacks flat stones?", BEFORE, POINTING, COMMON), False)


def test_is_follow_up__each_as_often_as_it_stands_there(task):
    is_follow_up = task("rewrite.is_follow_up")
    expect(is_follow_up("rope, rope, rope?", BEFORE, POINTING, COMMON), False)
    expect(is_follow_up("rope, rope?", BEFORE, POINTING, COMMON), True)


def test_is_follow_up__without_a_history_never(task):
    is_follow_up = task("rewrite.is_follow_up")
    expect(is_follow_up("When did they pay it?", [], POINTING, COMMON), False)
    expect(is_follow_up("deadline??", [], POINTING, COMMON), False)


def test_is_follow_up__in_any_case_and_with_any_punctuation(task):
    is_follow_up = task("rewrite.is_follow_up")
    expect(is_follow_up("Did THEY rent canoes, tents, stoves?", BEFORE, POINTING, COMMON), True)
    expect(is_follow_up("(it) lists canoes, tents, stoves", BEFORE, POINTING, COMMON), True)
    expect(is_follow_up("WHEN did Hollow pay?", BEFORE, POINTING, COMMON), True)


def test_is_follow_up__the_lists_decide(task):
    is_follow_up = task("rewrite.is_follow_up")
    expect(is_follow_up("It they that pay canoes", BEFORE, ["zelt"], []), False)
    expect(is_follow_up("Zelt Boot Seil Pfanne", BEFORE, ["zelt"], []), True)
    expect(is_follow_up("Zelt Boot Seil Pfanne", BEFORE, [], ["boot", "seil"]), True)


LITTLE = ["who", "us", "the", "is", "a", "and", "of", "it", "was", "for"]
TALK = [user(text="Who rents canoes?"), answer(text="Brightwater rents canoes and Tarn tents."),
        user(text="And stoves?")]


def test_topic_words__the_newest_turn_weighs_most(task):
    topic_words = task("rewrite.topic_words")
    # stoves 1; canoes and rents 1/2 + 1/3; tents 1/2
    talk = [user(text="who rents canoes"), answer(text="many rents canoes and tents"), user(text="and stoves")]
    expect(topic_words(talk, 4, [*LITTLE, "many"]), ["stoves", "rents", "canoes", "tents"])
    # tents 1/4 + 1/3 + 1/2, more than 1
    talk = [user(text="tents"), answer(text="tents and ropes"), user(text="tents"), answer(text="stoves")]
    expect(topic_words(talk, 3, LITTLE), ["tents", "stoves", "ropes"])


def test_topic_words__a_name_twice(task):
    # stoves 1; Tarn 2/2, later; rents and canoes 5/6; tents 1/2; Brightwater is no name as the first word of its turn
    expect(task("rewrite.topic_words")(TALK, 6, LITTLE), ["stoves", "Tarn", "rents", "canoes", "Brightwater", "tents"])


def test_topic_words__digits_and_capitals_make_a_name(task):
    topic_words = task("rewrite.topic_words")
    expect(topic_words([user(text="is rope LK-204-B in bin 17 or in the eBay box?")], 4, ["is", "in", "or", "the"]),
           ["LK-204-B", "17", "eBay", "rope"])
    expect(topic_words([user(text="Canoe 12 near the McCabe pier")], 5, ["the"]),
           ["12", "McCabe", "Canoe", "near", "pier"])
    expect(topic_words([user(text="rope and b17 tent")], 4, ["and"]), ["b17", "rope", "tent"])


def test_topic_words__once_a_turn(task):
    # rope stands three times in one turn, tent in one turn of the same age: first come
    expect(task("rewrite.topic_words")([user(text="boat"), answer(text="tent, rope rope rope")], 3, LITTLE),
           ["tent", "rope", "boat"])


def test_topic_words__upper_and_lower_case_are_one_word(task):
    topic_words = task("rewrite.topic_words")
    # as the newest turn has it; a name in one turn is a name
    expect(topic_words([user(text="the Invoice, please"), answer(text="which invoice")], 3, ["the", "which"]),
           ["invoice", "please"])
    talk = [user(text="ask Tarn"), answer(text="no reply"), user(text="ask TARN again")]
    expect(topic_words(talk, 2, ["no"]), ["TARN", "ask"])


def test_topic_words__common_words_are_left_out(task):
    topic_words = task("rewrite.topic_words")
    expect(topic_words([user(text="Who was it for? IT was The rope.")], 5, LITTLE), ["rope"])
    expect(topic_words([user(text="who is it")], 5, LITTLE), [])
    expect(topic_words([], 5, LITTLE), [])


def test_topic_words__no_more_than_that(task):
    topic_words = task("rewrite.topic_words")
    expect(topic_words(TALK, 2, LITTLE), ["stoves", "Tarn"])
    expect(topic_words(TALK, 1, LITTLE), ["stoves"])
    topic_words.refuses(TALK, 0, LITTLE)


def test_condensed__what_it_lacks_comes_behind(task):
    condensed = task("rewrite.condensed")
    expect(condensed("when did they pay?", ["March", "invoice"]), "when did they pay? March invoice")
    expect(condensed("and the stoves", ["tents", "Tarn", "rent"]), "and the stoves tents Tarn rent")


def test_condensed__what_it_has_is_not_added(task):
    condensed = task("rewrite.condensed")
    expect(condensed("Did they pay the invoice?", ["March", "invoice", "Pay"]), "Did they pay the invoice? March")
    expect(condensed("What did TARN rent?", ["Tarn", "canoes"]), "What did TARN rent? canoes")


def test_condensed__a_part_of_a_word_is_not_the_word(task):
    expect(task("rewrite.condensed")("Which canoes were rented?", ["rent", "canoe", "were"]),
           "Which canoes were rented? rent canoe")


def test_condensed__each_once(task):
    expect(task("rewrite.condensed")("how much?", ["Rope", "canoe", "rope", "canoe", "ROPE"]), "how much? Rope canoe")


def test_condensed__nothing_to_add(task):
    condensed = task("rewrite.condensed")
    expect(condensed("Who owes  us?", ["owes"]), "Who owes  us?")
    expect(condensed("Who owes us?", []), "Who owes us?")


FIVE = [user(text="Who owes us money?"), answer(text="Two customers do: Tarn and Brightwater."), user(text="How much?"),
        answer(text="Tarn owes 840 dollars."), user(text="Since when is that?")]  # 4, 6, 2, 4 and 4 words


def test_last_turns__the_newest_that_fit(task):
    last_turns = task("rewrite.last_turns")
    expect(last_turns(FIVE, 10), FIVE[2:])
    expect(last_turns(FIVE, 8), FIVE[3:])
    expect(last_turns(FIVE, 16), FIVE[1:])
    expect(last_turns(FIVE, 20), FIVE)
    expect(last_turns(FIVE, 500), FIVE)


def test_last_turns__whole_or_not_at_all(task):
    last_turns = task("rewrite.last_turns")
    expect(last_turns(FIVE, 9), FIVE[3:])
    expect(last_turns(FIVE, 7), FIVE[4:])
    expect(last_turns([answer(text="Two - or three!"), user(text="Paid ?")], 4),
           [answer(text="Two - or three!"), user(text="Paid ?")])  # a dash is no word


def test_last_turns__none_is_left_out_between(task):
    # the turn of 6 words does not fit, so the 4 before it do not come either
    expect(task("rewrite.last_turns")(FIVE, 15), FIVE[2:])


def test_last_turns__the_last_turn_of_the_user_always(task):
    last_turns = task("rewrite.last_turns")
    expect(last_turns(FIVE, 2), FIVE[4:])
    # its words are counted first: 4 of 9, so that the 5 words of the answer fit, and with 8 they do not
    talk = [answer(text="Good morning to you."), user(text="Who owes us money?"),
            answer(text="Tarn owes us 840 dollars.")]
    expect(last_turns(talk, 9), talk[1:])
    expect(last_turns(talk, 8), talk[1:2])
    expect(last_turns(talk, 3), talk[1:2])


def test_last_turns__nothing_said(task):
    last_turns = task("rewrite.last_turns")
    expect(last_turns([], 6), [])
    last_turns.refuses(FIVE, 0)


def test_long_form__letter_by_letter_from_the_end(task):
    long_form = task("rewrite.long_form")
    expect(long_form("PTO", "All of us earn paid time off"), "paid time off")
    expect(long_form("GPS", "the Global Positioning System"), "Global Positioning System")
    expect(long_form("HSA", "health savings account"), "health savings account")
    expect(long_form("ID", "your id"), "id")  # neighbors, at the very end


def test_long_form__letters_may_stand_inside_words(task):
    long_form = task("rewrite.long_form")
    expect(long_form("SMS", "send a short message"), "short message")
    expect(long_form("TTM", "the time to market"), "time to market")


def test_long_form__the_first_letter_begins_a_word(task):
    # the nearest c before "account" stands inside "which"; the one of "city" begins a word
    expect(task("rewrite.long_form")("CA", "the city in which an account"), "city in which an account")
    expect(task("rewrite.long_form")("HS", "ahealth savings"), "")


def test_long_form__up_to_the_end_and_as_written(task):
    expect(task("rewrite.long_form")("VAT", "our Value Added Tax in full"), "Value Added Tax in full")


def test_long_form__digits_count_and_signs_between_do_not(task):
    long_form = task("rewrite.long_form")
    expect(long_form("B2B", "from business 2 business"), "business 2 business")
    expect(long_form("B2B", "from business to business"), "")
    expect(long_form("R&D", "all research and development"), "research and development")


def test_long_form__none(task):
    long_form = task("rewrite.long_form")
    expect(long_form("HSA", "a savings account"), "")
    expect(long_form("OK", "a smoke"), "")  # no word begins with an o
    expect(long_form("HSA", ""), "")


def test_acronyms__on_either_side_of_the_parenthesis(task):
    acronyms = task("rewrite.acronyms")
    expect(acronyms(["You may pay into a flexible spending account (FSA) each month."]),
           {"FSA": "flexible spending account"})
    expect(acronyms(["PTO (paid time off) is for all.", "Call the emergency medical service (EMS)."]),
           {"PTO": "paid time off", "EMS": "emergency medical service"})
    expect(acronyms(["(Read this.) Our PTO (paid time off) is short."]), {"PTO": "paid time off"})


def test_acronyms__what_a_short_form_is(task):
    acronyms = task("rewrite.acronyms")
    expect(acronyms(["He sat in a nice old tent (not) near a quiet lake (QL-7).", "Of one thing (A)."]), {})
    expect(acronyms(["We have 24 boats (24)."]), {})
    expect(acronyms(["a nice old tent (Not)", "near a quiet lake (Q-L)", "a health savings account (HSA only)",
                     "Pay in two (two ways, only)."]), {})
    expect(acronyms(["from a b c d e f g h i j to k (ABCDEFGHIJK)", "Pay in cash (it is quick).", ""]), {})
    # digits, small letters and ten signs are fine
    expect(acronyms(["the group of 7 (G7)", "a philosophy doctor (PhD)", "parts a b c d e f g h i j (ABCDEFGHIJ)"]),
           {"G7": "group of 7", "PhD": "philosophy doctor", "ABCDEFGHIJ": "a b c d e f g h i j"})


def test_acronyms__the_letters_must_be_there(task):
    expect(task("rewrite.acronyms")(["We rent boats by the hour (HSA).", "HSA (see the page on savings)."]), {})


def test_acronyms__one_word_is_no_long_form(task):
    expect(task("rewrite.acronyms")(["The television (TV) is old.", "a digital video disc (DVD), television (TV)"]),
           {"DVD": "digital video disc"})


def test_acronyms__not_from_too_far_away(task):
    acronyms = task("rewrite.acronyms")
    # two signs: four words at most
    expect(acronyms(["people who were on the lake all day and earned much (PM)"]), {})
    expect(acronyms(["people on the lake who earned much (PM)"]), {})
    expect(acronyms(["the lake where people pay less money (PM)"]), {"PM": "pay less money"})
    expect(acronyms(["people who earn too much (PM)"]), {})
    # five signs: ten words at most, not five and five less; the long form is nine words back
    expect(acronyms(["a safety check of the old inflatable boats we loaned (SCIBL)"]),
           {"SCIBL": "safety check of the old inflatable boats we loaned"})
    # six signs: eleven words at most, six and five
    order = "order to our two{} men by cart due each Friday (ABCDEF)"
    expect(acronyms([f"an {order.format('')}"]), {"ABCDEF": "an order to our two men by cart due each Friday"})
    expect(acronyms([f"an {order.format(' old')}"]), {})


def test_acronyms__the_most_frequent_long_form(task):
    acronyms = task("rewrite.acronyms")
    expect(acronyms(["a central oven (CO)", "Ask the claims office (CO).", "CO (claims office)"]),
           {"CO": "claims office"})
    expect(acronyms(["Ask the claims office (CO), our claims office (CO).", "a central oven (CO)"]),
           {"CO": "claims office"})
    expect(acronyms(["the claims office (CO)", "a central oven (CO)", "CO (central oven)"]), {"CO": "central oven"})


def test_acronyms__upper_and_lower_case_alike_as_first_seen(task):
    acronyms = task("rewrite.acronyms")
    expect(acronyms(["the Global Positioning System (GPS)", "a global positioning system (GPS)"]),
           {"GPS": "Global Positioning System"})
    expect(acronyms(["a central oven (CO)", "the chief officer (CO)", "the Chief Officer (CO)"]),
           {"CO": "chief officer"})


def test_acronyms__equally_frequent_the_first_seen(task):
    acronyms = task("rewrite.acronyms")
    expect(acronyms(["the water table (WT)", "WT (wall tent)"]), {"WT": "water table"})
    expect(acronyms(["the wall tent (WT)", "WT (water table)"]), {"WT": "wall tent"})


def test_acronyms__white_space_is_one_space(task):
    expect(task("rewrite.acronyms")(["Our standard\nrental   terms\n(SRT) hold.", "FT (front\n tent)"]),
           {"SRT": "standard rental terms", "FT": "front tent"})


LONG = {"HSA": "health savings account", "US": "United States", "LK": "Larkspur kit"}


def test_spelled_out__behind_the_short_form(task):
    spelled_out = task("rewrite.spelled_out")
    expect(spelled_out("Is the HSA mine?", LONG), "Is the HSA (health savings account) mine?")
    expect(spelled_out("US law on the HSA", LONG), "US (United States) law on the HSA (health savings account)")


def test_spelled_out__once(task):
    expect(task("rewrite.spelled_out")("HSA or no HSA?", LONG), "HSA (health savings account) or no HSA?")


def test_spelled_out__in_just_this_case(task):
    expect(task("rewrite.spelled_out")("Who pays us? Is the Hsa ours?", LONG), "Who pays us? Is the Hsa ours?")


def test_spelled_out__whole_words(task):
    spelled_out = task("rewrite.spelled_out")
    expect(spelled_out("Is USB in HSAX, and where is LK-204-B?", LONG), "Is USB in HSAX, and where is LK-204-B?")
    expect(spelled_out("Which USB stick is from the US?", LONG), "Which USB stick is from the US (United States)?")
    expect(spelled_out("Not US.17, HSA/2 or US,4 then.", LONG), "Not US.17, HSA/2 or US,4 then.")
    expect(spelled_out("Ours: HSA, (US).", LONG), "Ours: HSA (health savings account), (US (United States)).")


def test_spelled_out__not_where_it_is_spelled_out_already(task):
    spelled_out = task("rewrite.spelled_out")
    expect(spelled_out("Is an HSA a health savings account in the US?", LONG),
           "Is an HSA a health savings account in the US (United States)?")
    expect(spelled_out("Is the Health Savings Account (HSA) mine?", LONG), "Is the Health Savings Account (HSA) mine?")
    expect(spelled_out("Is the US the united states?", LONG), "Is the US the united states?")


def test_spelled_out__nothing_to_spell_out(task):
    spelled_out = task("rewrite.spelled_out")
    expect(spelled_out("Who  owes us (or did)?", LONG), "Who  owes us (or did)?")
    expect(spelled_out("What is an HSA?", {}), "What is an HSA?")


SYNONYMS = {"bill": ["invoice", "account"], "pays": ["settles"], "late": ["overdue", "due", "past"]}


def test_phrasings__the_question_first_then_a_word_replaced(task):
    phrasings = task("rewrite.phrasings")
    expect(phrasings("Who lost the bill?", {"bill": ["invoice"]}, 5), ["Who lost the bill?", "Who lost the invoice?"])
    expect(phrasings("who pays a bill", {"pays": ["settles"], "bill": ["invoice"]}, 5),
           ["who pays a bill", "who settles a bill", "who pays a invoice"])


def test_phrasings__the_first_synonyms_of_all_words_first(task):
    expect(task("rewrite.phrasings")("who pays a late bill", SYNONYMS, 7),
           ["who pays a late bill", "who settles a late bill", "who pays a overdue bill", "who pays a late invoice",
            "who pays a due bill", "who pays a late account", "who pays a past bill"])


def test_phrasings__no_more_than_that(task):
    phrasings = task("rewrite.phrasings")
    expect(phrasings("who pays a late bill", SYNONYMS, 3),
           ["who pays a late bill", "who settles a late bill", "who pays a overdue bill"])
    expect(phrasings("who pays a late bill", SYNONYMS, 1), ["who pays a late bill"])
    phrasings.refuses("who pays a late bill", SYNONYMS, 0)


def test_phrasings__whole_words_in_any_case(task):
    phrasings = task("rewrite.phrasings")
    expect(phrasings("Late or later: a BILLBOARD?", SYNONYMS, 3),
           ["Late or later: a BILLBOARD?", "overdue or later: a BILLBOARD?", "due or later: a BILLBOARD?"])
    expect(phrasings("The Bill!", {"bill": ["invoice"]}, 4), ["The Bill!", "The invoice!"])
    expect(phrasings("a plate (late)", {"late": ["due"]}, 4), ["a plate (late)", "a plate (due)"])


def test_phrasings__wherever_the_word_stands(task):
    expect(task("rewrite.phrasings")("a bill is a bill", {"bill": ["invoice", "account"]}, 9),
           ["a bill is a bill", "a invoice is a invoice", "a account is a account"])


def test_phrasings__no_text_twice(task):
    expect(task("rewrite.phrasings")("a Bill to pay", {"bill": ["bill", "note", "Note", "slip"], "pay": ["pay"]}, 3),
           ["a Bill to pay", "a note to pay", "a slip to pay"])


def test_phrasings__nothing_to_replace(task):
    phrasings = task("rewrite.phrasings")
    expect(phrasings("Where is the tent?", SYNONYMS, 4), ["Where is the tent?"])
    expect(phrasings("who pays", {}, 4), ["who pays"])
    expect(phrasings("who pays", {"pays": []}, 4), ["who pays"])


def test_mean_vector__of_question_and_answers(task):
    mean_vector = task("rewrite.mean_vector")
    expect(mean_vector(np.array([1.0, 0.0, 0.0]), np.array([[2.0, 4.0, 0.0]])), [0.6, 0.8, 0.0])
    expect(mean_vector([2.0, 1.0], [[1.0, 4.0], [0.0, 2.0], [0.0, -3.0]]), [0.6, 0.8])


def test_mean_vector__the_question_counts_as_one_answer(task):
    # 1, 0 and three times 0, 1: (1, 3) by its length, the root of 10
    expect(task("rewrite.mean_vector")(np.array([1.0, 0.0]), np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 1.0]])),
           [1 / math.sqrt(10), 3 / math.sqrt(10)])


def test_mean_vector__a_long_answer_weighs_more(task):
    expect(task("rewrite.mean_vector")(np.array([1.0, 0.0, 0.0, 0.0]), np.array([[0.0, 3.0, 0.0, 0.0],
                                                                                [3.0, 0.0, 0.0, 0.0]])),
           [0.8, 0.6, 0.0, 0.0])


def test_mean_vector__without_an_answer(task):
    expect(task("rewrite.mean_vector")(np.array([0.0, -3.0, 4.0]), np.zeros((0, 3))), [0.0, -0.6, 0.8])


def test_mean_vector__zeros_stay(task):
    mean_vector = task("rewrite.mean_vector")
    expect(mean_vector(np.array([1.0, -2.0, 0.5]), np.array([[-1.0, 2.0, -0.5]])), [0.0, 0.0, 0.0])
    expect(mean_vector(np.zeros(2), np.zeros((3, 2))), [0.0, 0.0])
