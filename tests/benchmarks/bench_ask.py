"""Measure `ask` on a folder of 200 text files, and on one file of 20 MB: how long indexing takes, and then an answer.

    python tests/benchmarks/bench_ask.py [--files 200] [--megabytes 20] [--questions 50] [--profile]

The files are made up here, of some 3,000 characters each, with words as frequent as Zipf's law has them; every third
question asks for a sentence that stands in one file alone, every third for two common words, every third for what no
file holds. Each folder is asked in a process of its own, so that the memory is its own: read, cut, index, then one
question after the other through the whole trip, as `python3 -m firstprinciples ask` walks it. The large file comes
three times: as paragraphs, as lines without a blank one, and in a single line. Reading and indexing are in processor
time, which other programs disturb less, answers by the clock. --profile also prints where the time goes. It prints
figures, with the target, and asserts nothing.
"""

import argparse
import cProfile
import json
import os
import platform
import pstats
import subprocess
import sys
import tempfile
import time
from pathlib import Path

for library in ("OMP", "OPENBLAS", "MKL"):  # before NumPy is imported
    os.environ[f"{library}_NUM_THREADS"] = "1"
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from firstprinciples import asking  # noqa: E402

TARGET = 2.0  # seconds for an answer, after indexing
FACTS = ("The spare key number {0} hangs behind door {0} in the cellar.", "Door {0} was painted by Ada Number{0}.")


def words(n, seed):
    """Return n words as one text, in sentences of about twelve."""
    draw = np.random.default_rng(seed)
    vocabulary = np.array([f"word{i}" for i in range(20_000)], dtype=object)
    chance = np.cumsum(1 / (np.arange(len(vocabulary)) + 20))
    picked = vocabulary[np.searchsorted(chance, draw.random(n) * chance[-1])]
    ends = draw.random(n) < 1 / 12
    return [f"{word}." if end else word for word, end in zip(picked.tolist(), ends.tolist(), strict=True)]


def many(folder, n):
    """Write n files of 400 words in five paragraphs, each with two facts of its own."""
    text = words(400 * n, seed=0)
    for number in range(n):
        mine = text[400 * number:400 * (number + 1)]
        paragraphs = [" ".join(mine[start:start + 80]) for start in range(0, 400, 80)]
        facts = [fact.format(number) for fact in FACTS]
        (folder / f"file {number:03}.txt").write_text("\n\n".join([*paragraphs, *facts]), encoding="utf-8")


def one(folder, megabytes, shape):
    """Write one file of so many megabytes: paragraphs, lines, or a single line."""
    text = words(int(megabytes * 1e6 / 8.32), seed=1)
    step, between = {"paragraphs": (60, "\n\n"), "lines": (12, "\n"), "one line": (1_000, " ")}[shape]
    parts = [" ".join(text[start:start + step]) for start in range(0, len(text), step)]
    for number in range(0, 200):
        parts.insert(number * len(parts) // 200, " ".join(fact.format(number) for fact in FACTS))
    (folder / "large.txt").write_text(between.join(parts), encoding="utf-8")


def questions(n):
    """Return questions: of one fact, of common words, and of what no file holds."""
    kinds = ("Where does the spare key number {} hang?", "Which word2{} stands beside word1 and word{}?",
             "Who repaired the lighthouse of Port Nowhere in {}?")
    return [kinds[i % 3].format(*(i,) * 2) for i in range(n)]


def measure(folder, n, profile):
    """Ask a folder n questions in this process; print the figures as JSON."""
    work, clock, figures = time.process_time, time.perf_counter, {}
    profiler = cProfile.Profile()
    start = work()
    _, documents, chunks, _ = asking.read(str(folder))
    figures["read"] = work() - start
    if profile:
        profiler.enable()
    start = work()
    pipeline, _ = asking.make(documents, chunks)
    figures["index"], seconds, right = work() - start, [], 0
    for place, question in enumerate(questions(n)):
        start = clock()
        trip = pipeline.run(question)
        trip.show()
        seconds.append(clock() - start)
        right += place % 3 == 0 and f"behind door {place} in the cellar" in trip.line()
    if profile:
        profiler.disable()
        pstats.Stats(profiler, stream=sys.stderr).sort_stats("cumulative").print_stats(25)
    stages = {stage.name: stage.seconds for stage in trip.stages}
    try:
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
    except ImportError:  # Windows
        peak = None
    figures |= {"chunks": len(chunks), "p50": float(np.median(seconds)), "max": max(seconds), "right": right,
                "facts": len(range(0, n, 3)), "peak": peak, "stages": stages}
    print(json.dumps(figures))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--megabytes", type=float, default=20)
    parser.add_argument("--questions", type=int, default=50)
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--folder", help=argparse.SUPPRESS)  # the process that asks one
    options = parser.parse_args()
    if options.folder:
        measure(options.folder, options.questions, options.profile)
        return
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}, one thread, "
          f"{options.questions} questions, answers with all stages printed\n")
    print(f"{'':24} {'MB':>6} {'chunks':>7} {'read':>7} {'index':>7} {'p50':>8} {'slowest':>8} {'memory':>8}"
          "  facts found")
    cases = [(f"{options.files} files", lambda folder: many(folder, options.files))]
    cases += [(f"one file, {shape}", lambda folder, shape=shape: one(folder, options.megabytes, shape))
              for shape in ("paragraphs", "lines", "one line")]
    for name, write in cases:
        with tempfile.TemporaryDirectory() as place:
            write(Path(place))
            size = sum(path.stat().st_size for path in Path(place).iterdir()) / 1e6
            command = [sys.executable, __file__, "--folder", place, "--questions", str(options.questions)]
            done = subprocess.run([*command, *["--profile"] * options.profile], stdout=subprocess.PIPE, check=True)
        row = json.loads(done.stdout)
        peak = f"{row['peak']:5.0f} MB" if row["peak"] else "-"
        print(f"{name:24} {size:6.1f} {row['chunks']:7,} {row['read']:5.2f} s {row['index']:5.2f} s "
              f"{1e3 * row['p50']:5.1f} ms {1e3 * row['max']:5.1f} ms {peak:>8}  {row['right']} of {row['facts']} "
              f"(target {TARGET:g} s for an answer: {'reached' if row['max'] <= TARGET else 'MISSED'})", flush=True)


if __name__ == "__main__":
    main()
