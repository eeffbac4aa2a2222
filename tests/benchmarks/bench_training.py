"""Print how long the bi-encoder of lesson 05 trains, on two threads, and whether it is stored as it comes out.

    python tests/benchmarks/bench_training.py [--repeats 3] [--threads 2]

Reading, training with the held-out pairs measured as in the lesson, and encoding all of Larkspur's chunks. It prints
figures and asserts no time.
"""

import argparse
import os
import platform
import sys
import time
from pathlib import Path

options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
options.add_argument("--repeats", type=int, default=3)
options.add_argument("--threads", type=int, default=2)
options = options.parse_args()
for library in ("OMP", "OPENBLAS", "MKL"):  # before NumPy is imported
    os.environ[f"{library}_NUM_THREADS"] = str(options.threads)
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from firstprinciples.corpus import Collection  # noqa: E402
from firstprinciples.encode.biencoder import toy, untrained  # noqa: E402


def main():
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}, {os.cpu_count()} cores, "
          f"{options.threads} threads")
    spent, steps = [], []
    for _ in range(options.repeats):
        begun = before = time.perf_counter()
        encoder, training, held_out = untrained()
        for state in encoder.train(training, held_out=held_out):
            last, now = state, time.perf_counter()
            steps.append(now - before)
            before = now
        spent.append(time.perf_counter() - begun)
    reached = "reached" if max(spent) < 20 else "MISSED"
    print(f"training, {len(training)} pairs, {last.steps} steps: {min(spent):.1f} to {max(spent):.1f} s (target 20: "
          f"{reached}); a step {1000 * np.median(steps):.1f} ms, 95 of 100 below {1000 * np.percentile(steps, 95):.1f}")
    apart = max(np.abs(values - toy().weights[name]).max() for name, values in encoder.weights.items())
    print(f"last loss {last.loss:.6f}, recall@10 {last.recall:.4f} of {len(held_out)}; the stored weights differ by "
          f"{apart:.0e} at most")
    chunks = Collection.load("larkspur").chunks
    begun = time.perf_counter()
    encoder.encode_passages([chunk.text for chunk in chunks])
    print(f"encoding {len(chunks):,} chunks: {1000 * (time.perf_counter() - begun):.0f} ms")


if __name__ == "__main__":
    main()
