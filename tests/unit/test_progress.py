"""The bar that shows how far a long piece of work is."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from firstprinciples import progress
from firstprinciples.index.hnsw import HNSW
from firstprinciples.progress import Bar


@pytest.fixture
def no_notebook(monkeypatch):
    """Let this process be no notebook's kernel, whatever other tests have imported."""
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)


def test_the_bar_on_a_terminal_and_elsewhere(monkeypatch, capsys, no_notebook):
    times = iter([0, 10, 31, 32, 40])
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: next(times, 100)))
    bar = Bar("Encoding passages")
    for done in (0, 128, 256):
        bar(done, 256)
    assert capsys.readouterr().err == "Encoding passages: 128 of 256\n"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    bar(128, 256)
    assert capsys.readouterr().err == "\rEncoding passages [############            ]  128 of 256"
    bar(256, 256)
    line = "Encoding passages [########################]  256 of 256"
    assert capsys.readouterr().err == f"\r{line}\r{'':{len(line)}}\r"


def test_the_bar_in_a_notebook(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ipykernel", SimpleNamespace())
    Bar("Linking vectors")(1, 4)
    assert capsys.readouterr().err == "\rLinking vectors [######                  ]  1 of 4"


def test_nothing_to_do_and_nobody_to_tell(monkeypatch, no_notebook):
    assert Bar("Linking vectors").text(0, 0) == f"Linking vectors [{'#' * 24}]  0 of 0"
    monkeypatch.setattr(sys, "stderr", None)
    Bar("Linking vectors")(1, 4)


def test_an_index_is_built_with_a_bar(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ipykernel", SimpleNamespace())
    index = HNSW(8, M=4)
    index.add(np.random.default_rng(0).normal(size=(2500, 8)), progress=Bar("Linking vectors"))
    bars = [line for line in capsys.readouterr().err.split("\r") if line.strip()]
    assert len(bars) >= 3 and bars[0].endswith("  0 of 2,500") and bars[-1].endswith("]  2,500 of 2,500")
