"""Measure how long a picture takes: from the key that moves a slider to the next painted frame that shows the result.

    python tests/benchmarks/bench_latency.py [--moves 50] [PICTURE ...]

prints the median and the 95th percentile over 50 moves in JupyterLab in a headless Chromium, for diagrams and charts
(saturation, recall_curve, depth_curve, size_curve, strong_or_many, silence, k_sweep). To reach, on two busy cores: p95
below 100 ms for diagrams, below 150 ms for charts.
"""

import argparse
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "browser"))

# the explorer: which slider moves, how many steps in one direction, and what p95 has to be below
GOALS = {"scores": ("k1", 10, 100), "saturation": ("k1", 10, 150), "hnsw_walk": ("ef", 5, 100),
         "three_ways": ("% matching", 10, 100), "rescoring": ("rescored", 3, 100), "recall_curve": ("M", 1, 150),
         "reranking": ("candidates read", -5, 100), "reading_together": ("step", 10, 100),
         "depth_curve": ("depth", -3, 150), "filed_under": ("step", 5, 100), "flops_dial": ("FLOPS weight", 5, 100),
         "token_grid": ("step", 4, 100), "diluted": ("more sentences", 7, 100), "token_storage": ("chunks", 2, 100),
         "cut_it": ("size", 5, 100), "filed_twice": ("step", 10, 100), "size_curve": ("size", 3, 150),
         "orphan": ("step", 5, 100), "paid_once": ("questions", 2, 100), "follow_the_thread": ("step", 10, 100),
         "three_phrasings": ("step", 4, 100), "hypothetical": ("step", 3, 100), "closed_book": ("step", 10, 100),
         "paste_everything": ("documents", 3, 100), "lost_in_the_middle": ("page at place", 10, 100),
         "both_ends": ("budget", -10, 100), "strong_or_many": ("k", 2, 150), "silence": ("threshold", 10, 150),
         "conversation": ("step", 10, 100), "edited_file": ("step", 4, 100),
         "relevant_and_false": ("keep the best", 10, 100), "second_reader": ("step", 5, 100),
         "trust_dial": ("threshold", -3, 100), "funnel": ("kind", 5, 100), "your_tree": ("chunks", 10, 100),
         "ladder": ("rung", 4, 100),
         "two_dials": ("chunks", 4, 100),
         "k_sweep": ("tolerance", 10, 150), "what_to_use_when": ("arrow", 10, 100),
         "on_paper": ("chunks", 3, 100), "dated_notes": ("half-life", 4, 100), "grep_loop": ("step", 10, 100)}
WATCH = """(handle) => {
    const stage = handle.closest('.widget-vbox'), image = stage.querySelector('img.widget-image');
    const picture = [...stage.querySelectorAll('.widget-html-content')].find(each => each.querySelector('[role=img]'));
    window.latencies = [];
    let pressed = 0;
    const painted = () => requestAnimationFrame(() => {
        const channel = new MessageChannel();  // heard after the frame has been painted
        channel.port1.onmessage = () => {
            if (pressed) window.latencies.push(performance.now() - pressed);
            pressed = 0;
        };
        channel.port2.postMessage(0);
    });
    handle.addEventListener('keydown', () => { pressed = performance.now(); }, true);
    if (image) image.addEventListener('load', painted);
    else new MutationObserver(painted).observe(picture, { childList: true, subtree: true });
}"""


def measure(page, label: str, steps: int, moves: int) -> list[float]:
    """Return the milliseconds of each move of a slider: so many steps to the right (below 0: left), and back."""
    handle = page.locator(".widget-slider").filter(has_text=label).get_by_role("slider").first
    handle.evaluate(WATCH)
    handle.focus()
    for move in range(moves):
        page.keyboard.press("ArrowRight" if (move // abs(steps) % 2 == 0) == (steps > 0) else "ArrowLeft")
        page.wait_for_function(f"window.latencies.length > {move}", timeout=10_000)
        page.wait_for_timeout(60)
    return page.evaluate("window.latencies")


def main():
    """Start JupyterLab and Chromium, and print one line for each explorer."""
    import conftest  # tests/browser/conftest.py
    from playwright.sync_api import sync_playwright

    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--moves", type=int, default=50)
    options.add_argument("names", nargs="*", metavar="PICTURE", help="only these: " + ", ".join(GOALS))
    given = options.parse_args()
    moves = given.moves
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        root, home = Path(folder) / "course", Path(folder) / "home"
        home.mkdir()
        shutil.copytree(ROOT / "firstprinciples", root / "firstprinciples", ignore=conftest.LEFT_OUT)
        shutil.copytree(ROOT / "data", root / "data")
        (root / "notebooks").mkdir()
        for figures in (ROOT / "notebooks").glob("*.json"):
            shutil.copy(figures, root / "notebooks")
        process, address, token = conftest.start_jupyter(root, home)
        browser = conftest.launch(playwright)
        try:
            for name in given.names or GOALS:
                label, steps, goal = GOALS[name]
                cell = f"from firstprinciples.explore import {name}\n{name}()"
                conftest.write_notebook(root / f"{name}.ipynb", [cell])
                context, _ = conftest.fenced_context(browser)
                page = conftest.show_notebook(context.new_page(), address, token, f"{name}.ipynb")
                conftest.run_all_cells(page)
                times = sorted(measure(page, label, steps, moves))
                p95 = times[min(round(0.95 * len(times)), len(times) - 1)]
                print(f"{name:16} {len(times)} moves   p50 {statistics.median(times):4.0f} ms   p95 {p95:4.0f} ms   "
                      f"(to reach: p95 below {goal} ms)")
                context.close()
        finally:
            browser.close()
            process.terminate()
            process.wait(20)


if __name__ == "__main__":
    main()
