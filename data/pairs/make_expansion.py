"""Train the expansion model of lesson 14 on the pairs in this folder: expansion.npz.

    python data/pairs/make_expansion.py

Some ten seconds; the same digits each time, up to the last ones that another processor rounds differently. What other
lambdas lead to is measured by tests/benchmarks/bench_splade.py.
"""

import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from firstprinciples.encode.expansion import FILE, LAMBDA, untrained  # noqa: E402
from firstprinciples.progress import Bar  # noqa: E402


def main():
    """Train it, say what it finds on the topics it never saw, and write the file."""
    model, training, held_out = untrained()
    bar = Bar("Training")
    for state in model.train(training, LAMBDA):
        bar(state.step, state.steps)
    print(", ".join(f"{name} {value:.3f}" for name, value in model.measure(held_out).items()))
    np.savez_compressed(FILE, **model.kept(), words=np.frombuffer("\n".join(model.words).encode(), dtype=np.uint8))
    print(f"{FILE.name}: {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
