"""IVF against faiss: an IndexIVFFlat that is given our centroids finds what ours finds, for every nprobe."""

import numpy as np
import pytest

from firstprinciples.index.cosine import normalize
from firstprinciples.index.ivf import IVF

faiss = pytest.importorskip("faiss", reason="needs faiss: python3 -m firstprinciples test --peers")
pytestmark = pytest.mark.peers


@pytest.fixture(scope="module", params=[(1_500, 16), (2_000, 64)], ids=["16 numbers", "64 numbers"])
def both(request):
    """Return (our index, faiss's with the same centroids, 40 queries) on clustered vectors."""
    n, dim = request.param
    rng = np.random.default_rng(n)
    centers = rng.normal(size=(60, dim))
    vectors = centers[rng.integers(0, 60, n)] + 0.5 * rng.normal(size=(n, dim))
    index = IVF(dim)
    index.add(vectors)
    quantizer = faiss.IndexFlatIP(dim)
    quantizer.add(index.centroids.astype(np.float32))
    other = faiss.IndexIVFFlat(quantizer, dim, len(index.centroids), faiss.METRIC_INNER_PRODUCT)
    other.is_trained = True
    other.add(np.array(index.vectors))
    return index, other, normalize(centers[rng.integers(0, 60, 40)] + 0.5 * rng.normal(size=(40, dim)))


def test_the_same_vectors_are_in_the_same_cells(both):
    index, other, _ = both
    for cell, positions in enumerate(index.lists):
        size = other.invlists.list_size(cell)
        theirs = faiss.rev_swig_ptr(other.invlists.get_ids(cell), size).tolist() if size else []
        assert sorted(theirs) == positions


@pytest.mark.parametrize("nprobe", [1, 2, 5, 10, 1_000])
def test_the_same_vectors_are_found(both, nprobe):
    index, other, queries = both
    other.nprobe = min(nprobe, len(index.centroids))
    scores, positions = other.search(queries.astype(np.float32), 10)
    for query, row, found in zip(queries, scores, positions, strict=True):
        ours = index.search(query, k=10, nprobe=nprobe)
        if len(index.probed) == other.nprobe:  # otherwise ours went on, because these cells held fewer than ten
            assert [int(id) for id, _ in ours] == found.tolist()
            assert [cosine for _, cosine in ours] == pytest.approx(row.tolist(), abs=1e-5)


def test_faiss_counts_as_many_comparisons(both):
    index, other, queries = both
    other.nprobe = 4
    for query in queries[:10]:
        faiss.cvar.indexIVF_stats.reset()
        other.search(query.astype(np.float32)[None], 1)
        index.search(query, k=1, nprobe=4)
        assert index.distances == len(index.centroids) + faiss.cvar.indexIVF_stats.ndis


def test_our_k_means_is_as_good_as_theirs():
    """The mean cosine of a vector with its centroid, after 20 rounds of each from centroids of its own."""
    rng = np.random.default_rng(8)
    vectors = rng.normal(size=(30, 32))[rng.integers(0, 30, 2_000)] + 0.5 * rng.normal(size=(2_000, 32))
    index = IVF(32, cells=45)
    index.add(vectors)
    theirs = faiss.Kmeans(32, 45, niter=20, spherical=True, seed=1, verbose=False)
    theirs.train(np.array(index.vectors))
    ours = float(np.mean(np.sum(index.vectors * index.centroids[index.labels], axis=1)))
    their = float(np.mean((index.vectors @ theirs.centroids.T).max(axis=1)))
    assert ours > their - 0.02
