"""What the retrievers reach on two real collections, against figures measured once with other code.

BM25 with k1 1.2, b 0.75, the lucene variant, `--tokenizer words`, title and text together; nDCG@10 and Recall@100, each
to 0.003. Those that lesson 06 quotes must come out again as notebooks/fusion.json has them, to 0.0005. MiniLM needs its
files, and the first time about five minutes of two cores: the vectors are then kept in the cache.
"""

import functools
import json
from pathlib import Path

import numpy as np
import pytest

from firstprinciples.__main__ import second_retriever
from firstprinciples.corpus import Collection
from firstprinciples.evaluate import build, command
from firstprinciples.evaluate.command import evaluate_command

PLAIN = {"cranfield": (0.408, 0.724), "scifact": (0.663, 0.883)}  # no stemming, no stop words
FULL = {"cranfield": (0.430, 0.756), "scifact": (0.683, 0.928)}  # Lucene's 33 stop words and Porter's stemmer
MINILM = {"cranfield": (0.435, 0.788), "scifact": (0.645, 0.925)}
RRF = {"cranfield": (0.481, 0.805), "scifact": (0.719, 0.962)}  # of the two, k 60, over the top 1,000
MINMAX = {"cranfield": (0.483, 0.809), "scifact": (0.731, 0.955)}  # of the same lists, half and half
WORDS = "--tokenizer words --stem --stop-words"
QUERIES = {"cranfield": 225, "scifact": 300}
FUSION = Path(__file__).resolve().parents[2] / "notebooks" / "fusion.json"
METRICS = ("nDCG@10", "Recall@100")


@pytest.fixture(scope="module", autouse=True)
def once():
    """Do once what several rows need: read a collection, index it by words, search that index, encode a question.

    Each row is still measured by the command as it is; it is only handed what an earlier row has made the same way.
    """
    made, make_bm25, make_encoder = {}, build.make_bm25, build.make_encoder

    def bm25(options, chunks):
        key = (*(getattr(options, name) for name in build.BY_WORDS), id(chunks))
        if key not in made:
            made[key] = make_bm25(options, chunks)
            made[key].search = functools.cache(made[key].search)
        return made[key]

    def encoder(name):
        if name not in made:
            made[name] = make_encoder(name)
            encode = made[name].encode_queries
            vector = functools.cache(lambda text: encode([text])[0])
            made[name].encode_queries = lambda texts: np.array([vector(text) for text in texts])
        return made[name]

    class Read:
        load = staticmethod(functools.cache(Collection.load))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "make_bm25", bm25)
        patch.setattr(build, "make_encoder", encoder)
        patch.setattr(command, "Collection", Read)
        yield


def assert_reaches(retriever, collection, reached, tmp_path, method=None):
    """Measure a retriever, given as after --compare, on a collection, and compare with (nDCG@10, Recall@100).

    `method` is its name in fusion.json.
    """
    options, target = second_retriever(retriever), tmp_path / "result.json"
    options.collection, options.split, options.compare, options.json = str(collection), "all", None, target
    evaluate_command(options)
    report = json.loads(target.read_text(encoding="utf-8"))
    assert report["queries"] == QUERIES[collection.name]
    found = [report["metrics"][metric] for metric in METRICS]
    assert found == pytest.approx(reached[collection.name], abs=0.003)
    if method:
        row = json.loads(FUSION.read_text(encoding="utf-8"))[collection.name]["rows"][method]
        assert found == pytest.approx([row[metric] for metric in METRICS], abs=0.0005)


@pytest.mark.collections
@pytest.mark.parametrize("name", ["cranfield", "scifact"])
@pytest.mark.parametrize("words, reached, method", [("--tokenizer words", PLAIN, None), (WORDS, FULL, "BM25")],
                         ids=["plain", "stop words and stems"])
def test_bm25_on_a_real_collection(collections_folder, tmp_path, name, words, reached, method):
    assert_reaches(f"bm25 {words}", collections_folder / name, reached, tmp_path, method)


@pytest.mark.collections
@pytest.mark.models
@pytest.mark.parametrize("name", ["cranfield", "scifact"])
@pytest.mark.parametrize("retriever, reached, method", [
    ("dense --encoder minilm", MINILM, "MiniLM"), (f"hybrid --encoder minilm --fusion rrf {WORDS}", RRF, "RRF"),
    (f"hybrid --encoder minilm --fusion minmax {WORDS}", MINMAX, "min-max")], ids=["MiniLM", "RRF", "min-max"])
def test_minilm_on_a_real_collection(collections_folder, model_files, tmp_path, name, retriever, reached, method):
    model_files("minilm")
    assert_reaches(retriever, collections_folder / name, reached, tmp_path, method)
