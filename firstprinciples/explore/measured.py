"""What was measured beforehand: dated files beside the lessons, written by benchmarks, which charts are drawn from."""

import json
from functools import cache
from pathlib import Path

NOTEBOOKS = Path(__file__).resolve().parent.parent.parent / "notebooks"


@cache
def measured(name: str) -> dict:
    """Return what a file beside the lessons holds, read once: "late" is notebooks/late.json.

    Raises FileNotFoundError with a sentence where the file is missing.

    >>> sorted(measured("fusion"))[:2]
    ['beir', 'command']
    """
    path = NOTEBOOKS / f"{name}.json"
    if not path.exists():
        raise FileNotFoundError(f"{path.name} is missing; take it from a whole clone of the repository.")
    return json.loads(path.read_text(encoding="utf-8"))
