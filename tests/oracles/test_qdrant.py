"""The engine's lists against ours, on Larkspur: dense, BM25, SPLADE, MaxSim, RRF and filters, in-process.

Both count the same sums, theirs in float32, and break ties in another way. So two lists are the same here when the
scores at each place are, and each chunk of theirs has that score with us.
"""

import functools
import json
import threading
import warnings
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np
import pytest

from firstprinciples.corpus import Chunk, Collection
from firstprinciples.encode.splade_tiny import splade_tiny
from firstprinciples.encode.stored import minilm
from firstprinciples.encode.token_vectors import ToyTokens
from firstprinciples.index.filters import matches
from firstprinciples.pipeline import Pipeline
from firstprinciples.rank.fusion import Hybrid, reciprocal_rank_fusion
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.retrieve.dense import Dense
from firstprinciples.retrieve.engine import Engine
from firstprinciples.retrieve.maxsim import MaxSim
from firstprinciples.retrieve.splade import Splade

qdrant_client = pytest.importorskip("qdrant_client",
                                    reason="needs qdrant-client: python3 -m firstprinciples test --peers")
pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("error")]

DEPTH = 1000


@functools.cache
def larkspur():
    return Collection.load("larkspur")


@functools.cache
def questions():
    return [query.text for query in larkspur().queries if query.split == "dev"]


@functools.cache
def ours(way):
    chunks = larkspur().chunks
    return {"dense": lambda: Dense(chunks, minilm()), "sparse": lambda: BM25(chunks),
            "splade": lambda: Splade(chunks, splade_tiny())}[way]()


@pytest.fixture(scope="module")
def engine():
    with Engine(larkspur().chunks, dense=minilm(), sparse=ours("sparse")) as built:
        yield built


def assert_same(mine, theirs, k, tolerance=1e-5):
    """`mine` is our list, all of it; `theirs` the first k of the engine."""
    assert len(theirs) == min(k, len(mine))
    score = dict(mine)
    for place, hit in enumerate(theirs):
        assert hit.score == pytest.approx(mine[place].score, rel=tolerance, abs=tolerance), place
        assert score[hit.id] == pytest.approx(hit.score, rel=tolerance, abs=tolerance), (place, hit.id)
    assert theirs == sorted(theirs, key=lambda hit: (-hit.score, hit.id))


# ---- the same lists


@pytest.mark.parametrize("way", ["dense", "sparse"])
def test_one_way_alone(engine, way):
    for question in questions()[::2]:
        assert_same(ours(way).search(question, DEPTH), engine.search(question, 20, by=way), 20)


def test_splade_as_sparse_vectors():
    with Engine(larkspur().chunks, sparse=ours("splade")) as engine:
        assert engine.by == "sparse"
        for question in questions()[::9]:
            assert_same(ours("splade").search(question, DEPTH), engine.search(question, 20), 20)


def test_maxsim_as_multivectors():
    chunks, encoder = larkspur().chunks[::3], ToyTokens()
    mine = MaxSim(chunks, encoder)
    with Engine(chunks, tokens=encoder) as engine:
        for question in questions()[::8]:
            assert_same(mine.search(question, DEPTH), engine.search(question, 10), 10)


def tied(hits):
    """Say whether two neighbors in a list are too near for float32 to tell apart."""
    scores = np.array([hit.score for hit in hits])
    return bool((np.abs(np.diff(scores)) <= 1e-5 * np.maximum(1, np.abs(scores[1:]))).any())


def test_rrf_is_ours_over_the_lists_of_the_engine(engine):
    """Whatever the engine does with ties, its fusion is our formula over its own lists."""
    for question in questions()[::9]:
        lists = [[point.id for point in engine.client.query_points(
            engine.name, query=engine._asked(way, question), using=way, limit=DEPTH).points] for way in engine.ways]
        expected = {engine.known[id]: score for id, score in reciprocal_rank_fusion(lists, 60)}
        found = dict(engine.search(question, DEPTH))
        assert found == pytest.approx(expected, rel=1e-12)


def ranks(hits):
    """Return {id: (best, worst rank)}: chunks whose scores tie may stand in any order."""
    scores, found = [hit.score for hit in hits], {}
    for hit in hits:
        near = 1e-5 * max(1, abs(hit.score))
        found[hit.id] = (1 + sum(s > hit.score + near for s in scores), sum(s >= hit.score - near for s in scores))
    return found


def test_rrf_order_is_that_of_our_hybrid_where_nothing_ties(engine):
    hybrid, without_ties = Hybrid([ours("dense"), ours("sparse")], depth=DEPTH), 0
    for question in questions()[::12]:
        lists = [hits for hits in hybrid.lists(question) if hits]
        theirs = engine.search(question, DEPTH)
        places = [ranks(hits) for hits in lists]
        for hit in theirs:  # within what our formula gives for the ranks that a chunk may have
            held = [place[hit.id] for place in places if hit.id in place]
            assert sum(1 / (60 + worst) for _, worst in held) - 1e-9 <= hit.score
            assert hit.score <= sum(1 / (60 + best) for best, _ in held) + 1e-9
        if not any(map(tied, lists)):
            without_ties += 1
            assert [hit.id for hit in theirs] == [hit.id for hit in hybrid.search(question, DEPTH)]
    print(without_ties, "questions without a tie")


def test_rrf_of_the_first_places_is_that_of_our_hybrid():
    """With short lists few questions have a tie in them, and the order is ours."""
    hybrid, same, compared = Hybrid([ours("dense"), ours("sparse")], depth=20), 0, 0
    with Engine(larkspur().chunks, dense=minilm(), sparse=ours("sparse"), depth=20) as short:
        for question in questions()[::2]:
            if any(tied(one.search(question, 22)) for one in hybrid.retrievers):
                continue
            compared += 1
            mine, theirs = hybrid.search(question, 20), short.search(question, 20)
            assert_same(hybrid.search(question, DEPTH), theirs, 20, tolerance=1e-9)
            same += [hit.id for hit in mine] == [hit.id for hit in theirs]
    assert same == compared >= 40


def test_another_constant(engine):
    """Qdrant's default, 2 from rank 0, is our k = 1."""
    models = qdrant_client.models
    question = questions()[5]
    with Engine(larkspur().chunks, dense=minilm(), sparse=ours("sparse"), k=1) as mine:
        lists = [models.Prefetch(query=mine._asked(way, question), using=way, limit=DEPTH) for way in mine.ways]
        default = mine.client.query_points(mine.name, prefetch=lists, limit=20,
                                           query=models.FusionQuery(fusion=models.Fusion.RRF)).points
        assert [hit.score for hit in mine.search(question, 20)] == pytest.approx([one.score for one in default])
        assert mine.search(question, 1)[0].score <= 1.0  # 1 / (1 + 1) from each of two lists


def test_the_engines_own_idf_is_lucenes():
    """With its modifier the engine weighs the question's words itself; the chunks then carry term weights alone."""
    models, built = qdrant_client.models, ours("sparse")
    client = qdrant_client.QdrantClient(":memory:")
    weighed = models.SparseVectorParams(modifier=models.Modifier.IDF)
    client.create_collection("idf", sparse_vectors_config={"s": weighed})
    rows = {i: ([], []) for i in range(len(built.ids))}
    for number in range(len(built.words)):
        start, end = built.starts[number], built.starts[number + 1]
        for holder, weight in zip(built.holders[start:end].tolist(), built.weights[start:end].tolist(), strict=True):
            rows[holder][0].append(number)
            rows[holder][1].append(weight / built.rarity[end - start])
    client.upsert("idf", [models.PointStruct(id=i, vector={"s": models.SparseVector(indices=n, values=v)})
                          for i, (n, v) in rows.items()])
    for question in questions()[:10]:
        numbers = sorted({built.words[word] for word in built.tokenizer(question) if word in built.words})
        once = BM25(larkspur().chunks, repeats=False)
        found = client.query_points("idf", query=models.SparseVector(indices=numbers, values=[1.0] * len(numbers)),
                                    using="s", limit=10).points
        assert [p.score for p in found] == pytest.approx([h.score for h in once.search(question, 10)], rel=1e-5)
    client.close()


# ---- filters


def test_each_questions_own_condition(engine):
    asked = [query for query in larkspur().queries if query.filter]
    assert len(asked) == 30
    for place, query in enumerate(asked):
        for way in ("dense", "rrf")[place % 2 :]:
            theirs = engine.search(query.text, 10, where=query.filter, by=way)
            allowed = {c.id for c in larkspur().chunks if matches(c.metadata, query.filter)}
            assert {hit.id for hit in theirs} <= allowed and len(theirs) == min(10, len(allowed))
        mine = ours("dense").search(query.text, DEPTH, where=query.filter)
        assert_same(mine, engine.search(query.text, 10, where=query.filter, by="dense"), 10)


VALUES = ["bill", "invoice", "2024-03", "2024-03-15", "2023", "2024-02-29", "5", 5, 5.5, 0, -2, True, False, None,
          ["bill", 5], ["2024-03", "2025-01-02"], [True, "5"], "2024-13", ""]
CONDITIONS = ["bill", "5", 5, 5.0, 5.5, 1, True, False, "2024-03", ["bill", 5], [True, 7, "2023"], "nobody",
              {"from": "2024-03"}, {"to": "2024-03"}, {"from": "2024-02", "to": "2024-03-20"}, {"from": 0, "to": 5},
              {"to": -1}, {"from": 5.5}, {"from": "2024-03-15", "to": "2024-03-15"}, {"from": "2023-01-01"}]


def test_conditions_mean_what_they_mean_here():
    rng, fields = np.random.default_rng(3), ("type", "billed to", "größe")
    chunks = [Chunk(f"c{i}", f"chunk {i}", metadata={field: VALUES[rng.integers(len(VALUES))] for field in fields
                                                     if rng.random() < 0.8}) for i in range(120)]
    chunks.append(Chunk("all", "chunk", metadata=dict.fromkeys(fields, ["2024-03-15", 5, True])))
    wheres = [{field: condition} for condition in CONDITIONS for field in fields]
    wheres += [{"type": CONDITIONS[a], "billed to": CONDITIONS[b]}
               for a, b in rng.integers(len(CONDITIONS), size=(30, 2))]
    some = 0
    with Engine(chunks) as engine:
        for where in [*wheres, {}, None]:
            found = {hit.id for hit in engine.search("chunk", 200, where=where)}
            expected = {chunk.id for chunk in chunks if matches(chunk.metadata, where or {})}
            assert found == expected, where
            some += 0 < len(expected) < 121
    assert some > 60


def test_conditions_that_no_chunk_can_fulfil(engine):
    with pytest.raises(KeyError, match="No record has the field 'klient'; the fields are client, date"):
        engine.search("rope", where={"klient": "x"})
    with pytest.raises(ValueError, match="No record has a number in 'type'"):
        engine.search("rope", where={"type": {"from": 3}})
    with pytest.raises(ValueError, match="No record has a date in 'client'"):
        engine.search("rope", where={"client": {"from": "2024"}})
    with pytest.raises(TypeError, match="A condition is a dict"):
        engine.search("rope", where=["type"])
    assert engine.search("rope", where={"type": "nothing of the kind"}) == []


# ---- the face


def test_the_pipeline_moves_by_one_line(engine):
    chunks, question = larkspur().chunks, questions()[0]
    before = Pipeline(chunks, retrievers=[Hybrid([ours("dense"), ours("sparse")], depth=DEPTH)]).run(question)
    after = Pipeline(chunks, retrievers=[engine]).run(question)
    assert after.line() == before.line()
    assert [row["id"] for row in after.stage("merge").gave][:3] == [row["id"] for row in before.stage("merge").gave][:3]


def test_explanations_add_up(engine):
    question = questions()[2]
    for way in ("dense", "sparse", "rrf"):
        hit = engine.search(question, 1, by=way)[0]
        told = engine.explain(question, hit.id, by=way)
        assert told.total == pytest.approx(hit.score, abs=2e-4)
        assert told.total == pytest.approx(sum(part.value for part in told.parts))
    assert [part.name for part in engine.explain(question, hit.id).parts] == ["dense", "sparse"]
    with pytest.raises(KeyError, match="There is no chunk 'nowhere'"):
        engine.explain(question, "nowhere")


def test_what_there_is_nothing_for():
    with Engine([Chunk("a", "red tent"), Chunk("b", "..."), Chunk("c", "the stove")], tokens=ToyTokens()) as engine:
        assert {hit.id for hit in engine.search("tent", 3)} == {"a", "c"}  # b has no token
    with Engine(["a red tent", "..."]) as engine:
        assert engine.search("zzz") == []
        assert [hit.id for hit in engine.search("tent tent", 5)] == ["0"]
        for k in (0, -1, 1.5, True):
            with pytest.raises(ValueError, match="k is"):
                engine.search("tent", k)
        for question in ("", "  ", "?!", None):
            with pytest.raises(ValueError, match="The question is empty"):
                engine.search(question)
        with pytest.raises(ValueError, match="by is 'dense'; this engine was built for sparse, rrf"):
            engine.search("tent", by="dense")
    with pytest.raises(RuntimeError, match="This engine is closed"):
        engine.search("tent")


@pytest.mark.parametrize("quantize", ["int8", "binary"])
def test_quantization_is_accepted_and_changes_nothing_in_process(quantize):
    chunks = larkspur().chunks[:60]
    with Engine(chunks, dense=minilm(), quantize=quantize) as engine:
        assert f"quantize='{quantize}' changes nothing in-process" in engine.note
        params = engine.client.get_collection(engine.name).config.params.vectors["dense"]
        assert params.quantization_config is not None
        assert_same(Dense(chunks, minilm()).search(questions()[0], 60), engine.search(questions()[0], 10), 10)


# ---- a folder


def test_a_folder_keeps_the_points(tmp_path):
    chunks, folder = larkspur().chunks[:40], tmp_path / "points"
    done = []
    with Engine(chunks, dense=minilm(), path=folder, progress=lambda n, of: done.append((n, of))) as engine:
        assert engine.sent == 40 and done[-1] == (40, 40) and str(folder) in engine.note
        first = engine.search(questions()[0], 5)
        with pytest.raises(RuntimeError, match="open elsewhere: close the other Engine"):
            Engine(chunks, dense=minilm(), path=folder)
    with Engine(chunks, dense=minilm(), path=folder) as engine:
        assert engine.sent == 0 and dict(engine.search(questions()[0], 5)) == pytest.approx(dict(first))
    with Engine(chunks, dense=minilm(), path=folder, again=True) as engine:
        assert engine.sent == 40
    changed = [*chunks[:-1], Chunk(chunks[-1].id, "A new text.", chunks[-1].document)]
    with Engine(changed, sparse="bm25", path=folder, name="words") as engine:
        assert engine.sent == 40
    with Engine([*changed, Chunk("new", "Another one.")], sparse="bm25", path=folder, name="words") as engine:
        assert engine.sent == 41 and engine.search("another one", 1)[0].id == "new"


def test_filling_that_was_broken_off_is_done_again(tmp_path):
    def stop(done, n):
        if done:
            raise KeyboardInterrupt

    chunks = larkspur().chunks[:100]
    with pytest.raises(KeyboardInterrupt):
        Engine(chunks, path=tmp_path, progress=stop)
    with Engine(chunks, path=tmp_path) as engine:
        assert engine.sent == 100 and engine.client.count(engine.name).count == 100
    with Engine(chunks, path=tmp_path) as engine:
        assert engine.sent == 0


def test_a_collection_of_others_is_left_as_it_is(tmp_path):
    class Three:
        name, dim = "three", 3

        def encode_passages(self, texts):
            return np.ones((len(texts), 3))

        encode_queries = encode_passages

    with Engine(["a", "b"], dense=Three(), path=tmp_path):
        pass
    for wrong in ({"dense": minilm()}, {"sparse": "bm25"}, {"dense": Three(), "sparse": "bm25"}):
        with pytest.raises(ValueError, match="was made for dense: vectors of 3 numbers, compared by cosine; these "
                                             "chunks come with .* Give another name=..., or, if nobody needs that one, "
                                             "delete it yourself"):
            Engine(larkspur().chunks[:2], path=tmp_path, **wrong)
    with pytest.raises(ValueError, match="holds points of other chunks, such as"):
        Engine(["a"], dense=Three(), path=tmp_path)
    with Engine(["a", "b"], dense=Three(), path=tmp_path) as engine:
        assert engine.sent == 0


def test_a_file_in_the_place_of_a_folder(tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(ValueError, match="can't hold points"):
        Engine(["a"], path=tmp_path / "file")


def test_folders_of_others_are_left_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for path in ("", " "):
        with pytest.raises(ValueError, match="The path is empty; give the name of a folder"):
            Engine(["a"], path=path)
    with pytest.raises(TypeError, match="The path is 5; give the name of a folder"):
        Engine(["a"], path=5)
    (tmp_path / "notes.md").write_text("x", encoding="utf-8")
    for path in (".", tmp_path):
        with pytest.raises(ValueError, match="holds other files, such as 'notes.md'; give one of its own"):
            Engine(["a"], path=path)
    assert [one.name for one in tmp_path.iterdir()] == ["notes.md"]
    for _ in range(2):  # new, then with points in it, and a file that the system left there
        Engine(["a"], path=tmp_path / "points").close()
        (tmp_path / "points" / ".DS_Store").write_text("x", encoding="utf-8")


def test_a_forgotten_engine_leaves_nothing_open(tmp_path):
    import gc

    threads = threading.active_count()
    engine = Engine(["a red tent"], path=tmp_path)
    engine.search("tent")
    del engine
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gc.collect()
    Engine(["a red tent"], path=tmp_path).close()  # not locked any more
    assert threading.active_count() == threads


# ---- a server


class Server(BaseHTTPRequestHandler):
    """Stands in for a server: answers by `answer(method, path, body) -> (status, bytes or plain values)`."""

    def _do(self):
        size = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(size)) if size else None
        status, value = self.server.answer(self.command, self.path.split("?")[0], body, self.headers.get("api-key"))
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_PUT = do_POST = do_DELETE = do_PATCH = _do

    def log_message(self, *_):
        pass


@contextmanager
def served(answer):
    server = HTTPServer(("127.0.0.1", 0), Server)
    server.answer = answer
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def version(text):
    return {"title": "qdrant - vector search engine", "version": text, "commit": "0"}


def here():
    return ".".join(__import__("importlib.metadata").metadata.version("qdrant-client").split(".")[:2]) + ".0"


def refused(kind, answer=None, url=None, **more):
    """Return the one sentence with which an engine is refused; nothing of it stays open."""
    threads = threading.active_count()
    if answer is None:
        with pytest.raises(kind) as caught:
            Engine(["a red tent"], url=url, **more)
    else:
        with served(answer) as url, pytest.raises(kind) as caught:
            Engine(["a red tent"], url=url, **more)
    assert threading.active_count() == threads
    said = str(caught.value)
    assert "\n" not in said and len(said) < 400
    return said


def test_no_server():
    with served(lambda *_: (200, {})) as url:
        pass
    said = refused(ConnectionError, url=url)
    assert f"No engine answers at {url}" in said and "is it running" in said


def test_a_server_that_takes_too_long(monkeypatch):
    import time

    monkeypatch.setattr("firstprinciples.retrieve.engine_client.SECONDS", 1)

    def slow(*_):
        time.sleep(1.5)
        return 200, version(here())

    assert "in time" in refused(ConnectionError, slow)


@pytest.mark.parametrize("status", [401, 403])
def test_a_wrong_key_and_a_missing_one(status):
    def answer(method, path, body, key):
        return (200, version(here())) if path == "/" else (status, {"status": {"error": "Invalid API key"}, "time": 0})

    assert f"wants a key ({status})" in refused(PermissionError, answer)
    with pytest.warns(UserWarning, match="insecure connection"):
        assert f"does not take this key ({status})" in refused(PermissionError, answer, key="secret")


@pytest.mark.parametrize("theirs", ["1.9.0", "2.0.0", "0.11.2", "nonsense"])
def test_a_version_too_far_away(theirs):
    said = refused(RuntimeError, lambda *_: (200, version(theirs)))
    assert theirs in said and "one minor version apart at most" in said


@pytest.mark.parametrize("what", [b"<html>Welcome</html>", b"{}", b"", b"[1]", b"\xff\xfe"])
def test_something_else_answers(what):
    assert "no engine of this kind" in refused(RuntimeError, lambda *_: (200, what))


def test_a_server_that_refuses():
    said = {"status": {"error": "No space left.\nReally."}, "time": 0}

    def answer(method, path, body, key):
        return (200, version(here())) if path == "/" else (507, said)

    assert "refused the request (507): No space left. Really." in refused(RuntimeError, answer)


@pytest.mark.parametrize("status, value", [(200, version(here())), (200, {}), (200, {"result": None})])
def test_something_that_answers_only_at_first(status, value):
    def answer(method, path, body, key):
        return (200, version(here())) if path == "/" else (status, value)

    assert "no engine of this kind" in refused(RuntimeError, answer)


def test_a_server_that_has_too_much_to_do(monkeypatch):
    monkeypatch.setattr(Server, "send_response", lambda self, status: (
        BaseHTTPRequestHandler.send_response(self, status), self.send_header("Retry-After", "7")))
    said = refused(RuntimeError, lambda *_: (429, {}))
    assert "has too much to do" in said and "ask again in 7 s" in said


@pytest.mark.parametrize("key", ["\u00e9", "two\nlines", 5, b"x"])
def test_a_key_that_is_none(key):
    assert "The key is no text" in refused(ValueError, url="http://localhost:6333", key=key)


def test_addresses_that_are_none():
    for url in ("localhost:6333", "ftp://x", "", "http://", 6333, "http://localhost:99999", "http://localhost:abc",
                "http://[::1", "http://a b"):
        assert "write it as https://host:6333" in refused(ValueError, url=url)
    with pytest.raises(ValueError, match="A key is for a server"):
        Engine(["a"], key="secret")
    with pytest.raises(ValueError, match="not both"):
        Engine(["a"], url="http://localhost:6333", path="x")


def behind(local, asked):
    """Answer as a server does, from an in-process client: what is sent must be what the kinds of requests allow."""
    models = qdrant_client.models

    def plain(value):
        return json.loads(value.model_dump_json(exclude_none=True))

    def answer(method, path, body, key):
        asked.append((method, path, body, key))
        if path == "/":
            return 200, version(here())
        _, _, name, *rest = path.split("/")
        match method, rest:
            case "GET", ["exists"]:
                result = {"exists": local.collection_exists(name)}
            case "GET", []:
                result = plain(local.get_collection(name))
            case "PUT", []:
                made = models.CreateCollection(**body)
                result = local.create_collection(name, vectors_config=made.vectors,
                                                 sparse_vectors_config=made.sparse_vectors)
            case "PUT", ["index"]:
                models.CreateFieldIndex(**body)
                result = {"operation_id": 0, "status": "completed"}
            case "PUT", ["points"]:
                local.upsert(name, models.PointsList(**body).points)
                result = {"operation_id": 0, "status": "completed"}
            case "POST", ["points", "count"]:
                result = plain(local.count(name, count_filter=models.CountRequest(**body).filter))
            case "POST", ["points", "scroll"]:
                found, offset = local.scroll(name, limit=body["limit"], offset=body.get("offset"), with_payload=False)
                result = {"points": [plain(point) for point in found], "next_page_offset": offset}
            case "POST", ["points", "query"]:
                request = models.QueryRequest(**body)
                result = plain(local.query_points(
                    name, query=request.query, prefetch=request.prefetch, query_filter=request.filter,
                    limit=request.limit, using=request.using, with_payload=False))
            case _:
                return 404, {"status": {"error": f"Not found: {method} {path}"}, "time": 0}
        return 200, {"result": result, "status": "ok", "time": 0}

    return answer


def test_a_server_gets_the_same_and_gives_the_same():
    chunks, question = larkspur().chunks[:80], "What does the power bill of July come to?"
    local, asked = qdrant_client.QdrantClient(":memory:"), []
    where = {"type": "bill", "date": {"from": "2024-06"}}
    with served(behind(local, asked)) as url:
        with pytest.warns(UserWarning, match="insecure connection"):
            remote = Engine(chunks, dense=minilm(), sparse="bm25", url=url, key="secret", name="pages", quantize="int8")
        with remote, Engine(chunks, dense=minilm(), sparse="bm25") as memory:
            assert remote.sent == 80 and url in remote.note and "changes nothing" not in remote.note
            for way in ("dense", "sparse", "rrf"):
                for condition in (None, where):
                    there = remote.search(question, 7, where=condition, by=way)
                    assert_same(memory.search(question, 80, where=condition, by=way), there, 7)
        with pytest.warns(UserWarning, match="insecure connection"), \
                Engine(chunks, dense=minilm(), sparse="bm25", url=url, key="secret", name="pages") as again:
            assert again.sent == 0
    assert all(key == "secret" for *_, key in asked)
    indexed = {body["field_name"]: body["field_schema"] for method, path, body, _ in asked if path.endswith("/index")}
    assert indexed["words.type"] == "keyword" and indexed["days.date[].first"] == "integer" and "made" in indexed
    made = next(body for method, path, body, _ in asked if (method, path) == ("PUT", "/collections/pages"))
    assert made["vectors"]["dense"]["quantization_config"]["scalar"]["type"] == "int8"
    fused = next(body for *_, path, body, _ in asked if path.endswith("query") and body.get("prefetch"))
    assert fused["query"] == {"rrf": {"k": 61}}
    local.close()
