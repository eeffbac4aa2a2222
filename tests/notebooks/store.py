"""Execute notebooks and store them as GitHub and a reader without a kernel should see them (for contributors).

    python tests/notebooks/store.py                 all notebooks
    python tests/notebooks/store.py 03_bm25 16_     those whose name holds one of these

Each notebook is run from top to bottom in a real JupyterLab page. What each cell printed is stored; of an explorer, a
picture taken from the page in its starting state and the sentence that describes it. Widget state is left out.
"""

import base64
import contextlib
import importlib.util
import io
import shutil
import sys
import tempfile
from pathlib import Path

import nbformat
import numpy as np
from matplotlib.image import imread, imsave
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))
README = ("watch-scores", "docs/bm25.png")  # the explorer that the README shows, after k1 has been moved
WIDGET = "application/vnd.jupyter.widget-view+json"


def notebooks() -> list[Path]:
    """Return every notebook of the course."""
    return [*sorted((ROOT / "notebooks").glob("*.ipynb")), *sorted((ROOT / "notebooks" / "exercises").glob("*.ipynb"))]


@contextlib.contextmanager
def fresh_copy():
    """Give a copy of the course without a learner's work/, in a folder that is removed afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("firstprinciples", "data", "tests", "notebooks"):
            shutil.copytree(ROOT / name, Path(folder) / name, ignore=shutil.ignore_patterns("__pycache__"))
        yield Path(folder)


def execute(path: Path) -> nbformat.NotebookNode:
    """Run a notebook on a fresh kernel, in a fresh copy of the course, and return it; raises when a cell does."""
    notebook = nbformat.read(path, as_version=4)
    with fresh_copy() as copy:
        here = {"metadata": {"path": str((copy / path.relative_to(ROOT)).parent)}}
        NotebookClient(notebook, timeout=120, kernel_name="python3", resources=here, store_widget_state=False).execute()
    return notebook


def texts(cell) -> list[str]:
    """Return what a code cell printed or returned, as text; what is printed in pieces is one text."""
    found = []
    for output in cell.get("outputs", []):
        if output["output_type"] == "stream":
            if found and found[-1][0] == output["name"]:
                found[-1] = (output["name"], found[-1][1] + output["text"])
            else:
                found.append((output["name"], output["text"]))
        elif "data" in output and "text/plain" in output["data"]:
            found.append(("result", output["data"]["text/plain"]))
        elif output["output_type"] == "error":
            found.append(("error", output["ename"]))
    return [f"{kind}: {text}" for kind, text in found]


def has_widget(cell) -> bool:
    """Say whether a cell shows an explorer."""
    return any(WIDGET in output.get("data", {}) for output in cell.get("outputs", []))


def pictures(path: Path, cells: list[str]) -> list[bytes]:
    """Open a notebook in JupyterLab, run it, and return a PNG of the explorer below each cell with one of these ids."""
    from playwright.sync_api import sync_playwright

    spec = importlib.util.spec_from_file_location("browser_tools", ROOT / "tests" / "browser" / "conftest.py")
    tools = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tools)
    with tempfile.TemporaryDirectory() as folder, fresh_copy() as copy, sync_playwright() as playwright:
        home = Path(folder)
        settings = home / "settings" / "@jupyterlab" / "notebook-extension"
        settings.mkdir(parents=True)  # every cell on the page, also those out of sight
        (settings / "tracker.jupyterlab-settings").write_text('{"windowingMode": "none"}', encoding="utf-8")
        process, address, token = tools.start_jupyter(copy, home)
        browser = tools.launch(playwright)
        try:
            context, _ = tools.fenced_context(browser, device_scale_factor=1.5)
            page = tools.show_notebook(context.new_page(), address, token, path.relative_to(ROOT).as_posix())
            tools.run_all_cells(page)
            shots = []
            for id in cells:
                place = page.locator(f".jp-CodeCell[data-fp='{id}'] .jp-OutputArea-output > .jupyter-widgets")
                page.evaluate(MARK_CELLS)
                place.first.scroll_into_view_if_needed()
                page.wait_for_timeout(300)
                shots.append(trimmed(place.first.screenshot(animations="disabled")))
                if id == README[0]:
                    for _ in range(8):
                        place.first.get_by_role("slider").first.press("ArrowRight")
                    page.wait_for_timeout(1000)
                    (ROOT / README[1]).write_bytes(trimmed(place.first.screenshot(animations="disabled")))
            page.evaluate("async () => { await window.jupyterapp.shell.currentWidget.sessionContext.shutdown() }")
            return shots
        finally:
            browser.close()
            process.terminate()
            process.wait(20)


def trimmed(png: bytes, margin: int = 12) -> bytes:
    """Return a PNG without the empty rows at its bottom, which an explorer keeps free so that nothing jumps."""
    pixels = imread(io.BytesIO(png))[:-2]  # the last rows may show the edge of what lies below
    used = np.flatnonzero((pixels != pixels[-1]).any(axis=(1, 2)))
    out = io.BytesIO()
    imsave(out, pixels[: used[-1] + margin] if len(used) else pixels)
    return out.getvalue()


# Gives each code cell's element the cell's id, to find it by.
MARK_CELLS = """() => {
    for (const cell of window.jupyterapp.shell.currentWidget.content.widgets) cell.node.dataset.fp = cell.model.id;
}"""


def store(path: Path) -> None:
    """Execute one notebook and write it back."""
    notebook = execute(path)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code" and has_widget(cell)]
    shots = pictures(path, [cell.id for cell in cells]) if cells else []
    for cell, png in zip(cells, shots, strict=True):
        for output in cell.outputs:
            if WIDGET in output.get("data", {}):
                sentence = output["data"]["text/plain"]
                output["data"] = {"image/png": base64.b64encode(png).decode(), "text/plain": sentence}
                output["metadata"] = {}
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            merged = []
            for output in cell.outputs:
                if merged and output["output_type"] == "stream" == merged[-1]["output_type"] \
                        and output["name"] == merged[-1]["name"]:
                    merged[-1]["text"] += output["text"]
                else:
                    merged.append(output)
            cell.outputs = merged
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    nbformat.write(notebook, path)
    print(f"{path.relative_to(ROOT)}: {len(cells)} pictures", flush=True)


if __name__ == "__main__":
    for each in notebooks():
        if not sys.argv[1:] or any(word in each.name for word in sys.argv[1:]):
            store(each)
