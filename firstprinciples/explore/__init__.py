"""What a reader sees and drags: one file per lesson, and the stage they stand on.

The functions are imported here, at once, because one of them is called like the file it lives in; matplotlib is
imported only when the first chart is drawn.
"""

from firstprinciples.explore.bm25 import scores
from firstprinciples.explore.conventions import conventions
from firstprinciples.explore.course_map import course_map
from firstprinciples.explore.guess import guess
from firstprinciples.explore.inverted_index import index_steps
from firstprinciples.explore.measuring import measuring
from firstprinciples.explore.overlap import overlap, word_overlap
from firstprinciples.explore.own_questions import own_questions
from firstprinciples.explore.saturation import saturation
from firstprinciples.explore.trip import trip

__all__ = ["conventions", "course_map", "guess", "index_steps", "measuring", "overlap", "own_questions", "saturation",
           "scores", "trip", "word_overlap"]
