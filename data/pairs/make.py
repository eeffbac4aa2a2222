"""Train the bi-encoder of lesson 05 on the pairs in this folder, and store it as toy.npz: python data/pairs/make.py

Prints the loss of each epoch, and what the model finds among the passages of the topics it never saw. About five
seconds; the same digits each time.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from firstprinciples.encode.biencoder import EPOCHS, untrained  # noqa: E402
from firstprinciples.evaluate.held_out import held_out_table  # noqa: E402


def main():
    encoder, training, held_out = untrained()
    print(f"{len(training)} pairs to train on, {len(held_out)} held out, {len(encoder.words):,} words")
    losses = []
    for state in encoder.train(training, held_out=held_out):
        losses.append(state.loss)
        if state.step * EPOCHS % state.steps == 0:
            print(f"epoch {state.epoch}: mean loss {sum(losses) / len(losses):.4f}")
            losses = []
    encoder.save(HERE / "toy.npz")
    print(f"\n{held_out_table(encoder)}")


if __name__ == "__main__":
    main()
