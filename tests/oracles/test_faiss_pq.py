"""Codes against faiss: with the same codebooks the same bytes and the same scores, and the same bits apart."""

import numpy as np
import pytest

from firstprinciples.index.cosine import normalize
from firstprinciples.index.product import PQ, train_codebooks
from firstprinciples.index.quantize import hamming, pq_encode, pq_scores, to_bits
from firstprinciples.index.short_vectors import Binary

faiss = pytest.importorskip("faiss", reason="needs faiss: python3 -m firstprinciples test --peers")
pytestmark = pytest.mark.peers


def clustered(n, dim, seed):
    """Return n vectors of length 1, float32, in 40 clusters."""
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(40, dim))
    return normalize(centers[rng.integers(0, 40, n)] + 0.6 * rng.normal(size=(n, dim))).astype(np.float32)


def theirs(codebooks):
    """Return faiss's IndexPQ, by inner product, with our codebooks in it."""
    m, entries, width = codebooks.shape
    index = faiss.IndexPQ(m * width, m, entries.bit_length() - 1, faiss.METRIC_INNER_PRODUCT)
    faiss.copy_array_to_vector(np.ascontiguousarray(codebooks, dtype=np.float32).ravel(), index.pq.centroids)
    index.is_trained = True
    return index


@pytest.fixture(scope="module", params=[(24, 4), (64, 8)], ids=["24 numbers, 4 parts", "64 numbers, 8 parts"])
def both(request):
    """Return (vectors, queries, our codebooks, faiss's index with them)."""
    dim, m = request.param
    vectors = clustered(1_200, dim, seed=dim)
    books = train_codebooks(vectors, m, seed=1, rounds=4)
    return vectors, clustered(30, dim, seed=dim + 1), books, theirs(books)


def test_the_same_bytes_name_the_same_parts(both):
    vectors, _, books, index = both
    ours, other = pq_encode(vectors, books), index.pq.compute_codes(vectors)
    assert books.shape[1] == 256 and ours.shape == other.shape == (len(vectors), len(books))
    different = np.argwhere(ours != other)
    assert len(different) <= 5  # in float32 two entries may be equally near
    for row, j in different:
        part = vectors[row].astype(float).reshape(len(books), -1)[j]
        apart = np.linalg.norm(books[j].astype(float) - part, axis=1)
        assert apart[ours[row, j]] == pytest.approx(apart[other[row, j]], abs=1e-6)


def test_the_same_codes_have_the_same_scores(both):
    vectors, queries, books, index = both
    codes = pq_encode(vectors, books)
    index.reset()
    faiss.copy_array_to_vector(codes.ravel(), index.codes)
    index.ntotal = len(codes)
    scores, places = index.search(queries, len(codes))
    for query, found, order in zip(queries, scores, places, strict=True):
        assert pq_scores(query, codes, books)[order] == pytest.approx(found, abs=1e-5)


def test_the_index_ranks_as_theirs(both):
    vectors, queries, books, index = both
    ours = PQ(vectors.shape[1], m=len(books), training=vectors)
    ours.codebooks = books
    ours.add(vectors)
    index.reset()
    faiss.copy_array_to_vector(ours.shelf.codes.ravel(), index.codes)
    index.ntotal = len(ours)
    scores, _ = index.search(queries, 10)
    for query, found in zip(queries, scores, strict=True):
        assert [score for _, score in ours.search(query)] == pytest.approx(np.clip(found, -1, 1), abs=1e-5)


def test_codebooks_lose_no_more_than_theirs(both):
    """k-means finds no best answer, only a good one: the squared error is that of faiss's own training, within 5 %."""
    vectors, _, books, _ = both
    m, _, width = books.shape
    other = faiss.ProductQuantizer(m * width, m, 8)
    other.cp.niter, other.cp.seed = 25, 1
    other.train(vectors)
    back = other.decode(other.compute_codes(vectors))
    ours = train_codebooks(vectors, m, seed=1, rounds=25)
    codes = pq_encode(vectors, ours)
    mine = ours[np.arange(m), codes].reshape(len(vectors), -1)
    assert np.sum((vectors - mine) ** 2) < 1.05 * np.sum((vectors - back) ** 2)


@pytest.mark.parametrize("dim", [8, 64, 384])
def test_the_same_number_of_bits_differ(dim):
    vectors, queries = clustered(500, dim, seed=3), clustered(20, dim, seed=4)
    index = faiss.IndexBinaryFlat(dim)
    bits, asked = to_bits(vectors), to_bits(queries)
    index.add(bits)
    apart, places = index.search(asked, len(bits))
    ours = Binary(dim)
    ours.add(vectors)
    for query, row, found, order in zip(queries, asked, apart, places, strict=True):
        assert hamming(row, bits)[order].tolist() == found.tolist()
        scores = [score for _, score in ours.search(query, 10)]
        assert scores == pytest.approx([(dim - 2 * int(h)) / dim for h in found[:10]])
