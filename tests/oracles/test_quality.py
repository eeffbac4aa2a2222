"""What the retrievers reach on two real collections, against figures measured once with other code.

BM25 with k1 1.2, b 0.75, the lucene variant, `--tokenizer words`, title and text together; nDCG@10 and Recall@100, each
to 0.003. MiniLM needs its files, and the first time ten minutes on a core: the vectors are then kept in the cache.
"""

import json

import pytest

from firstprinciples.__main__ import second_retriever
from firstprinciples.evaluate.command import evaluate_command

PLAIN = {"cranfield": (0.408, 0.724), "scifact": (0.663, 0.883)}  # no stemming, no stop words
FULL = {"cranfield": (0.430, 0.756), "scifact": (0.683, 0.928)}  # Lucene's 33 stop words and Porter's stemmer
MINILM = {"cranfield": (0.435, 0.788), "scifact": (0.645, 0.925)}
RRF = {"cranfield": (0.481, 0.805), "scifact": (0.719, 0.962)}  # of the two, k 60, over the top 1,000
MINMAX = {"cranfield": (0.483, 0.809), "scifact": (0.731, 0.955)}  # of the same lists, half and half
WORDS = "--tokenizer words --stem --stop-words"
QUERIES = {"cranfield": 225, "scifact": 300}


def assert_reaches(retriever, collection, reached, tmp_path):
    """Measure a retriever, given as after --compare, on a collection, and compare with (nDCG@10, Recall@100)."""
    options, target = second_retriever(retriever), tmp_path / "result.json"
    options.collection, options.split, options.compare, options.json = str(collection), "all", None, target
    evaluate_command(options)
    report = json.loads(target.read_text(encoding="utf-8"))
    assert report["queries"] == QUERIES[collection.name]
    assert report["metrics"]["nDCG@10"] == pytest.approx(reached[collection.name][0], abs=0.003)
    assert report["metrics"]["Recall@100"] == pytest.approx(reached[collection.name][1], abs=0.003)


@pytest.mark.collections
@pytest.mark.parametrize("name", ["cranfield", "scifact"])
@pytest.mark.parametrize("words, reached", [("--tokenizer words", PLAIN), (WORDS, FULL)],
                         ids=["plain", "stop words and stems"])
def test_bm25_on_a_real_collection(collections_folder, tmp_path, name, words, reached):
    assert_reaches(f"bm25 {words}", collections_folder / name, reached, tmp_path)


@pytest.mark.collections
@pytest.mark.models
@pytest.mark.parametrize("name", ["cranfield", "scifact"])
@pytest.mark.parametrize("retriever, reached", [
    ("dense --encoder minilm", MINILM), (f"hybrid --encoder minilm --fusion rrf {WORDS}", RRF),
    (f"hybrid --encoder minilm --fusion minmax {WORDS}", MINMAX)], ids=["MiniLM", "RRF", "min-max"])
def test_minilm_on_a_real_collection(collections_folder, model_files, tmp_path, name, retriever, reached):
    model_files("minilm")
    assert_reaches(retriever, collections_folder / name, reached, tmp_path)
