"""One JupyterLab, one Chromium and one window for all browser tests; after a test that failed, another window.

Fixtures: `open_notebook(path)` opens a notebook of a copy of the repository, with a kernel of its own, and returns the
page; `notebook(*cells)` writes one from its cells, opens it and runs it; `run_all(page)` runs every cell; `lesson` is
the page with the notebook LESSON of the test's file as it is after it has run, which the tests of a file share;
`kernel_value(page, "expression")` reads from its kernel. Every request that would leave this machine is stopped, and
fails the test.
"""

import ast
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[2]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]
SIZE = {"width": 1280, "height": 1000}
LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "work", "node_modules", "*.egg-info")
NEEDED = "Browser tests need playwright and a Chromium; `python3 -m firstprinciples test --peers` installs them"


def chromium_path() -> str | None:
    """Return the system's Chromium or Chrome, or None: then playwright's own is tried."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def launch(playwright):
    """Start a headless browser with an empty profile of its own."""
    return playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)


def start_jupyter(root: Path, home: Path):
    """Start JupyterLab on a free port, with settings of its own; return (process, address, token)."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(16)
    places = {f"JUPYTER_{kind}_DIR": str(home / kind.lower()) for kind in ("CONFIG", "DATA", "RUNTIME")}
    places |= {"IPYTHONDIR": str(home / "ipython"), "MPLCONFIGDIR": str(home / "matplotlib")}
    settings = {"apputils-extension/notification": '{"fetchNews": "false", "checkForUpdates": false}',
                "docmanager-extension/plugin": '{"autosave": false}'}  # what a test does to a notebook stays its own
    for name, text in settings.items():
        file = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--expose-app-in-browser", "--LabApp.news_url=None",
               "--allow-root", f"--port={port}", "--ServerApp.port_retries=0", f"--IdentityProvider.token={token}",
               f"--ServerApp.root_dir={root}", "--ip=127.0.0.1", f"--LabApp.workspaces_dir={home / 'workspaces'}",
               f"--LabApp.user_settings_dir={home / 'settings'}"]
    with (home / "jupyter.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=root, env=os.environ | places, stdout=log, stderr=subprocess.STDOUT)
    address = f"http://127.0.0.1:{port}"
    for _ in range(300):
        try:
            urllib.request.urlopen(f"{address}/api/status?token={token}", timeout=2).close()
            return process, address, token
        except (urllib.error.URLError, OSError):
            if process.poll() is not None:
                break
            time.sleep(0.2)
    process.kill()
    raise RuntimeError("JupyterLab did not start:\n" + (home / "jupyter.log").read_text(errors="replace")[-2000:])


def fenced_context(browser, **options):
    """Return (browser context, list): requests that leave this machine are stopped and put on the list."""
    context, left = browser.new_context(viewport=SIZE, **options), []

    def gate(route):
        if urlsplit(route.request.url).hostname in ("127.0.0.1", "localhost"):
            return route.continue_()
        left.append(route.request.url)
        return route.abort()

    context.route("**/*", gate)
    return context, left


def show_notebook(page, address: str, token: str, path: str):
    """Open a notebook by its path below the server's root, alone in the window, and wait for its kernel."""
    page.goto(f"{address}/lab/tree/{quote(path)}?token={token}&reset")
    page.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=60_000)
    page.evaluate("""async () => {
        const { commands, shell } = window.jupyterapp;
        if (!shell.leftCollapsed) await commands.execute('application:toggle-left-area');
        const session = shell.currentWidget.sessionContext;
        await session.ready;
        for (let i = 0; i < 300 && !(session.session?.kernel?.status === 'idle'); i++)
            await new Promise(done => setTimeout(done, 100));
    }""")
    return page


def open_window(context, address: str, token: str):
    """Open JupyterLab with nothing but its launcher; return its page. The launcher stays, behind what is opened."""
    page = context.new_page()
    page.goto(f"{address}/lab?token={token}&reset")
    page.locator(".jp-Launcher").first.wait_for(timeout=60_000)
    page.evaluate("""async () => {
        const { commands, restored, shell } = window.jupyterapp;
        await restored;
        if (!shell.leftCollapsed) await commands.execute('application:toggle-left-area');
    }""")
    return page


def as_at_first(page):
    """Give the window the size, the theme and the place of the mouse that every test begins with."""
    page.set_viewport_size(SIZE)
    page.mouse.move(0, 0)
    page.evaluate("""async () => {
        if (document.body.dataset.jpThemeLight === 'false')
            await window.jupyterapp.commands.execute('apputils:change-theme', { theme: 'JupyterLab Light' });
    }""")
    page.wait_for_function("document.body.dataset.jpThemeLight === 'true'")


def replace_notebook(page, path: str):
    """Close the notebooks of a window with their kernels, open another one, and wait for its kernel."""
    page.evaluate("""async (path) => {
        const { commands, shell } = window.jupyterapp;
        for (const open of [...shell.widgets('main')].filter(each => each.sessionContext)) {
            await open.sessionContext.shutdown();
            open.dispose();
        }
        const session = (await commands.execute('docmanager:open', { path })).sessionContext;
        await session.ready;
        for (let i = 0; i < 300 && !(session.session?.kernel?.status === 'idle'); i++)
            await new Promise(done => setTimeout(done, 100));
    }""", path)
    page.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=60_000)


def cells_of(page) -> dict:
    """Return {id: [source, how many times the kernel had run something, whether a test looked at it]} of all code."""
    return dict(page.evaluate("""() => window.jupyterapp.shell.currentWidget.content.widgets
        .filter(cell => cell.model.type === 'code').map(cell => [cell.model.id,
            [cell.model.sharedModel.getSource(), cell.model.executionCount, 'id' in cell.node.dataset]])"""))


def put_back(page, before: dict):
    """Make a notebook what it was when it had just run, `before`: the code, the functions in use, the pictures.

    Where nothing was run since, only the cells that a test looked at are run again: it may have moved their dials.
    """
    from lesson_page import run_cells, set_cell  # needs playwright, which may be missing where this file is read

    now, swap = cells_of(page), "__import__('firstprinciples.swap', fromlist=['use'])"
    for id, (source, *_) in before.items():
        if now[id][0] != source:
            set_cell(page, id, source)
    read_kernel(page, f"[str({swap}.use(name)) for name in {swap}.in_use()]")
    if any(now[id][:2] != each[:2] for id, each in before.items()):
        run_all_cells(page)
    else:
        run_cells(page, *[id for id, (*_, seen) in now.items() if seen])
    page.evaluate("() => document.querySelectorAll('.jp-Cell').forEach(each => delete each.dataset.id)")


def run_all_cells(page):
    """Run every cell of the notebook and wait until the last has finished."""
    page.evaluate("async () => { await window.jupyterapp.commands.execute('notebook:run-all-cells') }")


def read_kernel(page, expression: str):
    """Return the value of a Python expression in the notebook's kernel; it must be a plain literal."""
    reply = page.evaluate("""async (expression) => {
        const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
        const wanted = { value: `repr(${expression})` };
        const asked = kernel.requestExecute({ code: '', silent: true, user_expressions: wanted });
        return (await asked.done).content.user_expressions.value;
    }""", expression)
    assert reply["status"] == "ok", reply
    return ast.literal_eval(ast.literal_eval(reply["data"]["text/plain"]))


def write_notebook(path: Path, cells):
    """Write a notebook with these code cells."""
    empty = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": []}
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    book = {"cells": [empty | {"id": f"cell-{i}", "source": cell} for i, cell in enumerate(cells)], "metadata": kernel,
            "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(book), encoding="utf-8")


@pytest.fixture(scope="session")
def browser():
    """One headless Chromium, or a skip that says what is missing."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        pytest.skip(f"{NEEDED} (playwright is missing).")
    with sync_playwright() as playwright:
        try:
            started = launch(playwright)
        except Error as error:
            pytest.skip(f"{NEEDED} ({str(error).splitlines()[0]}).")
        yield started
        started.close()


@pytest.fixture(scope="session")
def jupyter(browser, tmp_path_factory):
    """One JupyterLab over a copy of the repository: {"address", "token", "root"}."""
    root, home = tmp_path_factory.mktemp("copy") / "course", tmp_path_factory.mktemp("jupyter")
    shutil.copytree(ROOT, root, ignore=LEFT_OUT)
    process, address, token = start_jupyter(root, home)
    yield {"address": address, "token": token, "root": root}
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()


@pytest.fixture(scope="session")
def lab(browser, jupyter):
    """What is kept from test to test: {"page": the window, "left": requests that left, "run": (lesson, its cells)}."""
    kept = {"page": None, "left": [], "run": (None, {}), "failed": 0}
    yield kept
    if kept["page"]:
        kept["page"].context.close()


@pytest.fixture
def window(browser, jupyter, lab, request):
    """JupyterLab's window, as every test begins with; another one after a test that failed."""
    if lab["page"] and lab["failed"] != request.session.testsfailed:
        lab["page"].context.close()
        lab["page"] = None
    lab["failed"] = request.session.testsfailed
    if not lab["page"]:
        context, lab["left"] = fenced_context(browser)
        lab["page"], lab["run"] = open_window(context, jupyter["address"], jupyter["token"]), (None, {})
    as_at_first(lab["page"])
    yield lab["page"]
    left = [lab["left"].pop(0) for _ in list(lab["left"])]
    assert left == [], f"requests left this machine: {left}"


@pytest.fixture
def open_notebook(window, lab):
    """Return a function that opens a notebook of the copy by its path, alone in the window, and returns its page."""
    def open_it(path: str):
        lab["run"] = (None, {})
        replace_notebook(window, path)
        return window

    return open_it


@pytest.fixture
def lesson(window, lab, open_notebook, request):
    """The page with the notebook LESSON of the test's file, all of it run: opened once, then put back for each test."""
    path = request.module.LESSON
    if lab["run"][0] == path:
        put_back(window, lab["run"][1])
    else:
        run_all_cells(open_notebook(path))
    lab["run"] = path, cells_of(window)
    return window


@pytest.fixture
def notebook(open_notebook, jupyter, request):
    """Return a function that writes a notebook from its cells, opens it, runs it, and returns its page."""
    def write_and_open(*cells: str):
        name = f"{request.node.name}.ipynb"
        write_notebook(jupyter["root"] / name, cells)
        page = open_notebook(name)
        run_all_cells(page)
        return page

    return write_and_open


@pytest.fixture
def run_all():
    """Return the function that runs every cell of a page's notebook and waits for the last."""
    return run_all_cells


@pytest.fixture
def kernel_value():
    """Return the function that reads a Python expression from a page's kernel."""
    return read_kernel
