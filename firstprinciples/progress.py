"""Say on standard error how far a long piece of work is."""

import sys
import time


class Bar:
    """A bar for what calls `progress(done, n)` as it goes on; in a terminal and a notebook it grows in one line.

    Elsewhere, as in a log file, it is a line every half minute, so that short work leaves none. `what` names the work,
    as in `index.add(vectors, progress=Bar("Linking vectors"))`.

    >>> Bar("Encoding passages").text(32, 128)
    'Encoding passages [######                  ]  32 of 128'
    """

    def __init__(self, what: str):
        self.what, self.told = what, time.monotonic()

    def __call__(self, done: int, n: int) -> None:
        """Show that `done` of `n` pieces are finished; the last call clears the bar."""
        if sys.stderr is not None and (sys.stderr.isatty() or "ipykernel" in sys.modules):
            line = self.text(done, n)
            end = f"\r{'':{len(line)}}\r" if done >= n else ""
            print(f"\r{line}{end}", end="", file=sys.stderr, flush=True)
        elif time.monotonic() - self.told > 30:
            self.told = time.monotonic()
            print(f"{self.what}: {done:,} of {n:,}", file=sys.stderr, flush=True)

    def text(self, done: int, n: int) -> str:
        """Return the bar as text."""
        full = 24 * done // n if n else 24
        return f"{self.what} [{'#' * full}{' ' * (24 - full)}]  {done:,} of {n:,}"
