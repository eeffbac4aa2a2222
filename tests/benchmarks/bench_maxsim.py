"""Compare MaxSim of a question with 1,000 documents with the matrix product that it can't do without, in one run.

    python tests/benchmarks/bench_maxsim.py [--documents 1000] [--question 32] [--repeats 15]

Documents of 60 to 180 tokens, 128 and 384 numbers a token, float32, one thread. `the product alone` is tokens times
question' into an array that is there already. The share of it in a side's time is what counts: 1 would be a maximum
that costs nothing, and at least 0.8 is the target. Beside it stand the plain forms of
firstprinciples/retrieve/maxsim.py, the two-byte tokens of an index, torch over documents filled up to one length, and
fast-maxsim, where these are installed. Sides take turns; the seconds are those of the processor, and the best of the
repeats counts. Each side's scores are compared with (Q @ D.T).max(1).sum(), and one that is wrong is called so: a fast
package may be wrong at some widths without a word. It asserts no time.
"""

import argparse
import os
import platform
import sys
import time
from importlib.metadata import version
from pathlib import Path

for library in ("OMP", "OPENBLAS", "MKL", "NUMBA", "RAYON"):  # before NumPy is imported
    os.environ[f"{library}_NUM_THREADS"] = "1"
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from firstprinciples.encode.token_vectors import to_int16, to_length_1  # noqa: E402
from firstprinciples.retrieve.maxsim import maxsim, maxsim_padded, maxsim_ragged  # noqa: E402
from firstprinciples.retrieve.maxsim_blocks import maxsim_blocks  # noqa: E402

try:
    import torch
except ImportError:
    torch = None
try:
    import fast_maxsim
except ImportError:
    fast_maxsim = None


def made_up(documents, question, dim, seed=0):
    """Return (question, tokens, starts): rows of length 1."""
    draw = np.random.default_rng(seed)
    lengths = draw.integers(60, 181, documents)
    rows = draw.standard_normal((int(lengths.sum()) + question, dim))
    rows = to_length_1(rows)
    return rows[:question], np.ascontiguousarray(rows[question:]), np.concatenate([[0], np.cumsum(lengths)[:-1]])


def filled_up(tokens, starts):
    """Return the documents filled up to one length, and the mask."""
    ends = np.append(starts[1:], len(tokens))
    mask = np.arange((ends - starts).max()) < (ends - starts)[:, None]
    documents = np.zeros((*mask.shape, tokens.shape[1]), dtype=np.float32)
    documents[mask] = tokens
    return documents, mask


def sides_of(question, tokens, starts):
    """Return {name: function that gives the scores}; the product alone comes first."""
    space, whole = np.empty((len(tokens), len(question)), np.float32), to_int16(tokens)
    ends = np.append(starts[1:], len(tokens))
    documents, mask = filled_up(tokens, starts)
    sides = {
        "the product alone": lambda: np.matmul(tokens, question.T, out=space),
        "ours, in blocks": lambda: maxsim_blocks(question, tokens, starts),
        "ours, two bytes a number": lambda: maxsim_blocks(question, whole, starts),
        "maxsim_ragged": lambda: maxsim_ragged(question, tokens, starts),
        "maxsim_padded": lambda: maxsim_padded(question, documents, mask),
        "maxsim, one by one": lambda: [maxsim(question, tokens[a:b]) for a, b in zip(starts, ends, strict=True)],
    }
    if torch:
        torch.set_num_threads(1)
        q, d, real = torch.from_numpy(question), torch.from_numpy(documents), torch.from_numpy(mask)

        def padded():
            return (d @ q.T).masked_fill(~real[..., None], -torch.inf).max(dim=1).values.sum(dim=1).numpy()

        sides[f"torch {version('torch')}, filled up"] = padded
    if fast_maxsim:
        lists = [tokens[a:b] for a, b in zip(starts, ends, strict=True)]
        sides[f"fast-maxsim {version('fast-maxsim')}"] = lambda: fast_maxsim.maxsim_scores_variable(question, lists)
    return sides


def main():
    """Measure at both widths."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--question", type=int, default=32)
    parser.add_argument("--repeats", type=int, default=15)
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, NumPy {version('numpy')}, {platform.machine()}, one thread")
    for dim in (128, 384):
        question, tokens, starts = made_up(options.documents, options.question, dim)
        sides = sides_of(question, tokens, starts)
        right = np.array([(question @ rows.T).max(axis=1).sum() for rows in np.split(tokens, starts[1:])])
        best = dict.fromkeys(sides, float("inf"))
        for _ in range(options.repeats):
            for name, function in sides.items():
                start = time.process_time()
                function()
                best[name] = min(best[name], time.process_time() - start)
        alone = best["the product alone"]
        print(f"\n{options.documents:,} documents, {len(tokens):,} tokens, {options.question} question tokens, {dim} "
              f"numbers\n{'':28}      ms   product / side   largest error")
        for name, function in sides.items():
            scores = None if name == "the product alone" else np.asarray(function(), dtype=np.float64)
            error = "" if scores is None else f"{np.abs(scores - right).max():.0e}"
            if scores is not None and np.abs(scores - right).max() > 0.01:
                error += ": WRONG"
            print(f"{name:28} {1000 * best[name]:7.1f}   {alone / best[name]:14.2f}   {error:>13}")


if __name__ == "__main__":
    main()
