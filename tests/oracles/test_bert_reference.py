"""The encoders against stored vectors of 20 texts, which torch and transformers made: see reference_bert.py."""

from pathlib import Path

import numpy as np
import pytest

from firstprinciples.encode.bert import Bert, MiniLM

pytestmark = pytest.mark.models


@pytest.fixture(scope="module")
def reference():
    with np.load(Path(__file__).with_name("reference_bert.npz"), allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def test_the_file_holds_20_texts(reference):
    assert len(set(reference["texts"].tolist())) == 20
    assert reference["minilm"].shape == (20, 384) and reference["splade"].shape == (20, 501)


def test_minilm(reference, model_files):
    encoder = MiniLM(model_files("minilm"))
    rows = encoder.encode_passages(reference["texts"].tolist())
    assert encoder.cut == 1
    assert np.abs(rows - reference["minilm"]).max() < 1e-6


def test_splade_tiny(reference, model_files):
    best = Bert(model_files("splade-tiny")).best_logits(reference["texts"].tolist())[:, ::61]
    weights, expected = (np.log1p(np.maximum(logits, 0)) for logits in (best, reference["splade"]))
    assert np.abs(weights - expected).max() < 1e-5
    assert np.abs(best - reference["splade"]).max() < 1e-4  # logits go from -30 to 20
