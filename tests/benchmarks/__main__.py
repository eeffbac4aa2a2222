"""Print every row of speed of this course's search and measuring beside its peers, in one command.

    python tests/benchmarks [FOLDER ...]

FOLDER is a BEIR folder, such as cranfield. It runs bench_bm25.py on these and on generated collections, then
bench_metrics.py, bench_hnsw.py (which needs hnswlib, faiss-cpu and datasketch), bench_maxsim.py, bench_bert.py (which
needs the model files and torch), bench_training.py and bench_ask.py, each in a process of its own. Some minutes;
nothing else should run meanwhile.
"""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

if __name__ == "__main__":
    if any(option in ("-h", "--help") for option in sys.argv[1:]):
        print(__doc__)
        sys.exit()
    statuses = []
    for script, arguments in (("bench_bm25.py", sys.argv[1:]), ("bench_metrics.py", []), ("bench_hnsw.py", []),
                              ("bench_maxsim.py", []), ("bench_bert.py", []), ("bench_training.py", []),
                              ("bench_ask.py", [])):
        print(f"== {script}\n", flush=True)
        statuses.append(subprocess.call([sys.executable, str(HERE / script), *arguments]))
        print(flush=True)
    sys.exit(max(statuses))
