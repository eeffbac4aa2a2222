"""Train the cross-encoder of lesson 08 on the pairs in this folder, and store it: python data/pairs/make_cross.py

Needs toy.npz, which `make.py` makes. Prints the loss of every fifth epoch and the nine numbers. Under a minute; the
same digits each time on one machine.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from firstprinciples.progress import Bar  # noqa: E402
from firstprinciples.rank.cross_encoder import FEATURES  # noqa: E402
from firstprinciples.rank.cross_training import training_set  # noqa: E402


def main(pairs=None, **settings):
    model, features, labels = training_set(pairs, progress=Bar("Reading pairs, part by part"), **settings)
    print(f"{len(labels):,} pairs of a question and a chunk, {int(labels.sum()):,} of them right")
    losses = []
    for state in model.train(features, labels):
        losses.append(state.loss)
        if state.step * 4 % state.steps == 0:
            print(f"epoch {state.epoch}: mean loss {sum(losses) / len(losses):.4f}")
            losses = []
    model.save(HERE / "cross.npz")
    for name, weight in zip((*FEATURES, "bias"), (*state.weights, state.bias), strict=True):
        print(f"{weight:8.3f}  {name}")


if __name__ == "__main__":
    main()
