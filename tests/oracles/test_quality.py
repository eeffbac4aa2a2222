"""What BM25 reaches on two real collections, against figures measured once with other code.

BM25 with k1 1.2, b 0.75, the lucene variant, `--tokenizer words`, title and text together; nDCG@10 and Recall@100, each
to 0.003.
"""

import json
from argparse import Namespace

import pytest

from firstprinciples.evaluate.command import evaluate_command

PLAIN = {"cranfield": (0.408, 0.724), "scifact": (0.663, 0.883)}  # no stemming, no stop words
FULL = {"cranfield": (0.430, 0.756), "scifact": (0.683, 0.928)}  # Lucene's 33 stop words and Porter's stemmer
QUERIES = {"cranfield": 225, "scifact": 300}


@pytest.mark.collections
@pytest.mark.parametrize("name", ["cranfield", "scifact"])
@pytest.mark.parametrize("full, reached", [(False, PLAIN), (True, FULL)], ids=["plain", "stop words and stems"])
def test_bm25_on_a_real_collection(collections_folder, tmp_path, name, full, reached):
    target = tmp_path / "result.json"
    evaluate_command(Namespace(
        collection=str(collections_folder / name), retriever="bm25", k1=1.2, b=0.75, variant="lucene",
        tokenizer="words", stem=full, stop_words=full, split="all", compare=None, json=target))
    report = json.loads(target.read_text(encoding="utf-8"))
    assert report["queries"] == QUERIES[name]
    assert report["metrics"]["nDCG@10"] == pytest.approx(reached[name][0], abs=0.003)
    assert report["metrics"]["Recall@100"] == pytest.approx(reached[name][1], abs=0.003)
