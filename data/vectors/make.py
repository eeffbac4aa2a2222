"""Make minilm.npz: the vectors that come with the course, rounded to one byte a number.

They are those of Larkspur's chunks and questions, of the held-out pairs of data/pairs/, and of the lines of texts.txt.

    python data/vectors/make.py

It needs the files of the encoder (`python3 -m firstprinciples models`). Run it again after one of these
texts has changed. The format is described in firstprinciples/encode/stored.py.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from firstprinciples import models  # noqa: E402
from firstprinciples.corpus import Collection  # noqa: E402
from firstprinciples.encode.bert import MiniLM  # noqa: E402
from firstprinciples.encode.biencoder import read_pairs  # noqa: E402
from firstprinciples.encode.stored import FILE, stored_texts, text_hashes, to_int8  # noqa: E402


def texts():
    """Return the texts whose vectors are stored, each once, in a fixed order."""
    larkspur = Collection.load("larkspur")
    wanted = [chunk.text for chunk in larkspur.chunks] + [query.text for query in larkspur.queries]
    pairs = read_pairs()[1]
    wanted += [pair["question"] for pair in pairs] + [pair["passage"] for pair in pairs] + stored_texts()
    return list(dict.fromkeys(wanted))


def main():
    """Encode them and write the file."""
    folder = models.files("minilm")
    if folder is None:
        sys.exit("The files of the encoder are not here: run `python3 -m firstprinciples models` first.")
    wanted = texts()
    hashes = text_hashes(wanted)
    rows, scales = to_int8(MiniLM(folder).encode_passages(wanted))
    np.savez(FILE, hashes=hashes, rows=rows, scales=scales)
    print(f"{FILE.name}: {len(wanted)} vectors, {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
