"""Tasks: what to write, whether it is right, and what went wrong in words.

`check("bm25.idf", idf)` grades a function, `check("work/bm25.py")` a file; `use("bm25.idf", idf)` makes the course run
on your function; `hint("bm25.idf")` prints one more hint each time; `load("work/bm25.py")` gives you the functions of a
file, `stub_file("bm25")` the text of a new one.
"""

from firstprinciples.grading.check import check
from firstprinciples.grading.hints import hint
from firstprinciples.grading.submission import load
from firstprinciples.grading.tasks import stub_file
from firstprinciples.swap import use

__all__ = ["check", "hint", "load", "stub_file", "use"]
