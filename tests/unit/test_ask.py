"""The command `ask`: what it prints, the folders that somebody may give it, the conversation, the README's lines."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from firstprinciples import __main__ as cli
from firstprinciples import asking, models
from firstprinciples.corpus import DATA, Chunk, Collection, read_documents
from firstprinciples.encode import stored
from firstprinciples.generate import llm as model
from firstprinciples.generate.reader import THRESHOLD
from firstprinciples.pipeline import Pipeline
from firstprinciples.retrieve.bm25 import BM25
from firstprinciples.text import tokenize

ROOT = Path(__file__).resolve().parents[2]
NONE = "Answer: I couldn't find that."
KEY = "The spare key hangs behind the barometer in the cellar."


@pytest.fixture
def shop(tmp_path):
    """A folder whose name has blanks, with two files that can be read."""
    folder = tmp_path / "my papers, 2024"
    (folder / "in here").mkdir(parents=True)
    (folder / "in here" / "keys.txt").write_text(f"Keys\r\n\r\n{KEY}\r\n", encoding="utf-8", newline="")
    (folder / "rope.md").write_text("# Ropes\n\n<!-- page 4 -->\nRopes are cut\nto fifty meters by Ada Quill.\n",
                                    encoding="utf-8")
    return folder


@pytest.fixture
def ask(monkeypatch, capsys):
    """Run `ask` in this process; give (status, what was printed, what was said beside it)."""
    monkeypatch.setattr(cli, "elsewhere", lambda arguments: None)

    def run(*arguments, typed=""):
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        status = cli.main(["ask", *map(str, arguments)])
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return status, printed.out, printed.err

    return run


# What it prints


def test_a_question_to_a_folder_shows_the_trip_and_ends_with_the_answer(ask, shop):
    status, out, err = ask("Where does the spare key hang?", "--documents", shop)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == f"{shop}: 2 documents in 2 chunks, searched by bm25 (words)."
    assert [line.split(" (")[0] for line in lines if line[:1].isdigit()] == [
        "1. sharpen", "2. search: BM25", "3. merge", "4. desk", "5. answer"]
    assert lines[-1] == f"Answer: {KEY} [in here/keys.txt, page 1]"


def test_without_stages_it_is_one_line(ask, shop):
    assert ask("Where does the spare key hang?", "--documents", shop, "--no-stages") == (
        0, f"Answer: {KEY} [in here/keys.txt, page 1]\n", "")
    assert ask("Who cuts the ropes?", "--documents", shop, "--no-stages")[1] == (
        "Answer: Ropes are cut to fifty meters by Ada Quill. [rope.md, page 4]\n")
    assert ask("Who repaired the lighthouse?", "--documents", shop, "--no-stages") == (0, f"{NONE}\n", "")
    assert ask("zzz", "--documents", shop, "--no-stages") == (0, f"{NONE}\n", "")


def test_a_question_need_not_stand_in_quotes(ask, shop):
    assert ask("Where", "does", "the", "spare", "key", "hang", "--documents", shop, "--no-stages")[1] == (
        f"Answer: {KEY} [in here/keys.txt, page 1]\n")


def test_what_is_quoted_stands_in_the_file(shop):
    _, documents, chunks, _ = asking.read(str(shop))
    pipeline, _ = asking.make(documents, chunks)
    texts = {document.id: document.text for document in documents}
    for question in ("Where does the spare key hang?", "Who cuts the ropes?"):
        for quote in pipeline.run(question).answer.quotes:
            assert quote.text == texts[quote.document][quote.start:quote.end]
            assert (shop / quote.document).is_file()


def test_the_options_reach_the_pipeline(ask, shop, monkeypatch):
    made = []
    monkeypatch.setattr(asking, "Pipeline", lambda *given, **settings: made.append(settings) or Pipeline(
        *given, **settings))
    ask("Which ropes are cut?", "--documents", shop, "--k", "2", "--budget", "900", "--order", "both_ends")
    ask("Which ropes are cut?", "--documents", shop)
    ask("Which ropes are cut?", "--documents", shop, "--threshold", "0.9")
    assert [settings.pop("reader").threshold for settings in made] == [THRESHOLD, THRESHOLD, 0.9]
    assert made.pop() == made[-1]
    assert made == [{"order": "both_ends", "budget": 900, "most": 2, "several": 2},
                    {"order": "best_first", "budget": 1500}]


def test_the_readme_has_the_usual_threshold_and_one_for_short_notes(ask, tmp_path):
    readme = (DATA.parent / "README.md").read_text(encoding="utf-8")
    assert f"The usual {THRESHOLD} was set on Larkspur" in readme and "so try 0.05 there" in readme
    for number, text in enumerate(("Plumber\n\nThe plumber is Ana Reyes.", "The rent is due in April.",
                                   "The plumber charged $80.", "The plumber comes on Monday.")):
        (tmp_path / f"{number}.txt").write_text(text, encoding="utf-8")
    for threshold, said in ((str(THRESHOLD), "I couldn't find that."),
                            ("0.05", "The plumber is Ana Reyes. [0.txt, page 1]")):
        assert ask("Who is the plumber?", "--documents", tmp_path, "--no-stages", "--threshold", threshold)[1] == (
            f"Answer: {said}\n")


def test_the_threshold_goes_from_reckless_to_silent(ask, shop):
    answers = [ask("Who feeds the heron?", "--documents", shop, "--no-stages", "--threshold", each)[1]
               for each in ("0", "1")]
    assert answers[0].startswith("Answer: ") and answers[0] != answers[1] == "Answer: I couldn't find that.\n"


def test_the_title_of_a_text_file_is_no_answer(ask, tmp_path):
    for number, total in ((2003, "$40.00"), (2004, "$51.50"), (2005, "$62.25")):
        text = f"INVOICE {number}\n\nTo Hollow Creek Guides, for three tents.\n\nThe total comes to {total}.\n"
        (tmp_path / f"bill {number}.txt").write_text(text, encoding="utf-8")
    assert ask("What is the total of invoice 2003?", "--documents", tmp_path, "--no-stages", "--threshold", "0")[1] == (
        "Answer: The total comes to $40.00. [bill 2003.txt, page 1]\n")


# Larkspur and the retriever


def test_the_default_is_larkspur_by_words_and_vectors(ask):
    status, out, err = ask("What is the total due on invoice 1042?")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == ("larkspur: 70 documents in 704 chunks, searched by hybrid (words by bm25, meaning by minilm).")
    assert "3. search: Dense minilm (" in out
    assert re.fullmatch(r"Answer: .+ \[[\w-]+\.md, page \d\]", lines[-1])
    file, page = re.search(r"\[([\w.-]+), page (\d)\]$", lines[-1]).groups()
    text = (DATA / "larkspur" / "documents" / file).read_text(encoding="utf-8")
    assert f"<!-- page {page} -->" in text
    assert lines[-1].removeprefix("Answer: ").rpartition(" [")[0] in " ".join(text.split())


def test_without_the_encoders_files_a_new_question_is_searched_by_words(ask, monkeypatch):
    monkeypatch.setattr(models, "files", lambda name: None)
    out = ask("What is the total due on invoice 1042, pray?")[1]
    assert out.splitlines()[0].endswith(f"searched by bm25 (words) alone, since the files of the encoder minilm are "
                                        f"not here: run `{cli.PROGRAM} models` once for hybrid.")
    assert "Dense" not in out
    known = next(query.text for query in Collection.load("larkspur").queries if stored.minilm().has(query.text))
    assert "searched by hybrid" in ask(known)[1]
    assert "searched by bm25 (words) alone" in ask(typed="")[1]  # nobody knows what will be asked
    assert "searched by bm25 (words)." in ask("What?", "--retriever", "bm25")[1]
    status, _, err = ask("What is the total due on invoice 1042, pray?", "--retriever", "hybrid")
    assert (status, err) == (2, "firstprinciples: hybrid has to encode what is not stored with the course, and the "
                                f"files of the encoder minilm are not here: run `{cli.PROGRAM} models` once, or use "
                                "--retriever bm25.\n")


def test_hybrid_on_a_folder_needs_the_files(ask, shop, monkeypatch):
    monkeypatch.setattr(models, "files", lambda name: None)
    status, _, err = ask("Who cuts the ropes?", "--documents", shop, "--retriever", "hybrid")
    assert status == 2 and "or use --retriever bm25." in err


@pytest.mark.models
def test_hybrid_on_a_folder(ask, shop, model_files):
    model_files("minilm")
    out = ask("Who cuts the ropes?", "--documents", shop, "--retriever", "hybrid")[1]
    assert "searched by hybrid" in out and out.endswith("by Ada Quill. [rope.md, page 4]\n")


@pytest.mark.parametrize("given", ["clocks", str(DATA / "clocks")])
def test_a_beir_folder_and_a_folder_of_the_course(ask, given):
    status, out, _ = ask("light clock", "--documents", given, "--retriever", "bm25")
    assert status == 0 and "168 documents in 168 chunks" in out


def test_the_course_layout_is_read_without_its_clean_originals(ask):
    out = ask("invoice 1042", "--documents", DATA / "larkspur", "--retriever", "bm25")[1]
    assert "70 documents in " in out


# Folders that somebody may give


def test_a_folder_with_everything_wrong_in_it(ask, shop, monkeypatch):
    (shop / "empty.txt").write_bytes(b"")
    (shop / "blank.md").write_bytes(b"\n\n  \n")
    (shop / "picture.txt").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00" + bytes(range(256)) * 40)
    (shop / "noise.md").write_bytes(os.urandom(5000) + b"\x00")
    (shop / "old.txt").write_bytes("The café opens at nine for Zoë.".encode("cp1252"))
    (shop / "wide.txt").write_bytes("The ferry leaves pier four at noon.\r\n".encode("utf-16"))
    (shop / "nul.csv").write_bytes(b"a,b\x00")
    (shop / "front.md").write_text("---\ntitle: alone\n---\n", encoding="utf-8")
    status, out, err = ask("When does the ferry leave?", "--documents", shop, "--no-stages")
    assert (status, out) == (0, "Answer: The ferry leaves pier four at noon. [wide.txt, page 1]\n")
    assert err.splitlines() == [
        "Without text: blank.md, empty.txt, front.md.",
        "Left out, since what is in it is no text: noise.md, picture.txt.",
        "Not read, since only .md and .txt files are: nul.csv.",
        "Not UTF-8, so read as Windows-1252; save it as UTF-8 if letters look wrong: old.txt."]
    assert ask("When does the café open?", "--documents", shop, "--no-stages")[1] == (
        "Answer: The café opens at nine for Zoë. [old.txt, page 1]\n")


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_links_in_a_circle(ask, shop):
    (shop / "in here" / "up").symlink_to(shop, target_is_directory=True)
    (shop / "self.txt").symlink_to(shop / "self.txt")
    status, out, err = ask("Who cuts the ropes?", "--documents", shop, "--no-stages")
    assert (status, out) == (0, "Answer: Ropes are cut to fifty meters by Ada Quill. [rope.md, page 4]\n")
    assert err == ("Not followed, since it is a link to a folder: in here/up.\n"
                   "Left out, since it is no file: self.txt.\n")


def test_the_parts_of_a_short_file_stay_together(tmp_path):
    for number in range(2001, 2021):
        (tmp_path / f"bill-{number}.txt").write_text(
            f"BILL {number}\n\nCustomer: Ada Quill\n\nThe total is ${number % 7}40.50.\n", encoding="utf-8")
    _, documents, chunks, _ = asking.read(str(tmp_path))
    assert len(chunks) == 20
    desk = asking.make(documents, chunks)[0].run("What is the total of bill 2003?").stage("desk").gave
    assert (desk[0]["document"], "The total is $140.50." in desk[0]["text"]) == ("bill-2003.txt", True)


@pytest.mark.parametrize("name", ["", "  "])
def test_a_folder_without_a_name_is_not_larkspur(ask, name):
    status, out, err = ask("Who cuts the ropes?", "--documents", name)
    assert (status, out) == (2, "")
    assert err == ("firstprinciples: The name of the folder is empty; give one with --documents, or leave that out for "
                   "larkspur.\n")


def test_a_quote_from_a_text_with_form_feeds_has_its_page(ask, shop):
    (shop / "boat.txt").write_text("The boat is called Marlin.\n\fThe boat was built\nin Bergen.\n\fThe fee is low.\n",
                                   encoding="utf-8")
    assert ask("Where was the boat built?", "--documents", shop, "--no-stages")[1] == (
        "Answer: The boat was built in Bergen. [boat.txt, page 2]\n")


def test_a_file_that_cannot_be_read(ask, shop, monkeypatch):
    opened = Path.open

    def shut(path, *arguments, **options):
        if path.name == "rope.md":
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *arguments, **options)

    monkeypatch.setattr(Path, "open", shut)
    status, out, err = ask("Where does the spare key hang?", "--documents", shop, "--no-stages")
    assert (status, out) == (0, f"Answer: {KEY} [in here/keys.txt, page 1]\n")
    assert err == "Left out, since it can't be read (Permission denied): rope.md.\n"


@pytest.mark.parametrize("name, words", [
    ("nowhere", "There is no folder {}; give one that holds .md or .txt files."),
    ("rope.md", "{} is a file; give the folder that holds it."),
    ("bare", "{} holds no .md or .txt file with text in it; give another folder with --documents."),
    ("blank", "{} holds no .md or .txt file with text in it; give another folder with --documents."),
])
def test_a_folder_that_cannot_be_asked_is_one_sentence(ask, shop, name, words):
    (shop / "bare").mkdir()
    (shop / "blank").mkdir()
    (shop / "blank" / "empty.txt").write_bytes(b"")
    status, out, err = ask("Who?", "--documents", shop / name)
    assert (status, out) == (2, "")
    assert err.splitlines()[-1] == f"firstprinciples: {words.format(shop / name)}"


def test_a_damaged_beir_folder_is_one_sentence(ask, tmp_path):
    (tmp_path / "corpus.jsonl").write_text("{\n", encoding="utf-8")
    status, _, err = ask("Who?", "--documents", tmp_path)
    assert status == 2 and err.startswith("firstprinciples: corpus.jsonl, line 1: this is not JSON")


@pytest.mark.parametrize("question", ["", "  ", "?!"])
def test_an_empty_question_is_one_sentence(ask, question):
    assert ask(question) == (2, "", "firstprinciples: The question is empty; type one in quotes: "
                                    f"{cli.PROGRAM} ask \"When is invoice 1042 due?\"\n")


def test_a_question_of_ten_thousand_words(ask, shop):
    status, out, _ = ask("Where does the spare key hang? " + "indeed " * 10_000, "--documents", shop)
    assert status == 0 and out.splitlines()[-1].startswith("Answer: ") and len(out) < 5_000


@pytest.mark.parametrize("between", ["\n\n", "\n", " "], ids=["paragraphs", "lines", "one line"])
def test_a_large_file_is_asked_like_any_other(between, ask, tmp_path, monkeypatch):
    # two megabytes here; tests/benchmarks/bench_ask.py takes twenty
    monkeypatch.setattr(asking, "MANY", 1_000)
    parts = ["the tent is wet and the rope is dry today " * 5] * 10_000
    parts[7_000] = KEY
    (tmp_path / "large.txt").write_text(between.join(parts), encoding="utf-8")
    status, out, err = ask("Where does the spare key hang?", "--documents", tmp_path)
    assert status == 0
    assert re.fullmatch(r"Indexing [\d,]+ chunks \.\.\.\n", err)
    assert "The spare key hangs behind the barometer in the cellar." in out.splitlines()[-1]
    assert out.splitlines()[-1].endswith("[large.txt, page 1]")


def test_two_hundred_files(ask, tmp_path):
    for number in range(200):
        (tmp_path / f"note {number:03}.txt").write_text(
            f"Door {number} was painted by Ada Number{number}.\n\nThe tent of room {number} is dry.", encoding="utf-8")
    out = ask("Who painted door 137?", "--documents", tmp_path)[1]
    assert out.splitlines()[0] == f"{tmp_path}: 200 documents in 200 chunks, searched by bm25 (words)."
    assert out.splitlines()[-1] == "Answer: Door 137 was painted by Ada Number137. [note 137.txt, page 1]"


def test_words_are_those_of_the_tokenizer():
    texts = ["", " ", "a.b c-d", "초과근무 中文合約 ΟΔΟΣ οδος İstanbul", "कानून की किताब", "cafe\u0301 nai\u0308ve",
             "x\u2028y\x1cz", "Don’t, E_4432!"]
    texts += [document.text for document in read_documents(DATA / "larkspur" / "documents")]
    assert [asking.words(text) for text in texts] == [tokenize(text) for text in texts]


# The conversation


def test_a_conversation_reads_a_line_a_question(ask, shop):
    status, out, err = ask("--documents", shop, "--no-stages",
                           typed="Where does the spare key hang?\n  Who cuts the ropes?  \n?!\n\nnever asked\n")
    assert (status, err) == (0, "The question is empty; type one, such as \"When is the March invoice due?\".\n")
    assert out.splitlines() == [f"Answer: {KEY} [in here/keys.txt, page 1]",
                                "Answer: Ropes are cut to fifty meters by Ada Quill. [rope.md, page 4]"]


def test_a_conversation_shows_what_it_made_of_a_follow_up(ask, shop):
    out = ask("--documents", shop, typed="Who cuts the ropes?\nand where do they hang?")[1]
    assert "   and where do they hang? ropes cuts\n" in out or "   and where do they hang? cuts ropes\n" in out


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("ending", ["end", "empty", "Ctrl-C"])
def test_at_a_terminal_it_prompts_and_ends_quietly(ending, shop, monkeypatch, capsys):
    class Interrupted(Terminal):
        def readline(self):
            if line := super().readline():
                return line
            raise KeyboardInterrupt

    monkeypatch.setattr(cli, "elsewhere", lambda arguments: None)
    typed = "Who cuts the ropes?\n" + "\n" * (ending == "empty")
    monkeypatch.setattr(sys, "stdin", (Interrupted if ending == "Ctrl-C" else Terminal)(typed))
    assert cli.main(["ask", "--documents", str(shop), "--no-stages"]) == 0
    printed = capsys.readouterr()
    assert printed.out == "Answer: Ropes are cut to fifty meters by Ada Quill. [rope.md, page 4]\n"
    last = "" if ending == "empty" else "\n"  # which the reader has typed
    assert printed.err == f"One question a line; an empty line ends it.\nQuestion: Question: {last}"


def run(*arguments, **options):
    """Start `ask` as a learner does."""
    command = [sys.executable, "-m", "firstprinciples", "ask", *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            **options)


def test_bytes_that_are_no_letters_and_a_closed_input(shop):
    process = run("--documents", shop, "--no-stages")
    out, err = process.communicate(b"\xff\xfe where\xe9 does the spare key hang?\n", timeout=60)
    assert (process.returncode, err) == (0, b"")
    assert out.decode().splitlines() == [f"Answer: {KEY} [in here/keys.txt, page 1]"]


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent otherwise there")
def test_ctrl_c_ends_a_conversation_quietly(shop):
    process = run("--documents", shop, "--no-stages")
    process.stdin.write(b"Who cuts the ropes?\n")
    process.stdin.flush()
    assert process.stdout.readline().startswith(b"Answer: Ropes are cut")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, b"", b"")


# The README


def blocks():
    """Return the blocks of Python in the README."""
    return re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)


class Server(BaseHTTPRequestHandler):
    """A model's server that answers, says nothing, breaks, or is not what it should be."""

    answers = []

    def do_POST(self):
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, self.headers["Content-Type"], sent))
        answer = self.server.answers.pop(0)
        status, body = answer if isinstance(answer, tuple) else (200, json.dumps(
            {"choices": [{"message": {"role": "assistant", "content": answer}}]}))
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body.encode("utf-8"))

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def server():
    """Start a server on this machine."""
    server = HTTPServer(("127.0.0.1", 0), Server)
    server.asked, server.answers = [], []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def readme_llm(server):
    """Return the README's function, asking the server of the test."""
    (block,) = [block for block in blocks() if "urlopen" in block]
    definition = block[:block.index("\nfrom firstprinciples")]
    assert len([line for line in definition.splitlines() if line.strip()]) <= 10
    assert "http://localhost:8080/" in definition
    names = {}
    exec(definition.replace("http://localhost:8080/", f"http://127.0.0.1:{server.server_port}/"), names)
    return names["llm"]


def test_the_readme_plugs_in_a_local_model(server, capsys):
    (block,) = [block for block in blocks() if "urlopen" in block]
    server.answers = ["The total due is $1,284.50 [1]."] * 3
    exec(block.replace("http://localhost:8080/", f"http://127.0.0.1:{server.server_port}/"), {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "Answer: The total due is $1,284.50 [invoice-1042, page 2]."
    (path, kind, sent), *_ = server.asked
    assert (path, kind) == ("/v1/chat/completions", "application/json")
    assert sent["messages"][0]["role"] == "user" and sent["temperature"] == 0
    prompt = sent["messages"][0]["content"]
    assert prompt.startswith("Answer the question from the pages below") and "\n[1] invoice-1042, page 2\n" in prompt


def test_the_readme_gives_a_slow_model_longer(monkeypatch):
    (block,) = [block for block in blocks() if "SECONDS" in block]
    monkeypatch.setattr(model, "SECONDS", 0.01)
    names = {"llm": len}
    exec(block, names)
    assert model.SECONDS == 120 and names["llm"] is len  # the function of the block above keeps its name
    assert "timeout=20)" in (ROOT / "README.md").read_text(encoding="utf-8")


PAGES = [Chunk("p#1", "The stove of Ada Quill needs gas.", "stoves.txt", 0, 33, 1)]


@pytest.mark.parametrize("answer, words", [
    ((500, "broken"), "The function raised HTTPError: HTTP Error 500"),
    ((200, "<html>no JSON"), "The function raised JSONDecodeError"),
    ((200, "{}"), "The function raised KeyError: 'choices'"),
    ("", "The function returned a text with nothing in it."),
    (None, "The function returned NoneType where a text was needed."),
    ("It runs on wood.", "The model said “It runs on wood.”"),
])
def test_a_server_that_fails_is_named_and_the_rules_answer(server, answer, words):
    server.answers = [answer]
    trip = Pipeline(PAGES, [BM25(PAGES)], llm=readme_llm(server)).run("What does the stove of Ada Quill need?")
    assert words in trip.stage("answer").note
    assert trip.line() == "Answer: The stove of Ada Quill needs gas. [stoves.txt, page 1]"


def test_a_server_that_is_not_there_is_named_too(server):
    llm = readme_llm(server)
    server.shutdown()
    server.server_close()
    trip = Pipeline(PAGES, llm=llm).run("What does the stove of Ada Quill need?")
    assert "The function raised URLError" in trip.stage("answer").note
    assert trip.answer.by == "rules"
