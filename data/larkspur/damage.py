"""Make the two damaged documents of Larkspur from their clean sources: `python data/larkspur/damage.py`.

What reaches an index is not always what was written. `source/` keeps the clean originals, `documents/` what the index
got: one document read across the page although it was set in two columns, and one whose table kept only its numbers.
The folder source/recalls/ was never copied at all.
"""

import re
import textwrap
from itertools import zip_longest
from pathlib import Path

HERE = Path(__file__).resolve().parent
COLUMN = 46  # characters in a line of a printed column


def split_head(text: str) -> tuple[str, str]:
    """Return what stands above the first section (front matter, page mark, title) and the rest."""
    at = text.index("\n## ") + 1
    return text[:at], text[at:]


def across_the_columns(text: str) -> str:
    """Set a document in two columns and read it straight across, as a careless PDF import does.

    The first half of the lines is the left column, the second the right one; each row of the result is a line of the
    left column followed by its neighbor on the right, so no sentence of more than a line stays whole.
    """
    head, body = split_head(text)
    body = re.sub(r"^<!-- page \d+ -->\n?", "", body, flags=re.MULTILINE)
    lines = []
    for paragraph in body.strip().split("\n\n"):
        lines += [*textwrap.wrap(paragraph.lstrip("# "), COLUMN), ""]
    half = (len(lines) + 1) // 2
    rows = [f"{left} {right}".strip() for left, right in zip_longest(lines[:half], lines[half:], fillvalue="")]
    return head + re.sub(r"\n{3,}", "\n\n", "\n".join(rows).strip()) + "\n"


def bare_numbers(text: str) -> str:
    """Keep of each row of a table only its numbers, as an import does that takes the figures and loses the words."""
    lines = []
    for line in text.split("\n"):
        if not line.startswith("|"):
            lines.append(line)
        elif numbers := re.findall(r"\d[\d.,]*", line):
            lines.append(" ".join(numbers))
    return "\n".join(lines)


DAMAGE = {"first-aid-medicines-sheet.md": across_the_columns, "repair-price-list-2024.md": bare_numbers}

if __name__ == "__main__":
    for name, damage in DAMAGE.items():
        clean = (HERE / "source" / name).read_text(encoding="utf-8")
        (HERE / "documents" / name).write_text(damage(clean), encoding="utf-8", newline="\n")
        print(f"documents/{name}: {damage.__name__.replace('_', ' ')}")
