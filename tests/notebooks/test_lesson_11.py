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
from firstprinciples.index.hnsw import HNSW, search_layer
from firstprinciples.index.ivf import IVF, nearest_cells
from firstprinciples.retrieve.dense import Dense

ROOT = Path(__file__).resolve().parent.parent.parent
LESSON = ROOT / "notebooks" / "11_nearest_neighbors.ipynb"
GLUE = "how do I throw out old glue?"
SCORIA = "How far along is the Scoria recall?"


@pytest.fixture(scope="module")
def lesson():
    """Return {cell id: source} of lesson 11."""
    notebook = nbformat.read(LESSON, as_version=4)
    return {cell.id: " ".join(cell.source.split()) for cell in notebook.cells}


@pytest.fixture(scope="module")
def figures():
    return json.loads((ROOT / "notebooks" / "neighbors.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def larkspur():
    return Collection.load("larkspur")


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
    beside = index.layers()[0][int(found[1][0])]
    assert all(index.vectors[place] @ query < 1 - found[1][1] for place in beside) and best not in beside


def test_the_square_root(lesson):
    """n / c + c is smallest where c is the root of n."""
    n = 1_000_000
    assert min(range(1, 5000), key=lambda c: c + n / c) == math.isqrt(n) == 1000
    assert "1,000 + 1,000 distances instead of a million" in lesson["how-cells"]


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
    assert f"finds what exact search finds, {found['exact']:.3f}, and compares " \
        f"with {counts['HNSW 16 64']} of 704" in said
    lost = {name: f"{found['exact'] - recall:.3f}" for name, recall in found.items()}
    assert f"compares with {counts['IVF 8']} and loses {lost['IVF 8']}; with one cell it compares with " \
        f"{counts['IVF 1']} and loses {lost['IVF 1']}. The thin graph loses {lost['HNSW 4 20']}" in said
    times = figures["larkspur"]
    assert f"{times['exact']['p50']:.2f} ms; HNSW steps from point to point in Python and takes " \
        f"{times['HNSW']['p50']:.2f} ms, IVF {times['IVF']['p50']:.2f}" in said
    kinds = {name: {kind: row["Recall@10"] for kind, row in result["by_kind"].items()}
             for name, result in results.items()}
    exact, graph, said = kinds["exact"], kinds["HNSW 16 64"], lesson["measure-kinds-said"]
    assert [kind for kind in exact if abs(exact[kind] - graph[kind]) > 1e-9] == ["rare_name", "follow_up"]
    assert f"rare names, {graph['rare_name']:.3f} against {exact['rare_name']:.3f}" in said
    assert f"follow-ups it has {graph['follow_up']:.3f} against {exact['follow_up']:.3f}" in said


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
    assert f"Recall stays at {clustered['100000'][1]:.3f}" in said and clustered["1000"][1] >= clustered["100000"][1]
    assert f"recall falls to {uniform['100000'][1]:.3f} at 100,000, for {uniform['100000'][2]:,.0f} distances" in said
    product = {n: min(grown[kind][n]["product milliseconds"] for kind in ("clustered", "uniform")) for n in clustered}
    assert f"one matrix product takes {product['10000']:.2f} ms and HNSW {clustered['10000'][3]:.2f} ms, though it " \
        f"compares with {clustered['10000'][2]:.0f} vectors instead of 10,000" in said
    assert f"the walk is ahead, {clustered['100000'][3]:.2f} ms against {product['100000']:.2f}" in said
    assert [n for n in product if clustered[n][3] < product[n]] == ["100000"]
    together = min(grown[kind]["100000"]["together milliseconds"] for kind in ("clustered", "uniform"))
    assert f"still pays less for each: {together:.2f} ms" in said and together < clustered["100000"][3]
    assert "Below some ten thousand vectors exact search is quick" in lesson["remember"]


def test_the_large_index(lesson, figures):
    large, said = figures["large"], lesson["measure-large-said"]
    assert (large["n"], large["dim"]) == (100_000, 64) and large["vectors bytes"] == 100_000 * 64 * 4
    assert f"{large['vectors bytes'] / 1e6:.1f} MB are the vectors, and the graph adds " \
        f"{(large['bytes'] - large['vectors bytes']) / 1e6:.1f} MB" in said
    assert f"{large['build seconds']:.0f} seconds of one core" in said
    assert max(large["save seconds"], large["load seconds"]) < 0.5 and "in a fraction of a second" in said
