"""MiniLM and SPLADE-tiny against torch and transformers, on 200 texts: hidden states to 1e-5, and what is made of them.

Both sides keep float32, and which sums are made first is up to the library, so they can't agree much better: torch
itself is as far from its own result in float64.
"""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from firstprinciples.corpus import Collection
from firstprinciples.encode.bert import Bert, MiniLM
from firstprinciples.swap import use

pytestmark = [pytest.mark.torch, pytest.mark.models]


@pytest.fixture(scope="module")
def theirs():
    """Return the functions of reference_bert.py that run torch."""
    for name in ("torch", "transformers", "tokenizers"):
        pytest.importorskip(name, reason=f"needs {name}")
    path = Path(__file__).with_name("reference_bert.py")
    spec = importlib.util.spec_from_file_location("reference_bert", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def texts(theirs):
    """Return 200 texts: those of the stored file, questions, chunks of Larkspur, and some that have to be cut."""
    larkspur = Collection.load("larkspur")
    chunks = [chunk.text for chunk in larkspur.chunks]
    found = [*theirs.TEXTS, *(query.text for query in larkspur.queries if query.split == "dev")][:60]
    found += chunks[:130] + [" ".join(chunks[i:i + 12]) for i in range(0, 200, 20)]
    assert len(found) == 200
    return found


def test_minilm_hidden_states(theirs, texts, model_files):
    folder = model_files("minilm")
    encoder = MiniLM(folder)
    expected = theirs.torch_minilm(folder, texts)
    vectors = encoder.bert.run(texts, lambda rows, mask: [row[real] for row, real in zip(rows, mask, strict=True)])
    assert [row.shape for row in vectors] == [row.shape for row in expected]  # the same tokens
    assert max(np.abs(a - b).max() for a, b in zip(vectors, expected, strict=True)) < 1e-5
    assert encoder.cut >= 8
    means = np.array([row.mean(axis=0) for row in expected])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    assert np.abs(encoder.encode_passages(texts) - means).max() < 1e-6


def test_minilm_the_plain_way(theirs, texts, model_files):
    folder = model_files("minilm")
    encoder = MiniLM(folder)
    some = texts[:30:3]
    own = importlib.import_module("firstprinciples.encode.bert").softmax
    with use("bert.softmax", lambda x: own(x)):
        vectors = [encoder.token_vectors(text)[1] for text in some]
    expected = theirs.torch_minilm(folder, some)
    assert max(np.abs(a - b).max() for a, b in zip(vectors, expected, strict=True)) < 1e-5


def test_splade_tiny(theirs, texts, model_files):
    folder = model_files("splade-tiny")
    model = Bert(folder)
    expected = theirs.torch_splade(folder, texts)
    best = np.array([logits.max(axis=0) for logits in expected])
    ours = model.best_logits(texts)
    weights, their_weights = (np.log1p(np.maximum(logits, 0)) for logits in (ours, best))
    assert np.abs(weights - their_weights).max() < 1e-5
    scale = np.abs(best).max()
    assert np.abs(ours - best).max() < 2e-6 * scale  # logits are not of the size 1
    for text, logits in list(zip(texts, expected, strict=True))[:30]:
        assert np.abs(model.token_logits(text)[1] - logits).max() < 2e-6 * scale
