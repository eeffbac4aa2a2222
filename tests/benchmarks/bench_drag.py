"""Measure a drag in lesson 04: how soon the arrow is under the mouse, and how soon a moved slider shows its numbers.

    python tests/benchmarks/bench_drag.py [--moves 100]

prints the median and the 95th percentile in JupyterLab in a headless Chromium: from a mouse move to the changed arrow
in the page, how much of that passes after the page has heard of the move (the browser holds a move until its next
frame, for up to 16.7 ms), and to the next painted frame; the same with a learner's function that takes 200 ms; from a
slider's key to the painted numbers, which come from Python. To reach, on two busy cores: p95 of a tip to the page, once
the page has heard of it, below 16 ms, of a slider to the painted picture below 100 ms. The first line says how many
processes wait for a core: above 2.5 the machine is measured.
"""

import argparse
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "browser"))

PLAIN = "from firstprinciples.explore import two_vectors\ntwo_vectors()"
SLOW = """import time
from firstprinciples.explore import two_vectors
from firstprinciples.swap import reference, use

def slow(a, b):
    time.sleep(0.2)
    return reference("cosine.similarity")(a, b)

use("cosine.similarity", slow)
two_vectors()"""

# Heard before the widget hears it, the mouse's move has a time of its own: when the browser received it.
WATCH_TIP = """(tip) => {
    window.toPage = [];
    window.own = [];
    window.toPaint = [];
    let moved = 0, heard = 0;
    tip.addEventListener('pointermove', event => {
        moved = event.timeStamp;
        heard = performance.now();
    }, true);
    new MutationObserver(() => {
        if (!moved) return;
        const began = moved;
        moved = 0;
        window.toPage.push(performance.now() - began);
        window.own.push(performance.now() - heard);
        requestAnimationFrame(() => {
            const channel = new MessageChannel();  // heard after the frame has been painted
            channel.port1.onmessage = () => window.toPaint.push(performance.now() - began);
            channel.port2.postMessage(0);
        });
    }).observe(tip, { attributes: true, attributeFilter: ['transform'] });
}"""
WATCH_SLIDER = """(handle) => {
    const root = handle.closest('.widget-vbox');
    const picture = [...root.querySelectorAll('.widget-html-content')].find(each => each.querySelector('[role=img]'));
    window.toPaint = [];
    let pressed = 0;
    handle.addEventListener('keydown', event => { pressed = event.timeStamp; }, true);
    new MutationObserver(() => requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => {
            if (pressed) window.toPaint.push(performance.now() - pressed);
            pressed = 0;
        };
        channel.port2.postMessage(0);
    })).observe(picture, { childList: true, subtree: true });
}"""


def drag(page, moves: int) -> tuple[list[float], list[float], list[float]]:
    """Drag the tip of a to and fro; return each move's milliseconds to the page, of our work, to the painted frame."""
    tip = page.get_by_role("slider", name="tip of a")
    tip.evaluate(WATCH_TIP)
    box = tip.locator(".fp-dot").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for move in range(1, moves + 1):
        page.mouse.move(x - 10 * abs(move % 20 - 10), y - 10 * (move // 2 % 5))
        page.wait_for_timeout(16)
    page.mouse.up()
    page.wait_for_timeout(500)
    return page.evaluate("window.toPage"), page.evaluate("window.own"), page.evaluate("window.toPaint")


def slide(page, moves: int) -> list[float]:
    """Move the first slider by keyboard; return the milliseconds of each key to the painted numbers."""
    handle = page.locator(".widget-slider").filter(has_text="a across").get_by_role("slider")
    handle.evaluate(WATCH_SLIDER)
    handle.focus()
    for move in range(moves):
        page.keyboard.press("ArrowLeft" if move // 10 % 2 == 0 else "ArrowRight")
        page.wait_for_function(f"window.toPaint.length > {move}", timeout=10_000)
        page.wait_for_timeout(60)
    return page.evaluate("window.toPaint")


def row(name: str, times: list[float], goal: str = "") -> None:
    """Print one line."""
    times = sorted(times)
    p95 = times[min(round(0.95 * len(times)), len(times) - 1)]
    print(f"{name:53} {len(times):4} moves   p50 {statistics.median(times):6.1f} ms   p95 {p95:6.1f} ms   {goal}",
          flush=True)


def main():
    """Start JupyterLab and Chromium, and print the rows."""
    import conftest  # tests/browser/conftest.py
    from playwright.sync_api import sync_playwright

    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--moves", type=int, default=100)
    moves = options.parse_args().moves
    if hasattr(os, "getloadavg"):  # not on Windows
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        root, home = Path(folder) / "course", Path(folder) / "home"
        home.mkdir()
        for part in ("firstprinciples", "data"):
            shutil.copytree(ROOT / part, root / part, ignore=conftest.LEFT_OUT)
        process, address, token = conftest.start_jupyter(root, home)
        browser = conftest.launch(playwright)
        try:
            for name, cell in (("plain", PLAIN), ("slow", SLOW)):
                conftest.write_notebook(root / f"{name}.ipynb", [cell])
                context, _ = conftest.fenced_context(browser)
                page = conftest.show_notebook(context.new_page(), address, token, f"{name}.ipynb")
                conftest.run_all_cells(page)
                also = ", function of 200 ms" if name == "slow" else ""
                to_page, own, to_paint = drag(page, moves)
                row(f"dragged tip to the page{also}", to_page)
                row(f"  once the page has heard of it{also}", own, "(to reach: p95 below 16 ms)")
                row(f"dragged tip to the painted frame{also}", to_paint)
                if name == "plain":
                    row("slider to the painted numbers", slide(page, moves), "(to reach: p95 below 100 ms)")
                context.close()
        finally:
            browser.close()
            process.terminate()
            process.wait(20)


if __name__ == "__main__":
    main()
