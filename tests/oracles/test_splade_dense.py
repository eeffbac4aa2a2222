"""SPLADE against other ways to the same numbers: dense products of whole matrices, and torch with transformers.

The dense way needs nothing but NumPy: a row of 30,000 numbers for each chunk of Larkspur, and one matrix product. Torch
does what is usual: the logits of all tokens and words, log(1 + relu), the mask, the maximum; and it finds gradients by
itself.
"""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from firstprinciples.corpus import Collection
from firstprinciples.encode.expansion import Expander, loss_and_gradients
from firstprinciples.encode.splade_tiny import SpladeTiny, splade_tiny
from firstprinciples.retrieve.splade import Splade, flops, flops_gradient, term_weights


def test_the_index_of_larkspur_gives_the_dense_product():
    larkspur = Collection.load("larkspur")
    queries = [query.text for query in larkspur.queries if query.split == "dev"][::3]
    index = Splade(larkspur.chunks, splade_tiny())
    column = {}
    rows = {"query": splade_tiny().encode_queries(queries), "chunk": splade_tiny().encode_passages(index.texts)}
    for term in (term for side in rows.values() for row in side for term in row):
        column.setdefault(term, len(column))
    dense = {side: np.zeros((len(rows[side]), len(column))) for side in rows}
    for side, matrix in dense.items():
        for place, row in enumerate(rows[side]):
            matrix[place, [column[term] for term in row]] = list(row.values())
    assert index.postings == (dense["chunk"] > 0).sum()
    expected = dense["query"] @ dense["chunk"].T
    for query, scores in zip(queries, expected, strict=True):
        assert index.scores(query) == pytest.approx(scores, rel=1e-6, abs=1e-9)
        best = np.lexsort((np.arange(len(scores)), -scores))[:10]
        hits = index.search(query, k=10)
        assert [hit.score for hit in hits] == pytest.approx(scores[best], rel=1e-6)
        assert len({hit.id for hit in hits} & {index.ids[i] for i in best}) >= 9  # scores that float32 can't tell apart


@pytest.mark.torch
@pytest.mark.models
def test_the_weights_of_torch(model_files):
    """Short texts in several scripts, and two long ones, one of which is cut."""
    torch = pytest.importorskip("torch", reason="needs torch")
    for name in ("transformers", "tokenizers"):
        pytest.importorskip(name, reason=f"needs {name}")
    path = Path(__file__).with_name("reference_bert.py")
    spec = importlib.util.spec_from_file_location("reference_bert", path)
    theirs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(theirs)
    folder = model_files("splade-tiny")
    chunks = sorted((chunk.text for chunk in Collection.load("larkspur").chunks), key=len)
    texts = [*theirs.TEXTS[:12:2], chunks[-1], " ".join(chunks[-4:])]
    encoder = SpladeTiny(folder)
    for text, row, logits in zip(texts, encoder.encode_passages(texts), theirs.torch_splade(folder, texts, 256),
                                 strict=True):
        expected = torch.log1p(torch.relu(torch.from_numpy(logits))).amax(dim=0).numpy()
        dense = np.array([row.get(term, 0.0) for term in encoder.vocabulary])
        assert np.abs(dense - expected).max() < 2e-5, text[:40]
        assert np.abs(term_weights(logits, np.ones(len(logits))) - expected).max() < 1e-5
    assert encoder.cut == 2


@pytest.mark.torch
def test_the_gradients_of_torch():
    torch = pytest.importorskip("torch", reason="needs torch")
    draw = np.random.default_rng(0)
    weights = draw.normal(size=(5, 7))
    theirs = torch.tensor(weights, requires_grad=True)
    cost = (theirs.abs().mean(dim=0) ** 2).sum()
    cost.backward()
    assert flops(weights) == pytest.approx(cost.item())
    assert flops_gradient(weights) == pytest.approx(theirs.grad.numpy())

    model = Expander([f"w{i}" for i in range(30)], dim=5)
    model.weights = {name: draw.normal(size=values.shape) for name, values in model.weights.items()}
    sides = [[draw.choice(30, size=draw.integers(1, 6), replace=False).tolist() for _ in range(4)] for _ in range(2)]
    told, _, gradients = loss_and_gradients(model.weights, *sides, np.zeros((4, 4), bool), (0.5, 0.2), temperature=3.0)
    held = {name: torch.tensor(values, requires_grad=True) for name, values in model.weights.items()}
    logits = held["table"] @ held["output"] + held["bias"] + torch.diag(held["own"])
    pooled = [torch.stack([torch.log1p(torch.relu(logits[text])).amax(dim=0) for text in side]) for side in sides]
    loss = torch.nn.functional.cross_entropy(pooled[0] @ pooled[1].T / 3.0, torch.arange(4))
    loss = loss + sum(weight * (side.mean(dim=0) ** 2).sum() for weight, side in zip((0.5, 0.2), pooled, strict=True))
    loss.backward()
    assert told["loss"] == pytest.approx(loss.item())
    for name, gradient in gradients.items():
        assert gradient == pytest.approx(held[name].grad.numpy(), abs=1e-10), name
