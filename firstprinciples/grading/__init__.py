"""Tasks: what to write, whether it is right, and what went wrong in words.

`check("bm25.idf", idf)` grades a function, `check("work/bm25.py")` a file; `use("bm25.idf", idf)` makes the course run
on your function; `load("work/bm25.py")` gives you the functions of a file.
"""

from firstprinciples.grading.check import check
from firstprinciples.grading.submission import load
from firstprinciples.swap import use

__all__ = ["check", "load", "use"]
