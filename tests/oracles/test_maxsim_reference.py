"""MaxSim against (Q @ D.T).max(1).sum(): in plain Python, in NumPy's float64, and in torch, with documents filled up.

No package for MaxSim is an oracle here: one may be wrong at some widths without a word, and the formula is a line.
"""

import numpy as np
import pytest

from firstprinciples.encode.token_vectors import to_int16, to_length_1
from firstprinciples.retrieve.maxsim import MaxSim, maxsim, maxsim_padded, maxsim_ragged
from firstprinciples.retrieve.maxsim_blocks import maxsim_blocks


def made(seed, dim, negative=False):
    """Return (question, documents): 60 documents of 1 to 200 tokens, rows of length 1, perhaps all dots below 0."""
    draw = np.random.default_rng(seed)
    rows = [draw.standard_normal((int(n), dim)) for n in [int(draw.integers(2, 33)), *draw.integers(1, 201, 60)]]
    if negative:
        rows = [np.abs(rows[0]), *(-np.abs(some) for some in rows[1:])]
    question, *documents = (to_length_1(some) for some in rows)
    return question, documents


def right(question, documents):
    """Return the sums in float64, one document at a time."""
    return np.array([(question.astype(np.float64) @ rows.astype(np.float64).T).max(1).sum() for rows in documents])


def starts_of(documents):
    return np.concatenate([[0], np.cumsum([len(rows) for rows in documents])[:-1]])


@pytest.mark.parametrize("negative", [False, True])
@pytest.mark.parametrize("dim", [8, 128, 256, 384])
def test_ragged_documents(dim, negative):
    question, documents = made(dim, dim, negative)
    expected, tokens, starts = right(question, documents), np.concatenate(documents), starts_of(documents)
    assert (expected < 0).all() if negative else (expected > 0).any()
    assert np.abs([maxsim(question, rows) for rows in documents] - expected).max() < 1e-4
    assert np.abs(maxsim_ragged(question, tokens, starts) - expected).max() < 1e-4
    assert np.abs(maxsim_blocks(question, tokens, starts) - expected).max() < 1e-4
    assert np.abs(maxsim_blocks(question, to_int16(tokens), starts) - expected).max() < 2e-3
    if dim == 8:  # word for word
        plain = [sum(max(sum(a * b for a, b in zip(q, d, strict=True)) for d in rows.tolist())
                     for q in question.tolist()) for rows in documents[:10]]
        assert np.abs(plain - expected[:10]).max() < 1e-6


@pytest.mark.torch
@pytest.mark.parametrize("negative", [False, True])
def test_filled_up_documents_in_torch(negative):
    torch = pytest.importorskip("torch", reason="needs torch")
    question, documents = made(5, 96, negative)
    filled = np.zeros((len(documents), 200, 96), dtype=np.float32)
    mask = np.zeros((len(documents), 200), dtype=bool)
    for i, rows in enumerate(documents):
        filled[i, : len(rows)], mask[i, : len(rows)] = rows, True
    similarities = torch.from_numpy(filled) @ torch.from_numpy(question).T
    theirs = similarities.masked_fill(~torch.from_numpy(mask)[..., None], -torch.inf).max(dim=1).values.sum(dim=1)
    assert np.abs(maxsim_padded(question, filled, mask) - theirs.numpy()).max() < 1e-4
    ours = maxsim_ragged(question, np.concatenate(documents), starts_of(documents))
    assert np.abs(ours - theirs.numpy()).max() < 1e-4


def test_the_class():
    question, documents = made(7, 48)

    class Given:
        """An encoder that hands out the rows above; a text is a number."""

        dim = 48

        def encode_tokens(self, texts, side):
            for text in texts:
                rows = question if side == "query" else documents[int(text)]
                yield [str(i) for i in range(len(rows))], rows

    pages = MaxSim([str(i) for i in range(len(documents))], Given())
    hits, expected = pages.search("all", k=60), right(question, documents)
    assert np.abs([hit.score - expected[int(hit.id)] for hit in hits]).max() < 2e-3  # two bytes a number
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    kept = {id: maxsim(question.astype(np.float64), pages.vectors(id)[1]) for id in pages.ids}
    assert {hit.id: hit.score for hit in hits} == pytest.approx(kept, abs=1e-8)
