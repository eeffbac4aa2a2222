"""What the measuring scripts share: figures as they are stored, and how long a search takes."""

import time

import numpy as np

from firstprinciples.evaluate.experiment import percentile


def rounded(value):
    """Return the same with fractions of six digits, in dicts and lists too; keys become strings, as in JSON."""
    if isinstance(value, dict):
        return {str(key): rounded(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(each) for each in value]
    return round(float(value), 6) if isinstance(value, (float, np.floating)) else value


def milliseconds(way, asked, repeats: int) -> dict[str, float]:
    """Return {"p50", "p95"} over what is asked, of each the quickest of several runs of `way(question)`.

    Each is run once before, so that what is made at the first time is there.
    """
    quickest = []
    for question in asked:
        way(question)
        taken = []
        for _ in range(repeats):
            start = time.perf_counter()
            way(question)
            taken.append(time.perf_counter() - start)
        quickest.append(min(taken))
    return {f"p{p}": round(1000 * float(percentile(quickest, p)), 3) for p in (50, 95)}
