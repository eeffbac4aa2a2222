"""Make splade.npz: the weights of terms that come with the course, a byte each.

They are those of Larkspur's chunks and questions, of the lines of texts.txt, and of those of splade_texts.txt.

    python data/vectors/make_splade.py

It needs the files of the model (`python3 -m firstprinciples models`). Run it again after one of these texts has
changed. The format is described in firstprinciples/encode/sparse_files.py.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from firstprinciples import models  # noqa: E402
from firstprinciples.corpus import Collection  # noqa: E402
from firstprinciples.encode.sparse_files import shorten  # noqa: E402
from firstprinciples.encode.splade_tiny import FILE, SpladeTiny, lesson_texts  # noqa: E402
from firstprinciples.encode.stored import stored_texts  # noqa: E402
from firstprinciples.progress import Bar  # noqa: E402


def texts():
    """Return the texts whose weights are stored, each once, in a fixed order."""
    larkspur = Collection.load("larkspur")
    wanted = [chunk.text for chunk in larkspur.chunks] + [query.text for query in larkspur.queries]
    return list(dict.fromkeys(wanted + stored_texts() + lesson_texts()))


def main():
    """Encode them and write the file."""
    folder = models.files("splade-tiny")
    if folder is None:
        sys.exit("The files of the model are not here: run `python3 -m firstprinciples models` first.")
    wanted, encoder = texts(), SpladeTiny(folder)
    rows = encoder.encode_passages(wanted, progress=Bar("Encoding texts"))
    arrays = shorten(wanted, rows, [encoder.terms_of(text) for text in wanted])
    if len(set(arrays["hashes"].tolist())) < len(wanted):
        sys.exit("Two texts have the same hash; store more bytes of it.")
    np.savez_compressed(FILE, **arrays)
    print(f"{FILE.name}: {len(wanted)} texts, {len(arrays['steps']):,} weights, {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
