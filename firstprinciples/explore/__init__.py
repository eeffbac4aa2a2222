"""What a reader sees and drags: one file per lesson, and the stage they stand on.

The functions are imported here, at once, because one of them is called like the file it lives in; matplotlib is
imported only when the first chart is drawn.
"""

from firstprinciples.explore.answers import both_ends
from firstprinciples.explore.bars import four_bars
from firstprinciples.explore.batch_matrix import batch_matrix
from firstprinciples.explore.biencoder import together
from firstprinciples.explore.bm25 import scores
from firstprinciples.explore.break_it import break_it
from firstprinciples.explore.cells import cells
from firstprinciples.explore.chunking import cut_it
from firstprinciples.explore.clusters import clusters
from firstprinciples.explore.codebooks import codebooks
from firstprinciples.explore.contextual import orphan
from firstprinciples.explore.conventions import conventions
from firstprinciples.explore.conversation import conversation
from firstprinciples.explore.corrective import second_reader
from firstprinciples.explore.cosine import two_vectors
from firstprinciples.explore.course_map import course_map
from firstprinciples.explore.dated import dated_notes
from firstprinciples.explore.depth import depth_curve
from firstprinciples.explore.dilution import diluted
from firstprinciples.explore.edited import edited_file
from firstprinciples.explore.failure_tree import failure_tree
from firstprinciples.explore.filed_twice import filed_twice
from firstprinciples.explore.filters import three_ways
from firstprinciples.explore.funnel import funnel
from firstprinciples.explore.fusion import fused
from firstprinciples.explore.fusion_steps import fusion_steps
from firstprinciples.explore.grep import grep_loop
from firstprinciples.explore.growth import growth
from firstprinciples.explore.guess import guess
from firstprinciples.explore.hyde import hypothetical
from firstprinciples.explore.ingestion import paid_once
from firstprinciples.explore.inside import inside_encoder
from firstprinciples.explore.inverted_index import index_steps
from firstprinciples.explore.k_sweep import k_sweep
from firstprinciples.explore.ladder import ladder
from firstprinciples.explore.lost import lost_in_the_middle
from firstprinciples.explore.maxsim import token_grid
from firstprinciples.explore.meaning_map import meaning_map
from firstprinciples.explore.measuring import measuring
from firstprinciples.explore.memory_table import memory_table
from firstprinciples.explore.neighbors import hnsw_walk
from firstprinciples.explore.neighbors_build import hnsw_build
from firstprinciples.explore.on_paper import on_paper
from firstprinciples.explore.onto_circle import onto_circle
from firstprinciples.explore.open_book import closed_book
from firstprinciples.explore.overlap import overlap, word_overlap
from firstprinciples.explore.own_folder import on_your_folder
from firstprinciples.explore.own_questions import own_questions
from firstprinciples.explore.own_tree import your_tree
from firstprinciples.explore.padding import padded
from firstprinciples.explore.paste import paste_everything
from firstprinciples.explore.phrasings import three_phrasings
from firstprinciples.explore.quantize import bits
from firstprinciples.explore.reading import reading_together
from firstprinciples.explore.recall_curve import recall_curve
from firstprinciples.explore.rerank import reranking
from firstprinciples.explore.rescoring import rescoring
from firstprinciples.explore.rewrite import follow_the_thread
from firstprinciples.explore.saturation import saturation
from firstprinciples.explore.scales import scales
from firstprinciples.explore.side_by_side import side_by_side
from firstprinciples.explore.silence import silence
from firstprinciples.explore.sizes import size_curve
from firstprinciples.explore.sparsity import flops_dial
from firstprinciples.explore.splade import filed_under
from firstprinciples.explore.store_record import store_record
from firstprinciples.explore.strong import strong_or_many
from firstprinciples.explore.thirty import thirty_questions
from firstprinciples.explore.three_measures import three_measures
from firstprinciples.explore.token_storage import token_storage
from firstprinciples.explore.training import training
from firstprinciples.explore.trip import trip
from firstprinciples.explore.trust import trust_dial
from firstprinciples.explore.two_dials import two_dials
from firstprinciples.explore.two_fields import relevant_and_false
from firstprinciples.explore.what_when import what_to_use_when
from firstprinciples.explore.whole_trip import whole_trip

__all__ = ["batch_matrix", "bits", "both_ends", "break_it", "cells", "closed_book", "clusters", "codebooks",
           "conventions", "conversation", "course_map", "cut_it", "dated_notes", "depth_curve", "diluted",
           "edited_file", "failure_tree", "filed_twice", "filed_under", "flops_dial", "follow_the_thread",
           "four_bars", "funnel", "fused", "fusion_steps", "grep_loop", "growth", "guess", "hnsw_build", "hnsw_walk",
           "hypothetical", "index_steps", "inside_encoder", "k_sweep", "ladder", "lost_in_the_middle", "meaning_map",
           "measuring", "memory_table", "on_paper", "on_your_folder", "onto_circle", "orphan", "overlap",
           "own_questions", "padded", "paid_once", "paste_everything", "reading_together", "recall_curve",
           "relevant_and_false", "reranking", "rescoring", "saturation", "scales", "scores", "second_reader",
           "side_by_side", "silence", "size_curve", "store_record", "strong_or_many", "thirty_questions",
           "three_measures", "three_phrasings", "three_ways", "together", "token_grid", "token_storage", "training",
           "trip", "trust_dial", "two_dials", "two_vectors", "what_to_use_when", "whole_trip", "word_overlap",
           "your_tree"]
