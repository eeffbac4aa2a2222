"""Make minilm.npz: the vectors that come with the course, rounded to one byte a number.

They are those of Larkspur's chunks and questions, of the held-out pairs of data/pairs/, of the lines of texts.txt and
minilm_texts.txt, of the chunks with the line of context that the rule of ingest/contextual.py puts before each, of what
the rules of generate/ways.py make of the questions, of the clocks with their questions, what those are in other words,
and their references, and of what pictures make up themselves.

    python data/vectors/make.py

Run it again after one of these texts has changed. A row that is there stays as it is, byte for byte; only new texts are
encoded, which needs the files of the encoder (`python3 -m firstprinciples models`); what nobody wants any more is
dropped. Delete the file to have every text encoded anew. The format is described in firstprinciples/encode/stored.py.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from firstprinciples import models  # noqa: E402
from firstprinciples.corpus import Collection, references  # noqa: E402
from firstprinciples.encode.bert import MiniLM  # noqa: E402
from firstprinciples.encode.biencoder import read_pairs  # noqa: E402
from firstprinciples.encode.stored import FILE, MORE, stored_texts, text_hashes, to_int8  # noqa: E402
from firstprinciples.explore import contextual, hyde, rewrite  # noqa: E402
from firstprinciples.explore.conversation import texts as of_conversation  # noqa: E402
from firstprinciples.generate import ways  # noqa: E402
from firstprinciples.ingest.contextual import contextualize  # noqa: E402


def texts():
    """Return the texts whose vectors are stored, each once, in a fixed order."""
    larkspur = Collection.load("larkspur")
    wanted = [chunk.text for chunk in larkspur.chunks] + [query.text for query in larkspur.queries]
    pairs = read_pairs()[1]
    wanted += [pair["question"] for pair in pairs] + [pair["passage"] for pair in pairs]
    wanted += stored_texts() + stored_texts(MORE)
    wanted += [chunk.text for chunk in contextualize(larkspur.chunks, larkspur.documents)]
    wanted += ways.stored_texts(larkspur.queries, larkspur.chunks)
    wanted += contextual.texts() + rewrite.texts() + hyde.texts()
    clocks = Collection.load("clocks")
    wanted += [chunk.text for chunk in clocks.chunks] + [reference.text for reference in references()]
    wanted += [text for query in clocks.queries for text in ways.rephrase(query.text).texts]
    wanted += of_conversation()
    return list(dict.fromkeys(wanted))


def kept(path):
    """Return what a file holds: {hash: (row, scale)}; without the file {}."""
    if not path.exists():
        return {}
    with np.load(path, allow_pickle=False) as file:
        return {number: (row, scale) for number, row, scale in
                zip(file["hashes"].tolist(), file["rows"], file["scales"], strict=True)}


def main(path=FILE):
    """Encode what is not stored yet, and write the file."""
    wanted = texts()
    hashes, there = text_hashes(wanted), kept(path)
    new = [text for text, number in zip(wanted, hashes.tolist(), strict=True) if number not in there]
    if new:
        folder = models.files("minilm")
        if folder is None:
            sys.exit(f"There is no vector yet for {len(new)} of the texts, and the files of the encoder are not here: "
                     "run `python3 -m firstprinciples models` first.")
        rows, scales = to_int8(MiniLM(folder).encode_passages(new))
        there |= zip(text_hashes(new).tolist(), zip(rows, scales, strict=True), strict=True)
    found = [there[number] for number in hashes.tolist()]
    np.savez(path, hashes=hashes, rows=np.array([row for row, _ in found]),
             scales=np.array([scale for _, scale in found], dtype=np.float32))
    print(f"{path.name}: {len(wanted)} vectors, {len(new)} of them new, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
