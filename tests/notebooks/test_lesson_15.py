"""The numbers that lesson 15 states in its sentences, worked out again."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from firstprinciples.encode.stored import ModelFilesMissing, minilm
from firstprinciples.encode.token_files import minilm_tokens
from firstprinciples.evaluate.compare import apart
from firstprinciples.explore.dilution import State as Diluted
from firstprinciples.explore.dilution import frame as diluted_frame
from firstprinciples.explore.dilution import page
from firstprinciples.explore.draw import number
from firstprinciples.explore.guess import QUESTIONS
from firstprinciples.explore.maxsim import PASSAGES, matched, tokens_of
from firstprinciples.explore.memory_table import sized
from firstprinciples.explore.padding import State as Padded
from firstprinciples.explore.padding import frame as padded_frame
from firstprinciples.explore.padding import order
from firstprinciples.explore.token_storage import LENGTHS, LETTERS
from firstprinciples.explore.token_storage import State as Stored
from firstprinciples.explore.token_storage import frame as stored_frame
from firstprinciples.grading import check
from firstprinciples.rank.rerank import Reranked
from firstprinciples.retrieve import maxsim as late
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.maxsim import MaxSim

ROOT = Path(__file__).resolve().parent.parent.parent
LESSON = ROOT / "notebooks" / "15_late_interaction.ipynb"
QUESTION = "python bite treatment"
SCALD = "someone scalded a hand on the kettle, what now?"


@pytest.fixture(scope="module")
def texts(larkspur):
    return {chunk.id: chunk.text for chunk in larkspur.chunks}


@pytest.fixture(scope="module")
def figures():
    return json.loads((ROOT / "notebooks" / "late.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def grids():
    return {name: matched(QUESTION, text) for name, text in PASSAGES.items()}


def plain(text: str) -> str:
    """Return a text without its quotation marks."""
    return text.replace('"', "")


def found(one, i) -> str:
    """Return the word that row i of a grid takes."""
    return one["words"][one["best"][i]]


# Watch it, and how it works


def test_the_guess(grids):
    guess = QUESTIONS["maxsim.python"]
    snake, language = grids["the snake"], grids["the language"]
    assert guess["answer"] == "about 0.8" and f"the snake's is {number(snake['values'][0])}" in guess["question"]
    assert guess["because"].startswith(f"{number(language['values'][0])}. ")
    assert f"“bite” finds {number(snake['values'][1])} in the one and {number(language['values'][1])} in the other" \
        in guess["because"]


def test_the_grid(lesson, grids):
    said, (snake, language, nobody) = plain(lesson["watch-said"]), grids.values()
    assert snake["asked"] == ["python", "bite", "treatment"]
    assert f"does not tell them apart: {number(snake['values'][0])} on the snake, {number(language['values'][0])} on " \
        "the language" in said and found(snake, 0) == found(language, 0) == "python"
    assert f"it finds {found(snake, 1)} with {number(snake['values'][1])} in the one, and in the other nothing " \
        f"better than {found(language, 1)}, {number(language['values'][1])}" in said
    assert f"The totals are {number(snake['total'])} and {number(language['total'])}" in said
    assert f"tells these two apart as well**: {number(snake['cosine'])} and {number(language['cosine'])}" in said
    wash = snake["grid"][2][snake["words"].index("wash")]
    assert f"treatment finds {found(snake, 2)}, {number(snake['values'][2])}, and not wash, {number(wash)}" in said
    assert f"On no bite the total is {number(nobody['total'])}" in said
    assert language["total"] < nobody["total"] < snake["total"] and snake["total"] - nobody["total"] < 0.15


def test_sum_and_mean(lesson, printed, grids, texts):
    said = plain(lesson["total-said"])
    long, short = tokens_of(SCALD, "query")[1], grids["the snake"]
    passage = tokens_of(texts["heat-and-cold-sheet#6"], "passage")[1]
    best = (long @ passage.T).max(axis=1)
    assert f"has {len(long)} tokens" in said and f"gets a sum of {best.sum():.2f}" in said
    assert f"more than the {short['total']:.2f}" in said and best.sum() > short["total"]
    assert f"By the mean it is {best.mean():.2f} and {short['total'] / 3:.2f}" in said
    for name, one in grids.items():
        row = rf"{name} +{one['total']:.2f} +{one['total'] / 3:.2f} +{one['mean']:.2f}"
        assert re.search(row, printed["total-code"])


def test_the_mean_of_all_cells_is_the_averages_product(lesson, grids):
    for one, text in zip(grids.values(), PASSAGES.values(), strict=True):
        q, d = tokens_of(QUESTION, "query")[1], tokens_of(text, "passage")[1]
        assert one["mean"] == pytest.approx(q.mean(axis=0) @ d.mean(axis=0))
    snake = grids["the snake"]
    assert f"{number(snake['mean'])}, divided by {number(snake['lengths'][0])} and by {number(snake['lengths'][1])}, " \
        f"is {number(snake['cosine'])}" in lesson["how-average"]


def test_a_page_that_goes_on(lesson):
    said = plain(lesson["average-after"])
    first, fifth, sixth, last = (diluted_frame(Diluted(n)) for n in (0, 5, 6, 7))
    rival, mine = first["cosine"]["no bite"], "the page"
    assert f"falls from {number(first['cosine'][mine])} to {number(last['cosine'][mine])}" in said
    assert f"falls behind no bite, {number(sixth['cosine'][mine])} to {number(rival)}" in said
    assert fifth["cosine"][mine] > rival > sixth["cosine"][mine] > last["cosine"][mine]
    assert f"The total goes from {number(first['total'][mine])} to {number(last['total'][mine])}" in said
    assert all(each["total"][mine] > each["total"]["no bite"] for each in map(diluted_frame, map(Diluted, range(8))))


@pytest.mark.models
def test_the_encoders_own_vector_forgets_too(lesson):
    try:
        model = minilm().model()
    except ModelFilesMissing:
        pytest.skip("needs the model files")
    asked = model.encode_queries([QUESTION])[0]
    texts = [page(0), page(7), PASSAGES["no bite"]]
    first, last, rival = (float(asked @ row) for row in model.encode_passages(texts))
    assert f"the page alone {first:.2f}, the page with seven more {last:.2f}, and no bite {rival:.2f}" in \
        plain(lesson["average-after"]) and last < rival < first


def test_a_real_pair_that_one_vector_mixes_up(lesson, texts, larkspur):
    said, asked = plain(lesson["average-real-said"]), "Which version of Python do I need?"
    query = next(query for query in larkspur.queries if query.text == asked)
    assert query.split == "dev"
    assert "label-printer-guide#8" in {id for _, ids in larkspur.evidence[query.id] for id in ids}
    right, wrong = (matched(asked, texts[id]) for id in ("label-printer-guide#8", "first-aid-field-safety-sheet#7"))
    assert f"{number(wrong['cosine'])} against {number(right['cosine'])}" in said and wrong["cosine"] > right["cosine"]
    assert f"{number(right['total'])} for the label printer against {number(wrong['total'])}" in said
    i = right["asked"].index("version")
    assert f"version finds {found(right, i)} with {number(right['values'][i])}, and on the snake nothing better " \
        f"than {found(wrong, i)}, {number(wrong['values'][i])}" in said
    vector = minilm().encode_queries([asked])[0]
    own = [float(vector @ row) for row in minilm().encode_passages(
        [texts["first-aid-field-safety-sheet#7"], texts["label-printer-guide#8"]])]
    assert f"{own[0]:.2f} for the snake, {own[1]:.2f}.)" in said and own[0] > own[1]


def test_empty_places(lesson, printed):
    said = plain(lesson["padded-said"])
    alone, batch, longer = (padded_frame(Padded(way)) for way in ("alone", "batch", "longer"))
    scores = {each["filled"]: {page["text"]: page["score"] for page in each["pages"]}
              for each in (alone, batch, longer)}
    assert f"warm wool socks comes first with {number(scores['alone']['warm wool socks'])} and tent has " \
        f"{number(scores['alone']['tent'])}" in said and order(alone)[0] == "warm wool socks"
    assert order(alone).index("tent") == 3 and order(batch).index("tent") == 1
    assert f"and has {number(scores['batch']['tent'])}" in said
    wrong = [page for page in longer["pages"] if abs(page["score"] - page["true"]) > 1e-6]
    assert len(wrong) == 4 and order(longer)[0] == "trail map"
    rows = [re.findall(r"-?\d\.\d{4}", line) for line in printed["padded-code"].splitlines()[1:]]
    assert len(rows) == 5 and all(len(row) == 2 and row[0] == row[1] for row in rows)
    assert "start at [0, 2, 4, 5, 7]" in printed["padded-code"]


def test_what_is_stored(lesson, figures):
    said, kept = plain(lesson["storage-said"]), figures["storage"]
    mean = kept["tokens"] / kept["chunks"]
    assert round(mean) in LENGTHS and round(mean) == Stored().tokens and kept["chunks"] == Stored().chunks
    assert f"have {round(mean)} tokens on average" in plain(lesson["how-storage"])
    assert round(kept["letters"] / kept["tokens"], 2) == LETTERS
    sizes, many = stored_frame(Stored())["bytes"], stored_frame(Stored(chunks=1_000_000))["bytes"]
    assert f"it is {sized(sizes['float32'])} in float32, where one vector a chunk takes {sized(sizes['chunk'])}, and " \
        f"the text itself {sized(sizes['text'])}" in said
    assert f"a million such chunks it is {sized(many['float32'])}, or {sized(many['int8'])} as int8, where one " \
        f"vector each takes {sized(many['chunk'])}" in said


def test_two_stages(lesson, printed, figures, larkspur):
    asked = "Which version of Python do I need?"
    assert next(query for query in larkspur.queries if query.text == asked).split == "dev"
    said = printed["stages-code"]
    ids = re.findall(r'"([\w-]+#\d+)"', lesson["stages-code"])
    chunks = [chunk for chunk in larkspur.chunks if chunk.id in ids]
    scorer = MaxSim(chunks, minilm_tokens())
    for retriever in (scorer, MaxSim(chunks, minilm_tokens(), candidates=1), Reranked(BM25(chunks), scorer, depth=4)):
        assert all(f"{hit.score:.3f}  {hit.id}" in said for hit in retriever.search(asked, k=3))
    explained, told = scorer.explain(asked, "label-printer-guide#8"), plain(lesson["stages-said"])
    drawn = matched(asked, next(chunk.text for chunk in chunks if chunk.id == "label-printer-guide#8"))
    first, *words, last = (part.value for part in explained.parts)
    assert explained.total == pytest.approx(first + sum(words) + last)
    assert f"It has {explained.total:.3f} and not the {number(drawn['total'])} of the picture" in told
    assert f"they add {first:.2f} and {last:.2f}" in told and sum(words) == pytest.approx(drawn["total"], abs=0.005)


def test_no_held_out_question_is_shown(lesson, larkspur):
    everything = " ".join(lesson.values())
    for query in larkspur.queries:
        if query.split == "held_out":
            assert query.text not in everything


def test_the_reference_passes_its_own_check(capsys):
    with np.errstate(all="raise"):
        check("maxsim.maxsim", late.maxsim)
    assert re.search(r"(\d+) of \1 points", capsys.readouterr().out)


def test_intervals_are_told_apart_as_the_course_does(figures):
    for each in figures["held_out"]["differences"].values():
        for row in each["all"].values():
            assert apart(row) == (row["low"] > 1e-9 or row["high"] < -1e-9)


# What is stored, two stages, and where it fails


def signed(row) -> str:
    """Return a difference with its interval, as the sentences write it."""
    return f"{row['difference']:.3f} ({row['low']:+.3f} to {row['high']:+.3f})".replace("-", "−")


def test_fewer_bits(lesson, figures):
    said, rows, kept = plain(lesson["storage-after"]), figures["bits"], figures["storage"]
    one = kept["chunks"] * kept["dim"] * 4
    bit, byte, fewer = (rows[name] for name in ("one bit", "one byte", "two bytes, no punctuation"))
    assert f"One byte a number changes {byte['difference']['losses']} of 135" in said
    assert byte["difference"]["wins"] == 0 and byte["difference"]["ties"] == 133 and not apart(byte["difference"])
    written = [f"{row['difference']['difference']:+.3f} ({row['difference']['low']:+.3f} to "
               f"{row['difference']['high']:+.3f})".replace("-", "−") for row in (bit, fewer)]
    assert f"told from two bytes**, {written[0]}, and takes {bit['bytes'] / 1e6:.1f} MB: {bit['bytes'] / one:.1f} " \
        f"times one vector a chunk, where all of it in float32 takes {kept['tokens'] / kept['chunks']:.0f}" \
        in said
    assert not apart(bit["difference"]) and not apart(fewer["difference"])
    assert f"{1 - fewer['tokens'] / kept['tokens']:.0%} of the vectors, and these questions can't tell the " \
        f"difference, {written[1]}" in said


def test_the_stages_are_told_as_they_are(lesson, figures, larkspur):
    said = plain(lesson["stages-said"])
    ids = re.findall(r'"([\w-]+#\d+)"', lesson["stages-code"])
    chunks = [chunk for chunk in larkspur.chunks if chunk.id in ids]
    few = MaxSim(chunks, minilm_tokens(), candidates=1)
    assert len(few.search("Which version of Python do I need?", 9)) == few.compared == 2 and len(chunks) == 7
    assert "only 2 of the 7 are scored" in said
    said, rows = lesson["stages-after"], figures["two stages"]
    assert f"{rows['1']['compared']:.1f} chunks are scored, and {10 * rows['1']['of exact']:.2f} of the exact" in said
    for n, name in (("10", "ten"), ("30", "thirty")):
        assert f"ith {name}, {rows[n]['compared']:.0f}" in said.replace(" chunks and", "")
        assert f"{10 * rows[n]['of exact']:.2f}" in said
    assert 7.5 < 704 / rows["10"]["compared"] < 8.5 and "87 of 704 is one in eight" in said


def test_what_a_bowl_does_not_say(lesson):
    said = plain(lesson["fails-no-said"])
    cork, leather = (matched("shoes without leather", text) for text in
                     ("Shoes of cork and cotton.", "The shoe is made of leather."))
    stands, poles = (matched("a tent without poles", text) for text in
                     ("A tent that stands without poles.", "A tent with poles."))
    assert f"leather finds leather with {number(leather['values'][2])}" in said
    assert f"{number(leather['total'])} to {number(cork['total'])}" in said
    assert f"{number(leather['cosine'])} to {number(cork['cosine'])}" in said
    assert f"without finds it with {number(stands['values'][2])}" in said and stands["cosine"] > poles["cosine"]
    assert f"{number(stands['total'])} to {number(poles['total'])}. (Averaged, it is right by a hair, " \
        f"{number(stands['cosine'])} to {number(poles['cosine'])}.)" in said


def test_a_real_question_that_it_loses(lesson, texts, figures, larkspur):
    said = plain(lesson["fails-real-said"])
    assert next(query for query in larkspur.queries if query.text == SCALD).split == "dev"
    row = next(row for row in figures["places"] if row["id"] == "paraphrase-003")
    assert (row["MiniLM"], row["MaxSim"]) == (1, 5) and "MaxSim puts it 5th" in lesson["fails-real"]
    burns, heat = (matched(SCALD, texts[id]) for id in ("first-aid-field-safety-sheet#5", "heat-and-cold-sheet#6"))
    assert row["first"]["MaxSim"] == "heat-and-cold-sheet#6"
    hand = burns["asked"].index("hand")
    assert f"hand finds {found(heat, hand)} with {number(heat['values'][hand])}" in said
    assert f"someone finds {found(heat, 0)} with {number(heat['values'][0])}" in said
    assert f"make do with {found(burns, hand)}, {number(burns['values'][hand])}" in said
    assert burns["asked"][1:4] == ["sc", "##ald", "##ed"] and found(burns, 2) == "burns"
    assert f"finds burns with {number(burns['values'][2])}" in said
    assert f"these are 3 rows among {len(burns['asked'])}" in said
    assert f"{number(heat['total'])} beats {number(burns['total'])}" in said
    assert f"{number(burns['cosine'])} for the burns and {number(heat['cosine'])} for the heat" in said


def test_more_words_more_chances(lesson, texts, figures):
    said, q = plain(lesson["fails-long-said"]), tokens_of(QUESTION, "query")[1]
    one, two = (tokens_of(texts[id], "passage")[1] for id in ("board-minutes-2024-08#8", "label-printer-guide#8"))
    totals = [late.maxsim(q, one[:5]), late.maxsim(q, one), late.maxsim(q, np.vstack([one, two]))]
    assert f"from {totals[0]:.2f} to {totals[1]:.2f} at the end of the first chunk" in said
    assert f"it is {totals[2]:.2f}" in said
    mean = figures["lengths"]
    assert f"have {mean['MaxSim']:.0f} tokens on average; those of MiniLM have {mean['MiniLM']:.0f}, those of BM25 " \
        f"{mean['BM25']:.0f}, and all chunks {mean['all']:.0f}" in said


# What we would measure


def test_the_measured_figures_are_told_as_they_are(lesson, figures):
    said, half, kept = lesson["measure-said"], figures["held_out"], figures["storage"]
    pairs = {name: each["all"] for name, each in half["differences"].items()}

    def interval(pair, metric="nDCG@10"):
        row = pairs[pair][metric]
        return f"{row['low']:+.3f} to {row['high']:+.3f}".replace("-", "−")

    one = pairs["MaxSim - MiniLM"]
    assert f"{signed(one['nDCG@10'])} of nDCG@10 and {signed(one['Recall@10'])} of Recall@10" in said
    assert apart(one["nDCG@10"]) and apart(one["Recall@10"])
    other = pairs["MaxSim - hybrid"]
    assert f"it gains {signed(other['nDCG@10'])} of nDCG@10. In Recall@10 the interval holds 0, " \
        f"{interval('MaxSim - hybrid', 'Recall@10')}" in said
    assert other["nDCG@10"]["low"] > 0 and not apart(other["Recall@10"])
    assert f"it gains {signed(pairs['BM25, MaxSim reranks - BM25']['nDCG@10'])} on BM25" in said
    assert apart(pairs["BM25, MaxSim reranks - BM25"]["nDCG@10"])
    for pair in ("BM25, MaxSim reranks - hybrid", "BM25, MaxSim reranks - MaxSim"):
        assert interval(pair) in said and not apart(pairs[pair]["nDCG@10"])
    rows = half["rows"]
    assert rows["BM25"]["Recall@100"] == rows["BM25, MaxSim reranks"]["Recall@100"]
    assert f"hold {rows['BM25']['Recall@100']:.3f} of the evidence" in said
    assert f"over all chunks has {rows['MaxSim']['Recall@100']:.3f}" in said
    assert f"{rows['hybrid, MaxSim reranks']['nDCG@10']:.3f}, over all chunks {rows['MaxSim']['nDCG@10']:.3f}" in said
    assert f"{kept['bytes'] / 1e6:.0f} MB at two bytes a number" in said and f"{kept['tokens']:,} vectors" in said
    assert 2 * len(pairs) == 12 and "Twelve intervals" in said


def test_the_kinds_are_told_as_they_are(lesson, figures):
    said, half, dev = lesson["measure-kinds-said"], figures["held_out"], figures["dev"]
    rows, lost = half["differences"]["MaxSim - MiniLM"]["by_kind"], half["lost"]["MaxSim - MiniLM"]
    clear = {kind for kind, row in rows.items() if apart(row)}
    assert clear == {"direct", "exact", "rare_name", "polysemy", "follow_up"} and "Five kinds are clear of 0" in said
    assert all(rows[kind]["low"] > 0 for kind in clear) and rows["exact"]["losses"] == 0
    for kind, words in (("exact", "number or date gain"), ("direct", "Direct ones gain"), ("rare_name", "rare names"),
                        ("follow_up", "follow-ups")):
        assert f"{words} {rows[kind]['difference']:.3f}" in said
    by_kind = half["by_kind"]
    assert f"goes from {by_kind['MiniLM']['polysemy']:.3f} to {by_kind['MaxSim']['polysemy']:.3f}, a gain of " \
        f"{signed(rows['polysemy'])}" in said
    again = dev["differences"]["MaxSim - MiniLM"]["by_kind"]
    assert f"that gain is {signed(again['polysemy'])}, which can't tell: MiniLM has " \
        f"{dev['by_kind']['MiniLM']['polysemy']:.3f} there" in said
    assert not apart(again["polysemy"]) and apart(again["paraphrase"])
    words = rows["paraphrase"]
    assert f"Paraphrases: {len(lost['paraphrase'])} lost and {words['wins']} won here" in said
    assert f"({words['low']:+.3f} to {words['high']:+.3f})".replace("-", "−") in said and not apart(words)
    assert f"On `dev` the difference is {signed(again['paraphrase'])}, six questions lost and none won" in said
    assert (again["paraphrase"]["losses"], again["paraphrase"]["wins"]) == (6, 0)
    context = rows["needs_context"]
    assert context["difference"] == min(row["difference"] for row in rows.values()) and not apart(context)
    assert f"largest fall here, −{-context['difference']:.3f}" in said
    assert len(rows) == 9 and "Nine intervals more" in said


def test_the_dev_questions(lesson, printed, figures, larkspur):
    said, rows = plain(lesson["measure-dev-said"]), figures["places"]
    dev = {query.id for query in larkspur.queries if query.split == "dev"}
    assert {row["id"] for row in rows} <= dev
    won, lost = ([row for row in rows if (row["MaxSim"] <= 3) == wanted] for wanted in (True, False))
    assert f"{len(won)} are MaxSim's and {len(lost)} MiniLM's. Of the {len(lost)} lost, " \
        f"{sum(row['kind'] == 'paraphrase' for row in lost)} are paraphrases" in said
    assert not [row for row in won if row["kind"] == "paraphrase"]
    assert f"MaxSim but not of MiniLM: {len(won)} questions" in printed["measure-dev"]
    texts = {query.id: query.text for query in larkspur.queries}
    assert all((texts[row["id"]][:66] in printed["measure-dev"]) == (row in lost) for row in rows)

    def near(some):
        return sum(bool(row["BM25"]) and row["BM25"] <= 3 for row in some)

    assert f"BM25 has {near(won)} of the {len(won)} won ones" in said
    assert f"{near(lost)} of the {len(lost)} lost ones" in said


def test_other_collections_show_another_picture(lesson, figures):
    said = lesson["measure-collections-said"]
    air, facts = (figures[name]["differences"] for name in ("cranfield", "scifact"))
    pair, second = "MaxSim - MiniLM", "hybrid, MaxSim reranks - hybrid"
    assert f"it gains {signed(facts[pair]['nDCG@10'])} on scifact" in said and facts[pair]["nDCG@10"]["low"] > 0
    assert f"told from it, {signed(air[pair]['nDCG@10'])}" in said and not apart(air[pair]["nDCG@10"])
    for each in (air, facts):
        assert all(row["difference"] < 0 for row in each["MaxSim - hybrid"].values())
    row = air[second]["nDCG@10"]
    assert f"worse, {signed(row)}, with {row['losses']} questions lost and {row['wins']} won" in said
    assert row["high"] < 0
    assert not apart(facts[second]["nDCG@10"]) and facts[second]["Recall@10"]["high"] < 0
    assert f"difference in Recall@10 is {signed(facts[second]['Recall@10'])}" in said
    many = {name: figures[name]["tokens"] / figures[name]["documents"] for name in ("cranfield", "scifact")}
    assert all(180 < mean < 245 for mean in many.values())
    assert "eighty times as many on Larkspur and about two hundred times on the other two" in said
    ours = figures["held_out"]["differences"]
    assert all(ours[name]["all"]["nDCG@10"]["low"] > 0 for name in (pair, "MaxSim - hybrid"))
    assert "on two collections of three, and the gain over hybrid on Larkspur alone" in said
    assert 75 < figures["storage"]["tokens"] / figures["storage"]["chunks"] < 85


@pytest.mark.parametrize("name, alone, second", [("cranfield", (0.448, 0.788), (0.448, 0.756)),
                                                 ("scifact", (0.707, 0.931), (0.711, 0.928))])
def test_the_stored_figures_reach_what_other_code_reached(figures, name, alone, second):
    rows = figures[name]["rows"]
    for way, found in (("MaxSim", alone), ("BM25, MaxSim reranks", second)):
        assert (rows[way]["nDCG@10"], rows[way]["Recall@100"]) == pytest.approx(found, abs=0.003)


@pytest.mark.models
def test_the_stored_half_comes_out_again(figures, larkspur):
    from firstprinciples.encode.token_files import cached_minilm_tokens
    from firstprinciples.evaluate.experiment import evaluate

    try:
        maxsim = MaxSim(larkspur.chunks, cached_minilm_tokens())
    except ModelFilesMissing:
        pytest.skip("needs the model files")
    assert len(maxsim.tokens) == figures["storage"]["tokens"] and maxsim.nbytes == figures["storage"]["bytes"]
    result = evaluate(maxsim, larkspur, "held_out")
    assert result["metrics"]["nDCG@10"] == pytest.approx(figures["held_out"]["rows"]["MaxSim"]["nDCG@10"], abs=2e-3)
