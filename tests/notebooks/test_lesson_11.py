"""The numbers that lesson 11 states in its sentences, worked out again."""

import json
import math
from functools import partial
from pathlib import Path

import nbformat
import numpy as np
import pytest

from firstprinciples.corpus import Collection
from firstprinciples.encode.stored import minilm
from firstprinciples.evaluate.compare import apart, differences
from firstprinciples.evaluate.experiment import evaluate
from firstprinciples.explore import cells as cells_picture
from firstprinciples.explore.cells import State as Cells
from firstprinciples.explore.cells import frame as cells_frame
from firstprinciples.explore.clusters import State as Clusters
from firstprinciples.explore.clusters import frame as clusters_frame
from firstprinciples.explore.guess import QUESTIONS
from firstprinciples.explore.neighbors import QUERY, State, graph
from firstprinciples.explore.neighbors import lifted as lifted_to_the_globe
from firstprinciples.index.cosine import Exact
from firstprinciples.index.hnsw import HNSW, random_level, search_layer, select_neighbors
from firstprinciples.index.ivf import IVF, assign, nearest_cells, update
from firstprinciples.retrieve.dense import Dense

ROOT = Path(__file__).resolve().parent.parent.parent
LESSON = ROOT / "notebooks" / "11_nearest_neighbors.ipynb"
GLUE = "how do I throw out old glue?"
SCORIA = "How far along is the Scoria recall?"


@pytest.fixture(scope="module")
def figures():
    return json.loads((ROOT / "notebooks" / "neighbors.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def dense(larkspur):
    """Return the exact search that the others are compared with."""
    return Dense(larkspur.chunks, minilm())


@pytest.fixture(scope="module")
def question():
    return minilm().encode_queries([GLUE])[0]


@pytest.fixture(scope="module")
def indexes(dense):
    """Return the indexes of the lesson's table, filled, with the retriever of each: {name: (index, retriever)}."""
    made = {"exact": Exact(384), "IVF 8": IVF(384), "IVF 1": IVF(384), "HNSW 16 64": HNSW(384),
            "HNSW 4 20": HNSW(384, M=4)}
    made["IVF 1"].search = partial(made["IVF 1"].search, nprobe=1)
    made["HNSW 4 20"].search = partial(made["HNSW 4 20"].search, ef=20)
    chunks = Collection.load("larkspur").chunks
    return {name: (index, Dense(chunks, minilm(), index=index)) for name, index in made.items()}


def point(curve, ef):
    """Return what was measured for one ef."""
    return next(row for row in curve if row[0] == ef)


def test_the_cost_of_exact_search(lesson, dense):
    n = len(dense.index.rows)
    assert n == 704 and n * 384 == 270_336
    assert "compares the question with every vector there is" in lesson["title"]


def test_what_the_cells_show(lesson):
    said, seen = lesson["watch-cells-said"], [cells_frame(Cells(nprobe=nprobe)) for nprobe in (1, 2, 3, 4)]
    one, two, three, four = seen
    assert f"{one['distances']} distances instead of 240, and {len(one['hit'])} of the 10 found" in said
    assert f"With two it is {two['distances']} and {len(two['hit'])}, with three {three['distances']} and " \
        f"{len(three['hit'])}, with four {four['distances']} and all 10" in said and len(four["hit"]) == 10
    assert f"one cell finds {one['recall']:.2f} of what it should, two {two['recall']:.2f} and four all of it" in said
    assert four["recall"] == 1.0 and "Why are four of the ten missed?" in lesson["watch"] and len(one["missed"]) == 4
    assert cells_picture().frame == one


def test_what_the_walk_shows(lesson):
    said, index = lesson["watch-walk-said"], graph()
    query = lifted_to_the_globe([QUERY])[0]
    assert [len(layer) for layer in index.layers()] == [32, 12, 4]
    assert "On layer 2 stand 4 places" in lesson["watch-cells-said"] and "on layer 1 there are 12" in \
        lesson["watch-cells-said"]
    found = {}
    for ef in (1, 2):
        (id, cosine), = index.search(query, 1, ef=ef)
        found[ef] = (id, 1 - cosine, index.distances)
    assert f"ends at place {found[1][0]}, at distance {found[1][1]:.3f}, after {found[1][2]} distances" in said
    best = np.argsort(-(index.vectors @ query))[0]
    assert f"Place {best} is nearer, at {1 - index.vectors[best] @ query:.3f}" in said
    assert found[2][0] == str(best) and f"finds {best}, with {found[2][2]} distances" in said
    assert State().ef == 1
    spots = [(x / 2, y / 2) for x in range(-14, 15) for y in range(-10, 11)]
    vectors = lifted_to_the_globe(spots)
    missed = sum(index.search(vector, 1, ef=1)[0][0] != str(near) for vector, near in zip(
        vectors, (index.vectors @ vectors.T).argmax(axis=0), strict=True))
    assert f"misses at only {missed} of {len(spots)} places on this map" in said
    beside = index.layers()[0][int(found[1][0])]
    assert all(index.vectors[place] @ query < 1 - found[1][1] for place in beside) and best not in beside


def test_the_square_root(lesson):
    """n / c + c is smallest where c is the root of n."""
    n = 1_000_000
    assert min(range(1, 5000), key=lambda c: c + n / c) == math.isqrt(n) == 1000
    assert "1,000 + 1,000 distances instead of a million" in lesson["how-cells"]


def test_the_short_versions_give_what_the_module_gives(dense):
    notebook = nbformat.read(LESSON, as_version=4)
    blocks = {cell.id: cell.source.split("```python\n")[1].split("```")[0] for cell in notebook.cells
              if "```python" in cell.source}
    vectors = dense.index.rows[:60]
    names = {"np": np, "vectors": vectors, "centroids": vectors[:5]}
    exec(blocks["how-cells"], names)
    assert names["labels"].tolist() == list(assign(vectors, vectors[:5]))
    assert np.allclose(names["centroids"], update(vectors, names["labels"], vectors[:5]), atol=1e-6)
    candidates = [(float(max(0.0, 1 - vectors[0] @ vectors[p])), p) for p in range(59, 0, -1)]
    names |= {"candidates": candidates, "M": 6}
    exec(blocks["how-choose"], names)
    assert names["kept"] == select_neighbors(candidates, 6, vectors)


def test_the_cells_of_larkspur(lesson, dense, question):
    index, vectors = IVF(384), dense.index.rows
    index.add(vectors)
    sizes = [len(each) for each in index.lists]
    said = lesson["cells-said"]
    assert f"{len(vectors)} vectors, {len(sizes)} cells, the largest with {max(sizes)} vectors and the smallest with " \
        f"{min(sizes)}" in said
    right = [id for id, _ in dense.index.search(question, 10)]
    found = {}
    for nprobe in (1, 8, 9, len(sizes)):
        hits = {id for id, _ in index.search(question, 10, nprobe=nprobe)}
        places = {dense.ids.index(id) for id in right}
        found[nprobe] = (len({int(id) for id in hits} & places), index.distances)
    assert f"One cell gives {found[1][0]} of the 10 nearest for {found[1][1]} distances" in said
    order = nearest_cells(question, index.centroids, len(sizes))
    tenth = order.index(index.labels[dense.ids.index(right[-1])]) + 1
    assert "only the ninth nearest, so even eight cells do not hold it" in said and tenth == 9
    assert found[8][0] == 9 and found[9][0] == 10
    assert f"all {len(sizes)} costs {found[len(sizes)][1]} distances, more than the {len(vectors)} of exact" in said


def test_the_walk_in_larkspur(lesson, dense, question):
    graph, said = HNSW(384, M=8, ef_construction=100), lesson["search-said"]
    graph.add(dense.index.rows)
    layers = graph.layers()
    assert "Four layers, with {}, {}, {} and {} points".format(*map(len, layers)) in said and len(layers) == 4
    entry = [graph.entry_point]
    for layer in layers[:0:-1]:
        entry = [position for _, position in search_layer(question, entry, 1, graph.vectors, layer)]
    best = np.argsort(-(graph.vectors @ question))
    assert entry == [best[1]] and f"ends at row {best[1]}, which is the second nearest chunk of all" in said
    ends = {ef: search_layer(question, entry, ef, graph.vectors, layers[0])[0] for ef in (1, 4, 40)}
    assert ends[1][1] == best[1] and f"row {best[1]} it is, at {ends[1][0]:.3f}" in said
    assert ends[4] == ends[40] and ends[4][1] == best[0] and f"row {best[0]} at {ends[4][0]:.3f}" in said


def test_the_graphs_of_the_villages(lesson):
    said, frames = lesson["fails-clusters-said"], {case: clusters_frame(Clusters(case)) for case in (
        "Five clusters", "Copies of one point", "One far away")}
    simple, heuristic = frames["Five clusters"]["ways"].values()
    assert f"{len(simple['unreachable'])} of 120 points are cut off from the entry point, and recall@5 is " \
        f"{simple['recall']:.2f}" in said
    assert "The heuristic cuts off none and has 1.00" in said
    assert not heuristic["unreachable"] and f"{heuristic['recall']:.2f}" == "1.00"
    few = clusters_frame(Clusters(M=2))["ways"]["simple"]
    assert f"At 2 more points are cut off, {len(few['unreachable'])}, and yet recall is {few['recall']:.2f}" in said
    levels = [random_level(HNSW(3, M=2).drawn(position), 2) for position in range(120)]
    assert f"nearly half of the points, {sum(level > 0 for level in levels)}, stand on layer 1" in said
    wide = clusters_frame(Clusters(M=8))["ways"]["simple"]
    assert "at 8 the simple choice has 1.00, too" in said and f"{wide['recall']:.2f}" == "1.00"
    both = list(frames["Copies of one point"]["ways"].values())
    assert "{} and {} points are cut off".format(*(len(one["unreachable"]) for one in both)) in said
    assert "recall is {:.2f} and {:.2f}".format(*(one["recall"] for one in both)) in said
    assert all(one["unreachable"] == [20] for one in frames["One far away"]["ways"].values())
    assert "Both ways cut it off" in said


def test_simple_and_heuristic_at_a_real_size(lesson, figures):
    row, said = figures["clusters"], lesson["fails-numbers-said"]
    for M, words in ((4, "{} against {} at M = 4"), (8, "{} against {} at M = 8")):
        pair = [f"{row[f'clustered {M} {select}']['recall']:.3f}" for select in ("simple", "heuristic")]
        assert words.format(*pair) in said
    for M in row["M"]:
        simple, heuristic = (row[f"uniform {M} {select}"]["recall"] for select in ("simple", "heuristic"))
        assert abs(simple - heuristic) < 0.05 and "the two are about equal" in said
    assert max(row[f"uniform 4 {select}"]["recall"] for select in ("simple", "heuristic")) < 0.5


def test_one_in_five(lesson, larkspur, dense, indexes):
    kept, lost, said = [], [], lesson["fails-lossy-said"]
    lossy = indexes["HNSW 4 20"][1]
    for query in larkspur.queries:
        evidence = larkspur.evidence[query.id]
        if query.split == "dev" and evidence:
            before, after = ([hit.id for hit in search.search(query.text, 10)] for search in (dense, lossy))
            kept.append(len(set(before) & set(after)) / 10)
            holders = {id for _, ids in evidence for id in ids}
            if holders & set(before) and not holders & set(after):
                lost.append((1 + min(before.index(id) for id in holders & set(before)), query.text))
    assert f"{np.mean(kept):.3f} of the exact top ten are kept" in said and 0.75 < np.mean(kept) < 0.85
    assert f"{len(lost)} of {len(kept)} questions lose every piece of their evidence" in said
    assert "at least six of them" in said and [place for place, _ in sorted(lost)[:6]] == [1] * 6
    assert (1, SCORIA) in lost and SCORIA in said


def test_the_curve(lesson, figures):
    grid, said = figures["grid"], lesson["fails-ef-said"]
    assert f"the same {grid['n']:,} texts" in lesson["fails-ef"]
    flat, full, thin = (grid["hnsw"][dim][f"{M} 200"] for dim, M in (("2", 16), ("384", 16), ("384", 4)))
    assert f"recall 1.000 for {point(flat, 10)[2]:.0f} distances" in said and point(flat, 10)[1] == 1.0
    assert f"give {point(full, 10)[1]:.3f} for {point(full, 10)[2]:.0f} at ef = 10" in said
    assert f"for {point(full, 64)[1]:.3f} they need ef = 64 and {point(full, 64)[2]:.0f} distances" in said
    assert f"begins at {point(thin, 10)[1]:.3f}, and only ef = 256 brings it to {point(thin, 256)[1]:.3f}, for " \
        f"{point(thin, 256)[2]:.0f} distances" in said
    quick = point(grid["hnsw"]["384"]["16 20"], 64)
    assert f"with 20 candidates instead of 200 (M = 16, ef = 64) the 384 numbers have {quick[1]:.3f} for " \
        f"{quick[2]:.0f} distances" in said
    ivf = grid["ivf"]["384"]
    _, recall, distances = point(ivf["curve"], 8)
    assert f"with {ivf['cells']} cells. It has {recall:.3f} for {distances:.0f} distances at nprobe = 8" in said
    better = max(row[1] for row in full if row[2] <= distances)
    assert f"For about that many HNSW has {better:.3f}" in said


def test_the_table(lesson, larkspur, indexes, figures):
    results, counts = {}, {}
    for name, (index, retriever) in indexes.items():
        results[name] = evaluate(retriever, larkspur, depth=10)
        counted = []
        for query in larkspur.queries:
            retriever.search(query.text, 10)
            counted.append(index.distances)
        counts[name] = f"{np.mean(counted):.0f}"
    found = {name: round(result["metrics"]["Recall@10"], 3) for name, result in results.items()}
    said = lesson["measure-said"]
    assert found["exact"] == found["HNSW 16 64"]
    assert f"finds as much as exact search, {found['exact']:.3f}, and compares " \
        f"with {counts['HNSW 16 64']} of 704" in said
    against = {name: differences(results["exact"], result, ("Recall@10",))["Recall@10"]
               for name, result in results.items()}
    lost = {name: f"{-row['difference']:.3f}" for name, row in against.items()}
    assert "These three intervals lie below 0" in said
    assert [name for name, row in against.items() if apart(row) and row["high"] < 0] == ["IVF 8", "IVF 1", "HNSW 4 20"]
    assert "Between the thin graph and IVF with 8 cells the table can't decide" in said
    assert not apart(differences(results["IVF 8"], results["HNSW 4 20"], ("Recall@10",))["Recall@10"])
    assert f"compares with {counts['IVF 8']} and loses {lost['IVF 8']}; with one cell it compares with " \
        f"{counts['IVF 1']} and loses {lost['IVF 1']}. The thin graph loses {lost['HNSW 4 20']}" in said
    times = figures["larkspur"]
    assert f"{times['exact']['p50']:.2f} ms; HNSW steps from point to point in Python and takes " \
        f"{times['HNSW']['p50']:.2f} ms, IVF {times['IVF']['p50']:.2f}" in said
    kinds = {name: {kind: row["Recall@10"] for kind, row in result["by_kind"].items()}
             for name, result in results.items()}
    exact, graph, said = kinds["exact"], kinds["HNSW 16 64"], lesson["measure-kinds-said"]
    assert [kind for kind in exact if abs(exact[kind] - graph[kind]) > 1e-9] == ["rare_name", "follow_up"]
    assert "HNSW differs from exact search on two questions" in said
    each = [results[name]["each"] for name in ("exact", "HNSW 16 64")]
    moved = {id: each[1][id]["Recall@10"] - each[0][id]["Recall@10"] for id in each[0]}
    lost, gained = sorted((id for id in moved if moved[id]), key=moved.get)
    assert lost.startswith("rare_name") and gained.startswith("follow_up")
    places = {id: [evidence_at(indexes[name][1], larkspur, id, 11) for name in ("exact", "HNSW 16 64")]
              for id in (lost, gained)}
    assert "its chunk was the *first* that exact search gave" in said and places[lost] == [[1], []]
    assert "so the answer moved up to place 10" in said and places[gained] == [[11], [10]]
    cells = kinds["IVF 8"]
    assert max(exact, key=lambda kind: exact[kind] - cells[kind]) == "needs_context"
    assert f"`needs_context`, {cells['needs_context']:.3f} against {exact['needs_context']:.3f}" in said
    assert {sum(1 for id in results["exact"]["kinds"] if results["exact"]["kinds"][id] == kind and id in each[0])
            for kind in exact} == {30} and "Each kind has 30 questions" in said


def evidence_at(retriever, larkspur, id, depth) -> list[int]:
    """Return the places at which the evidence of a question stands."""
    query = next(query for query in larkspur.queries if query.id == id)
    holders = {chunk for _, ids in larkspur.evidence[id] for chunk in ids}
    return [place for place, hit in enumerate(retriever.search(query.text, depth), 1) if hit.id in holders]


def test_the_guess(figures):
    asked = QUESTIONS["neighbors.compared"]
    _, recall, distances, _ = point(figures["growth"]["clustered"]["100000"]["curve"], 64)
    assert f"HNSW finds {recall:.3f} of the ten nearest with {distances:.0f} distances" in asked["because"]
    assert asked["answer"] == f"about {round(distances, -2):.0f}" and 1 / (1 - recall) == pytest.approx(300, rel=0.15)
    assert f"the mean of {figures['growth']['questions']} questions" in asked["because"]


def test_growth(lesson, figures):
    grown, said = figures["growth"], lesson["measure-growth-said"]
    clustered, uniform = ({n: point(row["curve"], 64) for n, row in grown[kind].items()}
                          for kind in ("clustered", "uniform"))
    assert f"HNSW computes {clustered['100000'][2]:.0f} distances instead of {clustered['1000'][2]:.0f}" in said
    assert f"Recall goes from {clustered['1000'][1]:.3f} to {clustered['100000'][1]:.3f}" in said
    assert f"In between the cost even falls, to {min(row[2] for row in clustered.values()):.0f}" in said
    most = max(row[2] for each in (clustered, uniform) for row in each.values())
    assert 1500 < most < 2100 and "some hundreds to two thousand" in lesson["remember"]
    assert f"recall falls to {uniform['100000'][1]:.3f} at 100,000, for {uniform['100000'][2]:,.0f} distances" in said
    product = {n: min(grown[kind][n]["product milliseconds"] for kind in ("clustered", "uniform")) for n in clustered}
    assert f"one matrix product takes {product['10000']:.2f} ms and HNSW {clustered['10000'][3]:.2f} ms, though it " \
        f"compares with {clustered['10000'][2]:.0f} vectors instead of 10,000" in said
    low, high = sorted(grown[kind]["100000"]["product milliseconds"] for kind in ("clustered", "uniform"))
    assert "the two are about level" in said and clustered["100000"][3] == pytest.approx(low, rel=0.25)
    assert f"the walk took {clustered['100000'][3]:.2f} ms, the product {low:.2f} in one measurement and {high:.2f} " \
        "in another" in said
    assert "Below some ten thousand vectors exact search is quick" in lesson["remember"]


def test_the_large_index(lesson, figures):
    large, said = figures["large"], lesson["measure-large-said"]
    assert (large["n"], large["dim"]) == (100_000, 64) and large["vectors bytes"] == 100_000 * 64 * 4
    assert f"{large['vectors bytes'] / 1e6:.1f} MB are the vectors, and the graph adds " \
        f"{(large['bytes'] - large['vectors bytes']) / 1e6:.1f} MB" in said
    assert f"{large['build seconds']:.0f} seconds of one core" in said
    assert max(large["save seconds"], large["load seconds"]) < 0.5 and "in a fraction of a second" in said
