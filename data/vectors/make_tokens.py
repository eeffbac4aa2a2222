"""Make tokens.npz: the vectors of tokens that come with the course, rounded to one byte a number.

They are those of Larkspur's dev questions that turn on a word with several meanings, of the chunks that answer them, of
one chunk for each that has the word in another meaning, of the lines of token_texts.txt, and of three chunks more.

    python data/vectors/make_tokens.py

It needs the files of the encoder (`python3 -m firstprinciples models`). Run it again after one of these
texts has changed. The format is described in firstprinciples/encode/token_files.py.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from firstprinciples import models  # noqa: E402
from firstprinciples.corpus import Collection  # noqa: E402
from firstprinciples.encode.stored import text_hashes, to_int8  # noqa: E402
from firstprinciples.encode.token_files import FILE  # noqa: E402
from firstprinciples.encode.token_vectors import MiniLMTokens  # noqa: E402

TEXTS = FILE.with_name("token_texts.txt")
# For each question its word with several meanings, and a chunk that has the word in another one: the first in BM25's
# list for the question of which that is true. house-words, which explains both meanings, was passed over. BM25 and a
# reader chose them; no vector was looked at.
RIVALS = {
    "polysemy-001": ("python", "first-aid-field-safety-sheet#7"),
    "polysemy-003": ("closing", "repair-bench-closing#1"),
    "polysemy-005": ("charge", "invoice-1063#7"),
    "polysemy-007": ("lead", "sick-day-policy#2"),
    "polysemy-009": ("lead", "contract-lantern-software#7"),
    "polysemy-011": ("bill", "purchasing-policy#7"),
    "polysemy-013": ("draft", "board-minutes-2024-02#2"),
    "polysemy-015": ("seal", "invoice-1051#3"),
    "polysemy-017": ("crane", "filing-tollgate-sporting-q1-2024#9"),
    "polysemy-019": ("bolt", "shore-birds-walk-notes#8"),
    "polysemy-021": ("press", "stove-use-guide#10"),
    "polysemy-023": ("fly", "tent-care-guide#6"),
    "polysemy-025": ("patch", "product-pages-and-warranty#9"),
    "polysemy-027": ("closing", "filing-cedarline-freight-q1-2024#9"),
    "polysemy-029": ("charge", "invoice-1063#7"),
}
# What lesson 15 shows besides: a question that MaxSim loses has the chunk that answers it and the one that wins.
LESSON = ("first-aid-field-safety-sheet#5", "heat-and-cold-sheet#6", "board-minutes-2024-08#8")


def texts() -> list[str]:
    """Return the texts whose tokens are stored, each once, in a fixed order."""
    larkspur = Collection.load("larkspur")
    chunks = {chunk.id: chunk.text for chunk in larkspur.chunks}
    wanted = [line for line in TEXTS.read_text(encoding="utf-8").splitlines() if line.strip()]
    for query in larkspur.queries:
        if query.kind == "polysemy" and query.split == "dev":
            wanted.append(query.text)
            wanted += [chunks[id] for _, ids in larkspur.evidence[query.id] for id in ids]
            wanted.append(chunks[RIVALS[query.id][1]])
    wanted += [chunks[id] for id in LESSON]
    return list(dict.fromkeys(wanted))


def main():
    """Encode them and write the file."""
    folder = models.files("minilm")
    if folder is None:
        sys.exit("The files of the encoder are not here: run `python3 -m firstprinciples models` first.")
    wanted = texts()
    hashes = text_hashes(wanted)
    tokens, vectors = zip(*MiniLMTokens(folder).encode_tokens(wanted, "passage"), strict=True)
    rows, scales = to_int8(np.concatenate(vectors))
    names = "\n".join(name for some in tokens for name in some)
    np.savez_compressed(FILE, hashes=hashes, lengths=np.array([len(some) for some in tokens], dtype=np.int32),
                        names=np.frombuffer(names.encode("utf-8"), dtype=np.uint8), rows=rows, scales=scales)
    print(f"{FILE.name}: {len(wanted)} texts, {len(rows):,} tokens, {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
