"""Train the expansion model of lesson 14 on the pairs in this folder, once for each lambda: expansion.npz.

    python data/pairs/make_expansion.py

Stored are the model of the usual lambda, and of each lambda what it led to: how many terms a text gets, what it finds
among the passages of the topics it never saw, and the terms of a few texts. Some ten seconds for each lambda; the same
digits each time, up to the last ones that another processor rounds differently.
"""

import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from firstprinciples.encode.expansion import FILE, LAMBDA, LAMBDAS, SHOWN, dial_pairs, untrained  # noqa: E402
from firstprinciples.encode.sparse_files import lay_out  # noqa: E402
from firstprinciples.progress import Bar  # noqa: E402
from firstprinciples.retrieve.splade import strongest  # noqa: E402


def trained(lambda_):
    """Return the model, trained with one lambda, and the held-out pairs."""
    model, training, held_out = untrained()
    bar = Bar(f"Training with lambda {lambda_:g}")
    for state in model.train(training, lambda_):
        bar(state.step, state.steps)
    return model, held_out


def main():
    numbers, rows, counts, kept = [], [], [], {}
    for lambda_ in LAMBDAS:
        model, held_out = trained(lambda_)
        found = model.measure(held_out)
        numbers.append([lambda_, *found.values()])
        print(f"lambda {lambda_:4g}: " + ", ".join(f"{name} {value:.3f}" for name, value in found.items()), flush=True)
        texts = [pair[side] for pair in dial_pairs(held_out) for side in ("question", "passage")]
        full = model.encode_passages(texts)
        counts += [len(row) for row in full]
        rows += [strongest(row, SHOWN) for row in full]
        if lambda_ == LAMBDA:
            kept = model.kept()
    kept["words"] = np.frombuffer("\n".join(model.words).encode(), dtype=np.uint8)
    np.savez_compressed(FILE, **kept, dial=np.array(numbers), counts=np.array(counts),
                        **{f"dial_{name}": values for name, values in lay_out(rows).items()})
    print(f"{FILE.name}: {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
