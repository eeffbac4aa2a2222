"""What a reader sees and drags: one file per lesson, and the stage they stand on.

The functions are imported here, at once, because one of them is called like the file it lives in; matplotlib is
imported only when the first chart is drawn.
"""

from firstprinciples.explore.bm25 import scores
from firstprinciples.explore.guess import guess
from firstprinciples.explore.inverted_index import index_steps
from firstprinciples.explore.saturation import saturation

__all__ = ["guess", "index_steps", "saturation", "scores"]
