"""What SPLADE-tiny, MaxSim and MaxSim as a second stage reach on two real collections, against figures measured once.

nDCG@10 and Recall@100, each to 0.003, by the command as it is; the figures came from other code. SPLADE-tiny and MiniLM
need their files, and the first time they encode the collections: SPLADE-tiny in two minutes of a core, MiniLM's token
vectors in about ten. Both are then kept in the cache, and all rows take about four minutes of one core, half of it for
scifact's 300 questions against all of its 1.2 million vectors. The file comes before test_quality by its name: what
encodes tokens leaves their means in the cache, so a machine that begins with it encodes each collection once.
"""

import functools
import json

import numpy as np
import pytest

from firstprinciples.__main__ import second_retriever
from firstprinciples.corpus import Collection
from firstprinciples.evaluate import build, command
from firstprinciples.evaluate.command import evaluate_command
from firstprinciples.retrieve import maxsim
from firstprinciples.retrieve.maxsim_blocks import best_blocks

NAMES = ["cranfield", "scifact"]
SPLADE = {"cranfield": (0.421, 0.748), "scifact": (0.644, 0.893)}
MAXSIM = {"cranfield": (0.448, 0.788), "scifact": (0.707, 0.931)}  # every chunk, exactly
RERANKED = {"cranfield": (0.448, 0.756), "scifact": (0.711, 0.928)}  # BM25's first hundred
CANDIDATES = {"cranfield": 0.756, "scifact": 0.928}  # Recall@100 of BM25, which no order of its hundred can change
BM25 = "bm25 --tokenizer words --stem --stop-words"
QUERIES = {"cranfield": 225, "scifact": 300}
METRICS = ("nDCG@10", "Recall@100")
TOGETHER = 16  # questions for which a block of tokens is read once

pytestmark = [pytest.mark.collections, pytest.mark.models]


@pytest.fixture(autouse=True)
def once(monkeypatch):
    """Do once what the two rows of a collection need: read it, lay out its token vectors, encode a question.

    Returns the MaxSim indexes that were made.
    """
    monkeypatch.setattr(command, "Collection", type("Read", (), {"load": functools.cache(Collection.load)}))
    make_maxsim, made = build.make_maxsim, {}  # within one test: the token vectors of scifact take a gigabyte

    def of_tokens(name, chunks):
        if (name, id(chunks)) not in made:
            made[name, id(chunks)] = one = make_maxsim(name, chunks)
            one.encoder.token_vectors = functools.cache(one.encoder.token_vectors)
        return made[name, id(chunks)]

    monkeypatch.setattr(build, "make_maxsim", of_tokens)
    return made


@pytest.fixture
def rough_together(once, monkeypatch):
    """Return a function: let the rough scores of all chunks be computed for some questions at a time.

    They are the sums of the same `best_blocks`, each block of tokens read once for 16 questions and not 16 times.
    Which chunks may be among the best, and their exact scores, the index finds from them as ever.
    """
    def together(texts):
        scores, alone = {}, maxsim.maxsim_blocks

        def looked_up(question, tokens, starts):
            if not scores:
                (index,) = once.values()
                questions = [index.question(text)[1] for text in texts]
                for at in range(0, len(questions), TOGETHER):
                    some = questions[at : at + TOGETHER]
                    firsts = np.cumsum([0, *(len(each) for each in some[:-1])])
                    best = best_blocks(np.concatenate(some), tokens, starts)
                    sums = np.add.reduceat(best, firsts, axis=1)
                    scores.update((each.tobytes(), sums[:, i]) for i, each in enumerate(some))
                assert scores[question.tobytes()] == pytest.approx(alone(question, tokens, starts), abs=1e-4)
            return scores[question.tobytes()]

        monkeypatch.setattr(maxsim, "maxsim_blocks", looked_up)

    return together


def measured(retriever, folder, tmp_path):
    """Return the report of a retriever, given as after --compare, on a collection, and its (nDCG@10, Recall@100)."""
    options, target = second_retriever(retriever), tmp_path / "result.json"
    options.collection, options.split, options.compare, options.json = str(folder), "all", None, target
    evaluate_command(options)
    report = json.loads(target.read_text(encoding="utf-8"))
    assert report["queries"] == QUERIES[folder.name]
    found = [report["metrics"][metric] for metric in METRICS]
    print(folder.name, retriever, found)
    return report, found


@pytest.mark.parametrize("name", NAMES)
def test_splade_tiny(collections_folder, model_files, tmp_path, name):
    model_files("splade-tiny")
    _, found = measured("splade --encoder splade-tiny", collections_folder / name, tmp_path)
    assert found == pytest.approx(SPLADE[name], abs=0.003)


@pytest.mark.parametrize("name", NAMES)
def test_maxsim_alone_and_as_a_second_stage(collections_folder, model_files, tmp_path, name, rough_together):
    model_files("minilm")
    folder = collections_folder / name
    collection = command.Collection.load(str(folder))
    rough_together([query.text for query in collection.queries if collection.evidence.get(query.id)])
    _, found = measured("maxsim --encoder minilm", folder, tmp_path)
    assert found == pytest.approx(MAXSIM[name], abs=0.003)
    report, found = measured(f"{BM25} --rerank maxsim", folder, tmp_path)
    assert found == pytest.approx(RERANKED[name], abs=0.003)
    assert report["metrics"]["Recall@100"] == pytest.approx(CANDIDATES[name], abs=0.001)
    assert 90 < report["reranking"]["candidates"] <= 100
