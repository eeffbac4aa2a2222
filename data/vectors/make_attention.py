"""Make attention.npz: what each piece of two sentences looks at in each head of MiniLM, two bytes a share.

    python data/vectors/make_attention.py

It needs the files of the encoder (`python3 -m firstprinciples models`). The file holds `texts`, and for each its
`pieces_N` and `shares_N`, float16, (6, 12, t, t). The sentences stand in firstprinciples/explore/inside.py, which
reads it.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from firstprinciples import models  # noqa: E402
from firstprinciples.encode.bert import MiniLM  # noqa: E402
from firstprinciples.explore.inside import FILE, TEXTS, attention_shares  # noqa: E402


def main():
    """Run the encoder on the sentences and write the file."""
    folder = models.files("minilm")
    if folder is None:
        sys.exit("The files of the encoder are not here: run `python3 -m firstprinciples models` first.")
    model, kept = MiniLM(folder), {"texts": np.array(TEXTS)}
    for i, text in enumerate(TEXTS):
        pieces, shares = attention_shares(text, model)
        kept |= {f"pieces_{i}": np.array(pieces), f"shares_{i}": shares.astype(np.float16)}
    np.savez_compressed(FILE, **kept)
    print(f"{FILE.name}: {len(TEXTS)} sentences, {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
